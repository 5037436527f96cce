"""Whether a point belongs to a statement's domain, and whether the statement fails there.

A fact must hold for sure: exactly in rationals, by balls, or (for an equation at an exact point)
by the normal form of the evaluated closed terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from symbolic.kernel import ball, grid
from symbolic.kernel.ball import Unsure
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.closing import closed_term
from symbolic.kernel.normal import Scope, normal
from symbolic.kernel.points import Place, Value, evaluate, whole
from symbolic.kernel.polynomial import subtract
from symbolic.kernel.prepare import symmetric_family
from symbolic.kernel.statement import Statement
from symbolic.kernel.term import Malformed, Term, plain, substitute, unfold
from symbolic.kernel.zero import vanishes


@dataclass(frozen=True)
class Failure:
    """The values of both sides at a point where the relation fails for sure."""

    left: str
    right: str


def exact_point(data: object) -> dict:
    """A point out of plain data: names to closed terms or nested lists of them."""
    if not isinstance(data, dict):
        raise Malformed("a point assigns terms to names")
    return {str(n): _nested(v) for n, v in data.items()}


def _nested(data: object) -> object:
    if isinstance(data, list) and (not data or not isinstance(data[0], str)):
        return [_nested(x) for x in data]
    if isinstance(data, tuple) and (not data or not isinstance(data[0], str)):
        return [_nested(x) for x in data]
    return plain(data)


def admissible(statement: Statement, point: Mapping) -> bool:
    """Whether every sort and every fact holds at the point for sure."""
    sorts = dict(statement.symbols)
    try:
        if not all(ball.with_precision(_of_sort, sort, point[name], sorts, point)
                   for name, sort in statement.symbols):
            return False
        facts = [unfold(f, statement.let) for f in statement.given]
        rates = {(n, v): unfold(b, statement.let) for n, v, b in statement.rates}
        return all(_fact(f, sorts, point, rates) for f in (*facts, *_kept(rates, sorts)))
    except (Unsure, Undecided, Malformed, KeyError, TypeError, IndexError, ValueError,
            RecursionError):
        return False


def _kept(rates: Mapping, sorts: Mapping) -> list[Term]:
    """What the flags of a matrix ask of its rate: symmetric, and R^T R' skew for orthogonal R."""
    out: list[Term] = []
    for (name, _), body in rates.items():
        flags = sorts[name][3:] if name in sorts and sorts[name][0] == "matrix" else ()
        if {"symmetric", "psd", "pd"} & set(flags):
            out.append(("=", body, ("T", body)))
        if "orthogonal" in flags:
            turned = ("*", ("T", name), body)
            out.append(("=", turned, ("-", ("T", turned))))
    return out


def _of_sort(sort: tuple, data: object, sorts: Mapping, point: Mapping) -> bool:
    if sort[0] == "family":
        at = Place(sorts, {}, point, {})  # an empty family has a size of its members too
        if sort[1][0] == "matrix" and any(whole(n, at) < 1 for n in sort[1][1:3]):
            return False
        return _table(sort, sort[2:], data, sorts, point)
    if sort[0] == "matrix":
        return _matrix(sort, data, sorts, point)
    x = evaluate(plain(data), {}, {})
    if isinstance(x, list):
        return False
    if sort == ("integer",):
        return isinstance(x, Fraction) and x.denominator == 1
    if sort == ("real",):
        return _is_real(x)
    return sort == ("complex",)


def _is_real(x: object) -> bool:
    return isinstance(x, Fraction) or not isinstance(x, list) and x.imag.is_zero()


def _table(sort: tuple, ranges: tuple, data: object, sorts: Mapping, point: Mapping) -> bool:
    """A nested list of the declared lengths; inner lists may be shorter (masks)."""
    if not ranges:
        return _of_sort(sort[1], data, sorts, point)
    if not isinstance(data, (list, tuple)):
        return False
    at = Place(sorts, {}, point, {})
    length = whole(ranges[0][3], at) - whole(ranges[0][2], at) + 1
    return len(data) <= max(length, 0) and all(
        _table(sort, ranges[1:], x, sorts, point) for x in data)


def _matrix(sort: tuple, data: object, sorts: Mapping, point: Mapping) -> bool:
    at = Place(sorts, {}, point, {})
    rows, cols = whole(sort[1], at), whole(sort[2], at)
    x = [[evaluate(plain(c), {}, {}) for c in row] for row in data]
    if len(x) != rows or rows < 1 or any(len(r) != cols for r in x) or cols < 1:
        return False
    if not all(_is_real(c) for row in x for c in row):
        return False
    return all(_flag(f, x) for f in sort[3:])


def _flag(flag: str, x: list) -> bool:
    if flag == "symmetric":
        return grid.same(x, grid.transpose(x))
    if flag in ("pd", "psd"):
        found = grid.definite(x)
        return found == 1 or flag == "psd" and found == 0
    if flag == "orthogonal":
        return grid.same(grid.product(grid.transpose(x), x), grid.identity(len(x)))
    try:
        return ball.differs(grid.determinant(x), Fraction(0))
    except Unsure:
        return False


def _fact(fact: Term, sorts: Mapping, point: Mapping, rates: Mapping) -> bool:
    if fact[0] != "all":
        return _relation(fact, sorts, point, rates)
    return all(_relation(substitute(fact[1], values), sorts, point, rates)
               for values in _indices(fact[2:], sorts, point))


