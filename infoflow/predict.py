"""A task's difficulty before anything is trained: verdict, law, architectures, and why.

efficient        comparisons of at most two tokens, heads and layers enough: a power of 1/eps free
                 of T
E-limited        the same, but the state is too narrow for the tokens of the answer
predicted hard   the framework offers only memorising the input; its cost is an upper bound, and no
                 lower bound is known where none is quoted
outside          a function of the whole sequence, of which the framework says nothing

Source: InfoFlow (arXiv 2605.17930, from summaries) for the verdicts, the algorithm is ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from infoflow.law import BOUNDED, IF, LAWS, SHALLOW, decoding, memorising
from infoflow.plan import DEEPEST, Plan, Shortfall, head_width, minimal_architectures, shortfall
from infoflow.task import Task
from infoflow.term import TaskError
from infoflow.tree import Tree, tree
from symbolic.kernel.term import Term
from symbolic.writing.text import text

EFFICIENT, LIMITED, HARD, OUTSIDE = ("efficient", "E-limited", "predicted hard",
                                     "outside the framework")
MOST_LAYERS = 64
POSITIONS = "tokens carry their positions"


@dataclass(frozen=True)
class Architecture:
    """Heads a layer, and the width E of a state (None: as wide as needed)."""

    heads: tuple[int, ...]
    width: int | None = None


@dataclass(frozen=True)
class Source:
    """Where a number comes from: which number, its value, and what stands behind it."""

    number: str
    value: str
    source: str


@dataclass(frozen=True)
class Prediction:
    """What is predicted of a task, for an architecture or, without one, for the least."""

    task: Task
    tree: Tree
    architecture: Architecture | None
    verdict: str
    reason: str
    law: Term | None
    minimal: tuple[Plan, ...]
    missing: Shortfall | None
    assumptions: tuple[str, ...]
    changes: tuple[str, ...]
    sources: tuple[Source, ...]

    @property
    def law_text(self) -> str:
        """The law as text of the language, empty where there is none."""
        return "" if self.law is None else text(self.law)

    def data(self) -> dict:
        """The prediction as plain data, with the stable keys and a few more."""
        found = {
            "task": self.task.name, "order": self.tree.order, "dimension": self.tree.dimension,
            "comparisons": polynomial(self.tree.comparisons),
            "minimal": [{"layers": len(p.heads), "heads": list(p.heads),
                         "width": p.widths.needed, "widths": {
                             "literal": p.widths.literal, "needed": p.widths.needed,
                             "compressed": p.widths.compressed}} for p in self.minimal],
            "verdict": self.verdict, "law": self.law_text, "assumptions": list(self.assumptions),
            "sources": [{"number": s.number, "value": s.value, "source": s.source}
                        for s in self.sources],
            "reason": self.reason, "changes": list(self.changes),
            "missing": list(self.missing.missing) if self.missing else [],
            "tokens_needed": str(self.tree.T0), "exact": self.tree.exact}
        if self.architecture is not None:
            found["architecture"] = {"layers": len(self.architecture.heads),
                                     "heads": list(self.architecture.heads),
                                     "width": self.architecture.width}
        return found


def architecture(layers: int | None = None, heads: Sequence[int] | None = None,
                 width: int | None = None) -> Architecture | None:
    """The architecture of some options, None of none; raises TaskError for what does not fit."""
    if layers is None and heads is None:
        if width is None:
            return None
        return Architecture((), _positive(width, "width"))
    if layers is not None and _positive(layers, "layers") > MOST_LAYERS:
        raise TaskError("architecture", f"{layers} layers", f"at most {MOST_LAYERS}", "give fewer")
    heads = tuple(heads) if heads else (1,)
    for number in heads:
        _positive(number, "heads")
    if layers is not None and len(heads) == 1:
        heads = heads * layers
    if layers is not None and layers != len(heads) or len(heads) > MOST_LAYERS:
        raise TaskError("architecture", f"{layers or MOST_LAYERS} layers and heads for "
                        f"{len(heads)}", "a number of heads for each layer",
                        f"give --heads {','.join(['2'] * (layers or 2))}")
    return Architecture(heads, None if width is None else _positive(width, "width"))


def _positive(number: int, name: str) -> int:
    if type(number) is not int or not 1 <= number <= 10**9:
        raise TaskError("architecture", f"{name} = {number!r:.40}", "a whole number >= 1",
                        f"give {name} >= 1")
    return number


def predict(task: Task, arch: Architecture | None = None) -> Prediction:
    """The prediction for a task; see the head of this module for the verdicts.

    Without `arch`, or with a width alone, the least architecture is taken.
    """
    found = tree(task)
    plans = () if found.outside else minimal_architectures(found)
    heads = arch.heads if arch and arch.heads else plans[0].heads if plans else ()
    E = arch.width if arch else None
    short = shortfall(found, heads) if plans else None
    verdict, reason, law = _verdict(task, found, heads, E, short)
    return Prediction(task, found, arch, verdict, reason, law, plans, short,
                      _assumptions(task, found, verdict), _changes(task, found, plans, verdict, E),
                      _sources(task, found, plans, law, verdict, heads))


def _verdict(task: Task, found: Tree, heads: Sequence[int], E: int | None,
             short: Shortfall | None) -> tuple[str, str, Term | None]:
    memory = memorising(task.d, task.T, E)
    upper = "the framework offers only memorising the input, an upper bound"
    if found.outside:
        return OUTSIDE, ("a function of the whole sequence is no extremum, mean or fixed position: "
                         f"{upper}, and it says nothing else"), memory
    if found.order > 2:
        offered = f"; the heads offer {offer(heads)} comparisons of pairs" if heads else ""
        return HARD, (f"order {found.order}: {polynomial(found.comparisons)} comparisons, the "
                      f"largest of {found.order} tokens at once, while attention compares pairs"
                      f"{offered}; {upper}, and no lower bound is known"), memory
    if short is not None and short.reason == "depth":
        known = _single_layer(task, found, len(heads))
        return HARD, (f"depth: {_count(len(heads), 'layer')} where {found.depth} are needed; "
                      f"{upper}; {known}"), memory
    if short is not None:
        sure = "" if short.certain else ", as far as the search went"
        return HARD, (f"heads{sure}: layer {short.layer} has none left for {short.missing[0]}; "
                      f"{upper}, "
                      "and no lower bound is proved for this width"), memory
    least = _least(found)
    law = decoding(found.T0, task.d, E, least)
    need, floor = found.T0 * task.d, 0 if isinstance(least, str) else least
    if E is not None and need / E - 1 > floor:
        unless = f", unless gamma >= {need / E - 1}" if isinstance(least, str) else ""
        return LIMITED, (f"heads and layers are enough, but a state of E = {E} has to hold "
                         f"{found.T0} tokens of {task.d} numbers: E >= {ceil(need)} makes decoding "
                         f"free{unless}"), law
    return EFFICIENT, "pairs of tokens, and a head for each distinct comparison", law


def _single_layer(task: Task, found: Tree, layers: int) -> str:
    if layers > 1:
        return "no lower bound is known for this depth"
    if any(t.op == "kth" for t in task.terms):
        return "one softmax layer needs a power of 1/eps linear in T (T2, quoted from a summary)"
    if found.order == 2:
        return ("for min-dot one layer needs a power of 1/eps linear in T (T1, quoted from a "
                "summary), and below (1-c)/2 no number of parameters is enough (collision, ours)")
    return "no lower bound is known"


def _least(found: Tree) -> Term:
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)


def _assumptions(task: Task, found: Tree, verdict: str) -> tuple[str, ...]:
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
    if not found.exact:
        lines.append("more than 7 indices: the order is an upper bound by min-fill elimination")
    elif found.comparators and verdict != OUTSIDE:
        lines.append("order is that of exact elimination: a relaxation or a special geometry may "
                     "do better")
    return tuple(lines)


def _changes(task: Task, found: Tree, plans: Sequence[Plan], verdict: str,
             E: int | None) -> tuple[str, ...]:
    """What would change the verdict, in the terms of the options that say it."""
    need = ceil(found.T0 * task.d)
    if verdict in (HARD, OUTSIDE) and plans:
        return tuple(f"{len(p.heads)} layers of {_tuple(p.heads)} heads" for p in plans)
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
    change = [f"fewer than {_tuple(p.heads)} heads in {_count(len(p.heads), 'layer')}"
              for p in plans if max(p.heads) > 1]
    if len(least.heads) > 1:
        change.append(f"fewer than {_count(found.depth, 'layer')}")
    floor = _least(found)
    if isinstance(floor, int) and E is None:
        change.append(f"E < {ceil(found.T0 * task.d / (1 + floor))}: decoding then costs more than "
                      f"eps^-{floor}" if floor else f"E < {need}: decoding then costs parameters")
    return tuple(change)


def _tuple(heads: Sequence[int]) -> str:
    return "(" + ", ".join(map(str, heads)) + ")"


def _sources(task: Task, found: Tree, plans: Sequence[Plan], law: Term | None, verdict: str,
             heads: Sequence[int]) -> tuple[Source, ...]:
    """Every number that is printed, and what stands behind it."""
    ours, words = "ours", f"the notion is {IF}'s, from summaries"
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
        known = " (D, D) is published" if len(p.heads) == 2 and len(set(p.heads)) == 1 else ""
        rows.append(Source(f"{len(p.heads)} layers", _tuple(p.heads), f"ours: schedule "
                           f"of comparators{sure}{';' + known if known else ''}"))
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
    least = _least(found)
    where = {"gamma": f"{LAWS['H1'].kind}, {LAWS['H1'].source} (H1)",
             1: f"{LAWS['T1'].kind}, {LAWS['T1'].source} (T1); 1/2 for our explicit network",
             0: "ours: nothing is compared"}[least]
    return [Source("law", text(law), f"exponent T0 d/E - 1: {kind}"),
            Source("p0", text(least), where)]


__all__ = ["DEEPEST", "EFFICIENT", "HARD", "LIMITED", "OUTSIDE", "Architecture", "Prediction",
           "Source", "architecture", "offer", "polynomial", "predict"]
