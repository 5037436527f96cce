"""Training goes on where it was stopped, sweeps lose nothing, models are what they say they are."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from numeric import language, sweep, train, transformer, warm
from numeric.attention import kuramoto
from numeric.language import Model
from numeric.train import Absent, Budget
from numeric.transformer import Architecture

ROOT = Path(__file__).parents[2]
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: "
                                 "pip install 'attnproof[torch]'")
START = {"w": np.zeros((3, 1)), "b": np.zeros(1)}


def batch(step):
    import torch
    x = np.random.default_rng([3, step]).normal(size=(16, 3))
    return torch.from_numpy(x), torch.from_numpy(x @ [[1.0], [-2.0], [0.5]] + 3)


def loss(p, xy):
    return ((xy[0] @ p["w"] + p["b"] - xy[1]) ** 2).mean()


@needs_torch
def test_a_linear_law_is_found_and_the_curve_falls():
    found = train.fit(START, loss, batch, Budget(300, rate=0.1, warmup=10))
    assert np.allclose(found.parameters["w"][:, 0], [1, -2, 0.5], atol=1e-3)
    assert abs(found.parameters["b"][0] - 3) < 1e-3
    assert found.curve[-1][0] == 300 and found.curve[-1][1] < 1e-3 * found.curve[0][1]


@needs_torch
def test_a_stopped_run_goes_on_as_if_it_never_stopped(tmp_path):
    budget, store, seen = Budget(60, rate=0.05), tmp_path / "a" / "run.pt", []
    whole = train.fit(START, loss, batch, budget, name="law")

    def stop(step, value):
        seen.append(step)
        if step == 37:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        train.fit(START, loss, batch, budget, name="law", store=store, every=0, tell=stop)
    seen.clear()
    again = train.fit(START, loss, batch, budget, name="law", store=store, every=0,
                      tell=lambda step, value: seen.append(step))
    assert 30 < seen[0] <= 37 and seen[-1] == 60
    assert again.curve == whole.curve
    for name, value in whole.parameters.items():
        assert np.array_equal(again.parameters[name], value)
    with pytest.raises(ValueError, match="checkpoint of .law"):
        train.fit(START, loss, batch, budget, name="another", store=store)


@needs_torch
def test_a_loss_that_is_no_number_is_noted():
    found = train.fit(START, lambda p, xy: loss(p, xy) * float("nan"), batch, Budget(5))
    assert "nan at step 1" in found.note and not found.curve


def test_budgets():
    budget = Budget(1000, rate=1.0, warmup=100)
    assert budget.rate_at(0) == 0.01 and budget.rate_at(99) == 1.0
    assert budget.rate_at(550) == pytest.approx(0.5) and budget.rate_at(999) < 1e-4
    with pytest.raises(ValueError, match="at least one step"):
        Budget(0)


def test_without_torch_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(train, "find_spec", lambda name: None)
    with pytest.raises(Absent, match=r"attnproof\[torch\]"):
        train.fit(START, loss, batch, Budget(1))


def square(run):
    return {"square": run["x"] ** 2}


RUNS = [{"x": x} for x in range(6)]


def test_runs_are_done_once_and_in_order(tmp_path):
    path, done = tmp_path / "runs.jsonl", []
    sweep.sweep(square, RUNS[2:4], path)

    def counted(run):
        done.append(run["x"])
        return square(run)
    rows = sweep.sweep(counted, RUNS, path)
    assert [r["square"] for r in rows] == [0, 1, 4, 9, 16, 25] and done == [0, 1, 4, 5]
    assert len(path.read_text().splitlines()) == 6
    assert sweep.key({"a": 1, "b": 2}) == sweep.key({"b": 2, "a": 1}) != sweep.key({"a": 2})


def test_processes_give_the_same_rows(tmp_path):
    told = []
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        rows = sweep.sweep(square, RUNS, tmp_path / "runs.jsonl", pool,
                           lambda row, done, total: told.append((done, total)))
    assert rows == sweep.sweep(square, RUNS)
    assert told == [(k, 6) for k in range(1, 7)]


def test_a_line_cut_short_is_done_again_and_a_foreign_line_refused(tmp_path):
    path = tmp_path / "runs.jsonl"
    sweep.sweep(square, RUNS[:3], path)
    path.write_text(path.read_text()[:-9])
    assert len(sweep.stored(path)) == 2
    assert len(sweep.sweep(square, RUNS[:4], path)) == 4
    assert [json.loads(line)["run"]["x"] for line in path.read_text().splitlines()] == [0, 1, 2, 3]
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(ValueError, match="line 1 is no result"):
        sweep.stored(path)


SLOW = """
import sys, time
from pathlib import Path
from numeric.sweep import sweep

