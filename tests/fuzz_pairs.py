"""Pairs of terms that are equal by construction: a random term rewritten by true identities.

`pair(rng)` gives `(symbols, given, left, right, equal, sample)`. With `equal` True the sides have
one value wherever both are defined; with `equal` None one place was changed afterwards, so that
they are most often different. The identities are applied at random places, bound names and facts
minded.
"""

import random
from collections.abc import Iterator

from symbolic.kernel.term import BINDERS, Term, free, fresh, substitute
from tests.fuzz_matrices import (
    MATRIX_FACTS,
    MATRIX_SYMBOLS,
    SHAPES,
    _matrix_scalar,
    _word,
    matrix_point,
)
from tests.fuzz_terms import (
    POSITIVES,
    SCALAR_FACTS,
    SCALAR_SYMBOLS,
    SUM_FACTS,
    SUM_SYMBOLS,
    _smooth,
    _sum_point,
    minus,
    positive_term,
    real_term,
    scalar_point,
)
from tests.mutants import variants

HALF_PI = ("/", ("pi",), 2)


def pair(rng: random.Random) -> tuple:
    """An equal pair (two times in three) or a near pair, of a random kind."""
    symbols, given, term, sample, kind = rng.choice((_scalar_start, _sum_start, _matrix_start))(rng)
    other = term
    for _ in range(rng.choice((1, 2, 3, 5, 8))):
        other = rewritten(other, kind, given, rng)
    if rng.random() < 2 / 3:
        return symbols, given, term, other, True, sample
    changed = list(variants(other, dict(symbols)))
    return symbols, given, term, rng.choice(changed) if changed else other, None, sample


def _scalar_start(rng: random.Random) -> tuple:
    term = rng.choice((real_term, positive_term))(rng, 3)
    return SCALAR_SYMBOLS, SCALAR_FACTS, term, scalar_point, "scalar"


def _sum_start(rng: random.Random) -> tuple:
    given = rng.choice(SUM_FACTS)
    term = _smooth(rng, ("n", "m", "s"), rng.choice((0, 1, 2)))
    return SUM_SYMBOLS, given, term, _sum_point(given), "sum"


def _matrix_start(rng: random.Random) -> tuple:
    term = _matrix_scalar(rng, 4, SHAPES) if rng.random() < 0.4 else _word(rng, "d", "d", 3, SHAPES)
    return MATRIX_SYMBOLS, MATRIX_FACTS, term, matrix_point, "matrix"


def rewritten(term: Term, kind: str, given: tuple, rng: random.Random) -> Term:
    """The term with one true identity applied at one place; itself when none was found."""
    places = list(_places(term))
    for _ in range(12):
        path, part, bound = rng.choice(places)
        rule = rng.choice(RULES[kind])
        new = rule(part, rng, given, bound)
        if new is not None and new != part:
            return _put(term, path, new)
    return term


def _places(term: Term, path: tuple = (), bound: tuple = ()) -> Iterator[tuple]:
    """Subterms that may be replaced by equal ones: no indices, ends, conditions, variables."""
    yield path, term, bound
    if not isinstance(term, tuple):
        return
    head = term[0]
    if head in ("at", "delta", "binomial", "factorial", "entry", "eye", "zeros"):
        return
    if head == "^":
        yield from _places(term[1], (*path, 1), bound)
        return
    if head in BINDERS or head == "diff":
        inner = (*bound, term[2]) if head in BINDERS else bound
        if head != "diff":
            yield from _places(term[1], (*path, 1), inner)
        return
    for k, a in enumerate(term[1:], start=1):
        if head == "cases" and k < len(term) - 1:
            yield from _places(a[2], (*path, k, 2), bound)
        else:
            yield from _places(a, (*path, k), bound)


def _put(term: Term, path: tuple, new: Term) -> Term:
    if not path:
        return new
    k = path[0]
    return (*term[:k], _put(term[k], path[1:], new), *term[k + 1:])


