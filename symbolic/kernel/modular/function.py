"""Values of functions: powers, roots, exponentials, circle and hyperbola, complex parts."""

from fractions import Fraction

from symbolic.kernel.modular.field import Undecided, Undefined, lift, turn
from symbolic.kernel.modular.form import (
    exponential,
    form,
    form_of_log,
    image,
    rational_power,
    scaled,
    times,
    turned,
)
from symbolic.kernel.modular.number import (
    NUMBERS,
    add,
    invert,
    matrix_power,
    multiply,
    whole_power,
)
from symbolic.kernel.modular.order import ORDER, real, sign, size_of
from symbolic.kernel.modular.world import (
    UNIT,
    World,
    as_scalar,
    atom,
    pi_of,
    residue,
    scalar,
    seen,
    value,
    whole,
)
from symbolic.kernel.term import Term


def _power(args, w, scope):
    base, exponent = value(args[0], w, scope), scalar(args[1], w, scope)
    if isinstance(base, tuple) and not len(base) == 1 == len(base[0]):
        return matrix_power(base, exponent, w)
    base = as_scalar(base)
    if args[1] == 0:
        return Fraction(1)
    by_shape = _whole_by_shape(args[1], w)
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        if base == 0 and exponent <= 0:
            raise Undefined("a power of zero")
        if base == 0:
            return Fraction(0)
        if by_shape or sign(args[0], w, scope) > 0:
            return whole_power(base, exponent.numerator, w)
        raise Undefined("a real power of a base that is not positive")
    if by_shape:
        raise Undecided("an exponent that should be whole")
    return _real_power(args, base, exponent, w, scope)


def _whole_by_shape(t: Term, w: World) -> bool:
    if isinstance(t, int):
        return True
    if isinstance(t, str):
        return t not in w.real_names
    return t[0] in ("+", "*", "-") and all(_whole_by_shape(a, w) for a in t[1:])


def _real_power(args, base, exponent, w, scope):
    if base == 0 and sign(args[1], w, scope) > 0:
        return Fraction(0)
    if sign(args[0], w, scope) <= 0:
        raise Undefined("a real power of a base that is not positive")
    if isinstance(exponent, Fraction):
        if isinstance(base, int):
            half = form_of_log(args[0], w, scope)
            return exponential(scaled(half, exponent), w)
        return rational_power(base, exponent, w)
    return exponential(times(form(args[1], w, scope), form_of_log(args[0], w, scope), w), w)


def _sqrt(args, w, scope):
    v = scalar(args[0], w, scope)
    if v == 0:
        return Fraction(0)
    if sign(args[0], w, scope) < 0:
        raise Undefined("the root of a negative number")
    if isinstance(v, Fraction):
        return rational_power(v, Fraction(1, 2), w)
    return exponential(scaled(form_of_log(args[0], w, scope), Fraction(1, 2)), w)


def _exp(args, w, scope):
    return exponential(form(args[0], w, scope), w)


def _circle(args, w, scope) -> tuple[int, int]:
    """exp(i x) and exp(-i x)."""
    z = residue(exponential(turned(form(args[0], w, scope), w), w), w)
    return z, pow(z, -1, w.field.p)


def _cos(args, w, scope):
    z, back = _circle(args, w, scope)
    return (z + back) * lift(w.field, Fraction(1, 2)) % w.field.p


def _sin(args, w, scope):
    z, back = _circle(args, w, scope)
    i = turn(w.field, Fraction(-1 if w.bar[0] % 2 else 1, 2))
    return (z - back) * pow(2 * i, -1, w.field.p) % w.field.p


def _tan(args, w, scope):
    return multiply(_sin(args, w, scope), invert(_cos(args, w, scope), w), w)


def _hyperbola(args, w, scope) -> tuple[int, int]:
    z = residue(exponential(form(args[0], w, scope), w), w)
    return z, pow(z, -1, w.field.p)


def _sinh(args, w, scope):
    z, back = _hyperbola(args, w, scope)
    return (z - back) * lift(w.field, Fraction(1, 2)) % w.field.p


def _cosh(args, w, scope):
    z, back = _hyperbola(args, w, scope)
    return (z + back) * lift(w.field, Fraction(1, 2)) % w.field.p


def _tanh(args, w, scope):
    return multiply(_sinh(args, w, scope), invert(_cosh(args, w, scope), w), w)


def _logistic(args, w, scope):
    z, _ = _hyperbola(args, w, scope)
    return multiply(z, invert((z + 1) % w.field.p, w), w)


def _log(args, w, scope):
    return image(form_of_log(args[0], w, scope), w)


def _abs(args, w, scope):
    v = scalar(args[0], w, scope)
    if isinstance(v, Fraction):
        return abs(v)
    if v == 0:
        return Fraction(0)
    size = size_of(args[0], w, scope)
    if abs(size.imag) < 1e-9 * (1 + abs(size)):
        return multiply(Fraction(sign(args[0], w, scope)), v, w)
    if abs(size.imag) < 1e-6:
        raise Undecided("real or not")
    f = form(args[0], w, scope)
    if set(f) <= {UNIT, (0, 1, 1)}:
        squares = sum((c * c for c in f.values()), Fraction(0))
        return rational_power(squares, Fraction(1, 2), w)
    return rational_power(v * _conjugate(args, w, scope) % w.field.p, Fraction(1, 2), w)


def _conjugate(args, w, scope):
    w.bar[0] += 1
    try:
        return scalar(args[0], w, scope)
    finally:
        w.bar[0] -= 1


def _re(args, w, scope):
    both = add(scalar(args[0], w, scope), _conjugate(args, w, scope), w)
    return multiply(both, Fraction(1, 2), w)


def _im(args, w, scope):
    back = multiply(Fraction(-1), _conjugate(args, w, scope), w)
    i = turn(w.field, Fraction(-1 if w.bar[0] % 2 else 1, 2))
    both = add(scalar(args[0], w, scope), back, w)
    return multiply(both, invert(2 * i % w.field.p, w), w)


def _opaque_function(head: str):
    def rule(args, w, scope):
        xs = tuple(scalar(a, w, scope) for a in args)
        w.notes.add("opaque")
        if head in ("asin", "acos") and abs(real(args[0], w, scope)) > 1:
            raise Undefined(f"{head} outside [-1, 1]")
        if head == "atan2" and xs == (0, 0):
            raise Undefined("the angle of zero")
        if head != "acos" and xs[0] == 0 and (head != "atan2" or sign(args[1], w, scope) > 0):
            return Fraction(0)
        return w.constants.setdefault((head, xs), w.rng.randrange(2, w.field.p))
    return rule


VALUES = {
    **NUMBERS, **ORDER,
    "at": lambda a, w, s: seen(atom(w, a[0], tuple(whole(k, w, s) for k in a[1:])), w),
    "pi": lambda a, w, s: pi_of(w), "e": lambda a, w, s: exponential({UNIT: Fraction(1)}, w),
    "i": lambda a, w, s: turn(w.field, Fraction(1 - 2 * (w.bar[0] % 2), 2)),
    "^": _power, "sqrt": _sqrt, "exp": _exp, "log": _log, "abs": _abs,
    "cos": _cos, "sin": _sin, "tan": _tan, "sinh": _sinh, "cosh": _cosh, "tanh": _tanh,
    "logistic": _logistic, "conj": _conjugate, "re": _re, "im": _im,
    **{h: _opaque_function(h) for h in ("atan", "asin", "acos", "atan2")},
}
