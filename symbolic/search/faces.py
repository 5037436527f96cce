"""Numerical Gram matrices and the faces they lie on: what the exact search starts from.

Clarabel solves the semidefinite program; where only singular matrices fit, null vectors are read
off and made rational, and the bases are cut down to what is orthogonal to them (Permenter and
Parrilo, Partial facial reduction, Math. Programming 2018).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from symbolic.search.arithmetic import Monomial, Poly, plus, primitive
from symbolic.search.blocks import Problem, trimmed

STRETCH = 10**6
"""How finely null vectors are compared with integer relations."""


@dataclass(frozen=True)
class Centre:
    """A numerical point: least eigenvalue, Gram and dual matrices per block, free values."""

    least: float
    grams: list
    duals: list
    free: list[float]


def centre(problem: Problem, seconds: float) -> Centre | None:
    """The point of largest least eigenvalue t <= 1 (floats), from Clarabel; None without one."""
    import numpy as np

    scale = float(max(map(abs, problem.target.values()), default=1))
    table = _table(problem)
    keys = {key: i for i, key in enumerate(dict.fromkeys(key for key, _, _ in table))}
    if any(a not in keys for a in problem.target):
        return None
    right = np.zeros(len(keys) + 1 + problem.width)
    right[len(keys)] = 1.0
    for a, c in problem.target.items():
        right[keys[a]] = float(c) / scale
    answer = _clarabel(problem, [(keys[a], j, c) for a, j, c in table], right, seconds)
    if answer is None:
        return None
    x, z = answer
    least, start, after = float(x[problem.width]), 0, len(keys) + 1
    grams, duals = [], []
    for block in problem.blocks:
        size = len(block.basis)
        end = start + size * (size + 1) // 2
        grams.append(scale * (_matrix(x[start:end], size) + least * np.eye(size)))
        duals.append(_matrix(z[after + start:after + end], size))
        start = end
    return Centre(least, grams, duals, [scale * v for v in x[problem.width + 1:]])


def _table(problem: Problem) -> list[tuple[Monomial, int, float]]:
    """(monomial, unknown, coefficient): scaled triangles of Q - t, then t, then free values."""
    table, place, shift = [], 0, {}
    for block in problem.blocks:
        for i, j, entry in block.entries:
            table += [(a, place, float(c) / (1.0 if i == j else 2**0.5)) for a, c in entry.items()]
            place += 1
            if i == j:
                for a, c in entry.items():
                    shift[a] = shift.get(a, 0.0) + float(c)
    table += [(a, place, c) for a, c in shift.items()]
    for _, _, column in problem.free:
        place += 1
        table += [(a, place, float(c)) for a, c in column.items()]
    return table


def _clarabel(problem: Problem, table, right, seconds: float):
    """(x, z): the numerical solution and its dual, or None."""
    import clarabel
    import numpy as np
    from scipy.sparse import csc_matrix

    solver: Any = clarabel                  # a compiled module without type information
    width, height = problem.width, len(right) - 1 - problem.width
    n = width + 1 + len(problem.free)
    table = [*table, (height, width, 1.0), *((height + 1 + k, k, -1.0) for k in range(width))]
    rows, places, entries = zip(*table, strict=True)
    cost = np.zeros(n)
    cost[width] = -1.0
    cones = [solver.ZeroConeT(height), solver.NonnegativeConeT(1)]
    cones += [solver.PSDTriangleConeT(len(b.basis)) for b in problem.blocks]
    settings = solver.DefaultSettings()
    settings.verbose, settings.max_iter, settings.time_limit = False, 100, max(seconds, 0.1)
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    found = solver.DefaultSolver(
        csc_matrix((n, n)), cost, csc_matrix((entries, (rows, places)), shape=(len(right), n)),
        right, cones, settings).solve()
    x, z = np.array(found.x), np.array(found.z)
    if "Infeasible" in str(found.status) or len(x) != n or not np.all(np.isfinite(x)):
        return None
    return x, z


def _matrix(triangle, size: int):
    """The symmetric matrix of a scaled upper triangle, stacked by columns."""
    import numpy as np

    matrix = np.zeros((size, size))
    where = [(i, j) for j in range(size) for i in range(j + 1)]
    for (i, j), x in zip(where, triangle, strict=True):
        matrix[i, j] = matrix[j, i] = x if i == j else x / 2**0.5
    return matrix


def faces(problem: Problem, point: Centre) -> Iterator[Problem]:
    """The problem on faces that the numerical solution may lie on, the likeliest first."""
    seen = set()
    for limit in (None, 1e-6, 1e-4, 1e-3):
        blocks = []
        for block, gram, dual in zip(problem.blocks, point.grams, point.duals, strict=True):
            basis = _restricted(block.basis, gram, dual, limit)
            if basis:
                blocks.append(block if basis == block.basis else replace(block, basis=basis))
        shape = tuple((b.indices, *(frozenset(u.items()) for u in b.basis)) for b in blocks)
        if blocks and shape not in seen and blocks != list(problem.blocks):
            seen.add(shape)
            yield trimmed(replace(problem, blocks=tuple(blocks)))


def _restricted(basis: tuple[Poly, ...], gram, dual, limit: float | None) -> tuple[Poly, ...]:
    """The basis of what is orthogonal to the null vectors, with rational coordinates.

    Null vectors are those the dual matrix exposes (limit None) or those of small eigenvalue.
    """
    import numpy as np

    top = max(1e-9, float(np.abs(gram).max()))
    if limit is None:
        size = max(1e-12, float(np.abs(dual).max()))
        values, vectors = np.linalg.eigh(gram / top - dual / max(size, 1e-3))
        null = values < -1e-3
    else:
        values, vectors = np.linalg.eigh(gram / max(top, 1e-3))
        null = values < limit
    if not null.any():
        return basis
    if null.all():
        return ()
    rows = _rational(vectors[:, ~null].T)
    if rows is None:
        rows = _relations(vectors[:, null])
    found = []
    for row in rows:
        u: Poly = {}
        for c, v in zip(row, basis, strict=True):
            u = plus(u, v, c) if c else u
        found.append(primitive(u)[1])
    return tuple(found)


def _rational(space) -> list[list[Fraction]] | None:
    """A reduced rational basis near the row space (float rows), or None when entries are odd."""
    import numpy as np

    rows = np.array(space, dtype=float)
    used: list[int] = []
    for i in range(len(rows)):
        rest = np.abs(rows[i:]).copy()
        rest[:, used] = 0
        k, j = np.unravel_index(int(rest.argmax()), rest.shape)
        rows[[i, i + k]] = rows[[i + k, i]]
        rows[i] /= rows[i, j]
        for other in range(len(rows)):
            if other != i:
                rows[other] -= rows[other, j] * rows[i]
        used.append(int(j))
    found = [[Fraction(float(x)).limit_denominator(60) for x in row] for row in rows]
    error = max(abs(float(c) - x) for r, row in zip(found, rows, strict=True)
                for c, x in zip(r, row, strict=True))
    return found if error < 2e-4 else None


def _relations(null) -> list[list[int]]:
    """Small integer vectors orthogonal to the float columns `null`, by lattice reduction."""
    from flint import fmpz_mat

    n, k = null.shape
    table = [[int(i == j) for j in range(n)] + [round(STRETCH * x) for x in null[i]]
             for i in range(n)]
    rows = [[int(c) for c in row] for row in fmpz_mat(table).lll().tolist()]
    near = [row[:n] for row in rows
            if max(map(abs, row[:n])) <= 60 and all(abs(c) <= 4 * n for c in row[n:])]
    return sorted(near, key=lambda row: (max(map(abs, row)), row))[:n - k]
