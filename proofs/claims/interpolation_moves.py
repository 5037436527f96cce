"""Few neurons move one point of a line, collapse an interval, place points, snap intervals.

relu(t) = max(t, 0), a neuron is w relu(<u, x> + b). Hat: 3 neurons move the one projection p
between its neighbours a < p < b. Collapse: 2 neurons send [a, b] to a. Placement: from right to
left, a neuron a point, its knot at the previous point. Snap: 2 neurons an interval, after which
the map is constant there.

Source: ours, after the pictures (Figures 4-8) of Alcalde, Fantuzzi, Zuazua, arXiv 2502.02270.
Missing: induction over the blocks. The claims speak of one block and of what it leaves in place;
`numeric.interpolant.build.verify` compares whole networks with their targets, in rationals.
"""

from dataclasses import replace
from fractions import Fraction

from proofs import Claim, above, equals

OURS = "ours"
SYMBOLS = {**{name: "real" for name in ("t", "a", "p", "b", "y", "s", "g")},
           "r": "real > 0", "e": "integer in [0, 1]"}
MANY = {"M": "integer >= 1", "q": "real[0..M]", "k": "index 1..M", "i": "index 1..M"}
FORWARD = {"k": "integer >= 1", "q": "real[0..k]", "w": "real[1..k]"}
BETWEEN, ORDER, APART = ("a < p", "p < b"), ("a < s", "s < p"), ("a < s - r",)
SORTED = ("q[l-1] < q[l] for l in 1..M",)
HAT = "Max({0}-a,0)/(p-a) - (1/(p-a) + 1/(b-p))*Max({0}-p,0) + Max({0}-b,0)/(b-p)"
COLLAPSE = "t - Max(t-a,0) + Max(t-b,0)"
FIRST = "(y - e*s)/(s - a)"
SECOND = f"(g - e*p - {FIRST}*(p - a))/(p - s)"
PLACED = f"e*{{0}} + {FIRST}*Max({{0}}-a,0) + {SECOND}*Max({{0}}-s,0)"
RISE = "(y - e*(s - r))/(s - r - a)"
SNAP = f"e*t + {RISE}*Max(t-a,0) - (e + {RISE})*Max(t-s+r,0)"


def _exact(point, *names):
    return [Fraction(float(point[name])) for name in names]


def _fed(neurons, t):
    """The first coordinate of t e_1 after a feed-forward layer with eta = 1."""
    from numeric.interpolant.layers import FF

    return float(FF(Fraction(1), tuple(neurons)).images([(t, t * 0)])[0][0])


def _hat(point, xp, rng, at="t"):
    """The hat of the construction at a number, along e_1 and with change e_1."""
    from numeric.interpolant.layers import FF
    from numeric.interpolant.moves import hat

    low, peak, high, t = _exact(point, "a", "p", "b", at)
    e = (Fraction(1), Fraction(0))
    image = FF(Fraction(0), hat(e, low, peak, high, e)).images([(t, Fraction(0))])
    return xp.asarray(float(image[0][0]))


def _peak(point, xp, rng):
    return _hat(point, xp, rng, at="p")


def _slopes(point, xp, rng):
    """The sum of the weights of the three neurons."""
    from numeric.interpolant.moves import hat

    low, peak, high = _exact(point, "a", "p", "b")
    e = (Fraction(1),)
    return xp.asarray(float(sum(n.w[0] for n in hat(e, low, peak, high, e))))


def _collapsed(point, xp, rng):
    from numeric.interpolant.layers import Neuron

    low, high, t = _exact(point, "a", "b", "t")
    e = (Fraction(1), Fraction(0))
    back = (Fraction(-1), Fraction(0))
    return xp.asarray(_fed((Neuron(back, e, -low), Neuron(e, e, -high)), t))


def _along(point, block, t):
    """The coordinate of a token t e_1 after a block: the first for e = 1, the second for e = 0."""
    image, = block.ff.images([(t, t * 0)])
    return float(image[0 if point["e"] else 1])


