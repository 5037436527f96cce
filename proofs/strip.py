"""The tokens in the plane after each stage, side by side: the story of a construction.

One panel a stage, one colour a sequence; targets are rings. Lengths differ by orders of magnitude
between stages, so every panel has limits of its own, written in its corners. Positions are rounded
to the pixel, nothing else is.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numeric.interpolant.build import Built

TITLES = {"project": "projected", "separate": "separated", "collapse": "collapsed",
          "place": "placed", "leaders": "leaders out", "interpolate": "interpolated",
          "snap": "snapped"}
PAPER, INK, FAINT = "#ffffff", "#22252a", "#c9ccd1"
MARKED = 8  # sequences told apart by colour and listed; more share colours


def draw(built: "Built", path: Path) -> None:
    """Draw the strip of a network for d = 2 and write it (PNG, PDF or SVG). Raises OSError."""
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    panels = snapshots(built)
    rows = 1 if len(panels) <= 6 else 2
    columns = -(-len(panels) // rows)
    figure, axes = plt.subplots(rows, columns, figsize=(2.9 * columns, 3.35 * rows + 0.35),
                                squeeze=False, facecolor=PAPER)
    for axis in axes.flat[len(panels):]:
        axis.remove()
    colours = palette(built.data.N)
    for k, (axis, (title, blocks, sequences)) in enumerate(zip(axes.flat, panels, strict=False)):
        _panel(axis, k, title, blocks, sequences, colours,
               targets=_targets(built) if k in (0, len(panels) - 1) else None)
    figure.suptitle(_caption(built), x=0.01, ha="left", fontsize=10.5, color=INK)
    figure.tight_layout(rect=(0, 0, 1, 0.98))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=160)
    finally:
        plt.close(figure)


def snapshots(built: "Built") -> list[tuple[str, str, list[list[tuple[float, float]]]]]:
    """(stage, blocks, positions by sequence): the input, then the tokens at the end of each stage.

    Runs the network exactly, with hardmax attention; of equal stages in a row only the last.
    """
    from numeric.interpolant.export import rounded
    from numeric.interpolant.run import Cloud, cloud, steps

    def seen(state: Cloud) -> list[list[tuple[float, float]]]:
        return [[(rounded(state.points[k][0]), rounded(state.points[k][1])) for k in counts]
                for counts in state.sequences]
    start = cloud(built.data.inputs)
    panels, first, last = [("input", "", seen(start))], 1, 0
    kept: tuple[str, int, Any] | None = None
    for done, stage, state in steps(built.network.blocks, start):
        if stage == "padding":
            continue
        if kept is not None and kept[0] != stage:
            panels.append((TITLES[kept[0]], _span(first, kept[1], last), seen(kept[2])))
            last, first = kept[1], kept[1] + 1
        kept = (stage, done, state)
    if kept is not None:
        panels.append((TITLES[kept[0]], _span(first, kept[1], last), seen(kept[2])))
    return panels


def _span(first: int, done: int, last: int) -> str:
    """Which blocks led to a panel."""
    if done == last:
        return f"attention of block {done}"
    return f"block {done}" if first == done else f"blocks {first}-{done}"


def palette(N: int) -> list[str]:
    """Colours of sequences, told apart also by those who see no red."""
    colours = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7f6a00",
               "#5b4b9a")
    return [colours[j % len(colours)] for j in range(N)]


def _targets(built: "Built") -> list[list[tuple[float, float]]]:
    from numeric.interpolant.export import rounded
    return [[(rounded(y[0]), rounded(y[1])) for y in Y] for Y in built.data.outputs]


def _panel(axis: Any, k: int, title: str, blocks: str, sequences: list, colours: list[str],
           targets: list | None) -> None:
    """One stage. A token that several sequences share is drawn as rings around each other."""
    shared: dict[tuple, int] = {}
    for points, colour in zip(sequences, colours, strict=True):
        for x, y in points:
            depth = shared.get((x, y), 0)
            shared[x, y] = depth + 1
            axis.scatter([x], [y], s=26 * (1 + 0.75 * depth) ** 2, zorder=5 - 0.01 * depth,
                         facecolor=colour if not depth else "none", edgecolor=colour,
                         linewidth=0.6 if not depth else 1.6)
    if targets is not None and k:
        for points, colour in zip(targets, colours, strict=True):
            axis.scatter(*zip(*points, strict=True), s=150, facecolor="none", edgecolor=colour,
                         linewidth=1.0, linestyle=(0, (2, 1.5)), zorder=2)
    axis.set_title(f"{k}  {title}", loc="left", fontsize=9.5, color=INK, pad=14)
    axis.text(0, 1.02, blocks, transform=axis.transAxes, fontsize=7.5, color="#6b7078")
    _frame(axis)


def _frame(axis: Any) -> None:
    axis.margins(0.14)
    axis.tick_params(labelsize=6.5, colors="#6b7078", length=2, width=0.6)
    axis.locator_params(nbins=4)
    axis.ticklabel_format(style="sci", scilimits=(-3, 4), useMathText=True)
    for text in (axis.xaxis.get_offset_text(), axis.yaxis.get_offset_text()):
        text.set_fontsize(6.5)
        text.set_color("#6b7078")
    axis.grid(color=FAINT, linewidth=0.4, alpha=0.6)
    axis.set_axisbelow(True)
    for spine in axis.spines.values():
        spine.set_color(FAINT)


def _caption(built: "Built") -> str:
    data, network = built.data, built.network
    return (f"Construction {network.construction}: {data.N} sequences, {data.T} tokens, "
            f"{data.M} targets, {len(network.blocks)} blocks")
