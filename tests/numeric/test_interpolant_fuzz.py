"""A seeded part of `python -m tests.experiments.interpolant`: every kind of dataset, exactly."""

import json
from fractions import Fraction

import pytest

from tests.experiments import interpolant
from tests.experiments.datasets import KINDS, draw

PARTS, SIZE = 4, 40


@pytest.mark.parametrize("part", range(PARTS))
def test_random_small_datasets_are_interpolated_exactly(part):
    wrong, seen = interpolant.chunk(range(part * SIZE, (part + 1) * SIZE))
    assert wrong == []
    assert seen["datasets"] == seen["uniform"] == SIZE
    assert seen["clustering"] == seen["softmax"] > SIZE / 2


def test_the_seeds_of_the_tests_meet_every_kind_of_dataset():
    names = [draw(seed)[0] for seed in range(PARTS * SIZE)]
    assert {name.split()[0] for name in names} == set(KINDS)
    assert {name.split("=")[1] for name in names} == {"1", "2", "3", "5"}


def test_fractions_pass_the_same_examination():
    for seed in range(8):
        assert interpolant.examine(seed, Fraction)[1] == []


def test_a_kept_run_is_taken_up_where_it_was(tmp_path, capsys):
    path = tmp_path / "run.json"
    for count in ("20", "40"):
        arguments = ["--count", count, "--jobs", "1", "--keep", str(path)]
        assert interpolant.main(arguments) == 0
        assert json.loads(path.read_text())["seen"]["datasets"] == int(count)
    assert "nothing failed" in capsys.readouterr().out


def test_a_failure_is_an_exit_code_and_names_its_seed(tmp_path, capsys):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"done": 40, "wrong": ["seed 7 (x), uniform: no"], "seen": {},
                                "seconds": 1.0}))
    assert interpolant.main(["--count", "40", "--keep", str(path)]) == 1
    assert "seed 7" in capsys.readouterr().out
