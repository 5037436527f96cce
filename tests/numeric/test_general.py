"""Balls hold the true covariance, traps hold what they promise, and answers are never both."""

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from numeric.stability.balls import frobenius, norm, path, root
from numeric.stability.definite import decide
from numeric.stability.general import blow_up_time, bounds, limit_rank
from numeric.stability.rational import exact, floats, identity, rounded, symmetric
from numeric.stability.traps import metric
from tests.experiments.trajectory import integrated


def real(x):
    return int(x.p) / int(x.q)


def test_balls_hold_the_closed_form():
    A, one = exact([[0, 1], [0, 0]]), identity(2)       # S = [[1, t], [t, 1]]/(1 - t^2), exactly
    for k, ball in enumerate(path(A, one, one)):
        true = fmpq_mat([[1, ball.t], [ball.t, 1]]) / (1 - ball.t**2)
        gap = ball.centre - true
        assert sum((x * x for x in gap.entries()), fmpq(0)) <= ball.radius**2
        if k == 25:
            break
    assert ball.t > fmpq(99, 100) and ball.radius < fmpq(1, 10**6)


def test_balls_hold_a_rotated_closed_form():
    rng = np.random.default_rng(1)
    A, G = rounded(rng.normal(size=(3, 3))), rounded(rng.normal(size=(3, 3)))
    S0 = G * G.transpose()
    for k, ball in enumerate(path(A, identity(3), S0)):     # (S0^{-1} - t(A + A^T))^{-1}
        true = (S0.inv() - symmetric(A) * ball.t).inv()
        gap = ball.centre - true
        assert sum((x * x for x in gap.entries()), fmpq(0)) <= ball.radius**2
        if k == 15:
            break
    assert k == 15


def test_norms_are_bounds():
    rng = np.random.default_rng(2)
    for shape in ((2, 3), (4, 2), (3, 3)):
        M = rounded(rng.normal(size=shape))
        spectral, u = np.linalg.norm(floats(M), 2), norm(M)
        assert spectral * (1 - 1e-12) <= real(u) <= spectral * (1 + 1e-7)
        square = M.transpose() * M
        assert decide(identity(square.nrows()) * u**2 - square).holds
        assert frobenius(M)**2 >= sum((x * x for x in M.entries()), fmpq(0))
    assert norm(exact([[0, 0]])) == 0 and root(fmpq(2))**2 >= 2


def test_a_metric_is_decided():
    J, G = exact([[-1, 10], [0, -2]]), identity(2)
    found = metric(J, G)
    assert decide(-symmetric(found.H * J) - G).holds
    assert decide(found.H - G * found.low).holds and decide(G * found.high - found.H).holds
    assert metric(exact([[1, 0], [0, -1]]), G) is None


@pytest.mark.parametrize("S0, seen", [
    ([[1, 0], [0, "1/100"]], 0.16756), ([[1, "3/10"], ["3/10", "1/2"]], 0.18190)])
def test_the_spec_s_counterexample_blows_up(S0, seen):
    A, V = [[3, 4], [-4, -2]], [[1, 1], [0, "1/2"]]     # C8: V A + A^T V^T = -2 I
    found = blow_up_time(A, S0, V)
    assert found.high is not None and found.high <= found.low * fmpq(1001, 1000)
    assert real(found.low) - 5e-6 <= seen <= real(found.high) + 5e-6     # printed to five digits


def test_the_counterexample_s_other_start_never_blows_up():
    found = limit_rank(identity(2), [[3, 4], [-4, -2]], [[1, 1], [0, "1/2"]], identity(2))
    assert (found.status, found.rank, found.by) == ("rank", 0, "closed form")   # S = I/(1 + 2 t)


def test_where_no_trap_closes_the_reason_is_given():
    found = blow_up_time([[-1, 0], [0, -2]], [[1, "1/2"], ["1/2", 1]], [[1, 0], [0, 2]], steps=20)
    assert found.high is None and found.low > 0 and "20 steps were used up" in found.reason


