"""The table of derivatives, on terms: derivatives are evaluated before anything else is read.

The variable is a real name, or an entry of a family (then the indices give Kronecker deltas); for
matrices and vectors see gradient.py. A derivative at a possible kink, by a whole symbol, of a limit
or under an integral is refused.
"""

from collections.abc import Mapping

import symbolic.kernel.gradient as gradients
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import BINDERS, Term, free, fresh, heads, substitute, walk

Rates = Mapping[tuple[str, str], Term]


def evaluated(term: Term, sorts: Mapping, rates: Rates, symmetric: frozenset = frozenset()) -> Term:
    """The term with every derivative carried out, innermost first."""
    if not isinstance(term, tuple):
        return term
    keep = 2 if term[0] in ("at", "range") else 1
    spend(1)
    if term[0] in BINDERS:
        body, name = term[1], term[2]
        if any(name in free(b) for b in rates.values()):  # a rate must not be captured
            new = fresh(name, free(body).union(sorts, *(free(b) for b in rates.values())))
            body, name = substitute(body, {name: new}), new
        kind = ("real",) if term[0] in ("int", "limit") else ("integer",)
        inner = evaluated(body, {**sorts, name: kind}, _elsewhere(rates, name), symmetric)
        return (term[0], inner, name, *(evaluated(a, sorts, rates, symmetric) for a in term[3:]))
    if term[0] == "all":
        if "diff" in heads(term[1]) and rates:
            raise Undecided("a rate in a fact for all indices")
        inner = {**sorts, **{r[1]: ("integer",) for r in term[2:]}}
        return ("all", evaluated(term[1], inner, {}, symmetric), *term[2:])
    if term[0] == "diff":
        return _derivative_term(term, sorts, rates, symmetric)
    return (*term[:keep], *(evaluated(a, sorts, rates, symmetric) for a in term[keep:]))


def _elsewhere(rates: Rates, name: str) -> Rates:
    """The rates that a binder of this name leaves in force."""
    return {k: v for k, v in rates.items() if name not in k}


def _written_out(t: Term, sorts: Mapping) -> Term:
    """Powers of matrices as products: the power rule is for numbers."""
    if not isinstance(t, tuple):
        return t
    if t[0] in BINDERS:
        kind = ("real",) if t[0] in ("int", "limit") else ("integer",)
        return (t[0], _written_out(t[1], {**sorts, t[2]: kind}), *t[2:])
    keep = 2 if t[0] in ("at", "range") else 1
    t = (*t[:keep], *(_written_out(a, sorts) for a in t[keep:]))
    if t[0] == "^" and not scalar(found := shape(t[1], sorts)):
        return ("eye", found[0]) if t[2] == 0 else t[1] if t[2] == 1 else ("*", *[t[1]] * t[2])
    return t


def _derivative_term(term: tuple, sorts: Mapping, rates: Rates, symmetric: frozenset) -> Term:
    body, var = evaluated(term[1], sorts, rates, symmetric), term[2]
    name = var if isinstance(var, str) else var[1]
    sort = sorts.get(name)
    if sort is None or name in symmetric:
        raise Undecided(f"a derivative by {name}, whose entries are not independent")
    if (sort[1] if sort[0] == "family" else sort)[0] == "matrix":
        if any(by == name for _, by in rates):
            raise Undecided(f"rates by the matrix {name}")
        return gradients.gradient(body, var, sorts)
    if (sort[1] if sort[0] == "family" else sort) != ("real",):
        raise Undecided(f"a derivative by {name}, which is not real")
    imaginary = "i" in heads(body) or any(("complex",) in (s, s[1:2] and s[1])
                                          for s in sorts.values())
    if imaginary and "abs" in heads(body):
        raise Undecided("the derivative of a modulus")
    if any((s[1] if s[0] == "family" else s)[0] == "matrix" for s in sorts.values()) or \
            heads(body) & {"matrix", "eye", "zeros"}:
        body = _written_out(body, sorts)
    moving = {n: body for (n, by), body in rates.items() if by == var}
    if moving:  # whole numbers and sizes do not move
        moving |= {n: 0 for n, s in sorts.items() if s == ("integer",)}
    out = _diff(body, var, moving)
    if out is not None:
        return out
    size = shape(body, sorts)
    return 0 if size is None else ("zeros", *size)


