"""Construction S: one network, exact for softmax at every temperature below an explicit tau*.

Softmax cannot collapse tokens exactly, but it brings them close to their leaders; the layers after
it are constant on whole intervals, and exactness returns. For every valid dataset in R^d, d >= 2:
width <= 4 and K0 + M + 1 + ceil(M/2) blocks, below the 2M + 3N of arXiv 2502.02270, Theorem 1.8.
Source: ours.
"""

from math import lcm

from numeric.interpolant.certificate import Certificate, certify
from numeric.interpolant.clustering import collapse
from numeric.interpolant.data import Dataset, needs_plane
from numeric.interpolant.exact import (
    Number,
    Vector,
    added,
    ascending,
    ceil,
    common,
    dot,
    key,
    number,
    scaled,
    unit,
)
from numeric.interpolant.kinks import Kinks, kinks, rows
from numeric.interpolant.layers import FF, SA, Block, Matrix, Network, Neuron, still
from numeric.interpolant.leaders import lead
from numeric.interpolant.moves import generic, projections, smallest_shift, snaps


def build(data: Dataset, seed: int = 0, kappa: int = 1) -> tuple[Network, Certificate]:
    """The network S of a dataset and its certificate. Raises BadData where d < 2.

    kappa scales A = kappa I of the softmax layer, and with it tau*: any temperature is reached.
    """
    needs_plane(data, "softmax")
    v = generic(data.tokens, seed)
    blocks, sequences, k = _separate(data, v)
    K0 = len(blocks)
    led = lead(data, sequences, v)
    last = led.blocks[-1]
    blocks += [*led.blocks[:-1],
               Block(last.ff, collapse(data.kind(kappa)), last.stage, "collapse")]
    project, intervals, targets = _project(data, led.places, seed)
    blocks += [project, *snaps(intervals, targets, "snap")]
    facts = {"N": data.N, "M": data.M, "k": k, "K0": K0, "s": led.shifts}
    network = Network(data.d, tuple(blocks), "softmax", "softmax", facts)
    return network, certify(network, data, intervals)


def below(data: Dataset, tau: Number, seed: int = 0) -> tuple[Network, Certificate]:
    """The network S that is exact at tau > 0 and below it: tau* is proportional to kappa."""
    network, certificate = build(data, seed)
    if certificate.tau is None or number(data.kind, tau) < certificate.tau:
        return network, certificate
    kappa = ceil(number(data.kind, tau) / certificate.tau) + 1
    return build(data, seed, kappa)


def _separate(data: Dataset, v: Vector) -> tuple[list[Block], list[list[Vector]], int]:
    """Blocks that shift each sequence along v by a multiple of its mean, by uniform attention,
    so that none share a token; the sequences then; the number of kinks that made means differ."""
    if data.disjoint:
        return [], [list(X) for X in data.inputs], 0
    lines = [projections(X, v) for X in data.inputs]
    found, means = kinks(lines)
    lines = [[found(t) for t in ts] for ts in lines]
    zeta = _zeta(lines, means)
    one, zero, along = data.kind(1), data.kind(0), scaled(data.kind(1) / dot(v, v), v)
    blocks = [Block(FF(one, tuple(Neuron(scaled(w, along), v, -a) for w, a in row)), still(one),
                    "separate") for row in rows(found, 4)]
    mix = SA(one, Matrix(zero, scaled(data.kind(zeta), along), v), Matrix(zero))
    blocks[-1] = Block(blocks[-1].ff, mix, "separate", "separate")
    return blocks, [
        [added(x, _lift(found, t, zeta * m), along) for x, t in zip(X, projections(X, v),
                                                                    strict=True)]
        for X, m in zip(data.inputs, means, strict=True)], len(found.pairs)


def _lift(found: Kinks, t: Number, shift: Number) -> Number:
    """How far a token of projection t moves along v."""
    return found(t) - t + shift


def _zeta(lines: list[list[Number]], means: list[Number]) -> int:
    """The least whole zeta for which the lines, shifted by zeta times their means, are disjoint."""
    every, D = common([t for ts in lines for t in ts])
    shifts, E = common(means)
    whole = lcm(D, E)
    places = iter(every)
    return smallest_shift([(s * (whole // E), [next(places) * (whole // D) for _ in ts])
                           for s, ts in zip(shifts, lines, strict=True)])


def _project(data: Dataset, places: list[list[Vector]], seed: int
             ) -> tuple[Block, list[tuple[Number, Number]], list[Vector]]:
    """x -> (<u, x> + C) e_1; the intervals around the images of the leaders; their targets.

    Intervals have a quarter of the smallest gap on each side, C leaves room for all targets.
    """
    sources = [x for spots in places for x in spots]
    targets = [y for Y in data.outputs for y in Y]
    distinct = {key(x): x for x in sources}
    u = generic(tuple(distinct.values()), seed + 1)
    line = projections(sources, u)
    order = ascending(line)
    ordered = [line[i] for i in order]
    gap = min((b - a for a, b in zip(ordered, ordered[1:], strict=False)), default=data.kind(4))
    r = gap / 4
    C = ceil(1 + max(0, *(y[0] for y in targets)) - ordered[0] + r)
    one = data.kind(1)
    neuron = Neuron(unit(data.kind, data.d), u, data.kind(C))
    block = Block(FF(one * 0, (neuron,)), still(one), "project")
    return block, [(t + C - r, t + C + r) for t in ordered], [targets[i] for i in order]
