"""`diff`: the slope of the body's values along the direction in which a variable moves."""

from typing import Any

import numpy as np

from numeric.arithmetic import INEXACT, Close, Closure, Scope, plus, size, times
from numeric.points import Table
from symbolic.kernel.term import heads


def _derivative(term: tuple, scope: Scope, close: Close) -> Closure:
    body, by = close(term[1]), term[2]
    rough = bool(heads(term[1]) & (INEXACT - {"diff"}))
    if isinstance(by, tuple):
        if by[0] != "at":
            raise ValueError("'diff' by something that is neither a name nor an entry")
        return _by_entry(body, by, [close(t) for t in by[2:]], rough, scope)
    if scope.sorts.get(by, ("real",)) != ("real",):
        return lambda env: scope.arithmetic.nan
    moving = [(n, close(rate)) for n, variable, rate in scope.rates if variable == by]
    return _by_name(body, by, moving, rough, scope, close)


def _by_name(body: Closure, by: str, moving: list, rough: bool, scope: Scope,
             close: Close) -> Closure:
    """The slope along the direction in which the name, and all that has a rate by it, moves."""
    arithmetic, here = scope.arithmetic, close(by)

    def value(env: dict) -> Any:
        start = env.get(by, arithmetic.number(0)) if moving else here(env)
        rates = {n: rate(env) for n, rate in moving if n in env}

        def shifted(h: Any) -> Any:
            moved = {n: plus(env[n], times([h, rate])) for n, rate in rates.items()}
            return body({**env, by: start + h, **moved})
        return arithmetic.derivative(shifted, size(start), rough)
    return value


def _by_entry(body: Closure, by: tuple, indices: list, rough: bool, scope: Scope) -> Closure:
    arithmetic, name = scope.arithmetic, by[1]

    def value(env: dict) -> Any:
        table = env.get(name)
        if not isinstance(table, Table):
            raise ValueError(f"'diff' by an entry of {name!r}, which is no family with a value")
        place = table.place([i(env) for i in indices])
        if place is None or len(place) != table.entries.ndim:
            return arithmetic.nan

        here = np.zeros(table.entries.shape, dtype=bool)
        here[place] = True
        here = arithmetic.xp.asarray(here)

        def shifted(h: Any) -> Any:
            entries = arithmetic.xp.where(here, table.entries + h, table.entries)
            return body({**env, name: Table(entries, table.lows)})
        return arithmetic.derivative(shifted, size(table.entries[place]), rough)
    return value


STRUCTURE = {"diff": _derivative}
