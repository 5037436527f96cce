"""Rates, stability and drift of n tokens; full size: `python -m tests.meanfield`."""

import numpy as np
import pytest

from numeric import gaussian, meanfield, transport
from numeric.flow import Model, by_score, flow
from numeric.law import root
from tests import meanfield as figures


def test_kappa_is_the_printed_formula():
    S, A = np.diag([4.0, 1.0]), np.array([[0.5, 0.1], [0, 1]])
    R = root(S)
    wanted = 2 * np.linalg.eigvalsh(R @ A.T @ S @ A @ R)[-1]
    assert abs(meanfield.kappa(by_score("softmax", A, np.eye(2)), S) - wanted) < 1e-12


def test_images_are_where_the_limit_carries_points():
    """Linear tokens with the moments of the law follow its flow exactly."""
    rng = np.random.default_rng(0)
    mean, S = np.array([0.3, -0.2]), np.array([[0.5, 0.1], [0.1, 0.3]])
    x = rng.normal(size=(20, 2))
    x -= x.mean(0)
    x = mean + x @ np.linalg.inv(root(np.cov(x.T, bias=True))) @ root(S)
    m = by_score("linear", [[0.6, 0.2], [0, -0.5]], [[0.5, 0], [0.3, 0.8]])
    found = meanfield.images(m, mean, S, x, 0.4)
    np.testing.assert_allclose(flow(m, x, 0.4, samples=1, rtol=1e-11).tokens[-1], found, atol=1e-9)
    end = gaussian.integrate(m, mean, S, 0.4, 1)
    np.testing.assert_allclose(np.cov(found.T, bias=True), end.covariances[-1], atol=1e-9)


def test_distances_are_in_their_order():
    """On the line: W_2 to the limit law is at least that of the Gaussians with its moments."""
    m = by_score("softmax", 0.4, 0.7)
    found = meanfield.rate(m, 0.3, 0.5, 0.4, (25, 100), 3, np.random.default_rng(2))
    assert np.all(found.errors["law"] >= found.errors["moments"])
    assert np.all(found.errors["moments"] >= found.errors["mean"])
    assert found.counts == (25, 100) and found.kappa[0] == meanfield.kappa(m, 0.5) < 1


def test_slopes_are_exact_on_powers():
    counts = np.array([10.0, 100, 1000])
    assert abs(meanfield.slope(counts, 3 * counts**-0.5) + 0.5) < 1e-12


def test_a_limit_that_blows_up_has_no_rate():
    with pytest.raises(ArithmeticError, match="rate: horizon: the limit ended at t = 1 "):
        meanfield.rate(by_score("softmax", 0.5, 1), None, 1, 2, (10,), 1, np.random.default_rng(0))


def test_c13_flows_stay_within_the_doubly_exponential_bound():
    rng = np.random.default_rng(3)
    x = rng.uniform(-0.7, 0.7, (60, 2))
    y = x + rng.uniform(-0.05, 0.05, x.shape)
    m = by_score("softmax", [[0.5, 0.2], [0, 0.4]], 0.7 * np.eye(2))
    found = meanfield.stability(m, x, y, 1.0)
    assert found.ratio[0] == 1 and found.log_bound[0] == 0
    assert np.all(np.log(found.ratio) <= found.log_bound) and np.all(np.diff(found.log_bound) > 0)
    end = [flow(m, z, 1.0, samples=1).tokens[-1] for z in (x, y)]
    wanted = transport.wasserstein(*end) / transport.wasserstein(x, y)
    assert abs(found.ratio[-1] - wanted) < 1e-6
    with pytest.raises(ValueError, match="stability: variant: found 'l2'"):
        meanfield.stability(Model("l2", np.eye(2), np.eye(2), np.eye(2)), x, y, 1.0)


def test_softmax_tokens_drift_and_less_so_for_more_of_them():
    m, horizon = figures.DRIFTING
    found = meanfield.drift(m, None, figures.S, horizon, (25, 400), 8, np.random.default_rng(4))
    assert found[0] > 1e-4 and found[1] < found[0]
    linear = Model("linear", m.Q, m.K, m.V)
    still = meanfield.drift(linear, None, figures.S, 0.1, (25, 400), 2, np.random.default_rng(4),
                            rtol=1e-12)
    assert np.all(still < 1e-9)


def test_the_figures_of_the_command_are_within_their_targets(capsys):
    assert figures.main(["--quick"]) == 0
    out = capsys.readouterr().out
    assert "over target" not in out
    for line in ("tilting", "conserved", "energy identity", "C9", "drift"):
        assert line in out
