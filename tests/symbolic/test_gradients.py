"""Gradients by matrices and vectors: proved against directional derivatives, which rates give."""

from types import SimpleNamespace

import pytest

from symbolic.kernel.statement import Level
from symbolic.prove import prove
from symbolic.reading.chain import statements

SIZES = {"d": "integer >= 1", "k": "integer >= 1", "n": "integer >= 1"}
NAMES = {"A": "matrix(d, d)", "B": "matrix(k, d)", "X": "matrix(d, d) invertible",
         "x": "vector(d)", "c": "vector(d)", "y": "vector(d)[1..n]", "s": "real > 0"}
NUMBERS = {  # a number that depends on X or x, and the variable
    "x.T*A*x": "x", "norm2(B*x)/2 - dot(c, x)": "x", "exp(dot(c, x))/(1+norm2(x))": "x",
    "dot(x, Inverse(X)*c)": "X",
    "Trace(A*X*A.T*X.T)": "X", "log(Determinant(X)**2)": "X", "Trace(Inverse(X)*A)": "X",
    "Trace(X*X*A)*dot(c, X*x)": "X",
    "sqrt(1+norm2(X*c))": "X", "Determinant(X)*Trace(X)": "X",
}


def _statement(start, right, rates=None):
    claim = SimpleNamespace(
        name="gradient", says="", symbols={**SIZES, **NAMES, "t": "real", "H": "matrix(d, d)",
                                           "h": "vector(d)", "j": "index 1..n"},
        given=(), let={}, rates=rates or {}, start=start, source="", expect="proved", where=(),
        modulo=(), uniform=(),
        steps=(SimpleNamespace(relation="=", right=right, by=None, using=(), at={}, limit=None,
                               derived=False),))
    chain = statements(claim, {})
    assert not chain.errors, chain.errors
    return chain.steps[0]


@pytest.mark.parametrize("number", NUMBERS)
def test_gradient_gives_every_directional_derivative(number):
    """D f [H] = tr(G^T H): the gradient and the rate come from two tables of the kernel."""
    x = NUMBERS[number]
    h = {"X": "H", "x": "h"}[x]
    still = {n: f"0*{n}" for n in NAMES if n not in (x, "s", "y")} | {"s": "0"}
    step = _statement(f"Derivative({number}, t)",
                      f"Trace(Transpose(Derivative({number}, {x}))*{h})", {x: h, **still})
    assert prove(step).verdict.level is Level.PROVED


@pytest.mark.parametrize(("number", "x", "value"), [
    ("log(Sum(exp(s*dot(y[u], x)), (u,1,n)))", "x",
     "s*Sum(exp(s*dot(y[u], x))*y[u], (u,1,n))/Sum(exp(s*dot(y[u], x)), (u,1,n))"),
    ("Sum(Sum(exp(s*dot(y[u], y[v])), (v,1,n)), (u,1,n))", "y[j]",
     "2*s*Sum(exp(s*dot(y[u], y[j]))*y[u], (u,1,n))"),
    ("norm2(Sum(dot(y[u], x)*y[u], (u,1,n)))", "x",
     "2*Sum(Sum(dot(y[u], x)*dot(y[u], y[v])*y[v], (v,1,n)), (u,1,n))"),
    ("Sum(norm2(y[u]-x), (u,1,n))", "x", "2*n*x - 2*Sum(y[u], (u,1,n))"),
    ("norm2(X*x-c)", "X", "2*(X*x-c)*x.T"),
])
def test_gradients_in_closed_form(number, x, value):
    """Attention as a gradient of log-sum-exp, the interaction energy by one token, and others."""
    assert prove(_statement(f"Derivative({number}, {x})", value)).verdict.level is Level.PROVED


@pytest.mark.parametrize(("number", "x", "value"), [
    ("x.T*A*x", "x", "2*A*x"), ("Trace(Inverse(X)*A)", "X", "-Inverse(X)*A*Inverse(X)"),
    ("Sum(Sum(exp(s*dot(y[u], y[v])), (v,1,n)), (u,1,n))", "y[j]",
     "s*Sum(exp(s*dot(y[u], y[j]))*y[u], (u,1,n))"),
    ("norm2(X*x-c)", "X", "2*x*(X*x-c).T"),
])
def test_wrong_gradients_are_refuted(number, x, value):
    """A missing transpose, a missing half of a symmetric sum."""
    assert prove(_statement(f"Derivative({number}, {x})", value)).verdict.level is Level.REFUTED
