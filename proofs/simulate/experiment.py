"""An experiment file: TOML to a frozen Experiment, every number exact.

`variant`, `S0`, `horizon` and the weights are needed: `V` with `Q` and `K` (or `A` = K^T Q), or a
list of `heads`; the rest has a default. Nothing in a file is executed. Every error names the file
and the key, what was found, what was needed and what to do; all errors are told at once.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs.simulate import values
from proofs.simulate.values import Matrix, Wrong
from symbolic.reading.names import PageError, shown, suggestion

VARIANTS = ("softmax", "l2", "linear", "sinkhorn", "multihead")
WEIGHTS = ("A", "Q", "K", "V")
KEYS = ("title", "variant", *WEIGHTS, "heads", "S0", "mean", "horizon", "particles", "seeds", "eps")
LONGEST = 1_000_000  # characters of a file
HELP = {  # a needed key -> what it is, and how it is written
    "variant": ("one of " + ", ".join(VARIANTS), 'variant = "softmax"'),
    "S0": ("the covariance at the start: " + values.WORDS, "S0 = [[1, 0], [0, 1]]"),
    "horizon": ("the time to simulate, a number > 0", "horizon = 1"),
    "V": ("the value matrix: " + values.WORDS, 'V = "identity"'),
    "Q": ("the query matrix, or A", "Q = [[1, 0]]"),
    "K": ("the key matrix, or A", 'K = "-Q"')}


@dataclass(frozen=True)
class Head:
    """The weights of one head: Q, K (k, d), and V (d, d) with its output projection in it."""

    Q: Matrix
    K: Matrix
    V: Matrix


@dataclass(frozen=True)
class Experiment:
    """A Gaussian N(mean, S0) moved by attention, and `particles` tokens drawn from it.

    `heads` has one Head, but for the multi-head variant. Each number of `particles` runs once for
    each of the `seeds`; none where it is empty. `eps` is Sinkhorn's. `name` is the file.
    """

    name: str
    title: str
    variant: str
    heads: tuple[Head, ...]
    S0: Matrix
    mean: tuple[Fraction, ...]
    horizon: Fraction
    particles: tuple[int, ...] = ()
    seeds: tuple[int, ...] = (0,)
    eps: Fraction = Fraction(1)

    @property
    def d(self) -> int:
        """The dimension of a token."""
        return len(self.S0)

    @property
    def Q(self) -> Matrix:
        """All that the field sees of a token: the queries of all heads, stacked."""
        return tuple(row for head in self.heads for row in head.Q)


class Unreadable(ValueError):
    """A file that is no experiment; `errors` is all that is wrong with it."""

    def __init__(self, errors: tuple[PageError, ...]):
        super().__init__("\n".join(map(str, errors)))
        self.errors = errors


def load(path: str | Path) -> Experiment:
    """The experiment at `path`. Raises Unreadable, whatever is wrong with it."""
    try:
        return read(Path(path).read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise _no_file(path, error.strerror or str(error), "check the path") from None
    except UnicodeDecodeError as error:
        raise _no_file(path, f"bytes that are no UTF-8 text at {error.start}",
                       "save it as UTF-8") from None


def read(text: str, name: str = "experiment.toml") -> Experiment:
    """The experiment that a TOML text is; `name` (its path) goes into the errors."""
    if len(text) > LONGEST:
        raise _no_file(name, f"{len(text)} characters", f"keep it below {LONGEST}")
    try:
        table = _Table(tomllib.loads(text, parse_float=Decimal), "", [])
    except RecursionError:
        raise _no_file(name, "lists nested too deep", "flatten them") from None
    except (ValueError, InvalidOperation) as error:
        raise _no_file(name, str(error), "correct the TOML there") from None
    made = _experiment(table, name)
    if made is None:
        raise Unreadable(tuple(replace(e, page=name) for e in dict.fromkeys(table.errors)))
    return made


def _no_file(name: object, found: str, todo: str) -> Unreadable:
    return Unreadable((PageError(found, "an experiment: a TOML file with variant, S0, horizon "
                                 "and the weights", todo, str(name)),))


@dataclass(frozen=True)
class _Table:
    """A table of the file, where it stands, and the errors so far: no error hides another."""

    data: Mapping[str, Any]
    place: str
    errors: list[PageError]

    def get(self, key: str, reader: Callable[[Any], Any], default: Any = None) -> Any:
        """The value of a key, or its default; None where there is none, which is an error."""
        if key not in self.data:
            if default is None:
                self.add(key, f"no {key}", HELP[key][0], f"add {HELP[key][1]}")
            return default
        try:
            return reader(self.data[key])
        except Wrong as wrong:
            self.add(key, *wrong.args)
        return None

    def only(self, known: tuple[str, ...]) -> None:
        """Refuse keys that are not known."""
        for key in self.data:
            if key not in known:
                self.add(shown(key)[1:-1], "an unknown key", f"one of {', '.join(known)}",
                         suggestion(key, known) or "leave it out")

    def add(self, key: str, found: str, needed: str, todo: str) -> None:
        """Keep an error of a key."""
        self.errors.append(PageError(found, needed, todo, part=self.place + key))


def _experiment(table: _Table, name: str) -> Experiment | None:
    table.only(KEYS)
    variant = table.get("variant", _variant)
    tables = _heads(table, variant) if variant else []
    d = table.get("S0", lambda S0: values.dimension(
        [S0, *(t.data.get(key) for t in tables for key in ("V", "A", "Q"))]))
    if d is None or variant is None:
        return None
    heads = [_head(t, d, variant) for t in tables]
    given = {"S0": table.get("S0", lambda v: values.covariance(v, d)),
             "mean": table.get("mean", lambda v: values.vector(v, d), (Fraction(0),) * d),
             "horizon": table.get("horizon", values.positive),
             "particles": table.get("particles", lambda v: values.counts(v, 1), ()),
             "seeds": table.get("seeds", values.seeds, (0,)),
             "eps": table.get("eps", values.positive, Fraction(1)),
             "title": table.get("title", values.line, Path(name).stem)}
    if "eps" in table.data and variant != "sinkhorn":
        table.add("eps", "eps", f'no eps beside variant = "{variant}"', "leave it out")
    if table.errors:
        return None
    return Experiment(name=name, variant=variant, heads=tuple(heads), **given)


def _heads(table: _Table, variant: str) -> list[_Table]:
    """The tables with the weights: the file itself, or its heads."""
    listed = table.data.get("heads")
    if variant != "multihead":
        if listed is not None:
            table.add("heads", shown(listed), f'no heads beside variant = "{variant}"',
                      'write variant = "multihead", or V, Q and K')
        return [table]
    for key in WEIGHTS:
        if key in table.data:
            table.add(key, f"{key} beside the heads", "the weights inside the heads",
                      f"move it: heads = [{{ {key} = ... }}, ...]")
    if not isinstance(listed, list) or not listed or not all(isinstance(h, dict) for h in listed):
        table.add("heads", "no heads" if listed is None else shown(listed),
                  "a list of tables with V, Q and K (or A)",
                  "write heads = [{ V = ..., Q = ..., K = ... }, ...]")
        return []
    tables = [_Table(h, f"heads[{n}].", table.errors) for n, h in enumerate(listed, 1)]
    for head in tables:
        head.only(WEIGHTS)
    return tables


def _head(table: _Table, d: int, variant: str) -> Head | None:
    V = table.get("V", lambda v: values.matrix(v, d, d))
    if "A" in table.data:
        if "Q" in table.data or "K" in table.data:
            table.add("A", "A beside Q or K", "A, or Q and K", "leave one out")
        if variant == "l2":
            table.add("A", "A", "Q and K: exp(-|Qx - Ky|^2) is no function of A = K^T Q alone",
                      "give Q and K")
        Q, K = table.get("A", lambda v: values.matrix(v, d, d)), values.identity(d)
    else:
        Q = table.get("Q", lambda v: values.matrix(v, None, d))
        K = table.get("K", lambda v: values.matrix(v, Q and len(Q), d, Q))
    return None if Q is None or K is None or V is None else Head(Q, K, V)


def _variant(value: object) -> str:
    if value in VARIANTS:
        return str(value)
    word = value.lower().replace("-", "") if isinstance(value, str) else ""
    todo = suggestion(word, VARIANTS) or "choose one of them"
    if word in ("sigmoid", "masked", "causal", "hardmax"):
        todo = f"{word} attention leaves the Gaussians: there is no covariance equation for it"
    raise Wrong(shown(value), HELP["variant"][0], todo)
