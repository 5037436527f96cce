"""Order, dimension, depth and heads of the spec's tasks, and what must not change them."""

from fractions import Fraction

import networkx
import pytest

from infoflow.objective import bilinear
from infoflow.schedule import CLS, TOKEN, Job, fewest_heads, fill
from infoflow.task import build, term
from infoflow.tree import graph, tree

A = ("A", "B", "C")
F = "x[s] @ A @ x[t]"


def of(*terms, d=4, **keys):
    return tree(build("t", *terms, d=d, matrices=A, vectors=("b", "w"), **keys))


def forms(found):
    return sorted(repr(c.canon) for c in found.comparators)


def chain(names):
    """Neighbours interact, the k-th two with weight k."""
    pairs = enumerate(zip(names, names[1:], strict=False), 1)
    return term("max", tuple(names), " + ".join(f"{k}*x[{p}]@A@x[{q}]" for k, (p, q) in pairs))


def minimal(found, layers=None):
    return fewest_heads(found.jobs, layers or found.depth)[0]


@pytest.mark.parametrize(("terms", "d", "order", "dimension", "heads", "T0", "comparisons"), [
    ([term("max", "t", "w @ x[t]")], 4, 1, 1, (1,), 1, {1: 1}),
    ([term("min", "s t", "x[s] @ x[t]")], 2, 2, 1, (1, 1), 2, {2: 1, 1: 1}),
    ([term("max", "s t", f"x[s] @ {m} @ x[t]") for m in A], 4, 2, 3, (3, 3), 6, {2: 3, 1: 3}),
    ([term("max", "s t", F), term("max", "s t", "x[s] @ A.T @ x[t]")], 4, 2, 1, (1, 1), 2,
     {2: 1, 1: 1}),
    ([term("max", "p q r", "x[p] @ A @ x[q] + x[q] @ B @ x[r]")], 4, 2, 2, (2, 1), 3,
     {2: 2, 1: 1}),
    ([term("max", "c p q r", "x[p]@A@x[c] + x[q]@B@x[c] + x[r]@C@x[c]")], 4, 2, 3, (3, 1), 4,
     {2: 3, 1: 1}),
    ([term("kth_max", "t", "w @ x[t]", k=2)], 4, 2, 1, (1, 1), 2, {2: 1, 1: 1}),
    ([term("read", "", "x[3]")], 4, 0, 0, (1,), 1, {}),
    ([term("mean", "t", "x[t]")], 4, 0, 0, (1,), 1, {}),
    ([term("mean", "t", "w @ x[t]")], 4, 0, 0, (1,), Fraction(1, 4), {}),
    ([term("argmin", "t", "norm2(A @ x[1] - x[t])")], 4, 1, 1, (1, 1), 2, {1: 1}),
])
def test_trees_of_the_spec(terms, d, order, dimension, heads, T0, comparisons):
    found = of(*terms, d=d)
    assert (found.order, found.dimension, found.T0) == (order, dimension, T0)
    assert minimal(found) == heads and found.depth == len(heads)
    assert found.comparisons == comparisons and found.exact


@pytest.mark.parametrize(("terms", "order"), [
    ([term("min", "p q r", "norm(x[p] + x[q] + x[r])")], 3),
    ([term("max", "p q r s", "x[p]@x[q] + x[q]@x[r] + x[r]@x[s] + x[s]@x[p]")], 3),
    ([term("kth_max", "t", "w @ x[t]", k=3)], 3),
    ([term("kth_max", "t", "w @ x[t]", k=5)], 5),
    ([term("max", "p q r", 'fn("f", x[p], x[q], x[r])')], 3),
    ([term("min", "p q r", "x[p] @ x[q] + x[r] @ w", distinct=True)], 3),
])
def test_orders_beyond_pairs(terms, order):
    assert of(*terms).order == order


def test_depth_is_traded_for_heads():
    two, three = (of(*[term("max", "s t", f"x[s] @ {m} @ x[t]") for m in A[:n]]) for n in (2, 3))
    assert minimal(two, 2) == (2, 2) and minimal(two, 3) == (1, 1, 1)
    assert minimal(three, 2) == (3, 3) and minimal(three, 3) == (1, 2, 2)
    unary = of(*[term("max", "t", f"w @ {m} @ x[t]") for m in A])
    assert [minimal(unary, n) for n in (1, 2, 3)] == [(3,), (1, 2), (1, 1, 1)]


