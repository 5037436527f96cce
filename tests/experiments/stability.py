"""`python -m tests.experiments.stability [--quick] [--only NAME] [--json FILE]`: the tables.

Blow-up times enclosed, bounds, certificates and limiting ranks on seeded random draws, each beside
a plain integration that may contradict it. Exit code 1 when one does, or a kernel verdict is
missing; the draws are the same every time. --quick takes a few draws of each.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from numeric.stability.blowup import blow_up_time
from numeric.stability.dissipation import dissipation
from numeric.stability.general import Limit, bounds, limit_rank
from numeric.stability.general import blow_up_time as general_time
from numeric.stability.rational import exact, floats, identity, rounded
from tests.experiments.trajectory import integrated

CUT = 0.1           # the absolute cut-off whose counts are printed beside the exact ranks
LONG = 50.0         # the horizon of the integrations that may contradict
LONGER = 1000.0     # and of those that may contradict a limit
LONGEST = 1e6       # where they seem to: Q S may fall as slowly as e^{-t/1e4}


def closed(rng: np.random.Generator, n: int) -> Iterator[dict]:
    """T* where V = I or V commutes: enclosures of relative width 1e-10 beside the event."""
    for k in range(n):
        d = int(rng.integers(2, 6))
        A, G = rounded(rng.normal(size=(d, d))), rounded(rng.normal(size=(d, d - k % 2)))
        S0, V = G * G.transpose(), None
        if k % 4 == 3:              # V commutes with S0 and with V A + A^T V^T: a multiple of one
            V = identity(d) * rounded([[rng.uniform(0.3, 3)]])[0, 0]
        elif k % 4 == 1:            # or a polynomial of S0 = A = A^T, all powers of one matrix
            A, V = S0, S0 * S0 + identity(d)
        found = blow_up_time(A, S0, V)
        row = {"d": d, "V": ("I", "polynomial", "I", "multiple")[k % 4], "holds": found.holds}
        if found.high is not None:
            run = integrated(floats(A), floats(V or identity(d)), floats(S0), 1e4, 1e9)
            low, high = real(found.low), real(found.high)
            row |= {"low": low, "width": real((found.high - found.low) / found.low),
                    "event off by": abs(run.blow_up / low - 1) if run.blow_up else None}
            row["wrong"] = not (found.holds and row["width"] <= 1e-10 and run.blow_up
                                and row["event off by"] < 1e-6 and low <= high)
        else:
            row |= {"low": None, "width": None, "event off by": None, "wrong": not found.holds}
        yield row


def general(rng: np.random.Generator, n: int) -> Iterator[dict]:
    """T* for general V, enclosed in balls to 1e-3, or undecided with the reason."""
    for _ in range(n):
        d = int(rng.integers(2, 5))
        A, V, G = (rounded(rng.normal(size=(d, d))) for _ in "AVG")
        S0 = G * G.transpose()
        found = general_time(A, S0, V)
        run = integrated(floats(A), floats(V), floats(S0), LONG)
        row = {"d": d, "status": "undecided" if found.high is None else "enclosed",
               "low": real(found.low), "seen": run.blow_up, "reason": found.reason}
        if found.high is not None:
            high = real(found.high)
            row["width"] = high / row["low"] - 1
            row["wrong"] = not run.blow_up or not (
                row["low"] * (1 - 1e-6) <= run.blow_up <= high * (1 + 1e-6))
        else:
            row["wrong"] = bool(run.blow_up) and run.blow_up < row["low"] * (1 - 1e-6)
        yield row


def simple_bounds(rng: np.random.Generator, n: int) -> Iterator[dict]:
    """C9: lower and upper bounds around the event, A + A^T > 0 in every draw."""
    for _ in range(n):
        d = int(rng.integers(1, 5))
        B, V, G = (rng.normal(size=(d, d)) for _ in "BVG")
        A = B @ B.T / d + 0.2 * np.eye(d) + (M := rng.normal(size=(d, d))) - M.T
        S0 = G @ G.T
        low, high = bounds(A, V, S0)
        run = integrated(A, V, S0, min(2 * high, LONG))
        seen = run.blow_up
        row = {"d": d, "over low": seen / low if seen else None,
               "over high": seen / high if seen and np.isfinite(high) else None}
        row["wrong"] = (seen is not None and not low * (1 - 1e-6) <= seen <= high * (1 + 1e-6)
                        or seen is None and high < LONG / 2)
        yield row


def certificates(rng: np.random.Generator, n: int) -> Iterator[dict]:
    """Bounded for every start: certificates of random pairs, beside six integrated starts."""
    kinds = ("general", "V > 0, A + A^T <= 0", "A = -Q^T Q, V stable")
    for k in range(n):
        d, kind = int(rng.integers(2, 5)), kinds[k % 3]
        A, V = (rounded(rng.normal(size=(d, d)), 10) for _ in "AV")
        if kind == kinds[1]:
            V = V * V.transpose() + identity(d)
            A = A - A.transpose() - A * A.transpose()
        elif kind == kinds[2]:
            Q = rounded(rng.normal(size=(max(1, d // 2), d)), 10)
            A, shift = -Q.transpose() * Q, int(np.ceil(-np.linalg.eigvals(floats(V)).real.min()))
            V = V + identity(d) * (max(shift, 0) + 1)
        found = dissipation(A, V)
        runs = [integrated(floats(A), floats(V), G @ G.T, LONG, 1e7)
                for G in (rng.normal(size=(d, d)) for _ in range(6))]
        burst = sum(run.blow_up is not None for run in runs)
        yield {"d": d, "kind": kind, "certified": found is not None, "blow-ups seen": burst,
               "wrong": found is not None and (not found.holds or burst > 0)}


def attracting(rng: np.random.Generator, n: int) -> Iterator[dict]:
    """K = -Q, V > 0: the exact rank of the limit, beside the count of eigenvalues above 0.1.

    One certificate decides for every start; where V = I the limit is S_{|Q} itself, else it is
    read off a long integration.
    """
    for k in range(3 * n):
        d, whole = 3 + k % 3, k % 2
        Q, G = rounded(rng.normal(size=(d // 2, d))), rounded(rng.normal(size=(d, d)))
        W = rounded(rng.normal(size=(d, d)))
        V, S0 = identity(d) if whole else W * W.transpose(), G * G.transpose()
        found = limit_rank(-Q, Q, V, S0)
        end = floats(found.conditional) if whole else integrated(
            -floats(Q).T @ floats(Q), floats(V), floats(S0), 1e4).S
        yield {"d": d, "V": "I" if whole else "W W^T", "rank": found.rank, "by": found.by,
               "count": int((np.linalg.eigvalsh(end) > CUT).sum()),
               "wrong": found.status != "rank" or found.rank != d - d // 2
               or found.conditional.rank() != found.rank}


def anything(rng: np.random.Generator, n: int) -> Iterator[dict]:
    """General K, Q, V, two starts each: certified rank, blow-up, or undecided with the reason."""
    for k in range(n):
        if k % 2 == 0:
            d = int(rng.integers(2, 5))
            h = int(rng.integers(1, d))
            Q, K = (rounded(rng.normal(size=(h, d))) for _ in "QK")
            V = rounded(rng.normal(size=(d, d)))
        G = rounded(rng.normal(size=(d, d)))
        S0 = G * G.transpose() * exact([[1 if k % 2 == 0 else "1/10"]])[0, 0]
        begun = time.perf_counter()
        found = limit_rank(K, Q, V, S0)
        spent = time.perf_counter() - begun
        A = floats(K.transpose() * Q)
        run = integrated(A, floats(V), floats(S0), LONGER)
        if contradicted(found, run, floats(Q)):     # a slow decay looks like another rank
            run = integrated(A, floats(V), floats(S0), LONGEST)
        yield {"model": k // 2, "d": d, "k": h, "status": found.status, "rank": found.rank,
               "by": found.by, "blow-up": found.blow_up and tuple(map(real, found.blow_up)),
               "seen": seen(run, floats(Q)), "t": run.t, "seen T*": run.blow_up,
               "reason": found.reason, "seconds": round(spent, 2),
               "wrong": contradicted(found, run, floats(Q))}


def seen(run, Q: np.ndarray) -> str:
    """What an integration looks like: not a verdict."""
    if run.blow_up:
        return "blow-up"
    if not run.reached:
        return "stopped"
    size = np.linalg.norm(Q @ run.S) / (np.linalg.norm(Q) * np.trace(run.S))
    return "Q S -> 0" if size < 1e-3 else "other"


def contradicted(found: Limit, run, Q: np.ndarray) -> bool:
    """Whether a long integration speaks against a certified answer.

    Against a rank r: blow-up, or at the end the r-th eigenvalue below that of S_{|Q} <= S, or the
    next one above 1e-2 of the trace.
    """
    if found.status == "blows up":
        low, high = map(real, found.blow_up)
        return run.t > high * (1 + 1e-6) or run.blow_up is not None and not (
            low * (1 - 1e-6) <= run.blow_up <= high * (1 + 1e-6))
    if found.status == "rank" and run.reached:
        r, values = found.rank, np.linalg.eigvalsh(run.S)[::-1]
        kept = np.linalg.eigvalsh(floats(found.conditional))[::-1]
        return bool(r and values[r - 1] < kept[r - 1] * (1 - 1e-4)
                    or r < len(values) and values[r] > 1e-2 * values.sum())
    return found.status == "rank" and run.blow_up is not None


def real(x) -> float:
    return int(x.p) / int(x.q)


TABLES: dict[str, tuple[Callable, int, int]] = {    # name -> rows, draws, draws of --quick
    "closed": (closed, 20, 4), "general": (general, 20, 2), "bounds": (simple_bounds, 200, 12),
    "certificates": (certificates, 60, 6), "attracting": (attracting, 300, 4),
    "anything": (anything, 200, 4)}


def total(name: str, rows: list[dict]) -> str:
    """A line or two on what came of a table."""
    wrong = sum(row["wrong"] for row in rows)
    if name == "closed":
        ends = [row for row in rows if row["low"]]
        text = (f"{sum(r['holds'] for r in rows)} of {len(rows)} decided by the kernel, "
                f"{len(rows) - len(ends)} never blow up; widest "
                f"{max(r['width'] for r in ends):.1e}, event off by at most "
                f"{max(r['event off by'] or np.inf for r in ends):.1e}")
    elif name == "general":
        text = f"{Counter(r['status'] for r in rows)}"
    elif name == "bounds":
        lows, highs = ([r[c] for r in rows if r[c]] for c in ("over low", "over high"))
        text = (f"{len(lows)} blew up: T*/lower >= {min(lows):.3f}; {len(highs)} with an upper "
                f"bound: T*/upper <= {max(highs):.3f}" if lows and highs else "too few to say")
    elif name == "certificates":
        pairs = Counter((r["kind"], r["certified"]) for r in rows)
        text = "; ".join(f"{kind}: {pairs[kind, True]} of {pairs[kind, True] + pairs[kind, False]}"
                         for kind in dict.fromkeys(r["kind"] for r in rows)) + " certified"
    elif name == "attracting":
        text = "\n".join(
            f"  d = {d}, V = {V}: rank {dict(Counter(r['rank'] for r in part))} exact, "
            f"{dict(sorted(Counter(r['count'] for r in part).items()))} eigenvalues above {CUT}"
            for d in (3, 4, 5) for V in ("I", "W W^T")
            if (part := [r for r in rows if (r["d"], r["V"]) == (d, V)]))
    else:
        models = {m: {r["status"] for r in rows if r["model"] == m} for m in
                  {r["model"] for r in rows}}
        mixed = sum({"rank", "blows up"} <= s for s in models.values())
        text = (f"{dict(Counter((r['status'], r['by']) for r in rows))}; "
                f"start dependence certified in {mixed} of {len(models)} models; the undecided "
                f"look like {dict(Counter(r['seen'] for r in rows if not r['by']))}")
    return f"{text}\n  {wrong} contradictions"


def main(arguments: list[str] | None = None) -> int:
    """Run the tables and print them."""
    from rich.console import Console
    from rich.progress import Progress

    parser = argparse.ArgumentParser(prog="python -m tests.experiments.stability",
                                     description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few draws of each")
    parser.add_argument("--only", choices=TABLES, action="append", help="this table (repeatable)")
    parser.add_argument("--draws", type=int, help="another number of draws")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", help="also write every row as JSON")
    options = parser.parse_args(arguments)
    console, rows = Console(stderr=True), {}
    for name in options.only or TABLES:
        make, many, few = TABLES[name]
        n = options.draws or (few if options.quick else many)
        rows[name] = []
        with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
            task = bar.add_task(name, total=3 * n if name == "attracting" else n)
            for row in make(np.random.default_rng(options.seed), n):
                rows[name].append(row)
                bar.advance(task)
        print(f"{name}: {make.__doc__.strip().splitlines()[0]}\n  {total(name, rows[name])}\n",
              flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1, default=float))
    return int(any(row["wrong"] for part in rows.values() for row in part))


if __name__ == "__main__":
    raise SystemExit(main())
