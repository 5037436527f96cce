"""Building atoms: inverses, roots, exponentials, logarithms, powers and functions of polynomials.

Each constructor returns a polynomial equal to its meaning wherever that is defined. What is split
(a root or a logarithm of a product) is split only along factors that the facts make positive.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

import symbolic.kernel.entail as entail
import symbolic.kernel.facts as facts_
import symbolic.kernel.functions as functions
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.polynomial import (
    ONE,
    TURN,
    Atom,
    I,
    Mono,
    Poly,
    add,
    atom,
    constant,
    content,
    freeze,
    invert_mono,
    leading,
    mul,
    power,
    scale,
    subtract,
    thaw,
    times_all,
)
from symbolic.kernel.structure import conjugate, integral
from symbolic.kernel.zero import fraction


def inverse(p: Poly, facts: entail.Facts) -> Poly:
    """1/p: inner inverses cleared, content split off, the rest one atom."""
    if not p:
        raise Undecided("a division by what is identically zero")
    if len(p) == 1:
        return power(p, -1)
    spend(len(p))
    top, bottoms = fraction(p)
    if bottoms:
        return mul(multiplied(bottoms), inverse(top, facts))
    c, m = content(p)
    rest = scale(mul(p, {invert_mono(m): 1}), 1 / c)
    if rest[leading(rest)] < 0:
        rest, c = scale(rest, -1), -c
    return mul({invert_mono(m): 1 / c}, atom(("P", freeze(rest)), -1))


def multiplied(bottoms: tuple) -> Poly:
    """The product of the sums of a fraction's bottom."""
    return times_all(constant(1), tuple(power(q, e) for q, e in bottoms))


def powered(p: Poly, q: int | Fraction, facts: entail.Facts) -> Poly:
    """p**q for a rational q (real, principal)."""
    q = Fraction(q)
    if q.denominator == 1:
        n = int(q)
        return power(p, n) if n >= 0 else power(inverse(p, facts), -n)
    if not p:
        if q < 0:
            raise Undecided("a negative power of zero")
        return {}
    return _root_mono(p, q, facts) if len(p) == 1 else _root_sum(p, q, facts)


def _root_mono(p: Poly, q: Fraction, facts: entail.Facts) -> Poly:
    """Roots of c*m: positive factors leave, the others too when all are nonnegative."""
    (m, c), = p.items()
    if not m and c < 0:
        raise Undecided("a root of a negative number")
    sure, weak, rest = constant(1), constant(1), {ONE: -1 if c < 0 else 1}
    unsure = c < 0
    for a, e in m:
        s = facts_.atom_sign_or_any(facts, a)
        if s == facts_.PLUS:
            sure = mul(sure, atom(a, e * q))
        elif _even(a, e):
            bars = powered(functions.absolute(atom(a), facts), e * q, facts)
            if "0" in s:
                weak, rest = mul(weak, bars), mul(rest, atom(a, e))
            else:
                sure = mul(sure, bars)
        elif s <= facts_.NONNEG or _root(a, e):
            weak, rest = mul(weak, atom(a, e * q)), mul(rest, atom(a, e))
        else:
            unsure, rest = True, mul(rest, atom(a, e))
    front = mul(sure, _number_root(abs(Fraction(c)), q))
    return mul(front, _opaque_root(rest, q) if unsure else weak)


def real_atom(a: Atom) -> bool:
    p = {frozenset({(a, 1)}): 1}
    return conjugate(p) == p


def _even(a: Atom, e: int | Fraction) -> bool:
    return Fraction(e).denominator == 1 and e % 2 == 0 and a[0] != "E" and real_atom(a)


def _root(a: Atom, e: int | Fraction) -> bool:
    """Whether a**e is a real root, so that it is nonnegative where it is defined."""
    return Fraction(e).denominator > 1 and a[0] != "E"