def _is(t: Term, *shape: str) -> bool:
    """Whether a term has the first head, and its arguments the heads that follow ("" for any)."""
    return isinstance(t, tuple) and t[0] == shape[0] and all(
        not s or (isinstance(a, tuple) and a[0] == s)
        for a, s in zip(t[1:], shape[1:], strict=False))


# --- identities of scalars ----------------------------------------------------------------------

def _shuffle(t, rng, given, bound):
    if _is(t, "+") or _is(t, "*") or _is(t, "max") or _is(t, "min"):
        args = list(t[1:])
        rng.shuffle(args)
        return (t[0], *args)
    return None


def _group(t, rng, given, bound):
    if (_is(t, "+") or _is(t, "*")) and len(t) > 3:
        k = rng.randrange(1, len(t) - 1)
        one = t[1] if k == 1 else (t[0], *t[1:k + 1])
        two = t[-1] if k == len(t) - 2 else (t[0], *t[k + 1:])
        return (t[0], one, two)
    return None


def _distribute(t, rng, given, bound):
    if not _is(t, "*"):
        return None
    for k, a in enumerate(t[1:], start=1):
        if _is(a, "+"):
            return ("+", *(("*", *t[1:k], b, *t[k + 1:]) for b in a[1:]))
    return None


def _add_nothing(t, rng, given, bound):
    s = rng.choice((3, ("/", 1, 2), *(("x", "a") if not bound else ())))
    if given is not SCALAR_FACTS and isinstance(s, str):
        return None
    return ("+", t, s, ("-", s))


def _signs(t, rng, given, bound):
    if _is(t, "-"):
        return ("*", -1, t[1])
    return rng.choice((("-", ("-", t)), ("/", ("*", 2, t), 2)))


def _square(t, rng, given, bound):
    if _is(t, "^") and t[2] == 2:
        return ("*", t[1], t[1])
    if _is(t, "^", "+") and t[2] == 2 and len(t[1]) == 3:
        _, a, b = t[1]
        return ("+", ("^", a, 2), ("*", 2, a, b), ("^", b, 2))
    if _is(t, "^") and isinstance(t[2], int) and t[2] < 0:
        return ("/", 1, ("^", t[1], -t[2]) if t[2] < -1 else t[1])
    if _is(t, "/"):
        return rng.choice((("*", t[1], ("^", t[2], -1)), ("-", ("/", ("-", t[1]), t[2]))))
    return None


def _circle(t, rng, given, bound):
    if _is(t, "sin", "+") and len(t[1]) == 3:
        _, a, b = t[1]
        return ("+", ("*", ("sin", a), ("cos", b)), ("*", ("cos", a), ("sin", b)))
    if _is(t, "cos", "+") and len(t[1]) == 3:
        _, a, b = t[1]
        return minus(("*", ("cos", a), ("cos", b)), ("*", ("sin", a), ("sin", b)))
    if _is(t, "sin"):
        half = ("/", t[1], 2)
        return rng.choice((("cos", minus(t[1], HALF_PI)), ("-", ("sin", ("-", t[1]))),
                           ("*", 2, ("sin", half), ("cos", half)),
                           ("sin", ("+", t[1], ("*", 2, ("pi",)))),
                           ("im", ("exp", ("*", ("i",), t[1])))))
    if _is(t, "cos"):
        z = ("exp", ("*", ("i",), t[1]))
        return rng.choice((("/", ("+", z, ("/", 1, z)), 2), ("cos", ("-", t[1])),
                           minus(1, ("*", 2, ("^", ("sin", ("/", t[1], 2)), 2)))))
    return None


