"""Numeric layers and laws: time beside rivals, peak memory of a process of its own.

Softmax fields of n tokens of a law in d = 8, float64: ours in blocks, the full matrix in plain
NumPy, torch's fused attention. Covariance equations: 300 random ones in d = 5 to T = 20.
"""

import time
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from resource import RUSAGE_SELF, getrusage

import numpy as np

from tests.bench.report import Row

D, RUNS, WAIT = 8, 3, 600.0
SIZES, QUICK_SIZES = (1_000, 4_000, 10_000), (500,)
MANY, ASKED = 100_000, 5_000       # keys, and queries of a part of that field
TARGET, MEGABYTES = {10_000: 1.0}, 300
LAWS, QUICK_LAWS, HORIZON = 300, 5, 20.0


def tokens(n: int) -> tuple:
    """Queries, keys and values (n, D) of standard normal tokens."""
    rng = np.random.default_rng(0)
    x, (A, V) = rng.normal(size=(n, D)), rng.normal(size=(2, D, D)) / D
    return x @ A.T, x, x @ V.T


def ours(query, key, value):
    from numeric.attention import softmax

    return softmax.forward(query, key, value, scale=1.0, causal=False)


def full(query, key, value):
    """The field by its formula, every score at once."""
    score = query @ key.T
    weight = np.exp(score - score.max(1, keepdims=True))
    return weight @ value / weight.sum(1, keepdims=True)


def fused(query, key, value):
    import torch

    three = (torch.from_numpy(x)[None, None] for x in (query, key, value))
    return torch.nn.functional.scaled_dot_product_attention(*three, scale=1.0)[0, 0].numpy()


WAYS = {"ours": ours, "full matrix": full, "torch fused": fused}


def measure(pipe: Connection, way: str, n: int, asked: int) -> None:
    """In a process of its own: sends (seconds, processor seconds, peak megabytes, a checksum)."""
    query, key, value = tokens(n)
    query = query[:asked]
    try:
        WAYS[way](query[:2], key, value)
    except ImportError:
        pipe.send(None)
        return
    wall = cpu = float("inf")
    for _ in range(RUNS if n < MANY else 1):
        begun, worked = time.perf_counter(), time.process_time()
        out = WAYS[way](query, key, value)
        wall, cpu = min(wall, time.perf_counter() - begun), min(cpu, time.process_time() - worked)
    pipe.send((wall, cpu, getrusage(RUSAGE_SELF).ru_maxrss / 1024, out[-1]))


def _measured(way: str, n: int, asked: int) -> tuple | None | str:
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=measure, args=(there, way, n, asked), daemon=True)
    child.start()
    there.close()
    try:
        return here.recv() if here.poll(WAIT) else "stopped"
    except EOFError:
        return "failed"
    finally:
        child.kill()
        child.join()
        here.close()


def fields(quick: bool) -> Iterator[Row]:
    """(e) Softmax fields; ratios are of wall time over ours, as torch uses every core."""
    for n in QUICK_SIZES if quick else SIZES:
        first = None
        for way in WAYS:
            found = _measured(way, n, n)
            if not isinstance(found, tuple):
                yield Row("fields", f"n={n} {way}", None, answer=found or "not run: no torch")
                continue
            wall, cpu, peak, last = found
            first = first or found
            wrong = np.abs(last - first[3]).max() > 1e-12
            answer = "WRONG: another field" if wrong else f"peak {peak:.0f} MB"
            if way == "ours" and n in TARGET:
                answer += f" ({'within' if peak <= MEGABYTES else 'over'} {MEGABYTES} MB)"
            yield Row("fields", f"n={n} {way}", wall, cpu,
                      TARGET.get(n) if way == "ours" else None, answer, wall / first[0])
    if not quick:
        found = _measured("ours", MANY, ASKED)
        if isinstance(found, tuple):
            yield Row("fields", f"n={MANY} ours, {ASKED} queries", *found[:2], None,
                      f"peak {found[2]:.0f} MB; the whole field takes {MANY // ASKED} times this")
        else:
            yield Row("fields", f"n={MANY} ours", None, answer=found or "failed")


def laws(quick: bool) -> Iterator[Row]:
    """(f) Covariances under K = -Q, V > 0, whose conditional part is conserved."""
    from numeric import gaussian
    from numeric.flow import Model

    for method in ("LSODA", "DOP853"):
        rng, count = np.random.default_rng(0), QUICK_LAWS if quick else LAWS
        lost, begun, worked = 0.0, time.perf_counter(), time.process_time()
        for _ in range(count):
            Q, W, G = rng.normal(size=(2, 5)), *rng.normal(size=(2, 5, 5))
            S = G @ G.T
            run = gaussian.integrate(Model("softmax", Q, -Q, W.T @ W), None, (S + S.T) / 2,
                                     HORIZON, 1, method=method, rtol=1e-8)
            gap = gaussian.conditional(run.covariances[-1], Q) - gaussian.conditional(S, Q)
            lost = max(lost, float(np.abs(gap).max() / np.abs(S).max()))
        answer = f"conserved to {lost:.0e}"
        yield Row("laws", f"{count} of d=5 to T={HORIZON:g}, {method}",
                  time.perf_counter() - begun, time.process_time() - worked, None,
                  answer if lost < 1e-5 else f"WRONG: {answer}")
