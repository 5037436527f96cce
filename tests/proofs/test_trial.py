"""A sealed prediction is trained as it was sealed, beside its control, and every seed is told."""

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from infoflow import batch, flow
from infoflow.predict import architecture, predict
from infoflow.task import load
from infoflow.tree import tree
from numeric import train
from proofs import seal, trial
from proofs.cli import app
from proofs.training import probe
from proofs.trial import Setting

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: "
                                 "pip install 'attnproof[torch]'")
QUICK = ["--steps", "20", "--width", "16", "--hidden", "16", "--tokens", "6"]


def sealed(name, **options):
    return seal.sealed(predict(load(name), architecture(**options)))


def told(content):
    return [(e.part, e.heads) for e in trial.entrants(content)]


def test_beside_what_is_enough_stands_one_head_fewer():
    assert told(sealed("unary-2")) == [("enough", (2,)), ("enough", (1, 1)), ("short", (1,))]
    assert told(sealed("unary-4")) == [
        ("enough", (4,)), ("enough", (2, 2)), ("enough", (1, 1, 1, 1)),
        ("short", (3,)), ("short", (1, 2)), ("short", (2, 1)), ("short", (1, 1, 1))]
    assert told(sealed("pairwise-3", heads=(3, 3))) == [
        ("enough", (3, 3)), ("short", (2, 3)), ("short", (3, 2))]
    assert told(sealed("min-dot")) == [("enough", (1, 1)), ("short", (1,))]


def test_beside_what_is_short_stands_the_least_that_is_enough():
    assert told(sealed("shared-first-layer", heads=(2, 1))) == [("short", (2, 1)),
                                                                ("enough", (1, 2))]


@pytest.mark.parametrize("name", ["triangle", "cycle-4", "third-largest", "opaque-triple"])
def test_beside_what_is_hard_stands_an_order_2_control_of_equal_budget(name):
    hard, control = trial.entrants(sealed(name))
    assert (hard.part, control.part, hard.heads) == ("hard", "control", control.heads)
    assert tree(hard.task).order > 2 == tree(control.task).order
    first, second = trial.runs(sealed(name), [0], Setting())
    differ = {k for k in first if first[k] != second[k]}
    assert differ == {"part", "task"} | ({"seal"} & differ)


def test_the_control_of_the_triangle_is_the_norm_of_a_pair():
    control = trial.control(load("triangle"))
    forms = [[c.canon for c in tree(t).comparators] for t in (control, load("triangle-control"))]
    assert forms[0] == forms[1]
    assert trial.control(load("parity")) is None


def test_a_sealed_width_is_the_width():
    assert {r["width"] for r in trial.runs(sealed("unary-2", width=24), [0], Setting())} == {24}
    assert {r["width"] for r in trial.runs(sealed("pairwise-6"), [0], Setting())} == {
        max(m["width"] for m in sealed("pairwise-6")["prediction"]["minimal"])}


