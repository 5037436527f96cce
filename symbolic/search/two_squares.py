"""A positive polynomial on the line as weighted squares, from its complex roots.

p - margin * sum x^(2i) is c * |s|^2 = c * (s1^2 + s2^2) for s the product over the roots in the
upper half plane; with the roots rounded, the small rest goes into the margin (Magron, Safey El
Din, Schweighofer, Algorithms for weighted sum of squares decomposition of non-negative univariate
polynomials, JSC 2019). Half-lines and intervals by x = a + t^2 and x = (a + b t^2) / (1 + t^2).
"""

import time
from fractions import Fraction
from typing import Any

from symbolic.search.arithmetic import Poly, composed, plus, power, primitive, times
from symbolic.search.gram import Squared
from symbolic.search.one_variable import End, count, degree_of, dense, rational, sparse

BITS = (40, 80, 160, 320, 640)
"""Bits after the point in the rounded factors, tried in turn."""


def on_line(p: Poly, deadline: float) -> list[tuple[Fraction, Poly]] | None:
    """[(weight > 0, root)] with p = sum weight * root^2, for p > 0 on the line; None otherwise."""
    half = degree_of(p) // 2
    if not half:
        return [(p[(0,)], {(0,): Fraction(1)})] if p.get((0,), 0) > 0 else None
    even = {(2 * i,): Fraction(1) for i in range(half + 1)}
    margin = max(map(abs, p.values()))
    while not _rootless(plus(p, even, -margin), 2 * half):
        margin /= 4
        if time.monotonic() > deadline:
            return None
    margin /= 2
    inner = plus(p, even, -margin)
    for bits in BITS:
        if time.monotonic() > deadline:
            return None
        one, two = _factor(inner, bits)
        lead = inner[2 * half,]
        squares = [(lead, one), (lead, two)]
        rest = p
        for weight, root in squares:
            rest = plus(rest, times(root, root), -weight)
        others = _absorbed(rest, half)
        if others is not None:
            return [(w, r) for w, r in [*squares, *others] if w and r]
    return None


def _rootless(p: Poly, top: int) -> bool:
    """Whether p has degree `top`, a positive leading coefficient and no real root."""
    return p.get((top,), 0) > 0 and not count(p)


def _factor(p: Poly, bits: int) -> tuple[Poly, Poly]:
    """Rounded real and imaginary part of the product of x - z over the roots z with im z > 0."""
    import flint

    before = flint.ctx.prec
    flint.ctx.prec = 2 * bits + 60
    try:
        whole = flint.fmpz_poly([int(c) for c in dense(primitive(p)[1])])
        found = flint.acb_poly([1])
        roots: list[Any] = list(whole.complex_roots())
        for root, often in roots:
            if root.imag > 0:
                for _ in range(often):
                    found *= flint.acb_poly([-root, 1])
        parts = [(c.real, c.imag) for c in found.coeffs()]
        sides = [[_near(c, bits) for c in side] for side in zip(*parts, strict=True)]
    finally:
        flint.ctx.prec = before
    return sparse(sides[0]), sparse(sides[1])


def _near(ball, bits: int) -> Fraction:
    """The middle of a ball, rounded to so many bits after the point."""
    mantissa, exponent = (int(k) for k in ball.mid().man_exp())
    return Fraction(round(mantissa * Fraction(2) ** (exponent + bits)), 2**bits)


def _absorbed(rest: Poly, half: int) -> list[tuple[Fraction, Poly]] | None:
    """rest as squares of monomials and of neighbours' sums: x^i (x +- 1/2) for odd terms."""
    c = [rest.get((k,), Fraction(0)) for k in range(2 * half + 1)]
    found = []
    for i in range(half):
        if odd := c[2 * i + 1]:
            sign = 1 if odd > 0 else -1
            found.append((abs(odd), {(i + 1,): Fraction(1), (i,): Fraction(sign, 2)}))
            c[2 * i + 2] -= abs(odd)
            c[2 * i] -= abs(odd) / 4
    found += [(c[2 * i], {(i,): Fraction(1)}) for i in range(half + 1)]
    return found if min(c[::2]) >= 0 else None


def on_interval(p: Poly, low: End, high: End, deadline: float) -> list[Squared] | None:
    """Squares with multipliers x - low, high - x (those that are finite) for p > 0 on the closed
    interval (and, for an infinite end, of positive leading term there)."""
    one = Fraction(1)
    if low is None and high is None:
        found = on_line(p, deadline)
        return None if found is None else [(w, (), r) for w, r in found]
    if low is None:
        turned = on_interval(composed(p, [{(1,): -one}], 1), -rational(high), None, deadline)
        return turned and [(w, i, composed(r, [{(1,): -one}], 1)) for w, i, r in turned]
    if high is None:
        found = on_line(composed(p, [sparse([rational(low), 0 * one, one])], 1), deadline)
        return None if found is None else _even(found, low)
    return _finite(p, rational(low), rational(high), deadline)


def _parted(root: Poly) -> tuple[Poly, Poly]:
    """(e, o) with root(t) = e(t^2) + t o(t^2)."""
    return ({(k // 2,): c for (k,), c in root.items() if k % 2 == 0},
            {(k // 2,): c for (k,), c in root.items() if k % 2})


def _even(found: list[tuple[Fraction, Poly]], low: End) -> list[Squared]:
    """Squares in x from squares in t, x = low + t^2: the odd cross terms cancel in the sum."""
    squares = []
    back = [sparse([-rational(low), Fraction(1)])]
    for weight, root in found:
        for indices, part in zip(((), (0,)), _parted(root), strict=True):
            if part:
                content, whole = primitive(composed(part, back, 1))
                squares.append((weight * content**2, indices, whole))
    return squares


def _finite(p: Poly, low: Fraction, high: Fraction, deadline: float) -> list[Squared] | None:
    """The case of two finite ends a, b: (1 + t^2)^n p((a + b t^2) / (1 + t^2)) on the line."""
    n = degree_of(p)
    above, below = sparse([low, 0 * low, high]), sparse([Fraction(1), 0 * low, Fraction(1)])
    whole: Poly = {}
    for (k,), c in p.items():
        whole = plus(whole, times(power(above, k, 1), power(below, n - k, 1)), c)
    found = on_line(whole, deadline)
    if found is None:
        return None
    left, right = sparse([-low, Fraction(1)]), sparse([high, Fraction(-1)])
    squares = []
    for weight, root in found:
        for odd, part in enumerate(_parted(root)):
            top = (n - 2 * odd) // 2 if n % 2 == 0 else n // 2
            total: Poly = {}
            for (k,), c in part.items():
                total = plus(total, times(power(left, k, 1), power(right, top - k, 1)), c)
            indices = ((0, 1) if odd else ()) if n % 2 == 0 else ((0,) if odd else (1,))
            if total:
                content, total = primitive(total)
                squares.append((weight * content**2 / (high - low) ** n, indices, total))
    return squares
