"""Particles follow the layer of their own law: fields, flows, masks, energies, blow-up, misuse."""

from dataclasses import replace

import numpy as np
import pytest

from numeric import energy, gaussian
from numeric.attention import multihead, softmax
from numeric.flow import Model, by_score, field, flow, masses
from numeric.model import VARIANTS, score
from numeric.slopes import slope


def model(variant, seed=0, d=2, k=2, size=0.7):
    rng = np.random.default_rng(seed)
    shape = (2,) if variant == "multihead" else ()
    return Model(variant, *(size * rng.normal(size=(*shape, rows, d)) for rows in (k, k, d)), 0.8)


def tokens(seed=1, n=12, d=2):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_t1_the_orientation_of_the_score():
    """The score of x and y is <Qx, Ky> = <Ax, y>: X A' X', not X A X'."""
    S, A, V = np.array([[2, 1], [1, 1]]), np.array([[1, 2], [0, 1]]), np.array([[0, 1], [-1, 1]])
    y = np.random.default_rng(2).multivariate_normal((1, 0), S, 400_000)
    x = np.array([[0.2, 0.1]])
    found = field(by_score("softmax", A, V), x, y)[0]
    right = V @ ((1, 0) + S @ A @ x[0])
    wrong = V @ ((1, 0) + S @ A.T @ x[0])
    assert np.abs(found - right).max() < 0.02 < 0.1 < np.abs(found - wrong).max()
    assert np.array_equal(score(Model("softmax", [[1, 2]], [[3, 5]], np.eye(2))),
                          [[3, 6], [5, 10]])


def test_one_layer_serves_particles_and_transformer_blocks():
    m, x = model("softmax"), tokens()
    block = softmax.forward(x @ m.Q.T, x @ m.K.T, x @ m.V.T, scale=1.0, causal=False)
    assert np.array_equal(field(m, x, x), block)
    m = model("multihead")
    heads = [x @ np.swapaxes(w, 1, 2) for w in (m.Q, m.K, m.V)]
    block = multihead.forward(*heads, output=np.stack([np.eye(2)] * 2), scale=1.0, causal=False)
    np.testing.assert_allclose(field(m, x, x), block, rtol=1e-14)
    step = flow(m, x, 1e-6, steps=1).tokens[-1]
    np.testing.assert_allclose((step - x) / 1e-6, block, atol=1e-5)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v != "hardmax"])
def test_change_of_basis(variant):
    """S11 for particles: x -> Gx with Q, K -> QG^{-1}, KG^{-1} and V -> GVG^{-1}."""
    m, x, G = model(variant), tokens(), np.array([[1.0, 0.5], [-0.3, 2.0]])
    back = np.linalg.inv(G)
    turned = Model(variant, m.Q @ back, m.K @ back, G @ m.V @ back, m.eps)
    here, there = flow(m, x, 0.4, samples=2), flow(turned, x @ G.T, 0.4, samples=2)
    np.testing.assert_allclose(there.tokens[-1], here.tokens[-1] @ G.T, atol=1e-6)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v != "hardmax"])
def test_equal_steps_and_adaptive_steps_agree(variant):
    m, x = model(variant), tokens()
    exact = flow(m, x, 0.5, samples=1, rtol=1e-11).tokens[-1]
    errors = [np.abs(flow(m, x, 0.5, steps=n).tokens[-1] - exact).max() for n in (5, 10)]
    assert errors[1] < 1e-4 and errors[0] / errors[1] > 9      # of order 4: a factor of 16


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_libraries(library):
    module = pytest.importorskip(library)
    x = tokens()
    for variant in ("softmax", "multihead", "linear"):
        m = model(variant)
        wanted = flow(m, x, 0.5, steps=5).tokens[-1]
        if library == "torch":
            def convert(a):
                return module.tensor(a)
        else:
            def convert(a):
                return module.numpy.asarray(a)
        theirs = Model(variant, *(convert(a) for a in (m.Q, m.K, m.V)))
        found = flow(theirs, convert(x), 0.5, steps=5).tokens[-1]
        assert np.abs(np.asarray(found) - wanted).max() < (1e-13 if library == "torch" else 1e-5)


def test_linear_particles_follow_an_affine_field():
    """Their empirical law obeys the Gaussian equations exactly and conserves S_{|Q} (C6)."""
    m, x = model("linear", d=3, k=1), tokens(n=30, d=3)
    mean, S = x.mean(0), np.cov(x.T, bias=True)
    S = (S + S.T) / 2
    path = flow(m, x, 0.5, samples=3, rtol=1e-12)
    run = gaussian.integrate(m, mean, S, 0.5, 3)
    for y, m_t, C in zip(path.tokens, run.means, run.covariances, strict=True):
        np.testing.assert_allclose(y.mean(0), m_t, atol=1e-9)
        np.testing.assert_allclose(np.cov(y.T, bias=True), C, atol=1e-9)
        kept = gaussian.conditional(np.cov(y.T, bias=True), m.Q) - gaussian.conditional(S, m.Q)
        assert np.abs(kept).max() < 1e-9
    assert np.abs(run.covariances[-1] - S).max() > 0.01


