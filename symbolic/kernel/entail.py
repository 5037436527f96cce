"""What the declared facts entail, by exact linear elimination (Fourier and Motzkin).

A fact is held as a polynomial that is >= 0, > 0, != 0 or = 0. A guarded fact (one that speaks of a
range of indices) is used only for indices that are entailed to lie in the range.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

import symbolic.kernel.facts as facts_
import symbolic.kernel.rebuild as rebuild
from symbolic.kernel.budget import spend
from symbolic.kernel.polynomial import ONE, Atom, Mono, Poly, freeze, scale, thaw
from symbolic.kernel.structure import integral

MOST_ROWS = 160


@dataclass(frozen=True)
class Guard:
    """For all whole `names` with every guard >= 0: `poly` kind 0 (kind is ">=", ">", "!=", "=")."""

    names: tuple[Atom, ...]
    guards: tuple[frozenset, ...]
    poly: frozenset
    kind: str


@dataclass(frozen=True)
class Facts:
    """Everything known at a point: sorts of names and facts; `root` are the statement's own."""

    sorts: dict = field(default_factory=dict)
    plain: tuple[tuple[frozenset, str], ...] = ()
    guarded: tuple[Guard, ...] = ()
    context: tuple[tuple[frozenset, str], ...] = ()
    memo: dict = field(default_factory=dict, compare=False)
    busy: frozenset = frozenset()

    def under(self, constraints: Iterable[Poly], kind: str = ">=") -> Facts:
        """The same facts inside a binder whose names satisfy the constraints."""
        more = tuple((freeze(c), kind) for c in constraints)
        if not more:
            return self
        if ("under", more) not in self.memo:
            self.memo["under", more] = replace(self, context=self.context + more, memo={})
        return self.memo["under", more]

    @property
    def root(self) -> Facts:
        """The facts of the statement alone, without surrounding indices."""
        if not self.context:
            return self
        if "root" not in self.memo:
            self.memo["root"] = replace(self, context=(), memo={})
        return self.memo["root"]


def entails(facts: Facts, p: Poly, strict: bool = False) -> bool:
    """Whether the facts give p >= 0 (p > 0 if strict), by exact linear elimination."""
    if not p:
        return not strict
    if set(p) == {ONE}:
        return p[ONE] > 0
    question = ("entails", freeze(p), strict)
    if question not in facts.memo:
        facts.memo[question] = False  # an answer that needs itself is no answer
        facts.memo[question] = _entails(facts, p, strict)
    return facts.memo[question]


def _entails(facts: Facts, p: Poly, strict: bool) -> bool:
    goal = scale(p, -1)
    rows = [_row(goal, ">=" if strict else ">")]
    rows += _relevant(facts, p)
    return _infeasible(rows)


def _row(p: Poly, kind: str) -> tuple[dict, Fraction, bool]:
    """One inequality as (coefficients, constant, strict), whole values tightened."""
    strict = kind == ">"
    shift = 0
    if strict and integral(p):
        strict, shift = False, -1
    return {m: Fraction(c) for m, c in p.items() if m}, Fraction(p.get(ONE, 0) + shift), strict


def _relevant(facts: Facts, p: Poly) -> list:
    """Rows that share monomials with p, step by step, instances of guarded facts among them."""
    pool = [(thaw(f), k) for f, k in facts.plain + facts.context]
    if integral(p):  # a question about whole numbers is answered by facts about whole numbers
        pool = [(q, k) for q, k in pool if all(integral({m: 1}) for m in q)]
    reached, rows, tried = set(p) - {ONE}, [], set()
    for _ in range(6):
        for m in reached - tried:
            pool.extend(instances(facts, m))
            s = facts_.mono_sign(facts, m)
            if s <= facts_.NONNEG:
                rows.append(_row({m: 1}, ">" if s == facts_.PLUS else ">="))
            elif s <= frozenset("-0"):
                rows.append(_row({m: -1}, ">" if s == facts_.MINUS else ">="))
            if len(m) == 1 and all(a[:2] == ("f", "delta") for a, _ in m):
                rows.append(_row({ONE: 1, m: -1}, ">="))    # a Kronecker delta is 0 or 1
        tried |= reached
        found = [(q, k) for q, k in pool if k != "!=" and not reached.isdisjoint(q)]
        if not found or len(rows) > 60:
            break
        pool = [item for item in pool if item not in found]
        for q, kind in found:
            reached |= set(q) - {ONE}
            rows.append(_row(q, kind if kind == ">" else ">="))
            if kind == "=":
                rows.append(_row(scale(q, -1), ">="))
    return rows


