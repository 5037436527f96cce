"""The bound NM-A keeps every step below rho in root mean square and stretches nothing.

N[j] = rho m[j] / sqrt(rho^2 + q) with q the mean of m[j]^2 over k coordinates; rho > 0. It bounds
the root mean square by rho, each coordinate by rho sqrt(k) only, keeps signs, is the identity to
first order at 0, and its Jacobian has a quadratic form between 0 and |x|^2. L steps move the
phases by less than the sum of their radii.

Source: the source of the layer (a summary of arXiv 2606.11585) names a norm-matching bound without
a formula; NM-A and its properties are ours.
Missing: that a Jacobian between 0 and 1 makes N 1-Lipschitz is the mean value theorem, in words;
K25.depth is stated for steps of root mean square at most rho[l], which K25.rms gives.
"""

from proofs import Claim, at_least, at_most, below, derived, equals
from symbolic.formulas import kuramoto

OURS = "ours"
SYMBOLS = {
    "k": "integer >= 1", "rho": "real > 0", "m": "real[1..k]", "x": "real[1..k]",
    "i": "index 1..k", "r": "index 1..k", "L": "integer >= 1", "radius": "real[1..L] > 0",
    "step": "real[1..L, 1..k]",
}
LET = {"q": "Sum(m[u]**2,(u,1,k))/k", "N[j]": "rho*m[j]/sqrt(rho**2 + q)",
       "c": "rho/sqrt(rho**2 + q)"}
STILL = {"z[j]": "0", **{name: body.replace("m[", "z[") for name, body in LET.items()}}
MEAN = "Sum(N[j]**2,(j,1,k))/k"
JACOBIAN = "KroneckerDelta(u,v) - m[u]*m[v]/(k*(rho**2 + q))"
FORM = f"c*Sum(Sum(x[u]*({JACOBIAN})*x[v],(v,1,k)),(u,1,k))"
LENGTH, ALONG = "Sum(x[u]**2,(u,1,k))", "Sum(m[u]*x[u],(u,1,k))**2"
PAIRS = "Sum(Sum((m[u]*x[v]-m[v]*x[u])**2,(v,1,k)),(u,1,k))/2"
SHARES = "Sum(Sum(step[l,j]**2,(j,1,k))/k/radius[l],(l,1,L))"


def _bounded(point, xp):
    """The bounded step, by the layer itself."""
    from numeric.attention import kuramoto

    m = point["m"][None, :]
    return kuramoto.bound(m, m, point["rho"])[0, :]


def _mean_square(point, xp, rng):
    return xp.mean(_bounded(point, xp) ** 2)


def _root(point, xp, rng):
    return _mean_square(point, xp, rng) ** 0.5


def _coordinate(point, xp, rng):
    return _bounded(point, xp)[int(point["r"]) - 1] ** 2


def _sign(point, xp, rng):
    return _bounded(point, xp)[int(point["r"]) - 1] * point["m"][int(point["r"]) - 1]


def _zero(point, xp, rng):
    return _bounded({**point, "m": xp.zeros(int(point["k"]))}, xp)[int(point["r"]) - 1]


def _along(point, xp, direction):
    """Central difference of the bounded step along a direction."""
    ends = [_bounded({**point, "m": point["m"] + sign * 1e-5 * direction}, xp)
            for sign in (1, -1)]
    return (ends[0] - ends[1]) / 2e-5


def _slope(point, xp, rng):
    direction = 1.0 * (xp.arange(point["m"].shape[0]) == int(point["r"]) - 1)
    return _along(point, xp, direction)[int(point["i"]) - 1]


def _form(point, xp, rng):
    """The quadratic form of the Jacobian, by central differences along x."""
    return xp.sum(point["x"] * _along(point, xp, point["x"]))


def _start_slope(point, xp, rng):
    return _slope({**point, "m": xp.zeros(int(point["k"]))}, xp, rng)


def _moved(point, xp, rng):
    """Mean square displacement after all steps."""
    return xp.mean(xp.sum(point["step"], axis=0) ** 2)


