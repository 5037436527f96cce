"""Limits and O: by derivatives at the end point, else by an explicit constant near it.

1. The rule taylor for a smooth function over a power; a wrong value of a limit is refuted through
   the right one. 2. Constants 1, 2, 1/2, ... and radii 1 and 1/2 are tried; both bounds go to the
   cheap methods, to squares (a root becomes a variable) and to the derivative. Limits: one
   variable, a finite end approached from one side.
"""

from symbolic.kernel.attack import witness
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.derivative import evaluated
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered
from symbolic.kernel.term import Malformed, free, fresh, substitute
from symbolic.search import clock

CONSTANTS = (1, 2, ("/", 1, 2), 4)
RADII = (1, ("/", 1, 2))
SECONDS = 1.0  # for one constant and radius
PARTS = ("normal", "sign", "shape", "cases", "linear", "squares", "calculus")


def find(statement):
    """Certificates of the rules taylor and bounded."""
    try:
        with limited(200_000):
            problem = prepare(statement)
    except (Undecided, Malformed):
        return
    limit = isinstance(problem.left, tuple) and problem.left[0] == "limit"
    if not (statement.relation == "O" and statement.limit or statement.relation == "=" and limit):
        return
    yield from _taylor(statement, problem)
    yield from _bounded(statement, problem)


def _taylor(statement, problem):
    """Powers below the bar, and for a wrong O a point of the other symbols where a derivative
    does not vanish."""
    x = statement.limit[0] if statement.limit else None
    other = altered(statement, limit=None, relation="=", left=0, right=0, given=tuple(
        f for f in problem.given if x not in free(f)), let=(), rates=(), symbols=tuple(
        (n, s) for n, s in statement.symbols if n != x))
    point = witness(other) if statement.relation == "O" else None
    f = problem.left if statement.relation == "O" else problem.left[1]
    powers = range(1, 5) if isinstance(f, tuple) and f[0] == "/" else (0,)
    for radius in (("/", 1, 4), 1):
        for power in (*powers, 0) if powers != (0,) else powers:
            data = {"radius": radius, "power": power}
            yield "taylor", data | ({"point": point} if point is not None else {})
            if statement.relation == "=":
                yield from _other_value(statement, problem, data)


def _other_value(statement, problem, data):
    """A limit refuted through its right value, read off the derivatives."""
    from symbolic.methods import refute

    _, f, name, end, _ = problem.left
    power, top = data["power"], f
    below = 1
    if isinstance(f, tuple) and f[0] == "/":
        top, below = f[1], f[2]
    for _ in range(power):
        top, below = ("diff", top, name), ("diff", below, name)
    sorts = {**dict(statement.symbols), name: ("real",)}
    value = ("/", *(substitute(evaluated(t, sorts, {}), {name: end}) for t in (top, below)))
    inner = altered(statement, left=value, right=problem.right, given=problem.given, let=(),
                    rates=())
    for rule, found in refute.find(inner):
        yield "transfer", {"side": "left", "value": value, "equal": {"rule": "taylor", **data},
                           "by": {"rule": rule, **found}}


def _bounded(statement, problem):
    if statement.relation == "O":
        x, end, side = statement.limit
        f, size, powers = problem.left, problem.right, (None,)
    elif free(problem.right) <= problem.scope.sorts.keys():
        _, f, name, end, side = problem.left
        x = fresh(name, frozenset(problem.scope.sorts))
        f, powers = substitute(f, {name: x}), (1, 2)
        f = f if problem.right == 0 else ("+", f, ("-", problem.right))
        size = ("+", x, ("-", end)) if side == 1 else ("+", end, ("-", x))
    else:
        return
    if side not in (1, -1) or end in (("oo",), ("-", ("oo",))):
        return
    for power in powers:
        bound = size if power in (None, 1) else ("^", size, ("/", 1, power))
        for radius in RADII:
            for constant in CONSTANTS:
                parts = _parts(statement, problem, f, bound, x, end, side, constant, radius)
                if parts is not None:
                    data = {"constant": constant, "radius": radius, "parts": parts}
                    yield "bounded", data | ({"power": power} if power else {})
                    return


def _parts(statement, problem, f, bound, x, end, side, constant, radius):
    from symbolic.prove import certify

    near = (("<", end, x), ("<", x, ("+", end, radius))) if side == 1 else (
        ("<", ("+", end, ("-", radius)), x), ("<", x, end))
    others = tuple(fact for fact in problem.given if x not in free(fact))
    symbols = tuple({**dict(statement.symbols), x: ("real",)}.items())
    base = altered(statement, given=(*others, *near), relation="<=", limit=None, let=(), rates=(),
                   symbols=symbols)
    size = ("*", constant, bound)
    with clock.allow(SECONDS):
        low = certify(altered(base, left=("-", size), right=f), PARTS)
        high = None if low is None else certify(altered(base, left=f, right=size), PARTS)
    return None if high is None else [low, high]
