"""A task from a formula: in words, or from SymPy expressions; both become data of a task file.

In words, with the objective as in task files, a capital for a matrix and a small letter for a
vector:

    min over s, t of x[s] @ x[t]
    sum over i in 1..3 of max over s, t of x[s] @ A[i] @ x[t]
    2*max over t of w @ x[t] - kth_max[2] over t of w @ x[t] + mean over t of fn("f", x[t])
    read x[1] + x[2]
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from infoflow.objective import Value, product
from infoflow.reading import Letters
from infoflow.task import Task, from_data
from infoflow.term import OPS, TaskError
from symbolic.reading.names import ReadError, suggestion

START = re.compile(r"\b(?:(?P<sum>sum)\s+over\s+(?P<index>\w+)\s+in\s+(?P<low>\d+)\s*\.\.\s*"
                   r"(?P<high>\d+)\s+of\b|(?P<op>[A-Za-z_]+)(?:\[(?P<k>\d+)\])?\s+over\s+"
                   r"(?P<over>\w+(?:\s*,\s*\w+)*)\s+of\b|(?P<read>read)\s+(?=[^\s=]))")
WEIGHT = re.compile(r"(?P<sign>[+-]?)\s*(?:(?P<number>\d+(?:\.\d+)?)\s*\*)?\s*\Z")
GROUP = re.compile(r"(?P<sign>[+-]?)\s*(?:(?P<number>\d+(?:\.\d+)?)\s*\*)?\s*(?=\()")
WORD = re.compile(r"\b([A-Za-z]\w*)\b(?!\s*\()")
LONGEST, MOST_TERMS = 4000, 64


def formula(text: str, d: int, name: str = "formula", **keys: Any) -> Task:
    """The task that a formula in words is; raises TaskError, with the fragment that is wrong."""
    if not isinstance(text, str) or not 0 < len(text.strip()) <= LONGEST:
        raise TaskError("formula", f"{text!r:.40}", f"a text of at most {LONGEST} characters",
                        "write min over s, t of x[s] @ x[t]")
    terms = _terms(" ".join(text.split()), Fraction(1))
    letters = _letters(terms)
    return from_data({"name": name, "d": d, "term": terms, **letters, **keys}, "formula")


def _terms(text: str, weight: Fraction) -> list[dict]:
    """The terms of a sum of extrema; an objective reaches to the next extremum outside brackets."""
    text = _bare(text)
    starts = [m for m in START.finditer(text) if _level(text, m.start()) == 0]
    group = GROUP.match(text)
    if not starts and group and _bare(text[group.end():]) != text[group.end():]:
        return _terms(text[group.end():], weight * _weight(group))
    if not starts:
        raise TaskError("formula", f"'{text[:40]}'", "an extremum, mean or reading",
                        "write max over t of w @ x[t]")
    found: list[dict] = []
    front = WEIGHT.search(text[:starts[0].start()])
    if front is None or front.start():
        raise TaskError("formula", f"'{text[:starts[0].start()][:40]}'", "a sign and a number "
                        "before an extremum", "write 2*max over ..")
    for place, match in enumerate(starts):
        factor = weight * _weight(front)
        last = place + 1 == len(starts) or match["sum"]
        end = len(text) if last else starts[place + 1].start()
        front = None if last else WEIGHT.search(text[:end])
        body = text[match.end():len(text) if front is None else front.start()].strip()
        if front is not None and not front["sign"]:
            raise TaskError("formula", f"'{text[match.start():end + 8][:60]}'",
                            "+ or - between extrema", "join terms by a sign")
        found += _summed(match, body, factor) if match["sum"] else [_one(match, body, factor)]
        if last:
            break
    if len(found) > MOST_TERMS:
        raise TaskError("formula", f"{len(found)} terms", f"at most {MOST_TERMS}", "sum over fewer")
    return found


def _one(match: re.Match, body: str, weight: Fraction) -> dict:
    if match["read"]:
        return {"op": "read", "objective": body, "weight": weight}
    if match["op"] not in OPS or match["op"] in ("read", "whole"):
        raise TaskError("formula", f"'{match['op']} over'", f"one of {', '.join(OPS[:6])}",
                        suggestion(match["op"], OPS) or "write max over t of ..")
    over = [name.strip() for name in match["over"].split(",")]
    k = {"k": int(match["k"])} if match["k"] else {}
    return {"op": match["op"], "over": over, "objective": _bare(body), "weight": weight, **k}


def _summed(match: re.Match, body: str, weight: Fraction) -> list[dict]:
    """The terms of `sum over i in 1..3 of ..`: A[i] is the letter A1, x[i] the position 1."""
    low, high = int(match["low"]), int(match["high"])
    if not low <= high < low + MOST_TERMS:
        raise TaskError("formula", f"'{match[0]}'", f"1 to {MOST_TERMS} terms", "write 1..3")
    entry = re.compile(rf"\b([A-Za-z]\w*)\[\s*{match['index']}\s*\]")
    return [term for number in range(low, high + 1) for term in _terms(entry.sub(
        lambda m, n=number: f"x[{n}]" if m[1] == "x" else f"{m[1]}{n}", body), weight)]


def _weight(front: re.Match) -> Fraction:
    number = Fraction(front["number"] or 1)
    return -number if front["sign"] == "-" else number


def _level(text: str, end: int) -> int:
    return sum((c in "([") - (c in ")]") for c in text[:end])


def _bare(text: str) -> str:
    """The text without brackets that enclose the whole of it."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and \
            all(_level(text, k) > 0 for k in range(1, len(text))):
        text = text[1:-1].strip()
    return text