def _diff(f: Term, x: Term, rates: Mapping[str, Term]) -> Term | None:
    """df/dx, None when it is zero."""
    spend(1)
    if f == x:
        return 1
    if isinstance(f, str):
        if f in rates:
            return None if rates[f] == 0 else rates[f]
        if rates:
            raise Undecided(f"{f} has no declared rate by {x}; declare it, 0 if it is constant")
        return None
    if not isinstance(f, tuple):
        return None
    rule = RULES.get(f[0])
    if rule is not None:
        return rule(f, x, rates)
    if _depends(f, x, rates):
        raise Undecided(f"no derivative of {f[0]!r}")
    return None


def _depends(f: Term, x: Term, rates: Mapping[str, Term]) -> bool:
    name = x if isinstance(x, str) else x[1]
    return name in free(f) or bool(rates) and any(isinstance(t, str) for t in walk(f))


def plus(*parts: Term | None) -> Term | None:
    """A sum without the zeros."""
    keep = [p for p in parts if p is not None]
    return None if not keep else keep[0] if len(keep) == 1 else ("+", *keep)


def times(*parts: Term | None) -> Term | None:
    """A product without the ones; zero if a factor is zero."""
    if any(p is None for p in parts):
        return None
    keep = [p for p in parts if p != 1]
    return 1 if not keep else keep[0] if len(keep) == 1 else ("*", *keep)


def minus(part: Term | None) -> Term | None:
    """The negative of a term or of zero."""
    return None if part is None else ("-", part)


def over(part: Term | None, bottom: Term) -> Term | None:
    """A quotient, zero if its top is zero."""
    return None if part is None else ("/", part, bottom)


def _sum_rule(f: tuple, x: Term, rates: Mapping) -> Term | None:
    return plus(*(_diff(a, x, rates) for a in f[1:]))


def _product_rule(f: tuple, x: Term, rates: Mapping) -> Term | None:
    args = f[1:]
    return plus(*(times(*args[:k], _diff(a, x, rates), *args[k + 1:])
                  for k, a in enumerate(args)))


def _quotient(f: tuple, x: Term, rates: Mapping) -> Term | None:
    _, g, h = f
    dg, dh = _diff(g, x, rates), _diff(h, x, rates)
    return plus(over(dg, h), minus(over(times(g, dh), ("^", h, 2))))


def _power(f: tuple, x: Term, rates: Mapping) -> Term | None:
    _, g, h = f
    dg, dh = _diff(g, x, rates), _diff(h, x, rates)
    number = _literal(h)
    if number is not None:
        p, q = number
        lower = 1 if p == q else g if p - q == q else ("^", g, _rational(p - q, q))
        return None if p == 0 else times(_rational(p, q), lower, dg)
    through_base = times(h, ("^", g, ("+", h, ("-", 1))), dg)
    return plus(through_base, None if dh is None else times(f, ("log", g), dh))


def _literal(h: Term) -> tuple[int, int] | None:
    """(p, q) for an exponent that is a number as written."""
    if isinstance(h, int):
        return h, 1
    if isinstance(h, tuple) and h[0] == "-" and (inner := _literal(h[1])):
        return -inner[0], inner[1]
    if isinstance(h, tuple) and h[0] == "/" and isinstance(h[1], int) and isinstance(h[2], int):
        return (h[1], h[2]) if h[2] > 0 else None
    return None


def _rational(p: int, q: int) -> Term:
    top = p if p >= 0 else ("-", -p)
    return top if q == 1 else ("/", top, q)


def _chain(outer: object) -> object:
    def rule(f: tuple, x: Term, rates: Mapping) -> Term | None:
        inner = _diff(f[1], x, rates)
        return None if inner is None else times(outer(f[1]), inner)

    return rule


def _entry(f: tuple, x: Term, rates: Mapping) -> Term | None:
    if isinstance(x, tuple) and x[1] == f[1] and len(x) == len(f):
        return times(*(("delta", a, b) for a, b in zip(f[2:], x[2:], strict=True)))
    if f[1] in rates or any(_depends(a, x, {}) for a in f[2:]):
        raise Undecided(f"a rate of the family {f[1]}")
    if rates:
        raise Undecided(f"{f[1]} has no declared rate by {x}")
    return None


