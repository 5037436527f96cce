"""The attention step is a map of the torus; a global phase shift passes through the bare layer.

The layer is defined twice at once: index e = 0 is the layer at phases theta, e = 1 at phases moved
by whole turns m[t,j] (K23) or by a shift c[j] of all tokens (K24), in radians. Letters: gates g =
softplus(r) over its mean, r the lift (cos, sin) times weights plus a bias; score s, attention A,
increment as two products (move) and as a sum of sines (a, by K1), value gate v, bounded step N with
radius rho (NM-A). Everything the attention step reads is a function of the lift, so whole turns
change nothing; the feedforward reads raw angles and breaks that, unless it is fed the lift. A shift
leaves ungated scores alone; gates break that.

Source: the periodicity and its breach by the feedforward are named in a summary of
arXiv 2606.11585; statements and derivations are ours.
Missing: one head is written; heads repeat the statement with their own weights.
"""

from proofs import Claim, above, below, equals

NAMED, OURS = "ours; named in a summary of arXiv 2606.11585", "ours"
SYMBOLS = {
    "T": "integer >= 1", "k": "integer >= 1", "F": "integer >= 1", "t": "index 1..T",
    "u": "index 1..t", "j": "index 1..k", "theta": "real[1..T, 1..k]",
    "m": "integer[1..T, 1..k]", "c": "real[1..k]", "p": "real[1..T]", "omega": "real[1..k]",
    "tau": "real > 0", "rho": "real > 0", "beta": "real", "proto": "real[1..k]",
    "Q": "real[1..2, 1..k, 1..k]", "K": "real[1..2, 1..k, 1..k]", "V": "real[1..2, 1..k, 1..k]",
    "bq": "real[1..k]", "bk": "real[1..k]", "bv": "real[1..k]",
    "Wa": "real[1..2, 1..k, 1..F]", "Wb": "real[1..2, 1..k, 1..F]", "Wo": "real[1..F, 1..k]",
}
GATES = {"gq": "real[1..T, 1..k]", "gk": "real[1..T, 1..k]", "v": "real[1..T, 1..k]"}
LIFTED = "Sum({0}[1,i,{1}]*cos(phi[e,t,i]) + {0}[2,i,{1}]*sin(phi[e,t,i]),(i,1,k))"
COUPLED = {
    "A[e,t,u]": "exp(s[e,t,u])/Sum(exp(s[e,t,l]),(l,1,t))",
    "X[e,t,j]": "Sum(A[e,t,l]*cos(phi[e,l,j]),(l,1,t))",
    "Y[e,t,j]": "Sum(A[e,t,l]*sin(phi[e,l,j]),(l,1,t))",
    "move[e,t,j]": "-sin(phi[e,t,j])*X[e,t,j] + cos(phi[e,t,j])*Y[e,t,j]",
    "a[e,t,j]": "Sum(A[e,t,l]*sin(phi[e,l,j]-phi[e,t,j]),(l,1,t))",
}
ANGLE = "phi[e,t,j]-phi[e,u,j]+omega[j]*(p[t]-p[u])"
GATED = {
    "phi[e,t,j]": "theta[t,j] + 2*pi*e*m[t,j]",
    "rq[e,t,j]": f"log(1 + exp({LIFTED.format('Q', 'j')} + bq[j]))",
    "rk[e,t,j]": f"log(1 + exp({LIFTED.format('K', 'j')} + bk[j]))",
    "gq[e,t,j]": "rq[e,t,j]/(Sum(rq[e,t,i],(i,1,k))/k)",
    "gk[e,t,j]": "rk[e,t,j]/(Sum(rk[e,t,i],(i,1,k))/k)",
    "s[e,t,u]": f"tau/sqrt(k)*Sum(gq[e,t,j]*gk[e,u,j]*cos({ANGLE}),(j,1,k))",
    **COUPLED,
    "v[e,t,j]": f"{LIFTED.format('V', 'j')} + bv[j]",
    "h[e,t,j]": f"Sum({LIFTED.format('Wa', 'f')}*logistic({LIFTED.format('Wa', 'f')})"
                f"*{LIFTED.format('Wb', 'f')}*Wo[f,j],(f,1,F))",
}
TURNS = {
    "phi[e,t,j]": GATED["phi[e,t,j]"],
    "s[e,t,u]": f"tau/sqrt(k)*Sum(gq[t,j]*gk[u,j]*cos({ANGLE}),(j,1,k))",
    **COUPLED,
    "N[e,t,j]": "rho*v[t,j]*a[e,t,j]/sqrt(rho**2 + Sum((v[t,i]*a[e,t,i])**2,(i,1,k))/k)",
}
SHIFT = {
    "phi[e,t,j]": "theta[t,j] + e*c[j]",
    "s[e,t,u]": f"tau/sqrt(k)*Sum(cos({ANGLE}),(j,1,k))",
    **COUPLED,
    "N[e,t,j]": "rho*a[e,t,j]/sqrt(rho**2 + Sum(a[e,t,i]**2,(i,1,k))/k)",
}
RAW = "2*pi*logistic(2*pi)*(2*pi)"


