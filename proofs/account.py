"""What a finding says, in words and formulas: the same account for every writer.

Honesty is decided here and cannot be switched off: a line or a claim below `proved` carries a mark
and a word, undecided is never counted as passed, and what is printed is what the kernel checked.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from proofs.assumptions import SIGNS, Words, domains, facts, point
from proofs.reasons import Context, detail, names, reason, status
from proofs.report import Agreement, Finding, Report, StepResult, from_json
from symbolic.kernel.statement import Statement
from symbolic.kernel.statement import read as read_statement
from symbolic.kernel.term import Malformed, Term
from symbolic.writing.latex import latex_limit, latex_order
from symbolic.writing.names import name_latex

BADGES = ("proved", "proved where", "proved modulo", "certified", "tested", "open", "broken",
          "refuted")
STANDING = {
    "proved": "proved without conditions",
    "proved where": "proved under conditions that are printed",
    "proved modulo": "proved modulo cited results or axioms",
    "certified": "certified by rigorous enclosure",
    "tested": "tested at points only, not proved",
    "open": "open: not decided, not counted as passed",
    "broken": "broken: a step of the argument is false",
    "refuted": "refuted by a counterexample",
}
MARKED = {"certified": "certified", "tested": "tested", "unknown": "open", "refuted": "refuted"}
LONGEST = 500    # characters of a formula that is still printed twice, as a claim and as a chain


@dataclass(frozen=True)
class Row:
    """A line of a chain. `mark` is empty exactly when the line is proved; `formula` is None
    where the line could not be read, then `text` is printed."""

    number: int
    sign: str
    formula: str | None
    text: str
    mark: str
    reason: Words
    detail: Words


@dataclass(frozen=True)
class Account:
    """A finding as it is printed. Formulas are LaTeX; `start` is None where it is unreadable."""

    finding: Finding
    badge: str
    start: str | None
    whole: tuple[str, str] | None
    setting: Words
    facts: tuple[Words, ...]
    definitions: tuple[str, ...]
    rows: tuple[Row, ...]
    status: Words
    rests: Words
    where: tuple[Words, ...]
    witness: Words
    cites: tuple[str, ...]


def report_of(report: Report | dict) -> Report:
    """The report itself, or the one its JSON data describe; raises Unreadable."""
    return report if isinstance(report, Report) else from_json(json.dumps(report))


def badge(finding: Finding) -> str:
    """The word a finding is filed under; a false step makes an undecided claim broken."""
    if finding.level == "proved":
        if finding.rests_on:
            return "proved modulo"
        return "proved where" if finding.where else "proved"
    if finding.level == "unknown":
        return "broken" if any(s.level == "refuted" for s in finding.steps) else "open"
    return finding.level


def counts(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings stand under each badge; every badge is named, also with none."""
    found: dict[str, int] = {name: 0 for name in BADGES}
    for finding in findings:
        found[badge(finding)] += 1
    return found


def number(value: float) -> str:
    r"""A float as a LaTeX numeral: `0`, `0.25`, `1.4\times 10^{-16}`."""
    if value == 0:
        return "0"
    digits, power = f"{value:.1e}".split("e")
    if -3 <= int(power) <= 3:
        return f"{value:.3g}"
    front = "" if digits == "1.0" else rf"{digits}\times "
    return rf"{front}10^{{{int(power)}}}"


def agreement(row: Agreement) -> tuple[str, str, str, str]:
    """Points, largest error and tolerance as LaTeX, and the note; undecided points apart."""
    note = "; ".join(filter(None, (
        f"{row.undecided} more points undecided" if row.undecided else "", row.note)))
    if row.max_error is None:
        return "", "not run", "", note
    tolerance = "" if row.tolerance is None else f"${number(row.tolerance)}$"
    return str(row.points), f"${number(row.max_error)}$", tolerance, note


