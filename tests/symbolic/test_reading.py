"""What reads, and as what; what is refused, where, and in no time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from symbolic.kernel.shape import shape
from symbolic.kernel.term import Malformed
from symbolic.reading import ReadError, declare, read_domain, read_fact, read_limit, read_term

DATA = Path(__file__).parent.parent / "data"
NAMES, _, _ERRORS = declare({
    "x": "real", "y": "real > 0", "n": "integer >= 1", "T": "integer >= 1", "k": "integer >= 1",
    "d": "integer >= 1", "r": "integer >= 1", "j": "index 1..n", "z": "complex",
    "theta": "real[1..T, 1..k]", "w": "real[1..n] >= 0", "c": "integer[1..n]",
    "A": "matrix(d, d)", "B": "matrix(d, d) symmetric", "Q": "matrix(r, d)", "M": "matrix(2, 2)",
    "u": "vector(d)", "v": "vector(d)", "X": "vector(d)[1..n]", "lambda": "real", "S": "real",
    "in": "real", "gamma": "real", "N": "integer >= 1",
})
assert not _ERRORS


def read(text):
    return read_term(text, NAMES)


READS = [
    ("a", {"a": ("real",)}, "a"),
    ("x - y + 2", None, ("+", "x", ("-", "y"), 2)),
    ("x*y*x", None, ("*", "x", "y", "x")),
    ("x*(y*x)", None, ("*", "x", ("*", "y", "x"))),
    ("x + (y + x)", None, ("+", "x", ("+", "y", "x"))),
    ("x*y/n*x", None, ("*", ("/", ("*", "x", "y"), "n"), "x")),
    ("-x**2", None, ("-", ("^", "x", 2))),
    ("-x*y", None, ("*", ("-", "x"), "y")),
    ("x**-y", None, ("^", "x", ("-", "y"))),
    ("x**y**n", None, ("^", "x", ("^", "y", "n"))),
    ("+x - -y", None, ("+", "x", ("-", ("-", "y")))),
    ("3/2", None, ("/", 3, 2)),
    ("Rational(3,2)", None, ("/", 3, 2)),
    ("Rational(-3, 2)", None, ("/", ("-", 3), 2)),
    ("0.25", None, ("/", 1, 4)),
    ("2.50 + 1e-3 + 3.0 + .5", None, ("+", ("/", 5, 2), ("/", 1, 1000), 3, ("/", 1, 2))),
    ("0.1000000000000000055511151231257827", None,
     ("/", 1000000000000000055511151231257827, 10**34)),
    ("pi + E + I", None, ("+", ("pi",), ("e",), ("i",))),
    ("E", {"E": ("integer",)}, "E"),
    ("lambda + in", None, ("+", "lambda", "in")),
    ("Sum(theta[T, is], (is, 1, k))", None, ("sum", ("at", "theta", "T", "is"), "is", 1, "k")),
    ("theta[n,j]", None, ("at", "theta", "n", "j")),
    ("theta[c[j], floor(x)]", None, ("at", "theta", ("at", "c", "j"), ("floor", "x"))),
    ("A[1,n]", None, ("entry", "A", 1, "n")),
    ("u[n] + u[n,1]", None, ("+", ("entry", "u", "n", 1), ("entry", "u", "n", 1))),
    ("X[j][n]", None, ("entry", ("at", "X", "j"), "n", 1)),
    ("A.T[1,2]", None, ("entry", ("T", "A"), 1, 2)),
    ("A**(-1)*A**2*A**(-2)", None,
     ("*", ("inv", "A"), ("^", "A", 2), ("^", ("inv", "A"), 2))),
    ("x**(-1)", None, ("^", "x", ("-", 1))),
    ("Sum(i*x,(i,1,n),(l,i0,n))", {"i0": ("integer",), "n": ("integer",), "x": ("real",)},
     ("sum", ("sum", ("*", "i", "x"), "i", 1, "n"), "l", "i0", "n")),
    ("Sum(w[i],(i,1,l),(l,1,n))", None, ("sum", ("sum", ("at", "w",
    "i"), "i", 1, "l"), "l", 1, "n")),
    ("Sum(w[n],(n,1,n))", None, ("sum", ("at", "w", "n"), "n", 1, "n")),
    ("Product(w[i], (i, 1, n))", None, ("prod", ("at", "w", "i"), "i", 1, "n")),
    ("Integral(x, (x, -oo, oo))", None, ("int", "x", "x", ("-", ("oo",)), ("oo",))),
    ("Limit(1/x, x, 0)", None, ("limit", ("/", 1, "x"), "x", 0, 1)),
    ("Limit(x, x, y, '-')", None, ("limit", "x", "x", "y", -1)),
    ("Limit(x, x, y, \"+-\")", None, ("limit", "x", "x", "y", 0)),
    ("Limit(1/x, x, oo)", None, ("limit", ("/", 1, "x"), "x", ("oo",), -1)),
    ("Limit(1/x, x, -oo, '-')", None, ("limit", ("/", 1, "x"), "x", ("-", ("oo",)), 1)),
    ("Derivative(x**3, x, 2)", None, ("diff", ("diff", ("^", "x", 3), "x"), "x")),
    ("Derivative(x*y, x, y)", None, ("diff", ("diff", ("*", "x", "y"), "x"), "y")),
    ("Derivative(x*y, (x, 2), y)", None,
     ("diff", ("diff", ("diff", ("*", "x", "y"), "x"), "x"), "y")),
    ("Derivative(w[1], w[j])", None, ("diff", ("at", "w", 1), ("at", "w", "j"))),
    ("Piecewise((1, x > 0), (0, True))", None, ("cases", ("case", ("<", 0, "x"), 1), 0)),
    ("Piecewise((1, Eq(x, 0)), (2, Ne(x, 1)), (0, True))", None,
     ("cases", ("case", ("=", "x", 0), 1), ("case", ("!=", "x", 1), 2), 0)),
    ("Piecewise((1, (x > 0) & (x <= 1)), (0, True))", None,
     ("cases", ("case", ("<", 0, "x"), ("cases", ("case", ("<=", "x", 1), 1), 0)), 0)),
    ("Piecewise((1, Or(x > 0, Not(y <= 1))), (0, True))", None,
     ("cases", ("case", ("<", 0, "x"), 1), ("case", ("<", 1, "y"), 1), 0)),
    ("Max(x, y, 0) + Min(x, 1) + Abs(x)", None,
     ("+", ("max", "x", "y", 0), ("min", "x", 1), ("abs", "x"))),
    ("KroneckerDelta(j, n) + conjugate(z) + re(z)", None,
     ("+", ("delta", "j", "n"), ("conj", "z"), ("re", "z"))),
    ("Matrix([[1,x],[0,1]])", None, ("matrix", ("row", 1, "x"), ("row", 0, 1))),
    ("Matrix([1, 2])", None, ("matrix", ("row", 1), ("row", 2))),
    ("diag(1, x)", None, ("matrix", ("row", 1, 0), ("row", 0, "x"))),
    ("Identity(d) + eye(d) + zeros(d, d)", None, ("+", ("eye", "d"), ("eye", "d"),
    ("zeros", "d", "d"))),
    ("zeros(2)", None, ("zeros", 2, 2)),
    ("Trace(Inverse(A)*Transpose(A))", None, ("trace", ("*", ("inv", "A"), ("T", "A")))),
    ("exp(u.T*v) + 1", None, ("+", ("exp", ("*", ("T", "u"), "v")), 1)),
    ("norm2(u)", None, ("trace", ("*", ("T", "u"), "u"))),
    ("dot(u, A*v)", None, ("trace", ("*", ("T", "u"), ("*", "A", "v")))),
    ("softmax(w, j)", None, ("/", ("exp", ("at", "w", "j")),
                             ("sum", ("exp", ("at", "w", "u0")), "u0", 1, "n"))),
    ("logsumexp(w)", None, ("log", ("sum", ("exp", ("at", "w", "u0")), "u0", 1, "n"))),
    ("logistic(x) + atan2(y, x)", None, ("+", ("logistic", "x"), ("atan2", "y", "x"))),
    (" \n x\n + 1\t", None, ("+", "x", 1)),
]


@pytest.mark.parametrize("text, names, term", READS, ids=[r[0][:40] for r in READS])
def test_reads_as(text, names, term):
    assert read_term(text, names or NAMES) == term


REFUSED = [
    # text, column, a word of the message
    ("x^2", 2, "**"), ("", 1, "empty"), ("   ", 1, "empty"), ("x +", None, "expression"),
    ("(x", 2, "close"), ("x)", 2, "pairs"), ("(x]", 3, "pairs"),
    ("x +* y", None, "expression"), ("x y", None, "missing"), ("2x", 1, "products"),
    ("theta", 1, "family"),
    ("tetha[1,1]", 1, "theta"), ("sn(x)", 1, "sin"), ("abs(x)", 1, "Abs"), ("y + foo", 5, "foo"),
    ("theta[1]", 1, "2"), ("theta[1,2,3]", 1, "3 indices"), ("w[1,2]", 1, "2 indices"),
    ("sin(x, y)", 1, "2 arguments"), ("sin()", 1, "0 arguments"), ("atan2(x)", 1, "argument"),
    ("sin", 1, "sin(..)"), ("x(y)", 1, "x*(..)"), ("w(1)", 1, "w[..]"), ("S(x)", 1, "rename S"),
    ("x[1]", 1, "number"), ("w[x]", 3, "whole"), ("w[1/2]", 3, "whole"), ("w[1:2]", 4, "Sum"),
    ("A[1]", 1, "row and a column"), ("M[3,1]", 1, "within the size"),
    ("u[0]", 1, "within the size"),
    ("A.inv", 1, "Inverse"), ("A.__class__", 1, ".T"), ("x.T.T.real", 1, ".T"),
    ("__import__('os')", 12, "quotation"), ("__import__(x)", 1, "unknown function"),
    ("exec(x)", 1, "unknown function"), ("open(x)", 1, "function"),
    ("lambda: x", 7, "index"), ("lambda q", None, "lambda"), ("x if y else n", 3, "the word 'if'"),
    ("[x for x in y]", 4, "the word 'for'"), ("not x", 1, "not"), ("x and y", 3, "and"),
    ("[x, y]", 1, "list"), ("x, y", 1, "comma"), ("x < y", 1, "relation"),
    ("x = y", None, "expression"),
    ("x == y", 1, "relation"), ("(x := 2)", 4, "index"), ("f'{x}'", 2, "quot"), ("'x'", 1, "quot"),
    ("sin(x=y)", 1, "keywords"), ("sin(*w)", 1, "stars"), ("x // y", 1, "floor"),
    ("x % y", 3, "floor"),
    ("A @ B", 3, "*"), ("x & y", 1, "Piecewise"), ("True", 1, "number"), ("None", 1, "None"),
    ("1e400", 1, "digits"), ("1e-999999999999", 1, "exponent"), ("0x10", 1, "number"),
    ("1_000", 1, "digits"),
    ("1j", 1, "products"), ("9" * 500, 1, "digits"), ("nan", 1, "none"), ("zoo", 1, "none"),
    ("oo", 1, "oo as"), ("oo - oo", 1, "oo as"), ("2*oo", 3, "oo as"), ("exp(oo)", 5, "oo as"),
    ("x + 1/0", 5, "zero"), ("1/0**2", 1, "zero"), ("1/(x-x)", 1, "zero"),
    ("x/(2*x - x - x)", 1, "zero"), ("(x-x)**(-1)", 1, "zero"),
    ("1/(0*y)", 1, "zero"), ("10**10**10", 1, "large"), ("9**9**9**9", 4, "large"),
    ("2**(10**6)", 1, "large"), ("x**100000000", 1, "exponent"), ("2**9999*2**9999", 1, "large"),
    ("factorial(10**6)", 1, "factorial"), ("binomial(10**9, 7)", 1, "binomial"),
    ("θ + 1", 1, "theta"), ("x − y", 3, "write -"), ("x·y", 2, "a*b"), ("x ≤ y", 3, "<="),
    ("\\alpha", 1, "LaTeX"), ("$x$", 1, "$"), ("x; y", 2, "sign"), ("x\0", 2, "sign"),
    ("n!", 2, "factorial"),
    ("V*Q", 1, "undeclared"), ("A*Q", 1, "A is (d, d) and Q is (r, d)"), ("Q*A*Q", 1, "(r, d)"),
    ("A + x", 1, "A is (d, d) and x is a number"), ("A + 0", 1, "0 is a number"),
    ("u + u.T", 1, "(1, d)"),
    ("sin(A)", 1, "(d, d)"), ("x/A", 1, "Inverse"), ("A**x", 1, "whole exponent"),
    ("A**(1/2)", 1, "whole exponent"), ("Q**2", 1, "square"), ("Trace(Q)", 1, "square"),
    ("Inverse(Q)", 1, "square"),
    ("Determinant(u)", 1, "square"), ("Max(A, x)", 1, "(d, d)"),
    ("Piecewise((A, x>0),(x,True))", 1, "(d, d)"),
    ("Matrix([[A, x],[x, x]])", 1, "(d, d)"), ("Matrix([[1,2],[3]])", 8, "length"),
    ("Matrix([])", 1, "rows"),
    ("eye(x)", 1, "size"), ("eye(0)", 1, "size"), ("zeros(n, 1/2)", 1, "size"),
    ("X[1] + u[1]", 1, "shape"),
    ("Sum(x, (A, 1, n))", 9, "a matrix"), ("Sum(x, (w, 1, n))", 9, "a family"),
    ("Sum(x, (i, 1))", 8, "triple"),
    ("Sum(x, i)", 8, "triple"), ("Sum(x)", 1, "argument"), ("Sum(x, (1, 1, n))", 9, "name"),
    ("Integral(x, x)", 13, "triple"), ("Sum(A[i,i],(i,1,Q))", 1, "(r, d)"),
    ("Product(A, (i,1,n))", 1, "numbers"),
    ("Limit(x, x, 0, '*')", 16, "quot"), ("Limit(x, x, 0, y)", 16, "side"),
    ("Derivative(x, n)", 15, "integer n"), ("Derivative(x, x*y)", 15, "expression"),
    ("Derivative(x)", 1, "argument"), ("Derivative(x, x, 1000)", 18, "order"),
    ("Derivative(x, c[1])", 15, "integer"), ("Piecewise((1, x > 0))", 1, "True"),
    ("Piecewise((1, True), (2, x>0))", 1, "last"),
    ("Piecewise(1, 2)", 11, "pair"), ("Piecewise((1, 0 < x < 1), (0, True))", 15, "chain"),
    ("Piecewise((1, x > 0 & x < 1), (0, True))", 15, "chain"),
    ("Piecewise((1, x), (0, True))", 15, "relation"),
    ("Rational(x, 2)", 1, "whole"), ("Rational(1, 0)", 1, "zero"), ("Expect(x, x)", 1, "laws"),
    ("norm2(x)", 7, "vector"), ("dot(A, u)", 5, "vector"), ("softmax(theta, 1)", 9, "one index"),
    ("softmax(w, x)", 12, "whole"), ("logsumexp(2*w)", 11, "by its name"),
    ("x" * 60_000, 1, "characters"), ("x +\n\n foo", 7, "foo"),
]


@pytest.mark.parametrize("text, column, word", REFUSED, ids=[r[0][:40] for r in REFUSED])
def test_refused_with_a_column(text, column, word):
    with pytest.raises(ReadError) as caught:
        read(text)
    error = caught.value
    assert error.column is not None and 1 <= error.column <= len(text) + 1
    assert column is None or error.column == column, error
    assert word in str(error), error
    assert error.found and error.needed and "\n" not in str(error)


HOSTILE = [
    "(" * 10_000 + "x" + ")" * 10_000, "[" * 9_000, ")" * 10_000, "-" * 20_000 + "x",
    "+" * 20_000 + "x",
    "x" + ".T" * 10_000, "w" + "[1]" * 10_000, "**".join(["x"] * 8_000), "9**9**9**9",
    "sin(" * 60 + "x" + ")" * 60 + ")", "~" * 10_000 + "x",
    "x" * 49_000, "9" * 49_000, "1e" + "9" * 40_000,
    "/".join(["x"] * 3_000), "x if " * 5_000, "(x," * 5_000, "Sum(" * 5_000, "not " * 10_000 + "x",
    "[" * 60 + "]" * 60, "\x00" * 10_000, "é" * 10_000, "'" * 10_000, "x<" * 10_000 + "x",
    "(" * 65 + "x" + ")" * 65, ("-" * 39 + "(") * 60 + "x" + ")" * 60, "2**" * 39 + "2",
    "x**(" * 60 + "2" + ")" * 60 + "+y^2",
    "*".join(["9**4000"] * 5_000), "factorial(" * 30 + "9" + ")" * 30,
]


@pytest.mark.timeout(10)  # refused in milliseconds; a hang is what this looks for
@pytest.mark.parametrize("text", HOSTILE, ids=[h[:12] + f"~{len(h)}" for h in HOSTILE])
def test_hostile_text_is_refused_at_once(text):
    with pytest.raises(ReadError):
        read(text)
    with pytest.raises(ReadError):
        read_fact(text, NAMES)
    with pytest.raises(ReadError):
        read_domain("q", text, NAMES)


@pytest.mark.parametrize("data", [None, 3, 2.5, b"x", ["x"], {"x": 1}, object()])
def test_data_that_is_no_text_is_refused(data):
    for function in (lambda: read_term(data, NAMES), lambda: read_fact(data, NAMES),
                     lambda: read_domain("q", data, NAMES), lambda: read_limit(data, NAMES)):
        with pytest.raises(ReadError):
            function()


def test_long_sums_and_products_read_flat():
    assert read("+".join(["x"] * 2_500)) == ("+", *["x"] * 2_500)
    assert read("-".join(["x"] * 2_000))[-1] == ("-", "x")
    assert read("*".join(["x"] * 2_000)) == ("*", *["x"] * 2_000)
    assert read("log(" + "+".join(["x**2"] * 2_000) + ")")[1][0] == "+"


FACTS = [
    ("x >= 0", ("<=", 0, "x")), ("x > y", ("<", "y", "x")), ("x = y", ("=", "x", "y")),
    ("x == y", ("=", "x", "y")), ("x != 0", ("!=", "x", 0)),
    ("x<=2*y+1", ("<=", "x", ("+", ("*", 2, "y"), 1))),
    ("Eq(x, y)", ("=", "x", "y")), ("Ge(x, y)", ("<=", "y", "x")),
    ("A psd 0", ("psd", "A", ("zeros", "d", "d"))), ("A - B psd zeros(d, d)",
                                                     ("psd", ("+", "A", ("-", "B")),
                                                     ("zeros", "d", "d"))),
    ("A*B = 0", ("=", ("*", "A", "B"), ("zeros", "d", "d"))),
    ("0 = A*B", ("=", ("zeros", "d", "d"), ("*", "A", "B"))),
    ("u.T*v = 0", ("=", ("*", ("T", "u"), "v"), 0)),
    ("u.T*v <= x", ("<=", ("*", ("T", "u"), "v"), "x")),
    ("w[i] >= 0 for i in 1..n", ("all", ("<=", 0, ("at", "w", "i")), ("range", "i", 1, "n"))),
    ("theta[t,s] >= 0 for t in 1..T, s in 1..t", ("all", ("<=", 0, ("at", "theta", "t", "s")),
                                                 ("range", "t", 1, "T"), ("range", "s", 1, "t"))),
    ("w[i+1] = w[i] for i in 1 .. n-1", ("all", ("=", ("at", "w", ("+", "i", 1)), ("at", "w", "i")),
                                        ("range", "i", 1, ("+", "n", ("-", 1))))),
    ("w[n] > in for n in 1..n", ("all", ("<", "in", ("at", "w", "n")), ("range", "n", 1, "n"))),
    ("Piecewise((1, x >= 0), (0, True)) = 1", ("=", ("cases", ("case", ("<=", 0, "x"), 1), 0), 1)),
]


@pytest.mark.parametrize("text, fact", FACTS, ids=[f[0][:40] for f in FACTS])
def test_facts_read_as(text, fact):
    assert read_fact(text, NAMES) == fact


@pytest.mark.parametrize("text", [
    "x", "x <", "< x", "0 <= x <= 1", "x = y = n", "A <= B", "A != B", "A = x", "u psd 0",
    "A psd x", "x >= A",
    "w[i] >= 0", "w[i] >= 0 for i", "w[i] >= 0 for i in 1", "w[i] >= 0 for i in 1..",
    "w[i] >= 0 for i in 1..x",
    "w[i] >= 0 for A in 1..n", "w[i] >= 0 for i in 1..n,", "for i in 1..n",
    "w[i] >= 0 for i in 1..oo",
    "Eq(theta, x)", "Ge(x, A)", "Ge(x)", "Eq(x, 1/0)", "x in [0, 1]", "x > 0 and y > 0",
    "True", "x => y", "sin(x)", "x <= 1/0",
])
def test_facts_refused(text):
    with pytest.raises(ReadError) as caught:
        read_fact(text, NAMES)
    assert caught.value.column is not None


MATRIX = ("matrix", "d", "d")
DOMAINS = [
    ("real", ("real",), []), ("real > 0", ("real",), [("<", 0, "q")]),
    ("real >= 0", ("real",), [("<=", 0, "q")]),
    ("real < 1/2", ("real",), [("<", "q", ("/", 1, 2))]),
    ("real != 0", ("real",), [("!=", "q", 0)]),
    ("real in [-5, 5]", ("real",), [("<=", ("-", 5), "q"), ("<=", "q", 5)]),
    ("real in (0, oo)", ("real",), [("<", 0, "q")]), ("real in (-oo, oo)", ("real",), []),
    ("real in [x, y)", ("real",), [("<=", "x", "q"), ("<", "q", "y")]),
    ("real in [0, Max(x, y)]", ("real",), [("<=", 0, "q"), ("<=", "q", ("max", "x", "y"))]),
    ("integer >= 3", ("integer",), [("<=", 3, "q")]), ("complex", ("complex",), []),
    ("index 1..n", ("integer",), [("<=", 1, "q"), ("<=", "q", "n")]),
    ("real[1..T, 1..k]", ("family", ("real",), ("range", "_", 1, "T"), ("range", "_", 1, "k")), []),
    ("real[1..n] >= 0", ("family", ("real",), ("range", "_", 1, "n")),
     [("all", ("<=", 0, ("at", "q", "i")), ("range", "i", 1, "n"))]),
    ("real[0..n-1] in [0,1]", ("family", ("real",), ("range", "_", 0, ("+", "n", ("-", 1)))),
     [("all", ("<=", 0, ("at", "q", "i")), ("range", "i", 0, ("+", "n", ("-", 1)))),
      ("all", ("<=", ("at", "q", "i"), 1), ("range", "i", 0, ("+", "n", ("-", 1))))]),
    ("complex[1..n]", ("family", ("complex",), ("range", "_", 1, "n")), []),
    ("integer[1..n]", ("family", ("integer",), ("range", "_", 1, "n")), []),
    ("matrix(d, d)", MATRIX, [("<=", 1, "d")]), ("matrix(2,2)", ("matrix", 2, 2), []),
    ("matrix(d, d) symmetric positive definite", (*MATRIX, "symmetric", "pd"), [("<=", 1, "d")]),
    ("matrix(d,d) symmetric positive semidefinite", (*MATRIX, "symmetric",
    "psd"), [("<=", 1, "d")]),
    ("matrix(d, d) positive definite", (*MATRIX, "symmetric", "pd"), [("<=", 1, "d")]),
    ("matrix(d, d) invertible", (*MATRIX, "invertible"), [("<=", 1, "d")]),
    ("matrix(d, d) orthogonal", (*MATRIX, "orthogonal"), [("<=", 1, "d")]),
    ("matrix(k, d)", ("matrix", "k", "d"), [("<=", 1, "k"), ("<=", 1, "d")]),
    ("vector(d)", ("matrix", "d", 1), [("<=", 1, "d")]), ("vector(3)", ("matrix", 3, 1), []),
    ("vector(d)[1..n]", ("family", ("matrix", "d", 1), ("range", "_", 1, "n")), [("<=", 1, "d")]),
    ("matrix(d, d)[1..n] symmetric", ("family", (*MATRIX, "symmetric"),
    ("range", "_", 1, "n")), [("<=", 1, "d")]),
]


@pytest.mark.parametrize("text, sort, facts", DOMAINS, ids=[d[0] for d in DOMAINS])
def test_domains_read_as(text, sort, facts):
    assert read_domain("q", text, NAMES) == (sort, tuple(facts))


@pytest.mark.parametrize("text", [
    "", "reel", "real >", "real > ", "real >> 0", "positive", "real[", "real[1..n", "real[1]",
    "real[1..x]", "real[n]",
    "real in [1, 0]", "real in (1, 1]", "real in [0]", "real in [0, 1, 2]", "real in 0, 1",
    "real > q", "real in [0, A]",
    "vector", "vector()", "vector(d, d)", "matrix(d)", "matrix(d, k) symmetric",
    "matrix(d, d) symetric", "matrix(x, x)",
    "matrix(0, 1)", "matrix(d+1, d)", "matrix(d, e)", "vector(d) > 0", "complex > 0", "index n",
    "index 1..x", "real real",
    "index 1..n > 0", "integer >= 1 and <= 3", "real > __import__('os')",
    "real" + "[" * 400, "x" * 10_000,
])
def test_domains_refused(text):
    with pytest.raises(ReadError):
        read_domain("q", text, NAMES)


def test_symbols_are_declared_in_any_order_and_fail_one_by_one():
    names, facts, errors = declare({
        "x": "real[1..n] in [0, b]", "b": "real > 0", "n": "integer >= 1",
        "S": "matrix(d, d) symmetric",
        "d": "integer >= 1", "bad": "reel", "worse": "matrix(bad, bad)", "1x": "real",
        "True": "real", "θ": "real"})
    assert set(names) == {"x", "b", "n", "S", "d"}
    assert set(errors) == {"bad", "worse", "1x", "True", "θ"}
    assert facts["x"] == tuple(("all", f, ("range", "i", 1, "n")) for f in (
        ("<=", 0, ("at", "x", "i")), ("<=", ("at", "x", "i"), "b")))
    assert facts["S"] == (("<=", 1, "d"),)


@pytest.mark.parametrize("text, limit", [
    ("x -> 0+", ("x", 0, 1)), ("x->0", ("x", 0, 0)), ("n -> oo", ("n", ("oo",), -1)),
    ("x -> -oo", ("x", ("-", ("oo",)), 1)),
    ("x -> y-", ("x", "y", -1)), ("x -> 1/2 +", ("x", ("/", 1, 2), 1)),
    ("x -> -1", ("x", ("-", 1), 0))])
def test_limits_read_as(text, limit):
    assert read_limit(text, NAMES) == limit


@pytest.mark.parametrize("text", ["", "x", "x ->", "-> 0", "x -> x", "foo -> 0", "A -> 0",
    "w -> 0", "x -> A", "x to 0"])
def test_limits_refused(text):
    with pytest.raises(ReadError):
        read_limit(text, NAMES)


def test_the_kernel_reads_the_same_shapes():
    for term in (("+", "A", "x"), ("*", "A", "Q"), ("at", "w", 1, 2), "nowhere", ("sin", "A"),
        ("eye", "x"),
                 ("sum", "A", "w", 1, "n"), ("prod", "A", "i", 1, "n"), ("=", "A", "x"),
                 ("entry", "x", 1, 1)):
        with pytest.raises(Malformed):
            shape(term, NAMES)
    assert shape(("sum", ("*", ("at", "X", "i"),
        ("T", ("at", "X", "i"))), "i", 1, "n"), NAMES) == ("d", "d")
    assert shape(("*", ("*", ("T", "u"), "v"), "A"), NAMES) == ("d", "d")


def test_reading_needs_no_sympy():
    code = ("import sys, symbolic.claim, symbolic.reading, symbolic.writing; "
            "assert 'sympy' not in sys.modules")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=DATA.parent.parent)
    claims = [c for f in ("steps",
        "real_steps") for c in json.loads((DATA / f"{f}.json").read_text())["claims"]]
    for claim in claims:
        names, _, _ = declare(claim["symbols"])
        for text in (claim["start"], *(s["right"] for s in claim["steps"])):
            assert read_term(text, names) is not None