def task(run):
    time.sleep(0.15)
    with open(sys.argv[2], "a") as file:
        file.write(f"{run['x']}\\n")
    return {"square": run["x"] ** 2}

sweep(task, [{"x": x} for x in range(6)], Path(sys.argv[1]))
"""


def test_a_killed_sweep_repeats_and_loses_nothing(tmp_path):
    path, log = tmp_path / "runs.jsonl", tmp_path / "log"
    command = [sys.executable, "-c", SLOW, str(path), str(log)]
    child = subprocess.Popen(command, cwd=ROOT)
    end = time.monotonic() + 60
    while time.monotonic() < end and (not path.exists() or path.read_text().count("\n") < 2):
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    before = sweep.stored(path)
    assert 2 <= len(before) < 6
    subprocess.run(command, cwd=ROOT, check=True)
    after = sweep.stored(path)
    assert {r["run"]["x"]: r["square"] for r in after.values()} == {x: x * x for x in range(6)}
    assert path.read_text().count("\n") == 6
    # A run may be done twice only where the kill fell between its end and its line.
    done = log.read_text().split()
    assert set(done) == set("012345") and len(done) <= 7


@pytest.mark.parametrize("d, heads, width, hidden, count", [
    (4, (2,), 16, 32, 3313), (4, (1,), 16, 32, 2793), (4, (1, 1), 16, 32, 4401),
    (4, (2, 2), 32, 64, 16993), (4, (1, 2), 32, 64, 15961)])
def test_sizes_of_the_class_token_transformer(d, heads, width, hidden, count):
    """The counts of the runs that these experiments repeat."""
    sizes = Architecture(d, heads, width, 8, hidden)
    weights = transformer.initial(sizes, np.random.default_rng(0))
    assert sizes.parameters() == count == sum(w.size for w in weights.values())


def test_the_transformer_is_the_same_on_every_library():
    sizes = Architecture(3, (2, 1), 8, 4, 16, positions=5, outputs=2)
    rng = np.random.default_rng(1)
    weights = transformer.initial(sizes, rng)
    x = rng.normal(size=(4, 5, 3)).astype(np.float32)
    here = transformer.forward(weights, x)
    assert here.shape == (4, 2)
    assert sizes.parameters() == sum(w.size for w in weights.values())
    if find_spec("torch"):
        import torch
        there = transformer.forward({k: torch.from_numpy(w) for k, w in weights.items()},
                                    torch.from_numpy(x))
        assert np.abs(there.numpy() - here).max() < 1e-5
    if find_spec("jax"):
        import jax
        there = jax.jit(transformer.forward)(weights, x)
        assert np.abs(np.asarray(there) - here).max() < 1e-5


def test_places_are_told_apart_only_where_there_are_some():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(4, 5, 3)).astype(np.float32)
    for places, same in ((0, True), (5, False)):
        weights = transformer.initial(Architecture(3, (2, 1), 8, 4, 16, places), rng)
        gap = np.abs(transformer.forward(weights, x) - transformer.forward(weights, x[:, ::-1]))
        assert (gap.max() < 1e-5) == same
    with pytest.raises(ValueError, match="a head or more"):
        Architecture(3, (), 8)


@pytest.mark.parametrize("d, count, heads", [(4, 2, (2, 2)), (2, 1, (1, 1)), (3, 3, (3, 3))])
def test_the_explicit_start_computes_sums_of_maxima_of_forms(d, count, heads):
    rng = np.random.default_rng(6)
    forms, c = rng.normal(size=(count, d, d)), rng.uniform(0.5, 1.5, count)
    x = rng.normal(size=(500, 16, d)).astype(np.float32)
    y = sum(w * np.einsum("bsi,ij,btj->bst", x, M, x).max((1, 2))
            for w, M in zip(c, forms, strict=True))
    sizes = Architecture(d, heads, 32, 8, 64)
    weights = warm.start(forms, c, sizes, rng, y.mean(), y.std())
    assert {k: v.shape for k, v in weights.items()} == {
        k: v.shape for k, v in transformer.initial(sizes, rng).items()}
    out = transformer.forward(weights, x)[:, 0]
    # GELU's fourth order takes up to a hundredth of a product, beta = 30 a little of a maximum.
    assert np.mean((out - (y - y.mean()) / y.std()) ** 2) < 5e-3
    assert np.corrcoef(out, y)[0, 1] > 0.999


def test_an_explicit_start_with_a_head_too_few_is_worse():
    rng = np.random.default_rng(6)
    forms, x = rng.normal(size=(2, 4, 4)), rng.normal(size=(500, 16, 4)).astype(np.float32)
    y = np.einsum("bsi,kij,btj->bkst", x, forms, x).max((2, 3)).sum(1)
    for heads, least, most in (((2, 2), 0.999, 1), ((1, 2), 0, 0.95), ((2, 1), 0, 0.95)):
        weights = warm.start(forms, [1, 1], Architecture(4, heads, 32, 8, 64), rng)
        assert least < np.corrcoef(transformer.forward(weights, x)[:, 0], y)[0, 1] < most
    for sizes in (Architecture(4, (2, 2), 8), Architecture(4, (2, 2), 32, 4),
                  Architecture(4, (2, 2), 32, 8, 16), Architecture(4, (2,), 32)):
        with pytest.raises(ValueError, match="warm start: found"):
            warm.start(forms, [1, 1], sizes, rng)


def test_ablations_have_the_size_of_the_full_model():
    wanted = language.size(Model())
    for kind in (*language.ABLATIONS, "transformer"):
        model = language.matched(kind)
        weights = language.initial(model, 95, np.random.default_rng(0))
        assert sum(w.size for w in weights.values()) == language.size(model)
        # Without a feedforward net only k is left to grow, by 4 a step.
        assert abs(language.size(model) - wanted) < (0.055 if kind == "no-ffn" else 0.005) * wanted
    assert language.matched("full") == Model()
    with pytest.raises(ValueError, match="kind"):
        Model("larger")


TINY = Model(k=8, heads=2, layers=2, hidden=12)


@needs_torch
@pytest.mark.parametrize("kind", (*language.ABLATIONS, "transformer"))
def test_the_past_decides_and_nothing_else(kind):
    import torch
    model = replace(TINY, kind=kind)
    rng = np.random.default_rng(4)
    weights = {k: torch.from_numpy(w) for k, w in language.initial(model, 11, rng).items()}
    tokens = torch.from_numpy(rng.integers(0, 11, (3, 9)))
    other = tokens.clone()
    other[:, 6:] = (other[:, 6:] + 1) % 11
    here, there = (language.logits(model, weights, t) for t in (tokens, other))
    assert here.shape == (3, 9, 11)
    assert float((here - there)[:, :6].abs().max()) < 1e-5
    assert float((here - there)[:, 6:].abs().max()) > 1e-3


@needs_torch
@pytest.mark.parametrize("kind", ("full", "no-gates", "no-ffn"))
def test_the_trained_layer_is_the_layer_of_the_claims(kind):
    import torch
    model = replace(TINY, kind=kind)
    rng = np.random.default_rng(5)
    weights = language.initial(model, 11, rng)
    tokens = rng.integers(0, 11, (2, 9))
    fast = language.logits(model, {k: torch.from_numpy(w) for k, w in weights.items()},
                           torch.from_numpy(tokens))
    theta = weights["embedding"][tokens].astype(float)
    for i in range(model.layers):
        theta = np.stack([kuramoto.forward(one, language.layer(model, weights, i),
                                           model.preset()).theta for one in theta])
    exact = kuramoto.readout(theta, weights["prototypes"], weights["beta"], weights["bias"])
    assert np.abs(fast.numpy() - exact).max() < 1e-4
    rows = language.diagnose(model, weights, tokens)
    assert [r["layer"] for r in rows] == [1, 2]
    for row in rows:
        assert 0 <= row["excluded"] <= 1 and 0 <= row["global"] <= 1
        assert row["local"] <= 1 and row["own"] > 1 / 9 and 0 <= row["repelling"] <= 1


def test_text_and_guesses():
    data = language.corpus(language.text())
    assert len(data.train) + len(data.held) > 300_000 and len(data.alphabet) < 300
    guess = language.guesses(data)
    assert guess["bigram"] < guess["unigram"] < np.log2(len(data.alphabet))
    samples = data.batch(np.random.default_rng(0), 5)
    assert samples.shape == (5, language.CONTEXT + 1)
    small = language.corpus("abab" * 500)
    assert language.guesses(small)["bigram"] < 0.05 < 0.99 < language.guesses(small)["unigram"]


@needs_torch
def test_the_language_model_learns_more_than_counts_of_characters():
    from proofs.training import language as experiment
    run, = experiment.runs(["full"], [0], 40, batch=8)
    row = experiment.do(run)
    guess = language.guesses(language.corpus(language.text()))
    assert not row["note"] and row["bits"] < guess["unigram"]
    assert len(row["layers"]) == 3 and row["parameters"] > 90_000