def test_general_times_agree_with_integration():
    rng, enclosed = np.random.default_rng(3), 0
    for _ in range(4):
        A, V, G = (rounded(rng.normal(size=(2, 2))) for _ in "AVG")
        S0 = G * G.transpose()
        found = blow_up_time(A, S0, V, steps=120)
        run = integrated(floats(A), floats(V), floats(S0), 50.0)
        if found.high is not None:
            enclosed += 1
            assert real(found.low) * (1 - 1e-6) <= run.blow_up <= real(found.high) * (1 + 1e-6)
        elif run.blow_up:
            assert real(found.low) <= run.blow_up
    assert enclosed >= 1


def test_one_model_two_starts_two_answers():
    Q, K, V = exact([[1, 0]]), exact([[1, -1]]), exact([[2, 1], [0, 1]])
    dies = limit_rank(K, Q, V, [[1, 3], [3, 10]], steps=150)
    assert (dies.status, dies.rank, dies.by) == ("rank", 1, "balls")
    bursts = limit_rank(K, Q, V, identity(2), steps=150)
    assert (bursts.status, bursts.by) == ("blows up", "balls")
    A, V = floats(K).T @ floats(Q), floats(V)
    run = integrated(A, V, np.eye(2), 50.0)
    assert real(bursts.blow_up[0]) <= run.blow_up <= real(bursts.blow_up[1])
    run = integrated(A, V, np.array([[1., 3], [3, 10]]), 50.0)
    assert run.reached and np.linalg.norm(floats(Q) @ run.S) < 1e-6


def test_commuting_values_are_decided_exactly():
    bursts = limit_rank([[1, 2]], [[1, 0]], identity(2), identity(2))
    assert (bursts.status, bursts.by) == ("blows up", "closed form")
    S0 = [[1, 1, 0], [1, 1, 0], [0, 0, 3]]
    found = limit_rank([[-1, 0, 0]], [[1, 0, 0]], identity(3) * 2, S0)
    assert (found.status, found.rank, found.by) == ("rank", 1, "closed form")
    run = integrated(-np.diag([1., 0, 0]), 2 * np.eye(3), np.array(S0, float), 1e4)
    # S_11 falls like 1/(4 t)
    assert np.allclose(run.S, np.diag([0, 0, 3]), atol=1e-4)
    assert blow_up_time([[1]], [[1]], [[1]]).by == "closed form"
    assert blow_up_time([[-1]], [[1]], [[1]]).reason == "it never blows up"


def test_a_sink_is_certified_in_balls():
    Q, K, V = exact([[1, 0]]), exact([[0, -1]]), exact([[1, 1], [0, 1]])
    S0 = exact([[1, 0], [0, 2]])
    found = limit_rank(K, Q, V, S0)
    assert (found.status, found.rank, found.by) == ("rank", 1, "balls")
    run = integrated(floats(K).T @ floats(Q), floats(V), floats(S0), 50.0)
    assert run.reached and np.linalg.norm(floats(Q) @ run.S) < 1e-6


def test_attracting_heads_have_an_exact_limiting_rank():
    rng = np.random.default_rng(4)
    for d in (3, 4):
        Q, G, W = (rounded(rng.normal(size=s)) for s in ((d // 2, d), (d, d), (d, d)))
        found = limit_rank(-Q, Q, W * W.transpose(), G * G.transpose())
        assert (found.status, found.rank, found.by) == ("rank", d - d // 2, "certificate")
        assert found.certificate.holds and found.conditional.rank() == d - d // 2


def test_a_singular_start_is_not_given_a_rank():
    found = limit_rank([[-1, 0]], [[1, 0]], [[1, 0], [0, 2]], [[1, 1], [1, 1]])
    assert found.status == "undecided" and "[0, 1]" in found.reason


def test_simple_bounds_hold():
    low, high = bounds(np.array([[0.9]]), np.array([[0.7]]), np.array([[0.5]]))
    assert low == pytest.approx(1 / 0.63) and high == pytest.approx(1 / 0.63)
    assert bounds(-np.eye(2), np.eye(2), np.eye(2))[1] == np.inf


def test_misuse_names_the_argument():
    with pytest.raises(ValueError, match="^K"):
        limit_rank([[1, 0]], [[1, 0], [0, 1]], identity(2), identity(2))
    with pytest.raises(ValueError, match="^V"):
        limit_rank([[1, 0]], [[1, 0]], [[1]], identity(2))
    with pytest.raises(ValueError, match="^S0"):
        blow_up_time(identity(2), [[1, 2], [2, 1]], identity(2))