def _parameters(point, xp):
    """The parameters of the point; a part that the claim does not mention is 0."""
    from numeric.attention.kuramoto import Parameters

    k = point["theta"].shape[1]

    def weights(name):
        both = point.get(name)
        return xp.zeros((2 * k, k)) if both is None else xp.reshape(both, (2 * k, -1))

    zero = xp.zeros(k)
    return Parameters(
        Wq=weights("Q"), bq=point.get("bq", zero), Wk=weights("K"), bk=point.get("bk", zero),
        Wv=weights("V"), bv=point.get("bv", zero), Wa=weights("Wa"), Wb=weights("Wb"),
        Wo=point.get("Wo"), omega=point.get("omega", zero), tau=xp.asarray([point.get("tau", 1.0)]),
        rho=point.get("rho", 1.0))


def _moved(point, xp, gates):
    """The phases of layer e = 1: moved by whole turns (with gates) or by a shift (without)."""
    return point["theta"] + (2 * xp.pi * point["m"] if gates else point["c"][None, :])


def _read(name, column, gates=True):
    """A measure: one entry of what the attention step computes at the moved phases."""
    def measure(point, xp, rng):
        from numeric.attention import kuramoto

        preset = kuramoto.Preset(gates=gates, value_gate=gates)
        layer = kuramoto.step(_moved(point, xp, gates), _parameters(point, xp), preset,
                              point.get("p"))
        found = xp.reshape(getattr(layer, name), (point["theta"].shape[0], -1))
        return found[int(point["t"]) - 1, int(point[column]) - 1]
    return measure


def _shifted_mean(point, xp, rng):
    """The circular mean of token t at the shifted phases, a column."""
    parts = _read("re", "j", False), _read("im", "j", False)
    return xp.stack([part(point, xp, rng) for part in parts])[:, None]


def _turned(name):
    """A measure: the step at phases moved by whole turns, its gates being those of the point."""
    def measure(point, xp, rng):
        from numeric.attention import kuramoto, softmax

        theta, t, j = _moved(point, xp, True), int(point["t"]) - 1, int(point["j"]) - 1
        lift = kuramoto.features(theta + point["p"][:, None] * point["omega"])
        query, key = (xp.concat([g, g], axis=-1) * lift for g in (point["gq"], point["gk"]))
        score = point["tau"] / theta.shape[1] ** 0.5 * (query @ key.T)
        re, im = kuramoto.mean(theta, softmax.attention(score)[None])
        if name == "mean":
            return xp.stack([re[t, j], im[t, j]])[:, None]
        a = kuramoto.increment(theta, re, im)
        if name == "increment":
            return a[t, j]
        return (theta + kuramoto.bound(point["v"] * a, a, point["rho"]))[t, j]
    return measure


