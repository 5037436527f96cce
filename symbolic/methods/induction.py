"""Induction on a whole symbol from its lower bound.

Both parts by the cheap methods; or the step in two lines, the hypothesis plus what a sum gains
(times what a product gains), then an inequality without the sum.
"""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered
from symbolic.kernel.term import Malformed, free, substitute
from symbolic.search.terms import NoTerm, term_of

PARTS = ("normal", "sign", "eliminate", "linear")
REST = ("sign", "normal", "tangent", "linear", "increasing", "calculus")


def find(statement):
    """Certificates of the rule induction, one for each whole symbol that works."""
    from symbolic.prove import certify

    if statement.relation not in ("=", "<=", "<") or statement.let or statement.rates:
        return
    for n, sort in statement.symbols:
        if sort != ("integer",) or n not in free(statement.left) | free(statement.right):
            continue
        starts = [f[1] + (f[0] == "<") for f in statement.given
                  if f[0] in ("<=", "<") and f[2] == n and isinstance(f[1], int)]
        if not starts:
            continue
        start = max(starts)
        kept = tuple(f for f in statement.given
                     if not (f[0] in ("<=", "<") and f[2] == n and isinstance(f[1], int)))
        hypothesis = (statement.relation, statement.left, statement.right)
        here = certify(_moved(statement, kept, n, start), PARTS)
        if here is None:
            continue
        up = _moved(statement, kept, n, ("+", n, 1))
        up = altered(up, given=(*up.given, ("<=", start, n), hypothesis))
        then = certify(up, PARTS) or _in_two_lines(statement, up, n)
        if then is not None:
            yield "induction", {"variable": n, "start": start, "here": here, "then": then}


def _in_two_lines(statement, up, n):
    """The step from the hypothesis L <= R: L1 <= R + t <= R1 with t = L1 - L, or L1 <= t R <= R1
    with t the new factor of a product; for `=` the hypothesis once, or t times."""
    from symbolic.prove import certify

    L, R, last = statement.left, statement.right, len(up.given) - 1
    gain = ("+", R, ("-", L))
    if statement.relation == "=":
        rows = [{"rule": "combination", "equations": [[("-", t), last]]}
                for t in (1, ("/", up.right, R))]
        return next((row for row in rows if _holds(up, row)), None)
    lines = [(("+", t, R), gain) for t in _gained(up, L)]
    if isinstance(L, tuple) and L[0] == "prod" and L[4] == n:
        t = substitute(L[1], {L[2]: ("+", n, 1)})
        lines.append((("*", t, R), ("*", t, gain)))
    for middle, term in lines:
        first = {"rule": "combination", "terms": [term]}
        if not _holds(altered(up, right=middle, relation="<="), first):
            continue
        second = certify(altered(up, left=middle), REST)
        if second is not None:
            return {"rule": "chain", "lines": [middle],
                    "relations": ["<=", up.relation], "by": [first, second]}
    return None


def _gained(up, L):
    """L1 - L as a term, where it has one."""
    try:
        with limited(100_000):
            scope = prepare(up).scope
            yield term_of(subtract(normal(up.left, scope), normal(L, scope)))
    except (Undecided, NoTerm, Malformed):
        return


def _holds(statement, row):
    from symbolic.kernel.check import examine
    from symbolic.kernel.statement import Certificate, Level

    rule, data = row["rule"], {k: v for k, v in row.items() if k != "rule"}
    return examine(statement, Certificate(statement.digest, rule, data)).level is Level.PROVED


def _moved(statement, kept, n, value):
    at = {n: value}
    return altered(statement, left=substitute(statement.left, at),
                   right=substitute(statement.right, at),
                   given=tuple(substitute(f, at) for f in kept))
