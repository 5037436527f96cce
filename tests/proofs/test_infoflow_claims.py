"""The pages of infoflow reach their levels, and laws that are ours name claims that exist."""

from pathlib import Path

import pytest

from infoflow.law import LAWS
from proofs.check import check_pages

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "proofs" / "claims").glob("infoflow_*.py"))


@pytest.fixture(scope="module")
def report():
    return check_pages(PAGES, jobs=1, timeout=20)


def test_every_claim_is_proved(report):
    assert len(report.findings) >= 28 and not [e for p in report.pages for e in p.errors]
    assert all(f.met and f.level == "proved" and not f.rests_on for f in report.findings), [
        (f.name, f.level, f.note) for f in report.findings if not f.met]


def test_laws_name_claims_and_tests_that_exist(report):
    claims = {f.name for f in report.findings}
    for law in LAWS.values():
        for name in law.verified_by:
            assert name in claims or (ROOT / name).is_file(), (law.id, name)
