"""Rules, one a file: each is a theorem a referee would quote in a line.

A rule file defines `check(problem, data, prove) -> Granted`. The rule builds its sub-statements
itself and hands them to `prove` with the sub-certificates found in its data; whoever wrote the
certificate never states a goal. What a rule cannot grant it refuses by raising Refuse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symbolic.kernel.defined import conditions
from symbolic.kernel.prepare import Problem
from symbolic.kernel.statement import Level, Statement
from symbolic.kernel.term import Term, infinities, plain


class Refuse(Exception):
    """The rule does not apply, with the reason."""


@dataclass(frozen=True)
class Granted:
    """What a rule grants; `check` turns it into a verdict."""

    level: Level = Level.PROVED
    where: tuple[Term, ...] = ()
    rests_on: frozenset[str] = frozenset()
    note: str = ""
    point: dict | None = None
    left: str | None = None
    right: str | None = None
    margin: str | None = None


def left_open(problem: Problem) -> tuple[Term, ...]:
    """Conditions of both sides, as written and with derivatives carried out."""
    terms = dict.fromkeys((*problem.written, problem.left, problem.right))
    return tuple(dict.fromkeys(c for t in terms for c in conditions(t, problem.scope)))


def altered(statement: Statement, **changes: object) -> Statement:
    """The statement with some parts replaced: how rules build sub-statements."""
    return replace(statement, **changes)


def joined(*parts: Granted) -> Granted:
    """Conditions and debts of sub-proofs together: proved where all are, certified where some are
    certified (a constant by a ball, say)."""
    levels = {g.level for g in parts}
    if not levels <= {Level.PROVED, Level.CERTIFIED}:
        raise Refuse("a part is not proved")
    level = Level.PROVED if levels <= {Level.PROVED} else Level.CERTIFIED
    return Granted(level, where=tuple(dict.fromkeys(c for g in parts for c in g.where)),
                   rests_on=frozenset().union(*(g.rests_on for g in parts)))


def term(data: object) -> Term:
    """A term out of certificate data."""
    out = plain(data)
    if infinities(out):
        raise Refuse("oo is no number")
    return out


def unconditional(granted: Granted) -> Granted:
    """A sub-proof that holds everywhere: no condition may be left over."""
    if granted.level not in (Level.PROVED, Level.CERTIFIED) or granted.where:
        raise Refuse("a lemma for a whole region must leave no condition open")
    return granted


def no_definitions(problem: Problem) -> Statement:
    """The statement with definitions unfolded and derivatives done, ready to be altered."""
    return altered(problem.statement, left=problem.left, right=problem.right,
                   given=problem.given, let=(), rates=())
