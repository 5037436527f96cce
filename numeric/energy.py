"""Energies that attention climbs or descends, and what it dissipates.

With A symmetric and V A^{-1} symmetric definite, softmax attention is steepest ascent or descent of
E(mu) = 1/2 int Z_mu dmu, Z_mu(x) = int e^{<Ax, y>} dmu(y), in a metric twisted by Z. With A
symmetric and V = A, Sinkhorn attention is the Wasserstein gradient descent of an entropic transport
energy F: dF/dt = -int |Gamma|^2 dmu.
Source: existence in arXiv 2501.18322; the forms, signs and constants are ours.
"""

from typing import Any

import numpy as np
from array_api_compat import array_namespace

from numeric.attention import sinkhorn, softmax
from numeric.gaussian import coupling, velocity
from numeric.law import checked_law, root
from numeric.model import Model, checked_tokens, score


def log_energy(model: Model, tokens: Any, weights: Any = None) -> float:
    """log E, E = 1/2 sum_ij w_i w_j e^{<A x_i, x_j>}: the logarithm, as E itself overflows."""
    tokens = checked_tokens(model, tokens)
    _alone(model, "log_energy", ("softmax",))
    xp = array_namespace(tokens)
    query = xp.matmul(tokens, xp.matrix_transpose(score(model)))
    row = softmax.log_normaliser(query, tokens, weights=weights)
    top = xp.max(row)
    mass = xp.full_like(row, 1 / row.shape[0]) if weights is None else xp.asarray(weights)
    return float(top + xp.log(xp.sum(mass * xp.exp(row - top)))) - float(np.log(2))


def sinkhorn_energy(model: Model, tokens: Any, weights: Any = None) -> float:
    """F = 1/2 min over couplings pi of mu with itself of -int <Ax, y> dpi + eps KL(pi | mu x mu).

    By duality half the mean of both potentials.
    """
    tokens = checked_tokens(model, tokens)
    _alone(model, "sinkhorn_energy", ("sinkhorn",))
    xp = array_namespace(tokens)
    query, key = (xp.matmul(tokens, xp.matrix_transpose(m)) for m in (model.Q, model.K))
    f, g = sinkhorn.potentials(query, key, model.eps, weights)
    mass = xp.full_like(f, 1 / f.shape[0]) if weights is None else xp.asarray(weights)
    return float(xp.sum(mass * (f + g))) / 2


def gaussian_energy(model: Model, mean: Any, S: Any) -> float:
    """F of N(mean, S) for Sinkhorn attention, with the cross-covariance C = T A'S:

    1/2 (-<A m, m> - tr(CA) - (eps/2) log det(1 - S^{-1} C S^{-1} C')); the determinant is that of
    eps X, T = R X R, so that S may be singular.
    """
    mean, S = checked_law(model, mean, S)
    _alone(model, "gaussian_energy", ("sinkhorn",))
    A, eps, R = score(model), model.eps, root(S)
    w = np.maximum(np.linalg.eigvalsh(R @ A.T @ S @ A @ R), 0)
    log_det = np.log(2 * eps / (eps + np.sqrt(eps**2 + 4 * w))).sum()
    C = coupling(A, S, eps) @ A.T @ S
    return float(-mean @ A @ mean - np.trace(C @ A) - eps / 2 * log_det) / 2


def dissipation(model: Model, mean: Any, S: Any) -> float:
    """int |Gamma|^2 dmu = |b|^2 + tr(B S B') on N(mean, S), for any closed variant."""
    mean, S = checked_law(model, mean, S)
    b, B = velocity(model, mean, S)
    return float(b @ b + np.trace(B @ S @ B.T))


def _alone(model: Model, where: str, variants: tuple[str, ...]) -> None:
    if model.variant not in variants or not model.constant:
        raise ValueError(f"{where}: variant: found {model.variant!r}; needed "
                         f"{' or '.join(variants)} with constant Q, K, V: its energy is defined "
                         "for that field only")
