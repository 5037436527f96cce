"""Whole processes: import of the kernel, `--help`, first verdict on a one-claim page.

Compiled modules are kept, as they are where nobody forbids it; the first round writes them.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = """title = "One claim"
[symbols]
t1 = "real"
t2 = "real"
[[claim]]
name = "one"
start = "(cos(t1)+cos(t2))**2 + (sin(t1)+sin(t2))**2"
steps = [{ relation = "=", right = "2 + 2*cos(t1-t2)", by = "normal" }]
"""
COMMANDS = {  # name -> arguments of python, seconds aimed at
    "python itself": (["-c", "pass"], 0.1),
    "import of the kernel": (["-c", "import symbolic.kernel.check"], 0.3),
    "attnproof --help": (["-m", "proofs", "--help"], 0.3),
    "first verdict": (["-m", "proofs", "check", "PAGE"], 0.8),
}
ROUNDS = 7


@pytest.mark.parametrize("name", COMMANDS)
def test_whole_process(name, tmp_path):
    page = tmp_path / "page.toml"
    page.write_text(PAGE)
    arguments, aim = COMMANDS[name]
    caches = {"PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")}
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | caches
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *(str(page) if a == "PAGE" else a for a in arguments)],
                       cwd=ROOT, check=True, stdout=subprocess.DEVNULL, env=environment)
        times.append(time.perf_counter() - begun)
    print(f"\n{name}: median {statistics.median(times):.3f} s (aim {aim} s)")
    assert statistics.median(times) < 3 * aim, "far from the aim: something heavy is imported"