def _target(point, name):
    """A target in the plane whose coordinate of that kind is the given one."""
    value, = _exact(point, name)
    return (value, Fraction(0)) if point["e"] else (Fraction(0), value)


def _placed(point, xp, rng, at):
    """Where the block that places s and p, with a the source before them, sends a number."""
    from numeric.interpolant.moves import placements

    a, s, p, t = _exact(point, "a", "s", "p", at)
    targets = [(a, a * 0), _target(point, "y"), _target(point, "g")]
    block = placements([a, s, p], targets, "place")[0]
    neurons = block.ff.neurons[1:]  # the first places a itself
    return xp.asarray(_along(point, replace(block, ff=replace(block.ff, neurons=neurons)), t))


def _snapped(point, xp, rng):
    """The snap of [s - r, s + r] to y; the interval before it ends at a, one more is behind."""
    from numeric.interpolant.moves import snaps

    a, s, r, t = _exact(point, "a", "s", "r", "t")
    ends = [(a - 1, a), (s - r, s + r), (s + r + 1, s + r + 2)]
    block = snaps(ends, [(a - 5, a * 0), _target(point, "y"), (a - 5, a * 0)], "snap")[0]
    neurons = block.ff.neurons[:2]
    return xp.asarray(_along(point, replace(block, ff=replace(block.ff, neurons=neurons)), t))


def _snapped_second(point, xp, rng):
    """The block that snaps [a, s] to y and then [p, t] to g, at the right end of the latter."""
    from numeric.interpolant.moves import snaps

    a, s, p, t = _exact(point, "a", "s", "p", "t")
    point = {**point, "e": 0}
    targets = [_target(point, "y"), _target(point, "g")]
    return xp.asarray(_along(point, snaps([(a, s), (p, t)], targets, "snap")[0], t))


