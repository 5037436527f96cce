"""Inverses of word forms: letter by letter, by Sherman and Morrison, or as a letter of their own.

The inverse N of a composite P is a letter ("c", P) that obeys N P = P N = 1.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import symbolic.kernel.definiteness as definiteness
import symbolic.kernel.facts as facts_
import symbolic.kernel.kronecker as kronecker
import symbolic.kernel.traces as traces
import symbolic.kernel.words as words
from symbolic.kernel import atoms
from symbolic.kernel.budget import Undecided
from symbolic.kernel.letters import Letter, Word, flags, rank, size
from symbolic.kernel.polynomial import add, constant, content, freeze, key, mul, scale, thaw
from symbolic.kernel.term import Term
from symbolic.kernel.zero import vanishes

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope


def inverse_rules(x: Letter, s: Scope) -> list[tuple[Word, words.Words]]:
    """N P = 1 and P N = 1, each read as a rule for the greatest word of P."""
    memo, question = s.facts.memo, ("rules", x)
    if question not in memo:
        memo[question] = _rules_of(x, s)
    return memo[question]


def _rules_of(x: Letter, s: Scope) -> list[tuple[Word, words.Words]]:
    p = composite(x, s)
    greatest = max(p, key=rank)
    c = p[greatest]
    if not greatest or len(c) != 1 or not facts_.nonzero(s.facts, c):
        return []
    below = atoms.inverse(c, s.facts)
    out = []
    for before, after in (((x,), ()), ((), (x,))):
        value: words.Words = {(): below}
        for w, q in p.items():
            if w != greatest:
                value = words.plus(value, {before + w + after: scale(mul(q, below), -1)})
        out.append((before + greatest + after, value))
    return out


def inverted(p: words.Words, rows: Term, s: Scope) -> words.Words:
    """The inverse of a square word form: of a word letter by letter, else a composite letter."""
    p = {w: c for w, c in p.items() if not vanishes(c)}
    if not p:
        raise Undecided("the inverse of zero")
    if len(p) == 1:
        (w, c), = p.items()
        if len(w) == 1 and _square_factors(w[0]):
            below = atoms.inverse(c, s.facts)
            return {v: mul(below, k) for v, k in kronecker.back(w[0], s).items()}
        if all(len(set(size(s.facts.sorts, x))) == 1 and x[0][0] not in ("s", "k") for x in w):
            back = tuple((x[0], x[1], not x[2]) for x in reversed(w))
            below = atoms.inverse(c, s.facts)
            if any(x[0][0] == "c" for x in w):
                out: words.Words = {(): below}
                for x in reversed(w):
                    out = words.times(out, letter_inverse(x, s), s)
                return out
            return {v: mul(below, k) for v, k in words.reduced(back, s).items()}
    outer = _without_outer_product(p, rows, s)
    if outer is not None:
        return outer
    front, p = _normalised(p)
    return {w: scale(c, front) for w, c in _named(p, rows, s).items()}


def _square_factors(x: Letter) -> bool:
    """Whether the letter is a Kronecker product of square factors: it is inverted by them."""
    return x[0][0] == "k" and not x[2] and x[0][3] == x[0][4] and x[0][5] == x[0][6]


def _without_outer_product(p: words.Words, rows: Term, s: Scope) -> words.Words | None:
    """Sherman and Morrison: (P + c u v^T)^-1 = N - N u v^T N / (1/c + v^T N u) with N = P^-1.

    P must be shown invertible; the divisor is then nonzero where the whole is invertible.
    """
    for w in sorted(p, key=key):
        c = p[w]
        cut = next((k for k in range(1, len(w)) if size(s.facts.sorts, w[k])[0] == 1), None)
        rest = {v: q for v, q in p.items() if v != w}
        if cut is None or rows == 1 or not facts_.nonzero(s.facts, c) or not _surely(rest, s):
            continue
        u, v = ({w[:cut]: constant(1)}, {w[cut:]: constant(1)})
        n = inverted(rest, rows, s)
        nu, vn = words.times(n, u, s), words.times(v, n, s)
        below = add(atoms.inverse(c, s.facts), traces.traced(words.times(v, nu, s), 1, s))
        taken = mul(constant(-1), atoms.inverse(below, s.facts))
        return words.plus(n, {x: mul(q, taken) for x, q in words.times(nu, vn, s).items()})
    return None


def _surely(p: words.Words, s: Scope) -> bool:
    """Whether a form is invertible: one word of invertible letters, or positive definite."""
    if len(p) != 1:
        return bool(p) and words.transposed(p, s) == p and definiteness.definite(p, s)
    (w, c), = p.items()
    return facts_.nonzero(s.facts, c) and all(invertible(x, s) for x in w)


def invertible(x: Letter, s: Scope) -> bool:
    """Whether the letter is an inverse, or declared to have one."""
    return len(set(size(s.facts.sorts, x))) == 1 and (x[2] or x[0][0] == "c" or bool(flags(
        s.facts.sorts, x[0]) & {"pd", "invertible", "orthogonal"}))


def letter_inverse(x: Letter, s: Scope) -> words.Words:
    """The inverse of one letter as a word form."""
    return composite(x, s) if x[0][0] == "c" else {((x[0], x[1], not x[2]),): constant(1)}


def _normalised(p: words.Words) -> tuple[Fraction, words.Words]:
    """The composite without a rational factor: (1/factor, composite)."""
    greatest = max(p, key=rank)
    c, _ = content(p[greatest])
    c = c if min(p[greatest].items(), key=lambda item: key(item[0]))[1] > 0 else -c
    return 1 / c, {w: scale(q, 1 / c) for w, q in p.items()}


def _named(p: words.Words, rows: Term, s: Scope) -> words.Words:
    frozen = frozenset((w, freeze(c)) for w, c in p.items())
    other = words.transposed(p, s)
    turned = frozenset((w, freeze(c)) for w, c in other.items())
    if frozen == turned:
        known = ("symmetric", "pd") if definiteness.definite(p, s) else ("symmetric",)
        return {((("c", frozen, rows, known), False, False),): constant(1)}
    least = min(frozen, turned, key=key)
    return {((("c", least, rows, ()), least != frozen, False),): constant(1)}


def composite(x: Letter, s: Scope) -> words.Words:
    """The composite whose inverse the letter is."""
    p = {w: thaw(c) for w, c in x[0][1]}
    return words.transposed(p, replace(s, rules=())) if x[1] else p  # rules may hold the letter
