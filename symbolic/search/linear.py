"""Linear certificates: a target as a nonnegative rational combination of facts, by Farkas' lemma.

Different monomials count as different unknowns; HiGHS proposes a vertex, its support is solved
exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from symbolic.search.arithmetic import (
    Monomial,
    Poly,
    clean,
    constant,
    lowest,
    moved,
    plus,
    product,
    scaled,
)
from symbolic.search.exact import Column, solve

MOST = 4_000
"""The largest number of unknowns that is tried."""
MARGIN = ("margin",)
"""The key of the extra row that asks for a positive total weight on chosen columns."""


@dataclass(frozen=True)
class Combination:
    """target = sum weight * product of the facts at `indices` + sum h_j * equality_j.

    `terms` holds (weight > 0, indices), `()` for the constant 1; `equations` holds h_j.
    """

    terms: tuple[tuple[Fraction, tuple[int, ...]], ...]
    equations: tuple[Poly, ...] = ()


def vertex(
    columns: Sequence[Column], free: Sequence[Column], target: Column,
    margin: Sequence[int] | None = None, seconds: float = 5.0,
) -> tuple[dict[int, Fraction], dict[int, Fraction]] | None:
    """Exact x >= 0 on `columns` and any y on `free` whose combination is the target, or None.

    With `margin` (positions in `columns`) the weights there have a positive sum.
    """
    if margin is not None and not margin:
        return None
    count = len(columns)
    if margin is not None:
        marked, slack = set(margin), {MARGIN: Fraction(-1)}
        columns = [{**c, MARGIN: Fraction(1)} if j in marked else c for j, c in enumerate(columns)]
        columns.append(slack)
        most = _linprog([*columns, slack], free, target, seconds, greatest=True)
        if most is None or most[count + 1] < 1e-7:
            return None
        least = Fraction(1)
        while least > most[count + 1] / 2:
            least /= 2
        target = {**target, MARGIN: least}
    values = _linprog(columns, free, target, seconds)
    found = None if values is None else _exactly(columns, free, target, values)
    if found is not None and margin is not None:
        found[0].pop(count, None)
    return found


def _exactly(columns, free, target, values) -> tuple[dict, dict] | None:
    """The exact solution on the support of a numerical one, if its weights are >= 0."""
    n = len(columns)
    for threshold in (1e-9, 1e-7, 1e-5):
        support = [j for j in range(n) if values[j] > threshold]
        unknowns = [columns[j] for j in support] + list(free)
        found = solve(unknowns, target)
        if found is None:
            return None
        weights = {support[k]: x for k, x in found.items() if k < len(support)}
        if all(x > 0 for x in weights.values()):
            return weights, {k - len(support): x for k, x in found.items() if k >= len(support)}
    return None


def _linprog(columns, free, target, seconds, greatest=False) -> list[float] | None:
    """A vertex found by HiGHS with a small sum of weights, or the last of them as large as it gets
    (but bounded) with `greatest`."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_matrix

    n, everything = len(columns), [*columns, *free]
    keys = {key: i for i, key in enumerate(dict.fromkeys(k for c in everything for k in c))}
    if not n or not keys or any(key not in keys for key, c in target.items() if c):
        return None
    sizes = [float(max(map(abs, c.values()), default=1)) for c in everything]
    entries = [(keys[key], j, float(c) / sizes[j])
               for j, column in enumerate(everything) for key, c in column.items()]
    rows, places, numbers = zip(*entries, strict=True)
    scale = float(max(map(abs, target.values()), default=1)) or 1.0
    right = [0.0] * len(keys)
    for key, c in target.items():
        right[keys[key]] = float(c) / scale
    costs = [0.0 if greatest else 1.0 / sizes[j] for j in range(n)] + [0.0] * len(free)
    bounds: list = [(0, None)] * n + [(None, None)] * len(free)
    if greatest:
        costs[n - 1], bounds[n - 1] = -1.0, (0, 1)
    found = linprog(
        costs, A_eq=csc_matrix((numbers, (rows, places)), shape=(len(keys), len(everything))),
        b_eq=right, bounds=bounds, method="highs-ds", options={"time_limit": max(seconds, 0.05)})
    if found.x is None or found.status not in (0, 1):
        return None
    return [x * scale / s for x, s in zip(found.x, sizes, strict=True)]


