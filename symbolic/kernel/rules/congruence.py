"""left - right = sum of weight * M^T X M with weights >= 0 and every X positive semidefinite.

Data: `parts`, each {"weight", "factor" (M), and either "fact" (the index of a psd fact, with
"indices" where it speaks of ranges) or "middle" (X, shown semidefinite by its shape) with "by" (a
certificate of X psd 0) where the shape does not show it}.

Falsehood it must reject: A psd 0 from A = I^T A I for a symmetric A of no known sign.
"""

from symbolic.kernel.defined import conditions
from symbolic.kernel.facts import NONNEG
from symbolic.kernel.normal import equal, real
from symbolic.kernel.rules import Granted, Refuse, altered, joined, left_open, no_definitions, term
from symbolic.kernel.rules.combination import instance
from symbolic.kernel.rules.vector import form
from symbolic.kernel.semidefinite import semidefinite
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.signs import sign
from symbolic.kernel.term import free, heads


def check(problem, data, prove) -> Granted:
    """Grants `psd`."""
    if problem.relation != "psd" or problem.scope.complex:
        raise Refuse("congruence shows that a real matrix is positive semidefinite")
    gap, size = form(problem)
    parts, grants, open_ = [], [], list(left_open(problem))
    for row in data["parts"]:
        part, used, granted = _part(row, problem, prove)
        parts.append(part)
        grants += granted
        open_ += [c for t in used for c in conditions(t, problem.scope)]
    whole = parts[0] if len(parts) == 1 else ("+", *parts) if parts else ("zeros", size, size)
    if "i" in heads(whole) or not equal(gap, whole, problem.scope):
        raise Refuse("the congruences do not add up to the matrix")
    return joined(*grants, Granted(where=tuple(dict.fromkeys(open_))))


def _part(row, problem, prove):
    """(weight * M^T X M, the terms in it, what a sub-proof granted)."""
    scope = problem.scope
    weight, factor = term(row.get("weight", 1)), term(row["factor"])
    granted = []
    if "fact" in row:
        middle = _fact(row, problem)
    else:
        middle = term(row["middle"])
        if "by" in row:
            inner = altered(no_definitions(problem), left=middle, right=0)
            granted.append(prove(inner, row["by"]))
        elif not semidefinite(middle, scope):
            raise Refuse("a middle is not shown to be positive semidefinite")
    used = (weight, factor, middle)
    if frozenset().union(*map(free, used)) - scope.sorts.keys():
        raise Refuse("a part of the congruence is not declared")
    found = [shape(t, scope.sorts) for t in used]
    if not scalar(found[0]) or None in found[1:] or found[2] != (found[1][0],) * 2:
        raise Refuse("the shapes of a congruence do not fit")
    if weight != 1 and not (sign(weight, scope) <= NONNEG and real(weight, scope)):
        raise Refuse("a weight is not shown to be nonnegative")
    part = ("*", ("T", factor), middle, factor)
    return part if weight == 1 else ("*", weight, *part[1:]), used, granted


def _fact(row, problem):
    place = row["fact"]
    if type(place) is not int or not 0 <= place < len(problem.given):
        raise Refuse("no fact of this number")
    fact = problem.given[place]
    if fact[0] == "all":
        fact = instance(fact, [term(t) for t in row.get("indices", ())], problem.scope)
    if fact[0] != "psd":
        raise Refuse("the fact does not say that a matrix is positive semidefinite")
    _, left, right = fact
    return left if right == 0 else ("-", right) if left == 0 else ("+", left, ("-", right))
