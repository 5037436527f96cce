"""Double precision with JAX, op by op: its own kernels, slopes by forward mode.

Double precision is switched on for the time of an evaluation only. JAX takes a second to load
and tens of microseconds an operation, so this backend runs when it is asked for (`attnproof check
--backends all`) and in the tests.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from numeric import arrays
from numeric.arithmetic import Arithmetic
from numeric.arrays import accuracy, real_number
from numeric.compiled import compile_term as _compile
from symbolic.kernel.term import Term

__all__ = ["HEAVY", "NAME", "accuracy", "available", "compile_term", "evaluate", "namespace"]
NAME = "jax64"
HEAVY = True        # to load: it joins a cross-check where it is asked for


def available() -> bool | str:
    """True, or the reason why this backend cannot run."""
    return True if find_spec("jax") else "jax is not installed: pip install 'attnproof[jax]'"


def compile_term(term: Term, symbols: Any, rates: tuple = ()) -> Callable[[dict], Any]:
    """A function of a point; see `numeric.compiled.compile_term`. Values come back to NumPy."""
    with namespace():
        run = _compile(term, symbols, _arithmetic(), rates)

    def value(point: dict) -> Any:
        with namespace():
            return np.asarray(run(point))[()]
    return value


def evaluate(term: Term, symbols: Any, point: dict, rates: tuple = ()) -> Any:
    """The value of a term at a point: a float, complex or array; nan where undefined.

    Raises ValueError for a malformed term or a point that does not fit the sorts.
    """
    return compile_term(term, symbols, rates)(point)


@contextmanager
def namespace() -> Iterator[Any]:
    """The array library in which simulations run beside this backend, in double precision."""
    import jax
    import jax.experimental

    # It moved; which of the two places has it depends on the version.
    double = {**vars(jax.experimental), **vars(jax)}["enable_x64"]
    with double(True):
        yield jax.numpy


@lru_cache(maxsize=1)
def _arithmetic() -> Arithmetic:
    import jax

    def slope(f: Callable, zero: Any) -> Any:
        return jax.jvp(f, (zero,), (jax.numpy.ones_like(zero),))[1]
    return arrays.arithmetic(NAME, jax.numpy, _number, _array, slope)


def _number(value: Any) -> Any:
    import jax

    if isinstance(value, jax.Array):
        return value
    value = real_number(value)
    return jax.numpy.asarray(np.complex128(value) if isinstance(value, complex)
                             else np.float64(value))


def _array(rows: Any) -> Any:
    import jax

    return jax.numpy.asarray(rows)
