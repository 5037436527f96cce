"""The value fuzzer: random terms evaluate as their normal forms do, at random points."""

import random
from collections import Counter
from dataclasses import dataclass

from symbolic.kernel import completion, points, traces
from symbolic.kernel.admit import admissible, meets
from symbolic.kernel.ball import Unsure, differs, with_precision
from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.derivative import evaluated
from symbolic.kernel.normal import normal
from symbolic.kernel.prepare import prepare, scope_of
from symbolic.kernel.rules import left_open
from symbolic.kernel.shape import shape
from symbolic.kernel.statement import Statement
from symbolic.kernel.term import Malformed
from symbolic.kernel.words import matrix, scalar
from tests import fuzz_matrices, fuzz_terms, normal_value

KINDS = {"scalar": fuzz_terms.scalar_term, "power": fuzz_terms.power_term,
         "sum": fuzz_terms.sum_term, "matrix": fuzz_matrices.matrix_term,
         "related": fuzz_matrices.related_term, "families": fuzz_matrices.family_term,
         "kronecker": fuzz_matrices.kronecker_term}
STEPS = 60_000


@dataclass(frozen=True)
class Disagreement:
    """A term whose normal form has another value at a point."""

    kind: str
    seed: int
    term: object
    point: dict
    left: object
    right: object


def one(kind, seed, tries=4):
    """("agree" | "undecided" | "undefined", disagreement or None) of one random term."""
    rng = random.Random(f"{kind}{seed}")
    symbols, given, term, sample = KINDS[kind](rng)
    sorts = dict(symbols)
    try:
        with limited(STEPS):
            plain = evaluated(term, sorts, {})
            scope = scope_of(sorts, given, (plain, *given))
            forms = _forms(plain, scope)
    except (Undecided, Malformed, RecursionError):
        return "undecided", None
    seen = "undefined"
    for _ in range(tries):
        point = sample(rng)
        try:
            left = points.evaluate(term, sorts, point)
            right = [_value(f, shape(plain, sorts), sorts, point) for f in forms]
        except (Unsure, KeyError, IndexError, OverflowError, ZeroDivisionError):
            continue
        seen = "agree"
        if any(with_precision(_apart, left, r) for r in right):
            return "wrong", Disagreement(kind, seed, term, point, str(left), str(right))
    return seen, None


def _forms(term, scope):
    """The normal form; for matrices also the one under the rules of its composite inverses."""
    form = _form(term, scope)
    if not scope.matrices:
        return [form]
    found = shape(term, scope.sorts)
    if found in (None, (1, 1)):
        more = completion.strengthened_by(form, scope)
        forms = [form, traces.opened(form, scope)]
    else:
        more, forms = completion.strengthened(form, scope), [form]
    return forms if more is scope else [*forms, _form(term, more)]


def _form(term, scope):
    found = shape(term, scope.sorts)
    if found is None:
        return normal(term, scope)
    return scalar(term, scope) if found == (1, 1) else matrix(term, scope)


def _value(form, found, sorts, point):
    if found is not None and found != (1, 1):
        return normal_value.words_value(form, found, sorts, point)
    return normal_value.value(form, sorts, point)


def _apart(left, right):
    if isinstance(left, list) and isinstance(right, list):
        return any(differs(a, b) for r, q in zip(left, right, strict=True)
                   for a, b in zip(r, q, strict=True))
    left = left[0][0] if isinstance(left, list) else left
    right = right[0][0] if isinstance(right, list) else right
    return differs(left, right)


def undefined(kind, seed, tries=4):
    """(points looked at, a term that is undefined where all its recorded conditions hold or None).

    A condition that is missing is a falsehood in waiting: a chain can run through the term.
    """
    rng = random.Random(f"undefined {kind}{seed}")
    symbols, given, term, sample = KINDS[kind](rng)
    statement = Statement(symbols, given, "=", term, term)
    try:
        with limited(STEPS):
            where = left_open(prepare(statement))
    except (Undecided, Malformed, RecursionError):
        return 0, None
    looked = 0
    for point in (sample(rng) for _ in range(tries)):
        if not admissible(statement, point) or not meets(where, statement, point):
            continue
        looked += 1
        try:
            points.evaluate(term, dict(symbols), point)
        except Unsure as error:
            return looked, Disagreement(kind, seed, term, point, str(where), str(error))
    return looked, None


def run(kind, first, count):
    """(counts by outcome, disagreements) of `count` terms from seed `first` on."""
    counts, wrong = Counter(), []
    for seed in range(first, first + count):
        outcome, found = one(kind, seed)
        counts[outcome] += 1
        if found:
            wrong.append(found)
    return counts, wrong
