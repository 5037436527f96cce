"""Claims are cut into statements; pages are read; what is wrong is an error with its place."""

import json
from pathlib import Path

import pytest

from symbolic.claim import (
    Claim,
    Derived,
    above,
    at_least,
    at_most,
    below,
    big_o,
    equals,
    psd,
    statements,
)
from symbolic.kernel.statement import read
from symbolic.reading.page import read_json, read_page, read_toml

DATA = Path(__file__).parent.parent / "data"
SYMBOLS = {"x": "real", "y": "real > 0", "n": "integer >= 1", "w": "real[1..n] >= 0",
           "A": "matrix(d, d)", "S": "matrix(d, d) symmetric", "d": "integer >= 1", "eps": "real"}


def chain(start="x", *steps, **more):
    return statements(Claim("a.claim", start=start, steps=steps, **more), SYMBOLS)


def errors(found):
    return "\n".join(map(str, found.errors))


@pytest.mark.parametrize("file, count", [("steps", 30), ("real_steps", 61), ("sympy_wrong", 15)])
def test_every_claim_of_the_stored_sets_reads(file, count):
    page = read_json((DATA / f"{file}.json").read_text(), file)
    assert not page.errors and len(page.claims) == count
    for claim in page.claims:
        found = statements(claim, page.symbols, page.let, page.rates)
        assert not found.errors, errors(found)
        assert len(found.steps) == len(claim.steps) == len(found.lines) - 1
        for statement in (*found.steps, found.whole):
            assert statement is not None
            assert read(json.loads(json.dumps(statement.json()))) == statement


def test_neighbouring_lines_make_statements_and_the_ends_make_the_whole():
    found = chain("x", equals("x + 0", by="normal"), at_most("Abs(x)"), below("Abs(x) + 1"))
    assert [s.relation for s in found.steps] == ["=", "<=", "<"]
    assert found.steps[1].left == ("+", "x", 0) and found.steps[1].right == ("abs", "x")
    assert found.whole is not None and found.whole.relation == "<"
    assert (found.whole.left, found.whole.right) == ("x", ("+", ("abs", "x"), 1))
    assert found.whole.symbols == (("x", ("real",)),) and found.whole.given == ()


def test_greater_is_turned_round():
    found = chain("y + 1", at_least("y"), above("0"))
    assert [(s.relation, s.left, s.right) for s in found.steps] == [
        ("<=", "y", ("+", "y", 1)), ("<", 0, "y")]
    assert found.whole is not None
    assert (found.whole.relation, found.whole.left) == ("<", 0)
    assert found.whole.given == (("<", 0, "y"),)


@pytest.mark.parametrize("steps, word", [
    ((at_most("y"), at_least("0")), "runs one way"), ((below("y"), above("0")), "runs one way"),
    ((at_most("y"), big_o("y", "eps -> 0+"),), "runs one way"),
    ((big_o("y", "eps -> 0+"), equals("y")), "O as the last"), ((), "step"),
])
def test_a_chain_runs_one_way(steps, word):
    found = chain("x", *steps)
    assert word in errors(found) and not found.steps and found.whole is None


def test_matrices_psd_and_zero():
    found = chain("S*S", psd("0"))
    assert found.steps[0].relation == "psd" and found.steps[0].right == ("zeros", "d", "d")
    assert found.steps[0].given == (("<=", 1, "d"),)
    assert chain("0", equals("A - A")).lines[0] == ("zeros", "d", "d")
    assert "runs one way" in errors(chain("S", psd("0"), at_most("S")))
    assert "A is (d, d)" in errors(chain("A", equals("x")))
    assert "needed numbers" in errors(chain("A", at_most("A")))


def test_an_order_has_a_limit():
    found = chain("x*eps", equals("eps*x"), big_o("eps", "eps -> 0+", by="limits"))
    assert found.steps[1].limit == ("eps", 0, 1) and found.steps[0].limit is None
    assert found.whole is not None and found.whole.relation == "O"
    assert found.whole.limit == ("eps", 0, 1)


def test_definitions_are_read_in_any_order_and_only_used_ones_are_kept():
    found = chain("s[1, 2]", equals("m*n"), let={
        "s[i, j]": "w[i] - w[j] + m", "m": "Sum(w[i], (i, 1, n))", "unused": "x"})
    assert not found.errors, errors(found)
    assert [d[0] for d in found.let] == ["s", "m"]
    assert found.let[0][1] == ("i", "j") and found.let[1][1] == ()
    assert {n for n, _ in found.symbols} == {"n", "w"}


