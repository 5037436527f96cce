"""`attnproof network`: an explicit network that retrieves, its size, its weights and its error.

What a task needs at most, written down instead of trained: parameters that do not depend on T,
and the largest weight, which does, and which lower bounds forbid to grow.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import numpy as np

    from numeric.retrieval import Network

TARGETS = {
    "min-dot": "min over s, t of x(s).x(t), one head in each of two layers",
    "pairwise": "the sum of D maxima over s, t of x(s)' A x(t), D heads in each of two layers",
    "second-largest": "the second largest of w.x(t), one head in each of two layers",
    "relay": "the sum of three maxima of w_i.x(t), one head in each of two layers"}
DRAWS = 3       # passes over the inputs chosen against a network


def network(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="; ".join(
        f"{name}: {says}" for name, says in TARGETS.items()) + ".")],
    d: Annotated[int, typer.Option(min=1, help="Numbers a token has.")] = 2,
    D: Annotated[int, typer.Option("--terms", min=1, help="Terms D of pairwise.")] = 2,
    tokens: Annotated[str, typer.Option(metavar="LIST", help="Tokens T, with commas.")] = (
        "2,16,128,1024"),
    eps: Annotated[str, typer.Option(metavar="LIST", help="Accuracies, with commas.")] = (
        "0.3,0.03,0.003"),
    library: Annotated[str, typer.Option(help="numpy or torch: what runs the network.")] = "numpy",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Store the weights of the "
                                                "last network (.npz).", show_default=False)] = None,
    seed: Annotated[int, typer.Option(help="Seed of matrices and inputs.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Write down a network that retrieves, and measure it on inputs chosen against it.

    Told are width, parameters (by the formula, and how many are not zero), the largest weight and
    the worst error on [-1, 1]^d. Parameters are free of T but for second-largest; the largest
    weight grows like log(T)/eps, so that lower bounds for bounded weights say nothing here. Exit
    code 1 where an error is above eps.

    \b
    attnproof network min-dot
    attnproof network pairwise --terms 3 --d 4 --tokens 64 --eps 0.01
    attnproof network second-largest --library torch -o network.npz
    """
    from proofs.training.run import numbers, refused
    with refused():
        asked = [(T, e) for T in numbers(tokens, "--tokens") for e in _accuracies(eps)]
        _wanted(target, library, output, min(T for T, _ in asked))
        rows, last = [], None
        for T, e in asked:
            last, row = _measured(target, d, D, T, e, library, seed)
            rows.append(row)
        if output is not None and last is not None:
            _store(last, output)
    _show(target, rows, as_json)
    raise typer.Exit(0 if all(row["error"] <= row["eps"] for row in rows) else 1)


