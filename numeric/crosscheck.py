"""Formulas against themselves on every backend, and against the layer they speak of.

Agreement is evidence and no proof; disagreement fails a finding. Where double precision
disagrees and fifty digits do not, the point is counted as undecided: rounding, not mathematics.
"""

import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from numeric import backends
from numeric.arithmetic import is_matrix, minus, scalar, size, unknown
from numeric.backends import numpy64
from numeric.sample import admissible_point
from symbolic.kernel.statement import Statement
from symbolic.kernel.term import Term, unfold
from symbolic.table import table

SHARPEST = "mpmath50"
AGREED = ("NAME", "available", "accuracy", "compile_term", "evaluate")
EQUATIONS_WITHIN = 1e-8     # sampled points satisfy equations among the facts about this well


@dataclass(frozen=True)
class Agreement:
    """One backend, or one simulation, against the formulas of a claim.

    `max_error` is the largest violation over the decided points (nan without any), `points` how
    many were decided, `undecided` how many were not; `point` is the first that disagrees.
    """

    backend: str
    max_error: float = math.nan
    points: int = 0
    undecided: int = 0
    agrees: bool = True
    tolerance: float = math.nan
    note: str = ""
    point: dict | None = None

    def json(self) -> dict:
        """The row as plain data; what is not a number becomes null."""
        row = asdict(self)
        for key in ("max_error", "tolerance"):
            row[key] = row[key] if math.isfinite(row[key]) else None
        row["point"] = None if self.point is None else {
            name: _plain(value) for name, value in self.point.items()}
        return row


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return str(value) if isinstance(value, complex) else value


def crosscheck(claim: Any, statements: Sequence[Statement], seed: int = 0, points: int = 8,
               domain: Any = None, start: Term | None = None, seconds: float = 10.0,
               only: Collection[str] | None = None) -> tuple[Agreement, ...]:
    """One Agreement for each backend, then one for each simulation of the claim.

    `statements` are the steps of the claim's chain; `domain` (a Statement, or symbols and facts)
    says where to draw points for a claim without steps, `start` what is measured (default: the
    first line of the chain). Points depend on the seed alone; a backend stops drawing new points
    after `seconds`. Relation `O` is not evaluated. `only` names the backends to run; by default
    all but those that say they are heavy to load. Never raises for mathematics that fails.
    """
    rng = np.random.default_rng(seed)
    drawn, reason = _points(statements, domain, rng, points)
    rows = chosen(only)
    names = sorted(rows, key=lambda name: name != SHARPEST)
    verdicts: dict[tuple[int, int], bool] = {}
    found = {}
    for name in names if statements else ():
        reach = rows[name].available()
        if reach is not True:
            found[name] = Agreement(name, note=f"not run: {reach}")
            continue
        found[name] = _formulas(rows[name], claim, statements, drawn, verdicts, seconds)
    ordered = [found[name] for name in rows if name in found]
    if reason:
        ordered = [replace(a, note="; ".join(filter(None, (a.note, reason)))) for a in ordered]
    return (*ordered, *_simulations(claim, statements, rows, drawn, start, rng, reason))


def known() -> tuple[str, ...]:
    """The names of all backends, one a file of numeric/backends."""
    return tuple(table(backends, *AGREED))


def chosen(only: Collection[str] | None = None) -> dict[str, ModuleType]:
    """The backends of those names; by default all but the heavy ones.

    Raises ValueError for a name that no backend has.
    """
    rows = table(backends, *AGREED)
    if only is None:
        return {name: row for name, row in rows.items() if not getattr(row, "HEAVY", False)}
    for name in only:
        if name not in rows:
            raise ValueError(f"no backend is called {name!r}; there are {', '.join(rows)}: name "
                             "some of them")
    return {name: row for name, row in rows.items() if name in only}


def _points(statements: Sequence[Statement], domain: Any, rng: np.random.Generator,
            points: int) -> tuple[list[dict], str]:
    where = domain if domain is not None else (statements[0] if statements else ((), ()))
    reads = tuple(unfold(side, s.let) for s in statements for side in (s.left, s.right))
    drawn, reason = [], ""
    for _ in range(points):
        sample = admissible_point(where, rng, reads=reads)
        if sample.point is None:
            reason = sample.reason
            break
        drawn.append(sample.point)
    return drawn, reason


def violation(relation: str, left: Any, right: Any) -> float:
    """By how much `left relation right` fails, relative to 1 + |left|; 0 where it holds.

    |l - r| for `=`, the positive part of l - r for `<=` and `<`, minus the least eigenvalue and
    the asymmetry of l - r for `psd`, 1 for a failed `!=`; nan where a side is undefined.
    """
    gap, scale = minus(left, right), 1 + size(left)
    if unknown(gap) or not math.isfinite(size(gap)):
        return math.nan
    if relation == "=":
        return size(gap) / scale
    if relation == "!=":
        return 0.0 if size(gap) > 0 else 1.0
    if relation == "psd":
        return _not_psd(gap) / scale
    number = complex(scalar(gap, relation))
    return max(number.real, abs(number.imag), 0.0) / scale


def _not_psd(gap: Any) -> float:
    matrix = np.array(gap if is_matrix(gap) else [[gap]], dtype=complex)
    if matrix.shape[0] != matrix.shape[1]:
        return math.nan
    skew = float(np.abs(matrix - matrix.T).max())
    least = float(np.linalg.eigvalsh((matrix + matrix.conj().T) / 2).min())
    return max(skew, -least, 0.0)


