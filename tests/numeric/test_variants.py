"""Attention variants against sums written out, in blocks, in three libraries, at huge scores."""

from itertools import pairwise

import numpy as np
import pytest

from numeric.attention import hardmax, l2, linear, multihead, sigmoid, sinkhorn, softmax

ROWS = {"softmax": softmax, "l2": l2, "linear": linear, "sigmoid": sigmoid, "hardmax": hardmax}
WEIGHT = {  # of a key with score s and squared distance r; whether rows are divided by their sum
    "softmax": (lambda s, r: np.exp(s), True), "l2": (lambda s, r: np.exp(-r), True),
    "linear": (lambda s, r: s, False), "sigmoid": (lambda s, r: 1 / (1 + np.exp(-s)), False),
    "hardmax": (None, True),
}
T, S, D, E = 7, 9, 3, 2


def arrays(seed=0, size=1.0):
    rng = np.random.default_rng(seed)
    mass = rng.random(S)
    return (*(size * rng.normal(size=shape) for shape in ((T, D), (S, D), (S, E))),
            mass / mass.sum(), rng)


def written_out(name, query, key, value, seen, mass):
    """One query after another, one key after another."""
    weight, divided = WEIGHT[name]
    out = []
    for q, row in zip(query, seen, strict=True):
        law = np.where(row, mass, 0) / mass[row].sum()
        scores = [float(q @ k) for k in key]
        if name == "hardmax":
            top = max(s for s, m in zip(scores, law, strict=True) if m > 0)
            w = law * [s == top for s in scores]
        else:
            w = law * [weight(s, ((q - k) ** 2).sum()) for s, k in zip(scores, key, strict=True)]
        out.append(w @ value / (w.sum() if divided else 1))
    return np.array(out)


@pytest.mark.parametrize("mask", ["none", "causal", "positions"])
@pytest.mark.parametrize("name", ROWS)
def test_a_variant_is_its_sum_written_out(name, mask):
    query, key, value, mass, rng = arrays()
    places = rng.integers(0, 4, T).astype(float), rng.integers(0, 4, S).astype(float)
    places[1][0] = 0.0
    seen = {"none": np.ones((T, S), bool), "causal": np.tril(np.ones((T, S), bool)),
            "positions": places[1][None] <= places[0][:, None]}[mask]
    for weights in (None, mass):
        own = np.full(S, 1 / S) if weights is None else weights
        wanted = written_out(name, query, key, value, seen, own)
        for block in (None, 1, 3):
            found = ROWS[name].forward(
                query, key, value, scale=1.0, causal=mask == "causal", weights=weights, block=block,
                positions=places if mask == "positions" else None)
            np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("name", [*ROWS, "sinkhorn", "multihead"])
def test_libraries_agree_and_keep_their_dtype(name, library):
    module = pytest.importorskip(library)
    rng = np.random.default_rng(1)
    shape = (2, S, D) if name == "multihead" else (S, D)
    data = [rng.normal(size=shape) for _ in range(3)]
    forward = {**ROWS, "sinkhorn": sinkhorn, "multihead": multihead}[name].forward
    wanted = forward(*data)
    for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-5)):
        if library == "jax":
            if dtype == "float64":
                continue    # x64 is a switch of the whole process
            theirs = [module.numpy.asarray(x, dtype=dtype) for x in data]
        else:
            theirs = [module.tensor(x, dtype=getattr(module, dtype)) for x in data]
        options = {"tolerance": 1e-6} if name == "sinkhorn" else {}
        if options:
            g = sinkhorn.potentials(theirs[0], theirs[1], **options)[1]
            options = {"potential": g}
        found = forward(*theirs, **options)
        assert str(found.dtype).endswith(dtype)
        assert np.abs(np.asarray(found) - wanted).max() < tolerance


@pytest.mark.parametrize("name", ROWS)
def test_scores_of_any_size_do_not_overflow(name):
    query, key, value, mass, _ = arrays(2, size=1e3)      # scores about 1e6
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        out = ROWS[name].forward(query, key, value, scale=1.0, causal=False, weights=mass)
    assert np.isfinite(out).all()
    if name in ("softmax", "hardmax"):
        best = value[(query @ key.T).argmax(1)]
        np.testing.assert_allclose(out, best, rtol=1e-12)


