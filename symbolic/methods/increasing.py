"""An inequality under an increasing function: denominators cleared, logarithms and roots undone.

1. Both sides times what stands under them, where that is positive. 2. The exponential of both sides
where logarithms stand alone; a factor that all of them share is divided away first. 3. The
logarithm, where symbols stand in exponents. 4. Squares, where a side is a root.
What comes out is given to the other methods, and once more to this one.
"""


from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered, no_definitions
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.statement import Certificate, Level
from symbolic.kernel.term import Malformed, free
from symbolic.search import clock
from symbolic.search.cancel import summands

CHEAP = ("normal", "sign", "shape", "mean", "gather", "jensen")
DEAR = ("tangent", "linear", "squares", "induction")
SURE = ("normal", "sign", "shape", "gather", "linear")
ROUNDS = 2


def find(statement):
    """Certificates of the rule increasing, by cheap methods first."""
    for then in (CHEAP, DEAR):
        yield from _found(statement, then, ROUNDS)


def _found(statement, then, rounds):
    from symbolic.prove import certify

    if statement.relation not in ("<=", "<"):
        return
    try:
        with limited(200_000):
            problem = prepare(statement)
            if not scalar(shape(problem.left, problem.scope.sorts)):
                return
            base = no_definitions(problem)
    except (Undecided, Malformed):
        return
    for function, sides, sure in _proposed(base):
        if clock.left() <= 0:
            return
        images = _images(function, base)
        equal = [certify(altered(base, relation="=", left=s, right=t), ("normal",))
                 for s, t in zip(sides, images, strict=True)]
        shown = None if sure is None else certify(altered(base, **sure), SURE)
        if None in equal or (sure is not None and shown is None):
            continue
        inner = altered(base, left=sides[0], right=sides[1])
        by = certify(inner, then) or (_again(inner, then, rounds - 1) if rounds > 1 else None)
        if by is not None:
            yield "increasing", {"function": function, "sides": list(sides), "equal": equal,
                                 "by": by} | ({} if sure is None else {"sure": shown})


def _again(statement, then, rounds):
    from symbolic.kernel.check import examine

    for rule, data in _found(statement, then, rounds):
        if examine(statement, Certificate(statement.digest, rule, data)).level is Level.PROVED:
            return {"rule": rule, **data}
    return None


def _images(function, base):
    sides = base.left, base.right
    if function in ("exp", "log"):
        return [(function, t) for t in sides]
    return [("^", t, 2) if function == "square" else ("*", function[1], t) for t in sides]


def _proposed(base):
    """(function, new sides, what has to be sure) for the three kinds."""
    sides = base.left, base.right
    tops, bottoms = zip(*map(_quotient, sides), strict=True)
    shared = {b: max(d.get(b, 0) for d in bottoms) for b in {**bottoms[0], **bottoms[1]}}
    if shared:
        factor = _powers(shared)
        new = [_times(top, _powers({b: e - d.get(b, 0) for b, e in shared.items()}))
               for top, d in zip(tops, bottoms, strict=True)]
        yield ("times", factor), new, {"relation": "<", "left": 0, "right": factor}
    logs = [f for t in sides for _, s in summands(t) if (f := _log(s)) is not None]
    scales = {c for c, _ in logs}
    if scales == {1}:
        yield "exp", [_exponential(t) for t in sides], None
    elif len(scales) == 1:
        c, = scales
        yield ("times", ("/", 1, c)), [_divided(t, c) for t in sides], {
            "relation": "<", "left": 0, "right": ("/", 1, c)}
    if any(map(_powered, sides)):
        yield "log", [_logarithm(t) for t in sides], {
            "relation": "<", "left": 0, "right": base.left}
    if any(_rooted(t) for t in sides):
        yield "square", [_square(t) for t in sides], {
            "relation": "<=", "left": 0, "right": base.right}


def _quotient(t):
    """(numerator, {denominator: power}) of a term as it is written."""
    if not isinstance(t, tuple) or t[0] not in ("/", "*", "-", "+", "^"):
        return t, {}
    if t[0] == "^":
        top, below = _quotient(t[1])
        if type(t[2]) is not int or t[2] < 1 or not below:
            return t, {}
        return ("^", top, t[2]), {b: e * t[2] for b, e in below.items()}
    if t[0] == "/":
        (top, below), (under, upper) = _quotient(t[1]), _quotient(t[2])
        top = _times(top, _powers(upper))
        if isinstance(under, int):
            return ("/", top, under), below
        for factor, e in _factors(under):
            below = {**below, factor: below.get(factor, 0) + e}
        return top, below
    parts = [_quotient(a) for a in t[1:]]
    if not any(b for _, b in parts):
        return t, {}
    if t[0] == "-":
        return ("-", parts[0][0]), parts[0][1]
    if t[0] == "*":
        total = {}
        for _, below in parts:
            for b, e in below.items():
                total[b] = total.get(b, 0) + e
        return ("*", *(p for p, _ in parts)), total
    shared = {b: max(d.get(b, 0) for _, d in parts) for b in {k for _, d in parts for k in d}}
    return ("+", *(_times(top, _powers({b: e - d.get(b, 0) for b, e in shared.items()}))
                   for top, d in parts)), shared


