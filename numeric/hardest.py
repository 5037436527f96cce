"""Inputs chosen against the explicit networks: where softmax averages, squares and ties are worst.

Each function yields token arrays X (T, d) in [-1, 1]^d. Ours.
"""

from collections.abc import Iterator
from math import e

import numpy as np

from numeric.retrieval import lambert


def products(d: int, T: int, eps: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Against min_{s,t} x(s).x(t): random, on the sphere, near corners, near ties, all equal, and
    the worst case of a softmax average, one best score and all others (1 + W)/beta above it."""
    yield rng.uniform(-1, 1, (T, d))
    sphere = rng.normal(size=(T, d))
    yield sphere / np.linalg.norm(sphere, axis=1, keepdims=True)
    yield np.sign(rng.normal(size=(T, d))) * (1 - 1e-3 * rng.uniform(size=(T, d)))
    yield np.clip(rng.uniform(-1, 1, d) + 1e-3 * rng.normal(size=(T, d)), -1, 1)
    yield np.ones((T, d))
    W = lambert((T - 1) / e)
    X = np.zeros((T, d))
    X[:, 0] = 1
    X[-1, 0] = 1 - min(1.0, (1 + W) * eps / (3 * max(W, 1.0)))
    yield X


def scores(w: np.ndarray, T: int, eps: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Against the second largest of w.x(t), w of shape (d,), T >= 2: random, the largest twice, all
    equal, near ties, and one best score with all others (1 + W)/beta below it."""
    top = np.sign(w)
    yield rng.uniform(-1, 1, (T, len(w)))
    yield np.concatenate([[top, top], rng.uniform(-1, 1, (T - 2, len(w)))])
    yield np.ones((T, len(w)))
    yield np.clip(rng.uniform(-1, 1, len(w)) + eps * rng.normal(size=(T, len(w))), -1, 1)
    W = lambert((T - 1) / e)
    below = min(1.0, (1 + W) * eps / (2 * max(W, 1.0)))
    yield np.concatenate([[top], np.tile((1 - below) * top, (T - 1, 1))])
