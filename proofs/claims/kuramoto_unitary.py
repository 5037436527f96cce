"""On unitary matrices of every size the drive is the skew part of X* M; SU(n) takes off its trace.

Tokens X_u in U(n), weights A_u, mean M = Sum A_u X_u, coherence E(X) = Re tr(X* M). Along a
skew-Hermitian direction O = Z - Z* the coherence moves by Re tr(O* X* M) = Re tr(O* Omega) with
Omega = (X* M - M* X)/2, which is skew-Hermitian itself: the left-trivialised gradient (K31). On
SU(n) directions have trace 0, and Omega loses tr(Omega)/n (K32); at n = 1 Omega is i times the
increment of Kuramoto attention. Matrices are written by entries, W = X* M; sums run over any n.

Source: one sentence of the abstract of arXiv 2606.11585 (any compact group); the statements are
ours.
Missing: the maximiser over U(n), the polar factor of M with the sum of singular values as its
value, is TESTED (K31.polar); matrices of symbolic size have no conjugate transpose in the language.
"""

from proofs import Claim, equals

OURS = "ours, after one sentence of arXiv 2606.11585"
SYMBOLS = {
    "n": "integer >= 1", "T": "integer >= 1", "a": "index 1..n", "b": "index 1..n",
    "X": "complex[1..n, 1..n]", "M": "complex[1..n, 1..n]", "Z": "complex[1..n, 1..n]",
    "A": "real[1..T]", "theta": "real[1..T]", "phi": "real", "eps": "real", "c": "complex",
}
LET = {
    "W[p,q]": "Sum(conjugate(X[r,p])*M[r,q],(r,1,n))",
    "O[p,q]": "Z[p,q] - conjugate(Z[q,p])",
    "Omega[p,q]": "(W[p,q] - conjugate(W[q,p]))/2",
    "tau": "Sum(Omega[p,p],(p,1,n))",
    "mu": "Sum(O[p,p],(p,1,n))/n",
}
ALONG = ("Sum(Sum(conjugate({0}[p,q])*{1}[p,q] + {0}[p,q]*conjugate({1}[p,q]),(p,1,n)),(q,1,n))"
         "/2")


def _whole(point, xp):
    """X and M of a point, and Z where there is one, as complex matrices."""
    def matrix(name):
        found = point.get(name)
        return None if found is None else xp.asarray(found) * (1 + 0j)
    return [matrix(name) for name in "XMZ"]


def _skew(point, xp):
    Z = _whole(point, xp)[2]
    return Z - xp.conj(Z).T


def _rise(point, xp, rng):
    """Rate of Re tr((X exp(e O))* M) in e at 0: a central difference of the layer's energy."""
    from numeric.attention import unitary

    X, M, _ = _whole(point, xp)
    O = _skew(point, xp)  # noqa: E741
    size = 1 + float(xp.max(xp.abs(O)))
    step = 1e-4 / size
    ends = [unitary.energy(X @ unitary.exponential(sign * step * O), M) for sign in (1, -1)]
    return (ends[0] - ends[1]) / (2 * step)


def _drive(point, xp, rng):
    """One entry of the drive, by the layer."""
    from numeric.attention import unitary

    X, M, _ = _whole(point, xp)
    return unitary.drive(X, M)[int(point["a"]) - 1, int(point["b"]) - 1]


def _special(point, xp, rng):
    from numeric.attention import unitary

    X, M, _ = _whole(point, xp)
    return xp.linalg.trace(unitary.drive(X, M, special=True))


def _circle(point, xp, rng):
    """The drive of U(1) tokens, by the unitary layer; i times it is the Kuramoto increment."""
    from numeric.attention import unitary

    mean = xp.sum(point["A"] * xp.exp(1j * point["theta"]))
    one = xp.ones((1, 1), dtype=mean.dtype)
    return unitary.drive(xp.exp(1j * xp.asarray(point["phi"])) * one, mean * one)[0, 0]


