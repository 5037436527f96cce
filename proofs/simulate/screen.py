"""What a terminal shows of an experiment: the law against time, the tokens, what they mean."""

import sys
from collections.abc import Iterator
from typing import Any

from proofs.screen import plural

SHOWN = 6   # times of the table
WIDEST = 4  # eigenvalues in full; beyond, the largest and the smallest


def show(data: dict[str, Any]) -> None:
    """Print the account of one experiment."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    console.print(Text(f"{data['title']}: {data['variant']}, d = {data['d']}, horizon "
                       f"{data['horizon']:g}", "bold"))
    for head, rows in _tables(data):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in head:
            table.add_column(name, justify="right")
        for row in rows:
            table.add_row(*row)
        console.print(table)
    for line in meaning(data):
        console.print(Text(line), soft_wrap=True)
    for line in data["disagreements"]:
        console.print(Text("DISAGREEMENT: " + line, "bold red"), soft_wrap=True)


def _tables(data: dict[str, Any]) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The law against time; then the errors of the tokens, a line for each n."""
    few = data["d"] <= WIDEST
    names = [f"λ{i + 1}" for i in range(data["d"])] if few else ["λ max", "λ min"]
    rows = []
    for k in _some(len(data["times"])):
        values = data["eigenvalues"][k][::-1]
        values = values if few else [values[0], values[-1]]
        norm = sum(x * x for x in data["means"][k]) ** 0.5
        rows.append([_told(x) for x in (data["times"][k], norm, *values)])
    yield ["t", "|mean|", *names], rows
    if data["tokens"]:
        head = ["tokens", "seeds", "at t", "error of the mean", "error of S"]
        yield head, [_errors(data["tokens"], n) for n in dict.fromkeys(
            run["n"] for run in data["tokens"])]


def _some(count: int) -> list[int]:
    """Indices of a few times, the first and the last among them."""
    steps = min(SHOWN, count) - 1
    return sorted({round(k * (count - 1) / steps) for k in range(steps + 1)}) if steps else [0]


def _errors(runs: list[dict[str, Any]], n: int) -> list[str]:
    same = [run for run in runs if run["n"] == n]

    def size(key: str) -> float:
        return (sum(run[key] ** 2 for run in same) / len(same)) ** 0.5
    return [str(n), str(len(same)), _told(min(run["compared_at"] for run in same)),
            _told(size("mean_error")), _told(size("covariance_error"))]


def _told(x: float) -> str:
    """Five digits: 0.33648, 20.5, 1.2e-07."""
    return f"{x:.5g}"


def _small(x: float) -> str:
    """A relative error: what rounding makes of it is nobody's business."""
    return "1e-9" if x < 1e-9 else f"{x:.0e}"


def meaning(data: dict[str, Any]) -> Iterator[str]:
    """What the numbers say, a sentence a line."""
    yield _ending(data)
    yield _ranks(data["rank"])
    if data["closed"]:
        yield f"closed form: within {_small(data['closed']['error'])} of the equation"
    else:
        yield "closed form: none is known here"
    for name, slope in ((data["rates"] or {}).get("slopes") or {}).items():
        if slope is not None:
            yield f"error of the {name} against the number of tokens: slope {slope:.2f}"
    if data["kappa"] is not None:
        small = data["kappa"] < 1
        yield (f"kappa = {data['kappa']:.3g}: "
               + ("below 1, where the slope is to be -1/2" if small else
                  "1 or more, where extreme tokens rule and the slope may be flatter than -1/2"))
    yield from _troubles(data["tokens"])


def _ranks(rank: dict[str, Any]) -> str:
    now = f"|QS| is now {rank['seen']:.3g} times what it was"
    if rank["conserved"]:
        return (f"rank of S(t): {rank['start']} at the start, {rank['conserved']} or more for "
                "ever, as the covariance of x given Qx is conserved "
                f"(here to {_small(rank['drift'])}); {now}")
    return f"rank of S(t): {rank['start']} at the start; Qx determines x, so S may vanish; {now}"


def _ending(data: dict[str, Any]) -> str:
    last = f"t = {data['last_time']:.9g}"
    if data["status"] == "blow_up":
        times = data["blow_up"]
        known = "" if times["closed"] is None else f", {times['closed']:.9g} in closed form"
        return (f"blows up before the horizon: T* = {times['estimated']:.9g} estimated{known}; "
                f"followed to {last}")
    if data["status"] == "reached":
        return f"reached the horizon, {last}"
    return f"{data['status']} at {last}" + (f": {data['note']}" if data["note"] else "")


def _troubles(runs: list[dict[str, Any]]) -> Iterator[str]:
    for status in dict.fromkeys(r["status"] for r in runs if r["status"] != "reached"):
        same = [r for r in runs if r["status"] == status]
        yield (f"{plural(len(same), 'run')} of the tokens ended before their time ({status}), the "
               f"first at t = {min(r['last_time'] for r in same):.6g}")
