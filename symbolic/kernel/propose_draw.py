"""Drawing one point: the steps of a layout, one after another, with what a style wishes.

Every step leaves the facts that it completes satisfied (exactly where values are exact, else in
floating point), or the attempt is given up. The kernel checks each point again.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from symbolic.kernel.propose_exact import (
    Inexact, Number, add, angle, approximate, closed, cosine, exact, floating, fraction, holds,
    inverse, multiply, negative, rational, real, root, sine,
)
from symbolic.kernel.propose_ground import Constraint, Unground, table, whole
from symbolic.kernel.propose_matrix import POINTS, definite, obeys, scaled, value
from symbolic.kernel.propose_plan import Layout, Plan, Step, narrowed
from symbolic.kernel.propose_solve import affine, slope
from symbolic.kernel.propose_style import Cell, Interval, Style
from symbolic.kernel.term import Term, substitute

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


def attempt(layout: Layout, style: Style) -> State | None:
    """A point in a style, None where some step found nothing."""
    state = State(layout, style, near=dict(layout.bounds))
    try:
        for step in layout.steps:
            if not _STEPS[step.kind](state, step):
                return None
    except (Inexact, Unground, OverflowError):
        return None
    return state


def point(p: Plan, state: State) -> dict:
    """The values of all symbols as closed terms and nested lists."""
    env = state.layout.env
    return {name: env[name] if name in env else table(name, sort, env, state.closed)
            for name, sort in p.symbols}


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


def _draw(state: State, step: Step) -> bool:
    cell = state.layout.cells[step.cells[0]]
    left = interval(state, cell.name, step.checks)
    if left.empty:
        return False
    hard = tuple(c for c in step.checks if c.linear is None or c.head == "!=")
    for number in _candidates(state, cell, left):
        state.put(cell.name, number)
        inside = state.near[cell.name].low
        exact = inside == state.near[cell.name].high and not state.near[cell.name].open_low
        if fine(state, hard if exact and left.holds(inside) else step.checks):
            return True
    state.forget(step.cells)
    return False


def _candidates(state: State, cell: Cell, left: Interval) -> Iterator[Number]:
    style, rng = state.style, state.style.rng
    if cell.kind == "complex":
        yield from _complex(state, cell)
        return
    if cell.kind == "integer":
        low = None if left.low is None else Fraction(
            math.floor(left.low) + 1 if left.open_low else math.ceil(left.low))
        high = None if left.high is None else Fraction(
            math.ceil(left.high) - 1 if left.open_high else math.floor(left.high))
        left = Interval(low, high)
        if left.empty:
            return
        yield rational(style.integer(cell, left))
        for k in (0, 1, -1, 2, 3, rng.randint(-5, 9)):
            yield rational(left.clip(Fraction(k if low is None else low + abs(k))))
        return
    if cell.name in state.layout.shares and not cell.phase:
        yield rational(left.clip(_shared(state, cell, left)))
    wish = style.number(cell, left)
    yield wish
    size = abs(approximate(wish).real)
    for k in (Fraction(1, 2), Fraction(1, 4), Fraction(1, 20), Fraction(0), Fraction(1), Fraction(-1)):
        yield rational(left.clip(Fraction(size).limit_denominator(64) * k if k < 1 else k))
    for end in (left.low, left.high):
        if end is not None:
            yield rational(left.clip(end))
    for _ in range(4):
        yield rational(left.clip(Fraction(rng.randint(-40, 40), rng.randint(1, 9))))


def _shared(state: State, cell: Cell, left: Interval) -> Fraction:
    """The cell's share when the wishes of all cells of a sum are scaled to add up."""
    if cell.name not in state.wishes:
        form = state.layout.shares[cell.name].linear or {}
        total, raw = -form.get("", Fraction(0)), {}
        for x, a in form.items():
            if x and x in state.exact:
                total -= a * (state.near[x].low or 0)
            elif x:
                wish = state.style.number(state.layout.cells[x], state.layout.bounds[x])
                raw[x] = abs(wish.get((1, 0, 0), Fraction(0)))
        weight = sum(((form[x]) * w for x, w in raw.items()), Fraction(0))
        for x, w in raw.items():
            state.wishes.setdefault(x, w * total / weight if weight else w)
    return state.wishes[cell.name]


_UNITS: tuple[Number, ...] = (
    rational(1), {(1, 0, 1): Fraction(1)}, rational(-1),
    {(1, 0, 0): Fraction(3, 5), (1, 0, 1): Fraction(4, 5)},
    {(1, 0, 0): Fraction(1, 2), (3, 0, 1): Fraction(1, 2)},
)


def _complex(state: State, cell: Cell) -> Iterator[Number]:
    style, rng = state.style, state.style.rng
    unit = rng.choice(_UNITS)
    parts = [style.number(Cell(cell.name, cell.place + k, cell.own + k), Interval())
             for k in (0, 1)]
    turned = multiply(parts[1], {(1, 0, 1): Fraction(1)})
    yield rng.choice((unit, parts[0], add(parts[0], turned)))
    yield from _UNITS
    yield from (multiply(unit, rational(Fraction(1, k))) for k in (2, 10))
    yield {}


