"""Positive semidefinite: certify the quadratic form of a fresh vector."""

from symbolic.kernel.budget import Undecided, limited
from symbolic.kernel.prepare import prepare
from symbolic.kernel.rules import Refuse, altered
from symbolic.kernel.rules.vector import form
from symbolic.kernel.term import Malformed, fresh

INNER = ("sign", "shape", "gram", "eliminate", "linear", "squares")


def find(statement):
    """One certificate, when the form is certified to be nonnegative."""
    from symbolic.prove import certify

    if statement.relation != "psd":
        return
    try:
        with limited(200_000):
            problem = prepare(statement)
            gap, size = form(problem)
    except (Undecided, Malformed, Refuse):
        return
    name = fresh("v", frozenset(problem.scope.sorts))
    inner = altered(statement, symbols=(*statement.symbols, (name, ("matrix", size, 1))),
                    relation="<=", left=0, right=("trace", ("*", ("T", name), gap, name)),
                    given=problem.given, let=(), rates=())
    by = certify(inner, INNER)
    if by is not None:
        yield "vector", {"name": name, "by": by}
