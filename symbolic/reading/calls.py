"""The functions of the language: one table from the name an author writes to a term."""

import ast
from collections.abc import Callable

from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import HEADS, Term
from symbolic.reading.names import ReadError
from symbolic.reading.piecewise import branches
from symbolic.reading.scan import given_name
from symbolic.reading.scope import Read, Scope, bind, index

Call = Callable[[ast.Call, Scope, Read], Term]

# Names of the page, in SymPy's spelling, and the heads that they become as they stand.
_SAME = ("sqrt exp log sin cos tan sinh cosh tanh asin acos atan atan2 logistic sign floor "
         "factorial binomial re im")
HEAD_OF = {
    **{name: name for name in _SAME.split()},
    "Abs": "abs", "Max": "max", "Min": "min", "conjugate": "conj", "KroneckerDelta": "delta",
    "Transpose": "T", "Inverse": "inv", "Trace": "trace", "Determinant": "det",
    "Kronecker": "kron", "vec": "vec",
}
HIGHEST_ORDER = 20


def _plain(head: str) -> Call:
    fewest, most = HEADS[head]

    def call(node: ast.Call, scope: Scope, read: Read) -> Term:
        _count(node, fewest, most)
        return (head, *(read(a, scope) for a in node.args))
    return call


def _count(node: ast.Call, fewest: int, most: int | None) -> None:
    count = len(node.args)
    if count < fewest or (most is not None and count > most):
        need = str(fewest) if fewest == most else f"{fewest} to {most or 'any number'}"
        raise ReadError(f"{_name_of(node)} with {count} argument{'s' * (count != 1)}",
                        f"{need} argument{'s' * (need != '1')}", "check the commas and brackets")


def _name_of(node: ast.Call) -> str:
    return given_name(node.func.id)  # type: ignore[attr-defined]


def _rational(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 1, 2)
    parts = [read(a, scope) for a in node.args]
    if not all(isinstance(p[1] if isinstance(p, tuple) and p[0] == "-" else p, int)
               for p in parts):
        raise ReadError("Rational of something else than whole numbers", "Rational(3, 2)",
                        "write a/b")
    return parts[0] if len(parts) == 1 else ("/", parts[0], parts[1])


def _binder(head: str, sort: tuple) -> Call:
    def call(node: ast.Call, scope: Scope, read: Read) -> Term:
        _count(node, 2, 6)
        limits, inner = [], scope
        for limit in reversed(node.args[1:]):  # the last limit is the outermost, as in SymPy
            if not isinstance(limit, ast.Tuple) or len(limit.elts) != 3:
                raise ReadError(f"limits of {_name_of(node)} that are no triple",
                                "(k, low, high)", "give both ends", limit.col_offset)
            ends = [end(e, inner, read) for e in limit.elts[1:]]
            name, inner = bind(limit.elts[0], sort, inner)
            limits.append((name, *ends))
        term = read(node.args[0], inner)
        for limit in reversed(limits):
            term = (head, term, *limit)
        return term
    return call


