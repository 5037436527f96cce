"""Gaussian laws under attention: printed cases, sampling, conservation, bounds, blow-up, misuse.

T1 to T11 are the test cases of the derivations (exact, or to the digits shown); C and S numbers are
those of the claims in `proofs/claims/gaussian_*`.
"""

from dataclasses import replace

import numpy as np
import pytest

from numeric import energy, gaussian, solve
from numeric.flow import Model, by_score, field
from numeric.law import root
from numeric.model import at, score
from numeric.slopes import slope
from tests.tilting import tilted

S1, A1, V1 = [[2, 1], [1, 1]], [[1, 2], [0, 1]], [[0, 1], [-1, 1]]
CLOSED = ("softmax", "l2", "linear", "sinkhorn", "multihead")


def law(rng, d=3, size=0.5):
    G = rng.normal(size=(d, d))
    return rng.normal(size=d) * size, size * (G @ G.T / d + 0.1 * np.eye(d))


def model(variant, rng, d=3, k=2, size=0.5):
    shape = (2,) if variant == "multihead" else ()
    return Model(variant, *(size * rng.normal(size=(*shape, rows, d)) for rows in (k, k, d)), 0.8)


def test_t1_field_and_mean_of_softmax():
    m = by_score("softmax", A1, V1)
    b, B = gaussian.velocity(m, (1, 0), S1)
    assert (b + B @ [0, 1]).tolist() == [4, -4] and b.tolist() == [1, -2]
    wrong = by_score("softmax", np.transpose(A1), V1)         # A' for A
    b, B = gaussian.velocity(wrong, (1, 0), S1)
    assert (b + B @ [0, 1]).tolist() == [4, -2]


def test_t2_rate_of_the_covariance():
    rate = gaussian.rates(by_score("softmax", A1, V1), None, S1)[1]
    assert rate.tolist() == [[10, 0], [0, -6]]
    S, A, V = map(np.array, (S1, A1, V1))
    assert (V @ S @ A @ S + S @ A @ S @ V.T).tolist() == [[12, 2], [0, -4]]    # A for A'


def test_t3_blow_up_at_one_with_nonsymmetric_scores():
    m = by_score("softmax", [[0, 1], [0, 0]], np.eye(2))
    t = np.array([0.25, 0.5, 0.75])
    wanted = np.array([[[1, s], [s, 1]] / (1 - s * s) for s in t])
    exact = gaussian.closed(m, None, np.eye(2), t)
    np.testing.assert_allclose(exact.covariances, wanted, rtol=1e-14)
    run = gaussian.integrate(m, None, np.eye(2), 2.0)
    np.testing.assert_allclose(run.blow_up, 1, rtol=1e-9)
    np.testing.assert_allclose(gaussian.integrate(m, None, np.eye(2), 0.75, t).covariances, wanted,
                               rtol=1e-9)


def both(m, mean, S, t):
    """Mean and variance at time t at d = 1: on paper, after checking that the solver agrees."""
    exact, run = gaussian.closed(m, mean, S, t), gaussian.integrate(m, mean, S, t, 1)
    np.testing.assert_allclose(run.means, exact.means, rtol=1e-9)
    np.testing.assert_allclose(run.covariances, exact.covariances, rtol=1e-9)
    return exact.means[-1, 0], exact.covariances[-1, 0, 0]


def test_t4_softmax_on_the_line():
    m, end = by_score("softmax", 0.9, 0.7), 1 / 0.63
    mean, S = both(m, 1.3, 0.5, 0.6 * end)
    assert f"{mean:.10f}" == "4.0035292999" and abs(S - 1.25) < 1e-14
    assert abs(gaussian.integrate(m, 1.3, 0.5, 3).blow_up / end - 1) < 1e-9
    assert abs(gaussian.closed(m, 1.3, 0.5, [0, 3]).blow_up - end) < 1e-15


