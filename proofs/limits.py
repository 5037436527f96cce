"""Limits that hold: time for a step, memory for a worker."""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

MEMORY = 2 << 30  # bytes a worker may map
WAITING = 3       # times its seconds of work that a step may take by the wall clock


class Overrun(BaseException):
    """The time of a step is over. Not an Exception, so that no search swallows it."""


@contextmanager
def clock(seconds: float) -> Iterator[None]:
    """Raise Overrun inside the block once it has worked for `seconds`, or waited for thrice that.

    Work is processor time, so that a busy machine changes no verdict; the wall clock is behind
    it. Both hold in the main thread of a process, where signals arrive; elsewhere (threads of a
    cluster's worker) the budget given to the search itself is all there is. A call into compiled
    code is left when it returns. The alarms repeat, in case a search swallows the first one.
    """
    if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
        yield
        return

    def ring(signum: int, frame: object) -> None:
        raise Overrun(f"overran its {seconds:g} s")

    alarms = ((signal.SIGPROF, signal.ITIMER_PROF, seconds),
              (signal.SIGALRM, signal.ITIMER_REAL, WAITING * seconds))
    begun = time.monotonic()
    before = [(signal.signal(number, ring), signal.setitimer(timer, after, 1.0))
              for number, timer, after in alarms]
    try:
        yield
    finally:
        for (number, timer, _), (handler, (left, again)) in zip(alarms, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)
            if left:  # somebody else's alarm goes on, late rather than never
                signal.setitimer(timer, max(left - (time.monotonic() - begun), 0.001), again)


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
