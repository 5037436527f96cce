"""Leaders: every other token attends to the main leader, and every leader to itself, strictly.

Attention A = I, so the score of x for y is <x, y>. Crowd: |x| <= B and <v, x> >= c > 0. Leaders of
a sequence: lam v, and side leaders on the circle of radius R at -R (1-q^2, 2q)/(1+q^2), 0 < q < 1,
in the first two axes. Margins: R > B, lam >= B S/c + 1 with S >= every radius and S >= B, and
lam |v|^2 > p with p >= every <v, x>. F3 and F4 are the collapse on a corner and the fixed sphere.

Source: ours, after the leader geometry (Figures 2-8) of arXiv 2502.02270.
Missing: that the argmax over a whole sequence is then unique is one comparison for each pair, in
words; `numeric.interpolant.build.verify` runs the hardmax of whole networks in rationals.
"""

from proofs import Claim, above, at_least, at_most, below, equals

OURS = "ours"
SYMBOLS = {
    "d": "integer >= 2", "x": "vector(d)", "y": "vector(d)", "v": "vector(d)", "s": "vector(d)",
    "B": "real > 0", "R": "real > 0", "S": "real > 0", "c": "real > 0", "lam": "real > 0",
    "p": "real", "q": "real in (0, 1)", "r": "real in (0, 1)", "v1": "real > 0",
    "v2": "real > 0",
}
FAMILY = {"n": "integer >= 1", "k": "index 1..n", "X": "real[1..n] > 0", "Y": "real[1..n]"}
CORNER = ("Y[j] <= R for j in 1..n", "Y[k] < R")
GAP = "(norm2(R*x - B*s) + R**2*(B**2 - norm2(x)) + B**2*(R**2 - norm2(s)))/(2*B*R)"
TURN = "((1 - q**2)*(1 - r**2) + 4*q*r)/((1 + q**2)*(1 + r**2))"


def _dot(one, two):
    """The inner product of two vectors of a point."""
    return lambda point, xp, rng: xp.sum(point[one] * point[two])


def _side(R, q):
    """The side leader of share q, near a share k/60, as the construction places it; and k/60."""
    from fractions import Fraction

    from numeric.interpolant.leaders import _arc

    k = min(59, max(1, round(float(q) * 60)))
    return [float(z) for z in _arc(Fraction, 2, Fraction(R), 60)[k - 1]], k / 60


def _square(point, xp, rng):
    """The squared length of a side leader on a circle of radius 1."""
    a, b = _side(1, point["q"])[0]
    return xp.asarray(a * a + b * b)


def _angle(point, xp, rng):
    """The score of one side leader for another, and the formula at their shares."""
    (a, b), q = _side(1, point["q"])
    (e, f), r = _side(1, point["r"])
    wanted = ((1 - q * q) * (1 - r * r) + 4 * q * r) / ((1 + q * q) * (1 + r * r))
    return point["R"] ** 2 * (a * e + b * f), point["R"] ** 2 * wanted


CLAIMS = (
    Claim(
        name="interpolation.O6.crowd_side",
        says="The score of the crowd for anything of length R, a side leader, is at most B R.",
        given=("norm2(x) <= B**2", "norm2(s) <= R**2"), start="dot(x, s)",
        steps=(equals(f"B*R - {GAP}", by="normal"), at_most("B*R", by="shape")),
        measure=_dot("x", "s"), source=OURS,
    ),
    Claim(
        name="interpolation.O6.crowd_main",
        says="Its score for the main leader is above B S, S the largest radius: so it prefers the "
             "main leader to all side leaders, and to the crowd, as S >= B.",
        given=("dot(x, v) >= c", "lam >= B*S/c + 1"), start="lam*dot(x, v)",
        steps=(above("B*S", by="cleared"),),
        measure=lambda point, xp, rng: point["lam"] * _dot("x", "v")(point, xp, rng), source=OURS,
    ),
    Claim(
        name="interpolation.O6.main",
        says="The main leader prefers itself to every token x.",
        given=("dot(v, x) <= p", "lam*norm2(v) > p"), start="lam**2*norm2(v)",
        steps=(above("lam*dot(v, x)", by="sign"),),
        measure=lambda point, xp, rng: point["lam"] ** 2 * xp.sum(point["v"] ** 2), source=OURS,
    ),
    Claim(
        name="interpolation.O6.side_crowd",
        says="A side leader prefers itself to the crowd, whose score for it is at most B R.",
        given=("R > B",), start="R**2", steps=(above("B*R", by="sign"),),
        measure=lambda point, xp, rng: point["R"] ** 2, source=OURS,
    ),
    Claim(
        name="interpolation.O6.side_side",
        says="And to another side leader of its circle.",
        given=("q != r",), start=f"R**2*{TURN}",
        steps=(equals("R**2 - 2*R**2*(q - r)**2/((1 + q**2)*(1 + r**2))", by="normal"),
               below("R**2", by="shape")),
        measure=_angle, source=OURS,
    ),
    Claim(
        name="interpolation.O6.side_main",
        says="Its score for the main leader is negative, as v has positive coordinates.",
        start="-R*(v1*(1 - q**2) + 2*v2*q)/(1 + q**2)", steps=(below("0", by="sign"),),
        no_measure="signs of a product; verify runs the network", source=OURS,
    ),
    Claim(
        name="interpolation.O6.beyond",
        says="The main leader is longer than every target of length <= B: v has whole coordinates, "
             "so |v| >= 1, and no target is placed where a leader still stands.",
        given=("lam > B", "norm2(v) >= 1", "norm2(y) <= B**2"), start="lam**2*norm2(v)",
        steps=(at_least("lam**2", by="sign"), above("B**2", by="squares"),
               at_least("norm2(y)", by="sign")),
        measure=lambda point, xp, rng: point["lam"] ** 2 * xp.sum(point["v"] ** 2), source=OURS,
    ),
    Claim(
        name="interpolation.O7.circle",
        says="Tangents of half angles give rational points of the circle.",
        start="((1 - q**2)/(1 + q**2))**2 + (2*q/(1 + q**2))**2",
        steps=(equals("1", by="normal"),), measure=_square, source="classical",
    ),
    Claim(
        name="interpolation.O7.corner",
        says="F3: a token with positive coordinates prefers (R, .., R) to every other token that "
             "is at most R everywhere and below it somewhere.",
        symbols=FAMILY, given=CORNER, start="Sum(X[j]*R,(j,1,n)) - Sum(X[j]*Y[j],(j,1,n))",
        steps=(equals("Sum(X[j]*(R - Y[j])*(1 - KroneckerDelta(j,k))**2,(j,1,n))"
                      " + X[k]*(R - Y[k])", by="normal"),
               above("0", by="sign")),
        measure=lambda point, xp, rng: xp.sum(point["X"] * (point["R"] - point["Y"])),
        source=OURS,
    ),
    Claim(
        name="interpolation.O7.sphere",
        says="F4: on a sphere around 0 every token prefers itself.",
        given=("norm2(x) = B**2", "norm2(y) = B**2", "norm2(x - y) > 0"),
        start="norm2(x) - dot(x, y)",
        steps=(equals("norm2(x - y)/2", by="linear"), above("0", by="sign")),
        no_measure="strict Cauchy-Schwarz; tests/numeric/test_interpolant_layers.py runs it",
        source=OURS,
    ),
)
