"""Random small datasets for interpolation, of every kind that is nasty for some construction."""

import random
from collections.abc import Callable
from fractions import Fraction

Pairs = list[tuple[list, list]]
TINY, HUGE = Fraction(1, 10**30), 10**30


def draw(seed: object) -> tuple[str, Pairs]:
    """(kind, pairs) of one random valid dataset, the same for the same seed."""
    rng = random.Random(f"dataset {seed}")
    kind = rng.choice(list(KINDS))
    d = rng.choice((1, 2, 3, 5))
    sequences = KINDS[kind](rng, d)
    return f"{kind} d={d}", [(X, _outputs(rng, d, X)) for X in _distinct(sequences)]


def _distinct(sequences: list[list]) -> list[list]:
    return list({frozenset(X): X for X in sequences}.values())


def _outputs(rng: random.Random, d: int, X: list) -> list:
    """Targets: m = 1, m = n or between; inputs themselves, small, or as large as 1e12."""
    m = rng.choice((1, len(X), rng.randint(1, len(X))))
    style = rng.choice(("inputs", "small", "large", "fractions"))
    if style == "inputs":
        return rng.sample(X, m)
    found: dict = {}
    while len(found) < m:
        size = {"small": 8, "large": 10**12, "fractions": 50}[style]
        y = tuple(Fraction(rng.randint(-size, size), rng.randint(1, 9) if style == "fractions"
                           else 1) for _ in range(d))
        found[y] = None
    return list(found)


def _pool(rng: random.Random, d: int, size: int, step: Fraction = Fraction(1)) -> list:
    """Distinct tokens on a small grid, so that projections and means coincide often."""
    found: dict = {}
    while len(found) < size:
        found[tuple(step * rng.randint(-6, 6) for _ in range(d))] = None
    return list(found)


def shared(rng: random.Random, d: int) -> list[list]:
    """Subsets of a small pool."""
    pool = _pool(rng, d, rng.randint(2, 12))
    return [rng.sample(pool, rng.randint(1, min(7, len(pool)))) for _ in range(rng.randint(1, 9))]


def disjoint(rng: random.Random, d: int) -> list[list]:
    """Sequences that share no token: nothing to separate."""
    pool = _pool(rng, d, rng.randint(2, 12))
    cuts = sorted(rng.sample(range(1, len(pool)), rng.randint(0, min(5, len(pool) - 1))))
    return [pool[a:b] for a, b in zip([0, *cuts], [*cuts, len(pool)], strict=True)]


def means(rng: random.Random, d: int) -> list[list]:
    """Pairs x, -x about one centre: all means are equal; some with the centre itself."""
    centre = tuple(rng.randint(-3, 3) for _ in range(d))
    found = []
    for offset in _pool(rng, d, rng.randint(2, 8)):
        pair = [tuple(c + s * x for c, x in zip(centre, offset, strict=True)) for s in (1, -1)]
        found.append(list(dict.fromkeys(pair)) + ([centre] if any(offset) and rng.random() < .3
                                                  else []))
    return found


def places(rng: random.Random, d: int) -> list[list]:
    """Mean-tied pairs far from each other: each tie needs a kink of its own."""
    found = []
    for k in range(rng.randint(1, 4)):
        far = (100 * k, *(0 for _ in range(d - 1)))
        for size in (1, 2):
            found.append([tuple(a + s * size * (i == 0) for i, a in enumerate(far))
                          for s in (1, -1)])
    return found


def chain(rng: random.Random, d: int) -> list[list]:
    """Nested sequences, each one token longer."""
    pool = _pool(rng, d, rng.randint(2, 8))
    return [pool[:k + 1] for k in range(len(pool))]


def singles(rng: random.Random, d: int) -> list[list]:
    """Sequences of one token."""
    return [[x] for x in _pool(rng, d, rng.randint(1, 8))]


def subsets(rng: random.Random, d: int) -> list[list]:
    """All non-empty subsets of up to four tokens on a line."""
    way = tuple(rng.randint(1, 3) for _ in range(d))
    tokens = [tuple(t * w for w in way) for t in rng.sample(range(-5, 6), rng.randint(2, 4))]
    return [[x for k, x in enumerate(tokens) if mask >> k & 1]
            for mask in range(1, 1 << len(tokens))]


def close(rng: random.Random, d: int) -> list[list]:
    """Tokens 1e-30 apart."""
    centre = tuple(rng.randint(-2, 2) for _ in range(d))
    pool = [tuple(c + x for c, x in zip(centre, y, strict=True))
            for y in _pool(rng, d, rng.randint(2, 8), TINY)]
    return [rng.sample(pool, rng.randint(1, min(5, len(pool)))) for _ in range(rng.randint(1, 6))]


def huge(rng: random.Random, d: int) -> list[list]:
    """Coordinates up to 1e30 over denominators up to 1e6."""
    pool = [tuple(Fraction(rng.randint(-HUGE, HUGE), rng.randint(1, 10**6)) for _ in range(d))
            for _ in range(rng.randint(2, 8))]
    return [rng.sample(pool, rng.randint(1, min(5, len(pool)))) for _ in range(rng.randint(1, 6))]


def mixed(rng: random.Random, d: int) -> list[list]:
    """1e30 and 1e-30 in one sequence."""
    return [a + b for a, b in zip(huge(rng, d), close(rng, d), strict=False)]


KINDS: dict[str, Callable[[random.Random, int], list[list]]] = {
    f.__name__: f for f in (shared, disjoint, means, places, chain, singles, subsets, close, huge,
                            mixed)}
