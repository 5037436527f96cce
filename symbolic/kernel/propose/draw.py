"""Drawing one point: the steps of a layout, one after another, with what a style wishes.

Every step leaves the facts that it completes satisfied (exactly where values are exact, else in
floating point), or the attempt is given up. The kernel checks each point again.
"""

import math
import random
from collections.abc import Iterator
from fractions import Fraction

from symbolic.kernel.propose.cells import Unground, table, whole
from symbolic.kernel.propose.exact import (
    Inexact,
    Number,
    add,
    angle,
    approximate,
    cosine,
    exact,
    fraction,
    inverse,
    multiply,
    negative,
    rational,
    real,
    root,
    sine,
)
from symbolic.kernel.propose.float import holds
from symbolic.kernel.propose.matrix import linear_root, obeys, scaled, turn_point, value
from symbolic.kernel.propose.plan import Layout, Plan, Step
from symbolic.kernel.propose.solve import affine
from symbolic.kernel.propose.state import UNDEFINED, State, fine, interval
from symbolic.kernel.propose.style import Cell, Interval, Style
from symbolic.kernel.term import Term, substitute

SCAN = 24  # places tried where an inequality is not affine


def attempt(layout: Layout, style: Style) -> State | None:
    """A point in a style, None where some step found nothing."""
    state = State(layout, style, near=dict(layout.bounds))
    try:
        for step in layout.steps:
            if not _STEPS[step.kind](state, step):
                return None
    except (Unground, RecursionError, *UNDEFINED):
        return None
    return state


def point(p: Plan, state: State) -> dict:
    """The values of all symbols as closed terms and nested lists."""
    env = state.layout.env
    return {name: env[name] if name in env else table(name, sort, env, state.closed)
            for name, sort in p.symbols}


def _draw(state: State, step: Step) -> bool:
    cell = state.layout.cells[step.cells[0]]
    left = interval(state, cell.name, step.checks)
    if left.empty:
        return False
    hard = tuple(c for c in step.checks if c.linear is None or c.head == "!=")
    for number in _candidates(state, cell, left, hard):
        state.put(cell.name, number)
        place = state.near[cell.name]
        sure = place.low is not None and not place.open_low and left.holds(place.low)
        if fine(state, hard if sure else step.checks):
            return True
    state.forget(step.cells)
    return False


def _candidates(state: State, cell: Cell, left: Interval, checks: tuple) -> Iterator[Number]:
    style = state.style
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
        for k in (0, 1, -1, 2, 3, style.rng.randint(-5, 9)):
            yield rational(left.clip(Fraction(k if low is None else low + abs(k))))
        return
    if style.share and cell.name in state.layout.shares and not cell.phase:
        yield rational(left.clip(_shared(state, cell, left)))
    wish = style.number(cell, left)
    yield wish
    size = Fraction(abs(approximate(wish).real)).limit_denominator(64)
    for k in (size / 2, size / 8, Fraction(0), Fraction(1)):
        yield rational(left.clip(k))
    for end in (left.low, left.high):
        if end is not None:
            yield rational(left.clip(end))
    yield from map(rational, _scanned(state, cell, left, checks))


def _scanned(state: State, cell: Cell, left: Interval, checks: tuple) -> list[Fraction]:
    """Places of a grid where the checks hold in floating point, in random order."""
    low = left.low if left.low is not None else min(left.high or 0, 0) - 4
    high = left.high if left.high is not None else max(low, 0) + 4
    places = [low + (high - low) * Fraction(k, SCAN) for k in range(1, SCAN)]
    places = [x.limit_denominator(50) if high - low > 1 else x for x in places]
    found = []
    for x in filter(left.holds, places):
        known = {**state.floats, cell.name: float(x)}
        try:
            if all(c.rows or holds((c.head, c.left, c.right), known) for c in checks):
                found.append(x)
        except UNDEFINED:
            continue
    state.style.rng.shuffle(found)
    return found[:3]


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
    yield from rng.sample(_UNITS, len(_UNITS))
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
    if len(numbers) > 1 and state.style.rng.random() < 0.5:
        numbers.reverse()
    for number in numbers:
        state.put(cell, number)
        if _settled(state, cell, step):
            return True
    return not numbers and _solve_closed(state, step)


def _solve_closed(state: State, step: Step) -> bool:
    cell, (c, forms) = step.cells[0], step.data
    names = {x: state.closed(x) for x in c.cells if x != cell}
    if len(forms) > 1 and state.style.rng.random() < 0.5:
        forms = forms[::-1]
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
    name, rows, cols, flags, _ = step.data
    for _ in range(6):
        entries = _rescaled(step, state.style.matrix(name, rows, cols, flags))
        for k in (0, 1, 3):
            if k and (not step.checks or "orthogonal" in flags):
                break
            _fill(state, step, scaled(entries, Fraction(1, 2**k)) if k else entries)
            if fine(state, step.checks):
                return True
    state.forget(step.cells)
    return False


def _rescaled(step: Step, entries: list) -> list:
    """The matrix made longer or shorter where a linear equation of its own asks for it."""
    flat = dict(zip((c for row in step.data[4] for c in row),
                    (x for row in entries for x in row), strict=True))
    for c in step.checks:
        form = c.linear or {}
        total = sum((a * flat[x] for x, a in form.items() if x), Fraction(0)) if (
            c.head == "=" and c.cells <= flat.keys() and "" in form) else 0
        if total and -form[""] / total > 0 and "orthogonal" not in step.data[3]:
            return scaled(entries, -form[""] / total)
    return entries


def _fill(state: State, step: Step, entries: list) -> None:
    name, rows, cols = step.data[0], len(entries), len(entries[0])
    state.tables[name] = entries
    twin = len(step.cells) < rows * cols
    flat = [entries[i][j] for i in range(rows) for j in range(i if twin else 0, cols)]
    for cell, entry in zip(step.cells, flat, strict=True):
        state.put(cell, rational(entry))


def _define(state: State, step: Step) -> bool:
    name, term, flags, _, shape = step.data
    env = state.layout.env
    values = {**state.exact, **{n: rational(v) for n, v in env.items()}}
    tables = {**_member_tables(state, term), **state.tables}
    read = (lambda t: fraction(exact(t, values)), lambda t: whole(t, env))
    if term[0] == "=":
        entries = linear_root(term, name, shape, "symmetric" in flags, tables, *read,
                              state.style.rng)
    else:
        entries = value(term, tables, *read)
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
        rough = "(" not in step.cells[0]  # equations between matrices want rationals
        for cell, x in zip(step.cells, _unit_vector(n, rng, rough), strict=True):
            state.put(cell, multiply(length, x))
        if fine(state, step.checks):
            return True
    return False


def _unit_vector(n: int, rng: random.Random, rough: bool) -> list[Number]:
    """A unit vector: rational turns of a basis vector, or (`rough`) equal entries up to signs."""
    signs = [rng.choice((1, 1, 1, -1)) for _ in range(n)]
    if n > 1 and rng.random() < 0.25 and (rough or math.isqrt(n) ** 2 == n):
        signs = signs if rng.random() < 0.5 else [1 - 2 * (k % 2) for k in range(n)]
        entry = root(rational(Fraction(1, n)))
        return [multiply(entry, rational(s)) for s in signs]
    vector = [Fraction(int(k == 0)) for k in range(n)]
    for k in range(n - 1):
        c, s = turn_point(rng)
        vector[k], vector[k + 1] = vector[k] * c, vector[k] * s
    rng.shuffle(vector)
    return [rational(s * x) for s, x in zip(signs, vector, strict=True)]


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