CLAIMS = (
    Claim(
        name="kuramoto.K25.mean_square",
        says="The mean square of a bounded step, for every width.",
        start=MEAN, steps=(equals("rho**2*q/(rho**2 + q)", by="normal"),),
        measure=_mean_square, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.mean_square_bound",
        says="It stays strictly below rho^2.",
        start=MEAN,
        steps=(equals("rho**2 - rho**4/(rho**2 + q)", by="normal"), below("rho**2", by="shape")),
        measure=_mean_square, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.rms",
        says="So the root mean square stays strictly below rho.",
        start=f"sqrt({MEAN})",
        steps=(
            equals(f"(rho**2 + {MEAN})/(2*rho) - (rho - sqrt({MEAN}))**2/(2*rho)", by="normal"),
            at_most(f"(rho**2 + {MEAN})/(2*rho)", by="shape"),
            equals("rho - rho**3/(2*(rho**2 + q))", by="normal"),
            below("rho", by="shape"),
        ),
        measure=_root, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.coordinate",
        says="A single coordinate stays below rho sqrt(k), not below rho.",
        start="N[r]**2",
        steps=(
            equals("Sum(N[j]**2,(j,1,k)) - Sum(N[j]**2*(1 - KroneckerDelta(j,r))**2,(j,1,k))",
                   by="normal"),
            at_most("Sum(N[j]**2,(j,1,k))", by="shape"),
            equals("k*rho**2 - k*rho**4/(rho**2 + q)", by="normal"),
            below("k*rho**2", by="shape"),
        ),
        measure=_coordinate, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.sign",
        says="No coordinate changes sign.",
        start="N[r]*m[r]",
        steps=(equals("c*m[r]**2", by="normal"), at_least("0", by="shape")),
        measure=_sign, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.zero",
        says="No step stays no step.",
        let=STILL,
        start="N[r]", steps=(equals("0", by="normal"),),
        measure=_zero, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.jacobian",
        says="The Jacobian of the bound, derived by SymPy.",
        start="Derivative(N[i], m[r])",
        steps=(equals(derived(kuramoto.saturation_jacobian()), by="normal"),
               equals("c*(KroneckerDelta(i,r) - m[i]*m[r]/(k*(rho**2 + q)))", by="normal")),
        measure=_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.identity_at_zero",
        says="At 0 that Jacobian is the identity: small steps pass unchanged.",
        let=STILL, start="c*(KroneckerDelta(i,r) - z[i]*z[r]/(k*(rho**2 + q)))",
        steps=(equals("KroneckerDelta(i,r)", by="normal"),),
        measure=_start_slope, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.factor",
        says="The factor c is at most 1.",
        start="c",
        steps=(equals("1 - ((1 - c)**2 + q/(rho**2 + q))/2", by="normal"),
               at_most("1", by="shape")),
        no_measure="a factor of the Jacobian, which is measured in K25.jacobian", source=OURS,
    ),
    Claim(
        name="kuramoto.K25.stretches_nothing",
        says="The quadratic form of the Jacobian is at most |x|^2.",
        start=FORM,
        steps=(
            equals(f"c*({LENGTH} - {ALONG}/(k*(rho**2 + q)))", by="normal"),
            equals(f"{LENGTH} - ((1 - c)**2 + q/(rho**2 + q))/2*{LENGTH}"
                   f" - c*{ALONG}/(k*(rho**2 + q))", by="normal"),
            at_most(LENGTH, by="shape"),
        ),
        measure=_form, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.never_reverses",
        says="And at least 0, by Lagrange's identity.",
        start=FORM,
        steps=(
            equals(f"c*(k*rho**2*{LENGTH} + {PAIRS})/(k*(rho**2 + q))", by="normal"),
            at_least("0", by="shape"),
        ),
        measure=_form, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K25.depth",
        says="L steps of root mean square at most radius[l] move the phases by at most the sum of "
             "the radii, in root mean square.",
        given=("Sum(step[l,j]**2,(j,1,k)) <= k*radius[l]**2 for l in 1..L",),
        start="Sum(Sum(step[l,j],(l,1,L))**2,(j,1,k))/k",
        steps=(
            equals(f"Sum(radius[l],(l,1,L))*{SHARES} - Sum(Sum(Sum(radius[l]*radius[r]*(step[l,j]"
                   "/radius[l]-step[r,j]/radius[r])**2,(r,1,L)),(l,1,L)),(j,1,k))/(2*k)",
                   by="normal"),
            at_most(f"Sum(radius[l],(l,1,L))*{SHARES}", by="shape"),
            equals("Sum(radius[l],(l,1,L))**2 - Sum(radius[l],(l,1,L))*Sum((k*radius[l]**2"
                   " - Sum(step[l,j]**2,(j,1,k)))/radius[l],(l,1,L))/k", by="normal"),
            at_most("Sum(radius[l],(l,1,L))**2", by="shape"),
        ),
        measure=_moved, source=OURS,
    ),
)
