"""Signs and bounds of terms by their shape: squares, exponentials, sines, sums over an index.

Exponentials hide that a cosine is real, so questions of sign are asked of the term as it was
written first and of its normal form second. Axioms enter here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import symbolic.kernel.entail as entail
import symbolic.kernel.facts as facts_
import symbolic.kernel.semidefinite as by_shape
from symbolic.kernel import axioms
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.facts import ANY, NONNEG, PLUS, ZERO, add_signs, flip, power_sign, times_signs
from symbolic.kernel.normal import Scope, compared, normal, real
from symbolic.kernel.polynomial import Poly, atom, subtract
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Term, heads

ALWAYS_POSITIVE = frozenset({"exp", "cosh", "logistic", "pi", "e", "factorial"})
NEVER_NEGATIVE = frozenset({"abs", "sqrt", "delta", "acos"})
LIKE_ARGUMENT = frozenset({"sinh", "tanh", "atan", "asin", "sign"})


@dataclass(frozen=True)
class Span:
    """An interval of rationals, None for an infinite end, with open ends marked."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = True
    high_open: bool = True


EVERYWHERE = Span()


def sign(term: Term, s: Scope, used: set | None = None) -> frozenset:
    """The signs a real term may have where it is defined; names of axioms go into `used`."""
    spend(2)
    if not scalar(shape(term, s.sorts)):
        return ANY
    try:
        out = _by_shape(term, s, used)
        if len(out) > 1 and term != 0:
            out = out & _by_span(term, s) or out
        if len(out) > 1:
            p = normal(term, s)
            found = facts_.sign(s.facts, p)
            out = out & found or out
        if len(out) > 1 and s.rules:  # a fact may have hidden the sign
            out = out & sign(term, s.without_rules(), used) or out
    except Undecided:
        return ANY
    return out


def _by_shape(term: Term, s: Scope, used: set | None) -> frozenset:
    if isinstance(term, int):
        return PLUS if term > 0 else ZERO if term == 0 else frozenset("-")
    if isinstance(term, str):
        return ANY
    axiom = axioms.matching(term, lambda p: sign(p, s, used) <= NONNEG, lambda p: real(p, s))
    if axiom:
        if used is not None:
            used.add(axiom)
        return NONNEG
    head = term[0]
    if head in ALWAYS_POSITIVE:
        return PLUS if head in ("pi", "e", "factorial") or real(term[1], s) else ANY
    if head in NEVER_NEGATIVE:
        if head == "abs":
            return PLUS if "0" not in sign(term[1], s, used) and real(term[1], s) else NONNEG
        if head == "sqrt":
            return PLUS if sign(term[1], s, used) == PLUS else NONNEG
        return NONNEG
    if head in LIKE_ARGUMENT:
        return sign(term[1], s, used)
    rule = _RULES.get(head)
    return rule(term, s, used) if rule else ANY


def _sum(t: tuple, s: Scope, used: set | None) -> frozenset:
    return add_signs([sign(a, s, used) for a in t[1:]])


def _trace(t: tuple, s: Scope, used: set | None) -> frozenset:
    return NONNEG if _quadratic(t[1], s) or _two_semidefinite(t[1], s) else ANY


def _two_semidefinite(t: Term, s: Scope) -> bool:
    """Whether a product, turned round, is written X Y with both positive semidefinite by shape.

    tr(X Y) = tr(Y^(1/2) X Y^(1/2)) >= 0.
    """
    if s.complex or not isinstance(t, tuple) or t[0] != "*" or "i" in heads(t) or len(t) > 9:
        return False
    parts = t[1:]
    if any(scalar(shape(a, s.sorts)) for a in parts):
        return False
    for start in range(len(parts)):
        turned = parts[start:] + parts[:start]
        if any(by_shape.semidefinite(_product_of(turned[:cut]), s)
               and by_shape.semidefinite(_product_of(turned[cut:]), s)
               for cut in range(1, len(turned))):
            return True
    return False


def _product_of(parts: tuple) -> Term:
    return parts[0] if len(parts) == 1 else ("*", *parts)


def _quadratic(t: Term, s: Scope) -> bool:
    """Whether a matrix term is written r^T r or r^T M r with M positive semidefinite by shape."""
    if s.complex or not isinstance(t, tuple) or t[0] != "*" or len(t) < 3 or "i" in heads(t):
        return False
    one, *middle, two = t[1:]
    if shape(two, s.sorts) is None or not (one == ("T", two) or two == ("T", one)):
        return False
    inner = middle[0] if len(middle) == 1 else ("*", *middle)
    return not middle or by_shape.semidefinite(inner, s)


def _product(t: tuple, s: Scope, used: set | None) -> frozenset:
    if s.matrices and _quadratic(t, s):
        return NONNEG
    out = PLUS
    for a in t[1:]:
        if not scalar(shape(a, s.sorts)):
            return ANY
        out = times_signs(out, sign(a, s, used))
    return out


