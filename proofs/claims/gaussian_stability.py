"""On bounded tokens every variant has Lipschitz constants; linear attention alone can blow up.

Tokens y_u in [-rho, rho] on the line with weights p_u that add up to 1, scores a x y, value v. The
slope of the field in x is v a Var for softmax, 2 v q k Var for L2, v a E[y^2 s'] with s' <= 1/4
for sigmoid, v a E[y^2] for linear, v a Var/eps for Sinkhorn with known potentials; heads add up, a
mask changes nothing in x. Var and E[y^2] are at most rho^2. Averages of tokens stay within
rho, so |x(t)| <= |x(0)| e^{|v| t} for softmax, L2, Sinkhorn and masked softmax; sigmoid moves at
most as fast; a single token under linear attention obeys x' = v a x^3 and blows up. In the law the
normaliser's floor e^{-|a| rho^2} (times the sink's mass when masked) gives the constant.

Source: that solutions are stable, with constants doubly exponential in time, is quoted from a
summary of Castin, Ablin, Carrillo, Peyré (arXiv 2501.18322), whose full text could not be read;
the constants and proofs are ours. C3.single refutes the wording "all variants are globally well
posed on compact support": linear attention is not.
Missing: d > 1 (operator norms; the same with |V|, |A|, |K||Q|), the Wasserstein distance (its dual
form), and Gronwall's lemma, which makes the constant doubly exponential: what is proved are the
pointwise bounds that they combine.
"""

from proofs import Claim, at_least, at_most, equals

QUOTED, OURS = "form quoted from a summary of arXiv 2501.18322; constant and proof ours", "ours"
REFUTES = "ours; refutes a wording of a summary of arXiv 2501.18322"
SYMBOLS = {
    "n": "integer >= 1", "y": "real[1..n]", "p": "real[1..n] >= 0", "f": "real[1..n]",
    "g": "real[1..n]", "x": "real", "a": "real", "v": "real", "q": "real", "k": "real",
    "rho": "real > 0", "eps": "real > 0", "t": "real", "z": "real", "b": "real >= 0",
    "th": "real > 0", "x0": "real > 0", "c": "real > 0",
}
LAW = ("Sum(p[u],(u,1,n)) = 1",)
INSIDE = (*LAW, "y[u]**2 <= rho**2 for u in 1..n")
WITHIN = (
    equals("rho**2*Sum(p[u],(u,1,n)) - Sum(p[u]*(rho**2 - y[u]**2),(u,1,n))", by="normal"),
    at_most("rho**2*Sum(p[u],(u,1,n))", by="shape"), equals("rho**2", by="linear"))
MEAN, SQUARES = "Sum(p[u]*y[u],(u,1,n))", "Sum(p[u]*y[u]**2,(u,1,n))"


def _weighted(weight):
    """Mean, and variance, of the tokens under a weight, as texts."""
    mass = f"Sum({weight},(u,1,n))"
    first, second = (f"Sum({weight}*y[u]{power},(u,1,n))/{mass}" for power in ("", "**2"))
    return first, f"({second} - ({first})**2)"


SOFTMAX = _weighted("exp(a*x*y[u])")
L2 = _weighted("exp(-(q*x-k*y[u])**2)")
SINKHORN = _weighted("exp((a*x*y[u]+g[u])/eps)")


def _slope(variant):
    """Central difference of the field at x, by the layer on the tokens."""
    def measure(point, xp, rng):
        from numeric.attention import l2, linear, sigmoid, softmax

        def at(x):
            y, one = point["y"][:, None], xp.asarray([[1.0]])
            if variant == "sinkhorn":
                return softmax.forward(x * one, point["a"] * y, point["v"] * y,
                                       1 / point["eps"], causal=False,
                                       bias=point["g"] / point["eps"])
            if variant == "l2":
                return l2.forward(point["q"] * x * one, point["k"] * y, point["v"] * y, 1.0,
                                  causal=False)
            layer = {"softmax": softmax, "sigmoid": sigmoid, "linear": linear}[variant]
            return layer.forward(x * one, point["a"] * y, point["v"] * y, 1.0, causal=False)
        step = 1e-5
        return ((at(point["x"] + step) - at(point["x"] - step)) / (2 * step))[0, 0]
    return measure


def _single(point, xp, rng):
    """The time at which one token under linear attention from x = 1 with v = a = 1 is infinite."""
    import numpy as np

    from numeric.flow import Model, flow

    one = np.ones((1, 1))
    path = flow(Model("linear", one, one, one), one, 1.0, samples=2)
    return xp.asarray(path.blow_up), xp.asarray(0.5)


def _stable(point, xp, rng):
    """By how much W_2 of two flows exceeds the bound: not at all."""
    import numpy as np

    from numeric.meanfield import stability
    from numeric.model import by_score

    A, V = np.array([[0.3, -0.2], [0.1, 0.4]]), np.array([[0.5, 0.1], [-0.2, 0.3]])
    tokens = np.clip(rng.normal(size=(40, 2)), -1, 1) / 2**0.5
    moved = tokens + np.clip(0.05 * rng.normal(size=tokens.shape), -0.1, 0.1)
    found = stability(by_score("softmax", A, V), tokens, moved, 1.0)
    over = np.maximum(np.log(found.ratio) - found.log_bound, 0)
    return xp.asarray(over), xp.asarray(np.zeros_like(over))


