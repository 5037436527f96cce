"""Figures of training: curves, tables as points, order by layer, prediction against measurement."""

import math
from collections.abc import Sequence
from typing import Any

from proofs.figures.plate import Plate
from proofs.figures.style import BLUE, GREEN, GREY, ORANGE, PAGE, PINK, RED, canvas, look, panels
from proofs.training.tables import sentence

COLOURS = {"transformer": GREY, "full": BLUE, "value-projection": PINK, "no-gates": ORANGE,
           "no-ffn": RED}
LABELS = {"transformer": "transformer", "full": "Kuramoto", "value-projection":
          "learned value projection", "no-gates": "no query and key gates",
          "no-ffn": "no feedforward net"}
ORDERS = {"local": ("local order, self term in", BLUE, "-"),
          "excluded": ("local order, self term out", GREEN, "-"),
          "own": ("attention to oneself", GREY, "--"), "global": ("global order", ORANGE, "-")}


def language(result: dict, table: dict, rows: Sequence[dict]) -> Plate:
    """Curves of the runs of one table, held-out bits of every seed, what each layer does."""
    with look():
        figure, axes = canvas(1, 3, PAGE, 2.7)
        first, second, third = axes[0]
        _curves(first, rows, result["guessing"])
        _points(second, table)
        _orders(third, table)
        panels(axes[0], ("training", "held-out text", "layers of the full model"))
    caption = (f"The Kuramoto language model beside a transformer of its size and its ablations, "
               f"{table['steps']} steps, every seed a point. "
               f"{sentence(result['not claimed'])} {sentence(result['chosen'])}")
    return Plate("kuramoto-lm", caption, figure, PAGE)


def _curves(axis: Any, rows: Sequence[dict], guessing: dict) -> None:
    told = set()
    for row in rows:
        kind = row["run"]["model"]["kind"]
        steps, bits = zip(*row["curve"], strict=True) if row["curve"] else ((), ())
        axis.plot(steps, bits, color=COLOURS[kind], alpha=0.8, linewidth=0.8,
                  label=None if kind in told else LABELS[kind])
        told.add(kind)
    axis.axhline(guessing["bigram"], color="black", linewidth=0.6, linestyle=":")
    axis.text(axis.get_xlim()[1], guessing["bigram"], "pairs of characters", ha="right",
              va="bottom", fontsize=6)
    axis.set(xlabel="step", ylabel="bits a character, training", ylim=(None, 6))
    axis.legend(loc="upper right", fontsize=6)


def _points(axis: Any, table: dict) -> None:
    for place, model in enumerate(table["models"]):
        ends = [b for b in model["bits"].values() if b is not None]
        colour = COLOURS[model["model"]]
        axis.plot([place] * len(ends), ends, "o", color=colour, markersize=3, alpha=0.8)
        if ends:
            axis.hlines(model["mean"], place - 0.3, place + 0.3, color=colour)
            axis.annotate(f"{model['mean']:.2f}", (place, max(ends)), xytext=(0, 4),
                          textcoords="offset points", ha="center", fontsize=6)
    axis.set_xticks(range(len(table["models"])),
                    [f"{m['model']}, {m['parameters'] // 1000}k" for m in table["models"]],
                    fontsize=6, rotation=35, ha="right", rotation_mode="anchor")
    axis.set_ylabel("bits a character, held out")
    axis.margins(x=0.15, y=0.2)


def _orders(axis: Any, table: dict) -> None:
    layers = next((m["layers"] for m in table["models"] if m["model"] == "full"), [])
    for key, (label, colour, line) in ORDERS.items():
        axis.plot([r["layer"] for r in layers], [r[key] for r in layers], line, color=colour,
                  marker="o", markersize=3, label=label)
    axis.plot([r["layer"] for r in layers], [r["rate"] for r in layers], ":", color=RED,
              marker="s", markersize=3, label="mean rate, radians a position")
    axis.set(xlabel="layer", ylim=(0, 1.02), xticks=[r["layer"] for r in layers])
    if layers:
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), fontsize=6,
                    labelspacing=0.2)


PARTS = {"enough": (BLUE, "predicted to be enough"), "control": (GREEN, "control, same budget"),
         "short": (ORANGE, "one head or layer short"), "hard": (RED, "predicted hard")}


