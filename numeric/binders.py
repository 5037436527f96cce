"""Heads that bind a name: sums, products, integrals, limits."""

from collections.abc import Callable
from typing import Any

from numeric.arithmetic import (
    INEXACT,
    Arithmetic,
    Close,
    Closure,
    Scope,
    plus,
    scalar,
    times,
    unknown,
    whole,
)
from numeric.entries import numbers_only
from symbolic.kernel.term import Term, heads

LONGEST_SUM = 200_000
OO, MINUS_OO = ("oo",), ("-", ("oo",))
# Heads under which a bound name may stand for an array of all its values at once.
ELEMENTWISE = frozenset({
    "+", "-", "*", "/", "^", "pi", "e", "i", "sqrt", "exp", "log", "sin", "cos", "tan", "sinh",
    "cosh", "tanh", "asin", "acos", "atan", "atan2", "logistic", "abs", "sign", "floor",
    "delta", "max", "min", "re", "im", "conj", "at", "entry",
})


def _sum(term: tuple, scope: Scope, close: Close) -> Closure:
    arithmetic, name = scope.arithmetic, term[2]
    low, body = close(term[3]), close(term[1])
    if term[4] == OO:
        if term[0] == "prod":
            return lambda env: arithmetic.nan
        return lambda env: _series(body, name, whole(low(env)), env, arithmetic)
    high = close(term[4])
    fold = _fold(term[0], body, name, arithmetic, _by_elements(term[1], name, scope))

    def value(env: dict) -> Any:
        first, last = whole(low(env)), whole(high(env))
        if first is None or last is None or last - first > LONGEST_SUM:
            return arithmetic.nan
        if last < first:
            return arithmetic.number(0 if term[0] == "sum" else 1)
        return fold(env, first, last)
    return value


def _series(body: Closure, name: str, low: int | None, env: dict, arithmetic: Arithmetic) -> Any:
    if low is None:
        return arithmetic.nan
    return arithmetic.series(lambda k: body({**env, name: arithmetic.number(k)}), low)


def _fold(head: str, body: Closure, name: str, arithmetic: Arithmetic, at_once: bool) -> Callable:
    xp = arithmetic.xp

    def loop(env: dict, first: int, last: int) -> Any:
        env = dict(env)
        values = []
        for k in range(first, last + 1):
            env[name] = arithmetic.number(k)
            values.append(body(env))
        if head == "prod":
            return times(values)
        total = values[0]
        for value in values[1:]:
            total = plus(total, value)
        return total

    def vector(env: dict, first: int, last: int) -> Any:
        index = xp.arange(first, last + 1, dtype=xp.float64)
        values = xp.broadcast_to(body({**env, name: index}), index.shape)
        return xp.sum(values) if head == "sum" else xp.prod(values)
    return vector if at_once else loop


def _by_elements(body: Term, name: str, scope: Scope) -> bool:
    """Whether a body may be run once with the bound name standing for all its values."""
    if not scope.arithmetic.vector or not heads(body) <= ELEMENTWISE:
        return False
    return numbers_only(body, scope)


def _integral(term: tuple, scope: Scope, close: Close) -> Closure:
    arithmetic, name, body = scope.arithmetic, term[2], close(term[1])
    ends = [_end(t, scope, close) for t in term[3:]]
    nested = bool(heads(term[1]) & INEXACT)
    at_once = _by_elements(term[1], name, scope)

    def value(env: dict) -> Any:
        low, high = (e(env) for e in ends)
        if unknown(low) or unknown(high):
            return arithmetic.nan
        return arithmetic.integral(lambda x: scalar(body({**env, name: x}), "int"),
                                   low, high, nested, at_once)
    return value


def _end(term: Term, scope: Scope, close: Close) -> Closure:
    if term in (OO, MINUS_OO):
        infinite = float("inf") if term == OO else -float("inf")
        return lambda env: infinite
    inner, real = close(term), scope.arithmetic.functions["real"]
    return lambda env: real(scalar(inner(env), "int"))


def _limit(term: tuple, scope: Scope, close: Close) -> Closure:
    arithmetic, name, body = scope.arithmetic, term[2], close(term[1])
    point, side = _end(term[3], scope, close), term[4]
    if side not in (-1, 0, 1):
        raise ValueError("'limit' from a side that is none of -1, 0, 1")
    short = bool(heads(term[1]) & {"sum", "prod", "int", "diff", "factorial", "binomial"})

    def value(env: dict) -> Any:
        end = point(env)
        if unknown(end):
            return arithmetic.nan
        return arithmetic.limit(lambda x: body({**env, name: x}), end, side, short)
    return value


STRUCTURE = {"sum": _sum, "prod": _sum, "int": _integral, "limit": _limit}
