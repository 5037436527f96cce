"""Squares of vectors and matrices of symbolic size: the gap as a sum of weight * Trace(T(r)*M*r).

1. The gap right - left is read as a quadratic form: each trace word is T(u)*M*v with u, v from the
   halves of its square words, and M empty or one letter declared semidefinite.
2. A multiple of a fact is taken away when that removes a monomial of the gap.
3. Squares are completed one half at a time, the diagonal coefficient being shown positive.
4. What is left must have its sign by shape. The kernel multiplies out.
Limits: coefficients are numbers (no matrix inverses appear), one fact, eight halves.
"""

from fractions import Fraction

from symbolic.kernel import facts as facts_
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.letters import flags, mirror
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import add, constant, freeze, mul, scale, subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed
from symbolic.kernel.zero import vanishes
from symbolic.search.terms import NoTerm, _word, number, term_of

MOST = 8


def find(statement):
    """Certificates of the rule combination whose terms are traces of squares."""
    if statement.relation != "<=":
        return
    try:
        with limited(300_000):
            problem = prepare(statement)
            if not problem.scope.matrices or not scalar(
                    shape(problem.left, problem.scope.sorts)):
                return
            yield from _found(problem)
    except (Undecided, Malformed, NoTerm, KeyError):
        return


def _found(problem):
    scope = problem.scope
    gap = subtract(normal(problem.right, scope), normal(problem.left, scope))
    for rest, used in _without_facts(gap, problem):
        terms = _squares(rest, scope)
        if terms is not None:
            yield "combination", {"terms": [*used, *terms]}


def _without_facts(gap, problem):
    """(gap - multiple of a fact, that multiple as a term): none first, then each atom's."""
    scope = problem.scope
    yield gap, []
    for fact in problem.given:
        if fact[0] not in ("<=", "<") or not scalar(shape(fact[1], scope.sorts)):
            continue
        side = ("+", fact[2], ("-", fact[1]))
        p = subtract(normal(fact[2], scope), normal(fact[1], scope))
        seen = set()
        for mono in _letters(p):
            ratio = _over(_part(gap, mono), _part(p, mono), scope)
            if not ratio or freeze(ratio) in seen or not facts_.nonnegative(scope.facts, ratio):
                continue
            seen.add(freeze(ratio))
            yield subtract(gap, mul(ratio, p)), [("*", term_of(ratio), side)]


def _letters(p):
    """Trace atoms and plain symbols that occur linearly."""
    return sorted({a for m in p for a, e in m if e == 1 and a[0] in ("tr", "sym")}, key=str)


def _part(p, a):
    """The coefficient of an atom to the first power."""
    return {m - {(a, 1)}: c for m, c in p.items() if (a, 1) in m}


def _over(p, q, scope):
    """p / q, for a q of known sign; {} when there is nothing to divide."""
    if not p or not q or not facts_.nonzero(scope.facts, q):
        return {}
    return normal(("/", term_of(p), term_of(q)), scope)


def _squares(gap, scope):
    """Terms that add up to the gap, or None."""
    read = _form(gap, scope)
    if read is None:
        return None
    form, rest = read
    terms = []
    while form:
        step = _complete(form, scope)
        if step is None:
            return None
        form, found = step
        terms.append(found)
    return [*terms, term_of(rest)] if rest else terms


def _form(gap, scope):
    """({(middle, u, v): coefficient}, the part without traces), u before v; None if unreadable."""
    rest, words = {}, {}
    for m, c in gap.items():
        traces = [(a, e) for a, e in m if a[0] == "tr"]
        if not traces:
            rest[m] = c
        elif len(traces) > 1 or traces[0][1] != 1:
            return None
        else:
            a = traces[0][0]
            words[a[1]] = add(words.get(a[1], {}), {m - {(a, 1)}: c})
    words = {w: c for w, c in words.items() if not vanishes(c)}
    splits = {w: list(_splits(w, scope.sorts)) for w in words}
    halves = {(mid, u) for s in splits.values() for mid, u, v in s if u == v}
    form = {}
    for w, c in words.items():
        place = next((x for x in splits[w] if (x[0], x[1]) in halves and (x[0], x[2]) in halves),
                     None)
        if place is None:
            return None
        form[place] = c
    return (form, rest) if len(halves) <= MOST else None


def _splits(word, sorts):
    """(middle, u, v), u before v, for the ways to read tr(word) as tr(T(u) middle v)."""
    n = len(word)
    for k in range(n):
        turned = word[k:] + word[:k]
        for j in range(n + 1):
            u = mirror(sorts, turned[:j])
            for middle in ((), turned[j:j + 1]):
                if middle and not flags(sorts, middle[0][0]) & {"psd", "pd"}:
                    continue
                v = turned[j + len(middle):]
                if middle or (u and v):
                    yield middle, *sorted((u, v), key=str)


def _complete(form, scope):
    """(the form without one half, the square that removed it), or None."""
    for (mid, u, v), c in form.items():
        if u != v or not facts_.positive(scope.facts, c):
            continue
        crosses = {(b if a == u else a): k for (m, a, b), k in form.items()
                   if m == mid and u in (a, b) and a != b}
        ratios = {v: normal(("/", term_of(scale(k, Fraction(1, 2))), term_of(c)), scope)
                  for v, k in crosses.items()}
        out = {k: x for k, x in form.items() if k[0] != mid or u not in k[1:]}
        names = sorted(ratios, key=str)
        for i, a in enumerate(names):
            for b in names[i:]:
                taken = mul(c, mul(ratios[a], ratios[b]))
                left = subtract(out.get((mid, a, b), {}), scale(taken, 1 if a == b else 2))
                out.pop((mid, a, b), None)
                if not vanishes(left):
                    out[mid, a, b] = left
        return out, _square(mid, u, ratios, c, scope)
    return None


def _square(mid, u, ratios, c, scope):
    """c * Trace(T(r)*M*r) with r = u + sum of ratio * v."""
    size = _rows(mid, u, ratios, scope)
    parts = [_half(u, size)] + [("*", term_of(k), _half(v, size)) for v, k in ratios.items() if k]
    r = parts[0] if len(parts) == 1 else ("+", *parts)
    inner = ("trace", ("*", ("T", r), *((_word(mid, frozenset()),) if mid else ()), r))
    return inner if c == constant(1) else ("*", term_of(c), inner)


def _half(word, size):
    return _word(word, frozenset()) if word else ("eye", size)


def _rows(mid, u, ratios, scope):
    """The number of rows of the halves, from any that is not the identity."""
    word = mid or next((w for w in (u, *ratios) if w), ())
    return shape(_word(word, frozenset()), scope.sorts)[0] if word else number(1)
