"""Looking for a small region where an inequality fails: local search, then rounding to rationals.

The search moves what the facts leave free, each trial point being drawn as proposals are, so that
the facts hold along the way. Its answers are candidates like any other.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from symbolic.kernel.budget import Undecided
from symbolic.kernel.derivative import evaluated
from symbolic.kernel.propose import counting, whole_numbers
from symbolic.kernel.propose.cells import Unground, assigned
from symbolic.kernel.propose.draw import State, attempt, point
from symbolic.kernel.propose.exact import Number, rational
from symbolic.kernel.propose.float import floating
from symbolic.kernel.propose.ground import ground, scalar
from symbolic.kernel.propose.matrix import Table, from_entries
from symbolic.kernel.propose.plan import Layout, Plan, layout, plan
from symbolic.kernel.propose.style import Cell, Interval, Style, style
from symbolic.kernel.statement import Statement
from symbolic.kernel.term import Malformed, unfold

Score = Callable[[dict], float]
Vector = list[float]
BAD = math.inf
ROUNDINGS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 50, 100, 300, 1000, 10**4, 10**6, 10**9)
STARTS, MOVES, FAR = 24, 220, 1e5
ENOUGH = -1e-2  # a score at which no more is sought


@dataclass(frozen=True)
class Guided:
    """A style that wishes given numbers: coordinates for free cells and for entries of matrices."""

    wish: dict[str, float]
    below: int
    rng: random.Random
    kind: str = "given"
    share: bool = False

    def number(self, cell: Cell, interval: Interval) -> Number:
        """The coordinate, rounded, inside the interval."""
        return rational(interval.clip(_rounded(self.wish.get(cell.name, 1.0), self.below)))

    def integer(self, cell: Cell, interval: Interval) -> Fraction:
        """The coordinate as a whole number."""
        return interval.clip(Fraction(round(self.wish.get(cell.name, 1.0))))

    def matrix(self, name: str, rows: int, cols: int, flags: tuple[str, ...]) -> Table:
        """A matrix of the flags made of its coordinates."""
        entries = [_rounded(self.wish.get(f"{name}#{k}", 0.0), self.below)
                   for k in range(rows * cols)]
        return from_entries(rows, cols, flags, entries)


@dataclass(frozen=True)
class _Search:
    plan: Plan
    layout: Layout
    names: tuple[str, ...]
    score: Score
    rng: random.Random
    until: float

    def at(self, x: Vector, below: int = 10**7) -> dict | None:
        """The point at coordinates, None where the facts cannot be met."""
        wish = Guided(dict(zip(self.names, x, strict=True)), below, random.Random(0))
        state = attempt(self.layout, wish)  # type: ignore[arg-type]
        return None if state is None else point(self.plan, state)

    def value(self, x: Vector) -> float:
        """The score at coordinates."""
        if any(abs(v) > FAR for v in x):
            return BAD
        found = self.at(x)
        return BAD if found is None else _scored(self.score, found)

    @property
    def over(self) -> bool:
        """Whether time is up."""
        return time.monotonic() > self.until


def search(statement: Statement, rng: random.Random, score: Score, seconds: float
           ) -> Iterator[dict]:
    """Points of decreasing score, for at most `seconds`; a score below 0 means failure.

    `score(point)` is the margin by which the relation holds (`margin` gives one in floating
    point); it may raise or give nan where there is none. Rounded points with few digits first.
    """
    until = time.monotonic() + seconds
    p = plan(statement)
    count = counting(p)
    best = BAD
    for begin in _starts(p, count, score, rng, until):
        x, value = begin[1], begin[2]
        s = begin[0]
        for improve in (_moved, _simplex, _moved):
            x, value = improve(s, x, value)
        if value >= best and best < 0 or value == BAD:
            continue
        for found, reached in _roundings(s, x):
            if reached < min(best, 0) or reached < best and reached <= value + 1e-6:
                best = reached
                yield found
                break
        if time.monotonic() > until:
            return


def _starts(p: Plan, count: Layout, score: Score, rng: random.Random, until: float
            ) -> Iterator[tuple[_Search, Vector, float]]:
    """Searches from the best of some proposals, again and again while there is time.

    Later rounds look at larger sizes; of each choice of whole numbers only the best start is kept.
    """
    tried: Counter = Counter()
    for number in range(10**6):
        best: dict[tuple, tuple] = {}
        for k in range(STARTS):
            wish = style(STARTS * number + k, rng, False)
            if number:
                wish = replace(wish, level=rng.randint(1, 3 + number))
            begun = _start(p, count, score, wish, until)
            if begun is not None and begun[0].names:
                key = tuple(begun[0].layout.env.values())
                best[key] = min(best.get(key, begun), begun, key=lambda b: b[2])
            if time.monotonic() > until:
                break
        if time.monotonic() > until or not (best or tried) and number > 3:
            return
        for key in sorted(best, key=lambda e: (tried[e] + (best[e][2] > 0), best[e][2]))[:2]:
            tried[key] += 1
            yield best[key]


def _start(p: Plan, count: Layout, score: Score, wish: Style, until: float
           ) -> tuple[_Search, Vector, float] | None:
    env = whole_numbers(count, wish)
    laid = None if env is None else layout(p, env)
    state = None if laid is None else attempt(laid, replace(wish, phases="none"))
    if laid is None or state is None:
        return None
    names, x = _coordinates(laid, state, wish.rng)
    s = _Search(p, laid, names, score, wish.rng, until)
    value = s.value(x)
    return None if value == BAD else (s, x, value)


def _coordinates(laid: Layout, state: State, rng: random.Random) -> tuple[tuple[str, ...], Vector]:
    names, x = [], []
    for step in laid.steps:
        if step.kind == "draw":
            value = state.floats[step.cells[0]]
            names.append(step.cells[0])
            x.append(value.real if isinstance(value, complex) else float(value))
        elif step.kind == "matrix":
            name, rows, cols, flags, _ = step.data
            plain = not set(flags) - {"symmetric"}
            for k in range(rows * cols):
                names.append(f"{name}#{k}")
                x.append(float(state.tables[name][k // cols][k % cols]) if plain
                         else rng.gauss(0, 1))
    return tuple(names), x


def _rounded(x: float, below: int) -> Fraction:
    return Fraction(x).limit_denominator(below) if math.isfinite(x) else Fraction(0)


def _scored(score: Score, found: dict) -> float:
    try:
        value = float(score(found))
    except (ArithmeticError, ValueError, TypeError, KeyError, IndexError):
        return BAD
    return BAD if math.isnan(value) else value


def _moved(s: _Search, x: Vector, value: float) -> tuple[Vector, float]:
    """Coordinate moves: steps, halving, ends, another's value or minus it; all equal."""
    step, tried = 0.5, 0
    while step > 1e-3 and tried < MOVES and value > ENOUGH and not s.over:
        better = False
        for k in range(len(x)):
            others = [x[j] for j in (s.rng.sample(range(len(x)), min(2, len(x))))]
            for y in (x[k] + step, x[k] - step, x[k] / 2, x[k] * 2, -x[k], 0.0, FAR, -FAR,
                      *others, *(-o for o in others)):
                trial = [*x[:k], y, *x[k + 1:]]
                reached = s.value(trial)
                tried += 1
                if reached < value - 1e-12:
                    x, value, better = trial, reached, True
        mean = [math.fsum(x) / len(x)] * len(x)
        if s.value(mean) < value:
            x, value, better = mean, s.value(mean), True
        step = step if better else step / 4
    return _settled(s, x), value


