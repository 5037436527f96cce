"""Building atoms: inverses, roots, exponentials, logarithms, powers and functions of polynomials.

Each constructor returns a polynomial equal to its meaning wherever that is defined. What is split
(a root or a logarithm of a product) is split only along factors that the facts make positive.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import factorial as whole_factorial
from math import isqrt

import symbolic.kernel.facts as facts_
from symbolic.kernel import sums
from symbolic.kernel.polynomial import (
    ONE,
    PI,
    TURN,
    Atom,
    I,
    Mono,
    Poly,
    Undecided,
    add,
    atom,
    constant,
    content,
    fraction,
    freeze,
    invert_mono,
    key,
    leading,
    mul,
    power,
    scale,
    spend,
    subtract,
    thaw,
    times_all,
)
from symbolic.kernel.structure import conjugate, integral, mentions


def inverse(p: Poly, facts: facts_.Facts) -> Poly:
    """1/p: inner inverses cleared, content split off, the rest one atom."""
    if not p:
        raise Undecided("a division by what is identically zero")
    if len(p) == 1:
        return power(p, -1)
    spend(len(p))
    top, bottoms = fraction(p)
    if bottoms:
        return mul(_multiplied(bottoms), inverse(top, facts))
    c, m = content(p)
    rest = scale(mul(p, {invert_mono(m): 1}), 1 / c)
    if rest[leading(rest)] < 0:
        rest, c = scale(rest, -1), -c
    return mul({invert_mono(m): 1 / c}, atom(("P", freeze(rest)), -1))


def _multiplied(bottoms: tuple) -> Poly:
    """The product of the sums of a fraction's bottom."""
    return times_all(constant(1), tuple(power(q, e) for q, e in bottoms))


def powered(p: Poly, q: int | Fraction, facts: facts_.Facts) -> Poly:
    """p**q for a rational q (real, principal)."""
    q = Fraction(q)
    if q.denominator == 1:
        n = int(q)
        return power(p, n) if n >= 0 else power(inverse(p, facts), -n)
    if not p:
        if q < 0:
            raise Undecided("a negative power of zero")
        return {}
    return _root_mono(p, q, facts) if len(p) == 1 else _root_sum(p, q, facts)


def _root_mono(p: Poly, q: Fraction, facts: facts_.Facts) -> Poly:
    """Roots of c*m: positive factors leave, the others too when all are nonnegative."""
    (m, c), = p.items()
    if not m and c < 0:
        raise Undecided("a root of a negative number")
    sure, weak, rest = constant(1), constant(1), {ONE: -1 if c < 0 else 1}
    unsure = c < 0
    for a, e in m:
        s = facts_.atom_sign_or_any(facts, a)
        if s == facts_.PLUS:
            sure = mul(sure, atom(a, e * q))
        elif _even(a, e):
            bars = powered(absolute(atom(a), facts), e * q, facts)
            if "0" in s:
                weak, rest = mul(weak, bars), mul(rest, atom(a, e))
            else:
                sure = mul(sure, bars)
        elif s <= facts_.NONNEG or _root(a, e):
            weak, rest = mul(weak, atom(a, e * q)), mul(rest, atom(a, e))
        else:
            unsure, rest = True, mul(rest, atom(a, e))
    front = mul(sure, _number_root(abs(Fraction(c)), q))
    return mul(front, _opaque_root(rest, q) if unsure else weak)


def _real(a: Atom) -> bool:
    p = {frozenset({(a, 1)}): 1}
    return conjugate(p) == p


def _even(a: Atom, e: int | Fraction) -> bool:
    return Fraction(e).denominator == 1 and e % 2 == 0 and a[0] != "E" and _real(a)


def _root(a: Atom, e: int | Fraction) -> bool:
    """Whether a**e is a real root, so that it is nonnegative where it is defined."""
    return Fraction(e).denominator > 1 and a[0] != "E"


def _opaque_root(rest: Poly, q: Fraction) -> Poly:
    """rest**q as one atom; a single atom carries the power itself."""
    if rest == constant(1):
        return rest
    (m, c), = rest.items()
    if c == 1 and len(m) == 1:
        (a, e), = m
        if e == 1 and a[0] not in ("i", "E"):  # a power of exp(m) would go inside
            return atom(a, q)
    return atom(("P", freeze(rest)), q)


@lru_cache(maxsize=10_000)
def _factors(n: int) -> tuple:
    out, d = [], 2
    while d * d <= n and d < 100_000:
        k = 0
        while n % d == 0:
            n, k = n // d, k + 1
        if k:
            out.append((d, k))
        d += 1 if d == 2 else 2
    return (*out, (n, 1)) if n > 1 else tuple(out)


