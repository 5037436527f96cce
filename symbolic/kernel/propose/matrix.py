"""Rational matrices with the flags a sort asks for, and the arithmetic that solves equations.

All entries are Fractions. Kinds go from plain (identity, units) to random; each kind obeys the
flags, singular psd matrices and matrices that do not commute included.
"""

import random
from collections.abc import Callable, Mapping
from fractions import Fraction

from symbolic.kernel.propose.exact import Inexact
from symbolic.kernel.term import Term

MOST_UNKNOWNS = 16  # cells of a matrix that an equation gives all at once
Table = list[list[Fraction]]
KINDS = ("identity", "count", "unit", "sparse", "ones", "diagonal", "small", "rank one",
         "nilpotent", "zero", "idempotent", "turn", "rational")
POINTS = ((1, 0), (0, 1), (Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5)),
          (-1, 0), (Fraction(5, 13), Fraction(12, 13)), (Fraction(8, 17), Fraction(-15, 17)))


def eye(n: int, value: Fraction | int = 1) -> Table:
    """A multiple of the identity."""
    return [[Fraction(value) if i == j else Fraction(0) for j in range(n)] for i in range(n)]


def transposed(a: Table) -> Table:
    """The transpose."""
    return [list(col) for col in zip(*a, strict=True)]


def product(a: Table, b: Table) -> Table:
    """The product of tables whose sizes fit."""
    if len(a[0]) != len(b):
        raise Inexact("sizes that do not fit")
    return [[sum((x * y for x, y in zip(row, col, strict=True) if x and y), Fraction(0))
             for col in zip(*b, strict=True)] for row in a]


def plus(a: Table, b: Table) -> Table:
    """The sum."""
    return [[x + y for x, y in zip(r, q, strict=True)] for r, q in zip(a, b, strict=True)]


def scaled(a: Table, factor: Fraction | int) -> Table:
    """A multiple."""
    return [[factor * x for x in row] for row in a]


def inverted(a: Table) -> Table:
    """The inverse by elimination; Inexact if there is none."""
    n = len(a)
    if n != len(a[0]):
        raise Inexact("an inverse of a matrix that is not square")
    work = [[*row, *unit] for row, unit in zip(a, eye(n), strict=True)]
    for k in range(n):
        pivot = next((r for r in range(k, n) if work[r][k]), None)
        if pivot is None:
            raise Inexact("a singular matrix")
        work[k], work[pivot] = work[pivot], work[k]
        work[k] = [x / work[k][k] for x in work[k]]
        for r in range(n):
            if r != k and work[r][k]:
                work[r] = [x - work[r][k] * y for x, y in zip(work[r], work[k], strict=True)]
    return [row[n:] for row in work]


def definite(a: list[list], slack: float = 0) -> int:
    """1 for positive definite, 0 for positive semidefinite, -1 for neither or not symmetric."""
    n, sign = len(a), 1
    if any(abs(a[i][j] - a[j][i]) > slack for i in range(n) for j in range(i)):
        return -1
    work = [list(row) for row in a]
    for k in range(n):
        if work[k][k] < -slack:
            return -1
        if work[k][k] <= slack:
            if any(abs(x) > slack for x in work[k][k:]):
                return -1
            sign = 0
            continue
        for r in range(k + 1, n):
            factor = work[r][k] / work[k][k]
            work[r] = [x - factor * y for x, y in zip(work[r], work[k], strict=True)]
    return sign


def obeys(a: Table, flags: tuple[str, ...]) -> bool:
    """Whether a matrix has its flags."""
    try:
        return all(_CHECKS[flag](a) for flag in flags)
    except Inexact:
        return False


_CHECKS: dict[str, Callable[[Table], bool]] = {
    "symmetric": lambda a: a == transposed(a), "psd": lambda a: definite(a) >= 0,
    "pd": lambda a: definite(a) == 1, "invertible": lambda a: bool(inverted(a)),
    "orthogonal": lambda a: product(transposed(a), a) == eye(len(a)),
}


