"""From a page to a report: chains, expectations, lemmas, limits, bad input, interruption."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from proofs import Claim, at_most, below, equals
from proofs.check import check_pages
from proofs.finding import found
from proofs.report import to_json
from symbolic.kernel.check import RULES

HEAD = 'title = "T"\n[symbols]\nx = "real"\ny = "real"\np = "real > 0"\n'


def toml(tmp_path, text, name="page.toml", head=HEAD):
    path = tmp_path / name
    path.write_text(head + text)
    return path


def claim(name, start, *steps, **more):
    lines = [f"[[claim]]\nname = {name!r}\nstart = {start!r}"]
    lines += [f"{key} = {value!r}" for key, value in more.items()]
    written = ", ".join("{" + ", ".join(f"{k} = {v}" if k == "at" else f"{k} = {v!r}"
                                        for k, v in step.items()) + "}" for step in steps)
    return "\n".join([*lines, f"steps = [{written}]", ""])


def step(relation, right, **more):
    return {"relation": relation, "right": right, **more}


def one(tmp_path, text, **options):
    report = check_pages([toml(tmp_path, text)], **options)
    (finding,) = report.findings
    return finding


def test_a_chain_that_holds(tmp_path):
    finding = one(tmp_path, claim("a", "(x+y)**2", step("=", "x**2 + 2*x*y + y**2"),
                                  step(">=", "4*x*y"), says="Young."))
    assert (finding.level, finding.met, finding.shortfall) == ("proved", True, ())
    assert finding.witness and set(finding.witness) == {"x", "y"}
    assert [s.relation for s in finding.steps] == ["=", ">="]
    assert all(s.certificate and s.statement for s in finding.steps)
    assert {a.backend for a in finding.agreement} >= {"numpy64", "mpmath50"}
    assert finding.symbols == {"x": "real", "y": "real"}, "p is not used"


def test_a_false_step_breaks_the_argument_and_refutes_nothing_else(tmp_path):
    finding = one(tmp_path, claim("a", "(x+y)**2", step("=", "x**2 + y**2"),
                                  step("=", "x**2 + 2*x*y + y**2")))
    assert finding.level == "unknown" and not finding.met
    assert "broken at step 1" in finding.note
    assert finding.steps[0].level == "refuted" and finding.steps[0].point
    assert "step 1 (= x**2 + y**2) is false at" in finding.shortfall[0]


def test_only_the_whole_refutes(tmp_path):
    finding = one(tmp_path, claim("a", "(x+y)**2", step("=", "x**2 + 2*x*y + y**2"),
                                  step("=", "x**2 + y**2")))
    assert finding.level == "refuted"
    assert finding.point and finding.left != finding.right
    assert finding.whole is not None and finding.whole.level == "refuted"
    assert one(tmp_path, claim("a", "x + 1", step("=", "x"), expect="refuted")).met
    assert one(tmp_path, claim("a", "x + 1", step("=", "x"), expect="unproved")).met


def test_values_stand_in_the_order_of_the_page(tmp_path):
    finding = one(tmp_path, claim("a", "0*x + 2", step(">=", "3"), expect="refuted"))
    assert (finding.left, finding.right) == ("2", "3")
    assert finding.steps[0].values == ("2", "3")


def test_conditions_left_over_are_to_be_listed(tmp_path):
    finding = one(tmp_path, claim("a", "x/x", step("=", "1")))
    assert (finding.level, finding.met) == ("proved", False)
    (condition,) = finding.where
    assert f"add {condition!r} to the claim's `given`" in finding.shortfall[0]
    assert one(tmp_path, claim("a", "x/x", step("=", "1"), where=[condition])).met
    assert one(tmp_path, claim("a", "x/x", step("=", "1"), given=["x != 0"])).where == ()


def test_a_claim_about_no_point_says_nothing(tmp_path):
    finding = one(tmp_path, claim("a", "x + x", step("=", "2*x"), given=["x < 0", "x > 1"]))
    assert (finding.level, finding.witness) == ("unknown", None)
    assert "no point was found where" in finding.shortfall[0]


@pytest.mark.skipif("lemma" not in RULES, reason="the kernel has no rule `lemma`")
def test_a_lemma_is_used_with_terms_put_in(tmp_path):
    square = claim("square", "p", step("<=", "p**2"), given=["p >= 1"])
    use = claim("use", "x**2 + 1", step("<=", "(x**2+1)**2", using=["square"],
                                        at='{ p = "x**2 + 1" }'))
    report = check_pages([toml(tmp_path, use + square)])
    assert [f.level for f in report.findings] == ["proved", "proved"]
    assert report.findings[0].steps[0].using == ("square",)


@pytest.mark.parametrize(("text", "says"), [
    (claim("a", "x", step("=", "x", using=["b"])) + claim("b", "x", step("=", "x", using=["a"])),
     "a circle of claims that use each other"),
    (claim("a", "x", step("=", "x", using=["nowhere"])), "found using = 'nowhere'"),
    (claim("a", "x", step("=", "x", using=["cite:nobody1900"])), "references.bib"),
    (claim("a", "x", step("=", "x", by="magic")), "the name of a method"),
    (claim("a", "x", step("=", "x", by="normall")), "did you mean normal"),
    (claim("a", "z", step("=", "x")), "undeclared name z"),
    (claim("a", "sin(x, y)", step("=", "x")), "column 1"),
    (claim("a", "__import__('os')", step("=", "x")), "column"),
    (claim("a", "(" * 10_000 + "x" + ")" * 10_000, step("=", "x")), "nest"),
    (claim("a", "9" * 10_000, step("=", "x")), "digits"),
    (claim("a", "x", step("=", "x"), expect="prooved"), "did you mean proved"),
    (claim("good", "x", step("=", "x")), "a second claim named good"),
])
def test_bad_input_is_an_error_of_that_claim_alone(tmp_path, text, says):
    report = check_pages([toml(tmp_path, text + claim("good", "x + x", step("=", "2*x")))])
    (page,) = report.pages
    assert any(says in error for error in page.errors), page.errors
    assert all("claim " in error for error in page.errors)
    assert [f.name for f in page.findings] == ["good"]
    assert report.code == 2


def test_pages_that_cannot_be_read_do_not_stop_the_others(tmp_path):
    good = toml(tmp_path, claim("good", "x + x", step("=", "2*x")))
    report = check_pages([tmp_path / "none.toml", good])
    assert [bool(p.errors) for p in report.pages] == [True, False]
    assert report.findings[0].met and report.code == 2


def test_a_step_that_overruns_is_unknown_and_the_rest_goes_on(tmp_path):
    hard = claim("hard", "Sum(sin(x*u)**3*exp(-u*y), (u, 1, 40))", step("<=", "x**2 + y**2 + 40"))
    report = check_pages([toml(tmp_path, hard + claim("good", "x + x", step("=", "2*x")))],
                         timeout=0.05)
    assert report.findings[0].level in ("unknown", "tested", "refuted")
    assert report.findings[1].level == "proved"


def test_executors_and_serial_runs_agree(tmp_path):
    text = claim("a", "(x+y)**2", step("=", "x**2 + 2*x*y + y**2"), step(">=", "4*x*y"))
    text += claim("b", "x", step("=", "y"), expect="refuted")
    path = toml(tmp_path, text)

    def told(report):
        return [(f.name, f.level, f.met, f.point, [s.certificate for s in f.steps])
                for f in report.findings]

    serial = told(check_pages([path]))
    with ThreadPoolExecutor(1) as executor:
        assert told(check_pages([path], executor=executor)) == serial
    assert told(check_pages([path], jobs=2)) == serial


def test_the_same_seed_gives_the_same_report(tmp_path):
    path = toml(tmp_path, claim("a", "sin(x)**2", step("=", "1 - cos(x)**2")))

    def told():
        report = check_pages([path], seed=3)
        return [replace(f, seconds=0.0, steps=tuple(replace(s, seconds=0.0) for s in f.steps))
                for f in report.findings]

    assert told() == told()


def test_an_earlier_report_saves_the_search_but_grants_nothing(tmp_path, monkeypatch):
    path = toml(tmp_path, claim("a", "x + x", step("=", "2*x")))
    earlier = check_pages([path])

    def never(*_):
        raise AssertionError("searched")

    monkeypatch.setattr("symbolic.prove.prove", never)
    assert check_pages([path], earlier=earlier).findings[0].level == "proved"
    other = toml(tmp_path, claim("a", "x + x", step("=", "3*x")), "other.toml")
    assert check_pages([other], earlier=earlier).findings[0].level == "unknown"


def test_ctrl_c_leaves_a_readable_partial_report(tmp_path):
    text = "".join(claim(f"c{k}", "x + x", step("=", "2*x")) for k in range(5))
    kept = []

    def stop(name, done, total):
        if done == 2:
            os.kill(os.getpid(), signal.SIGINT)

    assert threading.current_thread() is threading.main_thread()
    report = check_pages([toml(tmp_path, text)], on_progress=stop, keep=kept.append)
    assert report.interrupted and 2 <= len(report.findings) < 5
    assert to_json(kept[-1]) == to_json(report)


def test_a_claim_without_start_is_tested_at_most(tmp_path):
    page = tmp_path / "page.py"
    page.write_text('''"""Measured."""
from proofs import Claim
def right(point, xp, rng):
    return point["x"] * 2, point["x"] + point["x"]
def wrong(point, xp, rng):
    return point["x"], point["x"] + 1
SYMBOLS = {"x": "real"}
CLAIMS = (
    Claim(name="right", symbols={"x": "real"}, measure=right, expect="tested"),
    Claim(name="wrong", symbols={"x": "real"}, measure=wrong, expect="tested"),
)
''')
    right, wrong = check_pages([page]).findings
    assert (right.level, right.met) == ("tested", True)
    assert (wrong.level, wrong.met) == ("unknown", False)
    assert any("disagree" in line for line in wrong.shortfall)


def test_a_simulation_that_disagrees_fails_a_proved_claim(tmp_path):
    page = tmp_path / "page.py"
    page.write_text('''"""Measured."""
from proofs import Claim, equals
SYMBOLS = {"x": "real"}
CLAIMS = (Claim(name="a", start="x + x", steps=(equals("2*x", by="normal"),),
                measure=lambda point, xp, rng: point["x"] * 3),)
''')
    (finding,) = check_pages([page]).findings
    assert finding.level == "proved" and not finding.met
    assert "disagree on simulation" in finding.shortfall[0]


def test_the_verbs_are_offered():
    import proofs
    assert {"Claim", "equals", "at_most", "below", "derived"} <= set(proofs.__all__)
    assert Claim("a", start="x", steps=(equals("x"), at_most("x"), below("x"))).steps
    with pytest.raises(AttributeError, match="proofs offers no"):
        proofs.nothing  # noqa: B018
    assert callable(found)
