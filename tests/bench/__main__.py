"""`python -m tests.bench [--quick] [--json FILE]`: measure, print one table.

Exit code 0 whatever the times are, as a busy machine is no fault; 1 where something measured gave
a wrong answer. --quick takes seconds and leaves out the large sizes and most of the commands' runs.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from tests.bench import cases, interpolant, layers
from tests.bench.phases import phases
from tests.bench.report import Row, machine, table, to_json, write

LIMIT, QUICK_LIMIT, REST = 10.0, 2.0, 0.02


def main(arguments: list[str] | None = None) -> int:
    """Measure everything, a group at a time, and say so."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, few runs")
    parser.add_argument("--json", metavar="FILE", help="also write the rows as JSON")
    options = parser.parse_args(arguments)
    about, rows = machine(), []
    for group in groups():
        rows.append(list(group(options.quick)))
        print(table(rows[-1]) + "\n", flush=True)
    flat = [row for part in rows for row in part]
    over = [row.key for row in flat if row.status.startswith("over")]
    print(f"{sum(r.target is not None for r in flat)} targets, {len(over)} over"
          + (": " + ", ".join(over) if over else "")
          + f"   ({about['cores']} cores, load {about['load']} at the start)")
    if options.json:
        write(options.json, to_json(flat, about))
    wrong = [row.key for row in flat if row.answer.startswith("WRONG")]
    return 1 if wrong else 0


def groups() -> tuple[Callable[[bool], Iterator[Row]], ...]:
    """What is measured, in order; each yields its rows, few and small where `quick`."""
    return (symbolic, concrete, processes, steps, layers.fields, layers.laws, phases,
            interpolant.rows)


def best(call: Callable[[], object], runs: int, before: Callable[[], object] = lambda: None,
         enough: float = 3.0) -> tuple[float, float, object]:
    """Least wall and processor seconds of up to `runs` calls, and what the last one returned.

    A short sleep comes before each: a process that rested is not interrupted at once.
    """
    wall, cpu, end = float("inf"), float("inf"), time.perf_counter() + enough
    result = None
    for _ in range(runs):
        before()
        time.sleep(REST)
        begun, worked = time.perf_counter(), time.process_time()
        result = call()
        wall = min(wall, time.perf_counter() - begun)
        cpu = min(cpu, time.process_time() - worked)
        if time.perf_counter() > end:
            break
    return wall, cpu, result


def _kernel(group: str, name: str, statement, runs: int, target: float | None) -> Row:
    """The kernel on one statement, its memos emptied: `check`, and beside it the rule alone."""
    from symbolic.kernel.check import check, examine
    from symbolic.kernel.statement import Certificate

    certificate = Certificate(statement.digest, "normal")
    check(statement, certificate)
    wall, cpu, verdict = best(lambda: check(statement, certificate), runs, cases.forget)
    rule, _, _ = best(lambda: examine(statement, certificate), runs, cases.forget)
    answer = verdict.level.value if verdict.level.value == "proved" else f"WRONG: {verdict.note}"
    return Row(group, name, wall, cpu, target, answer, more={"rule alone": rule})


def symbolic(quick: bool) -> Iterator[Row]:
    """(a) Claims of symbolic length from the shipped pages."""
    for label in cases.SYMBOLIC:
        yield _kernel("symbolic", label, cases.from_page(label), 3 if quick else 60,
                      cases.TARGETS["symbolic"])


def concrete(quick: bool) -> Iterator[Row]:
    """(b) Concrete lengths, the kernel first, then SymPy as ratios to it."""
    for family, sizes in (cases.QUICK_SIZES if quick else cases.SIZES).items():
        for n in sizes:
            row = _kernel("concrete", f"{family} n={n} kernel", cases.CONCRETE[family](n),
                          3 if quick else 10, cases.TARGETS.get((family, n)))
            yield row
            for method in cases.RIVALS:
                yield race(family, n, method, row, QUICK_LIMIT if quick else LIMIT)


def race(family: str, n: int, method: str, ours: Row, limit: float) -> Row:
    """One SymPy method in a spawned process that is ended after `limit` seconds of work."""
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=cases.rival, args=(there, family, n, method), daemon=True)
    child.start()
    there.close()
    name, answer, taken, ready = f"{family} n={n} {method}", "did not start", (None, None), 0.0
    before = _children()
    try:
        if here.poll(cases.BUILDING):
            ready, answer = here.recv(), "stopped"
            if here.poll(limit):
                *taken, answer = here.recv()
    except EOFError:
        answer = "failed"
    finally:
        child.kill()
        child.join()
        here.close()
    wall, cpu = taken
    if answer == "stopped":
        cpu = max(_children() - before - ready, 0.0)
    return Row("concrete", name, wall, cpu, None, answer, cpu and ours.cpu and cpu / ours.cpu,
               limit if answer == "stopped" else None)


def _children() -> float:
    """Processor seconds of all child processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processes(quick: bool) -> Iterator[Row]:
    """(c) Whole processes with compiled modules in place, as an installation has them."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.toml"
        page.write_text(cases.ONE_CLAIM, encoding="utf-8")
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")
        start = None
        for name, arguments in cases.COMMANDS.items():
            command = [sys.executable, *(str(page) if a == "PAGE" else a for a in arguments)]
            found = [_process(command, environment) for _ in range(2 if quick else 10)]
            wall, cpu = (min(column) for column in zip(*found[1:], strict=True))
            start = start or cpu
            yield Row("process", name, wall, cpu, cases.TARGETS.get(name), "", cpu / start,
                      more={"median": statistics.median(w for w, _ in found[1:])})


def _process(command: list[str], environment: dict) -> tuple[float, float]:
    """Wall and processor seconds of one process. Raises CalledProcessError where it fails."""
    before, begun = _children(), time.perf_counter()
    subprocess.run(command, cwd=cases.ROOT, env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun, _children() - before


def steps(quick: bool) -> Iterator[Row]:
    """(d) Seconds a claim of the step files, after a first page has warmed the process.

    The first page is the step file itself: libraries that only some claims need are imported.
    """
    from proofs.check import check_pages

    if quick:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.toml"
            page.write_text(cases.ONE_CLAIM, encoding="utf-8")
            check_pages([page])
            yield from _claims("one claim", [page])
        return
    check_pages([cases.DATA / f"{cases.STEPS[0]}.json"])
    for name in cases.STEPS:
        yield from _claims(name, [cases.DATA / f"{name}.json"])


def _claims(name: str, pages: list) -> Iterator[Row]:
    """Median and maximum of a page: reading excluded, search, kernel and cross-check included."""
    from proofs.check import check_pages

    findings = check_pages(pages).findings
    whole = [finding.seconds for finding in findings]
    settled = [sum(step.seconds for step in finding.steps) for finding in findings]
    decided = sum(f.level in ("proved", "certified", "refuted") for f in findings)
    slowest = max(findings, key=lambda finding: finding.seconds)
    middle = statistics.median(whole)
    yield Row("steps", f"{name} median", middle, None, cases.TARGETS["median"],
              f"{decided} of {len(findings)} decided", 1.0,
              more={"without cross-check": statistics.median(settled)})
    yield Row("steps", f"{name} maximum", max(whole), None, None, slowest.name,
              max(whole) / middle, more={"without cross-check": max(settled)})


if __name__ == "__main__":
    raise SystemExit(main())