def _accuracies(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(1e-9 <= e < 1 for e in found):
        raise ValueError(f"--eps: found {text!r}; needed numbers from 1e-9 up to 1 with commas, "
                         "as 0.3,0.03")
    return found


def _wanted(target: str, library: str, output: Path | None, least: int) -> None:
    if target not in TARGETS:
        raise ValueError(f"network: found {target!r}; needed one of {', '.join(TARGETS)}")
    if library not in ("numpy", "torch"):
        raise ValueError(f"--library: found {library!r}; needed numpy or torch")
    if least < 2:
        raise ValueError(f"--tokens: found {least}; needed at least 2")
    if output is not None and output.suffix != ".npz":
        raise ValueError(f"--output: found {output.name!r}; needed a name that ends in .npz")


def _measured(target: str, d: int, D: int, T: int, eps: float, library: str,
              seed: int) -> tuple["Network", dict]:
    """The network and its row: sizes, weights, and the worst error over the inputs against it."""
    import numpy as np

    from numeric.retrieval import largest_weight, nonzero
    rng = np.random.default_rng([seed, T])
    built, inputs, exact = _built(target, d, D, T, eps, np.random.default_rng(seed), rng)
    worst = max(abs(_run(built, X, library) - exact(X)) for X in inputs)
    return built, {"d": d, "T": T, "eps": eps, "width": built.embed.shape[0],
                   "parameters": built.count, "nonzero": nonzero(built),
                   "largest weight": largest_weight(built), "error": float(worst)}


def _built(target: str, d: int, D: int, T: int, eps: float, letters: "np.random.Generator",
           rng: "np.random.Generator") -> tuple["Network", Iterator[Any], Any]:
    """The network, inputs against it, and the exact target."""
    import numpy as np

    from numeric import hardest, retrieval
    if target == "second-largest":
        w = letters.normal(size=d)
        w /= np.abs(w).sum()
        return (retrieval.second_largest(w, T, eps),
                (X for _ in range(DRAWS) for X in hardest.scores(w, T, eps, rng)),
                lambda X: np.sort(X @ w)[-2])
    if target == "relay":
        w = letters.normal(size=(3, d))
        w /= np.abs(w).sum(axis=1, keepdims=True)
        return (retrieval.relayed_maxima(w, T, eps),
                (X for _ in range(DRAWS) for X in hardest.products(d, T, eps, rng)),
                lambda X: (X @ w.T).max(axis=0).sum())
    inputs = (X for _ in range(DRAWS) for X in hardest.products(d, T, eps, rng))
    if target == "min-dot":
        return retrieval.two_layer_min_dot(d, T, eps), inputs, lambda X: (X @ X.T).min()
    A = letters.normal(size=(D, d, d))
    A /= np.abs(A).sum(axis=2).max(axis=1)[:, None, None]      # |A x| <= 1 on the cube
    return (retrieval.pairwise_within(A, T, eps), inputs,
            lambda X: sum((X @ a @ X.T).max() for a in A))


def _run(built: "Network", X: Any, library: str) -> float:
    from numeric.retrieval import forward
    if library == "torch":
        from numeric.train import torch_or_why
        X = torch_or_why().asarray(X)
    return float(forward(built, X))


def _store(built: "Network", path: Path) -> None:
    """Every array of a network under the name of its place: layer1.head1.Q, layer1.W1, out, .."""
    import numpy as np
    found = {"embed": built.embed, "out": built.out, "flag": np.array(built.flag)}
    if built.code is not None:
        found["code"] = np.array(built.code)
    for k, layer in enumerate(built.layers, 1):
        for i, head in enumerate(layer.heads, 1):
            found |= {f"layer{k}.head{i}.{n}": getattr(head, n) for n in ("Q", "q", "K", "V", "U")}
        found |= {f"layer{k}.{n}": getattr(layer, n) for n in ("W1", "b1", "W2")
                  if getattr(layer, n) is not None}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        np.savez(file, **found)


def _show(target: str, rows: list[dict], as_json: bool) -> None:
    if as_json:
        import json
        sys.stdout.write(json.dumps({"target": target, "source": "ours", "networks": rows},
                                    indent=1) + "\n")
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    console = Console(highlight=False, width=100)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=TARGETS[target],
                  title_justify="left")
    for head in ("T", "eps", "width", "parameters", "not zero", "largest weight", "worst error",
                 "error/eps"):
        table.add_column(head, justify="right")
    for r in rows:
        table.add_row(str(r["T"]), f"{r['eps']:g}", str(r["width"]), str(r["parameters"]),
                      str(r["nonzero"]), f"{r['largest weight']:.4g}", f"{r['error']:.2e}",
                      f"{r['error'] / r['eps']:.2f}")
    console.print(table)
    console.print("Errors are the worst on inputs chosen against the network, tokens in "
                  "[-1, 1]^d. For products of two tokens and the second largest, that every "
                  "error is at most eps is proved by the claims infoflow.network.error, "
                  "infoflow.network.below and infoflow.second.budget of the shipped pages, "
                  "D terms having eps/D each.", soft_wrap=True)
