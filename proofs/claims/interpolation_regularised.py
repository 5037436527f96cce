"""Regularised training: the loss is o(eps), like eps^(p/(p-1)); only its bound is linear in eps.

l >= 0 is the training loss, q = |theta|^2, J = l + eps q; B = |theta*|^2 for an interpolant, with
l = 0, r the least norm of one. l1, q1 and l2, q2 belong to global minimisers at e1 < e2. R1: the
bound of the paper. R2: monotone and concave. R3: l <= eps (r^2 - q), and q -> r^2 makes it o(eps).
R4: if |grad l| >= mu l^a, the exponent is 1/a, p/(p-1) for l like dist^p: 2 for p = 2.

Source: R1 is the statement of arXiv 2502.02270; R2-R4 and the exponents are ours.
Missing: that minimisers exist and that q -> r^2 (compactness) are arguments in words; so is
l <= z^(1/a) from l^a <= z.
"""

from proofs import Claim, above, at_least, at_most, derived, equals
from symbolic.formulas import tikhonov

PAPER, OURS = "arXiv 2502.02270", "ours"
SYMBOLS = {
    **{name: "real >= 0" for name in ("l", "q", "B", "delta", "l1", "l2", "q1", "q2")},
    **{name: "real > 0" for name in ("eps", "e1", "e2", "mu", "r", "C", "sigma", "x")},
    "s": "real in [0, 1]", "p": "real > 1", "a": "real in (0, 1)", "k": "integer >= 1",
    "m": "integer >= 1", "J": "matrix(k, m)", "z": "vector(k)",
    "N": "matrix(k, k) symmetric positive semidefinite",
}
BEST = ("l + eps*q <= eps*B",)
PAIR = ("e1 < e2", "l1 + e1*q1 <= l2 + e1*q2", "l2 + e2*q2 <= l1 + e2*q1")
FIRST, SECOND = "(l2 + e1*q2 - l1 - e1*q1)", "(l1 + e2*q1 - l2 - e2*q2)"
CHORD = "(1 - s)*(l1 + e1*q1) + s*(l2 + e2*q2)"
PLACE = "((2*eps*r/(p*C))**(1/(p - 1)))"


def _least(C, p, eps, r):
    """The minimiser of C s^p - 2 eps r s, by the zero of its derivative on a bracket of log s."""
    import math

    from scipy.optimize import brentq

    def slope(y):
        return math.log(p * C) + (p - 1) * y - math.log(2 * eps * r)

    return math.exp(brentq(slope, -400, 400, xtol=1e-13))


def _place(point, xp, rng):
    C, p, eps, r = (float(point[name]) for name in ("C", "p", "eps", "r"))
    p = max(p, 1.5)
    return xp.asarray(_least(C, p, eps, r)), (2 * eps * r / (p * C)) ** (1 / (p - 1))


def _exponent(point, xp, rng):
    """The slope of the loss between eps and 2 eps on a doubly logarithmic scale."""
    import math

    C, p, eps = (float(point[name]) for name in ("C", "p", "eps"))
    p = max(p, 1.5)
    one, two = (math.log(C) + p * math.log(_least(C, p, e, 1.0)) for e in (eps, 2 * eps))
    return xp.asarray((two - one) / math.log(2)), p / (p - 1)


def _ridge(point, xp, rng):
    """Loss of a regularised linear problem of minimiser theta, and its bound at sigma."""
    import numpy as np

    J = rng.normal(size=(2, 4))
    eps, y = min(float(point["eps"]), 5.0), rng.normal(size=2)
    theta = np.linalg.solve(J.T @ J + eps * np.eye(4), J.T @ y)
    sigma = np.linalg.svd(J, compute_uv=False)[-1]
    excess = np.sum((J @ theta - y) ** 2) - eps**2 * (theta @ theta) / sigma**2
    return xp.asarray(max(excess, 0.0)), 0.0