def drawn(rows: int, cols: int, flags: tuple[str, ...], kind: str, rng: random.Random) -> Table:
    """A matrix of the size and the flags, of a kind of KINDS."""
    if "orthogonal" in flags:
        return _orthogonal(rows, kind, rng, "symmetric" in flags or "psd" in flags)
    if "pd" in flags or "psd" in flags:
        a = _semidefinite(rows, kind, rng)
        if definite(a) == 1 or not {"pd", "invertible"} & set(flags):
            return a
        return plus(a, eye(rows))
    if "symmetric" in flags:
        a = drawn(rows, rows, (), kind, rng)
        a = [[a[min(i, j)][max(i, j)] for j in range(rows)] for i in range(rows)]
    else:
        a = _plain(rows, cols, kind, rng)
    if "invertible" in flags:
        for shift in (0, 1, -1, 2, 3, -3):
            moved = plus(a, eye(rows, shift))
            if obeys(moved, ("invertible",)):
                return moved
        return eye(rows)
    return a


def _plain(rows: int, cols: int, kind: str, rng: random.Random) -> Table:
    return [[Fraction(x) for x in row] for row in _PLAIN[kind](rows, cols, rng)]


def _unit(rows: int, cols: int, rng: random.Random) -> list:
    i, j = rng.randrange(rows), rng.randrange(cols)
    return [[int((r, c) == (i, j)) for c in range(cols)] for r in range(rows)]


def _entries(pick: Callable[[random.Random], Fraction | int]):
    return lambda rows, cols, rng: [[pick(rng) for _ in range(cols)] for _ in range(rows)]


def _where(chosen: Callable[[int, int], bool], pick: Callable[[random.Random], int]):
    return lambda rows, cols, rng: [[pick(rng) if chosen(i, j) else 0 for j in range(cols)]
                                    for i in range(rows)]


def _rank_one(rows: int, cols: int, rng: random.Random) -> list:
    left = [rng.randint(-2, 2) for _ in range(rows)]
    right = [rng.choice((1, 0, -1, 2)) for _ in range(cols)]
    left[rng.randrange(rows)] = 1
    return [[x * y for y in right] for x in left]


def _idempotent(rows: int, cols: int, rng: random.Random) -> list:
    if rows != cols or rows == 1 or rng.random() < 0.5:
        return _where(lambda i, j: i == j, lambda r: r.randint(0, 1))(rows, cols, rng)
    x, y = turn_point(rng)
    vector = [x, y, *([0] * (rows - 2))]
    return [[a * b for b in vector] for a in vector]


def _turned(rows: int, cols: int, rng: random.Random) -> list:
    return _orthogonal(rows, "small", rng, False) if rows == cols else _rank_one(rows, cols, rng)


_PLAIN: dict[str, Callable] = {
    "identity": _where(lambda i, j: i == j, lambda r: 1),
    "count": lambda rows, cols, rng: [[1 + i * cols + j for j in range(cols)]
                                      for i in range(rows)],
    "unit": _unit, "sparse": _entries(lambda r: r.choice((0, 0, 1, -1))),
    "ones": _entries(lambda r: 1), "zero": _entries(lambda r: 0),
    "small": _entries(lambda r: r.randint(-2, 2)),
    "rational": _entries(lambda r: Fraction(r.randint(-6, 6), r.randint(1, 4))),
    "diagonal": _where(lambda i, j: i == j, lambda r: r.choice((1, 2, 0, -1, 3))),
    "nilpotent": _where(lambda i, j: i < j, lambda r: r.choice((1, 2, -1))),
    "rank one": _rank_one, "idempotent": _idempotent, "turn": _turned,
}


def _semidefinite(n: int, kind: str, rng: random.Random) -> Table:
    if kind == "count":
        return [[Fraction(min(i, j) + 1) for j in range(n)] for i in range(n)]
    if kind in ("identity", "zero", "ones"):
        return _plain(n, n, kind, rng)
    if kind == "unit":
        return [[Fraction(int(i == j) * rng.choice((0, 1, 4, 9))) for j in range(n)]
                for i in range(n)]
    if kind == "diagonal":
        return [[Fraction(rng.choice((1, 2, 3, Fraction(1, 2))) if i == j else 0)
                 for j in range(n)] for i in range(n)]
    factor = _plain(n, n, kind if kind in ("rank one", "rational") else "sparse", rng)
    if kind in ("small", "turn"):
        factor = plus(factor, eye(n))
    return product(factor, transposed(factor))


