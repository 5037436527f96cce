"""Kronecker products and vec (column by column) as letters of words.

A letter ("k", u, v, rows and columns of u, of v) is u (x) v for words u, v; ("v", w, rows, columns)
is vec(w). Beside each other they merge: (u (x) v)(u' (x) v') = uu' (x) vv' where the sizes fit,
(u (x) v) vec(w) = vec(v w u^T), vec(w)^T vec(w') = tr(w^T w').
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import symbolic.kernel.inverses as inverses
import symbolic.kernel.traces as traces
import symbolic.kernel.words as words
from symbolic.kernel.letters import Letter, Word, mirror
from symbolic.kernel.polynomial import constant, mul
from symbolic.kernel.shape import shape, times
from symbolic.kernel.term import Term

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope


def kronecker_of(t: tuple, s: Scope) -> words.Words:
    """The word form of a Kronecker product: linear in both factors."""
    sizes = *shape(t[1], s.sorts), *shape(t[2], s.sorts)
    return _pairs(words.matrix(t[1], s), words.matrix(t[2], s), sizes)


def vec_of(t: tuple, s: Scope) -> words.Words:
    """The word form of vec."""
    return _vec(words.matrix(t[1], s), *shape(t[1], s.sorts))


def _pairs(p: words.Words, q: words.Words, sizes: tuple) -> words.Words:
    out: words.Words = {}
    for u, a in p.items():
        for v, b in q.items():
            out = words.plus(out, {_pair(u, v, *sizes): mul(a, b)})
    return out


def _pair(u: Word, v: Word, m: Term, n: Term, p: Term, q: Term) -> Word:
    """u (x) v, products of three bracketed to the left."""
    if u == v == ():
        return ()
    if len(v) == 1 and v[0][0][0] == "k" and not v[0][2]:
        _, v, last, p, q, r, s = v[0][0]
        return _pair(_pair(u, v, m, n, p, q), last, times(m, p), times(n, q), r, s)
    return ((("k", u, v, m, n, p, q), False, False),)


def _vec(p: words.Words, rows: Term, cols: Term) -> words.Words:
    return {((("v", w, rows, cols), False, False),): c for w, c in p.items()}


def merged(w: Word, s: Scope) -> words.Words | None:
    """The word with its first two letters that merge merged, or None."""
    for k, (x, y) in enumerate(zip(w, w[1:], strict=False)):
        middle = _beside(x, y, s)
        if middle is None:
            continue
        out: words.Words = {}
        for v, c in middle.items():
            words.gather(out, words.reduced(w[:k] + v + w[k + 2:], s), c)
        return out
    return None


def _beside(x: Letter, y: Letter, s: Scope) -> words.Words | None:
    (a, x_turned, x_inverse), (b, y_turned, y_inverse) = x, y
    if x_inverse or y_inverse or a[0] not in ("k", "v") or b[0] not in ("k", "v"):
        return None
    if a[0] == b[0] == "k" and (a[4], a[6]) == (b[3], b[5]):
        return _pairs(words.reduced(a[1] + b[1], s), words.reduced(a[2] + b[2], s),
                      (a[3], b[4], a[5], b[6]))
    if a[0] == "k" and b[0] == "v" and not y_turned and (a[6], a[4]) == b[2:]:
        inner = words.reduced(a[2] + b[1] + mirror(s.facts.sorts, a[1]), s)
        return _vec(inner, a[5], a[3])
    if a[0] == "v" and x_turned and b[0] == "k" and (b[5], b[3]) == a[2:]:
        inner = words.reduced(mirror(s.facts.sorts, b[2]) + a[1] + b[1], s)
        return {tuple((base, True, False) for base, _, _ in w): c
                for w, c in _vec(inner, b[6], b[4]).items()}
    if a[0] == b[0] == "v" and x_turned and not y_turned and a[2:] == b[2:]:
        inner = words.reduced(mirror(s.facts.sorts, a[1]) + b[1], s)
        return {(): traces.traced(inner, a[3], s)}
    return None


def back(x: Letter, s: Scope) -> words.Words:
    """The inverse of u (x) v, square factors, by its factors."""
    _, u, v, m, _, n, _ = x[0]
    one, two = ({w: constant(1)} for w in (u, v))
    return _pairs(inverses.inverted(one, m, s), inverses.inverted(two, n, s), (m, m, n, n))


def square_trace(x: Letter, s: Scope) -> object:
    """tr(u (x) v) = tr(u) tr(v) for square factors; None for another letter."""
    if x[0][0] != "k" or x[0][3] != x[0][4] or x[0][5] != x[0][6]:
        return None
    one, two = ({w: constant(1)} for w in x[0][1:3])
    return mul(traces.traced(one, x[0][3], s), traces.traced(two, x[0][5], s))
