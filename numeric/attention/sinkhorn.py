"""Sinkhorn attention: the kernel e^{(q k' + f + g)/eps} has rows and columns of mass 1.

The potentials f of the queries and g of the keys solve an entropic transport problem between the
two; away from the queries f is extended so that rows keep mass 1, and the layer is then softmax
attention with bias g/eps. No prefactor 1/eps. A mask has no meaning here: columns would be empty.
Source: Sander, Ablin, Blondel, Peyré, arXiv 2110.11773.
"""

from typing import Any

from array_api_compat import array_namespace, device

from numeric import blocks
from numeric.attention import softmax

STORED = 4096  # tokens up to which the whole kernel is kept between sweeps
SOLVED = 1024  # tokens up to which a Newton step is tried where sweeps are slow
SLOW = 1e-3    # how much less g must move after SWEEPS of them, or they are called slow
SWEEPS = 40    # of the stored kernel between two passes in the log domain


def forward(query: Any, key: Any, value: Any, eps: float = 1.0, *, weights: Any = None,
            potential: Any = None, block: int | None = None) -> Any:
    """Mean of k(q_t, k_u) v_u with the doubly stochastic k, for q (T, d), k (T, d), v (T, e).

    `weights` (T,) are the masses of the tokens, on both sides. With the `potential` of the keys
    (from `potentials`) already known, the queries may be any points, in any number.
    Raises ValueError naming the argument, ArithmeticError where the sweeps do not settle.
    """
    if potential is None:
        potential = potentials(query, key, eps, weights)[1]
    return softmax.forward(query, key, value, 1 / eps, causal=False, weights=weights,
                           bias=potential / eps, block=block)


def potentials(query: Any, key: Any, eps: float = 1.0, weights: Any = None, *, start: Any = None,
               tolerance: float = 1e-12, most: int = 500) -> tuple[Any, Any]:
    """f, g (T,) with sum_u w_u k = 1 for each query and sum_t w_t k = 1 for each key.

    Sweeps in the log domain from g = `start` until g moves by less than `tolerance` (times
    1 + max |g|, in units of eps); between two of them, sweeps of the stored kernel, which are
    cheap and cannot overflow, as its columns have mass 1, and Newton steps where they help (strong
    coupling makes sweeps slow). Raises ValueError naming the argument, ArithmeticError with the
    movement left where `most` rounds are not enough.
    """
    xp = array_namespace(query)
    if not eps > 0:
        raise ValueError(f"sinkhorn: eps: found {eps}; needed eps > 0: for the limit eps -> 0 "
                         "use hardmax")
    if query.shape[-2] != key.shape[-2]:
        raise ValueError(f"sinkhorn: query, key: found {query.shape[-2]} and {key.shape[-2]} "
                         "tokens; needed equally many: pass the potential for other queries")
    blocks.check("sinkhorn", query, key, weights)
    g = xp.zeros_like(key[:, 0]) if start is None else start / eps
    for _ in range(most):
        f, new, moved = _round(query, key, eps, weights, g)
        if moved <= tolerance * (1 + float(xp.max(xp.abs(new)))):
            return f * eps, new * eps
        g = new if len(key) > STORED else _swept(query, key, eps, weights, f, new)
        if len(key) <= SOLVED:
            g = _leapt(query, key, eps, weights, g, SLOW * moved)
    raise ArithmeticError(f"sinkhorn: eps: after {most} rounds with eps = {eps:g} the potential "
                          f"still moves by {moved:.1e}; needed {tolerance:.1e}: raise eps or most")


def _round(query: Any, key: Any, eps: float, weights: Any, g: Any) -> tuple[Any, Any, float]:
    """f of g, the next g of f, and the largest movement, in units of eps."""
    xp = array_namespace(query)
    f = -softmax.log_normaliser(query, key, 1 / eps, weights=weights, bias=g)
    new = -softmax.log_normaliser(key, query, 1 / eps, weights=weights, bias=f)
    return f, new, float(xp.max(xp.abs(new - g)))


def _swept(query: Any, key: Any, eps: float, weights: Any, f: Any, g: Any) -> Any:
    """g after SWEEPS sweeps of the stored kernel, or fewer when it stands still."""
    xp = array_namespace(query)
    score = xp.matmul(query / eps, xp.matrix_transpose(key)) + f[:, None] + g[None, :]
    # Among tokens with mass the kernel is at most 1/mass; those without must not make inf * 0.
    kernel = blocks.exponential(xp.clip(score, max=700.0))
    mass = blocks.masses(weights, None, score)[0, :]
    right = xp.ones_like(g)
    for _ in range(SWEEPS):
        before = right
        left = 1 / xp.matmul(kernel, mass * right)
        right = 1 / xp.matmul(mass * left, kernel)
        if float(xp.max(xp.abs(right - before))) < 1e-15:
            break
    return g + xp.log(right)


def _leapt(query: Any, key: Any, eps: float, weights: Any, g: Any, fast: float) -> Any:
    """g after a Newton step, where g still moves more than `fast` and the step calms it."""
    f, new, moved = _round(query, key, eps, weights, g)
    if moved <= fast:
        return new
    leap = _newton(query, key, eps, weights, f, g, new)
    return leap if _round(query, key, eps, weights, leap)[2] < moved else new


def _newton(query: Any, key: Any, eps: float, weights: Any, f: Any, g: Any, new: Any) -> Any:
    """g + (1 - J)^{-1} (new - g), J = d new/dg a product of two stochastic matrices.

    J keeps constants, which both sides of the equation ignore: 1 w' is added to 1 - J.
    """
    xp = array_namespace(query)
    score = xp.matmul(query / eps, xp.matrix_transpose(key)) + f[:, None] + g[None, :]
    kernel = blocks.exponential(xp.clip(score, max=700.0))
    mass = blocks.masses(weights, None, score)[0, :]
    columns = xp.exp(new - g)[:, None] * xp.matrix_transpose(kernel) * mass[None, :]
    system = mass[None, :] - xp.matmul(columns, kernel * mass[None, :]) + xp.eye(
        len(g), dtype=g.dtype, device=device(g))
    return g + xp.linalg.solve(system, (new - g)[:, None])[:, 0]
