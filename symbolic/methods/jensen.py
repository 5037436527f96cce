"""Inequalities of Jensen and Cauchy over a symbolic index: one term, the rest by equations.

1. Weighted logarithms under a sum: the tangent at a scaled argument, Sum(w*(u - 1 - log(u))) with
   u = a/c or c/a, a the argument in the sum, c = 1, a logarithm's argument outside or a count.
2. Squares of sums: half the double sum of (u[i]*v[j] - u[j]*v[i])**2 for each factoring of the
   summand (squared lengths for vectors), weights that are nonnegative outside;
   1 - cos(a[i] - a[j]) for circular sums.
3. Averages: with the fact Sum(w) = 1, Sum(w*(c + f)) for c + Sum(w*f), Sum(w*(x - mean)**2).
4. The gap minus one such term must vanish modulo the equations among the facts.
Limits: one term, index ranges as written.
"""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.facts import NONNEG
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.signs import sign
from symbolic.kernel.term import Malformed, free, fresh, substitute, walk
from symbolic.kernel.zero import fraction
from symbolic.methods.linear import _reduced
from symbolic.search import frame as frames
from symbolic.search.terms import NoTerm

MOST = 40


def find(statement):
    """Certificates of the rule combination with one term and multiples of equations."""
    return one_term(statement, _proposed)


def one_term(statement, proposed):
    """The gap as one of the terms that `proposed(problem)` yields, modulo the equations."""
    if statement.relation != "<=":
        return
    try:
        with limited(1_000_000):
            problem = prepare(statement)
            if not scalar(shape(problem.left, problem.scope.sorts)):
                return
            gap = subtract(normal(problem.right, problem.scope),
                           normal(problem.left, problem.scope))
            for term in list(dict.fromkeys(proposed(problem)))[:MOST]:
                data = _certificate(gap, term, problem)
                if data is not None:
                    yield "combination", data
    except (Undecided, Malformed):
        return


def _certificate(gap, term, problem):
    """The data, when the gap is the term modulo the equations."""
    try:
        if not sign(term, problem.scope) <= NONNEG:
            return None
        rest, bottoms = fraction(subtract(gap, normal(term, problem.scope)))
        if not rest:
            return {"terms": [term]}
        equations = frames.equations(problem)
        frame = frames.framed([rest, *(p for p, _, _ in equations)])
        rows = None if bottoms else _reduced(frames.read(rest, frame), equations, frame)
    except (Undecided, NoTerm, KeyError, Malformed):
        return None
    return {"terms": [term], "equations": rows} if rows else None


def _proposed(problem):
    sums = list(dict.fromkeys(_sums(problem.left) + _sums(problem.right)))
    given = [s for f in problem.given if f[0] == "=" for t in f[1:] for s in _sums(t)]
    outer = _outer_logs(problem.left) + _outer_logs(problem.right)
    for s in sums:
        yield from _tangents(s, outer)
        yield from _pairs(s, problem.scope)
        yield from _averages(s, given, problem)


def _sums(t):
    """Sums of numbers that are under no other binder."""
    if not isinstance(t, tuple):
        return []
    if t[0] == "sum":
        return [t]
    return [] if t[0] in ("prod", "int", "limit", "diff") else [s for a in t[1:]
                                                                for s in _sums(a)]


def _outer_logs(t):
    """Arguments of the logarithms outside sums, and what stands below a quotient in one."""
    if not isinstance(t, tuple) or t[0] in ("sum", "prod", "int"):
        return []
    if t[0] == "log":
        return [t[1]]
    return [a for part in t[1:] for a in _outer_logs(part)]


def _tangents(s, outer):
    """Tangents of the logarithms in the summand, at arguments scaled by what is outside."""
    _, body, name, low, high = s
    for log in [t for t in walk(body) if isinstance(t, tuple) and t[0] == "log"]:
        weight = [f for f in _factors(body) if f != log]
        for c in (1, *outer):
            for u in (("/", log[1], c), ("/", c, log[1]),
                      *((("/", 1, ("*", log[1], c)), ("*", log[1], c)) if c != 1 else ())):
                tangent = ("+", u, ("-", 1), ("-", ("log", u)))
                inner = ("*", *weight, tangent) if weight else tangent
                yield ("sum", inner, name, low, high)


def _factors(t):
    """Factors of a product, minus signs dropped."""
    while isinstance(t, tuple) and t[0] == "-":
        t = t[1]
    return list(t[1:]) if isinstance(t, tuple) and t[0] == "*" else [t]


def _product(parts):
    return 1 if not parts else parts[0] if len(parts) == 1 else ("*", *parts)


def _pairs(s, scope):
    """Double sums of squares, one for each factoring of the summand."""
    _, body, name, low, high = s
    other = fresh(name, frozenset(scope.sorts) | free(s) | {name})

    def double(inner):
        return ("/", ("sum", ("sum", inner, other, low, high), name, low, high), 2)

    def moved(t):
        return substitute(t, {name: other})

    factors = _factors(body)
    if factors[0] and isinstance(factors[0], tuple) and factors[0][0] in ("cos", "sin"):
        angle = factors[0][1]
        near = ("+", 1, ("-", ("cos", ("+", angle, ("-", moved(angle))))))
        yield ("*", 2, double(near))
    for k in range(len(factors)):
        u, v = _product(factors[:k]), _product(factors[k:])
        gap = ("+", ("*", u, moved(v)), ("-", ("*", moved(u), v)))
        yield double(_squared(gap, scope, name, other))
        if k:
            step = _squared(("+", v, ("-", moved(v))), scope, name, other)
            yield double(("*", u, moved(u), step))


def _squared(t, scope, *names):
    """The square of a number, the squared length of a matrix or a vector."""
    found = shape(t, {**scope.sorts, **dict.fromkeys(names, ("integer",))})
    return ("^", t, 2) if scalar(found) else ("trace", ("*", ("T", t), t))


def _averages(s, given, problem):
    """Sum(w*(c + f)) and Sum(w*(x - mean)**2) for a sum of weights among the equations."""
    _, body, name, low, high = s
    factors = _factors(body)
    for weights in given:
        weight = substitute(weights[1], {weights[2]: name})
        if weight not in factors or weights[3:] != (low, high):
            continue
        rest = _product([f for f in factors if f != weight])
        mean = ("sum", body, fresh(name, frozenset(problem.scope.sorts) | {name}), low, high)
        mean = ("sum", substitute(body, {name: mean[2]}), mean[2], low, high)
        spread = _squared(("+", rest, ("-", mean)), problem.scope, name)
        yield ("sum", ("*", weight, spread), name, low, high)
        for c in (problem.left, problem.right):
            for part in (c, ("-", c)):
                for f in (rest, ("-", rest)):
                    yield ("sum", ("*", weight, ("+", part, f)), name, low, high)
