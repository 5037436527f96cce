"""The inequality of the means: a product of n nonnegative numbers is at most their mean to the n.

Falsehood it must reject: the same with factors that may be negative.
"""

from symbolic.kernel.entail import entails
from symbolic.kernel.facts import NONNEG
from symbolic.kernel.normal import equal, normal, real
from symbolic.kernel.polynomial import atom, subtract
from symbolic.kernel.rules import Granted, Refuse, left_open
from symbolic.kernel.signs import sign
from symbolic.kernel.structure import integral


def check(problem, data, prove) -> Granted:
    """Grants prod(a) <= (sum(a)/n)**n."""
    left, scope = problem.left, problem.scope
    if problem.relation != "<=" or not isinstance(left, tuple) or left[0] != "prod":
        raise Refuse("mean needs a product on the left of <=")
    _, body, name, low, high = left
    ends = normal(low, scope), normal(high, scope)
    if not all(map(integral, ends)) or not entails(scope.facts, subtract(ends[1], ends[0])):
        raise Refuse("the range is not shown to be nonempty and whole")
    inner, letter = scope.bind(name)
    inner = inner.under([subtract(atom(letter), ends[0]), subtract(ends[1], atom(letter))])
    if not sign(body, inner) <= NONNEG or not real(body, inner):
        raise Refuse("a factor is not shown to be nonnegative")
    length = ("+", high, ("-", low), 1) if low != 1 else high
    bound = ("^", ("/", ("sum", body, name, low, high), length), length)
    if not equal(problem.right, bound, scope):
        raise Refuse("the right side is not the mean to the power of the number of factors")
    return Granted(where=left_open(problem))
