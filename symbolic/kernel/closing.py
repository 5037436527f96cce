"""A term at a point as a closed term: symbols replaced, sums over numbers written out."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symbolic.kernel.ball import Unsure
from symbolic.kernel.points import evaluate
from symbolic.kernel.term import Term, plain, substitute

LONGEST = 200


def closed_term(t: Term, sorts: Mapping, point: Mapping) -> Term:
    """The term with the point's closed terms in place of its names; numbers only."""
    if isinstance(t, int):
        return t
    if isinstance(t, str):
        return plain(point[t])
    head = t[0]
    if head == "at":
        return _entry(t, sorts, point)
    if head in ("sum", "prod"):
        return _written_out(t, sorts, point)
    if head in ("int", "limit", "diff", "trace", "det", "entry", "cases"):
        raise Unsure(f"{head} in an equation at a point")
    return (head, *(closed_term(a, sorts, point) for a in t[1:]))


def _whole(t: Term, sorts: Mapping, point: Mapping) -> int:
    x = evaluate(t, sorts, point)
    if not isinstance(x, Fraction) or x.denominator != 1:
        raise Unsure("a whole number is needed")
    return int(x)


def _entry(t: tuple, sorts: Mapping, point: Mapping) -> Term:
    table = point[t[1]]
    for index, (_, _, low, _) in zip(t[2:], sorts[t[1]][2:], strict=True):
        place = _whole(index, sorts, point) - _whole(low, sorts, point)
        if not 0 <= place < len(table):
            raise Unsure(f"{t[1]} has no such entry")
        table = table[place]
    return plain(table)


def _written_out(t: tuple, sorts: Mapping, point: Mapping) -> Term:
    low, high = _whole(t[3], sorts, point), _whole(t[4], sorts, point)
    if high - low >= LONGEST:
        raise Unsure("too many terms")
    parts = [closed_term(substitute(t[1], {t[2]: k}), sorts, point) for k in range(low, high + 1)]
    if not parts:
        return 0 if t[0] == "sum" else 1
    return parts[0] if len(parts) == 1 else ("+" if t[0] == "sum" else "*", *parts)