def _letters(terms: list[dict]) -> dict[str, list[str]]:
    """Matrices and vectors by their first letter: capital and small."""
    found: dict[str, list[str]] = {"matrices": [], "vectors": []}
    for one in terms:
        objective = re.sub(r"\"[^\"]*\"|'[^']*'|\.T\b", "", one["objective"])
        for word in WORD.findall(objective):
            kind = "matrices" if word[0].isupper() else "vectors"
            if word not in (*one.get("over", ()), "x", "I", *found[kind]):
                found[kind].append(word)
    return found


def from_sympy(expression: Any, letters: Letters) -> Value:
    """The value of a SymPy expression as objective; raises ReadError.

    Tokens are MatrixSymbol("x_s", d, 1), or coordinates IndexedBase("x")[s, i] under a Sum over i;
    matrices MatrixSymbol("A", d, d) or IndexedBase("A")[i, j]; vectors likewise.
    """
    from symbolic.reading.bridge import from_sympy as term_of
    expanded = expression.expand() if hasattr(expression, "expand") else expression
    value = _value(term_of(expanded), letters)
    return Value("vector", value.parts) if value.kind == "row" else value


def _value(term: Any, letters: Letters) -> Value:
    if isinstance(term, int):
        return Value("scalar", {(): Fraction(term)} if term else {})
    if isinstance(term, str):
        return _letter(term, letters)
    reader = _HEADS.get(term[0])
    if reader is None:
        raise _foreign(term)
    return reader(term, letters)


def _foreign(term: Any) -> ReadError:
    what = term[0] if isinstance(term, tuple) else term
    return ReadError(f"{what!r} in a SymPy objective", "sums and products of tokens, matrices, "
                     "vectors and numbers", "rewrite it, or give the objective as text")


def _letter(name: str, letters: Letters) -> Value:
    one = Fraction(1)
    if name in (*letters.matrices, *letters.symmetric):
        return Value("matrix", {((name, None if name in letters.symmetric else False),): one})
    if name in letters.vectors:
        return Value("vector", {((), ("v", name)): one})
    if name.startswith("x_"):
        return Value("vector", {((), ("x", _place(name[2:], letters))): one})
    raise ReadError(f"the name {name!r}", f"x_s for a token, or one of {', '.join(letters.names)}",
                    "declare it among matrices or vectors")


def _place(index: Any, letters: Letters) -> str | int:
    if str(index).isdigit() and int(index) >= 1:
        return int(index)
    if index in letters.indices:
        return index
    raise ReadError(f"the token at {index!r}", f"one of {', '.join(letters.indices)} or a position",
                    "add it to `over`")


def _sum(term: tuple, letters: Letters) -> Value:
    parts = [_value(part, letters) for part in term[1:]]
    if len({p.kind for p in parts}) != 1:
        raise _foreign(term)
    return sum(parts[1:], parts[0])


def _times(term: tuple, letters: Letters) -> Value:
    number, rest = Fraction(1), None
    for part in term[1:]:
        value = _value(part, letters)
        if value.kind == "scalar" and set(value.parts) <= {()}:
            number *= value.parts.get((), Fraction(0))
            continue
        rest = value if rest is None else _joined(rest, value, term)
    return Value("scalar", {(): number} if number else {}) if rest is None else number * rest


