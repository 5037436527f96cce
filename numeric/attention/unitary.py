"""Attention on a compact group: tokens are unitary (or rotation) matrices, pulled to their mean.

E(X) = Re tr(X* M), M_t = sum_u A[t,u] X_u, has for <A, B> = Re tr(A* B) the left-trivialised
gradient Omega = (X* M - M* X)/2 (claim K31); on SU(n) its trace part is removed (K32), which SU(2)
does not need. At n = 1 Omega = i a with a the increment of Kuramoto attention; on rotations of
space with one source at angle phi it is sin(phi) times the axis (K34). X is (T, n, n).
Source: one sentence of the abstract of arXiv 2606.11585 (any compact group); the layer is ours.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from numeric.attention import softmax


@dataclass(frozen=True)
class Layer:
    """Score and attention (T, T), mean M, drive Omega and the tokens after the step (T, n, n)."""

    score: Any
    attention: Any
    mean: Any
    drive: Any
    X: Any


def adjoint(X: Any) -> Any:
    """X*, the conjugate transpose; of real matrices the transpose."""
    xp = array_namespace(X)
    turned = xp.matrix_transpose(X)
    return xp.conj(turned) if _complex(X) else turned


def drive(X: Any, M: Any, special: bool = False) -> Any:
    """Omega = (X* M - M* X)/2, skew-Hermitian; `special` subtracts tr(Omega)/n."""
    xp = array_namespace(X)
    turned = xp.matmul(adjoint(X), M)
    skew = (turned - adjoint(turned)) / 2
    if not special:
        return skew
    n = X.shape[-1]
    trace = xp.linalg.trace(skew)[..., None, None] / n
    return skew - trace * xp.eye(n, dtype=skew.dtype, device=device(skew))


def energy(X: Any, M: Any) -> Any:
    """Re tr(X* M) over the last two axes."""
    xp = array_namespace(X)
    value = xp.sum((xp.conj(X) if _complex(X) else X) * M, axis=(-2, -1))
    return xp.real(value) if _complex(value) else value


def exponential(skew: Any) -> Any:
    """exp of skew-Hermitian matrices, by the eigenvalues of the Hermitian -i Omega."""
    xp = array_namespace(skew)
    w, U = xp.linalg.eigh(-1j * skew)
    grown = xp.matmul(U * xp.exp(1j * w)[..., None, :], adjoint(U))
    return grown if _complex(skew) else xp.real(grown)


def polar(M: Any) -> Any:
    """The unitary W V* of M = W D V*: the maximiser of Re tr(X* M), the value the sum of D."""
    xp = array_namespace(M)
    W, _, V = xp.linalg.svd(M, full_matrices=False)
    return xp.matmul(W, V)


def forward(X: Any, tau: float = 1.0, step: float = 1.0, special: bool = False,
            causal: bool = True) -> Layer:
    """X_t exp(step Omega_t), with scores tau/n Re tr(X_t* X_u), invariant on both sides.

    Complex X: U(n), with `special` SU(n); real X: O(n), and SO(n) stays in SO(n).
    """
    xp = array_namespace(X)
    n = X.shape[-1]
    score = tau / n * energy(X[:, None, :, :], X[None, :, :, :])
    weights = softmax.attention(score, causal)
    mean = xp.sum(xp.astype(weights, X.dtype)[:, :, None, None] * X[None, :, :, :], axis=1)
    omega = drive(X, mean, special)
    return Layer(score, weights, mean, omega, xp.matmul(X, exponential(step * omega)))


def _complex(X: Any) -> bool:
    return array_namespace(X).isdtype(X.dtype, "complex floating")


def random_unitary(rng: np.random.Generator, tokens: int, n: int,
                   real: bool = False) -> np.ndarray:
    """Haar unitary matrices (tokens, n, n); real ones are rotations, of determinant 1."""
    Z = rng.normal(size=(tokens, n, n)) + (0 if real else 1j * rng.normal(size=(tokens, n, n)))
    W, upper = np.linalg.qr(Z)
    diagonal = np.diagonal(upper, axis1=1, axis2=2)
    W = W * (diagonal / np.abs(diagonal))[:, None, :]
    if real:
        W[:, :, 0] *= np.sign(np.linalg.det(W))[:, None]
    return W
