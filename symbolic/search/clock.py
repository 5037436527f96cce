"""How long search may still take: one deadline that nested searches share and only shorten."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_END: ContextVar[float] = ContextVar("end", default=float("inf"))


@contextmanager
def allow(seconds: float) -> Iterator[None]:
    """Within this block `left` is at most `seconds`, and at most what it was outside."""
    token = _END.set(min(_END.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _END.reset(token)


def left(most: float = float("inf")) -> float:
    """Seconds left, at most `most`; zero or less when time is up."""
    return min(most, _END.get() - time.monotonic())