@pytest.mark.parametrize("name", [*ROWS, "sinkhorn"])
def test_a_mass_is_a_number_of_equal_tokens(name):
    query, key, value, *_ = arrays(3)
    counts = np.array([1, 2, 3, 1, 1, 4, 1, 2, 1])
    if name == "sinkhorn":
        query = np.random.default_rng(4).normal(size=(S, D))
        g = sinkhorn.potentials(query, key, weights=counts / counts.sum())[1]
        g_all = sinkhorn.potentials(*(np.repeat(x, counts, 0) for x in (query, key)))[1]
        heavy = sinkhorn.forward(query, key, value, weights=counts / counts.sum(), potential=g)
        many = sinkhorn.forward(query, np.repeat(key, counts, 0), np.repeat(value, counts, 0),
                                potential=g_all)
    else:
        forward = ROWS[name].forward
        heavy = forward(query, key, value, causal=False, weights=counts / counts.sum())
        many = forward(query, np.repeat(key, counts, 0), np.repeat(value, counts, 0), causal=False)
    np.testing.assert_allclose(heavy, many, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("eps", [0.2, 1.0, 5.0])
def test_sinkhorn_rows_and_columns_have_mass_one(eps):
    rng = np.random.default_rng(5)
    query, key = rng.normal(size=(2, 60, 3))
    weights = rng.random(60)
    weights[3] = 0.0
    weights /= weights.sum()
    f, g = sinkhorn.potentials(query, key, eps, weights)
    kernel = np.exp((query @ key.T + f[:, None] + g) / eps)
    np.testing.assert_allclose(kernel @ weights, 1, atol=1e-11)
    np.testing.assert_allclose(weights @ kernel, 1, atol=1e-11)
    out = sinkhorn.forward(query, key, key, eps, weights=weights)
    np.testing.assert_allclose(out, (kernel * weights) @ key, atol=1e-10)


def test_sinkhorn_survives_scores_that_overflow_its_kernel():
    rng = np.random.default_rng(6)
    query = 40 * rng.normal(size=(12, 2))              # scores up to some thousands
    f, g = sinkhorn.potentials(query, query, 50.0)
    assert np.abs(query @ query.T / 50).max() > 50
    kernel = np.exp((query @ query.T + f[:, None] + g) / 50.0) / 12
    np.testing.assert_allclose(kernel.sum(0), 1, atol=1e-9)
    with pytest.raises(ArithmeticError, match="raise eps or most"):
        sinkhorn.potentials(query, query + 1, 0.01, most=2)


def test_hardmax_is_the_limit_of_softmax():
    query, key, value, mass, _ = arrays(7)
    hard = hardmax.forward(query, key, value, causal=False, weights=mass)
    gaps = [np.abs(softmax.forward(query, key, value, scale, False, weights=mass) - hard).max()
            for scale in (10, 100, 10_000)]
    assert all(later < earlier for earlier, later in pairwise(gaps)) and gaps[-1] < 1e-3
    tied = hardmax.forward(np.ones((1, 1)), np.array([[1.0], [1.0], [0.0]]),
                           np.array([[1.0], [4.0], [9.0]]), causal=False)
    assert tied == 2.5


def test_heads_add_up_or_stand_side_by_side():
    rng = np.random.default_rng(8)
    query, key, value, output = (rng.normal(size=(2, 5, 3)) for _ in range(4))
    one, two = (softmax.forward(query[h], key[h], value[h]) for h in range(2))
    np.testing.assert_allclose(multihead.forward(query, key, value), np.hstack([one, two]))
    np.testing.assert_allclose(multihead.forward(query, key, value, output),
                               one @ output[0].T + two @ output[1].T)
    np.testing.assert_allclose(
        multihead.forward(query, key, value, head=l2.forward, causal=False)[:, :3],
        l2.forward(query[0], key[0], value[0], causal=False))
    with pytest.raises(ValueError, match="query, key, value, output: found .2, 2, 1."):
        multihead.forward(query, key, value[:1])


def test_torch_fused_attention_says_the_same():
    torch = pytest.importorskip("torch")
    query, key, value = (torch.randn(1, 2, 40, 8, dtype=torch.float64) for _ in range(3))
    fused = torch.nn.functional.scaled_dot_product_attention
    for causal in (False, True):
        wanted = fused(query, key, value, is_causal=causal)
        found = softmax.forward(query, key, value, causal=causal, block=7)
        assert torch.abs(found - wanted).max() < 1e-14


def test_gradients_pass_through_blocks():
    torch = pytest.importorskip("torch")
    query, key, value = (torch.randn(6, 2, dtype=torch.float64, requires_grad=True)
                         for _ in range(3))
    for module in ROWS.values():
        if module is not hardmax:
            assert torch.autograd.gradcheck(
                lambda *x, m=module: m.forward(*x, scale=1.0, block=4), (query, key, value))


BAD = {  # argument -> what is handed in
    "key: found 0 tokens": {"key": np.zeros((0, D)), "value": np.zeros((0, E))},
    "weights: found shape .* with sum 2": {"weights": np.full(S, 2 / S)},
    "weights: found shape .3,": {"weights": np.full(3, 1 / 3)},
    "weights": {"weights": np.array([-1.0, 2, *np.zeros(S - 2)])},
    "positions: a query at 0 sees no mass": {"positions": (np.zeros(T), np.ones(S))},
    "positions: found shapes": {"positions": (np.zeros(S), np.zeros(T))},
    "positions: found nan": {"positions": (np.full(T, np.nan), np.zeros(S))},
}


@pytest.mark.parametrize("message", BAD)
@pytest.mark.parametrize("name", ROWS)
def test_misuse_names_the_argument(name, message):
    query, key, value, *_ = arrays()
    given = {"query": query, "key": key, "value": value, "causal": False, **BAD[message]}
    with pytest.raises(ValueError, match=message):
        ROWS[name].forward(**given)


def test_a_massless_sink_is_no_sink():
    query, key, value, *_ = arrays()
    places = np.linspace(0, 1, T), np.linspace(0, 1, S)
    softmax.forward(query, key, value, positions=places)
    weights = np.r_[0.0, np.full(S - 1, 1 / (S - 1))]
    with pytest.raises(ValueError, match="needed a sink"):
        softmax.forward(query, key, value, positions=places, weights=weights)


def test_sinkhorn_misuse():
    query, key, value, *_ = arrays()
    with pytest.raises(ValueError, match="sinkhorn: eps: found 0"):
        sinkhorn.forward(key, key, value, 0.0)
    with pytest.raises(ValueError, match="query, key: found 7 and 9"):
        sinkhorn.forward(query, key, value)
