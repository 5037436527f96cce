"""Certificates made in bad faith: (statement, certificate without hash, why it must fail).

`granted(row)` gives the level that the kernel grants; PROVED and CERTIFIED are faults.
"""

from symbolic.kernel.check import Fault, check
from symbolic.kernel.statement import Certificate, Level, read
from symbolic.kernel.term import Malformed

REAL, WHOLE = ["real"], ["integer"]
SQUARE = ["matrix", "n", "n", "invertible"]
SIZE = ["trace", ["*", ["inv", "A"], "A"]]
ONE_OFF = ["+", ["^", ["+", SIZE, ["-", "n"]], 2], ["-", 1]]
NEVER_SMALL = [["^", ["+", "n", ["-", j]], 2] for j in range(1, 13)]
NORMAL = {"rule": "normal"}
SLOPE = ["diff", ["log", "y"], "y"]
IMAGINARY = ["trace", ["*", ["T", ["*", ["i"], "A"]], ["*", ["i"], "A"]]]


def _statement(symbols, given, relation, left, right, **more):
    return {"symbols": [[n, s] for n, s in symbols.items()], "given": given,
            "relation": relation, "left": left, "right": right, **more}


CERTIFICATES = [
    (_statement({"n": WHOLE, "A": SQUARE}, [["<=", 1, "n"]], "<=", 0,
                ["*", ["+", "n", ["-", 1]], ONE_OFF]),
     {"rule": "induction", "variable": "n", "start": 1, "here": NORMAL, "then": NORMAL},
     "induction over a size: the terms move, the declared sorts do not; false at n = 2"),
    (_statement({"n": WHOLE, "A": SQUARE}, [["<=", 1, "n"]], "<=", 0,
                ["*", *NEVER_SMALL, ONE_OFF]),
     {"rule": "induction", "variable": "n", "start": 1, "here": NORMAL, "then": NORMAL},
     "the same, false from n = 13 on only, so that the attack at small sizes sees nothing"),
    (_statement({}, [], "<", 0, ["exp", ["-", ["oo"]]]), {"rule": "sign"},
     "infinity as a number: exp(-oo) is no positive number"),
    (_statement({"n": WHOLE}, [["<=", 0, "n"]], "<=", ["prod", 0, "k", 1, "n"], 0),
     {"rule": "sign"}, "an empty product of zeros is 1"),
    (_statement({"n": WHOLE}, [["<=", 0, "n"]], "=", ["^", ["cos", ["/", ["pi"], 2]], "n"], 0),
     {"rule": "points", "point": {"n": 0}},
     "REFUTED by 0**0: a ball around zero to a symbolic power that is zero is not 1 (trap 44)"),
    (_statement({"x": REAL}, [], "=", ["diff", ["abs", ["exp", ["*", ["i"], "x"]]], "x"], 0),
     {"rule": "points", "point": {"x": 1}},
     "REFUTED though true: the slope of the modulus of a complex value"),
    (_statement({"t": REAL, "A": ["matrix", 2, 2], "B": ["matrix", 2, 2]}, [], "=",
                ["diff", ["^", "A", 2], "t"], ["+", ["*", "A", "B"], ["*", "B", "A"]],
                rates=[["A", "t", "B"]]),
     {"rule": "points", "point": {"t": 0, "A": [[1, 1], [1, 1]], "B": [[0, -1], [0, 0]]}},
     "REFUTED though true: the product rule for the square of a matrix"),
    (_statement({"x": REAL}, [], "=", "x", "x"),
     {"rule": "transfer", "side": "left", "value": "x", "equal": NORMAL, "by": {
         "rule": "transfer", "side": "left", "value": ["+", "x", 1],
         "equal": {"rule": "citation", "key": "anything"},
         "by": {"rule": "points", "point": {"x": 0}}}},
     "REFUTED, and what the inner refutation rests on is dropped: x = x at x = 0"),
    (_statement({"n": WHOLE, "A": ["matrix", "n", "n"]}, [], "<=", 0,
                ["-", ["*", *NEVER_SMALL, ["trace", ["*", ["T", "A"], "A"]]]]),
     {"rule": "combination", "terms": [["*", *NEVER_SMALL, IMAGINARY]]},
     "i comes in with the certificate: (iA)^T (iA) is real and no square; false from n = 13 on"),
    (_statement({"x": REAL}, [], "=", ["diff", ["log", "x"], "x"], ["/", 1, ["abs", "x"]]),
     {"rule": "transfer", "side": "left", "value": ["/", 1, "x"], "equal": NORMAL,
      "by": {"rule": "points", "point": {"x": -1}}},
     "REFUTED though true: the side replaced is not defined as written where log x is not"),
    (_statement({"x": REAL, "y": REAL}, [["!=", "y", 0]], "O",
                ["/", ["+", ["abs", SLOPE], ["-", SLOPE]], "x"], 1, limit=["x", 0, 1]),
     {"rule": "taylor", "radius": 1, "power": 1, "point": {"y": -1}},
     "REFUTED though true: the top is zero wherever log y, as written, is defined"),
    (_statement({"x": REAL, "y": REAL}, [], "O",
                ["/", ["+", ["abs", "y"], ["-", "y"]], ["*", "x", ["exp", ["log", "y"]]]], 1,
                limit=["x", 0, 1]),
     {"rule": "taylor", "radius": 1, "power": 1, "point": {"y": -1}},
     "REFUTED though true: what is divided by is not defined at the point"),
    (_statement({"x": REAL, "r": REAL, "t": REAL}, [], "=",
                ["int", ["diff", "x", "t"], "t", 0, 1], 0, rates=[["x", "t", "r"]]),
     {"rule": "points", "point": {"x": 0, "r": 1, "t": 0}},
     "REFUTED though true: evaluation lets a rate by the outer t into the bound t"),
    (_statement({"x": REAL, "r": REAL, "t": REAL}, [], "=",
                ["int", ["diff", "x", "t"], "r", 0, 1], "r", rates=[["x", "t", "r"]]),
     {"rule": "points", "point": {"x": 0, "r": 1, "t": 0}},
     "REFUTED though true: the rate r is captured by the bound r, which gives 1/2"),
    (_statement({"k": WHOLE}, [["<=", 1, "k"]], "=",
                ["trace", ["sum", ["eye", "k"], "k", 2, 2]], "k"), NORMAL,
     "a size that moves with a bound name escapes as the name outside"),
    (_statement({"n": WHOLE, "M": ["matrix", ["+", "n", 1], ["+", "n", 1], "invertible"]},
                [["<=", 1, "n"]], "=",
                ["sum", ["trace", ["*", "M", ["inv", "M"]]], "n", 1, 3], 9), NORMAL,
     "a size that is a term: a binder of its name changes it"),
    (_statement({"x": REAL, "M": ["matrix", "x", "x", "invertible"]}, [["<=", 1, "x"]], "=",
                ["+", ["/", ["+", ["^", "x", 2], ["-", 1]], 2],
                 ["-", ["*", ["trace", ["*", "M", ["inv", "M"]]], ["+", "x", ["-", 1]]]]], 0),
     {"rule": "constant", "variable": "x", "at": 1, "slope": NORMAL, "here": NORMAL},
     "a size that is a real symbol and moves"),
    (_statement({"n": WHOLE, "d": WHOLE, "X": ["family", ["matrix", "d", "d"],
                                               ["range", "_", 1, "n"]]}, [], "<=", 1, "d"),
     {"rule": "points", "point": {"n": 0, "d": 0, "X": []}},
     "REFUTED though true: an empty family of matrices of size 0"),
    (_statement({"d": WHOLE, "A": ["matrix", "d", "d"]}, [], "=", "A", ["T", "A"]),
     {"rule": "bilinear", "names": ["p", "p"], "by": NORMAL},
     "one vector on both sides: p'Ap = p'A'p for every A"),
    (_statement({"d": WHOLE, "A": ["matrix", "d", "d", "symmetric"]}, [], "psd", "A", 0),
     {"rule": "congruence", "parts": [{"middle": "A", "factor": ["eye", "d"]}]},
     "a middle of no known sign"),
    (_statement({"d": WHOLE, "A": ["matrix", "d", "d", "symmetric"]}, [], "psd", "A", 0),
     {"rule": "vector", "name": "v", "by": {"rule": "combination", "terms": [
         ["^", ["sqrt", ["trace", ["*", ["T", "v"], "A", "v"]]], 2]]}},
     "a condition about the new vector is left open: it must hold for every vector"),
    (_statement({"z": REAL, "y": REAL}, [["=", "z", "y"], ["<", 0, "y"]], "O", ["/", 1, "z"], 1,
                limit=["z", 0, 1]),
     {"rule": "eliminate", "fact": 0, "name": "z", "value": "y", "by": {
         "rule": "bounded", "constant": ["/", 1, "y"], "radius": 1,
         "parts": [{"rule": "sign"}, NORMAL]}},
     "the variable that tends to its end is replaced by a number that does not"),
    (_statement({"x": REAL}, [["<=", 0, "x"], ["<=", "x", 1]], "<=", "x", ["^", "x", 2]),
     {"rule": "concave", "variable": "x", "low": 0, "high": 1, "ends": [NORMAL, NORMAL],
      "bend": {"rule": "sign"}},
     "equal at both ends and convex between"),
    (_statement({"x": REAL}, [["<=", 0, "x"], ["<=", "x", 2]], "<=", ["^", "x", 2], "x"),
     {"rule": "concave", "variable": "x", "low": 0, "high": 1, "ends": [NORMAL, NORMAL],
      "bend": {"rule": "sign"}},
     "concave between 0 and 1, but points lie beyond"),
    (_statement({"x": REAL}, [["<=", ["-", 1], "x"], ["<=", "x", 1]], "<=", "x",
                ["-", ["sqrt", ["+", 1, ["-", "x"]]]]),
     {"rule": "concave", "variable": "x", "low": ["-", 1], "high": 1, "bend": {"rule": "sign"},
      "ends": [{"rule": "sign"}, NORMAL]},
     "a root whose slope has no value at the end"),
    (_statement({"x": REAL}, [], "<=", 1, ["-", 2]),
     {"rule": "increasing", "function": "square", "sides": [1, 4], "equal": [NORMAL, NORMAL],
      "by": {"rule": "sign"}, "sure": {"rule": "sign"}},
     "1 <= 4 are the squares of 1 and -2"),
    (_statement({"x": REAL}, [["<", "x", 0]], "<=", 1, 0),
     {"rule": "increasing", "function": ["times", "x"], "sides": ["x", 0],
      "equal": [NORMAL, NORMAL], "by": {"rule": "sign"}, "sure": {"rule": "sign"}},
     "x <= 0 is x times 1 <= 0, for x < 0"),
    (_statement({"x": REAL, "y": REAL}, [["<", "y", "x"]], "<=", ["*", ["i"], "x"],
                ["*", ["i"], "y"]),
     {"rule": "increasing", "function": ["times", ["-", ["i"]]], "sides": ["y", "x"],
      "equal": [NORMAL, NORMAL], "by": {"rule": "sign"}, "sure": {"rule": "sign"}},
     "no order between values that are not real"),
    (_statement({"x": REAL}, [["<=", 1, "x"]], "<=", "x", ["-", "x"]),
     {"rule": "increasing", "function": "log", "sides": [["log", "x"], ["log", "x"]],
      "equal": [NORMAL, NORMAL], "by": NORMAL, "sure": {"rule": "sign"}},
     "the logarithm of -x is not that of x"),
    (_statement({"t": REAL, "R": ["matrix", 1, 1, "orthogonal"], "B": ["matrix", 1, 1]}, [], "=",
                ["diff", ["*", "R", ["T", "R"]], "t"], ["zeros", 1, 1],
                rates=[["R", "t", "B"]]),
     {"rule": "points", "point": {"t": 0, "R": [[1]], "B": [[1]]}},
     "REFUTED though true: no curve of orthogonal matrices has that rate"),
    (_statement({"x": REAL}, [["<=", ["-", 1], "x"], ["<=", "x", 1]], "<=", 0,
                ["+", ["abs", "x"], ["-", ["/", 1, 2]]]),
     {"rule": "concave", "variable": "x", "low": ["-", 1], "high": 1, "bend": {"rule": "sign"},
      "ends": [{"rule": "sign"}, {"rule": "sign"}]},
     "a kink between the ends, where no second derivative is"),
]

