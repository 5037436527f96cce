"""The score is rotary attention on gated lifts: relative positions, drift, bounds.

Letters: k coordinates (d of a head), gates gq, gk, phases theta in radians, rates omega[j] in
radians a position, positions p[t] (any reals), scale tau > 0. The score of query t and key u is
tau/sqrt(d) times the sum of gq[t,j] gk[u,j] cos(theta[t,j] - theta[u,j] + omega[j] (p[t] - p[u])).
It is the dot product of gated lifts turned by omega p, as in RoPE, without query or key
projections: the content of query and key is the same lift, and only the positive gates differ.

Source: the score and its rotary reading are named in a summary of arXiv 2606.11585; statements and
derivations are ours. RoPE: arXiv 2104.09864.
Missing: nothing. K9 is a reading of the score only: the value path uses theta without the drift.
"""

from proofs import Claim, at_least, at_most, below, derived, equals
from symbolic.formulas import kuramoto

OURS = "ours; named in a summary of arXiv 2606.11585"
SYMBOLS = {
    "k": "integer >= 1", "d": "integer >= 1", "T": "integer >= 1",
    "t": "index 1..T", "u": "index 1..T", "tau": "real > 0", "shift": "real",
    "p": "real[1..T]", "theta": "real[1..T, 1..k]", "omega": "real[1..k]",
    "gq": "real[1..T, 1..k]", "gk": "real[1..T, 1..k]",
}
PAIR = {"k": "integer >= 1", "alpha": "real[1..k]", "beta": "real[1..k]", "gq": "real[1..k]",
        "gk": "real[1..k]", "p": "real", "q": "real"}
HEAD = {"x": "real[1..d]", "gq": "real[1..d] > 0", "gk": "real[1..d] > 0"}
MEAN_ONE = ("Sum(gq[j],(j,1,d)) = d", "Sum(gk[j],(j,1,d)) = d")
TURN = "Matrix([[cos(omega[j]*{}), -sin(omega[j]*{})],[sin(omega[j]*{}), cos(omega[j]*{})]])"
QUERY = "*Matrix([[gq[j]*cos(alpha[j])],[gq[j]*sin(alpha[j])]])"
KEY = "*Matrix([[gk[j]*cos(beta[j])],[gk[j]*sin(beta[j])]])"
ROTARY = f"Sum(dot({TURN.replace('{}', '{0}')}{QUERY}, {TURN.replace('{}', '{1}')}{KEY}),(j,1,k))"
PLAIN = "Sum(gq[j]*gk[j]*cos(alpha[j]-beta[j]+omega[j]*(p-q)),(j,1,k))"
SCORE = "tau/sqrt(k)*Sum(gq[t,j]*gk[{0},j]*cos(theta[t,j]-theta[{0},j]+omega[j]*({1})),(j,1,k))"
DISTINCT = "Sum(Sum(gq[i]*gk[j]*(1 - KroneckerDelta(i,j))**2,(j,1,d)),(i,1,d))"


def _lifts(point, xp, places):
    """Gated lifts of the query and the key of K7, turned by omega p and omega q."""
    from numeric.attention import kuramoto

    gates, phases = (point["gq"], point["gk"]), (point["alpha"], point["beta"])
    for gate, phase, place in zip(gates, phases, places, strict=True):
        lift = kuramoto.features((phase + point["omega"] * place)[None, :])
        yield xp.concat([gate, gate]) * lift[0, :]


def _rotary(point, xp, rng):
    query, key = _lifts(point, xp, (point["p"], point["q"]))
    return xp.sum(query * key)


def _shifted_rotary(point, xp, rng):
    query, key = _lifts(point, xp, (point["p"] + point["shift"], point["q"] + point["shift"]))
    return xp.sum(query * key)


def _turned(point, xp, rng):
    """The lift of a turned phase."""
    from numeric.attention import kuramoto

    return kuramoto.features(xp.asarray([[point["x"] + point["y"]]])).T


def _scores(point, xp):
    """The T x T scores with the gates of the point, by one matrix product of lifts."""
    from numeric.attention import kuramoto

    phase = point["theta"] + point["p"][:, None] * point["omega"]
    lift = kuramoto.features(phase)
    query, key = (xp.concat([g, g], axis=-1) * lift for g in (point["gq"], point["gk"]))
    return point["tau"] / phase.shape[1] ** 0.5 * (query @ key.T)


def _score(point, xp, rng):
    return _scores(point, xp)[int(point["t"]) - 1, int(point["u"]) - 1]


def _constant_gates(point, xp, rng):
    return _score({**point, "gq": point["g"][None, :], "gk": point["h"][None, :]}, xp, rng)


