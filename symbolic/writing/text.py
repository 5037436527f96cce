"""Terms as text, in the reader's own syntax, with the fewest brackets: read(text(t)) == t."""

from collections.abc import Callable, Mapping

from symbolic.kernel.statement import Statement
from symbolic.kernel.term import RELATIONS, Term, plain
from symbolic.writing.names import component

Sorts = Mapping[str, tuple]

# How tightly an expression holds together; a part that holds less tightly gets brackets.
SUM, PRODUCT, SIGN, POWER, ATOM = range(1, 6)
CONSTANT = {"pi": "pi", "e": "E", "i": "I", "oo": "oo"}
CALL = {
    "abs": "Abs", "max": "Max", "min": "Min", "conj": "conjugate", "delta": "KroneckerDelta",
    "inv": "Inverse", "trace": "Trace", "det": "Determinant",
    "kron": "Kronecker", "vec": "vec", "sum": "Sum", "prod": "Product",
    "int": "Integral",
}
SIDES = {1: "'+'", -1: "'-'", 0: "'+-'"}


def text(term: Term, sorts: Sorts | None = None) -> str:
    """A term as text that reads back as the same term.

    With `sorts`, components of vectors are written with one index, `u[a]`. Whole numbers below
    zero and sums inside sums, which the reader never makes, are written as what they equal.
    """
    return _write(term, sorts or {})[0]


def point_text(value: object) -> object:
    """The value of a point as text: `"1/2"`, nested lists of such for families and matrices.

    Tuples that begin with a head are terms, all others (and lists) are nested values.
    """
    if isinstance(value, (list, tuple)):
        term = bool(value) and isinstance(value[0], str)
        return text(plain(value)) if term else [point_text(part) for part in value]
    return text(value) if isinstance(value, (int, str)) else str(value)


def relation_text(statement: Statement) -> str:
    """A statement's two sides and its relation on one line."""
    sorts = dict(statement.symbols)
    left, right = text(statement.left, sorts), text(statement.right, sorts)
    if statement.relation == "O":
        return f"{left} = O({right}) as {limit_text(statement.limit)}"
    return f"{left} {statement.relation} {right}"


def limit_text(limit: tuple[str, Term, int] | None) -> str:
    """Where an O is meant: `eps -> 0+`."""
    if limit is None:
        return "an unnamed limit"
    name, point, side = limit
    sign = "" if _infinite(point) else {1: "+", -1: "-"}.get(side, "")
    return f"{name} -> {text(point)}{sign}"


def _infinite(term: Term) -> bool:
    return term in (("oo",), ("-", ("oo",)))


def _write(term: Term, sorts: Sorts) -> tuple[str, int]:
    """The text of a term and how tightly it holds together."""
    if isinstance(term, int):
        return (str(term), ATOM) if term >= 0 else (f"-{-term}", SIGN)
    if isinstance(term, str):
        return term, ATOM
    head = term[0]
    if head in CONSTANT:
        return CONSTANT[head], ATOM
    if head in RELATIONS:
        return _relation(term, sorts), 0
    writer = _WRITERS.get(head)
    if writer is not None:
        return writer(term, sorts)
    return f"{CALL.get(head, head)}({_list(term[1:], sorts)})", ATOM


def _held(term: Term, tightness: int, sorts: Sorts) -> str:
    """A part, in brackets unless it holds together at least so tightly."""
    written, own = _write(term, sorts)
    return written if own >= tightness else f"({written})"


def _list(terms: tuple, sorts: Sorts) -> str:
    return ", ".join(_write(t, sorts)[0] for t in terms)


def _sum(term: tuple, sorts: Sorts) -> tuple[str, int]:
    pieces = [_held(term[1], PRODUCT, sorts)]
    for part in term[2:]:
        minus = isinstance(part, tuple) and part[0] == "-"
        written = _held(part[1] if minus else part, PRODUCT, sorts)
        written = f"({written})" if written.startswith("-") else written
        pieces.append(f"{'-' if minus else '+'} {written}")
    return " ".join(pieces), SUM


