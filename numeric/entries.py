"""Entries of families and matrices: `at` and `entry`, one at a time or a whole range at once."""

from typing import Any

from numeric.arithmetic import Arithmetic, Close, Closure, Scope, is_matrix
from numeric.points import Table
from symbolic.kernel.term import Term

NAN = float("nan")


def _at(term: tuple, scope: Scope, close: Close) -> Closure:
    return _lookup(term[1], [close(t) for t in term[2:]], scope)


def _entry(term: tuple, scope: Scope, close: Close) -> Closure:
    row, col = close(term[2]), close(term[3])
    inner = term[1]
    if isinstance(inner, str):
        return _lookup(inner, [row, col], scope)
    if isinstance(inner, tuple) and inner[0] == "at":
        return _lookup(inner[1], [*(close(t) for t in inner[2:]), row, col], scope)
    matrix = close(inner)

    def value(env: dict) -> Any:
        m = matrix(env)
        entries = m if is_matrix(m) else scope.arithmetic.array([[m]])
        return _read(Table(entries, (1, 1)), [row(env), col(env)], scope.arithmetic)
    return value


def _lookup(name: str, indices: list[Closure], scope: Scope) -> Closure:
    def value(env: dict) -> Any:
        table = env.get(name)
        if is_matrix(table):
            table = Table(table, (1, 1))
        if not isinstance(table, Table):
            raise ValueError(f"'at': {name!r} is no family with a value at this point")
        return _read(table, [i(env) for i in indices], scope.arithmetic)
    return value


def _read(table: Table, indices: list, arithmetic: Arithmetic) -> Any:
    """An entry; `nan` outside the table; an array where an index stands for an array."""
    if len(indices) not in (len(table.lows), table.entries.ndim - 2, table.entries.ndim):
        raise ValueError(f"'at' with {len(indices)} indices, declared with {len(table.lows)}")
    if any(getattr(i, "ndim", 0) == 1 for i in indices):
        return _gather(table, indices, arithmetic)
    place = table.place(indices)
    if place is None:
        rest = table.entries.shape[len(indices):]
        empty = arithmetic.xp.full(rest, NAN, dtype=table.entries.dtype) if rest else None
        return arithmetic.nan if empty is None else empty
    return table.entries[place]


def _gather(table: Table, indices: list, arithmetic: Arithmetic) -> Any:
    xp, inside = arithmetic.xp, True
    index = [i - low for i, low in zip(indices, table.lows, strict=True)]
    for i, length in zip(index, table.entries.shape, strict=True):
        inside = (i == xp.round(i)) & (i >= 0) & (i < length) & inside
    if 0 in table.entries.shape:
        return xp.full(inside.shape, NAN, dtype=xp.float64)
    places = tuple(xp.astype(xp.where(inside, i, xp.zeros_like(i)), xp.int64) for i in index)
    return xp.where(inside, table.entries[places], arithmetic.nan)


def numbers_only(term: Term, scope: Scope) -> bool:
    if isinstance(term, str):
        return scope.sorts.get(term, ("real",))[0] not in ("matrix", "family")
    if not isinstance(term, tuple):
        return True
    if term[0] == "at" and scope.sorts.get(term[1], ("", ("",)))[1][0] == "matrix":
        return False
    if term[0] == "entry":
        inner = term[1]
        plain = isinstance(inner, str) or (isinstance(inner, tuple) and inner[0] == "at")
        rest = (*inner[2:], *term[2:]) if isinstance(inner, tuple) else term[2:]
        return plain and all(numbers_only(t, scope) for t in rest)
    return all(numbers_only(t, scope) for t in term[2 if term[0] == "at" else 1:])


STRUCTURE = {"at": _at, "entry": _entry}
