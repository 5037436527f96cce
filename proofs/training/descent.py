"""Tables and figures of training where an exact interpolant is known."""

from collections.abc import Sequence
from typing import Any

from proofs.figures.plate import Plate
from proofs.figures.style import BLUE, GREEN, GREY, ORANGE, PAGE, RED, canvas, look, panels

COLOURS = {"consistent with global": BLUE, "stuck": ORANGE, "certified not global": RED}
SHOWN = 4                   # datasets of a figure


def regularised(result: dict) -> Plate:
    """Loss and J/eps against eps, a row a dataset, every start coloured by its verdict."""
    sets = result["ours"][:SHOWN]
    with look():
        figure, axes = canvas(len(sets), 2, PAGE, 0.5 + 2.1 * len(sets))
        for (left, right), found in zip(axes, sets, strict=True):
            _losses(left, found)
            _ratios(right, found)
            label = f"dataset {found['dataset']['seed']}"
            left.set_ylabel(f"{label}: loss $\\ell$")
        for axis in axes[-1]:
            axis.set_xlabel(r"$\varepsilon$")
        panels(axes[0], ("loss", r"objective over $\varepsilon$"))
        axes[0][0].legend(loc="lower right", fontsize=6)
        axes[0][1].legend(loc="upper right", fontsize=6)
    caption = ("Minimisers of $\\ell+\\varepsilon|\\theta|^2$ followed through $\\varepsilon$ from "
               "several starts. The bound $\\varepsilon|\\theta^*|^2$, of slope 1, is for global "
               "minimisers; a cross is a point that certainly is none. " +
               " ".join(map(_told, sets)))
    return Plate("regularised", caption, figure, PAGE)


def _told(found: dict) -> str:
    slopes = found["best"]["slopes"]
    kind = "regular" if found["best"]["regular"] else "a neuron at its kink"
    return (f"Dataset {found['dataset']['seed']} ({kind}): best path, slopes "
            f"{_number(slopes['loss'])} of the loss, {_number(slopes['objective'])} of the "
            "objective.")


def _losses(axis: Any, found: dict) -> None:
    best, eps = found["best"], found["best"]["eps"]
    axis.plot(eps, [e * found["B"] for e in eps], "--", color=GREY,
              label=r"bound $\varepsilon|\theta^*|^2$, slope 1")
    _paths(axis, found, "loss", labelled=False)
    axis.plot(eps, best["loss"], color="black", linewidth=1.4,
              label=f"best path, slope {_number(best['slopes']['loss'])}")
    last = best["loss"][-1]
    reach = [e for e in eps if e <= 1e-2]
    axis.plot(reach, [last * (e / eps[-1]) ** 2 / 4 for e in reach], ":", color=GREEN,
              label="slope 2")
    axis.set(xscale="log", yscale="log")


def _ratios(axis: Any, found: dict) -> None:
    best, eps = found["best"], found["best"]["eps"]
    axis.axhline(found["B"], linestyle="--", color=GREY, label=r"bound $|\theta^*|^2$")
    _paths(axis, found, "J/eps", labelled=True)
    axis.plot(eps, best["J/eps"], color="black", linewidth=1.4)
    axis.set(xscale="log", yscale="log", ylabel=r"$J_\varepsilon/\varepsilon$")


def _paths(axis: Any, found: dict, column: str, labelled: bool) -> None:
    told: set[str] = set()
    for start in found["starts"]:
        verdict = start["verdict"]
        colour = COLOURS[verdict]
        new = labelled and verdict not in told
        axis.plot(start["eps"], start[column], color=colour, linewidth=0.8, alpha=0.8,
                  label=verdict if new else None)
        crossed = [(e, v) for e, v, why in zip(start["eps"], start[column], start["why"],
                                               strict=True) if why]
        if crossed:
            axis.plot(*zip(*crossed, strict=True), "x", color=colour, markersize=3)
        told.add(verdict)


def show_regularised(result: dict) -> None:
    """A line a start, its verdict, and the best path of each dataset in words."""
    console, table = _table(("dataset", "start", "verdict", "at eps", "loss", "J/eps",
                             "loss slope", "J slope"), 3)
    for found in result["ours"]:
        for s in found["starts"]:
            at = sum(map(bool, s["why"]))
            table.add_row(str(found["dataset"]["seed"]), f"{s['start']} {s['seed'] or ''}".strip(),
                          s["verdict"], f"{at} of {len(s['why'])}" if at else "",
                          f"{s['loss'][-1]:.1e}", f"{s['J/eps'][-1]:.4g}",
                          _number(s["slopes"]["loss"]), _number(s["slopes"]["objective"]))
    console.print(table)
    console.print("loss and J/eps at the least eps, slopes over eps <= 1e-3; certified not global: "
                  "J > eps |theta*|^2, or another point is better, in balls.", soft_wrap=True)
    for found in result["ours"]:
        best = found["best"]
        held = "holds at every eps" if best["bound holds"] else "FAILS: no path is global"
        kind = ("regular" if best["regular"] else
                f"not regular: a neuron is {best['nearest kink']:.0e} from its kink")
        console.print(
            f"dataset {found['dataset']['seed']}, best path: objective slope "
            f"{_number(best['slopes']['objective'])}, loss slope {_number(best['slopes']['loss'])} "
            f"({kind}); the bound l <= eps |theta*|^2 {held}, at the least eps the loss is "
            f"{best['loss over bound']:.1e} of it; J/eps {best['J/eps'][-1]:.4g} of at most "
            f"{found['B']:.4g}", soft_wrap=True)
        for line in best["broken"]:
            console.print(f"dataset {found['dataset']['seed']}: {line}; at global minimisers it "
                          "cannot", soft_wrap=True)
    console.print(f"Not claimed: {result['not claimed']}.", soft_wrap=True)


def _table(heads: Sequence[str], left: int) -> tuple[Any, Any]:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for k, head in enumerate(heads):
        table.add_column(head, justify="left" if k < left else "right")
    return Console(highlight=False, width=110), table


def _number(x: float | None) -> str:
    return "-" if x is None else f"{x:.3f}"
