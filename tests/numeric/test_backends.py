"""Every backend against known values and against the others; undefined is nan, malformed raises."""

import math
from fractions import Fraction

import numpy as np
import pytest

from numeric import backends
from numeric.attention import kuramoto, reference
from numeric.attention.kuramoto import Preset
from symbolic.table import table

ROWS = {name: row for name, row in table(
    backends, "NAME", "available", "accuracy", "compile_term", "evaluate").items()}
R, OO = ("real",), ("oo",)
SORTS = {
    "x": R, "y": R, "t": R, "z": ("complex",), "n": ("integer",),
    "w": ("family", R, ("range", "_", 1, "n")),
    "theta": ("family", R, ("range", "_", 1, "n"), ("range", "_", 0, 2)),
    "A": ("matrix", 2, 2), "S": ("matrix", 2, 2, "symmetric", "pd"), "u": ("matrix", 2, 1),
    "X": ("family", ("matrix", 2, 1), ("range", "_", 1, "n")),
}
POINT = {
    "x": Fraction(1, 3), "y": ("/", ("pi",), 4), "t": 0.5, "z": 1 + 2j, "n": 3,
    "w": [1, Fraction(1, 2), ("sqrt", 2)],
    "theta": [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]],
    "A": [[1, 2], [3, 5]], "S": [[2, 1], [1, 3]], "u": [1, 2],
    "X": [[1, 2], [3, 4], [5, 6]],
}
RATES = (("S", "t", ("+", ("*", "A", "S"), ("*", "S", ("T", "A")))),)
W = [1.0, 0.5, math.sqrt(2)]


def wk(k="k"):
    return ("at", "w", k)


def present(backend: str):
    """The backend, or a skipped test that says why there is none."""
    if ROWS[backend].available() is not True:
        pytest.skip(ROWS[backend].available())
    return ROWS[backend]


def value(backend: str, term, point=None):
    return present(backend).evaluate(term, SORTS, point or POINT, RATES)


def near(found, wanted, tolerance: float) -> bool:
    found = np.asarray(found).astype(complex)
    wanted = np.asarray(wanted, dtype=complex)
    return bool(np.abs(found - wanted).max() <= tolerance * (1 + np.abs(wanted).max()))


