"""Limits and O by an explicit constant on a punctured neighbourhood.

1. Constants 1, 2, 1/2, ... and radii 1 and 1/2 are tried. 2. Both bounds go to the cheap methods,
to squares (a root becomes a variable) and to the derivative. Limits: one variable, a finite end
approached from one side; the value of a limit is the author's.
"""

from symbolic.kernel.polynomial import Undecided, limited
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered
from symbolic.kernel.term import Malformed, free, fresh, substitute
from symbolic.search import clock

CONSTANTS = (1, 2, ("/", 1, 2), 4)
RADII = (1, ("/", 1, 2))
SECONDS = 1.0  # for one constant and radius
PARTS = ("normal", "sign", "shape", "cases", "linear", "squares", "calculus")


def find(statement):
    """Certificates of the rule bounded."""
    try:
        with limited(200_000):
            problem = prepare(statement)
    except (Undecided, Malformed):
        return
    if statement.relation == "O" and statement.limit:
        x, end, side = statement.limit
        f, size, powers = problem.left, problem.right, (None,)
    elif statement.relation == "=" and isinstance(problem.left, tuple) and \
            problem.left[0] == "limit" and free(problem.right) <= problem.scope.sorts.keys():
        _, f, name, end, side = problem.left
        x = fresh(name, frozenset(problem.scope.sorts))
        f, powers = substitute(f, {name: x}), (1, 2)
        f = f if problem.right == 0 else ("+", f, ("-", problem.right))
        gap = ("+", x, ("-", end)) if side == 1 else ("+", end, ("-", x))
        size = gap
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
