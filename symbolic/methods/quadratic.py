"""Quadratic forms of symbolic size: the gap as a sum of weight * Trace(M^T X M), X semidefinite.

Middles X as for congruences; factors M are ends of the gap's trace words and sums of these. Facts
between numbers join with weights, equations among them with free ones. So squares are completed
(Schur complements, Riccati steps) and inequalities of smooth and convex functions are combined.
Weights are numbers times monomials and facts of the coefficients.
"""

from fractions import Fraction

from symbolic.kernel import completion, facts, traces, words
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.letters import mirror, size
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import constant, freeze, key, mul, subtract, thaw
from symbolic.kernel.prepare import prepare
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed
from symbolic.search import clock
from symbolic.search.blocks import Problem, trimmed
from symbolic.search.congruences import (
    Block,
    block,
    by_squares,
    by_weights,
    factor_of,
    middle_term,
    middles,
)
from symbolic.search.terms import NoTerm, number, term_of, words_term

MOST_WORDS, MOST_FACTORS, MOST_SIMPLE, MOST_SCALES, MOST_ENTRIES = 24, 24, 5, 24, 1_500


def find(statement):
    """Certificates of the rule combination whose terms are traces of congruences."""
    if statement.relation != "<=":
        return
    try:
        with limited(3_000_000):
            problem = prepare(statement)
            if not problem.scope.matrices or not scalar(
                    shape(problem.left, problem.scope.sorts)):
                return
            found = _found(problem)
    except (Undecided, Malformed, NoTerm, KeyError):
        return
    if found is not None:
        yield "combination", found


def _found(problem):
    """The data of the certificate, or None: weights free of symbols first."""
    given = problem.scope
    gap = subtract(normal(problem.right, given), normal(problem.left, given))
    scope = completion.strengthened_by(gap, given)
    gap = normal(term_of(gap), scope)
    numbers = list(_numbers(problem, scope))
    traced = sorted({a[1] for p in (gap, *(p for _, p, _ in numbers)) for a in _traces(p)}, key=key)
    if not traced or len(traced) > MOST_WORDS:
        return None
    known = [(source, words.times({(): constant(1)}, m, scope), n)
             for source, m, n in middles(problem, {w: constant(1) for w in traced}, scope)]
    factors = _factors(traced, [m for _, m, _ in known], scope)
    scales = _scales([gap, *(p for _, p, _ in numbers)], scope)
    for chosen in (scales[:1], scales):
        blocks = [b for s, (x, _) in enumerate(chosen) for k, middle in enumerate(known)
                  for b in _blocks((k, s), middle, x, factors, scope)]
        blocks += list(_lone(numbers, chosen, problem))
        free = [(place, s) for place, (index, _, _) in enumerate(numbers)
                if problem.given[index][0] == "=" for s in range(len(chosen))]
        columns = [_flat(mul(chosen[s][0], numbers[place][1])) for place, s in free]
        found = _solved(blocks, _flat(gap), columns)
        if found is not None:
            squares, multiples = found
            return {"terms": [_term(*row, known, chosen, numbers, problem) for row in squares],
                    "equations": [[("*", number(x), chosen[free[k][1]][1]),
                                   numbers[free[k][0]][0]] for k, x in multiples.items() if x]}
    return None


def _solved(blocks, target, free):
    found = by_weights(blocks, target, free)
    if found is None and clock.left() > 0:
        kept = trimmed(Problem(target, tuple(blocks), tuple(
            (k, frozenset(), c) for k, c in enumerate(free)))).blocks
        if sum(len(b.basis)**2 for b in kept) <= MOST_ENTRIES:
            found = by_squares(kept, target, free)
    return found


def _numbers(problem, scope):
    """(index, right - left, its term) of the facts between numbers that speak of traces."""
    for index, fact in enumerate(problem.given):
        if fact[0] in ("<=", "<", "=") and scalar(shape(fact[1], scope.sorts)):
            left, right = fact[1:] if fact[0] != "=" else fact[:0:-1]
            p = subtract(normal(right, scope), normal(left, scope))
            if any(_traces(p)):
                yield index, p, ("+", right, ("-", left))


def _traces(p):
    return {a for m in p for a, _ in m if a[0] == "tr"}


def _lone(numbers, scales, problem):
    """Numbers that are known to be nonnegative: scales, and facts times scales."""
    for s, (x, _) in enumerate(scales):
        yield Block(((None, s),), ({0: Fraction(1)},), (None,), {(0, 0): _flat(x)})
        for place, (index, p, _) in enumerate(numbers):
            if problem.given[index][0] != "=":
                yield Block((("fact", place, s),), ({0: Fraction(1)},), (None,),
                            {(0, 0): _flat(mul(x, p))})


