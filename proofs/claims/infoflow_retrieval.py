"""What softmax retrieves: a value near the least score, and the value of the best token.

Gaps g[u] >= 0 of n = T - 1 scores above the least one, inverse temperature beta. The average of the
gaps under softmax is at most w/beta for every w with n e^(-1-w) <= w; the least such w solves
w e^(1+w) = T - 1, so w = W((T-1)/e) with Lambert's W, and then the bound is attained. Retrieval of
another value is off by at most its largest distance times r/(1+r), r = n e^(-gap/tau).

Source: ours; the framework that retrieves is InfoFlow, arXiv 2605.17930, and Lambert's W is that of
Corless et al. 1996.
Missing: Lambert's W is no function of the language, so w is a letter with the inequality that
defines it.
"""

from proofs import Claim, at_least, at_most, equals

OURS = "ours"
SYMBOLS = {
    "n": "integer >= 1", "beta": "real > 0", "tau": "real > 0", "w": "real > 0",
    "g": "real[1..n] >= 0", "gap": "real >= 0", "v": "real[1..n]", "D": "real >= 0",
    "R": "real >= 0", "r": "real >= 0",
}
LET = {"S": "Sum(exp(-beta*g[u]),(u,1,n))", "y[u]": "beta*g[u] - w - 1"}
FAR = ("g[u] >= gap for u in 1..n",)
WEIGHTS = "Sum(exp(-g[u]/tau),(u,1,n))"


def _average(point, xp, rng):
    """The average gap, by softmax attention over the least score and the others."""
    from numeric.attention import softmax

    gaps = xp.concat([xp.zeros(1), point["g"]])
    weights = softmax.attention(-point["beta"] * gaps[None, :], causal=False)[0, :]
    return xp.sum(weights * gaps)


def _worst(point, xp, rng):
    """A mass M of scores at the worst gap beside one at 0."""
    w, beta = point["w"], point["beta"]
    mass = w * xp.exp(1 + w) * xp.exp(-(1 + w))
    return mass * (1 + w) / beta / (1 + mass)


def _masses(point, xp, rng):
    return xp.sum(xp.exp(-point["g"] / point["tau"]))


def _summed(point, xp, rng):
    return xp.sum(point["v"] * xp.exp(-point["g"] / point["tau"]))


def _share(point, xp, rng):
    """The share of the others when the best has weight 1 and they have R together."""
    return 1 - 1 / (1 + point["R"])


CLAIMS = (
    Claim(
        name="infoflow.softmin.tangents",
        says="Each gap's contribution is below its largest possible one, summed over all n.",
        let=LET, start="Sum((beta*g[u] - w)*exp(-beta*g[u]),(u,1,n))",
        steps=(
            at_most("Sum(exp(beta*g[u] - w - 1)*exp(-beta*g[u]),(u,1,n))", by="shape"),
            equals("n*exp(-1 - w)", by="normal"),
        ),
        no_measure="a step towards infoflow.softmin.average, which is simulated", source=OURS,
    ),
    Claim(
        name="infoflow.softmin.average",
        says="The softmax average of T scores is above the least one by at most W((T-1)/e)/beta, "
             "for every number of tokens.",
        let=LET, given=("n*exp(-1 - w) <= w",),
        start="Sum(g[u]*exp(-beta*g[u]),(u,1,n))/(1 + S)",
        steps=(
            equals("w/beta - (w - n*exp(-1 - w))/(beta*(1 + S)) - Sum((exp(y[u]) - 1 - y[u])"
                   "*exp(-beta*g[u]),(u,1,n))/(beta*(1 + S))", by="normal"),
            at_most("w/beta", by="cleared"),
        ),
        measure=_average, source=OURS,
    ),
    Claim(
        name="infoflow.softmin.attained",
        says="It is attained when T - 1 = w e^(1+w) scores lie (1+w)/beta above the least.",
        let={"M": "w*exp(1 + w)"},
        start="M*(1 + w)/beta*exp(-(1 + w))/(1 + M*exp(-(1 + w)))",
        steps=(equals("w/beta", by="normal"),), measure=_worst, source=OURS,
    ),
    Claim(
        name="infoflow.softmin.logarithm",
        says="W((T-1)/e) is at most log T, as T = 1 + w e^(1+w).",
        start="w", steps=(at_most("log(1 + w*exp(1 + w))", by="calculus"),),
        no_measure="an inequality of one letter", source=OURS,
    ),
    Claim(
        name="infoflow.hard.masses",
        says="Tokens whose scores are a gap below the best have a mass of at most r together.",
        given=FAR, start=WEIGHTS,
        steps=(
            equals("n*exp(-gap/tau) - Sum(exp(-g[u]/tau)*(exp((g[u] - gap)/tau) - 1),(u,1,n))",
                   by="normal"),
            at_most("n*exp(-gap/tau) - Sum(exp(-g[u]/tau)*(g[u] - gap)/tau,(u,1,n))", by="shape"),
            at_most("n*exp(-gap/tau)", by="shape"),
        ),
        measure=_masses, source=OURS,
    ),
    Claim(
        name="infoflow.hard.bound",
        says="So the best token misses at most r/(1+r) of the attention.",
        given=("R <= r",), start="R/(1 + R)", steps=(at_most("r/(1 + r)", by="sign"),),
        measure=_share, source=OURS,
    ),
    Claim(
        name="infoflow.hard.value",
        says="And what the others bring, none farther than D from the best, adds up to at most D "
             "times their mass.",
        given=("v[u] <= D for u in 1..n",), start="Sum(v[u]*exp(-g[u]/tau),(u,1,n))",
        steps=(
            equals(f"D*{WEIGHTS} - Sum((D - v[u])*exp(-g[u]/tau),(u,1,n))", by="normal"),
            at_most(f"D*{WEIGHTS}", by="shape"),
        ),
        measure=_summed, source=OURS,
    ),
    Claim(
        name="infoflow.loophole.above",
        says="Without bounds on weights a mean of e^(-beta f) holds the minimum: its logarithm is "
             "at most log n above what the least term alone gives.",
        symbols={"f": "real[1..n]", "F": "real"}, given=("f[u] >= F for u in 1..n",),
        start="Sum(exp(-beta*f[u]),(u,1,n))",
        steps=(
            equals("n*exp(-beta*F) - Sum(exp(-beta*f[u])*(exp(beta*(f[u] - F)) - 1),(u,1,n))",
                   by="normal"),
            at_most("n*exp(-beta*F) - Sum(exp(-beta*f[u])*(beta*(f[u] - F)),(u,1,n))", by="shape"),
            at_most("n*exp(-beta*F)", by="shape"),
        ),
        measure=lambda point, xp, rng: xp.sum(xp.exp(-point["beta"] * point["f"])), source=OURS,
    ),
    Claim(
        name="infoflow.loophole.below",
        says="And it is at least that of any single term, so -log(sum)/beta is within log(n)/beta "
             "of the minimum: one uniform head retrieves it, with values that span e^(beta range).",
        symbols={"f": "real[1..n]", "r": "index 1..n"},
        start="Sum(exp(-beta*f[u]),(u,1,n))",
        steps=(
            equals("exp(-beta*f[r]) + Sum(exp(-beta*f[u])*(1 - KroneckerDelta(u,r))**2,(u,1,n))",
                   by="normal"),
            at_least("exp(-beta*f[r])", by="shape"),
        ),
        measure=lambda point, xp, rng: xp.sum(xp.exp(-point["beta"] * point["f"])), source=OURS,
    ),
)
