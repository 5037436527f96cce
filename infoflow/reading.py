"""Objectives as text: Python's syntax tree through a whitelist, node by node; nothing is evaluated.

Errors carry the column and the fragment of the text that is wrong.
"""

import ast
from dataclasses import dataclass
from fractions import Fraction

from infoflow.objective import Token, Value, product, turned
from symbolic.reading.names import ReadError, suggestion

LONGEST = 4000
MOST_PARTS = 2000       # monomials of an expansion
MONOTONE = ("norm", "sqrt", "exp", "log")
CALLS = ("dot", "fn", "norm2", *MONOTONE)


@dataclass(frozen=True)
class Letters:
    """The names that an objective may use: bound indices, matrices, symmetric ones, vectors."""

    indices: tuple[str, ...] = ()
    matrices: tuple[str, ...] = ()
    symmetric: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    tokens: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that may stand alone in an objective."""
        return (*self.matrices, *self.symmetric, *self.vectors, "I")


def read(text: str, letters: Letters) -> tuple[tuple[str, ...], Value]:
    """The monotone functions around the whole of an objective, outermost first, and its value.

    Raises ReadError, with column and fragment, for text outside the language.
    """
    text = " ".join(text.split()) if isinstance(text, str) else text
    try:
        around, value = _around(_parsed(text), text, letters)
    except RecursionError:
        raise ReadError(f"{text!r:.40}..", "fewer operations one inside another",
                        "write a shorter sum, or leave out brackets and signs") from None
    for size in value.parts.values():
        if not is_float(size):
            raise ReadError(f"a coefficient beyond floating point in {text!r:.40}",
                            "numbers from 1e-300 to 1e300", "scale the objective")
    return around, value


def is_float(number: Fraction) -> bool:
    """Whether floating point holds a number that is not 0, neither as 0 nor as infinity."""
    return Fraction(1, 10**300) <= abs(number) <= 10**300


def _around(node: ast.expr, text: str, letters: Letters) -> tuple[tuple[str, ...], Value]:
    around: list[str] = []
    while isinstance(node, ast.Call) and _called(node) in MONOTONE:
        name, (node,) = _called(node), _arguments(node, text, 1)
        around.append("sqrt" if name == "norm" else name)
        if name == "norm":
            value = _read(node, text, letters)
            return tuple(around), _squared(value, node, text)
    return tuple(around), _read(node, text, letters)


def _parsed(text: str) -> ast.expr:
    if not isinstance(text, str) or not text.strip():
        raise ReadError("an empty objective" if isinstance(text, str) else repr(text)[:40],
                        "what is compared", 'write it as text: "x[s] @ x[t]"')
    if len(text) > LONGEST:
        raise ReadError(f"{len(text)} characters", f"at most {LONGEST}", "shorten it")
    if not text.isascii():
        place = next(k for k, letter in enumerate(text) if not letter.isascii())
        raise ReadError(repr(text[place]), "ASCII", "write @ for products, - for minus", place + 1)
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = getattr(error, "offset", None) or 1
        raise ReadError(repr(text[max(0, place - 1):place + 11]), "an expression",
                        "look for a missing operation or bracket", place) from None


def refused(node: ast.expr, text: str, needed: str, todo: str, found: str = "") -> ReadError:
    """The error of a node, with the fragment of the text that it is."""
    fragment = text[node.col_offset:node.end_col_offset]
    fragment = fragment if len(fragment) <= 40 else fragment[:37] + "..."
    return ReadError(f"{found}{' in ' if found else ''}'{fragment}'", needed, todo,
                     node.col_offset + 1)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _arguments(node: ast.Call, text: str, count: int) -> list[ast.expr]:
    if node.keywords or len(node.args) != count:
        raise refused(node, text, f"{count} argument{'s' * (count > 1)}", "give them in order")
    return node.args


def _read(node: ast.expr, text: str, letters: Letters) -> Value:
    reader = _READERS.get(type(node))
    if reader is None:
        raise refused(node, text, "tokens x[s], @, +, -, numbers, .T, norm2(v), fn(..)",
                      "write the objective with these")
    return reader(node, text, letters)


def _constant(node: ast.Constant, text: str, letters: Letters) -> Value:
    if type(node.value) not in (int, float):
        raise refused(node, text, "a number", "names of functions stand in fn(..) only")
    try:
        size, number = float(node.value), Fraction(0)
        if node.value and (size == 0 or size == float("inf")):
            raise OverflowError
        number = Fraction(text[node.col_offset:node.end_col_offset].replace("_", ""))
    except (OverflowError, ValueError):
        raise refused(node, text, "a decimal number from 1e-300 to 1e300",
                      "write 0.5 or 3e4") from None
    return Value("scalar", {(): number} if number else {})


def _name(node: ast.Name, text: str, letters: Letters) -> Value:
    if node.id == "I":
        return Value("matrix", {(): Fraction(1)})
    if node.id in (*letters.matrices, *letters.symmetric):
        flag = None if node.id in letters.symmetric else False
        return Value("matrix", {((node.id, flag),): Fraction(1)})
    if node.id in letters.vectors:
        return Value("vector", {((), ("v", node.id)): Fraction(1)})
    if node.id == "x":
        raise refused(node, text, "a token", "write x[s] with s in `over`, or x[3]")
    raise refused(node, text, f"one of {', '.join(letters.names)}",
                  suggestion(node.id, letters.names)
                  or f"add {node.id} to matrices or vectors", "the unknown name")


def token(node: ast.expr, text: str, letters: Letters) -> Token:
    """The token that a node is: x[s] with s bound, or x[3]."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
            and node.value.id == "x"):
        raise refused(node, text, "a token", "write x[s] with s in `over`, or x[3]")
    place = node.slice
    if isinstance(place, ast.Constant) and type(place.value) is int:
        if place.value < 1 or letters.tokens is not None and place.value > letters.tokens:
            raise refused(node, text, f"a position in 1..{letters.tokens or 'T'}",
                          "positions are counted from 1")
        return place.value
    if isinstance(place, ast.Name) and place.id in letters.indices:
        return place.id
    if isinstance(place, ast.BinOp):
        raise refused(node, text, f"an index of `over` ({', '.join(letters.indices) or 'none'}) "
                      "or a position", 'a neighbour is read after a match: op = "argmax", '
                      'read = "x[t+1]"')
    name = place.id if isinstance(place, ast.Name) else ""
    raise refused(node, text, f"an index of `over` ({', '.join(letters.indices) or 'none'}) "
                  "or a position", suggestion(name, letters.indices)
                  or (f"add {name} to `over`" if name else "write x[s] with s in `over`, or x[3]"))


