"""The galleries of falsehoods: no method proves or certifies one, whatever it is asked."""

import pytest

from symbolic.kernel.check import check
from symbolic.kernel.statement import Level
from symbolic.prove import ORDER, find, prove
from tests import material, soundness

FILES = [f for f in ("gallery.toml", "near_misses.toml", "attack.toml", "sympy_wrong.json")
         if (material.DATA / f).exists()]
SLOW = ("squares", "calculus", "limits", "induction")  # at full size in `make soundness`
CASES = [(f, c.name) for f in FILES for c, _ in material.data_steps(f)]


@pytest.mark.parametrize(("file", "name"), CASES)
def test_no_method_grants_it(file, name):
    """Every quick method, on every step of the claim: some step is not granted."""
    steps = next(s for c, s in material.data_steps(file) if c.name == name)
    for method in (m for m in ORDER if m not in SLOW):
        granted = [any(check(s, c).level in soundness.GRANTED and not soundness._vacuous(s, c)
                       for c in find(method, s)) for s in steps]
        assert not granted or not all(granted), method


def test_near_misses_are_refuted_inside_their_domain():
    """Every near-miss of the spec falls to a point that the kernel admits."""
    for claim, steps in material.data_steps("near_misses.toml"):
        levels = [prove(s, None, 20.0).verdict.level for s in steps]
        assert Level.REFUTED in levels, claim.name