def _lift(point, xp, rng):
    """The lift of one phase at the moved phases, a column."""
    from numeric.attention import kuramoto

    t, j, k = int(point["t"]) - 1, int(point["j"]) - 1, point["theta"].shape[1]
    lift = kuramoto.features(_moved(point, xp, True))[t, :]
    return xp.stack([lift[j], lift[j + k]])[:, None]


def _gate(point, xp, rng):
    """The query gate at the moved phases."""
    from numeric.attention import kuramoto

    gates = kuramoto.gates(_moved(point, xp, True), _parameters(point, xp))
    return gates[0][int(point["t"]) - 1, int(point["j"]) - 1]


def _value_gate(point, xp, rng):
    """The value gate at the moved phases, as what it makes of increments 1."""
    from numeric.attention import kuramoto

    theta = _moved(point, xp, True)
    gated = kuramoto.gated(theta, xp.ones_like(theta), _parameters(point, xp))
    return gated[int(point["t"]) - 1, int(point["j"]) - 1]


def _fed(point, xp, rng):
    """The unbounded feedforward that reads the lift, at the moved phases."""
    from numeric.attention import kuramoto

    preset = kuramoto.Preset(bound="none", ffn="lift")
    fed = kuramoto.feedforward(_moved(point, xp, True), _parameters(point, xp), preset)
    return fed[int(point["t"]) - 1, int(point["j"]) - 1]


def _raw(angle, bound):
    """A measure: the feedforward of width 1 with all weights 1 that reads a raw angle."""
    def measure(point, xp, rng):
        from numeric.attention import kuramoto

        theta, one, none = xp.asarray([[angle]]), xp.ones((1, 1)), xp.zeros((2, 1))
        ones = kuramoto.Parameters(none, 0.0, none, 0.0, none, 0.0, one, one, one, 0.0, one, 1.0)
        return kuramoto.feedforward(theta, ones, kuramoto.Preset(bound=bound))[0, 0]
    return measure


def _readout(point, xp, rng):
    """A logit with phases and prototypes shifted alike."""
    from numeric.attention import kuramoto

    prototypes = (point["proto"] + point["c"])[None, :]
    logits = kuramoto.readout(_moved(point, xp, False), prototypes, point["beta"])
    return logits[int(point["t"]) - 1, 0]


TURN = 6.283185307179586

