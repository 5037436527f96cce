"""What the one-variable rules share: the facts about the variable make an interval."""

from symbolic.kernel.prepare import Problem, sizes
from symbolic.kernel.rules import Refuse, altered, no_definitions
from symbolic.kernel.signs import sign
from symbolic.kernel.statement import Statement
from symbolic.kernel.term import Term, free, substitute


def slice_(problem: Problem, x: object) -> tuple[tuple, tuple]:
    """(facts about x, the other facts); each fact about x is a bound x R c with c free of x."""
    if not isinstance(x, str) or problem.scope.sorts.get(x) != ("real",) \
            or x in sizes(problem.scope.sorts):
        raise Refuse("the variable is no real symbol")
    mine, others = [], []
    for fact in problem.given:
        if x not in free(fact):
            others.append(fact)
        elif fact[0] in ("<=", "<") and x in fact[1:] and not (
                x in free(fact[1]) and x in free(fact[2])):
            mine.append(fact)
        else:
            raise Refuse(f"a fact about {x} that is no bound")
    return tuple(mine), tuple(others)


def at(problem: Problem, x: str, value: Term, mine: tuple, others: tuple) -> Statement:
    """The statement at x = value, once value is shown to satisfy the facts about x."""
    scope = problem.scope
    if free(value) - scope.sorts.keys() or x in free(value):
        raise Refuse("the place is no term in the other names")
    for head, a, b in mine:
        gap = ("+", substitute(b, {x: value}), ("-", substitute(a, {x: value})))
        if not sign(gap, scope) <= {"<=": frozenset("0+"), "<": frozenset("+")}[head]:
            raise Refuse("the place is not shown to lie in the interval")
    base = no_definitions(problem)
    return altered(base, given=others, left=substitute(base.left, {x: value}),
                   right=substitute(base.right, {x: value}))