def _indices(ranges: tuple, sorts: Mapping, point: Mapping) -> list[dict]:
    """All values of the names of a guarded fact."""
    out: list[dict] = [{}]
    for _, name, low, high in ranges:
        longer = []
        for values in out:
            ends = [evaluate(substitute(e, values), sorts, point) for e in (low, high)]
            if not all(isinstance(e, Fraction) for e in ends):
                raise Unsure("a range between ends that are not exact")
            first, last = ends[0].__ceil__(), ends[1].__floor__()
            longer += [{**values, name: k} for k in range(first, last + 1)]
        out = longer
        if len(out) > 400:
            raise Unsure("too many instances of a fact")
    return out


def _relation(fact: tuple, sorts: Mapping, point: Mapping, rates: Mapping) -> bool:
    head, left, right = fact
    x, y = (evaluate(t, sorts, point, rates) for t in (left, right))
    if head == "psd":
        return grid.definite(_gap(_rows(x), _rows(y))) in (0, 1)
    x, y = _single(x), _single(y)
    if isinstance(x, list) or isinstance(y, list):
        return head == "=" and _zero(_gap(x, y))
    if head in ("=", "!="):
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return (x == y) == (head == "=")
        return ball.differs(x, y) if head == "!=" else _exactly_equal(left, right, sorts, point)
    try:
        s = ball.with_precision(ball.sign, ball.plus(y, ball.negative(x)))
        return s >= 0 if head == "<=" else s > 0
    except Unsure:
        return head == "<=" and _exactly_equal(left, right, sorts, point)


def _gap(x: Value, y: Value) -> list:
    """x - y as rows; a number beside a matrix must be the number 0."""
    if not isinstance(x, list):
        _must_be_zero(x)
        return [[ball.negative(c) for c in row] for row in y]
    if not isinstance(y, list):
        _must_be_zero(y)
        return x
    if (len(x), len(x[0])) != (len(y), len(y[0])):
        raise Unsure("matrices of unlike shape")
    return [[ball.plus(a, ball.negative(b)) for a, b in zip(r, q, strict=True)]
            for r, q in zip(x, y, strict=True)]


def _must_be_zero(x: Value) -> None:
    if not (isinstance(x, Fraction) and x == 0):
        raise Unsure("a number beside a matrix")


def _zero(rows: list) -> bool:
    return all(isinstance(c, Fraction) and c == 0 for row in rows for c in row)


def _exactly_equal(left: Term, right: Term, sorts: Mapping, point: Mapping) -> bool:
    """Equality of numbers that are roots or angles, by the normal form of closed terms."""
    scope = Scope()
    with limited(100_000):
        one, two = (normal(closed_term(t, sorts, point), scope) for t in (left, right))
        return vanishes(subtract(one, two))


def failure(statement: Statement, point: Mapping) -> Failure | None:
    """Both sides, if they are defined at the point and the relation fails there for sure."""
    sorts = dict(statement.symbols)
    rates = {(n, v): unfold(b, statement.let) for n, v, b in statement.rates}
    symmetric = frozenset(n for f in statement.given if (n := symmetric_family(f)))
    left, right = (unfold(t, statement.let) for t in (statement.left, statement.right))
    x, y = (evaluate(t, sorts, point, rates, symmetric) for t in (left, right))
    try:
        fails = ball.with_precision(_fails, statement.relation, x, y)
    except Unsure:  # both sides have values, and which is greater is not decided
        fails = False
    return Failure(shown(x), shown(y)) if fails else None


def _fails(relation: str, x: Value, y: Value) -> bool:
    if relation == "psd":
        return _not_psd(_gap(_rows(x), _rows(y)))
    x, y = _single(x), _single(y)
    if isinstance(x, list) or isinstance(y, list):
        if relation != "=":
            raise Unsure("an order between matrices")
        return any(ball.differs(c, Fraction(0)) for row in _gap(x, y) for c in row)
    if relation == "=":
        return ball.differs(x, y)
    if relation == "!=":
        return isinstance(x, Fraction) and isinstance(y, Fraction) and x == y
    s = ball.sign(ball.plus(x, ball.negative(y)))
    return s > 0 if relation == "<=" else relation == "<" and s >= 0


def _rows(x: Value) -> Value:
    """A number that is not 0 as a 1 x 1 matrix."""
    return x if isinstance(x, list) or isinstance(x, Fraction) and x == 0 else [[x]]


def _single(x: Value) -> Value:
    """A 1 x 1 matrix as the number it is."""
    return x[0][0] if isinstance(x, list) and len(x) == len(x[0]) == 1 else x


def _not_psd(gap: list) -> bool:
    exact = grid.definite(gap)
    if exact is not None:
        return exact < 0
    if any(ball.differs(a, b) for r, q in zip(gap, grid.transpose(gap), strict=True)
           for a, b in zip(r, q, strict=True)):
        return True
    return grid.negative_minor(gap)


def shown(x: Value) -> str:
    """A value as reports print it."""
    if isinstance(x, list):
        return "[" + ", ".join("[" + ", ".join(map(ball.text, row)) + "]" for row in x) + "]"
    return ball.text(x)


def meets(conditions: tuple[Term, ...], statement: Statement, point: Mapping) -> bool:
    """Whether conditions left over hold at the point for sure."""
    sorts = dict(statement.symbols)
    try:
        return all(_fact(c, sorts, point, {}) for c in conditions)
    except (Unsure, Undecided, Malformed, KeyError, TypeError, IndexError, ValueError,
            RecursionError):
        return False
