"""The one road to a level: `check` runs the rule a certificate names, then attacks what it grants.

Nothing outside this folder makes a verdict above UNKNOWN. Malformed certificates of any kind end
in UNKNOWN, never in a traceback and never in a level.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from symbolic.kernel import attack
from symbolic.kernel.ball import Unsure
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.prepare import Problem, prepare
from symbolic.kernel.rules import Granted, Refuse
from symbolic.kernel.statement import Certificate, Level, Statement, Verdict
from symbolic.kernel.term import Malformed, Term

STEPS, DEEPEST = 600_000, 12
RULES = tuple(sorted(p.stem for p in (Path(__file__).parent / "rules").glob("[a-z]*.py")))


class Fault(Exception):
    """A granted statement that a point refutes: the kernel itself is wrong, and says so loudly."""

    def __init__(self, statement: Statement, certificate: Certificate, verdict: Verdict):
        super().__init__(f"a statement granted by {certificate.rule!r} fails at {verdict.point}")
        self.statement, self.certificate, self.verdict = statement, certificate, verdict


def check(statement: Statement, certificate: Certificate) -> Verdict:
    """The level that the certificate earns the statement; UNKNOWN with a note if it earns none.

    Raises Fault when a point certifies that a granted statement is false.
    """
    verdict = examine(statement, certificate)
    if verdict.level in (Level.PROVED, Level.CERTIFIED):
        found = attack.refutation(statement, verdict.where)
        if found is not None:
            raise Fault(statement, certificate, found)
    return verdict


def examine(statement: Statement, certificate: Certificate) -> Verdict:
    """What the rule alone grants, before the attack: for searching, never for reporting."""
    if not isinstance(certificate, Certificate) or certificate.hash != statement.digest:
        return Verdict(Level.UNKNOWN, note="the certificate is of another statement")
    try:
        with limited(STEPS):
            granted = run(prepare(statement), certificate.rule, certificate.data, DEEPEST)
    except (Undecided, Malformed, Refuse, Unsure) as error:
        return Verdict(Level.UNKNOWN, note=str(error))
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError,
            ZeroDivisionError, OverflowError, StopIteration, RuntimeError) as error:
        return Verdict(Level.UNKNOWN, note=f"malformed certificate: {type(error).__name__}")
    return Verdict(granted.level, tuple(sorted(granted.rests_on)), granted.where, granted.note,
                   granted.point, granted.left, granted.right, granted.margin)


def run(problem: Problem, rule: str, data: dict, depth: int) -> Granted:
    """Let a rule look at a problem; sub-statements that it builds come back here."""
    if rule not in RULES:
        raise Refuse(f"no rule is called {str(rule)[:40]!r}")
    if not isinstance(data, dict) or depth <= 0:
        raise Refuse("certificate data nests too deep or is no table")

    def prove(statement: Statement, certificate: object) -> Granted:
        if not isinstance(certificate, dict) or not isinstance(certificate.get("rule"), str):
            raise Refuse("a sub-certificate is missing")
        inner = {k: v for k, v in certificate.items() if k not in ("rule", "hash")}
        return run(prepare(statement), certificate["rule"], inner, depth - 1)

    module = import_module(f"symbolic.kernel.rules.{rule}")
    return module.check(problem, data, prove)


Prove = Callable[[Statement, object], Granted]
ORDER = (Level.PROVED, Level.CERTIFIED, Level.TESTED, Level.UNKNOWN)


def conclude(verdicts: tuple[Verdict, ...]) -> Verdict:
    """The verdict of a chain: its weakest step, everything its steps rest on and leave open.

    A refuted step breaks the argument: UNKNOWN, "broken at step k".
    """
    if not verdicts:
        return Verdict(Level.UNKNOWN, note="no step")
    rests = tuple(sorted(frozenset().union(*(v.rests_on for v in verdicts))))
    where: tuple[Term, ...] = tuple(dict.fromkeys(c for v in verdicts for c in v.where))
    for k, v in enumerate(verdicts, 1):
        if v.level is Level.REFUTED:
            return Verdict(Level.UNKNOWN, rests, where, f"broken at step {k}")
    weakest = max((v.level for v in verdicts), key=ORDER.index)
    at = next(k for k, v in enumerate(verdicts, 1) if v.level is weakest)
    note = "" if weakest is Level.PROVED else f"step {at} is {weakest.value}"
    return Verdict(weakest, rests, where, note)
