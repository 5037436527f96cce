"""The paper's figures in the plane: covariances from a grid of starts, in the cone or in its disc.

Each function returns the plate and the record of its settings. What the authors' code fixes is
told under `theirs`, what it leaves open or we chose otherwise under `ours`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from numeric import gaussian
from numeric.model import Model
from proofs.figures import cone, weights
from proofs.figures.plate import Plate
from proofs.figures.style import PAGE, canvas, look, panels

NAMES = {"softmax": "softmax", "l2": "$L^2$", "multihead": "two heads", "sinkhorn": "Sinkhorn"}
STARTS = 10        # a side of the grid
POINTS = 200       # times of a trajectory, before it is refined where it turns fast:
FINER, JUMP = 5, 0.02  # at most so often, until no step in the disc is longer
CONE = 2.6         # inches of a cone
NEAREST = 1e-5     # relative distance from T* at which a trajectory that blows up ends
CEILING = 1e4      # trace at which a trajectory that grows for ever ends
GRID = "a 10 by 10 grid of starts of trace 1"
SHADES = "Dark trajectories start at small $S_{12}$."
Step = Callable[[str, int, int], None]
Result = tuple[Plate, dict[str, Any]]


def trajectory(model: Model, S: np.ndarray, horizon: float) -> tuple[np.ndarray, bool]:
    """S(t) at times that crowd towards 0 or T* and where it turns; and whether it blows up.

    In closed form where one is known, else integrated.
    """
    def run(times: np.ndarray) -> gaussian.Trajectory:
        return gaussian.closed(model, None, S, times) or gaussian.integrate(
            model, None, S, times[-1], times, method="LSODA", rtol=1e-8)
    times = np.append(0, np.geomspace(1e-3 * horizon, horizon, POINTS))
    found = run(times)
    blown = found.blow_up is not None
    if blown:
        times = found.blow_up * (1 - np.geomspace(1, NEAREST, POINTS))
        found = run(times)
    for _ in range(FINER):
        u, w, trace = cone.coordinates(found.covariances)
        jumps = np.flatnonzero(np.hypot(np.diff(u / trace), np.diff(w / trace)) > JUMP)
        if not len(jumps):
            break
        between = [np.linspace(times[k], times[k + 1], 10)[1:-1] for k in jumps]
        times = np.sort(np.concatenate([times, *between]))
        found = run(times)
    over = np.trace(found.covariances, axis1=1, axis2=2) > CEILING
    return found.covariances[:None if blown or not over.any() else over.argmax()], blown


def paths(name: str, models: dict[str, Model], starts: np.ndarray, horizon: float | dict,
          step: Step) -> dict[str, tuple[list[np.ndarray], list[bool]]]:
    """The trajectories of every variant from every start, and which of them blow up."""
    found, total = {}, len(models) * len(starts)
    for k, (variant, model) in enumerate(models.items()):
        until = horizon[variant] if isinstance(horizon, dict) else horizon
        pairs = []
        for i, S in enumerate(starts):
            step(f"{name}: {variant}", k * len(starts) + i, total)
            pairs.append(trajectory(model, S, until))
        found[variant] = ([S for S, _ in pairs], [ends for _, ends in pairs])
    return found


def _models(drawn: tuple, *variants: str) -> dict[str, Model]:
    return {variant: weights.of(variant, *drawn) for variant in variants}


def _blown(found: dict) -> str:
    """How many starts blow up, a variant each."""
    return "Blown up: " + ", ".join(f"{NAMES[v]} {sum(ends)} of {len(ends)}"
                                    for v, (_, ends) in found.items()) + "."


def _cones(found: dict, view: tuple[float, float], **marks: Any) -> tuple[Any, float]:
    """One cone a variant, two in a row; the figure and its width."""
    from matplotlib.figure import Figure
    cols = min(2, len(found))
    rows = -(-len(found) // cols)
    width = CONE * cols
    with look():
        figure = Figure(figsize=(width, CONE * rows))
        axes = figure.subplots(rows, cols, squeeze=False, subplot_kw={"projection": "3d"})
        figure.subplots_adjust(0.0, 0.0, 1.0, 1.0 - 0.08 / rows, 0.0, 0.08)
        for axis, (curves, _) in zip(axes.flat, found.values(), strict=True):
            cone.draw(axis, curves, view, **marks)
        if len(found) > 1:
            panels(list(axes.flat), [NAMES[v] for v in found])
    return figure, width


def _discs(found: dict) -> Any:
    """One disc a variant, in a row; the labels of the axes once."""
    with look():
        figure, axes = canvas(1, len(found), PAGE, 0.6 + PAGE / len(found) * 0.92, sharey=True)
        for axis, (curves, ends) in zip(axes[0], found.values(), strict=True):
            cone.disc(axis, curves, ends)
            axis.set(xlabel="", ylabel="")
        across, up = cone.SHARES
        figure.supxlabel(across, fontsize=8)
        figure.supylabel(up, fontsize=8)
        panels(list(axes[0]), [NAMES[v] for v in found])
    return figure


def to_zero(step: Step) -> Result:
    """Q invertible, K = -Q, V > 0: every covariance tends to 0."""
    drawn, horizon = weights.to_zero(), 1000.0
    found = paths("to_zero", _models(drawn, "softmax", "l2", "multihead", "sinkhorn"),
                  cone.starts(STARTS, 0.5), horizon, step)
    figure, width = _cones(found, (15, -50))
    return Plate("to_zero", r"Covariances to zero: $K=-Q$ with $Q$ uniform, $V=WW^\top$; "
                 f"{GRID}, dots at $t={horizon:g}$. {SHADES}", figure, width), {
        **weights.described(*drawn), "horizon": horizon, "theirs": "seed 35, grid within 1/2, "
        "variants", "ours": "horizon (there: Euler steps until |S'| < 1e-5), view"}


def to_line(step: Step) -> Result:
    """One query, K = -Q, V = 1: every covariance tends to the line of the unseen direction."""
    drawn, horizon = weights.one_query(), 1000.0
    found = paths("to_line", _models(drawn, "softmax", "l2"), cone.starts(STARTS, 0.5), horizon,
                  step)
    q = drawn[0][0]
    figure, width = _cones(found, (15, -60), lines=[(-q[1], q[0])])
    return Plate("to_line", r"Covariances to a line: one unit query, $K=-Q$, $V=I$; "
                 f"{GRID}, dots at $t={horizon:g}$, dashed the covariances "
                 r"$\lambda ww^\top$ with $Qw=0$. " + SHADES, figure, width), {
        **weights.described(*drawn), "horizon": horizon, "theirs": "seed 36, grid within 1/2",
        "ours": "horizon (there: Euler steps until |S'| < 1e-4), view"}


def to_plane(step: Step) -> Result:
    """Two heads of which one has a query and moves the first coordinate alone: a plane is left.

    S' = -(e1 s1 s' + s s1 e1'), s = Sq', rests exactly where s1 = 0: a plane through 0.
    """
    drawn, horizon = weights.one_query(), 1000.0
    found = paths("to_plane", _models(drawn, "multihead"), cone.starts(STARTS, 0.5), horizon, step)
    q = drawn[0][0]
    figure, width = _cones(found, (15, -60), plane=(q[0], q[1], q[0]))
    return Plate("to_plane", r"Covariances to a plane: one of two heads has a unit query $q$, "
                 rf"$K=-Q$, $V=I$; {GRID}, dots at $t={horizon:g}$, shaded the plane "
                 rf"$e_1^\top Sq=0$. {SHADES}", figure, width), {
        **weights.described(*drawn), "horizon": horizon, "theirs": "seed 36, grid within 1/2; the "
        "second head has no query there either", "ours": "horizon (there: Euler steps until |S'| "
        "< 1e-4), view, the equation of the plane"}


def to_two_lines(step: Step) -> Result:
    """A + A' indefinite, V random: the start decides which of two lines is reached."""
    drawn, horizon = weights.indefinite(32), 500.0
    found = paths("to_two_lines", _models(drawn, "softmax", "l2"), cone.starts(STARTS, 1.0),
                  horizon, step)
    figure, width = _cones(found, (15, -60), lines=_isotropic(drawn[1].T @ drawn[0]))
    return Plate("to_two_lines", "Covariances to two lines, as the start decides: "
                 rf"$A+A^\top$ indefinite, $V$ normal; {GRID}, dots at $t={horizon:g}$, dashed "
                 r"the covariances $\lambda ww^\top$ with $w^\top Aw=0$. " + SHADES, figure,
                 width), {
        **weights.described(*drawn), "horizon": horizon, "theirs": "seeds 36 and 32, grid within 1",
        "ours": "10 x 10 starts (there 20 x 20), horizon, view, the two lines; the public script "
        "saves its L2 run under both names, here softmax is softmax"}


