"""Selection and synchronisation share one energy, in the ungated layer without drift.

The increment of a token is sqrt(k)/tau times the gradient of its log-partition function L by its
own phases, with the softmax not frozen. Letters: keys theta[u,j] frozen, query phases x[j] in
radians, scale tau > 0, width k, scores tau/sqrt(k) times the sum of cos(x[j] - theta[u,j]). With
gates the gradient carries the factors gq gk, with drift the shifts omega (p[t] - p[u]): K16.full
says how, and then the increment is no gradient of L (see the near-misses).

Source: "gradient of coherence energy" is the wording around arXiv 2606.11585; the exact statement
with a live softmax is ours.
Missing: gates that move with the query add a term of their own, which is not written here.
"""

from proofs import Claim, derived, equals
from symbolic.formulas import kuramoto

OURS = "ours, sharper than the coherence reading of arXiv 2606.11585"
SYMBOLS = {
    "n": "integer >= 1", "k": "integer >= 1", "j": "index 1..k", "tau": "real > 0",
    "theta": "real[1..n, 1..k]", "x": "real[1..k]", "t": "index 1..n", "p": "real[1..n]",
    "omega": "real[1..k]", "gq": "real[1..k]", "gk": "real[1..n, 1..k]",
}
LET = {"s[u]": "tau/sqrt(k)*Sum(cos(x[i]-theta[u,i]),(i,1,k))",
       "A[u]": "exp(s[u])/Sum(exp(s[v]),(v,1,n))"}
ANGLE = "x[{0}]-theta[u,{0}]+omega[{0}]*(p[t]-p[u])"
FULL = {"s[u]": f"tau/sqrt(k)*Sum(gq[i]*gk[u,i]*cos({ANGLE.format('i')}),(i,1,k))",
        "A[u]": "exp(s[u])/Sum(exp(s[v]),(v,1,n))"}
EARLIER = "Sum(exp(s[u]),(u,1,n-1))"


def _log_partition(point, xp, gates=False, drift=False):
    """L of a query among n keys, by one product of lifts."""
    from numeric.attention import kuramoto, softmax

    x, theta = point["x"][None, :], point["theta"]
    if drift:
        places, rates = point["p"], point["omega"]
        x = x + rates * places[int(point["t"]) - 1]
        theta = theta + places[:, None] * rates
    query, keys = kuramoto.features(x), kuramoto.features(theta)
    if gates:
        query = query * xp.concat([point["gq"], point["gq"]])
        keys = keys * xp.concat([point["gk"], point["gk"]], axis=-1)
    score = point["tau"] / theta.shape[1] ** 0.5 * (query @ keys.T)
    return softmax.log_partition(score, causal=False)[0]


def _slope(point, xp, rng, **options):
    """Central difference of L by x[j]."""
    step = 1e-5 * (xp.arange(point["x"].shape[0]) == int(point["j"]) - 1)
    ends = [_log_partition({**point, "x": point["x"] + sign * step}, xp, **options)
            for sign in (1, -1)]
    return (ends[0] - ends[1]) / 2e-5


def _full_slope(point, xp, rng):
    return _slope(point, xp, rng, gates=True, drift=True)


def _increment(point, xp, rng):
    """The increment of a token among frozen keys, by the layer itself."""
    from numeric.attention import kuramoto, softmax

    query, keys = kuramoto.features(point["x"][None, :]), kuramoto.features(point["theta"])
    score = point["tau"] / point["theta"].shape[1] ** 0.5 * (query @ keys.T)
    re, im = kuramoto.mean(point["theta"], softmax.attention(score, causal=False)[None])
    return kuramoto.increment(point["x"][None, :], re, im)[0, int(point["j"]) - 1]


def _moving_self(point, xp, rng):
    """Slope of L when the last key is the query itself and moves along."""
    step = 1e-5 * (xp.arange(point["x"].shape[0]) == int(point["j"]) - 1)
    ends = []
    for sign in (1, -1):
        x = point["x"] + sign * step
        theta = xp.concat([point["theta"][:-1, :], x[None, :]])
        ends.append(_log_partition({**point, "x": x, "theta": theta}, xp))
    return (ends[0] - ends[1]) / 2e-5


CLAIMS = (
    Claim(
        name="kuramoto.K16.gradient",
        says="The gradient of the log-partition function, softmax not frozen, for every number of "
             "keys and coordinates; derived by SymPy.",
        start="Derivative(log(Sum(exp(s[u]),(u,1,n))), x[j])",
        steps=(equals(derived(kuramoto.log_partition_gradient()), by="normal"),
               equals("tau/sqrt(k)*Sum(A[u]*sin(theta[u,j]-x[j]),(u,1,n))", by="normal")),
        measure=_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K16.increment",
        says="The increment of the layer is sqrt(k)/tau times that gradient.",
        start="-sin(x[j])*Sum(A[u]*cos(theta[u,j]),(u,1,n))"
              " + cos(x[j])*Sum(A[u]*sin(theta[u,j]),(u,1,n))",
        steps=(
            equals("Sum(A[u]*sin(theta[u,j]-x[j]),(u,1,n))", by="normal"),
            equals("sqrt(k)/tau*Derivative(log(Sum(exp(s[u]),(u,1,n))), x[j])", by="normal"),
        ),
        measure=_increment, source=OURS,
    ),
    Claim(
        name="kuramoto.K16.self_key",
        says="A self key that moves with the query has a constant score and adds no slope: the "
             "gradient is the same.",
        start=f"Derivative(log(exp(tau*sqrt(k)) + {EARLIER}), x[j])",
        steps=(equals("tau/sqrt(k)*Sum(exp(s[u])*sin(theta[u,j]-x[j]),(u,1,n-1))"
                      f"/(exp(tau*sqrt(k)) + {EARLIER})", by="normal"),),
        measure=_moving_self, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K16.full",
        says="With frozen gates and drift the gradient carries the gates and the drift.",
        let=FULL, start="Derivative(log(Sum(exp(s[u]),(u,1,n))), x[j])",
        steps=(
            equals(derived(kuramoto.log_partition_gradient(gated=True)), by="normal"),
            equals("-tau/sqrt(k)*gq[j]*Sum(A[u]*gk[u,j]"
                   f"*sin({ANGLE.format('j')}),(u,1,n))", by="normal"),
        ),
        measure=_full_slope, tolerance=1e-6, source=OURS,
    ),
)
