"""A stored report checked again: the kernel alone, no search, no solver, no SymPy.

Each claim is read again from its own words, so that what is printed is what was checked. Each
certificate is checked again, equalities also by a zero test built differently, and from the
verdicts everything that the report says of levels is derived once more.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

from proofs.judge import NO_WITNESS, concluded, judged, place, sides, witnesses
from proofs.report import Finding, Report, StepResult
from symbolic.claim import Chain, Claim, Step, statements
from symbolic.kernel import attack
from symbolic.kernel.check import Fault, check
from symbolic.kernel.modular import agree
from symbolic.kernel.statement import Certificate, Level, Statement, Verdict
from symbolic.kernel.statement import read as read_statement
from symbolic.kernel.term import Malformed
from symbolic.reading import ReadError, read_term
from symbolic.writing.text import text


def recheck(report: Report) -> list[str]:
    """Everything in the report that does not hold, a sentence each; empty when all of it does.

    Nothing is raised for a report that was altered, however it was altered.
    """
    return [f"{page.path}: {finding.name}: {problem}"
            for page in report.pages for finding in page.findings
            for problem in _finding(finding)]


def _finding(finding: Finding) -> Iterator[str]:
    chain = _read_again(finding)
    if chain.errors:
        yield f"the claim cannot be read again: {chain.errors[0]}"
        return
    if len(chain.steps) != len(finding.steps):
        yield f"{len(finding.steps)} steps, but its lines make {len(chain.steps)}"
        return
    verdicts = []
    for number, (step, said) in enumerate(zip(finding.steps, chain.steps, strict=True), 1):
        verdict, problems = _step(step, said)
        verdicts.append(verdict)
        yield from (f"step {number}: {problem}" for problem in problems)
    yield from _concluded(finding, chain, verdicts)
    met = judged(finding).met
    if met != finding.met or met == bool(finding.shortfall):
        yield f"met = {finding.met} is reported, but what it expects makes it {met}"
    for row in finding.agreement:
        if row.agrees and row.max_error is not None and row.max_error > (row.tolerance or 0):
            yield f"{row.backend} is said to agree with an error of {row.max_error}"


def _read_again(finding: Finding) -> Chain:
    """The claim as its own words in the report say it."""
    accepts = finding.accepts or {}
    steps = tuple(Step(s.relation, s.right, s.by, s.using, s.at or {}, s.limit, s.derived)
                  for s in finding.steps)
    return statements(Claim(
        finding.name, finding.says, finding.symbols, finding.given, finding.let,
        finding.rates or {}, finding.start, steps, finding.source, finding.expect,
        _texts(accepts, "where"), _texts(accepts, "modulo"),
        uniform=_texts(accepts, "uniform")))


def _texts(accepts: dict, key: str) -> tuple[str, ...]:
    """A list of texts; anything else becomes a text that no reader takes."""
    found = accepts.get(key, [])
    fits = isinstance(found, (list, tuple)) and all(isinstance(x, str) for x in found)
    return tuple(found) if fits else ("?",)


def _step(step: StepResult, said: Statement) -> tuple[Verdict, list[str]]:
    """The verdict on a line as it is printed, and what the report says otherwise."""
    problems = []
    stored = _stored(step)
    if stored is None or stored.digest != said.digest:  # names of bound indices may differ
        problems.append("the statement is not the one that its line says")
    else:
        said = stored
    verdict = _verdict(said, step.certificate)
    sorts = dict(said.symbols)
    derived = {
        "level": verdict.level.value, "rests_on": verdict.rests_on, "margin": verdict.margin,
        "where": tuple(text(c, sorts) for c in verdict.where), "point": place(verdict.point),
        "values": tuple(v for v in sides(verdict, (step,)) if v is not None)}
    problems += [f"{key} = {_short(getattr(step, key))} is reported, the kernel says "
                 f"{_short(value)}"
                 for key, value in derived.items() if getattr(step, key) != value]
    conditional = replace(said, given=(*said.given, *verdict.where))
    if said.relation == "=" and verdict.level is Level.PROVED and agree(conditional) is False:
        problems.append("proved, but both sides differ modulo a large prime: a fault of the kernel")
    return verdict, problems


def _stored(step: StepResult) -> Statement | None:
    """The statement in the report, None where it is none or not written as it is read."""
    try:
        statement = read_statement(step.statement or {})
    except Malformed:
        return None
    return statement if json.dumps(statement.json()) == json.dumps(step.statement) else None


def _verdict(statement: Statement, certificate: dict | None) -> Verdict:
    if certificate is None:
        return Verdict(Level.UNKNOWN)
    data = {key: value for key, value in certificate.items() if key not in ("hash", "rule")}
    try:
        return check(statement, Certificate(
            str(certificate.get("hash")), str(certificate.get("rule")), data))
    except Fault as fault:
        return Verdict(Level.UNKNOWN, note=str(fault))


def _concluded(finding: Finding, chain: Chain, verdicts: list[Verdict]) -> Iterator[str]:
    """Differences between what the report concludes and what follows from the verdicts."""
    if not verdicts:
        if finding.level not in ("unknown", "tested"):
            yield f"level = {finding.level} is reported without any step"
        return
    whole = None
    if finding.whole is not None and chain.whole is not None:
        whole, problems = _step(finding.whole, chain.whole)
        yield from (f"whole: {problem}" for problem in problems)
    verdict = concluded(tuple(verdicts), whole)
    sorts = dict(chain.symbols)
    left, right = sides(verdict, finding.steps)
    level = verdict.level.value
    if finding.note == NO_WITNESS.format(level) and finding.witness is None:
        level = "unknown"
    derived = {
        "level": level, "rests_on": verdict.rests_on, "point": place(verdict.point),
        "where": tuple(text(c, sorts) for c in verdict.where), "left": left, "right": right}
    for key, value in derived.items():
        if getattr(finding, key) != value:
            yield (f"{key} = {_short(getattr(finding, key))} is reported, from the steps follows "
                   f"{_short(value)}")
    yield from _witnessed(finding, chain, verdict)
    if verdict.level in (Level.PROVED, Level.CERTIFIED) and chain.whole is not None:
        against = attack.refutation(chain.whole, verdict.where)
        if against is not None:
            yield f"{verdict.level.value}, but start against last line fails at {against.point}"


def _witnessed(finding: Finding, chain: Chain, verdict: Verdict) -> Iterator[str]:
    """Whether the witness is a point of the claim's domain; a level needs one."""
    if finding.witness is None:
        if finding.level in ("proved", "certified", "tested"):
            yield f"{finding.level} is reported without a witness"
        return
    try:
        point = {name: _value(value) for name, value in finding.witness.items()}
        holds = chain.whole is not None and witnesses(point, chain.whole, verdict.where)
    except ReadError as error:
        yield f"the witness cannot be read: {error}"
        return
    if not holds:
        yield "the facts do not all hold at the witness"


def _value(value: object) -> object:
    """The closed terms behind the text of a point."""
    if isinstance(value, list):
        return [_value(part) for part in value]
    return read_term(value if isinstance(value, str) else "", {})


def _short(value: object) -> str:
    return str(value)[:60]
