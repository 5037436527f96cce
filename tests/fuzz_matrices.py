"""Random matrix terms of symbolic size, with exact matrices that keep their flags and facts."""

import random
from fractions import Fraction

from symbolic.kernel.term import Term
from tests.fuzz_terms import HIGH, LOW, WIDE, Case, closed, minus, rational

MATRIX_SYMBOLS = (
    ("d", ("integer",)), ("r", ("integer",)), ("A", ("matrix", "d", "d")),
    ("B", ("matrix", "d", "r")), ("C", ("matrix", "r", "d")),
    ("S", ("matrix", "d", "d", "symmetric")), ("P", ("matrix", "d", "d", "symmetric", "pd")),
    ("Q", ("matrix", "d", "d", "symmetric", "psd")), ("V", ("matrix", "d", "d", "invertible")),
    ("R", ("matrix", "d", "d", "orthogonal")), ("W", ("matrix", "r", "r", "symmetric", "pd")),
    ("x", ("matrix", "d", 1)), ("y", ("matrix", "d", 1)), ("z", ("matrix", "r", 1)),
    ("a", ("real",)), ("b", ("real",)),
)
MATRIX_FACTS = (("<=", 1, "d"), ("<=", 1, "r"), ("<", 0, "b"))
SHAPES = {n: s[1:3] for n, s in MATRIX_SYMBOLS if s[0] == "matrix"}
PD = ("matrix", "d", "d", "symmetric", "pd")
RELATED = (("H", PD), ("G", PD), ("Z", ("matrix", "d", "d")), ("E", ("matrix", "d", "d")),
           ("N", ("matrix", "r", "d")))
RELATIONS = (("=", ("*", "H", "H"), "G"), ("=", ("*", "A", "Z"), ("*", "Z", "A")),
             ("=", ("*", "E", "E"), "E"), ("=", ("*", "N", "E"), ("zeros", "r", "d")))


def matrix_point(rng: random.Random) -> dict:
    """Sizes 1 to 3 and exact matrices that keep their flags; semidefinite ones may be singular."""
    size = {"d": rng.choice((1, 2, 2, 3)), "r": rng.choice((1, 1, 2, 3)), 1: 1}
    point: dict = {"d": size["d"], "r": size["r"], "a": rational(rng), "b": rational(rng, True)}
    for name, sort in MATRIX_SYMBOLS:
        if sort[0] == "matrix":
            rows = flagged(rng, size[sort[1]], size[sort[2]], frozenset(sort[3:]))
            point[name] = [[closed(x) for x in row] for row in rows]
    return point


def flagged(rng: random.Random, m: int, n: int, flags: frozenset) -> list[list[Fraction]]:
    """A random rational matrix with the given flags."""
    while True:
        rows = [[Fraction(rng.choice((0, 0, 1, 1, -1, 2, -2, 3))) for _ in range(n)]
                for _ in range(m)]
        if "orthogonal" in flags:
            return _orthogonal(rng, n)
        if flags & {"pd", "psd"}:
            rows = _times(rows, list(map(list, zip(*rows, strict=True))))
        elif "symmetric" in flags:
            rows = [[rows[min(i, j)][max(i, j)] for j in range(n)] for i in range(m)]
        if not flags & {"pd", "invertible"} or determinant(rows) != 0:
            return rows


def _times(a: list, b: list) -> list:
    return [[sum((x * b[k][j] for k, x in enumerate(row)), Fraction(0)) for j in range(len(b[0]))]
            for row in a]


def determinant(rows: list) -> Fraction:
    """Laplace along the first row."""
    if len(rows) == 1:
        return rows[0][0]
    return sum(((-1) ** j * x * determinant([r[:j] + r[j + 1:] for r in rows[1:]])
                for j, x in enumerate(rows[0])), Fraction(0))


