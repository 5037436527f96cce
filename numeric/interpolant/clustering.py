"""Construction P: hardmax attention that separates, then collapses sequences on their leaders.

For every valid dataset in R^d, d >= 2: width <= 4 and K1 + 2M blocks, K1 <= N - 1 for separation,
M for leaders (the attention of the last one collapses), M to place. The four stages are those of
arXiv 2502.02270, Theorem 1.6, whose bound is 2M + 2N + 1; this construction of them is ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from numeric.interpolant.data import Dataset, needs_plane
from numeric.interpolant.exact import Number, Vector, added, ascending, common, dot, key, scaled
from numeric.interpolant.layers import FF, SA, Block, Matrix, Network, Neuron, still
from numeric.interpolant.leaders import lead
from numeric.interpolant.moves import constant, generic, hat, hop, projections, smallest_shift


def build(data: Dataset, seed: int = 0) -> Network:
    """The network P of a dataset. Raises BadData where d < 2."""
    needs_plane(data, "clustering")
    v = generic(data.tokens, seed)
    apart = _separate(data, v)
    led = lead(data, apart.sequences, v)
    last = led.blocks[-1]
    blocks = [*apart.blocks, *led.blocks[:-1],
              Block(last.ff, collapse(data.kind(1)), last.stage, "collapse")]
    blocks += _interpolate(data, led.places, seed)
    facts = {"N": data.N, "M": data.M, "K1": len(apart.blocks), "h": apart.hats,
             "s": apart.shifts + led.shifts}
    return Network(data.d, tuple(blocks), "clustering", "hardmax", facts)


def collapse(kappa: Number) -> SA:
    """A = kappa I, V = I, rho = 0: every token becomes the mean of what it attends to."""
    one = kappa / kappa
    return SA(one * 0, Matrix(one), Matrix(kappa))


@dataclass(frozen=True)
class Apart:
    """Separating blocks, the then disjoint sequences, the hats and constant shifts used."""

    blocks: list[Block]
    sequences: list[list[Vector]]
    hats: int = 0
    shifts: int = 0


def _separate(data: Dataset, v: Vector) -> Apart:
    """Blocks after which no two sequences share a token: rank-one attention A = v v^T.

    Sequences in one class may share tokens, tokens of different classes differ. Every block shifts
    each sequence along v by z times its largest projection, so classes split by that maximum; where
    it is the same for all, a hat first moves a token that only some of them have to the top.
    All is done on the projections, as whole numbers over one denominator D.
    """
    if data.disjoint:
        return Apart([], [list(X) for X in data.inputs])
    names = {key(x): k for k, x in enumerate(data.tokens)}
    held = [[names[key(x)] for x in X] for X in data.inputs]
    numbers, D = common(projections(data.tokens, v))
    lift = max(0, -(-(D - min(numbers)) // D)) if min(numbers) <= 0 else 0
    start = {k: t + lift * D for k, t in enumerate(numbers)}
    classes = [(list(range(data.N)), start)]
    blocks, hats = [], 0
    while any(len(members) > 1 for members, _ in classes):
        chosen = _token_to_raise(classes, held)
        neurons: tuple[Neuron, ...] = ()
        down = lift if not blocks else 0
        if chosen is not None:
            neurons, classes = _raise(classes, chosen, v, D, down, data.kind)
            hats += 1
        if down:
            neurons = (*neurons, constant(scaled(data.kind(down) / dot(v, v), v)))
        z, classes = _split(classes, held)
        blocks.append(Block(FF(data.kind(1), neurons), _shift(v, z, data.kind), "separate",
                            "separate"))
    place = {j: line for members, line in classes for j in members}
    size = dot(v, v)
    sequences = [[added(x, data.kind(place[j][k] - numbers[k]) / D / size, v)
                  for x, k in zip(X, held[j], strict=True)]
                 for j, X in enumerate(data.inputs)]
    return Apart(blocks, sequences, hats, int(bool(lift)))


Class = tuple[list[int], dict[int, int]]  # sequences; projection of each of their tokens


def _shift(v: Vector, z: int, kind: type) -> SA:
    """x_i + z (mean projection of the tokens attended to) v/|v|^2, by A = v v^T."""
    zero = kind(0)
    return SA(kind(1), Matrix(zero, scaled(kind(z) / dot(v, v), v), v), Matrix(zero, v, v))


def _tops(members: Sequence[int], line: dict[int, int], held: list[list[int]]) -> dict[int, int]:
    """The largest projection of each sequence of a class."""
    return {j: max(line[k] for k in held[j]) for j in members}


def _token_to_raise(classes: list[Class], held: list[list[int]]) -> tuple[int, int] | None:
    """(class, token) that leave the most classes when the token is raised to the top; None where
    the maxima alone do as well."""
    best, most = None, 0
    for i, (members, line) in enumerate(classes):
        if len(members) < 2:
            continue
        tops = _tops(members, line, held)
        alone = len(set(tops.values()))
        owners: dict[int, set[int]] = {}
        for j in members:
            for k in held[j]:
                owners.setdefault(k, set()).add(j)
        gains = ((1 + len({tops[j] for j in members if j not in having}) - alone, -k)
                 for k, having in owners.items() if len(having) < len(members))
        gain, token = max(gains)
        if gain > most:
            best, most = (i, -token), gain
    return best


def _raise(classes: list[Class], chosen: tuple[int, int], v: Vector, D: int, down: int, kind: type
           ) -> tuple[tuple[Neuron, ...], list[Class]]:
    """A hat that moves one token of one class above all others. `down` is a shift yet to come:
    the hat reads projections before it, the classes hold them after it."""
    i, token = chosen
    members, line = classes[i]
    every = {t for _, ts in classes for t in ts.values()}
    top = (max(every) // D + 1) * D
    peak = line[token]
    low = max((t for t in every if t < peak), default=peak - D)
    high = min((t for t in every if t > peak), default=peak + D)
    a, p, b = (kind(t - down * D) / D for t in (low, peak, high))
    neurons = hat(v, a, p, b, scaled(kind(top - peak) / D / dot(v, v), v))
    raised = [*classes]
    raised[i] = (members, {**line, token: top})
    return neurons, raised


def _split(classes: list[Class], held: list[list[int]]) -> tuple[int, list[Class]]:
    """The least z that keeps new classes apart, and the classes after the shift by z times the
    maximum of each sequence."""
    parts: list[tuple[int, list[int], dict[int, int]]] = []
    for members, line in classes:
        by_top: dict[int, list[int]] = {}
        for j, top in _tops(members, line, held).items():
            by_top.setdefault(top, []).append(j)
        parts += [(top, some, {k: line[k] for j in some for k in held[j]})
                  for top, some in by_top.items()]
    z = smallest_shift([(top, list(line.values())) for top, _, line in parts])
    return z, [(some, {k: t + z * top for k, t in line.items()}) for top, some, line in parts]


def _interpolate(data: Dataset, places: list[list[Vector]], seed: int) -> list[Block]:
    """One hat a point, from its leader to its target, along a direction generic for both.

    Every source is longer than every target, so none of them stands where another is placed.
    """
    sources = [x for spots in places for x in spots]
    targets = [y for Y in data.outputs for y in Y]
    distinct = {key(x): x for x in (*sources, *targets)}
    u = generic(tuple(distinct.values()), seed + 1)
    every = projections(sources, u)
    line, one = [every[k] for k in ascending(every)], data.kind(1)
    return [Block(FF(one, hop(line, u, x, y)), still(one), "interpolate")
            for x, y in zip(sources, targets, strict=True)]
