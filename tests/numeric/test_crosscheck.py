"""Formula against formula and against the layer: who agrees, who does not, what is undecided."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from numeric.attention import kuramoto
from numeric.crosscheck import crosscheck, known, violation
from symbolic.kernel.statement import Statement

R, N = ("real",), ("integer",)
SYMBOLS = (("t", N), ("theta", ("family", R, ("range", "_", 1, "t"))),
           ("A", ("family", R, ("range", "_", 1, "t"))))
GIVEN = (("<=", 1, "t"),)


def total(body):
    return ("sum", ("*", ("at", "A", "u"), body), "u", 1, "t")


THETA_T, THETA_U = ("at", "theta", "t"), ("at", "theta", "u")
START = ("+", ("-", ("*", ("sin", THETA_T), total(("cos", THETA_U)))),
         ("*", ("cos", THETA_T), total(("sin", THETA_U))))
COUPLING = total(("sin", ("+", THETA_U, ("-", THETA_T))))
WRONG = total(("sin", ("+", THETA_T, ("-", THETA_U))))


def claim(**fields):
    return SimpleNamespace(**{"measure": None, "no_measure": None, "tolerance": 1e-9,
                              "steps": (), **fields})


def kuramoto_step(right=COUPLING, relation="="):
    return Statement(SYMBOLS, GIVEN, relation, START, right)


def increment(point, xp, rng):
    tokens, theta = point["t"], point["theta"][:, None]
    weights = xp.zeros((1, tokens, tokens))
    weights[0, -1] = point["A"]
    return kuramoto.increment(theta, *kuramoto.mean(theta, weights))[-1, 0]


def increment_of_rows(point, xp, rng):
    """The same without writing into an array, as JAX needs it."""
    tokens, theta = point["t"], point["theta"][:, None]
    weights = xp.broadcast_to(point["A"], (1, tokens, tokens))
    return kuramoto.increment(theta, *kuramoto.mean(theta, weights))[-1, 0]


def rows(*args, **kwargs):
    return {row.backend: row for row in crosscheck(*args, **kwargs)}


def test_kuramoto_identity_agrees_everywhere():
    found = rows(claim(measure=increment), [kuramoto_step()])
    assert {"numpy64", "mpmath50", "simulation:numpy64"} <= found.keys()
    for row in found.values():
        if not row.note.startswith("not run"):
            assert row.agrees and row.points == 8 and row.undecided == 0
            assert row.max_error < 1e-12 and row.point is None


def test_heavy_backends_join_where_they_are_asked_for():
    found = rows(claim(measure=increment_of_rows), [kuramoto_step()], points=3, only=known())
    for name in known():
        assert found[name].note.startswith("not run") or (
            found[name].points == 3 and found[name].max_error < 1e-12)
    for name in ("torch64", "jax64"):
        simulated = found.get(f"simulation:{name}")
        assert (simulated is None) == found[name].note.startswith("not run")
        assert simulated is None or (simulated.agrees and simulated.max_error < 1e-12)
    assert not {"torch64", "jax64"} & rows(claim(), [kuramoto_step()], points=1).keys()
    with pytest.raises(ValueError, match="no backend is called 'nim'"):
        rows(claim(), [kuramoto_step()], only=("nim",))


def test_a_wrong_sign_disagrees_at_a_point():
    found = rows(claim(no_measure="a falsehood"), [kuramoto_step(WRONG)])
    for name in ("numpy64", "mpmath50"):
        assert not found[name].agrees and "step 1" in found[name].note
        assert found[name].point.keys() == {"t", "theta", "A"}
    assert found["simulation"].agrees and "a falsehood" in found["simulation"].note


def test_a_wrong_simulation_disagrees():
    found = rows(claim(measure=lambda p, xp, rng: 1 + increment(p, xp, rng)), [kuramoto_step()])
    assert found["numpy64"].agrees and not found["simulation:numpy64"].agrees


def test_a_measure_that_raises_disagrees_and_says_so():
    row = rows(claim(measure=lambda p, xp, rng: p["nothing"]), [kuramoto_step()])[
        "simulation:numpy64"]
    assert not row.agrees and "KeyError" in row.note


def test_a_turned_step_still_measures_its_start():
    steps = (SimpleNamespace(relation=">="),)
    turned = Statement(SYMBOLS, GIVEN, "<=", ("+", COUPLING, -1), START)
    found = rows(claim(measure=increment, steps=steps), [turned])
    assert found["simulation:numpy64"].agrees and found["numpy64"].max_error == 0


def test_a_claim_without_start_measures_its_own_prediction():
    def spectrum(point, xp, rng):
        m = xp.tril(rng.normal(size=(4, 4)))
        return xp.sort(xp.linalg.eigvals(m).real), xp.sort(xp.linalg.diagonal(m))
    found = crosscheck(claim(measure=spectrum), [])
    assert [r.backend for r in found] == ["simulation:numpy64"]
    assert found[0].agrees and found[0].points == 8
    domain = ((("x", R),), (("<", 0, "x"),))
    found = crosscheck(claim(measure=lambda p, xp, rng: (p["x"] > 0, True)), [], domain=domain)
    assert found[0].agrees and found[0].points == 8


def test_a_claim_without_start_must_give_a_pair():
    row, = crosscheck(claim(measure=lambda p, xp, rng: 1.0), [])
    assert not row.agrees and "predicted" in row.note


def test_rounding_is_no_disagreement():
    big = ("+", "x", 10**20)
    step = Statement((("x", R),), (), "=", ("+", big, ("-", 10**20)), "x")
    found = rows(claim(), [step])
    assert found["mpmath50"].agrees and found["mpmath50"].points == 8
    assert found["numpy64"].agrees and found["numpy64"].undecided >= 7
    assert "rounding" in found["numpy64"].note


def test_undefined_points_are_undecided():
    step = Statement((("x", R),), (("<", "x", 0),), "=", ("log", "x"), ("log", "x"))
    for row in crosscheck(claim(), [step])[:2]:
        assert row.agrees and row.points == 0 and row.undecided == 8


def test_an_empty_domain_is_reported():
    step = Statement((("x", R),), (("<", "x", 0), ("<", 0, "x")), "=", "x", "x")
    for row in crosscheck(claim(), [step])[:2]:
        assert row.points == 0 and "no admissible point" in row.note


def test_order_psd_and_asymptotic_steps():
    S = (("d", N), ("S", ("matrix", "d", "d", "symmetric", "pd")))
    psd = Statement(S, (), "psd", "S", ("zeros", "d", "d"))
    assert rows(claim(), [psd])["numpy64"].agrees
    wrong = Statement(S, (), "psd", ("-", "S"), ("zeros", "d", "d"))
    assert not rows(claim(), [wrong])["numpy64"].agrees
    asymptotic = Statement((("x", R),), (), "O", "x", "x", limit=("x", 0, 1))
    assert "not evaluated" in rows(claim(), [asymptotic])["numpy64"].note


def test_rows_are_plain_json_and_repeatable():
    first, again = (crosscheck(claim(measure=increment), [kuramoto_step(WRONG)], seed=5)
                    for _ in range(2))
    assert first == again
    for row in first:
        data = json.loads(json.dumps(row.json(), allow_nan=False))
        assert {"backend", "max_error", "points", "undecided", "agrees"} <= data.keys()


def test_rates_move_matrices():
    S = (("S", ("matrix", 2, 2)), ("V", ("matrix", 2, 2)), ("t", R))
    rates = (("S", "t", ("*", "V", "S")),)
    left = ("diff", ("det", "S"), "t")
    right = ("*", ("trace", "V"), ("det", "S"))
    found = rows(claim(), [Statement(S, (), "=", left, right, rates=rates)])
    assert found["numpy64"].agrees and found["mpmath50"].agrees
    assert found["mpmath50"].max_error < 1e-30


@pytest.mark.parametrize("relation, left, right, wanted", [
    ("=", 3.0, 1.0, 0.5), ("<=", 1.0, 3.0, 0.0), ("<=", 3.0, 1.0, 0.5), ("<", 1.0, 1.0, 0.0),
    ("!=", 1.0, 1.0, 1.0), ("!=", 1.0, 2.0, 0.0), ("psd", np.eye(2), np.zeros((2, 2)), 0.0),
    ("psd", np.zeros((2, 2)), np.eye(2), 1.0),
    ("psd", np.array([[1.0, 1.0], [0.0, 1.0]]), np.zeros((2, 2)), 0.5), ("psd", -1.0, 0.0, 0.5),
    ("=", math.nan, 1.0, math.nan), ("=", math.inf, math.inf, math.nan),
    ("<=", 1.0 + 1e-3j, 2.0, 1e-3 / (1 + abs(1 + 1e-3j))),
])
def test_violation(relation, left, right, wanted):
    found = violation(relation, left, right)
    assert found == pytest.approx(wanted, nan_ok=True)
