"""left <= right between two places: true at both, and the gap is concave between them.

A concave function lies above its chord, so above the lesser of its values at the ends.
Data: `variable`, `low`, `high` (every point of the interval is shown to lie between them), `bend`
(certificate that the second derivative of right - left is <= 0 from low to high, ends included),
`ends` (certificates at low and at high). No condition may be left over.
Falsehood it must reject: x <= x**2 from 0 to 1, equal at both ends and convex between.
"""

from symbolic.kernel.defined import conditions
from symbolic.kernel.interval import slice_
from symbolic.kernel.prepare import prepare
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
from symbolic.kernel.signs import sign
from symbolic.kernel.term import free, substitute


def check(problem, data, prove) -> Granted:
    """Grants `<=`."""
    x, low, high = data["variable"], term(data["low"]), term(data["high"])
    _, others = slice_(problem, x)
    names = free(low) | free(high)
    if problem.relation != "<=" or x in names or names - problem.scope.sorts.keys():
        raise Refuse("concave needs <= and two places in the other names")
    for towards in (("+", x, ("-", low)), ("+", high, ("-", x))):
        if not sign(towards, problem.scope) <= frozenset("0+"):
            raise Refuse("the interval is not shown to lie between the places")
    base = altered(no_definitions(problem), given=(*others, ("<=", low, x), ("<=", x, high)))
    gap = ("+", base.right, ("-", base.left))
    bend = altered(base, left=("diff", ("diff", gap, x), x), right=0)
    if left_open(prepare(base)) or conditions(low, problem.scope) + conditions(
            high, problem.scope):
        raise Refuse("the gap is not shown to be defined from end to end")
    ends = [altered(base, given=others, left=substitute(base.left, {x: place}),
                    right=substitute(base.right, {x: place})) for place in (low, high)]
    return joined(unconditional(prove(bend, data["bend"])), *(
        unconditional(prove(end, by)) for end, by in zip(ends, data["ends"], strict=True)))
