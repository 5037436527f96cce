"""Numbers for evaluation: exact rationals while possible, else balls that enclose the value.

A number is a Fraction or a flint complex ball. What is undefined, or not decided at this
precision, raises Unsure; an unsure value never refutes and never proves.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import flint
from flint import acb, arb, fmpq

from symbolic.kernel.budget import Undecided

PRECISION = 200
Number = Fraction | acb


class Unsure(Exception):
    """Undefined at this point, or undecided at this precision."""


def ball(x: Number) -> acb:
    """The number as a ball."""
    if isinstance(x, Fraction):
        return acb(arb(fmpq(x.numerator, x.denominator)))
    return x


def real_ball(x: Number) -> arb:
    """The number as a real ball; Unsure unless it is real for sure."""
    x = ball(x)
    if not x.imag.is_zero() or not x.is_finite():
        raise Unsure("not real")
    return x.real


def kept(x: acb) -> acb:
    """The ball, unless it is infinite or not a number."""
    if not x.is_finite():
        raise Unsure("not finite")
    return x


def plus(x: Number, y: Number) -> Number:
    """x + y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x + y
    return ball(x) + ball(y)


def times(x: Number, y: Number) -> Number:
    """x * y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    if x == 0 and isinstance(x, Fraction) or y == 0 and isinstance(y, Fraction):
        return Fraction(0)
    return ball(x) * ball(y)


def negative(x: Number) -> Number:
    """-x."""
    return -x


def over(x: Number, y: Number) -> Number:
    """x / y; Unsure if y may be zero."""
    if isinstance(y, Fraction):
        if y == 0:
            raise Unsure("a division by zero")
        return x / y if isinstance(x, Fraction) else times(x, 1 / y)
    if y.contains(0):
        raise Unsure("a division by what may be zero")
    return kept(ball(x) / y)


def sign(x: Number) -> int:
    """The sign of a real number; Unsure when the ball contains zero."""
    if isinstance(x, Fraction):
        return (x > 0) - (x < 0)
    r = real_ball(x)
    if r > 0:
        return 1
    if r < 0:
        return -1
    raise Unsure("a sign that is not decided")


def differs(x: Number, y: Number) -> bool:
    """Whether the two are certainly different."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x != y
    return not ball(x).overlaps(ball(y))


def power(x: Number, y: Number) -> Number:
    """x**y: whole exponents by multiplication, others for a positive base."""
    if isinstance(y, Fraction) and y.denominator == 1:
        return _whole_power(x, int(y))
    if isinstance(y, Fraction) and y.denominator == 2:
        return _whole_power(root(x), y.numerator)
    if isinstance(x, Fraction) and x == 0 and isinstance(y, Fraction) and y > 0:
        return Fraction(0)
    if sign(x) <= 0:
        raise Unsure("a power of what is not positive")
    return kept(acb((real_ball(y) * real_ball(x).log()).exp()))


def _whole_power(x: Number, n: int) -> Number:
    if n < 0:
        return over(Fraction(1), _whole_power(x, -n))
    if n > 4000 or isinstance(x, Fraction) and n * (
            x.numerator.bit_length() + x.denominator.bit_length()) > 200_000:
        raise Unsure("a huge power")
    if isinstance(x, Fraction):
        return x**n
    out, base = acb(1), x
    while n:
        if n & 1:
            out = out * base
        base, n = base * base, n >> 1
    return kept(out)


def root(x: Number) -> Number:
    """The square root of a real x >= 0."""
    if isinstance(x, Fraction):
        if x < 0:
            raise Unsure("a root of a negative number")
        a, b = isqrt(x.numerator), isqrt(x.denominator)
        if a * a == x.numerator and b * b == x.denominator:
            return Fraction(a, b)
        return acb(real_ball(x).sqrt())
    r = real_ball(x)
    if not r >= 0:
        raise Unsure("a root of what may be negative")
    return kept(acb(r.sqrt()))


def logarithm(x: Number) -> Number:
    """log x for x > 0."""
    if x == 1 and isinstance(x, Fraction):
        return Fraction(0)
    if sign(x) <= 0:
        raise Unsure("a logarithm of what is not positive")
    return kept(acb(real_ball(x).log()))


def absolute(x: Number) -> Number:
    """|x|, of a complex number its modulus."""
    if isinstance(x, Fraction):
        return abs(x)
    return acb(abs(x.real)) if x.imag.is_zero() else acb((x.real**2 + x.imag**2).sqrt())


