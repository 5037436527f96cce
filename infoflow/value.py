"""The value of a task at given tokens: by dynamic programming along its tree, and by brute force.

Tables have an axis of length T for each index. A message is maximised over one axis and kept by
the index that is eliminated next; its argmaxima are what attention has to retrieve.
Source: elimination is classical (Dechter 1999); that the tree is InfoFlow's is ours.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from infoflow.elimination import OUT, Step
from infoflow.objective import Factor, Objective, tokens_of
from infoflow.task import Task
from infoflow.term import TaskError, Term, calls, positions
from infoflow.tree import Tree

MOST_TUPLES = 10**8
MOST_NUMBERS = 3 * 10**7        # in one table: 240 MB
AROUND = {"sqrt": np.sqrt, "exp": np.exp, "log": np.log}
Table = tuple[tuple[str, ...], np.ndarray]


def draw(task: Task, T: int, rng: np.random.Generator) -> tuple[np.ndarray, dict[str, Any]]:
    """Random tokens N(0, I), matrices, vectors, and smooth functions for those named by `fn`."""
    d = task.d
    affordable(task, max(T, d))
    env: dict[str, Any] = {n: rng.normal(size=(d, d)) for n in task.matrices}
    for name in task.symmetric:
        half = rng.normal(size=(d, d))
        env[name] = (half + half.T) / 2
    env |= {n: rng.normal(size=d) for n in task.vectors}
    env |= {f: _smooth(size, d, rng) for f, size in functions(task).items()}
    return rng.normal(size=(T, d)), env


def affordable(task: Task, T: int, order: int = 1) -> None:
    """Raise TaskError where a table of tuples, of d numbers each, would not fit in memory."""
    if T**order * task.d > MOST_NUMBERS:
        raise TaskError(f"simulate: {task.name}", f"tables of {T**order * task.d:.1e} numbers",
                        f"at most {MOST_NUMBERS:.0e}", "take fewer tokens, or a smaller d")


def functions(task: Task) -> dict[str, int]:
    """The opaque functions of a task and how many tokens they read (0: the whole sequence)."""
    return {name: 0 if count == "all" else int(count) for t in task.terms
            for name, count in calls(t)}


def _smooth(size: int, d: int, rng: np.random.Generator) -> Callable:
    weights = rng.normal(size=(max(size, 1), d))

    def f(*tokens: np.ndarray) -> Any:
        if size == 0:
            return float(np.sum(np.sin(tokens[0] @ weights[0])))
        return np.sin(sum(x @ w for x, w in zip(tokens, weights, strict=True)))
    return f


def checked(task: Task, X: Any, env: Mapping[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
    """Tokens and letters as float arrays; raises TaskError naming what does not fit."""
    X = np.asarray(X, dtype=float)
    where = f"simulate: {task.name}"
    if X.ndim != 2 or X.shape[1] != task.d or not len(X) or task.T not in (None, len(X)):
        raise TaskError(where, f"tokens of shape {X.shape}", f"({task.T or 'T'}, {task.d})",
                        "give a token a row")
    last = max((p for t in task.terms for p in positions(t)), default=1)
    if last > len(X):
        raise TaskError(where, f"{len(X)} tokens", f"at least {last}, as x[{last}] is read",
                        "give more tokens")
    if fewest_tokens(task) > len(X):
        raise TaskError(where, f"{len(X)} tokens", f"at least {fewest_tokens(task)} different "
                        "ones, as the task ranks or pairs them", "give more tokens")
    letters: dict[str, Any] = {}
    shapes = {**dict.fromkeys((*task.matrices, *task.symmetric), (task.d, task.d)),
              **dict.fromkeys(task.vectors, (task.d,))}
    for name, shape in shapes.items():
        value = np.asarray(env[name], dtype=float) if name in env else None
        if value is None or value.shape != shape or not np.isfinite(value).all():
            found = "nothing" if value is None else f"shape {value.shape}" if \
                value.shape != shape else "nan or inf"
            raise TaskError(where, f"{found} for {name}", f"finite numbers of shape {shape}",
                            f"give {name}")
        letters[name] = value
    missing = [f for f in functions(task) if not callable(env.get(f))]
    if missing or not np.isfinite(X).all():
        what = f"no function {missing[0]}" if missing else "nan or inf among the tokens"
        raise TaskError(where, what, "finite tokens, and a function for each fn(..)",
                        "add it to the letters" if missing else "correct those rows")
    return X, letters | {n: env[n] for n in (*functions(task), "F0") if n in env}


def fewest_tokens(task: Task) -> int:
    """The fewest tokens that a task can have: its last fixed position, its ranks and pairs."""
    return max(1, *(max(t.k, len(t.over) * t.distinct, *positions(t), 1) for t in task.terms))


def applied(names: Sequence[str], value: Any) -> Any:
    """The monotone functions around a value, outermost first; nan where they have no value."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for name in reversed(names):
            value = AROUND[name](value)
    return value


