"""The order in which a point is drawn: what is free, what the facts then determine, what is left.

A plan belongs to a statement; a layout is the plan at known whole numbers: cells, constraints
between them, and steps that make the cells known one after another.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from symbolic.kernel.propose.cells import Unground, declared, matrix_cells, size
from symbolic.kernel.propose.float import holds
from symbolic.kernel.propose.ground import Constraint, constraints
from symbolic.kernel.propose.order import arranged, spheres_and_polars
from symbolic.kernel.propose.solve import affine_in, isolated
from symbolic.kernel.propose.style import Cell, Interval
from symbolic.kernel.shape import shape
from symbolic.kernel.statement import Statement
from symbolic.kernel.term import BINDERS, Malformed, Term, free, unfold, walk

TURNING = frozenset({"sin", "cos", "tan"})


@dataclass(frozen=True)
class Plan:
    """What a statement says, ready to be written out: sorts, facts, defined matrices, phases."""

    symbols: tuple[tuple[str, tuple], ...]
    sorts: dict[str, tuple]
    facts: tuple[tuple, ...]
    whole: tuple[str, ...]
    counting: tuple[tuple, ...]
    defined: tuple[tuple[str, Term], ...]
    phases: frozenset[str]
    layouts: dict = field(default_factory=dict, compare=False)

    @property
    def light(self) -> bool:
        """Whether no family or matrix grows with the whole numbers."""
        return not any(_names_of_sort(s) for _, s in self.symbols)


@dataclass(frozen=True)
class Step:
    """One step: its kind, the cells it makes known, what it works with, what it must meet."""

    kind: str
    cells: tuple[str, ...]
    data: tuple = ()
    checks: tuple[Constraint, ...] = ()


@dataclass(frozen=True)
class Layout:
    """A plan at known whole numbers."""

    env: dict[str, int]
    cells: dict[str, Cell]
    steps: tuple[Step, ...]
    bounds: dict[str, Interval]
    linear: dict[str, tuple[Constraint, ...]]
    shares: dict[str, Constraint]
    exact: bool


def plan(statement: Statement, also: tuple[Term, ...] = ()) -> Plan:
    """The plan of a statement; facts of `also` hold as well."""
    sorts = dict(statement.symbols)
    facts = tuple(_unfolded((*statement.given, *also), statement.let))
    sides = tuple(_unfolded((statement.left, statement.right), statement.let))
    whole = tuple(n for n, s in statement.symbols if s == ("integer",))
    counting = tuple(f for f in facts if f[0] != "psd" and free(f) <= set(whole))
    facts = tuple(f for f in facts if f not in counting)
    return Plan(statement.symbols, sorts, facts, _sizes_first(statement.symbols, whole), counting,
                _defined(facts, sorts), _phases((*sides, *facts), sorts))


def _unfolded(terms: Iterable, let: tuple) -> Iterable:
    for term in terms:
        try:
            yield unfold(term, let)
        except Malformed:
            continue


def _sizes_first(symbols: tuple, whole: tuple[str, ...]) -> tuple[str, ...]:
    """Whole numbers in declared order, sizes before the rest."""
    sizes = {n for _, s in symbols for n in _names_of_sort(s)}
    return tuple(sorted(whole, key=lambda n: n not in sizes))


def _names_of_sort(sort: tuple) -> frozenset[str]:
    if sort[0] == "matrix":
        return free(sort[1]) | free(sort[2])
    if sort[0] == "family":
        return _names_of_sort(sort[1]).union(*(free(r[2]) | free(r[3]) for r in sort[2:]))
    return frozenset()


def _defined(facts: tuple, sorts: Mapping[str, tuple]) -> tuple[tuple[str, Term], ...]:
    """Matrices that an equation between matrices gives by the others, in no circle."""
    found: dict[str, Term] = {}
    offers = []
    for k, fact in enumerate(facts):
        if fact[0] != "=" or not _is_matrix(fact[1], sorts) or heads_binder(fact):
            continue
        for name in sorted(free(fact)):
            if sorts.get(name, ("",))[0] != "matrix":
                continue
            terms = isolated(fact[1], fact[2], name, lambda t: _is_matrix(t, sorts))
            affine = all(affine_in(side, name) for side in fact[1:])
            if terms and not (affine and _inverses(terms[0]) > _inverses(fact)):
                lone = name in (fact[1], fact[2])
                cost = (not lone, len(sorts[name]), _inverses(terms[0]))
                offers.append((cost, k, name, terms[0]))
            elif affine:
                offers.append(((2, len(sorts[name]), 0), k, name, fact))
    used: set[int] = set()
    for _, k, name, term in sorted(offers, key=lambda o: (o[0], -o[1])):
        if k in used or name in found or name in _reach(_others(term, name), found):
            continue
        used.add(k)
        found[name] = term
    return tuple(found.items())


def _inverses(term: Term) -> int:
    return sum(isinstance(t, tuple) and t[0] == "inv" for t in walk(term))


def _others(term: Term, name: str) -> frozenset[str]:
    """The names that give a matrix its value: those of its term, or of its linear equation."""
    return free(term) - {name} if term[0] == "=" else free(term)


def _reach(waiting: frozenset[str], found: Mapping[str, Term]) -> frozenset[str]:
    """The names, and those that they are determined by."""
    names: frozenset[str] = frozenset()
    while waiting - names:
        names |= waiting
        waiting = frozenset().union(*(_others(found[n], n) for n in names if n in found))
    return names


def heads_binder(term: Term) -> bool:
    """Whether a term has a binder anywhere."""
    return any(isinstance(t, tuple) and t[0] in BINDERS for t in walk(term))


def _is_matrix(term: Term, sorts: Mapping[str, tuple]) -> bool:
    try:
        return shape(term, sorts) is not None
    except Malformed:
        return False


def _phases(terms: Iterable[Term], sorts: Mapping[str, tuple]) -> frozenset[str]:
    """Real names whose multiples stand inside sin, cos, tan; of a product of reals the last one."""
    found: set[str] = set()
    for term in terms:
        for t in walk(term):
            if isinstance(t, tuple) and t[0] in TURNING:
                found |= _turned(t[1], sorts)
    return frozenset(found)


def _turned(term: Term, sorts: Mapping[str, tuple]) -> frozenset[str]:
    if isinstance(term, str):
        return frozenset({term}) if sorts.get(term) == ("real",) else frozenset()
    if not isinstance(term, tuple):
        return frozenset()
    if term[0] == "at":
        sort = sorts.get(term[1], ("",))
        real = sort[0] == "family" and sort[1] == ("real",)
        return frozenset({term[1]}) if real else frozenset()
    if term[0] in ("+", "-", "sum"):
        return frozenset().union(*(_turned(a, sorts) for a in term[1:]))
    if term[0] == "/":
        return _turned(term[1], sorts)
    if term[0] == "*" and ("pi",) not in term:
        parts = [f for a in term[1:] if (f := _turned(a, sorts))]
        return max(parts, key=lambda f: max(f)) if parts else frozenset()
    return frozenset()


def layout(p: Plan, env: dict[str, int]) -> Layout | None:
    """The layout at given whole numbers, None if a fact without cells fails or a size is wrong."""
    key = tuple(env.values())
    if key not in p.layouts:
        try:
            p.layouts[key] = _laid_out(p, env)
        except (Unground, RecursionError, ArithmeticError, ValueError):
            p.layouts[key] = None
    return p.layouts[key]


def _laid_out(p: Plan, env: dict[str, int]) -> Layout | None:
    cells, matrices = _cells(p, env)
    found = [c for f in (*p.counting, *p.facts) for c in constraints(f, p.sorts, env)]
    if any(not _plausible(c) for c in found):
        return None
    found = [c for c in found if c.cells and c.cells <= cells.keys()]
    defined = {n: tuple(dict.fromkeys(c for row in matrices[n][0] for c in row))
               for n, _ in p.defined}
    fixed = frozenset(c for group in defined.values() for c in group)
    tabled = _tabled(p, matrices, found, fixed)
    special = spheres_and_polars(found, frozenset(cells) - fixed - tabled)
    groups = [Step("matrix", tuple(dict.fromkeys(c for row in rows for c in row)),
                   (name, *size(sort, env), sort[3:], rows))
              for name, (rows, sort) in matrices.items()
              if name not in defined and rows[0][0] in tabled]
    definitions = [Step("define", defined[n], (
        n, term, p.sorts[n][3:], _needs(_others(term, n), p, env), size(p.sorts[n], env)))
        for n, term in p.defined]
    steps, linear, shares = arranged(cells, found, groups, definitions, special)
    steps = tuple(Step(*s) for s in steps)
    exact = any(s.kind == "polar" for s in steps) or any(
        c.head == "=" and c.linear is None and any(cells[x].phase for x in c.cells)
        for c in found)
    return Layout(env, cells, steps, propagated(cells, linear), linear, shares, exact)


def _plausible(c: Constraint) -> bool:
    """False for a relation between numbers alone that fails or has no sense."""
    if c.cells or c.head == "psd":
        return True
    if c.linear is None:
        try:
            return holds((c.head, c.left, c.right), {})
        except (ArithmeticError, ValueError, KeyError, TypeError):
            return False
    value = c.linear.get("", Fraction(0))
    return {"=": value == 0, "<=": value <= 0, "<": value < 0, "!=": value != 0}[c.head]


def _cells(p: Plan, env: dict[str, int]) -> tuple[dict[str, Cell], dict[str, tuple]]:
    """All cells, and the matrices (members of families too) with their rows of cells."""
    cells: dict[str, Cell] = {}
    matrices: dict[str, tuple] = {}
    for name, sort in p.symbols:
        if name in env:
            continue
        inner = sort[1] if sort[0] == "family" else sort
        kind = "real" if inner[0] == "matrix" else inner[0]
        for own, cell in enumerate(declared(name, sort, env)):
            cells[cell] = Cell(cell, len(cells), own, kind, name in p.phases)
        if inner[0] == "matrix":
            low = size(inner, env)
            if min(low) < 1:
                raise Unground("an empty matrix")
            for member in dict.fromkeys(c.split("(")[0] for c in declared(name, sort, env)):
                matrices[member] = (matrix_cells(member, inner, env), inner)
    return cells, matrices


def _tabled(p: Plan, matrices: Mapping[str, tuple], found: list[Constraint],
            fixed: frozenset[str]) -> frozenset[str]:
    """Cells of matrices that are drawn whole: flags, no facts, or facts that are not affine."""
    touched = frozenset().union(*(c.cells for c in found if c.head != "psd"))
    hard = frozenset().union(*(
        c.cells for c in found if c.head == "psd" or c.head == "=" and c.linear is None
        and not spheres_and_polars([c], c.cells)), frozenset())
    out: set[str] = set()
    for rows, sort in matrices.values():
        names = {c for row in rows for c in row}
        if names & fixed:
            continue
        if set(sort[3:]) - {"symmetric"} or not names & touched or names & hard:
            out |= names
    return frozenset(out)


def _needs(names: frozenset[str], p: Plan, env: dict[str, int]) -> frozenset[str]:
    return frozenset(c for n in names if n not in env and n in p.sorts
                     for c in declared(n, p.sorts[n], env))


def propagated(cells: Mapping[str, Cell], linear: Mapping[str, tuple[Constraint, ...]],
               rounds: int = 8) -> dict[str, Interval]:
    """Bounds that the linear constraints together give each cell, before anything is drawn."""
    bounds = {name: Interval() for name in cells}
    every = list({id(c): c for group in linear.values() for c in group}.values())
    if len(every) > 400:
        rounds = 2
    for _ in range(rounds):
        before = dict(bounds)
        for c in every:
            for name in c.cells:
                bounds[name] = narrowed(c, name, bounds)
        if before == bounds:
            break
    return bounds


def narrowed(c: Constraint, x: str, bounds: Mapping[str, Interval]) -> Interval:
    """The interval of x, made smaller by one linear constraint and the others' intervals."""
    interval = bounds[x]
    form = c.linear or {}
    for sign in (1, -1) if c.head == "=" else (1,):
        least, strict = sign * form.get("", Fraction(0)), c.head == "<"
        for name, a in form.items():
            if name in ("", x):
                continue
            other = bounds[name]
            up = sign * a > 0
            end = other.low if up else other.high
            if end is None:
                break
            least += sign * a * end
            strict = strict or (other.open_low if up else other.open_high)
        else:
            interval = _cut(interval, sign * form[x], least, strict)
    return interval


def _cut(i: Interval, a: Fraction, b: Fraction, strict: bool) -> Interval:
    """The part of an interval where a x + b <= 0 (< 0)."""
    end = -b / a
    if a > 0:
        if i.high is None or end < i.high or end == i.high and strict:
            return Interval(i.low, end, i.open_low, strict)
    elif i.low is None or end > i.low or end == i.low and strict:
        return Interval(end, i.high, strict, i.open_high)
    return i