def _blocks(place, middle, scale, factors, scope):
    """For each width of the factors the products M^T X M, traced."""
    source, middle_form, n = middle
    scaled = words.times({(): scale}, middle_form, scope)
    for width in dict.fromkeys(cols for _, _, cols in factors):
        def flat(whole, width=width):
            return _flat(traces.traced(whole, width, scope))
        fitting = [(form, rows) for form, rows, cols in factors if cols == width]
        found = block((*place, width), (source, scaled, n), fitting, scope, flat)
        if found is not None:
            yield found


def _factors(traced, known, scope):
    """(word form, rows, columns) of the ends of all rotations of the traces, short ones first, and
    of these times middles that are sums; columns alone where there are vectors."""
    sorts, found = scope.facts.sorts, {}
    for w in traced:
        for k in range(len(w)):
            turned = w[k:] + w[:k]
            for j in range(len(w)):
                for end in (turned[j:], mirror(sorts, turned[:j + 1])):
                    found[end] = (size(sorts, end[0])[0], size(sorts, end[-1])[1])
    thin = any(cols == 1 for _, cols in found.values())
    kept = sorted(((w, *s) for w, s in found.items() if s[0] != 1 and (not thin or s[1] == 1)),
                  key=lambda f: (len(f[0]), key(f[0])))[:MOST_FACTORS]
    ends = [({w: constant(1)}, rows, cols) for w, rows, cols in kept]
    sums = [m for m in known if len(m) > 1]
    return ends + [(words.times(m, end, scope), rows, cols) for end, rows, cols in ends[:2]
                   for m in sums[:3] if _rows(m, sorts) == rows]


def _rows(form, sorts):
    return next((size(sorts, w[0])[0] for w in form if w), None)


def _scales(polynomials, scope):
    """(polynomial, term) of what a weight may be a multiple of: 1, nonnegative coefficients, facts
    about their symbols times what takes them to a coefficient, and products of two of these."""
    found = {frozenset((a, e) for a, e in m if a[0] != "tr") for p in polynomials for m in p}
    found = sorted((m for m in found if m), key=key)
    symbols = {a for m in found for a, _ in m}
    known = scope.facts
    simple = [({m: 1}, term_of({m: 1})) for m in found if facts.nonnegative(known, {m: 1})]
    bounds = [p for f, kind in known.plain if kind in (">=", ">") and len(p := thaw(f)) > 1
              and {a for m in p for a, _ in m} <= symbols][:MOST_SIMPLE]
    ratios = {(k, r): p for k, p in enumerate(bounds) for m in (*found, frozenset()) for n in p
              if facts.nonnegative(known, {(r := _ratio(m, n)): 1})}
    reached = [(mul({r: 1}, p), ("*", term_of({r: 1}), term_of(p))) for (_, r), p in ratios.items()]
    both = [(mul(p, q), ("*", s, t)) for k, (p, s) in enumerate(simple[:MOST_SIMPLE])
            for q, t in simple[k:MOST_SIMPLE]]
    unique = {}
    for p, t in [(constant(1), 1), *simple[:MOST_SIMPLE], *reached[:MOST_SCALES], *both]:
        unique.setdefault(freeze(p), (p, t))
    return list(unique.values())[:MOST_SCALES]


def _ratio(m, n):
    """The monomial m / n."""
    out = dict(m)
    for a, e in n:
        out[a] = out.get(a, 0) - e
    return frozenset((a, e) for a, e in out.items() if e)


def _term(block, root, weight, known, scales, numbers, problem):
    """weight * scale * Trace(M^T X M), or * the fact, as a term."""
    kind, *place = block.indices[0]
    scale = scales[place[-1] if kind in (None, "fact") else place[0]][1]
    parts = [number(weight * next(iter(root.values()))**2)] if block.factors[0] is None else [
        number(weight)]
    parts += [scale] if scale != 1 else []
    if kind == "fact":
        parts.append(numbers[place[0]][2])
    elif kind is not None:
        source, _, n = known[kind]
        M = words_term(factor_of(block, root), n)
        parts.append(("trace", ("*", ("T", M), middle_term(source, problem), M)))
    return parts[0] if len(parts) == 1 else ("*", *parts)


def _flat(p):
    return {m: Fraction(c) for m, c in p.items()}
