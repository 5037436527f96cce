"""Two neighbourhoods that a covariance flow never leaves: one where Q S dies out, one that bursts.

Both are decided at a ball around S(t1), by exact arithmetic on rational matrices; floats choose
the centre and the metric H. Norms: Frobenius for S and Q S, spectral for what is given. Source:
ours; linearisation with a quadratic Lyapunov function, the constants written out.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from flint import fmpq, fmpq_mat

from numeric.stability.balls import Ball, frobenius, norm, root
from numeric.stability.rational import floats, identity, is_psd, rounded, symmetric

FLAT = 1e-6     # of |J|: slower decay is not told from none
NEAR = 0.2      # of a profile: farther away no trap is looked for


@dataclass(frozen=True)
class Metric:
    """H with low G <= H <= high G and H J + J^T H <= -G, for a Gram matrix G > 0."""

    H: fmpq_mat
    low: fmpq
    high: fmpq


def metric(J: fmpq_mat, G: fmpq_mat) -> Metric | None:
    """A quadratic Lyapunov function of y' = J y that falls at least as fast as y^T G y, or None.

    J, G (n, n) rational; the float solution for -2 G is rounded and decided exactly.
    """
    from scipy.linalg import eigh, solve_continuous_lyapunov

    j, g = floats(J), floats(G)
    if not np.isfinite(j).all() or _flat(j):
        return None
    h = solve_continuous_lyapunov(j.T, -2 * g)
    if not np.isfinite(h).all():
        return None
    values = eigh((h + h.T) / 2, g, eigvals_only=True)
    if values[0] <= 0:
        return None
    H = rounded((h + h.T) / 2, _fine(np.abs(h).max(), values[0]))
    low, high = (fmpq(*float(x).as_integer_ratio()) for x in (values[0] * 0.99, values[-1] * 1.01))
    wanted = (-symmetric(H * J) - G, H - G * low, G * high - H)
    return Metric(H, low, high) if all(map(is_psd, wanted)) else None


def _fine(size: float, least: float) -> int:
    """A denominator that rounds to a small part of the least eigenvalue."""
    return 10 ** max(3, int(np.ceil(-np.log10(min(least, size)))) + 9)


def _flat(J: np.ndarray) -> bool:
    """Whether y' = J y has no decay to speak of."""
    return bool(np.linalg.eigvals(J).real.max() >= -FLAT * np.linalg.norm(J, 2))


def sink(K: fmpq_mat, Q: fmpq_mat, V: fmpq_mat, ball: Ball) -> fmpq | None:
    """delta such that S stays within delta of the ball's centre for ever and Q S -> 0, or None.

    Y = Q S obeys Y' = Q V S K^T Y + Y Q^T K S V^T, linear in Y for a given S. At the centre that
    operator has a Lyapunov function H; it keeps falling, at half the speed, while |S - centre| <=
    delta = 1/(4 high l), l = |Q V| |K| + |Q| |K| |V| bounding its change. Then the integral of
    |Y| is at most 4 high sqrt(high/low) |Y(t1)|, and |S'| <= 2 |V| |S K^T| |Y| keeps S
    within delta if radius + 2 |V| (|centre K^T| + delta |K|) times that integral is below delta.
    """
    k, d, S = Q.nrows(), Q.ncols(), ball.centre
    left, right = Q * V * S * K.transpose(), V * S * K.transpose() * Q     # Y -> left Y + Y right^T
    J = fmpq_mat(k * d, k * d)
    for a in range(k):
        for b in range(d):
            for c in range(k):
                J[a * d + b, c * d + b] += left[a, c]
            for c in range(d):
                J[a * d + b, a * d + c] += right[b, c]
    found = metric(J, identity(k * d))
    if found is None:
        return None
    change = norm(Q * V) * norm(K) + norm(Q) * norm(K) * norm(V)
    delta = 1 / (4 * found.high * change)
    start = frobenius(Q * S) + norm(Q) * ball.radius
    integral = 4 * found.high * root(found.high / found.low) * start
    moved = 2 * norm(V) * (norm(S * K.transpose()) + delta * norm(K)) * integral
    return delta if ball.radius + moved < delta else None


