"""Reduction modulo equations: p = remainder + sum_j q_j e_j with cofactors, exactly.

Linear algebra over multiplier monomials that meet the monomials at hand comes first; then
Buchberger's algorithm with cofactors under a small budget (Cox, Little, O'Shea, Ideals, Varieties,
and Algorithms, chapter 2).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from symbolic.search.arithmetic import Monomial, Poly, clean, lowest, moved, plus, scaled, times
from symbolic.search.exact import solve
from symbolic.search.linear import multiples

ROUNDS = 4
"""How often the set of monomials is closed under the products found so far."""
MOST = 1_500
"""The largest number of unknown coefficients in the linear system."""
LARGEST = 400
"""The largest number of elements and of terms in an element of a basis."""


@dataclass(frozen=True)
class Element:
    """A polynomial of the ideal with its cofactors: poly = sum_j cofactors[j] * e_j."""

    poly: Poly
    cofactors: tuple[Poly, ...]
    lead: Monomial


def reduce(
    p: Poly, equalities: Sequence[Poly], m: int, seconds: float = 3.0,
) -> tuple[Poly, list[Poly]]:
    """(remainder, quotients) with p = remainder + sum_j quotients[j] * equalities[j], exactly.

    A remainder of zero proves that p = 0 where all equalities vanish; any other remainder says
    nothing. Laurent monomials are allowed where an input has negative exponents (that variable is
    then taken to be a unit).
    """
    p, equalities = clean(p), [clean(e) for e in equalities]
    if not p or not any(equalities):
        return p, [{} for _ in equalities]
    deadline = time.monotonic() + seconds
    found = _linear(p, equalities, m, deadline)
    if found is not None:
        return {}, found
    return _completed(p, equalities, m, deadline)


def _linear(p: Poly, equalities: Sequence[Poly], m: int, deadline: float) -> list[Poly] | None:
    """Quotients by linear algebra over monomials that match, or None."""
    reach = dict.fromkeys(p)
    before = 0
    for _ in range(ROUNDS):
        shifts = multiples(list(reach), equalities, m, most=MOST)
        if len(shifts) == before or time.monotonic() > deadline:
            return None
        before = len(shifts)
        columns = [moved(equalities[j], a) for j, a in shifts]
        found = solve(columns, p)
        if found is not None:
            quotients: list[Poly] = [{} for _ in equalities]
            for k, x in found.items():
                j, a = shifts[k]
                quotients[j] = plus(quotients[j], {a: x})
            return quotients
        if before >= MOST:
            return None
        for column in columns:
            reach.update(dict.fromkeys(column))
    return None


def _completed(p, equalities, m, deadline) -> tuple[Poly, list[Poly]]:
    """Division by a basis completed within the budget; Laurent monomials cleared by offsets."""
    steps = [tuple(-low for low in lowest([e], m)) for e in equalities]
    shift = tuple(-low for low in lowest([p], m))
    units = [i for i, low in enumerate(lowest([p, *equalities], m)) if low < 0]
    basis = _basis([moved(e, s) for e, s in zip(equalities, steps, strict=True)], m, deadline)
    best: tuple[Poly, list[Poly]] = (p, [{} for _ in equalities])
    for extra in range(3 if units else 1):
        lift = tuple(s + (extra if i in units else 0) for i, s in enumerate(shift))
        rest, cofactors = _divided(moved(p, lift), basis, len(equalities), deadline)
        back = tuple(-k for k in lift)
        answer = (moved(rest, back),
                  [moved(h, tuple(map(int.__add__, back, s)))
                   for h, s in zip(cofactors, steps, strict=True)])
        if not extra or len(answer[0]) < len(best[0]):
            best = answer
        if not best[0]:
            break
    return best


def _order(a: Monomial) -> tuple:
    """The graded reverse lexicographic order as a key."""
    return sum(a), tuple(-k for k in reversed(a))


def _element(poly: Poly, cofactors: Sequence[Poly]) -> Element:
    lead = max(poly, key=_order)
    c = 1 / poly[lead]
    return Element(scaled(poly, c), tuple(scaled(h, c) for h in cofactors), lead)


def _divides(a: Monomial, b: Monomial) -> bool:
    return all(map(int.__le__, a, b))


def _divided(p: Poly, basis: Sequence[Element], count: int, deadline: float):
    """(remainder, cofactors) with p = remainder + sum_j cofactors[j] * e_j."""
    rest: Poly = {}
    cofactors: list[Poly] = [{} for _ in range(count)]
    p = dict(p)
    while p:
        lead = max(p, key=_order)
        element = next((e for e in basis if _divides(e.lead, lead)), None)
        if element is None or time.monotonic() > deadline or len(p) > LARGEST * 5:
            rest[lead] = p.pop(lead)
            continue
        gap, c = tuple(map(int.__sub__, lead, element.lead)), p[lead]
        p = plus(p, moved(element.poly, gap), -c)
        cofactors = [plus(h, moved(k, gap), c)
                     for h, k in zip(cofactors, element.cofactors, strict=True)]
    return rest, cofactors


def _basis(equalities: Sequence[Poly], m: int, deadline: float) -> list[Element]:
    """A Groebner basis with cofactors, as far as the budget reaches."""
    count = len(equalities)
    basis = []
    for j, e in enumerate(equalities):
        if e:
            unit = [{(0,) * m: Fraction(1)} if k == j else {} for k in range(count)]
            basis.append(_element(e, unit))
    pairs = {(i, j) for j in range(len(basis)) for i in range(j)}
    while pairs and len(basis) < LARGEST and time.monotonic() < deadline:
        i, j = min(pairs, key=lambda ij: (_order(_joined(basis[ij[0]], basis[ij[1]])), ij))
        pairs.discard((i, j))
        one, two = basis[i], basis[j]
        top = _joined(one, two)
        if top == tuple(map(int.__add__, one.lead, two.lead)):
            continue
        left, right = (tuple(map(int.__sub__, top, e.lead)) for e in (one, two))
        spoly = plus(moved(one.poly, left), moved(two.poly, right), -1)
        rest, cofactors = _divided(spoly, basis, count, deadline)
        if not rest or len(rest) > LARGEST or time.monotonic() > deadline:
            continue
        whole = [plus(plus(moved(a, left), moved(b, right), -1), h, -1)
                 for a, b, h in zip(one.cofactors, two.cofactors, cofactors, strict=True)]
        basis.append(_element(rest, whole))
        pairs |= {(k, len(basis) - 1) for k in range(len(basis) - 1)}
    return basis


def _joined(one: Element, two: Element) -> Monomial:
    return tuple(map(max, one.lead, two.lead))


def recombined(
    rest: Poly, quotients: Sequence[Poly], equalities: Sequence[Poly],
) -> Poly:
    """remainder + sum_j quotients[j] * equalities[j], expanded exactly."""
    total = dict(rest)
    for h, e in zip(quotients, equalities, strict=True):
        total = plus(total, times(h, e))
    return total
