"""An explicit network of two layers and one head each finds the least inner product of two tokens.

Layer 1: token t asks for the s of the least x(s).x(t), at inverse temperature beta. A ReLU net
forms the product from squares, each a piecewise linear interpolant with N cells on [-1, 1]. Layer
2: CLS takes the least. With N^2 eps >= 3 d and beta = 3 w/eps, w = W((T-1)/e), the error is at most
eps for every T, d and eps, and the number of parameters does not depend on T. The second largest
score is found in the same way. Weights are not bounded: beta grows like log(T)/eps.

Source: ours; the target and the rates it is compared with are those of InfoFlow, arXiv 2605.17930.
Missing: that the network computes what the letters say is a matter of its matrices
(numeric/retrieval.py), simulated in tests/numeric/test_retrieval.py.
"""

from proofs import Claim, at_least, at_most, equals

OURS = "ours"
SYMBOLS = {
    "T": "integer >= 1", "d": "integer >= 1", "N": "integer >= 1", "eps": "real > 0",
    "w": "real > 0", "a": "real", "y": "real", "p": "real", "h": "real > 0", "x": "real",
    "F": "real", "delta": "real >= 0", "q": "real[1..T] >= 0", "m": "real[1..T]", "out": "real",
    "best": "real", "inner": "real", "w2": "real >= 0", "e": "real[1..d]",
}
CELL = ("p <= x", "x <= p + h")
CHORD = "((p + h)**2*(x - p) + p**2*(p + h - x))/h - x**2"
ENOUGH = ("N**2*eps >= 3*d",)
BETA = {"beta": "3*w/eps"}
COUNT = "8*d*(sqrt(3*d/eps) + 1) + 4*d + 9"

AVERAGES = {
    "S": "Sum(exp(-beta*g[u]),(u,1,T-1))", "gy[u]": "beta*g[u] - w - 1",
    "R": "Sum(exp(-beta*f[u]),(u,1,T-1))", "fy[u]": "beta*f[u] - w - 1",
    "fetched": "F + Sum(f[u]*exp(-beta*f[u]),(u,1,T-1))/(1 + R)",
}
BELOW = ("w/beta - (w - (T - 1)*exp(-1 - w))/(beta*(1 + {total})) - Sum((exp({y}[u]) - 1 - {y}[u])"
         "*exp(-beta*{g}[u]),(u,1,T-1))/(beta*(1 + {total}))")


def _read_by_cls(point, xp, rng):
    """What CLS reads: softmax attention over the least number and those a gap above it."""
    from numeric.attention import softmax

    scores = point["best"] + xp.concat([xp.zeros(1), point["g"]])
    weights = softmax.attention(-point["beta"] * scores[None, :], causal=False)[0, :]
    return xp.sum(weights * scores)


def _interpolated(point, xp, rng):
    """The interpolant of the square on a cell, from its ends, less the square."""
    p, h, x = (point[name] for name in "phx")
    share = (x - p) / h
    return (1 - share) * p**2 + share * (p + h) ** 2 - x**2


def _product(point, xp, rng):
    return point["a"] * point["y"]


def _average(point, xp, rng):
    return xp.sum(point["q"] * point["m"])


