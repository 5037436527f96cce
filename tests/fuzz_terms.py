"""Seeded random terms with exact admissible points, to compare a term with its normal form.

Each generator returns `(symbols, given, term, sample)`: the sorts and facts as a `Statement` wants
them, and `sample(rng)` giving an admissible exact point, name -> closed term, nested list (family,
first element = low end) or list of rows (matrix). Points lean on the edges: 0, 1, -1, empty
ranges, size 1, singular matrices, quarter turns. Nothing guarantees that the term is defined there.
"""

import random
from collections.abc import Callable
from fractions import Fraction

from symbolic.kernel.term import Term

Case = tuple[tuple, tuple, Term, Callable[[random.Random], dict]]
LOW, HIGH = -4, 8
WIDE = ("range", "_", LOW, HIGH)


# --- exact numbers ------------------------------------------------------------------------------

def rational(rng: random.Random, positive: bool = False) -> Term:
    """A small exact rational as a closed term, edges included."""
    if positive:
        return closed(Fraction(rng.choice((1, 1, 2, 3, 4, 5, 9)), rng.choice((1, 1, 2, 3, 4))))
    return closed(Fraction(rng.choice((0, 1, -1, 2, -2, 3, -3, 5)), rng.choice((1, 1, 1, 2, 3))))


def closed(x: Fraction | int) -> Term:
    """A rational as a closed term in the reader's spelling."""
    x = Fraction(x)
    top = abs(x.numerator) if x.denominator == 1 else ("/", abs(x.numerator), x.denominator)
    return ("-", top) if x < 0 else top


def exact_real(rng: random.Random, positive: bool = False) -> Term:
    """A rational, or now and then a root or a fraction of pi."""
    roll = rng.random()
    if roll < 0.85:
        return rational(rng, positive)
    if roll < 0.92:
        return ("sqrt", rng.choice((2, 3, 5, 8)))
    quarter = ("/", ("pi",), rng.choice((1, 2, 3, 4, 6)))
    return quarter if positive or rng.random() < 0.5 else ("-", quarter)


def minus(a: Term, b: Term) -> Term:
    """a - b as the reader writes it."""
    return ("+", a, ("-", b))


# --- scalars ------------------------------------------------------------------------------------

REALS, POSITIVES, WHOLES = ("x", "y", "z", "t"), ("a", "b", "c"), ("n", "k")
SCALAR_SYMBOLS = (
    *((s, ("real",)) for s in REALS + POSITIVES), *((s, ("integer",)) for s in WHOLES),
)
SCALAR_FACTS = (*(("<", 0, s) for s in POSITIVES), ("<=", 0, "k"))


def scalar_point(rng: random.Random) -> dict:
    """A point of the scalar symbols: reals of any sign, positives, integers of both signs."""
    point = {s: exact_real(rng) for s in REALS}
    point |= {s: exact_real(rng, positive=True) for s in POSITIVES}
    return point | {"n": rng.choice((-3, -1, 0, 1, 2, 3)), "k": rng.choice((0, 0, 1, 2, 3))}


def scalar_leaf(rng: random.Random) -> Term:
    roll = rng.random()
    if roll < 0.55:
        return rng.choice(REALS + REALS + POSITIVES)
    if roll < 0.65:
        return rng.choice(WHOLES)
    if roll < 0.7:
        return rng.choice((("pi",), ("i",), ("e",), ("sqrt", 2), ("sqrt", 3)))
    return closed(Fraction(rng.choice((0, 1, 1, 2, 3, -1, -2)), rng.choice((1, 1, 1, 2, 3))))


def _flat(head: str, a: Term, b: Term) -> Term:
    left = a[1:] if isinstance(a, tuple) and a[0] == head else (a,)
    return (head, *left, b)


def _scalar(rng: random.Random, depth: int) -> Term:
    if depth <= 0:
        return scalar_leaf(rng)
    go = lambda k=1: _scalar(rng, depth - k)  # noqa: E731
    roll = rng.random()
    if roll < 0.25:
        return _flat("+", go(), go())
    if roll < 0.45:
        return _flat("*", go(), go())
    if roll < 0.52:
        return minus(go(), go())
    if roll < 0.60:
        return ("/", go(), rng.choice((go(), positive_term(rng, depth - 1))))
    if roll < 0.70:
        return ("^", go(), rng.choice((2, 2, 3, 0, 1, -1, -2, 4)))
    return _function(rng, depth, go)


