"""Random points at which the facts of a statement hold.

Sizes come first, then every family and matrix gets a table, then one cell after another is drawn
so that each fact holds as soon as all its cells are known: inside the bounds that affine facts
give, on the solution set of equations, by rejection for the rest. Floating point: equations hold
within 1e-9, so these points may doubt a claim and never refute one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric import draw
from numeric.arithmetic import Scope, whole
from numeric.backends.numpy64 import ARITHMETIC
from numeric.cells import DRAWS, State, bounds, draw_cell, failed, propose
from numeric.compiled import closure
from numeric.instances import (
    Cell,
    Fact,
    Instance,
    compiled_fact,
    holds,
    instances,
    mentioned,
)
from numeric.points import Table, extent, sorts_of
from symbolic.kernel.term import Term, free, unfold

BEYOND = 3       # how far past its declared range a table may grow


@dataclass(frozen=True)
class Sample:
    """An admissible point (numbers and nested lists by name), or None and the reason."""

    point: dict[str, Any] | None
    reason: str = ""


@dataclass(frozen=True)
class _Domain:
    scope: Scope
    facts: tuple[Fact, ...]
    reads: tuple[Term, ...]
    sizes: frozenset[str]
    after: dict[str, set[str]]


def admissible_point(statement: Any, rng: np.random.Generator, tries: int = 40,
                     reads: tuple[Term, ...] = ()) -> Sample:
    """A random point of the sorts at which every fact holds, sizes between 1 and 5.

    `statement` is a Statement, or a pair (symbols, given). Equations `name = term` are solved by
    evaluation, sums that equal a constant by normalising, other equations by Newton's method.
    Tables grow to cover entries just past a range that the facts, the sides or `reads` mention.
    Gives Sample(None, reason) when no attempt of `tries` came through.
    """
    try:
        domain = _domain(statement, reads)
    except ValueError as error:
        return Sample(None, f"the domain cannot be read: {error}")
    reason = "no attempt was made"
    for attempt in range(tries):
        with np.errstate(all="ignore"):
            state, reason = _attempt(domain, rng, shuffle=attempt % 4 == 3)
        if state is not None:
            return Sample(_point(state.env, domain.scope))
    return Sample(None, f"no admissible point in {tries} attempts: {reason}")


def _domain(statement: Any, reads: tuple[Term, ...]) -> _Domain:
    if isinstance(statement, tuple):
        symbols, facts, let, rates = *statement, (), ()
    else:
        symbols, facts, let = statement.symbols, statement.given, statement.let
        rates, reads = statement.rates, (statement.left, statement.right, *reads)
    sorts = sorts_of(symbols)
    given: list[Any] = [unfold(f, let) for f in facts]
    scope = Scope(ARITHMETIC, sorts, tuple((n, v, unfold(b, let)) for n, v, b in rates))
    sizes = frozenset().union(*(_names_in(sort) for sort in sorts.values()))
    return _Domain(scope, tuple(compiled_fact(f, scope) for f in given),
                   tuple(unfold(t, let) for t in reads), sizes, _dependencies(given, sorts))


def _names_in(sort: tuple) -> frozenset[str]:
    ends = [e for r in sort[2:] for e in r[2:]] if sort[0] == "family" else (
        sort[1:3] if sort[0] == "matrix" else ())
    inner = _names_in(sort[1]) if sort[0] == "family" else frozenset()
    return inner.union(*(free(e) for e in ends))


def _dependencies(given: Iterable[tuple], sorts: dict) -> dict[str, set[str]]:
    """For each name that an equation defines (`name = ..`, `name[..] = ..`): the names it reads."""
    after: dict[str, set[str]] = {name: set() for name in sorts}
    for fact in given:
        relation = fact[1] if fact[0] == "all" else fact
        if relation[0] != "=":
            continue
        for side, other in ((relation[1], relation[2]), (relation[2], relation[1])):
            name, names = _defined(side), free(other) & sorts.keys()
            if name is not None and name in sorts and name not in names:
                after[name] |= {n for n in names if sorts[n] != ("integer",)}
                break
    return after


def _defined(side: Term) -> str | None:
    if isinstance(side, tuple) and side[0] == "sum" and isinstance(side[1], tuple):
        side = side[1]
    if isinstance(side, tuple) and side[0] == "at":
        return side[1]
    return side if isinstance(side, str) else None


def _order(domain: _Domain, rng: np.random.Generator, shuffle: bool) -> list[str]:
    """Names so that defined ones come after what they read; edges that close a circle are left."""
    names = list(domain.scope.sorts)
    if shuffle:
        names = [names[k] for k in rng.permutation(len(names))]
    ordered: dict[str, None] = {}

    def visit(name: str, path: tuple) -> None:
        if name in ordered or name in path:
            return
        for before in names:
            if before in domain.after[name]:
                visit(before, (*path, name))
        ordered[name] = None

    for name in names:
        visit(name, ())
    return list(ordered)


def _attempt(domain: _Domain, rng: np.random.Generator,
             shuffle: bool) -> tuple[State | None, str]:
    order = _order(domain, rng, shuffle)
    sorts = domain.scope.sorts
    state = State({}, corner=rng.random() < 1 / 4)
    counts = sorted((n for n in order if sorts[n] == ("integer",)),
                    key=lambda n: n not in domain.sizes)
    for name in counts:
        reason = _draw_count(name, domain, state, rng)
        if reason:
            return None, reason
    try:
        waiting = _tables(domain, state, order)
    except ValueError as error:
        return None, str(error)
    cells = _cells(order, state, sorts)
    rank = {cell: k for k, cell in enumerate(cells)}
    for instance in waiting:
        open_cells = [c for c in instance.cells if c in rank]
        if not open_cells:
            if not holds(instance, state.env):
                return None, failed("the sizes", instance)
            continue
        state.ready.setdefault(max(open_cells, key=rank.__getitem__), []).append(instance)
        propose(instance, domain.scope, state, rng, waiting)
    for cell in cells:
        reason = draw_cell(cell, domain.scope, state, rng)
        if reason:
            return None, reason
        state.placed.add(cell)
    return state, ""


def _draw_count(name: str, domain: _Domain, state: State,
                rng: np.random.Generator) -> str:
    """Draw a whole number under the facts that speak of it and of known whole numbers only."""
    seen = [Instance(f, {}) for f in domain.facts
            if not f.ranges and name in free(f.relation)
            and free(f.relation) <= state.env.keys() | {name}]
    low, high, exact = bounds(name, (), seen, state)
    for _ in range(DRAWS):
        value = exact[0] if exact else draw.integer(rng, low, high, name in domain.sizes)
        if value is None or value != round(value):
            break
        state.env[name] = np.float64(value)
        if all(holds(i, state.env) for i in seen):
            state.known.add((name, ()))
            return ""
    failing = [i for i in seen if name not in state.env or not holds(i, state.env)]
    return failed(name, failing[0]) if failing else f"no whole number for {name}"


def _tables(domain: _Domain, state: State, order: list[str]) -> list[Instance]:
    """Give every family and matrix a table, large enough for all that facts and sides read."""
    scope = domain.scope

    def value_of(term: Term, env: dict) -> Any:
        return closure(term, scope)(env)
    lengths = {}
    for name in order:
        sort = scope.sorts[name]
        if sort[0] in ("family", "matrix"):
            lows, lengths[name] = extent(sort, state.env, value_of)
            state.env[name] = _blank(sort, lows, lengths[name])
    found = _instances(domain, state.env)
    needed = set().union(*(i.cells for i in found), *(
        mentioned(t, state.env, scope, frozenset()) for t in domain.reads))
    grown = False
    for name, indices in needed:
        table = state.env.get(name)
        if isinstance(table, Table) and indices and table.place(list(indices)) is None:
            past = [i - low + 1 for i, low in zip(indices, table.lows, strict=False)]
            lengths[name] = tuple(
                max(n, min(p, n + BEYOND)) for n, p in zip(lengths[name], past, strict=False)
            ) + lengths[name][len(past):]
            state.env[name] = _blank(scope.sorts[name], table.lows, lengths[name])
            grown = True
    return _instances(domain, state.env) if grown else found


def _blank(sort: tuple, lows: tuple, lengths: tuple) -> Any:
    element = sort[1] if sort[0] == "family" else sort
    entries = np.full(lengths, np.nan, dtype=complex if element[0] == "complex" else float)
    return entries if sort[0] == "matrix" else Table(entries, lows)


def _instances(domain: _Domain, env: dict) -> list[Instance]:
    return [i for fact in domain.facts for i in instances(fact, env, domain.scope)]


def _cells(order: list[str], state: State, sorts: Any) -> list[Cell]:
    cells: list[Cell] = []
    for name in order:
        if (name, ()) in state.known:
            continue
        table = state.env.get(name)
        if isinstance(table, Table):
            axes = len(sorts[name]) - 2
            cells += [(name, tuple(k + low for k, low in zip(place, table.lows, strict=False)))
                      for place in np.ndindex(*table.entries.shape[:axes])]
        else:
            cells.append((name, ()))
    return cells


def _point(env: dict, scope: Scope) -> dict[str, Any]:
    """Plain Python numbers and nested lists."""
    point: dict[str, Any] = {}
    for name, sort in scope.sorts.items():
        value = env[name]
        if isinstance(value, Table):
            point[name] = (value.entries + 0.0).tolist()
        elif isinstance(value, np.ndarray):
            point[name] = (value + 0.0).tolist()
        elif sort == ("integer",):
            point[name] = whole(value)
        else:
            point[name] = complex(value) if sort == ("complex",) else float(value)
    return point
