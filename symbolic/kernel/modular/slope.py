"""Derivatives of terms, for the modular zero test only (the prover has its own table).

Kinks are made undefined on purpose (a division by zero), so that a point which falls on one is
skipped and never taken for a disagreement.
"""

from collections.abc import Mapping

from symbolic.kernel.modular.field import Undecided
from symbolic.kernel.term import BINDERS, Term, free, fresh, substitute

NOWHERE = ("/", 1, 0)


def _sum(*terms: Term) -> Term:
    kept = tuple(t for t in terms if t != 0)
    return 0 if not kept else kept[0] if len(kept) == 1 else ("+", *kept)


def _times(*factors: Term) -> Term:
    if any(f == 0 for f in factors):
        return 0
    kept = tuple(f for f in factors if f != 1)
    return 1 if not kept else kept[0] if len(kept) == 1 else ("*", *kept)


def _minus(t: Term) -> Term:
    return 0 if t == 0 else ("-", t)


# head -> the derivative of the function as a term in its argument
OUTER = {
    "exp": lambda x: ("exp", x), "sin": lambda x: ("cos", x), "cos": lambda x: ("-", ("sin", x)),
    "sinh": lambda x: ("cosh", x), "cosh": lambda x: ("sinh", x),
    "log": lambda x: ("cases", ("case", ("<=", x, 0), NOWHERE), ("/", 1, x)),
    "sqrt": lambda x: ("/", 1, ("*", 2, ("sqrt", x))),
    "tan": lambda x: ("+", 1, ("^", ("tan", x), 2)),
    "tanh": lambda x: ("+", 1, ("-", ("^", ("tanh", x), 2))),
    "logistic": lambda x: ("*", ("logistic", x), ("+", 1, ("-", ("logistic", x)))),
    "atan": lambda x: ("/", 1, ("+", 1, ("^", x, 2))),
    "asin": lambda x: ("/", 1, ("sqrt", ("+", 1, ("-", ("^", x, 2))))),
    "acos": lambda x: ("-", ("/", 1, ("sqrt", ("+", 1, ("-", ("^", x, 2)))))),
    "abs": lambda x: ("/", x, ("abs", x)), "sign": lambda x: ("*", 0, ("/", 1, x)),
}


def without_derivatives(term: Term, sorts: Mapping[str, tuple], rates: Mapping) -> Term:
    """The term with every derivative carried out, innermost first; raises Undecided."""
    if not isinstance(term, tuple):
        return term
    parts = tuple(without_derivatives(a, sorts, rates) for a in term[1:])
    if term[0] != "diff":
        return (term[0], *parts)
    by = parts[1]
    if isinstance(by, str) and sorts.get(by) != ("real",) and (by not in {v for _, v in rates}):
        raise Undecided("a derivative by something that is not a real symbol")
    if isinstance(by, tuple) and sorts.get(by[1], ("",))[:2] != ("family", ("real",)):
        raise Undecided("a derivative by something that is not an entry of a real family")
    return slope(parts[0], by, sorts, rates)


def slope(t: Term, by: Term, sorts: Mapping[str, tuple], rates: Mapping) -> Term:
    """The derivative of a term without derivatives, by a name or an entry of a family."""
    def d(x: Term) -> Term:
        return slope(x, by, sorts, rates)

    if isinstance(t, int):
        return 0
    name = by if isinstance(by, str) else by[1]
    moving = {n for n, v in rates if v == by}
    if name not in free(t) and not moving:
        return 0
    if isinstance(t, str):
        return _of_name(t, by, sorts, rates, moving)
    head, args = t[0], t[1:]
    if head == "at":
        if ({name} | moving) & frozenset().union(*(free(a) for a in args[1:])):
            raise Undecided("an index that moves")
        if args[0] in moving or (moving and args[0] != name):
            raise Undecided("rates of a family")
        if args[0] != name:
            return 0
        return _times(*(("delta", a, b) for a, b in zip(args[1:], by[2:], strict=True)))
    if head in BINDERS:
        return _of_binder(t, by, d)
    if head in RULES:
        return RULES[head](args, d)
    if head in OUTER:
        return _times(OUTER[head](args[0]), d(args[0]))
    if not ({name} | moving) & free(t):
        return 0
    raise Undecided(f"the derivative of {head}")


