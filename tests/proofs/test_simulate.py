"""Experiments: three routes to one covariance, and every bad input refused by its key."""

import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from numeric import gaussian
from proofs.cli import app
from proofs.simulate.account import account, exact_rank
from proofs.simulate.command import SHIPPED
from proofs.simulate.experiment import Unreadable, load, read
from proofs.simulate.run import model_of, simulate, tokens_of

ROOT = Path(__file__).parents[2]
GOOD = """variant = "softmax"
A = [[0, 1], [0, 0]]
V = "identity"
S0 = [[1, 0], [0, 1]]
horizon = 0.5
"""
KEYS = {"path", "title", "variant", "d", "horizon", "status", "note", "last_time", "blow_up",
        "times", "means", "covariances", "eigenvalues", "closed", "rank", "kappa", "tokens",
        "rates", "seconds", "disagreements", "figures"}


def told(text):
    return account(simulate(read(text)))


def test_the_equation_meets_the_closed_form():
    """V = 1, A nilpotent: S(t) = [[1, t], [t, 1]] / (1 - t^2)."""
    data = told(GOOD)
    for t, S in zip(data["times"], data["covariances"], strict=True):
        assert np.allclose(S, np.array([[1, t], [t, 1]]) / (1 - t * t), rtol=1e-9)
    assert data["status"] == "reached" and data["last_time"] == 0.5 and data["blow_up"] is None
    assert data["closed"]["error"] < 1e-9 and data["disagreements"] == []


def test_beyond_the_blow_up_stands_the_last_time_and_an_estimate():
    data = told(GOOD.replace("0.5", "3"))
    assert data["status"] == "blow_up" and data["last_time"] < 1
    assert data["blow_up"]["closed"] == pytest.approx(1, rel=1e-12)
    assert data["blow_up"]["estimated"] == pytest.approx(1, rel=1e-8)
    assert np.isfinite(data["covariances"]).all() and data["disagreements"] == []


def test_l2_blows_up_where_k_is_not_injective():
    """S12 = 1/(2 - 2t/3), S22 = 4 S12^2, T* = 3."""
    data = account(simulate(load(SHIPPED / "l2_blow_up.toml")))
    assert data["blow_up"]["estimated"] == pytest.approx(3, rel=1e-8)
    for t, S in zip(data["times"][:40], data["covariances"], strict=False):
        assert S[0][1] == pytest.approx(1 / (2 - 2 * t / 3), rel=1e-8)
        assert S[1][1] == pytest.approx(4 * S[0][1] ** 2, rel=1e-8)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.toml")), ids=lambda path: path.stem)
def test_the_shipped_experiments_are_read(path):
    experiment = load(path)
    assert experiment.title != path.stem and experiment.d <= 3


def test_the_line():
    """d = 1, v = .7, a = .9, S0 = .5, mean 1.3: at 0.6 T* = 0.6/0.63, S = 1.25, mean 4.00353."""
    data = told('variant = "softmax"\nA = 0.9\nV = 0.7\nS0 = 0.5\nmean = 1.3\n'
                'horizon = "60/63"\n')
    assert data["covariances"][-1][0][0] == pytest.approx(1.25, rel=1e-9)
    assert data["means"][-1][0] == pytest.approx(4.0035292999, rel=1e-9)


def test_a_singular_start_keeps_its_rank():
    data = told(GOOD.replace("[[1, 0], [0, 1]]", "[[1, 1], [1, 1]]").replace("0.5", "0.2"))
    assert data["rank"]["start"] == 1
    assert all(abs(values[0]) < 1e-9 for values in data["eigenvalues"])


