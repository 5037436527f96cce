"""Two matrices are equal when p^T left q = p^T right q for all vectors p and q.

Data: `names` (two names not used otherwise), `by` (a certificate of the scalar equation).
Falsehood it must reject: A = A^T from the equation with p in place of q.
"""

from symbolic.kernel.rules import Granted, Refuse, altered, joined, left_open, no_definitions
from symbolic.kernel.rules.vector import about
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import identifier


def check(problem, data, prove) -> Granted:
    """Grants `=` between matrices."""
    first, second = data["names"]
    sorts = problem.scope.sorts
    sizes = [found for t in (problem.left, problem.right) if (found := shape(t, sorts)) is not None]
    if problem.relation != "=" or not sizes or scalar(sizes[0]):
        raise Refuse("bilinear compares matrices")
    if first == second or any(not identifier(n) or n in sorts for n in (first, second)):
        raise Refuse("bilinear needs two new names")
    rows, cols = sizes[0]
    inner = no_definitions(problem)
    sides = [0 if t == 0 else ("trace", ("*", ("T", first), t, second))
             for t in (problem.left, problem.right)]
    vectors = ((first, ("matrix", rows, 1)), (second, ("matrix", cols, 1)))
    inner = altered(inner, symbols=(*inner.symbols, *vectors), left=sides[0], right=sides[1])
    granted = about(prove(inner, data["by"]), {first, second})
    return joined(granted, Granted(where=left_open(problem)))
