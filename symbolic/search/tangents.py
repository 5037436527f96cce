"""Instances of axioms that a statement suggests: tangents at its logarithms and exponentials.

Under a sum the instance keeps the summand's weight: from sum w*log(x) comes
sum w*(x - 1 - log(x)), which the kernel shows to be nonnegative when the weights are.
"""

from symbolic.kernel.axioms import instance
from symbolic.kernel.budget import Undecided
from symbolic.kernel.facts import NONNEG
from symbolic.kernel.normal import normal
from symbolic.kernel.signs import sign
from symbolic.kernel.term import BINDERS

AXIOMS = {
    "log": ("log below its tangent", "entropy tangent"), "exp": ("exp above its tangent",),
    "cos": ("cos at most one", "cos at least minus one", "cos above its parabola"),
    "sin": ("sin at most one", "sin at least minus one", "sin below its argument"),
    "abs": ("abs above", "abs above minus"),
}
MOST = 24


def tangents(problem):
    """(normal form, term) of nonnegative instances at the functions of both sides."""
    out, seen = [], set()
    facts = [t for f in problem.given if f[0] in ("=", "<=", "<") for t in f[1:]]
    for term in _instances((problem.left, problem.right, *facts)):
        if term in seen or len(out) >= MOST:
            continue
        seen.add(term)
        try:
            if sign(term, problem.scope) <= NONNEG:
                out.append((normal(term, problem.scope), term))
        except Undecided:
            continue
    return out


def _instances(terms):
    for t in terms:
        for weight, f, ranges in _functions(t, (), ()):
            for name in AXIOMS[f[0]]:
                body = instance(name, f[1])
                body = ("*", *weight, body) if weight else body
                for bound, low, high in reversed(ranges):
                    body = ("sum", body, bound, low, high)
                yield body


def _functions(t, weight, ranges):
    """(weights, function, ranges) for each function of the table that a sum or no binder holds."""
    if not isinstance(t, tuple):
        return
    if t[0] in AXIOMS:
        yield weight, t, ranges
    if t[0] == "sum":
        yield from _functions(t[1], (), (*ranges, (t[2], t[3], t[4])))
    elif t[0] == "*":
        for k, a in enumerate(t[1:], 1):
            rest = (*weight, *(b for j, b in enumerate(t[1:], 1) if j != k)) if ranges else ()
            yield from _functions(a, rest, ranges)
    elif t[0] in ("/",) and ranges:
        yield from _functions(t[1], (*weight, ("/", 1, t[2])), ranges)
    elif t[0] not in BINDERS and t[0] not in ("diff", "at"):
        for a in t[1:]:
            yield from _functions(a, weight if t[0] in ("+", "-") else (), ranges)
