"""What a trained model holds: can the winner of a comparison be read from a state by a line?

A head that retrieves a token leaves it in the state of the query, where a linear map finds it; the
runner-up should not be there. Errors are parts of the token's variance on inputs not fitted, of
the trained model and of the same model before training: their ratio is what InfoFlow reports
(arXiv 2605.17930, from summaries: 0.08 to 0.84 for the winner, about 1 for the runner-up).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from infoflow import batch as tasks
from infoflow.tree import Tree
from numeric import transformer

INPUTS, ROWS, RIDGE = 2000, 4000, 1e-3
SHOWN = 64      # positions up to which the attention of CLS is kept


def looked_at(tree: Tree, env: Mapping, run: dict, start: Mapping, trained: Mapping,
              x: np.ndarray) -> dict:
    """The probes of every comparison at the layer where it is planned, and, for few tokens, the
    attention of CLS in the last layer: mean and sd over inputs by head and position."""
    x = x[:INPUTS]
    before, after = (transformer.layers(w, x) for w in (start, trained))
    found: dict[str, Any] = {"probes": probes(tree, env, x, before, after)}
    if run["tokens"] < SHOWN:
        attention = np.asarray(after[-1].attention, dtype=float)[:, :, 0, :]
        found["attention"] = {"mean": attention.mean(axis=0).round(4).tolist(),
                              "sd": attention.std(axis=0).round(4).tolist()}
    return found


def probes(tree: Tree, env: Mapping, x: np.ndarray, before: list, after: list) -> list[dict]:
    """For each comparison and each layer where it could stand: errors of winner and runner-up,
    and their ratios."""
    rows = []
    places = {(n.term, n.step.index): n.comparator for n in tree.nodes}
    for (term, index), order in tasks.rankings(tree, x.astype(float), env).items():
        first, by_token = tree.layers[places[term, index]], order.ndim == 3
        for layer in range(first, len(after) + (not by_token)):
            row: dict[str, Any] = {"term": term + 1, "index": index, "layer": layer}
            for rank, name in enumerate(("winner", "runner-up")):
                wanted = _tokens(x, order[:, rank])
                errors = [_error(_states(of[layer - 1].mixed, by_token), wanted)
                          for of in (before, after)]
                row[name] = {"before": round(errors[0], 4), "trained": round(errors[1], 4),
                             "ratio": round(errors[1] / max(errors[0], 1e-12), 4)}
            rows.append(row)
    return rows


def summary(rows: list[dict]) -> list[dict]:
    """Of each comparison the layer where its winner is read best: index, layer, both ratios."""
    best: dict[tuple, dict] = {}
    for row in rows:
        place = row["term"], row["index"]
        if place not in best or row["winner"]["ratio"] < best[place]["winner"]:
            best[place] = {"term": row["term"], "index": row["index"], "layer": row["layer"],
                           **{n: row[n]["ratio"] for n in ("winner", "runner-up")}}
    return list(best.values())


def fixed(attention: dict) -> list[str]:
    """Where the heads of CLS look whatever the tokens: positions with a mean above 0.05 that
    varies by less than a quarter of itself, a line for each head that has any."""
    lines = []
    for head, (means, sds) in enumerate(zip(attention["mean"], attention["sd"], strict=True), 1):
        found = [f"{m:.2f} at {t}" for t, (m, s) in enumerate(zip(means, sds, strict=True), 1)
                 if m > 0.05 and s < m / 4]
        if found:
            lines.append(f"head {head}: {', '.join(found)}")
    return lines


def _tokens(x: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The tokens at positions (B,) or (B, T), a row each."""
    picked = np.take_along_axis(x, chosen.reshape(len(x), -1)[..., None], axis=1)
    return picked.reshape(-1, x.shape[-1]).astype(float)


def _states(mixed: Any, by_token: bool) -> np.ndarray:
    """States of the queries, a row each: of the tokens, or of CLS, which stands last."""
    mixed = np.asarray(mixed, dtype=float)
    return (mixed[:, :-1] if by_token else mixed[:, -1:]).reshape(-1, mixed.shape[-1])


def _error(states: np.ndarray, wanted: np.ndarray) -> float:
    """The part of the variance that the best affine map leaves, fitted on half, judged on half."""
    states, wanted = states[:2 * ROWS], wanted[:2 * ROWS]
    half = len(states) // 2
    mean, sd = states[:half].mean(axis=0), states[:half].std(axis=0) + 1e-12
    design = np.hstack([(states - mean) / sd, np.ones((len(states), 1))])
    gram = design[:half].T @ design[:half] / half
    line = np.linalg.solve(gram + RIDGE * np.eye(len(gram)),
                           design[:half].T @ wanted[:half] / half)
    left = wanted[half:] - design[half:] @ line
    return float((left**2).mean() / wanted[half:].var(axis=0).mean())
