"""Slopes, values and solutions of matrices, of entries and of symbolic size, by the same names.

A matrix of symbolic size is SymPy's MatrixExpr; one of entries is its Matrix, with plain symbols
such as S_1_2 inside, for speed: `named` writes them S[0, 1] in the end. A number is 1 x 1.
"""

from typing import Any


def symbolic(e: Any) -> bool:
    """Whether the matrix is of symbolic size."""
    from sympy.matrices.expressions.matexpr import MatrixExpr

    return isinstance(e, MatrixExpr)


def letter(name: str, rows: Any, cols: Any, symmetric: bool = False) -> Any:
    """A matrix of its own letters; of symbolic size symmetry is left to the reader."""
    from sympy import Integer, Matrix, MatrixSymbol, Symbol

    if not all(isinstance(n, int | Integer) for n in (rows, cols)):
        return MatrixSymbol(name, rows, cols)

    def one(i: int, j: int) -> Any:
        i, j = sorted((i, j)) if symmetric else (i, j)
        return Symbol(f"{name}_{rows}_{cols}_{i}_{j}", real=True)

    return Matrix(rows, cols, one)


def named(e: Any) -> Any:
    """The matrix with its letters written as entries of a MatrixSymbol."""
    from sympy import MatrixSymbol

    def entry(symbol: Any) -> Any:
        name, rows, cols, i, j = symbol.name.rsplit("_", 4)
        return MatrixSymbol(name, int(rows), int(cols))[int(i), int(j)]

    if symbolic(e):
        return e
    return e.xreplace({a: entry(a) for a in e.free_symbols if a.name.count("_") >= 4})


def has(e: Any, v: Any) -> bool:
    """Whether the column v, or an entry of it, occurs in the matrix."""
    return bool(e.has(v) if symbolic(e) else e.free_symbols & v.free_symbols)


def slope(e: Any, v: Any) -> Any:
    """The matrix of derivatives of the entries of a column e by those of v: a row for each of v.

    SymPy's derivative of a column of symbolic size has that shape; entries are multiplied out only
    where v would otherwise be left.
    """
    from sympy import ZeroMatrix

    if symbolic(e):
        return plain(e.diff(v)) if has(e, v) else ZeroMatrix(v.rows, e.rows)
    found = e.jacobian(v).T
    return found.expand() if has(found, v) else found


def plain(e: Any) -> Any:
    """A matrix of symbolic size multiplied out; entries as they are."""
    return e.doit().expand().doit() if symbolic(e) else e


def rate(e: Any, s: Any) -> Any:
    """The derivative by the number s, at s = 0."""
    return plain(plain(e.diff(s)).subs(s, 0))


def put(e: Any, v: Any, value: Any) -> Any:
    """The matrix with the column `value` in place of v."""
    if symbolic(e):
        return plain(e.subs(v, value))
    return e.xreplace(dict(zip(v, value, strict=True)))


def at_zero(e: Any, v: Any) -> Any:
    """The matrix with v = 0."""
    return put(e, v, 0 * v)


def one(v: Any) -> Any:
    """The identity that acts on v."""
    from sympy import Identity, eye

    return Identity(v.rows) if symbolic(v) else eye(v.rows)


def solution(N: Any, right: Any) -> Any:
    """N^{-1} times the right side, entries by the adjugate."""
    from sympy import Identity

    if symbolic(N):
        N = plain(N)
        return right if Identity(N.rows) == N else N.inverse() * right
    return right if N.is_Identity else (N.adjugate() * right).expand() / N.det().expand()


def trace(e: Any) -> Any:
    """The trace as a 1 x 1 matrix; at symbolic size only that of zero, as SymPy has no other."""
    from sympy import Matrix, ZeroMatrix

    if not symbolic(e):
        return Matrix([[e.trace()]])
    if not isinstance(plain(e), ZeroMatrix):
        raise ValueError(f"slopes: trace: found {e}; needed a matrix of entries, or zero: give "
                         "a whole number d")
    return ZeroMatrix(1, 1)


def shown(e: Any) -> str:
    """The matrix as text, cut where it is long."""
    text = str(e if symbolic(e) else named(e).tolist())
    return text if len(text) < 160 else text[:157] + "..."
