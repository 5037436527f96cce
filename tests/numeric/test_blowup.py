"""Blow-up times in closed form: both ends are kernel decisions, and integration agrees."""

import numpy as np
import pytest
from flint import fmpq
from scipy.integrate import solve_ivp

from numeric.stability.blowup import blow_up_time
from numeric.stability.definite import page
from numeric.stability.rational import floats, identity, is_psd, rounded


def real(x):
    return int(x.p) / int(x.q)


def integrated(A, S0, V, trace=1e8):
    """The time at which an integrated trace passes 1e8, plus what is left to the pole."""
    d = len(A)

    def rate(_, s):
        S = s.reshape(d, d)
        B = V @ S @ A @ S
        return (B + B.T).ravel()

    def passed(_, s):
        return np.trace(s.reshape(d, d)) - trace

    passed.terminal = True
    run = solve_ivp(rate, (0, 1e3), S0.ravel(), method="DOP853", rtol=1e-11, atol=1e-13,
                    events=passed)
    growth = rate(0, run.y[:, -1]).reshape(d, d).trace() / trace**2
    return run.t[-1] + 1 / (growth * trace)


def test_the_spec_s_case():
    found = blow_up_time([[0, 1], [0, 0]], identity(2))     # T3: T* = 1
    assert found.holds and found.low <= 1 <= found.high
    assert found.high - found.low <= fmpq(1, 10**10)


@pytest.mark.parametrize("seed", range(4))
def test_enclosures_hold_the_integrated_event(seed):
    rng = np.random.default_rng(seed)
    d = 2 + seed % 3
    A, G = rounded(rng.normal(size=(d, d))), rounded(rng.normal(size=(d, d - seed % 2)))
    S0 = G * G.transpose()
    found = blow_up_time(A, S0)
    assert found.holds and found.high <= found.low * (1 + fmpq(1, 10**10))
    seen = integrated(floats(A), floats(S0), np.eye(d))
    assert abs(seen / real(found.low) - 1) < 1e-6     # the integrator's own accuracy


def test_a_commuting_value_matrix():
    V, S0 = identity(3) * 2, identity(3)
    A = rounded(np.random.default_rng(5).normal(size=(3, 3)))
    found = blow_up_time(A, S0, V)
    same = blow_up_time(A * 2, S0)
    assert found.holds and max(found.low, same.low) <= min(found.high, same.high)
    with pytest.raises(ValueError, match="commute"):
        blow_up_time(A, S0, [[1, 1, 0], [0, 1, 0], [0, 0, 1]])


def test_never():
    found = blow_up_time([[-3, 1], [0, -4]], [[1, 0], [0, 0]])
    assert found.holds and found.high is None and found.claims("x")[0].name == "x.never"
    assert blow_up_time([[1]], [[0]]).high is None


def test_both_ends_are_checked_again_on_a_page(tmp_path):
    from proofs.check import check_pages

    found = blow_up_time([[1, 2], [0, 1]], [[2, 1], [1, 1]])
    path = tmp_path / "page.json"
    path.write_text(page("Blow-up", found.claims("t")))
    assert [f.level for f in check_pages([path]).findings] == ["proved", "proved"]


def test_misuse_names_the_argument():
    with pytest.raises(ValueError, match="^S0"):
        blow_up_time([[1]], [[-1]])
    with pytest.raises(ValueError, match="^S0"):
        blow_up_time(identity(2), [[1, 1], [0, 1]])
    with pytest.raises(ValueError, match="^V"):
        blow_up_time([[1]], [[1]], [[1, 2]])
    assert is_psd(identity(2))
