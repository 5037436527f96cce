"""What was found: Finding, StepResult, PageResult, Report, to and from JSON.

A report is all that a writer may look at, and with its statements and certificates enough to check
every level again (`proofs.recheck`). Levels are lower-case words, points are exact text: `"1/2"`,
`"pi/4"`, nested lists for families and matrices. Field names are the keys of the JSON file.
"""

import json
import os
import re
import tempfile
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

LEVELS = ("proved", "certified", "tested", "unknown", "refuted")
EXPECTED = (*LEVELS, "unproved")
FIGURE = re.compile(r"[A-Za-z0-9_-]{1,60}")  # a name of a figure, and of its files


class Unreadable(ValueError):
    """A file that is not a report: the message names the place, what was found and was needed."""


@dataclass(frozen=True)
class Agreement:
    """One backend, or one simulation, beside the formulas of a claim.

    `max_error` is None where it did not run. Undecided points are counted apart; `agrees` is
    False when an error exceeds the tolerance, then `point` is the first place where it does.
    """

    backend: str
    max_error: float | None
    points: int
    undecided: int = 0
    agrees: bool = True
    tolerance: float | None = None
    note: str = ""
    point: dict | None = None


@dataclass(frozen=True)
class StepResult:
    """One line of a chain. `statement` and `certificate` are kernel JSON, enough to check again.

    `values` are the two sides at `point` as text; `tried` names the methods that were asked.
    """

    relation: str
    right: str
    by: str
    level: str
    note: str
    point: dict | None
    seconds: float
    certificate: dict | None
    statement: dict | None
    rests_on: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    margin: str | None = None
    derived: bool = False
    using: tuple[str, ...] = ()
    at: dict | None = None
    limit: str | None = None
    tried: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A claim with what came of it. `accepts` holds the claim's own `where` and `modulo`.

    `whole` is start against last line as a step of its own, where it was looked at; `shortfall`
    lists why the claim is not met, each with what to do.
    """

    name: str
    says: str
    symbols: dict
    given: tuple[str, ...]
    let: dict
    start: str | None
    level: str
    expect: str
    met: bool
    rests_on: tuple[str, ...]
    where: tuple[str, ...]
    witness: dict | None
    point: dict | None
    left: str | None
    right: str | None
    seconds: float
    steps: tuple[StepResult, ...]
    agreement: tuple[Agreement, ...]
    whole: StepResult | None = None
    rates: dict | None = None
    source: str = ""
    note: str = ""
    accepts: dict | None = None
    shortfall: tuple[str, ...] = ()
    no_measure: str | None = None


@dataclass(frozen=True)
class PageResult:
    """A page: its findings, the errors of what could not be read, the figures that go with it."""

    path: str
    title: str
    errors: tuple[str, ...]
    findings: tuple[Finding, ...]
    figures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything that was found in one run. `interrupted` marks a run that did not end."""

    tool: str
    version: str
    date: str
    seed: int
    pages: tuple[PageResult, ...]
    interrupted: bool = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all pages, in order."""
        return tuple(f for page in self.pages for f in page.findings)

    @property
    def code(self) -> int:
        """The exit code: 0 all met, 1 a claim falls short, 2 something could not be read."""
        if any(page.errors for page in self.pages):
            return 2
        return 0 if all(f.met for f in self.findings) else 1


def to_json(report: Report) -> str:
    """The report as JSON text with stable keys, in the order of the fields, a field a line."""
    return _text(report, "\n") + "\n"


def from_json(text: str, where: str = "report") -> Report:
    """The report written in `text`; raises Unreadable naming the place of the first fault.

    Strict: a missing key, an unknown key and a value of the wrong type are all refused.
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{where}: not JSON ({error}); needed: a file written by "
                         "`attnproof check --output`") from None
    return _build(Report, data, where)


def write(report: Report, path: str | Path) -> None:
    """Write a report whole or not at all: a reader never sees half a file."""
    write_text(to_json(report), path)


def write_text(text: str, path: str | Path) -> None:
    """Replace the file at `path` by `text` in one move, creating its folder; raises OSError."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def read(path: str | Path) -> Report:
    """The report in the file at `path`; raises Unreadable, and OSError where there is no file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path}: not UTF-8 text ({error.reason})") from None
    return from_json(text, str(path))


def _text(value: object, line: str) -> str:
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        inner = line + " "
        return f"[{inner}" + f",{inner}".join(_text(v, inner) for v in value) + f"{line}]"
    if not is_dataclass(value):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = line + " "
    return f"{{{inner}" + f",{inner}".join(
        f"{json.dumps(f.name)}: {_text(getattr(value, f.name), inner)}" for f in fields(value)
    ) + f"{line}}}"


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of a report")


def _build(kind: Any, data: object, where: str) -> Any:
    """A value of the annotated `kind` from plain JSON data."""
    if isinstance(kind, UnionType):
        if data is None and type(None) in get_args(kind):
            return None
        return _build(next(k for k in get_args(kind) if k is not type(None)), data, where)
    if get_origin(kind) is tuple:
        if not isinstance(data, list):
            raise _wrong(where, data, "a list")
        inner = get_args(kind)[0]
        return tuple(_build(inner, item, f"{where}[{k}]") for k, item in enumerate(data))
    if kind in (str, bool, dict, int):
        if type(data) is not kind:
            raise _wrong(where, data, {str: "text", bool: "true or false", dict: "an object",
                                       int: "a whole number"}[kind])
        return data
    if kind is float:
        if type(data) not in (int, float):
            raise _wrong(where, data, "a number")
        return float(data)  # type: ignore[arg-type]
    return _record(kind, data, where)


def _record(kind: Any, data: object, where: str) -> Any:
    if not isinstance(data, dict):
        raise _wrong(where, data, f"an object ({kind.__name__})")
    known = {f.name: f.type for f in fields(kind)}
    if set(data) != set(known):
        missing, extra = sorted(set(known) - set(data)), sorted(set(data) - set(known))
        found = f"no {missing[0]!r}" if missing else f"the unknown key {extra[0]!r}"
        raise Unreadable(f"{where}: found {found}; needed exactly the keys of a {kind.__name__}: "
                         "write the report again")
    values = {key: _build(known[key], data[key], f"{where}.{key}") for key in known}
    allowed = {"level": LEVELS, "expect": EXPECTED}
    for key in allowed.keys() & values.keys():
        if values[key] not in allowed[key]:
            raise _wrong(f"{where}.{key}", values[key], "one of " + ", ".join(allowed[key]))
    return kind(**values)


def _wrong(where: str, found: object, needed: str) -> Unreadable:
    return Unreadable(f"{where}: found {json.dumps(found)[:40]}; needed {needed}")
