"""With V = I the covariance of softmax attention is a resolvent, and its blow-up time is known.

S' = V S A S + S A'S V'. With V = I the inverse of S moves along a straight line, so S(t) =
R (1 - t R N R)^{-1} R with N = A + A' and R R = S(0): it blows up at 1/lam for the largest
eigenvalue lam > 0 of R N R, and never if there is none. The same holds with N = V A + A'V' where V
commutes with S(0) and N. The condition V A + A'V' <= 0 alone bounds nothing when V does not
commute: C8 is a counterexample. V symmetric positive and A + A' <= 0 is enough.

Source: the covariance equation and the behaviour for V = I are quoted from a summary of Castin,
Ablin, Carrillo, Peyré (arXiv 2501.18322), whose full text could not be read: what C8 refutes is
the wording of that summary, not a proposition of the paper. Formulas and proofs are ours.
Missing: that 1 - t R N R is positive before 1/lam (an eigenvalue is no word of the language), and
hence that nothing blows up earlier; 1/lam is enclosed by `numeric.stability`.
"""

from proofs import Claim, at_least, at_most, equals

QUOTED, OURS = "quoted from a summary of arXiv 2501.18322; proof ours", "ours"
REFUTES = "ours; refutes the bare condition as met in a summary of arXiv 2501.18322"
SQUARE, PD = "matrix(d, d)", "matrix(d, d) symmetric positive definite"
SYMBOLS = {
    "d": "integer >= 1", "A": SQUARE, "V": SQUARE, "S": PD, "S0": PD,
    "R": "matrix(d, d) symmetric positive semidefinite", "M": "matrix(d, d) symmetric",
    "N": "matrix(d, d) symmetric positive semidefinite", "w": "vector(d)", "t": "real",
    "lam": "real", "b": "real > 1",
}
FLOW = {"S": "V*S*A*S + S*A.T*S*V.T"}
RESOLVENT = {"X": "R*Inverse(eye(d) - t*R*(A + A.T)*R)*R"}
REGULAR = "Determinant(eye(d) - t*R*(A + A.T)*R) != 0"
SPECTRAL = "Determinant(eye(d) - t*R*M*R) != 0"
TURN = {"A1": "Matrix([[0, 1], [0, 0]])", "X": "Matrix([[1, t], [t, 1]])/(1 - t**2)"}
PAIR = {"V1": "Matrix([[1, 1], [0, 1/2]])", "A1": "Matrix([[3, 4], [-4, -2]])"}
BLOWN = {**PAIR, "X": "diag(1/(1 - 6*t), 0)"}
EARLY = {"t": "real in [0, 1/6)"}


def _rate(point, V, A, S):
    """The rate of the covariance, from the field of softmax attention on a Gaussian."""
    from numeric.gaussian import rates
    from numeric.model import by_score

    return rates(by_score("softmax", A, V), None, S)[1]


def _numpy(point, *names):
    import numpy as np

    return [np.asarray(point[name], dtype=float) for name in names]


def _inverse_rate(point, xp, rng):
    """The rate of S^{-1} for V = I, by the field."""
    import numpy as np

    A, S = _numpy(point, "A", "S")
    back = np.linalg.inv(S)
    return xp.asarray(-back @ _rate(point, np.eye(len(S)), A, S) @ back)


def _covariance_rate(point, xp, rng):
    return xp.asarray(_rate(point, *_numpy(point, "V", "A", "S")))


def _potential_rate(point, xp, rng):
    """The rate of tr(V^{-1} S)."""
    import numpy as np

    V, W, N, S = _numpy(point, "V", "W", "N", "S")
    A = W - W.T - N / 2
    return xp.asarray(np.trace(np.linalg.solve(V, _rate(point, V, A, S))))


def _turn_rate(point, xp, rng):
    import numpy as np

    t = float(point["t"])
    S = np.array([[1, t], [t, 1]]) / (1 - t * t)
    return xp.asarray(_rate(point, np.eye(2), np.array([[0.0, 1], [0, 0]]), S))


