"""A built network in a table by stage and in sentences: what it took and what is exact about it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from numeric.interpolant.build import Built
    from numeric.interpolant.layers import Block

MEANS = {  # (construction, stage or attention) -> what it does
    ("uniform", "project"): "tokens to a line",
    ("uniform", "separate"): "sequences apart, by their means",
    ("uniform", "collapse"): "n tokens to m points",
    ("uniform", "place"): "points to targets",
    ("clustering", "separate"): "no token in two sequences",
    ("clustering", "leaders"): "m tokens of each far out",
    ("clustering", "collapse"): "all others onto a leader",
    ("clustering", "interpolate"): "leaders to targets",
    ("softmax", "separate"): "no token in two sequences",
    ("softmax", "leaders"): "m tokens of each far out",
    ("softmax", "collapse"): "all others close to a leader",
    ("softmax", "project"): "tokens into intervals of a line",
    ("softmax", "snap"): "intervals to targets, exactly",
}


def rows(built: "Built") -> Iterator[tuple[str, str, int, int | None, int, int, int]]:
    """(stage, what it does, blocks, budget, width, parameters, bits) in the order of the network.

    The budget is the most blocks that the stage takes for any dataset of this N and M. Attention
    that does the work of another stage has a row of its own, without blocks.
    """
    from numeric.interpolant.counts import budget
    from numeric.interpolant.layers import bit_length, block_parameters

    network = built.network
    limits = budget(network.construction, network.facts["N"], network.facts["M"])
    for stage in (*limits, "padding"):
        blocks = [b for b in network.blocks if b.stage == stage]
        if blocks or stage in limits:
            yield (stage, MEANS.get((network.construction, stage), "nothing, to reach the bound"),
                   len(blocks), limits.get(stage), _width(blocks),
                   sum(block_parameters(b, network.d) for b in blocks), bit_length(tuple(blocks)))
        for name in dict.fromkeys(b.attention for b in blocks if b.attention not in ("", stage)):
            yield name, MEANS[network.construction, name], 0, None, 0, 0, 0


def _width(blocks: "list[Block]") -> int:
    return max((len(b.ff.neurons) for b in blocks), default=0)


def table(built: "Built") -> "Table":
    """The rows as a table of the terminal, with a total."""
    from rich import box
    from rich.table import Table

    from numeric.interpolant.counts import counted, most
    from numeric.interpolant.layers import bit_length, width

    network = built.network
    found = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    made, N, M = counted(network), network.facts["N"], network.facts["M"]
    head = (("stage", "in all"), ("what it does", ""), ("blocks", str(made.L)),
            ("budget", str(most(network.construction, N, M))), ("width", str(width(network))),
            ("parameters", str(made.P)), ("bits", str(bit_length(network.blocks))))
    for k, (name, foot) in enumerate(head):
        found.add_column(name, foot, justify="left" if k < 2 else "right")
    for stage, means, blocks, limit, wide, parameters, bits in rows(built):
        if not blocks and limit is None:
            found.add_row(f"+ {stage}", means)
            continue
        found.add_row(stage, means, str(blocks), "" if limit is None else str(limit), str(wide),
                      str(parameters), str(bits))
    return found


def sentences(built: "Built", exact: bool) -> Iterator[str]:
    """What was checked, what it holds for, and the comparison with the paper and without
    attention."""
    from numeric.interpolant.counts import bound

    data, network = built.data, built.network
    yield (f"{data.N} sequences of {data.T} tokens in R^{data.d} to {data.M} targets: "
           + ("exact, every output set equals its target set in rational arithmetic" if exact
              else "NOT interpolated"))
    yield f"attention: {_attention(built)}"
    theorem = "1.8" if network.construction == "softmax" else "1.6"
    yield (f"blocks: {len(network.blocks)}; the paper's bound (arXiv 2502.02270, Theorem "
           f"{theorem}) is {bound(network.construction, data.N, data.M)}; budgets of stages are "
           "ours, for every dataset of this size")
    yield f"without attention: {_without(built)}"


def _attention(built: "Built") -> str:
    network = built.network
    if network.limit == "any":
        acting = sum(not b.sa.identity for b in network.blocks)
        return (f"{acting or 'no'} layer{'s' * (acting != 1)} with A = 0: the same exact map for "
                "hardmax and for softmax at every temperature")
    if built.certificate is None:
        return "hardmax, A rank one or the identity"
    tau = built.certificate.tau
    if tau is None:
        return "softmax, exact at every temperature tau > 0"
    return (f"softmax, exact for all 0 < tau < tau*, tau* >= {_decimal(tau)} "
            "(certified: score gaps, intervals, balls)")


def _decimal(x: object) -> str:
    """A rational to six digits, rounded down."""
    from decimal import ROUND_FLOOR, Context, Decimal

    from numeric.interpolant.exact import ratio
    p, q = ratio(x)
    return f"{Context(prec=6, rounding=ROUND_FLOOR).divide(Decimal(p), Decimal(q)):g}"


def _without(built: "Built") -> str:
    """The comparison with a residual network, which has one map for all tokens."""
    from numeric.interpolant.counts import resnet
    from numeric.interpolant.resnet import feasible

    data = built.data
    verdict = feasible(data)
    if verdict.possible is None:
        return verdict.why
    if not verdict.possible:
        return f"impossible: {verdict.why}"
    hats, compact = resnet(data.d, len(data.tokens))
    return (f"possible, {verdict.why}: {compact.L} blocks and {compact.P} parameters by our "
            f"construction, {hats.L} and {hats.P} with a hat a token (upper bounds of these two, "
            "no lower bounds)")