def _quotient(t: tuple, s: Scope, used: set | None) -> frozenset:
    return times_signs(sign(t[1], s, used), sign(t[2], s, used) - ZERO)


def _power(t: tuple, s: Scope, used: set | None) -> frozenset:
    q = normal(t[2], s)
    if set(q) <= {frozenset()}:
        c = Fraction(q.get(frozenset(), 0))
        if c == 0:
            return PLUS
        if c.denominator == 1 and c % 2 == 0 and not real(t[1], s):
            return ANY
        return power_sign(sign(t[1], s, used), c)
    base = sign(t[1], s, used)
    if not (base <= NONNEG and real(t[2], s)):
        return ANY
    return PLUS if base == PLUS else NONNEG


def _over_index(t: tuple, s: Scope, used: set | None) -> frozenset:
    """A sum (or product) of terms of one sign; strict for a sum only if a term is entailed."""
    low, high = normal(t[3], s), normal(t[4], s)
    inner, name = s.bind(t[2])
    inner = inner.under([subtract(atom(name), low), subtract(high, atom(name))])
    body = sign(t[1], inner, used)
    if t[0] == "prod":
        return body if body == PLUS else NONNEG if body <= NONNEG else ANY
    if body == PLUS and entail.entails(s.facts, subtract(high, low)):
        return PLUS
    if body <= NONNEG:
        return NONNEG
    if body == frozenset("-") and entail.entails(s.facts, subtract(high, low)):
        return body
    return frozenset("-0") if body <= frozenset("-0") else ANY


def _integral(t: tuple, s: Scope, used: set | None) -> frozenset:
    if t[3] == ("-", ("oo",)) or t[4] == ("oo",):
        return ANY
    low, high = normal(t[3], s), normal(t[4], s)
    if not facts_.nonnegative(s.facts, subtract(high, low)):
        return ANY
    inner, name = s.bind(t[2], "sym")
    inner = inner.under([subtract(atom(name), low), subtract(high, atom(name))])
    return NONNEG if sign(t[1], inner, used) <= NONNEG else ANY


def _extreme(t: tuple, s: Scope, used: set | None) -> frozenset:
    order = "-0+" if t[0] == "max" else "+0-"
    signs = [sign(a, s, used) for a in t[1:]]
    least = max(min(order.index(x) for x in g) for g in signs)
    return frozenset(x for g in signs for x in g if order.index(x) >= least)


def _cases(t: tuple, s: Scope, used: set | None) -> frozenset:
    out: frozenset = frozenset()
    for _, condition, value in t[1:-1]:
        out |= sign(value, guarded(condition, s), used)
    return out | sign(t[-1], s, used)


def guarded(condition: tuple, s: Scope) -> Scope:
    """The scope where a condition of a piecewise term holds."""
    relation, p = compared(condition, s)
    return s.under([p], {"<=": ">=", "<": ">"}.get(relation, relation))


def _on_arc(low: Term, high: Term) -> object:
    """The circular function that is positive strictly between two angles and zero at both."""
    def rule(t: tuple, s: Scope, used: set | None) -> frozenset:
        if not real(t[1], s):
            return ANY
        gaps = [sign(("+", t[1], ("-", low)), s), sign(("+", high, ("-", t[1])), s)]
        if all(g == PLUS for g in gaps):
            return PLUS
        return NONNEG if all(g <= NONNEG for g in gaps) else ANY

    return rule


QUARTER = ("/", ("pi",), 2)
_RULES = {
    "cos": _on_arc(("-", QUARTER), QUARTER), "sin": _on_arc(0, ("pi",)),
    "+": _sum, "*": _product, "/": _quotient, "^": _power, "sum": _over_index,
    "prod": _over_index, "trace": _trace, "int": _integral, "max": _extreme, "min": _extreme,
    "cases": _cases,
    "-": lambda t, s, used: flip(sign(t[1], s, used)),
    "log": lambda t, s, used: sign(("+", t[1], ("-", 1)), s, used),
}


def _by_span(term: Term, s: Scope) -> frozenset:
    span = bounds(term, s)
    out = set("-0+")
    if span.low is not None and (span.low > 0 or span.low == 0):
        out.discard("-")
        if span.low > 0 or span.low_open:
            out.discard("0")
    if span.high is not None and span.high <= 0:
        out.discard("+")
        if span.high < 0 or span.high_open:
            out.discard("0")
    return frozenset(out) or ANY


def bounds(term: Term, s: Scope) -> Span:
    """Rational bounds of a real term from the declared boxes, by interval arithmetic."""
    if isinstance(term, int):
        return Span(Fraction(term), Fraction(term), False, False)
    if isinstance(term, str):
        return _of_symbol(term, s)
    rule = _BOUNDS.get(term[0])
    if rule is None or (len(term) == 2 and not real(term[1], s)):
        return EVERYWHERE
    return rule(term, s)


