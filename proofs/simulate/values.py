"""Values of an experiment file: numbers, vectors, matrices and counts, exact and checked.

Each reader takes what TOML gave and returns the exact value, or raises Wrong with what was found,
what was needed and what to do; the file and the key are added where it is caught.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from symbolic.reading.names import shown

Matrix = tuple[tuple[Fraction, ...], ...]

WIDEST, MOST = 64, 100_000  # dimension of a token; particles, seeds
FRACTION = re.compile(r"\s*([+-]?\d{1,40})\s*(?:/\s*(\d{1,40}))?\s*\Z", re.ASCII)
LEAST, GREATEST = Fraction(1, 10**60), Fraction(10**60)
WORDS = 'a list of rows of numbers or "p/q" strings, or "identity"'
KEYED = ("Q", "-Q")
SIGNS = {"identity": 1, "-identity": -1, "Q": 1, "-Q": -1}


class Wrong(ValueError):
    """What was found, what was needed, what to do."""


def line(value: object) -> str:
    """One line of printable text."""
    if (isinstance(value, str) and value.strip() and len(value) <= 200 and value.isprintable()
            and "$" not in value):
        return value
    raise Wrong(shown(value), "a line of text without $", "write it in quotes")


def number(value: object) -> Fraction:
    """An exact number: a whole number, a decimal as it is spelled, or "p/q"."""
    found = None
    if isinstance(value, str) and (match := FRACTION.match(value)) and int(match[2] or 1):
        found = Fraction(int(match[1]), int(match[2] or 1))
    if isinstance(value, int) and not isinstance(value, bool):
        found = Fraction(value)
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < 100:
        found = Fraction(value)
    if found is None or (found and not LEAST < abs(found) < GREATEST):
        raise Wrong(_told(value), 'a finite number of moderate size, or "p/q"',
                    'write it as 0.25 or "1/4"')
    return found


def positive(value: object) -> Fraction:
    """An exact number > 0."""
    found = number(value)
    if found <= 0:
        raise Wrong(_told(value), "a number > 0", "make it positive")
    return found


def counts(value: object, least: int) -> tuple[int, ...]:
    """One whole number, or a list of them that differ."""
    listed = value if isinstance(value, list) else [value]
    for n in listed:
        if not isinstance(n, int) or isinstance(n, bool) or not least <= n <= MOST:
            raise Wrong(_told(n), f"whole numbers from {least} to {MOST}",
                        "write one number, or a list of them")
    if not listed or len(set(listed)) < len(listed):
        raise Wrong(shown(value), "numbers that differ, one at least", "correct the list")
    return tuple(listed)


def seeds(value: object) -> tuple[int, ...]:
    """A list of seeds, or their number n for the seeds 0, ..., n - 1."""
    return counts(value, 0) if isinstance(value, list) else tuple(range(counts(value, 1)[0]))


def vector(value: object, d: int) -> tuple[Fraction, ...]:
    """d exact numbers; a bare number is a vector of one."""
    listed = value if isinstance(value, list) else [value]
    if len(listed) != d:
        raise Wrong(f"a list of {len(listed)}", f"{d} numbers, as S0 is {d} x {d}",
                    "write one number a coordinate")
    return tuple(map(number, listed))


def matrix(value: object, rows: int | None, cols: int | None, Q: Matrix | None = None) -> Matrix:
    """An exact matrix rows x cols (any number where None); a bare number is a matrix 1 x 1.

    "identity" and "-identity" are read where the shape is known, "Q" and "-Q" where Q is given.
    """
    if isinstance(value, str) and value in SIGNS and (Q is not None or value not in KEYED):
        plain = Q if value in KEYED and Q is not None else identity(cols or rows or 1)
        return tuple(tuple(SIGNS[value] * x for x in row) for row in plain)
    if not isinstance(value, list):
        if isinstance(value, str) and not FRACTION.match(value):
            raise Wrong(shown(value), WORDS, "write the matrix out")
        value = [[value]]
    if not value or not all(isinstance(row, list) and row for row in value):
        raise Wrong(shown(value), WORDS, "write it as [[1, 0], [0, 1]]")
    widths = sorted({len(row) for row in value})
    if len(widths) > 1:
        raise Wrong(f"rows of {' and '.join(map(str, widths))} numbers", "rows of equal length",
                    "complete the short row")
    if (rows or len(value), cols or widths[0]) != (len(value), widths[0]):
        raise Wrong(f"a matrix of shape {len(value)} x {widths[0]}",
                    f"{rows or 'k'} x {cols or 'd'}", "correct it, or the matrices beside it")
    return tuple(tuple(map(number, row)) for row in value)


def identity(d: int) -> Matrix:
    """The identity, d x d."""
    return tuple(tuple(Fraction(int(i == j)) for j in range(d)) for i in range(d))


def dimension(candidates: Iterable[object]) -> int:
    """d: the number of columns of the first matrix that is written out."""
    for value in candidates:
        if value is None or (isinstance(value, str) and value in SIGNS):
            continue
        d = len(matrix(value, None, None)[0])
        if d > WIDEST:
            raise Wrong(f"{d} dimensions", f"at most {WIDEST}", "use fewer")
        return d
    raise Wrong("no matrix that is written out", "one, which gives the dimension",
                "write S0 = [[1, 0], [0, 1]]")


def covariance(value: object, d: int) -> Matrix:
    """A matrix d x d, symmetric and positive semidefinite to 1e-12 of its size; maybe singular."""
    import numpy as np
    S = matrix(value, d, d)
    found = np.array(S, dtype=float)
    gap, room = np.abs(found - found.T), 1e-12 * np.abs(found).max()
    if gap.max() > room:
        i, j = (int(k) for k in np.unravel_index(gap.argmax(), gap.shape))
        raise Wrong(f"entry ({i + 1}, {j + 1}) = {found[i, j]:g} beside ({j + 1}, {i + 1}) = "
                    f"{found[j, i]:g}", "a symmetric matrix", "correct one of the two")
    least = np.linalg.eigvalsh(found)[0]
    if least < -room:
        raise Wrong(f"an eigenvalue {least:.3g}", "a positive semidefinite matrix",
                    "a covariance has no negative eigenvalue: correct it")
    return S


def _told(value: object) -> str:
    return str(value) if isinstance(value, Decimal) else shown(value)
