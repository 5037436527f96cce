"""Covariances of the plane as points: the cone {tr S >= |(S11 - S22, 2 S12)|} and its sections.

S is positive semidefinite exactly when it lies in the cone, singular exactly on its boundary, and
S / tr S lies in the unit disc. Arrays of covariances have shape (times, 2, 2).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from proofs.figures.style import BLACK, GREY, RED, SKY, look, shades

NEAR = 0.004   # of the cone's radius: points of a trajectory that are closer are not told apart
AXES = ("$S_{11}-S_{22}$", "$2\\,S_{12}$", "$\\mathrm{tr}\\,S$")
SHARES = ("$(S_{11}-S_{22})/\\mathrm{tr}\\,S$", "$2\\,S_{12}/\\mathrm{tr}\\,S$")


def coordinates(S: Any) -> np.ndarray:
    """(S11 - S22, 2 S12, tr S), shape (3, times)."""
    S = np.asarray(S)
    return np.array([S[:, 0, 0] - S[:, 1, 1], S[:, 0, 1] + S[:, 1, 0],
                     S[:, 0, 0] + S[:, 1, 1]])


def thinned(curve: np.ndarray, room: float) -> np.ndarray:
    """The curve (k, times) without the points that lie closer than `room` to the one before."""
    kept = [0]
    for i in range(1, curve.shape[1] - 1):
        if np.linalg.norm(curve[:, i] - curve[:, kept[-1]]) >= room:
            kept.append(i)
    return curve[:, [*kept, curve.shape[1] - 1]]


def starts(steps: int, reach: float) -> np.ndarray:
    """The covariances of trace 1 on a square grid of the disc, (S11 - S22, 2 S12) in +-reach."""
    grid = np.linspace(-reach, reach, steps)
    u, w = (g.ravel() for g in np.meshgrid(grid, grid, indexing="ij"))
    inside = u**2 + w**2 < 1
    u, w = u[inside], w[inside]
    return np.array([[(1 + u) / 2, w / 2], [w / 2, (1 - u) / 2]]).transpose(2, 0, 1)


def draw(axis: Any, paths: Sequence[Any], view: tuple[float, float] = (15, -60), *,
         top: float = 0.0, lines: Sequence[Any] = (), plane: Any = None, width: float = 0.6,
         colours: Sequence[Any] = (), shadows: Sequence[Any] = ()) -> None:
    """Draw trajectories in the cone; the dark ones start at small S12, red dots are their ends.

    `lines` are directions w: the rays of the covariances w w'. `plane` is the normal n (3,)
    of a plane through the apex. `top` is where the cone is cut, if not at the highest S.
    `shadows` are further trajectories, in grey and without ends.
    """
    curves = [coordinates(S) for S in paths]
    top = top or 1.05 * max(c[2].max() for c in curves)
    with look():
        _frame(axis, top, view)
        if plane is not None:
            _section(axis, np.asarray(plane, dtype=float), top)
        for line in lines:
            ray = coordinates(np.outer(line, line)[None] / np.dot(line, line))[:, 0] * top
            axis.plot(*np.array([0 * ray, ray]).T, color=BLACK, lw=0.9, ls=(0, (4, 2)), zorder=4)
        for S in shadows:
            curve = coordinates(S)
            axis.plot(*curve[:, curve[2] <= top], color=GREY, lw=0.4, alpha=0.8)
        for curve, colour in zip(curves, colours or shades([c[1, 0] for c in curves]),
                                 strict=True):
            inside = thinned(curve[:, curve[2] <= top], NEAR * top)
            axis.plot(*inside, color=colour, lw=width, alpha=0.85)
        ends = np.array([c[:, -1] for c in curves if c[2, -1] <= top]).T
        if ends.size:
            axis.scatter(*ends, color=RED, s=4, lw=0, depthshade=False, zorder=6)


def _frame(axis: Any, top: float, view: tuple[float, float]) -> None:
    """The cone as a veil with its rim and a few rulings; three labelled axes, no box."""
    turn, height = np.meshgrid(np.linspace(0, 2 * np.pi, 73), np.linspace(0, top, 2))
    axis.plot_surface(height * np.cos(turn), height * np.sin(turn), height, color=GREY,
                      alpha=0.08, lw=0, antialiased=True, shade=False)
    rim = np.linspace(0, 2 * np.pi, 145)
    axis.plot(top * np.cos(rim), top * np.sin(rim), top, color=GREY, lw=0.5)
    for angle in np.linspace(0, 2 * np.pi, 8, endpoint=False):
        axis.plot([0, top * np.cos(angle)], [0, top * np.sin(angle)], [0, top], color=GREY,
                  lw=0.3, alpha=0.5)
    axis.plot([0, 0], [0, 0], [0, 1.25 * top], color=GREY, lw=0.5, ls=(0, (1, 2)))
    axis.text(0, 0, 1.27 * top, f"{AXES[2]} (rim: {top:.3g})", ha="center", va="bottom", fontsize=7)
    for label, (x, y) in zip(AXES, ((1, 0), (0, 1)), strict=False):
        axis.quiver(0, 0, 0, 0.8 * top * x, 0.8 * top * y, 0, color=GREY, lw=0.5,
                    arrow_length_ratio=0.08)
        axis.text(0.9 * top * x, 1.05 * top * y, -0.08 * top, label, ha="center", va="center",
                  fontsize=7)
    axis.view_init(*view)
    axis.set(xlim=(-top, top), ylim=(-top, top), zlim=(0, 1.2 * top))
    axis.set_box_aspect((1, 1, 0.82), zoom=1.4)
    axis.set_axis_off()


def _section(axis: Any, normal: np.ndarray, top: float) -> None:
    """The part of a plane through the apex that lies in the cone: a triangle."""
    radius = np.hypot(*normal[:2])
    if abs(normal[2]) >= radius:
        return  # it meets the cone in the apex alone
    middle, half = np.arctan2(normal[1], normal[0]), np.arccos(-normal[2] / radius)
    corners = [[0, 0, 0], *([top * np.cos(a), top * np.sin(a), top]
                            for a in (middle - half, middle + half))]
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection
    axis.add_collection3d(Poly3DCollection([corners], facecolor=RED, alpha=0.12, lw=0.5,
                                           edgecolor=RED))


def disc(axis: Any, paths: Sequence[Any], blown: Sequence[bool]) -> None:
    """Draw S / tr S in the unit disc, whose edge are the singular covariances.

    Trajectories that have `blown` up end in red, the others in blue.
    """
    curves = [(c := coordinates(S))[:2] / c[2] for S in paths]
    turn = np.linspace(0, 2 * np.pi, 181)
    with look():
        axis.fill(np.cos(turn), np.sin(turn), color=GREY, alpha=0.08, lw=0)
        axis.plot(np.cos(turn), np.sin(turn), color=GREY, lw=0.6)
        for curve, colour in zip(curves, shades([c[1, 0] for c in curves]), strict=True):
            axis.plot(*thinned(curve, NEAR), color=colour, lw=0.6, alpha=0.85)
        axis.scatter(*np.array([c[:, -1] for c in curves]).T, s=5, lw=0, zorder=6,
                     color=[RED if b else SKY for b in blown], clip_on=False)
        axis.set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05), aspect="equal", xticks=[-1, 0, 1],
                 yticks=[-1, 0, 1], xlabel=SHARES[0], ylabel=SHARES[1])
