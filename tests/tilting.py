"""The field of a Gaussian law by tilted sampling, with its standard error: no formula of ours."""

import numpy as np

from numeric.law import root
from numeric.model import Model


def heads(model: Model) -> list[tuple]:
    """(Q, K, V) of each head; one for a variant without heads."""
    if model.variant == "multihead":
        return list(zip(model.Q, model.K, model.V, strict=True))
    return [(model.Q, model.K, model.V)]


def tilted(model: Model, mean, S, x, rng, n: int) -> tuple:
    """Gamma(x) from n draws y, its standard error a coordinate, and the draws (n, d).

    A quotient's error is that of the mean of w (Vy - Gamma)/mean(w) (delta method).
    """
    y = np.asarray(mean) + rng.normal(size=(n, len(mean))) @ root(np.asarray(S, dtype=float))
    total, pull = np.zeros(len(mean)), np.zeros((n, len(mean)))
    for Q, K, V in heads(model):
        query, key, value = Q @ x, y @ K.T, y @ V.T
        if model.variant == "linear":
            each = value * (key @ query)[:, None]
            total, pull = total + each.mean(0), pull + each - each.mean(0)
            continue
        score = -((query - key) ** 2).sum(1) if model.variant == "l2" else key @ query
        w = np.exp(score - score.max())
        gamma = w @ value / w.sum()
        total, pull = total + gamma, pull + (w / w.mean())[:, None] * (value - gamma)
    return total, pull.std(0) / np.sqrt(n), y
