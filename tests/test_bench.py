"""The benchmark suite runs and says the right things; how long anything takes is not asserted."""

import json

import pytest

from tests.bench import __main__ as bench
from tests.bench import cases, interpolant, layers, report
from tests.bench.report import Row


def test_claims_of_symbolic_length_are_proved_by_the_rule_alone():
    rows = list(bench.symbolic(quick=True))
    assert [row.key for row in rows] == [f"symbolic/{label}" for label in cases.SYMBOLIC]
    assert {row.answer for row in rows} == {"proved"}


@pytest.mark.parametrize(("family", "n"), [("K1", 3), ("square", 3)])
def test_statements_of_concrete_length_are_proved(family, n):
    row = bench._kernel("concrete", family, cases.CONCRETE[family](n), 1, None)
    assert row.answer == "proved" and row.status == ""


def test_a_false_statement_is_called_wrong():
    false = cases._read(["x"], "sin(x)", "cos(x)")
    assert bench._kernel("concrete", "false", false, 1, None).answer.startswith("WRONG")


def test_sympy_answers_in_a_process_of_its_own():
    ours = Row("concrete", "ours", 0.001, 0.001)
    row = bench.race("K1", 2, "expand_trig", ours, 60)
    assert row.answer == "proved" and row.seconds and row.ratio
    stopped = bench.race("K1", 8, "simplify", ours, 0)
    assert (stopped.answer, stopped.seconds, stopped.limit) == ("stopped", None, 0)


def test_libraries_agree_on_the_kuramoto_layer():
    rows = list(bench.phases(quick=True))
    assert any("numpy kuramoto" in row.name for row in rows)
    assert not any(row.answer.startswith("WRONG") for row in rows)


def test_what_was_remembered_can_be_forgotten():
    list(bench.symbolic(quick=True))
    assert cases.memos()
    cases.forget()


def test_times_are_written_for_the_eye():
    assert [report.seconds(t) for t in (12e-6, 0.0032, 0.145, 1.25, 12.34)] == [
        "12 us", "3.20 ms", "145 ms", "1.25 s", "12.3 s"]
    assert report.seconds(None, 10) == ">10 s" and report.seconds(None) == ""


def test_a_target_is_met_missed_or_missed_by_a_busy_machine():
    found = [Row("g", "n", wall, cpu, 0.1).status for wall, cpu in (
        (0.05, 0.05), (0.2, 0.2), (0.2, 0.05), (None, None))]
    assert found == ["ok", "over", "over, cpu ok", "over"]


def replace_groups(monkeypatch, *only):
    monkeypatch.setattr(bench, "groups", lambda: only)


def test_the_keys_of_the_json_stay(tmp_path, monkeypatch, capsys):
    def group(quick):
        yield Row("symbolic", "K1", 0.01, 0.01, 0.02, "proved")
        yield Row("concrete", "K1 n=8 simplify", None, answer="stopped", ratio=50.0, limit=10.0)

    replace_groups(monkeypatch, group, lambda quick: ())
    assert bench.main(["--quick", "--json", str(tmp_path / "new" / "bench.json")]) == 0
    shown = capsys.readouterr().out
    assert ">10 s" in shown and "> 50.0x" in shown and "1 targets, 0 over" in shown
    stored = json.loads((tmp_path / "new" / "bench.json").read_text())
    assert set(stored) == {"machine", "rows"}
    assert set(stored["rows"]) == {"symbolic/K1", "concrete/K1 n=8 simplify"}
    assert set(stored["rows"]["symbolic/K1"]) == {
        "group", "name", "seconds", "cpu", "target", "answer", "ratio", "limit", "more", "status"}


def test_a_wrong_answer_is_an_exit_code(monkeypatch):
    replace_groups(monkeypatch, lambda quick: [Row("g", "n", 1.0, answer="WRONG: x")])
    assert bench.main([]) == 1


def test_exact_networks_are_measured_in_processes_of_their_own():
    rows = list(interpolant.rows(quick=True))
    assert len(rows) == 6 and all(row.answer.startswith("exact, ") for row in rows)
    assert [row.target for row in rows] == [None] * 6  # small sizes have no target
    assert "slope" in rows[-1].more


def test_layers_and_laws_are_measured_and_right():
    rows = list(layers.fields(quick=True)) + list(layers.laws(quick=True))
    assert [row.name for row in rows[:3]] == [f"n=500 {way}" for way in layers.WAYS]
    assert not [row for row in rows if row.answer.startswith("WRONG")]
    assert rows[0].ratio == 1 and "MB" in rows[0].answer and "conserved" in rows[-1].answer


def test_another_field_is_called_wrong(monkeypatch):
    found = iter([(1.0, 1.0, 50.0, 0.5), (2.0, 2.0, 90.0, 0.6), "stopped"])
    monkeypatch.setattr(layers, "_measured", lambda way, n, asked: next(found))
    answers = [row.answer for row in layers.fields(quick=True)]
    assert answers == ["peak 50 MB", "WRONG: another field", "stopped"]
