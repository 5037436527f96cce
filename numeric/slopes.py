"""Slopes and limits from values alone: Richardson extrapolation, Aitken's process.

Both give their value with an estimate of its error, and `nan` where the estimate is poor: an
undecided point, never a wrong one that looks right.
"""

from collections.abc import Callable, Sequence
from typing import Any

from numeric.arithmetic import minus, size, unknown


def slope(f: Callable[[Any], Any], widths: Sequence, good: float) -> tuple[Any, float]:
    """f'(0) by central differences, extrapolated to width 0, with its estimated error.

    The widths are tried in turn until the relative error estimate is below `good`; the best
    estimate of all is returned. Five halvings a width: the error falls like width**10.
    """
    best, error = None, float("inf")
    for width in widths:
        column: list = []
        for level in range(5):
            h = width / 2**level
            row = [minus(f(h), f(-h)) / (2 * h)]
            for k, before in enumerate(column):
                row.append(row[k] + minus(row[k], before) / (4 ** (k + 1) - 1))
            column = row
            estimate = size(minus(row[-1], row[-2])) if level else float("inf")
            estimate = estimate / (1 + size(row[-1])) if estimate == estimate else float("inf")
            if level > 1 and estimate < error:
                best, error = row[-1], estimate
        if error < good:
            break
    return best, error


def kink(f: Callable[[Any], Any], h: Any, tolerance: float) -> bool:
    """Whether the slopes from the left and from the right of 0 differ, so that f' is undefined."""
    here = f(h * 0)
    right, left = minus(f(h), here) / h, minus(here, f(-h)) / h
    gap = size(minus(right, left))
    return not gap <= tolerance * (1 + size(right))


def extrapolate(values: Sequence, good: float) -> Any | None:
    """The limit of a sequence by Aitken's process, or None where its last two steps disagree.

    A sequence that already stands still is its own limit.
    """
    values = [v for v in values if not unknown(v)]
    if len(values) < 5:
        return None
    if all(_near(values[-1], v, good) for v in values[-4:-1]):
        return values[-1]
    table = [values]
    while len(table[-1]) >= 4:
        table.append([_aitken(*table[-1][k:k + 3]) for k in range(len(table[-1]) - 2)])
        last = table[-1]
        if len(last) >= 2 and not unknown(last[-1]) and _near(last[-1], last[-2], good):
            return last[-1]
    return None


def _near(a: Any, b: Any, good: float) -> bool:
    return not unknown(b) and size(minus(a, b)) <= good * (1 + size(a))


def _aitken(a: Any, b: Any, c: Any) -> Any:
    bend = minus(minus(c, b), minus(b, a))
    if size(bend) == 0:
        return c
    return c - minus(c, b) ** 2 / bend


def partial_sums(f: Callable[[int], Any], low: int, smallest: float, most: int) -> Any | None:
    """The sum of f from low to infinity when its terms fall geometrically, else None.

    Stops when the terms have fallen by a ratio of at most 0.99 for ten steps and the geometric
    tail is below `smallest`.
    """
    total: Any = None
    before, steady = float("nan"), 0
    for k in range(low, low + most):
        term = f(k)
        if unknown(term):
            return None
        total = term if total is None else total + term
        now = size(term)
        steady = steady + 1 if now <= 0.99 * before else 0
        if steady >= 10 and now * now / max(before - now, 1e-300) <= smallest * (
                1 + size(total)):
            return total
        before = now
    return None