def _exponential(t, rng, given, bound):
    if _is(t, "exp", "+"):
        return ("*", *(("exp", a) for a in t[1][1:]))
    if _is(t, "exp"):
        return rng.choice((("/", 1, ("exp", ("-", t[1]))), ("^", ("exp", ("/", t[1], 2)), 2),
                           ("+", ("cosh", t[1]), ("sinh", t[1]))))
    if _is(t, "cosh") or _is(t, "sinh"):
        back = ("exp", ("-", t[1]))
        two = ("+", ("exp", t[1]), back if t[0] == "cosh" else ("-", back))
        return ("/", two, 2)
    if _is(t, "logistic"):
        return rng.choice((("/", 1, ("+", 1, ("exp", ("-", t[1])))),
                           ("/", ("+", 1, ("tanh", ("/", t[1], 2))), 2),
                           minus(1, ("logistic", ("-", t[1])))))
    if _is(t, "tanh"):
        return ("/", ("sinh", t[1]), ("cosh", t[1]))
    return None


def _positive(t, rng, given, bound):
    if isinstance(t, str) and t in POSITIVES and given is SCALAR_FACTS:
        return rng.choice((("^", ("sqrt", t), 2), ("exp", ("log", t)), ("abs", t),
                           ("sqrt", ("^", t, 2)), ("*", ("^", t, ("/", 1, 3)),
                                                   ("^", t, ("/", 2, 3)))))
    if _is(t, "log", "exp"):
        return t[1][1]
    if _is(t, "sqrt"):
        return ("^", t[1], ("/", 1, 2))
    if _is(t, "log", "*") and all(a in POSITIVES or _is(a, "exp") for a in t[1][1:]):
        return ("+", *(("log", a) for a in t[1][1:]))
    return None


def _order(t, rng, given, bound):
    if _is(t, "abs"):
        return rng.choice((("max", t[1], ("-", t[1])), ("abs", ("-", t[1])),
                           ("cases", ("case", ("<", t[1], 0), ("-", t[1])), t[1])))
    if (_is(t, "max") or _is(t, "min")) and len(t) == 3:
        _, a, b = t
        gap = ("abs", minus(a, b))
        other = "min" if t[0] == "max" else "max"
        return rng.choice((
            ("/", ("+", a, b, gap if t[0] == "max" else ("-", gap)), 2),
            ("-", (other, ("-", a), ("-", b))), ("+", b, (t[0], minus(a, b), 0)),
        ))
    return None


# --- identities of sums -------------------------------------------------------------------------

def _linear(t, rng, given, bound):
    if not _is(t, "sum"):
        return None
    _, body, u, low, high = t
    if _is(body, "+"):
        return ("+", *(("sum", a, u, low, high) for a in body[1:]))
    if _is(body, "*"):
        out = [a for a in body[1:] if u not in free(a)]
        inside = [a for a in body[1:] if u in free(a)] or [1]
        rest = inside[0] if len(inside) == 1 else ("*", *inside)
        return ("*", *out, ("sum", rest, u, low, high)) if out else None
    return None


def _move(t, rng, given, bound):
    if not _is(t, "sum"):
        return None
    _, body, u, low, high = t
    k = fresh("k", free(t) | set(bound) | {u})
    step = rng.choice((1, 2, -1))
    ends = ("+", low, step), ("+", high, step)
    back = substitute(body, {u: ("+", k, -step)})
    turned = substitute(body, {u: minus(("+", low, high), k)})
    return rng.choice((("sum", back, k, *ends), ("sum", turned, k, low, high),
                       ("sum", substitute(body, {u: k}), k, low, high)))


def _cut(t, rng, given, bound):
    if not _is(t, "sum"):
        return None
    _, body, u, low, high = t
    if (low, high) == (1, "n") and ("<=", 1, "n") in given:
        top = substitute(body, {u: "n"})
        return rng.choice((("+", ("sum", body, u, 1, minus("n", 1)), top),
                           ("+", substitute(body, {u: 1}), ("sum", body, u, 2, "n"))))
    if (low, high) == (1, "n") and ("<=", "s", "n") in given:
        return ("+", ("sum", body, u, 1, "s"), ("sum", body, u, ("+", "s", 1), "n"))
    return None