def multiples(
    reach: Sequence[Monomial], equalities: Sequence[Poly], m: int, top: int | None = None,
    most: int = MOST,
) -> list[tuple[int, Monomial]]:
    """(j, a) such that x^a * equality_j meets a monomial of `reach`, lowest degree first.

    Exponents of a are >= 0 unless the inputs have negative ones; `top` bounds the degree of a.
    """
    floor = lowest([*equalities, {a: Fraction(1) for a in reach}], m)
    found = set()
    for j, e in enumerate(equalities):
        for b in e:
            for a in reach:
                shift = tuple(map(int.__sub__, a, b))
                if all(s >= 0 or low < 0 for s, low in zip(shift, floor, strict=True)):
                    found.add((j, shift))
    kept = [(j, a) for j, a in found if top is None or sum(a) <= top]
    return sorted(kept, key=lambda ja: (sum(map(abs, ja[1])), ja))[:most]


def farkas(
    target: Poly, facts: Sequence[Poly], m: int, products: bool | int = False,
    equalities: Sequence[Poly] = (), strict: Sequence[int] | None = None, seconds: float = 5.0,
) -> Combination | None:
    """target = sum of lambda * facts (all >= 0) + constant >= 0 + sum h_j * equalities_j, exactly.

    `products` True (2) or a number allows products of that many facts, repetition included;
    h_j are polynomials whose multiples meet the monomials at hand. `strict` (positions of facts
    known > 0) asks for positive weight on a product of such facts or on the constant, which
    proves target > 0. Laurent monomials are allowed. None when nothing was found.
    """
    target, facts = clean(target), [clean(f) for f in facts]
    equalities = [clean(e) for e in equalities]
    deepest = max(int(products) + (products is True), 1)
    for depth in range(1, deepest + 1):
        names: list[tuple[int, ...]] = [()]
        for size in range(1, depth + 1):
            names += combinations_with_replacement(range(len(facts)), size)
        if len(names) > MOST:
            return None
        columns = [product([facts[i] for i in name], m) for name in names]
        found = _farkas(target, names, columns, m, equalities, strict, seconds)
        if found is not None and combined(found, facts, equalities, m) == target:
            return found
    return None


def _farkas(target, names, columns, m, equalities, strict, seconds) -> Combination | None:
    margin = None
    if strict is not None:
        margin = [k for k, name in enumerate(names) if set(name) <= set(strict)]
    reach = list(dict.fromkeys(a for p in (target, *columns) for a in p))
    for top in (0, 1, None) if equalities else (0,):
        shifts = multiples(reach, equalities, m, top)
        free = [moved(equalities[j], a) for j, a in shifts]
        found = vertex(columns, free, target, margin, seconds)
        if found is not None:
            weights, others = found
            quotients: list[Poly] = [{} for _ in equalities]
            for k, x in others.items():
                j, a = shifts[k]
                quotients[j] = plus(quotients[j], {a: x})
            return Combination(
                tuple((x, names[k]) for k, x in sorted(weights.items())), tuple(quotients))
    return None


def combined(
    found: Combination, facts: Sequence[Poly], equalities: Sequence[Poly], m: int,
) -> Poly:
    """The polynomial that a combination stands for, expanded exactly."""
    total = constant(m, 0)
    for weight, indices in found.terms:
        total = plus(total, scaled(product([facts[i] for i in indices], m), weight))
    for h, e in zip(found.equations, equalities, strict=True):
        total = plus(total, product([h, e], m))
    return total
