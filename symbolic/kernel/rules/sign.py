"""The sign of right - left follows from the facts and the shape of the term.

Falsehood it must reject: 0 <= x*y for x >= 0 and y real.
"""

from symbolic.kernel import facts, normal, signs
from symbolic.kernel.rules import Granted, Refuse, left_open
from symbolic.kernel.shape import scalar, shape


def check(problem, data, prove) -> Granted:
    """Grants `<=`, `<` and `!=`."""
    scope, gap = problem.scope, difference(problem)
    wanted = {"<=": facts.NONNEG, "<": facts.PLUS, "!=": facts.NONZERO}.get(problem.relation)
    if wanted is None or not scalar(shape(gap, scope.sorts)):
        raise Refuse(f"sign does not decide {problem.relation!r}")
    if not (normal.real(problem.left, scope) and normal.real(problem.right, scope)):
        raise Refuse("an order between values that are not shown to be real")
    used: set[str] = set()
    if not signs.sign(gap, scope, used) <= wanted:
        raise Refuse("the sign of the difference does not follow")
    return Granted(where=left_open(problem), note=", ".join(sorted(used)))


def difference(problem):
    """right - left, plain where the left is 0."""
    if problem.left == 0:
        return problem.right
    return ("+", problem.right, ("-", problem.left))
