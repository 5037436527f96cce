"""Exact normal form of matrix expressions of symbolic size: maps from words to scalar sums.

The empty word is the identity. Words cancel X with its inverse, obey symmetric and orthogonal
flags, and the inverse N of a composite P obeys N P = P N = 1 as rules (the greatest word of P
goes). Subwords of shape 1 x 1 become scalars. A nonzero form means "not shown", never "false".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import symbolic.kernel.completion as completion
import symbolic.kernel.inverses as inverses
import symbolic.kernel.kronecker as kronecker
import symbolic.kernel.matrix_sums as matrix_sums
import symbolic.kernel.traces as traces
from symbolic.kernel import explicit
from symbolic.kernel import normal as normal_
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.letters import Letter, Word, flags, flip_letter, size
from symbolic.kernel.polynomial import (
    Atom,
    Poly,
    add,
    constant,
    freeze,
    key,
    mul,
    scale,
)
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Term
from symbolic.kernel.zero import vanishes

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope

Words = dict[Word, Poly]
MOST_PRODUCTS, MOST_WORDS, LONGEST = 24, 24, 48


def scalar(term: Term, s: Scope) -> Poly:
    """A 1 x 1 matrix expression as a number."""
    if shape(term, s.sorts) != (1, 1):
        raise Undecided("a matrix where a number is needed")
    if explicit.known(term, s):
        return explicit.entries(term, s)[0][0]
    return traces.traced(matrix(term, s), 1, s)


def equal(left: Term, right: Term, s: Scope, rounds: int = 2) -> bool:
    """Whether two matrix terms of one shape have the same normal form.

    A difference that does not vanish is multiplied by the composites whose inverses occur in it
    (they are invertible wherever the statement is defined) and looked at again; then under the
    rules that follow from what those inverses satisfy.
    """
    if explicit.known(left, s) and explicit.known(right, s):
        left, right = (("zeros", *shape(b, s.sorts)) if a == 0 else a
                       for a, b in ((left, right), (right, left)))
        rows = zip(explicit.entries(left, s), explicit.entries(right, s), strict=True)
        return all(vanishes(add(a, scale(b, -1)))
                   for r, q in rows for a, b in zip(r, q, strict=True))
    gap = difference(left, right, s)
    if gone(gap) or any(gone(g) for g in _cancelled(gap, s)):
        return True
    more = completion.strengthened(gap, s) if rounds else s
    if more is not s and equal(left, right, more, rounds - 1):
        return True
    return bool(s.rules) and rounds == 2 and equal(left, right, s.without_rules(), 1)


def difference(left: Term, right: Term, s: Scope) -> Words:
    """left - right as a word form."""
    return plus(matrix(left, s), {w: scale(p, -1) for w, p in matrix(right, s).items()})


def gone(gap: Words) -> bool:
    """Whether every coefficient vanishes."""
    return all(vanishes(p) for p in gap.values())


def _cancelled(gap: Words, s: Scope) -> Iterator[Words]:
    """The difference times what stands inverted at its left or right edge, again and again.

    What stands inverted in a defined term is invertible, so a product that vanishes shows that the
    difference does.
    """
    frontier, seen = [gap], 0
    while frontier and seen < MOST_PRODUCTS:
        gap = frontier.pop(0)
        for place in (0, -1):
            edges = {w[place] for w in gap if w}
            for x in sorted((x for x in edges if inverses.invertible(x, s)), key=key):
                seen += 1
                out = _without_edge(gap, x, place, s)
                yield out
                if len(out) <= MOST_WORDS:
                    frontier.append(out)


def _without_edge(gap: Words, x: Letter, place: int, s: Scope) -> Words:
    """The difference times the inverse of a letter, on its left (place 0) or right (-1)."""
    factor = inverses.letter_inverse(x, s)
    out: Words = {}
    for w, c in gap.items():
        if w and w[place] == x:
            part = reduced(w[1:] if place == 0 else w[:-1], s)
        else:
            part = times(factor, {w: constant(1)}, s) if place == 0 else \
                times({w: constant(1)}, factor, s)
        gather(out, part, c)
    return out


def matrix(t: Term, s: Scope) -> Words:
    """The word form of a matrix-shaped term."""
    spend(5)
    if isinstance(t, str) or isinstance(t, tuple) and t[0] == "at":
        return _letter(t, s)
    if not isinstance(t, tuple):
        if t == 0:
            return {}
        raise Undecided("a number where a matrix is needed")
    head = t[0]
    if head == "+":
        out: Words = {}
        for a in t[1:]:
            out = plus(out, matrix(a, s))
        return out
    if head in ("*", "/"):
        return _product(t, s)
    if head in _RULES:
        return _RULES[head](t, s)
    raise Undecided(f"no word form of {head!r} of symbolic size")


def _letter(t: Term, s: Scope) -> Words:
    if isinstance(t, str):
        base: Atom = ("m", t)
    else:
        base = ("m", t[1], *(freeze(normal_.normal(a, s)) for a in t[2:]))
    sort = s.sorts.get(base[1])
    inner = sort[1] if sort and sort[0] == "family" else sort
    if not inner or inner[0] != "matrix":
        raise Undecided(f"{base[1]} is no matrix")
    return reduced(((base, False, False),), s)


def _product(t: tuple, s: Scope) -> Words:
    """Scalars multiply coefficients, 1 x 1 factors are scalars where shapes need it."""
    if t[0] == "/":
        below = normal_.normal(("/", 1, t[2]), s)
        return {w: mul(p, below) for w, p in matrix(t[1], s).items()}
    front: Poly = constant(1)
    out, width = None, None
    for a in t[1:]:
        found = shape(a, s.sorts)
        if found is None or (found == (1, 1) and width not in (None, 1)):
            front = mul(front, normal_.normal(a, s))
        elif out is not None and width != found[0]:
            if width != 1:
                raise Undecided("a product of unlike shapes")
            front = mul(front, traces.traced(out, 1, s))
            out, width = matrix(a, s), found[1]
        else:
            out = matrix(a, s) if out is None else times(out, matrix(a, s), s)
            width = found[1]
    return {w: mul(p, front) for w, p in (out or {}).items()}


def _inverse(t: tuple, s: Scope) -> Words:
    return inverses.inverted(matrix(t[1], s), shape(t[1], s.sorts)[0], s)


def _whole_power(t: tuple, s: Scope) -> Words:
    if not isinstance(t[2], int) or not 0 <= t[2] <= 12:
        raise Undecided("a matrix power beyond 12")
    out: Words = {(): constant(1)}
    for _ in range(t[2]):
        out = times(out, matrix(t[1], s), s)
    return out


_RULES = {
    "-": lambda t, s: {w: scale(p, -1) for w, p in matrix(t[1], s).items()},
    "T": lambda t, s: transposed(matrix(t[1], s), s),
    "inv": _inverse, "^": _whole_power,
    "eye": lambda t, s: {(): constant(1)}, "zeros": lambda t, s: {},
    "sum": lambda t, s: matrix_sums.sum_of(t, s),
    "kron": lambda t, s: kronecker.kronecker_of(t, s), "vec": lambda t, s: kronecker.vec_of(t, s),
}


def plus(p: Words, q: Words) -> Words:
    """p + q."""
    out = dict(p)
    for w, c in q.items():
        c = add(out.get(w, {}), c)
        if c:
            out[w] = c
        else:
            out.pop(w, None)
    return out


def times(p: Words, q: Words, s: Scope) -> Words:
    """p q, every product of words reduced."""
    out: Words = {}
    for u, a in p.items():
        for v, b in q.items():
            spend(10)
            gather(out, reduced(u + v, s), mul(a, b))
    return out


def gather(out: Words, p: Words, c: Poly) -> None:
    """Add c p to a word form that is being built."""
    for w, k in p.items():
        whole = add(out.get(w, {}), mul(c, k))
        if whole:
            out[w] = whole
        else:
            out.pop(w, None)


def transposed(p: Words, s: Scope) -> Words:
    """The transpose."""
    out: Words = {}
    for w, c in p.items():
        back = matrix_sums.turned(w, s) if matrix_sums.lone(w) else \
            reduced(tuple(flip(x, s) for x in reversed(w)), s)
        gather(out, back, c)
    return out


def flip(x: Letter, s: Scope) -> Letter:
    """The transpose of a letter."""
    return flip_letter(s.facts.sorts, x)


def reduced(w: Word, s: Scope) -> Words:
    """A word after cancelling, applying the rules of its composites, and splitting at width 1."""
    w = _cancel(w, s)
    if len(w) > LONGEST:
        raise Undecided(f"a product of more than {LONGEST} matrices")
    for pattern, value in _rules_for(w, s):
        spend(len(w))
        place = find(pattern, w)
        if place is not None:
            spend(20)
            out: Words = {}
            for v, c in value.items():
                gather(out, reduced(w[:place] + v + w[place + len(pattern):], s), c)
            return out
    if any(x[0][0] in ("k", "v") for x in w):
        together = kronecker.merged(w, s)
        if together is not None:
            return together
    if len(w) > 1 and any(x[0][0] == "s" for x in w):
        return matrix_sums.swallowed(w, s)
    split = _split(w, s)
    return {w: constant(1)} if split is None else split


def _rules_for(w: Word, s: Scope) -> Iterator[tuple[Word, Words]]:
    """The rules of the scope, then those of the composites in the word."""
    yield from s.rules
    for x in dict.fromkeys(x for x in w if x[0][0] == "c"):
        yield from inverses.inverse_rules(x, s)


def _cancel(w: Word, s: Scope) -> Word:
    out: list[Letter] = []
    for x in w:
        if "orthogonal" in flags(s.facts.sorts, x[0]) and x[1]:
            x = (x[0], False, not x[2])  # the transpose of an orthogonal letter is its inverse
        if out and out[-1][:2] == x[:2] and out[-1][2] != x[2]:
            out.pop()
        else:
            out.append(x)
    return tuple(out)


def _split(w: Word, s: Scope) -> Words | None:
    """Scalars cut out of a word between places of width 1, its ends included."""
    sorts = s.facts.sorts
    cuts = [k for k in range(len(w)) if size(sorts, w[k])[0] == 1]
    if w and size(sorts, w[-1])[1] == 1:
        cuts.append(len(w))
    if len(cuts) < 2 or cuts == [0, len(w)]:
        return None
    a, b = (cuts[1], cuts[2]) if cuts[0] == 0 and cuts[-1] == len(w) else cuts[:2]
    front = traces.traced({w[a:b]: constant(1)}, 1, s)
    rest = reduced(w[:a] + w[b:], s)
    return {v: mul(front, c) for v, c in rest.items()}


def find(pattern: Word, w: Word) -> int | None:
    """Where the pattern first occurs in the word."""
    for k in range(len(w) - len(pattern) + 1):
        if w[k:k + len(pattern)] == pattern:
            return k
    return None