def _of_name(t: str, by: Term, sorts: Mapping, rates: Mapping, moving: set) -> Term:
    if t == by:
        return 1
    if t in moving:
        return rates[t, by]
    if moving and sorts.get(t, ("integer",)) != ("integer",):
        raise Undecided(f"{t} has no declared rate")
    return 0


def _of_binder(t: tuple, by: Term, d) -> Term:
    head, body, name, low, high = t
    if head not in ("sum", "prod") or d(low) != 0 or d(high) != 0:
        raise Undecided("a derivative of an integral, a limit or moving ends")
    if name == by:
        return 0
    if name in free(by):
        name = fresh(name, free(body) | free(by))
        body = substitute(body, {t[2]: name})
    inner = d(body)
    if inner == 0 or head == "sum":
        return 0 if inner == 0 else ("sum", inner, name, low, high)
    other = fresh(name, free(body) | free(by) | {name})
    rest = ("cases", ("case", ("=", other, name), 1), substitute(body, {name: other}))
    return ("sum", _times(inner, ("prod", rest, other, low, high)), name, low, high)


def _product(args: tuple, d) -> Term:
    return _sum(*(_times(*args[:k], d(a), *args[k + 1:]) for k, a in enumerate(args)))


def _quotient(args: tuple, d) -> Term:
    top, bottom = args
    first = d(top)
    first = 0 if first == 0 else ("/", first, bottom)
    second = d(bottom)
    second = 0 if second == 0 else ("-", ("/", _times(top, second), ("^", bottom, 2)))
    return _sum(first, second)


def _power(args: tuple, d) -> Term:
    base, power = args
    inner, outer = d(base), d(power)
    if isinstance(power, int) and outer == 0:
        if 0 <= power <= 12:
            return _product((base,) * power, d) if power else 0
        return _times(power, ("^", base, power - 1), inner)
    first = _times(power, ("^", base, ("+", power, -1)), inner)
    return _sum(first, _times(("^", base, power), ("log", base), outer))


def _piecewise(args: tuple, d) -> Term:
    branches = []
    for _, (relation, left, right), value in args[:-1]:
        if relation not in ("<", "<="):
            raise Undecided("the derivative of a piecewise term at single points")
        branches.append(("case", ("=", left, right), NOWHERE))
        branches.append(("case", (relation, left, right), d(value)))
    return ("cases", *branches, d(args[-1]))


def _largest(args: tuple, d, sign: int) -> Term:
    if len(args) == 1:
        return d(args[0])
    first, rest = args[0], (("max" if sign > 0 else "min"), *args[1:])
    one, two = (rest, first) if sign > 0 else (first, rest)
    return ("cases", ("case", ("<", one, two), d(first)),
            ("case", ("<", two, one), _largest(args[1:], d, sign)), NOWHERE)


def _arctangent(args: tuple, d) -> Term:
    y, x = args
    top = _sum(_times(x, d(y)), _minus(_times(y, d(x))))
    return 0 if top == 0 else ("/", top, ("+", ("^", x, 2), ("^", y, 2)))


def _wrap(head: str):
    def rule(args: tuple, d) -> Term:
        inner = d(args[0])
        return 0 if inner == 0 else (head, inner, *args[1:])
    return rule


def _inverse(args: tuple, d) -> Term:
    inner = d(args[0])
    return 0 if inner == 0 else ("-", ("*", ("inv", args[0]), inner, ("inv", args[0])))


def _determinant(args: tuple, d) -> Term:
    inner = d(args[0])
    return _times(("det", *args), 0 if inner == 0 else ("trace", ("*", ("inv", args[0]), inner)))


RULES = {
    "+": lambda args, d: _sum(*map(d, args)), "-": lambda args, d: _minus(d(args[0])),
    "*": _product, "/": _quotient, "^": _power, "cases": _piecewise, "atan2": _arctangent,
    "max": lambda args, d: _largest(args, d, 1), "min": lambda args, d: _largest(args, d, -1),
    "T": _wrap("T"), "trace": _wrap("trace"), "re": _wrap("re"), "im": _wrap("im"),
    "conj": _wrap("conj"), "entry": _wrap("entry"), "inv": _inverse, "det": _determinant,
    "matrix": lambda args, d: ("matrix", *(("row", *map(d, r[1:])) for r in args)),
    "pi": lambda args, d: 0, "e": lambda args, d: 0, "i": lambda args, d: 0,
    "oo": lambda args, d: 0,
    "eye": lambda args, d: 0, "zeros": lambda args, d: 0,
}
