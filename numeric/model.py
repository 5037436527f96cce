"""Tokens attend by scores <Qx, Ky> = <Ax, y>, A = K'Q, and move by values Vy.

What is simulated, and the checks of what a user hands in. Every error names the argument.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj

CLOSED = ("softmax", "l2", "linear", "sinkhorn", "multihead")  # Gaussians stay Gaussian
VARIANTS = (*CLOSED, "sigmoid", "hardmax")


@dataclass(frozen=True, eq=False)
class Model:
    """An attention variant with Q, K (k, d) and V (d, d); no scale 1/sqrt(k) is applied.

    For `multihead` they carry a first axis of heads, Q, K (H, k, d) and V (H, d, d), where V[h]
    stands for W_h V_h. Each may be a function of time. `eps` is Sinkhorn's, without a prefactor
    1/eps. Raises ValueError naming the argument for shapes that do not fit and for nan or inf.
    """

    variant: str
    Q: Any
    K: Any
    V: Any
    eps: float = 1.0

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"Model: variant: found {self.variant!r}; needed one of "
                             f"{', '.join(VARIANTS)}: correct the name")
        if not (isinstance(self.eps, int | float) and 0 < self.eps < float("inf")):
            raise ValueError(f"Model: eps: found {self.eps!r}; needed a finite number > 0: for "
                             "the limit eps -> 0 use hardmax")
        for name in "QKV":
            given = getattr(self, name)
            if not callable(given):
                object.__setattr__(self, name, _matrix(name, given))
        still = at(self, 0.0)
        if self.variant == "multihead":
            _stacked(still)
        _shapes(still)

    @property
    def d(self) -> int:
        """The number of coordinates of a token."""
        return at(self, 0.0).Q.shape[-1]

    @property
    def constant(self) -> bool:
        """Whether Q, K and V are the same at all times."""
        return not any(callable(getattr(self, name)) for name in "QKV")


def by_score(variant: str, A: Any, V: Any, eps: float = 1.0) -> Model:
    """The model with the score <Ax, y>: Q = A and K = 1.

    Raises ValueError for l2, whose weight depends on Q and K and not on A = K'Q alone.
    """
    if variant == "l2":
        raise ValueError("by_score: variant: found 'l2', whose weight e^{-|Qx - Ky|^2} needs Q "
                         "and K, not A = K'Q alone: give Q and K")
    A = _matrix("A", A)
    one = np.eye(A.shape[-1])
    return Model(variant, A, np.broadcast_to(one, (*A.shape[:-2], *one.shape)), V, eps)


def at(model: Model, t: float) -> Model:
    """The model with its matrices at time t; itself where none depends on time."""
    moving = {name: _matrix(name, getattr(model, name)(t)) for name in "QKV"
              if callable(getattr(model, name))}
    return replace(model, **moving) if moving else model


def score(model: Model) -> Any:
    """A = K'Q (d, d), or (H, d, d): the score is <Ax, y>."""
    xp = array_namespace(model.K)
    return xp.matmul(xp.matrix_transpose(model.K), model.Q)


def _matrix(name: str, data: Any) -> Any:
    """The array itself; numbers and lists become NumPy arrays of floats."""
    if not bool(is_array_api_obj(data)):
        try:
            data = np.asarray(data, dtype=float)
        except (TypeError, ValueError) as fault:
            raise ValueError(f"Model: {name}: found {data!r:.60}; needed a matrix of numbers: "
                             f"{fault}") from None
    if isinstance(data, np.ndarray):
        data = data.astype(float) if data.dtype.kind in "iub" else data
        data = data.reshape(1, 1) if data.ndim == 0 else data
    xp = array_namespace(data)
    if data.ndim not in (2, 3) or 0 in data.shape:
        raise ValueError(f"Model: {name}: found shape {tuple(data.shape)}; needed a matrix, or "
                         "for multihead a stack of them: write it by rows")
    if not bool(xp.all(xp.isfinite(data))):
        raise ValueError(f"Model: {name}: found nan or inf; needed finite numbers: correct "
                         "those entries")
    return data