TABLE = [
    (("sin", "x"), math.sin(1 / 3)),
    (("+", "x", ("-", "y"), 2), 1 / 3 - math.pi / 4 + 2),
    (("tan", ("atan2", ("-", 1), ("-", "x"))), 3.0),
    (("logistic", "x"), 1 / (1 + math.exp(-1 / 3))),
    (("max", 1, "x", "y"), 1.0), (("min", 1, "x", "y"), 1 / 3),
    (("^", ("-", 2), 3), -8.0), (("^", 0, 0), 1.0), (("^", "x", 0), 1.0),
    (("^", ("e",), ("*", ("i",), ("pi",))), -1.0),
    (("abs", "z"), math.sqrt(5)), (("re", ("*", "z", ("conj", "z"))), 5.0),
    (("im", ("^", "z", 2)), 4.0), (("sqrt", ("*", "z", ("conj", "z"))), math.sqrt(5)),
    (("delta", "n", 3), 1.0), (("delta", "n", 2), 0.0), (("floor", ("/", 7, 2)), 3.0),
    (("sign", ("-", "x")), -1.0), (("factorial", 5), 120.0), (("binomial", 5, 2), 10.0),
    (("binomial", 2, 5), 0.0),
    (("sum", wk(), "k", 1, "n"), sum(W)), (("prod", wk(), "k", 1, 2), 0.5),
    (("sum", "k", "k", 3, 1), 0.0), (("prod", "k", "k", 3, 1), 1.0), (("sum", 1, "k", 0, "n"), 4.0),
    (("sum", ("sum", ("*", wk(), "j"), "j", 1, "k"), "k", 1, "n"), 1 + 1.5 + 6 * math.sqrt(2)),
    (("sum", ("cos", ("at", "theta", "k", 0)), "k", 1, "n"),
     math.cos(0.1) + math.cos(0.4) + math.cos(0.7)),
    (("sum", ("^", ("entry", ("at", "X", "k"), 1, 1), 2), "k", 1, "n"), 35.0),
    (("sum", ("cases", ("case", ("<", "k", 2), "k"), 0), "k", 1, "n"), 1.0),
    (("cases", ("case", ("<", "x", 0), ("log", ("-", "x"))), ("case", ("<=", "x", 1), "x"), 0),
     1 / 3),
    (("*", ("T", "u"), "A", "u"), 31.0), (("*", "A", ("T", "u"), "u"), [[5, 10], [15, 25]]),
    (("inv", "A"), [[-5, 2], [3, -1]]), (("^", "A", ("-", 1)), [[-5, 2], [3, -1]]),
    (("det", ("^", "A", 2)), 1.0), (("trace", ("*", ("inv", "S"), "A")), 1.6),
    (("entry", "A", 2, 1), 3.0), (("entry", ("at", "X", 2), 2, 1), 4.0),
    (("entry", ("*", "A", "A"), 1, 1), 7.0),
    (("sum", ("*", ("at", "X", "k"), ("T", ("at", "X", "k"))), "k", 1, "n"), [[35, 44], [44, 56]]),
    (("+", "A", ("zeros", 2, 2), ("-", ("eye", 2))), [[0, 2], [3, 4]]),
    (("+", "A", ("sum", "A", "k", 2, 1)), [[1, 2], [3, 5]]),
    (("matrix", ("row", 1, "n"), ("row", 0, 2)), [[1, 3], [0, 2]]), (("T", "u"), [[1, 2]]),
    (("int", ("exp", ("-", ("^", "s", 2))), "s", ("-", OO), OO), math.sqrt(math.pi)),
    (("int", ("*", "x", "s"), "s", 1, 0), -1 / 6), (("int", "s", "s", 2, 2), 0.0),
    (("int", ("/", 1, ("sqrt", "s")), "s", 0, 1), 2.0),
    (("int", ("exp", ("*", ("i",), "s")), "s", 0, ("pi",)), 2j),
    (("int", ("int", ("*", "a", "b"), "a", 0, "b"), "b", 0, 1), 1 / 8),
    (("diff", ("exp", ("*", "x", "x")), "x"), 2 / 3 * math.exp(1 / 9)),
    (("diff", ("diff", ("sin", "x"), "x"), "x"), -math.sin(1 / 3)),
    (("diff", ("^", wk(2), 3), wk(2)), 0.75), (("diff", ("^", wk(2), 3), wk(1)), 0.0),
    (("diff", ("log", ("sum", ("exp", wk()), "k", 1, "n")), wk(2)),
     math.exp(0.5) / sum(map(math.exp, W))),
    (("diff", ("int", ("sin", ("*", "x", "s")), "s", 0, 1), "x"), 0.48619660722109572),
    (("diff", "S", "t"), [[8, 18], [18, 36]]), (("diff", ("det", "S"), "t"), 60.0),
    (("limit", ("/", ("sin", "h"), "h"), "h", 0, 0), 1.0),
    (("limit", ("/", ("abs", "h"), "h"), "h", 0, -1), -1.0),
    (("limit", ("^", ("+", 1, ("/", 1, "h")), "h"), "h", OO, 0), math.e),
    (("sum", ("/", 1, ("factorial", "k")), "k", 0, OO), math.e),
]
UNDEFINED = [
    ("log", ("-", 2)), ("log", 0), ("/", 1, ("+", "x", ("-", "x"))), ("sqrt", ("-", "x")),
    ("^", ("-", 8), ("/", 1, 3)), ("^", 0, ("-", 1)), ("asin", 2), ("log", "z"), ("max", "z", 1),
    ("at", "w", 4), ("at", "w", 0), ("at", "w", "x"), ("entry", "A", 3, 1), ("factorial", ("-", 1)),
    ("inv", ("matrix", ("row", 1, 2), ("row", 2, 4))), ("*", 0, ("/", 1, 0)),
    ("cases", ("case", ("<", ("log", 0), 1), 1), 2), ("sum", "k", "k", 1, "x"),
    ("int", ("/", 1, "s"), "s", 0, 1), ("sum", ("/", 1, "k"), "k", 1, OO),
    ("limit", ("/", ("abs", "h"), "h"), "h", 0, 0), ("limit", ("sin", ("/", 1, "h")), "h", 0, 1),
    ("diff", ("abs", ("+", "x", ("-", "x"), ("*", "t", 0), ("+", "x", ("/", ("-", 1), 3)))), "x"),
    ("atan2", 0, 0), ("eye", 0), ("diff", "n", "n"),
]
MALFORMED = [
    (("frobnicate", "x"), "frobnicate"), (("sin", "x", "y"), "sin"), (("at", "x", 1), "at"),
    ("missing", "missing"), (("+", "A", 1), r"\+"), (("*", "A", ("eye", 3)), r"\*"),
    (("sin", "A"), "sin"), (("oo",), "oo"), (("=", "x", "y"), "="), (("det", "u"), "det"),
    (("cases", ("case", ("psd", "A", "A"), 1), 0), "cases"), (0.5, "not a term"), (True, "not a"),
    ("w", "without its indices"), (("at", "theta", 1), "at"),
]


