"""A small world: a prime field, the values drawn so far, and the choices made for functions.

A scalar is a Fraction while it is rational, and a residue (int) from the first exponential, root,
logarithm or pi on. A matrix is a tuple of rows of scalars.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from symbolic.kernel.modular.field import Field, Undecided, lift, turn
from symbolic.kernel.term import Term

Number = Fraction | int
Form = dict[tuple[int, int, int], Fraction]
UNIT = (0, 0, 1)
STEPS, BITS = 40_000, 4_000


class Misfit(Undecided):
    """Matrices whose shapes do not fit: the statement is not one of equal shapes."""


@dataclass(frozen=True)
class Solved:
    """An atom that an equation fixed: its residue, its size as a float, its form."""

    residue: int
    size: complex
    form: Form


@dataclass(frozen=True)
class Pair:
    """A complex number with rational parts."""

    re: Fraction
    im: Fraction


@dataclass(frozen=True)
class World:
    """A field, the values drawn so far and the choices made for exponentials, roots and logs.

    `draw(name, indices)` gives an atom that has no value yet. `notes` collects "opaque" when an
    atom was taken for independent of the others without proof: then unequal means nothing.
    `values` and `forms` are the tables of heads. `tick` counts evaluation steps; `bar` is odd while
    a complex conjugate is evaluated; `real_names` are the symbols that need not be whole.
    """

    field: Field
    rng: random.Random
    draw: Callable
    values: Mapping[str, Callable]
    forms: Mapping[str, Callable] = field(default_factory=dict)
    real_names: frozenset = frozenset()
    atoms: dict = field(default_factory=dict)
    weights: dict = field(default_factory=dict)
    logs: dict = field(default_factory=dict)
    arguments: dict = field(default_factory=dict)
    constants: dict = field(default_factory=dict)
    roots: dict = field(default_factory=dict)
    choice: dict = field(default_factory=dict)
    notes: set = field(default_factory=set)
    tick: list = field(default_factory=lambda: [0])
    bar: list = field(default_factory=lambda: [0])


def value(t: Term, w: World, scope: dict):
    """A Fraction, a residue, or a matrix (tuple of rows of those)."""
    w.tick[0] += 1
    if w.tick[0] > STEPS:
        raise Undecided("too many steps")
    if isinstance(t, int):
        return Fraction(t)
    if isinstance(t, str):
        return scope[t] if t in scope else seen(atom(w, t, ()), w)
    rule = w.values.get(t[0])
    if rule is None:
        raise Undecided(f"no value for {t[0]}")
    return rule(t[1:], w, scope)


def atom(w: World, name: str, index: tuple):
    """The stored value of a symbol, a matrix or an entry of a family, drawn on first sight."""
    key = (name, *index)
    if key not in w.atoms:
        w.atoms[key] = w.draw(name, index)
    return w.atoms[key]


def seen(v, w: World):
    """The value of a stored atom."""
    if isinstance(v, Solved):
        return v.residue
    if isinstance(v, Pair):
        return _complex(v, w)
    return v


def _complex(v: Pair, w: World) -> int:
    i = turn(w.field, Fraction(-1 if w.bar[0] % 2 else 1, 2))
    return (lift(w.field, v.re) + i * lift(w.field, v.im)) % w.field.p


def scalar(t: Term, w: World, scope: dict) -> Number:
    """The value of a term that must be a scalar (a 1 x 1 matrix counts)."""
    return as_scalar(value(t, w, scope))


def as_scalar(v) -> Number:
    """A value as a scalar."""
    if isinstance(v, tuple):
        if len(v) == 1 and len(v[0]) == 1:
            return v[0][0]
        raise Undecided("a matrix where a scalar is needed")
    return v


def whole(t: Term, w: World, scope: dict) -> int:
    """The value of a term that must be a whole number."""
    v = scalar(t, w, scope)
    if not isinstance(v, Fraction) or v.denominator != 1:
        raise Undecided("an index or an end that is not surely whole")
    return v.numerator


def residue(x: Number, w: World) -> int:
    """Any scalar as a residue."""
    return lift(w.field, x) if isinstance(x, Fraction) else x


def pi_of(w: World) -> int:
    """The residue that stands for pi."""
    return w.constants.setdefault("pi", w.rng.randrange(2, w.field.p))
