"""Attention solves an entropy-regularised retrieval problem, and is its only solution.

Letters: scores s[u] of the n keys in the causal support, a distribution p on them, attention
A = softmax(s), partition function Z = Sum(exp(s)). On the simplex <p, s> + H(p) = log Z - KL(p, A),
so attention is the maximiser and log Z the value. Uniqueness comes with a margin: the gap is at
least the squared Hellinger distance of p and A.

Source: arXiv 2606.11585 calls attention entropy-regularised phase retrieval; the statement is
classical (Gibbs' variational principle), its form here ours.
Missing: p is inside the simplex, p > 0; K14.support says what holds on the support of any other p,
where A adds up to less than 1. That p = A follows from a gap of 0 is stated for each entry.
"""

from proofs import Claim, at_least, at_most, derived, equals
from symbolic.formulas import kuramoto

OURS = "classical; named in arXiv 2606.11585, form ours"
SYMBOLS = {"n": "integer >= 1", "s": "real[1..n]", "p": "real[1..n] > 0", "B": "real[1..n] > 0",
           "tau": "real > 0", "u": "index 1..n", "r": "index 1..n"}
SIMPLEX = ("Sum(p[u],(u,1,n)) = 1",)
BOTH = (*SIMPLEX, "Sum(B[u],(u,1,n)) = 1")
LET = {"Z": "Sum(exp(s[v]),(v,1,n))", "A[u]": "exp(s[u])/Z"}
WARM = {"Z": "Sum(exp(s[v]/tau),(v,1,n))", "A[u]": "exp(s[u]/tau)/Z"}
VALUE = "Sum(p[u]*s[u],(u,1,n)) - {}Sum(p[u]*log(p[u]),(u,1,n))"
KL = "Sum(p[u]*log(p[u]/{}[u]),(u,1,n))"
TANGENT = "Sum(p[u]*({0}[u]/p[u] - 1 - log({0}[u]/p[u])),(u,1,n))"
HELLINGER = "Sum((sqrt(B[u]) - sqrt(p[u]))**2,(u,1,n))"
ROOTS = "Sum(p[u]*(sqrt(B[u]/p[u]) - 1 - log(sqrt(B[u]/p[u]))),(u,1,n))"


def _entropy(p, xp):
    return -xp.sum(p * xp.log(p))


def _value(point, xp, rng):
    """The retrieval objective <p, s> + H(p)."""
    return xp.sum(point["p"] * point["s"]) + _entropy(point["p"], xp)


def _warm_value(point, xp, rng):
    return xp.sum(point["p"] * point["s"]) + point["tau"] * _entropy(point["p"], xp)


def _attention(point, xp, tau=1.0):
    """Attention over all n keys, as the layer computes it."""
    from numeric.attention import softmax

    return softmax.attention(point["s"][None, :] / tau, causal=False)[0, :]


def _reached(point, xp, rng):
    """The objective at the layer's own attention."""
    return _value({**point, "p": _attention(point, xp)}, xp, rng)


def _warm_reached(point, xp, rng):
    return _warm_value({**point, "p": _attention(point, xp, point["tau"])}, xp, rng)


def _logarithm(point, xp, rng):
    return xp.log(_attention(point, xp)[int(point["u"]) - 1])


def _divergence(point, xp, rng):
    return xp.sum(point["p"] * xp.log(point["p"] / point["B"]))


def _slope(point, xp, rng):
    """Central difference of the objective by p[r]."""
    step = 1e-5 * (xp.arange(point["p"].shape[0]) == int(point["r"]) - 1)
    ends = [_value({**point, "p": point["p"] + sign * step}, xp, rng) for sign in (1, -1)]
    return (ends[0] - ends[1]) / 2e-5


def _multiplier(point, xp, rng):
    """What the slope of the objective is at attention, entry r."""
    r = int(point["r"]) - 1
    return point["s"][r] - 1 - xp.log(_attention(point, xp)[r])


