"""One softmax layer merges no two tokens, yet as tau -> 0 it nears hardmax with an explicit error.

With A = a I, a > 0, along the segment between two tokens the layer has the slope a Var, positive
unless all projections agree: two tokens never get one image. A convex combination with positive
weights is not an extreme token. In the limit the image is within n exp(-g/tau) D of the preferred
token (n others, score gap g, distance D): increasing in tau, so one inequality at tau* = g/log(n
D/r) certifies all 0 < tau < tau*.

Source: ours (the paper, arXiv 2502.02270, Theorem 1.8, states that some tau* > 0 exists).
Missing: the mean value theorem from slope to injectivity, and that sharpest gaps make a minimum
over tokens, in words; a limit tau -> 0+ of the whole layer is stated by its explicit bound.
"""

from proofs import Claim, at_least, at_most, below, equals

OURS = "ours"
SYMBOLS = {
    "n": "integer >= 1", "k": "index 1..n", "p": "real[1..n]", "b": "real[1..n]", "a": "real > 0",
    "t": "real", "tau": "real > 0", "sigma": "real > 0", "s": "real[1..n]", "s0": "real",
    "p0": "real", "g": "real > 0", "h": "real", "D": "real > 0", "E": "real >= 0",
    "e": "real[1..n] >= 0", "q": "real[1..n]", "r": "real > 0", "w": "real[1..n] > 0",
    "c": "real",
}
LET = {"A[u]": "exp(a*t*p[u] + b[u])/Sum(exp(a*t*p[v] + b[v]),(v,1,n))",
       "mean": "Sum(A[u]*p[u],(u,1,n))"}
IMAGE = "(exp(s0/tau)*p0 + Sum(exp(s[l]/tau)*p[l],(l,1,n)))/(exp(s0/tau)" \
        " + Sum(exp(s[l]/tau),(l,1,n)))"
SHIFT = "Sum(e[l]*q[l],(l,1,n))/(1 + Sum(e[l],(l,1,n)))"
SLACK = "(D*Sum(E - e[l],(l,1,n)) + Sum(e[l]*(D - q[l]),(l,1,n)) + n*E*D*Sum(e[l],(l,1,n)))" \
        "/(1 + Sum(e[l],(l,1,n)))"


def _mean(point, xp, t):
    """The attended projection at a place of the segment, by the softmax layer."""
    from numeric.attention import softmax

    scores = point["a"] * t * point["p"] + point["b"]
    return xp.sum(softmax.attention(scores[None, :], causal=False)[0, :] * point["p"])


def _slope(point, xp, rng):
    return (_mean(point, xp, point["t"] + 1e-5) - _mean(point, xp, point["t"] - 1e-5)) / 2e-5


def _offset(point, xp, rng):
    """The image less the preferred token, by the softmax layer."""
    from numeric.attention import softmax

    scores = xp.concat([xp.asarray([point["s0"]]), point["s"]]) / point["tau"]
    line = xp.concat([xp.asarray([point["p0"]]), point["p"]])
    return xp.sum(softmax.attention(scores[None, :], causal=False)[0, :] * line) - point["p0"]


CLAIMS = (
    Claim(
        name="interpolation.S1.slope",
        says="Along a segment the attended projection has a variance as its slope.",
        start="Derivative(mean, t)",
        steps=(equals("a*(Sum(A[u]*p[u]**2,(u,1,n)) - mean**2)", by="normal"),
               equals("a*Sum(A[u]*(p[u] - mean)**2,(u,1,n))", by="normal")),
        measure=_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="interpolation.S1.positive",
        says="Which is at least the part of any one token k; along the difference of two tokens "
             "their projections differ, so one of them is not the mean, and the slope is "
             "positive: the layer does not merge them.",
        start="a*Sum(A[u]*(p[u] - mean)**2,(u,1,n))",
        steps=(equals("a*Sum(A[u]*(p[u] - mean)**2*(1 - KroneckerDelta(u,k))**2,(u,1,n))"
                      " + a*A[k]*(p[k] - mean)**2", by="normal"),
               at_least("a*A[k]*(p[k] - mean)**2", by="shape")),
        measure=_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="interpolation.S2.strict",
        says="No image is an extreme token: positive weights give the others their share.",
        given=("Sum(w[u],(u,1,n)) = 1", "p[u] <= c for u in 1..n", "p[k] < c"),
        start="Sum(w[u]*p[u],(u,1,n))",
        steps=(equals("c*Sum(w[u],(u,1,n)) - Sum(w[u]*(c - p[u])*(1 - KroneckerDelta(u,k))**2,"
                      "(u,1,n)) - w[k]*(c - p[k])", by="normal"),
               below("c*Sum(w[u],(u,1,n))", by="shape"), equals("c", by="linear")),
        measure=lambda point, xp, rng: xp.sum(point["w"] * point["p"]), source=OURS,
    ),
    Claim(
        name="interpolation.S3.image",
        says="The image less the preferred token, with the n others weighted by their score gaps.",
        start=f"{IMAGE} - p0",
        steps=(equals("Sum(exp((s[l]-s0)/tau)*(p[l]-p0),(l,1,n))"
                      "/(1 + Sum(exp((s[l]-s0)/tau),(l,1,n)))", by="normal"),),
        measure=_offset, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="interpolation.S3.bound",
        says="With weights e[l] <= E and distances q[l] <= D it is at most n E D; the lower bound "
             "is this one with -q.",
        given=("e[l] <= E for l in 1..n", "q[l] <= D for l in 1..n"), start=SHIFT,
        steps=(equals(f"n*E*D - {SLACK}", by="normal"), at_most("n*E*D", by="shape")),
        measure=lambda point, xp, rng: (xp.sum(point["e"] * point["q"])
                                        / (1 + xp.sum(point["e"]))), source=OURS,
    ),
    Claim(
        name="interpolation.O9.gap",
        says="A score gap h >= g gives a weight of at most exp(-g/tau).",
        given=("h >= g",), start="exp(-h/tau)", steps=(at_most("exp(-g/tau)", by="sign"),),
        measure=lambda point, xp, rng: xp.exp(xp.asarray(-point["h"] / point["tau"])), source=OURS,
    ),
    Claim(
        name="interpolation.O9.increasing",
        says="The bound increases with the temperature: one inequality serves an interval.",
        given=("tau <= sigma",), start="exp(-g/tau)",
        steps=(at_most("exp(-g/sigma)", by="sign"),),
        measure=lambda point, xp, rng: xp.exp(xp.asarray(-point["g"] / point["tau"])), source=OURS,
    ),
    Claim(
        name="interpolation.O9.threshold",
        says="At tau* = g/log(n D/r) the bound is the half-width r of the interval.",
        given=("n*D > r",), start="n*D*exp(-g/(g/log(n*D/r)))",
        steps=(equals("r", by="normal"),),
        no_measure="tests/numeric/test_interpolant_softmax.py encloses softmax in balls",
        source=OURS,
    ),
    Claim(
        name="interpolation.S4.rate",
        says="T_tau -> T_0: the weight exp(-g/tau) is at most 1/(1 + g/tau), so the error vanishes "
             "with tau.",
        start="exp(-g/tau)*(1 + g/tau)",
        steps=(equals("1 - exp(-g/tau)*(exp(g/tau) - 1 - g/tau)", by="normal"),
               at_most("1", by="shape")),
        no_measure="S3.image measures the layer", source=OURS,
    ),
)
