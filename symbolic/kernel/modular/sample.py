"""Admissible exact points: whole numbers, reals, matrices with their flags.

Reals get denominators 11^k (see `field`), inside the simple bounds that the facts give; integers
are small, empty ranges and size 1 included.
"""

import random
from collections.abc import Callable, Mapping
from fractions import Fraction

from symbolic.kernel.modular.field import GRID, Undecided, Undefined, field
from symbolic.kernel.modular.function import VALUES
from symbolic.kernel.modular.number import determinant, identity, inverse, multiply
from symbolic.kernel.modular.order import holds
from symbolic.kernel.modular.world import Pair, World, whole
from symbolic.kernel.term import Term, free

MOST = 400


class NotReady(Exception):
    """A value that only the drawing of an atom would give."""


# --- whole numbers ------------------------------------------------------------------------------

def integers(sorts: Mapping, given: tuple, rng: random.Random, spread: int) -> dict:
    """Small whole numbers for the integer symbols, facts about them alone respected."""
    names = [n for n, s in sorts.items() if s == ("integer",)]
    about = [f for f in given if free(f) <= set(names)]
    sizes = frozenset().union(*(_sizes(s) for s in sorts.values()))
    for _ in range(40):
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
    if spread == 1 and rng.random() < 0.5:
        pool.sort()  # the least that the facts allow: empty ranges, size 1
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
    w = World(field(0), random.Random(0), _nothing, VALUES)
    try:
        return all(holds(relation, w, s) for relation, s in instances(f, w, scope))
    except (Undecided, Undefined, NotReady):
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
           roots: int, edges: bool, grid: int = GRID) -> Callable:
    """A function that draws an atom of its sort inside its bounds.

    `roots` is the order of the roots that shall be rational, `edges` favours 0, 1, -1, and
    denominators are powers of `grid`.
    """
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
            if edges and rng.random() < 0.6 and (low is None or low < special) and (
                    high is None or special < high):
                return special
            return _real(low, high, scale, rng, roots, grid)
        if sort[0] == "integer":
            lowest = -3 if low is None else low.__ceil__()
            highest = lowest + 5 if high is None else high.__floor__()
            if highest < lowest:
                raise Undecided("bounds that contradict each other")
            return Fraction(rng.randint(lowest, highest))
        if sort[0] == "complex":
            return Pair(*(_real(None, None, scale, rng, 1, grid) for _ in "ab"))
        w = World(field(0), rng, draw, VALUES)
        m, n = (whole(k, w, {}) for k in sort[1:3])
        return _matrix(m, n, frozenset(sort[3:]), rng)

    return draw


def _real(low, high, scale: Fraction, rng: random.Random, roots: int, base: int) -> Fraction:
    """A rational of the grid between the bounds; a perfect power when roots are about."""
    if low is None and high is None:
        low, high = -4 * scale, 4 * scale
    elif low is None:
        low = high - 4 * scale
    elif high is None:
        high = low + 4 * scale
    if low == high:
        return low
    if low > high:
        raise Undecided("bounds that contradict each other")
    for grid in (base, base**2, base**3, base**4):
        if roots > 1 and low >= 0:
            ends = [int(float(x) ** (1 / roots) * grid) for x in (low, high)]
            x = Fraction(rng.randint(ends[0], ends[1] + 1), grid) ** roots
        else:
            x = Fraction(rng.randint((low * grid).__ceil__(), (high * grid).__floor__() + 1), grid)
        if low < x < high:
            return x
    raise Undecided("bounds too narrow for the grid")


def _matrix(m: int, n: int, flags: frozenset, rng: random.Random) -> tuple:
    w = World(field(0), rng, _nothing, VALUES)
    if "orthogonal" in flags:
        return _orthogonal(n, flags, rng, w)
    for _ in range(20):
        rows = tuple(tuple(Fraction(rng.randint(-9, 9)) for _ in range(n)) for _ in range(m))
        if not flags and rng.random() < 0.25:
            rows = tuple(tuple(Fraction(rng.random() < 0.3) for _ in r) for r in rows)
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
