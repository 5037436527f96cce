"""What must hold for a term, as it was written, to be defined; what the facts give is dropped.

Conditions are terms. Under a binder they are quantified over its range, in a branch of a piecewise
term they are asked where the branch holds (and kept in full when they stay open, which is more
than is needed). A derivative needs its body and its value to be defined.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import symbolic.kernel.determinants as determinants
import symbolic.kernel.entail as entail
from symbolic.kernel import facts as facts_
from symbolic.kernel.budget import Undecided
from symbolic.kernel.facts import NONNEG, PLUS
from symbolic.kernel.letters import flags
from symbolic.kernel.normal import Scope, normal, real
from symbolic.kernel.polynomial import atom, constant, freeze, subtract
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.signs import guarded, sign
from symbolic.kernel.structure import integral
from symbolic.kernel.term import Term, free, heads
from symbolic.kernel.words import matrix

PARTIAL = frozenset({"/", "^", "log", "tan", "inv", "sqrt", "atan2"})


def conditions(term: Term, s: Scope) -> tuple[Term, ...]:
    """The conditions left over, each once; Undecided where existence itself is open.

    Ask it of a term as written and of the term with its derivatives carried out: the first knows
    the bodies of derivatives, the second where the derivatives exist.
    """
    return tuple(dict.fromkeys(_walk(term, s)))


def _walk(t: Term, s: Scope) -> Iterator[Term]:
    if not isinstance(t, tuple):
        return
    rule = _RULES.get(t[0])
    if rule is not None:
        yield from rule(t, s)
        return
    for a in t[2:] if t[0] == "at" else t[1:]:
        yield from _walk(a, s)


def _nonzero(t: Term, s: Scope) -> Iterator[Term]:
    if "0" in sign(t, s) and not _surely_nonzero(t, s):
        yield ("!=", t, 0)


def _surely_nonzero(t: Term, s: Scope) -> bool:
    if isinstance(t, tuple) and t[0] == "*":
        return all(_surely_nonzero(a, s) for a in t[1:])
    if isinstance(t, tuple) and t[0] in ("^", "sqrt", "abs", "-"):
        return _surely_nonzero(t[1], s)
    try:
        return "0" not in sign(t, s) or facts_.nonzero(s.facts, normal(t, s))
    except Undecided:
        return False


def _quotient(t: tuple, s: Scope) -> Iterator[Term]:
    yield from _walk(t[1], s)
    yield from _walk(t[2], s)
    yield from _divisor(t[2], s)


def _divisor(t: Term, s: Scope) -> Iterator[Term]:
    """Each factor of a divisor is nonzero."""
    if isinstance(t, tuple) and t[0] == "*" and not s.matrices:
        for a in t[1:]:
            yield from _divisor(a, s)
    elif isinstance(t, tuple) and t[0] == "^" and isinstance(t[2], int) and t[2] > 0:
        yield from _divisor(t[1], s)
    else:
        yield from _nonzero(t, s)


def _power(t: tuple, s: Scope) -> Iterator[Term]:
    yield from _walk(t[1], s)
    yield from _walk(t[2], s)
    if t[1] == ("e",) or not scalar(shape(t[1], s.sorts)):
        return
    if not real(t[2], s):
        raise Undecided("a complex exponent")
    q = normal(t[2], s)
    if set(q) <= {frozenset()}:
        yield from _number_power(t[1], Fraction(q.get(frozenset(), 0)), s)
        return
    signs = sign(t[1], s)
    if signs == PLUS:
        return
    whole = integral(q)
    if whole and _surely_nonzero(t[1], s):
        return
    if entail.entails(s.facts, subtract(q, constant(1))) and (whole or signs <= NONNEG):
        return
    yield ("!=", t[1], 0) if whole else ("<", 0, t[1])


def _number_power(base: Term, q: Fraction, s: Scope) -> Iterator[Term]:
    if q.denominator == 1:
        if q < 0:
            yield from _nonzero(base, s)
    elif q > 0:
        yield from _at_least_zero(base, s)
    else:
        yield from _above_zero(base, s)


def _at_least_zero(t: Term, s: Scope) -> Iterator[Term]:
    if not sign(t, s) <= NONNEG:
        yield ("<=", 0, t)


def _above_zero(t: Term, s: Scope) -> Iterator[Term]:
    if sign(t, s) != PLUS:
        yield ("<", 0, t)


def _of_argument(test: object) -> object:
    def rule(t: tuple, s: Scope) -> Iterator[Term]:
        yield from _walk(t[1], s)
        yield from test(t[1], s)

    return rule


def _tangent(t: tuple, s: Scope) -> Iterator[Term]:
    yield from _walk(t[1], s)
    yield from _nonzero(("cos", t[1]), s)


def _arc(t: tuple, s: Scope) -> Iterator[Term]:
    yield from _walk(t[1], s)
    yield from _at_least_zero(("+", 1, ("-", t[1])), s)
    yield from _at_least_zero(("+", 1, t[1]), s)


def _angle(t: tuple, s: Scope) -> Iterator[Term]:
    yield from _walk(t[1], s)
    yield from _walk(t[2], s)
    yield from _above_zero(("+", ("^", t[1], 2), ("^", t[2], 2)), s)


def _indices(t: tuple, s: Scope) -> Iterator[Term]:
    """Indices of families and arguments of delta are whole."""
    for a in t[2:] if t[0] == "at" else t[1:]:
        yield from _walk(a, s)
        if not integral(normal(a, s)):
            raise Undecided("an index that need not be whole")


def _entry(t: tuple, s: Scope) -> Iterator[Term]:
    """Whole indices within the size of the matrix."""
    yield from _walk(t[1], s)
    for index, end in zip(t[2:], shape(t[1], s.sorts), strict=True):
        yield from _walk(index, s)
        p = normal(index, s)
        if not integral(p):
            raise Undecided("an index that need not be whole")
        if not entail.entails(s.facts, subtract(p, constant(1))):
            yield ("<=", 1, index)
        if not entail.entails(s.facts, subtract(normal(end, s), p)):
            yield ("<=", index, end)


def _whole(t: tuple, s: Scope) -> Iterator[Term]:
    """factorial and binomial: whole arguments, not negative."""
    for a in t[1:]:
        yield from _walk(a, s)
        if not integral(normal(a, s)):
            raise Undecided(f"{t[0]} of what need not be whole")
        yield from _at_least_zero(a, s)


def _binder(t: tuple, s: Scope) -> Iterator[Term]:
    yield from _walk(t[3], s)
    yield from _walk(t[4], s)
    if ("oo",) in t[3:] or ("-", ("oo",)) in t[3:]:
        raise Undecided("an infinite sum or product")
    low, high = normal(t[3], s), normal(t[4], s)
    if not (integral(low) and integral(high)):
        raise Undecided("a sum between ends that need not be whole")
    inner, name = s.bind(t[2])
    inner = inner.under([subtract(atom(name), low), subtract(high, atom(name))])
    for c in _walk(t[1], inner):
        if t[2] not in free(c):
            yield c
        elif c[0] == "all":
            yield ("all", c[1], ("range", t[2], t[3], t[4]), *c[2:])
        else:
            yield ("all", c, ("range", t[2], t[3], t[4]))


def _integral(t: tuple, s: Scope) -> Iterator[Term]:
    """The integrand is defined on the whole closed range; infinite ends need the table."""
    if "cases" in heads(t[1]) and heads(t[1]) & PARTIAL:
        raise Undecided("a piecewise integrand whose branches need not be bounded")
    infinite = [e in (("oo",), ("-", ("oo",))) for e in t[3:]]
    inner, name = s.bind(t[2], "sym")
    inside = []
    for e, unbounded, side in zip(t[3:], infinite, (1, -1), strict=True):
        yield from () if unbounded else _walk(e, s)
        if not unbounded:
            gap = subtract(atom(name), normal(e, s))
            inside.append(gap if side > 0 else {m: -c for m, c in gap.items()})
    if not any(infinite):
        gap = subtract(normal(t[4], s), normal(t[3], s))
        if not facts_.nonnegative(s.facts, gap):
            inside = [{m: -c for m, c in p.items()} for p in inside]
            if not facts_.nonnegative(s.facts, {m: -c for m, c in gap.items()}):
                inside = []
    if any(True for _ in _walk(t[1], inner.under(inside))):
        raise Undecided("an integrand that need not be defined on the whole range")
    if any(infinite) and _opaque(normal(t, s)):
        raise Undecided("an improper integral whose convergence is open")


def _opaque(item: object) -> bool:
    if isinstance(item, dict):
        item = freeze(item)
    if isinstance(item, frozenset):
        return any(_opaque(x) for x in item)
    if not isinstance(item, tuple) or not item:
        return False
    return item[:2] in (("B", "int"), ("B", "limit")) or any(_opaque(x) for x in item)


def _limit(t: tuple, s: Scope) -> Iterator[Term]:
    raise Undecided("whether the limit exists")
    yield


def _derivative(t: tuple, s: Scope) -> Iterator[Term]:
    """The body here; the value of the derivative is asked after in the evaluated term."""
    yield from _walk(t[1], s)


def _cases(t: tuple, s: Scope) -> Iterator[Term]:
    for _, condition, value in t[1:-1]:
        yield from _walk(condition[1], s)
        yield from _walk(condition[2], s)
        yield from _walk(value, guarded(condition, s))
    yield from _walk(t[-1], s)


def _inverse(t: tuple, s: Scope) -> Iterator[Term]:
    yield from _walk(t[1], s)
    rows = shape(t[1], s.sorts)
    if rows is None:
        yield from _nonzero(t[1], s)
        return
    if not _invertible(t[1], s):
        condition = ("!=", ("det", t[1]), 0)
        if _surely_nonzero(condition[1], s):
            return
        yield condition


def _invertible(t: Term, s: Scope) -> bool:
    """By flags, by positive definite shape, or as a product of invertible square factors."""
    if isinstance(t, tuple) and t[0] in ("T", "inv", "-"):
        return _invertible(t[1], s)
    if isinstance(t, tuple) and t[0] == "kron":
        return all(len(set(shape(a, s.sorts) or (1, 1))) == 1 and _invertible(a, s) for a in t[1:])
    if isinstance(t, tuple) and t[0] == "*":
        parts = [a for a in t[1:] if shape(a, s.sorts) is not None]
        if all(len(set(shape(a, s.sorts))) == 1 for a in parts):
            return all(_surely_nonzero(a, s) for a in t[1:] if a not in parts) and all(
                _invertible(a, s) for a in parts)
    if isinstance(t, str):
        return bool(flags(s.facts.sorts, ("m", t)) & {"pd", "invertible", "orthogonal"})
    if isinstance(t, tuple) and t[0] == "at":
        return bool(flags(s.facts.sorts, ("m", t[1])) & {"pd", "invertible", "orthogonal"})
    try:
        return determinants.definite(matrix(t, s), s)
    except Undecided:
        return False


def _sized(t: tuple, s: Scope) -> Iterator[Term]:
    for n in t[1:]:
        if not entail.entails(s.facts, subtract(normal(n, s), constant(1))):
            yield ("<=", 1, n)


_RULES = {
    "/": _quotient, "^": _power, "sqrt": _of_argument(_at_least_zero),
    "log": _of_argument(_above_zero), "tan": _tangent, "asin": _arc, "acos": _arc,
    "atan2": _angle, "factorial": _whole, "binomial": _whole, "sum": _binder, "prod": _binder,
    "int": _integral, "limit": _limit, "diff": _derivative, "cases": _cases, "inv": _inverse,
    "eye": _sized, "zeros": _sized, "at": _indices, "delta": _indices,
    "entry": _entry,
}
