"""The values of a task at many inputs at once: what a model is trained to compute.

The same dynamic programming along the comparison tree as `infoflow.flow`, with one more axis: X is
(B, T, d), the first axis of every table is the input. Checked against `flow.simulate` in the tests.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from infoflow.elimination import OUT, Step
from infoflow.objective import Factor, Objective, tokens_of
from infoflow.term import Term
from infoflow.tree import Tree
from infoflow.value import applied

Table = tuple[tuple[str, ...], np.ndarray]


def values(tree: Tree, X: np.ndarray, env: Mapping[str, Any]) -> np.ndarray:
    """The task at inputs X (B, T, d): (B, m), m numbers an input, 1 for a sum of extrema.

    `env` as in `infoflow.flow.simulate`; terms of different shapes stand one after another.
    """
    found = [_term(tree, place, X, env).reshape(len(X), -1)
             for place in range(len(tree.task.terms))]
    if tree.task.outer == "any" and "F0" in env:
        return np.asarray(env["F0"](*(f[:, 0] for f in found))).reshape(len(X), -1)
    if tree.task.outer == "sum" and len({f.shape for f in found}) == 1:
        return np.sum(found, axis=0)
    return np.concatenate(found, axis=1)


def rankings(tree: Tree, X: np.ndarray,
             env: Mapping[str, Any]) -> dict[tuple[int, str], np.ndarray]:
    """The best and the second-best choice of each index for every query, by (term, index).

    Positions from 0, (B, 2) where CLS asks and (B, 2, T) where tokens do; what several tokens ask
    at once is left out, as are the later indices of a k-th largest.
    """
    found = {}
    for place, term in enumerate(tree.task.terms):
        steps = [n.step for n in tree.nodes if n.term == place]
        received: dict[str, list[Table]] = {}
        for step in steps if term.op in ("max", "arg") else ():
            total = _scores(step, received.get(step.index, []), X, env)
            if len(step.scope) <= 1 and X.shape[1] > 1:
                found[place, step.index] = np.flip(np.argsort(total, axis=1)[:, -2:], axis=1)
            received.setdefault(step.parent, []).append((step.scope, total.max(axis=1)))
    return found


def _scores(step: Step, received: Sequence[Table], X: np.ndarray, env: Mapping) -> np.ndarray:
    """What an elimination compares: (B, T) or more axes, the key first."""
    total = _total((step.index, *step.scope), step.own, received, X, env)
    return np.where(_repeats(total.shape[1:]), -np.inf, total) if step.apart else total


def _term(tree: Tree, place: int, X: np.ndarray, env: Mapping) -> np.ndarray:
    term = tree.task.terms[place]
    if term.op == "whole":
        act = env[term.objective[0][0][1]]
        return float(term.weight) * np.array([act(x) for x in X])
    if term.op in ("mean", "read"):
        return _plain(term, X, env)
    if term.op == "kth":
        scores = np.sort(_total(term.over, term.objective, [], X, env), axis=1)
        return _finished(term, scores[:, -term.k], X, env)
    steps = [n.step for n in tree.nodes if n.term == place]
    received: dict[str, list[Table]] = {}
    best: dict[str, np.ndarray] = {}
    for step in steps:
        total = _scores(step, received.get(step.index, []), X, env)
        if term.op == "arg":
            best[step.index] = np.argmax(total, axis=1)
        received.setdefault(step.parent, []).append((step.scope, total.max(axis=1)))
    if term.op == "arg":
        return _output(term, steps, best, X)
    return _finished(term, sum(m for _, m in received[OUT]), X, env)


def _finished(term: Term, best: Any, X: np.ndarray, env: Mapping) -> np.ndarray:
    value = term.sign * best
    for factor, c in term.offset:
        value = value + float(c) * _table(factor, X, env)[1]
    return float(term.weight) * applied(term.around, value)


def _plain(term: Term, X: np.ndarray, env: Mapping) -> np.ndarray:
    """A mean or a reading: (B,), or (B, d) for a vector."""
    total: Any = 0.0
    for factor, c in term.objective:
        if term.size:
            axes, table = _table(factor, X, env)
            total = total + float(c) * np.mean(table, axis=tuple(range(1, 1 + len(axes))))
        else:
            names, (kind, name) = factor
            base = env[name] if kind == "v" else X[:, name - 1] if isinstance(name, int) else \
                X.mean(axis=1)
            total = total + float(c) * (base @ chain(names, env, X.shape[-1]).T)
    total = applied(term.around, total)
    return float(term.weight) * np.broadcast_to(total, (len(X), *np.shape(total)[1:]))


def _output(term: Term, steps: Sequence[Step], best: Mapping[str, np.ndarray],
            X: np.ndarray) -> np.ndarray:
    """The tokens that an argmax hands on, traced back from the root, (B, m d)."""
    chosen: dict[str, np.ndarray] = {}
    rows = np.arange(len(X))
    for step in reversed(steps):
        chosen[step.index] = best[step.index][(rows, *(chosen[s] for s in step.scope))]
    tokens = [X[rows, (chosen[index] + shift) % X.shape[1]] for index, shift in term.output]
    return float(term.weight) * np.concatenate(tokens, axis=1)


def _total(axes: tuple[str, ...], own: Objective, received: Sequence[Table], X: np.ndarray,
           env: Mapping) -> np.ndarray:
    """The sum of factors and messages as a table (B, T, .., T) over `axes`."""
    B, T = X.shape[:2]
    total = np.zeros((B, *(T,) * len(axes)), dtype=X.dtype)
    parts = [(a, float(c) * t) for (a, t), c in ((_table(f, X, env), c) for f, c in own)]
    for names, table in (*parts, *received):
        order = sorted(range(len(names)), key=lambda k: axes.index(names[k]))
        table = np.transpose(table, (0, *(k + 1 for k in order)))
        total += table.reshape(B, *(T if a in names else 1 for a in axes))
    return total


def _table(factor: Factor, X: np.ndarray, env: Mapping) -> Table:
    """A factor at all tokens: the bound indices that it reads, and an array (B, ..) over them."""
    B, T, d = X.shape
    if not factor:
        return (), np.ones(B)
    if factor[0] == "con":
        value = env[factor[1]] @ chain(factor[2], env, d) @ env[factor[3]]
        return (), np.full(B, value)
    axes = tuple(t for t in tokens_of(factor) if isinstance(t, str))
    place = {name: k for k, name in enumerate(axes)}

    def token(t: Any) -> np.ndarray:
        if isinstance(t, int):
            return X[:, t - 1].reshape(B, *(1,) * len(axes), d)
        return X.reshape(B, *(T if k == place[t] else 1 for k in range(len(axes))), d)
    if factor[0] == "fn":
        table = env[factor[1]](*(token(t) for t in factor[2]))
        return axes, np.broadcast_to(table, (B, *(T,) * len(axes)))
    M = chain(factor[2], env, d)
    if factor[0] == "lin":
        return axes, token(factor[1]) @ (M @ env[factor[3]])
    if len(axes) == 2:      # a product of matrices does it without a table (B, T, T, d)
        left = X @ M
        table = left @ np.swapaxes(X, 1, 2)
        return axes, table if place[factor[1]] == 0 else np.swapaxes(table, 1, 2)
    return axes, np.sum((token(factor[1]) @ M) * token(factor[3]), axis=-1)


def chain(names: Sequence[tuple], env: Mapping, d: int) -> np.ndarray:
    """The product of a chain's matrices and transposes, (d, d)."""
    product = np.eye(d)
    for name, flag in names:
        product = product @ (env[name].T if flag else env[name])
    return product


def _repeats(shape: tuple[int, ...]) -> np.ndarray:
    """Where the first of some indices equals another."""
    first, *rest = np.indices(shape, sparse=True)
    return np.logical_or.reduce([np.broadcast_to(first == other, shape) for other in rest])
