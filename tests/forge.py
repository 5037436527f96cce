"""Forged certificates: altered, moved and malformed data made from a valid certificate.

`forgeries(statement, certificate, rng)` yields `Forgery` rows. A *strict* one must never earn
PROVED or CERTIFIED: its statement is false, or it is bound to another statement, or it names no
rule. The others are altered data for a true statement: they may at worst still prove it (a part
that was not needed was changed), but they must end in a verdict, never in a traceback, never late.
"""

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from symbolic.kernel.statement import Certificate, Statement

NESTED_LIST = 5_000


@dataclass(frozen=True)
class Forgery:
    """A statement, certificate data to try on it (any JSON-like object), and what is wrong."""

    statement: Statement
    certificate: object
    why: str
    strict: bool


def as_certificate(data: object) -> Certificate:
    """The Certificate that a careless reader would build from forged data."""
    if not isinstance(data, dict):
        return Certificate(data, data, data)  # type: ignore[arg-type]
    rest = {k: v for k, v in data.items() if k not in ("hash", "rule")}
    if "data" in data and not isinstance(data["data"], dict):
        return Certificate(data.get("hash"), data.get("rule"), data["data"])  # type: ignore
    return Certificate(data.get("hash"), data.get("rule"), rest)  # type: ignore[arg-type]


def forgeries(statement: Statement, certificate: dict, rng: random.Random) -> Iterator[Forgery]:
    """All forgeries made of one valid certificate (its `Certificate.json()`), shuffled."""
    found = [*_unbound(statement, certificate), *_moved(statement, certificate),
             *_wrong_rules(statement, certificate), *_no_tables(statement, certificate),
             *_altered(statement, certificate, rng), *_padded(statement, certificate)]
    rng.shuffle(found)
    yield from found


def junk() -> tuple:
    """Values that no certificate may hold anywhere, or only in places that ask for them."""
    deep: object = "x"
    for _ in range(NESTED_LIST):
        deep = [deep]
    tower: object = 1
    for _ in range(600):
        tower = ["+", tower, 1]
    return (
        None, True, False, 0, -1, 1.5, float("nan"), float("inf"), 10**5000, -(10**30), "", " ",
        "x", "-1", "1/0", "0/0", "1/-2", "nan", "inf", "1e400", "0x10", "١", "π", "_", "#t1", "u_1",
        "__import__('os').system('true')", "{}", "\x00", "a" * 10_000, "9" * 20_000, [], {}, [[]],
        {"rule": "normal"}, ["+"], ["+", 1], ["?", 1, 1], ["at", 1, 2], ["sum", 1, "u", 1],
        ["sum", 1, 2, 1, 3], ["/", 1, 0], ["/", 0, 0], ["oo"], ["-", ["oo"]], ["^", 0, 0],
        ["^", 0, -1], ["log", -1], ["sqrt", -1], ["i"], ["*", ["i"], ["i"]], ["^", 10, 10**9],
        ["factorial", 10**9], ["^", ["^", 9, 9], 99], ["psd", 1, 0], ["=", 0, 0],
        ["all", ["=", 0, 0]], ["row", 1], ["matrix", ["row", 1], ["row", 1, 2]], ["eye", "x"],
        ["diff", "x", 3], deep,
        tower, [0] * 3_000, b"bytes", {1: 2}, (1, 2), {"rule": "points", "point": {}}, object(),
        ["binomial", ["/", 1, 2], 3], ["limit", "x", "x", 0, 5], ["delta", 1.0, 1],
    )


# --- binding ------------------------------------------------------------------------------------

def _unbound(statement: Statement, certificate: dict) -> Iterator[Forgery]:
    """The certificate with a hash that is not the statement's."""
    good = certificate["hash"]
    for bad in (None, 0, True, "", good.upper(), good + " ", " " + good, good[:-1], good[::-1],
                "0" * len(good), good + "\x00", [good], {"hash": good}, good.encode(), 1.0,
                good.replace(good[0], "0" if good[0] != "0" else "1"), good[:32]):
        if bad != good:
            yield Forgery(statement, {**certificate, "hash": bad}, f"hash {bad!r:.40}", True)
    without = {k: v for k, v in certificate.items() if k != "hash"}
    yield Forgery(statement, without, "no hash", True)


