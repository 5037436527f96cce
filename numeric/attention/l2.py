"""L2 attention: the weight of a key falls with its distance, e^{-scale |q - k|^2}.

As |q|^2 cancels in the quotient, this is softmax attention with scores 2 scale q k' and the key's
own bias -scale |k|^2. The weight carries no 1/2 and no square root of d unless `scale` does.
Source: Kim, Papamakarios, Mnih, arXiv 2006.04710, in the normalised form of arXiv 2501.18322.
"""

from typing import Any

from array_api_compat import array_namespace

from numeric.attention import softmax


def forward(query: Any, key: Any, value: Any, scale: float = 1.0, causal: bool = True,
            *, weights: Any = None, positions: Any = None, block: int | None = None) -> Any:
    """sum_u w_u e^{-scale |q_t - k_u|^2} v_u over the same sum without v, over the keys seen.

    Shapes, masks, masses and errors as in `numeric.attention.softmax.forward`.
    """
    xp = array_namespace(query)
    bias = -scale * xp.sum(key * key, axis=-1)
    return softmax.forward(query, key, value, 2 * scale, causal, weights=weights,
                           positions=positions, bias=bias, block=block)
