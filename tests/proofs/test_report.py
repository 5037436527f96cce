"""A report is written whole, read strictly, and says the same before and after."""

import json
from dataclasses import replace

import pytest

from proofs.report import (
    Agreement,
    Finding,
    PageResult,
    Report,
    StepResult,
    Unreadable,
    from_json,
    read,
    to_json,
    write,
)
from proofs.writers import json as json_writer

KEYS = {  # design, section 6: stable
    "report": {"tool", "version", "date", "seed", "pages"},
    "page": {"path", "title", "errors", "findings"},
    "finding": {"name", "says", "symbols", "given", "let", "start", "level", "expect", "met",
                "rests_on", "where", "witness", "point", "left", "right", "seconds", "steps",
                "agreement"},
    "step": {"relation", "right", "by", "level", "note", "point", "seconds", "certificate"},
    "agreement": {"backend", "max_error", "points"},
}


def sample() -> Report:
    term = 0
    for _ in range(390):  # near the deepest term of the language
        term = ("sin", term)
    step = StepResult("=", "x", "normal", "proved", "", None, 0.1,
                      {"hash": "ab", "rule": "normal"}, {"left": term, "right": "x"})
    finding = Finding(
        "kuramoto.a", "says α ≤ β", {"x": "real"}, ("x != 0",), {}, "x", "proved", "proved", True,
        (), (), {"x": "1/2", "w": [["1", "pi/4"]]}, None, None, None, 0.1, (step, step),
        (Agreement("numpy64", 1e-16, 8), Agreement("torch64", None, 0, note="not run")),
        whole=step)
    return Report("attnproof", "0.1.0", "2026-01-01T00:00:00+00:00", 7,
                  (PageResult("a.py", "A", ("an error",), (finding,)),
                   PageResult("b.py", "B", (), ())))


def test_what_is_read_is_what_was_written(tmp_path):
    path = tmp_path / "deep" / "report.json"
    write(sample(), path)
    again = read(path)
    assert to_json(again) == to_json(sample()) == json_writer.write(sample())
    assert again.pages[0].findings[0].witness == {"x": "1/2", "w": [["1", "pi/4"]]}
    assert list(path.parent.iterdir()) == [path], "no temporary file is left"


def test_the_keys_are_those_agreed_on():
    data = json.loads(to_json(sample()))
    page = data["pages"][0]
    finding = page["findings"][0]
    found = {"report": data, "page": page, "finding": finding, "step": finding["steps"][0],
             "agreement": finding["agreement"][0]}
    for name, keys in KEYS.items():
        assert keys <= set(found[name]), name


def test_a_failed_write_leaves_the_old_report(tmp_path):
    path = tmp_path / "report.json"
    write(sample(), path)
    broken = replace(sample(), seed=float("nan"))
    with pytest.raises(ValueError):
        write(broken, path)
    assert read(path).seed == 7
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("old", "new", "says"), [
    ('"level": "proved"', '"level": "great"', "needed one of proved"),
    ('"expect": "proved"', '"expect": "refutedd"', "needed one of"),
    ('"seed": 7', '"seed": "7"', "report.seed: found \"7\"; needed a whole number"),
    ('"seed": 7', '"seed": true', "needed a whole number"),
    ('"met": true', '"met": 1', "needed true or false"),
    ('"seconds": 0.1', '"seconds": null', "needed a number"),
    ('"seconds": 0.1', '"seconds": NaN', "no number of a report"),
    ('"tool"', '"tol"', "found no 'tool'"),
    ('"says"', '"extra": 1, "says"', "found the unknown key 'extra'"),
    ('"given": ["x != 0"]', '"given": [3]', "given[0]: found 3; needed text"),
    ('"pages": [', '"pages": ', "not JSON"),
    ("{", "[" * 100_000, "not JSON"),
])
def test_anything_else_is_refused_with_its_place(old, new, says):
    text = to_json(sample()).replace(old, new, 1)
    with pytest.raises(Unreadable) as caught:
        from_json(text)
    assert says in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(Unreadable, match="not UTF-8"):
        read(path)


def test_exit_codes():
    report = sample()
    assert report.code == 2  # a page has errors
    clean = replace(report, pages=(replace(report.pages[0], errors=()),))
    assert clean.code == 0
    short = replace(clean.pages[0].findings[0], met=False)
    assert replace(clean, pages=(replace(clean.pages[0], findings=(short,)),)).code == 1