def test_two_heads_of_unequal_size_are_the_sum_of_their_fields():
    """Heads with A1 and A2 and the same V = 1 are one softmax covariance with A1 + A2."""
    common = 'S0 = [[1, 0.2], [0.2, 1]]\nhorizon = 1\n'
    two = told('variant = "multihead"\nheads = [{Q = [[1, 0]], K = "-Q", V = "identity"},'
               '{A = [[0, "-1/2"], [0, 0]], V = "identity"}]\n' + common)
    one = told('variant = "softmax"\nA = [[-1, "-1/2"], [0, 0]]\nV = "identity"\n' + common)
    assert np.allclose(two["covariances"], one["covariances"], rtol=1e-8)


def test_tokens_follow_the_law():
    """kappa < 1: errors are near (tr S / n)^(1/2) and ((tr^2 S + tr S^2) / n)^(1/2).

    Both are near n^(-1/2) here; the mean of 8 squares lies within a factor of 2 of its expectation.
    """
    data = told(GOOD.replace("0.5", "0.1").replace("[[1, 0], [0, 1]]", "[[0.5, 0], [0, 0.5]]")
                + "particles = [50, 400]\nseeds = 8\n")
    assert data["kappa"] < 1 and len(data["tokens"]) == 16
    errors = data["rates"]["errors"]
    for n, of_mean, of_S in zip(data["rates"]["particles"], errors["mean"], errors["covariance"],
                                strict=True):
        assert 0.5 < of_mean * n**0.5 < 2 and 0.5 < of_S * n**0.5 < 2.5
    assert all(run["compared_at"] == pytest.approx(0.1) for run in data["tokens"])


def test_one_token_and_many_dimensions():
    """A single token has covariance 0, and moves by V alone: x' = Vx."""
    text = ('variant = "softmax"\nQ = [[1, 0, 0, 0]]\nK = "-Q"\nV = "identity"\nhorizon = 1\n'
            'S0 = [[1,0,0,0],[0,2,0,0],[0,0,3,0],[0,0,0,4]]\nparticles = 1\n')
    experiment = read(text)
    outcome = simulate(experiment)
    cloud = outcome.clouds[0]
    start = tokens_of(np.zeros(4), np.diag([1.0, 2, 3, 4]), 1, 0)
    assert np.allclose(cloud.means[-1], np.e * start[0], rtol=1e-6)
    assert np.abs(cloud.covariances).max() == 0
    data = account(outcome)
    assert data["d"] == 4 and data["rank"]["conserved"] == 3 and data["rank"]["drift"] < 1e-12


def test_ranks_are_exact():
    tiny = ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1, 10**40)))
    assert exact_rank(tiny) == 2
    assert exact_rank(tiny, ((Fraction(1), Fraction(1)),)) == 1


def test_numbers_are_read_as_they_are_spelled():
    experiment = read(GOOD.replace("[[1, 0], [0, 1]]", '[["1/3", 0.1], [0.1, 1]]')
                      + "particles = [3]\nseeds = [7, 5]\n")
    assert experiment.S0[0] == (Fraction(1, 3), Fraction(1, 10))
    assert experiment.seeds == (7, 5) and model_of(experiment).d == 2


BAD = {  # key in the message -> what replaces what in a good file
    "variant": ('"softmax"', '"sofmax"'), "S0": ("[[1, 0], [0, 1]]", "[[1, 2], [0, 1]]"),
    "V": ('"identity"', "[[1, 2, 3]]"), "A": ("[[0, 1], [0, 0]]", "[[0, 1], [0]]"),
    "horizon": ("0.5", "-1"), "mean": ("horizon", "mean = [1]\nhorizon"),
    "particles": ("horizon", "particles = 0\nhorizon"),
    "seeds": ("horizon", "seeds = [1, 1]\nhorizon"), "eps": ("horizon", "eps = 1\nhorizon"),
    "title": ("horizon", 'title = ""\nhorizon'), "heads": ("horizon", "heads = []\nhorizon"),
    "particels": ("horizon", "particels = 3\nhorizon")}


