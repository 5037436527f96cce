"""Runs under way: an executor, a bar with the time left, results on disk, misuse in one line."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import typer


def swept(do: Callable, asked: Sequence[dict], folder: Path, jobs: int, cluster: str | None,
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
    """The task with its steps told: those before a checkpoint all at once."""
    def run(asked: dict) -> dict:
        done = 0

        def tell(step: int, loss: float) -> None:
            nonlocal done
            told(step - done, f"{_name(asked)}  loss {loss:.3g}")
            done = step
        return task(asked, tell=tell)
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
def refused() -> Iterator[None]:
    """Misuse, an absent library and files that cannot be written become one line and code 2."""
    from numeric.train import Absent
    try:
        yield
    except (Absent, ValueError, OSError) as error:
        refuse(str(error))
    except KeyboardInterrupt:
        typer.echo("attnproof: interrupted; give the command again to go on", err=True)
        raise typer.Exit(130) from None


def numbers(text: str, option: str, again: bool = False) -> list[int]:
    """Whole numbers with commas; each once unless `again`. Raises ValueError naming the option."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{option}: found {text!r}; needed whole numbers with commas, as "
                         "0,1,2") from None
    if min(found) < 0:
        raise ValueError(f"{option}: found {min(found)}; needed numbers of at least 0")
    return found if again else list(dict.fromkeys(found))


def kept(data: dict, path: Path) -> None:
    """Write JSON all at once, so that no reader sees half of it."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def printed(plate: Any, folder: Path) -> Path:
    """Draw a plate into the folder as PDF and PNG; the PNG."""
    from proofs.figures.style import save
    return save(plate.figure, folder, plate.name)[1]


def told(result: dict, count: int, folder: Path, figure: Path, as_json: bool,
         show: Callable[[], None]) -> None:
    """The result as JSON and nothing else, or its tables and where everything is."""
    if as_json:
        sys.stdout.write(json.dumps(result, indent=1) + "\n")
        return
    show()
    typer.echo(f"{count} runs in {folder / 'runs.jsonl'}, the result in "
               f"{folder / 'result.json'}, figure {figure}")


def refuse(message: str) -> NoReturn:
    """One line on standard error, exit code 2."""
    typer.echo(f"attnproof: {message}", err=True)
    raise typer.Exit(2)
