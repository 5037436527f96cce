"""With frozen attention each token climbs its own coherence, whose summit is the circular mean.

Letters: weights A[t,u] with causal support, phases theta[u,j], a trial phase x (x[j]) in radians,
coherence E(x) = Sum(A[t,u] cos(theta[u] - x)), mean G = X + iY = R exp(i psi). The gradient of E at
x = theta[t] is the increment; E is at most R, with equality only at x = psi up to full turns.

Source: the frozen gradient is named in a summary of arXiv 2606.11585; K18 and the derivations are
ours.
Missing: "at x = theta[t]" is read off the gradient, since a derivative is not substituted into;
K17.own_phase says the same with the phase itself as the variable. Finite steps (K19) come later.
"""

from proofs import Claim, at_most, derived, equals
from symbolic.formulas import kuramoto

NAMED = "named in a summary of arXiv 2606.11585; derivation ours"
OURS = "ours"
SYMBOLS = {
    "T": "integer >= 1", "k": "integer >= 1", "t": "index 1..T", "j": "index 1..k",
    "A": "real[1..T, 1..T]", "theta": "real[1..T]", "y": "real", "R": "real >= 0", "psi": "real",
}
WIDE = {"theta": "real[1..T, 1..k]", "x": "real[1..k]"}
MEAN = {"X": "Sum(A[t,u]*cos(theta[u]),(u,1,t))", "Y": "Sum(A[t,u]*sin(theta[u]),(u,1,t))",
        "E": "Sum(A[t,u]*cos(theta[u]-y),(u,1,t))"}
COUPLING = "Sum(A[t,u]*sin(theta[u]-theta[t]),(u,1,t))"
CHORDS = "Sum(A[t,u]*((cos(y)-cos(theta[u]))**2 + (sin(y)-sin(theta[u]))**2),(u,1,t))"


def _row(point, xp):
    return xp.tril(point["A"])[int(point["t"]) - 1, :]


def _coherence(point, xp, x):
    """E of a trial phase, or of trial phases of all coordinates, as simulated unit vectors."""
    from numeric.attention import kuramoto

    theta = point["theta"] if point["theta"].ndim == 2 else point["theta"][:, None]
    return _row(point, xp) @ (kuramoto.features(theta) @ kuramoto.features(x))


def _gradient(point, xp, rng):
    """Central difference of E by x[j]."""
    step = 1e-5 * (xp.arange(point["x"].shape[0]) == int(point["j"]) - 1)
    ends = [_coherence(point, xp, point["x"] + sign * step) for sign in (1, -1)]
    return (ends[0] - ends[1]) / 2e-5


def _slope(point, xp, rng):
    """Central difference of E by one trial phase."""
    y = xp.asarray([point["y"]])
    return (_coherence(point, xp, y + 1e-5) - _coherence(point, xp, y - 1e-5)) / 2e-5


def _own_slope(point, xp, rng):
    """The increment, which is the slope by the token's own phase."""
    from numeric.attention import kuramoto

    theta, t = point["theta"][:, None], int(point["t"]) - 1
    return kuramoto.increment(theta, *kuramoto.mean(theta, xp.tril(point["A"])[None]))[t, 0]


def _mean(point, xp):
    from numeric.attention import kuramoto

    re, im = kuramoto.mean(point["theta"][:, None], xp.tril(point["A"])[None])
    t = int(point["t"]) - 1
    return re[t, 0], im[t, 0]


def _trial(point, xp, rng):
    return _coherence(point, xp, xp.asarray([point["y"]]))


def _own_coherence(point, xp, rng):
    return _trial({**point, "y": point["theta"][int(point["t"]) - 1]}, xp, rng)


def _trial_square(point, xp, rng):
    return _trial(point, xp, rng) ** 2


def _missing(point, xp, rng):
    re, im = _mean(point, xp)
    return re**2 + im**2 - _trial_square(point, xp, rng)


def _distance(point, xp, rng):
    """Weighted squared distance of a trial unit vector from the lifts."""
    from numeric.attention import kuramoto

    y, theta = xp.asarray([[point["y"]]]), point["theta"][:, None]
    gaps = kuramoto.features(theta) - kuramoto.features(y)
    return _row(point, xp) @ xp.sum(gaps * gaps, axis=-1)


POLAR = "an identity of R and psi alone; the mean that has them is measured in K18.value"

