"""Positive semidefinite by congruences: the gap as a sum of weight * M^T X M.

Middles X are the semidefinite letters of the statement, their inverses, composite inverses, the
psd facts and the identity. Factors M are letters and pieces of the gap's words, the gap itself (for
Schur complements, where gap = gap X gap + ...) and the gap with a letter taken off its edge, or
sums of these: Gram matrices over the free algebra.
"""

from symbolic.kernel import completion, inverses, words
from symbolic.kernel import facts as facts_
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.letters import flags, mirror, size
from symbolic.kernel.polynomial import constant, freeze, key, mul, thaw
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import Refuse
from symbolic.kernel.rules.vector import form
from symbolic.kernel.semidefinite import semidefinite
from symbolic.kernel.term import Malformed
from symbolic.search.congruences import (
    block,
    by_squares,
    by_weights,
    factor_of,
    flat_words,
    letters,
    middles,
)
from symbolic.search.terms import NoTerm, number, term_of, words_term

MOST_FACTORS, MOST_SCALES = 40, 2


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
    factors = _factors(gap, [m for _, m, _ in known], letters(problem, gap), rows, scope)
    known = [({**source, "scale": unit}, words.times({(): x}, m, scope), n)
             for x, unit in _scales(gap, known, scope) for source, m, n in known]
    blocks = [b for k, m in enumerate(known)
              if (b := block(k, m, factors, scope, flat_words)) is not None]
    found = by_weights(blocks, flat_words(gap)) or by_squares(blocks, flat_words(gap))
    if found is None:
        return None
    return [part for row in found[0] if (part := _part(*row, known)) is not None]


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


def _part(block, root, weight, known):
    source, _, n = known[block.indices[0]]
    factor = factor_of(block, root)
    if not factor:
        return None
    return {**{k: v for k, v in source.items() if k != "scale"}, "factor": words_term(factor, n),
            "weight": number(weight) if source["scale"] == 1 else (
                "*", number(weight), source["scale"])}


def _factors(gap, middles, known, rows, scope):
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
    for x in sorted(known, key=key):
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
