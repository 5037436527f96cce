"""Evaluating the author's own terms at a point: exactly in rationals while possible, else in balls.

A point assigns closed terms to symbols, nested lists to families (by their declared ranges, the
low end first) and rows to matrices. Never the normal form: the term itself is evaluated, so that a
refutation believes nothing but arithmetic, the derivative table and Arb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, factorial

from symbolic.kernel import ball, grid
from symbolic.kernel.ball import Number, Unsure
from symbolic.kernel.budget import Undecided, limited, spend
from symbolic.kernel.derivative import evaluated
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Malformed, Term, heads

Value = Number | list
MOST_TERMS, MOST_CELLS, STEPS = 3_000, 1_200, 300_000
SMOOTH = frozenset({"+", "-", "*", "/", "^", "exp", "sin", "cos", "sinh", "cosh", "pi", "e"})


@dataclass(frozen=True)
class Place:
    """Where a term is evaluated: sorts, rates, the point, and values of bound names."""

    sorts: Mapping
    rates: Mapping
    point: Mapping
    bound: Mapping[str, Number]
    symmetric: frozenset = frozenset()

    def bind(self, name: str, value: Number) -> Place:
        """The place inside a binder."""
        return replace(self, bound={**self.bound, name: value})


def evaluate(term: Term, sorts: Mapping, point: Mapping, rates: Mapping | None = None,
             symmetric: frozenset = frozenset()) -> Value:
    """The value of a term at a point; Unsure where it is undefined or not decided.

    Numbers come back as a Fraction or a ball, matrices as rows.
    """
    place = Place(sorts, rates or {}, point, {}, symmetric)
    try:
        with limited(STEPS):
            return ball.with_precision(value, term, place)
    except (RecursionError, OverflowError, MemoryError, Malformed, Undecided, TypeError,
            ValueError, KeyError, IndexError, ZeroDivisionError) as error:
        raise Unsure(str(error) or type(error).__name__) from None


def value(t: Term, at: Place) -> Value:
    """The value of a term at a place; each node is charged for."""
    spend(1)
    if isinstance(t, int):
        return Fraction(t)
    if isinstance(t, str):
        return _symbol(t, at)
    head = t[0]
    if head in RULES:
        return RULES[head](t, at)
    if head in ball.FUNCTIONS:
        return _elementwise(ball.FUNCTIONS[head], value(t[1], at))
    raise Unsure(f"{head} is not evaluated")


def _elementwise(f: Callable, x: Value) -> Value:
    return [[f(c) for c in row] for row in x] if isinstance(x, list) else f(x)


def number(t: Term, at: Place) -> Number:
    """The value of a term that must be a number (a 1 x 1 matrix is one)."""
    x = value(t, at)
    if isinstance(x, list):
        if len(x) == 1 and len(x[0]) == 1:
            return x[0][0]
        raise Unsure("a matrix where a number is needed")
    return x


def whole(t: Term, at: Place) -> int:
    """The value of a term that must be a whole number."""
    x = number(t, at)
    if not isinstance(x, Fraction) or x.denominator != 1:
        raise Unsure("a whole number is needed")
    return int(x)


def closed(data: object) -> Number:
    """The value of a closed term of a point."""
    return number(_tuples(data), Place({}, {}, {}, {}))


def _tuples(data: object) -> object:
    return tuple(map(_tuples, data)) if isinstance(data, (list, tuple)) else data


def _symbol(name: str, at: Place) -> Value:
    if name in at.bound:
        return at.bound[name]
    data = at.point[name]
    if at.sorts.get(name, ("real",))[0] == "matrix":
        return _rows(data)
    return closed(data)


def _rows(data: object) -> list:
    rows = [[closed(c) for c in row] for row in data]
    if not rows or len({len(r) for r in rows}) != 1:
        raise Unsure("rows of unlike length")
    return rows


def _family(t: tuple, at: Place) -> Value:
    """An entry of a table; outside the declared ranges nothing is known."""
    sort, table = at.sorts[t[1]], at.point[t[1]]
    indices = [whole(a, at) for a in t[2:]]
    for k, (i, (_, _, low, _)) in enumerate(zip(indices, sort[2:], strict=True)):
        place = i - whole(low, replace(at, bound={}))
        if not 0 <= place < len(table):
            raise Unsure(f"{t[1]} has no entry at {i} in place {k + 1}")
        table = table[place]
    return _rows(table) if sort[1][0] == "matrix" else closed(table)


def _sum(t: tuple, at: Place) -> Value:
    parts = [value(a, at) for a in t[1:]]
    if any(isinstance(p, list) for p in parts):
        return _table_sum(parts)
    out = parts[0]
    for p in parts[1:]:
        out = ball.plus(out, p)
    return out


def _table_sum(parts: list) -> list | Number:
    if not all(isinstance(p, list) for p in parts):
        return _sum_of_numbers(parts)
    shapes = {(len(p), len(p[0])) for p in parts}
    if len(shapes) != 1:
        raise Unsure("matrices of unlike shape")
    out = parts[0]
    for p in parts[1:]:
        out = [[ball.plus(a, b) for a, b in zip(r, q, strict=True)]
               for r, q in zip(out, p, strict=True)]
    return out


def _sum_of_numbers(parts: list) -> Number:
    out: Number = Fraction(0)
    for p in parts:
        if isinstance(p, list):
            if len(p) != 1 or len(p[0]) != 1:
                raise Unsure("a number and a matrix")
            p = p[0][0]
        out = ball.plus(out, p)
    return out


def _product(t: tuple, at: Place) -> Value:
    out = value(t[1], at)
    for a in t[2:]:
        out = multiplied(out, value(a, at))
    return out


def multiplied(x: Value, y: Value) -> Value:
    """The product of numbers and matrices."""
    if isinstance(x, list) and isinstance(y, list):
        if len(x[0]) != len(y):
            if len(x) == len(x[0]) == 1:
                return multiplied(x[0][0], y)
            if len(y) == len(y[0]) == 1:
                return multiplied(y[0][0], x)
            raise Unsure("matrices of unlike shape")
        return grid.product(x, y)
    if isinstance(x, list):
        x, y = y, x
    if isinstance(y, list):
        return [[ball.times(x, c) for c in row] for row in y]
    return ball.times(x, y)


def _quotient(t: tuple, at: Place) -> Value:
    return multiplied(value(t[1], at), ball.over(Fraction(1), number(t[2], at)))


def _power(t: tuple, at: Place) -> Value:
    base = value(t[1], at)
    if isinstance(base, list) and not len(base) == len(base[0]) == 1:
        n = whole(t[2], at)
        if not 0 <= n <= 60:
            raise Unsure("a matrix power beyond 60")
        out = grid.identity(len(base))
        for _ in range(n):
            out = grid.product(out, base)
        return out
    base = base[0][0] if isinstance(base, list) else base
    if t[1] == ("e",):
        return ball.FUNCTIONS["exp"](number(t[2], at))
    exponent = number(t[2], at)
    if isinstance(exponent, Fraction) and exponent == 0 and t[2] != 0 and not ball.differs(
            base, Fraction(0)):
        raise Unsure("what may be zero to a symbolic power that is zero")
    return ball.power(base, exponent)


def _over_range(t: tuple, at: Place) -> Value:
    low, high = whole(t[3], at), whole(t[4], at)
    if high - low >= MOST_TERMS:
        raise Unsure("too many terms")
    out: Value | None = None
    for k in range(low, high + 1):
        part = value(t[1], at.bind(t[2], Fraction(k)))
        if out is None:
            out = part
        elif t[0] == "prod":
            out = multiplied(out, part)
        else:
            out = _table_sum([out, part]) if isinstance(part, list) else ball.plus(out, part)
    return _empty(t, at) if out is None else out


def _empty(t: tuple, at: Place) -> Value:
    """The value of an empty sum, a zero matrix where its terms are matrices, or product."""
    if t[0] == "prod":
        return Fraction(1)
    found = shape(t, {**at.sorts, **dict.fromkeys(at.bound, ("integer",))})
    if found is None:
        return Fraction(0)
    rows, cols = (whole(n, at) for n in found)
    return [[Fraction(0)] * cols for _ in range(rows)]


def _cases(t: tuple, at: Place) -> Value:
    """The first branch that holds; where that is undecided, a ball around all that may."""
    maybe = []
    for _, condition, branch in t[1:-1]:
        truth = holds(condition, at)
        if truth is not False:
            maybe.append(value(branch, at))
        if truth:
            return maybe[0] if len(maybe) == 1 else ball.union(maybe)
    maybe.append(value(t[-1], at))
    return maybe[0] if len(maybe) == 1 else ball.union(maybe)


def holds(relation: tuple, at: Place) -> bool | None:
    """Whether a scalar relation holds: True, False, or None when undecided."""
    x, y = number(relation[1], at), number(relation[2], at)
    if relation[0] in ("=", "!="):
        exact = isinstance(x, Fraction) and isinstance(y, Fraction)
        same = x == y if exact else False if ball.differs(x, y) else None
        return same if relation[0] == "=" or same is None else not same
    try:
        s = ball.sign(ball.plus(y, ball.negative(x)))
    except Unsure:
        return None
    return s >= 0 if relation[0] == "<=" else s > 0


def _integral(t: tuple, at: Place) -> Number:
    """By Arb where the integrand is analytic, else by enclosures on cells."""
    low, high = number(t[3], at), number(t[4], at)
    if heads(t[1]) <= SMOOTH | {"at"} and _whole_powers(t[1]):
        return ball.smooth_integral(lambda z: ball.ball(number(t[1], at.bind(t[2], z))), low, high)
    return _by_cells(lambda z: number(t[1], at.bind(t[2], z)), low, high)


def _whole_powers(t: Term) -> bool:
    if not isinstance(t, tuple):
        return True
    if t[0] == "^" and not isinstance(t[2], int):
        return False
    return all(map(_whole_powers, t[1:]))


def _by_cells(f: Callable[[Number], Number], low: Number, high: Number) -> Number:
    """Width times range, on equal cells; the ends may be balls."""
    width = ball.over(ball.plus(high, ball.negative(low)), Fraction(MOST_CELLS))
    total: Number = Fraction(0)
    for k in range(MOST_CELLS):
        ends = [ball.plus(low, ball.times(width, Fraction(k + j))) for j in (0, 1)]
        total = ball.plus(total, ball.times(width, f(ball.union(ends))))
    return total


def _derivative(t: tuple, at: Place) -> Value:
    """The body must be defined here too, or the statement does not speak of this point."""
    if at.rates and at.bound:
        raise Unsure("a rate under a binder")  # which names move there is not looked into
    value(t[1], at)
    sorts = {**at.sorts, **{n: ("integer",) for n in at.bound if n not in at.sorts}}
    return value(evaluated(t, sorts, at.rates, at.symmetric), at)


def _factorial(t: tuple, at: Place) -> Number:
    n = whole(t[1], at)
    if not 0 <= n <= 500:
        raise Unsure("a factorial outside 0..500")
    return Fraction(factorial(n))


def _binomial(t: tuple, at: Place) -> Number:
    n, k = whole(t[1], at), whole(t[2], at)
    if not (0 <= n <= 500 and k >= 0):
        raise Unsure("a binomial outside its range")
    return Fraction(comb(n, k))


def _delta(t: tuple, at: Place) -> Number:
    return Fraction(whole(t[1], at) == whole(t[2], at))


def _entry(t: tuple, at: Place) -> Number:
    rows = value(t[1], at)
    i, j = whole(t[2], at), whole(t[3], at)
    if not (1 <= i <= len(rows) and 1 <= j <= len(rows[0])):
        raise Unsure("an entry outside the matrix")
    return rows[i - 1][j - 1]


def _table(t: Term, at: Place) -> list:
    """The rows of a matrix, a number being 1 x 1."""
    x = value(t, at)
    return x if isinstance(x, list) else [[x]]


def _on_rows(f: Callable) -> Callable:
    def rule(t: tuple, at: Place) -> Value:
        return f(_table(t[1], at))

    return rule


def _unsure(t: tuple, at: Place) -> Number:
    raise Unsure(f"{t[0]} is not evaluated")


RULES: dict[str, Callable[[tuple, Place], Value]] = {
    "+": _sum, "*": _product, "/": _quotient, "^": _power, "at": _family,
    "-": lambda t, at: _elementwise(ball.negative, value(t[1], at)),
    "pi": lambda t, at: ball.pi(), "e": lambda t, at: ball.FUNCTIONS["exp"](Fraction(1)),
    "i": lambda t, at: ball.imaginary(), "oo": _unsure, "limit": _unsure,
    "sum": _over_range, "prod": _over_range, "cases": _cases, "int": _integral,
    "diff": _derivative, "factorial": _factorial, "binomial": _binomial, "delta": _delta,
    "max": lambda t, at: ball.extreme([number(a, at) for a in t[1:]], 1),
    "min": lambda t, at: ball.extreme([number(a, at) for a in t[1:]], -1),
    "atan2": lambda t, at: ball.angle(number(t[1], at), number(t[2], at)),
    "matrix": lambda t, at: [[number(a, at) for a in row[1:]] for row in t[1:]],
    "eye": lambda t, at: grid.identity(whole(t[1], at)),
    "zeros": lambda t, at: [[Fraction(0)] * whole(t[2], at) for _ in range(whole(t[1], at))],
    "entry": _entry, "T": _on_rows(grid.transpose), "inv": _on_rows(grid.inverse),
    "kron": lambda t, at: grid.kronecker(*(_table(a, at) for a in t[1:])),
    "vec": _on_rows(grid.vec), "trace": _on_rows(grid.trace), "det": _on_rows(grid.determinant),
}
