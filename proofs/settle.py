"""One step settled: a method proposes, the kernel grants, and the clock is watched.

Tasks and answers are plain frozen data, so that any `concurrent.futures.Executor` may carry them.
"""

import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass, replace

from proofs.limits import Overrun, clock, pool
from symbolic.kernel.statement import Certificate, Level, Statement, Verdict

GRACE, AFTER = 1.25, 2.0  # a search is stopped after GRACE times its budget and AFTER seconds


@dataclass(frozen=True)
class Task:
    """A statement to settle: by which method (None: all), in how many seconds, what is known.

    `known` is a certificate of an earlier run; the kernel checks it before anything is searched.
    """

    statement: Statement
    by: str | None = None
    seconds: float = 20.0
    known: Certificate | None = None


@dataclass(frozen=True)
class Settled:
    """What the kernel said, the certificate it said it of, the methods asked, the time taken.

    `faulty` marks a granted statement that a point refutes: the kernel is wrong, the run stops.
    """

    verdict: Verdict
    certificate: Certificate | None = None
    tried: tuple[str, ...] = ()
    seconds: float = 0.0
    faulty: bool = False


Ask = Callable[[Task], Callable[[], Settled]]


def settle(task: Task) -> Settled:
    """Settle one statement. A search that overruns, fails or fills the memory leaves UNKNOWN."""
    from symbolic.kernel.check import Fault
    begun = time.perf_counter()
    try:
        with clock(task.seconds * GRACE + AFTER):
            found = _remembered(task) or _searched(task)
    except Overrun:
        found = unknown(f"stopped after {task.seconds:g} s: allow more with --timeout")
    except MemoryError:
        found = unknown("stopped at the memory limit of a step")
    except RecursionError:
        found = unknown("stopped: nested too deep for the search")
    except Fault as fault:
        found = Settled(fault.verdict, fault.certificate, faulty=True)
    except Exception as error:  # a method that fails is no reason to stop the others
        found = unknown(f"the search failed ({type(error).__name__}: {error}): report it")
    return replace(found, seconds=round(time.perf_counter() - begun, 6))


def _remembered(task: Task) -> Settled | None:
    """The verdict of the known certificate, unless the kernel grants nothing for it."""
    from symbolic.kernel.check import check
    if task.known is None:
        return None
    verdict = check(task.statement, task.known)
    return None if verdict.level is Level.UNKNOWN else Settled(verdict, task.known)


def _searched(task: Task) -> Settled:
    from symbolic.prove import prove
    outcome = prove(task.statement, task.by, task.seconds)
    return Settled(outcome.verdict, outcome.certificate, tuple(outcome.tried))


def unknown(note: str) -> Settled:
    """No level, and why."""
    return Settled(Verdict(Level.UNKNOWN, note=note))


def asker(executor: Executor | None) -> Ask:
    """How tasks are given out: `ask(task)` returns a function that waits for the answer.

    Without an executor a task is settled when its answer is wanted. A worker that dies takes the
    others' tasks along; each is then settled again in a worker of its own.
    """
    if executor is None:
        return lambda task: lambda: sound(task, settle(task))

    def ask(task: Task) -> Callable[[], Settled]:
        try:
            future = executor.submit(settle, task)
        except BrokenExecutor:
            return lambda: sound(task, _alone(task))

        def answer() -> Settled:
            try:
                return future.result()
            except BrokenExecutor:
                return _alone(task)
        return lambda: sound(task, answer())
    return ask


def _alone(task: Task) -> Settled:
    with pool(1) as executor:
        try:
            return executor.submit(settle, task).result()
        except BrokenExecutor:
            return unknown("the worker died, most likely at the memory limit of a step")


def sound(task: Task, found: Settled) -> Settled:
    """The answer, unless the kernel is at fault: then Fault, with all the evidence."""
    if found.faulty and found.certificate is not None:
        from symbolic.kernel.check import Fault
        raise Fault(task.statement, found.certificate, found.verdict)
    return found
