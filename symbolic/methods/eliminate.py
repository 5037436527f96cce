"""Replace a symbol by the value that a fact gives it, then try the cheap methods."""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Malformed, free, substitute, walk
from symbolic.search.terms import NoTerm, term_of

THEN = ("normal", "sign", "shape", "mean", "gram", "tangent", "eliminate", "cases", "linear",
        "cleared")


def find(statement):
    """One certificate for each equation that determines a symbol of either side."""
    from symbolic.prove import certify

    try:
        with limited(200_000):
            problem = prepare(statement)
    except (Undecided, Malformed):
        return
    wanted = free(problem.left) | free(problem.right)
    if statement.relation in ("<=", "<"):
        wanted = wanted.union(*(free(f) for f in problem.given if f[0] in ("<=", "<")))
    for place, fact in enumerate(problem.given):
        if fact[0] != "=":
            continue
        for name, value in solutions(fact, problem.scope):
            if name not in wanted or name in free(value):
                continue
            at = {name: value}
            try:
                inner = altered(
                    statement, left=substitute(problem.left, at), let=(), rates=(),
                    right=substitute(problem.right, at),
                    given=tuple(substitute(f, at) for f in problem.given))
            except Malformed:
                continue
            by = certify(inner, THEN)
            if by is not None:
                yield "eliminate", {"fact": place, "name": name, "value": value, "by": by}


def solutions(fact, scope):
    """(name, value) pairs read off an equation: bare names first, then linear ones."""
    _, left, right = fact
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str):
            yield one, other
    if shape(left, scope.sorts) is not None or shape(right, scope.sorts) is not None:
        yield from _matrix_solutions(left, right, scope)
        return
    try:
        gap = subtract(normal(left, scope), normal(right, scope))
    except Undecided:
        return
    for letter in sorted({a for m in gap for a, e in m if a[0] == "sym" and e == 1}):
        slope = {m - {(letter, 1)}: c for m, c in gap.items() if (letter, 1) in m}
        rest = {m: -c for m, c in gap.items() if (letter, 1) not in m}
        try:
            value = ("/", term_of(rest), term_of(slope))
        except NoTerm:
            continue
        if letter[1] not in free(value):
            yield letter[1], value


def _matrix_solutions(left, right, scope):
    """name from u*name*v = rest, and from a sum with the name as one part."""
    for one, other in ((left, right), (right, left)):
        parts = one[1:] if isinstance(one, tuple) and one[0] == "+" else ()
        for k, part in enumerate(parts):
            if isinstance(part, str) and shape(part, scope.sorts) is not None:
                rest = parts[:k] + parts[k + 1:]
                yield part, ("+", other, *(("-", a) for a in rest))
        factors = one[1:] if isinstance(one, tuple) and one[0] == "*" else ()
        for k, part in enumerate(factors):
            if isinstance(part, str) and shape(part, scope.sorts) is not None:
                before = [("inv", a) for a in reversed(factors[:k])]
                after = [("inv", a) for a in reversed(factors[k + 1:])]
                if all(_square(a, scope) for a in (*factors[:k], *factors[k + 1:])):
                    yield part, ("*", *before, other, *after)


def _square(t, scope):
    found = shape(t, scope.sorts)
    return found is not None and found[0] == found[1] and all(
        not isinstance(x, tuple) or x[0] != "+" for x in walk(t))
