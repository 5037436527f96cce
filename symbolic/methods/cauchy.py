"""Cauchy and Schwarz for vectors: x'My squared is at most x'Mx times y'My, M semidefinite.

For D = x y' - y x' the number tr(M D M D') is 2 (x'Mx)(y'My) - 2 (x'My)^2, and is nonnegative as a
trace of two semidefinite factors. Each square of a 1 x 1 word in the gap proposes such terms.
"""

from fractions import Fraction

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.letters import flags, mirror, size
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed
from symbolic.search import clock
from symbolic.search.linear import vertex
from symbolic.search.terms import NoTerm, number, words_term


def find(statement):
    """Certificates of the rule combination with terms Trace(M D M D')."""
    if statement.relation != "<=":
        return
    try:
        with limited(400_000):
            problem = prepare(statement)
            scope = problem.scope
            if not scope.matrices or not scalar(shape(problem.left, scope.sorts)):
                return
            gap = subtract(normal(problem.right, scope), normal(problem.left, scope))
            terms = list(dict.fromkeys(_proposed(gap, scope)))
            columns = [_flat(normal(t, scope)) for t in terms]
            found = vertex(columns, [], _flat(gap), seconds=clock.left(2.0)) if terms else None
    except (Undecided, Malformed, NoTerm):
        return
    if found is not None:
        yield "combination", {"terms": [("*", number(x), terms[j])
                                        for j, x in found[0].items() if x]}


def _flat(p):
    return {m: Fraction(c) for m, c in p.items()}


def _proposed(gap, scope):
    sorts = scope.facts.sorts
    squares = {a[1] for m in gap for a, e in m if a[0] == "tr" and e == 2}
    for w in sorted(squares, key=str):
        if size(sorts, w[0])[0] != 1:       # tr(A'B) = vec(A)' vec(B)
            for k in range(1, len(w)):
                yield _pair(*(("vec", words_term({u: {frozenset(): 1}}, 1))
                              for u in (mirror(sorts, w[:k]), w[k:])))
            continue
        for k in range(1, len(w)):
            for middle in ((), w[k:k + 1]):
                v = w[k + len(middle):]
                if not v or middle and not flags(sorts, middle[0][0]) & {"psd", "pd"}:
                    continue
                yield _term(mirror(sorts, w[:k]), middle, v)
        for x in sorted({x for x in _letters(gap) if "pd" in flags(sorts, x[0])}, key=str):
            for k in range(1, len(w)):  # x'y = x'S (S^-1 y)
                if size(sorts, w[k])[0] == size(sorts, x)[0]:
                    yield _term(mirror(sorts, w[:k]), (x,), ((x[0], x[1], not x[2]), *w[k:]))


def _pair(one, two):
    gap = ("+", ("*", one, ("T", two)), ("-", ("*", two, ("T", one))))
    return ("trace", ("*", ("T", gap), gap))


def _letters(gap):
    return {x for m in gap for a, _ in m if a[0] == "tr" for x in a[1] if x[0][0] == "m"}


def _term(x, middle, y):
    """tr(M D M D') for columns x and y."""
    one, two = (words_term({w: {frozenset(): 1}}, 1) for w in (x, y))
    if not middle:
        return _pair(one, two)
    gap = ("+", ("*", one, ("T", two)), ("-", ("*", two, ("T", one))))
    m = words_term({middle: {frozenset(): 1}}, 1)
    return ("trace", ("*", m, gap, m, ("T", gap)))
