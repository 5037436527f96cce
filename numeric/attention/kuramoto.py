"""Kuramoto attention: tokens are phases on a torus, attention pulls them towards a circular mean.

Source: J. Nunley, arXiv 2606.11585; what its sources leave open (gate features, bound, heads,
hidden width) is a parameter or a field of `Preset`. Shapes: T tokens, k oscillators a token, H
heads of d = k/H neighbouring coordinates, F hidden units; `theta` is (T, k) in radians and may
be any array of the array API; leading axes, a batch, are carried along. Every function keeps its
dtype.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from numeric.attention import softmax

BOUNDS = ("NM-A", "NM-B", "none")
FEEDFORWARDS = ("raw", "lift", "none")


@dataclass(frozen=True)
class Parameters:
    """The learned arrays: Wq, Wk, Wv (2k, k), biases (k,), Wa, Wb (k or 2k, F), Wo (F, k),
    omega (k,) radians a position, tau (H,) > 0, rho > 0."""

    Wq: Any
    bq: Any
    Wk: Any
    bk: Any
    Wv: Any
    bv: Any
    Wa: Any
    Wb: Any
    Wo: Any
    omega: Any
    tau: Any
    rho: float


@dataclass(frozen=True)
class Preset:
    """Which optional parts are on. A claim about the layer names the preset it needs.

    `bound`: NM-A saturates at rms rho, NM-B gives the gated step the rms of the ungated one.
    `ffn`: `raw` reads the angles (not periodic), `lift` their cosines and sines, `none` is absent.
    """

    heads: int = 1
    gates: bool = True
    value_gate: bool = True
    drift: bool = True
    bound: str = "NM-A"
    ffn: str = "raw"

    def __post_init__(self) -> None:
        if self.bound not in BOUNDS or self.ffn not in FEEDFORWARDS or self.heads < 1:
            raise ValueError(
                f"Preset: found bound={self.bound!r}, ffn={self.ffn!r}, heads={self.heads}; "
                f"needed a bound of {BOUNDS}, an ffn of {FEEDFORWARDS}, heads >= 1")


FULL = Preset()
BARE = Preset(gates=False, value_gate=False, drift=False, bound="none", ffn="none")


@dataclass(frozen=True)
class Layer:
    """What one layer computes: score and attention (H, T, T), the rest (T, k).

    `re`, `im` are the parts of the circular mean G, `increment` is a, `delta` the bounded gated
    step, `theta` the phases after the attention step and the feedforward step.
    """

    score: Any
    attention: Any
    re: Any
    im: Any
    increment: Any
    delta: Any
    theta: Any


def features(theta: Any) -> Any:
    """The lift (cos theta, sin theta), shape (T, 2k)."""
    xp = array_namespace(theta)
    return xp.concat([xp.cos(theta), xp.sin(theta)], axis=-1)


def gates(theta: Any, parameters: Parameters, preset: Preset = FULL) -> tuple[Any, Any]:
    """Query and key gates (T, k): softplus of the features, divided by the mean over all k.

    Positive with mean 1; identically 1 when the preset has no gates.
    """
    xp = array_namespace(theta)
    if not preset.gates:
        return xp.ones_like(theta), xp.ones_like(theta)
    phi = features(theta)

    def gate(weight: Any, bias: Any) -> Any:
        x = xp.matmul(phi, weight) + bias
        positive = xp.log1p(xp.exp(-xp.abs(x))) + xp.where(x > 0, x, xp.zeros_like(x))
        return positive / xp.mean(positive, axis=-1, keepdims=True)
    return gate(parameters.Wq, parameters.bq), gate(parameters.Wk, parameters.bk)


def split(x: Any, heads: int) -> Any:
    """(..., T, H d) to (..., H, T, d): head h owns the coordinates h d .. h d + d - 1.

    Raises ValueError where the heads do not divide the coordinates.
    """
    xp = array_namespace(x)
    *batch, tokens, k = x.shape
    if k % heads:
        raise ValueError(f"kuramoto: found k = {k} and {heads} heads; the heads must divide k")
    return xp.moveaxis(xp.reshape(x, (*batch, tokens, heads, k // heads)), -2, -3)


def join(x: Any) -> Any:
    """(..., H, T, d) to (..., T, H d)."""
    xp = array_namespace(x)
    *batch, heads, tokens, d = x.shape
    return xp.reshape(xp.moveaxis(x, -3, -2), (*batch, tokens, heads * d))


def score(theta: Any, parameters: Parameters, preset: Preset = FULL,
          positions: Any = None) -> Any:
    """s[h,t,u] = tau/sqrt(d) sum_j gq[t,j] gk[u,j] cos(theta[t,j] - theta[u,j]
    + omega[j] (p_t - p_u)), as a dot product of gated lifts turned by omega p (claim K7)."""
    xp = array_namespace(theta)
    query, key = lifts(theta, parameters, preset, positions)
    scale = (theta.shape[-1] // preset.heads) ** -0.5
    return scale * xp.matmul(query, xp.matrix_transpose(key))


def lifts(theta: Any, parameters: Parameters, preset: Preset = FULL,
          positions: Any = None) -> tuple[Any, Any]:
    """Query tau gq (cos Phi, sin Phi) and key gk (cos Phi, sin Phi), each (..., H, T, 2 d), with
    Phi = theta + omega p: ordinary attention on them, scale 1/sqrt(d), has the layer's weights."""
    xp = array_namespace(theta)
    tokens, phase = theta.shape[-2], theta
    if preset.drift:
        if positions is None:
            positions = xp.arange(tokens, device=device(theta))
        phase = theta + xp.astype(positions, theta.dtype)[:, None] * parameters.omega
    gq, gk = (split(g, preset.heads) for g in gates(theta, parameters, preset))
    turned = split(phase, preset.heads)
    c, s = xp.cos(turned), xp.sin(turned)
    query = parameters.tau[:, None, None] * xp.concat([gq * c, gq * s], axis=-1)
    return query, xp.concat([gk * c, gk * s], axis=-1)


