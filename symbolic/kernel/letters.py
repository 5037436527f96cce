"""Letters of matrix words: (base, transposed, inverted), with shapes and flags from the sorts.

A base is a declared matrix `("m", name)`, a member of a family of matrices `("m", name, i...)`
with frozen index sums, the inverse of a composite: `("c", frozen words, size, flags)`, a sum
over an index: `("s", closed sum, rows, columns)`, or a Kronecker product or vec (kronecker.py).
"""

from symbolic.kernel.polynomial import Atom, key
from symbolic.kernel.shape import times

Letter = tuple
Word = tuple


def flags(sorts: dict, base: Atom) -> frozenset:
    """Flags of a letter's base; a symmetric composite inverse is marked in the base itself."""
    if base[0] == "k":
        return _flags_of_product(sorts, base)
    if base[0] in ("c", "s", "v"):
        return frozenset(base[3]) if base[0] == "c" else frozenset()
    sort = sorts[base[1]]
    return frozenset((sort[1] if sort[0] == "family" else sort)[3:])


def _flags_of_product(sorts: dict, base: Atom) -> frozenset:
    """What both factors of a Kronecker product are, the product is too; a single letter each."""
    found = []
    for word in base[1:3]:
        if len(word) > 1:
            return frozenset()
        found.append(flags(sorts, word[0][0]) if word else frozenset({"symmetric", "pd"}))
    one, two = (f | {"psd"} if "pd" in f else f for f in found)
    both = one & two
    return both - {"psd"} if "pd" in both else both


def size(sorts: dict, letter: Letter) -> tuple:
    """(rows, columns) of a letter, as terms."""
    base, transposed, _ = letter
    if base[0] == "c":
        return base[2], base[2]
    if base[0] == "s":
        return base[2:4]
    if base[0] == "k":
        return times(base[3], base[5]), times(base[4], base[6])
    if base[0] == "v":
        found = times(*base[2:4]), 1
        return found[::-1] if transposed else found
    sort = sorts[base[1]]
    rows, cols = (sort[1] if sort[0] == "family" else sort)[1:3]
    return (cols, rows) if transposed else (rows, cols)


def flip_letter(sorts: dict, letter: Letter) -> Letter:
    """The transpose of a letter: symmetric letters are their own, orthogonal ones invert."""
    base, transposed, inverted = letter
    if base[0] == "k":
        head, u, v, m, n, p, q = base
        return (head, mirror(sorts, u), mirror(sorts, v), n, m, q, p), False, inverted
    if base[0] == "s":  # never marked as transposed: what opens a sum reads the words inside
        return ("s", _turned(sorts, base[1]), base[3], base[2]), transposed, inverted
    known = flags(sorts, base)
    if "symmetric" in known:
        return letter
    if "orthogonal" in known:
        return base, False, not inverted
    return base, not transposed, inverted


def _turned(sorts: dict, carrier: Atom) -> Atom:
    """A closed sum of matrices with the word that it sums transposed."""
    if carrier[0] == "W":
        return "W", mirror(sorts, carrier[1]), carrier[3], carrier[2]
    if carrier[0] != "S":
        return carrier
    return *carrier[:3], frozenset((_turned(sorts, a), e) for a, e in carrier[3])


def rank(word: Word) -> tuple:
    """The order in which rules make words smaller: by length, then letter by letter, sums least."""
    return len(word), tuple((x[0][0] != "s", key(x)) for x in word)


def mirror(sorts: dict, word: Word) -> Word:
    """The transpose of a word."""
    return tuple(flip_letter(sorts, x) for x in reversed(word))


def holds_inverse(item: object, sorts: dict) -> bool:
    """Whether a word inside inverts what need not be invertible: its sum may be empty."""
    if isinstance(item, frozenset):
        return any(holds_inverse(x, sorts) for x in item)
    if not isinstance(item, tuple) or not item:
        return False
    if item[0] == "c":
        return True
    if len(item) == 3 and item[2] is True and isinstance(item[0], tuple):
        return item[0][0] != "m" or not flags(sorts, item[0]) & {"invertible", "pd", "orthogonal"}
    if item[0] == "en" and item[2] is True and isinstance(item[1], tuple):
        return item[1][0] != "m" or not flags(sorts, item[1]) & {"invertible", "pd", "orthogonal"}
    return any(holds_inverse(x, sorts) for x in item)


def semidefinite(sorts: dict, word: Word) -> bool:
    """Whether the word is u^T u or u^T P u with P positive semidefinite by its flags."""
    if not word or mirror(sorts, word) != word:
        return False
    if len(word) % 2 == 0:
        return True
    return bool(flags(sorts, word[len(word) // 2][0]) & {"psd", "pd"})


def square_trace(sorts: dict, word: Word) -> bool:
    """Whether the trace of the word is >= 0 because a rotation of it is semidefinite."""
    return any(semidefinite(sorts, word[k:] + word[:k]) for k in range(len(word)))
