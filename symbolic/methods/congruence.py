"""Positive semidefinite by congruences: the gap as a sum of weight * M^T X M.

Middles X are the semidefinite letters of the statement, their inverses, composite inverses, the
psd facts and the identity. Factors M are letters and pieces of the gap's words, the gap itself (for
Schur complements, where gap = gap X gap + ...) and the gap with a letter taken off its edge, or
sums of these: Gram matrices over the free algebra.
"""

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from symbolic.kernel import completion, inverses, words
from symbolic.kernel import facts as facts_
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.letters import flags, mirror, size
from symbolic.kernel.polynomial import constant, freeze, key, mul, thaw
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import Refuse
from symbolic.kernel.rules.vector import form
from symbolic.kernel.semidefinite import semidefinite
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Malformed
from symbolic.search import clock, gram
from symbolic.search.arithmetic import plus
from symbolic.search.blocks import Problem
from symbolic.search.linear import vertex
from symbolic.search.terms import NoTerm, number, term_of, words_term

MOST_FACTORS, MOST_HALVES, MOST_WORDS, MOST_SCALES = 40, 14, 40, 2


def find(statement):
    """Certificates of the rule congruence."""
    if statement.relation != "psd":
        return
    try:
        with limited(1_500_000):
            problem = prepare(statement)
            gap, rows = form(problem)
            if semidefinite(gap, problem.scope):
                yield "congruence", {"parts": [{"middle": gap, "factor": ("eye", rows)}]}
            found = _found(problem, words.matrix(gap, problem.scope), rows)
    except (Undecided, Malformed, Refuse, NoTerm):
        return
    if found is not None:
        yield "congruence", {"parts": found}


def _found(problem, gap, rows):
    """Parts whose weighted sum is the gap: single factors first, then sums of factors; or None."""
    if not gap:
        return []
    scope = completion.strengthened(gap, problem.scope)
    gap = words.times(gap, {(): constant(1)}, scope)
    known = list(middles(problem, gap, scope))
    factors = _factors(gap, [m for _, m, _ in known], _letters(problem, gap), rows, scope)
    known = [({**source, "scale": unit}, words.times({(): x}, m, scope), n)
             for x, unit in _scales(gap, known, scope) for source, m, n in known]
    blocks = [b for k, m in enumerate(known) if (b := _block(k, m, factors, scope)) is not None]
    target = _flat(gap)
    return _by_weights(blocks, target, known) or _by_squares(blocks, target, known)


def _scales(gap, known, scope):
    """(polynomial, term) of what a weight may be a multiple of: 1, nonnegative monomials of the
    coefficients, facts about their symbols and the products of two of these."""
    coefficients = [q for p in (gap, *(p for _, p, _ in known)) for q in p.values()]
    found = sorted({m for q in coefficients for m in q if m}, key=key)
    symbols = {a for m in found for a, _ in m}
    kept = [{m: 1} for m in found if facts_.nonnegative(scope.facts, {m: 1})][:MOST_SCALES]
    facts = [thaw(f) for f, kind in scope.facts.plain if kind in (">=", ">")]
    facts = [p for p in facts if any(p) and {a for m in p for a, _ in m} <= symbols][:MOST_SCALES]
    out = [({frozenset(): 1}, 1)] + [(p, term_of(p)) for p in kept]
    out += [(p, term_of(p)) for p in facts if p not in kept]
    return out + [(mul(p, q), ("*", term_of(p), term_of(q)))
                  for k, p in enumerate(facts) for q in facts[k + 1:]]


