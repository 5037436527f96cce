"""Sums of weight * M^T X M with X semidefinite: which X there are, and which Gram weights fit.

Middles X are the semidefinite letters of a statement, their inverses, composite inverses, the psd
facts and the identity. A block holds the products of the factors M of one middle, each flattened
to coefficients: of words for matrices, of traces for numbers.
"""

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from symbolic.kernel import words
from symbolic.kernel.letters import flags, size
from symbolic.kernel.polynomial import constant, key, thaw
from symbolic.kernel.shape import shape
from symbolic.search import clock, gram
from symbolic.search.arithmetic import plus
from symbolic.search.blocks import Problem
from symbolic.search.linear import vertex
from symbolic.search.terms import words_term

MOST_HALVES, MOST_WORDS = 14, 40


@dataclass(frozen=True)
class Block:
    """Sums of h_i^T X h_j with Gram weights: `forms` holds the word forms of the products.

    The fields are those that the search of squares reads (search/blocks.py); a basis element is a
    combination of the `factors`, keyed by their places. `factors` are word forms; a number that is
    known to be nonnegative has the one factor None.
    """

    indices: tuple
    basis: tuple
    factors: tuple
    forms: dict
    margin: bool = False

    @cached_property
    def entries(self):
        """(i, j, both products of the basis elements i <= j)."""
        return tuple((i, j, self._entry(i, j)) for j in range(len(self.basis))
                     for i in range(j + 1))

    def _entry(self, i, j):
        out = {}
        for a, x in self.basis[i].items():
            for b, y in self.basis[j].items():
                out = plus(out, self.forms[a, b], x * y)
                if i != j:
                    out = plus(out, self.forms[b, a], x * y)
        return out


def block(place, middle, factors, scope, flat):
    """The block of one middle, with the factors that fit it and keep the products short; `flat`
    makes coefficients of a product, a word form. None where no factor fits."""
    source, form_, n = middle
    kept, forms = [], {}
    for factor, height in factors:
        if height != n or len(kept) >= MOST_HALVES or clock.left() <= 0:
            continue
        right = words.times(form_, factor, scope)
        rows = {}
        for k, other in enumerate([*kept, factor]):
            whole = words.times(words.transposed(other, scope), right, scope)
            if len(whole) > MOST_WORDS:
                break
            rows[k, len(kept)] = flat(whole)
            rows[len(kept), k] = flat(words.transposed(whole, scope))
        else:
            kept.append(factor)
            forms |= rows
    if not kept:
        return None
    basis = tuple({k: Fraction(1)} for k in range(len(kept)))
    return Block((place,), basis, tuple(kept), forms)


def by_weights(blocks, target, free=()):
    """[(block, root, weight)] and free multiples, every factor alone, by a linear program; None."""
    places = [(b, k) for b in blocks for k in range(len(b.factors))]
    found = vertex([b.forms[k, k] for b, k in places], free, target, seconds=clock.left(3.0))
    if found is None:
        return None
    return [(*_alone(places[j]), x) for j, x in found[0].items() if x], found[1]


def _alone(place):
    return place[0], {place[1]: Fraction(1)}


def by_squares(blocks, target, free=(), seconds=6.0):
    """[(block, root, weight)] and free multiples: Gram matrices over the factors of each middle,
    by a semidefinite program made exact; None where there are none."""
    blocks = [replace(b, basis=_independent(b)) for b in blocks]
    columns = tuple((k, frozenset(), column) for k, column in enumerate(free))
    found = gram.solved(Problem(target, tuple(blocks), columns),
                        time.monotonic() + clock.left(seconds), lambda squares: True)
    if found is None:
        return None
    of = {b.indices: b for b in blocks}
    return ([(of[place], root, x) for x, place, root in found[0] if x],
            {k: x for k, p in enumerate(found[1]) for x in p.values()})


def _independent(block):
    """The basis without factors that are combinations of those before them."""
    kept, rows = [], []
    if block.factors[0] is None:
        return block.basis
    for element in block.basis:
        (k, _), = element.items()
        rest = flat_words(block.factors[k])
        for pivot, row in rows:
            if rest.get(pivot):
                rest = plus(rest, row, -rest[pivot])
        if rest:
            pivot, c = next(iter(rest.items()))
            rows.append((pivot, {key_: x / c for key_, x in rest.items()}))
            kept.append(element)
    return tuple(kept)


def factor_of(block, root):
    """The word form that a root of a block stands for."""
    total = {}
    for k, c in root.items():
        total = words.plus(total, {w: {m: c * x for m, x in p.items()}
                                   for w, p in block.factors[k].items()})
    return total


def flat_words(p):
    """The coefficients of a word form, by word and monomial."""
    return {(w, m): Fraction(c) for w, q in p.items() for m, c in q.items()}


def middles(problem, gap, scope):
    """(source, word form, size) of what is known to be positive semidefinite."""
    for place, fact in enumerate(problem.given):
        if fact[0] == "psd":
            side = next(t for t in fact[1:] if t != 0)
            p = words.matrix(fact[1], scope)
            p = words.plus(p, {w: {m: -c for m, c in q.items()}
                               for w, q in words.matrix(fact[2], scope).items()})
            yield {"fact": place}, p, shape(side, scope.sorts)[0]
    seen = set()
    for x in sorted(letters(problem, gap), key=key):
        n = size(scope.facts.sorts, x)[0]
        for m in size(scope.facts.sorts, x):
            if m not in seen:
                seen.add(m)
                yield {"middle": ("eye", m)}, {(): constant(1)}, m
        if flags(scope.facts.sorts, x[0]) & {"psd", "pd"}:
            sides = [False, True] if "pd" in flags(scope.facts.sorts, x[0]) else [False]
            for inverse in sides:
                p = _inverse_of(x, scope) if inverse else {(x,): constant(1)}
                yield {"middle": words_term(p, n)}, p, n


def _inverse_of(x, scope):
    if x[0][0] == "c":
        return {w: thaw(c) for w, c in x[0][1]}
    return {((x[0], x[1], True),): constant(1)}


def letters(problem, gap):
    """The letters of the gap, of the facts and of the composites in them, each upright."""
    scope, out = problem.scope.without_rules(), set()
    forms = [gap]
    for fact in problem.given:
        if fact[0] in ("psd", "=") and shape(fact[1], scope.sorts) not in (None, (1, 1)):
            forms += [words.matrix(t, scope) for t in fact[1:]]
    while forms:
        p = forms.pop()
        for x in {x for w in p for x in w}:
            if x[0][0] == "c" and (x[0], False, False) not in out:
                forms.append({w: thaw(c) for w, c in x[0][1]})
            out.add((x[0], False, False))
    return out


def middle_term(source, problem):
    """The term of a middle: as it stands, or left - right of its fact."""
    if "fact" not in source:
        return source["middle"]
    _, left, right = problem.given[source["fact"]]
    return left if right == 0 else ("+", left, ("-", right))
