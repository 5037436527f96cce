"""The search cores on known inequalities; every certificate is expanded again by SymPy."""

import random
import time
from fractions import Fraction

import pytest
import sympy as sp

from symbolic.search.arithmetic import Poly, clean, constant, monomials, plus, times, variable
from symbolic.search.interval import certificate, ends
from symbolic.search.linear import farkas
from symbolic.search.one_variable import count, isolate, nonnegative, positive, signs
from symbolic.search.reduction import reduce
from symbolic.search.squares import Squares, sum_of_squares

a, b, c, p, q, r, s, w, x, y, z = sp.symbols("a b c p q r s w x y z")
schur = x * (x - y) * (x - z) + y * (y - x) * (y - z) + z * (z - x) * (z - y)
nesbitt = (2 * (x * (x + y) * (x + z) + y * (y + x) * (y + z) + z * (z + x) * (z + y))
           - 3 * (x + y) * (y + z) * (z + x))
motzkin = x**4 * y**2 + x**2 * y**4 + 1 - 3 * x**2 * y**2
variance = 10 * sum(sp.Symbol(f"u{i}")**2 for i in range(10)) - sum(
    sp.Symbol(f"u{i}") for i in range(10))**2
horn = [x, y, z, w, a]
horn = sum(horn)**2 - 4 * sum(horn[i] * horn[(i + 1) % 5] for i in range(5))
unit = sp.Rational(1, 10)


def plain(expression, names) -> Poly:
    """The plain polynomial of a SymPy expression; negative exponents are shifted back."""
    shift = sp.prod([n**8 for n in names])
    terms = sp.Poly(sp.expand(expression * shift), *names).terms()
    return {tuple(k - 8 for k in e): Fraction(int(v.p), int(v.q)) for e, v in terms if v}


def back(polynomial: Poly, names):
    """The SymPy expression of a plain polynomial."""
    return sum(sp.Rational(v.numerator, v.denominator)
               * sp.prod([n**k for n, k in zip(names, e, strict=True)])
               for e, v in polynomial.items())


def verified(found: Squares, expression, names, given=(), zero=()) -> bool:
    """Whether the identity holds and all weights are positive."""
    total = -expression * back(found.multiplier, names)
    for weight, indices, root in found.squares:
        total += (sp.Rational(weight.numerator, weight.denominator) * back(root, names)**2
                  * sp.prod([given[i] for i in indices]))
    total += sum(back(h, names) * e for h, e in zip(found.equations, zero, strict=True))
    return sp.expand(total) == 0 and all(weight > 0 for weight, _, _ in found.squares)


def ask(expression, names, given=(), zero=(), **options):
    """The search, timed; the certificate is verified when there is one."""
    start = time.perf_counter()
    found = sum_of_squares(plain(expression, names), len(names), [plain(g, names) for g in given],
                           [plain(e, names) for e in zero], **options)
    print(f"{time.perf_counter() - start:.3f} s  {str(expression)[:60]}")
    if found is not None:
        assert verified(found, expression, names, given, zero)
    return found


