"""Construction U: one layer of uniform attention and narrow feed-forward layers interpolate.

For every valid dataset in R^d, d >= 1, the network has width <= 4, A = 0 throughout and
ceil((k+1)/4) + ceil(c/2) + ceil(M/4) blocks, k <= N - 1. As uniform weights are the same for
hardmax and for softmax, it is exact for both, at every temperature. Source: ours.
"""

from numeric.interpolant.data import Dataset
from numeric.interpolant.exact import Number, Vector, ceil, floor, scaled, unit
from numeric.interpolant.kinks import Kinks, kinks, rows
from numeric.interpolant.layers import FF, SA, Block, Matrix, Network, Neuron, still
from numeric.interpolant.moves import generic, placements, projections


def build(data: Dataset, seed: int = 0) -> Network:
    """The network U of a dataset: project, separate by means, collapse, place."""
    v = generic(data.tokens, seed)
    lines = [projections(X, v) for X in data.inputs]
    found, means = kinks(lines)
    C = ceil(1 + max(0, *(y[0] for Y in data.outputs for y in Y)) - min(map(min, lines)))
    lines = [sorted(found(t) + C for t in ts) for ts in lines]
    blocks = _project(data, v, found, C)
    if data.N >= 2:
        zeta = _zeta(lines, means)
        e = unit(data.kind, data.d)
        mix = SA(data.kind(1), Matrix(data.kind(0), scaled(data.kind(zeta), e), e),
                 Matrix(data.kind(0)))
        blocks[-1] = Block(blocks[-1].ff, mix, "project", "separate")
        lines = [[t + zeta * (m + C) for t in ts] for ts, m in zip(lines, means, strict=True)]
    order = sorted(range(data.N), key=lambda j: lines[j][0])
    blocks += _collapse(data, lines, order)
    sources, targets = _sources(data, lines, order)
    blocks += placements(sources, targets, "place")
    facts = {"N": data.N, "M": data.M, "c": data.c, "k": len(found.pairs)}
    return Network(data.d, tuple(blocks), "uniform", "any", facts)


def _project(data: Dataset, v: Vector, found: Kinks, C: int) -> list[Block]:
    """x -> (f(<v, x>) + C) e_1: eta = 0 forgets x, and further kinks follow from left to right."""
    one, e = data.kind(1), unit(data.kind, data.d)
    head, *later = rows(found, 3, C)
    lift = Neuron(e, v, data.kind(C))
    layers = [FF(one * 0, (lift, *(Neuron(scaled(w, e), v, -a) for w, a in head)))]
    layers += [FF(one, tuple(Neuron(scaled(w, e), e, -a) for w, a in row)) for row in later]
    return [Block(ff, still(one), "project") for ff in layers]


def _zeta(lines: list[list[Number]], means: list[Number]) -> int:
    """zeta with zeta (gap of the means) > range of the line: shifted sequences do not overlap."""
    spread = max(ts[-1] for ts in lines) - min(ts[0] for ts in lines)
    ordered = sorted(means)
    gap = min(b - a for a, b in zip(ordered, ordered[1:], strict=False))
    return floor(spread / gap) + 1


def _interval(data: Dataset, line: list[Number], j: int) -> tuple[Number, Number] | None:
    """The ends of the n - m + 1 lowest tokens of sequence j, which are to become one."""
    n, m = len(data.inputs[j]), len(data.outputs[j])
    return (line[0], line[n - m]) if m < n else None


def _collapse(data: Dataset, lines: list[list[Number]], order: list[int]) -> list[Block]:
    """t - relu(t - a) + relu(t - b) sends [a, b] to a; two sequences a block, right to left.

    What lies left of a stays, what lies right of b moves by -(b - a) and is finished already.
    """
    one, e = data.kind(1), unit(data.kind, data.d)
    back = scaled(-one, e)
    found = [ends for j in order if (ends := _interval(data, lines[j], j)) is not None]
    blocks = []
    for stop in range(len(found), 0, -2):
        neurons = tuple(n for a, b in found[max(0, stop - 2):stop]
                        for n in (Neuron(back, e, -a), Neuron(e, e, -b)))
        blocks.append(Block(FF(one, neurons), still(one), "collapse"))
    return blocks


def _sources(data: Dataset, lines: list[list[Number]], order: list[int]
             ) -> tuple[list[Number], list[Vector]]:
    """Where the m_j points of each sequence are after all collapses, and their targets."""
    sources, targets, lost = [], [], data.kind(0)
    for j in order:
        ends = _interval(data, lines[j], j)
        line = lines[j]
        if ends is not None:
            sources.append(line[0] - lost)
            lost = lost + ends[1] - ends[0]
            line = line[len(line) - len(data.outputs[j]) + 1:]
        sources += [t - lost for t in line]
        targets += data.outputs[j]
    return sources, targets
