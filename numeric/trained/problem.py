"""A dataset that one softmax block is known to interpolate, so that training has a yardstick.

The teacher attends to all tokens alike (A = 0, rho = 0, V = I), so that each sequence becomes one
point, the image of its mean. Tokens and teacher are rationals, hence so are the targets: the
teacher interpolates exactly, its loss is 0 and not about 0. Setting: ours, after the experiment of
arXiv 2502.02270.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from numeric.trained import block

GRID = 2**10                # tokens and teacher are whole multiples of 1/GRID: exact as floats
BITS = 128                  # of the balls: 75 more than a float has


@dataclass(frozen=True)
class Problem:
    """N sequences of n tokens in R^d, a block of `width` neurons; everything follows from `seed`.

    Raises ValueError for a size below 1.
    """

    N: int = 4
    n: int = 5
    d: int = 2
    width: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.N, self.n, self.d, self.width) < 1:
            raise ValueError(f"found N={self.N} sequences of n={self.n} tokens in dimension "
                             f"d={self.d}, width={self.width}; needed numbers of at least 1")

    @property
    def P(self) -> int:
        """The number of parameters."""
        return block.size(self.d, self.width)

    @cached_property
    def drawn(self) -> tuple[np.ndarray, np.ndarray]:
        """Tokens (N, n, d), uniform in [-1, 1], and the teacher (P,), W, U, b uniform in [0, 1]."""
        rng, d, w = np.random.default_rng([17, self.seed]), self.d, self.width
        X = rng.integers(-GRID, GRID + 1, (self.N, self.n, d)) / GRID
        W, U, b = (rng.integers(0, GRID + 1, s) / GRID for s in ((w, d), (w, d), (w,)))
        return X, block.joined({"V": np.eye(d), "eta": 1, "W": W, "U": U, "b": b}, d, w)

    @property
    def teacher(self) -> np.ndarray:
        """theta*, an exact interpolant."""
        return self.drawn[1]

    @cached_property
    def tokens(self) -> list[list[list[Any]]]:
        """The inputs as rationals."""
        from flint import fmpq
        return [[[fmpq(*float(c).as_integer_ratio()) for c in x] for x in X]
                for X in self.drawn[0]]

    @cached_property
    def targets(self) -> list[list[Any]]:
        """y_1, ..., y_N as rationals: the teacher on the means of the sequences."""
        return [_image(X, block.parts(self.teacher, self.d, self.width)) for X in self.tokens]

    @cached_property
    def bound(self) -> Any:
        """B = |theta*|^2, a rational."""
        return squares(self.teacher)

    def residual(self, torch: Any) -> Any:
        """theta (P,) -> (T(X) - Y)/sqrt(N n), flat: the loss is its squared norm.

        The loss is the mean over all tokens of the squared distance to the target, and vanishes
        exactly where T(X_j) = {y_j} for all j.
        """
        X = torch.tensor(self.drawn[0])
        Y = torch.tensor([[int(c.p) / int(c.q) for c in y] for y in self.targets],
                         dtype=X.dtype)[:, None, :]

        def of(theta: Any) -> Any:
            p = block.parts(theta, self.d, self.width)
            out = block.feed(p, block.attend(p, X, torch), torch)
            return ((out - Y) / (self.N * self.n) ** 0.5).reshape(-1)
        return of

    def loss(self, theta: Any) -> Any:
        """l(theta) as a ball, for the parameters as the binary fractions that they are."""
        from flint import arb, ctx
        with ctx.workprec(BITS):
            total = arb(0)
            for X, y in zip(self.tokens, self.targets, strict=True):
                for out in block.in_balls(theta, X, self.width):
                    total += sum(((a - b) * (a - b) for a, b in zip(out, y, strict=True)), arb(0))
            return total / (self.N * self.n)


def squares(theta: Any) -> Any:
    """|theta|^2 as the rational that it is."""
    from flint import fmpq
    return sum((fmpq(*float(t).as_integer_ratio()) ** 2 for t in theta), fmpq(0))


def _image(X: list, p: dict) -> list:
    """The teacher's one output point, in rationals."""
    from flint import fmpq

    def exact(a: Any) -> Any:
        return fmpq(*float(a).as_integer_ratio())
    mean = [sum((x[k] for x in X), fmpq(0)) / len(X) for k in range(len(X[0]))]
    out = list(mean)
    for w, u, b in zip(p["W"], p["U"], p["b"], strict=True):
        value = exact(b) + sum((exact(c) * m for c, m in zip(u, mean, strict=True)), fmpq(0))
        if value > 0:
            out = [c + exact(a) * value for c, a in zip(out, w, strict=True)]
    return out