def _aside(f: tuple, x: Term) -> tuple[Term, str]:
    """Body and bound name, renamed when the variable of the derivative mentions the name."""
    body, name = f[1], f[2]
    if name in free(x):
        other = fresh(name, free(body) | free(x))
        return substitute(body, {name: other}), other
    return body, name


def _still_ends(f: tuple, x: Term, rates: Mapping) -> None:
    moving = {x if isinstance(x, str) else x[1]} | {n for n, body in rates.items() if body != 0}
    if any(moving & free(a) for a in f[3:]):
        raise Undecided("ends that move with the variable of the derivative")


def _sum(f: tuple, x: Term, rates: Mapping) -> Term | None:
    _still_ends(f, x, rates)
    body, name = _aside(f, x)
    inner = _diff(body, x, {**rates, name: 0} if rates else rates)
    return None if inner is None else ("sum", inner, name, *f[3:])


def _prod(f: tuple, x: Term, rates: Mapping) -> Term | None:
    _still_ends(f, x, rates)
    body, name = _aside(f, x)
    inner = _diff(body, x, {**rates, name: 0} if rates else rates)
    return None if inner is None else times(f, ("sum", ("/", inner, body), name, *f[3:]))


def _rows(f: tuple, x: Term, rates: Mapping) -> Term | None:
    rows = [tuple(_diff(a, x, rates) for a in row[1:]) for row in f[1:]]
    if all(a is None for row in rows for a in row):
        return None
    return ("matrix", *(("row", *(0 if a is None else a for a in row)) for row in rows))


def _linear(f: tuple, x: Term, rates: Mapping) -> Term | None:
    if any(_diff(index, x, rates) is not None for index in f[2:]):
        raise Undecided("a derivative by what an index depends on")
    inner = _diff(f[1], x, rates)
    return None if inner is None else (f[0], inner, *f[2:])


def _kronecker(f: tuple, x: Term, rates: Mapping) -> Term | None:
    one, two = (_diff(a, x, rates) for a in f[1:])
    return plus(None if one is None else ("kron", one, f[2]),
                None if two is None else ("kron", f[1], two))


def _inverse(f: tuple, x: Term, rates: Mapping) -> Term | None:
    return minus(times(f, _diff(f[1], x, rates), f))


def _determinant(f: tuple, x: Term, rates: Mapping) -> Term | None:
    inner = _diff(f[1], x, rates)
    return None if inner is None else times(f, ("trace", ("*", ("inv", f[1]), inner)))


def _square(a: Term) -> Term:
    return ("^", a, 2)


RULES = {
    "+": _sum_rule, "*": _product_rule, "/": _quotient, "^": _power, "at": _entry,
    "-": lambda f, x, r: minus(_diff(f[1], x, r)),
    "sum": _sum, "prod": _prod, "matrix": _rows, "T": _linear, "trace": _linear,
    "kron": _kronecker, "vec": _linear, "entry": _linear, "inv": _inverse, "det": _determinant,
    "re": _linear, "im": _linear, "conj": _linear,
    "sqrt": _chain(lambda a: ("/", 1, ("*", 2, ("sqrt", a)))),
    "exp": _chain(lambda a: ("exp", a)),
    "log": _chain(lambda a: ("/", 1, a)),
    "sin": _chain(lambda a: ("cos", a)),
    "cos": _chain(lambda a: ("-", ("sin", a))),
    "tan": _chain(lambda a: ("/", 1, _square(("cos", a)))),
    "sinh": _chain(lambda a: ("cosh", a)),
    "cosh": _chain(lambda a: ("sinh", a)),
    "tanh": _chain(lambda a: ("/", 1, _square(("cosh", a)))),
    "logistic": _chain(lambda a: ("*", ("logistic", a), ("logistic", ("-", a)))),
    "atan": _chain(lambda a: ("/", 1, ("+", 1, _square(a)))),
    "asin": _chain(lambda a: ("/", 1, ("sqrt", ("+", 1, ("-", _square(a)))))),
    "acos": _chain(lambda a: ("-", ("/", 1, ("sqrt", ("+", 1, ("-", _square(a))))))),
    "abs": _chain(lambda a: ("/", a, ("abs", a))),  # undefined at the kink, as it should be
}
