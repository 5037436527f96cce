"""How n tokens approach the Gaussian limit, how flows drift apart, what n tokens fail to conserve.

Moments of n tokens are off by n^{-1/2} while the normaliser of the limit has a second moment, that
is for kappa < 1; for large kappa extreme tokens dominate and the rate of the covariance collapses.
Source: the limit and the form of the stability bound are those of arXiv 2501.18322; the rates, the
constants and kappa are ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric import transport
from numeric.flow import flow
from numeric.gaussian import integrate, velocity
from numeric.law import checked_law, conditional, root
from numeric.model import Model, at, checked_tokens, score
from numeric.solve import solve

TOLERANCE = 1e-7  # relative, of a particle's path: far below the sampling errors measured here


@dataclass(frozen=True)
class Rate:
    """Root mean square errors at time `horizon` for each number of tokens in `counts`.

    `errors` by name: "mean" and "covariance" (Frobenius) of the moments; "moments", W_2 of the
    Gaussians with these moments (a lower bound of W_2 to the limit law); "images", W_2 to the
    images of the same starting points under the limit's flow; at d = 1 also "law", W_2 to the
    limit law. `slopes` are of log error against log n; `kappa` at the start and at the end.
    """

    counts: tuple[int, ...]
    errors: dict[str, np.ndarray]
    slopes: dict[str, float]
    kappa: tuple[float, float]


@dataclass(frozen=True)
class Stability:
    """W_2 of two flows over W_2 at the start, and log C(t, R0) of the bound, at `times`."""

    times: np.ndarray
    ratio: np.ndarray
    log_bound: np.ndarray


def kappa(model: Model, S: Any) -> float:
    """2 lam_max(S^{1/2} A'S A S^{1/2}); over heads the largest.

    Below 1 the normaliser int e^{<Ax, y>} dmu_n has finite mean square error over Gaussian x.
    """
    S = checked_law(model, None, S)[1]
    R = root(S)
    A = score(model).reshape(-1, *S.shape)
    return float(2 * max(np.linalg.norm(R @ a.T @ S @ a @ R, 2) for a in A))


def sample(rng: np.random.Generator, mean: np.ndarray, S: np.ndarray, n: int) -> np.ndarray:
    """n independent tokens (n, d) of N(mean, S)."""
    return mean + rng.normal(size=(n, len(mean))) @ root(S)


def images(model: Model, mean: Any, S: Any, x: Any, horizon: float) -> np.ndarray:
    """Where the flow of N(mean, S) carries the points x (m, d) in the time `horizon`.

    The flow is affine, x(t) = m(t) + F(t) (x - m(0)); F S F' = S(t) alone does not determine F.
    """
    mean, S = checked_law(model, mean, S)
    x = checked_tokens(model, x, "x")
    d = len(mean)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        m, C, F = y[:d], y[d:d + d * d].reshape(d, d), y[d + d * d:].reshape(d, d)
        b, B = velocity(at(model, t), m, (C + C.T) / 2)
        D = B @ C
        return np.concatenate([b, (D + D.T).ravel(), (B @ F).ravel()])
    start = np.concatenate([mean, S.ravel(), np.eye(d).ravel()])
    run = solve(rate, start, np.array([float(horizon)]), lambda y: float(y @ y))
    if run.status != "reached":
        raise ArithmeticError(f"images: horizon: the limit ended at t = {run.times[-1]:.6g} "
                              f"({run.status}); needed it to reach {horizon:g}: shorten it")
    end = run.states[-1]
    return end[:d] + (x - mean) @ end[d + d * d:].reshape(d, d).T


def rate(model: Model, mean: Any, S: Any, horizon: float, counts: Any, repetitions: int,
         rng: np.random.Generator, watch: Callable[[], Any] | None = None) -> Rate:
    """Errors of n tokens against N(m, S) at `horizon`, over `repetitions` fresh samples each.

    `watch` is called after each flow. Raises ValueError naming the argument, ArithmeticError where
    the limit or the tokens do not reach the horizon.
    """
    mean, S = checked_law(model, mean, S)
    limit = integrate(model, mean, S, horizon, 1)
    if limit.status != "reached":
        raise ArithmeticError(f"rate: horizon: the limit ended at t = {limit.times[-1]:.6g} "
                              f"({limit.status}); needed it to reach {horizon:g}: shorten it")
    errors: dict[str, list] = {}
    for n in counts:
        found: dict[str, list] = {}
        for _ in range(repetitions):
            x = sample(rng, mean, S, n)
            for name, error in _errors(model, mean, S, x, horizon, limit).items():
                found.setdefault(name, []).append(error)
            if watch is not None:
                watch()
        for name, values in found.items():
            errors.setdefault(name, []).append(np.sqrt(np.mean(np.square(values))))
    return Rate(tuple(counts), {k: np.array(v) for k, v in errors.items()},
                {k: slope(counts, v) for k, v in errors.items()},
                (kappa(model, S), kappa(model, limit.covariances[-1])))


def _errors(model: Model, mean: np.ndarray, S: np.ndarray, x: np.ndarray, horizon: float,
            limit: Any) -> dict[str, float]:
    path = flow(model, x, horizon, samples=1, rtol=TOLERANCE)
    if path.status != "reached":
        raise ArithmeticError(f"rate: {len(x)} tokens ended at t = {path.times[-1]:.6g} "
                              f"({path.status} {path.note}); needed {horizon:g}: shorten it")
    end, m, C = path.tokens[-1], limit.means[-1], limit.covariances[-1]
    centre, spread = end.mean(0), np.cov(end.T, bias=True).reshape(C.shape)
    errors = {"mean": float(np.linalg.norm(centre - m)),
              "covariance": float(np.linalg.norm(spread - C)),
              "moments": transport.gaussian(centre, spread, m, C),
              "images": transport.wasserstein(end, images(model, mean, S, x, horizon))}
    if len(m) == 1:
        errors["law"] = transport.to_normal(end, m[0], C[0, 0])
    return errors


def slope(counts: Any, errors: Any) -> float:
    """Least squares slope of log error against log n."""
    return float(np.polyfit(np.log(counts), np.log(errors), 1)[0])


def stability(model: Model, x: Any, y: Any, horizon: float, samples: int = 5) -> Stability:
    """W_2 of the flows from x and y (softmax) over its start, beside the doubly exponential bound.

    Supports in B_R: R(t) = R0 e^{|V|t}, Lip_x <= |V||A|R^2, Lip_mu <= |V|(1 + 2|A|R^2)e^{2|A|R^2}
    in W_1 <= W_2, and log C = int_0^t (Lip_x + Lip_mu). Raises ValueError naming the argument.
    """
    from scipy.integrate import cumulative_simpson

    if model.variant != "softmax" or not model.constant:
        raise ValueError(f"stability: variant: found {model.variant!r}; needed softmax with "
                         "constant Q, K, V: the bound is for that field")
    x, y = checked_tokens(model, x, "x"), checked_tokens(model, y, "y")
    paths = [flow(model, z, horizon, samples=samples) for z in (x, y)]
    apart = np.array([transport.wasserstein(p, q) for p, q in
                      zip(*(path.tokens for path in paths), strict=True)])
    v, a = np.linalg.norm(model.V, 2), np.linalg.norm(score(model), 2)
    fine = np.linspace(0, horizon, 200 * (samples - 1) + 1)
    square = max((z**2).sum(1).max() for z in (x, y)) * np.exp(2 * v * fine)
    exponent = 2 * a * square
    lipschitz = v * (a * square + (1 + exponent) * np.exp(np.minimum(exponent, 700)))
    return Stability(paths[0].times, apart / apart[0],
                     cumulative_simpson(lipschitz, x=fine, initial=0)[::200])


def drift(model: Model, mean: Any, S: Any, horizon: float, counts: Any, repetitions: int,
          rng: np.random.Generator, rtol: float = 1e-8,
          watch: Callable[[], Any] | None = None) -> np.ndarray:
    """Root mean square of |S_{|Q}(T) - S_{|Q}(0)| / |S(0)| of n tokens, for each count.

    The Gaussian flows conserve S_{|Q}; of particles only those with an affine field do (linear).
    """
    mean, S = checked_law(model, mean, S)
    found = []
    for n in counts:
        moved = []
        for _ in range(repetitions):
            path = flow(model, sample(rng, mean, S, n), horizon, samples=(0.0, horizon),
                        rtol=rtol)
            before, after = (np.cov(x.T, bias=True).reshape(S.shape)
                             for x in (path.tokens[0], path.tokens[-1]))
            gap = conditional(after, model.Q) - conditional(before, model.Q)
            moved.append(np.linalg.norm(gap) / np.linalg.norm(before))
            if watch is not None:
                watch()
        found.append(np.sqrt(np.mean(np.square(moved))))
    return np.array(found)
