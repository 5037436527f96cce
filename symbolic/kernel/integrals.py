"""Definite integrals by table: powers, exponentials, Gaussian and gamma integrals; else opaque.

A monomial in the variable is integrated when it is x**k exp(a x**2 + b x + c) over a finite range
(a = 0), over a half line or over the whole line with the sign of a known; if one monomial of the
integrand is outside the table the whole integral stays as it is written (no splitting of what
may diverge).
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, prod
from typing import TYPE_CHECKING

import symbolic.kernel.binders as binders
import symbolic.kernel.entail as entail
import symbolic.kernel.facts as facts_
from symbolic.kernel import atoms
from symbolic.kernel import normal as normal_
from symbolic.kernel.polynomial import (
    PI,
    Atom,
    Mono,
    Poly,
    atom,
    constant,
    mul,
    power,
    scale,
    subtract,
    total,
)
from symbolic.kernel.structure import conjugate, mentions

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope


def _end(t: object, s: Scope) -> Poly | str:
    """An end of the range: a polynomial, or "+" or "-" for the infinities."""
    if t == ("oo",):
        return "+"
    if t == ("-", ("oo",)):
        return "-"
    return normal_.normal(t, s)


def integral_of(t: tuple, s: Scope) -> Poly:
    """The normal form of an integral term."""
    low, high = _end(t[3], s), _end(t[4], s)
    inner, name = s.bind(t[2], "sym")
    finite = not isinstance(low, str) and not isinstance(high, str)
    if finite and facts_.nonnegative(s.facts, subtract(high, low)):
        inner = inner.under([subtract(atom(name), low), subtract(high, atom(name))])
    body = normal_.normal(t[1], inner)
    parts = [_monomial(m, c, name, low, high, s.facts) for m, c in body.items()]
    if all(p is not None for p in parts):
        return total(parts)
    ends = tuple(atom(("sym", f"#{e}oo")) if isinstance(e, str) else e for e in (low, high))
    return binders.bind("int", body, name, ends, s.facts)


def limit_of(t: tuple, s: Scope) -> Poly:
    """A limit stays as it is written: limits have their own rules."""
    end = _end(t[3], s)
    inner, name = s.bind(t[2], "sym")
    body = normal_.normal(t[1], inner)
    point = atom(("sym", f"#{end}oo")) if isinstance(end, str) else end
    return binders.bind("limit", body, name, (point, constant(t[4])), s.facts)


def _monomial(m: Mono, c: int | Fraction, x: Atom, low: Poly | str, high: Poly | str,
              facts: entail.Facts) -> Poly | None:
    """The integral of c*m, None when it is outside the table."""
    here = frozenset({x})
    k, exponent, still = 0, {}, set()
    for a, e in m:
        if a == x:
            k = e
        elif a[0] == "E" and mentions(a, here):
            exponent[a[1]] = e
        elif mentions(a, here):
            return None
        else:
            still.add((a, e))
    if k < 0 or Fraction(k).denominator != 1 or k > 24:
        return None
    coefficients = _quadratic(exponent, x)
    if coefficients is None:
        return None
    out = _shaped(int(k), *coefficients, low, high, facts)
    return None if out is None else mul({frozenset(still): c}, out)


def _quadratic(exponent: dict, x: Atom) -> tuple[Poly, Poly] | None:
    """(a, b) when the exponent is a x**2 + b x, None otherwise."""
    parts: list[Poly] = [{}, {}, {}]
    for m, c in exponent.items():
        degree = dict(m).get(x, 0)
        rest = frozenset((a, e) for a, e in m if a != x)
        if degree not in (1, 2) or mentions(rest, frozenset({x})):
            return None
        parts[degree][rest] = parts[degree].get(rest, 0) + c
    return parts[2], parts[1]


def _shaped(k: int, a: Poly, b: Poly, low: Poly | str, high: Poly | str,
            facts: entail.Facts) -> Poly | None:
    finite = not isinstance(low, str) and not isinstance(high, str)
    if finite and not a:
        primitive = _primitive(k, b, facts)
        return None if primitive is None else subtract(primitive(high), primitive(low))
    if (low, high) == ("-", "+") and a and _real_positive(scale(a, -1), facts):
        return _gaussian(k, scale(a, -1), b, facts)
    if high == "+" and low == {} and not b and a and _real_positive(scale(a, -1), facts):
        return _half_gaussian(k, scale(a, -1), facts)
    if high == "+" and low == {} and not a and b and _real_positive(scale(b, -1), facts):
        decay = atoms.inverse(scale(b, -1), facts)
        return scale(power(decay, k + 1), factorial(k))
    return None


def _real_positive(p: Poly, facts: entail.Facts) -> bool:
    return conjugate(p) == p and facts_.positive(facts, p)


def _primitive(k: int, b: Poly, facts: entail.Facts) -> object:
    """The primitive of x**k exp(b x) as a function of the end; b is zero or nonzero for sure."""
    if not b:
        return lambda end: scale(power(end, k + 1), Fraction(1, k + 1))
    if not facts_.nonzero(facts, b):
        return None
    inverse = atoms.inverse(b, facts)

    def primitive(end: Poly) -> Poly:
        growth = atoms.exponential(mul(b, end), facts)
        parts = [scale(mul(power(end, k - j), power(inverse, j + 1)),
                       (-1) ** j * Fraction(factorial(k), factorial(k - j)))
                 for j in range(k + 1)]
        return mul(growth, total(parts))

    return primitive


def _gaussian(k: int, a: Poly, b: Poly, facts: entail.Facts) -> Poly:
    """The integral of x**k exp(-a x**2 + b x) over the line, a > 0, b complex."""
    half = scale(atoms.inverse(a, facts), Fraction(1, 2))
    mean = mul(b, half)
    moments = total([
        scale(mul(power(half, j), power(mean, k - 2 * j)),
              comb(k, 2 * j) * prod(range(1, 2 * j, 2)))
        for j in range(k // 2 + 1)])
    size = atoms.powered(mul(atom(PI), atoms.inverse(a, facts)), Fraction(1, 2), facts)
    shift = atoms.exponential(scale(mul(mul(b, b), half), Fraction(1, 2)), facts)
    return mul(mul(size, shift), moments)


def _half_gaussian(k: int, a: Poly, facts: entail.Facts) -> Poly:
    """The integral of x**k exp(-a x**2) over the half line, a > 0."""
    if k % 2 == 0:
        return scale(_gaussian(k, a, {}, facts), Fraction(1, 2))
    j = (k - 1) // 2
    return scale(power(atoms.inverse(a, facts), j + 1), Fraction(factorial(j), 2))


