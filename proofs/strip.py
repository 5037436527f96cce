"""The tokens in the plane after each stage, side by side: the story of a construction.

One panel a stage, one colour a sequence, larger dots where tokens of a sequence have met, rings
around tokens that several sequences share; dotted rings are the targets. Lengths differ by orders
of magnitude between stages, so every panel has a scale of its own. Only the drawing is rounded.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numeric.interpolant.build import Built

TITLES = {"project": "projected", "separate": "separated", "collapse": "collapsed",
          "place": "placed", "leaders": "leaders out", "interpolate": "interpolated",
          "snap": "snapped"}
PAPER, INK, GREY, FAINT = "#ffffff", "#22252a", "#6b7078", "#c9ccd1"
MANY = 120  # dots of a panel that are drawn smaller, and with fewer rings
Dot = tuple[float, float, int]  # x, y, how many equal tokens of its sequence


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
               targets=_targets(built) if k == len(panels) - 1 else None)
    figure.suptitle(_caption(built), x=0.01, ha="left", fontsize=10.5, color=INK)
    figure.tight_layout(rect=(0, 0, 1, 0.98))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=160)
    finally:
        plt.close(figure)


def snapshots(built: "Built") -> list[tuple[str, str, list[list[Dot]]]]:
    """(stage, blocks, dots by sequence): the input, then the tokens at the end of each stage.

    Runs the network exactly, with hardmax attention; of equal stages in a row only the last.
    """
    from numeric.interpolant.export import rounded
    from numeric.interpolant.run import Cloud, cloud, steps

    def seen(state: Cloud) -> list[list[Dot]]:
        return [[(rounded(state.points[k][0]), rounded(state.points[k][1]), n)
                 for k, n in counts.items()] for counts in state.sequences]
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
        return f"attention, block {done}"
    return f"block {done}" if first == done else f"blocks {first}-{done}"


def palette(N: int) -> list[str]:
    """Colours of sequences, told apart also by those who see no red."""
    colours = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7f6a00",
               "#5b4b9a")
    return [colours[j % len(colours)] for j in range(N)]


def _targets(built: "Built") -> list[list[Dot]]:
    from numeric.interpolant.export import rounded
    return [[(rounded(y[0]), rounded(y[1]), 1) for y in Y] for Y in built.data.outputs]


def _panel(axis: Any, k: int, title: str, blocks: str, sequences: list[list[Dot]],
           colours: list[str], targets: list[list[Dot]] | None) -> None:
    """One stage: its dots, its title, and what helps to see them."""
    line = targets is None and all(y == 0 for dots in sequences for _, y, _ in dots)
    if line:  # the second coordinate says nothing: it becomes the number of the sequence
        sequences = [[(x, j, n) for x, _, n in dots] for j, dots in enumerate(sequences, 1)]
    size = 26 if sum(map(len, sequences)) <= MANY else 10
    _dots(axis, sequences, colours, size)
    for dots, colour in zip(targets or (), colours, strict=bool(targets)):
        axis.scatter([x for x, _, _ in dots], [y for _, y, _ in dots], s=190, facecolor="none",
                     edgecolor=colour, linewidth=1.0, linestyle=(0, (1.5, 1.5)), zorder=2)
    axis.set_title(f"{k}  {title}", loc="left", fontsize=9.5, color=INK, pad=15)
    under = f"{blocks}; a line, a row a sequence" if line else blocks or "tokens"
    axis.text(0, 1.025, under, transform=axis.transAxes, fontsize=7.5, color=GREY)
    _frame(axis)
    if line:
        axis.set_ylim(len(sequences) + 1, 0)
        axis.set_yticks(range(1, len(sequences) + 1) if len(sequences) <= 12 else [])
    elif title == "collapsed":
        _closer(axis, sequences, colours, size)


def _dots(axis: Any, sequences: list[list[Dot]], colours: list[str], size: float) -> None:
    """Dots, and a ring for every further sequence at the same place; where there are many dots,
    one grey ring stands for all further sequences."""
    many = sum(map(len, sequences)) > MANY
    shared: dict[tuple, int] = {}
    for dots, colour in zip(sequences, colours, strict=True):
        layers: dict[int, list[Dot]] = {}
        for x, y, n in dots:
            depth = shared[x, y] = shared.get((x, y), -1) + 1
            layers.setdefault(depth, []).append((x, y, n))
        for depth, some in layers.items():
            if many and depth > 1:
                continue
            areas = [size * (1 + 0.35 * min(n - 1, 6)) * (1 + 0.75 * depth) ** 2
                     for _, _, n in some]
            axis.scatter([x for x, _, _ in some], [y for _, y, _ in some], s=areas, alpha=0.9,
                         zorder=5 - 0.01 * depth,
                         edgecolor=GREY if many and depth else colour,
                         facecolor="none" if depth else colour, linewidth=1.2 if depth else 0.5)


def _closer(axis: Any, sequences: list[list[Dot]], colours: list[str], size: float) -> None:
    """The main leaders, far out and near each other, in a window of their own."""
    main = [[dot for dot in dots if dot[0] > 0] for dots in sequences]
    if sum(map(len, main)) < 2:
        return
    window = axis.inset_axes((0.52, 0.07, 0.42, 0.42))
    _dots(window, main, colours, size * 0.6)
    window.margins(0.25)
    window.set_xticks([])
    window.set_yticks([])
    window.set_title("the crowds", fontsize=6.5, color=GREY, pad=2)
    for spine in window.spines.values():
        spine.set_color(FAINT)
    axis.indicate_inset_zoom(window, edgecolor=GREY, alpha=0.5, linewidth=0.6)


def _frame(axis: Any) -> None:
    axis.margins(0.14)
    axis.tick_params(labelsize=6.5, colors=GREY, length=2, width=0.6)
    axis.locator_params(nbins=4)
    for line in (axis.xaxis, axis.yaxis):
        line.set_major_formatter(lambda value, _: shortest(value))
    axis.grid(color=FAINT, linewidth=0.4, alpha=0.6)
    axis.set_axisbelow(True)
    for spine in axis.spines.values():
        spine.set_color(FAINT)


def _caption(built: "Built") -> str:
    data, network = built.data, built.network
    limit = ", in the limit tau = 0" if network.limit == "softmax" else ""
    return (f"Construction {network.construction}: {data.N} sequences, {data.T} tokens, "
            f"{data.M} targets (dotted rings), {len(network.blocks)} blocks{limit}")


def shortest(value: float) -> str:
    """A number of up to five digits as it is, a larger or a very small one as `1.05e8`."""
    text = f"{value:.5g}"
    if "e" not in text:
        return text.replace("-", "\N{MINUS SIGN}")
    digits, power = f"{value:.4g}".split("e")
    return f"{digits}e{int(power)}".replace("-", "\N{MINUS SIGN}")
