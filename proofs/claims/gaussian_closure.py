"""Five kinds of attention keep a Gaussian a Gaussian: the field and the ODEs, derived once.

Complete the square in y of log-density plus log-kernel, read off the tilted mean, find it affine in
x: Gamma(x) = b + B(x - alpha) on N(alpha, S), so alpha' = b and S' = BS + SB'. SymPy does this
from the log-kernels <Qx, Ky>, -|Qx - Ky|^2 and, for Sinkhorn, <Qx, Ky>/eps with a quadratic
potential; linear attention, whose kernel <Qx, Ky> is no density, is the slope at 0 of the tilt by
exp(s<Qx, Ky>); heads add up. It is done for every d at once, and entry by entry for d = 1, 2, 3.
The matrices are those of an instant, so the ODEs hold for moving Q, K and V, too.

Source: Castin, Ablin, Carrillo, Peyré (arXiv 2501.18322), whose own text could not be read: what is
quoted comes from its summary, from restatements and from the authors' code. Proofs are ours.
Sinkhorn's field has no prefactor 1/eps here.
"""

from dataclasses import dataclass, field

from proofs import Claim, above, derived, equals
from symbolic.formulas import gaussian

OURS, QUOTED = "ours", "ODE quoted from arXiv 2501.18322 (summary, code); derivation ours"
SYMBOLS = {"d": "integer >= 1", "k": "integer >= 1", "Q": "matrix(k, d)", "K": "matrix(k, d)",
           "V": "matrix(d, d)", "alpha": "vector(d)", "x": "vector(d)",
           "S": "matrix(d, d) symmetric positive definite"}
TILTED = ("tilted mean m at x = alpha", "slope D in x of the tilted mean")
SCORE = {"A": "K.T*Q"}


@dataclass(frozen=True)
class Variant:
    """What is stated of a variant, with definitions, and what its letters are beyond the page's."""

    code: str
    mean: str
    B: str
    covariance: str
    let: dict = field(default_factory=dict)
    more: dict = field(default_factory=dict)


def _twice(text):
    """The same for two heads, added."""
    return text + " + " + text.replace("V", "V2").replace("A", "A2")


SOFTMAX = ("V*(alpha + S*A*alpha)", "V*S*A", "V*S*A*S + S*A.T*S*V.T")
VARIANTS = {
    "softmax": Variant("C1", *SOFTMAX),
    "multihead": Variant("C1.heads", *map(_twice, SOFTMAX), let={"A2": "K2.T*Q2"}, more={
        "Q2": "matrix(k, d)", "K2": "matrix(k, d)", "V2": "matrix(d, d)"}),
    "l2": Variant("C2", "V*Inverse(N)*(alpha + 2*S*A*alpha)", "2*V*Inverse(N)*S*A",
                  "2*V*Inverse(N)*S*A*S + 2*S*A.T*S*Inverse(N.T)*V.T",
                  let={"N": "eye(d) + 2*S*K.T*K"}),
    "linear": Variant("C3", "V*M*A*alpha", "V*M*A", "V*M*A*S + S*A.T*M*V.T",
                      let={"M": "S + alpha*alpha.T"}),
    "sinkhorn": Variant("C4", "V*alpha", "V*T*A", "V*T*A*S + S*A.T*T*V.T", more={
        "T": "matrix(d, d) symmetric positive definite", "eps": "real > 0"}),
}


def _whole(point, rng):
    """The point as NumPy arrays; letters that the statement does not read are drawn."""
    import numpy as np

    found = {n: np.asarray(v, dtype=float) for n, v in point.items()}
    d = len(found["V"])
    root = rng.normal(size=(d, d)) / d
    drawn = {"alpha": rng.normal(size=d), "S": root @ root.T + np.eye(d), "T": np.eye(d) / 4,
             "eps": np.ones(())}
    if "A" not in found:
        drawn |= {"Q": rng.normal(size=(1, d)), "K": rng.normal(size=(1, d)) / d}
    return {**drawn, **found, "alpha": found.get("alpha", drawn["alpha"]).reshape(-1)}


