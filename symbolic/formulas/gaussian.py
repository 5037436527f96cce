"""Attention on a Gaussian, derived by SymPy from the log-kernel of the variant alone.

One derivation serves all: complete the square. The log-density of N(m, C) plus a log-kernel
l(x, y) quadratic in y has, times C, the gradient m - y + C l_y: that of another Gaussian, with
covariance N^{-1} C and mean N^{-1}(m + C l_y(x, 0)), where N = 1 - C l_yy. No inverse of C is
needed. The field is V times that mean; where it is affine in x, Gamma = b + B(x - alpha), alpha
moves by b and S by BS + SB'. Only the log-kernels are typed in.

`d` is 1, 2 or 3 (entry by entry), or None: matrices of symbolic size d, scores in R^k. The matrices
are those of an instant and never differentiated by time: Q, K, V may depend on it.
Variants of Castin, Ablin, Carrillo, Peyré, arXiv 2501.18322; the derivation is ours.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

from symbolic.formulas import slopes
from symbolic.formulas.slopes import at_zero, has, put, rate, slope, solution

Heads = tuple[tuple[Any, Any], ...]


class NotGaussian(ValueError):
    """A kernel under which a Gaussian does not stay one: what was found, and why it fails."""


@dataclass(frozen=True)
class Law:
    """N(mean, covariance): matrices of entries, or of symbolic size."""

    mean: Any
    covariance: Any


@dataclass(frozen=True)
class Affine:
    """x -> at_mean + slope (x - alpha): the tilted mean of one head; a value V is applied to it."""

    value: Any
    at_mean: Any
    slope: Any


@dataclass(frozen=True)
class Closure:
    """The field of the heads, added: b + B(x - alpha) on N(alpha, S), and the rates of alpha, S."""

    heads: tuple[Affine, ...]
    law: Law
    x: Any

    @property
    def b(self) -> Any:
        """Gamma(alpha)."""
        return _added(h.value * h.at_mean for h in self.heads)

    @property
    def B(self) -> Any:
        """The slope of Gamma."""
        return _added(h.value * h.slope for h in self.heads)

    @property
    def field(self) -> Any:
        """Gamma(x)."""
        return self.b + self.B * (self.x - self.law.mean)

    @property
    def mean_rate(self) -> Any:
        """alpha' = E Gamma = b."""
        return self.b

    @property
    def covariance_rate(self) -> Any:
        """S' = E[Gamma (x - alpha)'] + its transpose, as E[(x - alpha)(x - alpha)'] = S."""
        flow = self.B * self.law.covariance
        return flow + flow.T


def _added(parts: Iterable) -> Any:
    first, *rest = parts
    return sum(rest, first)


def score(x: Any, y: Any, A: Any) -> Any:
    """The log-kernel <Qx, Ky> = <Ax, y> of softmax attention, A = K'Q: a 1 x 1 matrix."""
    return (A * x).T * y


def distance(x: Any, y: Any, Q: Any, K: Any) -> Any:
    """The log-kernel -|Qx - Ky|^2 of L2 attention."""
    gap = Q * x - K * y
    return -gap.T * gap


def sigmoid(x: Any, y: Any, A: Any) -> Any:
    """The log-kernel log(1/(1 + exp(-<Ax, y>))) of sigmoid attention; entries only."""
    from sympy import exp, log

    return score(x, y, A).applyfunc(lambda u: -log(1 + exp(-u)))


def tilt(kernel: Any, law: Law, y: Any) -> Law:
    """The law with density exp(kernel) times that of `law`, normalised: complete the square in y.

    `kernel` is a 1 x 1 matrix in x and y. Raises NotGaussian unless it is quadratic in y.
    """
    pull, bend = slope(kernel, y), bending(kernel, y)
    N = slopes.one(y) - law.covariance * bend
    return Law(solution(N, law.mean + law.covariance * at_zero(pull, y)),
               solution(N, law.covariance))


def bending(kernel: Any, y: Any) -> Any:
    """The second slope l_yy in y. Raises NotGaussian where it still depends on y."""
    bend = slope(slope(kernel, y), y)
    if has(bend, y):
        raise NotGaussian(
            "gaussian: the log-kernel is not quadratic in y: found the second slope "
            f"{slopes.shown(bend)}, which changes with y, so the tilted law is no Gaussian; needed "
            "one free of y: use particles (numeric.flow)")
    return bend


def affine(mean: Any, x: Any, law: Law, value: Any) -> Affine:
    """The tilted mean as an affine map of x. Raises NotGaussian where it is none."""
    found = slope(mean, x).T
    if has(found, x):
        raise NotGaussian(
            f"gaussian: the field is not affine in x: found the slope {slopes.shown(found)}, so "
            "it bends a Gaussian; needed one free of x: use particles (numeric.flow)")
    return Affine(value, put(mean, x, law.mean), found)


def moment(kernel: Any, law: Law, y: Any, s: Any) -> Any:
    """The integral of y k(x, y) d law for a k itself quadratic in y: a moment and no tilt.

    It is the slope at s = 0 of Z m, with m the mean and Z the normaliser of the tilt by exp(s k):
    log Z = s k(m) - s (m - alpha)' k_y(m)/2 - log det(1 - s S k_yy)/2.
    """
    mean = tilt(s * kernel, law, y).mean
    pull = put(slope(s * kernel, y), y, mean)
    height = put(s * kernel, y, mean) - (mean - law.mean).T * pull / 2
    rise = rate(height, s) + slopes.trace(law.covariance * bending(kernel, y)) / 2
    return law.mean * rise + rate(mean, s)


