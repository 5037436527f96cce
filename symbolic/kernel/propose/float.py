"""Terms without binders in floating point: what proposals are checked and searched with."""

import cmath
import math
from collections.abc import Mapping

from symbolic.kernel.term import Term


def floating(term: Term, values: Mapping[str, complex],
             seen: dict[int, complex] | None = None) -> complex:
    """The value of a scalar term without binders in floating point, real where it can be.

    Raises ArithmeticError or ValueError where it is undefined, KeyError for unknown names.
    """
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        return values[term]
    seen = {} if seen is None else seen  # parts are shared: each is done once
    if id(term) not in seen:
        seen[id(term)] = _float_head(term, values, seen)
    return seen[id(term)]


def _float_head(term: tuple, values: Mapping[str, complex], seen: dict[int, complex]) -> complex:
    if term[0] == "cases":
        for case in term[1:-1]:
            if holds(case[1], values):
                return floating(case[2], values, seen)
        return floating(term[-1], values, seen)
    return _FLOATS[term[0]](*[floating(a, values, seen) for a in term[1:]])


def holds(relation: tuple, values: Mapping[str, complex], slack: float = 1e-12) -> bool:
    """Whether a relation between numbers holds in floating point; equations within `slack`."""
    head, left, right = relation
    x, y = floating(left, values), floating(right, values)
    scale = slack * (1 + abs(x) + abs(y))
    if head == "=":
        return abs(x - y) <= scale
    if head == "!=":
        return abs(x - y) > scale
    if isinstance(x, complex) or isinstance(y, complex):
        raise ValueError("an order of numbers that are not real")
    return y - x >= -scale if head == "<=" else x < y


def _float_power(x: complex, y: complex) -> complex:
    if y == 0:
        return 1
    if isinstance(x, complex) or isinstance(y, complex):
        return complex(x) ** y
    if x < 0 and y != int(y):
        raise ValueError("a real power of a negative number")
    return float(x) ** y


def _either(on_reals, on_plane):
    def rule(x):
        return on_plane(x) if isinstance(x, complex) else on_reals(x)
    return rule


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _quotient(x: complex, y: complex) -> complex:
    if abs(y) < 1e-14:  # a zero that rounding hides
        raise ZeroDivisionError
    return x / y


def _integer(x: float) -> int:
    if x != int(x):
        raise ValueError("no whole number")
    return int(x)


def _small(x: float) -> int:
    if not 0 <= x <= 160 or x != int(x):
        raise ValueError("no small whole number")
    return int(x)


_FLOATS = {
    "+": lambda *a: sum(a), "*": lambda *a: math.prod(a), "-": lambda x: -x,
    "/": _quotient, "^": _float_power, "pi": lambda: math.pi, "e": lambda: math.e,
    "i": lambda: 1j, "sqrt": _either(math.sqrt, cmath.sqrt), "exp": _either(math.exp, cmath.exp),
    "log": _either(math.log, cmath.log), "sin": _either(math.sin, cmath.sin),
    "cos": _either(math.cos, cmath.cos), "tan": _either(math.tan, cmath.tan),
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "asin": math.asin,
    "acos": math.acos, "atan": math.atan, "atan2": math.atan2, "logistic": _logistic,
    "abs": abs, "sign": lambda x: (x > 0) - (x < 0), "floor": math.floor,
    "factorial": lambda x: math.factorial(_small(x)),
    "delta": lambda x, y: int(_integer(x) == _integer(y)),
    "binomial": lambda x, y: math.comb(_small(x), _small(y)),
    "max": max, "min": min, "re": lambda x: complex(x).real, "im": lambda x: complex(x).imag,
    "conj": lambda x: complex(x).conjugate() if isinstance(x, complex) else x,
}
