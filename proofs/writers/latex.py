"""The appendix of a paper: a body for \\input, its preamble, and a plain article around both.

The body has no \\documentclass and no \\usepackage, uses no command outside COMMANDS, and its
labels are `ap:<claim>` and `ap:<claim>.<step>`. Marks of what is not proved cannot be left out.
"""

import re
from pathlib import Path

from proofs.account import (
    BADGES,
    MARKED,
    STANDING,
    Account,
    Row,
    Words,
    account,
    agreement,
    badge,
    counts,
    place,
    report_of,
)
from proofs.bibliography import references, sentence
from proofs.report import FIGURE, Finding, PageResult, Report
from symbolic.writing import formula, glyphs, lines, prose

PREAMBLE = Path(__file__).with_name("preamble.tex")
ROOM = 28.0      # em that a part of a formula may take: the line of an article at 10 pt, indented
SURE = 16.0      # em of a part that need not be measured again by TeX
WORD = 8.0       # em of a formula that is not cut at all
PRIVATE = frozenset(
    [
    "apgap", "apcut", "apdot", "apfit", "apcode", "appage", "apheading", "approse",
    "apbadge", "apflag", "apsays", "apitem", "apdefine", "apnote", "apdisplay", "apstart",
    "apstep", "aprule", "aprow", "apcount", "apagree", "apagreement", "apentry",
    "apfigure", "apmarkcertified", "apmarktested", "apmarkunknown", "apmarkrefuted"])
BREAKS = {"": "", "+": r"\apcut ", "*": r"\apdot ", "0": r"\apgap "}
COMMANDS = (PRIVATE | glyphs.COMMANDS | prose.COMMANDS
            | {"label", "ref", "pageref", "begin", "end"})
ENVIRONMENTS = frozenset({"apappendix", "apclaim", "apchain", *glyphs.ENVIRONMENTS})


def preamble() -> str:
    """What a host paper loads once, or twice without harm, before its document begins."""
    return PREAMBLE.read_text(encoding="utf-8")


def write(report: Report | dict) -> str:
    """The body of the appendix. Raises Foreign if it would use a command outside COMMANDS."""
    report = report_of(report)
    accounts = [account(f) for f in report.findings]
    labels = _labels([f.name for f in report.findings])
    keys = list(dict.fromkeys(k for a in accounts for k in a.cites))
    known = {"claims": labels, "cites": {k: f"A{n}" for n, k in enumerate(keys, 1)}}
    parts = [r"\begin{apappendix}", _head(report), _summary(report, known)]
    told = iter(accounts)
    for page in report.pages:
        parts.append(_page(page))
        parts += [_claim(next(told), known) for _ in page.findings]
        parts += [rf"\apfigure{{{name}}}" for name in page.figures if FIGURE.fullmatch(name)]
    parts += [_bibliography(keys, known), r"\end{apappendix}"]
    body = "\n".join(p for p in parts if p) + "\n"
    strangers = foreign(body)
    if strangers:
        raise formula.Foreign(f"the appendix would use {', '.join(sorted(strangers))}")
    return body


def standalone(report: Report | dict) -> str:
    """A plain article that shows the appendix alone."""
    return "\n".join((
        r"\documentclass[10pt]{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{lmodern}",
        preamble(), r"\begin{document}", r"\appendix", r"\section{Machine-checked derivations}",
        write(report), r"\end{document}", ""))


def foreign(body: str) -> set[str]:
    """The commands and environments of a body that are on no list."""
    names = {m.group(1) for m in re.finditer(r"\\([A-Za-z]+|.)", body, re.DOTALL)}
    closed = {m.group(1) for m in re.finditer(r"\\(?:begin|end)\{([^}]*)\}", body)}
    return {f"\\{n}" for n in names - COMMANDS} | {f"{{{e}}}" for e in closed - ENVIRONMENTS}


def _labels(names: list[str]) -> dict[str, str]:
    """One label a claim, of letters, digits, dots and hyphens, no two alike."""
    found: dict[str, str] = {}
    for name in names:
        label = base = "ap:" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        while label in found.values():
            label = f"{base}-{len(found)}"
        found.setdefault(name, label)
    return found


