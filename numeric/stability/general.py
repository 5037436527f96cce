"""Where a softmax covariance goes, for general V: enclosed blow-up times, and limiting ranks.

`blow_up_time` follows S(t) in balls until a trap closes; `limit_rank` tries the certificate for
every start first. Each answer is a theorem under decided hypotheses, or "undecided" with the
reason. Facts used (spec claims C6, C8, C9, ours): every field of the form f(Q x) leaves
S_{|Q} = S - S Q^T (Q S Q^T)^+ Q S as it is, and S >= S_{|Q}. So wherever S stays bounded and
Q S -> 0, each limit point S* has rank S_{|Q} <= rank S* <= d - rank Q; for S0 > 0 the ends meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
from flint import fmpq, fmpq_mat

from numeric.stability import blowup
from numeric.stability.balls import Ball, norm, path
from numeric.stability.blowup import BlowUp
from numeric.stability.dissipation import Dissipation, dissipation
from numeric.stability.rational import conditional, exact, floats, is_symmetric, squares, symmetric
from numeric.stability.traps import burst, sink

STEPS, EVERY = 400, 10
WIDTH = fmpq(1, 1000)


@dataclass(frozen=True)
class Enclosure:
    """low <= T* <= high; `high` is None where `reason` says why the end is undecided.

    `by` is "balls", or "closed form" with the kernel's verdicts of `blowup`. An answer without
    `high` still has low as a lower bound of T*.
    """

    low: fmpq
    high: fmpq | None
    reason: str = ""
    by: str = "balls"


@dataclass(frozen=True)
class Limit:
    """`status` "rank", "blows up" or "undecided"; `by` says on what it rests.

    "closed form": exact, for this start (V commutes, see `blowup`; `blow_up` bounds T*);
    "certificate": exact, for every start (`certificate` holds the kernel's verdicts); "balls": for
    this start. `conditional` is S_{|Q}, exact.
    """

    status: str
    rank: int | None
    conditional: fmpq_mat
    by: str = ""
    certificate: Dissipation | None = None
    blow_up: tuple[fmpq, fmpq] | None = None
    reason: str = ""


def blow_up_time(A: object, S0: object, V: object, width: fmpq = WIDTH, steps: int = STEPS
                 ) -> Enclosure:
    """T* of S' = V S A S + S A^T S V^T enclosed to the relative `width`, or undecided.

    A, V (d, d), S0 (d, d) psd, rational. Raises ValueError naming the argument.
    """
    A, S0, V = _checked(A, S0, V)
    exactly = _closed(A, S0, V)
    if exactly is not None and exactly.high is not None:
        return Enclosure(exactly.low, exactly.high, by="closed form")
    if exactly is not None:
        return Enclosure(fmpq(0), None, "it never blows up", "closed form")
    last = Ball(fmpq(0), S0, fmpq(0))
    for ball in _looks(A, V, S0, steps):
        last = ball
        found = burst(A, V, ball)
        if found is not None and found[1] <= found[0] * (1 + width):
            return Enclosure(*found)
    return Enclosure(_lower(A, V, last), None, _why(last, steps))


def limit_rank(K: object, Q: object, V: object, S0: object, steps: int = STEPS) -> Limit:
    """The limiting rank under softmax attention with A = K^T Q, where it can be certified.

    K, Q (k, d), V (d, d), S0 (d, d) psd, rational. Raises ValueError naming the argument.
    """
    K, Q = exact(K), exact(Q)
    if (K.nrows(), K.ncols()) != (Q.nrows(), Q.ncols()):
        raise ValueError(f"K: found {K.nrows()} x {K.ncols()}, Q is {Q.nrows()} x {Q.ncols()}; "
                         "needed the same shape (k, d)")
    A, S0, V = _checked(K.transpose() * Q, S0, V)
    kept, top = conditional(S0, Q), Q.ncols() - Q.rank()
    settled = kept.rank() == top
    short = f"Q S -> 0, but the rank is only known to lie in [{kept.rank()}, {top}]"
    exactly = _closed(A, S0, V)
    if exactly is not None and exactly.high is not None:
        return Limit("blows up", None, kept, "closed form", blow_up=(exactly.low, exactly.high))
    if exactly is not None:
        return Limit("rank", exactly.limit_rank, kept, "closed form")
    found = dissipation(A, V, Q)
    if found is not None and found.holds:
        if settled:
            return Limit("rank", top, kept, "certificate", found)
        return Limit("undecided", None, kept, "certificate", found, reason=short)
    last = Ball(fmpq(0), S0, fmpq(0))
    for ball in _looks(A, V, S0, steps):
        last = ball
        if sink(K, Q, V, ball) is not None:
            return Limit("rank" if settled else "undecided", top if settled else None, kept,
                         "balls", reason="" if settled else short)
        times = burst(A, V, ball)
        if times is not None:
            return Limit("blows up", None, kept, "balls", blow_up=times)
    return Limit("undecided", None, kept, reason=_why(last, steps))


def bounds(A: np.ndarray, V: np.ndarray, S0: np.ndarray) -> tuple[float, float]:
    """C9 in floats: 1/(2 |V| |A| |S0|) <= T* <= |w|^2/(2 lam a w^T S0 w), oo where that is void.

    a is the least eigenvalue of (A + A^T)/2, w runs through the real left eigenvectors of V with
    an eigenvalue lam > 0; the best is taken. Numbers, not a certificate.
    """
    low = 1 / (2 * np.linalg.norm(V, 2) * np.linalg.norm(A, 2) * np.linalg.norm(S0, 2))
    a = np.linalg.eigvalsh((A + A.T) / 2)[0]
    values, vectors = np.linalg.eig(V.T)
    real = (values.imag == 0) & (values.real > 0)
    found = [w @ w / (2 * lam * a * (w @ S0 @ w)) for lam, w in
             zip(values.real[real], vectors.real.T[real], strict=True)
             if a > 0 and w @ S0 @ w > 0]
    return low, min(found, default=np.inf)


def _looks(A: fmpq_mat, V: fmpq_mat, S0: fmpq_mat, steps: int):
    """Every tenth ball of the path, and the last one."""
    last, shown = None, None
    for i, ball in enumerate(islice(path(A, V, S0), steps + 1)):
        last = ball
        if i % EVERY == 0:
            shown = ball
            yield ball
    if last is not shown:
        yield last


def _closed(A: fmpq_mat, S0: fmpq_mat, V: fmpq_mat) -> BlowUp | None:
    """The closed form's answer where V commutes with what it must, and the kernel grants it."""
    drift = symmetric(V * A)
    if V * S0 != S0 * V or V * drift != drift * V:
        return None
    found = blowup.blow_up_time(A, S0, V)
    return found if found.holds else None


def _lower(A: fmpq_mat, V: fmpq_mat, ball: Ball) -> fmpq:
    """T* >= t1 + 1/(2 |V| |A| |S(t1)|), C9 from where the path ends."""
    size = 2 * norm(V) * norm(A) * (norm(ball.centre) + ball.radius)
    return ball.t + (1 / size if size > 0 else fmpq(0))


def _why(ball: Ball, steps: int) -> str:
    size = float(np.trace(floats(ball.centre)))
    time = int(ball.t.p) / int(ball.t.q)
    wide = int(ball.radius.p) / int(ball.radius.q) > 1e-4 * size
    ended = "the balls grew too wide" if wide else f"{steps} steps were used up"
    return f"no trap closed until t = {time:.4g}, trace {size:.3g}: {ended}"


def _checked(A: object, S0: object, V: object) -> tuple[fmpq_mat, fmpq_mat, fmpq_mat]:
    A, S0, V = exact(A), exact(S0), exact(V)
    d = A.ncols()
    for name, M in (("A", A), ("S0", S0), ("V", V)):
        if (M.nrows(), M.ncols()) != (d, d):
            raise ValueError(f"{name}: found a {M.nrows()} x {M.ncols()} matrix, needed {d} x {d}")
    if not is_symmetric(S0) or squares(S0) is None:
        raise ValueError("S0: found a matrix that is not symmetric and positive semidefinite, "
                         "needed a covariance")
    return A, S0, V