def instances(facts: Facts, m: Mono) -> list[tuple[Poly, str]]:
    """Guarded facts at the entries that occur in m, where their guards are entailed."""
    out = []
    entries = [a for a, _ in m if a[0] in ("at", "iat")]
    for guard in facts.guarded:
        patterns = [a for mono in guard.poly for a, _ in mono[0] if a[0] in ("at", "iat")]
        for pattern, entry in product(patterns, entries):
            values = match(pattern, entry, guard.names)
            if values is not None:
                p = instantiate(facts, guard, values)
                if p is not None:
                    out.append((p, guard.kind))
    return out


def instantiate(facts: Facts, guard: Guard, values: dict) -> Poly | None:
    """The guarded fact at whole `values`, or None when a guard is not entailed."""
    if set(values) != set(guard.names) or not all(integral(v) for v in values.values()):
        return None
    if not all(entails(facts, rebuild.subst(thaw(g), values, facts)) for g in guard.guards):
        return None
    return rebuild.subst(thaw(guard.poly), values, facts)


def match(pattern: Atom, entry: Atom, names: tuple) -> dict | None:
    """Values of `names` (patterns are plain names) that turn one entry into the other."""
    if pattern[:2] != entry[:2] or len(pattern) != len(entry):
        return None
    values: dict = {}
    for want, have in zip(pattern[2:], entry[2:], strict=True):
        (mono, c), *more = want if want else ((ONE, 0),)
        if not more and c == 1 and len(mono) == 1 and next(iter(mono)) in {(n, 1) for n in names}:
            name = next(iter(mono))[0]
            if values.setdefault(name, thaw(have)) != thaw(have):
                return None
        elif want != have:
            return None
    return values


def _infeasible(rows: list) -> bool:
    """Whether the linear inequalities contradict each other (Fourier-Motzkin, exact)."""
    while True:
        live = []
        for coeffs, c, strict in rows:
            if coeffs:
                live.append((coeffs, c, strict))
            elif c < 0 or (strict and c == 0):
                return True
        if not live:
            return False
        rows = _eliminate(live)
        if rows is None:
            return False


def _eliminate(rows: list) -> list | None:
    """Project out the variable that makes the fewest new rows; None when there are too many."""
    counts: dict = {}
    for coeffs, _, _ in rows:
        for v, c in coeffs.items():
            up, down = counts.get(v, (0, 0))
            counts[v] = (up + 1, down) if c > 0 else (up, down + 1)
    var = min(counts, key=lambda v: counts[v][0] * counts[v][1] - sum(counts[v]))
    ups = [r for r in rows if r[0].get(var, 0) > 0]
    downs = [r for r in rows if r[0].get(var, 0) < 0]
    out = [r for r in rows if var not in r[0]]
    if len(out) + len(ups) * len(downs) > MOST_ROWS:
        return None
    spend(10 * len(rows))
    seen = {}
    for (a, ca, sa), (b, cb, sb) in product(ups, downs):
        s, t = -b[var], a[var]
        coeffs = {v: s * a.get(v, 0) + t * b.get(v, 0) for v in a.keys() | b.keys()}
        coeffs = {v: c for v, c in coeffs.items() if c}
        c = s * ca + t * cb
        size = max([abs(x) for x in coeffs.values()], default=Fraction(1))
        row = frozenset((v, x / size) for v, x in coeffs.items())
        old = seen.get(row)
        if old is None or (c / size, not (sa or sb)) < (old[0], not old[1]):
            seen[row] = (c / size, sa or sb)
    out += [(dict(row), c, strict) for row, (c, strict) in seen.items()]
    return out
