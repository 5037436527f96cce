"""Causal attention follows no common energy; all-to-all coupling raises the order parameter.

The gradient of half the sum of A cos over pairs couples by (A[t,u] + A[u,t])/2. This is the layer
only where A is symmetric, which causal attention is not: say "each token climbs its own coherence",
never "the layer climbs one energy". With equal weights to all, |sum of z|^2 never falls.

Source: K22 is classical Kuramoto theory; K21 is ours.
Missing: that a field with an asymmetric Jacobian has no potential is Schwarz' theorem; K21.curl is
the asymmetry, and the conclusion stands in words. A nonzero curl needs A[t,u] cos(..) != 0.
"""

from proofs import Claim, at_least, derived, equals
from symbolic.formulas import kuramoto

OURS, CLASSICAL = "ours", "classical (Kuramoto model)"
SYMBOLS = {"n": "integer >= 1", "theta": "real[1..n]", "A": "real[1..n, 1..n]",
           "r": "index 1..n"}
ENERGY = "Sum(Sum({}*cos(theta[u]-theta[t]),(u,1,{})),(t,1,n))/2"
ORDER = "Sum(cos(theta[u]),(u,1,n))**2 + Sum(sin(theta[u]),(u,1,n))**2"
GROWTH = f"Sum(Derivative({ORDER}, theta[r])*Sum(sin(theta[v]-theta[r]),(v,1,n))/n,(r,1,n))"
GROWN = "2/n*Sum(Sum(sin(theta[v]-theta[r]),(v,1,n))**2,(r,1,n))"


def _moves(theta, weights):
    """All increments, by the layer's two matrix products."""
    from numeric.attention import kuramoto

    return kuramoto.increment(theta[:, None], *kuramoto.mean(theta[:, None], weights[None]))[:, 0]


def _energy(theta, weights, xp):
    """Half the weighted sum of cosines, as inner products of lifts."""
    from numeric.attention import kuramoto

    lift = kuramoto.features(theta[:, None])
    return xp.sum(weights * (lift @ lift.T)) / 2


def _gradient(point, xp, weights):
    theta = point["theta"]
    step = 1e-5 * (xp.arange(theta.shape[0]) == int(point["r"]) - 1)
    return (_energy(theta + step, weights, xp) - _energy(theta - step, weights, xp)) / 2e-5


def _full(point, xp, rng):
    return _gradient(point, xp, point["A"])


def _causal(point, xp, rng):
    return _gradient(point, xp, xp.tril(point["A"]))


def _symmetric(point, xp, rng):
    return _gradient(point, xp, (point["A"] + point["A"].T) / 2)


def _curl(point, xp, rng):
    """Difference of the two mixed slopes of the increments, by central differences."""
    theta, weights = point["theta"], xp.tril(point["A"])
    t, u = int(point["t"]) - 1, int(point["u"]) - 1
    total = 0.0
    for sign, moved, by in ((1, t, u), (-1, u, t)):
        step = 1e-5 * (xp.arange(theta.shape[0]) == by)
        ends = _moves(theta + step, weights)[moved] - _moves(theta - step, weights)[moved]
        total += sign * ends / 2e-5
    return total


def _order(theta):
    from numeric.attention import kuramoto

    return (kuramoto.global_order(theta[:, None])[0] * theta.shape[0]) ** 2


def _growth(point, xp, rng):
    """Central difference of the squared sum of lifts along the all-to-all field."""
    theta = point["theta"]
    n = theta.shape[0]
    field = _moves(theta, xp.ones((n, n)) / n)
    return (_order(theta + 1e-5 * field) - _order(theta - 1e-5 * field)) / 2e-5


CLAIMS = (
    Claim(
        name="kuramoto.K21.gradient",
        says="The gradient of the energy of all pairs couples by both weights; derived by SymPy.",
        start=f"Derivative({ENERGY.format('A[t,u]', 'n')}, theta[r])",
        steps=(equals(derived(kuramoto.energy_gradient()), by="normal"),
               equals("Sum((A[r,u]+A[u,r])*sin(theta[u]-theta[r]),(u,1,n))/2", by="normal")),
        measure=_full, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K21.causal",
        says="For causal weights half the pull comes from later tokens, which the layer has not.",
        start=f"Derivative({ENERGY.format('A[t,u]', 't')}, theta[r])",
        steps=(equals("Sum(A[r,u]*sin(theta[u]-theta[r]),(u,1,r))/2"
                      " + Sum(A[u,r]*sin(theta[u]-theta[r]),(u,r,n))/2", by="normal"),),
        measure=_causal, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K21.symmetric",
        says="With symmetric weights the gradient is the increment.",
        let={"W[t,u]": "(A[t,u]+A[u,t])/2"},
        start=f"Derivative({ENERGY.format('W[t,u]', 'n')}, theta[r])",
        steps=(equals("Sum(W[r,u]*sin(theta[u]-theta[r]),(u,1,n))", by="normal"),),
        measure=_symmetric, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K21.curl",
        says="The mixed slopes of the causal field differ by A cos: no energy has it as gradient.",
        symbols={"n": "integer >= 2", "t": "index 2..n", "u": "index 1..t-1"},
        start="Derivative(Sum(A[t,v]*sin(theta[v]-theta[t]),(v,1,t)), theta[u])"
              " - Derivative(Sum(A[u,v]*sin(theta[v]-theta[u]),(v,1,u)), theta[t])",
        steps=(equals("A[t,u]*cos(theta[u]-theta[t])", by="normal"),),
        measure=_curl, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K22.growth",
        says="All-to-all coupling raises |sum of z|^2 by 2/n times the sum of squared couplings, "
             "for every n; the chain rule by SymPy.",
        start=GROWTH,
        steps=(equals(derived(kuramoto.order_growth()), by="normal"), equals(GROWN, by="normal")),
        measure=_growth, tolerance=1e-6, source=CLASSICAL,
    ),
    Claim(
        name="kuramoto.K22.never_falls",
        says="So the order parameter never falls.",
        start=GROWTH, steps=(equals(GROWN, by="normal"), at_least("0", by="shape")),
        measure=_growth, tolerance=1e-6, source=CLASSICAL,
    ),
)