def _orthogonal(rng: random.Random, n: int) -> list[list[Fraction]]:
    """A product of reflections: rational, of either determinant."""
    out = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    for _ in range(rng.randrange(3)):
        v = [Fraction(rng.choice((1, -1, 2, 0))) for _ in range(n)]
        q = sum((x * x for x in v), Fraction(0))
        if q:
            mirror = [[int(i == j) - 2 * v[i] * v[j] / q for j in range(n)] for i in range(n)]
            out = _times(out, mirror)
    return out


def _word(rng: random.Random, rows: Term, cols: Term, depth: int, shapes: dict) -> Term:
    """A matrix term of the given shape."""
    fits = [n for n, s in shapes.items() if s == (rows, cols)]
    turned = [("T", n) for n, s in shapes.items() if s == (cols, rows)]
    square = rows == cols
    leaves = [*fits, *fits, *turned, *([("eye", rows)] if square else [("zeros", rows, cols)])]
    if rows == 1 == cols:
        leaves = ["a", "b", 2]
    if depth <= 0:
        return rng.choice(leaves)
    go = lambda m, n, k=1: _word(rng, m, n, depth - k, shapes)  # noqa: E731
    roll = rng.random()
    if roll < 0.42:
        middle = rng.choice(("d", "d", "r", 1))
        return ("*", go(rows, middle), go(middle, cols))
    if roll < 0.52:
        mids = [rng.choice(("d", "r", "d", 1)) for _ in range(2)]
        return ("*", go(rows, mids[0], 2), go(mids[0], mids[1], 2), go(mids[1], cols, 2))
    if roll < 0.62:
        return ("+", go(rows, cols), go(rows, cols))
    if roll < 0.68:
        return minus(go(rows, cols), go(rows, cols))
    if roll < 0.76:
        return ("T", go(cols, rows))
    if roll < 0.84:
        return ("*", _matrix_scalar(rng, depth - 1, shapes), go(rows, cols))
    if square and rows != 1:
        return _square(rng, rows, depth, go)
    return rng.choice(leaves)


def _square(rng: random.Random, n: Term, depth: int, go) -> Term:
    base = {"d": "P", "r": "W"}[n]
    other = {"d": "B", "r": "C"}[n]
    gram = ("*", other, ("T", other))
    return rng.choice((
        ("inv", base), ("inv", ("+", base, gram)), ("inv", ("+", ("eye", n), gram)),
        ("inv", ("+", ("*", "b", ("eye", n)), gram)), ("^", go(n, n), rng.choice((2, 3, 0, 1))),
        ("inv", go(n, n)), ("inv", "V") if n == "d" else ("inv", "W"), ("inv", ("T", go(n, n))),
        ("*", "R", ("T", "R")) if n == "d" else ("eye", n), ("inv", ("*", 2, base)),
        ("^", base, rng.choice((-1, -2, 2))), ("+", ("inv", base), go(n, n)),
    ))


def _matrix_scalar(rng: random.Random, depth: int, shapes: dict) -> Term:
    roll = rng.random()
    if depth <= 0 or roll < 0.3:
        return rng.choice(("a", "b", 2, ("/", 1, 2), ("-", 1), "d", "r", ("/", 1, "b")))
    size = rng.choice(("d", "d", "r"))
    if roll < 0.6:
        return ("trace", _word(rng, size, size, depth - 1, shapes))
    if roll < 0.85:
        left = rng.choice(("x", "y")) if size == "d" else "z"
        right = rng.choice(("x", "y")) if size == "d" else "z"
        return ("*", ("T", left), _word(rng, size, size, depth - 1, shapes), right)
    if roll < 0.93:
        return ("+", _matrix_scalar(rng, depth - 1, shapes), _matrix_scalar(rng, depth - 1, shapes))
    if roll < 0.97:
        return _determinant(rng, size, depth, shapes)
    return rng.choice((("entry", "A", 1, 1), ("entry", "x", "d", 1), ("det", "P"),
                       ("sqrt", ("trace", "P")), ("/", 1, ("trace", "P")),
                       ("*", ("sqrt", ("trace", "W")), ("trace", "A"), ("entry", "A", "d", "d")),
                       ("^", _matrix_scalar(rng, depth - 1, shapes), 2)))


