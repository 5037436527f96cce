"""Throughput of a Kuramoto attention step beside an ordinary rotary attention of the same width.

Both in single precision without feedforward nets: the ordinary one has four projections of width
k, the Kuramoto one gates, lifts of width 2k and a bound. Torch by its fused kernel, forward alone
and with the slopes; NumPy and JAX (compiled) by the same functions over the array API.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from numeric.attention import kuramoto, softmax
from numeric.attention.kuramoto import Preset
from tests.bench.report import Row

SIZES, QUICK_SIZES = ((16, 96, 48, 4), (4, 512, 64, 4)), ((2, 24, 16, 2),)
LIBRARIES = ("numpy", "torch", "jax")
WITHIN = 1e-3       # single precision, positions * omega up to 10^2


def phases(quick: bool) -> Iterator[Row]:
    """(g) One layer on a batch: B sequences of T tokens of k oscillators."""
    from tests.bench.__main__ import best

    for shape in QUICK_SIZES if quick else SIZES:
        exact = None
        for library in LIBRARIES:
            if library != "numpy" and not find_spec(library):
                continue
            base = {}
            for way, call in _ways(library, *shape).items():
                out = call()
                wall, cpu, out = best(call, 2 if quick else 20)
                kind, _, slopes = way.partition(", ")
                base.setdefault(slopes, cpu)
                answer = f"{shape[0] * shape[1] / wall:,.0f} tokens/s"
                if kind == "kuramoto" and not slopes:
                    exact = np.asarray(out) if exact is None else exact
                    if np.abs(np.asarray(out) - exact).max() > WITHIN:
                        answer = "WRONG: not what NumPy finds"
                yield Row("phases", f"B={shape[0]} T={shape[1]} k={shape[2]} {library} {way}",
                          wall, cpu, None, answer, cpu / base[slopes])


def _ways(library: str, batch: int, tokens: int, k: int, heads: int) -> dict[str, Callable]:
    """Calls by name, the ordinary attention first: ratios are to it."""
    rng = np.random.default_rng(0)
    theta = rng.uniform(-1.5, 1.5, (batch, tokens, k)).astype(np.float32)
    single = kuramoto.random_parameters(rng, k, heads)
    own = kuramoto.converted(single, lambda x: np.asarray(x, np.float32))
    weights = [(rng.normal(size=(k, k)) / np.sqrt(k)).astype(np.float32) for _ in range(4)]
    angle = np.arange(tokens)[:, None] * 10000.0 ** (-np.arange(0, k // heads, 2) * heads / k)
    turn = [f(angle).astype(np.float32) for f in (np.cos, np.sin)]
    preset = Preset(heads, ffn="none")
    if library == "torch":
        return _torch(theta, own, weights, turn, preset)

    def ordinary(x: Any, *arrays: Any) -> Any:
        return rotary(x, arrays[:4], arrays[4:], heads, softmax.forward)

    def layer(x: Any, *arrays: Any) -> Any:
        return kuramoto.fused(x, own, preset)
    if library == "jax":
        import jax
        ordinary, layer = jax.jit(ordinary), jax.jit(layer)
    arrays = (*weights, *turn)
    return {"ordinary": lambda: np.asarray(ordinary(theta, *arrays)),
            "kuramoto": lambda: np.asarray(layer(theta, *arrays))}


def rotary(x: Any, weights: Any, turn: Any, heads: int, attend: Callable) -> Any:
    """Causal attention with rotary positions and four projections, residual."""
    from array_api_compat import array_namespace

    xp, (c, s) = array_namespace(x), turn
    query, key, value = (kuramoto.split(x @ w, heads) for w in weights[:3])

    def turned(y: Any) -> Any:
        half = y.shape[-1] // 2
        a, b = y[..., :half], y[..., half:]
        return xp.concat([a * c - b * s, a * s + b * c], axis=-1)
    mixed = attend(turned(query), turned(key), value, query.shape[-1] ** -0.5)
    return x + kuramoto.join(mixed) @ weights[3]


def _torch(theta: Any, own: Any, weights: Any, turn: Any, preset: Preset) -> dict[str, Callable]:
    import torch

    torch.set_num_threads(1)

    def attend(query: Any, key: Any, value: Any, scale: float) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(query, key, value,
                                                                is_causal=True, scale=scale)
    x = torch.from_numpy(theta)
    own = kuramoto.converted(own, torch.from_numpy)
    weights, turn = [torch.from_numpy(w) for w in weights], [torch.from_numpy(t) for t in turn]
    calls = {"ordinary": lambda x: rotary(x, weights, turn, preset.heads, attend),
             "kuramoto": lambda x: kuramoto.fused(x, own, preset, attend=attend)}

    def forward(call: Callable) -> Any:
        with torch.no_grad():
            return call(x).numpy()

    def slopes(call: Callable) -> Any:
        here = x.clone().requires_grad_()
        call(here).sum().backward()
        return here.grad.numpy()
    return {f"{name}{says}": lambda act=act, call=call: act(call)
            for says, act in (("", forward), (", with slopes", slopes))
            for name, call in calls.items()}
