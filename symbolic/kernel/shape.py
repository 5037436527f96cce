"""Shapes: a number has shape None, a matrix (rows, columns), read off the declared sorts alone.

A vector is a matrix of one column. A 1 x 1 matrix is a number wherever a number is needed; this is
decided here, once, from declared shapes. Sizes agree when they are written alike.
"""

from collections.abc import Mapping
from math import prod
from typing import NoReturn

from symbolic.kernel.statement import Statement
from symbolic.kernel.term import BINDERS, RELATIONS, Malformed, Term, free, walk

Size = Term
Shape = tuple[Size, Size] | None
NUMBER = ("real",)


class Misshapen(Malformed):
    """Shapes that do not fit; `term` is the smallest subterm at fault."""

    def __init__(self, text: str, term: Term):
        super().__init__(text)
        self.term = term


def declared(statement: Statement) -> dict[str, tuple]:
    """The sorts of a statement's symbols, and of its defined names as `("let", indices, shape)`."""
    sorts = dict(statement.symbols)
    waiting = list(statement.let)
    while waiting:
        later = []
        for name, indices, body in waiting:
            try:
                inner = sorts | dict.fromkeys(indices, ("integer",))
                sorts[name] = ("let", len(indices), shape(body, inner))
            except Malformed as error:
                later.append(((name, indices, body), error))
        if len(later) == len(waiting):
            raise later[0][1]
        waiting = [item for item, _ in later]
    return sorts


def shape(term: Term, sorts: Mapping[str, tuple]) -> Shape:
    """The shape of a term: None for a number, (rows, columns) for a matrix.

    `sorts` gives the sort of each free name, `("let", indices, shape)` for a defined one. Raises
    Misshapen with both shapes in words: sums and relations of unlike shapes, products whose
    inner sizes differ, numbers where a matrix is needed and the other way round, undeclared
    names, families with the wrong number of indices.
    """
    if isinstance(term, int):
        return None
    if isinstance(term, str):
        return _of_name(term, sorts)
    rule = _RULES.get(term[0])
    if rule is not None:
        return rule(term, sorts)
    for part in term[1:]:  # every other head takes numbers and gives one
        found = shape(part, sorts)
        if found is not None:
            _number(part, found, term)
    return None


def scalar(found: Shape) -> bool:
    """Whether something of this shape may stand where a number is needed."""
    return found is None or found == (1, 1)


def words(found: Shape) -> str:
    """A shape as one says it: `a number`, `(d, k)`."""
    return "a number" if found is None else f"({_size(found[0])}, {_size(found[1])})"


def relation(term: tuple, sorts: Mapping[str, tuple]) -> None:
    """Check a relation: equal shapes; orders compare numbers, `psd` square matrices."""
    head, left, right = term
    one, two = shape(left, sorts), shape(right, sorts)
    if not (one == two or scalar(one) and scalar(two)):
        _refuse(term, f"{_both(left, one, right, two)}: needed both sides of {head!r} in one shape")
    if head in ("<=", "<", "!=") and not scalar(one):
        _refuse(term, f"both sides of {head!r} are {words(one)}: needed numbers; matrices are "
                      "compared by '=' or 'psd'")
    if head == "psd" and one is not None and one[0] != one[1]:
        _refuse(term, f"both sides of 'psd' are {words(one)}: needed square matrices")


def _of_name(name: str, sorts: Mapping[str, tuple]) -> Shape:
    sort = sorts.get(name)
    if sort is None:
        _refuse(name, f"{name} is not declared")
    if sort[0] == "matrix":
        return sort[1], sort[2]
    if sort[0] == "family" or sort[0] == "let" and sort[1]:
        count = len(sort) - 2 if sort[0] == "family" else sort[1]
        _refuse(name, f"{name} is a family: needed an entry, "
                      f"{name}[{', '.join('ijklmn'[:count])}]")
    return sort[2] if sort[0] == "let" else None


