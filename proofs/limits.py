"""Limits that hold: wall-clock for a step, memory for a worker."""

import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

MEMORY = 2 << 30  # bytes a worker may map


class Overrun(BaseException):
    """The time of a step is over. Not an Exception, so that no search swallows it."""


@contextmanager
def wall_clock(seconds: float) -> Iterator[None]:
    """Raise Overrun inside the block once it has run for `seconds`.

    It holds in the main thread of a process, where signals arrive; elsewhere (threads of a
    cluster's worker) the budget given to the search itself is all there is. A call into compiled
    code is left when it returns. The alarm repeats, in case a search swallows the first one.
    """
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return

    def ring(signum: int, frame: object) -> None:
        raise Overrun(f"overran its {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def pool(jobs: int, memory: int = MEMORY) -> Executor:
    """Worker processes, each limited in memory; Ctrl-C is the parent's affair."""
    from multiprocessing import get_context
    return ProcessPoolExecutor(jobs, get_context("spawn"), initializer=confine, initargs=(memory,))


def confine(memory: int) -> None:
    """Limit the address space of this process (bytes), where the system can."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or memory <= hard:
            resource.setrlimit(resource.RLIMIT_AS, (memory, hard))
