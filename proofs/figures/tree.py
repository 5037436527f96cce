"""The comparison tree as a figure: layers from bottom to top, CLS above."""

import re
from pathlib import Path
from typing import Any

from infoflow.objective import Objective
from infoflow.schedule import TOKEN
from infoflow.tree import OUT, Node, Tree, extremum
from proofs.figures.style import BLACK, BLUE, GREY, ORANGE, PALE, RED, canvas, look

Key = tuple[int, str]
STEP, ROOM, MARGIN = 1.5, 0.72, 0.62     # inches: neighbours, layers, the names of the layers
LONGEST = 3                              # factors that a box shows
ASKED = {"asked by each token": ORANGE, "asked by CLS": BLUE, "asked by several at once": RED,
         "compares nothing": GREY}


def save(tree: Tree, path: Path) -> None:
    """Write the figure of a tree; the ending says .png or .pdf."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure = draw(tree)
    with look():
        figure.savefig(path, **({"metadata": {"CreationDate": None}}
                                if path.suffix == ".pdf" else {}))


def draw(tree: Tree) -> Any:
    """A figure: a box an index, its extremum and own factors, edges to who keeps the result.

    Colours say who asks. Heads that read fixed positions, neighbours or means are grey boxes at
    the right, with edges to the comparators that wait for them.
    """
    places, extra = layout(tree)
    spots = [*places.values(), *extra.values()]
    wide, top = 1 + max((x for x, _ in spots), default=0), tree.depth + 1
    inches = max(STEP * wide + MARGIN, 4.0)
    room = (inches - MARGIN) / wide
    with look():
        figure, axes = canvas(1, 1, inches, ROOM * top + 0.62)
        axis = axes[0, 0]
        axis.set(xlim=(-0.5 - MARGIN / room, wide - 0.5), ylim=(0.5, top + 0.4))
        axis.axis("off")
        for layer in range(1, top):
            axis.axhline(layer + 0.5, color=PALE, lw=0.5, zorder=0)
            axis.text(-0.5 - MARGIN / room, layer, f"layer {layer}", color=GREY, va="center",
                      fontsize=7)
        boxes = _boxes(axis, tree, places, extra, ((wide - 1) / 2, top))
        for below, above, others in _edges(tree):
            _arrow(axis, boxes[below], boxes[above], GREY, "-|>")
            for other in others:
                _arrow(axis, boxes[below], boxes[other], RED, "-", (0, (3, 2)), "arc3,rad=0.5")
        exact = "" if tree.exact else " (upper bound)"
        axis.set_title(f"{tree.task.name}: order {tree.order}{exact}, dimension {tree.dimension}",
                       loc="left")
        _legend(figure, [b.get_bbox_patch().get_edgecolor() for b in boxes.values()])
    return figure


def layout(tree: Tree) -> tuple[dict[Key, tuple[float, float]], dict[int, tuple[float, float]]]:
    """Where each index and each head that compares nothing stands: leaves side by side, parents
    above the middle of their children."""
    children: dict[Key | None, list[Node]] = {}
    for node in tree.nodes:
        parent = None if node.step.parent == OUT else (node.term, node.step.parent)
        children.setdefault(parent, []).append(node)
    layers = tree.layers
    places: dict[Key, tuple[float, float]] = {}
    free = iter(range(len(tree.nodes) + len(tree.jobs)))

    def place(node: Node) -> float:
        key = (node.term, node.step.index)
        below = [place(child) for child in children.get(key, [])]
        x = sum(below) / len(below) if below else float(next(free))
        places[key] = (x, float(layers[node.comparator]))
        return x
    for root in children.get(None, []):
        place(root)
    return places, {job.id: (float(next(free)), float(layers[job.id]))
                    for job in tree.jobs[len(tree.comparators):]}


def _boxes(axis: Any, tree: Tree, places: dict, extra: dict, top: tuple) -> dict[Any, Any]:
    sum_or_any = "$F_0$" if tree.task.outer == "any" else "sum"
    boxes = {OUT: _box(axis, top, f"CLS: {sum_or_any}", BLACK)}
    for node in tree.nodes:
        key, c = (node.term, node.step.index), tree.comparators[node.comparator]
        several = len(node.step.scope) > 1
        colour = RED if several else ORANGE if c.pool == TOKEN else BLUE
        boxes[key] = _box(axis, places[key], _label(tree, node), colour)
    for job, place in extra.items():
        boxes[job] = _box(axis, place, tree.says[job].replace(", ", "\n"), GREY)
    return boxes


def _edges(tree: Tree) -> list[tuple[Any, Any, list[Key]]]:
    found: list[tuple[Any, Any, list[Key]]] = []
    for node in tree.nodes:
        above = OUT if node.step.parent == OUT else (node.term, node.step.parent)
        found.append(((node.term, node.step.index), above,
                      [(node.term, other) for other in node.step.scope[1:]]))
    for job in tree.jobs[len(tree.comparators):]:
        waiting = [n for n in tree.nodes if job.id in tree.jobs[n.comparator].after]
        found += [(job.id, (n.term, n.step.index), []) for n in waiting] or [(job.id, OUT, [])]
    return found


def _label(tree: Tree, node: Node) -> str:
    sign = tree.task.terms[node.term].sign
    name = "\\max" if extremum(node.step, sign) == "max" else "\\min"
    apart = "\\neq " + ", ".join(map(_letter, node.step.scope)) if node.step.apart else ""
    first = f"${name}_{{{_letter(node.step.index)}{apart}}}$   comparator {node.comparator + 1}"
    own = tuple((f, sign * c) for f, c in node.step.own)
    more = " + .." if len(own) > LONGEST else ""
    return f"{first}\n${_formula(own[:LONGEST])}{more}$" if own else first


def _formula(parts: Objective) -> str:
    """A sum of factors as mathematics."""
    text = ""
    for factor, c in parts:
        size = "" if abs(c) == 1 else f"{abs(c)}\\,"
        text += (" - " if c < 0 else " + " if text else "") + size + _factor(factor)
    return text


def _factor(factor: tuple) -> str:
    if factor[0] == "fn":
        return f"{_letter(factor[1])}({', '.join(f'x_{{{_letter(str(t))}}}' for t in factor[2])})"
    chain, left, right = factor[2], factor[1], factor[3]
    if factor[0] == "bil" and chain and all(flag for _, flag in chain):
        chain, left, right = tuple((n, False) for n, _ in reversed(chain)), right, left
    middle = "".join(_letter(n) + ("^{\\top}" if flag else "") + "\\," for n, flag in chain)
    end = f"x_{{{_letter(str(right))}}}" if factor[0] == "bil" else _letter(right)
    return f"x_{{{_letter(str(left))}}}^{{\\top}} {middle}{end}"


def _letter(name: str) -> str:
    """A name as a letter with its number below: A1 is A_1."""
    match = re.fullmatch(r"([A-Za-z]+)_?(\d+)", name)
    stem, number = (match[1], match[2]) if match else (name.replace("_", "\\_"), "")
    stem = stem if len(stem) == 1 else f"\\mathrm{{{stem}}}"
    return f"{stem}_{{{number}}}" if number else stem


def _box(axis: Any, place: tuple[float, float], text: str, colour: str) -> Any:
    return axis.text(*place, text, ha="center", va="center", fontsize=7, linespacing=1.4, zorder=5,
                     bbox={"boxstyle": "round,pad=0.35", "fc": "white", "ec": colour, "lw": 0.9})


def _arrow(axis: Any, below: Any, above: Any, colour: str, style: str, dashes: Any = "-",
           bend: str = "arc3") -> None:
    axis.annotate("", above.get_position(), below.get_position(), zorder=3, arrowprops={
        "arrowstyle": style, "color": colour, "lw": 0.7, "ls": dashes, "mutation_scale": 7,
        "patchA": below.get_bbox_patch(), "patchB": above.get_bbox_patch(), "shrinkA": 0,
        "shrinkB": 1, "connectionstyle": bend})


def _legend(figure: Any, used: list[Any]) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.lines import Line2D
    shown = {name: c for name, c in ASKED.items() if to_rgba(c) in used}
    figure.legend([Line2D([], [], color=c, lw=1.2) for c in shown.values()], list(shown),
                  loc="outside lower left", ncols=len(shown), fontsize=7)