def _of_sum(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    found, first = shape(term[1], sorts), term[1]
    for part in term[2:]:
        other = shape(part, sorts)
        if other != found:
            if not (scalar(found) and scalar(other)):
                _refuse(term, f"{_both(first, found, part, other)}: "
                              "needed the parts of a sum in one shape")
            found = None
    return found


def _of_product(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    found, before = shape(term[1], sorts), term[1]
    for part in term[2:]:
        other = shape(part, sorts)
        if found is None or other is None:
            found = other if found is None else found
        elif found[1] == other[0]:
            found = found[0], other[1]
        elif scalar(found) or scalar(other):
            found = other if scalar(found) else found
        else:
            _refuse(term, f"{_both(before, found, part, other)}: needed as many columns on "
                          f"the left of a product ({_size(found[1])}) as rows on its right "
                          f"({_size(other[0])})")
        before = part
    return found


def _of_quotient(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    below = shape(term[2], sorts)
    if not scalar(below):
        _refuse(term, f"{_say(term[2])} is {words(below)}: needed a number as divisor; "
                      "a matrix has an Inverse")
    return shape(term[1], sorts)


def _of_power(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    _, base, exponent = term
    found = shape(base, sorts)
    _number(exponent, shape(exponent, sorts), term)
    if scalar(found):
        return None
    if found is not None and found[0] != found[1]:
        _refuse(term, f"{_say(base)} is {words(found)}: needed a square matrix in a power")
    if not isinstance(exponent, int) or exponent < 0:
        _refuse(term, f"{_say(base)} is {words(found)}: needed a whole exponent in digits "
                      "for a matrix")
    return found


def _of_negative(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    return shape(term[1], sorts)


def _of_binder(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    head, body, name, *ends = term
    whole = head in ("sum", "prod")
    if sorts.get(name, NUMBER)[0] in ("family", "matrix", "let"):
        _refuse(term, f"{name} is bound here and declared as something else than a number: needed "
                      "a bound name of its own")
    for end in ends[:1] if head == "limit" else ends:
        _number(end, shape(end, sorts), term)
    _no_moving_size(body, name, term)
    if any(name in inner[1:3] for sort in sorts.values()
           if (inner := sort[1] if sort[0] == "family" else sort)[0] == "matrix"):
        _refuse(term, f"{name} is bound here and the size of a matrix: needed another name")
    found = shape(body, {**sorts, name: ("integer",) if whole else NUMBER})
    if head == "prod" and not scalar(found):
        _refuse(term, f"the factors of a Product are {words(found)}: needed numbers")
    return found


def _no_moving_size(body: Term, name: str, around: Term) -> None:
    """A size is one number: it may not move with an index that is bound around it."""
    for t in walk(body):
        if isinstance(t, tuple) and t[0] in ("eye", "zeros") and name in free(t):
            _refuse(around, f"a matrix whose size moves with the bound name {name}: "
                            "needed a size that is the same for every index")


def _of_derivative(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    found = shape(term[2], sorts)
    if found is not None:
        _number(term[1], shape(term[1], sorts), term)
        return found
    return shape(term[1], sorts)


def _of_cases(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    for case in term[1:-1]:
        relation(case[1], sorts)
    values = [case[2] for case in term[1:-1]] + [term[-1]]
    found = shape(values[0], sorts)
    for value in values[1:]:
        other = shape(value, sorts)
        if other != found and not (scalar(found) and scalar(other)):
            _refuse(term, f"{_both(values[0], found, value, other)}: "
                          "needed the values of a Piecewise in one shape")
    return None if scalar(found) else found


def _of_entry_of_family(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    _, name, *indices = term
    sort = sorts.get(name)
    if sort is None or sort[0] not in ("family", "let"):
        _refuse(term, f"{name} is {'not declared' if sort is None else 'no family'}")
    count = len(sort) - 2 if sort[0] == "family" else sort[1]
    if count != len(indices):
        _refuse(term, f"{name} with {len(indices)} ind{'ex' if len(indices) == 1 else 'ices'}: "
                      f"needed {count}")
    for index in indices:
        _number(index, shape(index, sorts), term)
    if sort[0] == "let":
        return sort[2]
    return sort[1][1:3] if sort[1][0] == "matrix" else None


def _of_entry(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    found = shape(term[1], sorts)
    if found is None:
        _refuse(term, f"{_say(term[1])} is a number: needed a matrix for an entry")
    for index, size in zip(term[2:], found, strict=True):
        _number(index, shape(index, sorts), term)
        if isinstance(index, int) and (index < 1 or isinstance(size, int) and index > size):
            _refuse(term, f"{_say(term[1])} is {words(found)}, with an entry at {index}: needed an "
                          "index within the size")
    return None


def _of_matrix(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    for row in term[1:]:
        for part in row[1:]:
            _number(part, shape(part, sorts), term)
    return len(term) - 1, len(term[1]) - 1


def _of_transpose(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    found = shape(term[1], sorts)
    return None if found is None else (found[1], found[0])


def _of_square(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    found = shape(term[1], sorts)
    if found is not None and found[0] != found[1]:
        names = {"inv": "an Inverse", "trace": "a Trace", "det": "a Determinant"}
        _refuse(term, f"{_say(term[1])} is {words(found)}: needed a square matrix for "
                      f"{names[term[0]]}")
    return found if term[0] == "inv" else None


def _of_constant_matrix(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    for size in term[1:]:
        factors = size[1:] if isinstance(size, tuple) and size[0] == "*" else (size,)
        if not all(isinstance(n, int) and n >= 1
                   or isinstance(n, str) and sorts.get(n) == ("integer",) for n in factors):
            _refuse(term, f"{_say(size)} as a size: needed a positive whole number or an integer "
                          "symbol, or a product of these")
    return times(term[1], 1), times(term[-1], 1)


def times(one: Size, two: Size) -> Size:
    """The product of two sizes, in the one way that it is written: digits first, then names."""
    factors = [f for n in (one, two) for f in (n[1:] if isinstance(n, tuple) else (n,))]
    digits = prod(f for f in factors if isinstance(f, int))
    names = sorted(f for f in factors if isinstance(f, str))
    parts = (digits, *names) if digits != 1 or not names else tuple(names)
    return parts[0] if len(parts) == 1 else ("*", *parts)


def _of_kronecker(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    one, two = (shape(t, sorts) or (1, 1) for t in term[1:])
    return times(one[0], two[0]), times(one[1], two[1])


def _of_vec(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    found = shape(term[1], sorts)
    if found is None:
        _refuse(term, f"{_say(term[1])} is a number: needed a matrix for vec")
    return times(*found), 1


def _of_all(term: tuple, sorts: Mapping[str, tuple]) -> Shape:
    inner = dict(sorts)
    for _, name, low, high in term[2:]:
        _number(low, shape(low, inner), term)
        _number(high, shape(high, inner), term)
        if inner.get(name, NUMBER)[0] in ("family", "matrix", "let"):
            _refuse(term, f"{name} is bound here and declared as something else than a number: "
                          "needed a bound name of its own")
        _no_moving_size(term[1], name, term)
        inner[name] = ("integer",)
    return relation(term[1], inner)


_RULES = {
    "+": _of_sum, "-": _of_negative, "*": _of_product, "/": _of_quotient, "^": _of_power,
    "at": _of_entry_of_family, "entry": _of_entry, "diff": _of_derivative, "cases": _of_cases,
    "matrix": _of_matrix, "eye": _of_constant_matrix, "zeros": _of_constant_matrix,
    "T": _of_transpose, "inv": _of_square, "trace": _of_square, "det": _of_square, "all": _of_all,
    "kron": _of_kronecker, "vec": _of_vec,
    # Elementwise on purpose: the real and imaginary part and the conjugate of a matrix.
    "re": _of_negative, "im": _of_negative, "conj": _of_negative,
    **dict.fromkeys(BINDERS, _of_binder), **dict.fromkeys(RELATIONS, relation),
}


def _number(term: Term, found: Shape, around: Term) -> None:
    if not scalar(found):
        _refuse(around, f"{_say(term)} is {words(found)}: needed a number here")


def _both(left: Term, one: Shape, right: Term, two: Shape) -> str:
    first, second = _say(left, "the left"), _say(right, "the right")
    return f"{first} is {words(one)} and {second} is {words(two)}"


def _say(term: Term, otherwise: str = "the expression") -> str:
    """A short name for a term in a message."""
    if isinstance(term, (int, str)):
        return str(term)
    if term[0] == "T" and isinstance(term[1], str):
        return f"{term[1]}.T"
    if term[0] == "inv" and isinstance(term[1], str):
        return f"Inverse({term[1]})"
    if term[0] == "at" and all(isinstance(a, (int, str)) for a in term[2:]):
        return f"{term[1]}[{', '.join(map(str, term[2:]))}]"
    return otherwise


def _size(size: Size) -> str:
    return str(size) if isinstance(size, (int, str)) else "(" + " ".join(map(str, size)) + ")"


def _refuse(term: Term, text: str) -> NoReturn:
    raise Misshapen(text, term)
