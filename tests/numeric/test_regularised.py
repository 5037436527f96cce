"""Regularised training: the teacher is exact, paths are stationary, verdicts are inequalities."""

from dataclasses import replace
from importlib.util import find_spec

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq

from numeric import train
from numeric.backends import numpy64
from numeric.train import Absent
from numeric.trained import block, diagnosis, inequality, path
from numeric.trained.diagnosis import CONSISTENT, NOT_GLOBAL, STUCK, Sample
from numeric.trained.problem import Problem, squares
from symbolic.kernel.statement import Level
from symbolic.prove import prove

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: "
                                 "pip install 'attnproof[torch]'")
VALUES = path.ladder(1e-2, 1e-5, 4)


def power_model(p):
    """Minimisers of |ab - 1|^p + eps (a^2 + b^2) on a = b, solved at 60 digits, as samples."""
    found = []
    with mpmath.workdps(60):
        for eps in (1e-4, 1e-5, 1e-6):
            # s^2 = 1 - u, and u is where p u^(p-1) = 2 eps.
            u = mpmath.findroot(lambda u, e=eps: p * u ** (p - 1) - 2 * mpmath.mpf(e),
                                (mpmath.mpf("1e-12"), mpmath.mpf("0.9")), solver="bisect",
                                maxsteps=400, verify=False)
            found.append(Sample(eps, arb(str(u**p)), arb(str(2 * (1 - u)))))
    return found


@pytest.mark.parametrize("p", [2, 3, 4, 8])
def test_the_loss_falls_by_p_over_p_minus_1(p):
    samples = power_model(p)
    eps = [s.eps for s in samples]
    losses = [float(s.loss.mid()) for s in samples]
    assert diagnosis.slope(eps, losses) == pytest.approx(p / (p - 1), abs=1e-6)
    told = diagnosis.diagnose(samples, 2)
    # J = 2 eps (1 - u (p-1)/p), a slope 1 up to what u still is.
    assert told.objective_slope == pytest.approx(1, abs=(2e-4) ** (1 / (p - 1)) * 2)
    assert told.verdict == CONSISTENT and not diagnosis.consequences(samples)


def test_a_plateau_is_stuck_and_then_certainly_not_global():
    def plateau(*eps):
        return [Sample(e, fmpq(1, 1000), fmpq(3)) for e in eps]
    assert diagnosis.diagnose(plateau(1e-1, 1e-2, 1e-3), 10).verdict == STUCK
    told = diagnosis.diagnose(plateau(1e-3, 1e-4, 1e-5), 10)
    assert told.verdict == NOT_GLOBAL and told.points == ("", *["above eps |theta*|^2"] * 2)
    assert abs(told.loss_slope) < 1e-9


def test_equality_and_overlapping_balls_certify_nothing():
    exact = Sample(0.25, fmpq(0), fmpq(10))
    assert not diagnosis.above(exact, fmpq(10))
    assert diagnosis.above(exact, fmpq(10) - fmpq(1, 10**30))
    wide = Sample(0.25, arb(1, 2), fmpq(10))
    assert not diagnosis.above(wide, fmpq(10)) and not diagnosis.beaten(wide, exact)
    better = Sample(0.5, fmpq(0), fmpq(9))
    assert diagnosis.beaten(exact, better) and not diagnosis.beaten(better, exact)
    told = diagnosis.diagnose([exact], fmpq(10), [better])
    assert told.points == ("another point is better",) and told.verdict == NOT_GLOBAL


def test_no_slope_is_ever_called_a_proof():
    perfect = [Sample(e, fmpq(0), fmpq(1)) for e in (1e-1, 1e-2)]
    assert diagnosis.diagnose(perfect, 1).verdict == "consistent with global"
    assert {NOT_GLOBAL, CONSISTENT, STUCK} == {"certified not global", "consistent with global",
                                              "stuck"}


def test_what_global_minimisers_cannot_do_is_told():
    rising = [Sample(1e-1, fmpq(1), fmpq(2)), Sample(1e-2, fmpq(2), fmpq(1))]
    assert [line.split(" from")[0] for line in diagnosis.consequences(rising)] == [
        "the loss rises", "|theta| falls"]


def test_the_teacher_is_an_exact_interpolant():
    for problem in (Problem(), Problem(N=2, n=3, d=3, width=2, seed=5)):
        assert problem.P == len(problem.teacher) == block.size(problem.d, problem.width)
        assert problem.loss(problem.teacher).contains(0)
        assert float(problem.loss(problem.teacher).upper()) < 1e-60
        moved = problem.teacher.copy()
        moved[-1] += 1e-3
        assert problem.loss(moved) > 0
        assert float(arb(problem.bound).mid()) == pytest.approx(problem.teacher @ problem.teacher)
    assert Problem().P == 30
    with pytest.raises(ValueError, match="at least 1"):
        Problem(n=0)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_kernel_certifies_that_a_random_point_is_not_global(seed):
    problem = Problem(seed=seed)
    theta = np.random.default_rng(seed).normal(0, 0.5, problem.P)
    statement = inequality.above_bound(problem, theta, 1e-4)
    assert prove(statement, by="enclosure").verdict.level is Level.CERTIFIED
    assert prove(replace(statement, left=statement.right, right=statement.left),
                 by="enclosure").verdict.level is Level.REFUTED


