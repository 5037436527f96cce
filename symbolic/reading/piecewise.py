"""Conditions and branches: `Piecewise((f, x > 0), (g, True))` and relations between numbers."""

import ast

from symbolic.kernel.term import Term
from symbolic.reading.names import ReadError
from symbolic.reading.scan import given_name
from symbolic.reading.scope import Read, Scope

# relation as written -> (head, whether the sides are turned round)
TURN = {"=": ("=", False), "==": ("=", False), "!=": ("!=", False), "<=": ("<=", False),
        "<": ("<", False), ">=": ("<=", True), ">": ("<", True), "psd": ("psd", False)}
_COMPARED = {ast.Eq: "=", ast.NotEq: "!=", ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">"}
_CALLED = {"Eq": "=", "Ne": "!=", "Le": "<=", "Lt": "<", "Ge": ">=", "Gt": ">"}
_OPPOSITE = {"=": "!=", "!=": "=", "<=": "<", "<": "<="}
MOST_JOINED = 3  # a conjunction copies the later branches, so it must stay small


def turned(sign: str, left: Term, right: Term) -> tuple:
    """The relation of two sides, `>=` and `>` turned round."""
    head, swap = TURN[sign]
    return (head, right, left) if swap else (head, left, right)


def branches(nodes: list[ast.expr], scope: Scope, read: Read) -> Term:
    """The term of Piecewise: the first branch whose condition holds, the last one has none."""
    pairs = []
    for node in nodes:
        if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
            raise ReadError("a branch of Piecewise that is no pair", "(value, condition)",
                            "end with (value, True)", node.col_offset)
        pairs.append((node.elts[0], node.elts[1]))
    if not pairs or not _true(pairs[-1][1]) or any(_true(c) for _, c in pairs[:-1]):
        raise ReadError("Piecewise without a last branch (value, True)",
                        "one branch for all other cases, and it last", "add (value, True)")
    rest: tuple = (read(pairs[-1][0], scope),)
    for value_node, condition in reversed(pairs[:-1]):
        value = read(value_node, scope)
        for joined in reversed(_alternatives(condition, scope, read)):
            for relation in reversed(joined[1:]):
                value = ("cases", ("case", relation, value), *rest)
            rest = (("case", joined[0], value), *rest)
            value = value if len(joined) == 1 else read(value_node, scope)
    return ("cases", *rest)


def relation_of(node: ast.expr, scope: Scope, read: Read) -> tuple | None:
    """The relation that a node is, None if it is none."""
    if isinstance(node, ast.Compare):
        if len(node.ops) != 1:
            raise ReadError("a chain of relations", "one relation at a time",
                            "write (0 < x) & (x < 1)", node.col_offset)
        sign = _COMPARED.get(type(node.ops[0]))
        if sign is None:
            raise ReadError("'in' or 'is'", "= != <= < >= >", "write a relation", node.col_offset)
        return turned(sign, read(node.left, scope), read(node.comparators[0], scope))
    if _called(node) in _CALLED and len(node.args) == 2:  # type: ignore[attr-defined]
        left, right = node.args  # type: ignore[attr-defined]
        return turned(_CALLED[_called(node)], read(left, scope), read(right, scope))
    return None


def _alternatives(node: ast.expr, scope: Scope, read: Read) -> list[list[tuple]]:
    """A condition as alternatives of joined relations."""
    relation = relation_of(node, scope, read)
    if relation is not None:
        return [[relation]]
    operation, parts = _parts(node)
    if operation == "not":
        inner = _alternatives(parts[0], scope, read)
        if len(inner) == 1 and len(inner[0]) == 1:
            head, left, right = inner[0][0]
            orders = head in ("<=", "<")
            return [[(_OPPOSITE[head], right, left) if orders else (_OPPOSITE[head], left, right)]]
    elif operation:
        inner = [_alternatives(part, scope, read) for part in parts]
        if operation == "or":
            return [joined for part in inner for joined in part]
        if all(len(part) == 1 for part in inner):
            joined = [relation for part in inner for relation in part[0]]
            if len(joined) <= MOST_JOINED:
                return [joined]
    raise ReadError("another condition", f"a relation, or up to {MOST_JOINED} relations joined "
                    "by &, or alternatives joined by |", "write (0 < x) & (x < 1), brackets too",
                    node.col_offset)


def _parts(node: ast.expr) -> tuple[str, list[ast.expr]]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
        return "and" if isinstance(node.op, ast.BitAnd) else "or", [node.left, node.right]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return "not", [node.operand]
    if _called(node) in ("And", "Or", "Not"):
        arguments = node.args  # type: ignore[attr-defined]
        if arguments and (_called(node) != "Not" or len(arguments) == 1):
            return _called(node).lower(), arguments
    return "", []


def _called(node: ast.expr) -> str:
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords
    return given_name(node.func.id) if plain else ""  # type: ignore[attr-defined]


def _true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True
