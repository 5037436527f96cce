"""One small change at a time: statements that a kernel must not go on proving without reason.

A mutant differs from its original in one place: a sign, a constant, an index, an exponent, a
function, a factor, a bound, a transpose, a fact, the relation. Some mutants stay true (a fact that
was not needed, factors that commute); whoever uses them has to look for a counterexample.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace

from symbolic.kernel.statement import Statement
from symbolic.kernel.term import BINDERS, Malformed, Term, plain

SWAPS = {
    "sin": ("cos", "tan"), "cos": ("sin",), "tan": ("sin",), "sinh": ("cosh", "sin"),
    "cosh": ("sinh", "cos"), "tanh": ("tan", "logistic"), "exp": ("cosh",), "log": ("sqrt",),
    "sqrt": ("abs", "log"), "abs": ("sign",), "max": ("min",), "min": ("max",), "floor": ("abs",),
    "atan": ("asin", "tanh"), "asin": ("acos",), "acos": ("asin",), "logistic": ("tanh", "exp"),
    "factorial": ("abs",), "trace": ("det",), "det": ("trace",), "inv": ("T",), "re": ("im", "abs"),
    "im": ("re",), "conj": ("re",), "sum": ("prod",), "prod": ("sum",),
    "<": ("<=",), "<=": ("<",), "!=": ("<=",),
}
DROPPED = frozenset({"T", "inv", "-", "sqrt", "abs", "conj", "floor", "re", "exp", "log", "diff"})


def mutants(statement: Statement, rng: random.Random) -> Iterator[Statement]:
    """Every single-place mutant of a statement, in random order, without repetition."""
    found = [*_of_sides(statement), *_of_facts(statement), *_of_relation(statement),
             *_of_definitions(statement)]
    rng.shuffle(found)
    seen = {statement.digest}
    for mutant in found:
        if mutant.digest not in seen:
            seen.add(mutant.digest)
            yield mutant


def _of_sides(statement: Statement) -> Iterator[Statement]:
    names = dict(statement.symbols)
    for side in ("left", "right"):
        for term in variants(getattr(statement, side), names):
            yield replace(statement, **{side: term})


def _of_facts(statement: Statement) -> Iterator[Statement]:
    names = dict(statement.symbols)
    for k, fact in enumerate(statement.given):
        before, after = statement.given[:k], statement.given[k + 1:]
        yield replace(statement, given=before + after)
        for term in variants(fact, names):
            yield replace(statement, given=(*before, term, *after))


def _of_relation(statement: Statement) -> Iterator[Statement]:
    other = {"=": ("<=", "<"), "<=": ("=", "<"), "<": ("=",), "psd": ("=",)}
    for relation in other.get(statement.relation, ()):
        yield replace(statement, relation=relation)
    if statement.relation not in ("=", "O"):
        yield replace(statement, left=statement.right, right=statement.left)
    if statement.relation == "<=":
        yield replace(statement, left=("+", statement.left, ("/", 1, 100)))


def _of_definitions(statement: Statement) -> Iterator[Statement]:
    names = dict(statement.symbols)
    for part in ("let", "rates"):
        rows = getattr(statement, part)
        for k, (name, indices, body) in enumerate(rows):
            for term in variants(body, names):
                row = (name, indices, term)
                yield replace(statement, **{part: (*rows[:k], row, *rows[k + 1:])})


def variants(term: Term, names: Mapping[str, tuple]) -> Iterator[Term]:
    """Every term that differs from the given one in one place; all are of the language."""
    for changed in _changes(term, dict(names)):
        try:
            yield plain(changed)
        except Malformed:
            continue


def _changes(term: Term, names: dict) -> Iterator[Term]:
    yield from _here(term, names)
    if not isinstance(term, tuple):
        return
    head = term[0]
    if head in BINDERS:
        inner = {**names, term[2]: ("integer",) if head in ("sum", "prod") else ("real",)}
        for body in _changes(term[1], inner):
            yield (head, body, *term[2:])
        for k in range(3, len(term) - (head == "limit")):
            for end in _changes(term[k], names):
                yield (*term[:k], end, *term[k + 1:])
        return
    if head == "all":
        yield from _of_all(term, names)
        return
    for k in range(2 if head in ("at", "range") else 1, len(term)):
        if head == "diff" and k == 2:
            continue
        for part in _changes(term[k], names):
            yield (*term[:k], part, *term[k + 1:])


def _of_all(term: tuple, names: dict) -> Iterator[Term]:
    inner = dict(names)
    for k, (_, name, low, high) in enumerate(term[2:], start=2):
        for one, two in ((low, ("+", high, 1)), (("+", low, -1), high), (low, ("+", high, -1))):
            yield (*term[:k], ("range", name, one, two), *term[k + 1:])
        inner[name] = ("integer",)
    for relation in _changes(term[1], inner):
        yield ("all", relation, *term[2:])


def _here(term: Term, names: dict) -> Iterator[Term]:
    """Changes at the top of a term."""
    if isinstance(term, int):
        yield from (term + 1, term - 1, *((-term,) if term else ()))
        return
    if isinstance(term, str):
        yield from _of_name(term, names)
        return
    head, args = term[0], term[1:]
    for other in SWAPS.get(head, ()):
        yield (other, *args)
    if head in DROPPED:
        yield args[0]
    rule = HERE.get(head)
    if rule:
        yield from rule(args)


def _of_name(name: str, names: dict) -> Iterator[Term]:
    sort = names.get(name)
    if sort == ("integer",):
        yield from (("+", name, 1), ("+", name, ("-", 1)))
    if sort == ("real",):
        yield from (("-", name), ("*", 2, name))
    if sort and sort[0] == "matrix" and sort[1] == sort[2]:
        yield ("T", name)
    for other, its in names.items():
        if other != name and sort is not None and its == sort:
            yield other


def _of_sum(args: tuple) -> Iterator[Term]:
    for k, a in enumerate(args):
        flipped = a[1] if isinstance(a, tuple) and a[0] == "-" else ("-", a)
        yield ("+", *args[:k], flipped, *args[k + 1:])
        rest = args[:k] + args[k + 1:]
        yield rest[0] if len(rest) == 1 else ("+", *rest)
        yield ("+", *args[:k], ("*", 2, a), *args[k + 1:])


def _of_product(args: tuple) -> Iterator[Term]:
    for k in range(len(args) - 1):
        yield ("*", *args[:k], args[k + 1], args[k], *args[k + 2:])
    for k in range(len(args)):
        rest = args[:k] + args[k + 1:]
        yield rest[0] if len(rest) == 1 else ("*", *rest)
    yield ("-", ("*", *args))
    yield ("+", *args)


def _of_quotient(args: tuple) -> Iterator[Term]:
    yield from (("/", args[1], args[0]), ("*", *args), args[0], ("/", args[0], ("*", 2, args[1])))


def _of_power(args: tuple) -> Iterator[Term]:
    base, power = args
    yield from (base, ("^", base, ("+", power, 1)), ("^", base, ("-", power)))
    yield ("*", base, power)


def _of_entry(args: tuple) -> Iterator[Term]:
    name, index = args[0], args[1:]
    for k, i in enumerate(index):
        for moved in (("+", i, 1), ("+", i, ("-", 1)), 1):
            yield ("at", name, *index[:k], moved, *index[k + 1:])
    if len(index) > 1:
        yield ("at", name, *index[::-1])


def _of_cell(args: tuple) -> Iterator[Term]:
    yield ("entry", args[0], args[2], args[1])


def _of_range(head: str):
    def rule(args: tuple) -> Iterator[Term]:
        body, name, low, high = args
        for one, two in ((("+", low, 1), high), (("+", low, ("-", 1)), high),
                         (low, ("+", high, 1)), (low, ("+", high, ("-", 1))), (high, low)):
            yield (head, body, name, one, two)
    return rule


def _of_cases(args: tuple) -> Iterator[Term]:
    *branches, last = args
    for k, (_, condition, value) in enumerate(branches):
        flip = ("case", (condition[0], condition[2], condition[1]), value)
        yield ("cases", *branches[:k], flip, *branches[k + 1:], last)
        swapped = ("case", condition, last)
        yield ("cases", *branches[:k], swapped, *branches[k + 1:], value)


def _of_relation_here(head: str):
    def rule(args: tuple) -> Iterator[Term]:
        if head not in ("=", "!="):
            yield (head, args[1], args[0])
    return rule


def _of_difference(args: tuple) -> Iterator[Term]:
    yield ("diff", ("diff", args[0], args[1]), args[1])


HERE = {
    "+": _of_sum, "*": _of_product, "/": _of_quotient, "^": _of_power, "at": _of_entry,
    "entry": _of_cell, "cases": _of_cases, "diff": _of_difference,
    **{h: _of_range(h) for h in ("sum", "prod", "int")},
    **{h: _of_relation_here(h) for h in ("<", "<=", "psd")},
    "delta": lambda args: iter((1, 0, ("delta", args[0], ("+", args[1], 1)))),
    "binomial": lambda args: iter((("binomial", args[0], ("+", args[1], 1)),)),
    "det": lambda args: iter((("*", 2, ("det", *args)),)),
    "logistic": lambda args: iter((("logistic", ("-", args[0])),)),
    "exp": lambda args: iter((("exp", ("-", args[0])), ("exp", ("*", 2, args[0])))),
    "eye": lambda args: iter((("*", 2, ("eye", *args)), ("zeros", args[0], args[0]))),
    "pi": lambda args: iter((("*", 2, ("pi",)), ("e",))),
}
