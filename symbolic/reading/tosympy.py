"""Terms to SymPy, by constructors: for search alone. Nothing that SymPy answers is believed."""

from collections.abc import Callable, Mapping
from typing import Any

from symbolic.kernel.statement import Statement
from symbolic.kernel.term import RELATIONS, Term, unfold
from symbolic.reading.calls import HEAD_OF
from symbolic.reading.names import ReadError

Env = Mapping[str, Any]


def to_sympy(term: Term, about: Statement | Mapping[str, tuple]) -> Any:
    """The SymPy expression of a term, its names as a statement (or a mapping of sorts) says.

    Signs that the facts state become assumptions. Defined names are unfolded first. Raises
    ReadError for families of matrices, which SymPy cannot say.
    """
    if isinstance(about, Statement):
        sorts, given = dict(about.symbols), about.given
        term = unfold(term, about.let)
    else:
        sorts, given = dict(about), ()
    return _build(term, {name: _symbol(name, sort, sorts, given) for name, sort in sorts.items()})


def _symbol(name: str, sort: tuple, sorts: Mapping, given: tuple) -> Any:
    import sympy
    if sort[0] == "family":
        if sort[1][0] == "matrix":
            return None
        return sympy.IndexedBase(name, **_assumed(sort[1]))  # type: ignore[arg-type]
    if sort[0] == "matrix":
        sizes = [_symbol(s, ("integer",), sorts, given) if isinstance(s, str) else s
                 for s in sort[1:3]]
        return sympy.MatrixSymbol(name, *sizes)
    signs = {}
    if ("<", 0, name) in given or ("<=", 1, name) in given:
        signs = {"positive": True}
    elif ("<=", 0, name) in given:
        signs = {"nonnegative": True}
    return sympy.Symbol(name, **_assumed(sort), **signs)


def _assumed(sort: tuple) -> dict[str, bool]:
    return {"real": {"real": True}, "integer": {"integer": True}}.get(sort[0], {})


def _build(term: Term, env: Env) -> Any:
    import sympy
    if isinstance(term, int):
        return sympy.Integer(term)
    if isinstance(term, str):
        if env.get(term) is None:
            raise ReadError(f"{term}", "a declared name that SymPy can say", "")
        return env[term]
    head = term[0]
    if head in _TO:
        return _TO[head](sympy, term, env)
    if head in RELATIONS and head != "psd":
        make = {"=": sympy.Eq, "!=": sympy.Ne, "<=": sympy.Le, "<": sympy.Lt}[head]
        return make(*(_scalar(_build(a, env)) for a in term[1:]))
    name = _SYMPY_NAME.get(head)
    if name is None:
        raise ReadError(f"the head {head}", "one that SymPy can say", "")
    return getattr(sympy, name)(*(_scalar(_build(a, env)) for a in term[1:]))


def _scalar(e: Any) -> Any:
    """A 1 x 1 matrix as the number that it is."""
    return e[0, 0] if getattr(e, "is_Matrix", False) and e.shape == (1, 1) else e


def _combined(sympy: Any, term: tuple, env: Env) -> Any:
    """A sum or a product; 1 x 1 matrices turn into numbers where numbers stand beside them."""
    parts = [_build(a, env) for a in term[1:]]
    result = parts[0]
    for part in parts[1:]:
        try:
            result = result + part if term[0] == "+" else result * part
        except (TypeError, ValueError):
            one, two = _scalar(result), _scalar(part)
            result = one + two if term[0] == "+" else one * two
    return result


def _bound(sympy: Any, term: tuple, env: Env) -> Any:
    head, body, name, low, high = term
    kind = {"real": True} if head == "int" else {"integer": True}
    symbol = sympy.Symbol(name, **kind)
    make = {"sum": sympy.Sum, "prod": sympy.Product, "int": sympy.Integral}[head]
    inner = _scalar(_build(body, {**env, name: symbol}))
    return make(inner, (symbol, _build(low, env), _build(high, env)))


def _limit_of(sympy: Any, term: tuple, env: Env) -> Any:
    _, body, name, point, sign = term
    symbol = sympy.Symbol(name, real=True)
    direction = {1: "+", -1: "-", 0: "+-"}[sign]
    return sympy.Limit(_scalar(_build(body, {**env, name: symbol})), symbol, _build(point, env),
                       direction)


def _cases_of(sympy: Any, term: tuple, env: Env) -> Any:
    branches = [(_scalar(_build(c[2], env)), _build(c[1], env)) for c in term[1:-1]]
    return sympy.Piecewise(*branches, (_scalar(_build(term[-1], env)), True))


def _at_of(sympy: Any, term: tuple, env: Env) -> Any:
    return _build(term[1], env)[tuple(_build(a, env) for a in term[2:])]


def _entry_of(sympy: Any, term: tuple, env: Env) -> Any:
    return _build(term[1], env)[_build(term[2], env) - 1, _build(term[3], env) - 1]


def _quotient_of(sympy: Any, term: tuple, env: Env) -> Any:
    return _build(term[1], env) / _scalar(_build(term[2], env))


def _matrix_of(sympy: Any, term: tuple, env: Env) -> Any:
    return sympy.ImmutableMatrix([[_scalar(_build(e, env)) for e in row[1:]] for row in term[1:]])


def _of_whole(name: str) -> Callable[[Any, tuple, Env], Any]:
    return lambda sympy, term, env: getattr(sympy, name)(_build(term[1], env))


_TO: dict[str, Callable[[Any, tuple, Env], Any]] = {
    "+": _combined, "*": _combined, "/": _quotient_of,
    "-": lambda sympy, term, env: -_build(term[1], env),
    "^": lambda sympy, term, env: _scalar(_build(term[1], env)) ** _build(term[2], env),
    "pi": lambda sympy, term, env: sympy.pi, "e": lambda sympy, term, env: sympy.E,
    "i": lambda sympy, term, env: sympy.I, "oo": lambda sympy, term, env: sympy.oo,
    "at": _at_of, "entry": _entry_of, "sum": _bound, "prod": _bound, "int": _bound,
    "limit": _limit_of, "cases": _cases_of, "matrix": _matrix_of,
    "diff": lambda sympy, term, env: sympy.Derivative(_scalar(_build(term[1], env)),
                                                      _build(term[2], env)),
    "logistic": lambda sympy, term, env: 1 / (1 + sympy.exp(-_scalar(_build(term[1], env)))),
    "eye": _of_whole("Identity"), "T": _of_whole("Transpose"), "inv": _of_whole("Inverse"),
    "trace": _of_whole("Trace"), "det": _of_whole("Determinant"),
    "zeros": lambda sympy, term, env: sympy.ZeroMatrix(*(_build(a, env) for a in term[1:])),
}
# What is left of the names of the page: SymPy's own functions.
_SYMPY_NAME = {head: name for name, head in HEAD_OF.items() if head not in _TO}
