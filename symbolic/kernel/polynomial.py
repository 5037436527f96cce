"""Exact arithmetic of finite maps from monomials to rationals.

A monomial is a frozenset of (atom, exponent) pairs, an atom a tuple whose first entry is its
kind. Relations of atoms (i*i, roots, roots of unity, |x|^2, delta^2) are applied in one place,
`_settle`, whenever a product changes an exponent. Kinds that matter here:

    ("i",)            the imaginary unit           ("num", p)   a prime under a fractional power
    ("E", m)          exp of the monomial m        ("P", f)     a frozen sum under a power that
    ("f", head, ...)  a function of frozen sums                 is negative or fractional
"""

from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm

from symbolic.kernel.budget import Undecided, spend

Atom = tuple
Mono = frozenset
Poly = dict

ONE: Mono = frozenset()
I: Atom = ("i",)  # noqa: E741 - the imaginary unit has no better name
PI: Atom = ("pi",)
MOST_BITS = 200_000
TURN: Mono = frozenset({(I, 1), (PI, 1)})


def constant(c: int | Fraction) -> Poly:
    """The polynomial c."""
    return {ONE: c} if c else {}


def atom(a: Atom, e: int | Fraction = 1) -> Poly:
    """The polynomial a**e, relations applied."""
    c, mono, extra = _settle({a: e}, (a,))
    return times_all({mono: c}, extra)


def freeze(p: Poly) -> frozenset:
    """A hashable copy."""
    return frozenset(p.items())


def thaw(f: frozenset) -> Poly:
    """The polynomial of a frozen copy."""
    return dict(f)


def add(p: Poly, q: Poly) -> Poly:
    """p + q."""
    if len(p) < len(q):
        p, q = q, p
    spend(len(q))
    out = dict(p)
    for m, c in q.items():
        c = out.get(m, 0) + c
        if c:
            out[m] = c
        else:
            del out[m]
    return out


def total(polys: list[Poly]) -> Poly:
    """The sum of several polynomials."""
    out: Poly = {}
    for p in polys:
        spend(len(p))
        for m, c in p.items():
            c = out.get(m, 0) + c
            if c:
                out[m] = c
            else:
                del out[m]
    return out


def scale(p: Poly, c: int | Fraction) -> Poly:
    """c * p for a rational c."""
    return {m: c * k for m, k in p.items()} if c else {}


def subtract(p: Poly, q: Poly) -> Poly:
    """p - q."""
    return add(p, scale(q, -1))


def mul(p: Poly, q: Poly) -> Poly:
    """p * q, relations of atoms applied."""
    if len(p) < len(q):
        p, q = q, p
    spend(len(p) * len(q))
    out: Poly = {}
    for mq, cq in q.items():
        for mp, cp in p.items():
            mono, c, extra = _times(mp, mq)
            c *= cp * cq
            if extra:
                out = add(out, times_all({mono: c}, extra))
                continue
            c += out.get(mono, 0)
            if c:
                out[mono] = c
            else:
                out.pop(mono, None)
    return out


def times_all(p: Poly, factors: tuple) -> Poly:
    """p times each factor."""
    for q in factors:
        p = mul(p, q)
    return p


def power(p: Poly, n: int) -> Poly:
    """p**n for a whole n >= 0; a single monomial may have any whole n. Undecided if huge."""
    if abs(n) > (60 if len(p) > 1 else 4_000):
        raise Undecided(f"a power of degree {n}")
    for c in p.values():
        _affordable(c, n)
    if len(p) == 1 and n != 1:
        (m, c), = p.items()
        exps = {a: e * n for a, e in m}
        k, mono, extra = _settle(exps, tuple(exps))
        return times_all({mono: k * (Fraction(c) ** n if n < 0 else c**n)}, extra)
    if n < 0:
        raise Undecided("a negative power of a sum")
    out = constant(1)
    while n:
        if n & 1:
            out = mul(out, p)
        n >>= 1
        if n:
            p = mul(p, p)
    return out


