"""Induction on a whole symbol from its lower bound, both parts by the cheap methods."""

from symbolic.kernel.rules import altered
from symbolic.kernel.term import free, substitute

PARTS = ("normal", "sign", "eliminate", "linear")


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
        then = certify(up, PARTS)
        if then is not None:
            yield "induction", {"variable": n, "start": start, "here": here, "then": then}


def _moved(statement, kept, n, value):
    at = {n: value}
    return altered(statement, left=substitute(statement.left, at),
                   right=substitute(statement.right, at),
                   given=tuple(substitute(f, at) for f in kept))
