"""Laws of difficulty: how many parameters an accuracy eps costs, and who says so.

A law is a term in eps, T (tokens), d (numbers a token), E (width of a state), h (heads), L
(layers), n (width of a head). Quoted laws are quoted, from a paper or from summaries of it; ours
name the claims of `proofs/claims` or the tests that hold them. SymPy makes expressions of them on
request, and is not imported before.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symbolic.kernel.term import Term

IF = "InfoFlow, arXiv 2605.17930"
HC = "head count, arXiv 2510.06662"
BOUNDED = ("every weight of the feed-forward nets and of Q, K, V, O is at most 1 in absolute "
           "value, or precision is bounded; only the scale of the softmax is free")
SHALLOW = "the read-out is a two-layer net at CLS"
CLS_ONLY = "the query of CLS does not depend on the tokens and the output is read at CLS alone"


@dataclass(frozen=True)
class Law:
    """A law: `rate` (None for one that is no rate), what it says, its source and standing.

    `kind` is "quoted", "quoted from a summary" or "ours"; `verified_by` names claims or tests, and
    is empty for what is only quoted.
    """

    id: str
    says: str
    rate: Term | None
    kind: str
    source: str
    assumes: tuple[str, ...] = ()
    verified_by: tuple[str, ...] = ()


def _power(exponent: Term) -> Term:
    return ("^", "eps", exponent)


_T0DE = ("/", ("*", "T0", "d"), "E")
LAWS = {law.id: law for law in (
    Law("T1", "min over s, t of x(s).x(t): two layers of one head need O(1/eps) parameters, free "
        "of T; any single layer needs a power of 1/eps that grows linearly in T (constant unknown)",
        _power(("-", 1)), "quoted from a summary", f"{IF}, abstract for the rates",
        (BOUNDED, SHALLOW)),
    Law("T2", "the k-th largest, k >= 2, by one softmax layer needs a power of 1/eps linear in T",
        _power(("-", ("/", ("+", "T", ("-", "k"), ("-", 1)), ("+", "n", 1)))),
        "quoted from a summary", IF, (BOUNDED, SHALLOW)),
    Law("T3", "decoding T0 tokens of d numbers from a state of width E",
        _power(("-", ("max", 0, ("+", _T0DE, ("-", 1))))), "quoted from a summary", IF,
        (BOUNDED, SHALLOW), ("infoflow.decoding.teeth", "tests/numeric/test_decoding.py")),
    Law("H1", "generalised D-retrieval with h = D heads of width 2 in one layer; gamma is the rate "
        "at which a net approximates its functions", _power(("-", "gamma")), "quoted",
        f"{HC}, Theorem 2(1)"),
    Law("H2", "the same with h < D heads, from below",
        _power(("+", 1, ("-", ("/", ("+", ("/", "T", 4), ("-", "h"), ("-", "D"), 1),
                               ("+", ("*", ("+", "n", 1), "h"), 1))))),
        "quoted", f"{HC}, Theorem 2(2)", (BOUNDED, SHALLOW)),
    Law("H3", "one head of width n >= T d memorises the whole input, five layers of ReLU",
        _power(("-", ("+", 1, "gamma"))), "quoted", f"{HC}, Theorem 2(3)"),
    Law("H4", "L layers of h heads need L h >= D for D unary retrievals; with residual states and "
        "tokens that ask, see relay", None, "quoted", f"{HC}, Conjecture 1 and Table 5"),
    Law("relay", "two layers of one head each do three unary maxima: tokens fetch one of them, and "
        "CLS takes it over with the third; plans do not count on this", None, "ours",
        "ours; found by the trial of unary-3", (), ("tests/numeric/test_retrieval.py",)),
    Law("softmin", "the softmax average of scores is above their minimum by at most "
        "W((T-1)/e)/beta, and this is attained", None, "ours", "ours", (),
        ("infoflow.softmin.average", "infoflow.softmin.attained",
         "tests/numeric/test_retrieval.py")),
    Law("hard", "softmax retrieval of a value is off by at most diam r/(1+r), "
        "r = (T-1) exp(-gap/tau)", None, "ours", "ours", (),
        ("infoflow.hard.bound", "infoflow.hard.masses", "tests/numeric/test_retrieval.py")),
    Law("network", "an explicit net of two layers and one head each is within eps of min-dot with "
        "O(d^(3/2) eps^(-1/2)) parameters, free of T", _power(("-", ("/", 1, 2))), "ours",
        "ours", ("no bound on weights: the largest grows like log(T)/eps",),
        ("infoflow.network.error", "infoflow.network.below", "infoflow.network.parameters",
         "infoflow.network.budget", "tests/numeric/test_retrieval.py")),
    Law("collision", "one layer with h(n+1) <= T-2, constant query at CLS and read-out there, "
        "is off by (1-c)/2 for min-dot, with any number of parameters", None, "ours",
        "ours; Borsuk-Ulam is cited", (CLS_ONLY,),
        ("infoflow.collision.forced", "infoflow.collision.gap",
         "tests/numeric/test_collision.py")),
    Law("loophole", "without bounds on weights one uniform head retrieves two minima", None,
        "ours", "ours", (),
        ("infoflow.loophole.above", "infoflow.loophole.below",
         "tests/numeric/test_decoding.py")),
    Law("second", "the second largest is min over t of the max over s other than t: two layers of "
        "one head each", None, "ours", "ours",
        ("a head can tell its own position from the others",),
        ("infoflow.second.budget", "tests/numeric/test_retrieval.py")),
    Law("order", "the order of comparison is the treewidth of the interaction graph plus 1", None,
        "ours", "ours; Dechter 1999 for elimination",
        ("the tuple is found by exact elimination: relaxations or a special geometry may do "
         "better",), ("tests/infoflow/test_flow.py",)),
    Law("pools", "a head serves one comparator asked by tokens and one asked by CLS", None, "ours",
        "ours", (), ("tests/infoflow/test_plan.py",)),
    Law("occupancy", "for fixed d, (C/eps)^d occupancy features and one uniform head do any "
        "symmetric function of the tokens, with a width free of T", None, "ours",
        "ours"),
)}


def decoding(tokens: Fraction, d: int, E: int | None, least: Fraction | str) -> Term:
    """The cost of a task that fits: eps^-max(p0, T0 d/E - 1), p0 = `least`, exact for whole E."""
    numbers = tokens * d
    if E is None:
        share = ("/", _rational(numbers), "E")
        floor = least if isinstance(least, str) else _rational(Fraction(least))
        return _power(("-", ("max", floor, ("+", share, ("-", 1)))))
    excess = numbers / E - 1
    if isinstance(least, str):
        return _power(("-", ("max", least, _rational(excess)))) if excess > 0 else \
            _power(("-", least))
    return _exact(max(Fraction(least), excess))


def memorising(d: int, T: int | None, E: int | None) -> Term:
    """The cost of memorising the input, eps^(1 - T d/E): an upper bound on what is needed."""
    if T is not None and E is not None:
        return _exact(max(Fraction(0), Fraction(T * d, E) - 1))
    share = Fraction(d if T is None else T * d, E or 1)
    above = "T" if T is None else None
    numerator = share.numerator if above is None else above if share.numerator == 1 else \
        ("*", share.numerator, above)
    below = share.denominator if E else "E"
    whole = numerator if below == 1 else ("/", numerator, below)
    return _power(("+", 1, ("-", whole)))


def expression(term: Term) -> Any:
    """A law as a SymPy expression; T is a positive integer, all other letters are positive."""
    from symbolic.kernel.statement import Statement
    from symbolic.kernel.term import free
    from symbolic.reading.tosympy import to_sympy
    names = sorted(free(term))
    symbols = tuple((n, ("integer",) if n in ("T", "k") else ("real",)) for n in names)
    given = tuple(("<", 0, n) for n in names)
    return to_sympy(term, Statement(symbols=symbols, given=given, left=term, relation="=",
                                    right=term))


def _rational(value: Fraction) -> Term:
    above = abs(value.numerator)
    signed = ("-", above) if value < 0 else above
    return signed if value.denominator == 1 else ("/", signed, value.denominator)


def _exact(exponent: Fraction) -> Term:
    return _power(_rational(-exponent)) if exponent else 1
