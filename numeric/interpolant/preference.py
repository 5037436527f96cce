"""What a softmax network does around its one softmax layer, in exact numbers.

Before it, and in the layer itself, the tokens and their scores are rational: which token each one
prefers and by what gap. After it, the network projects on a line and then is feed-forward: whether
it is constant on an interval of that line is decided by the interval's ends.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from numeric.interpolant.data import Dataset
from numeric.interpolant.exact import Number, Vector, along, gram, scaled, support
from numeric.interpolant.layers import FF, Block, Network
from numeric.interpolant.run import Cloud, cloud, through


class Uncertain(ValueError):
    """A network that this certificate does not cover; the message says where it differs."""


@dataclass(frozen=True)
class Preference:
    """Of one token: the sequence, the projection of the token it prefers, the score gap, the
    distance D to the farthest projection, and n - 1."""

    sequence: int
    centre: Number
    gap: Number | None
    distance: Number
    others: int


def before_softmax(network: Network, data: Dataset) -> tuple[int, Cloud]:
    """The place of the one block with A != 0, and the tokens as its attention meets them: exact,
    as uniform attention does not depend on tau. Raises Uncertain for another kind of network."""
    found = [i for i, b in enumerate(network.blocks) if b.sa.A.scale or b.sa.A.left]
    if len(found) != 1 or found[0] + 1 >= len(network.blocks):
        raise Uncertain(f"found {len(found)} layers with A != 0; needed one, not the last")
    at = found[0]
    sa, after = network.blocks[at].sa, network.blocks[at + 1]
    if sa.rho or sa.V.left or sa.V.scale != 1:
        raise Uncertain("the softmax layer: needed rho = 0 and V = I")
    if after.ff.eta or len(after.ff.neurons) != 1 or not after.sa.identity:
        raise Uncertain("the block after softmax: needed eta = 0, one neuron, no attention")
    before = network.blocks[at]
    first = (*network.blocks[:at], Block(before.ff, network.blocks[at + 1].sa, before.stage))
    return at, through(first, cloud(data.inputs))


def projection(network: Network, at: int) -> Callable[[Vector], Number]:
    """x -> <u, x> + b of the block after softmax, before its relu."""
    neuron = network.blocks[at + 1].ff.neurons[0]
    place = support(neuron.u)
    return lambda x: (along(place, x) if place else neuron.b * 0) + neuron.b


def preferences(network: Network, at: int, state: Cloud) -> Iterator[Preference]:
    """What each token of each sequence prefers. Raises Uncertain where two tokens tie."""
    project, sa, kind = projection(network, at), network.blocks[at].sa, type(network.zero)
    line = [project(x) for x in state.points]
    for j, counts in enumerate(state.sequences):
        places = tuple(counts)
        n = sum(counts.values())
        low, high = min(line[k] for k in places), max(line[k] for k in places)
        columns = [state.points[k] for k in places]
        rows, D = gram([sa.A(x) for x in columns], columns)
        for row in rows:
            best = max(row)
            leader = row.index(best)
            centre = line[places[leader]]
            rest = max(chain(row[:leader], row[leader + 1:]), default=None)
            if rest == best:
                raise Uncertain(f"sequence {j + 1}: two tokens have the largest score")
            yield Preference(j, centre, None if rest is None else kind(int(best - rest)) / D,
                             max(high - centre, centre - low), n - 1)


def constant_on(blocks: Sequence[Block], low: Number, high: Number) -> Vector:
    """The value of the blocks on the whole interval, the first one a projection on a line.

    Every neuron keeps its sign on the segment between the images of both ends, so every layer is
    affine on it, and the ends have one image in the end. Raises Uncertain where this fails.
    """
    if not 0 < low < high:
        raise Uncertain(f"the interval [{low}, {high}]: needed 0 < low < high")
    w = blocks[0].ff.neurons[0].w
    ends = [scaled(low, w), scaled(high, w)]
    for block in blocks[1:]:
        if not block.sa.identity:
            raise Uncertain("attention after the projection: needed none")
        ends = _affine(block.ff, ends)
    if ends[0] != ends[1]:
        raise Uncertain(f"the ends of the interval [{low}, {high}] have different images")
    return ends[0]


def _affine(ff: FF, ends: list[Vector]) -> list[Vector]:
    """The images of the ends of a segment on which the layer is affine."""
    for neuron in ff.neurons:
        place = support(neuron.u)
        a, b = ((along(place, x) if place else 0) + neuron.b for x in ends)
        if (a < 0 < b) or (b < 0 < a):
            raise Uncertain("a knot lies inside an interval")
    return ff.images(ends)