def _joined(left: Value, right: Value, term: tuple) -> Value:
    kinds = (left.kind, right.kind)
    allowed = {("matrix", "matrix"): "matrix", ("matrix", "vector"): "vector",
               ("row", "matrix"): "row", ("row", "vector"): "scalar"}
    if kinds not in allowed:
        raise _foreign(term)
    plain = [Value("vector", v.parts) if v.kind == "row" else v for v in (left, right)]
    return Value(allowed[kinds], product(*plain).parts)


def _transposed(term: tuple, letters: Letters) -> Value:
    from infoflow.objective import turned
    inside = _value(term[1], letters)
    if inside.kind == "matrix":
        return Value("matrix", {turned(chain): c for chain, c in inside.parts.items()})
    return Value({"vector": "row", "row": "vector"}.get(inside.kind, inside.kind), inside.parts)


def _divided(term: tuple, letters: Letters) -> Value:
    below = _value(term[2], letters)
    if below.kind != "scalar" or set(below.parts) != {()}:
        raise _foreign(term)
    return 1 / below.parts[()] * _value(term[1], letters)


def _entry(term: tuple, letters: Letters) -> Value:
    inside = _value(term[1], letters)
    if inside.kind != "scalar" or term[2:] != (1, 1):
        raise _foreign(term)
    return inside


def _coordinates(term: tuple, letters: Letters) -> Value:
    """A sum over coordinates: each product of entries is a chain from one vector to another."""
    bound = set()
    while isinstance(term, tuple) and term[0] == "sum":
        bound.add(term[2])
        term = term[1]
    total = Value("scalar", {})
    for sign, monomial in _monomials(term):
        number, entries = Fraction(sign), []
        for factor in monomial:
            power = 1
            if isinstance(factor, tuple) and factor[0] == "^" and isinstance(factor[2], int):
                factor, power = factor[1], factor[2]
            if isinstance(factor, tuple) and factor[0] == "at":
                entries += [factor[1:]] * power
            else:
                number *= _value(factor, letters).parts.get((), Fraction(0)) ** power
        total = total + number * _contracted(entries, bound, letters)
    return total


def _monomials(term: Any, sign: int = 1) -> list[tuple[int, tuple]]:
    if isinstance(term, tuple) and term[0] == "+":
        return [m for part in term[1:] for m in _monomials(part, sign)]
    if isinstance(term, tuple) and term[0] == "-":
        return _monomials(term[1], -sign)
    return [(sign, term[1:] if isinstance(term, tuple) and term[0] == "*" else (term,))]


def _contracted(entries: list[tuple], bound: set, letters: Letters) -> Value:
    """x[s,i] A[i,j] x[t,j] as x_s' A x_t; each coordinate stands exactly twice."""
    ends = [e for e in entries if sum(i in bound for i in e[1:]) == 1]
    middle = [e for e in entries if e not in ends]
    if len(ends) != 2:
        raise _foreign(("a product that is no chain of vector, matrices, vector",))
    value, index = _end(ends[0], letters)
    while middle:
        link = next((e for e in middle if index in e[1:] and len(e) == 3), None)
        if link is None:
            raise _foreign(("a coordinate that does not stand twice",))
        middle.remove(link)
        matrix = _letter(link[0], letters)
        forward = link[1] == index
        value = product(value, matrix) if forward else product(matrix, value)
        index = link[2] if forward else link[1]
    last, other = _end(ends[1], letters)
    if other != index:
        raise _foreign(("a coordinate that does not stand twice",))
    return product(value, last)


def _end(entry: tuple, letters: Letters) -> tuple[Value, Any]:
    if entry[0] == "x" and len(entry) == 3:
        return _letter(f"x_{entry[1]}", letters), entry[2]
    if len(entry) == 2:
        return _letter(entry[0], letters), entry[1]
    raise _foreign(entry)


_HEADS: Mapping[str, Any] = {
    "+": _sum, "*": _times, "T": _transposed, "/": _divided, "entry": _entry,
    "sum": _coordinates, "-": lambda t, n: Fraction(-1) * _value(t[1], n),
    "trace": lambda t, n: _value(t[1], n), "eye": lambda t, n: Value("matrix", {(): Fraction(1)})}
