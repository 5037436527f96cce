"""Facts at a point: bounds read off, equations solved for one atom each, the rest checked.

An equation gives an atom its value by definition (an atom alone on one side), because it is affine
in it or in its square, or because it is affine in the entries of a matrix.
"""

from collections.abc import Mapping
from fractions import Fraction

from symbolic.kernel.modular.field import Undecided, Undefined
from symbolic.kernel.modular.form import form, rational_power
from symbolic.kernel.modular.number import add, determinant, identity, invert, multiply
from symbolic.kernel.modular.order import holds, size_of
from symbolic.kernel.modular.sample import NotReady
from symbolic.kernel.modular.world import Solved, World, residue, scalar, value, whole
from symbolic.kernel.term import Term, free, heads


def atom_key(t: Term, w: World, scope: dict) -> tuple | None:
    """The key of a term that is a single atom: a symbol or an entry of a family."""
    if isinstance(t, str):
        return None if t in scope else (t,)
    if isinstance(t, tuple) and t[0] == "at":
        return (t[1], *(whole(a, w, scope) for a in t[2:]))
    return None


def simple_bounds(facts: list, w: World) -> dict:
    """Bounds of single atoms by numbers: key -> (low, high), read off the instances."""
    bounds: dict = {}
    for (head, left, right), scope in facts:
        if head not in ("<", "<="):
            continue
        for t, other, side in ((left, right, 1), (right, left, 0)):
            try:
                key, end = atom_key(t, w, scope), value(other, w, scope)
            except (NotReady, Undecided, Undefined, AttributeError):
                continue
            if key is None or not isinstance(end, Fraction):
                continue
            low, high = bounds.get(key, (None, None))
            if side:
                high = end if high is None else min(high, end)
            else:
                low = end if low is None else max(low, end)
            bounds[key] = (low, high)
    return bounds


def solve(left: Term, right: Term, scope: dict, w: World, locked: set, sorts: Mapping) -> None:
    """Make an equation true by giving one atom its value; raises Undecided when none will do."""
    for t, other in ((left, right), (right, left)):
        key = atom_key(t, w, scope)
        if key is None or key in w.atoms or sorts.get(key[0]) == ("integer",):
            continue
        if _define(key, other, scope, w):
            locked |= w.atoms.keys()
            return
    gap = ("+", left, ("-", right))
    before = dict(w.atoms)
    now = value(gap, w, scope)
    touched = [k for k in w.atoms if k[0] in free(left) | free(right)]
    if _is_zero(now):
        locked |= set(touched)
        return
    w.rng.shuffle(touched)
    touched.sort(key=lambda k: k in before)
    for key in touched:
        if key not in locked and _pivot(key, gap, scope, w, _bottom(sorts[key[0]])):
            locked |= set(touched)
            return
    raise Undecided("an equation that is not affine in any free atom")


def _define(key: tuple, other: Term, scope: dict, w: World) -> bool:
    w.atoms[key] = None
    try:
        if heads(other) & {"log", "sqrt", "atan", "asin", "acos", "atan2"}:
            w.notes.add("opaque")
        v = value(other, w, scope)
        if isinstance(v, int):
            v = Solved(v, size_of(other, w, scope), form(other, w, scope))
    except (TypeError, AttributeError):
        del w.atoms[key]
        return False
    w.atoms[key] = v
    return True


def _is_zero(v) -> bool:
    return all(x == 0 for r in v for x in r) if isinstance(v, tuple) else v == 0


def _pivot(key: tuple, gap: Term, scope: dict, w: World, sort: tuple) -> bool:
    """Solve for one atom in which the equation is affine, or affine in its square."""
    old = w.atoms[key]
    if isinstance(old, tuple):
        return _pivot_matrix(key, gap, scope, w, "symmetric" in sort)
    if not isinstance(old, Fraction) or sort == ("integer",):
        return False
    gaps = {}
    for k in (0, 1, 2, -1):
        w.atoms[key] = Fraction(k)
        try:
            gaps[k] = scalar(gap, w, scope), size_of(gap, w, scope)
        except (Undefined, Undecided):
            w.atoms[key] = old
            return False
    w.atoms[key] = old
    p = w.field.p
    zero, one, two, back = (residue(gaps[k][0], w) for k in (0, 1, 2, -1))
    if one == zero:
        return False
    square = one == back and (two - zero) % p == 4 * (one - zero) % p
    if not square and ((two + zero - 2 * one) % p or (one + back - 2 * zero) % p):
        return False
    top, bottom = gaps[0][0], add(gaps[1][0], multiply(Fraction(-1), gaps[0][0], w), w)
    found = multiply(Fraction(-1), multiply(top, invert(bottom, w), w), w)
    size = -gaps[0][1] / (gaps[1][1] - gaps[0][1])
    return _settle(key, found, size, square, w)