@dataclass(frozen=True)
class Block:
    """Sums of h_i^T X h_j with Gram weights: `forms` holds the word forms of the products.

    The fields are those that the search of squares reads (search/blocks.py); a basis element is a
    combination of the `factors`, keyed by their places.
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


def _block(place, middle, factors, scope):
    """The block of one middle, with the factors that fit it and keep the products short."""
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
            rows[k, len(kept)] = _flat(whole)
            rows[len(kept), k] = _flat(words.transposed(whole, scope))
        else:
            kept.append(factor)
            forms |= rows
    if not kept:
        return None
    basis = tuple({k: Fraction(1)} for k in range(len(kept)))
    return Block((place,), basis, tuple(kept), forms)


def _by_weights(blocks, target, middles):
    """Every factor alone, weights by a linear program."""
    places = [(b, k) for b in blocks for k in range(len(b.factors))]
    found = vertex([b.forms[k, k] for b, k in places], [], target, seconds=clock.left(3.0))
    if found is None:
        return None
    return [_part(places[j][0], {places[j][1]: Fraction(1)}, x, middles)
            for j, x in found[0].items() if x]


def _by_squares(blocks, target, middles):
    """Gram matrices over the factors of each middle, by a semidefinite program made exact."""
    blocks = [replace(b, basis=_independent(b)) for b in blocks]
    found = gram.solved(Problem(target, tuple(blocks)), time.monotonic() + clock.left(6.0),
                        lambda squares: True)
    if found is None:
        return None
    of = {b.indices: b for b in blocks}
    return [part for x, place, root in found[0]
            if x and (part := _part(of[place], root, x, middles)) is not None]


def _independent(block):
    """The basis without factors that are combinations of those before them."""
    kept, rows = [], []
    for element in block.basis:
        (k, _), = element.items()
        rest = _flat(block.factors[k])
        for pivot, row in rows:
            if rest.get(pivot):
                rest = plus(rest, row, -rest[pivot])
        if rest:
            pivot, c = next(iter(rest.items()))
            rows.append((pivot, {key_: x / c for key_, x in rest.items()}))
            kept.append(element)
    return tuple(kept)


def _part(block, root, weight, known):
    source, _, n = known[block.indices[0]]
    total = {}
    for k, c in root.items():
        total = words.plus(total, {w: {m: c * x for m, x in p.items()}
                                   for w, p in block.factors[k].items()})
    if not total:
        return None
    return {**{k: v for k, v in source.items() if k != "scale"}, "factor": words_term(total, n),
            "weight": number(weight) if source["scale"] == 1 else (
                "*", number(weight), source["scale"])}


def _flat(p):
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
    for x in sorted(_letters(problem, gap), key=key):
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


def _letters(problem, gap):
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


def _factors(gap, middles, letters, rows, scope):
    """(word form, its number of rows) of the factors to try, the simple ones first."""
    sorts = scope.facts.sorts
    found = {frozenset({((), freeze(constant(1)))}): ({(): constant(1)}, rows)}

    def put(p, n):
        if p and len(p) <= 8:
            found.setdefault(frozenset((w, freeze(c)) for w, c in p.items()), (p, n))

    for x in sorted({x for w in gap for x in w}, key=key):
        for y in (x, mirror(sorts, (x,))[0]):
            if size(sorts, y)[1] == rows:
                put({(y,): constant(1)}, size(sorts, y)[0])
    for x in sorted(letters, key=key):
        for y in (x, mirror(sorts, (x,))[0]):
            if size(sorts, y)[0] != size(sorts, y)[1] == rows:
                put({(y,): constant(1)}, size(sorts, y)[0])
                for z in sorted({z for w in gap for z in w}, key=key):
                    if size(sorts, z) == (rows, rows):
                        put(words.times({(y,): constant(1)}, {(z,): constant(1)}, scope),
                            size(sorts, y)[0])
    put(gap, rows)
    for w in sorted(gap, key=lambda w: (len(w), key(w))):
        for k in range(1, len(w)):
            put({w[k:]: constant(1)}, size(sorts, w[k])[0])
            up = mirror(sorts, w[:k])
            put({up: constant(1)}, size(sorts, up[0])[0])
    for x in sorted({w[0] for w in gap if w}, key=key):
        put({w[1:]: c for w, c in gap.items() if w and w[0] == x}, size(sorts, x)[1])
        if size(sorts, x)[0] == size(sorts, x)[1] and _sure(x, sorts):
            put(words.times(inverses.inverted({(x,): constant(1)}, rows, scope), gap, scope), rows)
    for p, n in list(found.values())[:12]:
        for m in middles[:8]:
            if len(m) > 1 and p and _fits(m, n, sorts):
                put(words.times(m, p, scope), n)
    return list(found.values())[:MOST_FACTORS]


def _sure(x, sorts):
    return x[2] or x[0][0] == "c" or flags(sorts, x[0]) & {"pd", "invertible", "orthogonal"}


def _fits(m, n, sorts):
    return all(size(sorts, w[-1])[1] == n and size(sorts, w[0])[0] == n for w in m if w)
