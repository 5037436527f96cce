"""Exact values of terms at a point of a small world, transcendental atoms read modulo a prime.

A scalar is a Fraction while it is rational, and a residue (int) from the first exponential, root,
logarithm or pi on. The argument of an exponential is kept as a *form*, a rational combination of
monomials `(power of pi, power of i, residue of the rest)`, so that exp is a homomorphism on forms.
Order (abs, max, branches) is decided by floating point with a wide margin, never by residues.
"""

import cmath
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from symbolic.kernel.modular_field import (
    Field,
    Undecided,
    Undefined,
    character,
    exact_root,
    lift,
    roots,
    small_rational,
    split,
    square_root,
    turn,
)
from symbolic.kernel.term import Term


class Misfit(Undecided):
    """Matrices whose shapes do not fit: the statement is not one of equal shapes."""


Number = Fraction | int
Form = dict[tuple[int, int, int], Fraction]
UNIT = (0, 0, 1)
STEPS, BITS, GRID = 40_000, 4_000, 11


@dataclass(frozen=True)
class Solved:
    """An atom that an equation fixed: its residue, its size as a float, its form."""

    residue: int
    size: complex
    form: Form


@dataclass(frozen=True)
class World:
    """A field, the values drawn so far and the choices made for exponentials, roots and logs.

    `draw(name, indices)` gives an atom that has no value yet. `notes` collects "opaque" when an
    atom was taken for independent of the others without proof: then unequal means nothing.
    `tick` counts evaluation steps; `bar` is odd while a complex conjugate is evaluated.
    """

    field: Field
    rng: random.Random
    draw: Callable
    atoms: dict = field(default_factory=dict)
    weights: dict = field(default_factory=dict)
    logs: dict = field(default_factory=dict)
    arguments: dict = field(default_factory=dict)
    opaque: dict = field(default_factory=dict)
    roots: dict = field(default_factory=dict)
    choice: dict = field(default_factory=dict)
    notes: set = field(default_factory=set)
    tick: list = field(default_factory=lambda: [0])
    bar: list = field(default_factory=lambda: [0])


def value(t: Term, w: World, scope: dict):
    """A Fraction, a residue, or a matrix (tuple of rows of those)."""
    w.tick[0] += 1
    if w.tick[0] > STEPS:
        raise Undecided("too many steps")
    if isinstance(t, int):
        return Fraction(t)
    if isinstance(t, str):
        return scope[t] if t in scope else _seen(atom(w, t, ()), w)
    rule = HEADS.get(t[0])
    if rule is None:
        raise Undecided(f"no value for {t[0]}")
    return rule(t[1:], w, scope)


def atom(w: World, name: str, index: tuple):
    """The stored value of a symbol, a matrix or an entry of a family, drawn on first sight."""
    key = (name, *index)
    if key not in w.atoms:
        w.atoms[key] = w.draw(name, index)
    return w.atoms[key]


def _seen(v, w: World):
    if isinstance(v, Solved):
        return v.residue
    if isinstance(v, complex_pair):
        return _complex(v, w)
    return v


@dataclass(frozen=True)
class complex_pair:
    """A complex number with rational parts."""

    re: Fraction
    im: Fraction


def _complex(v: complex_pair, w: World) -> int:
    i = turn(w.field, Fraction(-1 if w.bar[0] % 2 else 1, 2))
    return (lift(w.field, v.re) + i * lift(w.field, v.im)) % w.field.p


def scalar(t: Term, w: World, scope: dict) -> Number:
    """The value of a term that must be a scalar (a 1 x 1 matrix counts)."""
    return _as_scalar(value(t, w, scope))


def _as_scalar(v) -> Number:
    if isinstance(v, tuple):
        if len(v) == 1 and len(v[0]) == 1:
            return v[0][0]
        raise Undecided("a matrix where a scalar is needed")
    return v


def whole(t: Term, w: World, scope: dict) -> int:
    """The value of a term that must be a whole number."""
    v = scalar(t, w, scope)
    if not isinstance(v, Fraction) or v.denominator != 1:
        raise Undecided("an index or an end that is not surely whole")
    return v.numerator


def residue(x: Number, w: World) -> int:
    """Any scalar as a residue."""
    return lift(w.field, x) if isinstance(x, Fraction) else x


# --- arithmetic -------------------------------------------------------------------------------

