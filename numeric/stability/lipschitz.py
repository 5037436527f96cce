"""How much an attention field moves with its point and with its law: constants on |x| <= R.

|Gamma_mu(x) - Gamma_mu(x')| <= in_x |x - x'| and |Gamma_mu(x) - Gamma_nu(x)| <= in_law W_1(mu, nu)
for laws mu, nu on the ball and x, x' in it. Norms are spectral, A = K^T Q, a = |A| R^2.

One lemma gives the second for every field E[V y k(x, y)]/E[k(x, y)]: if |grad_y log k| <= g and
log k oscillates by at most o in y, then in_law = |V| (1 + 2 R g) e^o. (Proof: the difference is
the integral of (V y - Gamma_nu(x)) k/mu(k) against mu - nu; that function is Lipschitz with this
constant, as k/mu(k) <= e^o.) The first is |V| times the covariance of y with grad_x log k under the
tilted law, which is at most |A| R^2 where grad_x log k = A^T y + f(x).

Source: softmax is spec claim C13; L2, sigmoid, Sinkhorn and masked are ours. Never tight: e^o is
there because a law may put all but little of its mass where the weight is least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numeric.model import Model, score


@dataclass(frozen=True)
class Lipschitz:
    """The constants of the field in its point and in its law (W_1), on a ball."""

    in_x: float
    in_law: float


def lipschitz(model: Model, R: float, sink: float | None = None) -> Lipschitz:
    """The constants of a variant on the ball of radius R > 0; matrices must not depend on time.

    `sink` in (0, 1] is the mass of the first position of a masked field (softmax, multihead, l2,
    where normalisers are then at least that part of what they are): in_law is divided by it, W_1
    is the average over positions (spec claim C12). Raises ValueError naming the argument.
    """
    if not 0 < R < np.inf:
        raise ValueError(f"R: found {R!r}; needed a radius > 0 of a ball that holds the tokens")
    if model.variant not in CONSTANTS:
        raise ValueError(f"variant: found {model.variant!r}, whose field jumps; needed one of "
                         f"{', '.join(CONSTANTS)}")
    if not model.constant:
        raise ValueError("model: found matrices that depend on time; needed fixed ones: take "
                         "numeric.model.at(model, t)")
    if sink is None:
        return CONSTANTS[model.variant](model, R)
    if model.variant not in ("softmax", "multihead", "l2") or not 0 < sink <= 1:
        raise ValueError(f"sink: found {sink!r} for {model.variant}; needed a mass in (0, 1] and "
                         "softmax, multihead or l2")
    free = CONSTANTS[model.variant](model, R)
    return Lipschitz(free.in_x, free.in_law / sink)


def stability(model: Model, R0: float, t: float) -> float:
    """W(mu_t, nu_t) <= C W(mu_0, nu_0), C = exp of the integral of in_x + in_law, R = R0 e^{|V| t}.

    For fields with |Gamma(x)| <= |V| R (softmax, l2, sinkhorn, sigmoid, multihead with the sum of
    |V_h|); linear attention has no such ball for all times (spec claims C3, C13).
    """
    if model.variant == "linear":
        raise ValueError("variant: found 'linear', whose tokens can blow up; needed another")
    speed = float(np.sum([_norm(v) for v in _heads(model.V)]))
    total = [lipschitz(model, R0 * np.exp(speed * s)) for s in np.linspace(0, t, 401)[1:]]
    return float(np.exp(sum(c.in_x + c.in_law for c in total) * t / 400))   # they grow with R


def among_tokens(A: np.ndarray, V: np.ndarray, R: float, n: int) -> float:
    """The l2 Lipschitz constant of unmasked softmax attention as a map of n tokens in the ball.

    sqrt(3) |V| sqrt(|A|^2 R^4 (4n + 1) + n). Quoted: Castin, Ablin, Peyré, How Smooth Is
    Attention?, arXiv 2312.14820, and not proved here.
    """
    return float(np.sqrt(3 * (_norm(A)**2 * R**4 * (4 * n + 1) + n)) * _norm(V))


def _norm(M: np.ndarray) -> float:
    return float(np.linalg.norm(M, 2))


def _heads(M: np.ndarray) -> np.ndarray:
    return M if M.ndim == 3 else M[None]


def _tilted(v: float, R: float, g: float, o: float) -> float:
    return v * (1 + 2 * R * g) * float(np.exp(o))


def _softmax(model: Model, R: float) -> Lipschitz:
    """log k = <A x, y>: g = |A| R, o = 2 a; the covariance of a law on the ball is at most R^2."""
    pairs = [(_norm(A), _norm(V)) for A, V in zip(_heads(score(model)), _heads(model.V),
                                                  strict=True)]
    return Lipschitz(sum(v * a * R**2 for a, v in pairs),
                     sum(_tilted(v, R, a * R, 2 * a * R**2) for a, v in pairs))


def _l2(model: Model, R: float) -> Lipschitz:
    """log k = -|Qx - Ky|^2: g = 2 |K| (|Q| + |K|) R, o = (|Q| + |K|)^2 R^2; 2 Q^T K y moves."""
    q, k, v = _norm(model.Q), _norm(model.K), _norm(model.V)
    reach = (q + k) * R
    return Lipschitz(2 * v * _norm(model.Q.T @ model.K) * R**2,
                     _tilted(v, R, 2 * k * reach, reach**2))


def _linear(model: Model, R: float) -> Lipschitz:
    """Gamma = V M A x, and |M_mu - M_nu| <= 2 R W_1."""
    a = _norm(score(model)) * _norm(model.V) * R**2
    return Lipschitz(a, 2 * a)


def _sigmoid(model: Model, R: float) -> Lipschitz:
    """y sigma(<A x, y>) with sigma <= 1 and sigma' <= 1/4, no normaliser."""
    a, v = _norm(score(model)), _norm(model.V)
    return Lipschitz(v * a * R**2 / 4, v * (1 + a * R**2 / 4))


def _sinkhorn(model: Model, R: float) -> Lipschitz:
    """log k = <A x, y>/eps - h(y), where the potential h depends on the law.

    |grad h| <= |A| R/eps, so g = 2 |A| R/eps and o = 4 a/eps for a given h. Each half step of
    Sinkhorn's iteration moves by at most 2 g e^o W_1 in oscillation when the law does, and
    contracts oscillations by tanh(a/eps) (Birkhoff: the cross differences of <A x, y>/eps are at
    most 4 a/eps); so h moves by 2 g e^o/(1 - tanh(a/eps)), and Gamma by |V| R/2 times that.
    """
    a, v = _norm(score(model)) / model.eps, _norm(model.V)
    g, o = 2 * a * R, 4 * a * R**2
    moved = v * R * g * np.exp(o) / (1 - np.tanh(a * R**2))
    return Lipschitz(v * a * R**2, _tilted(v, R, g, o) + float(moved))


CONSTANTS = {"softmax": _softmax, "multihead": _softmax, "l2": _l2, "linear": _linear,
             "sigmoid": _sigmoid, "sinkhorn": _sinkhorn}
