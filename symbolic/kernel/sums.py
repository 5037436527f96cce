"""Closed sums: bound names, a set of constraints (polynomials >= 0), one monomial.

A sum is not a nest of ranges but a bag of names and constraints, which gives Fubini, the
triangular exchange, renaming and the causal mask for nothing. A closed form may use the facts of
the statement, never the surrounding indices: otherwise it would depend on where the sum was met.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import count, permutations
from math import comb

import symbolic.kernel.entail as entail
import symbolic.kernel.facts as facts_
import symbolic.kernel.rebuild as rebuild
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.letters import holds_inverse
from symbolic.kernel.polynomial import (
    ONE,
    Atom,
    Mono,
    Poly,
    add,
    atom,
    constant,
    freeze,
    key,
    mul,
    power,
    scale,
    subtract,
    thaw,
    total,
)
from symbolic.kernel.structure import height, integral, mentions, support

_FRESH = count(1)
MOST_NAMES, MOST_TERMS, MOST_PEELED = 5, 300, 6


def fresh(kind: str = "int") -> Atom:
    """A bound name that occurs nowhere else; '#' keeps it apart from every identifier."""
    return (kind, f"#{next(_FRESH)}")


def summed(body: Poly, name: Atom, low: Poly, high: Poly, facts: entail.Facts) -> Poly:
    """The sum of body over whole `name` from low to high; zero if high < low."""
    return close(body, (name,), _range(name, low, high), facts)


def _range(name: Atom, low: Poly, high: Poly) -> frozenset:
    return frozenset({freeze(subtract(atom(name), low)), freeze(subtract(high, atom(name)))})


def close(body: Poly, names: tuple, constraints: frozenset, facts: entail.Facts) -> Poly:
    return total([scale(_close_mono(m, names, constraints, facts), c) for m, c in body.items()])


def _close_mono(m: Mono, names: tuple, constraints: frozenset, facts: entail.Facts) -> Poly:
    spend(50)
    here = frozenset(names)
    for a, e in sorted(m, key=key):
        if a[0] == "S" and e > 0 and Fraction(e).denominator == 1 and mentions(a, here):
            inner_names, inner, mono = opened(a, facts)
            rest = mul({m - {(a, e)}: 1}, mul(mono, atom(a, e - 1) if e > 1 else constant(1)))
            return close(rest, names + inner_names, constraints | inner, facts)
    if len(names) > MOST_NAMES:
        raise Undecided(f"a sum over more than {MOST_NAMES} indices")
    closed, nonempty = _closure(constraints, here, facts)
    if closed is None:
        return {}
    inside = frozenset((a, e) for a, e in m if mentions(a, here))
    groups = _components(inside, closed, names)
    if not nonempty and _divides(m, groups, facts):
        return _named(m, names, closed, facts)
    out = {m - inside: 1}
    for group in groups:
        part = frozenset((a, e) for a, e in inside if mentions(a, frozenset(group)))
        bounds = frozenset(c for c in closed if mentions(c, frozenset(group)))
        out = mul(out, _component(part, group, bounds, facts))
    return out


def _divides(m: Mono, groups: list[tuple], facts: entail.Facts) -> bool:
    """Whether a factor divides by what may be zero and does not mention all the groups of names.

    Where the range is empty the division never happens and the sum is 0; pulled out of the sum,
    the divisor could cancel against the count of the empty range (sum of 1/s over 1..s).
    """
    return any((e < 0 and a[0] != "E" and "0" in facts_.atom_sign_or_any(facts.root, a)
                or holds_inverse(a, facts.sorts))
               and not all(mentions(a, frozenset(g)) for g in groups) for a, e in m)


def opened(a: Atom, facts: entail.Facts) -> tuple[tuple, frozenset, Poly]:
    """Fresh names, constraints and body of a closed sum."""
    _, level, constraints, mono = a
    bound = sorted(b for b in support(constraints) if b[0] == "b" and b[1] == level)
    values = {b: atom(fresh()) for b in bound}
    names = tuple(next(iter(next(iter(v))))[0] for v in values.values())
    inner = frozenset(freeze(rebuild.subst(thaw(c), values, facts)) for c in constraints)
    return names, inner, rebuild.subst({mono: 1}, values, facts)


def _closure(constraints: Iterable, names: frozenset,
             facts: entail.Facts) -> tuple[frozenset | None, bool]:
    """Constraints closed under cancelling a bound name, the weaker dropped; None if empty.

    Beside them, whether some whole values of the names are entailed to satisfy them all: what is
    left when every name has been cancelled holds, and all coefficients are one.
    """
    found = set(constraints)
    frontier = list(found)
    while frontier:
        p = frontier.pop()
        for q in list(found):
            spend(5)
            for r in _cancelled(p, q, names):
                if r not in found:
                    found.add(r)
                    frontier.append(r)
        if len(found) > 80:
            raise Undecided("too many constraints on the indices of a sum")
    best: dict = {}
    nonempty = True
    for f in found:
        p = thaw(f)
        c = p.pop(ONE, 0)
        if not mentions(f, names):
            if entail.entails(facts.root, scale(thaw(f), -1), strict=True):
                return None, False
            nonempty &= entail.entails(facts.root, thaw(f))
            continue
        nonempty &= all(abs(k) == 1 for m, k in p.items() if mentions(m, names))
        nonempty &= integral(thaw(f))
        shape = freeze(p)
        best[shape] = min(best.get(shape, c), c)
    return frozenset(freeze(add(thaw(s), constant(c))) for s, c in best.items()), nonempty


def _cancelled(f: frozenset, g: frozenset, names: frozenset) -> list[frozenset]:
    p, q = thaw(f), thaw(g)
    out = []
    for n in names:
        a, b = p.get(frozenset({(n, 1)}), 0), q.get(frozenset({(n, 1)}), 0)
        if a * b < 0 and abs(a) == abs(b):
            out.append(freeze(add(p, q)))
    return out


def _components(inside: Mono, constraints: frozenset, names: tuple) -> list[tuple]:
    """Names grouped by the atoms and constraints that link them."""
    groups = [{n} for n in names]
    for item in [a for a, _ in inside] + list(constraints):
        linked = [g for g in groups if mentions(item, frozenset(g))]
        if len(linked) > 1:
            groups = [g for g in groups if g not in linked] + [set().union(*linked)]
    return [tuple(n for n in names if n in g) for g in groups]


def _component(m: Mono, names: tuple, constraints: frozenset, facts: entail.Facts) -> Poly:
    """One group of names summed out, or closed as an atom."""
    for step in (_by_delta, _by_numbers, _by_power_sum):
        for name in names:
            out = step(m, name, names, constraints, facts)
            if out is not None:
                return out
    if len(names) == 1:
        ends = _ends(names[0], constraints, facts)
        if ends:
            return _anchored(m, names[0], *ends, facts)
    return _named(m, names, constraints, facts)


def _by_delta(m: Mono, name: Atom, names: tuple, constraints: frozenset,
              facts: entail.Facts) -> Poly | None:
    """Sum over u of delta(u - t) f(u) is f(t), for whole t that is entailed to be in range."""
    for a, e in m:
        if a[:2] != ("f", "delta") or e != 1 or not mentions(a, frozenset({name})):
            continue
        gap = thaw(a[2])
        slope = gap.pop(frozenset({(name, 1)}), 0)
        if abs(slope) != 1 or mentions(freeze(gap), frozenset({name})):
            continue
        value = scale(gap, -slope)
        if not integral(value):
            continue
        values, rest = {name: value}, tuple(n for n in names if n != name)
        bounds = [rebuild.subst(thaw(c), values, facts) for c in constraints]
        if any(entail.entails(facts.root, scale(b, -1), strict=True) for b in bounds
               if not mentions(freeze(b), frozenset(rest))):
            return {}  # the one index that counts is outside the range
        if all(mentions(freeze(b), frozenset(rest)) or entail.entails(facts.root, b)
               for b in bounds):
            body = rebuild.subst({m - {(a, e)}: 1}, values, facts)
            left = frozenset(freeze(b) for b in bounds if mentions(freeze(b), frozenset(rest)))
            return close(body, rest, left, facts) if rest else body
    return None


def _ends(name: Atom, constraints: frozenset, facts: entail.Facts) -> tuple[Poly, Poly] | None:
    """The one low and the one high end of a name, when both are whole and free of it."""
    lows, highs = [], []
    for f in constraints:
        p = thaw(f)
        c = p.pop(frozenset({(name, 1)}), 0)
        if mentions(freeze(p), frozenset({name})):
            return None
        if c == 1:
            lows.append(scale(p, -1))
        elif c == -1:
            highs.append(p)
        elif c:
            return None
    others = [thaw(c) for c in constraints if not mentions(c, frozenset({name}))]
    inside = facts.root.under(others)
    low = _dominant(lows, inside, 1)
    high = _dominant(highs, inside, -1)
    if low is None or high is None or not (integral(low) and integral(high)):
        return None
    return low, high


def _dominant(ends: list[Poly], facts: entail.Facts, side: int) -> Poly | None:
    for p in ends:
        if all(q == p or entail.entails(facts, scale(subtract(p, q), side)) for q in ends):
            return p
    return None


def _by_numbers(m: Mono, name: Atom, names: tuple, constraints: frozenset,
                facts: entail.Facts) -> Poly | None:
    """A range between two numbers is written out."""
    ends = _ends(name, constraints, facts)
    if ends is None or any(set(p) - {ONE} for p in ends):
        return None
    low, high = (int(p.get(ONE, 0)) for p in ends)
    if high - low >= MOST_TERMS:
        return None
    rest = tuple(n for n in names if n != name)
    out = []
    for k in range(low, high + 1):
        values = {name: constant(k)}
        body = rebuild.subst({m: 1}, values, facts)
        bounds = [freeze(rebuild.subst(thaw(c), values, facts)) for c in constraints]
        bounds = frozenset(b for b in bounds if mentions(b, frozenset(rest)))
        out.append(close(body, rest, bounds, facts) if rest else body)
    return total(out)


def _by_power_sum(m: Mono, name: Atom, names: tuple, constraints: frozenset,
                  facts: entail.Facts) -> Poly | None:
    """Sums of k**j by Faulhaber, for whole ends with high >= low - 1."""
    here = frozenset({name})
    degree = 0
    for a, e in m:
        if a == name and e > 0 and Fraction(e).denominator == 1:
            degree = int(e)
        elif mentions(a, here):
            return None
    ends = _ends(name, constraints, facts)
    if ends is None or degree > 12:
        return None
    low, high = ends
    length = add(subtract(high, low), constant(1))
    rest = tuple(n for n in names if n != name)
    others = frozenset(c for c in constraints if not mentions(c, here))
    inside = facts.root.under(thaw(c) for c in others)
    if not entail.entails(inside, length):
        return None
    closed = subtract(_faulhaber(degree, high), _faulhaber(degree, subtract(low, constant(1))))
    body = mul({m - {(name, degree)}: 1}, closed)
    return close(body, rest, others, facts) if rest else body


@lru_cache(maxsize=32)
def bernoulli(n: int) -> Fraction:
    """The n-th Bernoulli number, with B_1 = +1/2."""
    if n == 0:
        return Fraction(1)
    return 1 - sum((Fraction(comb(n, k)) * bernoulli(k) / (n - k + 1) for k in range(n)),
                   Fraction(0))


def _faulhaber(j: int, n: Poly) -> Poly:
    """The polynomial S with S(n) - S(n-1) = n**j and S(0) = 0."""
    return total([scale(power(n, j + 1 - k), Fraction(comb(j + 1, k), j + 1) * bernoulli(k))
                  for k in range(j + 1)])


def _anchored(m: Mono, name: Atom, low: Poly, high: Poly, facts: entail.Facts) -> Poly:
    """One index alone: least family offset 0 (else start at 1), ends moved to a standard place.

    The moved ends are paid for by explicit terms. A term beyond the written range is added and
    taken away only when it is defined for every index.
    """
    found = offsets(m, name)
    shift = constant(min(found)) if found else subtract(constant(1), low)
    if shift:
        body = rebuild.subst({m: 1}, {name: subtract(atom(name), shift)}, facts)
        return summed(body, name, add(low, shift), add(high, shift), facts)
    peeled: list[Poly] = []
    start = low.get(ONE, 0) if not set(low) - {ONE} else None
    if start is not None and start != 1 and abs(start - 1) <= MOST_PEELED and (
            entail.entails(facts.root, subtract(high, constant(max(start - 1, 0))))
            and (start < 1 or _everywhere(m, name))):
        side = 1 if start < 1 else -1
        peeled += [scale(_at(m, name, constant(k), facts), side)
                   for k in range(min(start, 1), max(start, 1))]
        low = constant(1)
    if start is None and _everywhere(m, name):
        before = subtract(low, constant(1))
        if entail.entails(facts.root, before) and entail.entails(
                facts.root, subtract(high, before)):
            early = summed({m: 1}, name, constant(1), before, facts)
            peeled, low = [scale(early, -1)], constant(1)
    c = high.get(ONE, 0)
    if c and abs(c) <= MOST_PEELED and set(high) - {ONE}:
        base = subtract(high, constant(c))
        least = base if c > 0 else high
        if entail.entails(facts.root, add(subtract(least, low), constant(1))) and (
                c > 0 or _everywhere(m, name)):
            side = 1 if c > 0 else -1
            peeled += [scale(_at(m, name, add(base, constant(k)), facts), side)
                       for k in range(min(c, 0) + 1, max(c, 0) + 1)]
            high = base
    return total([_named(m, (name,), _range(name, low, high), facts), *peeled])


def _at(m: Mono, name: Atom, value: Poly, facts: entail.Facts) -> Poly:
    return rebuild.subst({m: 1}, {name: value}, facts)


def offsets(item: object, name: Atom) -> list[int]:
    """Whole c such that name + c is an index of a family somewhere inside."""
    if isinstance(item, frozenset):
        return [c for x in item for c in offsets(x, name)]
    if not isinstance(item, tuple) or not item:
        return []
    out = [c for x in item for c in offsets(x, name)]
    if item[0] in ("at", "iat", "cat", "m"):
        for f in item[2:]:
            p = thaw(f) if isinstance(f, frozenset) else {}
            if p.pop(frozenset({(name, 1)}), 0) == 1 and not set(p) - {ONE}:
                out.append(int(p.get(ONE, 0)))
    return out


def _everywhere(m: Mono, name: Atom) -> bool:
    """Whether the monomial is defined for every whole value of the name."""
    here = frozenset({name})
    for a, e in m:
        if not mentions(a, here):
            continue
        if e < 0 and a[0] != "E" or Fraction(e).denominator > 1 and a[0] != "E":
            return False
        if a[0] == "E" and not _everywhere(a[1], name):
            return False
        if a[0] == "S" and not _everywhere(a[3], name):
            return False
        if a[0] not in ("int", "at", "iat", "cat", "E", "S") and a[:2] != ("f", "delta"):
            return False
    return True


def _named(m: Mono, names: tuple, constraints: frozenset, facts: entail.Facts) -> Poly:
    """The closed atom: bound names by number, the least spelling of all orders."""
    level = 1 + max([height(m), *(height(c) for c in constraints)])
    best: tuple | None = None
    for order in _orders(m, names, constraints):
        spend(20)
        values = {n: atom(("b", level, k)) for k, n in enumerate(order)}
        body = rebuild.subst({m: 1}, values, facts)
        if len(body) != 1:
            raise Undecided("a summand that changes shape when its index is renamed")
        (mono, c), = body.items()
        bounds = frozenset(freeze(rebuild.subst(thaw(f), values, facts)) for f in constraints)
        spelled = ("S", level, bounds, mono)
        if best is None or key(spelled) < key(best[0]):
            best = (spelled, c)
        elif spelled == best[0] and c == -best[1]:
            return {}  # the sum equals its own negative
    return {frozenset({(best[0], 1)}): best[1]}


def _orders(m: Mono, names: tuple, constraints: frozenset) -> Iterable[tuple]:
    """Orders of the names worth trying: names told apart by their surroundings keep their place."""
    if len(names) == 1:
        return [names]
    blind = {n: ("sym", "#") for n in names}
    marks = {n: _mark(m, constraints, {**blind, n: ("sym", "##")}) for n in names}
    if len(set(marks.values())) == len(names):
        return [tuple(sorted(names, key=marks.get))]
    return (o for o in permutations(names)
            if [marks[n] for n in o] == sorted(marks.values()))


def _mark(m: Mono, constraints: frozenset, names: dict) -> str:
    def blur(item: object) -> object:
        if isinstance(item, frozenset):
            return tuple(sorted(key(blur(x)) for x in item))
        if isinstance(item, tuple):
            return names[item] if item in names else tuple(blur(x) for x in item)
        return item

    return key((blur(m), blur(constraints)))
