"""One layer of uniform attention tells all sequences apart, by their means.

A = 0 gives the weights 1/n for hardmax and for softmax at every temperature. V = z e e' shifts a
sequence of mean m by z m along e: with z (gap of means) > range of the line, sequences take
disjoint intervals. Where means are equal, kinks w relu(t - a) make them differ: each pair of
sequences excludes at most one w.

Source: ours; that clustering is not needed for exact interpolation is our observation. Relatives:
Kajitsuka, Sato, arXiv 2307.14023 and 2409.17677.
Missing: that two sequences of equal mean are told apart by some knot (a piecewise linear function
without kinks is linear), in words; `numeric.interpolant.kinks` asserts it when it looks for one.
"""

from proofs import Claim, at_least, below, equals

OURS = "ours"
SYMBOLS = {
    "n": "integer >= 1", "tau": "real > 0", "x": "real[1..n]", "f": "real[1..n]", "z": "real >= 0",
    "g": "real > 0", "m1": "real", "m2": "real", "top": "real", "low": "real", "h": "real",
    "l": "real", "w": "real", "w2": "real", "r1": "real", "r2": "real", "S": "real > 0",
    "t": "real", "a": "real", "b": "real", "C": "real", "y": "real",
}


def _weight(point, xp, rng):
    """A weight of the softmax layer with all scores 0."""
    from numeric.attention import softmax

    return softmax.attention(xp.zeros((1, int(point["n"]))) / point["tau"], causal=False)[0, 0]


CLAIMS = (
    Claim(
        name="interpolation.U1.weights",
        says="With A = 0 all weights are 1/n, at every temperature.",
        start="exp(0/tau)/Sum(exp(0/tau),(u,1,n))", steps=(equals("1/n", by="normal"),),
        measure=_weight, source=OURS,
    ),
    Claim(
        name="interpolation.U1.mean",
        says="The mean of a sequence follows a shift C of all its tokens: attention then adds "
             "z (mean + C) to each.",
        start="z*Sum(x[u] + C,(u,1,n))/n",
        steps=(equals("z*(Sum(x[u],(u,1,n))/n + C)", by="normal"),),
        measure=lambda point, xp, rng: point["z"] * xp.mean(point["x"] + point["C"]), source=OURS,
    ),
    Claim(
        name="interpolation.O5.slabs",
        says="With z (gap) > range the highest token h of a sequence of smaller mean stays below "
             "the lowest token l of a sequence of larger mean.",
        given=("m2 - m1 >= g", "z*g > top - low", "h <= top", "l >= low"), start="h + z*m1",
        steps=(below("l + z*m2", by="linear"),),
        measure=lambda point, xp, rng: point["h"] + point["z"] * point["m1"], source=OURS,
    ),
    Claim(
        name="interpolation.U2.weight",
        says="Two weights w, w2 that leave a pair of sequences with equal means are one weight, "
             "unless the knot does not tell the pair apart.",
        given=("m1 + w*r1 = m2 + w*r2", "m1 + w2*r1 = m2 + w2*r2"), start="(w - w2)*(r1 - r2)",
        steps=(equals("0", by="linear"),),
        no_measure="a relation between two weights that exclude each other", source=OURS,
    ),
    Claim(
        name="interpolation.U2.later",
        says="A later kink reads f, affine with slope S there: its weight is divided by S.",
        start="w/S*((S*t + b) - (S*a + b))", steps=(equals("w*(t - a)", by="normal"),),
        measure=lambda point, xp, rng: point["w"] * (point["t"] - point["a"]), source=OURS,
    ),
    Claim(
        name="interpolation.U3.room",
        says="With C >= 1 + y - low for every first coordinate y of a target, all sources lie "
             "right of y + 1: placed targets are not moved again.",
        given=("C >= 1 + y - low", "t >= low"), start="t + C - 1",
        steps=(at_least("y", by="sign"),),
        measure=lambda point, xp, rng: point["t"] + point["C"] - 1, source=OURS,
    ),
)
