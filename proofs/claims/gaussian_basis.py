"""A change of basis of the tokens changes Q, K, V and nothing else; and Sinkhorn's joint law.

With tokens G x the score <Ax, y> belongs to G^{-T} A G^{-1}, values to G V G^{-1}, covariances to
G S G'. Each closed equation keeps its form (S11), so every statement about it may be made in the
most convenient basis. Rotations keep norms as well. For Sinkhorn the coupling's T changes like S,
and the joint covariance of x and y has eps T as a Schur complement and -A'/eps as its precision off
the diagonal (S10).

Source: the equations are quoted from a summary of Castin, Ablin, Carrillo, Peyré (arXiv
2501.18322); covariance under a change of basis and all proofs are ours.
Missing: the joint covariance as one block matrix; its blocks are written one by one.
"""

from proofs import Claim, equals

OURS = "ours"
SQUARE, PD = "matrix(d, d)", "matrix(d, d) symmetric positive definite"
SYMBOLS = {
    "d": "integer >= 1", "k": "integer >= 1", "A": SQUARE, "V": SQUARE,
    "G": "matrix(d, d) invertible", "S": PD, "T": PD, "Q": "matrix(k, d)", "K": "matrix(k, d)",
    "alpha": "vector(d)", "x": "vector(d)", "eps": "real > 0", "U": "matrix(d, d) orthogonal",
}
NEW = {"An": "Inverse(G).T*A*Inverse(G)", "Vn": "G*V*Inverse(G)", "Sn": "G*S*G.T",
       "Tn": "G*T*G.T", "mean": "G*alpha", "Qn": "Q*Inverse(G)", "Kn": "K*Inverse(G)"}
SOFTMAX = "V*S*A*S + S*A.T*S*V.T"
LINEAR = "V*(S + alpha*alpha.T)*A*S + S*A.T*(S + alpha*alpha.T)*V.T"
L2 = ("2*V*Inverse(Inverse(S) + 2*K.T*K)*K.T*Q*S"
      " + 2*S*Q.T*K*Inverse(Inverse(S) + 2*K.T*K)*V.T")
L2_NEW = ("2*Vn*Inverse(Inverse(Sn) + 2*Kn.T*Kn)*Kn.T*Qn*Sn"
          " + 2*Sn*Qn.T*Kn*Inverse(Inverse(Sn) + 2*Kn.T*Kn)*Vn.T")
FIXED = ("T*A.T*S*A*T + eps*T = S",)
CROSS = {"C": "T*A.T*S"}


def _changed(variant):
    """The rate of the covariance in the new basis, by the field there."""
    def measure(point, xp, rng):
        import numpy as np

        from numeric.gaussian import rates
        from numeric.model import Model, by_score

        z = {n: np.asarray(v, dtype=float) for n, v in point.items()}
        back, V = np.linalg.inv(z["G"]), z["G"] @ z["V"] @ np.linalg.inv(z["G"])
        mean = None if "alpha" not in z else (z["G"] @ z["alpha"]).reshape(-1)
        layer = (Model("l2", z["Q"] @ back, z["K"] @ back, V) if variant == "l2"
                 else by_score(variant, back.T @ z["A"] @ back, V))
        S = z["G"] @ z["S"] @ z["G"].T
        return xp.asarray(rates(layer, mean, (S + S.T) / 2)[1])
    return measure


CLAIMS = (
    Claim(
        name="gaussian.S11.score",
        says="Scores are the same in the new basis.",
        let=NEW, symbols={"y": "vector(d)"}, start="dot(An*(G*x), G*y)",
        steps=(equals("dot(A*x, y)", by="normal"),),
        no_measure="an identity of scores; the rates are measured", source=OURS,
    ),
    Claim(
        name="gaussian.S11.softmax",
        says="Softmax: the covariance equation in the new basis.",
        let=NEW, start="Vn*Sn*An*Sn + Sn*An.T*Sn*Vn.T",
        steps=(equals(f"G*({SOFTMAX})*G.T", by="normal"),),
        measure=_changed("softmax"), tolerance=1e-7, source=OURS,
    ),
    Claim(
        name="gaussian.S11.mean",
        says="Softmax: the mean equation.",
        let=NEW, start="Vn*(mean + Sn*An*mean)",
        steps=(equals("G*(V*(alpha + S*A*alpha))", by="normal"),),
        no_measure="the covariance is measured in S11.softmax", source=OURS,
    ),
    Claim(
        name="gaussian.S11.linear",
        says="Linear attention.",
        let=NEW, start="Vn*(Sn + mean*mean.T)*An*Sn + Sn*An.T*(Sn + mean*mean.T)*Vn.T",
        steps=(equals(f"G*({LINEAR})*G.T", by="normal"),),
        measure=_changed("linear"), tolerance=1e-7, source=OURS,
    ),
    Claim(
        name="gaussian.S11.l2",
        says="L2 attention, with Q and K times G^{-1}.",
        let=NEW, start=L2_NEW, steps=(equals(f"G*({L2})*G.T", by="normal"),),
        measure=_changed("l2"), tolerance=1e-7, source=OURS,
    ),
    Claim(
        name="gaussian.S11.sinkhorn",
        says="Sinkhorn: T changes like S; the equation of the coupling keeps its form.",
        let=NEW, start="Tn*An.T*Sn*An*Tn + eps*Tn",
        steps=(equals("G*(T*A.T*S*A*T + eps*T)*G.T", by="normal"),),
        no_measure="the coupling is measured in gaussian_sinkhorn", source=OURS,
    ),
    Claim(
        name="gaussian.S11.rotation",
        says="In a rotated basis A changes like S: the inverse of a rotation is its transpose.",
        start="Inverse(U).T*A*Inverse(U)", steps=(equals("U*A*U.T", by="normal"),),
        no_measure="an identity of matrices", source=OURS,
    ),
    Claim(
        name="gaussian.S10.schur",
        says="Sinkhorn: the Schur complement of the joint covariance is eps T.",
        let=CROSS, given=FIXED, start="S - C*Inverse(S)*C.T",
        steps=(equals("eps*T", by="normal"),),
        no_measure="an identity of the coupling, measured in gaussian_sinkhorn", source=OURS,
    ),
    Claim(
        name="gaussian.S10.precision",
        says="So the joint precision off the diagonal is -A'/eps: the coupling has the form that "
             "Sinkhorn's kernel asks for.",
        let=CROSS, given=FIXED, start="-Inverse(eps*T)*C*Inverse(S)",
        steps=(equals("-A.T/eps", by="normal"),),
        no_measure="an identity of the coupling, measured in gaussian_sinkhorn", source=OURS,
    ),
)
