"""Do tasks that are predicted to cost more come out worse? Shipped tasks at one fixed budget.

Every task is trained with the same heads, width, steps and inputs; its predicted cost is its law
at that width and number of tokens. Rank correlation with the error, a bootstrap over tasks beside
it: one number for the framework, and a scatter that shows where it fails.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import log10
from statistics import median
from typing import Any

import numpy as np

from infoflow.predict import OUTSIDE, Architecture, predict
from infoflow.task import data, load, shipped_tasks
from proofs import trial
from proofs.trial import Setting

EPS, GAMMA = 0.1, 1.0       # where laws are compared; the rate of an opaque function
DRAWS, LEVEL = 2000, 95     # resamples of the tasks, and the part of them in the interval


def runs(names: Iterable[str], seeds: Iterable[int], heads: tuple[int, ...],
         setting: Setting) -> list[dict]:
    """One run a task and seed; all shipped tasks where none is named. Raises TaskError."""
    shared = asdict(setting)
    found = []
    for name in list(names) or list(shipped_tasks()):
        task = load(name)
        found += [{"experiment": "tasks", "part": "ranked", "task": data(task),
                   "heads": list(heads), "seed": seed, **shared,
                   "tokens": task.T or setting.tokens} for seed in seeds]
    return found


def cost(run: dict) -> float:
    """The predicted number of parameters, as a power of ten, up to a constant: the law of the
    run's task at its width and tokens, eps = 1/10; 0 where the state has room for all."""
    from infoflow.task import from_data
    from numeric.backends import numpy64
    found = predict(from_data(run["task"]), Architecture(tuple(run["heads"]), run["width"]))
    if found.law is None:
        return 0.0
    symbols = {n: ("real",) for n in ("eps", "T", "gamma")}
    point = {"eps": EPS, "T": run["tokens"], "gamma": GAMMA}
    return max(0.0, log10(float(numpy64.evaluate(found.law, symbols, point))))


def result(rows: Sequence[dict]) -> dict:
    """Cost and error by task, every seed, and the rank correlation, as plain data."""
    by_task: dict[str, list[dict]] = {}
    for row in rows:
        by_task.setdefault(row["run"]["task"]["name"], []).append(row)
    table = [_line(name, here) for name, here in by_task.items()]
    judged = [t for t in table if t["median"] is not None]
    pairs = np.array([(t["cost"], t["median"]) for t in judged])
    inside = np.array([(t["cost"], t["median"]) for t in judged if t["verdict"] != OUTSIDE])
    run = rows[0]["run"]
    return {"experiment": "tasks", "heads": run["heads"],
            "setting": {k: run[k] for k in asdict(Setting()) if k != "tokens"},
            "tasks": sorted(table, key=lambda t: (t["cost"], t["median"] or 0)),
            "rank correlation": correlation(pairs),
            "within the framework": correlation(inside), "cost": "log10 of the law at eps = 1/10"}


def _line(name: str, rows: Sequence[dict]) -> dict:
    run = rows[0]["run"]
    from infoflow.task import from_data
    found = predict(from_data(run["task"]), Architecture(tuple(run["heads"]), run["width"]))
    ends = {str(r["run"]["seed"]): r["nmse"] for r in rows}
    known = [v for v in ends.values() if v is not None]
    return {"task": name, "verdict": found.verdict, "law": found.law_text, "tokens": run["tokens"],
            "cost": round(cost(run), 4), "nmse": ends, "median": median(known) if known else None,
            "target": rows[0]["target"]}


def correlation(pairs: np.ndarray) -> dict[str, Any]:
    """Spearman's rank correlation of the columns, with a percentile interval by resampling rows;
    None where there are fewer than three rows or a column is constant."""
    if len(pairs) < 3 or not np.ptp(pairs, axis=0).all():
        return {"spearman": None, "interval": None, "level": LEVEL, "tasks": len(pairs)}
    rng = np.random.default_rng(0)
    found = []
    while len(found) < DRAWS:
        drawn = pairs[rng.integers(0, len(pairs), len(pairs))]
        if np.ptp(drawn, axis=0).all():
            found.append(_spearman(drawn))
    tail = (100 - LEVEL) / 2
    low, high = np.percentile(found, [tail, 100 - tail])
    return {"spearman": round(_spearman(pairs), 4), "level": LEVEL, "tasks": len(pairs),
            "interval": [round(float(low), 4), round(float(high), 4)]}


def _spearman(pairs: np.ndarray) -> float:
    from scipy.stats import rankdata
    ranks = np.apply_along_axis(rankdata, 0, pairs)
    return float(np.corrcoef(ranks.T)[0, 1])


def do(run: dict, **options: Any) -> dict:
    """Train one task; as in a trial."""
    return trial.do(run, **options)
