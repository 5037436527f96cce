"""Softmax attention and its log-partition function, plain.

Scores have shape (..., T, S): query t, key u. Causal support: u <= t. Works on any array of the
array API (NumPy, torch, JAX) and keeps its dtype and device.
"""

from typing import Any

from array_api_compat import array_namespace, device


def support(score: Any, causal: bool = True) -> Any:
    """The boolean mask (T, S) of the keys that each query sees; every query sees one at least."""
    xp = array_namespace(score)
    rows, cols = score.shape[-2:]
    where = device(score)
    t, u = xp.arange(rows, device=where), xp.arange(cols, device=where)
    return u[None, :] <= (t[:, None] if causal else t[:, None] + cols)


def attention(score: Any, causal: bool = True) -> Any:
    """Rows of positive weights on the support that add up to 1; exact zeros off it.

    The largest score *on the support* is subtracted first, so no row overflows or is empty.
    """
    xp = array_namespace(score)
    weight = _weights(score, causal)[0]
    return weight / xp.sum(weight, axis=-1, keepdims=True)


def log_partition(score: Any, causal: bool = True) -> Any:
    """L_t = log sum_{u on the support} exp s[t, u], shape (..., T)."""
    xp = array_namespace(score)
    weight, top = _weights(score, causal)
    return xp.log(xp.sum(weight, axis=-1)) + top[..., 0]


def _weights(score: Any, causal: bool) -> tuple[Any, Any]:
    xp = array_namespace(score)
    least = xp.asarray(-xp.inf, dtype=score.dtype, device=device(score))
    masked = xp.where(support(score, causal), score, least)
    top = xp.max(masked, axis=-1, keepdims=True)
    return xp.exp(masked - top), top


def forward(query: Any, key: Any, value: Any, scale: float | None = None,
            causal: bool = True) -> Any:
    """softmax(scale q k') v for q (..., T, d), k (..., S, d), v (..., S, e); scale 1/sqrt(d)."""
    xp = array_namespace(query)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    score = scale * xp.matmul(query, xp.matrix_transpose(key))
    return xp.matmul(attention(score, causal), value)