def _softmax(z: SimpleNamespace) -> Heads:
    return ((z.V, tilt(score(z.x, z.y, z.A), z.law, z.y).mean),)


def _l2(z: SimpleNamespace) -> Heads:
    return ((z.V, tilt(distance(z.x, z.y, z.Q, z.K), z.law, z.y).mean),)


def _linear(z: SimpleNamespace) -> Heads:
    return ((z.V, moment(score(z.x, z.y, z.A), z.law, z.y, z.s)),)


def _sinkhorn(z: SimpleNamespace) -> Heads:
    return ((z.V, coupled(z).mean),)


def _multihead(z: SimpleNamespace) -> Heads:
    return (*_softmax(z), (z.V2, tilt(score(z.x, z.y, z.A2), z.law, z.y).mean))


def _sigmoid(z: SimpleNamespace) -> Heads:
    return ((z.V, tilt(sigmoid(z.x, z.y, z.A), z.law, z.y).mean),)


# Variant -> letters -> heads: a value and its tilted mean (a moment, for linear attention).
FIELDS: dict[str, Callable[[SimpleNamespace], Heads]] = {
    "softmax": _softmax, "l2": _l2, "linear": _linear, "sinkhorn": _sinkhorn,
    "multihead": _multihead, "sigmoid": _sigmoid}


def coupled(z: SimpleNamespace) -> Law:
    """The law of y given x under Sinkhorn's kernel, its potential solved from the mean condition.

    A quadratic potential of y turns N(alpha, S) into another Gaussian N(c, eps T), which the kernel
    tilts by <Ax, y>/eps. That the tilted mean, averaged over x, is alpha gives c.
    """
    kernel = score(z.x, z.y, z.A) / z.eps
    drift = slope(tilt(kernel, Law(0 * z.alpha, z.eps * z.T), z.y).mean, z.x).T
    return tilt(kernel, Law(z.alpha - drift * z.alpha, z.eps * z.T), z.y)


@cache
def marginal(d: int | None = None) -> Any:
    """The covariance of y under Sinkhorn's coupling, which must be S: the equation for T.

    By the law of total covariance: that of y given x, plus that of the mean of y given x.
    """
    z = letters(d)
    law = coupled(z)
    drift = slope(law.mean, z.x).T
    return slopes.named(law.covariance + drift * z.S * drift.T)


@cache
def derive(variant: str, d: int | None = None, k: int | None = None) -> Closure:
    """The closure of a variant of FIELDS. Raises NotGaussian for `sigmoid`, with the reason."""
    z = letters(d, k)
    heads = (affine(mean, z.x, z.law, value) for value, mean in FIELDS[variant](z))
    named = tuple(Affine(*map(slopes.named, (h.value, h.at_mean, h.slope))) for h in heads)
    return Closure(named, Law(*map(slopes.named, (z.alpha, z.S))), slopes.named(z.x))


def rates(heads: int, d: int) -> tuple[Any, Any]:
    """The two rates with letters m, D (m2, D2 of a second head) for tilted mean at alpha, slope."""
    from sympy import MatrixSymbol

    def letter(name: str, columns: int = d) -> Any:
        return MatrixSymbol(name, d, columns)

    ends = ("", "2")[:heads]
    found = Closure(tuple(Affine(letter("V" + e), letter("m" + e, 1), letter("D" + e))
                          for e in ends), Law(letter("alpha", 1), letter("S")), letter("x", 1))
    return found.mean_rate, found.covariance_rate


def log_moment_gradient() -> Any:
    """The gradient by u of log E exp(<u, y>) = <u, alpha> + <u, S u>/2, at u = K'Qx, symbolic d."""
    from sympy import MatrixSymbol

    z = letters()
    u = MatrixSymbol("u", *z.x.shape)
    return put(slope(u.T * z.alpha + u.T * z.S * u / 2, u), u, z.A * z.x)


@cache
def letters(d: int | None = None, k: int | None = None) -> SimpleNamespace:
    """Q, K (k, d), A, V (d, d), S, T symmetric, x, y, alpha (d, 1); A2, V2 of a second head.

    At symbolic d, A stands for K'Q. At a number d, A is a letter and k is 1 unless given.
    """
    from sympy import Symbol, symbols

    n, k = symbols("d k", integer=True, positive=True) if d is None else (
        d, k or 1)
    shapes = {**dict.fromkeys(("Q", "K", "Q2", "K2"), (k, n)),
              **dict.fromkeys(("A", "A2", "V", "V2", "S", "T"), (n, n)),
              **dict.fromkeys(("x", "y", "alpha"), (n, 1))}
    made = {name: slopes.letter(name, *shape, name in ("S", "T")) for name, shape in shapes.items()}
    if d is None:
        made |= {"A": made["K"].T * made["Q"], "A2": made["K2"].T * made["Q2"]}
    return SimpleNamespace(**made, eps=Symbol("eps", positive=True), s=Symbol("s", real=True),
                           law=Law(made["alpha"], made["S"]))


def solved_marginal() -> Any:
    """The slope a T of Sinkhorn's field at d = 1, V = 1: T the positive root of the marginal."""
    from sympy import Symbol, solve, symbols

    z, a, (s, eps, T) = letters(1), Symbol("a", real=True), symbols("s eps T", positive=True)
    law = coupled(z)
    drift = slope(law.mean, z.x)[0]
    names = {z.A[0]: a, z.S[0]: s, z.T[0]: T, z.eps: eps}
    total = (law.covariance[0] + drift**2 * z.S[0]).xreplace(names)
    somewhere = {a: 1, s: 1, eps: 1}
    root = next(r for r in solve(total - s, T, check=False) if r.subs(somewhere) > 0)
    return drift.xreplace(names).subs(T, root)
