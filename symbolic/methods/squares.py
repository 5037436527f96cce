"""Sums of squares weighted by facts: a semidefinite program, rounded to exact rationals.

1. Clear denominators that are positive. 2. Look for multiplier * gap = sum of weight * facts *
square + multiples of equations. 3. The kernel multiplies out. Limits: fourteen variables, some
seconds; a tight inequality of high degree may be out of reach.
"""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed
from symbolic.kernel.zero import fraction
from symbolic.methods.linear import product_term, rows_of
from symbolic.search import clock
from symbolic.search import frame as frames
from symbolic.search.terms import NoTerm

SECONDS = 5.0
HIGHEST = 40


def find(statement):
    """One certificate of the rule combination, when squares are found."""
    if statement.relation not in ("<=", "<"):
        return
    try:
        with limited(300_000):
            problem = prepare(statement)
            if not scalar(shape(problem.left, problem.scope.sorts)):
                return
            yield from _found(problem, statement.relation)
    except (Undecided, Malformed, NoTerm, KeyError):
        return


def _found(problem, relation):
    from symbolic.search.squares import sum_of_squares

    gap = subtract(normal(problem.right, problem.scope), normal(problem.left, problem.scope))
    top, bottoms = fraction(gap)
    inequalities, equations = frames.gathered(problem, top)
    frame = frames.framed([top, *(p for p, _ in inequalities), *(p for p, _, _ in equations)])
    target = frames.read(top, frame)
    if any(abs(e) > HIGHEST for m in target for e in m):
        return  # exp(10000*x) is a power of a variable too
    positives = frames.positives(frame, problem.scope, inequalities)
    known = [frames.read(p, frame) for p, _, _ in equations]
    strict = [k for k, g in enumerate(positives) if g.strict] if relation == "<" else None
    found = sum_of_squares(target, frame.size, [g.poly for g in positives],
                           [*known, *frames.identities(frame)], clock.left(SECONDS), True, strict)
    if found is None:
        return
    terms = [product_term(w, [positives[i].term for i in indices]
                          + ([] if _is_one(root) else [("^", frames.written(root, frame), 2)]))
             for w, indices, root in found.squares]
    factors = [frames.multiplier(bottoms)] if bottoms else []
    if not _is_one(found.multiplier):
        factors.append(frames.written(found.multiplier, frame))
    data = {"terms": terms}
    if factors:
        data["multiplier"] = factors[0] if len(factors) == 1 else ("*", *factors)
    rows = rows_of(found.equations[:len(known)], equations, frame)
    yield "combination", data | ({"equations": rows} if rows else {})


def _is_one(p):
    return len(p) == 1 and all(not any(m) and c == 1 for m, c in p.items())