def test_t5_l2_on_the_line():
    S = both(Model("l2", 1.1, 0.8, 0.7), 1.3, 0.5, 2)[1]
    assert f"{S:.10f}" == "5.6548250478"
    assert 0.5 * np.exp(2 * 0.7 * 1.1 * 2 / 0.8) > S and f"{0.5 * np.exp(3.85):.4f}" == "23.4965"


def test_t6_l2_blows_up_without_injective_keys():
    m, S0 = Model("l2", [[0, 1]], [[1, 0]], np.diag([0, 1])), [[1, 0.5], [0.5, 1]]
    half = gaussian.integrate(m, None, S0, 1.5, 1).covariances[-1]
    np.testing.assert_allclose(half, [[1, 1], [1, 4]], rtol=1e-9)
    run = gaussian.integrate(m, None, S0, 4)
    assert run.status == "blow_up" and abs(run.blow_up - 3) < 1e-8
    injective = Model("l2", [[0, 1], [0, 0]], np.diag([1, 0.05]), np.diag([0, 1]))
    assert gaussian.integrate(injective, None, S0, 6).status == "reached"


def test_t7_sinkhorn_on_the_line():
    mean, S = both(by_score("sinkhorn", 1, 1), 1.3, 0.5, 1.5)
    assert f"{S:.8f}" == "3.42815081" and f"{mean:.11f}" == "5.82619579144"
    rate = gaussian.rates(by_score("sinkhorn", 1, 1), 0, 0.5)[1]
    assert abs(rate[0, 0] - (np.sqrt(2) - 1)) < 1e-15


def test_t8_linear_on_the_line():
    mean, S = both(by_score("linear", 0.9, 0.7), 1.3, 0.5, 0.2)
    assert f"{S + mean**2:.10f}" == "4.8870838168" and f"{mean**2:.10f}" == "3.7713112559"


def test_t10_the_condition_on_va_alone_does_not_bound_s():
    V, A = np.array([[1, 1], [0, 0.5]]), np.array([[3, 4], [-4, -2]])
    assert (V @ A + A.T @ V.T).tolist() == [[-2, 0], [0, -2]]
    m = by_score("softmax", A, V)
    assert gaussian.closed(m, None, np.diag([1, 0]), [0.1]) is None
    run = gaussian.integrate(m, None, np.diag([1, 0]), 0.1, [0.05, 0.1])
    np.testing.assert_allclose(run.covariances[:, 0, 0], 1 / (1 - 6 * run.times), rtol=1e-9)
    for S0, end, digits in ((np.diag([1, 0]), 1 / 6, 1e-9), (np.diag([1, 0.01]), 0.16756, 5e-6),
                            ([[1, 0.3], [0.3, 0.5]], 0.18190, 5e-6)):
        assert abs(gaussian.integrate(m, None, S0, 1).blow_up - end) < digits
    still = gaussian.integrate(m, None, np.eye(2), 5)
    assert still.status == "reached" and np.trace(still.covariances[-1]) < 1


def test_t11_l2_in_the_plane():
    m = Model("l2", [[1, 1], [0, 1]], [[1, 0], [1, 1]], V1)
    b, rate = gaussian.rates(m, (1, 0), S1)
    np.testing.assert_allclose(19 * b, [-8, -21], rtol=1e-13)
    np.testing.assert_allclose(19 * rate, [[4, -24], [-24, -36]], rtol=1e-12)
    S, K, A, V = (np.array(x, dtype=float) for x in (S1, m.K, score(m), V1))
    D = 2 * V @ np.linalg.inv(np.linalg.inv(S) + K.T @ K) @ A @ S     # the lost 2
    np.testing.assert_allclose(3 * (D + D.T), [[4, -4], [-4, -8]], atol=1e-12)


