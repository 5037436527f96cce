"""A folder is a table: every row keeps its folder's promise."""

from importlib import import_module
from pathlib import Path

import pytest

from symbolic.table import table

ROOT = Path(__file__).parents[1]
TABLES = {
    "symbolic.methods": ("find",),
    "symbolic.kernel.rules": ("check",),
    "numeric.backends": ("evaluate",),
    "numeric.attention": ("forward",),
    "proofs.claims": ("CLAIMS",),
    "proofs.writers": ("write",),
}
ROWS = [(package, path.stem) for package in TABLES
        for path in sorted((ROOT / package.replace(".", "/")).glob("[!_]*.py"))]


@pytest.mark.parametrize(("package", "row"), ROWS, ids=lambda value: str(value))
def test_every_row_keeps_the_promise(package, row):
    module = import_module(f"{package}.{row}")
    for name in TABLES[package]:
        assert hasattr(module, name), f"{package}.{row} must define {name}"
    assert (module.__doc__ or "").strip(), f"{package}.{row} must say what it is"


@pytest.mark.parametrize("package", TABLES)
def test_the_table_finds_every_file(package):
    rows = table(import_module(package), *TABLES[package])
    assert sorted(rows) == sorted(row for folder, row in ROWS if folder == package)


def folder(tmp_path, monkeypatch, name, **files):
    where = tmp_path / name
    where.mkdir()
    (where / "__init__.py").write_text("")
    for stem, text in files.items():
        (where / f"{stem}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return import_module(name)


def test_a_row_is_there_because_its_file_is(tmp_path, monkeypatch):
    package = folder(tmp_path, monkeypatch, "rows_kept", one="def find(s): return s\n",
                     _private="")
    assert table(package, "find")["one"].find(3) == 3
    assert list(table(package, "find")) == ["one"]


def test_a_row_that_misses_its_function_is_named(tmp_path, monkeypatch):
    package = folder(tmp_path, monkeypatch, "rows_missed", good="def find(s): return s\n",
                     poor="x = 1\n")
    with pytest.raises(TypeError, match=r"poor\.py: found no find.*add it there"):
        table(package, "find")
