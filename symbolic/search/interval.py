"""Certificates of nonnegativity on an interval for polynomials in one variable.

p = s0 + (x-a) s1 + (b-x) s2 + (x-a)(b-x) s3 with sums of squares s (Markov-Lukacs, see Powers and
Reznick, Polynomials that are positive on an interval, Trans. AMS 352, 2000): a Bernstein expansion,
a Gram matrix, or squares from complex roots. Ends are rational, or None for an infinite end.
"""

import time
from collections.abc import Sequence
from fractions import Fraction
from math import comb

from symbolic.search.arithmetic import (
    Poly,
    clean,
    composed,
    constant,
    plus,
    power,
    primitive,
    product,
    times,
)
from symbolic.search.gram import Squared
from symbolic.search.one_variable import (
    End,
    degree_of,
    dense,
    divided,
    nonnegative,
    positive,
    rational,
    sparse,
    squarefree,
)
from symbolic.search.squares import Squares, expanded, sum_of_squares
from symbolic.search.two_squares import on_interval


def ends(low: End, high: End) -> list[Poly]:
    """The multipliers of an interval in the order certificates use: x - low, then high - x."""
    left = [] if low is None else [sparse([Fraction(-low), Fraction(1)])]
    return left + ([] if high is None else [sparse([Fraction(high), Fraction(-1)])])


def certificate(
    p: Poly, low: End = None, high: End = None, seconds: float = 10.0,
    strict: Sequence[int] | None = None,
) -> Squares | None:
    """p as a sum of squares with multipliers `ends(low, high)`, or None when p < 0 somewhere.

    `strict` (positions of ends that are left out of the interval) asks for a square
    (weight, strict indices, 1), which proves p > 0 there. None also when the search fails.
    """
    p = clean(p)
    if not nonnegative(p, low, high):
        return None
    limits, deadline = ends(low, high), time.monotonic() + seconds
    if strict is None:
        squares = _core(p, low, high, deadline) if p else []
    else:
        squares = _strictly(p, low, high, deadline, set(strict))
    if squares is None:
        return None
    found = Squares(tuple(squares), (), constant(1))
    return found if expanded(found, limits, (), 1) == p else None


def _strictly(p: Poly, low: End, high: End, deadline: float, strict: set) -> list[Squared] | None:
    """A margin on the ends' factors, and the rest."""
    limits, indices, rest = ends(low, high), [], p
    for i in strict:
        while rest and not (split := divided(rest, limits[i]))[1]:
            rest, indices = split[0], [*indices, i]
    if not positive(rest, low, high):
        return None
    margin = Fraction(1)
    while not nonnegative(plus(rest, constant(1, -margin)), low, high):
        margin /= 2
    margin = margin if margin < 1 or degree_of(rest) == 0 else margin / 2
    left = plus(rest, constant(1, -margin / 2))
    squares = _core(left, low, high, deadline) if left else []
    if squares is None:
        return None
    odd, root = _split(indices, limits)
    return [(margin / 2, tuple(sorted(indices)), constant(1)),
            *(_joined(square, odd, root, limits) for square in squares)]


def _split(indices: Sequence[int], limits: Sequence[Poly]) -> tuple[tuple[int, ...], Poly]:
    """(indices of odd count, root) with prod limits = prod of the odd ones * root^2."""
    odd = tuple(i for i in sorted(set(indices)) if indices.count(i) % 2)
    root = product([power(limits[i], indices.count(i) // 2, 1) for i in set(indices)], 1)
    return odd, root


def _joined(square: Squared, indices: tuple, root: Poly, limits: Sequence[Poly]) -> Squared:
    """The square times prod limits at `indices` times root^2."""
    weight, others, inner = square
    odd, more = _split([*others, *indices], limits)
    content, whole = primitive(times(times(inner, root), more))
    return weight * content**2, odd, whole


def _core(p: Poly, low: End, high: End, deadline: float) -> list[Squared] | None:
    """Squares for a nonzero p >= 0: double roots and roots at the ends are split off."""
    root = constant(1)
    for i, factor in enumerate(squarefree(p), start=1):
        root = times(root, power(factor, i // 2, 1))
    rest, indices = divided(p, times(root, root))[0], []
    limits = ends(low, high)
    for i, limit in enumerate(limits):
        if not (split := divided(rest, limit))[1]:
            rest, indices = split[0], [*indices, i]
    squares = _positive(rest, low, high, deadline)
    if squares is None:
        return None
    return [_joined(square, tuple(indices), root, limits) for square in squares]


def _positive(p: Poly, low: End, high: End, deadline: float) -> list[Squared] | None:
    """Squares for p > 0 on the closed interval (simple roots outside only)."""
    found = None
    if low is not None and high is not None:
        found = _bernstein(p, low, high)
    if found is None:
        found = _gram(p, low, high, min(deadline, time.monotonic() + 2))
    return on_interval(p, low, high, deadline) if found is None else found


def _bernstein(p: Poly, low: End, high: End) -> list[Squared] | None:
    """Nonnegative coefficients in powers of (x - low) and (high - x), of some raised degree."""
    span = rational(high) - rational(low)
    inner = dense(composed(p, [sparse([rational(low), span])], 1))
    limits = ends(low, high)
    for top in range(degree_of(p), 2 * degree_of(p) + 5):
        terms = [sum(Fraction(comb(j, k), comb(top, k)) * c
                     for k, c in enumerate(inner[:j + 1])) for j in range(top + 1)]
        if min(terms) >= 0:
            return [_joined((c * comb(top, j) / span**top, (), constant(1)),
                            (0,) * j + (1,) * (top - j), constant(1), limits)
                    for j, c in enumerate(terms) if c]
    return None


def _gram(p: Poly, low: End, high: End, deadline: float) -> list[Squared] | None:
    """The general search after an affine change of the variable to (-1, 1), (0, oo) or R."""
    one = Fraction(1)
    if low is not None and high is not None:
        half = (rational(high) - low) / 2
        image, back = [rational(low) + half, half], [-1 - low / half, 1 / half]
        limits, speeds = [sparse([one, one]), sparse([one, -one])], [1 / half, 1 / half]
    elif low is None and high is None:
        image, back, limits, speeds = [0 * one, one], [0 * one, one], [], []
    elif low is not None:
        image, back = [rational(low), one], [-rational(low), one]
        limits, speeds = [sparse([0 * one, one])], [one]
    else:
        image, back = [rational(high), -one], [rational(high), -one]
        limits, speeds = [sparse([0 * one, one])], [one]
    found = sum_of_squares(composed(p, [sparse(image)], 1), 1, limits,
                           seconds=max(deadline - time.monotonic(), 0.1))
    if found is None:
        return None
    squares = []
    for weight, indices, root in found.squares:
        for i in indices:
            weight = weight * speeds[i]
        content, root = primitive(composed(root, [sparse(back)], 1))
        squares.append((weight * content**2, indices, root))
    return squares
