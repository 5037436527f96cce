"""Lemmas: what a claim proves helps others, and only where its own facts hold."""

import pytest

from proofs.lemma import Lemma, settle_using
from proofs.settle import Task, settle
from symbolic.claim import Claim, Step, equals, statements
from symbolic.kernel.check import RULES, check
from symbolic.kernel.statement import Certificate, Level
from symbolic.reading import read_term

pytestmark = pytest.mark.skipif(
    not {"lemma", "chain", "citation"} <= set(RULES), reason="the kernel has no rule `lemma`")


def statement(symbols, left, relation, right, given=(), let=()):
    chain = statements(Claim("a", symbols=symbols, given=tuple(given), let=dict(let), start=left,
                             steps=(Step(relation, right),)))
    assert not chain.errors, chain.errors
    return chain.whole


def lemma(goal, by=None, **at):
    settled = settle(Task(goal, by))
    assert settled.verdict.level is Level.PROVED, settled.verdict
    return Lemma("lemma", goal, settled.certificate.json(), at)


SQUARE = statement({"p": "real"}, "p", "<=", "p**2", ["p >= 1"])
WHOLE = statement({"k": "integer"}, "sin(pi*k)", "=", "0")
POSITIVE = statement({"S": "matrix(2, 2) symmetric positive definite"}, "Trace(S*S)", "=",
                     "Trace(S*S)")


def used(goal, *lemmas, keys=()):
    return settle_using(Task(goal, seconds=2.0), lemmas, keys)


def test_a_lemma_helps_with_terms_put_in():
    goal = statement({"x": "real"}, "x**2 + 1", "<=", "(x**2 + 1)**2")
    x = read_term("x**2 + 1", dict(goal.symbols))
    found = used(goal, lemma(SQUARE, p=x))
    assert found.verdict.level is Level.PROVED
    assert check(goal, found.certificate).level is Level.PROVED


def by_hand(goal, one, at, premises, then):
    """What the kernel says of a forged lemma certificate."""
    return check(goal, Certificate(goal.digest, "lemma", {
        "lemma": one.statement.json(), "at": at, "by": one.certificate, "premises": premises,
        "then": then})).level


FACT = {"rule": "combination", "terms": [], "equations": []}
NORMAL = {"rule": "normal"}


@pytest.mark.parametrize("premise", [None, NORMAL, {"rule": "sign"}, {}, 3])
def test_a_premise_that_does_not_hold_is_not_granted(premise):
    goal = statement({"x": "real"}, "x", "<=", "x**2")  # false at 1/2
    for then in (NORMAL, FACT, {"rule": "sign"}):
        level = by_hand(goal, lemma(SQUARE), {"p": "x"}, [premise], then)
        assert level is Level.UNKNOWN


def test_premises_cannot_be_left_out():
    goal = statement({"x": "real"}, "x", "<=", "x**2")
    assert by_hand(goal, lemma(SQUARE), {"p": "x"}, [], {"rule": "sign"}) is Level.UNKNOWN


def test_sorts_must_fit():
    goal = statement({"x": "real"}, "sin(pi*x)", "=", "0")  # false at 1/2
    equation = {"rule": "combination", "equations": [[1, 0]]}
    assert by_hand(goal, lemma(WHOLE), {"k": "x"}, [], equation) is Level.UNKNOWN
    fine = statement({"n": "integer"}, "sin(pi*(2*n + 1))", "=", "0")
    index = read_term("2*n + 1", dict(fine.symbols))
    assert by_hand(fine, lemma(WHOLE), {"k": index}, [], equation) is Level.PROVED
    half = read_term("n/2", dict(fine.symbols))
    halved = statement({"n": "integer"}, "sin(pi*(n/2))", "=", "0")
    assert by_hand(halved, lemma(WHOLE), {"k": half}, [], equation) is Level.UNKNOWN