def _weight(point, xp, rng):
    """Attention of token t to token u, after all positions have moved."""
    from numeric.attention import softmax

    moved = {**point, "p": point["p"] + point["shift"]}
    weights = softmax.attention(_scores(moved, xp))
    return weights[int(point["t"]) - 1, int(point["u"]) - 1]


def _bare(point, xp, rng):
    """A score of the bare layer between two tokens x apart in phase."""
    from dataclasses import replace

    from numeric.attention import kuramoto

    x = point["x"]
    parameters = replace(kuramoto.random_parameters(rng, x.shape[0]),
                         tau=xp.asarray([point["tau"]], dtype=x.dtype))
    theta = xp.stack([x, xp.zeros_like(x)])
    return kuramoto.score(theta, parameters, kuramoto.BARE)[0, 0, 1]


def _equal(point, xp, rng):
    return _bare({**point, "x": xp.zeros(int(point["d"]))}, xp, rng)


def _gated(point, xp, rng):
    gates = point["gq"] * point["gk"]
    return point["tau"] / int(point["d"]) ** 0.5 * xp.sum(gates * xp.cos(point["x"]))


def _overlap(point, xp, rng):
    """The overlap of the gates of the first d coordinates."""
    d = int(point["d"])
    return xp.sum(point["gq"][:d] * point["gk"][:d])


def _drifting(point, xp, rng):
    """What drift in the value path would change in the increment."""
    from numeric.attention import kuramoto

    theta, drift = point["phase"][:, None], (point["rate"] * point["p"])[:, None]
    weights, t = xp.tril(point["A"])[None], int(point["t"]) - 1
    moves = [kuramoto.increment(x, *kuramoto.mean(x, weights)) for x in (theta + drift, theta)]
    return (moves[0] - moves[1])[t, 0]


def _resonant(point, xp, rng):
    """The increment when each lag is a whole number of turns."""
    from numeric.attention import kuramoto

    theta, t = point["phase"] + 2 * xp.pi * point["m"], int(point["t"]) - 1
    re, im = kuramoto.mean(theta[:, None], xp.tril(point["A"])[None])
    return kuramoto.increment(point["phase"][:, None], re, im)[t, 0]


VALUE = {"A": "real[1..T, 1..T]", "phase": "real[1..T]", "rate": "real", "m": "integer[1..T]"}

