"""Which architectures do a task: fewest layers, heads a layer, and the width that a state needs.

Depth may be traded for heads: with more layers than the least, comparators that would stand side
by side stand one after another. Ours; sums of D pairwise maxima need (D, D) as published for
InfoFlow (arXiv 2605.17930), unary ones L h >= D as conjectured in arXiv 2510.06662.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from infoflow.objective import Factor, tokens_of
from infoflow.schedule import CLS, TOKEN, deadlines, fewest_heads, fill
from infoflow.tree import OUT, Comparator, Tree

DEEPEST = 8


@dataclass(frozen=True)
class Widths:
    """Three readings of the width E that a state needs, in numbers.

    `literal` holds every token that could be recovered, `needed` those of the tuples that the
    answer is made of (this one decides), `compressed` lets CLS keep values in place of tokens.
    """

    literal: int
    needed: int
    compressed: int


@dataclass(frozen=True)
class Plan:
    """Heads a layer, the layer of each job, the widths; `exact` unless heads are upper bounds."""

    heads: tuple[int, ...]
    layers: dict[int, int]
    widths: Widths
    exact: bool


@dataclass(frozen=True)
class Shortfall:
    """What an architecture leaves undone: the reason (depth or heads) and the jobs by name.

    `layer` is the last one in which the first of them would do (None for depth); `certain` is
    False where the jobs were too many to try every schedule.
    """

    reason: str
    layer: int | None
    missing: tuple[str, ...]
    certain: bool


def plan(tree: Tree, layers: int | None = None) -> Plan:
    """The fewest heads that do the task in so many layers (the least number by default).

    Raises ValueError for a comparison of three tokens or more, and for too few layers.
    """
    if tree.order > 2:
        raise ValueError(f"a comparison of order {tree.order} has no plan: attention compares "
                         "pairs")
    heads, exact = fewest_heads(tree.jobs, layers or tree.depth)
    placed, _ = fill(tree.jobs, heads)
    return Plan(heads, placed, widths(tree, placed, len(heads)), exact)


def minimal_architectures(tree: Tree, most: int = DEEPEST) -> tuple[Plan, ...]:
    """Plans from the least depth to that at which one head a layer is enough, or `most` layers.

    Only those are kept that save heads in the widest layer. No plan for order 3 and more.
    """
    if tree.order > 2:
        return ()
    found: list[Plan] = []
    for layers in range(tree.depth, max(most, tree.depth) + 1):
        new = plan(tree, layers)
        if not found or max(new.heads) < max(found[-1].heads):
            found.append(new)
        if max(new.heads) == 1:
            break
    return tuple(found)


def shortfall(tree: Tree, heads: Sequence[int]) -> Shortfall | None:
    """What these heads cannot do; None where they do everything.

    A job that comes too late for those that wait for it counts as undone, and stands first.
    """
    placed, certain = fill(tree.jobs, heads)
    if len(placed) == len(tree.jobs):
        return None
    if len(heads) < tree.depth:
        undone = tuple(tree.says[j.id] for j in tree.jobs if j.id not in placed)
        return Shortfall("depth", None, undone, True)
    due = deadlines(tree.jobs, len(heads))
    late = [j for j in tree.jobs if placed.get(j.id, len(heads) + 1) > due[j.id]]
    late.sort(key=lambda j: (due[j.id], j.id))
    return Shortfall("heads", due[late[0].id], tuple(tree.says[j.id] for j in late), certain)


def widths(tree: Tree, placed: dict[int, int], layers: int) -> Widths:
    """The widths in three readings, for a schedule."""
    d, T = tree.task.d, tree.task.T
    literal = largest_set(tree, placed, layers)
    if T is not None:
        literal = min(literal, T)
    compressed = max(ceil(tree.at_token * d), _values(tree))
    needed = ceil(tree.T0 * d)
    return Widths(max(literal * d, needed), needed, min(compressed, needed))


def largest_set(tree: Tree, placed: dict[int, int], layers: int) -> int:
    """The most input tokens that a position can hold after the heads of a schedule have moved.

    A token holds 1 at first and CLS none; each head brings all that the token it reads holds.
    """
    token, cls = 1, 0
    fixed = [j for j in tree.jobs if tree.says[j.id].startswith("read position")]
    reach = {j.id: tree.says[j.id].count(",") + 1 for j in fixed}
    for layer in range(1, layers + 1):
        here = [j for j in tree.jobs if placed.get(j.id) == layer
                and not tree.says[j.id].startswith("mean")]
        into = {pool: sum(reach.get(j.id, 1) for j in here if j.pool == pool)
                for pool in (TOKEN, CLS)}
        token, cls = token * (1 + into[TOKEN]), cls + into[CLS] * token
    return max(token, cls)


def _values(tree: Tree) -> int:
    """Numbers that CLS hands on: one a distinct extremum, d a token, what a mean or reading is."""
    d, terms = tree.task.d, tree.task.terms
    kept: set[tuple] = set()
    count = 0
    for node in tree.nodes:
        term = terms[node.term]
        if node.step.parent == OUT and term.op != "arg":
            kept.add((node.comparator,))
        for index, shift in term.output:
            if index == node.step.index and (node.comparator, shift) not in kept:
                kept.add((node.comparator, shift))
                count += d - 1
    plain = sum(t.size or d for t in terms if t.op in ("mean", "read"))
    return len(kept) + count + plain


def head_width(comparator: Comparator, d: int) -> int | None:
    """A head width n that surely suffices for a comparator's score; None for an opaque function.

    The scores of pairs are forms of rank at most d, and what depends on the key alone takes one
    more, as does hiding CLS among the keys. (InfoFlow itself does not model rank; ours.)
    """
    own: tuple[tuple[Factor, Fraction], ...] = comparator.canon[1]
    if any(f[0] == "fn" for f, _ in own):
        return None
    pairs = any(len(tokens_of(f)) == 2 for f, _ in own)
    return d * pairs + 1
