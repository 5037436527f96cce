"""Text to terms: one expression, one fact, one pair of sides. Nothing is ever evaluated."""

from collections.abc import Mapping

from symbolic.kernel.shape import Misshapen, Shape, relation, scalar, shape
from symbolic.kernel.term import Term, free
from symbolic.reading import literals
from symbolic.reading.calls import side
from symbolic.reading.names import ReadError, shown
from symbolic.reading.piecewise import TURN, relation_of, turned
from symbolic.reading.scan import RELATION_SIGNS, Token, parse, scan
from symbolic.reading.scope import Scope, bind_name, whole
from symbolic.reading.tree import read

DEEPEST = 150


def read_term(text: str, names: Mapping[str, tuple]) -> Term:
    """The term that a text is, under the declared `names` (name -> sort).

    Raises ReadError, with the column, for text outside the language, undeclared names, wrong
    arities and shapes that do not fit.
    """
    return _checked(scan(text), text, Scope(names))


def read_fact(text: str, names: Mapping[str, tuple]) -> Term:
    """The fact that a text is: a relation, or `relation for t in 1..T, u in 1..t`.

    The relation is one of `= == != <= < >= > psd`; `>=` and `>` are turned round, and a bare 0
    beside `=` or `psd` and a matrix is the zero matrix. Raises ReadError with the column.
    """
    tokens = scan(text)
    scope = Scope(names)
    place = _position_of_for(tokens)
    if place is None:
        return _relation(tokens, text, scope)
    ranges = []
    for name, low, high in _ranges(tokens[place + 1:], text):
        ends = [_whole(_checked(part, text, scope), scope, part) for part in (low, high)]
        try:
            bound, scope = bind_name(name.text, ("integer",), scope)
        except ReadError as error:
            raise error.at(name.start + 1) from None
        ranges.append(("range", bound, *ends))
    return ("all", _relation(tokens[:place], text, scope), *ranges)


def check_term(term: Term, names: Mapping[str, tuple]) -> Term:
    """The same term, if its names, numbers and shapes are in order; else ReadError."""
    missing = sorted(free(term) - set(names))
    if missing:
        raise ReadError(f"the undeclared name {missing[0]}", "declared names", "declare it")
    try:
        _check(term, Scope(names), 1)
    except Misshapen as error:
        raise _misshapen(error, {}) from None
    return term


def read_limit(text: str, names: Mapping[str, tuple]) -> tuple[str, Term, int]:
    """Where an O is meant, `eps -> 0+`: the name, the point, and the side (1, -1 or 0).

    Infinity is approached from the one side that it has.
    """
    tokens = scan(text)
    if len(tokens) < 3 or tokens[0].kind != "name" or tokens[1].text != "->":
        raise ReadError(f"the limit {shown(text)}", "a name, an arrow and a point",
                        "write eps -> 0+ or n -> oo", 1)
    name, rest = tokens[0].text, tokens[2:]
    if names.get(name, ("",))[0] not in ("real", "integer", "complex"):
        raise ReadError(f"a limit in {name}", "a declared number", "declare it", 1)
    sign = rest.pop().text if len(rest) > 1 and rest[-1].text in ("+", "-") else ""
    minus = len(rest) == 2 and rest[0].text == "-"
    if rest[-1].text == "oo" and len(rest) == 1 + minus and "oo" not in names:
        point: Term = ("-", ("oo",)) if minus else ("oo",)
    else:
        point = _checked(rest, text, Scope(names))
    if name in free(point) or not scalar(shape(point, names)):
        raise ReadError("another point", f"a number that does not depend on {name}",
                        "write eps -> 0+", rest[0].start + 1)
    return name, point, side(point, sign)


def sides(sign: str, left: Term, right: Term, names: Mapping[str, tuple]) -> tuple[Term, Term]:
    """Both sides of a relation, a bare 0 beside a matrix made the zero matrix of its size.

    `sign` is `= == != <= < >= > psd O`. Raises ReadError for sides of unlike shapes.
    """
    one, two = shape(left, names), shape(right, names)
    if sign in ("=", "==", "psd"):
        left, right = _zero(left, two), _zero(right, one)
    try:
        head = "<=" if sign == "O" else TURN[sign][0]  # an O compares numbers, like an order
        relation((head, left, right), names)
    except Misshapen as error:
        raise _misshapen(error, {}) from None
    return left, right


def shape_of(term: Term, names: Mapping[str, tuple]) -> Shape:
    """The shape of a term; raises ReadError where `kernel.shape` raises Misshapen."""
    try:
        return shape(term, names)
    except Misshapen as error:
        raise _misshapen(error, {}) from None


