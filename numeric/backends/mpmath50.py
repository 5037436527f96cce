"""Fifty digits with mpmath: slow and sharp, the arbiter where double precision doubts.

Derivatives by central differences at thrice the precision (50 digits survive, nested as well),
integrals by the double exponential rule (15 digits, 8 when nested), limits by Aitken's process
(10 digits).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from numeric.arithmetic import Arithmetic, is_matrix, minus, size, unknown
from numeric.compiled import compile_term as _compile
from numeric.slopes import extrapolate, kink, partial_sums, slope
from symbolic.kernel.term import Term, heads

NAME = "mpmath50"
DIGITS, REAL_WITHIN = 50, 1e-30
TROUBLE = (ZeroDivisionError, OverflowError, ValueError, ArithmeticError)


@lru_cache(maxsize=1)
def _mp() -> Any:
    """A context of our own: the global precision of mpmath is left alone."""
    from mpmath import MPContext

    context = MPContext()
    context.dps = DIGITS
    return context


def available() -> bool | str:
    """True, or the reason why this backend cannot run."""
    from importlib.util import find_spec

    return True if find_spec("mpmath") else "mpmath is not installed"


def accuracy(term: Term) -> float:
    """The relative error to be expected of a value, by the operations in the term."""
    found = heads(term)
    if "limit" in found:
        return 1e-8
    if "int" in found:
        return 1e-7 if "diff" in found else 1e-9
    return 1e-15 if "diff" in found else 1e-25


def compile_term(term: Term, symbols: Any, rates: tuple = ()) -> Callable[[dict], Any]:
    """A function of a point; see `numeric.compiled.compile_term`."""
    return _compile(term, symbols, arithmetic(), rates)


def evaluate(term: Term, symbols: Any, point: dict, rates: tuple = ()) -> Any:
    """The value of a term at a point: an mpf, mpc or array of them; nan where undefined.

    Raises ValueError for a malformed term or a point that does not fit the sorts.
    """
    return compile_term(term, symbols, rates)(point)


def _nan() -> Any:
    return _mp().nan


def _number(value: Any) -> Any:
    mp = _mp()
    if isinstance(value, (bool, str)):
        raise ValueError(f"not a number: {value!r}")
    if isinstance(value, Fraction):
        return mp.mpf(value.numerator) / value.denominator
    try:
        if isinstance(value, (complex, np.complexfloating)):
            return mp.mpc(value)
        if isinstance(value, (int, np.integer)):
            return mp.mpf(int(value))
        if isinstance(value, (float, np.floating)):
            return mp.mpf(float(value))
        return mp.convert(value)
    except TypeError:
        raise ValueError(f"not a number: {str(value)[:40]!r}") from None


def _real(x: Any) -> Any:
    """The value as a real number; nan off the real line."""
    if not hasattr(x, "_mpc_"):
        return x
    near = abs(x.imag) <= REAL_WITHIN * (1 + abs(x.real))
    return x.real if near else _nan()


def _guarded(call: Callable) -> Callable:
    """nan in, nan out; nan where mpmath refuses."""
    def value(*args: Any) -> Any:
        if any(unknown(a) for a in args):
            return _nan()
        try:
            return call(*args)
        except TROUBLE:
            return _nan()
    return value


def _named(name: str, inside: Callable | None = None, reals: bool = False) -> Callable:
    """A function of mpmath by name; real, and nan outside its domain, where one is given."""
    def value(*args: Any) -> Any:
        if inside is not None or reals:
            args = tuple(_real(a) for a in args)
            if any(unknown(a) for a in args) or (inside is not None and not inside(*args)):
                return _nan()
        return getattr(_mp(), name)(*args)
    return _guarded(value)


def _power(a: Any, b: Any) -> Any:
    """a^b: a positive, or nonzero with b whole, or zero with b positive; else nan."""
    exponent = _real(b) if getattr(b, "imag", 0) == 0 else b
    real = not hasattr(exponent, "_mpc_")
    if real and exponent == _mp().floor(exponent) and abs(exponent) < 10**9:
        if a == 0 and exponent <= 0:
            return _nan()
        return a ** int(exponent)
    base = _real(a)
    if base > 0:
        return _mp().power(base, exponent)
    return base * 0 if base == 0 and real and exponent > 0 else _nan()


def _logistic(x: Any) -> Any:
    return 1 / (1 + _mp().exp(-x))


def _binomial(n: Any, k: Any) -> Any:
    from math import comb

    if n != int(n) or k != int(k) or not 0 <= n <= 10_000:
        return _nan()
    return _mp().mpf(comb(int(n), int(k)) if k >= 0 else 0)


def _factorial(n: Any) -> Any:
    return _mp().factorial(n) if n == int(n) and 0 <= n <= 10_000 else _nan()


def _on_reals(call: Callable) -> Callable:
    def value(*args: Any) -> Any:
        reals = [_real(a) for a in args]
        return _nan() if any(unknown(a) for a in reals) else call(*reals)
    return _guarded(value)


FUNCTIONS: dict[str, Callable] = {
    "real": _real, "/": _guarded(lambda a, b: a / b),
    "sqrt": _named("sqrt", lambda x: x >= 0), "log": _named("log", lambda x: x > 0),
    "asin": _named("asin", lambda x: abs(x) <= 1), "acos": _named("acos", lambda x: abs(x) <= 1),
    **{name: _named(name) for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "abs": _guarded(abs), "conj": _named("conj"), "re": _named("re"), "im": _named("im"),
    "atan": _named("atan", reals=True), "sign": _named("sign", reals=True),
    "floor": _named("floor", reals=True),
    "atan2": _named("atan2", lambda y, x: x != 0 or y != 0),
    "delta": _guarded(lambda a, b: _mp().mpf(1 if a == b else 0)),
    "logistic": _on_reals(_logistic), "factorial": _on_reals(_factorial),
    "binomial": _on_reals(_binomial), "max": _on_reals(max), "min": _on_reals(min),
}
CONSTANTS = {"pi": lambda: +_mp().pi, "e": lambda: +_mp().e, "i": lambda: _mp().mpc(0, 1)}


def _array(matrix: Any) -> np.ndarray:
    return np.array(matrix.tolist(), dtype=object).reshape(matrix.rows, matrix.cols)


def _inverse(m: np.ndarray) -> np.ndarray:
    undefined = np.full(m.shape, _nan(), dtype=object)
    if unknown(m):
        return undefined
    try:
        inverse = _array(_mp().inverse(_mp().matrix(m.tolist())))
    except TROUBLE:
        return undefined
    return inverse if size(inverse) * size(m) < 1e40 else undefined


def _determinant(m: np.ndarray) -> Any:
    return _nan() if unknown(m) else _guarded(lambda: _mp().det(_mp().matrix(m.tolist())))()


def _integral(f: Callable, low: Any, high: Any, nested: bool, at_once: bool) -> Any:
    mp = _mp()
    before = mp.dps
    mp.dps = min(before, 15 if nested else 30)
    good = 10.0 ** (-0.6 * mp.dps)
    try:
        value = _double_exponential(f, low, high, good)
        if value is not None or nested or before <= 15:
            return mp.nan if value is None else value
        for pieces in (1, 2, 5):
            value, error = mp.quad(f, _cuts(low, high, pieces), error=True)
            if error <= good * (1 + abs(value)):
                return value
        return value if error <= 1e-8 * (1 + abs(value)) else mp.nan
    except TROUBLE:
        return mp.nan
    finally:
        mp.dps = before


def _double_exponential(f: Callable, low: Any, high: Any, good: float) -> Any | None:
    """The integral by the double exponential rule, or None where halving the step moves it.

    Walks outwards until the terms vanish, so that a Gaussian costs about a hundred values.
    """
    mp = _mp()
    if low == high:
        return mp.mpf(0)
    if low > high:
        value = _double_exponential(f, high, low, good)
        return None if value is None else -value
    center: Any = _term(f, mp.mpf(0), low, high)
    total: Any = None
    for halvings in range(2, 7):
        h = mp.mpf(2) ** -halvings
        start, stride = (h, h) if total is None else (h, 2 * h)
        new = sum(_walk(f, sign, start, stride, low, high) for sign in (1, -1))
        if center is None or unknown(new):
            return None
        value = h * (center + new) if total is None else total / 2 + h * new
        if total is not None and abs(value - total) <= good * (1 + abs(value)):
            return value
        total = value
    return None


def _walk(f: Callable, sign: int, start: Any, stride: Any, low: Any, high: Any) -> Any:
    mp = _mp()
    total, t, quiet = mp.mpf(0), start, 0
    while t < 6 and quiet < 2:
        term = _term(f, sign * t, low, high)
        if term is None:
            break
        total += term
        quiet = quiet + 1 if abs(term) <= mp.eps * (1 + abs(total)) and t > 1 else 0
        t += stride
    return total


def _term(f: Callable, t: Any, low: Any, high: Any) -> Any | None:
    """f(x(t)) dx/dt; None where x(t) is no longer told from an end."""
    mp = _mp()
    inner, slope = mp.pi / 2 * mp.sinh(t), mp.pi / 2 * mp.cosh(t)
    if mp.isinf(low) and mp.isinf(high):
        x, weight = mp.sinh(inner), mp.cosh(inner) * slope
    elif mp.isinf(high):
        x, weight = low + mp.exp(inner), mp.exp(inner) * slope
    elif mp.isinf(low):
        x, weight = high - mp.exp(inner), mp.exp(inner) * slope
    else:
        half = (high - low) / 2
        x = (low + high) / 2 + half * mp.tanh(inner)
        weight = half * slope / mp.cosh(inner) ** 2
    return f(x) * weight if low < x < high else None


def _cuts(low: Any, high: Any, pieces: int) -> list:
    """The ends, and points that cut a finite interval into unequal pieces."""
    mp = _mp()
    if mp.isinf(low) or mp.isinf(high):
        middle = {1: [], 2: [0.7], 5: [-3.1, -0.7, 0.7, 3.1]}[pieces]
        return [low, *(m for m in middle if low < m < high), high]
    return [low + (high - low) * mp.mpf(k) / pieces for k in range(pieces + 1)]


def _derivative(f: Callable, scale: float, rough: bool) -> Any:
    mp = _mp()
    unit = max(1.0, scale if scale == scale else 1.0)
    if rough:
        value, error = slope(f, [mp.mpf(unit) / 2**k for k in (5, 9)], 1e-14)
        return value if value is not None and error <= 1e-6 else mp.nan
    before = mp.prec
    h = mp.mpf(2) ** -before
    mp.prec = 3 * before + 20
    try:
        slope_here = minus(f(h), f(-h)) / (2 * h)
        undefined = unknown(slope_here) or kink(f, h, 1e-8)
    finally:
        mp.prec = before
    return mp.nan if undefined else _rounded(slope_here)


def _rounded(value: Any) -> Any:
    if is_matrix(value):
        return np.array([[+v for v in row] for row in value], dtype=object)
    return +value


def _limit(f: Callable, point: Any, side: int, short: bool) -> Any:
    mp = _mp()
    before = mp.prec
    mp.prec = 4 * before
    try:
        if mp.isinf(point):
            steps = [2**k for k in range(2, 11)] if short else [10**k for k in range(2, 16)]
            found = [_settle([f(mp.mpf(s) * mp.sign(point)) for s in steps])]
        else:
            steps = range(3, 13) if short else range(3, 22)
            sides = (1, -1) if side == 0 else (side,)
            base = mp.mpf(2) if short else mp.mpf(10)
            found = [_settle([f(point + s * base**-k) for k in steps]) for s in sides]
    finally:
        mp.prec = before
    if any(unknown(v) for v in found) or size(minus(found[0], found[-1])) > 1e-9:
        return mp.nan
    return _rounded(found[0])


def _settle(values: list) -> Any:
    limit = extrapolate(values, 1e-11)
    return _nan() if limit is None else limit


def _series(f: Callable, low: int) -> Any:
    """Geometric decay by adding up; slower decay by extrapolation, where two methods agree.

    The harmonic series is not to be extrapolated: k**1.05 f(k) must fall.
    """
    mp = _mp()
    total = partial_sums(f, low, 1e-40, 3000)
    if total is not None:
        return total
    weights = [size(f(low + k)) * float(k) ** 1.05 for k in (10**3, 10**4, 10**5)]
    if not weights[0] > weights[1] > weights[2]:
        return mp.nan
    try:
        found = [mp.nsum(lambda k: f(int(k)), [low, mp.inf], method=m)
                 for m in ("richardson", "levin")]
    except (*TROUBLE, mp.NoConvergence):
        return mp.nan
    return found[0] if size(found[0] - found[1]) <= 1e-12 * (1 + size(found[0])) else mp.nan


@lru_cache(maxsize=1)
def arithmetic() -> Arithmetic:
    """The table of this backend; mpmath is imported when it is first asked for."""
    return Arithmetic(
        NAME, object, _number, CONSTANTS, FUNCTIONS, _guarded(_power), _inverse, _determinant,
        _integral, _derivative, _limit, _series, _nan(),
    )
