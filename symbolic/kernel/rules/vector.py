"""left - right is positive semidefinite: it is symmetric and v^T (left - right) v >= 0 for all v.

Data: `name` (a name not used otherwise), `by` (a certificate of the scalar statement).
Falsehood it must reject: [[1, 1], [0, 1]] psd, which is not symmetric.
"""

from symbolic.kernel.normal import equal
from symbolic.kernel.rules import Granted, Refuse, altered, joined, left_open, no_definitions
from symbolic.kernel.shape import shape
from symbolic.kernel.term import free, identifier


def check(problem, data, prove) -> Granted:
    """Grants `psd`."""
    name, sorts = data["name"], problem.scope.sorts
    if problem.relation != "psd" or not identifier(name) or name in sorts:
        raise Refuse("vector needs a psd statement and a new name")
    gap, size = form(problem)
    if not equal(gap, ("T", gap), problem.scope):
        raise Refuse("the matrix is not shown to be symmetric")
    inner = no_definitions(problem)
    inner = altered(inner, symbols=(*inner.symbols, (name, ("matrix", size, 1))), relation="<=",
                    left=0, right=("trace", ("*", ("T", name), gap, name)))
    return joined(about(prove(inner, data["by"]), {name}), Granted(where=left_open(problem)))


def about(granted, new):
    """A sub-proof for every value of new names: no condition may speak of them."""
    if any(new & free(c) for c in granted.where):
        raise Refuse("a condition is left open that mentions the new name")
    return granted


def form(problem):
    """The matrix that is claimed to be positive semidefinite, and its size."""
    sizes = [found for t in (problem.left, problem.right)
             if (found := shape(t, problem.scope.sorts)) is not None]
    if not sizes or sizes[0][0] != sizes[0][1]:
        raise Refuse("psd speaks of square matrices")
    if problem.right == 0 or isinstance(problem.right, tuple) and problem.right[0] == "zeros":
        return problem.left, sizes[0][0]
    if problem.left == 0:
        return ("-", problem.right), sizes[0][0]
    return ("+", problem.left, ("-", problem.right)), sizes[0][0]
