"""Terms as LaTeX, as written: fractions, subscripts, big operators, few brackets.

Only the commands of COMMANDS occur; amsmath and amssymb define them all.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from symbolic.kernel.statement import Statement
from symbolic.kernel.term import RELATIONS, Term
from symbolic.writing.names import GREEK, component, name_latex

Sorts = Mapping[str, tuple]

_COMMANDS = (
    "frac sqrt sum prod int lim left right le ge ne succeq infty sin cos tan sinh cosh tanh "
    "arcsin arccos arctan exp log max min det operatorname mathrm mathit mathcal overline "
    "lfloor rfloor lvert rvert binom top times partial to begin end text quad cdot")
COMMANDS = frozenset(GREEK.values()) | {"\\,", "\\\\", "\\_", "\\;"} | frozenset(
    f"\\{name}" for name in _COMMANDS.split())
RELATION = {"=": "=", "<=": "\\le", "<": "<", "!=": "\\ne", ">=": "\\ge", ">": ">",
            "psd": "\\succeq", "==": "="}

# How tightly an expression holds together; OPEN ones (sums, integrals) reach to the right.
SUM, OPEN, TIMES, FRACTION, POWER, ATOM = range(1, 7)
CONSTANT = {"pi": "\\pi", "e": "e", "i": "i", "oo": "\\infty"}
_UPRIGHT = "sin cos tan sinh cosh tanh exp log max min det"
FUNCTION = {
    **{f: f"\\{f}" for f in _UPRIGHT.split()},
    "asin": "\\arcsin", "acos": "\\arccos", "atan": "\\arctan", "trace": "\\operatorname{tr}",
    "re": "\\operatorname{Re}", "im": "\\operatorname{Im}", "sign": "\\operatorname{sign}",
    "logistic": "\\operatorname{logistic}", "atan2": "\\operatorname{atan2}",
}
# Only for these is f^2(x) read as the square of f(x).
SQUARED = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh"})
_TALL = re.compile(r"\\(frac|sum|prod|int|begin|binom|lim|left)(?![A-Za-z])")

_WORD_LAST = re.compile(r"\\mathit\{[^{}]*\}\Z")


class _Style(NamedTuple):
    """The sorts of names, and whether fractions are written on one line (in small print)."""

    sorts: Sorts
    small: bool = False


def latex(term: Term, sorts: Sorts | None = None) -> str:
    """A term in LaTeX, for math mode. With `sorts`, components of vectors carry one index."""
    return _write(term, _Style(sorts or {}))[0]


def latex_fact(fact: Term, sorts: Sorts | None = None) -> str:
    """A relation, with its ranges as inequalities behind it."""
    style = _Style(sorts or {})
    if not isinstance(fact, tuple) or fact[0] != "all":
        return _write(fact, style)[0]
    ranges = ",\\; ".join(
        f"{_write(low, style)[0]} \\le {name_latex(name)} \\le {_write(high, style)[0]}"
        for _, name, low, high in fact[2:])
    return f"{_relation(fact[1], style)} \\quad ({ranges})"


def latex_relation(statement: Statement) -> str:
    """A statement's sides and its relation; an O with its limit."""
    sorts = dict(statement.symbols)
    left, right = latex(statement.left, sorts), latex(statement.right, sorts)
    if statement.relation == "O" and statement.limit is not None:
        name, point, side = statement.limit
        return (f"{left} = {latex_order(right)} \\quad "
                f"({_approach(name, point, side, _Style(sorts))})")
    return _relation((statement.relation, statement.left, statement.right), _Style(sorts))


def latex_order(right: str) -> str:
    """The O of a bound that is LaTeX already."""
    return f"\\mathcal{{O}}{_bracket(right)}"


def latex_limit(limit: tuple[str, Term, int]) -> str:
    """Where an O is meant."""
    return _approach(*limit, _Style({}))


def split_sum(term: Term, sorts: Sorts | None = None, longest: int = 80) -> list[str]:
    """A long sum cut into lines at its own plus and minus signs, each line LaTeX.

    Every line but the first begins with its sign. Lengths count what is seen, not the commands.
    """
    style = _Style(sorts or {})
    if not isinstance(term, tuple) or term[0] != "+":
        return [latex(term, sorts)]
    lines = [""]
    for piece in _pieces(term, style):
        if lines[-1] and _length(lines[-1]) + _length(piece) > longest:
            lines.append(piece)
        else:
            lines[-1] += f" {piece}" if lines[-1] else piece
    return lines


def _length(written: str) -> int:
    seen = re.sub(r"\\(left|right|operatorname|mathrm|mathit|quad|begin|end)\b|[{}^_& ]", "",
                  written)
    return len(re.sub(r"\\[A-Za-z]+", "x", seen))