def test_softmax_particles_do_not_conserve_it():
    m, x = model("softmax", d=3, k=1, size=1.5), tokens(n=30, d=3)
    start, end = (gaussian.conditional(np.cov(y.T, bias=True), m.Q)
                  for y in flow(m, x, 0.5, samples=2).tokens)
    assert np.abs(end - start).max() > 1e-3


def test_a_single_linear_token_blows_up():
    """C3: one token obeys x' = va x^3, so that compact support is no protection."""
    path = flow(by_score("linear", 1, 1), [[1.0]], 1.0, samples=11)
    assert path.status == "blow_up" and abs(path.blow_up - 0.5) < 1e-7
    assert np.isfinite(path.tokens).all() and path.times[-1] < 0.5
    np.testing.assert_allclose(path.tokens[:5, 0, 0], 1 / np.sqrt(1 - 2 * path.times[:5]),
                               rtol=1e-7)
    steps = flow(by_score("linear", 1, 1), [[1.0]], 1.0, steps=50)
    assert steps.status == "failed" and steps.blow_up is None and "overflowed" in steps.note
    assert np.isfinite(steps.tokens).all() and len(steps.times) == len(steps.tokens)


def test_c9_blow_up_needs_unbounded_support():
    """|x_i(t)| <= R0 e^{|V|t}, long after T* = 0.5 of the Gaussian; the variance stays finite."""
    x = np.random.default_rng(3).normal(size=(100, 1))
    path = flow(by_score("softmax", 1, 1), x, 1.0, samples=5)
    assert path.status == "reached"
    for t, y in zip(path.times, path.tokens, strict=True):
        assert np.abs(y).max() <= np.abs(x).max() * np.exp(t) * (1 + 1e-9)
    assert gaussian.integrate(by_score("softmax", 1, 1), 0, 1, 1.0).status == "blow_up"


def test_masked_tokens_see_the_past_and_ties():
    m, x = model("softmax"), tokens(n=6)
    places = np.array([0, 0, 0.3, 0.5, 0.5, 1])
    out = field(m, x, x, positions=(places, places))
    for i, place in enumerate(places):
        past = x[places <= place]
        np.testing.assert_allclose(out[i], field(m, x[i:i + 1], past)[0], rtol=1e-12)
    end = flow(m, x, 0.7, samples=1, positions=places).tokens[-1]
    first = flow(m, x[:3], 0.7, samples=1, positions=places[:3]).tokens[-1]
    np.testing.assert_allclose(end[:3], first, atol=1e-7)      # the future does not matter
    assert np.abs(end - flow(m, x, 0.7, samples=1).tokens[-1]).max() > 1e-2


def test_a_sink_carries_its_mass():
    places = np.array([0, 0, 0.5, 0.7, 1])
    np.testing.assert_allclose(masses(places, 0.4), [0.2, 0.2, 0.2, 0.2, 0.2])
    np.testing.assert_allclose(masses(places, 0.1), [0.05, 0.05, 0.3, 0.3, 0.3])
    assert masses([0, 0], 1.0).tolist() == [0.5, 0.5]
    m, x = model("softmax"), tokens(n=5)
    heavy = flow(m, x, 0.5, samples=1, positions=places, sink=0.9).tokens[-1]
    light = flow(m, x, 0.5, samples=1, positions=places, sink=0.1).tokens[-1]
    assert np.abs(heavy - light).max() > 1e-2


def test_c12_a_sink_bounds_what_early_tokens_can_do():
    """|Gamma_mu - Gamma_nu| <= (c/th) W: perturbing early tokens matters less with a heavy sink."""
    rng, n = np.random.default_rng(4), 200
    places = np.r_[0, np.linspace(0.01, 1, n - 1)]
    x = rng.uniform(-1, 1, (n, 2))
    y = x.copy()
    y[1:4] += 0.01
    m, gains = by_score("softmax", np.eye(2), np.eye(2)), []
    for sink in (1e-3, 1e-2, 0.1, 0.5):
        weights = masses(places, sink)
        moved = [field(m, x, z, weights, positions=(places, places)) for z in (x, y)]
        apart = weights[1:4].sum() * 0.01 * np.sqrt(2)
        gains.append(np.abs(moved[1] - moved[0]).max() / apart)
        assert gains[-1] <= 5 * np.exp(4) / sink   # c_R = |V|(1 + 2|A|R^2)e^{2|A|R^2}, R^2 = 2
    assert gains == sorted(gains, reverse=True) and gains[0] > 5 * gains[-1]


def test_c12_product_laws_evolve_as_without_mask():
    """At every position the same tokens: a late token sees the whole law, as does an early one."""
    m, x = model("softmax"), tokens(n=5)
    both = np.concatenate([x, x, x])
    places = np.repeat([0.0, 0.5, 1.0], 5)
    masked = flow(m, both, 0.6, samples=1, positions=places).tokens[-1]
    np.testing.assert_allclose(masked, np.tile(flow(m, x, 0.6, samples=1).tokens[-1], (3, 1)),
                               atol=1e-7)


