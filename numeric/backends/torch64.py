"""Double precision with torch: the terms through torch's own kernels, slopes by forward mode.

Loading torch takes a second or more, so this backend runs when it is asked for (`attnproof check
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
NAME = "torch64"
HEAVY = True        # to load: it joins a cross-check where it is asked for


def available() -> bool | str:
    """True, or the reason why this backend cannot run."""
    return True if find_spec("torch") else "torch is not installed: pip install 'attnproof[torch]'"


def compile_term(term: Term, symbols: Any, rates: tuple = ()) -> Callable[[dict], Any]:
    """A function of a point; see `numeric.compiled.compile_term`. Values come back to NumPy."""
    run = _compile(term, symbols, _arithmetic(), rates)
    return lambda point: _numpy(run(point))


def evaluate(term: Term, symbols: Any, point: dict, rates: tuple = ()) -> Any:
    """The value of a term at a point: a float, complex or array; nan where undefined.

    Raises ValueError for a malformed term or a point that does not fit the sorts.
    """
    return compile_term(term, symbols, rates)(point)


@contextmanager
def namespace() -> Iterator[Any]:
    """The array library in which simulations run beside this backend, in double precision."""
    import array_api_compat.torch as xp
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield xp
    finally:
        torch.set_default_dtype(before)


@lru_cache(maxsize=1)
def _arithmetic() -> Arithmetic:
    import array_api_compat.torch as xp
    import torch

    def slope(f: Callable, zero: Any) -> Any:
        return torch.func.jvp(f, (zero,), (torch.ones_like(zero),))[1]
    return arrays.arithmetic(NAME, xp, _number, _array, slope)


def _number(value: Any) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        return value
    value = real_number(value)
    return torch.tensor(value, dtype=torch.complex128 if isinstance(value, complex)
                        else torch.float64)


def _array(rows: Any) -> Any:
    """A matrix from a NumPy array or from rows of numbers, complex where one of them is."""
    import torch

    if isinstance(rows, np.ndarray):
        return torch.from_numpy(np.ascontiguousarray(rows))
    flat = [entry for row in rows for entry in row]
    dtype = torch.complex128 if any(map(torch.is_complex, flat)) else torch.float64
    return torch.stack([entry.to(dtype) for entry in flat]).reshape(len(rows), -1)


def _numpy(value: Any) -> Any:
    return value.resolve_conj().detach().numpy()[()]
