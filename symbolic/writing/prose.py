"""Anybody's text as LaTeX: nothing in it is a command, every character prints.

Only ASCII comes out, in any font encoding. What has no LaTeX here prints as its code point.
"""

import unicodedata

ESCAPES = {
    "\\": r"$\backslash$", "{": r"$\{$", "}": r"$\}$", "%": r"\%", "$": r"\$", "#": r"\#",
    "&": r"\&", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": "$<$", ">": "$>$", "|": "$|$", '"': "''",
}
LIGATURES = frozenset("-,'`?!\"")   # side by side these would melt into another sign
RELATIONS = {"<=": r"$\le$", ">=": r"$\ge$", "!=": r"$\ne$", "->": r"$\to$"}
MATH = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ",
                [
    "alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "iota",
    "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "varphi",
    "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma",
    "Upsilon", "Phi", "Psi", "Omega"], strict=True)) | {
    "≤": "le", "≥": "ge", "≠": "ne", "≈": "approx", "≡": "equiv", "→": "to", "∞": "infty",
    "∑": "sum", "∏": "prod", "∫": "int", "∈": "in", "·": "cdot", "×": "times", "±": "pm",
    "∂": "partial", "∇": "nabla", "∀": "forall", "⪰": "succeq", "≻": "succ", "ℓ": "ell",
    "⟨": "langle", "⟩": "rangle", "‖": "Vert", "⊤": "top", "…": "ldots", "ϕ": "phi", "ϵ": "epsilon",
    "ς": "varsigma", "ϑ": "vartheta", "√": "surd", "∘": "circ", "′": "prime", "⊙": "odot",
}
DOUBLE = {"ℝ": "R", "ℤ": "Z", "ℂ": "C", "ℕ": "N", "ℚ": "Q"}
SIGNS = {"–": "--", "—": "---", "−": "$-$", "‘": "`", "’": "'", "“": "``", "”": "''",
         "\u00a0": "~", "ß": r"\ss{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}",
         "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "å": r"\aa{}", "Å": r"\AA{}",
         "ı": r"\i{}", "«": r"$\ll$", "»": r"$\gg$", "°": r"$^{\circ}$", "½": r"$\frac{1}{2}$"}
ACCENTS = {"\u0301": "'", "\u0300": "`", "\u0302": "^", "\u0308": '"', "\u0303": "~",
           "\u0304": "=", "\u0307": ".", "\u0327": "c ", "\u030c": "v ", "\u0306": "u ",
           "\u030b": "H ", "\u030a": "r "}
POWERS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
COMMANDS = frozenset(
    {"backslash", "textasciitilde", "textasciicircum", "{", "}", "%", "$", "#", "&", "_", "le",
     "ge", "ne", "to", "mathbb", "frac", "circ", "ll", "gg", "surd", "varsigma", "ss", "o", "O",
     "l", "L", "ae", "AE", "oe", "OE", "aa", "AA", "i", "'", "`", "^", '"', "~", "=", ".", "c",
     "v", "u", "H", "r", *MATH.values()})


def escaped(text: str, gap: str = "", every: int = 16) -> str:
    """The text with every character made harmless. `gap` is set inside words of more than
    `every` characters, where a line may be broken: after punctuation, or after `every` others."""
    words = unicodedata.normalize("NFC", text).split(" ")
    return " ".join(_word(w, gap if len(w) > every else "", every) for w in words)


def _word(word: str, gap: str, every: int) -> str:
    out, run, k = [], 0, 0
    while k < len(word):
        pair = word[k:k + 2]
        char = pair if pair in RELATIONS else word[k]
        k, run = k + len(char), run + 1
        out.append(_one(char))
        if char in LIGATURES and word[k:k + 1] in LIGATURES:
            out.append("{}")
        if gap and k < len(word) and (run >= every or (char in "./_-=,;:" and run > 2)):
            out.append(gap)
            run = 0
    return "".join(out)


def _one(char: str) -> str:
    if char in RELATIONS:
        return RELATIONS[char]
    if char in ESCAPES:
        return ESCAPES[char]
    if char.isspace():
        return " "
    if char.isascii() and char.isprintable():
        return char
    if char in MATH:
        return f"$\\{MATH[char]}$"
    if char in DOUBLE:
        return rf"$\mathbb{{{DOUBLE[char]}}}$"
    if char in SIGNS:
        return SIGNS[char]
    if char in POWERS or char in LOWERED:
        return f"$^{{{POWERS[char]}}}$" if char in POWERS else f"$_{{{LOWERED[char]}}}$"
    return _accented(char)


def _accented(char: str) -> str:
    base, *marks = unicodedata.normalize("NFD", char)
    if base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in ACCENTS:
        base = r"\i" if base == "i" else base
        return f"\\{ACCENTS[marks[0]]}{{{base}}}"
    if base.isascii() and base.isalpha() and marks:
        return base
    return f"[U+{ord(char):04X}]"
