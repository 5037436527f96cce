"""Plain polynomials: a map from exponent vectors of one length m to nonzero Fractions.

Exponents may be negative (Laurent monomials) wherever a function does not say otherwise.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm

Monomial = tuple[int, ...]
Poly = dict[Monomial, Fraction]


def clean(p: Mapping) -> Poly:
    """The polynomial with tuples for exponents, Fractions for coefficients, and no zeros."""
    return {tuple(a): Fraction(c) for a, c in p.items() if c}


def constant(m: int, value: Fraction | int = 1) -> Poly:
    """The constant polynomial in m variables."""
    return {(0,) * m: Fraction(value)} if value else {}


def variable(m: int, i: int) -> Poly:
    """The polynomial x_i, i from 0."""
    return {tuple(int(k == i) for k in range(m)): Fraction(1)}


def plus(p: Poly, q: Poly, factor: Fraction | int = 1) -> Poly:
    """p + factor * q."""
    result = dict(p)
    for a, c in q.items():
        value = result.get(a, 0) + factor * c
        if value:
            result[a] = value
        else:
            result.pop(a, None)
    return result


def scaled(p: Poly, factor: Fraction | int) -> Poly:
    """factor * p."""
    return {a: factor * c for a, c in p.items()} if factor else {}


def times(p: Poly, q: Poly) -> Poly:
    """p * q."""
    if len(p) > len(q):
        p, q = q, p
    if len(p) == 1:
        ((a, c),) = p.items()
        return {tuple(map(int.__add__, a, b)): d if c == 1 else c * d for b, d in q.items()}
    result: Poly = {}
    for a, c in p.items():
        for b, d in q.items():
            key = tuple(map(int.__add__, a, b))
            result[key] = result.get(key, 0) + c * d
    return {a: c for a, c in result.items() if c}


def product(factors: Iterable[Poly], m: int) -> Poly:
    """The product of the factors; 1 when there are none."""
    result = constant(m)
    for factor in factors:
        result = times(result, factor)
    return result


def power(p: Poly, n: int, m: int) -> Poly:
    """p^n for n >= 0."""
    return product([p] * n, m)


def moved(p: Poly, shift: Iterable[int]) -> Poly:
    """p times the monomial with exponents `shift`."""
    shift = tuple(shift)
    return {tuple(map(int.__add__, a, shift)): c for a, c in p.items()}


def degree(p: Poly) -> int:
    """The total degree; 0 for the zero polynomial."""
    return max(map(sum, p), default=0)


def degrees(p: Poly, m: int) -> Monomial:
    """The largest exponent of each variable, 0 for the zero polynomial."""
    return tuple(max((a[i] for a in p), default=0) for i in range(m))


def lowest(polynomials: Iterable[Poly], m: int) -> Monomial:
    """The least exponent of each variable, never above 0."""
    supports = [a for p in polynomials for a in p]
    return tuple(min([0, *(a[i] for a in supports)]) for i in range(m))


def monomials(m: int, top: int) -> Iterator[Monomial]:
    """All exponent vectors of total degree at most `top`, in order of degree."""
    def exactly(n: int, d: int) -> Iterator[Monomial]:
        if n <= 1:
            yield from ((d,),) if n else (() for _ in range(d == 0))
            return
        for first in range(d, -1, -1):
            yield from ((first, *rest) for rest in exactly(n - 1, d - first))
    for d in range(top + 1):
        yield from exactly(m, d)


def primitive(p: Poly) -> tuple[Fraction, Poly]:
    """(content, q) with p = content * q, q of coprime integer coefficients; content > 0."""
    if not p:
        return Fraction(1), {}
    under = lcm(*(c.denominator for c in p.values()))
    over = gcd(*(int(c * under) for c in p.values()))
    content = Fraction(over, under)
    return content, {a: c / content for a, c in p.items()}


def value(p: Poly, point: Sequence) -> Fraction | float:
    """p at a point (numbers of any kind that multiply)."""
    total = 0
    for a, c in p.items():
        for x, k in zip(point, a, strict=True):
            if k:
                c = c * x**k
        total = total + c
    return total


def composed(p: Poly, images: Sequence[Poly], m: int) -> Poly:
    """p with each variable replaced by a polynomial in m variables; exponents >= 0 only."""
    result: Poly = {}
    for a, c in p.items():
        term = constant(m, c)
        for image, k in zip(images, a, strict=True):
            term = times(term, power(image, k, m)) if k else term
        result = plus(result, term)
    return result
