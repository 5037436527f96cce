"""Decoding many numbers from a narrow state costs a power of 1/eps: a matching construction.

T0 tokens of d numbers in E coordinates are m = T0 d/E numbers a coordinate. Interleave their
digits to the base B = 1/eps; a shallow ReLU net reads the last of them by a sawtooth with B^(m-1)
teeth. So eps^(1-m) units are enough, which is the law quoted from InfoFlow; that fewer do not
suffice is quoted, and holds for shallow nets with bounded weights only.

Source: the law is InfoFlow's (arXiv 2605.17930, from summaries); the construction is ours.
Missing: packing digits is not continuous, so the encoder is exact off a small set; the lower bound.
"""

from proofs import Claim, at_most, big_o, equals

OURS = "ours"
SYMBOLS = {
    "eps": "real > 0", "m": "real >= 1", "B": "real > 0", "k": "integer", "a": "real in [0, 1]",
    "T0": "real > 0", "d": "integer >= 1", "E": "integer >= 1",
}


def _last(point, xp, rng):
    """The tooth of the sawtooth on which the packed number stands."""
    packed = (point["k"] + point["a"]) / point["B"]
    return point["B"] * packed - point["k"]


CLAIMS = (
    Claim(
        name="infoflow.decoding.last",
        says="On its tooth the sawtooth gives the last number back.",
        start="B*((k + a)/B) - k", steps=(equals("a", by="normal"),), measure=_last, source=OURS,
    ),
    Claim(
        name="infoflow.decoding.teeth",
        says="Two units a tooth and eps^(1-m) teeth: the number of units times eps^(m-1) is "
             "constant.",
        start="2*eps**(1 - m)*eps**(m - 1)", steps=(equals("2", by="normal"),),
        no_measure="a count; tests/numeric/test_decoding.py counts the decoder", source=OURS,
    ),
    Claim(
        name="infoflow.decoding.rate",
        says="So decoding costs O(eps^(1-m)).",
        start="2*eps**(1 - m)",
        steps=(big_o("eps**(1 - m)", limit="eps -> 0+", by="limits"),),
        no_measure="a rate; tests/numeric/test_decoding.py counts the decoder", source=OURS,
    ),
    Claim(
        name="infoflow.decoding.free",
        says="A state of E >= T0 d numbers holds them all, and nothing is to be decoded.",
        given=("T0*d <= E",), start="T0*d/E - 1", steps=(at_most("0", by="sign"),),
        no_measure="an inequality of the law's exponent", source=OURS,
    ),
)
