"""What is told of an experiment: numbers under stable keys, the same for --json and the screen.

Routes that must agree are compared: a disagreement is listed under `disagreements` and makes the
command exit with 1.
"""

from typing import Any

import numpy as np

from numeric import gaussian
from numeric.model import score
from numeric.stability.rational import conditional, exact, squares
from proofs.simulate.experiment import Matrix
from proofs.simulate.run import Cloud, Outcome

CUTOFF = 0.1     # the authors' criterion for an eigenvalue to count, told beside the exact rank
AGREE = 1e-6     # relative; the equation is integrated to 1e-10 a step, and errors grow with S


def account(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain data. Its keys are told in `attnproof simulate --help`."""
    experiment, path = outcome.experiment, outcome.path
    data = {
        "path": experiment.name, "title": experiment.title, "variant": experiment.variant,
        "d": experiment.d, "horizon": float(experiment.horizon), "status": path.status,
        "note": path.note, "last_time": float(path.times[-1]), "blow_up": _blow_up(outcome),
        "times": path.times.tolist(), "means": path.means.tolist(),
        "covariances": path.covariances.tolist(),
        "eigenvalues": np.linalg.eigvalsh(path.covariances).tolist(),
        "closed": _closed(outcome), "rank": _rank(outcome), "kappa": kappa(outcome),
        "tokens": [_tokens(outcome, cloud) for cloud in outcome.clouds],
        "rates": rates(outcome), "seconds": round(outcome.seconds, 3)}
    data["disagreements"] = _disagreements(data)
    return data


def _blow_up(outcome: Outcome) -> dict[str, float | None] | None:
    known = outcome.closed.blow_up if outcome.closed else None
    if outcome.path.blow_up is None and known is None:
        return None
    return {"estimated": outcome.path.blow_up, "closed": known}


def _closed(outcome: Outcome) -> dict[str, Any] | None:
    """The closed form and its largest distance from the equation, relative to S(t) as it grows."""
    if outcome.closed is None:
        return None
    exactly, found = outcome.closed.covariances, outcome.path.covariances
    found = found[:len(exactly)]
    size = np.linalg.norm(exactly, axis=(1, 2))
    error = np.linalg.norm(found[:len(exactly)] - exactly, axis=(1, 2))
    start = size[0] or 1.0
    return {"covariances": exactly.tolist(), "note": outcome.closed.note,
            "error": float((error / (start * np.maximum(1, size / start) ** 2)).max())}


def exact_rank(S: Matrix, Q: Matrix | None = None) -> int:
    """The rank of S, or of the covariance of x given Qx, in exact arithmetic."""
    M = exact(S) if Q is None else conditional(exact(S), exact(Q))
    return len(squares(M) or ())


def rows(Q: np.ndarray) -> np.ndarray:
    """An orthonormal basis (r, d) of the row space of Q."""
    _, sizes, basis = np.linalg.svd(Q.reshape(-1, Q.shape[-1]))
    return basis[:len(sizes)][sizes > 1e-12 * sizes.max()]


def _rank(outcome: Outcome) -> dict[str, Any]:
    """Ranks: exact at the start and of the conserved part, which no limit can fall below.

    `seen` is |QS| at the last time over |QS| at the start: where it tends to 0, `conserved` is the
    rank of the limit. `above_cutoff` counts eigenvalues > 0.1 at the last time.
    """
    S0, Q = outcome.experiment.S0, outcome.experiment.Q
    basis, S = rows(np.array(Q, dtype=float)), outcome.path.covariances
    start = gaussian.conditional(S[0], basis)
    drift = [np.linalg.norm(gaussian.conditional(C, basis) - start) / (np.linalg.norm(C) or 1.0)
             for C in S]
    seen = np.linalg.norm(basis @ S[0]) or 1.0
    return {"start": exact_rank(S0), "conserved": exact_rank(S0, Q), "drift": float(max(drift)),
            "seen": float(np.linalg.norm(basis @ S[-1]) / seen),
            "above_cutoff": int((np.linalg.eigvalsh(S[-1]) > CUTOFF).sum()), "cutoff": CUTOFF}


def kappa(outcome: Outcome) -> float | None:
    """2 lam_max(R A'S A R), R = S^{1/2}, the largest over heads and over the tokens' times.

    Below 1 softmax's normaliser has a finite variance and errors fall like n^{-1/2}; far above 1
    extreme tokens rule. None for other variants and without tokens. Ours.
    """
    if not outcome.clouds or outcome.experiment.variant not in ("softmax", "multihead"):
        return None
    A = score(outcome.model).reshape(-1, outcome.experiment.d, outcome.experiment.d)
    found = [np.linalg.eigvals(S @ a.T @ S @ a).real.max()
             for S in outcome.beside.covariances for a in A]
    return 2 * float(max(found))


def _tokens(outcome: Outcome, cloud: Cloud) -> dict[str, Any]:
    mean, covariance = errors(outcome, cloud)
    return {"n": cloud.n, "seed": cloud.seed, "status": cloud.status,
            "last_time": float(cloud.times[-1]), "mean": cloud.means[-1].tolist(),
            "covariance": cloud.covariances[-1].tolist(), "mean_error": mean,
            "covariance_error": covariance,
            "compared_at": float(cloud.times[shared(outcome, cloud)])}


def errors(outcome: Outcome, cloud: Cloud) -> tuple[float, float]:
    """|mean - m| and |covariance - S| (Frobenius) at the last time that tokens and law share."""
    last = shared(outcome, cloud)
    law = outcome.beside
    return (float(np.linalg.norm(cloud.means[last] - law.means[last])),
            float(np.linalg.norm(cloud.covariances[last] - law.covariances[last])))


def shared(outcome: Outcome, cloud: Cloud) -> int:
    """The index of the last time at which both the tokens and the law are known."""
    both = min(len(cloud.times), len(outcome.beside.times))
    return int(np.flatnonzero(cloud.times[:both] == outcome.beside.times[:both])[-1])


def rates(outcome: Outcome) -> dict[str, Any] | None:
    """Root mean square errors over the seeds for each n, and the slopes of log error by log n."""
    counts = sorted(outcome.experiment.particles)
    if len(counts) < 2:
        return None
    found = {"mean": [], "covariance": []}
    for n in counts:
        pairs = np.array([errors(outcome, c) for c in outcome.clouds if c.n == n])
        for name, value in zip(found, np.sqrt((pairs**2).mean(0)), strict=True):
            found[name].append(float(value))
    slopes = {name: float(np.polyfit(np.log(counts), np.log(values), 1)[0])
              if min(values) > 0 else None for name, values in found.items()}
    end = min(float(c.times[shared(outcome, c)]) for c in outcome.clouds)
    return {"particles": counts, "t": end, "errors": found, "slopes": slopes}


def _disagreements(data: dict[str, Any]) -> list[str]:
    """Where two routes to one number differ by more than rounding and the integrator allow."""
    found = []
    if data["closed"] and data["closed"]["error"] > AGREE:
        found.append(f"the closed form and the equation differ by {data['closed']['error']:.1e}, "
                     f"more than {AGREE:g}")
    if data["rank"]["drift"] > AGREE:
        found.append(f"the conditional covariance moved by {data['rank']['drift']:.1e}, "
                     f"more than {AGREE:g}")
    times = data["blow_up"] or {"closed": None}
    if times["closed"] is not None and not (
            times["estimated"] is not None
            and abs(times["estimated"] - times["closed"]) <= AGREE * times["closed"]):
        found.append(f"T* is {times['estimated']} by the equation and {times['closed']} in closed "
                     "form")
    return found
