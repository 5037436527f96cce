"""The comparison tree of a task: order, dimension and number of its comparisons.

Two comparisons are the same comparator when, as functions of the key, their objectives agree up to
a positive factor and a function of the query; only distinct comparators cost heads. The words are
those of InfoFlow (arXiv 2605.17930, from summaries); the algorithm is ours.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from infoflow.elimination import OUT, Elimination, Step, eliminations
from infoflow.objective import renamed, tokens_of, written
from infoflow.schedule import CLS, TOKEN, Job, depth, fewest_heads, heights
from infoflow.task import Task
from infoflow.term import Term, positions

TUPLE = "tuple"     # asked by several tokens at once: attention has no such head
JOINT = 512         # combinations of trees tried; beyond, one term at a time


@dataclass(frozen=True)
class Comparator:
    """A distinct comparison: its number, who asks, how many tokens it compares, what for.

    `size` counts the tokens of the tuple that it finds, `after` the comparators it builds on.
    `canon` is its normal form, in which the key is k and the queries are q0, q1, ..
    """

    id: int
    pool: str
    arity: int
    size: int
    says: str
    after: frozenset[int]
    canon: tuple


@dataclass(frozen=True)
class Node:
    """An index of a term in the tree: the step that eliminates it and its comparator."""

    term: int
    step: Step
    comparator: int


@dataclass(frozen=True)
class Tree:
    """Nodes, distinct comparators, and the jobs of attention that they are with all else to do."""

    task: Task
    nodes: tuple[Node, ...]
    comparators: tuple[Comparator, ...]
    jobs: tuple[Job, ...]
    says: tuple[str, ...]
    exact: bool

    @property
    def order(self) -> int:
        """The largest number of tokens that one comparison compares; 0 without comparisons."""
        return max((c.arity for c in self.comparators), default=0)

    @property
    def dimension(self) -> int:
        """The number of distinct comparators in the first layer that has any."""
        layers = [self.layers[c.id] for c in self.comparators]
        return layers.count(min(layers)) if layers else 0

    @property
    def layers(self) -> dict[int, int]:
        """The first layer in which each job can stand."""
        return heights(self.jobs)

    @property
    def depth(self) -> int:
        """The fewest layers."""
        return depth(self.jobs)

    @property
    def comparisons(self) -> dict[int, int]:
        """The number of comparisons as a polynomial in T: power -> coefficient, highest first."""
        powers = sorted((c.arity for c in self.comparators), reverse=True)
        return {p: powers.count(p) for p in powers}

    @property
    def outside(self) -> bool:
        """Whether a term is a function of the whole sequence, of which the framework is silent."""
        return any(term.op == "whole" for term in self.task.terms)

    @property
    def T0(self) -> Fraction:
        """The tokens that the fullest position needs: CLS, or a token with all that it fetched."""
        return max(self.at_cls, self.at_token)

    @property
    def at_cls(self) -> Fraction:
        """Tokens of the tuples that CLS fetches, fixed positions, means in units of a token."""
        terms = self.task.terms
        roots = {n.comparator for n in self.nodes if n.step.parent == OUT}
        found = sum(self.comparators[i].size for i in roots)
        fixed = len(set().union(*map(positions, terms)))
        shifted = len({(n.comparator, shift) for n in self.nodes
                       for index, shift in terms[n.term].output
                       if index == n.step.index and shift})
        means = sum((Fraction(t.size, self.task.d) if t.size else Fraction(1)
                     for t in terms if t.op == "mean"), Fraction(0))
        return found + fixed + shifted + means

    @property
    def at_token(self) -> Fraction:
        """A token itself, and one token for each distinct comparison that tokens ask for.

        Where only means are taken, a token holds its features, and CLS no more than those.
        """
        if all(t.op == "mean" for t in self.task.terms):
            return Fraction(0)
        return Fraction(1 + sum(c.pool == TOKEN for c in self.comparators))


def tree(task: Task) -> Tree:
    """The tree of least order; among those, of fewest layers, then heads, over all terms jointly.

    `exact` is False where the order is an upper bound (a term of more than 7 indices).
    """
    found = [eliminations(t) if t.over and t.op != "mean" else ([()], True) for t in task.terms]
    exact = all(sure for _, sure in found)
    choices = [trees for trees, _ in found]
    chosen = _jointly(task, choices)
    return _tree(task, chosen, exact)


def _jointly(task: Task, choices: list[list[Elimination]]) -> tuple[Elimination, ...]:
    """A tree for each term: the best of all choices, or, of many, term after term."""
    heads: dict[tuple[Job, ...], tuple[int, ...]] = {}

    def cost(chosen: Sequence[Elimination], terms: tuple[Term, ...] = task.terms) -> tuple:
        found = _tree(replace(task, terms=terms), chosen, True)
        form = tuple(sorted(repr(c.canon) for c in found.comparators))
        if found.order > 2:
            return found.order, found.depth, len(found.comparators), form
        if found.jobs not in heads:
            heads[found.jobs] = fewest_heads(found.jobs, found.depth)[0]
        wide = heads[found.jobs]
        return found.order, found.depth, max(wide), sum(wide), len(found.comparators), form

    if prod(map(len, choices)) <= JOINT:
        return min(product(*choices), key=cost)
    best = [min(((cost([one], (t,)), one) for one in trees), key=lambda pair: pair[0])
            for t, trees in zip(task.terms, choices, strict=True)]
    chosen = [one for _, one in best]
    for place in sorted(range(len(best)), key=lambda k: best[k][0]):   # not the order of writing
        if best[place][0][0] <= 2:
            chosen[place] = min(choices[place], key=lambda one, place=place: cost(
                (*chosen[:place], one, *chosen[place + 1:])))
    return tuple(chosen)


def _tree(task: Task, chosen: Sequence[Elimination], exact: bool) -> Tree:
    known: dict[tuple, Comparator] = {}
    nodes = [node for place, steps in enumerate(chosen)
             for node in _nodes(place, steps, task.terms[place].sign, known)]
    comparators = tuple(known.values())
    extra, needs = _readings(task, nodes, comparators)
    jobs = [Job(c.id, c.pool, c.after | needs.get(c.id, frozenset())) for c in comparators]
    jobs += [Job(len(comparators) + k, pool) for k, (pool, _) in enumerate(extra)]
    says = (*(c.says for c in comparators), *(text for _, text in extra))
    return Tree(task, tuple(nodes), comparators, tuple(jobs), says, exact)


def _nodes(place: int, steps: Elimination, sign: int,
           known: dict[tuple, Comparator]) -> Iterable[Node]:
    """The nodes of a term, their comparators added to those known."""
    received: dict[str, list[tuple]] = {}
    for step in steps:
        canon, scale = _canonical(step, received.get(step.index, []))
        says = _says(step, received.get(step.index, []), sign)
        asked = f", for each {' and '.join(step.scope)}" if step.scope else ""
        if canon not in known:
            children = {c[2] for c in canon[2]}
            after = frozenset(known[c].id for c in children)
            size = 1 + sum(known[c].size for c in children)
            known[canon] = Comparator(len(known), canon[0], 1 + len(step.scope), size,
                                      says + asked, after, canon)
        received.setdefault(step.parent, []).append((canon, scale, step.scope, says))
        yield Node(place, step, known[canon].id)


def _canonical(step: Step, received: list[tuple]) -> tuple[tuple, Fraction]:
    """The normal form of a step's comparator and the positive factor taken out of it."""
    names = {step.index: "k", **{s: f"q{i}" for i, s in enumerate(step.scope)}}
    sign = -1 if step.op == "min" else 1
    own = sorted(((renamed(f, names), sign * c) for f, c in step.own), key=repr)
    sums: dict[tuple, Fraction] = {}      # equal messages of two indices count as one, added up
    for canon, scale, scope, _ in received:
        kid = tuple(names[t] for t in scope), canon
        sums[kid] = sums.get(kid, Fraction(0)) + sign * scale
    kids = sorted(((scope, scale, canon) for (scope, canon), scale in sums.items()),
                  key=lambda kid: repr((kid[0], kid[2])))
    lead = abs(own[0][1]) if own else abs(kids[0][1])
    pool = (CLS, TOKEN, TUPLE)[min(len(step.scope), 2)]
    return (pool, tuple((f, c / lead) for f, c in own),
            tuple((scope, scale / lead, canon) for scope, scale, canon in kids),
            step.apart), lead