TRUE = [
    ("square", (x - y)**2, (), ()),
    ("arithmetic and geometric mean", x**3 + y**3 + z**3 - 3 * x * y * z, (x, y, z), ()),
    ("four, on the simplex", (x + y + z + w)**4 - 256 * x * y * z * w, (x, y, z, w), ()),
    ("Nesbitt", nesbitt, (x, y, z), ()),
    ("Schur, ordered", schur, (x, y, z, y - x, z - y), ()),
    ("Cauchy-Schwarz 2", (a**2 + b**2) * (x**2 + y**2) - (a * x + b * y)**2, (), ()),
    ("Cauchy-Schwarz 3",
     (a**2 + b**2 + c**2) * (x**2 + y**2 + z**2) - (a * x + b * y + c * z)**2, (), ()),
    ("psd with parameters", p**2 * x**2 + 2 * p * b * x * y + b**2 * y**2, (p,), ()),
    ("psd with parameters, Laurent", p * x**2 + 2 * b * x * y + b**2 * y**2 / p, (p,), ()),
    ("psd by its determinant", a * (a * x**2 + 2 * b * x * y + c * y**2), (a, c, a * c - b**2), ()),
    ("x + 1/x", x + 1 / x - 2, (x,), ()),
    ("x + 1/x as an equality", x + r - 2, (x,), (x * r - 1,)),
    ("box", x - x**2 * y**3 + unit, (x, 1 - x, y, 1 - y), ()),
    ("square box", 1 - x**2 * y**2, (1 + x, 1 - x, 1 + y, 1 - y), ()),
    ("quarter", sp.Rational(1, 4) - x * (1 - x), (), ()),
    ("circle", 2 - (x + y)**2, (), (x**2 + y**2 - 1,)),
    ("cosine of a difference", 1 - x * z - y * w, (), (x**2 + y**2 - 1, z**2 + w**2 - 1)),
    ("simplex", sp.Rational(1, 27) - x * y * z, (x, y, z), (x + y + z - 1,)),
    ("variance of weights", x * a**2 + y * b**2 + z * c**2 - (x * a + y * b + z * c)**2, (x, y, z),
     (x + y + z - 1,)),
    ("variance", variance, (), ()),
    ("irrational zeros", (x**2 - 2)**2 * (x + 1), (x,), ()),
    ("irrational zeros, three variables", (2 * x + 2 + 5 * y + 4 * z + 5 * x * y)**2
     + (5 * x + 4 * x * y + 4 * y**2)**2 + (3 * z + 3 * y + 5 * z**2 / 3)**2, (), ()),
    ("cyclic", (x**2 + y**2 + z**2)**2 - 3 * (x**3 * y + y**3 * z + z**3 * x), (), ()),
    ("empty domain", sp.Integer(-1) + 0 * x, (x, -x - 1), ()),
]
FALSE = [
    (x**2 - 1, ()), (x * y, ()), (x - y, (y - x,)), (motzkin, ()), (schur, (x, y, z)),
    (motzkin - unit**3, ()), (2 * x - 1, (x,)), (x**4 + y**4 - 3 * x * y, (x, y)),
    (sp.Integer(-1) + 0 * x, (x,)),
]


@pytest.mark.parametrize(("expression", "given", "zero"), [t[1:] for t in TRUE],
                         ids=[t[0] for t in TRUE])
def test_squares(expression, given, zero):
    names = sorted(expression.free_symbols.union(*(e.free_symbols for e in (*given, *zero))) or [x],
                   key=str)
    assert ask(expression, names, given, zero) is not None


@pytest.mark.parametrize(("expression", "given"), FALSE)
def test_squares_none(expression, given):
    names = sorted(expression.free_symbols or [x], key=str)
    assert ask(expression, names, given, seconds=5) is None


@pytest.mark.parametrize(("expression", "given"), [
    (motzkin, ()), (schur, (x, y, z)), (horn, (x, y, z, w, a)),
    (x**4 * y**2 + x**2 * y**4 + z**6 - 3 * x**2 * y**2 * z**2, ()),
    (x**2 + y**2 + z**2 + 2 * x * y * z + 1 - 2 * (x * y + y * z + z * x), (x, y, z)),
])
def test_denominators(expression, given):
    names = sorted(expression.free_symbols, key=str)
    found = ask(expression, names, given, denominators=True)
    assert found is not None
    assert all(v > 0 for v in found.multiplier.values())
    for e in found.multiplier:
        assert all(k % 2 == 0 or n in given for n, k in zip(names, e, strict=True))
    assert ask(motzkin - unit**3, (x, y), denominators=True, seconds=2) is None


def test_given_denominator():
    found = ask(motzkin, (x, y), denominators=[plain(x**2 + y**2, (x, y))])
    assert found.multiplier == plain(x**2 + y**2, (x, y))


