"""Exact rationals and vectors of them: python-flint's fmpq for speed, or Fraction.

Both kinds give the same results, as only + - * / and comparisons are asked of them. A vector is a
tuple of numbers of one kind. A whole number of Python may meet either kind, but not be divided.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import isqrt, lcm
from operator import mul
from typing import Any

from flint import fmpq, fmpz_mat

Number = Any  # fmpq or Fraction
Vector = tuple[Number, ...]
BLOCK = 200_000  # entries of a Gram matrix held at once


def ratio(x: Any) -> tuple[int, int]:
    """(p, q) with x = p/q in lowest terms, q > 0. Equal numbers of any kind have equal pairs.

    Hashing the pair is ten times as fast as hashing an fmpq.
    """
    return int(x.numerator), int(x.denominator)


def key(x: Iterable[Any]) -> tuple[tuple[int, int], ...]:
    """What equal vectors of any kind have in common, quick to hash."""
    return tuple((int(c.numerator), int(c.denominator)) for c in x)


def floor(x: Any) -> int:
    """The largest whole number <= x."""
    return int(x.numerator) // int(x.denominator)


def ceil(x: Any) -> int:
    """The smallest whole number >= x."""
    return -(-int(x.numerator) // int(x.denominator))


def text(x: Any) -> str:
    """`p` or `p/q` in lowest terms."""
    p, q = ratio(x)
    return str(p) if q == 1 else f"{p}/{q}"


def bits(x: Any) -> int:
    """The bit length of the numerator or the denominator, whichever is longer."""
    return max(part.bit_length() for part in ratio(x))


def support(u: Vector) -> tuple[tuple[int, Number], ...]:
    """The coordinates of u that are not zero, with their places: what a product has to look at."""
    return tuple((i, c) for i, c in enumerate(u) if c)


def along(pairs: tuple[tuple[int, Number], ...], x: Vector) -> Number:
    """<u, x> for a u != 0 given by its support."""
    total = None
    for i, c in pairs:
        term = x[i] if c == 1 else c * x[i]
        total = term if total is None else total + term
    return total


def dot(u: Vector, x: Vector) -> Number:
    """<u, x>."""
    return sum((a * b for a, b in zip(u, x, strict=True) if a), u[0] * 0)


def added(x: Vector, factor: Number, v: Vector) -> Vector:
    """x + factor v."""
    return tuple(a + factor * b if b else a for a, b in zip(x, v, strict=True))


def minus(x: Vector, y: Vector) -> Vector:
    """x - y."""
    return tuple(a - b for a, b in zip(x, y, strict=True))


def scaled(factor: Number, v: Vector) -> Vector:
    """factor v."""
    return tuple(factor * c for c in v)


def unit(kind: type, d: int) -> Vector:
    """e_1 of R^d."""
    return (kind(1), *(kind(0) for _ in range(d - 1)))


def norm_bound(points: Iterable[Vector]) -> int:
    """A whole number >= every |x|, at most 2 larger than needed; 0 without points."""
    largest = max((ceil(dot(x, x)) for x in points), default=0)
    root = isqrt(largest)
    return root if root * root == largest else root + 1


def common(values: Sequence[Number]) -> tuple[list[int], int]:
    """Whole numbers k and D >= 1 with values = k/D: on these, sums and hashes are fast."""
    pairs = [ratio(x) for x in values]
    D = lcm(*(q for _, q in pairs)) if pairs else 1
    return [p * (D // q) for p, q in pairs], D


def ascending(values: Sequence[Number]) -> list[int]:
    """The order that sorts the values. Floats sort first, so few exact comparisons remain."""
    def rough(k: int) -> float:
        p, q = ratio(values[k])
        try:
            return p / q
        except OverflowError:
            return float("inf") if p > 0 else float("-inf")
    return sorted(sorted(range(len(values)), key=rough), key=values.__getitem__)


def gram(rows: Sequence[Vector], columns: Sequence[Vector]) -> tuple[Iterator[list], int]:
    """The scores <w, x> of every row w with all columns x, a row at a time, as whole numbers over
    one denominator > 0: whole numbers are compared ten times as fast as rationals."""
    left, D = common([c for w in rows for c in w])
    right, E = common([c for x in columns for c in x])
    d = len(rows[0])
    return _products(left, right, d, isinstance(rows[0][0], fmpq)), D * E


def _products(left: list[int], right: list[int], d: int, fast: bool) -> Iterator[list]:
    """The products of rows of d whole numbers, by FLINT's matrices or by Python alone."""
    m, n = len(left) // d, len(right) // d
    if not fast:
        columns = [right[k * d:(k + 1) * d] for k in range(n)]
        for k in range(m):
            row = left[k * d:(k + 1) * d]
            yield [sum(map(mul, row, x)) for x in columns]
        return
    turned = fmpz_mat(n, d, right).transpose()
    size = max(1, BLOCK // n)
    for start in range(0, m, size):
        rows = min(size, m - start)
        yield from (fmpz_mat(rows, d, left[start * d:(start + rows) * d]) * turned).tolist()


def number(kind: type, x: Any) -> Number:
    """A whole number, Fraction, fmpq or fmpz as a number of this kind."""
    return x if isinstance(x, kind) else kind(*ratio(x))


KINDS = {"fmpq": fmpq, "Fraction": Fraction}