def _number_root(c: Fraction, q: Fraction) -> Poly:
    """c**q for c > 0 by prime factors."""
    if c.numerator.bit_length() + c.denominator.bit_length() > 400:
        raise Undecided("a root of a huge number")
    out = constant(1)
    for n, side in ((c.numerator, 1), (c.denominator, -1)):
        for prime, k in _factors(n):
            out = mul(out, atom(("num", prime), side * k * q))
    return out


def _root_sum(p: Poly, q: Fraction, facts: facts_.Facts) -> Poly:
    top, bottoms = fraction(p)
    if bottoms and all(facts_.positive(facts, b) for b, _ in bottoms):
        below = tuple(powered(b, -q * e, facts) for b, e in bottoms)
        return times_all(powered(top, q, facts), below)
    if q.denominator == 2 and (root := _exact_root(p)) is not None:
        return powered(absolute(root, facts), 2 * q, facts)
    c, m = content(p)
    front, keep = _number_root(c, q), {}
    for a, e in m:
        s = facts_.atom_sign_or_any(facts, a)
        if s == facts_.PLUS:
            front = mul(front, atom(a, e * q))
        elif _even(a, e) and "0" not in s:
            front = mul(front, powered(absolute(atom(a), facts), e * q, facts))
        else:
            keep[a] = e
    out = {a: -e for a, e in m if a not in keep}
    rest = scale(mul(p, {frozenset(out.items()): 1}), 1 / c)
    return mul(front, atom(("P", freeze(rest)), q))


def _exact_root(p: Poly) -> Poly | None:
    """A real polynomial r with r*r = p, for the square of a sum of two monomials."""
    if len(p) != 3:
        return None
    for side, unit in ((1, constant(1)), (-1, atom(I))):  # sin**2 is minus a square of exponentials
        found = _two_squares(scale(p, side))
        if found is not None:
            root = mul(found, unit)
            if conjugate(root) == root:
                return root
    return None


def _two_squares(p: Poly) -> Poly | None:
    squares = [({frozenset((a, e / 2) for a, e in m): r}) for m, c in p.items()
               if c > 0 and (r := _rational_root(Fraction(c))) is not None
               and all(Fraction(e).denominator == 1 and e % 2 == 0 for _, e in m)]
    squares = [{frozenset((a, int(e)) for a, e in m): r for m, r in q.items()} for q in squares]
    for k, first in enumerate(squares):
        for second in squares[k + 1:]:
            for root in (add(first, second), subtract(first, second)):
                if mul(root, root) == p:
                    return root
    return None


def _rational_root(c: Fraction) -> Fraction | None:
    a, b = isqrt(c.numerator), isqrt(c.denominator)
    return Fraction(a, b) if a * a == c.numerator and b * b == c.denominator else None


def exponential(p: Poly, facts: facts_.Facts) -> Poly:
    """exp(p): a product over monomials; exp(c log f) is f**c, i pi is folded."""
    out = constant(1)
    for m, c in p.items():
        single = next(iter(m)) if len(m) == 1 else None
        if single and single[0][0] == "log" and single[1] == 1:
            out = mul(out, powered(thaw(single[0][1]), c, facts))
        else:
            out = mul(out, atom(("E", m), c))
    return out


def logarithm(p: Poly, facts: facts_.Facts) -> Poly:
    """log(p), positive factors split off."""
    if not p or set(p) == {ONE} and p[ONE] < 0:
        raise Undecided("the logarithm of zero or of a negative number")
    top, bottoms = fraction(p)
    if bottoms and all(facts_.nonnegative(facts, b) for b, _ in bottoms):
        out = logarithm(top, facts)
        for b, e in bottoms:
            out = subtract(out, scale(logarithm(b, facts), e))
        return out
    c, m = content(p) if len(p) > 1 else next(((abs(Fraction(c)), m) for m, c in p.items()))
    out, rest = _number_log(c), scale(p, 1 / c)
    for a, e in m:
        piece = _log_atom(a, e, facts)
        if piece is not None:
            out = add(out, piece)
            rest = mul(rest, atom(a, -e))
    return out if rest == constant(1) else add(out, atom(("log", freeze(rest))))


def _number_log(c: Fraction) -> Poly:
    out: Poly = {}
    for n, side in ((c.numerator, 1), (c.denominator, -1)):
        for prime, k in _factors(n):
            out = add(out, scale(atom(("log", freeze(constant(prime)))), side * k))
    return out