@pytest.mark.parametrize("backend", ROWS)
@pytest.mark.parametrize("term, wanted", TABLE, ids=[str(t)[:40] for t, _ in TABLE])
def test_known_values(backend, term, wanted):
    accuracy = max(ROWS[backend].accuracy(term), 1e-15)
    assert near(value(backend, term), wanted, accuracy)


@pytest.mark.parametrize("term, _", TABLE, ids=[str(t)[:40] for t, _ in TABLE])
def test_backends_agree(term, _):
    present = [name for name, row in ROWS.items() if row.available() is True]
    sharp = value("mpmath50", term)
    for name in present:
        assert near(value(name, term), np.asarray(sharp).astype(complex), 1e-7), name


@pytest.mark.parametrize("backend", ROWS)
@pytest.mark.parametrize("term", UNDEFINED, ids=[str(t)[:40] for t in UNDEFINED])
def test_undefined_is_nan(backend, term):
    found = np.asarray(value(backend, term)).ravel()
    assert all(v != v for v in found)


@pytest.mark.parametrize("backend", ROWS)
@pytest.mark.parametrize("term, named", MALFORMED, ids=[str(t)[:40] for t, _ in MALFORMED])
def test_malformed_is_refused(backend, term, named):
    with pytest.raises(ValueError, match=named):
        value(backend, term)


@pytest.mark.parametrize("backend", ROWS)
def test_points_take_arrays_vectors_and_longer_tables(backend):
    point = {**POINT, "w": np.array([1.0, 2.0, 3.0, 4.0]), "u": np.array([[1.0], [2.0]]),
             "X": np.ones((3, 2, 1))}
    assert value(backend, ("at", "w", 4), point) == 4
    assert near(value(backend, ("*", ("T", "u"), "u"), point), 5, 1e-12)
    assert near(value(backend, ("entry", ("at", "X", 3), 2, 1), point), 1, 1e-12)
    for bad in ({"w": 3}, {"A": [[1, 2]]}, {"x": [1, 2]}, {"x": "1/2"}, {"x": ("foo", 1)}):
        with pytest.raises(ValueError):
            value(backend, ("+", "x", ("at", "w", 1), ("trace", "A")), {**POINT, **bad})


@pytest.mark.parametrize("backend", ROWS)
def test_empty_family(backend):
    point = {"n": 0, "w": []}
    assert present(backend).evaluate(("sum", wk(), "k", 1, "n"), SORTS, point) == 0


@pytest.mark.parametrize("backend", ["torch64", "jax64"])
def test_slopes_are_exact_up_to_rounding(backend):
    term = ("diff", ("diff", ("sin", ("*", 30, "x")), "x"), "x")
    assert near(value(backend, term), -900 * math.sin(10), 2e-15)       # a few roundings


@pytest.mark.parametrize("backend", ["torch64", "jax64"])
def test_values_come_back_in_double_precision_and_leave_no_trace(backend):
    found = value(backend, ("*", "A", ("/", 1, 3)))
    assert isinstance(found, np.ndarray) and found.dtype == np.float64
    with present(backend).namespace() as xp:
        assert xp.asarray([0.1]).dtype == xp.float64
    if backend == "torch64":
        import torch
        assert torch.get_default_dtype() == torch.float32
    else:
        import jax
        assert jax.numpy.asarray([0.1]).dtype == np.float32


def test_long_sums_and_one_compilation():
    sorts = {"x": R}
    long = ("+", *(("sin", ("*", k, "x")) for k in range(1, 2001)))
    f = ROWS["numpy64"].compile_term(long, sorts)
    for x in (0.3, 1.1):
        assert f({"x": x}) == pytest.approx(math.fsum(math.sin(k * x) for k in range(1, 2001)))


def test_nesting_has_an_end():
    term = "x"
    for _ in range(3000):
        term = ("sin", term)
    with pytest.raises(ValueError, match="deeply"):
        value("numpy64", term)


