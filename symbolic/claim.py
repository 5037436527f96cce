"""Claims and the verbs of a page: a start, then lines that equal, bound or dominate it.

`statements(claim, page_symbols, page_let, page_rates)` cuts a claim into kernel statements.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from symbolic.kernel.term import Term
from symbolic.reading.chain import EXPECTED, SIGNS, Chain, statements

__all__ = [
    "EXPECTED", "SIGNS", "Chain", "Claim", "Derived", "Step", "above", "at_least", "at_most",
    "below", "big_o", "derived", "equals", "psd", "statements",
]


@dataclass(frozen=True)
class Derived:
    """A side that SymPy derived, kept as a term: the report says so."""

    term: Term


@dataclass(frozen=True)
class Step:
    """One line of a chain: relation, right side (text or term), the reason, what it is using."""

    relation: str
    right: str | Term
    by: str | None = None
    using: tuple[str, ...] = ()
    at: Mapping[str, str | Term] = field(default_factory=dict)
    limit: str | None = None
    derived: bool = False


@dataclass(frozen=True)
class Claim:
    """A named statement with its derivation, facts, source and measurement.

    `measure(point, xp, rng)` gives an array that `start` must reproduce within `tolerance`;
    otherwise `no_measure` says why there is none.
    """

    name: str
    says: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    given: tuple[str | Term, ...] = ()
    let: Mapping[str, str | Term] = field(default_factory=dict)
    rates: Mapping[str, str | Term] = field(default_factory=dict)
    start: str | Term | Derived | None = None
    steps: tuple[Step, ...] = ()
    source: str = ""
    expect: str = "proved"
    where: tuple[str, ...] = ()
    modulo: tuple[str, ...] = ()
    measure: Callable | None = None
    tolerance: float = 1e-9
    no_measure: str | None = None
    uniform: tuple[str, ...] = ()


def derived(expression: object) -> Derived:
    """A side made of a SymPy expression (or of a term), for `start` or `right`.

    Raises `reading.ReadError` for what the language cannot say.
    """
    from symbolic.reading.bridge import from_sympy
    return Derived(from_sympy(expression))


def equals(right: str | Term | Derived, by: str | None = None, **more) -> Step:
    """The line before equals `right`; `more` may hold `using` and `at`."""
    return _step("=", right, by, **more)


def at_most(right: str | Term | Derived, by: str | None = None, **more) -> Step:
    """The line before is at most `right`."""
    return _step("<=", right, by, **more)


def below(right: str | Term | Derived, by: str | None = None, **more) -> Step:
    """The line before is less than `right`."""
    return _step("<", right, by, **more)


def at_least(right: str | Term | Derived, by: str | None = None, **more) -> Step:
    """The line before is at least `right`."""
    return _step(">=", right, by, **more)


def above(right: str | Term | Derived, by: str | None = None, **more) -> Step:
    """The line before is greater than `right`."""
    return _step(">", right, by, **more)


def psd(right: str | Term | Derived, by: str | None = None, **more) -> Step:
    """The line before minus `right` is symmetric and positive semidefinite."""
    return _step("psd", right, by, **more)


def big_o(right: str | Term | Derived, limit: str, by: str | None = None, **more) -> Step:
    """The line before is O(right) in a limit such as `eps -> 0+`."""
    return _step("O", right, by, limit=limit, **more)


def _step(relation: str, right: str | Term | Derived, by: str | None, using: tuple | str = (),
          at: Mapping | None = None, limit: str | None = None) -> Step:
    using = (using,) if isinstance(using, str) else tuple(using)
    term = right.term if isinstance(right, Derived) else right
    return Step(relation, term, by, using, dict(at or {}), limit, isinstance(right, Derived))
