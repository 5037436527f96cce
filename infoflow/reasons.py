"""What a prediction rests on: where each number comes from, what is assumed, what would change it.

A number is quoted from a paper, or from summaries of it, or ours; it never stands alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from infoflow.law import BOUNDED, IF, LAWS, SHALLOW
from infoflow.plan import Plan, head_width
from infoflow.task import Task
from infoflow.term import calls
from infoflow.tree import Tree
from symbolic.kernel.term import Term
from symbolic.writing.text import text

EFFICIENT, LIMITED, HARD, OUTSIDE = ("efficient", "E-limited", "predicted hard",
                                     "outside the framework")
PLAIN = {Fraction(1): "ours: a function of one number by linear pieces, nothing is compared",
         Fraction(1, 2): "ours: products of tokens by linear pieces of squares (network)",
         Fraction(0): "ours: nothing is compared"}
POSITIONS = "tokens carry their positions"


@dataclass(frozen=True)
class Source:
    """Where a number comes from: which number, its value, and what stands behind it."""

    number: str
    value: str
    source: str


def least_exponent(found: Tree) -> Fraction | str:
    """p0, the exponent that is paid at any width: a function's gamma, 1 (T1), 1/2, or 0.

    Without comparisons it is 1 for a root, exp or log, 1/2 for products of tokens, 0 for sums.
    """
    terms = found.task.terms
    if any(calls(t) for t in terms):
        return "gamma"
    products = any(f and f[0] == "bil" for t in terms for f, _ in t.objective)
    return Fraction(2 * bool(found.comparators or any(t.around for t in terms)) or products, 2)


def polynomial(powers: dict[int, int]) -> str:
    """Coefficients by power as text: `2*T**2 + 2*T`."""
    pieces = [("" if c == 1 else f"{c}*") + ("T" if p == 1 else f"T**{p}")
              for p, c in powers.items()]
    return " + ".join(pieces) or "0"


def offer(heads: Sequence[int]) -> str:
    """The comparisons of pairs that a model makes: every head, every query, every key."""
    return f"{sum(heads)}*(T + 1)**2"


def counted(number: int, noun: str) -> str:
    """`1 layer`, `2 layers`."""
    return f"{number} {noun}" + "s" * (number != 1)


def assumptions(task: Task, found: Tree, verdict: str, E: int | None) -> tuple[str, ...]:
    """What is taken for granted, in words; of the law of memorising too, where it is given."""
    lines = [BOUNDED, SHALLOW, "no layer norm; the loophole without bounded weights is real (ours)",
             "a state holds what it decodes to accuracy eps; F0 is smooth"]
    terms = task.terms
    if any(t.distinct or t.k > 1 or t.output and any(s for _, s in t.output) for t in terms) \
            or any("position" in says for says in found.says):
        lines.append(POSITIONS)
    if any(t.op == "kth" for t in terms):
        lines.append("a head can exclude the token that asks")
    opaque = sorted({name for t in terms for name, count in calls(t) if count != "all"})
    if opaque:
        lines.append(f"the rank of {', '.join(opaque)} as a score is not modelled; gamma is the "
                     "rate at which a net approximates it")
    if verdict in (HARD, OUTSIDE) and (task.T is None or E is None):
        lines.append("T d >= E: in a wider state the whole input fits, at a cost free of eps")
    if not found.exact:
        lines.append("more than 7 indices: the order is an upper bound by min-fill elimination")
    elif found.comparators and verdict != OUTSIDE:
        lines.append("order is that of exact elimination: a relaxation or a special geometry may "
                     "do better")
    return tuple(lines)


def changes(task: Task, found: Tree, plans: Sequence[Plan], verdict: str,
             E: int | None) -> tuple[str, ...]:
    """What would change the verdict, in the terms of the options that say it."""
    need = ceil(found.T0 * task.d)
    if verdict in (HARD, OUTSIDE) and plans:
        return tuple(f"{len(p.heads)} layers of {bracketed(p.heads)} heads" for p in plans)
    if verdict == OUTSIDE:
        return ("a form of the task as extrema, means or positions",)
    if verdict == HARD:
        change = ["a form in pairs of tokens",
                  f"for fixed d a width of about (C/eps)^{task.d}: occupancy features and a "
                  "uniform head (ours)"]
        return tuple(change)
    if verdict == LIMITED:
        return (f"E >= {need}",)
    least = plans[0]
    change = [f"fewer than {bracketed(p.heads)} heads in {counted(len(p.heads), 'layer')}"
              for p in plans if max(p.heads) > 1]
    if len(least.heads) > 1:
        change.append(f"fewer than {counted(found.depth, 'layer')}")
    floor = least_exponent(found)
    enough = 0 if isinstance(floor, str) else ceil(found.T0 * task.d / (1 + floor))
    if enough > 1 and E is None:
        change.append(f"E < {enough}: decoding then costs more than "
                      f"eps^-{floor}" if floor else f"E < {need}: decoding then costs parameters")
    return tuple(change)


def bracketed(heads: Sequence[int]) -> str:
    """Heads a layer as `(3, 3)`."""
    return "(" + ", ".join(map(str, heads)) + ")"


def sources(task: Task, found: Tree, plans: Sequence[Plan], law: Term | None, verdict: str,
             heads: Sequence[int]) -> tuple[Source, ...]:
    """Every number that is printed, and what stands behind it."""
    ours, words = "ours", f"notion of {IF}, from summaries"
    exact = "exact elimination" if found.exact else "min-fill upper bound"
    rows = []
    if not found.outside:
        rows += [Source("order", str(found.order), f"{ours}, {exact}: treewidth + 1; {words}"),
                 Source("dimension", str(found.dimension), f"{ours}: distinct comparators of the "
                        f"first layer; {words}"),
                 Source("comparisons", polynomial(found.comparisons), f"{ours}: T^order for each "
                        f"distinct comparator; {words}")]
    if heads and not found.outside:
        rows.append(Source("comparisons offered", offer(heads), "ours: each head compares every "
                           f"position with every one; {words}"))
    for p in plans:
        sure = "" if p.exact else ", an upper bound on heads"
        D = len(task.terms)
        pairs = all(t.op == "max" and len(t.over) == 2 for t in task.terms)
        known = f"; (D, D) for D pairwise maxima: {IF}" if pairs and p.heads == (D, D) else ""
        rows.append(Source(counted(len(p.heads), "layer"), bracketed(p.heads), "ours: schedule of "
                           f"comparators{sure}{known}"))
    if plans:
        rows.append(Source("width", str(plans[0].widths.needed), "ours: T0 d, T0 = "
                           f"{found.T0} tokens of the answer"))
        sizes = [head_width(c, task.d) for c in found.comparators]
        rank = "rank not modelled" if None in sizes else str(max((n or 0 for n in sizes),
                                                                 default=1))
        rows.append(Source("head width", rank, "ours: rank of a score plus 1"))
    return (*rows, *_law_sources(found, law, verdict))


def _law_sources(found: Tree, law: Term | None, verdict: str) -> list[Source]:
    if law is None:
        return []
    decoded = LAWS["T3"]
    kind = f"{decoded.kind}, {decoded.source} (T3)"
    if verdict in (HARD, OUTSIDE):
        return [Source("law", text(law), f"memorising the whole input: {kind}; an upper bound, "
                       "T0 = T")]
    least = least_exponent(found)
    where = f"{LAWS['H1'].kind}, {LAWS['H1'].source} (H1)" if least == "gamma" else \
        f"{LAWS['T1'].kind}, {LAWS['T1'].source} (T1); 1/2 for our explicit network" \
        if found.comparators else PLAIN[least]
    return [Source("law", text(law), f"exponent T0 d/E - 1: {kind}"),
            Source("p0", str(least), where)]
