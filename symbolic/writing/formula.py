"""LaTeX formulas as trees of boxes: parsed, measured, printed back.

The parser is a gate: a command, environment or character that is not in the tables raises
`Foreign`, so whatever passes is mathematics and nothing else. Widths are in em of Computer Modern
at 10 pt (1 em = 10 pt), in display style, rounded up.
"""

import re
import unicodedata
from dataclasses import dataclass, field

from symbolic.writing.glyphs import (
    BIG,
    COMMANDS,
    DELIMITERS,
    ENVIRONMENTS,
    FONTS,
    FUNCTIONS,
    ITALIC,
    LETTERS,
    OPENERS,
    OPERATORS,
    PLAIN,
    RELATIONS,
    SIZES,
    SPACES,
    STYLES,
    UNICODE,
)

_WORDS = r"\\text\{[A-Za-z ,.:]*\}"
_TOKEN = re.compile(_WORDS + r"|\\[A-Za-z]+|\\.|[{}^_&\s]|.", re.DOTALL)
class Foreign(ValueError):
    """Something in a formula that is not on the list of what may be printed."""


@dataclass(frozen=True)
class Box:
    """A piece of a formula. `kind` is one of ord bin rel open close punct space big group frac
    sqrt script left env font; `parts` are rows of boxes, `tex` the command or character."""

    kind: str
    tex: str
    width: float
    parts: tuple[tuple["Box", ...], ...] = field(default=())


def parse(formula: str) -> tuple[Box, ...]:
    """The boxes of a formula; raises Foreign for what is not in the tables or not balanced."""
    tokens = [t for t in _TOKEN.findall(formula) if not t.isspace()]
    boxes, end = _row(tokens, 0, frozenset())
    if end != len(tokens):
        raise Foreign(f"{tokens[end]!r} closes nothing")
    return boxes


def width(boxes: tuple[Box, ...], small: bool = False) -> float:
    """The width of a row in em; a superscript stands over a subscript, and the limits of a sum
    over and under its sign (in `small` formulas beside it)."""
    total, sign, script = 0.0, 0.0, 0.0
    for box in boxes:
        if box.kind == "script":
            script = max(script, box.width)
            continue
        total += max(sign, script) if sign else script
        sign, script = 0.0, 0.0
        if box.kind == "big" and box.tex != "\\int" and not small:
            sign = box.width
        else:
            total += box.width
    return total + (max(sign, script) if sign else script)


def printed(boxes: tuple[Box, ...]) -> str:
    """The LaTeX of a row."""
    text = ""
    for box in boxes:
        piece = _printed(box)
        if re.search(r"\\[A-Za-z]+$", text) and piece[:1].isalpha():
            text += " "
        text += piece
    return text


def _printed(box: Box) -> str:
    rows = [printed(row) for row in box.parts]
    if box.kind == "group":
        return "{" + rows[0] + "}"
    if box.kind in ("frac", "font", "func") and box.parts:
        return box.tex + "".join("{" + row + "}" for row in rows)
    if box.kind == "sqrt":
        return box.tex + (f"[{rows[1]}]" if len(rows) > 1 else "") + "{" + rows[0] + "}"
    if box.kind == "script":
        return box.tex + "{" + rows[0] + "}"
    if box.kind == "left":
        opening, closing = box.tex.split(" ")
        return (f"\\left{opening}" + _gap(opening, rows[0]) + rows[0]
                + f"\\right{closing}" + (" " if closing[-1].isalpha() else ""))
    if box.kind == "env":
        return f"\\begin{{{box.tex}}}" + _cells(box) + f"\\end{{{box.tex}}}"
    return box.tex


def _gap(command: str, after: str) -> str:
    return " " if command[-1].isalpha() and after[:1].isalpha() else ""


def _cells(box: Box) -> str:
    lines: list[list[str]] = [[]]
    for row in box.parts:
        if row and row[-1].kind in ("cell", "line"):
            lines[-1].append(printed(row[:-1]))
            if row[-1].kind == "line":
                lines.append([])
        else:
            lines[-1].append(printed(row))
    written = ["&".join(line) for line in lines]
    broken = any("\\begin{gathered}" in line for line in written)  # rows of several lines
    return ("\\\\[-1ex]\\\\" if broken and len(written) > 1 else "\\\\").join(written)


def _row(tokens: list[str], at: int, stops: frozenset[str]) -> tuple[tuple[Box, ...], int]:
    boxes: list[Box] = []
    while at < len(tokens) and tokens[at] not in stops and tokens[at] not in ("}", "&", "\\\\"):
        box, at = _box(tokens, at)
        if box.kind == "bin" and (not boxes or boxes[-1].kind in ("bin", "rel", "open", "punct",
                                                                 "big", "func")):
            box = Box("ord", box.tex, 0.78)
        boxes.append(box)
    return tuple(boxes), at


def _argument(tokens: list[str], at: int) -> tuple[tuple[Box, ...], int]:
    if at >= len(tokens):
        raise Foreign("an argument is missing at the end")
    if tokens[at] != "{":
        box, at = _box(tokens, at)
        return (box,), at
    row, at = _row(tokens, at + 1, frozenset())
    if at >= len(tokens) or tokens[at] != "}":
        raise Foreign("a brace is not closed")
    return row, at + 1


def _box(tokens: list[str], at: int) -> tuple[Box, int]:
    token = tokens[at]
    if token == "{":
        row, at = _argument(tokens, at)
        return Box("group", "", width(row), (row,)), at
    if token in ("^", "_"):
        row, at = _argument(tokens, at + 1)
        return Box("script", token, 0.75 * width(row, small=True) + 0.05, (row,)), at
    if token.startswith("\\text{"):
        return Box("ord", token, 0.5 * len(token) - 3.0), at + 1
    if token.startswith("\\"):
        return _command(tokens, at, token[1:])
    return _character(token), at + 1


