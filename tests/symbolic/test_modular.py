"""The modular zero test: true identities True, false ones False, what it cannot follow None."""

import random

import pytest

from symbolic.claim import Claim, Step, statements
from symbolic.kernel.modular import agree
from symbolic.kernel.modular.field import (
    PRIMES,
    TURN,
    factor,
    field,
    roots,
    small_rational,
    square_root,
    turn,
)
from symbolic.kernel.statement import Statement
from tests.fuzz_pairs import pair

KURAMOTO = {"t": "integer >= 1", "n": "integer >= 1", "k": "integer >= 1", "th": "real[1..n]",
            "A": "real[1..n]", "w": "real[1..n] >= 0", "s": "real[1..t]", "B": "real[1..t]",
            "a": "real[1..k]", "b": "real[1..k]", "om": "real[1..k]", "p": "real", "q": "real",
            "x": "real", "i": "index 1..n", "j": "index 1..n"}
WORDS = {"d": "integer >= 1", "r": "integer >= 1", "A": "matrix(d, d)", "B": "matrix(d, d)",
         "K": "matrix(d, r)", "P": "matrix(d, d) symmetric positive definite",
         "S": "matrix(d, d) symmetric", "R": "matrix(d, d) orthogonal", "u": "vector(d)",
         "v": "vector(d)", "a": "real > 0", "t": "real"}
REAL = {"x": "real", "y": "real", "z": "real", "a": "real > 0", "b": "real > 0", "n": "integer",
        "m": "integer >= 0", "zeta": "complex"}

