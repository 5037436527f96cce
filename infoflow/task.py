"""A task is an outer function of extrema over tokens: F0(v_1, .., v_K), in one normal form.

Each term v_k is the extremum of a sum of scores over tuples of tokens, or a mean, a fixed position
or a function of the whole sequence. TOML (`parse`), Python (`build`, `term`), a formula
(`infoflow.formula`) and SymPy expressions all pass through `from_data`, so they give the same data.
Language: spec of InfoFlow (arXiv 2605.17930), definitions ours.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from infoflow.objective import written
from infoflow.reading import Letters
from infoflow.term import (
    RESERVED,
    TaskError,
    Term,
    all_different,
    calls,
    known,
    names_of,
    read_term,
    whole,
)
from symbolic.reading.names import suggestion

OUTER = ("sum", "any")
MOST_TERMS = 64
KEYS = ("name", "says", "d", "T", "outer", "matrices", "symmetric", "vectors", "term")


@dataclass(frozen=True)
class Task:
    """A task: `d` numbers a token, `T` tokens (None: any number), an outer function, its terms."""

    name: str
    d: int
    terms: tuple[Term, ...]
    outer: str = "sum"
    T: int | None = None
    says: str = ""
    matrices: tuple[str, ...] = ()
    symmetric: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()


def parse(text: str, where: str = "task") -> Task:
    """The task that a TOML text is; raises TaskError, with the line for what is not TOML."""
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:   # ValueError: numbers of 5,000 digits too
        raise TaskError(where, f"text that is not TOML ({error})", "a task in TOML",
                        "correct that line") from None
    return from_data(found, where)


def load(path: Path | str) -> Task:
    """The task of a file, or the shipped task of that name; raises TaskError, with what to do."""
    path = Path(path)
    shipped = shipped_tasks()
    if not path.suffix and str(path) in shipped:
        path = shipped[str(path)]
    try:
        return parse(path.read_text(), path.name)
    except UnicodeDecodeError:
        raise TaskError(str(path), "bytes that are not UTF-8", "a text",
                        "save it as UTF-8") from None
    except OSError as error:
        todo = suggestion(path.stem, shipped) or f"shipped are {', '.join(shipped)}"
        raise TaskError(str(path), error.strerror or "nothing", "a task file or a shipped task",
                        todo) from None


def shipped_tasks() -> dict[str, Path]:
    """The shipped tasks, name -> file: a task is there because its file is."""
    return {p.stem: p for p in sorted((Path(__file__).parent / "tasks").glob("*.toml"))}


def term(op: str, over: str | tuple[str, ...] = (), objective: Any = "", **keys: Any) -> dict:
    """One term as `[[term]]` of a task file would say it: `term("max", "s t", "x[s] @ x[t]")`."""
    over = over.replace(",", " ").split() if isinstance(over, str) else list(over)
    return {"op": op, **({"over": over} if over else {}), "objective": objective, **keys}


def build(name: str, *terms: dict, d: int, **keys: Any) -> Task:
    """The task of some terms, in Python; `keys` are those of a task file. Raises TaskError."""
    return from_data({"name": name, "d": d, "term": list(terms), **keys})


def from_data(data: Mapping[str, Any], where: str = "task") -> Task:
    """The task that plain data say, keys as in a task file; raises TaskError."""
    name = data.get("name")
    if not isinstance(name, str) or not name.strip() or len(name) > 80 or not name.isprintable():
        raise TaskError(where, f"name = {name!r:.40}", "a short text", 'name = "min-dot"')
    where = where if where == name else f"{where}: {name}"
    known(data, KEYS, where)
    d = whole(data.get("d"), "d", where)
    T = None if "T" not in data else whole(data["T"], "T", where)
    outer = data.get("outer", "sum")
    if outer not in OUTER:
        raise TaskError(where, f"outer = {outer!r}", "sum or any", "F0 is a sum, or any smooth "
                        "function of the terms")
    letters = Letters(matrices=names_of(data, "matrices", where), tokens=T,
                      symmetric=names_of(data, "symmetric", where),
                      vectors=names_of(data, "vectors", where))
    all_different((*letters.matrices, *letters.symmetric, *letters.vectors), where)
    tables = data.get("term")
    if not isinstance(tables, list) or not 0 < len(tables) <= MOST_TERMS:
        found = f"{len(tables)} terms" if tables and isinstance(tables, list) else "no term"
        raise TaskError(where, found, f"1 to {MOST_TERMS} [[term]]", "give each a term with op, "
                        "over and objective")
    numbers = replace(letters, matrices=(), symmetric=(*letters.matrices, *letters.symmetric))
    terms = tuple(read_term(table, numbers if d == 1 else letters, f"{where}, term {number}")
                  for number, table in enumerate(tables, 1))
    _named_once(terms, letters, where)
    return Task(name, d, terms, outer, T, str(data.get("says", "")), letters.matrices,
                letters.symmetric, letters.vectors)


def _named_once(terms: tuple[Term, ...], letters: Letters, where: str) -> None:
    """Refuse a function that is called with one token here and two there, or is a letter too."""
    counts: dict[str, int | str] = {}
    for name, count in (pair for t in terms for pair in calls(t)):
        if name in (*letters.names, *RESERVED, "F0"):
            raise TaskError(where, f"the function {name!r}, which is a letter of the language or "
                            "of the task too", "a name of its own", "rename the function")
        if counts.setdefault(name, count) != count:
            raise TaskError(where, f"the function {name!r} of {count} tokens, and of "
                            f"{counts[name]} elsewhere", "one number of tokens a function",
                            "give the second function another name")


def data(task: Task) -> dict[str, Any]:
    """The task as plain data, as a task file says it; `from_data` gives it back."""
    lists = {k: list(getattr(task, k)) for k in ("matrices", "symmetric", "vectors")}
    return {"name": task.name, **({"says": task.says} if task.says else {}), "d": task.d,
            **({"T": task.T} if task.T else {}), "outer": task.outer,
            **{k: names for k, names in lists.items() if names},
            "term": [_term_data(t) for t in task.terms]}


def _term_data(term: Term) -> dict[str, Any]:
    if term.op == "whole":
        objective = f'fn("{term.objective[0][0][1]}", x)'
    else:
        parts = tuple((f, term.sign * c) for f, c in term.objective) + term.offset
        objective = written(parts)
        for name in reversed(term.around):
            objective = f"{name}({objective})"
    found: dict[str, Any] = {"op": _op(term), "objective": objective}
    if term.over:
        found["over"] = list(term.over)
    if term.weight != 1:
        found["weight"] = str(term.weight)
    if term.op == "kth":
        found["k"] = term.k
    if term.distinct:
        found["distinct"] = True
    if term.op == "arg" and term.output != tuple((index, 0) for index in term.over):
        ((index, shift),) = term.output
        found["read"] = f"x[{index}{shift:+d}]" if shift else f"x[{index}]"
    return found


def _op(term: Term) -> str:
    least = {"max": "min", "arg": "argmin"} if term.sign < 0 else {"arg": "argmax"}
    return least.get(term.op, "kth_max" if term.op == "kth" else term.op)
