"""The command `attnproof predict`: how hard a task is, before anything is trained.

Verdict first, then the least architectures, the law, the tree, the comparisons against what the
model offers, what is assumed, what would change it; every number with where it comes from.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from infoflow.predict import Prediction
    from infoflow.task import Task
    from infoflow.tree import Tree


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
    flow: Annotated[bool, typer.Option("--flow", help="Simulate: how often the answer reaches CLS, "
                    "with each comparator left out in turn.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of --flow.")] = 0,
    laws: Annotated[bool, typer.Option("--laws", help="List the laws: rate, standing, what holds "
                    "them.")] = False,
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
    from proofs import outlook
    try:
        arch = architecture(layers, _numbers(heads), width)
        if laws:
            outlook.laws(as_json)
            return
        if task is None and formula is None:
            if seal or figure or flow:
                raise TaskError("predict", "no task to seal, draw or simulate", "a task",
                                f"name one of {', '.join(shipped_tasks())}")
            every = [predicted(load(name), arch) for name in shipped_tasks()]
            if as_json:
                typer.echo(json.dumps([p.data() for p in every], indent=2))
            else:
                outlook.show_all(every)
            return
        found = predicted(_task(task, formula, d), arch)
        shares = outlook.coverage_rows(found.tree, seed) if flow else []
        sealed = _seal(found, seal) if seal else None
    except TaskError as error:
        _refuse(str(error))
    if figure:
        _draw(found.tree, figure)
    if as_json:
        typer.echo(json.dumps(found.data() | ({"flow": shares} if flow else {}), indent=2))
    else:
        outlook.show(found)
        if flow:
            outlook.show_flow(found.tree, seed, shares)
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