CLAIMS = (
    Claim(
        name="kuramoto.K23.lift",
        says="Whole turns do not change the lift.",
        let=GATED, start="Matrix([[cos(phi[1,t,j])],[sin(phi[1,t,j])]])",
        steps=(equals("Matrix([[cos(theta[t,j])],[sin(theta[t,j])]])", by="normal"),),
        measure=_lift, source=NAMED,
    ),
    Claim(
        name="kuramoto.K23.gates",
        says="Nor the gates.",
        let=GATED, start="gq[1,t,j]", steps=(equals("gq[0,t,j]", by="normal"),),
        measure=_gate, source=NAMED,
    ),
    Claim(
        name="kuramoto.K23.value_gates",
        says="Nor the value gates.",
        let=GATED, start="v[1,t,j]", steps=(equals("v[0,t,j]", by="normal"),),
        measure=_value_gate, source=NAMED,
    ),
    Claim(
        name="kuramoto.K23.score",
        says="Nor the score, gates and drift included.",
        let=GATED, start="s[1,t,u]", steps=(equals("s[0,t,u]", by="normal"),),
        measure=_read("score", "u"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23.attention",
        says="Nor attention.",
        let=GATED, start="A[1,t,u]", steps=(equals("A[0,t,u]", by="normal"),),
        measure=_read("attention", "u"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23.mean",
        says="Nor the circular mean, whatever numbers the gates are.",
        symbols=GATES, let=TURNS, start="Matrix([[X[1,t,j]],[Y[1,t,j]]])",
        steps=(equals("Matrix([[X[0,t,j]],[Y[0,t,j]]])", by="normal"),),
        measure=_turned("mean"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23.increment",
        says="Nor the increment, written as two products.",
        symbols=GATES, let=TURNS, start="move[1,t,j]", steps=(equals("a[0,t,j]", by="normal"),),
        measure=_turned("increment"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23.step",
        says="The drifting, bounded step with any gates and value gates, periodic as these are, "
             "passes whole turns through: it is a map of the torus, for every length and width.",
        symbols=GATES, let=TURNS, start="phi[1,t,j] + N[1,t,j]",
        steps=(equals("phi[0,t,j] + N[0,t,j] + 2*pi*m[t,j]", by="normal"),),
        measure=_turned("theta"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23.lifted_feedforward",
        says="A feedforward that reads the lift is periodic as well.",
        let=GATED, start="h[1,t,j]", steps=(equals("h[0,t,j]", by="normal"),),
        measure=_fed, source=OURS,
    ),
    Claim(
        name="kuramoto.K23x.at_zero",
        says="The feedforward of width 1 with unit weights, x^2 logistic(x), vanishes at 0.",
        start="0*logistic(0)*0", steps=(equals("0", by="normal"),),
        measure=_raw(0.0, "none"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23x.above_six_turns",
        says="After one turn it is more than six turns ...",
        start=RAW, steps=(above("12*pi"),), expect="certified",
        measure=_raw(TURN, "none"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23x.below_seven_turns",
        says="... and less than seven: no whole number of turns, so the feedforward is no map of "
             "the torus.",
        start=RAW, steps=(below("14*pi"),), expect="certified",
        measure=_raw(TURN, "none"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23x.bounded_above",
        says="The bound does not repair it: with rho = 1 the step is below 1 ...",
        start=f"{RAW}/sqrt(1 + ({RAW})**2)", steps=(below("1"),),
        expect="certified", measure=_raw(TURN, "NM-A"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K23x.bounded_below",
        says="... and above 0, where it is 0 at angle 0.",
        start=f"{RAW}/sqrt(1 + ({RAW})**2)", steps=(above("0"),),
        expect="certified", measure=_raw(TURN, "NM-A"), source=NAMED,
    ),
    Claim(
        name="kuramoto.K24.score",
        says="A shift of all tokens leaves an ungated score alone, with drift or without.",
        let=SHIFT, start="s[1,t,u]", steps=(equals("s[0,t,u]", by="normal"),),
        measure=_read("score", "u", False), source=OURS,
    ),
    Claim(
        name="kuramoto.K24.attention",
        says="And attention.",
        let=SHIFT, start="A[1,t,u]", steps=(equals("A[0,t,u]", by="normal"),),
        measure=_read("attention", "u", False), source=OURS,
    ),
    Claim(
        name="kuramoto.K24.mean",
        says="The circular mean turns by the shift.",
        let=SHIFT, start="Matrix([[X[1,t,j]],[Y[1,t,j]]])",
        steps=(equals("Matrix([[cos(c[j]), -sin(c[j])],[sin(c[j]), cos(c[j])]])"
                      "*Matrix([[X[0,t,j]],[Y[0,t,j]]])", by="normal"),),
        measure=_shifted_mean, source=OURS,
    ),
    Claim(
        name="kuramoto.K24.increment",
        says="The increment, written as two products, does not change.",
        let=SHIFT, start="move[1,t,j]", steps=(equals("a[0,t,j]", by="normal"),),
        measure=_read("increment", "j", False), source=OURS,
    ),
    Claim(
        name="kuramoto.K24.step",
        says="The bounded step of the bare layer passes the shift through.",
        let=SHIFT, start="phi[1,t,j] + N[1,t,j]",
        steps=(equals("phi[0,t,j] + N[0,t,j] + c[j]", by="normal"),),
        measure=_read("theta", "j", False), source=OURS,
    ),
    Claim(
        name="kuramoto.K24.readout",
        says="The readout is unchanged if the prototypes shift too.",
        let=SHIFT, start="beta/sqrt(k)*Sum(cos(phi[1,t,j]-(proto[j]+c[j])),(j,1,k))",
        steps=(equals("beta/sqrt(k)*Sum(cos(phi[0,t,j]-proto[j]),(j,1,k))", by="normal"),),
        measure=_readout, source=OURS,
    ),
)
