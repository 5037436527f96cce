"""Double precision over the array API: one table of operations for NumPy, torch and JAX.

Numbers are arrays without axes (NumPy's own scalars there), matrices have two. Derivatives by
Richardson differences, or forward mode where the library has it; integrals by adaptive
quadrature; limits by Aitken's process.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from numeric.arithmetic import Arithmetic, plain, size, unknown
from numeric.slopes import extrapolate, kink, partial_sums, slope
from symbolic.kernel.term import Term, heads, walk

NAN = float("nan")
REAL_WITHIN = 1e-9      # a complex value this close to the real line is read as real
WIDTHS, WIDTH_IF_ROUGH = (4, 7, 10, 13), (4,)       # of differences, as powers of 1/2
ROUNDING, POOR, KINK, KINK_WITHIN = 1e-11, 1e-5, 1e-5, 1e-2
Jvp = Callable[[Callable, Any], Any]        # (f, 0) -> the slope of f there


def accuracy(term: Term) -> float:
    """The relative error to be expected of a value, by the operations in the term."""
    found = heads(term)
    diffs = sum(isinstance(t, tuple) and t[0] == "diff" for t in walk(term))
    if "limit" in found or (diffs and "int" in found):
        return 1e-5
    return max(1e-7 if "int" in found else 1e-10, (0, 1e-7, 1e-5)[min(diffs, 2)])


def arithmetic(name: str, xp: Any, number: Callable[[Any], Any],
               array: Callable[[Any], Any], jvp: Jvp | None = None) -> Arithmetic:
    """The arithmetic of one library: `number` makes its 0-d double or complex, `array` a matrix.

    With `jvp` slopes are exact up to rounding; a kink still has none.
    """
    table, nan = functions(xp, number), number(NAN)
    return Arithmetic(
        name, float, number,
        {"pi": lambda: number(math.pi), "e": lambda: number(math.e), "i": lambda: number(1j)},
        table, _power(xp, table["real"], nan), _inverse(xp), xp.linalg.det,
        _integral(xp, number), _derivative(number, jvp), _limit(number), _series(nan), nan,
        vector=True, xp=xp, array=array,
    )


def real_number(value: Any) -> float | complex:
    """A Python number for a number, a Fraction or a NumPy scalar.

    Raises ValueError for text, truth values and anything else.
    """
    if isinstance(value, (bool, str)):
        raise ValueError(f"not a number: {value!r}")
    try:
        if isinstance(value, Fraction):
            return value.numerator / value.denominator
        return complex(value) if isinstance(value, complex) else float(value)
    except OverflowError:
        return NAN
    except TypeError:
        raise ValueError(f"not a number: {str(value)[:40]!r}") from None


def functions(xp: Any, number: Callable[[Any], Any]) -> dict[str, Callable]:
    """Functions of numbers by head; real ones are nan off their domain."""
    nan = number(NAN)

    def is_complex(x: Any) -> bool:
        return x.dtype == xp.complex128

    def real(x: Any) -> Any:
        if not is_complex(x):
            return x
        near = abs(xp.imag(x)) <= REAL_WITHIN * (1 + abs(xp.real(x)))
        return xp.where(near, xp.real(x), nan)[()]

    def on_reals(call: Callable) -> Callable:
        return lambda *args: call(*(real(a) for a in args))

    def inside(where: Callable, call: Callable) -> Callable:
        return on_reals(lambda x: call(xp.where(where(x), x, nan))[()])

    def extreme(call: Callable) -> Callable:
        def value(first: Any, *rest: Any) -> Any:
            for a in rest:
                first = call(first, a)
            return first
        return on_reals(value)

    def delta(a: Any, b: Any) -> Any:
        return xp.where((a != a) | (b != b), nan, xp.where(a == b, number(1), number(0)))[()]
    return {
        "real": real,
        "/": lambda a, b: (a / xp.where(b == 0, nan, b) if b.ndim else
                           a / b if b != 0 else nan * a),
        "sqrt": inside(lambda x: x >= 0, xp.sqrt), "log": inside(lambda x: x > 0, xp.log),
        "asin": inside(lambda x: abs(x) <= 1, xp.asin),
        "acos": inside(lambda x: abs(x) <= 1, xp.acos),
        **{head: getattr(xp, head) for head in ("exp", "sin", "cos", "tan", "sinh", "cosh",
                                                "tanh", "abs")},
        "re": lambda x: xp.real(x) if is_complex(x) else x,
        "im": lambda x: xp.imag(x) if is_complex(x) else xp.zeros_like(x),
        "conj": lambda x: xp.real(x) - 1j * xp.imag(x) if is_complex(x) else x,
        "atan": on_reals(xp.atan), "floor": on_reals(xp.floor),
        "sign": on_reals(lambda x: xp.where(x != x, nan, xp.sign(x))[()]),
        "atan2": on_reals(lambda y, x: xp.where((x == 0) & (y == 0), nan, xp.atan2(y, x))[()]),
        "delta": delta, "logistic": on_reals(lambda x: 1 / (1 + xp.exp(-x))),
        "max": extreme(xp.maximum), "min": extreme(xp.minimum),
        "factorial": on_reals(lambda n: number(_factorial(float(plain(n))))),
        "binomial": on_reals(lambda n, k: number(_binomial(float(plain(n)), float(plain(k))))),
    }


def _factorial(n: float) -> float:
    return float(math.factorial(int(n))) if 0 <= n <= 170 and n == round(n) else NAN


def _binomial(n: float, k: float) -> float:
    if not 0 <= n <= 1000 or n != round(n) or k != k or abs(k) > 1e9 or k != round(k):
        return NAN
    return float(math.comb(int(n), int(k))) if k >= 0 else 0.0


def _power(xp: Any, real: Callable, nan: Any) -> Callable:
    """a^b: a positive, or nonzero with b whole, or zero with b positive; else nan."""
    def power(a: Any, b: Any) -> Any:
        whole_complex, base_complex = b.dtype == xp.complex128, a.dtype == xp.complex128
        if not a.ndim and not b.ndim and not base_complex and a > 0:
            return a ** b
        if whole_complex and xp.all(xp.imag(b) == 0):
            b, whole_complex = real(b), False
        exponent = xp.real(b) if whole_complex else b
        flat = (xp.imag(b) == 0) if whole_complex else exponent == exponent
        base = xp.real(a) if base_complex else a
        level = (xp.imag(a) == 0) if base_complex else base == base
        whole = flat & (exponent == xp.round(exponent))
        defined = ((level & (base > 0)) | ((a != 0) & whole)
                   | ((a == 0) & flat & (exponent > 0)))
        safe = xp.where(defined, a, xp.ones_like(a))
        if whole_complex and not base_complex:
            safe = safe + 0j
        return xp.where(defined, safe ** b, nan)[()]
    return power


def _inverse(xp: Any) -> Callable:
    def inverse(m: Any) -> Any:
        bad = m * NAN
        return xp.linalg.inv(m) if not unknown(m) and xp.linalg.cond(m) < 1e14 else bad
    return inverse


def _integral(xp: Any, number: Callable) -> Callable:
    def integral(f: Callable, low: Any, high: Any, nested: bool, at_once: bool) -> Any:
        tolerance = 1e-8 if nested else 1e-10
        value = _double_exponential(xp, number, f, low, high, at_once, tolerance)
        if value is not None:
            return value
        return number(NAN if nested else _adaptive(f, low, high, number, tolerance))
    return integral


def _adaptive(f: Callable, low: Any, high: Any, number: Callable, tolerance: float) -> Any:
    """The integral by SciPy's adaptive rule, nan where its error estimate is poor."""
    import warnings

    from scipy.integrate import quad

    probe = complex(f(number(_between(low, high))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, error = quad(
            lambda x: complex(f(number(x))) if probe.imag else complex(f(number(x))).real,
            float(low), float(high), limit=100, epsabs=tolerance, epsrel=tolerance,
            complex_func=bool(probe.imag))[:2]
    return value if abs(error) <= 1e-6 * (1 + abs(value)) else NAN


def _double_exponential(xp: Any, number: Callable, f: Callable, low: Any, high: Any,
                        at_once: bool, tolerance: float) -> Any | None:
    """The integral by the double exponential rule, or None where halving the step moves it.

    Smooth integrands, end points singular or infinite, need about a hundred points.
    """
    if low == high:
        return number(0)
    if low > high:
        value = _double_exponential(xp, number, f, high, low, at_once, tolerance)
        return None if value is None else -value
    before = None
    for halvings in (3, 4, 5, 6):
        x, weight = map(xp.asarray, _nodes(halvings, float(low), float(high)))
        values = f(x) if at_once else xp.stack([f(v) for v in x])
        total = xp.sum(values * weight) * 2.0**-halvings
        if before is not None and abs(total - before) <= tolerance * (1 + abs(total)):
            return total
        before = total
    return None


def _nodes(halvings: int, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the rule evaluates, and with what weights dx/dt.

    A node that rounding puts on an end moves to the middle and weighs nothing: the number of
    nodes depends on `halvings` alone, as JAX compiles anew for every length.
    """
    t = np.arange(-4 * 2**halvings, 4 * 2**halvings + 1) * 2.0**-halvings
    x, weight = _placed(np.pi / 2 * np.sinh(t), np.pi / 2 * np.cosh(t), low, high)
    inside = (x > low) & (x < high) & np.isfinite(x) & (weight > 0)
    return np.where(inside, x, x[len(x) // 2]), np.where(inside, weight, 0.0)


def _placed(inner: np.ndarray, slope: np.ndarray, low: float,
            high: float) -> tuple[np.ndarray, np.ndarray]:
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


def _derivative(number: Callable, jvp: Jvp | None) -> Callable:
    """The slope of f at 0; nan at a kink and where differences do not settle.

    A function that is itself approximate is not differentiated by `jvp`: its steps would be.
    """
    def derivative(f: Callable, scale: float, rough: bool) -> Any:
        unit = max(1.0, scale if scale == scale else 1.0)
        if jvp is not None and not rough:
            value, error = jvp(f, number(0)), 0.0
        else:
            widths = [number(unit * 2.0**-k) for k in (WIDTH_IF_ROUGH if rough else WIDTHS)]
            value, error = slope(f, widths, ROUNDING)
        if value is None or not error <= POOR or kink(f, number(unit * KINK), KINK_WITHIN):
            return number(NAN)
        return value
    return derivative


def _limit(number: Callable) -> Callable:
    def limit(f: Callable, point: Any, side: int, short: bool) -> Any:
        if math.isinf(point):
            steps = [2.0**k for k in range(2, 12 if short else 20)]
            return settle([f(number(math.copysign(s, point))) for s in steps])
        sides = (1, -1) if side == 0 else (side,)
        found = [settle([f(point + s * 2.0**-k) for k in range(3, 16)]) for s in sides]
        if any(unknown(v) for v in found) or size(found[0] - found[-1]) > 1e-5:
            return number(NAN)
        return found[0]

    def settle(values: list) -> Any:
        value = extrapolate(values, 1e-7)
        return number(NAN) if value is None else value
    return limit


def _series(nan: Any) -> Callable:
    def series(f: Callable, low: int) -> Any:
        total = partial_sums(f, low, 1e-12, 5000)
        return nan if total is None else total
    return series
