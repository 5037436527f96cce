"""Sums over an index whose terms are matrices: one letter ("s", closed sum, rows, columns).

The closed sum is that of `sums`, its monomial holding the summed word as an atom ("W", word). A
word swallows its sums whole: A (sum_u c_u X_u) B is sum_u c_u A X_u B, products become double sums;
so a letter of this kind stands alone in its word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import symbolic.kernel.facts as facts_
import symbolic.kernel.normal as normal_
import symbolic.kernel.sums as sums
import symbolic.kernel.words as words
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.letters import Letter, Word, mirror, semidefinite, size
from symbolic.kernel.polynomial import Atom, Mono, Poly, add, atom, constant, mul, subtract, thaw
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Term

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope

INFINITE = (("oo",), ("-", ("oo",)))


def sum_of(t: tuple, s: Scope) -> words.Words:
    """The word form of a sum of matrices."""
    if t[3] in INFINITE or t[4] in INFINITE:
        raise Undecided("an infinite sum")
    rows, cols = shape(t, s.sorts)
    low, high = normal_.normal(t[3], s), normal_.normal(t[4], s)
    inner, name = s.bind(t[2])
    inner = inner.under([subtract(atom(name), low), subtract(high, atom(name))])
    body = _poly(words.matrix(t[1], inner), rows, cols)
    return _form(sums.summed(body, name, low, high, s.facts), s)


def lone(w: Word) -> bool:
    """Whether the word is one sum."""
    return len(w) == 1 and w[0][0][0] == "s" and w[0][1:] == (False, False)


def swallowed(w: Word, s: Scope) -> words.Words:
    """A word with sums in it as one sum."""
    names, constraints, front, inner = (), frozenset(), constant(1), ()
    for x in w:
        if x[0][0] != "s":
            inner += (x,)
            continue
        more, bounds, rest, word = opened(x, s)
        names, constraints = names + more, constraints | bounds
        front, inner = mul(front, rest), inner + word
    rows, cols = size(s.facts.sorts, w[0])[0], size(s.facts.sorts, w[-1])[1]
    return _closed(words.reduced(inner, s), front, names, constraints, rows, cols, s)


def turned(w: Word, s: Scope) -> words.Words:
    """The transpose of a lone sum."""
    names, constraints, front, inner = opened(w[0], s)
    cols, rows = size(s.facts.sorts, w[0])
    back = words.reduced(mirror(s.facts.sorts, inner), s)
    return _closed(back, front, names, constraints, rows, cols, s)


def number(w: Word, read: object, s: Scope) -> Poly:
    """The sum of `read(word)`, a number, over the words of a lone sum: its trace, an entry."""
    names, constraints, front, inner = opened(w[0], s)
    return sums.close(mul(front, read(inner)), names, constraints, s.facts)


def opened(x: Letter, s: Scope) -> tuple[tuple, frozenset, Poly, Word]:
    """Fresh names, constraints, coefficient and word of a sum."""
    if x[1] or x[2]:
        raise Undecided("a sum of matrices that is marked as transposed or inverted")
    carrier, names, constraints, front = x[0][1], (), frozenset(), constant(1)
    while carrier[0] == "S":  # a sum that may be empty can stand closed within another
        spend(20)
        more, bounds, body = sums.opened(carrier, s.facts)
        (mono, c), = body.items()
        carrier = _carrier(mono)
        names, constraints = names + more, constraints | bounds
        front = mul(front, {mono - {(carrier, 1)}: c})
    return names, constraints, front, carrier[1]


def nonnegative(w: Word, s: Scope) -> bool:
    """Whether a lone sum is positive semidefinite: weights >= 0, every word u^T P u."""
    _, constraints, front, inner = opened(w[0], s)
    under = s.facts.under(thaw(c) for c in constraints)
    return semidefinite(s.facts.sorts, inner) and facts_.nonnegative(under, front)


def rebuilt(a: Atom, move: object) -> Poly:
    """The atom of a word with the indices of its letters replaced."""
    return atom(("W", tuple((move(x[0]), *x[1:]) for x in a[1]), *a[2:]))


def _closed(form: words.Words, front: Poly, names: tuple, constraints: frozenset, rows: Term,
            cols: Term, s: Scope) -> words.Words:
    body = mul(front, _poly(form, rows, cols))
    return _form(sums.close(body, names, constraints, s.facts), s)


def _poly(form: words.Words, rows: Term, cols: Term) -> Poly:
    """The word form as a polynomial that is linear in atoms of words."""
    out: Poly = {}
    for w, c in form.items():
        out = add(out, mul(c, atom(w[0][0][1] if lone(w) else ("W", w, rows, cols))))
    return out


def _form(p: Poly, s: Scope) -> words.Words:
    """The word form of a polynomial that is linear in atoms of words."""
    out: words.Words = {}
    for m, c in p.items():
        a = _carrier(m)
        rest = {m - {(a, 1)}: c}
        if a[0] == "W":
            words.gather(out, words.reduced(a[1], s), rest)
        else:
            out = words.plus(out, {((("s", a, *_size(a)), False, False),): rest})
    return out


def _carrier(m: Mono) -> Atom:
    """The one atom of a monomial that holds the word."""
    found = [a for a, e in m if e == 1 and (a[0] == "W" or a[0] == "S" and _size(a))]
    if len(found) != 1:
        raise Undecided("a sum of matrices that changes its shape")
    return found[0]


def _size(a: Atom) -> tuple:
    """(rows, columns) of a closed sum of matrices, () for a sum of numbers."""
    inner = [b for b, _ in a[3]]
    if any(b[0] == "W" for b in inner):
        return next(b[2:] for b in inner if b[0] == "W")
    return next((found for b in inner if b[0] == "S" and (found := _size(b))), ())
