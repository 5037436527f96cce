"""The appendix as Markdown: formulas for GitHub, one line of a chain on one line of text.

Inline formulas use only commands that begin with a letter, since `\\,` or `\\\\` between dollars
would lose their backslash. Text is escaped: none of it is markup.
"""

import re

from proofs.account import (
    BADGES,
    MARKED,
    STANDING,
    Account,
    Words,
    account,
    agreement,
    badge,
    counts,
    place,
    report_of,
)
from proofs.bibliography import references, sentence
from proofs.report import Finding, PageResult, Report
from symbolic.writing.formula import Foreign, parse
from symbolic.writing.lines import stacked

ROOM = 60.0      # em of a line of a displayed formula
SPELLED = {r"\,": r"\thinspace ", r"\:": r"\medspace ", r"\;": r"\thickspace ", r"\ ": "~",
           r"\!": r"\negthinspace ", r"\{": r"\lbrace ", r"\}": r"\rbrace ", r"\|": r"\Vert ",
           r"\\": r"\cr "}
SYMBOLS = {"certified": "◇", "tested": "≈", "unknown": "?", "refuted": "✗"}
UNPRINTABLE = "[a formula that cannot be printed]"


def write(report: Report | dict) -> str:
    """The appendix as Markdown, for GitHub and for a terminal."""
    report = report_of(report)
    accounts = [account(f) for f in report.findings]
    keys = list(dict.fromkeys(k for a in accounts for k in a.cites))
    known = {"claims": _anchors(report), "cites": {k: f"A{n}" for n, k in enumerate(keys, 1)}}
    parts = ["# Machine-checked derivations", _head(report), _summary(report, known)]
    told = enumerate(accounts, 1)
    for page in report.pages:
        parts.append(_page(page))
        parts += [_claim(*next(told), known) for _ in page.findings]
    if keys:
        parts.append(_bibliography(keys, known))
    return "\n\n".join(p for p in parts if p) + "\n"


def _anchors(report: Report) -> dict[str, tuple[int, str]]:
    """Number and anchor of each claim, as GitHub makes anchors from headings."""
    return {f.name: (k, re.sub(r"[^\w\- ]", "", f"claim {k} {f.name}".lower()).replace(" ", "-"))
            for k, f in enumerate(report.findings, 1)}


def escaped(text: str) -> str:
    """Text in which no character is markup, on one line."""
    text = " ".join(text.split())
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("$", "&#36;")
    text = re.sub(r"([\\`*_{}\[\]#|~!])", r"\\\1", text)
    return re.sub(r"^([-+>]|\d+[.)])", r"\\\1", text)


def code(text: str) -> str:
    """Text as a code span whose fence is longer than any run of backticks in it."""
    text = " ".join(text.split()) or " "
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def inline(tex: str) -> str:
    """A formula between dollars."""
    try:
        parse(tex)
    except (Foreign, RecursionError):
        return UNPRINTABLE
    tex = re.sub(r"\\[^A-Za-z]", lambda m: SPELLED.get(m.group(0), m.group(0)), tex)
    tex = tex.replace("|", r"\vert ").replace("<", r"\lt ")
    return f"${re.sub(' +', ' ', tex).strip()}$"


def _words(words: Words, known: dict) -> str:
    kinds = {"text": _spaced, "code": code, "math": inline,
             "cite": lambda k: f"\\[{known['cites'].get(k, '?')}\\]",
             "claim": lambda n: _claim_name(n, known)}
    return "".join(kinds[kind](content) for kind, content in words)


def _spaced(text: str) -> str:
    """Escaped text that keeps the spaces at its ends."""
    return (" " if text[:1] == " " else "") + escaped(text) + (" " if text[1:][-1:] == " " else "")


def _claim_name(name: str, known: dict) -> str:
    if name in known["claims"]:
        place, anchor = known["claims"][name]
        return f"[claim {place}](#{anchor})"
    return code(name)


def _head(report: Report) -> str:
    text = (f"Written by {report.tool} {report.version} from its report of {report.date} (seed "
            f"{report.seed}). Each line was checked by the kernel from a certificate kept in that "
            "report, unless it is marked.")
    if report.interrupted:
        text += " The run was interrupted: claims that were not reached are missing."
    marks = ", ".join(f"{SYMBOLS[level]} {word}" for level, word in MARKED.items())
    return f"{escaped(text)} Marks of what is not proved: {marks}."


def _summary(report: Report, known: dict) -> str:
    found = counts(report.findings)
    rows = [f"| {found[b]} | {STANDING[b]} |" for b in BADGES
            if found[b] or b in ("proved", "open", "refuted")]
    unread = sum(len(p.errors) for p in report.pages)
    if unread:
        rows.append(f"| {unread} | errors of reading: these claims were not checked |")
    table = ["| | claim | standing |", "|---:|:---|:---|"]
    for name, (k, anchor) in known["claims"].items():
        finding = next(f for f in report.findings if f.name == name)
        table.append(f"| {k} | [{escaped(name)}](#{anchor}) | {_flag(finding)} |")
    head = [f"## Summary: {len(report.findings)} claims", "", "| claims | standing |",
            "|---:|:---|"]
    return "\n".join([*head, *rows, "", *table])


def _flag(finding: Finding) -> str:
    kind = badge(finding)
    text = kind if finding.level == "proved" else f"**{SYMBOLS[finding.level]} {kind}**"
    return text if finding.met else f"{text}, **falls short**"


