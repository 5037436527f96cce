"""Admissible exact points for the modular zero test: whole numbers, reals, matrices with flags.

Reals get denominators 11^k (see modular_field), inside the simple bounds that the facts give;
integers are small, empty ranges and size 1 included; equations are solved for one atom each,
either by definition (an atom alone on one side) or because they are affine in it.
"""

import random
from collections.abc import Callable, Mapping
from fractions import Fraction

from symbolic.kernel.modular_field import Undecided, Undefined
from symbolic.kernel.modular_value import (
    Solved,
    World,
    add,
    complex_pair,
    determinant,
    form,
    holds,
    identity,
    inverse,
    invert,
    multiply,
    rational_power,
    residue,
    scalar,
    size_of,
    value,
    whole,
)
from symbolic.kernel.term import Term, free, heads

GRID = 11
MOST = 400


class NotReady(Exception):
    """A value that only the drawing of an atom would give."""


# --- whole numbers ------------------------------------------------------------------------------

def integers(sorts: Mapping, given: tuple, rng: random.Random, spread: int) -> dict:
    """Small whole numbers for the integer symbols, facts about them alone respected."""
    names = [n for n, s in sorts.items() if s == ("integer",)]
    about = [f for f in given if free(f) <= set(names)]
    sizes = frozenset().union(*(_sizes(s) for s in sorts.values()))
    for _ in range(200):
        found: dict = {}
        for name in names:
            ready = [f for f in about if name in free(f) and free(f) <= {*found, name}]
            if not _choose(name, found, ready, name in sizes, rng, spread):
                break
        else:
            return found
    raise Undecided("no whole numbers found that the facts allow")


def _sizes(sort: tuple) -> frozenset:
    if sort[0] == "family":
        return _sizes(sort[1])
    return free(sort[1]) | free(sort[2]) if sort[0] == "matrix" else frozenset()


def _choose(name, found, facts, is_size, rng, spread) -> bool:
    pool = [*range(2, 2 + spread)] * 4 + [1] * 3 + ([] if is_size else [0, 4, 5])
    if spread == 1 and not is_size:
        pool = [-3, -2, -1, 0, 1, 2]
    for f in facts:
        pool += [k + d for k in _numbers(f) for d in (0, 1, 2)]
        pool += [found[m] + d for m in free(f) if m in found for d in (-1, 0, 1, 2)]
    rng.shuffle(pool)
    for k in pool[:60]:
        if is_size and not 1 <= k <= 4:
            continue
        if all(_true_of_whole(f, {**found, name: Fraction(k)}) for f in facts):
            found[name] = Fraction(k)
            return True
    return False


def _numbers(f: Term) -> set[int]:
    if isinstance(f, int):
        return {f} if abs(f) < 40 else set()
    return set().union(*map(_numbers, f[1:])) if isinstance(f, tuple) else set()


def _true_of_whole(f: Term, scope: dict) -> bool:
    w = World(None, random.Random(0), _nothing)
    try:
        return all(holds(relation, w, s) for relation, s in instances(f, w, scope))
    except (Undecided, Undefined, AttributeError):
        return False


def _nothing(name: str, index: tuple):
    raise NotReady(name)


def instances(f: Term, w: World, scope: dict) -> list[tuple[Term, dict]]:
    """A fact at each index of its ranges."""
    if f[0] != "all":
        return [(f, scope)]
    found = [scope]
    for _, name, low, high in f[2:]:
        found = [{**s, name: Fraction(k)} for s in found
                 for k in range(whole(low, w, s), whole(high, w, s) + 1)]
        if len(found) > MOST:
            raise Undecided("a fact with too many instances")
    return [(f[1], s) for s in found]


# --- drawing ------------------------------------------------------------------------------------

