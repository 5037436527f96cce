"""Blocks of Gram matrices as a linear problem: which entries meet which monomials.

target = sum over blocks of factor * v^T Q v, v the basis, plus free multiples of equalities.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from symbolic.search.arithmetic import Monomial, Poly, scaled, times


@dataclass(frozen=True)
class Block:
    """factor * v^T Q v with v = basis; the factor is the product of multipliers at `indices`.

    `margin` marks a constant basis whose weight shows strictness.
    """

    indices: tuple[int, ...]
    factor: Poly
    basis: tuple[Poly, ...]
    margin: bool = False

    @cached_property
    def entries(self) -> tuple[tuple[int, int, Poly], ...]:
        """(i, j, factor * u_i * u_j, doubled off the diagonal) for i <= j, column by column."""
        found = []
        for j, v in enumerate(self.basis):
            right = times(self.factor, v)
            double = scaled(right, 2)
            for i in range(j + 1):
                found.append((i, j, times(self.basis[i], right if i == j else double)))
        return tuple(found)


@dataclass(frozen=True)
class Problem:
    """The target, the blocks, and free columns (equality index, monomial, their product)."""

    target: Poly
    blocks: tuple[Block, ...]
    free: tuple[tuple[int, Monomial, Poly], ...] = ()

    @cached_property
    def columns(self) -> list[Poly]:
        """Free columns, then diagonal entries, then the others: the order pivots are chosen in."""
        return [self._column(place) for place in self.places]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where each column lives: (-1, free index) or (block, position among its entries)."""
        inner = [(b, k, i == j) for b, block in enumerate(self.blocks)
                 for k, (i, j, _) in enumerate(block.entries)]
        return ([(-1, k) for k in range(len(self.free))]
                + [(b, k) for b, k, diagonal in inner if diagonal]
                + [(b, k) for b, k, diagonal in inner if not diagonal])

    def _column(self, place: tuple[int, int]) -> Poly:
        b, k = place
        return self.free[k][2] if b < 0 else self.blocks[b].entries[k][2]

    @cached_property
    def width(self) -> int:
        """How many Gram entries there are."""
        return sum(len(b.basis) * (len(b.basis) + 1) // 2 for b in self.blocks)


def trimmed(problem: Problem) -> Problem:
    """Without the basis elements that must have weight zero.

    When a monomial outside the target is met by diagonal entries of one sign only, these entries
    vanish; repeated, this finds the Newton polytope for plain squares.
    """
    while True:
        signs: dict[Monomial, int | None] = {a: None for _, _, c in problem.free for a in c}
        meets: dict[Monomial, set[tuple[int, int]]] = {}
        for b, block in enumerate(problem.blocks):
            for i, j, entry in block.entries:
                for a, c in entry.items():
                    sign = (1 if c > 0 else -1) if i == j else None
                    if signs.setdefault(a, sign) != sign:
                        signs[a] = None
                    meets.setdefault(a, set()).add((b, i))
        gone = {place for a, sign in signs.items() if sign and a not in problem.target
                for place in meets[a]}
        if not gone:
            return problem
        blocks = []
        for b, block in enumerate(problem.blocks):
            left = tuple(u for i, u in enumerate(block.basis) if (b, i) not in gone)
            if len(left) == len(block.basis):
                blocks.append(block)
            elif left:
                blocks.append(replace(block, basis=left))
        problem = replace(problem, blocks=tuple(blocks))
