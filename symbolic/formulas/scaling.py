"""How the loss of a regularised minimiser falls with eps, derived by SymPy from its model.

Near a least-norm interpolant of norm r, at distance s towards 0, the loss is C s^p and the penalty
falls by 2 eps r s to first order. Each function minimises that model; no exponent is typed in.
Source: ours, for Tikhonov training as in arXiv 2502.02270.
"""

from types import SimpleNamespace


def letters() -> SimpleNamespace:
    """C, eps, r, s > 0 and p > 1 by the names of the page."""
    from sympy import symbols

    names = "C eps r s p"
    return SimpleNamespace(**dict(zip(names.split(), symbols(names, positive=True), strict=True)))


def model():
    """The objective at distance s, up to terms without s."""
    at = letters()
    return at.C * at.s**at.p - 2 * at.eps * at.r * at.s


def distance():
    """The s > 0 where the model is stationary."""
    from sympy import powsimp, solve

    found, = solve(model().diff(letters().s), letters().s)
    return powsimp(found)


def loss():
    """C s^p there."""
    at = letters()
    return at.C * distance() ** at.p


def exponent():
    """The slope of log(loss) in log(eps), eps loss'/loss."""
    from sympy import simplify

    return simplify(letters().eps * loss().diff(letters().eps) / loss())
