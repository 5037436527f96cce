"""How fast a covariance can grow: bounds for softmax, L2 and Sinkhorn, and the monotone log det.

Softmax: with A + A' = 2a + N, N >= 0, and w'V = lam w', y = <w, S w> obeys y' >= 2 lam a y^2/|w|^2
(C9), so it blows up by |w|^2/(2 lam a y(0)); log det S moves by tr((A V + V'A') S) (C7). Sinkhorn:
the cross-covariance C satisfies C S^{-1} C' <= S, so V C' + C V' <= V S V'/c + c S for every c > 0:
no blow-up for any A (C4). L2: K P K' <= 1/2 and P K'K P <= P/2 for the tilted covariance P; with
K'K >= sig^2 that bounds the field by the size of S (C10). Without injective K it does not: C10.*
is an example that blows up at t = 3.

Source: "no blow-up" for L2 and Sinkhorn is quoted from a summary of Castin, Ablin, Carrillo, Peyré
(arXiv 2501.18322), whose full text could not be read; constants, proofs and the example are ours.
C10.blow_up refutes the wording "L2 never blows up" for Gaussian data; the paper may ask for more.
Missing: operator norms. The bounds are stated in the order of matrices; that they give |S(t)| <=
|S(0)| exp(2|V|t) for Sinkhorn (c = |V|) and exp(2|V||Q|t/sig) for L2 is Gronwall, in words.
"""

from proofs import Claim, at_least, at_most, equals, psd

QUOTED, OURS = "quoted from a summary of arXiv 2501.18322; proof ours", "ours"
REFUTES = "ours; refutes the wording of a summary of arXiv 2501.18322"
SQUARE, PD = "matrix(d, d)", "matrix(d, d) symmetric positive definite"
PSD = "matrix(d, d) symmetric positive semidefinite"
FIGURES = ("start_decides",)
SYMBOLS = {
    "d": "integer >= 1", "k": "integer >= 1", "A": SQUARE, "V": SQUARE, "S": PD, "N": PSD,
    "W": SQUARE, "Q": "matrix(k, d)", "K": "matrix(k, d)", "w": "vector(d)", "t": "real",
    "lam": "real > 0", "a": "real > 0", "y": "real > 0", "r": "real", "c": "real > 0",
    "eps": "real > 0", "sig": "real > 0", "b": "real > 1",
}
FLOW = {"S": "V*S*A*S + S*A.T*S*V.T"}
SPLIT = "(a*eye(d) + N/2 + W - W.T)"
FIXED = "T*A.T*S*A*T + eps*T = S"
TILTED = {"P": "Inverse(Inverse(S) + 2*K.T*K)"}
RAY = {"X": "Matrix([[1, g], [g, 4*g**2]])", "g": "1/(2 - 2*t/3)", "K1": "Matrix([[1, 0]])",
       "Q1": "Matrix([[0, 1]])", "V1": "diag(0, 1)",
       "B": "2*V1*X*Inverse(eye(2) + 2*K1.T*K1*X)*K1.T*Q1"}


def _numpy(point, *names):
    import numpy as np

    return [np.asarray(point[name], dtype=float) for name in names]


def _softmax_rate(V, A, S):
    from numeric.gaussian import rates
    from numeric.model import by_score

    return rates(by_score("softmax", A, V), None, S)[1]


def _log_det_rate(point, xp, rng):
    """The rate of log det S by the field: tr(S^{-1} S')."""
    import numpy as np

    V, A, S = _numpy(point, "V", "A", "S")
    return xp.asarray(np.trace(np.linalg.solve(S, _softmax_rate(V, A, S))))


def _ray(point, xp, rng):
    """The rate of the covariance of the example, by the L2 field."""
    import numpy as np

    from numeric.gaussian import rates
    from numeric.model import Model

    g = 1 / (2 - 2 * float(point["t"]) / 3)
    layer = Model("l2", np.array([[0.0, 1]]), np.array([[1.0, 0]]), np.diag([0.0, 1]))
    return xp.asarray(rates(layer, None, np.array([[1, g], [g, 4 * g * g]]))[1])


