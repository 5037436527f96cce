"""SymPy to terms, class by class, never by parsing text; `to_sympy` is the way back.

What comes from SymPy is as SymPy keeps it: reordered, and rewritten on construction.
"""

from collections.abc import Callable
from typing import Any

from symbolic.kernel.term import Term, fresh
from symbolic.reading.calls import HEAD_OF, side
from symbolic.reading.literals import rational
from symbolic.reading.names import NAME, ReadError, shown
from symbolic.reading.piecewise import turned
from symbolic.reading.tosympy import to_sympy

__all__ = ["from_sympy", "to_sympy"]


def from_sympy(expression: Any) -> Term:
    """The term of a SymPy expression, matrix or number; raises ReadError for anything else.

    Floats, undefined functions, unevaluated limits of other kinds and conditions other than
    relations have no term.
    """
    atoms = expression.atoms() if hasattr(expression, "atoms") else ()
    return _term(expression, {a.name: a for a in atoms if type(a).__name__ == "Symbol"})


def _term(e: Any, known: dict) -> Term:
    if isinstance(e, (bool, float)):
        raise _foreign(e)
    if isinstance(e, int):
        return rational(e)
    for base in type(e).__mro__:
        read = _FROM.get(base.__name__)
        if read is not None:
            return read(e, known)
    raise _foreign(e)


def _foreign(e: Any) -> ReadError:
    return ReadError(f"the SymPy {type(e).__name__} {shown(str(e))}", "an expression of the "
                     "language", "rewrite it in SymPy first (floats as Rational, for example)")


def _name(e: Any, known: dict) -> str:
    """The name of a symbol; two symbols that share a name must not meet in one term."""
    name = str(getattr(e, "name", e))
    if type(e).__name__ == "Dummy":
        stem = name.strip("_") or "x"
        used = frozenset(known)
        name = next((n for n, other in known.items() if other == e),
                    stem if stem not in used else fresh(stem, used))
    if not NAME.match(name):
        raise ReadError(f"the SymPy name {shown(name)}", "letters, digits and underscores",
                        "rename the symbol")
    if known.setdefault(name, e) != e:
        raise ReadError(f"two different SymPy symbols named {name}", "one symbol for one name",
                        "make them with the same assumptions, or rename one")
    return name


def _number(e: Any, known: dict) -> Term:
    from fractions import Fraction
    return rational(Fraction(int(e.p), int(e.q)))


def _add(e: Any, known: dict) -> Term:
    return ("+", *(_term(a, known) for a in e.as_ordered_terms()))


def _mul(e: Any, known: dict) -> Term:
    """A product as sign, numerators and denominators."""
    coefficient, rest = e.as_coeff_Mul()
    above, below = [], []
    if abs(coefficient.p) != 1:
        above.append(abs(int(coefficient.p)))
    if coefficient.q != 1:
        below.append(int(coefficient.q))
    for factor in rest.as_ordered_factors() if rest.is_Mul else [rest]:
        power = factor.exp if factor.is_Pow else None
        if power is not None and power.is_Rational and power < 0:
            below.append(_term(factor.base ** -power, known))
        elif factor != 1:
            above.append(_term(factor, known))
    term = _product(above)
    term = ("/", term, _product(below)) if below else term
    return ("-", term) if coefficient.p < 0 else term


def _product(factors: list[Term]) -> Term:
    return 1 if not factors else factors[0] if len(factors) == 1 else ("*", *factors)


def _pow(e: Any, known: dict) -> Term:
    base, power = e.base, e.exp
    if power.is_Rational and power < 0:
        return ("/", 1, _term(base ** -power, known))
    if power.is_Rational and 2 * power == 1:
        return ("sqrt", _term(base, known))
    return ("^", _term(base, known), _term(power, known))


def _plain(head: str) -> Callable[[Any, dict], Term]:
    return lambda e, known: (head, *(_term(a, known) for a in e.args))


