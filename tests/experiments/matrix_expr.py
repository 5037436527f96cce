"""`python -m tests.experiments.matrix_expr`: SymPy's MatrixExpr beside the kernel.

Both get the steps of tests/data/matrix_steps.toml for matrices of symbolic size. SymPy is helped:
derivatives are carried out for it, facts `X = Y` are substituted or added; it then tries doit,
expand, refine under the declared flags and simplify on the difference. Our time is one check of the
certificate, memos warm. A failure of SymPy looks the same for a near-miss: it never refutes.
"""

import argparse
import json
import time
import tomllib
from collections.abc import Iterator, Mapping
from multiprocessing import get_context
from pathlib import Path

from symbolic.kernel.derivative import evaluated
from symbolic.kernel.shape import shape
from symbolic.kernel.statement import Statement
from symbolic.kernel.term import Term, unfold
from symbolic.reading.chain import statements
from symbolic.reading.page import read_toml

DATA = Path(__file__).parents[1] / "data"
LIMIT = 25.0


def main(arguments: list[str] | None = None) -> int:
    """Print the table; --json FILE keeps the rows."""
    parser = argparse.ArgumentParser(prog="python -m tests.experiments.matrix_expr",
                                     description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="names that contain TEXT")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one method")
    parser.add_argument("--json", metavar="FILE", help="also write the rows as JSON")
    options = parser.parse_args(arguments)
    rows = []
    print(f"{'step':34}{'ours':>10}{'s':>9}    {'MatrixExpr':42}{'s':>8}")
    for name, statement in steps():
        if options.only in name:
            rows.append(row(name, statement, options.limit))
            print("{step:34}{ours:>10}{our_seconds:9.4f}    {sympy:42}{seconds:8.2f}"
                  .format(**rows[-1]), flush=True)
    print(f"{len(rows)} steps: {sum(r['ours'] == 'proved' for r in rows)} proved by the kernel, "
          f"{sum(r['sympy'].startswith('zero') for r in rows)} by MatrixExpr")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


def steps() -> Iterator[tuple[str, Statement]]:
    """Each claim's only step."""
    text = (DATA / "matrix_steps.toml").read_text(encoding="utf-8")
    assert len(tomllib.loads(text)["claim"]) > 14
    page = read_toml(text, "matrix_steps.toml")
    for claim in page.claims:
        yield claim.name, statements(claim, page.symbols, page.let, page.rates).steps[0]


def row(name: str, statement: Statement, limit: float) -> dict:
    """One step, ours and theirs."""
    level, ours = kernel(statement)
    answer, taken = rival(name, limit)
    return {"step": name, "ours": level, "our_seconds": ours, "sympy": answer, "seconds": taken}


def kernel(statement: Statement) -> tuple[str, float]:
    """Level, and seconds of the check of the certificate that a search found."""
    from symbolic.kernel.check import check
    from symbolic.prove import prove

    found = prove(statement, None, 20.0)
    if found.certificate is None:
        return found.verdict.level.value, float("nan")
    begun = time.perf_counter()
    verdict = check(statement, found.certificate)
    return verdict.level.value, time.perf_counter() - begun


def rival(name: str, limit: float) -> tuple[str, float]:
    """What SymPy makes of a step, in a process that is ended after `limit` seconds."""
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(there, name), daemon=True)
    child.start()
    there.close()
    try:
        here.recv()  # imports are done
        return here.recv() if here.poll(limit) else ("stopped", limit)
    except EOFError:
        return "failed", 0.0
    finally:
        child.kill()
        child.join()
        here.close()


def _child(there, name: str) -> None:
    import sympy  # noqa: F401

    statement = dict(steps())[name]
    there.send("ready")
    begun = time.perf_counter()
    try:
        answer = difference(statement)
    except Exception as error:  # whatever SymPy raises is its answer
        answer = f"{type(error).__name__}: {error}"[:42]
    there.send((answer, time.perf_counter() - begun))


