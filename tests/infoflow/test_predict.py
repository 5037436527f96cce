"""Verdicts and laws of the spec's rows; every number has a source; laws are exact expressions."""

import subprocess
import sys

import pytest

from infoflow.law import LAWS, decoding, expression, memorising
from infoflow.predict import EFFICIENT, HARD, LIMITED, OUTSIDE, architecture, predict
from infoflow.reasons import counted
from infoflow.task import TaskError, build, load, shipped_tasks, term


def linear(d=4):
    return build("linear", term("max", "t", "w @ x[t]"), d=d, vectors=["w"])


def of_readings(*one):
    return build("plain", term(*one), d=4)


@pytest.mark.parametrize(("task", "arch", "law", "verdict"), [
    (linear(), None, "eps**(-Max(1, 4/E - 1))", EFFICIENT),
    (load("min-dot"), None, "eps**(-Max(1, 4/E - 1))", EFFICIENT),
    (load("min-dot"), (1, (1,)), "eps**(1 - 2*T/E)", HARD),
    (load("pairwise-3"), None, "eps**(-Max(1, 24/E - 1))", EFFICIENT),
    (load("pairwise-3"), (2, (2, 3), 32), "eps**(1 - T/8)", HARD),
    (load("pairwise-3"), (2, (3, 3), 4), "eps**(-5)", LIMITED),
    (load("pairwise-3"), (2, (3, 3), 24), "eps**(-1)", EFFICIENT),
    (load("pairwise-3"), (3, (1, 2, 2), 12), "eps**(-1)", EFFICIENT),
    (load("pairwise-3"), (3, (1, 2, 2), 11), "eps**(-13/11)", LIMITED),
    (load("shared"), None, "eps**(-Max(1, 8/E - 1))", EFFICIENT),
    (load("triangle"), None, "eps**(1 - 2*T/E)", HARD),
    (load("triangle"), (2, (64, 64)), "eps**(1 - 2*T/E)", HARD),
    (load("second-largest"), None, "eps**(-Max(1, 8/E - 1))", EFFICIENT),
    (load("second-largest"), (1, (8,)), "eps**(1 - 4*T/E)", HARD),
    (load("copy"), (1, (1,), 4), "1", EFFICIENT),
    (load("copy"), (1, (1,), 2), "eps**(-1)", LIMITED),
    (load("mean-of-feature"), None, "eps**(-Max(gamma, 1/E - 1))", EFFICIENT),
    (of_readings("read", "", "x[1] @ x[2]"), None, "eps**(-Max(1/2, 8/E - 1))", EFFICIENT),
    (of_readings("read", "", "norm(x[1] + x[2])"), (1, (1,), 8), "eps**(-1)", EFFICIENT),
    (of_readings("mean", "t", "x[t] @ x[t]"), (1, (1,), 1), "eps**(-1/2)", EFFICIENT),
    (of_readings("mean", "t", "x[t]"), (1, (1,), 4), "1", EFFICIENT),
    (load("opaque-pair"), (2, (1, 1), 8), "eps**(-gamma)", EFFICIENT),
    (load("parity"), None, "eps**(1 - T/E)", OUTSIDE),
    (load("shared-first-layer"), (2, (1, 2)), "eps**(-Max(1, 16/E - 1))", EFFICIENT),
    (load("shared-first-layer"), (2, (2, 1)), "eps**(1 - 4*T/E)", HARD),
])
def test_rows_of_the_spec(task, arch, law, verdict):
    found = predict(task, architecture(*arch) if arch else None)
    assert (found.law_text, found.verdict) == (law, verdict)


def test_reasons_name_what_is_missing_and_what_would_do():
    short = predict(load("pairwise-3"), architecture(2, (2, 3)))
    assert "layer 1 has none left for max over s of x[s] @ A3 @ x[t]" in short.reason
    assert "2 layers of (3, 3) heads" in short.changes and "no lower bound" in short.reason
    narrow = predict(load("pairwise-3"), architecture(2, (3, 3), 4))
    assert narrow.changes == ("E >= 24",)
    triple = predict(load("triangle"), architecture(2, (4, 4), 24))
    assert "order 3" in triple.reason and "8*(T + 1)**2" in triple.reason
    assert "no lower bound is known" in triple.reason
    assert "collision, ours" in predict(load("min-dot"), architecture(1, (4,))).reason


def test_the_known_bounds_of_a_single_layer_come_back():
    """H1/H2: D unary retrievals need h >= D; T1, T2: pairs and k-th largest need a second layer."""
    for h in range(1, 7):
        found = predict(load("unary-4"), architecture(1, (h,)))
        assert found.verdict == (EFFICIENT if h >= 4 else HARD)
        if h < 4:
            assert f"(T/4 - {h + 3})/({h}*(n + 1) + 1)" in found.reason and "quoted" in found.reason
        pair = predict(load("min-dot"), architecture(1, (h,)))
        assert pair.verdict == HARD and "(T1, quoted from a summary)" in pair.reason
        second = predict(load("second-largest"), architecture(1, (h,)))
        assert second.verdict == HARD and "(T2, quoted from a summary)" in second.reason
    # H3: a head of width T d holds the whole input, and nothing is left to decode.
    assert predict(build("u", *load_terms("unary-2"), d=4, T=8, vectors=["w1", "w2"]),
                   architecture(1, (1,), 32)).law_text == "1"


