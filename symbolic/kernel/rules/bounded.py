"""A limit, or an O, with explicit constants on a punctured neighbourhood.

`f = O(g)` as x -> a: -C g <= f <= C g there. `Limit(f, x, a) = L`: -C h <= f - L <= C h with
h = |x - a|**(1/p). Data: `constant` C (free of x), `radius` (a positive term), `power` p (limits
only), `parts` (two certificates). The neighbourhood must satisfy every fact about x. For `O` the
constant may depend on the other symbols, and the verdict's note says on which.
Falsehood it must reject: 1/x = O(1) as x -> 0+.
"""

from symbolic.kernel.facts import PLUS
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import (
    Granted,
    Refuse,
    altered,
    joined,
    no_definitions,
    term,
    unconditional,
)
from symbolic.kernel.signs import sign
from symbolic.kernel.term import free, fresh, heads, substitute


def check(problem, data, prove) -> Granted:
    """Grants `O`, and `=` with a limit on the left."""
    if any("diff" in heads(t) for t in problem.written):
        raise Refuse("carry out the derivatives first: their bodies must be defined near the end")
    constant, radius = term(data["constant"]), term(data["radius"])
    f, g, x, end, side, value = _parts(problem, data)
    base, scope = no_definitions(problem), problem.scope
    if (free(constant) | free(radius)) - scope.sorts.keys() or x in free(constant) | free(radius):
        raise Refuse("the constant and the radius are terms in the other names")
    if sign(radius, scope) != PLUS or side not in (1, -1):
        raise Refuse("the radius is not shown to be positive, or the limit has two sides")
    others = tuple(fact for fact in base.given if x not in free(fact))
    near = (("<", end, x), ("<", x, ("+", end, radius))) if side == 1 else (
        ("<", ("+", end, ("-", radius)), x), ("<", x, end))
    base = altered(base, given=(*others, *near), relation="<=", limit=None,
                   symbols=tuple({**dict(base.symbols), x: ("real",)}.items()))
    inside(problem, base, x)
    size = ("*", constant, g)
    gap = f if value == 0 else ("+", f, ("-", value))
    below = altered(base, left=("-", size), right=gap)
    above = altered(base, left=gap, right=size)
    low, high = data["parts"]
    out = joined(unconditional(prove(below, low)), unconditional(prove(above, high)))
    if (free(constant) | free(radius)) & set(problem.statement.uniform):
        raise Refuse("the constant may not depend on what the O is uniform in")
    on = sorted(free(constant) & scope.sorts.keys())
    note = f"the constant depends on {', '.join(on)}" if on else "one constant for all"
    return Granted(out.level, rests_on=out.rests_on, note=note)


def _parts(problem, data):
    """(f, bound, variable, end, side, limit value)."""
    if problem.relation == "O" and problem.statement.limit:
        x, end, side = problem.statement.limit
        if problem.scope.sorts.get(x) != ("real",) or x in free(end):
            raise Refuse("the variable of O is a declared real symbol")
        return problem.left, problem.right, x, end, side, 0
    left = problem.left
    if problem.relation != "=" or not isinstance(left, tuple) or left[0] != "limit":
        raise Refuse("bounded needs an O, or a limit on the left of =")
    _, f, name, end, side = left
    power = data["power"]
    if type(power) is not int or not 1 <= power <= 6 or end in (("oo",), ("-", ("oo",))):
        raise Refuse("a limit at a finite place needs a whole power of at most 6")
    x = fresh(name, frozenset(problem.scope.sorts))
    f = substitute(f, {name: x})
    gap = ("+", x, ("-", end)) if side == 1 else ("+", end, ("-", x))
    return f, ("^", gap, ("/", 1, power)) if power > 1 else gap, x, end, side, problem.right


def inside(problem, base, x) -> None:
    """The punctured neighbourhood satisfies the facts about x, so that the claim is not empty."""
    scope = prepare(altered(base, left=0, right=0)).scope
    for fact in problem.given:
        if x in free(fact):
            if fact[0] not in ("<=", "<"):
                raise Refuse(f"a fact about {x} that is no bound")
            gap = ("+", fact[2], ("-", fact[1]))
            wanted = PLUS if fact[0] == "<" else frozenset("0+")
            if not sign(gap, scope) <= wanted:
                raise Refuse("the neighbourhood is not shown to lie in the domain")