@pytest.mark.parametrize("let, word", [
    ({"a": "b", "b": "a"}, "circle"), ({"a": "a + 1"}, "circle"), ({"x": "1"}, "again"),
    ({"a": "1", "a[i]": "i"}, "again"), ({"a[w]": "1"}, "family"), ({"a[i, i]": "1"}, "different"),
    ({"a b": "1"}, "index names"), ({"a": "foo"}, "foo"), ({"a": "A*x + 1"}, "(d, d)"),
    ({"a[i]": "i", "b": "a"}, "a[i]"), ({"a[i]": "i", "b": "a[1, 2]"}, "2 indices"),
    ({"a": "1", "b": "Derivative(x, a)"}, "defined name a"), ({"a": ("nonsense",)}, "language"),
    ({"a": "1", "b": "Sum(x, (a, 1, n))"}, "definition"),
])
def test_definitions_refused(let, word):
    assert word in errors(chain("x", equals("x"), let=let))


def test_rates():
    found = chain("Derivative(S, t)", equals("A*S + S*A.T"), rates={"S": "A*S + S*A.T"})
    assert not found.errors, errors(found)
    assert found.rates == (("S", "t", ("+", ("*", "A", "S"), ("*", "S", ("T", "A")))),)
    assert ("t", ("real",)) in found.symbols
    named = chain("Derivative(y, s)", equals("x"), rates={"y by s": "x", "A": "A"})
    assert named.rates == (("y", "s", "x"),)


@pytest.mark.parametrize("rates, word", [
    ({"foo": "1"}, "undeclared"), ({"w": "1"}, "family"), ({"n": "1"}, "integer"),
    ({"S": "x"}, "shape"), ({"S": "A*"}, "expression"), ({"S by n": "S"}, "real variable"),
    ({"S by t": "S", "S": "S"}, "two rates"), ({"a+b": "1"}, "name"), ({"x by x": "1"}, "rate"),
])
def test_rates_refused(rates, word):
    assert word in errors(chain("x", equals("x"), rates=rates))


def test_claims_own_symbols_facts_and_conditions():
    found = chain("z", equals("x"), symbols={"z": "real in [0, x]", "x": "real < 7"},
                  given=("z >= x", "w[i] <= 1 for i in 1..n"), where=("z != 0",))
    assert dict(found.symbols)["z"] == ("real",)
    assert found.given == (
        ("<", "x", 7), ("<=", 1, "n"),
        ("all", ("<=", 0, ("at", "w", "i")), ("range", "i", 1, "n")),
        ("<=", 0, "z"), ("<=", "z", "x"),
        ("<=", "x", "z"), ("all", ("<=", ("at", "w", "i"), 1), ("range", "i", 1, "n")))
    assert found.where == (("!=", "z", 0),)


def test_all_errors_of_a_claim_are_collected_with_their_places():
    found = chain("x +", equals("sn(x)"), equals("x", at={"q": "foo"}), given=("x", "y > 0"),
                  symbols={"b": "reel"}, where=("1",), expect="sure")
    text = errors(found)
    for place in ("start", "step 1, column 1", "at 2", "given 1", "symbol b", "where 1",
                  "expect = 'sure'"):
        assert place in text, text
    assert all(e.claim == "a.claim" and e.found and e.needed for e in found.errors)


def test_a_claim_without_start_is_fine_and_steps_need_one():
    assert statements(Claim("spectral.gap"), SYMBOLS) == statements(Claim("other"), {})
    assert "start" in errors(statements(Claim("c", steps=(equals("x"),)), SYMBOLS))
    assert "claim name" in errors(statements(Claim("bad name!"), SYMBOLS))


def test_terms_and_derived_sides_are_checked_too():
    found = statements(Claim("c", start=Derived(("sin", "x")), steps=(
        equals(("cos", "x")), equals(Derived(("sin", "x"))))), SYMBOLS)
    assert not found.errors and found.lines[0] == ("sin", "x")
    assert equals(Derived("x")).derived and not equals("x").derived
    for bad in (("sin", "x", "x"), ("sin", "foo"), ("+", "A", 1), 2.5, None, ("/", 1, 0)):
        assert chain(bad if bad is not None else ("?",), equals("x")).errors