TRUE = (
    (KURAMOTO, "-sin(s[t])*Sum(B[u]*cos(s[u]),(u,1,t))+cos(s[t])*Sum(B[u]*sin(s[u]),(u,1,t))",
     "Sum(B[u]*sin(s[u]-s[t]),(u,1,t))"),
    (KURAMOTO, "Sum(w[u],(u,1,n))**2-Sum(w[u]*cos(th[u]),(u,1,n))**2"
     "-Sum(w[u]*sin(th[u]),(u,1,n))**2",
     "2*Sum(Sum(w[u]*w[v]*sin((th[u]-th[v])/2)**2,(v,1,n)),(u,1,n))"),
    (KURAMOTO, "Sum(cos(a[j]-b[j]+om[j]*(p-q)),(j,1,k))",
     "Sum(cos(a[j]+om[j]*p)*cos(b[j]+om[j]*q)+sin(a[j]+om[j]*p)*sin(b[j]+om[j]*q),(j,1,k))"),
    (KURAMOTO, "Derivative(Sum(A[u]*cos(th[u]-x),(u,1,n)),x)", "Sum(A[u]*sin(th[u]-x),(u,1,n))"),
    (KURAMOTO, "Derivative(Sum(Sum(cos(th[u]-th[v]),(u,1,n)),(v,1,n)),th[i])",
     "2*Sum(sin(th[u]-th[i]),(u,1,n))"),
    (KURAMOTO, "Derivative(exp(cos(x-p))/2,x)", "exp(cos(x-p))*sin(p-x)/2"),
    ({"n": "integer >= 1", "x": "real[1..n]", "i": "index 1..n", "j": "index 1..n"},
     "Derivative(exp(x[i])/Sum(exp(x[u]),(u,1,n)),x[j])",
     "softmax(x,i)*(KroneckerDelta(i,j)-softmax(x,j))"),
    ({"n": "integer >= 1", "x": "real[1..n]", "j": "index 1..n"},
     "Derivative(logsumexp(x),x[j])", "softmax(x,j)"),
    (WORDS, "Inverse(a*Identity(d)+K*K.T)",
     "Identity(d)/a-K*Inverse(a*Identity(r)+K.T*K)*K.T/a"),
    (WORDS, "Inverse(a*Identity(d)+K*K.T)*K", "K*Inverse(a*Identity(r)+K.T*K)"),
    (WORDS, "Trace(K.T*Inverse(K*K.T+P)*K)", "d-Trace(P*Inverse(K*K.T+P))"),
    (WORDS, "Determinant(Identity(d)+u*v.T)", "1+Trace(v.T*u)"),
    (WORDS, "R.T*S*R*R.T*S*R", "R.T*S*S*R"),
    (WORDS, "u.T*P*v", "v.T*P*u"),
    (REAL, "(x+y)**3/(x**2-y**2)", "(x**2+2*x*y+y**2)/(x-y)"),
    (REAL, "exp(x/(x+y))*exp(y/(x+y))", "E"),
    (REAL, "log(a**2-b**2*0)+log(b)", "2*log(a)+log(b)"),
    (REAL, "sqrt(a*b)*sqrt(a/b)", "a"),
    (REAL, "a**x*b**x", "(a*b)**x"),
    (REAL, "cos(pi/5)*cos(2*pi/5)", "1/4"),
    (REAL, "sqrt(2)*cos(pi/4)+sqrt(3)*tan(pi/3)", "4"),
    (REAL, "Max(x,y)+Min(x,y)", "x+y"),
    (REAL, "Abs(x*y)", "Abs(x)*Abs(y)"),
    (REAL, "conjugate(zeta)*zeta", "re(zeta)**2+im(zeta)**2"),
    (REAL, "Sum(binomial(m,l),(l,0,m))", "2**m"),
    (REAL, "Derivative(x**2*log(a*x**2+1),x)", "2*x*log(a*x**2+1)+2*a*x**3/(a*x**2+1)"),
    (REAL, "tanh(x/2)", "2*logistic(x)-1"),
)
FALSE = (
    (KURAMOTO, "-sin(s[t])*Sum(B[u]*cos(s[u]),(u,1,t))+cos(s[t])*Sum(B[u]*sin(s[u]),(u,1,t))",
     "Sum(B[u]*sin(s[t]-s[u]),(u,1,t))"),
    (KURAMOTO, "Sum(w[u]*cos(th[u]),(u,1,n))**2+Sum(w[u]*sin(th[u]),(u,1,n))**2",
     "Sum(Sum(w[u]*w[v]*cos(th[u]+th[v]),(u,1,n)),(v,1,n))"),
    (KURAMOTO, "Sum(A[u],(u,1,n))*Sum(th[u],(u,1,n))", "Sum(A[u]*th[u],(u,1,n))"),
    (KURAMOTO, "Derivative(Sum(A[u]*sin(th[u]-th[i]),(u,1,n)),th[i])",
     "-Sum(A[u]*cos(th[u]-th[i]),(u,1,n))"),
    (WORDS, "A*B", "B*A"), (WORDS, "Trace(K.T*Inverse(K*K.T)*K)", "r"),
    (WORDS, "Determinant(R)", "1"), (WORDS, "R", "R.T"),
    (WORDS, "Inverse(a*Identity(d)+K*K.T)",
     "Identity(d)/a+K*Inverse(a*Identity(r)+K.T*K)*K.T/a"),
    (REAL, "Sum(1,(l,1,n))", "n"), (REAL, "Sum(2**l,(l,0,n))", "2**(n+1)-1"),
    (REAL, "exp(x*y)", "exp(x)*exp(y)"), (REAL, "sqrt(x**2)", "x"), (REAL, "Abs(x)", "x"),
    (REAL, "sin(2*x)", "2*sin(x)"), (REAL, "(-1)**n", "1"), (REAL, "exp(I*pi*n)", "1"),
    (REAL, "cos(pi/5)", "(sqrt(5)-1)/4"), (REAL, "log(a+b)", "log(a)+log(b)"),
    (REAL, "re(zeta**2)", "re(zeta)**2"), (REAL, "floor(x+y)", "floor(x)+floor(y)"),
    (REAL, "2*log(3)", "3*log(2)"), (REAL, "Derivative(a**x,x)", "x*a**(x-1)"),
)
UNDECIDED = (
    (REAL, "Integral(x,(x,0,1))", "1/2"), (REAL, "Limit(sin(x)/x,x,0)", "1"),
    (REAL, "atan(a)+atan(1/a)", "pi/2"), (REAL, "log(-1-x**2)", "7"),
    (REAL, "sqrt((1+cos(x))/2)", "cos(x/2)"), (REAL, "cos(pi/11)", "x"),
)


def statement(symbols: dict, left: str, right: str, given: tuple = (), **more) -> Statement:
    chain = statements(Claim("c", symbols=symbols, given=given, start=left,
                             steps=(Step(more.pop("relation", "="), right),), **more))
    assert not chain.errors, chain.errors
    return chain.steps[0]


@pytest.mark.parametrize(("symbols", "left", "right"), TRUE)
def test_true(symbols, left, right):
    assert all(agree(statement(symbols, left, right), seed=k) is True for k in range(3))