def _orthogonal(n: int, kind: str, rng: random.Random, symmetric: bool) -> Table:
    if kind in ("identity", "ones", "zero"):
        return eye(n)
    if symmetric or kind in ("diagonal", "idempotent"):
        return [[Fraction(rng.choice((1, -1)) if i == j else 0) for j in range(n)]
                for i in range(n)]
    if kind in ("unit", "sparse", "nilpotent", "count"):
        order = list(range(n))
        rng.shuffle(order) if kind != "count" else order.reverse()
        return [[Fraction(int(order[i] == j)) for j in range(n)] for i in range(n)]
    if kind == "rational":
        return cayley([[Fraction(rng.randint(-2, 2)) for _ in range(n)] for _ in range(n)])
    a = eye(n)
    for _ in range(n - 1):
        i, j = rng.sample(range(n), 2)
        c, s = turn_point(rng)
        turn = eye(n)
        turn[i][i] = turn[j][j] = Fraction(c)
        turn[i][j], turn[j][i] = Fraction(-s), Fraction(s)
        a = product(a, turn)
    return a


def polynomial(n: int, flags: tuple[str, ...], seed: int, rng: random.Random) -> Table:
    """A polynomial in a symmetric matrix that the seed gives; with one seed they all commute."""
    letter = drawn(n, n, ("symmetric",), ("small", "sparse", "ones", "unit")[seed % 4],
                   random.Random(seed))
    a = plus(scaled(letter, rng.choice((1, -1, 2, 0))), eye(n, rng.randint(-1, 2)))
    if rng.random() < 0.4 or "psd" in flags:
        a = product(a, a)
    for _ in range(8):
        if obeys(a, flags):
            return a
        a = plus(a, eye(n))
    return eye(n)


def turn_point(rng: random.Random) -> tuple[Fraction | int, Fraction | int]:
    """A rational point of the unit circle."""
    if rng.random() < 0.6:
        return rng.choice(POINTS)
    t = Fraction(rng.randint(-9, 9), rng.randint(1, 9))
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def cayley(a: Table) -> Table:
    """The rotation (1 - K)/(1 + K) of the skew part K of a matrix."""
    n = len(a)
    skew = [[(a[i][j] - a[j][i]) / 2 for j in range(n)] for i in range(n)]
    return product(plus(eye(n), scaled(skew, -1)), inverted(plus(eye(n), skew)))


def from_entries(rows: int, cols: int, flags: tuple[str, ...], entries: list[Fraction]) -> Table:
    """A matrix of the flags made of any rows * cols numbers: what a local search moves along."""
    a = [entries[i * cols:(i + 1) * cols] for i in range(rows)]
    if "orthogonal" in flags:
        return cayley(a)
    if "pd" in flags or "psd" in flags:
        a = product(a, transposed(a))
        return plus(a, eye(rows, Fraction(1, 1000))) if "pd" in flags else a
    if "symmetric" in flags:
        return [[a[min(i, j)][max(i, j)] for j in range(rows)] for i in range(rows)]
    return a


def value(term: Term, tables: Mapping[str, Table], number: Callable[[Term], Fraction],
          whole: Callable[[Term], int]) -> Table | Fraction:
    """The value of a matrix term whose letters are known; Inexact where there is none.

    `number` gives the value of a term without matrices, `whole` that of a size.
    """
    if isinstance(term, str) and term in tables:
        return tables[term]
    head = term[0] if isinstance(term, tuple) else ""
    if head == "eye":
        return eye(whole(term[1]))  # type: ignore[index]
    if head == "zeros":
        return [[Fraction(0)] * whole(term[2]) for _ in range(whole(term[1]))]  # type: ignore
    if head == "matrix":
        return [[number(c) for c in row[1:]] for row in term[1:]]  # type: ignore
    if not isinstance(term, tuple) or not _inside(term, tables):
        return number(term)
    return _apply(term, [value(a, tables, number, whole) for a in term[1:]])


