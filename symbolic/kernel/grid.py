"""Matrices of numbers (Fractions or balls): products, inverse, determinant, semidefiniteness."""

from __future__ import annotations

from fractions import Fraction

from symbolic.kernel import ball
from symbolic.kernel.ball import Number, Unsure

Grid = list[list[Number]]


def identity(n: int) -> Grid:
    """The n x n identity."""
    if not 1 <= n <= 40:
        raise Unsure("a matrix size outside 1..40")
    return [[Fraction(i == j) for j in range(n)] for i in range(n)]


def transpose(x: Grid) -> Grid:
    """The transpose."""
    return [list(col) for col in zip(*x, strict=True)]


def product(x: Grid, y: Grid) -> Grid:
    """The matrix product."""
    if len(x[0]) != len(y):
        raise Unsure("matrices of unlike shape")
    return [[_dot(row, col) for col in zip(*y, strict=True)] for row in x]


def kronecker(x: Grid, y: Grid) -> Grid:
    """The Kronecker product."""
    return [[ball.times(a, b) for a in row for b in other] for row in x for other in y]


def vec(x: Grid) -> Grid:
    """The columns of a matrix one below the other."""
    return [[a] for column in zip(*x, strict=True) for a in column]


def _dot(x: list, y: tuple) -> Number:
    out: Number = Fraction(0)
    for a, b in zip(x, y, strict=True):
        out = ball.plus(out, ball.times(a, b))
    return out


def trace(x: Grid) -> Number:
    """The trace of a square matrix."""
    _square(x)
    out: Number = Fraction(0)
    for k, row in enumerate(x):
        out = ball.plus(out, row[k])
    return out


def _square(x: Grid) -> None:
    if len(x) != len(x[0]):
        raise Unsure("a matrix that is not square")


def determinant(x: Grid) -> Number:
    """The determinant, by elimination; Unsure if no pivot is nonzero for sure (balls)."""
    _square(x)
    rows, out = [list(r) for r in x], Fraction(1)
    for k in range(len(rows)):
        pivot = _pivot(rows, k)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot], out = rows[pivot], rows[k], ball.negative(out)
        out = ball.times(out, rows[k][k])
        _clear(rows, k, range(k + 1, len(rows)))
    return out


def _pivot(rows: Grid, k: int) -> int | None:
    """A row with a nonzero entry in column k; None if the column is exactly zero."""
    unsure = False
    for i in range(k, len(rows)):
        entry = rows[i][k]
        if isinstance(entry, Fraction):
            if entry != 0:
                return i
        elif not entry.contains(0):
            return i
        else:
            unsure = True
    if unsure:
        raise Unsure("no pivot that is nonzero for sure")
    return None


def _clear(rows: Grid, k: int, others: range) -> None:
    for i in others:
        factor = ball.over(rows[i][k], rows[k][k])
        rows[i] = [ball.plus(a, ball.negative(ball.times(factor, b)))
                   for a, b in zip(rows[i], rows[k], strict=True)]


def inverse(x: Grid) -> Grid:
    """The inverse, by elimination; Unsure if it is singular or may be."""
    _square(x)
    n = len(x)
    rows = [list(r) + e for r, e in zip(x, identity(n), strict=True)]
    for k in range(n):
        pivot = _pivot(rows, k)
        if pivot is None:
            raise Unsure("a singular matrix has no inverse")
        rows[k], rows[pivot] = rows[pivot], rows[k]
        top = rows[k][k]
        rows[k] = [ball.over(a, top) for a in rows[k]]
        _clear(rows, k, range(k))
        _clear(rows, k, range(k + 1, n))
    return [r[n:] for r in rows]


def same(x: Grid, y: Grid) -> bool:
    """Whether two matrices of rationals are equal; False for balls."""
    return len(x) == len(y) and len(x[0]) == len(y[0]) and all(
        isinstance(a, Fraction) and isinstance(b, Fraction) and a == b
        for r, q in zip(x, y, strict=True) for a, b in zip(r, q, strict=True))


def definite(x: Grid) -> int | None:
    """1 if positive definite, 0 if semidefinite and singular, -1 if neither; exact matrices only.

    None when an entry is a ball. The matrix must be symmetric (else -1).
    """
    if not all(isinstance(a, Fraction) for row in x for a in row):
        return None
    if x != transpose(x):
        return -1
    rows, out = [list(r) for r in x], 1
    for k in range(len(rows)):
        if rows[k][k] < 0:
            return -1
        if rows[k][k] == 0:
            if any(rows[k][j] != 0 for j in range(k, len(rows))):
                return -1
            out = 0
            continue
        _clear(rows, k, range(k + 1, len(rows)))
    return out


def negative_minor(x: Grid) -> bool:
    """Whether a principal minor of order one or two is negative for sure."""
    n = range(len(x))
    for i in n:
        if _below_zero(x[i][i]):
            return True
        for j in range(i):
            minor = determinant([[x[i][i], x[i][j]], [x[j][i], x[j][j]]]) \
                if isinstance(x[i][i], Fraction) and x[i][i] != 0 else ball.plus(
                    ball.times(x[i][i], x[j][j]), ball.negative(ball.times(x[i][j], x[j][i])))
            if _below_zero(minor):
                return True
    return len(x) > 2 and _below_zero(determinant(x))


def _below_zero(x: Number) -> bool:
    try:
        return ball.sign(x) < 0
    except Unsure:
        return False
