"""Refute a statement with integrals through the closed form that the normal form gives them."""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.normal import normal
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import altered
from symbolic.kernel.shape import scalar, shape
from symbolic.kernel.term import Malformed, free, heads
from symbolic.search.terms import NoTerm, term_of


def find(statement):
    """One certificate, when the closed form is refuted at a point."""
    from symbolic.methods import refute

    if statement.relation not in ("=", "<=", "<"):
        return
    try:
        with limited(300_000):
            problem = prepare(statement)
            inner = altered(statement, left=problem.left, right=problem.right,
                            given=problem.given, let=(), rates=())
            steps = []
            for side in ("left", "right"):
                term = getattr(problem, side)
                if not heads(term) & {"int"} or not scalar(shape(term, problem.scope.sorts)):
                    continue
                value = term_of(normal(term, problem.scope))
                if free(value) - problem.scope.sorts.keys():
                    return
                inner = altered(inner, **{side: value})
                steps.append((side, value))
    except (Undecided, Malformed, NoTerm):
        return
    if not steps:
        return
    for rule, data in refute.find(inner):
        by = {"rule": rule, **data}
        for side, value in reversed(steps):
            by = {"rule": "transfer", "side": side, "value": value,
                  "equal": {"rule": "normal"}, "by": by}
        yield "transfer", {k: v for k, v in by.items() if k != "rule"}
