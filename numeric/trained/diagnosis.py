"""What can be said of the minimisers that training found: never that they are global.

For an exact interpolant theta* the least value of J_eps = l + eps |theta|^2 is at most
eps |theta*|^2. A point above that is certainly no global minimiser; a slope proves nothing.
The bound and its proof: arXiv 2502.02270; the sharper statements and this diagnosis: ours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

NOT_GLOBAL, CONSISTENT, STUCK = "certified not global", "consistent with global", "stuck"
FLAT = 0.5                  # a loss that falls slower than eps^FLAT over a decade is stuck
EXCESS = 1.001              # by which another point must be better: less tells of the solver


@dataclass(frozen=True)
class Sample:
    """A point of a path: eps, its loss as a ball (or an exact number), |theta|^2 exactly."""

    eps: float
    loss: Any
    norm2: Any

    def objective(self, eps: float) -> Any:
        """J at another eps, as a ball."""
        return self.loss + exact(eps) * self.norm2


@dataclass(frozen=True)
class Diagnosis:
    """A verdict on a path, what was found at each eps ("" or why it is not global), slopes."""

    verdict: str
    points: tuple[str, ...]
    loss_slope: float | None
    objective_slope: float | None


def exact(eps: float) -> Any:
    """The float as the rational that it is."""
    from flint import fmpq
    return fmpq(*float(eps).as_integer_ratio())


def above(sample: Sample, bound: Any) -> bool:
    """Whether J_eps(theta) > eps B for certain, so that theta is not a global minimiser."""
    from flint import arb, ctx
    with ctx.workprec(128):
        return bool(arb(sample.objective(sample.eps)) > arb(exact(sample.eps) * bound))


def beaten(sample: Sample, other: Sample) -> bool:
    """Whether another point has, for certain, a smaller J by a thousandth at this eps."""
    from flint import arb, ctx
    with ctx.workprec(128):
        return bool(arb(sample.objective(sample.eps))
                    > arb(exact(EXCESS)) * arb(other.objective(sample.eps)))


def diagnose(path: Sequence[Sample], bound: Any, others: Sequence[Sample] = ()) -> Diagnosis:
    """What is known of a path of stationary points, given B = |theta*|^2 of an interpolant and
    any other points that were found.

    *certified not global*: at some eps, J_eps(theta) > eps B, or another point is better there,
    in exact arithmetic and balls. Else *stuck*: over the last decade of eps the loss falls slower
    than sqrt(eps) while J/eps grows. Else *consistent with global*, which is no proof of it.
    """
    path = sorted(path, key=lambda s: -s.eps)
    found = tuple(_why(s, bound, others) for s in path)
    last = [s for s in path if s.eps <= 10 * path[-1].eps * (1 + 1e-9)]
    losses = [_middle(s.loss) for s in last]
    ratios = [_middle(s.objective(s.eps)) / s.eps for s in last]
    falls = slope([s.eps for s in last], losses)
    rises = slope([s.eps for s in last], [r * s.eps for r, s in zip(ratios, last, strict=True)])
    if any(found):
        verdict = NOT_GLOBAL
    elif falls is not None and falls < FLAT and ratios[-1] > ratios[0]:
        verdict = STUCK
    else:
        verdict = CONSISTENT
    return Diagnosis(verdict, found, falls, rises)


def _why(sample: Sample, bound: Any, others: Sequence[Sample]) -> str:
    if above(sample, bound):
        return "above eps |theta*|^2"
    if any(beaten(sample, other) for other in others):
        return "another point is better"
    return ""


def slope(eps: Sequence[float], values: Sequence[float]) -> float | None:
    """The slope of log(value) in log(eps), least squares; None for fewer than two points or a
    value that is not above 0."""
    if len(values) < 2 or not all(v > 0 for v in values):
        return None
    x, y = [math.log(e) for e in eps], [math.log(v) for v in values]
    a, b = sum(x) / len(x), sum(y) / len(y)
    across = sum((s - a) ** 2 for s in x)
    return sum((s - a) * (t - b) for s, t in zip(x, y, strict=True)) / across


def consequences(samples: Sequence[Sample]) -> list[str]:
    """Where a path breaks what holds of global minimisers, a sentence each: as eps falls, the
    loss does not rise, |theta| does not fall, J/eps does not fall; J is concave in eps."""
    path = sorted(samples, key=lambda s: -s.eps)
    broken = []
    for a, b in zip(path, path[1:], strict=False):
        pairs = {"the loss rises": (_middle(b.loss), _middle(a.loss)),
                 "|theta| falls": (_middle(a.norm2), _middle(b.norm2)),
                 "J/eps falls": (_middle(a.objective(a.eps)) / a.eps,
                                 _middle(b.objective(b.eps)) / b.eps)}
        broken += [f"{says} from eps = {a.eps:.3g} to {b.eps:.3g}"
                   for says, (more, less) in pairs.items() if more > less * (1 + 1e-6)]
    return broken


def _middle(x: Any) -> float:
    """A float near a ball or an exact number."""
    from flint import arb
    return float(arb(x).mid())
