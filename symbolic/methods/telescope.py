"""Sums that telescope.

1. The normal form, which moves ends and peels terms. 2. A summand written as a difference A - B
with A the next B (or the other way round): the rule telescope. 3. Induction on the length.
Limits: the primitive must be visible in the summand.
"""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered
from symbolic.kernel.term import Malformed, fresh, substitute
from symbolic.methods import induction


def find(statement):
    """Certificates of the rules normal, telescope and induction."""
    if statement.relation == "=":
        yield "normal", {}
    if statement.relation in ("=", "<=", "<"):
        try:
            with limited(200_000):
                problem = prepare(statement)
        except (Undecided, Malformed):
            return
        yield from _differences(statement, problem)
    if statement.relation == "=":
        yield from induction.find(statement)


def _differences(statement, problem):
    from symbolic.prove import certify

    left = problem.left
    if not isinstance(left, tuple) or left[0] != "sum":
        return
    _, body, index, low, high = left
    name = fresh("k", frozenset(problem.scope.sorts))
    body = substitute(body, {index: name})
    base = altered(statement, let=(), rates=(), given=problem.given, right=problem.right)
    for primitive in _primitives(body):
        up = {name: ("+", name, 1)}
        step = altered(base, symbols=(*base.symbols, (name, ("integer",))), relation="=",
                       given=(*base.given, ("<=", low, name), ("<=", name, high)), left=body,
                       right=("+", substitute(primitive, up), ("-", primitive)))
        by = certify(step, ("normal",))
        if by is None:
            continue
        total = altered(base, left=("+", substitute(primitive, {name: ("+", high, 1)}),
                                    ("-", substitute(primitive, {name: low}))))
        ends = certify(total, ("normal", "sign", "linear"))
        if ends is not None:
            yield "telescope", {"term": primitive, "name": name, "step": by, "ends": ends}


def _primitives(body):
    """Terms that the summand may be the difference of."""
    if isinstance(body, tuple) and body[0] == "+" and len(body) == 3:
        one, two = body[1:]
        for a in (one, two):
            yield a[1] if isinstance(a, tuple) and a[0] == "-" else ("-", a)
