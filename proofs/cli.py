"""The command `attnproof`: one function a command, or one module of proofs for the longer ones.

Exit codes: 0 every claim reaches the level it expects, 1 one falls short, 2 a page or the command
could not be read, 3 a fault of the kernel, 130 interrupted. Only what a command needs is
imported, inside it.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from proofs import fitting
from proofs.interpolate import interpolate, recheck_network
from proofs.network import network
from proofs.predict import predict
from proofs.simulate.command import simulate
from proofs.train import train, trial

if TYPE_CHECKING:
    from proofs.report import Report
    from symbolic.kernel.check import Fault

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None,
                  pretty_exceptions_enable=False)
Files = Annotated[list[Path] | None, typer.Argument(
    metavar="FILE", help="Pages (.py, .toml, .json) or folders of pages; the shipped pages "
    "where none is named.", show_default=False)]
Jobs = Annotated[int, typer.Option(min=1, help="Worker processes, each limited to 2 GiB.")]
Timeout = Annotated[float, typer.Option(min=0.01, help="Seconds a step may take.")]
Seed = Annotated[int, typer.Option(help="Seed of every random point.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write.",
                                             show_default=False)]
Stored = Annotated[Path | None, typer.Option("--report", help="A stored report instead of pages.",
                                             show_default=False)]


@app.callback()
def attnproof() -> None:
    """A proof assistant for the theory of transformers.

    \b
    attnproof check page.toml                 check a derivation, step by step
    attnproof check                           check the shipped pages
    attnproof appendix page.py -o app.tex     write the LaTeX appendix
    attnproof recheck build/report.json       check every certificate again, without any search
    attnproof predict task.toml               how hard a task is, before anything is trained
    attnproof interpolate data.json           build a transformer that is exact on your data
    attnproof simulate run.toml -o figures    the transformer PDE: equation, tokens, figures
    """


@app.command()
def check(
    files: Files = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON on standard "
                                          "output, and nothing else.")] = False,
    jobs: Jobs = 1, timeout: Timeout = 20.0, seed: Seed = 0, output: Output = None,
    resume: Annotated[bool, typer.Option("--resume", help="Try the certificates of the report at "
                                         "--output before searching.")] = False,
    backends: Annotated[str, typer.Option(metavar="NAMES", help="Arithmetics that try the "
                                          "formulas: quick (numpy64, mpmath50), all (torch64 and "
                                          "jax64 too), or names with commas.")] = "quick",
) -> None:
    """Check pages and say what came of each claim.

    \b
    attnproof check                                    the shipped pages
    attnproof check page.toml --json > report.json     for programs
    attnproof check pages/ --jobs 2 -o report.json     a folder, two workers, a stored report
    """
    report = _checked(files, jobs, timeout, seed, output, resume, quiet=as_json,
                      backends=_backends(backends))
    if as_json:
        from proofs.report import to_json
        sys.stdout.write(to_json(report))
    else:
        from proofs.screen import show
        show(report)
    raise typer.Exit(130 if report.interrupted else report.code)


@app.command()
def appendix(
    files: Files = None, output: Output = None, report: Stored = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Also build a PDF beside it, where latexmk "
                                      "is installed.")] = False,
    jobs: Jobs = 1, timeout: Timeout = 20.0, seed: Seed = 0,
) -> None:
    """Write the LaTeX appendix of pages, or of a stored report.

    The body is for \\input; its preamble is written beside it.

    \b
    attnproof appendix page.py -o appendix.tex
    attnproof appendix --report build/report.json -o build/appendix.tex --pdf
    """
    from proofs.writers import latex
    found = _stored_or_checked(report, files, jobs, timeout, seed)
    _deliver(latex.write(found), output)
    if output is not None:
        from proofs.screen import progress
        from proofs.typeset import typeset
        try:
            with progress(sys.stderr.isatty()) as step:
                said = typeset(found, output, pdf, step)
            typer.echo(said, err=True)
        except (OSError, RuntimeError) as error:
            _refuse(str(error))
    raise typer.Exit(130 if found.interrupted else found.code)


@app.command()
def write(
    form: Annotated[str, typer.Argument(metavar="FORM", help="latex, markdown, json, ...: a file "
                                        "of proofs/writers.")],
    files: Files = None, output: Output = None, report: Stored = None,
    jobs: Jobs = 1, timeout: Timeout = 20.0, seed: Seed = 0,
) -> None:
    """Write a report in one of the forms of proofs/writers.

    \b
    attnproof write markdown page.toml -o findings.md
    attnproof write markdown --report build/report.json
    """
    from proofs import writers
    from symbolic.table import table
    rows = table(writers, "write")
    if form not in rows:
        _refuse(f"no writer is called {form!r}; there are {', '.join(rows)}")
    found = _stored_or_checked(report, files, jobs, timeout, seed)
    _deliver(rows[form].write(found), output)
    raise typer.Exit(130 if found.interrupted else found.code)


@app.command()
def recheck(
    report: Annotated[Path, typer.Argument(metavar="REPORT", help="A report written by check -o.")],
) -> None:
    """Check every certificate of a stored report again: the kernel alone, no search, no SymPy.

    A network stored by `attnproof interpolate -o` is checked again in exact arithmetic.

    \b
    attnproof recheck build/report.json
    attnproof recheck network.json
    """
    from proofs.recheck import recheck as again
    from proofs.screen import plural
    recheck_network(report)
    stored = _read(report)
    problems = again(stored)
    for problem in problems:
        typer.echo(problem, err=True)
    held = sum(s.certificate is not None for f in stored.findings for s in f.steps)
    typer.echo(f"{plural(held, 'certificate')}, {plural(len(stored.findings), 'claim')}: "
               + (f"{plural(len(problems), 'problem')}" if problems else "every level holds"))
    raise typer.Exit(1 if problems else 0)


@app.command("list")
def list_(files: Files = None) -> None:
    """List pages and the claims on them, with what each expects.

    \b
    attnproof list
    """
    from proofs.page import expand, load, shipped
    pages = {path: load(path) for path in expand(files or shipped())}
    for path, page in pages.items():
        typer.echo(f"{path}  {page.title}")
        for claim in page.claims:
            typer.echo(f"  {claim.name}  ({claim.expect})  {claim.says}")
        for error in page.errors:
            typer.echo(str(error), err=True)
    raise typer.Exit(2 if any(page.errors for page in pages.values()) else 0)


@app.command()
def doctor() -> None:
    """Look at the installation: packages, libraries, programs, and what is absent."""
    from proofs.doctor import examine
    checks = examine()
    for item in checks:
        state = "ok     " if item.well else "MISSING" if item.needed else "absent "
        typer.echo(f"{state} {item.name:16} {item.says}")
    raise typer.Exit(0 if all(c.well or not c.needed for c in checks) else 1)


app.command()(predict)
app.command()(trial)
app.command()(network)
app.command()(simulate)
app.command()(interpolate)
train.command("regularised")(fitting.regularised)
train.command("blocks")(fitting.blocks)
app.add_typer(train, name="train")


def _checked(files: list[Path] | None, jobs: int, timeout: float, seed: int,
             output: Path | None, resume: bool = False, quiet: bool = False,
             backends: tuple[str, ...] | None = None) -> "Report":
    """The report of a check, stored at `output` after each claim; the bar is for terminals."""
    from proofs.check import check_pages
    from proofs.page import shipped
    from proofs.report import write as store
    from proofs.screen import progress
    from symbolic.kernel.check import Fault
    earlier = _read(output) if resume and output and output.exists() else None
    keep = None if output is None else lambda part: store(part, output)
    try:
        with progress(not quiet and sys.stderr.isatty()) as step:
            return check_pages(files or shipped(), jobs=jobs, timeout=timeout, seed=seed,
                               on_progress=step, earlier=earlier, keep=keep,
                               backends=backends)
    except OSError as error:
        _refuse(f"{output}: {error}")
    except Fault as fault:
        _stop(fault)


def _backends(names: str) -> tuple[str, ...] | None:
    """The backends asked for; None stands for those that load quickly."""
    if names == "quick":
        return None
    from numeric.crosscheck import chosen, known
    try:
        return tuple(chosen(known() if names == "all" else names.split(",")))
    except ValueError as error:
        _refuse(f"--backends: {error}")


def _stored_or_checked(stored: Path | None, files: list[Path] | None, jobs: int, timeout: float,
                       seed: int) -> "Report":
    if stored is not None and files:
        _refuse("found both --report and pages; give one of them")
    return _read(stored) if stored else _checked(files, jobs, timeout, seed, None)


def _read(path: Path) -> "Report":
    from proofs.report import Unreadable, read
    try:
        return read(path)
    except (OSError, Unreadable) as error:
        _refuse(f"{path}: {error}" if isinstance(error, OSError) else str(error))


def _deliver(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    from proofs.report import write_text
    try:
        write_text(text, output)
    except OSError as error:
        _refuse(f"{output}: {error}")


def _refuse(message: str) -> NoReturn:
    typer.echo(f"attnproof: {message}", err=True)
    raise typer.Exit(2)


def _stop(fault: "Fault") -> NoReturn:
    """The kernel granted what a point refutes: say so loudly, with all the evidence."""
    import json
    typer.echo("attnproof: A FAULT OF THE KERNEL: " + str(fault) + "\n" + json.dumps({
        "statement": fault.statement.json(), "certificate": fault.certificate.json(),
        "point": str(fault.verdict.point), "left": fault.verdict.left,
        "right": fault.verdict.right}) + "\nNo level of this version can be believed: report it.",
        err=True)
    raise typer.Exit(3)


def main() -> None:
    """The entry point of the command."""
    app(prog_name="attnproof")
