"""Lipschitz constants hold on samples: laws of few tokens, W_1 by exact assignment."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from numeric.flow import Model, field
from numeric.stability.lipschitz import CONSTANTS, among_tokens, lipschitz, stability

D, N = 2, 6


def model_of(variant, rng):
    heads = (2,) if variant == "multihead" else ()
    Q, K, V = (rng.normal(size=(*heads, D, D)) * 0.7 for _ in "QKV")
    return Model(variant, Q, K, V)


def in_ball(rng, n, R=1.0):
    x = rng.normal(size=(n, D))
    return x / np.linalg.norm(x, axis=1)[:, None] * R * rng.uniform(0, 1, (n, 1)) ** 0.5


def w1(x, y):
    cost = np.linalg.norm(x[:, None] - y[None], axis=-1)
    return cost[linear_sum_assignment(cost)].mean()


@pytest.mark.parametrize("variant", CONSTANTS)
def test_no_sample_moves_faster(variant):
    rng, worst = np.random.default_rng(1), np.zeros(2)
    for _ in range(40):
        model, mu = model_of(variant, rng), in_ball(rng, N)
        step = 10 ** rng.uniform(-4, 0)
        nu = mu + step * (in_ball(rng, N) - mu) * (rng.random((N, 1)) < 0.4)
        bound = lipschitz(model, 1.0)
        if variant == "sinkhorn":       # the field is known at the tokens of the law
            x = mu[:1]
            law = np.vstack([x, nu[1:]])
            moved = field(model, law, law)[0] - field(model, mu, mu)[0]
            if np.any(law != mu):
                worst[1] = max(worst[1], np.linalg.norm(moved) / w1(mu, law) / bound.in_law)
            continue
        x, y = in_ball(rng, 2)
        turned = (field(model, np.array([x]), mu) - field(model, np.array([y]), mu))[0]
        worst[0] = max(worst[0], np.linalg.norm(turned) / np.linalg.norm(x - y) / bound.in_x)
        if np.any(nu != mu):
            moved = (field(model, np.array([x]), mu) - field(model, np.array([x]), nu))[0]
            worst[1] = max(worst[1], np.linalg.norm(moved) / w1(mu, nu) / bound.in_law)
    assert worst.max() <= 1 and worst[1] > 1e-6


def test_a_sink_divides_the_constant():
    model = model_of("softmax", np.random.default_rng(2))
    free, masked = lipschitz(model, 1.0), lipschitz(model, 1.0, sink=0.1)
    assert masked.in_law == pytest.approx(10 * free.in_law) and masked.in_x == free.in_x
    with pytest.raises(ValueError, match="^sink"):
        lipschitz(model, 1.0, sink=0.0)


def test_the_quoted_constant_for_n_tokens_holds_on_samples():
    rng = np.random.default_rng(3)
    for n in (2, 5, 12):
        model = model_of("softmax", rng)
        A = model.K.T @ model.Q
        X = in_ball(rng, n)
        for _ in range(20):
            Y = X + 1e-3 * rng.normal(size=X.shape)
            R = max(np.linalg.norm(Z, axis=1).max() for Z in (X, Y))
            moved = np.linalg.norm(field(model, X, X) - field(model, Y, Y))
            assert moved <= among_tokens(A, model.V, R, n) * np.linalg.norm(X - Y)


def test_flows_stay_within_the_stability_bound():
    from numeric.flow import flow

    rng = np.random.default_rng(4)
    model = Model("softmax", np.eye(2) * 0.5, np.eye(2) * 0.5, np.eye(2) * 0.4)
    X = in_ball(rng, 8)
    Y = X + 0.05 * rng.normal(size=X.shape)
    R = max(np.linalg.norm(Z, axis=1).max() for Z in (X, Y))
    ends = [flow(model, Z, 0.5).tokens[-1] for Z in (X, Y)]
    assert w1(*ends) <= stability(model, R, 0.5) * w1(X, Y)


def test_misuse_names_the_argument():
    model = model_of("softmax", np.random.default_rng(5))
    with pytest.raises(ValueError, match="^R"):
        lipschitz(model, -1.0)
    with pytest.raises(ValueError, match="^variant"):
        lipschitz(Model("hardmax", *np.ones((3, 1, 1))), 1.0)
    with pytest.raises(ValueError, match="^variant"):
        stability(Model("linear", *np.ones((3, 1, 1))), 1.0, 1.0)
    with pytest.raises(ValueError, match="^model"):
        lipschitz(Model("softmax", np.eye(2), np.eye(2), lambda t: np.eye(2) * t), 1.0)
