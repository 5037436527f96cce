"""A sealed prediction put to the test: its architectures trained, beside controls of equal budget.

Beside architectures that are predicted to be enough stand those with one head (or layer) fewer;
beside a task whose order is above 2 stands its control, the same scores of pairs alone. All share
tokens, steps, batches and seeds. What is reported is what was measured, every seed; the control is
made of the sealed task by a fixed rule.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from infoflow import batch as tasks
from infoflow import flow
from infoflow.elimination import eliminations
from infoflow.objective import renamed, tokens_of
from infoflow.predict import POSITIONS, Architecture, predict
from infoflow.task import Task, data, from_data
from infoflow.term import Term
from infoflow.tree import Tree, tree
from numeric import train, transformer
from numeric.sweep import key
from proofs.training.probe import fixed, looked_at, summary

HELD_OUT, SCALED_BY = 5000, 20000       # inputs that judge, and that the target is scaled by
LETTERS = 1                             # seed of the matrices and vectors of a task
ENOUGH, SHORT, HARD, CONTROL = "enough", "short", "hard", "control"


@dataclass(frozen=True)
class Setting:
    """What all runs of a trial share: T tokens, sizes, budget. `width` 0: what the plan needs,
    at least 32. `warm`: start from the explicit network where there is one."""

    tokens: int = 16
    steps: int = 2500
    batch: int = 128
    rate: float = 6e-3
    gain: float = 2.5
    width: int = 0
    head_width: int = 8
    hidden: int = 64
    warm: bool = False


@dataclass(frozen=True)
class Entrant:
    """A task and the heads to train it with, what is predicted, and its part in the trial."""

    part: str
    task: Task
    heads: tuple[int, ...]
    verdict: str
    reason: str


def entrants(seal: dict) -> list[Entrant]:
    """The architectures of a sealed prediction, then those that test it.

    Sealed: the architecture that was named, else the least ones (for an order above 2, two
    layers of two heads). With them: one head fewer in a layer, or one layer fewer, for what is
    enough; the least architecture of the same task for what is short; the control for what is
    hard because of its order.
    """
    task, prediction = from_data(seal["task"]), seal["prediction"]
    named = prediction.get("architecture", {}).get("heads")
    least = [tuple(m["heads"]) for m in prediction["minimal"]]
    asked = [tuple(named)] if named else least or [(2, 2)]
    found = [_entrant(task, heads) for heads in asked]
    if tree(task).order > 2 or tree(task).outside:
        other = control(task)
        return found if other is None else found + [
            replace(_entrant(other, e.heads), part=CONTROL) for e in found]
    if all(e.part == SHORT for e in found):
        return found + [_entrant(task, heads) for heads in least[:1]]
    fewer = dict.fromkeys(heads for e in found for heads in _fewer(e.heads))
    return found + [_entrant(task, heads) for heads in fewer if heads not in asked]


def _entrant(task: Task, heads: tuple[int, ...]) -> Entrant:
    found = predict(task, Architecture(heads))
    part = HARD if found.tree.order > 2 or found.tree.outside else (
        SHORT if found.missing else ENOUGH)
    return Entrant(part, task, heads, found.verdict, found.reason)


def _fewer(heads: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One head fewer in one layer; a layer with a single head goes."""
    options = [(*heads[:k], h - 1, *heads[k + 1:]) for k, h in enumerate(heads) if h > 1]
    if not options and len(heads) > 1:
        options = [heads[1:]]
    return list(dict.fromkeys(options))


def control(task: Task) -> Task | None:
    """The task with every term cut to order 2, or None where there is no such thing.

    Of a term's bound indices the first two stay, and the scores that read no others; where none
    is left, further indices are read as the first. A k-th largest becomes the second.
    """
    if any(term.op == "whole" for term in task.terms):
        return None
    return replace(task, name=f"{task.name}, pairs alone", terms=tuple(map(_cut, task.terms)))


def _cut(term: Term) -> Term:
    if term.op == "kth":
        return replace(term, k=min(term.k, 2))
    if len(term.over) <= 2 or max(len(s.scope) for s in eliminations(term)[0][0]) < 2:
        return term
    kept, gone = term.over[:2], set(term.over[2:])
    objective = tuple((f, c) for f, c in term.objective if not gone & set(tokens_of(f)))
    if not any(len(set(tokens_of(f)) & set(kept)) == 2 for f, _ in objective):
        merged: dict[tuple, Any] = {}
        for f, c in term.objective:
            f = renamed(f, dict.fromkeys(gone, kept[0]))
            merged[f] = merged.get(f, 0) + c
        objective = tuple((f, c) for f, c in merged.items() if c)
    return replace(term, over=kept, objective=objective,
                   output=tuple((i, s) for i, s in term.output if i in kept))


