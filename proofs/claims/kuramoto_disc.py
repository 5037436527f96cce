"""The circular mean stays in the unit disc, and on its rim only where the phases agree.

Letters: weights w[u] (or a row A[t,.] with causal support) that are nonnegative and add up to 1,
phases in radians, mean G = X + iY, R = |G|, increment a of token t. K30 compares the local order
parameter |G[t]| with the global one, |mean of exp(i theta)|, and shows how self-attention inflates
the local one: report the self-excluded value too.

Source: ours, from the definition of the layer (arXiv 2606.11585).
Missing: the equality case is two claims, "if" and "only if"; the second ends in "this product is
at most 0" because the language has no implication. That the global order of n evenly spread phases
is 0 is stated with a factor 2 sin(pi/n), whose sign is left to the reader.
"""

import math

from proofs import Claim, at_least, at_most, derived, equals
from symbolic.formulas import kuramoto

OURS = "ours"
SYMBOLS = {
    "n": "integer >= 1", "w": "real[1..n]", "theta": "real[1..n]",
    "T": "integer >= 1", "t": "index 1..T", "A": "real[1..T, 1..T]", "phase": "real[1..T]",
}
WEIGHTS = ("w[u] >= 0 for u in 1..n", "Sum(w[u],(u,1,n)) = 1")
ROW = ("A[t,u] >= 0 for u in 1..t", "Sum(A[t,u],(u,1,t)) = 1")
SQUARE = "Sum(w[u]*cos(theta[u]),(u,1,n))**2 + Sum(w[u]*sin(theta[u]),(u,1,n))**2"
SPREAD = "Sum(Sum(w[u]*w[v]*sin((theta[u]-theta[v])/2)**2,(v,1,n)),(u,1,n))"
LOCAL = {"X": "Sum(A[t,u]*cos(phase[u]),(u,1,t))", "Y": "Sum(A[t,u]*sin(phase[u]),(u,1,t))",
         "a": "Sum(A[t,u]*sin(phase[u]-phase[t]),(u,1,t))",
         "c": "Sum(A[t,u]*cos(phase[u]-phase[t]),(u,1,t))",
         "D": "Sum(Sum(A[t,u]*A[t,v]*sin((phase[u]-phase[v])/2)**2,(v,1,t)),(u,1,t))"}
NEAR = "Sum(A[t,u]*cos((phase[u]-phase[t])/2)**2,(u,1,t-1))"
RINGS = "Sum(cos(theta[u]),(u,1,n))**2 + Sum(sin(theta[u]),(u,1,n))**2"


def _square(point, xp, rng):
    """|G|^2 of one row of weights, by the layer's two matrix products."""
    from numeric.attention import kuramoto

    re, im = kuramoto.mean(point["theta"][:, None], point["w"][None, None, :])
    return kuramoto.local_order(re, im)[0, 0] ** 2


def _loss(point, xp, rng):
    return xp.sum(point["w"]) ** 2 - _square(point, xp, rng)


def _length(point, xp, rng):
    return xp.sqrt(_square(point, xp, rng))


def _row(point, xp, rng):
    """X, Y and the increment of token t as the layer computes them."""
    from numeric.attention import kuramoto

    theta, t = point["phase"][:, None], int(point["t"]) - 1
    re, im = kuramoto.mean(theta, xp.tril(point["A"])[None])
    return re[t, 0], im[t, 0], kuramoto.increment(theta, re, im)[t, 0]


def _move(point, xp, rng):
    return xp.abs(_row(point, xp, rng)[2])


def _squared_move(point, xp, rng):
    return _row(point, xp, rng)[2] ** 2


def _radial(point, xp, rng):
    re, im, a = _row(point, xp, rng)
    return re**2 + im**2 - a**2


def _local(point, xp, rng):
    re, im, _ = _row(point, xp, rng)
    return re**2 + im**2


def _along(point, xp, rng):
    """The mean of token t along its own lift."""
    re, im, _ = _row(point, xp, rng)
    phase = point["phase"][int(point["t"]) - 1]
    return re * xp.cos(phase) + im * xp.sin(phase)


