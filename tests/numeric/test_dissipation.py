"""Linear certificates of boundedness: accepted exactly, or honestly not found."""

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from numeric.stability.definite import decide, page
from numeric.stability.dissipation import dissipation, lyapunov
from numeric.stability.lmi import Block, feasible, fits, solved
from numeric.stability.rational import exact, floats, identity, rounded


def softmax_rate(A, V, S):
    B = V @ S @ A @ S
    return B + B.T


def test_the_bare_condition_gets_no_certificate():
    # C8: V A + A^T V^T = -2 I, and S0 = diag(1, 0) blows up at 1/6
    assert dissipation([[3, 4], [-4, -2]], [[1, 1], [0, "1/2"]]) is None


@pytest.mark.parametrize("d", [2, 3, 4])
def test_attracting_heads_with_positive_values(d):
    rng = np.random.default_rng(d)
    Q, W = rounded(rng.normal(size=(d // 2, d)), 10), rounded(rng.normal(size=(d, d)), 10)
    V = W * W.transpose()                       # feasible on the boundary only
    found = dissipation(-Q.transpose() * Q, V, Q)
    assert found.holds
    G = rng.normal(size=(d, d))
    S, P = G @ G.T, floats(found.P)
    rate = np.trace(P @ softmax_rate(floats(found.A), floats(V), S))
    assert rate <= -np.linalg.norm(floats(Q) @ S) ** 2 * (1 - 1e-9)


def test_values_that_are_stable_but_not_symmetric():
    Q, V = exact([[1, 2, 0]]), exact([[1, 5, 0], [0, 1, 0], [0, -3, 2]])    # not symmetric > 0
    found = dissipation(-Q.transpose() * Q, V, Q)
    assert found is not None and found.holds and decide(V + V.transpose()).holds is False


def test_minors_find_what_the_plain_inequality_misses():
    rng, both, needed = np.random.default_rng(0), 0, 0
    for _ in range(60):
        A, V = (rounded(rng.normal(size=(2, 2)), 10) for _ in "AV")
        found = dissipation(A, V)
        if found is not None:
            assert found.holds
            both += 1
            needed += not decide(_plain(A, V, found.P)).holds
    assert both >= 3 and needed >= 1     # not empty


def _plain(A, V, P):
    """The form X -> -2 tr(P V X A X) without minors, in x11, x12, x22."""
    units = [exact(u) for u in ([[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]])]
    table = [[-(P * V * x * A * y + P * V * y * A * x) for y in units] for x in units]
    return fmpq_mat([[g[0, 0] + g[1, 1] for g in row] for row in table])


def test_a_certificate_is_checked_again_on_a_page(tmp_path):
    from proofs.check import check_pages

    found = dissipation([["-1/2", "11/10"], ["-13/10", "-4/5"]], [["6/5", "1/2"], ["-1/5", 1]])
    assert found.holds
    path = tmp_path / "page.json"
    path.write_text(page("Bounded", found.claims("b")))
    report = check_pages([path])
    assert not report.pages[0].errors
    assert [f.level for f in report.findings] == ["proved"] * 3


def test_lyapunov_equations_are_solved_exactly():
    V = exact([[-1, 5], [0, -2]])
    P = lyapunov(V)
    assert V.transpose() * P + P * V == -identity(2) and decide(P).holds is True
    assert decide(lyapunov([[1, 0], [0, -3]])).holds is False       # not Hurwitz
    assert lyapunov([[0, 1], [-1, 0]]) is None                      # singular equation


def test_faces_are_found_exactly():
    # only p = (1/3, 2/3) makes both blocks psd: there is no interior to round in
    zero = fmpq(0)
    one = Block(exact([[0, "-1/3"], ["-1/3", 0]]),
                (exact([[0, 1], [1, 0]]), exact([[1, 0], [0, 1]])))
    two = Block(exact([["2/3"]]), (exact([[0]]), exact([[-1]])))
    low = Block(exact([["-2/3"]]), (exact([[0]]), exact([[1]])))
    flat = Block(exact([[0, "-1/3"], ["-1/3", 0]]), (exact([[0, 1], [1, 0]]), fmpq_mat(2, 2)))
    p = feasible([one, two, low, flat])
    assert p == [fmpq(1, 3), fmpq(2, 3)] and fits([one, two, low, flat], p)
    assert feasible([Block(exact([[-1]]), (exact([[0]]),))]) is None
    assert feasible([low], [[zero, fmpq(7)]]) == [0, 7]


def test_linear_equations_and_misuse():
    x, free = solved(exact([[1, 1]]), [fmpq(2)])
    assert x.entries() == [2, 0] and free.entries() == [-1, 1]
    assert solved(exact([[1], [1]]), [fmpq(1), fmpq(2)]) is None
    with pytest.raises(ValueError, match="blocks"):
        feasible([])
    with pytest.raises(ValueError, match="needed"):
        dissipation(identity(2), identity(3))
