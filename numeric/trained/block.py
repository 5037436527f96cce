"""One softmax block with numbers that can be trained, its two layers as plain functions.

    SA(x)_i = rho x_i + V sum_l softmax_l(<A x_i, x_l>) x_l,   A = left right^T of rank one,
    FF(x)   = eta x + W relu(U x + b)

at temperature 1. All numbers of a block lie in one vector, P = d^2 + 2d + 2 + (2d + 1) width of
them. Layers: arXiv 2502.02270, where FF comes first; the authors' training has SA first.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np


def shapes(d: int, width: int) -> dict[str, tuple[int, ...]]:
    """The parts of a block's vector, in order, with their shapes."""
    return {"left": (d,), "right": (d,), "V": (d, d), "rho": (), "eta": (), "W": (width, d),
            "U": (width, d), "b": (width,)}


def size(d: int, width: int) -> int:
    """How many numbers a block has."""
    return sum(prod(shape) for shape in shapes(d, width).values())


def parts(theta: Any, d: int, width: int) -> dict[str, Any]:
    """The vector (..., P) of a block cut into its parts."""
    found, at = {}, 0
    for name, shape in shapes(d, width).items():
        found[name] = theta[..., at:at + prod(shape)].reshape(theta.shape[:-1] + shape)
        at += prod(shape)
    return found


def joined(found: dict[str, Any], d: int, width: int) -> np.ndarray:
    """The vector of parts: what `parts` undoes. A part that is not named is zero."""
    return np.concatenate([np.broadcast_to(np.asarray(found.get(name, 0.0), float), shape).ravel()
                           for name, shape in shapes(d, width).items()])


def attend(p: dict[str, Any], x: Any, torch: Any, unseen: Any = 0.0) -> Any:
    """SA on sequences (..., n, d). `unseen`, -inf where there is no token, is added to scores."""
    scores = (x @ p["right"])[..., :, None] * (x @ p["left"])[..., None, :] + unseen
    return p["rho"] * x + torch.softmax(scores, -1) @ x @ p["V"].T


def feed(p: dict[str, Any], x: Any, torch: Any) -> Any:
    """FF on tokens (..., d)."""
    return p["eta"] * x + torch.relu(x @ p["U"].T + p["b"]) @ p["W"]


def in_balls(theta: Sequence[float], X: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """FF after SA on one sequence of exact tokens, in balls at the precision in force.

    The numbers of theta are taken as the binary fractions that they are.
    """
    from flint import arb
    d = len(X[0])
    p = parts(np.array([arb(float(t)) for t in theta], dtype=object), d, width)
    x = np.array([[arb(c) for c in token] for token in X], dtype=object)
    left, out = x @ p["left"], []
    for i in range(len(X)):
        query = x[i] @ p["right"]
        mass = np.array([(query * s).exp() for s in left], dtype=object)
        mean = (mass @ x) / mass.sum()
        y = p["rho"] * x[i] + p["V"] @ mean
        hidden = np.array([t.nonnegative_part() for t in p["U"] @ y + p["b"]], dtype=object)
        out.append(list(p["eta"] * y + hidden @ p["W"]))
    return out
