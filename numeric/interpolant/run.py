"""A network run exactly on sequences: what changes is evaluated, once for equal tokens.

Tokens of all sequences lie in one cloud of distinct points; a sequence is a table of how often it
has each. Layers without attention move points of the cloud, whoever owns them. Successive layers
along one direction are swept together (`ridge`). Nothing is rounded.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from numeric.interpolant import attention
from numeric.interpolant.exact import Vector, key
from numeric.interpolant.layers import FF, Block, Network
from numeric.interpolant.ridge import direction, sweep

Watch = Callable[[int], None]


@dataclass(frozen=True)
class Cloud:
    """Distinct points, and for each sequence the places of its points with their counts."""

    points: tuple[Vector, ...]
    sequences: tuple[dict[int, int], ...]

    def tokens(self, j: int) -> list[Vector]:
        """Sequence j as a list, repetitions included."""
        return [self.points[k] for k, n in self.sequences[j].items() for _ in range(n)]

    def set(self, j: int) -> frozenset:
        """The set of tokens of sequence j, as keys that do not depend on the kind of number."""
        return frozenset(key(self.points[k]) for k in self.sequences[j])


def cloud(sequences: Iterable[Sequence[Vector]]) -> Cloud:
    """Lists of tokens as a cloud."""
    points: dict = {}
    tables = []
    for tokens in sequences:
        places = (points.setdefault(key(x), (len(points), x))[0] for x in tokens)
        tables.append(dict(Counter(places)))
    return Cloud(tuple(x for _, x in points.values()), tuple(tables))


def run(network: Network, sequences: Iterable[Sequence[Vector]], tau: object = 0,
        watch: Watch = lambda done: None) -> Cloud:
    """What the network makes of the sequences: exact, with hardmax attention.

    At a temperature tau > 0 the same exact result, provided that every A is zero. Raises
    ValueError where softmax would have irrational weights: see `certificate` for those.
    """
    if tau and any(b.sa.A.scale or b.sa.A.left for b in network.blocks):
        raise ValueError("run: found a softmax layer with A != 0; needed hardmax (tau = 0), or "
                         "A = 0: re-check the certificate instead")
    return through(network.blocks, cloud(sequences), watch)


def through(blocks: Sequence[Block], state: Cloud, watch: Watch = lambda done: None) -> Cloud:
    """The cloud after all the blocks."""
    for _, _, reached in steps(blocks, state, watch):
        state = reached
    return state


def steps(blocks: Sequence[Block], state: Cloud, watch: Watch = lambda done: None
          ) -> Iterator[tuple[int, str, Cloud]]:
    """(blocks done, stage, cloud) whenever a stage ends or attention has acted.

    Feed-forward layers of a stage run together up to the next attention that is not the identity.
    `watch(blocks done)` is called as they go.
    """
    done = 0
    for stage, part in _segments(blocks):
        state = feed(state, [block.ff for block in part])
        done += len(part)
        watch(done)
        sa = part[-1].sa
        if sa.identity:
            yield done, stage, state
            continue
        if part[-1].attention != stage:
            yield done, stage, state
        state = attend(state, lambda points, counts, sa=sa: attention.hard(sa, points, counts))
        watch(done)
        yield done, part[-1].attention or stage, state


def _segments(blocks: Sequence[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Blocks cut where a stage ends and behind every attention that acts."""
    for stage, group in groupby(blocks, key=lambda block: block.stage):
        part = []
        for block in group:
            part.append(block)
            if not block.sa.identity:
                yield stage, part
                part = []
        if part:
            yield stage, part


def feed(state: Cloud, layers: Sequence[FF]) -> Cloud:
    """The cloud after feed-forward layers; points that have met become one."""
    points = list(state.points)
    for u, group in groupby(layers, key=direction):
        part = [ff for ff in group if ff.neurons or ff.eta != 1]
        if part and u is not None:
            points = sweep(points, part, u)
        for ff in part if u is None else ():
            points = ff.images(points)
    return _joined(points, state.sequences)


def attend(state: Cloud, layer: Callable[[Sequence[Vector], dict], dict]) -> Cloud:
    """The cloud after attention, sequence by sequence."""
    points: list[Vector] = []
    tables = []
    for counts in state.sequences:
        image = layer(state.points, counts)
        tables.append({len(points) + i: counts[k] for i, k in enumerate(image)})
        points += image.values()
    return _joined(points, tables)


def _joined(points: Sequence[Vector], sequences: Iterable[dict[int, int]]) -> Cloud:
    first: dict = {}
    place = [first.setdefault(key(x), (len(first), x))[0] for x in points]
    tables = []
    for counts in sequences:
        table: dict[int, int] = {}
        for k, n in counts.items():
            table[place[k]] = table.get(place[k], 0) + n
        tables.append(table)
    return Cloud(tuple(x for _, x in first.values()), tuple(tables))
