"""Equal on an interval: equal at one place, and the derivative of the difference is zero.

Data: `variable`, `at` (a place of the interval), `slope`, `here`. No condition may be left over:
a function that jumps at a hole has derivative zero too.
Falsehood it must reject: x/|x| = 1 on the reals without 0.
"""

from symbolic.kernel.interval import at, slice_
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


def check(problem, data, prove) -> Granted:
    """Grants `=`."""
    x, place = data["variable"], term(data["at"])
    mine, others = slice_(problem, x)
    if problem.relation != "=" or left_open(problem):
        raise Refuse("constant shows equalities that are defined on the whole interval")
    base = no_definitions(problem)
    slope = altered(base, left=("diff", ("+", base.left, ("-", base.right)), x), right=0)
    parts = (unconditional(prove(slope, data["slope"])),
             unconditional(prove(at(problem, x, place, mine, others), data["here"])))
    return joined(*parts)
