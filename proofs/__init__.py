"""What we say: pages of claims, the check of a page, reports and the writers that print them.

A page begins with `from proofs import Claim, equals`. Everything offered here:
Claim, Step; the verbs equals, at_most, at_least, below, above, psd, big_o; derived.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symbolic.claim import (
        Claim,
        Step,
        above,
        at_least,
        at_most,
        below,
        big_o,
        derived,
        equals,
        psd,
    )

ATTNPROOF = "proofs"
__all__ = ["Claim", "Step", "above", "at_least", "at_most", "below", "big_o", "derived", "equals",
           "psd"]


def _guard(name: str) -> None:
    """Refuse a foreign package of the same name: another distribution ships `symbolic`, too."""
    module = import_module(name)
    if getattr(module, "ATTNPROOF", None) != name:
        from importlib.metadata import packages_distributions
        owners = ", ".join(packages_distributions().get(name, [])) or "an unknown distribution"
        raise ImportError(
            f"attnproof: `import {name}` found {module.__file__} of {owners}; needed the package "
            f"of attnproof: uninstall {owners}, or put attnproof's folder first on the path; "
            "`attnproof doctor` shows what is found")


for _name in ("symbolic", "numeric", "infoflow"):
    _guard(_name)


def __getattr__(name: str) -> object:
    """The verbs of a page, read from `symbolic.claim` when first used (re-checking needs none)."""
    if name in __all__:
        return getattr(import_module("symbolic.claim"), name)
    raise AttributeError(f"proofs offers no {name!r}; it offers {', '.join(__all__)}")
