"""Equal matrices: certify the number p^T (left - right) q for new vectors p and q.

For equations that need a fact between numbers, such as weights that add up to 1.
"""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed, fresh

INNER = ("normal", "eliminate", "linear")


def find(statement):
    """One certificate, when the scalar equation is certified."""
    from symbolic.prove import certify

    if statement.relation != "=":
        return
    try:
        with limited(200_000):
            problem = prepare(statement)
            found = next((f for t in (problem.left, problem.right)
                          if (f := shape(t, problem.scope.sorts)) is not None), None)
    except (Undecided, Malformed):
        return
    if scalar(found) or not any(f[0] in ("=", "all") for f in problem.given):
        return
    taken = frozenset(problem.scope.sorts)
    p = fresh("p", taken)
    q = fresh("q", taken | {p})
    sides = [0 if t == 0 else ("trace", ("*", ("T", p), t, q))
             for t in (problem.left, problem.right)]
    vectors = ((p, ("matrix", found[0], 1)), (q, ("matrix", found[1], 1)))
    inner = altered(statement, symbols=(*statement.symbols, *vectors), left=sides[0],
                    right=sides[1], given=problem.given, let=(), rates=())
    by = certify(inner, INNER)
    if by is not None:
        yield "bilinear", {"names": [p, q], "by": by}