def account(finding: Finding) -> Account:
    """Everything a writer prints of one finding."""
    statements = [_statement(s.statement) for s in finding.steps]
    first = next((s for s in statements if s), None) or _declared(finding)
    context = Context(dict(first.symbols) if first else {})
    sides = [_sides(s, step) for s, step in zip(statements, finding.steps, strict=True)]
    start = context.latex(sides[0][0]) if sides and sides[0] else None
    debts = [*finding.rests_on, *(n for s in finding.steps for n in (*s.using, *s.rests_on))]
    kind = badge(finding)
    return Account(
        finding, kind, start, _whole(finding, sides, context),
        domains(first.symbols, context.latex) if first else _as_text(finding),
        facts(first.given, context.latex) if first else tuple(
            (("code", g),) for g in finding.given),
        _definitions(first, context), tuple(_rows(finding, statements, sides, context)),
        status(finding, kind, context), names(finding.rests_on),
        tuple((context.condition(w),) for w in finding.where),
        point(finding.witness or {}, context.sorts, context.value),
        tuple(dict.fromkeys(n[5:] for n in debts if n.startswith("cite:"))),
    )


def _statement(data: dict | None) -> Statement | None:
    try:
        return None if data is None else read_statement(data)
    except (Malformed, RecursionError):
        return None


def _declared(finding: Finding) -> Statement | None:
    """The symbols and facts of a claim without a chain, as a statement that says nothing else."""
    from symbolic.reading.domain import declare
    from symbolic.reading.names import ReadError
    from symbolic.reading.text import read_fact

    try:
        sorts, said, errors = declare(finding.symbols)
        given = [f for n in sorts for f in said[n]] + [
            read_fact(f, sorts) for f in finding.given]
    except (ReadError, RecursionError):
        return None
    return None if errors else Statement(
        tuple(sorts.items()), tuple(dict.fromkeys(given)), "=", 0, 0)


def _as_text(finding: Finding) -> Words:
    words: list[tuple[str, str]] = []
    for name, domain in finding.symbols.items():
        words += [("text", "; ")] if words else []
        words.append(("code", f"{name}: {domain}"))
    return tuple(words)


def _sides(statement: Statement | None, step: StepResult) -> tuple[Term, Term] | None:
    """Left and right as the page wrote them: `>=` and `>` were turned round when read."""
    if statement is None:
        return None
    if step.relation in (">=", ">"):
        return statement.right, statement.left
    return statement.left, statement.right


def _definitions(statement: Statement | None, context: Context) -> tuple[str, ...]:
    if statement is None:
        return ()
    shown = [f"{context.latex(('at', n, *i) if i else n)} = {context.latex(b)}"
             for n, i, b in statement.let]
    shown += [rf"\frac{{\partial}}{{\partial {name_latex(v)}}} {name_latex(n)} = "
              + context.latex(b) for n, v, b in statement.rates]
    return tuple(shown)


def _whole(finding: Finding, sides: list, context: Context) -> tuple[str, str] | None:
    """Start against last line with the weakest relation, for chains of several lines."""
    if len(sides) < 2 or not sides[0] or not sides[-1]:
        return None
    signs = [s.relation for s in finding.steps]
    sign = next((r for r in ("O", "psd", "<", ">", "<=", ">=") if r in signs), "=")
    last = finding.steps[-1]
    left = context.latex(sides[0][0])
    right = f"{SIGNS[sign]} {_right(sign, sides[-1][1], _statement(last.statement), context)}"
    return (left, right) if len(left) + len(right) <= LONGEST else None


def _right(relation: str, right: Term, statement: Statement | None, context: Context) -> str:
    if relation != "O" or statement is None or statement.limit is None:
        return context.latex(right)
    return rf"{latex_order(context.latex(right))}\quad ({latex_limit(statement.limit)})"


def _rows(finding: Finding, statements: list, sides: list, context: Context) -> Iterable[Row]:
    parts = zip(finding.steps, statements, sides, strict=True)
    for number_, (step, statement, pair) in enumerate(parts, 1):
        formula = _right(step.relation, pair[1], statement, context) if pair else None
        yield Row(number_, SIGNS.get(step.relation, "="), formula, step.right,
                  "" if step.level == "proved" else step.level,
                  reason(step, context), detail(step, context))


def place(path: str) -> str:
    """A page's path as print shows it: folders of somebody's machine are left out."""
    return Path(path).name if Path(path).is_absolute() else path
