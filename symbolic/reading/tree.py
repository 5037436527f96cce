"""Python's syntax tree to a term, node by node, through a whitelist; nothing is evaluated.

Chains of `+`, `-` and `*` become flat terms without recursion, so a sum of thousands of parts
reads as easily as one of two.
"""

import ast

from symbolic.kernel.shape import shape
from symbolic.kernel.term import Term
from symbolic.reading.calls import CALLS
from symbolic.reading.literals import number
from symbolic.reading.names import ReadError, suggestion
from symbolic.reading.scan import given_name
from symbolic.reading.scope import Scope, index

CONSTANTS = {"pi": ("pi",), "E": ("e",), "I": ("i",)}
NO_NUMBERS = frozenset({"nan", "zoo", "inf", "NaN", "Infinity"})
ATTRIBUTES = {"inv": "Inverse(A)", "I": "Inverse(A)", "H": "conjugate(A).T",
              "trace": "Trace(A)", "det": "Determinant(A)", "transpose": "A.T"}
LONGEST_CHAIN = 100


def read(node: ast.expr, scope: Scope) -> Term:
    """The term of a node; raises ReadError with a column for whatever is not whitelisted."""
    reader = _READERS.get(type(node))
    if reader is None:
        raise ReadError(_KINDS.get(type(node), type(node).__name__.lower()),
                        "an expression of the language", "see the list of functions",
                        max(1, node.col_offset))
    try:
        term = reader(node, scope)
    except ReadError as error:
        raise error.at(node.col_offset) from None
    if isinstance(term, tuple):
        scope.places[id(term)] = node.col_offset, term
    return term


def _name(node: ast.Name, scope: Scope) -> Term:
    name = given_name(node.id)
    if name in scope.names:
        return name
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name == "oo":
        raise ReadError("oo as a number", "oo as an end of Integral or Sum, or as the point of "
                        "a Limit", "write a Limit")
    if name in NO_NUMBERS:
        raise ReadError(name, "a number", f"{name} is none")
    if name in CALLS:
        raise ReadError(f"{name} without arguments", "an application", f"write {name}(..)")
    close = suggestion(name, [*scope.names, *CONSTANTS, *CALLS])
    raise ReadError(f"the undeclared name {name}", "a declared name",
                    close or f"add {name} to the symbols")


def _constant(node: ast.Constant, scope: Scope) -> Term:
    written = scope.numbers.get(node.col_offset)
    if written is not None and type(node.value) in (int, float):
        return number(written)
    what = "a string" if isinstance(node.value, str) else str(node.value)
    raise ReadError(what, "a number", "conditions stand in a Piecewise only")


def _unary(node: ast.UnaryOp, scope: Scope) -> Term:
    if isinstance(node.op, ast.UAdd):
        return read(node.operand, scope)
    if isinstance(node.op, ast.USub):
        return ("-", read(node.operand, scope))
    raise ReadError("'~' or 'not'", "a number", "conditions stand in a Piecewise only")


def _binary(node: ast.BinOp, scope: Scope) -> Term:
    if isinstance(node.op, (ast.Add, ast.Sub)):
        return _sum(node, scope)
    if isinstance(node.op, (ast.Mult, ast.Div)):
        return _product(node, scope)
    if isinstance(node.op, ast.Pow):
        return _power(read(node.left, scope), read(node.right, scope), scope)
    if isinstance(node.op, ast.FloorDiv):
        raise ReadError("'//'", "an operation of the language", "write floor(a/b)")
    raise ReadError("'&' or '|' between numbers", "an operation of the language",
                    "conditions stand in a Piecewise only")


def _sum(node: ast.expr, scope: Scope) -> Term:
    parts: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        parts.append((node.op, node.right))
        node = node.left
    terms = [read(node, scope)]
    for operation, part in reversed(parts):
        term = read(part, scope)
        terms.append(term if isinstance(operation, ast.Add) else ("-", term))
    return ("+", *terms)


def _product(node: ast.expr, scope: Scope) -> Term:
    parts: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        parts.append((node.op, node.right))
        node = node.left
    factors: list[Term] = [read(node, scope)]
    for operation, part in reversed(parts):
        term = read(part, scope)
        if isinstance(operation, ast.Mult):
            factors.append(term)
        else:
            factors = [("/", _joined(factors), term)]
    if sum(isinstance(operation, ast.Div) for operation, _ in parts) > LONGEST_CHAIN:
        raise ReadError("a long chain of divisions", f"at most {LONGEST_CHAIN}",
                        "divide by a product")
    return _joined(factors)


def _joined(factors: list[Term]) -> Term:
    return factors[0] if len(factors) == 1 else ("*", *factors)


def _power(base: Term, exponent: Term, scope: Scope) -> Term:
    if isinstance(exponent, tuple) and exponent[0] == "-" and isinstance(exponent[1], int) \
            and shape(base, scope.names) not in (None, (1, 1)):
        inverse = ("inv", base)
        return inverse if exponent[1] == 1 else ("^", inverse, exponent[1])
    return ("^", base, exponent)


def _subscript(node: ast.Subscript, scope: Scope) -> Term:
    places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    family = isinstance(node.value, ast.Name) and scope.names.get(given_name(node.value.id))
    if family and (family[0] == "family" or family[0] == "let" and family[1]):
        indices = [index(place, scope, read) for place in places]
        return ("at", given_name(node.value.id), *indices)  # type: ignore[attr-defined]
    whole = read(node.value, scope)
    found = shape(whole, scope.names)
    if found is None:
        raise ReadError("an index on a number", "a family or a matrix",
                        f"declare it as a family: {ast.unparse(node.value)} = \"real[1..n]\"")
    if len(places) == 1 and found[1] == 1:
        return ("entry", whole, index(places[0], scope, read), 1)
    if len(places) != 2:
        raise ReadError(f"{len(places)} indices on a matrix", "a row and a column",
                        "write A[i, j]")
    return ("entry", whole, index(places[0], scope, read), index(places[1], scope, read))


def _attribute(node: ast.Attribute, scope: Scope) -> Term:
    if node.attr != "T":
        todo = ATTRIBUTES.get(node.attr)
        raise ReadError(f".{node.attr}", "no attribute but .T",
                        f"write {todo}" if todo else "leave it out")
    return ("T", read(node.value, scope))


def _call(node: ast.Call, scope: Scope) -> Term:
    if not isinstance(node.func, ast.Name):
        raise ReadError("a call of an expression", "a function of the language",
                        "write products with *")
    name = given_name(node.func.id)
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        raise ReadError(f"keywords or stars in {name}(..)", "plain arguments",
                        "give the arguments in order")
    if name in scope.names:
        sort = scope.names[name]
        family = sort[0] == "family" or sort[0] == "let" and sort[1]
        raise ReadError(f"{name}(..), a call of the declared name {name}",
                        "an index or an operation",
                        f"write {name}[..]" if family else f"write {name}*(..), or rename {name}")
    if name not in CALLS:
        close = suggestion(name, [*CALLS, *(n for n in scope.names)])
        raise ReadError(f"the unknown function {name}", "a function of the language",
                        close or "see the list of functions")
    return CALLS[name](node, scope, read)


_READERS = {
    ast.Name: _name, ast.Constant: _constant, ast.UnaryOp: _unary, ast.BinOp: _binary,
    ast.Subscript: _subscript, ast.Attribute: _attribute, ast.Call: _call,
}
_KINDS = {
    ast.Compare: "a relation inside an expression", ast.Tuple: "a comma", ast.List: "a list",
    ast.Starred: "a star", ast.NamedExpr: "an assignment",
}
