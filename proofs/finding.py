"""A claim judged: verdicts of its steps, conclusion, witness, agreement, and what falls short."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from proofs.judge import NO_WITNESS, concluded, judged, place, sides, witness
from proofs.lemma import CITE, granted
from proofs.report import Agreement, Finding, StepResult
from proofs.settle import Settled
from symbolic.claim import Chain, Claim, Derived, Step
from symbolic.kernel.statement import Certificate, Level, Statement, Verdict
from symbolic.kernel.term import Term
from symbolic.writing.text import text


def found(claim: Claim, chain: Chain, settled: tuple[Settled, ...],
          ask: Callable[[Statement], Settled], seed: int,
          backends: Collection[str] | None = None) -> Finding:
    """What came of a claim with steps; `ask` settles a further statement (the whole).

    The whole, start against last line, is asked of where a step is refuted: only a counterexample
    to it refutes the claim, a refuted step alone leaves the argument broken.
    """
    verdicts = tuple(s.verdict for s in settled)
    broken = len(verdicts) > 1 and any(v.level is Level.REFUTED for v in verdicts)
    whole = ask(chain.whole) if broken and chain.whole else _attacked(
        chain, concluded(verdicts, None))
    verdict = concluded(verdicts, whole and whole.verdict)
    left, right = sides(verdict, claim.steps)
    steps = tuple(step_result(*parts) for parts in zip(
        claim.steps, chain.steps, settled, strict=True))
    finding = replace(
        _about(claim, chain), steps=steps, level=verdict.level.value, note=verdict.note,
        rests_on=verdict.rests_on, where=_texts(verdict.where, chain),
        point=place(verdict.point), left=left, right=right,
        whole=None if whole is None or chain.whole is None else step_result(
            Step(_whole_sign(claim), chain.lines[-1]), chain.whole, whole))
    return judged(_tried(_witnessed(finding, chain, verdict), claim, chain, seed, backends))


def unstarted(claim: Claim, chain: Chain, seed: int,
              backends: Collection[str] | None = None) -> Finding:
    """A claim without a chain: a measurement beside its prediction, TESTED at most."""
    finding = _tried(replace(_about(claim, chain), level="unknown"), claim, chain, seed, backends)
    ran = [a for a in finding.agreement if a.points and a.backend.startswith("simulation")]
    if ran and all(a.agrees for a in ran):
        points = max(a.points for a in ran)
        finding = replace(finding, level="tested", note=f"measured at {points} points")
    return judged(finding)


def step_result(step: Step, statement: Statement, settled: Settled) -> StepResult:
    """One line of a report."""
    verdict, certificate = settled.verdict, settled.certificate
    sorts = dict(statement.symbols)
    by = step.by or (settled.tried[-1] if settled.tried and certificate else "")
    return StepResult(
        step.relation, _side(step.right, sorts), by, verdict.level.value, verdict.note,
        place(verdict.point), round(settled.seconds, 6), certificate and certificate.json(),
        statement.json(), verdict.rests_on, tuple(text(c, sorts) for c in verdict.where),
        tuple(v for v in sides(verdict, (step,)) if v is not None), verdict.margin,
        step.derived, step.using, {n: _side(t, sorts) for n, t in step.at.items()} or None,
        step.limit, settled.tried)


def _about(claim: Claim, chain: Chain) -> Finding:
    """A finding that says what is claimed, and nothing yet of what came of it."""
    sorts = dict(chain.symbols)

    def texts(table: Mapping) -> dict:
        return {key: _side(body, sorts) for key, body in table.items()}

    start = claim.start.term if isinstance(claim.start, Derived) else claim.start
    return Finding(
        claim.name, claim.says, dict(claim.symbols), tuple(_side(f, sorts) for f in claim.given),
        texts(claim.let), None if start is None else _side(start, sorts), "unknown", claim.expect,
        False, (), (), None, None, None, None, 0.0, (), (), rates=texts(claim.rates) or None,
        source=claim.source, no_measure=claim.no_measure,
        accepts={"where": [text(c, sorts) for c in chain.where], "modulo": list(claim.modulo),
                 "uniform": list(claim.uniform)})


def _whole_sign(claim: Claim) -> str:
    """The relation of start to last line, as the page would write it."""
    signs = {step.relation for step in claim.steps}
    return next((s for s in ("O", "psd", "<", ">", "<=", ">=") if s in signs), "=")


def _side(side: str | Term, sorts: dict) -> str:
    return side if isinstance(side, str) else text(side, sorts)


def _texts(terms: Iterable[Term], chain: Chain) -> tuple[str, ...]:
    return tuple(text(t, dict(chain.symbols)) for t in terms)


def _tried(finding: Finding, claim: Claim, chain: Chain, seed: int,
           backends: Collection[str] | None) -> Finding:
    """The finding with its cross-check; what is false, or expected to be, is not tried again."""
    false = finding.level == "refuted" or any(s.level == "refuted" for s in finding.steps)
    if false or finding.expect in ("refuted", "unproved"):
        return finding
    from numeric.crosscheck import crosscheck
    domain = None if chain.steps else (chain.symbols, chain.given)
    start = chain.lines[0] if chain.lines else None
    rows = crosscheck(claim, chain.steps, seed=seed, domain=domain, start=start,
                      only=backends)
    return replace(finding, agreement=tuple(Agreement(**row.json()) for row in rows))


def _witnessed(finding: Finding, chain: Chain, verdict: Verdict) -> Finding:
    """The finding with a point where facts and conditions hold; without one nothing is shown."""
    if chain.whole is None or verdict.level not in (
            Level.PROVED, Level.CERTIFIED, Level.TESTED):
        return finding
    point = witness(chain.whole, verdict.where)
    if point is None:
        return replace(finding, level="unknown", note=NO_WITNESS.format(finding.level))
    return replace(finding, witness=place(point))


def _attacked(chain: Chain, verdict: Verdict) -> Settled | None:
    """What refutes start against last line of a granted chain, None where nothing does.

    Raises Fault, since one of the two is wrong, unless the chain rests on a citation: then the
    citation is.
    """
    from symbolic.kernel import attack
    from symbolic.kernel.check import Fault
    if len(chain.steps) < 2 or chain.whole is None or verdict.level not in (
            Level.PROVED, Level.CERTIFIED):
        return None
    found = attack.refutation(chain.whole, verdict.where)
    if found is None:
        return None
    if not any(name.startswith(CITE) for name in verdict.rests_on):
        raise Fault(chain.whole, Certificate(chain.whole.digest, "chain of its steps"), found)
    return granted(chain.whole, "points", {"point": found.point})
