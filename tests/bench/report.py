"""The table of a run and its JSON.

A row's time is the best of several runs. "over, cpu ok" means that the processor's time is within
the target and the wall clock is not: the machine was busy with something else. Ratios are of
processor time, which a busy machine disturbs least; after a stop, of what was spent until then.
"""

import json
import os
import platform
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

TITLES = {
    "symbolic": "Symbolic length, warm: rule `normal`, start against last line",
    "concrete": "Concrete length: the kernel beside SymPy (ratio: SymPy over the kernel)",
    "process": "Whole processes (ratio: over Python's own start)",
    "fields": "Softmax field of n tokens, d = 8, float64 (ratio: wall time over ours)",
    "laws": "Covariance equations of random Gaussian laws",
    "phases": "A Kuramoto attention step beside rotary attention (ratio: over the ordinary one)",
    "interpolation": "Exact networks, whole processes; growth by processor time inside",
    "steps": "Pages of steps in one warm process, one claim (ratio: over the median)",
}


@dataclass(frozen=True)
class Row:
    """One measurement: `group` and `name` are its key.

    `seconds` is None where `limit` seconds were not enough; `ratio` is then a lower bound.
    """

    group: str
    name: str
    seconds: float | None
    cpu: float | None = None
    target: float | None = None
    answer: str = ""
    ratio: float | None = None
    limit: float | None = None
    more: dict = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.group}/{self.name}"

    @property
    def status(self) -> str:
        """`ok`, `over`, `over, cpu ok`, or nothing without a target."""
        if self.target is None:
            return ""
        if self.seconds is not None and self.seconds <= self.target:
            return "ok"
        return "over, cpu ok" if self.cpu is not None and self.cpu <= self.target else "over"


def seconds(value: float | None, limit: float | None = None) -> str:
    """A time for the eye, three digits: `412 us`, `3.20 ms`, `1.25 s`; `>10 s` past a limit."""
    if value is None:
        return "" if limit is None else f">{limit:g} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{_digits(value / size)} {unit}"
    return f"{value * 1e6:.0f} us"


def _digits(value: float) -> str:
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}"


def _ratio(row: Row) -> str:
    if row.ratio is None:
        return ""
    return ("> " if row.seconds is None else "") + _digits(row.ratio) + "x"


def table(rows: Iterable[Row]) -> str:
    """The rows as text, one block a group."""
    rows, blocks = tuple(rows), []
    for group in dict.fromkeys(row.group for row in rows):
        head = ("what", "best", "cpu", "target", "", "ratio", "answer")
        lines = [head, *(_cells(row) for row in rows if row.group == group)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        blocks.append("\n".join((TITLES.get(group, group), *_aligned(lines, widths))))
    return "\n\n".join(blocks)


def _cells(row: Row) -> tuple[str, ...]:
    extra = ", ".join(f"{key} {seconds(value) if isinstance(value, float) else value}"
                      for key, value in row.more.items())
    return (row.name, seconds(row.seconds, row.limit), seconds(row.cpu),
            "" if row.target is None else f"{seconds(row.target)}", row.status, _ratio(row),
            "; ".join(filter(None, (row.answer, extra))))


def _aligned(lines: list[tuple[str, ...]], widths: list[int]) -> Iterator[str]:
    left = (0, 4, 6)
    for line in lines:
        yield "  " + "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip()


def machine() -> dict:
    """Where the run took place, as far as it matters."""
    load = os.getloadavg() if hasattr(os, "getloadavg") else ()
    return {"python": platform.python_version(), "machine": platform.machine(),
            "cores": os.cpu_count(), "load": [round(x, 2) for x in load]}


def to_json(rows: Iterable[Row], about: dict) -> str:
    """The run as JSON: `machine`, and `rows` by their keys."""
    return json.dumps({"machine": about, "rows": {
        row.key: {**asdict(row), "status": row.status} for row in rows}}, indent=1) + "\n"


def write(path: str | Path, text: str) -> None:
    """Write a report, folders included. Raises OSError."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