def _solve(state: State, step: Step) -> bool:
    """Solve an equation for the one cell that is not known."""
    cell, (c, forms) = step.cells[0], step.data
    numbers: list[Number] = []
    try:
        one, two = affine(c.left, cell, state.exact), affine(c.right, cell, state.exact)
        a, b = add(one[0], negative(two[0])), add(one[1], negative(two[1]))
        if not a:
            return not b and _draw(state, step)
        numbers.append(multiply(negative(b), inverse(a)))
    except Inexact:
        for form in forms:
            try:
                numbers.append(exact(form, state.exact))
            except Inexact:
                continue
    for number in numbers:
        state.put(cell, number)
        if _settled(state, cell, step):
            return True
    return not numbers and _solve_closed(state, step)


def _solve_closed(state: State, step: Step) -> bool:
    cell, (c, forms) = step.cells[0], step.data
    names = {x: state.closed(x) for x in c.cells if x != cell}
    for form in forms:
        try:
            state.put_term(cell, substitute(form, names))
        except UNDEFINED:
            continue
        if _settled(state, cell, step):
            return True
    state.forget(step.cells)
    return False


def _settled(state: State, cell: str, step: Step) -> bool:
    """Whether a solved value is of its kind and meets what it completes."""
    x = state.floats[cell]
    kind = state.layout.cells[cell].kind
    right = kind == "complex" or not isinstance(x, complex) and (
        kind == "real" or x == int(x) and cell in state.exact)
    if right and fine(state, step.checks):
        return True
    state.forget(step.cells)
    return False


def _matrix(state: State, step: Step) -> bool:
    name, rows, cols, flags = step.data
    for _ in range(6):
        entries = state.style.matrix(name, rows, cols, flags)
        for k in (0, 1, 3):
            if k and (not step.checks or "orthogonal" in flags):
                break
            _fill(state, step, scaled(entries, Fraction(1, 2**k)) if k else entries)
            if fine(state, step.checks):
                return True
    state.forget(step.cells)
    return False


def _fill(state: State, step: Step, entries: list) -> None:
    name, rows, cols = step.data[0], len(entries), len(entries[0])
    state.tables[name] = entries
    twin = len(step.cells) < rows * cols
    flat = [entries[i][j] for i in range(rows) for j in range(i if twin else 0, cols)]
    for cell, entry in zip(step.cells, flat, strict=True):
        state.put(cell, rational(entry))


def _define(state: State, step: Step) -> bool:
    name, term, flags, _ = step.data
    env = state.layout.env
    values = {**state.exact, **{n: rational(v) for n, v in env.items()}}
    tables = {**_member_tables(state, term), **state.tables}
    entries = value(term, tables, lambda t: fraction(exact(t, values)), lambda t: whole(t, env))
    if not isinstance(entries, list) or not obeys(entries, flags):
        return False
    if "symmetric" in flags and len(step.cells) == len(entries) == 1:
        state.tables[name] = entries
        state.put(step.cells[0], rational(entries[0][0]))
    else:
        _fill(state, step, entries)
    return fine(state, step.checks)


def _member_tables(state: State, term: Term) -> dict[str, list]:
    """Matrices that were drawn cell by cell, as tables."""
    found: dict[str, dict[tuple[int, int], Fraction]] = {}
    for cell in state.layout.cells:
        name, bracket, place = cell.partition("(")
        if bracket and name not in state.tables and cell in state.exact:
            i, j = map(int, place[:-1].split(","))
            found.setdefault(name, {})[i, j] = fraction(state.exact[cell])
    return {n: [[entries.get((i, j), entries.get((j, i), Fraction(0)))
                 for j in range(1, max(k for _, k in entries) + 1)]
                for i in range(1, max(k for k, _ in entries) + 1)]
            for n, entries in found.items()}


def _sphere(state: State, step: Step) -> bool:
    """Cells whose squares add up to a number: a rational unit vector times its root."""
    rng, n = state.style.rng, len(step.cells)
    total = exact(step.data[0], state.exact)
    length = root(total) if not total or real(total) > 0 else None
    if length is None:
        return False
    for _ in range(8):
        vector = [Fraction(int(k == 0)) for k in range(n)]
        if rng.random() < 0.2 and math.isqrt(n) ** 2 == n:
            vector = [Fraction(1, math.isqrt(n))] * n
        else:
            for k in range(n - 1):
                c, s = rng.choice(POINTS)
                vector[k], vector[k + 1] = vector[k] * c, vector[k] * s
            vector = [rng.choice((1, 1, 1, -1)) * x for x in vector] if n > 1 else vector
            rng.shuffle(vector)
        for cell, x in zip(step.cells, vector, strict=True):
            state.put(cell, multiply(length, rational(x)))
        if fine(state, step.checks):
            return True
    return False


def _polar(state: State, step: Step) -> bool:
    """r cos(p) = C, r sin(p) = S: r the length of (C, S), p a multiple of pi/12 or free."""
    r, p = step.cells
    re, im = (exact(t, state.exact) for t in step.data[:2])
    if not re and not im:
        state.put(r, {})
        state.put(p, state.style.number(state.layout.cells[p], state.layout.bounds[p]))
        return fine(state, step.checks)
    turn = angle(re, im)
    c, s = cosine(turn), sine(turn)
    length = multiply(re, inverse(c)) if c else multiply(im, inverse(s))
    for back in (0, 1):
        state.put(r, negative(length) if back else length)
        state.put(p, add(turn, {(1, 1, 0): Fraction(-back)}) if back else turn)
        if fine(state, step.checks):
            return True
    return False


_STEPS = {"draw": _draw, "solve": _solve, "matrix": _matrix, "define": _define,
          "sphere": _sphere, "polar": _polar}