def _moved(statement: Statement, certificate: dict) -> Iterator[Forgery]:
    """The certificate on statements that are false everywhere, with and without a new hash."""
    for other, why in spoiled(statement):
        yield Forgery(other, certificate, f"moved to a false statement: {why}", True)
        yield Forgery(other, {**certificate, "hash": other.digest},
                      f"bound anew to a false statement: {why}", True)


def spoiled(statement: Statement) -> Iterator[tuple[Statement, str]]:
    """False statements beside a scalar one: false at every point where both sides are defined."""
    left, right = statement.left, statement.right
    if statement.relation not in ("=", "<=", "<") or _is_matrix(statement):
        return
    gap = ("abs", ("+", right, ("-", left)))
    rows = [(("+", left, gap, 1), right, "left + |gap| + 1"),
            (left, ("+", right, ("-", gap), -1), "right - |gap| - 1")]
    if statement.relation == "=":
        rows += [(("+", left, 1), right, "left + 1"), (left, ("+", right, ("/", 1, 10**9)), "tiny"),
                 (("+", left, ("exp", left)), right, "left + exp(left)"),
                 (left, ("+", right, ("^", 10, -40)), "very tiny")]
    if statement.relation == "<":
        rows += [(right, right, "x < x"), (right, left, "turned round")]
    if statement.relation == "<=":
        rows += [(("+", right, 1), right, "x + 1 <= x"),
                 (("+", right, ("/", 1, 10**9)), right, "x + tiny <= x")]
    for new_left, new_right, why in rows:
        yield replace(statement, left=new_left, right=new_right), why


def _is_matrix(statement: Statement) -> bool:
    sorts = dict(statement.symbols)
    tops = {"matrix", "eye", "zeros", "T", "inv"}
    def matrix(t: object) -> bool:
        if isinstance(t, str):
            return sorts.get(t, ("",))[0] == "matrix"
        if isinstance(t, tuple):
            return t[0] in tops or (t[0] in "+*-/^" and any(map(matrix, t[1:])))
        return False
    return matrix(statement.left) or matrix(statement.right)


# --- rules --------------------------------------------------------------------------------------

def _wrong_rules(statement: Statement, certificate: dict) -> Iterator[Forgery]:
    for bad in (None, "", "Normal", "normal ", "normal\n", "no such rule", "../normal", "__init__",
                "__import__", "rules.normal", "check", "os", 0, True, ["normal"],
                {"rule": "normal"},
                "normal;sign", "a" * 5_000, "normal.py", "__pycache__", b"normal", 1.5, "\x00"):
        yield Forgery(statement, {**certificate, "rule": bad}, f"rule {bad!r:.40}", True)
    without = {k: v for k, v in certificate.items() if k != "rule"}
    yield Forgery(statement, without, "no rule", True)


def _no_tables(statement: Statement, certificate: dict) -> Iterator[Forgery]:
    """Data that is no table at all."""
    bound = {"hash": certificate["hash"], "rule": certificate["rule"]}
    for bad in (None, [], "data", 7, True, [1, 2], ("rule", "normal"), float("nan")):
        yield Forgery(statement, {**bound, "data": bad}, f"data {bad!r}", False)
    for bad in (None, [], "certificate", 7, True, float("nan"), ()):
        yield Forgery(statement, bad, f"certificate {bad!r}", True)
    if len(certificate) > 2:
        yield Forgery(statement, bound, "all data gone", False)


# --- data ---------------------------------------------------------------------------------------

def _altered(statement: Statement, certificate: dict, rng: random.Random) -> Iterator[Forgery]:
    """Each place of the data replaced by junk, dropped, doubled, negated, wrapped, exchanged."""
    places = [p for p in _places(certificate) if p and p[0] not in ("hash", "rule")]
    rng.shuffle(places)
    values = junk()
    for n, path in enumerate(places[:40]):
        for bad in values if n < 6 else rng.sample(values, 8):
            yield Forgery(statement, _put(certificate, path, bad),
                          f"{_short(bad)} at {path}", False)
        old = _get(certificate, path)
        for new, why in _small_changes(old):
            yield Forgery(statement, _put(certificate, path, new), f"{why} at {path}", False)
        yield Forgery(statement, _drop(certificate, path), f"dropped {path}", False)
        if len(places) > 1:
            other = rng.choice(places)
            if path[:len(other)] != other and other[:len(path)] != path:
                one = _put(certificate, path, copy.deepcopy(_get(certificate, other)))
                yield Forgery(statement, one, f"{other} copied to {path}", False)


