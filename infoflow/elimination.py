"""Elimination trees of a term: which index is compared away first, and who receives the result.

Two indices interact when a factor reads both. Eliminating an index v whose neighbours are S is one
comparison of order |S| + 1, its result a function of S, kept by the neighbour that is eliminated
next. The least order over all elimination orders is the treewidth of the interaction graph plus 1.
Source: Dechter 1999 for elimination; that this is the order of comparison is ours, and agrees with
every verdict published for InfoFlow.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from infoflow.objective import Factor, Objective, renamed, tokens_of
from infoflow.term import Term

EXACT_INDICES = 7
MOST_TREES = 24
OUT = "out"


@dataclass(frozen=True)
class Step:
    """The elimination of an index: those its result depends on, who keeps it, its own factors."""

    index: str
    scope: tuple[str, ...]
    parent: str
    own: Objective
    op: str = "max"
    apart: bool = False     # differs from the indices of its scope


Elimination = tuple[Step, ...]


def eliminations(term: Term) -> tuple[list[Elimination], bool]:
    """The elimination trees of least order, and whether the order is surely the least.

    Of trees with comparisons of three and more, which nobody makes, a few of the lowest are kept.
    """
    if term.op == "kth":
        return [_ranking(term)], True
    edges = interactions(term)
    orders, exact = _orders(ranked(term), edges)
    trees: dict[frozenset, tuple[tuple[str, ...], list[set[str]]]] = {}
    for order in orders:
        found = scopes(order, edges)
        trees.setdefault(frozenset(zip(order, map(frozenset, found), strict=True)), (order, found))
    chosen = list(trees.values())
    if max(map(len, chosen[0][1])) > 1:
        chosen = sorted(chosen, key=lambda pair: _height(*pair))[:MOST_TREES]
    return [_steps(order, edges, term) for order, _ in chosen], exact


def ranked(term: Term) -> tuple[str, ...]:
    """The indices in an order free of their names: by their scores, then by their neighbours'.

    Trees are tried in this order, so that renaming or scaling a task changes no choice among them.
    """
    size = sum(abs(c) for _, c in term.objective)
    rank = dict.fromkeys(term.over, 0)
    for _ in term.over:
        names = {index: f"q{rank[index]}" for index in term.over}
        marks = {index: (rank[index], repr(sorted(
            (repr(renamed(f, names | {index: "k"})), c / size) for f, c in term.objective
            if index in tokens_of(f)))) for index in term.over}
        places = sorted(set(marks.values()))
        rank = {index: places.index(mark) for index, mark in marks.items()}
    return tuple(sorted(term.over, key=lambda index: (rank[index], index)))


def _height(order: Sequence[str], found: Sequence[set[str]]) -> tuple[int, list[int]]:
    """How many comparisons stand one on another, and their orders."""
    place = {index: k for k, index in enumerate(order)}
    height = dict.fromkeys(order, 1)
    for index, scope in zip(order, found, strict=True):
        if scope:
            parent = min(scope, key=place.__getitem__)
            height[parent] = max(height[parent], height[index] + 1)
    return max(height.values()), sorted(map(len, found))


def interactions(term: Term) -> set[frozenset[str]]:
    """The edges of the interaction graph on index names."""
    scopes = [_bound(factor) for factor, _ in term.objective]
    if term.distinct:
        scopes.append(term.over)
    return {frozenset(pair) for scope in scopes for pair in combinations(scope, 2)}


def _bound(factor: Factor) -> tuple[str, ...]:
    return tuple(t for t in tokens_of(factor) if isinstance(t, str))


def _neighbours(indices: Iterable[str], edges: set[frozenset[str]]) -> dict[str, set[str]]:
    near: dict[str, set[str]] = {index: set() for index in indices}
    for a, b in map(tuple, edges):
        near[a].add(b)
        near[b].add(a)
    return near


def scopes(order: Sequence[str], edges: set[frozenset[str]]) -> list[set[str]]:
    """What the result of each elimination depends on, for an order of elimination."""
    near = _neighbours(order, edges)
    found = []
    for index in order:
        scope = near.pop(index)
        for other in scope:
            near[other] |= scope
            near[other] -= {other, index}
        found.append(scope)
    return found


def _orders(indices: tuple[str, ...],
            edges: set[frozenset[str]]) -> tuple[list[tuple[str, ...]], bool]:
    """Elimination orders of least width: all of a forest, else by search up to 7 indices."""
    rooted = _rooted(indices, edges)
    if rooted or len(indices) > EXACT_INDICES:
        return (rooted, True) if rooted else ([_decomposed(indices, edges)], False)
    near = _neighbours(indices, edges)
    found = (list(_within(near, width)) for width in range(len(indices)))
    return next(orders for orders in found if orders), True


def _rooted(indices: tuple[str, ...], edges: set[frozenset[str]]) -> list[tuple[str, ...]]:
    """For a forest an order from the leaves to each choice of roots: its trees of order <= 2."""
    near, parts, left = _neighbours(indices, edges), [], list(indices)
    while left:
        ways = [_outwards(near, left[0])]
        ways += [_outwards(near, root) for root in ways[0][1:]]
        parts.append(ways)
        left = [index for index in left if index not in ways[0]]
    if len(edges) > len(indices) - len(parts):      # a ring
        return []
    return [tuple(reversed(sum(ways, ()))) for ways in product(*parts)]


def _outwards(near: dict[str, set[str]], root: str) -> tuple[str, ...]:
    """The indices that hang together with `root`, nearest first."""
    found = [root]
    for index in found:
        found += [other for other in near if other in near[index] and other not in found]
    return tuple(found)


def _within(near: dict[str, set[str]], width: int) -> Iterator[tuple[str, ...]]:
    """Every elimination order whose scopes have at most `width` indices."""
    if not near:
        yield ()
    for index, scope in near.items():
        if len(scope) <= width:
            rest = {other: (seen | scope) - {other, index} if other in scope else seen
                    for other, seen in near.items() if other != index}
            yield from ((index, *order) for order in _within(rest, width))


def _decomposed(indices: tuple[str, ...], edges: set[frozenset[str]]) -> tuple[str, ...]:
    """An order from networkx, of min-fill treewidth: its width is an upper bound."""
    import networkx
    place = {index: k for k, index in enumerate(indices)}    # numbers: sets of them have an order
    graph = networkx.Graph(sorted(sorted(map(place.__getitem__, e)) for e in edges))
    graph.add_nodes_from(place.values())
    _, bags = networkx.approximation.treewidth_min_fill_in(graph)
    order: list[int] = []
    while bags.number_of_nodes():
        leaf = min((b for b in bags if bags.degree(b) <= 1), key=sorted)
        kept = set().union(*bags.neighbors(leaf))
        order += sorted(leaf - kept - set(order))
        bags.remove_node(leaf)
    return tuple(indices[k] for k in order)


def _steps(order: tuple[str, ...], edges: set[frozenset[str]], term: Term) -> Elimination:
    place = {index: k for k, index in enumerate(order)}
    rest = dict(term.objective)
    steps = []
    for index, scope in zip(order, scopes(order, edges), strict=True):
        later = tuple(sorted(scope, key=place.__getitem__))
        own = tuple((f, c) for f, c in rest.items() if index in _bound(f))
        rest = {f: c for f, c in rest.items() if index not in _bound(f)}
        steps.append(Step(index, later, later[0] if later else OUT, own,
                          apart=term.distinct and bool(later)))
    return tuple(steps)


def _ranking(term: Term) -> Elimination:
    """The k-th largest is the least, over k - 1 tokens, of the largest among all others."""
    (s,) = term.over
    names = (s, *(f"{s}{j}" for j in range(2, term.k + 1)))
    steps = [Step(s, names[1:], names[1], term.objective, apart=True)]
    for j in range(1, term.k):
        later = names[j + 1:]
        steps.append(Step(names[j], later, later[0] if later else OUT, (), op="min"))
    return tuple(steps)
