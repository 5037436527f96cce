"""What a backend must know: numbers, functions of numbers, and the operations of analysis.

`numeric.compiled` turns a term into a closure over one of these tables; a backend is a table and
a few lines. Undefined values are `nan` throughout: no function of a table raises for a number.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from symbolic.kernel.term import Term

Closure = Callable[[dict], Any]         # of an environment, see numeric.points
Close = Callable[[Term], Closure]       # compiles a subterm
INEXACT = frozenset({"diff", "int", "limit"})


@dataclass(frozen=True)
class Arithmetic:
    """One arithmetic.

    `number` takes a Python number, a Fraction or a NumPy scalar; `constants` and `functions` are
    by head; `integral(f, low, high, nested, at_once)` (`nested` when f is itself approximate,
    `at_once` when f takes an array of points); `derivative(f, size, rough)` is the slope at step
    0 of a function of the step (`size` the magnitude of the variable, `rough` when f is itself
    approximate); `limit(f, point, side, short)` (`short` when only small arguments are cheap);
    `series(f, low)` sums to infinity. `vector` allows a bound name to stand for an array.
    `xp` is the array library, `array` makes its matrix of rows of numbers.
    """

    name: str
    dtype: Any
    number: Callable[[Any], Any]
    constants: Mapping[str, Callable[[], Any]]
    functions: Mapping[str, Callable]
    power: Callable[[Any, Any], Any]
    inverse: Callable[[np.ndarray], Any]
    determinant: Callable[[np.ndarray], Any]
    integral: Callable[[Callable, Any, Any, bool, bool], Any]
    derivative: Callable[[Callable, Any, bool], Any]
    limit: Callable[[Callable, Any, int, bool], Any]
    series: Callable[[Callable, int], Any]
    nan: Any
    vector: bool = False
    xp: Any = np
    array: Callable[[Any], Any] = partial(np.array, dtype=object)


@dataclass(frozen=True)
class Scope:
    """What a closure is compiled under: the arithmetic, the sorts, and the rates of change."""

    arithmetic: Arithmetic
    sorts: Mapping[str, tuple] = field(default_factory=dict)
    rates: tuple = ()


def is_matrix(value: Any) -> bool:
    """Whether a value is a matrix: two axes. One axis is a bound name standing for an array."""
    return getattr(value, "ndim", 0) == 2


def plain(value: Any) -> Any:
    """The value itself, where JAX's forward mode holds it inside a tracer."""
    while hasattr(value, "primal"):
        value = value.primal
    return value


def scalar(value: Any, head: str) -> Any:
    """The entry of a 1 x 1 matrix, or the number itself; ValueError for a larger matrix."""
    if not is_matrix(value):
        return value
    if value.shape == (1, 1):
        return value[0, 0]
    rows, cols = value.shape
    raise ValueError(f"{head!r} of a {rows} x {cols} matrix: it needs a number")


def whole(value: Any) -> int | None:
    """The whole number that a value is, or None."""
    try:
        if is_matrix(value):
            value = scalar(value, "index")
        number = complex(plain(value))
        if number.imag or number.real != round(number.real):
            return None
        return round(number.real)
    except (TypeError, ValueError, OverflowError):
        return None


def unknown(value: Any) -> bool:
    """Whether a value is undefined: it, or an entry of it, is not a number."""
    differs = value != value
    return bool(differs.any() if getattr(value, "ndim", 0) else differs)


def size(value: Any) -> float:
    """The largest absolute value in a number or array, as a float; nan if any entry is."""
    value = plain(value)
    if getattr(value, "ndim", 0):
        sizes = [size(entry) for entry in value.reshape(-1)]
        return float("nan") if any(s != s for s in sizes) else max(sizes, default=0.0)
    try:
        return float(abs(value))
    except OverflowError:
        return float("inf")


def plus(a: Any, b: Any) -> Any:
    """a + b. A number zero is neutral beside a matrix (an empty sum of matrices is written 0)."""
    if is_matrix(a) != is_matrix(b):
        matrix, number = (a, b) if is_matrix(a) else (b, a)
        if matrix.shape == (1, 1):
            return matrix[0, 0] + number
        if not getattr(number, "ndim", 0) and (number == 0 or unknown(number)):
            return matrix if number == 0 else number
        raise ValueError(f"'+' of a number and a matrix of shape {matrix.shape}")
    if is_matrix(a) and a.shape != b.shape:
        raise ValueError(f"'+' of matrices of shapes {a.shape} and {b.shape}")
    return a + b


def minus(a: Any, b: Any) -> Any:
    """a - b, shapes as in `plus`."""
    return plus(a, -b)


def _pair(a: Any, b: Any) -> Any:
    """The product of two neighbours, or None when their shapes do not chain."""
    if is_matrix(a) and is_matrix(b):
        return a @ b if a.shape[1] == b.shape[0] else None
    return a * b if is_matrix(a) else b * a


def times(factors: list) -> Any:
    """The product from left to right; a 1 x 1 matrix is a number wherever a number is needed.

    Raises ValueError when no way of bracketing makes the shapes chain.
    """
    factors = list(factors)
    while len(factors) > 1:
        for k in range(len(factors) - 1):
            product = _pair(factors[k], factors[k + 1])
            if product is not None:
                factors[k:k + 2] = [product]
                break
        else:
            if not any(is_matrix(f) and f.shape == (1, 1) for f in factors):
                shapes = ", ".join(str(f.shape) for f in factors)
                raise ValueError(f"'*' of matrices of shapes {shapes}")
            factors = [scalar(f, "*") if f.shape == (1, 1) else f for f in factors]
    return factors[0]
