"""Styles: what a proposed point looks like where the facts leave a choice.

A style answers what it would like a cell to be, given the interval that is left for it. Plain
styles (zeros, ones, ends, equal entries) come first, random rationals with growing denominators
later; phases may be multiples of pi/2, pi/4, pi/6, or all equal.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from symbolic.kernel.propose.exact import Number, rational
from symbolic.kernel.propose.matrix import KINDS, Table, drawn, polynomial, scaled


@dataclass(frozen=True)
class Interval:
    """What is left for a cell: rational ends or None, and whether they are out of reach."""

    low: Fraction | None = None
    high: Fraction | None = None
    open_low: bool = False
    open_high: bool = False

    @property
    def empty(self) -> bool:
        """Whether no real is left."""
        if self.low is None or self.high is None or self.low < self.high:
            return False
        return self.low > self.high or self.open_low or self.open_high

    def holds(self, x: Fraction) -> bool:
        """Whether x is inside."""
        return not (self.low is not None and (x < self.low or self.open_low and x == self.low)
                    or self.high is not None and (
                        x > self.high or self.open_high and x == self.high))

    def clip(self, x: Fraction) -> Fraction:
        """The nearest place inside; beside an open end, a thousandth away or half way."""
        if self.holds(x):
            return x
        gap = Fraction(1, 1000)
        if self.low is not None and self.high is not None:
            gap = min(gap, (self.high - self.low) / 2)
        if self.low is not None and x <= self.low:
            return self.low + gap if self.open_low else self.low
        return self.high - gap if self.open_high else self.high  # type: ignore[operator]


@dataclass(frozen=True)
class Cell:
    """What a style may look at: the place among all cells and within its own symbol, the kind."""

    name: str
    place: int
    own: int
    kind: str = "real"
    phase: bool = False


@dataclass(frozen=True)
class Style:
    """How to choose numbers, phases and matrices; `level` is the size of whole numbers.

    `twin` makes equal places of different symbols equal, `shrink` divides matrices, `share`
    scales the wishes for parts of a known sum so that they add up.
    """

    level: int
    kind: str
    phases: str
    matrices: str
    rng: random.Random
    twin: bool = False
    shrink: Fraction = Fraction(1)
    turn: Fraction = Fraction(0)
    seed: int = 0
    share: bool = True

    def number(self, cell: Cell, interval: Interval) -> Number:
        """A number wished for a real cell."""
        place = cell.own if self.twin else cell.place
        if cell.phase and self.phases != "none":
            turns = PHASES[self.phases](place, self)
            if turns is not None:
                return {(1, 1, 0): turns} if turns else {}
        return rational(interval.clip(KIND[self.kind](place, interval, self.rng)))

    def integer(self, cell: Cell, interval: Interval) -> Fraction:
        """A whole number wished, between the low end and some way above."""
        low, high, rng = interval.low, interval.high, self.rng
        reach = self.level - 1
        if low is None:
            top = Fraction(self.level) if high is None else min(high, Fraction(self.level))
            return rng.choice((top, Fraction(1), Fraction(0), Fraction(-1)))
        best = low + reach if high is None else min(high, low + reach)
        if self.kind in _FULL or best <= low:
            return best
        return Fraction(rng.randint(-(-low.numerator // low.denominator), int(best)))

    def matrix(self, name: str, rows: int, cols: int, flags: tuple[str, ...]) -> Table:
        """A matrix wished."""
        if self.matrices == "shared" and rows == cols and "orthogonal" not in flags:
            return self.shrunk(polynomial(rows, flags, self.seed, self.rng), flags)
        any_kind = self.matrices in ("any", "shared")
        kind = self.rng.choice(KINDS) if any_kind else self.matrices
        return self.shrunk(drawn(rows, cols, flags, kind, self.rng), flags)

    def shrunk(self, a: Table, flags: tuple[str, ...]) -> Table:
        """The matrix divided, unless its flags forbid it."""
        return a if self.shrink == 1 or "orthogonal" in flags else scaled(a, self.shrink)


_FULL = frozenset({"ones", "zeros", "count", "middle"})


def _middle(place: int, i: Interval, rng: random.Random) -> Fraction:
    if i.low is not None and i.high is not None:
        return (i.low + i.high) / 2
    if i.low is not None:
        return i.low + 1
    return i.high - 1 if i.high is not None else Fraction(1, 2)


def _low(place: int, i: Interval, rng: random.Random) -> Fraction:
    return i.low if i.low is not None else Fraction(-1) if i.high is None else i.high - 1


def _high(place: int, i: Interval, rng: random.Random) -> Fraction:
    return i.high if i.high is not None else Fraction(2) if i.low is None else i.low + 2


def _small(place: int, i: Interval, rng: random.Random) -> Fraction:
    return _inside(i, Fraction(rng.randint(-6, 6), rng.randint(1, 4)), rng, 6)


def _wide(place: int, i: Interval, rng: random.Random) -> Fraction:
    below = rng.choice((1, 2, 3, 5, 7, 16, 60, 997))
    return _inside(i, Fraction(rng.randint(-8 * below, 8 * below), below), rng, below + 1)


def _large(place: int, i: Interval, rng: random.Random) -> Fraction:
    return _inside(i, Fraction(rng.choice((10, 100, 1000, -10, -100, 5))), rng, 10)


def _inside(i: Interval, x: Fraction, rng: random.Random, parts: int) -> Fraction:
    """x, or where it lies outside a place between the ends."""
    if i.holds(x):
        return x
    if i.low is not None and i.high is not None:
        return i.low + (i.high - i.low) * Fraction(rng.randint(1, parts), parts + 1)
    if i.low is not None:
        return i.low + abs(x - i.low if abs(x) > 1000 else x)
    return i.high - abs(x)  # type: ignore[operator]


def _corner(place: int, i: Interval, rng: random.Random) -> Fraction:
    return rng.choice((_low, _high))(place, i, rng)


def _mixed(place: int, i: Interval, rng: random.Random) -> Fraction:
    return KIND[rng.choice(_MIX)](place, i, rng)


KIND: dict[str, Callable[[int, Interval, random.Random], Fraction]] = {
    "ones": lambda k, i, r: Fraction(1), "zeros": lambda k, i, r: Fraction(0),
    "count": lambda k, i, r: Fraction(k + 1), "middle": _middle, "low": _low, "high": _high,
    "alternate": lambda k, i, r: Fraction(k % 2), "first": lambda k, i, r: Fraction(int(k == 0)),
    "signs": lambda k, i, r: Fraction(1 - 2 * (k % 2)),
    "odd": lambda k, i, r: Fraction((k * k + 3 * k + 1) % 7, 1 + k % 3),
    "twos": lambda k, i, r: Fraction(2), "minus": lambda k, i, r: Fraction(-1),
    "tiny": lambda k, i, r: Fraction(1, 1000), "tenth": lambda k, i, r: Fraction(1, 10),
    "one hot": lambda k, i, r: Fraction(int(r.random() < 0.3)),
    "unit": lambda k, i, r: Fraction(r.randint(-20, 20), 20), "small": _small,
    "wide": _wide, "large": _large, "corner": _corner, "mixed": _mixed,
}
_MIX = ("ones", "zeros", "small", "small", "wide", "low", "high", "tiny", "twos", "minus")


def _quarters(place: int, s: Style) -> Fraction:
    return Fraction(s.rng.randint(-1, 2), 2)


def _eighths(place: int, s: Style) -> Fraction:
    return Fraction(s.rng.randint(-3, 4), 4)


def _twelfths(place: int, s: Style) -> Fraction:
    return Fraction(s.rng.randint(-11, 12), 6) / 2


def _some(place: int, s: Style) -> Fraction | None:
    return s.rng.choice((None, Fraction(0), Fraction(1, 2), Fraction(1), Fraction(1, 4)))


PHASES: dict[str, Callable[[int, Style], Fraction | None]] = {
    "equal": lambda k, s: s.turn, "right": lambda k, s: s.turn + Fraction(k % 2, 2),
    "flat": lambda k, s: s.turn + k % 2, "steps": lambda k, s: Fraction(k % 4, 2),
    "third": lambda k, s: Fraction((k % 3) * 2, 3), "quarters": _quarters, "eighths": _eighths,
    "twelfths": _twelfths, "some": _some,
}
FIRST = (  # level of whole numbers, kind, phases, matrices
    (1, "ones", "none", "identity"), (2, "count", "steps", "count"),
    (1, "zeros", "none", "count"), (2, "odd", "right", "sparse"),
    (2, "middle", "none", "unit"), (1, "count", "right", "diagonal"),
    (2, "ones", "equal", "any"), (3, "odd", "none", "sparse"), (2, "low", "steps", "small"),
    (2, "high", "quarters", "any"), (1, "tenth", "none", "rational"),
    (2, "zeros", "flat", "nilpotent"), (2, "alternate", "none", "rank one"),
    (2, "signs", "right", "any"), (3, "small", "quarters", "any"), (1, "low", "none", "zero"),
    (1, "high", "none", "any"), (1, "middle", "none", "small"), (3, "first", "steps", "unit"),
    (2, "small", "none", "any"), (2, "tiny", "none", "any"), (1, "large", "none", "any"),
    (2, "minus", "none", "any"), (2, "twos", "none", "diagonal"), (3, "corner", "third", "any"),
)
_EXACT = ("equal", "equal", "right", "flat", "steps", "quarters", "third", "eighths")


def style(number: int, rng: random.Random, exact: bool) -> Style:
    """The style of the proposal of a number; `exact` when phases must have exact values.

    Matrices of kind "shared" are polynomials in one matrix, so that they commute.
    """
    turn = Fraction(rng.choice((0, 0, 1, 2, 3, 4, -1, -2)), 4) if number else Fraction(0)
    if number < len(FIRST):
        level, kind, phases, matrices = FIRST[number]
        if exact and phases in ("none", "steps", "quarters"):
            phases = ("equal", "right", "flat")[number % 3]
        return Style(level, kind, phases, matrices, rng, turn=turn)
    level = rng.choice((1, 2, 2, 3) if number < 40 else (1, 2, 2, 2, 3, 3, 4, 5, 7))
    kind = "wide" if rng.random() < min(0.5, number / 200) else rng.choice(_LATE)
    phases = rng.choice(_EXACT if exact else ("none", "none", *PHASES))
    return Style(level, kind, phases, rng.choice(_MATRICES), rng,
                 rng.random() < 0.15, Fraction(1), turn, rng.randrange(10**6))


_MATRICES = ("any", "any", "any", "sparse", "small", "rational", "shared")
_LATE = ("small", "small", "unit", "wide", "wide", "mixed", "mixed", "corner", "large",
         "one hot", "ones", "odd", "middle", "tiny")
