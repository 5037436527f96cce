"""Kinks: a monotone map of the line that gives all sequences different means.

f(t) = t + sum_r w_r relu(t - a_r), whole w_r >= 1 and knots a_r among the projections. While two
sequences have one mean, some knot tells them apart: the difference of their means of relu(t - a)
is piecewise linear in a with its kinks at projections and zero right of them all, so if it were
zero at every projection the two sets would be equal. Each kink adds at least one new mean, so
at most N - 1 are needed; generic data needs none. Source: ours.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from numeric.interpolant.exact import Number, ratio

CANDIDATES = 60  # knots that are compared before all of them are


@dataclass(frozen=True)
class Kinks:
    """The kinks (a_r, w_r) from left to right."""

    pairs: tuple[tuple[Number, int], ...]

    def __call__(self, t: Number) -> Number:
        """f(t)."""
        return t + sum((w * (t - a) for a, w in self.pairs if t > a), t * 0)


@dataclass(frozen=True)
class _Line:
    """A sequence on the line: sorted projections, and their sums from each place to the end."""

    line: list[Number]
    sums: list[Number]

    def above(self, a: Number) -> Number:
        """The mean of relu(t - a)."""
        k = bisect_right(self.line, a)
        n = len(self.line)
        return (self.sums[k] - (n - k) * a) / n


def kinks(sequences: Sequence[Sequence[Number]]) -> tuple[Kinks, list[Number]]:
    """Kinks for the projections of N sequences, and the then distinct means of f over them."""
    means = [sum(ts[1:], ts[0]) / len(ts) for ts in sequences]
    if len({ratio(m) for m in means}) == len(means):
        return Kinks(()), means
    lines, pairs = [_sorted(ts) for ts in sequences], []
    while (tied := _tied(means)) is not None:
        a, above = _knot(lines, means, tied)
        w = _weight(means, above)
        means = [m + w * r for m, r in zip(means, above, strict=True)]
        pairs.append((a, w))
    return Kinks(tuple(sorted(pairs, key=lambda pair: pair[0]))), means


def _sorted(ts: Sequence[Number]) -> _Line:
    line, total = sorted(ts), ts[0] * 0
    sums = [total]
    for t in reversed(line):
        total = total + t
        sums.append(total)
    return _Line(line, sums[::-1])


def _tied(means: Sequence[Number]) -> tuple[int, int] | None:
    """The first two sequences of equal mean."""
    first: dict = {}
    for k, m in enumerate(means):
        j = first.setdefault(ratio(m), k)
        if j != k:
            return j, k
    return None


def _knot(lines: Sequence[_Line], means: Sequence[Number], tied: tuple[int, int]
          ) -> tuple[Number, list[Number]]:
    """A knot that tells the tied pair apart, and the means of relu(t - a) for all sequences.

    Of the first candidates, the one that leaves the most classes of equal mean.
    """
    j, k = tied
    best, most, seen = None, 0, 0
    known = {ratio(t): t for t in (*lines[j].line, *lines[k].line)}
    for a in known.values():
        if lines[j].above(a) == lines[k].above(a):
            continue
        above = [line.above(a) for line in lines]
        classes = len({(ratio(m), ratio(r)) for m, r in zip(means, above, strict=True)})
        if classes > most:
            best, most = (a, above), classes
        seen += 1
        if seen == CANDIDATES or most == len(lines):
            break
    assert best is not None, "two different sets are told apart by some knot"
    return best


def _weight(means: Sequence[Number], above: Sequence[Number]) -> int:
    """The least whole w >= 1 for which m + w r merges no two different pairs (m, r)."""
    classes = {(ratio(m), ratio(r)): (m, r) for m, r in zip(means, above, strict=True)}
    for w in count(1):
        if len({ratio(m + w * r) for m, r in classes.values()}) == len(classes):
            return w
    raise AssertionError("unreachable: each pair excludes at most one w")


def rows(found: Kinks, first: int, shift: int = 0) -> list[list[tuple[Number, Number]]]:
    """The kinks layer by layer, as (weight, knot): `first` of them, then four a layer, rightwards.

    The first layer reads t. Later ones read f(t) + shift as far as it is made: it is affine there
    with slope 1 + (sum of earlier weights), by which their weight is divided.
    """
    pairs, out, slope = found.pairs, [], 1
    for start, stop in _chunks(len(pairs), first):
        made = Kinks(pairs[:start])
        out.append([((a * 0 + w) / slope, made(a) + shift if start else a)
                    for a, w in pairs[start:stop]])
        slope += sum(w for _, w in pairs[start:stop])
    return out


def _chunks(total: int, first: int) -> Iterator[tuple[int, int]]:
    """(0, first), then four at a time."""
    yield 0, min(first, total)
    for start in range(first, total, 4):
        yield start, min(start + 4, total)