def _injective(point, xp, rng):
    """The same with K = diag(1, 1/20) reaches t = 6; with K = [1, 0] the event comes at 3."""
    import numpy as np

    from numeric.gaussian import integrate
    from numeric.model import Model

    S, V = np.array([[1, 0.5], [0.5, 1]]), np.diag([0.0, 1])
    kept = integrate(Model("l2", np.array([[0.0, 1], [0, 0]]), np.diag([1, 0.05]), V), None, S,
                     6.0, 2)
    lost = integrate(Model("l2", np.array([[0.0, 1]]), np.array([[1.0, 0]]), V), None, S, 6.0, 2)
    return xp.asarray([kept.times[-1], lost.blow_up]), xp.asarray([6.0, 3.0])


def _line(point, xp, rng):
    """Softmax on the line from s: blow-up at 1/(2 v a s), where both bounds meet."""
    import numpy as np

    from numeric.gaussian import integrate
    from numeric.model import by_score

    layer = by_score("softmax", np.array([[0.9]]), np.array([[0.7]]))
    found = integrate(layer, None, np.array([[0.5]]), 3.0, 2).blow_up
    return xp.asarray(found), xp.asarray(1 / 0.63)


CLAIMS = (
    Claim(
        name="gaussian.C7.log_det",
        says="Softmax: the rate of log det S.", rates=FLOW,
        start="Derivative(log(Determinant(S)), t)",
        steps=(equals("2*Trace(V*S*A)", by="normal"),
               equals("Trace((A*V + V.T*A.T)*S)", by="normal")),
        measure=_log_det_rate, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C7.falls",
        says="It falls where A V + V'A' = -N <= 0: A V, not V A.",
        given=("A*V + V.T*A.T = -N",), start="Trace((A*V + V.T*A.T)*S)",
        steps=(equals("-Trace(N*S)", by="normal"), at_most("0", by="sign")),
        no_measure="C7.log_det measures the rate", source=OURS,
    ),
    Claim(
        name="gaussian.C9.rate",
        says="With w'V = lam w' the variance along w moves by a square in S.",
        given=("V.T*w = lam*w",), rates={**FLOW, "w": "0*w"},
        start="Derivative(dot(w, S*w), t)",
        steps=(equals("lam*dot(S*w, (A + A.T)*(S*w))", by="normal"),),
        no_measure="the rate is measured for every V in C7.log_det", source=OURS,
    ),
    Claim(
        name="gaussian.C9.coercive",
        says="Of A + A' = 2a + N at least 2a counts.",
        start=f"lam*dot(S*w, ({SPLIT} + {SPLIT}.T)*(S*w))",
        steps=(equals("2*lam*a*dot(S*w, S*w) + lam*dot(S*w, N*(S*w))", by="normal"),
               at_least("2*lam*a*dot(S*w, S*w)", by="sign")),
        no_measure="an inequality between quadratic forms", source=OURS,
    ),
    Claim(
        name="gaussian.C9.cauchy",
        says="Cauchy and Schwarz for w and S w.",
        given=("dot(w, w) != 0",), start="dot(w, w)*dot(S*w, S*w)",
        steps=(equals("dot(w, S*w)**2 + dot(w, w)*norm2(S*w - dot(w, S*w)/dot(w, w)*w)",
                      by="normal"), at_least("dot(w, S*w)**2", by="shape")),
        no_measure="an inequality between numbers", source=OURS,
    ),
    Claim(
        name="gaussian.C9.riccati",
        says="A number with y' >= c y^2 has 1/y falling at rate c at least: it is infinite by "
             "1/(c y(0)).",
        given=("r >= c*y**2",), rates={"y": "r"}, start="Derivative(1/y, t)",
        steps=(equals("-r/y**2", by="normal"), at_most("-c", by="sign")),
        no_measure="calculus", source=OURS,
    ),
    Claim(
        name="gaussian.C9.line",
        says="On the line the lower bound 1/(2|V||A||S0|) and the upper bound meet: v = 0.7, a = "
             "0.9, S0 = 1/2 blow up at 1/0.63.",
        expect="tested", measure=_line, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="gaussian.C4.below",
        says="Sinkhorn: C = T A'S has C S^{-1} C' below S; what is left is eps T.",
        symbols={"T": PD}, given=(FIXED,), let={"C": "T*A.T*S"}, start="S - C*Inverse(S)*C.T",
        steps=(equals("eps*T", by="normal"), psd("zeros(d, d)", by="congruence")),
        no_measure="an identity of the coupling, measured in gaussian_sinkhorn", source=OURS,
    ),
    Claim(
        name="gaussian.C4.no_blow_up",
        says="So the rate V C' + C V' of the covariance lies below V S V'/c + c S, for every A and "
             "every c > 0: what is left is a square and c eps T, both positive semidefinite.",
        symbols={"T": PD}, given=(FIXED,), let={"C": "T*A.T*S"},
        start="V*S*V.T/c + c*S - V*C.T - C*V.T",
        steps=(equals("(V - c*C*Inverse(S))*S*(V - c*C*Inverse(S)).T/c + c*eps*T", by="normal"),),
        no_measure="an inequality; the growth is measured in tests of numeric.gaussian",
        source=QUOTED,
    ),
    Claim(
        name="gaussian.C4.square",
        says="What is left is positive semidefinite, whatever C is.",
        symbols={"T": PD, "C": SQUARE},
        start="(V - c*C*Inverse(S))*S*(V - c*C*Inverse(S)).T/c + c*eps*T",
        steps=(psd("zeros(d, d)", by="congruence"),),
        no_measure="an inequality of matrices", source=OURS,
    ),
    Claim(
        name="gaussian.C10.keys",
        says="L2: seen through the keys the tilted covariance is at most 1/2.",
        let=TILTED, start="eye(k)/2",
        steps=(equals("K*P*K.T + Inverse(eye(k) + 2*K*S*K.T)/2", by="normal"),
               psd("K*P*K.T", by="congruence")),
        no_measure="an inequality of matrices", source=OURS,
    ),
    Claim(
        name="gaussian.C10.values",
        says="And P K'K P is at most P/2.",
        let=TILTED, start="P/2",
        steps=(equals("P*K.T*K*P + P*Inverse(S)*P/2", by="normal"),
               psd("P*K.T*K*P", by="congruence")),
        no_measure="an inequality of matrices", source=OURS,
    ),
    Claim(
        name="gaussian.C10.injective",
        says="With K'K = sig^2 + N the tilted covariance is at most 1/(2 sig^2), whatever S is.",
        let={"P": "Inverse(Inverse(S) + 2*sig**2*eye(d) + 2*N)"},
        start="eye(d)/(2*sig**2)", steps=(psd("P", by="congruence"),),
        no_measure="an inequality of matrices", source=OURS,
    ),
    Claim(
        name="gaussian.C10.blow_up",
        says="Without injective K: K = [1 0], Q = [0 1], V = diag(0, 1). The covariance [[1, g], "
             "[g, 4g^2]], g = 1/(2 - 2t/3), solves the L2 equation and blows up at t = 3.",
        symbols={"t": "real in [0, 3)"}, let=RAY, start="Derivative(X, t)",
        steps=(equals("B*X + X*B.T", by="normal"),),
        measure=_ray, tolerance=1e-8, source=REFUTES,
    ),
    Claim(
        name="gaussian.C10.unbounded",
        says="Its entry g exceeds every bound b before t = 3.",
        symbols={"t": "real in [0, 3)"}, given=("t >= 3 - 3/(2*b)",), start="1/(2 - 2*t/3)",
        steps=(at_least("b", by="cleared"),),
        no_measure="C10.blow_up measures the rate that it integrates", source=REFUTES,
    ),
    Claim(
        name="gaussian.C10.integrated",
        says="Integrated, it blows up at t = 3; with K = diag(1, 1/20) it goes on past t = 6.",
        expect="tested", measure=_injective, tolerance=1e-4, source=REFUTES,
    ),
)
