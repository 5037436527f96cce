"""Long formulas cut where a printer would cut them: before + and -, then inside brackets.

`pieces` cuts a formula into parts that no line break may divide; `stacked` packs them into lines.
Nothing is moved or rewritten: only brackets change their size, and a numerator, a root or a cell
that is too wide is set in several lines of its own.
"""

from dataclasses import dataclass, replace

from symbolic.writing.formula import Box, parse, printed, width

LONGEST = 900.0    # em; a formula beyond this is printed with its middle left out, and says so


SIGNS = {"": "", "+": "{}", "*": r"{}\cdot ", "0": ""}    # what a continued line begins with


@dataclass(frozen=True)
class Piece:
    """A part of a formula. `before` is what a break before it is: "" (none), "+" (a sign
    or relation begins the line), "*" (a product goes on) or "0" (a number goes on)."""

    tex: str
    width: float
    before: str


def pieces(formula: str, room: float) -> tuple[Piece, ...]:
    """The formula in parts of at most `room` em where that can be done; raises Foreign."""
    parts = _cut(parse(formula), room)
    total = sum(p.width for p in parts)
    return _shortened(parts) if total > LONGEST and len(parts) > 40 else tuple(parts)


def stacked(formula: str, room: float) -> list[str]:
    """The formula as lines of at most `room` em where that can be done; raises Foreign."""
    lines: list[str] = []
    used = 0.0
    for piece in pieces(formula, room):
        if not lines:
            lines, used = [piece.tex], piece.width
        elif not piece.before or used + piece.width <= room:
            lines[-1] += " " + piece.tex
            used += piece.width
        else:
            lines.append(SIGNS[piece.before] + piece.tex)
            used = piece.width + 2.0
    return lines or [""]


def _shortened(parts: list[Piece]) -> tuple[Piece, ...]:
    """The first and last twenty parts, and between them how many are not printed."""
    hidden = len(parts) - 40
    note = rf"{{}}+\cdots\text{{ }}[{hidden}\text{{ parts not printed}}]\text{{ }}\cdots"
    return (*parts[:20], Piece(note, 16.0, "+"), *parts[-20:])


def _cut(boxes: tuple[Box, ...], room: float) -> list[Piece]:
    found: list[Piece] = []
    for before, segment in _segments(boxes):
        size = width(segment)
        if size <= room:
            found.append(Piece(printed(segment), size, before))
        else:
            inner = _opened(segment, room)
            found.append(replace(inner[0], before=before))
            found.extend(inner[1:])
    return found


def _segments(boxes: tuple[Box, ...]) -> list[tuple[str, tuple[Box, ...]]]:
    """The row cut before its signs and relations and after its commas, outside all brackets."""
    cuts, depth = {0: ""}, 0
    for k, box in enumerate(boxes):
        if k and depth <= 0 and boxes[k - 1].tex == ",":
            cuts[k] = "0"
        depth += {"open": 1, "close": -1}.get(box.kind, 0)
        if k and depth <= 0 and (box.kind == "rel" or (box.kind == "bin" and box.tex in "+-")):
            cuts[k] = "+"
    ends = [*cuts, len(boxes)]
    return [(cuts[a], boxes[a:b]) for a, b in zip(ends, ends[1:], strict=False)]


def _opened(segment: tuple[Box, ...], room: float) -> list[Piece]:
    """A segment that is too wide: cut between factors, its large brackets opened."""
    found: list[Piece] = []
    for factor in _factors(segment):
        before = "*" if found else ""
        if width(factor) <= room:
            found.append(Piece(printed(factor), width(factor), before))
            continue
        found.extend(_unbracketed(factor, before, room))
    return found


def _unbracketed(factor: tuple[Box, ...], before: str, room: float) -> list[Piece]:
    """`a ( b ) c`, cut inside its largest brackets; `\\left` and `\\right` become brackets of a
    fixed size, so that b can be cut. Without brackets: the factor, made narrower."""
    start, end = _largest(factor)
    if end == start or width(factor[start:end]) < 0.3 * room:
        return _crumbs(factor, before, room)
    opening, body, closing = _bracketed(factor[start:end])
    inner = _cut(body, room)
    first = printed(factor[:start]) + " " + opening + " " + inner[0].tex
    inner[0] = Piece(first, width(factor[:start]) + 0.6 + inner[0].width, before)
    scripts = next((j for j in range(end, len(factor)) if factor[j].kind != "script"),
                   len(factor))
    last = inner[-1]
    inner[-1] = replace(last, tex=f"{last.tex} {closing}{printed(factor[end:scripts])}",
                        width=last.width + 0.6 + width(factor[end:scripts]))
    rest = factor[scripts:]
    if rest:
        inner.extend(replace(p, before=p.before or "*") for p in _cut(rest, room))
    return inner


