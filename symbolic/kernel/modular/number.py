"""Arithmetic of values: scalars, matrices, finite sums and products, whole-number functions."""

import math
from fractions import Fraction

from symbolic.kernel.modular.field import Undecided, Undefined, lift
from symbolic.kernel.modular.world import (
    BITS,
    Misfit,
    Number,
    World,
    as_scalar,
    residue,
    scalar,
    value,
    whole,
)
from symbolic.kernel.term import Term


def add(a, b, w: World):
    """The sum of two values; a plain 0 beside a matrix is the zero matrix."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return _add_matrices(a, b, w)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return _short(a + b, w)
    return (residue(a, w) + residue(b, w)) % w.field.p


def _add_matrices(a, b, w: World):
    if not isinstance(a, tuple):
        a, b = b, a
    if not isinstance(b, tuple):
        if b == 0:
            return a
        return ((add(as_scalar(a), b, w),),)
    if len(a) != len(b) or len(a[0]) != len(b[0]):
        raise Misfit("shapes differ")
    return tuple(tuple(add(x, y, w) for x, y in zip(r, s, strict=True))
                 for r, s in zip(a, b, strict=True))


def _short(x: Fraction, w: World) -> Number:
    if x.numerator.bit_length() + x.denominator.bit_length() > BITS:
        return lift(w.field, x)
    return x


def multiply(a, b, w: World):
    """The product of two values: scalars, scalar and matrix, matrices."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a[0]) == len(b):
            columns = tuple(zip(*b, strict=True))
            return tuple(tuple(_dot(r, c, w) for c in columns) for r in a)
        a, b = (as_scalar(a), b) if len(a) == 1 == len(a[0]) else (a, as_scalar(b))
    if isinstance(b, tuple):
        a, b = b, a
    if isinstance(a, tuple):
        return tuple(tuple(multiply(x, b, w) for x in r) for r in a)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return _short(a * b, w)
    return residue(a, w) * residue(b, w) % w.field.p


def _dot(xs, ys, w: World) -> Number:
    out = Fraction(0)
    for x, y in zip(xs, ys, strict=True):
        out = add(out, multiply(x, y, w), w)
    return out


def invert(x: Number, w: World) -> Number:
    """The inverse of a scalar; raises Undefined at zero."""
    if x == 0:
        raise Undefined("division by zero")
    return 1 / x if isinstance(x, Fraction) else pow(x, -1, w.field.p)


def whole_power(base: Number, n: int, w: World) -> Number:
    if isinstance(base, Fraction):
        if (base.numerator.bit_length() + base.denominator.bit_length()) * abs(n) < BITS:
            return base**n
        base = lift(w.field, base)
    return pow(base, n % (w.field.p - 1), w.field.p)


def identity(n: int) -> tuple:
    """The identity matrix."""
    return tuple(tuple(Fraction(int(i == j)) for j in range(n)) for i in range(n))


def inverse(a: tuple, w: World) -> tuple:
    """Gauss and Jordan; raises Undefined when singular."""
    rows, _ = _eliminate([[*r, *e] for r, e in zip(a, identity(len(a)), strict=True)], w)
    return tuple(tuple(r[len(a):]) for r in rows)


def determinant(a: tuple, w: World) -> Number:
    """The determinant by elimination."""
    try:
        return _eliminate([list(r) for r in a], w)[1]
    except Undefined:
        return Fraction(0)