def _token(node: ast.Subscript, text: str, letters: Letters) -> Value:
    return Value("vector", {((), ("x", token(node, text, letters))): Fraction(1)})


def _unary(node: ast.UnaryOp, text: str, letters: Letters) -> Value:
    if not isinstance(node.op, ast.UAdd | ast.USub):
        raise refused(node, text, "a sign + or -", "leave it out")
    return Fraction(-1 if isinstance(node.op, ast.USub) else 1) * _read(node.operand, text, letters)


def _binary(node: ast.BinOp, text: str, letters: Letters) -> Value:
    left, right = (_read(part, text, letters) for part in (node.left, node.right))
    if isinstance(node.op, ast.Add | ast.Sub):
        if left.kind != right.kind:
            raise refused(node, text, "two of one kind", "add scalars to scalars, vectors to "
                          "vectors", f"a {left.kind} and a {right.kind}")
        return left + Fraction(-1 if isinstance(node.op, ast.Sub) else 1) * right
    if isinstance(node.op, ast.MatMult):
        return _product(left, right, node, text)
    if isinstance(node.op, ast.Mult) and (number := _number(left, right)) is not None:
        return number[0] * number[1]
    if isinstance(node.op, ast.Div) and (number := _number(right)) is not None and number[0]:
        return 1 / number[0] * left
    if isinstance(node.op, ast.Mult) and "scalar" not in (left.kind, right.kind):
        raise refused(node, text, "the product @", "use @ for products of vectors and matrices")
    todo = "norm2(v) squares a vector; name any other function of tokens by fn(\"f\", x[s])"
    raise refused(node, text, "sums, products @ and numbers times something", todo)


def _number(value: Value, other: Value | None = None) -> tuple[Fraction, Value | None] | None:
    """(number, the other value) where one of two values is a plain number."""
    if value.kind == "scalar" and set(value.parts) <= {()}:
        return value.parts.get((), Fraction(0)), other
    return _number(other, value) if other is not None and _number(other) else None


def _product(left: Value, right: Value, node: ast.expr, text: str) -> Value:
    if "scalar" in (left.kind, right.kind):
        raise refused(node, text, "vectors or matrices beside @", "use * for numbers")
    if len(left.parts) * len(right.parts) > MOST_PARTS:
        raise refused(node, text, f"at most {MOST_PARTS} products in an expansion",
                      "name the whole of it by fn(\"f\", x[s])",
                      f"{len(left.parts)} times {len(right.parts)} products")
    return product(left, right)


def _squared(value: Value, node: ast.expr, text: str) -> Value:
    if value.kind != "vector":
        raise refused(node, text, "a vector inside the norm", "write norm2(x[s] - x[t])",
                      f"a {value.kind}")
    return _product(value, value, node, text)


def _attribute(node: ast.Attribute, text: str, letters: Letters) -> Value:
    if node.attr != "T":
        raise refused(node, text, "no attribute but .T", "leave it out")
    value = _read(node.value, text, letters)
    if value.kind == "matrix":
        return Value("matrix", {turned(chain): c for chain, c in value.parts.items()})
    return value


def _call(node: ast.Call, text: str, letters: Letters) -> Value:
    name = _called(node)
    if name == "norm2":
        (inside,) = _arguments(node, text, 1)
        return _squared(_read(inside, text, letters), inside, text)
    if name == "dot":
        one, two = (_read(part, text, letters) for part in _arguments(node, text, 2))
        return _product(one, two, node, text)
    if name == "fn":
        return _opaque(node, text, letters)
    if name in MONOTONE:
        raise refused(node, text, f"{name}(..) around the whole objective only",
                      f"put {name} outside everything, or name a function: fn(\"f\", x[s])")
    raise refused(node, text, f"one of {', '.join(CALLS)}",
                  suggestion(name, CALLS) or "name any other function by fn(\"f\", x[s])",
                  "an unknown function")


def _opaque(node: ast.Call, text: str, letters: Letters) -> Value:
    name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    if not isinstance(name, str) or not name.isidentifier() or len(node.args) < 2 or node.keywords:
        raise refused(node, text, "a name in quotation marks, then tokens",
                      "write fn(\"f\", x[s], x[t])")
    scope = tuple(token(part, text, letters) for part in node.args[1:])
    return Value("scalar", {("fn", name, scope): Fraction(1)})


_READERS = {ast.Constant: _constant, ast.Name: _name, ast.Subscript: _token, ast.UnaryOp: _unary,
            ast.BinOp: _binary, ast.Attribute: _attribute, ast.Call: _call}
