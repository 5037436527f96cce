"""Explicit attention networks that retrieve: what training could reach, written down.

A network here is real: query, key, value and output matrices, ReLU nets with a residual
connection, one CLS position added last, its state read by a vector. It runs on any array of the
array API. Scores are scaled by beta, so the largest weight grows like log(T)/eps while the number
of parameters is free of T.
Source: constructions and budgets ours, for targets of InfoFlow (arXiv 2605.17930).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, e, exp, sqrt
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from numeric.attention import softmax

HIDDEN = 60.0    # CLS as a key is e^-60 of any token


@dataclass(frozen=True, eq=False)
class Head:
    """A head on states of width E: query Q z + q, key K z, value V z, added to the state by U.

    Shapes Q, K (n, E), q (n,), V (v, E), U (E, v).
    """

    Q: Any
    q: Any
    K: Any
    V: Any
    U: Any


@dataclass(frozen=True, eq=False)
class Layer:
    """Heads that read the same states, then z + W2 relu(W1 z + b1) where there is a net."""

    heads: tuple[Head, ...]
    W1: Any = None
    b1: Any = None
    W2: Any = None


@dataclass(frozen=True, eq=False)
class Network:
    """Layers, the map of a token into a state (E, d), the flag of tokens, the read-out of CLS.

    `positions` numbers of a state hold a one-hot code of the position, from `code` on. `count` is
    the formula for the number of parameters.
    """

    layers: tuple[Layer, ...]
    embed: Any
    flag: int
    out: Any
    count: int
    code: int | None = None


def forward(network: Network, X: Any) -> Any:
    """The output at CLS for tokens X (.., T, d); shape (..,)."""
    xp = array_namespace(X)
    where = {"dtype": X.dtype, "device": device(X)}
    z = _states(network, X, xp, where)
    for layer in network.layers:
        last = layer is network.layers[-1]
        asked = z[..., -1:, :] if last else z
        z = asked + sum(_attended(head, asked, z, xp, where) for head in layer.heads)
        if layer.W1 is not None:
            W1, b1, W2 = (xp.asarray(w, **where) for w in (layer.W1, layer.b1, layer.W2))
            inner = xp.matmul(z, xp.matrix_transpose(W1)) + b1
            inner = xp.where(inner > 0, inner, xp.zeros_like(inner))
            z = z + xp.matmul(inner, xp.matrix_transpose(W2))
    return xp.matmul(z, xp.asarray(network.out, **where))[..., -1]


def _states(network: Network, X: Any, xp: Any, where: dict) -> Any:
    embed = xp.asarray(network.embed, **where)
    z = xp.matmul(X, xp.matrix_transpose(embed))
    T, E = X.shape[-2], embed.shape[0]
    fixed = np.zeros((T, E))
    fixed[:, network.flag] = 1
    if network.code is not None:
        fixed[:, network.code:network.code + T] = np.eye(T)
    z = z + xp.asarray(fixed, **where)
    return xp.concat([z, xp.zeros((*X.shape[:-2], 1, E), **where)], axis=-2)


def _attended(head: Head, asked: Any, z: Any, xp: Any, where: dict) -> Any:
    Q, q, K, V, U = (xp.asarray(w, **where) for w in (head.Q, head.q, head.K, head.V, head.U))
    turned = xp.matrix_transpose
    read = softmax.forward(xp.matmul(asked, turned(Q)) + q, xp.matmul(z, turned(K)),
                           xp.matmul(z, turned(V)), scale=1.0, causal=False)
    return xp.matmul(read, turned(U))


def largest_weight(network: Network) -> float:
    """The largest weight in absolute value: what the norm assumption of lower bounds forbids."""
    return max(float(np.abs(w).max()) for w in weights(network))


def nonzero(network: Network) -> int:
    """How many weights are not zero; at most the formula `network.count`."""
    return sum(int(np.count_nonzero(w)) for w in weights(network))


def weights(network: Network) -> list[np.ndarray]:
    """Every weight of the layers and the read-out; the embedding copies and is not counted."""
    found = [network.out]
    for layer in network.layers:
        found += [w for head in layer.heads for w in (head.Q, head.q, head.K, head.V, head.U)]
        found += [w for w in (layer.W1, layer.b1, layer.W2) if w is not None]
    return [np.asarray(w) for w in found]


def lambert(x: float) -> float:
    """W(x), the solution of w e^w = x for x >= 0."""
    from scipy.special import lambertw
    return float(lambertw(x).real)


def softmin_gap(T: int, beta: float) -> float:
    """W((T-1)/e)/beta: how far a softmax average of T scores can be above their minimum, exactly.

    Ours. Attained where T - 1 scores lie (1 + W)/beta above the least. Raises ValueError for T < 1
    or beta <= 0.
    """
    if T < 1 or not beta > 0:
        raise ValueError(f"softmin_gap: found T = {T!r}, beta = {beta!r}; needed T >= 1 and "
                         "beta > 0: correct them")
    return lambert((T - 1) / e) / beta


def retrieval_error(T: int, gap: float, tau: float, diam: float) -> float:
    """diam r/(1+r), r = (T-1) e^(-gap/tau): a bound on |softmax average - value of the best|.

    Ours; `gap` is that of the best score to the second, `diam` the largest distance of a value
    from the best one. Raises ValueError for T < 1, tau <= 0, gap < 0 or diam < 0.
    """
    if T < 1 or not tau > 0 or not gap >= 0 or not diam >= 0:
        raise ValueError(f"retrieval_error: found T = {T!r}, gap = {gap!r}, tau = {tau!r}, "
                         f"diam = {diam!r}; needed T >= 1, tau > 0, gap >= 0, diam >= 0: correct "
                         "them")
    r = (T - 1) * exp(-gap / tau)
    return diam * r / (1 + r)


def pairwise_maxima(matrices: Sequence[Any], beta: float, cells: int, bound: float = 1.0,
                    weight: Sequence[float] | None = None) -> Network:
    """Sum_i w_i max_{s,t} x(s)' A_i x(t) by two layers of D heads, for tokens in [-bound, bound]^d.

    In head i of layer 1 token t asks for the s of the largest score; the net forms the product
    from squares, each a piecewise linear interpolant with `cells` cells; in layer 2 CLS takes the
    largest. State (x | a_1 .. a_D | m_1 .. m_D | flag), E = d + D d + D + 1. For each i the error
    is at most d B^2/cells^2 + 2 W((T-1)/e)/beta, B the largest of |x_j|, |(A_i x)_j|.
    Raises ValueError for matrices that are not (d, d), beta <= 0, cells < 1, bound <= 0.
    """
    A = _square(matrices, beta, cells, bound)
    D, d = A.shape[:2]
    E = d + D * d + D + 1
    reach = [bound * max(1.0, float(np.abs(a).sum(axis=1).max())) for a in A]
    first, nets = [], []
    for i in range(D):
        slot = slice(d + i * d, d + (i + 1) * d)
        kappa = 2 * beta * d * bound * reach[i] + HIDDEN
        Q, K = np.zeros((d + 1, E)), np.zeros((d + 1, E))
        Q[:d, :d], Q[d, E - 1] = beta * A[i], kappa
        K[:d, :d], K[d, E - 1] = np.eye(d), 1
        V, U = np.zeros((d, E)), np.zeros((E, d))
        V[:, :d], U[slot] = np.eye(d), np.eye(d)
        first.append(Head(Q, np.zeros(d + 1), K, V, U))
        nets.append(_products(A[i], slot, d + D * d + i, E, cells, reach[i]))
    W1, b1, W2 = (np.concatenate(parts, axis=axis) for parts, axis in
                  zip(zip(*nets, strict=True), (0, 0, 1), strict=True))
    second = [_largest(d + D * d + i, d + D * d + i, E, beta,
                       2 * beta * d * reach[i] ** 2 + HIDDEN) for i in range(D)]
    out = np.zeros(E)
    out[d + D * d:d + D * d + D] = 1.0 if weight is None else np.asarray(weight, dtype=float)
    count = sum(pair_parameters(d, int(np.count_nonzero(a)), cells) for a in A)
    return Network((Layer(tuple(first), W1, b1, W2), Layer(tuple(second))), np.eye(E, d), E - 1,
                   out, count)


def pair_parameters(d: int, entries: int, cells: int) -> int:
    """Parameters of one pairwise maximum whose matrix has so many entries that are not zero.

    Layer 1: entries + 1 for the query, d + 1, d and d for key, value, output. The net: 2 `cells`
    units a coordinate, each with its row of A, the retrieved coordinate, a knot and a slope.
    Layer 2 and the read-out: 7.
    """
    return entries + 1 + (d + 1) + d + d + 2 * cells * (entries + 3 * d) + 7


def two_layer_min_dot(d: int, T: int, eps: float) -> Network:
    """A network within eps of min_{s,t} x(s).x(t) on [-1, 1]^d for T tokens, one head a layer.

    N = ceil(sqrt(3 d/eps)) cells and beta = 3 W((T-1)/e)/eps share the budget in thirds. The
    number of parameters is 8 d N + 4 d + 9, the same for all T: O(d^(3/2) eps^(-1/2)); the largest
    weight is O(d log(T)/eps). Raises ValueError for d, T < 1 or eps <= 0.
    """
    if d < 1:
        raise ValueError(f"two_layer_min_dot: found d = {d!r}; needed d >= 1: correct it")
    return pairwise_within([-np.eye(d)], T, eps, [-1.0])


def pairwise_within(matrices: Sequence[Any], T: int, eps: float,
                    weight: Sequence[float] | None = None) -> Network:
    """A network within eps of sum_i w_i max_{s,t} x(s)' A_i x(t) on [-1, 1]^d, |w_i| <= 1.

    Each of the D terms has eps/D, shared in thirds by the squares and the two softmax averages:
    N = ceil(sqrt(3 d D B^2/eps)), beta = 3 D W((T-1)/e)/eps, B the largest of 1 and |(A_i x)_j|.
    Raises ValueError for T < 1, eps <= 0 and what pairwise_maxima refuses.
    """
    if T < 1 or not eps > 0:
        raise ValueError(f"pairwise_within: found T = {T!r}, eps = {eps!r}; needed T >= 1 and "
                         "eps > 0: correct them")
    A = _square(matrices, 1.0, 1, 1.0)
    D, d = A.shape[:2]
    B = max(1.0, float(np.abs(A).sum(axis=2).max()))
    cells = ceil(sqrt(3 * d * D / eps) * B)
    beta = 3 * D * max(lambert((T - 1) / e), 1.0) / eps
    return pairwise_maxima(A, beta, cells, 1.0, weight)


def second_largest(w: Any, T: int, eps: float, bound: float = 1.0) -> Network:
    """A network within eps of the second largest of w.x(t), |w.x| <= bound, ties allowed.

    min over t of the max over s other than t: a token hides its own position, by a one-hot code,
    then CLS takes the least. State (x | a | code | flag), E = d + 2 + T. Error at most
    W((T-2)/e)/beta + W((T-1)/e)/beta. It has 2 T + 2 d + 11 parameters, 2 T for the code.
    Raises ValueError for T < 2 or eps <= 0.
    """
    w = np.atleast_1d(np.asarray(w, dtype=float))
    if T < 2 or not eps > 0 or w.ndim != 1 or not np.isfinite(w).all():
        raise ValueError(f"second_largest: found T = {T!r}, eps = {eps!r}, w of shape {w.shape}; "
                         "needed T >= 2, eps > 0 and a finite vector: correct them")
    d = len(w)
    E, beta = d + 2 + T, 2 * max(lambert((T - 1) / e), 1.0) / eps
    away = 2 * beta * bound + HIDDEN
    Q, q, K = np.zeros((T + 2, E)), np.zeros(T + 2), np.zeros((T + 2, E))
    q[0], q[1] = beta, 2 * away + HIDDEN             # score and flag are the same for all queries
    Q[2:, d + 1:-1] = -away * np.eye(T)
    K[0, :d], K[1, E - 1], K[2:, d + 1:-1] = w, 1, np.eye(T)
    V, U, out = np.zeros((1, E)), np.zeros((E, 1)), np.zeros(E)
    V[0, :d], U[d, 0], out[0] = w, 1, 1
    # CLS as a query of layer 1 fills its own slot a, so its answer goes where a token's x stands.
    layers = (Layer((Head(Q, q, K, V, U),)),
              Layer((_largest(d, 0, E, -beta, 2 * beta * bound + HIDDEN),)))
    return Network(layers, np.eye(E, d), E - 1, out, 2 * T + 2 * d + 11, d + 1)


def relayed_maxima(w: Any, T: int, eps: float, bound: float = 1.0) -> Network:
    """A network within eps of max w_1.x(t) + max w_2.x(t) + max w_3.x(t): one head in each of two
    layers.

    In layer 1 the head serves two comparators: CLS asks for the largest w_1.x, every token for the
    largest w_2.x. In layer 2 CLS asks for the largest w_3.x, and the token that it reads brings
    along what it has fetched. So heads times layers, 2, is below the number of maxima, 3. Rows of w
    (3, d), |w_i.x| <= bound; error at most 3 W((T-1)/e)/beta; 6 d + 16 parameters, free of T.
    Ours; the trial of unary-3 found it. Raises ValueError for T < 1, eps <= 0 or another shape.
    """
    w = np.asarray(w, dtype=float)
    if T < 1 or not eps > 0 or w.ndim != 2 or len(w) != 3 or not np.isfinite(w).all():
        raise ValueError(f"relayed_maxima: found T = {T!r}, eps = {eps!r}, w of shape {w.shape}; "
                         "needed T >= 1, eps > 0 and three finite vectors: correct them")
    d, beta = w.shape[1], 3 * max(lambert((T - 1) / e), 1.0) / eps
    E, kappa = d + 5, 4 * beta * bound + HIDDEN       # x | a_1 a_2 | r_2 r_3 | flag
    flag = E - 1
    Q, K = np.zeros((3, E)), np.zeros((3, E))
    Q[0, flag], Q[1, flag] = -beta, beta                # tokens ask w_2, CLS w_1
    K[0, :d], K[1, :d], K[2, flag] = w[0], w[1], 1
    V, U = np.zeros((2, E)), np.zeros((E, 2))
    V[:, :d], U[d:d + 2] = w[:2], np.eye(2)
    first = Head(Q, np.array([beta, 0, kappa]), K, V, U)
    K, V, U = np.zeros((2, E)), np.zeros((2, E)), np.zeros((E, 2))
    K[0, :d], K[1, flag] = w[2], 1
    V[0, d + 1], V[1, :d], U[d + 2:d + 4] = 1, w[2], np.eye(2)
    second = Head(np.zeros((2, E)), np.array([beta, kappa]), K, V, U)
    out = np.zeros(E)
    out[d], out[d + 2:d + 4] = 1, 1
    return Network((Layer((first,)), Layer((second,))), np.eye(E, d), flag, out, 6 * d + 16)


def _largest(slot: int, into: int, E: int, beta: float, kappa: float) -> Head:
    """CLS takes the largest (beta > 0) or least number of a slot over all tokens, into another."""
    K, V, U = np.zeros((2, E)), np.zeros((1, E)), np.zeros((E, 1))
    K[0, slot], K[1, E - 1] = 1, 1
    V[0, slot], U[into, 0] = 1, 1
    return Head(np.zeros((2, E)), np.array([beta, kappa]), K, V, U)


def _products(A: np.ndarray, slot: slice, out: int, E: int, cells: int,
              reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A ReLU net that adds a.(A x) to a number: sum_j B^2 (q((a+y)/2B) - q((a-y)/2B)), y = A x.

    q interpolates the square on [-1, 1] at cells + 1 points, from above by at most 1/cells^2.
    """
    d = len(A)
    knots = -1 + 2 * np.arange(cells) / cells
    steps = np.diff(2 * (knots + 1 / cells), prepend=0.0)    # of the slopes u_k + u_{k+1}
    W1, b1 = np.zeros((2, d, cells, E)), np.zeros((2, d, cells))
    W2 = np.zeros((E, 2, d, cells))
    for k, sign in enumerate((1.0, -1.0)):
        for j in range(d):
            W1[k, j, :, :d] = sign * A[j] / (2 * reach)
            W1[k, j, :, slot.start + j] = 1 / (2 * reach)
            b1[k, j] = -knots
            W2[out, k, j] = sign * reach**2 * steps
    return W1.reshape(-1, E), b1.reshape(-1), W2.reshape(E, -1)


def _square(matrices: Sequence[Any], beta: float, cells: int, bound: float) -> np.ndarray:
    A = np.asarray(matrices, dtype=float)
    if A.ndim != 3 or A.shape[1] != A.shape[2] or not A.size or not np.isfinite(A).all():
        raise ValueError(f"pairwise_maxima: matrices: found shape {A.shape}; needed finite (D, d, "
                         "d): give square matrices of one size")
    if not beta > 0 or cells < 1 or not bound > 0:
        raise ValueError(f"pairwise_maxima: found beta = {beta!r}, cells = {cells!r}, bound = "
                         f"{bound!r}; needed beta > 0, cells >= 1, bound > 0: correct them")
    return A
