"""One side is replaced by a term equal to it.

Data: `side` ("left" or "right"), `value`, `equal` (certificate of side = value), `by`.
Falsehood it must reject: x/x <= 0 refuted or proved through the value 1 at x = 0.
"""

from symbolic.kernel import admit
from symbolic.kernel.defined import conditions
from symbolic.kernel.rules import Granted, Refuse, altered, joined, no_definitions, term
from symbolic.kernel.statement import Level
from symbolic.kernel.term import heads


def check(problem, data, prove) -> Granted:
    """Grants what `by` grants of the new statement, a refutation at its point included."""
    side, value = data["side"], term(data["value"])
    if side not in ("left", "right"):
        raise Refuse("a side is left or right")
    statement = no_definitions(problem)
    old = problem.left if side == "left" else problem.right
    same = prove(altered(statement, relation="=", left=old, right=value), data["equal"])
    if same.level is not Level.PROVED:
        raise Refuse("the value is not shown to be equal")
    out = prove(altered(statement, **{side: value}), data["by"])
    k = 1 if side == "left" else 0  # the side that stays; `same` answers for the other
    kept = dict.fromkeys((problem.written[k], (problem.left, problem.right)[k]))
    open_ = tuple(dict.fromkeys((*same.where, *(
        c for t in kept for c in conditions(t, problem.scope)),
        *_as_written(problem, problem.written[1 - k]))))
    if out.level is Level.REFUTED:
        if same.rests_on or out.rests_on:
            raise Refuse("a refutation rests on nothing")
        if not admit.meets(open_, statement, out.point):
            raise Refuse("the conditions are not shown to hold at the point")
        return Granted(Level.REFUTED, point=out.point, left=out.left, right=out.right)
    return joined(out, same, Granted(where=open_))


def _as_written(problem, side):
    """Conditions of the replaced side as written: where it is undefined nothing is said."""
    if "limit" not in heads(side):
        return conditions(side, problem.scope)
    if "diff" in heads(side):
        raise Refuse("a derivative in a limit need not be defined near its end")
    return ()
