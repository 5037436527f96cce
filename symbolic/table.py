"""A folder is a table: its files are the rows, the functions agreed on are the columns."""

from importlib import import_module
from pathlib import Path
from types import ModuleType


def table(package: ModuleType, *agreed: str) -> dict[str, ModuleType]:
    """The modules of a package folder by name; each must define every name agreed on.

    Raises TypeError naming the file and what it misses, so that no row is dropped in silence.
    """
    rows = {}
    for file in sorted(Path(package.__path__[0]).glob("[!_]*.py")):
        rows[file.stem] = module = import_module(f"{package.__name__}.{file.stem}")
        missing = [name for name in agreed if not hasattr(module, name)]
        if missing:
            raise TypeError(f"{file}: found no {', '.join(missing)}; every file of "
                            f"{package.__name__} must define {', '.join(agreed)}: add it there")
    return rows
