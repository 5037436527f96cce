"""A plain integration of the softmax covariance, to contradict certificates if it can."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Run:
    """S at the last time; `reached` the horizon, or `blow_up` estimates T*, or neither."""

    t: float
    S: np.ndarray
    reached: bool
    blow_up: float | None


def integrated(A, V, S0, horizon: float, big: float = 1e8, most: int = 200_000) -> Run:
    """S' = V S A S + S A^T S V^T by LSODA at 1e-10, in the clock dtau = tr S dt.

    With Z = S/y, y = tr S: Z' = F(Z) - c Z, (log y)' = c, t' = 1/y, c = tr F(Z); a blow-up is
    tau -> oo and nothing is singular before. Once y is `big` times its start, what is left of the
    time is 1/(c y); it counts as blow-up if that is positive and below 1e-3 of the time gone by.
    At most `most` evaluations.
    """
    from scipy.integrate import solve_ivp

    d, calls, grown = len(A), 0, np.log(big)
    y0 = np.trace(S0)

    def rate(_, s):
        nonlocal calls
        calls += 1
        if calls > most:
            raise TimeoutError
        Z = s[:-2].reshape(d, d)
        F = V @ Z @ A @ Z
        F, c = F + F.T, 2 * np.trace(F)
        return np.concatenate([(F - c * Z).ravel(), [c, np.exp(-s[-2]) / y0]])

    def ended(_, s):
        return min(horizon - s[-1], grown - s[-2])
    ended.terminal = True
    s = np.concatenate([(S0 / y0).ravel(), [0.0, 0.0]])
    try:
        for stretch in (1e2, 1e4, 1e6, 1e8):
            run = solve_ivp(rate, (0, stretch), s, method="LSODA", rtol=1e-10, atol=1e-13,
                            events=ended)
            s = run.y[:, -1]
            if run.status != 0:
                break
    except TimeoutError:
        run = None
    Z, t, y = s[:-2].reshape(d, d), s[-1], y0 * np.exp(s[-2])
    left, blow_up = 1 / (y * (2 * np.trace(V @ Z @ A @ Z) or np.nan)), None
    done = run is not None and run.status == 1
    if done and s[-2] > grown - 1e-6 and 0 < left < 1e-3 * t:
        blow_up = t + left
    return Run(t, y * (Z + Z.T) / 2, done and t > horizon * (1 - 1e-9), blow_up)