def _formulas(backend: ModuleType, claim: Any, statements: Sequence[Statement],
              drawn: list[dict], verdicts: dict, seconds: float) -> Agreement:
    """Each step at each point on one backend; `verdicts` is what the sharpest backend found."""
    row, begun = Agreement(backend.NAME, tolerance=_wanted(claim)), time.monotonic()
    for step, statement in enumerate(statements):
        if statement.relation == "O":
            row = replace(row, note="a step with O is not evaluated at points")
            continue
        try:
            sides = _sides(backend, statement)
        except ValueError as error:
            row = replace(row, undecided=row.undecided + len(drawn), note=str(error))
            continue
        tolerance = max(_wanted(claim), sides[2])
        row = replace(row, tolerance=max(row.tolerance, tolerance))
        for k, point in enumerate(drawn):
            if time.monotonic() - begun > seconds:
                stopped = f"stopped after {seconds:g} s"
                return replace(row, note="; ".join(filter(None, (row.note, stopped))))
            error, note = _at(statement.relation, sides, point)
            if backend.NAME == SHARPEST and not math.isnan(error):
                verdicts[step, k] = error <= tolerance
            elif error > tolerance and verdicts.get((step, k)):
                error, note = math.nan, "rounding"
            row = _joined(row, error, tolerance, point, note, f"step {step + 1}")
    return row


def _wanted(claim: Any) -> float:
    return float(getattr(claim, "tolerance", 1e-9))


def _sides(backend: ModuleType, statement: Statement) -> tuple[Callable, Callable, float]:
    """Both sides as functions of a point, and the error that the backend itself may make."""
    left, right = (unfold(t, statement.let) for t in (statement.left, statement.right))
    rates = tuple((n, v, unfold(b, statement.let)) for n, v, b in statement.rates)
    own = max(backend.accuracy(left), backend.accuracy(right))
    if any("=" in (f[0], f[1][0] if f[0] == "all" else "") for f in statement.given
           if isinstance(f, tuple)):
        own = max(own, EQUATIONS_WITHIN)
    return (backend.compile_term(left, statement.symbols, rates),
            backend.compile_term(right, statement.symbols, rates), own)


def _at(relation: str, sides: tuple, point: dict) -> tuple[float, str]:
    try:
        return violation(relation, sides[0](point), sides[1](point)), ""
    except ValueError as error:
        return math.nan, str(error)


def _joined(row: Agreement, error: float, tolerance: float, point: dict, note: str,
            where: str) -> Agreement:
    """The row with one more result."""
    if math.isnan(error):
        return replace(row, undecided=row.undecided + 1, note=row.note or note)
    worst = error if math.isnan(row.max_error) else max(row.max_error, error)
    row = replace(row, points=row.points + 1, max_error=worst)
    if error <= tolerance or not row.agrees:
        return row
    return replace(row, agrees=False, point=point, note=f"{where} is off by {error:.3g}")


def _simulations(claim: Any, statements: Sequence[Statement], rows: dict, drawn: list[dict],
                 start: Term | None, rng: np.random.Generator,
                 reason: str) -> list[Agreement]:
    measure = getattr(claim, "measure", None)
    if measure is None:
        why = getattr(claim, "no_measure", None)
        return [Agreement("simulation", note=f"no measure: {why or 'none is declared'}")]
    found = []
    predict = _prediction(claim, statements, numpy64, start)
    for name, backend in rows.items():
        if hasattr(backend, "namespace") and backend.available() is True:
            row = Agreement(f"simulation:{name}", tolerance=_wanted(claim), note=reason)
            for point in drawn:
                row = _measured(row, measure, predict, statements, point, backend, rng)
            found.append(row)
    return found


def _prediction(claim: Any, statements: Sequence[Statement], backend: ModuleType,
                start: Term | None) -> Callable[[dict], Any] | None:
    """The value of the claim's first line as a function of the point."""
    if not statements:
        return None
    first = statements[0]
    if start is None:
        steps = getattr(claim, "steps", ())
        turned = bool(steps) and getattr(steps[0], "relation", "") in (">=", ">")
        start = first.right if turned else first.left
    rates = tuple((n, v, unfold(b, first.let)) for n, v, b in first.rates)
    return backend.compile_term(unfold(start, first.let), first.symbols, rates)


def _measured(row: Agreement, measure: Callable, predict: Callable | None,
              statements: Sequence[Statement], point: dict, backend: ModuleType,
              rng: np.random.Generator) -> Agreement:
    """One measurement against its prediction. What `measure` raises is a disagreement."""
    try:
        with backend.namespace() as xp:
            measured = measure(_arrays(point, xp), xp, rng)
        if isinstance(measured, tuple):
            measured, predicted = (np.asarray(v) for v in measured)
        elif predict is None:
            raise ValueError("a claim without start must measure (measured, predicted)")
        else:
            measured, predicted = np.asarray(measured), np.asarray(predict(point))
        error = _distance(measured, predicted)
    except Exception as error:
        return replace(row, agrees=False, point=row.point or point,
                       note=f"measure failed: {type(error).__name__}: {error}")
    return _joined(row, error, row.tolerance, point, "", "the simulation")


def _distance(measured: np.ndarray, predicted: np.ndarray) -> float:
    measured, predicted = measured.astype(complex), predicted.astype(complex)
    if measured.size == 1 or predicted.size == 1:
        measured, predicted = measured.reshape(-1), predicted.reshape(-1)
    gap = np.abs(measured - predicted)
    return float(gap.max() / (1 + np.abs(predicted).max())) if gap.size else math.nan


def _arrays(point: dict, xp: Any) -> dict[str, Any]:
    """Numbers as they are, families and matrices as arrays (index 0 is the low end)."""
    return {name: xp.asarray(value) if isinstance(value, list) else value
            for name, value in point.items()}
