"""`attnproof train regularised` and `train blocks`: results with figures, each run done once."""

import json
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from numeric import train
from proofs.cli import app

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: "
                                 "pip install 'attnproof[torch]'")


def run(*arguments):
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


@needs_torch
def test_regularised_training_end_to_end(tmp_path):
    command = ("regularised", "--seeds", "4", "--starts", 0, "--values", 3, "--largest", "1e-3",
               "--smallest", "1e-5", "-o", tmp_path)
    found = run(*command, "--json")
    assert found.exit_code == 0, found.output
    one, = json.loads(found.output)["ours"]
    told = {s["start"]: s["verdict"] for s in one["starts"]}
    assert told["zero"] == "certified not global" and set(told) == {"teacher", "zero"}
    kernel = {s["start"]: s["kernel"] for s in one["starts"]}
    assert kernel["zero"]["level"] == "certified" and kernel["teacher"] is None
    assert one["best"]["bound holds"] and one["best"]["regular"] and not one["best"]["broken"]
    assert 0.95 <= one["best"]["slopes"]["objective"] <= 1.02
    assert one["best"]["slopes"]["loss"] >= 1.5
    assert (tmp_path / "regularised.png").exists()
    before = (tmp_path / "runs.jsonl").read_text()
    again = run(*command)
    assert (tmp_path / "runs.jsonl").read_text() == before
    assert "certified not global" in again.output and "Not claimed" in again.output
    assert "certified global" not in again.output


@needs_torch
def test_blocks_end_to_end(tmp_path):
    data = tmp_path / "pair.json"
    data.write_text('[{"input": [["0", "0"], ["1/2", "0"]], "output": [["1", "1"]]}]')
    command = ("blocks", data, "--blocks", "1,2", "--seeds", "0", "--steps", 20, "-o", tmp_path)
    found = run(*command, "--json")
    assert found.exit_code == 0, found.output
    one, = json.loads(found.output)["ours"]
    assert (one["dataset"], one["N"], one["M"]) == ("pair", 1, 1)
    assert [t["L"] for t in one["trained"]] == [1, 2] and one["built"]["uniform"]["bound"] == 5
    assert (tmp_path / "blocks.png").exists()
    before = (tmp_path / "runs.jsonl").read_text()
    assert "built exactly with L_U = 3" in run(*command).output
    assert (tmp_path / "runs.jsonl").read_text() == before


@pytest.mark.parametrize("arguments, words", [
    (("blocks", "--blocks", "0"), "at least one block"),
    (("blocks", "--pool", "3"), "larger pool"),
    (("blocks", "missing.json"), "missing.json"),
    (("regularised", "--largest", "1e-7"), "from the larger to the smaller"),
    (("regularised", "--seeds", "one"), "whole numbers with commas")])
def test_misuse_is_one_line(arguments, words):
    found = run(*arguments)
    assert found.exit_code == 2 and words in found.output and "Traceback" not in found.output


def test_two_datasets_of_one_name_are_refused(tmp_path):
    text = '[{"input": [["0", "0"]], "output": [["1", "1"]]}]'
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.json").write_text(text)
    found = run("blocks", tmp_path / "a" / "one.json", tmp_path / "b" / "one.json")
    assert found.exit_code == 2 and "second dataset named 'one'" in found.output


@pytest.mark.parametrize("command", ["regularised", "blocks"])
def test_without_torch_the_error_names_the_extra(monkeypatch, tmp_path, command):
    monkeypatch.setattr(train, "find_spec", lambda name: None)
    found = run(command, "-o", tmp_path)
    assert found.exit_code == 2 and "attnproof[torch]" in found.output