def _layer(z, name):
    """The layer and the law N(mean, S) of its tokens; Sinkhorn's potential is that of T."""
    import numpy as np

    from numeric.model import Model, by_score, score

    def heads(letter):
        return np.stack([z[letter], z[letter + "2"]]) if name == "multihead" else z[letter]

    kind = "softmax" if name == "sinkhorn" else name
    layer = by_score(kind, heads("A"), heads("V")) if "A" in z else Model(
        kind, heads("Q"), heads("K"), heads("V"))
    if name != "sinkhorn":
        return layer, z["alpha"], z["S"]
    center = z["alpha"] - z["T"] @ score(layer) @ z["alpha"]
    return Model(kind, layer.Q / z["eps"], layer.K, layer.V), center, z["eps"] * z["T"]


def _field(name):
    """Gamma(x) by the layer, on tokens that are the law, a line for each coordinate."""
    def measure(point, xp, rng):
        from numeric import tilting

        z = _whole(point, rng)
        layer, mean, S = _layer(z, name)
        return tilting.field(layer, z["x"], mean, S, xp)[:, None]
    return measure


def _rate(name, which):
    """The rate of the mean (0) or of the covariance (1) when the law moves along that field."""
    def measure(point, xp, rng):
        from numeric import tilting

        z = _whole(point, rng)
        layer, mean, S = _layer(z, name)
        found = tilting.rates(lambda x: tilting.field(layer, x, mean, S, xp), z["alpha"], z["S"],
                              xp)[which]
        return found if which else found[:, None]
    return measure


def _square(factor):
    """Log-density of N(alpha, S) at y, by NumPy's solver, plus the log-kernel."""
    def measure(point, xp, rng):
        import numpy as np

        x, y, mean = (np.asarray(point[n], dtype=float).reshape(-1) for n in ("x", "y", "alpha"))
        query, key = (np.asarray(point[n], dtype=float) @ v for n, v in (("Q", x), ("K", y)))
        kernel = query @ key if factor == 1 else -((query - key) ** 2).sum()
        S = np.asarray(point["S"], dtype=float)
        return kernel - (y - mean) @ np.linalg.solve(S, y - mean) / 2
    return measure


def _divisor(point, xp, rng):
    """1 over the squared normaliser of the L2 tilt of N(0, S) by -|Ky|^2: det(1 + 2 S K'K)."""
    import numpy as np

    L, key = np.linalg.cholesky(np.asarray(point["S"], dtype=float)), np.asarray(point["K"], float)
    values = np.linalg.svd(key @ L, compute_uv=False)
    return np.prod(1 + 2 * values**2)


def every_size(name, stated):
    """Field, mean and covariance of a variant for every d: the derived equal the stated."""
    found = gaussian.derive(name)
    rows = (
        ("field", "The field, affine in x", f"{stated.mean} + ({stated.B})*(x - alpha)",
         found.field, _field(name)),
        ("mean", "The rate of the mean", stated.mean, found.mean_rate, _rate(name, 0)),
        ("covariance", "The rate of the covariance", stated.covariance, found.covariance_rate,
         _rate(name, 1)))
    for part, says, start, side, measure in rows:
        yield Claim(
            name=f"gaussian.{stated.code}.{part}", says=f"{says}, {name}; derived by SymPy.",
            symbols=stated.more, let=SCORE | stated.let, start=start,
            steps=(equals(derived(side), by="normal"),),
            measure=measure, tolerance=1e-8, source=QUOTED)


def entry_by_entry(name, stated, d):
    """The same at a number d: A a letter, or for L2 Q and K of one row."""
    found, square, row = gaussian.derive(name, d), f"matrix({d}, {d})", f"matrix(1, {d})"
    own = {"Q": row, "K": row} if name == "l2" else {"A": square}
    own |= {letter: square for letter in ("V2", "A2") if name == "multihead"}
    symbols = {"V": square, "S": square + " symmetric positive definite", **own,
               "alpha": f"vector({d})", **({
                   "T": square + " symmetric positive definite", "eps": "real > 0"}
                   if name == "sinkhorn" else {})}
    let = {n: t.replace("eye(d)", f"eye({d})") for n, t in stated.let.items() if n != "A2"}
    let |= SCORE if name == "l2" else {}
    given = (f"Determinant(eye({d}) + 2*S*K.T*K) != 0",) if name == "l2" else ()
    rows = zip(("mean", "covariance"), (stated.mean, stated.covariance), ("m", "D"),
               gaussian.rates(len(found.heads), d), strict=True)
    for k, (part, start, letter, side) in enumerate(rows):
        tilted = {letter + end: derived((h.at_mean, h.slope)[k]).term
                  for end, h in zip(("", "2"), found.heads, strict=False)}
        yield Claim(
            name=f"gaussian.{stated.code}.{part}{d}",
            says=f"The rate of the {part}, {name}, at d = {d}, with the {TILTED[k]} entry by entry;"
                 " derived by SymPy.",
            symbols=symbols, let=let | tilted, given=given, start=start,
            steps=(equals(derived(side), by="normal"),), measure=_rate(name, k), tolerance=1e-8,
            source=QUOTED)


