"""Exact decisions: the kernel says psd or shows a vector, and a page of them is checked again."""

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from numeric.stability.definite import decide, page
from numeric.stability.rational import (
    conditional,
    exact,
    floats,
    identity,
    independent,
    kernel,
    number,
    rounded,
    squares,
    value,
    witness,
)
from symbolic.kernel.check import check
from symbolic.kernel.statement import Certificate, Level


def gram(rng, n, rank):
    G = rounded(rng.normal(size=(n, rank)))
    return G * G.transpose()


def test_squares_add_up_and_witnesses_witness():
    rng = np.random.default_rng(1)
    for n in range(1, 7):
        for rank in range(1, n + 1):
            G = gram(rng, n, rank)
            found = squares(G)
            total = sum((fmpq_mat([[x * y * d for y in row] for x in row]) for d, row in found),
                        G * 0)
            assert total == G and len(found) == rank == G.rank() and witness(G) is None
            bad = G - fmpq_mat([[int(i == j == n - 1) for j in range(n)]
                                for i in range(n)]) * (G[n - 1, n - 1] + 1)
            assert squares(bad) is None and value(bad, witness(bad)) < 0


@pytest.mark.parametrize("rows, psd", [
    ([[0]], True), ([[-1]], False), ([[0, 1], [1, 0]], False), ([[0, 1], [1, 5]], False),
    ([[1, 1], [1, 1]], True), ([[1, 1], [1, "99999999999/100000000000"]], False),
    ([[0, 0, 0], [0, 1, 2], [0, 2, 4]], True), ([[0, 0, 0], [0, 1, 2], [0, 2, 3]], False),
])
def test_edges_of_the_cone_are_decided_by_the_kernel(rows, psd):
    decision = decide(rows)
    assert decision.holds is psd and decision.verdict.level is Level.PROVED


def test_a_large_matrix_is_a_quadratic_form():
    G = gram(np.random.default_rng(2), 10, 7)
    assert decide(G).holds is True
    assert decide(G - identity(10) * fmpq(1, 10**6)).holds is False


def test_a_certificate_of_another_matrix_earns_nothing():
    one, two = decide([[2, 1], [1, 2]]), decide([[2, 1], [1, 3]])
    stolen = Certificate(two.statement.digest, one.certificate.rule, one.certificate.data)
    assert check(two.statement, stolen).level is Level.UNKNOWN


def test_a_page_of_decisions_is_decided_again(tmp_path):
    from proofs.check import check_pages

    rng = np.random.default_rng(3)
    matrices = [gram(rng, n, n - 1) - identity(n) * fmpq(s, 4) for n in (2, 5, 10) for s in (0, 1)]
    claims = [decide(G).claim(f"d.n{k}", "Decided.") for k, G in enumerate(matrices)]
    path = tmp_path / "page.json"
    path.write_text(page("Decisions", claims))
    report = check_pages([path])
    assert not report.pages[0].errors
    assert [f.level for f in report.findings] == ["proved"] * 6


def test_conditional_covariance_and_ranks():
    S, Q = exact([[2, 1, 0], [1, 1, 0], [0, 0, 1]]), exact([[1, 0, 0], [2, 0, 0]])
    assert conditional(S, Q) == fmpq_mat(3, 3, [0, 0, 0, 0, fmpq(1, 2), 0, 0, 0, 1])
    assert independent(Q) == [0] and kernel(Q) == [[0, 1, 0], [0, 0, 1]]
    assert conditional(S, Q * 0) == S


def test_numbers_and_misuse():
    assert number("3/2") == fmpq(3, 2) and number(0.25) == fmpq(1, 4)
    assert number(np.float64(0.5)) == fmpq(1, 2) and floats(exact([[1, 2]])).tolist() == [[1, 2]]
    with pytest.raises(TypeError, match="no rational number"):
        number(1j)
    with pytest.raises(ValueError, match="unlike"):
        exact([[1, 2], [3]])
    with pytest.raises(ValueError, match="not symmetric"):
        decide([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="no finite matrix"):
        rounded([[np.inf]])