def _settle(key: tuple, found, size: complex, square: bool, w: World) -> bool:
    """Store a solution; a square root of it, of either sign, when the equation is in the square."""
    if square:
        if size.real <= 1e-9 or abs(size.imag) > 1e-9:
            return False
        side = w.rng.choice((1, -1))
        found = multiply(Fraction(side), rational_power(found, Fraction(1, 2), w), w)
        size = side * size**0.5
        w.notes.add("opaque")
    if isinstance(found, int):
        w.notes.add("opaque")
        found = Solved(found, size, {(0, 0, found): Fraction(1)})
    w.atoms[key] = found
    return True


def _pivot_matrix(key: tuple, gap: Term, scope: dict, w: World, symmetric: bool) -> bool:
    """Move a matrix to the solution of an equation that is affine in its entries."""
    old = w.atoms[key]
    m, n = len(old), len(old[0])
    cells = [(i, j) for i in range(m) for j in range(n) if not symmetric or i <= j]
    if m * n > 9:
        return False
    try:
        start = _flat(value(gap, w, scope))
        columns = []
        for i, j in cells:
            w.atoms[key] = _moved(old, [((i, j), Fraction(1))], symmetric)
            here = _flat(value(gap, w, scope))
            columns.append([a - b for a, b in zip(here, start, strict=True)])
        steps = _linear(columns, [-x for x in start])
        if steps is not None:
            w.atoms[key] = _moved(old, list(zip(cells, steps, strict=True)), symmetric)
            if _is_zero(value(gap, w, scope)):
                return True
    except (Undefined, Undecided):
        pass
    w.atoms[key] = old
    return False


def _flat(v) -> list[Fraction]:
    cells = [x for r in v for x in r] if isinstance(v, tuple) else [v]
    if not all(isinstance(x, Fraction) for x in cells):
        raise Undecided("an equation of matrices that is not rational")
    return cells


def _moved(old: tuple, steps: list, symmetric: bool) -> tuple:
    rows = [list(r) for r in old]
    for (i, j), x in steps:
        rows[i][j] += x
        if symmetric and i != j:
            rows[j][i] += x
    return tuple(tuple(r) for r in rows)


def _linear(columns: list, right: list) -> list | None:
    """A solution of a linear system given by its columns, free unknowns zero."""
    rows = [[c[k] for c in columns] + [y] for k, y in enumerate(right)]
    pivots, done = [], 0
    for j in range(len(columns)):
        k = next((i for i in range(done, len(rows)) if rows[i][j]), None)
        if k is None:
            continue
        rows[done], rows[k] = rows[k], rows[done]
        rows[done] = [x / rows[done][j] for x in rows[done]]
        for i in range(len(rows)):
            if i != done and rows[i][j]:
                rows[i] = [x - rows[i][j] * y for x, y in zip(rows[i], rows[done], strict=True)]
        pivots.append(j)
        done += 1
    if any(r[-1] for r in rows[done:]):
        return None
    found = [Fraction(0)] * len(columns)
    for k, j in enumerate(pivots):
        found[j] = rows[k][-1]
    return found


def admissible(facts: list, w: World, sorts: Mapping) -> bool:
    """Whether every fact and every flag holds at the atoms drawn so far (drawing what is missing).

    Raises Undecided when a fact cannot be decided.
    """
    for relation, scope in facts:
        if relation[0] == "psd":
            raise Undecided("an order of matrices among the facts")
        if relation[0] == "=":
            if not _is_zero(value(("+", relation[1], ("-", relation[2])), w, scope)):
                return False
        elif relation[0] == "!=":
            if _is_zero(value(("+", relation[1], ("-", relation[2])), w, scope)):
                return False
        elif not holds(relation, w, scope):
            return False
    return all(_flags_hold(v, _bottom(sorts[k[0]])[3:], w) for k, v in w.atoms.items()
               if isinstance(v, tuple) and k[0] in sorts)


def _bottom(sort: tuple) -> tuple:
    return _bottom(sort[1]) if sort[0] == "family" else sort


def _flags_hold(v: tuple, flags: tuple, w: World) -> bool:
    turned = tuple(zip(*v, strict=True))
    if set(flags) & {"symmetric", "psd", "pd"} and turned != v:
        return False
    if "orthogonal" in flags and multiply(v, turned, w) != identity(len(v)):
        return False
    if "invertible" in flags and determinant(v, w) == 0:
        return False
    if set(flags) & {"psd", "pd"}:
        return _semidefinite(v, "pd" in flags, w)
    return True


def _semidefinite(v: tuple, strictly: bool, w: World) -> bool:
    """All principal minors nonnegative; all leading ones positive when definite."""
    n = len(v)
    if strictly:
        minors = [determinant(tuple(r[:k] for r in v[:k]), w) for k in range(1, n + 1)]
        return all(isinstance(x, Fraction) and x > 0 for x in minors)
    for mask in range(1, 1 << n):
        keep = [i for i in range(n) if mask >> i & 1]
        x = determinant(tuple(tuple(v[i][j] for j in keep) for i in keep), w)
        if not isinstance(x, Fraction) or x < 0:
            return False
    return True
