"""What is known while a point is drawn, and what the facts then leave for the next cell."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from symbolic.kernel.propose.exact import (
    Inexact,
    Number,
    add,
    approximate,
    closed,
    exact,
    fraction,
    inverse,
    multiply,
    negative,
    rational,
    real,
)
from symbolic.kernel.propose.float import floating, holds
from symbolic.kernel.propose.ground import Constraint
from symbolic.kernel.propose.matrix import definite
from symbolic.kernel.propose.plan import Layout, narrowed
from symbolic.kernel.propose.solve import affine, slope
from symbolic.kernel.propose.style import Interval, Style
from symbolic.kernel.term import Term

UNDEFINED = (ArithmeticError, ValueError, KeyError, TypeError)


@dataclass
class State:
    """What is known while a point is drawn: exact values, floats, closed terms, tables."""

    layout: Layout
    style: Style
    exact: dict[str, Number] = field(default_factory=dict)
    floats: dict[str, complex] = field(default_factory=dict)
    terms: dict[str, Term] = field(default_factory=dict)
    tables: dict[str, list] = field(default_factory=dict)
    near: dict[str, Interval] = field(default_factory=dict)
    wishes: dict[str, Fraction] = field(default_factory=dict)

    def put(self, cell: str, number: Number) -> None:
        """Give a cell an exact value."""
        self.exact[cell] = number
        if len(number) < 2 and (not number or (1, 0, 0) in number):
            q = number.get((1, 0, 0), Fraction(0))
            self.floats[cell] = float(q)
            self.near[cell] = Interval(q, q)
            return
        x = approximate(number)
        self.floats[cell] = x if any(i for _, _, i in number) else x.real
        q = Fraction(x.real).limit_denominator(10**9)
        self.near[cell] = Interval(q, q, True, True)

    def put_term(self, cell: str, term: Term) -> None:
        """Give a cell the value of a closed term; raises where it has none."""
        x = floating(term, {})
        if isinstance(x, complex) or not math.isfinite(x):
            raise Inexact("no real value")
        self.floats[cell], self.terms[cell] = x, term
        q = Fraction(x).limit_denominator(10**9)
        self.near[cell] = Interval(q, q, True, True)

    def forget(self, cells: tuple[str, ...]) -> None:
        """Take values back."""
        for known in (self.exact, self.floats, self.terms, self.near):
            for cell in cells:
                known.pop(cell, None)

    def closed(self, cell: str) -> Term:
        """The value of a cell as a closed term."""
        if cell in self.terms:
            return self.terms[cell]
        return closed(self.exact[cell], self.layout.exact)


def fine(state: State, checks: tuple[Constraint, ...]) -> bool:
    """Whether constraints hold, all their cells being known."""
    return all(_meets(state, c) for c in checks)


def _meets(state: State, c: Constraint) -> bool:
    try:
        if c.head == "psd":
            rows = c.rows or []
            try:
                return definite([[fraction(exact(t, state.exact)) for t in r] for r in rows]) >= 0
            except Inexact:
                return definite([[floating(t, state.floats) for t in r] for r in rows], 1e-9) >= 0
        if c.linear is not None and c.head != "!=":
            return _meets_linear(state, c)
        if c.head != "=" and c.cells <= state.exact.keys():
            try:
                gap = add(exact(c.right, state.exact), negative(exact(c.left, state.exact)))
                return bool(gap) if c.head == "!=" else (
                    real(gap) > 0 if c.head == "<" else not gap or real(gap) > 0)
            except Inexact:
                pass
        return holds((c.head, c.left, c.right), state.floats)
    except UNDEFINED:
        return False


def _meets_linear(state: State, c: Constraint) -> bool:
    gap: Number = {}
    for x, a in (c.linear or {}).items():
        if x and x not in state.exact:
            return holds((c.head, c.left, c.right), state.floats)
        gap = add(gap, multiply(state.exact[x], rational(a)) if x else rational(a))
    if not gap:
        return c.head != "<"
    return c.head != "=" and real(gap) < 0


def interval(state: State, cell: str, checks: tuple[Constraint, ...]) -> Interval:
    """What linear facts and the affine ones that the cell completes leave for it."""
    for c in state.layout.linear.get(cell, ()):
        state.near[cell] = narrowed(c, cell, state.near)
    left = state.near[cell]
    for c in checks:
        if c.linear is None and c.head in ("<=", "<"):
            left = _narrowed_affine(state, c, cell, left)
    return left


def _narrowed_affine(state: State, c: Constraint, cell: str, left: Interval) -> Interval:
    """The interval made smaller by one relation that is affine in the cell, if it is."""
    try:
        one, two = affine(c.left, cell, state.exact), affine(c.right, cell, state.exact)
        a, b = add(one[0], negative(two[0])), add(one[1], negative(two[1]))
        if not a:
            return left
        up, end = real(a) > 0, multiply(negative(b), inverse(a))
        q, strict = _near(end, up)
        strict = strict or c.head == "<"
    except (Inexact, OverflowError):
        found = slope(c.left, c.right, cell, state.floats)
        if found is None or abs(found[0]) < 1e-12:
            return left
        up, strict = found[0] > 0, True
        x = -found[1] / found[0]
        q = Fraction(x - 1e-12 * (1 + abs(x)) if up else x + 1e-12 * (1 + abs(x)))
    if up:
        return left if left.high is not None and left.high < q else Interval(
            left.low, q, left.open_low, strict)
    return left if left.low is not None and left.low > q else Interval(
        q, left.high, strict, left.open_high)


def _near(end: Number, up: bool) -> tuple[Fraction, bool]:
    """A rational for an end, on the inner side, and whether it is another number."""
    try:
        return fraction(end), False
    except Inexact:
        x = real(end)
        off = 1e-9 * (1 + abs(x))
        return Fraction(x - off if up else x + off).limit_denominator(10**10), True
