"""How few blocks does training need where a construction says how many are enough?

Trained are L softmax blocks, FF before SA as in the theorems, with the width of the constructions;
the loss vanishes exactly where the outputs are the targets as sets. Training never becomes exact:
a sequence counts as solved within a share of the size of the targets.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from numeric.interpolant.build import build
from numeric.interpolant.counts import bound, counted, most
from numeric.interpolant.data import Dataset, dataset
from numeric.interpolant.exact import ratio, text
from numeric.interpolant.layers import entries, width
from numeric.interpolant.resnet import feasible
from numeric.train import Budget, Fitted, fit, torch_or_why
from numeric.trained import block

WIDTH = 4                   # neurons of a block, as in every construction
GRID = 16                   # random coordinates are whole multiples of 1/GRID in [-1, 1]
LARGEST = 1000              # coordinate that training is given
SHARE = 0.05                # of the targets' diameter, within which a sequence is solved
TRIANGLE = (([(0, 0), (1, 0)], [(5, 5)]), ([(1, 0), (0, 1)], [(-1, 2), (3, 3)]),
            ([(0, 0), (0, 1)], [(5, 5)]))


@dataclass(frozen=True)
class Batch:
    """A dataset in float64 on one grid: tokens (N, n, d), targets (N, m, d), and which tokens are
    there (N, n). Targets are filled up by repeating the first, which changes no set."""

    tokens: np.ndarray
    targets: np.ndarray
    there: np.ndarray

    @property
    def size(self) -> float:
        """The diameter of all targets together; 1 where that is 0."""
        y = self.targets.reshape(-1, self.targets.shape[-1])
        return float(np.linalg.norm(y[:, None] - y[None], axis=2).max()) or 1.0


def random(N: int, n: int, m: int, pool: int, d: int, seed: int) -> Dataset:
    """N sequences of n tokens out of a pool of common ones, m targets each, all drawn from a grid.

    Raises ValueError where there are not so many different sequences, or m > n.
    """
    from math import comb
    if not 1 <= m <= n <= pool or N < 1 or d < 1 or comb(pool, n) // 2 + 1 < N:
        raise ValueError(f"found {N} sequences of {n} out of {pool} tokens, {m} targets each, "
                         f"d = {d}; needed m <= n <= pool and sequences that can differ: take a "
                         "larger pool or fewer sequences")
    if pool > (2 * GRID + 1) ** d // 2:
        raise ValueError(f"found a pool of {pool} tokens in dimension {d}; needed at most "
                         f"{(2 * GRID + 1) ** d // 2}")
    rng = np.random.default_rng([23, seed])
    points = _distinct(rng, pool, d)
    pairs: dict[tuple, list] = {}
    while len(pairs) < N:
        chosen = tuple(sorted(rng.choice(pool, n, replace=False).tolist()))
        pairs.setdefault(chosen, _distinct(rng, m, d))
    return dataset([([points[k] for k in X], Y) for X, Y in pairs.items()])


def _distinct(rng: np.random.Generator, count: int, d: int) -> list[tuple[Fraction, ...]]:
    found: dict[tuple, None] = {}
    while len(found) < count:
        point = rng.integers(-GRID, GRID + 1, d).tolist()
        found[tuple(Fraction(c, GRID) for c in point)] = None
    return list(found)


def batch(data: Dataset) -> Batch:
    """The dataset as floats, rounded; sequences of other lengths are filled up.

    Raises ValueError for coordinates beyond LARGEST, which gradient descent cannot reach.
    """
    most = max(abs(c) for side in (data.inputs, data.outputs) for X in side for x in X for c in x)
    if most > LARGEST:
        raise ValueError(f"training: found a coordinate of size {text(most)[:40]}; needed at most "
                         f"{LARGEST}, as training starts near 1: rescale the data")
    n = max(len(X) for X in data.inputs)
    m = max(len(Y) for Y in data.outputs)

    def grid(points: Sequence, length: int) -> list:
        rows = [[int(c.numerator) / int(c.denominator) for c in x] for x in points]
        return rows + rows[:1] * (length - len(rows))
    return Batch(np.array([grid(X, n) for X in data.inputs]),
                 np.array([grid(Y, m) for Y in data.outputs]),
                 np.array([[i < len(X) for i in range(n)] for X in data.inputs]))


def initial(L: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """L blocks (L, P) near the identity, the nearer the more there are."""
    near = 0.5 / L**0.5
    return np.stack([block.joined({
        "left": rng.normal(0, 1, d), "right": rng.normal(0, 1, d),
        "V": near * rng.normal(0, 1, (d, d)), "rho": 1, "eta": 1,
        "W": near * rng.normal(0, 1, (WIDTH, d)), "U": rng.normal(0, 1, (WIDTH, d)),
        "b": rng.uniform(-1, 1, WIDTH)}, d, WIDTH) for _ in range(L)])


def forward(theta: Any, x: Any, unseen: Any, torch: Any) -> Any:
    """Sequences (N, n, d) through the blocks theta (L, P)."""
    for one in theta:
        p = block.parts(one, x.shape[-1], WIDTH)
        x = block.attend(p, block.feed(p, x, torch), torch, unseen)
    return x


def distances(out: Any, batch: tuple, torch: Any) -> tuple[Any, Any]:
    """Squared distances of each output from its nearest target (N, n), 0 where there is no token,
    and of each target from its nearest output (N, m)."""
    _, y, there, _ = batch
    apart = ((out[:, :, None, :] - y[:, None, :, :]) ** 2).sum(-1)
    return (torch.where(there, apart.min(2).values, 0.0),
            torch.where(there[:, :, None], apart, torch.inf).min(1).values)


def train(data: Dataset, L: int, seed: int, budget: Budget, **options: Any) -> Fitted:
    """L blocks trained on a whole dataset; options are those of `numeric.train.fit`.

    Raises Absent without torch.
    """
    torch = torch_or_why()
    held = _tensors(batch(data), torch)

    def loss(parameters: dict, held: tuple) -> Any:
        there = held[2]
        near, covered = distances(forward(parameters["theta"], held[0], held[3], torch), held,
                                  torch)
        return (near.sum(1) / there.sum(1)).mean() + covered.mean()
    start = {"theta": initial(L, data.d, np.random.default_rng([29, seed, L]))}
    return fit(start, loss, lambda step: held, budget, **options)


def errors(data: Dataset, theta: np.ndarray) -> list[float]:
    """The Hausdorff distance of outputs and targets of each sequence."""
    torch = torch_or_why()
    held = _tensors(batch(data), torch)
    with torch.no_grad():
        near, covered = distances(forward(torch.tensor(theta), held[0], held[3], torch), held,
                                  torch)
        return torch.maximum(near.max(1).values, covered.max(1).values).sqrt().tolist()


def _tensors(found: Batch, torch: Any) -> tuple:
    there = torch.tensor(found.there)
    unseen = torch.where(there, 0.0, -torch.inf)[:, None, :].to(torch.float64)
    return torch.tensor(found.tokens), torch.tensor(found.targets), there, unseen


def known(data: Dataset) -> dict:
    """What is known of a dataset without training: what each construction takes (blocks,
    parameters, log10 of |theta|^2), its most for any such dataset, the bound of the paper, and
    whether some map without attention serves."""
    names = ("uniform", "clustering", "softmax") if data.d > 1 else ("uniform",)
    built = {}
    for name in names:
        network = build(data, name).network
        found = counted(network)
        built[name] = {"L": found.L, "P": found.P, "width": width(network),
                       "log10 norm^2": log_norm(entry for one in network.blocks
                                                for entry in entries(one)),
                       "most": most(name, data.N, data.M), "bound": bound(name, data.N, data.M)}
    return {"N": data.N, "M": data.M, "d": data.d, "c": data.c, "T": data.T, "built": built,
            "without attention": (found := feasible(data)).possible, "why": found.why}


def log_norm(numbers: Iterable[Any]) -> float:
    """log10 of the sum of squares of exact numbers, however large."""
    from flint import arb, fmpq
    total = sum((fmpq(*ratio(x)) ** 2 for x in numbers), fmpq(0))
    return float((arb(total).log() / arb(10).log()).mid())


def outcome(data: Dataset, fitted: Fitted) -> dict:
    """What training made: Hausdorff errors, the share of sequences solved, |theta|^2."""
    theta = fitted.parameters["theta"]
    found = errors(data, theta)
    limit = SHARE * batch(data).size
    return {"errors": found, "solved": sum(e <= limit for e in found) / len(found),
            "within": limit, "loss": fitted.curve[-1][1] if fitted.curve else None,
            "norm^2": float((theta**2).sum()), "P": int(theta.size), "seconds": fitted.seconds,
            "note": fitted.note}
