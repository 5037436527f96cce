"""The gradient of a number by a matrix, a vector, or a member of a family of these, on terms.

G with d f = tr(G^T dX): adjoints are carried back through the term, from the number to the
occurrences of the variable. A variable with flags that tie its entries together is refused.
"""

from collections.abc import Callable, Mapping

from symbolic.kernel import derivative
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Term, free, fresh, substitute

TIED = frozenset({"symmetric", "psd", "pd", "orthogonal"})
Pull = Callable[[tuple, Term, Term, Mapping], list[Term]]


def gradient(f: Term, x: Term, sorts: Mapping) -> Term:
    """df/dx as a term of the shape of x; Undecided where the table has no entry."""
    name = x if isinstance(x, str) else x[1]
    sort = sorts[name][1] if sorts[name][0] == "family" else sorts[name]
    if TIED & set(sort[3:]):
        raise Undecided(f"a gradient by {name}, whose entries are not independent")
    parts = _of_number(f, 1, x, sorts)
    return ("zeros", *sort[1:3]) if not parts else parts[0] if len(parts) == 1 else ("+", *parts)


def _depends(f: Term, x: Term) -> bool:
    return (x if isinstance(x, str) else x[1]) in free(f)


def _of_number(f: Term, c: Term, x: Term, sorts: Mapping) -> list[Term]:
    """The summands of c times the gradient of a number."""
    spend(2)
    if not isinstance(f, tuple) or not _depends(f, x):
        if isinstance(f, str) and f == x or f == x:
            return [c]  # a 1 x 1 variable
        return []
    if f[0] == "at":
        return _of_letter(f, c, x)
    if shape(f, sorts) is not None:
        return _of_matrix(f, ("*", c, ("eye", 1)), x, sorts)
    rule = _NUMBERS.get(f[0])
    if rule is not None:
        return rule(f, c, x, sorts)
    if f[0] not in derivative.RULES or f[0] in _STRUCTURE:
        raise Undecided(f"no gradient of {f[0]!r}")
    out = []
    for k, a in enumerate(f[1:], 1):
        if _depends(a, x):
            y = fresh("y", free(f) | frozenset(sorts))
            slope = derivative._diff((*f[:k], y, *f[k + 1:]), y, {})
            if slope is not None:
                out += _of_number(a, _times(c, substitute(slope, {y: a})), x, sorts)
    return out


def _times(*parts: Term) -> Term:
    keep = [p for p in parts if p != 1]
    return 1 if not keep else keep[0] if len(keep) == 1 else ("*", *keep)


def _trace(f: tuple, c: Term, x: Term, sorts: Mapping) -> list[Term]:
    found = shape(f[1], sorts)
    if found is None:
        return _of_number(f[1], c, x, sorts)
    return _of_matrix(f[1], ("*", c, ("eye", found[0])), x, sorts)


def _determinant(f: tuple, c: Term, x: Term, sorts: Mapping) -> list[Term]:
    if shape(f[1], sorts) is None:
        return _of_number(f[1], c, x, sorts)
    return _of_matrix(f[1], ("*", c, f, ("T", ("inv", f[1]))), x, sorts)


def _sum(f: tuple, c: Term, x: Term, sorts: Mapping) -> list[Term]:
    """A sum over an index, of numbers or of matrices."""
    if any(_depends(end, x) for end in f[3:]):
        raise Undecided("ends that move with the variable of the derivative")
    body, name = f[1], f[2]
    if name in free(c) | free(x):
        new = fresh(name, free(body) | free(c) | free(x) | frozenset(sorts))
        body, name = substitute(body, {name: new}), new
    inner = {**sorts, name: ("integer",)}
    back = _of_number if shape(f, sorts) is None else _of_matrix
    return [("sum", g, name, *f[3:]) for g in back(body, c, x, inner)]


def _of_letter(m: Term, a: Term, x: Term) -> list[Term]:
    """The variable itself, or a member of its family: they are the same where indices agree."""
    if m == x:
        return [a]
    if isinstance(m, tuple) and isinstance(x, tuple) and m[1] == x[1]:
        return [("*", *(("delta", i, j) for i, j in zip(m[2:], x[2:], strict=True)), a)]
    return []


def _of_matrix(m: Term, a: Term, x: Term, sorts: Mapping) -> list[Term]:
    """The summands of the gradient of tr(a^T m), a being constant."""
    spend(2)
    if isinstance(m, str) or not isinstance(m, tuple) or m[0] == "at":
        return _of_letter(m, a, x)
    if not _depends(m, x):
        return []
    rule = _MATRICES.get(m[0])
    if rule is None:
        raise Undecided(f"no gradient of {m[0]!r}")
    return rule(m, a, x, sorts)


def _product(m: tuple, a: Term, x: Term, sorts: Mapping) -> list[Term]:
    """tr(a^T L X R) has the gradient L^T a R^T in X; a number s has tr(a^T rest)."""
    factors = m[1:]
    shapes = [shape(f, sorts) for f in factors]
    chain = [s for s in shapes if s is not None]
    if any(p[1] != q[0] for p, q in zip(chain, chain[1:], strict=False)):
        raise Undecided("the gradient of a product with a 1 x 1 matrix as a number")
    out = []
    for k, f in enumerate(factors):
        if not _depends(f, x):
            continue
        others = (*factors[:k], *factors[k + 1:])
        if shapes[k] is None:
            out += _of_number(f, ("trace", ("*", ("T", a), *others)), x, sorts)
            continue
        numbers = [g for g, s in zip(factors, shapes, strict=True) if s is None]
        left = [("T", g) for g, s in zip(factors[:k], shapes[:k], strict=True) if s is not None]
        right = [("T", g) for g, s in zip(factors[k + 1:], shapes[k + 1:], strict=True)
                 if s is not None]
        out += _of_matrix(f, _times(*numbers, *reversed(left), a, *reversed(right)), x, sorts)
    return out


def _power(m: tuple, a: Term, x: Term, sorts: Mapping) -> list[Term]:
    n = m[2]
    return [] if n == 0 else _of_matrix(m[1], a, x, sorts) if n == 1 else \
        _product(("*", *[m[1]] * n), a, x, sorts)


def _quotient(m: tuple, a: Term, x: Term, sorts: Mapping) -> list[Term]:
    return _product(("*", ("/", 1, m[2]), m[1]), a, x, sorts)


def _inverse(m: tuple, a: Term, x: Term, sorts: Mapping) -> list[Term]:
    back = ("T", m)
    return _of_matrix(m[1], ("-", ("*", back, a, back)), x, sorts)


_STRUCTURE = frozenset({"at", "entry", "T", "inv", "matrix", "prod", "kron", "vec", "re", "im",
                        "conj", "abs"})
_NUMBERS: dict[str, Pull] = {
    "+": lambda f, c, x, s: [g for a in f[1:] for g in _of_number(a, c, x, s)],
    "-": lambda f, c, x, s: _of_number(f[1], ("-", c), x, s),
    "trace": _trace, "det": _determinant, "sum": _sum,
}
_MATRICES: dict[str, Pull] = {
    "+": lambda m, a, x, s: [g for p in m[1:] for g in _of_matrix(p, a, x, s)],
    "-": lambda m, a, x, s: _of_matrix(m[1], ("-", a), x, s),
    "T": lambda m, a, x, s: _of_matrix(m[1], ("T", a), x, s),
    "*": _product, "/": _quotient, "^": _power, "inv": _inverse, "sum": _sum,
}