CLAIMS = (
    Claim(
        name="kuramoto.K17.gradient",
        says="The frozen gradient of the coherence, for every length and width; derived by SymPy.",
        symbols=WIDE,
        start="Derivative(Sum(A[t,u]*Sum(cos(theta[u,i]-x[i]),(i,1,k)),(u,1,t)), x[j])",
        steps=(equals(derived(kuramoto.coherence_gradient()), by="normal"),
               equals("-sin(x[j])*Sum(A[t,u]*cos(theta[u,j]),(u,1,t))"
                      " + cos(x[j])*Sum(A[t,u]*sin(theta[u,j]),(u,1,t))", by="normal")),
        measure=_gradient, tolerance=1e-6, source=NAMED,
    ),
    Claim(
        name="kuramoto.K17.own_phase",
        says="By the token's own phase the slope of its coherence is its increment; its own term "
             "is constant.",
        start="Derivative(Sum(A[t,u]*cos(theta[u]-theta[t]),(u,1,t)), theta[t])",
        steps=(equals(COUPLING, by="normal"),), measure=_own_slope, source=NAMED,
    ),
    Claim(
        name="kuramoto.K17.scalar",
        says="One coordinate: the slope of the coherence at any trial phase.",
        let=MEAN, start="Derivative(E, y)",
        steps=(equals("Sum(A[t,u]*sin(theta[u]-y),(u,1,t))", by="normal"),),
        measure=_slope, tolerance=1e-6, source=NAMED,
    ),
    Claim(
        name="kuramoto.K18.at_token",
        says="At its own phase a token's coherence is the part of the mean along it; derived by "
             "SymPy.",
        let=MEAN, start="cos(theta[t])*X + sin(theta[t])*Y",
        steps=(equals(derived(kuramoto.alignment()), by="normal"),
               equals("Sum(A[t,u]*cos(theta[u]-theta[t]),(u,1,t))", by="normal")),
        measure=_own_coherence, source=OURS,
    ),
    Claim(
        name="kuramoto.K18.identity",
        says="R^2 - E^2 is the square of the slope: coherence and pull are two sides of a "
             "right triangle.",
        let=MEAN, start="X**2 + Y**2 - E**2",
        steps=(equals("Sum(A[t,u]*sin(theta[u]-y),(u,1,t))**2", by="normal"),),
        measure=_missing, source=OURS,
    ),
    Claim(
        name="kuramoto.K18.square",
        says="No phase has a squared coherence above R^2.",
        let=MEAN, start="E**2",
        steps=(equals("X**2 + Y**2 - Sum(A[t,u]*sin(theta[u]-y),(u,1,t))**2", by="normal"),
               at_most("X**2 + Y**2", by="shape")),
        measure=_trial_square, source=OURS,
    ),
    Claim(
        name="kuramoto.K18.value",
        says="With G = R exp(i psi) the coherence of x is R cos(psi - x).",
        given=("Sum(A[t,u]*cos(theta[u]),(u,1,t)) = R*cos(psi)",
               "Sum(A[t,u]*sin(theta[u]),(u,1,t)) = R*sin(psi)"),
        let={"E": MEAN["E"]}, start="E",
        steps=(
            equals("cos(y)*Sum(A[t,u]*cos(theta[u]),(u,1,t))"
                   " + sin(y)*Sum(A[t,u]*sin(theta[u]),(u,1,t))", by="normal"),
            equals("cos(y)*R*cos(psi) + sin(y)*R*sin(psi)", by="linear"),
            equals("R*cos(psi-y)", by="normal"),
        ),
        measure=_trial, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K18.maximum",
        says="That is at most R.",
        start="R*cos(psi-y)",
        steps=(equals("R - 2*R*sin((psi-y)/2)**2", by="normal"), at_most("R", by="shape")),
        no_measure=POLAR, source=OURS,
    ),
    Claim(
        name="kuramoto.K18.attained",
        says="The circular mean attains it, up to full turns.",
        symbols={"l": "integer"}, start="R*cos(psi-(psi+2*pi*l))",
        steps=(equals("R", by="normal"),), no_measure=POLAR, source=OURS,
    ),
    Claim(
        name="kuramoto.K18.only_there",
        says="Where x attains R, R times the squared sine of half the difference vanishes.",
        given=("R*cos(psi-y) = R",), start="R*sin((psi-y)/2)**2",
        steps=(equals("(R - R*cos(psi-y))/2", by="normal"), equals("0", by="linear")),
        no_measure=POLAR, source=OURS,
    ),
    Claim(
        name="kuramoto.K18.least_squares",
        says="The mean is the closest point of the circle: the weighted squared distance is "
             "2 - 2E.",
        given=("Sum(A[t,u],(u,1,t)) = 1",), let={"E": MEAN["E"]}, start=CHORDS,
        steps=(equals(derived(kuramoto.least_squares()), by="normal"),
               equals("2*Sum(A[t,u],(u,1,t)) - 2*E", by="normal"),
               equals("2 - 2*E", by="linear")),
        measure=_distance, source=OURS,
    ),
)