def test_sinkhorn_coupling_solves_its_equation_for_singular_matrices():
    rng = np.random.default_rng(0)
    for rank in (1, 2, 3):
        G = rng.normal(size=(3, rank))
        S, A, eps = G @ G.T, np.diag([1.0, 2, 0]) @ rng.normal(size=(3, 3)), 0.7
        T = gaussian.coupling(A, S, eps)
        np.testing.assert_allclose(T @ A.T @ S @ A @ T + eps * T, S, atol=1e-12)
        assert np.linalg.eigvalsh(T)[0] > -1e-14
        C = T @ A.T @ S
        B = gaussian.velocity(by_score("sinkhorn", A, np.eye(3), eps), None, S)[1]
        np.testing.assert_allclose(S @ B.T, C, atol=1e-12)     # B = C' S^{-1} on the support


def test_sinkhorn_tends_to_softmax_as_eps_grows():
    mean, S = law(np.random.default_rng(1))
    A, V = np.random.default_rng(2).normal(size=(2, 3, 3))
    wanted = gaussian.velocity(by_score("softmax", A, V), mean, S)[1]
    gaps = [np.abs(e * gaussian.velocity(by_score("sinkhorn", A, V, e), mean, S)[1] - wanted).max()
            for e in (10.0, 100.0, 1000.0)]
    assert gaps[0] > 50 * gaps[1] > 2500 * gaps[2]             # like 1/eps^2


@pytest.mark.parametrize("variant", ["softmax", "l2", "linear", "multihead"])
def test_velocity_is_the_field_of_a_tilted_sample(variant):
    rng = np.random.default_rng(3)
    mean, S = law(rng)
    m = model(variant, rng)
    b, B = gaussian.velocity(m, mean, S)
    for x in rng.normal(size=(3, 3)):
        sampled, error, y = tilted(m, mean, S, x, rng, 100_000)
        np.testing.assert_allclose(field(m, x[None], y)[0], sampled, rtol=1e-10, atol=1e-12)
        assert np.all(np.abs(b + B @ (x - mean) - sampled) < 5 * error)
        assert error.max() < 0.02


def test_sinkhorn_velocity_is_that_of_particles():
    """n tokens have a bias of order 1/n, which two sizes remove; then 5 standard errors."""
    rng = np.random.default_rng(4)
    mean, S = law(rng, 2)
    m = model("sinkhorn", rng, 2, size=0.8)
    b, B = gaussian.velocity(m, mean, S)
    slopes = {n: [] for n in (150, 300)}
    for n in 24 * tuple(slopes):
        x = rng.normal(size=(n, 2))
        x -= x.mean(0)
        x = mean + x @ np.linalg.inv(root(np.cov(x.T, bias=True))) @ root(S)  # exact moments
        moved = field(m, x, x)
        np.testing.assert_allclose(moved.mean(0), b, atol=1e-11)
        slopes[n].append(np.linalg.lstsq(x - mean, moved - moved.mean(0))[0].T)
    few, many = (np.array(slopes[n]) for n in (150, 300))
    error = np.sqrt((few.var(0) + 4 * many.var(0)) / 24)
    assert np.all(np.abs(2 * many.mean(0) - few.mean(0) - B) < 5 * error)
    assert error.max() < 5e-3 * np.abs(B).max()


@pytest.mark.parametrize("variant", CLOSED)
def test_conditional_covariance_is_conserved(variant):
    """C6, with K and V that move in time: only Q has to stand still."""
    rng = np.random.default_rng(5)
    mean, S = law(rng, 4)
    still = model(variant, rng, 4, k=1)
    moving = replace(still, K=lambda t: (1 + t) * still.K, V=lambda t: np.cos(t) * still.V)
    before = gaussian.conditional(S, still.Q)
    for m in (still, moving):
        run = gaussian.integrate(m, mean, S, 0.8, 9)
        assert run.status == "reached" and np.abs(run.covariances[-1] - S).max() > 0.02
        for C in run.covariances:
            assert np.abs(gaussian.conditional(C, still.Q) - before).max() < 1e-9
    turning = replace(still, Q=lambda t: np.roll(still.Q, 1, axis=-1) * t + still.Q)
    after = gaussian.integrate(turning, mean, S, 0.8, 1).covariances[-1]
    last = at(turning, 0.8).Q
    assert np.abs(gaussian.conditional(after, last) - gaussian.conditional(S, last)).max() > 1e-5


