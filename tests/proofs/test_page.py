"""Pages are loaded whatever is wrong with them: one error each, and the siblings go on."""

from pathlib import Path

import pytest

from proofs.page import expand, load, shipped

GOOD = '''"""Two sides.

More.
"""
from proofs import Claim, equals

SYMBOLS = {"x": "real"}
CLAIMS = (Claim(name="a", start="x + x", steps=(equals("2*x"),)),)
'''


def page(tmp_path: Path, text: str | bytes, name: str = "page.py"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path)


def test_a_python_page_is_run(tmp_path):
    found = page(tmp_path, GOOD)
    assert (found.title, [c.name for c in found.claims]) == ("Two sides.", ["a"])
    assert not found.errors and found.symbols == {"x": "real"}


def test_a_title_wins_over_the_docstring(tmp_path):
    assert page(tmp_path, GOOD + 'TITLE = "Mine"\n').title == "Mine"


@pytest.mark.parametrize(("text", "says", "line"), [
    ("CLAIMS = (1/0,)", "ZeroDivisionError", 1),
    ("x = 1\nraise SystemExit(3)", "SystemExit", 2),
    ("def f(:\n", "SyntaxError", 1),
    ("\nimport no_such_library", "ModuleNotFoundError", 2),
    ("x = 1", "no CLAIMS", None),
    ("CLAIMS = 3", "CLAIMS = 3", None),
    ("CLAIMS = (3,)", "found 3; needed a Claim", None),
    ("SYMBOLS = 3\nCLAIMS = ()", "SYMBOLS = 3", None),
    ("from proofs import Claim\nCLAIMS = (Claim('a'), Claim('a'))", "a second claim named a", None),
    ("from proofs import claim\n", "ImportError", 1),
    (b"\xff\xfe\x00", "SyntaxError", None),
])
def test_a_python_page_that_is_wrong_is_one_error(tmp_path, text, says, line):
    found = page(tmp_path, text)
    assert len(found.errors) == 1
    assert says in str(found.errors[0])
    assert str(tmp_path) in str(found.errors[0])
    if line:
        assert found.errors[0].line == line


@pytest.mark.parametrize(("name", "text", "says"), [
    ("a.toml", "title = ", "no TOML"),
    ("a.json", "{", "no JSON"),
    ("a.json", b"\xff\xfe", "no UTF-8 text"),
    ("a.txt", "x", "ending in '.txt'"),
])
def test_a_data_page_that_is_wrong_is_one_error(tmp_path, name, text, says):
    found = page(tmp_path, text, name)
    assert len(found.errors) == 1 and says in str(found.errors[0])


def test_a_file_that_is_not_there(tmp_path):
    for name in ("none.py", "none.toml"):
        (error,) = load(tmp_path / name).errors
        assert "No such file" in str(error) and name in str(error)


def test_a_folder_stands_for_its_pages(tmp_path):
    for name in ("b.toml", "a.py", "_hidden.py", "notes.md"):
        (tmp_path / name).write_text("")
    assert [p.name for p in expand([tmp_path])] == ["a.py", "b.toml"]
    assert all(p.suffix == ".py" or p.suffix in (".toml", ".json") for p in shipped())
