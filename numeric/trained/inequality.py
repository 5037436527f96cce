"""The inequality that shows a trained point to be no global minimiser, as a statement to prove.

J_eps(theta) > eps B, with the loss replaced by a few of its squares: the rest is not negative, so
the statement says more than is needed, and is short. Numbers are the binary fractions that they
are; the softmax is written out, so that the kernel encloses it by itself.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from numeric.trained import block
from numeric.trained.problem import Problem, squares
from symbolic.kernel.statement import Statement

LONGEST = 60_000            # nodes of a statement that the kernel is asked
MARGIN = 1.01               # by which the squares taken must exceed what is needed


def above_bound(problem: Problem, theta: Sequence[float], eps: float) -> Statement | None:
    """eps B < (squares of some residuals)/(N n) + eps |theta|^2; None where no few squares do or
    the statement would be too long for the kernel."""
    p = block.parts(np.array(theta), problem.d, problem.width)
    residuals = _residuals(problem, p) ** 2 / (problem.N * problem.n)
    needed = eps * (float(_fraction(problem.bound)) - float(_fraction(squares(theta)))) * MARGIN
    order = np.dstack(np.unravel_index(np.argsort(-residuals, axis=None), residuals.shape))[0]
    taken = [tuple(at) for at in order[:int(np.searchsorted(
        np.cumsum(residuals[tuple(order.T)]), needed)) + 1]]
    if sum(residuals[at] for at in taken) <= needed or len(taken) * _length(problem) > LONGEST:
        return None
    parts = {name: _terms(value) for name, value in p.items()}
    tokens = [[[_number(c) for c in x] for x in X] for X in problem.tokens]
    found = [("^", _sum(_output(parts, tokens[j], i, k), ("-", _number(problem.targets[j][k]))), 2)
             for j, i, k in taken]
    share = ("/", _sum(*found), problem.N * problem.n)
    left = ("*", _number(eps), _number(problem.bound))
    right = _sum(share, ("*", _number(eps), _number(squares(theta))))
    return Statement(symbols=(), given=(), relation="<", left=left, right=right)


def _length(problem: Problem) -> int:
    """About how many nodes one output coordinate has."""
    mean = problem.n * (12 * problem.d + 8) * 2
    return problem.d * mean * (problem.d * problem.width + 1)


def _residuals(problem: Problem, p: dict) -> np.ndarray:
    """(N, n, d) in float64, to choose by."""
    x = problem.drawn[0]
    scores = (x @ p["right"])[..., :, None] * (x @ p["left"])[..., None, :]
    mass = np.exp(scores - scores.max(-1, keepdims=True))
    y = p["rho"] * x + mass / mass.sum(-1, keepdims=True) @ x @ p["V"].T
    out = p["eta"] * y + np.maximum(y @ p["U"].T + p["b"], 0) @ p["W"]
    targets = np.array([[float(_fraction(c)) for c in t] for t in problem.targets])
    return out - targets[:, None, :]


def _output(p: dict, X: list, i: int, k: int) -> Any:
    """Coordinate k of token i of a sequence after the block, as a term."""
    weights = [("exp", ("*", _dot(X[i], p["right"]), _dot(x, p["left"]))) for x in X]
    d, mass = len(X[i]), _sum(*weights)
    mean = [("/", _sum(*(("*", w, x[c]) for w, x in zip(weights, X, strict=True))), mass)
            for c in range(d)]
    y = [_sum(("*", p["rho"], X[i][c]), _dot(p["V"][c], mean)) for c in range(d)]
    neurons = [("max", 0, _sum(_dot(u, y), b)) for u, b in zip(p["U"], p["b"], strict=True)]
    return _sum(("*", p["eta"], y[k]), _dot([w[k] for w in p["W"]], neurons))


def _sum(*terms: Any) -> Any:
    return ("+", *terms) if len(terms) > 1 else terms[0]


def _dot(a: Sequence, b: Sequence) -> Any:
    return _sum(*(("*", u, v) for u, v in zip(a, b, strict=True)))


def _terms(value: np.ndarray) -> Any:
    return [_terms(v) for v in value] if np.ndim(value) else _number(value)


def _fraction(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q)) if hasattr(x, "p") else Fraction(float(x))


def _number(x: Any) -> Any:
    """A rational as a term."""
    value = _fraction(x)
    size = abs(value.numerator)
    term = size if value.denominator == 1 else ("/", size, value.denominator)
    return ("-", term) if value < 0 else term
