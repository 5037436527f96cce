"""Products over an index, opaque binders (integrals, limits), and closed binders built again."""

from __future__ import annotations

from fractions import Fraction

import symbolic.kernel.atoms as atoms
import symbolic.kernel.entail as entail
import symbolic.kernel.facts as facts_
import symbolic.kernel.rebuild as rebuild
import symbolic.kernel.sums as sums
from symbolic.kernel.letters import holds_inverse
from symbolic.kernel.polynomial import (
    ONE,
    Atom,
    Poly,
    add,
    atom,
    constant,
    freeze,
    key,
    mul,
    power,
    subtract,
    thaw,
)
from symbolic.kernel.structure import height, integral, mentions


def product(body: Poly, name: Atom, low: Poly, high: Poly, facts: entail.Facts) -> Poly:
    """The product of body over whole `name` from low to high; 1 if high < low."""
    if not set(low) - {ONE} and not set(high) - {ONE} and integral(low) and integral(high):
        first, last = int(low.get(ONE, 0)), int(high.get(ONE, 0))
        if last - first < sums.MOST_TERMS:
            out = constant(1)
            for k in range(first, last + 1):
                out = mul(out, rebuild.subst(body, {name: constant(k)}, facts))
            return out
    here = frozenset({name})
    length = add(subtract(high, low), constant(1))
    last = high.get(ONE, 0)
    if type(last) is int and 0 < last <= sums.MOST_TERMS and integral(length) and entail.entails(
            facts.root, subtract(length, constant(last))):  # Product(.., (k,1,n+1)): peeled to n
        out = product(body, name, low, subtract(high, constant(last)), facts)
        for k in range(last):
            out = mul(out, rebuild.subst(body, {name: subtract(high, constant(k))}, facts))
        return out
    if len(body) == 1 and _opens(body, name, length, facts):
        return _product_mono(body, name, low, high, length, facts)
    shift = subtract(constant(1), low)
    if integral(low) and shift and not sums.offsets(freeze(body), name):
        body = rebuild.subst(body, {name: subtract(atom(name), shift)}, facts)
        low, high = constant(1), add(high, shift)
    return bind("prod", body, name, (low, high), facts) if mentions(freeze(body), here) else \
        raised_or_bound(body, name, low, high, facts)


def raised_or_bound(body: Poly, name: Atom, low: Poly, high: Poly, facts: entail.Facts) -> Poly:
    """The product of a constant: a power when the range is not negative in length."""
    length = add(subtract(high, low), constant(1))
    if _opens(body, name, length, facts):
        return atoms.raised(body, length, facts)
    return bind("prod", body, name, (low, high), facts)


def _opens(body: Poly, name: Atom, length: Poly, facts: entail.Facts) -> bool:
    """Whether a product may be written as powers of its factors.

    Over an empty range it is 1 and nothing is divided, while exp(1/n)**n would cancel the divisor:
    factors without the name that divide by what may be zero need a range that is not empty.
    """
    if not integral(length) or not entail.entails(facts.root, length):
        return False
    if entail.entails(facts.root, subtract(length, constant(1))):
        return True
    here = frozenset({name})
    return not any(_divides(a, facts) or e < 0 and _maybe_zero(a, facts)
                   for m in body for a, e in m if not mentions(a, here))


def _divides(item: object, facts: entail.Facts) -> bool:
    """Whether something inside is divided by what may be zero, or an inverse is in it."""
    if isinstance(item, frozenset):
        return any(_divides(x, facts) for x in item)
    if not isinstance(item, tuple) or not item:
        return False
    if len(item) == 2 and isinstance(item[0], tuple) and isinstance(item[1], int | Fraction):
        return item[1] < 0 and _maybe_zero(item[0], facts) or _divides(item[0], facts)
    return holds_inverse(item, facts.sorts) or any(_divides(x, facts) for x in item)


def _maybe_zero(a: Atom, facts: entail.Facts) -> bool:
    return a[0] != "E" and "0" in facts_.atom_sign_or_any(facts.root, a)


def _product_mono(body: Poly, name: Atom, low: Poly, high: Poly, length: Poly,
                  facts: entail.Facts) -> Poly:
    (m, c), = body.items()
    here = frozenset({name})
    still = {frozenset((a, e) for a, e in m if not mentions(a, here)): c}
    out = atoms.raised(still, length, facts)
    for a, e in sorted(m, key=key):
        if not mentions(a, here):
            continue
        if a[0] == "E":
            out = mul(out, atoms.exponential(sums.summed({a[1]: e}, name, low, high, facts), facts))
        elif Fraction(e).denominator == 1:
            factor = bind("prod", atom(a), name, (low, high), facts)
            out = mul(out, power(factor, int(e)))
        else:
            out = mul(out, bind("prod", atom(a, e), name, (low, high), facts))
    return out


def bind(head: str, body: Poly, name: Atom, ends: tuple, facts: entail.Facts) -> Poly:
    """An opaque binder with its name numbered; whole names have a positive height."""
    level = 1 + height(freeze(body))
    number = ("b", level if name[0] == "int" else -level, 0)
    inner = rebuild.subst(body, {name: atom(number)}, facts)
    return atom(("B", head, level, number, freeze(inner), *map(freeze, ends)))


def rebuilt(a: Atom, values: dict, facts: entail.Facts) -> Poly:
    """A closed binder with base atoms replaced."""
    if a[0] == "S":
        names, constraints, body = sums.opened(a, facts)
        body = rebuild.subst(body, values, facts)
        inner = frozenset(freeze(rebuild.subst(thaw(c), values, facts)) for c in constraints)
        return sums.close(body, names, inner, facts)
    _, head, _, number, body, *ends = a
    name = sums.fresh("int" if number[1] > 0 else "sym")
    body = rebuild.subst(rebuild.subst(thaw(body), {number: atom(name)}, facts), values, facts)
    ends = [rebuild.subst(thaw(f), values, facts) for f in ends]
    if head == "prod":
        return product(body, name, *ends, facts)
    return bind(head, body, name, tuple(ends), facts)
