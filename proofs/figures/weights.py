"""The weights and starts of the transformer-PDE paper's figures, drawn as its authors drew them.

Seeds, sizes and laws are read off the public code of Castin, Ablin, Carrillo and Peyre (arXiv
2501.18322), which uses NumPy's legacy generator; it gives the same numbers here. Scores are divided
by sqrt(k) for softmax and L2 (there K'K is not) and in each head, and not for Sinkhorn, as there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric.model import Model

HEADS = 2


def of(variant: str, Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Model:
    """The model of one variant; multi-head splits the rows of Q, K and V among two heads."""
    if variant == "sinkhorn":
        return Model(variant, Q, K, V)
    if variant != "multihead":
        return Model(variant, Q / np.sqrt(Q.shape[1]), K, V)
    k = V.shape[0] // HEADS
    parts = [slice(k * h, k * (h + 1)) for h in range(HEADS) if k * h < len(Q)]
    one = np.eye(len(V))
    return Model(variant, np.stack([Q[p] for p in parts]) / np.sqrt(k),
                 np.stack([K[p] for p in parts]),
                 np.stack([one[p].T @ V[p] for p in parts]))


def to_zero() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q uniform, K = -Q, V = WW', all 2 x 2."""
    rng = np.random.RandomState(35)
    Q, W = rng.random_sample((2, 2)), rng.standard_normal((2, 2))
    return Q, -Q, W @ W.T


def one_query() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q a unit row, K = -Q, V = 1: one direction of the plane is seen."""
    q = np.random.RandomState(36).standard_normal((1, 2))
    q /= np.linalg.norm(q)
    return q, -q, np.eye(2)


def indefinite(seed: int, skipped: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, K with A + A' indefinite, and V normal from a seed after some skipped numbers."""
    Q, K = _first(36, lambda w: w[0] * w[1] < 0)
    rng = np.random.RandomState(seed)
    rng.standard_normal(skipped)
    return Q, K, rng.standard_normal((2, 2))


def positive() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, K with A + A' positive definite, and V = 1."""
    return *_first(33, lambda w: w[0] > 0), np.eye(2)


def _first(seed: int, holds: Callable[[np.ndarray], bool]) -> tuple[np.ndarray, np.ndarray]:
    """The first normal Q, K whose symmetric part A + A' has such eigenvalues."""
    rng = np.random.RandomState(seed)
    while True:
        Q, K = rng.standard_normal((2, 2)), rng.standard_normal((2, 2))
        if holds(np.linalg.eigvalsh(K.T @ Q + Q.T @ K)):
            return Q, K


@dataclass(frozen=True)
class Draw:
    """One random case of a histogram: Q (d//2, d), V (d, d), and G with S0 = GG'."""

    Q: np.ndarray
    V: np.ndarray
    G: np.ndarray


def draws(d: int, count: int, seed_of_V: int | None) -> Iterator[Draw]:
    """`count` cases of dimension d: Q and G normal, V = 1, or W'W with W normal from a seed.

    The seeds run through d = 3, 4, 5 in turn, a hundred each.
    """
    rng = np.random.RandomState(40)
    queries = {e: [rng.standard_normal((e // 2, e)) for _ in range(100)] for e in (3, 4, 5)}[d]
    rng = np.random.RandomState(seed_of_V)
    values = {e: [rng.standard_normal((e, e)) for _ in range(100)] for e in (3, 4, 5)}[d]
    rng = np.random.RandomState(41)
    for Q, W in zip(queries[:count], values, strict=False):
        yield Draw(Q, np.eye(d) if seed_of_V is None else W.T @ W, rng.standard_normal((d, d)))


def described(Q: Any, K: Any, V: Any) -> dict[str, list]:
    """The weights as plain lists, for the record of settings."""
    return {"Q": Q.tolist(), "K": K.tolist(), "V": V.tolist()}
