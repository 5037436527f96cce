"""Which comparison is made in which layer: unit jobs with precedence on layers with few heads.

A job is done by one head, in one of two pools: heads asked by tokens, and heads asked by CLS. A
head serves one job of either pool, as the two kinds of query use different blocks of its Q. Jobs
that another one builds on stand in an earlier layer. Ours; the pools are those of the spec, 4.3.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

TOKEN, CLS = "token", "CLS"
EXACT_JOBS = 12      # beyond, layers are filled greedily and heads are an upper bound
STATES = 20_000


@dataclass(frozen=True)
class Job:
    """A job's number, its pool, and the numbers of the jobs it builds on."""

    id: int
    pool: str
    after: frozenset[int] = frozenset()


def depth(jobs: Sequence[Job]) -> int:
    """The fewest layers in which the jobs can be done with as many heads as they like."""
    return max(heights(jobs).values(), default=1)


def heights(jobs: Sequence[Job]) -> dict[int, int]:
    """The first layer in which each job can stand, from 1."""
    found: dict[int, int] = {}
    rest = list(jobs)
    while rest:
        ready = [j for j in rest if j.after <= found.keys()]
        if not ready:
            raise ValueError("jobs that wait for each other")
        found |= {j.id: 1 + max((found[a] for a in j.after), default=0) for j in ready}
        rest = [j for j in rest if j.id not in found]
    return found


def deadlines(jobs: Sequence[Job], layers: int) -> dict[int, int]:
    """The last layer in which each job can stand so that what waits for it still fits."""
    return {j.id: layers + 1 - _tail(jobs, j) for j in jobs}


def fill(jobs: Sequence[Job], heads: Sequence[int]) -> tuple[dict[int, int], bool]:
    """Layers (from 1) of as many jobs as the heads can do, and whether no choice can do more.

    Exhaustive up to `EXACT_JOBS` jobs; beyond, the jobs that most others wait for come first.
    """
    if len(jobs) <= EXACT_JOBS:
        found = _best(jobs, tuple(heads))
        if found is not None:
            return found, True
    placed: dict[int, int] = {}
    for layer, room in enumerate(heads, 1):
        ready = _ready(jobs, placed)
        for pool in (TOKEN, CLS):
            chosen = sorted((j for j in ready if j.pool == pool), key=lambda j: -_tail(jobs, j))
            placed |= {j.id: layer for j in chosen[:room]}
    return placed, len(placed) == len(jobs)


def fewest_heads(jobs: Sequence[Job], layers: int) -> tuple[tuple[int, ...], bool]:
    """Heads a layer that do all jobs: least in the widest layer, then in all, then early.

    With whether this is the least. Raises ValueError with fewer layers than `depth`.
    """
    if layers < depth(jobs):
        raise ValueError(f"{layers} layers are fewer than {depth(jobs)}")
    if not jobs:
        return (1,) * layers, True
    least = _at_least(jobs, layers)
    if len(jobs) > EXACT_JOBS:
        return _greedily(jobs, layers, least), False
    exact = True
    for heads in _by_size(layers, least, len(jobs)):
        placed, surely = fill(jobs, heads)
        if len(placed) == len(jobs):
            return heads, exact
        exact = exact and surely
    raise ValueError("jobs that wait for each other")


def _by_size(layers: int, least: int, most: int) -> Iterator[tuple[int, ...]]:
    for widest in range(least, most + 1):
        choices = [h for h in product(range(1, widest + 1), repeat=layers) if max(h) == widest]
        yield from sorted(choices, key=lambda h: (sum(h), h))


def _at_least(jobs: Sequence[Job], layers: int) -> int:
    """Heads that the widest layer has at least: jobs of a pool that must share a few layers."""
    first, last = heights(jobs), deadlines(jobs, layers)
    found = 1
    for low, high in combinations(range(1, layers + 2), 2):
        for pool in (TOKEN, CLS):
            inside = sum(j.pool == pool and low <= first[j.id] and last[j.id] < high for j in jobs)
            found = max(found, -(-inside // (high - low)))
    return found


def _greedily(jobs: Sequence[Job], layers: int, least: int) -> tuple[int, ...]:
    """Heads for which filling greedily does everything: the narrowest equal ones, then trimmed."""
    for widest in range(least, len(jobs) + 1):
        placed, _ = fill(jobs, (widest,) * layers)
        if len(placed) == len(jobs):
            return tuple(max(1, *(sum(placed[j.id] == layer and j.pool == pool for j in jobs)
                                  for pool in (TOKEN, CLS))) for layer in range(1, layers + 1))
    raise ValueError("jobs that wait for each other")


def _ready(jobs: Sequence[Job], placed: dict[int, int]) -> list[Job]:
    return [j for j in jobs if j.id not in placed and j.after <= placed.keys()]


def _tail(jobs: Sequence[Job], job: Job) -> int:
    """How many layers of jobs wait for this one, one after another."""
    waiting = [j for j in jobs if job.id in j.after]
    return 1 + max((_tail(jobs, j) for j in waiting), default=0)


def _best(jobs: Sequence[Job], heads: tuple[int, ...]) -> dict[int, int] | None:
    """The fullest schedule by search; None where the search would be too long."""
    seen: dict[tuple[frozenset, int], dict] = {}
    kind = {j.id: (_shape(jobs, j), _kind(jobs, j)) for j in jobs}

    def search(placed: dict[int, int], layer: int) -> dict[int, int] | None:
        if layer > len(heads) or len(placed) == len(jobs):
            return placed
        state = frozenset(placed), layer
        if state not in seen:
            if len(seen) > STATES:
                return None
            best = placed
            for chosen in _choices(_ready(jobs, placed), heads[layer - 1], kind):
                found = search({**placed, **dict.fromkeys(chosen, layer)}, layer + 1)
                if found is None:
                    return None
                best = max(best, found, key=len)
                if len(best) == len(jobs):
                    break
            seen[state] = best
        return seen[state]
    return search({}, 1)


def _kind(jobs: Sequence[Job], job: Job) -> tuple:
    """Two ready jobs of one kind are interchangeable: the same jobs wait for them, up to names."""
    waiting = [j for j in jobs if job.id in j.after]
    return job.pool, tuple(sorted((_kind(jobs, j), tuple(sorted(j.after - {job.id})))
                                  for j in waiting))


def _shape(jobs: Sequence[Job], job: Job) -> tuple:
    """How a job stands among the others, free of their numbers: the order of trying."""
    waiting = [j for j in jobs if job.id in j.after]
    return job.pool, len(job.after), tuple(sorted(_shape(jobs, j) for j in waiting))


def _choices(ready: list[Job], room: int, kind: dict) -> Iterator[tuple[int, ...]]:
    """Which ready jobs a layer does: as many as fit in either pool, one choice of each kind."""
    pools = []
    for pool in (TOKEN, CLS):
        ids = sorted((j.id for j in ready if j.pool == pool), key=lambda i: (kind[i], i))
        unlike: dict[tuple, tuple[int, ...]] = {}
        for chosen in combinations(ids, min(room, len(ids))):
            unlike.setdefault(tuple(kind[i] for i in chosen), chosen)
        pools.append(list(unlike.values()))
    for tokens, cls in product(*pools):
        yield (*tokens, *cls)
