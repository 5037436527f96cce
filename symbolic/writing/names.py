"""Names in LaTeX: Greek letters, subscripts, and words that no two names share by accident."""

import re
from collections.abc import Mapping

from symbolic.kernel.term import Term

_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega varepsilon vartheta varphi varrho Gamma Delta Theta "
    "Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell")
GREEK = {name: f"\\{name}" for name in _LETTERS.split()} | {"eps": "\\varepsilon"}
_LETTERS_DIGITS = re.compile(r"([A-Za-z]+?)(\d+)\Z")


def name_latex(name: str, indices: str = "") -> str:
    """A name, with the indices of an entry: `theta` and `t, j` give \\theta_{t, j}.

    Parts after underscores and digits at the end become subscripts: `w_max`, `S1`.
    """
    stem, subscripts = _parts(name)
    below = ", ".join([*subscripts, *([indices] if indices else [])])
    return f"{stem}_{{{below}}}" if below else stem


def component(entry: tuple, sorts: Mapping[str, tuple]) -> bool:
    """Whether an entry is of a declared vector, or of a vector of a family: one index is enough."""
    whole: Term = entry[1]
    name = whole[1] if isinstance(whole, tuple) and whole[0] == "at" else whole
    sort: tuple = sorts.get(name, ()) if isinstance(name, str) else ()
    sort = sort[1] if sort[:1] == ("family",) else sort
    return sort[:1] == ("matrix",) and sort[2] == 1 and entry[3] == 1


def _parts(name: str) -> tuple[str, list[str]]:
    pieces = name.split("_")
    if not all(pieces):
        return f"\\mathit{{{name.replace('_', chr(92) + '_')}}}", []
    match = _LETTERS_DIGITS.match(pieces[0])
    stem, subscripts = (match[1], [match[2]]) if match else (pieces[0], [])
    return _word(stem, "\\mathit"), subscripts + [_word(p, "\\mathrm") for p in pieces[1:]]


def _word(word: str, font: str) -> str:
    if word in GREEK:
        return GREEK[word]
    return word if len(word) == 1 or word.isdigit() else f"{font}{{{word}}}"
