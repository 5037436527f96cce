"""A language model of phases, and a transformer of the same size, on text that Python ships.

The Kuramoto model is arXiv 2606.11585 as far as its sources tell (gates, heads, bound and scales
are ours); the baseline has rotary positions, SwiGLU nets and RMS normalisation. Tokens are
characters, T of them at a time; logits (B, T, V) predict the next one.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from numeric.attention import kuramoto
from numeric.attention.kuramoto import Parameters, Preset

CONTEXT, HELD_OUT = 96, 10      # characters a sample; the last tenth of the text is for validation
ABLATIONS = ("full", "value-projection", "no-gates", "no-ffn")
ANGLES, WEIGHTS = ("omega", "tau", "rho"), ("Wq", "bq", "Wk", "bk", "Wv", "bv", "Wa", "Wb", "Wo")


@dataclass(frozen=True)
class Model:
    """Sizes and initial scales. `kind` is "transformer" or one of ABLATIONS.

    `k` oscillators or channels, F = `hidden`; `tau`, `rho`, `beta`, the phases' `spread` (uniform
    on +-spread, radians) and the rates' `omega` (uniform on +-omega, radians a position) are where
    the Kuramoto parameters start. What is best was looked for at 120 steps: a token's score with
    itself is the largest there is, so a small `tau` is needed for heads to look elsewhere.
    """

    kind: str = "full"
    k: int = 48
    heads: int = 4
    layers: int = 3
    hidden: int = 96
    tau: float = 2.0
    rho: float = 3.0
    beta: float = 6.0
    spread: float = 0.7
    omega: float = 0.3

    def __post_init__(self) -> None:
        if self.kind not in (*ABLATIONS, "transformer") or self.k % self.heads or (
                self.kind == "transformer" and self.k // self.heads % 2):
            raise ValueError(f"Model: found {self}; needed a kind of {ABLATIONS} or transformer, "
                             "heads that divide k, and an even width a head for rotations")

    def preset(self) -> Preset:
        """The Kuramoto layer that this model is made of."""
        return Preset(self.heads, gates=self.kind != "no-gates",
                      ffn="none" if self.kind == "no-ffn" else "raw")


FULL = Model()


def matched(kind: str, model: Model = FULL) -> Model:
    """The model of a kind whose size is nearest to the full model's: F makes up for what is
    removed, k where there is no feedforward net."""
    if kind == "transformer":
        return replace(model, kind=kind, hidden=128)
    wanted = size(replace(model, kind="full"))
    if kind == "no-ffn":
        options = [replace(model, kind=kind, k=k) for k in range(
            model.heads, 4 * model.k, model.heads)]
    else:
        options = [replace(model, kind=kind, hidden=f) for f in range(1, 4 * model.hidden)]
    return min(options, key=lambda m: abs(size(m) - wanted))


def size(model: Model, vocabulary: int = 95) -> int:
    """How many numbers are trained."""
    shapes = (_transformer_shapes if model.kind == "transformer" else _shapes)(model, vocabulary)
    return sum(math.prod(shape) for shape in shapes.values())


def text() -> str:
    """The topics of Python's own help (pydoc_data), about half a million characters."""
    from pydoc_data.topics import topics

    return "\n".join(topics[name] for name in sorted(topics))


@dataclass(frozen=True)
class Corpus:
    """Text as numbers: `train` and `held` out, the alphabet, and the hash of the text."""

    train: np.ndarray
    held: np.ndarray
    alphabet: str
    digest: str

    def batch(self, rng: np.random.Generator, count: int, held: bool = False) -> np.ndarray:
        """(count, CONTEXT + 1) numbers: samples from random places, the targets one later."""
        source = self.held if held else self.train
        first = rng.integers(0, len(source) - CONTEXT - 1, count)
        return source[first[:, None] + np.arange(CONTEXT + 1)]


