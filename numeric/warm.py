"""Sums of maxima of bilinear forms by explicit weights of the transformer that is trained.

sum_i c_i max_{s,t} x_s' M_i x_t: in layer 1 head i brings each token s its best partner, the net
multiplies, in layer 2 head i brings CLS the best product. Where an architecture has fewer heads
than forms, the last forms go without: a start that is as good as its heads allow. Ours; the
construction is that of the two-layer network for the least product, with its piecewise linear
squares replaced by GELU's own curvature at 0: gelu(w) + gelu(-w) = sqrt(2/pi) w^2 + O(w^4).
"""

import math
from collections.abc import Sequence

import numpy as np

from numeric import transformer
from numeric.transformer import Architecture

BETA, HIDDEN_CLS, CURVED = 30.0, 200.0, 0.03     # scale of scores, advantage of tokens, of w


def start(forms: Sequence[np.ndarray], weights: Sequence[float], architecture: Architecture,
          rng: np.random.Generator, shift: float = 0.0, scale: float = 1.0) -> dict:
    """Weights of a two-layer transformer for (the sum - shift) / scale; forms M_i are (d, d).

    What the construction leaves free is random in the first of two factors and 0 in the second:
    nothing is added, and everything can be trained. Raises ValueError where the sizes are too
    small.
    """
    a, d, count = architecture, architecture.d, len(forms)
    width, hidden = d + 1 + count * (d + 1), 4 * d * min(a.heads[0], count)
    if len(a.heads) != 2 or a.width < width or a.hidden < hidden or a.head_width < d + 1:
        raise ValueError(
            f"warm start: found {len(a.heads)} layers, width {a.width}, hidden {a.hidden}, heads "
            f"of {a.head_width}; needed 2 layers, width {width}, hidden {hidden}, heads of {d + 1}")
    found = _blank(transformer.initial(architecture, rng))
    found["encoder"][:, :d] = np.eye(d)
    found["encoder_bias"][d] = 1.0           # a flag: 1 on tokens, 0 on CLS
    found["cls"][:] = 0.0
    for i, M in enumerate(forms):
        partner = slice(d + 1 + i * d, d + 1 + (i + 1) * d)
        product = d + 1 + count * d + i
        if i < a.heads[0]:
            _fetch(found, i, np.asarray(M), partner, a)
            _multiply(found, i, np.asarray(M), partner, product, d)
        if i < a.heads[1]:
            _select(found, i, product, d, a)
        found["read"][product, 0] = weights[i] / scale
    found["read_bias"][:] = -shift / scale
    return {name: value.astype(np.float32) for name, value in found.items()}


def _blank(weights: dict) -> dict:
    """Keys, queries, the encoder and all second factors at 0: the heads and nets add nothing."""
    kept = tuple(f"net{k}.up" for k in range(3)) + ("value1", "value2")
    return {name: value if name in kept else np.zeros_like(value)
            for name, value in weights.items()}


def _fetch(found: dict, i: int, M: np.ndarray, partner: slice, a: Architecture) -> None:
    """Head i of layer 1: query M' x_s, key x_t, value x_t into the slot of partners."""
    d, root = a.d, math.sqrt(a.head_width)
    found["query1"][i, :d, :d] = BETA * root * M
    found["query_bias1"][i, 0, d] = HIDDEN_CLS * root
    found["key1"][i, :d, :d] = np.eye(d)
    found["key1"][i, d, d] = 1.0
    found["value1"][i] = 0.0
    found["value1"][i, :d, :d] = np.eye(d)
    found["out1"][i, :d, partner] = np.eye(d)


def _multiply(found: dict, i: int, M: np.ndarray, partner: slice, product: int, d: int) -> None:
    """Four units a coordinate: u v = ((u + v)^2 - (u - v)^2) / 4 with u = (M' x)_j, v = a_j."""
    up, down = found["net1.up"], found["net1.down"]
    size = 4 * CURVED**2 * math.sqrt(2 / math.pi)
    for j in range(d):
        for k, (plus, turn) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
            unit = 4 * (i * d + j) + k
            up[:, unit] = 0.0
            up[:d, unit] = turn * CURVED * M[:, j]
            up[partner.start + j, unit] = turn * plus * CURVED
            down[unit, product] = plus / size


def _select(found: dict, i: int, product: int, d: int, a: Architecture) -> None:
    """Head i of layer 2: CLS asks for the largest product, and adds it to its own, which is 0."""
    root = math.sqrt(a.head_width)
    found["query_bias2"][i, 0, :2] = BETA * root, HIDDEN_CLS * root
    found["key2"][i, product, 0] = 1.0
    found["key2"][i, d, 1] = 1.0
    found["value2"][i] = 0.0
    found["value2"][i, product, 0] = 1.0
    found["out2"][i, 0, product] = 1.0