def _short(value: object) -> str:
    """A value in a few characters; long numbers and deep lists by their type alone."""
    if isinstance(value, (list, tuple, dict)) or (isinstance(value, int) and value > 10**40):
        return f"a {type(value).__name__}"
    return repr(value)[:30]


def _small_changes(old: object) -> Iterator[tuple[object, str]]:
    yield [old], "wrapped"
    if isinstance(old, int) and not isinstance(old, bool):
        yield from ((old + 1, "plus one"), (-old - 1, "from the end"), (float(old), "a float"),
                    (str(old), "as text"), (bool(old), "a boolean"), (10**18 + old, "far away"))
    if isinstance(old, str):
        yield from (("-" + old, "negated text"), (old + "0", "longer"), (old.upper(), "upper case"),
                    (f" {old} ", "with blanks"), (old[::-1], "reversed"))
    if isinstance(old, (list, tuple)) and old:
        yield from ((list(old)[::-1], "reversed"), (list(old)[:-1], "shortened"),
                    ([*old, old[-1]], "last doubled"), (["-", list(old)], "negated"),
                    (["*", -1, list(old)], "times -1"), (list(old) * 50, "fifty times"))
    if isinstance(old, dict) and old:
        keys = list(old)
        yield {**old, "more": 1}, "an unknown key"
        yield {k: old[keys[0]] for k in keys}, "every value the first"
        yield dict(zip(keys, [*list(old.values())[1:], old[keys[0]]], strict=True)), "values moved"


def _padded(statement: Statement, certificate: dict) -> Iterator[Forgery]:
    """Certificates that nest themselves, or are very long."""
    inner: dict = {k: v for k, v in certificate.items() if k != "hash"}
    for levels in (1, 30, 3_000):
        nest: dict = copy.deepcopy(inner)
        for _ in range(levels):
            nest = {"rule": certificate["rule"], "by": nest}
            nest = {"rule": "cases", "each": [nest]}
        yield Forgery(statement, {"hash": certificate["hash"], **nest}, f"{levels} levels", False)
    loop: dict = {"hash": certificate["hash"], "rule": certificate["rule"]}
    for key in ("by", "each", "start", "then", "slope", "here", "equal", "parts"):
        yield Forgery(statement, {**certificate, key: loop}, f"itself under {key}", False)
    many = {f"key{k}": k for k in range(20_000)}
    yield Forgery(statement, {**many, **certificate}, "twenty thousand more keys", False)


def _places(data: object, path: tuple = ()) -> Iterator[tuple]:
    yield path
    if isinstance(data, dict):
        for k, v in data.items():
            yield from _places(v, (*path, k))
    elif isinstance(data, (list, tuple)):
        for k, v in enumerate(data):
            yield from _places(v, (*path, k))


def _get(data: object, path: tuple) -> object:
    for k in path:
        data = data[k]  # type: ignore[index]
    return data


def _put(data: object, path: tuple, new: object) -> object:
    if not path:
        return new
    if isinstance(data, dict):
        return {k: _put(v, path[1:], new) if k == path[0] else v for k, v in data.items()}
    return [_put(v, path[1:], new) if k == path[0] else v for k, v in enumerate(data)]  # type: ignore


def _drop(data: object, path: tuple) -> object:
    if len(path) == 1:
        if isinstance(data, dict):
            return {k: v for k, v in data.items() if k != path[0]}
        return [v for k, v in enumerate(data) if k != path[0]]  # type: ignore[arg-type]
    if isinstance(data, dict):
        return {k: _drop(v, path[1:]) if k == path[0] else v for k, v in data.items()}
    return [_drop(v, path[1:]) if k == path[0] else v for k, v in enumerate(data)]  # type: ignore
