"""Attention rows are positive, add up to 1, ignore a common shift, and have a variance Jacobian.

Letters: n scores s[u] of one query, attention A = softmax(s), any vector x over the keys. The
Jacobian of softmax is diag(A) - A A', whose quadratic form is a variance.

Source: classical.
Missing: semidefiniteness is a quadratic form for all x, not a statement about a matrix.
"""

from proofs import Claim, above, at_least, derived, equals
from symbolic.formulas import kuramoto

CLASSICAL = "classical"
SYMBOLS = {"n": "integer >= 1", "s": "real[1..n]", "x": "real[1..n]", "c": "real",
           "u": "index 1..n", "r": "index 1..n", "B": "real[1..n]"}
LET = {"A[u]": "exp(s[u])/Sum(exp(s[v]),(v,1,n))"}
VARIANCE = "Sum(Sum(A[u]*A[v]*(x[u]-x[v])**2,(v,1,n)),(u,1,n))/2"
FORM = "Sum(Sum(x[u]*(KroneckerDelta(u,v)*A[u] - A[u]*A[v])*x[v],(v,1,n)),(u,1,n))"


def _row(point, xp):
    """Attention over all n keys, as the layer computes it."""
    from numeric.attention import softmax

    return softmax.attention(point["s"][None, :], causal=False)[0, :]


def _entry(point, xp, rng):
    return _row(point, xp)[int(point["u"]) - 1]


def _total(point, xp, rng):
    return xp.sum(_row(point, xp))


def _shifted(point, xp, rng):
    return _entry({**point, "s": point["s"] + point["c"]}, xp, rng)


def _slope(point, xp, rng):
    """Central difference of an entry of attention by a score."""
    step = 1e-5 * (xp.arange(point["s"].shape[0]) == int(point["r"]) - 1)
    ends = [_entry({**point, "s": point["s"] + sign * step}, xp, rng) for sign in (1, -1)]
    return (ends[0] - ends[1]) / 2e-5


def _slopes(point, xp, rng):
    """The sum of the slopes of an entry by all scores."""
    return xp.sum(xp.stack([_slope({**point, "r": r + 1}, xp, rng)
                            for r in range(point["s"].shape[0])]))


def _variance_of_weights(point, xp, rng):
    weights, x = point["B"], point["x"]
    return xp.sum(weights * x * x) - xp.sum(weights * x) ** 2


def _variance(point, xp, rng):
    return _variance_of_weights({**point, "B": _row(point, xp)}, xp, rng)


CLAIMS = (
    Claim(
        name="kuramoto.K15.rows",
        says="A row of attention adds up to 1.",
        start="Sum(A[u],(u,1,n))", steps=(equals("1", by="normal"),),
        measure=_total, source=CLASSICAL,
    ),
    Claim(
        name="kuramoto.K15.positive",
        says="Attention is positive on its support.",
        start="A[u]", steps=(above("0", by="shape"),), measure=_entry, source=CLASSICAL,
    ),
    Claim(
        name="kuramoto.K15.shift",
        says="A common shift of the scores changes nothing.",
        start="exp(s[u]+c)/Sum(exp(s[v]+c),(v,1,n))",
        steps=(equals("A[u]", by="normal"),), measure=_shifted, source=CLASSICAL,
    ),
    Claim(
        name="kuramoto.K15.jacobian",
        says="The derivative of attention by a score, derived by SymPy.",
        start="Derivative(exp(s[u])/Sum(exp(s[v]),(v,1,n)), s[r])",
        steps=(equals(derived(kuramoto.softmax_jacobian()), by="normal"),
               equals("A[u]*(KroneckerDelta(u,r) - A[r])", by="normal")),
        measure=_slope, tolerance=1e-6, source=CLASSICAL,
    ),
    Claim(
        name="kuramoto.K15.row_sums",
        says="The rows of that Jacobian add up to 0, as the shift says.",
        start="Sum(Derivative(exp(s[u])/Sum(exp(s[v]),(v,1,n)), s[r]),(r,1,n))",
        steps=(equals("0", by="normal"),), measure=_slopes, tolerance=1e-6, source=CLASSICAL,
    ),
    Claim(
        name="kuramoto.K15.variance",
        says="The quadratic form of the Jacobian is a variance.",
        start=FORM,
        steps=(
            equals("Sum(A[u]*x[u]**2,(u,1,n)) - Sum(A[u]*x[u],(u,1,n))**2", by="normal"),
            equals("Sum(A[u],(u,1,n))*Sum(A[u]*x[u]**2,(u,1,n)) - Sum(A[u]*x[u],(u,1,n))**2",
                   by="normal"),
            equals(VARIANCE, by="normal"),
        ),
        measure=_variance, source=CLASSICAL,
    ),
    Claim(
        name="kuramoto.K15.semidefinite",
        says="So the Jacobian is positive semidefinite.",
        start=FORM,
        steps=(equals(VARIANCE, by="normal"), at_least("0", by="shape")),
        measure=_variance, source=CLASSICAL,
    ),
    Claim(
        name="kuramoto.K15.variance_of_weights",
        says="The same for any weights that add up to 1, softmax or not.",
        given=("Sum(B[u],(u,1,n)) = 1",),
        start="Sum(B[u]*x[u]**2,(u,1,n)) - Sum(B[u]*x[u],(u,1,n))**2",
        steps=(
            equals("Sum(B[u],(u,1,n))*Sum(B[u]*x[u]**2,(u,1,n)) - Sum(B[u]*x[u],(u,1,n))**2",
                   by="linear"),
            equals("Sum(Sum(B[u]*B[v]*(x[u]-x[v])**2,(v,1,n)),(u,1,n))/2", by="normal"),
        ),
        measure=_variance_of_weights, source=CLASSICAL,
    ),
)
