"""Proposing points: exact assignments at which the facts of a statement hold nearly always.

Plain points come first: small sizes, zeros, ones, ends of boxes, equal entries; then random small
rationals, multiples of pi for phases. Nothing here is believed: `admit` checks each point.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from symbolic.kernel.propose.cells import Unground
from symbolic.kernel.propose.draw import State, attempt, point
from symbolic.kernel.propose.exact import fraction
from symbolic.kernel.propose.ground import constraints
from symbolic.kernel.propose.order import arranged
from symbolic.kernel.propose.plan import Layout, Plan, Step, layout, plan, propagated
from symbolic.kernel.propose.style import Cell, Style, style
from symbolic.kernel.statement import Statement
from symbolic.kernel.term import Term

AGAIN = 6  # attempts at one proposal


def proposals(statement: Statement, rng: random.Random, tries: int,
              also: tuple[Term, ...] = ()) -> Iterator[dict]:
    """At most `tries` points of a statement, no two alike; facts of `also` are met as well.

    A point maps each declared name to a closed term, to nested lists of such (a family, by its
    declared ranges, low end first), or to rows (a matrix). Fewer points come where fewer are found.
    """
    p = plan(statement, also)
    count = counting(p)
    seen: set[str] = set()
    given, failures = 0, 0
    for number in range(3 * tries + 20):
        found = _proposal(p, count, number, rng)
        if found is None:
            failures += 1
            if failures > 15 + tries and not given:
                return
            continue
        key = repr(found)
        if key not in seen:
            seen.add(key)
            given += 1
            yield found
        if given >= tries:
            return


def _proposal(p: Plan, count: Layout, number: int, rng: random.Random) -> dict | None:
    """The proposal of a number, in other styles where the first does not come through."""
    for again in range(AGAIN):
        wish = style(number + again * 97 if again else number, rng, False)
        if again > 2:
            wish = replace(wish, shrink=Fraction(1, 4 ** (again - 2)))
        if number > 4 and p.light:
            wish = replace(wish, level=rng.choice((1, 2, 3, 4, 5, 6, 8, 12, 20)))
        env = whole_numbers(count, wish)
        laid = None if env is None else layout(p, env)
        if laid is None:
            continue
        if laid.exact and wish.phases in ("none", "some", "twelfths"):
            wish = replace(style(number + again * 97, rng, True), level=wish.level)
        state = attempt(laid, wish)
        if state is not None:
            return point(p, state)
    return None


def counting(p: Plan) -> Layout:
    """The layout of the whole numbers alone: sizes, indices, exponents."""
    cells = {name: Cell(name, k, k, "integer") for k, name in enumerate(p.whole)}
    sorts = {name: ("real",) for name in p.whole}  # cells, not numbers yet
    found = []
    for fact in p.counting:
        try:
            found += constraints(fact, sorts, {})
        except Unground:
            continue
    steps, linear, shares = arranged(cells, found, [], [], [])
    return Layout({}, cells, tuple(Step(*s) for s in steps), propagated(cells, linear), linear,
                  shares, False)


def whole_numbers(count: Layout, wish: Style) -> dict[str, int] | None:
    """Values of the whole numbers in a style, None where nothing was found."""
    state: State | None = attempt(count, wish)
    if state is None:
        return None
    values = {name: fraction(state.exact[name]) for name in count.cells}
    if any(v.denominator != 1 for v in values.values()):
        return None
    return {name: int(v) for name, v in values.items()}
