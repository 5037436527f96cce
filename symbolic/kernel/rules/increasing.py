"""left R right from f(left) R f(right), for R among <= and < and an increasing f.

Data: `function` ("exp", "log" where left > 0, "square" where right >= 0, or ["times", w] with
w > 0), `sides` (terms for f(left) and f(right), as their author would write them), `equal` (two
certificates of these equations), `by` (certificate of the order between them), `sure` (certificate
of 0 < left, of 0 <= right or of 0 < w; none for exp).
Falsehood it must reject: 1 <= -2 from the squares, 1 <= 4.
"""

from symbolic.kernel.defined import conditions
from symbolic.kernel.normal import real
from symbolic.kernel.rules import Granted, Refuse, altered, joined, left_open, no_definitions, term
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import free, heads


def check(problem, data, prove) -> Granted:
    """Grants `<=` and `<`."""
    scope, statement = problem.scope, no_definitions(problem)
    sides = [term(t) for t in data["sides"]]
    function, factor = data["function"], 1
    if isinstance(function, list | tuple):
        function, factor = function[0], term(function[1])
    if problem.relation not in ("<=", "<") or len(sides) != 2:
        raise Refuse("increasing speaks of <= and < and needs two sides")
    every = (*sides, factor)
    if frozenset().union(*map(free, every)) - scope.sorts.keys() or any(
            "i" in heads(t) or not scalar(shape(t, scope.sorts))
            for t in (*every, statement.left, statement.right)):
        raise Refuse("increasing speaks of real numbers in the declared names")
    if not all(real(t, scope) for t in (statement.left, statement.right, factor)):
        raise Refuse("an order between values that are not shown to be real")
    images = _images(function, factor, statement)
    parts = [prove(altered(statement, relation="=", left=new, right=image), by)
             for new, image, by in zip(sides, images, data["equal"], strict=True)]
    parts.append(prove(altered(statement, left=sides[0], right=sides[1]), data["by"]))
    if function == "log":   # right > 0 is a condition of its logarithm
        parts.append(prove(altered(statement, relation="<", left=0, right=statement.left),
                           data["sure"]))
    if function == "square":
        parts.append(prove(altered(statement, relation="<=", left=0), data["sure"]))
    if function == "times":
        parts.append(prove(altered(statement, relation="<", left=0, right=factor), data["sure"]))
    open_ = left_open(problem) + tuple(c for t in (*every, *images) for c in conditions(t, scope))
    return joined(*parts, Granted(where=tuple(dict.fromkeys(open_))))


def _images(function, factor, statement):
    """f(left) and f(right)."""
    sides = statement.left, statement.right
    if function in ("exp", "log"):
        return [(function, t) for t in sides]
    if function == "square":
        return [("^", t, 2) for t in sides]
    if function == "times":
        return [("*", factor, t) for t in sides]
    raise Refuse(f"{function!r} is no function of this rule")
