"""Formulas come from SymPy by derivation, read as terms, and say what the layer does."""

import inspect

import numpy as np
import pytest

from numeric.attention import kuramoto as layer
from numeric.attention import softmax
from numeric.backends import numpy64
from proofs.page import load, shipped
from symbolic.claim import statements
from symbolic.formulas import kuramoto
from symbolic.kernel.term import walk
from symbolic.reading.bridge import from_sympy

OPTIONS = {"frozen_jacobian": ({"own": True}, {"own": False}),
           "log_partition_gradient": ({}, {"gated": True})}
FORMULAS = [(name, options) for name, function in vars(kuramoto).items()
            if inspect.isfunction(function) and not name.startswith("_")
            for options in OPTIONS.get(name, ({},))]
RNG = np.random.default_rng(5)
n, k = 4, 3
POINT = {
    "n": n, "k": k, "T": n, "t": 3, "r": 2, "u": 2, "i": 1, "j": 2, "tau": 1.7, "rho": 0.8,
    "theta": RNG.uniform(-3, 3, n).tolist(), "A": RNG.uniform(0, 1, (n, n)).tolist(),
    "w": RNG.uniform(0, 1, n).tolist(), "s": RNG.normal(size=n).tolist(),
    "m": RNG.normal(size=k).tolist(), "x": RNG.normal(size=k).tolist(), "y": 0.4,
    "phi": 0.7, "a": 1.1, "b": -0.6, "beta": 1.3,
}
INTEGERS = ("n", "k", "T", "t", "r", "u", "i", "j")
RANGES = {"theta": ("n",), "A": ("n", "n"), "w": ("n",), "s": ("n",), "m": ("k",), "x": ("k",)}


def value(expression, **changed):
    """What a SymPy expression is worth at POINT, evaluated as a term."""
    point = {**POINT, **changed}
    symbols = [(name, _sort(name, point)) for name in point]
    return numpy64.compile_term(from_sympy(expression), symbols)(point)


def _sort(name, point):
    if name in INTEGERS:
        return ("integer",)
    ends = RANGES.get(name, ())
    if name == "theta" and isinstance(point["theta"][0], list):
        ends = ("n", "k")
    return ("family", ("real",), *(("range", "_", 1, e) for e in ends)) if ends else ("real",)


def moves():
    """Increments of all tokens at POINT, by the layer."""
    theta, weights = np.array(POINT["theta"])[:, None], np.tril(POINT["A"])[None]
    return layer.increment(theta, *layer.mean(theta, weights))[:, 0]


@pytest.mark.parametrize(("name", "options"), FORMULAS)
def test_is_a_term_without_open_deltas(name, options):
    term = from_sympy(getattr(kuramoto, name)(**options))
    bound = {t[2] for t in walk(term) if isinstance(t, tuple) and t[0] == "sum"}
    deltas = [t for t in walk(term) if isinstance(t, tuple) and t[0] == "delta"]
    assert not [d for d in deltas if bound & set(d[1:])], "a delta of a bound index is left"
    assert term == from_sympy(getattr(kuramoto, name)(**options)), "two runs, two formulas"


def test_increment_and_alignment_are_the_layers():
    theta = np.array(POINT["theta"])
    parts = layer.mean(theta[:, None], np.tril(POINT["A"])[None])
    along = np.cos(theta) * parts[0][:, 0] + np.sin(theta) * parts[1][:, 0]
    assert value(kuramoto.increment()) == pytest.approx(moves()[2])
    assert value(kuramoto.alignment()) == pytest.approx(along[2])


def test_squared_mean_is_the_layers():
    parts = layer.mean(np.array(POINT["theta"])[:, None], np.array(POINT["w"])[None, None])
    assert value(kuramoto.squared_mean()) == pytest.approx(float(sum(p[0, 0]**2 for p in parts)))


@pytest.mark.parametrize("own", [True, False])
def test_frozen_jacobian_is_a_difference_quotient(own):
    kept, by = POINT["theta"], 2 if own else 1
    ends = []
    for step in (1e-6, -1e-6):
        POINT["theta"] = [x + step * (u == by) for u, x in enumerate(kept)]
        ends.append(moves()[2])
    POINT["theta"] = kept
    assert value(kuramoto.frozen_jacobian(own)) == pytest.approx((ends[0] - ends[1]) / 2e-6)


def test_softmax_jacobian_is_diag_minus_product():
    weights = softmax.attention(np.array(POINT["s"])[None], causal=False)[0]
    assert value(kuramoto.softmax_jacobian(), r=2) == pytest.approx(weights[1] - weights[1]**2)
    assert value(kuramoto.softmax_jacobian(), r=4) == pytest.approx(-weights[1] * weights[3])


def test_log_partition_gradient_is_the_increment_of_the_layer():
    keys = RNG.uniform(-3, 3, (n, k))
    query = np.array(POINT["x"])[None]
    score = POINT["tau"] / k**0.5 * (layer.features(query) @ layer.features(keys).T)
    mean = layer.mean(keys, softmax.attention(score, causal=False)[None])
    found = value(kuramoto.log_partition_gradient(), theta=keys.tolist())
    move = layer.increment(query, *mean)[0, 1]
    assert found == pytest.approx(POINT["tau"] / k**0.5 * move)


def test_saturation_jacobian_is_a_difference_quotient():
    m, ends = np.array(POINT["m"]), []
    for step in (1e-6, -1e-6):
        moved = (m + step * (np.arange(k) == 1))[None]
        ends.append(layer.bound(moved, moved, POINT["rho"])[0, 0])
    assert value(kuramoto.saturation_jacobian()) == pytest.approx((ends[0] - ends[1]) / 2e-6)


def test_order_growth_is_the_sum_of_squared_couplings():
    theta = np.array(POINT["theta"])
    coupling = np.sin(theta[None] - theta[:, None]).sum(axis=1)
    assert value(kuramoto.order_growth()) == pytest.approx(2 / n * (coupling**2).sum())


def test_ten_claims_have_a_derived_side_and_every_page_reads():
    pages = [load(path) for path in shipped() if path.stem.startswith("kuramoto")]
    claims = [(page, claim) for page in pages for claim in page.claims]
    assert sum(any(s.derived for s in claim.steps) for _, claim in claims) >= 10
    for page, claim in claims:
        assert not page.errors
        assert not statements(claim, page.symbols, page.let, page.rates).errors, claim.name
        assert claim.name.startswith("kuramoto.K") and claim.says and claim.source
        assert claim.measure or claim.no_measure, f"{claim.name} is not simulated, nor says why"
