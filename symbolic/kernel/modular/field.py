"""Prime fields in which exponentials, angles, roots and logarithms have exact, consistent values.

Each prime is p = 2 * 5040 * r + 1 with r prime, so the nonzero residues are the roots of unity of
order 10080 times a group of order r. exp(i pi q) lives in the first part, every other exponential
in the second, where q-th powers exist for every rational q whose denominator r does not divide:
exp becomes a true homomorphism. Sample points have denominators 11^k, and 11 does not divide
p - 1, so real powers of positive residues exist too and are unique.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isqrt, prod

HALF_TURN = 5040
TURN = 2 * HALF_TURN
GRID = 11  # sample points have denominators that are powers of it
# (p, r, a generator): 11, 13, 17, 19, 23, 29 are squares modulo each of them.
PRIMES = (
    (1279486138923689761, 126933148702747, 43),
    (801790180357713121, 79542676622789, 37),
    (870660520570219681, 86375051643871, 31),
    (25423639034945761, 2522186412197, 37),
)


class Undecided(Exception):
    """The zero test cannot follow: no answer is given."""


class Undefined(Exception):
    """A side is not defined at the point that was drawn."""


@dataclass(frozen=True)
class Field:
    """A prime p with r, a generator of the group of order r and one of the group of order 10080."""

    p: int
    r: int
    free: int
    unity: int


@cache
def field(k: int) -> Field:
    """The k-th prime field (k counts round the table)."""
    p, r, g = PRIMES[k % len(PRIMES)]
    return Field(p, r, pow(g, TURN, p), pow(g, r, p))


def turn(f: Field, q: Fraction) -> int:
    """exp(i pi q); raises Undecided unless 5040 q is whole."""
    steps = q * HALF_TURN
    if steps.denominator != 1:
        raise Undecided("an angle that no root of unity at hand has")
    return pow(f.unity, steps.numerator % TURN, f.p)


def character(f: Field, weight: int) -> int:
    """The exponential of a quantity of the given weight (weights add modulo r)."""
    return pow(f.free, weight % f.r, f.p)


def lift(f: Field, x: Fraction) -> int:
    """The residue of a rational."""
    if x.denominator == 1:
        return x.numerator % f.p
    if x.denominator % f.p == 0:
        raise Undecided("a denominator divisible by the prime")
    return x.numerator * pow(x.denominator, -1, f.p) % f.p


@cache
def _unity_table(f: Field) -> dict[int, int]:
    table, x = {}, 1
    for k in range(TURN):
        table[x] = k
        x = x * f.unity % f.p
    return table


def roots(f: Field, v: int, b: int) -> list[int]:
    """All b-th roots of a nonzero residue; b divides 10080. Empty when there is none."""
    if TURN % b:
        raise Undecided(f"roots of order {b}")
    to_unity = f.r * pow(f.r, -1, TURN)
    k = _unity_table(f)[pow(v, to_unity, f.p)]
    if k % b:
        return []
    rest = pow(v, (1 - to_unity) % (f.p - 1), f.p)
    rest = pow(rest, pow(b, -1, f.r), f.p)
    return [rest * pow(f.unity, k // b + j * (TURN // b), f.p) % f.p for j in range(b)]


@cache
def square_root(f: Field, prime: int) -> int | None:
    """The positive square root of 2, 3, 5, 7, consistent with the roots of unity, else None.

    Gauss: the sum of (a/q) exp(2 pi i a/q) is sqrt(q) for q = 1 and i sqrt(q) for q = 3 mod 4.
    """
    if prime == 2:
        return (turn(f, Fraction(1, 4)) + turn(f, Fraction(-1, 4))) % f.p
    if prime not in (3, 5, 7):
        return None
    total = 0
    for a in range(1, prime):
        sign = 1 if pow(a, (prime - 1) // 2, prime) == 1 else -1
        total += sign * turn(f, Fraction(2 * a, prime))
    if prime % 4 == 3:
        total *= turn(f, Fraction(-1, 2))
    return total % f.p


def exact_root(x: Fraction, b: int) -> Fraction | None:
    """The positive b-th root of a positive rational, when it is rational."""
    ends = [_whole_root(k, b) for k in (x.numerator, x.denominator)]
    return None if None in ends else Fraction(*ends)


def _whole_root(n: int, b: int) -> int | None:
    if b == 2:
        k = isqrt(n)
        return k if k * k == n else None
    low, high = 0, 1 << (n.bit_length() // b + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**b < n else (low, middle)
    return low if low**b == n else None


@cache
def factor(n: int) -> tuple[tuple[tuple[int, int], ...], bool]:
    """Primes with exponents of n >= 1, and whether the last factor is surely prime."""
    found, d = {}, 2
    while d * d <= n and d < 3000:
        while n % d == 0:
            found[d] = found.get(d, 0) + 1
            n //= d
        d += 1 if d == 2 else 2
    if n > 1:
        found[n] = found.get(n, 0) + 1
    return tuple(found.items()), n < 9_000_000


def split(x: Fraction) -> tuple[dict[int, int], bool]:
    """A positive rational as primes with whole exponents; False when a factor may be composite."""
    top, sure = factor(x.numerator)
    bottom, sure_too = factor(x.denominator)
    return {**dict(top), **{q: -e for q, e in bottom}}, sure and sure_too


def small_rational(f: Field, v: int, bound: int = 1_000_000) -> Fraction | None:
    """The rational with numerator and denominator below the bound that has this residue."""
    a, b, x, y = f.p, v % f.p, 0, 1
    while b > bound:
        q = a // b
        a, b, x, y = b, a - q * b, y, x - q * y
    if y == 0 or abs(y) > bound:
        return None
    return Fraction(b, y)


def product(f: Field, factors: list[int]) -> int:
    """The product of residues."""
    return prod(factors) % f.p if len(factors) < 40 else _long_product(f, factors)


def _long_product(f: Field, factors: list[int]) -> int:
    out = 1
    for x in factors:
        out = out * x % f.p
    return out
