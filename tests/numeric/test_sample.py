"""Admissible points: every fact holds at every point drawn, checked by the other backend."""

import numpy as np
import pytest

from numeric.backends import mpmath50
from numeric.crosscheck import violation
from numeric.draw import has_flags
from numeric.sample import admissible_point
from symbolic.kernel.statement import Statement

R, N = ("real",), ("integer",)


def family(sort, *highs):
    return ("family", sort, *(("range", "_", 1, high) for high in highs))


def square(*flags):
    return ("matrix", "d", "d", *flags)


def rng_(name, high, low=1):
    return ("range", name, low, high)


A_tu, W_ij = ("at", "A", "t", "u"), ("at", "W", "i", "j")
COSINES = ("sum", ("cos", ("+", ("at", "th", "t", "j"), ("-", ("at", "th", "u", "j")))),
           "j", 1, "k")
COSINES_V = ("sum", ("cos", ("+", ("at", "th", "t", "j"), ("-", ("at", "th", "v", "j")))),
             "j", 1, "k")
CAUSAL_ZEROS = ("all", ("=", A_tu, 0), rng_("t", "T"), rng_("u", "T", ("+", "t", 1)))
DOMAINS = {
    "bounds": ((("x", R), ("y", R)),
               (("<=", ("-", 5), "x"), ("<=", "x", 5), ("<", "x", "y"), ("!=", "x", 0))),
    "positive": ((("x", R), ("n", N)), (("<", 0, "x"), ("<=", 3, "n"))),
    "index": ((("n", N), ("j", N)), (("<=", 1, "j"), ("<=", "j", "n"))),
    "simplex": ((("n", N), ("w", family(R, "n"))),
                (("all", ("<=", 0, ("at", "w", "i")), rng_("i", "n")),
                 ("=", ("sum", ("at", "w", "i"), "i", 1, "n"), 1))),
    "causal weights": ((("T", N), ("t", N), ("A", family(R, "T", "T"))), (
        ("<=", 1, "t"), ("<=", "t", "T"), ("all", ("<", 0, A_tu), rng_("t", "T"), rng_("u", "t")),
        ("all", ("=", ("sum", A_tu, "u", 1, "t"), 1), rng_("t", "T")), CAUSAL_ZEROS)),
    "softmax": ((("T", N), ("k", N), ("A", family(R, "T", "T")), ("th", family(R, "T", "k"))), (
        ("all", ("=", A_tu, ("/", ("exp", COSINES), ("sum", ("exp", COSINES_V), "v", 1, "t"))),
         rng_("t", "T"), rng_("u", "t")), CAUSAL_ZEROS)),
    "symmetric weights": ((("n", N), ("W", family(R, "n", "n"))), (
        ("all", ("=", W_ij, ("at", "W", "j", "i")), rng_("i", "n"), rng_("j", "n")),
        ("all", ("<=", 0, W_ij), rng_("i", "n"), rng_("j", "n")))),
    "descending": ((("n", N), ("x", family(R, "n"))), (
        ("<=", 2, "n"), ("all", ("<=", ("at", "x", ("+", "i", 1)), ("at", "x", "i")),
                         rng_("i", ("+", "n", ("-", 1)))))),
    "definition": ((("m", R), ("x", R), ("y", R)),
                   (("=", "m", ("/", ("+", "x", "y"), 2)), ("<", "x", "y"))),
    "circle": ((("x", R), ("y", R)), (("=", ("+", ("^", "x", 2), ("^", "y", 2)), 1),)),
    "polar": ((("x", R), ("y", R), ("r", R), ("psi", R)), (
        ("<=", 0, "r"), ("=", ("*", "r", ("cos", "psi")), "x"),
        ("=", ("*", "r", ("sin", "psi")), "y"))),
    "unit complex": ((("z", ("complex",)),), (("=", ("abs", "z"), 1),)),
    "matrix flags": ((("d", N), ("S", square("symmetric", "pd")), ("P", square("symmetric", "psd")),
                      ("V", square("invertible")), ("Q", square("orthogonal")),
                      ("Y", square("symmetric"))), ()),
    "Lyapunov": ((("d", N), ("A", square()), ("S", square("symmetric", "pd")),
                  ("Q", square("symmetric", "pd"))),
                 (("=", ("+", ("*", "A", "S"), ("*", "S", ("T", "A"))), ("-", "Q")),)),
    "Riccati": ((("d", N), ("A", square()), ("S", square("symmetric"))),
                (("=", ("+", ("*", "A", "S"), ("*", "S", ("T", "A")), ("-", ("*", "S", "S")),
                        ("eye", "d")), ("zeros", "d", "d")),)),
    "order of matrices": ((("d", N), ("P", square("symmetric", "pd")),
                           ("Q", square("symmetric", "pd"))), (("psd", "P", "Q"),)),
    "unit vectors": ((("d", N), ("n", N), ("X", family(("matrix", "d", 1), "n"))), (
        ("all", ("=", ("trace", ("*", ("T", ("at", "X", "i")), ("at", "X", "i"))), 1),
         rng_("i", "n")),)),
}


