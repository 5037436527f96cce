"""The closure is derived: exact numbers, near-misses that differ from it, refusals explained."""

import functools

import pytest
from sympy import Matrix, MatrixSymbol, Rational, Symbol, cancel, exp, eye, simplify

from symbolic.claim import Claim, derived, equals, statements
from symbolic.formulas import gaussian, slopes
from symbolic.kernel.statement import Level
from symbolic.prove import prove

S, A = Matrix([[2, 1], [1, 1]]), Matrix([[1, 2], [0, 1]])
V, ALPHA = Matrix([[0, 1], [-1, 1]]), Matrix([1, 0])
Q, K = Matrix([[1, 1], [0, 1]]), Matrix([[1, 0], [1, 1]])
DATA = {"S": S, "A": A, "V": V, "alpha": ALPHA, "Q": Q, "K": K}


def at(side, **more):
    """The value of a derived matrix at the data of T1, T2 and T11."""
    values = {}
    for name, value in {**DATA, **more}.items():
        letter = MatrixSymbol(name, *value.shape)
        values |= {letter[i, j]: value[i, j] for i in range(value.rows) for j in range(value.cols)}
    return side.xreplace(values).applyfunc(cancel)


def statement(symbols, start, right, given=(), let=None):
    claim = Claim(name="gaussian.test", symbols=symbols, given=given, let=let or {}, start=start,
                  steps=(equals(right),))
    chain = statements(claim, {}, {}, {})
    assert not chain.errors
    return chain.steps[0]


def symbols(d, **more):
    square = f"matrix({d}, {d})"
    return {"V": square, "S": square + " symmetric positive definite", "A": square,
            "alpha": f"vector({d})", "x": f"vector({d})", **more}


def test_T1_field_and_mean():
    found = gaussian.derive("softmax", 2)
    assert at(found.field, x=Matrix([1, 1])) == Matrix([4, -4])
    assert at(found.mean_rate) == Matrix([1, -2])


def test_T2_covariance():
    assert at(gaussian.derive("softmax", 2).covariance_rate) == Matrix([[10, 0], [0, -6]])


def test_T11_L2_with_two_rows():
    found = gaussian.derive("l2", 2, 2)
    assert at(found.mean_rate) == Matrix([-8, -21]) / 19
    assert at(found.covariance_rate) == Matrix([[4, -24], [-24, -36]]) / 19


def test_T7_T8_on_the_line():
    """Sinkhorn's S' = sqrt(4 S^2 + 1) - 1 for v = a = eps = 1, linear M' = 2 v a M^2."""
    a, s, eps = Symbol("a", real=True), *(Symbol(n, positive=True) for n in ("s", "eps"))
    slope = gaussian.solved_marginal().subs({a: 1, eps: 1})
    assert simplify(2 * slope * s - ((4 * s**2 + 1) ** Rational(1, 2) - 1)) == 0
    found = gaussian.derive("linear", 1)
    line = {"S": Matrix([[Rational(1, 2)]]), "A": Matrix([[Rational(9, 10)]]),
            "V": Matrix([[Rational(7, 10)]]), "alpha": Matrix([Rational(13, 10)])}
    moment = at(found.covariance_rate, **line) + 2 * line["alpha"] * at(found.mean_rate, **line)
    M = Rational(1, 2) + Rational(169, 100)
    assert moment[0] == 2 * Rational(63, 100) * M**2


def test_the_stated_forms_of_the_summaries_that_are_wrong():
    """A third-party card has VS + SV' added; T2 tells."""
    wrong = V * S + S * V.T + S * A * S * V.T + V * S * A.T * S
    assert wrong == Matrix([[16, 2], [2, -2]]) != at(gaussian.derive("softmax", 2).covariance_rate)


