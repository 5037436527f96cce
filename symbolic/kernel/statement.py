"""What is claimed and what is answered: Statement, Certificate, Level, Verdict.

A statement says: at every point of its sorts where the facts hold and both sides are defined, the
relation holds. Sorts are `("real",) ("integer",) ("complex",)`, `("matrix", rows, cols, *flags)`
and `("family", sort, range, ...)` with ranges `("range", "_", low, high)`; everything else that
is known of a symbol (sign, box, simplex) is a fact.
"""

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from symbolic.kernel.term import RELATIONS, Malformed, Term, digest, identifier, nameless, plain

FLAGS = frozenset({"symmetric", "psd", "pd", "invertible", "orthogonal"})


class Level(Enum):
    """How much is known; the text is what reports print."""

    PROVED = "proved"
    CERTIFIED = "certified"
    TESTED = "tested"
    UNKNOWN = "unknown"
    REFUTED = "refuted"


@dataclass(frozen=True)
class Statement:
    """`left relation right` under sorts, facts, definitions and rates.

    `relation` is `=`, `<=`, `<`, `psd` (left - right is symmetric and positive semidefinite) or
    `O` (then `limit` is `(name, end, side)` with side 1 from above, -1 from below, 0 both).
    `uniform` names symbols that the constant of an `O` may not depend on.
    `let` holds `(name, index names, body)`, `rates` holds `(name, variable, body)`.
    """

    symbols: tuple[tuple[str, tuple], ...]
    given: tuple[Term, ...]
    relation: str
    left: Term
    right: Term
    let: tuple[tuple[str, tuple[str, ...], Term], ...] = ()
    rates: tuple[tuple[str, str, Term], ...] = ()
    limit: tuple[str, Term, int] | None = None
    uniform: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """A hash of everything that is said; renaming bound names does not change it."""
        return digest([
            [[n, s] for n, s in self.symbols], [nameless(f) for f in self.given], self.relation,
            nameless(self.left), nameless(self.right),
            [[n, list(i), nameless(b, i)] for n, i, b in self.let],
            [[n, v, nameless(b)] for n, v, b in self.rates],
            self.limit and [self.limit[0], nameless(self.limit[1]), self.limit[2]],
            list(self.uniform),
        ])

    def json(self) -> dict:
        """The statement as plain data; `read` gives it back."""
        return {
            "symbols": [[n, s] for n, s in self.symbols], "given": list(self.given),
            "relation": self.relation, "left": self.left, "right": self.right,
            "let": [[n, list(i), b] for n, i, b in self.let], "rates": list(self.rates),
            "limit": self.limit, "uniform": list(self.uniform),
        }


@dataclass(frozen=True)
class Certificate:
    """A rule and its data, enough to check without searching, bound to a statement by its hash."""

    hash: str
    rule: str
    data: dict = field(default_factory=dict)

    def json(self) -> dict:
        """The certificate as plain data."""
        return {"hash": self.hash, "rule": self.rule, **self.data}


@dataclass(frozen=True)
class Verdict:
    """A level and what goes with it. Only the kernel makes one above UNKNOWN.

    `rests_on` names axioms and citations, `where` holds the conditions left over (terms),
    `point` the assignment that refutes or tests, `left` and `right` the values there (text),
    `margin` the certified distance (text).
    """

    level: Level
    rests_on: tuple[str, ...] = ()
    where: tuple[Term, ...] = ()
    note: str = ""
    point: dict | None = None
    left: str | None = None
    right: str | None = None
    margin: str | None = None


def sort(data: object) -> tuple:
    """A sort from plain data; raises Malformed for anything else."""
    if not isinstance(data, (list, tuple)) or not data:
        raise Malformed(f"not a sort: {data!r}")
    kind, rest = data[0], tuple(data[1:])
    if kind in ("real", "integer", "complex") and not rest:
        return (kind,)
    if kind == "matrix" and len(rest) >= 2 and FLAGS.issuperset(rest[2:]):
        rows, cols = plain(rest[0]), plain(rest[1])
        if not all(identifier(n) or isinstance(n, int) and n >= 1 for n in (rows, cols)):
            raise Malformed("the size of a matrix is a whole number >= 1 or a name")
        if rest[2:] and rows != cols:
            raise Malformed("flags belong to square matrices")
        return ("matrix", rows, cols, *rest[2:])
    if kind == "family" and len(rest) >= 2 and all(r[0] == "range" for r in rest[1:]):
        return ("family", sort(rest[0]),
                *(("range", "_", plain(r[2]), plain(r[3])) for r in rest[1:]))
    raise Malformed(f"not a sort: {str(data)[:60]}")


def read(data: dict) -> Statement:
    """A statement from plain data; raises Malformed."""
    try:
        limit = data.get("limit")
        statement = Statement(
            tuple((n, sort(s)) for n, s in data["symbols"]),
            tuple(plain(f) for f in data["given"]), data["relation"],
            plain(data["left"]), plain(data["right"]),
            tuple((n, tuple(i), plain(b)) for n, i, b in data.get("let", ())),
            tuple((n, v, plain(b)) for n, v, b in data.get("rates", ())),
            None if limit is None else (limit[0], plain(limit[1]), limit[2]),
            tuple(data.get("uniform", ())),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise Malformed(f"not a statement: {error}") from None
    names = [n for n, _ in statement.symbols] + [n for n, _, _ in statement.let]
    if not all(map(identifier, names)) or len(set(names)) < len(names):
        raise Malformed("symbols need names that are declared once")
    if statement.relation not in RELATIONS | {"O"}:
        raise Malformed(f"unknown relation {statement.relation!r}")
    return statement
