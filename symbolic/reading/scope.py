"""Where a node is read: which names mean what, what is bound, where it was written."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from symbolic.kernel.term import Term
from symbolic.reading.names import Names, ReadError, check_name
from symbolic.reading.scan import given_name


@dataclass(frozen=True)
class Scope:
    """Names and their sorts; the numbers of the text by column; where each term was written."""

    names: Names
    numbers: dict[int, str] = field(default_factory=dict)
    places: dict[int, tuple[int, Term]] = field(default_factory=dict)


Read = Callable[[ast.expr, Scope], Term]
_WHAT = {"family": "a family", "matrix": "a matrix", "let": "a definition"}


def bind(node: ast.expr, sort: tuple, scope: Scope) -> tuple[str, Scope]:
    """A bound name and the scope inside its binder; only a scalar may be shadowed."""
    if not isinstance(node, ast.Name):
        raise ReadError("an expression as bound variable", "a name", "write (k, 1, n)",
                        node.col_offset)
    try:
        return bind_name(given_name(node.id), sort, scope)
    except ReadError as error:
        raise error.at(node.col_offset) from None


def bind_name(name: str, sort: tuple, scope: Scope) -> tuple[str, Scope]:
    """`bind` for a name that is known already."""
    check_name(name, "a bound name")
    what = _WHAT.get(scope.names.get(name, ("real",))[0])
    if what:
        raise ReadError(f"{name} as a bound name, declared as {what}", "a name of its own",
                        "rename the bound variable")
    return name, replace(scope, names={**scope.names, name: sort})


def index(node: ast.expr, scope: Scope, read: Read) -> Term:
    """An index: a whole number by its form, else ReadError."""
    if isinstance(node, (ast.Slice, ast.Starred, ast.Tuple)):
        raise ReadError("a slice", "an index", "write a Sum over the index", node.col_offset)
    term = read(node, scope)
    if not whole(term, scope.names):
        raise ReadError("an index that need not be a whole number",
                        "integer symbols, bound indices and whole numbers",
                        "declare it an integer, or use floor(..)", node.col_offset)
    return term


def whole(term: Term, names: Names) -> bool:
    """Whether a term is a whole number by its form, its names being what they are declared."""
    if isinstance(term, int):
        return True
    if isinstance(term, str):
        return names.get(term, ("real",))[0] in ("integer", "let")
    if term[0] in ("floor", "sign", "delta", "factorial", "binomial"):
        return True
    if term[0] == "at":
        sort = names.get(term[1], ("let",))
        return sort[0] == "let" or sort[1] == ("integer",)
    if term[0] == "^":
        return whole(term[1], names) and isinstance(term[2], int)
    if term[0] in ("+", "-", "*", "max", "min", "abs"):
        return all(whole(part, names) for part in term[1:])
    if term[0] in ("sum", "prod"):
        return whole(term[1], {**names, term[2]: ("integer",)})
    if term[0] == "cases":
        return all(whole(c[2], names) for c in term[1:-1]) and whole(term[-1], names)
    return False