def _relation(tokens: list[Token], text: str, scope: Scope) -> tuple:
    """The relation that the tokens are, at their only relation sign outside brackets."""
    if not tokens:
        raise ReadError("'for' without a relation", "a relation before 'for'", "write it", 1)
    found = [k for k, t in enumerate(tokens) if t.depth == 0 and (
        t.text in RELATION_SIGNS or t.text == "psd" and "psd" not in scope.names)]
    column = tokens[found[-1]].start + 1 if found else tokens[0].start + 1
    if len(found) == 1 and 0 < found[0] < len(tokens) - 1:
        sign = tokens[found[0]].text
        left = _checked(tokens[:found[0]], text, scope)
        right = _checked(tokens[found[0] + 1:], text, scope)
        try:
            return turned(sign, *sides(sign, left, right, scope.names))
        except ReadError as error:
            raise error.at(column) from None
    called = None if found else relation_of(parse(text, tokens), _numbered(tokens, scope), read)
    if called is not None:
        try:
            head, left, right = called
            for one in (left, right):
                check_term(one, scope.names)
            return (head, *sides(head, left, right, scope.names))
        except ReadError as error:
            raise error.at(column) from None
    what = ("no relation", "a relation with one side", "a chain of relations")[min(len(found), 2)]
    raise ReadError(what, "one of = != <= < >= > psd between two sides",
                    "state each relation as a fact of its own", column)


def _numbered(tokens: list[Token], scope: Scope) -> Scope:
    return Scope(scope.names, {t.start + 1: t.text for t in tokens if t.kind == "number"})


def _checked(tokens: list[Token], text: str, scope: Scope) -> Term:
    """The term of some tokens of a text, its numbers and shapes checked."""
    inner = _numbered(tokens, scope)
    start = tokens[0].start + 1
    try:
        term = read(parse(text, tokens), inner)
        _check(term, inner, start)
    except Misshapen as error:
        raise _misshapen(error, inner.places).at(start) from None
    except RecursionError:
        raise ReadError("nesting that is too deep", "fewer levels", "define parts by `let`",
                        start) from None
    return term


def _check(term: Term, scope: Scope, start: int) -> None:
    level, depth = [term], 0
    while level:
        level = [part for t in level if isinstance(t, tuple) for part in t[1:]]
        depth += 1
    if depth > DEEPEST:
        raise ReadError("nesting that is too deep", f"at most {DEEPEST} levels",
                        "define parts by `let`", start)
    try:
        literals.value(term)
    except ReadError as error:
        raise error.at(_place(term, scope.places, start)) from None
    shape(term, scope.names)


def _place(term: Term, places: dict, start: int) -> int:
    """Where the smallest subterm was written whose numbers are out of order."""
    for part in term[1:] if isinstance(term, tuple) else ():
        try:
            literals.value(part)
        except ReadError:
            return _place(part, places, start)
    return places.get(id(term), (start,))[0]


def _misshapen(error: Misshapen, places: dict) -> ReadError:
    column = places.get(id(error.term), (None,))[0]
    found, _, needed = str(error).partition(": needed ")
    if not needed:
        return ReadError(found, "what the declarations say", "check the symbols", column)
    return ReadError(found, needed, "check the declared sorts", column)


def _zero(term: Term, beside: Shape) -> Term:
    return ("zeros", *beside) if term == 0 and not scalar(beside) and beside else term


def _position_of_for(tokens: list[Token]) -> int | None:
    """Where `for name in` begins."""
    for k in range(len(tokens) - 2):
        if tokens[k].text == "for" and not tokens[k].depth and tokens[k + 1].kind == "name" \
                and tokens[k + 2].text == "in":
            return k
    return None


def _ranges(tokens: list[Token], text: str) -> list[tuple[Token, list[Token], list[Token]]]:
    """The ranges `t in 1..T, u in 1..t` as (name, tokens of low, tokens of high)."""
    pieces: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == "," and not token.depth:
            pieces.append([])
        else:
            pieces[-1].append(token)
    found = []
    for piece in pieces:
        dots = [k for k, t in enumerate(piece) if t.text == ".."]
        if len(piece) < 5 or piece[0].kind != "name" or piece[1].text != "in" or len(dots) != 1 \
                or not 2 < dots[0] < len(piece) - 1:
            start = piece[0].start if piece else len(text)
            end = piece[-1].start + len(piece[-1].text) if piece else len(text)
            raise ReadError(f"the range {shown(text[start:end])}", "t in 1..T",
                            "write one range for each index", start + 1)
        found.append((piece[0], piece[2:dots[0]], piece[dots[0] + 1:]))
    return found


def _whole(term: Term, scope: Scope, tokens: list[Token]) -> Term:
    if not whole(term, scope.names):
        raise ReadError("an end of a range that need not be a whole number",
                        "integer symbols and whole numbers", "declare it an integer",
                        tokens[0].start + 1)
    return term