def _eliminate(rows: list, w: World) -> tuple[list, Number]:
    n, det = len(rows), Fraction(1)
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            raise Undefined("a singular matrix")
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            det = multiply(det, Fraction(-1), w)
        det = multiply(det, rows[k][k], w)
        scale = invert(rows[k][k], w)
        rows[k] = [multiply(x, scale, w) for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                c = multiply(Fraction(-1), rows[i][k], w)
                rows[i] = [add(x, multiply(c, y, w), w)
                           for x, y in zip(rows[i], rows[k], strict=True)]
    return rows, det


# --- heads --------------------------------------------------------------------------------------

def _fold(op):
    def rule(args: tuple, w: World, scope: dict):
        out = value(args[0], w, scope)
        for a in args[1:]:
            out = op(out, value(a, w, scope), w)
        return out
    return rule


def _negative(args, w, scope):
    return multiply(Fraction(-1), value(args[0], w, scope), w)


def _quotient(args, w, scope):
    bottom = invert(scalar(args[1], w, scope), w)
    return multiply(value(args[0], w, scope), bottom, w)


def matrix_power(a: tuple, n: Number, w: World):
    if not isinstance(n, Fraction) or n.denominator != 1 or abs(n) > 12:
        raise Undecided("a power of a matrix")
    if len(a) != len(a[0]):
        raise Undecided("shapes differ")
    base, out = (a if n >= 0 else inverse(a, w)), identity(len(a))
    for _ in range(abs(n.numerator)):
        out = multiply(out, base, w)
    return out


def _square(t: Term, w: World, scope: dict) -> tuple:
    v = value(t, w, scope)
    v = v if isinstance(v, tuple) else ((v,),)
    if len(v) != len(v[0]):
        raise Undecided("not square")
    return v


def _transpose(args, w, scope):
    v = value(args[0], w, scope)
    return tuple(zip(*v, strict=True)) if isinstance(v, tuple) else v


def _trace(args, w, scope):
    out = Fraction(0)
    for k, row in enumerate(_square(args[0], w, scope)):
        out = add(out, row[k], w)
    return out


def _entry(args, w, scope):
    v, i, j = value(args[0], w, scope), whole(args[1], w, scope), whole(args[2], w, scope)
    v = v if isinstance(v, tuple) else ((v,),)
    if not (1 <= i <= len(v) and 1 <= j <= len(v[0])):
        raise Undefined("an entry outside the matrix")
    return v[i - 1][j - 1]


def _size(t, w, scope) -> int:
    n = whole(t, w, scope)
    if not 1 <= n <= 12:
        raise Undefined("a size below 1 (or too large)")
    return n


def _ranged(op, empty: int):
    def rule(args, w, scope):
        body, name, low, high = args
        first, last = whole(low, w, scope), whole(high, w, scope)
        out, inner = Fraction(empty), dict(scope)
        for k in range(first, last + 1):
            inner[name] = Fraction(k)
            term = value(body, w, inner)
            out = term if k == first else op(out, term, w)
        return out
    return rule


def _delta(args, w, scope):
    a, b = whole(args[0], w, scope), whole(args[1], w, scope)
    return Fraction(int(a == b))


def _factorial(args, w, scope):
    n = whole(args[0], w, scope)
    if n < 0 or n > 200:
        raise Undefined("a factorial below zero (or too large)")
    return Fraction(math.factorial(n))


def _binomial(args, w, scope):
    n, k = whole(args[0], w, scope), whole(args[1], w, scope)
    if not 0 <= n <= 200:
        raise Undecided("a binomial above a negative number")
    return Fraction(math.comb(n, k) if 0 <= k <= n else 0)


NUMBERS = {
    "+": _fold(add), "*": _fold(multiply), "-": _negative, "/": _quotient,
    "entry": _entry, "sum": _ranged(add, 0), "prod": _ranged(multiply, 1),
    "delta": _delta, "factorial": _factorial, "binomial": _binomial,
    "matrix": lambda a, w, s: tuple(tuple(scalar(x, w, s) for x in r[1:]) for r in a),
    "eye": lambda a, w, s: identity(_size(a[0], w, s)),
    "zeros": lambda a, w, s: ((Fraction(0),) * _size(a[1], w, s),) * _size(a[0], w, s),
    "T": _transpose, "trace": _trace, "det": lambda a, w, s: determinant(_square(a[0], w, s), w),
    "inv": lambda a, w, s: inverse(_square(a[0], w, s), w),
}