def _pair_rate(S):
    """The rate of S under the pair V, A of the counterexample."""
    import numpy as np

    return _rate(None, np.array([[1, 1], [0, 0.5]]), np.array([[3.0, 4], [-4, -2]]), S)


def _blown_rate(point, xp, rng):
    import numpy as np

    return xp.asarray(_pair_rate(np.diag([1 / (1 - 6 * float(point["t"])), 0.0])))


def _blown(point, xp, rng):
    """The first entry of S(t), integrated from diag(1, 0)."""
    import numpy as np

    from numeric.gaussian import integrate
    from numeric.model import by_score

    layer = by_score("softmax", np.array([[3.0, 4], [-4, -2]]), np.array([[1, 1], [0, 0.5]]))
    path = integrate(layer, None, np.diag([1.0, 0]), float(point["t"]), 1)
    return xp.asarray(path.covariances[-1][0, 0])


def _full_rank(point, xp, rng):
    """Blow-up times from two definite starts, and that of the bound 1/6, as integrated."""
    import numpy as np

    from numeric.gaussian import integrate
    from numeric.model import by_score

    layer = by_score("softmax", np.array([[3.0, 4], [-4, -2]]), np.array([[1, 1], [0, 0.5]]))
    starts = np.diag([1, 0.01]), np.array([[1, 0.3], [0.3, 0.5]])
    found = [integrate(layer, None, S, 1.0, 2, rtol=1e-8).blow_up for S in starts]
    return xp.asarray(found), xp.asarray([0.16756, 0.18190])