# Statements that must end soon (any certificate, UNKNOWN is fine): each ran for over 25 s.
_TWICE = [["a0", [], ["+", "x", "x"]],
          *([f"a{k}", [], ["+", f"a{k - 1}", f"a{k - 1}"]] for k in range(1, 26))]
_STEEP = ["/", ["*", ["sin", "x"], ["exp", "x"]], ["+", 1, ["^", "x", 2], ["cos", "x"]]]
for _ in range(9):
    _STEEP = ["diff", _STEEP, "x"]
SLOW = [
    _statement({"x": REAL}, [], "=", ["*", "x", ["^", ["^", ["^", 7, 4000], 4000], 20]], 0),
    _statement({"x": REAL}, [], "=", ["^", 3, ["/", 200_000_001, 2]], 0),
    _statement({"x": REAL}, [], "=", ["exp", ["*", 100_000_000, ["log", 3]]], 0),
    _statement({"x": REAL}, [], "=", "a25", 0, let=_TWICE),
    _statement({"x": REAL}, [], "=", _STEEP, 0),
]

# The same under the rule `points` at x = 0: evaluation must end soon, too.
_TINY = ["^", ["^", ["^", ["/", 1, 7], 4000], 4000], 20]  # only numerators are limited
_TRIPLE = ["/", 1, ["+", 1, ["^", "a", 2], ["*", "b", "c"]]]  # evaluation charges for no step
_CELLS = ["abs", ["+", "a", "b", "c"]]
for _name in "abc":
    _TRIPLE = ["sum", _TRIPLE, _name, 1, 2900]
    _CELLS = ["int", _CELLS, _name, 0, 1]
SLOW_AT_POINTS = [
    _statement({"x": REAL}, [], "=", ["*", "x", _TINY], 1),
    _statement({"x": REAL}, [], "=", _TRIPLE, "x"),
    _statement({"x": REAL}, [], "=", _CELLS, "x"),
]


def granted(row: tuple) -> Level | None:
    """The level granted, None where the attack stopped the kernel (a fault all the same)."""
    try:
        statement, data = read(row[0]), dict(row[1])
    except Malformed:
        return Level.UNKNOWN
    try:
        return check(statement, Certificate(statement.digest, data.pop("rule"), data)).level
    except Fault:
        return None