CLAIMS = (
    Claim(
        name="gaussian.C13.softmax_slope",
        says="Softmax: the slope of the field is v a times the variance of the attended tokens.",
        start=f"Derivative(v*{SOFTMAX[0]}, x)", steps=(equals(f"v*a*{SOFTMAX[1]}", by="normal"),),
        measure=_slope("softmax"), tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="gaussian.C13.l2_slope",
        says="L2: 2 v q k times the variance under its own weights.",
        start=f"Derivative(v*{L2[0]}, x)", steps=(equals(f"2*v*q*k*{L2[1]}", by="normal"),),
        measure=_slope("l2"), tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="gaussian.C13.sinkhorn_slope",
        says="Sinkhorn, extended off the tokens by the potentials g of the keys: v a/eps times it.",
        start=f"Derivative(v*{SINKHORN[0]}, x)",
        steps=(equals(f"v*a/eps*{SINKHORN[1]}", by="normal"),),
        measure=_slope("sinkhorn"), tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="gaussian.C13.sigmoid_slope",
        says="Sigmoid: v a times the mean of y^2 s(1 - s).",
        start="Derivative(v*Sum(y[u]*logistic(a*x*y[u]),(u,1,n))/n, x)",
        steps=(equals("v*a*Sum(y[u]**2*logistic(a*x*y[u])*(1-logistic(a*x*y[u])),(u,1,n))/n",
                      by="telescope"),),
        measure=_slope("sigmoid"), tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="gaussian.C13.linear_slope",
        says="Linear: v a times the mean of y^2.",
        start="Derivative(v*Sum(y[u]*(a*x*y[u]),(u,1,n))/n, x)",
        steps=(equals("v*a*Sum(y[u]**2,(u,1,n))/n", by="normal"),),
        measure=_slope("linear"), tolerance=1e-5, source=OURS,
    ),
    Claim(
        name="gaussian.C13.variance",
        says="A variance of tokens within rho is at most rho^2.",
        given=INSIDE, start=f"{SQUARES} - {MEAN}**2",
        steps=(at_most(SQUARES, by="sign"), *WITHIN),
        no_measure="an inequality", source=OURS,
    ),
    Claim(
        name="gaussian.C13.gate",
        says="A gate's slope s(1 - s) is at most 1/4.",
        start="logistic(z)*(1 - logistic(z))",
        steps=(equals("1/4 - (logistic(z) - 1/2)**2", by="normal"), at_most("1/4", by="sign")),
        no_measure="an inequality", source=OURS,
    ),
    Claim(
        name="gaussian.C13.average",
        says="An average of tokens within rho lies within rho: the field is at most |v| rho.",
        given=INSIDE, start=f"{MEAN}**2",
        steps=(at_most(SQUARES, by="jensen"), *WITHIN),
        no_measure="an inequality", source=OURS,
    ),
    Claim(
        name="gaussian.C13.floor",
        says="The normaliser of weights f_u >= b is at least b, b = e^{-|a| rho^2} for softmax.",
        given=(*LAW, "f[u] >= b for u in 1..n"), start="Sum(p[u]*f[u],(u,1,n))",
        steps=(equals("b*Sum(p[u],(u,1,n)) + Sum(p[u]*(f[u] - b),(u,1,n))", by="normal"),
               at_least("b*Sum(p[u],(u,1,n))", by="shape"), equals("b", by="linear")),
        no_measure="an inequality", source=OURS,
    ),
    Claim(
        name="gaussian.C13.quotient",
        says="Two quotients of averages differ by the differences of parts over the normaliser.",
        symbols={"N1": "real", "N2": "real", "Z1": "real > 0", "Z2": "real > 0"},
        start="N1/Z1 - N2/Z2", steps=(equals("(N1 - N2)/Z1 - N2/Z2*(Z1 - Z2)/Z1", by="normal"),),
        no_measure="algebra", source=OURS,
    ),
    Claim(
        name="gaussian.C13.law_softmax",
        says="Softmax in the law: parts with slopes e^{b}(1 + b) and e^{b}|a| rho, over the floor "
             "e^{-b}, b = |a| rho^2, make the constant (1 + 2b) e^{2b}.",
        start="(exp(b)*(1 + b) + rho*exp(b)*(b/rho))/exp(-b)",
        steps=(equals("(1 + 2*b)*exp(2*b)", by="normal"),),
        no_measure="algebra; C13.stable compares with exact transport", source=QUOTED,
    ),
    Claim(
        name="gaussian.C13.law_masked",
        says="Masked: the floor is th e^{-b} with th the sink's mass, so the constant is over th.",
        start="(exp(b)*(1 + b) + rho*exp(b)*(b/rho))/(th*exp(-b))",
        steps=(equals("(1 + 2*b)*exp(2*b)/th", by="normal"),),
        no_measure="algebra; amplification is measured in gaussian_masked", source=QUOTED,
    ),
    Claim(
        name="gaussian.C13.stable",
        says="Forty tokens in the plane, moved by a little: W_2 grows less than the bound allows.",
        expect="tested", measure=_stable, source=QUOTED,
    ),
    Claim(
        name="gaussian.C3.single",
        says="One token under linear attention, x' = v a x^3: x0/sqrt(1 - 2 c x0^2 t) solves it "
             "and is infinite at t = 1/(2 c x0^2), c = v a > 0.",
        given=("2*c*x0**2*t < 1",), start="Derivative(x0/sqrt(1 - 2*c*x0**2*t), t)",
        steps=(equals("c*(x0/sqrt(1 - 2*c*x0**2*t))**3", by="normal"),),
        no_measure="C3.single_measured integrates it", source=REFUTES,
    ),
    Claim(
        name="gaussian.C3.single_measured",
        says="With v = a = x0 = 1 the token blows up at t = 1/2.",
        expect="tested", measure=_single, tolerance=1e-6, source=REFUTES,
    ),
)
