"""From a statement to a verdict: methods search for certificates, the kernel checks them.

The order goes from cheap to dear; points that refute are drawn early, since a false step wastes
the time of every other method.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.check import STEPS, check, examine
from symbolic.kernel.prepare import prepare
from symbolic.kernel.statement import Certificate, Level, Statement, Verdict
from symbolic.kernel.term import Malformed, free
from symbolic.search import clock
from symbolic.search.terms import NoTerm

QUICK = ("normal", "sign")
CHEAP = ("normal", "sign", "shape", "mean", "transfer", "eliminate", "cases")
ORDER = ("normal", "sign", "refute", "shape", "mean", "gather", "gram", "trace", "cauchy",
         "quadratic", "tangent", "transfer", "eliminate", "bilinear", "cases", "congruence",
         "vector", "jensen", "linear", "cleared", "squares", "calculus", "increasing",
         "telescope", "enclosure", "limits", "induction")

LAST = 3.0  # seconds for points where no method succeeded


@dataclass(frozen=True)
class Outcome:
    """What the kernel said, the certificate it said it of, and what was tried."""

    verdict: Verdict
    certificate: Certificate | None
    tried: tuple[str, ...]


@lru_cache(maxsize=1)
def methods() -> tuple[str, ...]:
    """Names that `by` may have: one for each file of `symbolic/methods`."""
    import symbolic.methods as folder
    from symbolic.table import table

    return tuple(table(folder, "find"))


def find(name: str, statement: Statement) -> Iterator[Certificate]:
    """Certificates that a method proposes for a statement."""
    module = import_module(f"symbolic.methods.{name}")
    try:
        for rule, data in module.find(statement):
            yield Certificate(statement.digest, rule, data)
    except (Undecided, Malformed, NoTerm, RecursionError, ArithmeticError):
        return  # the method gives up; the others go on


def prove(statement: Statement, by: str | None = None, seconds: float = 20.0) -> Outcome:
    """The verdict of the first certificate that earns a level.

    `by` names one method; without it every method is tried. Where none succeeds, points are drawn:
    they refute, or earn TESTED. Raises Fault (of the kernel) when a granted statement is false.
    """
    tried: list[str] = []
    notes: list[str] = []
    try:
        with limited(STEPS):
            prepare(statement)
    except (Malformed, RecursionError) as error:
        return Outcome(Verdict(Level.UNKNOWN, note=f"not well formed: {error}"), None, ())
    except Undecided as error:
        notes.append(str(error))  # a derivative that no rate allows: the author wants to know
    with clock.allow(seconds):
        for name in [by] if by else _order(statement):
            if clock.left() <= 0:
                notes.append(f"stopped after {seconds:g} s")
                break
            tried.append(name)
            for certificate in find(name, statement):
                verdict = check(statement, certificate)
                if verdict.level in (Level.PROVED, Level.CERTIFIED, Level.REFUTED):
                    return Outcome(verdict, certificate, tuple(tried))
                if verdict.note:
                    notes.append(verdict.note)
                if clock.left() <= 0:
                    break
        last = max(1.0, clock.left(LAST))
    return _by_points(statement, tried, notes, last)


def _order(statement: Statement) -> tuple[str, ...]:
    """Every method, cheap ones first; between constants an enclosure is the cheapest."""
    if free(statement.left) | free(statement.right):
        return ORDER
    return tuple(dict.fromkeys(("normal", "sign", "enclosure", *ORDER)))


def _by_points(statement: Statement, tried: list, notes: list, seconds: float) -> Outcome:
    from symbolic.methods import refute

    tried = tuple(dict.fromkeys([*tried, "points"]))
    for rule, data in refute.exhaustive(statement, seconds):
        certificate = Certificate(statement.digest, rule, data)
        verdict = check(statement, certificate)
        if verdict.level in (Level.REFUTED, Level.TESTED):
            return Outcome(verdict, certificate, tried)
    note = "open; tried " + ", ".join(tried) + (f" ({notes[0]})" if notes else "")
    return Outcome(Verdict(Level.UNKNOWN, note=note), None, tried)


def certify(statement: Statement, names: tuple[str, ...] = QUICK,
            levels: tuple[Level, ...] = (Level.PROVED,)) -> dict | None:
    """Certificate data that earns a sub-statement one of the levels by a method, or None."""
    for name in names:
        if clock.left() <= 0:
            return None
        for certificate in find(name, statement):
            if examine(statement, certificate).level in levels:
                return {"rule": certificate.rule, **certificate.data}
    return None
