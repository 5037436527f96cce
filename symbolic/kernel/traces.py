"""Numbers out of words: traces with all rotations, entries."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import symbolic.kernel.entail as entail
import symbolic.kernel.functions as functions
import symbolic.kernel.kronecker as kronecker
import symbolic.kernel.matrix_sums as matrix_sums
import symbolic.kernel.normal as normal_
import symbolic.kernel.rebuild as rebuild
import symbolic.kernel.sums as sums
import symbolic.kernel.words as words
from symbolic.kernel import explicit
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.letters import Word, flags, mirror, size
from symbolic.kernel.polynomial import (
    ONE,
    Atom,
    Poly,
    add,
    atom,
    constant,
    freeze,
    key,
    mul,
    scale,
    thaw,
    total,
)
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Term

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope


MOST_ALIKE = 60


def trace_of(t: tuple, s: Scope) -> Poly:
    """The trace of a matrix term."""
    found = shape(t[1], s.sorts)
    if found is None:
        return normal_.normal(t[1], s)
    if explicit.known(t[1], s):
        rows = explicit.entries(t[1], s)
        return total([rows[k][k] for k in range(len(rows))])
    return traced(words.matrix(t[1], s), found[0], s)


def traced(p: words.Words, rows: Term, s: Scope) -> Poly:
    """The trace of a word form with `rows` rows."""
    def one(w: Word) -> Poly:
        return matrix_sums.number(w, one, s) if matrix_sums.lone(w) else _trace_of_word(w, rows, s)

    return total([mul(c, one(w)) for w, c in p.items()])


def _trace_of_word(w: Word, rows: Term, s: Scope) -> Poly:
    """All rotations: reduce across the seam, cut at width 1, else the least of both directions.

    The identity that a rotation leaves has the size of that rotation, not of the first. A rotation
    that a rule turns into an equally long word joins the others; it cannot lead round in circles.
    """
    spend(10)
    if not w:
        return normal_.normal(rows, s)
    sorts = s.facts.sorts
    if len(w) == 1 and not w[0][2]:
        found = kronecker.square_trace(w[0], s)
        if found is not None:
            return found
    narrow = [k for k in range(len(w)) if size(sorts, w[k])[0] == 1]
    if len(narrow) > 1:
        start = narrow[0]
        turned = w[start:] + w[:start]
        cuts = [k - start for k in narrow] + [len(w)]
        parts = [turned[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]
        out = constant(1)
        for part in parts:
            out = mul(out, _trace_of_word(part, 1, s))
        return out
    alike = {w}
    waiting = [w]
    while waiting:
        u = waiting.pop()
        for r in (v[k:] + v[:k] for v in ((u, mirror(sorts, u)) if s.rules else (u,))
                  for k in range(len(v))):
            spend(5 * len(r))
            found = words.reduced(r, s)
            if max(map(len, found), default=0) < len(r):
                return traced(found, size(sorts, r[0])[0], s)
            share = _own(found, alike, sorts)
            if share:
                rest = {v: c for v, c in found.items() if len(v) < len(r)}
                return scale(traced(rest, size(sorts, r[0])[0], s), 1 / (1 - share))
            other = r if len(found) > 1 else next(iter(found))
            if found.get(other) == constant(1) and other not in alike and len(alike) < MOST_ALIKE:
                alike.add(other)
                waiting.append(other)
    if narrow:
        alike = {w[narrow[0]:] + w[:narrow[0]]}
    return atom(("tr", min((v for u in alike for v in (u, mirror(sorts, u))), key=key)))


def _own(found: words.Words, alike: set, sorts: dict) -> Fraction:
    """How much of a trace comes back in its own reduced form, as in x'A'Px = -x'PAx - x'Qx: the
    number c of tr(w) = c tr(w) + shorter ones; 0 where other long words stand there, or for c = 1.
    """
    longest = max(map(len, found))
    total_ = Fraction(0)
    for v, c in found.items():
        if len(v) < longest:
            continue
        turns = {t[k:] + t[:k] for t in (v, mirror(sorts, v)) for k in range(len(t))}
        if turns.isdisjoint(alike) or set(c) != {ONE}:
            return Fraction(0)
        total_ += Fraction(c[ONE])
    return total_ if total_ != 1 else Fraction(0)


def opened(p: Poly, s: Scope) -> Poly:
    """The same number with traces, to whole powers, written as sums of entries over an index."""
    out: Poly = {}
    for m, c in p.items():
        found = [(a, e) for a, e in m if a[0] == "tr" and e > 0 and Fraction(e).denominator == 1]
        part = {m - set(found): c}
        for a, e in found:
            for _ in range(int(e)):
                part = mul(part, _sum_of_entries(a[1], s))
        out = add(out, part)
    return out


def _sum_of_entries(w: Word, s: Scope) -> Poly:
    name = sums.fresh()
    high = normal_.normal(size(s.facts.sorts, w[0])[0], s)
    body = entry(w, atom(name), atom(name), s)
    return sums.summed(body, name, constant(1), high, s.facts)


def entry_of(t: tuple, s: Scope) -> Poly:
    """An entry of a matrix term: products become sums over the inner index."""
    if explicit.known(t[1], s) and isinstance(t[2], int) and isinstance(t[3], int):
        return explicit.entries(t[1], s)[t[2] - 1][t[3] - 1]
    i, j = normal_.normal(t[2], s), normal_.normal(t[3], s)
    return total([mul(c, entry(w, i, j, s)) for w, c in words.matrix(t[1], s).items()])


def entry(w: Word, i: Poly, j: Poly, s: Scope) -> Poly:
    """The (i, j) entry of a word."""
    if not w:
        return functions.function("delta", [i, j], s.facts)
    if matrix_sums.lone(w):
        return matrix_sums.number(w, lambda v: entry(v, i, j, s), s)
    if len(w) > 1:
        name = sums.fresh()
        high = normal_.normal(size(s.facts.sorts, w[0])[1], s)
        body = mul(entry(w[:1], i, atom(name), s), entry(w[1:], atom(name), j, s))
        return sums.summed(body, name, constant(1), high, s.facts)
    base, turned, inverse = w[0]
    if base[0] in ("k", "v"):
        raise Undecided("an entry of a Kronecker product")
    if turned:
        i, j = j, i
    if "symmetric" in flags(s.facts.sorts, base) and key(freeze(j)) < key(freeze(i)):
        i, j = j, i
    return atom(("en", base, inverse, freeze(i), freeze(j)))


def rebuilt(a: Atom, values: dict, facts: entail.Facts) -> Poly:
    """A trace, determinant or entry with base atoms replaced in its indices and coefficients."""
    s = normal_.Scope(facts, facts.sorts, {}, True)
    if a[0] == "tr":
        word = tuple((_moved(x[0], values, facts), *x[1:]) for x in a[1])
        return _trace_of_word(word, size(facts.sorts, word[0])[0], s)
    if a[0] == "en":
        i, j = (rebuild.subst(thaw(f), values, facts) for f in a[3:])
        return entry(((_moved(a[1], values, facts), False, a[2]),), i, j, s)
    if a[0] == "W":
        return matrix_sums.rebuilt(a, lambda base: _moved(base, values, facts))
    raise Undecided("a substitution into a determinant")


def _moved(base: Atom, values: dict, facts: entail.Facts) -> Atom:
    if base[0] != "m":
        raise Undecided("a substitution into the inverse of a composite")
    return (*base[:2], *(freeze(rebuild.subst(thaw(f), values, facts)) for f in base[2:]))
