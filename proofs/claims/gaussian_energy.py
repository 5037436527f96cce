"""Energies of attention: a twisted metric for softmax, transport for Sinkhorn, and no convexity.

Tokens x_i on the line with masses w_i, score a x y, value v. Z(x) = Sum w e^{a x x_u}, E = Sum w_i
Z(x_i)/2. The softmax field is (v/a) Z'/Z, so E moves by the sum of w (v/a) Z'^2/Z: up for v/a > 0,
down for v/a < 0. One atom: in arc length of the metric Z the second derivative of E is x^2 - 1 for
a = -1 (not convex for |x| < 1) and x^2 + 1 for a = 1. Sinkhorn on a centred Gaussian N(0, s) with
v = a: F = (-a c - eps log(1 - c^2/s^2)/2)/2 at its least c, S' = -4 s F' and F' = -int |Gamma|^2.

Source: that a twisted metric and a failure of convexity exist, and that Sinkhorn attention is a
gradient flow, is quoted from a summary of Castin, Ablin, Carrillo, Peyré (arXiv 2501.18322), whose
full text could not be read; forms, signs and constants are ours.
Missing: d > 1 (derivatives by a token that is a vector), the statement that the flow is steepest
ascent among all fields, and that one-atom curves are geodesics of the full metric (formal).
"""

from proofs import Claim, above, at_least, at_most, below, equals

QUOTED, OURS = "existence quoted from a summary of arXiv 2501.18322; form and proof ours", "ours"
SYMBOLS = {
    "n": "integer >= 1", "i": "index 1..n", "x": "real[1..n]", "w": "real[1..n] > 0",
    "a": "real != 0", "v": "real", "z": "real", "s": "real > 0", "c": "real > 0",
    "eps": "real > 0", "t": "real",
}
Z = "Sum(w[u]*exp(a*{0}*x[u]),(u,1,n))"
SLOPE = "Sum(w[u]*a*x[u]*exp(a*{0}*x[u]),(u,1,n))"
FIELD = "v*Sum(w[u]*x[u]*exp(a*{0}*x[u]),(u,1,n))/" + Z
ENERGY = "Sum(Sum(w[p]*w[q]*exp(a*x[p]*x[q]),(q,1,n)),(p,1,n))/2"
F = "(-a*c - eps*log((s - c)*(s + c)/s**2)/2)/2"
INSIDE = {"c": "real in (0, s)"}
BALANCE = {"b": "eps*c/((s - c)*(s + c))"}


def _tokens(point, xp):
    return point["x"][:, None], point["w"] / xp.sum(point["w"])


def _layer(point, xp, at):
    """The softmax field at the points, of the tokens with their masses."""
    from numeric.flow import field
    from numeric.model import Model

    one = xp.asarray([[1.0]])
    tokens, mass = _tokens(point, xp)
    return field(Model("softmax", point["a"] * one, one, point["v"] * one), at, tokens, mass)


def _field(point, xp, rng):
    return _layer(point, xp, xp.asarray([[point["z"]]]))[0, 0]


def _climb(point, xp, rng):
    """The rate of E along the field: a central difference of E at moved tokens."""
    tokens, _ = _tokens(point, xp)
    move = _layer(point, xp, tokens)[:, 0]
    size = 1 + xp.max(xp.abs(move))

    def energy(x):
        return point["w"] @ xp.exp(point["a"] * x[:, None] * x[None, :]) @ point["w"] / 2
    step = 1e-5 / size
    return (energy(point["x"] + step * move) - energy(point["x"] - step * move)) / (2 * step)


def _gradient(point, xp, rng):
    """Central difference of E by one token."""
    unit = 1.0 * (xp.arange(point["x"].shape[0]) == int(point["i"]) - 1)

    def energy(x):
        return point["w"] @ xp.exp(point["a"] * x[:, None] * x[None, :]) @ point["w"] / 2
    return (energy(point["x"] + 1e-5 * unit) - energy(point["x"] - 1e-5 * unit)) / 2e-5


def _transport(point, xp, rng):
    """F of the coupling by numeric.energy against its formula on the line."""
    import numpy as np

    from numeric.energy import gaussian_energy
    from numeric.gaussian import coupling
    from numeric.model import Model

    a, s, eps = (abs(float(point[name])) for name in ("a", "s", "eps"))
    one = np.ones((1, 1))
    c = float((coupling(a * one, s * one, eps) * a * s)[0, 0])
    found = gaussian_energy(Model("sinkhorn", a * one, one, one, eps), None, s * one)
    return xp.asarray(found), xp.asarray((-a * c - eps * np.log(1 - c * c / s / s) / 2) / 2)


