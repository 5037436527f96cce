"""Datasets from files: JSON or CSV, exact numbers only.

JSON: a list of {"input": [["1/2", "0"], ..], "output": [..]}, numbers whole or "p/q".
CSV: a header `sequence,role,x1,..,xd`, then one token a line, its role `input` or `output`.
A decimal is refused unless floats are asked for, and is then the float64 that it denotes: 0.1 is
3602879701896397/36028797018963968. Nothing is guessed, dropped or rounded.
"""

import csv
import json
import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from numeric.interpolant.data import BadData, Dataset, dataset

WHOLE = re.compile(r"\s*([+-]?\d{1,4000})(?:\s*/\s*(\d{1,4000}))?\s*\Z", re.ASCII)
DECIMAL = re.compile(r"\s*[+-]?(\d+\.\d*|\.?\d+)([eE][+-]?\d{1,4})?\s*\Z", re.ASCII)
SHAPE = 'a list of {"input": [tokens], "output": [tokens]}'


def load(path: str | Path, exact_floats: bool = False) -> Dataset:
    """The dataset in a .json or .csv file. Raises BadData, and OSError where there is no file."""
    path = Path(path)
    reader = {".json": from_json, ".csv": from_csv}.get(path.suffix.lower())
    if reader is None:
        raise _unreadable(f"a file named {path.name!r}", "a name that ends in .json or .csv",
                          "rename it")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(f"bytes that are no UTF-8 text at {error.start}", "UTF-8 text",
                          "save it as UTF-8") from None
    return reader(text, exact_floats)


def from_json(text: str, exact_floats: bool = False) -> Dataset:
    """The dataset that a JSON text is. Raises BadData naming the sequence."""
    try:  # numbers stay text: no digit is lost on the way
        listed = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"no JSON ({error})", SHAPE, "correct it there") from None
    return from_json_data(listed, exact_floats)


def from_json_data(listed: Any, exact_floats: bool = False) -> Dataset:
    """The same from parsed JSON, numbers as text."""
    if not isinstance(listed, list):
        raise _unreadable(f"{_shown(listed)}", SHAPE, "write a list")
    pairs = []
    for j, pair in enumerate(listed, 1):
        if not isinstance(pair, dict) or set(pair) != {"input", "output"}:
            raise BadData("unreadable", j, _shown(pair), 'exactly the keys "input" and "output"',
                          "write both")
        pairs.append(tuple(_side(pair[role], j, role, exact_floats)
                           for role in ("input", "output")))
    return dataset(pairs)


def _side(tokens: Any, j: int, role: str, exact_floats: bool) -> list[list[Fraction]]:
    if not isinstance(tokens, list) or not all(isinstance(x, list) for x in tokens):
        raise BadData("unreadable", j, f"{_shown(tokens)} as {role}",
                      "a list of tokens, each a list of numbers", 'write [["1/2", "0"], ..]')
    return [[_number(x, j, f"{role} token {i}", exact_floats) for x in token]
            for i, token in enumerate(tokens, 1)]


def from_csv(text: str, exact_floats: bool = False) -> Dataset:
    """The dataset that a CSV text is. Raises BadData naming the sequence and the line."""
    try:
        rows = [(k, row) for k, row in enumerate(csv.reader(text.splitlines(), strict=True), 1)
                if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise _unreadable(f"no CSV ({error})", "comma-separated lines", "correct it") from None
    head = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    if head[:2] != ["sequence", "role"] or len(head) < 3:
        raise _unreadable(f"the header {','.join(head)[:60]!r}", "sequence,role,x1,..,xd",
                          "put it on the first line")
    return dataset(_grouped(rows[1:], len(head), exact_floats))


def _grouped(rows: Iterable[tuple[int, list[str]]], columns: int, exact_floats: bool
             ) -> list[tuple[list, list]]:
    """The tokens of the lines, by sequence in order of first appearance."""
    places: dict[str, int] = {}
    pairs: list[tuple[list, list]] = []
    for line, (label, role, *cells) in ((k, _padded(row, 2)) for k, row in rows):
        j = places.setdefault(label.strip(), len(places) + 1)
        if j > len(pairs):
            pairs.append(([], []))
        if role.strip() not in ("input", "output") or len(cells) != columns - 2:
            raise BadData("unreadable", j, f"role {role.strip()!r} and {len(cells)} numbers on "
                          f"line {line}", f"input or output, and {columns - 2} numbers",
                          "correct that line")
        token = [_number(cell, j, f"line {line}", exact_floats) for cell in cells]
        pairs[j - 1][role.strip() == "output"].append(token)
    return pairs


def _padded(row: list[str], least: int) -> list[str]:
    return row + [""] * (least - len(row))


def _number(value: Any, j: int, place: str, exact_floats: bool) -> Fraction:
    """An exact number from its text."""
    if isinstance(value, str):
        if (match := WHOLE.match(value)) and int(match[2] or 1):
            return Fraction(int(match[1]), int(match[2] or 1))
        if DECIMAL.match(value):
            if not exact_floats:
                raise BadData("inexact entry", j, f"the decimal {value.strip()[:40]} in {place}",
                              'whole numbers or "p/q"', f"write {_suggested(value)}, or use "
                              "--exact-floats to take the float64 that it denotes")
            if abs(found := float(value)) != float("inf"):
                return Fraction(found)
    raise BadData("inexact entry", j, f"{_shown(value)} in {place}",
                  'a whole number or "p/q" with q > 0', "write one")


def _suggested(value: str) -> str:
    found = Fraction(value.strip()) if len(value) < 40 and "e" not in value.lower() else None
    return "it as \"p/q\"" if found is None else f'"{found}"'


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _unreadable(found: str, needed: str, todo: str) -> BadData:
    return BadData("unreadable", None, found, needed, todo)
