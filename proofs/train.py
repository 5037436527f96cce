"""`attnproof train` and `attnproof trial`: training that goes on where it was stopped."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

EXPERIMENTS = ("kuramoto-lm",)

Folder = Annotated[Path | None, typer.Option(
    "--output", "-o", metavar="DIR", help="Folder of results, checkpoints and figures; a run that "
    "is there already is not repeated. Default: build and the name of the experiment.",
    show_default=False)]
Jobs = Annotated[int, typer.Option(min=1, help="Worker processes; each trains on one thread.")]
Cluster = Annotated[str | None, typer.Option(
    metavar="ADDRESS", help="A dask scheduler to run on instead of processes.",
    show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output, "
                                      "and nothing else.")]


def train(
    experiment: Annotated[str, typer.Argument(metavar="EXPERIMENT", help="kuramoto-lm")],
    steps: Annotated[int, typer.Option(min=1, help="Steps of each run.")] = 400,
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds, with commas.")] = "0",
    models: Annotated[str, typer.Option(
        metavar="LIST", help="Models, with commas: transformer, full, value-projection, no-gates, "
        "no-ffn; all by default.", show_default=False)] = "",
    rate: Annotated[float, typer.Option(min=0.0, help="Largest learning rate.")] = 1e-2,
    batch: Annotated[int, typer.Option(min=1, help="Samples a step.")] = 16,
    width: Annotated[int, typer.Option(min=1, help="Oscillators a token.")] = 48,
    heads: Annotated[int, typer.Option(min=1, help="Heads a layer.")] = 4,
    layers: Annotated[int, typer.Option(min=1, help="Layers.")] = 3,
    tau: Annotated[float, typer.Option(min=0.0, help="Initial scale of the scores.")] = 6.0,
    rho: Annotated[float, typer.Option(min=0.0, help="Initial bound of a step.")] = 3.0,
    beta: Annotated[float, typer.Option(min=0.0, help="Initial scale of the logits.")] = 3.0,
    output: Folder = None, jobs: Jobs = 1, cluster: Cluster = None, as_json: AsJson = False,
) -> None:
    """Train models and compare them; needs torch (pip install 'attnproof[torch]').

    kuramoto-lm: the Kuramoto language model beside a transformer of its size (rotary positions,
    SwiGLU) and its ablations at that size, characters of the texts of Python's own help. Runs go
    to DIR/runs.jsonl, one line each as they end, the table to DIR/result.json, figures to DIR. A
    killed sweep goes on when the command is given again, inside a run from its last checkpoint.

    \b
    attnproof train kuramoto-lm --steps 400
    attnproof train kuramoto-lm --steps 1400 --seeds 0,1,2 --jobs 2
    attnproof train kuramoto-lm --models full,transformer --steps 400 --tau 2 --rho 1 --beta 1
    """
    if experiment not in EXPERIMENTS:
        _refuse(f"train: found the experiment {experiment!r}; needed {', '.join(EXPERIMENTS)}: "
                "give that name")
    from numeric.language import Model
    from proofs.training import language, pictures
    kinds = [m.strip() for m in models.split(",") if m.strip()] or language.KINDS
    with _refused():
        shape = Model(k=width, heads=heads, layers=layers, hidden=2 * width, tau=tau, rho=rho,
                      beta=beta)
        asked = language.runs(kinds, _numbers(seeds, "--seeds"), steps, batch, rate, shape)
        folder = output or Path("build") / experiment
        rows = _swept(language.do, asked, folder, jobs, cluster, not as_json)
        from numeric.sweep import stored
        result = language.result(list(stored(folder / "runs.jsonl").values()))
        _kept(result, folder / "result.json")
        here = language.result(rows)["ours"][0]
        figure = _printed(pictures.language(result, here, rows), folder)
    if as_json:
        sys.stdout.write(json.dumps(result, indent=1) + "\n")
        return
    from proofs.training import tables
    tables.language(result, here)
    typer.echo(f"{len(rows)} runs in {folder / 'runs.jsonl'}, the table in "
               f"{folder / 'result.json'}, figure {figure}")


def trial(
    seal: Annotated[Path, typer.Argument(metavar="SEAL", help="A prediction sealed by attnproof "
                                         "predict --seal.")],
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds, with commas.")] = "0,1,2",
    tokens: Annotated[int, typer.Option(min=1, help="Tokens T, where the task leaves them "
                                        "open.")] = 16,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each run.")] = 2500,
    batch: Annotated[int, typer.Option(min=1, help="Inputs a step.")] = 128,
    rate: Annotated[float, typer.Option(min=0.0, help="Largest learning rate.")] = 6e-3,
    gain: Annotated[float, typer.Option(min=0.0, help="Factor on the initial queries and "
                                        "keys.")] = 2.5,
    width: Annotated[int, typer.Option(min=0, help="Width E of a state; 0: the sealed one, or "
                                       "what the plan needs and at least 32.")] = 0,
    hidden: Annotated[int, typer.Option(min=1, help="Hidden units of each net.")] = 64,
    output: Folder = None, jobs: Jobs = 1, cluster: Cluster = None, as_json: AsJson = False,
) -> None:
    """Train what a sealed prediction speaks of, and say what came of it; needs torch.

    Trained are the sealed architectures, or the least ones; beside what is enough, one head
    fewer; beside what is hard because three tokens are compared at once, the same scores of pairs,
    at the same budget. Runs go to DIR/runs.jsonl as they end, prediction and measurement to
    DIR/result.json with every seed, curves to DIR; a killed trial goes on when the command is
    given again. Exit code 2 for a seal that was changed. Reported is the normalised mean squared
    error (NMSE) on inputs no run was trained on, 1 for a model that knows the mean alone.

    \b
    attnproof predict unary-2 --seal build/unary-2.json
    attnproof trial build/unary-2.json
    attnproof trial build/triangle.json --tokens 8 --steps 3000 --rate 4e-3 --seeds 0 --jobs 2
    """
    from proofs import trial as trials
    from proofs.training import pictures, tables
    with _refused():
        from proofs.seal import read
        content = read(seal)
        setting = trials.Setting(tokens=tokens, steps=steps, batch=batch, rate=rate, gain=gain,
                                 width=width, hidden=hidden)
        asked = trials.runs(content, _numbers(seeds, "--seeds"), setting)
        folder = output or Path("build") / f"trial-{seal.stem}"
        rows = _swept(trials.do, asked, folder, jobs, cluster, not as_json)
        result = trials.result(content, rows)
        _kept(result, folder / "result.json")
        figure = _printed(pictures.trial(result, rows), folder)
    if as_json:
        sys.stdout.write(json.dumps(result, indent=1) + "\n")
        return
    tables.trial(result)
    typer.echo(f"{len(rows)} runs in {folder / 'runs.jsonl'}, the result in "
               f"{folder / 'result.json'}, figure {figure}")


def _swept(do: Callable, asked: Sequence[dict], folder: Path, jobs: int, cluster: str | None,
           shown: bool) -> list[dict]:
    """All rows of a sweep; a bar with the time left on a terminal."""
    from numeric.sweep import stored, sweep
    from numeric.train import torch_or_why
    torch_or_why()
    runs_file = folder / "runs.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    from numeric.sweep import key
    held = stored(runs_file)
    todo = [run for run in asked if key(run) not in held]
    with _bar(todo, shown and sys.stderr.isatty()) as told, _executor(jobs, cluster) as executor:
        task = partial(do, folder=folder / "checkpoints")
        if executor is None:
            return sweep(_telling(task, told), asked, runs_file, None)
        return sweep(task, asked, runs_file, executor,
                     lambda row, *_: told(row["run"]["steps"], _name(row["run"])))


def _telling(task: Callable, told: Callable) -> Callable[[dict], dict]:
    """The task with each of its steps told."""
    def run(asked: dict) -> dict:
        return task(asked, tell=lambda step, loss: told(1, f"{_name(asked)}  loss {loss:.3g}"))
    return run


def _name(run: dict) -> str:
    kind = run.get("model", {}).get("kind") or run.get("task", {}).get("name", "")
    heads = "(" + ",".join(map(str, run["heads"])) + ") " if "heads" in run else ""
    return f"{kind} {heads}seed {run['seed']}"


@contextmanager
def _executor(jobs: int, cluster: str | None) -> Iterator[Any]:
    """None for serial work, else processes or dask's executor. Raises ValueError without dask."""
    if cluster:
        try:
            from distributed import Client
        except ImportError:
            raise ValueError("--cluster needs dask, which is not installed: pip install "
                             "'attnproof[cluster]'") from None
        with Client(cluster) as client:
            yield client.get_executor()
        return
    if jobs == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield pool


