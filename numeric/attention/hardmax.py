"""Hardmax attention: a query takes the mean value of the keys with the largest score.

The limit of softmax as its scale grows. Keys tie when their scores are equal to rounding, so that
equal tokens share, whatever order the products were added in.
Source: the limit is folklore; Geshkovski et al., arXiv 2305.05465, for its clusters.
"""

from typing import Any

from array_api_compat import array_namespace, device

from numeric import blocks

TIE = 64  # units in the last place of the largest score within which keys tie


def forward(query: Any, key: Any, value: Any, scale: float = 1.0, causal: bool = True,
            *, weights: Any = None, positions: Any = None, block: int | None = None) -> Any:
    """Mean of v_u over the seen keys of positive mass where scale q_t k_u' is largest.

    Masses weigh the tied keys. Shapes, masks and errors as in `softmax.forward`.
    """
    xp = array_namespace(query)
    blocks.check("hardmax", query, key, weights, positions)
    turned, ulp = xp.matrix_transpose(key), TIE * xp.finfo(query.dtype).eps

    def rows(q: Any, seen: Any) -> Any:
        score = xp.matmul(scale * q, turned)
        law = blocks.masses(weights, seen, score)
        least = xp.asarray(-xp.inf, dtype=score.dtype, device=device(score))
        score = xp.where(law > 0, score, least)
        top = xp.max(score, axis=-1, keepdims=True)
        weight = xp.where(score >= top - ulp * xp.abs(top), law, xp.zeros_like(law))
        return xp.matmul(weight, value) / xp.sum(weight, axis=-1, keepdims=True)
    return blocks.over_queries(rows, query, key.shape[-2], causal, positions, block)