def extremum(step: Step, sign: int) -> str:
    """Whether a step takes a max or a min, as the author of the task sees it."""
    return step.op if sign > 0 else "min" if step.op == "max" else "max"


def _says(step: Step, received: list[tuple], sign: int) -> str:
    """What a step extremises, in words: `max over s of x[s] @ A @ x[t]`."""
    parts = [written(tuple((f, sign * c) for f, c in step.own))] if step.own else []
    parts += [f"({says})" if "+" in says or step.own or len(received) > 1 else says
              for *_, says in received]
    apart = f" other than {' and '.join(step.scope)}" if step.apart else ""
    return f"{extremum(step, sign)} over {step.index}{apart} of {' + '.join(parts)}"


def _readings(task: Task, nodes: Sequence[Node], comparators: Sequence[Comparator]
              ) -> tuple[list[tuple[str, str]], dict[int, frozenset[int]]]:
    """Heads that compare nothing (pool, what for), and the comparators that wait for each."""
    extra: list[tuple[str, str]] = []
    needs: dict[int, frozenset[int]] = {}

    def add(pool: str, says: str, waiting: Iterable[int] = ()) -> None:
        extra.append((pool, says))
        job = frozenset({len(comparators) + len(extra) - 1})
        needs.update({i: needs.get(i, frozenset()) | job for i in waiting})

    fixed = sorted(set().union(*(positions(t) for t in task.terms)))
    where = f"read position{'s' * (len(fixed) > 1)} {', '.join(map(str, fixed))}"
    for pool in (TOKEN, CLS):
        waiting = [n.comparator for n in nodes if comparators[n.comparator].pool == pool
                   and any(isinstance(t, int) for f, _ in n.step.own for t in tokens_of(f))]
        if waiting or pool == CLS and any(_at_cls(t) for t in task.terms):
            add(pool, where, waiting)
    shifts: dict[int, list[int]] = {}
    for n in nodes:
        for index, shift in task.terms[n.term].output:
            if index == n.step.index and shift:
                shifts.setdefault(shift, []).append(n.comparator)
    for shift, waiting in sorted(shifts.items()):
        add(TOKEN, f"read the neighbour at {shift:+d}", waiting)
    if any(t.op == "mean" for t in task.terms):
        add(CLS, "mean of features, a uniform head")
    return extra, needs


