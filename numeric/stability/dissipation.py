"""A linear functional of the covariance that falls along softmax attention, whatever the start.

For S' = V S A S + S A^T S V^T and P > 0, tr(P S)' = 2 tr(P V S A S). If some N >= 0, acting on the
2 x 2 minors C2(X) of X, makes

    2 tr(P V X A X) + <N, C2(X)> + |Q X|_F^2 <= 0      for all symmetric X,

then, as C2(S) >= 0 for S >= 0 (Cauchy-Binet: C2(R R^T) = C2(R) C2(R)^T), tr(P S) never rises:
S(t) is bounded by tr(P S0)/lam_min(P) and lives for ever. With the term in Q moreover the integral
of |Q S|_F^2 is at most tr(P S0), and since S and S' are bounded, Q S -> 0.

Source: without N and Q this is the LMI of spec claim C8(b). N is ours: the cone of S is smaller
than the space of X, and for d = 2 nothing is lost by it (S-lemma: the cone is a ball's). Q is
ours. What is found is for *every* S0 >= 0; None says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

from flint import fmpq, fmpq_mat

from numeric.stability.definite import Decision, decide, term, written
from numeric.stability.lmi import Block, feasible, solved
from numeric.stability.rational import exact, identity, is_psd, squares, symmetric
from symbolic.claim import Claim, at_most
from symbolic.kernel.check import check
from symbolic.kernel.statement import Certificate, Level, Statement, Verdict
from symbolic.kernel.term import Term


@dataclass(frozen=True)
class Dissipation:
    """P >= I and N >= 0 with the inequality of the module, and the kernel's verdicts on all three.

    `falls` is the verdict on the inequality, stated for a matrix X of real symbols.
    """

    A: fmpq_mat
    V: fmpq_mat
    Q: fmpq_mat | None
    P: fmpq_mat
    N: fmpq_mat
    positive: Decision
    minors: Decision
    statement: Statement
    certificate: Certificate
    falls: Verdict

    @property
    def holds(self) -> bool:
        """Whether the kernel granted P - I psd, N psd and the inequality."""
        return (self.positive.holds is True and self.minors.holds is True
                and self.falls.level is Level.PROVED and not self.falls.where)

    def claims(self, name: str) -> tuple[Claim, ...]:
        """The three statements as claims of a page."""
        s = self.statement
        rate = Claim(f"{name}.falls", "The functional falls for every symmetric X whose minors "
                     "have the sign that positive semidefinite X give them.",
                     {n: "real" for n, _ in s.symbols}, given=s.given, start=s.left,
                     steps=(at_most(s.right, by=None),), source="ours, after spec claim C8(b)",
                     no_measure="a certificate: nothing to simulate")
        return (self.positive.claim(f"{name}.positive", "P is at least the identity."),
                self.minors.claim(f"{name}.minors", "The weight of the minors is psd."), rate)


def dissipation(A: object, V: object, Q: object = None) -> Dissipation | None:
    """A certificate that S is bounded for every start; with Q (k, d), also that Q S -> 0.

    A, V (d, d) rational. Exact candidates come first (P = V^{-1}, P = I, the solution of
    P V + V^T P = I), then a semidefinite program. Raises ValueError for shapes that do not fit.
    """
    A, V = exact(A), exact(V)
    Q = None if Q is None else exact(Q)
    d = A.nrows()
    if not A.ncols() == V.nrows() == V.ncols() == d or Q is not None and Q.ncols() != d:
        raise ValueError(f"A, V, Q: found {A.nrows()} x {A.ncols()}, {V.nrows()} x {V.ncols()}"
                         + (f", {Q.nrows()} x {Q.ncols()}" if Q is not None else "")
                         + "; needed (d, d), (d, d), (k, d)")
    pairs = list(combinations_with_replacement(range(d), 2))
    planes = list(combinations(range(d), 2))
    weights = list(combinations_with_replacement(range(len(planes)), 2))
    blocks = _blocks(A, V, Q, pairs, planes, weights)
    tries = [[P[i, j] for i, j in pairs] + [fmpq(0)] * len(weights) for P in _candidates(V)]
    p = feasible(blocks, [[x * 2**k for x in t] for t in tries for k in (0, 10)])
    if p is None:
        return None
    P, N = _symmetric(p[:len(pairs)], d), _symmetric(p[len(pairs):], len(planes))
    return _stated(A, V, Q, P, N, blocks[-1].at(p), pairs, planes)


def _candidates(V: fmpq_mat) -> list[fmpq_mat]:
    """P = V^{-1} where V is symmetric, P = I, and P with P V + V^T P = I, scaled to P >= I."""
    d, found = V.nrows(), [identity(V.nrows())]
    if V.rank() == d and V.transpose() == V:
        found.append(V.inv())
    P = lyapunov(-V)
    if P is not None:
        found.append(P)
    return [_scaled(P) for P in found if (parts := squares(P)) is not None and len(parts) == d]


def lyapunov(V: object) -> fmpq_mat | None:
    """The symmetric P with V^T P + P V = -I, or None where that equation is singular.

    V is Hurwitz exactly when this P exists and is positive definite (Lyapunov): `decide(P)` and
    `decide(P - eps I)` decide it.
    """
    V = exact(V)
    d = V.nrows()
    pairs = list(combinations_with_replacement(range(d), 2))
    columns = [symmetric(_unit(d, i, j) * V) for i, j in pairs]
    M = fmpq_mat([[g[a, b] for g in columns] for a, b in pairs])
    found = solved(M, [fmpq(-int(a == b)) for a, b in pairs])
    if found is None or found[1] is not None:
        return None
    return _symmetric([row[0] for row in found[0].table()], d)


def _scaled(P: fmpq_mat) -> fmpq_mat:
    """P times the least power of two that makes it at least the identity; P > 0."""
    while not is_psd(P - identity(P.nrows())):
        P = P * 2
    return P


def _unit(d: int, i: int, j: int) -> fmpq_mat:
    return fmpq_mat([[int({(a, b)} <= {(i, j), (j, i)}) for b in range(d)] for a in range(d)])


def _symmetric(p: Sequence[fmpq], d: int) -> fmpq_mat:
    M = fmpq_mat(d, d)
    for x, (i, j) in zip(p, combinations_with_replacement(range(d), 2), strict=True):
        M[i, j] = M[j, i] = x
    return M


def _form(product, pairs: list) -> fmpq_mat:
    """The matrix of the quadratic form X -> tr product(X, X) in the entries X_ij, i <= j."""
    units = [_unit(max(j for _, j in pairs) + 1, i, j) for i, j in pairs]
    table = [[sum(product(x, y).table()[k][k] for k in range(product(x, y).nrows()))
              for y in units] for x in units]
    M = fmpq_mat(table)
    return symmetric(M) / 2


def _minor_form(one: tuple, two: tuple, pairs: list) -> fmpq_mat:
    """The matrix of X -> X_ac X_be - X_ae X_bc for planes one = (a, b), two = (c, e)."""
    (a, b), (c, e) = one, two
    place = {pair: k for k, (i, j) in enumerate(pairs) for pair in ((i, j), (j, i))}
    M = fmpq_mat(len(pairs), len(pairs))
    for i, j, sign in ((place[a, c], place[b, e], 1), (place[a, e], place[b, c], -1)):
        M[i, j] += fmpq(sign, 2)
        M[j, i] += fmpq(sign, 2)
    return M


def _blocks(A, V, Q, pairs, planes, weights) -> list[Block]:
    """P - I, N and minus the inequality's form, in the entries of P and N."""
    d, m, n = A.nrows(), len(planes), len(pairs)
    zeros = {k: fmpq_mat(k, k) for k in (d, m, n)}
    rates = [_form(lambda x, y, i=i, j=j: _unit(d, i, j) * V * x * A * y, pairs)
             for i, j in pairs]
    minors = [_minor_form(planes[i], planes[j], pairs) * (1 if i == j else 2) for i, j in weights]
    decay = zeros[n] if Q is None else _form(lambda x, y: Q * x * y * Q.transpose(), pairs)
    positive = Block(-identity(d), (*(_unit(d, i, j) for i, j in pairs),
                                    *(zeros[d] for _ in weights)))
    weight = Block(zeros[m], (*(zeros[m] for _ in pairs), *(_unit(m, i, j) for i, j in weights)))
    falls = Block(-decay, (*(g * -2 for g in rates), *(-g for g in minors)))
    return [positive, weight, falls] if m else [positive, falls]


