"""What is written reads back as the same term; LaTeX uses a closed list of commands."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic.kernel.statement import Statement
from symbolic.kernel.term import plain
from symbolic.reading import declare, read_fact, read_term
from symbolic.writing import (
    COMMANDS,
    latex,
    latex_fact,
    latex_relation,
    limit_text,
    name_latex,
    point_text,
    relation_text,
    split_sum,
    text,
)

DATA = Path(__file__).parent.parent / "data"
NAMES, _, _ = declare({
    "x": "real", "y": "real", "lambda": "real", "w_max": "real", "n": "integer", "d": "integer",
    "theta": "real[1..n, 1..n]", "a": "real[1..n]", "A": "matrix(d, d)", "B": "matrix(d, d)",
    "u": "vector(d)", "X": "vector(d)[1..n]",
})
SMALL = settings(max_examples=300, deadline=None)


def _numbers(inner):
    """Terms of numbers, as the reader makes them: flat sums and products, no negative integers."""
    pair = st.tuples(inner, inner)
    several = st.lists(inner, min_size=2, max_size=4)
    relation = st.tuples(st.sampled_from(["=", "<=", "<", "!="]), inner, inner)
    case = st.tuples(st.just("case"), relation, inner)
    return st.one_of(
        several.filter(lambda p: _head(p[0]) != "+").map(lambda p: ("+", *p)),
        several.filter(lambda p: _head(p[0]) != "*").map(lambda p: ("*", *p)),
        pair.filter(lambda p: _head(p[1]) not in ("+", "-", "*", "/") and p[1] != 0).map(
            lambda p: ("/", *p)),
        inner.map(lambda t: ("-", t)), pair.map(lambda p: ("^", *p)),
        st.tuples(st.sampled_from(["sin", "exp", "abs", "conj", "sqrt", "logistic", "floor"]),
                  inner),
        st.tuples(st.sampled_from(["max", "min"]), inner, inner),
        st.tuples(st.sampled_from(["sum", "prod", "int"]), inner, st.sampled_from("kx"),
                  inner, inner),
        st.tuples(st.just("limit"), inner, st.just("x"), inner, st.sampled_from([1, -1, 0])),
        st.tuples(st.just("diff"), inner, st.sampled_from(["x", ("at", "a", 1)])),
        st.lists(case, min_size=1, max_size=2).flatmap(
            lambda cases: inner.map(lambda t: ("cases", *cases, t))),
        inner.map(lambda t: ("trace", ("*", ("T", "u"), ("*", "A", ("*", ("cos", t), "u"))))),
    )


def _head(term):
    return term[0] if isinstance(term, tuple) else None


LEAVES = st.one_of(
    st.integers(0, 12), st.sampled_from(["x", "y", "lambda", "w_max", "n"]),
    st.sampled_from([("pi",), ("e",), ("i",), ("at", "a", "n"), ("at", "theta", 1, ("+", "n", 1)),
                     ("entry", "A", 1, "n"), ("entry", "u", 2, 1),
                     ("entry", ("at", "X", "n"), 1, 1), ("entry", ("T", "A"), 1, 2)]))
TERMS = st.recursive(LEAVES, lambda inner: _numbers(st.deferred(lambda: inner)), max_leaves=12)


def _readable(term):
    """Whether a random term means something: no vanishing divisors, no huge powers."""
    try:
        return read_term(text(term), NAMES) is not None
    except ValueError as error:
        known = ("zero", "large", "integer n", "derivative by")
        assert any(w in str(error) for w in known), (text(term), error)
        return False


@SMALL
@given(TERMS)
def test_text_reads_back(term):
    if _readable(term):
        assert read_term(text(term), NAMES) == term
        assert read_term(text(term, NAMES), NAMES) == term


@SMALL
@given(TERMS)
def test_latex_is_balanced_and_uses_known_commands_only(term):
    _check_latex(latex(term, NAMES))


def _check_latex(written):
    assert set(re.findall(r"\\(?:[A-Za-z]+|.)", written)) <= COMMANDS
    assert written.isascii() and written.count("{") == written.count("}")
    assert written.count("\\left") - written.count("\\leftarrow") == written.count("\\right")
    assert "^" not in re.sub(r"\^\{", "", written)
    depth = 0
    for sign in written:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0


WRITTEN = [
    (("+", "a", ("-", "b")), "a - b"), (("+", "a", ("-", ("+", "b", "c"))), "a - (b + c)"),
    (("+", ("-", "a"), "b"), "-a + b"), (("-", ("*", "a", "b")), "-(a*b)"),
    (("*", ("-", "a"), "b"), "-a*b"), (("*", "a", ("-", "b")), "a*(-b)"),
    (("*", "a", ("+", "b", 1)), "a*(b + 1)"), (("/", ("*", "a", "b"), "c"), "a*b/c"),
    (("*", ("/", "a", "b"), "c"), "a/b*c"), (("/", "a", ("*", "b", "c")), "a/(b*c)"),
    (("/", "a", ("/", "b", "c")), "a/(b/c)"), (("^", ("^", "a", 2), 3), "(a**2)**3"),
    (("^", "a", ("^", 2, 3)), "a**2**3"), (("-", ("^", "a", 2)), "-a**2"),
    (("^", ("-", "a"), 2), "(-a)**2"), (("^", "a", ("-", 1)), "a**(-1)"),
    (("^", "a", ("/", 1, 2)), "a**(1/2)"), (-3, "-3"), (("*", 2, -3), "2*(-3)"),
    (("at", "theta", "t", "j"), "theta[t, j]"), (("T", ("*", "A", "B")), "(A*B).T"),
    (("sum", ("at", "w", "u"), "u", 1, "n"), "Sum(w[u], (u, 1, n))"),
    (("limit", "f", "x", ("oo",), -1), "Limit(f, x, oo)"),
    (("diff", "f", ("at", "z", "j")), "Derivative(f, z[j])"),
    (("cases", ("case", ("=", "x", 0), 1), 2), "Piecewise((1, Eq(x, 0)), (2, True))"),
    (("all", ("<=", 0, ("at", "w", "i")), ("range", "i", 1, "n")), "0 <= w[i] for i in 1..n"),
    (("psd", "A", ("zeros", "d", "d")), "A psd zeros(d, d)"),
]


@pytest.mark.parametrize("term, written", WRITTEN, ids=[w for _, w in WRITTEN])
def test_text_has_the_fewest_brackets(term, written):
    assert text(plain(term)) == written


LATEX = [
    (("at", "theta", "t", "j"), r"\theta_{t, j}"), (("/", 1, "x"), r"\frac{1}{x}"),
    (("^", ("sin", "x"), 2), r"\sin^{2}(x)"), (("^", ("log", "x"), 2), r"(\log(x))^{2}"),
    (("sum", ("at", "w", "u"), "u", 1, "n"), r"\sum_{u=1}^{n} w_{u}"),
    (("sum", ("+", "a", "b"), "u", 1, "n"), r"\sum_{u=1}^{n} (a + b)"),
    (("*", ("sum", "u", "u", 1, "n"), "a"), r"\left(\sum_{u=1}^{n} u\right) a"),
    (("*", ("-", "a"), ("sum", "u", "u", 1, "n")), r"-a \sum_{u=1}^{n} u"),
    (("^", "x", ("/", 3, 2)), "x^{3/2}"), (("T", "A"), r"A^{\top}"), (("inv", "A"), "A^{-1}"),
    (("*", 2, ("^", "x", 2), 3), r"2 x^{2} \cdot 3"), (("*", 2, ("/", 1, 2)),
                                                      r"2 \cdot \frac{1}{2}"),
    (("exp", ("/", ("-", "x"), 2)), r"\exp\left(-\frac{x}{2}\right)"),
    (("diff", ("diff", "f", "x"), "x"), r"\frac{\partial^{2}}{\partial x^{2}} f"),
    (("limit", "f", "x", 0, 1), r"\lim_{x \to 0^{+}} f"),
    (("int", "f", "x", ("-", ("oo",)), ("oo",)),
     r"\int_{-\infty}^{\infty} f \, \mathrm{d}x"),
    (("cases", ("case", ("<", 0, "x"), 1), 2),
     r"\begin{cases} 1 & \text{if } 0 < x \\ 2 & \text{otherwise} \end{cases}"),
    (("matrix", ("row", 1, "x"), ("row", 0, 1)),
     r"\begin{pmatrix} 1 & x \\ 0 & 1 \end{pmatrix}"),
    (("binomial", "n", 2), r"\binom{n}{2}"), (("factorial", ("+", "n", 1)), "(n + 1)!"),
    (("delta", "i", "j"), r"\delta_{i, j}"), (("abs", "x"), r"\left\lvert x \right\rvert"),
    (("*", "ab", "x"), r"\mathit{ab} \, x"), (("eye", "d"), "I_{d}"),
]


@pytest.mark.parametrize("term, written", LATEX, ids=[w for _, w in LATEX])
def test_latex_is_as_written(term, written):
    assert latex(plain(term)) == written


@pytest.mark.parametrize("name, written", [
    ("x", "x"), ("theta", r"\theta"), ("eps", r"\varepsilon"), ("lambda", r"\lambda"),
    ("t1", "t_{1}"), ("theta_max", r"\theta_{\mathrm{max}}"), ("S0", "S_{0}"), ("x_1", "x_{1}"),
    ("Qq", r"\mathit{Qq}"), ("a__b", r"\mathit{a\_\_b}"), ("x_", r"\mathit{x\_}"),
    ("w_i_j", "w_{i, j}"), ("a1b", r"\mathit{a1b}"), ("omega_c2", r"\omega_{\mathrm{c2}}"),
])
def test_names_in_latex(name, written):
    assert name_latex(name) == written


def test_facts_relations_and_limits_in_latex():
    fact = read_fact("a[i] >= 0 for i in 1..n", NAMES)
    assert latex_fact(fact) == r"0 \le a_{i} \quad (1 \le i \le n)"
    assert latex_fact(("psd", "A", ("zeros", "d", "d"))) == r"A \succeq 0"
    order = Statement((), (), "O", "x", ("^", "eps", 2), limit=("eps", 0, 1))
    assert latex_relation(order) == (
        r"x = \mathcal{O}(\varepsilon^{2}) \quad (\varepsilon \to 0^{+})")
    assert relation_text(order) == "x = O(eps**2) as eps -> 0+"
    assert limit_text(("n", ("oo",), -1)) == "n -> oo"
    assert relation_text(Statement((), (), "<=", "x", 1)) == "x <= 1"
    assert latex_relation(Statement((), (), "<=", "x", 1)) == r"x \le 1"


def test_points_are_text():
    assert point_text(("/", 1, 2)) == "1/2" and point_text(["/", ["pi"], 4]) == "pi/4"
    assert point_text(((1, ("-", 2)), (("sqrt", 2), 0))) == [["1", "-2"], ["sqrt(2)", "0"]]
    assert point_text(-3) == "-3" and point_text([]) == [] and point_text([[1]]) == [["1"]]


def test_long_sums_are_written_and_split():
    term = ("+", *(("at", "a", k) for k in range(2_000)))
    assert read_term(text(term), NAMES) == term
    lines = split_sum(term, longest=60)
    assert len(lines) > 50 and all(line.startswith("+ ") for line in lines[1:])
    assert " ".join(lines) == latex(term)
    assert split_sum("x") == ["x"]


def test_components_of_vectors_have_one_index_when_sorts_are_known():
    term = ("+", ("entry", "u", "n", 1), ("entry", ("at", "X", 2), 1, 1), ("entry", "A", 1, 1))
    assert text(term, NAMES) == "u[n] + X[2][1] + A[1, 1]"
    assert text(term) == "u[n, 1] + X[2][1, 1] + A[1, 1]"
    assert latex(term, NAMES) == "u_{n} + (X_{2})_{1} + A_{1, 1}"


@pytest.mark.parametrize("file", ["steps", "real_steps", "sympy_wrong"])
def test_the_stored_steps_read_back(file):
    for claim in json.loads((DATA / f"{file}.json").read_text())["claims"]:
        names, facts, errors = declare(claim["symbols"])
        assert not errors
        for side in (claim["start"], *(s["right"] for s in claim["steps"])):
            term = read_term(side, names)
            assert read_term(text(term), names) == term == read_term(text(term, names), names)
            _check_latex(latex(term, names))
        given = [read_fact(f, names) for f in claim["given"]]
        for fact in (*given, *(f for said in facts.values() for f in said)):
            assert read_fact(text(fact), names) == fact
            _check_latex(latex_fact(fact, names))
