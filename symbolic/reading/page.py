"""Data pages: TOML or JSON to claims. Nothing in a page is executed.

A page that is no page at all has one error and no claims; a claim that is no claim is an error
of its own, and its siblings are read. Formulas are read later, by `claim.statements`.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from symbolic.claim import Claim, Step
from symbolic.reading.definitions import define, with_variables
from symbolic.reading.domain import declare
from symbolic.reading.names import PageError, placed, shown, suggestion

LONGEST, MOST_CLAIMS, MOST_STEPS = 5_000_000, 10_000, 2_000
_LINE = re.compile(r"at line (\d+), column (\d+)")


@dataclass(frozen=True)
class Page:
    """A page read: what it declares for all its claims, the claims, and what could not be read.

    `lines` says on which line of the text a claim is named, where that could be found. `figures`
    are names of drawn figures that the appendix shows after the claims.
    """

    title: str = ""
    claims: tuple[Claim, ...] = ()
    errors: tuple[PageError, ...] = ()
    symbols: Mapping[str, str] = field(default_factory=dict)
    let: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    figures: tuple[str, ...] = ()


def read_toml(text: str, name: str = "") -> Page:
    """The page that a TOML text is; `name` (its path) goes into the errors."""
    return _read(text, name, tomllib.loads, "TOML")


def read_json(text: str, name: str = "") -> Page:
    """The page that a JSON text is; `name` (its path) goes into the errors."""
    return _read(text, name, _loads, "JSON")


def read_page(data: object, name: str = "", text: str = "") -> Page:
    """The page that plain data is: the dictionary behind a TOML or JSON text."""
    if not isinstance(data, dict):
        return Page(errors=(PageError(shown(data), "a table with `title`, `symbols` and `claim`",
                                      "see the format of pages", page=name),))
    errors: list[PageError] = []
    said = _table(data, PAGE, "", errors)
    listed = _listed(data, errors)
    symbols = _sound(said, errors)
    claims, names = [], set()
    for place, item in enumerate(listed, 1):
        claim = _claim(item, place, errors)
        if claim is not None and claim.name in names:
            errors.append(PageError(f"a second claim named {claim.name}", "names that differ",
                                    "rename it", claim=claim.name))
        elif claim is not None:
            claims.append(claim)
            names.add(claim.name)
    lines = _lines(text, names) if text else {}
    errors = [replace(e, page=name, line=e.line or lines.get(e.claim)) for e in errors]
    return Page(said.get("title", ""), tuple(claims), tuple(errors), symbols,
                said.get("let", {}), said.get("rates", {}), lines)


def _read(text: str, name: str, loads: Callable[[str], object], kind: str) -> Page:
    if len(text) > LONGEST:
        return _unreadable(f"{len(text)} characters", f"at most {LONGEST}", "split the page", name)
    try:
        return read_page(loads(text), name, text)
    except RecursionError:
        return _unreadable("tables nested too deep", f"a {kind} page", "flatten it", name)
    except ValueError as error:  # both parsers raise kinds of ValueError
        said = str(error)
        match = _LINE.search(said)
        line, column = (int(match[1]), int(match[2])) if match else (
            getattr(error, "lineno", None), getattr(error, "colno", None))
        if "(at end of document)" in said:
            line = len(text.splitlines())
        return _unreadable(f"no {kind}: {said.split(' (at ')[0].split(': line ')[0][:120]}",
                           f"a {kind} page", "correct the line", name, line, column)


def _unreadable(found: str, needed: str, todo: str, page: str, line: int | None = None,
                column: int | None = None) -> Page:
    return Page(errors=(PageError(found, needed, todo, page=page, line=line, column=column),))


def _loads(text: str) -> object:
    def pairs(items: list[tuple[str, object]]) -> dict:
        table = dict(items)
        if len(table) < len(items):
            keys = [key for key, _ in items]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"the key {shown(twice)} twice in one table")
        return table

    return json.loads(text, object_pairs_hook=pairs)


# What a key may hold: a check of its value, and what it is called in messages.
def _text(value: object) -> object:
    return value if isinstance(value, str) else None


def _formula(value: object) -> object:
    return str(value) if type(value) is int else _text(value)


def _texts(value: object) -> object:
    good = isinstance(value, list) and all(isinstance(v, str) for v in value)
    return tuple(value) if good else None  # type: ignore[arg-type]


def _formulas(value: object) -> object:
    if not isinstance(value, dict) or not all(_formula(v) is not None for v in value.values()):
        return None
    return {key: _formula(v) for key, v in value.items()}


def _strings(value: object) -> object:
    return value if isinstance(value, dict) and all(map(_text, value.values())) else None


def _positive(value: object) -> object:
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if good and 0 < value < float("inf") else None  # type: ignore


def _list(value: object) -> object:
    return value if isinstance(value, list) else None


TEXT, FORMULA = (_text, "a text"), (_formula, "a formula in quotation marks")
TEXTS = (_texts, "a list of texts")
FORMULAS, STRINGS = (_formulas, "a table of formulas"), (_strings, "a table of domains")
PAGE = {"title": TEXT, "source": TEXT, "symbols": STRINGS, "let": FORMULAS, "rates": FORMULAS,
        "claim": (lambda v: v, ""), "claims": (lambda v: v, "")}
STEP = {"relation": TEXT, "right": FORMULA, "by": TEXT, "using": TEXTS, "at": FORMULAS,
        "limit": TEXT}
CLAIM = {"name": TEXT, "says": TEXT, "symbols": STRINGS, "given": TEXTS, "let": FORMULAS,
         "rates": FORMULAS, "start": FORMULA, "steps": (_list, "a list of steps"),
         "source": TEXT, "expect": TEXT, "where": TEXTS, "modulo": TEXTS, "no_measure": TEXT,
         "uniform": TEXTS, "tolerance": (_positive, "a positive number")}


def _table(data: Mapping, keys: Mapping, claim: str, errors: list[PageError],
           step: int | None = None) -> dict:
    """The entries of a table whose keys and types are right; the others become errors."""
    said = {}
    for key, value in data.items():
        if key not in keys:
            errors.append(PageError(f"the unknown key {shown(key)}",
                                    f"one of {', '.join(keys)}", suggestion(str(key), keys),
                                    claim=claim, step=step))
            continue
        check, what = keys[key]
        good = check(value)
        if good is None:
            errors.append(PageError(f"{key} = {shown(value)}", what, "change its type",
                                    claim=claim, step=step))
        else:
            said[key] = good
    return said


def _listed(data: Mapping, errors: list[PageError]) -> list:
    """The claims of a page, under `claim` or `claims`."""
    present = [key for key in ("claim", "claims") if key in data]
    if len(present) != 1:
        found = "both `claim` and `claims`" if present else "a page without claims"
        errors.append(PageError(found, "one list of claims", "write [[claim]] for each"))
        return []
    listed = data[present[0]]
    listed = [listed] if isinstance(listed, dict) else listed
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_CLAIMS:
        errors.append(PageError(shown(listed), f"a list of 1 to {MOST_CLAIMS} claims",
                                "write [[claim]] for each"))
        return []
    return listed


def _sound(said: Mapping, errors: list[PageError]) -> dict[str, str]:
    """The page's symbols without those that cannot be read, which are errors of the page."""
    symbols = said.get("symbols", {})
    names, _, wrong = declare(symbols)
    errors.extend(placed(e, part=f"symbol {name}") for name, e in wrong.items())
    _, _, wrong = define(said.get("let", {}), with_variables(said.get("rates", {}), names))
    errors.extend(placed(e, part=f"let {name}") for name, e in wrong.items())
    for name in wrong:
        said["let"].pop(name, None)
    return {name: symbols[name] for name in names}


