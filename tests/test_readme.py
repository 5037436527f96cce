"""Each block of the README runs, and prints what it shows (times aside)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
PAGE = next(text for kind, text in BLOCKS if kind == "toml")
SCREENS = [text for _, text in BLOCKS if text.startswith("$ ")]


def _plain(text):
    """Output without times, rules and trailing blanks."""
    lines = [re.sub(r"\s+\d+\.\d\d\s*$", "", line).rstrip() for line in text.splitlines()]
    return [re.sub(r"\s+", " ", line) for line in lines if line.strip(" ─")]


@pytest.mark.parametrize("screen", SCREENS, ids=[s.splitlines()[0] for s in SCREENS])
def test_screen(screen, tmp_path):
    """The command of a screen prints the screen."""
    (tmp_path / "gibbs.toml").write_text(PAGE)
    (tmp_path / "strict.toml").write_text(PAGE.replace("<=", "<"))
    command, _, shown = screen.partition("\n")
    args = command.removeprefix("$ attnproof ").split()
    args = [str(ROOT / a) if a.startswith("proofs/") else a for a in args]
    ran = subprocess.run([sys.executable, "-m", "proofs", *args], cwd=tmp_path, text=True,
                         capture_output=True, env={"PATH": "", "PYTHONPATH": str(ROOT),
                                                   "COLUMNS": "140"}, timeout=120)
    assert _plain(ran.stdout + ran.stderr) == _plain(shown)


def test_the_two_commands_exist():
    """`make run` and `make test` are targets, and the figures quoted are those of the pages."""
    from tests import material

    makefile = (ROOT / "Makefile").read_text()
    assert all(f"\n{target}:" in makefile for target in ("run", "test", "bench", "soundness"))
    claims = {name for page in material.PAGES for name in material.claim_names(page)}
    assert f"{len(claims)} claims on {len(material.PAGES)} pages" in (
        ROOT / "README.md").read_text()
