"""`attnproof train` and `attnproof trial`: training that goes on where it was stopped."""

from pathlib import Path
from typing import Annotated

import typer

train = typer.Typer(no_args_is_help=True, rich_markup_mode=None,
                    help="Train models and compare them; needs torch (pip install "
                    "'attnproof[torch]').")

Folder = Annotated[Path | None, typer.Option(
    "--output", "-o", metavar="DIR", help="Folder of results, checkpoints and figures; a run that "
    "is there already is not repeated. Default: build and the name of the experiment.",
    show_default=False)]
Jobs = Annotated[int, typer.Option(min=1, help="Worker processes; each trains on one thread.")]
Cluster = Annotated[str | None, typer.Option(
    metavar="ADDRESS", help="A dask scheduler to run on instead of processes.",
    show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output, "
                                      "and nothing else.")]


@train.command("kuramoto-lm")
def kuramoto_lm(
    steps: Annotated[int, typer.Option(min=1, help="Steps of each run.")] = 400,
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds, with commas.")] = "0",
    models: Annotated[str, typer.Option(
        metavar="LIST", help="Models, with commas: transformer, full, value-projection, no-gates, "
        "no-ffn; all by default.", show_default=False)] = "",
    rate: Annotated[float, typer.Option(min=0.0, help="Largest learning rate.")] = 2e-2,
    batch: Annotated[int, typer.Option(min=1, help="Samples a step.")] = 16,
    width: Annotated[int, typer.Option(min=1, help="Oscillators a token.")] = 48,
    heads: Annotated[int, typer.Option(min=1, help="Heads a layer.")] = 4,
    layers: Annotated[int, typer.Option(min=1, help="Layers.")] = 3,
    tau: Annotated[float, typer.Option(min=0.0, help="Initial scale of the scores.")] = 2.0,
    rho: Annotated[float, typer.Option(min=0.0, help="Initial bound of a step.")] = 3.0,
    beta: Annotated[float, typer.Option(min=0.0, help="Initial scale of the logits.")] = 6.0,
    spread: Annotated[float, typer.Option(min=0.0, help="Initial phases lie within this, "
                                          "radians.")] = 0.7,
    omega: Annotated[float, typer.Option(min=0.0, help="Initial rates lie within this, radians a "
                                         "position.")] = 0.3,
    output: Folder = None, jobs: Jobs = 1, cluster: Cluster = None, as_json: AsJson = False,
) -> None:
    """Train the Kuramoto language model, its baseline and its ablations.

    The baseline is a transformer of the same size (rotary positions, SwiGLU); ablations keep the
    size too. Text: characters of the topics of Python's own help. Runs go to DIR/runs.jsonl, one
    line each as they end, the table to DIR/result.json, figures to DIR. A killed sweep goes on
    when the command is given again, inside a run from its last checkpoint.

    \b
    attnproof train kuramoto-lm --steps 400
    attnproof train kuramoto-lm --steps 1400 --seeds 0,1,2 --jobs 2
    attnproof train kuramoto-lm --models full,transformer --steps 400 --tau 6 --spread 1.57
    """
    from numeric.language import Model
    from proofs.training import language, pictures, tables
    from proofs.training.run import kept, numbers, printed, refused, swept, told
    kinds = [m.strip() for m in models.split(",") if m.strip()] or language.KINDS
    with refused():
        shape = Model(k=width, heads=heads, layers=layers, hidden=2 * width, tau=tau, rho=rho,
                      beta=beta, spread=spread, omega=omega)
        asked = language.runs(kinds, numbers(seeds, "--seeds"), steps, batch, rate, shape)
        folder = output or Path("build/kuramoto-lm")
        rows = swept(language.do, asked, folder, jobs, cluster, not as_json)
        from numeric.sweep import stored
        result = language.result(list(stored(folder / "runs.jsonl").values()))
        kept(result, folder / "result.json")
        here = language.result(rows)["ours"][0]
        figure = printed(pictures.language(result, here, rows), folder)
    told(result, len(rows), folder, figure, as_json, lambda: tables.language(result, here))