def _affordable(c: int | Fraction, n: int | Fraction) -> None:
    """Charge for the digits of c**n before it is computed; Undecided if there are too many."""
    c = Fraction(c)
    bits = abs(n) * (c.numerator.bit_length() + c.denominator.bit_length())
    if bits > MOST_BITS:
        raise Undecided("a number of too many digits")
    spend(int(bits) // 64)


def _times(a: Mono, b: Mono) -> tuple[Mono, int | Fraction, tuple]:
    if not a:
        return b, 1, ()
    if not b:
        return a, 1, ()
    exps, changed = dict(a), []
    for atom_, e in b:
        if atom_ in exps:
            exps[atom_] += e
            changed.append(atom_)
        else:
            exps[atom_] = e
    if not changed:
        return frozenset(exps.items()), 1, ()
    c, mono, extra = _settle(exps, tuple(changed))
    return mono, c, extra


def _settle(exps: dict, changed: tuple) -> tuple[int | Fraction, Mono, tuple]:
    """Apply the relations of the atoms whose exponent changed: (factor, monomial, more sums)."""
    c: int | Fraction = 1
    extra: list[Poly] = []
    for a in changed:
        e = exps[a]
        kind = a[0]
        if e == 0:
            del exps[a]
        elif kind == "i":
            pass
        elif kind == "num":
            whole = e.__floor__()
            _affordable(a[1], whole)
            c *= Fraction(a[1]) ** whole
            _put(exps, a, e - whole)
        elif kind == "P" and e >= 1:
            whole = e.__floor__()
            extra.append(power(thaw(a[1]), whole))
            _put(exps, a, e - whole)
        elif kind == "E" and a[1] >= TURN:
            if a[1] == TURN:
                c *= _turn(exps, a, Fraction(e))
            elif _whole_turn(a[1]):
                _put(exps, a, Fraction(e) % 2)
        elif kind == "f" and e >= 2 and a[1] == "abs":
            whole = e.__floor__() // 2 * 2
            extra.append(power(thaw(a[2]), whole))
            _put(exps, a, e - whole)
        elif kind == "f" and e > 1 and a[1] == "delta":
            exps[a] = 1
    if I in exps:
        k = exps.pop(I) % 4
        if k % 2:
            exps[I] = 1
        if k >= 2:
            c = -c
    return c, frozenset(exps.items()), tuple(extra)


@lru_cache(maxsize=10_000)
def _whole_turn(m: Mono) -> bool:
    """Whether m is i pi times whole symbols, so that exp(m) has period 2 in its exponent."""
    return all(e > 0 and Fraction(e).denominator == 1
               and (a in (I, PI) and e == 1 or a[0] in ("int", "iat")
                    or a[0] == "b" and a[1] > 0) for a, e in m)


def _put(exps: dict, a: Atom, e: int | Fraction) -> None:
    if e:
        exps[a] = e
    else:
        del exps[a]


def _turn(exps: dict, a: Atom, e: Fraction) -> int:
    """exp(i pi)**e folded: the exponent goes into [0, 1/2), signs and i are split off."""
    e %= 2
    sign = 1
    if e >= 1:
        sign, e = -1, e - 1
    if e >= Fraction(1, 2):
        exps[I] = exps.get(I, 0) + 1
        e -= Fraction(1, 2)
    _put(exps, a, e)
    return sign


@lru_cache(maxsize=200_000)
def key(item: object) -> str:
    """A text that orders atoms, monomials and frozen sums the same way in every process."""
    if isinstance(item, frozenset):
        return "{" + ",".join(sorted(key(x) for x in item)) + "}"
    if isinstance(item, tuple):
        return "(" + ",".join(map(key, item)) + ")"
    return repr(item) if isinstance(item, str) else str(item)


def leading(p: Poly) -> Mono:
    """The monomial whose text is least: a fixed choice for normalising signs."""
    return min(p, key=key)


@lru_cache(maxsize=100_000)
def imaginary(item: object) -> bool:
    """Whether i or a complex symbol occurs anywhere inside."""
    if isinstance(item, frozenset):
        return any(imaginary(x) for x in item)
    if not isinstance(item, tuple) or not item:
        return False
    return item[0] in ("i", "csym", "cat") or any(imaginary(x) for x in item)


def content(p: Poly) -> tuple[Fraction, Mono]:
    """The positive rational and the monomial (least exponents) that divide every term of p."""
    num = den = None
    for c in p.values():
        c = Fraction(c)
        num = abs(c.numerator) if num is None else gcd(num, c.numerator)
        den = c.denominator if den is None else lcm(den, c.denominator)
    tables = [dict(m) for m in p]
    low: dict = {}
    for a in tables[0].keys() | {a for t in tables for a, e in t.items() if e < 0 or a[0] == "E"}:
        if a[0] in ("i", "num", "P", "f") or (a[0] == "E" and imaginary(a)):
            continue  # complex exponentials stay, so that a real sum stays visibly real
        low[a] = min(t.get(a, 0) for t in tables)
    return Fraction(num, den), frozenset((a, e) for a, e in low.items() if e)


def invert_mono(m: Mono) -> Mono:
    """The monomial 1/m, for a monomial without special atoms."""
    return frozenset((a, -e) for a, e in m)
