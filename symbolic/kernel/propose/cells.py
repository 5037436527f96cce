"""The cells of symbols: entries of families and matrices by name, and points as nested lists."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from math import prod

from symbolic.kernel.propose.exact import Inexact, exact, fraction
from symbolic.kernel.term import Term

MOST = 5_000  # cells of one symbol, parts of one sum


class Unground(Exception):
    """A term that is not written out: derivatives, integrals, entries outside of a family."""


class Outside(Unground):
    """An entry outside of its family or matrix: at these sizes the fact has no sense."""


def whole(term: Term, env: Mapping[str, int]) -> int:
    """The whole number that an index or an end is; Unground if it is none."""
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        if term in env:
            return env[term]
        raise Unground(term)
    try:
        if term[0] == "+":
            return sum(whole(a, env) for a in term[1:])
        if term[0] == "-":
            return -whole(term[1], env)
        value = fraction(exact(term, {n: {(1, 0, 0): Fraction(v)} if v else {}
                                      for n, v in env.items()}))
    except Inexact:
        raise Unground("no whole number") from None
    if value.denominator != 1:
        raise Unground("no whole number")
    return int(value)


def extents(sort: tuple, env: Mapping[str, int]) -> list[range]:
    """The ranges of a family's indices."""
    return [range(whole(low, env), whole(high, env) + 1) for _, _, low, high in sort[2:]]


def size(sort: tuple, env: Mapping[str, int]) -> tuple[int, int]:
    """Rows and columns of a matrix sort."""
    return whole(sort[1], env), whole(sort[2], env)


def matrix_cells(name: str, sort: tuple, env: Mapping[str, int]) -> list[list[str]]:
    """The cells of a matrix; a symmetric one names each pair once."""
    rows, cols = size(sort, env)
    if rows * cols > MOST:
        raise Unground("a large matrix")
    twin = "symmetric" in sort
    return [[f"{name}({min(i, j)},{max(i, j)})" if twin else f"{name}({i},{j})"
             for j in range(1, cols + 1)] for i in range(1, rows + 1)]


def entry_name(name: str, indices: tuple[int, ...]) -> str:
    """The cell of an entry of a family, or the name of the matrix that the entry is."""
    return f"{name}[{','.join(map(str, indices))}]"


def declared(name: str, sort: tuple, env: Mapping[str, int]) -> list[str]:
    """The scalar cells that a symbol has; a family of matrices has those of its members."""
    if sort[0] == "matrix":
        return list(dict.fromkeys(c for row in matrix_cells(name, sort, env) for c in row))
    if sort[0] != "family":
        return [name]
    ranges = extents(sort, env)
    if prod(map(len, ranges)) > MOST:
        raise Unground("a large family")
    members = [entry_name(name, i) for i in product(*ranges)]
    return [c for m in members for c in declared(m, sort[1], env)]


def table(name: str, sort: tuple, env: Mapping[str, int],
          value: Callable[[str], Term], path: tuple = ()):
    """A symbol's value as nested lists, `value(cell)` giving that of a cell."""
    if sort[0] == "matrix":
        return [[value(c) for c in row] for row in matrix_cells(name, sort, env)]
    if sort[0] != "family":
        return value(name)
    ranges = extents(sort, env)
    if len(path) < len(ranges):
        return [table(name, sort, env, value, (*path, k)) for k in ranges[len(path)]]
    return table(entry_name(name, path), sort[1], env, value)


def assigned(name: str, sort: tuple, env: Mapping[str, int], value, path: tuple = ()
             ) -> list[tuple[str, Term]]:
    """The cells of a symbol with their terms in a point: the inverse of `table`."""
    if sort[0] == "matrix":
        return [(c, t) for cells_, terms in zip(matrix_cells(name, sort, env), value, strict=True)
                for c, t in zip(cells_, terms, strict=True)]
    if sort[0] != "family":
        return [(name, value)]
    ranges = extents(sort, env)
    if len(path) == len(ranges):
        return assigned(entry_name(name, path), sort[1], env, value)
    return [pair for k, inner in zip(ranges[len(path)], value, strict=True)
            for pair in assigned(name, sort, env, inner, (*path, k))]
