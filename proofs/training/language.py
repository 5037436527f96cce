"""The Kuramoto language model beside a transformer of its size, and its ablations.

Bits a character on held-out text that Python ships. The paper's numbers are quoted beside ours:
another text, another size and another budget, so nothing here claims parity.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from numeric import language, train
from numeric.language import ABLATIONS, CONTEXT, Corpus, Model
from numeric.sweep import key

KINDS = ("transformer", *ABLATIONS)
BATCH, RATE, BETAS, JUDGED = 16, 2e-2, (0.9, 0.98), 20
CHECKED = 4                     # sequences on which the phases of a trained model are looked at
QUOTED = {
    "source": "J. Nunley, arXiv 2606.11585 (v1; ablations from a summary of it)",
    "text": "enwik8",
    "bits a character, 1M parameters": {"full": "1.637 +- 0.010", "transformer": "1.616 +- 0.004"},
    "bits a character, 5M parameters, median": {"full": "1.448", "transformer": "1.452"},
    "bits a character, 5M parameters, mean": {"full": "1.468", "transformer": "1.456"},
    "cost of an ablation": {"value-projection": "+0.25", "no-ffn": "+0.27", "no-gates": "+0.09"},
}
NOT_CLAIMED = ("ours are small models on another text, trained briefly, with gates, heads, bound "
               "and scales that the paper's sources leave open: no parity with the paper or with "
               "a transformer is claimed beyond the numbers of this file")
CHOSEN = ("the default scales and rate of the Kuramoto model were chosen among 28 runs of 120 "
          "steps of it, judged on the held-out text, those of the transformer among 6: the "
          "comparison of the two favours the former; ablations use the scales of the full model")


def runs(kinds: Iterable[str], seeds: Iterable[int], steps: int, batch: int = BATCH,
         rate: float = RATE, model: Model = language.FULL) -> list[dict]:
    """The runs of a sweep, as plain data: every kind at the size of the full model."""
    found, settings = [], {n: v for n, v in asdict(model).items() if n != "kind"}
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"kuramoto-lm: found the model {kind!r}; needed some of "
                             f"{', '.join(KINDS)}")
        found += [{"experiment": "kuramoto-lm", "model": asdict(language.matched(kind, model)),
                   "like": settings, "text": _corpus(None).digest, "seed": seed, "steps": steps,
                   "batch": batch, "rate": rate} for seed in seeds]
    return found


def do(run: dict, folder: Path | None = None, tell: Any = lambda *_: None,
       source: str | None = None) -> dict:
    """Train one model and judge it; the row without its run. A checkpoint is kept in `folder`
    while the run lasts. Raises numeric.train.Absent without torch."""
    torch = train.torch_or_why()
    data, model, seed = _corpus(source), Model(**run["model"]), run["seed"]
    v = len(data.alphabet)

    def batch(step: int) -> Any:
        rng = np.random.default_rng([seed, step])
        return torch.from_numpy(data.batch(rng, run["batch"]))

    def loss(weights: dict, tokens: Any) -> Any:
        out = language.logits(model, weights, tokens[:, :-1])
        return torch.nn.functional.cross_entropy(out.reshape(-1, v), tokens[:, 1:].reshape(-1))
    budget = train.Budget(run["steps"], run["batch"], run["rate"], betas=BETAS)
    store = folder / f"{key(run)}.pt" if folder else None
    start = language.initial(model, v, np.random.default_rng([seed, 0]))
    fitted = train.fit(start, loss, batch, budget, name=key(run), store=store, tell=tell)
    row = {"parameters": language.size(model, v),
           "seconds": round(fitted.seconds, 1), "note": fitted.note,
           "curve": [[s, round(x / np.log(2), 4)] for s, x in fitted.curve]}
    if not fitted.note:
        row |= _judged(model, fitted.parameters, data, loss)
    if store:
        store.unlink(missing_ok=True)
    return row


@lru_cache(maxsize=2)
def _corpus(source: str | None) -> Corpus:
    return language.corpus(language.text() if source is None else source)


def _judged(model: Model, weights: dict, data: Corpus, loss: Any) -> dict:
    """Held-out bits a character on fixed batches, and what the phases of each layer do."""
    import torch

    rng = np.random.default_rng(2606)
    held = [data.batch(rng, BATCH, held=True) for _ in range(JUDGED)]
    tensors = {k: torch.from_numpy(v) for k, v in weights.items()}
    with torch.no_grad():
        bits = [float(loss(tensors, torch.from_numpy(b))) / np.log(2) for b in held]
    return {"bits": round(mean(bits), 4),
            "layers": language.diagnose(model, weights, held[0][:CHECKED, :-1])}


def result(rows: Sequence[dict]) -> dict:
    """The tables of a sweep as plain data, one for each length and setting, the paper's numbers
    quoted beside ours."""
    data = _corpus(None)
    kinds: dict[str, list[dict]] = {}
    for row in sorted(rows, key=lambda row: row["run"]["steps"]):
        kinds.setdefault(key(settings(row)), []).append(row)
    return {
        "experiment": "kuramoto-lm", "date": _today(), "context": CONTEXT,
        "text": {"source": "pydoc_data.topics of the Python that ran", "hash": data.digest,
                 "characters": len(data.train) + len(data.held), "alphabet": len(data.alphabet)},
        "guessing": {k: round(v, 3) for k, v in language.guesses(data).items()},
        "ours": [_table(here) for here in kinds.values()],
        "quoted": QUOTED, "not claimed": NOT_CLAIMED, "chosen": CHOSEN,
    }


def settings(row: dict) -> dict:
    """What the runs of one table share: all but the model's kind and the seed."""
    return {k: row["run"][k] for k in ("steps", "batch", "rate", "like", "text")}


def _table(rows: Sequence[dict]) -> dict:
    models = []
    for kind in KINDS:
        here = [r for r in rows if r["run"]["model"]["kind"] == kind]
        ends = [r["bits"] for r in here if "bits" in r]
        if not here:
            continue
        models.append({
            "model": kind, "parameters": here[0]["parameters"],
            "bits": {str(r["run"]["seed"]): r.get("bits") for r in here},
            "mean": round(mean(ends), 4) if ends else None,
            "sd": round(stdev(ends), 4) if len(ends) > 1 else None,
            "seconds": round(mean(r["seconds"] for r in here), 1),
            "notes": sorted({r["note"] for r in here} - {""}), "layers": _layers(here)})
    means = {m["model"]: m["mean"] for m in models if m["mean"] is not None}
    full = means.get("full")
    gaps = {} if full is None else {k: round(v - full, 4) for k, v in means.items() if k != "full"}
    return {**settings(rows[0]), "models": models, "above full": gaps}


def _layers(rows: Sequence[dict]) -> list[dict]:
    """The diagnostics of each layer, averaged over seeds."""
    held = [r["layers"] for r in rows if r.get("layers")]
    return [{k: round(mean(part[k] for part in parts), 4) for k in parts[0]}
            for parts in zip(*held, strict=True)] if held else []


def _today() -> str:
    from datetime import UTC, datetime
    return datetime.now(UTC).date().isoformat()
