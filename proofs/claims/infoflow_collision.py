"""One layer cannot find the least inner product: two inputs that it takes for one.

Unit vectors u_1 .. u_{T-1} with products in [0, c], c < 1; the prefix is r_i u_i with c <= r_i <= 1
and a probe -u_i stands last. A layer whose CLS asks a query free of the tokens sees the prefix
through h(n+1) sums. If h(n+1) <= T - 2, the Borsuk-Ulam theorem (cited) gives two prefixes with
equal sums that differ in some coordinate i by its whole segment. The claims below are the rest of
the argument: the target is then -r_i, so 1 - c apart, and half of that is forced on any read-out.

Source: ours; Borsuk-Ulam is classical. The rates of InfoFlow (arXiv 2605.17930) are not proved by
this: for these sizes the error stays above (1-c)/2 with any number of parameters.
Missing: the existence of the two prefixes is not a statement of the language; for a given layer
numeric/collision.py encloses them in balls (Krawczyk's test).
"""

from proofs import Claim, at_least, at_most, equals

OURS = "ours"
SYMBOLS = {
    "T": "integer >= 3", "c": "real in [0, 1]", "R": "real >= 0", "rho": "real >= 0",
    "sigma": "real >= 0", "gamma": "real >= 0", "o": "real", "F": "real", "G": "real",
    "k": "integer >= 1",
}


def _forced(point, xp, rng):
    return xp.abs(point["F"] - point["G"]) / 2


CLAIMS = (
    Claim(
        name="infoflow.collision.probe",
        says="The product of the probe with another token of the prefix is not below -r_i.",
        given=("gamma <= c", "rho <= 1", "c <= R"), start="-rho*gamma",
        steps=(at_least("-c", by="linear"), at_least("-R", by="sign")),
        measure=lambda point, xp, rng: -point["rho"] * point["gamma"], source=OURS,
    ),
    Claim(
        name="infoflow.collision.prefix",
        says="Nor is the product of two tokens of the prefix, so the target is exactly -r_i.",
        start="rho*sigma*gamma", steps=(at_least("-R", by="sign"),),
        measure=lambda point, xp, rng: point["rho"] * point["sigma"] * point["gamma"], source=OURS,
    ),
    Claim(
        name="infoflow.collision.gap",
        says="At the two ends of the segment, r_i = 1 and r_i = c, the targets are 1 - c apart.",
        start="-c - (-1)", steps=(equals("1 - c", by="normal"),),
        measure=lambda point, xp, rng: 1 - point["c"], source=OURS,
    ),
    Claim(
        name="infoflow.collision.forced",
        says="An output o that is the same for two targets F and G misses one by half their "
             "distance.",
        start="Abs(F - G)/2",
        steps=(
            at_most("(Abs(o - F) + Abs(o - G))/2", by="cases"),
            at_most("Max(Abs(o - F), Abs(o - G))", by="cases"),
        ),
        measure=_forced, source="classical",
    ),
    Claim(
        name="infoflow.collision.circle",
        says="In the plane, with directions spread over a quarter circle, 1 - c falls like 1/T^2.",
        start="1 - cos(pi/(2*(T - 2)))", steps=(at_most("pi**2/(8*(T - 2)**2)", by="shape"),),
        measure=lambda point, xp, rng: 1 - xp.cos(xp.pi / (2 * (point["T"] - 2))), source=OURS,
    ),
    Claim(
        name="infoflow.collision.rank",
        says="For the k-th largest, tokens of the ranks k-m to k, m = min(k-1, T-k), move on "
             "segments of length 1/(m+1); with k-i probes at 1 the target is the token of rank i.",
        symbols={"i": "integer", "m": "integer"}, start="(i - 1) + (k - i)",
        steps=(equals("k - 1", by="normal"),),
        measure=lambda point, xp, rng: point["k"] - 1.0, source=OURS,
    ),
)
