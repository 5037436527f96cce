"""Linear attention: scores weigh values as they are, without exponential and without quotient.

A mean over the keys seen, so that it is a function of their law; multiply by their number for the
sum. Without a mask it costs no T x S array: the second moment of keys and values comes first.
"""

from typing import Any

from array_api_compat import array_namespace, device

from numeric import blocks


def forward(query: Any, key: Any, value: Any, scale: float = 1.0, causal: bool = True,
            *, weights: Any = None, positions: Any = None, block: int | None = None) -> Any:
    """scale times the mean of (q_t k_u') v_u under the law of the keys seen.

    Shapes, masks, masses and errors as in `numeric.attention.softmax.forward`.
    """
    xp = array_namespace(query)
    blocks.check("linear", query, key, weights, positions)
    turned = xp.matrix_transpose(key)
    if not causal and positions is None:
        mass = (1 / key.shape[-2] if weights is None else
                xp.asarray(weights, dtype=key.dtype, device=device(key))[:, None])
        return xp.matmul(scale * query, xp.matmul(turned, mass * value))

    def rows(q: Any, seen: Any) -> Any:
        score = xp.matmul(scale * q, turned)
        return xp.matmul(score * blocks.masses(weights, seen, score), value)
    return blocks.over_queries(rows, query, key.shape[-2], causal, positions, block)
