"""Pages in, findings out: the path from a page to a report.

Claims are cut into statements, methods propose certificates, the kernel grants levels, formulas
are tried against themselves and their simulation, and each claim is judged by what it expects.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import active_children
from pathlib import Path

from proofs.finding import found, unstarted
from proofs.lemma import CITE, lemma_of, settle_using
from proofs.limits import pool
from proofs.plan import Case, Sheet, plan
from proofs.report import Finding, PageResult, Report
from proofs.settle import Ask, Settled, Task, asker, unknown
from symbolic.kernel.statement import Certificate, Statement

KEPT_EVERY = 2.0  # seconds
Answers = tuple[Callable[[], Settled], ...]


@dataclass(frozen=True)
class Run:
    """The options of a run, the certificates known, and the answers that were asked for."""

    ask: Ask
    seconds: float
    seed: int
    known: Mapping[str, Certificate]
    backends: Collection[str] | None = None
    answers: dict[tuple[str, str], Answers] = field(default_factory=dict)


def check_pages(paths: Iterable[str | Path], jobs: int = 1, timeout: float = 20.0,
                executor: Executor | None = None,
                on_progress: Callable[[str, int, int], None] | None = None, seed: int = 0,
                earlier: Report | None = None,
                keep: Callable[[Report], None] | None = None,
                backends: Collection[str] | None = None) -> Report:
    """Check every claim of every page; a folder stands for its pages.

    Serial unless `jobs` > 1 (processes) or an `executor` is given. `timeout` is in seconds a
    step. `on_progress(claim, done, total)` is called before each claim, `keep(report)` every few
    seconds and at the end with what is there so far. Certificates of an `earlier` report are
    checked before anything is searched. `backends` names those that try the formulas, by default
    the ones that load quickly. Ctrl-C ends the run and the report says so. Mathematics
    that fails, pages that cannot be read and methods that overrun are in the report, never
    raised; only a fault of the kernel is (`symbolic.kernel.check.Fault`).
    """
    others = active_children()
    own = pool(jobs) if executor is None and jobs > 1 else None
    run = Run(asker(executor or own), timeout, seed, _certificates(earlier), backends)
    ended = False
    try:
        report = _run(paths, run, on_progress or (lambda *_: None), keep or (lambda _: None))
        ended = not report.interrupted
        return report
    finally:
        if own is not None:
            own.shutdown(wait=ended, cancel_futures=True)
            for child in active_children():  # nobody waits any more for what still runs
                if child not in others:
                    child.terminate()


def _run(paths: Iterable[str | Path], run: Run, tell: Callable, keep: Callable) -> Report:
    results: list[PageResult] = []
    report = Report("attnproof", _version(), datetime.now(UTC).isoformat(timespec="seconds"),
                    run.seed, (), interrupted=True)
    try:
        sheets = plan(paths)
        _ask(sheets, run)
        done, total = 0, sum(len(sheet.cases) for sheet in sheets)
        kept = time.monotonic()
        for sheet in sheets:
            results.append(PageResult(sheet.path, sheet.title, sheet.errors, (),
                                      sheet.figures))
            for case in sheet.cases:
                tell(case.claim.name, done, total)
                finding = _finding(case, run)
                done += 1
                results[-1] = replace(results[-1], findings=(*results[-1].findings, finding))
                if time.monotonic() > kept + KEPT_EVERY:
                    keep(replace(report, pages=tuple(results)))
                    kept = time.monotonic()
        tell("", done, total)
        report = replace(report, interrupted=False)
    except KeyboardInterrupt:
        pass
    report = replace(report, pages=tuple(results))
    keep(report)
    return report


def _ask(sheets: Iterable[Sheet], run: Run) -> None:
    """Give out every task at once, so that workers have something to do from the start."""
    for sheet in sheets:
        for case in sheet.cases:
            _answers(case, run)


def _answers(case: Case, run: Run) -> Answers:
    """A function for each step that waits for its answer; a step with lemmas waits for them."""
    here = (case.path, case.claim.name)
    if here not in run.answers:
        steps = zip(case.claim.steps, case.chain.steps, strict=True)
        run.answers[here] = tuple(cache(
            partial(_with_lemmas, case, k, run) if step.using
            else run.ask(_task(statement, step.by, run)))
            for k, (step, statement) in enumerate(steps))
    return run.answers[here]


def _with_lemmas(case: Case, k: int, run: Run) -> Settled:
    """Settle a step that is using other claims or citations."""
    step, lemmas = case.claim.steps[k], []
    for other in case.lemmas[k]:
        settled = tuple(answer() for answer in _answers(other, run))
        lemma = lemma_of(other.claim, other.chain, settled, case.chain.at[k])
        if lemma is None:
            return unknown(f"it uses {other.claim.name}, which is not proved")
        lemmas.append(lemma)
    keys = tuple(n.removeprefix(CITE) for n in step.using if n.startswith(CITE))
    return settle_using(_task(case.chain.steps[k], step.by, run), tuple(lemmas), keys)


def _task(statement: Statement, by: str | None, run: Run) -> Task:
    return Task(statement, by, run.seconds, run.known.get(statement.digest))


def _finding(case: Case, run: Run) -> Finding:
    """What came of one claim."""
    begun = time.perf_counter()
    if not case.chain.steps:
        finding = unstarted(case.claim, case.chain, run.seed, run.backends)
    else:
        settled = tuple(answer() for answer in _answers(case, run))
        finding = found(case.claim, case.chain, settled,
                        lambda s: run.ask(_task(s, None, run))(), run.seed, run.backends)
    return replace(finding, seconds=round(time.perf_counter() - begun, 6))


def _certificates(report: Report | None) -> dict[str, Certificate]:
    """The certificates of an earlier report by the hash of their statements."""
    held = [s.certificate for f in (report.findings if report else ()) for s in f.steps]
    return {c["hash"]: Certificate(c["hash"], c["rule"], {
        k: v for k, v in c.items() if k not in ("hash", "rule")})
        for c in held if c and {"hash", "rule"} <= c.keys()}


def _version() -> str:
    try:
        return version("attnproof")
    except PackageNotFoundError:
        return "not installed"
