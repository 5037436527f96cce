"""Blow-up times of the softmax covariance in closed form, between two exact decisions.

Where V commutes with S0 and with B = V A + A^T V^T (V = I always does), the covariance is
S(t) = R (I - t R B R)^{-1} R with R = S0^{1/2}; so it lives until T* = 1/lam_max(R B R), for ever
when that eigenvalue is not positive. Written S0 = L D L^T with D > 0 diagonal, the eigenvalues of
R B R other than zero are those of D^{1/2} L^T B L D^{1/2}; hence for t > 0

    t <= T*  exactly when  G(t) = D^{-1} - t L^T B L  is positive semidefinite,

and no root is taken. Source: the closed form for V = I is spec claim C5, ours; sizes in `d`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat

from numeric.stability.definite import Decision, decide, term
from numeric.stability.rational import (
    exact,
    floats,
    identity,
    is_psd,
    is_symmetric,
    squares,
    symmetric,
)
from symbolic.claim import Claim
from symbolic.writing import text

WIDTH = fmpq(1, 10**11)   # relative; the issue asks for 1e-10


@dataclass(frozen=True)
class BlowUp:
    """low <= T* <= high, each end with the kernel's decision that proves it.

    `high` is None when the covariance never blows up; `lower` then decides -L^T B L psd.
    """

    low: fmpq | None
    high: fmpq | None
    lower: Decision
    upper: Decision | None

    @property
    def holds(self) -> bool:
        """Whether the kernel granted both ends."""
        return self.lower.holds is True and (self.upper is None or self.upper.holds is False)

    @property
    def limit_rank(self) -> int | None:
        """The rank of S(oo) = R E R, E the projector on the kernel of R B R <= 0; None with T*."""
        if self.upper is not None:
            return None
        return self.lower.matrix.nrows() - self.lower.matrix.rank()

    def claims(self, name: str) -> tuple[Claim, ...]:
        """Both ends as claims of a page."""
        if self.upper is None:
            return (self.lower.claim(f"{name}.never", "The covariance never blows up."),)
        low, high = (text(term(x)) for x in (self.low, self.high))
        return (self.lower.claim(f"{name}.lower", f"The covariance lives until {low} at least."),
                self.upper.claim(f"{name}.upper", f"It blows up at {high} at the latest."))


def blow_up_time(A: object, S0: object, V: object = None, width: fmpq = WIDTH) -> BlowUp:
    """The blow-up time of S' = V S A S + S A^T S V^T between close rationals.

    A, V (d, d), S0 (d, d) psd, all rational (floats are taken exactly); V = None is the identity;
    `width` is the relative distance of the ends.
    Raises ValueError, naming the argument, for shapes that do not fit, an S0 that is not psd, and
    a V that does not commute with S0 and with V A + A^T V^T: `general.blow_up_time` is for those.
    """
    A, S0 = exact(A), exact(S0)
    d = A.nrows()
    V = identity(d) if V is None else exact(V)
    drift = _drift(A, S0, V)
    parts = squares(S0)
    if parts is None:
        raise ValueError("S0: found a negative direction, needed a positive semidefinite matrix")
    if not parts:
        return BlowUp(None, None, decide(identity(d)), None)
    rows = fmpq_mat([row for _, row in parts])
    pull = rows * drift * rows.transpose()
    inverse = fmpq_mat([[1 / parts[i][0] if i == j else fmpq(0) for j in range(len(parts))]
                        for i in range(len(parts))])
    if is_psd(-pull):
        return BlowUp(None, None, decide(-pull), None)
    low, high = bisected(lambda t: is_psd(inverse - pull * t), _guess(inverse, pull), width)
    return BlowUp(low, high, decide(inverse - pull * low), decide(inverse - pull * high))


def _drift(A: fmpq_mat, S0: fmpq_mat, V: fmpq_mat) -> fmpq_mat:
    d = A.nrows()
    for name, M in (("A", A), ("S0", S0), ("V", V)):
        if (M.nrows(), M.ncols()) != (d, d):
            raise ValueError(f"{name}: found a {M.nrows()} x {M.ncols()} matrix, needed {d} x {d}")
    if not is_symmetric(S0):
        raise ValueError("S0: found a matrix that is not symmetric, needed a covariance")
    drift = symmetric(V * A)
    for name, M in (("S0", S0), ("V A + A^T V^T", drift)):
        if V * M != M * V:
            raise ValueError(f"V: found one that does not commute with {name}; the closed form "
                             "needs that. Use numeric.stability.general.blow_up_time")
    return drift


def _guess(inverse: fmpq_mat, pull: fmpq_mat) -> float:
    root = np.diag(1 / np.sqrt(np.diag(floats(inverse))))
    return 1 / float(np.linalg.eigvalsh(root @ floats(pull) @ root)[-1])


def bisected(holds: Callable[[fmpq], bool], guess: float, width: fmpq) -> tuple[fmpq, fmpq]:
    """low < high <= low (1 + width) with `holds` at low and not at high, near a guess > 0.

    `holds` must change from true to false once on (0, oo); the float guess only saves work.
    """
    scale = fmpq(*guess.as_integer_ratio()) if np.isfinite(guess) and guess > 0 else fmpq(1)
    gap = width / 4
    low = high = scale
    while not holds(low):
        low, gap = low / (1 + gap), gap * 2
    gap = width / 4
    while holds(high):
        high, gap = high * (1 + gap), gap * 2
    low, high = _short(low, width / 16, -1), _short(high, width / 16, 1)
    while high > low * (1 + width):
        middle = _short((low + high) / 2, width / 16, 1)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def _short(x: fmpq, width: fmpq, side: int) -> fmpq:
    """A number with few digits beyond x, at a relative distance below `width`."""
    step = fmpq(1)
    while step > x * width:
        step /= 2
    while step * 2 <= x * width:
        step *= 2
    return ((x / step).ceil() if side > 0 else (x / step).floor()) * step
