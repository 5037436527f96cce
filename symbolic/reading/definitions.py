"""Definitions and rates: `"s[t, u]" = "..."` in any order, and `S = "V*S + S*V.T"` by t."""

import re
from collections.abc import Mapping
from typing import NoReturn

from symbolic.kernel.term import Malformed, Term, plain
from symbolic.reading.names import Names, ReadError, frozen, heading, shown
from symbolic.reading.text import check_term, read_term, shape_of

Definition = tuple[str, tuple[str, ...], Term]
Rate = tuple[str, str, Term]
WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
RATE = re.compile(r"\s*([A-Za-z]\w*)(?:\s+by\s+([A-Za-z]\w*))?\s*\Z", re.ASCII)
TIME = "t"


def read_side(side: object, names: Names) -> Term:
    """A side given as text or as a term; a term is checked as if it had been read."""
    if isinstance(side, str):
        return read_term(side, names)
    try:
        return check_term(plain(side), names)
    except Malformed as error:
        raise ReadError(f"the term {shown(side)}", "a term of the language", str(error)) from None


def define(let: Mapping[str, object], names: Names) -> tuple[
        tuple[Definition, ...], Names, dict[str, ReadError]]:
    """Definitions in any order: (name, index names, body), all names, and errors by key.

    A name that is declared, defined twice, or defined through itself is an error.
    """
    errors: dict[str, ReadError] = {}
    waiting: dict[str, tuple[str, tuple[str, ...]]] = {}
    for key in let:
        try:
            name, indices = _new(key, names, waiting)
            waiting[name] = key, indices
        except ReadError as error:
            errors[str(key)] = error
    known, bodies = dict(names), {}
    while waiting:
        ready = [n for n, (key, idx) in waiting.items()
                 if not _mentioned(let[key], idx) & waiting.keys()]
        if not ready:
            for key, _ in waiting.values():
                errors[key] = ReadError(
                    f"definitions in a circle: {', '.join(waiting)}",
                    "a definition by what is known already", "break the circle")
            break
        for name in ready:
            key, indices = waiting.pop(name)
            try:
                inner = frozen({**known, **dict.fromkeys(indices, ("integer",))})
                bodies[name] = indices, read_side(let[key], inner)
                known[name] = ("let", len(indices), shape_of(bodies[name][1], inner))
            except ReadError as error:
                errors[key] = error
    order = [heading(key)[0] for key in let if key not in errors]
    return tuple((n, *bodies[n]) for n in order), frozen(known), errors


def with_variables(rates: Mapping[str, object], names: Names) -> Names:
    """The names, and the variables of the rates: real numbers, if nobody declared them."""
    matches = [RATE.match(key) for key in rates if isinstance(key, str)]
    variables = [match[2] or TIME for match in matches if match]
    return frozen({**dict.fromkeys(variables, ("real",)), **names})


def read_rates(rates: Mapping[str, object], names: Names) -> tuple[
        tuple[Rate, ...], dict[str, ReadError]]:
    """Rates (name, variable, body) and errors; the variable is t unless the key says `S by s`.

    The rate of a matrix has its shape. Families have no rates.
    """
    errors: dict[str, ReadError] = {}
    found: list[Rate] = []
    for key, body in rates.items():
        try:
            rate = _rate(key, body, names)
            if any(rate[:2] == r[:2] for r in found):
                raise ReadError(f"two rates of {rate[0]}", "one", "leave one out")
            found.append(rate)
        except ReadError as error:
            errors[str(key)] = error
    return tuple(found), errors


def _new(key: str, names: Names, waiting: Mapping) -> tuple[str, tuple[str, ...]]:
    name, indices = heading(key)
    if name in names or name in waiting:
        raise ReadError(f"the defined name {name} again",
                        "a name that is neither declared nor defined", "rename one of the two")
    for index in indices:
        if names.get(index, ("real",))[0] in ("family", "matrix"):
            raise ReadError(f"the index {index}, declared as a family or matrix",
                            "an index name of its own", "rename the index")
    return name, indices


def _mentioned(body: object, indices: tuple[str, ...]) -> set[str]:
    return set(WORD.findall(body if isinstance(body, str) else str(body))) - set(indices)


def _rate(key: object, body: object, names: Names) -> Rate:
    match = RATE.match(key) if isinstance(key, str) else None
    if match is None:
        raise ReadError(f"the rate of {shown(key)}", "a declared name", "write S or S by s")
    name, variable = match[1], match[2] or TIME
    sort = names.get(name, ("",))
    if sort[0] not in ("real", "complex", "matrix") or name == variable:
        _no_rate(name, sort[0])
    if names[variable] != ("real",):
        raise ReadError(f"a rate by {variable}", "a real variable", "declare it \"real\"")
    term = read_side(body, names)
    one, two = shape_of(name, names), shape_of(term, names)
    if term == 0 and one is not None:
        term, two = ("zeros", *one), one
    if one != two and not (one in (None, (1, 1)) and two in (None, (1, 1))):
        raise ReadError(f"a rate of {name} of another shape", f"the shape of {name}",
                        "check the sizes")
    return name, variable, term


def _no_rate(name: str, kind: str) -> NoReturn:
    what = {"": "the undeclared name", "let": "the defined name", "family": "the family",
            "integer": "the integer"}.get(kind, "the variable")
    raise ReadError(f"a rate of {what} {name}", "a real symbol or a matrix",
                    "rates belong to single symbols that move in time")