def _crumbs(factor: tuple[Box, ...], before: str, room: float) -> list[Piece]:
    """What has no brackets to open: a long number between its digits, a long product between its
    letters, and what is left made narrower."""
    cuts, kind, depth = [0], before, 0
    for k in range(1, len(factor)):
        depth += {"open": 1, "close": -1}.get(factor[k - 1].kind, 0)
        digits = all(b.tex.isdigit() for b in factor[max(0, k - 9):k + 9])
        letters = (depth == 0 and factor[k].kind in ("ord", "font", "group")
                   and not factor[k].tex.isdigit()
                   and _last(factor[:k]) in ("ord", "font", "script", "close", "left")
                   and not _belongs(factor, k) and factor[k].tex not in "'!"
                   and factor[k - 1].tex not in ("+", "-"))
        if (digits or letters) and width(factor[cuts[-1]:k + 1]) > 0.4 * room:
            cuts.append(k)
    found = []
    for a, b in zip(cuts, [*cuts[1:], len(factor)], strict=True):
        part = tuple(_narrowed(box, room) for box in factor[a:b])
        if a:
            kind = "0" if factor[a].tex.isdigit() and factor[a - 1].tex.isdigit() else "*"
        found.append(Piece(printed(part), min(width(part), room), kind))
    return found


def _last(row: tuple[Box, ...]) -> str:
    """The kind of the last box that is no space."""
    return next((b.kind for b in reversed(row) if b.kind != "space"), "")


def _largest(factor: tuple[Box, ...]) -> tuple[int, int]:
    """From where to where the widest brackets reach; nothing where there are none."""
    spans = [(k, k + 1) for k, b in enumerate(factor) if b.kind == "left"]
    opened: list[int] = []
    for k, box in enumerate(factor):
        if box.kind == "open":
            opened.append(k)
        elif box.kind == "close" and opened:
            spans.append((opened.pop(), k + 1))
    return max(spans, key=lambda s: width(factor[s[0]:s[1]]), default=(0, 0))


def _bracketed(boxes: tuple[Box, ...]) -> tuple[str, tuple[Box, ...], str]:
    """The opening bracket, what is inside, the closing bracket."""
    if boxes[0].kind != "left":
        return printed(boxes[:1]), boxes[1:-1], printed(boxes[-1:])
    opening, closing = boxes[0].tex.split(" ")
    tall = any(b.kind in ("frac", "big", "env", "left") for b in boxes[0].parts[0])
    left, right = ("\\Bigl", "\\Bigr") if tall else ("\\bigl", "\\bigr")
    return left + opening, boxes[0].parts[0], right + closing


def _factors(segment: tuple[Box, ...]) -> list[tuple[Box, ...]]:
    """The segment cut where one factor ends and a big one begins."""
    cuts, depth = [0], 0
    for k, box in enumerate(segment):
        starts = box.kind in ("left", "frac", "sqrt", "big", "env")
        ends = _last(segment[:k]) in ("ord", "close", "frac", "sqrt", "left", "env", "script",
                                      "group", "font")
        signed = k > 0 and segment[k - 1].tex in ("+", "-")
        if starts and ends and not signed and depth == 0 and not _belongs(segment, k):
            cuts.append(k)
        depth += {"open": 1, "close": -1}.get(box.kind, 0)
    ends_at = [*cuts, len(segment)]
    return [segment[a:b] for a, b in zip(ends_at, ends_at[1:], strict=False) if b > a]


def _belongs(segment: tuple[Box, ...], k: int) -> bool:
    """Whether the box at k is the body or argument of an operator just before it."""
    j = k - 1
    while j >= 0 and segment[j].kind in ("script", "space"):
        j -= 1
    return j < 0 or segment[j].kind in ("big", "func", "bin", "rel", "open")


def _narrowed(box: Box, room: float) -> Box:
    """A fraction, root, matrix or script that is too wide, with its contents in several lines."""
    if box.width <= room or box.kind in ("ord", "bin", "rel", "func", "big", "space"):
        return box
    if box.kind == "script":
        return Box("script", box.tex, min(box.width, room), (_gathered(box.parts[0], room),))
    share = room
    if box.kind == "env":
        columns = 1 + sum(1 for row in box.parts if row and row[-1].kind == "cell") // max(
            1, 1 + sum(1 for row in box.parts if row and row[-1].kind == "line"))
        share = max(4.0, room / columns - 1.0)
    parts = tuple(_kept_end(row, share) for row in box.parts)
    return Box(box.kind, box.tex, min(box.width, room), parts)


def _kept_end(row: tuple[Box, ...], room: float) -> tuple[Box, ...]:
    end = row[-1:] if row and row[-1].kind in ("cell", "line") else ()
    return (*_gathered(row[: len(row) - len(end)], room), *end)


def _gathered(row: tuple[Box, ...], room: float) -> tuple[Box, ...]:
    """The row as it is, or as a column of lines."""
    if width(row) <= room:
        return row
    lines: list[str] = []
    used = 0.0
    for piece in _cut(row, room):
        if lines and (not piece.before or used + piece.width <= room):
            lines[-1] += " " + piece.tex
            used += piece.width
        else:
            lines.append((SIGNS[piece.before] if lines else "") + piece.tex)
            used = piece.width
    if len(lines) == 1:
        return tuple(_narrowed(b, room) for b in row)
    return (Box("ord", r"\begin{gathered}" + r"\\".join(lines) + r"\end{gathered}", room),)
