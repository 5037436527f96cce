"""What a terminal shows of training: tables of every seed, ours and quoted apart."""

from collections.abc import Sequence


def language(result: dict, found: dict) -> None:
    """One table of a result, the paper's ablations quoted in a column."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    console = Console(highlight=False, width=110)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False,
                  title=f"bits a character, held out, {found['steps']} steps", title_justify="left")
    for head in ("model", "parameters", "every seed", "mean", "above full", "paper (quoted)",
                 "seconds"):
        table.add_column(head, justify="left" if head == "model" else "right")
    quoted = result["quoted"]["cost of an ablation"]
    for model in found["models"]:
        gap = found["above full"].get(model["model"])
        table.add_row(model["model"], str(model["parameters"]), _seeds(model["bits"].values()),
                      "-" if model["mean"] is None else f"{model['mean']:.3f}",
                      "" if gap is None else f"{gap:+.3f}", quoted.get(model["model"], ""),
                      f"{model['seconds']:.0f}")
    console.print(table)
    guess = result["guessing"]
    console.print(f"guessing by pairs of characters: {guess['bigram']:.3f}; quoted is "
                  f"{result['quoted']['source']}, on {result['quoted']['text']}.\n"
                  f"{sentence(result['not claimed'])}\n{sentence(result['chosen'])}",
                  soft_wrap=True)


def sentence(text: str) -> str:
    """The text from a capital to a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def _seeds(values: Sequence) -> str:
    return " ".join("-" if v is None else f"{v:.3f}" for v in values)


def trial(result: dict) -> None:
    """Prediction beside measurement, every seed, then the comparisons in words."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    console = Console(highlight=False, width=110)
    predicted = result["predicted"]
    console.print(f"{result['task']}: predicted {predicted['verdict']}, law {predicted['law']}; "
                  f"sealed {result['sealed']}, hash {result['seal'][:12]}", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("task", "heads", "part", "start", "parameters", "NMSE, every seed",
                 "median", "target mean, sd", "s"):
        left = head in ("task", "part", "start")
        table.add_column(head, justify="left" if left else "right")
    for e in result["entrants"]:
        ends = " ".join("-" if v is None else f"{v:.2e}" for v in e["nmse"].values())
        middle = "-" if e["median"] is None else f"{e['median']:.2e}"
        table.add_row(e["task"], ",".join(map(str, e["heads"])), e["part"], ", ".join(e["start"]),
                      str(e["parameters"]), ends, middle, f"{e['target']['mean']:.3g}, "
                      f"{e['target']['sd']:.3g}", f"{e['seconds']:.0f}")
    console.print(table)
    for e in result["entrants"]:
        for seed, lines in e["fixed attention"].items():
            for line in lines:
                console.print(f"attention of CLS whatever the tokens, {_told(e)}, seed {seed}, "
                              f"{line}", soft_wrap=True)
    for e in result["entrants"]:
        seen = [p for rows in e["probes"].values() for p in rows]
        if seen:
            both = (" to ".join(f"{f(p[n] for p in seen):.2f}" for f in (min, max))
                    for n in ("winner", "runner-up"))
            console.print("error of reading a comparison's token from the states, trained over "
                          f"untrained, {_told(e)}: winner {next(both)}, runner-up {next(both)}",
                          soft_wrap=True)
    for c in result["comparisons"]:
        held = "as predicted" if c["as predicted"] else "NOT as predicted"
        every = "every seed" if c["every seed"] else "the medians, not every seed"
        console.print(f"{c['hard']} is {c['ratio']:.3g} times {c['easy']}: {held} ({every})",
                      soft_wrap=True)
    for e in result["entrants"]:
        for note in e["notes"]:
            console.print(f"{_told(e)}: {note}", soft_wrap=True)


def _told(entrant: dict) -> str:
    return f"{entrant['task']} ({','.join(map(str, entrant['heads']))})"


def ranking(result: dict) -> None:
    """Tasks by predicted cost, their errors, and the rank correlation."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    console = Console(highlight=False, width=110)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("task", "verdict", "cost, log10", "NMSE, every seed", "median"):
        table.add_column(head, justify="left" if head in ("task", "verdict") else "right")
    for t in result["tasks"]:
        ends = " ".join("-" if v is None else f"{v:.1e}" for v in t["nmse"].values())
        table.add_row(t["task"], t["verdict"], f"{t['cost']:.2f}", ends,
                      "-" if t["median"] is None else f"{t['median']:.1e}")
    console.print(table)
    found = result["rank correlation"]
    if found["spearman"] is None:
        console.print("too few tasks, or all of one cost: no rank correlation")
        return
    low, high = found["interval"]
    console.print(f"rank correlation of predicted cost and error over {found['tasks']} tasks: "
                  f"{found['spearman']:.2f} ({found['level']} % of resampled tasks: {low:.2f} to "
                  f"{high:.2f})", soft_wrap=True)
    within = result["within the framework"]
    if within["tasks"] != found["tasks"] and within["spearman"] is not None:
        console.print(f"without the tasks of which the framework says nothing: "
                      f"{within['spearman']:.2f} over {within['tasks']}", soft_wrap=True)
