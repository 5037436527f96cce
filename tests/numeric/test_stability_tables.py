"""The command that prints the tables of stability, on a few draws."""

import json

from tests.experiments.stability import main


def test_a_few_draws_of_the_exact_tables(capsys, tmp_path):
    path = tmp_path / "rows.json"
    names = ("closed", "certificates", "attracting")
    only = [word for name in names for word in ("--only", name)]
    assert main([*only, "--draws", "3", "--json", str(path)]) == 0
    text, rows = capsys.readouterr().out, json.loads(path.read_text())
    assert text.count("0 contradictions") == 3 and list(rows) == list(names)
    assert all(row["holds"] for row in rows["closed"])
    assert sum(row["certified"] for row in rows["certificates"]) >= 2
    assert {(row["d"], row["rank"]) for row in rows["attracting"]} == {(3, 2), (4, 2), (5, 3)}
