"""Positive definite and semidefinite by the shape of the words, or because a fact says so."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import symbolic.kernel.facts as facts_
import symbolic.kernel.matrix_sums as matrix_sums
from symbolic.kernel.letters import flags, mirror
from symbolic.kernel.polynomial import imaginary, scale

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope
    from symbolic.kernel.words import Words


def definite(p: Words, s: Scope) -> bool:
    """Whether a symmetric composite is positive definite by the shape of its words."""
    return definiteness(p, s) == 2


def _multiple(p: Words, q: Words) -> bool:
    """Whether p is a positive rational times q."""
    if not q or p.keys() != q.keys():
        return False
    w = next(iter(q))
    c = next((Fraction(p[w][m]) / q[w][m] for m in q[w] if m in p[w]), Fraction(0))
    return c > 0 and all(p[w] == scale(q[w], c) for w in q)


def definiteness(p: Words, s: Scope) -> int:
    """2 for positive definite, 1 for positive semidefinite, 0 for neither, by shape of the words.

    Each word must be u^T u or u^T P u with a nonnegative coefficient; one of them, with P definite
    and u invertible, makes the whole definite. What a fact says is semidefinite is.
    """
    if any(_multiple(p, q) for q in s.semidefinite):
        return 1
    if any(imaginary(x[0]) for w in p for x in w):
        return 0  # a transpose is no conjugate transpose
    strict = False
    for w, c in p.items():
        if not facts_.nonnegative(s.facts, c):
            return 0
        if not w:
            strict |= facts_.positive(s.facts, c)
            continue
        if matrix_sums.lone(w):
            if not matrix_sums.nonnegative(w, s):
                return 0
            continue
        if mirror(s.facts.sorts, w) != w:
            return 0
        middle = flags(s.facts.sorts, w[len(w) // 2][0]) if len(w) % 2 else frozenset(["psd"])
        if not middle & {"psd", "pd"}:
            return 0
        invertible = len(w) == 1 or all(
            x[2] or flags(s.facts.sorts, x[0]) & {"invertible", "pd", "orthogonal"} for x in w)
        strict |= invertible and "pd" in middle and facts_.positive(s.facts, c)
    return 2 if strict else 1
