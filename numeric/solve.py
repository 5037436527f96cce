"""An ordinary differential equation to its horizon, to rest, or to its blow-up, told apart.

Near a blow-up time T* a size grows like (T* - t)^-p, so size/size' falls to 0 along a line with
slope -1/p; under exponential growth it stays put. Two thresholds give the line and its zero T*. A
solver that stops is no evidence of blow-up and is called a failure.
Source: ours; SciPy solves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

LEVELS = (1e6, 1e8, *(10.0**k for k in range(12, 121, 4)))  # growth of the size from its start
NEAR = 1e-3    # of the time gone by: blow-up is believed when it is that close ...
STEEP = 10.0   # ... and its exponent p at most this
MOST = 10**5   # evaluations of the rate; stiff equations would otherwise never end
STATUSES = ("reached", "blow_up", "settled", "failed")


@dataclass(frozen=True)
class Solution:
    """Times (m,) and states (m, ...) up to the last one known, and how it ended.

    `blow_up` is the estimated T* under the status "blow_up", else None; `note` says what failed.
    """

    times: np.ndarray
    states: np.ndarray
    status: str
    blow_up: float | None = None
    note: str = ""


def solve(rate: Callable[[float, np.ndarray], np.ndarray], start: np.ndarray, times: np.ndarray,
          size: Callable[[np.ndarray], float], *, method: str = "DOP853", rtol: float = 1e-10,
          atol: float | None = None, settle: float | None = None,
          watch: Callable[[float], Any] | None = None) -> Solution:
    """y' = rate(t, y) from y(0) = start, at the `times` that come before any end.

    `size(y) > 0` is what may blow up; `settle` ends the run once |y'| <= settle |y|; `watch` is
    called with each time the solver visits. atol is 1e-2 rtol |start| by default. After a
    blow-up or rest the last state known is added, so the result is never empty and never
    infinite.
    """
    from scipy.integrate import solve_ivp

    horizon, begun = float(times[-1]), size(start)
    atol = 1e-2 * rtol * (np.linalg.norm(start) or 1.0) if atol is None else atol
    found_t, found_y = [t for t in times[:1] if t == 0], [start for t in times[:1] if t == 0]
    t, y, before, calls = 0.0, start, None, count(1)

    def watched(s: float, state: np.ndarray) -> np.ndarray:
        if next(calls) > MOST:
            raise _Exhausted(f"{s:.6g}")
        if watch is not None:
            watch(s)
        return rate(s, state)

    def result(status: str, blow_up: float | None = None, note: str = "") -> Solution:
        if not found_t or (status != "reached" and t > found_t[-1]):
            found_t.append(t)
            found_y.append(y)
        return Solution(np.array(found_t), np.stack(found_y), status, blow_up, note)

    levels = LEVELS if begun > 0 else LEVELS[-1:]
    with np.errstate(all="ignore"):
        if settle is not None and _rest(rate(t, y), y, settle) <= 0:
            return result("settled")
        for level in levels:
            if t >= horizon:
                break
            try:
                run = solve_ivp(watched, (t, horizon), y, method=method, rtol=rtol, atol=atol,
                                t_eval=times[(times > t) & (times <= horizon)],
                                events=_events(rate, size, (begun or 1.0) * level, settle))
            except _Exhausted as stop:
                return result("failed", note=f"{MOST} evaluations were not enough, {method} came "
                              f"to t = {stop}: try LSODA, a shorter horizon or a larger rtol")
            found_t += list(run.t)
            found_y += list(np.asarray(run.y).T)
            if run.status == 0:
                return result("reached")
            if run.status < 0:
                return result("failed", note=f"the solver stopped: {run.message}")
            rested = len(run.t_events[1]) > 0
            which = 1 if rested else 0
            t, y = float(run.t_events[which][0]), run.y_events[which][0]
            if rested:
                return result("settled")
            now = (t, _time_scale(rate(t, y), y, size))
            end = _zero(before, now)
            if end is not None and end <= horizon:
                return result("blow_up", end)
            before = now
    if t >= horizon:
        return result("reached")
    return result("failed", note=f"the size grew {levels[-1]:.0e}-fold by t = {t:.6g} without "
                                 "the signature of a blow-up: shorten the horizon")


class _Exhausted(Exception):
    """The evaluations of the rate are used up; says at what time."""


def _events(rate: Callable, size: Callable, limit: float, settle: float | None) -> list[Callable]:
    def grown(t: float, y: np.ndarray) -> float:
        now = size(y)
        return np.log(now / limit) if now > 0 else -1.0

    def rested(t: float, y: np.ndarray) -> float:
        return 1.0 if settle is None else _rest(rate(t, y), y, settle)
    grown.terminal, grown.direction = True, 1
    rested.terminal, rested.direction = True, -1
    return [grown, rested]


def _rest(speed: np.ndarray, y: np.ndarray, settle: float) -> float:
    return float(np.linalg.norm(speed) - settle * np.linalg.norm(y))


def _time_scale(speed: np.ndarray, y: np.ndarray, size: Callable) -> float:
    """size/size' along the flow, by a central difference (exact for quadratic sizes)."""
    h = 1e-3 * np.linalg.norm(y) / np.linalg.norm(speed)
    return size(y) * 2 * h / (size(y + h * speed) - size(y - h * speed))


def _zero(before: tuple[float, float] | None, now: tuple[float, float]) -> float | None:
    """Where the line through the two (time, time scale) meets 0, if it has the signature."""
    if before is None or not 0 < now[1] < before[1]:
        return None
    power = (now[0] - before[0]) / (before[1] - now[1])
    left = power * now[1]
    return now[0] + left if left <= NEAR * now[0] and power <= STEEP else None