CLAIMS = (
    Claim(
        name="interpolation.R1.loss",
        says="A global minimiser is not beaten by an interpolant, so its loss is at most linear "
             "in eps.",
        given=BEST, start="l",
        steps=(at_most("eps*(B - q)", by="sign"), at_most("eps*B", by="sign")),
        no_measure="a sum of bounds; `attnproof train regularised` trains", source=PAPER,
    ),
    Claim(
        name="interpolation.R1.norm",
        says="And its norm is not larger.",
        given=BEST, start="q",
        steps=(equals("B - (eps*B - l - eps*q)/eps - l/eps", by="normal"),
               at_most("B", by="shape")),
        no_measure="a sum of bounds", source=PAPER,
    ),
    Claim(
        name="interpolation.R1.approximate",
        says="Minimisers up to delta lose delta: this is what remains for hardmax, whose loss is "
             "discontinuous.",
        given=("l + eps*q <= eps*B + delta",), start="l",
        steps=(at_most("eps*(B - q) + delta", by="sign"),),
        no_measure="a sum of bounds", source=OURS,
    ),
    Claim(
        name="interpolation.R2.norm",
        says="The norm of minimisers does not increase with eps.",
        given=PAIR, start="q2",
        steps=(equals(f"q1 - ({FIRST} + {SECOND})/(e2 - e1)", by="normal"),
               at_most("q1", by="shape")),
        no_measure="an order of minimisers", source=OURS,
    ),
    Claim(
        name="interpolation.R2.loss",
        says="Their loss does not decrease.",
        given=(*PAIR, "q2 <= q1"), start="l1",
        steps=(at_most("l2 + e1*q2 - e1*q1", by="sign"),
               equals("l2 - e1*(q1 - q2)", by="normal"), at_most("l2", by="shape")),
        no_measure="an order of minimisers", source=OURS,
    ),
    Claim(
        name="interpolation.R2.objective",
        says="Nor does the least value of J.",
        given=PAIR, start="l1 + e1*q1",
        steps=(at_most("l2 + e1*q2", by="sign"), at_most("l2 + e2*q2", by="sign")),
        no_measure="an order of minimisers", source=OURS,
    ),
    Claim(
        name="interpolation.R2.ratio",
        says="Divided by eps, it does not increase: it rises to r^2 as eps falls to 0.",
        given=PAIR, start="l2/e2 + q2",
        steps=(at_most("l1/e2 + q1", by="sign"), at_most("l1/e1 + q1", by="sign")),
        no_measure="an order of minimisers", source=OURS,
    ),
    Claim(
        name="interpolation.R2.concave",
        says="The least value is concave in eps: l, q belong to a minimiser between e1 and e2.",
        given=("l1 + e1*q1 <= l + e1*q", "l2 + e2*q2 <= l + e2*q"),
        start="l + ((1 - s)*e1 + s*e2)*q",
        steps=(equals(f"{CHORD} + (1 - s)*(l + e1*q - l1 - e1*q1) + s*(l + e2*q - l2 - e2*q2)",
                      by="normal"),
               at_least(CHORD, by="shape")),
        no_measure="an order of minimisers", source=OURS,
    ),
    Claim(
        name="interpolation.R2.derivative",
        says="Its difference quotients lie between the squared norms at both ends: from above,",
        given=PAIR, start="(l2 + e2*q2) - (l1 + e1*q1)",
        steps=(at_most("(e2 - e1)*q1", by="sign"),),
        no_measure="an order of minimisers", source=OURS,
    ),
    Claim(
        name="interpolation.R2.derivative_below",
        says="and from below.",
        given=PAIR, start="(l2 + e2*q2) - (l1 + e1*q1)",
        steps=(at_least("(e2 - e1)*q2", by="sign"),),
        no_measure="an order of minimisers", source=OURS,
    ),
    Claim(
        name="interpolation.R3.gap",
        says="With B = r^2 the bound is eps times the gap r^2 - q, which closes: l = o(eps).",
        given=("l + eps*q <= eps*r**2",), start="l/eps",
        steps=(equals("r**2 - q - (eps*r**2 - l - eps*q)/eps", by="normal"),
               at_most("r**2 - q", by="shape")),
        no_measure="a sum of bounds", source=OURS,
    ),
    Claim(
        name="interpolation.R4.power",
        says="From 2 eps |theta| = |grad l| >= mu l^a, with n the norm of theta.",
        symbols={"n": "real >= 0"}, given=("2*eps*n >= mu*l**a", "n <= r"), where=("0 < l",),
        start="mu*l**a",
        steps=(at_most("2*eps*n", by="sign"), at_most("2*eps*r", by="sign")),
        no_measure="a sum of bounds", source=OURS,
    ),
    Claim(
        name="interpolation.O10.stationary",
        says="C x^p - 2 eps r x is stationary where x^(p-1) = 2 eps r/(p C):",
        given=("x**(p - 1) = 2*eps*r/(p*C)",), start="Derivative(C*x**p - 2*eps*r*x, x)",
        steps=(equals("p*C*x**(p - 1) - 2*eps*r", by="normal"), equals("0", by="linear")),
        no_measure="O10.place measures the minimiser", source=OURS,
    ),
    Claim(
        name="interpolation.O10.place",
        says="SymPy finds the same place from the derivative.",
        start=PLACE, steps=(equals(derived(tikhonov.minimiser()), by="normal"),),
        measure=_place, source=OURS,
    ),
    Claim(
        name="interpolation.O10.convex",
        says="It is a minimum: the objective is convex in x > 0.",
        start="Derivative(C*x**p - 2*eps*r*x, x, 2)",
        steps=(equals("C*p*(p - 1)*x**(p - 2)", by="normal"), above("0", by="sign")),
        no_measure="O10.place measures the minimiser", source=OURS,
    ),
    Claim(
        name="interpolation.O10.exponent",
        says="The loss C x^p at it has the slope p/(p-1) on a doubly logarithmic scale: 2 for "
             "p = 2, 4/3 for p = 4, above 1 for every p.",
        start=f"eps*Derivative(log(C*{PLACE}**p), eps)",
        steps=(equals(derived(tikhonov.exponent()), by="normal"),
               equals("1 + 1/(p - 1)", by="normal"), above("1", by="sign")),
        measure=_exponent, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="interpolation.R4.residual",
        says="For l = |z|^2 with residual Jacobian J, J J' = sigma^2 + N: stationarity J'z = -eps "
             "theta gives sigma^2 l <= eps^2 |theta|^2, order eps^2.",
        let={"theta": "-J.T*z/eps"}, given=("J*J.T = sigma**2*eye(k) + N",),
        start="eps**2*norm2(theta)",
        steps=(equals("dot(z, J*J.T*z)", by="normal"),
               equals("sigma**2*norm2(z) + dot(z, N*z)", by="normal"),
               at_least("sigma**2*norm2(z)", by="shape")),
        measure=_ridge, source=OURS,
    ),
)
