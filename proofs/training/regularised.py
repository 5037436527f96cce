"""How do loss and objective of regularised training fall with eps? Paths, slopes, verdicts.

The bound l <= eps |theta*|^2 is a statement about global minimisers, linear in eps; the loss may
fall faster, and in the regular case falls like eps^2. What training found is compared with both.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from numeric.trained import diagnosis
from numeric.trained.diagnosis import Sample
from numeric.trained.problem import Problem, squares

SMALL = 1e-3                # slopes are read from here down
KINK = 1e-6                 # a neuron nearer to its kink than this sits at it, in float64


def runs(problems: Iterable[Problem], starts: int, values: Sequence[float]) -> list[dict]:
    """One run a path: for each dataset the teacher's, one from zero, and `starts` warm and
    as many cold ones."""
    kinds = [("teacher", 0), ("zero", 0)]
    kinds += [(k, s) for k in ("warm", "cold") for s in range(1, starts + 1)]
    return [{"experiment": "regularised", "task": {"name": kind}, "seed": seed,
             "dataset": asdict(problem), "eps": list(values), "steps": len(values)}
            for problem in problems for kind, seed in kinds]


def do(run: dict, folder: Any = None, tell: Any = lambda *_: None) -> dict:
    """The points of a path, its checkpoint in `folder` while it is under way."""
    from numeric.sweep import key
    from numeric.trained.path import follow
    store = folder / f"{key(run)}.json" if folder else None
    points = follow(Problem(**run["dataset"]), run["task"]["name"], run["seed"], run["eps"],
                    store, tell)
    if store:
        store.unlink(missing_ok=True)
    return {"points": [asdict(p) for p in points]}


def result(rows: Sequence[dict]) -> dict:
    """Everything that was found, dataset by dataset; verdicts are decided here, in balls, from
    the stored parameters."""
    names = list(dict.fromkeys(row["run"]["dataset"]["seed"] for row in rows))
    groups = [[r for r in rows if r["run"]["dataset"]["seed"] == name] for name in names]
    return {"experiment": "regularised", "objective": "l(theta) + eps |theta|^2",
            "quoted": {"source": "arXiv 2502.02270", "claim": "the loss of a regularised minimiser "
                       "is at most linear in eps", "bound": "l <= eps |theta*|^2"},
            "ours": [_dataset(group) for group in groups],
            "not claimed": "that any point is a global minimiser: slopes and bounds that hold "
                           "are consistent with it and prove nothing"}


def _dataset(rows: Sequence[dict]) -> dict:
    problem = Problem(**rows[0]["run"]["dataset"])
    B = problem.bound
    paths = [_samples(problem, row) for row in rows]
    everywhere = [s for path in paths for s in path]
    starts = [_start(problem, row, path, everywhere)
              for row, path in zip(rows, paths, strict=True)]
    best = [min((path[k] for path in paths), key=lambda s: number(s.objective(s.eps)))
            for k in range(len(paths[0]))]
    winner = next(k for k, path in enumerate(paths) if path[-1] is best[-1])
    return {"dataset": asdict(problem), "parameters": problem.P, "B": number(B),
            "starts": starts, "best": _best(problem, best, B, rows[winner])}


def _samples(problem: Problem, row: dict) -> list[Sample]:
    return [Sample(p["eps"], problem.loss(p["theta"]), squares(p["theta"]))
            for p in row["points"]]


def _start(problem: Problem, row: dict, path: Sequence[Sample],
           everywhere: Sequence[Sample]) -> dict:
    told = diagnosis.diagnose(path, problem.bound, everywhere)
    return {"start": row["run"]["task"]["name"], "seed": row["run"]["seed"],
            "verdict": told.verdict, "why": list(told.points),
            "kernel": _kernel(problem, row, path),
            "last decade": {"loss slope": told.loss_slope,
                            "objective slope": told.objective_slope},
            "slopes": _slopes(path), **_columns(path),
            "evaluations": sum(p["evaluations"] for p in row["points"]),
            "least stationary": max(p["slope"] for p in row["points"])}


def _kernel(problem: Problem, row: dict, path: Sequence[Sample]) -> dict | None:
    """What the kernel says of J > eps B at the smallest eps where balls show it, if any."""
    from numeric.trained.inequality import above_bound
    from symbolic.prove import prove
    for sample, point in zip(path[::-1], row["points"][::-1], strict=True):
        if diagnosis.above(sample, problem.bound):
            statement = above_bound(problem, point["theta"], sample.eps)
            if statement is None:
                return None
            verdict = prove(statement, by="enclosure").verdict
            return {"eps": sample.eps, "level": verdict.level.value, "margin": verdict.margin}
    return None


def _columns(path: Sequence[Sample]) -> dict:
    return {"eps": [s.eps for s in path], "loss": [number(s.loss) for s in path],
            "J/eps": [number(s.objective(s.eps)) / s.eps for s in path],
            "norm^2": [number(s.norm2) for s in path]}


def _slopes(path: Sequence[Sample]) -> dict:
    low = [s for s in path if s.eps <= SMALL * (1 + 1e-9)]
    eps = [s.eps for s in low]
    return {"loss": diagnosis.slope(eps, [number(s.loss) for s in low]),
            "objective": diagnosis.slope(eps, [number(s.objective(s.eps)) for s in low])}


def _best(problem: Problem, best: Sequence[Sample], B: Any, row: dict) -> dict:
    """The least objective at each eps, and whether it has what global minimisers have."""
    from numeric.trained.path import regularity
    found = regularity(problem, row["points"][-1]["theta"])
    nearest = found["nearest kink"]
    return {**_columns(best), "slopes": _slopes(best),
            "bound holds": not any(diagnosis.above(s, B) for s in best),
            "loss over bound": number(best[-1].loss) / (best[-1].eps * number(B)),
            "broken": diagnosis.consequences(best), **found,
            "regular": nearest is None or nearest > KINK}


def number(x: Any) -> float:
    """A float near a ball or an exact number."""
    from flint import arb
    return float(arb(x).mid())
