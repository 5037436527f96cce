"""One sum out of the gap: summands without an index join it, and its terms have a known sign.

1. Sums over one range become one sum; what stands outside is spread over the range, by the weights
of a fact Sum(w) = 1, by a Kronecker delta where it has an index, or in equal parts. The sign of
the new summand comes from its shape and from facts about the index.
2. Sums of w*log(p) and of -w*log(q) propose the tangents w*(q/p - 1 - log(q/p)).
3. The gap minus that sum must vanish modulo the equations.
"""

from symbolic.kernel.term import free, fresh, substitute, walk
from symbolic.methods.jensen import one_term
from symbolic.search.cancel import summands


def find(statement):
    """Certificates of the rule combination with one sum."""
    return one_term(statement, _proposed)


def _proposed(problem):
    """The gap as one sum, for each range and each way to spread what has no index."""
    parts = [(s, *_split(t)) for s, t in summands(("+", problem.right, ("-", problem.left)))]
    ranges = dict.fromkeys(total[3:] for _, _, total in parts if total is not None)
    for low, high in ranges:
        name = fresh("k", frozenset(problem.scope.sorts))
        inside, outside = [], []
        for s, rest, total in parts:
            if total is not None and total[3:] == (low, high):
                body = substitute(total[1], {total[2]: name})
                inside.append(_signed(s, _product([*rest, body])))
            else:
                outside.append((s, [*rest, *([] if total is None else [total])]))
        for weight in _weights(problem, low, high, name, outside):
            spread = [_signed(s, weight(rest)) for s, rest in outside]
            yield ("sum", _sum([*inside, *spread]), name, low, high)
        if not outside:
            yield ("sum", _sum(inside), name, low, high)
        for tangent in _tangents(parts, low, high, name):
            yield ("sum", tangent, name, low, high)


def _tangents(parts, low, high, name):
    """w*(u - 1 - log(u)) with u = q/p for sums of w*log(p) and of -w*log(q)."""
    logs = []
    for s, rest, total in parts:
        if total is not None and total[3:] == (low, high):
            factors = [*rest, *_factors(substitute(total[1], {total[2]: name}))]
            for f in factors:
                if isinstance(f, tuple) and f[0] == "log":
                    weight = list(factors)
                    weight.remove(f)
                    logs.append((s, weight, f[1]))
    for s, w, p in logs:
        for t, v, q in logs:
            if s > 0 > t and sorted(map(str, w)) == sorted(map(str, v)):
                u = ("/", q, p)
                yield _product([*w, ("+", u, ("-", 1), ("-", ("log", u)))])


def _factors(t):
    return list(t[1:]) if isinstance(t, tuple) and t[0] == "*" else [t]


def _weights(problem, low, high, name, outside):
    """Ways to write a number as a sum over the range: by the weights of a fact, in equal parts."""
    for fact in problem.given:
        if fact[0] == "=" and 1 in fact[1:]:
            total = fact[1] if fact[2] == 1 else fact[2]
            if isinstance(total, tuple) and total[0] == "sum" and total[3:] == (low, high):
                w = substitute(total[1], {total[2]: name})
                yield lambda rest, w=w: _product([w, *rest])
    for i in dict.fromkeys(a[2] for _, rest in outside for a in walk(("*", *rest, 1))
                           if isinstance(a, tuple) and a[0] == "at" and len(a) == 3):
        yield lambda rest, i=i: _product([_moved(_product(rest), i, name), ("delta", i, name)])
    length = high if low == 1 else ("+", high, ("-", low), 1)
    yield lambda rest: _product([f for f in rest if f != length]) if length in rest else (
        "/", _product(rest), length)


def _moved(term, index, name):
    """The term with one index of its entries replaced."""
    if not isinstance(term, tuple):
        return term
    if term[0] == "at":
        return *term[:2], *(name if a == index else a for a in term[2:])
    return term[0], *(_moved(a, index, name) for a in term[1:])


def _split(term):
    """(the other factors, the one sum among the factors or None) of a summand."""
    if isinstance(term, tuple) and term[0] == "/":
        rest, total = _split(term[1])
        return [*rest, ("/", 1, term[2])], total
    factors = _factors(term)
    sums = [f for f in factors if isinstance(f, tuple) and f[0] == "sum"]
    if len(sums) != 1 or sums[0][2] in frozenset().union(*map(free, factors)):
        return factors, None
    factors.remove(sums[0])
    return factors, sums[0]


def _product(factors):
    factors = [f for f in factors if f != 1]
    return 1 if not factors else factors[0] if len(factors) == 1 else ("*", *factors)


def _sum(parts):
    return parts[0] if len(parts) == 1 else ("+", *parts)


def _signed(s, term):
    return term if s > 0 else ("-", term)
