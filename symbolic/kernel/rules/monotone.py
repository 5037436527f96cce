"""left <= right beyond a place: true there, and the gap grows away from it.

Data: `variable`, `from` (the place), `side` (1: every point of the interval is at or above the
place, -1: at or below), `here` (certificate at the place), `slope` (certificate that the
derivative of right - left is >= 0, or <= 0 for side -1, from the place to the interval's far end,
the place included). No condition may be left over.
Falsehood it must reject: 1/x <= -1 + 2 for x >= 1/2, through a place below the interval.
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
    x, place, side = data["variable"], term(data["from"]), data["side"]
    mine, others = slice_(problem, x)
    if problem.relation != "<=" or side not in (1, -1) or x in free(place):
        raise Refuse("monotone needs <=, a side and a place without the variable")
    towards = ("+", x, ("-", place)) if side == 1 else ("+", place, ("-", x))
    if free(place) - problem.scope.sorts.keys() or not sign(
            towards, problem.scope) <= frozenset("0+"):
        raise Refuse("the interval is not shown to lie on that side of the place")
    far = tuple(f for f in mine if (f[1] == x) == (side == 1))
    near = ("<=", place, x) if side == 1 else ("<=", x, place)
    base = altered(no_definitions(problem), given=(*others, *far, near))
    gap = ("diff", ("+", base.right, ("-", base.left)), x)
    slope = altered(base, left=0, right=gap) if side == 1 else altered(base, left=gap, right=0)
    here = altered(base, given=others, left=substitute(base.left, {x: place}),
                   right=substitute(base.right, {x: place}))
    wider = prepare(base)
    if left_open(wider) or conditions(place, problem.scope):
        raise Refuse("the gap is not shown to be defined up to the place")
    return joined(unconditional(prove(slope, data["slope"])),
                  unconditional(prove(here, data["here"])))
