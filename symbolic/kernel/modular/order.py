"""Order (abs, max, branches, floor): by exact rationals, else by floating point with a margin.

Residues have no order. Whatever is too close to call, or not surely real, raises Undecided.
"""

import cmath
import math
from fractions import Fraction

from symbolic.kernel.modular.field import Undecided
from symbolic.kernel.modular.world import (
    STEPS,
    Pair,
    Solved,
    World,
    atom,
    scalar,
    value,
    whole,
)
from symbolic.kernel.term import Term


def sign(t: Term, w: World, scope: dict) -> int:
    """-1, 0 or 1; raises Undecided when the value is near zero, or not real."""
    v = scalar(t, w, scope)
    if isinstance(v, Fraction):
        return (v > 0) - (v < 0)
    if v == 0:
        return 0
    size = real(t, w, scope)
    if abs(size) < 1e-7:
        raise Undecided("too close to zero")
    return 1 if size > 0 else -1


def holds(relation: Term, w: World, scope: dict) -> bool:
    """Whether a relation of scalars holds; raises Undecided when too close to say."""
    head, left, right = relation
    if head in ("=", "!="):
        return (sign(("+", left, ("-", right)), w, scope) == 0) == (head == "=")
    s = sign(("+", right, ("-", left)), w, scope)
    return s >= 0 if head == "<=" else s > 0


def branch(args, w, scope) -> Term:
    for _, condition, result in args[:-1]:
        if holds(condition, w, scope):
            return result
    return args[-1]


def largest(args, w, scope, side: int) -> Term:
    best = args[0]
    for a in args[1:]:
        if side * sign(("+", a, ("-", best)), w, scope) > 0:
            best = a
    return best


def real(t: Term, w: World, scope: dict) -> float:
    """The size of a real term in floating point."""
    x = size_of(t, w, scope)
    if abs(x.imag) > 1e-9 * (1 + abs(x)) or not math.isfinite(x.real):
        raise Undecided("not surely real")
    return x.real


def size_of(t: Term, w: World, scope: dict) -> complex:
    """The size of a term in complex floating point; raises Undecided where it cannot follow."""
    w.tick[0] += 1
    if w.tick[0] > STEPS:
        raise Undecided("too many steps")
    if isinstance(t, int):
        return complex(t)
    if isinstance(t, str) or t[0] == "at":
        return _size_of_atom(t, w, scope)
    try:
        return _size_of_head(t, w, scope)
    except (OverflowError, ValueError, ZeroDivisionError):
        raise Undecided("floating point does not follow") from None


def _size_of_atom(t: Term, w: World, scope: dict) -> complex:
    if isinstance(t, str):
        v = scope[t] if t in scope else atom(w, t, ())
    else:
        v = atom(w, t[1], tuple(whole(a, w, scope) for a in t[2:]))
    if isinstance(v, Solved):
        return v.size
    if isinstance(v, Pair):
        return complex(float(v.re), float(-v.im if w.bar[0] % 2 else v.im))
    if isinstance(v, Fraction):
        return complex(float(v))
    raise Undecided("the size of a matrix")


def _size_of_head(t: tuple, w: World, scope: dict) -> complex:
    head, args = t[0], t[1:]
    if head in ("+", "*", "-", "/", "^") or head in FLOATS:
        xs = [size_of(a, w, scope) for a in args]
        return SIZES[head](*xs) if head in SIZES else FLOATS[head](xs[0])
    if head in ("pi", "e", "i"):
        i = -1j if w.bar[0] % 2 else 1j
        return complex({"pi": math.pi, "e": math.e, "i": i}[head])
    if head in ("sum", "prod"):
        body, name, low, high = args
        out = complex(head == "prod")
        for k in range(whole(low, w, scope), whole(high, w, scope) + 1):
            x = size_of(body, w, {**scope, name: Fraction(k)})
            out = out * x if head == "prod" else out + x
        return out
    if head == "cases":
        return size_of(branch(args, w, scope), w, scope)
    if head in ("max", "min"):
        return size_of(largest(args, w, scope, 1 if head == "max" else -1), w, scope)
    v = scalar(t, w, scope)
    if isinstance(v, Fraction):
        return complex(float(v))
    if head == "sqrt":
        return cmath.sqrt(size_of(args[0], w, scope))
    raise Undecided(f"the size of {head}")


def _sum_of(*xs):
    return sum(xs)


SIZES = {
    "+": _sum_of, "*": lambda *xs: math.prod(xs), "-": lambda x: -x, "/": lambda x, y: x / y,
    "^": lambda x, y: x**y,
}


FLOATS = {
    "exp": cmath.exp, "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "sinh": cmath.sinh,
    "cosh": cmath.cosh, "tanh": cmath.tanh, "log": cmath.log, "abs": lambda x: complex(abs(x)),
    "logistic": lambda x: 1 / (1 + cmath.exp(-x)), "atan": cmath.atan,
    "conj": lambda x: x.conjugate(), "re": lambda x: complex(x.real),
    "im": lambda x: complex(x.imag),
}


def _cases(args, w, scope):
    return value(branch(args, w, scope), w, scope)


def _floor(args, w, scope):
    x = scalar(args[0], w, scope)
    if isinstance(x, Fraction):
        return Fraction(math.floor(x))
    size = real(args[0], w, scope)
    if abs(size - round(size)) < 1e-7 or abs(size) > 1e6:
        raise Undecided("a floor too close to a jump")
    return Fraction(math.floor(size))


ORDER = {
    "cases": _cases, "floor": _floor,
    "max": lambda a, w, s: scalar(largest(a, w, s, 1), w, s),
    "min": lambda a, w, s: scalar(largest(a, w, s, -1), w, s),
    "sign": lambda a, w, s: Fraction(sign(a[0], w, s)),
}