NEAR = {  # each near-miss against the derived side of the same name
    "field, A' for A": ("softmax", "field", "V*(alpha + S*A.T*x)"),
    "covariance, a lost transpose": ("softmax", "covariance_rate", "V*S*A*S + S*A*S*V.T"),
    "covariance, V on the wrong side": ("softmax", "covariance_rate", "S*A*S*V + V.T*S*A.T*S"),
    "mean, without the field's own V": ("softmax", "mean_rate", "V*alpha + S*A*alpha"),
    "linear, S for M": ("linear", "covariance_rate", "V*S*A*S + S*A.T*S*V.T"),
    "linear, M M for M S": ("linear", "covariance_rate",
                            "V*(S + alpha*alpha.T)*A*(S + alpha*alpha.T)"
                            " + (S + alpha*alpha.T)*A.T*(S + alpha*alpha.T)*V.T"),
    "Sinkhorn, S for T": ("sinkhorn", "covariance_rate", "V*S*A*S + S*A.T*S*V.T"),
    "Sinkhorn, A' for A": ("sinkhorn", "covariance_rate", "V*T*A.T*S + S*A*T*V.T"),
    "heads, one for both": ("multihead", "covariance_rate",
                            "(V + V2)*S*A*S + S*A.T*S*(V + V2).T"),
    "heads, values crossed": ("multihead", "mean_rate",
                              "V*(alpha + S*A2*alpha) + V2*(alpha + S*A*alpha)"),
}


@pytest.mark.parametrize("name", NEAR)
@pytest.mark.parametrize("d", [2])
def test_near_misses_do_not_equal_what_is_derived(name, d):
    variant, part, text = NEAR[name]
    square = f"matrix({d}, {d})"
    more = {"T": square + " symmetric positive definite", "eps": "real > 0", "V2": square,
            "A2": square}
    side = derived(getattr(gaussian.derive(variant, d), part))
    found = prove(statement(symbols(d, **more), text, side), seconds=10)
    assert found.verdict.level is Level.REFUTED


@pytest.mark.parametrize(("name", "text"), [
    ("lost 2 in the precision", "2*V*Inverse(eye(2) + S*K.T*K)*S*K.T*Q"),
    ("lost 2 in the pull", "V*Inverse(eye(2) + 2*S*K.T*K)*S*K.T*Q"),
    ("factors turned", "2*V*Inverse(eye(2) + 2*K.T*K*S)*S*K.T*Q"),
    ("Q'K for K'Q", "2*V*Inverse(eye(2) + 2*S*K.T*K)*S*Q.T*K")])
def test_near_misses_of_L2(name, text):
    more = {"Q": "matrix(1, 2)", "K": "matrix(1, 2)"}
    found = prove(statement(symbols(2, **more), text, derived(gaussian.derive("l2", 2).B)),
                  seconds=10)
    assert found.verdict.level is Level.REFUTED, name


def test_L2_with_full_scores_equals_the_stated_one():
    """Q and K of two rows: the page has one row, for the print."""
    more = {"Q": "matrix(2, 2)", "K": "matrix(2, 2)"}
    given = ("Determinant(eye(2) + 2*S*K.T*K) != 0",)
    right = derived(gaussian.derive("l2", 2, 2).B)
    found = prove(statement(symbols(2, **more),
                            "2*V*Inverse(eye(2) + 2*S*K.T*K)*S*K.T*Q", right, given), by="normal")
    assert (found.verdict.level, found.verdict.where) == (Level.PROVED, ())


@pytest.mark.parametrize("variant", [v for v in gaussian.FIELDS if v != "sigmoid"])
def test_whole_covariance_at_three_dimensions(variant):
    """All nine entries, which the page leaves as BS + SB'."""
    found = gaussian.derive(variant, 3)
    square = "matrix(3, 3)"
    more = {"T": square + " symmetric positive definite", "eps": "real > 0", "V2": square,
            "A2": square, "B": square}
    scored = {"Q": "matrix(1, 3)", "K": "matrix(1, 3)"} if variant == "l2" else {}
    given = ("Determinant(eye(3) + 2*S*K.T*K) != 0",) if variant == "l2" else ()
    stated = {"softmax": "V*S*A*S + S*A.T*S*V.T",
              "multihead": "V*S*A*S + S*A.T*S*V.T + V2*S*A2*S + S*A2.T*S*V2.T",
              "linear": "V*(S + alpha*alpha.T)*A*S + S*A.T*(S + alpha*alpha.T)*V.T",
              "sinkhorn": "V*T*A*S + S*A.T*T*V.T",
              "l2": "2*V*Inverse(eye(3) + 2*S*K.T*K)*S*K.T*Q*S"
                    " + 2*S*Q.T*K*S*Inverse(eye(3) + 2*K.T*K*S)*V.T"}[variant]
    done = prove(statement({**symbols(3), **more, **scored}, stated,
                           derived(found.covariance_rate), given), by="normal")
    assert done.verdict.level is Level.PROVED


