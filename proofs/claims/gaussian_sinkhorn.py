"""Sinkhorn attention on a Gaussian: the marginal conditions and their solution.

The doubly stochastic kernel has quadratic potentials. That of y turns N(alpha, S) into N(c, eps T),
which the score tilts: the mean of y given x is c + T A x, its covariance eps T. The second marginal
is N(alpha, S) when c = alpha - T A alpha and T A S A'T + eps T = S, by the law of total covariance.
Then alpha' = V alpha and S' = V C' + C V' with the cross-covariance C' = T A S of y and x. This T
is S times a root, and what the same coupling says of x given y is no second equation.

Source: Castin, Ablin, Carrillo, Peyré (arXiv 2501.18322), the form by T ours. No prefactor 1/eps.
"""

from proofs import Claim, derived, equals
from symbolic.formulas import gaussian

OURS = "ours"
SQUARE = "matrix(d, d)"
SYMBOLS = {"d": "integer >= 1", "A": SQUARE, "V": SQUARE, "eps": "real > 0",
           "S": SQUARE + " symmetric positive definite",
           "T": SQUARE + " symmetric positive definite"}
MARGINAL = "T*A*S*A.T*T + eps*T = S"
OTHER = "(S - S*A.T*T*Inverse(S)*T*A*S)/eps"
ONE = {"a": "real", "s": "real > 0", "eps": "real > 0"}
ROOTS = {"R": SQUARE + " symmetric positive definite",
         "H": SQUARE + " symmetric positive definite"}
ROOT_H = "H*H = eps**2*eye(d) + 4*R*A*R*R*A.T*R"
SLOPE1 = "a*2*s/(eps + sqrt(eps**2 + 4*a**2*s**2))"


def _arrays(point, letters):
    import numpy as np

    return (np.asarray(point[n], dtype=float) for n in letters)


def _drift(A, eps, T):
    """The slope in x of the mean of y given x, by the layer, and the covariance of that mean."""
    import numpy as np

    from numeric import tilting
    from numeric.model import by_score

    layer, mean = by_score("softmax", A / eps, np.eye(len(T))), np.zeros(len(T))
    return np.stack([tilting.field(layer, x, mean, eps * T) for x in np.eye(len(T))], axis=1)


def _total(point, xp, rng):
    """The covariance of y by the layer: that given x, and that of the mean given x."""
    A, S, T, eps = _arrays(point, ("A", "S", "T", "eps"))
    B = _drift(A, eps, T)
    return xp.asarray(eps * T + B @ S @ B.T)


def _rest(point, xp, rng):
    """What the mean of y given x leaves of the covariance S, by the layer."""
    A, S, T, eps = _arrays(point, ("A", "S", "T", "eps"))
    B = _drift(A, eps, T)
    return xp.asarray(S - B @ S @ B.T)


def _cross(point, xp, rng):
    """The covariance of y and x by the layer."""
    A, S, T, eps = _arrays(point, ("A", "S", "T", "eps"))
    return xp.asarray(_drift(A, eps, T) @ S)


def _marginal(point, xp, rng):
    """The second marginal of the coupling that numeric.gaussian finds by eigenvalues."""
    from numeric.gaussian import coupling

    A, R, eps = _arrays(point, ("A", "R", "eps"))
    T = coupling(A.T, R @ R, float(eps))
    return _total({"A": A, "S": R @ R, "T": T, "eps": eps}, xp, rng)


def _particles(point, xp, rng):
    """Sinkhorn on a quadrature of N(0, s), its potentials found by sweeps, at x = 1."""
    import numpy as np

    from numeric import flow
    from numeric.model import Model

    a, s, eps = (float(point[n]) for n in ("a", "s", "eps"))
    nodes, masses = np.polynomial.hermite_e.hermegauss(40)
    one = xp.asarray([[1.0]])
    model = Model("sinkhorn", a * one, one, one, eps=eps)
    tokens = xp.asarray(s**0.5 * nodes[:, None])
    return flow.field(model, one, tokens, xp.asarray(masses / masses.sum()))[0, 0]