def add(a, b, w: World):
    """The sum of two values; a plain 0 beside a matrix is the zero matrix."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return _add_matrices(a, b, w)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return _short(a + b, w)
    return (residue(a, w) + residue(b, w)) % w.field.p


def _add_matrices(a, b, w: World):
    if not isinstance(a, tuple):
        a, b = b, a
    if not isinstance(b, tuple):
        if b == 0:
            return a
        return ((add(_as_scalar(a), b, w),),)
    if len(a) != len(b) or len(a[0]) != len(b[0]):
        raise Misfit("shapes differ")
    return tuple(tuple(add(x, y, w) for x, y in zip(r, s, strict=True))
                 for r, s in zip(a, b, strict=True))


def _short(x: Fraction, w: World) -> Number:
    if x.numerator.bit_length() + x.denominator.bit_length() > BITS:
        return lift(w.field, x)
    return x


def multiply(a, b, w: World):
    """The product of two values: scalars, scalar and matrix, matrices."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a[0]) == len(b):
            columns = tuple(zip(*b, strict=True))
            return tuple(tuple(_dot(r, c, w) for c in columns) for r in a)
        a, b = (_as_scalar(a), b) if len(a) == 1 == len(a[0]) else (a, _as_scalar(b))
    if isinstance(b, tuple):
        a, b = b, a
    if isinstance(a, tuple):
        return tuple(tuple(multiply(x, b, w) for x in r) for r in a)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return _short(a * b, w)
    return residue(a, w) * residue(b, w) % w.field.p


def _dot(xs, ys, w: World) -> Number:
    out = Fraction(0)
    for x, y in zip(xs, ys, strict=True):
        out = add(out, multiply(x, y, w), w)
    return out


def invert(x: Number, w: World) -> Number:
    """The inverse of a scalar; raises Undefined at zero."""
    if x == 0:
        raise Undefined("division by zero")
    return 1 / x if isinstance(x, Fraction) else pow(x, -1, w.field.p)


def _fold(op):
    def rule(args: tuple, w: World, scope: dict):
        out = value(args[0], w, scope)
        for a in args[1:]:
            out = op(out, value(a, w, scope), w)
        return out
    return rule


def _negative(args, w, scope):
    return multiply(Fraction(-1), value(args[0], w, scope), w)


def _quotient(args, w, scope):
    bottom = invert(scalar(args[1], w, scope), w)
    return multiply(value(args[0], w, scope), bottom, w)


def _power(args, w, scope):
    base, exponent = value(args[0], w, scope), scalar(args[1], w, scope)
    if isinstance(base, tuple) and not len(base) == 1 == len(base[0]):
        return _matrix_power(base, exponent, w)
    base = _as_scalar(base)
    if args[1] == 0:
        return Fraction(1)
    by_shape = _whole_by_shape(args[1], w)
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        if base == 0 and exponent <= 0:
            raise Undefined("a power of zero")
        if base == 0:
            return Fraction(0)
        if by_shape or sign(args[0], w, scope) > 0:
            return _whole_power(base, exponent.numerator, w)
        raise Undefined("a real power of a base that is not positive")
    if by_shape:
        raise Undecided("an exponent that should be whole")
    return _real_power(args, base, exponent, w, scope)


def _whole_by_shape(t: Term, w: World) -> bool:
    if isinstance(t, int):
        return True
    if isinstance(t, str):
        return t not in w.opaque.get("real names", ())
    return t[0] in ("+", "*", "-") and all(_whole_by_shape(a, w) for a in t[1:])


def _whole_power(base: Number, n: int, w: World) -> Number:
    if isinstance(base, Fraction):
        if (base.numerator.bit_length() + base.denominator.bit_length()) * abs(n) < BITS:
            return base**n
        base = lift(w.field, base)
    return pow(base, n % (w.field.p - 1), w.field.p)


def _real_power(args, base, exponent, w, scope):
    if base == 0 and sign(args[1], w, scope) > 0:
        return Fraction(0)
    if sign(args[0], w, scope) <= 0:
        raise Undefined("a real power of a base that is not positive")
    if isinstance(exponent, Fraction):
        if isinstance(base, int):
            half = _form_of_log(args[0], w, scope)
            return exponential(_scale(half, exponent), w)
        return rational_power(base, exponent, w)
    return exponential(_times(form(args[1], w, scope), _form_of_log(args[0], w, scope), w), w)


