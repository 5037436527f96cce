"""What each position can know: information sets, layer by layer.

A position holds a set of input positions: a token itself at first, CLS nothing. A head adds the set
of the token it retrieves, or of fixed positions, or everything. What is retrieved are the argmaxima
of the dynamic programme along the comparison tree, and the question is whether the tuple that the
answer is made of reaches CLS (position T + 1).
Source: the modes are InfoFlow's (arXiv 2605.17930, from summaries), details ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from infoflow.elimination import Step
from infoflow.plan import plan
from infoflow.schedule import CLS, TOKEN, fill
from infoflow.term import Term, positions
from infoflow.tree import Tree
from infoflow.value import (
    affordable,
    brute_force,
    checked,
    chosen_tuple,
    draw,
    fewest_tokens,
    functions,
    outer,
    solve,
    steps_of,
)

Sets = tuple[frozenset[int], ...]


@dataclass(frozen=True, eq=False)
class Flow:
    """A simulated input. `sets[l]` are the sets of positions 1..T+1 after l layers.

    `traces` says for each job what each query retrieves (positions from 1; one entry for CLS),
    `active` the positions that the answer is made of, `covered` whether CLS holds them at last.
    """

    value: Any
    values: tuple[Any, ...]
    sets: tuple[Sets, ...]
    traces: dict[int, np.ndarray]
    active: frozenset[int]

    @property
    def covered(self) -> bool:
        """Whether the true active tuples are within the last set of CLS."""
        return self.active <= self.sets[-1][-1]


def simulate(tree: Tree, X: np.ndarray, env: Mapping[str, Any], heads: Sequence[int] | None = None,
             without: Sequence[int] = ()) -> Flow:
    """The value of a task at tokens X (T, d), and how information flows for these heads.

    `env` gives the matrices, the vectors, and each opaque function, called with one array of
    tokens (.., d) for each that it reads. `without` names jobs left out. The least plan is taken
    without `heads`. Raises TaskError for shapes that do not fit and for nan or inf.
    """
    X, env = checked(tree.task, X, env)
    affordable(tree.task, len(X), max(tree.order, 1))
    solved = [solve(tree, place, X, env) for place in range(len(tree.task.terms))]
    traces, active = _traces(tree, solved, len(X)), set()
    for place, (_, tables) in enumerate(solved):
        active |= _active(tree.task.terms[place], steps_of(tree, place), tables, len(X))
    placed: dict[int, int] = {}
    layers = len(heads) if heads else 1
    if tree.order <= 2:
        layers = len(heads) if heads else tree.depth
        placed = fill(tree.jobs, heads)[0] if heads else plan(tree).layers
    sets = [_start(len(X))]
    for layer in range(1, layers + 1):
        here = [j for j, at in placed.items() if at == layer and j not in without]
        moves = [(tree.jobs[j].pool, traces[j]) for j in here if j in traces]
        everything = tree.outside and layer == 1
        sets.append(propagate(sets[-1], moves, everything))
    values = tuple(value for value, _ in solved)
    return Flow(outer(tree.task, values, env), values, tuple(sets), traces, frozenset(active))


def _start(T: int) -> Sets:
    return (*(frozenset({t}) for t in range(1, T + 1)), frozenset())


def propagate(sets: Sets, moves: Sequence[tuple[str, np.ndarray]],
              everything: bool = False) -> Sets:
    """The sets after a layer whose heads all read the layer before.

    A move asked by tokens is an array (T, r) of the positions that each token reads, one asked by
    CLS an array (1, r). `everything`: CLS aggregates all tokens.
    """
    T = len(sets) - 1
    found = [set(s) for s in sets]
    for pool, read in moves:
        queries = range(T) if pool == TOKEN else [T]
        for row, query in zip(np.broadcast_to(read, (len(queries), read.shape[1])), queries,
                              strict=True):
            found[query].update(*(sets[s - 1] for s in row))
    if everything:
        found[T].update(range(1, T + 1))
    return tuple(map(frozenset, found))


def coverage(tree: Tree, T: int, draws: int, rng: np.random.Generator,
             without: Sequence[int] = ()) -> float:
    """The share of random inputs whose active tuples reach CLS, some jobs left out."""
    hits = 0
    for _ in range(draws):
        X, env = draw(tree.task, T, rng)
        hits += simulate(tree, X, env, without=without).covered
    return hits / draws


def _active(term: Term, steps: Sequence[Step], tables: Mapping, T: int) -> set[int]:
    """The positions (from 1) that a term's value is made of."""
    chosen = chosen_tuple(steps, tables) if tables else {}
    found = {c + 1 for c in chosen.values()} | positions(term)
    found |= {(chosen[index] + shift) % T + 1 for index, shift in term.output}
    return found | (set(range(1, T + 1)) if term.op == "whole" else set())


def _traces(tree: Tree, solved: Sequence[tuple], T: int) -> dict[int, np.ndarray]:
    """For each job the positions that its queries read; nothing for comparisons of triples."""
    traces: dict[int, np.ndarray] = {}
    for node in tree.nodes:
        table = solved[node.term][1][node.step.index]
        if np.ndim(table) <= 1:
            traces[node.comparator] = np.reshape(table, (-1, 1)) + 1
    for job in tree.jobs[len(tree.comparators):]:
        says = tree.says[job.id]
        if says.startswith("read position"):
            numbers = says.removeprefix("read position").lstrip("s").split(",")
            traces[job.id] = np.array([[int(n) for n in numbers]])
        elif says.startswith("read the neighbour"):
            shift = int(says.rsplit(" ", 1)[1])
            traces[job.id] = ((np.arange(T) + shift) % T + 1)[:, None]
    return traces


__all__ = ["CLS", "Flow", "brute_force", "coverage", "draw", "fewest_tokens", "functions",
           "propagate", "simulate"]