def drawer(sorts: Mapping, whole_numbers: dict, bounds: dict, rng: random.Random,
           roots: int, edges: bool) -> Callable:
    """A function that draws an atom of its sort inside its bounds; `edges` favours 0, 1, -1."""
    scale = rng.choice((Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)))

    def draw(name: str, index: tuple):
        if name in whole_numbers:
            return whole_numbers[name]
        sort = sorts.get(name)
        if sort is None:
            raise Undecided(f"{name} is not declared")
        while sort[0] == "family":
            if not index:
                raise Undecided(f"the family {name} without its indices")
            sort = sort[1]
        low, high = bounds.get((name, *index), (None, None))
        if sort[0] == "real":
            special = Fraction(rng.choice((0, 1, -1, 0)))
            if edges and rng.random() < 0.4 and (low is None or low < special) and (
                    high is None or special < high):
                return special
            return _real(low, high, scale, rng, roots)
        if sort[0] == "integer":
            lowest = -3 if low is None else low.__ceil__()
            return Fraction(rng.randint(lowest, lowest + 5 if high is None else high.__floor__()))
        if sort[0] == "complex":
            return complex_pair(*(_real(None, None, scale, rng, 1) for _ in "ab"))
        w = World(None, rng, draw)
        m, n = (whole(k, w, {}) for k in sort[1:3])
        return _matrix(m, n, frozenset(sort[3:]), rng)

    return draw


def _real(low, high, scale: Fraction, rng: random.Random, roots: int) -> Fraction:
    """A rational of the grid between the bounds; a perfect power when roots are about."""
    if low is None and high is None:
        low, high = -4 * scale, 4 * scale
    elif low is None:
        low = high - 4 * scale
    elif high is None:
        high = low + 4 * scale
    if low == high:
        return low
    for grid in (GRID, GRID**2, GRID**3, GRID**4):
        if roots > 1 and low >= 0:
            ends = [int(float(x) ** (1 / roots) * grid) for x in (low, high)]
            x = Fraction(rng.randint(ends[0], ends[1] + 1), grid) ** roots
        else:
            x = Fraction(rng.randint((low * grid).__ceil__(), (high * grid).__floor__() + 1), grid)
        if low < x < high:
            return x
    raise Undecided("bounds too narrow for the grid")


def _matrix(m: int, n: int, flags: frozenset, rng: random.Random) -> tuple:
    w = World(None, rng, _nothing)
    if "orthogonal" in flags:
        return _orthogonal(n, flags, rng, w)
    for _ in range(20):
        rows = tuple(tuple(Fraction(rng.randint(-9, 9)) for _ in range(n)) for _ in range(m))
        if flags & {"pd", "psd"}:
            if "pd" not in flags and rng.random() < 0.3:
                rows = tuple((*r[:-1], Fraction(0)) for r in rows)
            rows = multiply(rows, tuple(zip(*rows, strict=True)), w)
        elif "symmetric" in flags:
            rows = tuple(tuple(rows[min(i, j)][max(i, j)] for j in range(n)) for i in range(n))
        if not flags & {"pd", "invertible"} or determinant(rows, w) != 0:
            return rows
    raise Undecided("no matrix with these flags")


def _orthogonal(n: int, flags: frozenset, rng: random.Random, w: World) -> tuple:
    """Cayley's transform of a skew matrix, of either determinant; symmetric: a reflection."""
    one = identity(n)
    if flags & {"pd", "psd"}:
        return one
    if "symmetric" in flags:
        v = [Fraction(rng.randint(-3, 3)) for _ in range(n)]
        q = sum((x * x for x in v), Fraction(0)) or Fraction(1)
        return tuple(tuple(one[i][j] - 2 * v[i] * v[j] / q for j in range(n)) for i in range(n))
    skew = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            skew[i][j] = Fraction(rng.randint(-4, 4))
            skew[j][i] = -skew[i][j]
    plus, minus = (tuple(tuple(one[i][j] + s * skew[i][j] for j in range(n)) for i in range(n))
                   for s in (1, -1))
    turned = multiply(minus, inverse(plus, w), w)
    side = rng.choice((1, -1))
    return tuple(tuple(side * x if i == 0 else x for x in r) for i, r in enumerate(turned))


# --- facts --------------------------------------------------------------------------------------

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
    if not square and (two + zero - 2 * one) % p:
        return False
    top, bottom = gaps[0][0], add(gaps[1][0], multiply(Fraction(-1), gaps[0][0], w), w)
    found = multiply(Fraction(-1), multiply(top, invert(bottom, w), w), w)
    size = -gaps[0][1] / (gaps[1][1] - gaps[0][1])
    return _settle(key, found, size, square, w)


def _settle(key: tuple, found, size: complex, square: bool, w: World) -> bool:
    """Store a solution; a square root of it when the equation is in the square (positive root)."""
    if square:
        if size.real <= 1e-9 or abs(size.imag) > 1e-9:
            return False
        found, size = rational_power(found, Fraction(1, 2), w), size**0.5
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

