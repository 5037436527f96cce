"""Gaussian laws N(mean, S) of tokens: what is checked, what is kept, how they are recorded.

S may be singular everywhere. Shapes: mean (d,), S (d, d).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric.model import Model

ASYMMETRY = 1e-12  # relative; what rounding makes of a symmetric matrix, and no more


@dataclass(frozen=True)
class Trajectory:
    """Laws N(means[i], covariances[i]) at times[i], never infinite; how the run ended.

    `status` is "reached" (the horizon), "blow_up" (at about `blow_up`), "settled" or "failed"
    (`note` says why). `means` is None where only the covariance is known (closed forms).
    """

    times: np.ndarray
    means: np.ndarray | None
    covariances: np.ndarray
    status: str
    blow_up: float | None = None
    note: str = ""


def checked_law(model: Model, mean: Any, S: Any) -> tuple[np.ndarray, np.ndarray]:
    """The mean (d,) and covariance (d, d) of a Gaussian law, as floats; S may be singular.

    Raises ValueError naming the argument: shapes, nan or inf, S not symmetric to 1e-12 (it is
    not symmetrised in silence) or with an eigenvalue below -1e-12 |S|.
    """
    d = model.d
    mean = np.zeros(d) if mean is None else np.atleast_1d(np.asarray(mean, dtype=float))
    S = np.asarray(S, dtype=float)
    S = S.reshape(1, 1) if S.ndim == 0 else S
    if mean.shape != (d,) or not np.isfinite(mean).all():
        raise ValueError(f"gaussian: mean: found shape {mean.shape}"
                         f"{'' if np.isfinite(mean).all() else ' with nan or inf'}; needed {d} "
                         f"finite numbers, as Q reads d = {d} coordinates: correct mean or Q")
    if S.shape != (d, d) or not np.isfinite(S).all():
        raise ValueError(f"gaussian: S: found shape {S.shape}"
                         f"{'' if np.isfinite(S).all() else ' with nan or inf'}; needed finite "
                         f"({d}, {d}), as Q reads d = {d} coordinates: correct S or Q")
    size = np.abs(S).max()
    if np.abs(S - S.T).max() > ASYMMETRY * size:
        raise ValueError(f"gaussian: S: found an asymmetry of {np.abs(S - S.T).max():.2e}; needed "
                         "a symmetric matrix to 1e-12: pass (S + S.T)/2 if that is what is meant")
    least = np.linalg.eigvalsh(S)[0]
    if least < -ASYMMETRY * np.linalg.norm(S, 2):
        raise ValueError(f"gaussian: S: found the eigenvalue {least:.6g}; needed none below 0, as "
                         "S is a covariance: correct S")
    return mean, (S + S.T) / 2


def conditional(S: Any, Q: Any) -> np.ndarray:
    """The covariance of x given Qx, S - S Q'(Q S Q')^+ Q S; for heads their stacked Q.

    Constant along the flow of every closed variant with constant Q (K and V are free).
    """
    S, Q = np.asarray(S, dtype=float), np.asarray(Q, dtype=float)
    QS = Q.reshape(-1, S.shape[0]) @ S
    middle = np.linalg.pinv(QS @ Q.reshape(-1, S.shape[0]).T, hermitian=True)
    return S - QS.T @ middle @ QS


def root(S: np.ndarray) -> np.ndarray:
    """The symmetric square root of S >= 0; eigenvalues below 0 by rounding count as 0."""
    w, U = np.linalg.eigh(S)
    return (U * np.sqrt(np.maximum(w, 0))) @ U.T