def _factors(t):
    """(factor, power) pairs of a product as written, numbers left out."""
    if isinstance(t, tuple) and t[0] == "*":
        return [f for a in t[1:] for f in _factors(a)]
    if isinstance(t, tuple) and t[0] == "^" and type(t[2]) is int and t[2] > 0:
        return [(b, e * t[2]) for b, e in _factors(t[1])]
    return [(t, 1)]


def _powers(table):
    parts = [b if e == 1 else ("^", b, e) for b, e in sorted(table.items(), key=str) if e]
    return 1 if not parts else parts[0] if len(parts) == 1 else ("*", *parts)


def _times(a, b):
    return a if b == 1 else b if a == 1 else ("*", a, b)


def _log(summand):
    """(coefficient, argument) of a multiple of a logarithm, the sign and numbers apart."""
    factors = list(summand[1:]) if isinstance(summand, tuple) and summand[0] == "*" else [summand]
    logs = [f for f in factors if isinstance(f, tuple) and f[0] == "log"]
    rest = [f for f in factors if f not in logs]
    if len(logs) != 1 or any(isinstance(f, int) or f[0] == "/" for f in rest):
        return None
    return (1 if not rest else rest[0] if len(rest) == 1 else ("*", *rest)), logs[0][1]


def _exponential(t):
    """exp(t), with the logarithms among its summands undone."""
    tops, bottoms, rest = [], [], []
    for s, summand in summands(t):
        found = _log(summand)
        if found is None:
            rest.append(summand if s > 0 else ("-", summand))
        else:
            (tops if s > 0 else bottoms).append(found[1])
    if rest and rest != [0]:
        tops.append(("exp", rest[0] if len(rest) == 1 else ("+", *rest)))
    top = 1 if not tops else tops[0] if len(tops) == 1 else ("*", *tops)
    return top if not bottoms else ("/", top, bottoms[0] if len(bottoms) == 1 else ("*", *bottoms))


def _powered(t):
    """Whether a factor of the term has a symbol in its exponent."""
    if not isinstance(t, tuple):
        return False
    return t[0] == "^" and bool(free(t[2])) or t[0] in ("*", "/") and any(map(_powered, t[1:]))


def _logarithm(t):
    """log(t), of products and powers factor by factor."""
    if t == 1:
        return 0
    if isinstance(t, tuple) and t[0] == "exp":
        return t[1]
    if isinstance(t, tuple) and t[0] == "^":
        return ("*", t[2], _logarithm(t[1]))
    if isinstance(t, tuple) and t[0] == "*":
        return ("+", *map(_logarithm, t[1:]))
    if isinstance(t, tuple) and t[0] == "/":
        return ("+", _logarithm(t[1]), ("-", _logarithm(t[2])))
    return ("log", t)


def _divided(t, c):
    """t/c, with c taken out of the summands that have it as a factor."""
    parts = []
    for s, summand in summands(t):
        factors = list(summand[1:]) if isinstance(summand, tuple) and summand[0] == "*" else [
            summand]
        if c in factors:
            factors.remove(c)
            part = 1 if not factors else factors[0] if len(factors) == 1 else ("*", *factors)
        else:
            part = 0 if summand == 0 else ("/", summand, c)
        parts.append(part if s > 0 else ("-", part))
    return parts[0] if len(parts) == 1 else ("+", *parts)


def _rooted(t):
    """Whether a factor of the term is a square root."""
    if not isinstance(t, tuple):
        return False
    return t[0] == "sqrt" or t[0] in ("*", "/") and any(map(_rooted, t[1:]))


def _square(t):
    """The square of a term, roots among its factors undone."""
    if isinstance(t, int):
        return t * t
    if isinstance(t, tuple) and t[0] == "sqrt":
        return t[1]
    if isinstance(t, tuple) and t[0] in ("*", "/"):
        return (t[0], *map(_square, t[1:]))
    if isinstance(t, tuple) and t[0] == "^" and type(t[2]) is int:
        return ("^", t[1], 2 * t[2])
    return ("^", t, 2)
