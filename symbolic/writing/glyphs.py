"""What may stand in a printed formula, and how wide it is.

Widths are in em of Computer Modern at 10 pt, in display style, with the space around a sign.
"""

OPERATORS = {"cdot": 0.72, "times": 1.22, "pm": 1.22, "mp": 1.22, "circ": 0.95, "odot": 1.22}
RELATIONS = {"le": 1.33, "leq": 1.33, "ge": 1.33, "geq": 1.33, "ne": 1.33, "neq": 1.33,
             "succeq": 1.33, "preceq": 1.33, "succ": 1.33, "prec": 1.33, "in": 1.23, "to": 1.56,
             "subset": 1.33, "coloneqq": 1.33, "mid": 0.84, "equiv": 1.33, "approx": 1.33}
BIG = {"sum": 1.61, "prod": 1.45, "int": 1.0, "lim": 1.7}
FUNCTIONS = {"exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos",
             "arctan", "det", "ln", "max", "min", "sup", "operatorname"}
GREEK = {name: 0.66 for name in
         [
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta",
    "vartheta", "iota", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "varrho", "sigma",
    "tau", "upsilon", "phi", "varphi", "chi", "psi", "omega", "Gamma", "Delta", "Theta",
    "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"]}
LETTERS = {**GREEK, "infty": 1.0, "partial": 0.6, "ell": 0.45, "Re": 0.8, "Im": 0.8, "top": 0.8,
           "ldots": 1.34, "cdots": 1.34, "vdots": 0.3, "ddots": 1.3, "imath": 0.4, "prime": 0.3,
           "nabla": 0.85, "hbar": 0.6, "lvert": 0.28, "rvert": 0.28, "lVert": 0.5, "rVert": 0.5,
           "lfloor": 0.45, "rfloor": 0.45, "lceil": 0.45, "rceil": 0.45, "langle": 0.39,
           "rangle": 0.39, "vert": 0.28, "Vert": 0.5, "{": 0.5, "}": 0.5, "|": 0.5, "_": 0.5,
           "dagger": 0.5, "bullet": 0.5, "mathsf": 0, "forall": 0.6, "colon": 0.4, "backslash": 0.5}
SPACES = {",": 0.17, ":": 0.22, ";": 0.28, "!": -0.17, " ": 0.34, "quad": 1.0, "qquad": 2.0}
STYLES = {"displaystyle", "textstyle", "scriptstyle", "limits", "nolimits"}
FONTS = {"mathrm", "mathbf", "mathbb", "mathcal", "mathsf", "mathit", "boldsymbol", "text",
         "operatorname", "overline", "bar", "hat", "tilde", "dot", "ddot", "mathop", "mathbin",
         "mathrel", "widehat", "widetilde", "vec"}
ENVIRONMENTS = {"matrix": 0.0, "pmatrix": 1.6, "bmatrix": 1.2, "vmatrix": 0.8, "cases": 1.4,
                "smallmatrix": 0.0, "gathered": 0.0, "aligned": 0.0}
OPENERS = {"lvert", "lVert", "lfloor", "lceil", "langle", "{"}
DELIMITERS = {"(", ")", "[", "]", "|", ".", "/", *OPENERS, "rvert", "rVert", "rfloor", "rceil",
              "rangle", "}", "vert", "Vert"}
SIZES = {"big", "bigl", "bigr", "Big", "Bigl", "Bigr", "bigg", "biggl", "biggr"}
COMMANDS = frozenset({*OPERATORS, *RELATIONS, *BIG, *FUNCTIONS, *LETTERS, *SPACES, *STYLES, *FONTS,
                      *SIZES, "frac", "tfrac", "dfrac", "sqrt", "binom", "left", "right", "begin",
                      "end", "\\"})

UNICODE = {chr(code): ("\\" + name, 0.66) for code, name in zip(
    [*range(0x3B1, 0x3BF), *range(0x3C0, 0x3C2), *range(0x3C3, 0x3CA)],
    [
    "alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "iota",
    "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "varphi",
    "chi", "psi", "omega"], strict=True)}
PLAIN = {"+": 1.22, "-": 1.22, "=": 1.33, "<": 1.33, ">": 1.33, ",": 0.45, ";": 0.45, ":": 0.84,
          "(": 0.39, ")": 0.39, "[": 0.28, "]": 0.28, "|": 0.28, "/": 0.5, "!": 0.28, ".": 0.28,
          "*": 0.95, "'": 0.3}


# widths of math italic letters in hundredths of an em
ITALIC = dict(zip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    53, 43, 44, 52, 47, 60, 52, 58, 35, 47, 56, 32, 88, 60, 49, 51, 48, 48, 47, 37, 58, 53, 75, 58,
    53, 51, 75, 77, 79, 83, 80, 79, 79, 92, 52, 66, 92, 69, 108, 92, 79, 79, 80, 77, 68, 73, 80, 81,
    109, 91, 81, 76), strict=True))
