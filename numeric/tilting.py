"""The field of a layer on N(mean, S) by tilting, without the closed formula: on lines or drawn.

Under the kernels of softmax and L2 attention the tilted law is one of independent coordinates z, if
y = mean + L z with LL' = S and (KL)'KL diagonal. So the layer is run on the tokens of one line for
each coordinate, weighted by the density of z on an even grid (error below 1e-12, as the integrand
is analytic), and the displacements add up. Linear attention needs second moments only, which 2d
tokens have exactly. Source: ours.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric.attention import l2, linear, softmax
from numeric.gaussian import coupling
from numeric.law import checked_law
from numeric.model import Model, at, score

REACH, FINE = 9.0, 3.0      # of a line, in standard deviations; grid points to a standard deviation


def field(model: Model, x: Any, mean: Any, S: Any, xp: Any = np, t: float = 0.0) -> Any:
    """Gamma(x), shape (d,), of the law N(mean, S) by the model's layer, in the arrays of xp.

    Sinkhorn's potential is put in as the Gaussian that it makes of N(mean, S), so that only its
    tilt is simulated. Raises ValueError naming the argument; a sigmoid has no such lines.
    """
    mean, S = checked_law(model, mean, S)
    x = np.asarray(x, dtype=float).reshape(-1)
    model = at(model, t)
    if model.variant not in ("softmax", "multihead", "l2", "linear", "sinkhorn"):
        raise ValueError(f"tilting: variant: found {model.variant!r}, under which coordinates do "
                         "not stay independent; needed softmax, multihead, l2, linear or "
                         "sinkhorn: use tilting.sampled")
    if model.variant == "multihead":
        return sum(_on_lines(one, x, mean, S, xp) for one in heads(model))
    if model.variant == "linear":
        L = _root(S) * len(mean) ** 0.5
        return _layer(model, x, np.concatenate([mean + L.T, mean - L.T]), None, xp)
    if model.variant == "sinkhorn":
        model, mean, S = potential(model, mean, S)
    return _on_lines(model, x, mean, S, xp)


def rates(gamma: Callable[[np.ndarray], Any], mean: np.ndarray, S: np.ndarray,
          xp: Any = np) -> tuple[Any, Any]:
    """E gamma (d,) and E[gamma (x - mean)'] plus its transpose (d, d), for x of mean and S.

    Averages over 2d points x with that mean and covariance: exact where gamma is affine.
    """
    L = _root(S) * len(mean) ** 0.5
    sides = np.concatenate([L.T, -L.T])
    moved = xp.stack([gamma(mean + side) for side in sides])
    flow = xp.matmul(moved.T, xp.asarray(sides)) / len(sides)
    return xp.mean(moved, axis=0), flow + flow.T


def sampled(model: Model, x: Any, mean: Any, S: Any, rng: np.random.Generator,
            n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gamma(x) (d,) by the layer on n tokens drawn from N(mean, S), and its standard errors."""
    mean, S = checked_law(model, mean, S)
    x = np.asarray(x, dtype=float).reshape(-1)
    if model.variant == "multihead":
        parts = [sampled(one, x, mean, S, rng, n) for one in heads(model)]
        return sum(p[0] for p in parts), np.sqrt(sum(p[1] ** 2 for p in parts))
    tokens = mean + rng.standard_normal((n, len(mean))) @ _root(S).T
    logs = None
    if model.variant == "sinkhorn":
        model, center, covariance = potential(model, mean, S)
        logs = _log_density(tokens, center, covariance) - _log_density(tokens, mean, S)
    found = _layer(model, x, tokens, logs, np)
    query, key, value = model.Q @ x, tokens @ model.K.T, tokens @ model.V.T
    if model.variant == "linear":
        return found, (key @ query[:, None] * value).std(0) / n**0.5
    total = -((query - key) ** 2).sum(1) if model.variant == "l2" else key @ query
    total = total if logs is None else total + logs
    weight = np.exp(total - total.max())
    spread = (weight / weight.sum())[:, None] * (value - found)
    return found, np.sqrt((spread**2).sum(0))


def heads(model: Model) -> list[Model]:
    """The heads of a multi-head model, as softmax models."""
    return [Model("softmax", *parts) for parts in zip(model.Q, model.K, model.V, strict=True)]


def potential(model: Model, mean: np.ndarray,
              S: np.ndarray) -> tuple[Model, np.ndarray, np.ndarray]:
    """Sinkhorn as softmax with scores <Qx, Ky>/eps on the law N(c, eps T) of its potential.

    T A S A'T + eps T = S keeps the covariance, c = mean - T A mean the mean.
    """
    A = score(model)
    T = coupling(A.T, S, model.eps)
    return Model("softmax", model.Q / model.eps, model.K, model.V), mean - T @ A @ mean, \
        model.eps * T


def _on_lines(model: Model, x: np.ndarray, mean: np.ndarray, S: np.ndarray, xp: Any) -> Any:
    """V mean, and the displacement from it on each of the lines that tilt independently."""
    L = _root(S)
    L = L @ np.linalg.eigh(L.T @ model.K.T @ model.K @ L)[1]
    at_mean = _layer(model, x, mean[None], None, xp)
    found = at_mean
    for axis in L.T:
        z = _grid(model, x, mean, axis)
        found = found + _layer(model, x, mean + z[:, None] * axis, -(z**2) / 2, xp) - at_mean
    return found


def _grid(model: Model, x: np.ndarray, mean: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """An even grid over all that the tilted density of z reaches, with steps to resolve it.

    Its length is a power of two, as JAX compiles anew for every length.
    """
    key, pull, bend = model.K @ axis, model.Q @ x, 0.0
    if model.variant == "l2":
        pull, bend = 2 * (pull - model.K @ mean), 2 * float(key @ key)
    far = float(np.abs(pull @ key)) + REACH
    steps = 2 * far * FINE * (1 + bend) ** 0.5
    return np.linspace(-far, far, 2 ** int(np.ceil(np.log2(steps))))


def _layer(model: Model, x: np.ndarray, tokens: np.ndarray, logs: Any, xp: Any) -> Any:
    """The field at x of the tokens (n, d) with masses exp(logs), or equal ones, by the layer.

    Softmax takes logarithms of masses, which do not underflow far out.
    """
    query, key, value = (xp.asarray(a) for a in (
        (model.Q @ x)[None], tokens @ model.K.T, tokens @ model.V.T))
    if logs is not None and model.variant == "softmax":
        return softmax.forward(query, key, value, 1.0, False, bias=xp.asarray(logs))[0, :]
    weights = None if logs is None else xp.asarray(np.exp(logs) / np.exp(logs).sum())
    layer = {"softmax": softmax, "l2": l2, "linear": linear}[model.variant]
    return layer.forward(query, key, value, 1.0, False, weights=weights)[0, :]


def _log_density(y: np.ndarray, mean: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Up to a constant."""
    return -((y - mean) * np.linalg.solve(S, (y - mean).T).T).sum(1) / 2


def _root(S: np.ndarray) -> np.ndarray:
    """L with LL' = S; S may be singular."""
    w, U = np.linalg.eigh(S)
    return U * np.sqrt(np.maximum(w, 0))
