"""What is believed without proof, on one screen: terms that are never negative.

Each axiom is a term with holes (names that start with `_`) and premises, terms that must be shown
nonnegative first. A certificate writes an instance letter for letter; `matching` recognises it.
What fills a hole must be shown to be real.
"""

from collections.abc import Callable

from symbolic.kernel.term import Term

_a, _b = "_a", "_b"
MINUS_A = ("-", _a)

AXIOMS: dict[str, tuple[Term, tuple[Term, ...]]] = {
    # e^a >= 1 + a: the exponential lies above its tangent at 0.
    "exp above its tangent": (("+", ("exp", _a), ("-", 1), MINUS_A), ()),
    # log a <= a - 1 for a > 0 (a > 0 because log a is defined).
    "log below its tangent": (("+", _a, ("-", 1), ("-", ("log", _a))), ()),
    # x log x >= x - 1 for x > 0.
    "entropy tangent": (("+", ("*", _a, ("log", _a)), ("-", _a), 1), ()),
    "cos at most one": (("+", 1, ("-", ("cos", _a))), ()),
    "cos at least minus one": (("+", 1, ("cos", _a)), ()),
    "sin at most one": (("+", 1, ("-", ("sin", _a))), ()),
    "sin at least minus one": (("+", 1, ("sin", _a)), ()),
    # sin a <= a for a >= 0.
    "sin below its argument": (("+", _a, ("-", ("sin", _a))), (_a,)),
    # cos a >= 1 - a^2/2.
    "cos above its parabola": (("+", ("cos", _a), ("-", 1), ("/", ("^", _a, 2), 2)), ()),
    # sin a >= 0 on [0, pi].
    "sin on the upper half turn": (("sin", _a), (_a, ("+", ("pi",), MINUS_A))),
    # exp and log increase.
    "exp increases": (("+", ("exp", _a), ("-", ("exp", _b))), (("+", _a, ("-", _b)),)),
    "log increases": (("+", ("log", _a), ("-", ("log", _b))), (("+", _a, ("-", _b)),)),
    "sqrt increases": (("+", ("sqrt", _a), ("-", ("sqrt", _b))), (("+", _a, ("-", _b)),)),
    # |a| >= a and |a| >= -a.
    "abs above": (("+", ("abs", _a), MINUS_A), ()),
    "abs above minus": (("+", ("abs", _a), _a), ()),
}


def matching(term: Term, holds: Callable[[Term], bool],
             real: Callable[[Term], bool]) -> str | None:
    """The name of an axiom whose instance the term is, its premises shown by `holds`."""
    if not isinstance(term, tuple) or term[0] not in ("+", "sin"):
        return None
    for name, (pattern, premises) in AXIOMS.items():
        holes: dict[str, Term] = {}
        if fits(pattern, term, holes) and all(map(real, holes.values())) and all(
                holds(filled(p, holes)) for p in premises):
            return name
    return None


def fits(pattern: Term, term: Term, holes: dict) -> bool:
    """Whether the term is the pattern with its holes filled, each hole always alike."""
    if isinstance(pattern, str):
        return holes.setdefault(pattern, term) == term
    if not isinstance(pattern, tuple):
        return pattern == term
    return (isinstance(term, tuple) and len(term) == len(pattern) and term[0] == pattern[0]
            and all(fits(p, t, holes) for p, t in zip(pattern[1:], term[1:], strict=True)))


def filled(pattern: Term, holes: dict) -> Term:
    """The pattern with its holes filled."""
    if isinstance(pattern, str):
        return holes[pattern]
    if not isinstance(pattern, tuple):
        return pattern
    return (pattern[0], *(filled(p, holes) for p in pattern[1:]))


def instance(name: str, *args: Term) -> Term:
    """The axiom at the given arguments, in the order of its holes."""
    pattern = AXIOMS[name][0]
    return filled(pattern, dict(zip(("_a", "_b"), args, strict=False)))
