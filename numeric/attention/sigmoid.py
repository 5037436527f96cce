"""Sigmoid attention: each score passes the logistic function by itself, without a quotient.

A mean over the keys seen, so that it is a function of their law (see `linear`). Its field is not
affine on Gaussian laws, which do not stay Gaussian under it.
Source: well-posedness in arXiv 2501.18322; the failure of closure is ours.
"""

from typing import Any

from array_api_compat import array_namespace

from numeric import blocks


def logistic(x: Any) -> Any:
    """1/(1 + e^{-x}), neither side of which overflows."""
    xp = array_namespace(x)
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, xp.ones_like(x), small) / (1 + small)


def forward(query: Any, key: Any, value: Any, scale: float | None = None, causal: bool = True,
            *, weights: Any = None, positions: Any = None, bias: float = 0.0,
            block: int | None = None) -> Any:
    """Mean of sigma(scale q_t k_u' + bias) v_u under the law of the keys seen; scale 1/sqrt(d).

    Shapes, masks, masses and errors as in `numeric.attention.softmax.forward`.
    """
    xp = array_namespace(query)
    blocks.check("sigmoid", query, key, weights, positions)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    turned = xp.matrix_transpose(key)

    def rows(q: Any, seen: Any) -> Any:
        gate = logistic(xp.matmul(scale * q, turned) + bias)
        return xp.matmul(gate * blocks.masses(weights, seen, gate), value)
    return blocks.over_queries(rows, query, key.shape[-2], causal, positions, block)