def _matrix_power(a: tuple, n: Number, w: World):
    if not isinstance(n, Fraction) or n.denominator != 1 or abs(n) > 12:
        raise Undecided("a power of a matrix")
    if len(a) != len(a[0]):
        raise Undecided("shapes differ")
    base, out = (a if n >= 0 else inverse(a, w)), identity(len(a))
    for _ in range(abs(n.numerator)):
        out = multiply(out, base, w)
    return out


# --- matrices ---------------------------------------------------------------------------------

def identity(n: int) -> tuple:
    """The identity matrix."""
    return tuple(tuple(Fraction(int(i == j)) for j in range(n)) for i in range(n))


def inverse(a: tuple, w: World) -> tuple:
    """Gauss and Jordan; raises Undefined when singular."""
    rows, _ = _eliminate([[*r, *e] for r, e in zip(a, identity(len(a)), strict=True)], w)
    return tuple(tuple(r[len(a):]) for r in rows)


def determinant(a: tuple, w: World) -> Number:
    """The determinant by elimination."""
    try:
        return _eliminate([list(r) for r in a], w)[1]
    except Undefined:
        return Fraction(0)


def _eliminate(rows: list, w: World) -> tuple[list, Number]:
    n, det = len(rows), Fraction(1)
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            raise Undefined("a singular matrix")
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            det = multiply(det, Fraction(-1), w)
        det = multiply(det, rows[k][k], w)
        scale = invert(rows[k][k], w)
        rows[k] = [multiply(x, scale, w) for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                c = multiply(Fraction(-1), rows[i][k], w)
                rows[i] = [add(x, multiply(c, y, w), w)
                           for x, y in zip(rows[i], rows[k], strict=True)]
    return rows, det


def _square(t: Term, w: World, scope: dict) -> tuple:
    v = value(t, w, scope)
    v = v if isinstance(v, tuple) else ((v,),)
    if len(v) != len(v[0]):
        raise Undecided("not square")
    return v


def _transpose(args, w, scope):
    v = value(args[0], w, scope)
    return tuple(zip(*v, strict=True)) if isinstance(v, tuple) else v


def _trace(args, w, scope):
    out = Fraction(0)
    for k, row in enumerate(_square(args[0], w, scope)):
        out = add(out, row[k], w)
    return out


def _entry(args, w, scope):
    v, i, j = value(args[0], w, scope), whole(args[1], w, scope), whole(args[2], w, scope)
    v = v if isinstance(v, tuple) else ((v,),)
    if not (1 <= i <= len(v) and 1 <= j <= len(v[0])):
        raise Undefined("an entry outside the matrix")
    return v[i - 1][j - 1]


def _size(t, w, scope) -> int:
    n = whole(t, w, scope)
    if not 1 <= n <= 12:
        raise Undefined("a size below 1 (or too large)")
    return n


# --- sums, branches, whole-number functions -----------------------------------------------------

def _ranged(op, empty: int):
    def rule(args, w, scope):
        body, name, low, high = args
        first, last = whole(low, w, scope), whole(high, w, scope)
        out, inner = Fraction(empty), dict(scope)
        for k in range(first, last + 1):
            inner[name] = Fraction(k)
            term = value(body, w, inner)
            out = term if k == first else op(out, term, w)
        return out
    return rule


def holds(relation: Term, w: World, scope: dict) -> bool:
    """Whether a relation of scalars holds; raises Undecided when too close to say."""
    head, left, right = relation
    if head in ("=", "!="):
        return (sign(("+", left, ("-", right)), w, scope) == 0) == (head == "=")
    s = sign(("+", right, ("-", left)), w, scope)
    return s >= 0 if head == "<=" else s > 0


def _cases(args, w, scope):
    return value(_branch(args, w, scope), w, scope)


def _branch(args, w, scope) -> Term:
    for _, condition, result in args[:-1]:
        if holds(condition, w, scope):
            return result
    return args[-1]


def _largest(args, w, scope, side: int) -> Term:
    best = args[0]
    for a in args[1:]:
        if side * sign(("+", a, ("-", best)), w, scope) > 0:
            best = a
    return best


def _delta(args, w, scope):
    a, b = whole(args[0], w, scope), whole(args[1], w, scope)
    return Fraction(int(a == b))


def _factorial(args, w, scope):
    n = whole(args[0], w, scope)
    if n < 0 or n > 200:
        raise Undefined("a factorial below zero (or too large)")
    return Fraction(math.factorial(n))


def _binomial(args, w, scope):
    n, k = whole(args[0], w, scope), whole(args[1], w, scope)
    if not 0 <= n <= 200:
        raise Undecided("a binomial above a negative number")
    return Fraction(math.comb(n, k) if 0 <= k <= n else 0)


def _floor(args, w, scope):
    x = scalar(args[0], w, scope)
    if isinstance(x, Fraction):
        return Fraction(math.floor(x))
    size = real(args[0], w, scope)
    if abs(size - round(size)) < 1e-7 or abs(size) > 1e6:
        raise Undecided("a floor too close to a jump")
    return Fraction(math.floor(size))


# --- order: floating point with a margin --------------------------------------------------------

def sign(t: Term, w: World, scope: dict) -> int:
    """-1, 0 or 1; raises Undecided when the value is near zero, or not real."""
    v = scalar(t, w, scope)
    if isinstance(v, Fraction):
        return (v > 0) - (v < 0)
    if v == 0:
        return 0
    size = real(t, w, scope)
    if abs(size) < 1e-7:
        raise Undecided("too close to zero")
    return 1 if size > 0 else -1


def real(t: Term, w: World, scope: dict) -> float:
    """The size of a real term in floating point."""
    x = size_of(t, w, scope)
    if abs(x.imag) > 1e-9 * (1 + abs(x)) or not math.isfinite(x.real):
        raise Undecided("not surely real")
    return x.real


def size_of(t: Term, w: World, scope: dict) -> complex:
    """The size of a term in complex floating point; raises Undecided where it cannot follow."""
    w.tick[0] += 1
    if w.tick[0] > STEPS:
        raise Undecided("too many steps")
    if isinstance(t, int):
        return complex(t)
    if isinstance(t, str) or t[0] == "at":
        return _size_of_atom(t, w, scope)
    try:
        return _size_of_head(t, w, scope)
    except (OverflowError, ValueError, ZeroDivisionError):
        raise Undecided("floating point does not follow") from None


def _size_of_atom(t: Term, w: World, scope: dict) -> complex:
    if isinstance(t, str):
        v = scope[t] if t in scope else atom(w, t, ())
    else:
        v = atom(w, t[1], tuple(whole(a, w, scope) for a in t[2:]))
    if isinstance(v, Solved):
        return v.size
    if isinstance(v, complex_pair):
        return complex(float(v.re), float(-v.im if w.bar[0] % 2 else v.im))
    if isinstance(v, Fraction):
        return complex(float(v))
    raise Undecided("the size of a matrix")


def _size_of_head(t: tuple, w: World, scope: dict) -> complex:
    head, args = t[0], t[1:]
    if head in ("+", "*", "-", "/", "^") or head in FLOATS:
        xs = [size_of(a, w, scope) for a in args]
        return SIZES[head](*xs) if head in SIZES else FLOATS[head](xs[0])
    if head in ("pi", "e", "i"):
        i = -1j if w.bar[0] % 2 else 1j
        return complex({"pi": math.pi, "e": math.e, "i": i}[head])
    if head in ("sum", "prod"):
        body, name, low, high = args
        out = complex(head == "prod")
        for k in range(whole(low, w, scope), whole(high, w, scope) + 1):
            x = size_of(body, w, {**scope, name: Fraction(k)})
            out = out * x if head == "prod" else out + x
        return out
    if head == "cases":
        return size_of(_branch(args, w, scope), w, scope)
    if head in ("max", "min"):
        return size_of(_largest(args, w, scope, 1 if head == "max" else -1), w, scope)
    v = scalar(t, w, scope)
    if isinstance(v, Fraction):
        return complex(float(v))
    if head == "sqrt":
        return cmath.sqrt(size_of(args[0], w, scope))
    raise Undecided(f"the size of {head}")


def _sum_of(*xs):
    return sum(xs)


SIZES = {
    "+": _sum_of, "*": lambda *xs: math.prod(xs), "-": lambda x: -x, "/": lambda x, y: x / y,
    "^": lambda x, y: x**y,
}
FLOATS = {
    "exp": cmath.exp, "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "sinh": cmath.sinh,
    "cosh": cmath.cosh, "tanh": cmath.tanh, "log": cmath.log, "abs": lambda x: complex(abs(x)),
    "logistic": lambda x: 1 / (1 + cmath.exp(-x)), "atan": cmath.atan,
    "conj": lambda x: x.conjugate(), "re": lambda x: complex(x.real),
    "im": lambda x: complex(x.imag),
}


# --- exponentials, roots, logarithms ------------------------------------------------------------

def exponential(f: Form, w: World) -> Number:
    """exp of a form."""
    total, out = 0, 1
    for key, q in f.items():
        pi, i, rest = key
        if (pi, i, rest) == (1, 1, 1):
            out = out * turn(w.field, q) % w.field.p
        elif pi == 0 and i == 0 and rest in w.arguments:
            out = out * residue(rational_power(w.arguments[rest], q, w), w) % w.field.p
        else:
            if key not in w.weights:
                w.weights[key] = w.rng.randrange(1, w.field.r)
            total += w.weights[key] * q.numerator * pow(q.denominator, -1, w.field.r)
    return out * character(w.field, total) % w.field.p if f else Fraction(1)


def rational_power(v: Number, q: Fraction, w: World) -> Number:
    """v^q for a positive v: the positive root where it is known, else a noted choice."""
    if q.denominator == 1:
        return _whole_power(v, q.numerator, w)
    if isinstance(v, int):
        small = small_rational(w.field, v)
        if small is None or small <= 0:
            return _root(v, q, w)
        v = small
    root = exact_root(v, q.denominator) if q.denominator <= 12 else None
    if root is not None:
        return _whole_power(root, q.numerator, w)
    primes, sure = split(v)
    if not sure:
        w.notes.add("opaque")
    out = 1
    for prime, e in primes.items():
        out = out * _root(prime % w.field.p, q * e, w) % w.field.p
    return out


def _root(v: int, q: Fraction, w: World) -> int:
    """A residue to a rational power, by a choice of the root that is remembered."""
    f, b = w.field, q.denominator
    if b == 1:
        return pow(v, q.numerator % (f.p - 1), f.p)
    if math.gcd(b, f.p - 1) == 1:
        return pow(v, q.numerator * pow(b, -1, f.p - 1) % (f.p - 1), f.p)
    for c in (GRID**k for k in range(b.bit_length() // 3, 0, -1)):
        if b % c == 0:
            share = pow(b // c, -1, c)
            one, two = Fraction(q.numerator * share, c), q - Fraction(q.numerator * share, c)
            return _root(v, one, w) * _root(v, two, w) % f.p
    if b == 2 and square_root(f, v) is not None:
        return pow(square_root(f, v), q.numerator % (f.p - 1), f.p)
    if v == 1:
        return 1
    if any(u == v and c != b for u, c in w.roots):
        w.notes.add("opaque")
    if (v, b) not in w.roots:
        w.roots[v, b] = roots(f, v, b)
    options = w.roots[v, b]
    if not options:
        raise Undecided("no root modulo this prime")
    return pow(options[w.choice.get((v, b), 0)], q.numerator % (f.p - 1), f.p)


def _sqrt(args, w, scope):
    v = scalar(args[0], w, scope)
    if v == 0:
        return Fraction(0)
    if sign(args[0], w, scope) < 0:
        raise Undefined("the root of a negative number")
    if isinstance(v, Fraction):
        return rational_power(v, Fraction(1, 2), w)
    return exponential(_scale(_form_of_log(args[0], w, scope), Fraction(1, 2)), w)


def _form_of_log(t: Term, w: World, scope: dict) -> Form:
    """The logarithm of a positive term as a form: products, powers and exponentials come apart."""
    v = scalar(t, w, scope)
    if isinstance(v, Fraction):
        return _log_of_rational(v, w)
    head, args = t[0], t[1:]
    if head == "exp":
        f = form(args[0], w, scope)
        if any(i for _, i, _ in f):
            raise Undecided("the logarithm of a complex number")
        return f
    if head in ("*", "/") and all(sign(a, w, scope) > 0 for a in args):
        out = _form_of_log(args[0], w, scope)
        for a in args[1:]:
            q = Fraction(-1 if head == "/" else 1)
            out = _plus(out, _scale(_form_of_log(a, w, scope), q))
        return out
    if head in ("sqrt", "^") and sign(args[0], w, scope) > 0:
        q = {UNIT: Fraction(1, 2)} if head == "sqrt" else form(args[1], w, scope)
        return _times(q, _form_of_log(args[0], w, scope), w)
    if sign(t, w, scope) <= 0:
        raise Undefined("the logarithm of a number that is not positive")
    return _log_of_residue(v, w)


def _log_of_rational(v: Fraction, w: World) -> Form:
    if v <= 0:
        raise Undefined("the logarithm of a number that is not positive")
    primes, sure = split(v)
    if not sure:
        w.notes.add("opaque")
    out: Form = {}
    for prime, e in primes.items():
        out = _plus(out, {(0, 0, _log_atom(prime, w)): Fraction(e)})
    return out


def _log_of_residue(v: int, w: World) -> Form:
    small = small_rational(w.field, v)
    if small is not None and small > 0:
        return _log_of_rational(small, w)
    w.notes.add("opaque")
    return {(0, 0, _log_atom(v, w)): Fraction(1)}


def _log_atom(v: int, w: World) -> int:
    if v not in w.logs:
        w.logs[v] = w.rng.randrange(2, w.field.p)
        w.arguments[w.logs[v]] = v
    return w.logs[v]


# --- forms --------------------------------------------------------------------------------------

def _plus(a: Form, b: Form) -> Form:
    out = dict(a)
    for key, q in b.items():
        out[key] = out.get(key, Fraction(0)) + q
        if out[key] == 0:
            del out[key]
    return out


def _scale(a: Form, q: Fraction) -> Form:
    return {key: c * q for key, c in a.items()} if q else {}


def _times(a: Form, b: Form, w: World) -> Form:
    out: Form = {}
    for (k, i, x), c in a.items():
        for (m, j, y), d in b.items():
            key = (k + m, i ^ j, x * y % w.field.p)
            out = _plus(out, {key: -c * d if i and j else c * d})
    if len(out) > 400:
        raise Undecided("too many monomials in an exponent")
    return out


def form(t: Term, w: World, scope: dict) -> Form:
    """A scalar term as a rational combination of monomials, for use in an exponent."""
    v = scalar(t, w, scope)
    if isinstance(v, Fraction):
        return {UNIT: v} if v else {}
    if isinstance(t, str) or t[0] == "at":
        return _form_of_atom(t, v, w, scope)
    rule = FORMS.get(t[0])
    out = rule(t[1:], w, scope) if rule else None
    if out is None:
        w.notes.add("opaque")
        return {(0, 0, v): Fraction(1)}
    return out


def _form_of_atom(t: Term, v: int, w: World, scope: dict) -> Form:
    if isinstance(t, str):
        stored = scope[t] if t in scope else atom(w, t, ())
    else:
        stored = atom(w, t[1], tuple(whole(a, w, scope) for a in t[2:]))
    if isinstance(stored, complex_pair):
        im = -stored.im if w.bar[0] % 2 else stored.im
        return {k: c for k, c in {UNIT: stored.re, (0, 1, 1): im}.items() if c}
    return stored.form if isinstance(stored, Solved) else {(0, 0, v): Fraction(1)}


def _form_of_sum(args, w, scope) -> Form:
    out: Form = {}
    for a in args:
        out = _plus(out, form(a, w, scope))
    return out


def _form_of_product(args, w, scope) -> Form:
    out = form(args[0], w, scope)
    for a in args[1:]:
        out = _times(out, form(a, w, scope), w)
    return out


def _form_of_quotient(args, w, scope) -> Form | None:
    bottom = form(args[1], w, scope)
    if len(bottom) != 1:
        v = invert(scalar(args[1], w, scope), w)
        w.notes.add("opaque")
        return _times(form(args[0], w, scope), {(0, 0, residue(v, w)): Fraction(1)}, w)
    (k, i, x), c = next(iter(bottom.items()))
    upside = {(-k, i, pow(x, -1, w.field.p)): (-1 if i else 1) / c}
    return _times(form(args[0], w, scope), upside, w)


def _form_of_power(args, w, scope) -> Form | None:
    n = scalar(args[1], w, scope)
    if not isinstance(n, Fraction) or n.denominator != 1 or not 1 <= n <= 8:
        return None
    base = form(args[0], w, scope)
    out = base
    for _ in range(int(n) - 1):
        out = _times(out, base, w)
    return out


def _form_of_ranged_sum(args, w, scope) -> Form:
    body, name, low, high = args
    out: Form = {}
    for k in range(whole(low, w, scope), whole(high, w, scope) + 1):
        out = _plus(out, form(body, w, {**scope, name: Fraction(k)}))
    return out


def _form_of_exp(args, w, scope) -> Form | None:
    f = form(args[0], w, scope)
    if any(key == (1, 1, 1) for key in f):
        return None
    return {(0, 0, residue(exponential(f, w), w)): Fraction(1)}


def _form_of_circle(sine: bool):
    def rule(args, w, scope) -> Form | None:
        f = _turned(form(args[0], w, scope), w)
        if any(key == (1, 1, 1) for key in f):
            return None
        z = residue(exponential(f, w), w)
        flag, half = int(sine), Fraction(1, 2)
        back = {(0, flag, pow(z, -1, w.field.p)): half}
        return _plus({(0, flag, z): -half if sine else half}, back)
    return rule


def _turned(f: Form, w: World) -> Form:
    return _times({(0, 1, 1): Fraction(-1 if w.bar[0] % 2 else 1)}, f, w)


def _form_of_hyperbola(sign_: int):
    def rule(args, w, scope) -> Form:
        z = residue(exponential(form(args[0], w, scope), w), w)
        half = Fraction(1, 2)
        return _plus({(0, 0, z): half}, {(0, 0, pow(z, -1, w.field.p)): sign_ * half})
    return rule


def _form_of_abs(args, w, scope) -> Form:
    return _scale(form(args[0], w, scope), Fraction(sign(args[0], w, scope)))


def _size_value(f: Form, w: World) -> int:
    pi, i, out = residue(_pi((), w, {}), w), turn(w.field, Fraction(1, 2)), 0
    for (k, j, x), c in f.items():
        out += pow(pi, k, w.field.p) * (i if j else 1) * x * lift(w.field, c)
    return out % w.field.p


FORMS = {
    "+": _form_of_sum, "*": _form_of_product, "/": _form_of_quotient, "^": _form_of_power,
    "-": lambda a, w, s: _scale(form(a[0], w, s), Fraction(-1)), "sum": _form_of_ranged_sum,
    "pi": lambda a, w, s: {(1, 0, 1): Fraction(1)},
    "i": lambda a, w, s: {(0, 1, 1): Fraction(-1 if w.bar[0] % 2 else 1)},
    "e": lambda a, w, s: {(0, 0, residue(_e((), w, s), w)): Fraction(1)},
    "exp": _form_of_exp, "cos": _form_of_circle(False), "sin": _form_of_circle(True),
    "cosh": _form_of_hyperbola(1), "sinh": _form_of_hyperbola(-1), "abs": _form_of_abs,
    "log": lambda a, w, s: _form_of_log(a[0], w, s),
    "cases": lambda a, w, s: form(_branch(a, w, s), w, s),
    "max": lambda a, w, s: form(_largest(a, w, s, 1), w, s),
    "min": lambda a, w, s: form(_largest(a, w, s, -1), w, s),
}


# --- functions ----------------------------------------------------------------------------------

def _pi(args, w, scope):
    return w.opaque.setdefault("pi", w.rng.randrange(2, w.field.p))


def _e(args, w, scope):
    return exponential({UNIT: Fraction(1)}, w)


def _exp(args, w, scope):
    return exponential(form(args[0], w, scope), w)


def _circle(args, w, scope) -> tuple[int, int]:
    """exp(i x) and exp(-i x)."""
    z = residue(exponential(_turned(form(args[0], w, scope), w), w), w)
    return z, pow(z, -1, w.field.p)


def _cos(args, w, scope):
    z, back = _circle(args, w, scope)
    return (z + back) * lift(w.field, Fraction(1, 2)) % w.field.p


def _sin(args, w, scope):
    z, back = _circle(args, w, scope)
    i = turn(w.field, Fraction(-1 if w.bar[0] % 2 else 1, 2))
    return (z - back) * pow(2 * i, -1, w.field.p) % w.field.p


def _tan(args, w, scope):
    return multiply(_sin(args, w, scope), invert(_cos(args, w, scope), w), w)


def _hyperbola(args, w, scope) -> tuple[int, int]:
    z = residue(exponential(form(args[0], w, scope), w), w)
    return z, pow(z, -1, w.field.p)


def _sinh(args, w, scope):
    z, back = _hyperbola(args, w, scope)
    return (z - back) * lift(w.field, Fraction(1, 2)) % w.field.p


def _cosh(args, w, scope):
    z, back = _hyperbola(args, w, scope)
    return (z + back) * lift(w.field, Fraction(1, 2)) % w.field.p


def _tanh(args, w, scope):
    return multiply(_sinh(args, w, scope), invert(_cosh(args, w, scope), w), w)


def _logistic(args, w, scope):
    z, _ = _hyperbola(args, w, scope)
    return multiply(z, invert((z + 1) % w.field.p, w), w)


def _log(args, w, scope):
    return _size_value(_form_of_log(args[0], w, scope), w)


def _abs(args, w, scope):
    v = scalar(args[0], w, scope)
    if isinstance(v, Fraction):
        return abs(v)
    if v == 0:
        return Fraction(0)
    size = size_of(args[0], w, scope)
    if abs(size.imag) < 1e-9 * (1 + abs(size)):
        return multiply(Fraction(sign(args[0], w, scope)), v, w)
    if abs(size.imag) < 1e-6:
        raise Undecided("real or not")
    f = form(args[0], w, scope)
    if set(f) <= {UNIT, (0, 1, 1)}:
        squares = sum((c * c for c in f.values()), Fraction(0))
        return rational_power(squares, Fraction(1, 2), w)
    return rational_power(v * _conjugate(args, w, scope) % w.field.p, Fraction(1, 2), w)


def _conjugate(args, w, scope):
    w.bar[0] += 1
    try:
        return scalar(args[0], w, scope)
    finally:
        w.bar[0] -= 1


def _re(args, w, scope):
    both = add(scalar(args[0], w, scope), _conjugate(args, w, scope), w)
    return multiply(both, Fraction(1, 2), w)


def _im(args, w, scope):
    back = multiply(Fraction(-1), _conjugate(args, w, scope), w)
    i = turn(w.field, Fraction(-1 if w.bar[0] % 2 else 1, 2))
    both = add(scalar(args[0], w, scope), back, w)
    return multiply(both, invert(2 * i % w.field.p, w), w)


def _opaque_function(head: str):
    def rule(args, w, scope):
        xs = tuple(scalar(a, w, scope) for a in args)
        w.notes.add("opaque")
        if head in ("asin", "acos") and abs(real(args[0], w, scope)) > 1:
            raise Undefined(f"{head} outside [-1, 1]")
        if head == "atan2" and xs == (0, 0):
            raise Undefined("the angle of zero")
        if head != "acos" and xs[0] == 0 and (head != "atan2" or sign(args[1], w, scope) > 0):
            return Fraction(0)
        return w.opaque.setdefault((head, xs), w.rng.randrange(2, w.field.p))
    return rule


HEADS = {
    "+": _fold(add), "*": _fold(multiply), "-": _negative, "/": _quotient, "^": _power,
    "at": lambda a, w, s: _seen(atom(w, a[0], tuple(whole(k, w, s) for k in a[1:])), w),
    "entry": _entry, "sum": _ranged(add, 0), "prod": _ranged(multiply, 1), "cases": _cases,
    "max": lambda a, w, s: scalar(_largest(a, w, s, 1), w, s),
    "min": lambda a, w, s: scalar(_largest(a, w, s, -1), w, s),
    "delta": _delta, "factorial": _factorial, "binomial": _binomial, "floor": _floor,
    "sign": lambda a, w, s: Fraction(sign(a[0], w, s)), "abs": _abs,
    "pi": _pi, "e": _e, "i": lambda a, w, s: turn(w.field, Fraction(1 - 2 * (w.bar[0] % 2), 2)),
    "exp": _exp, "cos": _cos, "sin": _sin, "tan": _tan, "sinh": _sinh, "cosh": _cosh,
    "tanh": _tanh, "logistic": _logistic, "log": _log, "sqrt": _sqrt,
    "conj": _conjugate, "re": _re, "im": _im,
    **{h: _opaque_function(h) for h in ("atan", "asin", "acos", "atan2")},
    "matrix": lambda a, w, s: tuple(tuple(scalar(x, w, s) for x in r[1:]) for r in a),
    "eye": lambda a, w, s: identity(_size(a[0], w, s)),
    "zeros": lambda a, w, s: ((Fraction(0),) * _size(a[1], w, s),) * _size(a[0], w, s),
    "T": _transpose, "trace": _trace, "det": lambda a, w, s: determinant(_square(a[0], w, s), w),
    "inv": lambda a, w, s: inverse(_square(a[0], w, s), w),
}