def _text(text: str) -> str:
    return prose.escaped(text, r"\apgap{}")


def _code(text: str) -> str:
    return rf"\apcode{{{prose.escaped(text, chr(92) + 'apgap{}', 10)}}}"


def math(tex: str) -> str:
    """A formula for the margin of a line: cut where it may be broken, nothing foreign in it."""
    try:
        parts = lines.pieces(tex, ROOM)
    except (formula.Foreign, RecursionError):
        return r"\text{[a formula that cannot be printed]}"
    if sum(piece.width for piece in parts) < WORD:
        return " ".join(piece.tex for piece in parts)
    out = ""
    for piece in parts:
        glue = BREAKS[piece.before] if out else ""
        sign = "{}" if piece.before == "+" else ""
        out += glue + (piece.tex if piece.width < SURE else rf"\apfit{{{sign}{piece.tex}}}") + " "
    return out.strip()


def _words(words: Words, known: dict) -> str:
    kinds = {"text": _text, "code": _code, "math": lambda t: f"${math(t)}$",
             "cite": lambda k: f"[{known['cites'].get(k, '?')}]",
             "claim": lambda n: _claim_name(n, known)}
    return "".join(kinds[kind](content) for kind, content in words)


def _claim_name(name: str, known: dict) -> str:
    if name in known["claims"]:
        return rf"Claim~\ref{{{known['claims'][name]}}}"
    return _code(name)


def _head(report: Report) -> str:
    text = (f"Written by {report.tool} {report.version} from its report of {report.date} (seed "
            f"{report.seed}). Each line was checked by the kernel from a certificate kept in that "
            "report, unless it is marked.")
    if report.interrupted:
        text += " The run was interrupted: claims that were not reached are missing."
    return rf"\approse{{{_text(text)} {_legend()}}}"


def _legend() -> str:
    marks = ", ".join(rf"\apmark{level}~{word}" for level, word in MARKED.items())
    return f"Marks in the margin of what is not proved: {marks}."


def _summary(report: Report, known: dict) -> str:
    found = counts(report.findings)
    rows = [rf"\apcount{{{found[b]}}}{{{_text(STANDING[b])}}}" for b in BADGES
            if found[b] or b in ("proved", "open", "refuted")]
    total = rf"\apheading{{Summary: {len(report.findings)} claims}}"
    unread = sum(len(p.errors) for p in report.pages)
    if unread:
        rows.append(rf"\apcount{{{unread}}}{{errors of reading: these claims were not checked}}")
    table = [r"\apheading{Claims}", r"\aprow{}{claim}{standing}{page}", r"\aprule"]
    for finding in report.findings:
        label = known["claims"][finding.name]
        table.append(rf"\aprow{{\ref{{{label}}}}}{{{_code(finding.name)}}}{{{_flag(finding)}}}"
                     rf"{{\pageref{{{label}}}}}")
    return "\n".join([total, *rows, *(table if report.findings else [])])


def _flag(finding: Finding) -> str:
    kind = badge(finding)
    fitting = kind in ("proved", "proved where", "proved modulo")
    text = rf"\apbadge{{{kind}}}" if fitting else rf"\apflag{{{kind}}}"
    return text if finding.met else text + r"\ \apflag{falls short}"


def _page(page: PageResult) -> str:
    title = (page.title or place(page.path)).rstrip(".")
    text = rf"\appage{{{_text(title)}}}{{{_code(place(page.path))}}}"
    for error in page.errors:
        text += "\n" + rf"\apnote{{Not read}}{{{_text(error)}}}"
    return text


