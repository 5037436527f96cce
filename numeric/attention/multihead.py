"""Multi-head attention: heads look separately; their outputs add up or stand side by side.

Source: Vaswani et al., arXiv 1706.03762; as a sum of fields, arXiv 2501.18322.
"""

from collections.abc import Callable
from typing import Any

from array_api_compat import array_namespace

from numeric.attention import softmax


def forward(query: Any, key: Any, value: Any, output: Any = None,
            head: Callable[..., Any] = softmax.forward, **options: Any) -> Any:
    """sum_h head(q_h, k_h, v_h) W_h' for q (H, T, d), k (H, S, d), v (H, S, e), W (H, c, e).

    Without `output` the heads stand side by side, (T, H e). `head` is any variant's forward, and
    `options` are its own (scale, causal, weights, positions, block).
    Raises ValueError where the numbers of heads differ.
    """
    xp = array_namespace(query)
    counts = [x.shape[0] for x in (query, key, value, output) if x is not None]
    if len(set(counts)) != 1 or query.ndim != 3:
        raise ValueError(f"multihead: query, key, value, output: found {counts} heads and "
                         f"{query.ndim} axes; needed the same number of heads on the first of "
                         "three axes: stack the heads")
    each = [head(query[h], key[h], value[h], **options) for h in range(counts[0])]
    if output is None:
        return xp.concat(each, axis=-1)
    turned = [xp.matmul(e, xp.matrix_transpose(output[h])) for h, e in enumerate(each)]
    return sum(turned[1:], turned[0])