@pytest.mark.parametrize(("one", "two", "heads"), [
    (term("max", "s t", F), term("max", "s t", f"3*({F})"), (1, 1)),
    (term("max", "s t", F), term("max", "s t", f"-({F})"), (2, 2)),
    (term("max", "s t", F), term("min", "s t", f"-({F})"), (1, 1)),
    (term("max", "s t", F), term("max", "q r", "x[q] @ A @ x[r]"), (1, 1)),
    (term("min", "s t", "norm(x[s] - x[t])"), term("min", "s t", "norm2(x[s] - x[t])"), (1, 1)),
    (term("max", "s t", F + " + b @ x[s]"), term("max", "s t", f"2*({F}) + 2*b @ x[s]"), (1, 1)),
    (term("max", "s t", F + " + b @ x[s]"), term("max", "s t", F + " + 2*b @ x[s]"), (1, 2)),
])
def test_what_shares_a_head(one, two, heads):
    assert minimal(of(one, two)) == heads


@pytest.mark.parametrize(("one", "two"), [
    # Messages whose sizes sort otherwise as text: 2 and 10, then 20 and 100.
    (term("max", "p q r", "2*x[p]@A@x[q] + 10*x[r]@B@x[q]"),
     term("max", "p q r", "20*x[p]@A@x[q] + 100*x[r]@B@x[q]")),
    # Two legs that say the same are twice one leg.
    (term("max", "p q r", "x[p]@A@x[q] + x[r]@A@x[q]"), term("max", "s t", F)),
    # More trees than are kept: the choice must not hang on names.
    (term("min", "p q r s", "norm2(x[p] + 2*x[q] + 3*x[r] + 4*x[s]) + w@x[p]"),
     term("min", "s q p r", "norm2(x[s] + 2*x[r] + 3*x[q] + 4*x[p]) + w@x[s]")),
    # Eight indices in a chain: two middles to root it at.
    (chain("acefghij"), chain("zyvutsrq")),
])
def test_equal_terms_have_equal_comparators(one, two):
    assert forms(of(one)) == forms(of(two))


def test_an_expansion_is_the_same_data():
    expanded = "x[p]@x[p] + x[q]@x[q] + x[p]@x[q] + x[q]@x[p]"
    assert of(term("min", "p q", "norm2(x[p] + x[q])")).comparators == \
        of(term("min", "p q", expanded)).comparators


def test_the_graph_has_the_agreed_attributes():
    found = graph(of(term("max", "p q r", "x[p] @ A @ x[q] + x[q] @ B @ x[r]")))
    assert networkx.is_arborescence(found.reverse())
    assert (found.graph["order"], found.graph["dim"], found.graph["T0"]) == (2, 2, 3)
    assert found.nodes[(0, "q")] == {"op": "max", "arity": 1, "layer": 2, "pool": CLS,
                                     "cls": found.nodes[(0, "q")]["cls"]}
    assert set(found.successors((0, "p"))) == {(0, "q")} and found.nodes["out"]["layer"] == 2


def test_many_indices_are_bounded_and_forests_exact():
    names = "acefghijk"
    chain = " + ".join(f"x[{p}] @ A @ x[{q}]" for p, q in zip(names, names[1:], strict=False))
    long = of(term("max", tuple(names), chain))
    assert (long.order, long.exact, long.depth) == (2, True, 5)
    ring = of(term("max", tuple(names), f"{chain} + x[k] @ A @ x[a]"))
    assert (ring.order, ring.exact) == (3, False)


def test_jobs_wait_for_those_they_build_on():
    jobs = [Job(0, TOKEN), Job(1, CLS, frozenset({0})), Job(2, TOKEN), Job(3, CLS, frozenset({2}))]
    placed, surely = fill(jobs, (1, 2))
    assert len(placed) == 3 and surely and sorted(placed.values()) == [1, 2, 2]
    assert fill(jobs, (1, 1, 1))[0] == {0: 1, 2: 2, 1: 2, 3: 3}
    assert fewest_heads(jobs, 3) == ((1, 1, 1), True)
    with pytest.raises(ValueError, match="fewer than 2"):
        fewest_heads(jobs, 1)


def test_a_symmetric_matrix_is_its_transpose():
    assert bilinear("s", (("S", None),), "t") == bilinear("t", (("S", None),), "s")
    assert bilinear("s", (("A", False),), "t") == bilinear("t", (("A", True),), "s")
    assert bilinear("s", (("A", False),), "t") != bilinear("t", (("A", False),), "s")


def test_the_order_of_many_terms_changes_nothing():
    """Twelve terms of two trees each are more than are tried jointly."""
    many = [term("max", "s t", f"{n}*x[s] @ {m} @ x[t] + x[s] @ b")
            for n in (1, 2, 3, 4) for m in A]
    one, two = of(*many), of(*many[::-1])
    assert forms(one) == forms(two) and minimal(one) == minimal(two)
