"""Equations among the facts used where the author wrote their left sides.

The factor of the certificate is a divided difference f(L) - f(R) = factor * (L - R), taken along
the structure of the term: no polynomial algebra, so exponentials, sums and roots do no harm.
"""

from symbolic.kernel.term import substitute, unfold, walk


def _match(pattern, term, names, found):
    """Indices `names` at which a fact's left side is this term; None if it is another one."""
    if isinstance(pattern, str) and pattern in names:
        if found.setdefault(pattern, term) != term:
            return None
        return found
    if not isinstance(pattern, tuple) or not isinstance(term, tuple):
        return found if pattern == term else None
    if len(pattern) != len(term) or pattern[0] != term[0]:
        return None
    for a, b in zip(pattern[1:], term[1:], strict=True):
        if _match(a, b, names, found) is None:
            return None
    return found


def _difference(f, old, new):
    """(factor, f with old replaced by new), factor * (old - new) = f - that; factor 0 if none."""
    if f == old:
        return 1, new
    if not isinstance(f, tuple) or old not in set(walk(f)):
        return 0, f
    if f[0] == "+":
        parts = [_difference(a, old, new) for a in f[1:]]
        slopes = [s for s, _ in parts if s != 0]
        return (slopes[0] if len(slopes) == 1 else ("+", *slopes)), ("+", *(r for _, r in parts))
    if f[0] == "-":
        slope, rest = _difference(f[1], old, new)
        return ("-", slope), ("-", rest)
    if f[0] == "*":
        slopes, done = [], []
        for i, a in enumerate(f[1:], 1):
            slope, rest = _difference(a, old, new)
            if slope != 0:
                slopes.append(("*", *done, slope, *f[i + 1:]) if done or f[i + 1:] else slope)
            done.append(rest)
        return (slopes[0] if len(slopes) == 1 else ("+", *slopes)), ("*", *done)
    if f[0] == "/" and old not in set(walk(f[2])):
        slope, rest = _difference(f[1], old, new)
        return ("/", slope, f[2]), ("/", rest, f[2])
    if f[0] == "^" and isinstance(f[2], int) and 1 < f[2] <= 8:
        return _difference(("*", *[f[1]] * f[2]), old, new)
    return 0, f


def _rows(side, sign, statement):
    """Equation rows that take `sign` times a side to what it is with the facts put in."""
    rows = []
    for place, fact in enumerate(statement.given):
        relation, names = (fact[1], [r[1] for r in fact[2:]]) if fact[0] == "all" else (fact, [])
        if relation[0] != "=":
            continue
        pattern, value = (unfold(t, statement.let) for t in relation[1:])
        for term in dict.fromkeys(walk(side)):
            found = _match(pattern, term, names, {}) if isinstance(term, tuple) else None
            if found is None or set(found) != set(names):
                continue
            factor, after = _difference(side, term, substitute(value, found))
            if factor != 0:
                factor = factor if sign > 0 else ("-", factor)
                rows.append([factor, place, [found[n] for n in names]] if names
                            else [factor, place])
                side = after
    return rows


def rewritten(statement):
    """Data of the rule combination for an equality, or None if no fact occurs in either side."""
    left, right = (unfold(t, statement.let) for t in (statement.left, statement.right))
    rows = _rows(right, 1, statement) + _rows(left, -1, statement)
    return {"equations": rows} if rows else None
