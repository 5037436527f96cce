"""Certificates made in bad faith: (statement, certificate without hash, why it must fail).

`granted(row)` gives the level that the kernel grants; PROVED and CERTIFIED are faults.
"""

from symbolic.kernel.check import Fault, check
from symbolic.kernel.statement import Certificate, Level, read

REAL, WHOLE = ["real"], ["integer"]
SQUARE = ["matrix", "n", "n", "invertible"]
SIZE = ["trace", ["*", ["inv", "A"], "A"]]
ONE_OFF = ["+", ["^", ["+", SIZE, ["-", "n"]], 2], ["-", 1]]
NEVER_SMALL = [["^", ["+", "n", ["-", j]], 2] for j in range(1, 13)]
NORMAL = {"rule": "normal"}


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


def granted(row: tuple) -> Level | None:
    """The level granted, None where the attack stopped the kernel (a fault all the same)."""
    statement, data = read(row[0]), dict(row[1])
    try:
        return check(statement, Certificate(statement.digest, data.pop("rule"), data)).level
    except Fault:
        return None
