"""Positive semidefinite matrices by the shape of the term as it was written.

Weights >= 0 times M X M^T, sums over an index of such, inverses: what expanding would hide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import symbolic.kernel.signs as signs
import symbolic.kernel.words as words
from symbolic.kernel.budget import Undecided, spend
from symbolic.kernel.definiteness import definiteness
from symbolic.kernel.letters import flags
from symbolic.kernel.normal import normal, real
from symbolic.kernel.polynomial import atom, subtract
from symbolic.kernel.shape import shape
from symbolic.kernel.term import Term, heads

if TYPE_CHECKING:
    from symbolic.kernel.normal import Scope


def semidefinite(t: Term, s: Scope) -> bool:
    """Whether a real matrix term is symmetric and positive semidefinite, by its shape."""
    if s.complex or "i" in heads(t) or shape(t, s.sorts) is None:
        return False
    return _shown(t, s)


def _shown(t: Term, s: Scope) -> bool:
    spend(5)
    rule = _RULES.get(t[0]) if isinstance(t, tuple) else None
    if rule is not None and rule(t, s):
        return True
    try:
        p = words.matrix(t, s)
        return words.transposed(p, s) == p and definiteness(p, s) > 0
    except Undecided:
        return False


def _over_index(t: tuple, s: Scope) -> bool:
    low, high = normal(t[3], s), normal(t[4], s)
    inner, name = s.bind(t[2])
    return _shown(t[1], inner.under([subtract(atom(name), low), subtract(high, atom(name))]))


def _congruence(t: tuple, s: Scope) -> bool:
    """Nonnegative numbers times M X M^T, the factors mirrored around the middle."""
    numbers = [a for a in t[1:] if shape(a, s.sorts) is None]
    parts = [a for a in t[1:] if shape(a, s.sorts) is not None]
    if not parts or not all(_nonnegative(a, s) for a in numbers):
        return False
    while len(parts) > 1:
        if not _mirrored(parts[0], parts[-1], s):
            return False
        parts = parts[1:-1]
    return not parts or _shown(parts[0], s)


def _nonnegative(a: Term, s: Scope) -> bool:
    return signs.sign(a, s) <= signs.NONNEG and real(a, s)


def _mirrored(a: Term, b: Term, s: Scope) -> bool:
    """Whether b is written as the transpose of a."""
    symmetric = a == b and isinstance(a, str) and "symmetric" in flags(s.facts.sorts, ("m", a))
    return b == ("T", a) or a == ("T", b) or symmetric


_RULES = {
    "+": lambda t, s: all(_shown(a, s) for a in t[1:]),
    "*": _congruence, "sum": _over_index,
    "T": lambda t, s: _shown(t[1], s), "inv": lambda t, s: _shown(t[1], s),
    "/": lambda t, s: _nonnegative(t[2], s) and _shown(t[1], s),
    "kron": lambda t, s: all(_shown(a, s) for a in t[1:] if shape(a, s.sorts) is not None) and all(
        _nonnegative(a, s) for a in t[1:] if shape(a, s.sorts) is None),
}
