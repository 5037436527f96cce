"""Two inputs that one attention layer cannot tell apart although the target differs.

A layer whose CLS asks a query free of the tokens sees a prefix only through h(n+1) sums over its
tokens: n numerators and a denominator a head. Let each token of the prefix move on a segment; by
Borsuk-Ulam two opposite points of the boundary of that cube have equal sums as soon as the cube has
more dimensions than there are sums. Some token then stands at both ends of its segment, and a probe
placed last makes the target read just that token. So the error is at least half the gap, with any
read-out and any number of parameters. The theorem is ours; what is found here is the collision of
one given layer: first in floating point, then enclosed in balls by Krawczyk's test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nextafter
from typing import Any

import numpy as np

PRECISION, RADIUS = 200, 1e-9
Term = Callable[[int, list, Callable], Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Cube:
    """Prefixes: the token at `places[j]` is r_j times `directions[j]`, low_j <= r_j <= high_j.

    Numbers are balls. `fixed` are the tokens of the prefix that do not move, place -> token;
    `probes[j]` the tokens that follow when coordinate j is at its ends; `target` of a list of
    tokens is what the layer should compute, exact up to the radii of its balls.
    """

    places: tuple[int, ...]
    directions: tuple[tuple, ...]
    low: tuple
    high: tuple
    fixed: dict[int, tuple]
    probes: tuple[tuple[tuple, ...], ...]
    target: Callable[[list], Any]


@dataclass(frozen=True, eq=False)
class Collision:
    """Two prefixes with equal sums: coordinate `face` at its high and its low end.

    `point` holds the coordinates r as balls (the other prefix is low + high - r), `residual` the
    floating-point difference of sums, `gap` the ball of the difference of targets, `enclosed`
    whether balls prove that a collision with these coordinates exists. Half of `gap` is the error
    that no read-out avoids.
    """

    face: int
    point: tuple
    residual: float
    gap: Any
    enclosed: bool
    restarts: int

    @property
    def forced_error(self) -> float:
        """A lower bound of half the gap."""
        return nextafter(float((self.gap / 2).abs_lower()), 0)


def inner_products(T: int, d: int) -> Cube:
    """The cube for min_{s,t} x(s).x(t) on the unit ball of R^d, T tokens, the probe last.

    Directions: orthonormal where d >= T - 1, else spread over a quarter circle; c is the largest
    product of two, and r lies in [c, 1]. The targets of the two prefixes differ by 1 - c. Works
    for h(n+1) <= T - 2. Raises ValueError for T < 3 or d < 2.
    """
    from flint import arb
    if T < 3 or d < 2:
        raise ValueError(f"inner_products: found T = {T!r}, d = {d!r}; needed T >= 3 and d >= 2: "
                         "give more tokens")
    with _precision():
        if d >= T - 1:
            c, u = arb(0), [tuple(arb(int(i == j)) for j in range(d)) for i in range(T - 1)]
        else:
            angle = arb.pi() / (2 * (T - 2))
            c = angle.cos()
            u = [((angle * i).cos(), (angle * i).sin(), *(arb(0),) * (d - 2))
                 for i in range(T - 1)]
        probes = tuple((tuple(-a for a in v),) for v in u)
        return Cube(tuple(range(T - 1)), tuple(u), (c,) * (T - 1), (arb(1),) * (T - 1), {}, probes,
                    _least_product)


def kth_largest(T: int, k: int) -> Cube:
    """The cube for the k-th largest of T numbers of [0, 1].

    With m = min(k - 1, T - k) probes, each 0 or 1, the target reads any of the m + 1 numbers of
    rank k - m to k, which move on segments of length 1/(m + 1). Works for h(n+1) <= m: for middle
    ranks and not for the second largest, whose prefix matters by two numbers only. Ours.
    Raises ValueError unless 2 <= k <= T - 1.
    """
    from flint import arb
    if not 2 <= k <= T - 1:
        raise ValueError(f"kth_largest: found k = {k!r} of T = {T!r}; needed 2 <= k <= T - 1: "
                         "the largest and the least are retrieved by one head")
    m = min(k - 1, T - k)
    with _precision():
        one, nought = (arb(1),), (arb(0),)
        fixed = {j: one for j in range(k - m - 1)} | {j: nought for j in range(k, T - m)}
        places = tuple(range(k - m - 1, k))
        high = tuple(arb(m + 1 - j) / (m + 1) for j in range(m + 1))
        low = tuple(arb(m - j) / (m + 1) for j in range(m + 1))
        probes = tuple((one,) * (m - j) + (nought,) * j for j in range(m + 1))
        return Cube(places, (one,) * (m + 1), low, high, fixed, probes,
                    lambda tokens: _ranked(tokens, k))


def certificate(term: Term, sums: int, cube: Cube, rng: np.random.Generator,
                restarts: int = 200) -> Collision | None:
    """A collision of a layer with so many sums h(n+1), or None where the search finds none.

    `term(place, x, exp)` gives what a token x (a list of numbers) at a place (from 0) adds to each
    sum, by + - * / and `exp`, so that it works on arrays, balls and power series alike.
    Raises ValueError where the theorem does not apply: sums >= moving tokens.
    """
    free = len(cube.places)
    if not 1 <= sums <= free - 1:
        raise ValueError(f"certificate: found {sums} sums h(n+1) against {free} moving tokens; "
                         f"needed 1 to {free - 1}: with more sums the theorem says nothing")
    low, high = (np.array([float(a) for a in ends]) for ends in (cube.low, cube.high))
    for attempt in range(1, restarts + 1):
        face = int(rng.integers(free))
        found = _solve(term, cube, low, high, face, rng)
        if found is None:
            continue
        r, residual = found
        with _precision():
            point, enclosed = _enclose(term, sums, cube, r, face)
            gap = _gap(cube, point, face)
        return Collision(face, tuple(point), residual, gap, enclosed, attempt)
    return None


def random_layer(T: int, d: int, h: int, n: int, rng: np.random.Generator, units: int = 8) -> Term:
    """The terms of a random layer: tanh encoders that depend on the place, h heads of width n."""
    W, b = rng.normal(size=(T, units, d)), rng.normal(size=(T, units))
    score, V = rng.normal(size=(h, units)), rng.normal(size=(h, n, units))

    def term(place: int, x: list, exp: Callable) -> list:
        state = [_tanh(_dot(W[place, k], x) + float(b[place, k]), exp) for k in range(units)]
        found = []
        for i in range(h):
            weight = exp(_dot(score[i], state))
            found += [weight, *(weight * _dot(V[i, j], state) for j in range(n))]
        return found
    return term


def _tanh(y: Any, exp: Callable) -> Any:
    return 1 - 2 / (exp(2 * y) + 1)


def _dot(weights: np.ndarray, x: Sequence[Any]) -> Any:
    total = float(weights[0]) * x[0]
    for w, a in zip(weights[1:], x[1:], strict=True):
        total = total + float(w) * a
    return total


def _solve(term: Term, cube: Cube, low: np.ndarray, high: np.ndarray, face: int,
           rng: np.random.Generator) -> tuple[np.ndarray, float] | None:
    """Coordinates r with equal sums at r and low + high - r, by bounded least squares."""
    from scipy.optimize import least_squares
    free = [j for j in range(len(low)) if j != face]
    directions = np.array([[float(a) for a in u] for u in cube.directions])
    step = 1e-6

    def sides(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r = high.copy()
        r[free] = y
        ends, slopes = [], []
        for j, place in enumerate(cube.places):
            at = np.array([r[j], low[j] + high[j] - r[j]])
            grid = (at[:, None] + step * np.array([0, 1, -1])).ravel()
            value = np.array(term(place, [a * grid for a in directions[j]], np.exp))
            value = value.reshape(len(value), 2, 3)
            ends.append(value[:, 0, 0] - value[:, 1, 0])
            slopes.append((value[:, :, 1] - value[:, :, 2]).sum(axis=1) / (2 * step))
        return np.sum(ends, axis=0), np.array(slopes).T[:, free]

    start = rng.uniform(low[free], high[free])
    found = least_squares(lambda y: sides(y)[0], start, jac=lambda y: sides(y)[1],
                          bounds=(low[free], high[free]), xtol=1e-15, ftol=1e-15, gtol=1e-15,
                          max_nfev=200)
    inside = (found.x > low[free] + 1e-6) & (found.x < high[free] - 1e-6)
    residual = float(np.abs(found.fun).max())
    if residual > 1e-9 or not inside.all():
        return None
    r = high.copy()
    r[free] = found.x
    return r, residual


def _enclose(term: Term, sums: int, cube: Cube, r: np.ndarray,
             face: int) -> tuple[list, bool]:
    """The coordinates in balls, and whether Krawczyk's test proves a collision within them.

    As many coordinates as there are sums are unknown, the best conditioned; the others are fixed
    at their floating-point values.
    """
    from flint import arb, arb_mat
    from scipy.linalg import qr
    point = [arb(float(a)) for a in r]
    point[face] = cube.high[face]
    free = [j for j in range(len(r)) if j != face]
    slopes = np.array([[float(a) for a in _slope(term, cube, point, j)] for j in free]).T
    chosen = [free[k] for k in qr(slopes, pivoting=True, mode="r")[1][:sums]]
    unknown = [free.index(j) for j in chosen]
    if np.linalg.cond(slopes[:, unknown]) > 1e12:
        return point, False
    inverse = np.linalg.inv(slopes[:, unknown])
    Y = arb_mat(sums, sums, [float(a) for a in inverse.ravel()])
    for _ in range(8):          # Newton with a fixed slope: each round gains about ten digits
        move = Y * _difference(term, sums, cube, point)
        for k, j in enumerate(chosen):
            point[j] = (point[j] - move[k, 0]).mid()
    wide = list(point)
    for j in chosen:
        wide[j] = point[j] + arb(0, RADIUS)
    J = arb_mat(sums, sums, [a for row in zip(*(_slope(term, cube, wide, j) for j in chosen),
                                              strict=True) for a in row])
    spread = arb_mat(sums, 1, [arb(0, RADIUS)] * sums)
    one = arb_mat(sums, sums, [int(a == b) for a in range(sums) for b in range(sums)])
    K = -(Y * _difference(term, sums, cube, point)) + (one - Y * J) * spread
    well = all(arb(0, RADIUS).contains_interior(K[k, 0]) for k in range(sums))
    if not well:
        return point, False
    for k, j in enumerate(chosen):
        point[j] = point[j] + K[k, 0]
    return point, all(point[j] > cube.low[j] and point[j] < cube.high[j] for j in free)


def _token(cube: Cube, j: int, r: Any) -> list:
    return [a * r for a in cube.directions[j]]


def _difference(term: Term, sums: int, cube: Cube, point: list) -> Any:
    """Sums at r minus sums at low + high - r, in balls, as a column."""
    from flint import arb, arb_mat
    total = [arb(0)] * sums
    for j, place in enumerate(cube.places):
        here = term(place, _token(cube, j, point[j]), _exp)
        there = term(place, _token(cube, j, cube.low[j] + cube.high[j] - point[j]), _exp)
        total = [t + a - b for t, a, b in zip(total, here, there, strict=True)]
    return arb_mat(sums, 1, total)


def _slope(term: Term, cube: Cube, point: list, j: int) -> list:
    """d/dr_j of the difference: the slopes of the term at both ends add up."""
    from flint import arb_series
    ends = (point[j], cube.low[j] + cube.high[j] - point[j])
    terms = [term(cube.places[j], _token(cube, j, arb_series([r, 1], prec=2)), _exp)
             for r in ends]
    return [a[1] + b[1] for a, b in zip(*terms, strict=True)]


def _gap(cube: Cube, point: list, face: int) -> Any:
    """The difference of the targets of the two inputs, in balls."""
    values = []
    for r in (point, [a + b - p for a, b, p in zip(cube.low, cube.high, point, strict=True)]):
        tokens = {place: tuple(_token(cube, j, r[j])) for j, place in enumerate(cube.places)}
        prefix = [t for _, t in sorted({**tokens, **cube.fixed}.items())]
        values.append(cube.target([*prefix, *cube.probes[face]]))
    return abs(values[0] - values[1])


def _least_product(tokens: list) -> Any:
    products: list[Any] = [sum((a * b for a, b in zip(x, y, strict=True)), 0 * x[0])
                           for k, x in enumerate(tokens) for y in tokens[k:]]
    least = products[0]
    for p in products[1:]:
        least = least.min(p)
    return least


def _ranked(tokens: list, k: int) -> Any:
    """The k-th largest of numbers in balls, by a sorting network of min and max."""
    values = [t[0] for t in tokens]
    for end in range(len(values) - 1, 0, -1):
        for i in range(end):
            values[i], values[i + 1] = values[i].max(values[i + 1]), values[i].min(values[i + 1])
    return values[k - 1]


def _exp(x: Any) -> Any:
    return x.exp()


def _precision() -> Any:
    from flint import ctx
    return ctx.workprec(PRECISION)


__all__ = ["Collision", "Cube", "certificate", "inner_products", "kth_largest", "random_layer"]
