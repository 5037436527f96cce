"""Many runs, each done once: one JSON line a run, and a killed sweep goes on where it stopped.

A run is plain data; its key is the hash of that data. Lines are appended as runs end, by this
process alone, so that a kill loses what is under way and nothing else.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from hashlib import sha256
from pathlib import Path


def key(run: dict) -> str:
    """The hash of a run: equal for equal data, whatever the order of its keys."""
    return sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()[:16]


def stored(path: Path) -> dict[str, dict]:
    """The lines of a results file by their keys; none where there is no file.

    A last line that a kill cut short is left out. Raises ValueError naming any other line that
    is no result.
    """
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").split("\n")
    found = {}
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line) if line.strip() else None
            if row is not None:
                found[row["key"]] = row
        except (ValueError, TypeError, KeyError):
            if number != len(lines):
                raise ValueError(f"{path}: line {number} is no result of a sweep: found "
                                 f"{line[:40]!r}; remove the line, its run is done again"
                                 ) from None
    return found


def sweep(task: Callable[[dict], dict], runs: Iterable[dict], path: Path | None = None,
          executor: Executor | None = None,
          tell: Callable[[dict, int, int], None] = lambda *_: None) -> list[dict]:
    """The rows `{"key", "run", **task(run)}` of all runs, in the order of the runs.

    Runs whose rows are at `path` already are not repeated; new rows are appended there. Serial
    without an executor; processes, or dask's executor, need a `task` that can be pickled.
    `tell(row, done, total)` is called after each run. What a task raises is raised here, after
    the rows that were there have been written.
    """
    asked = {key(run): run for run in runs}
    held = {k: row for k, row in (stored(path) if path else {}).items() if k in asked}
    todo = {k: run for k, run in asked.items() if k not in held}
    if path and todo:
        _mend(path)
    for row in _rows(task, todo, executor):
        held[row["key"]] = row
        if path:
            _append(path, row)
        tell(row, len(held), len(asked))
    return [held[k] for k in asked]


def _rows(task: Callable[[dict], dict], todo: dict[str, dict],
          executor: Executor | None) -> Iterator[dict]:
    if executor is None:
        for k, run in todo.items():
            yield {"key": k, "run": run, **task(run)}
        return
    waiting: dict[Future, str] = {executor.submit(task, run): k for k, run in todo.items()}
    try:
        while waiting:
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                k = waiting.pop(future)
                yield {"key": k, "run": todo[k], **future.result()}
    finally:
        for future in waiting:
            future.cancel()


def _append(path: Path, row: dict) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _mend(path: Path) -> None:
    """Drop a last line that was cut short, so that the next row begins a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        text = path.read_text(encoding="utf-8")
        whole = text[:text.rfind("\n") + 1]
        if whole != text:
            beside = path.with_name(path.name + ".mended")
            beside.write_text(whole, encoding="utf-8")
            beside.replace(path)