def burst(A: fmpq_mat, V: fmpq_mat, ball: Ball) -> tuple[fmpq, fmpq] | None:
    """Bounds of T* from a profile that S/tr S never leaves, or None.

    With y = tr S, Z = S/y and the clock dtau = y dt, Z' = F(Z) - c(Z) Z and y' = c(Z) y^2, where
    F(Z) = V Z A Z + Z A^T Z V^T and c = tr F. Let Z* (trace 1) be a float zero of the right side
    made rational, and Z = Z* + sum of u_i z_i for a basis z_i of the matrices of trace 0. Then

        u' = g + J u + B(u, u) - c2(u) u,    c(Z) = c + c1 u + c2(u),

    and |u| <= rho is never left when -J - J^T - 2 m is psd and m > |g|/rho + |B| rho + |c2| rho^2,
    with the spectral norms of J's matrix, of B as a matrix with rows i and columns (j, k), and of
    the form c2. So T* - t1 lies between 1/(c(Z) y(t1)) for the least and greatest c(Z) there.
    """
    S, d = ball.centre, A.nrows()
    y = _trace(S)
    y_low, y_high = y - d * ball.radius, y + d * ball.radius
    now = floats(S) / _float(y)
    Z = _profile(floats(A), floats(V), now) if y_low > 0 else None
    if Z is None or np.abs(floats(Z) - now).max() > NEAR:
        return None
    c = _trace(symmetric(V * Z * A * Z))
    if d == 1:
        return _times(ball, c, c, y_low, y_high)
    fuzz = ball.radius * (1 + d * frobenius(S) / y) / y_low     # |tr e| <= d |e|
    best = None
    for basis in _bases(A, V, Z):
        spread = _spread(A, V, Z, basis, S / y - Z, fuzz)
        best = spread if best is None or spread is not None and spread < best else best
    return None if best is None else _times(ball, c - best, c + best, y_low, y_high)


def _spread(A: fmpq_mat, V: fmpq_mat, Z: fmpq_mat, basis: Basis, gap: fmpq_mat, fuzz: fmpq
            ) -> fmpq | None:
    """How far c(Z) strays from c(Z*) for ever after in this basis, or None without a trap."""
    def F(x: fmpq_mat, y: fmpq_mat) -> fmpq_mat:
        return symmetric(V * x * A * y)

    F0, n = F(Z, Z), len(basis.elements)
    c = _trace(F0)
    slopes = [F(z, Z) + F(Z, z) for z in basis.elements]
    c1 = [_trace(s) for s in slopes]
    J = basis.read([s - z * c - Z * x for s, z, x in zip(slopes, basis.elements, c1, strict=True)])
    twice = [[F(x, z) + F(z, x) for z in basis.elements] for x in basis.elements]
    c2 = fmpq_mat([[_trace(m) / 2 for m in row] for row in twice])
    B = basis.read([twice[i][j] / 2 - Z * c2[i, j]
                    - (basis.elements[i] * c1[j] + basis.elements[j] * c1[i]) / 2
                    for i in range(n) for j in range(n)])
    pull = -symmetric(J) / 2
    m = fmpq(*float(np.linalg.eigvalsh(floats(pull))[0] * 0.999).as_integer_ratio())
    if m <= 0 or not is_psd(pull - identity(n) * m):
        return None
    g, b2, b3 = frobenius(basis.read([F0 - Z * c])), norm(B), norm(c2)
    rho = frobenius(basis.read([gap])) + norm(basis.inverse) * fuzz + 2 * g / m
    if rho == 0 or m <= g / rho + b2 * rho + b3 * rho**2:
        return None
    return root(sum((x * x for x in c1), fmpq(0))) * rho + b3 * rho**2