def positive_term(rng: random.Random, depth: int) -> Term:
    """A term that is positive wherever it is defined (i aside)."""
    if depth <= 0:
        return rng.choice(POSITIVES + (2, 3, ("/", 1, 2), ("pi",)))
    inner = real_term(rng, depth - 1)
    other = positive_term(rng, depth - 1)
    return rng.choice((
        ("exp", inner), ("+", ("^", inner, 2), other), ("*", other, rng.choice(POSITIVES)),
        ("sqrt", other), ("/", 1, other), ("+", ("abs", inner), 1), ("cosh", inner),
        ("^", other, rng.choice((2, 3, -1, -2))), ("logistic", inner),
        ("^", other, ("/", rng.choice((1, 3, -1)), 2)), ("^", rng.choice(POSITIVES), inner),
    ))


def real_term(rng: random.Random, depth: int) -> Term:
    """A term that is real wherever it is defined: no i."""
    while True:
        term = _scalar(rng, depth)
        if "i" not in {t[0] for t in _walk(term) if isinstance(t, tuple)}:
            return term


def _walk(term: Term):
    yield term
    if isinstance(term, tuple):
        for a in term[1:]:
            yield from _walk(a)


def _function(rng: random.Random, depth: int, go) -> Term:
    roll = rng.random()
    if roll < 0.35:
        return (rng.choice(("sin", "cos", "sin", "cos", "tan")), _angle(rng, depth - 1))
    if roll < 0.5:
        return ("exp", rng.choice((go(), ("*", ("i",), go()), ("-", go()))))
    if roll < 0.58:
        return ("log", positive_term(rng, depth - 1))
    if roll < 0.66:
        return ("sqrt", rng.choice((positive_term(rng, depth - 1),
                                    ("^", real_term(rng, depth - 2), 2))))
    if roll < 0.72:
        return ("^", positive_term(rng, depth - 1), rng.choice((
            ("/", 1, 2), ("/", -1, 2), ("/", 3, 2), ("/", 1, 3), real_term(rng, depth - 2))))
    if roll < 0.78:
        return (rng.choice(("sinh", "cosh", "tanh", "logistic", "atan")), real_term(rng, depth - 1))
    if roll < 0.9:
        return _order(rng, depth)
    return rng.choice((
        ("factorial", "k"), ("binomial", ("+", "k", rng.choice((0, 1, 2))), rng.choice((0, 1, 2))),
        ("delta", "n", rng.choice(("k", 0, 1, ("+", "k", 1)))), ("floor", go()),
        ("diff", real_term(rng, depth - 2), rng.choice(REALS)), ("conj", go()), ("re", go()),
        ("im", go()), ("prod", ("+", go(), "j"), "j", 1, rng.choice((0, 1, 2))),
    ))


def _angle(rng: random.Random, depth: int) -> Term:
    inner = real_term(rng, max(depth, 0))
    return rng.choice((
        inner, ("+", inner, ("/", ("pi",), rng.choice((2, 3, 4, 6)))), ("/", inner, 2),
        minus(rng.choice(REALS), rng.choice(REALS)), ("*", ("pi",), "n"),
        ("*", rng.choice(REALS), "n"), ("/", ("*", 2, ("pi",), "k"), rng.choice((3, 4, 8, 12))),
    ))


def _order(rng: random.Random, depth: int) -> Term:
    one, two = real_term(rng, depth - 1), real_term(rng, depth - 2)
    relation = (rng.choice(("<=", "<", "=", "!=")), rng.choice(REALS), rng.choice((0, 1, "y")))
    return rng.choice((
        ("abs", one), ("max", one, two), ("min", one, two), ("sign", one), ("max", one, two, 0),
        ("cases", ("case", relation, one), two), ("abs", ("*", one, two)),
    ))


def scalar_term(rng: random.Random, depth: int = 4) -> Case:
    """A random scalar term of elementary functions, order, whole-number functions, derivatives."""
    return SCALAR_SYMBOLS, SCALAR_FACTS, _scalar(rng, depth), scalar_point


# --- powers -------------------------------------------------------------------------------------

def power_term(rng: random.Random, depth: int = 3) -> Case:
    """Powers, roots and logarithms of everything: zero, negative, even, odd, symbolic exponents."""
    return SCALAR_SYMBOLS, SCALAR_FACTS, _power(rng, depth), scalar_point