CLAIMS = (
    Claim(
        name="infoflow.network.product",
        says="A product is a difference of two squares.",
        start="((a + y)/2)**2 - ((a - y)/2)**2", steps=(equals("a*y", by="normal"),),
        measure=_product, source="classical",
    ),
    Claim(
        name="infoflow.network.chord",
        says="On a cell of length h the interpolant is above the square by at most h^2/4, so by "
             "1/N^2 with N cells on [-1, 1].",
        given=CELL, start=CHORD,
        steps=(equals("(x - p)*(p + h - x)", by="normal"), at_most("h**2/4", by="squares")),
        measure=_interpolated, source="classical",
    ),
    Claim(
        name="infoflow.network.chord_above",
        says="And never below it, so the errors of the two squares have opposite signs in the "
             "product.",
        given=CELL, start=CHORD,
        steps=(equals("(x - p)*(p + h - x)", by="normal"), at_least("0", by="sign")),
        measure=_interpolated, source="classical",
    ),
    Claim(
        name="infoflow.network.coordinates",
        says="The d coordinates of an inner product are off by at most d/N^2 together.",
        given=("e[j] <= delta for j in 1..d", "delta = 1/N**2"), start="Sum(e[j],(j,1,d))",
        steps=(
            equals("d*delta - Sum(delta - e[j],(j,1,d))", by="normal"),
            at_most("d*delta", by="shape"),
            equals("d/N**2", by="linear"),
        ),
        measure=lambda point, xp, rng: xp.sum(point["e"]), source=OURS,
    ),
    Claim(
        name="infoflow.network.budget",
        says="The three parts of the error, net and two heads, add up to at most eps.",
        let=BETA, given=ENOUGH, start="d/N**2 + w/beta + w/beta",
        steps=(at_most("eps/3 + w/beta + w/beta", by="sign"), equals("eps", by="normal")),
        no_measure="a budget; tests/numeric/test_retrieval.py runs the network", source=OURS,
    ),
    Claim(
        name="infoflow.network.above",
        says="So the output is at most eps above the target, for symbolic T, d and eps: head 2 "
             "adds w/beta to the least m, the net d/N^2, head 1 w/beta to the least product.",
        let=BETA, given=(*ENOUGH, "out <= best + w/beta", "best <= inner + delta",
                         "delta <= d/N**2", "inner <= F + w/beta"),
        start="out",
        steps=(
            at_most("best + w/beta", by="sign"),
            at_most("inner + delta + w/beta", by="sign"),
            at_most("F + w/beta + delta + w/beta", by="sign"),
            at_most("F + w/beta + d/N**2 + w/beta", by="cleared"),
            at_most("F + w/beta + eps/3 + w/beta", by="sign"),
            equals("F + eps", by="normal"),
        ),
        no_measure="a sum of bounds; tests/numeric/test_retrieval.py runs the network", source=OURS,
    ),
    Claim(
        name="infoflow.network.error",
        says="The whole budget from the softmax averages of both heads, for every number of tokens "
             "T: gaps f of the products of a token with all others, gaps g of the numbers that CLS "
             "compares, w with (T-1) e^(-1-w) <= w, so w = W((T-1)/e) or larger.",
        symbols={"T": "integer >= 2", "beta": "real > 0", "g": "real[1..T-1] >= 0",
                 "f": "real[1..T-1] >= 0", "delta": "real"},
        let=AVERAGES,
        given=(*ENOUGH, "(T - 1)*exp(-1 - w) <= w", "beta = 3*w/eps", "delta <= d/N**2",
               "best <= fetched + delta"),
        start="best + Sum(g[u]*exp(-beta*g[u]),(u,1,T-1))/(1 + S)",
        steps=(
            equals("best + " + BELOW.format(total="S", y="gy", g="g"), by="normal"),
            at_most("best + w/beta"),
            at_most("fetched + delta + w/beta"),
            equals("F + " + BELOW.format(total="R", y="fy", g="f") + " + delta + w/beta",
                   by="normal"),
            at_most("F + w/beta + delta + w/beta"),
            at_most("F + w/beta + d/N**2 + w/beta"),
            at_most("F + w/beta + eps/3 + w/beta"),
            equals("F + eps"),
        ),
        measure=_read_by_cls, source=OURS,
    ),
    Claim(
        name="infoflow.network.below",
        says="And at most delta below it, the error of the net, as averages are never below the "
             "least.",
        given=("Sum(q[t],(t,1,T)) = 1", "m[t] >= F - delta for t in 1..T"),
        start="Sum(q[t]*m[t],(t,1,T))",
        steps=(
            equals("(F - delta)*Sum(q[t],(t,1,T)) + Sum(q[t]*(m[t] - F + delta),(t,1,T))",
                   by="normal"),
            at_least("(F - delta)*Sum(q[t],(t,1,T))", by="shape"),
            equals("F - delta", by="linear"),
        ),
        measure=_average, source=OURS,
    ),
    Claim(
        name="infoflow.network.parameters",
        says="8 d N + 4 d + 9 parameters with N = ceil(sqrt(3 d/eps)) are O(d^(3/2) eps^(-1/2)) "
             "with this constant, free of T.",
        given=("eps <= 1",), start=COUNT,
        steps=(
            equals("8*d*sqrt(3*d)/sqrt(eps) + 12*d + 9", by="normal"),
            at_most("(8*d*sqrt(3*d) + 12*d + 9)/sqrt(eps)", by="squares"),
        ),
        no_measure="a count; tests/numeric/test_retrieval.py counts the network", source=OURS,
    ),
    Claim(
        name="infoflow.second.budget",
        says="The second largest is the least, over t, of the largest of all others: two heads "
             "with beta = 2 w/eps, w2 = W((T-2)/e) <= w, are off by at most eps.",
        let={"beta": "2*w/eps"}, given=("w2 <= w",), start="w2/beta + w/beta",
        steps=(at_most("eps", by="sign"),),
        no_measure="a budget; tests/numeric/test_retrieval.py runs the network", source=OURS,
    ),
)
