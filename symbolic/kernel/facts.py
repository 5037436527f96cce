"""What the declared facts entail: linear consequences, signs of polynomials, integer values.

A fact is held as a polynomial that is >= 0, > 0, != 0 or = 0. A guarded fact (one that speaks of a
range of indices) is used only for indices that are entailed to lie in the range. Signs are sets
drawn from "-0+"; the full set says nothing, and is the answer for whatever is not real.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

import symbolic.kernel.atoms as atoms  # the two lean on each other: roots ask for signs
from symbolic.kernel.letters import flags, square_trace
from symbolic.kernel.polynomial import (
    ONE,
    Atom,
    Mono,
    Poly,
    content,
    fraction,
    freeze,
    imaginary,
    invert_mono,
    mul,
    scale,
    spend,
    subtract,
    thaw,
)
from symbolic.kernel.structure import conjugate, integral

PLUS, MINUS, ZERO = frozenset("+"), frozenset("-"), frozenset("0")
NONNEG, ANY, NONZERO = frozenset("0+"), frozenset("-0+"), frozenset("-+")
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

    def under(self, constraints: Iterable[Poly], kind: str = ">=") -> "Facts":
        """The same facts inside a binder whose names satisfy the constraints."""
        more = tuple((freeze(c), kind) for c in constraints)
        if not more:
            return self
        if ("under", more) not in self.memo:
            self.memo["under", more] = replace(self, context=self.context + more, memo={})
        return self.memo["under", more]

    @property
    def root(self) -> "Facts":
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
            s = _mono_sign(facts, m)
            if s <= NONNEG:
                rows.append(_row({m: 1}, ">" if s == PLUS else ">="))
            elif s <= frozenset("-0"):
                rows.append(_row({m: -1}, ">" if s == MINUS else ">="))
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
    if not all(entails(facts, atoms.subst(thaw(g), values, facts)) for g in guard.guards):
        return None
    return atoms.subst(thaw(guard.poly), values, facts)


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


def sign(facts: Facts, p: Poly) -> frozenset:
    """The signs p may have at points where the facts hold and p is defined."""
    if not p:
        return ZERO
    question = ("sign", freeze(p))
    if question not in facts.memo:
        facts.memo[question] = ANY
        facts.memo[question] = _sign(facts, p)
    return facts.memo[question]


def _sign(facts: Facts, p: Poly) -> frozenset:
    if len(p) == 1:
        (m, c), = p.items()
        s = _mono_sign(facts, m)
        s = flip(s) if c < 0 else s
        return s if s != ANY else _by_entailment(facts, p)
    s = add_signs([flip(_mono_sign(facts, m)) if c < 0 else _mono_sign(facts, m)
                   for m, c in p.items()])
    if s in (PLUS, MINUS, ZERO):
        return s
    top, bottoms = fraction(p)
    if bottoms:
        out = sign(facts, top)
        for b, e in bottoms:
            out = times_signs(out, power_sign(sign(facts, b), -e))
        return s & out or s
    if (gap := _exponents(p)) is not None:
        return s & sign(facts, gap) or s
    _, m = content(p)
    if m:
        inner = sign(facts, mul(p, {invert_mono(m): 1}))
        return s & times_signs(_mono_sign(facts, m), inner) or s
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


def _by_entailment(facts: Facts, p: Poly) -> frozenset:
    if conjugate(p) != p:
        return ANY
    if entails(facts, p):
        return PLUS if entails(facts, p, strict=True) or _declared_nonzero(facts, p) else NONNEG
    minus = scale(p, -1)
    if entails(facts, minus):
        strict = entails(facts, minus, strict=True) or _declared_nonzero(facts, p)
        return MINUS if strict else frozenset("-0")
    return NONZERO if _declared_nonzero(facts, p) else ANY


def _declared_nonzero(facts: Facts, p: Poly) -> bool:
    pool = list(facts.plain + facts.context)
    for m in p:
        pool += [(freeze(q), k) for q, k in instances(facts, m) if k == "!="]
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


def _mono_sign(facts: Facts, m: Mono) -> frozenset:
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


def atom_sign(facts: Facts, a: Atom) -> frozenset:
    """The signs of an atom that is real."""
    question = ("atom", a)
    if question not in facts.memo:
        facts.memo[question] = ANY
        facts.memo[question] = _atom_sign(facts, a)
    return facts.memo[question]


def _atom_sign(facts: Facts, a: Atom) -> frozenset:
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
        return NONNEG if square_trace(facts.sorts, a[1]) else _by_atom(facts, a)
    if kind == "det" and isinstance(a[1], tuple):
        known = flags(facts.sorts, a[1])
        return PLUS if "pd" in known else NONZERO if known & {"invertible", "orthogonal"} else ANY
    return _by_atom(facts, a)


def _by_atom(facts: Facts, a: Atom) -> frozenset:
    return _by_entailment(facts, {frozenset({(a, 1)}): 1})


def _function_sign(facts: Facts, head: str, args: tuple) -> frozenset:
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


def _sum_sign(facts: Facts, a: Atom) -> frozenset:
    """A sum of nonnegative terms is nonnegative; nothing is said about emptiness."""
    if a in facts.busy or len(facts.busy) > 1:
        return ANY  # a sum whose sign is asked on the way to its own sign, or far from it
    _, constraints, body = atoms.sums.opened(a, facts)  # fresh names: numbered ones would meet
    inside = replace(facts.under(thaw(c) for c in constraints), busy=facts.busy | {a}, memo={})
    s = sign(inside, body)
    if s <= NONNEG:
        return NONNEG
    return frozenset("-0") if s <= frozenset("-0") else ANY


def nonzero(facts: Facts, p: Poly) -> bool:
    """Whether p is entailed to be nonzero wherever it is defined."""
    if any(not _never_zero(facts, m) for m in p) or len(p) != 1:
        return bool(p) and "0" not in sign(facts, p)
    return True


def _never_zero(facts: Facts, m: Mono) -> bool:
    return all(a[0] in ("E", "i", "pi", "num") or "0" not in atom_sign_or_any(facts, a)
               for a, _ in m)


def atom_sign_or_any(facts: Facts, a: Atom) -> frozenset:
    """The sign of an atom, the full set when it is not real."""
    p = {frozenset({(a, 1)}): 1}
    return atom_sign(facts, a) if conjugate(p) == p else ANY


def positive(facts: Facts, p: Poly) -> bool:
    """Whether p > 0 is entailed."""
    return sign(facts, p) == PLUS


def nonnegative(facts: Facts, p: Poly) -> bool:
    """Whether p >= 0 is entailed."""
    return sign(facts, p) <= NONNEG
