"""Attention on unitary groups and rotations against its formulas (claims K31, K32, K34)."""

import numpy as np
import pytest

from numeric.attention import kuramoto, unitary
from numeric.slopes import slope


def matrices(seed, tokens=5, n=3, real=False):
    rng = np.random.default_rng(seed)
    return unitary.random_unitary(rng, tokens, n, real), rng


def skew(rng, n, real=False):
    Z = rng.normal(size=(n, n)) + (0 if real else 1j * rng.normal(size=(n, n)))
    return (Z - Z.conj().T) / 2


@pytest.mark.parametrize("real", [False, True])
def test_the_layer_written_out(real):
    X, _ = matrices(0, real=real)
    out = unitary.forward(X, tau=2.0, step=0.5)
    for t in range(5):
        score = [2 / 3 * np.trace(X[t].conj().T @ X[u]).real for u in range(t + 1)]
        weight = np.exp(score) / np.exp(score).sum()
        M = sum(w * x for w, x in zip(weight, X, strict=False))
        omega = (X[t].conj().T @ M - M.conj().T @ X[t]) / 2
        np.testing.assert_allclose(out.mean[t], M, atol=1e-14)
        np.testing.assert_allclose(out.drive[t], omega, atol=1e-14)
        series, term = np.eye(3, dtype=X.dtype), np.eye(3, dtype=X.dtype)
        for k in range(1, 40):
            term = term @ omega / (2 * k)
            series = series + term
        np.testing.assert_allclose(out.X[t], X[t] @ series, atol=1e-13)
    assert out.X.dtype == X.dtype
    assert np.abs(out.drive[0]).max() < 1e-16                # the first token is at rest


@pytest.mark.parametrize("real", [False, True])
def test_k31_the_drive_is_the_gradient(real):
    X, rng = matrices(1, real=real)
    M = rng.normal(size=(3, 3)) + (0 if real else 1j * rng.normal(size=(3, 3)))
    omega = unitary.drive(X[0], M)
    for _ in range(4):
        way = skew(rng, 3, real)
        moved, error = slope(
            lambda h, way=way: float(unitary.energy(X[0] @ unitary.exponential(h * way), M)),
            [0.1], 1e-11)
        assert abs(moved - np.trace(way.conj().T @ omega).real) < 1e-7 and error < 1e-8
    np.testing.assert_allclose(omega, -omega.conj().T, atol=1e-16)


def test_k31_at_size_one_it_is_the_kuramoto_increment():
    theta = np.random.default_rng(2).uniform(-3, 3, (6, 1))
    out = unitary.forward(np.exp(1j * theta)[:, :, None], tau=1.3)
    re, im = kuramoto.mean(theta, out.attention[None])
    a = kuramoto.increment(theta, re, im)
    np.testing.assert_allclose(out.drive[:, :, 0], 1j * a, atol=1e-15)
    np.testing.assert_allclose(out.X[:, :, 0], np.exp(1j * (theta + a)), atol=1e-14)
    np.testing.assert_allclose(out.score, 1.3 * np.cos(theta - theta.T), atol=1e-14)


def test_k31_the_polar_factor_is_the_maximiser_with_value_the_nuclear_norm():
    rng = np.random.default_rng(3)
    M = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    best = unitary.energy(unitary.polar(M), M)
    assert abs(best - np.linalg.svd(M)[1].sum()) < 1e-12
    assert np.all(unitary.energy(unitary.random_unitary(rng, 20_000, 3), M) <= best)
    np.testing.assert_allclose(unitary.drive(unitary.polar(M), M), 0, atol=1e-14)


def test_k31_ascent_by_exponential_steps_is_monotone():
    X, rng = matrices(4, 1)
    M = (rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))) / 3
    X, energies = X[0], []
    for _ in range(200):
        energies.append(float(unitary.energy(X, M)))
        X = X @ unitary.exponential(unitary.drive(X, M))
    assert np.diff(energies).min() > -1e-13
    assert abs(energies[-1] - np.linalg.svd(M)[1].sum()) < 1e-9
    np.testing.assert_allclose(X.conj().T @ X, np.eye(3), atol=1e-12)


def test_k32_the_special_group_needs_its_trace_removed_from_size_three():
    for n in (2, 3, 4):
        X, _ = matrices(5, 4, n)
        X = X / np.linalg.det(X)[:, None, None] ** (1 / n)
        plain, special = unitary.forward(X), unitary.forward(X, special=True)
        np.testing.assert_allclose(np.linalg.det(special.X), 1, atol=1e-12)
        trace = np.abs(np.trace(plain.drive, axis1=1, axis2=2)).max()
        assert (trace < 1e-14) == (n == 2)
        assert n == 2 or np.abs(np.linalg.det(plain.X) - 1).max() > 1e-3


def test_k34_rotations_couple_by_the_sine_and_stay_rotations():
    phi, axis = 0.7, np.array([2, -1, 2]) / 3
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    R = unitary.exponential(phi * cross)
    np.testing.assert_allclose(unitary.drive(np.eye(3), R), np.sin(phi) * cross, atol=1e-15)
    assert abs(np.trace(R) - 1 - 2 * np.cos(phi)) < 1e-14
    X, _ = matrices(6, real=True)
    out = unitary.forward(X, tau=3.0)
    assert out.X.dtype == np.float64
    np.testing.assert_allclose(np.linalg.det(out.X), 1, atol=1e-13)
    np.testing.assert_allclose(out.X @ np.swapaxes(out.X, 1, 2), np.tile(np.eye(3), (5, 1, 1)),
                               atol=1e-13)


@pytest.mark.parametrize("real", [False, True])
def test_both_translations_commute_with_the_layer(real):
    X, rng = matrices(7, real=real)
    G, H = unitary.random_unitary(rng, 2, 3, real)
    here, there = unitary.forward(X, 2.0), unitary.forward(G @ X @ H, 2.0)
    np.testing.assert_allclose(there.score, here.score, atol=1e-13)
    np.testing.assert_allclose(there.X, G @ here.X @ H, atol=1e-12)


def test_tokens_synchronise():
    X, _ = matrices(8, 6)
    spread = [np.abs(X - X[0]).max()]
    for _ in range(100):
        X = unitary.forward(X, tau=1.0, causal=True).X
        spread.append(np.abs(X - X[0]).max())
    assert spread[-1] < 1e-3 < 0.5 < spread[0]


def test_torch_says_the_same():
    torch = pytest.importorskip("torch")
    for real in (False, True):
        X, _ = matrices(9, real=real)
        found = unitary.forward(torch.tensor(X), 2.0, special=not real).X
        wanted = unitary.forward(X, 2.0, special=not real).X
        assert np.abs(found.numpy() - wanted).max() < 1e-12
