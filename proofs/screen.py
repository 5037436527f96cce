"""What a terminal shows: a table of findings, then what falls short and what could not be read."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from proofs.report import Finding, Report, StepResult

COLOURS = {"proved": "green", "certified": "green", "tested": "yellow", "unknown": "yellow",
           "refuted": "red"}
LONGEST = 160  # characters of a cell; what falls short is told in full below the table


def standing(result: Finding | StepResult) -> str:
    """A level in the words of the table of levels: what earned it, or what is missing."""
    if result.level == "refuted":
        sides = result.values if isinstance(result, StepResult) else (result.left, result.right)
        names = zip(("left", "right"), sides, strict=False)
        shown = "".join(f", {name} = {side}" for name, side in names if side)
        return f"false at {place(result.point)}{shown}"
    if result.level == "unknown":
        inner = [s.note for s in steps_of(result) if s.level == "unknown" and s.note]
        return "; ".join(dict.fromkeys(n for n in (result.note, *inner[:1]) if n)) or "open"
    steps = steps_of(result)
    methods = ", ".join(dict.fromkeys(s.by for s in steps if s.by))
    text = {"proved": f"proved by {methods}" if methods else "proved",
            "certified": "certified" + "".join(f", margin {s.margin}" for s in steps if s.margin),
            "tested": result.note or "tested at points only"}[result.level]
    if result.rests_on:
        text += " modulo " + ", ".join(result.rests_on)
    if result.where:
        text += ", where " + ", ".join(result.where)
    return text


def steps_of(result: Finding | StepResult) -> tuple[StepResult, ...]:
    """The lines of a finding; a line is its own."""
    return result.steps if isinstance(result, Finding) else (result,)


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + " ..."


def place(point: dict | None) -> str:
    """A point in one line: `x = 1/2, w = [1, 0]`."""
    return ", ".join(f"{name} = {_flat(value)}" for name, value in (point or {}).items()) or "()"


def _flat(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flat(v) for v in value) + "]"
    return str(value)


def show(report: Report) -> None:
    """Print the table of findings, its count, and everything that falls short, with what to do."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    findings = report.findings
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column()
    table.add_column("claim", overflow="fold")
    table.add_column("steps", justify="right")
    table.add_column("what came of it", overflow="fold")
    table.add_column("s", justify="right")
    for f in findings:
        mark = Text("ok", "green") if f.met else Text("SHORT", "bold red")
        shown = Text(_clipped(standing(f)), COLOURS[f.level])
        table.add_row(mark, f.name, str(len(f.steps)), shown, f"{f.seconds:.2f}")
    if findings:
        console.print(table)
    for line in complaints(report):
        console.print(Text(line), soft_wrap=True)
    console.print(Text(summary(report)), soft_wrap=True)


def complaints(report: Report) -> Iterator[str]:
    """Errors and shortfalls: page, claim, then what was found and what to do."""
    for page in report.pages:
        for error in page.errors:
            yield f"{page.path}: {error}"
        for finding in page.findings:
            for line in finding.shortfall:
                yield f"{page.path}: {finding.name}: {line}"


def summary(report: Report) -> str:
    """One line of counts: undecided is never counted as passed."""
    findings, pages = report.findings, report.pages
    levels = [f.level for f in findings]
    counts = ", ".join(f"{levels.count(level)} {level}" for level in COLOURS if level in levels)
    errors = sum(len(p.errors) for p in pages)
    short = sum(not f.met for f in findings)
    return (f"{plural(len(findings), 'claim')} on {plural(len(pages), 'page')}"
            + (f": {counts}" if counts else "")
            + f"; {short or 'none'} short of what is expected"
            + (f"; {plural(errors, 'error')}" if errors else "")
            + ("; interrupted: this report is partial" if report.interrupted else ""))


def plural(count: int, noun: str) -> str:
    """`1 claim`, `2 claims`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


@contextmanager
def progress(shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error, fed by `(claim, done, total)`."""
    if not shown:
        yield lambda name, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(BarColumn(30), MofNCompleteColumn(), TextColumn("{task.description}"),
                   console=Console(stderr=True), transient=True)
    with bar:
        task = bar.add_task("reading")
        yield lambda name, done, total: bar.update(
            task, description=name, completed=done, total=total)
