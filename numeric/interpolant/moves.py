"""The moves that all constructions are made of: generic directions, hats, placements, shifts.

Source: ours, after the pictures of arXiv 2502.02270.
"""

import random
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import count

from numeric.interpolant.exact import Number, Vector, along, minus, ratio, scaled, support, unit
from numeric.interpolant.layers import FF, Block, Neuron, still

TRIES = 40  # random directions before the one that cannot fail


def generic(points: Sequence[Vector], seed: int) -> Vector:
    """A v of positive whole numbers with pairwise distinct <v, x> over distinct points.

    Small random numbers first, from a growing range; then v = (1, t, .., t^(d-1)), t = 2, 3, ..:
    each pair of points excludes at most d - 1 values of t, so some t serves.
    """
    kind, d = type(points[0][0]), len(points[0])
    if d == 1:
        return (kind(1),)
    rng = random.Random(seed)
    tried = (tuple(rng.randint(1, 3 + 2 * k * k) for _ in range(d)) for k in range(TRIES))
    certain = (tuple(t ** i for i in range(d)) for t in count(2))
    for candidates in (tried, certain):
        for numbers in candidates:
            v = tuple(kind(c) for c in numbers)
            place = support(v)
            if len({ratio(along(place, x)) for x in points}) == len(points):
                return v
    raise AssertionError("unreachable: some power serves")


def projections(points: Iterable[Vector], v: Vector) -> list[Number]:
    """<v, x> of every point."""
    place = support(v)
    return [along(place, x) for x in points]


def hat(v: Vector, low: Number, peak: Number, high: Number, change: Vector) -> tuple[Neuron, ...]:
    """Three neurons that add h(<v, x>) change, h the hat with h(peak) = 1, 0 outside (low, high).

    h(t) = relu(t - low)/(peak - low) - (sum of both slopes) relu(t - peak)
    + relu(t - high)/(high - peak).
    """
    up, down = 1 / (peak - low), 1 / (high - peak)
    return (Neuron(scaled(up, change), v, -low), Neuron(scaled(-(up + down), change), v, -peak),
            Neuron(scaled(down, change), v, -high))


def hop(line: list[Number], v: Vector, source: Vector, target: Vector) -> tuple[Neuron, ...]:
    """A hat that moves the token `source` to `target` and no other.

    `line` is the sorted list of all projections, without repetitions, and is brought up to date.
    The hat ends at the neighbours of the source, or 1 beyond the end of the line: no gap constant
    is needed, and numerators stay small.
    """
    place = support(v)
    peak = along(place, source)
    k = bisect_left(line, peak)
    low = line[k - 1] if k else peak - 1
    high = line[k + 1] if k + 1 < len(line) else peak + 1
    neurons = hat(v, low, peak, high, minus(target, source))
    line.pop(k)
    new = along(place, target)
    k = bisect_left(line, new)
    if k == len(line) or line[k] != new:
        line.insert(k, new)
    return neurons


def constant(w: Vector) -> Neuron:
    """A neuron that adds w to every token: u = 0 and b = 1."""
    zero = w[0] * 0
    return Neuron(w, tuple(zero for _ in w), zero + 1)


def placements(sources: Sequence[Number], targets: Sequence[Vector], stage: str) -> list[Block]:
    """Blocks of width <= 4 that send the points s_1 < .. < s_M of the line R e_1 to targets.

    From right to left, one neuron a point, its knot at the previous source. Remaining sources and
    placed targets lie at or left of all knots and stay; so targets need y[0] <= s_1 - 1.
    """
    one, blocks, e = targets[0][0] * 0 + 1, [], unit(type(targets[0][0]), len(targets[0]))
    knots = [sources[0] - 1, *sources[:-1]]
    for stop in range(len(sources), 0, -4):
        start, neurons = max(0, stop - 4), []
        for k in range(start, stop):
            s, a = sources[k], knots[k]
            rest = minus(targets[k], scaled(s, e))
            for n in neurons:
                rest = minus(rest, scaled(s + n.b, n.w))
            neurons.append(Neuron(scaled(1 / (s - a), rest), e, -a))
        blocks.append(Block(FF(one, tuple(neurons)), still(one), stage))
    return blocks


def snaps(intervals: Sequence[tuple[Number, Number]], targets: Sequence[Vector],
          stage: str) -> list[Block]:
    """Blocks of width <= 4 that are constant = y_k on disjoint intervals of the line R e_1.

    From right to left, two neurons an interval: the first makes the value at its left end y_k,
    the second makes the slope zero. Targets need y[0] < the leftmost interval - 1.
    """
    one, blocks, e = targets[0][0] * 0 + 1, [], unit(type(targets[0][0]), len(targets[0]))
    before = [intervals[0][0] - 1, *(high for _, high in intervals[:-1])]
    for stop in range(len(intervals), 0, -2):
        start, neurons, value = max(0, stop - 2), [], None
        for k in range(start, stop):
            a = intervals[k][0]
            slope = e if value is None else scaled(one * 0, e)
            now = scaled(a, e) if value is None else value
            w = scaled(1 / (a - before[k]), minus(targets[k], now))
            neurons += [Neuron(w, e, -before[k]),
                        Neuron(tuple(-(p + q) for p, q in zip(w, slope, strict=True)), e, -a)]
            value = targets[k]
        blocks.append(Block(FF(one, tuple(neurons)), still(one), stage))
    return blocks


def smallest_shift(groups: Sequence[tuple[int, Sequence[int]]]) -> int:
    """The least z >= 1 for which the sets {t + z s : t in values} of the groups are disjoint.

    Groups are (s, values), all in whole numbers over one denominator, values in a group distinct;
    groups of equal s are disjoint already. A pair of values excludes at most one z. The least z,
    not one beyond the whole range: repeated shifts by the range would square the numbers.
    """
    for z in count(1):
        seen: set[int] = set()
        for s, values in groups:
            shifted = {t + z * s for t in values}
            if not seen.isdisjoint(shifted):
                break
            seen |= shifted
        else:
            return z
    raise AssertionError("unreachable: finitely many z collide")
