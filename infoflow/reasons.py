"""What a prediction rests on: where each number comes from, what is assumed, what would change it.

A number is quoted from a paper, or from summaries of it, or ours; it never stands alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from infoflow.law import BOUNDED, IF, LAWS, SHALLOW
from infoflow.plan import Plan, head_width
from infoflow.task import Task
from infoflow.tree import Tree
from symbolic.kernel.term import Term
from symbolic.writing.text import text

EFFICIENT, LIMITED, HARD, OUTSIDE = ("efficient", "E-limited", "predicted hard",
                                     "outside the framework")
POSITIONS = "tokens carry their positions"


@dataclass(frozen=True)
class Source:
    """Where a number comes from: which number, its value, and what stands behind it."""

    number: str
    value: str
    source: str


def least_exponent(found: Tree) -> Term:
    """p0, the exponent that is paid at any width: a function's gamma, 1 (T1), or 0."""
    terms = found.task.terms
    opaque = any(f and f[0] == "fn" for t in terms for f, _ in (*t.objective, *t.offset))
    return "gamma" if opaque else 1 if found.comparators else 0


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
    opaque = sorted({f[1] for t in terms for f, _ in t.objective if f and f[0] == "fn"})
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
    if isinstance(floor, int) and E is None:
        change.append(f"E < {ceil(found.T0 * task.d / (1 + floor))}: decoding then costs more than "
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
    where = {"gamma": f"{LAWS['H1'].kind}, {LAWS['H1'].source} (H1)",
             1: f"{LAWS['T1'].kind}, {LAWS['T1'].source} (T1); 1/2 for our explicit network",
             0: "ours: nothing is compared"}[least]
    return [Source("law", text(law), f"exponent T0 d/E - 1: {kind}"),
            Source("p0", text(least), where)]