CLAIMS = (
    Claim(
        name="gaussian.C15.field",
        says="On the line the softmax field is v/a times the slope of log Z.",
        start=FIELD.format("z"),
        steps=(equals(f"v/a*Derivative(log({Z.format('z')}), z)", by="normal"),),
        measure=_field, tolerance=1e-8, source=QUOTED,
    ),
    Claim(
        name="gaussian.C15.gradient",
        says="The slope of E by a token is its mass times the slope of Z there.",
        start=f"Derivative({ENERGY}, x[i])",
        steps=(equals(f"w[i]*{SLOPE.format('x[i]')}", by="normal"),),
        measure=_gradient, tolerance=1e-4, source=OURS,
    ),
    Claim(
        name="gaussian.C15.dissipation",
        says="So along the field E moves by v/a times a sum of squares over Z.",
        start=f"Sum(w[r]*{SLOPE.format('x[r]')}*{FIELD.format('x[r]')},(r,1,n))",
        steps=(equals(f"v/a*Sum(w[r]*{SLOPE.format('x[r]')}**2/{Z.format('x[r]')},(r,1,n))",
                      by="normal"),),
        measure=_climb, tolerance=1e-4, source=OURS,
    ),
    Claim(
        name="gaussian.C15.ascent",
        says="It climbs where v/a is positive, for any number of tokens.",
        symbols={"r": "real > 0"},
        start=f"r*Sum(w[m]*{SLOPE.format('x[m]')}**2/{Z.format('x[m]')},(m,1,n))",
        steps=(at_least("0", by="sign"),),
        no_measure="C15.dissipation measures the rate", source=OURS,
    ),
    Claim(
        name="gaussian.C15.descent",
        says="It falls where v/a is negative.",
        symbols={"r": "real < 0"},
        start=f"r*Sum(w[m]*{SLOPE.format('x[m]')}**2/{Z.format('x[m]')},(m,1,n))",
        steps=(at_most("0", by="sign"),),
        no_measure="C15.dissipation measures the rate", source=OURS,
    ),
    Claim(
        name="gaussian.C15.one_atom",
        says="One atom, a = -1: in arc length of the metric e^{-x^2} the second derivative of "
             "E = e^{-x^2}/2 is x^2 - 1.",
        start="exp(z**2/2)*Derivative(exp(z**2/2)*Derivative(exp(-z**2)/2, z), z)",
        steps=(equals("z**2 - 1", by="normal"),),
        no_measure="calculus of one function", source=QUOTED,
    ),
    Claim(
        name="gaussian.C15.not_convex",
        says="That is negative for |x| < 1: E is not convex along this curve.",
        symbols={"z": "real in (-1, 1)"}, start="z**2 - 1", steps=(below("0", by="sign"),),
        no_measure="a sign", source=QUOTED,
    ),
    Claim(
        name="gaussian.C15.other_sign",
        says="For a = 1 the metric is e^{x^2} and the second derivative x^2 + 1, positive.",
        start="exp(-z**2/2)*Derivative(exp(-z**2/2)*Derivative(exp(z**2)/2, z), z)",
        steps=(equals("z**2 + 1", by="normal"), above("0", by="sign")),
        no_measure="calculus of one function", source=OURS,
    ),
    Claim(
        name="gaussian.C15.gaussian_inner",
        says="On N(0, S) log Z(x) is <x, A S A x>/2 for symmetric A: complete the square.",
        symbols={"d": "integer >= 1", "S": "matrix(d, d) symmetric positive definite",
                 "A": "matrix(d, d) symmetric", "x": "vector(d)", "y": "vector(d)"},
        start="-dot(y, Inverse(S)*y)/2 + dot(A*x, y)",
        steps=(equals("-dot(y - S*A*x, Inverse(S)*(y - S*A*x))/2 + dot(x, A*S*A*x)/2",
                      by="normal"),),
        no_measure="completing the square is measured in gaussian_closure", source=OURS,
    ),
    Claim(
        name="gaussian.C15.gaussian_outer",
        says="The precision of the outer integral is S^{-1} - A S A, of determinant "
             "det(1 - S A S A)/det S: E is finite where it is positive.",
        symbols={"d": "integer >= 1", "S": "matrix(d, d) symmetric positive definite",
                 "A": "matrix(d, d) symmetric"},
        start="Determinant(Inverse(S) - A*S*A)",
        steps=(equals("Determinant(eye(d) - S*A*S*A)/Determinant(S)", by="normal"),),
        no_measure="an identity of determinants", source=OURS,
    ),
    Claim(
        name="gaussian.C4.optimal",
        says="Sinkhorn on the line: F is stationary in c where a = b, the balance of the coupling.",
        symbols=INSIDE, let=BALANCE, start=f"Derivative({F}, c)",
        steps=(equals("-(a - b)/2", by="normal"),),
        no_measure="C4.energy measures F at the coupling's c", source=QUOTED,
    ),
    Claim(
        name="gaussian.C4.gradient_flow",
        says="There the variance moves, with v = a, by S' = 2bc = -4 s times the slope of F.",
        symbols=INSIDE, let=BALANCE, start=f"-4*s*Derivative({F}, s)",
        steps=(equals("2*b*c", by="normal"),),
        no_measure="C4.energy measures F, gaussian_sinkhorn the rate", source=QUOTED,
    ),
    Claim(
        name="gaussian.C4.dissipation",
        says="And F falls at the rate int |Gamma|^2 = (bc/s)^2 s.",
        symbols=INSIDE, let=BALANCE, start=f"2*b*c*Derivative({F}, s)",
        steps=(equals("-(b*c/s)**2*s", by="normal"),),
        no_measure="C4.energy measures F, gaussian_sinkhorn the rate", source=QUOTED,
    ),
    Claim(
        name="gaussian.C4.energy",
        says="The energy of the coupling, as computed by eigenvalues, is that F.",
        symbols={"a": "real in [1/4, 2]", "s": "real in [1/4, 2]", "eps": "real in [1/4, 2]"},
        expect="tested", measure=_transport, source=OURS,
    ),
)