def _opaque_root(rest: Poly, q: Fraction) -> Poly:
    """rest**q as one atom; a single atom carries the power itself."""
    if rest == constant(1):
        return rest
    (m, c), = rest.items()
    if c == 1 and len(m) == 1:
        (a, e), = m
        if e == 1 and a[0] not in ("i", "E"):  # a power of exp(m) would go inside
            return atom(a, q)
    return atom(("P", freeze(rest)), q)


@lru_cache(maxsize=10_000)
def _factors(n: int) -> tuple:
    out, d = [], 2
    while d * d <= n and d < 100_000:
        k = 0
        while n % d == 0:
            n, k = n // d, k + 1
        if k:
            out.append((d, k))
        d += 1 if d == 2 else 2
    return (*out, (n, 1)) if n > 1 else tuple(out)


def _number_root(c: Fraction, q: Fraction) -> Poly:
    """c**q for c > 0 by prime factors."""
    if c.numerator.bit_length() + c.denominator.bit_length() > 400:
        raise Undecided("a root of a huge number")
    out = constant(1)
    for n, side in ((c.numerator, 1), (c.denominator, -1)):
        for prime, k in _factors(n):
            out = mul(out, atom(("num", prime), side * k * q))
    return out


def _root_sum(p: Poly, q: Fraction, facts: entail.Facts) -> Poly:
    top, bottoms = fraction(p)
    if bottoms and all(facts_.positive(facts, b) for b, _ in bottoms):
        below = tuple(powered(b, -q * e, facts) for b, e in bottoms)
        return times_all(powered(top, q, facts), below)
    if q.denominator == 2 and (root := _exact_root(p)) is not None:
        return powered(functions.absolute(root, facts), 2 * q, facts)
    c, m = content(p)
    front, keep = _number_root(c, q), {}
    for a, e in m:
        s = facts_.atom_sign_or_any(facts, a)
        if s == facts_.PLUS:
            front = mul(front, atom(a, e * q))
        elif _even(a, e) and "0" not in s:
            front = mul(front, powered(functions.absolute(atom(a), facts), e * q, facts))
        else:
            keep[a] = e
    out = {a: -e for a, e in m if a not in keep}
    rest = scale(mul(p, {frozenset(out.items()): 1}), 1 / c)
    return mul(front, atom(("P", freeze(rest)), q))


def _exact_root(p: Poly) -> Poly | None:
    """A real polynomial r with r*r = p, for the square of a sum of two monomials."""
    if len(p) != 3:
        return None
    for side, unit in ((1, constant(1)), (-1, atom(I))):  # sin**2 is minus a square of exponentials
        found = _two_squares(scale(p, side))
        if found is not None:
            root = mul(found, unit)
            if conjugate(root) == root:
                return root
    return None


def _two_squares(p: Poly) -> Poly | None:
    squares = [({frozenset((a, e / 2) for a, e in m): r}) for m, c in p.items()
               if c > 0 and (r := _rational_root(Fraction(c))) is not None
               and all(Fraction(e).denominator == 1 and e % 2 == 0 for _, e in m)]
    squares = [{frozenset((a, int(e)) for a, e in m): r for m, r in q.items()} for q in squares]
    for k, first in enumerate(squares):
        for second in squares[k + 1:]:
            for root in (add(first, second), subtract(first, second)):
                if mul(root, root) == p:
                    return root
    return None


def _rational_root(c: Fraction) -> Fraction | None:
    a, b = isqrt(c.numerator), isqrt(c.denominator)
    return Fraction(a, b) if a * a == c.numerator and b * b == c.denominator else None


def exponential(p: Poly, facts: entail.Facts) -> Poly:
    """exp(p): a product over monomials; exp(c log f) is f**c, i pi is folded."""
    out = constant(1)
    for m, c in p.items():
        single = next(iter(m)) if len(m) == 1 else None
        if single and single[0][0] == "log" and single[1] == 1:
            out = mul(out, powered(thaw(single[0][1]), c, facts))
        else:
            out = mul(out, atom(("E", m), c))
    return out


