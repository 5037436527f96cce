"""SymPy to terms and back: what arrives means the same, what has no term is refused."""

import json
from pathlib import Path

import pytest
import sympy

from symbolic.claim import derived, equals
from symbolic.kernel.statement import Statement
from symbolic.reading import ReadError, declare, read_term, shape_of
from symbolic.reading.bridge import from_sympy, to_sympy
from symbolic.writing import text

DATA = Path(__file__).parent.parent / "data"
NAMES, _, _ = declare({
    "x": "real", "y": "real", "n": "integer", "d": "integer", "k": "integer", "z": "complex",
    "a": "real[1..n]", "theta": "real[1..n, 1..d]", "A": "matrix(d, d)", "B": "matrix(d, d)",
    "u": "vector(d)", "X": "vector(d)[1..n]", "M": "matrix(2, 2)"})
x, y = sympy.symbols("x y", real=True)
n, k = sympy.symbols("n k", integer=True)
a = sympy.IndexedBase("a")
A, B = (sympy.MatrixSymbol(name, n, n) for name in "AB")

FROM = [
    (sympy.Rational(-3, 2), ("-", ("/", 3, 2))), (sympy.pi * sympy.I, ("*", ("i",), ("pi",))),
    (sympy.sqrt(x), ("sqrt", "x")), (1 / x, ("/", 1, "x")), (x / y**2, ("/", "x", ("^", "y", 2))),
    (sympy.exp(-x), ("exp", ("-", "x"))), (1 / sympy.sqrt(x), ("/", 1, ("sqrt", "x"))),
    (-3 * x / 2, ("-", ("/", ("*", 3, "x"), 2))), (x - y, ("+", "x", ("-", "y"))),
    (sympy.Sum(a[k], (k, 1, n)), ("sum", ("at", "a", "k"), "k", 1, "n")),
    (sympy.Sum(a[k], (k, 1, n), (n, 1, 5)),
     ("sum", ("sum", ("at", "a", "k"), "k", 1, "n"), "n", 1, 5)),
    (sympy.Product(k, (k, 1, n)), ("prod", "k", "k", 1, "n")),
    (sympy.Integral(x, (x, -sympy.oo, sympy.oo)), ("int", "x", "x", ("-", ("oo",)), ("oo",))),
    (sympy.Derivative(sympy.sin(x), x, x), ("diff", ("diff", ("sin", "x"), "x"), "x")),
    (sympy.Piecewise((x, x > 0), (0, True)), ("cases", ("case", ("<", 0, "x"), "x"), 0)),
    (sympy.KroneckerDelta(n, k), ("delta", "k", "n")), (sympy.Max(x, 1), ("max", 1, "x")),
    (sympy.Abs(x), ("abs", "x")), (sympy.conjugate(sympy.Symbol("z")), ("conj", "z")),
    (sympy.re(sympy.Symbol("z")), ("re", "z")), (sympy.atan2(y, x), ("atan2", "y", "x")),
    (sympy.Limit(1 / x, x, sympy.oo), ("limit", ("/", 1, "x"), "x", ("oo",), -1)),
    (A * B.T, ("*", "A", ("T", "B"))), (A.inverse(), ("inv", "A")),
    (sympy.Trace(A), ("trace", "A")),
    (-A * B, ("-", ("*", "A", "B"))), (A**2, ("^", "A", 2)), (A[0, 1], ("entry", "A", 1, 2)),
    (sympy.Identity(n), ("eye", "n")), (sympy.ZeroMatrix(n, 2), ("zeros", "n", 2)),
    (sympy.Matrix([[1, x], [0, 1]]), ("matrix", ("row", 1, "x"), ("row", 0, 1))),
    (sympy.Determinant(A), ("det", "A")), (3, 3), (-2, ("-", 2)), (sympy.E, ("e",)),
    (sympy.factorial(n), ("factorial", "n")), (sympy.binomial(n, k), ("binomial", "n", "k")),
    (sympy.floor(x), ("floor", "x")), (sympy.sign(x), ("sign", "x")),
]


@pytest.mark.parametrize("expression, term", FROM, ids=[str(e)[:40] for e, _ in FROM])
def test_from_sympy(expression, term):
    found = from_sympy(expression)
    assert found == term or _alike(found, term)


def _alike(one, two):
    """Equal but for the order that SymPy gave to the parts of sums and products."""
    if not (isinstance(one, tuple) and isinstance(two, tuple) and one[0] == two[0]):
        return one == two
    if one[0] in ("+", "*", "max", "delta"):
        return sorted(map(str, one)) == sorted(map(str, two))
    return len(one) == len(two) and all(map(_alike, one[1:], two[1:]))


