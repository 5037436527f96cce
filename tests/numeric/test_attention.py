"""The Kuramoto layer against its naive reference, and the claims about it with their tolerances.

Claims by number as in the derivation pages: K1 identity, K5 inert self term, K7 rotary score, K8
relative position, K16 log-partition gradient, K23 torus, K24 global shift, K25 bound, K26
frozen Jacobian, K27 Jacobian at synchrony, K30 order parameters.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric import attention
from numeric.attention import kuramoto, reference, softmax
from numeric.attention.kuramoto import Parameters, Preset
from symbolic.table import table

T, K, H = 9, 8, 2
UNGATED = Preset(H, gates=False, value_gate=False, bound="none", ffn="none")
STILL = replace(UNGATED, drift=False)
GATED = Preset(H, ffn="none")


def layer(seed: int = 0, tokens: int = T, k: int = K, heads: int = H, lift: bool = False):
    rng = np.random.default_rng(seed)
    return (kuramoto.random_phases(rng, tokens, k),
            kuramoto.random_parameters(rng, k, heads, lift=lift))


def distance(a, b) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def on_circle(a, b) -> float:
    return distance(np.exp(1j * np.asarray(a)), np.exp(1j * np.asarray(b)))


def single(parameters: Parameters) -> Parameters:
    return kuramoto.converted(parameters, lambda x: np.asarray(x, dtype=np.float32))


def test_every_variant_has_a_forward():
    assert {"kuramoto", "reference", "softmax"} <= table(attention, "forward").keys()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 12), st.sampled_from([1, 2, 4, 6, 8]), st.data(),
       st.booleans(), st.booleans(), st.booleans(),
       st.sampled_from(kuramoto.BOUNDS), st.sampled_from(kuramoto.FEEDFORWARDS),
       st.integers(0, 2**32 - 1))
def test_fast_form_is_the_reference(tokens, k, data, gates, value, drift, bound, ffn, seed):
    heads = data.draw(st.sampled_from([h for h in (1, 2, 3, 4, 6, 8) if k % h == 0]))
    preset = Preset(heads, gates, value, drift, bound, ffn)
    theta, parameters = layer(seed, tokens, k, heads, lift=ffn == "lift")
    fast = kuramoto.forward(theta, parameters, preset)
    slow = reference.forward(theta, parameters, preset)
    scale = 1 + np.abs(slow.theta).max()
    for name in ("score", "attention", "re", "im", "increment", "delta", "theta"):
        assert distance(getattr(fast, name), getattr(slow, name)) < 1e-12 * scale * K, name
    assert np.all(fast.increment[0] == 0)


def test_k1_increment_is_a_sum_of_sines():
    theta, parameters = layer()
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 2e-6)):
        own = kuramoto.converted(parameters, lambda x, d=dtype: np.asarray(x, dtype=d))
        fast = kuramoto.step(theta.astype(dtype), own, GATED)
        assert fast.theta.dtype == dtype
        owner = np.arange(K) // (K // H)
        sines = np.sin(theta[None] - theta[:, None])
        exact = np.einsum("jtu,tuj->tj", fast.attention[owner], sines)
        assert distance(fast.increment, exact) < tolerance


@pytest.mark.parametrize("seed", range(20))
def test_k5_first_token_never_moves(seed):
    theta, parameters = layer(seed)
    for own, x in ((parameters, theta), (single(parameters), theta.astype(np.float32))):
        assert np.all(kuramoto.step(x, own, GATED).increment[0] == 0)


def test_k5_self_term_is_inert():
    theta, parameters = layer()
    out = kuramoto.step(theta, parameters, GATED)
    others = np.tril(out.attention, -1)
    assert distance(kuramoto.increment(theta, *kuramoto.mean(theta, others)),
                    out.increment) < 1e-14


def test_k7_score_is_a_sum_of_cosines():
    theta, parameters = layer()
    wanted = reference.forward(theta, parameters, GATED).score
    tolerance = 1e-12 * parameters.tau.max() * (K // H)
    assert distance(kuramoto.score(theta, parameters, GATED), wanted) < tolerance
    low = kuramoto.score(theta.astype(np.float32), single(parameters), GATED)
    assert distance(low, wanted) < 1e-5


def test_k8_only_relative_positions_matter():
    theta, parameters = layer()
    here = kuramoto.forward(theta, parameters, GATED, np.arange(T))
    there = kuramoto.forward(theta, parameters, GATED, np.arange(T) + 37)
    assert distance(here.theta, there.theta) < 1e-12
    assert distance(here.score, there.score) < 1e-11
    own, x = single(parameters), theta.astype(np.float32)
    assert distance(kuramoto.forward(x, own, GATED, np.arange(T)).theta,
                    kuramoto.forward(x, own, GATED, np.arange(T) + 37).theta) < 1e-4


def gradient_gap(preset: Preset, t: int = T - 1) -> float:
    """|a - (sqrt(d)/tau) dL_t/dtheta_t| with the keys frozen, by central differences."""
    theta, parameters = layer()
    a = kuramoto.step(theta, parameters, preset).increment[t]
    gq, gk = kuramoto.gates(theta, parameters, preset)
    omega = parameters.omega if preset.drift else np.zeros(K)
    d = K // H

    def log_partition(x):
        query = kuramoto.gates(x[None], parameters, preset)[0][0] if preset.gates else gq[t]
        lag = (t - np.arange(t + 1))[:, None]
        terms = query * gk[:t + 1] * np.cos(x - theta[:t + 1] + omega * lag)
        score = terms.reshape(t + 1, H, d).sum(-1) * parameters.tau / np.sqrt(d)
        return np.array([softmax.log_partition(score[:, h][None], causal=False)[0]
                         for h in range(H)])
    slope = np.empty(K)
    for j in range(K):
        step = 1e-6 * np.eye(K)[j]
        slope[j] = (log_partition(theta[t] + step) - log_partition(theta[t] - step))[j // d] / 2e-6
    return distance(a, slope * np.sqrt(d) / np.repeat(parameters.tau, d))


def test_k16_log_partition_gradient():
    assert gradient_gap(STILL) < 1e-7
    assert gradient_gap(UNGATED) > 1e-3
    assert gradient_gap(replace(STILL, gates=True)) > 1e-3


def test_k23_attention_step_is_a_map_of_the_torus():
    theta, parameters = layer()
    turns = 2 * np.pi * np.random.default_rng(1).integers(-3, 4, theta.shape)
    step = kuramoto.step(theta, parameters, GATED)
    turned = kuramoto.step(theta + turns, parameters, GATED)
    assert distance(turned.theta, step.theta + turns) < 1e-11
    own = single(parameters)
    low = kuramoto.step(theta.astype(np.float32), own, GATED)
    low_turned = kuramoto.step((theta + turns).astype(np.float32), own, GATED)
    assert distance(low_turned.theta, low.theta + turns) < 1e-4


def test_k23x_raw_feedforward_is_not():
    one = np.ones((1, 1))
    theta, parameters = layer(k=1, heads=1)
    parameters = replace(parameters, Wa=one, Wb=one, Wo=one, rho=1.0)
    zero, turn = np.zeros((1, 1)), np.full((1, 1), 2 * np.pi)
    unbounded = Preset(bound="none")
    assert kuramoto.feedforward(zero, parameters, unbounded) == 0
    assert kuramoto.feedforward(turn, parameters, unbounded) == pytest.approx(39.405, abs=5e-4)
    assert kuramoto.feedforward(turn, parameters) == pytest.approx(0.99968, abs=5e-6)
    theta, parameters = layer()
    turns = 2 * np.pi * np.random.default_rng(1).integers(-3, 4, theta.shape)
    raw = [kuramoto.feedforward(x, parameters, Preset(H)) for x in (theta, theta + turns)]
    assert on_circle(*raw) > 0.1
    theta, parameters = layer(lift=True)
    lift = [kuramoto.feedforward(x, parameters, Preset(H, ffn="lift"))
            for x in (theta, theta + turns)]
    assert distance(*lift) < 1e-11


def test_k24_global_shift():
    theta, parameters = layer()
    shift = np.random.default_rng(2).uniform(-np.pi, np.pi, K)
    a, b = (kuramoto.step(x, parameters, UNGATED) for x in (theta, theta + shift))
    for name in ("score", "attention", "increment"):
        assert distance(getattr(a, name), getattr(b, name)) < 1e-12, name
    assert distance(b.theta, a.theta + shift) < 1e-12
    turned = (a.re + 1j * a.im) * np.exp(1j * shift)
    assert distance(b.re + 1j * b.im, turned) < 1e-12
    own = single(parameters)
    c, d = (kuramoto.step(x.astype(np.float32), own, UNGATED) for x in (theta, theta + shift))
    assert distance(c.increment, d.increment) < 1e-5
    e, f = (kuramoto.step(x, parameters, GATED) for x in (theta, theta + shift))
    assert distance(f.theta, e.theta + shift) > 1e-3


def test_k24_readout_needs_its_prototypes_shifted():
    theta, _ = layer()
    rng = np.random.default_rng(3)
    prototypes, shift = rng.uniform(-np.pi, np.pi, (5, K)), rng.uniform(-1, 1, K)
    here = kuramoto.readout(theta, prototypes, beta=3.0, bias=np.arange(5.0))
    cosines = np.cos(theta[:, None] - prototypes).sum(-1) * 3 / np.sqrt(K) + np.arange(5.0)
    assert distance(here, cosines) < 1e-12
    both = kuramoto.readout(theta + shift, prototypes + shift, 3.0, np.arange(5.0))
    assert distance(here, both) < 1e-12
    assert distance(here, kuramoto.readout(theta + shift, prototypes, 3.0, np.arange(5.0))) > 1e-3


def test_k25_saturating_bound():
    rng = np.random.default_rng(4)
    m = rng.normal(size=(10_000, K)) * 10.0 ** rng.uniform(-3, 4, (10_000, 1))
    rho = 1.3
    out = kuramoto.bound(m, m, rho)
    rms = np.sqrt((out**2).mean(-1))
    assert rms.max() <= rho * (1 + 1e-15)
    assert np.abs(out).max() < rho * np.sqrt(K)
    assert np.all(np.sign(out) == np.sign(m))
    other = m + rng.normal(size=m.shape)
    quotient = (np.linalg.norm(out - kuramoto.bound(other, other, rho), axis=-1)
                / np.linalg.norm(m - other, axis=-1))
    assert quotient.max() <= 1 + 1e-9
    one = kuramoto.bound(np.array([[1000.0, 0, 0, 0]]), m, 1.0)[0, 0]
    assert one == pytest.approx(1.999996, abs=1e-6)


def test_matching_bound_keeps_the_norm_of_the_ungated_step():
    rng = np.random.default_rng(5)
    m, a = rng.normal(size=(2, 50, K))
    out = kuramoto.bound(m, a, 1.0, "NM-B")
    assert distance((out**2).mean(-1), (a**2).mean(-1)) < 1e-12
    assert np.all(kuramoto.bound(0 * m, a, 1.0, "NM-B") == 0)


def jacobian(f, theta, t: int, u: int, j: int, h: float = 1e-6) -> float:
    shift = np.zeros_like(theta)
    shift[u, j] = h
    return (f(theta + shift)[t, j] - f(theta - shift)[t, j]) / (2 * h)


def full_jacobian(f, theta, j: int) -> np.ndarray:
    tokens = len(theta)
    return np.array([[jacobian(f, theta, t, u, j) for u in range(tokens)]
                     for t in range(tokens)])


def test_k26_jacobian_with_frozen_attention():
    theta, parameters = layer()
    weights = kuramoto.step(theta, parameters, GATED).attention

    def frozen(x):
        return kuramoto.increment(x, *kuramoto.mean(x, weights))

    def live(x):
        return kuramoto.step(x, parameters, GATED).increment
    apart = 0.0
    for j in (0, K - 1):
        here = full_jacobian(frozen, theta, j)
        coupling = weights[j // (K // H)] * np.cos(theta[None, :, j] - theta[:, None, j])
        laplacian = np.diag(coupling.sum(1)) - coupling
        assert distance(here, -laplacian) < 1e-7
        assert distance(here.sum(1), 0) < 1e-7
        apart = max(apart, distance(full_jacobian(live, theta, j), here))
    assert apart > 1e-3


def test_k27_jacobian_at_synchrony_is_attention_minus_identity():
    theta, parameters = layer()
    theta = np.repeat(theta[:1], T, axis=0)
    weights = kuramoto.step(theta, parameters, GATED).attention
    value = (kuramoto.features(theta) @ parameters.Wv + parameters.bv)[0]
    for j in (0, K - 1):
        wanted = weights[j // (K // H)] - np.eye(T)
        live = full_jacobian(lambda x: kuramoto.step(x, parameters, GATED).increment, theta, j)
        assert distance(live, wanted) < 1e-7
        step = full_jacobian(lambda x: kuramoto.step(x, parameters, GATED).theta, theta, j)
        assert distance(step, np.eye(T) + value[j] * wanted) < 1e-7


def test_k30_order_parameters():
    theta, parameters = layer()
    out = kuramoto.step(theta, parameters, GATED)
    local, whole = kuramoto.local_order(out.re, out.im), kuramoto.global_order(theta)
    assert local.min() >= 0 and local.max() <= 1 + 1e-15
    assert whole.min() >= 0 and whole.max() <= 1
    own = np.repeat(np.diagonal(out.attention, axis1=1, axis2=2).T, K // H, axis=1)
    assert np.all(local >= 2 * own - 1 - 1e-12)
    uniform = np.full((1, T, T), 1 / T)
    assert distance(kuramoto.local_order(*kuramoto.mean(theta, uniform)),
                    np.broadcast_to(whole, (T, K))) < 1e-14
    splay = 2 * np.pi * np.arange(T)[:, None] / T
    assert kuramoto.local_order(*kuramoto.mean(splay, np.eye(T)[None])) == pytest.approx(1)
    assert kuramoto.global_order(splay) == pytest.approx(0, abs=1e-15)


def test_k30_self_excluded_order():
    theta, parameters = layer()
    weights = kuramoto.step(theta, parameters, GATED).attention
    found = kuramoto.excluded_order(theta, weights)
    for t, j in itertools.product((1, 4, T - 1), (0, K - 1)):
        row = weights[j // (K // H), t]
        wanted = abs(sum(row[u] * np.exp(1j * theta[u, j]) for u in range(t))) / (1 - row[t])
        assert found[t - 1, j] == pytest.approx(wanted, abs=1e-12)


def test_softmax_rows_support_and_partition():
    rng = np.random.default_rng(6)
    score = rng.normal(size=(2, 5, 5)) * 300
    weights = softmax.attention(score)
    assert distance(weights.sum(-1), 1) < 1e-15
    assert np.all(np.triu(weights, 1) == 0) and np.all(weights[:, 0, 0] == 1)
    assert distance(softmax.attention(score + 7.0), weights) < 1e-12
    full = softmax.attention(score, causal=False)
    wanted = np.log(np.exp(score - score.max()).sum(-1)) + score.max()
    assert distance(full.sum(-1), 1) < 1e-15
    small = score / 300
    wanted = np.log(np.exp(small).sum(-1))
    assert distance(softmax.log_partition(small, causal=False), wanted) < 1e-14
    q, k, v = rng.normal(size=(3, 4, 6))
    out = softmax.forward(q, k, v)
    row = np.exp(q[2] @ k[:3].T / np.sqrt(6))
    assert distance(out[2], row @ v[:3] / row.sum()) < 1e-14


def test_misuse_is_named():
    with pytest.raises(ValueError, match="NM-A"):
        Preset(bound="clip")
    theta, parameters = layer(k=6, heads=1)
    with pytest.raises(ValueError, match="heads must divide"):
        kuramoto.score(theta, parameters, Preset(4))
