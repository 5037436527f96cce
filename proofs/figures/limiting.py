"""The paper's histograms of limiting ranks, with the exact rank beside the authors' cut-off.

For K = -Q and V symmetric positive definite QS(t) -> 0 while the covariance of x given Qx stays
S0 - S0Q'(QS0Q')^+QS0; so the limit has the rank of that matrix, which is found in exact arithmetic.
Counting eigenvalues > 0.1 misses the small ones. Source: ours; the histograms are of arXiv
2501.18322.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric import gaussian
from numeric.stability.rational import conditional, exact, squares
from proofs.figures import ranks, weights
from proofs.figures.plate import Plate
from proofs.figures.style import PAGE, canvas, look
from proofs.simulate.account import CUTOFF

DIMENSIONS, DRAWS, LATE, SLOW = (3, 4, 5), 100, 1e6, 0.01
SEEDS = {"softmax": 26, "l2": 27}   # of V = W'W; V = 1 needs none
NAMES = {"softmax": "softmax", "l2": "$L^2$"}
Step = Callable[[str, int, int], None]


def case(variant: str, drawn: weights.Draw) -> tuple[int, int, float, float]:
    """Exact rank of the limit, eigenvalues > 0.1 at t = 10^6, |QS|/|QS0| there, and the least
    eigenvalue that survives, of the conserved covariance."""
    S0 = drawn.G @ drawn.G.T
    model = weights.of(variant, drawn.Q, -drawn.Q, drawn.V)
    S = gaussian.integrate(model, None, S0, LATE, np.array([LATE]), method="LSODA",
                           rtol=1e-7).covariances[-1]
    G = exact(drawn.G)
    rank = len(squares(conditional(G * G.transpose(), exact(drawn.Q))) or ())
    kept = np.linalg.eigvalsh(gaussian.conditional(S0, drawn.Q))
    seen = np.linalg.norm(drawn.Q @ S) / np.linalg.norm(drawn.Q @ S0)
    return rank, int((np.linalg.eigvalsh(S) > CUTOFF).sum()), seen, float(kept[len(kept) - rank])


def histograms(variant: str, step: Step, draws: int = DRAWS) -> tuple[Plate, dict[str, Any]]:
    """Two rows, V = 1 and V = W'W; a column each for d = 3, 4, 5."""
    kinds = {"$V = I$": None, "$V = W^\\top W$": SEEDS[variant]}
    record, seen, flat, least = {}, [], [], np.inf
    with look():
        figure, axes = canvas(2, 3, PAGE, 3.3)
    for row, (kind, seed) in enumerate(kinds.items()):
        for col, d in enumerate(DIMENSIONS):
            found = []
            for i, drawn in enumerate(weights.draws(d, draws, seed)):
                step(f"ranks_{variant}: d = {d}", (3 * row + col) * draws + i, 6 * draws)
                found.append(case(variant, drawn))
                if found[-1][2] > SLOW:
                    flat.append(float(np.linalg.eigvalsh(drawn.V)[0]))
            exactly, counted, late, small = zip(*found, strict=True)
            seen, least = [*seen, *late], min(least, *small)
            ranks.histogram(axes[row, col], d, exactly, counted, CUTOFF)
            with look():
                axes[row, col].set_title(f"{kind}, $d = {d}$")
            record[f"{'V = 1' if seed is None else 'V = WtW'}, d = {d}"] = {
                "exact": np.bincount(exactly, minlength=d + 1).tolist(),
                "above_cutoff": np.bincount(counted, minlength=d + 1).tolist()}
    _finish(axes)
    waiting = "" if not flat else (f"; in {len(flat)} more $V$ has an eigenvalue of "
                                   f"{max(flat):.0e} or less")
    plate = Plate(f"ranks_{variant}", f"Limiting ranks under {NAMES[variant]} attention, {draws} "
                  r"draws a panel: $K=-Q$ with $\lfloor d/2\rfloor$ normal queries, "
                  r"$S_0=GG^\top$. The exact rank is that of the conserved covariance of $x$ given "
                  f"$Qx$, since $QS\\to 0$ (at $t=10^6$ below {SLOW:.0%} of its "
                  f"start in {len(seen) - len(flat)} of {len(seen)} draws{waiting}). The number of "
                  f"eigenvalues above {CUTOFF:g} at $t=10^6$ differs, as eigenvalues "
                  f"down to {least:.0e} survive.", figure, PAGE)
    return plate, {"histograms": record, "largest_QS": float(max(seen)),
                   "least_of_V_where_slow": flat, "least_surviving": least, "time": LATE,
                   "theirs": "seeds 40 (Q), 41 (S0), 26 and 27 (V), 100 draws, cut-off 0.1",
                   "ours": "the exact rank; the time of the count (there: Euler steps until |S'| "
                   "< 1e-4 or 5e-5); no run is left out (there: those with too high a rank)"}


def _finish(axes: Any) -> None:
    """One legend for all panels, labels at the margins only."""
    with look():
        for axis in axes[0]:
            axis.set_xlabel("")
        for axis in axes[:, 1:].flat:
            axis.set_ylabel("")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        axes[0, 0].figure.legend(handles, labels, loc="outside upper center", ncols=2)
