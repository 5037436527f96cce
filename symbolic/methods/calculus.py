"""One real variable: constant slope, monotone away from a place, concave between two.

1. `=`: a place among 0, 1, -1, the ends; the derivative by the normal form. 2. `<=`: a place where
the gap is least (ends first, then 0 and 1), the derivative's sign by the cheap methods or by one
more round of the same; or the gap is concave between two bounds, and >= 0 at both. Limits: the
facts about the variable must be bounds; two rounds.
"""

from itertools import product

from symbolic.kernel.budget import Undecided
from symbolic.kernel.rules import altered
from symbolic.kernel.statement import Level
from symbolic.kernel.term import Malformed, free, substitute

PLACES = (0, 1, ("-", 1), 2, ("/", 1, 2), ("/", ("pi",), 2))
SLOPE = ("normal", "sign", "shape", "linear")
BEND = (*SLOPE, "squares")
ENDS, SURE = ("normal", "sign", "enclosure"), (Level.PROVED, Level.CERTIFIED)
ROUNDS = 2


def find(statement, rounds=ROUNDS):
    """Certificates of the rules constant, monotone and concave."""
    names = [n for n, s in statement.symbols if s == ("real",)
             and n in free(statement.left) | free(statement.right)]
    if statement.let or statement.rates:
        return
    names.sort(key=lambda x: -len({side for _, side in ends(statement, x)}))
    for x in names[:3]:
        if statement.relation == "=":
            yield from _constant(statement, x)
        elif statement.relation == "<=":
            yield from _monotone(statement, x, rounds)
            yield from _concave(statement, x, rounds)


def ends(statement, x):
    """Bounds of x among the facts: (term, side), side 1 for a lower bound."""
    for fact in statement.given:
        if fact[0] in ("<=", "<") and fact[2] == x and x not in free(fact[1]):
            yield fact[1], 1
        if fact[0] in ("<=", "<") and fact[1] == x and x not in free(fact[2]):
            yield fact[2], -1


def _constant(statement, x):
    from symbolic.prove import certify

    slope = altered(statement, left=("diff", ("+", statement.left, ("-", statement.right)), x),
                    right=0)
    down = certify(slope, ("normal",))
    if down is None:
        return
    others = tuple(f for f in statement.given if x not in free(f))
    for place in dict.fromkeys((1, *PLACES, *(e for e, _ in ends(statement, x)))):
        try:
            here = altered(statement, given=others, left=substitute(statement.left, {x: place}),
                           right=substitute(statement.right, {x: place}))
        except Malformed:
            continue
        by = certify(here, ("normal",))
        if by is not None:
            yield "constant", {"variable": x, "at": place, "slope": down, "here": by}


def _monotone(statement, x, rounds):
    from symbolic.prove import certify

    others = tuple(f for f in statement.given if x not in free(f))
    for place, side in dict.fromkeys([*ends(statement, x), (0, 1), (1, 1), (0, -1)]):
        far = tuple(f for f in statement.given if f[0] in ("<=", "<") and f not in others
                    and (f[1] == x) == (side == 1))
        near = ("<=", place, x) if side == 1 else ("<=", x, place)
        try:
            here = altered(statement, given=others, left=substitute(statement.left, {x: place}),
                           right=substitute(statement.right, {x: place}))
        except Malformed:
            continue
        by = certify(here, ENDS, SURE)
        if by is None:
            continue
        gap = ("diff", ("+", statement.right, ("-", statement.left)), x)
        slope = altered(statement, given=(*others, *far, near),
                        left=0 if side == 1 else gap, right=gap if side == 1 else 0)
        down = certify(slope, SLOPE) or (_round(slope, rounds - 1) if rounds > 1 else None)
        if down is not None:
            yield "monotone", {"variable": x, "from": place, "side": side, "slope": down,
                               "here": by}


def _concave(statement, x, rounds):
    from symbolic.prove import certify

    others = tuple(f for f in statement.given if x not in free(f))
    bounds = list(ends(statement, x))
    lows, highs = ([place for place, side in bounds if side == s][:2] for s in (1, -1))
    for low, high in product(lows, highs):
        try:
            here = [altered(statement, given=others,
                            left=substitute(statement.left, {x: place}),
                            right=substitute(statement.right, {x: place})) for place in (low, high)]
        except Malformed:
            continue
        shown = [certify(h, ENDS, SURE) for h in here]
        if None in shown:
            continue
        gap = ("diff", ("+", statement.right, ("-", statement.left)), x)
        bend = altered(statement, given=(*others, ("<=", low, x), ("<=", x, high)),
                       left=("diff", gap, x), right=0)
        down = certify(bend, BEND) or (_round(bend, rounds - 1) if rounds > 1 else None)
        if down is not None:
            yield "concave", {"variable": x, "low": low, "high": high, "bend": down,
                              "ends": shown}


def _round(statement, rounds):
    """One more round on a derivative, carried out first."""
    from symbolic.kernel.check import examine
    from symbolic.kernel.prepare import prepare
    from symbolic.kernel.statement import Certificate

    try:
        problem = prepare(statement)
    except (Undecided, Malformed):
        return None
    plain = altered(statement, left=problem.left, right=problem.right, given=problem.given)
    for rule, data in find(plain, rounds):
        if examine(plain, Certificate(plain.digest, rule, data)).level in SURE:
            return {"rule": rule, **data}
    return None