def _base(rng: random.Random, depth: int) -> Term:
    if depth > 0 and rng.random() < 0.5:
        return _power(rng, depth - 1)
    x, a = rng.choice(REALS), rng.choice(POSITIVES)
    return rng.choice((
        x, a, ("-", x), ("*", a, x), ("*", x, rng.choice(REALS)), ("+", x, a), ("^", x, 2), -8, 4,
        ("/", 9, 4), 12, ("/", a, rng.choice(POSITIVES)), ("abs", x), ("exp", x), 0,
        ("exp", ("*", ("i",), ("pi",), "n")), ("+", ("^", x, 2), 1), ("sqrt", a), ("/", x, a),
        minus("x", "y"), ("*", -2, a), ("^", a, x), ("+", ("*", x, x), ("-", ("^", x, 2)), a),
    ))


def _exponent(rng: random.Random) -> Term:
    x = rng.choice(REALS)
    return rng.choice((
        2, 3, 0, 1, -1, -2, ("/", 1, 2), ("/", 1, 3), ("/", 2, 3), ("/", -3, 2), ("/", 5, 2),
        "n", "k", ("*", 2, "n"), ("+", "k", 1), ("-", "n"), x, ("/", x, 2), ("/", 4, 2),
        ("+", x, ("-", x)), ("/", "n", 2), ("*", 2, x),
    ))


def _power(rng: random.Random, depth: int) -> Term:
    base, other = _base(rng, depth), _base(rng, depth - 1)
    roll = rng.random()
    if roll < 0.35:
        return ("^", base, _exponent(rng))
    if roll < 0.5:
        return ("sqrt", base)
    if roll < 0.6:
        return ("log", base)
    if roll < 0.7:
        return ("exp", rng.choice((("log", base), ("*", _exponent(rng), ("log", base)), base)))
    if roll < 0.85:
        return ("*", ("^", base, _exponent(rng)), ("^", rng.choice((base, other)), _exponent(rng)))
    if roll < 0.92:
        return ("/", ("^", base, _exponent(rng)), rng.choice((other, ("^", base, _exponent(rng)))))
    return minus(("sqrt", ("*", base, other)), ("*", ("sqrt", base), ("sqrt", other)))


# --- sums ---------------------------------------------------------------------------------------

SUM_SYMBOLS = (
    ("n", ("integer",)), ("m", ("integer",)), ("s", ("integer",)), ("c", ("real",)),
    ("r", ("real",)), ("p", ("real",)), ("w", ("family", ("real",), WIDE)),
    ("v", ("family", ("real",), WIDE)), ("A", ("family", ("real",), WIDE, WIDE)),
)
SUM_FACTS = (
    (("<=", 1, "n"), ("<=", 0, "m")), (("<=", 0, "n"), ("<=", "m", "n")), (("<=", 1, "n"),),
    (("<=", -1, "n"), ("<=", 1, "s"), ("<=", "s", "n")), (), (("<=", 2, "n"), ("<=", 1, "m")),
)


def _sum_point(facts: tuple) -> Callable[[random.Random], dict]:
    def sample(rng: random.Random) -> dict:
        while True:
            whole = {s: rng.choice((-2, -1, 0, 1, 1, 2, 3, 4)) for s in ("n", "m", "s")}
            ends = {**whole}
            if all(ends.get(a, a) <= ends.get(b, b) for _, a, b in facts):
                break
        size = HIGH - LOW + 1
        row = lambda: [rational(rng) for _ in range(size)]  # noqa: E731
        real = {s: rng.choice((rational(rng), rational(rng), 1, 0)) for s in ("c", "r", "p")}
        return whole | real | {"w": row(), "v": row(), "A": [row() for _ in range(size)]}
    return sample


def _whole(rng: random.Random, names: tuple) -> Term:
    name = rng.choice(names)
    return rng.choice((name, name, name, ("+", name, 1), minus(name, 1)))


def _ends(rng: random.Random, names: tuple) -> tuple[Term, Term]:
    inner = names[3:] or ("n",)
    u = rng.choice(inner)
    return rng.choice((
        (1, "n"), (1, "n"), (0, minus("n", 1)), (1, u), (u, "n"), (("+", u, 1), "n"),
        (1, minus(u, 1)), ("m", "n"), (1, "m"), (1, "s"), ("s", "n"), (2, "n"), ("s", "m"),
        (("+", "s", 1), "n"), (1, ("+", "n", 1)), (0, u), (1, 3), (0, 2), (2, 1), (1, 0), (-1, 1),
        (minus(u, 1), u), (u, u), ("n", 1),
    ))