def _determinant(rng: random.Random, size: Term, depth: int, shapes: dict) -> Term:
    """Determinants of products, of I + U V of both sizes, of sums with an invertible part."""
    go = lambda m, n: _word(rng, m, n, min(depth - 1, 1), shapes)  # noqa: E731
    other = rng.choice(("d", "r", 1))
    product = ("*", go(size, other), go(other, size))
    unit = rng.choice((("eye", size), ("*", rng.choice(("a", "b", 2)), ("eye", size))))
    base = "P" if size == "d" else "W"
    return ("det", rng.choice((product, ("+", unit, product), ("+", base, product),
                               ("+", ("inv", base), product), ("*", "a", go(size, size)),
                               ("inv", ("+", base, ("*", go(size, other), ("T", go(size, other))))),
                               minus(unit, product))))


def matrix_term(rng: random.Random, depth: int = 3) -> Case:
    """Words of rectangular matrices of symbolic size, or a scalar (trace, form) made of them."""
    return MATRIX_SYMBOLS, MATRIX_FACTS, _term(rng, depth, SHAPES), matrix_point


def related_term(rng: random.Random, depth: int = 3) -> Case:
    """The same with matrices that equations relate: a root, commuting ones, a projector."""
    shapes = {**SHAPES, **{n: s[1:3] for n, s in RELATED}}
    shapes = {n: s for n, s in shapes.items() if n in "AHGZEN" or rng.random() < 0.3}
    return ((*MATRIX_SYMBOLS, *RELATED), (*MATRIX_FACTS, *RELATIONS),
            _term(rng, depth, shapes), related_point)


def _term(rng: random.Random, depth: int, shapes: dict) -> Term:
    if rng.random() < 0.45:
        return _matrix_scalar(rng, depth + 1, shapes)
    rows, cols = rng.choice((("d", "d"), ("d", "r"), ("r", "d"), ("d", 1), ("r", "r"), ("d", "d")))
    return _word(rng, rows, cols, depth, shapes)


def related_point(rng: random.Random) -> dict:
    """A point of `matrix_point` with matrices that keep the relations."""
    point = matrix_point(rng)
    d, r = point["d"], point["r"]
    root = flagged(rng, d, d, frozenset(("symmetric", "pd")))
    a = [[_number(x) for x in row] for row in point["A"]]
    unit = [[Fraction(int(i == j)) for j in range(d)] for i in range(d)]
    c = [Fraction(rng.choice((0, 1, -1, 2))) for _ in range(3)]
    square = _times(a, a)
    commuting = [[c[0] * unit[i][j] + c[1] * a[i][j] + c[2] * square[i][j] for j in range(d)]
                 for i in range(d)]
    turn, rank = _orthogonal(rng, d), rng.randrange(d + 1)
    cut = [[unit[i][j] if i < rank else Fraction(0) for j in range(d)] for i in range(d)]
    back = list(map(list, zip(*turn, strict=True)))
    project = _times(_times(turn, cut), back)
    rest = [[unit[i][j] - project[i][j] for j in range(d)] for i in range(d)]
    free = flagged(rng, r, d, frozenset())
    for name, rows in (("H", root), ("G", _times(root, root)), ("Z", commuting), ("E", project),
                       ("N", _times(free, rest))):
        point[name] = [[closed(x) for x in row] for row in rows]
    return point


def _number(term: Term) -> Fraction:
    if isinstance(term, int):
        return Fraction(term)
    return -_number(term[1]) if term[0] == "-" else Fraction(term[1], term[2])


# --- families of vectors and matrices ------------------------------------------------------------

