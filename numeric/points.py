"""A point: names to values, and the environment in which a closure reads them.

A value is a number, a Fraction, a closed term, or a nested list (or array) of such: a family is
nested by its declared ranges, its first element belonging to the low end; a matrix by rows; a
vector may also be flat.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric.arithmetic import Arithmetic, whole
from symbolic.kernel.term import HEADS, Term

Sorts = Mapping[str, tuple]


@dataclass(frozen=True)
class Table:
    """The entries of a family and the index of the first one along each axis."""

    entries: np.ndarray
    lows: tuple[int, ...]

    def place(self, indices: list) -> tuple[int, ...] | None:
        """Where an entry stands, or None outside the table."""
        places = []
        for index, low, length in zip(indices, self.lows, self.entries.shape, strict=False):
            k = whole(index)
            if k is None or not 0 <= k - low < length:
                return None
            places.append(k - low)
        return tuple(places)


def sorts_of(symbols: Sorts | Iterable) -> dict[str, tuple]:
    """Sorts by name, from a mapping or from the pairs of a Statement."""
    return dict(symbols)


def is_term(data: Any) -> bool:
    """Whether plain data is a closed term rather than a list of values."""
    return isinstance(data, (list, tuple)) and bool(data) and isinstance(data[0], str)


def environment(point: Mapping[str, Any], sorts: Sorts, arithmetic: Arithmetic,
                value_of: Callable[[Term, dict], Any]) -> dict:
    """The point in a backend's numbers: scalars, matrices as arrays, families as Tables.

    `value_of(term, environment)` evaluates the ends of ranges and sizes. Raises ValueError for a
    list without a sort, and for data whose nesting does not fit the sort.
    """
    def number(data: Any) -> Any:
        if is_term(data):
            if data[0] not in HEADS:
                raise ValueError(f"unknown head {data[0]!r} in a point")
            return value_of(tuple(data), {})
        return arithmetic.number(data)

    env: dict = {}
    lists = {}
    for name, data in point.items():
        sort = sorts.get(name, ("real",))
        if sort[0] in ("family", "matrix"):
            lists[name] = data
        elif isinstance(data, (list, tuple, np.ndarray)) and not is_term(data) and np.ndim(data):
            raise ValueError(f"{name} has the value of a family or matrix: declare its sort")
        else:
            env[name] = number(data)
    for name, data in lists.items():
        env[name] = _structure(name, data, sorts[name], env, arithmetic, number, value_of)
    return env


def extent(sort: tuple, env: dict, value_of: Callable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Lows and lengths of a family or matrix sort, the axes of matrix entries included."""
    element, ranges = (sort[1], sort[2:]) if sort[0] == "family" else (sort, ())
    lows, lengths = [], []
    for _, _, low, high in ranges:
        first, last = whole(value_of(low, env)), whole(value_of(high, env))
        if first is None or last is None:
            raise ValueError(f"the range {low}..{high} has no whole ends at this point")
        lows.append(first)
        lengths.append(max(0, last - first + 1))
    if element[0] == "matrix":
        sizes = [whole(value_of(s, env)) for s in element[1:3]]
        if None in sizes:
            raise ValueError(f"the sizes {element[1:3]} are not whole at this point")
        lows += [1, 1]
        lengths += [max(0, s) for s in sizes if s is not None]
    return tuple(lows), tuple(lengths)


def _structure(name: str, data: Any, sort: tuple, env: dict, arithmetic: Arithmetic,
               number: Callable, value_of: Callable) -> Any:
    lows, lengths = extent(sort, env, value_of)
    element = sort[1] if sort[0] == "family" else sort
    depth, flat = len(lengths), element[0] == "matrix" and lengths[-1] == 1
    found = _depth(data)
    if found == depth - 1 and flat:
        data = _columns(data, depth - 1)
    elif found != depth and 0 not in lengths:
        raise ValueError(f"{name} is nested {found} deep, its sort needs {depth}")
    if sort[0] == "matrix" and _lengths(data, depth) != list(lengths):
        raise ValueError(f"{name} has shape {_lengths(data, depth)}, its sort needs "
                         f"{list(lengths)}")
    shape = [max(a, b) for a, b in zip(_lengths(data, depth), lengths, strict=True)]
    dtype = complex if element[0] == "complex" and arithmetic.dtype is float else arithmetic.dtype
    entries = np.full(shape, arithmetic.nan, dtype=dtype)
    for place in np.ndindex(*shape):
        value = _at(data, place)
        if value is not None:
            entries[place] = number(value)
    entries = entries if dtype is object else arithmetic.array(entries)
    return entries if sort[0] == "matrix" else Table(entries, lows)


def _depth(data: Any) -> int:
    if isinstance(data, np.ndarray):
        return data.ndim
    if is_term(data) or not isinstance(data, (list, tuple)):
        return 0
    return 1 + max((_depth(item) for item in data), default=0)


def _lengths(data: Any, depth: int) -> list[int]:
    """The longest length along each axis of nested data, which may be ragged."""
    if depth == 0:
        return []
    if isinstance(data, np.ndarray):
        return list(data.shape)[:depth] + [0] * (depth - data.ndim)
    inner = [_lengths(item, depth - 1) for item in data]
    return [len(data), *(max(column) for column in zip(*inner, strict=True))] if inner else (
        [0] * depth)


def _columns(data: Any, depth: int) -> Any:
    if isinstance(data, np.ndarray):
        return data[..., None]
    return [[item] if depth == 1 else _columns(item, depth - 1) for item in data]


def _at(data: Any, place: tuple[int, ...]) -> Any:
    for k in place:
        if k >= len(data):
            return None
        data = data[k]
    return data