def linear_root(equation: Term, name: str, shape: tuple[int, int], symmetric: bool,
                tables: Mapping[str, Table], number: Callable[[Term], Fraction],
                whole: Callable[[Term], int], rng: random.Random) -> Table:
    """A matrix that solves an equation which is affine in it, a random one of many.

    Raises Inexact where there is none, or the system is large.
    """
    rows, cols = shape
    places = [(i, j) for i in range(rows) for j in range(i if symmetric else 0, cols)]
    if len(places) > MOST_UNKNOWNS:
        raise Inexact("a large system")

    def gap(matrix: Table) -> list[Fraction]:
        sides = [value(t, {**tables, name: matrix}, number, whole) for t in equation[1:]]
        left, right = (side if isinstance(side, list) else None for side in sides)
        if left is None or right is None:
            raise Inexact("a number where a matrix is needed")
        return [x - y for p, q in zip(left, right, strict=True) for x, y in zip(p, q, strict=True)]

    def with_one(i: int, j: int) -> Table:
        return [[Fraction((r, c) == (i, j) or symmetric and (c, r) == (i, j))
                 for c in range(cols)] for r in range(rows)]

    rest = gap([[Fraction(0)] * cols for _ in range(rows)])
    columns = [[x - y for x, y in zip(gap(with_one(i, j)), rest, strict=True)] for i, j in places]
    found = _eliminated(columns, [-x for x in rest], rng)
    out = [[Fraction(0)] * cols for _ in range(rows)]
    for (i, j), x in zip(places, found, strict=True):
        out[i][j] = x
        if symmetric:
            out[j][i] = x
    return out


def _eliminated(columns: list[list[Fraction]], right: list[Fraction],
                rng: random.Random) -> list[Fraction]:
    """A solution of a linear system with these columns; unknowns that are free are drawn."""
    rows = [[*(c[k] for c in columns), right[k]] for k in range(len(right))]
    n, pivots = len(columns), []
    for k in range(n):
        height = len(pivots)
        pivot = next((r for r in range(height, len(rows)) if rows[r][k]), None)
        if pivot is None:
            continue
        rows[height], rows[pivot] = rows[pivot], rows[height]
        rows[height] = [x / rows[height][k] for x in rows[height]]
        for r, row in enumerate(rows):
            if r != height and row[k]:
                rows[r] = [x - row[k] * y for x, y in zip(row, rows[height], strict=True)]
        pivots.append(k)
    if any(row[n] for row in rows[len(pivots):]):
        raise Inexact("a system without a solution")
    out = [Fraction(rng.randint(-2, 2)) if k not in pivots else Fraction(0) for k in range(n)]
    for row, k in zip(rows, pivots, strict=False):
        out[k] = row[n] - sum((row[j] * out[j] for j in range(n) if j not in pivots), Fraction(0))
    return out


def _inside(term: Term, tables: Mapping[str, Table]) -> bool:
    if isinstance(term, str):
        return term in tables
    return isinstance(term, tuple) and (
        term[0] in ("eye", "zeros", "matrix") or any(_inside(a, tables) for a in term[1:]))


def _apply(term: tuple, parts: list) -> Table | Fraction:
    head, first = term[0], parts[0]
    if head == "+":
        for p in parts[1:]:
            first = plus(first, p) if isinstance(first, list) else first + p
        return first
    if head == "*":
        for p in parts[1:]:
            first = _times(first, p)
        return first
    if head == "-":
        return scaled(first, -1) if isinstance(first, list) else -first
    if head == "/":
        return _times(first, 1 / parts[1])
    if head in ("T", "inv", "trace") and isinstance(first, list):
        return {"T": transposed, "inv": inverted, "trace": _trace}[head](first)
    if head == "^" and isinstance(first, list) and parts[1] in range(1, 9):
        out = first
        for _ in range(int(parts[1]) - 1):
            out = product(out, first)
        return out
    raise Inexact(head)


def _trace(a: Table) -> Fraction:
    return sum((a[i][i] for i in range(len(a))), Fraction(0))


def _times(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return product(a, b)
    if isinstance(a, list):
        a, b = b, a
    return scaled(b, a) if isinstance(b, list) else a * b