@pytest.mark.parametrize("key", BAD)
def test_bad_input_names_its_key(key):
    with pytest.raises(Unreadable) as caught:
        read(GOOD.replace(*BAD[key]), "run.toml")
    assert [error.part for error in caught.value.errors] == [key]
    message = str(caught.value)
    assert message.startswith(f"run.toml, {key}: found ") and "; needed " in message
    assert all((e.found, e.needed, e.todo) for e in caught.value.errors)


@pytest.mark.parametrize("value", ["nan", "inf", "1e400", '"1/0"', "true", '"two"', "[1]"])
def test_no_number_is_refused(value):
    with pytest.raises(Unreadable, match=r"horizon: found "):
        read(GOOD.replace("0.5", value))


@pytest.mark.parametrize("text, key", [
    (GOOD.replace("[[1, 0], [0, 1]]", "[[1, 2], [2, 1]]"), "S0: found an eigenvalue -1"),
    (GOOD.replace("softmax", "l2"), "A: found A; needed Q and K"),
    (GOOD + "Q = [[1, 0]]", "A: found A beside Q or K"),
    (GOOD.replace("softmax", "sigmoid"), "sigmoid attention leaves the Gaussians"),
    ('variant = "multihead"\nS0 = 1\nhorizon = 1\nheads = [{Q = 1, V = 1}]', "heads[1].K: found"),
    ("variant = [", "Invalid value"), ("", "variant: found no variant"),
])
def test_what_is_wrong_is_said(text, key):
    with pytest.raises(Unreadable) as caught:
        read(text)
    assert key in str(caught.value)


def test_all_errors_are_told_at_once():
    with pytest.raises(Unreadable) as caught:
        read(GOOD.replace("0.5", "0").replace('"identity"', "[[1]]") + "particles = 0")
    assert {error.part for error in caught.value.errors} == {"V", "horizon", "particles"}


def attnproof(*args):
    return CliRunner().invoke(app, ["simulate", *map(str, args)])


def test_the_command(tmp_path):
    """JSON with the keys of --help and nothing else; a bad file hides no good one; exit codes."""
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(GOOD + "particles = 5\n")
    bad.write_text(GOOD.replace("0.5", "0"))
    run = subprocess.run([sys.executable, "-m", "proofs", "simulate", good, bad, "--json"],
                         cwd=ROOT, capture_output=True, text=True, timeout=120)
    data = json.loads(run.stdout)
    assert run.returncode == 2 and run.stderr == "" and len(data["errors"]) == 1
    assert set(data) == {"tool", "version", "errors", "experiments"}
    assert [set(e) for e in data["experiments"]] == [KEYS]
    shown = attnproof(good)
    assert shown.exit_code == 0 and shown.stderr == ""
    assert "closed form: within" in shown.stdout and "reached the horizon, t = 0.5" in shown.stdout
    asked = attnproof("--help").stdout
    assert all(key in asked for key in KEYS | {"eps", "heads", "mean"})


def test_a_disagreement_of_two_routes_is_exit_code_one(tmp_path, monkeypatch):
    """The same experiment with a closed form that is off by 1e-3."""
    good = tmp_path / "good.toml"
    good.write_text(GOOD)
    right = gaussian.closed

    def wrong(*args):
        found = right(*args)
        return replace(found, covariances=found.covariances * 1.001)
    monkeypatch.setattr(gaussian, "closed", wrong)
    run = attnproof(good)
    assert run.exit_code == 1 and "DISAGREEMENT: the closed form and the equation" in run.stdout


@pytest.mark.parametrize("args, said", [
    (["none.toml"], "none.toml: found No such file"), (["--paper"], "--paper: found no folder"),
    (["--only", "to_line"], "--only: found it without --paper"),
    (["--paper", "-o", "x", "--only", "to_lime"], "did you mean to_line"),
])
def test_misuse_of_the_command(args, said):
    run = attnproof(*args)
    assert run.exit_code == 2 and said in run.stderr and isinstance(run.exception, SystemExit)