CLAIMS = (
    Claim(
        name="gaussian.C1.square",
        says="Completing the square: log-density plus score is the log-density of N(m, S) plus a "
             "term free of y.",
        symbols={"y": "vector(d)"}, let=SCORE | {"m": "alpha + S*A*x"},
        start="-dot(y - alpha, Inverse(S)*(y - alpha))/2 + dot(Q*x, K*y)",
        steps=(equals("-dot(y - m, Inverse(S)*(y - m))/2 + dot(alpha, A*x)"
                      " + dot(x, A.T*S*A*x)/2", by="normal"),),
        measure=_square(1), tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C1.moments",
        says="The tilted mean is the gradient of the log moment generating function at Ax.",
        let=SCORE, start="alpha + S*A*x",
        steps=(equals(derived(gaussian.log_moment_gradient()), by="normal"),),
        measure=lambda point, xp, rng: _field("softmax")(
            {**point, "V": xp.eye(point["S"].shape[0])}, xp, rng),
        tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C2.square",
        says="The L2 kernel makes the precision 1/S + 2 K'K and the mean m.",
        symbols={"y": "vector(d)"},
        let=SCORE | {"P": "Inverse(Inverse(S) + 2*K.T*K)",
                     "m": "P*(Inverse(S)*alpha + 2*A*x)"},
        start="-dot(y - alpha, Inverse(S)*(y - alpha))/2 - norm2(Q*x - K*y)",
        steps=(equals("-dot(y - m, Inverse(P)*(y - m))/2 + dot(m, Inverse(P)*m)/2"
                      " - dot(alpha, Inverse(S)*alpha)/2 - norm2(Q*x)", by="normal"),),
        measure=_square(2), tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C2.push",
        says="The covariance of the L2 tilt without an inverse of S, so that S may be singular.",
        start="Inverse(eye(d) + 2*S*K.T*K)*S",
        steps=(equals("Inverse(Inverse(S) + 2*K.T*K)", by="normal"),),
        no_measure="an identity of two ways to write one covariance", source=OURS,
    ),
    Claim(
        name="gaussian.C2.divisor",
        says="The divisor of the L2 formulas is never zero: a determinant above 0.",
        start="Determinant(eye(d) + 2*S*K.T*K)", steps=(above("0", by="sign"),),
        measure=_divisor, tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C2.same",
        says="With Q = K the L2 mean moves by V alpha alone.",
        start="V*Inverse(eye(d) + 2*S*K.T*K)*(alpha + 2*S*K.T*K*alpha)",
        steps=(equals("V*alpha", by="normal"),),
        measure=lambda point, xp, rng: _rate("l2", 0)({**point, "Q": point["K"]}, xp, rng),
        tolerance=1e-8, source=OURS,
    ),
    Claim(
        name="gaussian.C3.moment",
        says="Under linear attention the raw second moment M = S + alpha alpha' obeys the softmax "
             "equation.",
        symbols={"t": "real"}, let=SCORE | VARIANTS["linear"].let,
        rates={"S": VARIANTS["linear"].covariance.replace("M", "(S + alpha*alpha.T)"),
               "alpha": "V*(S + alpha*alpha.T)*A*alpha"},
        start="Derivative(S + alpha*alpha.T, t)",
        steps=(equals("V*M*A*M + M*A.T*M*V.T", by="normal"),),
        no_measure="follows from the two rates, each of which is measured", source=OURS,
    ),
    *(claim for name, stated in VARIANTS.items() for claim in every_size(name, stated)),
    *(claim for name, stated in VARIANTS.items() for d in (1, 2, 3)
      for claim in entry_by_entry(name, stated, d)),
)
