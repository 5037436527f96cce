"""Elimination trees of a term: which index is compared away first, and who receives the result.

Two indices interact when a factor reads both. Eliminating an index v whose neighbours are S is one
comparison of order |S| + 1, its result a function of S, kept by the neighbour that is eliminated
next. The least order over all elimination orders is the treewidth of the interaction graph plus 1.
Source: Dechter 1999 for elimination; that this is the order of comparison is ours, and agrees with
every verdict published for InfoFlow.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from infoflow.objective import Factor, Objective, tokens_of
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
    orders, exact = _orders(term.over, edges)
    trees: dict[frozenset, tuple[str, ...]] = {}
    for order in orders:
        found = scopes(order, edges)
        trees.setdefault(frozenset(zip(order, map(frozenset, found), strict=True)), order)
    chosen = list(trees.values())
    if max(map(len, scopes(chosen[0], edges))) > 1:
        chosen = sorted(chosen, key=lambda order: _height(order, edges))[:MOST_TREES]
    return [_steps(order, edges, term) for order in chosen], exact


def _height(order: Sequence[str], edges: set[frozenset[str]]) -> tuple[int, list[int]]:
    """How many comparisons stand one on another, and their orders."""
    place = {index: k for k, index in enumerate(order)}
    found = scopes(order, edges)
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
    """Elimination orders of least width; by search up to 7 indices, else from a decomposition."""
    if len(indices) > EXACT_INDICES:
        return _decomposed(indices, edges)
    least, best = len(indices) + 1, []
    for order in permutations(indices):
        width = max(map(len, scopes(order, edges)))
        if width < least:
            least, best = width, []
        if width == least:
            best.append(order)
    return best, True


def _decomposed(indices: tuple[str, ...],
                edges: set[frozenset[str]]) -> tuple[list[tuple[str, ...]], bool]:
    """An order from networkx: from the centres of a forest (exact), or of min-fill treewidth."""
    import networkx
    graph = networkx.Graph([tuple(sorted(e)) for e in sorted(edges, key=sorted)])
    graph.add_nodes_from(indices)
    if networkx.is_forest(graph):
        order: list[str] = []
        for part in networkx.connected_components(graph):
            centre = min(networkx.center(graph.subgraph(part)))
            order += [centre, *(b for _, b in networkx.bfs_edges(graph, centre))]
        return [tuple(reversed(order))], True
    _, bags = networkx.approximation.treewidth_min_fill_in(graph)
    order = []
    while bags.number_of_nodes():
        leaf = min((b for b in bags if bags.degree(b) <= 1), key=sorted)
        kept = set().union(*bags.neighbors(leaf))
        order += sorted(leaf - kept - set(order))
        bags.remove_node(leaf)
    return [tuple(order)], False


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
