"""A term and the same term written a roundabout way: proved mostly, refuted never."""

import random
from collections import Counter

import pytest

from symbolic.kernel import attack
from symbolic.kernel.check import check
from symbolic.kernel.statement import Certificate, Level, Statement
from tests.attack_certificates import SLOW
from tests.fuzz_pairs import pair

PAIRS = 400


def test_roundabout_twins():
    """Equal pairs are not refuted, near pairs are not proved where a point speaks against them."""
    counts = Counter()
    for seed in range(PAIRS):
        symbols, given, left, right, equal, _ = pair(random.Random(seed))
        statement = Statement(tuple(symbols), tuple(given), "=", left, right)
        verdict = check(statement, Certificate(statement.digest, "normal", {}))
        proved = verdict.level is Level.PROVED
        refuted = attack.refutation(statement, verdict.where, 4, 12) is not None
        assert not (equal and refuted), (seed, left, right)
        assert not (proved and refuted), (seed, left, right)
        counts[bool(equal), proved] += 1
    assert counts[True, True] > 0.5 * (counts[True, True] + counts[True, False]), counts


@pytest.mark.timeout(60)
@pytest.mark.parametrize("place", range(len(SLOW)))
def test_what_once_hung(place):
    """Huge powers, doubling definitions and repeated derivatives end in UNKNOWN, soon."""
    from symbolic.kernel.statement import read

    row = SLOW[place]
    statement = read(row[0]) if isinstance(row, tuple) else read(row)
    verdict = check(statement, Certificate(statement.digest, "normal", {}))
    assert verdict.level is Level.UNKNOWN
