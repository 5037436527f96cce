"""From a term to its exact normal form: circular functions become exponentials, sums close.

The normal form equals the term at every point of the scope's facts where the term is defined; what
must hold for it to be defined is the business of `defined`, on the term as it was written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

import symbolic.kernel.binders as binders
import symbolic.kernel.determinants as determinants
import symbolic.kernel.entail as entail
import symbolic.kernel.facts as facts_
import symbolic.kernel.functions as functions
import symbolic.kernel.traces as traces
from symbolic.kernel import atoms, completion, integrals, sums, words
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.polynomial import (
    ONE,
    PI,
    Atom,
    I,
    Poly,
    add,
    atom,
    constant,
    freeze,
    mul,
    power,
    scale,
    subtract,
    times_all,
    total,
)
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.structure import conjugate
from symbolic.kernel.term import Term, heads
from symbolic.kernel.zero import vanishes


@dataclass(frozen=True)
class Scope:
    """What surrounds a term: facts, sorts, the atoms that stand for its bound names.

    Equations between matrices give `rules` (completion.py); `semidefinite` are the word forms that
    facts say are positive semidefinite.
    """

    facts: entail.Facts = field(default_factory=lambda: entail.Facts())
    sorts: dict = field(default_factory=dict)
    bound: dict[str, Atom] = field(default_factory=dict)
    matrices: bool = False
    complex: bool = False
    rules: tuple = ()
    semidefinite: tuple = ()

    def bind(self, name: str, kind: str = "int") -> tuple[Scope, Atom]:
        """The scope inside a binder, and the fresh atom of its name."""
        new = sums.fresh(kind)
        sort = ("integer",) if kind == "int" else ("real",)
        return replace(self, bound={**self.bound, name: new},
                       sorts={**self.sorts, name: sort}), new

    def without_rules(self) -> Scope:
        """The scope in which equations between matrices are not used: they can hide a sign."""
        return replace(self, rules=(), facts=replace(self.facts, memo={}))

    def under(self, constraints: list[Poly], kind: str = ">=") -> Scope:
        """The same scope where the constraints hold too."""
        return replace(self, facts=self.facts.under(constraints, kind))


def normal(term: Term, scope: Scope) -> Poly:
    """The normal form of a number-valued term; Undecided where the kernel has no rule."""
    spend(1)
    if isinstance(term, int):
        return constant(term)
    if scope.matrices and shape(term, scope.sorts) is not None:
        return words.scalar(term, scope)
    if isinstance(term, str):
        return _name(term, scope)
    if scope.bound:
        return _by_rule(term, scope)
    memo, question = scope.facts.memo, ("normal", term)
    if question not in memo:
        memo[question] = _by_rule(term, scope)
    return memo[question]


def _by_rule(term: tuple, scope: Scope) -> Poly:
    rule = RULES.get(term[0])
    if rule is None:
        raise Undecided(f"no normal form of {term[0]!r}")
    return rule(term, scope)


def equal(left: Term, right: Term, scope: Scope, rounds: int = 2) -> bool:
    """Whether two terms of one shape have the same normal form (sound, not complete)."""
    found = shape(left, scope.sorts) if scope.matrices else None
    if not scalar(found) or not scalar(shape(right, scope.sorts) if scope.matrices else None):
        return words.equal(left, right, scope)
    gap = subtract(normal(left, scope), normal(right, scope))
    if vanishes(gap) or _logarithms_cancel(gap):
        return True
    if not scope.matrices or not rounds:
        return False
    kinds = {a[0] for m in gap for a, _ in m}
    if "tr" in kinds and kinds & {"S", "en"} and vanishes(traces.opened(gap, scope)):
        return True
    more = completion.strengthened_by(gap, scope)
    if more is not scope and equal(left, right, more, rounds - 1):
        return True
    return bool(scope.rules) and rounds == 2 and equal(left, right, scope.without_rules(), 1)


def _logarithms_cancel(gap: Poly) -> bool:
    """Whether gap is made of groups M * sum c_i log(p_i) with product of p_i**c_i = 1.

    The p_i are positive where the logarithms are defined, so each group vanishes.
    """
    groups: dict = {}
    for m, c in gap.items():
        logs = [(a, e) for a, e in m if a[0] == "log"]
        if len(logs) != 1 or logs[0][1] != 1 or Fraction(c).denominator > 12 or abs(c) > 12:
            return False
        groups.setdefault(m - set(logs), []).append((logs[0][0], Fraction(c)))
    return all(_product_is_one(rows) for rows in groups.values())


def _product_is_one(rows: list) -> bool:
    times = lcm(*(c.denominator for _, c in rows))
    sides = [constant(1), constant(1)]
    for a, c in rows:
        n = int(c * times)
        if abs(n) > 24:
            return False
        sides[n < 0] = mul(sides[n < 0], power(dict(a[1]), abs(n)))
    return len(rows) > 1 and vanishes(subtract(*sides))


def real(term: Term, scope: Scope) -> bool:
    """Whether the value is shown to be real wherever it is defined."""
    if not scope.complex and "i" not in heads(term):
        return True  # without i and complex symbols every defined value is real
    p = normal(term, scope)
    return vanishes(subtract(conjugate(p), p))


def _name(name: str, scope: Scope) -> Poly:
    if name in scope.bound:
        return atom(scope.bound[name])
    sort = scope.sorts.get(name)
    kind = {("real",): "sym", ("integer",): "int", ("complex",): "csym"}.get(sort)
    if kind is None:
        raise Undecided(f"{name} is no number")
    return atom((kind, name))


def _entry_of_family(t: tuple, s: Scope) -> Poly:
    sort = s.sorts.get(t[1])
    if sort is None or sort[0] != "family" or len(sort) != len(t):
        raise Undecided(f"{t[1]} is no family of {len(t) - 2} indices")
    return functions.entry(t[1], [normal(a, s) for a in t[2:]], s.facts)


def _product(t: tuple, s: Scope) -> Poly:
    return times_all(constant(1), tuple(normal(a, s) for a in t[1:]))


def _quotient(t: tuple, s: Scope) -> Poly:
    return mul(normal(t[1], s), _inverse(t[2], s))


def _inverse(t: Term, s: Scope) -> Poly:
    """1/t; a product or power below the bar is divided by one factor at a time."""
    if isinstance(t, tuple) and t[0] == "*" and not s.matrices:
        return times_all(constant(1), tuple(_inverse(a, s) for a in t[1:]))
    if isinstance(t, tuple) and t[0] == "^" and isinstance(t[2], int) and t[2] > 0 \
            and not s.matrices:
        return power_of(_inverse(t[1], s), t[2])
    p = normal(t, s)
    if vanishes(p):
        raise Undecided("a division by what is identically zero")
    return atoms.inverse(p, s.facts)


def power_of(p: Poly, n: int) -> Poly:
    """p**n, bounded."""
    return power(p, n)


def _power(t: tuple, s: Scope) -> Poly:
    q = normal(t[2], s)
    if set(q) <= {ONE}:
        c = Fraction(q.get(ONE, 0))
        if c.denominator == 1:
            if isinstance(t[1], tuple) and t[1][0] == "abs" and c > 0 and c % 2 == 0:
                p = normal(t[1][1], s)  # |z|^2 is z times its conjugate
                return power_of(mul(p, conjugate(p)), int(c) // 2)
            return power_of(normal(t[1], s), int(c)) if c >= 0 else \
                power_of(_inverse(t[1], s), int(-c))
        return _rational_power(t[1], c, s)
    if t[1] == ("e",):
        return atoms.exponential(q, s.facts)
    return atoms.raised(normal(t[1], s), q, s.facts)


def _rational_power(base: Term, q: Fraction, s: Scope) -> Poly:
    """base**q: even powers and squares come out in bars, quotients of positive things split."""
    if isinstance(base, tuple) and base[0] == "^" and base[2] == 2:
        inner = normal(base[1], s)
        if vanishes(subtract(conjugate(inner), inner)):
            return atoms.powered(functions.absolute(inner, s.facts), 2 * q, s.facts)
    if isinstance(base, tuple) and base[0] in ("*", "/") and not s.matrices:
        parts = [(normal(a, s), 1) for a in base[1:]] if base[0] == "*" else \
            [(normal(base[1], s), 1), (normal(base[2], s), -1)]
        if sum(not facts_.positive(s.facts, p) for p, _ in parts) <= 1:
            return times_all(constant(1), tuple(atoms.powered(p, side * q, s.facts)
                                                for p, side in parts))
    p = normal(base, s)
    return {} if vanishes(p) and q > 0 else atoms.powered(p, q, s.facts)


def _log(t: tuple, s: Scope) -> Poly:
    """log: of products and quotients with at most one factor of unknown sign, of powers."""
    inner = t[1]
    if isinstance(inner, tuple) and not s.matrices:
        if inner[0] == "exp" and real(inner[1], s):
            return normal(inner[1], s)
        if inner[0] == "sqrt":
            return scale(_log(("log", inner[1]), s), Fraction(1, 2))
        if inner[0] in ("*", "/"):
            unsure = [a for a in inner[1:] if not facts_.nonnegative(s.facts, normal(a, s))]
            if len(unsure) <= 1:
                sides = [1] * len(inner[1:]) if inner[0] == "*" else [1, -1]
                return total([scale(_log(("log", a), s), c)
                              for a, c in zip(inner[1:], sides, strict=True)])
        if inner[0] == "^" and real(inner[2], s) and facts_.nonnegative(
                s.facts, normal(inner[1], s)):
            return mul(normal(inner[2], s), _log(("log", inner[1]), s))
    p = normal(inner, s)
    if vanishes(p):
        raise Undecided("the logarithm of zero")
    return atoms.logarithm(p, s.facts)


def _half_exponentials(sign: int, imaginary: bool) -> Callable:
    """(e^z + sign e^-z)/2, over i for the sine, with z = i x or x."""
    def rule(t: tuple, s: Scope) -> Poly:
        x = normal(t[1], s)
        z = mul(x, atom(I)) if imaginary else x
        both = add(atoms.exponential(z, s.facts),
                   scale(atoms.exponential(scale(z, -1), s.facts), sign))
        out = scale(both, Fraction(1, 2))
        return mul(out, atom(I, -1)) if imaginary and sign < 0 else out

    return rule


def _ratio(top: str, bottom: str) -> Callable:
    def rule(t: tuple, s: Scope) -> Poly:
        return mul(normal((top, t[1]), s), _inverse((bottom, t[1]), s))

    return rule


def _logistic(t: tuple, s: Scope) -> Poly:
    up = atoms.exponential(normal(t[1], s), s.facts)
    return mul(up, atoms.inverse(add(constant(1), up), s.facts))


def _function(t: tuple, s: Scope) -> Poly:
    return functions.function(t[0], [normal(a, s) for a in t[1:]], s.facts)


def _range_scope(t: tuple, s: Scope, kind: str) -> tuple[Scope, Atom, Poly, Poly]:
    low, high = normal(t[3], s), normal(t[4], s)
    inner, name = s.bind(t[2], kind)
    inside = [subtract(atom(name), low), subtract(high, atom(name))]
    return inner.under(inside), name, low, high


def _sum(t: tuple, s: Scope) -> Poly:
    if ("oo",) in t[3:] or ("-", ("oo",)) in t[3:]:
        raise Undecided("an infinite sum")
    inner, name, low, high = _range_scope(t, s, "int")
    return sums.summed(normal(t[1], inner), name, low, high, s.facts)


def _prod(t: tuple, s: Scope) -> Poly:
    if ("oo",) in t[3:] or ("-", ("oo",)) in t[3:]:
        raise Undecided("an infinite product")
    inner, name, low, high = _range_scope(t, s, "int")
    return binders.product(normal(t[1], inner), name, low, high, s.facts)


def _re(t: tuple, s: Scope) -> Poly:
    p = normal(t[1], s)
    return scale(add(p, conjugate(p)), Fraction(1, 2))


def _im(t: tuple, s: Scope) -> Poly:
    p = normal(t[1], s)
    return mul(scale(subtract(p, conjugate(p)), Fraction(1, 2)), atom(I, -1))


def _cases(t: tuple, s: Scope) -> Poly:
    """The first branch whose condition holds; conditions of known truth are settled."""
    rows: list[tuple] = []
    for _, condition, value in t[1:-1]:
        relation, p = compared(condition, s)
        truth = _truth(relation, p, s)
        if truth is False:
            continue
        p_value = normal(value, s)
        if truth is True:
            rows.append((freeze(p_value),))
            break
        rows.append((relation, freeze(p), freeze(p_value)))
    else:
        rows.append((freeze(normal(t[-1], s)),))
    if len({r[-1] for r in rows}) == 1:
        return dict(rows[0][-1])
    return atom(("f", "cases", tuple(rows)))


def compared(condition: tuple, s: Scope) -> tuple[str, Poly]:
    """A scalar relation as (relation, right - left)."""
    return condition[0], subtract(normal(condition[2], s), normal(condition[1], s))


def _truth(relation: str, p: Poly, s: Scope) -> bool | None:
    """Whether p = right - left satisfies the relation: True, False or unknown."""
    if conjugate(p) != p:
        return None
    signs = facts_.sign(s.facts, p)
    good = {"=": facts_.ZERO, "<": facts_.PLUS, "<=": facts_.NONNEG, "!=": facts_.NONZERO}[relation]
    return True if signs <= good else False if not signs & good else None


def _absolute(t: tuple, s: Scope) -> Poly:
    return functions.absolute(normal(t[1], s), s.facts)


RULES: dict[str, Callable[[tuple, Scope], Poly]] = {
    "+": lambda t, s: total([normal(a, s) for a in t[1:]]),
    "-": lambda t, s: scale(normal(t[1], s), -1),
    "*": _product, "/": _quotient, "^": _power,
    "pi": lambda t, s: atom(PI), "i": lambda t, s: atom(I),
    "e": lambda t, s: atoms.exponential(constant(1), s.facts),
    "exp": lambda t, s: atoms.exponential(normal(t[1], s), s.facts),
    "sqrt": lambda t, s: _rational_power(t[1], Fraction(1, 2), s),
    "log": _log,
    "cos": _half_exponentials(1, True), "sin": _half_exponentials(-1, True),
    "cosh": _half_exponentials(1, False), "sinh": _half_exponentials(-1, False),
    "tan": _ratio("sin", "cos"), "tanh": _ratio("sinh", "cosh"), "logistic": _logistic,
    "abs": _absolute, "at": _entry_of_family,
    **dict.fromkeys(("sign", "floor", "atan", "asin", "acos", "atan2", "factorial", "binomial",
                     "delta", "max", "min"), _function),
    "sum": _sum, "prod": _prod, "int": lambda t, s: integrals.integral_of(t, s),
    "limit": lambda t, s: integrals.limit_of(t, s),
    "cases": _cases, "re": _re, "im": _im, "conj": lambda t, s: conjugate(normal(t[1], s)),
    "trace": lambda t, s: traces.trace_of(t, s), "entry": lambda t, s: traces.entry_of(t, s),
    "det": lambda t, s: determinants.determinant_of(t, s),
}
