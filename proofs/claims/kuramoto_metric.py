"""The ungated score is a positive semidefinite kernel, the gated one a distance with a bias.

Letters: Phi[t,j] drifting phases in radians, gates gq, gk, scale tau > 0, width k. D2[t,u] is the
gated squared distance of two points of the torus, the sum of gq[t,j] gk[u,j] |exp(i Phi[t,j]) -
exp(i Phi[u,j])|^2. The score is tau/sqrt(k) (overlap of the gates - D2/2); only where the overlap
does not depend on the key is attention a softmax of -D2/2, else the overlap is a bias of each key.

Source: "learned metric" is the wording of arXiv 2606.11585; the statements are ours.
Missing: positive semidefiniteness is stated as a quadratic form over n tokens, not as a matrix.
"""

from proofs import Claim, at_least, derived, equals
from symbolic.formulas import kuramoto

OURS = "ours; the words 'learned metric' are those of arXiv 2606.11585"
SYMBOLS = {
    "n": "integer >= 1", "k": "integer >= 1", "t": "index 1..n", "u": "index 1..n",
    "Phi": "real[1..n, 1..k]", "c": "real[1..n]", "g": "real[1..n, 1..k]", "tau": "real > 0",
    "gq": "real[1..n, 1..k]", "gk": "real[1..n, 1..k]", "h": "real[1..k]",
}
PAIRS = "Sum(Sum(c[t]*c[u]*Sum({}cos(Phi[t,j]-Phi[u,j]),(j,1,k)),(u,1,n)),(t,1,n))"
SQUARES = ("Sum(Sum(c[t]*{0}cos(Phi[t,j]),(t,1,n))**2"
           " + Sum(c[t]*{0}sin(Phi[t,j]),(t,1,n))**2,(j,1,k))")
GAP = "((cos(Phi[t,j])-cos(Phi[{0},j]))**2 + (sin(Phi[t,j])-sin(Phi[{0},j]))**2)"
LET = {
    "s[t,u]": "tau/sqrt(k)*Sum(gq[t,j]*gk[u,j]*cos(Phi[t,j]-Phi[u,j]),(j,1,k))",
    "bias[t,u]": "Sum(gq[t,j]*gk[u,j],(j,1,k))",
    "D2[t,u]": f"Sum(gq[t,j]*gk[u,j]*{GAP.format('u')},(j,1,k))",
}
ALIKE = {**LET, "s[t,u]": LET["s[t,u]"].replace("gk[u,j]", "h[j]"),
         "D2[t,u]": LET["D2[t,u]"].replace("gk[u,j]", "h[j]")}


def _scores(point, xp, gq, gk):
    """All scores, by one matrix product of gated lifts."""
    from numeric.attention import kuramoto

    lift, k = kuramoto.features(point["Phi"]), point["Phi"].shape[1]
    query, key = (xp.concat([g, g], axis=-1) * lift for g in (gq, gk))
    return point["tau"] / k**0.5 * (query @ key.T)


def _form(point, xp, rng):
    """c' K c for the bare scores, without the scale."""
    ones = xp.ones_like(point["Phi"])
    kernel = _scores({**point, "tau": ones.shape[1] ** 0.5}, xp, ones, ones)
    return point["c"] @ kernel @ point["c"]


def _gated_form(point, xp, rng):
    g = point["g"]
    kernel = _scores({**point, "tau": g.shape[1] ** 0.5}, xp, g, g)
    return point["c"] @ kernel @ point["c"]


def _score(point, xp, rng):
    scores = _scores(point, xp, point["gq"], point["gk"])
    return scores[int(point["t"]) - 1, int(point["u"]) - 1]


def _attention(point, xp, rng):
    """Attention to key u among all n, with gates of the keys that are all alike."""
    from numeric.attention import softmax

    keys = xp.ones_like(point["gq"]) * point["h"][None, :]
    weights = softmax.attention(_scores(point, xp, point["gq"], keys), causal=False)
    return weights[int(point["t"]) - 1, int(point["u"]) - 1]


def _gated_attention(point, xp, rng):
    from numeric.attention import softmax

    weights = softmax.attention(_scores(point, xp, point["gq"], point["gk"]), causal=False)
    return weights[int(point["t"]) - 1, int(point["u"]) - 1]


def _distance(point, xp, rng):
    """Gated squared distance of two tokens, from their lifts."""
    from numeric.attention import kuramoto

    lift, g = kuramoto.features(point["Phi"]), xp.concat([point["g"], point["g"]], axis=-1)
    t, u = int(point["t"]) - 1, int(point["u"]) - 1
    return xp.sum(g[t, :] * g[u, :] * (lift[t, :] - lift[u, :]) ** 2)