def _settled(s: _Search, x: Vector) -> Vector:
    """Wishes beyond the ends replaced by what was reached, so that later steps are felt."""
    wish = Guided(dict(zip(s.names, x, strict=True)), 10**7, random.Random(0))
    state = attempt(s.layout, wish)  # type: ignore[arg-type]
    if state is None:
        return x
    return [float(state.near[n].low or 0) if n in state.floats and n in state.near and
            state.near[n].low is not None else v for n, v in zip(s.names, x, strict=True)]


def _simplex(s: _Search, x: Vector, value: float) -> tuple[Vector, float]:
    """Nelder and Mead's search from x."""
    n = len(x)
    corners = [(value, x)]
    for k in range(n):
        y = [*x]
        y[k] += 0.25 * abs(y[k]) + 0.1
        corners.append((s.value(y), y))
    for _ in range(60 + 40 * min(n, 8)):
        if s.over or min(corners)[0] < ENOUGH:
            break
        corners.sort(key=lambda c: c[0])
        worst, low = corners[-1], corners[0]
        if worst[0] - low[0] < 1e-9 * (1e-4 + abs(low[0])):
            break
        middle = [math.fsum(c[1][k] for c in corners[:-1]) / n for k in range(n)]
        corners = _replaced(s, corners, middle)
    corners.sort(key=lambda c: c[0])
    return corners[0][1], corners[0][0]