@contextmanager
def _bar(todo: Sequence[dict], shown: bool) -> Iterator[Callable[[int, str], None]]:
    """A bar over all steps that are left, with the time left."""
    if not shown or not todo:
        yield lambda steps, says: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    bar = Progress(BarColumn(30), TextColumn("{task.percentage:3.0f}%"), TimeRemainingColumn(),
                   TextColumn("{task.description}"), console=Console(stderr=True), transient=True)
    with bar:
        task = bar.add_task("starting", total=sum(run["steps"] for run in todo))
        yield lambda steps, says: bar.update(task, advance=steps, description=says)


@contextmanager
def _refused() -> Iterator[None]:
    """Misuse, an absent library and files that cannot be written become one line and code 2."""
    from numeric.train import Absent
    try:
        yield
    except (Absent, ValueError, OSError) as error:
        _refuse(str(error))
    except KeyboardInterrupt:
        typer.echo("attnproof: interrupted; give the command again to go on", err=True)
        raise typer.Exit(130) from None


def _numbers(text: str, option: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{option}: found {text!r}; needed whole numbers with commas, as "
                         "0,1,2") from None
    if min(found) < 0:
        raise ValueError(f"{option}: found {min(found)}; needed numbers of at least 0")
    return list(dict.fromkeys(found))


def _kept(data: dict, path: Path) -> None:
    beside = path.with_name(path.name + ".new")
    beside.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def _printed(plate: Any, folder: Path) -> Path:
    from proofs.figures.style import save
    return save(plate.figure, folder, plate.name)[1]


def _refuse(message: str) -> NoReturn:
    typer.echo(f"attnproof: {message}", err=True)
    raise typer.Exit(2)
