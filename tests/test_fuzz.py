"""Random terms evaluate as their normal forms do: a seeded part of `make soundness`."""

import pytest

from tests import fuzz

COUNTS = {"scalar": 1500, "power": 1500, "sum": 250, "matrix": 600, "related": 500, "families": 40, "kronecker": 150}


@pytest.mark.parametrize("kind", COUNTS)
def test_value_of_the_normal_form(kind):
    """No random term differs from its normal form, and most of them are decided."""
    counts, wrong = fuzz.run(kind, 500_000, COUNTS[kind])
    assert not wrong, wrong[0]
    assert counts["agree"] > 0.6 * COUNTS[kind]
