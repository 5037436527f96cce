"""A task from a formula in words, with objectives as in task files.

A capital is a matrix, a small letter a vector:

    min over s, t of x[s] @ x[t]
    sum over i in 1..3 of max over s, t of x[s] @ A[i] @ x[t]
    2*max over t of w @ x[t] - kth_max[2] over t of w @ x[t] + mean over t of fn("f", x[t])
    read x[1] + x[2]
"""

import re
from fractions import Fraction
from typing import Any

from infoflow.task import MOST_TERMS, Task, from_data
from infoflow.term import OPS, TaskError
from symbolic.reading.names import suggestion

START = re.compile(r"\b(?:(?P<sum>sum)\s+over\s+(?P<index>\w+)\s+in\s+(?P<low>\d+)\s*\.\.\s*"
                   r"(?P<high>\d+)\s+of\b|(?P<op>[A-Za-z_]+)(?:\[(?P<k>\d+)\])?\s+over\s+"
                   r"(?P<over>\w+(?:\s*,\s*\w+)*)\s+of\b|(?P<read>read)\s+(?=[^\s=]))")
WEIGHT = re.compile(r"(?P<sign>[+-]?)\s*(?:(?P<number>\d+(?:\.\d+)?)\s*\*)?\s*\Z")
GROUP = re.compile(r"(?P<sign>[+-]?)\s*(?:(?P<number>\d+(?:\.\d+)?)\s*\*)?\s*(?=\()")
WORD = re.compile(r"\b([A-Za-z]\w*)\b(?!\s*\()")
LONGEST = 4000


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
        if front is not None and not front["sign"] and not body:
            raise TaskError("formula", f"'{text[match.start():end + 8][:60]}'", "a score after "
                            "`of`, as a term has one extremum", "take one extremum over all the "
                            "indices, or kth_max[k] for a rank")
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
