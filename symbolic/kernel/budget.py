"""The step budget: arithmetic that takes too long ends in Undecided."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_STEPS: ContextVar[list | None] = ContextVar("steps", default=None)


class Undecided(Exception):
    """The kernel gives up on a question: too long, or outside what its rules can settle."""


@contextmanager
def limited(steps: int) -> Iterator[None]:
    """Within this block the arithmetic raises Undecided after about `steps` operations."""
    left = _STEPS.get()
    token = _STEPS.set([steps] if left is None else left)
    try:
        yield
    finally:
        _STEPS.reset(token)


def spend(steps: int) -> None:
    """Count operations against the budget; raises Undecided when it is used up."""
    left = _STEPS.get()
    if left is not None:
        left[0] -= steps
        if left[0] < 0:
            raise Undecided("the step budget is used up")
