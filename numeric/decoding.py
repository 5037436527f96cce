"""Two constructions about decoding: a sawtooth that unpacks numbers, and a loophole.

`packed_decoder`: m numbers in one, digits to the base about 1/eps; a shallow ReLU net needs about
eps^(1-m) teeth to read the last. `uniform_minima`: without bounds on weights one uniform head and a
net of O(log(T)/eps) units give several minima at once, though its values span hundreds of bits.
Source: ours; the law eps^(1-m) is quoted from InfoFlow (arXiv 2605.17930).
"""

from dataclasses import dataclass
from math import ceil, exp, log, sqrt
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Piecewise:
    """A net with one hidden layer of ReLU units: value + sum_k steps_k relu(facing (p - knots_k)).

    `facing` is 1 or -1. A logarithm is built from the right, where its slopes are small.
    """

    value: float
    knots: np.ndarray
    steps: np.ndarray
    facing: int = 1

    @property
    def units(self) -> int:
        """How many hidden units."""
        return len(self.knots)

    def __call__(self, p: Any) -> np.ndarray:
        p = np.asarray(p, dtype=float)
        return self.value + np.maximum(self.facing * (p[..., None] - self.knots), 0.0) @ self.steps


@dataclass(frozen=True, eq=False)
class Decoder:
    """Packing of m numbers of [0, 1] into one, and a net for each of them."""

    base: int
    nets: tuple[Piecewise, ...]

    def pack(self, a: Any) -> np.ndarray:
        """One number of [0, 1) for the last axis (.., m): digits first, the last in full."""
        a = np.asarray(a, dtype=float)
        B, m = self.base, len(self.nets)
        digits = np.minimum(np.floor(a[..., :-1] * (B - 1)), B - 2)
        places = float(B) ** -np.arange(1, m)
        return digits @ places + a[..., -1] * (1 - 1 / B) * float(B) ** (1 - m)

    def unpack(self, p: Any) -> np.ndarray:
        """The m numbers, each within eps; shape (.., m)."""
        return np.stack([net(p) * self.base / (self.base - 1) for net in self.nets], axis=-1)


def packed_decoder(m: int, eps: float) -> Decoder:
    """Shallow nets that read m numbers from one, to accuracy eps; the last takes 2 B^(m-1) units.

    B = ceil(1/eps) + 2 is the base; its largest digit is left out, so that a tooth may fall there.
    Raises ValueError for m < 1, where a state holds everything and nothing is to be decoded, and
    for eps outside (0, 1) or more than ten million teeth.
    """
    if not 0 < eps < 1 or type(m) is not int or m < 1:
        raise ValueError(f"packed_decoder: found m = {m!r}, eps = {eps!r}; needed a whole m >= 1 "
                         "and 0 < eps < 1: with less than one number a coordinate the cost is "
                         "constant")
    B = ceil(1 / eps) + 2
    if B ** (m - 1) > 10**7:
        raise ValueError(f"packed_decoder: found {B}^{m - 1} teeth; needed at most 10^7: take a "
                         "larger eps or a smaller m")
    return Decoder(B, tuple(_sawtooth(B**j, 1 - 1 / B) for j in range(m)))


def _sawtooth(teeth: int, top: float) -> Piecewise:
    """p -> teeth p - k on [k, k + top]/teeth, then back to 0 at (k + 1)/teeth."""
    k = np.arange(teeth)
    up, down = float(teeth), -teeth * top / (1 - top)
    knots = np.stack([k / teeth, (k + top) / teeth], axis=1).ravel()
    steps = np.tile([up - down, down - up], teeth)
    steps[0] = up
    return Piecewise(0.0, knots, steps)


@dataclass(frozen=True, eq=False)
class Uniform:
    """One uniform head over e^(-beta f), and a net for -log(mean)/beta."""

    beta: float
    net: Piecewise

    def __call__(self, f: Any) -> np.ndarray:
        """The least of each column of f (.., T, n), values in the range that was asked for."""
        return self.net(np.exp(-self.beta * np.asarray(f, dtype=float)).mean(axis=-2))


def uniform_minima(T: int, eps: float, reach: float = 1.0) -> Uniform:
    """All minima of scores in [0, reach] over T tokens, within eps, by one uniform head.

    beta = log(T)/eps, so the soft minimum, moved to the middle of its range log(T)/beta, is off by
    eps/2; the net interpolates the logarithm on a geometric grid, off by eps/2 at most. Values
    span e^(beta reach): the head-count lower bounds of arXiv 2510.06662 need their bound on
    weights. Raises ValueError for T < 2, eps outside (0, 1) or reach <= 0.
    """
    if T < 2 or not 0 < eps < 1 or not reach > 0:
        raise ValueError(f"uniform_minima: found T = {T!r}, eps = {eps!r}, reach = {reach!r}; "
                         "needed T >= 2, 0 < eps < 1 and reach > 0: correct them")
    beta = log(T) / eps
    if beta * reach + log(T) > 700:
        raise ValueError(f"uniform_minima: found values down to e^-{beta * reach + log(T):.0f}; "
                         "needed at most e^-700, or floats underflow: take a larger eps")
    # The chord of log over a ratio e^s is below it by at most s^2/8.
    cells = ceil((beta * reach + log(T)) / sqrt(4 * beta * eps))
    knots = np.exp(np.linspace(-(beta * reach + log(T)), 0.0, cells + 1))
    values = -np.log(knots) / beta - eps / 2
    slopes = np.diff(values) / np.diff(knots)
    return Uniform(beta, Piecewise(float(values[-1]), knots[1:],
                                   np.diff(slopes, append=0.0), -1))


def bits(network: Uniform, reach: float = 1.0) -> float:
    """The dynamic range of the values, in bits."""
    return -log(exp(-network.beta * reach)) / log(2)
