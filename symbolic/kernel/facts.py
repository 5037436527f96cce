"""Signs of polynomials at the points where the facts hold.

Signs are sets drawn from "-0+"; the full set says nothing, and is the answer for whatever is not
real.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import symbolic.kernel.determinants as determinants
import symbolic.kernel.entail as entail
import symbolic.kernel.sums as sums
from symbolic.kernel.letters import flags, square_trace
from symbolic.kernel.polynomial import (
    ONE,
    Atom,
    Mono,
    Poly,
    content,
    freeze,
    imaginary,
    invert_mono,
    mul,
    scale,
    subtract,
    thaw,
)
from symbolic.kernel.structure import conjugate
from symbolic.kernel.zero import fraction

PLUS, MINUS, ZERO = frozenset("+"), frozenset("-"), frozenset("0")
NONNEG, ANY, NONZERO = frozenset("0+"), frozenset("-0+"), frozenset("-+")


def sign(facts: entail.Facts, p: Poly) -> frozenset:
    """The signs p may have at points where the facts hold and p is defined."""
    if not p:
        return ZERO
    question = ("sign", freeze(p))
    if question not in facts.memo:
        facts.memo[question] = ANY
        facts.memo[question] = _sign(facts, p)
    return facts.memo[question]


def _sign(facts: entail.Facts, p: Poly) -> frozenset:
    if len(p) == 1:
        (m, c), = p.items()
        s = mono_sign(facts, m)
        s = flip(s) if c < 0 else s
        return s if s != ANY else _by_entailment(facts, p)
    s = add_signs([flip(mono_sign(facts, m)) if c < 0 else mono_sign(facts, m)
                   for m, c in p.items()])
    if s in (PLUS, MINUS, ZERO):
        return s
    top, bottoms = fraction(p)
    if bottoms:
        out = sign(facts, top)
        for b, e in bottoms:
            out = times_signs(out, power_sign(sign(facts, b), -e))
        s = s & out or s
        return s if s in (PLUS, MINUS, ZERO) else s & _by_entailment(facts, p) or s
    if (gap := _exponents(p)) is not None:
        return s & sign(facts, gap) or s
    _, m = content(p)
    if m:
        inner = sign(facts, mul(p, {invert_mono(m): 1}))
        s = s & times_signs(mono_sign(facts, m), inner) or s
        if s in (PLUS, MINUS, ZERO):
            return s
    return s & _by_entailment(facts, p) or s


def _exponents(p: Poly) -> Poly | None:
    """a - b when p is a positive multiple of exp(a) - exp(b), which has the sign of a - b."""
    if len(p) != 2:
        return None
    (m, c), (n, d) = p.items()
    if c != -d or not all(a[0] == "E" and not imaginary(a) for a, _ in m | n):
        return None
    if c < 0:
        m, n = n, m
    return subtract({a[1]: e for a, e in m}, {a[1]: e for a, e in n})


def _by_entailment(facts: entail.Facts, p: Poly) -> frozenset:
    if conjugate(p) != p:
        return ANY
    if entail.entails(facts, p):
        strict = entail.entails(facts, p, strict=True) or _declared_nonzero(facts, p)
        return PLUS if strict else NONNEG
    minus = scale(p, -1)
    if entail.entails(facts, minus):
        strict = entail.entails(facts, minus, strict=True) or _declared_nonzero(facts, p)
        return MINUS if strict else frozenset("-0")
    return NONZERO if _declared_nonzero(facts, p) else ANY


def _declared_nonzero(facts: entail.Facts, p: Poly) -> bool:
    pool = list(facts.plain + facts.context)
    for m in p:
        pool += [(freeze(q), k) for q, k in entail.instances(facts, m) if k == "!="]
    return any(k == "!=" and _proportional(p, thaw(q)) for q, k in pool)


def _proportional(p: Poly, q: Poly) -> bool:
    if p.keys() != q.keys() or not p:
        return False
    m = next(iter(p))
    return not subtract(scale(p, q[m]), scale(q, p[m]))


def flip(s: frozenset) -> frozenset:
    """The signs of -x."""
    return frozenset({"-": "+", "0": "0", "+": "-"}[x] for x in s)


def add_signs(signs: list[frozenset]) -> frozenset:
    """The signs a sum may have."""
    out = ZERO
    for s in signs:
        out = frozenset().union(*(_plus(a, b) for a in out for b in s))
    return out


def _plus(a: str, b: str) -> frozenset:
    if a == "0" or a == b:
        return frozenset(b)
    return frozenset(a) if b == "0" else ANY


def times_signs(s: frozenset, t: frozenset) -> frozenset:
    """The signs a product may have."""
    return frozenset("0" if "0" in (a, b) else "+" if a == b else "-" for a in s for b in t)


def mono_sign(facts: entail.Facts, m: Mono) -> frozenset:
    """The sign of a product; each power must be real by itself, as exp(i pi n)**(1/4) is not."""
    out = PLUS
    for a, e in m:
        power = {frozenset({(a, e)}): 1}
        if conjugate(power) != power:
            return ANY
        out = times_signs(out, power_sign(atom_sign(facts, a), e))
    return out


def power_sign(s: frozenset, e: int | Fraction) -> frozenset:
    """The signs of x**e for real x of signs s, at points where it is defined."""
    if Fraction(e).denominator > 1:
        return PLUS if e < 0 or "0" not in s else s & NONNEG or ZERO
    if e % 2 == 0:
        s = frozenset("+" if x == "-" else x for x in s)
    return s - ZERO if e < 0 else s


def atom_sign(facts: entail.Facts, a: Atom) -> frozenset:
    """The signs of an atom that is real."""
    question = ("atom", a)
    if question not in facts.memo:
        facts.memo[question] = ANY
        facts.memo[question] = _atom_sign(facts, a)
    return facts.memo[question]


def _atom_sign(facts: entail.Facts, a: Atom) -> frozenset:
    kind = a[0]
    if kind == "E":  # (-1)^n is real too, and not positive
        return PLUS if conjugate({a[1]: 1}) == {a[1]: 1} else NONZERO
    if kind in ("pi", "num"):
        return PLUS
    if kind == "P":
        return sign(facts, thaw(a[1]))
    if kind == "log":
        return sign(facts, subtract(thaw(a[1]), {ONE: 1}))
    if kind == "pow":
        base = sign(facts, thaw(a[1]))
        return base if base == PLUS else NONNEG if base <= NONNEG else ANY  # 0**0 may be 1
    if kind == "f":
        return _function_sign(facts, a[1], a[2:])
    if kind == "S":
        return _sum_sign(facts, a)
    if kind == "tr":
        known = _by_atom(facts, a)
        return known & NONNEG or NONNEG if square_trace(facts.sorts, a[1]) else known
    if kind == "det" and isinstance(a[1], tuple):
        known = flags(facts.sorts, a[1])
        return PLUS if "pd" in known else NONZERO if known & {"invertible", "orthogonal"} else ANY
    if kind == "det":
        return PLUS if determinants.positive(a, facts) else _by_atom(facts, a)
    return _by_atom(facts, a)


def _by_atom(facts: entail.Facts, a: Atom) -> frozenset:
    return _by_entailment(facts, {frozenset({(a, 1)}): 1})


def _function_sign(facts: entail.Facts, head: str, args: tuple) -> frozenset:
    if head == "abs":
        return PLUS if "0" not in sign(facts, thaw(args[0])) else NONNEG
    if head in ("sign", "atan", "asin"):
        return sign(facts, thaw(args[0]))
    if head == "floor":
        return NONNEG if sign(facts, thaw(args[0])) <= NONNEG else ANY
    if head == "factorial":
        return PLUS
    if head == "modulus":
        return NONNEG
    if head == "binomial":
        return NONNEG if sign(facts, thaw(args[0])) <= NONNEG else ANY
    if head in ("delta", "acos"):
        return NONNEG
    if head in ("max", "min"):
        return _extreme_sign(head, [sign(facts, thaw(f)) for f in args[0]])
    if head == "cases":
        return frozenset().union(*(sign(facts, thaw(f[-1])) for f in args[0]))
    return ANY


def _extreme_sign(head: str, signs: list[frozenset]) -> frozenset:
    order = "-0+" if head == "max" else "+0-"
    least = max(min(order.index(x) for x in s) for s in signs)
    return frozenset(x for s in signs for x in s if order.index(x) >= least)


def _sum_sign(facts: entail.Facts, a: Atom) -> frozenset:
    """A sum of nonnegative terms is nonnegative; nothing is said about emptiness."""
    if a in facts.busy or len(facts.busy) > 1:
        return ANY  # a sum whose sign is asked on the way to its own sign, or far from it
    _, constraints, body = sums.opened(a, facts)  # fresh names: numbered ones would meet
    inside = replace(facts.under(thaw(c) for c in constraints), busy=facts.busy | {a}, memo={})
    s = sign(inside, body)
    if s <= NONNEG:
        return NONNEG
    return frozenset("-0") if s <= frozenset("-0") else ANY


def nonzero(facts: entail.Facts, p: Poly) -> bool:
    """Whether p is entailed to be nonzero wherever it is defined."""
    if any(not _never_zero(facts, m) for m in p) or len(p) != 1:
        return bool(p) and "0" not in sign(facts, p)
    return True


def _never_zero(facts: entail.Facts, m: Mono) -> bool:
    return all(a[0] in ("E", "i", "pi", "num") or "0" not in atom_sign_or_any(facts, a)
               for a, _ in m)


def atom_sign_or_any(facts: entail.Facts, a: Atom) -> frozenset:
    """The sign of an atom, the full set when it is not real."""
    p = {frozenset({(a, 1)}): 1}
    return atom_sign(facts, a) if conjugate(p) == p else ANY


def positive(facts: entail.Facts, p: Poly) -> bool:
    """Whether p > 0 is entailed."""
    return sign(facts, p) == PLUS


def nonnegative(facts: entail.Facts, p: Poly) -> bool:
    """Whether p >= 0 is entailed."""
    return sign(facts, p) <= NONNEG
