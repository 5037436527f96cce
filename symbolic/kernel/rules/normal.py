"""Both sides have the same normal form.

Falsehood it must reject: sqrt(x**2) = x for real x.
"""

from symbolic.kernel import normal
from symbolic.kernel.rules import Granted, Refuse, left_open


def check(problem, data, prove) -> Granted:
    """Grants `=`, and by equality `<=` and `psd`."""
    if problem.relation not in ("=", "<=", "psd"):
        raise Refuse(f"normal does not decide {problem.relation!r}")
    if problem.relation == "<=" and not (normal.real(problem.left, problem.scope)
                                         and normal.real(problem.right, problem.scope)):
        raise Refuse("an order between values that are not shown to be real")
    if not normal.equal(problem.left, problem.right, problem.scope):
        raise Refuse("the normal forms differ, which shows nothing either way")
    return Granted(where=left_open(problem))