def _stated(A, V, Q, P, N, form, pairs, planes) -> Dissipation:
    letters = {pair: f"x{i + 1}{j + 1}" for i, j in pairs for pair in ((i, j), (j, i))}
    d = A.nrows()
    X = ("matrix", *(("row", *(letters[i, j] for j in range(d))) for i in range(d)))
    left: Term = ("*", 2, ("trace", ("*", written(P), written(V), X, written(A), X)))
    if Q is not None:
        q = written(Q)
        left = ("+", left, ("trace", ("*", q, X, X, ("T", q))))
    weighed = [(n, _plane_form(row, letters, planes)) for n, row in squares(N)] if planes else []
    given = tuple(("<=", 0, minor) for _, minor in weighed)
    symbols = tuple((letters[pair], ("real",)) for pair in pairs)
    statement = Statement(symbols, given, "<=", left, 0)
    terms = [("*", term(n), minor) for n, minor in weighed]
    for n, row in squares(form):
        line = [("*", term(x), letters[pair]) for x, pair in zip(row, pairs, strict=True) if x != 0]
        terms.append(("*", term(n), ("^", line[0] if len(line) == 1 else ("+", *line), 2)))
    certificate = Certificate(statement.digest, "combination", {"terms": terms})
    return Dissipation(A, V, Q, P, N, decide(P - identity(d)), decide(N), statement, certificate,
                       check(statement, certificate))


def _plane_form(row: list[fmpq], letters: dict, planes: list) -> Term:
    """w^T C2(X) w, which is >= 0 for X >= 0."""
    parts: list[Term] = []
    for x, (a, b) in zip(row, planes, strict=True):
        for y, (c, e) in zip(row, planes, strict=True):
            if x * y != 0:
                minor = ("+", ("*", letters[a, c], letters[b, e]),
                         ("-", ("*", letters[a, e], letters[b, c])))
                parts.append(("*", term(x * y), minor))
    return parts[0] if len(parts) == 1 else ("+", *parts)
