"""Tables and figures of training where an exact interpolant is known."""

from collections.abc import Sequence
from typing import Any

from proofs.figures.plate import Plate
from proofs.figures.style import BLUE, GREEN, GREY, PAGE, PINK, RED, canvas, look, panels

COLOURS = {"consistent with global": BLUE, "stuck": GREEN, "certified not global": RED}
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
    axis.plot(eps, best["loss"], color="black", linewidth=2.4, alpha=0.35,
              label=f"best path, slope {_number(best['slopes']['loss'])}")
    _paths(axis, found, "loss", labelled=False)
    last = best["loss"][-1]
    reach = [e for e in eps if e <= 1e-2]
    axis.plot(reach, [last * (e / eps[-1]) ** 2 / 4 for e in reach], ":", color=PINK,
              label="slope 2")
    axis.set(xscale="log", yscale="log")
    axis.legend(loc="lower right", fontsize=6)


def _ratios(axis: Any, found: dict) -> None:
    best, eps = found["best"], found["best"]["eps"]
    axis.axhline(found["B"], linestyle="--", color=GREY, label=r"bound $|\theta^*|^2$")
    axis.plot(eps, best["J/eps"], color="black", linewidth=2.4, alpha=0.35)
    _paths(axis, found, "J/eps", labelled=True)
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
    console, table = _table(("data", "start", "verdict", "kernel", "at eps", "loss", "J/eps",
                             "loss slope", "J slope"), 4)
    for found in result["ours"]:
        for s in found["starts"]:
            at = sum(map(bool, s["why"]))
            table.add_row(str(found["dataset"]["seed"]), f"{s['start']} {s['seed'] or ''}".strip(),
                          s["verdict"], (s["kernel"] or {}).get("level", ""),
                          f"{at} of {len(s['why'])}" if at else "",
                          f"{s['loss'][-1]:.1e}", f"{s['J/eps'][-1]:.4g}",
                          _number(s["slopes"]["loss"]), _number(s["slopes"]["objective"]))
    console.print(table)
    console.print("loss and J/eps at the least eps, slopes over eps <= 1e-3; certified not global: "
                  "J > eps |theta*|^2, or another point is better, in balls; kernel: what it says "
                  "of the former at the least such eps.", soft_wrap=True)
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


NAMES = {"uniform": ("U", BLUE), "clustering": ("P", GREEN), "softmax": ("S", PINK)}


def blocks(result: dict) -> Plate:
    """Share of sequences solved, and |theta|^2, against the blocks, a column a dataset."""
    sets = result["ours"][:SHOWN]
    with look():
        figure, axes = canvas(2, len(sets), PAGE, 3.8, sharex="col")
        for (top, bottom), found in zip(axes.T, sets, strict=True):
            _solved(top, found)
            _norms(bottom, found)
        axes[0][0].set_ylabel(f"solved within {result['share']:.0%}")
        axes[1][0].set_ylabel(r"$|\theta|^2$")
        panels(axes[0], [f"{s['dataset']}, N = {s['N']}, M = {s['M']}" for s in sets])
        axes[1][0].legend(loc="center left", fontsize=6)
    caption = ("Networks of L blocks trained on datasets that the constructions U, P, S "
               f"interpolate exactly, {result['budget']['steps']} steps, every seed a point; "
               "solved is a sequence whose outputs and targets are within "
               f"{result['share']:.0%} of the targets' diameter. Lines: blocks of the "
               "constructions; dotted, the bound $2M+2N+1$.")
    return Plate("blocks", caption, figure, PAGE)


def _solved(axis: Any, found: dict) -> None:
    points = [(t["L"], v) for t in found["trained"] for v in t["solved"].values()]
    means = [sum(t["solved"].values()) / len(t["solved"]) for t in found["trained"]]
    axis.plot([t["L"] for t in found["trained"]], means, color="black")
    axis.plot(*zip(*points, strict=True), "o", color="black", markersize=3, alpha=0.5)
    for name, made in found["built"].items():
        label, colour = NAMES[name]
        axis.axvline(made["L"], color=colour, zorder=0)
        axis.text(made["L"], 0.0, f"$L_{label}={made['L']}$ ", color=colour, ha="right",
                  va="bottom", rotation=90, fontsize=7)
    limit = found["built"]["uniform"]["bound"]
    axis.axvline(limit, color=GREY, linestyle=":")
    axis.text(limit, 0.0, f"bound {limit} ", color=GREY, ha="right", va="bottom", rotation=90,
              fontsize=7)
    axis.set(xscale="log", ylim=(-0.04, 1.08))


def _norms(axis: Any, found: dict) -> None:
    points = [(t["L"], 10**v) for t in found["trained"] for v in t["log10 norm^2"].values()]
    axis.plot(*zip(*points, strict=True), "o", color="black", markersize=3, alpha=0.5,
              label="trained")
    for name, made in found["built"].items():
        label, colour = NAMES[name]
        if made["log10 norm^2"] < 300:
            axis.plot(made["L"], 10 ** made["log10 norm^2"], "s", color=colour, markersize=4,
                      label=f"built, {label}")
    axis.axvline(found["built"]["uniform"]["bound"], color=GREY, linestyle=":")
    axis.set(xscale="log", yscale="log", xlabel="blocks L")
    ticks = [t for t in (1, 2, 4, 8, 16, 32, 64, 128)
             if t <= 1.2 * found["built"]["uniform"]["bound"]]
    axis.set_xticks(ticks, [str(t) for t in ticks])
    axis.minorticks_off()


def show_blocks(result: dict) -> None:
    """A line for each dataset and number of blocks, built networks after trained ones."""
    console, table = _table(("dataset", "network", "L", "P", "solved, every seed", "worst error",
                             "log10 |theta|^2"), 2)
    for found in result["ours"]:
        for t in found["trained"]:
            table.add_row(found["dataset"], "trained", str(t["L"]), str(t["P"]),
                          _each(t["solved"], ".2f"), _each(t["worst error"], ".1e"),
                          _each(t["log10 norm^2"], ".1f"))
        for name, made in found["built"].items():
            table.add_row(found["dataset"], f"built, {name}", str(made["L"]), str(made["P"]),
                          "1.00", "exact", f"{made['log10 norm^2']:.1f}")
        table.add_section()
    console.print(table)
    for found in result["ours"]:
        some, every = found["fewest"]["by some seed"], found["fewest"]["by every seed"]
        built = ", ".join(f"L_{NAMES[n][0]} = {m['L']}" for n, m in found["built"].items())
        bounds = sorted({m["bound"] for m in found["built"].values()})
        without = {True: "would do", False: "cannot", None: "open"}[found["without attention"]]
        console.print(f"{found['dataset']}: trained within {found['within']:.2g} with "
                      f"{some or 'more'} blocks by some seed, {every or 'more'} by every seed; "
                      f"built exactly with {built}; bounds {', '.join(map(str, bounds))}; a map "
                      f"without attention {without}", soft_wrap=True)
        for t in found["trained"]:
            for note in t["notes"]:
                console.print(f"{found['dataset']}, {t['L']} blocks: {note}", soft_wrap=True)
    console.print(f"Not claimed: {result['not claimed']}.", soft_wrap=True)


def _each(values: dict, form: str) -> str:
    return " ".join(format(v, form) for v in values.values())


def _table(heads: Sequence[str], left: int) -> tuple[Any, Any]:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for k, head in enumerate(heads):
        table.add_column(head, justify="left" if k < left else "right", no_wrap=True)
    return Console(highlight=False, width=110), table


def _number(x: float | None) -> str:
    return "-" if x is None else f"{x:.3f}"
