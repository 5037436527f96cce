"""Split on the first max, min, abs, sign or piecewise term; the cheap methods do the branches."""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered
from symbolic.kernel.rules.cases import branches, first, replaced
from symbolic.kernel.term import Malformed

BRANCH = ("normal", "sign", "shape", "gather", "tangent", "cases", "eliminate", "linear", "squares")


def find(statement):
    """One certificate, when every branch is certified."""
    from symbolic.prove import certify

    try:
        with limited(200_000):
            problem = prepare(statement)
    except (Undecided, Malformed):
        return
    target = first(problem.left) or first(problem.right)
    if target is None or statement.relation not in ("=", "<=", "<"):
        return
    each = []
    for facts, value in branches(target):
        inner = altered(statement, given=(*problem.given, *facts), let=(), rates=(),
                        left=replaced(problem.left, target, value),
                        right=replaced(problem.right, target, value))
        by = certify(inner, BRANCH)
        if by is None:
            return
        each.append(by)
    yield "cases", {"each": each}
