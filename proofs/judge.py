"""Whether a claim reaches the level it expects, and what to do where it does not.

`recheck` judges a report again with the same words: no search and no library is needed here.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace

from proofs.report import Finding
from symbolic.kernel.statement import Level, Statement, Verdict
from symbolic.kernel.term import Term
from symbolic.writing.text import point_text

NO_WITNESS = ("{} step by step, but no point was found where its facts and conditions hold: a "
              "claim about no point says nothing")
TRIES = 40
ORDER = ("unknown", "tested", "certified", "proved")


def reaches(level: str, expect: str) -> bool:
    """Whether `level` is accepted where `expect` is asked for.

    The order is proved > certified > tested > unknown; `refuted` accepts a refutation only,
    `unproved` anything below certified, a refutation included.
    """
    if expect == "refuted" or level == "refuted":
        return level == "refuted" and expect in ("refuted", "unproved")
    if expect == "unproved":
        return level in ("unknown", "tested")
    return ORDER.index(level) >= ORDER.index(expect)


def concluded(verdicts: tuple[Verdict, ...], whole: Verdict | None) -> Verdict:
    """The verdict on a claim from those on its steps, and on start against last line.

    Only a counterexample to the claim's own statement refutes it; a step refuted alone leaves
    the argument broken. The whole of a claim of one step is that step.
    """
    from symbolic.kernel.check import conclude
    whole = verdicts[0] if len(verdicts) == 1 else whole
    if whole is not None and whole.level is Level.REFUTED:
        return whole
    return conclude(verdicts)


def sides(verdict: Verdict, steps: Iterable) -> tuple[str | None, str | None]:
    """Left and right at the verdict's point as the page orders them: `>=` was turned round."""
    turned = any(step.relation in (">=", ">") for step in steps)
    return (verdict.right, verdict.left) if turned else (verdict.left, verdict.right)


def witness(statement: Statement, where: tuple[Term, ...]) -> dict | None:
    """A point where facts and conditions hold, one where both sides have values if possible."""
    from symbolic.kernel import attack
    from symbolic.kernel.propose import proposals
    point = attack.witness(statement, where, TRIES)
    if point is None:  # the values of sides such as integrals may be out of reach
        rng = random.Random(statement.digest)
        drawn = proposals(statement, rng, TRIES)
        point = next((p for p in drawn if witnesses(p, statement, where)), None)
    return point


def witnesses(point: Mapping, statement: Statement, where: tuple[Term, ...]) -> bool:
    """Whether facts and conditions hold at a point for sure."""
    from symbolic.kernel import admit
    return admit.admissible(statement, point) and admit.meets(where, statement, point)


def place(point: Mapping | None) -> dict | None:
    """A point of the kernel as reports hold it: exact text, nested lists for families."""
    return None if point is None else {n: point_text(value) for n, value in point.items()}


def shortfall(level: str, expect: str, where: tuple[str, ...], rests_on: tuple[str, ...],
              accepts: dict, disagreeing: tuple[str, ...], why: str) -> tuple[str, ...]:
    """Why a claim is not met, a sentence each with what to do; empty exactly when it is met.

    `where` and `rests_on` are what the kernel left over, `accepts` holds the claim's own lists
    `where` and `modulo`, `disagreeing` names backends beyond the tolerance, `why` explains a
    level that is too low.
    """
    found = []
    if not reaches(level, expect):
        found.append(f"{level}, expected {expect}: {why}")
    elif level in ("proved", "certified") and expect not in ("refuted", "unproved"):
        found += [f"{level} only where {c}: add {c!r} to the claim's `given` (a fact), or to its "
                  "`where` (a condition the reader is told)"
                  for c in where if c not in accepts.get("where", ())]
        found += [f"{level} modulo {name}: add {name!r} to the claim's `modulo`"
                  for name in rests_on if name not in accepts.get("modulo", ())]
    found += [f"the formula and its own simulation disagree on {name}: one of them is wrong; "
              "evaluate both at the point of the report" for name in disagreeing]
    return tuple(found)


def judged(finding: Finding) -> Finding:
    """The finding with `met` and `shortfall` by what it expects."""
    disagreeing = tuple(f"{a.backend} ({a.note or a.max_error})"
                        for a in finding.agreement if not a.agrees)
    lines = shortfall(finding.level, finding.expect, finding.where, finding.rests_on,
                      finding.accepts or {}, disagreeing, why(finding))
    return replace(finding, met=not lines, shortfall=lines)


def why(finding: Finding) -> str:
    """Where a finding stopped: the weakest step, or the claim's own note."""
    weak = [(k, s) for k, s in enumerate(finding.steps, 1) if s.level == finding.level]
    broken = [(k, s) for k, s in enumerate(finding.steps, 1) if s.level == "refuted"]
    parts = [finding.note] if finding.note and not finding.note.startswith("step ") else []
    for k, step in (broken or weak)[:1]:
        shown = f"step {k} ({step.relation} {step.right[:60]})"
        if step.level == "refuted":
            point = (f"{name} = {value}" for name, value in (step.point or {}).items())
            shown += " is false at " + ", ".join(point)
        elif step.tried:
            shown += f" is open; tried {', '.join(step.tried)}"
        parts.append(shown + (f": {step.note}" if step.note and step.note != finding.note else ""))
    return "; ".join(parts) or "nothing was shown"
