"""The Kuramoto layer written naively: index by index, with the full T x T x k array of sines.

Deliberately slow and deliberately independent of the fast form: it shares only the parameters.
"""

import cmath
import math
from typing import Any

import numpy as np

from numeric.attention.kuramoto import FULL, Layer, Parameters, Preset


def forward(theta: np.ndarray, parameters: Parameters, preset: Preset = FULL,
            positions: Any = None) -> Layer:
    """One layer, shapes as in `numeric.attention.kuramoto.forward`."""
    tokens, k = theta.shape
    places = list(range(tokens)) if positions is None else [float(p) for p in positions]
    scores = _scores(theta, parameters, preset, places)
    weights = _weights(scores)
    owner = [j // (k // preset.heads) for j in range(k)]
    g = [[sum(weights[owner[j], t, u] * cmath.exp(1j * theta[u, j]) for u in range(t + 1))
          for j in range(k)] for t in range(tokens)]
    increment = _sum_of_sines(theta, weights, owner)
    delta = np.array([_bounded(m, a, parameters.rho, preset.bound)
                      for m, a in zip(_gated(theta, increment, parameters, preset), increment,
                                      strict=True)])
    after = theta + delta
    after = after + np.array([_feedforward(row, parameters, preset) for row in after])
    return Layer(scores, weights, np.real(g), np.imag(g), increment, delta, after)


def _gate(row: np.ndarray, weight: np.ndarray, bias: np.ndarray, on: bool) -> list[float]:
    k = len(row)
    if not on:
        return [1.0] * k
    lift = [math.cos(x) for x in row] + [math.sin(x) for x in row]
    raw = [math.log(1 + math.exp(sum(lift[i] * weight[i, j] for i in range(2 * k)) + bias[j]))
           for j in range(k)]
    return [r / (sum(raw) / k) for r in raw]


def _scores(theta: np.ndarray, parameters: Parameters, preset: Preset,
            places: list) -> np.ndarray:
    tokens, k = theta.shape
    d = k // preset.heads
    gq = [_gate(row, parameters.Wq, parameters.bq, preset.gates) for row in theta]
    gk = [_gate(row, parameters.Wk, parameters.bk, preset.gates) for row in theta]
    omega = parameters.omega if preset.drift else np.zeros(k)
    scores = np.zeros((preset.heads, tokens, tokens))
    for h, t, u in np.ndindex(*scores.shape):
        scores[h, t, u] = parameters.tau[h] / math.sqrt(d) * sum(
            gq[t][j] * gk[u][j]
            * math.cos(theta[t, j] - theta[u, j] + omega[j] * (places[t] - places[u]))
            for j in range(h * d, h * d + d))
    return scores


def _weights(scores: np.ndarray) -> np.ndarray:
    weights = np.zeros_like(scores)
    for h, t in np.ndindex(*scores.shape[:2]):
        top = max(scores[h, t, u] for u in range(t + 1))
        total = sum(math.exp(scores[h, t, u] - top) for u in range(t + 1))
        for u in range(t + 1):
            weights[h, t, u] = math.exp(scores[h, t, u] - top) / total
    return weights


def _sum_of_sines(theta: np.ndarray, weights: np.ndarray, owner: list[int]) -> np.ndarray:
    sines = np.sin(theta[None, :, :] - theta[:, None, :])       # [t, u, j]
    return np.einsum("jtu,tuj->tj", weights[owner], sines)


def _gated(theta: np.ndarray, increment: np.ndarray, parameters: Parameters,
           preset: Preset) -> np.ndarray:
    if not preset.value_gate:
        return increment
    lift = np.hstack([np.cos(theta), np.sin(theta)])
    return (np.einsum("ti,ij->tj", lift, parameters.Wv) + parameters.bv) * increment


def _bounded(m: np.ndarray, a: np.ndarray, rho: float, kind: str) -> np.ndarray:
    square = sum(x * x for x in m) / len(m)
    if kind == "NM-A":
        return np.array([rho * x / math.sqrt(rho * rho + square) for x in m])
    if kind == "NM-B" and square > 0:
        return np.array(m) * math.sqrt(sum(x * x for x in a) / len(a) / square)
    return np.array(m)


def _feedforward(row: np.ndarray, parameters: Parameters, preset: Preset) -> np.ndarray:
    if preset.ffn == "none":
        return np.zeros_like(row)
    x = row if preset.ffn == "raw" else np.array([*map(math.cos, row), *map(math.sin, row)])
    width = parameters.Wa.shape[1]
    up = [sum(x[i] * parameters.Wa[i, f] for i in range(len(x))) for f in range(width)]
    side = [sum(x[i] * parameters.Wb[i, f] for i in range(len(x))) for f in range(width)]
    hidden = [p / (1 + math.exp(-p)) * q for p, q in zip(up, side, strict=True)]
    out = np.array([sum(hidden[f] * parameters.Wo[f, j] for f in range(width))
                    for j in range(len(row))])
    return _bounded(out, out, parameters.rho, "none" if preset.bound == "none" else "NM-A")