def brute_force(term: Term, X: np.ndarray, env: Mapping[str, Any]) -> Any:
    """The value of a max, arg or kth term by trying every tuple.

    Raises TaskError beyond 10^8 tuples.
    """
    if len(X) ** len(term.over) > MOST_TUPLES:
        raise TaskError("brute force", f"{len(X)}^{len(term.over)} tuples", f"at most "
                        f"{MOST_TUPLES}", "take fewer tokens")
    grid = _total(term.over, term.objective, [], X, env)
    if term.distinct:
        grid = np.where(_repeats(grid.shape), -np.inf, grid)
    if term.op == "kth":
        return _finished(term, np.sort(grid)[-term.k], X, env)
    if term.op == "arg":
        best = np.unravel_index(np.argmax(grid), grid.shape)
        return _output(term, dict(zip(term.over, map(int, best), strict=True)), X)
    return _finished(term, grid.max(), X, env)


def outer(task: Task, values: Sequence[Any], env: Mapping[str, Any]) -> Any:
    """F0 of the terms: their sum where all are of one shape, `env["F0"]` where outer is any."""
    if task.outer == "any":
        return env["F0"](*values) if "F0" in env else tuple(values)
    shapes = {np.shape(v) for v in values}
    return sum(values[1:], values[0]) if len(shapes) == 1 else tuple(values)


def steps_of(tree: Tree, place: int) -> list[Step]:
    """The steps that eliminate the indices of a term, in order."""
    return [n.step for n in tree.nodes if n.term == place]


def solve(tree: Tree, place: int, X: np.ndarray, env: Mapping) -> tuple[Any, dict[str, Any]]:
    """The value of a term by elimination, and for each index its best choice given its scope."""
    term = tree.task.terms[place]
    if term.op == "whole":
        return float(term.weight) * env[term.objective[0][0][1]](X), {}
    if term.op in ("mean", "read"):
        return _plain(term, X, env), {}
    received: dict[str, list[Table]] = {}
    tables: dict[str, np.ndarray] = {}
    for step in steps_of(tree, place):
        axes = (step.index, *step.scope)
        total = _total(axes, step.own, received.get(step.index, []), X, env)
        worst = -np.inf if step.op == "max" else np.inf
        if step.apart:
            total = np.where(_repeats(total.shape, first=True), worst, total)
        pick = np.argmax if step.op == "max" else np.argmin
        tables[step.index] = pick(total, axis=0)
        message = (total.max if step.op == "max" else total.min)(axis=0)
        received.setdefault(step.parent, []).append((step.scope, message))
    if term.op == "arg":
        return _output(term, chosen_tuple(steps_of(tree, place), tables), X), tables
    return _finished(term, sum(float(m) for _, m in received[OUT]), X, env), tables


