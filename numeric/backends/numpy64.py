"""Double precision with NumPy: fast, relative accuracy about 1e-10 on moderate terms.

Derivatives by Richardson differences (about 1e-9, each nesting loses three digits), integrals by
adaptive quadrature (1e-8), limits by Aitken's process (1e-6): see `accuracy`.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from numeric.arithmetic import Arithmetic, size, unknown
from numeric.compiled import compile_term as _compile
from numeric.slopes import extrapolate, kink, partial_sums, slope
from symbolic.kernel.term import Term, heads, walk

NAME = "numpy64"
NAN = float("nan")
REAL_WITHIN = 1e-9      # a complex value this close to the real line is read as real


def available() -> bool | str:
    """True, or the reason why this backend cannot run."""
    return True


def accuracy(term: Term) -> float:
    """The relative error to be expected of a value, by the operations in the term."""
    found = heads(term)
    diffs = sum(isinstance(t, tuple) and t[0] == "diff" for t in walk(term))
    if "limit" in found or (diffs and "int" in found):
        return 1e-5
    return max(1e-7 if "int" in found else 1e-10, (0, 1e-7, 1e-5)[min(diffs, 2)])


def compile_term(term: Term, symbols: Any, rates: tuple = ()) -> Callable[[dict], Any]:
    """A function of a point; see `numeric.compiled.compile_term`."""
    return _compile(term, symbols, ARITHMETIC, rates)


def evaluate(term: Term, symbols: Any, point: dict, rates: tuple = ()) -> Any:
    """The value of a term at a point: a float, complex or array; nan where undefined.

    Raises ValueError for a malformed term or a point that does not fit the sorts.
    """
    return compile_term(term, symbols, rates)(point)


def namespace() -> Any:
    """The array library in which simulations run beside this backend."""
    import array_api_compat.numpy as xp

    return xp


def _number(value: Any) -> Any:
    if isinstance(value, (bool, str)):
        raise ValueError(f"not a number: {value!r}")
    if isinstance(value, (complex, np.complexfloating)):
        return np.complex128(value)
    try:
        return np.float64(value.numerator / value.denominator
                          if isinstance(value, Fraction) else value)
    except OverflowError:
        return np.float64(NAN)
    except TypeError:
        raise ValueError(f"not a number: {str(value)[:40]!r}") from None


def _real(x: Any) -> Any:
    """The value as a real number; nan off the real line."""
    if not np.iscomplexobj(x):
        return x
    near = np.abs(np.imag(x)) <= REAL_WITHIN * (1 + np.abs(np.real(x)))
    return np.where(near, np.real(x), NAN)[()]


def _where(inside: Callable, call: Callable) -> Callable:
    """A real function that is nan outside its domain."""
    def value(x: Any) -> Any:
        x = _real(x)
        return call(np.where(inside(x), x, NAN))[()]
    return value


def _on_reals(call: Callable) -> Callable:
    return lambda *args: call(*(_real(a) for a in args))


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(b, np.ndarray):
        return a / np.where(b == 0, NAN, b)
    return a / b if b != 0 else NAN * a


def _power(a: Any, b: Any) -> Any:
    """a^b: a positive, or nonzero with b whole, or zero with b positive; else nan."""
    single = not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray)
    if single and not np.iscomplexobj(a) and a > 0:
        return a ** b
    b = _real(b) if np.all(np.imag(b) == 0) else b
    whole = np.isreal(b) & (np.real(b) == np.rint(np.real(b)))
    positive = np.isreal(a) & (np.real(a) > 0)
    defined = positive | ((a != 0) & whole) | ((a == 0) & np.isreal(b) & (np.real(b) > 0))
    safe = np.where(defined, a, 1)
    return np.where(defined, np.power(safe.astype(complex) if np.iscomplexobj(b) else safe, b),
                    NAN)[()]


def _sign(x: Any) -> Any:
    return np.sign(x)


def _atan2(y: Any, x: Any) -> Any:
    return np.where((x == 0) & (y == 0), NAN, np.arctan2(y, x))[()]


def _delta(a: Any, b: Any) -> Any:
    undefined = np.isnan(a) | np.isnan(b)
    return np.where(undefined, NAN, np.where(a == b, 1.0, 0.0))[()]


def _extreme(call: Callable) -> Callable:
    def value(*args: Any) -> Any:
        result = args[0]
        for a in args[1:]:
            result = call(result, a)
        return result
    return value


def _logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _factorial(n: Any) -> Any:
    k = float(n)
    return np.float64(math.factorial(int(k))) if k == round(k) and 0 <= k <= 170 else NAN


def _binomial(n: Any, k: Any) -> Any:
    if not (n == np.rint(n) and k == np.rint(k) and 0 <= n <= 1000):
        return NAN
    return np.float64(math.comb(int(n), int(k)) if k >= 0 else 0)


FUNCTIONS: dict[str, Callable] = {
    "real": _real, "/": _quotient,
    "sqrt": _where(lambda x: x >= 0, np.sqrt), "log": _where(lambda x: x > 0, np.log),
    "asin": _where(lambda x: np.abs(x) <= 1, np.arcsin),
    "acos": _where(lambda x: np.abs(x) <= 1, np.arccos),
    "exp": np.exp, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "abs": np.abs, "conj": np.conj,
    "re": np.real, "im": np.imag, "delta": _delta,
    "atan": _on_reals(np.arctan), "atan2": _on_reals(_atan2), "logistic": _on_reals(_logistic),
    "sign": _on_reals(_sign), "floor": _on_reals(np.floor),
    "factorial": _on_reals(_factorial), "binomial": _on_reals(_binomial),
    "max": _on_reals(_extreme(np.maximum)), "min": _on_reals(_extreme(np.minimum)),
}
CONSTANTS = {"pi": lambda: np.float64(np.pi), "e": lambda: np.float64(np.e),
             "i": lambda: np.complex128(1j)}


def _inverse(m: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.inv(m) if np.linalg.cond(m) < 1e14 else np.full(m.shape, NAN)
    except np.linalg.LinAlgError:
        return np.full(m.shape, NAN)


def _integral(f: Callable, low: Any, high: Any, nested: bool, at_once: bool) -> Any:
    import warnings

    from scipy.integrate import quad

    tolerance = 1e-8 if nested else 1e-10
    value = _double_exponential(f, low, high, at_once, tolerance)
    if value is not None:
        return value
    if nested:
        return NAN
    probe = f(_between(low, high))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, error = quad(f, low, high, limit=100, epsabs=tolerance, epsrel=tolerance,
                            complex_func=bool(np.iscomplexobj(probe)))[:2]
    good = abs(error) <= 1e-6 * (1 + abs(value))
    return np.float64(value) if good and np.isrealobj(value) else value if good else NAN


def _double_exponential(f: Callable, low: Any, high: Any, at_once: bool,
                        tolerance: float) -> Any | None:
    """The integral by the double exponential rule, or None where halving the step moves it.

    Smooth integrands, end points singular or infinite, need about a hundred points.
    """
    if low == high:
        return 0.0
    if low > high:
        value = _double_exponential(f, high, low, at_once, tolerance)
        return None if value is None else -value
    before = None
    for halvings in (3, 4, 5, 6):
        t = np.arange(-4.0, 4.0 + 1e-9, 2.0**-halvings)
        x, weight = _nodes(t, low, high)
        inside = (x > low) & (x < high) & np.isfinite(x) & (weight > 0)
        x, weight = x[inside], weight[inside]
        values = np.broadcast_to(f(x), x.shape) if at_once else np.array([f(v) for v in x])
        total = np.sum(values * weight) * 2.0**-halvings
        if before is not None and abs(total - before) <= tolerance * (1 + abs(total)):
            return total
        before = total
    return None


def _nodes(t: np.ndarray, low: Any, high: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where the rule evaluates, and with what weights dx/dt."""
    inner, slope = np.pi / 2 * np.sinh(t), np.pi / 2 * np.cosh(t)
    if math.isinf(low) and math.isinf(high):
        return np.sinh(inner), np.cosh(inner) * slope
    if math.isinf(high):
        return low + np.exp(inner), np.exp(inner) * slope
    if math.isinf(low):
        return high - np.exp(inner), np.exp(inner) * slope
    half = (high - low) / 2
    return (low + high) / 2 + half * np.tanh(inner), half * slope / np.cosh(inner) ** 2


