"""One point of the domain where both sides are defined and the relation fails for sure.

Data: `point`. Facts must hold there exactly or by balls; overlap of balls is never a failure.
Falsehood it must reject: "1/x = 0 is false at x = 0", where 1/x is not defined.
"""

from symbolic.kernel import admit
from symbolic.kernel.ball import Unsure
from symbolic.kernel.rules import Granted, Refuse
from symbolic.kernel.statement import Level


def check(problem, data, prove) -> Granted:
    """Grants REFUTED."""
    point, statement = admit.exact_point(data["point"]), problem.statement
    if statement.relation == "O":
        raise Refuse("a statement about a limit is not refuted at a point")
    try:
        failure = admit.failure(statement, point)
    except Unsure as error:
        raise Refuse(f"not decided at this point: {error}") from None
    if failure is None:
        raise Refuse("the relation is not shown to fail at this point")
    if not admit.admissible(statement, point):
        raise Refuse("the facts are not shown to hold at this point")
    return Granted(Level.REFUTED, point=point, left=failure.left, right=failure.right)
