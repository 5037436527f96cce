"""From a normal form back to a term: how search writes what it found into a certificate."""

from fractions import Fraction

from symbolic.kernel.polynomial import thaw
from symbolic.kernel.structure import support


class NoTerm(Exception):
    """An atom that this writer does not know."""


def number(c):
    """A rational as a term."""
    c = Fraction(c)
    top = abs(c.numerator) if c.denominator == 1 else ("/", abs(c.numerator), c.denominator)
    return top if c >= 0 else ("-", top)


def term_of(p, taken=frozenset()):
    """A term with the normal form p; `taken` are names that bound names avoid. Raises NoTerm."""
    if not p:
        return 0
    parts = [_monomial(m, c, taken) for m, c in sorted(p.items(), key=lambda x: str(x[0]))]
    return parts[0] if len(parts) == 1 else ("+", *parts)


def _monomial(m, c, taken):
    c = Fraction(c)
    factors = [_power(a, e, taken) for a, e in sorted(m, key=str)]
    if abs(c) != 1 or not factors:
        factors.insert(0, number(abs(c)))
    out = factors[0] if len(factors) == 1 else ("*", *factors)
    return out if c > 0 else ("-", out)


def _power(a, e, taken):
    if a[0] == "E":
        return ("exp", term_of({a[1]: e}, taken))
    if a[0] == "num":
        return ("^", a[1], number(e))
    base = atom_term(a, taken)
    if e == 1:
        return base
    return ("sqrt", base) if e == Fraction(1, 2) else ("^", base, number(e))


def atom_term(a, taken):
    """A term for one atom."""
    kind = a[0]
    if kind in ("sym", "int", "csym"):
        if not a[1].isidentifier():
            raise NoTerm(a[1])
        return a[1]
    if kind in ("i", "pi"):
        return (kind,)
    if kind in ("at", "iat", "cat"):
        return ("at", a[1], *(term_of(thaw(f), taken) for f in a[2:]))
    if kind == "P":
        return term_of(thaw(a[1]), taken)
    if kind == "log":
        return ("log", term_of(thaw(a[1]), taken))
    if kind == "pow":
        return ("^", term_of(thaw(a[1]), taken), term_of(thaw(a[2]), taken))
    if kind == "conj":
        return ("conj", atom_term(a[1], taken))
    if kind == "f":
        return _function(a, taken)
    if kind == "S":
        return _sum(a, taken)
    if kind == "b":
        return f"k{a[1]}_{a[2]}"
    if kind == "tr":
        return ("trace", _word(a[1], taken))
    if kind == "en":
        return ("entry", _letter((a[1], False, a[2]), taken),
                *(term_of(thaw(f), taken) for f in a[3:]))
    raise NoTerm(kind)


def _function(a, taken):
    head = {"modulus": "abs"}.get(a[1], a[1])
    if head == "cases":
        raise NoTerm(head)
    if head in ("max", "min"):
        return (head, *(term_of(thaw(f), taken) for f in sorted(a[2], key=str)))
    args = [term_of(thaw(f), taken) for f in a[2:]]
    return (head, *args, 0) if head == "delta" else (head, *args)


def _sum(a, taken):
    """Nested sums, each name between ends that only mention the names outside it."""
    _, level, constraints, mono = a
    names = sorted(b for b in support(constraints) if b[0] == "b" and b[1] == level)
    ranges, open_names, left = [], list(names), [thaw(c) for c in constraints]
    while open_names:
        for name in open_names:
            ends = _ends(name, left, set(open_names) - {name})
            if ends:
                break
        else:
            raise NoTerm("a sum that is no nest")
        ranges.append((name, *ends))
        open_names.remove(name)
        left = [p for p in left if not any((name, 1) in m for m in p)]
    out = term_of({mono: 1}, taken)
    for name, low, high in ranges:
        out = ("sum", out, atom_term(name, taken), term_of(low, taken), term_of(high, taken))
    return out


def _ends(name, constraints, inner):
    """The ends of the innermost name; its redundant constraints are those without the others."""
    lows, highs = [], []
    for p in constraints:
        c = p.get(frozenset({(name, 1)}), 0)
        rest = {m: -k if c > 0 else k for m, k in p.items() if m != frozenset({(name, 1)})}
        if c == 1:
            lows.append(rest)
        elif c == -1:
            highs.append(rest)
    lows, highs = (_sharp(ends, inner) for ends in (lows, highs))
    return (lows, highs) if lows is not None and highs is not None else None


def _sharp(ends, inner):
    """The one end; between several, the one that mentions another bound name."""
    if len(ends) == 1:
        return ends[0]
    linked = [p for p in ends if any(a in inner for m in p for a, _ in m)]
    return linked[0] if len(linked) == 1 else None


def words_term(p, rows):
    """A term with the word form p; `rows` is its size where the identity stands alone."""
    parts = []
    for w, c in p.items():
        word = _word(w, frozenset()) if w else ("eye", rows)
        parts.append(word if c == {frozenset(): 1} else ("*", term_of(c), word))
    return parts[0] if len(parts) == 1 else ("+", *parts)


def _word(word, taken):
    parts = [_letter(x, taken) for x in word]
    return parts[0] if len(parts) == 1 else ("*", *parts)


def _letter(x, taken):
    base, transposed, inverted = x
    kind = base[0]
    if kind == "c":
        rows = [("*", term_of(thaw(c), taken), _word(w, taken)) if w else
                ("*", term_of(thaw(c), taken), ("eye", base[2])) for w, c in base[1]]
        out = ("inv", rows[0] if len(rows) == 1 else ("+", *rows))
    elif kind == "k":
        out = ("kron", *(_word(w, taken) if w else ("eye", n)
                         for w, n in zip(base[1:3], (base[3], base[5]), strict=True)))
    elif kind == "v":
        out = ("vec", _word(base[1], taken) if base[1] else ("eye", base[2]))
    elif kind == "m":
        out = base[1] if len(base) == 2 else (
            "at", base[1], *(term_of(thaw(f), taken) for f in base[2:]))
    else:
        raise NoTerm("a sum of matrices")
    out = ("inv", out) if inverted else out
    return ("T", out) if transposed else out
