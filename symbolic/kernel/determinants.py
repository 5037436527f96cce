"""Determinants of words: products, Sylvester's det(I + U V) = det(I + V U), factors taken out.

The forms I + Y that these laws lead to are searched and the least is kept, so two ways of writing
one determinant meet. A form is an identity plus words; its size is that of its words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import symbolic.kernel.atoms as atoms
import symbolic.kernel.entail as entail
import symbolic.kernel.facts as facts_
import symbolic.kernel.inverses as inverses
import symbolic.kernel.normal as normal_
import symbolic.kernel.traces as traces
import symbolic.kernel.words as words
from symbolic.kernel import definiteness, explicit
from symbolic.kernel.budget import spend
from symbolic.kernel.letters import Letter, flags, size
from symbolic.kernel.polynomial import (
    Atom,
    Poly,
    add,
    atom,
    constant,
    freeze,
    key,
    mul,
    power,
    subtract,
)
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Term

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope

MOST_FORMS, MOST_PRODUCTS = 48, 3


def determinant_of(t: tuple, s: Scope) -> Poly:
    """The determinant of a matrix term."""
    found = shape(t[1], s.sorts)
    if found is None:
        return normal_.normal(t[1], s)
    if explicit.known(t[1], s):
        return explicit.determinant(explicit.entries(t[1], s))
    return determinant(words.matrix(t[1], s), found[0], s)


def determinant(p: words.Words, rows: Term, s: Scope) -> Poly:
    """The determinant of a word form with `rows` rows."""
    if not p:
        return {}
    front, q, n = min(orbit(p, rows, s), key=lambda form: (
        form[2] != 1, len(form[1]), sum(map(len, form[1])), key(_frozen(form[1]))))
    if q == {(): constant(1)}:
        return front
    if n == 1:
        return mul(front, traces.traced(q, 1, s))
    return mul(front, atom(("det", _frozen(q))))


def orbit(p: words.Words, rows: Term, s: Scope) -> list[tuple[Poly, words.Words, Term]]:
    """(front, form, rows) with front * det(form) the determinant: all that the laws reach."""
    out, waiting, seen = [], [(constant(1), p, rows)], set()
    longest = sum(map(len, p)) + 2 * len(p)
    while waiting and len(seen) < MOST_FORMS:
        front, q, n = waiting.pop(0)
        if not q:
            return [({}, {(): constant(1)}, n)]
        c, q = _scaled(q, s)
        front = mul(front, _raised(c, n, s))
        mark = (_frozen(q), n)
        if mark in seen:
            continue
        seen.add(mark)
        split = _of_one_word(q, n, s) or _of_outer_products(q, s)
        if split is not None:
            return [(mul(front, split), {(): constant(1)}, n)]
        out.append((front, q, n))
        for factor, r, m in _neighbours(q, n, s):
            spend(20)
            if len(r) <= len(p) + 1 and sum(map(len, r)) <= longest:
                waiting.append((mul(front, factor), r, m))
    return out


def _scaled(q: words.Words, s: Scope) -> tuple[Poly, words.Words]:
    """(c, form) with q = c * form, the identity or else the least word having the coefficient 1."""
    least = () if () in q else min(q, key=key)
    c = q[least]
    if c == constant(1) or len(c) != 1 or not facts_.nonzero(s.facts, c):
        return constant(1), q
    below = atoms.inverse(c, s.facts)
    return c, {w: mul(p, below) for w, p in q.items()}


def _of_one_word(q: words.Words, n: Term, s: Scope) -> Poly | None:
    """det(c x1 ... xk) = c^n det(x1) ... det(xk) for square letters."""
    if len(q) != 1:
        return None
    (w, c), = q.items()
    if not all(len(set(size(s.facts.sorts, x))) == 1 for x in w):
        return None
    out = _raised(c, n, s)
    for x in w:
        out = mul(out, of_letter(x, s))
    return out


def _of_outer_products(q: words.Words, s: Scope) -> Poly | None:
    """det(I + sum of c_i u_i v_i^T) = det(delta_ij + c_j v_i^T u_j), of the number of products."""
    if q.get(()) != constant(1) or not 1 < len(q) <= 1 + MOST_PRODUCTS:
        return None
    halves = []
    for w in sorted((w for w in q if w), key=key):
        cut = next((k for k in range(1, len(w)) if size(s.facts.sorts, w[k])[0] == 1), None)
        if cut is None:
            return None
        halves.append((w[:cut], w[cut:], q[w]))
    rows = [[add(constant(int(i == j)), mul(c, traces.traced(
        words.times({v: constant(1)}, {u: constant(1)}, s), 1, s)))
        for j, (u, _, c) in enumerate(halves)] for i, (_, v, _) in enumerate(halves)]
    return explicit.determinant(rows)


def of_letter(x: Letter, s: Scope) -> Poly:
    """The determinant of a square letter; of the inverse of a composite, its reciprocal."""
    base, _, inverse = x
    if base[0] == "k" and base[3] == base[4] and base[5] == base[6]:
        one, two = (determinant({w: constant(1)}, n, s) for w, n in
                    ((base[1], base[3]), (base[2], base[5])))
        out = mul(_raised(one, base[5], s), _raised(two, base[3], s))
        return atoms.inverse(out, s.facts) if inverse else out
    if base[0] == "c":
        inner = determinant({w: dict(c) for w, c in base[1]}, base[2], s)
        return atoms.inverse(inner, s.facts)
    product = next((w for w, value in s.rules if value == {((base, False, False),): constant(1)}
                    and all(y[0] != base and y[0][0] == "m" and len(set(size(
                        s.facts.sorts, y))) == 1 for y in w)), ())
    out = constant(1)
    for y in product:  # the letter is this product, by a fact such as R*R = S
        out = mul(out, of_letter(y, replace(s, rules=())))
    out = out if product else atom(("det", base))
    return atoms.inverse(out, s.facts) if inverse else out


def _raised(c: Poly, n: Term, s: Scope) -> Poly:
    if c == constant(1):
        return c
    return power(c, n) if isinstance(n, int) and n >= 0 else \
        atoms.raised(c, normal_.normal(n, s), s.facts)


def _neighbours(q: words.Words, n: Term, s: Scope) -> Iterator[tuple[Poly, words.Words, Term]]:
    """One law further: an invertible edge letter taken out, a letter turned, the transpose."""
    for place in (0, -1):
        for x in sorted({w[place] for w in q if w}, key=key):
            if inverses.invertible(x, s):
                back = inverses.inverted({(x,): constant(1)}, n, s)
                yield of_letter(x, s), (words.times(back, q, s) if place == 0
                                        else words.times(q, back, s)), n
    yield from _turned(q, n, s)
    turned = words.transposed(q, s)
    if turned != q:
        yield constant(1), turned, n


def _turned(q: words.Words, n: Term, s: Scope) -> Iterator[tuple[Poly, words.Words, Term]]:
    """det(c I + x Z) = c^(n - m) det(c I + Z x) where x has n rows and m columns; Z x likewise."""
    rest = {w: c for w, c in q.items() if w}
    c = q.get((), {})
    for place in (0, -1):
        ends = {w[place] for w in rest}
        if len(ends) != 1 or not facts_.nonzero(s.facts, c):
            continue
        x = ends.pop()
        one, cut = {(x,): constant(1)}, _without(rest, place)
        turned = words.times(cut, one, s) if place == 0 else words.times(one, cut, s)
        m = size(s.facts.sorts, x)[1 + place]
        less = subtract(normal_.normal(n, s), normal_.normal(m, s))
        front = constant(1) if c == constant(1) else atoms.raised(c, less, s.facts)
        yield front, words.plus({(): c}, turned), m


def _without(rest: words.Words, place: int) -> words.Words:
    """The words without their first (0) or last (-1) letter."""
    return {(w[1:] if place == 0 else w[:-1]): c for w, c in rest.items()}


def _frozen(q: words.Words) -> frozenset:
    return frozenset((w, freeze(c)) for w, c in q.items())


def positive(a: Atom, facts: entail.Facts) -> bool:
    """Whether a determinant atom is positive: a form it equals is positive definite by shape."""
    s = normal_.Scope(facts, facts.sorts, {}, True)
    q = {w: dict(c) for w, c in a[1]}
    n = next((size(s.facts.sorts, w[0])[0] for w in q if w), 1)
    return any(definite(r, s) and (front == constant(1) or facts_.positive(facts, front))
               for front, r, _ in orbit(q, n, s))


def definite(q: words.Words, s: Scope) -> bool:
    """Whether a form is shown to have a positive determinant.

    Positive definite by shape, or c I + M S with c > 0 and M, S positive semidefinite: the
    eigenvalues of M S are those of S^(1/2) M S^(1/2), so none is negative.
    """
    if words.transposed(q, s) == q and definiteness.definite(q, s):
        return True
    rest = {w: c for w, c in q.items() if w}
    if not rest or () not in q or not facts_.positive(s.facts, q[()]):
        return False
    for place in (0, -1):
        ends = {w[place] for w in rest}
        if len(ends) == 1 and flags(s.facts.sorts, next(iter(ends))[0]) & {"psd", "pd"}:
            cut = _without(rest, place)
            if words.transposed(cut, s) == cut and definiteness.definiteness(cut, s):
                return True
    return False
