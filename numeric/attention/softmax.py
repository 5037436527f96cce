"""Softmax attention and its log-partition function, plain and a block of queries at a time.

Scores have shape (..., T, S): query t, key u. Causal support: u <= t. Works on any array of the
array API (NumPy, torch, JAX) and keeps its dtype and device. No row overflows: the largest score
that a query sees is subtracted first.
"""

from typing import Any

from array_api_compat import array_namespace, device

from numeric import blocks


def support(score: Any, causal: bool = True) -> Any:
    """The boolean mask (T, S) of the keys that each query sees; every query sees one at least."""
    xp = array_namespace(score)
    rows, cols = score.shape[-2:]
    where = device(score)
    t, u = xp.arange(rows, device=where), xp.arange(cols, device=where)
    return u[None, :] <= (t[:, None] if causal else t[:, None] + cols)


def attention(score: Any, causal: bool = True) -> Any:
    """Rows of positive weights on the support that add up to 1; exact zeros off it."""
    xp = array_namespace(score)
    weight = _weights(score, support(score, causal))[0]
    return weight / xp.sum(weight, axis=-1, keepdims=True)


def log_partition(score: Any, causal: bool = True) -> Any:
    """L_t = log sum_{u on the support} exp s[t, u], shape (..., T)."""
    xp = array_namespace(score)
    weight, top = _weights(score, support(score, causal))
    return xp.log(xp.sum(weight, axis=-1)) + top[..., 0]


def _weights(score: Any, seen: Any) -> tuple[Any, Any]:
    """e^{s - top} on the support and top; without a mask it is written over the score."""
    xp = array_namespace(score)
    if seen is not None:
        least = xp.asarray(-xp.inf, dtype=score.dtype, device=device(score))
        score = xp.where(seen, score, least)
    top = xp.max(score, axis=-1, keepdims=True)
    return blocks.exponential(score, top), top


def forward(query: Any, key: Any, value: Any, scale: float | None = None, causal: bool = True,
            *, weights: Any = None, positions: Any = None, bias: Any = None,
            block: int | None = None) -> Any:
    """sum_u w_u e^{s[t,u]} v_u / sum_u w_u e^{s[t,u]} over the keys seen, s = scale q k' + bias.

    Shapes q (..., T, d), k (..., S, d), v (..., S, e); scale 1/sqrt(d) by default. `weights` (S,)
    are masses of the keys that add up to 1 (uniform by default), `bias` (..., S) is added to each
    key's score. A query sees u <= t when causal, or, with `positions` = (of the queries, of the
    keys), the keys that are not after it. `block` queries are taken at a time.
    Raises ValueError naming the argument for no keys, masses that are no law, a query without keys.
    """
    xp = array_namespace(query)
    blocks.check("softmax", query, key, weights, positions)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    bias = with_masses(bias, weights, key)
    turned = xp.matrix_transpose(key)

    def rows(q: Any, seen: Any) -> Any:
        score = xp.matmul(scale * q, turned)
        weight, _ = _weights(score if bias is None else score + bias[..., None, :], seen)
        return xp.matmul(weight, value) / xp.sum(weight, axis=-1, keepdims=True)
    return blocks.over_queries(rows, query, key.shape[-2], causal, positions, block)


def log_normaliser(query: Any, key: Any, scale: float = 1.0, *, weights: Any = None,
                   bias: Any = None, block: int | None = None) -> Any:
    """log sum_u w_u e^{scale q_t k_u + bias_u}, shape (..., T), every query seeing every key."""
    xp = array_namespace(query)
    blocks.check("log_normaliser", query, key, weights)
    if weights is None:
        weights = xp.full((key.shape[-2],), 1 / key.shape[-2], dtype=key.dtype,
                          device=device(key))
    bias, turned = with_masses(bias, weights, key), xp.matrix_transpose(key)

    def rows(q: Any, seen: Any) -> Any:
        weight, top = _weights(xp.matmul(scale * q, turned) + bias[..., None, :], None)
        return xp.log(xp.sum(weight, axis=-1, keepdims=True)) + top
    return blocks.over_queries(rows, query, key.shape[-2], block=block)[..., 0]


def with_masses(bias: Any, weights: Any, key: Any) -> Any:
    """The bias of each key with the logarithm of its mass added; a key without mass has -inf."""
    if weights is None:
        return bias
    xp = array_namespace(key)
    mass = xp.asarray(weights, dtype=key.dtype, device=device(key))
    some = mass > 0
    logs = xp.where(some, xp.log(xp.where(some, mass, xp.ones_like(mass))),
                    xp.asarray(-xp.inf, dtype=key.dtype, device=device(key)))
    return logs if bias is None else bias + logs
