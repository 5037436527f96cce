"""One normal form from TOML, Python, a formula and SymPy; bad input is refused in four parts."""

from fractions import Fraction

import pytest

from infoflow.formula import formula
from infoflow.task import TaskError, build, data, from_data, load, parse, shipped_tasks, term

A = {"matrices": ["A", "B"], "vectors": ["b"]}
TEXT = """
name = "pair"
d = 3
matrices = ["A", "B"]
vectors = ["b"]
[[term]]
op = "max"
over = ["s", "t"]
objective = "2*x[s] @ A @ x[t] - x[s] @ b"
"""


def objective(text, over="s t", **keys):
    return build("t", term("max", over, text), d=3, **{**A, **keys}).terms[0].objective


def test_toml_python_formula_and_sympy_give_the_same_task():
    import sympy
    one = parse(TEXT)
    assert build("pair", term("max", "s t", "2*x[s] @ A @ x[t] - x[s] @ b"), d=3, **A) == one
    words = formula("max over s, t of 2*x[s] @ A @ x[t] - x[s] @ b", 3)
    assert words.terms == one.terms
    s, t, A_, b = (sympy.MatrixSymbol(n, *size) for n, size in
                   (("x_s", (3, 1)), ("x_t", (3, 1)), ("A", (3, 3)), ("b", (3, 1))))
    matrix = 2 * s.T * A_ * t - s.T * b
    assert build("pair", term("max", "s t", matrix), d=3, **A) == one
    X, M, v = map(sympy.IndexedBase, ("x", "A", "b"))
    p, q, i, j = sympy.symbols("s t i j", integer=True)
    coordinates = sympy.Sum(2 * X[p, i] * M[i, j] * X[q, j], (i, 1, 3), (j, 1, 3)) \
        - sympy.Sum(X[p, i] * v[i], (i, 1, 3))
    assert build("pair", term("max", "s t", coordinates), d=3, **A) == one


@pytest.mark.parametrize(("one", "two"), [
    ("norm2(x[s] + x[t])", "x[s]@x[s] + 2*x[s]@x[t] + x[t]@x[t]"),
    ("x[s] @ A @ x[t]", "x[t] @ A.T @ x[s]"),
    ("x[s] @ (A + B) @ x[t]", "x[s] @ A @ x[t] + x[s] @ B @ x[t]"),
    ("(A @ x[s]) @ (B @ x[t])", "x[s] @ A.T @ B @ x[t]"),
    ("dot(x[s], I @ x[t])/2", "0.5 * x[t] @ x[s]"),
    ("norm2(x[s] - x[t]) + norm2(x[s] + x[t])", "2*x[s]@x[s] + 2*x[t]@x[t]"),
    ("x[s] @ A @ x[s] + x[t]@b", "x[s] @ A.T @ x[s] + b.T@x[t]"),
    ("x[s]@x[t] + 3 - 3", "x[s]@x[t]"),
])
def test_equal_objectives_are_the_same_data(one, two):
    assert objective(one) == objective(two)


def test_different_objectives_are_not():
    assert objective("x[s] @ A @ x[t]") != objective("x[t] @ A @ x[s]")
    same = {"matrices": [], "symmetric": ["A"]}
    assert objective("x[s] @ A @ x[t]", **same) == objective("x[t] @ A @ x[s]", **same)


def test_a_matrix_of_one_number_is_symmetric():
    one, two = (build("t", term("max", "s t", f"x[s] @ {m} @ x[t] + b @ x[s]"), d=1, **A)
                for m in ("A", "A.T"))
    assert one == two and from_data(data(one)) == one


def test_a_minimum_is_the_maximum_of_the_negative():
    least, most = (build("t", term(op, "s", f"{sign}b @ x[s] + 1"), d=3, **A).terms[0]
                   for op, sign in (("min", ""), ("max", "-")))
    assert least.objective == most.objective and (least.sign, most.sign) == (-1, 1)
    assert least.offset == (((), Fraction(1)),)


@pytest.mark.parametrize("name", shipped_tasks())
def test_shipped_tasks_read_back_from_their_data(name):
    task = load(name)
    assert task.name == name and task.says
    assert from_data(data(task)) == task


def test_there_are_enough_shipped_tasks():
    assert len(shipped_tasks()) >= 20


