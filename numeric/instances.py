"""Facts at a point: a fact about all indices in its ranges becomes one instance an index.

A cell is what is drawn at once: a scalar `(name, ())`, an entry of a family `(name, indices)`, or
a whole matrix. An instance knows which cells it mentions, so it can be tested, or solved for its
last cell, as soon as the others are known.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from numeric.arithmetic import Scope, is_matrix, minus, plus, scalar, size, unknown, whole
from numeric.compiled import closure
from symbolic.kernel.term import BINDERS, Term, children

Cell = tuple[str, tuple[int, ...]]
EQUAL_WITHIN, PSD_WITHIN = 1e-9, 1e-10
TOO_MANY = 20_000


@dataclass(frozen=True)
class Fact:
    """A relation, its ranges, and both sides compiled."""

    relation: tuple
    ranges: tuple
    left: Callable[[dict], Any]
    right: Callable[[dict], Any]


@dataclass(frozen=True)
class Instance:
    """A fact at one choice of its indices, and the cells it mentions."""

    fact: Fact
    binding: Mapping[str, Any]
    cells: frozenset[Cell] = field(default_factory=frozenset)

    def sides(self, env: dict) -> tuple[Any, Any]:
        """Both sides at an environment; ValueError where a shape does not fit."""
        inner = {**env, **self.binding} if self.binding else env
        return self.fact.left(inner), self.fact.right(inner)


def compiled_fact(fact: tuple, scope: Scope) -> Fact:
    """A fact with its sides compiled; raises ValueError for a malformed one."""
    relation, ranges = (fact[1], fact[2:]) if fact[0] == "all" else (fact, ())
    return Fact(relation, ranges, closure(relation[1], scope), closure(relation[2], scope))


def instances(fact: Fact, env: dict, scope: Scope) -> Iterator[Instance]:
    """The instances of a fact, ranges from left to right, later ones using earlier names."""
    for binding in _bindings(fact.ranges, {}, env, scope):
        inner = {**env, **binding}
        found = mentioned(fact.relation, inner, scope, frozenset(binding))
        yield Instance(fact, binding, frozenset(found))


def _bindings(ranges: tuple, binding: dict, env: dict, scope: Scope) -> Iterator[dict]:
    if not ranges:
        yield binding
        return
    _, name, low, high = ranges[0]
    inner = {**env, **binding}
    first, last = (whole(closure(t, scope)(inner)) for t in (low, high))
    if first is None or last is None or last - first > TOO_MANY:
        raise ValueError(f"the range {name} in {low}..{high} has no whole ends at this point")
    for k in range(first, last + 1):
        yield from _bindings(ranges[1:], {**binding, name: scope.arithmetic.number(k)}, env, scope)


def mentioned(term: Term, env: dict, scope: Scope, bound: frozenset) -> set[Cell]:
    """The cells that a term reads at an environment in which whole numbers are known."""
    if isinstance(term, str):
        return {(term, ())} if term in scope.sorts and term not in bound else set()
    if not isinstance(term, tuple):
        return set()
    if term[0] == "at":
        indices = [_index(t, env, scope) for t in term[2:]]
        inner = set().union(*(mentioned(t, env, scope, bound) for t in term[2:]))
        return inner | _cells_of(term[1], indices, env)
    if term[0] in ("sum", "prod"):
        return _mentioned_in_sum(term, env, scope, bound)
    if term[0] in BINDERS:
        bound = bound | {term[2]}
    return set().union(*(mentioned(t, env, scope, bound) for t in children(term)))


def _mentioned_in_sum(term: tuple, env: dict, scope: Scope, bound: frozenset) -> set[Cell]:
    found = mentioned(term[3], env, scope, bound) | mentioned(term[4], env, scope, bound)
    first, last = _index(term[3], env, scope), _index(term[4], env, scope)
    if first is None or last is None or last - first > TOO_MANY:
        return found | mentioned(term[1], env, scope, bound | {term[2]})
    for k in range(first, last + 1):
        inner = {**env, term[2]: scope.arithmetic.number(k)}
        found |= mentioned(term[1], inner, scope, bound | {term[2]})
    return found


def _index(term: Term, env: dict, scope: Scope) -> int | None:
    """The whole number a term stands for, or None while it is not known."""
    if type(term) is int:
        return term
    if isinstance(term, str):
        return whole(env[term]) if term in env else None
    try:
        return whole(closure(term, scope)(env))
    except ValueError:
        return None


def _cells_of(family: str, indices: list, env: dict) -> set[Cell]:
    """One cell, or every cell of the table when an index is unknown; none below it."""
    table = env.get(family)
    if table is None:
        return {(family, ())}
    lengths = table.entries.shape[:len(indices)]
    if None not in indices:
        below = any(i < low for i, low in zip(indices, table.lows, strict=False))
        return set() if below else {(family, tuple(indices))}
    ranges = [(low, low + n) if i is None else (i, i + 1)
              for i, low, n in zip(indices, table.lows, lengths, strict=False)]
    every = np.ndindex(*(b - a for a, b in ranges))
    return {(family, tuple(a + k for (a, _), k in zip(ranges, place, strict=True)))
            for place in every}


def residual(instance: Instance, env: dict) -> np.ndarray:
    """left - right as a flat array of real numbers; nan where a side is undefined."""
    try:
        gap = minus(*instance.sides(env))
    except ValueError:
        return np.array([np.nan])
    flat: Any = np.atleast_1d(np.asarray(gap)).ravel()
    return np.concatenate([flat.real, flat.imag]) if np.iscomplexobj(flat) else flat


def holds(instance: Instance, env: dict) -> bool:
    """Whether the relation holds: equations within 1e-9, orders without tolerance upwards."""
    try:
        left, right = instance.sides(env)
        gap = minus(left, right)
    except ValueError:
        return False
    if unknown(gap) or size(gap) == float("inf"):
        return False
    kind, scale = instance.fact.relation[0], 1 + size(left)
    if kind == "=":
        return size(gap) <= EQUAL_WITHIN * scale
    if kind == "!=":
        return size(gap) > EQUAL_WITHIN * scale
    if kind == "psd":
        return _psd(gap, scale)
    gap = scalar(gap, kind)
    if np.iscomplexobj(gap):
        if abs(gap.imag) > EQUAL_WITHIN * scale:
            return False
        gap = gap.real
    return bool(gap < 0 if kind == "<" else gap <= 1e-12 * scale)


def _psd(gap: Any, scale: float) -> bool:
    matrix = gap if is_matrix(gap) else np.array([[gap]])
    if matrix.shape[0] != matrix.shape[1] or size(plus(matrix, -matrix.T)) > EQUAL_WITHIN * scale:
        return False
    return bool(np.linalg.eigvalsh((matrix + matrix.T) / 2).min() >= -PSD_WITHIN * scale)