def _page(page: PageResult) -> str:
    title = (page.title or place(page.path)).rstrip(".")
    lines = [f"## {escaped(title)}", "", code(place(page.path))]
    lines += [f"\n**Not read:** {escaped(e)}" for e in page.errors]
    return "\n".join(lines)


def _claim(place: int, told: Account, known: dict) -> str:
    finding = told.finding
    parts = [f"### Claim {place} {escaped(finding.name)}", f"**Level:** {_flag(finding)}."]
    if finding.says:
        parts.append(f"*{escaped(finding.says)}*")
    if told.setting:
        text = f"**Assumptions.** Let {_words(told.setting, known)}."
        if told.facts:
            text += f" Assume {', '.join(_words(f, known) for f in told.facts)}."
        parts.append(text)
    if told.definitions:
        parts.append(f"**Definitions.** Here {', '.join(map(inline, told.definitions))}.")
    if told.whole:
        parts.append(_display([" ".join(told.whole)]))
    parts += [_chain(place, told), _reasons(place, told, known), _standing(told, known)]
    return "\n\n".join(p for p in parts if p)


def _display(rows: list[str]) -> str:
    lines: list[str] = []
    for row in rows:
        lines += stacked(row, ROOM)
    if len(lines) == 1:
        return f"```math\n{lines[0]}\n```"
    body = " \\\\\n".join([lines[0], *(f"\\quad {line}" for line in lines[1:])])
    return "```math\n\\begin{gathered}\n" + body + "\n\\end{gathered}\n```"


def _chain(place: int, told: Account) -> str:
    """The chain, aligned at its relations; as plain text where a line could not be read."""
    if not told.rows:
        return ""
    if told.start is None or any(row.formula is None for row in told.rows):
        rows = [told.finding.start or ""] + [
            f"  {s.relation} {s.right}    ({place}.{k})"
            for k, s in enumerate(told.finding.steps, 1)]
        return _fenced(rows)
    try:
        lines = stacked(told.start, ROOM)
        body = [line + " & \\\\" if k else line for k, line in enumerate(lines[:-1])]
        body = [f"& {line} \\\\" for line in lines[:-1]] + [f"& {lines[-1]} \\\\"]
        for row in told.rows:
            first, *more = stacked(row.formula or "", ROOM)
            word = f"\\ \\text{{{MARKED[row.mark]}}}" if row.mark else ""
            body.append(f"{row.sign} & {first} "
                        + ("\\\\ " if more else f"&& ({place}.{row.number}){word} \\\\"))
            body += [f"& \\quad {line} \\\\" for line in more[:-1]]
            if more:
                body.append(f"& \\quad {more[-1]} && ({place}.{row.number}){word} \\\\")
    except (Foreign, RecursionError):
        return UNPRINTABLE
    body[-1] = body[-1].removesuffix(" \\\\")
    return "```math\n\\begin{aligned}\n" + "\n".join(body) + "\n\\end{aligned}\n```"


def _fenced(rows: list[str]) -> str:
    text = "\n".join(" ".join(r.splitlines()) for r in rows)
    fence = "`" * max(3, 1 + max((len(r) for r in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def _reasons(place: int, told: Account, known: dict) -> str:
    lines = []
    for row in told.rows:
        flag = f"**{SYMBOLS[row.mark]} {MARKED[row.mark]}** " if row.mark else ""
        words = "; ".join(_words(w, known) for w in (row.reason, row.detail) if w)
        lines.append(f"- ({place}.{row.number}) {flag}{words}".rstrip())
    return "\n".join(lines)


def _standing(told: Account, known: dict) -> str:
    finding = told.finding
    level = _words(told.status, known)
    if not finding.met:
        level += escaped("; ".join(
            (f"; falls short of the level expected ({finding.expect})", *finding.shortfall)))
    lines = [f"- **Standing:** {level.rstrip('.')}."]
    if told.rests:
        lines.append(f"- **Rests on:** {_words(told.rests, known)}.")
    if told.where:
        lines.append(f"- **Conditions:** {', '.join(_words(w, known) for w in told.where)}.")
    if told.witness:
        lines.append(f"- **Witness:** {_words(told.witness, known)}.")
    if finding.no_measure:
        lines.append(f"- **No simulation:** {escaped(finding.no_measure.rstrip('.'))}.")
    if finding.source:
        lines.append(f"- **Source:** {escaped(finding.source.rstrip('.'))}.")
    return "\n".join(lines) + _agreement(finding)


def _agreement(finding: Finding) -> str:
    if not finding.agreement:
        return ""
    rows = ["\n\n| numeric agreement | points | largest error | tolerance | |",
            "|:---|---:|---:|---:|:---|"]
    for row in finding.agreement:
        note = ("" if row.agrees else "**disagrees** ") + escaped(agreement(row)[3])
        rows.append(f"| {code(row.backend)} | {' | '.join(agreement(row)[:3])} | {note} |")
    return "\n".join(rows)


def _bibliography(keys: list[str], known: dict) -> str:
    found = references()
    rows = ["## References of this appendix", ""]
    for key in keys:
        entry = escaped(sentence(found[key])) if key in found else f"{code(key)} (no entry)"
        rows.append(f"- \\[{known['cites'][key]}\\] {entry}")
    return "\n".join(rows)
