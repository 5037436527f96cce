"""One attention layer on one sequence, exactly: hardmax with its ties, or uniform where A = 0.

A sequence is a table {place of a token: how often it occurs}: equal tokens attend alike, so each
is looked at once, but the mean counts repetitions.
"""

from collections.abc import Iterable, Mapping, Sequence

from numeric.interpolant.exact import Number, Vector, added, dot, gram, scaled
from numeric.interpolant.layers import SA

Counts = Mapping[int, int]
Points = Sequence[Vector]


def hard(sa: SA, points: Points, counts: Counts) -> dict[int, Vector]:
    """The image of each token of the sequence, exactly: weights are equal over all maximisers."""
    values: dict[tuple, Vector] = {}

    def value(best: tuple[int, ...]) -> Vector:
        """V times the mean of the tokens at these places."""
        if best not in values:
            values[best] = sa.V(mean(points, {k: counts[k] for k in best}))
        return values[best]
    out = {}
    for k, best in _maximisers(sa, points, tuple(counts)):
        shift = value(best)
        out[k] = shift if not sa.rho else added(shift, sa.rho, points[k])
    return out


def mean(points: Points, counts: Counts) -> Vector:
    """The mean of tokens, each as often as it occurs."""
    if len(counts) == 1:
        return points[next(iter(counts))]
    total = sum(counts.values())
    columns = zip(*(points[k] if n == 1 else scaled(n, points[k]) for k, n in counts.items()),
                  strict=True)
    return tuple(sum(column[1:], column[0]) / total for column in columns)


def _maximisers(sa: SA, points: Points, places: tuple[int, ...]
                ) -> Iterable[tuple[int, tuple[int, ...]]]:
    """(token, places of the maximisers of its score), for each token of the sequence."""
    if not sa.A.scale:
        return zip(places, _by_sign(sa, points, places), strict=True)
    columns = [points[k] for k in places]
    rows, _ = gram([sa.A(x) for x in columns], columns)
    return zip(places, (tuple(places[i] for i in _largest(row)) for row in rows), strict=True)


def _largest(row: Sequence[Number]) -> list[int]:
    """The places of all maximisers."""
    best = max(row)
    found = [row.index(best)]
    for _ in range(row.count(best) - 1):
        found.append(row.index(best, found[-1] + 1))
    return found


def _by_sign(sa: SA, points: Points, places: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """Maximisers of <q, x_i><p, x_l>: the largest <p, .>, the smallest, or all, by a sign."""
    if not sa.A.left:
        return (places for _ in places)
    p, q = sa.A.left, sa.A.right
    line = [dot(p, points[k]) for k in places]
    signs = line if p == q else [dot(q, points[k]) for k in places]
    most, least = max(line), min(line)
    top = tuple(k for k, t in zip(places, line, strict=True) if t == most)
    bottom = tuple(k for k, t in zip(places, line, strict=True) if t == least)
    return (top if s > 0 else bottom if s < 0 else places for s in signs)