def test_the_inequality_says_no_more_than_is_true():
    """Its right side is at most J, its left is eps B, whatever squares it takes."""
    problem = Problem(N=2, n=2, d=2, width=1)
    theta = np.random.default_rng(3).normal(size=problem.P)
    loss, norm2 = problem.loss(theta), squares(theta)
    for eps in (1e-1, 1e-3, 1e-6):
        statement = inequality.above_bound(problem, theta, eps)
        left, right = (numpy64.compile_term(side, ())({})
                       for side in (statement.left, statement.right))
        assert left == pytest.approx(eps * float(arb(problem.bound).mid()))
        assert left < right <= float((loss + arb(eps) * norm2).mid()) * (1 + 1e-12)


def test_the_kernel_does_not_certify_against_an_interpolant():
    """In float64 its residuals are not quite 0: numbers propose what is false, as J = eps B."""
    problem = Problem()
    statement = inequality.above_bound(problem, problem.teacher, 1e-3)
    assert statement is None or prove(statement, by="enclosure").verdict.level is Level.REFUTED
    assert inequality.above_bound(problem, problem.teacher * 0.999999, 1e-3) is None


def test_the_kernel_is_not_asked_what_is_too_long():
    problem = Problem(n=300)
    assert inequality.above_bound(problem, np.zeros(problem.P), 1e-3) is None


@needs_torch
def test_floats_agree_with_balls():
    import torch
    problem = Problem(N=3, n=4, d=3, width=2)
    theta = np.random.default_rng(0).normal(size=problem.P)
    residual = problem.residual(torch)(torch.tensor(theta)).numpy()
    assert residual @ residual == pytest.approx(float(problem.loss(theta).mid()), rel=1e-13)


@needs_torch
def test_the_regular_case_has_slopes_one_and_two():
    problem = Problem(seed=2)
    points = path.follow(problem, "teacher", 0, VALUES)
    assert [p.eps for p in points] == list(VALUES) and max(p.slope for p in points) < 1e-6
    samples = [Sample(p.eps, problem.loss(p.theta), squares(p.theta)) for p in points]
    low = samples[1:]
    eps = [s.eps for s in low]
    assert 1.5 <= diagnosis.slope(eps, [p.loss for p in points[1:]]) <= 2.1
    objective = [float(arb(s.objective(s.eps)).mid()) for s in low]
    assert 0.95 <= diagnosis.slope(eps, objective) <= 1.02
    assert not any(diagnosis.above(s, problem.bound) for s in samples)
    assert diagnosis.diagnose(samples, problem.bound).verdict == CONSISTENT
    assert not diagnosis.consequences(samples)
    assert path.regularity(problem, points[-1].theta)["nearest kink"] > 1e-3


@needs_torch
def test_zero_is_stationary_for_every_eps():
    points = path.follow(Problem(), "zero", 0, VALUES)
    assert all(p.evaluations == 1 and p.slope == 0 and not any(p.theta) for p in points)


def test_the_zero_network_is_certified_not_global():
    """l(0) = mean |y_j|^2 > 0 = |0|^2, so that J(0) > eps B once eps < l(0)/B."""
    problem, theta = Problem(), np.zeros(Problem().P)
    for eps, above in ((1e-1, False), (1e-3, True)):
        assert diagnosis.above(Sample(eps, problem.loss(theta), squares(theta)),
                               problem.bound) == above


@needs_torch
def test_a_stopped_path_goes_on_as_if_it_never_stopped(tmp_path):
    problem, store, seen = Problem(N=2, n=3, width=2), tmp_path / "a" / "path.json", []
    whole = path.follow(problem, "warm", 1, VALUES)

    def stop(k, loss):
        seen.append(k)
        if k == 2:
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        path.follow(problem, "warm", 1, VALUES, store, stop)
    again = path.follow(problem, "warm", 1, VALUES, store, lambda k, loss: seen.append(k))
    assert again == whole and seen == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="needed that of"):
        path.follow(problem, "warm", 2, VALUES, store)


def test_misuse(monkeypatch):
    with pytest.raises(ValueError, match="three or more"):
        path.ladder(1e-6, 1e-1, 5)
    with pytest.raises(ValueError, match="needed one of teacher, warm, cold, zero"):
        path.start(Problem(), "lukewarm", 0)
    monkeypatch.setattr(train, "find_spec", lambda name: None)
    with pytest.raises(Absent, match=r"attnproof\[torch\]"):
        path.follow(Problem(), "warm", 0, VALUES)
