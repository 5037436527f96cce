"""Draw points of the domain and keep one where the relation fails for sure."""

import random
import time

from symbolic.kernel import attack

FIRST, MANY, SHOWN = 40, 300, 8
AT_FIRST = 2.0  # seconds: where facts make points dear, proofs come first


def find(statement):
    """A first look: a few dozen cheap points."""
    yield from _drawn(statement, FIRST, 0)


def exhaustive(statement, seconds):
    """A long look: more points, then a local search; what agrees everywhere is TESTED."""
    if statement.relation == "O":
        return
    end, agree = time.monotonic() + seconds, []
    for point in attack.candidates(statement, random.Random(f"1{statement.digest}"), MANY):
        found, admitted = attack.at_point(statement, point)
        if found is not None:
            yield "points", {"point": found.point}
        if admitted and len(agree) < SHOWN:
            agree.append(point)
        if time.monotonic() > end:
            break
    if statement.relation in ("<=", "<", "psd"):
        yield from _searched(statement, end)
    if agree:
        yield "tested", {"points": agree}


def _drawn(statement, tries, seed):
    if statement.relation == "O":
        return
    rng, end = random.Random(f"{seed}{statement.digest}"), time.monotonic() + AT_FIRST
    for point in attack.candidates(statement, rng, tries):
        found, _ = attack.at_point(statement, point)
        if found is not None:
            yield "points", {"point": found.point}
            return
        if time.monotonic() > end:
            return


def _searched(statement, end):
    """Local search for small failing regions; floats choose, the kernel decides."""
    from symbolic.kernel.propose.search import margin, search

    left = end - time.monotonic()
    if left <= 0:
        return
    rng = random.Random(f"2{statement.digest}")
    for point in search(statement, rng, margin(statement), left):
        found, _ = attack.at_point(statement, point)
        if found is not None:
            yield "points", {"point": found.point}
            return
