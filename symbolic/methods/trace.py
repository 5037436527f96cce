"""Traces of products: the gap as a sum of weight * Trace(X M Y M^T), X and Y semidefinite.

X and Y are psd facts, semidefinite letters and their inverses, or the identity; M is the identity
or a piece of a word of the gap. Weights come from a linear program; the kernel adds up.
"""

from fractions import Fraction

from symbolic.kernel import traces, words
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.letters import size
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import constant, subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed
from symbolic.search import clock
from symbolic.search.congruences import middle_term, middles
from symbolic.search.linear import vertex
from symbolic.search.terms import NoTerm, number, words_term

MOST_WORDS, MOST_COLUMNS = 8, 160


def find(statement):
    """Certificates of the rule combination whose terms are traces of semidefinite products."""
    if statement.relation != "<=":
        return
    try:
        with limited(600_000):
            problem = prepare(statement)
            if not problem.scope.matrices or not scalar(
                    shape(problem.left, problem.scope.sorts)):
                return
            terms = _found(problem)
    except (Undecided, Malformed, NoTerm, KeyError):
        return
    if terms is not None:
        yield "combination", {"terms": terms}


def _found(problem):
    scope = problem.scope
    gap = subtract(normal(problem.right, scope), normal(problem.left, scope))
    found = [a[1] for m in gap for a, _ in m if a[0] == "tr"]
    if not found or len(found) > MOST_WORDS:
        return None
    known = list(middles(problem, {w: constant(1) for w in found}, scope))
    columns, terms = [], []
    for (one, x, n), (two, y, m) in ((a, b) for a in known for b in known):
        for w in [(), *_pieces(found, n, m, scope)]:
            if (not w and n != m) or len(columns) >= MOST_COLUMNS or clock.left() <= 0:
                continue
            form = {w: constant(1)}
            inner = words.times(words.times(x, form, scope),
                                words.times(y, words.transposed(form, scope), scope), scope)
            columns.append({k: Fraction(c) for k, c in traces.traced(inner, n, scope).items()})
            terms.append((middle_term(one, problem), words_term(form, n) if w else None,
                          middle_term(two, problem)))
    weights = vertex(columns, [], {m: Fraction(c) for m, c in gap.items()},
                     seconds=clock.left(3.0)) if columns else None
    return None if weights is None else [_term(terms[j], x) for j, x in weights[0].items() if x]


def _pieces(found, n, m, scope):
    """Words with n rows and m columns inside the traces, letters and pairs of letters."""
    sorts = scope.facts.sorts
    seen = set()
    for w in found:
        for k in range(len(w)):
            for piece in (w[k:k + 1], (w + w)[k:k + 2]):
                if size(sorts, piece[0])[0] == n and size(sorts, piece[-1])[1] == m:
                    seen.add(piece)
    return sorted(seen, key=str)


def _term(parts, weight):
    one, factor, two = parts
    inner = [one, two] if factor is None else [one, factor, two, ("T", factor)]
    inner = [t for t in inner if not (isinstance(t, tuple) and t[0] == "eye")] or [one]
    return ("*", number(weight), ("trace", inner[0] if len(inner) == 1 else ("*", *inner)))
