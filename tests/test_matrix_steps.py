"""Steps between matrices of symbolic size: the true ones are proved, the near-misses refuted."""

import pytest

from symbolic.kernel.statement import Level
from symbolic.prove import prove
from tests import material

TRUE = [(c.name, s) for c, steps in material.data_steps("matrix_steps.toml") for s in steps]
FALSE = [(c.name, steps) for c, steps in material.data_steps("matrix_false.toml")]


@pytest.mark.parametrize(("name", "step"), TRUE, ids=[n for n, _ in TRUE])
def test_true_steps_are_proved_with_nothing_left_open(name, step):
    """S1-S14 of the Gaussian theory and the identities around them."""
    verdict = prove(step).verdict
    assert verdict.level is Level.PROVED, verdict.note
    assert not verdict.where


@pytest.mark.parametrize(("name", "steps"), FALSE, ids=[n for n, _ in FALSE])
def test_near_misses_fall_to_matrices(name, steps):
    """A lost transpose, a wrong order, a lost factor: some admissible matrices refute it."""
    levels = [prove(s).verdict.level for s in steps]
    assert Level.REFUTED in levels
