"""`python -m tests.experiments.interpolant`: 10,000 random datasets through all constructions.

On each dataset, for U, P and S (P and S where d >= 2): the outputs are exactly the wanted sets,
counts on the object equal the formulas, block bounds and width hold, every A is rank one plus a
multiple of the identity. S: its certificate is checked anew, and balls at 0.999 tau* and tau*/50
confirm it. Exit code 1 where anything fails; a failing dataset is named by its seed. With --keep
the run is written down as it goes, and taken up again where it was.
"""

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

from flint import fmpq

from numeric.interpolant.balls import exact_at
from numeric.interpolant.build import CONSTRUCTIONS, Built, build, check
from numeric.interpolant.data import dataset
from numeric.interpolant.layers import Matrix, Network
from tests.experiments.datasets import draw

CHUNK = 20  # datasets a task


def examine(seed: int, kind: type = fmpq) -> tuple[str, list[str], Counter]:
    """(kind of dataset, what failed, what was seen) for the dataset of one seed."""
    name, pairs = draw(seed)
    data = dataset(pairs, kind=kind)
    wrong, seen = [], Counter({"datasets": 1, name.split()[0]: 1})
    for construction in CONSTRUCTIONS if data.d >= 2 else ("uniform",):
        built = build(data, construction)
        faults = check(built) + shape_faults(built.network)
        if built.certificate is not None:
            faults += heated(built)
        wrong += [f"seed {seed} ({name}), {construction}: {fault}" for fault in faults]
        facts = built.network.facts
        seen[construction] += 1
        seen[f"{construction} largest k"] = facts.get("k", 0)
        seen[f"{construction} K at its most N - 1"] = int(facts.get("K1", -1) == data.N - 1 > 0)
    return name, wrong, seen


def heated(built: Built) -> list[str]:
    """Whether balls confirm exactness just below tau* and far below it."""
    tau = built.certificate.tau
    times = (Fraction(999, 1000), Fraction(1, 50))
    heats = (fmpq(1), fmpq(1000)) if tau is None else tuple(
        tau * type(tau)(f.numerator) / f.denominator for f in times)
    return [f"not exact at tau = {heat}" for heat in heats
            if exact_at(built.network, built.data, built.certificate, heat) is not True]


def shape_faults(network: Network) -> list[str]:
    """Blocks whose dense A is not a multiple of I plus a matrix of rank <= 1."""
    return [f"block {k}: A is not rank one plus a multiple of I"
            for k, block in enumerate(network.blocks, 1)
            if not low_rank(block.sa.A, network.d)]


def low_rank(A: Matrix, d: int) -> bool:
    """Whether some A - alpha I has all 2 x 2 minors zero; only alpha = scale can serve."""
    rows = A.dense(d)
    for i in range(d):
        rows[i][i] = rows[i][i] - A.scale
    return all(rows[i][k] * rows[j][m] == rows[i][m] * rows[j][k]
               for i in range(d) for j in range(i) for k in range(d) for m in range(k))


def chunk(seeds: range) -> tuple[list[str], dict]:
    """Several datasets at once, for a worker process."""
    wrong, seen = [], Counter()
    for seed in seeds:
        _, faults, found = examine(seed)
        wrong += faults
        seen = merged(seen, found)
    return wrong, dict(seen)


def merged(a: dict, b: dict) -> Counter:
    """Counts added, and what is called largest compared."""
    return Counter({name: max(a.get(name, 0), b.get(name, 0)) if "largest" in name
                    else a.get(name, 0) + b.get(name, 0) for name in {*a, *b}})


def main(arguments: list[str] | None = None) -> int:
    """Run, show progress, print the counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.experiments.interpolant",
                                     description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="datasets")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--keep", type=Path, help="JSON file to resume from and to write to")
    options = parser.parse_args(arguments)
    kept = {"done": 0, "wrong": [], "seen": {}, "seconds": 0.0}
    if options.keep and options.keep.exists():
        kept = json.loads(options.keep.read_text())
    _go(kept, options)
    for name, number in sorted(kept["seen"].items()):
        print(f"{number:7}  {name}")
    print("\n".join(kept["wrong"][:20]) or "nothing failed", f"({kept['seconds']:.0f} s)")
    return 1 if kept["wrong"] else 0


def _go(kept: dict, options: argparse.Namespace) -> None:
    from rich.progress import Progress

    tasks = [range(k, min(k + CHUNK, options.count))
             for k in range(kept["done"], options.count, CHUNK)]
    before, begun = kept["seconds"], time.perf_counter()
    quiet = not sys.stderr.isatty()
    with ProcessPoolExecutor(options.jobs) as pool, Progress(disable=quiet) as bar:
        shown = bar.add_task("datasets", total=options.count, completed=kept["done"])
        for seeds, (wrong, seen) in zip(tasks, pool.map(chunk, tasks), strict=True):
            kept["done"] = seeds.stop
            kept["wrong"] += wrong
            kept["seen"] = dict(merged(kept["seen"], seen))
            kept["seconds"] = before + time.perf_counter() - begun
            bar.update(shown, completed=seeds.stop)
            if options.keep:
                options.keep.parent.mkdir(parents=True, exist_ok=True)
                options.keep.write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    raise SystemExit(main())
