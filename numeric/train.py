"""Gradient descent, plain: seeded, with checkpoints from which a run goes on as if never stopped.

A model is a dictionary of arrays and a loss of it; batches depend on the step alone, so a resumed
run sees what the uninterrupted one would have seen. Needs torch, imported when training starts.
"""

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

RECORDS = 50                    # points of a learning curve
KEPT_EVERY = 20.0               # seconds between checkpoints


class Absent(Exception):
    """torch is not installed; the message says which extra brings it."""


@dataclass(frozen=True)
class Budget:
    """How long and how fast: AdamW with linear warm-up, cosine decay and clipped gradients.

    `rate` is the largest learning rate, `clip` the largest gradient norm, `decay` the weight
    decay of matrices; vectors and numbers have none.
    """

    steps: int
    batch: int = 128
    rate: float = 6e-3
    warmup: int = 100
    betas: tuple[float, float] = (0.9, 0.99)
    decay: float = 0.0
    clip: float = 1.0

    def __post_init__(self) -> None:
        if min(self.steps, self.batch) < 1 or not self.rate > 0:
            raise ValueError(f"Budget: found steps={self.steps}, batch={self.batch}, "
                             f"rate={self.rate}; needed at least one step of one sample and a "
                             "rate above 0")

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        warmup = min(self.warmup, max(1, self.steps // 10))
        if step < warmup:
            return self.rate * (step + 1) / warmup
        rest = max(1, self.steps - warmup)
        return self.rate * 0.5 * (1 + math.cos(math.pi * (step - warmup) / rest))


@dataclass(frozen=True)
class Fitted:
    """What training made: the parameters, the curve of (step, mean loss since the point before),
    the seconds of the loop (all its parts, where it was resumed), and what went wrong, if so."""

    parameters: dict[str, np.ndarray]
    curve: tuple[tuple[int, float], ...]
    seconds: float
    note: str = ""


def torch_or_why() -> Any:
    """The torch module, one thread. Raises Absent where it is not installed."""
    if find_spec("torch") is None:
        raise Absent("training needs torch, which is not installed: pip install "
                     "'attnproof[torch]'")
    import torch

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    return torch


def fit(start: Mapping[str, np.ndarray], loss: Callable[[dict, Any], Any],
        batch: Callable[[int], Any], budget: Budget, *, name: str = "",
        store: Path | None = None, every: float = KEPT_EVERY,
        tell: Callable[[int, float], None] = lambda *_: None) -> Fitted:
    """Minimise `loss(parameters, batch(step))` from `start` over the steps of a budget.

    `batch` must depend on the step alone. With `store` the state is written there
    `every` so many seconds, and a run of the same `name` and budget goes on from it; the file is
    the caller's to remove. `tell(step, loss)` is called after each step. A loss that is no number
    ends the run with a note.
    Raises Absent without torch, ValueError for a checkpoint of another run.
    """
    torch = torch_or_why()
    parameters = {k: torch.tensor(np.asarray(v), requires_grad=True) for k, v in start.items()}
    state = _State(torch, parameters, budget, f"{name} {asdict(budget)}")
    first, curve, seconds = state.load(store) if store and store.exists() else (0, [], 0.0)
    begun = kept = time.perf_counter()
    since, note = [], ""
    for step in range(first, budget.steps):
        value = state.step(loss(parameters, batch(step)), budget.rate_at(step))
        if not math.isfinite(value):
            note = f"the loss is {value} at step {step + 1}"
            break
        since.append(value)
        if _recorded(step + 1, budget.steps):
            curve.append((step + 1, sum(since) / len(since)))
            since = []
        tell(step + 1, value)
        now = time.perf_counter()
        if store and now > kept + every and not since:
            state.save(store, step + 1, curve, seconds + now - begun)
            kept = now
    found = {k: v.detach().numpy().copy() for k, v in parameters.items()}
    return Fitted(found, tuple(map(tuple, curve)), seconds + time.perf_counter() - begun, note)


def _recorded(step: int, steps: int) -> bool:
    return step % max(1, steps // RECORDS) == 0 or step == steps


class _State:
    """Parameters and optimiser together, as they are written to a file and read back."""

    def __init__(self, torch: Any, parameters: dict, budget: Budget, name: str) -> None:
        matrices = [p for p in parameters.values() if p.ndim > 1]
        rest = [p for p in parameters.values() if p.ndim <= 1]
        groups = [{"params": matrices, "weight_decay": budget.decay},
                  {"params": rest, "weight_decay": 0.0}]
        self.torch, self.parameters, self.name = torch, parameters, name
        self.clip = budget.clip
        self.optimiser = torch.optim.AdamW([g for g in groups if g["params"]], lr=budget.rate,
                                           betas=budget.betas)

    def step(self, loss: Any, rate: float) -> float:
        value = float(loss.detach())
        if math.isfinite(value):
            for group in self.optimiser.param_groups:
                group["lr"] = rate
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.torch.nn.utils.clip_grad_norm_(self.parameters.values(), self.clip)
            self.optimiser.step()
        return value

    def save(self, path: Path, step: int, curve: list, seconds: float) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(path.name + f".{os.getpid()}")
        self.torch.save({"name": self.name, "step": step, "curve": curve, "seconds": seconds,
                         "parameters": {k: v.detach() for k, v in self.parameters.items()},
                         "optimiser": self.optimiser.state_dict()}, beside)
        beside.replace(path)

    def load(self, path: Path) -> tuple[int, list, float]:
        held = self.torch.load(path, weights_only=True)
        if held.get("name") != self.name:
            raise ValueError(f"{path}: found the checkpoint of {held.get('name')!r}, needed that "
                             f"of {self.name!r}: remove the file or name another")
        with self.torch.no_grad():
            for key, value in held["parameters"].items():
                self.parameters[key].copy_(value)
        self.optimiser.load_state_dict(held["optimiser"])
        return held["step"], list(held["curve"]), held["seconds"]
