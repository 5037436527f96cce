"""Attention on raw phases is Kuramoto coupling.

The layer lifts each phase to the circle, averages with the attention weights and moves each token
along the tangent part of that circular mean G = X + iY. This is the Kuramoto coupling term, for
every length and for any real weights: no softmax, sign or normalisation is needed. Letters: T
tokens, token t, coordinate j, weights A[t,u] with causal support u <= t, phases theta[t,j] in
radians; below one coordinate at a time, A being the weights of its head.

Source: K1 is stated in the abstract of arXiv 2606.11585; its derivation, K2, K5 and K6 are ours.
Missing: nothing.
"""

from proofs import Claim, at_most, derived, equals
from symbolic.formulas import kuramoto

PAPER = "arXiv 2606.11585, abstract; derivation ours"
OURS = "ours"
SYMBOLS = {"T": "integer >= 1", "k": "integer >= 1", "t": "index 1..T", "j": "index 1..k",
           "theta": "real[1..T]", "A": "real[1..T, 1..T]", "R": "real", "psi": "real"}
MEAN = {"X": "Sum(A[t,u]*cos(theta[u]),(u,1,t))", "Y": "Sum(A[t,u]*sin(theta[u]),(u,1,t))"}
COUPLING = "Sum(A[t,u]*sin(theta[u]-theta[t]),(u,1,t))"
MOVE = "-sin(theta[t])*X + cos(theta[t])*Y"


def _move(point, xp, rng):
    """The increment of token t, by the layer's two matrix products."""
    from numeric.attention import kuramoto

    theta, weights = point["theta"][:, None], xp.tril(point["A"])[None]
    moves = kuramoto.increment(theta, *kuramoto.mean(theta, weights))
    return moves[int(point["t"]) - 1, 0]


def _move_of_coordinate(point, xp, rng):
    """The increment of token t in coordinate j, all k coordinates at once."""
    from numeric.attention import kuramoto

    theta, weights = point["theta"], xp.tril(point["A"])[None]
    moves = kuramoto.increment(theta, *kuramoto.mean(theta, weights))
    return moves[int(point["t"]) - 1, int(point["j"]) - 1]


def _move_of_head(point, xp, rng):
    """The increment of coordinate j of head h, all heads side by side in one layer."""
    from numeric.attention import kuramoto

    (heads, tokens, _), d = point["A"].shape, int(point["k"])
    theta = xp.reshape(point["theta"], (tokens, heads * d))
    moves = kuramoto.increment(theta, *kuramoto.mean(theta, xp.tril(point["A"])))
    return moves[int(point["t"]) - 1, (int(point["h"]) - 1) * d + int(point["j"]) - 1]


def _first(point, xp, rng):
    """The increment of the first token."""
    return _move({**point, "t": 1}, xp, rng)


def _others(point, xp, rng):
    """Attention of token t paid to earlier tokens."""
    t = int(point["t"]) - 1
    return xp.sum(xp.tril(point["A"], k=-1)[t, :])


def _squared(point, xp, rng):
    return _move(point, xp, rng) ** 2


def _polar(point, xp, rng):
    """The increment at phase theta[t] under a mean with length R and angle psi."""
    from numeric.attention import kuramoto

    theta, psi = point["theta"][int(point["t"]) - 1], xp.asarray(point["psi"])
    return kuramoto.increment(theta, point["R"] * xp.cos(psi), point["R"] * xp.sin(psi))


def _sine(point, xp, rng):
    """One entry of the array of sines that the naive layer builds."""
    theta = point["theta"]
    return xp.sin(theta[None, :] - theta[:, None])[int(point["t"]) - 1, int(point["u"]) - 1]


def _minor(point, xp, rng):
    """A 3 x 3 minor of the array of sines."""
    angles = point["beta"][None, :] - point["alpha"][:, None]
    return xp.linalg.det(xp.sin(angles))