def test_flags_of_a_matrix_must_fit():
    goal = statement({"M": "matrix(2, 2)"}, "Trace(M*M)", "=", "Trace(M*M)")
    assert by_hand(goal, lemma(POSITIVE), {"S": "M"}, [], NORMAL) is Level.UNKNOWN
    same = statement({"M": "matrix(2, 2) symmetric positive definite"}, "Trace(M*M)", "=",
                     "Trace(M*M)")
    assert by_hand(same, lemma(POSITIVE), {"S": "M"}, [], NORMAL) is Level.PROVED


def test_derivatives_are_done_before_terms_are_put_in():
    slope = statement({"a": "real", "x": "real"}, "Derivative(a*x, x)", "=", "a")
    goal = statement({"x": "real"}, "Derivative(x*x, x)", "=", "x")  # false: it is 2*x
    equation = {"rule": "combination", "equations": [[1, 0]]}
    assert by_hand(goal, lemma(slope), {"a": "x"}, [], equation) is Level.UNKNOWN


def test_an_instance_that_is_undefined_leaves_its_condition():
    inverse = statement({"p": "real"}, "p/p", "=", "1", ["p != 0"])
    goal = statement({"x": "real"}, "x/x", "=", "1")
    equation = {"rule": "combination", "equations": [[1, 0]]}
    assert by_hand(goal, lemma(inverse), {"p": "x"}, [None], equation) is Level.UNKNOWN


def test_a_lemma_that_holds_under_a_condition_only_is_refused():
    conditional = statement({"p": "real"}, "p/p", "=", "1")
    settled = settle(Task(conditional))
    assert settled.verdict.where
    one = Lemma("lemma", conditional, settled.certificate.json(), {})
    goal = statement({"x": "real"}, "0", "=", "1")
    equation = {"rule": "combination", "equations": [[1, 0]]}
    assert by_hand(goal, one, {"p": 0}, [], equation) is Level.UNKNOWN


def chain(goal, lines, relations, by):
    return check(goal, Certificate(goal.digest, "chain", {
        "lines": lines, "relations": relations, "by": by})).level


def test_a_chain_is_as_strict_as_its_steps():
    sign = {"rule": "sign"}
    below = statement({"x": "real"}, "x", "<", "x + 1")
    assert chain(below, ["x"], ["=", "<"], [NORMAL, sign]) is Level.PROVED
    assert chain(below, ["x"], ["turned", "<"], [NORMAL, sign]) is Level.PROVED
    same = statement({"x": "real"}, "x", "<", "x")
    assert chain(same, ["x"], ["<=", "<="], [NORMAL, NORMAL]) is Level.UNKNOWN
    equal = statement({"x": "real"}, "x", "=", "x + 1")
    assert chain(equal, ["x"], ["=", "<"], [NORMAL, sign]) is Level.UNKNOWN
    assert chain(below, ["x"], ["<"], [sign]) is Level.UNKNOWN
    assert chain(below, ["z"], ["<", "<"], [sign, sign]) is Level.UNKNOWN


def test_the_condition_of_a_middle_line_is_kept():
    goal = statement({"x": "real"}, "1", "=", "1")
    found = check(goal, Certificate(goal.digest, "chain", {
        "lines": [["/", "x", "x"]], "relations": ["=", "="], "by": [NORMAL, NORMAL]}))
    assert found.level is Level.PROVED and found.where


def test_a_citation_is_a_debt_and_a_false_one_is_refuted():
    hard = statement({"x": "real"}, "sin(sin(x))", "<=", "cos(cos(x))")
    found = settle_using(Task(hard, "normal", 1.0), (), ("someone2020",))
    assert found.verdict.level is Level.PROVED
    assert found.verdict.rests_on == ("cite:someone2020",)
    false = statement({"x": "real"}, "x", "=", "x + 1")
    found = settle_using(Task(false, "normal", 1.0), (), ("someone2020",))
    assert found.verdict.level is Level.REFUTED


def test_the_verbs_take_lemmas():
    assert equals("x", using=["a", "cite:b"], at={"p": "x"}).using == ("a", "cite:b")