def end(node: ast.expr, scope: Scope, read: Read) -> Term:
    """An end of a range or the point of a limit: a number, oo or -oo."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = end(node.operand, scope, read)
        if inner == ("oo",):
            return ("-", inner) if isinstance(node.op, ast.USub) else inner
    elif isinstance(node, ast.Name) and node.id == "oo" and "oo" not in scope.names:
        return ("oo",)
    return read(node, scope)


def _limit(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 3, 4)
    point = end(node.args[2], scope, read)
    name, inner = bind(node.args[1], ("real",), scope)
    sign = "+"
    if len(node.args) == 4:
        given = node.args[3]
        sign = given.value if isinstance(given, ast.Constant) else None
        if sign not in ("+", "-", "+-"):
            raise ReadError("another side", "'+', '-' or '+-'", "write Limit(f, x, a, '+')",
                            given.col_offset)
    return ("limit", read(node.args[0], inner), name, point, side(point, sign))


def side(point: Term, sign: str) -> int:
    """1 from above, -1 from below, 0 both; infinity has one side only, whatever is written."""
    if point == ("oo",):
        return -1
    if point == ("-", ("oo",)):
        return 1
    return {"+": 1, "-": -1}.get(sign, 0)


def _derivative(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 2, 10)
    term, last = read(node.args[0], scope), None
    for argument in node.args[1:]:
        pair = isinstance(argument, ast.Tuple) and len(argument.elts) == 2
        variable, order = argument.elts if pair else (argument, None)  # type: ignore
        if isinstance(argument, ast.Constant) and last is not None:
            variable, order, count = None, argument, -1  # it has been derived once already
        else:
            last, count = _variable(variable, scope, read), 0
        count += _order(order) if order is not None else 1
        for _ in range(count):
            term = ("diff", term, last)
    return term


def _order(node: ast.expr) -> int:
    value = node.value if isinstance(node, ast.Constant) else None
    if type(value) is not int or not 1 <= value <= HIGHEST_ORDER:
        raise ReadError("another order of a derivative", f"a whole number 1..{HIGHEST_ORDER}",
                        "write Derivative(f, x, 2)", node.col_offset)
    return value


def _variable(node: ast.expr, scope: Scope, read: Read) -> Term:
    term = read(node, scope)
    name = term[1] if isinstance(term, tuple) and term[0] == "at" else term
    sort: tuple = scope.names.get(name, ("",)) if isinstance(name, str) else ("",)
    kind: str = (sort[1] if sort[0] == "family" else sort)[0]
    if kind in ("real", "complex", "matrix"):
        return term
    found = {"integer": f"the integer {name}", "let": f"the defined name {name}"}.get(
        kind, "an expression")
    raise ReadError(f"a derivative by {found}", "a real symbol, an entry of a family, or a matrix",
                    "use another variable", node.col_offset)


def _piecewise(node: ast.Call, scope: Scope, read: Read) -> Term:
    return branches(node.args, scope, read)


def _matrix(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 1, 1)
    rows = node.args[0]
    if not isinstance(rows, (ast.List, ast.Tuple)) or not rows.elts:
        raise ReadError("a Matrix without rows", "Matrix([[a, b], [c, d]])", "write its rows")
    lists = [r.elts if isinstance(r, (ast.List, ast.Tuple)) else [r] for r in rows.elts]
    if len({len(r) for r in lists}) != 1 or not lists[0]:
        raise ReadError("rows of different lengths", "rows of one length",
                        "write every entry, zeros too", rows.col_offset)
    return ("matrix", *(("row", *(read(e, scope) for e in r)) for r in lists))


def _diag(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 1, 60)
    entries = [read(a, scope) for a in node.args]
    return ("matrix", *(("row", *(e if j == k else 0 for j in range(len(entries))))
                        for k, e in enumerate(entries)))


def _eye(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 1, 1)
    return ("eye", read(node.args[0], scope))


def _zeros(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 1, 2)
    sizes = [read(a, scope) for a in node.args]
    return ("zeros", sizes[0], sizes[-1])


def _norm2(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 1, 1)
    return _dot_of(node.args[0], node.args[0], scope, read)


def _dot(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 2, 2)
    return _dot_of(node.args[0], node.args[1], scope, read)


def _dot_of(left: ast.expr, right: ast.expr, scope: Scope, read: Read) -> Term:
    u, v = read(left, scope), read(right, scope)
    for node, term in ((left, u), (right, v)):
        found = shape(term, scope.names)
        if found is None or found[1] != 1 and not scalar(found):
            raise ReadError("dot or norm2 of something else", "vectors", "declare vector(d)",
                            node.col_offset)
    return ("trace", ("*", ("T", u), v))


def _softmax(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 2, 2)
    name, entry, low, high, bound = _range_of(node, scope)
    chosen = entry(index(node.args[1], scope, read))
    return ("/", ("exp", chosen), ("sum", ("exp", entry(bound)), bound, low, high))


def _logsumexp(node: ast.Call, scope: Scope, read: Read) -> Term:
    _count(node, 1, 1)
    _, entry, low, high, bound = _range_of(node, scope)
    return ("log", ("sum", ("exp", entry(bound)), bound, low, high))


def _range_of(node: ast.Call, scope: Scope) -> tuple:
    """The declared range of a one-index family or vector, an entry of it, and a bound name."""
    argument = node.args[0]
    name = given_name(argument.id) if isinstance(argument, ast.Name) else ""
    sort = scope.names.get(name, ("real",))
    bound = next(b for b in ("u", "v", "w", *(f"u{k}" for k in range(99)))
                 if b not in scope.names)
    if sort[0] == "family" and len(sort) == 3 and sort[1][0] == "real":
        low, high = sort[2][2:]
        return name, lambda i: ("at", name, i), low, high, bound
    if sort[0] == "matrix" and sort[2] == 1:
        return name, lambda i: ("entry", name, i, 1), 1, sort[1], bound
    raise ReadError(f"{_name_of(node)} of something else than a declared family",
                    "a family of one index or a vector, by its name",
                    "declare x = \"real[1..n]\", or write exp(..)/Sum(exp(..), (u, 1, n))",
                    argument.col_offset)


def _expect(node: ast.Call, scope: Scope, read: Read) -> Term:
    raise ReadError("Expect(..)", "an expression without expectations",
                    "laws cannot be declared yet; write the Integral or Sum with its density")


CALLS: dict[str, Call] = {
    **{name: _plain(head) for name, head in HEAD_OF.items()},
    "Rational": _rational, "Sum": _binder("sum", ("integer",)),
    "Product": _binder("prod", ("integer",)), "Integral": _binder("int", ("real",)),
    "Limit": _limit, "Derivative": _derivative, "Piecewise": _piecewise, "Matrix": _matrix,
    "diag": _diag, "eye": _eye, "Identity": _eye, "zeros": _zeros, "norm2": _norm2, "dot": _dot,
    "softmax": _softmax, "logsumexp": _logsumexp, "Expect": _expect,
}
