"""A dataset: sequences X_j of distinct tokens, and the sets Y_j they are to become.

What an interpolation theorem must exclude is refused here, sequence by sequence; nothing is merged
or rounded. Order and repetition inside a sequence never matter for what is asked, only sets do.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any

from flint import fmpq, fmpz

from numeric.interpolant.exact import Number, Vector, key, number

Tokens = tuple[Vector, ...]


class BadData(ValueError):
    """A dataset that no network can interpolate, or that is not exact.

    `fault` is one word for the kind of error, `sequence` counts from 1 (None: the whole dataset).
    """

    def __init__(self, fault: str, sequence: int | None, found: str, needed: str, todo: str):
        where = "the dataset" if sequence is None else f"sequence {sequence}"
        super().__init__(f"{where}: found {found}; needed {needed}: {todo}")
        self.fault, self.sequence = fault, sequence


@dataclass(frozen=True)
class Dataset:
    """N pairs (X_j, Y_j) in Q^d. `kind` is the kind of its numbers, fmpq or Fraction."""

    pairs: tuple[tuple[Tokens, Tokens], ...]
    kind: type = fmpq

    @cached_property
    def d(self) -> int:
        """The dimension of a token."""
        return len(self.pairs[0][0][0])

    @property
    def N(self) -> int:
        """The number of sequences."""
        return len(self.pairs)

    @cached_property
    def M(self) -> int:
        """The number of output tokens, sum of m_j."""
        return sum(len(Y) for _, Y in self.pairs)

    @cached_property
    def T(self) -> int:
        """The number of input tokens, sum of n_j."""
        return sum(len(X) for X, _ in self.pairs)

    @cached_property
    def c(self) -> int:
        """The number of sequences that must lose tokens, m_j < n_j."""
        return sum(len(Y) < len(X) for X, Y in self.pairs)

    @property
    def inputs(self) -> tuple[Tokens, ...]:
        """X_1, ..., X_N."""
        return tuple(X for X, _ in self.pairs)

    @property
    def outputs(self) -> tuple[Tokens, ...]:
        """Y_1, ..., Y_N."""
        return tuple(Y for _, Y in self.pairs)

    @cached_property
    def tokens(self) -> Tokens:
        """Every input token once, in order of first appearance."""
        return tuple({key(x): x for X in self.inputs for x in X}.values())

    @cached_property
    def disjoint(self) -> bool:
        """Whether no two sequences share a token."""
        return len(self.tokens) == self.T


def dataset(pairs: Iterable[tuple[Any, Any]], exact_floats: bool = False,
            kind: type = fmpq) -> Dataset:
    """The dataset of pairs (input tokens, output tokens), each token d exact numbers.

    Numbers are int, Fraction, fmpq or fmpz; a float only with `exact_floats`, and is then the
    binary fraction that it is: 0.1 becomes 3602879701896397/36028797018963968, not 1/10.
    Raises BadData, naming the sequence, for an empty dataset or sequence, tokens of another
    dimension, a repeated token, m_j > n_j, two inputs that are equal as sets, inexact entries.
    """
    read, d = [], None
    for j, (X, Y) in enumerate(pairs, 1):
        sides = []
        for role, points in (("input", X), ("output", Y)):
            side = tuple(_token(p, j, f"{role} token {i}", exact_floats, kind)
                         for i, p in enumerate(points, 1))
            d = d or (len(side[0]) if side else None)
            _check_side(side, j, role, d)
            sides.append(side)
        if len(sides[1]) > len(sides[0]):
            raise BadData("m > n", j, f"{len(sides[1])} outputs for {len(sides[0])} inputs",
                          "m <= n, as every output is the image of an input",
                          "add inputs or drop outputs")
        read.append(tuple(sides))
    if not read:
        raise BadData("empty dataset", None, "no sequences", "at least one", "add a pair")
    _check_distinct(read)
    return Dataset(tuple(read), kind)


def _token(token: Any, j: int, place: str, exact_floats: bool, kind: type) -> Vector:
    if isinstance(token, str) or not hasattr(token, "__iter__"):
        raise BadData("no token", j, f"{token!r} as {place}", "a list of numbers",
                      "write [x] where d = 1")
    return tuple(_entry(x, j, place, exact_floats, kind) for x in token)


def _entry(x: Any, j: int, place: str, exact_floats: bool, kind: type) -> Number:
    if isinstance(x, float) and exact_floats:
        if not isfinite(x):
            raise BadData("not finite", j, f"{x} in {place}", "finite numbers", "remove it")
        return kind(*x.as_integer_ratio())
    if isinstance(x, bool) or not isinstance(x, (int, Fraction, fmpq, fmpz)):
        exact = f"Fraction({str(x)!r})" if isinstance(x, float) else "a Fraction"
        raise BadData("inexact entry", j, f"{x!r} ({type(x).__name__}) in {place}",
                      "exact numbers: int, Fraction or fmpq",
                      f"write {exact}, or ask for exact_floats" if isinstance(x, float)
                      else f"write {exact}")
    return kind(int(x)) if isinstance(x, (int, fmpz)) else number(kind, x)


def _check_side(side: Tokens, j: int, role: str, d: int | None) -> None:
    if not side:
        raise BadData(f"empty {role}", j, f"an empty {role}", "at least one token", "add a token")
    for i, x in enumerate(side, 1):
        if len(x) != d or not d:
            raise BadData("wrong dimension", j, f"{len(x)} coordinates in {role} token {i}",
                          f"{d or 'one or more'} in every token", "correct that token")
    first: dict = {}
    for i, x in enumerate(side, 1):
        same = first.setdefault(key(x), i)
        if same != i:
            raise BadData(f"repeated {role}", j, f"{role} tokens {same} and {i} equal",
                          "distinct tokens", "keep one of them")


def _check_distinct(pairs: list[tuple[Tokens, Tokens]]) -> None:
    first: dict = {}
    for j, (X, _) in enumerate(pairs, 1):
        same = first.setdefault(frozenset(map(key, X)), j)
        if same != j:
            raise BadData("equal inputs", j, f"the same set of inputs as sequence {same}",
                          "inputs that differ as sets",
                          "merge the two if their outputs agree; no map can serve both if not")


def needs_plane(data: Dataset, construction: str) -> None:
    """Raises BadData where d < 2 and the construction needs a plane for its circles."""
    if data.d < 2:
        raise BadData("d < 2", None, f"tokens of dimension {data.d}",
                      f"d >= 2 for construction {construction}, which puts leaders on a circle",
                      "use construction uniform, or embed the tokens in the plane")
