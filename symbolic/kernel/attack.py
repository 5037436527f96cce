"""The second opinion: each granted statement is evaluated at once at points of its domain.

Terms are evaluated as the author wrote them, never in normal form. One certified failure means
that the kernel is wrong.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from symbolic.kernel import admit
from symbolic.kernel.ball import Unsure
from symbolic.kernel.propose import proposals
from symbolic.kernel.statement import Level, Statement, Verdict
from symbolic.kernel.term import Malformed, Term

POINTS, TRIES = 3, 12


def refutation(statement: Statement, where: tuple[Term, ...] = (), points: int = POINTS,
               tries: int = TRIES, seed: int = 0) -> Verdict | None:
    """A verdict REFUTED at a point where facts and `where` hold, if a few points give one."""
    if statement.relation == "O":
        return None
    rng = random.Random(f"{seed}{statement.digest}")
    tried = 0
    for point in candidates(statement, rng, tries):
        found, admitted = at_point(statement, point, where)
        if found is not None:
            return found
        tried += admitted
        if tried >= points:
            break
    return None


def candidates(statement: Statement, rng: random.Random, tries: int) -> Iterator[dict]:
    """Proposed points; a proposer that fails has nothing more to propose."""
    try:
        yield from proposals(statement, rng, tries)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        return


def at_point(statement: Statement, point: dict,
             where: tuple[Term, ...] = ()) -> tuple[Verdict | None, bool]:
    """(the verdict REFUTED or None, whether the point is of the domain)."""
    try:
        failure = admit.failure(statement, point)
    except (Unsure, Malformed, KeyError, TypeError, IndexError, ValueError, RecursionError):
        return None, False
    if not admit.admissible(statement, point) or not admit.meets(where, statement, point):
        return None, False
    if failure is None:
        return None, True
    return Verdict(Level.REFUTED, point=point, left=failure.left, right=failure.right), True


def witness(statement: Statement, where: tuple[Term, ...] = (), tries: int = 40,
            seed: int = 0) -> dict | None:
    """A point where facts and `where` hold and both sides are defined, if one is found."""
    rng = random.Random(f"{seed}{statement.digest}")
    for point in candidates(statement, rng, tries):
        if at_point(statement, point, where)[1]:
            return point
    return None
