"""The formulas of numeric.gaussian are what layers do on Gaussian tokens, on lines and drawn."""

import numpy as np
import pytest

from numeric import gaussian, tilting
from numeric.model import CLOSED, Model

d, k = 3, 2


def case(variant, seed, size=0.5):
    rng = np.random.default_rng(seed)
    shape = ((2,) if variant == "multihead" else ())
    Q, K = (rng.normal(size=(*shape, k, d)) * size for _ in range(2))
    V, G = rng.normal(size=(*shape, d, d)), rng.normal(size=(d, d)) * 0.6
    model = Model(variant, Q, K, V, eps=0.8)
    return model, rng.normal(size=d), rng.normal(size=d), G @ G.T + 0.2 * np.eye(d), rng


def affine(model, x, mean, S):
    b, B = gaussian.velocity(model, mean, S)
    return b + B @ (x - mean)


@pytest.mark.parametrize("variant", CLOSED)
@pytest.mark.parametrize("seed", range(3))
def test_lines_give_the_affine_field(variant, seed):
    model, x, mean, S, _ = case(variant, seed, size=1.5)
    exact = affine(model, x, mean, S)
    assert tilting.field(model, x, mean, S) == pytest.approx(exact, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("variant", CLOSED)
def test_lines_on_a_singular_covariance(variant):
    model, x, mean, S, _ = case(variant, 5)
    S = np.diag([1.0, 0.5, 0.0])
    exact = affine(model, x, mean, S)
    assert tilting.field(model, x, mean, S) == pytest.approx(exact, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("variant", CLOSED)
@pytest.mark.parametrize("seed", range(2))
def test_a_million_samples_agree_within_five_standard_errors(variant, seed):
    """Where the weights have a variance that the sample can show (small scores)."""
    model, x, mean, S, rng = case(variant, seed)
    found, error = tilting.sampled(model, x, mean, S, rng, 10**6)
    assert (error > 0).all() and error.max() < 0.05
    assert (np.abs(found - affine(model, x, mean, S)) < 5 * error).all()


def test_a_wrong_formula_is_seen_by_the_sample():
    """A' in place of A is many standard errors away: the comparison can fail."""
    model, x, mean, S, rng = case("softmax", 0)
    found, error = tilting.sampled(model, x, mean, S, rng, 10**6)
    turned = model.V @ (mean + S @ (model.Q.T @ model.K) @ x)
    assert (np.abs(found - turned) > 5 * error).any()


def test_particles_of_sinkhorn_follow_the_closed_field():
    """Sinkhorn on a quadrature of the law, its potentials found by sweeps and not put in."""
    from numeric import flow

    nodes, masses = np.polynomial.hermite_e.hermegauss(60)
    model = Model("sinkhorn", [[1.1]], [[0.8]], [[0.7]], eps=0.9)
    tokens = 0.4 + 0.8 * nodes[:, None]
    x = np.array([[-0.5], [0.4], [1.3]])
    found = flow.field(model, x, tokens, masses / masses.sum())
    exact = [affine(model, one, np.array([0.4]), np.array([[0.64]])) for one in x]
    assert found == pytest.approx(np.array(exact), abs=1e-8)


def test_sigmoid_is_refused():
    with pytest.raises(ValueError, match="sigmoid"):
        tilting.field(Model("sigmoid", np.eye(2), np.eye(2), np.eye(2)), np.zeros(2), np.zeros(2),
                      np.eye(2))
