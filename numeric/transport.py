"""How far two laws of tokens are apart: exact optimal transport, Bures, position by position.

Points (n, d), masses (n,) that add up to 1 (uniform by default). Distances, not their powers.
Source: POT solves the transport; the conditional distance is that of arXiv 2501.18322.
"""

import os
import sys
from typing import Any

import numpy as np

from numeric.law import root

MOST = 10**7  # iterations of the network simplex; it stops far earlier on sizes that fit in memory


def wasserstein(x: Any, y: Any, p: float = 2.0, a: Any = None, b: Any = None) -> float:
    """W_p = (min over couplings of int |x - y|^p)^{1/p} between sum a_i x_i and sum b_j y_j.

    Exact up to rounding. Raises ValueError naming the argument, ArithmeticError where the solver
    gives up.
    """
    ot = _pot()
    x, y = _points("x", x), _points("y", y)
    a, b = _masses("a", a, len(x)), _masses("b", b, len(y))
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"transport: y: found {y.shape[1]} coordinates, x has {x.shape[1]}; "
                         "needed as many: correct y")
    if not p >= 1:
        raise ValueError(f"transport: p: found {p}; needed p >= 1: below it is no distance")
    if x.shape[1] == 1:
        return float(np.asarray(ot.wasserstein_1d(x, y, a, b, p)).reshape(())) ** (1 / p)
    square = ((x[:, None, :] - y[None, :, :]) ** 2).sum(-1)
    cost = square if p == 2 else square ** (p / 2)
    value, log = ot.emd2(a, b, cost, numItermax=MOST, log=True)
    if log["warning"]:
        raise ArithmeticError(f"transport: {len(x)} x {len(y)} points: {log['warning']}; needed "
                              "an optimal plan: take fewer points")
    return float(max(value, 0.0)) ** (1 / p)


def bures(S: Any, T: Any) -> float:
    """min over rotations U of |S^{1/2} - T^{1/2} U|_F: the distance of N(0, S) and N(0, T).

    As a norm of a difference it keeps its digits where S and T are close, unlike the traces.
    """
    R, L = root(np.asarray(S, dtype=float)), root(np.asarray(T, dtype=float))
    left, _, right = np.linalg.svd(L.T @ R)
    return float(np.linalg.norm(R - L @ (left @ right)))


def gaussian(mean: Any, S: Any, other: Any, T: Any) -> float:
    """W_2(N(mean, S), N(other, T))."""
    apart = np.asarray(mean, dtype=float) - np.asarray(other, dtype=float)
    return float(np.hypot(np.linalg.norm(apart), bures(S, T)))


def to_normal(x: Any, mean: float, variance: float, a: Any = None) -> float:
    """W_2 between points on the line and N(mean, variance), exactly, by quantiles.

    On the mass cell of x_i the quantiles z of the normal law have mean phi(z_low) - phi(z_high).
    """
    from scipy.special import ndtri

    x = _points("x", x)
    if x.shape[1] != 1:
        raise ValueError(f"transport: x: found {x.shape[1]} coordinates; needed 1: use "
                         "wasserstein against a sample")
    a = _masses("a", a, len(x))
    order = np.argsort(x[:, 0])
    x, a = x[order, 0] - mean, a[order]
    z = ndtri(np.clip(np.concatenate([[0.0], np.cumsum(a)]), 0, 1))
    z[-1] = np.inf
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    sigma = np.sqrt(variance)
    square = a @ x**2 - 2 * sigma * (x @ (density[:-1] - density[1:])) + variance
    return float(np.sqrt(max(square, 0.0)))


def conditional(positions: Any, x: Any, others: Any, y: Any, p: float = 2.0, a: Any = None,
                b: Any = None) -> float:
    """W_{theta,p} = (int W_p(mu_s, nu_s)^p dtheta(s))^{1/p}: positions do not move.

    mu has masses a at (positions (n,), x (n, d)), nu has b at (others, y). Raises ValueError where
    the laws of their positions differ: the distance is then infinite.
    """
    x, y = _points("x", x), _points("y", y)
    a, b = _masses("a", a, len(x)), _masses("b", b, len(y))
    s, t = np.asarray(positions, dtype=float), np.asarray(others, dtype=float)
    if s.shape != (len(x),) or t.shape != (len(y),):
        raise ValueError(f"transport: positions, others: found {s.shape} and {t.shape}; needed "
                         f"({len(x)},) and ({len(y)},): give one for each point")
    total = 0.0
    for place in np.union1d(s, t):
        mine, theirs = s == place, t == place
        mass, other = a[mine].sum(), b[theirs].sum()
        if abs(mass - other) > 1e-9:
            raise ValueError(f"transport: positions, others: found masses {mass:.6g} and "
                             f"{other:.6g} at position {place:g}; needed the same law of positions"
                             " on both sides: the distance is infinite otherwise")
        if mass > 0:
            total += mass * wasserstein(x[mine], y[theirs], p, a[mine] / mass,
                                        b[theirs] / other) ** p
    return total ** (1 / p)


def _pot() -> Any:
    """POT, for NumPy arrays: on its first import it would load every tensor library it finds.

    That costs seconds. A library that the process has loaded already stays available to POT.
    """
    keys = {"torch": "PYTORCH", "jax": "JAX", "cupy": "CUPY", "tensorflow": "TENSORFLOW"}
    absent = [f"POT_BACKEND_DISABLE_{key}" for name, key in keys.items()
              if name not in sys.modules and f"POT_BACKEND_DISABLE_{key}" not in os.environ]
    os.environ.update(dict.fromkeys(absent, "1"))
    try:
        import ot
    finally:
        for key in absent:
            del os.environ[key]
    return ot


def _points(name: str, data: Any) -> np.ndarray:
    points = np.asarray(data, dtype=float)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or 0 in points.shape or not np.isfinite(points).all():
        raise ValueError(f"transport: {name}: found shape {points.shape}; needed finite points "
                         "(n, d), n >= 1: correct them")
    return points


def _masses(name: str, data: Any, n: int) -> np.ndarray:
    if data is None:
        return np.full(n, 1 / n)
    masses = np.asarray(data, dtype=float)
    if masses.shape != (n,) or not (masses >= 0).all() or abs(masses.sum() - 1) > 1e-9:
        raise ValueError(f"transport: {name}: found shape {masses.shape} with sum "
                         f"{masses.sum():.12g}; needed {n} masses >= 0 that add up to 1: divide "
                         "them by their sum")
    return masses