def _write(term: Term, style: _Style) -> tuple[str, int]:
    """The LaTeX of a term and how tightly it holds together."""
    if isinstance(term, int):
        return str(term), ATOM if term >= 0 else SUM
    if isinstance(term, str):
        return name_latex(term), ATOM
    head = term[0]
    if head in CONSTANT:
        return CONSTANT[head], ATOM
    if head in RELATIONS:
        return _relation(term, style), 0
    if head in FUNCTION:
        return f"{FUNCTION[head]}{_bracket(_list(term[1:], style))}", POWER
    return _WRITERS[head](term, style)


def _held(term: Term, tightness: int, style: _Style) -> str:
    written, own = _write(term, style)
    return written if own >= tightness else _bracket(written)


def _bracket(written: str) -> str:
    return f"\\left({written}\\right)" if _TALL.search(written) else f"({written})"


def _list(terms: tuple, style: _Style) -> str:
    return ", ".join(_write(t, style)[0] for t in terms)


def _pieces(term: tuple, style: _Style) -> list[str]:
    """The parts of a sum, each with its sign but the first."""
    pieces = [_held(term[1], SUM, style)]
    for part in term[2:]:
        minus = isinstance(part, tuple) and part[0] == "-"
        written = _held(part[1] if minus else part, OPEN, style)
        pieces.append(f"{'-' if minus else '+'} {written}")
    return pieces


def _sum(term: tuple, style: _Style) -> tuple[str, int]:
    return " ".join(_pieces(term, style)), SUM


def _negative(term: tuple, style: _Style) -> tuple[str, int]:
    return f"-{_held(term[1], OPEN, style)}", SUM


def _product(term: tuple, style: _Style) -> tuple[str, int]:
    first, rest = term[1], term[2:]
    minus = isinstance(first, tuple) and first[0] == "-"
    pieces = [_held(first[1] if minus else first, FRACTION, style)]
    pieces.extend(_held(part, FRACTION, style) for part in rest[:-1])
    last, own = _write(rest[-1], style)
    pieces.append(last if own >= FRACTION or own == OPEN else _bracket(last))
    written = pieces[0]
    for before, piece in zip(pieces, pieces[1:], strict=False):
        written += _between(before, piece) + piece
    return (f"-{written}", SUM) if minus else (written, TIMES)


def _between(before: str, piece: str) -> str:
    """What stands between two factors: numbers need a dot, words and brackets a small space."""
    if piece[0].isdigit() or before[-1].isdigit() and piece.startswith("\\frac"):
        return " \\cdot "
    loose = piece.startswith(("(", "\\left", "\\mathit")) or _WORD_LAST.search(before)
    return " \\, " if loose else " "


def _quotient(term: tuple, style: _Style) -> tuple[str, int]:
    positive = _without_sign(term[1])
    if positive is not None:
        return f"-{_quotient(('/', positive, term[2]), style)[0]}", SUM
    if style.small:
        above, own = _write(term[1], style)
        above = above if own >= TIMES else _bracket(above)
        return f"{above}/{_held(term[2], POWER, style)}", TIMES
    return f"\\frac{{{_write(term[1], style)[0]}}}{{{_write(term[2], style)[0]}}}", FRACTION


def _without_sign(term: Term) -> Term | None:
    """What follows the minus sign that a term begins with, None if it begins with none."""
    if isinstance(term, tuple) and term[0] == "-":
        return term[1]
    if isinstance(term, tuple) and term[0] == "*":
        first = _without_sign(term[1])
        return None if first is None else ("*", first, *term[2:])
    return None


def _power(term: tuple, style: _Style) -> tuple[str, int]:
    _, base, exponent = term
    above = _write(exponent, style._replace(small=True))[0]
    if isinstance(base, tuple) and base[0] in SQUARED and isinstance(exponent, int) \
            and exponent > 1:
        return f"{FUNCTION[base[0]]}^{{{above}}}{_bracket(_list(base[1:], style))}", POWER
    return f"{_held(base, ATOM, style)}^{{{above}}}", POWER


def _at(term: tuple, style: _Style) -> tuple[str, int]:
    return name_latex(term[1], _list(term[2:], style._replace(small=True))), ATOM


def _entry(term: tuple, style: _Style) -> tuple[str, int]:
    _, whole, row, column = term
    indices = (row,) if component(term, style.sorts) else (row, column)
    below = _list(indices, style._replace(small=True))
    if isinstance(whole, str):
        return name_latex(whole, below), ATOM
    return f"{_bracket(_write(whole, style)[0])}_{{{below}}}", ATOM


def _big(sign: str) -> Callable[[tuple, _Style], tuple[str, int]]:
    def write(term: tuple, style: _Style) -> tuple[str, int]:
        _, body, name, low, high = term
        small = style._replace(small=True)
        start = name_latex(name) + "=" if sign != "\\int" else ""
        ends = f"_{{{start}{_write(low, small)[0]}}}^{{{_write(high, small)[0]}}}"
        closing = f" \\, \\mathrm{{d}}{name_latex(name)}" if sign == "\\int" else ""
        return f"{sign}{ends} {_held(body, OPEN, style)}{closing}", OPEN
    return write


