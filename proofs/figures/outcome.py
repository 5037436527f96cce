"""The figures of one experiment: the law, its eigenvalues, its blow-up, tokens and their errors."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from proofs.figures import clouds, cone, curves
from proofs.figures.plate import Plate
from proofs.figures.style import BLUE, COLUMN, PAGE, canvas, look
from proofs.simulate.account import rates
from proofs.simulate.run import Cloud, Outcome

MOST = 8         # eigenvalues, and runs of tokens, that a figure shows
FINITE = 0.98    # of T*: the last time at which eigenvalues and the cone are drawn


def plates(outcome: Outcome) -> Iterator[Plate]:
    """The figures that fit the experiment: a cone for d = 2, tokens where there are some, ..."""
    title, n = outcome.experiment.title, _shown(outcome)
    yield _eigenvalues(outcome, title, n)
    if outcome.experiment.d == 2:
        yield _cone(outcome, title, n)
    if outcome.path.blow_up is not None:
        yield _blow_up(outcome, title)
    kept = next((c for c in outcome.clouds if c.tokens is not None), None)
    if kept is not None:
        yield _clouds(outcome, kept, title)
    found = rates(outcome)
    if found is not None:
        yield _rates(found, len(outcome.experiment.seeds), title)


def _shown(outcome: Outcome) -> list[Cloud]:
    """The runs of the largest number of tokens, a few of them."""
    largest = max((c.n for c in outcome.clouds), default=0)
    return [c for c in outcome.clouds if c.n == largest][:MOST]


def _drawn(outcome: Outcome) -> slice:
    """The times that are drawn: all, or those short of the blow-up."""
    path = outcome.path
    if path.blow_up is None:
        return slice(None)
    return slice(int(np.searchsorted(path.times, FINITE * path.blow_up)) + 1)


def _eigenvalues(outcome: Outcome, title: str, runs: list[Cloud]) -> Plate:
    part, path = _drawn(outcome), outcome.path

    def values(S: np.ndarray) -> np.ndarray:
        return np.linalg.eigvalsh(S)[:, -MOST:]
    closed = None
    if outcome.closed is not None:
        closed = (outcome.closed.times[part], values(outcome.closed.covariances[part]))
    with look():
        figure, axes = canvas(1, 1, COLUMN, 2.3)
        curves.eigenvalues(axes[0, 0], path.times[part], values(path.covariances[part]), closed,
                           [(c.times, values(c.covariances)) for c in runs], path.blow_up)
    told = f"{title}: eigenvalues of the covariance against time"
    told += ", with the closed form (circles)" if closed else ""
    told += f" and {len(runs)} x {runs[0].n} tokens (thin lines)" if runs else ""
    return Plate("eigenvalues", told + ".", figure, COLUMN)


def _cone(outcome: Outcome, title: str, runs: list[Cloud]) -> Plate:
    part = _drawn(outcome)
    with look():
        from matplotlib.figure import Figure
        figure = Figure(figsize=(COLUMN, 2.9))
        axis = figure.add_axes((0, 0, 1, 1), projection="3d")
        cone.draw(axis, [outcome.path.covariances[part]], colours=[BLUE], width=1.3,
                  shadows=[c.covariances for c in runs])
    told = f"{title}: the covariance in the cone of positive semidefinite matrices"
    told += f", and the covariances of {len(runs)} x {runs[0].n} tokens (grey)" if runs else ""
    return Plate("cone", told + ". The dot is the last point drawn.", figure, COLUMN)


def _blow_up(outcome: Outcome, title: str) -> Plate:
    path = outcome.path
    with look():
        figure, axes = canvas(1, 1, COLUMN, 2.1)
        curves.blow_up(axes[0, 0], path.times, np.linalg.eigvalsh(path.covariances)[:, -1],
                       path.blow_up, outcome.closed.blow_up if outcome.closed else None)
    return Plate("blow_up", f"{title}: the inverse of the largest eigenvalue falls to zero at the "
                 f"blow-up time T* = {path.blow_up:.6g}.", figure, COLUMN)


def _clouds(outcome: Outcome, cloud: Cloud, title: str) -> Plate:
    law = outcome.beside
    if outcome.experiment.d == 1:
        return _fan(outcome, cloud, title)
    at = [int(np.flatnonzero(law.times == t)[0]) for t in cloud.depths if t in law.times]
    tokens = cloud.tokens[:len(at)]
    with look():
        figure, axes = canvas(1, len(at), PAGE, 1.8)
        clouds.snapshots(axes[0], law.times[at], tokens, law.means[at], law.covariances[at])
    told = "" if outcome.experiment.d == 2 else (
        " Seen along the two widest axes of the last covariance.")
    return Plate("clouds", f"{title}: {cloud.n} tokens at {len(at)} depths, and the Gaussian of "
                 f"the equation at one and two standard deviations.{told}", figure, PAGE)


def _fan(outcome: Outcome, cloud: Cloud, title: str) -> Plate:
    law = outcome.beside
    with look():
        figure, axes = canvas(1, 1, COLUMN, 2.3)
        clouds.fan(axes[0, 0], cloud.depths, cloud.tokens[:, :, 0], law.times, law.means[:, 0],
                   np.sqrt(law.covariances[:, 0, 0]))
    return Plate("clouds", f"{title}: tokens (blue) against time, and the Gaussian's mean (dashed) "
                 "with one and two standard deviations.", figure, COLUMN)


def _rates(found: dict[str, Any], seeds: int, title: str) -> Plate:
    with look():
        figure, axes = canvas(1, 1, COLUMN, 2.3)
        curves.rates(axes[0, 0], found["particles"], found["errors"], found["slopes"],
                     found["t"])
    return Plate("rates", f"{title}: errors of the tokens' mean and covariance (root mean square "
                 f"over {seeds} seeds) against their number.", figure, COLUMN)
