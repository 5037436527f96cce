"""What a claim expects, and what it is told when it falls short."""

import pytest

from proofs.judge import reaches, shortfall

LEVELS = ("proved", "certified", "tested", "unknown", "refuted")
ACCEPTED = {
    "proved": {"proved"},
    "certified": {"proved", "certified"},
    "tested": {"proved", "certified", "tested"},
    "unknown": {"proved", "certified", "tested", "unknown"},
    "refuted": {"refuted"},
    "unproved": {"tested", "unknown", "refuted"},
}


@pytest.mark.parametrize("expect", ACCEPTED)
@pytest.mark.parametrize("level", LEVELS)
def test_the_order_of_levels(level, expect):
    assert reaches(level, expect) == (level in ACCEPTED[expect])


def test_leftover_conditions_and_debts_are_to_be_listed():
    lines = shortfall("proved", "proved", ("x != 0",), ("cite:a1", "axiom.exp"), {}, (), "")
    assert len(lines) == 3
    assert "add 'x != 0' to the claim's `given`" in lines[0]
    assert "add 'cite:a1' to the claim's `modulo`" in lines[1]
    listed = {"where": ["x != 0"], "modulo": ["cite:a1", "exp"]}
    assert shortfall("proved", "proved", ("x != 0",), ("cite:a1", "exp"), listed, (), "") == ()


def test_what_is_expected_to_be_unproved_owes_nothing():
    assert shortfall("unknown", "unproved", ("x != 0",), (), {}, (), "") == ()
    assert shortfall("refuted", "refuted", (), ("a",), {}, (), "") == ()


def test_disagreement_fails_even_a_proved_claim():
    (line,) = shortfall("proved", "proved", (), (), {}, ("simulation:numpy64",), "")
    assert "disagree on simulation:numpy64" in line
