"""A term becomes a closure: compiled once, run at many points, in any backend's arithmetic.

Sums with whole bounds run from low to high and are empty when high < low. Undefined is `nan`.
Only a malformed term raises: ValueError naming the head.
"""

from collections.abc import Callable
from operator import eq, le, lt, ne
from typing import Any

import numpy as np

from numeric import binders, derivatives, entries, matrices
from numeric.arithmetic import (
    Arithmetic,
    Close,
    Closure,
    Scope,
    is_matrix,
    plus,
    scalar,
    size,
    times,
    unknown,
    whole,
)
from numeric.points import Table, environment, sorts_of
from symbolic.kernel.term import HEADS, Term, free, heads


def compile_term(term: Term, symbols: Any, arithmetic: Arithmetic,
                 rates: tuple = ()) -> Callable[[dict], Any]:
    """A function of a point (see `numeric.points`) that gives the value of the term.

    A number, an array for a matrix, `nan` (or an array of them) where undefined or overflowing.
    Raises ValueError for a malformed term, a name without a value, shapes that do not fit.
    """
    scope = Scope(arithmetic, sorts_of(symbols), tuple(rates))
    try:
        run = closure(term, scope)
        needed = free(term) | _names_of_rates(scope, term)
    except RecursionError:
        raise ValueError("the term is nested too deeply to be evaluated") from None

    def value(point: dict) -> Any:
        try:
            with np.errstate(all="ignore"):
                env = environment(_relevant(point, needed, scope), scope.sorts, arithmetic,
                                  lambda t, e: closure(t, scope)(e))
                return _finite(run(env), arithmetic)
        except RecursionError:
            raise ValueError("the term is nested too deeply to be evaluated") from None
    return value


def _relevant(point: dict, needed: frozenset, scope: Scope) -> dict:
    """The part of a point that a term reads: its names, and those of their ranges and sizes."""
    names, todo = set(), list(needed)
    while todo:
        name = todo.pop()
        if name not in names:
            names.add(name)
            todo += _names_in_sort(scope.sorts.get(name, ("real",)))
    return {name: value for name, value in point.items() if name in names}


def _names_in_sort(sort: tuple) -> list[str]:
    parts = sort[1:3] if sort[0] == "matrix" else [p for r in sort[2:] for p in r[2:]]
    inner = _names_in_sort(sort[1]) if sort[0] == "family" else []
    return inner + [name for part in parts for name in free(part)]


def _names_of_rates(scope: Scope, term: Term) -> frozenset:
    if "diff" not in heads(term):
        return frozenset()
    return frozenset().union(*(free(body) | {name} for name, _, body in scope.rates))


def _finite(value: Any, arithmetic: Arithmetic) -> Any:
    """The value, with `nan` for anything infinite: an overflow decides nothing."""
    if getattr(value, "ndim", 0):
        xp = arithmetic.xp
        exact = value.dtype == object
        return value if exact else xp.where(xp.isfinite(value), value, arithmetic.nan)
    return arithmetic.nan if not unknown(value) and size(value) == float("inf") else value


def closure(term: Term, scope: Scope) -> Closure:
    """The closure of a term over an environment; raises ValueError naming a malformed head."""
    if isinstance(term, str):
        return _name(term)
    if type(term) is int:
        value = scope.arithmetic.number(term)
        return lambda env: value
    if not isinstance(term, tuple) or not term or term[0] not in HEADS:
        raise ValueError(f"not a term: unknown head {str(term)[:40]!r}")
    head = term[0]
    fewest, most = HEADS[head]
    if len(term) - 1 < fewest or (most is not None and len(term) - 1 > most):
        raise ValueError(f"{head!r} with {len(term) - 1} arguments")
    if head in STRUCTURE:
        return STRUCTURE[head](term, scope, lambda t: closure(t, scope))
    if head in scope.arithmetic.constants:
        constant = scope.arithmetic.constants[head]
        return lambda env: constant()
    if head in scope.arithmetic.functions:
        return _function(term, scope, lambda t: closure(t, scope))
    raise ValueError(f"{head!r} has no numeric value here")