@train.command("tasks")
def tasks(
    names: Annotated[list[str] | None, typer.Argument(
        metavar="TASK", help="Shipped tasks or task files; all shipped ones where none is named.",
        show_default=False)] = None,
    heads: Annotated[str, typer.Option(metavar="H,H,..", help="Heads of each layer.")] = "2,2",
    width: Annotated[int, typer.Option(min=1, help="Width E of a state.")] = 16,
    hidden: Annotated[int, typer.Option(min=1, help="Hidden units of each net.")] = 64,
    tokens: Annotated[int, typer.Option(min=1, help="Tokens T, where a task leaves them "
                                        "open.")] = 32,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each run.")] = 1500,
    batch: Annotated[int, typer.Option(min=1, help="Inputs a step.")] = 128,
    rate: Annotated[float, typer.Option(min=0.0, help="Largest learning rate.")] = 6e-3,
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds, with commas.")] = "0",
    output: Folder = None, jobs: Jobs = 1, cluster: Cluster = None, as_json: AsJson = False,
) -> None:
    """Train tasks at one fixed budget: do those that are predicted to cost more come out worse?

    Every task gets the same heads, width, steps and inputs; the predicted cost is its law at that
    width and number of tokens. Told is the rank correlation of cost and error with a bootstrap
    over tasks; the scatter plot shows which tasks do not fit.

    \b
    attnproof train tasks --steps 1500 --jobs 2
    attnproof train tasks max min-dot triangle --steps 300
    """
    from infoflow.task import shipped_tasks
    from proofs.training import pictures, ranking, tables
    from proofs.training.run import kept, numbers, printed, refused, swept, told
    from proofs.trial import Setting
    with refused():
        setting = Setting(tokens=tokens, steps=steps, batch=batch, rate=rate, width=width,
                          hidden=hidden)
        shape = tuple(numbers(heads, "--heads", again=True))
        asked = ranking.runs(names or shipped_tasks(), numbers(seeds, "--seeds"), shape, setting)
        folder = output or Path("build/tasks")
        rows = swept(ranking.do, asked, folder, jobs, cluster, not as_json)
        result = ranking.result(rows)
        kept(result, folder / "result.json")
        figure = printed(pictures.ranking(result), folder)
    told(result, len(rows), folder, figure, as_json, lambda: tables.ranking(result))


def trial(
    seal: Annotated[Path, typer.Argument(metavar="SEAL", help="A prediction sealed by attnproof "
                                         "predict --seal.")],
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds, with commas.")] = "0,1,2",
    tokens: Annotated[int, typer.Option(min=1, help="Tokens T, where the task leaves them "
                                        "open.")] = 16,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each run.")] = 2500,
    batch: Annotated[int, typer.Option(min=1, help="Inputs a step.")] = 128,
    rate: Annotated[float | None, typer.Option(
        min=0.0, help="Largest learning rate; 6e-3 by default, 1e-4 with --warm, whose small and "
        "large weights a larger one would undo.", show_default=False)] = None,
    gain: Annotated[float, typer.Option(min=0.0, help="Factor on the initial queries and "
                                        "keys.")] = 2.5,
    width: Annotated[int, typer.Option(min=0, help="Width E of a state; 0: the sealed one, or "
                                       "what the plan needs and at least 32.")] = 0,
    hidden: Annotated[int, typer.Option(min=1, help="Hidden units of each net.")] = 64,
    warm: Annotated[bool, typer.Option("--warm", help="Start from the explicit network where "
                                       "there is one, cut to the heads that there are.")] = False,
    output: Folder = None, jobs: Jobs = 1, cluster: Cluster = None, as_json: AsJson = False,
) -> None:
    """Train what a sealed prediction speaks of, and say what came of it; needs torch.

    Trained are the sealed architectures, or the least ones; beside what is enough, one head
    fewer; beside what is hard because three tokens are compared at once, the same scores of pairs,
    at the same budget. Runs go to DIR/runs.jsonl as they end, prediction and measurement to
    DIR/result.json with every seed, curves to DIR; a killed trial goes on when the command is
    given again. Exit code 2 for a seal that was changed. Reported is the normalised mean squared
    error (NMSE) on inputs no run was trained on, 1 for a model that knows the mean alone.

    \b
    attnproof predict unary-2 --seal build/unary-2.json
    attnproof trial build/unary-2.json
    attnproof trial build/triangle.json --tokens 8 --steps 3000 --rate 4e-3 --seeds 0 --jobs 2
    """
    from proofs import trial as trials
    from proofs.training import pictures, tables
    from proofs.training.run import kept, numbers, printed, refused, swept, told
    with refused():
        from proofs.seal import read
        content = read(seal)
        rate = (1e-4 if warm else 6e-3) if rate is None else rate
        setting = trials.Setting(tokens=tokens, steps=steps, batch=batch, rate=rate, gain=gain,
                                 width=width, hidden=hidden, warm=warm)
        asked = trials.runs(content, numbers(seeds, "--seeds"), setting)
        folder = output or Path("build") / f"trial-{seal.stem}"
        rows = swept(trials.do, asked, folder, jobs, cluster, not as_json)
        result = trials.result(content, rows)
        kept(result, folder / "result.json")
        figure = printed(pictures.trial(result, rows), folder)
    told(result, len(rows), folder, figure, as_json, lambda: tables.trial(result))