CLAIMS = (
    Claim(
        name="interpolation.O1.left",
        says="Left of a the hat is 0.",
        given=(*BETWEEN, "t <= a"), start=HAT.format("t"), steps=(equals("0", by="normal"),),
        measure=_hat, source=OURS,
    ),
    Claim(
        name="interpolation.O1.peak",
        says="At p it is 1.",
        given=BETWEEN, start=HAT.format("p"), steps=(equals("1", by="normal"),),
        measure=_peak, source=OURS,
    ),
    Claim(
        name="interpolation.O1.right",
        says="Right of b it is 0 again.",
        given=(*BETWEEN, "b <= t"), start=HAT.format("t"), steps=(equals("0", by="normal"),),
        measure=_hat, source=OURS,
    ),
    Claim(
        name="interpolation.O1.slopes",
        says="For the three weights add up to 0.",
        given=BETWEEN, start="1/(p-a) - (1/(p-a) + 1/(b-p)) + 1/(b-p)",
        steps=(equals("0", by="normal"),), measure=_slopes, source=OURS,
    ),
    Claim(
        name="interpolation.O2.left",
        says="The collapse of [a, b] leaves what is left of a.",
        given=("a < b", "t <= a"), start=COLLAPSE, steps=(equals("t", by="normal"),),
        measure=_collapsed, source=OURS,
    ),
    Claim(
        name="interpolation.O2.inside",
        says="It sends the interval to a.",
        given=("a <= t", "t <= b"), start=COLLAPSE, steps=(equals("a", by="normal"),),
        measure=_collapsed, source=OURS,
    ),
    Claim(
        name="interpolation.O2.right",
        says="And moves what is right of b by -(b - a), which keeps its order and its distances.",
        given=("a < b", "b <= t"), start=COLLAPSE, steps=(equals("t - (b - a)", by="normal"),),
        measure=_collapsed, source=OURS,
    ),
    Claim(
        name="interpolation.O3.first",
        says="A coordinate of a placement, e that of e_1: with its knot at the point a before it "
             "and the weight (y - e s)/(s - a), the point s goes to y.",
        given=ORDER, start=PLACED.format("s"), steps=(equals("y", by="normal"),),
        measure=lambda point, xp, rng: _placed(point, xp, rng, "s"), source=OURS,
    ),
    Claim(
        name="interpolation.O3.second",
        says="The next point p > s has its knot at s and a weight solved after the first, with "
             "pivot p - s > 0: it goes to g.",
        given=ORDER, start=PLACED.format("p"), steps=(equals("g", by="normal"),),
        measure=lambda point, xp, rng: (_placed(point, xp, rng, "p"), point["g"]), source=OURS,
    ),
    Claim(
        name="interpolation.O3.rest",
        says="What lies at or left of all knots stays: the points still to come, and the targets "
             "placed already, whose first coordinate is at most s_1 - 1.",
        given=(*ORDER, "t <= a"), start=PLACED.format("t"), steps=(equals("e*t", by="normal"),),
        measure=lambda point, xp, rng: _placed(point, xp, rng, "t"), source=OURS,
    ),
    Claim(
        name="interpolation.O3.pivots",
        says="For any number of points the pivots are positive: the sources are in order.",
        symbols=MANY, given=SORTED, start="q[k] - q[k-1]", steps=(above("0", by="sign"),),
        measure=lambda point, xp, rng: point["q"][int(point["k"])] - point["q"][int(point["k"])-1],
        source=OURS,
    ),
    Claim(
        name="interpolation.O3.triangular",
        says="And a source does not see the neuron of a later one, whose knot q[i-1] is not left "
             "of it: its relu is 0.",
        symbols=MANY, given=("q[k] <= q[i-1]",), start="Max(q[k] - q[i-1], 0)",
        steps=(equals("0", by="normal"),),
        no_measure="O3.first measures it for two neurons", source=OURS,
    ),
    Claim(
        name="interpolation.O3.solved",
        says="A weight w[k] solved after all earlier ones sends its source to its target y.",
        symbols=FORWARD,
        given=("w[k]*(q[k] - q[k-1]) = y - e*q[k] - Sum(w[l]*(q[k] - q[l-1]),(l,1,k-1))",),
        start="e*q[k] + Sum(w[l]*(q[k] - q[l-1]),(l,1,k-1)) + w[k]*(q[k] - q[k-1])",
        steps=(equals("y", by="linear"),),
        no_measure="O3.first and O3.second measure the block of two points", source=OURS,
    ),
    Claim(
        name="interpolation.O3.peeled",
        says="Those are all neurons that the source sees, for every number k of them.",
        symbols=FORWARD,
        start="Sum(w[l]*(q[k] - q[l-1]),(l,1,k-1)) + w[k]*(q[k] - q[k-1])",
        steps=(equals("Sum(w[l]*(q[k] - q[l-1]),(l,1,k))", by="telescope"),),
        no_measure="O3.first and O3.second measure the block of two points", source=OURS,
    ),
    Claim(
        name="interpolation.O4.value",
        says="On the interval and right of it the snap is constant, equal to y: the two weights "
             "give the value y at the left end and the slope e + sum of weights = 0.",
        given=(*APART, "s - r <= t"), start=SNAP, steps=(equals("y", by="normal"),),
        measure=_snapped, source=OURS,
    ),
    Claim(
        name="interpolation.O4.second",
        says="A second interval of the block finds the value y everywhere near it: two weights of "
             "opposite sign take it to g and leave the slope 0.",
        given=(*ORDER, "p <= t"),
        start="y + (g - y)/(p - s)*Max(t-s,0) - (g - y)/(p - s)*Max(t-p,0)",
        steps=(equals("g", by="normal"),), measure=_snapped_second, source=OURS,
    ),
    Claim(
        name="interpolation.O4.rest",
        says="What lies at or left of the interval before it stays.",
        given=(*APART, "t <= a"), start=SNAP, steps=(equals("e*t", by="normal"),),
        measure=_snapped, source=OURS,
    ),
    Claim(
        name="interpolation.O4.slope",
        says="The slope right of both knots.",
        given=APART, start=f"Derivative(e*t + ({RISE})*(t - a) - (e + {RISE})*(t - s + r), t)",
        steps=(equals("0", by="normal"),),
        no_measure="O4.value measures the map that it is the slope of", source=OURS,
    ),
)
