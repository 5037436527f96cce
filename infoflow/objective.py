"""What is compared, in one normal form: exact coefficients of factors, each a score of tokens.

Tokens x[s] (s bound) and x[3] (a fixed position, from 1) are vectors of R^d, as in NumPy: `u @ v`
is their inner product, `A @ v` and `v @ A` are vectors. After expansion an objective is a sum of

    ("bil", i, chain, j)   x_i' M x_j, where the chain is a product of named matrices and transposes
    ("lin", i, chain, b)   x_i' M b, with a named vector b
    ("fn", name, tokens)   a function about which nothing is known but what it reads
    ("con", a, chain, b)   a' M b, and () for the number 1: no token

with exact rational coefficients, so that norm2(x[s] + x[t]) and its expansion are the same data.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

Token = str | int
Chain = tuple[tuple[str, bool | None], ...]  # a matrix and whether it is transposed
Factor = tuple
Objective = tuple[tuple[Factor, Fraction], ...]


@dataclass(frozen=True)
class Value:
    """A linear combination: of factors (scalar), of chains on a base (vector), of chains."""

    kind: str
    parts: Mapping

    def __add__(self, other: "Value") -> "Value":
        parts = dict(self.parts)
        for monomial, coefficient in other.parts.items():
            parts[monomial] = parts.get(monomial, Fraction(0)) + coefficient
        return Value(self.kind, {m: c for m, c in parts.items() if c})

    def __rmul__(self, number: Fraction) -> "Value":
        return Value(self.kind, {m: number * c for m, c in self.parts.items() if number})


def normal(value: Value) -> Objective:
    """The factors of a scalar with their coefficients, in a fixed order."""
    return tuple(sorted(value.parts.items(), key=lambda pair: repr(pair[0])))


def tokens_of(factor: Factor) -> tuple[Token, ...]:
    """The tokens that a factor reads, each once, in order."""
    read = {"bil": lambda: (factor[1], factor[3]), "lin": lambda: (factor[1],),
            "fn": lambda: factor[2], "con": tuple}
    return tuple(dict.fromkeys(read[factor[0]]())) if factor else ()


def renamed(factor: Factor, names: Mapping[Token, Token]) -> Factor:
    """A factor with its tokens renamed, in its own normal form again."""
    if not factor or factor[0] == "con":
        return factor
    if factor[0] == "bil":
        return bilinear(names.get(factor[1], factor[1]), factor[2], names.get(factor[3], factor[3]))
    if factor[0] == "lin":
        return ("lin", names.get(factor[1], factor[1]), *factor[2:])
    return ("fn", factor[1], tuple(names.get(t, t) for t in factor[2]))


def bilinear(i: Token, chain: Chain, j: Token) -> Factor:
    """x_i' M x_j = x_j' M' x_i: one of the two spellings, always the same one."""
    return min(("bil", i, chain, j), ("bil", j, turned(chain), i), key=repr)


def turned(chain: Chain) -> Chain:
    """The transpose of a product of matrices; a symmetric one (flag None) is its own."""
    return tuple((name, flag if flag is None else not flag) for name, flag in reversed(chain))


def product(left: Value, right: Value) -> Value:
    """The product of vectors and matrices, expanded; two vectors give their inner product."""
    kinds = (left.kind, right.kind)
    kind = {("vector", "vector"): "scalar", ("matrix", "matrix"): "matrix"}.get(kinds, "vector")
    parts: dict[tuple, Fraction] = {}
    for one, a in left.parts.items():
        for two, b in right.parts.items():
            monomial = _joined(kinds, one, two)
            parts[monomial] = parts.get(monomial, Fraction(0)) + a * b
    return Value(kind, {m: c for m, c in parts.items() if c})


def _joined(kinds: tuple[str, str], one: tuple, two: tuple) -> tuple:
    """The monomial that the product of two monomials is."""
    if kinds == ("matrix", "matrix"):
        return (*one, *two)
    if kinds == ("matrix", "vector"):
        return (*one, *two[0]), two[1]
    if kinds == ("vector", "matrix"):
        return (*turned(two), *one[0]), one[1]
    chain, (a, i), (b, j) = (*turned(one[0]), *two[0]), one[1], two[1]
    if (a, b) == ("x", "x"):
        return bilinear(i, chain, j)
    if (a, b) == ("v", "v"):
        return min(("con", i, chain, j), ("con", j, turned(chain), i), key=repr)
    return ("lin", i, chain, j) if a == "x" else ("lin", j, turned(chain), i)


def written(parts: Objective) -> str:
    """A sum of factors as text of the same language: `x[s] @ A.T @ x[t] - 2*x[s] @ b`."""
    pieces = []
    for factor, coefficient in parts:
        size = abs(coefficient)
        body = _factor_text(factor)
        number = "" if size == 1 and body else f"{size}" + "*" * bool(body)
        pieces += ["-" if coefficient < 0 else "+", number + body]
    first = pieces[1:2] if pieces[:1] == ["+"] else ["".join(pieces[:2])]
    return " ".join([*first, *pieces[2:]]) or "0"


def _factor_text(factor: Factor) -> str:
    if not factor:
        return ""
    if isinstance(factor[0], tuple):   # a monomial of a vector: a chain of matrices on its base
        chain, (kind, name) = factor
        base = name if kind == "v" else f"x[{name}]"
        return " @ ".join([*(n + ".T" * bool(flag) for n, flag in chain), base])
    if factor[0] == "fn":
        return f'fn("{factor[1]}", {", ".join(f"x[{t}]" for t in factor[2])})'
    if factor[0] == "bil" and factor[2] and all(flag for _, flag in factor[2]):
        factor = ("bil", factor[3], turned(factor[2]), factor[1])
    chain = [name + ".T" * bool(flag) for name, flag in factor[2]]
    left = factor[1] if factor[0] == "con" else f"x[{factor[1]}]"
    right = f"x[{factor[3]}]" if factor[0] == "bil" else factor[3]
    return " @ ".join([left, *chain, right])
