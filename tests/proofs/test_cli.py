"""The command as a person and as a program use it: whole processes, exit codes, what is printed."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GOOD = """title = "Two oscillators"
[symbols]
t1 = "real"
t2 = "real"
[[claim]]
name = "order-parameter"
says = "The order parameter of two oscillators."
start = "(cos(t1)+cos(t2))**2 + (sin(t1)+sin(t2))**2"
steps = [
  { relation = "=", right = "2 + 2*cos(t1-t2)", by = "normal" },
  { relation = "=", right = "4*cos((t1-t2)/2)**2" },
]
"""
FALSE = GOOD.replace("2 + 2*cos", "2 + 3*cos")
BAD = GOOD.replace("cos(t2)", "cos(t3)", 1)


def attnproof(*args, **options):
    return subprocess.run([sys.executable, "-m", "proofs", *map(str, args)], cwd=ROOT,
                          capture_output=True, text=True, timeout=120, **options)


def page(tmp_path, text, name="page.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_exit_codes(tmp_path):
    good, false = page(tmp_path, GOOD), page(tmp_path, FALSE, "false.toml")
    bad = page(tmp_path, BAD, "bad.toml")
    assert attnproof("check", good).returncode == 0
    assert attnproof("check", good, false).returncode == 1
    assert attnproof("check", good, false, bad).returncode == 2
    assert attnproof("check", tmp_path / "none.toml").returncode == 2
    assert attnproof("chekc").returncode == 2
    assert attnproof("check", "--jobs", "0").returncode == 2


def test_a_finding_is_shown_with_what_earned_it(tmp_path):
    run = attnproof("check", page(tmp_path, GOOD))
    assert "order-parameter" in run.stdout and "proved by normal" in run.stdout
    assert "1 claim on 1 page: 1 proved; none short of what is expected" in run.stdout


def test_a_shortfall_names_page_claim_step_and_point(tmp_path):
    path = page(tmp_path, FALSE)
    run = attnproof("check", path)
    assert f"{path}: order-parameter: " in run.stdout
    assert "step 1 (= 2 + 3*cos(t1-t2)) is false at t1 = " in run.stdout


def test_an_error_names_page_claim_column_and_what_to_do(tmp_path):
    path = page(tmp_path, BAD)
    run = attnproof("check", path)
    assert f"{path}: claim order-parameter, start, line 6, column 14: found" in run.stdout
    assert "did you mean t" in run.stdout or "add t3 to the symbols" in run.stdout


def test_json_prints_the_report_and_nothing_else(tmp_path):
    stored = tmp_path / "out" / "report.json"
    bad = page(tmp_path, BAD, "bad.toml")
    run = attnproof("check", "--json", "-o", stored, page(tmp_path, GOOD), bad)
    assert run.returncode == 2 and run.stderr == ""
    data = json.loads(run.stdout)
    assert data["tool"] == "attnproof" and [len(p["errors"]) for p in data["pages"]] == [0, 1]
    assert stored.read_text() == run.stdout
    again = attnproof("recheck", stored)
    assert again.returncode == 0 and "every level holds" in again.stdout


def test_recheck_refuses_what_is_no_report(tmp_path):
    assert attnproof("recheck", tmp_path / "none.json").returncode == 2
    run = attnproof("recheck", page(tmp_path, "{}", "r.json"))
    assert run.returncode == 2 and "needed exactly the keys" in run.stderr


def test_list_and_doctor(tmp_path):
    run = attnproof("list", page(tmp_path, GOOD), page(tmp_path, "title =", "bad.toml"))
    assert run.returncode == 2
    assert "Two oscillators" in run.stdout and "order-parameter  (proved)" in run.stdout
    assert "bad.toml" in run.stderr
    run = attnproof("doctor")
    assert "symbolic" in run.stdout and "python" in run.stdout


def test_help_has_examples():
    for command in ((), ("check",), ("appendix",), ("recheck",), ("write",), ("list",)):
        run = attnproof(*command, "--help")
        assert run.returncode == 0 and "attnproof " + " ".join(command) in run.stdout


def test_every_writer_is_a_command(tmp_path):
    path = page(tmp_path, GOOD)
    for form in ("markdown", "latex", "json"):
        run = attnproof("write", form, path)
        assert run.returncode == 0 and "order-parameter" in run.stdout, form
    run = attnproof("write", "pigeon", path)
    assert run.returncode == 2 and "no writer is called 'pigeon'" in run.stderr


def test_the_appendix_from_pages_and_from_a_report(tmp_path):
    body, stored = tmp_path / "a.tex", tmp_path / "r.json"
    assert attnproof("appendix", page(tmp_path, GOOD), "-o", body).returncode == 0
    assert (tmp_path / "a-preamble.tex").exists()
    assert "documentclass" not in body.read_text()
    attnproof("check", page(tmp_path, GOOD), "-o", stored)
    other = tmp_path / "b.tex"
    assert attnproof("appendix", "--report", stored, "-o", other).returncode == 0
    assert "order-parameter" in other.read_text()
    assert attnproof("appendix", "--report", stored, page(tmp_path, GOOD)).returncode == 2


@pytest.mark.skipif(shutil.which("latexmk") is None, reason="latexmk is not installed")
def test_the_pdf_is_built_where_tex_is_installed(tmp_path):
    body = tmp_path / "a.tex"
    run = attnproof("appendix", page(tmp_path, GOOD), "-o", body, "--pdf")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_ctrl_c_leaves_a_readable_report_and_130(tmp_path):
    claims = "".join(GOOD[GOOD.index("[[claim]]"):].replace("order-parameter", f"c{k}")
                     for k in range(2000))
    path, stored = page(tmp_path, GOOD + claims), tmp_path / "r.json"
    run = subprocess.Popen([sys.executable, "-m", "proofs", "check", str(path), "-o", str(stored)],
                           cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if stored.exists():
            break
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert "this report is partial" in out
    data = json.loads(stored.read_text())
    assert data["interrupted"] and data["pages"][0]["findings"]
