"""The trials that are kept: seals whole, results of the seals, made after them, and quoted."""

import pytest

from numeric.sweep import stored
from proofs import seal, trial
from tests.experiments import trials
from tests.experiments.trials import TRIALS

KEPT = list(trials.results("trial"))


def test_every_seal_is_whole():
    seals = sorted(TRIALS.rglob("seal.json"))
    assert len(seals) >= 12
    for path in seals:
        content = seal.read(path)
        assert {e.verdict for e in trial.entrants(content)}


@pytest.mark.parametrize("place, found", KEPT, ids=[place for place, _ in KEPT])
def test_a_result_is_of_its_seal_and_came_after_it(place, found):
    content = seal.read(TRIALS / place.split("/")[0] / "seal.json")
    rows = list(stored(TRIALS / place / "runs.jsonl").values())
    assert found["seal"] == content["hash"] and found["sealed"] == content["sealed"]
    assert content["sealed"] < min(row["date"] for row in rows)
    assert {row["run"]["seal"] for row in rows} == {content["hash"]}
    again = trial.result(content, rows)
    assert [(e["heads"], e["nmse"]) for e in again["entrants"]] == [
        (e["heads"], e["nmse"]) for e in found["entrants"]]


def test_the_readme_quotes_the_results():
    text = (TRIALS / "README.md").read_text(encoding="utf-8")
    missing = [line for line in trials.tables() if line not in text]
    assert not missing, "python -m tests.experiments.trials prints the tables"