CLAIMS = (
    Claim(
        name="kuramoto.K1.identity",
        says="The move of a token is the Kuramoto coupling term: for every length, any real "
             "weights, every coordinate.",
        symbols={"theta": "real[1..T, 1..k]"},
        start="-sin(theta[t,j])*Sum(A[t,u]*cos(theta[u,j]),(u,1,t))"
              " + cos(theta[t,j])*Sum(A[t,u]*sin(theta[u,j]),(u,1,t))",
        steps=(
            equals("Sum(A[t,u]*(cos(theta[t,j])*sin(theta[u,j])"
                   " - sin(theta[t,j])*cos(theta[u,j])),(u,1,t))", by="normal"),
            equals("Sum(A[t,u]*sin(theta[u,j]-theta[t,j]),(u,1,t))", by="normal"),
        ),
        measure=_move_of_coordinate, source=PAPER,
    ),
    Claim(
        name="kuramoto.K1.derived",
        says="Turning the mean back by theta[t] and taking its imaginary part, as SymPy does it, "
             "gives the same move.",
        start=MOVE, let=MEAN,
        steps=(equals(derived(kuramoto.increment()), by="normal"),
               equals(COUPLING, by="normal")),
        measure=_move, source=PAPER,
    ),
    Claim(
        name="kuramoto.K1.heads",
        says="Each head couples its own coordinates with its own weights.",
        symbols={"H": "integer >= 1", "h": "index 1..H", "A": "real[1..H, 1..T, 1..T]",
                 "theta": "real[1..T, 1..H, 1..k]"},
        start="-sin(theta[t,h,j])*Sum(A[h,t,u]*cos(theta[u,h,j]),(u,1,t))"
              " + cos(theta[t,h,j])*Sum(A[h,t,u]*sin(theta[u,h,j]),(u,1,t))",
        steps=(equals("Sum(A[h,t,u]*sin(theta[u,h,j]-theta[t,h,j]),(u,1,t))", by="normal"),),
        measure=_move_of_head, source=OURS,
    ),
    Claim(
        name="kuramoto.K2.imaginary",
        says="The move is the imaginary part of exp(-i theta[t]) G.",
        start="im(exp(-I*theta[t])*Sum(A[t,u]*exp(I*theta[u]),(u,1,t)))",
        steps=(equals(COUPLING, by="normal"),),
        measure=_move, source=OURS,
    ),
    Claim(
        name="kuramoto.K2.conjugates",
        says="The same without imaginary parts: half the difference of two conjugates, over i.",
        start="(exp(-I*theta[t])*Sum(A[t,u]*exp(I*theta[u]),(u,1,t))"
              " - exp(I*theta[t])*Sum(A[t,u]*exp(-I*theta[u]),(u,1,t)))/(2*I)",
        steps=(equals(COUPLING, by="normal"),),
        measure=_move, source=OURS,
    ),
    Claim(
        name="kuramoto.K2.tangent",
        says="The move is the inner product of the mean with the unit tangent at theta[t].",
        let=MEAN,
        start="Transpose(Matrix([[X],[Y]]))*Matrix([[-sin(theta[t])],[cos(theta[t])]])",
        steps=(equals(COUPLING, by="normal"),),
        measure=_move, source=OURS,
    ),
    Claim(
        name="kuramoto.K2.polar",
        says="With G = R exp(i psi) the move is R sin(psi - theta[t]).",
        let={"X": "R*cos(psi)", "Y": "R*sin(psi)"},
        start=MOVE, steps=(equals("R*sin(psi-theta[t])", by="normal"),),
        measure=_polar, source=OURS,
    ),
    Claim(
        name="kuramoto.K2.field",
        says="Any R and psi with R exp(i psi) = G: the whole coupling acts as one oscillator.",
        given=("Sum(A[t,u]*cos(theta[u]),(u,1,t)) = R*cos(psi)",
               "Sum(A[t,u]*sin(theta[u]),(u,1,t)) = R*sin(psi)"),
        start=COUPLING,
        steps=(
            equals("cos(theta[t])*Sum(A[t,u]*sin(theta[u]),(u,1,t))"
                   " - sin(theta[t])*Sum(A[t,u]*cos(theta[u]),(u,1,t))", by="normal"),
            equals("cos(theta[t])*R*sin(psi) - sin(theta[t])*R*cos(psi)", by="linear"),
            equals("R*sin(psi-theta[t])", by="normal"),
        ),
        measure=_move, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K5.self_term",
        says="The term of the token itself is zero: only earlier tokens move it.",
        start=COUPLING,
        steps=(equals("Sum(A[t,u]*sin(theta[u]-theta[t]),(u,1,t-1))", by="normal"),),
        measure=_move, source=OURS,
    ),
    Claim(
        name="kuramoto.K5.first_token",
        says="The first token never moves by attention.",
        start="Sum(A[1,u]*sin(theta[u]-theta[1]),(u,1,1))", steps=(equals("0", by="normal"),),
        measure=_first, source=OURS,
    ),
    Claim(
        name="kuramoto.K5.coupling_left",
        says="What a token pays to itself is lost to the coupling.",
        given=("Sum(A[t,u],(u,1,t)) = 1",),
        start="Sum(A[t,u],(u,1,t-1))",
        steps=(equals("Sum(A[t,u],(u,1,t)) - A[t,t]", by="normal"),
               equals("1 - A[t,t]", by="linear")),
        measure=_others, source=OURS,
    ),
    Claim(
        name="kuramoto.K5.weakened",
        says="Self-attention only weakens: the move is at most 1 - A[t,t] in size.",
        given=("A[t,u] >= 0 for u in 1..t", "Sum(A[t,u],(u,1,t)) = 1"),
        start=f"({COUPLING})**2",
        steps=(
            equals("Sum(A[t,u],(u,1,t-1))**2 - Sum(A[t,u]*cos(theta[u]-theta[t]),(u,1,t-1))**2"
                   " - 2*Sum(Sum(A[t,u]*A[t,v]*sin((theta[u]-theta[v])/2)**2,(v,1,t-1)),"
                   "(u,1,t-1))", by="normal"),
            at_most("Sum(A[t,u],(u,1,t-1))**2", by="shape"),
            equals("(Sum(A[t,u],(u,1,t)) - A[t,t])**2", by="normal"),
            equals("(1 - A[t,t])**2", by="linear"),
        ),
        measure=_squared, source=OURS,
    ),
    Claim(
        name="kuramoto.K6.factors",
        says="Every entry of the array of sines is a product of a row and a column of length 2.",
        symbols={"u": "index 1..T"},
        start="sin(theta[u]-theta[t])",
        steps=(equals("Matrix([[-sin(theta[t]), cos(theta[t])]])"
                      "*Matrix([[cos(theta[u])],[sin(theta[u])]])", by="normal"),),
        measure=_sine, source=OURS,
    ),
    Claim(
        name="kuramoto.K6.minors",
        says="So the array has rank at most 2: every 3 x 3 minor vanishes.",
        symbols={"alpha": "real[1..3]", "beta": "real[1..3]"},
        start="Determinant(Matrix([" + ",".join(
            "[" + ",".join(f"sin(beta[{u}]-alpha[{t}])" for u in (1, 2, 3)) + "]"
            for t in (1, 2, 3)) + "]))",
        steps=(equals("0", by="normal"),), measure=_minor, source=OURS,
    ),
    Claim(
        name="kuramoto.K6.two_products",
        says="The coupling costs two products of weights with a (T, k) array.",
        start=COUPLING, let=MEAN, steps=(equals(MOVE, by="normal"),),
        measure=_move, source=OURS,
    ),
)