def _stacked(model: Model) -> None:
    axes = {name: getattr(model, name).ndim for name in "QKV"}
    heads = {name: getattr(model, name).shape[0] for name in "QKV"}
    if set(axes.values()) != {3} or len(set(heads.values())) != 1:
        found = ", ".join(f"{name} {tuple(getattr(model, name).shape)}" for name in "QKV")
        raise ValueError(f"Model: Q, K, V: found {found}; needed the same number of heads on the "
                         "first of three axes for multihead: stack the heads")


def _shapes(model: Model) -> None:
    Q, K, V = model.Q, model.K, model.V
    try:
        array_namespace(Q, K, V)
    except TypeError as fault:
        raise ValueError(f"Model: Q, K, V: found arrays of different libraries ({fault}); needed "
                         "one library: convert them") from None
    if model.variant != "multihead":
        for name in "QKV":
            if getattr(model, name).ndim != 2:
                raise ValueError(f"Model: {name}: found shape {tuple(getattr(model, name).shape)};"
                                 " needed one matrix: use multihead for a stack of heads")
    if tuple(Q.shape) != tuple(K.shape):
        raise ValueError(f"Model: K: found shape {tuple(K.shape)}, Q has {tuple(Q.shape)}; "
                         "needed the same shape (k, d): scores are products of Qx and Ky")
    d = Q.shape[-1]
    if tuple(V.shape[-2:]) != (d, d):
        raise ValueError(f"Model: V: found shape {tuple(V.shape)}; needed ({d}, {d}), as tokens "
                         f"have the d = {d} coordinates that Q reads: correct V or Q")


def checked_tokens(model: Model, tokens: Any, name: str = "tokens") -> Any:
    """Tokens (n, d), n >= 1, all finite; raises ValueError naming them otherwise."""
    tokens = tokens if is_array_api_obj(tokens) else np.asarray(tokens, dtype=float)
    if isinstance(tokens, np.ndarray) and tokens.dtype.kind in "iub":
        tokens = tokens.astype(float)
    if tokens.ndim != 2 or tokens.shape[0] == 0 or tokens.shape[1] != model.d:
        raise ValueError(f"flow: {name}: found shape {tuple(tokens.shape)}; needed (n, {model.d}) "
                         f"with n >= 1, a token a row: reshape {name}")
    try:
        xp = array_namespace(tokens, at(model, 0.0).Q)
    except TypeError as fault:
        raise ValueError(f"flow: {name}: found arrays of another library than the model's "
                         f"({fault}); needed the same: convert them") from None
    if not bool(xp.all(xp.isfinite(tokens))):
        raise ValueError(f"flow: {name}: found nan or inf; needed finite numbers: correct those "
                         "rows")
    return tokens


def checked_times(where: str, horizon: float, samples: int | Any) -> np.ndarray:
    """Increasing times from 0 to the horizon; `samples` is their number, or they themselves.

    Raises ValueError naming the argument for a horizon < 0, nan or inf, or times out of order.
    """
    if not (isinstance(horizon, int | float | np.number) and 0 <= horizon < float("inf")):
        raise ValueError(f"{where}: horizon: found {horizon!r}; needed a finite time T >= 0: "
                         "correct it")
    if isinstance(samples, int | np.integer):
        if samples < 1:
            raise ValueError(f"{where}: samples: found {samples}; needed at least 1: ask for more")
        return np.linspace(0.0, horizon, samples) if samples > 1 else np.array([float(horizon)])
    times = np.atleast_1d(np.asarray(samples, dtype=float))
    if (times.ndim != 1 or not times.size or not np.isfinite(times).all() or times[0] < 0
            or times[-1] > horizon or (np.diff(times) <= 0).any()):
        raise ValueError(f"{where}: samples: found {samples!r:.60}; needed increasing times in "
                         f"[0, {horizon:g}]: sort them and stay below the horizon")
    return times
