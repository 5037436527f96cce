"""A sum on the left of differences g(k) = T(k+1) - T(k) is T(high+1) - T(low).

Data: `term` T, `name` (the index in T), `step` (certificate of g = T(k+1) - T(k) on the range),
`ends` (certificate of T(high+1) - T(low) against the right side). The range must not be shorter
than empty: high >= low - 1.
Falsehood it must reject: Sum(1, (k, 1, n)) = n for every whole n, negative ones included.
"""

from symbolic.kernel.entail import entails
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import constant, subtract
from symbolic.kernel.rules import (
    Granted,
    Refuse,
    altered,
    joined,
    left_open,
    no_definitions,
    term,
    unconditional,
)
from symbolic.kernel.structure import integral
from symbolic.kernel.term import free, identifier, substitute


def check(problem, data, prove) -> Granted:
    """Grants `=`, `<=` and `<`."""
    scope, left, name = problem.scope, problem.left, data["name"]
    if problem.relation not in ("=", "<=", "<") or not isinstance(left, tuple) or \
            left[0] != "sum":
        raise Refuse("telescope needs a sum on the left")
    _, body, index, low, high = left
    primitive = term(data["term"])
    if not identifier(name) or name in scope.sorts or free(primitive) - {name} - \
            scope.sorts.keys():
        raise Refuse("the term needs a new name for its index and declared names otherwise")
    ends = normal(low, scope), normal(high, scope)
    if not all(map(integral, ends)) or not entails(
            scope.facts, subtract(ends[1], subtract(ends[0], constant(1)))):
        raise Refuse("the range is not shown to be whole and at least empty")
    base = no_definitions(problem)
    step = altered(base, symbols=(*base.symbols, (name, ("integer",))), relation="=",
                   given=(*base.given, ("<=", low, name), ("<=", name, high)),
                   left=substitute(body, {index: name}),
                   right=_rise(primitive, {name: ("+", name, 1)}, {}))
    total = altered(base, left=_rise(primitive, {name: ("+", high, 1)}, {name: low}))
    return joined(unconditional(prove(step, data["step"])), prove(total, data["ends"]),
                  Granted(where=left_open(problem)))


def _rise(primitive, above, below):
    """T at one place minus T at another."""
    return ("+", substitute(primitive, above), ("-", substitute(primitive, below)))