FAMILY_SYMBOLS = (
    ("d", ("integer",)), ("r", ("integer",)), ("n", ("integer",)), ("s", ("integer",)),
    ("A", ("matrix", "d", "d")), ("P", ("matrix", "d", "d", "symmetric", "pd")),
    ("B", ("matrix", "r", "d")), ("m", ("matrix", "d", 1)), ("b", ("real",)),
    ("x", ("family", ("matrix", "d", 1), WIDE)), ("y", ("family", ("matrix", "d", 1), WIDE)),
    ("X", ("family", ("matrix", "d", "d"), WIDE)), ("w", ("family", ("real",), WIDE)),
)
FAMILY_FACTS = (("<=", 1, "d"), ("<=", 1, "r"), ("<=", 0, "n"), ("<", 0, "b"), ("<=", 1, "s"))


def family_point(rng: random.Random) -> dict:
    """Sizes 1 and 2, up to three members in a sum, tables wide enough for shifted indices."""
    d, r = rng.choice((1, 2, 2)), rng.choice((1, 2))
    point: dict = {"d": d, "r": r, "n": rng.choice((0, 1, 2, 3)), "s": rng.choice((1, 1, 2, 3)),
                   "b": rational(rng, True)}
    table = lambda m, k, *flags: [  # noqa: E731
        [closed(x) for x in row] for row in flagged(rng, m, k, frozenset(flags))]
    point |= {"A": table(d, d), "P": table(d, d, "symmetric", "pd"), "B": table(r, d),
              "m": table(d, 1)}
    members = range(LOW, HIGH + 1)
    point |= {name: [table(d, 1) for _ in members] for name in ("x", "y")}
    return point | {"X": [table(d, d) for _ in members], "w": [rational(rng) for _ in members]}


def _vector(rng: random.Random, names: tuple, depth: int) -> Term:
    """A column of d numbers that may speak of the bound names."""
    u = _index(rng, names)
    roll = rng.random()
    if depth <= 0 or roll < 0.3:
        return rng.choice(("m", ("at", "x", u), ("at", "y", u), ("at", "x", u)))
    go = lambda: _vector(rng, names, depth - 1)  # noqa: E731
    if roll < 0.5:
        return ("*", rng.choice(("A", "P", ("T", "A"), ("inv", "P"), ("at", "X", u),
                                 ("inv", ("+", ("eye", "d"), ("*", ("at", "x", u), ("T", (
                                     "at", "x", u))))))), go())
    if roll < 0.65:
        return rng.choice((("+", go(), go()), minus(go(), "m")))
    if roll < 0.8:
        return ("*", _weight(rng, names, depth - 1), go())
    return _matrix_sum(rng, names, depth, lambda inner: _vector(rng, inner, depth - 1))


def _weight(rng: random.Random, names: tuple, depth: int) -> Term:
    u, v = _index(rng, names), _index(rng, names)
    simple = (("at", "w", u), "b", 2, ("delta", u, v), ("^", ("at", "w", u), 2), u,
              ("exp", ("at", "w", u)))
    if depth <= 0 or rng.random() < 0.6:
        return rng.choice(simple)
    return ("*", ("T", _vector(rng, names, depth - 1)), _vector(rng, names, depth - 1))


def _index(rng: random.Random, names: tuple) -> Term:
    u = rng.choice(names or (1, "s"))
    return rng.choice((u, u, u, "s", ("+", u, 1) if u != 1 else 2))


def _matrix_sum(rng: random.Random, names: tuple, depth: int, body) -> Term:
    name = rng.choice([n for n in ("u", "v", "t") if n not in names] or ["u"])
    low, high = rng.choice(((1, "n"), (1, "n"), (1, 3), (rng.choice(names or (1,)), "n"),
                            (1, rng.choice(names or ("n",))), (2, "n"), (1, "s"), (1, 0)))
    inner = tuple(n for n in names if n != name) + (name,)
    return ("sum", body(inner), name, low, high)


