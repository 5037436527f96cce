"""Explicit networks reach their targets within eps, on inputs chosen against them."""

from math import e

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric.hardest import products, scores
from numeric.retrieval import (
    forward,
    lambert,
    largest_weight,
    nonzero,
    pair_parameters,
    pairwise_maxima,
    pairwise_within,
    relayed_maxima,
    retrieval_error,
    second_largest,
    softmin_gap,
    two_layer_min_dot,
)


@pytest.mark.parametrize("eps", [0.3, 0.03, 0.003])
@pytest.mark.parametrize("d", [2, 3, 8])
def test_two_layers_of_one_head_find_the_least_inner_product(d, eps):
    rng, counts, worst = np.random.default_rng(d), set(), 0.0
    for T in (2, 16, 128, 1024):
        network = two_layer_min_dot(d, T, eps)
        counts.add(network.count)
        cells = int(np.ceil(np.sqrt(3 * d / eps)))
        # Knots at 0 are parameters that happen to be 0: 2 d of them where `cells` is even.
        assert nonzero(network) == network.count - 2 * d * (cells % 2 == 0)
        assert network.count == 8 * d * cells + 4 * d + 9
        for X in products(d, T, eps, rng):
            worst = max(worst, abs(float(forward(network, X)) - (X @ X.T).min()))
    assert len(counts) == 1 and worst <= eps


def test_the_largest_weight_grows_like_log_T_over_eps():
    sizes = [largest_weight(two_layer_min_dot(3, T, eps)) for T in (16, 1024)
             for eps in (0.03, 0.003)]
    assert sizes[0] > 1 and sizes[1] / sizes[0] == pytest.approx(10, rel=0.1)
    assert sizes[2] / sizes[0] == pytest.approx(lambert(1023 / e) / lambert(15 / e), rel=0.1)


@pytest.mark.parametrize("D", [1, 2, 3, 4, 6])
def test_D_heads_in_two_layers_add_D_pairwise_maxima(D):
    """NMSE on Gaussian tokens, T = 64, d = 4: below the 2.2e-5 that a first version reached."""
    rng = np.random.default_rng(D)
    A, X = rng.normal(size=(D, 4, 4)), rng.normal(size=(12, 64, 4))
    assert np.abs(X).max() < 5
    network = pairwise_maxima(A, beta=60, cells=256, bound=5.0)
    assert network.count == D * pair_parameters(4, 16, 256)
    target = sum(np.einsum("bsd,de,bte->bst", X, a, X).max(axis=(1, 2)) for a in A)
    found = forward(network, X)
    assert np.mean((found - target) ** 2) / target.var() < 2.2e-5
    # The budget, for every input: B^2 d/N^2 + 2 W/beta for each of the D terms.
    B = [5 * max(1, np.abs(a).sum(axis=1).max()) for a in A]
    budget = sum(4 * b**2 / 256**2 + 2 * softmin_gap(64, 60) for b in B)
    assert np.abs(found - target).max() <= budget


@pytest.mark.parametrize("D", [1, 3])
@pytest.mark.parametrize("eps", [0.3, 0.01])
def test_an_accuracy_is_kept_for_sums_of_pairwise_maxima(D, eps):
    rng = np.random.default_rng(D)
    A = rng.normal(size=(D, 3, 3))
    network = pairwise_within(A, 32, eps)
    for X in products(3, 32, eps, rng):
        target = sum((X @ a @ X.T).max() for a in A)
        assert abs(float(forward(network, X)) - target) <= eps


