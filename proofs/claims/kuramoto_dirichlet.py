"""A high rate is a short range: the lag average of a turning phase is a Dirichlet kernel.

Letters: w the rate in radians a position, N >= 1 the number of lags, l = 0..N-1. The average of
exp(i w l) has length |sin(N w/2) / (N sin(w/2))| where w is no whole number of turns, hence decays
like 1/(N sin(w/2)): two tokens of equal phases are aligned only over lags of order 1/w.

Source: the telescoping sum is classical; its use for the drift of the layer is ours.
Missing: K13.length is K13.envelope under a root. An equation is not yet used under a root, where
both sides may vanish, so it is tested only.
"""

from proofs import Claim, at_most, equals

OURS = "classical sum; its reading as the range of a rate is ours"
SYMBOLS = {"N": "integer >= 1", "w": "real", "l": "integer"}
AWAY = ("sin(w/2) != 0",)
C, S = "Sum(cos(w*l),(l,0,N-1))", "Sum(sin(w*l),(l,0,N-1))"
TURNED_C = "2*sin(N*w/2)*cos((N-1)*w/2)"
TURNED_S = "2*sin(N*w/2)*sin((N-1)*w/2)"
OVER = "/(4*N**2*sin(w/2)**2)"
SQUARE = f"({C}**2 + {S}**2)/N**2"
CHAIN = (
    equals(f"((2*sin(w/2)*{C})**2 + (2*sin(w/2)*{S})**2){OVER}", by="normal"),
    equals(f"(({TURNED_C})**2 + (2*sin(w/2)*{S})**2){OVER}",
           using=("kuramoto.K13.cosine_sum",), by="linear"),
    equals(f"(({TURNED_C})**2 + ({TURNED_S})**2){OVER}",
           using=("kuramoto.K13.sine_sum",), by="linear"),
    equals("sin(N*w/2)**2/(N**2*sin(w/2)**2)", by="normal"),
)


def _mean(point, xp):
    """Average of a phase that turns by w a position, by the layer's own circular mean."""
    from numeric.attention import kuramoto

    N = int(point["N"])
    theta = xp.arange(N) * point["w"]
    return kuramoto.mean(theta[:, None], xp.ones((1, 1, N)) / N)


def _square(point, xp, rng):
    re, im = _mean(point, xp)
    return (re**2 + im**2)[0, 0]


def _length(point, xp, rng):
    return _square(point, xp, rng) ** 0.5


def _half(point, xp):
    return 2 * int(point["N"]) * xp.sin(xp.asarray(point["w"] / 2))


def _cosines(point, xp, rng):
    return _half(point, xp) * _mean(point, xp)[0][0, 0]


def _sines(point, xp, rng):
    return _half(point, xp) * _mean(point, xp)[1][0, 0]


TERM = "a term of the telescoping sum; the sum itself is measured"

CLAIMS = (
    Claim(
        name="kuramoto.K13.cosine_term",
        says="2 sin(w/2) cos(w l) is a difference of neighbours.",
        start="2*sin(w/2)*cos(w*l)",
        steps=(equals("sin(w*(l+1/2)) - sin(w*(l-1/2))", by="normal"),),
        no_measure=TERM, source="classical",
    ),
    Claim(
        name="kuramoto.K13.sine_term",
        says="So is 2 sin(w/2) sin(w l).",
        start="2*sin(w/2)*sin(w*l)",
        steps=(equals("cos(w*(l-1/2)) - cos(w*(l+1/2))", by="normal"),),
        no_measure=TERM, source="classical",
    ),
    Claim(
        name="kuramoto.K13.cosine_sum",
        says="The cosines add up, for every N.",
        start=f"2*sin(w/2)*{C}",
        steps=(
            equals("Sum(sin(w*(l+1/2)) - sin(w*(l-1/2)),(l,0,N-1))", by="normal"),
            equals("sin(w*(N-1/2)) - sin(-w/2)", by="telescope"),
            equals(TURNED_C, by="normal"),
        ),
        measure=_cosines, source="classical",
    ),
    Claim(
        name="kuramoto.K13.sine_sum",
        says="The sines add up, for every N.",
        start=f"2*sin(w/2)*{S}",
        steps=(
            equals("Sum(cos(w*(l-1/2)) - cos(w*(l+1/2)),(l,0,N-1))", by="normal"),
            equals("cos(-w/2) - cos(w*(N-1/2))", by="telescope"),
            equals(TURNED_S, by="normal"),
        ),
        measure=_sines, source="classical",
    ),
    Claim(
        name="kuramoto.K13.envelope",
        says="The squared length of the lag average is a squared Dirichlet kernel.",
        given=AWAY, start=SQUARE, steps=CHAIN, measure=_square, source=OURS,
    ),
    Claim(
        name="kuramoto.K13.length",
        says="The length of the lag average is |sin(N w/2) / (N sin(w/2))|.",
        given=AWAY, start=f"sqrt({SQUARE})",
        steps=(
            equals("sqrt((sin(N*w/2)/(N*sin(w/2)))**2)",
                   using=("kuramoto.K13.envelope",), by="linear"),
            equals("Abs(sin(N*w/2)/(N*sin(w/2)))", by="normal"),
        ),
        expect="tested", measure=_length, tolerance=1e-7, source=OURS,
    ),
    Claim(
        name="kuramoto.K13.decay",
        says="It decays like 1/N: its square is at most 1/(N sin(w/2))^2.",
        given=AWAY, start=SQUARE,
        steps=(
            *CHAIN,
            equals("1/(N**2*sin(w/2)**2) - cos(N*w/2)**2/(N**2*sin(w/2)**2)", by="normal"),
            at_most("1/(N**2*sin(w/2)**2)", by="shape"),
        ),
        measure=_square, source=OURS,
    ),
)
