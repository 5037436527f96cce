"""The zero test: denominators cleared, roots of unity reduced by their cyclotomic polynomial."""

from fractions import Fraction
from functools import lru_cache
from math import lcm

from symbolic.kernel.budget import Undecided
from symbolic.kernel.polynomial import (
    TURN,
    Atom,
    I,
    Mono,
    Poly,
    constant,
    key,
    mul,
    power,
    thaw,
    total,
)


def inverse_atoms(p: Poly) -> dict:
    """Sums under a negative power in p, with the whole power that clears each."""
    worst: dict = {}
    for m in p:
        for a, e in m:
            if a[0] == "P" and e < 0:
                worst[a] = max(worst.get(a, 0), -(e.__floor__()))
    return worst


def fraction(p: Poly) -> tuple[Poly, tuple]:
    """(top, bottoms) with p = top / product of sum**power over the pairs of bottoms."""
    bottoms: list = []
    for _ in range(20):
        worst = inverse_atoms(p)
        if not worst:
            return p, tuple(bottoms)
        for a, e in sorted(worst.items(), key=key):
            p = _multiply_out(p, a, e)
            bottoms.append((thaw(a[1]), e))
    raise Undecided("denominators do not clear")


def _multiply_out(p: Poly, a: Atom, e: int) -> Poly:
    """p * a**e, each term raised by what it lacks (terms without the denominator in full)."""
    powers = {0: constant(1)}
    out: list[Poly] = []
    for m, c in p.items():
        have = dict(m).get(a, 0)
        rest = frozenset((b, k) for b, k in m if b != a)
        whole = (have + e).__floor__()
        frac = have + e - whole
        if whole not in powers:
            powers[whole] = power(thaw(a[1]), whole)
        mono = rest | {(a, frac)} if frac else rest
        out.append(mul({mono: c}, powers[whole]))
    return total(out)


def vanishes(p: Poly) -> bool:
    """Whether p is identically zero as far as the relations of its atoms tell (sound)."""
    if not p:
        return True
    p, _ = fraction(p)
    return not p or not _cyclotomic(p)


def _cyclotomic(p: Poly) -> Poly:
    """Reduce powers of exp(i pi/q) modulo the cyclotomic polynomial of their order."""
    turn = ("E", TURN)
    order = 1
    for m in p:
        for a, e in m:
            if a == turn:
                order = lcm(order, Fraction(e).denominator)
    if order == 1:
        return p
    if order > 240:
        raise Undecided("a root of unity of high order")
    return _reduce_roots(p, turn, order)


def _reduce_roots(p: Poly, turn: Atom, order: int) -> Poly:
    modulus = cyclotomic(2 * order)
    groups: dict[Mono, list] = {}
    degree = 2 * order
    for m, c in p.items():
        exps = dict(m)
        k = int(exps.pop(turn, 0) * order) + (exps.pop(I, 0) * order // 2 if order % 2 == 0 else 0)
        row = groups.setdefault(frozenset(exps.items()), [0] * degree)
        row[k % degree] += c
    out: Poly = {}
    for m, row in groups.items():
        for k in range(degree - 1, len(modulus) - 2, -1):
            c = row[k]
            if c:
                for j, b in enumerate(modulus):
                    row[k - len(modulus) + 1 + j] -= c * b
        for k, c in enumerate(row):
            if c:
                out[m | {(("root", k), 1)}] = c
    return out


@lru_cache(maxsize=64)
def cyclotomic(n: int) -> tuple[int, ...]:
    """Coefficients, constant first, of the n-th cyclotomic polynomial (monic)."""
    p = [-1] + [0] * (n - 1) + [1]
    for d in range(1, n):
        if n % d == 0:
            p = _exact_quotient(p, cyclotomic(d))
    return tuple(p)


def _exact_quotient(p: list, q: tuple) -> list:
    p, out = list(p), [0] * (len(p) - len(q) + 1)
    for k in range(len(out) - 1, -1, -1):
        out[k] = p[k + len(q) - 1]
        for j, b in enumerate(q):
            p[k + j] -= out[k] * b
    return out
