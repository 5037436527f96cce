"""The loss of regularised training is at most linear in eps, and in the regular case quadratic.

l >= 0 is the loss, J = l + eps |theta|^2 the objective, B = |theta*|^2 for an interpolant theta*
(l = 0), r the least norm of one. A global minimiser has l <= eps (B - |theta|^2): a bound, linear
in eps. Its norm falls and its loss rises with eps, J is concave and J/eps falls. Where the gradient
of the loss is at least mu l^q, the loss is at most (2 eps r/mu)^(1/q): for l like s^p at distance s
this is the exponent p/(p - 1), 2 for a squared residual whose derivative has constant rank.

Source: the bound is Alcalde, Fantuzzi, Zuazua, arXiv 2502.02270; the rest is ours.
Missing: that minimisers exist (softmax: l is continuous and J coercive), and R3's limit, |theta| ->
r as eps -> 0 by compactness, so that the loss is o(eps) wherever l is continuous.
"""

from proofs import Claim, at_least, at_most, derived, equals
from symbolic.formulas import scaling

OURS, PAPER = "ours", "arXiv 2502.02270; proof ours"
SYMBOLS = {
    "eps": "real > 0", "h": "real > 0", "l": "real >= 0", "n": "real >= 0", "B": "real >= 0",
    "l1": "real >= 0", "n1": "real >= 0", "l2": "real >= 0", "n2": "real >= 0",
    "r": "real > 0", "mu": "real > 0", "u": "real > 0", "w": "real > 0",
    "q": "real in (0, 1)", "delta": "real >= 0", "C": "real > 0", "s": "real > 0",
    "p": "real > 1",
}
GLOBAL = ("l + eps*n <= eps*B",)
FIRST = "l1 + eps*n1 <= l2 + eps*n2"
SECOND = "l2 + (eps+h)*n2 <= l1 + (eps+h)*n1"
PATHS = "attnproof train regularised follows minimisers and measures it"


def _minimised(point, xp, rng):
    """C s^p at the minimiser of C s^p - 2 eps r s, found by bisection of its slope."""
    C, eps, r, p = (float(point[name]) for name in ("C", "eps", "r", "p"))
    low, high = 0.0, 1.0
    while p * C * high ** (p - 1) < 2 * eps * r:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = ((middle, high) if p * C * middle ** (p - 1) < 2 * eps * r
                     else (low, middle))
    return xp.asarray(C * high**p)


