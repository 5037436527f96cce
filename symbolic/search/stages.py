"""The stages of a search for squares: which products, which bases, which degrees, in turn.

Signs first, then for growing sets a linear program over products and binomial squares, then Gram
matrices. Bases respect every grading and sign symmetry of the input.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import log2

from symbolic.search.arithmetic import (
    Monomial,
    Poly,
    constant,
    degree,
    degrees,
    monomials,
    moved,
    plus,
    product,
    scaled,
    times,
    variable,
)
from symbolic.search.blocks import Block, Problem, trimmed
from symbolic.search.exact import orthogonal, parities
from symbolic.search.gram import WIDEST, Squared, quotients, solved
from symbolic.search.linear import vertex

STAGES = ((0, 0, True), (0, 1, True), (0, 2, True), (0, 2, False), (1, 2, False), (2, 2, False),
          (4, 2, False))
"""(extra degree, most multipliers in a product, whether degrees are bounded per variable)."""


@dataclass(frozen=True)
class Question:
    """What is asked, cleaned: exponents >= 0 everywhere. `strict` None when no margin is wanted.

    `minus` holds factors that may be used with a constant weight (their index is -1 - position);
    `room` is how far degrees may exceed the target's from the start.
    """

    target: Poly
    m: int
    multipliers: tuple[Poly, ...]
    equalities: tuple[Poly, ...]
    strict: tuple[int, ...] | None
    deadline: float
    minus: tuple[Poly, ...] = ()
    room: int = 0

    def name(self, indices: Sequence[int]) -> Poly:
        """The product of the multipliers at the indices."""
        return product([self.multipliers[i] for i in indices], self.m)


def staged(question: Question) -> tuple[list[Squared], list[Poly]] | None:
    """Signs, then a linear program and Gram matrices for growing sets of products."""
    def accept(squares: list[Squared]) -> bool:
        return question.strict is None or any(
            degree(r) == 0 and set(i) <= set(question.strict) for _, i, r in squares)

    if (found := _signs(question)) is not None and accept(found):
        return found, []
    seen = set()
    for stage in STAGES:
        if time.monotonic() > question.deadline:
            return None
        problem = _problem(question, *stage)
        if problem.width > WIDEST or time.monotonic() > question.deadline:
            continue
        problem = trimmed(problem)
        shape = (problem.blocks and tuple((b.indices, len(b.basis)) for b in problem.blocks),
                 len(problem.free))
        if shape in seen or time.monotonic() > question.deadline:
            continue
        seen.add(shape)
        found = None if _tight(problem) else _linear(question, problem, stage[0], stage[1])
        if found is None:
            found = solved(problem, question.deadline, accept)
        if found is not None and accept(found[0]):
            return found
    return None


def _tight(problem: Problem) -> bool:
    """Whether there are no more unknowns than monomials: then one Gram matrix at most may fit."""
    count = problem.width + len(problem.free)
    return count <= len({a for c in problem.columns for a in c})


def _signs(question: Question) -> list[Squared] | None:
    """p has positive coefficients only, on monomials that are >= 0 by their exponents."""
    m = question.m
    place = {next(iter(g)): i for i, g in enumerate(question.multipliers)
             if len(g) == 1 and sum(next(iter(g))) == 1 and next(iter(g.values())) == 1}
    at = [place.get(next(iter(variable(m, i))), -1) for i in range(m)]
    squares: list[Squared] = []
    for a, c in question.target.items():
        indices = tuple(at[i] for i in range(m) if a[i] % 2)
        if c < 0 or -1 in indices:
            return None
        if question.strict is not None and all(at[i] in question.strict for i in range(m) if a[i]):
            full = tuple(at[i] for i in range(m) for _ in range(a[i]))
            squares.append((c, full, constant(m)))
        else:
            squares.append((c, indices, {tuple(k // 2 for k in a): Fraction(1)}))
    return squares


def _problem(question: Question, extra: int, size: int, bounded: bool) -> Problem:
    """The blocks and free columns of one stage."""
    target, m = question.target, question.m
    top = degree(target) + question.room + extra
    tops = tuple(d + question.room for d in degrees(target, m)) if bounded else (top,) * m
    supports = [q for q in (target, *question.minus, *question.multipliers, *question.equalities)
                if q]
    grades = orthogonal([tuple(map(int.__sub__, a, next(iter(q)))) for q in supports for a in q], m)
    signs = parities([a for q in supports for a in q], m)
    sizes = _sizes(target, m)
    blocks = []
    for indices in _products(question, size):
        factor = question.name(indices)
        classes: dict[tuple, list[Poly]] = {}
        for u in _basis(target, m, factor, top, tops, grades):
            classes.setdefault(_parity(signs, u), []).append({u: sizes(u)})
        blocks += [Block(indices, factor, tuple(b)) for b in classes.values()]
    blocks += _margins(question, top, grades) + _minus(question, grades)
    return Problem(target, tuple(blocks), _free(question, top, grades, signs))


def _free(question: Question, top: int, grades, signs) -> tuple[tuple[int, Monomial, Poly], ...]:
    """The multiples of equalities of fitting degree, grading and sign symmetry."""
    anchor, found = next(iter(question.target), None), []
    for j, e in enumerate(question.equalities):
        for a in monomials(question.m, top - degree(e)) if e and top >= degree(e) else ():
            whole = moved(e, a)
            some = next(iter(whole))
            if (anchor is None or _level(grades, some, anchor)) and not any(_parity(signs, some)):
                found.append((j, a, whole))
    return tuple(found)


def _parity(signs: Sequence[int], a: Monomial) -> tuple[int, ...]:
    """How a monomial behaves under each sign symmetry (bit masks of variables)."""
    return tuple(sum(k for i, k in enumerate(a) if s >> i & 1) % 2 for s in signs)


def _sizes(target: Poly, m: int) -> Callable[[Monomial], Fraction]:
    """Powers of two that even out coefficients when x_i is measured in other units."""
    logs = {a: log2(abs(c)) for a, c in target.items()}
    if not logs or max(logs.values()) - min(logs.values()) < 12:
        return lambda u: Fraction(1)
    import numpy as np

    table = np.array([[*a, 1.0] for a in logs], dtype=float)
    slopes = np.linalg.lstsq(table, np.array(list(logs.values())), rcond=None)[0]
    steps = [round(s) for s in slopes[:m]]
    return lambda u: Fraction(2) ** sum(map(int.__mul__, steps, u))


def _level(grades, a: Monomial, b: Monomial) -> bool:
    """Whether two monomials agree in every grading."""
    return all(sum(w * (x - y) for w, x, y in zip(g, a, b, strict=True)) == 0 for g in grades)


def _products(question: Question, size: int) -> list[tuple[int, ...]]:
    """Which multipliers are multiplied: up to `size`, and any number that are variables."""
    count = len(question.multipliers)
    size = min(size, 2 if count <= 40 else 1)
    found = [c for k in range(size + 1) for c in combinations(range(count), k)]
    plain = [i for i, g in enumerate(question.multipliers)
             if len(g) == 1 and sum(next(iter(g))) == 1]
    if size == 2 and 2 < len(plain) <= 5:
        found += [c for k in range(3, len(plain) + 1) for c in combinations(plain, k)]
    return found


def _basis(target, m, factor, top, tops, grades) -> list[Monomial]:
    """Monomials u with factor * u^2 of fitting degree in every variable and grading."""
    if not factor or degree(factor) > top:
        return []
    most = [(t - d) // 2 for t, d in zip(tops, degrees(factor, m), strict=True)]
    if min(most, default=0) < 0:
        return []
    some, anchor = next(iter(factor)), next(iter(target), (0,) * m)
    return [u for u in monomials(m, (top - degree(factor)) // 2)
            if all(map(int.__le__, u, most))
            and _level(grades, tuple(f + 2 * k for f, k in zip(some, u, strict=True)), anchor)]


def _margins(question: Question, top: int, grades) -> list[Block]:
    """Constants on products of strict multipliers, whose weights show that p > 0."""
    if question.strict is None:
        return []
    anchor = next(iter(question.target), (0,) * question.m)
    blocks = []
    for size in range(min(top, 4) + 1):
        for indices in combinations_with_replacement(question.strict, size):
            factor = question.name(indices)
            if factor and degree(factor) <= top and _level(grades, next(iter(factor)), anchor):
                blocks.append(Block(indices, factor, (constant(question.m),), margin=True))
            if len(blocks) >= 60:
                return blocks
    return blocks


def _minus(question: Question, grades) -> list[Block]:
    """The factors of constant weight that fit the gradings."""
    anchor = next(iter(question.target), (0,) * question.m)
    return [Block((-1 - k,), q, (constant(question.m),)) for k, q in enumerate(question.minus)
            if q and _level(grades, next(iter(q)), anchor)]


def _linear(question: Question, problem: Problem, extra: int, size: int):
    """A linear program: products of multipliers, monomial squares and binomial squares."""
    if problem.width > 2_500:
        return None
    names, columns = _binomials(problem, (1, 2) if problem.width < 300 else (1,))
    if size:
        _handelman(question, degree(question.target) + extra, names, columns)
    margin = None
    if question.strict is not None:
        margin = [k for k, (_, i, r) in enumerate(names)
                  if degree(r) == 0 and set(i) <= set(question.strict)]
    free = [column for _, _, column in problem.free]
    found = vertex(columns, free, problem.target, margin,
                   min(2.0, (question.deadline - time.monotonic()) / 2))
    if found is None:
        return None
    squares = [(x, *names[k][1:]) for k, x in sorted(found[0].items())]
    return squares, quotients(problem, found[1])


def _binomials(problem: Problem, factors: Sequence[int]) -> tuple[list[Squared], list[Poly]]:
    """The squares of a u + b v over each block's basis, a and |b| among the factors."""
    names: list[Squared] = []
    columns: list[Poly] = []
    pairs = [(a, b * s) for a in factors for b in factors for s in (1, -1) if a == 1 or b == 1]
    for block in problem.blocks:
        table = {(i, j): entry for i, j, entry in block.entries}
        for i, j in table:
            u, v = block.basis[i], block.basis[j]
            if i == j:
                names.append((Fraction(1), block.indices, u))
                columns.append(table[i, i])
                continue
            for a, b in pairs:
                names.append((Fraction(1), block.indices, plus(scaled(u, a), v, b)))
                column = plus(scaled(table[i, i], a * a), table[j, j], b * b)
                columns.append(plus(column, table[i, j], a * b))
    return names, columns


def _handelman(question: Question, top: int, names: list[Squared], columns: list[Poly]) -> None:
    """Adds products of powers of the multipliers, up to the degree `top`."""
    known = {(indices, frozenset(r.items())) for _, indices, r in names}
    added = 0
    for size in range(1, top + 1):
        for indices in combinations_with_replacement(range(len(question.multipliers)), size):
            if sum(degree(question.multipliers[i]) for i in indices) > top:
                continue
            odd = tuple(i for i in sorted(set(indices)) if indices.count(i) % 2)
            root = question.name([i for i in sorted(set(indices))
                                  for _ in range(indices.count(i) // 2)])
            if (odd, frozenset(root.items())) not in known:
                names.append((Fraction(1), odd, root))
                columns.append(times(question.name(odd), times(root, root)))
                added += 1
            if added > 500:
                return