@pytest.mark.parametrize("expression", [
    sympy.Float(1.5), 1.5, True, "x", None, object, sympy.Function("f")(x), sympy.zoo, sympy.nan,
    sympy.Integral(x, x), sympy.Piecewise((x, x > 0)), sympy.Symbol("x y"), sympy.Symbol("é"),
    sympy.Piecewise((x, (x > 0) & (x < 1)), (0, True)), sympy.gamma(x), sympy.Interval(0, 1),
    sympy.Symbol("x") + x, sympy.Sum(x * sympy.Symbol("k"), (k, 1, n)), x > 0,
], ids=repr)
def test_what_has_no_term_is_refused(expression):
    with pytest.raises(ReadError) as caught:
        from_sympy(expression)
    assert caught.value.found and caught.value.todo


def test_dummies_get_names_that_do_not_meet():
    one, two = sympy.Dummy("k"), sympy.Dummy("k")
    term = from_sympy(one - 2 * two + k)
    assert {p for p in str(term).split("'") if p.startswith("k")} == {"k", "k_1", "k_2"}


TO = [
    "x + y*2 - 3", "x/y**2", "Sum(a[k], (k, 1, n))", "Sum(theta[n, k], (k, 1, d), (n, 1, 3))",
    "Derivative(sin(x)*y, x)", "Integral(exp(-x**2), (x, -oo, oo))", "Limit(sin(x)/x, x, 0)",
    "Piecewise((x, x > 0), (0, Eq(x, 0)), (1, True))", "A*B.T - Inverse(A)", "Trace(A*B)",
    "u.T*A*u", "A[1, n]", "u[n]", "M*Matrix([[1, x], [0, 1]])", "Max(x, y, 0) + Min(x, 1)",
    "Abs(x) + conjugate(z) + re(z)*I", "eye(d)*A + zeros(d, d)", "factorial(n) + binomial(n, 2)",
    "sqrt(x)*pi**E", "Product(a[k] + 1, (k, 1, n))", "KroneckerDelta(k, n)", "A**2*A**(-1)",
]


@pytest.mark.parametrize("written", TO)
def test_there_and_back_means_the_same(written):
    term = read_term(written, NAMES)
    there = to_sympy(term, NAMES)
    back = from_sympy(there)
    assert read_term(text(back), NAMES) == back
    assert shape_of(back, NAMES) == shape_of(term, NAMES)
    assert to_sympy(back, NAMES) == there


def test_values_agree_at_a_point():
    term = read_term("(x - y/3)**2*exp(-x)/(1 + y**2) - Max(x, y) + Sum(k*x, (k, 1, 4))", NAMES)
    e = to_sympy(term, NAMES)
    at = {s: {"x": sympy.Rational(1, 2), "y": 2}[s.name] for s in e.free_symbols}
    value = sympy.Rational(1, 36) * sympy.exp(-sympy.Rational(1, 2)) / 5 - 2 + 5
    assert sympy.simplify(e.subs(at).doit() - value) == 0
    assert to_sympy(read_term("logistic(x)", NAMES), NAMES).subs(x, 0) == sympy.Rational(1, 2)


def test_a_statement_gives_signs_and_definitions():
    statement = Statement((("p", ("real",)), ("q", ("real",))), (("<", 0, "p"), ("<=", 0, "q")),
                          "=", "m", "p", let=(("m", (), ("sqrt", ("^", "p", 2))),))
    found = to_sympy(statement.left, statement)
    assert found == sympy.Symbol("p", real=True, positive=True)
    assert to_sympy("q", statement).is_nonnegative


def test_what_sympy_cannot_say_is_refused():
    for term in (("at", "X", 1), "nowhere", ("psd", "A", "B"),
                 ("all", ("=", 1, 1), ("range", "i", 1, 2))):
        with pytest.raises(ReadError):
            to_sympy(term, NAMES)


def test_derived_sides_carry_a_flag():
    step = equals(derived(sympy.sin(x) ** 2), by="normal")
    assert step.derived and step.right == ("^", ("sin", "x"), 2)


@pytest.mark.parametrize("file", ["steps", "real_steps", "sympy_wrong"])
def test_the_stored_steps_cross_the_bridge(file):
    for claim in json.loads((DATA / f"{file}.json").read_text())["claims"]:
        names, _, _ = declare(claim["symbols"])
        for side in (claim["start"], *(s["right"] for s in claim["steps"])):
            there = to_sympy(read_term(side, names), names)
            assert to_sympy(from_sympy(there), names) == there