def _log_atom(a: Atom, e: int | Fraction, facts: facts_.Facts) -> Poly | None:
    """log(a**e) where it may be split off, else None.

    The logarithm is defined, so the whole product is positive: a factor that is nonnegative is
    positive there, and an even power is of something nonzero.
    """
    s = facts_.atom_sign_or_any(facts, a)
    if s <= facts_.NONNEG or _root(a, e) and _real(a):
        if a[0] == "E":
            return {a[1]: e}
        if a[0] in ("num", "P"):
            return scale(logarithm(constant(a[1]) if a[0] == "num" else thaw(a[1]), facts), e)
        return scale(atom(("log", freeze(atom(a)))), e)
    if _even(a, e):
        return scale(logarithm(absolute(atom(a), facts), facts), e)
    return None


def absolute(p: Poly, facts: facts_.Facts) -> Poly:
    """|p|, real or complex; factors of known sign leave the bars."""
    s = facts_.sign(facts, p) if conjugate(p) == p else facts_.ANY
    if s <= facts_.NONNEG:
        return p
    if s <= frozenset("-0"):
        return scale(p, -1)
    c, m = content(p) if len(p) > 1 else next(((abs(Fraction(c)), m) for m, c in p.items()))
    top, bottoms = fraction(p) if len(p) > 1 else (p, ())
    if bottoms:
        bottom = absolute(_multiplied(bottoms), facts)
        return mul(absolute(top, facts), inverse(bottom, facts))
    out, rest = constant(c), scale(p, 1 / c)
    for a, e in m:
        if a == I or (a[0] == "E" and conjugate({a[1]: 1}) == {a[1]: -1}):
            rest = mul(rest, atom(a, -e))  # of modulus one
            continue
        if not _real(a):
            continue
        known = facts_.atom_sign(facts, a) <= facts_.NONNEG
        if known or Fraction(e).denominator == 1:
            inner = atom(a, e) if known or e % 2 == 0 else _bars(atom(a), e, facts)
            out, rest = mul(out, inner), mul(rest, atom(a, -e))
    return mul(out, _bars(rest, 1, facts)) if rest != constant(1) else out


def _bars(p: Poly, e: int, facts: facts_.Facts) -> Poly:
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


def raised(p: Poly, q: Poly, facts: facts_.Facts) -> Poly:
    """p**q with a symbolic exponent: through log for p > 0, by factors for whole exponents."""
    if not q or set(q) == {ONE}:
        return powered(p, q.get(ONE, 0), facts) if q else constant(1)
    if p and conjugate(p) == p and facts_.positive(facts, p):
        return exponential(mul(q, logarithm(p, facts)), facts)
    if integral(q) and facts_.nonzero(facts, p):
        return _whole_power(p, q, facts)
    return atom(("pow", freeze(p), freeze(q)))


def _whole_power(p: Poly, q: Poly, facts: facts_.Facts) -> Poly:
    """p**q for a nonzero p and whole-valued q: the exponent splits into monomials."""
    out = constant(1)
    if p[leading(p)] < 0:
        p = scale(p, -1)
        out = exponential(mul(q, {TURN: 1}), facts)
    for m, c in q.items():
        if m == ONE:
            out = mul(out, powered(p, c, facts))
        elif len(p) == 1:
            out = mul(out, _power_of_mono(p, m, c, facts))
        else:
            out = mul(out, atom(("pow", freeze(p), freeze({m: 1})), c))
    return out


def _power_of_mono(p: Poly, m: Mono, c: int, facts: facts_.Facts) -> Poly:
    (mono, k), = p.items()
    out = constant(1) if k == 1 else exponential(
        mul({m: c}, logarithm(constant(k), facts)), facts)
    for a, e in mono:
        if a[0] == "E":
            out = mul(out, exponential(mul({a[1]: e}, {m: c}), facts))
        elif facts_.atom_sign_or_any(facts, a) == facts_.PLUS:
            out = mul(out, exponential(mul({m: c * e}, logarithm(atom(a), facts)), facts))
        elif Fraction(e).denominator == 1:
            out = mul(out, atom(("pow", freeze(atom(a)), freeze({m: 1})), c * e))
        else:
            raise Undecided("a symbolic power of a root")
    return out


