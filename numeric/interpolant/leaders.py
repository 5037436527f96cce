"""Leaders: m_j tokens of each sequence go where attention with A = I collapses all others on them.

The main leader of sequence j goes far out along v, the side leaders to rational points of a circle
in the negative quadrant of the first two axes. Then every other token attends to the main leader
and every leader to itself, all strictly. Used by constructions P and S. Source: ours, after the
leader geometry of arXiv 2502.02270 (Figures 4-8).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from numeric.interpolant.data import Dataset
from numeric.interpolant.exact import (
    Number,
    Vector,
    added,
    ascending,
    ceil,
    dot,
    norm_bound,
    scaled,
)
from numeric.interpolant.layers import FF, Block, Neuron, still
from numeric.interpolant.moves import constant, hop, projections


@dataclass(frozen=True)
class Led:
    """Blocks that move the leaders, where these end up (m_j a sequence, main leader first), and
    the number of constant shifts used, 0 or 1."""

    blocks: list[Block]
    places: list[list[Vector]]
    shifts: int


def lead(data: Dataset, sequences: Sequence[Sequence[Vector]], v: Vector) -> Led:
    """One hat a leader, for sequences whose tokens have distinct projections on v.

    Where some projection is <= 0 the first block also shifts all tokens along v, so that every
    projection is >= 1: a token on the plane orthogonal to v would have no preference.
    """
    lines = [projections(X, v) for X in sequences]
    least = min(map(min, lines))
    size = dot(v, v)
    shift = data.kind(0) if least > 0 else data.kind(ceil(1 - least))
    if shift:
        sequences = [[added(x, shift / size, v) for x in X] for X in sequences]
        lines = [[t + shift for t in line] for line in lines]
    ranked = [[X[k] for k in reversed(ascending(line))]
              for X, line in zip(sequences, lines, strict=True)]
    places = _places(data, ranked, v)
    blocks, one = [], data.kind(1)
    every = [t for line in lines for t in line]
    line = [every[k] for k in ascending(every)]
    for X, spots in zip(ranked, places, strict=True):
        for x, y in zip(X, spots, strict=False):
            neurons = hop(line, v, x, y)
            if shift and not blocks:
                neurons = (*(Neuron(n.w, n.u, n.b + shift) for n in neurons),
                           constant(scaled(shift / size, v)))
            blocks.append(Block(FF(one, neurons), still(one), "leaders"))
    return Led(blocks, places, int(bool(shift)))


def _places(data: Dataset, ranked: Sequence[Sequence[Vector]], v: Vector) -> list[list[Vector]]:
    """Where the leaders go, with the margins that make every preference strict.

    B and B_Y bound the crowd and the targets, R_j > B, B_Y are the radii, and lam0 v is so far out
    that <x, lam0 v> > B R_j for every x of the crowd: it beats all side leaders.
    """
    kind = data.kind
    crowd = [x for X, Y in zip(ranked, data.outputs, strict=True) for x in X[len(Y):]]
    B = norm_bound(crowd)
    B_Y = norm_bound(y for Y in data.outputs for y in Y)
    R0 = max(B, B_Y) + 1
    nearest = min((dot(v, x) for x in crowd), default=kind(1))
    farthest = max(dot(v, X[0]) for X in ranked)
    lam0 = ceil(max(kind(B * (R0 + data.N)) / nearest, farthest / dot(v, v), kind(B_Y))) + 1
    return [[scaled(kind(lam0 + j), v), *_arc(kind, data.d, R0 + j, len(Y))]
            for j, Y in enumerate(data.outputs)]


def _arc(kind: type, d: int, R: int, m: int) -> list[Vector]:
    """m - 1 rational points on the circle of radius R, in the open negative quadrant."""
    points = []
    for k in range(1, m):
        q: Number = kind(k) / m
        flat = kind(-R) / (1 + q * q)
        points.append((flat * (1 - q * q), flat * 2 * q, *(kind(0) for _ in range(d - 2))))
    return points