def _aligned(point, xp, rng):
    """|G|^2 of phases that agree up to full turns."""
    theta = point["c"] + 2 * xp.pi * point["m"]
    return _square({"theta": theta, "w": point["w"]}, xp, rng)


def _global(point, xp, rng):
    """The squared global order parameter."""
    from numeric.attention import kuramoto

    return kuramoto.global_order(point["theta"][:, None])[0] ** 2


def _ring(n, xp):
    """The sums of cosines and sines of n evenly spread phases, by the layer's mean."""
    from numeric.attention import kuramoto

    theta = 2 * xp.pi * xp.arange(1, n + 1) / n
    return [part[0, 0] for part in kuramoto.mean(theta[:, None], xp.ones((1, 1, n)))]


def _four(point, xp, rng):
    """The squared global order parameter of four evenly spread phases."""
    re, im = _ring(4, xp)
    return (re**2 + im**2) / 16


def _ring_cosines(point, xp, rng):
    return 2 * math.sin(math.pi / int(point["n"])) * _ring(int(point["n"]), xp)[0]


def _ring_sines(point, xp, rng):
    return 2 * math.sin(math.pi / int(point["n"])) * _ring(int(point["n"]), xp)[1]


def _silent(point, xp, rng):
    """The squared local order of token t when it attends to itself alone."""
    T = int(point["T"])
    return _local({**point, "A": xp.eye(T)}, xp, rng)


def _excluded(point, xp, rng):
    """The squared self-excluded order parameter of token t."""
    from numeric.attention import kuramoto

    orders = kuramoto.excluded_order(point["phase"][:, None], point["A"][None])
    return orders[int(point["t"]) - 2, 0] ** 2


