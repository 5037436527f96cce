"""Names: what may be declared, what the language knows, and the error that says what to do.

A frozen mapping from names to sorts is all the reader needs to know. Sorts are those of
`kernel.statement`; a defined name has `("let", number of indices, shape)`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

Names = Mapping[str, tuple]

LONGEST_NAME = 40
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
HEADING = re.compile(r"\s*([A-Za-z]\w*)\s*(?:\[([^\[\]]*)\])?\s*\Z", re.ASCII)
# Words with a place of their own in facts and conditions.
RESERVED = frozenset({"psd", "True", "False", "None"})


class ReadError(ValueError):
    """Text that cannot be read: column (from 1), what was found, what was needed, what to do."""

    def __init__(self, found: str, needed: str, todo: str, column: int | None = None):
        super().__init__(found, needed, todo, column)
        self.found, self.needed, self.todo, self.column = found, needed, todo, column

    def __str__(self) -> str:
        where = "" if self.column is None else f"column {self.column}: "
        todo = f"; {self.todo}" if self.todo else ""
        return f"{where}found {self.found}; needed {self.needed}{todo}"

    def at(self, column: int) -> "ReadError":
        """The same error at this column, unless it has one."""
        return ReadError(self.found, self.needed, self.todo, self.column or column)

    def moved(self, columns: int) -> "ReadError":
        """The same error in a text that begins `columns` further to the right."""
        return ReadError(self.found, self.needed, self.todo, (self.column or 1) + columns)


@dataclass(frozen=True)
class PageError:
    """A ReadError with its place on a page: page, claim, part of the claim, step (from 1)."""

    found: str
    needed: str
    todo: str
    page: str = ""
    claim: str = ""
    part: str = ""
    step: int | None = None
    column: int | None = None
    line: int | None = None

    def __str__(self) -> str:
        places = [self.page, f"claim {self.claim}" if self.claim else "", self.part,
                  f"step {self.step}" if self.step else "",
                  f"line {self.line}" if self.line else "",
                  f"column {self.column}" if self.column else ""]
        where = ", ".join(p for p in places if p)
        todo = f"; {self.todo}" if self.todo else ""
        return f"{where + ': ' if where else ''}found {self.found}; needed {self.needed}{todo}"


def placed(error: ReadError, claim: str = "", part: str = "", step: int | None = None) -> PageError:
    """The error of a text, placed."""
    return PageError(error.found, error.needed, error.todo, claim=claim, part=part, step=step,
                     column=error.column)


def frozen(sorts: Mapping[str, tuple]) -> Names:
    """A mapping of names to sorts that nobody can change."""
    return MappingProxyType(dict(sorts))


def check_name(name: object, what: str = "a name") -> str:
    """`name`, if it may be declared or bound: ASCII letters, digits, underscores; else ReadError.

    Names outside ASCII are refused because two of them can look alike and differ.
    """
    if not isinstance(name, str) or not NAME.match(name) or len(name) > LONGEST_NAME:
        raise ReadError(
            f"{shown(name)} as {what}", "a letter, then letters, digits or underscores",
            f"rename it (at most {LONGEST_NAME} ASCII characters; Greek letters are spelled "
            "out: theta)")
    if name in RESERVED:
        raise ReadError(f"{name!r} as {what}", "a name that the language does not reserve",
                        "choose another name")
    return name


def heading(text: object) -> tuple[str, tuple[str, ...]]:
    """The left side of a definition: `"s[t, u]"` gives ("s", ("t", "u")), `"m"` gives ("m", ())."""
    match = HEADING.match(text) if isinstance(text, str) else None
    if match is None:
        raise ReadError(shown(text), "a name, or a name with index names: m or s[t, u]",
                        "write the defined name as the key and its definition as the value")
    name = check_name(match[1])
    indices = () if match[2] is None else tuple(
        check_name(i.strip(), "an index") for i in match[2].split(","))
    if len(set(indices)) < len(indices) or name in indices:
        raise ReadError(shown(text), "index names that are all different", "rename one of them")
    return name, indices


def suggestion(word: str, known: Iterable[str]) -> str:
    """What to do about an unknown word: the closest known ones, if any."""
    known = sorted(set(known))
    close = get_close_matches(word, known, n=2, cutoff=0.6)
    if not close:
        by_case = {k.lower(): k for k in known}
        close = [by_case[word.lower()]] if word.lower() in by_case else []
    return f"did you mean {' or '.join(close)}?" if close else ""


def shown(data: object) -> str:
    """Data as it is quoted in a message: short, on one line."""
    text = repr(data)
    return text if len(text) <= 48 else text[:44] + "..." + text[-1]
