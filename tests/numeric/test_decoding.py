"""Sawtooth decoders count eps^(1-m) teeth; one uniform head finds two minima."""

import numpy as np
import pytest

from numeric.decoding import bits, packed_decoder, uniform_minima


@pytest.mark.parametrize(("m", "eps"), [(1, 0.1), (2, 1 / 16), (2, 1 / 1024), (3, 1 / 8),
                                        (3, 1 / 64)])
def test_packed_numbers_come_back_within_eps(m, eps):
    rng, decoder = np.random.default_rng(m), packed_decoder(m, eps)
    a = rng.uniform(size=(500, m))
    a[:m + 1] = np.tril(np.ones((m + 1, m)), -1)      # zeros and ones, the ends of every digit
    packed = decoder.pack(a)
    assert packed.min() >= 0 and packed.max() < 1
    error = np.abs(decoder.unpack(packed) - a)
    # The last number is exact but for rounding: three times (knot, product, sum) a unit of B^m.
    rounding = 3 * decoder.nets[-1].units * float(decoder.base) ** m * 2**-53
    assert error[:, :-1].max(initial=0.0) <= eps and error[:, -1].max() <= rounding < 1e-6


def test_units_times_eps_to_the_m_minus_1_is_constant():
    for m, sizes in ((2, (16, 64, 256, 1024)), (3, (8, 16, 32, 64))):
        for size in sizes:
            units = packed_decoder(m, 1 / size).nets[-1].units
            assert units == 2 * (size + 2) ** (m - 1)
            assert units * (1 / size) ** (m - 1) == pytest.approx(2 * (1 + 2 / size) ** (m - 1))


@pytest.mark.parametrize("T", [8, 64, 512])
@pytest.mark.parametrize("eps", [0.3, 0.1, 0.05])
def test_one_uniform_head_finds_two_minima(T, eps):
    rng, network = np.random.default_rng(T), uniform_minima(T, eps)
    f = rng.uniform(size=(200, T, 2))
    f[0], f[1], f[2] = 0.0, 1.0, 0.5                 # all equal: the soft minimum is lowest
    f[3, 1:], f[3, 0] = 1.0, 0.0                     # one far below all others
    assert np.abs(network(f) - f.min(axis=1)).max() <= eps
    assert network.net.units <= 4 * np.log(T) / eps + 4 and bits(network) > 1 / eps


@pytest.mark.parametrize("call", [
    lambda: packed_decoder(0, 0.1), lambda: packed_decoder(2, 1.0), lambda: packed_decoder(9, 0.01),
    lambda: packed_decoder(1.5, 0.1), lambda: uniform_minima(1, 0.1), lambda: uniform_minima(4, 0),
    lambda: uniform_minima(512, 0.001), lambda: uniform_minima(8, 0.1, -1.0)])
def test_bad_input_is_refused(call):
    with pytest.raises(ValueError, match=r"found .* needed"):
        call()