def _claim(item: object, place: int, errors: list[PageError]) -> Claim | None:
    """The claim that a table is, or None and errors."""
    label = item.get("name") if isinstance(item, dict) else None
    label = label if isinstance(label, str) and label else f"#{place}"
    if not isinstance(item, dict):
        errors.append(PageError(shown(item), "a table with `name` and `start`",
                                "write [[claim]]", claim=label))
        return None
    before = len(errors)
    said = _table(item, CLAIM, label, errors)
    if "name" not in item:
        errors.append(PageError("a claim without a name", "a name", "add name = \"...\"",
                                claim=label))
    steps = said.pop("steps", [])[:MOST_STEPS]
    found = [_step(step, k, label, errors) for k, step in enumerate(steps, 1)]
    if len(errors) > before:
        return None
    return Claim(**said, steps=tuple(step for step in found if step is not None))


def _step(item: object, place: int, claim: str, errors: list[PageError]) -> Step | None:
    if not isinstance(item, dict):
        errors.append(PageError(shown(item), "a table with `relation` and `right`",
                                '{ relation = "=", right = "..." }', claim=claim, step=place))
        return None
    before = len(errors)
    said = _table(item, STEP, claim, errors, place)
    missing = [key for key in ("relation", "right") if key not in item]
    if missing:
        errors.append(PageError(f"a step without {' and '.join(missing)}",
                                "a relation and a right side",
                                '{ relation = "=", right = "..." }', claim=claim, step=place))
    return Step(**said) if len(errors) == before else None


def _lines(text: str, names: set[str]) -> dict[str, int]:
    """The line on which each claim is named, where the text names it literally."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"""[\s{,]*["']?name["']?\s*[=:]\s*["']([^"']+)["']""", line)
        if match and match[1] in names:
            found.setdefault(match[1], number)
    return found
