"""Agreement at stated points of the domain: the level TESTED, never more.

Data: `points`. Each must be of the domain with both sides defined and the relation not failing.
Falsehood it must reject: x = 0 tested at x = 1.
"""

from symbolic.kernel import admit
from symbolic.kernel.ball import Unsure
from symbolic.kernel.rules import Granted, Refuse
from symbolic.kernel.statement import Level


def check(problem, data, prove) -> Granted:
    """Grants TESTED."""
    points, statement = [admit.exact_point(p) for p in data["points"]], problem.statement
    if statement.relation == "O" or not points:
        raise Refuse("no points to test at")
    for point in points:
        try:
            failure = admit.failure(statement, point)
        except Unsure as error:
            raise Refuse(f"not decided at a point: {error}") from None
        if failure is not None or not admit.admissible(statement, point):
            raise Refuse("the relation fails at a point, or the point is outside the domain")
    return Granted(Level.TESTED, note=f"agrees at {len(points)} points")
