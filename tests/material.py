"""What the soundness tests work on: proved statements of the shipped pages and data pages."""

from importlib import import_module
from pathlib import Path

from symbolic.claim import statements
from symbolic.kernel.statement import Level
from symbolic.prove import prove
from symbolic.reading.page import read_json, read_toml

DATA = Path(__file__).parent / "data"
PAGES = tuple(sorted(p.stem for p in (
    Path(__file__).parents[1] / "proofs" / "claims").glob("[a-z]*.py")))
QUICK_PAGES = ("kuramoto_identity", "kuramoto_coherence", "kuramoto_groups", "kuramoto_relatives")


def page_steps(name):
    """(claim name, statement, by) for every step of a shipped page."""
    page = import_module(f"proofs.claims.{name}")
    where = [getattr(page, key, {}) for key in ("SYMBOLS", "LET", "RATES")]
    for claim in page.CLAIMS:
        chain = statements(claim, *where)
        assert not chain.errors, (claim.name, chain.errors)
        for statement, step in zip(chain.steps, claim.steps, strict=True):
            if not step.using:
                yield claim.name, statement, step.by


def claim_names(name):
    """The names of a shipped page's claims."""
    return [claim.name for claim in import_module(f"proofs.claims.{name}").CLAIMS]


def data_steps(name):
    """(claim, statements of its steps) of a data page; unreadable claims have no statement."""
    text = (DATA / name).read_text()
    page = read_toml(text, name) if name.endswith(".toml") else read_json(text, name)
    assert not [e for e in page.errors if not e.claim], page.errors
    for claim in page.claims:
        yield claim, statements(claim, page.symbols, page.let, page.rates).steps


def proved(pages=PAGES, files=("steps.json", "real_steps.json")):
    """(name, statement, certificate) of what is proved, in a fixed order."""
    seen = set()
    sources = [(n, s, by) for page in pages for n, s, by in page_steps(page)]
    sources += [(c.name, s, None) for f in files for c, steps in data_steps(f) for s in steps]
    for name, statement, by in sources:
        if statement.digest in seen:
            continue
        seen.add(statement.digest)
        outcome = prove(statement, by, 3.0)
        if outcome.verdict.level is Level.PROVED:
            yield name, statement, outcome.certificate
