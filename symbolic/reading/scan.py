"""What is decided about a text before it is parsed: alphabet, length, nesting, numbers.

The text is cut into tokens by one regular expression. Nothing that passes can make Python's
parser slow or deep; words that Python reserves become ordinary names of the same length.
"""

import ast
import keyword
import re
from bisect import bisect_left
from typing import NamedTuple

from symbolic.reading.names import ReadError, shown

LENGTH, NESTING, DIGITS, EXPONENT, RUN = 50_000, 64, 400, 300, 40

TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>\d[\d_]*(?:\.(?!\.)[\d_]*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\*\*|//|<=|>=|==|!=|\.\.|->|[-+*/()\[\],.<>=&|~])"
    r"|(?P<side>'[+-]{1,2}'|\"[+-]{1,2}\")", re.ASCII)
WORDS = frozenset(keyword.kwlist) - {"True"}
RELATION_SIGNS = frozenset({"<=", ">=", "==", "!=", "<", ">", "="})
OPENING, CLOSING = {"(": ")", "[": "]"}, {")": "(", "]": "["}
SEPARATORS = frozenset("*/,<>=&|") | {"<=", ">=", "==", "!=", "//"}
HINTS = {
    "^": ("a power written **", "write x**2"), "%": ("an operation of the language",
    "a remainder is a - b*floor(a/b)"), "!": ("factorial(n)", "write factorial(n)"),
    "{": ("round or square brackets", "group with ( )"), "}": ("round or square brackets",
    "group with ( )"), "@": ("a product written *", "write A*B"), "\\": ("plain text",
    "write formulas as in SymPy, not in LaTeX"), "$": ("plain text", "leave the $ out"),
    "#": ("a formula", "comments go into `says`"), "−": ("an ASCII minus", "write -"),
    "·": ("a product written *", "write a*b"), "×": ("a product written *", "write a*b"),
    "≤": ("a relation", "write <="), "≥": ("a relation", "write >="), "≠": ("a relation",
    "write !="), ":": ("an index",
    "write a Sum over the index"), "′": ("a Derivative", "write Derivative(f, x)"),
}


class Token(NamedTuple):
    """One token: its kind, its text, where it starts (from 0) and how deep in brackets."""

    kind: str
    text: str
    start: int
    depth: int


def scan(text: object) -> list[Token]:
    """The tokens of a text without its white space; raises ReadError beyond the limits."""
    if not isinstance(text, str):
        raise ReadError(shown(text), "a text", "put the formula in quotation marks")
    if len(text) > LENGTH:
        raise ReadError(f"{len(text)} characters", f"at most {LENGTH}", "define parts by `let`", 1)
    tokens: list[Token] = []
    opened: list[str] = []
    place = run = 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise _foreign(text, place)
        kind, word = match.lastgroup or "", match[0]
        if kind == "number":
            _check_number(text, match)
        if word in CLOSING and (not opened or opened.pop() != CLOSING[word]):
            raise ReadError(f"{word!r}", "brackets in pairs", "open it or leave it out", place + 1)
        if kind != "space":
            tokens.append(Token(kind, word, place, len(opened)))
            # Prefix signs, powers, subscripts and attributes deepen the tree without brackets.
            binary = word in SEPARATORS or word in "+-" and _operand(tokens[-2:-1])
            run = 0 if binary else run + (kind == "sign" and word != ")")
        if word in OPENING:
            opened.append(word)
        if len(opened) > NESTING or run > RUN + NESTING:
            raise ReadError(f"nesting deeper than {NESTING}", f"at most {NESTING}",
                            "define parts by `let`", place + 1)
        place = match.end()
    if opened:
        raise ReadError(f"no {OPENING[opened[-1]]!r} at the end", "brackets in pairs",
                        f"close the {opened[-1]!r}", len(text))
    if not tokens:
        raise ReadError("an empty text", "a formula", "write one", 1)
    return tokens


def parse(text: str, tokens: list[Token], first: int = 0, last: int | None = None) -> ast.expr:
    """Python's syntax tree of the tokens from `first` up to `last`; columns are those of `text`."""
    part = tokens[first:last]
    start, end = part[0].start, part[-1].start + len(part[-1].text)
    # Blanks in front would be an indentation, so a bracket opens where the text begins.
    hidden = [t for t in part if t.kind == "name" and t.text in WORDS]
    source = "(" + " " * start + _plain(text[start:end], hidden, start) + ")"
    try:
        tree = ast.parse(source, mode="eval").body
    except (RecursionError, MemoryError):
        raise ReadError("a chain of too many operations", "at most about 2500 in a row",
                        "define parts by `let`", start + 1) from None
    except (SyntaxError, ValueError) as error:
        raise _misspelled(source, hidden, error) from None
    bytes_before = [t.start + 1 + k for k, t in enumerate(hidden)]
    for node in ast.walk(tree) if hidden else ():
        if isinstance(node, ast.expr):  # Python counts bytes, and a hidden word has one more
            node.col_offset -= bisect_left(bytes_before, node.col_offset)
    return tree


def given_name(name: str) -> str:
    """The name that the author wrote, where `parse` had to hide a reserved word."""
    return name if name.isascii() else chr(ord(name[0]) - 0x100) + name[1:]


def _operand(tokens: list[Token]) -> bool:
    """Whether what stands before a sign makes the sign an operation between two operands."""
    return bool(tokens) and (tokens[0].kind != "sign" or tokens[0].text in CLOSING)


def _plain(text: str, hidden: list[Token], start: int) -> str:
    """The text with each reserved word made an ordinary name of the same length."""
    signs = list(text)
    for token in hidden:
        signs[token.start - start] = chr(ord(token.text[0]) + 0x100)
    return "".join(" " if sign in "\n\r\t" else sign for sign in signs)


def _check_number(text: str, match: re.Match) -> None:
    word, place = match[0], match.start() + 1
    following = text[match.end():match.end() + 1]
    if following.isalnum() or following == "_" or "_" in word:
        raise ReadError(shown(text[match.start():match.end() + 6]), "a number, then an operation",
                        "write products with *, and numbers in decimal digits", place)
    digits, _, exponent = word.lower().partition("e")
    if len(digits) > DIGITS or (exponent and abs(int(exponent[-9:])) > EXPONENT) \
            or len(exponent) > 9:
        raise ReadError(f"the number {word[:20]}...", f"at most {DIGITS} digits and an exponent "
                        f"up to {EXPONENT}", "write it as a power, or name it", place)


def _foreign(text: str, place: int) -> ReadError:
    sign = text[place]
    if sign in HINTS:
        return ReadError(repr(sign), *HINTS[sign], place + 1)
    if sign in "'\"":
        return ReadError("a quoted string", "a formula without strings",
                         "leave the quotation marks out", place + 1)
    if sign.isalpha():
        return ReadError(repr(sign), "ASCII letters", "spell the letter out: theta, alpha",
                         place + 1)
    return ReadError(repr(sign), "a sign of the language", "leave it out", place + 1)


def _misspelled(source: str, hidden: list[Token], error: Exception) -> ReadError:
    for token in hidden:
        return ReadError(f"the word {token.text!r}", "a formula",
                         "leave the word out, or write the missing operation", token.start + 1)
    place = getattr(error, "offset", None) or 2
    place = max(1, min(place - 1, len(source) - 2))
    return ReadError(f"{shown(source[place:place + 12].rstrip(')') or 'the end')}",
                     "an expression", "look for a missing operation, comma or operand", place)