def _between(low: Any, high: Any) -> Any:
    """A point inside an interval, its ends infinite or not."""
    if math.isinf(low) and math.isinf(high):
        return 0.3
    if math.isinf(high) or math.isinf(low):
        return low + 0.7 if math.isinf(high) else high - 0.7
    return low + 0.37 * (high - low)


def _derivative(f: Callable, scale: float, rough: bool) -> Any:
    unit = max(1.0, scale if scale == scale else 1.0)
    widths = [unit * 2.0**-k for k in ((4,) if rough else (4, 7, 10, 13))]
    value, error = slope(f, widths, 1e-11)
    if value is None or not error <= 1e-5 or kink(f, unit * 1e-5, 1e-2):
        return NAN
    return value


def _limit(f: Callable, point: Any, side: int, short: bool) -> Any:
    if math.isinf(point):
        steps = [2.0**k for k in range(2, 12 if short else 20)]
        return _settle([f(np.float64(math.copysign(s, point))) for s in steps])
    sides = (1, -1) if side == 0 else (side,)
    found = [_settle([f(point + s * 2.0**-k) for k in range(3, 16)]) for s in sides]
    if any(unknown(v) for v in found) or size(found[0] - found[-1]) > 1e-5:
        return NAN
    return found[0]


def _settle(values: list) -> Any:
    limit = extrapolate(values, 1e-7)
    return NAN if limit is None else limit


def _series(f: Callable, low: int) -> Any:
    total = partial_sums(f, low, 1e-12, 5000)
    return NAN if total is None else total


ARITHMETIC = Arithmetic(
    NAME, float, _number, CONSTANTS, FUNCTIONS, _power, _inverse, np.linalg.det, _integral,
    _derivative, _limit, _series, np.float64(NAN), vector=True,
)
