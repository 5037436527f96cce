"""Looking into atoms: which names they mention, complex conjugates, whole values, heights.

Kinds of atoms:
    ("sym", x) ("int", n) ("csym", z)      a real, whole or complex symbol
    ("at", f, i...) ("iat", ..) ("cat", ..) an entry of a family; indices are frozen sums
    ("conj", a)                             the conjugate of a complex symbol or entry
    ("b", height, k)                        a bound name of a closed sum, product or integral
    ("S", height, constraints, mono)        a closed sum over its bound names
    ("B", head, height, frozen...)          another binder: "prod", "int", "limit"
    ("tr", word) ("en", letter, i, j)       a trace and an entry of a matrix
    ("det", frozen words)
besides those of `polynomial`.
"""

from fractions import Fraction
from functools import lru_cache

from symbolic.kernel.polynomial import (
    Atom,
    I,
    Mono,
    Poly,
    add,
    atom,
    constant,
    imaginary,
    mul,
    thaw,
)

BASES = frozenset({"sym", "int", "csym"})


@lru_cache(maxsize=200_000)
def support(item: object) -> frozenset:
    """Base atoms (symbols, bound names, letters) that occur anywhere inside."""
    if isinstance(item, frozenset):
        return frozenset().union(*(support(x) for x in item))
    if not isinstance(item, tuple) or not item:
        return frozenset()
    if item[0] in BASES or item[0] == "b":
        return frozenset({item})
    return frozenset().union(*(support(x) for x in item))


def mentions(item: object, names: frozenset) -> bool:
    """Whether any of the base atoms `names` occurs inside."""
    return not names.isdisjoint(support(item))


@lru_cache(maxsize=100_000)
def height(item: object) -> int:
    """The height of the tallest closed binder inside, 0 when there is none."""
    if isinstance(item, frozenset):
        return max((height(x) for x in item), default=0)
    if not isinstance(item, tuple) or not item:
        return 0
    if item[0] == "S":
        return item[1]
    if item[0] == "B":
        return item[2]
    return max((height(x) for x in item), default=0)


def integral(p: Poly) -> bool:
    """Whether p takes whole values: whole coefficients, whole atoms, whole powers >= 0."""
    return all(
        Fraction(c).denominator == 1 and all(_whole(a) and Fraction(e).denominator == 1 and e > 0
                                             for a, e in m)
        for m, c in p.items())


def _whole(a: Atom) -> bool:
    return a[0] in ("int", "iat") or (a[0] == "b" and a[1] > 0) or (
        a[0] == "f" and a[1] in ("delta", "floor", "sign"))


def conjugate(p: Poly) -> Poly:
    """The complex conjugate of p; equal to p exactly when p is shown to be real."""
    if all(_plainly_real(m) for m in p):
        return p
    out: Poly = {}
    for m, c in p.items():
        q = constant(c)
        for a, e in m:
            q = mul(q, _conjugate_atom(a, e))
        out = add(out, q)
    return out


@lru_cache(maxsize=200_000)
def _plainly_real(m: Mono) -> bool:
    return all(_real_atom(a) for a, _ in m)


@lru_cache(maxsize=200_000)
def _real_atom(a: Atom) -> bool:
    kind = a[0]
    if kind in ("i", "csym", "cat", "conj"):
        return False
    if kind == "E":
        return _plainly_real(a[1])
    if kind in ("P", "log"):
        return all(_plainly_real(m) for m, _ in a[1])
    if kind == "S":
        return _plainly_real(a[3])
    return a[:2] in (("f", "abs"), ("f", "modulus")) or not imaginary(a)


def _conjugate_atom(a: Atom, e: int | Fraction) -> Poly:
    kind = a[0]
    if _real_atom(a):
        return {frozenset({(a, e)}): 1}
    if kind == "i":
        return {frozenset({(I, 1)}): -1}
    if kind in ("csym", "cat"):
        return {frozenset({(("conj", a), e)}): 1}
    if kind == "conj":
        return {frozenset({(a[1], e)}): 1}
    if kind == "E":
        (m, c), = conjugate({a[1]: 1}).items()
        return atom(("E", m), c * e)
    if kind == "S":
        (m, c), = conjugate({a[3]: 1}).items()
        return atom((*a[:3], m), e) if c == 1 else mul(constant(c**e), atom((*a[:3], m), e))
    if kind in ("P", "log"):
        other = frozenset(conjugate(thaw(a[1])).items())
        return {frozenset({((kind, other), e)}): 1}
    return {frozenset({(("conj", a), e)}): 1}
