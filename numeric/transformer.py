"""The transformer of the head-count and InfoFlow papers: read at a class token, no normalisation.

Positions 1..T carry tokens x(t) in R^d, position T+1 the class token CLS. State z in R^E, heads of
width n, residual connections, GELU nets of F hidden units after the encoder and after each layer,
a linear read-out at CLS. Any array of the array API; weights are a dictionary of arrays. Source:
arXiv 2510.06662 and 2605.17930; the encoder's and the read-out's sizes are ours.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from numeric.attention import softmax


@dataclass(frozen=True)
class Architecture:
    """Sizes: `heads` a layer, E = `width`, n = `head_width`, F = `hidden`, d = `d`.

    `positions` T gives every token a learned vector of its place; 0 leaves places unknown.
    `outputs` numbers are read at CLS.
    """

    d: int
    heads: tuple[int, ...]
    width: int
    head_width: int = 8
    hidden: int = 64
    positions: int = 0
    outputs: int = 1

    def __post_init__(self) -> None:
        if not self.heads or min(*self.heads, self.d, self.width, self.head_width,
                                 self.hidden, self.outputs) < 1:
            raise ValueError(f"Architecture: found {self}; needed one layer or more, each with a "
                             "head or more, and sizes of at least 1")

    def parameters(self) -> int:
        """How many numbers are trained."""
        e, f, n = self.width, self.hidden, self.head_width
        net = 2 * e * f + f + e
        layers = sum(h * (4 * e * n + n) + e + net for h in self.heads)
        return (self.d + 1) * e + e + self.positions * e + net + layers + (e + 1) * self.outputs


def initial(architecture: Architecture, rng: np.random.Generator,
            gain: float = 1.0) -> dict[str, np.ndarray]:
    """Weights in single precision, normal of variance 1/inputs; `gain` multiplies queries and
    keys, for without it heads start so flat that selecting takes thousands of steps to learn."""
    a = architecture
    e, f, n = a.width, a.hidden, a.head_width

    def normal(*shape: int, scale: float = 1.0) -> np.ndarray:
        return (scale * rng.normal(size=shape) / math.sqrt(shape[-2])).astype(np.float32)

    def net(name: str) -> dict[str, np.ndarray]:
        return {f"{name}.up": normal(e, f), f"{name}.up_bias": np.zeros(f, np.float32),
                f"{name}.down": normal(f, e, scale=0.5),
                f"{name}.down_bias": np.zeros(e, np.float32)}
    weights = {"encoder": normal(a.d, e), "encoder_bias": np.zeros(e, np.float32),
               "cls": normal(1, e)[0], **net("net0")}
    if a.positions:
        weights["places"] = 0.5 * normal(1, a.positions, e)[0]
    for k, h in enumerate(a.heads, 1):
        weights |= {f"query{k}": normal(h, e, n, scale=gain),
                    f"query_bias{k}": np.zeros((h, 1, n), np.float32),
                    f"key{k}": normal(h, e, n, scale=gain), f"value{k}": normal(h, e, n),
                    f"out{k}": normal(h, n, e, scale=h**-0.5),
                    f"out_bias{k}": np.zeros(e, np.float32), **net(f"net{k}")}
    return weights | {"read": normal(e, a.outputs),
                      "read_bias": np.zeros(a.outputs, np.float32)}


def forward(weights: Mapping[str, Any], x: Any) -> Any:
    """The outputs (B, m) for tokens x (B, T, d), read at CLS."""
    return layers(weights, x)[-1].state[:, 0, :] @ weights["read"] + weights["read_bias"]


@dataclass(frozen=True)
class Layer:
    """What a layer computes: attention (B, h, queries, T+1), the states after its heads, and
    after its net, (B, queries, E). Queries are all T+1 positions, CLS alone in the last layer."""

    attention: Any
    mixed: Any
    state: Any


def layers(weights: Mapping[str, Any], x: Any) -> list[Layer]:
    """The layers, first to last; nothing reads what the last would compute off CLS."""
    xp = array_namespace(x)
    z = x @ weights["encoder"] + weights["encoder_bias"]
    if "places" in weights:
        z = z + weights["places"]
    cls = xp.broadcast_to(weights["cls"], (x.shape[0], 1, weights["cls"].shape[-1]))
    z = _net(weights, "net0", xp.concat([z, cls], axis=1))
    found: list[Layer] = []
    last = sum(name.startswith("query_bias") for name in weights)
    for k in range(1, last + 1):
        here = z[:, -1:, :] if k == last else z
        attention = _attention(weights, k, here, z)
        moved = xp.matmul(attention, z[:, None] @ weights[f"value{k}"]) @ weights[f"out{k}"]
        mixed = here + xp.sum(moved, axis=1) + weights[f"out_bias{k}"]
        z = _net(weights, f"net{k}", mixed)
        found.append(Layer(attention, mixed, z))
    return found


def _attention(weights: Mapping[str, Any], k: int, here: Any, z: Any) -> Any:
    """All heads of layer k at once; every query sees every position."""
    xp = array_namespace(z)
    query = here[:, None] @ weights[f"query{k}"] + weights[f"query_bias{k}"]
    key = z[:, None] @ weights[f"key{k}"]
    score = xp.matmul(query, xp.matrix_transpose(key)) * key.shape[-1] ** -0.5
    return softmax.attention(score, causal=False)


def _net(weights: Mapping[str, Any], name: str, z: Any) -> Any:
    """z + down(gelu(up z)), GELU by its usual tanh form."""
    xp = array_namespace(z)
    u = z @ weights[f"{name}.up"] + weights[f"{name}.up_bias"]
    u = 0.5 * u * (1 + xp.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))
    return z + u @ weights[f"{name}.down"] + weights[f"{name}.down_bias"]
