"""Is the installation sound? The packages found, the libraries present, what is absent and why."""

import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from importlib.util import find_spec


@dataclass(frozen=True)
class Check:
    """One thing looked at; `needed` is False where attnproof works without it."""

    name: str
    well: bool
    needed: bool
    says: str


def examine() -> tuple[Check, ...]:
    """Every check, the needed ones first. Imports only our own packages."""
    return (_python(), *map(_package, ("symbolic", "numeric", "infoflow", "proofs")),
            *_libraries(), *_programs())


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    return Check("python", sys.version_info >= (3, 11), True, f"{found} (3.11 or newer is needed)")


def _package(name: str) -> Check:
    """Whether `name` is ours: a foreign distribution ships a package of the same name, too."""
    spec = find_spec(name)
    if spec is None:
        return Check(name, False, True, "not found: install attnproof again")
    if getattr(__import__(name), "ATTNPROOF", None) == name:
        return Check(name, True, True, str(spec.origin))
    owners = ", ".join(packages_distributions().get(name, ())) or "an unknown distribution"
    return Check(name, False, True, f"{spec.origin} belongs to {owners}: uninstall {owners}, or "
                 "put attnproof's folder first on the path")


def _libraries() -> list[Check]:
    """The distributions that attnproof asks for, as its own metadata lists them."""
    try:
        lines = requires("attnproof") or []
    except PackageNotFoundError:
        return [Check("attnproof", False, True, "not installed: `make run` installs it")]
    checks = []
    for line in lines:
        requirement, _, marker = line.partition(";")
        extra = marker.partition("extra ==")[2].strip(" '\"")
        name = requirement.strip().partition(">=")[0].strip()
        if extra != "dev":
            checks.append(_library(name, requirement.strip(), extra))
    return sorted(checks, key=lambda check: not check.needed)


def _library(name: str, requirement: str, extra: str) -> Check:
    try:
        return Check(name, True, not extra, version(name))
    except PackageNotFoundError:
        advice = (f"absent: what needs it is reported as not run; pip install 'attnproof[{extra}]'"
                  if extra else f"absent: pip install '{requirement}'")
        return Check(name, False, not extra, advice)


def _programs() -> list[Check]:
    return [Check(name, path is not None, False, path or f"absent: {without}")
            for name, without in (("latexmk", "the appendix is written, but no PDF"),
                                  ("pdftoppm", "tests that look at the PDF are skipped"))
            for path in (shutil.which(name),)]