CLAIMS = (
    Claim(
        name="kuramoto.K3.identity",
        says="What the squared mean lacks is a weighted sum of squared half-angle sines.",
        start=f"Sum(w[u],(u,1,n))**2 - ({SQUARE})",
        steps=(
            equals("Sum(Sum(w[u]*w[v]*(1 - cos(theta[u]-theta[v])),(v,1,n)),(u,1,n))",
                   by="normal"),
            equals(f"2*{SPREAD}", by="normal"),
        ),
        measure=_loss, source=OURS,
    ),
    Claim(
        name="kuramoto.K3.pairs",
        says="The squared length of the mean as a sum over pairs, multiplied out by SymPy.",
        start=SQUARE, steps=(equals(derived(kuramoto.squared_mean()), by="normal"),),
        measure=_square, source=OURS,
    ),
    Claim(
        name="kuramoto.K3.bound",
        says="The mean of phases lies in the unit disc: its squared length is at most 1.",
        given=WEIGHTS, start=SQUARE,
        steps=(
            equals(f"Sum(w[u],(u,1,n))**2 - 2*{SPREAD}", by="normal"),
            equals(f"1 - 2*{SPREAD}", by="linear"),
            at_most("1", by="shape"),
        ),
        measure=_square, source=OURS,
    ),
    Claim(
        name="kuramoto.K3.length",
        says="The length of the mean is at most 1.",
        given=WEIGHTS, start=f"sqrt({SQUARE})",
        steps=(
            equals(f"(1 + {SQUARE})/2 - (1 - sqrt({SQUARE}))**2/2", by="normal"),
            at_most(f"(1 + {SQUARE})/2", by="shape"),
            equals(f"(1 + Sum(w[u],(u,1,n))**2)/2 - {SPREAD}", by="normal"),
            equals(f"1 - {SPREAD}", by="linear"),
            at_most("1", by="shape"),
        ),
        measure=_length, source=OURS,
    ),
    Claim(
        name="kuramoto.K3.equality_if",
        says="Phases that agree up to full turns have a mean on the rim.",
        symbols={"c": "real", "m": "integer[1..n]"}, given=WEIGHTS,
        start="Sum(w[u]*cos(c+2*pi*m[u]),(u,1,n))**2 + Sum(w[u]*sin(c+2*pi*m[u]),(u,1,n))**2",
        steps=(equals("Sum(w[u],(u,1,n))**2", by="normal"), equals("1", by="linear")),
        measure=_aligned, source=OURS,
    ),
    Claim(
        name="kuramoto.K3.equality_only_if",
        says="On the rim, two phases of positive weight agree up to full turns: the product of "
             "their weights and the squared sine of half their difference is at most 0.",
        symbols={"p": "index 1..n", "q": "index 1..n"}, given=(*WEIGHTS, f"{SQUARE} = 1"),
        start="w[p]*w[q]*sin((theta[p]-theta[q])/2)**2",
        steps=(
            equals(f"{SPREAD} - Sum(Sum(w[u]*w[v]*sin((theta[u]-theta[v])/2)**2"
                   "*(1 - KroneckerDelta(u,p)*KroneckerDelta(v,q))**2,(v,1,n)),(u,1,n))",
                   by="normal"),
            at_most(SPREAD, by="shape"),
            equals(f"(Sum(w[u],(u,1,n))**2 - ({SQUARE}))/2", by="normal"),
            equals("0", by="linear"),
        ),
        no_measure="the fact |G| = 1 holds only where the claim is 0 = 0", source=OURS,
    ),
    Claim(
        name="kuramoto.K4.identity",
        says="R^2 - a^2 is a square: the squared part of the mean along the token.",
        let=LOCAL, start="X**2 + Y**2 - a**2",
        steps=(equals("(cos(phase[t])*X + sin(phase[t])*Y)**2", by="normal"),),
        measure=_radial, source=OURS,
    ),
    Claim(
        name="kuramoto.K4.radius",
        says="A token moves at most by R, for any real weights.",
        let=LOCAL, start="a**2",
        steps=(equals("X**2 + Y**2 - c**2", by="normal"), at_most("X**2 + Y**2", by="shape")),
        measure=_squared_move, source=OURS,
    ),
    Claim(
        name="kuramoto.K4.bound",
        says="A token moves at most by 1.",
        given=ROW, let=LOCAL, start="a**2",
        steps=(
            equals("Sum(A[t,u],(u,1,t))**2 - 2*D - c**2", by="normal"),
            equals("1 - 2*D - c**2", by="linear"),
            at_most("1", by="shape"),
        ),
        measure=_squared_move, source=OURS,
    ),
    Claim(
        name="kuramoto.K4.size",
        says="The size of a move is at most 1.",
        given=ROW, let=LOCAL, start="Abs(a)",
        steps=(
            equals("(1 + a**2)/2 - (1 - Abs(a))**2/2", by="normal"),
            at_most("(1 + a**2)/2", by="shape"),
            equals("(1 + Sum(A[t,u],(u,1,t))**2)/2 - D - c**2/2", by="normal"),
            equals("1 - D - c**2/2", by="linear"),
            at_most("1", by="shape"),
        ),
        measure=_move, source=OURS,
    ),
    Claim(
        name="kuramoto.K30.global_bound",
        says="The squared global order parameter is at most 1.",
        start=f"({RINGS})/n**2",
        steps=(
            equals("1 - 2*Sum(Sum(sin((theta[u]-theta[v])/2)**2,(v,1,n)),(u,1,n))/n**2",
                   by="normal"),
            at_most("1", by="shape"),
        ),
        measure=_global, source=OURS,
    ),
    Claim(
        name="kuramoto.K30.self_alone",
        says="A token that attends to itself alone has local order 1, whatever the phases.",
        start="Sum(KroneckerDelta(t,u)*cos(phase[u]),(u,1,t))**2"
              " + Sum(KroneckerDelta(t,u)*sin(phase[u]),(u,1,t))**2",
        steps=(equals("1", by="normal"),), measure=_silent, source=OURS,
    ),
    Claim(
        name="kuramoto.K30.four_phases",
        says="Four evenly spread phases have global order 0: local order 1 says nothing about it.",
        start="(Sum(cos(pi*u/2),(u,1,4))**2 + Sum(sin(pi*u/2),(u,1,4))**2)/4**2",
        steps=(equals("0", by="normal"),), measure=_four, source=OURS,
    ),
    Claim(
        name="kuramoto.K30.spread_cosines",
        says="For every n the cosines of n evenly spread phases add up to 0, times 2 sin(pi/n), "
             "which is positive from n = 2 on ...",
        start="2*sin(pi/n)*Sum(cos(2*pi*u/n),(u,1,n))",
        steps=(
            equals("Sum(sin(pi*(2*u+1)/n) - sin(pi*(2*u-1)/n),(u,1,n))", by="normal"),
            equals("sin(pi*(2*n+1)/n) - sin(pi/n)", by="telescope"),
            equals("0", by="normal"),
        ),
        measure=_ring_cosines, source="classical",
    ),
    Claim(
        name="kuramoto.K30.spread_sines",
        says="... and so do the sines: the global order of n evenly spread phases is 0.",
        start="2*sin(pi/n)*Sum(sin(2*pi*u/n),(u,1,n))",
        steps=(
            equals("Sum(cos(pi*(2*u-1)/n) - cos(pi*(2*u+1)/n),(u,1,n))", by="normal"),
            equals("cos(pi/n) - cos(pi*(2*n+1)/n)", by="telescope"),
            equals("0", by="normal"),
        ),
        measure=_ring_sines, source="classical",
    ),
    Claim(
        name="kuramoto.K30.uniform",
        says="With uniform attention to all tokens the local order parameter is the global one.",
        start="Sum(cos(theta[u])/n,(u,1,n))**2 + Sum(sin(theta[u])/n,(u,1,n))**2",
        steps=(equals(f"({RINGS})/n**2", by="normal"),), measure=_global, source=OURS,
    ),
    Claim(
        name="kuramoto.K30.along",
        says="The mean along the token itself is at least 2A[t,t] - 1, for any phases.",
        given=ROW, let=LOCAL, start="cos(phase[t])*X + sin(phase[t])*Y",
        steps=(
            equals(f"2*A[t,t] - Sum(A[t,u],(u,1,t)) + 2*{NEAR}", by="normal"),
            equals(f"2*A[t,t] - 1 + 2*{NEAR}", by="linear"),
            at_least("2*A[t,t] - 1", by="shape"),
        ),
        measure=_along, source=OURS,
    ),
    Claim(
        name="kuramoto.K30.inflated",
        says="From A[t,t] = 1/2 on, the squared local order is at least (2A[t,t] - 1)^2.",
        given=(*ROW, "A[t,t] >= 1/2"), let=LOCAL, start="X**2 + Y**2",
        steps=(
            equals(f"(2*A[t,t] - Sum(A[t,u],(u,1,t)) + 2*{NEAR})**2 + a**2", by="normal"),
            equals(f"(2*A[t,t] - 1 + 2*{NEAR})**2 + a**2", by="linear"),
            equals(f"(2*A[t,t] - 1)**2 + 4*(2*A[t,t] - 1)*{NEAR} + 4*{NEAR}**2 + a**2",
                   by="normal"),
            at_least("(2*A[t,t] - 1)**2", by="shape"),
        ),
        measure=_local, source=OURS,
    ),
    Claim(
        name="kuramoto.K30.excluded",
        says="The self-excluded order parameter lies in the unit disc as well.",
        symbols={"T": "integer >= 2", "t": "index 2..T"}, given=(*ROW, "A[t,t] < 1"),
        start="(Sum(A[t,u]*cos(phase[u]),(u,1,t-1))**2 + Sum(A[t,u]*sin(phase[u]),(u,1,t-1))**2)"
              "/(1 - A[t,t])**2",
        steps=(
            equals("(Sum(A[t,u],(u,1,t)) - A[t,t])**2/(1 - A[t,t])**2 - 2*Sum(Sum(A[t,u]*A[t,v]"
                   "*sin((phase[u]-phase[v])/2)**2,(v,1,t-1)),(u,1,t-1))/(1 - A[t,t])**2",
                   by="normal"),
            at_most("(Sum(A[t,u],(u,1,t)) - A[t,t])**2/(1 - A[t,t])**2", by="shape"),
            equals("(1 - A[t,t])**2/(1 - A[t,t])**2", by="linear"),
            equals("1", by="normal"),
        ),
        measure=_excluded, source=OURS,
    ),
)
