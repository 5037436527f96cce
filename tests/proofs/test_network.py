"""`attnproof network`: sizes as the formula says, errors within eps, refusals in one line."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from proofs.cli import app

run = CliRunner().invoke


@pytest.mark.parametrize("target", ["min-dot", "pairwise", "second-largest", "relay"])
def test_a_network_is_measured_and_stored(target, tmp_path):
    file = tmp_path / "network.npz"
    found = run(app, ["network", target, "--tokens", "4,32", "--eps", "0.1", "--json",
                      "-o", str(file)])
    rows = json.loads(found.stdout)["networks"]
    assert found.exit_code == 0 and [r["T"] for r in rows] == [4, 32]
    assert all(0 < r["error"] <= r["eps"] for r in rows)
    assert (rows[0]["parameters"] == rows[1]["parameters"]) == (target != "second-largest")
    assert rows[0]["largest weight"] < rows[1]["largest weight"]
    stored = np.load(file)
    assert max(abs(stored[n]).max() for n in stored if n.startswith("layer")) == pytest.approx(
        rows[1]["largest weight"])


@pytest.mark.parametrize("wrong, says", [
    (["nothing"], "needed one of"), (["min-dot", "--eps", "2"], "--eps"),
    (["min-dot", "--tokens", "1"], "--tokens"), (["min-dot", "--library", "x"], "--library"),
    (["min-dot", "-o", "a.txt"], ".npz")])
def test_misuse_is_one_line(wrong, says):
    found = run(app, ["network", *wrong])
    assert found.exit_code == 2 and says in found.stderr and found.stderr.count("\n") == 1
