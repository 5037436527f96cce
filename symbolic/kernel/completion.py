"""Equations between matrix words as rewriting rules, with their consequences.

A rule (word, value) says word = value. Two rules that overlap in a word give a further equation
(critical pairs: Knuth and Bendix 1970; in algebras, Bergman 1978). Every rule follows from the
equations it came from, so reducing by rules is sound wherever the completion stops; a nonzero form
under all of them still means "not shown".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

import symbolic.kernel.facts as facts_
import symbolic.kernel.inverses as inverses
import symbolic.kernel.words as words
from symbolic.kernel import atoms
from symbolic.kernel.budget import spend
from symbolic.kernel.letters import Letter, Word, flags, rank
from symbolic.kernel.polynomial import Poly, constant, key, mul, scale, thaw
from symbolic.kernel.zero import vanishes

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope

Rule = tuple[Word, dict]
MOST_RULES, MOST_EQUATIONS, LONGEST, WIDEST = 40, 160, 9, 24


def completed(equations: Iterable[dict], s: Scope, laws: Iterable[Rule] = ()) -> Scope:
    """The scope with rules that make each of these word forms zero, and rules that follow.

    `laws` are rules that words obey anyway; only their consequences are looked for.
    """
    tickets, waiting = count(), []

    def push(gap: dict) -> None:
        if gap and max(map(len, gap)) <= LONGEST and len(gap) <= WIDEST:
            heappush(waiting, (max(map(len, gap)), len(gap), next(tickets), gap))

    for gap in equations:
        push(gap)
        push(words.transposed(gap, s))
    known = s
    for law in laws:
        if law not in known.rules:
            known = replace(known, rules=(*known.rules, law))
            for gap in _consequences(law, known):
                push(gap)
    if not waiting:
        return s
    return _closed(waiting, push, replace(known, facts=replace(s.facts, memo={})))


def _closed(waiting: list, push: Callable[[dict], None], s: Scope) -> Scope:
    for _ in range(MOST_EQUATIONS):
        if not waiting or len(s.rules) >= MOST_RULES:
            break
        rule = _oriented(_again(heappop(waiting)[-1], s), s)
        if rule is None:
            continue
        stale = [r for r in s.rules if words.find(rule[0], r[0]) is not None]
        kept = tuple(r for r in s.rules if r not in stale)
        s = replace(s, rules=(*kept, rule), facts=replace(s.facts, memo={}))
        for gap in (*map(_gap, stale), *_consequences(rule, s)):
            push(gap)
    return s


def strengthened(gap: dict, s: Scope) -> Scope:
    """The scope with the rules of every composite whose inverse occurs in the word form."""
    return _with_inverses(composites(gap), s)


def strengthened_by(gap: Poly, s: Scope) -> Scope:
    """The same for a number: its traces, entries and determinants are of words."""
    found: set[Letter] = set()
    for a in {a for m in gap for a, _ in m}:
        if a[0] == "tr":
            found |= composites({a[1]: {}})
        elif a[0] == "en":
            found |= composites({((a[1], False, False),): {}})
        elif a[0] == "det" and isinstance(a[1], frozenset):
            found |= composites({w: {} for w, _ in a[1]})
    return _with_inverses(found, s)


def _with_inverses(letters: set[Letter], s: Scope) -> Scope:
    both = letters | {words.flip(x, s) for x in letters}
    found = sorted(both, key=key)
    return completed((), s, [r for x in found for r in inverses.inverse_rules(x, s)])


def composites(gap: dict) -> set[Letter]:
    """The inverses of composites in a word form, those within their definitions included."""
    letters = {x for w in gap for x in w if x[0][0] == "c"}
    inner = [composites({w: thaw(p) for w, p in x[0][1]}) for x in letters]
    return {(x[0], False, False) for x in letters}.union(*inner)


def _gap(rule: Rule) -> dict:
    word, value = rule
    return words.plus({word: constant(1)}, {w: scale(p, -1) for w, p in value.items()})


def _again(gap: dict, s: Scope) -> dict:
    """The word form reduced by the rules of the scope."""
    again = words.times(gap, {(): constant(1)}, s)
    return {w: p for w, p in again.items() if not vanishes(p)}


def _oriented(gap: dict, s: Scope) -> Rule | None:
    """The greatest word, its coefficient nonzero, in terms of the others."""
    if not gap:
        return None
    greatest = max(gap, key=rank)
    c = gap[greatest]
    if not greatest or len(c) != 1 or not facts_.nonzero(s.facts, c):
        return None
    below = atoms.inverse(scale(c, -1), s.facts)
    return greatest, {w: mul(p, below) for w, p in gap.items() if w != greatest}


def _consequences(rule: Rule, s: Scope) -> Iterator[dict]:
    """The equations that a rule gives with an inverse beside it, and where it meets each rule."""
    word, _ = rule
    for x, place in ((word[0], 0), (word[-1], 1)):
        if x[0][0] == "m" and flags(s.facts.sorts, x[0]) & {"invertible", "pd", "orthogonal"}:
            back = {((x[0], x[1], not x[2]),): constant(1)}
            sides = (back, _gap(rule)) if place == 0 else (_gap(rule), back)
            yield words.times(*sides, s)
    for other in s.rules:
        yield from _overlaps(rule, other, s)
        if other != rule:
            yield from _overlaps(other, rule, s)


def _overlaps(one: Rule, two: Rule, s: Scope) -> Iterator[dict]:
    """one's word ends where two's begins: both ways to rewrite the joined word agree."""
    (u, p), (v, q) = one, two
    for k in range(1, min(len(u), len(v))):
        spend(5)
        if u[-k:] == v[:k] and len(u) + len(v) - k <= LONGEST:
            left = words.times(p, {v[k:]: constant(1)}, s)
            right = words.times({u[:-k]: constant(1)}, q, s)
            yield words.plus(left, {w: scale(c, -1) for w, c in right.items()})