def _summand(rng: random.Random, names: tuple, depth: int) -> Term:
    inner = names[3:] or ("n",)
    u, v = rng.choice(inner), rng.choice(names)
    i, j = _whole(rng, inner), _whole(rng, names)
    w = rng.choice(("w", "v"))
    atoms = (
        ("at", w, u), ("at", w, i), ("at", "A", u, v), ("at", "A", j, u), u, ("^", u, 2), "c", 1,
        ("delta", u, v), ("delta", u, j), ("delta", i, v), ("delta", ("*", 2, u), v),
        ("^", "r", u), ("^", 2, u), ("exp", ("*", "c", u)), ("^", ("-", 1), u), ("^", u, 3),
        ("cos", minus(("at", w, u), ("at", w, v))), ("sin", ("*", "p", u)),
        ("exp", ("at", w, u)), ("cos", ("/", ("*", 2, ("pi",), u), rng.choice((3, 4, 6)))),
        ("^", ("at", w, u), 2), ("binomial", 3, u), ("^", ("*", "p", "r"), u), ("^", "r", j),
        ("delta", minus("n", u), v), ("at", w, minus("n", u)), ("*", u, ("^", "r", u)),
        ("/", 1, ("+", 2, ("^", u, 2))), ("max", ("at", w, u), 0), ("abs", ("at", w, i)),
        ("/", 1, v), ("/", 1, "n"), ("/", 1, minus("n", "m")), _share(rng, names, w, u),
        ("exp", ("*", ("i",), "p", u)), ("cases", ("case", ("<=", u, v), ("at", w, u)), "c"),
    )
    factors = [rng.choice(atoms) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    if depth > 0 and rng.random() < 0.6:
        factors.insert(rng.randrange(len(factors) + 1), _sum(rng, names, depth - 1))
    body = factors[0] if len(factors) == 1 else ("*", *factors)
    return ("+", body, rng.choice(atoms)) if rng.random() < 0.25 else body


def _share(rng: random.Random, names: tuple, w: str, u: Term) -> Term:
    """A term divided by a sum that may be empty: harmless only where the outer sum is empty too."""
    low, high = _ends(rng, names)
    weight = rng.choice((lambda k: ("exp", ("at", w, k)), lambda k: ("^", ("at", w, k), 2),
                         lambda k: 1))
    return ("/", weight(u), ("sum", weight("k"), "k", low, high))


def _sum(rng: random.Random, names: tuple, depth: int) -> Term:
    bound = rng.choice(("u", "t", "l", "u"))
    low, high = _ends(rng, names)
    inner = (*names, bound) if bound not in names else names
    return ("sum", _summand(rng, inner, depth), bound, low, high)


def sum_term(rng: random.Random, depth: int = 2) -> Case:
    """Nested sums over symbolic, triangular and possibly empty ranges; products; derivatives."""
    facts = rng.choice(SUM_FACTS)
    names = ("n", "m", "s")
    one = _sum(rng, names, depth)
    roll = rng.random()
    if roll < 0.45:
        term = one
    elif roll < 0.6:
        term = ("*", one, _sum(rng, names, depth - 1))
    elif roll < 0.68:
        term = ("^", _sum(rng, names, depth - 1), rng.choice((2, 2, 3)))
    elif roll < 0.76:
        term = minus(one, _sum(rng, names, depth - 1))
    elif roll < 0.9:
        by = rng.choice((("at", "w", "s"), ("at", "w", 1), ("at", "v", "m"), ("at", "A", "s", "m")))
        term = ("diff", _smooth(rng, names, depth), by)
    else:
        shape = ("+", ("^", _sum(rng, names, 0), 2), 1)
        term = rng.choice((("/", one, shape), ("sqrt", shape), ("log", shape), ("abs", one)))
    return SUM_SYMBOLS, facts, term, _sum_point(facts)


def _smooth(rng: random.Random, names: tuple, depth: int) -> Term:
    """A sum without kinks, so that a derivative by an entry exists everywhere."""
    while True:
        term = _sum(rng, names, depth)
        if not {"max", "abs", "cases"} & {t[0] for t in _walk(term) if isinstance(t, tuple)}:
            return term
