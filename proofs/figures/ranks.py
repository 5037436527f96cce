"""Histograms of limiting ranks: the exact rank beside the number of eigenvalues above a cut-off."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from proofs.figures.style import BLUE, ORANGE, look


def histogram(axis: Any, d: int, exact: Sequence[int], counted: Sequence[int],
              cutoff: float) -> None:
    """Bars over the ranks 0..d: how many draws have that rank, exactly and by the cut-off."""
    ranks = np.arange(d + 1)
    bars = ((-0.2, exact, BLUE, "exact rank of the limit"),
            (0.2, counted, ORANGE, f"eigenvalues > {cutoff:g}"))
    with look():
        for shift, found, colour, name in bars:
            heights = np.bincount(found, minlength=d + 1)
            drawn = axis.bar(ranks + shift, heights, 0.38, color=colour, label=name)
            axis.bar_label(drawn, [str(h) if h else "" for h in heights], fontsize=6, padding=1)
        axis.set(xticks=ranks, xlim=(-0.6, d + 0.6), ylim=(0, 1.15 * len(exact)), xlabel="rank",
                 ylabel="draws")
