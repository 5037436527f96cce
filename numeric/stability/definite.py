"""Positive semidefinite or not: a matrix of rational numbers, decided by the kernel.

The squares of `rational.squares` are a certificate of the rule `vector`, the vector of
`rational.witness` one of the rule `sign`; the kernel multiplies out and believes neither.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from numeric.stability.rational import exact, squares, witness
from symbolic.claim import Claim, above, at_least, equals, psd
from symbolic.kernel.check import check
from symbolic.kernel.statement import Certificate, Level, Statement, Verdict
from symbolic.kernel.term import Term
from symbolic.writing import text

LARGEST = 8     # matrices beyond are stated as quadratic forms: the kernel writes out no larger


@dataclass(frozen=True)
class Decision:
    """Whether `matrix` is positive semidefinite, with the kernel's verdict on that answer.

    Where it is, the statement is `matrix psd 0` (as a quadratic form beyond 8 x 8); where it is
    not, `w^T matrix w < 0` for an explicit w. `holds` is None where the kernel granted nothing.
    """

    matrix: fmpq_mat
    holds: bool | None
    statement: Statement
    certificate: Certificate
    verdict: Verdict

    def claim(self, name: str, says: str, source: str = "ours") -> Claim:
        """The decision as a claim of a page, which `attnproof check` decides again."""
        s, why = self.statement, "an exact decision between rational numbers: nothing to simulate"
        if s.relation == "psd":
            steps = (psd(s.right, by="vector"),)
        elif s.symbols:
            total = ("+", *self.certificate.data["terms"])
            steps = (equals(total, by="normal"), at_least(0, by="sign"))
        else:
            steps = (above(0, by="sign"),)
        start = s.left if s.relation == "psd" else s.right
        return Claim(name, says, {n: "real" for n, _ in s.symbols}, start=start, steps=steps,
                     source=source, no_measure=why)


def decide(G: object) -> Decision:
    """Decide whether a symmetric matrix of rational numbers is positive semidefinite.

    Raises ValueError for a matrix that is not symmetric.
    """
    G = exact(G)
    found = squares(G)
    if found is None:
        return _refused(G, witness(G))
    n = G.nrows()
    if n <= LARGEST:
        letters = [("entry", "v", i + 1, 1) for i in range(n)]
        statement = Statement((), (), "psd", written(G), ("zeros", n, n))
        data = {"name": "v", "by": {"rule": "combination", "terms": _terms(found, letters)}}
        return _decided(G, True, statement, "vector", data)
    letters = [f"v{i + 1}" for i in range(n)]
    statement = Statement(tuple((v, ("real",)) for v in letters), (), "<=", 0, _form(G, letters))
    return _decided(G, True, statement, "combination", {"terms": _terms(found, letters)})


def _decided(G: fmpq_mat, answer: bool, statement: Statement, rule: str, data: dict) -> Decision:
    certificate = Certificate(statement.digest, rule, data)
    verdict = check(statement, certificate)
    granted = verdict.level is Level.PROVED and not verdict.where and not verdict.rests_on
    return Decision(G, answer if granted else None, statement, certificate, verdict)


def _refused(G: fmpq_mat, w: list[fmpq]) -> Decision:
    """0 < -w^T G w, the form written out in numbers."""
    n = range(G.nrows())
    table = G.table()
    parts = tuple(("*", term(-table[i][j]), term(w[i]), term(w[j]))
                  for i in n for j in n if table[i][j] != 0 and w[i] != 0 and w[j] != 0)
    form = parts[0] if len(parts) == 1 else ("+", *parts)
    return _decided(G, False, Statement((), (), "<", 0, form), "sign", {})


def _terms(found: list, letters: list[Term]) -> list[Term]:
    return [("*", term(d), ("^", _sum([("*", term(x), v) for x, v in zip(row, letters, strict=True)
                                       if x != 0]), 2)) for d, row in found]


def _form(G: fmpq_mat, letters: list[Term]) -> Term:
    n, table = G.nrows(), G.table()
    return _sum([("*", term(table[i][j] * (1 if i == j else 2)), letters[i], letters[j])
                 for i in range(n) for j in range(i, n) if table[i][j] != 0])


def _sum(parts: list[Term]) -> Term:
    return 0 if not parts else parts[0] if len(parts) == 1 else ("+", *parts)


def term(x: fmpq) -> Term:
    """A rational number as a term of the language."""
    p, q = int(abs(x.p)), int(x.q)
    size: Term = p if q == 1 else ("/", p, q)
    return ("-", size) if x < 0 else size


def written(G: fmpq_mat) -> Term:
    """A matrix of rational numbers as a term of the language."""
    return ("matrix", *(("row", *map(term, row)) for row in G.table()))


def page(title: str, claims: Iterable[Claim]) -> str:
    """The claims as a JSON page: `attnproof check` reads the file and decides each one again."""
    return json.dumps({"title": title, "claims": [_plain(c) for c in claims]}, indent=1)


def _plain(claim: Claim) -> dict:
    steps = [{"relation": s.relation, "right": _text(s.right)} | ({"by": s.by} if s.by else {})
             for s in claim.steps]
    return {"name": claim.name, "says": claim.says, "symbols": dict(claim.symbols),
            "given": [_text(fact) for fact in claim.given],
            "start": _text(claim.start), "steps": steps, "source": claim.source,
            "no_measure": claim.no_measure}


def _text(t: object) -> str:
    return t if isinstance(t, str) else text(t)