def instances(fact, point):
    """The facts at every choice of their indices, with the choices added to the point."""
    if fact[0] != "all":
        yield fact, point
        return
    points = [point]
    for _, name, low, high in fact[2:]:
        points = [{**p, name: k} for p in points
                  for k in range(whole(low, p), whole(high, p) + 1)]
    for p in points:
        yield fact[1], p


def whole(term, point):
    return int(mpmath50.evaluate(term, {}, {k: v for k, v in point.items()
                                            if isinstance(v, (int, float))}))


@pytest.mark.parametrize("name", DOMAINS)
def test_every_fact_holds(name):
    symbols, given = DOMAINS[name]
    sorts, rng = dict(symbols), np.random.default_rng(7)
    for _ in range(4):
        sample = admissible_point((symbols, given), rng)
        assert sample.point is not None, sample.reason
        for fact in given:
            for relation, point in instances(fact, sample.point):
                left, right = (mpmath50.evaluate(t, sorts, point) for t in relation[1:])
                assert violation(relation[0], left, right) <= 1e-9, (relation, point)
        for symbol, sort in symbols:
            if sort[0] == "matrix":
                assert has_flags(np.array(sample.point[symbol]), sort[3:])
            if sort == N:
                assert isinstance(sample.point[symbol], int)


def test_sizes_are_small_and_vary():
    rng = np.random.default_rng(0)
    symbols, given = DOMAINS["simplex"]
    sizes = {admissible_point((symbols, given), rng).point["n"] for _ in range(60)}
    assert sizes == {1, 2, 3, 4, 5}


def test_the_same_seed_gives_the_same_point():
    symbols, given = DOMAINS["softmax"]
    a, b = (admissible_point((symbols, given), np.random.default_rng(3)).point for _ in range(2))
    assert a == b


@pytest.mark.parametrize("given, named", [
    ((("<", "x", 0), ("<", 0, "x")), "never satisfied"),
    ((("=", ("^", "x", 2), ("-", 1)),), "never satisfied"),
    ((("<", ("log", ("-", 1)), "x"),), "never satisfied"),
    ((("=", "x", ("nonsense", 1)),), "cannot be read"),
])
def test_an_empty_domain_has_a_reason(given, named):
    sample = admissible_point(((("x", R),), given), np.random.default_rng(0), tries=5)
    assert sample.point is None and named in sample.reason


def test_tables_grow_to_what_the_sides_read():
    body = ("+", ("at", "x", ("+", "k", 1)), ("-", ("at", "x", "k")))
    statement = Statement((("n", N), ("x", family(R, "n"))), (("<=", 1, "n"),), "=",
                          ("sum", body, "k", 1, "n"), ("at", "x", ("+", "n", 1)))
    point = admissible_point(statement, np.random.default_rng(0)).point
    assert len(point["x"]) == point["n"] + 1 and not np.isnan(point["x"]).any()


def test_definitions_are_unfolded():
    statement = Statement((("x", R), ("y", R)), (("<=", "m", 0), ("=", "y", ("*", 2, "m"))), "=",
                          "m", "x", let=(("m", (), ("+", "x", 1)),))
    point = admissible_point(statement, np.random.default_rng(0)).point
    assert point["x"] <= -1 and point["y"] == pytest.approx(2 * point["x"] + 2)