def _matrix_product(e: Any, known: dict) -> Term:
    factors = [_term(a, known) for a in e.args]
    if factors[0] == ("-", 1):
        return ("-", _product(factors[1:]))
    return _product(factors)


def _matrix_power(e: Any, known: dict) -> Term:
    base, power = _term(e.base, known), e.exp
    if power == -1:
        return ("inv", base)
    return ("^", base, _term(power, known))


def _explicit(e: Any, known: dict) -> Term:
    return ("matrix", *(("row", *(_term(e[i, j], known) for j in range(e.cols)))
                        for i in range(e.rows)))


def _element(e: Any, known: dict) -> Term:
    return ("entry", _term(e.parent, known), _term(e.i + 1, known), _term(e.j + 1, known))


def _indexed(e: Any, known: dict) -> Term:
    return ("at", _name(e.base.label, known), *(_term(i, known) for i in e.indices))


def _binder(head: str) -> Callable[[Any, dict], Term]:
    def read(e: Any, known: dict) -> Term:
        term = _term(e.function, known)
        for limit in e.limits:
            if len(limit) != 3:
                raise ReadError(f"limits of the SymPy {type(e).__name__}", "both ends",
                                "give (x, low, high)")
            name, low, high = limit
            term = (head, term, _name(name, known), _term(low, known), _term(high, known))
        return term
    return read


def _limit(e: Any, known: dict) -> Term:
    body, name, point, sign = e.args
    end = _term(point, known)
    return ("limit", _term(body, known), _name(name, known), end, side(end, str(sign)))


def _derivative(e: Any, known: dict) -> Term:
    term = _term(e.expr, known)
    for variable, count in e.variable_count:
        if not count.is_Integer:
            raise _foreign(e)
        for _ in range(int(count)):
            term = ("diff", term, _term(variable, known))
    return term


_SIGNS = {"Equality": "=", "Unequality": "!=", "LessThan": "<=", "StrictLessThan": "<",
          "GreaterThan": ">=", "StrictGreaterThan": ">"}


def _piecewise(e: Any, known: dict) -> Term:
    cases = []
    for value, condition in e.args[:-1]:
        sign = _SIGNS.get(type(condition).__name__)
        if sign is None:
            raise _foreign(condition)
        left, right = (_term(a, known) for a in condition.args)
        cases.append(("case", turned(sign, left, right), _term(value, known)))
    value, condition = e.args[-1]
    if condition != True:  # noqa: E712  (SymPy's own true)
        raise ReadError("a SymPy Piecewise without a last branch", "(value, True) at the end",
                        "add it")
    return ("cases", *cases, _term(value, known))


def _constant(*term: str) -> Callable[[Any, dict], Term]:
    return lambda e, known: term


# Class name (found along the class's own line of bases) -> how it reads.
_FROM: dict[str, Callable[[Any, dict], Term]] = {
    **{name: _plain(head) for name, head in HEAD_OF.items() if head not in ("sqrt", "inv")},
    "Rational": _number, "Symbol": _name, "MatrixSymbol": _name, "Add": _add, "Mul": _mul,
    "Pow": _pow, "Indexed": _indexed, "Sum": _binder("sum"), "Product": _binder("prod"),
    "Integral": _binder("int"), "Limit": _limit, "Derivative": _derivative,
    "Piecewise": _piecewise, "MatAdd": _plain("+"), "MatMul": _matrix_product,
    "MatPow": _matrix_power, "MatrixElement": _element, "MatrixBase": _explicit,
    "Inverse": lambda e, known: ("inv", _term(e.arg, known)),
    "Identity": _plain("eye"), "ZeroMatrix": _plain("zeros"), "Pi": _constant("pi"),
    "Exp1": _constant("e"), "ImaginaryUnit": _constant("i"), "Infinity": _constant("oo"),
    "NegativeInfinity": lambda e, known: ("-", ("oo",)),
}