@pytest.mark.parametrize(("symbols", "left", "right"), FALSE)
def test_false(symbols, left, right):
    assert agree(statement(symbols, left, right)) is False


@pytest.mark.parametrize(("symbols", "left", "right"), UNDECIDED)
def test_undecided(symbols, left, right):
    assert agree(statement(symbols, left, right)) is None


def test_other_relations_are_not_its_business():
    assert agree(statement({"x": "real"}, "x", "x+1", relation="<=")) is None


GIVEN = (
    ({"n": "integer >= 1", "w": "real[1..n] >= 0"}, ("Sum(w[u],(u,1,n)) = 1",),
     "Sum(Sum(w[u]*w[v],(u,1,n)),(v,1,n))", "1", True),
    ({"n": "integer >= 1", "w": "real[1..n] >= 0"}, (), "Sum(w[u],(u,1,n))", "1", False),
    ({"T": "integer >= 1", "S": "real[1..T, 1..T]", "A": "real[1..T, 1..T]", "t": "index 1..T"},
     ("A[a,b] = exp(S[a,b])/Sum(exp(S[a,v]),(v,1,a)) for a in 1..T, b in 1..a",),
     "Sum(A[t,u],(u,1,t))", "1", True),
    ({"T": "integer >= 1", "A": "real[1..T, 1..T]", "t": "index 1..T"},
     ("A[a,b] = 0 for a in 1..T, b in a+1..T",), "Sum(A[t,u],(u,1,T))", "Sum(A[t,u],(u,1,t))",
     True),
    ({"d": "integer >= 1", "H": "matrix(d, d) symmetric positive definite",
      "S": "matrix(d, d) symmetric positive definite"}, ("H*H = S",),
     "Inverse(H)*S*Inverse(H)", "Identity(d)", True),
    ({"x": "real", "y": "real"}, ("x = 2*y+1",), "x-1", "2*y", True),
    ({"r": "real > 0", "x": "real"}, ("r**2 = 1+x**2",), "r", "sqrt(1+x**2)", None),
    ({"x": "real"}, ("x < 0", "x > 0"), "x", "1", None),
    ({"x": "real"}, ("x <= 1", "x >= 1"), "x", "1", True),
)


@pytest.mark.parametrize(("symbols", "given", "left", "right", "answer"), GIVEN)
def test_facts_are_respected(symbols, given, left, right, answer):
    assert agree(statement(symbols, left, right, given)) is answer


def test_definitions_and_rates():
    let = {"m": "x**2"}
    assert agree(statement({"x": "real"}, "Derivative(m,x)", "2*x", let=let)) is True
    assert agree(statement({"x": "real"}, "Derivative(m,x)", "0", let=let)) is False
    flow = {"d": "integer >= 1", "A": "matrix(d, d)", "S": "matrix(d, d) symmetric", "t": "real"}
    rates = {"S": "A*S+S*A.T", "A": "0*A"}
    assert agree(statement(flow, "Derivative(Trace(S*S),t)", "4*Trace(A*S*S)", rates=rates))
    still = {"x": "y"}
    names = {"x": "real", "y": "real", "t": "real"}
    assert agree(statement(names, "Derivative(y,t)", "0", rates=still)) is None


def test_pairs_equal_by_construction_are_never_called_different():
    for seed in range(150):
        symbols, given, left, right, equal, _ = pair(random.Random(seed))
        if equal:
            assert agree(Statement(symbols, given, "=", left, right), seed=seed) is not False, seed


def test_fields_keep_their_promises():
    for k, (p, r, g) in enumerate(PRIMES):
        f = field(k)
        assert p == TURN * r + 1 and p % 11 != 1
        assert pow(g, (p - 1) // 2, p) == p - 1
        assert pow(f.unity, TURN, p) == 1 and pow(f.unity, TURN // 2, p) == p - 1
        for q in (2, 3, 5, 7):
            assert square_root(f, q) ** 2 % p == q
        assert all(pow(x, 12, p) == pow(5, 12, p) for x in roots(f, pow(5, 12, p), 12))
        assert (turn(f, factor_half()) ** 2 + 1) % p == 0


def factor_half():
    from fractions import Fraction
    return Fraction(1, 2)


def test_factoring_and_rational_reconstruction():
    assert factor(360) == (((2, 3), (3, 2), (5, 1)), True)
    f = field(0)
    assert small_rational(f, 22 * pow(7, -1, f.p) % f.p) == factor_half() * 44 / 7
