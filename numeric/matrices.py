"""Matrix heads. A number is a 1 x 1 matrix; what is singular is `nan` throughout."""

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric.arithmetic import (
    Arithmetic,
    Close,
    Closure,
    Scope,
    is_matrix,
    scalar,
    times,
    whole,
)


def _matrix(term: tuple, scope: Scope, close: Close) -> Closure:
    rows = term[1:]
    if not all(isinstance(r, tuple) and r[0] == "row" and len(r) == len(rows[0]) for r in rows):
        raise ValueError("'matrix' has rows of one length")
    parts = [[close(t) for t in row[1:]] for row in rows]

    def value(env: dict) -> np.ndarray:
        entries = [[scalar(p(env), "matrix") for p in row] for row in parts]
        return scope.arithmetic.array(entries)
    return value


def _square(head: str, act: Callable[[Any, Arithmetic], Any]) -> Callable:
    """A builder for a matrix operation; a number is a 1 x 1 matrix."""
    def build(term: tuple, scope: Scope, close: Close) -> Closure:
        inner = close(term[1])

        def value(env: dict) -> Any:
            m = inner(env)
            if not is_matrix(m):
                m = scope.arithmetic.array([[m]])
            if head != "T" and m.shape[0] != m.shape[1]:
                raise ValueError(f"{head!r} of a matrix of shape {m.shape}")
            return act(m, scope.arithmetic)
        return value
    return build


def matrix_power(base: np.ndarray, n: int | None, arithmetic: Arithmetic) -> Any:
    if base.shape[0] != base.shape[1]:
        raise ValueError(f"'^' of a matrix of shape {base.shape}")
    if n is None or abs(n) > 1000:
        return arithmetic.nan
    if n < 0:
        base, n = arithmetic.inverse(base), -n
    return times([base] * n) if n else _identity(len(base), arithmetic)


def _identity(n: int, arithmetic: Arithmetic) -> np.ndarray:
    zero, one = arithmetic.number(0), arithmetic.number(1)
    return arithmetic.array([[one if i == j else zero for j in range(n)] for i in range(n)])


def _eye(term: tuple, scope: Scope, close: Close) -> Closure:
    n = close(term[1])

    def value(env: dict) -> Any:
        order = whole(n(env))
        return scope.arithmetic.nan if order is None or not 1 <= order <= 1000 else _identity(
            order, scope.arithmetic)
    return value


def _zeros(term: tuple, scope: Scope, close: Close) -> Closure:
    rows, cols = close(term[1]), close(term[2])

    def value(env: dict) -> Any:
        m, n = whole(rows(env)), whole(cols(env))
        if m is None or n is None or min(m, n) < 1 or max(m, n) > 1000:
            return scope.arithmetic.nan
        zero = scope.arithmetic.number(0)
        return scope.arithmetic.array([[zero] * n for _ in range(m)])
    return value


def _kronecker(term: tuple, scope: Scope, close: Close) -> Closure:
    one, two = close(term[1]), close(term[2])

    def value(env: dict) -> Any:
        return np.kron(one(env), two(env))
    return value


def _vec(term: tuple, scope: Scope, close: Close) -> Closure:
    inner = close(term[1])

    def value(env: dict) -> Any:
        m = inner(env)
        return m.T.reshape(-1, 1) if is_matrix(m) else scope.arithmetic.array([[m]])
    return value


STRUCTURE = {
    "matrix": _matrix, "eye": _eye, "zeros": _zeros, "T": _square("T", lambda m, _: m.T),
    "trace": _square("trace", lambda m, _: sum((m[i, i] for i in range(1, len(m))), m[0, 0])),
    "kron": _kronecker, "vec": _vec,
    "inv": _square("inv", lambda m, a: a.inverse(m)),
    "det": _square("det", lambda m, a: a.determinant(m)),
}
