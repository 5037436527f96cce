"""Every shipped page reaches the levels it expects and agrees with its simulations."""

from collections import Counter

import pytest

from proofs.check import check_pages
from tests import material

WANTED = [*range(1, 19), *range(21, 27), 30, *range(33, 38)]


@pytest.mark.parametrize("page", material.PAGES)
def test_page(page):
    """Each claim of a page meets its expectation on every installed backend."""
    report = check_pages([f"proofs/claims/{page}.py"], jobs=1, timeout=20)
    short = [(f.name, f.level, f.note) for p in report.pages for f in p.findings if not f.met]
    assert not [p.errors for p in report.pages if p.errors]
    assert not short


def test_every_claim_of_the_spec_is_there():
    """K1-K18, K21-K26, K30, K33-K37 each have at least one claim."""
    names = {name.split(".")[1] for page in material.PAGES
             for name, _, _ in material.page_steps(page)}
    assert {f"K{k}" for k in WANTED} <= {n.rstrip("x") for n in names}


def test_names_are_of_one_claim_each():
    """`using` and the report go by names: no two pages share one."""
    names = Counter(name for page in material.PAGES for name in material.claim_names(page))
    assert not [name for name, count in names.items() if count > 1]
