"""Chains: a claim, still text, is cut into statements.

Neighbouring lines make one statement each, under the claim's facts; the whole is start against
last line. A chain runs one way: `=` with `<=`, `<`; or with `>=`, `>`; or with `psd`; an `O`
comes last and follows equalities only.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symbolic.kernel.statement import Statement
from symbolic.kernel.term import Term, free
from symbolic.reading.definitions import define, read_rates, read_side, with_variables
from symbolic.reading.domain import declare
from symbolic.reading.names import Names, PageError, ReadError, placed, shown, suggestion
from symbolic.reading.piecewise import turned
from symbolic.reading.text import read_fact, read_limit, shape_of, sides

if TYPE_CHECKING:
    from symbolic.claim import Claim as Written

EXPECTED = ("proved", "certified", "tested", "unknown", "refuted", "unproved")
SIGNS = ("=", "<=", "<", ">=", ">", "psd", "O")
CLAIM_NAME = re.compile(r"[A-Za-z0-9][\w.\-]*\Z", re.ASCII)
LONGEST_NAME = 100


@dataclass(frozen=True)
class Chain:
    """A claim read: its lines, the statement of each step, and the whole.

    With `errors` there are no statements. `at` holds the substitutions of each step as terms,
    `where` the conditions that the claim admits to.
    """

    steps: tuple[Statement, ...] = ()
    whole: Statement | None = None
    errors: tuple[PageError, ...] = ()
    lines: tuple[Term, ...] = ()
    at: tuple[dict[str, Term], ...] = ()
    where: tuple[Term, ...] = ()
    symbols: tuple[tuple[str, tuple], ...] = ()
    given: tuple[Term, ...] = ()
    let: tuple = ()
    rates: tuple = ()


def statements(claim: "Written", page_symbols: Mapping[str, str] | None = None,
               page_let: Mapping[str, object] | None = None,
               page_rates: Mapping[str, object] | None = None) -> Chain:
    """Cut a claim into statements; every error is collected, none is raised.

    What the page declares is added to what the claim declares, the claim's word counting; of the
    page's symbols, definitions and rates only those that matter to the claim are kept.
    """
    errors: list[PageError] = []
    symbols = {**(page_symbols or {}), **claim.symbols}
    names, facts, wrong = declare(symbols)
    _note(errors, claim, "symbol", wrong)
    moving = {**(page_rates or {}), **claim.rates}
    let, names, wrong = define({**(page_let or {}), **claim.let}, with_variables(moving, names))
    _note(errors, claim, "let", wrong)
    rates, wrong = read_rates(moving, names)
    _note(errors, claim, "rate", wrong)
    given = _each(errors, claim, "given", _many(claim.given), lambda f: _fact(f, names))
    where = _each(errors, claim, "where", _many(claim.where), lambda f: _fact(f, names))
    lines = _lines(errors, claim, names)
    at = _each(errors, claim, "at", tuple(s.at for s in claim.steps),
               lambda values: {k: read_side(v, names) for k, v in values.items()})
    limits = _limits(errors, claim, names)
    errors.extend(_form(claim))
    if errors:
        return Chain(errors=tuple(errors))
    said = (*given, *where, *lines, *(t for values in at for t in values.values()))
    used = _used(frozenset(claim.symbols).union(*map(free, said)), names, facts, let, rates)
    base = Chain(
        lines=lines, at=at, where=where,
        symbols=tuple((n, s) for n, s in names.items() if n in used and s[0] != "let"),
        given=tuple(dict.fromkeys(
            (*(f for n in names if n in used for f in facts.get(n, ())), *given))),
        let=tuple(d for d in let if d[0] in used),
        rates=tuple(r for r in rates if r[0] in used and r[1] in used))
    return _cut(claim, base, limits, names)


def _cut(claim: "Written", base: Chain, limits: tuple, names: Names) -> Chain:
    """The statements of the chain and of its whole."""
    def statement(sign: str, left: Term, right: Term, limit: tuple | None) -> Statement:
        head, left, right = ("O", left, right) if sign == "O" else turned(sign, left, right)
        uniform = tuple(claim.uniform) if head == "O" else ()
        return Statement(base.symbols, base.given, head, left, right, base.let, base.rates, limit,
                         uniform)

    signs = [_sign(s.relation) for s in claim.steps]
    pairs = zip(signs, base.lines, base.lines[1:], limits, strict=False)
    steps = tuple(statement(*pair) for pair in pairs)
    whole = None
    if steps:
        whole = statement(_whole(signs), base.lines[0], base.lines[-1], limits[-1])
    return Chain(steps, whole, (), base.lines, base.at, base.where, base.symbols, base.given,
                 base.let, base.rates)


def _whole(signs: list[str]) -> str:
    """What the steps say together of start and last line: strict if a step is strict."""
    for sign in ("O", "psd", "<", ">", "<=", ">="):
        if sign in signs:
            return sign
    return "="


def _sign(relation: str) -> str:
    return "=" if relation == "==" else relation


def _form(claim: "Written") -> list[PageError]:
    """What can be wrong with a claim besides its formulas."""
    def wrong(found: str, needed: str, todo: str, part: str = "", step: int | None = None):
        return PageError(found, needed, todo, claim=claim.name, part=part, step=step)

    errors = []
    if not CLAIM_NAME.match(claim.name) or len(claim.name) > LONGEST_NAME:
        errors.append(wrong(f"the claim name {shown(claim.name)}",
                            "letters, digits, dots, dashes and underscores", "rename it"))
    if claim.expect not in EXPECTED:
        errors.append(wrong(f"expect = {shown(claim.expect)}", ", ".join(EXPECTED),
                            suggestion(str(claim.expect), EXPECTED)))
    if claim.start is not None and not claim.steps:
        errors.append(wrong("a start without steps", "at least one step", "add a step"))
    if claim.start is None and claim.steps:
        errors.append(wrong("steps without a start", "a start", "add the first line"))
    return errors + _directions(claim, wrong)


def _directions(claim: "Written", wrong: Callable[..., PageError]) -> list[PageError]:
    """Law 3: a chain runs one way, and an O comes last, after equalities only."""
    errors, way = [], ""
    for k, step in enumerate(claim.steps, 1):
        sign = _sign(step.relation)
        if sign not in SIGNS:
            errors.append(wrong(f"the relation {shown(step.relation)}", "one of " +
                                " ".join(SIGNS), "write a relation between lines", step=k))
        elif way == "O":
            errors.append(wrong("a step after O", "O as the last relation", "end with it", step=k))
        elif sign != "=":
            here = "O" if sign == "O" else sign if sign == "psd" else sign[0]
            if way and here != way:
                errors.append(wrong(f"{sign} in a chain that runs by {way}",
                                    "a chain that runs one way", "split the claim in two", step=k))
            way = here
        if (step.limit is not None) != (sign == "O"):
            errors.append(wrong("O without a limit" if sign == "O" else "a limit without O",
                                'limit = "eps -> 0+" with O, and with O only',
                                "add it or leave it out", step=k))
    return errors


def _lines(errors: list[PageError], claim: "Written", names: Names) -> tuple[Term, ...]:
    """The terms of start and right sides; a bare 0 among matrices is a zero matrix."""
    if claim.start is None:
        return ()
    start = getattr(claim.start, "term", claim.start)  # a side that SymPy derived holds a term
    lines: list[Term | None] = []
    for k, side in enumerate((start, *(s.right for s in claim.steps))):
        try:
            lines.append(read_side(side, names))
        except ReadError as error:
            lines.append(None)
            errors.append(placed(error, claim.name, "" if k else "start", k or None))
    _zeros(lines, claim, names)
    for k, step in enumerate(claim.steps, 1):
        left, right, sign = lines[k - 1], lines[k], _sign(step.relation)
        if left is None or right is None or sign not in SIGNS:
            continue
        try:
            sides(sign, left, right, names)
        except ReadError as error:
            errors.append(placed(error, claim.name, "", k))
    return tuple(line for line in lines if line is not None)


def _zeros(lines: list[Term | None], claim: "Written", names: Names) -> None:
    """Make each bare 0 of a chain of matrices the zero matrix."""
    found = {shape_of(line, names) for line in lines if line is not None and line != 0}
    matrices = found - {None, (1, 1)}
    linear = all(_sign(s.relation) in ("=", "psd") for s in claim.steps)
    if linear and len(found) == len(matrices) == 1:
        size = next(iter(matrices)) or ()
        lines[:] = [("zeros", *size) if line == 0 else line for line in lines]


def _limits(errors: list[PageError], claim: "Written", names: Names) -> tuple:
    limits = []
    for k, step in enumerate(claim.steps, 1):
        limits.append(None)
        if step.limit is not None:
            try:
                limits[-1] = read_limit(step.limit, names)
            except ReadError as error:
                errors.append(placed(error, claim.name, "limit", k))
    return tuple(limits)


def _many(facts: tuple | str) -> tuple:
    """Facts as a tuple; one text alone is one fact."""
    return (facts,) if isinstance(facts, str) else tuple(facts)


def _fact(fact: object, names: Names) -> Term:
    return read_fact(fact, names) if isinstance(fact, str) else read_side(fact, names)


def _each(errors: list[PageError], claim: "Written", part: str, items: tuple,
          read: Callable) -> tuple:
    """Read each item; the errors are noted under `part` and its number."""
    found = []
    for k, item in enumerate(items, 1):
        try:
            found.append(read(item))
        except ReadError as error:
            errors.append(placed(error, claim.name, f"{part} {k}"))
    return tuple(found)


def _note(errors: list[PageError], claim: "Written", part: str,
          wrong: Mapping[str, ReadError]) -> None:
    errors.extend(placed(e, claim.name, f"{part} {name}") for name, e in wrong.items())


def _used(start: frozenset[str], names: Names, facts: Mapping, let: tuple,
          rates: tuple) -> frozenset[str]:
    """The names that matter: those said, and what their sorts, facts, definitions mention."""
    bodies = {name: free(body) - set(indices) for name, indices, body in let}
    used: frozenset[str] = frozenset()
    found = start & names.keys()
    while found - used:
        used |= found
        for name in tuple(found):
            found |= bodies.get(name, frozenset())
            found |= frozenset().union(*map(free, facts.get(name, ())), *map(free, _sizes(
                names[name])))
        for name, variable, body in rates:
            if name in found:
                found |= free(body) | {variable}
        found &= names.keys()
    return used


def _sizes(sort: tuple) -> tuple[Term, ...]:
    if sort[0] == "matrix":
        return sort[1:3]
    if sort[0] == "family":
        return (*_sizes(sort[1]), *(end for r in sort[2:] for end in r[2:]))
    return ()
