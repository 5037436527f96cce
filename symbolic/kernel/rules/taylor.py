"""Taylor at the end point: orders and limits of a smooth function over a power.

With f = top / (c (x-a)**m), top smooth up to the end point and D_k its k-th derivative there:
`f = O((x-a)**n)` when D_k = 0 for all k < n + m; it is refuted when one of them is not zero;
`Limit(f) = L` when D_k = 0 for k < m and D_m = m! c L.
Data: `radius` (a positive term), `power` m. Smooth means: the derivatives that are used leave no
condition on the closed interval from the end point to the radius.
Falsehood it must reject: exp(x) - 1 - x = O(x**3) as x -> 0+.
"""

from math import factorial

from symbolic.kernel import admit, ball, points
from symbolic.kernel.defined import conditions
from symbolic.kernel.derivative import evaluated
from symbolic.kernel.facts import PLUS
from symbolic.kernel.normal import equal, normal
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import Granted, Refuse, altered, no_definitions, term
from symbolic.kernel.rules.bounded import inside
from symbolic.kernel.signs import sign
from symbolic.kernel.statement import Level
from symbolic.kernel.term import free, fresh, heads, substitute
from symbolic.kernel.zero import vanishes

HIGHEST = 8


def check(problem, data, prove) -> Granted:
    """Grants `O`, `=` with a limit on the left, and REFUTED for `O`."""
    f, x, end, side, power = _asked(problem, data)
    if any("diff" in heads(t) for t in problem.written):
        raise Refuse("carry out the derivatives first: their bodies must be defined near the end")
    radius = term(data["radius"])
    if x in free(radius) or free(radius) - problem.scope.sorts.keys() or sign(
            radius, problem.scope) != PLUS:
        raise Refuse("the radius is not shown to be positive")
    far = ("+", end, radius) if side == 1 else ("+", end, ("-", radius))
    low, high = (end, far) if side == 1 else (far, end)
    base = no_definitions(problem)
    others = tuple(fact for fact in base.given if x not in free(fact))
    symbols = tuple({**dict(base.symbols), x: ("real",)}.items())
    closed = altered(base, symbols=symbols, relation="=", limit=None, left=0, right=0,
                     given=(*others, ("<=", low, x), ("<=", x, high)))
    inside(problem, altered(closed, given=(*others, ("<", low, x), ("<", x, high))), x)
    top, bottom = (f[1], f[2]) if isinstance(f, tuple) and f[0] == "/" else (f, 1)
    scope = prepare(closed).scope
    if conditions(bottom, scope) or problem.relation == "O" and conditions(problem.right, scope):
        raise Refuse("a side is not shown to be defined near the end point")
    step = ("+", x, ("-", end))
    front = _front(bottom, step, power, x, end, scope)
    wanted = power if problem.relation == "=" else power + _order(problem.right, step, x, end,
                                                                  scope)
    values = _derivatives(top, x, end, wanted + (problem.relation == "="), scope)
    flat = [vanishes(normal(v, scope)) for v in values]
    if problem.relation == "=":
        if all(flat[:power]) and equal(values[power], (
                "*", factorial(power), front, problem.right), scope):
            return Granted(where=conditions(problem.right, problem.scope))
        raise Refuse("the limit is not shown to have this value")
    if all(flat):
        on = sorted((free(problem.left) | free(problem.right)) - {x})
        if set(on) & set(problem.statement.uniform):
            raise Refuse("the constant may depend on what the O is uniform in")
        return Granted(note=f"the constant depends on {', '.join(on)}" if on else "one constant")
    return _refuted(problem, values, x, data)


def _asked(problem, data):
    """(function, variable, end, side, power below)."""
    power = data["power"]
    if type(power) is not int or not 0 <= power <= HIGHEST:
        raise Refuse(f"a power between 0 and {HIGHEST} is needed")
    if problem.relation == "O" and problem.statement.limit:
        x, end, side = problem.statement.limit
        if problem.scope.sorts.get(x) != ("real",):
            raise Refuse("the variable of O is a declared real symbol")
        f = problem.left
    elif problem.relation == "=" and isinstance(problem.left, tuple) and \
            problem.left[0] == "limit":
        _, f, name, end, side = problem.left
        x = fresh(name, frozenset(problem.scope.sorts))
        f = substitute(f, {name: x})
    else:
        raise Refuse("taylor needs an O, or a limit on the left of =")
    if side not in (1, -1) or end in (("oo",), ("-", ("oo",))) or x in free(end):
        raise Refuse("taylor needs a finite end approached from one side")
    return f, x, end, side, power


def _front(bottom, step, power, x, end, scope):
    """c when bottom = c (x-a)**power with c free of x and never zero."""
    rate = bottom
    for _ in range(power):
        rate = evaluated(("diff", rate, x), scope.sorts, {})
    front = ("/", substitute(rate, {x: end}), factorial(power))
    form = front if power == 0 else ("*", front, ("^", step, power))
    if x in free(front) or not equal(bottom, form, scope) or "0" in sign(front, scope):
        raise Refuse("what is divided by is no power of the distance to the end point")
    return front


def _order(right, step, x, end, scope) -> int:
    """n when right = c (x-a)**n with a constant c that is never zero."""
    for n in range(HIGHEST + 1):
        try:
            _front(right, step, n, x, end, scope)
            return n
        except Refuse:
            continue
    raise Refuse("the bound is no power of the distance to the end point")


def _derivatives(top, x, end, count, scope) -> list:
    """Values at the end of the first derivatives; all of them, and one more, without conditions."""
    if count > HIGHEST:
        raise Refuse("too many derivatives")
    values, rate = [], top
    for _ in range(count + 1):
        if conditions(rate, scope):
            raise Refuse("the function is not shown to be smooth up to the end point")
        values.append(substitute(rate, {x: end}))
        rate = evaluated(("diff", rate, x), scope.sorts, {})
    return values[:count]


def _refuted(problem, values, x, data) -> Granted:
    """A derivative that is certainly not zero at a point of the other symbols."""
    point = admit.exact_point(data.get("point", {}))
    others = tuple((n, s) for n, s in problem.statement.symbols if n != x)
    if set(point) != {n for n, _ in others} or any(x in free(f) for f in problem.given
                                                   if f[0] == "all"):
        raise Refuse("a derivative is not shown to vanish")
    domain = altered(no_definitions(problem), symbols=others, limit=None, relation="=", left=0,
                     right=0, given=tuple(f for f in problem.given if x not in free(f)))
    if not admit.admissible(domain, point):
        raise Refuse("the facts are not shown to hold at the point")
    for k, v in enumerate(values):
        found = points.evaluate(v, dict(others), point)
        if ball.with_precision(ball.differs, found, ball.Fraction(0)):
            return Granted(Level.REFUTED, point=point, left=admit.shown(found), right="0",
                           note=f"the derivative of order {k} at the end point is not zero")
    raise Refuse("no derivative is certainly nonzero")
