"""Certificates altered, moved, malformed: never a level, never a traceback, never late."""

from tests import material, soundness
from tests.attack_certificates import CERTIFICATES, granted

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
        assert granted(row) not in soundness.GRANTED, row[-1]