def runs(seal: dict, seeds: Iterable[int], setting: Setting) -> list[dict]:
    """The runs of a trial as plain data, the entrants in order, all seeds of each."""
    found = entrants(seal)
    wanted = seal["prediction"].get("architecture", {}).get("width")
    needed = max((m["width"] for m in seal["prediction"]["minimal"]), default=0)
    width = setting.width or wanted or max(32, needed)
    shared = {k: v for k, v in asdict(setting).items() if k != "width"}
    return [{"experiment": "trial", "seal": seal["hash"], "part": e.part, "task": data(e.task),
             "heads": list(e.heads), "seed": seed, **shared, "width": width,
             "tokens": e.task.T or setting.tokens} for e in found for seed in seeds]


def do(run: dict, folder: Path | None = None, tell: Any = lambda *_: None) -> dict:
    """Train one entrant with one seed and measure it; the row without its run.

    The weights go to `folder`/<key>.npz. Raises numeric.train.Absent without torch.
    """
    torch = train.torch_or_why()
    found, env = _letters(key(run["task"]), run["tokens"], _frozen(run["task"]))
    scale, held = _scaled(found, env, run)
    architecture = _architecture(found, run, len(scale[0]))

    def batch(step: int) -> Any:
        x, y = _draw(found, env, run, run["batch"], run["seed"], step)
        return torch.from_numpy(x), torch.from_numpy(_unit(y, scale))

    def loss(weights: dict, xy: Any) -> Any:
        return ((transformer.forward(weights, xy[0]) - xy[1]) ** 2).mean()
    rng = np.random.default_rng([run["seed"], 7])
    store = folder / f"{key(run)}.pt" if folder else None
    start, begins = _start(found, env, run, architecture, rng, scale)
    budget = train.Budget(run["steps"], run["batch"], run["rate"])
    fitted = train.fit(start, loss, batch, budget, name=key(run), store=store, tell=tell)
    x, y = held
    error = transformer.forward(fitted.parameters, x) - _unit(y, scale)
    row = {"start": begins, "note": fitted.note,
           "nmse": None if fitted.note else float(np.mean(error**2)),
           "target": {"mean": float(scale[0].mean()), "sd": float(scale[1].mean())},
           "parameters": architecture.parameters(), "seconds": round(fitted.seconds, 1),
           "curve": [[s, round(v, 6)] for s, v in fitted.curve],
           "date": datetime.now(UTC).isoformat(timespec="seconds")}
    if not fitted.note:
        row |= looked_at(found, env, run, start, fitted.parameters, x)
    if folder and store:
        folder.mkdir(parents=True, exist_ok=True)
        np.savez(folder / f"{key(run)}.npz", **fitted.parameters)
        store.unlink(missing_ok=True)
    return row


def _start(found: Tree, env: dict, run: dict, architecture: transformer.Architecture,
           rng: np.random.Generator, scale: tuple) -> tuple[dict, str]:
    """Where training starts, and what that is: random weights, or the explicit network."""
    forms = bilinear(found.task, env) if run["warm"] else None
    if forms is not None and len(run["heads"]) == 2:
        from numeric import warm
        matrices, weights = zip(*forms, strict=True)
        return warm.start(matrices, weights, architecture, rng, float(scale[0][0]),
                          float(scale[1][0])), "explicit"
    return transformer.initial(architecture, rng, run["gain"]), "random"


def bilinear(task: Task, env: dict) -> list[tuple[np.ndarray, float]] | None:
    """The matrices and weights of a sum of extrema of bilinear forms of two tokens, else None."""
    found = []
    for term in task.terms:
        (factor, c), *more = term.objective
        if term.op != "max" or more or term.around or term.offset or factor[0] != "bil" or len(
                set(tokens_of(factor)) & set(term.over)) != 2 or term.distinct:
            return None
        M = float(c) * tasks.chain(factor[2], env, task.d)
        found.append((M, float(term.weight) * term.sign))
    return found if task.outer == "sum" else None


def _frozen(task: dict) -> str:
    import json
    return json.dumps(task, sort_keys=True)