CLAIMS = (
    Claim(
        name="kuramoto.K14.logarithm",
        says="The logarithm of attention is the score minus the log-partition function.",
        start="log(A[u])", steps=(equals("s[u] - log(Z)", by="normal"),),
        measure=_logarithm, source=OURS,
    ),
    Claim(
        name="kuramoto.K14.gap",
        says="The objective falls short of the log-partition function by the divergence from "
             "attention, for every number of keys.",
        given=SIMPLEX, start=VALUE.format(""),
        steps=(
            equals(f"log(Z)*Sum(p[u],(u,1,n)) - {KL.format('A')}", by="normal"),
            equals(f"log(Z) - {KL.format('A')}", by="linear"),
        ),
        measure=_value, source=OURS,
    ),
    Claim(
        name="kuramoto.K14.divergence",
        says="The divergence of two distributions is never negative.",
        given=BOTH, start=KL.format("B"),
        steps=(
            equals(f"{TANGENT.format('B')} + Sum(p[u],(u,1,n)) - Sum(B[u],(u,1,n))", by="normal"),
            equals(TANGENT.format("B"), by="linear"),
            at_least("0", by="shape"),
        ),
        measure=_divergence, source="classical",
    ),
    Claim(
        name="kuramoto.K14.support",
        says="On the support of p, where attention adds up to at most 1, it is not negative "
             "either.",
        given=(*SIMPLEX, "Sum(B[u],(u,1,n)) <= 1"), start=KL.format("B"),
        steps=(
            equals(f"{TANGENT.format('B')} + Sum(p[u],(u,1,n)) - Sum(B[u],(u,1,n))", by="normal"),
            equals(f"{TANGENT.format('B')} + 1 - Sum(B[u],(u,1,n))", by="linear"),
            at_least("1 - Sum(B[u],(u,1,n))", by="shape"),
            at_least("0", by="linear"),
        ),
        measure=_divergence, source="classical",
    ),
    Claim(
        name="kuramoto.K14.value",
        says="No distribution beats the log-partition function.",
        given=SIMPLEX, start=VALUE.format(""),
        steps=(
            equals(f"log(Z)*Sum(p[u],(u,1,n)) - {TANGENT.format('A')} + Sum(A[u],(u,1,n))"
                   " - Sum(p[u],(u,1,n))", by="normal"),
            equals(f"log(Z) - {TANGENT.format('A')} + Sum(A[u],(u,1,n)) - 1", by="linear"),
            equals(f"log(Z) - {TANGENT.format('A')}", by="normal"),
            at_most("log(Z)", by="shape"),
        ),
        measure=_value, source=OURS,
    ),
    Claim(
        name="kuramoto.K14.attained",
        says="Attention attains it.",
        start="Sum(A[u]*s[u],(u,1,n)) - Sum(A[u]*log(A[u]),(u,1,n))",
        steps=(equals("log(Z)", by="normal"),), measure=_reached, source=OURS,
    ),
    Claim(
        name="kuramoto.K14.margin",
        says="The divergence is at least the squared Hellinger distance.",
        given=BOTH, start=KL.format("B"),
        steps=(
            equals(f"{HELLINGER} + 2*{ROOTS} + Sum(p[u],(u,1,n)) - Sum(B[u],(u,1,n))",
                   by="normal"),
            equals(f"{HELLINGER} + 2*{ROOTS}", by="linear"),
            at_least(HELLINGER, by="shape"),
        ),
        measure=_divergence, source="classical",
    ),
    Claim(
        name="kuramoto.K14.unique",
        says="So a distribution without a gap is attention, entry by entry: the square of the "
             "difference of the roots is at most 0.",
        given=(*BOTH, f"{KL.format('B')} = 0"), start="(sqrt(B[r]) - sqrt(p[r]))**2",
        steps=(
            equals(f"{HELLINGER} - Sum((sqrt(B[u]) - sqrt(p[u]))**2"
                   "*(1 - KroneckerDelta(u,r))**2,(u,1,n))", by="normal"),
            at_most(HELLINGER, by="shape"),
            equals(f"{KL.format('B')} - 2*{ROOTS} - Sum(p[u],(u,1,n)) + Sum(B[u],(u,1,n))",
                   by="normal"),
            equals(f"-2*{ROOTS}", by="linear"),
            at_most("0", by="shape"),
        ),
        no_measure="the fact that the divergence is 0 holds only where the claim is 0 = 0",
        source=OURS,
    ),
    Claim(
        name="kuramoto.K14.slope",
        says="The slope of the objective by p[r], derived by SymPy.",
        start=f"Derivative({VALUE.format('')}, p[r])",
        steps=(equals(derived(kuramoto.retrieval_gradient()), by="normal"),),
        measure=_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K14.stationary",
        says="At attention all slopes are equal: the multiplier of the simplex.",
        start="s[r] - 1 - log(A[r])", steps=(equals("log(Z) - 1", by="normal"),),
        measure=_multiplier, source=OURS,
    ),
    Claim(
        name="kuramoto.K14.temperature",
        says="With entropy weighted by tau the maximiser is the softmax of s/tau.",
        given=SIMPLEX, let=WARM, start=VALUE.format("tau*"),
        steps=(
            equals(f"tau*log(Z)*Sum(p[u],(u,1,n)) - tau*{TANGENT.format('A')}"
                   " + tau*Sum(A[u],(u,1,n)) - tau*Sum(p[u],(u,1,n))", by="normal"),
            equals(f"tau*log(Z) - tau*{TANGENT.format('A')} + tau*Sum(A[u],(u,1,n)) - tau",
                   by="linear"),
            equals(f"tau*log(Z) - tau*{TANGENT.format('A')}", by="normal"),
            at_most("tau*log(Z)", by="shape"),
        ),
        measure=_warm_value, source=OURS,
    ),
    Claim(
        name="kuramoto.K14.temperature_attained",
        says="And that softmax attains tau log Z.",
        let=WARM, start="Sum(A[u]*s[u],(u,1,n)) - tau*Sum(A[u]*log(A[u]),(u,1,n))",
        steps=(equals("tau*log(Z)", by="normal"),), measure=_warm_reached, source=OURS,
    ),
)
