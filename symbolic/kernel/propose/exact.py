"""Exact numbers for proposed points: rational combinations of square roots, powers of pi, and i.

A number is a table `(radicand, power of pi, power of i) -> rational` with squarefree radicands;
the empty table is 0. Whatever leaves this ring raises Inexact: proposals need no more, since the
kernel checks each point afterwards.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from symbolic.kernel.term import Term

Number = dict[tuple[int, int, int], Fraction]
ONE = (1, 0, 0)
HUGE = 10**12  # radicands beyond are not factored


class Inexact(ArithmeticError):
    """A value outside the ring, or none at all."""


def rational(value: int | Fraction) -> Number:
    """A rational as a number."""
    return {ONE: Fraction(value)} if value else {}


def fraction(x: Number) -> Fraction:
    """The rational that a number is; Inexact if it is none."""
    if not x:
        return Fraction(0)
    if len(x) == 1 and ONE in x:
        return x[ONE]
    raise Inexact("no rational")


def add(x: Number, y: Number) -> Number:
    """The sum of two numbers."""
    if not x or not y:
        return x or y
    out = dict(x)
    for key, value in y.items():
        total = out.get(key, 0) + value
        if total:
            out[key] = total
        else:
            out.pop(key, None)
    return out


def negative(x: Number) -> Number:
    """Minus a number."""
    return {key: -value for key, value in x.items()}


def multiply(x: Number, y: Number) -> Number:
    """The product of two numbers."""
    if not x or not y:
        return {}
    if len(x) == len(y) == 1 and ONE in x and ONE in y:
        return {ONE: x[ONE] * y[ONE]}
    out: Number = {}
    for (d, k, i), value in x.items():
        for (e, m, j), other in y.items():
            common = math.gcd(d, e)
            product = value * other * common
            if i and j:
                product = -product
            key = (d * e // common**2, k + m, (i + j) % 2)
            out[key] = out.get(key, 0) + product
    return {key: value for key, value in out.items() if value}


def inverse(x: Number) -> Number:
    """One over a number without pi, or over a single monomial; Inexact for 0 and the rest."""
    if not x:
        raise Inexact("one over 0")
    if len(x) == 1:
        ((d, k, i), value), = x.items()
        return {(d, -k, i): (-1 if i else 1) / (value * d)}
    if any(k for _, k, _ in x):
        raise Inexact("one over a sum with pi")
    top, below = rational(1), x
    while len(below) > 1 or ONE not in below:
        d, _, i = next(key for key in below if key != ONE)
        prime = 0 if i else next(p for p in range(2, d + 1) if d % p == 0)
        other = {key: -value if (key[2] if prime == 0 else key[0] % prime == 0) else value
                 for key, value in below.items()}
        top, below = multiply(top, other), multiply(below, other)
        if not below or len(top) > 64:
            raise Inexact("no inverse found")
    return multiply(top, rational(1 / below[ONE]))


@cache
def _square_part(n: int) -> tuple[int, int]:
    """n = s**2 * d with d squarefree."""
    s, d, p = 1, 1, 2
    while p * p <= n:
        power = 0
        while n % p == 0:
            n, power = n // p, power + 1
        s, d, p = s * p ** (power // 2), d * p ** (power % 2), p + 1
    return s, d * n


def root(x: Number) -> Number:
    """The square root of a rational that is not negative; Inexact for other numbers."""
    q = fraction(x)
    if q < 0:
        raise Inexact("root of a negative number")
    if q == 0:
        return {}
    top, below = math.isqrt(q.numerator), math.isqrt(q.denominator)
    if top**2 == q.numerator and below**2 == q.denominator:
        return rational(Fraction(top, below))
    if q.numerator * q.denominator > HUGE:
        raise Inexact("a large radicand")
    s, d = _square_part(q.numerator * q.denominator)
    return {(d, 0, 0): Fraction(s, q.denominator)}


def turns(x: Number) -> Fraction:
    """The rational q with x = q pi; Inexact if there is none."""
    if not x:
        return Fraction(0)
    if len(x) == 1 and (1, 1, 0) in x:
        return x[1, 1, 0]
    raise Inexact("no rational multiple of pi")


_COSINES: dict[int, Number] = {  # of k pi / 12
    0: rational(1), 1: {(6, 0, 0): Fraction(1, 4), (2, 0, 0): Fraction(1, 4)},
    2: {(3, 0, 0): Fraction(1, 2)}, 3: {(2, 0, 0): Fraction(1, 2)}, 4: rational(Fraction(1, 2)),
    5: {(6, 0, 0): Fraction(1, 4), (2, 0, 0): Fraction(-1, 4)}, 6: {},
}


def cosine(x: Number) -> Number:
    """The cosine of a multiple of pi/12; Inexact for other numbers."""
    twelfths = turns(x) * 12
    if twelfths.denominator != 1:
        raise Inexact("no multiple of pi/12")
    k = int(twelfths) % 24
    k = min(k, 24 - k)
    return _COSINES[k] if k <= 6 else negative(_COSINES[12 - k])


def sine(x: Number) -> Number:
    """The sine of a multiple of pi/12; Inexact for other numbers."""
    return cosine(add(x, {(1, 1, 0): Fraction(-1, 2)}))


def angle(re: Number, im: Number) -> Number:
    """The multiple of pi/12 in (-pi, pi] at which a nonzero point of the plane lies."""
    k = round(math.atan2(real(im), real(re)) / math.pi * 12)
    found = {(1, 1, 0): Fraction(k, 12)} if k else {}
    off = add(multiply(re, sine(found)), negative(multiply(im, cosine(found))))
    if off or not (re or im):
        raise Inexact("no multiple of pi/12")
    return found


def approximate(x: Number) -> complex:
    """A number in floating point."""
    return sum((float(v) * math.sqrt(d) * math.pi**k * (1j if i else 1)
                for (d, k, i), v in x.items()), 0j)


def real(x: Number) -> float:
    """A real number in floating point; Inexact for others."""
    if len(x) == 1 and ONE in x:
        return float(x[ONE])
    value = approximate(x)
    if any(i for _, _, i in x):
        raise Inexact("not real")
    return value.real


def closed(x: Number, circular: bool = False) -> Term:
    """A number as a term: 2, ("/", 1, 2), ("-", ("/", ("pi",), 4)), sums of such.

    `circular` writes the roots of 2, 3, 6 by cosines: 2 cos(pi/4) for the root of 2, which the
    normal form sees to be the same as other cosines.
    """
    parts = [_monomial(key, x[key], circular) for key in sorted(x)]
    return 0 if not parts else parts[0] if len(parts) == 1 else ("+", *parts)


_AS_COSINES: dict[int, tuple[int, tuple[Term, ...]]] = {
    2: (2, (("cos", ("/", ("pi",), 4)),)), 3: (2, (("cos", ("/", ("pi",), 6)),)),
    6: (4, (("cos", ("/", ("pi",), 4)), ("cos", ("/", ("pi",), 6)))),
}


def _monomial(key: tuple[int, int, int], value: Fraction, circular: bool) -> Term:
    d, k, i = key
    if key == ONE and value.denominator == 1:
        return int(value)
    if value < 0:
        return ("-", _monomial(key, -value, circular))
    factor, roots = _AS_COSINES.get(d, (1, (("sqrt", d),))) if circular else (1, (("sqrt", d),))
    value *= factor
    above: list[Term] = [value.numerator] if value.numerator > 1 else []
    below: list[Term] = [value.denominator] if value.denominator > 1 else []
    if k:
        power: Term = ("pi",) if abs(k) == 1 else ("^", ("pi",), abs(k))
        (above if k > 0 else below).append(power)
    above += roots if d > 1 else ()
    above += [("i",)] if i else []
    top, under = _times(above), _times(below)
    return top if under == 1 else ("/", top, under)


def _times(parts: list[Term]) -> Term:
    return 1 if not parts else parts[0] if len(parts) == 1 else ("*", *parts)


def exact(term: Term, values: Mapping[str, Number]) -> Number:
    """The value of a scalar term without binders, names having the values given.

    Raises Inexact outside the ring, for undefined terms and for names without a value.
    """
    if isinstance(term, int):
        return rational(term)
    if isinstance(term, str):
        found = values.get(term)
        if found is None:
            raise Inexact(f"{term} is not known exactly")
        return found
    rule = EXACT.get(term[0])
    if rule is None:
        raise Inexact(f"no exact {term[0]}")
    return rule(*(exact(a, values) for a in term[1:]))


def _sum(*parts: Number) -> Number:
    out = parts[0]
    for part in parts[1:]:
        out = add(out, part)
    return out


def _product(*parts: Number) -> Number:
    out = parts[0]
    for part in parts[1:]:
        out = multiply(out, part)
    return out


def power(x: Number, y: Number) -> Number:
    """A whole or half-whole power."""
    exponent = fraction(y)
    if exponent.denominator == 2:
        x, exponent = root(x), exponent * 2
    if exponent.denominator != 1 or abs(exponent) > 60:
        raise Inexact("no power")
    if exponent < 0:
        x, exponent = inverse(x), -exponent
    out = rational(1)
    for _ in range(int(exponent)):
        out = multiply(out, x)
    return out


def _exp(x: Number) -> Number:
    if not x:
        return rational(1)
    turned = {(d, k, 0): v for (d, k, i), v in x.items() if i}
    if len(turned) < len(x):
        raise Inexact("no exact exponential")
    return add(cosine(turned), multiply(sine(turned), {(1, 0, 1): Fraction(1)}))


def _at(point: Fraction | int, value: Number):
    """A function known exactly at one rational point."""
    def rule(x: Number) -> Number:
        if fraction(x) != point:
            raise Inexact("a transcendental value")
        return value
    return rule


def _atan(x: Number) -> Number:
    return angle(rational(1), x)


def _atan2(y: Number, x: Number) -> Number:
    return angle(x, y)


def _chosen(choose):
    def rule(*parts: Number) -> Number:
        return choose(parts, key=real)
    return rule


def _abs(x: Number) -> Number:
    if any(i for _, _, i in x):
        return root(multiply(x, _conj(x)))
    return x if real(x) >= 0 else negative(x)


def _conj(x: Number) -> Number:
    return {key: -v if key[2] else v for key, v in x.items()}


def _integer(x: Number) -> int:
    value = fraction(x)
    if value.denominator != 1:
        raise Inexact("no whole number")
    return int(value)


def _whole(x: Number) -> int:
    value = _integer(x)
    if not 0 <= value <= 160:
        raise Inexact("no small whole number")
    return value


EXACT = {
    "+": _sum, "*": _product, "-": negative, "/": lambda x, y: multiply(x, inverse(y)),
    "^": power, "sqrt": root, "pi": lambda: {(1, 1, 0): Fraction(1)},
    "i": lambda: {(1, 0, 1): Fraction(1)}, "sin": sine, "cos": cosine,
    "tan": lambda x: multiply(sine(x), inverse(cosine(x))), "exp": _exp,
    "log": _at(1, {}), "sinh": _at(0, {}), "tanh": _at(0, {}), "cosh": _at(0, rational(1)),
    "asin": _at(0, {}), "acos": _at(1, {}), "logistic": _at(0, rational(Fraction(1, 2))),
    "atan": _atan, "atan2": _atan2, "max": _chosen(max), "min": _chosen(min), "abs": _abs,
    "sign": lambda x: rational((real(x) > 0) - (real(x) < 0) if x else 0),
    "floor": lambda x: rational(math.floor(fraction(x))), "conj": _conj,
    "re": lambda x: {key: v for key, v in x.items() if not key[2]},
    "im": lambda x: {(d, k, 0): v for (d, k, i), v in x.items() if i},
    "factorial": lambda x: rational(math.factorial(_whole(x))),
    "binomial": lambda x, y: rational(math.comb(_whole(x), _whole(y))),
    "delta": lambda x, y: rational(int(_integer(x) == _integer(y))),
}
