"""Objectives from SymPy expressions, through the terms of `symbolic`; nothing is parsed.

Tokens are MatrixSymbol("x_s", d, 1), or coordinates IndexedBase("x")[s, i] under a Sum over i;
matrices MatrixSymbol("A", d, d) or IndexedBase("A")[i, j]; vectors likewise.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from infoflow.objective import Value, product, turned
from infoflow.reading import Letters
from symbolic.reading.names import ReadError


def from_sympy(expression: Any, letters: Letters) -> Value:
    """The value of a SymPy expression as objective; raises ReadError for what is none."""
    from symbolic.reading.bridge import from_sympy as term_of
    expanded = expression.expand() if hasattr(expression, "expand") else expression
    value = _value(term_of(expanded), letters)
    return Value("vector", value.parts) if value.kind == "row" else value


def _value(term: Any, letters: Letters) -> Value:
    if isinstance(term, int):
        return Value("scalar", {(): Fraction(term)} if term else {})
    if isinstance(term, str):
        return _letter(term, letters)
    reader = _HEADS.get(term[0])
    if reader is None:
        raise _foreign(term)
    return reader(term, letters)


def _foreign(term: Any) -> ReadError:
    what = term[0] if isinstance(term, tuple) else term
    return ReadError(f"{what!r} in a SymPy objective", "sums and products of tokens, matrices, "
                     "vectors and numbers", "rewrite it, or give the objective as text")


def _letter(name: str, letters: Letters) -> Value:
    one = Fraction(1)
    if name in (*letters.matrices, *letters.symmetric):
        return Value("matrix", {((name, None if name in letters.symmetric else False),): one})
    if name in letters.vectors:
        return Value("vector", {((), ("v", name)): one})
    if name.startswith("x_"):
        return Value("vector", {((), ("x", _place(name[2:], letters))): one})
    raise ReadError(f"the name {name!r}", f"x_s for a token, or one of {', '.join(letters.names)}",
                    "declare it among matrices or vectors")


def _place(index: Any, letters: Letters) -> str | int:
    if str(index).isdigit() and int(index) >= 1:
        return int(index)
    if index in letters.indices:
        return index
    raise ReadError(f"the token at {index!r}", f"one of {', '.join(letters.indices)} or a position",
                    "add it to `over`")


def _sum(term: tuple, letters: Letters) -> Value:
    parts = [_value(part, letters) for part in term[1:]]
    if len({p.kind for p in parts}) != 1:
        raise _foreign(term)
    return sum(parts[1:], parts[0])


def _times(term: tuple, letters: Letters) -> Value:
    number, rest = Fraction(1), None
    for part in term[1:]:
        value = _value(part, letters)
        if value.kind == "scalar" and set(value.parts) <= {()}:
            number *= value.parts.get((), Fraction(0))
            continue
        rest = value if rest is None else _joined(rest, value, term)
    return Value("scalar", {(): number} if number else {}) if rest is None else number * rest


def _joined(left: Value, right: Value, term: tuple) -> Value:
    kinds = (left.kind, right.kind)
    allowed = {("matrix", "matrix"): "matrix", ("matrix", "vector"): "vector",
               ("row", "matrix"): "row", ("row", "vector"): "scalar"}
    if kinds not in allowed:
        raise _foreign(term)
    plain = [Value("vector", v.parts) if v.kind == "row" else v for v in (left, right)]
    return Value(allowed[kinds], product(*plain).parts)


def _transposed(term: tuple, letters: Letters) -> Value:
    inside = _value(term[1], letters)
    if inside.kind == "matrix":
        return Value("matrix", {turned(chain): c for chain, c in inside.parts.items()})
    return Value({"vector": "row", "row": "vector"}.get(inside.kind, inside.kind), inside.parts)


def _divided(term: tuple, letters: Letters) -> Value:
    below = _value(term[2], letters)
    if below.kind != "scalar" or set(below.parts) != {()}:
        raise _foreign(term)
    return 1 / below.parts[()] * _value(term[1], letters)


def _entry(term: tuple, letters: Letters) -> Value:
    inside = _value(term[1], letters)
    if inside.kind != "scalar" or term[2:] != (1, 1):
        raise _foreign(term)
    return inside


def _coordinates(term: tuple, letters: Letters) -> Value:
    """A sum over coordinates: each product of entries is a chain from one vector to another."""
    bound = set()
    while isinstance(term, tuple) and term[0] == "sum":
        bound.add(term[2])
        term = term[1]
    total = Value("scalar", {})
    for sign, monomial in _monomials(term):
        number, entries = Fraction(sign), []
        for factor in monomial:
            power = 1
            if isinstance(factor, tuple) and factor[0] == "^" and isinstance(factor[2], int):
                factor, power = factor[1], factor[2]
            if isinstance(factor, tuple) and factor[0] == "at":
                entries += [factor[1:]] * power
            else:
                number *= _value(factor, letters).parts.get((), Fraction(0)) ** power
        total = total + number * _contracted(entries, bound, letters)
    return total


def _monomials(term: Any, sign: int = 1) -> list[tuple[int, tuple]]:
    if isinstance(term, tuple) and term[0] == "+":
        return [m for part in term[1:] for m in _monomials(part, sign)]
    if isinstance(term, tuple) and term[0] == "-":
        return _monomials(term[1], -sign)
    return [(sign, term[1:] if isinstance(term, tuple) and term[0] == "*" else (term,))]


def _contracted(entries: list[tuple], bound: set, letters: Letters) -> Value:
    """x[s,i] A[i,j] x[t,j] as x_s' A x_t; each coordinate stands exactly twice."""
    ends = [e for e in entries if sum(i in bound for i in e[1:]) == 1]
    middle = [e for e in entries if e not in ends]
    if len(ends) != 2:
        raise _foreign(("a product that is no chain of vector, matrices, vector",))
    value, index = _end(ends[0], letters)
    while middle:
        link = next((e for e in middle if index in e[1:] and len(e) == 3), None)
        if link is None:
            raise _foreign(("a coordinate that does not stand twice",))
        middle.remove(link)
        matrix = _letter(link[0], letters)
        forward = link[1] == index
        value = product(value, matrix) if forward else product(matrix, value)
        index = link[2] if forward else link[1]
    last, other = _end(ends[1], letters)
    if other != index:
        raise _foreign(("a coordinate that does not stand twice",))
    return product(value, last)


def _end(entry: tuple, letters: Letters) -> tuple[Value, Any]:
    if entry[0] == "x" and len(entry) == 3:
        return _letter(f"x_{entry[1]}", letters), entry[2]
    if len(entry) == 2:
        return _letter(entry[0], letters), entry[1]
    raise _foreign(entry)


_HEADS: Mapping[str, Any] = {
    "+": _sum, "*": _times, "T": _transposed, "/": _divided, "entry": _entry,
    "sum": _coordinates, "-": lambda t, n: Fraction(-1) * _value(t[1], n),
    "trace": lambda t, n: _value(t[1], n), "eye": lambda t, n: Value("matrix", {(): Fraction(1)})}
