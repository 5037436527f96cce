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
                  f"{result['not claimed'].capitalize()}.", soft_wrap=True)


def _seeds(values: Sequence) -> str:
    return " ".join("-" if v is None else f"{v:.3f}" for v in values)