def _finished(term: Term, best: float, X: np.ndarray, env: Mapping) -> float:
    value = term.sign * float(best) + sum(float(c) * float(_table(f, X, env)[1])
                                          for f, c in term.offset)
    return float(term.weight) * float(applied(term.around, value))


def _plain(term: Term, X: np.ndarray, env: Mapping) -> Any:
    """A mean or a reading: a number, or a vector of d."""
    total: Any = 0.0
    for factor, c in term.objective:
        if term.size:
            total = total + float(c) * np.mean(_table(factor, X, env)[1])
        else:
            chain, (kind, name) = factor
            base = env[name] if kind == "v" else X[name - 1] if isinstance(name, int) else \
                X.mean(axis=0)
            total = total + float(c) * (_chain(chain, env, len(base)) @ base)
    return float(term.weight) * applied(term.around, total)


def chosen_tuple(steps: Sequence[Step], tables: Mapping[str, np.ndarray]) -> dict[str, int]:
    """The best tuple (positions from 0), traced back from the root."""
    found: dict[str, int] = {}
    for step in reversed(steps):
        found[step.index] = int(tables[step.index][tuple(found[s] for s in step.scope)])
    return found


def _output(term: Term, chosen: Mapping[str, int], X: np.ndarray) -> np.ndarray:
    """The tokens that an argmax hands on, one after another; neighbours wrap round the ends."""
    tokens = [X[(chosen[index] + shift) % len(X)] for index, shift in term.output]
    return float(term.weight) * np.concatenate(tokens)


def _total(axes: tuple[str, ...], own: Objective, received: Sequence[Table], X: np.ndarray,
           env: Mapping) -> np.ndarray:
    """The sum of factors and messages as a table over `axes`, every axis of length T."""
    total = np.zeros((len(X),) * len(axes))
    parts = [(a, float(c) * t) for (a, t), c in ((_table(f, X, env), c) for f, c in own)]
    for names, table in (*parts, *received):
        order = sorted(range(len(names)), key=lambda k: axes.index(names[k]))
        table = np.transpose(table, order)
        shape = [len(X) if a in names else 1 for a in axes]
        total = total + table.reshape(shape)
    return total


def _table(factor: Factor, X: np.ndarray, env: Mapping) -> Table:
    """A factor at all tokens: the bound indices that it reads, and an array over them."""
    if not factor:
        return (), np.array(1.0)
    if factor[0] == "con":
        return (), env[factor[1]] @ _chain(factor[2], env, X.shape[1]) @ env[factor[3]]
    axes = tuple(t for t in tokens_of(factor) if isinstance(t, str))
    place = {name: k for k, name in enumerate(axes)}

    def token(t: Any) -> np.ndarray:
        if isinstance(t, int):
            return X[t - 1]
        return X.reshape([len(X) if k == place[t] else 1 for k in range(len(axes))] + [-1])
    if factor[0] == "fn":
        table = env[factor[1]](*(token(t) for t in factor[2]))
        return axes, np.broadcast_to(table, (len(X),) * len(axes))
    M = _chain(factor[2], env, X.shape[1])
    if factor[0] == "lin":
        return axes, token(factor[1]) @ (M @ env[factor[3]])
    return axes, np.sum((token(factor[1]) @ M) * token(factor[3]), axis=-1)


def _chain(chain: Sequence[tuple], env: Mapping, d: int) -> np.ndarray:
    product = np.eye(d)
    for name, flag in chain:
        product = product @ (env[name].T if flag else env[name])
    return product


def _repeats(shape: tuple[int, ...], first: bool = False) -> np.ndarray:
    """Where two indices of a grid are equal; with `first`, where the first equals another."""
    grid = np.indices(shape, sparse=True)
    found = np.zeros(shape, dtype=bool)
    for a in range(1 if first else len(shape)):
        for b in range(a + 1, len(shape)):
            found |= grid[a] == grid[b]
    return found
