"""Another statement, proved by its own certificate, becomes a fact at terms put in for its symbols.

Data: `lemma` (a statement), `at` (symbol -> term; a symbol left out stands for its namesake), `by`
(certificate of the lemma), `premises` (one certificate for each fact of the lemma at those terms,
or null where it stands among the facts as it is), `then` (certificate with the lemma as a fact).
Falsehood it must reject: log(x) <= x - 1 for x > 0, used at x = -1.
"""

from symbolic.kernel.defined import conditions
from symbolic.kernel.normal import normal, real
from symbolic.kernel.prepare import Problem, prepare
from symbolic.kernel.rules import (
    Granted,
    Refuse,
    altered,
    joined,
    no_definitions,
    term,
    unconditional,
)
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.statement import Statement, read
from symbolic.kernel.structure import integral
from symbolic.kernel.term import Term, free, fresh, substitute


def check(problem, data, prove) -> Granted:
    """Grants what `then` grants with the lemma's instance among the facts."""
    lemma, at = read(data["lemma"]), {n: term(t) for n, t in data["at"].items()}
    shown = unconditional(prove(lemma, data["by"]))
    fact, premises, then = goals(problem, lemma, at)
    if len(data["premises"]) != len(premises):
        raise Refuse(f"{len(premises)} premises need as many certificates")
    parts = [shown]
    for goal, certificate in zip(premises, data["premises"], strict=True):
        if certificate is None:
            if (goal.relation, goal.left, goal.right) not in problem.given:
                raise Refuse("a premise is not among the facts")
        else:
            parts.append(unconditional(prove(goal, certificate)))
    open_ = tuple(c for t in at.values() for c in conditions(t, problem.scope))
    return joined(prove(then, data["then"]), *parts, Granted(where=open_))


def goals(problem: Problem, lemma: Statement, at: dict[str, Term],
          ) -> tuple[Term, tuple[Statement, ...], Statement]:
    """(the instance as a fact, its premises, the statement with that fact); Refuse if it does
    not fit the sorts."""
    if lemma.relation not in ("=", "<=", "<"):
        raise Refuse(f"a lemma about {lemma.relation!r} is no fact")
    inner = prepare(lemma)
    for name, sort in lemma.symbols:
        _fits(name, sort, at, problem)
    base = no_definitions(problem)
    fact = (lemma.relation, substitute(inner.left, at), substitute(inner.right, at))
    premises = tuple(_premise(base, substitute(f, at)) for f in inner.given)
    return fact, premises, altered(base, given=(*base.given, fact))


def _fits(name: str, sort: tuple, at: dict[str, Term], problem: Problem) -> None:
    """Whether the term put in for a symbol of this sort fits it, sizes moved along."""
    sorts, scope, value = problem.scope.sorts, problem.scope, at.get(name, name)
    if free(value) - sorts.keys():
        raise Refuse(f"{name} of the lemma stands for what is not declared here")
    if sort[0] == "family":
        other = sorts.get(value) if isinstance(value, str) else None
        if sort[1][0] == "matrix":
            raise Refuse("a lemma about a family of matrices")
        if other is None or other[0] != "family" or len(other) != len(sort) or not (
                other[1] == sort[1] or (other[1], sort[1]) == (("integer",), ("real",))):
            raise Refuse(f"{name} of the lemma stands for no family of its kind")
    elif sort[0] == "matrix":
        moved = tuple(substitute(n, at) for n in sort[1:3])
        if not isinstance(value, str) or sorts[value][:3] != ("matrix", *moved) or not set(
                sort[3:]) <= set(sorts[value][3:]):
            raise Refuse(f"{name} of the lemma stands for no matrix with its flags")
    elif not scalar(shape(value, sorts)):
        raise Refuse(f"{name} of the lemma stands for no number")
    elif sort == ("integer",) and not integral(normal(value, scope)):
        raise Refuse(f"{name} of the lemma stands for what need not be whole")
    elif sort == ("real",) and not real(value, scope):
        raise Refuse(f"{name} of the lemma stands for what need not be real")


def _premise(base: Statement, fact: Term) -> Statement:
    """A fact as a goal; one for all indices gets symbols for them."""
    names = frozenset(n for n, _ in base.symbols)
    ranges: list = []
    if fact[0] == "all":
        relation = fact[1]
        chosen: dict[str, Term] = {}
        for _, name, low, high in fact[2:]:
            new = fresh(name, names | free(fact))
            names |= {new}
            low, high = substitute(low, chosen), substitute(high, chosen)
            chosen[name] = new
            ranges += [("<=", low, new), ("<=", new, high)]
            base = altered(base, symbols=(*base.symbols, (new, ("integer",))))
        fact = substitute(relation, chosen)
    if fact[0] not in ("=", "<=", "<", "!=", "psd"):
        raise Refuse(f"a premise about {fact[0]!r} is not shown by certificates")
    return altered(base, relation=fact[0], left=fact[1], right=fact[2],
                   given=(*base.given, *ranges))
