"""Domains: one line per symbol becomes a sort, and facts for everything else that it says."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from symbolic.kernel.term import Term, free
from symbolic.reading.literals import value
from symbolic.reading.names import Names, ReadError, check_name, frozen, shown
from symbolic.reading.piecewise import turned
from symbolic.reading.scope import whole
from symbolic.reading.text import read_term, shape_of

FORMS = ('"real", "real > 0", "real in [a, b]", "real[1..n] >= 0", "integer >= 1", "index 1..n", '
         '"complex", "vector(d)", "matrix(d, k)", "matrix(d, d) symmetric positive definite"')
LONGEST = 500
HEAD = re.compile(r"\s*(real|integer|complex|index|vector|matrix)\b\s*", re.ASCII)
FLAGS = (
    (("positive", "definite"), ("symmetric", "pd")),
    (("positive", "semidefinite"), ("symmetric", "psd")),
    (("symmetric",), ("symmetric",)), (("invertible",), ("invertible",)),
    (("orthogonal",), ("orthogonal",)),
)
ORDER = ("symmetric", "psd", "pd", "invertible", "orthogonal")
CLAUSE = re.compile(r"(>=|<=|!=|>|<)(.*)|in\s*([\[(])(.*)([\])])\s*", re.ASCII | re.DOTALL)
INDICES = "ijklmn"


@dataclass(frozen=True)
class _Parts:
    """A domain cut into its parts, all still text."""

    kind: str
    sizes: tuple[str, ...] = ()
    ranges: tuple[tuple[str, str], ...] = ()
    clause: str = ""


def read_domain(name: str, text: str, names: Names) -> tuple[tuple, tuple[Term, ...]]:
    """The sort and the facts that a domain gives to `name`.

    `names` holds the sorts of whatever the domain mentions: sizes, lengths, bounds. Raises
    ReadError that lists the forms there are.
    """
    check_name(name)
    parts = _cut(text)
    sort, facts = _sort(name, parts, names)
    return sort, (*facts, *_clause(name, parts, sort, frozen({**names, name: sort})))


def declare(symbols: Mapping[str, str]) -> tuple[
        Names, dict[str, tuple[Term, ...]], dict[str, ReadError]]:
    """All symbols of a page together, in any order: sorts, facts and errors, by symbol.

    A symbol with an error is left out of the sorts; the others are not affected, unless they
    mention it.
    """
    errors: dict[str, ReadError] = {}
    rough: dict[str, tuple] = {}
    sorts: dict[str, tuple] = {}
    facts: dict[str, tuple[Term, ...]] = {}
    for name, text in symbols.items():
        with _kept(errors, name):
            rough[check_name(name, "a symbol")] = _rough(text)
    for name in rough:
        with _kept(errors, name):
            sorts[name], facts[name] = _sort(name, _cut(symbols[name]), rough)
    names = frozen(sorts)
    for name in sorts:
        with _kept(errors, name):
            said = _clause(name, _cut(symbols[name]), sorts[name], names)
            facts[name] = tuple(dict.fromkeys((*facts[name], *said)))
    return frozen({n: s for n, s in sorts.items() if n not in errors}), facts, errors


@contextmanager
def _kept(errors: dict[str, ReadError], name: str) -> Iterator[None]:
    """Keep the error of one symbol, and go on with the next."""
    try:
        yield
    except ReadError as error:
        errors[str(name)] = error


def _rough(text: str) -> tuple:
    """What is known of a symbol before sizes can be read: enough to read sizes and lengths."""
    parts = _cut(text)
    if parts.ranges and parts.kind != "index":
        return ("family", ("real",), *(("range", "_", 1, 1) for _ in parts.ranges))
    kind = {"vector": "matrix", "index": "integer"}.get(parts.kind, parts.kind)
    return ("matrix", 1, 1) if kind == "matrix" else (kind,)


def _cut(text: object) -> _Parts:
    if not isinstance(text, str) or len(text) > LONGEST:
        raise _unknown(text)
    match = HEAD.match(text)
    if match is None:
        raise _unknown(text)
    kind, rest = match[1], text[match.end():]
    if kind == "index":
        return _Parts(kind, ranges=(_range(rest),))
    sizes: tuple[str, ...] = ()
    if kind in ("vector", "matrix"):
        inside, rest = _bracket(rest, "(", text)
        sizes = tuple(s.strip() for s in inside.split(","))
        if len(sizes) != (1 if kind == "vector" else 2):
            raise ReadError(f"{len(sizes)} sizes of a {kind}",
                            "vector(d)" if kind == "vector" else "matrix(d, k)", "give its sizes")
    ranges: tuple[tuple[str, str], ...] = ()
    if rest.startswith("["):
        inside, rest = _bracket(rest, "[", text)
        ranges = tuple(_range(r) for r in _split(inside))
    return _Parts(kind, sizes, ranges, rest.strip())


def _bracket(text: str, opening: str, whole_text: str) -> tuple[str, str]:
    """What stands in the bracket that a text begins with, and what follows it."""
    if not text.startswith(opening):
        raise _unknown(whole_text)
    depth = 0
    for k, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0:
            return text[1:k], text[k + 1:].lstrip()
    raise _unknown(whole_text)


def _split(text: str) -> list[str]:
    """A text at its commas outside brackets."""
    pieces, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += sign
    return pieces


def _range(text: str) -> tuple[str, str]:
    ends = text.split("..")
    if len(ends) != 2 or not all(e.strip() for e in ends):
        raise ReadError(f"the range {shown(text.strip())}", "1..n", "write low..high")
    return ends[0].strip(), ends[1].strip()


def _sort(name: str, parts: _Parts, names: Names) -> tuple[tuple, tuple[Term, ...]]:
    """The sort, and the facts that belong to it: sizes are at least 1, an index is in its range."""
    ends = [tuple(_whole(e, names, "an end of a range") for e in r) for r in parts.ranges]
    if parts.kind == "index":
        low, high = ends[0]
        return ("integer",), (("<=", low, name), ("<=", name, high))
    facts: tuple[Term, ...] = ()
    sort: tuple = (parts.kind,)
    if parts.sizes:
        rows, *cols = (_size(s, names) for s in parts.sizes)
        sort = ("matrix", rows, *(cols or (1,)), *_flags(parts))
        facts = tuple(("<=", 1, s) for s in dict.fromkeys(sort[1:3]) if isinstance(s, str))
        if len(sort) > 3 and sort[1] != sort[2]:
            raise ReadError(f"{' '.join(parts.clause.split())} for a {parts.kind} of shape "
                            f"({sort[1]}, {sort[2]})", "a square matrix", "give it one size twice")
    if ends:
        sort = ("family", sort, *(("range", "_", low, high) for low, high in ends))
    return sort, facts


def _size(text: str, names: Names) -> Term:
    size = read_term(text, names)
    if isinstance(size, str) and names[size] == ("integer",) or \
            isinstance(size, int) and size >= 1:
        return size
    raise ReadError(f"the size {text}", "a positive whole number or an integer symbol",
                    f"declare {text} = \"integer >= 1\"" if isinstance(size, str)
                    else "name the size and declare it an integer")


def _whole(text: str, names: Names, what: str) -> Term:
    term = read_term(text, names)
    if shape_of(term, names) is not None or not whole(term, names):
        raise ReadError(f"{text} as {what}", "integer symbols and whole numbers",
                        "declare it an integer")
    return term


def _flags(parts: _Parts) -> tuple[str, ...]:
    found: list[str] = []
    rest = tuple(parts.clause.split())
    while rest:
        for spelled, flags in FLAGS:
            if rest[:len(spelled)] == spelled:
                found.extend(flags)
                rest = rest[len(spelled):]
                break
        else:
            raise ReadError(f"{' '.join(rest)!r} of a matrix", "symmetric, positive definite, "
                            "positive semidefinite, invertible or orthogonal",
                            "state anything else as a fact in `given`")
    return tuple(f for f in ORDER if f in found)


def _clause(name: str, parts: _Parts, sort: tuple, names: Names) -> tuple[Term, ...]:
    """The facts of `> 0`, `!= 0` or `in [a, b]`, for each index of a family."""
    if not parts.clause or parts.sizes:
        return ()
    match = CLAUSE.fullmatch(parts.clause)
    if match is None or match[1] is None and len(_split(match[4])) != 2:
        raise _unknown(f"{parts.kind} {parts.clause}")
    bounds = [(match[1], match[2])] if match[1] else _interval(match)
    if parts.kind == "complex" and any(sign != "!=" for sign, _ in bounds):
        raise ReadError("bounds of a complex number", "\"complex\" or \"complex != 0\"",
                        "bound its Abs in `given`")
    terms = [(sign, read_term(bound, names)) for sign, bound in bounds]
    for _, bound in terms:
        if shape_of(bound, names) not in (None, (1, 1)) or name in free(bound):
            raise ReadError("a bound that is no number of its own", "numbers or declared symbols",
                            "state it as a fact in `given`")
    _nonempty(terms, parts.clause)
    if sort[0] != "family":
        return tuple(turned(sign, name, bound) for sign, bound in terms)
    taken = set(names)
    indices = [i for i in (*INDICES, *(f"i{k}" for k in range(99))) if i not in taken]
    ranges = [("range", i, *r[2:]) for i, r in zip(indices, sort[2:], strict=False)]
    entry = ("at", name, *(r[1] for r in ranges))
    return tuple(("all", turned(sign, entry, bound), *ranges) for sign, bound in terms)


def _interval(match: re.Match) -> list[tuple[str, str]]:
    """The bounds of an interval; an infinite end says nothing."""
    low, high = (e.strip() for e in _split(match[4]))
    bounds = []
    if low != "-oo":
        bounds.append((">=" if match[3] == "[" else ">", low))
    if high not in ("oo", "+oo"):
        bounds.append(("<=" if match[5] == "]" else "<", high))
    return bounds


def _nonempty(terms: list[tuple[str, Term]], clause: str) -> None:
    if len(terms) < 2:
        return
    low, high = value(terms[0][1]), value(terms[1][1])
    if low is not None and high is not None:
        closed = terms[0][0] == ">=" and terms[1][0] == "<="
        if low > high or low == high and not closed:
            raise ReadError(f"the empty interval {clause}", "low <= high", "check the ends")


def _unknown(text: object) -> ReadError:
    return ReadError(f"the domain {shown(text)}", f"one of {FORMS}", "see the list of domains")
