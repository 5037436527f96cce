"""Without attention a network is one map f, applied to every token: when can it interpolate?

Exactly when some f has f(X_j) = Y_j for all j. A token p may only go to A_p, the intersection of
the Y_j over all X_j that contain p, and every y of Y_j must be reached from X_j. A small search
decides; the impossible is shown by a token with empty A_p, or by exhaustion. Source: ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from numeric.interpolant.data import Dataset
from numeric.interpolant.exact import Vector, ascending, ceil, key, text, unit
from numeric.interpolant.layers import FF, Block, Network, Neuron, still
from numeric.interpolant.moves import generic, placements, projections

WORK, LARGEST = 3_000_000, 300  # tokens looked at before giving up; outputs it tries to cover


@dataclass(frozen=True)
class Feasibility:
    """Whether some f serves (None: the search gave up), why, and f as images of data.tokens."""

    possible: bool | None
    why: str
    images: tuple[Vector, ...] = ()


def feasible(data: Dataset) -> Feasibility:
    """Whether a map of tokens can send every X_j onto Y_j."""
    names = {key(x): k for k, x in enumerate(data.tokens)}
    held = [[names[key(x)] for x in X] for X in data.inputs]
    targets = {key(y): y for Y in data.outputs for y in Y}
    wanted = [set(map(key, Y)) for Y in data.outputs]
    allowed = [set(targets) for _ in data.tokens]
    for X, Y in zip(held, wanted, strict=True):
        for k in X:
            allowed[k] &= Y
    for k, choices in enumerate(allowed):
        if not choices:
            return Feasibility(False, _torn(data, held, k))
    if data.disjoint:
        return Feasibility(True, "no two sequences share a token", tuple(
            y for X, Y in data.pairs for y in (*Y, *(Y[:1] * (len(X) - len(Y))))))
    found = _search(held, wanted, allowed) if data.M <= LARGEST else None
    if found is None:
        return Feasibility(None, "open: too many choices for the search")
    if not found:
        return Feasibility(False, "no choice of images reaches every output: all were tried")
    return Feasibility(True, "a map of the tokens was found",
                   tuple(targets[found[k]] for k in range(len(names))))


def _torn(data: Dataset, held: list[list[int]], k: int) -> str:
    owners = [str(j) for j, X in enumerate(held, 1) if k in X]
    token = ", ".join(map(text, data.tokens[k]))
    return (f"token ({token}) is in sequences {', '.join(owners[:6])}"
            f"{', ..' if len(owners) > 6 else ''}, whose outputs have nothing in common")


def _search(held: list[list[int]], wanted: list[set], allowed: list[set]) -> dict | None:
    """Images of all tokens that cover every wanted output; {} where none do, None where undecided.

    Always takes the output with the fewest tokens left for it, so dead ends show early.
    """
    needs = [(j, y) for j, Y in enumerate(wanted) for y in sorted(Y)]
    left = iter(range(WORK // max(1, sum(len(held[j]) for j, _ in needs))))

    def extend(chosen: dict) -> dict | None:
        if next(left, None) is None:
            return None
        scarce = None
        for j, y in needs:
            if any(chosen.get(k) == y for k in held[j]):
                continue
            free = [k for k in held[j] if k not in chosen and y in allowed[k]]
            if scarce is None or len(free) < len(scarce[1]):
                scarce = y, free
        if scarce is None:
            return {k: chosen.get(k, min(choices)) for k, choices in enumerate(allowed)}
        undecided = False
        for k in scarce[1]:
            found = extend({**chosen, k: scarce[0]})
            if found:
                return found
            undecided = undecided or found is None
        return None if undecided else {}
    return extend({})


def build(data: Dataset, images: Sequence[Vector], seed: int = 0) -> Network:
    """A network without attention for a map of the tokens: project on a line, then place.

    1 + ceil(T/4) blocks and T + 1 neurons for T distinct tokens.
    """
    v = generic(data.tokens, seed)
    line = projections(data.tokens, v)
    C = data.kind(ceil(1 + max(0, *(y[0] for y in images)) - min(line)))
    one, order = data.kind(1), ascending(line)
    lift = Neuron(unit(data.kind, data.d), v, C)
    blocks = [Block(FF(one * 0, (lift,)), still(one), "project"),
              *placements([line[k] + C for k in order], [images[k] for k in order], "place")]
    return Network(data.d, tuple(blocks), "resnet", "any", {"N": data.N, "M": data.M})
