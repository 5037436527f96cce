"""The softmax covariance in balls: S' = V S A S + S A^T S V^T from a rational start, enclosed.

Taylor series of the quadratic equation, S(t + h) = sum of S_k h^k, with the coefficients up to
the order N in ball arithmetic and a bound of the rest. Let n_k bound |S_k|_F, b = 2 |V| |A|, so
that (k+1) n_{k+1} <= b sum_{i+j=k} n_i n_j. If

    n_k <= M r^k/(k+1)^2 for k <= N,    and    b M C/(N+1) <= r,    C = pi^2/3 + 4 H_{N+1}/(N+2),

then n_k <= M r^k/(k+1)^2 for all k: sum_{i+j=k} 1/((i+1)(j+1))^2 <= C/(k+2)^2 for k >= N (partial
fractions twice; C falls with N), and induction does the rest. So what is left out is at most
M (r h)^{N+1}/((N+2)^2 (1 - r h)) for r h < 1.

Source: ours; majorants in the manner of Cauchy and Kovalevskaya. Enclosed in balls (python-flint),
which is no verdict of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from numeric.stability.rational import exact, floats, identity, is_psd

ORDER, STEP = 40, 0.1       # r h in every step: 0.1^41 of the size is left out
BITS = 64                   # and four more for each order, two of which balls may eat up
LOST = 1e-2                 # a ball wider than that, relative to its centre, is of no use


@dataclass(frozen=True)
class Ball:
    """All symmetric matrices within `radius` (Frobenius) of the rational `centre`, at time t."""

    t: fmpq
    centre: fmpq_mat
    radius: fmpq


def norm(M: fmpq_mat) -> fmpq:
    """An upper bound of the spectral norm |M|, to eight digits.

    M is rounded to N first, entries moving by e at most: |M| <= |N| + e sqrt(rows columns); then
    u^2 - N^T N is positive semidefinite, exactly.
    """
    if M.rank() == 0:
        return fmpq(0)
    guess, slack = float(np.linalg.norm(floats(M), 2)), 1e-9
    grain = fmpq(*(guess * 2.0**-40).as_integer_ratio())
    N = fmpq_mat([[(x / grain).floor() * grain for x in row] for row in M.table()])
    square = N.transpose() * N if N.ncols() <= N.nrows() else N * N.transpose()
    while True:
        u = fmpq(*(guess * (1 + slack)).as_integer_ratio())
        if is_psd(identity(square.nrows()) * u**2 - square):
            return u + grain * root(fmpq(M.nrows() * M.ncols()))
        slack *= 2


def frobenius(M: fmpq_mat) -> fmpq:
    """An upper bound of the Frobenius norm, to nine digits."""
    return root(sum((x * x for x in M.entries()), fmpq(0)))


def root(x: fmpq) -> fmpq:
    """A rational number above the square root of x >= 0, to nine digits."""
    if x == 0:
        return fmpq(0)
    near = (arb(x).sqrt() * arb("1.000000001")).mid()
    u = rational(near)
    assert u * u >= x
    return u


def rational(x: arb) -> fmpq:
    """The midpoint of a ball, exactly."""
    mantissa, exponent = x.mid().man_exp()
    whole, shift = int(mantissa), int(exponent)
    return fmpq(whole * 2**shift) if shift >= 0 else fmpq(whole, 2**-shift)


def path(A: object, V: object, S0: object, order: int = ORDER) -> Iterator[Ball]:
    """Enclosures of S(t) at growing times t, from S0 on, until the balls get wide.

    A, V, S0 (d, d) rational. Steps shrink in front of a blow-up and never pass it. Balls grow
    about twofold a step, so a higher `order` lasts longer.
    """
    A, V, S0 = exact(A), exact(V), exact(S0)
    bound, t, bits = 2 * norm(V) * norm(A), fmpq(0), BITS + 4 * order
    yield Ball(t, S0, fmpq(0))
    if bound == 0 or S0.rank() == 0:
        return
    with ctx.workprec(bits):
        S, a, v = arb_mat(S0), arb_mat(A), arb_mat(V)
    while True:
        with ctx.workprec(bits):
            h, S = _step(a, v, S, bound, order)
            t += h
            if not all(x.is_finite() for x in S.entries()):
                return
            ball = _ball(t, S)
        if float(arb(ball.radius).mid()) > LOST * float(_size(arb_mat(ball.centre)).mid()):
            return
        yield ball


def _ball(t: fmpq, S: arb_mat) -> Ball:
    """The ball around the midpoints, symmetric."""
    d = S.nrows()
    centre = fmpq_mat([[rational(S[min(i, j), max(i, j)]) for j in range(d)] for i in range(d)])
    gaps = (S - arb_mat(centre)).entries()
    total = sum((x.abs_upper() ** 2 for x in gaps), arb(0))
    return Ball(t, centre, root(rational(total.abs_upper())))


def _step(a: arb_mat, v: arb_mat, S: arb_mat, bound: fmpq, order: int) -> tuple[fmpq, arb_mat]:
    """A rational h > 0 and an enclosure of S(t + h)."""
    terms, left, right = [S], [v * S], [a * S]
    for k in range(order):
        total = left[0] * right[k]
        for i in range(1, k + 1):
            total += left[i] * right[k - i]
        term = (total + total.transpose()) / (k + 1)
        terms.append(term)
        left.append(v * term)
        right.append(a * term)
    rate, size = _majorant([_size(x) for x in terms], bound)
    h = fmpq(*(STEP / rate).as_integer_ratio())
    out = terms[-1]
    for term in reversed(terms[:-1]):
        out = out * arb(h) + term
    ratio = arb(rate) * arb(h)
    rest = size * ratio ** (order + 1) / ((order + 2) ** 2 * (1 - ratio))
    around = arb(0, rest.abs_upper())
    d = S.nrows()
    return h, out + arb_mat(d, d, [around] * d**2)


def _size(M: arb_mat) -> arb:
    return sum((x.abs_upper() ** 2 for x in M.entries()), arb(0)).sqrt().abs_upper()


def _majorant(sizes: list[arb], bound: fmpq) -> tuple[float, arb]:
    """r and M as in the module, r as small as floats find it; verified in balls."""
    order = len(sizes) - 1
    harmonic = sum((arb(1) / k for k in range(1, order + 2)), arb(0))
    slope = arb(bound) * (arb.pi() ** 2 / 3 + 4 * harmonic / (order + 2)) / (order + 1)
    logs = [float(x.log().mid()) + 2 * np.log(k + 1) if x > 0 else -np.inf
            for k, x in enumerate(sizes)]
    lean = float(slope.log().mid()) if slope > 0 else -np.inf
    low, high = -200.0, 200.0
    for _ in range(60):
        r = (low + high) / 2
        tall = max(x - k * r for k, x in enumerate(logs))
        low, high = (low, r) if lean + tall <= r else (r, high)
    rate = float(np.exp(high + 1e-6))
    while True:
        size = arb(0)
        for k, x in enumerate(sizes):
            size = size.max((x * (k + 1) ** 2 / arb(rate) ** k).abs_upper())
        if slope * size < arb(rate):
            return rate, size
        rate *= 1.01
