"""Matrices of rational numbers: G = sum of d_i l_i l_i^T with d_i > 0, or w with w^T G w < 0.

Sources: symmetric elimination (Lagrange); Schur complements (Haynsworth). Matrices are python-flint
`fmpq_mat`, which never round.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat


def number(x: object) -> fmpq:
    """A rational number out of an integer, a fraction, a text such as "3/2", or a float (exactly).

    Raises TypeError for anything else and ValueError for an infinity or nan.
    """
    if isinstance(x, fmpq):
        return x
    if isinstance(x, (int, Fraction, str, float, np.integer, np.floating)):
        f = Fraction(x if isinstance(x, (Fraction, str)) else x.item()
                     if isinstance(x, np.generic) else x)
        return fmpq(f.numerator, f.denominator)
    raise TypeError(f"{x!r} is no rational number: give integers, fractions, texts or floats")


def exact(rows: object) -> fmpq_mat:
    """The matrix of rational numbers with these rows: nested lists, an array, or one already.

    Raises ValueError for rows of unlike lengths or no entry at all.
    """
    if isinstance(rows, fmpq_mat):
        return rows
    cells = [[number(x) for x in row] for row in rows]
    if not cells or not cells[0] or len({len(row) for row in cells}) > 1:
        raise ValueError("found rows of unlike or no length, needed a matrix of rational numbers")
    return fmpq_mat(cells)


def rounded(array: object, denominator: int = 1000) -> fmpq_mat:
    """The nearest matrix whose entries are whole multiples of 1/denominator."""
    array = np.asarray(array, dtype=float)
    if array.ndim != 2 or not np.isfinite(array).all():
        raise ValueError("found an array that is no finite matrix, needed one to round")
    return fmpq_mat([[fmpq(round(float(x) * denominator), denominator) for x in row]
                     for row in array])


def floats(G: fmpq_mat) -> np.ndarray:
    """The nearest floats, entry by entry."""
    return np.array([[int(x.p) / int(x.q) for x in row] for row in G.table()])


def identity(n: int) -> fmpq_mat:
    """The identity matrix."""
    return fmpq_mat([[int(i == j) for j in range(n)] for i in range(n)])


def symmetric(G: fmpq_mat) -> fmpq_mat:
    """G + G^T."""
    return G + G.transpose()


def is_symmetric(G: fmpq_mat) -> bool:
    """Whether G = G^T."""
    return G.nrows() == G.ncols() and G.transpose() == G


def blocks(parts: Sequence[Sequence[fmpq_mat]]) -> fmpq_mat:
    """The block matrix of a table of matrices."""
    return fmpq_mat([sum((part.table()[i] for part in row), [])
                     for row in parts for i in range(row[0].nrows())])


def squares(G: fmpq_mat) -> list[tuple[fmpq, list[fmpq]]] | None:
    """(d_i, l_i) with d_i > 0 and G = sum of d_i l_i l_i^T, or None when G is not psd.

    G (n, n) symmetric; the number of squares is its rank.
    """
    found, failing = _eliminated(G)
    return None if failing else found


def witness(G: fmpq_mat) -> list[fmpq] | None:
    """A vector w with w^T G w < 0, or None when G is positive semidefinite."""
    found, failing = _eliminated(G)
    if failing is None:
        return None
    w = failing
    for _, row in reversed(found):
        pivot = next(k for k, x in enumerate(row) if x != 0)
        w[pivot] = -sum((x * y for k, (x, y) in enumerate(zip(row, w, strict=True))
                         if k > pivot), fmpq(0))
    return _short(G, w)


def _short(G: fmpq_mat, w: list[fmpq]) -> list[fmpq]:
    """Fewer digits for w while w^T G w < 0 stays true."""
    size = max(abs(x) for x in w)
    for digits in (1, 10, 1000, 10**6):
        near = [fmpq((x / size * digits + fmpq(1, 2)).floor(), digits) for x in w]
        if value(G, near) < 0:
            return near
    return w


def value(G: fmpq_mat, w: list[fmpq]) -> fmpq:
    """w^T G w."""
    column = fmpq_mat([[x] for x in w])
    return (column.transpose() * G * column)[0, 0]


def _eliminated(G: fmpq_mat) -> tuple[list[tuple[fmpq, list[fmpq]]], list[fmpq] | None]:
    """The squares found, and where elimination fails a vector on which what is left is < 0."""
    if not is_symmetric(G):
        raise ValueError("found a matrix that is not symmetric, needed a symmetric one")
    rest, n, found = G.table(), G.nrows(), []
    for i in range(n):
        d = rest[i][i]
        if d < 0:
            return found, [fmpq(int(k == i)) for k in range(n)]
        if d == 0:
            j = next((j for j in range(i + 1, n) if rest[i][j] != 0), None)
            if j is None:
                continue
            bad = [fmpq(int(k == j)) for k in range(n)]
            bad[i] = -(rest[j][j] + 1) / (2 * rest[i][j])
            return found, bad
        row = [fmpq(0)] * i + [x / d for x in rest[i][i:]]
        for a in range(i, n):
            if row[a] != 0:
                rest[a] = [x - d * row[a] * y for x, y in zip(rest[a], row, strict=True)]
        found.append((d, row))
    return found, None


def is_psd(G: fmpq_mat) -> bool:
    """Whether G is symmetric and positive semidefinite: a quick look, no verdict."""
    return is_symmetric(G) and _eliminated(G)[1] is None


def is_definite(G: fmpq_mat) -> bool:
    """Whether G is symmetric and positive definite: a quick look, no verdict."""
    found = squares(G) if is_symmetric(G) else None
    return found is not None and len(found) == G.nrows()


def conditional(S: fmpq_mat, Q: fmpq_mat) -> fmpq_mat:
    """S_{|Q} = S - S Q^T (Q S Q^T)^+ Q S, the covariance of x given Q x.

    S (d, d) psd, Q (k, d). Any solution X of (Q S Q^T) X = Q S gives it, so dependent rows of Q S
    are left out instead of forming a pseudo-inverse.
    """
    kept = independent(Q * S)
    if not kept:
        return S
    q = fmpq_mat([Q.table()[i] for i in kept])
    y = q * S
    return S - y.transpose() * (y * q.transpose()).inv() * y


def independent(rows: fmpq_mat) -> list[int]:
    """Indices of rows that are a basis of the row space, the earliest ones."""
    reduced, rank = rows.transpose().rref()
    table = reduced.table()
    return [next(j for j, x in enumerate(table[i]) if x != 0) for i in range(rank)]


def kernel(G: fmpq_mat) -> list[list[fmpq]]:
    """A basis of the vectors x with G x = 0."""
    reduced, rank = G.rref()
    table, n = reduced.table(), G.ncols()
    pivots = [next(j for j, x in enumerate(table[i]) if x != 0) for i in range(rank)]
    basis = []
    for free in sorted(set(range(n)) - set(pivots)):
        x = [fmpq(int(j == free)) for j in range(n)]
        for i, p in enumerate(pivots):
            x[p] = -table[i][free]
        basis.append(x)
    return basis
