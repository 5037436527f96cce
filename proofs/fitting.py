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
    arithmetic and balls, and the kernel is asked to certify the former; "stuck" where its loss has
    stopped to fall; else "consistent with global", which is no proof.

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


def blocks(
    files: Annotated[list[Path] | None, typer.Argument(
        metavar="FILE", help="Datasets as for attnproof interpolate; where none is named, a "
        "triangle that needs attention, and random ones.", show_default=False)] = None,
    depths: Annotated[str, typer.Option("--blocks", metavar="LIST", help="Numbers of blocks, with "
                                        "commas.")] = "1,2,3,4,6",
    seeds: Annotated[str, typer.Option(metavar="LIST", help="Seeds of training, with "
                                       "commas.")] = "0,1",
    datasets: Annotated[str, typer.Option(metavar="LIST", help="Seeds of random datasets, with "
                                          "commas.")] = "0,1",
    sequences: Annotated[int, typer.Option(min=1, help="Sequences N of a random dataset.")] = 4,
    tokens: Annotated[int, typer.Option(min=1, help="Tokens n of each.")] = 4,
    targets: Annotated[int, typer.Option(min=1, help="Targets m of each.")] = 2,
    pool: Annotated[int, typer.Option(min=1, help="Tokens that all sequences share.")] = 8,
    dimension: Annotated[int, typer.Option(min=1, help="Dimension d of a token.")] = 2,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each run.")] = 1500,
    rate: Annotated[float, typer.Option(min=0.0, help="Largest learning rate.")] = 2e-2,
    output: Folder = None, jobs: Jobs = 1, cluster: Cluster = None, as_json: AsJson = False,
) -> None:
    """How few blocks does training need, beside those of a network that is exact?

    Networks of L softmax blocks, of the width of the constructions, are trained on datasets that
    the constructions interpolate exactly; told are the share of sequences within 5 % of the
    targets' diameter, |theta|^2 of trained and built networks, the blocks of the three
    constructions and the bounds of the theorems.

    \b
    attnproof train blocks
    attnproof train blocks data.json --blocks 1,2,3 --seeds 0,1,2
    attnproof train blocks --datasets 5 --sequences 6 --pool 10 --steps 3000 --jobs 2
    """
    from numeric.train import Budget
    from proofs.training import blocks, descent
    from proofs.training.run import kept, numbers, printed, refused, swept, told
    with refused():
        counts = numbers(depths, "--blocks")
        if min(counts) < 1:
            raise ValueError(f"--blocks: found {min(counts)}; needed at least one block")
        sizes = {"N": sequences, "n": tokens, "m": targets, "pool": pool, "d": dimension}
        data = blocks.datasets(files or (), numbers(datasets, "--datasets"), sizes)
        asked = blocks.runs(data, counts, numbers(seeds, "--seeds"),
                            Budget(steps, batch=1, rate=rate))
        folder = output or Path("build/blocks")
        rows = swept(blocks.do, asked, folder, jobs, cluster, not as_json)
        result = blocks.result(rows)
        kept(result, folder / "result.json")
        figure = printed(descent.blocks(result), folder)
    told(result, len(rows), folder, figure, as_json, lambda: descent.show_blocks(result))
