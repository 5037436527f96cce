"""What a run will do: pages read, claims cut into statements, the claims they use looked up.

Whatever cannot be read is an error of its page in words; the other claims go on.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from proofs.bibliography import references
from proofs.lemma import CITE
from proofs.page import expand, load, shipped
from symbolic.claim import Chain, Claim, Step, statements
from symbolic.reading.names import PageError, heading, shown, suggestion
from symbolic.reading.page import Page


@dataclass(frozen=True)
class Case:
    """A claim ready to be settled. `lemmas` holds, for each step, the claims that it uses."""

    path: str
    claim: Claim
    chain: Chain
    lemmas: tuple[tuple["Case", ...], ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A page of the run: its claims that could be read, and its errors in words."""

    path: str
    title: str
    cases: tuple[Case, ...]
    errors: tuple[str, ...]
    figures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shelf:
    """Every page at hand with the chains of its claims; cases found so far by page and name."""

    pages: dict[str, Page]
    chains: dict[tuple[str, str], Chain]
    found: dict[tuple[str, str], "Case | PageError"] = field(default_factory=dict)


def plan(paths: Iterable[str | Path]) -> tuple[Sheet, ...]:
    """The sheets of all pages named, in order; a folder stands for its pages."""
    shelf = Shelf({}, {})
    places = [str(path) for path in expand(paths)]
    for path in places:
        _shelve(path, shelf)
    return tuple(_sheet(path, shelf) for path in dict.fromkeys(places))


def _shelve(path: str, shelf: Shelf) -> None:
    if path not in shelf.pages:
        page = shelf.pages[path] = load(path)
        for claim in page.claims:
            shelf.chains[path, claim.name] = statements(
                claim, page.symbols, page.let, page.rates)


def _sheet(path: str, shelf: Shelf) -> Sheet:
    page = shelf.pages[path]
    cases, errors = [], list(page.errors)
    for claim in page.claims:
        chain = shelf.chains[path, claim.name]
        wrong = list(chain.errors) or [*_unknown_methods(claim), *_unknown_keys(claim)]
        case = _case(path, claim, shelf, ()) if not wrong else None
        if isinstance(case, PageError):
            wrong.append(case)
        elif case is not None:
            cases.append(case)
        errors += [replace(e, line=e.line or page.lines.get(claim.name)) for e in wrong]
    return Sheet(path, page.title or Path(path).stem, tuple(cases),
                 tuple(str(replace(e, page="")) for e in errors), page.figures)


def _case(path: str, claim: Claim, shelf: Shelf, trail: tuple) -> Case | PageError:
    """A claim with the claims that it uses, and those that these use; each is found once."""
    here = (path, claim.name)
    if here in trail:
        circle = [name for _, name in trail[trail.index(here):]]
        return PageError(f"a circle of claims that use each other: {', '.join(circle)}",
                         "lemmas that do not rest on the claim itself", "break the circle",
                         claim=claim.name)
    if here not in shelf.found:
        lemmas = [_lemmas(path, claim, k, shelf, (*trail, here))
                  for k in range(1, len(claim.steps) + 1)]
        wrong = [x for x in lemmas if isinstance(x, PageError)]
        chain = shelf.chains[here]
        shelf.found[here] = wrong[0] if wrong else Case(
            path, alone(claim, chain, shelf.pages[path]), chain,
            tuple(x for x in lemmas if not isinstance(x, PageError)))
    return shelf.found[here]


def _lemmas(path: str, claim: Claim, number: int, shelf: Shelf,
            trail: tuple) -> tuple[Case, ...] | PageError:
    """The claims that a step is using, or what is wrong with them."""
    step, found = claim.steps[number - 1], []
    for name in (n for n in step.using if not n.startswith(CITE)):
        place = _find(path, name, shelf)
        if place is None:
            known = [n for _, n in shelf.chains if n != claim.name]
            return PageError(f"using = {shown(name)}", "a claim of a page of this run or of a "
                             "shipped page, or cite:key", suggestion(name, known) or
                             "name the claim as its page does", claim=claim.name, step=number)
        if shelf.chains[place].errors:
            return PageError(f"using {name}, which could not be read", "a claim without errors",
                             "correct that claim first", claim=claim.name, step=number)
        other = next(c for c in shelf.pages[place[0]].claims if c.name == name)
        case = _case(place[0], other, shelf, trail)
        if isinstance(case, PageError):
            return replace(case, claim=claim.name, step=number)
        found.append(case)
    symbols = {n for case in found for n, _ in case.chain.symbols}
    for name in step.at:
        if name not in symbols:
            return PageError(f"at.{name}", "a symbol of a claim that the step is using",
                             suggestion(name, symbols) or "leave it out", claim=claim.name,
                             step=number)
    return tuple(found)


def _find(path: str, name: str, shelf: Shelf) -> tuple[str, str] | None:
    """Where a claim of this name is: on the page itself, in the run, on a shipped page."""
    places = [key for key in ((path, name), *shelf.chains) if key in shelf.chains]
    place = next((key for key in places if key[1] == name), None)
    if place is None and not {str(p) for p in shipped()} <= shelf.pages.keys():
        for other in shipped():
            _shelve(str(other), shelf)
        return _find(path, name, shelf)
    return place


def alone(claim: Claim, chain: Chain, page: Page) -> Claim:
    """The claim with all of its page that it uses, so that it can be read without the page."""
    used = {name for name, _ in chain.symbols}
    lets, rates = {n for n, _, _ in chain.let}, {n for n, _, _ in chain.rates}
    return replace(
        claim,
        symbols=_kept(page.symbols, claim.symbols, lambda key: key in used),
        let=_kept(page.let, claim.let, lambda key: heading(key)[0] in lets),
        rates=_kept(page.rates, claim.rates, lambda key: key.split()[0] in rates))


def _kept(page: Mapping, claim: Mapping, wanted) -> dict:
    return {key: value for key, value in {**page, **claim}.items() if wanted(key)}


def _unknown_methods(claim: Claim) -> list[PageError]:
    """A `by` that names no file of the methods is an error of the page."""
    from symbolic import methods
    known = {f.stem for f in Path(methods.__path__[0]).glob("[!_]*.py")}
    return [PageError(f"by = {shown(step.by)}", "the name of a method: " + ", ".join(sorted(known)),
                      suggestion(str(step.by), known) or "leave `by` out to try them all",
                      claim=claim.name, step=k)
            for k, step in _numbered(claim) if step.by is not None and step.by not in known]


def _unknown_keys(claim: Claim) -> list[PageError]:
    """A citation needs an entry of the bibliography."""
    cited = [(k, n) for k, step in _numbered(claim) for n in step.using if n.startswith(CITE)]
    known = references() if cited else {}
    return [PageError(f"using = {shown(name)}", "a key of proofs/references.bib",
                      suggestion(name.removeprefix(CITE), known) or "add the entry there",
                      claim=claim.name, step=k)
            for k, name in cited if name.removeprefix(CITE) not in known]


def _numbered(claim: Claim) -> Iterable[tuple[int, Step]]:
    return enumerate(claim.steps, 1)
