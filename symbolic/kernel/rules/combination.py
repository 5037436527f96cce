"""multiplier * (right - left) = sum of terms of known sign + sum of factor * (fact's left - right).

Data: `terms` (each shown nonnegative by its sign), `equations` [[factor, index of fact], ...] or
[[factor, index, [whole terms]], ...] for a fact about all indices, `multiplier` (shown positive).
For `<` one of the terms must be positive. For `=` there may be equations only.

Falsehood it must reject: 0 <= x + 1 from the term x + 1 without a fact about x.
"""

import symbolic.kernel.entail as entail
from symbolic.kernel.defined import conditions
from symbolic.kernel.facts import NONNEG, PLUS
from symbolic.kernel.normal import equal, normal, real
from symbolic.kernel.polynomial import subtract
from symbolic.kernel.rules import Granted, Refuse, left_open, term
from symbolic.kernel.rules.sign import difference
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.signs import sign
from symbolic.kernel.structure import integral
from symbolic.kernel.term import free, substitute


def check(problem, data, prove) -> Granted:
    """Grants `=`, `<=` and `<`."""
    scope = problem.scope
    terms = [term(t) for t in data.get("terms", ())]
    pieces = [_equation(row, problem) for row in data.get("equations", ())]
    multiplier = term(data.get("multiplier", 1))
    every = (*terms, *pieces, multiplier)
    missing = frozenset().union(*(free(t) for t in every)) - scope.sorts.keys()
    if missing or not all(scalar(shape(t, scope.sorts)) for t in every):
        raise Refuse("a part of the combination is no number in the declared names")
    used: set[str] = set()
    signs = [sign(t, scope, used) for t in terms]
    _relation(problem, signs)
    if not all(s <= NONNEG for s in signs) or not all(real(t, scope) for t in terms):
        raise Refuse("a term of the combination is not shown to be nonnegative")
    if multiplier != 1 and sign(multiplier, scope) != PLUS:
        raise Refuse("the multiplier is not shown to be positive")
    gap = difference(problem)
    left = gap if multiplier == 1 else ("*", multiplier, gap)
    whole = (*terms, *pieces)
    right = 0 if not whole else whole[0] if len(whole) == 1 else ("+", *whole)
    if not equal(left, right, scope):
        raise Refuse("the combination does not add up")
    open_ = left_open(problem) + tuple(c for t in every for c in conditions(t, scope))
    return Granted(where=tuple(dict.fromkeys(open_)), note=", ".join(sorted(used)))


def _relation(problem, signs) -> None:
    relation, scope = problem.relation, problem.scope
    if relation not in ("=", "<=", "<") or not scalar(shape(problem.left, scope.sorts)):
        raise Refuse(f"combination does not decide {relation!r}")
    if relation == "=" and signs:
        raise Refuse("an equality needs equations only")
    if relation == "<" and PLUS not in signs:
        raise Refuse("no term is positive")
    if relation != "=" and not (real(problem.left, scope) and real(problem.right, scope)):
        raise Refuse("an order between values that are not shown to be real")


def _equation(row, problem):
    """factor * (left - right) of an equation among the facts, at whole indices in its ranges."""
    factor, place, *indices = row
    if type(place) is not int or not 0 <= place < len(problem.given):
        raise Refuse("no fact of this number")
    fact = problem.given[place]
    if fact[0] == "all":
        values = [term(t) for t in indices[0]] if indices else []
        fact = instance(fact, values, problem.scope)
    if fact[0] != "=":
        raise Refuse("the fact is no equation")
    if not scalar(shape(fact[1], problem.scope.sorts)):
        raise Refuse("the equation is between matrices")
    return ("*", term(factor), ("+", fact[1], ("-", fact[2])))


def instance(fact, values, scope):
    """A fact for all indices at given whole terms that are entailed to lie in its ranges."""
    ranges = fact[2:]
    if len(values) != len(ranges):
        raise Refuse("an instance needs one term an index")
    chosen = {}
    for (_, name, low, high), value in zip(ranges, values, strict=True):
        p = normal(value, scope)
        ends = (normal(substitute(low, chosen), scope), normal(substitute(high, chosen), scope))
        if not integral(p) or not entail.entails(
                scope.facts, subtract(p, ends[0])) or not entail.entails(
                scope.facts, subtract(ends[1], p)):
            raise Refuse(f"the index {name} is not shown to lie in its range")
        chosen[name] = value
    return substitute(fact[1], chosen)