def _unit(point, xp, rng):
    scores = _scores(point, xp, xp.ones_like(point["gk"]), point["gk"])
    return scores[int(point["t"]) - 1, int(point["u"]) - 1]


def _chord(point, xp, rng):
    """Squared distance of two lifts."""
    from numeric.attention import kuramoto

    lifts = kuramoto.features(xp.asarray([[point["a"]], [point["b"]]]))
    return xp.sum((lifts[0, :] - lifts[1, :]) ** 2)


CLAIMS = (
    Claim(
        name="kuramoto.K11.squares",
        says="A quadratic form of bare scores is a sum of squares, for every length and width.",
        start=PAIRS.format(""), steps=(equals(SQUARES.format(""), by="normal"),),
        measure=_form, source="ours",
    ),
    Claim(
        name="kuramoto.K11.semidefinite",
        says="So the bare score is a positive semidefinite kernel.",
        start=PAIRS.format(""),
        steps=(equals(SQUARES.format(""), by="normal"), at_least("0", by="shape")),
        measure=_form, source="ours",
    ),
    Claim(
        name="kuramoto.K11.equal_gates",
        says="It stays one when query and key gates are the same.",
        start=PAIRS.format("g[t,j]*g[u,j]*"),
        steps=(equals(SQUARES.format("g[t,j]*"), by="normal"), at_least("0", by="shape")),
        measure=_gated_form, source="ours",
    ),
    Claim(
        name="kuramoto.K12.chord",
        says="Two points of the circle are 2 - 2 cos of their angle apart, squared.",
        symbols={"a": "real", "b": "real"},
        start="(cos(a)-cos(b))**2 + (sin(a)-sin(b))**2",
        steps=(equals(derived(kuramoto.chord()), by="normal"),
               equals("4*sin((a-b)/2)**2", by="normal")),
        measure=_chord, source="ours",
    ),
    Claim(
        name="kuramoto.K12.metric",
        says="A score is the overlap of the gates minus half the gated squared distance.",
        start="s[t,u]",
        steps=(equals("tau/sqrt(k)*(bias[t,u] - D2[t,u]/2)", by="normal"),),
        measure=_score, source=OURS,
    ),
    Claim(
        name="kuramoto.K12.softmax",
        says="With gates of the keys all alike, attention is a softmax of minus half the distance.",
        let=ALIKE, start="exp(s[t,u])/Sum(exp(s[t,v]),(v,1,n))",
        steps=(equals("exp(-tau/sqrt(k)*D2[t,u]/2)/Sum(exp(-tau/sqrt(k)*D2[t,v]/2),(v,1,n))",
                      by="normal"),),
        measure=_attention, source=OURS,
    ),
    Claim(
        name="kuramoto.K12.unit_queries",
        says="With query gates 1 and key gates of mean 1 the score is a constant minus half the "
             "distance.",
        given=("Sum(gk[v,j],(j,1,k)) = k for v in 1..n",),
        let={**LET, "s[t,u]": LET["s[t,u]"].replace("gq[t,j]*", ""),
             "D2[t,u]": LET["D2[t,u]"].replace("gq[t,j]*", "")},
        start="s[t,u]",
        steps=(equals("tau/sqrt(k)*(Sum(gk[u,j],(j,1,k)) - D2[t,u]/2)", by="normal"),
               equals("tau/sqrt(k)*(k - D2[t,u]/2)", by="linear")),
        measure=_unit, source=OURS,
    ),
    Claim(
        name="kuramoto.K12.bias",
        says="In general attention is a softmax of minus half the distance with a bias per key.",
        start="exp(s[t,u])/Sum(exp(s[t,v]),(v,1,n))",
        steps=(equals("exp(tau/sqrt(k)*bias[t,u])*exp(-tau/sqrt(k)*D2[t,u]/2)/Sum(exp(tau/sqrt(k)"
                      "*bias[t,v])*exp(-tau/sqrt(k)*D2[t,v]/2),(v,1,n))", by="normal"),),
        measure=_gated_attention, source=OURS,
    ),
    Claim(
        name="kuramoto.K12.symmetric",
        says="Equal gates make the distance symmetric.",
        let={"D2[t,u]": f"Sum(g[t,j]*g[u,j]*{GAP.format('u')},(j,1,k))"},
        start="D2[t,u]", steps=(equals("D2[u,t]", by="normal"),),
        measure=_distance, source="ours",
    ),
)