@pytest.mark.parametrize("variant", CLOSED)
def test_change_of_basis(variant):
    """S11: x -> Gx carries solutions to solutions with Q, K -> QG^{-1}, KG^{-1}, V -> GVG^{-1}."""
    rng = np.random.default_rng(6)
    mean, S = law(rng)
    m, G = model(variant, rng), rng.normal(size=(3, 3)) + 2 * np.eye(3)
    back = np.linalg.inv(G)
    turned = Model(variant, m.Q @ back, m.K @ back, G @ m.V @ back, m.eps)
    here = gaussian.integrate(m, mean, S, 0.5, 3)
    there = gaussian.integrate(turned, G @ mean, _symmetric(G @ S @ G.T), 0.5, 3)
    np.testing.assert_allclose(there.means, here.means @ G.T, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(there.covariances, G @ here.covariances @ G.T, rtol=1e-7, atol=1e-8)


def _symmetric(S):
    return (S + S.T) / 2


def test_c9_bounds_on_the_blow_up_time():
    """lower 1/(2|V||A||S0|), upper |w|^2/(2 lam a w'S0w) for w'V = lam w', sym A >= a > 0.

    200 cases: `python -m tests.meanfield`.
    """
    rng, found = np.random.default_rng(7), 0
    while found < 60:
        d = int(rng.integers(1, 5))
        a, G, skew, V, H = rng.uniform(0.2, 1), *rng.normal(size=(4, d, d))
        A, S = a * np.eye(d) + G @ G.T / d + skew - skew.T, H @ H.T / d + 0.05 * np.eye(d)
        values, left = np.linalg.eig(V.T)
        real = [i for i in range(d) if values[i].imag == 0 and values[i].real > 0.05]
        if not real:
            continue
        least = min(np.linalg.norm(w) ** 2 / (2 * lam * a * w @ S @ w)
                    for lam, w in ((values[i].real, left[:, i].real) for i in real))
        run = gaussian.integrate(by_score("softmax", A, V), None, _symmetric(S), 1.01 * least, 1,
                                 rtol=1e-8)
        low = 1 / (2 * np.linalg.norm(V, 2) * np.linalg.norm(A, 2) * np.linalg.norm(S, 2))
        assert run.status == "blow_up" and np.isfinite(run.covariances).all()
        assert low * (1 - 1e-6) <= run.blow_up <= least * (1 + 1e-6)
        found += 1


def test_c5_the_integrated_blow_up_is_that_of_the_closed_form():
    """20 random cases, V = 1 or V commuting with S0 and N = VA + A'V': within 1e-6.

    Off the common basis errors grow like (T* - t)^{-p}, p = (v_i + v_j)/(2 v_i) for the v_i that
    blows up: for p <= 2 rounding stays small to the end; for large p see the next test.
    """
    rng, found = np.random.default_rng(12), 0
    while found < 20:
        d = int(rng.integers(1, 6))
        A, G = rng.normal(size=(2, d, d))
        S, V = _symmetric(G @ G.T / d), np.eye(d)
        if found % 2:
            U = np.linalg.qr(A)[0]
            a, v, s = *rng.normal(size=(2, d)), rng.random(d)
            first = v[np.argmax(v * a * s)]
            if ((first + v) / (2 * first)).max() > 2:
                continue
            A, V, S = ((U * w) @ U.T for w in (a, v, s))
        exact = gaussian.closed(by_score("softmax", A, V), None, _symmetric(S), [0, 1e3])
        if exact.status == "blow_up":
            run = gaussian.integrate(by_score("softmax", A, V), None, _symmetric(S), 1e3, 1)
            assert abs(run.blow_up / exact.blow_up - 1) < 1e-6
            found += 1


def test_a_commuting_blow_up_may_be_undone_by_the_smallest_rotation():
    """V = diag(1, 19), A = diag(1, -1), S0 = 1/2: S11 = 1/(2 - 2t), but only on the diagonal."""
    m = by_score("softmax", np.diag([1, -1]), np.diag([1, 19]))
    assert abs(gaussian.closed(m, None, np.eye(2) / 2, [0, 10]).blow_up - 1) < 1e-15
    run = gaussian.integrate(m, None, np.eye(2) / 2, 10, 1, method="LSODA")
    assert run.status == "blow_up" and abs(run.blow_up - 1) < 1e-6
    for turn in (1e-9, 1e-6):
        run = gaussian.integrate(m, None, [[0.5, turn], [turn, 0.5]], 10, 1, method="LSODA")
        assert run.status == "reached" and np.trace(run.covariances[-1]) < 100


def test_stiffness_ends_as_a_failure_that_advises(monkeypatch):
    monkeypatch.setattr(solve, "MOST", 2000)
    m = by_score("softmax", np.diag([1, -1]), np.diag([1, 3]))
    run = gaussian.integrate(m, None, [[0.5, 1e-6], [1e-6, 0.5]], 1e3, 5)
    assert run.status == "failed" and "try LSODA" in run.note and run.blow_up is None
    assert np.isfinite(run.covariances).all()


@pytest.mark.parametrize("seed", range(5))
def test_c4_and_c10_bound_the_growth(seed):
    rng = np.random.default_rng(seed)
    Q, K, V, G = rng.normal(size=(4, 3, 3))
    S = _symmetric(G @ G.T)
    for variant, pace in (("sinkhorn", 2 * np.linalg.norm(V, 2)), (
            "l2", 2 * np.linalg.norm(V, 2) * np.linalg.norm(Q, 2)
            / np.linalg.svd(K)[1][-1])):
        run = gaussian.integrate(Model(variant, Q, K, V), None, S, 2.0, 11)
        assert run.status == "reached"
        for t, C in zip(run.times, run.covariances, strict=True):
            assert np.log(np.linalg.norm(C, 2) / np.linalg.norm(S, 2)) <= pace * t + 1e-9


def test_exponential_growth_is_no_blow_up():
    run = gaussian.integrate(by_score("sinkhorn", 1, 1), None, 0.5, 40)
    assert run.status == "reached" and run.covariances[-1, 0, 0] > 1e30
    run = gaussian.integrate(by_score("sinkhorn", 1, 1), None, 0.5, 400)
    assert run.status == "failed" and "without the signature of a blow-up" in run.note
    assert np.isfinite(run.covariances).all() and run.blow_up is None


def test_a_horizon_just_before_the_blow_up_is_reached():
    m = by_score("softmax", 0.5, 1)                            # S = 1/(1 - t)
    run = gaussian.integrate(m, None, 1, 1 - 1e-9, 1)
    assert run.status == "reached" and run.blow_up is None
    # An error of 1e-11 in the blow-up time, the solver's, is 1e-2 of the time that is left.
    np.testing.assert_allclose(run.covariances[-1, 0, 0] * 1e-9, 1, rtol=0.1)


def test_after_a_blow_up_the_last_time_and_no_infinities():
    run = gaussian.integrate(by_score("softmax", 0.5, 1), 0.3, 1, 5, 11)
    assert run.status == "blow_up" and abs(run.blow_up - 1) < 1e-9
    assert run.times[:3].tolist() == [0, 0.5, run.times[2]] and 0.99 < run.times[2] < 1
    assert np.isfinite(run.covariances).all() and np.isfinite(run.means).all()
    exact = gaussian.closed(by_score("softmax", 0.5, 1), 0.3, 1, np.linspace(0, 5, 11))
    assert exact.times.tolist() == [0, 0.5] and exact.status == "blow_up" and exact.blow_up == 1


def test_a_run_ends_where_it_settles():
    m = by_score("softmax", -1, 1)                             # S = 1/(1 + 2t)
    run = gaussian.integrate(m, None, 1, 1e6, 5, settle=1e-3)
    assert run.status == "settled" and abs(run.covariances[-1, 0, 0] - 5e-4) < 1e-9
    assert abs(run.times[-1] - 999.5) < 1e-3
    assert gaussian.integrate(m, None, 0, 1, settle=1e-3).status == "settled"


def test_closed_forms_where_v_commutes_or_scores_have_rank_one():
    rng = np.random.default_rng(8)
    mean, S = law(rng)
    A, V = rng.normal(size=(2, 3, 3))
    U, q = np.linalg.qr(A)[0], rng.normal(size=(1, 3))
    D, E, F = ((U * rng.random(3)) @ U.T for _ in range(3))
    cases = {
        "V = 1": (by_score("softmax", A, np.eye(3)), mean, S, False),
        "V = 1, symmetric A": (by_score("softmax", -A @ A.T, 1.3 * np.eye(3)), mean, S, True),
        "commuting": (by_score("softmax", -D, E), mean, _symmetric(F), True),
        "singular": (by_score("softmax", A + A.T, np.eye(3)), mean, np.outer(q, q), True),
        "linear": (by_score("linear", -A @ A.T, np.eye(3)), mean, S, True),
        "rank one": (Model("softmax", q, -q, V), None, S, True),
        "rank one, growing": (Model("softmax", q, q, V), None, S, True),
    }
    for name, (m, start, S0, knows_mean) in cases.items():
        exact = gaussian.closed(m, start, S0, np.linspace(0, 0.05, 4))
        run = gaussian.integrate(m, start, S0, 0.05, 4, rtol=1e-12)
        assert exact.status == "reached", name
        np.testing.assert_allclose(exact.covariances, run.covariances, rtol=1e-10, atol=1e-12,
                                   err_msg=name)
        assert (exact.means is not None) == knows_mean, name
        if knows_mean:
            np.testing.assert_allclose(exact.means, run.means, rtol=1e-10, atol=1e-12, err_msg=name)
    assert gaussian.closed(by_score("softmax", A, V), None, S, [1.0]) is None
    assert gaussian.closed(replace(cases["V = 1"][0], V=lambda t: np.eye(3)), None, S, [1]) is None
    blown = Model("softmax", [[1.0, 0]], [[1.0, 0]], np.eye(2))
    ends = (gaussian.closed(blown, None, np.eye(2), [2.0]).blow_up,
            gaussian.integrate(blown, None, np.eye(2), 2.0).blow_up)
    np.testing.assert_allclose(ends, 0.5, rtol=1e-9)


@pytest.mark.parametrize("variant", ["softmax", "l2"])
def test_rank_of_the_limit_is_that_of_the_conserved_part(variant):
    """K = -Q, V > 0: QS -> 0 and S -> at least S_{|Q}, rank d - rank Q; its smallest eigenvalues
    may be far below any absolute cut-off."""
    rng = np.random.default_rng(9)
    for d, rank in ((3, 2), (4, 2), (5, 3)):
        Q, W, G = rng.normal(size=(d // 2, d)), *rng.normal(size=(2, d, d))
        S = _symmetric(G @ G.T)
        run = gaussian.integrate(Model(variant, Q, -Q, W.T @ W), None, S, 1e4, 1, method="LSODA",
                                 rtol=1e-8)
        left = gaussian.conditional(S, Q)
        assert np.linalg.matrix_rank(left, hermitian=True, tol=1e-9) == rank
        end = run.covariances[-1]
        assert np.linalg.norm(Q @ end) < 1e-2 * np.linalg.norm(Q @ S)
        assert np.linalg.eigvalsh(end - left)[0] > -1e-6


def test_c4_sinkhorn_descends_its_energy_at_the_rate_of_its_dissipation():
    rng = np.random.default_rng(10)
    for d in (1, 2, 3):
        mean, S = law(rng, d)
        A = _symmetric(rng.normal(size=(d, d)))
        there, back = by_score("sinkhorn", A, A, 0.7), by_score("sinkhorn", A, -A, 0.7)

        def along(h, there=there, back=back, mean=mean, S=S):
            run = gaussian.integrate(there if h >= 0 else back, mean, S, abs(h), 1, rtol=1e-13)
            return energy.gaussian_energy(there, run.means[-1], run.covariances[-1])
        assert abs(slope(along, [0.1], 1e-12)[0] + energy.dissipation(there, mean, S)) < 1e-8
        assert energy.dissipation(there, mean, S) > 1e-2
    degenerate = energy.gaussian_energy(by_score("sinkhorn", np.eye(2), np.eye(2)), None,
                                        np.diag([1.0, 0]))
    line = energy.gaussian_energy(by_score("sinkhorn", 1, 1), None, 1)
    assert abs(degenerate - line) < 1e-14


GOOD = {"variant": "softmax", "Q": np.eye(2), "K": np.eye(2), "V": np.eye(2), "eps": 1.0,
        "mean": np.zeros(2), "S": np.eye(2), "horizon": 1.0, "samples": 3}
BAD = {  # what the message must say -> what is handed in
    "Model: variant: found 'sofmax'": {"variant": "sofmax"},
    "Model: K: found shape .1, 2., Q has": {"K": np.ones((1, 2))},
    "Model: V: found shape .2, 3.": {"V": np.ones((2, 3))},
    "Model: V: found shape .3, 3.; needed .2, 2.": {"V": np.eye(3)},
    "Model: Q: found nan or inf": {"Q": [[np.nan, 0], [0, 1]]},
    "Model: K: found nan or inf": {"K": [[np.inf, 0], [0, 1]]},
    "Model: Q: found .*words": {"Q": "words"},
    "Model: Q: found shape .2, 2, 2.; needed one matrix": {"Q": np.ones((2, 2, 2))},
    "Model: Q, K, V: found": {"variant": "multihead"},
    "Model: eps: found 0": {"eps": 0},
    "Model: eps: found -1": {"eps": -1.0},
    "Model: eps: found nan": {"eps": float("nan")},
    "gaussian: mean: found shape .3,.": {"mean": np.zeros(3)},
    "gaussian: mean: .* nan or inf": {"mean": [np.nan, 0]},
    "gaussian: S: found shape .3, 3.": {"S": np.eye(3)},
    "gaussian: S: .* nan or inf": {"S": [[np.inf, 0], [0, 1]]},
    "gaussian: S: found an asymmetry of 1.00e-06": {"S": [[1, 1e-6], [0, 1]]},
    "gaussian: S: found the eigenvalue -0.5": {"S": np.diag([1, -0.5])},
    "integrate: horizon: found -1": {"horizon": -1.0},
    "integrate: horizon: found nan": {"horizon": float("nan")},
    "integrate: horizon: found inf": {"horizon": float("inf")},
    "integrate: samples: found 0": {"samples": 0},
    "integrate: samples: found .0.5, 0.2": {"samples": [0.5, 0.2]},
    "gaussian: variant: found 'sigmoid'": {"variant": "sigmoid"},
    "gaussian: variant: found 'hardmax'": {"variant": "hardmax"},
}


@pytest.mark.parametrize("message", BAD)
def test_misuse_names_the_argument(message):
    g = {**GOOD, **BAD[message]}
    with pytest.raises(ValueError, match=message) as fault:
        gaussian.integrate(Model(*(g[k] for k in ("variant", "Q", "K", "V", "eps"))),
                           g["mean"], g["S"], g["horizon"], g["samples"])
    assert "needed" in str(fault.value) and ": " in str(fault.value)


def test_rounding_is_no_asymmetry_and_singular_laws_are_welcome():
    for variant in CLOSED:
        m = model(variant, np.random.default_rng(11))
        S = np.zeros((3, 3))
        S[0, 0], S[0, 1], S[1, 0] = 1, 1e-14, 0
        b, B = gaussian.velocity(m, None, S)
        assert np.isfinite(b).all() and np.isfinite(B).all()
        run = gaussian.integrate(m, [1, 0, 0], np.zeros((3, 3)), 0.3, 2)   # a Dirac mass
        assert run.status == "reached" and not run.covariances.any()
    with pytest.raises(ValueError, match="by_score: variant: found 'l2'"):
        by_score("l2", 1, 1)
