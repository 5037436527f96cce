"""Accuracy of training against its number of blocks, beside what the constructions take.

Three counts of one dataset stand side by side: the blocks that training needed in these runs, the
blocks of a network that is exact, and the bound of the theorem. The first is an observation about
a budget and a tolerance; it is no upper bound, as training is never exact, and no lower bound.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from numeric.interpolant.data import Dataset, dataset
from numeric.interpolant.exact import text
from numeric.interpolant.reading import from_json_data, load
from numeric.train import Budget
from numeric.trained import depth


def datasets(files: Iterable[Path], seeds: Iterable[int], sizes: dict) -> dict[str, Dataset]:
    """Datasets by name: those of the files, or the triangle and random ones.

    Raises BadData (a ValueError) for a file that is none, ValueError for two of one name or
    coordinates that are too large to train on, OSError where there is no file.
    """
    found: dict[str, Dataset] = {}
    for path in files:
        name = path.stem
        if name in found:
            raise ValueError(f"{path}: found a second dataset named {name!r}; needed names that "
                             "differ: rename one file")
        found[name] = load(path)
        depth.batch(found[name])
    if found:
        return found
    return {"triangle": dataset(depth.TRIANGLE),
            **{f"random {seed}": depth.random(**sizes, seed=seed) for seed in seeds}}


def runs(data: dict[str, Dataset], blocks: Iterable[int], seeds: Iterable[int],
         budget: Budget) -> list[dict]:
    """One run for each dataset, number of blocks and seed."""
    return [{"experiment": "blocks", "task": {"name": name}, "data": _plain(one), "blocks": L,
             "seed": seed, "steps": budget.steps, "rate": budget.rate}
            for name, one in data.items() for L in blocks for seed in seeds]


def _plain(data: Dataset) -> list[dict]:
    return [{role: [[text(c) for c in x] for x in side]
             for role, side in zip(("input", "output"), pair, strict=True)} for pair in data.pairs]


def do(run: dict, folder: Path | None = None, tell: Any = lambda *_: None) -> dict:
    """Train one network, its checkpoint in `folder` while it is under way."""
    from numeric.sweep import key
    data = from_json_data(run["data"])
    store = folder / f"{key(run)}.pt" if folder else None
    budget = Budget(run["steps"], batch=1, rate=run["rate"])
    fitted = depth.train(data, run["blocks"], run["seed"], budget, name=key(run), store=store,
                         tell=tell)
    if store:
        store.unlink(missing_ok=True)
    return {**depth.outcome(data, fitted), "curve": [list(point) for point in fitted.curve]}


def result(rows: Sequence[dict]) -> dict:
    """Datasets with what is known of each, and what training made with each number of blocks."""
    names = list(dict.fromkeys(row["run"]["task"]["name"] for row in rows))
    groups = [[r for r in rows if r["run"]["task"]["name"] == name] for name in names]
    return {"experiment": "blocks", "share": depth.SHARE, "width": depth.WIDTH,
            "budget": asdict(Budget(rows[0]["run"]["steps"], 1, rows[0]["run"]["rate"])),
            "quoted": {"source": "arXiv 2502.02270, Theorems 1.6 and 1.8",
                       "blocks": "2M + 2N + 1 (hardmax), 2M + 3N (softmax)"},
            "ours": [_dataset(name, group) for name, group in zip(names, groups, strict=True)],
            "not claimed": "that fewer blocks would not do, or that these interpolate exactly: "
                           "trained networks are near, and only for this budget and these seeds"}


def _dataset(name: str, rows: Sequence[dict]) -> dict:
    known = depth.known(from_json_data(rows[0]["run"]["data"]))
    trained = []
    for L in sorted({row["run"]["blocks"] for row in rows}):
        here = {str(r["run"]["seed"]): r for r in rows if r["run"]["blocks"] == L}
        trained.append({
            "L": L, "P": next(iter(here.values()))["P"],
            "solved": {seed: r["solved"] for seed, r in here.items()},
            "worst error": {seed: max(r["errors"]) for seed, r in here.items()},
            "log10 norm^2": {seed: float(np.log10(r["norm^2"])) for seed, r in here.items()},
            "notes": [r["note"] for r in here.values() if r["note"]]})
    return {"dataset": name, **known, "within": rows[0]["within"], "trained": trained,
            "fewest": {"by some seed": _fewest(trained, any), "by every seed": _fewest(trained,
                                                                                     all)}}


def _fewest(trained: Sequence[dict], seeds: Any) -> int | None:
    """The least L, of those tried, with every sequence solved by some seed, or by every seed."""
    return min((t["L"] for t in trained if seeds(v == 1 for v in t["solved"].values())),
               default=None)
