"""Polynomials in one variable: division, roots, and signs on an interval, decided exactly.

Decisions by Sturm sequences. Ends of intervals are rational, or None for an infinite end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from symbolic.search.arithmetic import Poly, clean, plus, primitive, scaled, value

Dense = list[Fraction]
End = Fraction | int | None


@dataclass(frozen=True)
class Piece:
    """The sign of a polynomial on an open piece, or 0 at (low = high) or inside an enclosure."""

    low: End
    high: End
    sign: int


def rational(x: Fraction | int | None) -> Fraction:
    """A finite end as a Fraction."""
    if x is None:
        raise ValueError("an infinite end where a finite one is needed")
    return Fraction(x)


def dense(p: Poly) -> Dense:
    """Coefficients by rising powers, without leading zeros; [] for zero."""
    top = max((k for (k,) in p), default=-1)
    return [p.get((k,), Fraction(0)) for k in range(top + 1)]


def sparse(p: Sequence[Fraction]) -> Poly:
    """The polynomial with these coefficients by rising powers."""
    return clean({(k,): c for k, c in enumerate(p)})


def degree_of(p: Poly) -> int:
    """The degree in the one variable; 0 for the zero polynomial."""
    return max((k for (k,) in p), default=0)


def derivative(p: Poly) -> Poly:
    """The derivative p'."""
    return {(k - 1,): k * c for (k,), c in p.items() if k}


def _flint(p: Poly):
    """The same polynomial for python-flint, which divides faster."""
    from flint import fmpq, fmpq_poly

    return fmpq_poly([fmpq(c.numerator, c.denominator) for c in dense(p)])


def _back(p) -> Poly:
    """The plain polynomial of a python-flint polynomial."""
    return sparse([Fraction(int(c.p), int(c.q)) for c in p.coeffs()])


def divided(p: Poly, q: Poly) -> tuple[Poly, Poly]:
    """(quotient, remainder) of p by a nonzero q."""
    quotient, rest = divmod(_flint(p), _flint(q))
    return _back(quotient), _back(rest)


def common(p: Poly, q: Poly) -> Poly:
    """A greatest common divisor with coprime integer coefficients and a positive leading one."""
    return primitive(_back(_flint(p).gcd(_flint(q))))[1]


def sturm(p: Poly) -> list[Poly]:
    """The Sturm sequence of the squarefree part of p."""
    first = divided(p, common(p, derivative(p)))[0]
    chain, after = [primitive(first)[1]], primitive(derivative(first))[1]
    while after:
        chain.append(after)
        after = scaled(primitive(divided(chain[-2], chain[-1])[1])[1], -1)
    return chain


def _sign(p: Poly, x: End, side: int) -> int:
    """The sign of p at x; None is minus infinity for side -1 and infinity for side 1."""
    if x is not None:
        v = value(p, (Fraction(x),))
    elif not p:
        v = 0
    else:
        (top,) = max(p)
        v = p[(top,)] * (side if top % 2 else 1)
    return (v > 0) - (v < 0)


def _changes(chain: Sequence[Poly], x: End, side: int) -> int:
    signs = [s for s in (_sign(q, x, side) for q in chain) if s]
    return sum(a != b for a, b in zip(signs, signs[1:], strict=False))


def count(p: Poly, low: End = None, high: End = None) -> int:
    """The number of distinct real roots of a nonzero p in (low, high]."""
    chain = sturm(p)
    return _changes(chain, low, -1) - _changes(chain, high, 1)


def bound(p: Poly) -> Fraction:
    """A power of two that exceeds the size of every root (Cauchy)."""
    coefficients = dense(p)
    worst = max((abs(c / coefficients[-1]) for c in coefficients[:-1]), default=Fraction(0)) + 1
    size = Fraction(1)
    while size <= worst:
        size *= 2
    return size


def isolate(
    p: Poly, low: End = None, high: End = None, width: Fraction = Fraction(1, 1024),
) -> list[tuple[Fraction, Fraction]]:
    """Enclosures [l, h], one distinct real root of p in each, in order, for roots in (low, high].

    A rational root met on the way is given as (r, r); the others are no wider than `width`, and
    p is not zero at their ends.
    """
    size = bound(p)
    chain = sturm(p)
    low = -size if low is None else Fraction(low)
    high = max(size, low) if high is None else Fraction(high)
    found, stack = [], [(low, high)]
    while stack:
        left, right = stack.pop()
        roots = _changes(chain, left, -1) - _changes(chain, right, 1)
        if roots == 1 and not value(p, (right,)):
            found.append((right, right))
        elif roots == 1 and right - left <= width and value(p, (left,)):
            found.append((left, right))
        elif roots:
            middle = (left + right) / 2
            stack += [(left, middle), (middle, right)]
    return sorted(found)


def signs(
    p: Poly, low: End = None, high: End = None, width: Fraction = Fraction(1, 1024),
) -> list[Piece]:
    """The sign table of a nonzero p inside (low, high): pieces in order, roots as sign 0."""
    pieces, left = [], low
    for a, b in isolate(p, low, high, width):
        if a == b == high:
            continue
        pieces += [Piece(left, a, _between(p, left, a)), Piece(a, b, 0)]
        left = b
    return [*pieces, Piece(left, high, _between(p, left, high))]


def _between(p: Poly, low: End, high: End) -> int:
    """The sign of p on a piece without roots inside."""
    if low is None or high is None:
        return _sign(p, None, 1 if high is None else -1)
    return _sign(p, (Fraction(low) + Fraction(high)) / 2, 0)


def nonnegative(p: Poly, low: End = None, high: End = None) -> bool:
    """Whether p >= 0 on the whole interval; exact."""
    return not p or all(piece.sign >= 0 for piece in signs(p, low, high))


def positive(p: Poly, low: End = None, high: End = None) -> bool:
    """Whether p > 0 on the whole closed interval; exact."""
    ends = all(x is None or value(p, (Fraction(x),)) > 0 for x in (low, high))
    return bool(p) and ends and all(piece.sign > 0 for piece in signs(p, low, high))


def squarefree(p: Poly) -> list[Poly]:
    """[f_1, f_2, ...] squarefree and coprime with p = constant * prod f_i^i (Yun)."""
    slope = derivative(p)
    c = common(p, slope)
    left, right = divided(p, c)[0], divided(slope, c)[0]
    found = []
    while degree_of(left):
        right = plus(right, derivative(left), -1)
        factor = common(left, right)
        found.append(factor)
        left, right = divided(left, factor)[0], divided(right, factor)[0]
    return found
