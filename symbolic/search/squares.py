"""Sums of squares: multiplier * p = sum_k w_k prod g_i root_k^2 + sum_j h_j e_j, exactly.

The g_i are known >= 0 and the e_j are known = 0 where p >= 0 is wanted. With denominators the
multiplier is found too: a positive polynomial with positive coefficients on monomials that are
>= 0 by their shape.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symbolic.search.arithmetic import (
    Monomial,
    Poly,
    clean,
    constant,
    lowest,
    moved,
    plus,
    primitive,
    product,
    scaled,
    times,
    variable,
)
from symbolic.search.gram import Squared
from symbolic.search.stages import Question, staged


@dataclass(frozen=True)
class Squares:
    """multiplier * p = sum of weight * prod(multipliers at indices) * root^2 + sum h_j * e_j.

    `squares` holds (weight > 0, indices, root), indices may repeat; `equations` holds h_j;
    `multiplier` is 1 unless denominators were asked for.
    """

    squares: tuple[Squared, ...]
    equations: tuple[Poly, ...]
    multiplier: Poly


@dataclass(frozen=True)
class Asked:
    """The arguments of a search, cleaned."""

    p: Poly
    m: int
    multipliers: tuple[Poly, ...]
    equalities: tuple[Poly, ...]
    strict: tuple[int, ...] | None


def sum_of_squares(
    p: Poly, m: int, multipliers: Sequence[Poly] = (), equalities: Sequence[Poly] = (),
    seconds: float = 10.0, denominators: bool | Sequence[Poly] = False,
    strict: Sequence[int] | None = None,
) -> Squares | None:
    """A certificate that p >= 0 where all multipliers are >= 0 and all equalities are 0, or None.

    Polynomials in m variables, Laurent monomials allowed. `strict` (positions of multipliers known
    > 0, possibly none) asks for a square (weight, strict indices, 1), which proves p > 0.
    `denominators` (True, or a list of polynomials known > 0 where it matters) also tries d * p; by
    itself d = 1 + c, or for homogeneous p a sum of variables known >= 0 or of all squares, plus c,
    where c >= 0 combines monomials of degree <= 2 that are >= 0 by their shape. Every answer is
    expanded exactly before it is returned.
    """
    asked = Asked(clean(p), m, tuple(map(clean, multipliers)), tuple(map(clean, equalities)),
                  None if strict is None else tuple(strict))
    end = time.monotonic() + seconds
    share = seconds / 2 if denominators else seconds
    found = _squares(asked, constant(m), (), time.monotonic() + share)
    if found is not None or not denominators or not asked.p:
        return found
    tries = list(_denominators(asked)) if denominators is True else [
        (clean(d), ()) for d in denominators]
    for k, (ground, others) in enumerate(tries):
        left = (end - time.monotonic()) / (len(tries) - k)
        if left > 0.01:
            found = _squares(asked, ground, others, time.monotonic() + left)
            if found is not None:
                return found
    return None


def expanded(found: Squares, multipliers: Sequence[Poly], equalities: Sequence[Poly],
             m: int) -> Poly:
    """The right-hand side of the certificate's identity, expanded exactly."""
    total: Poly = {}
    for weight, indices, root in found.squares:
        term = product([multipliers[i] for i in indices], m)
        total = plus(total, times(term, times(root, root)), weight)
    for h, e in zip(found.equations, equalities, strict=True):
        total = plus(total, times(h, e))
    return total


def _denominators(asked: Asked) -> Iterator[tuple[Poly, tuple[Monomial, ...]]]:
    """(d, monomials that may be added to d): positive, perhaps except where all variables are 0."""
    p, m = asked.p, asked.m
    used = [i for i in range(m) if any(a[i] for a in p)]
    unit = [next(iter(variable(m, i))) for i in range(m)]
    positive = [i for i in used if variable(m, i) in asked.multipliers]
    single = tuple(unit[i] for i in positive)
    double = tuple(tuple(map(int.__add__, unit[i], unit[j])) for i in used for j in used
                   if i == j or (i < j and {i, j} <= set(positive)))
    total = {a: Fraction(1) for a in single}
    norm = {tuple(2 * k for k in unit[i]): Fraction(1) for i in used}
    homogeneous = len({sum(a) for a in p}) < 2
    if not homogeneous:
        yield constant(m), (*single, *double)
    if len(positive) == len(used):
        yield (total, single) if homogeneous else (plus(total, constant(m)), single)
        yield times(total, total), ()
    elif positive and homogeneous:
        yield total, single
    yield norm, double
    yield from ((variable(m, i), ()) for i in positive)
    yield times(norm, norm), ()


def _squares(
    asked: Asked, ground: Poly, others: Sequence[Monomial], deadline: float,
) -> Squares | None:
    """The search for (ground + c) * p, c >= 0 on `others`; Laurent monomials are cleared by even
    shifts and put back."""
    m, target = asked.m, times(ground, asked.p)
    shift, shifts = _even(target, m), [_even(g, m) for g in asked.multipliers]
    steps = [tuple(-low for low in lowest([e], m)) for e in asked.equalities]
    minus = tuple(moved(scaled(asked.p, -1), map(int.__add__, a, shift)) for a in others)
    question = Question(
        moved(target, shift), m,
        tuple(moved(g, s) for g, s in zip(asked.multipliers, shifts, strict=True)),
        tuple(moved(e, s) for e, s in zip(asked.equalities, steps, strict=True)),
        asked.strict, deadline, minus, max(map(sum, others), default=0))
    answer = staged(question)
    if answer is None:
        return None
    squares = []
    for weight, indices, root in answer[0]:
        if indices and indices[0] < 0:
            (c,) = root.values()
            ground = plus(ground, {others[-1 - indices[0]]: weight * c * c})
            continue
        back = tuple(sum(shifts[i][k] for i in indices) - s for k, s in enumerate(shift))
        content, root = primitive(moved(root, [t // 2 for t in back]))
        squares.append((weight * content**2, indices, root))
    rest = [*answer[1], *({} for _ in steps)][:len(steps)]
    equations = tuple(moved(h, [a - b for a, b in zip(s, shift, strict=True)])
                      for h, s in zip(rest, steps, strict=True))
    found = Squares(tuple(squares), equations, ground)
    whole = expanded(found, asked.multipliers, asked.equalities, m)
    return found if whole == times(ground, asked.p) else None


def _even(p: Poly, m: int) -> Monomial:
    """The least even shift that makes all exponents >= 0."""
    return tuple(-low + (-low) % 2 for low in lowest([p], m))
