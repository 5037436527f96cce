"""`attnproof interpolate` and the re-check of what it stores, as a user meets them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofs.cli import app

ROOT = Path(__file__).parents[2]
DATA = [{"input": [["0", "0"], ["1", 0]], "output": [["5", "5"]]},
        {"input": [["1", "0"], ["0", "1"]], "output": [["-1", "2"], ["3", "3"]]},
        {"input": [["0", "0"], ["0", "1"]], "output": [["5", "5"]]}]
CONSTRUCTIONS = ("uniform", "clustering", "softmax")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(DATA))
    return path


def attnproof(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_a_dataset_becomes_a_network_that_rechecks(data, tmp_path, construction):
    net, figure, module = (tmp_path / name for name in ("net.json", "stages.png", "net.py"))
    run = attnproof("interpolate", data, "--construction", construction, "-o", net,
                    "--figure", figure, "--export", module)
    assert run.exit_code == 0, run.output
    assert "exact, every output set equals its target set" in run.output
    assert "WARNING" in run.output and "not exact" in run.output
    assert figure.read_bytes().startswith(b"\x89PNG") and "NOT EXACT" in module.read_text()
    again = attnproof("recheck", net)
    assert again.exit_code == 0 and "every output is exact" in again.output
    assert ("the certificate holds" in again.output) == (construction == "softmax")


def test_the_table_has_a_row_a_stage_and_the_counts_of_the_triangle(data):
    lines = attnproof("interpolate", data).output.splitlines()
    rows = [line.split() for line in lines if line.strip()]
    found = {row[0]: row[-5:] for row in rows if row[0] in ("project", "collapse", "place", "in")}
    assert found == {"project": ["1", "1", "1", "11", "3"], "collapse": ["1", "2", "4", "22", "7"],
                     "place": ["1", "1", "4", "22", "7"], "in": ["3", "4", "4", "55", "7"]}
    assert any(row[:2] == ["+", "separate"] for row in rows)
    text = " ".join(lines)
    assert "Theorem 1.6) is 15" in text and "without attention: impossible: token (1, 0)" in text


def test_a_temperature_can_be_asked_for_and_padding_reaches_the_bound(data):
    run = attnproof("interpolate", data, "--construction", "softmax", "--tau", "100", "--pad")
    assert run.exit_code == 0 and "blocks: 17; the paper's bound" in run.output
    threshold = run.output.split("tau* >= ")[1].split()[0]
    assert float(threshold) > 100


def test_an_altered_network_does_not_recheck(data, tmp_path):
    net = tmp_path / "net.json"
    attnproof("interpolate", data, "--construction", "softmax", "-o", net)
    stored = json.loads(net.read_text())
    stored["blocks"][-1]["neurons"][0]["b"] += "1"
    net.write_text(json.dumps(stored, sort_keys=True))
    run = attnproof("recheck", net)
    assert run.exit_code == 1 and "sequence" in run.output and "problem" in run.output
    stored["blocks"][-1]["neurons"][0]["b"] = 0.5
    net.write_text(json.dumps(stored))
    run = attnproof("recheck", net)
    assert run.exit_code == 2 and 'needed "p" or "p/q"' in run.output


def test_a_network_rechecks_where_sympy_cannot_be_imported(data, tmp_path):
    net = tmp_path / "net.json"
    attnproof("interpolate", data, "--construction", "softmax", "-o", net)
    code = ("import sys; sys.modules['sympy'] = None; sys.modules['scipy'] = None\n"
            f"sys.argv = ['attnproof', 'recheck', {str(net)!r}]\n"
            "from proofs.cli import main; main()")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0 and "the certificate holds" in run.stdout, run.stderr


def test_what_is_neither_report_nor_network_is_still_refused(tmp_path):
    for text in ("{}", "nothing about a network", '{"pages": "network"}', '["network"]'):
        (tmp_path / "file.json").write_text(text)
        assert attnproof("recheck", tmp_path / "file.json").exit_code == 2
    assert attnproof("recheck", tmp_path / "absent.json").exit_code == 2


@pytest.mark.parametrize(("arguments", "words"), [
    (("--construction", "hardmax"), "needed one of uniform, clustering, softmax"),
    (("--figure", "stages.gif"), "ends in .png, .pdf or .svg"),
    (("--export", "net.txt"), "ends in .py"),
    (("--tau", "1"), "the other two need no temperature"),
    (("--construction", "softmax", "--tau", "x"), "--tau: found 'x'; needed"),
    (("--construction", "softmax", "--tau", "1/0"), "needed a number > 0"),
    (("--construction", "softmax", "--tau", "-1"), "tau > 0"),
])
def test_options_that_make_no_sense_are_refused(data, arguments, words):
    run = attnproof("interpolate", data, *arguments)
    assert run.exit_code == 2 and words in run.output, run.output


@pytest.mark.parametrize(("pairs", "words"), [
    ([{"input": [["0"], ["0"]], "output": [["1"]]}], "sequence 1: found input tokens 1 and 2"),
    ([{"input": [[0.5]], "output": [["1"]]}], 'write "1/2", or use --exact-floats'),
    ([], "the dataset: found no sequences"),
])
def test_bad_data_is_refused_naming_the_sequence(tmp_path, pairs, words):
    (tmp_path / "data.json").write_text(json.dumps(pairs))
    run = attnproof("interpolate", tmp_path / "data.json")
    assert run.exit_code == 2 and words in run.output and "data.json" in run.output


def test_a_figure_needs_the_plane_and_circles_too(tmp_path):
    path = tmp_path / "line.csv"
    path.write_text("sequence,role,x1\na,input,0.5\na,output,1\n")
    assert attnproof("interpolate", path, "--exact-floats").exit_code == 0
    run = attnproof("interpolate", path, "--exact-floats", "--figure", tmp_path / "x.png")
    assert run.exit_code == 2 and "needed d = 2" in run.output
    run = attnproof("interpolate", path, "--exact-floats", "--construction", "clustering")
    assert run.exit_code == 2 and "use construction uniform" in run.output
    assert attnproof("interpolate", tmp_path / "none.csv").exit_code == 2


def test_a_panel_stands_for_every_stage():
    from numeric.interpolant.build import build
    from numeric.interpolant.data import dataset
    from proofs.strip import snapshots
    pairs = [([tuple(map(int, x)) for x in p["input"]], [tuple(map(int, y)) for y in p["output"]])
             for p in DATA]
    titles = {name: [title for title, _, _ in snapshots(build(dataset(pairs), name, pad=True))]
              for name in CONSTRUCTIONS}
    assert titles == {
        "uniform": ["input", "projected", "separated", "collapsed", "placed"],
        "clustering": ["input", "separated", "leaders out", "collapsed", "interpolated"],
        "softmax": ["input", "separated", "leaders out", "collapsed", "projected", "snapped"]}
    last = snapshots(build(dataset(pairs)))[-1]
    assert [{dot[:2] for dot in dots} for dots in last[2]] == [
        {(5, 5)}, {(-1, 2), (3, 3)}, {(5, 5)}]
