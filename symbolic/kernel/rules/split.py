"""Where a term is <= 0 and where it is >= 0.

Data: `on` (a real term), `each` (two certificates).
Falsehood it must reject: x <= x**2, split on x - 1 (it fails between 0 and 1).
"""

from symbolic.kernel.defined import conditions
from symbolic.kernel.normal import normal, real
from symbolic.kernel.rules import Granted, Refuse, altered, joined, left_open, no_definitions, term
from symbolic.kernel.term import free


def check(problem, data, prove) -> Granted:
    """Grants what both halves grant."""
    on, statement = term(data["on"]), no_definitions(problem)
    if free(on) - problem.scope.sorts.keys() or not real(on, problem.scope):
        raise Refuse("a split on what is not shown to be real")
    normal(on, problem.scope)
    low, high = data["each"]
    halves = [prove(altered(statement, given=(*statement.given, fact)), certificate)
              for fact, certificate in ((("<=", on, 0), low), (("<=", 0, on), high))]
    return joined(*halves, Granted(where=left_open(problem) + conditions(on, problem.scope)))
