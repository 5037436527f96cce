"""The certificate of construction S: what it promises, how it is checked, and that it can fail."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import ctx, fmpq

from numeric.interpolant.balls import exact_at, images
from numeric.interpolant.build import build
from numeric.interpolant.certificate import ball, problems
from numeric.interpolant.data import dataset
from numeric.interpolant.layers import FF, SA, Block, Matrix
from numeric.interpolant.preference import Uncertain, before_softmax, preferences
from numeric.interpolant.softmax import build as build_softmax
from tests.numeric.test_interpolant import NASTY, TRIANGLE


@pytest.mark.parametrize("name", ["triangle", "chain", "gaps 1e-30", "1e30 and 1e-30"])
def test_balls_confirm_exactness_below_the_threshold(name):
    built = build(dataset(NASTY[name]), "softmax")
    tau = built.certificate.tau
    for factor in (fmpq(999, 1000), fmpq(1, 50)):
        assert exact_at(built.network, built.data, built.certificate, factor * tau) is True


def test_far_above_the_threshold_an_output_is_missed():
    built = build(dataset(TRIANGLE), "softmax")
    for factor in (2, 50):
        heat = built.certificate.tau * factor
        assert exact_at(built.network, built.data, built.certificate, heat) is False


def test_the_stated_threshold_is_almost_the_largest():
    built = build(dataset(TRIANGLE), "softmax")
    higher = replace(built.certificate, tau=built.certificate.tau * fmpq(1000001, 1000000))
    assert list(problems(built.network, built.data, built.certificate)) == []
    assert any("may leave its interval" in p for p in
               problems(built.network, built.data, higher))


def test_the_threshold_grows_with_kappa_and_reaches_any_temperature():
    data = dataset(TRIANGLE)
    one, ten = (build_softmax(data, kappa=kappa)[1].tau for kappa in (1, 10))
    assert abs(ten / one - 10) < fmpq(1, 10**9)
    built = build(data, "softmax", tau=fmpq(500))
    assert built.certificate.tau > 500
    assert exact_at(built.network, data, built.certificate, fmpq(500)) is True
    assert build(data, "softmax", tau=fmpq(1, 8)).network == build(data, "softmax").network


def test_softmax_tends_to_hardmax_and_never_collapses_exactly():
    built = build(dataset([([(0, 0), (1, 0), (0, 2)], [(5, 5)])]), "softmax")
    at, state = before_softmax(built.network, built.data)
    seen = list(preferences(built.network, at, state))
    (centre,), gap = {p.centre for p in seen}, max(p.gap for p in seen)
    far = []
    with ctx.workprec(512):
        for heat in (gap / 10, gap / 100):
            found = [image.ball - ball(centre)
                     for image in images(built.network, built.data, heat, 512)]
            assert all(x < 0 or x > 0 for x in found)  # a strict convex combination
            far.append(max(abs(x) for x in found))
        assert far[1] < far[0]


def altered(built, k, **changes):
    blocks = list(built.network.blocks)
    blocks[k] = replace(blocks[k], **changes)
    return replace(built.network, blocks=tuple(blocks))


def test_a_certificate_that_does_not_fit_is_refused():
    built = build(dataset(TRIANGLE), "softmax")
    network, data, good = built.network, built.data, built.certificate
    (low, high), *rest = good.intervals
    wide = replace(good, intervals=((low, rest[0][1]), *rest))
    forged = {
        "gaps are not": replace(good, gaps=(fmpq(1), *good.gaps[1:])),
        "overlap": wide,
        "into no interval": replace(good, intervals=tuple(rest)),
        "may leave": replace(good, tau=None),
        "token may leave": replace(good, intervals=tuple(
            (a, a + (b - a) * fmpq(51, 100)) for a, b in good.intervals)),
    }
    for word, certificate in forged.items():
        assert any(word in p for p in problems(network, data, certificate)), word


def test_a_network_that_the_certificate_does_not_cover_is_refused():
    built = build(dataset(TRIANGLE), "softmax")
    at = next(k for k, b in enumerate(built.network.blocks) if b.attention == "collapse")
    sa = built.network.blocks[at].sa
    one = fmpq(1)
    networks = {
        "rho = 0 and V = I": altered(built, at, sa=replace(sa, rho=one)),
        "0 layers with A != 0": altered(built, at, sa=replace(sa, A=Matrix(one * 0))),
        "eta = 0, one neuron": altered(built, at + 1, ff=FF(one)),
        "largest score": altered(built, at, sa=replace(sa, A=Matrix(
            one * 0, (one, one), (one * 0, one * 0)))),
        "needed none": altered(built, at + 2, sa=SA(one, Matrix(one), Matrix(one * 0))),
        "not sent to its outputs": altered(built, len(built.network.blocks) - 1,
                                           ff=scaled_last(built)),
    }
    for word, network in networks.items():
        found = list(problems(network, built.data, built.certificate))
        assert any(word in p for p in found), (word, found)
    with pytest.raises(Uncertain):
        before_softmax(build(built.data, "uniform").network, built.data)


def scaled_last(built) -> FF:
    """The last layer with all its weights doubled: still constant, but elsewhere."""
    last: Block = built.network.blocks[-1]
    return FF(last.ff.eta * 2, tuple(replace(n, w=tuple(2 * c for c in n.w))
                                     for n in last.ff.neurons))


def test_fractions_carry_a_certificate_too():
    fast, slow = (build(dataset(TRIANGLE, kind=kind), "softmax") for kind in (fmpq, Fraction))
    assert str(fast.certificate.tau) == str(slow.certificate.tau)
    assert list(problems(slow.network, slow.data, slow.certificate)) == []
