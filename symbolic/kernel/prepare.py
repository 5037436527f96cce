"""From a statement to what the rules work on: definitions unfolded, derivatives done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symbolic.kernel import completion, words
from symbolic.kernel import facts as facts_
from symbolic.kernel import shape as shapes
from symbolic.kernel.budget import Undecided
from symbolic.kernel.derivative import evaluated
from symbolic.kernel.entail import Facts, Guard
from symbolic.kernel.normal import Scope, compared, normal
from symbolic.kernel.polynomial import (
    ONE,
    atom,
    constant,
    content,
    freeze,
    invert_mono,
    mul,
    subtract,
    thaw,
)
from symbolic.kernel.statement import Statement, sort
from symbolic.kernel.term import BINDERS, Malformed, Term, free, heads, infinities, unfold, walk
from symbolic.kernel.zero import fraction

KINDS = {"=": "=", "<=": ">=", "<": ">", "!=": "!="}


@dataclass(frozen=True)
class Problem:
    """A statement made ready: `left` and `right` without derivatives, the terms as written too."""

    statement: Statement
    scope: Scope
    left: Term
    right: Term
    given: tuple[Term, ...]
    written: tuple[Term, Term]

    @property
    def relation(self) -> str:
        """The relation of the statement."""
        return self.statement.relation


def prepare(statement: Statement) -> Problem:
    """Check that the statement is well formed and read its facts.

    Raises Malformed (undeclared names, shapes that do not fit, clashing definitions) and
    Undecided (derivatives that the table does not have).
    """
    sorts = dict(statement.symbols)
    left, right = (unfold(t, statement.let) for t in (statement.left, statement.right))
    given = tuple(unfold(f, statement.let) for f in statement.given)
    _well_formed(statement, sorts, left, right, given)
    rates = {(n, v): unfold(b, statement.let) for n, v, b in statement.rates}
    symmetric = frozenset(name for f in given if (name := symmetric_family(f)))
    done = [evaluated(t, sorts, rates, symmetric) for t in (left, right)]
    facts = tuple(evaluated(f, sorts, rates, symmetric) for f in given)
    scope = scope_of(sorts, facts, (*done, *facts))
    return Problem(statement, scope, *done, facts, (left, right))


def _well_formed(statement: Statement, sorts: dict, left: Term, right: Term, given: tuple) -> None:
    names = free(left) | free(right)
    names = names.union(*(free(f) for f in given), *(free(b) for _, _, b in statement.rates))
    names |= {n for s in sorts.values() for n in _names_of_sort(s)}
    missing = names - sorts.keys() - {n for n, _, _ in statement.let}
    if statement.limit:
        missing |= free(statement.limit[1]) - sorts.keys()
    if missing:
        raise Malformed(f"not declared: {', '.join(sorted(missing))}")
    for s in sorts.values():
        sort(s)
    if wrong := [n for n in sizes(sorts) if sorts[n] != ("integer",)]:
        raise Malformed(f"{', '.join(sorted(wrong))}: a size is a whole number, declare it integer")
    _no_strays(statement, sorts, (left, right, *given))
    relation = "=" if statement.relation == "O" else statement.relation
    for fact in (*given, (relation, left, right)):
        if not isinstance(fact, tuple) or fact[0] not in (*KINDS, "psd", "all"):
            raise Malformed("a fact is a relation, or a relation for all indices in ranges")
        _check_shape(fact, sorts)


def _no_strays(statement: Statement, sorts: dict, terms: tuple) -> None:
    """oo is no number, and no bound name is a size: sizes are looked up wherever they stand."""
    terms = (*terms, *(b for _, _, b in statement.rates), *(b for _, _, b in statement.let))
    if any(map(infinities, terms)):
        raise Malformed("oo is only an end of a sum or integral, or the point of a limit")
    bound = {t[2] for term in terms for t in walk(term) if isinstance(t, tuple)
             and t[0] in BINDERS}
    bound |= {r[1] for f in statement.given if f[0] == "all" for r in f[2:]}
    written = {n for term in terms for t in walk(term) if isinstance(t, tuple)
               and t[0] in ("eye", "zeros") for n in free(t)}
    if clash := bound & (sizes(sorts) | written):
        raise Malformed(f"{', '.join(sorted(clash))} is a size and bound too: rename the index")


def _check_shape(fact: tuple, sorts: dict) -> None:
    """Shapes agree; the number 0 stands for a zero matrix beside = and psd."""
    if fact[0] in ("=", "psd"):
        one, two = (shapes.shape(t, sorts) for t in fact[1:])
        if 0 in fact[1:] and (one is None) != (two is None):
            return
    shapes.shape(fact, sorts)


def _names_of_sort(sort: tuple) -> frozenset[str]:
    parts = [p for p in sort[1:3] if sort[0] == "matrix"]
    if sort[0] == "family":
        inner = _names_of_sort(sort[1])
        return inner.union(*(free(r[2]) | free(r[3]) for r in sort[2:]))
    return frozenset().union(*(free(p) for p in parts))


def symmetric_family(fact: Term) -> str | None:
    """A family whose entries a fact for all indices relates to each other."""
    if fact[0] == "all" and fact[1][0] == "=":
        entries = {t for side in fact[1][1:] for t in walk(side)
                   if isinstance(t, tuple) and t[0] == "at"}
        for name in {t[1] for t in entries}:
            if sum(t[1] == name for t in entries) > 1:
                return name
    return None


def scope_of(sorts: dict, given: tuple, terms: tuple) -> Scope:
    """The scope with every fact that has a normal form; the others serve no rule but are kept."""
    used = frozenset().union(*(heads(t) for t in terms))
    matrices = any(_is_matrix(s) for s in sorts.values()) or bool(
        used & {"matrix", "eye", "zeros"})
    imaginary = "i" in used or any(("complex",) in (s, s[1:2] and s[1]) for s in sorts.values())
    bare = Scope(Facts(sorts), sorts, {}, matrices, imaginary)
    sizes_ = tuple((freeze(subtract(normal(n, bare), constant(1))), ">=") for n in sizes(sorts))
    plain, guarded, between = _read(given, bare)
    plain += _cleared(Facts(sorts, sizes_ + plain, guarded), plain)
    scope = replace(bare, facts=Facts(sorts, sizes_ + plain, guarded))
    if any(heads(f) & {"sum", "prod"} for f in given):    # whose ends move where facts allow it
        again = _read(given, scope)[0]
        plain += tuple(f for f in again if f not in plain)
        scope = replace(bare, facts=Facts(sorts, sizes_ + plain, guarded))
    if not between:
        return scope
    scope = _with_rules(between, scope)
    again = _read(given, replace(bare, rules=scope.rules))[0] if scope.rules else ()
    plain += tuple(f for f in again if f not in plain)  # as the rules rewrite what is asked
    return replace(scope, facts=Facts(sorts, sizes_ + plain, guarded))


def _cleared(known: Facts, plain: tuple) -> tuple:
    """Facts divided by what is common to all their terms and known to be positive: from
    eta <= 1/L and L > 0 that 0 <= 1 - L eta."""
    out = []
    for f, kind in plain:
        try:
            p, bottoms = fraction(thaw(f))
            _, m = content(p) if p else (1, frozenset())
            factors = [*(b for b, _ in bottoms), *([{m: 1}] if m else [])]
            if not factors or not all(facts_.positive(known, q) for q in factors):
                continue
            p = mul(p, {invert_mono(m): 1})
        except Undecided:
            continue
        out += [(freeze(p), kind)] if set(p) - {ONE} else []
    return tuple(f for f in out if f not in plain)


def _read(given: tuple, bare: Scope) -> tuple[tuple, tuple, list]:
    """Facts between numbers, facts for all indices, and relations between matrices."""
    plain: list[tuple] = []
    guarded: list[Guard] = []
    between: list[tuple] = []
    for fact in given:
        try:
            if fact[0] == "all":
                guarded.append(_guard(fact, bare))
            elif fact[0] in KINDS and shapes.scalar(shapes.shape(fact[1], bare.sorts)):
                relation, p = compared(fact, bare)
                plain.append((freeze(p), KINDS[relation]))
            elif fact[0] in ("=", "psd"):
                between.append(fact)
        except Undecided:
            continue
    return tuple(plain), tuple(guarded), between


def _with_rules(between: list[tuple], scope: Scope) -> Scope:
    """The scope in which equations between matrices are rules for words, and psd facts known."""
    gaps: dict[str, list] = {"=": [], "psd": []}
    for relation, left, right in between:
        try:
            gaps[relation].append(words.difference(left, right, scope))
        except Undecided:
            continue
    scope = completion.completed(gaps["="], scope)
    return replace(scope, semidefinite=tuple(gaps["psd"]))


def _is_matrix(sort: tuple) -> bool:
    return sort[0] == "matrix" or sort[0] == "family" and sort[1][0] == "matrix"


def sizes(sorts: dict) -> set[str]:
    """Names that are sizes of declared matrices: at least 1 by that declaration."""
    inner = [s[1] if s[0] == "family" else s for s in sorts.values()]
    return {n for s in inner if s[0] == "matrix" for n in s[1:3] if isinstance(n, str)}


def _guard(fact: tuple, bare: Scope) -> Guard:
    """A fact for all indices, its names as atoms that no term can mention."""
    scope, names, guards = bare, [], []
    for _, name, low, high in fact[2:]:
        ends = normal(low, scope), normal(high, scope)
        mark = ("int", f"?{name}")
        scope = replace(scope, bound={**scope.bound, name: mark},
                        sorts={**scope.sorts, name: ("integer",)})
        names.append(mark)
        guards += [subtract(atom(mark), ends[0]), subtract(ends[1], atom(mark))]
    if fact[1][0] not in KINDS:
        raise Undecided("a fact for all indices that is no relation between numbers")
    relation, p = compared(fact[1], scope)
    return Guard(tuple(names), tuple(map(freeze, guards)), freeze(p), KINDS[relation])
