"""Relatives of the layer: attention dynamics on the sphere, AKOrN, Sakaguchi's phase lag.

K35: with one oscillator, no gates and no drift the layer is self-attention dynamics on the circle
with inverse temperature beta; its unnormalised variant is the gradient of an energy. K36: an AKOrN
drive with N = 2 and a general 2 x 2 block has four kinds of coupling at an oscillator with angle p
driven by one with angle q; Kuramoto attention keeps the first, with weights from a softmax. K37: a
phase lag a splits the coupling into pull and alignment; coupling to the successor of a token is a
lag. Phases in radians, weights A[t,u] with causal support.

Source: K35 after arXiv 2312.10794, K36 after arXiv 2410.13821, K37 for arXiv 2606.18694; the
comparisons are ours.
Missing: with more than one oscillator the state lives on a product of circles, not on a larger
sphere, and the projection is by coordinate: K35 does not extend.
"""

from proofs import Claim, derived, equals
from symbolic.formulas import kuramoto

SPHERE = "arXiv 2312.10794; comparison ours"
AKORN = "arXiv 2410.13821; comparison ours"
LAG = "ours, for arXiv 2606.18694"
SYMBOLS = {
    "n": "integer >= 1", "theta": "real[1..n]", "beta": "real > 0", "t": "index 1..n",
    "r": "index 1..n", "A": "real[1..n, 1..n]", "alpha": "real", "phi": "real",
    "p": "real", "q": "real", "a": "real", "b": "real", "c": "real", "d": "real",
}
SOFTMAX = {"W[t,u]": "exp(beta*cos(theta[t]-theta[u]))"
                     "/Sum(exp(beta*cos(theta[t]-theta[v])),(v,1,n))"}
INNER = {"W[t,u]": "exp(beta*(cos(theta[t])*cos(theta[u]) + sin(theta[t])*sin(theta[u])))"
                   "/Sum(exp(beta*(cos(theta[t])*cos(theta[v]) + sin(theta[t])*sin(theta[v]))),"
                   "(v,1,n))"}
PULL = "Sum(A[t,u]*sin(theta[u]-theta[t]),(u,1,t))"
ALIGN = "Sum(A[t,u]*cos(theta[u]-theta[t]),(u,1,t))"
BLOCK = "Matrix([[a+c, -b+d],[b+d, a-c]])"


def _dynamics(point, xp, rng):
    """The increment of the layer with one oscillator and attention to all tokens."""
    from numeric.attention import kuramoto, softmax

    theta = point["theta"][:, None]
    lift = kuramoto.features(theta)
    weights = softmax.attention(point["beta"] * (lift @ lift.T), causal=False)
    moves = kuramoto.increment(theta, *kuramoto.mean(theta, weights[None]))
    return moves[int(point["t"]) - 1, 0]


def _energy_slope(point, xp, rng):
    """Central difference of the unnormalised energy by one phase."""
    from numeric.attention import kuramoto

    def energy(theta):
        lift = kuramoto.features(theta[:, None])
        return xp.sum(xp.exp(point["beta"] * (lift @ lift.T))) / (2 * point["beta"])

    theta = point["theta"]
    step = 1e-5 * (xp.arange(theta.shape[0]) == int(point["r"]) - 1)
    return (energy(theta + step) - energy(theta - step)) / 2e-5


def _drive(point, xp, rng):
    """The tangential part of an AKOrN drive between two unit vectors."""
    a, b, c, d, p = (xp.asarray(point[name]) for name in "abcdp")
    block = xp.stack([xp.stack([a + c, d - b]), xp.stack([b + d, a - c])])
    q = xp.asarray(point["q"])
    drive = block @ xp.stack([xp.cos(q), xp.sin(q)])
    return drive[1] * xp.cos(p) - drive[0] * xp.sin(p)


def _moves(theta, keys, point, xp):
    """Increments of tokens at `theta` towards lifts at `keys`, by two matrix products."""
    from numeric.attention import kuramoto

    re, im = kuramoto.mean(keys[:, None], xp.tril(point["A"])[None])
    return kuramoto.increment(theta[:, None], re, im)[int(point["t"]) - 1, 0]


def _pull(point, xp, rng):
    return _moves(point["theta"], point["theta"], point, xp)


def _lagged(point, xp, rng):
    return _moves(point["theta"], point["theta"] - point["alpha"], point, xp)


def _successor(point, xp, rng):
    """Increment towards the successors of the tokens before t."""
    theta = point["theta"]
    shifted = {**point, "A": xp.tril(point["A"], k=-1)}
    return _moves(theta, xp.concat([theta[1:], theta[:1]]), shifted, xp)


