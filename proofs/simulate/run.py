"""An experiment run: the Gaussian's equation, its closed form where one exists, and tokens.

Three routes to one covariance. The equation is integrated to the horizon, or to its blow-up; the
closed form is evaluated at the same times; tokens are drawn from N(mean, S0) and move by the same
layer. Arrays have a time a row and are never infinite.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from numeric import flow, gaussian
from numeric.model import Model
from proofs.simulate.experiment import Experiment

SAMPLES = 101
DEPTHS = 4           # snapshots of the tokens, from the start to the end, in equal steps
BEFORE = 0.9         # of T*: tokens are followed no further, as extreme ones rule beyond
NEAREST = 1e-4       # relative distance of the last sampled time from T*
MOST_KEPT = 4_000    # tokens of a snapshot that are kept for the picture
Step = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Cloud:
    """n tokens of one seed: their mean and covariance (divided by n) against time.

    `tokens` (depths, n, d) are the tokens at `depths`, kept for the largest n of the first seed;
    on the line the depths are all the times.
    """

    n: int
    seed: int
    times: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    status: str
    depths: np.ndarray
    tokens: np.ndarray | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of an experiment: equation, closed form (None where there is none), tokens.

    `beside` is the equation again, at the times of the tokens.
    """

    experiment: Experiment
    model: Model
    path: gaussian.Trajectory
    closed: gaussian.Trajectory | None
    beside: gaussian.Trajectory
    clouds: tuple[Cloud, ...]
    seconds: float


def simulate(experiment: Experiment, step: Step = lambda name, done, total: None) -> Outcome:
    """Run an experiment; `step(name, done, total)` is told how far it is."""
    begun = time.perf_counter()
    model, mean, S0 = model_of(experiment), array(experiment.mean), array(experiment.S0)
    runs = [(n, seed) for n in experiment.particles for seed in experiment.seeds]
    total = 100 * (1 + len(runs))
    horizon = float(experiment.horizon)
    path = trajectory(model, mean, S0, horizon, lambda t: step(
        f"{experiment.title}: equation", int(100 * t / horizon), total))
    closed = gaussian.closed(model, mean, S0, _compared(path, horizon))
    end = path.times[-1] if path.blow_up is None else BEFORE * path.blow_up
    times = np.linspace(0, end, 15 * (DEPTHS - 1) + 1)
    beside = gaussian.integrate(model, mean, S0, end, times)
    clouds = []
    for k, (n, seed) in enumerate(runs, 1):
        keep = n == max(experiment.particles) and seed == experiment.seeds[0]
        clouds.append(_cloud(model, mean, S0, times, n, seed, keep, lambda t, k=k, n=n: step(
            f"{experiment.title}: {n} tokens", int(100 * (k + t / end)), total)))
    return Outcome(experiment, model, path, closed, beside, tuple(clouds),
                   time.perf_counter() - begun)


def model_of(experiment: Experiment) -> Model:
    """The model in floats; heads are stacked, short ones filled with zero rows (A is the same)."""
    heads = experiment.heads
    if experiment.variant != "multihead":
        return Model(experiment.variant, array(heads[0].Q), array(heads[0].K), array(heads[0].V),
                     float(experiment.eps))
    deep = max(len(head.Q) for head in heads)

    def filled(M: tuple) -> np.ndarray:
        return np.vstack([array(M), np.zeros((deep - len(M), experiment.d))])
    return Model("multihead", np.stack([filled(h.Q) for h in heads]),
                 np.stack([filled(h.K) for h in heads]), np.stack([array(h.V) for h in heads]))


def array(rows: tuple[Fraction, ...] | tuple[tuple[Fraction, ...], ...]) -> np.ndarray:
    """The nearest floats."""
    return np.array(rows, dtype=float)


def trajectory(model: Model, mean: np.ndarray, S0: np.ndarray, horizon: float,
               watch: Callable[[float], None] = lambda t: None) -> gaussian.Trajectory:
    """The law against time; where it blows up, at times that crowd towards T*."""
    path = gaussian.integrate(model, mean, S0, horizon, SAMPLES, watch=watch)
    if path.blow_up is None:
        return path
    to_come = np.geomspace(1, NEAREST, SAMPLES)
    times = path.blow_up * (1 - np.concatenate([np.linspace(1, 0.5, SAMPLES // 2), to_come / 2]))
    times = np.unique(times[times >= 0])
    return gaussian.integrate(model, mean, S0, horizon, np.append(times, horizon), watch=watch)


def _compared(path: gaussian.Trajectory, horizon: float) -> np.ndarray:
    """The times of the closed form: those of the path, short of T*, and the horizon beyond it."""
    if path.blow_up is None:
        return path.times
    return np.append(path.times[path.times <= path.blow_up * (1 - NEAREST / 4)], horizon)


def tokens_of(mean: np.ndarray, S: np.ndarray, n: int, seed: int) -> np.ndarray:
    """n tokens (n, d) drawn from N(mean, S); S may be singular."""
    weights, basis = np.linalg.eigh(S)
    root = basis * np.sqrt(np.clip(weights, 0, None))
    return mean + np.random.default_rng(seed).standard_normal((n, len(mean))) @ root.T


def _cloud(model: Model, mean: np.ndarray, S0: np.ndarray, times: np.ndarray, n: int, seed: int,
           keep: bool, watch: Callable[[float], None]) -> Cloud:
    run = flow.flow(model, tokens_of(mean, S0, n, seed), times[-1], samples=times, watch=watch)
    depths = len(run.times) if model.d == 1 else min(DEPTHS, len(run.times))
    kept = np.linspace(0, len(run.times) - 1, depths).astype(int)
    some = run.tokens[kept][:, :MOST_KEPT] if keep else None
    spread = run.tokens - run.tokens.mean(1, keepdims=True)
    return Cloud(n, seed, run.times, run.tokens.mean(1),
                 np.einsum("tni,tnj->tij", spread, spread) / n, run.status,
                 run.times[kept], some)
