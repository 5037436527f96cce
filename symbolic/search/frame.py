"""Kernel polynomials as plain polynomials over named variables, and back as certificate terms.

An imaginary exponential becomes a cosine and a sine with c^2 + s^2 = 1, a root a variable whose
power is known, a positive exponential a positive variable. Such relations are identities of the
normal form: search may use them freely, and the certificate need not mention them.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

from symbolic.kernel import facts as facts_
from symbolic.kernel.entail import instances
from symbolic.kernel.polynomial import ONE, I, imaginary, thaw
from symbolic.kernel.zero import fraction
from symbolic.search.arithmetic import plus, scaled, times
from symbolic.search.terms import NoTerm, number, term_of

MOST_VARIABLES = 14


@dataclass
class Frame:
    """Variables in order: their terms, which are known > 0 or >= 0, identities among them."""

    units: dict = field(default_factory=dict)
    terms: list = field(default_factory=list)
    places: dict = field(default_factory=dict)
    circles: dict = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of variables."""
        return len(self.terms)


def framed(polys: list) -> Frame:
    """A frame with a variable for every atom of the polynomials (without denominators)."""
    frame = Frame()
    atoms = sorted({a for p in polys for m in p for a, _ in m if a != I}, key=str)
    for a in atoms:
        exponents = [Fraction(e) for p in polys for m in p for b, e in m if b == a]
        unit = Fraction(1, lcm(*(e.denominator for e in exponents)))
        frame.units[a] = unit
        if a[0] == "E" and imaginary(a):
            _circle(frame, a, unit)
        else:
            frame.places[a] = frame.size
            frame.terms.append(term_of({frozenset({(a, unit)}): 1}))
    if frame.size > MOST_VARIABLES:
        raise NoTerm("too many variables")
    return frame


def _circle(frame: Frame, a: tuple, unit: Fraction) -> None:
    """cos and sin of the angle whose exponential the atom is."""
    if (I, 1) not in a[1] or any(imaginary(b) for b, _ in a[1] - {(I, 1)}):
        raise NoTerm("an exponential that is neither real nor of modulus one")
    angle = term_of({a[1] - {(I, 1)}: unit})
    frame.circles[a] = (frame.size, frame.size + 1)
    frame.terms += [("cos", angle), ("sin", angle)]


def identities(frame: Frame) -> list:
    """Equalities among the variables that the normal form knows: circles, roots, |x|^2 = x^2."""
    out = []
    for c, s in frame.circles.values():
        out.append({_unit(frame, c, 2): Fraction(1), _unit(frame, s, 2): Fraction(1),
                    _unit(frame, c, 0): Fraction(-1)})
    for a, k in frame.places.items():
        unit = frame.units[a]
        if a[0] == "P" and unit < 1 and unit.numerator == 1:
            out.append(plus({_unit(frame, k, unit.denominator): Fraction(1)},
                            scaled(_try(thaw(a[1]), frame), Fraction(-1))))
        if a[:2] == ("f", "abs"):
            inner = _try(thaw(a[2]), frame)
            out.append(plus({_unit(frame, k, 2): Fraction(1)},
                            scaled(times(inner, inner), Fraction(-1))))
    return [e for e in out if e]


def _try(p: dict, frame: Frame) -> dict:
    try:
        return read(p, frame)
    except (NoTerm, KeyError):
        raise NoTerm("an identity outside the frame") from None


def _unit(frame: Frame, k: int, n: int) -> tuple:
    return tuple(n if j == k else 0 for j in range(frame.size))


def read(p: dict, frame: Frame) -> dict:
    """A kernel polynomial as a plain one; NoTerm if an imaginary part is left."""
    real, imag = {}, {}
    for m, c in p.items():
        one, two = _monomial(m, Fraction(c), frame)
        real, imag = plus(real, one), plus(imag, two)
    if imag:
        raise NoTerm("an imaginary part")
    return real