@pytest.mark.parametrize(("expression", "given", "strict", "holds"), [
    (x**2 - x + 1, (), (), True), (x**2 - 2 * x + 1, (), (), False),
    (x + y, (x, y), (0, 1), True), (x + y, (x, y), (), False), (x - x**2, (x, 1 - x), (0, 1), True),
    (x - x**2, (x, 1 - x), (0,), False), (x**2 + y**2 - x * y, (x, y), (0, 1), True),
    (2 - x * y, (x, 1 - x, y, 1 - y), (), True),
])
def test_strict(expression, given, strict, holds):
    found = ask(expression, sorted(expression.free_symbols, key=str), given, strict=strict)
    assert (found is not None) == holds
    if holds:
        assert any(set(i) <= set(strict) and set(t) == {(0,) * len(expression.free_symbols)}
                   for _, i, t in found.squares)


def shuffled(rng: random.Random, m: int, top: int) -> Poly:
    """A random polynomial of up to five terms."""
    every = list(monomials(m, top))
    chosen = rng.sample(every, min(len(every), rng.randint(1, 5)))
    return clean({e: Fraction(rng.randint(-5, 5), rng.choice((1, 1, 3))) for e in chosen})


def test_squares_random():
    names, missed = (x, y), []
    for seed in range(40):
        rng = random.Random(seed)
        given = [x, 2 - x] if seed % 2 else []
        zero = [back(shuffled(rng, 2, 2), names)] if seed % 3 == 0 else []
        total: Poly = {}
        for factor in [constant(2), *(plain(g, names) for g in given)]:
            root = shuffled(rng, 2, 2)
            total = plus(total, times(factor, times(root, root)))
        for e in zero:
            total = plus(total, times(plain(e, names), shuffled(rng, 2, 2)))
        if ask(back(total, names), names, given, zero, seconds=3) is None:
            missed.append(seed)
    assert len(missed) <= 2, missed


def combination(target, facts, names, zero=(), **options):
    """Farkas, verified when there is an answer."""
    found = farkas(plain(target, names), [plain(f, names) for f in facts], len(names),
                   equalities=[plain(e, names) for e in zero], **options)
    if found is not None:
        total = sum(sp.Rational(v.numerator, v.denominator) * sp.prod([facts[i] for i in indices])
                    for v, indices in found.terms)
        total += sum(back(h, names) * e for h, e in zip(found.equations, zero, strict=True))
        assert sp.expand(total - target) == 0
        assert all(v > 0 for v, _ in found.terms)
    return found


def test_farkas():
    facts = [x - 1, y - 1]
    assert combination(3 * x + 2 * y - 5, facts, (x, y)).terms == ((3, (0,)), (2, (1,)))
    assert combination(3 * x + 2 * y - 6, facts, (x, y)) is None
    assert combination(3 * x + 2 * y - 4, facts, (x, y), strict=()) is not None
    assert combination(3 * x + 2 * y - 5, facts, (x, y), strict=()) is None
    assert combination(3 * x + 2 * y - 5, facts, (x, y), strict=(0,)) is not None
    assert combination(x * y - x - y + 1, facts, (x, y)) is None
    assert combination(x * y - x - y + 1, facts, (x, y), products=True) is not None
    assert combination(1 - x * y * z, [x, y, z, 1 - x, 1 - y, 1 - z], (x, y, z), products=3)
    assert combination(x**2 - y**2 + z, [z], (x, y, z), zero=[x - y]) is not None
    assert combination(x / y - 1, [x / y - r, r - 1], (x, y, r)) is not None
    chain = sp.symbols("v0:20")
    steps = [u - v for u, v in zip(chain, chain[1:], strict=False)]
    assert combination(chain[0] - chain[-1], steps, chain) is not None


