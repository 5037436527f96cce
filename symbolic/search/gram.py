"""Gram matrices: target = sum_G g_G * v_G^T Q_G v_G + sum_j h_j e_j with every Q_G psd, exactly.

A numerical point is made exact by rounding its free entries and solving for the others (Peyrl and
Parrilo, Computing sum of squares decompositions with rational coefficients, TCS 2008), on a face
where only singular matrices fit.
"""

import time
from collections.abc import Callable, Sequence
from fractions import Fraction

from symbolic.search.arithmetic import Poly, plus, primitive
from symbolic.search.blocks import Problem
from symbolic.search.exact import ldl, peeled, pivots, square
from symbolic.search.faces import Centre, centre, faces

WIDEST = 5_000
"""The largest number of Gram entries that is tried."""
DENOMINATORS = (1, 2, 3, 4, 6, 12, 24, 60, 360, 2_520, 10**4, 10**6, 10**8, 10**10)

Squared = tuple[Fraction, tuple[int, ...], Poly]


def solved(
    problem: Problem, deadline: float, accept: Callable[[list[Squared]], bool], depth: int = 6,
) -> tuple[list[Squared], list[Poly]] | None:
    """Exact squares and free multipliers (one polynomial per equality index met), or None.

    `accept` says which squares will do; `depth` bounds how often a face of a face is taken.
    """
    if problem.width > WIDEST or time.monotonic() > deadline:
        return None
    only = peeled(problem.columns, problem.target)
    if only is not None:
        found = _factored(problem, dict(zip(problem.places, only, strict=True)))
        return found if found is not None and accept(found[0]) else None
    pivot = pivots(problem.columns, problem.target)
    if pivot is None:
        return None
    if len(pivot[0]) == len(problem.columns):
        return _rounded(problem, None, pivot[0], accept)
    if (left := deadline - time.monotonic()) < 0:
        return None
    point = centre(problem, left)
    if point is None or point.least < -1e-5 or time.monotonic() > deadline:
        return None
    found = _rounded(problem, point, pivot[0], accept)
    if found is not None or point.least > 1e-2 or not depth:
        return found
    for face in faces(problem, point):
        found = solved(face, deadline, accept, depth - 1)
        if found is not None or time.monotonic() > deadline:
            return found
    return None


def _rounded(problem: Problem, point: Centre | None, lead: Sequence[int], accept):
    """Exact squares near a numerical point: round free entries, solve for the pivots, factor."""
    columns, places = problem.columns, problem.places
    others = sorted(set(range(len(columns))) - set(lead))
    near = {j: _entry(problem, point, places[j]) for j in others}
    tries = DENOMINATORS if others else (1,)
    guesses, rights = [], []
    for under in tries:
        guess = {j: Fraction(round(x * under), under) for j, x in near.items()}
        right = dict(problem.target)
        for j, x in guess.items():
            right = plus(right, columns[j], -x) if x else right
        guesses.append(guess)
        rights.append(right)
    values = square([columns[j] for j in lead], rights)
    for guess, value in zip(guesses, values or (), strict=False):
        guess.update(zip(lead, value, strict=True))
        found = _factored(problem, {places[j]: x for j, x in guess.items()})
        if found is not None and accept(found[0]):
            return found
    return None


def _entry(problem: Problem, point: Centre | None, place: tuple[int, int]) -> float:
    b, k = place
    if point is None:
        return 0.0
    if b < 0:
        return point.free[k]
    i, j, _ = problem.blocks[b].entries[k]
    return point.grams[b][i, j]


def _factored(problem: Problem, values: dict[tuple[int, int], Fraction]):
    """Squares and equality multipliers from exact entries, or None when a block is not psd."""
    import numpy as np

    matrices = []
    for b, block in enumerate(problem.blocks):
        size = len(block.basis)
        matrix = [[Fraction(0)] * size for _ in range(size)]
        for k, (i, j, _) in enumerate(block.entries):
            matrix[i][j] = matrix[j][i] = values[b, k]
        rough = np.array([[float(c) for c in row] for row in matrix])
        if np.linalg.eigvalsh(rough)[0] < -1e-9 * max(1.0, np.abs(rough).max()):
            return None
        matrices.append(matrix)
    squares: list[Squared] = []
    for block, matrix in zip(problem.blocks, matrices, strict=True):
        parts = ldl(matrix)
        if parts is None:
            return None
        for weight, row in parts:
            root: Poly = {}
            for c, u in zip(row, block.basis, strict=True):
                root = plus(root, u, c) if c else root
            content, root = primitive(root)
            squares.append((weight * content**2, block.indices, root))
    return squares, quotients(problem, {k: x for (b, k), x in values.items() if b < 0})


def quotients(problem: Problem, values: dict[int, Fraction]) -> list[Poly]:
    """The multipliers h_j from the values of the free columns."""
    count = 1 + max((j for j, _, _ in problem.free), default=-1)
    found: list[Poly] = [{} for _ in range(count)]
    for k, x in values.items():
        j, a, _ = problem.free[k]
        found[j] = plus(found[j], {a: x})
    return found
