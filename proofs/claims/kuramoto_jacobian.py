"""With frozen attention the Jacobian of the coupling is minus a Laplacian.

Letters: increment a[t] = Sum(A[t,u] sin(theta[u] - theta[t])), weights frozen, phases in radians,
one coordinate. The derivative by another phase is A cos of the difference, by the own phase minus
the sum of these; rows add up to 0. It is not symmetric for causal A: see kuramoto_energy.

Source: ours, from the definition of the layer (arXiv 2606.11585).
Missing: the live Jacobian (softmax not frozen) and its spectrum, K27 and K28, come later.
"""

from proofs import Claim, at_most, derived, equals
from symbolic.formulas import kuramoto

OURS = "ours"
SYMBOLS = {"T": "integer >= 1", "t": "index 1..T", "theta": "real[1..T]",
           "A": "real[1..T, 1..T]", "x": "real[1..T]"}
MOVE = "Sum(A[t,u]*sin(theta[u]-theta[t]),(u,1,t))"
FULL = "Sum(A[t,u]*sin(theta[u]-theta[t]),(u,1,T))"


def _moves(theta, point, xp, causal):
    """All increments with frozen weights, by the layer's two matrix products."""
    from numeric.attention import kuramoto

    weights = xp.tril(point["A"]) if causal else point["A"]
    return kuramoto.increment(theta[:, None], *kuramoto.mean(theta[:, None], weights[None]))[:, 0]


def _slope(point, xp, rng, by="r", causal=True):
    """Central difference of the increment of token t by one phase."""
    theta = point["theta"]
    step = 1e-5 * (xp.arange(theta.shape[0]) == int(point[by]) - 1)
    ends = [_moves(theta + sign * step, point, xp, causal) for sign in (1, -1)]
    return ((ends[0] - ends[1]) / 2e-5)[int(point["t"]) - 1]


def _own_slope(point, xp, rng):
    return _slope(point, xp, rng, by="t")


def _turned(point, xp, rng):
    """The slope along a common turn of all phases."""
    theta = point["theta"]
    ends = [_moves(theta + step, point, xp, False) for step in (1e-5, -1e-5)]
    return ((ends[0] - ends[1]) / 2e-5)[int(point["t"]) - 1]


def _along(point, xp, rng):
    """The quadratic form of the Jacobian with the symmetrised weights, by differences along x."""
    both = {**point, "A": point["A"] + point["A"].T}
    ends = [_moves(point["theta"] + sign * 1e-5 * point["x"], both, xp, False)
            for sign in (1, -1)]
    return xp.sum(point["x"] * (ends[0] - ends[1])) / 2e-5


def _synchronous(point, xp, rng):
    return _along({**point, "theta": xp.zeros_like(point["x"])}, xp, rng)


FORM = ("Sum(Sum((A[t,u]+A[u,t])*cos(theta[u]-theta[t])*(x[u]-x[t])*x[t],(u,1,T)),(t,1,T))")

CLAIMS = (
    Claim(
        name="kuramoto.K26.earlier",
        says="The derivative by the phase of an earlier token; derived by SymPy.",
        symbols={"T": "integer >= 2", "t": "index 2..T", "r": "index 1..t-1"},
        start=f"Derivative({MOVE}, theta[r])",
        steps=(equals(derived(kuramoto.frozen_jacobian(own=False)), by="normal"),
               equals("A[t,r]*cos(theta[r]-theta[t])", by="normal")),
        measure=_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K26.own",
        says="The derivative by the own phase; derived by SymPy.",
        start=f"Derivative({MOVE}, theta[t])",
        steps=(equals(derived(kuramoto.frozen_jacobian(own=True)), by="normal"),
               equals("-Sum(A[t,u]*cos(theta[u]-theta[t]),(u,1,t-1))", by="normal")),
        measure=_own_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K26.later",
        says="Later tokens have no influence: the Jacobian is lower triangular.",
        symbols={"r": "index t+1..T", "t": "index 1..T-1", "T": "integer >= 2"},
        start=f"Derivative({MOVE}, theta[r])", steps=(equals("0", by="normal"),),
        measure=_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K26.row_sums",
        says="Rows add up to 0: a common turn of all phases moves nothing.",
        start=f"Sum(Derivative({FULL}, theta[r]),(r,1,T))", steps=(equals("0", by="normal"),),
        measure=_turned, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K26.laplacian",
        says="The quadratic form with symmetric weights is a sum over pairs, weighted by cosines.",
        start=FORM,
        steps=(equals("-Sum(Sum((A[t,u]+A[u,t])*cos(theta[u]-theta[t])*(x[u]-x[t])**2,"
                      "(u,1,T)),(t,1,T))/2", by="normal"),),
        measure=_along, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K26.stable_at_synchrony",
        says="At equal phases with nonnegative weights it is at most 0.",
        symbols={"A": "real[1..T, 1..T] >= 0"},
        start="Sum(Sum((A[t,u]+A[u,t])*cos(0)*(x[u]-x[t])*x[t],(u,1,T)),(t,1,T))",
        steps=(equals("-Sum(Sum((A[t,u]+A[u,t])*(x[u]-x[t])**2,(u,1,T)),(t,1,T))/2", by="normal"),
               at_most("0", by="shape")),
        measure=_synchronous, tolerance=1e-6, source=OURS,
    ),
)