def _isotropic(A: np.ndarray) -> list[np.ndarray]:
    """The two directions w of the plane with w'Aw = 0, for A + A' indefinite."""
    (low, high), basis = np.linalg.eigh(A + A.T)
    return [basis @ np.array([np.sqrt(high), sign * np.sqrt(-low)]) for sign in (1, -1)]


def blow_up(step: Step) -> Result:
    """A + A' > 0, V = 1: softmax blows up, L2 and Sinkhorn grow for ever."""
    drawn = weights.positive()
    horizon = {"softmax": 50.0, "multihead": 50.0, "l2": 40.0, "sinkhorn": 8.0}
    found = paths("blow_up", _models(drawn, *horizon), cone.starts(STARTS, 1.0), horizon, step)
    return Plate("blow_up", r"Blow-up and divergence: $A+A^\top$ positive definite, $V=I$. "
                 f"Covariances divided by their trace; {GRID}, followed to the blow-up (red ends), "
                 f"or to trace {CEILING:g} or the horizon (blue ends). {_blown(found)} {SHADES}",
                 _discs(found), PAGE), {
        **weights.described(*drawn), "horizon": horizon, "result": _blown(found),
        "theirs": "seed 33, grid within 1", "ours": "10 x 10 starts (there 40 x 40), horizons"}


def start_decides(step: Step) -> Result:
    """A + A' indefinite, V random: some starts blow up, the others converge."""
    drawn = weights.indefinite(35, 56)
    horizon = {"softmax": 60.0, "l2": 60.0, "multihead": 60.0}
    found = paths("start_decides", _models(drawn, *horizon), cone.starts(STARTS, 1.0), horizon,
                  step)
    return Plate("start_decides", "Convergence or blow-up, as the start decides: "
                 rf"$A+A^\top$ indefinite, $V$ normal. Covariances divided by their trace; {GRID}, "
                 "red ends blow up, blue ones do not by $t=60$. "
                 f"{_blown(found)} {SHADES}", _discs(found), PAGE), {
        **weights.described(*drawn), "horizon": horizon, "result": _blown(found),
        "theirs": "seeds 36 and 35 (after 56 numbers), grid within 1", "ours": "10 x 10 starts "
        "(there 30 x 30), horizon; two heads (the public script leaves the number of heads at 1)"}
