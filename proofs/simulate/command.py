"""`attnproof simulate`: experiments, each with what it shows, its JSON and its figures."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from proofs.simulate.run import Outcome

SHIPPED = Path(__file__).parents[1] / "experiments"

Experiments = Annotated[list[Path] | None, typer.Argument(
    metavar="FILE", help="Experiments (.toml) or folders of them; the shipped ones where none is "
    "named.", show_default=False)]
Folder = Annotated[Path | None, typer.Option(
    "--output", "-o", metavar="DIR", help="Draw figures into this folder, as PDF, PNG and "
    "LaTeX for \\input, and a sheet of them all; a folder each for several experiments.",
    show_default=False)]


def simulate(
    files: Experiments = None, output: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON on standard "
                                          "output, and nothing else.")] = False,
    paper: Annotated[bool, typer.Option("--paper", help="Redraw the figures of the transformer PDE "
                                        "paper into --output, with the settings used.")] = False,
    only: Annotated[list[str] | None, typer.Option(
        "--only", metavar="NAME", help="With --paper: this figure alone; may be repeated.",
        show_default=False)] = None,
) -> None:
    """Simulate the transformer PDE on a Gaussian and on tokens drawn from it.

    The covariance equation, its closed form where one is known, and tokens moved by the same
    layer stand beside each other. Exit code 1 where two of them disagree, 2 where a file cannot
    be read.

    \b
    attnproof simulate                                   the shipped experiments
    attnproof simulate run.toml -o figures               one experiment and its figures
    attnproof simulate run.toml --json > run.json        for programs
    attnproof simulate --paper -o figures                the paper's figures
    attnproof simulate --paper --only to_line -o figures

    \b
    An experiment:
      variant   = "softmax"        # l2, linear, sinkhorn, multihead
      Q         = [[1, 0]]         # k x d; or A = K^T Q instead of Q and K
      K         = "-Q"             # or a matrix of numbers and "p/q"
      V         = "identity"       # multihead: heads = [{ Q = .., K = .., V = .. }, ..]
      S0        = [[1, "1/2"], ["1/2", 1]]
      horizon   = 5                # the rest is optional:
      mean      = [0, 0]
      particles = [100, 200, 400]  # numbers of tokens
      seeds     = 4                # how many, or a list
      eps       = 1                # sinkhorn; its field has no prefactor 1/eps
      title     = "..."

    \b
    The JSON: {tool, version, errors, experiments: [{path, title, variant, d, horizon, status
    (reached, blow_up, settled, failed), note, last_time, blow_up {estimated, closed}, times,
    means, covariances, eigenvalues (ascending), closed {covariances, error}, rank {start,
    conserved, drift, seen, above_cutoff, cutoff}, kappa, tokens [{n, seed, status, last_time,
    mean, covariance, mean_error, covariance_error, compared_at}], rates {particles, t,
    errors, slopes}, figures, disagreements, seconds}]}; null stands for what does not apply.
    """
    if paper:
        _paper(files, output, as_json, only)
        return
    if only:
        _refuse("--only: found it without --paper; needed both: add --paper")
    raise typer.Exit(_experiments(_expand(files or [SHIPPED]), output, as_json))


def _expand(paths: list[Path]) -> list[Path]:
    """Files as they are, folders as the experiments in them."""
    here = Path.cwd()
    found = [file for path in paths
             for file in (sorted(path.glob("*.toml")) if path.is_dir() else [path])]
    if not found:
        _refuse(f"{paths[0]}: found no experiment in this folder; needed .toml files: name one")
    return [p.relative_to(here) if p.is_relative_to(here) else p for p in found]


def _experiments(paths: list[Path], output: Path | None, as_json: bool) -> int:
    from proofs.screen import progress
    from proofs.simulate import experiment, run, screen
    from proofs.simulate.account import account
    told, errors = [], []
    for path in paths:
        try:
            read = experiment.load(path)
        except experiment.Unreadable as unreadable:
            errors += map(str, unreadable.errors)
            continue
        with progress(not as_json and sys.stderr.isatty()) as step:
            outcome = run.simulate(read, step)
        folder = output / path.stem if output and len(paths) > 1 else output
        told.append({**account(outcome), "figures": _figures(outcome, folder)})
        if not as_json:
            screen.show(told[-1])
    if as_json:
        sys.stdout.write(json.dumps({"tool": "attnproof", "version": _version(), "errors": errors,
                                     "experiments": told}, indent=1, allow_nan=False) + "\n")
    else:
        for error in errors:
            typer.echo(error, err=True)
    return 2 if errors else int(any(data["disagreements"] for data in told))


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version
    try:
        return version("attnproof")
    except PackageNotFoundError:
        return "0+unknown"


def _figures(outcome: "Outcome", folder: Path | None) -> list[str]:
    """Draw the figures of an outcome; the files."""
    if folder is None:
        return []
    from proofs.figures.outcome import plates
    from proofs.figures.plate import printed
    try:
        return [str(file) for p in printed(plates(outcome), folder) for file in (p.pdf, p.png)]
    except OSError as error:
        _refuse(f"--output: found {error}; needed a folder that can be written: choose another")


def _paper(files: list[Path] | None, output: Path | None, as_json: bool,
           only: list[str] | None) -> None:
    if files or as_json:
        _refuse(f"--paper: found {'--json' if as_json else 'files'} beside it; needed --output "
                "alone: leave the rest out")
    if output is None:
        _refuse("--paper: found no folder; needed one for the figures: add --output figures")
    from proofs.figures import paper
    from proofs.figures.plate import plain
    from proofs.screen import progress
    try:
        with progress(sys.stderr.isatty()) as step:
            done = paper.redraw(output, only, step)
    except paper.NoFigure as error:
        _refuse(str(error))
    except OSError as error:
        _refuse(f"--output: found {error}; needed a folder that can be written: choose another")
    for plate in done:
        typer.echo(f"{plate.pdf}  {plain(plate.caption)}")


def _refuse(message: str) -> Any:
    typer.echo(f"attnproof: {message}", err=True)
    raise typer.Exit(2)
