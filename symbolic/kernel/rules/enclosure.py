"""An inequality between enclosures, cell by cell, on the whole declared box: CERTIFIED.

Data: nothing. Every real symbol of the two sides needs numeric bounds among the facts (other facts
are not used, so more is shown than asked). Overlap of balls is never an equality.
Falsehood it must reject: sin(x) <= 1/2 for real x, certified on a smaller box.
"""

from fractions import Fraction

from symbolic.kernel import ball, points
from symbolic.kernel.ball import Unsure
from symbolic.kernel.rules import Granted, Refuse
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.signs import bounds
from symbolic.kernel.statement import Level
from symbolic.kernel.term import free

MOST_CELLS, MOST_NAMES = 1_500, 3


def check(problem, data, prove) -> Granted:
    """Grants CERTIFIED for `<=` and `<`."""
    if problem.relation not in ("<=", "<") or problem.scope.matrices or not scalar(
            shape(problem.left, problem.scope.sorts)):
        raise Refuse("enclosure compares numbers")
    names = sorted(free(problem.left) | free(problem.right))
    if len(names) > MOST_NAMES:
        raise Refuse(f"more than {MOST_NAMES} symbols")
    box = {n: _range(n, problem) for n in names}
    margin = ball.with_precision(_least, problem, box)
    return Granted(Level.CERTIFIED, margin=f"{float(margin):.3g}")


def _range(name, problem) -> tuple[Fraction, Fraction]:
    span = bounds(name, problem.scope)
    if problem.scope.sorts[name] != ("real",) or span.low is None or span.high is None:
        raise Refuse(f"{name} has no numeric bounds")
    return span.low, span.high


def _least(problem, box) -> Fraction:
    """The least certified right - left over a partition of the box into cells."""
    sorts, least, cells = problem.scope.sorts, None, [box]
    for _ in range(MOST_CELLS):
        if not cells:
            return least
        cell = cells.pop()
        low = _gap(problem, cell, sorts)
        if low is None or not (low > 0):
            cells += _halves(cell)
            continue
        least = low if least is None else min(least, low)
    raise Refuse("the enclosures are not sharp enough")


def _gap(problem, cell, sorts):
    """A lower bound of right - left on a cell, None if a side is not decided there."""
    bound = {n: ball.interval(*ends) for n, ends in cell.items()}
    place = points.Place(sorts, {}, {}, bound)
    try:
        gap = ball.plus(points.number(problem.right, place),
                        ball.negative(points.number(problem.left, place)))
        return Fraction(gap) if isinstance(gap, Fraction) else ball.lower(gap)
    except (Unsure, KeyError):
        return None


def _halves(cell) -> list:
    widest = max(cell, key=lambda n: cell[n][1] - cell[n][0], default=None)
    if widest is None or cell[widest][0] == cell[widest][1]:
        raise Refuse("the enclosures are not sharp enough")
    low, high = cell[widest]
    middle = (low + high) / 2
    return [{**cell, widest: (low, middle)}, {**cell, widest: (middle, high)}]