def function(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
    """sign, floor, atan, asin, acos, atan2, factorial, binomial, delta, max, min."""
    build = {"sign": _sign_of, "acos": _acos, "floor": _floor, "atan": _odd, "asin": _odd,
             "delta": _delta, "max": _extreme, "min": _extreme, "factorial": _factorial,
             "binomial": _binomial}.get(head, _opaque)
    return build(head, args, facts)


def _opaque(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
    return atom(("f", head, *map(freeze, args)))


def _sign_of(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
    s = facts_.sign(facts, args[0]) if conjugate(args[0]) == args[0] else facts_.ANY
    values = {facts_.PLUS: constant(1), facts_.MINUS: constant(-1), facts_.ZERO: {}}
    if s in values:
        return values[s]
    return _odd(head, args, facts)


def _odd(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
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


def _acos(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
    """acos x = pi/2 - asin x."""
    return subtract({frozenset({(PI, 1)}): Fraction(1, 2)}, _odd("asin", args, facts))


def _floor(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
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


def _delta(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
    gap = subtract(*args)
    if not gap:
        return constant(1)
    if set(gap) == {ONE} or "0" not in facts_.sign(facts.root, gap):
        return {}
    if gap[leading(gap)] < 0:
        gap = scale(gap, -1)
    return atom(("f", "delta", freeze(gap)))


def _extreme(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
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


def _factorial(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
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
    if c == 0 or not facts_.entails(facts.root, low):
        return _opaque(head, args, facts)
    out = atom(("f", "factorial", freeze(base)))
    steps = [add(base, constant(j)) for j in range(1, c + 1)] if c > 0 else \
        [inverse(add(base, constant(j)), facts) for j in range(c + 1, 1)]
    return times_all(out, tuple(steps))


def _binomial(head: str, args: list[Poly], facts: facts_.Facts) -> Poly:
    n, k = args
    c = k.get(ONE, 0)
    if set(k) <= {ONE} and Fraction(c).denominator == 1 and 0 <= c <= 40:
        out = constant(Fraction(1, whole_factorial(int(c))))
        return times_all(out, tuple(subtract(n, constant(j)) for j in range(int(c))))
    gap = subtract(n, k)
    if integral(n) and integral(k) and facts_.entails(facts.root, k) \
            and facts_.entails(facts.root, gap):
        below = mul(function("factorial", [k], facts), function("factorial", [gap], facts))
        return mul(function("factorial", [n], facts), inverse(below, facts))
    return _opaque(head, args, facts)


def entry(name: str, indices: list[Poly], facts: facts_.Facts) -> Poly:
    """The entry of a declared family of numbers."""
    base = facts.sorts[name][1][0]
    kind = {"real": "at", "integer": "iat", "complex": "cat"}[base]
    return atom((kind, name, *map(freeze, indices)))


def subst(p: Poly, values: dict[Atom, Poly], facts: facts_.Facts) -> Poly:
    """p with base atoms replaced by polynomials, every atom rebuilt."""
    names = frozenset(values)
    if not any(mentions(m, names) for m in p):
        return p
    out: Poly = {}
    for m, c in p.items():
        q = constant(c)
        for a, e in sorted(m, key=key):
            q = mul(q, _rebuild(a, e, values, names, facts))
        out = add(out, q)
    return out


def _rebuild(a: Atom, e: int | Fraction, values: dict, names: frozenset,
             facts: facts_.Facts) -> Poly:
    if a in values:
        return powered(values[a], e, facts)
    if not mentions(a, names):
        return {frozenset({(a, e)}): 1}
    if a[0] == "E":  # the power goes inside: exp(i pi k)**(1/2) at k = 2 is -1, not 1
        return exponential(scale(subst({a[1]: 1}, values, facts), e), facts)
    if a[0] == "P":
        return powered(subst(thaw(a[1]), values, facts), e, facts)
    return powered(_rebuilt(a, values, facts), e, facts)


def _rebuilt(a: Atom, values: dict, facts: facts_.Facts) -> Poly:
    def inner(f: frozenset) -> Poly:
        return subst(thaw(f), values, facts)

    kind = a[0]
    if kind in ("at", "iat", "cat"):
        return atom((kind, a[1], *(freeze(inner(f)) for f in a[2:])))
    if kind == "conj":
        return conjugate(_rebuilt(a[1], values, facts))
    if kind == "log":
        return logarithm(inner(a[1]), facts)
    if kind == "pow":
        return raised(inner(a[1]), inner(a[2]), facts)
    if kind == "f":
        return _rebuilt_function(a, inner, facts)
    if kind in ("S", "B"):
        return sums.rebuilt(a, values, facts)
    from symbolic.kernel import words  # matrices are only met where they are declared

    return words.rebuilt(a, values, facts)


def _rebuilt_function(a: Atom, inner: object, facts: facts_.Facts) -> Poly:
    head = a[1]
    if head in ("abs", "modulus"):
        return absolute(inner(a[2]), facts)
    if head in ("max", "min"):
        return function(head, [inner(f) for f in a[2]], facts)
    if head == "cases":
        raise Undecided("a substitution into a piecewise value")
    if head == "delta":
        return function(head, [inner(a[2]), {}], facts)
    return function(head, [inner(f) for f in a[2:]], facts)
