"""n tokens follow x_i' = Gamma(x_i), the attention layer of their own empirical law.

One layer function serves particles, transformer blocks and cross-checks: the fields below call the
variants of `numeric.attention`. Shapes: tokens (n, d), a token a row; masses (n,), adding up to 1.
With positions a token sees what is not after it, and a sink is the mass of the first position.
Source: the PDE and its masked form are those of arXiv 2501.18322.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from numeric.attention import hardmax, l2, linear, multihead, sigmoid, sinkhorn, softmax
from numeric.model import Model, at, by_score, checked_times, checked_tokens
from numeric.solve import solve

__all__ = ["Model", "Path", "by_score", "field", "flow", "masses"]
HEADS = {"softmax": softmax.forward, "multihead": softmax.forward, "l2": l2.forward,
         "linear": linear.forward, "sigmoid": sigmoid.forward, "hardmax": hardmax.forward}


@dataclass(frozen=True)
class Path:
    """tokens[i] (n, d) at times[i], never infinite; how the run ended.

    `status` is "reached" (the horizon), "blow_up" (at about `blow_up`), "settled" or "failed"
    (`note` says why).
    """

    times: np.ndarray
    tokens: Any
    status: str
    blow_up: float | None = None
    note: str = ""


def field(model: Model, x: Any, tokens: Any, weights: Any = None, *, positions: Any = None,
          t: float = 0.0, block: int | None = None) -> Any:
    """Gamma(x), shape of x (m, d), of the law of the tokens (n, d) with masses `weights` (n,).

    `positions` is a pair, of the points (m,) and of the tokens (n,), for the masked field.
    Raises ValueError naming the argument (shapes, nan, masses that are no law, empty past).
    """
    model = at(model, t)
    return _field(model, checked_tokens(model, x, "x"), checked_tokens(model, tokens), weights,
                  positions, block)


def _field(model: Model, x: Any, tokens: Any, weights: Any, positions: Any,
           block: int | None = None) -> Any:
    xp = array_namespace(tokens)
    turn = xp.matrix_transpose
    query, key, value = (xp.matmul(a, turn(m)) for a, m in (
        (x, model.Q), (tokens, model.K), (tokens, model.V)))
    if model.variant == "sinkhorn":
        if positions is not None:
            raise ValueError("flow: positions: found a mask for sinkhorn; needed none, as columns "
                             "of a masked kernel cannot keep mass 1: use softmax")
        asked = query if x is tokens else xp.matmul(tokens, turn(model.Q))
        g = sinkhorn.potentials(asked, key, model.eps, weights)[1]
        return sinkhorn.forward(query, key, value, model.eps, weights=weights, potential=g,
                                block=block)
    options = {"scale": 1.0, "causal": False, "weights": weights, "positions": positions,
               "block": block}
    if model.variant == "multihead":
        each = multihead.forward(query, key, value, **options)
        return xp.sum(xp.reshape(each, (x.shape[0], -1, x.shape[1])), axis=1)
    return HEADS[model.variant](query, key, value, **options)


def masses(positions: Any, sink: float | None = None) -> np.ndarray:
    """Masses (n,) of tokens at the positions (n,) in [0, 1]: those at the first share the sink.

    Uniform without a sink. Raises ValueError for positions outside [0, 1] and a sink outside (0, 1)
    (or 1 where all tokens are at the first position).
    """
    places = np.asarray(positions, dtype=float)
    if places.ndim != 1 or not places.size or not ((places >= 0) & (places <= 1)).all():
        raise ValueError(f"flow: positions: found shape {places.shape}; needed (n,) with values "
                         "in [0, 1]: divide them by the largest")
    first = places == places.min()
    if sink is None:
        return np.full(len(places), 1 / len(places))
    if not (0 < sink < 1 or (sink == 1 and first.all())) or (first.all() and sink != 1):
        raise ValueError(f"flow: sink: found {sink!r} for {first.sum()} of {len(places)} tokens at "
                         "the first position; needed their mass, between 0 and 1: correct it")
    return np.where(first, sink / first.sum(), (1 - sink) / max(1, (~first).sum()))


def flow(model: Model, tokens: Any, horizon: float, steps: int | None = None, *,
         samples: int | Any = 51, rtol: float = 1e-8, weights: Any = None, positions: Any = None,
         sink: float | None = None, settle: float | None = None,
         watch: Callable[[float], Any] | None = None) -> Path:
    """The tokens along their own flow: adaptive (SciPy's DOP853, NumPy only), or `steps` of RK4.

    RK4 keeps arrays of any library and returns every step. `positions` (n,) masks; with a `sink`
    the tokens at the first position share that mass. `watch` is called with the times visited.
    Raises ValueError naming the argument.
    """
    tokens = checked_tokens(model, tokens)
    times = checked_times("flow", horizon, samples)
    if positions is not None:
        weights = masses(positions, sink) if weights is None else weights
        pair = (_like(positions, tokens),) * 2
    elif sink is not None:
        raise ValueError("flow: sink: found a sink without positions; needed both: give the "
                         "tokens' positions")
    else:
        pair = None
    if weights is not None:
        weights = _like(weights, tokens)

    def rate(t: float, x: Any) -> Any:
        return _field(at(model, t), x, x, weights, pair)
    if steps is not None:
        return _runge_kutta(rate, tokens, horizon, steps, watch)
    if not isinstance(tokens, np.ndarray):
        raise ValueError(f"flow: tokens: found {type(tokens).__name__} without `steps`; needed "
                         "NumPy arrays for adaptive steps: give steps, or convert them")
    shape = tokens.shape

    def flat(t: float, y: np.ndarray) -> np.ndarray:
        return rate(t, y.reshape(shape)).ravel()
    run = solve(flat, tokens.ravel(), times, lambda y: float(y @ y), rtol=rtol,
                settle=settle, watch=watch)
    return Path(run.times, run.states.reshape(-1, *shape), run.status, run.blow_up, run.note)


def _like(data: Any, tokens: Any) -> Any:
    """The data as an array of the tokens' library, dtype and device."""
    from array_api_compat import device

    return array_namespace(tokens).asarray(data, dtype=tokens.dtype, device=device(tokens))


def _runge_kutta(rate: Callable, x: Any, horizon: float, steps: int,
                 watch: Callable | None) -> Path:
    """The classical method of order 4 in equal steps; ends as "failed" where numbers overflow."""
    if not isinstance(steps, int | np.integer) or steps < 1:
        raise ValueError(f"flow: steps: found {steps!r}; needed a whole number >= 1: correct it")
    xp, h, found = array_namespace(x), horizon / steps, [x]
    for k in range(steps):
        t = k * h
        if watch is not None:
            watch(t)
        with np.errstate(all="ignore"):
            a = rate(t, x)
            b = rate(t + h / 2, x + h / 2 * a)
            c = rate(t + h / 2, x + h / 2 * b)
            x = x + h / 6 * (a + 2 * b + 2 * c + rate(t + h, x + h * c))
        if not bool(xp.all(xp.isfinite(x))):
            return Path(np.arange(k + 1) * h, xp.stack(found), "failed", None,
                        f"numbers overflowed after t = {t:.6g}: leave out `steps` to see whether "
                        "the tokens blow up")
        found.append(x)
    return Path(np.linspace(0, horizon, steps + 1), xp.stack(found), "reached")