def difference(statement: Statement) -> str:
    """`zero by ...` if a method of SymPy makes the difference vanish, else what is left."""
    import sympy as sp

    if statement.relation != "=":
        return f"no question {statement.relation!r}"
    sorts = dict(statement.symbols)
    moving = {(n, v): unfold(b, statement.let) for n, v, b in statement.rates}
    sides = [evaluated(unfold(t, statement.let), sorts, moving)
             for t in (statement.left, statement.right)]
    if shape(sides[0], sorts) != shape(sides[1], sorts):  # a zero matrix written 0
        sides = [t if t != 0 else ("zeros", *shape(sides[0], sorts)) for t in sides]
    left, right = (expression(t, sorts) for t in sides)
    gaps = [left - right]
    for fact in statement.given:
        if fact[0] == "=":
            one, two = (expression(unfold(t, statement.let), sorts) for t in fact[1:])
            gaps.append(gaps[0].subs(one, two))
            if one.is_Matrix and gaps[0].is_Matrix and one.shape == gaps[0].shape:
                gaps += [gaps[0] + one - two, gaps[0] - one + two]
    flags = assumptions(sorts)
    methods = {
        "doit": lambda e: e.doit(), "expand": lambda e: sp.expand(e.doit()),
        "refine": lambda e: sp.refine(sp.expand(e.doit()), flags).doit(),
        "simplify": lambda e: sp.simplify(sp.refine(sp.expand(e.doit()), flags)),
    }
    answer = "not zero"
    for method, call in methods.items():
        try:
            if any(vanishes(call(gap)) for gap in gaps):
                return f"zero by {method}"
        except Exception as error:  # the next method may still do
            answer = f"not zero ({type(error).__name__} in {method})"
    return answer


def vanishes(e) -> bool:
    """Whether SymPy has arrived at zero."""
    return bool(getattr(e, "is_ZeroMatrix", False)) or e == 0


def assumptions(sorts: Mapping[str, tuple]):
    """The declared flags as SymPy's assumptions."""
    import sympy as sp

    says = {"symmetric": sp.Q.symmetric, "pd": sp.Q.positive_definite,
            "invertible": sp.Q.invertible, "orthogonal": sp.Q.orthogonal}
    parts = [says[flag](letter(n, s)) for n, s in sorts.items() if s[0] == "matrix"
             for flag in s[3:] if flag in says]
    return sp.And(*parts)


def letter(name: str, sort: tuple):
    """A declared name as SymPy has it."""
    import sympy as sp

    if sort[0] != "matrix":
        return sp.Symbol(name, integer=sort[0] == "integer" or None,
                         positive=name in ("lam", "eps") or None, real=True)
    sizes = [sp.Symbol(k, integer=True, positive=True) if isinstance(k, str) else sp.Integer(k)
             for k in sort[1:3]]
    return sp.MatrixSymbol(name, *sizes)


def expression(t: Term, sorts: Mapping[str, tuple]):
    """A term as a SymPy expression, node by node; a 1 x 1 matrix stays one beside matrices."""
    import sympy as sp

    if isinstance(t, int):
        return sp.Integer(t)
    if isinstance(t, str):
        return letter(t, sorts[t])
    if t[0] not in ("+", "*") and t[0] not in _CALLS:
        raise NotImplementedError(f"no MatrixExpr of {t[0]}")
    parts = [expression(a, sorts) for a in t[1:]]
    if t[0] == "+":
        if len({isinstance(p, sp.MatrixExpr) for p in parts}) == 2:
            parts = [sp.Trace(p) if isinstance(p, sp.MatrixExpr) else p for p in parts]
        return sp.MatAdd(*parts) if parts[0].is_Matrix else sp.Add(*parts)
    if t[0] == "*":
        return (sp.MatMul if any(p.is_Matrix for p in parts) else sp.Mul)(*parts)
    return _CALLS[t[0]](sp, *parts)


_CALLS = {
    "-": lambda sp, a: -a, "T": lambda sp, a: a.T, "inv": lambda sp, a: a.I,
    "/": lambda sp, a, b: a / (sp.Trace(b) if isinstance(b, sp.MatrixExpr) else b),
    "^": lambda sp, a, b: a ** b, "trace": lambda sp, a: sp.Trace(a),
    "det": lambda sp, a: sp.Determinant(a), "eye": lambda sp, n: sp.Identity(n),
    "zeros": lambda sp, n, m: sp.ZeroMatrix(n, m), "log": lambda sp, a: sp.log(a),
}

if __name__ == "__main__":
    raise SystemExit(main())
