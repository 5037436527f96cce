"""Logarithms and exponentials under no binder: tangents, and the logarithm that grows.

1. The gap right - left is read as sum of coefficient * log(argument). Logarithms whose
   coefficients are rational multiples of one weight w (or share a monomial w) are gathered: with u
   the product of the arguments to minus those multiples, w*(u - 1 - log(u)) is a term.
2. What the terms leave must have its sign by shape, or be squares.
3. Y <= log(X) is one instance of "log increases", log(X) - log(exp(Y)).
4. c*exp(x + y) beside multiples of exp(x): c*exp(x)*(exp(y) - y - 1) is a term.
Limits: at most four groups; powers of u are 1, 2 and 1/2.
"""

from fractions import Fraction

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.facts import NONNEG
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import add, mul, scale, subtract, thaw
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered, no_definitions
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.signs import sign
from symbolic.kernel.term import Malformed
from symbolic.kernel.zero import vanishes
from symbolic.search.terms import NoTerm, number, term_of

POWERS = (Fraction(1), Fraction(2), Fraction(1, 2))
MOST, MOST_SQUARED = 4, 6


def find(statement):
    """Certificates of the rule combination from the logarithms of the gap."""
    if statement.relation != "<=":
        return
    try:
        with limited(300_000):
            problem = prepare(statement)
            if not scalar(shape(problem.left, problem.scope.sorts)):
                return
            yield from _found(problem)
    except (Undecided, Malformed, NoTerm):
        return


def _found(problem):
    scope = problem.scope
    gap = subtract(normal(problem.right, scope), normal(problem.left, scope))
    logs, rest = _logs(gap)
    for a, c in logs.items():
        if c == {frozenset(): 1}:
            yield "combination", {"terms": [_grown(a, subtract(gap, {frozenset({(a, 1)}): 1}))]}
    for groups in (_alike(logs), _by_monomial(logs)):
        if not groups or len(groups) > MOST:
            continue
        for power in POWERS:
            terms = [_term(w, parts, power) for w, parts in groups]
            if not all(sign(t, scope) <= NONNEG for t in terms):
                continue
            left = subtract(gap, normal(terms[0] if len(terms) == 1 else ("+", *terms), scope))
            if vanishes(left):
                yield "combination", {"terms": terms}
                continue
            yield "combination", {"terms": [*terms, term_of(left)]}
            yield from _by_fractions(left, terms)
            if len(left) <= MOST_SQUARED and all(a[0] == "sym" for m in left for a, _ in m):
                yield from _by_squares(problem, left, terms)


    yield from _exponentials(gap, scope)


def _exponentials(gap, scope):
    """One tangent of an exponential, relative to another in the gap, the rest by its sign."""
    parts = {m: frozenset((a, e) for a, e in m if a[0] == "E") for m in gap}
    factors = list(dict.fromkeys([frozenset(), *parts.values()]))[:MOST]
    for m, c in list(gap.items())[:2 * MOST]:
        for x in factors if c > 0 and parts[m] else ():
            y = subtract({a[1]: e for a, e in parts[m]}, {a[1]: e for a, e in x})
            if not y:
                continue
            outer, exponent = term_of(mul({m - parts[m]: c}, {x: 1})), term_of(y)
            term = ("*", outer, ("+", ("exp", exponent), ("-", 1), ("-", exponent)))
            if sign(term, scope) <= NONNEG:
                left = subtract(gap, normal(term, scope))
                yield "combination", {"terms": [term] if vanishes(left) else [term, term_of(left)]}


def _by_fractions(left, terms):
    """The rest over one denominator, its top as written by the normal form."""
    from symbolic.kernel.zero import fraction
    from symbolic.search import frame as frames

    top, bottoms = fraction(left)
    if bottoms:
        yield "combination", {"terms": [*terms, ("/", term_of(top), frames.multiplier(bottoms))]}


def _by_squares(problem, left, terms):
    """The rest shown nonnegative by itself, in a chain of two lines."""
    from symbolic.prove import certify

    statement = no_definitions(problem)
    middle = ("+", statement.left, term_of(left))
    first = certify(altered(statement, right=middle), ("squares",))
    if first is not None:
        yield "chain", {"lines": [middle], "relations": ["<=", "<="], "by": [
            first, {"rule": "combination", "terms": terms}]}


def _grown(a, rest):
    """log(X) - log(exp(Y)) for the gap log(X) - Y."""
    return ("+", ("log", term_of(thaw(a[1]))),
            ("-", ("log", ("exp", term_of(scale(rest, -1))))))


def _logs(gap):
    """({log atom: coefficient}, the rest); logarithms that occur otherwise stay in the rest."""
    logs, rest = {}, {}
    for m, c in gap.items():
        here = [a for a, e in m if a[0] == "log" and e == 1]
        if len(here) == 1:
            logs[here[0]] = add(logs.get(here[0], {}), {m - {(here[0], 1)}: c})
        else:
            rest[m] = c
    return logs, rest


def _alike(logs):
    """[(weight, [(atom, multiple)])]: coefficients gathered when they are proportional."""
    groups = []
    for a, c in sorted(logs.items(), key=str):
        for w, parts in groups:
            ratio = _ratio(c, w)
            if ratio:
                parts.append((a, ratio))
                break
        else:
            lead = sorted(c.items(), key=str)[0][1]
            groups.append((scale(c, 1 if lead > 0 else -1), [(a, Fraction(1 if lead > 0 else -1))]))
    return groups


def _ratio(p, q):
    """The number p / q, 0 if there is none."""
    if p.keys() != q.keys():
        return 0
    found = {Fraction(p[m]) / Fraction(q[m]) for m in p}
    return found.pop() if len(found) == 1 else 0


def _by_monomial(logs):
    groups = {}
    for a, c in sorted(logs.items(), key=str):
        for m, k in c.items():
            groups.setdefault(m, []).append((a, Fraction(k)))
    return [({m: Fraction(1)}, parts) for m, parts in sorted(groups.items(), key=str)]


def _term(w, parts, power):
    """(w / power) * (u - 1 - log(u)) with u the product of arguments to -multiple * power."""
    up = [_raised(a, -k * power) for a, k in parts if k < 0]
    down = [_raised(a, k * power) for a, k in parts if k > 0]
    u = _joined(up) if not down else ("/", _joined(up), _joined(down))
    weight = term_of(scale(w, 1 / power))
    return ("*", weight, ("+", u, ("-", 1), ("-", ("log", u))))


def _raised(a, k):
    base = term_of(thaw(a[1]))
    return base if k == 1 else ("^", base, number(k))


def _joined(parts):
    return 1 if not parts else parts[0] if len(parts) == 1 else ("*", *parts)
