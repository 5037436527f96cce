"""Steps of many kinds by another hand: the true ones are decided, their false siblings refuted."""

import pytest

from symbolic.kernel.statement import Level
from symbolic.prove import prove
from tests import material

STEPS = [(c, s) for c, steps in material.data_steps("fresh_steps.json") for s in steps]
SECONDS = 60.0      # on a busy machine; each takes a few at most


@pytest.mark.parametrize(("claim", "step"), STEPS, ids=[c.name for c, _ in STEPS])
def test_true_steps_are_decided_and_false_ones_refuted(claim, step):
    level = prove(step, seconds=SECONDS).verdict.level
    if claim.expect == "refuted":
        assert level is Level.REFUTED
    else:
        assert level in (Level.PROVED, Level.CERTIFIED)