CLAIMS = (
    Claim(
        name="gaussian.C5.inverse",
        says="With V = I the inverse of the covariance moves along a straight line.",
        rates={"S": "S*A*S + S*A.T*S"}, start="Derivative(Inverse(S), t)",
        steps=(equals("-(A + A.T)", by="normal"),),
        measure=_inverse_rate, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C5.resolvent",
        says="The resolvent solves S' = S (A + A')S, from a singular start too.",
        let=RESOLVENT, given=(REGULAR,), start="Derivative(X, t)",
        steps=(equals("X*(A + A.T)*X", by="normal"),),
        no_measure="C5.inverse measures the rate that the formula integrates", source=OURS,
    ),
    Claim(
        name="gaussian.C5.two_forms",
        says="From a definite start it is the inverse of a straight line.",
        symbols={"R": PD, "t": "real > 0"},
        where=(REGULAR, "Determinant(Inverse(R*R) - t*(A + A.T)) != 0"),
        start="R*Inverse(eye(d) - t*R*(A + A.T)*R)*R",
        steps=(equals("Inverse(Inverse(R*R) - t*(A + A.T))", by="normal"),),
        no_measure="an identity of two ways to write one covariance", source=OURS,
    ),
    Claim(
        name="gaussian.C5.cancel",
        says="The resolvent undoes what it inverts.",
        symbols={"t": "real > 0"}, given=(SPECTRAL,),
        start="dot(w, Inverse(eye(d) - t*R*M*R)*(w - t*R*M*R*w))",
        steps=(equals("dot(w, w)", by="normal"),),
        no_measure="an identity about a resolvent", source=OURS,
    ),
    Claim(
        name="gaussian.C5.blow_up",
        says="Along an eigenvector w of R N R the resolvent is 1/(1 - t lam): unbounded as t comes "
             "to 1/lam.",
        symbols={"t": "real > 0"},
        given=("R*M*R*w = lam*w", "1 - t*lam != 0", SPECTRAL),
        start="dot(w, Inverse(eye(d) - t*R*M*R)*w)",
        steps=(
            equals("dot(w, Inverse(eye(d) - t*R*M*R)*(w - t*lam*w))/(1 - t*lam)", by="normal"),
            equals("dot(w, Inverse(eye(d) - t*R*M*R)*(w - t*R*M*R*w))/(1 - t*lam)", by="normal"),
            equals("dot(w, w)/(1 - t*lam)", using="gaussian.C5.cancel",
                   by="linear"),
        ),
        no_measure="an identity about a resolvent; blow-up times are measured in C8", source=OURS,
    ),
    Claim(
        name="gaussian.C5.example",
        says="A turn of the plane: A = [[0, 1], [0, 0]] from S = 1 blows up at t = 1.",
        symbols={"t": "real in [0, 1)"}, let=TURN, start="Derivative(X, t)",
        steps=(equals("X*A1*X + X*A1.T*X", by="normal"),),
        measure=_turn_rate, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C5.commuting",
        says="Where V commutes with S the equation is that of V = I with N = V A + A'V'.",
        given=("V*S = S*V",), start="V*S*A*S + S*A.T*S*V.T",
        steps=(equals("S*(V*A + A.T*V.T)*S", by="normal"),),
        measure=_covariance_rate, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C5.stays_commuting",
        says="V goes on commuting with S along the solution.",
        given=("V*S0 = S0*V", "V*M = M*V", "Determinant(Inverse(S0) - t*M) != 0"),
        let={"X": "Inverse(Inverse(S0) - t*M)"}, start="V*X",
        steps=(equals("X*V", by="normal"),),
        no_measure="an identity about a resolvent", source=OURS,
    ),
    Claim(
        name="gaussian.C8.sum",
        says="A pair with V A + A'V' = -2: the bare condition holds, strictly.",
        let=PAIR, start="V1*A1 + A1.T*V1.T", steps=(equals("-2*eye(2)", by="normal"),),
        no_measure="arithmetic", source=REFUTES,
    ),
    Claim(
        name="gaussian.C8.blow_up",
        says="Yet diag(1/(1 - 6t), 0) solves its covariance equation and blows up at t = 1/6.",
        symbols=EARLY, let=BLOWN, start="Derivative(X, t)",
        steps=(equals("V1*X*A1*X + X*A1.T*X*V1.T", by="normal"),),
        measure=_blown_rate, tolerance=1e-8, source=REFUTES,
    ),
    Claim(
        name="gaussian.C8.unbounded",
        says="It exceeds every bound b before t = 1/6.",
        symbols={"t": "real in [0, 1/6)"}, given=("t >= (1 - 1/b)/6",),
        start="1/(1 - 6*t)", steps=(at_least("b", by="cleared"),),
        no_measure="C8.blow_up measures the rate that it integrates", source=REFUTES,
    ),
    Claim(
        name="gaussian.C8.integrated",
        says="Integrating the covariance equation from diag(1, 0) gives the same.",
        symbols={"t": "real in [0, 3/20]"}, start="1/(1 - 6*t)",
        steps=(equals("1 + 6*t/(1 - 6*t)", by="normal"),),
        measure=_blown, tolerance=1e-7, source=REFUTES,
    ),
    Claim(
        name="gaussian.C8.full_rank",
        says="Definite starts near it blow up as well: diag(1, 0.01) at 0.16756, "
             "[[1, 0.3], [0.3, 0.5]] at 0.18190.",
        expect="tested", measure=_full_rank, tolerance=1e-5, source=REFUTES,
    ),
    Claim(
        name="gaussian.C8.enough",
        says="V symmetric positive and A + A' = -N <= 0 is enough, A = W - W' - N/2: tr(V^{-1} S) "
             "never grows.",
        symbols={"V": PD, "W": SQUARE},
        rates={"S": "V*S*(W - W.T - N/2)*S + S*(W - W.T - N/2).T*S*V.T", "V": "0*V"},
        start="Derivative(Trace(Inverse(V)*S), t)",
        steps=(equals("-Trace(S*N*S)", by="normal"), at_most("0", by="sign")),
        measure=_potential_rate, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C8.lyapunov",
        says="In general tr(P S) moves by 2 tr(A S P V S), quadratic in S: a matrix inequality on "
             "P decides its sign.",
        symbols={"P": "matrix(d, d) symmetric"}, rates={**FLOW, "P": "0*P"},
        start="Derivative(Trace(P*S), t)", steps=(equals("2*Trace(A*S*P*V*S)", by="normal"),),
        no_measure="the certificates of `numeric.stability` are checked against simulated blow-up",
        source=OURS,
    ),
)
