"""The soundness runs at full size: `make soundness`. Every line printed is counted, not chosen.

    python -m tests.soundness [--terms 100000] [--forgeries 200] [--mutants 2000]
"""

import argparse
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

from symbolic.kernel import attack
from symbolic.kernel.check import Fault, check
from symbolic.kernel.modular import agree
from symbolic.kernel.statement import Level, Statement
from symbolic.prove import find
from tests import fuzz, material
from tests.forge import as_certificate, forgeries
from tests.mutants import mutants

SHARES = {"scalar": 0.4, "power": 0.25, "sum": 0.1, "matrix": 0.12, "kronecker": 0.02,
          "related": 0.1, "families": 0.01}
CHEAP = ("normal", "sign", "shape", "linear", "eliminate", "cases")
GRANTED = (Level.PROVED, Level.CERTIFIED)


def fuzzed(terms, jobs=2, chunk=250):
    """(counts by kind and outcome, disagreements) of many random terms, in worker processes."""
    tasks = [(kind, first, min(chunk, int(terms * share) - first))
             for kind, share in SHARES.items() for first in range(0, int(terms * share), chunk)]
    counts, wrong = Counter(), []
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for (kind, _, _), (found, bad) in zip(
                tasks, pool.map(fuzz.run, *zip(*tasks, strict=True)), strict=True):
            counts.update({(kind, outcome): n for outcome, n in found.items()})
            wrong += bad
    return counts, wrong


def forged(proofs, wanted, seed=0):
    """(number tried, those that earned a level or raised) of altered certificates."""
    rng, tried, bad = random.Random(seed), 0, []
    for name, statement, certificate in proofs:
        for forgery in forgeries(statement, certificate.json(), rng):
            tried += 1
            try:
                verdict = check(forgery.statement, as_certificate(forgery.certificate))
            except Exception as error:  # a traceback is a failure of the test
                bad.append((name, forgery.why, repr(error)))
                continue
            granted = verdict.level in GRANTED and not verdict.rests_on  # citations say so
            if granted and (forgery.strict or attack.refutation(
                    forgery.statement, verdict.where, 20, 80) is not None):
                bad.append((name, forgery.why, verdict.level))
        if tried >= wanted:
            break
    return tried, bad


def mutated(proofs, wanted, seed=0):
    """(outcomes, false ones proved) of mutants of proved statements."""
    rng, counts, bad = random.Random(seed), Counter(), []
    proofs = list(proofs)
    share = max(4, wanted // max(1, len(proofs)) + 1)
    for name, statement, _ in proofs:
        for mutant in list(mutants(statement, rng))[:share]:
            outcome, why = judged(mutant)
            counts[outcome] += 1
            if why:
                bad.append((name, mutant.json(), why))
    return counts, bad


def judged(statement: Statement):
    """(outcome, reason if it is a false one proved) of one mutant."""
    try:
        granted = next((v for name in CHEAP for c in find(name, statement)
                        if (v := check(statement, c)).level in GRANTED), None)
    except Fault as fault:
        return "fault", str(fault)
    if granted is None:
        return "not proved", None
    if attack.refutation(statement, granted.where, 30, 150, seed=1) is not None:
        return "false and proved", "refuted by a point"
    if agree(replace(statement, given=(*statement.given, *granted.where))) is False:
        return "false and proved", "the modular test disagrees"
    return "proved, survives", None


def doubted(proofs):
    """(answers, disagreements) of the modular zero test on equalities proved by the normal form."""
    counts, bad = Counter(), []
    for name, statement, certificate in proofs:
        if statement.relation == "=" and certificate.rule == "normal":
            where = check(statement, certificate).where
            answer = agree(replace(statement, given=(*statement.given, *where)))
            counts[str(answer)] += 1
            if answer is False:
                bad.append(name)
    return counts, bad


def galleries(files=("gallery.toml", "near_misses.toml", "attack.toml", "sympy_wrong.json")):
    """(outcomes, claims granted) of the galleries of falsehoods against every method."""
    from symbolic.prove import ORDER

    counts, bad = Counter(), []
    for file in files:
        if not (material.DATA / file).exists():
            continue
        for claim, steps in material.data_steps(file):
            counts[file, "claims"] += 1
            counts[file, "unreadable"] += not steps
            granted = [name for name in ORDER if steps and all(
                _granted(name, s) for s in steps)]
            if granted:
                bad.append((claim.name, granted))
    return counts, bad


def _granted(name, statement):
    try:
        return any(check(statement, c).level in GRANTED and not _vacuous(statement, c)
                   for c in find(name, statement))
    except Fault:
        return True


def _vacuous(statement, certificate):
    """Whether no point of the domain is found where facts and conditions hold: level UNKNOWN."""
    where = check(statement, certificate).where
    return attack.witness(statement, where) is None


def main():
    """Run everything, print one line a count, exit 1 at the first kind of failure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--terms", type=int, default=100_000)
    parser.add_argument("--forgeries", type=int, default=200)
    parser.add_argument("--mutants", type=int, default=2_000)
    asked = parser.parse_args()
    begun = time.monotonic()
    proofs = list(material.proved())
    runs = {
        "proved statements": lambda: (len(proofs), []),
        "galleries": galleries,
        "forged certificates": lambda: forged(proofs, asked.forgeries),
        "mutants": lambda: mutated(proofs, asked.mutants),
        "modular zero test": lambda: doubted(proofs),
        "fuzzed terms": lambda: fuzzed(asked.terms),
    }
    failures = 0
    for name, run in runs.items():
        found, bad = run()
        failures += len(bad)
        found = dict(found) if isinstance(found, Counter) else found
        print(f"{name:20} {found}  failures: {len(bad)}", flush=True)
        for item in bad[:10]:
            print("    ", str(item)[:400])
    print(f"{failures} failures in {time.monotonic() - begun:.0f} s")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
