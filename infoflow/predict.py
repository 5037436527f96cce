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
from fractions import Fraction
from math import ceil

from infoflow.law import LAWS, decoding, memorising
from infoflow.plan import Plan, Shortfall, minimal_architectures, shortfall
from infoflow.reasons import (
    EFFICIENT,
    HARD,
    LIMITED,
    OUTSIDE,
    POSITIONS,
    Source,
    assumptions,
    changes,
    counted,
    least_exponent,
    offer,
    polynomial,
    sources,
)
from infoflow.task import Task
from infoflow.term import TaskError
from infoflow.tree import Tree, tree
from symbolic.kernel.term import Term
from symbolic.writing.text import text

MOST_LAYERS = 64


@dataclass(frozen=True)
class Architecture:
    """Heads a layer, and the width E of a state (None: as wide as needed)."""

    heads: tuple[int, ...]
    width: int | None = None


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
                      assumptions(task, found, verdict, E), changes(task, found, plans, verdict, E),
                      sources(task, found, plans, law, verdict, heads))


def _verdict(task: Task, found: Tree, heads: Sequence[int], E: int | None,
             short: Shortfall | None) -> tuple[str, str, Term | None]:
    memory = memorising(task.d, task.T, E)
    upper = "the framework offers only memorising the input, an upper bound"
    if memory == 1:
        upper += (f", which at T = {task.T} costs no power of 1/eps, as the whole input fits in "
                  f"E = {E}: what is hard are longer inputs")
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
        return HARD, (f"depth: {counted(len(heads), 'layer')} where {found.depth} are needed; "
                      f"{upper}; {known}"), memory
    if short is not None:
        sure = "" if short.certain else ", as far as the search went"
        below = _one_layer_of_unary(found, heads) or _relayed(found, heads)
        return HARD, (f"heads{sure}: layer {short.layer} has none left for {short.missing[0]}; "
                      f"{upper}; {below or 'no lower bound is proved for this'}"), memory
    least = least_exponent(found)
    law = decoding(found.T0, task.d, E, least)
    need, floor = found.T0 * task.d, Fraction(0) if isinstance(least, str) else least
    if E is not None and need / E - 1 > floor:
        unless = f", unless gamma >= {need / E - 1}" if isinstance(least, str) else ""
        return LIMITED, (f"heads and layers are enough, but a state of E = {E} has to hold "
                         f"{found.T0} tokens of {task.d} numbers: E >= {ceil(need)} makes decoding "
                         f"free{unless}"), law
    compared = ("nothing is", "single tokens are", "pairs of tokens are")[found.order]
    return EFFICIENT, f"{compared} compared, and every comparison and reading has its head", law


def _one_layer_of_unary(found: Tree, heads: Sequence[int]) -> str:
    """The lower bound quoted for one layer with fewer heads than unary retrievals; else empty."""
    D, h = found.dimension, heads[0]
    if len(heads) > 1 or found.order != 1 or h >= D:
        return ""
    return (f"from below eps^-k with k = (T/4 - {h + D - 1})/({h}*(n + 1) + 1) - 1 for retrieval "
            f"over parts of T/4 tokens, n the width of a head (H2, {LAWS['H2'].kind})")


def _relayed(found: Tree, heads: Sequence[int]) -> str:
    """That tokens could fetch what the plan leaves to CLS, where this reaches; else empty."""
    reach = 2 * sum(heads[:-1]) + heads[-1]
    if len(heads) < 2 or found.order != 1 or found.dimension > reach:
        return ""
    return (f"but tokens may fetch for CLS, which no plan counts on: up to {reach} unary "
            "retrievals (relay, ours)")


def _single_layer(task: Task, found: Tree, layers: int) -> str:
    if layers > 1:
        return "no lower bound is known for this depth"
    if any(t.op == "kth" for t in task.terms):
        return "one softmax layer needs a power of 1/eps linear in T (T2, quoted from a summary)"
    if found.order == 2:
        return ("for min-dot one layer needs a power of 1/eps linear in T (T1, quoted from a "
                "summary), and below (1-c)/2 no number of parameters is enough (collision, ours)")
    return "no lower bound is known"


__all__ = ["EFFICIENT", "HARD", "LIMITED", "OUTSIDE", "POSITIONS", "Architecture", "Prediction",
           "Source", "architecture", "offer", "polynomial", "predict"]
