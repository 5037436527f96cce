"""The command `attnproof predict`: how hard a task is, before anything is trained.

Verdict first, then the least architectures, the law, the tree, the comparisons against what the
model offers, what is assumed, what would change it; every number with where it comes from.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from infoflow.predict import Prediction
    from infoflow.task import Task
    from infoflow.tree import Tree

COLOURS = {"efficient": "green", "E-limited": "yellow", "predicted hard": "red",
           "outside the framework": "red"}


def predict(
    task: Annotated[str | None, typer.Argument(metavar="TASK", help="A task file (.toml) or the "
                    "name of a shipped task; all shipped tasks where none is given.",
                    show_default=False)] = None,
    formula: Annotated[str | None, typer.Option("--formula", help="A formula instead of a file: "
                       "capitals are matrices, small letters vectors.", show_default=False)] = None,
    d: Annotated[int, typer.Option("--d", help="Numbers a token has, for --formula.")] = 4,
    layers: Annotated[int | None, typer.Option("--layers", help="Layers of your architecture.",
                      show_default=False)] = None,
    heads: Annotated[str | None, typer.Option("--heads", metavar="H,H,..", help="Heads of each "
                     "layer: 2,2; one number for all.", show_default=False)] = None,
    width: Annotated[int | None, typer.Option("--width", help="Width E of a state.",
                     show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
    seal: Annotated[Path | None, typer.Option("--seal", metavar="FILE", help="Write the prediction "
                    "with a time and a hash, before training; never over an existing file.",
                    show_default=False)] = None,
    figure: Annotated[Path | None, typer.Option("--figure", metavar="FILE", help="Draw the tree: "
                      ".png or .pdf.", show_default=False)] = None,
) -> None:
    """Predict a task's difficulty, and which architectures do it.

    \b
    attnproof predict                                            the shipped tasks
    attnproof predict task.toml --layers 2 --heads 2,2 --width 32
    attnproof predict pairwise-3 --seal build/pairwise-3.json
    attnproof predict --formula "min over s, t of x[s] @ x[t]" --d 2
    """
    import json

    from infoflow.predict import architecture
    from infoflow.predict import predict as predicted
    from infoflow.task import TaskError, load, shipped_tasks
    try:
        arch = architecture(layers, _numbers(heads), width)
        if task is None and formula is None:
            if seal or figure:
                raise TaskError("predict", "no task to seal or draw", "a task", "name one of "
                                f"{', '.join(shipped_tasks())}")
            found = [predicted(load(name), arch) for name in shipped_tasks()]
            _listed(found, as_json)
            return
        found = predicted(_task(task, formula, d), arch)
        sealed = _seal(found, seal) if seal else None
    except TaskError as error:
        _refuse(str(error))
    if figure:
        _draw(found.tree, figure)
    if as_json:
        typer.echo(json.dumps(found.data(), indent=2))
    else:
        show(found)
        if sealed:
            typer.echo(f"sealed in {seal} at {sealed['sealed']}, sha256 {sealed['hash']}")


def _task(task: str | None, formula: str | None, d: int) -> "Task":
    from infoflow.task import TaskError, load
    if task is not None and formula is not None:
        raise TaskError("predict", "both a task and --formula", "one of them", "leave one out")
    if formula is None:
        return load(task or "")
    from infoflow.formula import formula as read
    return read(formula, d)


def _numbers(text: str | None) -> tuple[int, ...] | None:
    from infoflow.task import TaskError
    if text is None:
        return None
    pieces = text.split(",")
    if not all(p.strip().isascii() and p.strip().isdigit() and len(p) < 8 for p in pieces):
        raise TaskError("architecture", f"heads = {text!r:.40}", "whole numbers and commas",
                        "give --heads 2,2")
    return tuple(int(p) for p in pieces)


def _seal(found: "Prediction", path: Path) -> dict[str, Any]:
    from infoflow.task import TaskError
    from proofs.seal import write
    try:
        return write(found, path)
    except FileExistsError:
        raise TaskError(str(path), "a file that is there already", "a new file, as a seal is "
                        "written once", "choose another name") from None
    except OSError as error:
        raise TaskError(str(path), error.strerror or "no file", "a place to write to",
                        "choose another path") from None


def _draw(tree: "Tree", path: Path) -> None:
    from proofs.figures import tree as figure
    if path.suffix not in (".png", ".pdf"):
        _refuse(f"{path}: found the ending {path.suffix!r}; needed .png or .pdf; rename it")
    try:
        figure.save(tree, path)
    except OSError as error:
        _refuse(f"{path}: found {error.strerror}; needed a place to write to; choose another path")


def _refuse(message: str) -> NoReturn:
    typer.echo(f"attnproof: {message}", err=True)
    raise typer.Exit(2)


def show(found: "Prediction") -> None:
    """Print a prediction: the verdict first, then what it rests on."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
    console.print(Text.assemble((f"{found.task.name}: ", "bold"),
                                (found.verdict, f"bold {COLOURS[found.verdict]}")))
    console.print(Text(f"  {found.reason}"))
    console.print()
    if found.tree.nodes:
        console.print(drawn(found.tree))
        console.print()
    if found.minimal:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
        for name in ("least architectures: layers", "heads", "width E", "all that may be held",
                     "values only"):
            table.add_column(name, justify="left" if name == "heads" else "right")
        for p in found.minimal:
            w = p.widths
            table.add_row(str(len(p.heads)), _tuple(p.heads), str(w.needed), str(w.literal),
                          str(w.compressed))
        console.print(table)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("number")
    table.add_column("value", no_wrap=True)
    table.add_column("where it comes from")
    for s in found.sources:
        table.add_row(s.number, s.value, s.source)
    console.print(table)
    for name, lines in (("assumes", found.assumptions), ("would change it", found.changes)):
        console.print(Text(name, "bold"))
        for line in lines:
            console.print(Text(f"  - {line}"))


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


def _listed(found: list["Prediction"], as_json: bool) -> None:
    """All predictions in a table, or as a list of JSON."""
    import json

    from infoflow.predict import polynomial
    if as_json:
        typer.echo(json.dumps([p.data() for p in found], indent=2))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 130)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("task", "verdict", "order", "dim", "comparisons", "heads", "law"):
        table.add_column(name, justify="right" if name in ("order", "dim") else "left",
                         no_wrap=True)
    for p in sorted(found, key=_rank):
        heads = _tuple(p.minimal[0].heads) if p.minimal else "-"
        known = not p.tree.outside
        table.add_row(p.task.name, Text(p.verdict, COLOURS[p.verdict]),
                      str(p.tree.order) if known else "-", str(p.tree.dimension) if known else "-",
                      polynomial(p.tree.comparisons) if known else "-", heads, p.law_text)
    console.print(table)
