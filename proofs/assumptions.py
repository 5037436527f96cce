"""Sorts, facts and points as a mathematician writes them: `n >= 1`, `A_i in R for 1 <= i <= n`.

What is printed is the statement that the kernel checked, not the text of the page.
"""

from collections.abc import Callable
from typing import Any

from symbolic.kernel.term import Term, free
from symbolic.writing.names import name_latex

Words = tuple[tuple[str, str], ...]     # ("text" | "math" | "code" | "cite" | "claim", content)

SETS = {"real": r"\mathbb{R}", "integer": r"\mathbb{Z}", "complex": r"\mathbb{C}"}
FLAGS = {"symmetric": "symmetric", "psd": "positive semidefinite", "pd": "positive definite",
         "invertible": "invertible", "orthogonal": "orthogonal"}
SIGNS = {"=": "=", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">", "!=": r"\ne",
         "psd": r"\succeq", "O": "="}
TURNED = {"<=": ">=", "<": ">", "=": "=", "!=": "!="}
LETTERS = ("i", "j", "k", "l", "m", "q", "r", "s")


def domains(symbols: tuple[tuple[str, tuple], ...], latex: Callable[[Term], str]) -> Words:
    """`n in Z; theta_i, A_i in R for 1 <= i <= n; S in R^{d x d} symmetric`."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    letters = [x for x in LETTERS if x not in dict(symbols)]
    for name, sort in symbols:
        shown, place, ranges, flags = _domain(name, sort, letters, latex)
        groups.setdefault((place, ranges, flags), []).append(shown)
    words: list[tuple[str, str]] = []
    for (place, ranges, flags), shown in groups.items():
        words += [("text", "; ")] if words else []
        words.append(("math", ",\\ ".join(shown) + rf"\in {place}"))
        words += [("text", " " + flags)] if flags else []
        words += [("text", " for "), ("math", ranges)] if ranges else []
    return tuple(words)


def _domain(name: str, sort: tuple, letters: list[str], latex: Callable) -> tuple[str, ...]:
    ranges, shown = "", latex(name)
    if sort[0] == "family":
        index = letters[:len(sort[2:])]
        shown = latex(("at", name, *index))
        ranges = ",\\ ".join(rf"{latex(low)}\le {latex(i)}\le {latex(high)}"
                             for i, (_, _, low, high) in zip(index, sort[2:], strict=False))
        sort = sort[1]
    if sort[0] != "matrix":
        return shown, SETS[sort[0]], ranges, ""
    rows, columns, *flags = sort[1:]
    size = latex(rows) if columns == 1 else rf"{latex(rows)}\times {latex(columns)}"
    if "pd" in flags or "psd" in flags:
        flags = [f for f in flags if f != "symmetric"]
        flags[:0] = ["symmetric"]
    return shown, rf"\mathbb{{R}}^{{{size}}}", ranges, " and ".join(FLAGS[f] for f in flags)


def facts(given: tuple[Term, ...], latex: Callable[[Term], str]) -> tuple[Words, ...]:
    """The facts, one each; `a <= x` and `x <= b` are joined, numbers stand on the right."""
    found: list[Words] = []
    rest: list[Any] = list(given)
    while rest:
        fact = rest.pop(0)
        ranges: tuple = ()
        if fact[0] == "all":
            fact, ranges = fact[1], fact[2:]
        upper = next((f for f in rest if _joins(fact, ranges, f)), None)
        if upper is not None:
            rest.remove(upper)
            right = upper[1] if upper[0] == "all" else upper
            shown = " ".join((latex(fact[1]), SIGNS[fact[0]], latex(fact[2]), SIGNS[right[0]],
                              latex(right[2])))
        else:
            shown = relation(fact, latex)
        guard = [("text", " for "), ("math", ",\\ ".join(
            rf"{latex(low)}\le {latex(n)}\le {latex(high)}" for _, n, low, high in ranges))]
        found.append((("math", shown), *(guard if ranges else [])))
    return tuple(found)


def _joins(fact: tuple, ranges: tuple, other: tuple) -> bool:
    """Whether `a <= x` under `ranges` goes on as `x <= b` under the same."""
    if not ranges and isinstance(other, tuple) and other[0] != "all":
        return fact[0] in ("<", "<=") and other[0] in ("<", "<=") and fact[2] == other[1]
    return (bool(ranges) and other[0] == "all" and other[2:] == ranges
            and _joins(fact, (), other[1]))


def relation(fact: tuple, latex: Callable[[Term], str]) -> str:
    """`left sign right`, turned round where only the left side is a number."""
    sign, left, right = fact
    if sign in TURNED and not free(left) and free(right):
        sign, left, right = TURNED[sign], right, left
    return f"{latex(left)} {SIGNS[sign]} {latex(right)}"


def point(values: dict, sorts: dict, value: Callable[[str], str | None]) -> Words:
    """A point of a report: `n = 2, w = (1/2, 1/2)`; `value` turns exact text into LaTeX."""
    words: list[tuple[str, str]] = []
    for name, data in values.items():
        words += [("text", ", ")] if words else []
        shown = _value(data, sorts.get(name, ("real",)), value)
        if shown is None:
            words.append(("code", f"{name} = {_plain(data)}"))
        else:
            words.append(("math", f"{name_latex(name)} = {shown}"))
    return tuple(words)


def _plain(data: object) -> str:
    if isinstance(data, (list, tuple)):
        return f"({', '.join(map(_plain, data))})"
    return str(data)


def _value(data: object, sort: tuple, value: Callable[[str], str | None]) -> str | None:
    """Numbers, columns and matrices in brackets, families as lists from their first index on."""
    if not isinstance(data, (list, tuple)):
        return value(str(data))
    if sort[0] == "matrix" and data and all(isinstance(r, (list, tuple)) and r for r in data):
        rows = [[value(str(c)) for c in row] for row in data]
        if any(c is None for row in rows for c in row):
            return None
        body = r"\\".join("&".join(str(c) for c in row) for row in rows)
        return rf"\begin{{pmatrix}}{body}\end{{pmatrix}}"
    inner = sort
    if sort[0] == "family":
        inner = sort[1] if len(sort) == 3 else ("family", sort[1], *sort[3:])
    parts = [_value(item, inner, value) for item in data]
    if any(p is None for p in parts):
        return None
    return r"\left(" + ",\\ ".join(str(p) for p in parts) + r"\right)"
