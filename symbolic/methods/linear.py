"""Nonnegative combinations of facts and of their products, and multiples of equations.

1. An equality: left sides of equations are replaced where they are written; then the difference
   is reduced modulo the equations among the facts, with cofactors.
2. An inequality: linear programming finds weights (Farkas), rationals are solved for exactly;
   axioms at the logarithms, exponentials and circular functions that occur join the facts.
Limits: products of two facts at most; at most fourteen variables.
"""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed
from symbolic.kernel.zero import fraction
from symbolic.search import clock
from symbolic.search import frame as frames
from symbolic.search.rewriting import rewritten
from symbolic.search.tangents import tangents
from symbolic.search.terms import NoTerm, number

SECONDS = 2.0


def find(statement):
    """One certificate of the rule combination, when a combination is found."""
    if statement.relation not in ("=", "<=", "<"):
        return
    if statement.relation == "=" and (data := rewritten(statement)):
        yield "combination", data
    try:
        with limited(300_000):
            problem = prepare(statement)
            if not scalar(shape(problem.left, problem.scope.sorts)):
                return
            yield from _found(problem, statement.relation)
    except (Undecided, Malformed, NoTerm, KeyError):
        return


def _found(problem, relation):
    gap = subtract(normal(problem.right, problem.scope), normal(problem.left, problem.scope))
    top, bottoms = fraction(gap)
    inequalities, equations = frames.gathered(problem, top)
    extra = [] if relation == "=" or bottoms else tangents(problem)
    frame = frames.framed([top, *(p for p, _ in inequalities if relation != "="),
                           *(p for p, _, _ in equations), *(p for p, _ in extra)])
    target = frames.read(top, frame)
    data = {"multiplier": frames.multiplier(bottoms)} if bottoms else {}
    if relation == "=":
        rows = _reduced(target, equations, frame)
        if rows:
            yield "combination", data | {"equations": rows}
        return
    known = frames.positives(frame, problem.scope, inequalities)
    known += [frames.Known(frames.read(p, frame), t, False) for p, t in extra]
    found = _farkas(target, known, equations, frame, relation)
    if found is not None:
        terms, rows = found
        yield "combination", data | {"terms": terms} | ({"equations": rows} if rows else {})


def _plain(equations, frame):
    """The equations as plain polynomials, then the identities of the frame."""
    return [frames.read(p, frame) for p, _, _ in equations], frames.identities(frame)


def rows_of(quotients, equations, frame):
    """Certificate rows [factor, index] for the quotients of the equations that are facts."""
    out = []
    for h, (_, below, place) in zip(quotients, equations, strict=False):
        if h:
            factor = frames.written(h, frame)
            out.append([factor if below == 1 else ("*", factor, below), place])
    return out


def _reduced(target, equations, frame):
    from symbolic.search.reduction import reduce

    known, same = _plain(equations, frame)
    rest, quotients = reduce(target, [*known, *same], frame.size, clock.left(SECONDS))
    return None if rest else rows_of(quotients[:len(known)], equations, frame)


def _farkas(target, positives, equations, frame, relation):
    from symbolic.search.linear import farkas

    known, same = _plain(equations, frame)
    strict = [k for k, g in enumerate(positives) if g.strict] if relation == "<" else None
    found = farkas(target, [g.poly for g in positives], frame.size, True, [*known, *same],
                   strict, clock.left(SECONDS))
    if found is None:
        return None
    weights, quotients = found.terms, found.equations
    terms = [product_term(w, [positives[i].term for i in names]) for w, names in weights]
    return terms, rows_of(quotients[:len(known)], equations, frame)


def product_term(weight, factors):
    """weight times factors, as a term."""
    parts = ([number(weight)] if weight != 1 or not factors else []) + list(factors)
    return parts[0] if len(parts) == 1 else ("*", *parts)
