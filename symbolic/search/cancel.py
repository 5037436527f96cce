"""Summands that both sides share as written, taken away: what is left are the terms to sign."""

from symbolic.kernel.term import unfold


def summands(term, sign=1):
    """(sign, summand) pairs of a term, sums and minus signs opened."""
    if isinstance(term, tuple) and term[0] in ("+", "-"):
        flip = -1 if term[0] == "-" else 1
        return [part for a in term[1:] for part in summands(a, sign * flip)]
    return [(sign, term)]


def cancelled(statement):
    """Data of the rule combination: the summands of right - left that do not cancel as written."""
    left, right = (unfold(t, statement.let) for t in (statement.left, statement.right))
    parts = summands(right) + [(-s, t) for s, t in summands(left)]
    rest = []
    for sign, term in parts:
        if (-sign, term) in rest:
            rest.remove((-sign, term))
        elif term != 0:
            rest.append((sign, term))
    return {"terms": [t if s > 0 else ("-", t) for s, t in rest]}