@pytest.mark.parametrize("sign", [-1, 1])
def test_c15_energy_is_monotone(sign):
    path = flow(by_score("softmax", sign * np.eye(2), np.eye(2)), tokens(n=80), 1.0, samples=21)
    along = [energy.log_energy(by_score("softmax", sign * np.eye(2), np.eye(2)), x)
             for x in path.tokens]
    assert np.all(sign * np.diff(along) > 0)
    x = path.tokens[0]
    plain = np.log(np.exp(sign * x @ x.T).mean() / 2)
    assert abs(along[0] - plain) < 1e-13
    assert energy.log_energy(by_score("softmax", np.eye(2), np.eye(2)), 100 * x) > 1e4


def test_c4_sinkhorn_particles_descend_their_energy():
    A = np.array([[0.6, 0.2], [0.2, -0.4]])
    m, back, x = by_score("sinkhorn", A, A, 0.7), by_score("sinkhorn", A, -A, 0.7), tokens(n=20)

    def along(h):
        end = flow(m if h >= 0 else back, x, abs(h), samples=1, rtol=1e-12).tokens[-1]
        return energy.sinkhorn_energy(m, end)
    wanted = (field(m, x, x) ** 2).sum(1).mean()
    assert abs(slope(along, [0.1], 1e-12)[0] + wanted) < 1e-8 < wanted
    with pytest.raises(ValueError, match="log_energy: variant: found 'sinkhorn'"):
        energy.log_energy(m, x)


def test_matrices_may_depend_on_time():
    m, x = model("softmax"), tokens()
    turning = replace(m, V=lambda t: (1 + t) * m.V)
    early, late = field(turning, x, x), field(turning, x, x, t=1.0)
    np.testing.assert_allclose(late, 2 * early)
    # With V scaled by 1 + t time runs faster: tau = t + t^2/2.
    np.testing.assert_allclose(flow(turning, x, 1.0, samples=1).tokens[-1],
                               flow(m, x, 1.5, samples=1).tokens[-1], atol=1e-6)


def test_masses_count_tokens():
    m, x, counts = model("softmax"), tokens(n=4), np.array([1, 3, 2, 1])
    heavy = flow(m, x, 0.5, samples=1, weights=counts / counts.sum()).tokens[-1]
    many = flow(m, np.repeat(x, counts, 0), 0.5, samples=1).tokens[-1]
    np.testing.assert_allclose(np.repeat(heavy, counts, 0), many, atol=1e-7)


def test_time_is_watched():
    seen = []
    flow(model("softmax"), tokens(), 0.5, watch=seen.append)
    assert seen[0] == 0 and max(seen) <= 0.5 and len(seen) > 10


GOOD = {"model": model("softmax"), "tokens": np.zeros((4, 2)), "horizon": 1.0}
BAD = {
    "flow: tokens: found shape .0, 2.": {"tokens": np.zeros((0, 2))},
    "flow: tokens: found shape .4, 3.": {"tokens": np.zeros((4, 3))},
    "flow: tokens: found shape .4,.": {"tokens": np.zeros(4)},
    "flow: tokens: found nan or inf": {"tokens": [[0, np.nan]]},
    "flow: horizon: found -1": {"horizon": -1},
    "flow: horizon: found nan": {"horizon": np.nan},
    "flow: steps: found 0": {"steps": 0},
    "flow: samples: found -3": {"samples": -3},
    "weights: found shape .* with sum 4": {"weights": np.ones(4)},
    "flow: positions: found shape": {"positions": [0, 1, 2, 3]},
    "flow: sink: found 0.0": {"positions": [0, 0.1, 0.2, 0.3], "sink": 0.0},
    "flow: sink: found 1.5": {"positions": [0, 0.1, 0.2, 0.3], "sink": 1.5},
    "flow: sink: found a sink without positions": {"sink": 0.5},
    "sees no mass": {"positions": [0, 0.1, 0.2, 0.3], "weights": [0, 0.5, 0.5, 0]},
    "flow: positions: found a mask for sinkhorn": {
        "model": model("sinkhorn"), "positions": [0, 0.1, 0.2, 0.3]},
}


@pytest.mark.parametrize("message", BAD)
def test_misuse_names_the_argument(message):
    with pytest.raises(ValueError, match=message) as fault:
        flow(**{**GOOD, **BAD[message]})
    assert "needed" in str(fault.value)


def test_libraries_are_not_mixed_in_silence():
    torch = pytest.importorskip("torch")
    m, x = model("softmax"), torch.zeros(4, 2, dtype=torch.float64)
    with pytest.raises(ValueError, match="flow: tokens: found arrays of another library"):
        flow(m, x, 1.0)
    with pytest.raises(ValueError, match="Model: Q, K, V: found arrays of different libraries"):
        replace(m, Q=torch.zeros(2, 2, dtype=torch.float64))
    theirs = Model("softmax", *(torch.tensor(a) for a in (m.Q, m.K, m.V)))
    with pytest.raises(ValueError, match="flow: tokens: found Tensor without `steps`"):
        flow(theirs, x, 1.0)
    weights = torch.full((4,), 0.25, dtype=torch.float64, requires_grad=True)
    assert field(theirs, x + 1, x + 1, weights).requires_grad
