"""Double precision with NumPy: fast, relative accuracy about 1e-10 on moderate terms.

Derivatives by Richardson differences (about 1e-9, each nesting loses three digits), integrals by
adaptive quadrature (1e-8), limits by Aitken's process (1e-6): see `accuracy`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import array_api_compat.numpy as xp
import numpy as np

from numeric import arrays
from numeric.arrays import accuracy, real_number
from numeric.compiled import compile_term as _compile
from symbolic.kernel.term import Term

__all__ = ["NAME", "accuracy", "available", "compile_term", "evaluate", "namespace"]
NAME = "numpy64"


def available() -> bool | str:
    """True, or the reason why this backend cannot run."""
    return True


def compile_term(term: Term, symbols: Any, rates: tuple = ()) -> Callable[[dict], Any]:
    """A function of a point; see `numeric.compiled.compile_term`."""
    return _compile(term, symbols, ARITHMETIC, rates)


def evaluate(term: Term, symbols: Any, point: dict, rates: tuple = ()) -> Any:
    """The value of a term at a point: a float, complex or array; nan where undefined.

    Raises ValueError for a malformed term or a point that does not fit the sorts.
    """
    return compile_term(term, symbols, rates)(point)


@contextmanager
def namespace() -> Iterator[Any]:
    """The array library in which simulations run beside this backend, in double precision."""
    yield xp


def _number(value: Any) -> Any:
    value = real_number(value)
    return np.complex128(value) if isinstance(value, complex) else np.float64(value)


ARITHMETIC = arrays.arithmetic(NAME, xp, _number, np.asarray)
