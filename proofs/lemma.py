"""Steps that use other claims, or a publication.

The kernel's rule `lemma` puts terms in for the symbols of a claim, asks for its facts as premises
and adds the instance to the facts; the goals are the kernel's, the search for them is here. The
rule `citation` grants a step modulo the key of a publication.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proofs.settle import Settled, Task, settle, sound, unknown
from symbolic.claim import Chain, Claim
from symbolic.kernel.statement import Certificate, Level, Statement, Verdict
from symbolic.kernel.term import Malformed, Term

CITE = "cite:"
GRANTED = (Level.PROVED, Level.CERTIFIED, Level.REFUTED)
TURNED = {">=": "<=", ">": "<", "=": "turned", "==": "turned"}


@dataclass(frozen=True)
class Lemma:
    """A claim ready for use: its whole statement with a certificate, and the terms put in."""

    name: str
    statement: Statement
    certificate: dict
    at: dict[str, Term]


def lemma_of(claim: Claim, chain: Chain, settled: tuple[Settled, ...],
             at: dict[str, Term]) -> Lemma | None:
    """The claim as a lemma, None unless every step is proved; `at` is cut to its symbols."""
    if chain.whole is None or any(s.verdict.level is not Level.PROVED for s in settled):
        return None
    own = {name: t for name, t in at.items() if name in dict(chain.symbols)}
    proofs = [s.certificate.json() for s in settled if s.certificate is not None]
    relations = ["=" if s.relation == "==" else s.relation for s in claim.steps]
    lines = list(chain.lines[1:-1])
    if len(proofs) == 1:
        return Lemma(claim.name, chain.whole, proofs[0], own)
    if {">", ">="} & set(relations):  # the whole was turned round when read: so is its chain
        relations = [TURNED[r] for r in reversed(relations)]
        lines, proofs = lines[::-1], proofs[::-1]
    return Lemma(claim.name, chain.whole, {
        "rule": "chain", "lines": lines, "relations": relations, "by": proofs}, own)


def settle_using(task: Task, lemmas: tuple[Lemma, ...], keys: tuple[str, ...]) -> Settled:
    """Settle a step with lemmas as further facts, else as it stands, else by citation.

    The verdict is the kernel's on the step's own statement; its certificate carries the lemmas.
    """
    begun = time.perf_counter()
    found = _with_lemmas(task, lemmas)
    if found.verdict.level not in GRANTED and lemmas:
        plain = sound(task, settle(task))
        found = found if plain.verdict.level is Level.UNKNOWN else plain
    for key in keys if found.verdict.level not in GRANTED else ():
        found = granted(task.statement, "citation", {"key": key}) or found
    return replace(found, seconds=time.perf_counter() - begun)


def granted(statement: Statement, rule: str, data: dict) -> Settled | None:
    """What the kernel grants for a certificate of this rule; None where it grants nothing.

    A point that fails a statement granted by citation refutes it: the kernel is not at fault.
    """
    from symbolic.kernel.check import Fault, check
    certificate = Certificate(statement.digest, rule, data)
    try:
        verdict = check(statement, certificate)
    except Fault as fault:
        if rule != "citation" and '"citation"' not in json.dumps(certificate.json()):
            raise
        point = Certificate(statement.digest, "points", {"point": fault.verdict.point})
        return Settled(check(statement, point), point, ("refute",))
    return None if verdict.level is Level.UNKNOWN else Settled(verdict, certificate, (rule,))


def _with_lemmas(task: Task, lemmas: tuple[Lemma, ...]) -> Settled:
    from symbolic.kernel.check import RULES
    from symbolic.kernel.prepare import prepare
    from symbolic.kernel.rules import Refuse
    if not lemmas:
        return sound(task, settle(task))
    if "lemma" not in RULES:
        return unknown("this kernel has no rule `lemma`")
    from symbolic.kernel.rules.lemma import goals
    first, rest = lemmas[0], lemmas[1:]
    try:
        problem = prepare(task.statement)
        _, premises, then = goals(problem, first.statement, first.at)
    except (Refuse, Malformed) as error:
        return unknown(f"the lemma {first.name} does not fit: {error}")
    proofs: list[dict | None] = []
    for goal, settled in _shown(premises, problem, task):
        if settled is not None and settled.verdict.level is not Level.PROVED:
            from symbolic.writing.text import relation_text
            return unknown(f"the lemma {first.name} needs {relation_text(goal)}, not shown here: "
                         "add it to `given`, or choose other terms in `at`")
        proofs.append(settled.certificate.json() if settled and settled.certificate else None)
    last = _with_lemmas(replace(task, statement=then, known=None), rest)
    if last.certificate is None or last.verdict.level is not Level.PROVED:
        return replace(last, verdict=Verdict(Level.UNKNOWN, note=last.verdict.note))
    data = {"lemma": first.statement.json(), "at": first.at, "by": first.certificate,
            "premises": proofs, "then": last.certificate.json()}
    found = granted(task.statement, "lemma", data)
    return replace(found, tried=last.tried) if found else unknown(
        f"the kernel does not grant the step from the lemma {first.name}")


def _shown(premises: tuple[Statement, ...], problem, task: Task) -> Iterator[tuple]:
    """Each premise, with what was settled of it, or None where it is among the facts."""
    for goal in premises:
        stated = (goal.relation, goal.left, goal.right) in problem.given
        asked = replace(task, statement=goal, by=None, known=None)
        yield goal, None if stated else sound(asked, settle(asked))

