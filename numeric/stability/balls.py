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
from functools import cached_property

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from numeric.stability.rational import exact, floats, identity, is_psd, symmetric

ORDER, STEP = 30, 0.4       # r h in every step: 0.4^31 is 5e-13, relative, is left out
BITS = 64                   # their rounding, 5e-20, is far below what a step leaves out
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

    A, V, S0 (d, d) rational. Steps shrink in front of a blow-up and never pass it. What is not
    known of S is kept as B r, B a matrix and r a box, and moves by the derivative of the flow; B
    is made orthogonal after each step (Lohner), so that boxes do not grow by being turned.
    """
    A, V, S0 = exact(A), exact(V), exact(S0)
    bound, t = 4 * norm(V) * norm(A), fmpq(0)
    yield Ball(t, S0, fmpq(0))
    if bound == 0 or S0.rank() == 0:
        return
    flow = Flow(A, V, bound, order)
    with ctx.workprec(BITS):
        S = Parallelepiped(column(arb_mat(S0)), flow.identity(), arb_mat(flow.size, 1))
    while True:
        with ctx.workprec(BITS):
            h, S = _step(flow, S)
            t += h
            whole = S.hull()
            if not all(x.is_finite() for x in whole.entries()):
                return
            ball = _ball(t, square(whole))
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


@dataclass(frozen=True)
class Parallelepiped:
    """centre + axes r for r in the box: columns of the entries S_ij, i <= j."""

    centre: arb_mat
    axes: arb_mat
    box: arb_mat

    def hull(self) -> arb_mat:
        """All of it as a column of balls."""
        return self.centre + self.axes * self.box


@dataclass(frozen=True)
class Flow:
    """The equation, in entries S_ij with i <= j; `bound` is 4 |V| |A|, twice the b of the module.

    Linear matrices such as X -> V S A X + V X A S + transpose belong to each S; `slopes` holds
    those of the unit matrices, flat, one column each.
    """

    A: fmpq_mat
    V: fmpq_mat
    bound: fmpq
    order: int

    @property
    def size(self) -> int:
        """The number of entries S_ij with i <= j."""
        d = self.A.nrows()
        return d * (d + 1) // 2

    def identity(self) -> arb_mat:
        """The identity matrix of that size."""
        return arb_mat(identity(self.size))

    @cached_property
    def slopes(self) -> arb_mat:
        """Column s: the flat matrix of X -> V E A X + V X A E + transpose, E unit matrix s."""
        def unit(k: int) -> fmpq_mat:
            return fmpq_mat(square(arb_mat(self.size, 1, [int(i == k) for i in range(self.size)]),
                                   exactly=True))
        units = [unit(k) for k in range(self.size)]
        images = [[column(symmetric(self.V * (e * self.A * x + x * self.A * e)), exactly=True)
                   for x in units] for e in units]
        flat = [[images[s][x][i] for s in range(self.size)]
                for i in range(self.size) for x in range(self.size)]
        return arb_mat(fmpq_mat(flat))


def column(S, exactly: bool = False):
    """The entries S_ij, i <= j, of a symmetric matrix."""
    d = S.nrows()
    cells = [S[i, j] for i in range(d) for j in range(i, d)]
    return cells if exactly else arb_mat(len(cells), 1, cells)


def square(x: arb_mat, exactly: bool = False):
    """The symmetric matrix with these entries."""
    d = int((2 * x.nrows()) ** 0.5)
    place, k = {}, 0
    for i in range(d):
        for j in range(i, d):
            place[i, j] = place[j, i] = k
            k += 1
    cells = [[x[place[i, j], 0] for j in range(d)] for i in range(d)]
    return [[rational(c) for c in row] for row in cells] if exactly else arb_mat(cells)


def _step(flow: Flow, S: Parallelepiped) -> tuple[fmpq, Parallelepiped]:
    """A rational h > 0 and an enclosure of S(t + h)."""
    hull, n = S.hull(), flow.size
    wide, moved, steep = _series(flow, hull)
    rate, size = _majorant([_size(square(x)) for x in wide], flow.bound)
    h = fmpq(*(STEP / rate).as_integer_ratio())
    ratio = arb(rate) * arb(h)
    rest = ratio ** (flow.order + 1) / ((flow.order + 2) ** 2 * (1 - ratio))
    if not rest > 0:
        raise ArithmeticError("the step is not inside the radius of convergence")
    scale = arb(0)
    for k, x in enumerate(steep):
        scale = scale.max((x * (k + 1) ** 2 / arb(rate) ** k).abs_upper())
    centre, _, _ = _series(flow, S.centre, False)
    end = _summed(centre, h) + _around(n, 1, size * rest)
    J = _summed(moved, h) + _around(n, n, scale * rest)
    return h, _turned(end, J * S.axes, S.box)


def _series(flow: Flow, S: arb_mat, derivative: bool = True
            ) -> tuple[list[arb_mat], list[arb_mat], list[arb]]:
    """Taylor coefficients of S, of its derivative by S0, and a bound of each of the latter."""
    n, terms, slopes = flow.size, [S], []
    moved = [flow.identity()] if derivative else []
    for k in range(flow.order):
        slopes.append(arb_mat(n, n, (flow.slopes * terms[k]).entries()))
        total = slopes[0] * terms[k]
        for i in range(1, k + 1):
            total += slopes[i] * terms[k - i]
        terms.append(total / (2 * (k + 1)))
        if derivative:
            total = slopes[0] * moved[k]
            for i in range(1, k + 1):
                total += slopes[i] * moved[k - i]
            moved.append(total / (k + 1))
    return terms, moved, [_steepest(x) for x in moved]


def _steepest(M: arb_mat) -> arb:
    """A bound of the Frobenius norms of the symmetric matrices in the columns."""
    n, table = M.nrows(), M.table()
    return max(((2 * sum((table[i][j].abs_upper() ** 2 for i in range(n)), arb(0))).sqrt()
                .abs_upper() for j in range(M.ncols())), key=lambda x: float(x.mid()))


def _summed(terms: list[arb_mat], h: fmpq) -> arb_mat:
    out = terms[-1]
    for term in reversed(terms[:-1]):
        out = out * arb(h) + term
    return out


def _around(rows: int, columns: int, size: arb) -> arb_mat:
    ball = arb(0, size.abs_upper())
    return arb_mat(rows, columns, [ball] * (rows * columns))


def _turned(end: arb_mat, moved: arb_mat, box: arb_mat) -> Parallelepiped:
    """centre + axes r around end + moved box: the axes orthonormal, the longest edges first."""
    n = end.nrows()
    centre = arb_mat(n, 1, [x.mid() for x in end.entries()])
    edges = np.array([[float(x.mid()) for x in row] for row in moved.table()])
    lengths = np.linalg.norm(edges, axis=0) * [float(x.abs_upper().mid()) for x in box.entries()]
    axes = arb_mat(identity(n))
    if np.isfinite(edges).all() and np.isfinite(lengths).all():
        axes = arb_mat(np.linalg.qr(edges[:, np.argsort(-lengths)])[0].tolist())
    back = axes.inv()
    return Parallelepiped(centre, axes, back * (end - centre) + (back * moved) * box)


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
