"""One layer, two inputs that it cannot tell apart, a target that differs: enclosed in balls."""

import numpy as np
import pytest

from numeric.collision import (
    _enclose,
    _precision,
    certificate,
    inner_products,
    kth_largest,
    random_layer,
)


@pytest.mark.parametrize(("T", "d", "h", "n", "gap"), [
    (4, 2, 1, 1, 0.293), (5, 2, 1, 2, 0.134), (6, 2, 2, 1, 0.0761), (8, 2, 2, 2, 0.0341),
    (8, 8, 2, 2, 1.0), (10, 10, 2, 3, 1.0), (16, 16, 2, 6, 1.0)])
def test_least_inner_product_by_one_layer(T, d, h, n, gap):
    rng = np.random.default_rng(1)
    found = certificate(random_layer(T, d, h, n, rng), h * (n + 1), inner_products(T, d), rng)
    assert found is not None and found.enclosed
    c = 0 if d >= T - 1 else np.cos(np.pi / (2 * (T - 2)))
    assert float(found.gap) == pytest.approx(1 - c, rel=1e-12) == pytest.approx(gap, rel=2e-3)
    assert 0 < found.forced_error <= (1 - c) / 2 and found.residual < 1e-9


@pytest.mark.parametrize(("T", "k", "h", "n"), [(5, 3, 1, 1), (7, 4, 1, 2), (9, 5, 2, 1)])
def test_a_middle_rank_by_one_layer(T, k, h, n):
    rng = np.random.default_rng(1)
    found = certificate(random_layer(T, 1, h, n, rng), h * (n + 1), kth_largest(T, k), rng)
    assert found is not None and found.enclosed
    assert found.forced_error == pytest.approx(1 / (2 * (min(k - 1, T - k) + 1)), rel=1e-12)


def test_the_two_inputs_are_one_to_any_read_out_and_two_to_the_target():
    """In floating point, apart from the balls: same attention outputs, targets 1 - c apart."""
    T, d, h, n = 6, 2, 2, 1
    rng, cube = np.random.default_rng(3), inner_products(6, 2)
    term = random_layer(T, d, h, n, rng)
    found = certificate(term, h * (n + 1), cube, rng)
    r = np.array([float(a) for a in found.point])
    c, u = float(cube.low[0]), np.array([[float(a) for a in v] for v in cube.directions])
    outputs, targets = [], []
    for coordinates in (r, 1 + c - r):
        X = np.vstack([coordinates[:, None] * u, -u[found.face]])
        sums = sum(np.array(term(t, list(X[t]), np.exp)) for t in range(T)).reshape(h, n + 1)
        outputs.append(sums[:, 1:] / sums[:, :1])
        targets.append((X @ X.T).min())
    assert np.allclose(*outputs, atol=1e-9) and r[found.face] == 1
    assert abs(targets[0] - targets[1]) == pytest.approx(1 - c)


def test_a_point_that_is_no_collision_is_not_enclosed():
    rng, cube = np.random.default_rng(1), inner_products(5, 2)
    term = random_layer(5, 2, 1, 2, rng)
    found = certificate(term, 3, cube, rng)
    r = np.array([float(a) for a in found.point])
    free = [j for j in range(len(r)) if j != found.face]
    low, high = float(cube.low[0]), 1.0
    for _ in range(5):
        away = r.copy()
        away[free] = rng.uniform(low, high, len(free))
        with _precision():
            point, enclosed = _enclose(term, 3, cube, away, found.face)
        # Newton may well lead back to the collision; then its coordinates are within the cube.
        assert not enclosed or all(low < float(point[j]) < high for j in free)
    with _precision():
        blind = _enclose(lambda place, x, exp: [0 * x[0]] * 3, 3, cube, r, found.face)
        shifted = _enclose(lambda place, x, exp: [x[0] + 9 * place * x[0], x[1], exp(x[0])], 3,
                           cube, np.full(4, 1.0), 0)
    assert not blind[1] and not shifted[1]


def test_where_the_theorem_does_not_apply():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"4 sums h\(n\+1\) against 4 moving tokens"):
        certificate(random_layer(5, 2, 2, 1, rng), 4, inner_products(5, 2), rng)
    with pytest.raises(ValueError, match="2 sums"):
        certificate(random_layer(8, 1, 1, 1, rng), 2, kth_largest(8, 2), rng)
    with pytest.raises(ValueError, match="2 <= k <= T - 1"):
        kth_largest(5, 5)
    with pytest.raises(ValueError, match="needed T >= 3"):
        inner_products(2, 2)