def _name(name: str) -> Closure:
    def read(env: dict) -> Any:
        try:
            value = env[name]
        except KeyError:
            raise ValueError(f"no value for the name {name!r}") from None
        if isinstance(value, Table):
            raise ValueError(f"the family {name!r} is used without its indices")
        return value
    return read


def _function(term: tuple, scope: Scope, close: Close) -> Closure:
    head, call = term[0], scope.arithmetic.functions[term[0]]
    parts = [close(t) for t in term[1:]]
    if len(parts) == 1:
        only = parts[0]
        return lambda env: call(scalar(only(env), head))
    return lambda env: call(*(scalar(p(env), head) for p in parts))


def _add(term: tuple, scope: Scope, close: Close) -> Closure:
    parts = [close(t) for t in term[1:]]

    def total(env: dict) -> Any:
        value = parts[0](env)
        for part in parts[1:]:
            value = plus(value, part(env))
        return value
    return total


def _negate(term: tuple, scope: Scope, close: Close) -> Closure:
    inner = close(term[1])
    return lambda env: -inner(env)


def _multiply(term: tuple, scope: Scope, close: Close) -> Closure:
    parts = [close(t) for t in term[1:]]
    return lambda env: times([p(env) for p in parts])


def _divide(term: tuple, scope: Scope, close: Close) -> Closure:
    above, below = close(term[1]), close(term[2])
    quotient, one = scope.arithmetic.functions["/"], scope.arithmetic.number(1)

    def value(env: dict) -> Any:
        numerator, divisor = above(env), scalar(below(env), "/")
        if is_matrix(numerator):
            return times([quotient(one, divisor), numerator])
        return quotient(numerator, divisor)
    return value


def _power(term: tuple, scope: Scope, close: Close) -> Closure:
    base, exponent, literal_zero = close(term[1]), close(term[2]), term[2] == 0
    arithmetic = scope.arithmetic

    def value(env: dict) -> Any:
        b = base(env)
        if is_matrix(b) and b.shape != (1, 1):
            return matrices.matrix_power(b, whole(exponent(env)), arithmetic)
        b = scalar(b, "^")
        if literal_zero:
            return b * 0 + arithmetic.number(1)
        return arithmetic.power(b, scalar(exponent(env), "^"))
    return value


def _truth(term: Term, scope: Scope, close: Close) -> Closure:
    """Whether a condition holds, or None where a side is undefined."""
    if not isinstance(term, tuple) or term[0] not in COMPARE:
        raise ValueError(f"'cases' with the condition {str(term)[:40]}")
    left, right = close(term[1]), close(term[2])
    real, compare = scope.arithmetic.functions["real"], COMPARE[term[0]]

    def value(env: dict) -> bool | None:
        a, b = scalar(left(env), term[0]), scalar(right(env), term[0])
        if term[0] in ("<", "<="):
            a, b = real(a), real(b)
        if unknown(a) or unknown(b):
            return None
        return bool(compare(a, b))
    return value


def _cases(term: tuple, scope: Scope, close: Close) -> Closure:
    branches = []
    for case in term[1:-1]:
        if not isinstance(case, tuple) or case[0] != "case" or len(case) != 3:
            raise ValueError("'cases' has cases, then the value otherwise")
        branches.append((_truth(case[1], scope, close), close(case[2])))
    otherwise = close(term[-1])

    def value(env: dict) -> Any:
        for holds, branch in branches:
            truth = holds(env)
            if truth is None:
                return scope.arithmetic.nan
            if truth:
                return branch(env)
        return otherwise(env)
    return value


COMPARE = {"=": eq, "!=": ne, "<": lt, "<=": le}
STRUCTURE: dict[str, Callable[[tuple, Scope, Close], Closure]] = {
    "+": _add, "-": _negate, "*": _multiply, "/": _divide, "^": _power, "cases": _cases,
    **entries.STRUCTURE, **matrices.STRUCTURE, **binders.STRUCTURE, **derivatives.STRUCTURE,
}