def test_the_rates_are_moments_of_the_field():
    """E[Gamma (x - alpha)'] + its transpose, term by term, is the rate of the covariance."""
    found = gaussian.derive("softmax", 2)
    z = Matrix([Symbol("z1"), Symbol("z2")])
    moved = found.field.xreplace(dict(zip(found.x, found.law.mean + z, strict=True)))
    product = (moved * z.T + z * moved.T).expand()

    def expectation(entry):
        poly = entry.as_poly(*z)
        law = found.law.covariance
        second = {(2, 0): law[0, 0], (1, 1): law[0, 1], (0, 2): law[1, 1]}
        assert poly.total_degree() <= 2
        return sum(c * second.get(m, 0) for m, c in poly.terms())

    assert (product.applyfunc(expectation) - found.covariance_rate).expand() == 0 * S


@pytest.mark.parametrize("d", [1, 2])
def test_sigmoid_is_refused_with_the_reason(d):
    with pytest.raises(gaussian.NotGaussian, match="not quadratic in y.*second slope.*particles"):
        gaussian.derive("sigmoid", d)


def test_a_field_that_is_not_affine_is_refused():
    """The kernel -|x|^2 |y|^2 is quadratic in y for each x, but its precision moves with x."""
    z = gaussian.letters(1)
    law = gaussian.tilt(-(z.x.T * z.x) * (z.y.T * z.y), z.law, z.y)
    assert law.covariance.has(z.x[0])
    with pytest.raises(gaussian.NotGaussian, match="not affine in x"):
        gaussian.affine(law.mean, z.x, z.law, z.V)


def test_a_kernel_of_fourth_order_is_refused():
    z = gaussian.letters(2)
    with pytest.raises(gaussian.NotGaussian, match="not quadratic"):
        gaussian.tilt(-(z.y.T * z.y) * (z.y.T * z.y), z.law, z.y)


def test_any_quadratic_kernel_is_tilted():
    """A kernel nobody typed in, -(x1 - y1)^2/2 + y2 x1 - x2 y1 y2: precision and mean by hand."""
    z = gaussian.letters(2)
    x, y = z.x, z.y
    kernel = Matrix([[-(x[0] - y[0]) ** 2 / 2 + y[1] * x[0] - x[1] * y[0] * y[1]]])
    law = gaussian.tilt(kernel, gaussian.Law(Matrix([0, 0]), eye(2)), y)
    precision = Matrix([[2, x[1]], [x[1], 1]])
    assert (law.covariance - precision.inv()).applyfunc(cancel) == 0 * S
    assert (law.mean - precision.inv() * Matrix([x[0], x[0]])).applyfunc(cancel) == 0 * x


def test_moment_of_a_quadratic_kernel_is_the_integral():
    """E[y (y - x)^2] on N(m, s) is m (s + (m - x)^2) + 2 s (m - x): the log-det term counts."""
    z = gaussian.letters(1)
    m, s, x = z.alpha[0], z.S[0], z.x[0]
    gap = z.y - z.x
    found = gaussian.moment(gap * gap, z.law, z.y, z.s)[0]
    assert (found - m * (s + (m - x) ** 2) - 2 * s * (m - x)).expand() == 0


def test_kernel_of_exponentials_is_no_square():
    z = gaussian.letters(1)
    with pytest.raises(gaussian.NotGaussian):
        gaussian.bending((z.x * z.y).applyfunc(exp), z.y)


def test_names_of_entries_are_those_of_the_page():
    found = slopes.named(functools.reduce(lambda p, q: p * q, (gaussian.letters(2).S,) * 2))
    letter = MatrixSymbol("S", 2, 2)
    assert found[0, 1] == letter[0, 0] * letter[0, 1] + letter[0, 1] * letter[1, 1]
