"""One term of a task: an extremum of scores over tuples of tokens, or a mean, or a reading.

Reading refuses in four parts: where, what was found, what was needed, what to do.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from infoflow.objective import Objective, Token, normal, tokens_of
from infoflow.reading import Letters, is_float, read
from symbolic.reading.names import NAME, ReadError, suggestion

OPS = ("min", "max", "argmin", "argmax", "kth_max", "mean", "read", "whole")
KEYS = ("op", "over", "objective", "weight", "k", "distinct", "read")
RESERVED = ("x", "I", "norm2", "norm", "sqrt", "exp", "log", "fn", "dot", "out")
MOST_INDICES, MOST_RANKS = 12, 64
ONLY = {"k": ("kth_max",), "distinct": ("min", "max", "argmin", "argmax"),
        "read": ("argmin", "argmax")}
SHIFTED = re.compile(r"x\[(\w+)\s*(?:([+-])\s*(\d{1,3}))?\]")
WHOLE = re.compile(r"fn\(\s*[\"'](\w+)[\"']\s*,\s*x\s*\)")


class TaskError(ValueError):
    """A task that cannot be read: where, what was found, what was needed, what to do."""

    def __init__(self, where: str, found: str, needed: str, todo: str):
        super().__init__(where, found, needed, todo)
        self.where, self.found, self.needed, self.todo = where, found, needed, todo

    def __str__(self) -> str:
        return f"{self.where}: found {self.found}; needed {self.needed}; {self.todo}"


@dataclass(frozen=True)
class Term:
    """weight * around(sign * max over the indices of `objective`, + offset), or its like.

    `op` is max, arg, kth, mean, read or whole. A minimum is the maximum of the negative (`sign`
    is -1 and the objective is turned); what has no bound index stands in `offset`. `size` is how
    many numbers a mean or a reading carries: 1, or 0 for a vector of d.
    """

    op: str
    over: tuple[str, ...]
    objective: Objective
    sign: int = 1
    around: tuple[str, ...] = ()
    offset: Objective = ()
    weight: Fraction = Fraction(1)
    k: int = 1
    distinct: bool = False
    output: tuple[tuple[str, int], ...] = ()
    size: int = 1


def known(data: Any, keys: tuple[str, ...], where: str) -> None:
    if not isinstance(data, Mapping):
        raise TaskError(where, f"{data!r:.40}", "a table", "write key = value")
    for key in data:
        if key not in keys:
            raise TaskError(where, f"the key {key!r:.40}", f"one of {', '.join(keys)}",
                            suggestion(str(key), keys) or "leave it out")


def whole(value: object, name: str, where: str) -> int:
    if type(value) is not int or value < 1:
        found = f"no {name}" if value is None else f"{name} = {value!r:.40}"
        raise TaskError(where, found, f"a whole number {name} >= 1", f"write {name} = 4")
    return value


def names_of(data: Mapping, key: str, where: str, reserved: tuple[str, ...] = RESERVED) -> tuple:
    names = data.get(key, [])
    if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
        raise TaskError(where, f"{key} = {names!r:.40}", "a list of names", f'{key} = ["A"]')
    for name in names:
        if not NAME.match(name) or name in reserved:
            raise TaskError(where, f"{name!r:.40} in {key}", "a name of letters and digits that "
                            "the language does not use", "rename it")
    return tuple(names)


def all_different(names: tuple[str, ...], where: str) -> None:
    twice = next((n for k, n in enumerate(names) if n in names[:k]), None)
    if twice is not None:
        raise TaskError(where, f"{twice!r} twice", "names that are all different", "rename one")


def read_term(table: Any, letters: Letters, where: str) -> Term:
    known(table, KEYS, where)
    op = table.get("op")
    if op not in OPS:
        raise TaskError(where, "no op" if op is None else f"op = {op!r:.40}",
                        f"one of {', '.join(OPS)}", suggestion(str(op), OPS) or 'op = "max"')
    for key, those in ONLY.items():
        if key in table and op not in those:
            raise TaskError(where, f"{key} = {table[key]!r:.40} with {op}",
                            f"{key} with {' or '.join(those)} only", "leave it out")
    over = names_of(table, "over", where)
    all_different((*over, *letters.names), where)
    free = op in ("read", "whole")
    if bool(over) == free or len(over) > MOST_INDICES:
        raise TaskError(where, f"over = {list(over)} beside {op}", "no `over`" if free else
                        f"1..{MOST_INDICES} index names",
                        "leave it out" if free else 'list the bound indices: over = ["s", "t"]')
    weight = _fraction(table.get("weight", 1), where)
    inner = Letters(over, letters.matrices, letters.symmetric, letters.vectors, letters.tokens)
    if op == "whole":
        return Term(op, (), ((("whole", _function(table.get("objective"), where)), Fraction(1)),),
                    weight=weight)
    sort = _SORTS.get(op, _extremum)
    return _roomy(sort(table, over, weight, *_objective(table, inner, where), where),
                  letters.tokens, where)


def _objective(table: Mapping, letters: Letters, where: str) -> tuple[tuple[str, ...], Any]:
    given = table.get("objective")
    try:
        if isinstance(given, str) or given is None:
            return read(given or "", letters)
        from infoflow.expression import from_sympy
        return (), from_sympy(given, letters)
    except ReadError as error:
        column = f", column {error.column}" if error.column else ""
        raise TaskError(f"{where}, objective{column}", error.found, error.needed,
                        error.todo) from None


def _extremum(table: Mapping, over: tuple, weight: Fraction, around: tuple, value: Any,
              where: str) -> Term:
    op = table["op"]
    if value.kind != "scalar":
        raise TaskError(where, f"a {value.kind} as objective, '{table['objective']}'", "a number",
                        "compare numbers: norm2(v), or v @ b")
    sign = -1 if op in ("min", "argmin") else 1
    bound, offset = _split(normal(value), sign)
    used = {t for factor, _ in bound for t in tokens_of(factor)}
    for index in over:
        if index not in used:
            raise TaskError(where, f"the index {index!r}, which is not in the objective or cancels "
                            f"out of '{table['objective']}'", "an objective that depends on it",
                            f"remove {index} from `over`, or correct the objective")
    k, distinct = table.get("k", 1), table.get("distinct", False)
    if op == "kth_max" and "k" not in table:
        raise TaskError(where, "kth_max without k", "which one", 'op = "kth_max", k = 2')
    if type(distinct) is not bool or distinct and len(over) < 2:
        raise TaskError(where, f"distinct = {distinct!r:.40} over {len(over)} index",
                        "true or false, over two indices or more", "leave it out")
    whole(k, "k", where)
    if op == "kth_max" and k > 1:
        if len(over) != 1:
            raise TaskError(where, f"kth_max over {len(over)} indices", "one index",
                            "rank single tokens")
        return Term("kth", over, bound, 1, around, offset, weight, k)
    arg = op in ("argmin", "argmax")
    return Term("arg" if arg else "max", over, bound, sign, () if arg else around,
                () if arg else offset, weight, 1, distinct, _output(table, over, where))


def _roomy(term: Term, tokens: int | None, where: str) -> Term:
    """The term; refused where it ranks or pairs more different tokens than there are."""
    most = min(MOST_RANKS, tokens or MOST_RANKS)
    if term.k > most:
        raise TaskError(where, f"k = {term.k:,}"[:40], f"k in 1..{most}", "give a smaller k" + (
            ", or a larger T" if most == tokens else ""))
    if term.distinct and tokens and len(term.over) > tokens:
        raise TaskError(where, f"{len(term.over)} distinct indices for T = {tokens} tokens",
                        "as many tokens as indices", "give a larger T, or leave distinct out")
    return term


def _mean(table: Mapping, over: tuple, weight: Fraction, around: tuple, value: Any,
          where: str) -> Term:
    if around:
        raise TaskError(where, f"{around[0]} inside a mean, '{table['objective']}'",
                        "a mean of scores or of tokens",
                        "name the function: fn(\"f\", x[s])")
    if len(over) != 1 or value.kind == "matrix":
        raise TaskError(where, f"a mean of a {value.kind} over {len(over)} indices",
                        "a number or a vector over one index", "a mean of products of tokens is "
                        "a product of means: state the means as terms")
    parts = normal(value)
    if over[0] not in _positions(parts, value.kind):
        raise TaskError(where, f"the index {over[0]!r}, which is not in the objective or cancels",
                        "a mean that depends on it", "correct the objective")
    return Term("mean", over, parts, weight=weight, size=int(value.kind == "scalar"))


def _reading(table: Mapping, over: tuple, weight: Fraction, around: tuple, value: Any,
             where: str) -> Term:
    parts = normal(value)
    if value.kind == "matrix" or not _positions(parts, value.kind):
        raise TaskError(where, f"'{table.get('objective')}'", "tokens at fixed positions",
                        'write objective = "x[3]"')
    return Term("read", (), parts, around=around, weight=weight, size=int(value.kind == "scalar"))


_SORTS = {"mean": _mean, "read": _reading}


def _positions(parts: Objective, kind: str) -> set[Token]:
    if kind == "vector":
        return {base[1] for (_, base), _ in parts if base[0] == "x"}
    return {t for factor, _ in parts for t in tokens_of(factor)}


def calls(term: Term) -> list[tuple[str, int | str]]:
    """The opaque functions that a term calls, each with how many tokens it reads, or "all"."""
    if term.op == "mean" and not term.size or term.op == "read" and not term.size:
        return []       # a vector: chains on tokens
    found = [f for f, _ in (*term.objective, *term.offset) if f]
    return [(f[1], "all" if f[0] == "whole" else len(f[2])) for f in found
            if f[0] in ("fn", "whole")]


def positions(term: Term) -> set[int]:
    """The fixed positions that a term reads."""
    kind = "vector" if term.op in ("mean", "read") and not term.size else "scalar"
    parts = () if term.op == "whole" else (*term.objective, *term.offset)
    return {t for t in _positions(parts, kind) if isinstance(t, int)}


def _split(parts: Objective, sign: int) -> tuple[Objective, Objective]:
    """What depends on a bound index, turned by the sign; and what does not, as it is."""
    bound = tuple((f, sign * c) for f, c in parts if any(isinstance(t, str) for t in tokens_of(f)))
    offset = tuple((f, c) for f, c in parts if not any(isinstance(t, str) for t in tokens_of(f)))
    return bound, offset


def _output(table: Mapping, over: tuple, where: str) -> tuple[tuple[str, int], ...]:
    """The tokens that an argmax hands on, as (index, shift): its own tuple, or `read`."""
    arg = table["op"] in ("argmin", "argmax")
    if "read" not in table:
        return tuple((index, 0) for index in over) if arg else ()
    given = table["read"]
    match = SHIFTED.fullmatch(given.strip()) \
        if isinstance(given, str) else None
    if not arg or match is None or match[1] not in over:
        raise TaskError(where, f"read = {given!r:.40}", "a token beside an argmax or argmin",
                        'write read = "x[t+1]" with t in `over`')
    return ((match[1], int((match[2] or "+") + (match[3] or "0"))),)


def _function(given: object, where: str) -> str:
    match = WHOLE.fullmatch(given.strip()) \
        if isinstance(given, str) else None
    if match is None:
        raise TaskError(where, f"objective = {given!r:.40}", "a function of the whole sequence",
                        'write objective = \'fn("parity", x)\'')
    return match[1]


def _fraction(value: object, where: str) -> Fraction:
    """An exact number; a float is the decimal that TOML shows."""
    try:
        short = type(value) in (int, float, str, Fraction) and len(str(value)) < 60
        if short and not ("e" in str(value).lower() and float(str(value)) in (0, math.inf)):
            number = Fraction(str(value))
            if is_float(number):
                return number
    except (ValueError, ZeroDivisionError):
        pass
    raise TaskError(where, f"weight = {value!r:.40}", "a finite number other than 0",
                    "write weight = 1.0, or remove the term")