@lru_cache(maxsize=8)
def _letters(_: str, tokens: int, text: str) -> tuple[Tree, dict]:
    """The tree of a task, and its matrices, vectors and functions, the same for all its runs."""
    import json
    task = from_data(json.loads(text))
    env = flow.draw(task, tokens, np.random.default_rng(LETTERS))[1]
    return tree(task), env | {name: act for name, act in NAMED.items() if name in env}


def _parity(x: np.ndarray) -> float:
    """The parity of the signs of all numbers, as +1 or -1."""
    return float(np.prod(np.sign(x)))


NAMED = {"parity": _parity}     # functions that a task's name means; others are drawn, smooth


def _draw(found: Tree, env: dict, run: dict, count: int, *seed: int) -> tuple[Any, Any]:
    """Tokens N(0, I) and the task's values, in single precision."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, run["tokens"], found.task.d))
    parts = [tasks.values(found, x[k:k + 1000], env) for k in range(0, count, 1000)]
    return x.astype(np.float32), np.concatenate(parts).astype(np.float32)


def _scaled(found: Tree, env: dict, run: dict) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Mean and sd of the target by coordinate, and the inputs that judge: no run's seed."""
    x, y = _draw(found, env, run, SCALED_BY, 2605, 17930)
    return (y.mean(axis=0), y.std(axis=0) + 1e-30), (x[:HELD_OUT], y[:HELD_OUT])


def _unit(y: np.ndarray, scale: tuple) -> np.ndarray:
    return (y - scale[0]) / scale[1]


def _architecture(found: Tree, run: dict, outputs: int) -> transformer.Architecture:
    places = POSITIONS in predict(found.task).assumptions
    return transformer.Architecture(
        found.task.d, tuple(run["heads"]), run["width"], run["head_width"], run["hidden"],
        run["tokens"] if places else 0, outputs)


def result(seal: dict, rows: Sequence[dict]) -> dict:
    """Prediction against measurement, every seed, as plain data."""
    names = {(e.part, e.task.name, e.heads): e for e in entrants(seal)}
    found: list[dict] = []
    for (part, name, heads), e in names.items():
        here = [r for r in rows if (r["run"]["part"], r["run"]["task"]["name"],
                                    tuple(r["run"]["heads"])) == (part, name, heads)]
        if here:
            found.append(_measured(e, here))
    return {"experiment": "trial", "task": seal["task"]["name"], "seal": seal["hash"],
            "sealed": seal["sealed"], "first run ended": min(r["date"] for r in rows),
            "predicted": {"verdict": seal["prediction"]["verdict"],
                          "law": seal["prediction"]["law"]},
            "setting": {k: rows[0]["run"][k] for k in (*asdict(Setting()),)},
            "entrants": found, "comparisons": _comparisons(found)}


def _measured(e: Entrant, rows: Sequence[dict]) -> dict:
    values = {str(r["run"]["seed"]): r["nmse"] for r in rows}
    ends = [v for v in values.values() if v is not None]
    return {"part": e.part, "task": e.task.name, "heads": list(e.heads), "verdict": e.verdict,
            "reason": e.reason, "start": sorted({r["start"] for r in rows}),
            "parameters": rows[0]["parameters"], "target": rows[0]["target"], "nmse": values,
            "median": median(ends) if ends else None,
            "fixed attention": {str(r["run"]["seed"]): fixed(r["attention"]) for r in rows
                                if "attention" in r},
            "probes": {str(r["run"]["seed"]): summary(r.get("probes", [])) for r in rows},
            "seconds": round(sum(r["seconds"] for r in rows) / len(rows), 1),
            "notes": sorted({r["note"] for r in rows} - {""})}


def _comparisons(found: Sequence[dict]) -> list[dict]:
    """Each entrant predicted hard against each that is not: the ratio of medians, and whether
    every seed of the one is above every seed of the other."""
    easy = [e for e in found if e["part"] in (ENOUGH, CONTROL) and e["median"]]
    hard = [e for e in found if e["part"] in (SHORT, HARD) and e["median"]]
    return [{"hard": _told(h), "easy": _told(e), "ratio": h["median"] / e["median"],
             "as predicted": h["median"] > e["median"],
             "every seed": min(_ends(h)) > max(_ends(e))} for h in hard for e in easy]


def _ends(entrant: dict) -> list[float]:
    return [v for v in entrant["nmse"].values() if v is not None]


def _told(entrant: dict) -> str:
    return f"{entrant['task']} ({','.join(map(str, entrant['heads']))})"