def _replaced(s: _Search, corners: list, middle: Vector) -> list:
    """The simplex with its worst corner reflected, stretched, drawn in, or all shrunk."""
    worst, low = corners[-1], corners[0]

    def along(t: float) -> tuple[float, Vector]:
        y = [m + t * (m - w) for m, w in zip(middle, worst[1], strict=True)]
        return s.value(y), y

    flipped = along(1.0)
    if flipped[0] < low[0]:
        return [*corners[:-1], min(flipped, along(2.0), key=lambda c: c[0])]
    if flipped[0] < corners[-2][0]:
        return [*corners[:-1], flipped]
    drawn = along(0.5 if flipped[0] < worst[0] else -0.5)
    if drawn[0] < worst[0]:
        return [*corners[:-1], drawn]
    halved = [[(a + b) / 2 for a, b in zip(c[1], low[1], strict=True)] for c in corners[1:]]
    return [low, *((s.value(y), y) for y in halved)]


def _roundings(s: _Search, x: Vector) -> Iterator[tuple[dict, float]]:
    """The point rounded to growing denominators, with its score."""
    seen = []
    for below in ROUNDINGS:
        found = s.at(x, below)
        if found is not None and found not in seen:
            seen.append(found)
            yield found, _scored(s.score, found)


def margin(statement: Statement) -> Score:
    """A score in floating point: right - left, minus the distance for equations, else the least
    eigenvalue of left - right. Raises ArithmeticError, ValueError where it has no value.
    """
    sorts = dict(statement.symbols)
    rates = {(n, v): unfold(b, statement.let) for n, v, b in statement.rates}
    try:
        sides = [evaluated(unfold(t, statement.let), sorts, rates)
                 for t in (statement.left, statement.right)]
    except (Undecided, Malformed):
        sides = []
    whole = [n for n, s in statement.symbols if s == ("integer",)]
    known: dict[tuple, list] = {}

    def score(found: dict) -> float:
        env = {n: int(found[n]) for n in whole}
        key = tuple(env.values())
        if key not in known:
            try:
                known[key] = [ground(t, sorts, env) for t in sides]
            except Unground as error:
                raise ValueError(str(error)) from None
        if not sides:
            raise ValueError("a derivative that is not known")
        values = _floats(statement.symbols, env, found)
        left, right = known[key]
        return _margin(statement.relation, left, right, values)

    return score


def _floats(symbols: tuple, env: dict[str, int], found: dict) -> dict[str, complex]:
    return {cell: floating(term, {}) for name, sort in symbols if name not in env
            for cell, term in assigned(name, sort, env, found[name])}


def _margin(relation: str, left, right, values: dict[str, complex]) -> float:
    if isinstance(left, list) and isinstance(right, list) and (
            relation == "psd" or len(left) * len(left[0]) > 1):
        gap = [[floating(a, values) - floating(b, values) for a, b in zip(r, q, strict=True)]
               for r, q in zip(left, right, strict=True)]
        if relation == "psd":
            return least_eigenvalue(gap)
        return -max(abs(c) for row in gap for c in row)
    x, y = (floating(scalar(side), values) for side in (left, right))
    if relation in ("<=", "<"):
        return y - x  # type: ignore[return-value]
    return (x - y).real if relation == "psd" else -abs(x - y)


def least_eigenvalue(a: list) -> float:
    """The least eigenvalue of a small symmetric matrix, by Jacobi's rotations."""
    a, n = [list(row) for row in a], len(a)
    for _ in range(12):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(a[p][q]) < 1e-15:
                    continue
                turn = 0.5 * math.atan2(2 * a[p][q], a[q][q] - a[p][p])
                c, s = math.cos(turn), math.sin(turn)
                for k in range(n):
                    a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
                for k in range(n):
                    a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
    return min(a[k][k] for k in range(n))
