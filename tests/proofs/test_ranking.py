"""The rank correlation of cost and error is what it says, and every task can be trained."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from scipy.stats import spearmanr
from typer.testing import CliRunner

from infoflow.task import shipped_tasks
from proofs import trial
from proofs.cli import app
from proofs.training import ranking
from proofs.trial import Setting


def test_correlation_is_spearmans():
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 5, (20, 2)).astype(float)
    found = ranking.correlation(pairs)
    assert found["spearman"] == pytest.approx(spearmanr(*pairs.T).statistic, abs=1e-4)
    low, high = found["interval"]
    assert -1 <= low < found["spearman"] < high <= 1
    assert ranking.correlation(pairs) == found
    assert ranking.correlation(np.ones((5, 2)))["spearman"] is None
    rising = np.arange(10.0)
    assert ranking.correlation(np.stack([rising, rising**3], 1))["spearman"] == 1


def test_costs_are_exponents_of_the_laws():
    setting = Setting(tokens=32, width=16)
    costs = {r["task"]["name"]: ranking.cost(r) for r in ranking.runs(
        ["max", "mean", "triangle", "third-largest", "parity"], [0], (2, 2), setting)}
    assert costs == pytest.approx({"max": 1, "mean": 0, "triangle": 2 * 32 / 16 - 1, "parity": 1,
                                   "third-largest": 4 * 32 / 16 - 1})


@pytest.mark.parametrize("name", shipped_tasks())
def test_every_shipped_task_has_inputs_and_targets(name):
    run, = ranking.runs([name], [0], (2, 2), Setting(tokens=6, width=16))
    found, env = trial._letters("", run["tokens"], trial._frozen(run["task"]))
    x, y = trial._draw(found, env, run, 50, 0)
    assert x.shape == (50, run["tokens"], found.task.d) and x.dtype == np.float32
    assert len(y) == 50 and np.isfinite(y).all() and y.std() > 0.01


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: pip install "
                    "'attnproof[torch]'")
def test_tasks_are_ranked_and_drawn(tmp_path):
    command = ["train", "tasks", "max", "mean", "third-largest", "--steps", "10", "--tokens", "6",
               "--hidden", "8", "-o", str(tmp_path), "--json"]
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 0, found.output
    result = json.loads(found.output)
    assert [t["task"] for t in result["tasks"]][0] == "mean"
    assert result["rank correlation"]["tasks"] == 3 and (tmp_path / "tasks.png").exists()
    unknown = CliRunner().invoke(app, ["train", "tasks", "maxx"])
    assert unknown.exit_code == 2 and "maxx" in unknown.output
