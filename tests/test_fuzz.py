"""Random terms evaluate as their normal forms do: a seeded part of `make soundness`."""

import pytest

from tests import fuzz

COUNTS = {"scalar": 1500, "power": 1500, "sum": 250, "matrix": 600, "related": 500,
          "families": 40, "kronecker": 150}


@pytest.mark.parametrize("kind", COUNTS)
def test_value_of_the_normal_form(kind):
    """No random term differs from its normal form, and most of them are decided."""
    counts, wrong = fuzz.run(kind, 500_000, COUNTS[kind])
    assert not wrong, wrong[0]
    assert counts["agree"] > 0.6 * COUNTS[kind]


@pytest.mark.parametrize(("kind", "count"), [("matrix", 150), ("related", 150),
                                             ("kronecker", 60), ("families", 15)])
def test_conditions_are_complete(kind, count):
    """Where every recorded condition holds, singular matrices and empty sums included, the term
    has a value."""
    looked, wrong = 0, []
    for seed in range(count):
        points, found = fuzz.undefined(kind, seed)
        looked += points
        if found:
            wrong.append(found)
    assert looked > 2 * count
    assert not wrong, wrong[:3]
