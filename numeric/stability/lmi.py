"""Linear matrix inequalities: rational p with every block G_0 + sum of p_k G_k psd, exactly.

A semidefinite program proposes, rounding makes it rational, and exact elimination accepts: what
comes back is feasible for certain. Where the program is feasible on the boundary only, the blocks'
numerical kernels are guessed as rational vectors u, the equations block(p) u = 0 are solved
exactly, and the search goes on inside that face. None means that nothing was found, and no more.

Source of the rounding into a face: Peyrl and Parrilo (2008), after facial reduction by Borwein and
Wolkowicz (1981).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from numeric.stability.rational import floats, identity, is_psd, kernel

INSIDE = 1e-6           # a margin that rounding to 8 digits cannot lose
FACES = 3               # how often the search may go down to a face
FLAT = 1e-4             # eigenvalues below, relative to the largest, count as zero when guessing


@dataclass(frozen=True)
class Block:
    """G_0 + sum of p_k G_k, wanted positive semidefinite; all (n, n) symmetric and rational."""

    constant: fmpq_mat
    parts: tuple[fmpq_mat, ...]

    def at(self, p: Sequence[fmpq]) -> fmpq_mat:
        """The matrix for these coefficients."""
        return sum((g * x for g, x in zip(self.parts, p, strict=True) if x != 0), self.constant)

    def on(self, basis: fmpq_mat) -> Block:
        """The block seen on the columns of a basis."""
        turned = basis.transpose()
        return Block(turned * self.constant * basis,
                     tuple(turned * g * basis for g in self.parts))


@dataclass(frozen=True)
class Face:
    """The part of the problem that is left: p = origin + directions y, blocks on their faces."""

    origin: fmpq_mat
    directions: fmpq_mat | None
    blocks: tuple[Block, ...]

    def p(self, y: fmpq_mat | None) -> list[fmpq]:
        """The coefficients of a point of the face."""
        if y is None or self.directions is None:
            return self.origin.entries()
        return (self.origin + self.directions * y).entries()


def feasible(blocks: Sequence[Block], tries: Iterable[Sequence[fmpq]] = (),
             bound: float = 1e4) -> list[fmpq] | None:
    """Rational p with every block psd: the first of `tries` that fits, else what is found.

    `bound` limits the size of the entries of p in the search. Raises ValueError without blocks.
    """
    if not blocks:
        raise ValueError("blocks: found none, needed at least one to be feasible for")
    for p in tries:
        if fits(blocks, p):
            return list(p)
    size = len(blocks[0].parts)
    face: Face | None = Face(fmpq_mat(size, 1), identity(size), tuple(blocks))
    for _ in range(FACES + 1):
        if face is None:
            return None
        if face.directions is None or not face.blocks:
            p = face.p(None)
            return p if fits(blocks, p) else None
        y, margin = _proposed(face, bound)
        if y is None or margin < -INSIDE:
            return None
        p = _accepted(face, y, blocks)
        if p is not None:
            return p
        if margin > INSIDE:
            return None
        face = _lower(face, y)
    return None


def fits(blocks: Sequence[Block], p: Sequence[fmpq]) -> bool:
    """Whether every block is psd at p, exactly."""
    return all(is_psd(block.at(p)) for block in blocks)


def _proposed(face: Face, bound: float) -> tuple[np.ndarray | None, float]:
    """Floats that maximise the least eigenvalue of all blocks, up to 1, and that eigenvalue."""
    import cvxpy as cp

    size = face.directions.ncols()
    y, margin = cp.Variable(size), cp.Variable()
    rules = [margin <= 1, cp.norm_inf(y) <= bound]
    for block in face.blocks:
        n = block.constant.nrows()
        scale = max(1.0, *(np.abs(floats(g)).max() for g in (block.constant, *block.parts)))
        flat = np.stack([floats(g).ravel() for g in block.parts], 1) / scale
        matrix = cp.reshape(flat @ y + floats(block.constant).ravel() / scale, (n, n), order="C")
        rules.append((matrix + matrix.T) / 2 - margin * np.eye(n) >> 0)
    problem = cp.Problem(cp.Maximize(margin), rules)
    try:
        problem.solve(solver=cp.CLARABEL)
    except cp.SolverError:
        return None, -np.inf
    if y.value is None or not np.isfinite(y.value).all():
        return None, -np.inf
    return np.asarray(y.value), float(margin.value)


def _accepted(face: Face, y: np.ndarray, blocks: Sequence[Block]) -> list[fmpq] | None:
    """The first rounding of y, from two digits on, at which all blocks are psd exactly."""
    for digits in (1, 10, 100, 10**4, 10**6, 10**8, 10**10):
        near = fmpq_mat([[fmpq(round(float(x) * digits), digits)] for x in y])
        p = face.p(near)
        if fits(blocks, p):
            return p
    return None


def _lower(face: Face, y: np.ndarray) -> Face | None:
    """The face on which the blocks vanish where they nearly vanish at y, or None."""
    rows, values, kept = [], [], []
    for block in face.blocks:
        flat = _flat_vectors(block, y)
        if not flat:
            kept.append(block)
            continue
        u = fmpq_mat(flat).transpose()
        rows += _columns([g * u for g in block.parts])
        values += [-x for x in (block.constant * u).entries()]
        rest = kernel(u.transpose())
        if rest:
            kept.append(block.on(fmpq_mat(rest).transpose()))
    if not rows:
        return None
    found = solved(fmpq_mat(rows), values)
    if found is None:
        return None
    origin, directions = found
    origin = face.origin + face.directions * origin
    if directions is None:
        return Face(origin, None, ())
    moved = tuple(Block(b.at(found[0].entries()),
                        tuple(b.at(column) - b.constant
                              for column in directions.transpose().table())) for b in kept)
    return Face(origin, face.directions * directions, moved)


def _columns(products: list[fmpq_mat]) -> list[list[fmpq]]:
    return [list(row) for row in zip(*(g.entries() for g in products), strict=True)]


def _flat_vectors(block: Block, y: np.ndarray) -> list[list[fmpq]]:
    """Rational guesses for a basis of the kernel of the block at y, by rows in echelon form."""
    parts = sum((floats(g) * x for g, x in zip(block.parts, y, strict=True)),
                floats(block.constant))
    values, vectors = np.linalg.eigh(parts)
    flat = vectors[:, values < FLAT * max(values[-1], FLAT)].T
    rows = flat.copy()
    used: list[int] = []
    for i in range(len(rows)):
        left = np.abs(rows[i:])
        a, b = np.unravel_index(left.argmax(), left.shape)
        rows[[i, i + a]] = rows[[i + a, i]]
        rows[i] /= rows[i, b]
        for k in range(len(rows)):
            if k != i:
                rows[k] -= rows[k, b] * rows[i]
        used.append(int(b))
    near = [[Fraction(float(x)).limit_denominator(1000) for x in row] for row in rows]
    good = [row for row, exact_row in zip(near, rows, strict=True)
            if max(abs(float(x) - y) for x, y in zip(row, exact_row, strict=True)) < 1e-3]
    return [[fmpq(x.numerator, x.denominator) for x in row] for row in good]


def solved(M: fmpq_mat, values: Sequence[fmpq]) -> tuple[fmpq_mat, fmpq_mat | None] | None:
    """(x, N) with M x = values and N a basis of the kernel of M by columns (None: only 0).

    None when there is no solution.
    """
    n = M.ncols()
    reduced, rank = fmpq_mat([[*row, v] for row, v in zip(M.table(), values, strict=True)]).rref()
    table = reduced.table()
    pivots = [next(j for j, x in enumerate(table[i]) if x != 0) for i in range(rank)]
    if n in pivots:
        return None
    x = fmpq_mat(n, 1)
    for i, p in enumerate(pivots):
        x[p, 0] = table[i][n]
    free = kernel(M)
    return x, fmpq_mat(free).transpose() if free else None
