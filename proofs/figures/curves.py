"""Curves against time, and errors against the number of tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from proofs.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, look

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY, BLACK)


def eigenvalues(axis: Any, times: Any, values: Any, closed: Any = None,
                tokens: Sequence[tuple[Any, Any]] = (), end: float | None = None) -> None:
    """Eigenvalues of S(t), shape (times, d): the equation, its closed form, and tokens.

    `closed` and each of `tokens` is a pair (times, values). The scale is logarithmic where the
    positive values span more than three decades. `end` marks a blow-up.
    """
    values = np.atleast_2d(values)
    with look():
        for i, column in enumerate(values.T[::-1]):
            colour = COLOURS[i % len(COLOURS)]
            axis.plot(times, column, color=colour, zorder=3,
                      label=f"$\\lambda_{{{i + 1}}}$" if values.shape[1] <= 6 else None)
            for path in tokens:
                axis.plot(path[0], np.atleast_2d(path[1])[:, -1 - i], color=colour, lw=0.5,
                          alpha=0.4)
            if closed is not None:
                some = np.linspace(0, len(closed[0]) - 1, 12).astype(int)
                axis.plot(np.asarray(closed[0])[some], np.atleast_2d(closed[1])[some, -1 - i], "o",
                          ms=2.8, mfc="none", mew=0.6, color=BLACK, zorder=4,
                          label="closed form" if i == values.shape[1] - 1 else None)
        if tokens:
            axis.plot([], [], color=GREY, lw=0.5, label="tokens")
        _scale(axis, values)
        if end is not None:
            axis.axvline(end, color=RED, lw=0.7, ls=(0, (4, 2)), label="$T^*$")
        axis.set(xlabel="time $t$", ylabel="eigenvalues of $S(t)$", xlim=(0, None))
        axis.legend(ncols=2 if values.shape[1] > 2 else 1, loc="best")


def _scale(axis: Any, values: np.ndarray) -> None:
    """A logarithmic axis where linear would hide most of it; zeros stay off it."""
    floor = 1e-12 * values.max()
    positive = values[values > floor]
    if positive.size and positive.max() > 1e3 * positive.min():
        axis.set_yscale("log")
        axis.set_ylim(0.5 * positive.min(), 2 * positive.max())
    else:
        axis.set_ylim(0, None)


def blow_up(axis: Any, times: Any, largest: Any, estimate: float | None,
            exact: float | None = None) -> None:
    """1 / largest eigenvalue against time: a straight line into zero at the blow-up time T*."""
    with look():
        axis.plot(times, 1 / np.asarray(largest), color=BLUE)
        axis.axhline(0, color=GREY, lw=0.5)
        for value, name, colour, mark in ((exact, "$T^*$ in closed form", BLACK, "|"),
                                          (estimate, "$T^*$ estimated", RED, "o")):
            if value is not None:
                axis.plot([value], [0], mark, color=colour, ms=9 if mark == "|" else 3.5,
                          mew=0.9, clip_on=False, zorder=5, label=f"{name} = {value:.5g}")
        axis.set(xlabel="time $t$", ylabel="$1\\,/\\,\\lambda_{\\max}(S(t))$", xlim=(0, None),
                 ylim=(0, None))
        if estimate is not None or exact is not None:
            axis.legend(loc="upper right")


def rates(axis: Any, counts: Sequence[int], errors: Mapping[str, Sequence[float]],
          slopes: Mapping[str, float | None], t: float) -> None:
    """Errors (root mean square over seeds) against the number n of tokens, and the slope -1/2."""
    counts = np.asarray(counts)
    with look():
        for (name, values), colour, mark in zip(errors.items(), COLOURS, "os^D", strict=False):
            slope = slopes.get(name)
            told = f"{name}" + ("" if slope is None else f" (slope {slope:.2f})")
            axis.plot(counts, values, mark + "-", color=colour, ms=3, lw=0.8, label=told)
        if len(counts) > 1:
            first = max(v[0] for v in errors.values())
            axis.plot(counts, 1.5 * first * (counts / counts[0]) ** -0.5, color=GREY, lw=0.7,
                      ls=(0, (4, 2)), label="$n^{-1/2}$")
        axis.set(xscale="log", yscale="log", xlabel="tokens $n$", ylabel=f"error at $t = {t:.3g}$")
        _ticks(axis, counts)
        axis.legend(loc="best")


def _ticks(axis: Any, counts: np.ndarray) -> None:
    """Plain numbers on both axes; below, the numbers of tokens themselves where they are few."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter
    low, high = axis.get_ylim()
    if high < 30 * low:
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(FormatStrFormatter("%g"))
        axis.yaxis.set_minor_formatter(NullFormatter())
    if len(counts) <= 7:
        axis.set_xticks(counts, [str(n) for n in counts])
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set_xticks([], minor=True)
