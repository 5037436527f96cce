"""Matrices of known size, entry by entry: rows of polynomials, inverse by the adjugate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symbolic.kernel import atoms, sums
from symbolic.kernel import normal as normal_
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.letters import flags
from symbolic.kernel.polynomial import (
    Poly,
    atom,
    constant,
    freeze,
    key,
    mul,
    scale,
    subtract,
    total,
)
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Term, walk

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope

Rows = list[list[Poly]]
LARGEST = 8


def known(term: Term, s: Scope) -> bool:
    """Whether every matrix inside the term has a size that is a number, small enough to write."""
    for t in walk(term):
        name = t if isinstance(t, str) else t[1] if isinstance(t, tuple) and t[0] == "at" else None
        sort = s.sorts.get(name) if name else None
        inner = sort[1] if sort and sort[0] == "family" else sort
        if inner and inner[0] == "matrix" and not _small(inner[1:3]):
            return False
        if isinstance(t, tuple) and t[0] in ("eye", "zeros") and not _small(t[1:]):
            return False
        if isinstance(t, tuple) and t[0] == "matrix" and not _small((len(t) - 1, len(t[1]) - 1)):
            return False
    return True


def _small(sizes: tuple) -> bool:
    return all(isinstance(n, int) and n <= LARGEST for n in sizes)


def entries(t: Term, s: Scope) -> Rows:
    """The entries of a term, a number being a 1 x 1 matrix."""
    spend(10)
    found = shape(t, s.sorts)
    if found is None:
        return [[normal_.normal(t, s)]]
    if t == 0:
        return [[{} for _ in range(found[1])] for _ in range(found[0])]
    if isinstance(t, str) or t[0] == "at":
        return _letters(t, *found, s)
    rule = _RULES.get(t[0])
    if rule is None:
        raise Undecided(f"no entries of {t[0]!r}")
    return rule(t, s)


def _letters(t: Term, rows: int, cols: int, s: Scope) -> Rows:
    base = ("m", t) if isinstance(t, str) else (
        "m", t[1], *(freeze(normal_.normal(a, s)) for a in t[2:]))
    symmetric = "symmetric" in flags(s.facts.sorts, base)

    def one(i: int, j: int) -> Poly:
        place = [freeze(constant(i)), freeze(constant(j))]
        if symmetric:
            place.sort(key=key)
        return atom(("en", base, False, *place))

    return [[one(i, j) for j in range(1, cols + 1)] for i in range(1, rows + 1)]


def _sum(t: tuple, s: Scope) -> Rows:
    parts = [entries(a, s) for a in t[1:]]
    return [[total(list(cell)) for cell in zip(*rows, strict=True)]
            for rows in zip(*parts, strict=True)]


def _sum_over(t: tuple, s: Scope) -> Rows:
    """A sum over an index, entry by entry."""
    if any(end in (("oo",), ("-", ("oo",))) for end in t[3:]):
        raise Undecided("an infinite sum")
    low, high = normal_.normal(t[3], s), normal_.normal(t[4], s)
    inner, name = s.bind(t[2])
    inner = inner.under([subtract(atom(name), low), subtract(high, atom(name))])
    return [[sums.summed(c, name, low, high, s.facts) for c in row]
            for row in entries(t[1], inner)]


def _product(t: tuple, s: Scope) -> Rows:
    front, out = constant(1), None
    for a in t[1:]:
        rows = entries(a, s)
        if shape(a, s.sorts) is None or (out is not None and len(rows) == len(rows[0]) == 1
                                         and len(out[0]) != 1):
            front = mul(front, rows[0][0])
        elif out is not None and len(out[0]) != len(rows):
            if not len(out) == len(out[0]) == 1:
                raise Undecided("a product of unlike shapes")
            front, out = mul(front, out[0][0]), rows
        else:
            out = rows if out is None else multiplied(out, rows)
    return [[mul(front, c) for c in row] for row in out]


def multiplied(p: Rows, q: Rows) -> Rows:
    """The product of two tables of entries."""
    return [[total([mul(a, b) for a, b in zip(row, col, strict=True)])
             for col in zip(*q, strict=True)] for row in p]


def _kronecker(t: tuple, s: Scope) -> Rows:
    one, two = entries(t[1], s), entries(t[2], s)
    return [[mul(a, b) for a in row for b in other] for row in one for other in two]


def _power(t: tuple, s: Scope) -> Rows:
    base = entries(t[1], s)
    if not isinstance(t[2], int) or not 0 <= t[2] <= 12:
        raise Undecided("a matrix power beyond 12")
    out = _eye(("eye", len(base)), s)
    for _ in range(t[2]):
        out = multiplied(out, base)
    return out


def _eye(t: tuple, s: Scope) -> Rows:
    return [[constant(int(i == j)) for j in range(t[1])] for i in range(t[1])]


def determinant(rows: Rows) -> Poly:
    """The determinant by expansion along the first row."""
    if len(rows) > 5:
        raise Undecided("a determinant beyond 5 x 5")
    if len(rows) == 1:
        return rows[0][0]
    return total([scale(mul(a, determinant(_minor(rows, 0, j))), (-1) ** j)
                  for j, a in enumerate(rows[0]) if a])


def _minor(rows: Rows, i: int, j: int) -> Rows:
    return [row[:j] + row[j + 1:] for k, row in enumerate(rows) if k != i]


def _inverse(t: tuple, s: Scope) -> Rows:
    rows = entries(t[1], s)
    below = atoms.inverse(determinant(rows), s.facts)
    if len(rows) == 1:
        return [[below]]
    n = range(len(rows))
    return [[scale(mul(below, determinant(_minor(rows, j, i))), (-1) ** (i + j)) for j in n]
            for i in n]


_RULES = {
    "+": _sum, "*": _product, "^": _power, "inv": _inverse, "eye": _eye,
    "-": lambda t, s: [[scale(c, -1) for c in row] for row in entries(t[1], s)],
    "/": lambda t, s: [[mul(c, normal_.normal(("/", 1, t[2]), s)) for c in row]
                       for row in entries(t[1], s)],
    "T": lambda t, s: [list(col) for col in zip(*entries(t[1], s), strict=True)],
    "sum": _sum_over, "kron": _kronecker,
    "vec": lambda t, s: [[c] for col in zip(*entries(t[1], s), strict=True) for c in col],
    "zeros": lambda t, s: [[{} for _ in range(t[2])] for _ in range(t[1])],
    "matrix": lambda t, s: [[normal_.normal(a, s) for a in row[1:]] for row in t[1:]],
}