@pytest.mark.parametrize("T", [2, 4, 32, 256])
@pytest.mark.parametrize("eps", [0.2, 0.02])
def test_two_layers_find_the_second_largest(T, eps):
    rng, w = np.random.default_rng(T), np.array([0.6, -0.8])
    network = second_largest(w, T, eps)
    assert nonzero(network) == network.count == 2 * T + 2 * 2 + 11
    for draw in range(8):
        X = rng.uniform(-0.7, 0.7, (T, 2))
        X[: draw % 3 * T // 2 + 1] = X[0]          # ties: none, half of the tokens, all
        assert abs(float(forward(network, X)) - np.sort(X @ w)[-2]) <= eps
    w /= np.abs(w).sum()                            # |w.x| <= 1 on the cube
    network = second_largest(w, T, eps)
    for X in scores(w, T, eps, rng):
        assert abs(float(forward(network, X)) - np.sort(X @ w)[-2]) <= eps


@pytest.mark.parametrize("T", [1, 2, 16, 256])
@pytest.mark.parametrize("eps", [0.2, 0.01])
def test_two_heads_in_two_layers_find_three_maxima(T, eps):
    """Heads times layers, 2, is below the number of maxima, 3: tokens relay one of them."""
    rng = np.random.default_rng(T)
    w = rng.normal(size=(3, 4))
    w /= np.abs(w).sum(axis=1, keepdims=True)
    network = relayed_maxima(w, T, eps)
    assert [len(layer.heads) for layer in network.layers] == [1, 1]
    assert nonzero(network) == network.count == 6 * 4 + 16
    for X in products(4, T, eps, rng):
        assert abs(float(forward(network, X)) - (X @ w.T).max(axis=0).sum()) <= eps


def test_networks_run_in_torch_as_in_numpy():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (3, 32, 3))
    network = two_layer_min_dot(3, 32, 0.03)
    found = forward(network, torch.asarray(X))
    assert isinstance(found, torch.Tensor)
    assert np.allclose(found.numpy(), forward(network, X), atol=1e-9)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(0, 20), min_size=1, max_size=60), st.floats(0.1, 50))
def test_a_softmax_average_is_near_the_minimum(gaps, beta):
    s = np.array([0.0, *gaps])
    p = np.exp(-beta * s)
    # Rounding of a sum of 60 numbers up to 20: 1e-12.
    assert p @ s / p.sum() <= softmin_gap(len(s), beta) + 1e-12


@pytest.mark.parametrize("T", [2, 8, 64, 1024])
def test_the_softmin_gap_is_attained(T):
    s = np.full(T, 1 + lambert((T - 1) / e))
    s[0] = 0
    p = np.exp(-s)
    assert p @ s / p.sum() == pytest.approx(softmin_gap(T, 1.0), rel=1e-13)
    assert softmin_gap(T, 1.0) <= np.log(T)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 50), st.floats(0.05, 2))
def test_hard_retrieval_is_near_the_best_value(seed, T, tau):
    rng = np.random.default_rng(seed)
    s, v = rng.normal(size=T), rng.normal(size=(T, 3))
    order = np.argsort(s)
    p = np.exp((s - s.max()) / tau)
    best = v[order[-1]]
    error = np.linalg.norm(p @ v / p.sum() - best)
    diam = np.linalg.norm(v - best, axis=1).max()
    assert error <= retrieval_error(T, s[order[-1]] - s[order[-2]], tau, diam) + 1e-12


@pytest.mark.parametrize("call", [
    lambda: two_layer_min_dot(0, 4, 0.1), lambda: two_layer_min_dot(2, 4, 0.0),
    lambda: two_layer_min_dot(2, 4, float("nan")), lambda: pairwise_maxima([[1, 2]], 1.0, 4),
    lambda: pairwise_maxima([np.full((2, 2), np.inf)], 1.0, 4), lambda: softmin_gap(4, 0.0),
    lambda: pairwise_maxima([np.eye(2)], 1.0, 0), lambda: second_largest([1.0], 1, 0.1),
    lambda: retrieval_error(3, -1.0, 1.0, 1.0), lambda: relayed_maxima(np.eye(2), 4, 0.1),
])
def test_bad_input_is_refused(call):
    with pytest.raises(ValueError, match=r"found .* needed"):
        call()
