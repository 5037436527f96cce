"""Certificates altered, moved, malformed: never a level, never a traceback, never late."""

import pytest

from symbolic.kernel.check import check
from symbolic.kernel.statement import Certificate, Level, read
from tests import material, soundness
from tests.attack_certificates import CERTIFICATES, SLOW_AT_POINTS, granted

WANTED = 600


def test_forgeries():
    """Altered certificates of proved steps earn no level that they should not."""
    tried, bad = soundness.forged(material.proved(material.QUICK_PAGES[2:], ()), WANTED)
    assert tried >= WANTED
    assert not bad, bad[:3]


def test_certificates_of_an_attacker():
    """False statements with certificates that once fooled the kernel."""
    assert CERTIFICATES
    for row in CERTIFICATES:
        assert granted(row) is Level.UNKNOWN, row[-1]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("place", range(len(SLOW_AT_POINTS)))
def test_points_that_once_hung(place):
    """Nested sums, nested integrals and huge powers end in UNKNOWN at a point, soon."""
    statement = read(SLOW_AT_POINTS[place])
    certificate = Certificate(statement.digest, "points", {"point": {"x": 0}})
    assert check(statement, certificate).level is Level.UNKNOWN
