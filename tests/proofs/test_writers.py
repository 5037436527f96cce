"""The appendix: honest, harmless in any host paper, and within its margins."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from proofs.account import BADGES, account, badge, counts
from proofs.bibliography import entries, sentence
from proofs.report import Finding, PageResult, Report, StepResult, from_json
from proofs.writers import latex, markdown
from symbolic.kernel.statement import Statement
from symbolic.writing.formula import Foreign, parse, printed, width
from symbolic.writing.latex import COMMANDS as TERM_COMMANDS
from symbolic.writing.latex import latex as formula
from symbolic.writing.lines import pieces, stacked
from symbolic.writing.prose import escaped

SAMPLE = Path(__file__).parents[1] / "data" / "sample_report.json"
REAL = ("real",)
HOSTILE = ("\\input{/etc/passwd}", "100% sure", "$x$ and $$", "\\end{document}", "#1 ~ ^ _ & {",
           "\\write18{rm -rf /}", "é ő ß Ł ñ", "θ ≤ ∑ ∞ ℝ → “quoted” –", "中文 \u202e \x07", "?`!`",
           "<< >> ,, -- ---", "a\nb\n\nc\\par", "`" * 5, "|" * 9, "x" * 400, "^^5cinput", "\\")


@pytest.fixture(scope="module")
def sample():
    return from_json(SAMPLE.read_text(encoding="utf-8"))


# --- a report of sixty claims that no printer would like -----------------------------------------

def total(*parts):
    return ("+", *parts)


def symbols():
    family = ("family", REAL, ("range", "_", 1, "n"))
    square = ("matrix", "d", "d", "symmetric", "pd")
    return (("n", ("integer",)), ("d", ("integer",)), ("x", REAL), ("y", REAL), ("theta", family),
            ("A", ("family", REAL, ("range", "_", 1, "n"), ("range", "_", 1, "n"))),
            ("S1", square), ("S2", square), ("w_max", REAL), ("averylongvariablename", REAL))


def terms():
    """Terms that are long, tall or wide."""
    waves = [("*", k, ("sin", ("+", ("*", k, "x"), ("-", ("at", "theta", k)))))
             for k in range(2, 60)]
    wide = total(*waves[:30])
    double = ("sum", ("sum", ("*", ("at", "A", "u", "v"), ("^", ("sin", ("/", total(
        ("at", "theta", "u"), ("-", ("at", "theta", "v"))), 2)), 2)), "v", 1, "n"), "u", 1, "n")
    row = ("row", *(("/", ("exp", ("*", k, "x")), total(1, ("^", "y", k))) for k in range(1, 9)))
    short = ("row", "x", ("/", 1, 2))
    case = ("case", ("<", 0, "x"), total(*waves[:12]))
    return (
        total(*waves), ("*", wide, wide, double), ("/", wide, total(*waves[:20])),
        ("sqrt", ("/", wide, 3)), ("exp", ("-", wide)), ("^", ("e",), wide), ("^", wide, 3),
        ("sum", ("*", wide, double), "u", 1, "n"), ("matrix", row, row), ("matrix", short, short),
        ("cases", case, ("case", ("<=", "x", "y"), double), 0), ("log", ("/", double, wide)),
        ("*", "S1", ("inv", total("S1", "S2")), ("T", "S2"), "S1", "S2", ("inv", "S1"), "S2", "S1",
         ("inv", ("*", "S1", "S2", "S1", "S2", "S1", "S2", "S1", "S2", "S1", "S2", "S1", "S2"))),
        ("abs", total(*waves[:25])), ("diff", ("*", wide, double), "x"), ("max", *waves[:20]),
        ("*", *["averylongvariablename"] * 14), ("int", ("*", wide, "y"), "y", 0, ("oo",)),
        ("limit", ("/", wide, "y"), "y", 0, 1), 10 ** 300, ("delta", "n", "d"),
        ("binomial", wide, "n"), ("floor", ("/", wide, 7)), total("w_max", ("-", total("x", "y"))),
    )


def line(left, right, relation="=", level="proved", **more):
    turned = relation in (">=", ">")
    head = {">=": "<=", ">": "<"}.get(relation, relation)
    pair = (right, left) if turned else (left, right)
    limit = ("x", 0, 1) if relation == "O" else None
    given = (("<=", 1, "n"), ("all", ("<=", 0, ("at", "theta", "i")), ("range", "i", 1, "n")),
             ("all", ("<=", ("at", "theta", "i"), 7), ("range", "i", 1, "n")),
             ("<=", -5, "x"), ("<", "x", ("/", 5, 2)), ("!=", "y", 0))
    let = (("C", (), ("sum", ("at", "theta", "u"), "u", 1, "n")),
           ("D", ("t", "u"), ("*", ("at", "A", "t", "u"), "C")))
    stated = json.loads(json.dumps(Statement(symbols(), given, head, *pair, let, (), limit).json()))
    data = {"by": "normal", "note": "", "point": None, "seconds": 0.1, "certificate": None}
    return StepResult(**{**data, "relation": relation, "right": "...", "level": level,
                         "statement": stated, **more})


def finding(name, level, steps, **more):
    data = {"says": f"What {name} says, in words & signs: theta_t <= 100%.", "symbols": {},
            "given": (), "let": {}, "start": "...", "expect": "proved", "met": level == "proved",
            "rests_on": (), "where": (), "witness": None, "point": None, "left": None,
            "right": None, "seconds": 0.1, "agreement": ()}
    return Finding(**{**data, "name": name, "level": level, "steps": tuple(steps), **more})


def stress():
    found = []
    point = {"n": "2", "theta": ["0", "pi/2"], "A": [["1", "-1/2"], ["0", "sqrt(2)"]], "x": "1e"}
    kinds = ("proved", "proved", "unknown", "refuted", "certified", "tested")
    for k, (term, level) in enumerate(zip(terms() * 3, kinds * 12, strict=False)):
        far = terms()[(k + 7) % len(terms())]
        odd = line(term, far, ("<=", "<", "=", "O")[k % 4], level, point=point, tried=("normal",),
                   values=("1", "2"), margin="1e-3", derived=k % 2 == 0, note="no time " * 9,
                   using=("stress.0", "cite:nobody2020"), at={"x": "2*y"},
                   where=("x != 0",) if k % 5 == 0 else ())
        found.append(finding(
            f"stress.{k}", level, [line("x", term), odd, line(far, ("*", 2, "x"))][: 1 + k % 3 * 2],
            witness=point, point=point, left="1", right="2",
            where=("x != 0",) if k % 5 == 0 else (),
            rests_on=("cite:nobody2020", "axiom.tangent") if k % 4 == 0 else (),
            no_measure=None if k % 2 else HOSTILE[k % len(HOSTILE)], source=HOSTILE[k % 7],
            shortfall=(f"a reason {HOSTILE[k % 11]}",)))
    found += [finding(f"hostile.{k}.{text}", "unknown", [
        replace(line("x", "y"), right=text, statement=None, note=text, level="unknown")],
        says=text, start=text, source=text, note=text, no_measure=text, symbols={"x": text},
        given=(text,), where=(text,), rests_on=(text, f"cite:{text}"), witness={"x": text})
        for k, text in enumerate(HOSTILE)]
    pages = (PageResult("a/long/path/" * 12, "A page", ("an error",), tuple(found[:50])),
             PageResult(HOSTILE[0], HOSTILE[1], HOSTILE, tuple(found[50:])))
    return Report("attnproof", "0", "2026-11-30", 0, pages, interrupted=True)


# --- honesty ------------------------------------------------------------------------------------

def test_undecided_is_never_counted_as_passed(sample):
    found = counts(sample.findings)
    assert set(found) == set(BADGES) and sum(found.values()) == len(sample.findings)
    assert found["open"] == sum(badge(f) == "open" for f in sample.findings) > 0
    for text in (latex.write(sample), markdown.write(sample)):
        assert "open: not decided, not counted as passed" in text.replace(r"\apgap{}", "")


@pytest.mark.parametrize("level", ["certified", "tested", "unknown", "refuted"])
def test_a_line_that_is_not_proved_carries_mark_and_word(level):
    report = Report("t", "0", "d", 0, (PageResult("p", "", (), (
        finding("a.b", "unknown", [line("x", "y", level=level, point={"x": "1"})]),)),))
    word = {"unknown": "open"}.get(level, level)
    body = latex.write(report)
    assert re.search(rf"\\apstep{{\\apmark{level}}}.*\\apflag{{{word}}}", body)
    assert rf"\newcommand{{\apmark{level}}}" in latex.preamble()
    text = markdown.write(report)
    assert rf"\text{{{word}}}" in text and f"{markdown.SYMBOLS[level]} {word}" in text


def test_a_broken_claim_names_the_step_and_is_not_proved(sample):
    broken = next(f for f in sample.findings if badge(f) == "broken")
    assert account(broken).status[0][1].startswith("broken at step 2")
    assert r"\apflag{broken}" in latex.write(sample)
    assert "broken" in markdown.write(sample)


def test_a_refutation_prints_its_point_and_both_values(sample):
    body = latex.write(sample)
    assert re.search(r"false at \$t =2\$.*pi/2.*left \$=1\$; right \$=-1\$", body)


def test_proved_lines_carry_no_mark(sample):
    for told in map(account, sample.findings):
        for row, step in zip(told.rows, told.finding.steps, strict=True):
            assert (row.mark == "") == (step.level == "proved")


def test_what_is_needed_is_printed(sample):
    body = latex.write(sample)
    for needed in (r"\label{ap:kuramoto.K3.bound}", r"\label{ap:kuramoto.K3.bound.2}",
                   "right side derived by SymPy", "jax is not installed", "proved modulo [A1]",
                   r"\det(S_{1} + S_{2})", "margin 0", "No simulation", r"\apnote{Witness}",
                   r"\apitem{Assumptions.}", r"\apitem{Definitions.}", "[A1]", "disagrees"):
        assert needed.replace(" ", "") in body.replace(" ", "").replace(r"\apgap{}", ""), needed


def test_greater_signs_are_printed_as_the_page_wrote_them():
    told = account(finding("a", "proved", [line("x", "y", ">=")]))
    assert (told.start, told.rows[0].sign, told.rows[0].formula) == ("x", r"\ge", "y")


# --- harmless in any paper ----------------------------------------------------------------------

def test_every_command_is_on_the_list(sample):
    for report in (sample, stress()):
        body = latex.write(report)
        assert not latex.foreign(body)
        assert body.isascii()
        assert "documentclass" not in body.replace(r"$\backslash$", "")
        assert not re.search(r"\\(usepackage|input|write|newcommand|def)\b", body)
    assert {c.removeprefix("\\") for c in TERM_COMMANDS} <= latex.COMMANDS


def test_private_names_begin_with_ap():
    defined = re.findall(r"\\new(?:command|environment|counter|length|savebox)\{\\?(\w+)\}",
                         latex.preamble())
    assert defined and all(name.startswith("ap") for name in defined)
    assert set(latex.PRIVATE) <= set(defined)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_never_a_command(text):
    written = escaped(text)
    names = set(re.findall(r"\\([A-Za-z]+|.)", written))
    assert written.isascii() and names <= latex.COMMANDS and "\n" not in written
    assert len(re.findall(r"(?<!\\)\$", written)) % 2 == 0
    assert not re.search(r"(?<!\\)[%#&~]", written)


@pytest.mark.parametrize("formula", [r"\input{x}", r"\write18{x}", r"x % y", r"$x$", r"{x", r"x}",
                                     r"\begin{document}", r"\left(x", r"\frac{x}", "#1", "\\\\"])
def test_a_foreign_formula_is_refused(formula):
    with pytest.raises(Foreign):
        parse(formula)
    assert "^^" not in printed(parse("x^^5c"))


def test_labels_differ_even_where_names_clean_up_alike():
    assert len(set(latex._labels(["a%b", "a#b", "a-b"]).values())) == 3


def test_the_dict_of_a_report_is_as_good(sample):
    assert latex.write(json.loads(SAMPLE.read_text(encoding="utf-8"))) == latex.write(sample)


# --- lines --------------------------------------------------------------------------------------

def test_a_formula_prints_back_as_it_was():
    for term in terms():
        once = printed(parse(formula(term)))
        assert printed(parse(once)) == once


def test_lines_keep_their_width_and_lose_nothing():
    wave = formula(terms()[0])
    lines = stacked(wave, 40.0)
    assert len(lines) > 10 and all(width(parse(one)) <= 40.0 for one in lines)
    assert re.sub(r"[{}\s]", "", "".join(lines)) == re.sub(r"[{}\s]", "", printed(parse(wave)))


def test_brackets_are_cut_inside_when_there_is_no_other_place():
    parts = pieces(formula(("*", 2, terms()[0])), 20.0)
    assert len(parts) > 20 and max(p.width for p in parts) <= 21.0


def test_a_long_number_and_a_long_product_are_cut():
    for term in (10 ** 300, ("*", *["averylongvariablename"] * 14)):
        parts = pieces(formula(term), 25.0)
        assert len(parts) > 5 and max(p.width for p in parts) < 25.0


def test_a_formula_without_end_says_what_is_left_out():
    wave = total(*(("sin", ("*", k, "x")) for k in range(1, 1900)))
    assert "parts not printed" in " ".join(p.tex for p in pieces(formula(wave), 29.0))


# --- references ---------------------------------------------------------------------------------

def test_references_are_read_and_named():
    text = r"""@article{key1, author = {M{\"u}ller, Anna and Jos\'e Garc{\'\i}a and others},
      title = {On {Kuramoto} layers}, journal = "J. X", volume = 3, year = 2020, pages={1--2}}"""
    entry = entries(text)["key1"]
    assert sentence(entry) == ("Anna Müller and José García et al. On Kuramoto layers. "
                               "J. X 3, 1–2, 2020.")


# --- print --------------------------------------------------------------------------------------

def compile_pdf(folder, source):
    if shutil.which("latexmk") is None or shutil.which("pdflatex") is None:
        pytest.skip("no TeX here: install latexmk and pdflatex to print the appendix")
    (folder / "paper.tex").write_text(source, encoding="utf-8")
    run = subprocess.run(["latexmk", "-pdf", "-halt-on-error", "-interaction=nonstopmode",
                          "paper.tex"], cwd=folder, capture_output=True, text=True, timeout=240)
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert run.returncode == 0, log[max(0, log.find("\n! ")):][:600]
    return re.findall(r"^.*(?:Warning|Overfull|Underfull).*$", log, re.MULTILINE)


def host(options, head, body="body"):
    return "\n".join((rf"\documentclass{options}", head, r"\input{ap-preamble}",
                      r"\input{ap-preamble}", r"\begin{document}", "Text before.",
                      r"\appendix", r"\section{Proofs}", rf"\input{{{body}}}", "Text after.",
                      r"\end{document}", ""))


@pytest.mark.parametrize(("options", "head"), [
    ("{article}", ""),
    ("[11pt,a4paper]{article}",
     r"\usepackage{amsthm}\newtheorem{claim}{Claim}\usepackage[fleqn]{amsmath}"),
    ("[twocolumn]{article}", r"\usepackage{hyperref}"),
], ids=["plain", "theorems", "two columns"])
def test_a_host_paper_inputs_the_body_without_a_warning(tmp_path, sample, options, head):
    (tmp_path / "ap-preamble.tex").write_text(latex.preamble())
    (tmp_path / "body.tex").write_text(latex.write(sample))
    assert not compile_pdf(tmp_path, host(options, head))


def test_sixty_unruly_claims_stay_within_the_margins(tmp_path):
    (tmp_path / "ap-preamble.tex").write_text(latex.preamble())
    (tmp_path / "body.tex").write_text(latex.write(stress()))
    assert not compile_pdf(tmp_path, host("{article}", ""))


def test_the_plain_article_compiles_without_a_warning(tmp_path, sample):
    assert not compile_pdf(tmp_path, latex.standalone(sample))


# --- markdown -----------------------------------------------------------------------------------

def test_markdown_of_hostile_text_has_no_markup_of_its_own():
    text = markdown.write(stress())
    assert text.count("```") % 2 == 0 and "<script" not in text
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text, flags=re.DOTALL)
    assert all(" " in m or m.count("$") == 2 for m in re.findall(r"\$[^$\n]*\$", outside))


def test_markdown_spells_spaces_in_letters():
    assert markdown.inline(r"x\, \left\{y\right\} < z") == (
        r"$x\thinspace \left\lbrace y\right\rbrace \lt z$")


def test_every_method_has_words():
    from proofs.reasons import METHODS
    from symbolic.prove import methods
    assert set(methods()) <= METHODS.keys()
