"""How a regularised loss scales with its weight eps, derived by SymPy.

Along a path towards a least-norm interpolant of norm r the objective behaves like C s^p - 2 eps r s
for a distance s: each function minimises or differentiates that; no exponent is typed in.
"""

from typing import Any


def _letters() -> tuple:
    """s, eps, r, C, p > 0; the pages ask for p > 1."""
    from sympy import symbols

    return symbols("s eps r C p", positive=True)


def minimiser() -> Any:
    """The s > 0 at which the derivative of C s^p - 2 eps r s vanishes."""
    from sympy import diff, solve

    s, eps, r, C, p = _letters()
    found, = solve(diff(C * s**p - 2 * eps * r * s, s) * s, s)
    return found


def exponent() -> Any:
    """The slope of log(C s^p) against log(eps) at that s."""
    from sympy import diff, log, simplify

    s, eps, _, C, p = _letters()
    return simplify(eps * diff(log(C * minimiser()**p), eps))
