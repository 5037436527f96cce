"""What a terminal shows of predictions: one in full, all shipped ones ranked, laws, coverage."""

import json
import sys
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infoflow.predict import Prediction
    from infoflow.tree import Tree

COLOURS = {"efficient": "green", "E-limited": "yellow", "predicted hard": "red",
           "outside the framework": "red"}
TOKENS, DRAWS = (4, 16, 64), 40     # of the coverage table


def console(width: int = 130) -> Any:
    """A console, so wide where the output is no terminal."""
    from rich.console import Console
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else width)


def table(*columns: str, right: Sequence[str] = ()) -> Any:
    """A table with these columns, those named in `right` set to the right."""
    from rich import box
    from rich.table import Table
    found = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        found.add_column(name, justify="right" if name in right else "left")
    return found


def show(found: "Prediction") -> None:
    """Print a prediction: the verdict first, then what it rests on."""
    from rich.text import Text
    screen = console(100)
    screen.print(Text.assemble((f"{found.task.name}: ", "bold"),
                               (found.verdict, f"bold {COLOURS[found.verdict]}")))
    screen.print(Text(fill(found.reason, 96, initial_indent="  ", subsequent_indent="  ")))
    screen.print()
    if found.tree.jobs:
        screen.print(drawn(found.tree))
    if found.minimal:
        names = ("width E", "all that may be held", "values only")
        least = table("least architectures: layers", "heads", *names,
                      right=("least architectures: layers", *names))
        for p in found.minimal:
            w = p.widths
            least.add_row(str(len(p.heads)), _tuple(p.heads), str(w.needed), str(w.literal),
                          str(w.compressed))
        screen.print(least)
    numbers = table("number", "value", "where it comes from")
    for s in found.sources:
        numbers.add_row(s.number, s.value, s.source)
    screen.print(numbers)
    for name, lines in (("assumes", found.assumptions), ("would change it", found.changes)):
        screen.print(Text(name, "bold"))
        for line in lines:
            screen.print(Text(fill(line, 96, initial_indent="  - ", subsequent_indent="    ")))


def drawn(tree: "Tree") -> Any:
    """The comparison tree for a terminal: each index under the one that keeps its result."""
    from rich.text import Text
    from rich.tree import Tree as Branches

    from infoflow.objective import written
    from infoflow.tree import OUT, extremum
    layers = tree.layers
    root = Branches(Text(f"{'F0' if tree.task.outer == 'any' else 'sum'} at CLS", "bold"),
                    guide_style="dim")
    places: dict[tuple[int, str], Any] = {}
    for node in sorted(reversed(tree.nodes), key=lambda n: n.term):
        c = tree.comparators[node.comparator]
        above = root if node.step.parent == OUT else places[(node.term, node.step.parent)]
        sign = tree.task.terms[node.term].sign
        own = written(tuple((f, sign * k) for f, k in node.step.own)) if node.step.own else ""
        text = Text.assemble((f"{extremum(node.step, sign)} over {node.step.index}", "bold"),
                             f" of {own}" if own else "",
                             (f"  layer {layers[c.id]}, asked by {_asking(node.step.scope)}, "
                              f"comparator {c.id + 1}", "red" if c.pool == "tuple" else "cyan"))
        places[(node.term, node.step.index)] = above.add(text)
    for job in tree.jobs[len(tree.comparators):]:
        root.add(Text.assemble((tree.says[job.id], "bold"),
                               (f"  layer {layers[job.id]}, asked by "
                                f"{'CLS' if job.pool == 'CLS' else 'each token'}", "cyan")))
    return root


def _asking(scope: tuple[str, ...]) -> str:
    if len(scope) > 1:
        return f"{' and '.join(scope)} at once"
    return f"each {scope[0]}" if scope else "CLS"


def _tuple(heads: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(str, heads)) + ")"


def _rank(p: "Prediction") -> tuple:
    """Easy before hard: by verdict, then order, then the numbers that a state has to hold."""
    return list(COLOURS).index(p.verdict), p.tree.order, p.tree.T0 * p.task.d, p.task.name


def show_all(found: Sequence["Prediction"]) -> None:
    """Print all predictions in a table, easy before hard."""
    from rich.text import Text

    from infoflow.predict import polynomial
    ranked = table("task", "verdict", "order", "dim", "comparisons", "heads", "law",
                   right=("order", "dim"))
    for column in ranked.columns:
        column.no_wrap = True
    for p in sorted(found, key=_rank):
        heads = _tuple(p.minimal[0].heads) if p.minimal else "-"
        known = not p.tree.outside
        ranked.add_row(p.task.name, Text(p.verdict, COLOURS[p.verdict]),
                       str(p.tree.order) if known else "-", str(p.tree.dimension) if known else "-",
                       polynomial(p.tree.comparisons) if known else "-", heads, p.law_text)
    console().print(ranked)


def laws(as_json: bool) -> None:
    """Print the laws: what each says, its rate, who says so, what holds it."""
    from infoflow.law import LAWS
    from symbolic.writing.text import text
    rows = [{"id": law.id, "says": law.says, "rate": "" if law.rate is None else text(law.rate),
             "kind": law.kind, "source": law.source, "assumes": list(law.assumes),
             "verified_by": list(law.verified_by)} for law in LAWS.values()]
    if as_json:
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return
    shown = table("law", "says", "rate", "standing", "held by")
    shown.columns[-1].overflow = "fold"      # names of claims and tests, to be looked up
    for row in rows:
        standing = row["source"] if row["kind"] == "ours" else f"{row['kind']}: {row['source']}"
        shown.add_row(row["id"], row["says"], row["rate"], standing, ", ".join(row["verified_by"]))
    console().print(shown)


def coverage_rows(tree: "Tree", seed: int) -> list[tuple[str, list[float]]]:
    """How often the answer's tuple reaches CLS: with every comparator, and without each in turn.

    Shares of 40 random inputs at `lengths_of` tokens; no row where there is no plan.
    """
    import numpy as np

    from infoflow.flow import coverage
    if tree.order > 2 or tree.outside:
        return []
    rng = np.random.default_rng(seed)
    lengths = lengths_of(tree)
    left_out = [("nothing", ()), *((tree.says[j.id], (j.id,)) for j in tree.jobs)]
    return [(says, [coverage(tree, T, DRAWS, rng, without) for T in lengths])
            for says, without in left_out]


def lengths_of(tree: "Tree") -> tuple[int, ...]:
    """The numbers of tokens of that table: those of the task, else 4, 16, 64 or what it needs."""
    from infoflow.flow import fewest_tokens
    if tree.task.T:
        return (tree.task.T,)
    return tuple(dict.fromkeys(max(T, fewest_tokens(tree.task)) for T in TOKENS))


def show_flow(tree: "Tree", seed: int, rows: Sequence[tuple[str, list[float]]]) -> None:
    """Print that table, or why there is none."""
    if not rows:
        console().print("flow: no plan, so no tuple reaches CLS by retrieving pairs")
        return
    lengths = lengths_of(tree)
    names = [f"T = {T}" for T in lengths]
    shown = table("left out", *names, right=names)
    for says, shares in rows:
        shown.add_row(says, *(f"{share:.2f}" for share in shares))
    console().print(f"how often the answer's tuple reaches CLS ({DRAWS} random inputs, seed "
                    f"{seed})")
    console().print(shown)
