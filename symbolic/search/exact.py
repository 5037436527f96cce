"""Exact linear algebra for searches: sparse columns over any keys, solved modulo a prime first.

The prime only chooses pivots; values are computed and compared over the rationals.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

PRIME = (1 << 61) - 1
LARGEST = 6_000_000
"""The largest dense table (rows times columns) that is built."""

Column = Mapping[Any, Fraction]


def _residue(c: Fraction | int) -> int:
    c = Fraction(c)
    return c.numerator * pow(c.denominator, -1, PRIME) % PRIME


def _table(rows: Sequence[Sequence[tuple[int, Fraction]]], width: int):
    """The matrix modulo PRIME with the given sparse rows."""
    from flint import nmod_mat

    flat = [0] * (len(rows) * width)
    for i, row in enumerate(rows):
        for j, c in row:
            flat[i * width + j] = _residue(c)
    return nmod_mat(len(rows), width, flat, PRIME)


def _leading(reduced, rank: int) -> list[int]:
    """The pivot columns of a reduced echelon matrix."""
    found, j = [], 0
    for i in range(rank):
        while not int(reduced[i, j]):
            j += 1
        found.append(j)
        j += 1
    return found


def pivots(columns: Sequence[Column], target: Column) -> tuple[list[int], dict[int, int]] | None:
    """(pivot columns, the nonzero residues of one solution) of sum_j x_j columns[j] = target.

    The earliest columns become pivots; the solution vanishes off them. None when the target is
    not a combination (modulo PRIME), or the table would be too large.
    """
    keys: dict = {}
    for column in (*columns, target):
        for key in column:
            keys.setdefault(key, len(keys))
    width = len(columns) + 1
    if not keys:
        return [], {}
    if len(keys) * width > LARGEST:
        return None
    rows: list[list] = [[] for _ in keys]
    for j, column in enumerate((*columns, target)):
        for key, c in column.items():
            rows[keys[key]].append((j, c))
    reduced, rank = _table(rows, width).rref()
    lead = _leading(reduced, rank)
    if lead and lead[-1] == width - 1:
        return None
    residues = {j: int(reduced[i, width - 1]) for i, j in enumerate(lead)}
    return lead, {j: r for j, r in residues.items() if r}


def rows_of(columns: Sequence[Column]) -> list:
    """Keys of as many rows as there are columns (assumed independent), forming a regular square."""
    keys: dict = {}
    for column in columns:
        for key in column:
            keys.setdefault(key, len(keys))
    if not keys:
        return []
    rows = [[(keys[key], c) for key, c in column.items()] for column in columns]
    reduced, rank = _table(rows, len(keys)).rref()
    names = list(keys)
    return [names[j] for j in _leading(reduced, rank)]


def square(columns: Sequence[Column], rights: Sequence[Column]) -> list[list[Fraction]] | None:
    """Solutions x (one list for each right side) of sum_j x_j columns[j] = right on pivot rows.

    The columns are independent. Rows that are not pivot rows are not looked at.
    """
    from flint import fmpq, fmpq_mat

    rows = rows_of(columns)
    n = len(columns)
    if len(rows) < n:
        return None
    if not n:
        return [[] for _ in rights]

    def rational(c) -> fmpq:
        c = Fraction(c)
        return fmpq(c.numerator, c.denominator)

    left = fmpq_mat(n, n, [rational(c.get(key, 0)) for key in rows for c in columns])
    right = fmpq_mat(n, len(rights), [rational(b.get(key, 0)) for key in rows for b in rights])
    try:
        found = left.solve(right)
    except ZeroDivisionError:
        return None
    return [[Fraction(int(found[j, k].p), int(found[j, k].q)) for j in range(n)]
            for k in range(len(rights))]


def solve(columns: Sequence[Column], target: Column) -> dict[int, Fraction] | None:
    """The nonzero x_j of one exact solution of sum_j x_j columns[j] = target, or None.

    Free unknowns are zero and early columns are preferred, so the answer has small support.
    """
    found = pivots(columns, target)
    if found is None:
        return None
    support = sorted(found[1])
    values = square([columns[j] for j in support], [target])
    if values is None:
        return None
    rest = {key: Fraction(c) for key, c in target.items()}
    for j, x in zip(support, values[0], strict=True):
        for key, c in columns[j].items():
            rest[key] = rest.get(key, 0) - x * c
    if any(rest.values()):
        return None
    return {j: x for j, x in zip(support, values[0], strict=True) if x}


def peeled(columns: Sequence[Column], target: Column) -> list[Fraction] | None:
    """The solution of sum_j x_j columns[j] = target when rows that meet a single unknown fix all
    unknowns one after another; None when they do not, or contradict each other."""
    meets: dict[Hashable, set[int]] = {key: set() for key in target}
    for j, column in enumerate(columns):
        for key in column:
            meets.setdefault(key, set()).add(j)
    rest = dict(target)
    values: dict[int, Fraction] = {}
    ready = [key for key, js in meets.items() if len(js) == 1]
    while ready:
        key = ready.pop()
        if len(meets[key]) != 1:
            continue
        (j,) = meets[key]
        values[j] = x = Fraction(rest.get(key, 0)) / columns[j][key]
        for other, c in columns[j].items():
            rest[other] = rest.get(other, 0) - x * c
            meets[other].discard(j)
            if len(meets[other]) == 1:
                ready.append(other)
    if len(values) < len(columns) or any(rest.values()):
        return None
    return [values[j] for j in range(len(columns))]


def orthogonal(vectors: Sequence[Sequence[Fraction | int]], n: int) -> list[list[Fraction]]:
    """A basis of the vectors w with w . v = 0 for every given v of length n."""
    rows: list[tuple[int, list[Fraction]]] = []
    for vector in vectors:
        v = [Fraction(c) for c in vector]
        for lead, row in rows:
            if v[lead]:
                v = [a - v[lead] * b for a, b in zip(v, row, strict=True)]
        lead = next((k for k in range(n) if v[k]), None)
        if lead is None:
            continue
        v = [c / v[lead] for c in v]
        rows = [(k, [a - r[lead] * b for a, b in zip(r, v, strict=True)]) for k, r in rows]
        rows.append((lead, v))
    leads = {k for k, _ in rows}
    basis = []
    for free in (k for k in range(n) if k not in leads):
        w = [Fraction(int(k == free)) for k in range(n)]
        for k, row in rows:
            w[k] = -row[free]
        basis.append(w)
    return basis


def parities(vectors: Sequence[Sequence[int]], n: int) -> list[int]:
    """A basis (bit masks, bit i for entry i) of the s in {0,1}^n with s . v even for every v."""
    rows: list[int] = []
    for vector in vectors:
        v = sum((c & 1) << i for i, c in enumerate(vector))
        for row in rows:
            v = min(v, v ^ row)
        if v:
            rows = [min(r, r ^ v) for r in rows] + [v]
    leads = {row.bit_length() - 1: row for row in rows}
    basis = []
    for free in (i for i in range(n) if i not in leads):
        s = 1 << free
        for lead, row in leads.items():
            s |= (row >> free & 1) << lead
        basis.append(s)
    return basis


def ldl(matrix: Sequence[Sequence[Fraction]]) -> list[tuple[Fraction, list[Fraction]]] | None:
    """[(d, l)] with matrix = sum d l l^T, every d > 0; None when it is not positive semidefinite.

    The matrix is symmetric. Elimination in the given order, in exact arithmetic.
    """
    from flint import fmpq

    n = len(matrix)
    a = [[fmpq(c.numerator, c.denominator) for c in row] for row in matrix]
    parts = []
    for k in range(n):
        d = a[k][k]
        if d < 0 or (d == 0 and any(a[k][j] != 0 for j in range(k, n))):
            return None
        if d == 0:
            continue
        row = [a[k][j] / d for j in range(k, n)]
        for i in range(k + 1, n):
            if (c := a[k][i]) != 0:
                for j in range(i, n):
                    a[i][j] -= c * row[j - k]
        parts.append((d, row, k))
    return [(Fraction(int(d.p), int(d.q)),
             [Fraction(0)] * k + [Fraction(int(c.p), int(c.q)) for c in row])
            for d, row, k in parts]


