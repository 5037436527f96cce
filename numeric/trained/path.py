"""Minimisers of l(theta) + eps |theta|^2 followed through eps, each from the one before.

The objective is a sum of squares, so Levenberg and Marquardt's method finds its stationary points
to the last digits, where the loss is 1e-10 and slopes in eps can be read; gradient descent does
not come that far. Derivatives are torch's.
"""

import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from numeric.train import torch_or_why
from numeric.trained import block
from numeric.trained.problem import Problem

STARTS = ("teacher", "warm", "cold", "zero")
SPREAD = 0.5                # of random starts
MOST = 300                  # evaluations a minimiser may take
GOOD = 1e-14                # relative change that ends it


@dataclass(frozen=True)
class Point:
    """Where a minimisation ended: eps, theta, its loss in float64, evaluations, and how steep
    J = |R|^2 still is, the norm of R'^T R over those of R' and R: 0 where it is stationary."""

    eps: float
    theta: tuple[float, ...]
    loss: float
    evaluations: int
    slope: float


def ladder(largest: float, smallest: float, count: int) -> tuple[float, ...]:
    """`count` values of eps in equal ratios, largest first. Raises ValueError for no interval."""
    if not 0 < smallest < largest < math.inf or count < 3:
        raise ValueError(f"found {count} values of eps from {largest} to {smallest}; needed three "
                         "or more, from the larger to the smaller, above 0")
    return tuple(float(e) for e in np.geomspace(largest, smallest, count))


def start(problem: Problem, kind: str, seed: int) -> np.ndarray:
    """Where a path begins: the teacher, normal numbers, or zero, which is stationary for every
    eps: a control that must be found out. Raises ValueError for another kind."""
    if kind not in STARTS:
        raise ValueError(f"found start {kind!r}; needed one of {', '.join(STARTS)}")
    if kind == "teacher":
        return problem.teacher
    if kind == "zero":
        return np.zeros(problem.P)
    return np.random.default_rng([problem.seed, seed, 5]).normal(0, SPREAD, problem.P)


def follow(problem: Problem, kind: str, seed: int, values: Sequence[float],
           store: Path | None = None, tell: Callable[[int, float], None] = lambda *_: None
           ) -> tuple[Point, ...]:
    """The path of a start, in the order of `values` (largest first).

    A warm start goes from the largest eps down; all others begin at the smallest and go up, a cold
    start being what plain training with little decay is. With `store` every
    point is written there, and a path that was stopped goes on from the last.
    Raises Absent without torch, ValueError for a file of another path.
    """
    torch = torch_or_why()
    solve = _solver(problem, torch)
    order = list(values) if kind == "warm" else list(values)[::-1]
    name = json.dumps([asdict(problem), kind, seed, order])
    done = _load(store, name) if store and store.exists() else []
    theta = np.array(done[-1].theta) if done else start(problem, kind, seed)
    for k, eps in enumerate(order[len(done):], len(done) + 1):
        point = solve(theta, eps)
        theta = np.array(point.theta)
        done.append(point)
        if store:
            _save(store, name, done)
        tell(k, point.loss)
    return tuple(done if kind == "warm" else done[::-1])


def _solver(problem: Problem, torch: Any) -> Callable[[np.ndarray, float], Point]:
    from scipy.optimize import least_squares
    residual = problem.residual(torch)
    slopes = torch.func.jacrev(residual)

    def solve(theta: np.ndarray, eps: float) -> Point:
        root = math.sqrt(eps)

        def stacked(t: np.ndarray) -> np.ndarray:
            return np.concatenate([residual(torch.tensor(t)).numpy(), root * t])

        def rows(t: np.ndarray) -> np.ndarray:
            return np.vstack([slopes(torch.tensor(t)).numpy(), root * np.eye(len(t))])
        # MINPACK needs as many residuals as unknowns: eps |theta|^2 alone brings as many.
        found = least_squares(stacked, theta, rows, method="lm", xtol=GOOD, ftol=GOOD, gtol=GOOD,
                              max_nfev=MOST)
        r, J = stacked(found.x), rows(found.x)
        left = np.linalg.norm(J.T @ r) / (np.linalg.norm(r) * np.linalg.norm(J, 2) or 1.0)
        loss = float((r[:-len(theta)] ** 2).sum())
        return Point(eps, tuple(found.x.tolist()), loss, int(found.nfev), float(left))
    return solve


def regularity(problem: Problem, theta: Sequence[float]) -> dict:
    """What decides the slope of the loss at an interpolant: singular values of the residual's
    derivative (largest first), and how far the nearest neuron is from its kink.

    Where the rank is locally constant and no neuron sits at its kink, the loss of minimisers near
    it is of order eps^2. Raises Absent without torch.
    """
    torch = torch_or_why()
    t = torch.tensor(np.array(theta))
    values = np.linalg.svd(torch.func.jacrev(problem.residual(torch))(t).numpy(),
                           compute_uv=False)
    p = block.parts(t, problem.d, problem.width)
    x = block.attend(p, torch.tensor(problem.drawn[0]), torch)
    live = (p["W"].norm(dim=1) * p["U"].norm(dim=1)) > 1e-6
    inside = (x @ p["U"].T + p["b"])[..., live]
    return {"singular values": [float(v) for v in values],
            "neurons in use": int(live.sum()),
            "nearest kink": float(inside.abs().min()) if live.any() else None}


def _save(path: Path, name: str, done: Sequence[Point]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + f".{os.getpid()}")
    beside.write_text(json.dumps({"name": name, "points": [asdict(p) for p in done]}),
                      encoding="utf-8")
    beside.replace(path)


def _load(path: Path, name: str) -> list[Point]:
    held = json.loads(path.read_text(encoding="utf-8"))
    if held.get("name") != name:
        raise ValueError(f"{path}: found the checkpoint of {held.get('name')!r}, needed that of "
                         f"{name!r}: remove the file or name another folder")
    return [Point(**{**p, "theta": tuple(p["theta"])}) for p in held["points"]]