def trial(result: dict, rows: Sequence[dict]) -> Plate:
    """Learning curves of all runs, and the error of every seed by entrant."""
    with look():
        figure, axes = canvas(1, 2, PAGE, 2.4, width_ratios=(3, 2))
        curves, ends = axes[0]
        for place, entrant in enumerate(result["entrants"]):
            colour, label = PARTS[entrant["part"]]
            here = [r for r in rows if _same(r["run"], entrant)]
            for row in here:
                if row["curve"]:
                    curves.plot(*zip(*row["curve"], strict=True), color=colour, alpha=0.7,
                                linewidth=0.8)
            found = [v for v in entrant["nmse"].values() if v]
            ends.plot([place] * len(found), found, "o", color=colour, markersize=3, label=label)
            if entrant["median"]:
                ends.hlines(entrant["median"], place - 0.3, place + 0.3, color=colour)
        curves.set(yscale="log", xlabel="step", ylabel="training loss, in variances")
        ends.set(yscale="log", ylabel="NMSE, held out")
        ends.set_xticks(range(len(result["entrants"])), [_name(e) for e in result["entrants"]],
                        fontsize=6)
        ends.set_xlabel("heads, layer by layer")
        ends.margins(x=0.2, y=0.2)
        handles = dict(zip(*reversed(ends.get_legend_handles_labels()), strict=True))
        curves.legend(handles.values(), handles.keys(), loc="best", fontsize=6)
        panels(axes[0], ("all runs", "every seed, and the median"))
    caption = (f"The task {result['task']}, sealed {result['sealed']}: predicted "
               f"{result['predicted']['verdict']}; {result['setting']['steps']} steps a run.")
    return Plate("trial", caption, figure, PAGE)


def _same(run: dict, entrant: dict) -> bool:
    return (run["part"], run["task"]["name"], run["heads"]) == (
        entrant["part"], entrant["task"], entrant["heads"])


def _name(entrant: dict) -> str:
    heads = "(" + ",".join(map(str, entrant["heads"])) + ")"
    return f"pairs\nalone\n{heads}" if entrant["part"] == "control" else heads


VERDICTS = {"efficient": BLUE, "E-limited": GREEN, "predicted hard": RED,
            "outside the framework": PINK}


APART = 0.13        # of the decades shown on a page: the height of a label


def _apart(tasks: Sequence[dict]) -> dict[str, float]:
    """Heights of the labels, in the order of the tasks of each cost, none over another."""
    found: dict[str, float] = {}
    for cost in {t["cost"] for t in tasks}:
        below = math.inf
        for t in sorted((t for t in tasks if t["cost"] == cost), key=lambda t: -t["median"]):
            below = min(math.log10(t["median"]), below - APART)
            found[t["task"]] = 10**below
    return found


def ranking(result: dict) -> Plate:
    """Predicted cost against measured error, a point a task, its seeds a bar."""
    with look():
        figure, axes = canvas(1, 1, PAGE, 3.6)
        axis = axes[0][0]
        told: set[str] = set()
        judged = [t for t in result["tasks"] if t["median"]]
        places = _apart(judged)
        for t in judged:
            ends = [v for v in t["nmse"].values() if v]
            colour = VERDICTS[t["verdict"]]
            axis.plot([t["cost"]] * 2, [min(ends), max(ends)], color=colour, linewidth=0.8)
            axis.plot(t["cost"], t["median"], "o", color=colour, markersize=4,
                      label=None if t["verdict"] in told else t["verdict"])
            axis.text(t["cost"] + 0.05, places[t["task"]], t["task"], fontsize=5, va="center",
                      color=colour)
            told.add(t["verdict"])
        axis.set(yscale="log", xlabel="predicted cost, log10 of the law at eps = 1/10",
                 ylabel="NMSE, held out: median and range of the seeds")
        axis.margins(x=0.12)
        axis.legend(loc="lower right", fontsize=6)
        found = result["rank correlation"]
    number = "" if found["spearman"] is None else (
        f"; rank correlation {found['spearman']:.2f}, {found['level']} % of resampled tasks within "
        f"{found['interval'][0]:.2f} to {found['interval'][1]:.2f}")
    caption = (f"Shipped tasks at one budget, {result['setting']['steps']} steps, heads "
               f"{tuple(result['heads'])}, E = {result['setting']['width']}{number}.")
    return Plate("tasks", caption, figure, PAGE)