def corpus(source: str) -> Corpus:
    """The corpus of a text, its alphabet the characters that occur in it."""
    alphabet = "".join(sorted(set(source)))
    numbers = np.searchsorted(list(alphabet), list(source)).astype(np.int64)
    cut = len(numbers) * (100 - HELD_OUT) // 100
    return Corpus(numbers[:cut], numbers[cut:], alphabet,
                  sha256(source.encode()).hexdigest()[:16])


def guesses(corpus: Corpus) -> dict[str, float]:
    """Bits a character of guessing by the counts of characters, and of pairs of them."""
    v = len(corpus.alphabet)
    single = np.bincount(corpus.train, minlength=v) + 1.0
    pairs = np.zeros((v, v)) + 0.1
    np.add.at(pairs, (corpus.train[:-1], corpus.train[1:]), 1.0)
    pairs /= pairs.sum(1, keepdims=True)
    return {"unigram": float(-np.log2(single / single.sum())[corpus.held].mean()),
            "bigram": float(-np.log2(pairs[corpus.held[:-1], corpus.held[1:]]).mean())}


def initial(model: Model, vocabulary: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Where training starts, single precision, by name."""
    if model.kind == "transformer":
        shapes = _transformer_shapes(model, vocabulary)
        return {name: _scaled(name, shape, rng) for name, shape in shapes.items()}
    start = {"beta": model.beta, "tau": model.tau, "rho": model.rho}
    found = {}
    for name, shape in _shapes(model, vocabulary).items():
        last = name.split(".")[-1]
        if last in start:
            value = np.full(shape, start[last])
        elif last in ("embedding", "prototypes"):
            value = rng.uniform(-model.spread, model.spread, shape)
        elif last == "omega":
            value = rng.uniform(-model.omega, model.omega, shape)
        elif last == "bv":
            value = np.ones(shape)
        elif last == "Wout":    # steps as small as those of the phases that it stands for
            value = 0.2 * _scaled(name, shape, rng)
        else:
            value = _scaled(name, shape, rng)
        found[name] = np.asarray(value, np.float32)
    return found


def _scaled(name: str, shape: tuple, rng: np.random.Generator) -> np.ndarray:
    if len(shape) < 2:
        return (np.ones if "norm" in name else np.zeros)(shape, np.float32)
    scale = 1.0 if name == "embedding" else shape[0] ** -0.5
    return (scale * rng.normal(size=shape)).astype(np.float32)


def _shapes(model: Model, v: int) -> dict[str, tuple[int, ...]]:
    k, f, layer = model.k, model.hidden, {}
    layer |= {"Wv": (2 * k, k), "bv": (k,), "omega": (k,), "tau": (model.heads,), "rho": ()}
    if model.kind != "no-gates":
        layer |= {"Wq": (2 * k, k), "bq": (k,), "Wk": (2 * k, k), "bk": (k,)}
    if model.kind != "no-ffn":
        layer |= {"Wa": (k, f), "Wb": (k, f), "Wo": (f, k)}
    if model.kind == "value-projection":
        layer |= {"Win": (2 * k, k), "Wout": (k, k)}
    whole = {"embedding": (v, k), "prototypes": (v, k), "bias": (v,), "beta": ()}
    return whole | {f"{i}.{name}": shape for i in range(model.layers)
                    for name, shape in layer.items()}


def _transformer_shapes(model: Model, v: int) -> dict[str, tuple[int, ...]]:
    d, f = model.k, model.hidden
    layer = {"norm1": (d,), "Wq": (d, d), "Wk": (d, d), "Wv": (d, d), "Wo": (d, d),
             "norm2": (d,), "gate": (d, f), "up": (d, f), "down": (f, d)}
    whole = {"embedding": (v, d), "norm": (d,), "head": (d, v), "bias": (v,)}
    return whole | {f"{i}.{name}": shape for i in range(model.layers)
                    for name, shape in layer.items()}


def logits(model: Model, weights: Mapping[str, Any], tokens: Any) -> Any:
    """(B, T, V) from tokens (B, T), torch tensors: the fused attention of torch, causal."""
    if model.kind == "transformer":
        return _transformer(model, weights, tokens)
    theta = weights["embedding"][tokens]
    for i in range(model.layers):
        theta = _layer(model, weights, i, theta)
    return kuramoto.readout(theta, weights["prototypes"], weights["beta"], weights["bias"])


def layer(model: Model, weights: Mapping[str, Any], i: int) -> Parameters:
    """The parameters of layer i, counted from 0; parts that the preset leaves out are None."""
    return Parameters(**{name: weights.get(f"{i}.{name}") for name in (*WEIGHTS, *ANGLES)})


def _layer(model: Model, weights: Mapping[str, Any], i: int, theta: Any) -> Any:
    own, preset = layer(model, weights, i), model.preset()
    if model.kind != "value-projection":
        return kuramoto.fused(theta, own, preset, attend=_attend)
    query, key = kuramoto.lifts(theta, own, preset)
    value = kuramoto.split(kuramoto.features(theta) @ weights[f"{i}.Win"], model.heads)
    mixed = _attend(query, key, value, (model.k // model.heads) ** -0.5)
    return kuramoto.moved(theta, kuramoto.join(mixed) @ weights[f"{i}.Wout"], own, preset)


def _attend(query: Any, key: Any, value: Any, scale: float) -> Any:
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(query, key, value, is_causal=True, scale=scale)


def _transformer(model: Model, weights: Mapping[str, Any], tokens: Any) -> Any:
    from torch.nn.functional import rms_norm, silu

    x, width = weights["embedding"][tokens], model.k // model.heads
    turn = _turns(tokens.shape[-1], width)
    for i in range(model.layers):
        w = {name: weights[f"{i}.{name}"] for name in (
            "norm1", "Wq", "Wk", "Wv", "Wo", "norm2", "gate", "up", "down")}
        here = rms_norm(x, (model.k,), w["norm1"])
        query, key, value = (kuramoto.split(here @ w[n], model.heads) for n in ("Wq", "Wk", "Wv"))
        mixed = _attend(_rotated(query, turn), _rotated(key, turn), value, width**-0.5)
        x = x + kuramoto.join(mixed) @ w["Wo"]
        here = rms_norm(x, (model.k,), w["norm2"])
        x = x + (silu(here @ w["gate"]) * (here @ w["up"])) @ w["down"]
    return rms_norm(x, (model.k,), weights["norm"]) @ weights["head"] + weights["bias"]


def _turns(tokens: int, width: int) -> tuple[Any, Any]:
    """Cosines and sines (T, width/2) of the rotary angles, base 10000."""
    import torch

    rate = 10000.0 ** (-torch.arange(0, width, 2) / width)
    angle = torch.arange(tokens)[:, None] * rate
    return torch.cos(angle), torch.sin(angle)


def _rotated(x: Any, turn: tuple[Any, Any]) -> Any:
    import torch

    (c, s), half = turn, x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


def diagnose(model: Model, weights: Mapping[str, np.ndarray], tokens: np.ndarray) -> list[dict]:
    """What the phases of each layer do, means over tokens (B, T) in double precision.

    `local` order with the self term and `excluded` without it, `own` the attention a token pays
    itself, `global` order of the incoming phases, `repelling` the share of negative value gates,
    `rate` the mean of abs omega in radians a position.
    """
    if model.kind in ("transformer", "value-projection"):
        return []
    wide = {name: np.asarray(value, float) for name, value in weights.items()}
    theta, rows = wide["embedding"][tokens], []
    for i in range(model.layers):
        own, preset = layer(model, wide, i), model.preset()
        step = kuramoto.step(theta, own, preset)
        gate = kuramoto.features(theta) @ own.Wv + own.bv
        means = {
            "local": kuramoto.local_order(step.re, step.im),
            "excluded": kuramoto.excluded_order(theta, step.attention),
            "own": np.diagonal(step.attention, axis1=-2, axis2=-1),
            "global": kuramoto.global_order(theta), "repelling": gate < 0,
            "rate": abs(own.omega)}
        rows.append({"layer": i + 1, **{n: round(float(np.mean(v)), 4) for n, v in means.items()}})
        theta = step.theta + kuramoto.feedforward(step.theta, own, preset)
    return rows
