"""Where the Gaussian equations of attention can be solved on paper.

Softmax (and linear, for the raw second moment) when V commutes with S0 and with N = VA + A'V':
S(t) = R (1 - t R N R)^{-1} R, R = S0^{1/2}. Softmax with A = +- q q': a rank-one move along
e^{+-V tau} S0 q with a scalar clock. L2 and Sinkhorn at d = 1: Lambert's function, sinh.
Source: ours; they extend the case V = 1, symmetric A, of arXiv 2501.18322.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from numeric.law import Trajectory, checked_law, root
from numeric.model import Model, checked_times, score

ROUNDING = 1e-13  # relative: how far products may be apart that should be equal
DONE = 1e-15      # of the time on the clock: what the rest of it may still add
MOST_TICKS = 6_000    # evaluations of a clock before its closed form is given up


def closed(model: Model, mean: Any, S: Any, times: Any) -> Trajectory | None:
    """The laws at the given times from N(mean, S) at 0, or None where we know no closed form.

    The means are None where only the covariance has one; mean None stands for 0. A blow-up time
    before the last of the times ends the trajectory before it. Raises ValueError naming the
    argument.
    """
    mean, S = checked_law(model, mean, S)
    times = np.atleast_1d(np.asarray(times, dtype=float))
    times = checked_times("closed", float(times[-1]) if times.size else 0.0, times)
    if not model.constant or model.variant not in FORMS:
        return None
    for form in FORMS[model.variant]:
        found = form(model, mean, S, times)
        if found is not None:
            return found
    return None


def _ended(times: np.ndarray, end: float | None,
           law: Callable[[np.ndarray], tuple[Any, np.ndarray]]) -> Trajectory:
    """The laws at the times before the end, if there is one."""
    over = end is not None and end <= times[-1]
    means, covariances = law(times[times < end] if over else times)
    return Trajectory(times[times < end] if over else times, means, covariances,
                      "blow_up" if over else "reached", end if over else None)


def _same(left: np.ndarray, right: np.ndarray, size: float) -> bool:
    return bool(np.abs(left - right).max() <= ROUNDING * size)


def _riccati(V: np.ndarray, A: np.ndarray, S: np.ndarray, mean: np.ndarray, times: np.ndarray,
             drift: np.ndarray) -> Trajectory | None:
    """S' = SNS and m' = (drift + SN/2) m; the mean is known where VA is symmetric, or 0.

    Where V is not a number, the solution may be unstable under starts that do not commute.
    """
    from scipy.linalg import expm

    N = V @ A + A.T @ V.T
    size = np.linalg.norm(V) * (np.linalg.norm(S) + np.linalg.norm(N))
    if A.any() and not (_same(V @ S, S @ V, size) and _same(V @ N, N @ V, size)):
        return None
    R = root(S)
    w, U = np.linalg.eigh(R @ N @ R)
    RU, known = R @ U, _same(2 * V @ A, N, np.linalg.norm(N))

    def law(t: np.ndarray) -> tuple[Any, np.ndarray]:
        left = 1 - t[:, None] * w
        C = np.einsum("ij,tj,kj->tik", RU, 1 / left, RU)
        if not mean.any():
            return np.zeros((len(t), len(mean))), C
        if not known:
            return None, C
        # f(SN) m with f(z) = (1 - t z)^{-1/2}, as f(0) m + R g(RNR) R N m, g(z) = (f(z) - f(0))/z
        grown = np.expm1(-np.log(left) / 2)
        g = np.where(w == 0, t[:, None] / 2, grown / np.where(w == 0, 1, w))
        m = mean + np.einsum("ij,tj,j->ti", RU, g, RU.T @ N @ mean)
        return np.einsum("tij,tj->ti", expm(t[:, None, None] * drift), m), C
    return _ended(times, float(1 / w[-1]) if w[-1] > 0 else None, law)


def _softmax(model: Model, mean: np.ndarray, S: np.ndarray,
             times: np.ndarray) -> Trajectory | None:
    return _riccati(model.V, score(model), S, mean, times, model.V)


def _linear(model: Model, mean: np.ndarray, S: np.ndarray,
            times: np.ndarray) -> Trajectory | None:
    """The raw second moment M = S + mm' obeys the softmax equation; m' = V M A m."""
    found = _riccati(model.V, score(model), S + np.outer(mean, mean), mean, times,
                     np.zeros_like(model.V))
    if found is None or found.means is None:
        return None
    m = found.means
    return Trajectory(found.times, m, found.covariances - m[:, :, None] * m[:, None, :],
                      found.status, found.blow_up)


def _rank_one(model: Model, mean: np.ndarray, S: np.ndarray,
              times: np.ndarray) -> Trajectory | None:
    """A = sign q q': S = S0 + (h h' - s s')/q.s, s = S0 q, h = e^{sign V tau} s, and a clock.

    dt = q.s/(q.h)^2 dtau; it blows up where the whole clock runs out in finite time.
    """
    from scipy.linalg import expm

    A = score(model)
    w, U = np.linalg.eigh((A + A.T) / 2)
    top = np.argmax(np.abs(w))
    q, sign = U[:, top] * np.sqrt(abs(w[top])), np.sign(w[top])
    if not _same(A, sign * np.outer(q, q), np.linalg.norm(A)) or (S @ q) @ q <= 0:
        return None
    s = S @ q

    def h(tau: float) -> np.ndarray:
        return expm(sign * tau * model.V) @ s
    try:
        end, clock = _clock(lambda tau: (q @ s) / (q @ h(tau)) ** 2, times[-1],
                            np.linalg.norm(model.V, 2))
    except _Slow:
        return None

    def law(t: np.ndarray) -> tuple[Any, np.ndarray]:
        moved = np.array([h(clock(x)) for x in t]).reshape(-1, len(s))
        C = S + (moved[:, :, None] * moved[:, None, :] - np.outer(s, s)) / (q @ s)
        return (None if mean.any() else np.zeros((len(t), len(s)))), C
    return _ended(times, end, law)


class _Slow(Exception):
    """A clock that takes longer than integrating the law itself."""


def _clock(speed: Callable[[float], float], last: float,
           pace: float) -> tuple[float | None, Callable[[float], float]]:
    """t(tau) = int_0^tau speed: its limit, where that comes before `last`, and its inverse.

    Raises _Slow after MOST_TICKS evaluations.
    """
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    ticks = count()

    def rate(tau: float, t: np.ndarray) -> list[float]:
        if next(ticks) > MOST_TICKS:
            raise _Slow
        return [speed(tau)]

    def arrived(tau: float, t: np.ndarray) -> float:
        return float(t[0] - last)

    def spent(tau: float, t: np.ndarray) -> float:
        return float(np.log(speed(tau) / (pace or 1.0) / (DONE * t[0]))) if t[0] > 0 else 1.0
    arrived.terminal = spent.terminal = True
    run = solve_ivp(rate, (0, np.inf), [0.0], method="DOP853", rtol=1e-13,
                    atol=1e-15 * last, dense_output=True, events=[arrived, spent],
                    first_step=1e-3 / (speed(0.0) + pace) or None)
    stop = run.t[-1]

    def inverse(t: float) -> float:
        if t <= 0 or t >= run.sol(stop)[0]:
            return 0.0 if t <= 0 else stop
        return brentq(lambda tau: run.sol(tau)[0] - t, 0.0, stop, xtol=1e-15, rtol=1e-14)
    return (float(run.y[0, -1]) if len(run.t_events[1]) else None), inverse


def _l2_line(model: Model, mean: np.ndarray, S: np.ndarray,
             times: np.ndarray) -> Trajectory | None:
    """d = 1: y = 1/S has y + 2k^2 log y = y0 + 2k^2 log y0 - 4vkq t; the mean follows y."""
    from scipy.special import wrightomega

    if model.d != 1 or model.Q.shape[0] != 1 or S[0, 0] <= 0:
        return None
    q, k, v, s, m = (float(x.ravel()[0]) for x in (model.Q, model.K, model.V, S, mean))
    if v * k * q == 0:
        y = np.full(len(times), 1 / s)
        means = m * np.exp(v / (1 + 2 * s * k * k) * times)
    else:
        two, y0 = 2 * k * k, 1 / s
        y = two * wrightomega(np.log(y0 / two) + (y0 - 4 * v * k * q * times) / two)
        means = m * np.exp((y0 - y) / (4 * k * q)) * np.sqrt(y0 / y)
    return Trajectory(times, means[:, None], (1 / y)[:, None, None], "reached")


def _sinkhorn_line(model: Model, mean: np.ndarray, S: np.ndarray,
                   times: np.ndarray) -> Trajectory | None:
    """d = 1: 2aS = eps sinh w with w - coth(w/2) = its start + 2vt, and m = m0 e^{vt}."""
    from scipy.optimize import brentq

    if model.d != 1 or S[0, 0] <= 0:
        return None
    a, v, s, m = (float(x.ravel()[0]) for x in (score(model), model.V, S, mean))
    means = (m * np.exp(v * times))[:, None]
    if a == 0:
        return Trajectory(times, means, np.full((len(times), 1, 1), s), "reached")

    def height(w: float) -> float:
        return w - 1 / np.tanh(w / 2)
    start = np.arcsinh(2 * abs(a) * s / model.eps)

    def solved(t: float) -> float:
        rise = 2 * v * np.sign(a) * t
        wanted = height(start) + rise
        low = 1 / max(1.0, 1 - wanted) if rise < 0 else start       # w > 1/(1 - height(w))
        return brentq(lambda w: height(w) - wanted, min(low, start), start + max(rise, 0) + 1e-9,
                      xtol=1e-300, rtol=1e-15)
    w = np.array([solved(t) if t and v else start for t in times])
    return Trajectory(times, means, (model.eps * np.sinh(w) / (2 * abs(a)))[:, None, None],
                      "reached")


FORMS = {"softmax": (_softmax, _rank_one), "linear": (_linear,), "l2": (_l2_line,),
         "sinkhorn": (_sinkhorn_line,)}
