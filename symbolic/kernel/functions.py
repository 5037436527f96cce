"""Atoms of functions: bars, sign, floor, circular inverses, factorials, delta, max and min."""

from __future__ import annotations

from fractions import Fraction
from math import factorial as whole_factorial

import symbolic.kernel.atoms as atoms
import symbolic.kernel.entail as entail
import symbolic.kernel.facts as facts_
from symbolic.kernel.budget import Undecided
from symbolic.kernel.polynomial import (
    ONE,
    PI,
    I,
    Poly,
    add,
    atom,
    constant,
    content,
    freeze,
    leading,
    mul,
    scale,
    subtract,
    times_all,
)
from symbolic.kernel.structure import conjugate, integral
from symbolic.kernel.zero import fraction


def absolute(p: Poly, facts: entail.Facts) -> Poly:
    """|p|, real or complex; factors of known sign leave the bars."""
    s = facts_.sign(facts, p) if conjugate(p) == p else facts_.ANY
    if s <= facts_.NONNEG:
        return p
    if s <= frozenset("-0"):
        return scale(p, -1)
    c, m = content(p) if len(p) > 1 else next(((abs(Fraction(c)), m) for m, c in p.items()))
    top, bottoms = fraction(p) if len(p) > 1 else (p, ())
    if bottoms:
        bottom = absolute(atoms.multiplied(bottoms), facts)
        return mul(absolute(top, facts), atoms.inverse(bottom, facts))
    out, rest = constant(c), scale(p, 1 / c)
    for a, e in m:
        if a == I or (a[0] == "E" and conjugate({a[1]: 1}) == {a[1]: -1}):
            rest = mul(rest, atom(a, -e))  # of modulus one
            continue
        if not atoms.real_atom(a):
            continue
        known = facts_.atom_sign(facts, a) <= facts_.NONNEG
        if known or Fraction(e).denominator == 1:
            inner = atom(a, e) if known or e % 2 == 0 else _bars(atom(a), e, facts)
            out, rest = mul(out, inner), mul(rest, atom(a, -e))
    return mul(out, _bars(rest, 1, facts)) if rest != constant(1) else out


def _bars(p: Poly, e: int, facts: entail.Facts) -> Poly:
    """|p|**e as an atom, the sign of p normalised."""
    if p in (constant(1), constant(-1)):
        return constant(1)
    if len(p) == 1:
        (m, c), = p.items()
        if len(m) == 1 and c in (1, -1):
            (a, k), = m
            if k == 1 and a[0] == "f" and a[1] == "abs":
                return atom(a, e)
    if p[leading(p)] < 0:
        p = scale(p, -1)
    if conjugate(p) != p:  # |z|^2 is not z^2: no relation is applied to the bars of a complex
        return atom(("f", "modulus", freeze(p)), e)
    return atom(("f", "abs", freeze(p)), e)


def function(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    """sign, floor, atan, asin, acos, atan2, factorial, binomial, delta, max, min."""
    build = {"sign": _sign_of, "acos": _acos, "floor": _floor, "atan": _odd, "asin": _odd,
             "delta": _delta, "max": _extreme, "min": _extreme, "factorial": _factorial,
             "binomial": _binomial}.get(head, _opaque)
    return build(head, args, facts)


def _opaque(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    return atom(("f", head, *map(freeze, args)))


def _sign_of(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    s = facts_.sign(facts, args[0]) if conjugate(args[0]) == args[0] else facts_.ANY
    values = {facts_.PLUS: constant(1), facts_.MINUS: constant(-1), facts_.ZERO: {}}
    if s in values:
        return values[s]
    return _odd(head, args, facts)


def _odd(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    p, = args
    if not p:
        return {}
    c = -1 if p[leading(p)] < 0 else 1
    q = scale(p, c)
    if head != "sign" and set(q) == {ONE}:
        angle = {("atan", 1): 4, ("asin", 1): 2, ("asin", Fraction(1, 2)): 6}.get((head, q[ONE]))
        if angle:
            return {frozenset({(PI, 1)}): Fraction(c, angle)}
    return scale(atom(("f", head, freeze(q))), c)


def _acos(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    """acos x = pi/2 - asin x."""
    return subtract({frozenset({(PI, 1)}): Fraction(1, 2)}, _odd("asin", args, facts))


def _floor(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    p, = args
    if integral(p):
        return p
    whole = {m: c for m, c in p.items() if integral({m: c})}
    rest = subtract(p, whole)
    c = rest.get(ONE, 0)
    if set(rest) == {ONE}:
        return add(whole, constant(c.__floor__()))
    move = constant(Fraction(c).__floor__())
    return add(add(whole, move), atom(("f", "floor", freeze(subtract(rest, move)))))


def _delta(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    gap = subtract(*args)
    if not gap:
        return constant(1)
    if set(gap) == {ONE} or "0" not in facts_.sign(facts.root, gap):
        return {}
    if gap[leading(gap)] < 0:
        gap = scale(gap, -1)
    return atom(("f", "delta", freeze(gap)))


def _extreme(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    keep: list[Poly] = []
    for p in args:
        if p not in keep:
            keep.append(p)
    for p in list(keep):
        others = [q for q in keep if q is not p]
        wins = [facts_.sign(facts, subtract(q, p) if head == "max" else subtract(p, q))
                for q in others]
        if others and any(s <= facts_.NONNEG for s in wins):
            keep = others
    if len(keep) == 1:
        return keep[0]
    return atom(("f", head, frozenset(map(freeze, keep))))


def _factorial(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    p, = args
    c = p.get(ONE, 0)
    if not p or set(p) == {ONE}:
        if Fraction(c).denominator != 1 or c < 0 or c > 200:
            raise Undecided("a factorial outside the whole numbers up to 200")
        return constant(whole_factorial(int(c)))
    base = subtract(p, constant(c))
    if not integral(p) or abs(c) > 20:
        return _opaque(head, args, facts)
    low = base if c > 0 else p
    if c == 0 or not entail.entails(facts.root, low):
        return _opaque(head, args, facts)
    out = atom(("f", "factorial", freeze(base)))
    steps = [add(base, constant(j)) for j in range(1, c + 1)] if c > 0 else \
        [atoms.inverse(add(base, constant(j)), facts) for j in range(c + 1, 1)]
    return times_all(out, tuple(steps))


def _binomial(head: str, args: list[Poly], facts: entail.Facts) -> Poly:
    n, k = args
    c = k.get(ONE, 0)
    if set(k) <= {ONE} and Fraction(c).denominator == 1 and 0 <= c <= 40:
        out = constant(Fraction(1, whole_factorial(int(c))))
        return times_all(out, tuple(subtract(n, constant(j)) for j in range(int(c))))
    gap = subtract(n, k)
    if integral(n) and integral(k) and entail.entails(facts.root, k) \
            and entail.entails(facts.root, gap):
        below = mul(function("factorial", [k], facts), function("factorial", [gap], facts))
        return mul(function("factorial", [n], facts), atoms.inverse(below, facts))
    return _opaque(head, args, facts)


def entry(name: str, indices: list[Poly], facts: entail.Facts) -> Poly:
    """The entry of a declared family of numbers."""
    base = facts.sorts[name][1][0]
    kind = {"real": "at", "integer": "iat", "complex": "cat"}[base]
    return atom((kind, name, *map(freeze, indices)))
