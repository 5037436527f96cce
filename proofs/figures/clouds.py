"""Clouds of tokens at a few depths, each with the Gaussian that the equation predicts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from proofs.figures.style import BLUE, GREY, RED, look

RADII = (1.0, 2.0)  # standard deviations at which the ellipses are drawn


def ellipse(mean: Any, S: Any, radius: float) -> np.ndarray:
    """The curve {x : (x - mean)' S^-1 (x - mean) = radius^2}, shape (2, 121); S may be singular."""
    weights, basis = np.linalg.eigh(S)
    turn = np.linspace(0, 2 * np.pi, 121)
    circle = np.array([np.cos(turn), np.sin(turn)])
    root = basis * np.sqrt(np.clip(weights, 0, None))
    return np.asarray(mean)[:, None] + radius * root @ circle


def principal(S: Any) -> np.ndarray:
    """Two directions (d, 2) to look along: the plane itself, else the widest axes of S."""
    S = np.asarray(S)
    if len(S) <= 2:
        return np.eye(2)
    return np.linalg.eigh(S)[1][:, :-3:-1]


def snapshots(axes: Sequence[Any], times: Sequence[float], tokens: Sequence[Any],
              means: Any, covariances: Any) -> None:
    """Tokens (n, d) at each time and the ellipses of the Gaussian; one axis a time, one scale.

    Beyond the plane the picture is the projection on the two widest axes of the last covariance.
    """
    view = principal(covariances[-1])
    flat = [np.asarray(x) @ view for x in tokens]
    reach = 1.08 * max(np.abs(x - x.mean(0)).max() for x in flat)
    middle = np.mean([x.mean(0) for x in flat], axis=0)
    reach += max(np.abs(x.mean(0) - middle).max() for x in flat)
    planar = np.shape(covariances)[-1] == 2
    with look():
        for axis, t, x, mean, S in zip(axes, times, flat, means, covariances, strict=True):
            axis.scatter(*x.T, s=2.2, lw=0, color=BLUE, alpha=0.55, rasterized=len(x) > 2000)
            for radius in RADII:
                axis.plot(*ellipse(view.T @ mean, view.T @ S @ view, radius), color=RED, lw=0.8)
            axis.set(xlim=middle[0] + np.array([-reach, reach]), aspect="equal",
                     ylim=middle[1] + np.array([-reach, reach]), title=f"$t = {t:.3g}$",
                     xlabel="$x_1$" if planar else "widest axis")
        axes[0].set_ylabel("$x_2$" if planar else "second axis")
        for axis in axes[1:]:
            axis.set_yticklabels([])


def fan(axis: Any, times: Any, tokens: Any, gaussian_times: Any, means: Any, deviations: Any
        ) -> None:
    """On the line: every token against time, and the Gaussian's mean with 1 and 2 deviations."""
    tokens, means, deviations = map(np.asarray, (tokens, means, deviations))
    some = tokens[:, np.linspace(0, tokens.shape[1] - 1, min(60, tokens.shape[1])).astype(int)]
    with look():
        axis.plot(times, some, color=BLUE, lw=0.4, alpha=0.6)
        for radius in RADII:
            for sign in (-1, 1):
                axis.plot(gaussian_times, means + sign * radius * deviations, color=RED, lw=0.9)
        axis.plot(gaussian_times, means, color=GREY, lw=0.8, ls=(0, (4, 2)))
        seen = [some.min(), some.max(), (means - deviations).min(), (means + deviations).max()]
        room = 0.05 * (max(seen) - min(seen))
        axis.set(xlabel="time $t$", ylabel="tokens $x_i(t)$", xlim=(0, None),
                 ylim=(min(seen) - room, max(seen) + room))
