"""The scaling law of regularised training: SymPy's minimiser is one, its exponent p/(p - 1)."""

import pytest
from sympy import Rational

from symbolic.formulas import scaling


@pytest.mark.parametrize("p, exponent", [(2, 2), (3, Rational(3, 2)), (4, Rational(4, 3)),
                                         (Rational(4, 3), 4)])
def test_the_minimiser_and_its_exponent(p, exponent):
    at = scaling.letters()
    values = {at.p: p, at.C: Rational(3, 2), at.r: 2, at.eps: Rational(1, 1000)}
    s = scaling.distance().subs(values)
    slope = scaling.model().subs(values).diff(at.s)
    assert abs(slope.subs(at.s, s).n(50)) < 1e-40
    assert slope.subs(at.s, s / 2).n() < 0 < slope.subs(at.s, 2 * s).n()
    assert scaling.exponent().subs(at.p, p) == exponent
    assert abs((scaling.loss().subs(values) - Rational(3, 2) * s**p).n(50)) < 1e-40