def _limit(term: tuple, style: _Style) -> tuple[str, int]:
    _, body, name, point, side = term
    small = style._replace(small=True)
    return f"\\lim_{{{_approach(name, point, side, small)}}} {_held(body, OPEN, style)}", OPEN


def _approach(name: str, point: Term, side: int, style: _Style) -> str:
    infinite = point in (("oo",), ("-", ("oo",)))
    sign = "" if infinite else {1: "^{+}", -1: "^{-}"}.get(side, "")
    written = _held(point, ATOM, style) if sign else _write(point, style)[0]
    return f"{name_latex(name)} \\to {written}{sign}"


def _derivative(term: tuple, style: _Style) -> tuple[str, int]:
    body, variable, order = term[1], term[2], 1
    while isinstance(body, tuple) and body[0] == "diff" and body[2] == variable:
        body, order = body[1], order + 1
    by = _write(variable, style)[0]
    power = f"^{{{order}}}" if order > 1 else ""
    written, own = _write(body, style)
    nested = isinstance(body, tuple) and body[0] == "diff"
    written = written if own >= FRACTION or nested else _bracket(written)
    return f"\\frac{{\\partial{power}}}{{\\partial {by}{power}}} {written}", OPEN


def _cases(term: tuple, style: _Style) -> tuple[str, int]:
    rows = [f"{_write(c[2], style)[0]} & \\text{{if }} {_relation(c[1], style)}"
            for c in term[1:-1]]
    rows.append(f"{_write(term[-1], style)[0]} & \\text{{otherwise}}")
    return "\\begin{cases} " + " \\\\ ".join(rows) + " \\end{cases}", OPEN


def _matrix(term: tuple, style: _Style) -> tuple[str, int]:
    rows = [" & ".join(_write(e, style)[0] for e in row[1:]) for row in term[1:]]
    return "\\begin{pmatrix} " + " \\\\ ".join(rows) + " \\end{pmatrix}", ATOM


def _relation(term: tuple, style: _Style) -> str:
    head, left, right = term
    zero = isinstance(right, tuple) and right[0] == "zeros"
    written = "0" if zero else _write(right, style)[0]
    return f"{_write(left, style)[0]} {RELATION[head]} {written}"


def _zeros(term: tuple, style: _Style) -> tuple[str, int]:
    rows, columns = (_write(size, style)[0] for size in term[1:])
    return f"0_{{{rows} \\times {columns}}}", ATOM


def _raised(sign: str) -> Callable[[tuple, _Style], tuple[str, int]]:
    return lambda term, style: (f"{_held(term[1], ATOM, style)}^{{{sign}}}", POWER)


def _between_signs(left: str, right: str) -> Callable[[tuple, _Style], tuple[str, int]]:
    return lambda term, style: (f"\\left{left} {_write(term[1], style)[0]} \\right{right}", ATOM)


def _wrapped(command: str, level: int) -> Callable[[tuple, _Style], tuple[str, int]]:
    return lambda term, style: (f"{command}{{{_write(term[1], style)[0]}}}", level)


_WRITERS: dict[str, Callable[[tuple, _Style], tuple[str, int]]] = {
    "+": _sum, "-": _negative, "*": _product, "/": _quotient, "^": _power, "at": _at,
    "entry": _entry, "sum": _big("\\sum"), "prod": _big("\\prod"), "int": _big("\\int"),
    "limit": _limit, "diff": _derivative, "cases": _cases, "matrix": _matrix, "zeros": _zeros,
    "eye": lambda term, style: (f"I_{{{_write(term[1], style)[0]}}}", ATOM),
    "kron": lambda term, style: (
        f"{_held(term[1], POWER, style)} \\otimes {_held(term[2], POWER, style)}", TIMES),
    "T": _raised("\\top"), "inv": _raised("-1"), "sqrt": _wrapped("\\sqrt", POWER),
    "conj": _wrapped("\\overline", ATOM), "abs": _between_signs("\\lvert", "\\rvert"),
    "floor": _between_signs("\\lfloor", "\\rfloor"),
    "factorial": lambda term, style: (f"{_held(term[1], ATOM, style)}!", POWER),
    "binomial": lambda term, style: (
        f"\\binom{{{_write(term[1], style)[0]}}}{{{_write(term[2], style)[0]}}}", ATOM),
    "delta": lambda term, style: (f"\\delta_{{{_list(term[1:], style._replace(small=True))}}}",
                                  ATOM),
    "all": lambda term, style: (latex_fact(term, style.sorts), 0),
}