def mean(theta: Any, weights: Any) -> tuple[Any, Any]:
    """Re G and Im G (T, k), G[t,j] = sum_u A[t,u] exp(i theta[u,j]): raw phases, two products.

    `weights` is (H, T, T): neither gates nor drift enter here.
    """
    xp = array_namespace(theta)
    heads = weights.shape[-3]
    parts = (split(f(theta), heads) for f in (xp.cos, xp.sin))
    re, im = (join(xp.matmul(weights, part)) for part in parts)
    return re, im


def increment(theta: Any, re: Any, im: Any) -> Any:
    """a = -sin(theta) Re G + cos(theta) Im G = sum_u A[t,u] sin(theta_u - theta_t) (claim K1)."""
    xp = array_namespace(theta)
    return xp.cos(theta) * im - xp.sin(theta) * re


def gated(theta: Any, raw: Any, parameters: Parameters, preset: Preset = FULL) -> Any:
    """m = v a with the signed value gate v = (cos theta, sin theta) Wv + bv."""
    if not preset.value_gate:
        return raw
    xp = array_namespace(theta)
    return (xp.matmul(features(theta), parameters.Wv) + parameters.bv) * raw


def bound(m: Any, raw: Any, rho: float, kind: str = "NM-A") -> Any:
    """The norm bound N(m), row by row (claim K25).

    NM-A: rho m / sqrt(rho^2 + mean m^2), so that its rms stays below rho. NM-B: m rms(raw)/rms(m),
    not differentiable at m = 0, where it is taken as 0.
    """
    xp = array_namespace(m)
    square = xp.mean(m * m, axis=-1, keepdims=True)
    if kind == "NM-A":
        return rho * m / xp.sqrt(rho * rho + square)
    if kind == "NM-B":
        wanted = xp.mean(raw * raw, axis=-1, keepdims=True)
        return m * xp.sqrt(wanted / xp.where(square == 0, xp.ones_like(square), square))
    return m


def feedforward(theta: Any, parameters: Parameters, preset: Preset = FULL) -> Any:
    """N((silu(x Wa) * (x Wb)) Wo), (T, k), with x the raw angles or their lift.

    Bounded as the preset says; NM-B has no ungated step to match here and stands for NM-A.
    """
    xp = array_namespace(theta)
    if preset.ffn == "none":
        return xp.zeros_like(theta)
    x = theta if preset.ffn == "raw" else features(theta)
    hidden = xp.matmul(x, parameters.Wa)
    silu = hidden * (1 + xp.tanh(hidden / 2)) / 2       # neither it nor its slope overflows
    hidden = silu * xp.matmul(x, parameters.Wb)
    out = xp.matmul(hidden, parameters.Wo)
    return bound(out, out, parameters.rho, "none" if preset.bound == "none" else "NM-A")


def step(theta: Any, parameters: Parameters, preset: Preset = FULL,
         positions: Any = None) -> Layer:
    """The attention step theta + N(v a) alone, with all that leads to it."""
    s = score(theta, parameters, preset, positions)
    weights = softmax.attention(s)
    re, im = mean(theta, weights)
    a = increment(theta, re, im)
    delta = bound(gated(theta, a, parameters, preset), a, parameters.rho, preset.bound)
    return Layer(s, weights, re, im, a, delta, theta + delta)


