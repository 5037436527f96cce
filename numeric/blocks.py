"""A sum over all keys, a block of queries at a time: memory is block x keys, not queries x keys.

Also the two things every attention variant must know of a key: its mass, and who sees it. Shapes:
queries (..., T, d), keys (..., S, d), masses (S,), positions (T,) and (S,).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device, size

BYTES, FEWEST = 2**20, 16  # of scores at once, to stay in cache; queries, to be worth a product


def over_queries(rows: Callable[[Any, Any], Any], query: Any, keys: int, causal: bool = False,
                 positions: Any = None, block: int | None = None) -> Any:
    """rows(block of queries, mask of the keys each one sees), for all blocks, joined.

    The mask is (block, S), or None where every query sees every key. `causal` is u <= t by index;
    `positions` is a pair (of queries, of keys) and lets a query see what is not after it. `block`
    is the number of queries at a time; by default about 1 MB of scores, or 16 queries.
    """
    xp, total = array_namespace(query), query.shape[-2]
    where = device(query)
    if positions is None and causal:
        positions = (xp.arange(total, device=where), xp.arange(keys, device=where))
    if block is None:
        batch = max(1, (size(query) or 1) // max(1, total * query.shape[-1]))
        block = max(FEWEST, BYTES // (8 * keys * batch))
    parts = []
    for start in range(0, max(total, 1), block):
        stop = min(start + block, total)
        seen = None
        if positions is not None:
            seen = positions[1][None, :] <= positions[0][start:stop, None]
        parts.append(rows(query[..., start:stop, :], seen))
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=-2)


def check(name: str, query: Any, key: Any, weights: Any = None, positions: Any = None) -> None:
    """Raises ValueError, naming the argument, where a forward pass would be meaningless.

    No keys, masses that are negative or do not add up to 1, a query that sees no mass (0/0).
    """
    keys = key.shape[-2]
    if keys == 0:
        raise ValueError(f"{name}: key: found 0 tokens; needed at least one: give the measure "
                         "at least one atom")
    if weights is not None:
        masses = _numbers(weights)
        if masses.shape != (keys,) or not (np.isfinite(masses) & (masses >= 0)).all() or abs(
                masses.sum() - 1) > 1e-9:
            raise ValueError(f"{name}: weights: found shape {masses.shape} with sum "
                             f"{masses.sum():.12g}; needed {keys} masses >= 0 that add up to 1: "
                             "divide them by their sum")
    if positions is not None:
        mine, theirs = (_numbers(p) for p in positions)
        if mine.shape != (query.shape[-2],) or theirs.shape != (keys,):
            raise ValueError(f"{name}: positions: found shapes {mine.shape} and {theirs.shape}; "
                             f"needed ({query.shape[-2]},) and ({keys},): give one for each token")
        carrying = theirs if weights is None else theirs[_numbers(weights) > 0]
        if not (np.isfinite(mine).all() and np.isfinite(theirs).all()):
            raise ValueError(f"{name}: positions: found nan or inf; needed finite numbers: "
                             "remove those tokens")
        if mine.size and mine.min() < carrying.min():
            raise ValueError(f"{name}: positions: a query at {mine.min():g} sees no mass, as the "
                             f"first key with mass is at {carrying.min():g}: its average is 0/0; "
                             "needed a sink: a key with mass at the first position")


def _numbers(data: Any) -> np.ndarray:
    """The data as NumPy floats, to be looked at; torch lets go of gradients and devices first."""
    data = data.detach().cpu() if hasattr(data, "detach") else data
    return np.asarray(data, dtype=float)


def exponential(x: Any, top: Any = 0.0) -> Any:
    """exp(x - top), written over x where that saves memory (NumPy): x must be the caller's own."""
    if isinstance(x, np.ndarray):
        np.subtract(x, top, out=x)
        return np.exp(x, out=x)
    return array_namespace(x).exp(x - top)


def masses(weights: Any, seen: Any, like: Any) -> Any:
    """Masses of the keys seen, (..., S) rows that add up to 1: the conditional law of a query.

    Uniform where `weights` is None. Shapes broadcast against the scores `like` (..., block, S).
    """
    xp = array_namespace(like)
    keys = like.shape[-1]
    if weights is None:
        row = xp.full((1, keys), 1 / keys, dtype=like.dtype, device=device(like))
    else:
        row = xp.astype(weights, like.dtype)[None, :]
    if seen is None:
        return row
    row = xp.where(seen, row, xp.zeros_like(row))
    return row / xp.sum(row, axis=-1, keepdims=True)
