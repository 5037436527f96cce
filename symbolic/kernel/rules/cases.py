"""Splits on the first max, min, abs, sign or piecewise term that is under no binder.

Data: `each`, one certificate a branch. A branch has the order of that branch among its facts and
every copy of the term replaced. Branches overlap on ties, so no strictness is needed.
Falsehood it must reject: |x| = x for real x.
"""

from symbolic.kernel.defined import conditions
from symbolic.kernel.normal import real
from symbolic.kernel.rules import Granted, Refuse, altered, joined, left_open, no_definitions
from symbolic.kernel.term import BINDERS, Term, free

NEGATED = {"<=": "<", "<": "<=", "=": "!=", "!=": "="}


def check(problem, data, prove) -> Granted:
    """Grants what every branch grants."""
    target = first(problem.left) or first(problem.right)
    if target is None:
        raise Refuse("there is nothing to split on")
    if problem.scope.complex and not all(real(a, problem.scope) for a in target[1:]
                                         if not isinstance(a, tuple) or a[0] != "case"):
        raise Refuse("a split on what is not shown to be real")
    statement, certificates = no_definitions(problem), data["each"]
    rows = branches(target)
    if len(certificates) != len(rows):
        raise Refuse(f"{len(rows)} branches need as many certificates")
    parts = [Granted(where=left_open(problem) + conditions(target, problem.scope))]
    for (facts, value), certificate in zip(rows, certificates, strict=True):
        inner = altered(statement, given=(*statement.given, *facts),
                        left=replaced(statement.left, target, value),
                        right=replaced(statement.right, target, value))
        parts.append(prove(inner, certificate))
    return joined(*parts)


def first(t: Term) -> Term | None:
    """The innermost, leftmost term to split on that no binder encloses."""
    if not isinstance(t, tuple) or t[0] in BINDERS or t[0] == "diff":
        return None
    parts = t[2:] if t[0] == "at" else t[1:]
    if t[0] == "cases":
        parts = tuple(p for c in t[1:-1] for p in (*c[1][1:], c[2])) + t[-1:]
    for a in parts:
        found = first(a)
        if found is not None:
            return found
    return t if t[0] in ("max", "min", "abs", "sign", "cases") else None


def branches(t: tuple) -> list[tuple[tuple, Term]]:
    """(facts, value) of each branch; together the facts leave no real case out."""
    if t[0] == "abs":
        return [((("<=", 0, t[1]),), t[1]), ((("<=", t[1], 0),), ("-", t[1]))]
    if t[0] == "sign":
        return [((("<", 0, t[1]),), 1), ((("=", t[1], 0),), 0), ((("<", t[1], 0),), ("-", 1))]
    if t[0] in ("max", "min"):
        return [(tuple(("<=", b, a) if t[0] == "max" else ("<=", a, b)
                       for b in t[1:] if b is not a), a) for a in t[1:]]
    rows, before = [], ()
    for _, condition, value in t[1:-1]:
        rows.append(((*before, condition), value))
        before = (*before, negated(condition))
    return [*rows, (before, t[-1])]


def negated(relation: tuple) -> tuple:
    """The relation that holds where the other does not, both sides being real."""
    head, a, b = relation
    return (NEGATED[head], b, a) if head in ("<=", "<") else (NEGATED[head], a, b)


def replaced(t: Term, old: Term, new: Term) -> Term:
    """Every copy of `old` outside binders that capture its names, replaced."""
    if t == old:
        return new
    if not isinstance(t, tuple):
        return t
    if t[0] in BINDERS:
        body = t[1] if t[2] in free(old) else replaced(t[1], old, new)
        if t[2] in free(new) and body != t[1]:
            return t
        return (t[0], body, t[2], *(replaced(a, old, new) for a in t[3:]))
    keep = 2 if t[0] in ("at", "range") else 1
    return (*t[:keep], *(replaced(a, old, new) for a in t[keep:]))