def _of_symbol(name: str, s: Scope) -> Span:
    """The tightest constants among the facts that speak of this symbol alone."""
    if name in s.bound or s.sorts.get(name) not in (("real",), ("integer",)):
        return EVERYWHERE
    p: Poly = normal(name, s)
    mono = next(iter(p))
    low = high = None
    low_open = high_open = True
    for f, kind in s.facts.plain + s.facts.context:
        q = dict(f)
        c = q.pop(mono, 0)
        if not c or set(q) - {frozenset()} or kind not in (">=", ">", "="):
            continue
        edge, strict = Fraction(-q.get(frozenset(), 0)) / c, kind == ">"
        if (c > 0 or kind == "=") and (low is None or (edge, strict) > (low, low_open)):
            low, low_open = edge, strict
        if (c < 0 or kind == "=") and (high is None or (-edge, strict) > (-high, high_open)):
            high, high_open = edge, strict
    return Span(low, high, low_open, high_open)


def _add(a: Span, b: Span) -> Span:
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return Span(low, high, a.low_open or b.low_open, a.high_open or b.high_open)


def _negative(a: Span) -> Span:
    return Span(None if a.high is None else -a.high, None if a.low is None else -a.low,
                a.high_open, a.low_open)


def _times(a: Span, b: Span) -> Span:
    """Products of the ends; infinite ends give up unless both factors are nonnegative."""
    if None in (a.low, a.high, b.low, b.high):
        if a.low is not None and b.low is not None and a.low >= 0 and b.low >= 0:
            low = a.low * b.low
            return Span(low, None, _product_open(a.low, a.low_open, b.low, b.low_open), True)
        return EVERYWHERE
    ends = [(x * y, _product_open(x, p, y, q))
            for x, p in ((a.low, a.low_open), (a.high, a.high_open))
            for y, q in ((b.low, b.low_open), (b.high, b.high_open))]
    low, high = min(e for e, _ in ends), max(e for e, _ in ends)
    return Span(low, high, all(o for e, o in ends if e == low),
                all(o for e, o in ends if e == high))


def _product_open(x: Fraction, x_open: bool, y: Fraction, y_open: bool) -> bool:
    """Whether the end x*y is not reached: an open zero is not, a closed zero always is."""
    if x == 0 and not x_open or y == 0 and not y_open:
        return False
    return x_open or y_open


def _over(t: tuple, s: Scope) -> Span:
    below = bounds(t[2], s)
    if below.low is None or below.high is None or not (below.low > 0 or below.high < 0):
        return EVERYWHERE
    inverse = Span(1 / below.high, 1 / below.low, below.high_open, below.low_open)
    return _times(bounds(t[1], s), inverse)


def _whole_power(t: tuple, s: Scope) -> Span:
    base, n = bounds(t[1], s), t[2]
    if not isinstance(n, int) or not 1 <= n <= 12 or not real(t[1], s):
        return EVERYWHERE
    if n % 2 == 0 and base.low is not None and base.high is not None and base.low < 0 < base.high:
        top = max((abs(base.low) ** n, not base.low_open), (base.high ** n, not base.high_open))
        return Span(Fraction(0), top[0], False, not top[1])
    out = base
    for _ in range(n - 1):
        out = _times(out, base)
    if n % 2 == 0 and (out.low is None or out.low < 0):
        return Span(Fraction(0), out.high, False, out.high_open)
    return out


def _all(parts: list[Span], join: object) -> Span:
    out = parts[0]
    for p in parts[1:]:
        out = join(out, p)
    return out


UNIT = Span(Fraction(-1), Fraction(1), False, False)
HALF_TURN = Span(Fraction(-11, 7), Fraction(11, 7))
_BOUNDS = {
    "pi": lambda t, s: Span(Fraction(333, 106), Fraction(355, 113)),
    "e": lambda t, s: Span(Fraction(2718281828, 10**9), Fraction(2718281829, 10**9)),
    "+": lambda t, s: _all([bounds(a, s) for a in t[1:]], _add),
    "-": lambda t, s: _negative(bounds(t[1], s)),
    "*": lambda t, s: _all([bounds(a, s) for a in t[1:]], _times),
    "/": _over, "^": _whole_power,
    "sin": lambda t, s: UNIT, "cos": lambda t, s: UNIT, "tanh": lambda t, s: Span(
        Fraction(-1), Fraction(1)),
    "logistic": lambda t, s: Span(Fraction(0), Fraction(1)),
    "atan": lambda t, s: HALF_TURN, "exp": lambda t, s: Span(Fraction(0), None),
    "sign": lambda t, s: UNIT,
}
