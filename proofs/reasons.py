"""Why a line holds and how a claim stands, in words: methods, lemmas, debts, counterexamples.

Texts of a report are read back as terms so that they print as formulas; what cannot be read is
printed as it is.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from proofs.assumptions import Words, point, relation
from proofs.report import Finding, StepResult
from symbolic.kernel.term import Malformed, Term
from symbolic.reading.names import ReadError
from symbolic.reading.text import read_fact, read_term
from symbolic.writing.latex import latex
from symbolic.writing.names import name_latex

METHODS = {
    "normal": "exact normal form", "sign": "signs of the factors", "shape": "signs and squares",
    "linear": "combination of the facts", "combination": "combination of the facts",
    "squares": "sum of squares", "gram": "squares of vectors", "cleared": "denominators cleared",
    "jensen": "convexity", "mean": "inequality of the means",
    "tangent": "tangents",
    "cases": "case split", "split": "case split", "eliminate": "substitution from the facts",
    "vector": "quadratic form", "telescope": "telescoping sum", "induction": "induction",
    "calculus": "signs of derivatives", "limits": "expansion at the end point",
    "taylor": "expansion at the end point", "bounded": "explicit constant",
    "enclosure": "interval enclosure", "transfer": "equal value", "chain": "chain",
    "gather": "term by term in one sum", "increasing": "an increasing function of both sides",
    "quadratic": "squares of vectors by Gram matrices", "congruence": "sum of congruences",
    "trace": "traces of semidefinite products", "cauchy": "Cauchy and Schwarz",
    "bilinear": "values at all pairs of vectors", "refute": "points",
}


@dataclass(frozen=True)
class Context:
    """What the names of a claim are, to read its texts and to print its terms."""

    sorts: dict[str, tuple] = field(default_factory=dict)

    def latex(self, term: Term) -> str:
        """A term as a formula."""
        return latex(term, self.sorts)

    def value(self, text: str) -> str | None:
        """A text such as `pi/4` as a formula on one line, None where it is no term."""
        try:
            return self._flat(read_term(text, self.sorts))
        except (ReadError, Malformed, RecursionError):
            return None

    def _flat(self, term: Term) -> str:
        if isinstance(term, tuple) and term[0] == "-":
            return "-" + self._flat(term[1]) if _short(term[1]) else self.latex(term)
        if isinstance(term, tuple) and term[0] == "/" and _short(term):
            return f"{self.latex(term[1])}/{self.latex(term[2])}"
        return self.latex(term)

    def condition(self, text: str) -> tuple[str, str]:
        """A fact as a formula, or the text itself where it cannot be read."""
        try:
            fact: Any = read_fact(text, self.sorts)
        except (ReadError, Malformed, RecursionError):
            return "code", text
        if fact[0] != "all":
            return "math", relation(fact, self.latex)
        ranges = ",\\ ".join(rf"{self.latex(low)}\le {name_latex(n)}\le {self.latex(high)}"
                             for _, n, low, high in fact[2:])
        return "math", rf"{relation(fact[1], self.latex)}\quad ({ranges})"


def _short(term: Term) -> bool:
    """Whether a term is a number, a name, or a quotient of such."""
    plain = (int, str)
    if isinstance(term, tuple) and term[0] == "/":
        return all(isinstance(p, plain) or len(p) == 1 for p in term[1:])
    return isinstance(term, plain)


def reason(step: StepResult, context: Context) -> Words:
    """Method, lemmas and citations used; a side that SymPy derived is said to be."""
    words: list[tuple[str, str]] = []
    if step.level in ("proved", "certified", "tested") and step.by:
        words.append(("text", METHODS[step.by]) if step.by in METHODS else ("code", step.by))
    for k, used in enumerate(step.using):
        words.append(("text", (", using " if words else "using ") if k == 0 else ", "))
        words.append(name(used))
    for k, (variable, text) in enumerate((step.at or {}).items()):
        shown = context.value(str(text))
        words.append(("text", " at " if k == 0 else ", "))
        words.append(("code", f"{variable} = {text}") if shown is None
                     else ("math", f"{name_latex(variable)} = {shown}"))
    if step.derived:
        words.append(("text", ("; " if words else "") + "right side derived by SymPy"))
    return tuple(words)


def detail(step: StepResult, context: Context) -> Words:
    """What must not be missed: where it holds, on what it rests, why it is not proved."""
    words: list[tuple[str, str]] = []
    if step.level == "certified" and step.margin:
        words.append(("text", f"margin {step.margin}"))
    if step.level == "proved" and step.note:  # the axioms of the kernel that were used
        words.append(("text", step.note))
    if step.level == "unknown":
        words.append(("text", "; ".join(filter(None, (
            "tried " + ", ".join(step.tried) if step.tried else "", step.note))) or "not decided"))
    if step.level == "refuted":
        words += [("text", "false at "), *point(step.point or {}, context.sorts, context.value)]
        words += values(step.values, context)
    debts = [r for r in step.rests_on if r not in step.using]
    if debts:
        words += [("text", "; modulo " if words else "modulo "), *names(debts)]
    for k, text in enumerate(step.where):
        words.append(("text", (("; " if words else "") + "where ") if k == 0 else ", "))
        words.append(context.condition(text))
    return tuple(words)


def values(sides: Iterable[str | None], context: Context) -> Words:
    """The two sides at a point."""
    words: list[tuple[str, str]] = []
    for side, text in zip(("left", "right"), sides, strict=False):
        if text is not None:
            shown = context.value(text)
            words.append(("text", f"; {side} "))
            words.append(("code", text) if shown is None else ("math", f"= {shown}"))
    return tuple(words)


def status(finding: Finding, kind: str, context: Context) -> Words:
    """How a claim stands, `kind` being its badge: one clause that leaves nothing out."""
    if kind == "broken":
        number = next(k for k, s in enumerate(finding.steps, 1) if s.level == "refuted")
        return (("text", f"broken at step {number}: the argument fails, the claim is undecided"),)
    if kind == "open":
        tried = list(dict.fromkeys(m for s in finding.steps for m in s.tried))
        text = "open, not proved" + (f"; tried {', '.join(tried)}" if tried else "")
        return (("text", text + (f"; {finding.note}" if finding.note else "")),)
    if kind == "refuted":
        wanted = "refuted, as the page expects" if finding.met else "refuted"
        return (("text", f"{wanted}: false at "),
                *point(finding.point or {}, context.sorts, context.value),
                *values((finding.left, finding.right), context))
    if kind == "tested":
        total = max((a.points for a in finding.agreement), default=0)
        return (("text", f"tested{f' at {total} points' if total else ''}, not proved"),)
    words: Words = (("text", "proved"),)
    if kind == "certified":
        margins = ", ".join(s.margin for s in finding.steps if s.margin)
        words = (("text", "certified by rigorous enclosure on the whole domain"
                  + (f", margin {margins}" if margins else "")),)
    if finding.rests_on:
        words += (("text", " modulo "), *names(finding.rests_on))
    for k, text in enumerate(finding.where):
        words += (("text", " where " if k == 0 else ", "), context.condition(text))
    return words


def names(rests_on: Iterable[str]) -> Words:
    """What something rests on, in order."""
    words: list[tuple[str, str]] = []
    for debt in rests_on:
        words += [("text", ", ")] if words else []
        words.append(name(debt))
    return tuple(words)


def name(used: str) -> tuple[str, str]:
    """A citation, a claim of this report, or the name of an axiom."""
    return ("cite", used[5:]) if used.startswith("cite:") else ("claim", used)
