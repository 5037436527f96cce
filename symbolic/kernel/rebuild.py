"""Putting polynomials in place of base atoms: every atom that mentions one is built again."""

from __future__ import annotations

from fractions import Fraction

import symbolic.kernel.atoms as atoms
import symbolic.kernel.entail as entail
import symbolic.kernel.functions as functions
from symbolic.kernel import binders, traces
from symbolic.kernel.budget import Undecided
from symbolic.kernel.polynomial import (
    Atom,
    Poly,
    add,
    atom,
    constant,
    freeze,
    key,
    mul,
    scale,
    thaw,
)
from symbolic.kernel.structure import conjugate, mentions


def subst(p: Poly, values: dict[Atom, Poly], facts: entail.Facts) -> Poly:
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
             facts: entail.Facts) -> Poly:
    if a in values:
        return atoms.powered(values[a], e, facts)
    if not mentions(a, names):
        return {frozenset({(a, e)}): 1}
    if a[0] == "E":  # the power goes inside: exp(i pi k)**(1/2) at k = 2 is -1, not 1
        return atoms.exponential(scale(subst({a[1]: 1}, values, facts), e), facts)
    if a[0] == "P":
        return atoms.powered(subst(thaw(a[1]), values, facts), e, facts)
    return atoms.powered(_rebuilt(a, values, facts), e, facts)


def _rebuilt(a: Atom, values: dict, facts: entail.Facts) -> Poly:
    def inner(f: frozenset) -> Poly:
        return subst(thaw(f), values, facts)

    kind = a[0]
    if kind in ("at", "iat", "cat"):
        return atom((kind, a[1], *(freeze(inner(f)) for f in a[2:])))
    if kind == "conj":
        return conjugate(_rebuilt(a[1], values, facts))
    if kind == "log":
        return atoms.logarithm(inner(a[1]), facts)
    if kind == "pow":
        return atoms.raised(inner(a[1]), inner(a[2]), facts)
    if kind == "f":
        return _rebuilt_function(a, inner, facts)
    if kind in ("S", "B"):
        return binders.rebuilt(a, values, facts)

    return traces.rebuilt(a, values, facts)


def _rebuilt_function(a: Atom, inner: object, facts: entail.Facts) -> Poly:
    head = a[1]
    if head in ("abs", "modulus"):
        return functions.absolute(inner(a[2]), facts)
    if head in ("max", "min"):
        return functions.function(head, [inner(f) for f in a[2]], facts)
    if head == "cases":
        raise Undecided("a substitution into a piecewise value")
    if head == "delta":
        return functions.function(head, [inner(a[2]), {}], facts)
    return functions.function(head, [inner(f) for f in a[2:]], facts)
