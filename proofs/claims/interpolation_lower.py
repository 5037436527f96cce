"""No family of P < d M parameters interpolates all targets: the order O(d M) cannot be improved.

Hypotheses: inputs are fixed; the outputs are a function of P real parameters that is Lipschitz on
each of countably many compact pieces of R^P, as layers of relu, softmax and hardmax are; every
choice of M real target tokens is wanted. On a piece, C rho^-P balls of radius rho cover the
outputs, in D = d M numbers: for P < D their volume is below that of the unit cube for small rho,
so it is 0, and countably many such pieces do not fill the cube.

Source: ours; the counting argument is classical. Counts like sqrt(n N) (arXiv 2409.17677) are for
finite sets of labels or bits read off a parameter, and do not contradict it.
Missing: covering numbers and measure 0 are no words of the language; stated here is the arithmetic
of the volumes. That outputs come in any order multiplies C by a factorial, no power.
"""

from proofs import Claim, at_most, below, equals

OURS = "ours"
SYMBOLS = {"C": "real > 0", "rho": "real in (0, 1)", "P": "integer >= 0", "D": "integer >= 1",
           "j": "integer >= 0", "d": "integer >= 1", "M": "integer >= 1", "Q": "integer >= 0",
           "eps": "real > 0"}
VOLUME = "C*rho**(-P)*(2*rho)**(P + 1 + j)"


def _volume(point, xp, rng):
    """The number of cubes times the volume of one."""
    D = int(point["P"] + point["j"]) + 1
    return point["C"] / point["rho"] ** point["P"] * xp.prod(xp.asarray([2 * point["rho"]] * D))


def _parameters(point, xp, rng):
    """By how much the parameters of U fall short of d M: never."""
    from numeric.interpolant.build import build
    from numeric.interpolant.data import dataset
    from numeric.interpolant.layers import parameters

    d, M = min(int(point["d"]), 5), min(int(point["M"]), 6)
    X = [tuple(t * t + i * t for i in range(d)) for t in range(M + 1)]
    Y = [tuple(5 * t + i for i in range(d)) for t in range(M)]
    return xp.asarray(max(0.0, d * M - parameters(build(dataset([(X, Y)])).network))), 0.0


CLAIMS = (
    Claim(
        name="interpolation.L1.power",
        says="Powers of a radius rho = exp(-a) below 1 are at most 1.",
        symbols={"a": "real > 0"}, start="exp(-a*j)",
        steps=(at_most("exp(0)", by="sign"), equals("1", by="normal")),
        measure=lambda point, xp, rng: xp.exp(xp.asarray(-point["a"])) ** point["j"],
        source="classical",
    ),
    Claim(
        name="interpolation.L1.volume",
        says="C rho^-P cubes of side 2 rho have a volume of order rho^(D-P), for D = P + 1 + j.",
        start=VOLUME, steps=(equals("C*2**(P + 1 + j)*rho*rho**j", by="normal"),),
        measure=_volume, source=OURS,
    ),
    Claim(
        name="interpolation.L1.small",
        says="With rho^j <= 1 it is below eps, hence below the volume 1 of the cube of targets, as "
             "soon as rho < eps/(C 2^D).",
        given=("rho**j <= 1", "rho < eps/(C*2**D)"), start="C*2**D*rho*rho**j",
        steps=(at_most("C*2**D*rho", by="sign"), below("eps", by="cleared")),
        no_measure="L1.volume evaluates the volume", source=OURS,
    ),
    Claim(
        name="interpolation.L2.order",
        says="So P >= d M for every such family, and the 22 d M of U are within a factor 22 of "
             "the least number.",
        given=("d*M <= P", "Q <= 22*d*M"), start="Q",
        steps=(at_most("22*d*M", by="linear"), at_most("22*P", by="linear")),
        measure=lambda point, xp, rng: point["Q"] + _parameters(point, xp, rng)[0], source=OURS,
    ),
)