CLAIMS = (
    Claim(
        name="interpolation.R1.loss",
        says="A minimiser that is no worse than an interpolant has a loss of at most eps times "
             "what its squared norm is smaller by, hence at most linear in eps: a bound, not a "
             "rate.",
        given=GLOBAL, start="l",
        steps=(at_most("eps*(B - n)", by="sign"), at_most("eps*B", by="sign")),
        no_measure=PATHS, source=PAPER,
    ),
    Claim(
        name="interpolation.R1.norm",
        says="And it is no longer than the interpolant.",
        given=GLOBAL, start="n",
        steps=(equals("(l + eps*n)/eps - l/eps", by="normal"),
               at_most("eps*B/eps - l/eps", by="sign"), at_most("B", by="sign")),
        no_measure=PATHS, source=PAPER,
    ),
    Claim(
        name="interpolation.R1.above",
        says="What lies above the bound is no global minimiser, by as much as it lies above.",
        given=("l + eps*n >= eps*B + delta",), start="l + eps*n - eps*B",
        steps=(at_least("delta", by="sign"),), no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R1.nearly",
        says="A point within delta of the least objective satisfies the bound up to delta.",
        given=("l + eps*n <= eps*B + delta",), start="l",
        steps=(at_most("eps*(B - n) + delta", by="sign"),), no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R2.norm",
        says="Minimisers at eps and at eps + h: the squared norm does not rise with eps.",
        given=(FIRST, SECOND), start="n2",
        steps=(equals("(l1 + eps*n1 + l2 + (eps+h)*n2)/h - (l1 + eps*n1 + l2 + eps*n2)/h",
                      by="normal"),
               at_most("(l2 + eps*n2 + l2 + (eps+h)*n2)/h - (l1 + eps*n1 + l2 + eps*n2)/h",
                       by="sign"),
               at_most("(l2 + eps*n2 + l1 + (eps+h)*n1)/h - (l1 + eps*n1 + l2 + eps*n2)/h",
                       by="sign"), equals("n1", by="normal")),
        no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R2.loss",
        says="The loss does not fall with eps.",
        given=(FIRST, SECOND), start="l1",
        steps=(at_most("l2", by="linear", using=("interpolation.R2.norm",)),),
        no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R2.rising",
        says="The least objective rises with eps, at least as fast as h times the squared norm at "
             "the larger eps.",
        given=(FIRST,), start="l2 + (eps+h)*n2 - (l1 + eps*n1)",
        steps=(at_least("h*n2", by="sign"),),
        no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R2.slope",
        says="And at most as fast as h times that at the smaller one: its derivative is the "
             "squared norm wherever that is continuous.",
        given=(SECOND,), start="l2 + (eps+h)*n2 - (l1 + eps*n1)",
        steps=(at_most("h*n1", by="sign"),),
        no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R2.ratio",
        says="J/eps does not rise with eps.",
        given=(SECOND,), start="(l2 + (eps+h)*n2)/(eps+h)",
        steps=(at_most("(l1 + (eps+h)*n1)/(eps+h)", by="sign"),
               at_most("(l1 + eps*n1)/eps", by="sign")),
        no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R2.concave",
        says="The least objective is concave in eps: a minimiser at a mean of eps1 and eps2 is no "
             "better there than the mean of the least objectives J1, J2.",
        symbols={"J1": "real", "J2": "real", "w": "real in [0, 1]", "e1": "real > 0",
                 "e2": "real > 0"},
        given=("J1 <= l + e1*n", "J2 <= l + e2*n"), start="w*J1 + (1-w)*J2",
        steps=(at_most("l + (w*e1 + (1-w)*e2)*n", by="linear"),), no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R3.bound",
        says="With the least norm r the loss over eps is at most what the squared norm is below "
             "r^2; as the norm tends to r, the loss is o(eps).",
        given=("l + eps*n <= eps*r**2",), start="l/eps", steps=(at_most("r**2 - n", by="sign"),),
        no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R4.gradient",
        says="At a stationary point the gradient of the loss is 2 eps |theta|, at most 2 eps r in "
             "length: where it is at least mu l^q, u = l^q is at most 2 eps r/mu.",
        given=("mu*u <= 2*eps*r",), start="u", steps=(at_most("2*eps*r/mu", by="sign"),),
        no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R4.bound",
        says="And the loss u^(1/q) is at most the same power of that bound w.",
        given=("u <= w",), start="u**(1/q)", steps=(at_most("w**(1/q)", by="calculus"),),
        no_measure=PATHS, source=OURS,
    ),
    Claim(
        name="interpolation.R4.power",
        says="A loss C s^p has this for q = 1 - 1/p: its slope is p C^(1/p) l^q, and 1/q is "
             "p/(p - 1).",
        start="Derivative(C*s**p, s)",
        steps=(equals("p*C**(1/p)*(C*s**p)**(1-1/p)", by="normal"),),
        no_measure="R4.loss measures the loss of this model", source=OURS,
    ),
    Claim(
        name="interpolation.R4.stationary",
        says="The model C s^p - 2 eps r s of the objective at distance s from the least-norm "
             "interpolant is stationary where eps = p C s^(p-1)/(2 r).",
        start="Derivative(C*s**p - 2*eps*r*s, s)",
        steps=(equals("p*C*s**(p-1) - 2*eps*r", by="normal"),),
        no_measure="R4.loss measures the loss there", source=OURS,
    ),
    Claim(
        name="interpolation.R4.distance",
        says="So that s is (2 eps r/(p C))^(1/(p-1)), which SymPy finds, too.",
        start="(2*(p*C*s**(p-1)/(2*r))*r/(p*C))**(1/(p-1))",
        steps=(equals("(s**(p-1))**(1/(p-1))", by="normal"),
               equals("s", by="calculus")),
        no_measure="R4.loss measures the loss there", source=OURS,
    ),
    Claim(
        name="interpolation.R4.loss",
        says="The loss there, derived by SymPy.",
        start=derived(scaling.loss()),
        steps=(equals("C*(2*eps*r/(p*C))**(p/(p-1))", by="normal"),),
        measure=_minimised, source=OURS,
    ),
    Claim(
        name="interpolation.R4.exponent",
        says="The slope of log l in log eps is p/(p - 1): 2 for p = 2, 4/3 for p = 4, and 1 only "
             "in the limit of large p.",
        start="eps*Derivative(C*(2*eps*r/(p*C))**(p/(p-1)), eps)/(C*(2*eps*r/(p*C))**(p/(p-1)))",
        steps=(equals(derived(scaling.exponent()), by="normal"),),
        no_measure="R4.loss measures the loss that it is the slope of", source=OURS,
    ),
)