def _character(token: str) -> Box:
    if token in PLAIN:
        kind = ("bin" if token in "+-*" else "rel" if token in "=<>:" else "punct"
                if token in ",;" else "open" if token in "([" else "close" if token in ")]"
                else "ord")
        return Box(kind, token, PLAIN[token])
    if not token.isascii() and f"_{token}".isidentifier():
        return Box("ord", *UNICODE.get(token, (rf"\text{{[U+{ord(token):04X}]}}", 4.5)))
    if not (token.isascii() and token.isalnum()):
        raise Foreign(f"the character {unicodedata.name(token, repr(token))}")
    return Box("ord", token, 0.5 if token.isdigit() else ITALIC[token] / 100)


def _command(tokens: list[str], at: int, name: str) -> tuple[Box, int]:
    tex = "\\" + name
    if name not in COMMANDS:
        raise Foreign(f"the command {tex}")
    if name in ("frac", "tfrac", "dfrac", "binom"):
        top, at = _argument(tokens, at + 1)
        bottom, at = _argument(tokens, at)
        return Box("frac", tex, max(_part(top), _part(bottom)) + 0.3, (top, bottom)), at
    if name == "sqrt":
        return _root(tokens, at + 1)
    if name == "left":
        return _delimited(tokens, at + 1)
    if name == "begin":
        return _environment(tokens, at + 1)
    if name in FONTS:
        return _font(tokens, at + 1, name)
    if name in SIZES:
        delimiter = tokens[at + 1] if at + 1 < len(tokens) else ""
        if delimiter.lstrip("\\") not in DELIMITERS:
            raise Foreign(f"{tex} before {delimiter!r}")
        kind = "open" if name.endswith("l") else "close" if name.endswith("r") else "ord"
        return Box(kind, tex + delimiter, 0.7), at + 2
    if name in ("right", "end", "\\"):
        raise Foreign(f"{tex} closes nothing")
    return _symbol(name, tex), at + 1


def _part(row: tuple[Box, ...]) -> float:
    """The width of a numerator: sums are small in it, and fractions in fractions smaller yet."""
    return width(row, small=True) - 0.25 * sum(b.width for b in row if b.kind == "frac")


def _symbol(name: str, tex: str) -> Box:
    for table, kind in ((OPERATORS, "bin"), (RELATIONS, "rel"), (BIG, "big"), (SPACES, "space")):
        if name in table:
            return Box(kind, tex, table[name])
    if name in FUNCTIONS:
        return Box("func", tex, 0.5 * len(name) + 0.34)
    if name in STYLES:
        return Box("space", tex, 0.0)
    kind = "open" if name in OPENERS else "close" if name in DELIMITERS else "ord"
    return Box(kind, tex, LETTERS[name])


def _root(tokens: list[str], at: int) -> tuple[Box, int]:
    index: tuple[Box, ...] = ()
    if at < len(tokens) and tokens[at] == "[":
        index, at = _row(tokens, at + 1, frozenset("]"))
        at += 1
    row, at = _argument(tokens, at)
    return Box("sqrt", "\\sqrt", width(row) + 1.05, (row, index) if index else (row,)), at


def _delimited(tokens: list[str], at: int) -> tuple[Box, int]:
    opening = tokens[at] if at < len(tokens) else ""
    row, end = _row(tokens, at + 1, frozenset({"\\right"}))
    if end + 1 >= len(tokens) or tokens[end] != "\\right":
        raise Foreign("\\left without \\right")
    closing = tokens[end + 1]
    if not {opening.lstrip("\\"), closing.lstrip("\\")} <= DELIMITERS:
        raise Foreign(f"\\left{opening} ... \\right{closing}")
    return Box("left", f"{opening} {closing}", width(row) + 1.4, (row,)), end + 2


def _font(tokens: list[str], at: int, name: str) -> tuple[Box, int]:
    if name == "operatorname" and at < len(tokens) and tokens[at] == "*":
        at += 1
    row, at = _argument(tokens, at)
    if name == "operatorname":
        return Box("func", "\\operatorname", 1.1 * width(row) + 0.34, (row,)), at
    return Box("font", "\\" + name, 1.05 * width(row), (row,)), at


def _environment(tokens: list[str], at: int) -> tuple[Box, int]:
    close = tokens.index("}", at) if "}" in tokens[at:] else len(tokens)
    name, at = "".join(tokens[at + 1:close]), close + 1
    if name not in ENVIRONMENTS:
        raise Foreign(f"the environment {name!r}")
    rows: list[tuple[Box, ...]] = []
    while True:
        row, at = _row(tokens, at, frozenset({"\\end"}))
        token = tokens[at] if at < len(tokens) else ""
        if token not in ("&", "\\\\", "\\end"):
            raise Foreign(f"the environment {name!r} is not closed")
        if token == "\\end":
            rows.append(row)
            break
        rows.append((*row, Box("cell" if token == "&" else "line", "", 0.0)))
        at += 1
    if "".join(tokens[at + 1:at + 3 + len(name)]) != "{" + name + "}":
        raise Foreign(f"the environment {name!r} is closed by another")
    return Box("env", name, _table_width(rows, name), tuple(rows)), at + 3 + len(name)


def _table_width(rows: list[tuple[Box, ...]], name: str) -> float:
    columns: dict[int, float] = {}
    column = 0
    for row in rows:
        columns[column] = max(columns.get(column, 0.0), width(row))
        column = 0 if row and row[-1].kind == "line" else column + 1
    small = 0.75 if name == "smallmatrix" else 1.0
    return small * (sum(columns.values()) + len(columns) - 1) + ENVIRONMENTS[name]
