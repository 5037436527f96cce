"""`attnproof interpolate`: a dataset in, an exact network out, with its table, figure and export.

Also what `attnproof recheck` does with a stored network. Nothing here decides anything: networks
are built and checked by `numeric.interpolant`, in exact arithmetic.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from numeric.interpolant.build import Built
    from numeric.interpolant.data import Dataset
    from numeric.interpolant.exact import Number

CONSTRUCTIONS = ("uniform", "clustering", "softmax")


def interpolate(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A .json or .csv file.")],
    construction: Annotated[str, typer.Option(help="uniform: one layer of mean attention, exact at "
                                              "every temperature; clustering: hardmax attention, "
                                              "the paper's strategy; softmax: exact below an "
                                              "explicit temperature.")] = "uniform",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Store the network with "
                                                "its certificate, for `attnproof recheck`.",
                                                show_default=False)] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the tokens after each stage, d = 2 "
                                                "(.png, .pdf, .svg).", show_default=False)] = None,
    export: Annotated[Path | None, typer.Option(help="Write a float64 NumPy and torch module "
                                                "(.py), its error measured.",
                                                show_default=False)] = None,
    exact_floats: Annotated[bool, typer.Option("--exact-floats", help="Read a decimal as the "
                                               "float64 that it denotes: 0.1 is then not 1/10."
                                               )] = False,
    tau: Annotated[str | None, typer.Option(help="softmax: be exact at this temperature and "
                                            "below, a number like 1 or 1/8.",
                                            show_default=False)] = None,
    pad: Annotated[bool, typer.Option("--pad", help="Add identity blocks up to the block count "
                                      "of the paper.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the generic directions.")] = 0,
) -> None:
    """Build a transformer that maps each input set exactly to its output set, and check it.

    DATA is a list of pairs of token lists, numbers whole or "p/q":

    \b
    [{"input": [["1/2", "0"], ["1", "3"]], "output": [["5", "5"]]}, ...]

    or CSV with the header sequence,role,x1,..,xd and role input or output.

    \b
    attnproof interpolate data.json
    attnproof interpolate data.json --construction clustering --figure stages.png
    attnproof interpolate data.csv --construction softmax --tau 1/8 -o network.json
    attnproof recheck network.json
    """
    _wanted(construction, figure, export)
    read = _read(data, exact_floats)
    if figure is not None and read.d != 2:
        _refuse(f"--figure: found tokens of dimension {read.d}; needed d = 2: leave it out")
    built = _built(read, construction, pad, seed, tau)
    faults = _checked(built)
    _show(built, faults)
    for fault in faults:
        typer.echo(fault, err=True)
    _store(built, output, export, figure)
    raise typer.Exit(1 if faults else 0)


def recheck_network(path: Path) -> None:
    """Check the network stored at `path` again and exit; return where the file is no network.

    Exact and complete: outputs, counts, the form of the matrices, and the certificate of softmax.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return  # the reader of reports says what is wrong
    if '"network"' not in text or "network" not in _top_keys(text):
        return
    from numeric.interpolant import stored
    try:
        built, said = stored.from_json(text, str(path))
    except stored.BadNetwork as error:
        _refuse(str(error))
    with watched(len(built.network.blocks), "checking exactly") as watch:
        faults = stored.problems(built, said, watch)
    for fault in faults:
        typer.echo(f"{path}: {fault}", err=True)
    data, blocks = built.data, len(built.network.blocks)
    typer.echo(f"{blocks} blocks, {data.N} sequences of {data.T} tokens: "
               + (f"{len(faults)} problem{'s' * (len(faults) != 1)}" if faults else
                  "every output is exact" + (", the certificate holds" * (
                      built.certificate is not None))))
    raise typer.Exit(1 if faults else 0)


def _top_keys(text: str) -> tuple[str, ...]:
    """The keys of a JSON object; none where the text is something else."""
    import json
    try:
        data = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return ()
    return tuple(data) if isinstance(data, dict) else ()


def _wanted(construction: str, figure: Path | None, export: Path | None) -> None:
    if construction not in CONSTRUCTIONS:
        _refuse(f"--construction: found {construction!r}; needed one of "
                + ", ".join(CONSTRUCTIONS))
    if figure is not None and figure.suffix.lower() not in (".png", ".pdf", ".svg"):
        _refuse(f"--figure: found {figure.name!r}; needed a name that ends in .png, .pdf or .svg")
    if export is not None and export.suffix != ".py":
        _refuse(f"--export: found {export.name!r}; needed a name that ends in .py")


def _read(path: Path, exact_floats: bool) -> "Dataset":
    from numeric.interpolant.data import BadData
    from numeric.interpolant.reading import load
    try:
        return load(path, exact_floats)
    except OSError as error:
        _refuse(f"{path}: {error.strerror or error}")
    except BadData as error:
        _refuse(f"{path}: {error}")


def _built(data: "Dataset", construction: str, pad: bool, seed: int,
           tau: str | None) -> "Built":
    from numeric.interpolant.build import build
    from numeric.interpolant.data import BadData
    try:
        with _spinner(f"building {construction}"):
            return build(data, construction, pad, seed, None if tau is None else _heat(tau))
    except BadData as error:
        _refuse(str(error))
    except ValueError as error:
        _refuse(f"--tau: {error}")


def _heat(tau: str) -> "Number":
    """A temperature from its text. Exits where it is no number."""
    from fractions import Fraction

    from numeric.interpolant.exact import KINDS, number
    try:
        return number(KINDS["fmpq"], Fraction(tau))
    except (ValueError, ZeroDivisionError):
        _refuse(f"--tau: found {tau!r}; needed a number > 0 like 1 or 1/8")


def _checked(built: "Built") -> list[str]:
    from numeric.interpolant.build import check
    with watched(len(built.network.blocks), "checking exactly") as watch:
        return check(built, watch)


def _show(built: "Built", faults: list[str]) -> None:
    """The table by stage, and in words what was built."""
    from rich.console import Console

    from proofs.stages import sentences, table
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    console.print(table(built))
    for line in sentences(built, not faults):
        typer.echo(line)


def _store(built: "Built", output: Path | None, export: Path | None,
           figure: Path | None) -> None:
    from proofs.report import write_text
    try:
        if output is not None:
            from numeric.interpolant.stored import to_json
            write_text(to_json(built), output)
            typer.echo(f"{output}: the network, to be checked again by `attnproof recheck`",
                       err=True)
        if export is not None:
            from numeric.interpolant.export import source
            code, worst = source(built)
            write_text(code, export)
            typer.echo(f"WARNING: {export} is float64 and not exact: the largest Hausdorff error "
                       f"measured on this data is {worst:.3g}", err=True)
        if figure is not None:
            from proofs.strip import draw
            draw(built, figure)
            typer.echo(f"{figure}: the tokens after each stage", err=True)
    except OSError as error:
        _refuse(str(error))
    except OverflowError as error:
        _refuse(f"--{error}")


@contextmanager
def watched(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal's standard error, fed by the number of blocks done."""
    from proofs.screen import progress
    with progress(sys.stderr.isatty()) as step:
        yield lambda done: step(what, done, total)


@contextmanager
def _spinner(what: str) -> Iterator[None]:
    """A sign of life on a terminal's standard error."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    with Console(stderr=True).status(what):
        yield


def _refuse(message: str) -> NoReturn:
    typer.echo(f"attnproof: {message}", err=True)
    raise typer.Exit(2)
