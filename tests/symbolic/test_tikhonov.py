"""The scaling of a regularised loss: SymPy's minimiser is one, and the exponent is p/(p-1)."""

from fractions import Fraction

import pytest

from symbolic.formulas import tikhonov


@pytest.mark.parametrize(("p", "wanted"), [(2, 2), (3, Fraction(3, 2)), (4, Fraction(4, 3)),
                                           (8, Fraction(8, 7))])
def test_exponents(p, wanted):
    found = tikhonov.exponent()
    letter, = found.free_symbols
    value = found.subs(letter, p)
    assert Fraction(int(value.p), int(value.q)) == wanted


def test_minimiser_beats_its_neighbours():
    place = tikhonov.minimiser()
    values = {"C": 1.3, "p": 2.7, "eps": 0.2, "r": 1.9}
    s = float(place.xreplace({x: values[x.name] for x in place.free_symbols}))

    def objective(s):
        return values["C"] * s ** values["p"] - 2 * values["eps"] * values["r"] * s
    assert objective(s) < min(objective(0.99 * s), objective(1.01 * s))