def test_ratios_take_every_seed():
    def row(part, heads, **nmse):
        return {"part": part, "task": "t", "heads": heads, "nmse": nmse,
                "median": sorted(nmse.values())[len(nmse) // 2]}
    good, bad = row("enough", [2], a=1.0, b=2.0, c=3.0), row("short", [1], a=2.5, b=8.0, c=9.0)
    found, = trial._comparisons([good, bad])
    assert (found["ratio"], found["as predicted"], found["every seed"]) == (4.0, True, False)
    found, = trial._comparisons([row("enough", [2], a=4.0), row("short", [1], a=2.0)])
    assert not found["as predicted"] and not found["every seed"]


@needs_torch
def test_a_trial_runs_goes_on_and_keeps_every_seed(tmp_path):
    sealing = tmp_path / "unary.json"
    seal.write(predict(load("unary-2")), sealing)
    command = ["trial", str(sealing), *QUICK, "-o", str(tmp_path / "out")]
    runner = CliRunner()
    first = runner.invoke(app, [*command, "--seeds", "0"])
    assert first.exit_code == 0, first.output
    assert "unary-2 (1) is" in first.output and "times unary-2 (1,1)" in first.output
    again = runner.invoke(app, [*command, "--seeds", "0,1", "--json"])
    assert again.exit_code == 0, again.output
    result = json.loads(again.output)
    lines = (tmp_path / "out" / "runs.jsonl").read_text().splitlines()
    assert len(lines) == 6 and len({json.loads(line)["key"] for line in lines}) == 6
    assert result == json.loads((tmp_path / "out" / "result.json").read_text())
    assert [list(e["nmse"]) for e in result["entrants"]] == [["0", "1"]] * 3
    assert all(0 < v < 3 for e in result["entrants"] for v in e["nmse"].values())
    for row in map(json.loads, lines):
        attention = row["attention"]["mean"]
        assert len(attention) == row["run"]["heads"][-1]
        assert all(abs(sum(head) - 1) < 1e-3 and len(head) == 7 for head in attention)
        assert {p["term"] for p in row["probes"]} == {1, 2}
    assert result["seal"] == seal.read(sealing)["hash"]
    assert result["sealed"] <= result["first run ended"]
    assert (tmp_path / "out" / "trial.png").stat().st_size > 5000
    assert not list((tmp_path / "out" / "checkpoints").glob("*.pt"))


def test_a_token_in_a_state_is_found_and_another_is_not():
    """States that hold the winner, and noise: the line finds it, and nothing of the runner-up."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 8, 4))
    task = load("max")
    found = tree(task)
    env = flow.draw(task, 8, rng)[1]
    order = batch.rankings(found, X, env)[0, found.nodes[0].step.index]
    scores = X @ env["w"]
    assert (np.take_along_axis(scores, order, 1) == np.sort(scores, axis=1)[:, [-1, -2]]).all()
    best = X[np.arange(2000), order[:, 0]]
    states = np.hstack([best @ rng.normal(size=(4, 6)), rng.normal(size=(2000, 3))])
    assert probe._error(states, best) < 1e-4
    assert probe._error(states, X[np.arange(2000), order[:, 1]]) > 0.5
    assert probe._error(rng.normal(size=(2000, 9)), best) > 0.95
    rows = [{"term": 1, "index": "t", "layer": k, "winner": {"ratio": r}, "runner-up": {"ratio": 1}}
            for k, r in ((1, 0.9), (2, 0.1))]
    assert probe.summary(rows) == [{"term": 1, "index": "t", "layer": 2, "winner": 0.1,
                                    "runner-up": 1}]


@pytest.mark.parametrize("name", ["pairwise-2", "min-dot", "pairwise-3"])
def test_the_explicit_start_is_that_of_the_task(name):
    task = load(name)
    env = flow.draw(task, 8, np.random.default_rng(3))[1]
    X = np.random.default_rng(4).normal(size=(20, 8, task.d))
    forms = trial.bilinear(task, env)
    total = sum(c * np.einsum("bsi,ij,btj->bst", X, M, X).max((1, 2)) for M, c in forms)
    assert np.allclose(total, batch.values(tree(task), X, env)[:, 0])


@pytest.mark.parametrize("name", ["unary-2", "triangle", "shared-first-layer", "mean", "induction",
                                  "parity", "opaque-pair", "pair-distinct"])
def test_other_tasks_have_no_explicit_start(name):
    task = load(name)
    assert trial.bilinear(task, flow.draw(task, 8, np.random.default_rng(3))[1]) is None


def test_a_changed_seal_is_refused(tmp_path):
    sealing = tmp_path / "unary.json"
    seal.write(predict(load("unary-2")), sealing)
    sealing.write_text(sealing.read_text().replace('"efficient"', '"predicted hard"', 1))
    found = CliRunner().invoke(app, ["trial", str(sealing), *QUICK])
    assert found.exit_code == 2 and "does not fit its hash" in found.output


def test_without_torch_the_error_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    sealing = Path("unary.json")
    seal.write(predict(load("unary-2")), sealing)
    for command in (["trial", str(sealing)], ["train", "kuramoto-lm", "--steps", "1"]):
        found = CliRunner().invoke(app, command)
        assert found.exit_code == 2 and "attnproof[torch]" in found.output


@needs_torch
def test_the_language_model_is_told_beside_the_quoted_numbers(tmp_path):
    command = ["train", "kuramoto-lm", "--steps", "3", "--batch", "2", "--layers", "1",
               "--width", "8", "--models", "transformer,full,no-ffn", "-o", str(tmp_path)]
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 0, found.output
    assert "+0.27" in found.output and "No parity" in found.output or "no parity" in found.output
    result = json.loads((tmp_path / "result.json").read_text())
    table, = result["ours"]
    assert [m["model"] for m in table["models"]] == ["transformer", "full", "no-ffn"]
    assert table["above full"].keys() == {"transformer", "no-ffn"}
    assert "1.637" in json.dumps(result["quoted"]) and (tmp_path / "kuramoto-lm.png").exists()


@pytest.mark.parametrize("options, says", [
    (["--models", "gpt"], "'gpt'"), (["--seeds", "x"], "whole numbers"),
    (["--heads", "5"], "heads"),
])
def test_misuse_is_one_line(options, says):
    found = CliRunner().invoke(app, ["train", "kuramoto-lm", *options])
    assert found.exit_code == 2 and says in found.output
    assert len(found.output.strip().splitlines()) == 1
