"""Solving one relation for one name: linear forms, affine terms, and inverting term by term."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from symbolic.kernel.propose.exact import (
    EXACT,
    Inexact,
    Number,
    add,
    exact,
    inverse,
    multiply,
    negative,
    rational,
)
from symbolic.kernel.propose.float import floating
from symbolic.kernel.term import BINDERS, Term


def cells(term: Term) -> frozenset[str]:
    """The cells of a ground term."""
    found, stack, seen = set(), [term], set()
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.add(item)
        elif isinstance(item, tuple) and id(item) not in seen:  # parts are shared
            seen.add(id(item))
            stack.extend(item[1:])
    return frozenset(found)


def linear(term: Term) -> dict[str, Fraction] | None:
    """A ground term as a linear form with rational coefficients; None if it is not seen as one."""
    if isinstance(term, int):
        return {"": Fraction(term)} if term else {}
    if isinstance(term, str):
        return {term: Fraction(1)}
    head, parts = term[0], []
    if head not in ("+", "-", "*", "/", "^"):
        return None
    for a in term[1:]:
        part = linear(a)
        if part is None:
            return None
        parts.append(part)
    if head == "+":
        return _combined(parts)
    if head == "-":
        return {k: -v for k, v in parts[0].items()}
    if head == "*":
        out = parts[0]
        for part in parts[1:]:
            if part.keys() - {""} and out.keys() - {""}:
                return None
            form, factor = (part, out) if part.keys() - {""} else (out, part)
            out = {k: v * factor.get("", Fraction(0)) for k, v in form.items()} if factor else {}
        return out
    if parts[1].keys() - {""} or not parts[1]:
        return None
    value = parts[1][""]
    if head == "/":
        return {k: v / value for k, v in parts[0].items()}
    if parts[0].keys() - {""}:
        return parts[0] if value == 1 else None
    if value.denominator != 1 or abs(value) > 60 or not parts[0]:
        return None
    return {"": parts[0][""] ** int(value)}


def _combined(parts: list[dict[str, Fraction]]) -> dict[str, Fraction]:
    out: dict[str, Fraction] = {}
    for part in parts:
        for key, value in part.items():
            out[key] = out.get(key, Fraction(0)) + value
    return {key: value for key, value in out.items() if value}


def affine(term: Term, x: str, values: Mapping[str, Number],
           seen: dict[int, tuple] | None = None) -> tuple[Number, Number]:
    """(a, b) with term = a x + b, the other names having exact values.

    Raises Inexact where the term is not affine in x or a value is not exact.
    """
    if term == x:
        return rational(1), {}
    if not isinstance(term, tuple):
        return {}, exact(term, values)
    seen = {} if seen is None else seen  # parts are shared: each is done once
    if id(term) not in seen:
        seen[id(term)] = _affine_head(term[0], [affine(t, x, values, seen) for t in term[1:]])
    return seen[id(term)]


def _affine_head(head: str, parts: list[tuple[Number, Number]]) -> tuple[Number, Number]:
    if not any(a for a, _ in parts):
        rule = EXACT.get(head)
        if rule is None:
            raise Inexact(head)
        return {}, rule(*(b for _, b in parts))
    return _affine(head, parts)


def _affine(head: str, parts: list[tuple[Number, Number]]) -> tuple[Number, Number]:
    (a, b), *rest = parts
    if head == "+":
        for c, d in rest:
            a, b = add(a, c), add(b, d)
        return a, b
    if head == "-":
        return negative(a), negative(b)
    if head == "*":
        for c, d in rest:
            if a and c:
                raise Inexact("a square")
            a, b = add(multiply(a, d), multiply(c, b)), multiply(b, d)
        return a, b
    if head == "/" and not rest[0][0]:
        under = inverse(rest[0][1])
        return multiply(a, under), multiply(b, under)
    raise Inexact("not affine")


def slope(left: Term, right: Term, x: str, floats: Mapping[str, complex]
          ) -> tuple[float, float] | None:
    """(a, b) with left - right = a x + b in floating point; None if it is not affine."""
    at = []
    for value in (0.0, 1.0, 2.0):
        known = {**floats, x: value}
        try:
            at.append(floating(left, known) - floating(right, known))
        except (ArithmeticError, ValueError, KeyError, TypeError):
            return None
    if any(isinstance(v, complex) for v in at):
        return None
    bend = abs(at[2] - 2 * at[1] + at[0])
    if not math.isfinite(bend) or bend > 1e-9 * (1 + abs(at[0]) + abs(at[1])):
        return None
    return at[1] - at[0], at[0]


def affine_in(term: Term, x: str) -> bool:
    """Whether a ground term is seen to be affine in x."""
    if not isinstance(term, tuple):
        return True
    touched = [a for a in term[1:] if x in cells(a)]
    if not touched:
        return True
    if term[0] in ("+", "-", "T") or term[0] == "*" and len(touched) == 1:
        return all(affine_in(a, x) for a in touched)
    return term[0] == "/" and x not in cells(term[2]) and affine_in(term[1], x)


def count(term: Term, name: str, seen: dict[int, int] | None = None) -> int:
    """How often a name occurs."""
    if isinstance(term, str):
        return int(term == name)
    if not isinstance(term, tuple):
        return 0
    seen = {} if seen is None else seen  # parts are shared: each is counted once
    if id(term) not in seen:
        seen[id(term)] = sum(count(a, name, seen) for a in term[1:])
    return seen[id(term)]


def isolated(left: Term, right: Term, name: str,
             matrix: Callable[[Term], bool] = lambda t: False) -> list[Term]:
    """Terms that solve left = right for a name that occurs once; none where it cannot be freed.

    `matrix` says which terms are matrices: their products are undone from either side.
    """
    here, there = count(left, name), count(right, name)
    if here + there != 1:
        return []
    side, other = (left, right) if here else (right, left)
    return _freed(side, [other], name, matrix)


def _freed(side: Term, others: list[Term], name: str, matrix: Callable) -> list[Term]:
    while side != name:
        if not isinstance(side, tuple) or side[0] in BINDERS:
            return []
        place = next((k for k, a in enumerate(side) if k and count(a, name)), 0)
        if not place:
            return []
        undo = _UNDO.get(side[0])
        if undo is None:
            return []
        others = [t for other in others for t in undo(side, place, other, matrix)]
        side = side[place]
    return others


def _undo_sum(side: tuple, k: int, other: Term, matrix: Callable) -> list[Term]:
    rest = [("-", a) for j, a in enumerate(side) if j and j != k]
    return [("+", other, *rest)]


def _undo_product(side: tuple, k: int, other: Term, matrix: Callable) -> list[Term]:
    if not matrix(side[k]):
        if any(matrix(a) for a in side[1:]):
            return []
        rest = [a for j, a in enumerate(side) if j and j != k]
        return [("/", other, rest[0] if len(rest) == 1 else ("*", *rest))]
    numbers = [a for a in side[1:] if not matrix(a)]
    before = [("inv", a) for a in reversed(side[1:k]) if matrix(a)]
    after = [("inv", a) for a in reversed(side[k + 1:]) if matrix(a)]
    out = ("*", *before, other, *after) if before or after else other
    return [("/", out, ("*", *numbers) if len(numbers) > 1 else numbers[0]) if numbers else out]


def _undo_quotient(side: tuple, k: int, other: Term, matrix: Callable) -> list[Term]:
    if k == 1:
        return [("*", side[2], other)]
    return [] if matrix(side[1]) else [("/", side[1], other)]


def _undo_power(side: tuple, k: int, other: Term, matrix: Callable) -> list[Term]:
    exponent = side[2]
    if k != 1 or matrix(side[1]):
        return []
    if exponent == 2:
        return [("sqrt", other), ("-", ("sqrt", other))]
    return [("^", other, ("/", 1, exponent))]


def _undo(make: Callable[[Term], list[Term]]):
    return lambda side, k, other, matrix: make(other)


_UNDO = {
    "+": _undo_sum, "*": _undo_product, "/": _undo_quotient, "^": _undo_power,
    "-": _undo(lambda y: [("-", y)]), "sqrt": _undo(lambda y: [("^", y, 2)]),
    "exp": _undo(lambda y: [("log", y)]), "log": _undo(lambda y: [("exp", y)]),
    "abs": _undo(lambda y: [y, ("-", y)]), "sin": _undo(lambda y: [("asin", y)]),
    "cos": _undo(lambda y: [("acos", y), ("-", ("acos", y))]),
    "tan": _undo(lambda y: [("atan", y)]),
    "logistic": _undo(lambda y: [("log", ("/", y, ("+", 1, ("-", y))))]),
    "T": _undo(lambda y: [("T", y)]), "inv": _undo(lambda y: [("inv", y)]),
    "conj": _undo(lambda y: [("conj", y)]),
}