def floor(x: Number) -> Number:
    """The largest whole number below x; Unsure when the ball holds a whole number."""
    if isinstance(x, Fraction):
        return Fraction(x.__floor__())
    low = real_ball(x).floor().unique_fmpz()
    if low is None:
        raise Unsure("a floor that is not decided")
    return Fraction(int(low))


def extreme(values: list[Number], side: int) -> Number:
    """The maximum (side 1) or minimum (side -1)."""
    if all(isinstance(v, Fraction) for v in values):
        return max(values) if side > 0 else min(values)
    out = real_ball(values[0])
    for v in values[1:]:
        out = out.max(real_ball(v)) if side > 0 else out.min(real_ball(v))
    return acb(out)


def union(values: list[Number]) -> Number:
    """A ball that holds all the values."""
    out = real_ball(values[0])
    for v in values[1:]:
        out = out.union(real_ball(v))
    return acb(out)


def interval(low: Fraction, high: Fraction) -> acb:
    """A ball that holds the interval."""
    return acb(real_ball(low).union(real_ball(high)))


def _entire(name: str, at_zero: int) -> Callable[[Number], Number]:
    def value(x: Number) -> Number:
        if isinstance(x, Fraction) and x == 0:
            return Fraction(at_zero)
        if isinstance(x, Fraction) and abs(x) > 10**6:
            raise Unsure("an argument too large")
        return kept(getattr(ball(x), name)())

    return value


def _arc(name: str) -> Callable[[Number], Number]:
    def value(x: Number) -> Number:
        if isinstance(x, Fraction) and x == 0 and name != "acos":
            return Fraction(0)
        return kept(acb(getattr(real_ball(x), name)()))

    return value


def angle(y: Number, x: Number) -> Number:
    """atan2(y, x), not at the origin."""
    if x == 0 and y == 0:
        raise Unsure("the angle of zero")
    return kept(acb(arb.atan2(real_ball(y), real_ball(x))))


FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "exp": _entire("exp", 1), "sin": _entire("sin", 0), "cos": _entire("cos", 1),
    "sinh": _entire("sinh", 0), "cosh": _entire("cosh", 1),
    "tan": lambda x: over(_entire("sin", 0)(x), _entire("cos", 1)(x)),
    "tanh": lambda x: over(_entire("sinh", 0)(x), _entire("cosh", 1)(x)),
    "logistic": lambda x: over(Fraction(1), plus(Fraction(1), _entire("exp", 1)(-x))),
    "asin": _arc("asin"), "acos": _arc("acos"), "atan": _arc("atan"),
    "sqrt": root, "log": logarithm, "abs": absolute, "floor": floor,
    "sign": lambda x: Fraction(sign(x)),
    "re": lambda x: x if isinstance(x, Fraction) else acb(x.real),
    "im": lambda x: Fraction(0) if isinstance(x, Fraction) else acb(x.imag),
    "conj": lambda x: x if isinstance(x, Fraction) else acb(x.real, -x.imag),
}


def pi() -> acb:
    """A ball around pi."""
    return acb(arb.pi())


def imaginary() -> acb:
    """i, exactly."""
    return acb(0, 1)


def with_precision(call: Callable, *args: object) -> object:
    """Run a computation at the working precision."""
    before, flint.ctx.prec = flint.ctx.prec, PRECISION
    try:
        return call(*args)
    finally:
        flint.ctx.prec = before


def text(x: Number) -> str:
    """The number as reports print it."""
    if isinstance(x, Fraction):
        return str(x)
    shown = x.real.str(12, radius=False)
    return shown if x.imag.is_zero() else f"{shown} + {x.imag.str(12, radius=False)}*I"


def smooth_integral(f: Callable[[acb], acb], low: Number, high: Number) -> Number:
    """A rigorous integral of a function that is analytic where it is finite (Arb)."""
    def guarded(z: acb, analytic: bool) -> acb:
        try:
            return f(z)
        except (Unsure, Undecided):  # nothing may be raised through Arb
            return acb("nan")

    return kept(acb.integral(guarded, ball(low), ball(high), rel_tol=arb("1e-20"),
                             abs_tol=arb("1e-20"), eval_limit=20_000))


def lower(x: acb) -> Fraction:
    """A rational below the real number."""
    q = real_ball(x).lower()
    man, exp = q.man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exp)
