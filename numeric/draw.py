"""Drawing one cell: a number between its bounds, a matrix with its flags, a root of equations."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

LINE = np.array([1.0, 2.0, 4.0, -3.0])      # where a fact is tried to see whether it is affine


def number(rng: np.random.Generator, low: float = -np.inf, high: float = np.inf,
           corner: bool = False) -> float:
    """A real number inside (low, high): uniform, exponential beyond one end, normal on the line.

    In a corner, one of the finite ends in two draws of three.
    """
    ends = [end for end in (low, high) if np.isfinite(end)]
    if corner and ends and rng.random() < 2 / 3:
        return float(rng.choice(ends))
    if np.isfinite(low) and np.isfinite(high):
        return float(rng.uniform(low, high)) if high > low else float(low)
    if np.isfinite(low):
        return float(low + rng.exponential(1.2))
    if np.isfinite(high):
        return float(high - rng.exponential(1.2))
    return float(rng.normal(scale=1.5))


def integer(rng: np.random.Generator, low: float, high: float, is_size: bool) -> int | None:
    """A whole number: a size from 1 to 5 (or just above its bound), else within five of a bound.

    The least one, where claims like to break, comes more often. None when there is none between
    the bounds.
    """
    low, high = np.ceil(low - 1e-9), np.floor(high + 1e-9)
    if is_size:
        low = max(low, 1.0)
        high = min(high, max(5.0, low + 2))
    elif np.isfinite(low) or np.isfinite(high):
        low, high = (max(low, high - 4) if np.isfinite(high) else low,
                     min(high, low + 4) if np.isfinite(low) else high)
    else:
        low, high = -2.0, 4.0
    if low > high:
        return None
    return int(low) if rng.random() < 0.2 else int(rng.integers(int(low), int(high) + 1))


def matrix(rng: np.random.Generator, rows: int, cols: int, flags: Sequence[str]) -> np.ndarray:
    """A random matrix with flags of symmetric, psd, pd, invertible, orthogonal."""
    free = rng.normal(size=(rows, cols))
    if "orthogonal" in flags:
        q, r = np.linalg.qr(free)
        return q * np.sign(np.diag(r))
    if "pd" in flags:
        return free @ free.T / rows + rng.uniform(0.2, 1.0) * np.eye(rows)
    if "psd" in flags:
        rank = int(rng.integers(1, rows + 1))
        return free[:, :rank] @ free[:, :rank].T / rank
    if "symmetric" in flags:
        free = (free + free.T) / 2
    while "invertible" in flags and np.linalg.cond(free) > 50:
        free = free + rng.normal(size=free.shape)
        free = (free + free.T) / 2 if "symmetric" in flags else free
    return free


def has_flags(value: np.ndarray, flags: Sequence[str]) -> bool:
    """Whether a matrix keeps its flags, with margins well above rounding."""
    if not np.all(np.isfinite(value)):
        return False
    scale = 1 + np.abs(value).max(initial=0.0)
    if set(flags) & {"symmetric", "psd", "pd"} and np.abs(value - value.T).max() > 1e-9 * scale:
        return False
    least = np.linalg.eigvalsh((value + value.T) / 2).min() if set(flags) & {"psd", "pd"} else 1.0
    if ("pd" in flags and least < 1e-6) or ("psd" in flags and least < -1e-10 * scale):
        return False
    if "invertible" in flags and np.linalg.cond(value) > 1e8:
        return False
    return "orthogonal" not in flags or np.allclose(value @ value.T, np.eye(len(value)),
                                                    atol=1e-9)


def affine(values: Sequence[float]) -> tuple[float, float] | None:
    """Intercept and slope of a function that took these values on LINE, or None."""
    if not np.all(np.isfinite(values)):
        return None
    slope = values[1] - values[0]
    start = values[0] - slope
    fits = np.abs(start + slope * LINE - np.asarray(values))
    return (start, slope) if fits.max() <= 1e-9 * (1 + np.abs(values).max()) else None


def roots(f: Callable[[float], float], rng: np.random.Generator, low: float,
          high: float) -> list[float]:
    """Roots of f between two ends (a window of 16 where they are infinite), in random order."""
    from scipy.optimize import brentq

    low = low if np.isfinite(low) else (high - 16 if np.isfinite(high) else -8.0)
    high = high if np.isfinite(high) else low + 16
    grid = np.linspace(low, high, 97) + 1e-3 * (high - low) / 97 * rng.uniform()
    values = [f(x) for x in grid]
    found = [x for x, v in zip(grid, values, strict=True) if v == 0]
    for a, b, p, q in zip(grid, grid[1:], values, values[1:], strict=False):
        if p * q < 0:
            root: Any = brentq(f, a, b, xtol=1e-15)
            if abs(f(root)) <= 1e-9 * (1 + abs(p) + abs(q)):
                found.append(float(root))
    return [float(x) for x in rng.permutation(found)]


def solve(f: Callable[[np.ndarray], np.ndarray], start: np.ndarray,
          steps: int = 40) -> np.ndarray | None:
    """The solution of f = 0 nearest to a start by Gauss-Newton with halved steps, or None.

    Affine equations, under-determined ones too, are solved in two or three steps.
    """
    x, value = start, f(start)
    for _ in range(steps):
        if not np.all(np.isfinite(value)):
            return None
        if np.abs(value).max(initial=0.0) <= 1e-13:
            return x
        move = -np.linalg.pinv(_jacobian(f, x), rcond=1e-9) @ value
        for shrink in (1.0, 0.5, 0.25, 0.1):
            trial = f(x + shrink * move)
            if np.linalg.norm(trial) < np.linalg.norm(value):
                x, value = x + shrink * move, trial
                break
        else:
            break
    return x if np.abs(value).max(initial=0.0) <= 1e-10 * (1 + np.abs(x).max()) else None


def _jacobian(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    columns = []
    for k in range(len(x)):
        h = 1e-4 * (1 + abs(x[k])) * np.eye(len(x))[k]
        columns.append((f(x + h) - f(x - h)) / (2 * h[k]))
    return np.array(columns).T if columns else np.zeros((0, 0))


def unpack(cell: Any, flags: Sequence[str]) -> np.ndarray:
    """The free real parameters of a number, a complex number or a matrix."""
    if isinstance(cell, np.ndarray):
        if set(flags) & {"symmetric", "psd", "pd"}:
            return cell[np.triu_indices(len(cell))].copy()
        return cell.ravel().copy()
    if isinstance(cell, complex):
        return np.array([cell.real, cell.imag])
    return np.array([float(cell)])


def pack(parameters: np.ndarray, like: Any, flags: Sequence[str]) -> Any:
    """The number or matrix that has these parameters; inverse of `unpack`."""
    if isinstance(like, np.ndarray):
        if set(flags) & {"symmetric", "psd", "pd"}:
            out = np.zeros_like(like)
            out[np.triu_indices(len(like))] = parameters
            return np.triu(out) + np.triu(out, 1).T
        return parameters.reshape(like.shape)
    if isinstance(like, complex):
        return np.complex128(complex(*parameters))
    return np.float64(parameters[0])
