"""Why a softmax network is exact for all 0 < tau < tau*, and the check of that without its maker.

One layer of the network has A != 0. There token i of a sequence of n tokens prefers one token l,
by a score gap g_i > 0 over the second best. After the next layer, which projects on a line, its
image is a convex combination of the projections: within (n - 1) exp(-g_i/tau) D_i of that of l,
D_i the largest distance from l. The bound grows with tau, so one inequality at tau* serves every
temperature below. It keeps the image in an interval on which the remaining layers are constant:
no knot inside, equal values at both ends, in rationals. Source: ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flint import arb, ctx

from numeric.interpolant.data import Dataset
from numeric.interpolant.exact import Number, key, ratio
from numeric.interpolant.layers import Network
from numeric.interpolant.preference import (
    Preference,
    Uncertain,
    before_softmax,
    constant_on,
    preferences,
)

START, MOST = 64, 1 << 14  # bits of precision to begin with, and to give up at
KEPT = 48  # bits of a rational tau*

Intervals = Sequence[tuple[Number, Number]]


@dataclass(frozen=True)
class Certificate:
    """Exact for 0 < tau < `tau`, a rational below the true threshold; None: for every tau > 0.

    `intervals` (low, high) on the line after the projection, from left to right; `gaps` the
    smallest score gap of each sequence, None where all its tokens are equal.
    """

    tau: Number | None
    intervals: tuple[tuple[Number, Number], ...]
    gaps: tuple[Number | None, ...]


def certify(network: Network, data: Dataset,
            intervals: Intervals) -> Certificate:
    """The largest tau* that the intervals allow, rounded down. Raises Uncertain."""
    at, state = before_softmax(network, data)
    tau, gaps = None, [None] * data.N
    for p in preferences(network, at, state):
        gaps[p.sequence] = least(gaps[p.sequence], p.gap)
        _, room = room_of(p.sequence, p.centre, intervals)
        if p.others * p.distance > room:
            tau = least(tau, _threshold(p, room))
    return Certificate(tau, tuple(intervals), tuple(gaps))


def problems(network: Network, data: Dataset, certificate: Certificate) -> Iterator[str]:
    """Everything in the certificate that does not hold, a sentence each."""
    try:
        yield from _problems(network, data, certificate)
    except Uncertain as error:
        yield str(error)


def _problems(network: Network, data: Dataset, certificate: Certificate) -> Iterator[str]:
    at, state = before_softmax(network, data)
    intervals = certificate.intervals
    _ordered(intervals)
    values = [constant_on(network.blocks[at + 1:], low, high) for low, high in intervals]
    reached: list[set] = [set() for _ in range(data.N)]
    gaps: list[Number | None] = [None] * data.N
    for p in preferences(network, at, state):
        j = p.sequence
        gaps[j] = least(gaps[j], p.gap)
        k, room = room_of(p.sequence, p.centre, intervals)
        reached[j].add(key(values[k]))
        if not _kept(p, room, certificate.tau):
            yield (f"sequence {j + 1}: below the stated tau* a token may leave its interval, so "
                   "its image is not exact")
            return
    for j, Y in enumerate(data.outputs):
        if reached[j] != set(map(key, Y)):
            yield f"sequence {j + 1}: its intervals are not sent to its outputs"
    if tuple(gaps) != certificate.gaps:
        yield "the stated score gaps are not those of the network"


def _ordered(intervals: Intervals) -> None:
    """Raises Uncertain where intervals overlap or do not go from left to right."""
    for (_, high), (low, _) in zip(intervals, intervals[1:], strict=False):
        if not high < low:
            raise Uncertain("intervals overlap: needed disjoint ones from left to right")


def least(a: Number | None, b: Number | None) -> Number | None:
    """The smaller one; None stands for infinity."""
    return b if a is None else a if b is None else min(a, b)


def room_of(j: int, centre: Number, intervals: Intervals) -> tuple[int, Number]:
    """The interval around a centre of sequence j, and the distance to its nearer end.

    Raises Uncertain where there is none.
    """
    first, last = 0, len(intervals)
    while first < last:
        middle = (first + last) // 2
        first, last = ((middle + 1, last) if intervals[middle][1] <= centre
                       else (first, middle))
    if first == len(intervals) or not intervals[first][0] < centre:
        raise Uncertain(f"sequence {j + 1}: a leader is projected into no interval")
    low, high = intervals[first]
    return first, min(centre - low, high - centre)


def _kept(p: Preference, room: Number, tau: Number | None) -> bool:
    """Whether (n - 1) exp(-g/tau) D <= room, hence < room for every smaller temperature."""
    spread = p.others * p.distance
    if spread <= room or tau is None:
        return spread <= room
    digits = START
    while digits <= MOST:
        with ctx.workprec(digits):
            slack = ball(p.gap) - ball(tau) * ball(spread / room).log()
            if slack > 0 or slack < 0:
                return bool(slack > 0)
        digits *= 2
    return False


def _threshold(p: Preference, room: Number) -> Number:
    """A rational just below g/log((n - 1) D/room), from a ball."""
    digits = START
    while digits <= MOST:
        with ctx.workprec(digits):
            found = ball(p.gap) / ball(p.others * p.distance / room).log()
            if found > 0 and found.rel_accuracy_bits() > KEPT:
                return rounded_down(found, type(room))
        digits *= 2
    raise Uncertain(f"sequence {p.sequence + 1}: its tau* needs more than {MOST} bits")


def ball(x: Number) -> arb:
    """A ball around a rational, at the precision of the moment."""
    p, q = ratio(x)
    return arb(p) / q


def rounded_down(x: arb, kind: type) -> Number:
    """A rational of KEPT bits below every number of a positive ball."""
    man, exp = (int(part) for part in x.lower().man_exp())
    extra = max(0, man.bit_length() - KEPT)
    man, exp = (man >> extra) - 1, exp + extra
    return kind(man << exp) if exp >= 0 else kind(man) / (1 << -exp)