CLAIMS = (
    Claim(
        name="gaussian.C4.total",
        says="The covariance of y under the coupling, by the law of total covariance; derived by "
             "SymPy. It must be S.",
        symbols={"k": "integer >= 1", "Q": "matrix(k, d)", "K": "matrix(k, d)"},
        start="eps*T + T*K.T*Q*S*Q.T*K*T",
        steps=(equals(derived(gaussian.marginal()), by="normal"),),
        measure=lambda point, xp, rng: _total(
            {**point, "A": xp.matmul(xp.asarray(point["K"]).T, xp.asarray(point["Q"]))}, xp, rng),
        tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C4.given",
        says="The covariance of y given x is what the mean leaves: S is at least that of the mean.",
        given=(MARGINAL,), start="S - T*A*S*A.T*T",
        steps=(equals("eps*T", by="normal"),), measure=_rest, tolerance=1e-7, source=OURS,
    ),
    Claim(
        name="gaussian.C4.weak",
        says="For large eps the cross-covariance times eps is the softmax one up to a term of the "
             "order of T squared, which is at most (S/eps) squared.",
        given=(MARGINAL,), start="eps*T*A*S",
        steps=(equals("S*A*S - T*A*S*A.T*T*A*S", by="normal"),),
        measure=lambda point, xp, rng: float(point["eps"]) * _cross(point, xp, rng),
        tolerance=1e-7, source=OURS,
    ),
    Claim(
        name="gaussian.C4.other",
        says="The covariance of x given y over eps, U, obeys the equation with A' in place of A.",
        given=(MARGINAL,), let={"U": OTHER}, start="U*A.T*S*A*U + eps*U",
        steps=(equals("S", by="normal"),),
        no_measure="the same coupling read from its other side", source=OURS,
    ),
    Claim(
        name="gaussian.C4.cross",
        says="Both sides give one cross-covariance, so S' may be written with either.",
        given=(MARGINAL,), let={"U": OTHER}, start="T*A*S", steps=(equals("S*A*U", by="normal"),),
        measure=_cross, tolerance=1e-7, source=OURS,
    ),
    Claim(
        name="gaussian.C4.precision",
        says="The off-diagonal precision of the coupling is -A/eps, as the kernel says.",
        given=(MARGINAL,), let={"U": OTHER}, start="-Inverse(S)*T*A*S*Inverse(eps*U)",
        steps=(equals("-A/eps", by="normal"),),
        no_measure="the same coupling read from its other side", source=OURS,
    ),
    Claim(
        name="gaussian.C4.root",
        says="The Z made of the root R of S and a root H solves the marginal equation.",
        symbols=ROOTS, given=(ROOT_H,), let={"Z": "2*R*Inverse(eps*eye(d) + H)*R"},
        start="Z*A*R*R*A.T*Z + eps*Z", steps=(equals("R*R", by="normal"),),
        measure=_marginal, tolerance=1e-7, source=OURS,
    ),
    Claim(
        name="gaussian.C4.code",
        says="Times A' it is half of R H/R - eps, which is how the authors' code writes it.",
        symbols=ROOTS, given=(ROOT_H,), let={"Z": "2*R*Inverse(eps*eye(d) + H)*R"},
        start="Z*A*R*R*A.T",
        steps=(equals("(R*H*Inverse(R) - eps*eye(d))/2", by="normal"),),
        no_measure="two ways to write one matrix; C4.root is measured",
        source="the authors' code to arXiv 2501.18322 (quoted); proof ours",
    ),
    Claim(
        name="gaussian.C4.root2",
        says="At d = 2 roots are explicit: so are T and the whole ODE.",
        symbols={"M": "matrix(2, 2)"}, given=("Determinant(M) > 0", "Trace(M) > 0"),
        let={"delta": "sqrt(Determinant(M))", "tau": "sqrt(Trace(M) + 2*delta)"},
        start="((M + delta*eye(2))/tau)**2", steps=(equals("M", by="normal"),),
        no_measure="a root by the theorem of Cayley and Hamilton", source="classical",
    ),
    Claim(
        name="gaussian.C4.explicit2",
        says="So at d = 2, with M = eps^2 + 4 A S A' S and its root W, this Z solves the marginal "
             "equation.",
        symbols={"W": SQUARE, "d": "integer >= 1"},
        given=("W*W = eps**2*eye(d) + 4*A*S*A.T*S",), where=("Determinant(eps*eye(d) + W) != 0",),
        let={"Z": "2*S*Inverse(eps*eye(d) + W)"}, start="Z*A*S*A.T*Z + eps*Z",
        steps=(equals("S", by="normal"),),
        no_measure="C4.root is measured; this Z is that one", source=OURS,
    ),
    Claim(
        name="gaussian.C4.root1",
        says="At d = 1 SymPy solves the marginal equation; written so, a = 0 is as good as any.",
        symbols={**ONE, "a": "real != 0"}, start=SLOPE1,
        steps=(equals(derived(gaussian.solved_marginal()), by="normal"),),
        no_measure="C4.particles is measured, where a quadrature resolves the kernel", source=OURS,
    ),
    Claim(
        name="gaussian.C4.particles",
        says="Particles under Sinkhorn's own potentials have that slope.",
        symbols={"a": "real in [1/2, 1]", "s": "real in [1/2, 1]", "eps": "real in [1, 2]"},
        start=SLOPE1, steps=(equals("(sqrt(eps**2 + 4*a**2*s**2) - eps)/(2*a*s)", by="normal"),),
        measure=_particles, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C4.rate1",
        says="At d = 1 and eps = 1 the covariance moves by v (sqrt(1 + 4 a^2 s^2) - 1)/a.",
        symbols={"a": "real in [1/2, 1]", "s": "real in [1/2, 1]", "v": "real"},
        start="2*v*s*2*a*s/(1 + sqrt(1 + 4*a**2*s**2))",
        steps=(equals("v*(sqrt(1 + 4*a**2*s**2) - 1)/a", by="normal"),),
        measure=lambda point, xp, rng: 2 * float(point["v"]) * float(point["s"]) * _particles(
            {**point, "eps": 1.0}, xp, rng),
        tolerance=1e-8, source=OURS,
    ),
)