def family_term(rng: random.Random, depth: int = 2) -> Case:
    """Sums of vectors and of outer products over symbolic, triangular and empty ranges."""
    outer = lambda inner: ("*", _weight(rng, inner, depth - 1), (  # noqa: E731
        "*", _vector(rng, inner, depth - 1), ("T", _vector(rng, inner, depth - 1))))
    one = lambda: _matrix_sum(rng, (), depth, outer)  # noqa: E731
    column = lambda: _matrix_sum(  # noqa: E731
        rng, (), depth, lambda inner: _vector(rng, inner, depth))
    term = rng.choice((
        one, column, lambda: ("*", "A", one()), lambda: ("T", one()), lambda: ("trace", one()),
        lambda: ("*", one(), column()), lambda: ("*", ("T", column()), "A", column()),
        lambda: ("*", column(), ("T", column())), lambda: ("*", "B", column()),
        lambda: ("entry", one(), 1, "d"), lambda: ("trace", ("*", one(), "P")),
        lambda: ("*", ("inv", ("+", "P", _matrix_sum(rng, (), 1, lambda i: (
            "*", ("at", "x", i[-1]), ("T", ("at", "x", i[-1])))))), column()),
        lambda: _vector(rng, ("n",), depth + 1), lambda: ("+", one(), one())))()
    return FAMILY_SYMBOLS, FAMILY_FACTS, term, family_point


# --- Kronecker products and vec ------------------------------------------------------------------

def kronecker_point(rng: random.Random) -> dict:
    """A point of `matrix_point` with sizes up to 2."""
    while True:
        point = matrix_point(rng)
        if point["d"] < 3 and point["r"] < 3:
            return point


def _kronecker(rng: random.Random, one: tuple, two: tuple, depth: int) -> Term:
    """A term of the shape of a product of a matrix of sizes `one` with one of sizes `two`."""
    go = lambda m, n, k=1: _word(rng, m, n, max(depth - k, 0), SHAPES)  # noqa: E731
    plain = ("kron", go(*one), go(*two))
    if depth <= 0 or rng.random() < 0.3:
        return plain
    mids = rng.choice(("d", "r")), rng.choice(("d", "r"))
    forms = [lambda: ("+", plain, _kronecker(rng, one, two, depth - 1)),
             lambda: ("*", _kronecker(rng, (one[0], mids[0]), (two[0], mids[1]), depth - 1),
                      _kronecker(rng, (mids[0], one[1]), (mids[1], two[1]), depth - 1)),
             lambda: ("T", _kronecker(rng, one[::-1], two[::-1], depth - 1)),
             lambda: ("*", "a", plain)]
    if one[0] == one[1] and two[0] == two[1]:
        forms += [lambda: ("inv", _kronecker(rng, one, two, depth - 1)),
                  lambda: ("inv", ("kron", *({"d": "P", "r": "W"}[n] for n in (one[0], two[0])))),
                  lambda: ("^", plain, 2)]
    return rng.choice(forms)()


def kronecker_term(rng: random.Random, depth: int = 2) -> Case:
    """Kronecker products of words, their products, inverses, traces, and vec of words."""
    m, n, p, q = (rng.choice(("d", "r")) for _ in range(4))
    square = lambda: _kronecker(rng, (m, m), (p, p), depth)  # noqa: E731
    vector = lambda: ("vec", _word(rng, q, n, 1, SHAPES))  # noqa: E731
    term = rng.choice((
        square, lambda: _kronecker(rng, (m, n), (p, q), depth), lambda: ("trace", square()),
        lambda: ("det", square()), lambda: ("*", _kronecker(rng, (m, n), (p, q), depth), vector()),
        lambda: ("trace", ("*", ("T", vector()), _kronecker(rng, (n, n), (q, q), 1), vector())),
        lambda: ("trace", ("*", ("T", vector()), vector())),
        lambda: ("*", vector(), ("T", vector())),
        lambda: ("kron", _word(rng, m, n, 1, SHAPES), ("kron", _word(rng, p, q, 1, SHAPES), "A")),
        lambda: ("*", ("T", vector()), _kronecker(rng, (n, m), (q, p), 1))))()
    return MATRIX_SYMBOLS, MATRIX_FACTS, term, kronecker_point
