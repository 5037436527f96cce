"""The value of a normal form at a point, straight from the meaning of its atoms.

Written beside the kernel's evaluator of terms so that the two can be compared: a normal form that
does not have the value of its term is a fault.
"""

from fractions import Fraction

from symbolic.kernel import ball, grid, points
from symbolic.kernel.ball import Unsure
from symbolic.kernel.structure import support

REACH = range(-9, 14)


def value(p, sorts, point, env=None):
    """The value of a polynomial: a Fraction or a ball; Unsure where it is undefined."""
    return ball.with_precision(_poly, p, sorts, point, env or {})


def _poly(p, sorts, point, env):
    out = Fraction(0)
    for m, c in p.items() if isinstance(p, dict) else p:
        out = ball.plus(out, ball.times(Fraction(c), _mono(m, sorts, point, env)))
    return out


def _mono(m, sorts, point, env):
    out = Fraction(1)
    for a, e in m:
        out = ball.times(out, _power(a, Fraction(e), sorts, point, env))
    return out


def _power(a, e, sorts, point, env):
    if a[0] == "E":
        return ball.FUNCTIONS["exp"](ball.times(e, _mono(a[1], sorts, point, env)))
    if a[0] == "pow":
        base, exponent = (_poly(f, sorts, point, env) for f in a[1:])
        return ball.power(ball.power(base, exponent), e)
    return ball.power(_atom(a, sorts, point, env), e)


def _atom(a, sorts, point, env):
    kind = a[0]
    if a in env:
        return env[a]
    if kind in ("sym", "int", "csym"):
        return points.closed(point[a[1]])
    if kind == "i":
        return ball.imaginary()
    if kind == "pi":
        return ball.pi()
    if kind == "num":
        return Fraction(a[1])
    if kind in ("at", "iat", "cat"):
        return points.closed(_entry(point[a[1]], a[2:], sorts[a[1]], sorts, point, env))
    if kind == "conj":
        return ball.FUNCTIONS["conj"](_atom(a[1], sorts, point, env))
    if kind == "P":
        return _poly(a[1], sorts, point, env)
    if kind == "log":
        return ball.logarithm(_poly(a[1], sorts, point, env))
    if kind == "f":
        return _function(a, sorts, point, env)
    if kind == "S":
        return _sum(a, sorts, point, env)
    if kind == "B":
        return _binder(a, sorts, point, env)
    if kind == "tr":
        return grid.trace(_word(a[1], sorts, point, env))
    if kind == "en":
        i, j = (int(_poly(f, sorts, point, env)) for f in a[3:])
        return _letter((a[1], False, a[2]), sorts, point, env)[i - 1][j - 1]
    if kind == "det":
        if isinstance(a[1], tuple):
            return grid.determinant(_letter((a[1], False, False), sorts, point, env))
        letter = next((x for w, _ in a[1] for x in w), None)
        if letter is None:
            raise Unsure("the determinant of a multiple of an identity of no size")
        rows = len(_letter_at_edge(a[1], sorts, point, env))
        return grid.determinant(_words(a[1], rows, rows, sorts, point, env))
    raise Unsure(kind)


def _entry(table, indices, sort, sorts, point, env):
    for f, (_, _, low, _) in zip(indices, sort[2:], strict=True):
        place = _poly(f, sorts, point, env) - points.evaluate(low, sorts, point)
        if place.denominator != 1 or not 0 <= place < len(table):
            raise Unsure("outside the table")
        table = table[int(place)]
    return table


def _function(a, sorts, point, env):
    head = a[1]
    if head == "cases":
        for row in a[2]:
            if len(row) == 1:
                return _poly(row[0], sorts, point, env)
            gap = ball.sign(_poly(row[1], sorts, point, env))
            if {"=": gap == 0, "<": gap > 0, "<=": gap >= 0, "!=": gap != 0}[row[0]]:
                return _poly(row[2], sorts, point, env)
    if head in ("max", "min"):
        return ball.extreme([_poly(f, sorts, point, env) for f in a[2]], 1 if head == "max" else -1)
    args = [_poly(f, sorts, point, env) for f in a[2:]]
    if head in ("abs", "modulus"):
        return ball.absolute(args[0])
    if head == "delta":
        return Fraction(args[0] == 0)
    if head == "factorial":
        from math import factorial

        if args[0] < 0:
            raise Unsure("a factorial outside its range")
        return Fraction(factorial(int(args[0])))
    if head == "binomial":
        from math import comb

        if args[0] < 0 or args[1] < 0:
            raise Unsure("a binomial outside its range")
        return Fraction(comb(int(args[0]), int(args[1])))
    if head == "atan2":
        return ball.angle(*args)
    return ball.FUNCTIONS[head](*args)