@pytest.mark.parametrize(("target", "zero", "vanishes"), [
    (x**4 - y**4 - x**2 + y**2, [x**2 + y**2 - 1], True),
    (x, [x**2 + y**2 - 1], False),
    (6 * (x**5 + y**5 + z**5) - 5 * (x**3 + y**3 + z**3) * (x**2 + y**2 + z**2), [x + y + z], True),
    ((x * p - y * q)**2 + (x * q + y * p)**2 - 1, [x**2 + y**2 - 1, p**2 + q**2 - 1], True),
    (x**3 - 1, [x + y + z, x * y + y * z + z * x, x * y * z - 1], True),
    (a**4 - 10 * a**2 + 1, [x**2 - 2, y**2 - 3, a - x - y], True),
    (x**2 / y - x / y**2, [x * y - 1], True),
    (x**7 + y, [x**2 * y - z**3 + 1, y**2 * z - x**3 + 2, z**2 * x - y**3 + x], False),
    (sp.Integer(1) + 0 * x, [x - 1, x - 2], True),
    (x**2 + 1, [], False),
])
def test_reduce(target, zero, vanishes):
    names = sorted(target.free_symbols.union(*(e.free_symbols for e in zero)), key=str)
    rest, quotients = reduce(plain(target, names), [plain(e, names) for e in zero], len(names))
    total = back(rest, names)
    total += sum(back(h, names) * e for h, e in zip(quotients, zero, strict=True))
    assert sp.expand(total - target) == 0
    assert (not rest) == vanishes


@pytest.mark.parametrize(("expression", "low", "high"), [
    (x**4 + x + 1, None, None), ((x**2 - 2)**2 * (x**2 + x + 1), None, None),
    (x * (1 - x) * (2 * x - 1)**2, 0, 1), (x**3 - 3 * x + 2, -2, None),
    ((3 - x) * (x**2 - x + 1), None, 3), (1 - sp.chebyshevt(8, x), -1, 1),
    (x**4 - 10**6 * x**2 + 25 * 10**10 + 1, None, None),
    (((3 * x - 1)**2 + unit**8) * ((3 * x - 2)**2 + unit**5) * (x + 1), 0, None),
    (((3 * x - 1)**2 + unit**8) * ((3 * x - 2)**2 + unit**5) * (3 - x), -2, 2),
    (sum(x**k / sp.factorial(k) for k in range(11)), -50, 50),
])
def test_interval(expression, low, high):
    one = plain(expression, (x,))
    limits = [back(g, (x,)) for g in ends(low, high)]
    found = certificate(one, low, high)
    assert found is not None
    assert verified(found, expression, (x,), limits)
    assert certificate(plus(one, times(one, constant(1)), -2), low, high) is None


def test_interval_strict():
    one = plain(x * (1 - x), (x,))
    found = certificate(one, 0, 1, strict=(0, 1))
    assert verified(found, x * (1 - x), (x,), (x, 1 - x))
    assert ((0, 1), constant(1)) in [t[1:] for t in found.squares]
    assert certificate(one, 0, 1, strict=(0,)) is None
    assert certificate(plain((2 * x - 1)**2, (x,)), 0, 1, strict=()) is None
    cube = (x + 2)**3 * (x**2 + 1)
    found = certificate(plain(cube, (x,)), -2, None, strict=(0,))
    assert verified(found, cube, (x,), (x + 2,))


def test_roots():
    one = plain((x - 1) * (x - 2)**2 * (x**2 - 3), (x,))
    assert count(one) == 4
    assert count(one, 1, 2) == 2
    assert [piece.sign for piece in signs(one)] == [-1, 0, 1, 0, -1, 0, 1, 0, 1]
    assert all(h - low <= Fraction(1, 1024) for low, h in isolate(one))
    assert nonnegative(one, 2) and not positive(one, 2) and positive(one, 3)
    assert nonnegative(variable(1, 0), 0) and not nonnegative(variable(1, 0), -1)
    whole = plain(sp.prod([x - k for k in range(8)]), (x,))
    assert [low for low, high in isolate(whole)] == list(range(8))


def test_line_random():
    for seed in range(30):
        rng = random.Random(seed)
        one = clean({(k,): Fraction(rng.randint(-9, 9)) for k in range(rng.randint(2, 7))})
        low, high = sorted(rng.sample(range(-3, 4), 2))
        found = certificate(one, low, high)
        grid = [low + Fraction(k * (high - low), 400) for k in range(401)]
        least = min(sum(v * t**k for (k,), v in one.items()) for t in grid)
        assert found is not None if nonnegative(one, low, high) else found is None
        assert least >= 0 or found is None
        if found is not None:
            assert verified(found, back(one, (x,)), (x,), [x - low, high - x])
