"""One cell after another: candidates for its value, kept when every waiting fact holds."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from numeric import draw
from numeric.arithmetic import Scope, unknown
from numeric.compiled import closure
from numeric.instances import Cell, Instance, holds, mentioned, residual
from numeric.points import Table
from symbolic.kernel.term import free

DRAWS = 30


@dataclass
class State:
    """One attempt under way: values so far, and the instances waiting for their last cell."""

    env: dict
    ready: dict[Cell, list[Instance]] = field(default_factory=dict)
    proposals: dict[Cell, float] = field(default_factory=dict)
    known: set[Cell] = field(default_factory=set)
    placed: set[Cell] = field(default_factory=set)
    corner: bool = False        # whether bounded numbers prefer the ends of their ranges


def failed(what: str, instance: Instance) -> str:
    where = ", ".join(f"{n} = {float(v):g}" for n, v in instance.binding.items())
    return f"{what} never satisfied {instance.fact.relation}" + (f" at {where}" if where else "")


def put(cell: Cell, value: Any, state: State) -> None:
    name, indices = cell
    if indices:
        table = state.env[name]
        table.entries[table.place(list(indices))] = value
    else:
        state.env[name] = value


def propose(instance: Instance, scope: Scope, state: State, rng: np.random.Generator,
             waiting: list[Instance]) -> None:
    """Weights that add up to a known number: normalise positive (or centre any) draws."""
    relation = instance.fact.relation
    if relation[0] != "=":
        return
    for side, other in ((relation[1], relation[2]), (relation[2], relation[1])):
        if not (isinstance(side, tuple) and side[0] == "sum" and isinstance(side[1], tuple)
                and side[1][0] == "at" and not free(other) & scope.sorts.keys()):
            continue
        env = {**state.env, **instance.binding}
        total = closure(other, scope)(env)
        group = sorted(mentioned(side, env, scope, frozenset(instance.binding))
                       - state.known - state.proposals.keys())
        if not group or unknown(total):
            return
        signed = not any(i.fact.relation[0] in ("<", "<=") and i.cells <= {group[0]}
                         for i in waiting)
        values = rng.normal(size=len(group)) if signed else rng.exponential(size=len(group))
        values = values + (total - values.sum()) / len(group) if signed else (
            values * (total / values.sum()))
        state.proposals.update(zip(group, values.tolist(), strict=True))
        return


def bounds(name: str, indices: tuple, seen: list[Instance],
            state: State) -> tuple[float, float, list[float]]:
    """Bounds and exact values that the affine instances give for a real cell."""
    low, high, exact = -np.inf, np.inf, []
    for instance in seen:
        if instance.fact.relation[0] not in ("=", "<", "<="):
            continue
        line = draw.affine(_along(name, indices, instance, state))
        if line is None or abs(line[1]) < 1e-12:
            continue
        end = -line[0] / line[1]
        if instance.fact.relation[0] == "=":
            exact.append(end)
        elif line[1] > 0:
            high = min(high, end)
        else:
            low = max(low, end)
    return low, high, exact


def _along(name: str, indices: tuple, instance: Instance, state: State) -> list[float]:
    values = []
    for x in draw.LINE:
        put((name, indices), np.float64(x), state)
        gap = residual(instance, state.env)
        if len(gap) != 1:
            return [np.nan]
        values.append(float(gap[0]))
    return values


def draw_cell(cell: Cell, scope: Scope, state: State, rng: np.random.Generator) -> str:
    """Draw one cell so that every instance that waited for it holds; else say which did not."""
    sort = scope.sorts[cell[0]]
    element = sort[1] if sort[0] == "family" else sort
    seen = state.ready.get(cell, [])
    failing: Instance | None = None
    for value in _candidates(cell, element, seen, state, rng):
        put(cell, value, state)
        failing = next((i for i in seen if not holds(i, state.env)), None)
        fits = element[0] != "matrix" or draw.has_flags(value, element[3:])
        if failing is None and fits:
            return ""
    if failing is not None and _jointly(cell, scope, state, rng):
        return ""
    name = cell[0] + (str(list(cell[1])) if cell[1] else "")
    return failed(name, failing) if failing else f"no value for {name}"


def _jointly(cell: Cell, scope: Scope, state: State, rng: np.random.Generator) -> bool:
    """Solve the equations of the real numbers that wait here together with the earlier ones.

    Two equations for two unknowns, polar coordinates for example, cannot be met one by one.
    """
    waiting = [i for i in state.ready.get(cell, []) if i.fact.relation[0] == "="]
    numbers = sorted({c for i in waiting for c in i.cells
                      if scope.sorts[c[0]] == ("real",)} | {cell})
    if len(numbers) < 2 or scope.sorts[cell[0]] != ("real",):
        return False
    done = [c for c in state.ready if c == cell or c in state.placed]
    touched = [i for c in done for i in state.ready[c] if i.cells & set(numbers)]
    equations = [i for i in touched if i.fact.relation[0] == "="]

    def gap(values: np.ndarray) -> np.ndarray:
        for c, value in zip(numbers, values, strict=True):
            put(c, np.float64(value), state)
        return np.concatenate([residual(i, state.env) for i in equations])
    for _ in range(DRAWS):
        found = draw.solve(gap, rng.normal(scale=1.5, size=len(numbers)))
        if found is not None:
            gap(found)
            if all(holds(i, state.env) for i in touched):
                return True
    return False


def _candidates(cell: Cell, element: tuple, seen: list[Instance], state: State,
                rng: np.random.Generator) -> Iterable[Any]:
    if cell in state.proposals:
        yield np.float64(state.proposals[cell])
    if element[0] in ("real", "integer"):
        yield from _numbers(cell, element[0], seen, state, rng)
        return
    equations = [i for i in seen if i.fact.relation[0] == "="]
    for _ in range(DRAWS if seen or element[0] == "matrix" else 1):
        flags = element[3:]
        start = _start(cell, element, seen, state, rng)
        if not equations:
            yield start
            continue

        def gap(parameters: np.ndarray, like: Any = start, flags: tuple = flags) -> np.ndarray:
            put(cell, draw.pack(parameters, like, flags), state)
            return np.concatenate([residual(i, state.env) for i in equations])
        found = draw.solve(gap, draw.unpack(start, flags))
        if found is not None:
            yield draw.pack(found, start, flags)


def _numbers(cell: Cell, kind: str, seen: list[Instance], state: State,
             rng: np.random.Generator) -> Iterable[Any]:
    low, high, exact = bounds(*cell, seen, state) if seen else (-np.inf, np.inf, [])
    if exact:
        yield np.float64(exact[0])
        return
    for equation in (i for i in seen if i.fact.relation[0] == "="):
        if not np.any(_along(*cell, equation, state)):
            continue        # it holds whatever the value
        def gap(x: float, equation: Instance = equation) -> float:
            put(cell, np.float64(x), state)
            values = residual(equation, state.env)
            return float(values[np.argmax(np.abs(values))])
        yield from (np.float64(x) for x in draw.roots(gap, rng, low, high))
    for _ in range(DRAWS if seen else 1):
        value = (draw.integer(rng, low, high, False) if kind == "integer"
                 else draw.number(rng, low, high, state.corner))
        if value is None:
            return
        yield np.float64(value)


def _start(cell: Cell, element: tuple, seen: list[Instance], state: State,
           rng: np.random.Generator) -> Any:
    """A complex number, or a matrix with its flags, on the right side of `psd` facts about it."""
    if element[0] == "complex":
        return np.complex128(complex(rng.normal(), rng.normal()))
    here = state.env[cell[0]]
    rows, cols = (here.entries if isinstance(here, Table) else here).shape[-2:]
    value = draw.matrix(rng, rows, cols, element[3:])
    for instance in seen:
        relation = instance.fact.relation
        if relation[0] != "psd" or cell[1] or cell[0] not in relation[1:]:
            continue
        left, right = instance.sides(state.env)
        if relation[1] == cell[0]:
            return value @ value.T + right
        if not unknown(left):
            return _below(np.asarray(left), value, rng)
    return value


def _below(top: np.ndarray, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A symmetric matrix below `top`, positive definite where `top` is."""
    eigenvalues, vectors = np.linalg.eigh((top + top.T) / 2)
    if eigenvalues.min() <= 0:
        return top - value @ value.T
    root = vectors * np.sqrt(eigenvalues) @ vectors.T
    turn = draw.matrix(rng, len(top), len(top), ("orthogonal",))
    return root @ (turn * rng.uniform(0.05, 0.95, len(top)) @ turn.T) @ root