def _monomial(m: frozenset, c: Fraction, frame: Frame) -> tuple[dict, dict]:
    exponents = [0] * frame.size
    turns, quarter = [], 0
    for a, e in m:
        if a == I:
            quarter = 1
            continue
        k = Fraction(e) / frame.units[a]
        if k.denominator != 1:
            raise NoTerm("an exponent outside the frame")
        if a in frame.circles:
            turns.append((frame.circles[a], int(k)))
        else:
            exponents[frame.places[a]] = int(k)
    out = ({tuple(exponents): c}, {}) if not quarter else ({}, {tuple(exponents): c})
    for (cos, sin), k in turns:
        step = ({_unit(frame, cos, 1): Fraction(1)},
                {_unit(frame, sin, 1): Fraction(1 if k > 0 else -1)})
        for _ in range(abs(k)):
            out = _complex_times(out, step)
    return out


def _complex_times(x: tuple, y: tuple) -> tuple:
    return (plus(times(x[0], y[0]), scaled(times(x[1], y[1]), Fraction(-1))),
            plus(times(x[0], y[1]), times(x[1], y[0])))


def written(p: dict, frame: Frame) -> object:
    """A plain polynomial as a term."""
    parts = []
    for exponents, c in sorted(p.items(), reverse=True):
        factors = [t if e == 1 else ("^", t, e) if e > 0 else ("^", t, ("-", -e))
                   for t, e in zip(frame.terms, exponents, strict=True) if e]
        if abs(c) != 1 or not factors:
            factors.insert(0, number(abs(c)))
        out = factors[0] if len(factors) == 1 else ("*", *factors)
        parts.append(out if c > 0 else ("-", out))
    return 0 if not parts else parts[0] if len(parts) == 1 else ("+", *parts)


@dataclass(frozen=True)
class Known:
    """What is known >= 0: plain polynomial, term for the certificate, whether it is > 0."""

    poly: dict
    term: object
    strict: bool


def positives(frame: Frame, scope: Any, facts: list) -> list[Known]:
    """Signs of single variables and the inequalities among the facts, each once."""
    out = []
    for a, k in frame.places.items():
        s = facts_.power_sign(facts_.atom_sign_or_any(scope.facts, a), frame.units[a])
        if s <= facts_.NONNEG:
            out.append(Known({_unit(frame, k, 1): Fraction(1)}, frame.terms[k],
                             s == facts_.PLUS))
    for p, strict in facts:
        try:
            plain = read(p, frame)
            if len(plain) > 1 or sum(map(sum, plain)) != 1 or min(plain.values()) < 0:
                out.append(Known(plain, written(plain, frame), strict))
        except (NoTerm, KeyError):
            continue
    unique = {frozenset(k.poly.items()): k for k in out}
    return list(unique.values())


def gathered(problem: Any, p: dict) -> tuple[list, list]:
    """(inequalities, equations) of the facts that share atoms with p, instances included.

    Inequalities are (polynomial, strict); equations are (polynomial, factor term, certificate row
    without its factor).
    """
    scope = problem.scope
    pool = [(thaw(f), k) for f, k in scope.facts.plain]
    for m in p:
        pool += instances(scope.facts, m)
    inequalities, seen = [], set()
    for q, kind in pool:
        if kind in (">=", ">") and frozenset(q.items()) not in seen and set(q) - {ONE}:
            seen.add(frozenset(q.items()))
            top, bottoms = fraction(q)
            if not bottoms:
                inequalities.append((top, kind == ">"))
    return inequalities, equations(problem)


def equations(problem: Any) -> list:
    """(cleared polynomial, denominator term, index) of each scalar equation among the facts."""
    from symbolic.kernel.budget import Undecided
    from symbolic.kernel.normal import normal
    from symbolic.kernel.polynomial import subtract

    out = []
    for k, fact in enumerate(problem.given):
        if fact[0] != "=":
            continue
        try:
            gap = subtract(normal(fact[1], problem.scope), normal(fact[2], problem.scope))
            top, bottoms = fraction(gap)
            out.append((top, multiplier(bottoms), k))
        except (Undecided, NoTerm):
            continue
    return out


def multiplier(bottoms: tuple) -> Any:
    """The denominators (sum, power) as one term."""
    factors = [term_of(q) if e == 1 else ("^", term_of(q), e) for q, e in bottoms]
    return 1 if not factors else factors[0] if len(factors) == 1 else ("*", *factors)