def _sum(a, sorts, point, env):
    _, level, constraints, mono = a
    names = sorted(b for b in support(constraints) if b[0] == "b" and b[1] == level)
    out = Fraction(0)
    for found in _choices(names, constraints, sorts, point, env):
        out = ball.plus(out, _mono(mono, sorts, point, found))
    return out


def _choices(names, constraints, sorts, point, env):
    if not names:
        yield env
        return
    known = set(env) | {names[0]}
    ready = [c for c in constraints if names[0] in support(c)
             and all(b in known for b in support(c) if b[0] == "b")]
    for k in REACH:
        inner = {**env, names[0]: Fraction(k)}
        if all(_poly(c, sorts, point, inner) >= 0 for c in ready):
            yield from _choices(names[1:], constraints, sorts, point, inner)


def _binder(a, sorts, point, env):
    _, head, _, name, body, *ends = a
    if head != "prod":
        raise Unsure(head)
    low, high = (_poly(f, sorts, point, env) for f in ends)
    out = Fraction(1)
    for k in range(int(low), int(high) + 1):
        out = ball.times(out, _poly(body, sorts, point, {**env, name: Fraction(k)}))
    return out


def _word(word, sorts, point, env):
    out = None
    for x in word:
        rows = _letter(x, sorts, point, env)
        out = rows if out is None else grid.product(out, rows)
    return out


def words_value(words, shape, sorts, point):
    """The value of a word form of a given shape (sizes as terms)."""
    rows, cols = (int(points.evaluate(n, sorts, point)) for n in shape)
    return ball.with_precision(_words, words, rows, cols, sorts, point, {})


def _words(words, rows, cols, sorts, point, env):
    out = [[Fraction(0)] * cols for _ in range(rows)]
    for w, c in words.items() if isinstance(words, dict) else words:
        part = _word(w, sorts, point, env) or grid.identity(rows)
        c = _poly(c, sorts, point, env)
        out = [[ball.plus(p, ball.times(c, q)) for p, q in zip(r, s, strict=True)]
               for r, s in zip(out, part, strict=True)]
    return out


def _sum_of_words(a, size, sorts, point, env):
    """The value of a closed sum whose monomial holds one word."""
    _, level, constraints, mono = a
    names = sorted(b for b in support(constraints) if b[0] == "b" and b[1] == level)
    carrier = next(x for x, _ in mono if x[0] == "W" or x[0] == "S" and _holds_a_word(x))
    out = [[Fraction(0)] * size[1] for _ in range(size[0])]
    for found in _choices(names, constraints, sorts, point, env):
        c = _mono(mono - {(carrier, 1)}, sorts, point, found)
        part = _sum_of_words(carrier, size, sorts, point, found) if carrier[0] == "S" else (
            _word(carrier[1], sorts, point, found) or grid.identity(size[0]))
        out = [[ball.plus(p, ball.times(c, q)) for p, q in zip(r, s, strict=True)]
               for r, s in zip(out, part, strict=True)]
    return out


def _holds_a_word(a):
    return any(x[0] == "W" or x[0] == "S" and _holds_a_word(x) for x, _ in a[3])


def _letter_at_edge(words, sorts, point, env):
    """The first letter of some word: it has the rows of the whole."""
    return _letter(next(w[0] for w, _ in words if w), sorts, point, env)


def _letter(x, sorts, point, env):
    base, transposed, inverted = x
    if base[0] == "s":
        size = [int(points.evaluate(n, sorts, point)) for n in base[2:4]]
        rows = _sum_of_words(base[1], size, sorts, point, env)
    elif base[0] == "k":
        sizes = [int(points.evaluate(n, sorts, point)) for n in (base[3], base[5])]
        rows = grid.kronecker(*(_word(w, sorts, point, env) or grid.identity(n)
                                for w, n in zip(base[1:3], sizes, strict=True)))
    elif base[0] == "v":
        size = int(points.evaluate(base[2], sorts, point))
        rows = grid.vec(_word(base[1], sorts, point, env) or grid.identity(size))
    elif base[0] == "c":
        size = int(points.evaluate(base[2], sorts, point))
        rows = grid.inverse(_words(base[1], size, size, sorts, point, env))
    else:
        data = point[base[1]] if len(base) == 2 else _entry(
            point[base[1]], base[2:], sorts[base[1]], sorts, point, env)
        rows = [[points.closed(c) for c in row] for row in data]
    if inverted:
        rows = grid.inverse(rows)
    return grid.transpose(rows) if transposed else rows