def forward(theta: Any, parameters: Parameters, preset: Preset = FULL,
            positions: Any = None) -> Layer:
    """One layer: the attention step, then the feedforward step, each added to the phases."""
    layer = step(theta, parameters, preset, positions)
    return replace(layer, theta=layer.theta + feedforward(layer.theta, parameters, preset))


def fused(theta: Any, parameters: Parameters, preset: Preset = FULL, positions: Any = None,
          attend: Any = softmax.forward) -> Any:
    """The phases after one layer by one call `attend(query, key, value, scale)`, causal.

    The values are (cos theta, sin theta), so that what comes out is (Re G, Im G): any fast
    attention of a library will do.
    """
    xp = array_namespace(theta)
    value = xp.concat([split(f(theta), preset.heads) for f in (xp.cos, xp.sin)], axis=-1)
    d = theta.shape[-1] // preset.heads
    g = attend(*lifts(theta, parameters, preset, positions), value, d**-0.5)
    return moved(theta, increment(theta, join(g[..., :d]), join(g[..., d:])), parameters, preset)


def moved(theta: Any, raw: Any, parameters: Parameters, preset: Preset = FULL) -> Any:
    """The phases after the bounded gated step along `raw`, then after the feedforward step."""
    m = gated(theta, raw, parameters, preset)
    theta = theta + bound(m, raw, parameters.rho, preset.bound)
    return theta + feedforward(theta, parameters, preset)


def readout(theta: Any, prototypes: Any, beta: float = 1.0, bias: Any = 0.0) -> Any:
    """logit[t,w] = beta/sqrt(k) sum_j cos(theta[t,j] - prototypes[w,j]) + bias[w], (T, V)."""
    xp = array_namespace(theta)
    aligned = xp.matmul(features(theta), xp.matrix_transpose(features(prototypes)))
    return beta / theta.shape[-1] ** 0.5 * aligned + bias


def local_order(re: Any, im: Any) -> Any:
    """r[t,j] = abs G[t,j] in [0, 1]. At least 2 A[t,t] - 1 whatever the phases (claim K30)."""
    xp = array_namespace(re)
    return xp.sqrt(re * re + im * im)


def global_order(theta: Any) -> Any:
    """R[j] = abs of the mean of exp(i theta[t,j]) over t, shape (..., k)."""
    xp = array_namespace(theta)
    return local_order(xp.mean(xp.cos(theta), axis=-2), xp.mean(xp.sin(theta), axis=-2))


def excluded_order(theta: Any, weights: Any) -> Any:
    """abs(sum_{u<t} A[t,u] z[u,j]) / (1 - A[t,t]) for t >= 2, shape (..., T - 1, k)."""
    xp = array_namespace(theta)
    others = xp.tril(weights, k=-1)
    total = xp.sum(others, axis=-1)[..., 1:, None]
    re, im = (split(part[..., 1:, :], weights.shape[-3]) for part in mean(theta, others))
    return join(local_order(re, im) / total)


def random_phases(rng: np.random.Generator, tokens: int, k: int) -> np.ndarray:
    """Phases (T, k), uniform on (-pi, pi)."""
    return rng.uniform(-np.pi, np.pi, (tokens, k))


def random_parameters(rng: np.random.Generator, k: int, heads: int = 1, hidden: int = 16,
                      lift: bool = False, rho: float = 1.3) -> Parameters:
    """NumPy parameters of moderate size; `lift` makes the feedforward read 2k features."""
    inputs = 2 * k if lift else k

    def normal(*shape: int) -> np.ndarray:
        return rng.normal(size=shape) / np.sqrt(shape[0])
    return Parameters(
        Wq=normal(2 * k, k), bq=normal(k), Wk=normal(2 * k, k), bk=normal(k),
        Wv=normal(2 * k, k), bv=normal(k), Wa=normal(inputs, hidden), Wb=normal(inputs, hidden),
        Wo=normal(hidden, k), omega=rng.uniform(0, 0.5, k), tau=rng.uniform(1, 3, heads), rho=rho,
    )


def converted(parameters: Parameters, convert: Any) -> Parameters:
    """The same parameters as arrays of another library or dtype, `convert(array)` each."""
    arrays = {f.name: convert(getattr(parameters, f.name)) for f in fields(parameters)
              if f.name != "rho"}
    return Parameters(**arrays, rho=parameters.rho)
