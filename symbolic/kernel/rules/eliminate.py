"""A fact determines a symbol; the statement is proved with the symbol replaced by its value.

Data: `fact` (index of an equation), `name`, `value` (a term without the name), `by`. The equation
must be linear in the name with a coefficient that is never zero (numbers), or of the form
u*name*v = rest with u, v invertible (matrices), and the value must solve it.

Falsehood it must reject: from x**2 = 4 conclude x = 2.
"""

from symbolic.kernel import facts as facts_
from symbolic.kernel import words
from symbolic.kernel.letters import flags, size
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import add, mul, scale, subtract
from symbolic.kernel.rules import Granted, Refuse, altered, joined, left_open, no_definitions, term
from symbolic.kernel.shape import shape
from symbolic.kernel.structure import mentions
from symbolic.kernel.term import free, substitute
from symbolic.kernel.zero import vanishes


def check(problem, data, prove) -> Granted:
    """Grants whatever `by` shows of the statement with the name replaced."""
    name, value, place = data["name"], term(data["value"]), data["fact"]
    if type(place) is not int or not 0 <= place < len(problem.given):
        raise Refuse("no fact of this number")
    fact, sorts = problem.given[place], problem.scope.sorts
    if fact[0] != "=" or name in free(value) or free(value) - sorts.keys():
        raise Refuse("the fact is no equation, or the value mentions the name")
    if any(name in _sizes(sort) for sort in sorts.values()):
        raise Refuse("a size is not replaced")
    if problem.statement.limit and problem.statement.limit[0] == name:
        raise Refuse("the variable of O is not replaced")
    if shape(value, sorts) != shape(name, sorts):
        raise Refuse("the value has another shape")
    solves = _solves_number if shape(name, sorts) is None else _solves_matrix
    if not solves(fact, name, value, problem.scope):
        raise Refuse("the equation does not determine the name to be the value")
    inner, at = no_definitions(problem), {name: value}
    inner = altered(inner, left=substitute(inner.left, at), right=substitute(inner.right, at),
                    given=tuple(substitute(f, at) for f in inner.given))
    return joined(prove(inner, data["by"]), Granted(where=left_open(problem)))


def _sizes(sort) -> frozenset:
    """Names in the sizes and ranges of a sort."""
    if sort[0] == "family":
        return _sizes(sort[1]).union(*(free(r[2]) | free(r[3]) for r in sort[2:]))
    return frozenset().union(*(free(p) for p in sort[1:3])) if sort[0] == "matrix" else frozenset()


def _solves_number(fact, name, value, scope) -> bool:
    if scope.sorts[name] == ("integer",):
        return False  # the value would have to be shown whole
    letter = ("sym", name) if scope.sorts[name] == ("real",) else ("csym", name)
    gap = subtract(normal(fact[1], scope), normal(fact[2], scope))
    slope = {m - {(letter, 1)}: c for m, c in gap.items() if (letter, 1) in m}
    rest = {m: c for m, c in gap.items() if (letter, 1) not in m}
    here = frozenset({letter})
    if any(mentions(m, here) for m in (*slope, *rest)) or not facts_.nonzero(scope.facts, slope):
        return False
    return vanishes(add(mul(slope, normal(value, scope)), rest))


def _solves_matrix(fact, name, value, scope) -> bool:
    """u*name*v - rest = 0 in one word with invertible u and v around the name."""
    letter = (("m", name), False, False)
    gap = words.plus(words.matrix(fact[1], scope),
                     {w: scale(p, -1) for w, p in words.matrix(fact[2], scope).items()})
    inside = [w for w in gap if any(x[0] == letter[0] for x in w)]
    if len(inside) != 1 or inside[0].count(letter) != 1 or not facts_.nonzero(
            scope.facts, gap[inside[0]]):
        return False
    word = inside[0]
    k = word.index(letter)
    others = word[:k] + word[k + 1:]
    if not all(_invertible(x, scope) for x in others):
        return False
    if any(mentions_letter(p, name) for p in gap.values()) or any(
            mentions_letter(w, name) for w in (others, *(w for w in gap if w != word))):
        return False
    solved = words.times(words.times({word[:k]: {frozenset(): 1}}, words.matrix(value, scope),
                                     scope), {word[k + 1:]: {frozenset(): 1}}, scope)
    solved = {w: mul(gap[word], p) for w, p in solved.items()}
    rest = {w: p for w, p in gap.items() if w != word}
    return words.gone(words.plus(solved, rest))


def _invertible(x, scope) -> bool:
    known = flags(scope.facts.sorts, x[0])
    square = len(set(size(scope.facts.sorts, x))) == 1
    return square and (x[2] or x[0][0] == "c" or bool(known & {"pd", "invertible", "orthogonal"}))


def mentions_letter(item, name) -> bool:
    """Whether the letter of a matrix occurs in traces, entries or composites inside."""
    if isinstance(item, dict):
        item = frozenset(item.items())
    if isinstance(item, frozenset):
        return any(mentions_letter(x, name) for x in item)
    if not isinstance(item, tuple) or not item:
        return False
    return item[:2] == ("m", name) or any(mentions_letter(x, name) for x in item)
