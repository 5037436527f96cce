"""A sum of terms that are nonnegative by shape, the tangents of its logarithms among them.

1. Summands that both sides share are taken away; each that is left must have its sign by shape.
2. The difference is matched against those terms with weight one half, one and two, which settles
the usual last lines (Gibbs, Jensen at a tangent) without a search.
"""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules.sign import difference
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed
from symbolic.search.cancel import cancelled
from symbolic.search.tangents import tangents

WEIGHTS = (None, ("/", 1, 2), 2)


def find(statement):
    """Certificates of the rule combination with one tangent and the rest by its sign."""
    if statement.relation not in ("<=", "<"):
        return
    data = cancelled(statement)
    if data["terms"]:
        yield "combination", data
    if statement.relation == "<":
        return
    try:
        with limited(300_000):
            problem = prepare(statement)
            if not scalar(shape(problem.left, problem.scope.sorts)):
                return
            gap = difference(problem)
            for _, term in tangents(problem):
                for weight in WEIGHTS:
                    part = term if weight is None else ("*", weight, term)
                    yield "combination", {"terms": [part, ("+", gap, ("-", part))]}
                    yield "combination", {"terms": [part]}
    except (Undecided, Malformed):
        return
