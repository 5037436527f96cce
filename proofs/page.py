"""Pages as they lie on disk: a Python page, the author's own code, is run; a data page is read.

A page that cannot be read is a page with errors and without claims; its siblings go on.
"""

import sys
import traceback
from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from proofs.report import FIGURE
from symbolic.claim import Claim
from symbolic.reading.names import PageError, shown
from symbolic.reading.page import Page, read_json, read_toml

ENDINGS = {".toml": read_toml, ".json": read_json}
CLAIMS = Path(__file__).with_name("claims")
WANTED = "a page: a .py file with CLAIMS, or a .toml or .json file"


def shipped() -> list[Path]:
    """The pages that come with attnproof, seen from the folder where it runs."""
    here = Path.cwd()
    return [p.relative_to(here) if p.is_relative_to(here) else p for p in pages_in(CLAIMS)]


def pages_in(folder: Path) -> list[Path]:
    """The pages of a folder, in the order of their names."""
    endings = {".py", *ENDINGS}
    return sorted(p for p in folder.iterdir() if p.suffix in endings and p.name[0] not in "._")


def expand(paths: Iterable[str | Path]) -> list[Path]:
    """Files as they are, folders as the pages in them."""
    return [page for path in map(Path, paths)
            for page in (pages_in(path) if path.is_dir() else [path])]


def load(path: str | Path) -> Page:
    """The page at `path`; whatever is wrong is among its errors, and nothing is raised.

    A Python page is imported under a name of its own: `CLAIMS` and optionally `SYMBOLS`, `LET`,
    `RATES`, `TITLE`, `FIGURES`; the first line of its docstring is the title.
    """
    path = Path(path)
    try:
        if path.suffix == ".py":
            return _executed(path)
        if path.suffix not in ENDINGS:
            return _unreadable(path, f"a file ending in {path.suffix!r}", WANTED, "rename it")
        return ENDINGS[path.suffix](path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        return _unreadable(path, error.strerror or str(error), WANTED, "check the path")
    except UnicodeDecodeError as error:
        return _unreadable(path, f"bytes that are no UTF-8 text at {error.start}",
                           "a text file in UTF-8", "save it as UTF-8")


def _executed(path: Path) -> Page:
    if not path.is_file():
        return _unreadable(path, "No such file", WANTED, "check the path")
    name = f"attnproof_page_{path.stem}_{abs(hash(str(path.resolve())))}"
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # the file ends in .py
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        frames = reversed(traceback.extract_tb(error.__traceback__))
        line = next((f.lineno for f in frames if f.filename == str(path)),
                    getattr(error, "lineno", None))
        return _unreadable(path, f"{type(error).__name__}: {error}", "a page that runs",
                           "run it with python to see where", line)
    return _declared(module, path)


def _declared(module: ModuleType, path: Path) -> Page:
    """The page that a module declares; a claim that is none, or a second one, is an error."""
    title = getattr(module, "TITLE", "") or (module.__doc__ or path.stem).strip().split("\n")[0]
    tables, errors = {}, []
    for key in ("SYMBOLS", "LET", "RATES"):
        value = getattr(module, key, {})
        if isinstance(value, dict):
            tables[key.lower()] = value
        else:
            errors.append(PageError(f"{key} = {shown(value)}", "a dictionary",
                                    f'{key} = {{"x": "real"}}', str(path)))
    listed = getattr(module, "CLAIMS", None)
    if not isinstance(listed, (tuple, list)):
        errors.append(PageError("no CLAIMS" if listed is None else f"CLAIMS = {shown(listed)}",
                                "a tuple of claims", "CLAIMS = (Claim(...),)", str(path)))
        listed = ()
    claims: dict[str, Claim] = {}
    for place, claim in enumerate(listed, 1):
        if not isinstance(claim, Claim):
            errors.append(PageError(shown(claim), "a Claim", "write Claim(name=..., start=...)",
                                    str(path), f"#{place}"))
        elif claim.name in claims:
            errors.append(PageError(f"a second claim named {claim.name}", "names that differ",
                                    "rename it", str(path), claim.name))
        else:
            claims[claim.name] = claim
    return Page(title, tuple(claims.values()), tuple(errors), **tables,
                figures=_figures(getattr(module, "FIGURES", ()), str(path), errors))


def _figures(listed: object, path: str, errors: list[PageError]) -> tuple[str, ...]:
    """The names of figures that a page declares; what is no name is an error."""
    if isinstance(listed, (tuple, list)) and all(
            isinstance(n, str) and FIGURE.fullmatch(n) for n in listed):
        return tuple(listed)
    errors.append(PageError(f"FIGURES = {shown(listed)}", "a tuple of names of letters, digits, "
                            "- and _", 'write FIGURES = ("to_line",)', path))
    return ()


def _unreadable(path: Path, found: str, needed: str, todo: str, line: int | None = None) -> Page:
    return Page(path.stem, errors=(PageError(found, needed, todo, str(path), line=line),))