def logarithm(p: Poly, facts: entail.Facts) -> Poly:
    """log(p), positive factors split off."""
    if not p or set(p) == {ONE} and p[ONE] < 0:
        raise Undecided("the logarithm of zero or of a negative number")
    top, bottoms = fraction(p)
    if bottoms and all(facts_.nonnegative(facts, b) for b, _ in bottoms):
        out = logarithm(top, facts)
        for b, e in bottoms:
            out = subtract(out, scale(logarithm(b, facts), e))
        return out
    c, m = content(p) if len(p) > 1 else next(((abs(Fraction(c)), m) for m, c in p.items()))
    out, rest = _number_log(c), scale(p, 1 / c)
    for a, e in m:
        piece = _log_atom(a, e, facts)
        if piece is not None:
            out = add(out, piece)
            rest = mul(rest, atom(a, -e))
    return out if rest == constant(1) else add(out, atom(("log", freeze(rest))))


def _number_log(c: Fraction) -> Poly:
    out: Poly = {}
    for n, side in ((c.numerator, 1), (c.denominator, -1)):
        for prime, k in _factors(n):
            out = add(out, scale(atom(("log", freeze(constant(prime)))), side * k))
    return out


def _log_atom(a: Atom, e: int | Fraction, facts: entail.Facts) -> Poly | None:
    """log(a**e) where it may be split off, else None.

    The logarithm is defined, so the whole product is positive: a factor that is nonnegative is
    positive there, and an even power is of something nonzero.
    """
    s = facts_.atom_sign_or_any(facts, a)
    if s <= facts_.NONNEG or _root(a, e) and real_atom(a):
        if a[0] == "E":
            return {a[1]: e}
        if a[0] in ("num", "P"):
            return scale(logarithm(constant(a[1]) if a[0] == "num" else thaw(a[1]), facts), e)
        return scale(atom(("log", freeze(atom(a)))), e)
    if _even(a, e):
        return scale(logarithm(functions.absolute(atom(a), facts), facts), e)
    return None


def raised(p: Poly, q: Poly, facts: entail.Facts) -> Poly:
    """p**q with a symbolic exponent: through log for p > 0, by factors for whole exponents."""
    if not q or set(q) == {ONE}:
        return powered(p, q.get(ONE, 0), facts) if q else constant(1)
    if p and conjugate(p) == p and facts_.positive(facts, p):
        return exponential(mul(q, logarithm(p, facts)), facts)
    if integral(q) and facts_.nonzero(facts, p):
        return _whole_power(p, q, facts)
    return atom(("pow", freeze(p), freeze(q)))


def _whole_power(p: Poly, q: Poly, facts: entail.Facts) -> Poly:
    """p**q for a nonzero p and whole-valued q: the exponent splits into monomials."""
    out = constant(1)
    if p[leading(p)] < 0:
        p = scale(p, -1)
        out = exponential(mul(q, {TURN: 1}), facts)
    for m, c in q.items():
        if m == ONE:
            out = mul(out, powered(p, c, facts))
        elif len(p) == 1:
            out = mul(out, _power_of_mono(p, m, c, facts))
        else:
            out = mul(out, atom(("pow", freeze(p), freeze({m: 1})), c))
    return out


def _power_of_mono(p: Poly, m: Mono, c: int, facts: entail.Facts) -> Poly:
    (mono, k), = p.items()
    out = constant(1) if k == 1 else exponential(
        mul({m: c}, logarithm(constant(k), facts)), facts)
    for a, e in mono:
        if a[0] == "E":
            out = mul(out, exponential(mul({a[1]: e}, {m: c}), facts))
        elif facts_.atom_sign_or_any(facts, a) == facts_.PLUS:
            out = mul(out, exponential(mul({m: c * e}, logarithm(atom(a), facts)), facts))
        elif Fraction(e).denominator == 1:
            out = mul(out, atom(("pow", freeze(atom(a)), freeze({m: 1})), c * e))
        else:
            raise Undecided("a symbolic power of a root")
    return out