@dataclass(frozen=True)
class Basis:
    """Matrices of trace 0 that span all symmetric ones, and the way back to coefficients."""

    elements: tuple[fmpq_mat, ...]
    inverse: fmpq_mat
    pairs: tuple[tuple[int, int], ...]

    def read(self, matrices: list[fmpq_mat]) -> fmpq_mat:
        """The coefficients of matrices of trace 0, one column each."""
        return self.inverse * fmpq_mat([[m[i, j] for m in matrices] for i, j in self.pairs])


def _bases(A: fmpq_mat, V: fmpq_mat, Z: fmpq_mat) -> list[Basis]:
    """Bases in which the linear part J contracts: J + s has a Lyapunov function, 0 <= s < |J|."""
    from scipy.linalg import solve_continuous_lyapunov

    d = A.nrows()
    pairs = tuple(p for p in combinations_with_replacement(range(d), 2) if p != (d - 1, d - 1))
    plain = [_direction(d, i, j) for i, j in pairs]
    c = _trace(symmetric(V * Z * A * Z))
    slopes = [symmetric(V * z * A * Z) + symmetric(V * Z * A * z) for z in plain]
    J = floats(fmpq_mat([[(s - z * c - Z * _trace(s))[i, j]
                          for s, z in zip(slopes, plain, strict=True)] for i, j in pairs]))
    G, found = np.diag([1.0 + (i != j) for i, j in pairs]), []
    lag = -np.linalg.eigvals(J).real.max()
    for share in (0.0, 0.5, 0.8, 0.95) if not _flat(J) else ():
        H = solve_continuous_lyapunov((J + share * lag * np.eye(len(J))).T, -G)
        values, vectors = np.linalg.eigh((H + H.T) / 2)
        if not np.isfinite(values).all() or values[0] <= 1e-12 * values[-1]:
            continue
        W = rounded(vectors / np.sqrt(values / values[-1]), 10**4)
        if W.rank() < len(pairs):
            continue
        elements = [sum((plain[a] * W[a, i] for a in range(len(pairs))), fmpq_mat(d, d))
                    for i in range(len(pairs))]
        found.append(Basis(tuple(elements), W.inv(), pairs))
    return found


def _times(ball: Ball, slow: fmpq, fast: fmpq, y_low: fmpq, y_high: fmpq
           ) -> tuple[fmpq, fmpq] | None:
    if slow <= 0:
        return None
    return ball.t + 1 / (fast * y_high), ball.t + 1 / (slow * y_low)


def _float(x: fmpq) -> float:
    return int(x.p) / int(x.q)


def _trace(M: fmpq_mat) -> fmpq:
    return sum((M[i, i] for i in range(M.nrows())), fmpq(0))


def _direction(d: int, i: int, j: int) -> fmpq_mat:
    """The matrix of trace 0 whose entries (i, j) and (j, i) are 1, other free entries 0."""
    z = fmpq_mat(d, d)
    z[i, j] = z[j, i] = 1
    if i == j:
        z[d - 1, d - 1] = -1
    return z


def _profile(A: np.ndarray, V: np.ndarray, Z: np.ndarray) -> fmpq_mat | None:
    """A zero of F(Z) - c(Z) Z near Z by Newton's method, rounded, of trace exactly 1."""
    d = len(A)
    pairs = [p for p in combinations_with_replacement(range(d), 2) if p != (d - 1, d - 1)]
    basis = [floats(_direction(d, i, j)) for i, j in pairs]

    def F(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        m = V @ x @ A @ y
        return m + m.T

    def read(m: np.ndarray) -> np.ndarray:
        return np.array([m[i, j] for i, j in pairs])

    for _ in range(12 if basis else 0):
        f = F(Z, Z)
        c = np.trace(f)
        rows = []
        for z in basis:
            s = F(z, Z) + F(Z, z)
            rows.append(read(s - c * z - np.trace(s) * Z))
        try:
            step = np.linalg.solve(np.array(rows).T, -read(f - c * Z))
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(step).all() or np.abs(step).max() > 0.5:
            return None
        Z = Z + sum(x * z for x, z in zip(step, basis, strict=True))
    near = rounded((Z + Z.T) / 2, 10**15)
    near[d - 1, d - 1] += 1 - _trace(near)
    return near

