"""Facts written out: at known whole numbers every fact becomes relations between single cells.

A cell is a scalar symbol, an entry of a family or an entry of a matrix; it is named by a text such
as `x`, `w[2]`, `A(1,2)`. Sums, products and matrix operations are written out, so that a ground
term has scalar heads only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from symbolic.kernel.propose.cells import (
    MOST,
    Outside,
    Unground,
    entry_name,
    extents,
    matrix_cells,
    whole,
)
from symbolic.kernel.propose.float import holds
from symbolic.kernel.propose.solve import cells, linear
from symbolic.kernel.shape import shape
from symbolic.kernel.term import RELATIONS, Term

Rows = list[list[Term]]
HEAVY = 60_000  # parts of nested sums together


@dataclass(frozen=True)
class Constraint:
    """A relation between numbers, or `psd` of rows; `linear` is left - right, where it is that.

    The key "" of `linear` holds the constant.
    """

    head: str
    left: Term
    right: Term
    cells: frozenset[str]
    linear: dict[str, Fraction] | None = None
    rows: Rows | None = field(default=None, compare=False)


def ground(term: Term, sorts: Mapping[str, tuple], env: Mapping[str, int]) -> Term | Rows:
    """A term over cells, or rows of such for a matrix."""
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        if term in env:
            return env[term]
        sort = sorts.get(term)
        if sort is None:
            raise Unground(term)
        return _letters(term, sort, env) if sort[0] == "matrix" else term
    rule = _RULES.get(term[0])
    if rule is not None:
        return rule(term, sorts, env)
    return (term[0], *(scalar(ground(a, sorts, env)) for a in term[1:]))


def scalar(value: Term | Rows) -> Term:
    """A number from a number or from rows of one entry."""
    if isinstance(value, list):
        if len(value) == len(value[0]) == 1:
            return value[0][0]
        raise Unground("a matrix where a number is needed")
    return value


def plus(parts: list[Term]) -> Term:
    """A sum without zeros."""
    parts = [p for p in parts if p != 0]
    return 0 if not parts else parts[0] if len(parts) == 1 else ("+", *parts)


def times(parts: list[Term]) -> Term:
    """A product without ones."""
    if any(p == 0 for p in parts):
        return 0
    parts = [p for p in parts if p != 1]
    return 1 if not parts else parts[0] if len(parts) == 1 else ("*", *parts)


def _at(term: tuple, sorts: Mapping, env: Mapping) -> Term | Rows:
    sort = sorts.get(term[1])
    if sort is None or sort[0] != "family":
        raise Unground(term[1])
    indices = tuple(whole(a, env) for a in term[2:])
    if any(i not in r for i, r in zip(indices, extents(sort, env), strict=True)):
        raise Outside("an entry outside of its family")
    cell = entry_name(term[1], indices)
    return _letters(cell, sort[1], env) if sort[1][0] == "matrix" else cell


def _letters(name: str, sort: tuple, env: Mapping[str, int]) -> Rows:
    return [[*row] for row in matrix_cells(name, sort, env)]


def _entry(term: tuple, sorts: Mapping, env: Mapping) -> Term:
    rows = ground(term[1], sorts, env)
    i, j = whole(term[2], env), whole(term[3], env)
    if not isinstance(rows, list) or not (1 <= i <= len(rows) and 1 <= j <= len(rows[0])):
        raise Outside("an entry outside of its matrix")
    return rows[i - 1][j - 1]


def _binder(term: tuple, sorts: Mapping, env: Mapping) -> Term | Rows:
    _, body, name, low, high = term
    ends = range(whole(low, env), whole(high, env) + 1)
    if len(ends) > MOST:
        raise Unground("a long sum")
    parts = [ground(body, sorts, {**env, name: k}) for k in ends]
    if term[0] == "prod":
        return times([scalar(p) for p in parts])
    if parts and isinstance(parts[0], list):
        return _added(parts)
    found = None if parts else shape(term, {**sorts, **dict.fromkeys(env, ("integer",))})
    if found is not None:
        return [[0] * whole(found[1], env) for _ in range(whole(found[0], env))]
    return plus(parts)  # type: ignore[arg-type]


def _added(parts: list) -> Rows:
    return [[plus(list(cell)) for cell in zip(*rows, strict=True)]
            for rows in zip(*parts, strict=True)]


def _sum(term: tuple, sorts: Mapping, env: Mapping) -> Term | Rows:
    parts = [ground(a, sorts, env) for a in term[1:]]
    if all(isinstance(p, list) for p in parts):
        return _added(parts)
    return plus([scalar(p) for p in parts])


def _negative(term: tuple, sorts: Mapping, env: Mapping) -> Term | Rows:
    value = ground(term[1], sorts, env)
    if isinstance(value, list):
        return [[("-", c) if c != 0 else 0 for c in row] for row in value]
    return -value if isinstance(value, int) else ("-", value)


def _product(term: tuple, sorts: Mapping, env: Mapping) -> Term | Rows:
    front, out = [], None
    for a in term[1:]:
        value = ground(a, sorts, env)
        if not isinstance(value, list):
            front.append(value)
        elif out is None:
            out = value
        elif len(out[0]) == len(value):
            out = multiplied(out, value)
        elif len(value) == len(value[0]) == 1:
            front.append(value[0][0])
        else:
            front.append(scalar(out))
            out = value
    if out is None:
        return times(front)
    return [[times([*front, c]) for c in row] for row in out] if front else out


def multiplied(p: Rows, q: Rows) -> Rows:
    """The product of two tables of terms."""
    return [[plus([times([a, b]) for a, b in zip(row, col, strict=True)])
             for col in zip(*q, strict=True)] for row in p]


def _quotient(term: tuple, sorts: Mapping, env: Mapping) -> Term | Rows:
    top, below = ground(term[1], sorts, env), scalar(ground(term[2], sorts, env))
    if isinstance(top, list):
        return [[("/", c, below) if c != 0 else 0 for c in row] for row in top]
    return top if below == 1 else ("/", top, below)


def _power(term: tuple, sorts: Mapping, env: Mapping) -> Term | Rows:
    base, exponent = ground(term[1], sorts, env), scalar(ground(term[2], sorts, env))
    if not isinstance(base, list):
        return ("^", base, exponent)
    if len(base) == len(base[0]) == 1:
        return [[("^", base[0][0], exponent)]]
    if not isinstance(exponent, int) or not 1 <= exponent <= 8:
        raise Unground("a power of a matrix")
    out = base
    for _ in range(exponent - 1):
        out = multiplied(out, base)
    return out


def _matrix(term: tuple, sorts: Mapping, env: Mapping) -> Rows:
    return [[scalar(ground(c, sorts, env)) for c in row[1:]] for row in term[1:]]


def _eye(term: tuple, sorts: Mapping, env: Mapping) -> Rows:
    n = whole(term[1], env)
    return [[int(i == j) for j in range(n)] for i in range(n)]


def _zeros(term: tuple, sorts: Mapping, env: Mapping) -> Rows:
    return [[0] * whole(term[2], env) for _ in range(whole(term[1], env))]


def _rows(term: tuple, sorts: Mapping, env: Mapping) -> Rows:
    value = ground(term[1], sorts, env)
    return value if isinstance(value, list) else [[value]]


def _transpose(term: tuple, sorts: Mapping, env: Mapping) -> Rows:
    return [list(col) for col in zip(*_rows(term, sorts, env), strict=True)]


def _kronecker(term: tuple, sorts: Mapping, env: Mapping) -> Rows:
    one, two = (_rows((0, t), sorts, env) for t in term[1:])
    return [[times([a, b]) for a in row for b in other] for row in one for other in two]


def _vec(term: tuple, sorts: Mapping, env: Mapping) -> Rows:
    return [[a] for column in zip(*_rows(term, sorts, env), strict=True) for a in column]


def _trace(term: tuple, sorts: Mapping, env: Mapping) -> Term:
    rows = _rows(term, sorts, env)
    return plus([row[i] for i, row in enumerate(rows)])


def _det(term: tuple, sorts: Mapping, env: Mapping) -> Term:
    return determinant(_rows(term, sorts, env))


def determinant(rows: Rows) -> Term:
    """The determinant of a small table, along its first row."""
    if len(rows) > 4:
        raise Unground("a determinant")
    if len(rows) == 1:
        return rows[0][0]
    minors = [times([c, determinant(_minor(rows, 0, j))]) for j, c in enumerate(rows[0])]
    return plus([m if j % 2 == 0 or m == 0 else ("-", m) for j, m in enumerate(minors)])


def _minor(rows: Rows, i: int, j: int) -> Rows:
    return [[c for k, c in enumerate(row) if k != j] for r, row in enumerate(rows) if r != i]


def _inverse(term: tuple, sorts: Mapping, env: Mapping) -> Rows:
    rows = _rows(term, sorts, env)
    if len(rows) == 1:
        return [[("/", 1, rows[0][0])]]
    det, n = determinant(rows), range(len(rows))
    return [[("/", ("*", (-1) ** (i + j), determinant(_minor(rows, j, i))), det) for j in n]
            for i in n]


def _each(term: tuple, sorts: Mapping, env: Mapping) -> Term | Rows:
    value = ground(term[1], sorts, env)
    if isinstance(value, list):
        return [[(term[0], c) for c in row] for row in value]
    return (term[0], value)


def _cases(term: tuple, sorts: Mapping, env: Mapping) -> Term:
    def relation(r: tuple) -> tuple:
        return (r[0], *(scalar(ground(a, sorts, env)) for a in r[1:]))

    cases = []
    for case in term[1:-1]:
        condition = relation(case[1])
        known = not cells(condition)
        if known and not holds(condition, {}):
            continue
        value = scalar(ground(case[2], sorts, env))
        if known:
            return ("cases", *cases, value) if cases else value
        cases.append(("case", condition, value))
    last = scalar(ground(term[-1], sorts, env))
    return ("cases", *cases, last) if cases else last


def _refused(term: tuple, sorts: Mapping, env: Mapping) -> Term:
    raise Unground(term[0])


_RULES = {
    "at": _at, "entry": _entry, "sum": _binder, "prod": _binder, "+": _sum, "-": _negative,
    "*": _product, "/": _quotient, "^": _power, "matrix": _matrix, "eye": _eye, "zeros": _zeros,
    "T": _transpose, "trace": _trace, "det": _det, "inv": _inverse, "cases": _cases,
    "kron": _kronecker, "vec": _vec,
    **dict.fromkeys(("re", "im", "conj"), _each),
    **dict.fromkeys(("int", "limit", "diff", "oo", "all", *RELATIONS), _refused),
}


def constraint(head: str, left: Term, right: Term) -> Constraint:
    """A relation between ground terms, with its linear form."""
    form = linear(("+", left, ("-", right)))
    names = cells(left) | cells(right)
    if form is not None:
        names = frozenset(form) - {""} if head != "!=" else names
    return Constraint(head, left, right, names, form)


def constraints(fact: tuple, sorts: Mapping[str, tuple], env: Mapping[str, int]
                ) -> list[Constraint]:
    """A fact written out; instances that cannot be are left out. Raises Outside."""
    if max(env.values(), default=0) > 12 and weight(fact, env) > HEAVY:
        return []
    if fact[0] == "all":
        return [c for inner in _instances(fact[2:], env)
                for c in constraints(fact[1], sorts, inner)]
    try:
        left, right = (ground(a, sorts, env) for a in fact[1:])
        if fact[0] == "psd":
            return [_psd(left, right)]
        if isinstance(left, list) and isinstance(right, list):
            return [constraint(fact[0], a, b) for one, two in zip(left, right, strict=True)
                    for a, b in zip(one, two, strict=True)]
        return [constraint(fact[0], scalar(left), scalar(right))]
    except Outside:
        raise
    except (Unground, ArithmeticError, ValueError, KeyError, TypeError):
        return []


def weight(term: Term, env: Mapping[str, int]) -> int:
    """About how many parts a term has when it is written out, inner ends taken at outer highs."""
    if not isinstance(term, tuple):
        return 1
    binders = term[2:] if term[0] == "all" else [(0, *term[2:])] if term[0] in ("sum", "prod") \
        else []
    parts, env = 1, dict(env)
    try:
        for _, name, low, high in binders:
            env[name] = whole(high, env)
            parts *= max(env[name] - whole(low, env) + 1, 1)
    except Unground:
        return parts
    inner = term[1:2] if binders else term[1:]
    return parts * sum(weight(a, env) for a in inner)


def _instances(ranges: tuple, env: Mapping[str, int]) -> list[Mapping[str, int]]:
    envs: list[Mapping[str, int]] = [env]
    for _, name, low, high in ranges:
        try:
            envs = [{**e, name: k} for e in envs
                    for k in range(whole(low, e), min(whole(high, e), MOST) + 1)]
        except Unground:
            return []
    return envs


def _psd(left: Term | Rows, right: Term | Rows) -> Constraint:
    if not isinstance(left, list) or not isinstance(right, list):
        one = ("+", scalar(left), ("-", scalar(right)))
        return Constraint("psd", 0, 0, cells(one), None, [[one]])
    rows = [[plus([a, ("-", b)]) if b != 0 else a for a, b in zip(one, two, strict=True)]
            for one, two in zip(left, right, strict=True)]
    return Constraint("psd", 0, 0, frozenset().union(*(cells(c) for r in rows for c in r)), None,
                      rows)
