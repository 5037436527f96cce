"""Limits hold: a step that overruns or fills the memory is UNKNOWN, and the rest goes on."""

import signal
import sys
import time
from contextlib import suppress
from types import ModuleType, SimpleNamespace

import pytest

from proofs.limits import Overrun, clock, pool
from proofs.settle import Task, asker, settle
from symbolic.kernel.statement import Level, Statement, Verdict

STATEMENT = Statement((("x", ("real",)),), (), "=", "x", "x")


def prover(monkeypatch, prove):
    module = ModuleType("symbolic.prove")
    module.prove = prove
    monkeypatch.setitem(sys.modules, "symbolic.prove", module)


@pytest.mark.parametrize("pause", [0.0, 1.0])
def test_a_block_is_left_when_its_time_is_over(pause):
    begun = time.monotonic()
    with pytest.raises(Overrun), clock(0.1):
        while True:
            with suppress(Exception):
                time.sleep(pause)
    assert time.monotonic() - begun < 0.9


def test_a_block_in_time_is_left_alone():
    with clock(0.05):
        pass
    time.sleep(0.3)


def test_a_clock_leaves_what_it_found():
    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGPROF)
    with pytest.raises(Overrun), clock(0.1):
        while True:
            pass
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGPROF)) == before
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_a_clock_gives_back_the_alarm_it_found():
    before, _ = signal.setitimer(signal.ITIMER_REAL, 100)  # pytest's own, where it sets one
    try:
        with clock(5):
            pass
        assert 99 < signal.getitimer(signal.ITIMER_REAL)[0] <= 100
    finally:
        signal.setitimer(signal.ITIMER_REAL, before)


def endless(statement, by, seconds):
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


def greedy(statement, by, seconds):
    raise MemoryError


def deep(statement, by, seconds):
    return deep(statement, by, seconds)


@pytest.mark.parametrize(("prove", "says"), [
    (endless, "stopped after 0.1 s"), (greedy, "memory limit"), (deep, "nested too deep")])
def test_a_search_beyond_its_limits_leaves_unknown(monkeypatch, prove, says):
    prover(monkeypatch, prove)
    monkeypatch.setattr("proofs.settle.AFTER", 0.1)
    found = settle(Task(STATEMENT, seconds=0.1))
    assert found.verdict.level is Level.UNKNOWN
    assert says in found.verdict.note


def test_a_serial_task_is_settled_when_its_answer_is_wanted(monkeypatch):
    calls = []

    def prove(statement, by, seconds):
        calls.append(by)
        return SimpleNamespace(verdict=Verdict(Level.UNKNOWN), certificate=None, tried=["a"])

    prover(monkeypatch, prove)
    answer = asker(None)(Task(STATEMENT, "a"))
    assert calls == []
    assert answer().tried == ("a",) and calls == ["a"]


def hog(size: int) -> int:
    return len(bytearray(size))


def suicide(task) -> None:
    import os
    os._exit(9)


@pytest.mark.slow
def test_a_worker_is_limited_in_memory():
    with pool(1, memory=1 << 30) as executor:
        assert executor.submit(hog, 1 << 20).result() == 1 << 20
        with pytest.raises(MemoryError):
            executor.submit(hog, 2 << 30).result()
