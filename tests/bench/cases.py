"""What is measured: statements of symbolic and of concrete length, commands, pages, and SymPy.

The concrete statements are read from text once, and SymPy gets the same terms through the bridge,
so both sides of a ratio are asked the same question.
"""

import time
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path

from symbolic.kernel.statement import Statement

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
PAGES = ROOT / "proofs" / "claims"
SYMBOLIC = {  # label -> (page, claim): the first line of the claim against its last
    "K1": ("kuramoto_identity", "kuramoto.K1.identity"),
    "K3": ("kuramoto_disc", "kuramoto.K3.identity"),
    "K7": ("kuramoto_score", "kuramoto.K7.rotary"),
    "K17": ("kuramoto_coherence", "kuramoto.K17.gradient"),
}
SIZES = {"K1": (8, 64, 256), "square": (2, 8, 32)}
QUICK_SIZES = {"K1": (2,), "square": (2,)}
RIVALS = ("simplify", "trigsimp", "expand_trig")
STEPS = ("steps", "real_steps")
ONE_CLAIM = """title = "One claim"
[symbols]
x = "real"
y = "real"
[[claim]]
name = "one"
start = "(cos(x)+cos(y))**2 + (sin(x)+sin(y))**2"
steps = [{ relation = "=", right = "2 + 2*cos(x-y)" }]
no_measure = "a benchmark"
"""
COMMANDS = {  # name -> arguments of python; PAGE stands for the one-claim page
    "python itself": ("-c", "pass"),
    "kernel import": ("-c", "import symbolic.kernel.check"),
    "attnproof --help": ("-m", "proofs", "--help"),
    "first verdict": ("-m", "proofs", "check", "PAGE"),
}
TARGETS = {  # seconds; what is not listed is measured without a target
    "symbolic": 0.02, ("K1", 256): 0.2, "attnproof --help": 0.3, "first verdict": 0.8,
    "median": 0.05,
}
BUILDING, ENOUGH, RUNS = 120.0, 1.0, 3  # seconds to build a rival's expression; when to repeat


def from_page(label: str) -> Statement:
    """A shipped claim of symbolic length: its start against its last line.

    Raises KeyError or ValueError where the page has no such claim or cannot read it.
    """
    from proofs.page import load
    from symbolic.claim import statements

    name, wanted = SYMBOLIC[label]
    page = load(PAGES / f"{name}.py")
    claim = {c.name: c for c in page.claims}[wanted]
    chain = statements(claim, page.symbols, page.let, page.rates)
    if chain.whole is None:
        raise ValueError(f"{wanted}: " + "; ".join(map(str, (*page.errors, *chain.errors))))
    return chain.whole


def identity(n: int) -> Statement:
    """K1 with n terms: -sin(t) sum a cos(x) + cos(t) sum a sin(x) = sum a sin(x - t)."""
    def total(body: str) -> str:
        return " + ".join(body.format(u) for u in range(1, n + 1))

    left = f"-sin(t)*({total('a{0}*cos(x{0})')}) + cos(t)*({total('a{0}*sin(x{0})')})"
    names = ["t", *(f"{letter}{u}" for letter in "ax" for u in range(1, n + 1))]
    return _read(names, left, total("a{0}*sin(x{0}-t)"))


def square(n: int) -> Statement:
    """|sum z|^2 of n points of the circle as a sum of n^2 cosines of differences."""
    def total(function: str) -> str:
        return "+".join(f"{function}(x{u})" for u in range(1, n + 1))

    pairs = (f"cos(x{u}-x{v})" for u in range(1, n + 1) for v in range(1, n + 1))
    left = f"({total('cos')})**2 + ({total('sin')})**2"
    return _read([f"x{u}" for u in range(1, n + 1)], left, " + ".join(pairs))


CONCRETE: dict[str, Callable[[int], Statement]] = {"K1": identity, "square": square}


def _read(names: list[str], left: str, right: str) -> Statement:
    from symbolic.claim import Claim, equals, statements

    claim = Claim("bench", symbols=dict.fromkeys(names, "real"), start=left,
                  steps=(equals(right),))
    chain = statements(claim, {}, {}, {})
    if chain.whole is None:
        raise ValueError("; ".join(map(str, chain.errors)))
    return chain.whole


@cache
def memos() -> tuple[Callable, ...]:
    """The functions of the kernel that remember: cleared before what is to be timed unaided."""
    import sys

    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("symbolic."):
            for value in vars(module).values():
                if callable(getattr(value, "cache_clear", None)):
                    found[id(value)] = value.cache_clear
    return tuple(found.values())


def forget() -> None:
    """Let the kernel forget what it remembers of earlier terms."""
    for clear in memos():
        clear()


def rival(pipe: Connection, family: str, n: int, method: str) -> None:
    """One SymPy method on left - right, in a process of its own.

    Sends the processor seconds spent when the expression is built, then (seconds, processor
    seconds, answer): the best of a few runs, SymPy's cache emptied before each. The answer is
    "proved" where the result is 0.
    """
    from sympy.core.cache import clear_cache

    from symbolic.reading.tosympy import to_sympy

    statement = CONCRETE[family](n)
    gap = to_sympy(statement.left, statement) - to_sympy(statement.right, statement)
    run = _methods()[method]
    pipe.send(time.process_time())
    best, cpu, begun = float("inf"), float("inf"), time.perf_counter()
    for _ in range(RUNS):
        clear_cache()
        wall, worked = time.perf_counter(), time.process_time()
        answer = "proved" if run(gap) == 0 else "undecided"
        best = min(best, time.perf_counter() - wall)
        cpu = min(cpu, time.process_time() - worked)
        if time.perf_counter() - begun > ENOUGH:
            break
    pipe.send((best, cpu, answer))


def _methods() -> dict[str, Callable]:
    import sympy

    return {"simplify": sympy.simplify, "trigsimp": sympy.trigsimp,
            "expand_trig": lambda e: sympy.expand(e, trig=True)}
