"""Distances of laws against formulas, brute force and one another."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import ndtri

from numeric import transport


def cloud(seed, n, d=2):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("p", [1, 2, 3])
def test_the_best_of_all_assignments(p):
    x, y = cloud(0, 6), cloud(1, 6)
    best = min((np.linalg.norm(x - y[list(s)], axis=1) ** p).mean()
               for s in permutations(range(6)))
    assert abs(transport.wasserstein(x, y, p) - best ** (1 / p)) < 1e-12


def test_masses_split():
    x, y = np.array([[0.0, 0], [1, 0]]), np.array([[0.0, 1], [1, 1], [5, 1]])
    a, b = [0.5, 0.5], [0.5, 0.25, 0.25]
    assert abs(transport.wasserstein(x, y, 2, a, b) ** 2 - (1 + 0.25 * 16)) < 1e-12
    assert transport.wasserstein(x, x) == 0


def test_on_the_line_by_sorting():
    x, y = cloud(2, 50, 1), cloud(3, 50, 1)
    wanted = np.sqrt(((np.sort(x, 0) - np.sort(y, 0)) ** 2).mean())
    assert abs(transport.wasserstein(x, y) - wanted) < 1e-13
    lifted = [np.hstack([z, np.zeros_like(z)]) for z in (x, y)]
    assert abs(transport.wasserstein(*lifted) - wanted) < 1e-12


def test_bures_of_commuting_and_of_any_covariances():
    assert abs(transport.bures(np.diag([4, 9]), np.diag([1, 16])) - np.sqrt(2)) < 1e-14
    G, H = np.random.default_rng(4).normal(size=(2, 3, 3))
    S, T = G @ G.T, H @ H.T
    w = np.linalg.eigvals(S @ T).real                      # those of (S^{1/2} T S^{1/2})
    wanted = np.sqrt(np.trace(S) + np.trace(T) - 2 * np.sqrt(w).sum())
    assert abs(transport.bures(S, T) - wanted) < 1e-12
    assert abs(transport.gaussian([0, 0, 3], S, [0, 4, 3], T) - np.hypot(4, wanted)) < 1e-12
    singular = np.diag([1.0, 0, 0])
    assert abs(transport.bures(singular, np.zeros((3, 3))) - 1) < 1e-15


def test_bures_keeps_its_digits_where_laws_are_close():
    """|S^{1/2} (1+h)^{1/2} - S^{1/2}| = tr(S)^{1/2} ((1+h)^{1/2} - 1), known to rounding/h."""
    S = np.diag([1.0, 2.0])
    for h in (1e-4, 1e-8, 1e-12):
        wanted = np.sqrt(3) * np.expm1(np.log1p(h) / 2)
        assert abs(transport.bures(S * (1 + h), S) / wanted - 1) < 1e-15 / h + 1e-14


def test_moments_bound_the_distance_from_below():
    """Gelbrich: W_2 of the Gaussians with the same moments is at most W_2."""
    x, y = cloud(5, 80) @ np.diag([2, 1]), cloud(6, 80) + 1
    moments = [(z.mean(0), np.cov(z.T, bias=True)) for z in (x, y)]
    low = transport.gaussian(*moments[0], *moments[1])
    assert 0.9 * transport.wasserstein(x, y) < low <= transport.wasserstein(x, y)


def test_points_against_a_normal_law():
    x = 1 + 2 * cloud(7, 300, 1)
    fine = 1 + 2 * ndtri((np.arange(300 * 2000) + 0.5) / (300 * 2000))
    assert abs(transport.to_normal(x, 1, 4) - transport.wasserstein(x, fine)) < 1e-4
    assert abs(transport.to_normal([3.0], 1, 4) - np.sqrt(8)) < 1e-14
    weights = np.full(300, 1 / 300)
    assert transport.to_normal(x, 1, 4, weights) == transport.to_normal(x, 1, 4)


def test_positions_do_not_move():
    x, y = cloud(8, 6), cloud(9, 6)
    s = np.array([0, 0, 0.5, 0.5, 0.5, 1])
    parts = [transport.wasserstein(x[s == p], y[s == p]) ** 2 * (s == p).mean() for p in set(s)]
    found = transport.conditional(s, x, s, y)
    assert abs(found - np.sqrt(sum(parts))) < 1e-12
    assert found >= transport.wasserstein(x, y)            # fewer couplings
    order = [2, 0, 1, 5, 3, 4]
    assert abs(transport.conditional(s, x, s[order], x[order])) < 1e-12
    apart = np.arange(6) / 6
    each = np.sqrt((np.linalg.norm(x - y, axis=1) ** 2).mean())
    assert abs(transport.conditional(apart, x, apart, y) - each) < 1e-12


@pytest.mark.parametrize(("message", "call"), [
    ("transport: x: found shape .0, 2.", lambda: transport.wasserstein(np.zeros((0, 2)), [[0, 0]])),
    ("transport: y: found 3 coord", lambda: transport.wasserstein(cloud(0, 2), cloud(0, 2, 3))),
    ("transport: p: found 0.5", lambda: transport.wasserstein(cloud(0, 2), cloud(0, 2), 0.5)),
    ("transport: b: found .* sum 2", lambda: transport.wasserstein(
        cloud(0, 2), cloud(0, 2), b=[1, 1])),
    ("transport: x: found 2 coord", lambda: transport.to_normal(cloud(0, 2), 0, 1)),
    ("same law of positions", lambda: transport.conditional(
        [0, 0], cloud(0, 2), [0, 1], cloud(0, 2))),
    ("positions, others: found .3,.", lambda: transport.conditional(
        [0, 0, 1], cloud(0, 2), [0, 1], cloud(0, 2))),
])
def test_misuse_names_the_argument(message, call):
    with pytest.raises(ValueError, match=message) as fault:
        call()
    assert "needed" in str(fault.value)
