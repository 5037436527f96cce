"""Exact interpolation in whole processes: 20 sequences of n tokens out of 1.3 n common ones.

`python -m tests.bench.interpolant TASK CONSTRUCTION N n FILE` is one such process; it prints what
it took inside, so that growth is measured without Python's start. d = 3, m = 5.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import log2
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from tests.bench.cases import ROOT
from tests.bench.report import Row

N, LENGTHS, D, OUTPUTS = 20, (25, 50, 100, 200, 400), 3, 5
TASKS = (  # what, task, construction, target in seconds at n = 200
    ("U build and check", "all", "uniform", 3.0),
    ("P build", "build", "clustering", 5.0),
    ("P check of a stored network", "check", "clustering", 5.0),
    ("S build, certificate, balls", "all", "softmax", 20.0),
)


def rows(quick: bool) -> Iterator[Row]:
    """The targets at n = 200, then growth in tokens."""
    sizes = (5, 20) if quick else (N, 200)
    with tempfile.TemporaryDirectory() as folder:
        for what, task, construction, target in TASKS:
            wall, cpu, said = process(task, construction, *sizes, Path(folder) / "net.json")
            yield _row(f"{what}, {sizes[0]} x {sizes[1]}", wall, cpu, said,
                       None if quick else target)
        for construction in ("uniform",) if quick else ("uniform", "clustering", "softmax"):
            yield from growth(construction, (20, 40) if quick else LENGTHS, Path(folder) / "g.json")


def growth(construction: str, lengths: tuple[int, ...], path: Path) -> Iterator[Row]:
    """Build and check at growing lengths; the slope is log2 of what doubling the tokens costs."""
    found = [(n, *process("all", construction, N, n, path)) for n in lengths]
    inside = [said["build"] + said["check"] for *_, said in found]
    slopes = [None, *(log2(b / a) for a, b in pairwise(inside))]
    for (n, wall, cpu, said), spent, slope in zip(found, inside, slopes, strict=True):
        row = _row(f"{construction} T={N * n}", wall, cpu, said, None)
        more = {"inside": spent, **({} if slope is None else {"slope": f"{slope:.2f}"})}
        yield Row(row.group, row.name, wall, cpu, None, row.answer, spent / inside[0], more=more)


def _row(name: str, wall: float, cpu: float, said: dict, target: float | None) -> Row:
    answer = f"WRONG: {said['wrong'][0]}" if said["wrong"] else f"exact, {said['L']} blocks"
    return Row("interpolation", name, wall, cpu, target, answer,
               more={k: said[k] for k in ("build", "check") if said[k]})


def process(task: str, construction: str, N: int, n: int, path: Path) -> tuple[float, float, dict]:
    """Wall and processor seconds of one process, and what it says."""
    before, begun = _children(), time.perf_counter()
    run = subprocess.run([sys.executable, "-m", "tests.bench.interpolant", task, construction,
                          str(N), str(n), str(path)], cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - begun, _children() - before, json.loads(run.stdout)


def _children() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pairs(N: int, n: int) -> list:
    """N sequences of n tokens from 1.3 n common ones, the same for the same numbers."""
    rng = random.Random(1)

    def token() -> tuple:
        return tuple(Fraction(rng.randint(-10**4, 10**4), rng.choice((1, 2, 5, 10)))
                     for _ in range(D))
    common: dict = {}
    while len(common) < n * 13 // 10:
        common[token()] = None
    return [(rng.sample(list(common), n), [token() for _ in range(min(OUTPUTS, n))])
            for _ in range(N)]


def child(task: str, construction: str, N: int, n: int, path: Path) -> dict:
    """One task in this process: build (stored at `path`), check (of the stored), or all.

    Times are of the processor, which a busy machine disturbs least.
    """
    from numeric.interpolant import stored
    from numeric.interpolant.balls import exact_at
    from numeric.interpolant.build import build, check
    from numeric.interpolant.data import dataset

    begun = time.process_time()
    if task == "check":
        wrong = stored.problems(*(read := stored.from_json(path.read_text())))
        return {"build": 0.0, "check": time.process_time() - begun, "wrong": wrong,
                "L": len(read[0].network.blocks)}
    built = build(dataset(pairs(N, n)), construction)
    ready = time.process_time()
    wrong = check(built) if task == "all" else []
    if task == "all" and built.certificate is not None and built.certificate.tau is not None:
        heat = built.certificate.tau * 999 / 1000
        if not exact_at(built.network, built.data, built.certificate, heat):
            wrong.append("balls do not confirm exactness below tau*")
    done = time.process_time()
    if task == "build":
        path.write_text(stored.to_json(built))
    return {"build": ready - begun, "check": done - ready if task == "all" else 0.0,
            "wrong": wrong, "L": len(built.network.blocks)}


if __name__ == "__main__":
    given = sys.argv[1:]
    print(json.dumps(child(given[0], given[1], int(given[2]), int(given[3]), Path(given[4]))))