def _at_cls(term: Term) -> bool:
    """Whether CLS itself needs a fixed position: a reading, a mean with one, or an offset."""
    if term.op in ("read", "mean"):
        return bool(positions(term))
    return any(isinstance(t, int) for f, _ in term.offset for t in tokens_of(f))


def graph(tree: Tree) -> Any:
    """The tree as a networkx.DiGraph, edges child -> parent -> "out".

    Nodes are (term, index) with attributes op, arity, layer, cls (the number of the comparator)
    and pool; the graph has order, dim, T0 and exact.
    """
    import networkx
    layers = tree.layers
    found = networkx.DiGraph(order=tree.order, dim=tree.dimension, T0=tree.T0, exact=tree.exact)
    found.add_node(OUT, op=tree.task.outer, arity=0, layer=tree.depth, cls=None, pool=CLS)
    for node in tree.nodes:
        c, sign = tree.comparators[node.comparator], tree.task.terms[node.term].sign
        found.add_node((node.term, node.step.index), op=extremum(node.step, sign), arity=c.arity,
                       layer=layers[c.id], cls=c.id, pool=c.pool)
    for node in tree.nodes:
        parent = OUT if node.step.parent == OUT else (node.term, node.step.parent)
        found.add_edge((node.term, node.step.index), parent)
    return found