def test_a_state_that_holds_the_whole_input_is_said_to():
    triple = build("triple", term("min", "p q r", "norm(x[p] + x[q] + x[r])"), d=2, T=8)
    fits, not_so = (predict(triple, architecture(2, (2,), E)) for E in (16, 15))
    assert fits.law_text == "1" and "the whole input fits in E = 16" in fits.reason
    assert not_so.law_text == "eps**(-1/15)" and "fits" not in not_so.reason


def load_terms(name):
    from infoflow.task import data
    return data(load(name))["term"]


@pytest.mark.parametrize("name", shipped_tasks())
def test_every_number_has_its_source_and_the_keys_are_those_agreed(name):
    found = predict(load(name)).data()
    assert {"task", "order", "dimension", "comparisons", "minimal", "verdict", "law",
            "assumptions", "sources"} <= found.keys()
    assert all(s["number"] and s["value"] and s["source"] for s in found["sources"])
    numbers = {s["number"]: s["value"] for s in found["sources"]}
    assert numbers["law"] == found["law"]
    if found["verdict"] != OUTSIDE:
        assert numbers["order"] == str(found["order"])
        assert numbers["dimension"] == str(found["dimension"])
        assert numbers["comparisons"] == found["comparisons"]
    for plan in found["minimal"]:
        assert plan["layers"] == len(plan["heads"]) and plan["width"] >= 1
        heads = "(" + ", ".join(map(str, plan["heads"])) + ")"
        assert numbers[counted(plan["layers"], "layer")] == heads
    assert any("at most 1 in absolute value" in a for a in found["assumptions"])


def test_laws_are_sympy_expressions_in_positive_letters():
    import sympy
    eps, E, T = (sympy.Symbol(n, real=True, positive=True) for n in ("eps", "E", "T"))
    law = expression(predict(load("pairwise-3")).law)
    E = next(s for s in law.free_symbols if s.name == "E")
    eps = next(s for s in law.free_symbols if s.name == "eps")
    assert E.is_positive and eps.is_positive
    assert law.subs(E, 4) == eps**-5 and law.subs(E, 24) == 1 / eps
    assert law.subs(E, sympy.Rational(16)) == 1 / eps
    hard = expression(memorising(4, None, 32))
    T = next(s for s in hard.free_symbols if s.name == "T")
    assert T.is_integer and T.is_positive and hard.subs(T, 16) == eps**-1
    for known in LAWS.values():
        assert known.rate is None or expression(known.rate).free_symbols


def test_exact_exponents():
    from fractions import Fraction
    assert decoding(Fraction(5, 4), 4, 2, 1) == ("^", "eps", ("/", ("-", 3), 2))
    assert decoding(Fraction(1), 4, 4, 0) == 1
    assert memorising(2, 16, 24) == ("^", "eps", ("/", ("-", 1), 3))
    assert memorising(2, 4, 24) == 1          # the whole input fits: nothing is to be decoded


def test_quoted_laws_are_quoted_and_ours_name_what_holds_them():
    for law in LAWS.values():
        assert law.kind in ("quoted", "quoted from a summary", "ours") and law.source
        assert bool(law.verified_by) == (law.kind == "ours") or law.id in ("T3", "occupancy")


@pytest.mark.parametrize("make", [
    lambda: architecture(2, (1, 1, 1)), lambda: architecture(0, None),
    lambda: architecture(1, (0,)), lambda: architecture(2, (2,), 0),
    lambda: architecture(None, None, -1),
    lambda: architecture(100, None), lambda: architecture(10**12, None)])
def test_bad_architectures_are_refused(make):
    with pytest.raises(TaskError, match=r"found .*; needed"):
        make()


def test_one_number_of_heads_stands_for_all_layers():
    assert architecture(3, (2,)).heads == (2, 2, 2) and architecture(2).heads == (1, 1)
    assert architecture() is None and architecture(width=8).heads == ()


def test_predicting_imports_no_heavy_library():
    code = """
import sys
from infoflow.predict import predict
from infoflow.task import load, shipped_tasks
for name in shipped_tasks():
    predict(load(name)).data()
print(sorted({"sympy", "numpy", "scipy", "networkx", "torch", "matplotlib"} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_what_tokens_could_relay_is_said_where_heads_are_short():
    """relayed_maxima does unary-3 with (1,1), which the plan of CLS alone calls short."""
    short = predict(load("unary-3"), architecture(heads=[1, 1]))
    assert short.verdict == HARD and "up to 3 unary retrievals (relay, ours)" in short.reason
    assert "relay" not in predict(load("unary-4"), architecture(heads=[1, 1])).reason
    assert "relay" not in predict(load("unary-3"), architecture(heads=[2])).reason
