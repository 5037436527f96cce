"""The language: a term is a whole number, a name, or a tuple `(head, argument, ...)`.

Nothing is evaluated, sorted or flattened when a term is built: what the author wrote is what is
stored, printed and hashed. Every tuple starts with a head, matrix rows and branches included.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

Term = Any  # int | str | tuple: which of them is read off the head, not off the type

# head -> (fewest, most) arguments; None means no upper limit.
HEADS: dict[str, tuple[int, int | None]] = {
    "+": (2, None), "-": (1, 1), "*": (2, None), "/": (2, 2), "^": (2, 2),
    "pi": (0, 0), "e": (0, 0), "i": (0, 0), "oo": (0, 0),
    "sqrt": (1, 1), "exp": (1, 1), "log": (1, 1), "sin": (1, 1), "cos": (1, 1), "tan": (1, 1),
    "sinh": (1, 1), "cosh": (1, 1), "tanh": (1, 1), "asin": (1, 1), "acos": (1, 1),
    "atan": (1, 1), "atan2": (2, 2), "logistic": (1, 1), "abs": (1, 1), "sign": (1, 1),
    "floor": (1, 1), "factorial": (1, 1), "binomial": (2, 2), "delta": (2, 2),
    "max": (1, None), "min": (1, None), "re": (1, 1), "im": (1, 1), "conj": (1, 1),
    "at": (2, None), "entry": (3, 3),
    "sum": (4, 4), "prod": (4, 4), "int": (4, 4), "limit": (4, 4), "diff": (2, 2),
    "cases": (1, None), "case": (2, 2),
    "matrix": (1, None), "row": (1, None), "eye": (1, 1), "zeros": (2, 2),
    "T": (1, 1), "inv": (1, 1), "trace": (1, 1), "det": (1, 1),
    "kron": (2, 2), "vec": (1, 1),
    "=": (2, 2), "<=": (2, 2), "<": (2, 2), "!=": (2, 2), "psd": (2, 2),
    "all": (2, None), "range": (3, 3),
}
BINDERS = frozenset({"sum", "prod", "int", "limit"})
ORDERS = frozenset({"=", "<=", "<", "!="})
RELATIONS = ORDERS | {"psd"}
LONGEST, DEEPEST, DIGITS = 200_000, 400, 4_000


class Malformed(ValueError):
    """Data that is not a term, or a term that is not of the language."""


def identifier(name: object) -> bool:
    """Whether `name` may be declared or bound: a Python-style identifier."""
    return isinstance(name, str) and name.isidentifier()


def plain(data: object, depth: int = 0) -> Term:
    """A term from plain data (JSON lists and tuples are the same thing).

    Raises Malformed for booleans, floats, None, objects, unknown heads, wrong arity, names that
    are no identifiers, nesting beyond DEEPEST and integers beyond DIGITS digits.
    """
    if isinstance(data, str):
        if not identifier(data):
            raise Malformed(f"not a name: {data[:40]!r}")
        return data
    if type(data) is int:
        if data.bit_length() > 3.33 * DIGITS:
            raise Malformed(f"a whole number of more than {DIGITS} digits")
        return data
    if not isinstance(data, (list, tuple)) or not data:
        raise Malformed(f"not a term: {str(data)[:40]}")
    if depth > DEEPEST:
        raise Malformed(f"nesting deeper than {DEEPEST}")
    head = data[0]
    if not isinstance(head, str) or head not in HEADS:
        raise Malformed(f"unknown head {str(head)[:40]!r}")
    fewest, most = HEADS[head]
    if len(data) - 1 < fewest or (most is not None and len(data) - 1 > most):
        raise Malformed(f"{head!r} with {len(data) - 1} arguments")
    args = tuple(plain(a, depth + 1) for a in data[1:])
    _shape_of_head(head, args)
    return (head, *args)


def _shape_of_head(head: str, args: tuple) -> None:
    """What arity alone does not say: which places hold names, rows, branches, relations."""
    def heads(places: tuple, wanted: str) -> bool:
        return all(isinstance(a, tuple) and a[0] == wanted for a in places)

    if head in BINDERS and not identifier(args[1]):
        raise Malformed(f"{head!r} binds no name")
    if head == "limit" and args[3] not in (-1, 0, 1):
        raise Malformed("the side of a limit is -1, 0 or 1")
    if head == "at" and not identifier(args[0]):
        raise Malformed("'at' needs the name of a family")
    if head == "diff" and not (identifier(args[1]) or heads((args[1],), "at")):
        raise Malformed("a derivative is by a name or by an entry of a family")
    if head == "matrix" and not (heads(args, "row") and len({len(r) for r in args}) == 1):
        raise Malformed("a matrix has rows of one length")
    if head == "cases" and not heads(args[:-1], "case"):
        raise Malformed("a piecewise term has cases, then the value otherwise")
    if head == "case" and not (isinstance(args[0], tuple) and args[0][0] in ORDERS):
        raise Malformed("a case needs a relation as its condition")
    if head == "all" and not (
        isinstance(args[0], tuple) and args[0][0] in RELATIONS and heads(args[1:], "range")
    ):
        raise Malformed("'all' has a relation, then ranges")
    if head == "range" and not identifier(args[0]):
        raise Malformed("a range binds a name")


def children(term: Term) -> tuple:
    """The subterms of a term; names that are bound or head a family are not subterms."""
    if not isinstance(term, tuple):
        return ()
    if term[0] in BINDERS:
        return (term[1], *term[3:])
    return term[2:] if term[0] in ("at", "range") else term[1:]


def walk(term: Term) -> Iterator[Term]:
    """Every subterm, the term itself first."""
    stack = [term]
    while stack:
        item = stack.pop()
        yield item
        stack.extend(children(item))


def heads(term: Term) -> frozenset[str]:
    """The heads that occur anywhere in a term."""
    return frozenset(t[0] for t in walk(term) if isinstance(t, tuple))


def infinities(term: Term) -> bool:
    """Whether oo stands anywhere but as an end of a binder or the point of a limit."""
    if not isinstance(term, tuple):
        return False
    if term[0] == "oo":
        return True
    parts = list(children(term))
    if term[0] in BINDERS:
        ends = parts[1:] if term[0] != "limit" else parts[1:2]
        parts = [parts[0], *(e for e in ends if e not in (("oo",), ("-", ("oo",))))]
    return any(map(infinities, parts))


def free(term: Term) -> frozenset[str]:
    """Names that occur free: symbols, families and matrices alike."""
    if isinstance(term, str):
        return frozenset({term})
    if not isinstance(term, tuple):
        return frozenset()
    head = term[0]
    if head in BINDERS:
        outside = frozenset().union(*(free(a) for a in term[3:]))
        return outside | (free(term[1]) - {term[2]})
    if head == "at":
        return frozenset({term[1]}).union(*(free(a) for a in term[2:]))
    if head == "all":
        return _free_of_all(term)
    return frozenset().union(*(free(a) for a in term[1:]))


def _free_of_all(term: tuple) -> frozenset[str]:
    names, bound = frozenset(), frozenset()
    for _, name, low, high in term[2:]:
        names |= (free(low) | free(high)) - bound
        bound |= {name}
    return names | (free(term[1]) - bound)


def fresh(name: str, taken: frozenset[str]) -> str:
    """A name like `name` that is not taken."""
    k = 1
    while f"{name}_{k}" in taken:
        k += 1
    return f"{name}_{k}"


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """Replace free names; bound names step aside.

    A family may only be renamed, and a name by which the term is derived may only be renamed
    (derive first): anything else raises Malformed.
    """
    if not values:
        return term
    if isinstance(term, str):
        return values.get(term, term)
    if not isinstance(term, tuple):
        return term
    head = term[0]
    if head in BINDERS:
        body, name, rest = term[1], term[2], term[3:]
        inner = {k: v for k, v in values.items() if k != name}
        clash = frozenset().union(*(free(v) for k, v in inner.items() if k in free(body)))
        if name in clash:
            other = fresh(name, clash | free(body) | frozenset(inner))
            body, name = substitute(body, {name: other}), other
        return (head, substitute(body, inner), name, *(substitute(a, values) for a in rest))
    if head == "all":
        return _substitute_all(term, values)
    if head == "at":
        family = values.get(term[1], term[1])
        if not isinstance(family, str):
            raise Malformed(f"the family {term[1]} may only be renamed")
        return ("at", family, *(substitute(a, values) for a in term[2:]))
    if head == "diff" and isinstance(term[2], str) and not isinstance(
        values.get(term[2], term[2]), str
    ):
        raise Malformed(f"{term[2]} is a variable of a derivative: derive first")
    return (head, *(substitute(a, values) for a in term[1:]))


def _substitute_all(term: tuple, values: Mapping[str, Term]) -> Term:
    relation, ranges = term[1], []
    taken = frozenset().union(*(free(v) for v in values.values())) | free(relation)
    values = dict(values)
    for _, name, low, high in term[2:]:
        ends = substitute(low, values), substitute(high, values)
        values.pop(name, None)
        if any(name in free(v) for v in values.values()):
            values[name] = fresh(name, taken)
            taken |= {values[name]}
        ranges.append(("range", values.get(name, name), *ends))
    return ("all", substitute(relation, values), *ranges)


def unfold(term: Term, let: tuple) -> Term:
    """Replace defined names by their definitions `(name, indices, body)`, to the bottom.

    Definitions are substituted before derivatives. A name defined twice or through itself, or
    derived by, raises Malformed.
    """
    table: dict[str, tuple] = {}
    for name, indices, body in let:
        if name in table:
            raise Malformed(f"{name} is defined twice")
        table[name] = (indices, body)
    return _unfold(term, table, (), [LONGEST]) if table else term


def _unfold(term: Term, table: Mapping[str, tuple], path: tuple, left: list) -> Term:
    left[0] -= 1
    if left[0] < 0:
        raise Malformed(f"definitions that unfold to more than {LONGEST} terms")
    if isinstance(term, str) and term in table and not table[term][0]:
        return _definition(term, (), table, path, left)
    if not isinstance(term, tuple):
        return term
    head = term[0]
    if head == "at" and term[1] in table:
        args = tuple(_unfold(a, table, path, left) for a in term[2:])
        return _definition(term[1], args, table, path, left)
    if head == "diff":
        by = term[2] if isinstance(term[2], str) else term[2][1]
        if by in table:
            raise Malformed(f"a derivative by the defined name {by}")
    if head in BINDERS or head == "all":
        bound = {term[2]} if head in BINDERS else {r[1] for r in term[2:]}
        if bound & table.keys():
            raise Malformed(f"a defined name is bound: {', '.join(sorted(bound & table.keys()))}")
        term = _step_aside(term, table)
    keep = {"at": 2, "range": 2}.get(head, 1)
    if head in BINDERS:
        return (head, _unfold(term[1], table, path, left), term[2],
                *(_unfold(a, table, path, left) for a in term[3:]))
    return (*term[:keep], *(_unfold(a, table, path, left) for a in term[keep:]))


def _step_aside(term: tuple, table: Mapping[str, tuple]) -> tuple:
    """Rename bound names that a definition mentions freely, so that unfolding captures nothing."""
    taken = frozenset().union(*(free(body) - set(idx) for idx, body in table.values()))
    if term[0] == "all":
        clash = {r[1]: fresh(r[1], taken | free(term)) for r in term[2:] if r[1] in taken}
        if not clash:
            return term
        ranges, seen = [], {}
        for _, name, low, high in term[2:]:
            ends = substitute(low, seen), substitute(high, seen)
            if name in clash:
                seen[name] = clash[name]
            ranges.append(("range", clash.get(name, name), *ends))
        return ("all", substitute(term[1], clash), *ranges)
    if term[2] not in taken:
        return term
    other = fresh(term[2], taken | free(term[1]) | frozenset({term[2]}))
    return (term[0], substitute(term[1], {term[2]: other}), other, *term[3:])


def _definition(name: str, args: tuple, table: Mapping[str, tuple], path: tuple,
                left: list) -> Term:
    if name in path:
        raise Malformed(f"{name} is defined through itself")
    indices, body = table[name]
    if len(indices) != len(args):
        raise Malformed(f"{name} is defined with {len(indices)} indices, used with {len(args)}")
    taken = free(body).union(table, *(free(b) for _, b in table.values()), *map(free, args))
    apart: dict[str, str] = {}  # indices step aside: other definitions may mention their names
    for index in indices:
        apart[index] = fresh(index, taken | frozenset(apart.values()))
    inner = _unfold(substitute(body, apart), table, (*path, name), left)
    return substitute(inner, {apart[i]: a for i, a in zip(indices, args, strict=True)})


def nameless(term: Term, bound: tuple[str, ...] = ()) -> object:
    """The term with bound names replaced by their depth, as JSON data."""
    if isinstance(term, str):
        depth = bound[::-1].index(term) if term in bound else None
        return term if depth is None else ["bound", len(bound) - 1 - depth]
    if not isinstance(term, tuple):
        return term
    head = term[0]
    if head in BINDERS:
        inner = nameless(term[1], (*bound, term[2]))
        return [head, inner, *(nameless(a, bound) for a in term[3:])]
    if head == "all":
        ranges = []
        for _, name, low, high in term[2:]:
            ranges.append([nameless(low, bound), nameless(high, bound)])
            bound = (*bound, name)
        return [head, nameless(term[1], bound), ranges]
    if head == "at":
        return [head, term[1], *(nameless(a, bound) for a in term[2:])]
    return [head, *(nameless(a, bound) for a in term[1:])]


def digest(data: object) -> str:
    """SHA-256 of plain data, hexadecimal."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
