"""`attnproof train regularised`, `train blocks`: training where an exact interpolant is known."""

from pathlib import Path
from typing import Annotated

import typer

from proofs.train import AsJson, Cluster, Folder, Jobs


def regularised(
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds of datasets, with "
                                       "commas.")] = "0,1,2",
    starts: Annotated[int, typer.Option(min=0, help="Random starts of each kind, beside the exact "
                                        "interpolant.")] = 3,
    values: Annotated[int, typer.Option(min=3, help="Values of eps.")] = 11,
    largest: Annotated[float, typer.Option(help="Largest eps.")] = 1e-1,
    smallest: Annotated[float, typer.Option(help="Smallest eps; below 1e-8 rounding is "
                                            "seen.")] = 1e-6,
    sequences: Annotated[int, typer.Option(min=1, help="Sequences N.")] = 4,
    tokens: Annotated[int, typer.Option(min=1, help="Tokens n of each.")] = 5,
    dimension: Annotated[int, typer.Option(min=1, help="Dimension d of a token.")] = 2,
    width: Annotated[int, typer.Option(min=1, help="Neurons of the block.")] = 4,
    output: Folder = None, jobs: Jobs = 1, cluster: Cluster = None, as_json: AsJson = False,
) -> None:
    """Tikhonov training of one softmax block: how do loss and objective fall with eps?

    Minimisers of l + eps |theta|^2 are followed through eps. Warm starts are random and go from
    the largest eps down; cold ones begin at the smallest, as plain training does; one path begins
    at a known exact interpolant theta*, and one at zero, stationary for every eps: a control. A
    path is "certified not global" where J > eps |theta*|^2, or another point is better, in exact
    arithmetic and balls; "stuck" where its loss has stopped to fall; else "consistent with
    global", which is no proof.

    \b
    attnproof train regularised
    attnproof train regularised --seeds 0,1,2,3,4,5,6 --jobs 2
    attnproof train regularised --seeds 1 --starts 1 --values 5
    """
    from numeric.trained.path import ladder
    from numeric.trained.problem import Problem
    from proofs.training import descent, regularised
    from proofs.training.run import kept, numbers, printed, refused, swept, told
    with refused():
        problems = [Problem(sequences, tokens, dimension, width, seed)
                    for seed in numbers(seeds, "--seeds")]
        asked = regularised.runs(problems, starts, ladder(largest, smallest, values))
        folder = output or Path("build/regularised")
        rows = swept(regularised.do, asked, folder, jobs, cluster, not as_json)
        result = regularised.result(rows)
        kept(result, folder / "result.json")
        figure = printed(descent.regularised(result), folder)
    told(result, len(rows), folder, figure, as_json, lambda: descent.show_regularised(result))
