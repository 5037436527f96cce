"""Gaussians stay Gaussian under an affine field: m' = b, S' = BS + SB'.

For softmax, L2, linear, Sinkhorn and multi-head attention Gamma(x) = b + B(x - mean) on N(mean, S),
without an inverse of S: singular covariances are as good as any. Shapes: mean (d,), S (d, d).
Source: Castin, Ablin, Carrillo, Peyré, arXiv 2501.18322; the forms for singular S and the conserved
conditional covariance are ours.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric.closed import closed
from numeric.law import Trajectory, checked_law, conditional, root
from numeric.model import CLOSED, Model, at, checked_times, score
from numeric.solve import solve

__all__ = ["Trajectory", "closed", "conditional", "coupling", "integrate", "rates", "velocity"]


def velocity(model: Model, mean: Any, S: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """b (d,) and B (d, d) with Gamma(x) = b + B(x - mean) on the law N(mean, S).

    Raises ValueError naming the argument, and for variants whose field is not affine.
    """
    _closed(model)
    model, law = at(model, t), checked_law(model, mean, S)
    return FIELDS[model.variant](model, score(model), *law)


def rates(model: Model, mean: Any, S: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """The rates m' = b and S' = BS + SB' of the mean and the covariance."""
    mean, S = checked_law(model, mean, S)
    b, B = velocity(model, mean, S, t)
    return b, B @ S + S @ B.T


def integrate(model: Model, mean: Any, S: Any, horizon: float, samples: int | Any = 101, *,
              method: str = "DOP853", rtol: float = 1e-10, settle: float | None = None,
              watch: Callable[[float], Any] | None = None) -> Trajectory:
    """The laws at `samples` times from 0 to the horizon (a number of times, or they themselves).

    DOP853 by default; `method="LSODA"` for long horizons. `settle` ends the run once the rate is
    below settle times the state. `watch` is called with the times visited (for a progress bar).
    Raises ValueError naming the argument.
    """
    _closed(model)
    mean, S = checked_law(model, mean, S)
    times, d = checked_times("integrate", horizon, samples), len(mean)
    field, A = FIELDS[model.variant], score(model) if model.constant else None

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        C = y[d:].reshape(d, d)
        C = (C + C.T) / 2
        now = model if A is not None else at(model, t)
        b, B = field(now, score(now) if A is None else A, y[:d], C)
        D = B @ C
        return np.concatenate([b, (D + D.T).ravel()])

    def size(y: np.ndarray) -> float:
        return float(np.trace(y[d:].reshape(d, d)) + y[:d] @ y[:d])
    run = solve(rate, np.concatenate([mean, S.ravel()]), times, size, method=method, rtol=rtol,
                settle=settle, watch=watch)
    C = run.states[:, d:].reshape(-1, d, d)
    return Trajectory(run.times, run.states[:, :d], (C + C.transpose(0, 2, 1)) / 2, run.status,
                      run.blow_up, run.note)


def coupling(A: Any, S: Any, eps: float = 1.0) -> np.ndarray:
    """The T >= 0 with T A'S A T + eps T = S; Sinkhorn's cross-covariance is then C = T A'S.

    T = R X R with R = S^{1/2} and X = 2 (eps + (eps^2 + 4 R A'S A R)^{1/2})^{-1}.
    """
    R = root(S)
    w, U = np.linalg.eigh(R @ A.T @ S @ A @ R)
    X = (U * (2 / (eps + np.sqrt(eps**2 + 4 * np.maximum(w, 0))))) @ U.T
    return R @ X @ R


def _closed(model: Model) -> None:
    if model.variant not in CLOSED:
        raise ValueError(f"gaussian: variant: found {model.variant!r}, under which a Gaussian does "
                         f"not stay one; needed one of {', '.join(CLOSED)}: use particles "
                         "(numeric.flow)")


def _softmax(model: Model, A: np.ndarray, mean: np.ndarray, S: np.ndarray) -> tuple:
    B = model.V @ S @ A
    return model.V @ mean + B @ mean, B


def _l2(model: Model, A: np.ndarray, mean: np.ndarray, S: np.ndarray) -> tuple:
    """The tilted law has covariance P = (S^{-1} + 2K'K)^{-1} = (1 + 2 S K'K)^{-1} S."""
    tilt = np.eye(len(S)) + 2 * S @ model.K.T @ model.K
    solved = np.linalg.solve(tilt, np.column_stack([S, mean + 2 * S @ A @ mean]))
    return model.V @ solved[:, -1], 2 * model.V @ solved[:, :-1] @ A


def _linear(model: Model, A: np.ndarray, mean: np.ndarray, S: np.ndarray) -> tuple:
    B = model.V @ (S + np.outer(mean, mean)) @ A
    return B @ mean, B


def _sinkhorn(model: Model, A: np.ndarray, mean: np.ndarray, S: np.ndarray) -> tuple:
    """Of y given x the mean moves by S_y A/eps, S_y = eps T its covariance, T made with A'."""
    return model.V @ mean, model.V @ coupling(A.T, S, model.eps) @ A


def _multihead(model: Model, A: np.ndarray, mean: np.ndarray, S: np.ndarray) -> tuple:
    B = (model.V @ S @ A).sum(0)
    return (model.V @ mean).sum(0) + B @ mean, B


FIELDS = {"softmax": _softmax, "l2": _l2, "linear": _linear, "sinkhorn": _sinkhorn,
          "multihead": _multihead}