BAD = {
    "index not in over": (term("max", "s", "x[s] @ x[t]"), r"'x\[t\]'.*index of `over`"),
    "index misspelled": (term("max", "spin t", "x[spin] @ x[t] + x[spim] @ b"), "did you mean"),
    "empty over": (term("max", "", "x[1] @ b"), "index names"),
    "duplicate over": (term("max", "s s", "x[s] @ b"), "'s' twice"),
    "index that cancels": (term("max", "s t", "x[s] @ x[s]"), "'t', which is not in"),
    "index that cancels out": (term("max", "s t", "x[s]@x[s] + x[t]@b - b@x[t]"), "cancels"),
    "vector objective": (term("max", "s", "A @ x[s]"), "a vector as objective"),
    "matrix objective": (term("max", "s", "A"), "a matrix as objective"),
    "star for at": (term("max", "s t", "x[s]*x[t]"), r"'x\[s\]\*x\[t\]'.*use @"),
    "power": (term("max", "s", "(x[s]@b)**2"), "norm2"),
    "product of scores": (term("max", "s t", "(x[s]@b)*(x[t]@b)"), 'fn\\("f"'),
    "unknown name": (term("max", "s", "x[s] @ c"), "unknown name in 'c'"),
    "unknown op": (term("maximum", "s", "x[s] @ b"), "op = 'maximum'"),
    "a call": (term("max", "s", "__import__('os').system('ls')"), "found .*__import__"),
    "a call by name": (term("max", "s", "open(x[s])"), "unknown function"),
    "a lambda": (term("max", "s", "(lambda: 0)()"), "found"),
    "a comprehension": (term("max", "s", "[x[s] for s in b]"), "found"),
    "an attribute": (term("max", "s", "x[s].real @ b"), r"no attribute but \.T"),
    "syntax": (term("max", "s", "x[s] @ @ b"), "an expression"),
    "brackets": (term("max", "s", "(x[s] @ b"), "an expression"),
    "empty": (term("max", "s", " "), "an empty objective"),
    "monotone inside": (term("max", "s", "norm(x[s]) + 1"), "around the whole objective"),
    "norm of a number": (term("max", "s", "norm2(x[s] @ b)"), "a vector inside the norm"),
    "position 0": (term("read", "", "x[0]"), "a position in 1..T"),
    "bare x": (term("max", "s", "x @ b"), "a token"),
    "unlike kinds": (term("max", "s", "x[s] + 1"), "a vector and a scalar"),
    "not ASCII": (term("max", "s", "x[s] @ β"), "ASCII"),
    "k without kth": (term("max", "s", "x[s] @ b", k=2), "k with kth_max"),
    "kth without k": (term("kth_max", "s", "x[s] @ b"), "without k"),
    "kth of pairs": (term("kth_max", "s t", "x[s] @ x[t]", k=2), "one index"),
    "k = 0": (term("kth_max", "s", "x[s] @ b", k=0), "k = 0"),
    "mean of pairs": (term("mean", "s t", "x[s] @ x[t]"), "over one index"),
    "mean of a norm": (term("mean", "s", "norm(x[s])"), "inside a mean"),
    "read beside a max": (term("max", "s", "x[s] @ b", read="x[s]"),
                          "read with argmin or argmax only"),
    "weight": (term("max", "s", "x[s] @ b", weight=float("nan")), "weight"),
    "distinct single": (term("max", "s", "x[s] @ b", distinct=True), "distinct"),
    "unknown key": (term("max", "s", "x[s] @ b", ovr=1), "the key 'ovr'"),
    "opaque without name": (term("max", "s", "fn(x[s])"), "a name in quotation marks"),
    "too deep": (term("max", "s", "(" * 300 + "x[s]" + ")" * 300), "found"),
    "too long": (term("max", "s", "x[s]@b" + "+x[s]@b" * 2000), "at most 4000"),
    "k beside a mean": (term("mean", "s", "x[s]", k=2), "k with kth_max only"),
    "read beside a rank": (term("kth_max", "s", "x[s] @ b", k=2, read="x[s]"), "read = "),
    "a rank too high": (term("kth_max", "s", "x[s] @ b", k=10**6), "k in 1..64"),
    "hexadecimal": (term("max", "s", "0x10*x[s] @ b"), "'0x10'.*a decimal number"),
    "endless number": (term("max", "s", "1e99999999*x[s] @ b"), "'1e99999999'"),
    "many large numbers": (term("max", "s", "1e200*1e200*x[s] @ b"), "beyond floating point"),
    "endless weight": (term("max", "s", "x[s] @ b", weight="1e99999999"), "weight"),
    "five hundred summands": (term("max", "s", "+".join(["x[s]@b"] * 500)), "one inside another"),
    "signs": (term("max", "s", "-" * 1500 + "x[s]@b"), "one inside another"),
    "an expansion": (term("max", "s", "b@" + "@".join(["(A+B)"] * 40) + "@x[s]"), "2000 products"),
    "a neighbour": (term("max", "s", "x[s] @ x[s-1]"), r"'x\[s-1\]'.*read = \"x\[t\+1\]\""),
    "two sizes of a function": (term("max", "s t", 'fn("f", x[s]) + fn("f", x[s], x[t])'),
                                "one number of tokens"),
    "a function called as a matrix": (term("max", "s", 'fn("A", x[s])'), "a letter"),
    "whole": (term("whole", "", "x"), "a function of the whole sequence"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_terms_are_refused_in_four_parts(case):
    bad, message = BAD[case]
    with pytest.raises(TaskError, match=message) as caught:
        build("t", bad, d=3, **A)
    assert "\n" not in str(caught.value)
    assert all((caught.value.where, caught.value.found, caught.value.needed, caught.value.todo))


@pytest.mark.parametrize(("text", "message"), [
    ("d = 3", "name = None"), ('name = "a"', "no d"), ('name = "a"\nd = 0', "d = 0"),
    ('name = "a"\nd = 1.5', "d = 1.5"), ('name = "a"\nd = 2', "no term"),
    ('name = "a"\nd = 2\nT = 0\n[[term]]\nop = "read"\nobjective = "x[1]"', "T = 0"),
    ('name = "a"\nd = 2\nT = 2\n[[term]]\nop = "read"\nobjective = "x[3]"', r"position in 1\.\.2"),
    ('name = "a"\nd = 2\nmatrices = ["x"]\n', "'x' in matrices"),
    ('name = "a"\nd = 2\nmatrices = ["A"]\nvectors = ["A"]\n', "'A' twice"),
    ('name = "a"\nd = 2\nouter = "product"\n', "outer = 'product'"),
    ('name = "a"\nd = 2\nterm = 3', "no term"), ("name = ", "not TOML"),
    ('name = "a"\nd = 2\nterms = 3', "did you mean term"), ('name = "a\\nb"\nd = 2', "name = "),
    ('name = "a"\nd = ' + "9" * 5000, "not TOML"),
    ('name = "a"\nd = 2\n' + '[[term]]\nop = "read"\nobjective = "x[1]"\n' * 65, "65 terms"),
    ('name = "a"\nd = 2\nT = 3\n[[term]]\nop = "kth_max"\nk = 4\nover = ["t"]\n'
     'objective = "x[t]@x[t]"', "k = 4; needed k in 1..3"),
    ('name = "a"\nd = 2\nT = 1\n[[term]]\nop = "max"\ndistinct = true\nover = ["s", "t"]\n'
     'objective = "x[s]@x[t]"', "2 distinct indices for T = 1"),
])
def test_bad_files_are_refused(text, message):
    with pytest.raises(TaskError, match=message) as caught:
        parse(text, "a.toml")
    assert str(caught.value).startswith("a.toml") and "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "message"), [
    ("hello", "an extremum"), ("", "a text"), ("maxx over s of x[s]@b", "did you mean max"),
    ("max over s of x[s]@b max over t of x[t]@b", "between extrema"),
    ("sum over i in 1..900 of max over t of w@x[t]", "1 to 64"),
    ("sum over i in 3..1 of max over t of w@x[t]", "1 to 64"),
    ("max over s of min over t of x[s]@x[t]", "one extremum"),
    ("max over s of", "an empty objective"), ("a max over s of x[s]@b", "a sign and a number"),
    ("max over s, s of x[s]@b", "'s' twice"), ("max over s of x[s]@b + ", "an expression"),
])
def test_bad_formulas_are_refused(text, message):
    with pytest.raises(TaskError, match=message):
        formula(text, 3)


def test_formulas_read_as_they_are_said():
    three = formula("sum over i in 1..3 of max over s, t of x[s] @ A[i] @ x[t]", 4)
    assert three.matrices == ("A1", "A2", "A3") and len(three.terms) == 3
    mixed = formula("2*max over t of w @ x[t] - kth_max[2] over t of w @ x[t]"
                    " + mean over t of fn(\"f\", x[t]) + read x[1]", 4)
    assert [(t.op, t.weight, t.k) for t in mixed.terms] == [
        ("max", 2, 1), ("kth", -1, 2), ("mean", 1, 1), ("read", 1, 1)]
    grouped = formula("-3*(max over t of w@x[t] + min over t of w@x[t])", 4)
    assert [t.weight for t in grouped.terms] == [-3, -3]
