"""How far a statement is from failing at a point, as a float: what local search climbs."""

from symbolic.kernel import ball, points
from symbolic.kernel.term import unfold


def violation(statement):
    """A function of a point: left - right as a float (larger is worse), -inf where undefined."""
    sorts = dict(statement.symbols)
    rates = {(n, v): unfold(b, statement.let) for n, v, b in statement.rates}
    sides = [unfold(t, statement.let) for t in (statement.left, statement.right)]

    def score(point):
        try:
            x, y = (points.evaluate(t, sorts, point, rates) for t in sides)
            if isinstance(x, list) or isinstance(y, list):
                return _least_eigenvalue(x, y)
            return float(ball.ball(x).real) - float(ball.ball(y).real)
        except (ball.Unsure, TypeError, ValueError, KeyError, OverflowError):
            return float("-inf")

    return score


def _least_eigenvalue(x, y):
    import numpy

    def floats(rows):
        return numpy.array([[float(ball.ball(c).real) for c in row] for row in rows])

    gap = floats(x) if isinstance(x, list) else 0.0
    gap = gap - (floats(y) if isinstance(y, list) else 0.0)
    return -float(numpy.linalg.eigvalsh((gap + gap.T) / 2)[0])