def _exchange(t, rng, given, bound):
    if not _is(t, "sum", "sum"):
        return None
    _, (_, body, v, a, b), u, low, high = t
    if u == v or u in free(low) | free(high):
        return None
    if u not in free(a) | free(b) and v not in free(low) | free(high):
        return ("sum", ("sum", body, u, low, high), v, a, b)
    if (a, b) == (low, u):
        return ("sum", ("sum", body, u, v, high), v, low, high)
    if (a, b) == (u, high):
        return ("sum", ("sum", body, u, low, v), v, low, high)
    return None


def _multiply_sums(t, rng, given, bound):
    if _is(t, "^", "sum") and t[2] == 2:
        t = ("*", t[1], t[1])
    if not _is(t, "*", "sum", "sum") or len(t) != 3:
        return None
    (_, f, u, a, b), (_, g, v, c, d) = t[1:]
    one = fresh("p", free(t) | set(bound) | {u, v})
    two = fresh("q", free(t) | set(bound) | {u, v})
    body = ("*", substitute(f, {u: one}), substitute(g, {v: two}))
    return ("sum", ("sum", body, two, c, d), one, a, b)


def _by_delta(t, rng, given, bound):
    if _is(t, "at") and len(t) == 3 and t[2] == "s" and ("<=", "s", "n") in given:
        k = fresh("k", free(t) | set(bound))
        return ("sum", ("*", ("delta", k, "s"), ("at", t[1], k)), k, 1, "n")
    if t == "n" and ("<=", 1, "n") in given and "n" not in bound:
        return ("sum", 1, fresh("k", free(t) | set(bound)), 1, "n")
    return None


# --- identities of matrices ---------------------------------------------------------------------

SQUARE = {n for n, s in MATRIX_SYMBOLS if s[0] == "matrix" and s[1:3] == ("d", "d")}


def _turn(t, rng, given, bound):
    if _is(t, "T", "*") and not any(a in ("a", "b") for a in t[1][1:]):
        return ("*", *(("T", a) for a in t[1][:0:-1]))
    if _is(t, "T", "T"):
        return t[1][1]
    if _is(t, "T", "+"):
        return ("+", *(("T", a) for a in t[1][1:]))
    if t in SQUARE or _is(t, "T") or _is(t, "inv"):
        return ("T", ("T", t))
    return None


def _cycle(t, rng, given, bound):
    if _is(t, "trace", "*") and len(t[1]) > 2:
        k = rng.randrange(1, len(t[1]) - 1)
        return ("trace", ("*", *t[1][k + 1:], *t[1][1:k + 1]))
    if _is(t, "trace", "+"):
        return ("+", *(("trace", a) for a in t[1][1:]))
    if _is(t, "trace"):
        return ("trace", ("T", t[1]))
    return None


def _units(t, rng, given, bound):
    if t in SQUARE:
        return rng.choice((
            ("*", t, ("eye", "d")), ("*", ("eye", "d"), t), ("+", t, "A", ("-", "A")),
            ("*", "R", ("T", "R"), t), ("*", t, "P", ("inv", "P")), ("*", ("inv", "V"), "V", t),
            *((("T", t),) if t in "SPQ" else ()), *((("inv", ("T", t)),) if t == "R" else ()),
            *((("inv", ("inv", t)),) if t in "PV" else ()),
        ))
    if t == ("inv", "P") or t == ("inv", "V"):
        return ("*", 2, ("inv", ("*", 2, t[1])))
    return None


def _distribute_words(t, rng, given, bound):
    return _distribute(t, rng, given, bound) if _is(t, "*") else None


RULES = {
    "scalar": (_shuffle, _group, _distribute, _add_nothing, _signs, _square, _circle, _exponential,
               _positive, _order),
    "sum": (_shuffle, _group, _distribute, _add_nothing, _signs, _square, _circle, _exponential,
            _linear, _move, _cut, _exchange, _multiply_sums, _by_delta, _linear, _move, _cut,
            _exchange, _multiply_sums),
    "matrix": (_group, _distribute_words, _turn, _cycle, _units, _turn, _cycle, _units),
}