CLAIMS = (
    Claim(
        name="kuramoto.K7.rotation",
        says="Turning a lift adds the angle to its phase.",
        symbols={"x": "real", "y": "real"},
        start="Matrix([[cos(x), -sin(x)],[sin(x), cos(x)]])*Matrix([[cos(y)],[sin(y)]])",
        steps=(equals("Matrix([[cos(x+y)],[sin(x+y)]])", by="normal"),),
        measure=_turned, source=OURS,
    ),
    Claim(
        name="kuramoto.K7.relative_rotation",
        says="The product of one rotation turned over with another depends on the difference.",
        symbols={"x": "real", "y": "real"},
        start="Transpose(Matrix([[cos(x), -sin(x)],[sin(x), cos(x)]]))"
              "*Matrix([[cos(y), -sin(y)],[sin(y), cos(y)]])",
        steps=(equals("Matrix([[cos(y-x), -sin(y-x)],[sin(y-x), cos(y-x)]])", by="normal"),),
        no_measure="a law of rotations; the layer that uses it is measured in K7.rotary",
        source=OURS,
    ),
    Claim(
        name="kuramoto.K7.rotary",
        says="The dot product of rotated gated lifts is the sum of gated cosines: rotary "
             "attention, for every width, all gates, phases, rates and positions.",
        symbols=PAIR, start=ROTARY.format("p", "q"),
        steps=(
            equals("Sum(gq[j]*gk[j]*(cos(alpha[j]+omega[j]*p)*cos(beta[j]+omega[j]*q)"
                   " + sin(alpha[j]+omega[j]*p)*sin(beta[j]+omega[j]*q)),(j,1,k))", by="normal"),
            equals(PLAIN, by="normal"),
        ),
        measure=_rotary, source=OURS,
    ),
    Claim(
        name="kuramoto.K7.derived",
        says="SymPy multiplies the rotation matrices out to the same score.",
        symbols=PAIR, start=PLAIN,
        steps=(equals(derived(kuramoto.rotary_score()), by="normal"),),
        measure=_rotary, source=OURS,
    ),
    Claim(
        name="kuramoto.K8.relative",
        says="Moving both positions by the same amount leaves the rotary score unchanged.",
        symbols=PAIR, start=ROTARY.format("(p+shift)", "(q+shift)"),
        steps=(equals(PLAIN, by="normal"),), measure=_shifted_rotary, source=OURS,
    ),
    Claim(
        name="kuramoto.K8.attention",
        says="So moving all positions leaves the attention weights unchanged.",
        given=("u <= t",),
        start=f"exp({SCORE.format('u', '(p[t]+shift)-(p[u]+shift)')})"
              f"/Sum(exp({SCORE.format('v', '(p[t]+shift)-(p[v]+shift)')}),(v,1,t))",
        steps=(equals(f"exp({SCORE.format('u', 'p[t]-p[u]')})"
                      f"/Sum(exp({SCORE.format('v', 'p[t]-p[v]')}),(v,1,t))", by="normal"),),
        measure=_weight, source=OURS,
    ),
    Claim(
        name="kuramoto.K9.drift",
        says="Position acts as time and omega[j] as a natural frequency: the score compares "
             "drifting phases.",
        let={"Phi[t,j]": "theta[t,j] + omega[j]*p[t]"},
        start=SCORE.format("u", "p[t]-p[u]"),
        steps=(equals("tau/sqrt(k)*Sum(gq[t,j]*gk[u,j]*cos(Phi[t,j]-Phi[u,j]),(j,1,k))",
                      by="normal"),),
        measure=_score, source=OURS,
    ),
    Claim(
        name="kuramoto.K9.limit_of_the_reading",
        says="Drift in the value path would be another layer: the increments differ by this sum.",
        symbols=VALUE, let={"Phi[t]": "phase[t] + rate*p[t]"},
        start="Sum(A[t,u]*sin(Phi[u]-Phi[t]),(u,1,t)) - Sum(A[t,u]*sin(phase[u]-phase[t]),(u,1,t))",
        steps=(equals("2*Sum(A[t,u]*cos(phase[u]-phase[t]+rate*(p[u]-p[t])/2)"
                      "*sin(rate*(p[u]-p[t])/2),(u,1,t))", by="normal"),),
        measure=_drifting, source="ours",
    ),
    Claim(
        name="kuramoto.K9.resonant",
        says="They agree where each lag turns a whole number of times.",
        symbols=VALUE, start="Sum(A[t,u]*sin(phase[u]-phase[t]+2*pi*m[u]),(u,1,t))",
        steps=(equals("Sum(A[t,u]*sin(phase[u]-phase[t]),(u,1,t))", by="normal"),),
        measure=_resonant, source="ours",
    ),
    Claim(
        name="kuramoto.K10.ungated_above",
        says="Without gates a score is at most tau sqrt(d).",
        symbols=HEAD, start="tau/sqrt(d)*Sum(cos(x[j]),(j,1,d))",
        steps=(
            equals("tau*sqrt(d) - 2*tau/sqrt(d)*Sum(sin(x[j]/2)**2,(j,1,d))", by="normal"),
            at_most("tau*sqrt(d)", by="shape"),
        ),
        measure=_bare, source=OURS,
    ),
    Claim(
        name="kuramoto.K10.ungated_below",
        says="Without gates a score is at least -tau sqrt(d).",
        symbols=HEAD, start="tau/sqrt(d)*Sum(cos(x[j]),(j,1,d))",
        steps=(
            equals("-tau*sqrt(d) + 2*tau/sqrt(d)*Sum(cos(x[j]/2)**2,(j,1,d))", by="normal"),
            at_least("-tau*sqrt(d)", by="shape"),
        ),
        measure=_bare, source=OURS,
    ),
    Claim(
        name="kuramoto.K10.ungated_attained",
        says="Equal phases at lag 0 attain tau sqrt(d).",
        start="tau/sqrt(d)*Sum(cos(0),(j,1,d))", steps=(equals("tau*sqrt(d)", by="normal"),),
        measure=_equal, source=OURS,
    ),
    Claim(
        name="kuramoto.K10.gated_above",
        says="With positive gates of mean 1 over the head a score is at most tau d^(3/2).",
        symbols=HEAD, given=MEAN_ONE, start="tau/sqrt(d)*Sum(gq[j]*gk[j]*cos(x[j]),(j,1,d))",
        steps=(
            equals("tau/sqrt(d)*Sum(gq[j],(j,1,d))*Sum(gk[j],(j,1,d)) - tau/sqrt(d)*"
                   f"({DISTINCT} + 2*Sum(gq[j]*gk[j]*sin(x[j]/2)**2,(j,1,d)))", by="normal"),
            at_most("tau/sqrt(d)*Sum(gq[j],(j,1,d))*Sum(gk[j],(j,1,d))", by="shape"),
            equals("tau/sqrt(d)*d*d", by="linear"),
            equals("tau*d*sqrt(d)", by="normal"),
        ),
        measure=_gated, source=OURS,
    ),
    Claim(
        name="kuramoto.K10.gated_below",
        says="With positive gates of mean 1 over the head a score is at least -tau d^(3/2).",
        symbols=HEAD, given=MEAN_ONE, start="tau/sqrt(d)*Sum(gq[j]*gk[j]*cos(x[j]),(j,1,d))",
        steps=(
            equals("-tau/sqrt(d)*Sum(gq[j],(j,1,d))*Sum(gk[j],(j,1,d)) + tau/sqrt(d)*"
                   f"({DISTINCT} + 2*Sum(gq[j]*gk[j]*cos(x[j]/2)**2,(j,1,d)))", by="normal"),
            at_least("-tau/sqrt(d)*Sum(gq[j],(j,1,d))*Sum(gk[j],(j,1,d))", by="shape"),
            equals("-tau/sqrt(d)*d*d", by="linear"),
            equals("-tau*d*sqrt(d)", by="normal"),
        ),
        measure=_gated, source=OURS,
    ),
    Claim(
        name="kuramoto.K10.gates_overlap",
        says="From two coordinates on the overlap of gates stays strictly below d^2 (with one "
             "coordinate both gates are 1 and it is reached).",
        symbols={**HEAD, "d": "integer >= 2"}, given=MEAN_ONE, start="Sum(gq[j]*gk[j],(j,1,d))",
        steps=(
            equals("Sum(gq[j],(j,1,d))*Sum(gk[j],(j,1,d)) - gq[1]*gk[2]"
                   " - Sum(Sum(gq[i]*gk[j]*(1 - KroneckerDelta(i,j))**2"
                   "*(1 - KroneckerDelta(i,1)*KroneckerDelta(j,2))**2,(j,1,d)),(i,1,d))",
                   by="normal"),
            at_most("Sum(gq[j],(j,1,d))*Sum(gk[j],(j,1,d)) - gq[1]*gk[2]", by="shape"),
            equals("d**2 - gq[1]*gk[2]", by="linear"),
            below("d**2", by="shape"),
        ),
        measure=_overlap, source=OURS,
    ),
    Claim(
        name="kuramoto.K10.gates_over_all",
        says="Gates of mean 1 over all k coordinates, a head of the first d: overlap at most k^2.",
        symbols={"gq": "real[1..k] >= 0", "gk": "real[1..k] >= 0"},
        given=("d <= k", "Sum(gq[j],(j,1,d)) + Sum(gq[j],(j,d+1,k)) = k",
               "Sum(gk[j],(j,1,d)) + Sum(gk[j],(j,d+1,k)) = k"),
        start="Sum(gq[j]*gk[j],(j,1,d))",
        steps=(
            equals("(Sum(gq[j],(j,1,d)) + Sum(gq[j],(j,d+1,k)))"
                   "*(Sum(gk[j],(j,1,d)) + Sum(gk[j],(j,d+1,k)))"
                   f" - {DISTINCT} - Sum(gq[j],(j,1,d))*Sum(gk[j],(j,d+1,k))"
                   " - Sum(gq[j],(j,d+1,k))*(Sum(gk[j],(j,1,d)) + Sum(gk[j],(j,d+1,k)))",
                   by="normal"),
            at_most("(Sum(gq[j],(j,1,d)) + Sum(gq[j],(j,d+1,k)))"
                    "*(Sum(gk[j],(j,1,d)) + Sum(gk[j],(j,d+1,k)))", by="shape"),
            equals("k**2", by="linear"),
        ),
        measure=_overlap, source=OURS,
    ),
    Claim(
        name="kuramoto.K5.self_score",
        says="With gates that do not depend on the token no key scores above the query itself: "
             "heads start near self-attention.",
        symbols={"g": "real[1..k] >= 0", "h": "real[1..k] >= 0"},
        let={"s[t,u]": "tau/sqrt(k)*Sum(g[j]*h[j]*cos(theta[t,j]-theta[u,j]"
                       "+omega[j]*(p[t]-p[u])),(j,1,k))"},
        start="s[t,u]",
        steps=(
            equals("s[t,t] - 2*tau/sqrt(k)*Sum(g[j]*h[j]*sin((theta[t,j]-theta[u,j]"
                   "+omega[j]*(p[t]-p[u]))/2)**2,(j,1,k))", by="normal"),
            at_most("s[t,t]", by="shape"),
        ),
        measure=_constant_gates, source="ours",
    ),
)
