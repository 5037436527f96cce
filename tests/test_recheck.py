"""A stored report is checked again without SymPy, and fails after any alteration that matters."""

import copy
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from proofs.check import check_pages
from proofs.recheck import recheck
from proofs.report import Unreadable, from_json, to_json

ROOT = Path(__file__).parents[1]
PAGE = """
title = "For recheck"
[symbols]
n = "integer >= 1"
w = "real[1..n]"
x = "real"
y = "real"
p = "real > 0"
S = "matrix(n, n) symmetric positive definite"
[[claim]]
name = "chain"
start = "(x+y)**2"
steps = [{ relation = "=", right = "x**2 + 2*x*y + y**2" }, { relation = ">=", right = "4*x*y" }]
[[claim]]
name = "sum"
start = "Sum(w[u], (u, 1, n))**2"
steps = [{ relation = "=", right = "Sum(w[u]*w[v], (u, 1, n), (v, 1, n))" }]
[[claim]]
name = "matrix"
start = "Inverse(S)*S"
steps = [{ relation = "=", right = "Identity(n)" }]
[[claim]]
name = "conditional"
start = "x/x"
steps = [{ relation = "=", right = "1" }]
where = ["x != 0"]
[[claim]]
name = "defined"
let = { m = "x + y" }
start = "m**2"
steps = [{ relation = "=", right = "x**2 + 2*x*y + y**2" }]
[[claim]]
name = "false"
start = "(x+y)**2"
steps = [{ relation = "=", right = "x**2 + y**2" }]
expect = "refuted"
[[claim]]
name = "broken"
start = "sqrt(x**2)"
steps = [{ relation = "=", right = "x" }, { relation = "=", right = "sqrt(x**2)" }]
expect = "unproved"
[[claim]]
name = "positive"
start = "p + 1/p"
steps = [{ relation = ">=", right = "2" }]
"""
VALUES = ["proved", "certified", "tested", "unknown", "refuted", "x", "y", 0, 1, 2, -1, "2",
          "normal", "points", "combination", "sign", [], {}, None, True, ["+", "x", 1], "=", "<=",
          "<", ""]
COUNT = 200


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("recheck") / "page.toml"
    path.write_text(PAGE)
    report = check_pages([path])
    assert not report.pages[0].errors
    return to_json(report)


def test_the_levels_are_what_the_page_is_about(stored):
    levels = {f.name: f.level for f in from_json(stored).findings}
    assert levels["chain"] == levels["sum"] == levels["defined"] == "proved"
    assert (levels["false"], levels["broken"]) == ("refuted", "unknown")


def test_an_unaltered_report_holds(stored):
    assert recheck(from_json(stored)) == []


def test_it_needs_neither_sympy_nor_numpy_nor_a_solver(stored, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(stored)
    code = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sympy", "numpy", "scipy", "cvxpy", "mpmath", "networkx"):
            raise ImportError(f"{name} is refused here")
sys.meta_path.insert(0, Refuse())
from proofs.cli import main
main()
"""
    run = subprocess.run([sys.executable, "-c", code, "recheck", str(path)], cwd=ROOT,
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "every level holds" in run.stdout
    path.write_text(stored.replace('"level": "unknown"', '"level": "proved"', 1))
    run = subprocess.run([sys.executable, "-c", code, "recheck", str(path)], cwd=ROOT,
                         capture_output=True, text=True)
    assert run.returncode == 1 and "the kernel says unknown" in run.stderr + run.stdout or (
        "from the steps follows unknown" in run.stderr)


def places(data, path=()):
    """Every place of plain data that holds no table and no list."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from places(value, (*path, key))
    elif isinstance(data, list) and data:
        for key, value in enumerate(data):
            yield from places(value, (*path, key))
    else:
        yield path


def altered(data, path, value):
    data = copy.deepcopy(data)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return data


def claims(text):
    """What a report says, level by level: (name, statements, level) of claims and steps."""
    data = json.loads(text)
    return [(f["name"], f["level"], f["met"], f["where"], f["rests_on"], f["start"], f["given"],
             f["symbols"], f["let"],
             [(s["statement"], s["level"], s["where"], s["rests_on"], s["relation"], s["right"])
              for s in f["steps"]]) for page in data["pages"] for f in page["findings"]]


def stands(text, original):
    """Whether a report passes as it is although it says something else than the original."""
    try:
        problems = recheck(from_json(text))
    except Unreadable:
        return False
    return not problems and claims(text) != claims(original)


def test_no_alteration_leaves_a_false_level_standing(stored):
    rng = random.Random(7)
    data = json.loads(stored)
    inside = [p for p in places(data["pages"]) if {"statement", "certificate", "level", "where",
              "rests_on", "met", "point", "relation", "right", "start", "given", "symbols",
              "witness", "expect"} & set(map(str, p))]
    for _ in range(COUNT):
        path = ("pages", *rng.choice(inside))
        text = json.dumps(altered(data, path, rng.choice(VALUES)))
        assert not stands(text, stored), f"{path} altered, and nothing was noticed"


def test_a_single_digit_of_a_certificate_or_hash_is_noticed(stored):
    hash_ = json.loads(stored)["pages"][0]["findings"][0]["steps"][0]["certificate"]["hash"]
    digit = "0" if hash_[5] != "0" else "1"
    problems = recheck(from_json(stored.replace(hash_, hash_[:5] + digit + hash_[6:])))
    assert any("the kernel says unknown" in p for p in problems)


def test_a_certificate_moved_to_another_statement_is_refused(stored):
    data = json.loads(stored)
    findings = data["pages"][0]["findings"]
    names = [f["name"] for f in findings]
    good, bad = findings[names.index("sum")], findings[names.index("false")]
    bad["steps"][0]["certificate"] = good["steps"][0]["certificate"]
    bad["steps"][0]["level"] = bad["level"] = "proved"
    assert recheck(from_json(json.dumps(data)))
    bad["steps"][0]["certificate"]["hash"] = "0" * 64
    assert recheck(from_json(json.dumps(data)))


def test_a_true_statement_cannot_stand_behind_a_false_line(stored):
    data = json.loads(stored)
    findings = data["pages"][0]["findings"]
    finding = next(f for f in findings if f["name"] == "defined")
    finding["steps"][0]["right"] = "x**2 + 3*x*y + y**2"
    problems = recheck(from_json(json.dumps(data)))
    assert any("not the one that its line says" in p for p in problems)


def test_a_level_without_witness_is_refused(stored):
    data = json.loads(stored)
    data["pages"][0]["findings"][0]["witness"] = None
    assert any("without a witness" in p for p in recheck(from_json(json.dumps(data))))
    data["pages"][0]["findings"][0]["witness"] = {"x": "1"}
    assert any("witness" in p for p in recheck(from_json(json.dumps(data))))