def test_substitutions_are_terms():
    found = chain("x", equals("x", using="other.claim", at={"x": "2*y"}))
    assert found.at == ({"x": ("*", 2, "y")},)
    assert equals("x", using="other.claim").using == ("other.claim",)


PAGE = """
title = "Two oscillators"
[symbols]
t1 = "real"
t2 = "real"
[let]
r = "cos(t1-t2)"
[[claim]]
name  = "order-parameter"
says  = "The order parameter."
given = []
start = "(cos(t1)+cos(t2))**2 + (sin(t1)+sin(t2))**2"
steps = [
  { relation = "=", right = "2 + 2*r", by = "normal" },
  { relation = "<=", right = 4, using = ["other"], at = { x = 2 } },
]
[[claim]]
name = "second"
start = "0"
steps = [{ relation = "O", right = "t1", limit = "t1 -> 0+" }]
expect = "unproved"
tolerance = 1e-6
"""


def test_a_page_reads_in_either_format():
    page = read_toml(PAGE, "two.toml")
    assert page.title == "Two oscillators" and not page.errors
    assert [c.name for c in page.claims] == ["order-parameter", "second"]
    first, second = page.claims
    assert first.steps[0].by == "normal" and first.steps[1].right == "4"
    assert first.steps[1].at == {"x": "2"} and second.expect == "unproved"
    assert second.tolerance == 1e-6
    assert page.lines == {"order-parameter": 9, "second": 18}
    import tomllib
    assert read_json(json.dumps(tomllib.loads(PAGE))).claims == page.claims
    for claim in page.claims:
        assert not statements(claim, page.symbols, page.let, page.rates).errors


def test_one_bad_claim_leaves_its_siblings():
    page = read_page({"symbols": {"x": "real", "b": "reel"}, "let": {"m": "x", "o": "o"}, "claim": [
        {"name": "good", "start": "x", "steps": [{"relation": "=", "right": "x"}]},
        {"name": "bad", "start": 1.5, "steps": "x", "sttart": ""},
        {"name": "worse", "steps": [
            {"relation": "="}, 3, {"relation": "=", "right": "x", "b": ""}]},
        {"name": "good", "start": "x"}, "claim", {"start": "x"}, {"name": 3},
        {"name": "last", "start": "x", "steps": [{"relation": "=", "right": "m"}]}]}, "p")
    assert [c.name for c in page.claims] == ["good", "last"]
    assert set(page.symbols) == {"x"} and set(page.let) == {"m"}
    said = "\n".join(map(str, page.errors))
    for word in ("symbol b", "let o", "claim bad", "did you mean start?", "step 1: found a step",
                 "step 2", "step 3: found the unknown key 'b'", "a second claim named good", "#5",
                 "#6: found a claim without a name", "#7"):
        assert word in said, said
    assert all(e.page == "p" for e in page.errors)
    assert not statements(page.claims[1], page.symbols, page.let).errors


@pytest.mark.parametrize("text, line", [
    ("title = ", 1), ("title = 'a'\n[symbols\n", 2), ("a = 1\na = 2", 2), ("", None),
    ("claim = 3", None), ("title = 3\n[[claim]]\nname='x'", None), ("[[clam]]\nname='x'", None),
    ("symbols = {x = 1}\nclaim = []", None), ("a = " + "[" * 50_000, None), ("\x00", 1),
    ("claim = []\nclaims = []", None),
])
def test_broken_toml_has_errors_and_no_traceback(text, line):
    page = read_toml(text, "page.toml")
    assert page.errors and all(e.page == "page.toml" for e in page.errors)
    assert line is None or page.errors[0].line == line, page.errors


@pytest.mark.parametrize("text", [
    "", "{", "[]", "3", "null", '{"claims": [1, 2}', '{"title": NaN}', '{"claims": {}}',
    "[" * 200_000, '{"claims": [], "claims": []}', '{"claims": [' + "9" * 10_000 + "]}",
    '{"claims": "x"}', '"\\ud800"', '{"claim": [{"name": "a", "name": "b"}]}', "\ufeff{}",
    '{"symbols": {"x": {"y": 1}}, "claims": []}', '{"claims": []}',
])
def test_broken_json_has_errors_and_no_traceback(text):
    page = read_json(text, "page.json")
    assert page.errors and not page.claims
