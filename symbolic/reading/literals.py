"""Numbers in a text: exact values of what is written in digits, and what is surely zero."""

from fractions import Fraction
from math import comb, factorial

from symbolic.kernel.term import Term
from symbolic.reading.names import ReadError

DIGITS, POWER, FACTORIAL = 4_000, 10_000, 1_000
_BITS = int(DIGITS * 3.33)


def number(text: str) -> Term:
    """A whole number or decimal of a source text as the exact rational it says, lowest terms."""
    if text.isdigit():
        return int(text)
    value = Fraction(text)
    return rational(value)


def rational(value: Fraction | int) -> Term:
    """A rational as a term: 3, ("/", 1, 2), ("-", ("/", 1, 2))."""
    if value < 0:
        return ("-", rational(-value))
    return int(value) if value.denominator == 1 else ("/", value.numerator, value.denominator)


def value(term: Term) -> int | Fraction | None:
    """The rational that a term of digits and `+ - * / ^` is, None for any other term.

    Checks every subterm on the way. Raises ReadError, without a column, for numbers beyond
    DIGITS digits, literal exponents beyond POWER, large factorials and quotients by zero.
    """
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        return None
    head = term[0]
    parts = [value(part) if isinstance(part, tuple) else part if isinstance(part, int) else None
             for part in term[1:]]
    if head == "^":
        return _power(term, parts[0], parts[1])
    if head == "/" and (parts[1] == 0 or vanishes(term[2])):
        raise ReadError("a quotient by what is identically zero", "a divisor that can be nonzero",
                        "check the divisor")
    if head in ("factorial", "binomial"):
        return _counted(head, parts)
    if None in parts or head not in _ARITHMETIC:
        return None
    known = [part for part in parts if part is not None]
    result = known[0] if head != "-" else -known[0]
    for part in known[1:]:
        result = _bounded(_ARITHMETIC[head](result, part))
    return result


def _counted(head: str, parts: list) -> int | Fraction | None:
    if any(part is not None and part > FACTORIAL for part in parts):
        raise ReadError(f"a large number in {head}", f"at most {FACTORIAL}", "name it")
    if not all(isinstance(part, int) and part >= 0 for part in parts):
        return None
    return factorial(*parts) if head == "factorial" else comb(*parts)


def vanishes(term: Term) -> bool:
    """Whether a term is zero at a glance: 0, x - x, 2*x - x - x, 0*x."""
    combination: dict[Term, Fraction] = {}
    _collect(term, Fraction(1), combination)
    return not any(combination.values())


_ARITHMETIC = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: Fraction(a) / b,
}


def _collect(term: Term, factor: Fraction, into: dict[Term, Fraction]) -> None:
    """Add factor * term to a linear combination of terms."""
    if isinstance(term, int):
        into[1] = into.get(1, Fraction(0)) + factor * term
    elif isinstance(term, tuple) and term[0] == "+":
        for part in term[1:]:
            _collect(part, factor, into)
    elif isinstance(term, tuple) and term[0] == "-":
        _collect(term[1], -factor, into)
    elif isinstance(term, tuple) and term[0] == "*":
        _collect_product(term, factor, into)
    elif isinstance(term, tuple) and term[0] == "/" and isinstance(term[2], int) and term[2]:
        _collect(term[1], factor / term[2], into)
    elif not (isinstance(term, tuple) and term[0] in ("/", "sqrt", "^") and _base_vanishes(term)):
        into[term] = into.get(term, Fraction(0)) + factor


def _base_vanishes(term: tuple) -> bool:
    """Whether the numerator, radicand or base is zero; a power needs a positive exponent too."""
    positive = term[0] != "^" or isinstance(term[2], int) and term[2] > 0
    return positive and vanishes(term[1])


def _collect_product(term: tuple, factor: Fraction, into: dict[Term, Fraction]) -> None:
    rest = []
    for part in term[1:]:
        if isinstance(part, int):
            factor *= part
        elif vanishes(part):
            return
        else:
            rest.append(part)
    if len(rest) == 1:
        _collect(rest[0], factor, into)
    else:
        key = ("*", *rest) if rest else 1
        into[key] = into.get(key, Fraction(0)) + factor


def _power(term: tuple, base: int | Fraction | None,
           exponent: int | Fraction | None) -> int | Fraction | None:
    if exponent is None:
        return None
    if abs(exponent.numerator) > POWER or exponent.denominator > POWER:
        raise ReadError("a very large exponent", f"at most {POWER}", "name the exponent")
    if exponent < 0 and vanishes(term[1]):
        raise ReadError("a negative power of what is identically zero",
                        "a base that can be nonzero", "check the base")
    if base is None or exponent.denominator != 1:
        return None
    bits = max(abs(base.numerator), base.denominator).bit_length() - 1
    if bits * abs(exponent) > _BITS:
        raise _too_large()
    return Fraction(base) ** int(exponent)


def _bounded(result: int | Fraction) -> int | Fraction:
    if max(abs(result.numerator), result.denominator).bit_length() > _BITS:
        raise _too_large()
    return result


def _too_large() -> ReadError:
    return ReadError("a very large number", f"at most {DIGITS} digits", "name it")
