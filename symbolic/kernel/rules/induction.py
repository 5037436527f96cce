"""For all whole n >= start: true at start, and from n to n + 1.

Data: `variable`, `start` (a number), `here`, `then`. Facts that mention n: the bound start <= n,
and facts for all indices up to n (those at n + 1 imply those at n). The hypothesis joins the facts.
Falsehood it must reject: given x = n, conclude x = 1 (a fact about n that is no bound).
"""

from symbolic.kernel.entail import entails
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import constant, subtract
from symbolic.kernel.prepare import sizes
from symbolic.kernel.rules import (
    Granted,
    Refuse,
    altered,
    joined,
    left_open,
    no_definitions,
    unconditional,
)
from symbolic.kernel.term import free, substitute


def check(problem, data, prove) -> Granted:
    """Grants `=`, `<=` and `<`."""
    n, start = data["variable"], data["start"]
    scope = problem.scope
    if problem.relation not in ("=", "<=", "<") or type(start) is not int:
        raise Refuse("induction shows = , <= and < from a whole number on")
    if scope.sorts.get(n) != ("integer",) or n in problem.scope.bound or not entails(
            scope.facts, subtract(normal(n, scope), constant(start))):
        raise Refuse("the variable is not shown to be whole and at least the start")
    if n in sizes(scope.sorts):
        raise Refuse("induction over a size would have to change the sorts")
    if left_open(problem):
        raise Refuse("a side is not shown to be defined for every n")
    kept = tuple(f for f in problem.given if not _bound(f, n))
    if not all(n not in free(f) or _growing(f, n) for f in kept):
        raise Refuse(f"a fact mentions {n} other than as its lower bound")
    base = altered(no_definitions(problem), given=kept)
    hypothesis = (problem.relation, base.left, base.right)
    first, next_ = _moved(base, n, start), _moved(base, n, ("+", n, 1))
    then = altered(next_, given=(*next_.given, ("<=", start, n), hypothesis))
    return joined(unconditional(prove(first, data["here"])),
                  unconditional(prove(then, data["then"])))


def _bound(fact, n) -> bool:
    """start <= n or start < n with a number, or an upper index that is at most n."""
    return fact[0] in ("<=", "<") and fact[2] == n and isinstance(fact[1], int)


def _growing(fact, n) -> bool:
    """A fact for all indices whose only mention of n is as the last index."""
    if fact[0] != "all" or n in free(fact[1]) or any(r[1] == n for r in fact[2:]):
        return False
    return all(n not in free(low) and (high == n or n not in free(high))
               for _, _, low, high in fact[2:])


def _moved(statement, n, value):
    at = {n: value}
    return altered(statement, left=substitute(statement.left, at),
                   right=substitute(statement.right, at),
                   given=tuple(substitute(f, at) for f in statement.given))