def test_fifty_digits():
    text = str(value("mpmath50", ("sin", "x")))
    assert text.startswith("0.32719469679615224417334408526762060606430140")


def test_heavy_libraries_stay_out():
    import subprocess
    import sys

    code = ("import numeric.crosscheck, numeric.sample, numeric.attention.kuramoto, sys; "
            "print([m for m in ('torch','jax','cvxpy','sympy','scipy','mpmath') "
            "if m in sys.modules])")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


SIMULATED = [name for name, row in ROWS.items() if hasattr(row, "namespace")]
PRESETS = [Preset(2, ffn=ffn, bound=bound, gates=on, value_gate=on, drift=on)
           for ffn in kuramoto.FEEDFORWARDS for bound in kuramoto.BOUNDS for on in (True, False)]


@pytest.mark.parametrize("backend", SIMULATED)
@pytest.mark.parametrize("preset", PRESETS, ids=[
    f"{p.ffn} {p.bound} {'all' if p.gates else 'bare'}" for p in PRESETS])
def test_every_preset_is_its_reference_on_every_library(backend, preset):
    rng = np.random.default_rng(7)
    theta = kuramoto.random_phases(rng, 5, 4)
    parameters = kuramoto.random_parameters(rng, 4, 2, 3, lift=preset.ffn == "lift")
    slow = reference.forward(theta, parameters, preset)
    with present(backend).namespace() as xp:
        here, own = xp.asarray(theta), kuramoto.converted(parameters, xp.asarray)
        found = kuramoto.forward(here, own, preset)
        fused = kuramoto.fused(here, own, preset)
        assert found.theta.dtype == fused.dtype == xp.float64
    for name in ("score", "attention", "re", "im", "increment", "delta", "theta"):
        assert near(getattr(found, name), getattr(slow, name), 1e-12), name
    assert near(fused, slow.theta, 1e-12)


def test_a_batch_is_its_members():
    rng = np.random.default_rng(10)
    theta = rng.uniform(-3, 3, (2, 3, 5, 4))
    parameters = kuramoto.random_parameters(rng, 4, 2, 3)
    whole = kuramoto.forward(theta, parameters, Preset(2))
    fused = kuramoto.fused(theta, parameters, Preset(2))
    for place in np.ndindex(2, 3):
        one = kuramoto.forward(theta[place], parameters, Preset(2))
        assert near(whole.theta[place], one.theta, 1e-13)
        assert near(whole.attention[place], one.attention, 1e-13)
        assert near(fused[place], one.theta, 1e-13)


@pytest.mark.parametrize("backend", SIMULATED)
def test_readout_and_orders_on_every_library(backend):
    rng = np.random.default_rng(8)
    theta, prototypes = kuramoto.random_phases(rng, 5, 4), rng.uniform(-3, 3, (6, 4))
    parameters = kuramoto.random_parameters(rng, 4, 2, 3)
    wanted = 3 / 2 * np.cos(theta[:, None] - prototypes).sum(-1) + np.arange(6.0)
    weights = kuramoto.step(theta, parameters, Preset(2)).attention
    with present(backend).namespace() as xp:
        here, held = xp.asarray(theta), xp.asarray(weights)
        assert near(kuramoto.readout(here, xp.asarray(prototypes), 3.0, xp.asarray(
            np.arange(6.0))), wanted, 1e-12)
        assert near(kuramoto.global_order(here), kuramoto.global_order(theta), 1e-12)
        assert near(kuramoto.excluded_order(here, held),
                    kuramoto.excluded_order(theta, weights), 1e-12)


def test_the_fused_form_by_the_kernel_of_torch():
    """One call of scaled_dot_product_attention a layer: the tolerances are those of the spec."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install "
                                "'attnproof[torch]'")

    def attend(query, key, value, scale):
        return torch.nn.functional.scaled_dot_product_attention(query, key, value,
                                                                is_causal=True, scale=scale)
    rng = np.random.default_rng(9)
    theta = kuramoto.random_phases(rng, 9, 8)
    parameters = kuramoto.random_parameters(rng, 8, 2)
    slow = reference.forward(theta, parameters, Preset(2)).theta
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-5)):
        def convert(x, dtype=dtype):
            return torch.tensor(x, dtype=dtype)
        found = kuramoto.fused(convert(theta), kuramoto.converted(parameters, convert),
                               Preset(2), attend=attend)
        assert near(found, slow, tolerance)
