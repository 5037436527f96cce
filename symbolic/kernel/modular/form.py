"""Exponents, kept as forms so that exp is a homomorphism; roots and logarithms.

A form is a rational combination of monomials `(power of pi, power of i, residue of the rest)`.
An atom that is taken for independent of the others without proof leaves the note "opaque" in the
world: then unequal means nothing. A root is a choice that the world remembers.
"""

import math
from fractions import Fraction

from symbolic.kernel.modular.field import (
    GRID,
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
from symbolic.kernel.modular.number import invert, whole_power
from symbolic.kernel.modular.order import branch, largest, sign
from symbolic.kernel.modular.world import (
    UNIT,
    Form,
    Number,
    Pair,
    Solved,
    World,
    atom,
    pi_of,
    residue,
    scalar,
    whole,
)
from symbolic.kernel.term import Term


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
        return whole_power(v, q.numerator, w)
    if isinstance(v, int):
        small = small_rational(w.field, v)
        if small is None or small <= 0:
            return _root(v, q, w)
        v = small
    root = exact_root(v, q.denominator) if q.denominator <= 12 else None
    if root is not None:
        return whole_power(root, q.numerator, w)
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


def form_of_log(t: Term, w: World, scope: dict) -> Form:
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
        out = form_of_log(args[0], w, scope)
        for a in args[1:]:
            q = Fraction(-1 if head == "/" else 1)
            out = plus(out, scaled(form_of_log(a, w, scope), q))
        return out
    if head in ("sqrt", "^") and sign(args[0], w, scope) > 0:
        q = {UNIT: Fraction(1, 2)} if head == "sqrt" else form(args[1], w, scope)
        return times(q, form_of_log(args[0], w, scope), w)
    if head == "^" and isinstance(args[1], int) and args[1] % 2 == 0:
        return scaled(form_of_log(("-", args[0]), w, scope), Fraction(args[1]))
    if head == "-" and isinstance(args[0], tuple) and args[0][0] == "-":
        return form_of_log(args[0][1], w, scope)
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
        out = plus(out, {(0, 0, _log_atom(prime, w)): Fraction(e)})
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


def plus(a: Form, b: Form) -> Form:
    out = dict(a)
    for key, q in b.items():
        out[key] = out.get(key, Fraction(0)) + q
        if out[key] == 0:
            del out[key]
    return out


def scaled(a: Form, q: Fraction) -> Form:
    return {key: c * q for key, c in a.items()} if q else {}


def times(a: Form, b: Form, w: World) -> Form:
    out: Form = {}
    for (k, i, x), c in a.items():
        for (m, j, y), d in b.items():
            key = (k + m, i ^ j, x * y % w.field.p)
            out = plus(out, {key: -c * d if i and j else c * d})
    if len(out) > 400:
        raise Undecided("too many monomials in an exponent")
    return out


def image(f: Form, w: World) -> int:
    pi, i, out = pi_of(w), turn(w.field, Fraction(1, 2)), 0
    for (k, j, x), c in f.items():
        out += pow(pi, k, w.field.p) * (i if j else 1) * x * lift(w.field, c)
    return out % w.field.p


def turned(f: Form, w: World) -> Form:
    return times({(0, 1, 1): Fraction(-1 if w.bar[0] % 2 else 1)}, f, w)


def form(t: Term, w: World, scope: dict) -> Form:
    """A scalar term as a rational combination of monomials, for use in an exponent."""
    v = scalar(t, w, scope)
    if isinstance(v, Fraction):
        return {UNIT: v} if v else {}
    if isinstance(t, str) or t[0] == "at":
        return _form_of_atom(t, v, w, scope)
    rule = w.forms.get(t[0])
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
    if isinstance(stored, Pair):
        im = -stored.im if w.bar[0] % 2 else stored.im
        return {k: c for k, c in {UNIT: stored.re, (0, 1, 1): im}.items() if c}
    return stored.form if isinstance(stored, Solved) else {(0, 0, v): Fraction(1)}


# --- forms of heads -----------------------------------------------------------------------------

def _form_of_sum(args, w, scope) -> Form:
    out: Form = {}
    for a in args:
        out = plus(out, form(a, w, scope))
    return out


def _form_of_product(args, w, scope) -> Form:
    out = form(args[0], w, scope)
    for a in args[1:]:
        out = times(out, form(a, w, scope), w)
    return out


def _form_of_quotient(args, w, scope) -> Form | None:
    bottom = form(args[1], w, scope)
    if len(bottom) != 1:
        v = invert(scalar(args[1], w, scope), w)
        w.notes.add("opaque")
        return times(form(args[0], w, scope), {(0, 0, residue(v, w)): Fraction(1)}, w)
    (k, i, x), c = next(iter(bottom.items()))
    upside = {(-k, i, pow(x, -1, w.field.p)): (-1 if i else 1) / c}
    return times(form(args[0], w, scope), upside, w)


def _form_of_power(args, w, scope) -> Form | None:
    n = scalar(args[1], w, scope)
    if not isinstance(n, Fraction) or n.denominator != 1 or not 1 <= n <= 8:
        return None
    base = form(args[0], w, scope)
    out = base
    for _ in range(int(n) - 1):
        out = times(out, base, w)
    return out


def _form_of_ranged_sum(args, w, scope) -> Form:
    body, name, low, high = args
    out: Form = {}
    for k in range(whole(low, w, scope), whole(high, w, scope) + 1):
        out = plus(out, form(body, w, {**scope, name: Fraction(k)}))
    return out


def _form_of_exp(args, w, scope) -> Form | None:
    f = form(args[0], w, scope)
    if any(key == (1, 1, 1) for key in f):
        return None
    return {(0, 0, residue(exponential(f, w), w)): Fraction(1)}


def _form_of_circle(sine: bool):
    def rule(args, w, scope) -> Form | None:
        f = turned(form(args[0], w, scope), w)
        if any(key == (1, 1, 1) for key in f):
            return None
        z = residue(exponential(f, w), w)
        flag, half = int(sine), Fraction(1, 2)
        back = {(0, flag, pow(z, -1, w.field.p)): half}
        return plus({(0, flag, z): -half if sine else half}, back)
    return rule


def _form_of_hyperbola(sign_: int):
    def rule(args, w, scope) -> Form:
        z = residue(exponential(form(args[0], w, scope), w), w)
        half = Fraction(1, 2)
        return plus({(0, 0, z): half}, {(0, 0, pow(z, -1, w.field.p)): sign_ * half})
    return rule


def _form_of_abs(args, w, scope) -> Form:
    return scaled(form(args[0], w, scope), Fraction(sign(args[0], w, scope)))


FORMS = {
    "+": _form_of_sum, "*": _form_of_product, "/": _form_of_quotient, "^": _form_of_power,
    "-": lambda a, w, s: scaled(form(a[0], w, s), Fraction(-1)), "sum": _form_of_ranged_sum,
    "pi": lambda a, w, s: {(1, 0, 1): Fraction(1)},
    "i": lambda a, w, s: {(0, 1, 1): Fraction(-1 if w.bar[0] % 2 else 1)},
    "e": lambda a, w, s: {(0, 0, residue(exponential({UNIT: Fraction(1)}, w), w)): Fraction(1)},
    "exp": _form_of_exp, "cos": _form_of_circle(False), "sin": _form_of_circle(True),
    "cosh": _form_of_hyperbola(1), "sinh": _form_of_hyperbola(-1), "abs": _form_of_abs,
    "log": lambda a, w, s: form_of_log(a[0], w, s),
    "cases": lambda a, w, s: form(branch(a, w, s), w, s),
    "max": lambda a, w, s: form(largest(a, w, s, 1), w, s),
    "min": lambda a, w, s: form(largest(a, w, s, -1), w, s),
}
