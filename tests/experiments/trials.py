"""`python -m tests.experiments.trials`: the tables of the trials kept in proofs/trials.

Every number comes from a result that a command wrote; the README beside them quotes these tables
and a test compares. With --copy FOLDER results are taken over from where they were made.
"""

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

TRIALS = Path(__file__).parents[2] / "proofs" / "trials"
KEPT = ("result.json", "runs.jsonl")
DRAWN = ("pairwise-2", "tasks", "kuramoto-lm", "sum-of-three")     # whose figures are kept


def main(arguments: list[str] | None = None) -> int:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m tests.experiments.trials",
                                     description=__doc__)
    parser.add_argument("--copy", type=Path, metavar="FOLDER", help="take results over first")
    options = parser.parse_args(arguments)
    if options.copy:
        _take(options.copy)
    print("\n".join(tables()))
    return 0


def results(kind: str) -> Iterator[tuple[str, dict]]:
    """(place below proofs/trials, result) of an experiment, by name."""
    for path in sorted(TRIALS.rglob("result.json"), key=_by_numbers):
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["experiment"] == kind:
            yield path.parent.relative_to(TRIALS).as_posix(), found


def tables() -> Iterator[str]:
    """The lines of all tables: trials, tasks, language model."""
    yield from _trials()
    yield from _tasks()
    yield from _language()


def _trials() -> Iterator[str]:
    yield ("| trial | T, steps, rate | task, heads | part | start | parameters | "
           "NMSE, every seed | target sd |")
    yield "|---|---|---|---|---|---|---|---|"
    for place, found in results("trial"):
        s = found["setting"]
        for e in found["entrants"]:
            ends = ", ".join("-" if v is None else f"{v:.2e}" for v in e["nmse"].values())
            yield (f"| {place} | {s['tokens']}, {s['steps']}, {s['rate']:g} | {e['task']} "
                   f"({','.join(map(str, e['heads']))}) | {e['part']} | {', '.join(e['start'])} | "
                   f"{e['parameters']} | {ends} | {e['target']['sd']:.3g} |")
    yield ""


def _tasks() -> Iterator[str]:
    for _, found in results("tasks"):
        c = found["rank correlation"]
        yield (f"Rank correlation over {c['tasks']} tasks: {c['spearman']:.2f}, "
               f"{c['level']} % of resampled tasks {c['interval'][0]:.2f} to "
               f"{c['interval'][1]:.2f}; {found['within the framework']['spearman']:.2f} without "
               "those outside the framework.")
        yield ""
        yield "| task | verdict | cost, log10 | NMSE |"
        yield "|---|---|---|---|"
        for t in found["tasks"]:
            ends = ", ".join("-" if v is None else f"{v:.1e}" for v in t["nmse"].values())
            yield f"| {t['task']} | {t['verdict']} | {t['cost']:.2f} | {ends} |"
        yield ""


def _language() -> Iterator[str]:
    for _, found in results("kuramoto-lm"):
        yield "| steps, rate, setting | model | parameters | bits, every seed | mean | above full |"
        yield "|---|---|---|---|---|---|"
        for t in found["ours"]:
            like = t["like"]
            where = f"{t['steps']}, {t['rate']:g}, k={like['k']} H={like['heads']} " + (
                f"tau={like['tau']:g} beta={like['beta']:g}")
            for m in t["models"]:
                gap = t["above full"].get(m["model"])
                ends = " ".join(f"{v:.3f}" for v in m["bits"].values())
                yield (f"| {where} | {m['model']} | {m['parameters']} | {ends} | {m['mean']:.3f} | "
                       + ("" if gap is None else f"{gap:+.3f}") + " |")
        yield ""


def _by_numbers(path: Path) -> list:
    """Names in order, T8 before T16."""
    return [(int(p[1:]), p) if p[:1] == "T" and p[1:].isdigit() else (0, p) for p in path.parts]


def _take(folder: Path) -> None:
    for path in sorted(folder.rglob("result.json")):
        place = path.parent.relative_to(folder)
        into = TRIALS / place
        into.mkdir(parents=True, exist_ok=True)
        for name in KEPT:
            shutil.copy(path.with_name(name), into / name)
        if place.parts[0] in DRAWN:
            for figure in path.parent.glob("*.png"):
                shutil.copy(figure, into / figure.name)


if __name__ == "__main__":
    raise SystemExit(main())