def _claim(told: Account, known: dict) -> str:
    finding = told.finding
    label = known["claims"][finding.name]
    parts = [rf"\begin{{apclaim}}{{{prose.escaped(finding.name, chr(92) + 'apgap{}')}}}"
             rf"{{{_flag(finding)}}}{{\label{{{label}}}}}"]
    if finding.says:
        parts.append(rf"\apsays{{{_text(finding.says)}}}")
    parts += _setting(told, known)
    if told.whole:
        mark = "" if finding.level == "proved" else rf"\apmark{finding.level}"
        parts.append(rf"\apdisplay{{{mark}}}{{{math(told.whole[0])}}}{{{math(told.whole[1])}}}")
    parts += _chain(told, label, known)
    parts += _standing(told, known)
    return "\n".join((*parts, r"\end{apclaim}"))


def _setting(told: Account, known: dict) -> list[str]:
    parts = []
    if told.setting:
        text = f"Let {_words(told.setting, known)}."
        if told.facts:
            text += f" Assume {', '.join(_words(f, known) for f in told.facts)}."
        parts.append(rf"\apitem{{Assumptions.}}{{{text}}}")
    if told.definitions:
        text = ", ".join(rf"\apdefine{{{math(d)}}}" for d in told.definitions)
        parts.append(rf"\apitem{{Definitions.}}{{Here {text}.}}")
    return parts


def _chain(told: Account, label: str, known: dict) -> list[str]:
    if not told.rows:
        return []
    start = told.finding.start or ""
    first = math(told.start) if told.start is not None else f"$ {_code(start)}${{}}"
    parts = [r"\begin{apchain}", rf"\apstart{{{first}}}"]
    parts += [_step(row, label, known) for row in told.rows]
    return [*parts, r"\end{apchain}"]


def _step(row: Row, label: str, known: dict) -> str:
    mark = rf"\apmark{row.mark}" if row.mark else ""
    side = math(f"{row.sign} {row.formula}") if row.formula is not None else (
        f"{row.sign}$ {_code(row.text)}${{}}")
    flag = rf"\apflag{{{MARKED[row.mark]}}} " if row.mark else ""
    words = flag + "; ".join(_words(w, known) for w in (row.reason, row.detail) if w)
    return rf"\apstep{{{mark}}}{{{side}}}{{\label{{{label}.{row.number}}}}}{{{words}}}"


def _standing(told: Account, known: dict) -> list[str]:
    finding = told.finding
    parts = [rf"\apnote{{Level}}{{{_words(told.status, known)}{_shortfall(finding)}.}}"]
    if told.rests and told.badge != "proved modulo":
        parts.append(rf"\apnote{{Rests on}}{{{_words(told.rests, known)}.}}")
    if told.where and finding.level != "proved":
        text = ", ".join(_words(w, known) for w in told.where)
        parts.append(rf"\apnote{{Conditions}}{{{text}.}}")
    if told.witness:
        parts.append(rf"\apnote{{Witness}}{{{_words(told.witness, known)}.}}")
    parts += _agreement(finding)
    if finding.source:
        parts.append(rf"\apnote{{Source}}{{{_text(finding.source.rstrip('.'))}.}}")
    return parts


def _shortfall(finding: Finding) -> str:
    if finding.met:
        return ""
    text = f"; falls short of the level expected ({finding.expect})"
    return _text("; ".join((text, *finding.shortfall)).rstrip("."))


def _agreement(finding: Finding) -> list[str]:
    parts = []
    if finding.agreement:
        parts.append(r"\apagreement")
        for row in finding.agreement:
            points, error, tolerance, note = agreement(row)
            flag = "" if row.agrees else r"\apflag{disagrees}\ "
            parts.append(rf"\apagree{{{_code(row.backend)}}}{{{points}}}{{{error}}}{{{tolerance}}}"
                         rf"{{{flag}{_text(note)}}}")
    if finding.no_measure:
        parts.append(rf"\apnote{{No simulation}}{{{_text(finding.no_measure.rstrip('.'))}.}}")
    return parts


def _bibliography(keys: list[str], known: dict) -> str:
    if not keys:
        return ""
    found = references()
    rows = [r"\apheading{References of this appendix}"]
    for key in keys:
        entry = _text(sentence(found[key])) if key in found else _code(key) + " (no entry)"
        rows.append(rf"\apentry{{{known['cites'][key]}}}{{{entry}}}")
    return "\n".join(rows)
