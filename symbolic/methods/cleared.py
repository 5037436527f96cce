"""Facts with denominators, multiplied out: from a <= b to 0 <= w*(b - a) without a division.

1. For each order among the facts whose sides have denominators of known sign, the rule lemma adds
   the cleared fact: given a <= b, 0 < w and v = w*(b - a), conclude 0 <= v.
2. With all of them added, the linear, square and gram methods try the statement.
Limits: denominators must be shown positive; guarded facts are left as they are.
"""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.normal import normal
from symbolic.kernel.polynomial import mul, subtract
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import Refuse
from symbolic.kernel.rules.lemma import goals
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.statement import read
from symbolic.kernel.term import Malformed
from symbolic.kernel.zero import fraction
from symbolic.search import frame as frames
from symbolic.search.terms import NoTerm, term_of

THEN = ("sign", "shape", "linear", "gram", "squares")
MOST = 4


def find(statement):
    """One certificate, when the statement follows once the facts are cleared."""
    from symbolic.prove import certify

    if statement.relation not in ("<=", "<"):
        return
    try:
        with limited(300_000):
            problem = prepare(statement)
            rows = list(_rows(problem))[:MOST]
    except (Undecided, Malformed, NoTerm):
        return
    used, inner = [], statement
    for lemma, at in rows:
        try:
            _, premises, then = goals(prepare(inner), read(lemma), at)
        except (Refuse, Undecided, Malformed):
            continue
        shown = [certify(premises[1]), certify(premises[2])]
        if None in shown:
            continue
        used.append({"rule": "lemma", "lemma": lemma, "at": at, "by": BY,
                     "premises": [None, *shown]})
        inner = then
    by = certify(inner, THEN) if used else None
    if by is None:
        return
    for step in reversed(used):
        by = step | {"then": by}
    yield by["rule"], {k: v for k, v in by.items() if k != "rule"}


BY = {"rule": "combination", "terms": [["*", "w", ["+", "b", ["-", "a"]]]], "equations": [[1, 2]]}


def _lemma(relation):
    """Given a <= b (or a < b), 0 < w and v = w*(b - a): 0 <= v (or 0 < v)."""
    return {"symbols": [[n, ["real"]] for n in ("a", "b", "w", "v")],
            "given": [[relation, "a", "b"], ["<", 0, "w"],
                      ["=", "v", ["*", "w", ["+", "b", ["-", "a"]]]]],
            "relation": relation, "left": 0, "right": "v"}


def _lowest(p):
    """{(atom, k): atom^k as a term} for the atoms with least exponent -k below zero."""
    least = {}
    for m in p:
        for a, e in m:
            least[a] = min(e, least.get(a, 0))
    return {(a, -e): term_of({frozenset({(a, -e)}): 1}) for a, e in least.items() if e < 0}


def _times(p, low):
    """p times those powers."""
    return mul(p, {frozenset(low): 1}) if low else p


def _rows(problem):
    """(lemma, at) for each order with denominators among the facts."""
    scope = problem.scope
    for fact in problem.given:
        if fact[0] not in ("<=", "<") or not scalar(shape(fact[1], scope.sorts)):
            continue
        try:
            top, bottoms = fraction(subtract(normal(fact[2], scope), normal(fact[1], scope)))
            low = _lowest(top)
            if bottoms or low:
                factors = [*([frames.multiplier(bottoms)] if bottoms else []), *low.values()]
                yield _lemma(fact[0]), {
                    "a": fact[1], "b": fact[2], "v": term_of(_times(top, low)),
                    "w": factors[0] if len(factors) == 1 else ("*", *factors)}
        except (NoTerm, Undecided):
            continue