def _polar(point, xp, rng):
    """The polar factor attains the sum of singular values; 200 random unitaries stay below it."""
    import numpy as np

    from numeric.attention import unitary

    M = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    value = np.linalg.svd(M, compute_uv=False).sum()
    others = unitary.energy(unitary.random_unitary(rng, 200, 3), M[None])
    if others.max() > value:
        raise AssertionError("a random unitary lies above the polar factor")
    return xp.asarray(unitary.energy(unitary.polar(M), M)), xp.asarray(value)


def _layer(real):
    """A layer on U(3) or SO(3) keeps X* X = 1 and, real, determinant 1."""
    def measure(point, xp, rng):
        import numpy as np

        from numeric.attention import unitary

        X = unitary.random_unitary(rng, 6, 3, real=real)
        X = unitary.forward(xp.asarray(X), 2.0, 0.7).X
        kept = np.asarray(unitary.adjoint(X) @ X)
        fixed = np.linalg.det(np.asarray(X)) if real else np.ones(6)
        return (xp.asarray(np.concatenate([kept.ravel(), fixed + 0j])),
                xp.asarray(np.concatenate([np.tile(np.eye(3) + 0j, (6, 1, 1)).ravel(),
                                           np.ones(6) + 0j])))
    return measure


CLAIMS = (
    Claim(
        name="kuramoto.K31.gradient",
        says="Along a skew-Hermitian direction the coherence of U(n) rises by its inner product "
             "with the drive, for every n.",
        let=LET, start=ALONG.format("O", "W"), steps=(equals(ALONG.format("O", "Omega")),),
        measure=_rise, tolerance=1e-6, source=OURS,
    ),
    Claim(
        name="kuramoto.K31.hermitian",
        says="The other half of X* M, the Hermitian part, is orthogonal to every direction.",
        let={**LET, "P[p,q]": "(W[p,q] + conjugate(W[q,p]))/2"},
        start=ALONG.format("O", "P"), steps=(equals("0"),),
        no_measure="K31.gradient measures the sum of both halves", source=OURS,
    ),
    Claim(
        name="kuramoto.K31.skew",
        says="The drive is skew-Hermitian: the step X exp(Omega) stays unitary.",
        let=LET, start="Omega[a,b]", steps=(equals("-conjugate(Omega[b,a])"),),
        measure=_drive, source=OURS,
    ),
    Claim(
        name="kuramoto.K31.circle",
        says="At n = 1 the drive is i times the increment of Kuramoto attention.",
        let={"m": "Sum(A[u]*exp(I*theta[u]),(u,1,T))"},
        start="(conjugate(exp(I*phi))*m - conjugate(m)*exp(I*phi))/2",
        steps=(equals("I*Sum(A[u]*sin(theta[u] - phi),(u,1,T))"),),
        measure=_circle, source=OURS,
    ),
    Claim(
        name="kuramoto.K32.traceless",
        says="On SU(n) the drive without tr(Omega)/n has trace 0.",
        let=LET, start="Sum(Omega[p,p] - tau/n,(p,1,n))", steps=(equals("0"),),
        measure=_special, source=OURS,
    ),
    Claim(
        name="kuramoto.K32.direction",
        says="Directions of trace 0 do not see what was taken off.",
        let=LET,
        start="Sum(conjugate(O[p,p] - mu)*c,(p,1,n))", steps=(equals("0"),),
        no_measure="an identity about the trace part", source=OURS,
    ),
    Claim(
        name="kuramoto.K31.polar",
        says="Re tr(X* M) is largest at the polar factor of M, where it is the sum of the singular "
             "values.",
        expect="tested", measure=_polar, tolerance=1e-12, source=OURS,
    ),
    Claim(
        name="kuramoto.K31.layer",
        says="A simulated layer on U(3) keeps its tokens unitary.",
        expect="tested", measure=_layer(False), tolerance=1e-12, source=OURS,
    ),
    Claim(
        name="kuramoto.K34.layer",
        says="A simulated layer on SO(3) keeps its tokens rotations.",
        expect="tested", measure=_layer(True), tolerance=1e-12, source=OURS,
    ),
)