CLAIMS = (
    Claim(
        name="kuramoto.K35.sphere",
        says="Attention by inner products of lifts, projected on the tangent of the circle, is the "
             "softmax-weighted coupling, for every number of tokens.",
        let=INNER,
        start="-sin(theta[t])*Sum(W[t,u]*cos(theta[u]),(u,1,n))"
              " + cos(theta[t])*Sum(W[t,u]*sin(theta[u]),(u,1,n))",
        steps=(equals("Sum(exp(beta*cos(theta[t]-theta[u]))*sin(theta[u]-theta[t]),(u,1,n))"
                      "/Sum(exp(beta*cos(theta[t]-theta[v])),(v,1,n))", by="normal"),),
        measure=_dynamics, source=SPHERE,
    ),
    Claim(
        name="kuramoto.K35.layer",
        says="The layer with one oscillator, no gates, no drift and scale beta is that dynamics.",
        let=SOFTMAX,
        start="Sum(exp(beta/sqrt(1)*Sum(cos(theta[t]-theta[u]),(j,1,1)))*sin(theta[u]-theta[t]),"
              "(u,1,n))/Sum(exp(beta/sqrt(1)*Sum(cos(theta[t]-theta[v]),(j,1,1))),(v,1,n))",
        steps=(equals("Sum(W[t,u]*sin(theta[u]-theta[t]),(u,1,n))", by="normal"),),
        measure=_dynamics, source=SPHERE,
    ),
    Claim(
        name="kuramoto.K35.energy",
        says="Without the denominator it is the gradient of an energy; derived by SymPy.",
        start="Derivative(Sum(Sum(exp(beta*cos(theta[t]-theta[u])),(u,1,n)),(t,1,n))/(2*beta),"
              " theta[r])",
        steps=(equals(derived(kuramoto.sphere_gradient()), by="normal"),
               equals("Sum(exp(beta*cos(theta[r]-theta[u]))*sin(theta[u]-theta[r]),(u,1,n))",
                      by="normal")),
        measure=_energy_slope, tolerance=1e-6, source=SPHERE,
    ),
    Claim(
        name="kuramoto.K36.tangent",
        says="The tangential part of a 2 x 2 drive has four kinds of coupling; derived by SymPy.",
        start=f"Transpose(Matrix([[-sin(p)],[cos(p)]]))*{BLOCK}*Matrix([[cos(q)],[sin(q)]])",
        steps=(equals(derived(kuramoto.akorn_tangent()), by="normal"),
               equals("a*sin(q-p) + b*cos(q-p) - c*sin(q+p) + d*cos(q+p)", by="normal")),
        measure=_drive, source=AKORN,
    ),
    Claim(
        name="kuramoto.K36.kuramoto",
        says="Kuramoto attention is the sum of such drives with weights A on the diagonal.",
        start="Sum(dot(Matrix([[-sin(theta[t])],[cos(theta[t])]]),"
              "Matrix([[A[t,u], 0],[0, A[t,u]]])*Matrix([[cos(theta[u])],[sin(theta[u])]])),"
              "(u,1,t))",
        steps=(equals(PULL, by="normal"),), measure=_pull, source=AKORN,
    ),
    Claim(
        name="kuramoto.K37.split",
        says="A phase lag splits the coupling of a pair; derived by SymPy.",
        start="sin(phi-a)", steps=(equals(derived(kuramoto.sakaguchi()), by="normal"),),
        no_measure="the addition theorem; the layer is measured in K37.lag", source=LAG,
    ),
    Claim(
        name="kuramoto.K37.lag",
        says="A common lag turns part of the pull into minus the alignment.",
        start="Sum(A[t,u]*sin(theta[u]-theta[t]-alpha),(u,1,t))",
        steps=(equals(f"cos(alpha)*{PULL} - sin(alpha)*{ALIGN}", by="normal"),),
        measure=_lagged, source=LAG,
    ),
    Claim(
        name="kuramoto.K37.successor",
        says="Coupling to the successor of each token is a lag of its own for each key.",
        let={"lag[u]": "theta[u]-theta[u+1]"},
        start="Sum(A[t,u]*sin(theta[u+1]-theta[t]),(u,1,t-1))",
        steps=(equals("Sum(A[t,u]*(cos(lag[u])*sin(theta[u]-theta[t])"
                      " - sin(lag[u])*cos(theta[u]-theta[t])),(u,1,t-1))", by="normal"),),
        measure=_successor, source=LAG,
    ),
)