def _product(term: tuple, sorts: Sorts) -> tuple[str, int]:
    first = term[1]
    nested = isinstance(first, tuple) and first[0] == "*"
    pieces = [_held(first, SIGN if nested else PRODUCT, sorts)]
    pieces.extend(_held(part, POWER, sorts) for part in term[2:])
    return "*".join(pieces), PRODUCT


def _quotient(term: tuple, sorts: Sorts) -> tuple[str, int]:
    return f"{_held(term[1], PRODUCT, sorts)}/{_held(term[2], POWER, sorts)}", PRODUCT


def _negative(term: tuple, sorts: Sorts) -> tuple[str, int]:
    return f"-{_held(term[1], SIGN, sorts)}", SIGN


def _power(term: tuple, sorts: Sorts) -> tuple[str, int]:
    return f"{_held(term[1], ATOM, sorts)}**{_held(term[2], POWER, sorts)}", POWER


def _at(term: tuple, sorts: Sorts) -> tuple[str, int]:
    return f"{term[1]}[{_list(term[2:], sorts)}]", ATOM


def _entry(term: tuple, sorts: Sorts) -> tuple[str, int]:
    _, whole, row, column = term
    indices = (row,) if component(term, sorts) else (row, column)
    return f"{_held(whole, ATOM, sorts)}[{_list(indices, sorts)}]", ATOM


def _transpose(term: tuple, sorts: Sorts) -> tuple[str, int]:
    written = _held(term[1], ATOM, sorts)
    return f"({written}).T" if written.isdigit() else f"{written}.T", ATOM


def _binder(term: tuple, sorts: Sorts) -> tuple[str, int]:
    head, body, name, low, high = term
    inner = {**sorts, name: ("integer",)}
    return (f"{CALL[head]}({_write(body, inner)[0]}, "
            f"({name}, {_list((low, high), sorts)}))"), ATOM


def _limit(term: tuple, sorts: Sorts) -> tuple[str, int]:
    _, body, name, point, side = term
    sign = "" if _infinite(point) else f", {SIDES[side]}"
    return f"Limit({_write(body, sorts)[0]}, {name}, {_write(point, sorts)[0]}{sign})", ATOM


def _derivative(term: tuple, sorts: Sorts) -> tuple[str, int]:
    return f"Derivative({_list(term[1:], sorts)})", ATOM


def _cases(term: tuple, sorts: Sorts) -> tuple[str, int]:
    pieces = [f"({_write(case[2], sorts)[0]}, {_condition(case[1], sorts)})"
              for case in term[1:-1]]
    return f"Piecewise({', '.join([*pieces, f'({_write(term[-1], sorts)[0]}, True)'])})", ATOM


def _condition(term: tuple, sorts: Sorts) -> str:
    if term[0] in ("=", "!="):
        return f"{'Eq' if term[0] == '=' else 'Ne'}({_list(term[1:], sorts)})"
    return _relation(term, sorts)


def _relation(term: tuple, sorts: Sorts) -> str:
    return f"{_write(term[1], sorts)[0]} {term[0]} {_write(term[2], sorts)[0]}"


def _matrix(term: tuple, sorts: Sorts) -> tuple[str, int]:
    rows = ", ".join(f"[{_list(row[1:], sorts)}]" for row in term[1:])
    return f"Matrix([{rows}])", ATOM


def _all(term: tuple, sorts: Sorts) -> tuple[str, int]:
    ranges = ", ".join(f"{name} in {_write(low, sorts)[0]}..{_write(high, sorts)[0]}"
                       for _, name, low, high in term[2:])
    return f"{_relation(term[1], sorts)} for {ranges}", 0


_WRITERS: dict[str, Callable[[tuple, Sorts], tuple[str, int]]] = {
    "+": _sum, "*": _product, "/": _quotient, "-": _negative, "^": _power, "at": _at,
    "entry": _entry, "T": _transpose, "sum": _binder, "prod": _binder, "int": _binder,
    "limit": _limit, "diff": _derivative, "cases": _cases, "matrix": _matrix, "all": _all,
}
