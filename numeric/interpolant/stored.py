"""A built network as JSON and back: every number as "p" or "p/q", nothing lost.

The file carries its dataset, its counts and its certificate, so it can be re-checked alone.
Keys: network (the version of the form), construction, limit, d, facts, counts, data, certificate,
blocks. Reading is strict; what the file claims is not believed but checked, by `problems`.
"""

import json
from typing import Any

from flint import fmpq

from numeric.interpolant.build import CONSTRUCTIONS, Built, check
from numeric.interpolant.certificate import Certificate
from numeric.interpolant.counts import FORMULAS, counted
from numeric.interpolant.data import BadData
from numeric.interpolant.exact import Number, Vector, text
from numeric.interpolant.layers import FF, SA, Block, Matrix, Network, Neuron, width
from numeric.interpolant.reading import WHOLE, from_json_data
from numeric.interpolant.run import Watch

VERSION = 1
KEYS = {"network", "construction", "limit", "d", "facts", "counts", "data", "certificate",
        "blocks"}
LIMITS = {"uniform": "any", "clustering": "hardmax", "softmax": "softmax"}


class BadNetwork(ValueError):
    """A file that is no stored network: where, what was found, what was needed."""


def to_json(built: Built) -> str:
    """The network, its dataset and its certificate, a block a line."""
    network, certificate = built.network, built.certificate
    head = {
        "network": VERSION, "construction": network.construction, "limit": network.limit,
        "d": network.d, "facts": network.facts, "counts": _counts(network),
        "data": [{"input": [_texts(x) for x in X], "output": [_texts(y) for y in Y]}
                 for X, Y in built.data.pairs],
        "certificate": None if certificate is None else {
            "tau": _optional(certificate.tau),
            "intervals": [_texts(ends) for ends in certificate.intervals],
            "gaps": [_optional(gap) for gap in certificate.gaps]}}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    blocks = ",\n  ".join(json.dumps(_block(block)) for block in network.blocks)
    return "{\n " + ",\n ".join([*lines, f'"blocks": [\n  {blocks}\n ]']) + "\n}\n"


def from_json(source: str, where: str = "network") -> tuple[Built, dict]:
    """The network that a text is, and the counts it states. Raises BadNetwork."""
    try:
        data = json.loads(source, parse_float=str, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise BadNetwork(f"{where}: found no JSON ({error}); needed a file written by "
                         "`attnproof interpolate -o`") from None
    _keys(data, KEYS, where)
    if data["network"] != VERSION or data["construction"] not in CONSTRUCTIONS:
        raise BadNetwork(f"{where}: found version {data['network']!r} of construction "
                         f"{data['construction']!r}; needed {VERSION} and one of "
                         + ", ".join(CONSTRUCTIONS))
    try:
        points = from_json_data(data["data"])
    except BadData as error:
        raise BadNetwork(f"{where}.data: {error}") from None
    d, facts = points.d, data["facts"]
    names = set(FORMULAS[data["construction"]].__annotations__) - {"d", "return"}
    if not isinstance(facts, dict) or set(facts) - {"padding"} != names or not all(
            type(n) is int and n >= 0 for n in facts.values()):
        raise BadNetwork(f"{where}.facts: needed whole numbers {', '.join(sorted(names))}")
    blocks = tuple(_read_block(b, d, f"{where}.blocks[{k}]")
                   for k, b in enumerate(_list(data["blocks"], f"{where}.blocks")))
    if not blocks:
        raise BadNetwork(f"{where}.blocks: found none; needed at least one")
    network = Network(d, blocks, data["construction"], str(data["limit"]), facts)
    certificate = _read_certificate(data["certificate"], f"{where}.certificate")
    return Built(points, network, certificate), {"d": data["d"], **_mapping(data["counts"])}


def problems(built: Built, stated: dict, watch: Watch = lambda done: None) -> list[str]:
    """Everything in a stored network that does not hold; empty when all of it does."""
    network, data, wrong = built.network, built.data, []
    if stated != {"d": data.d, **_counts(network)}:
        wrong.append(f"counts {stated} are stated; counted {_counts(network)} and d = {data.d}")
    for name in {"N", "M", "c"} & set(network.facts):
        if network.facts[name] != getattr(data, name):
            wrong.append(f"{name} = {network.facts[name]} is stated, the data has "
                         f"{getattr(data, name)}")
    if network.limit != LIMITS[network.construction]:
        wrong.append(f"exact for {network.limit} is stated; construction {network.construction} "
                     f"is for {LIMITS[network.construction]}")
    if network.limit == "any" and any(not b.sa.A.zero for b in network.blocks):
        wrong.append("exact at any temperature is stated, but some A is not zero")
    if (network.limit == "softmax") != (built.certificate is not None):
        wrong.append("a certificate belongs to softmax, and to softmax only")
    return wrong + check(built, watch)


def _counts(network: Network) -> dict:
    made = counted(network)
    return {"L": made.L, "P": made.P, "width": width(network)}


def _texts(x: Vector) -> list[str]:
    return [text(c) for c in x]


def _optional(x: Number | None) -> str | None:
    return None if x is None else text(x)


def _block(block: Block) -> dict:
    """A block as plain data; what is empty is left out."""
    def matrix(m: Matrix) -> dict:
        rank_one = {"left": _texts(m.left), "right": _texts(m.right)} if m.left else {}
        return {"scale": text(m.scale), **rank_one}
    return {"stage": block.stage, "attention": block.attention, "eta": text(block.ff.eta),
            "neurons": [{"w": _texts(n.w), "u": _texts(n.u), "b": text(n.b)}
                        for n in block.ff.neurons],
            "rho": text(block.sa.rho), "V": matrix(block.sa.V), "A": matrix(block.sa.A)}


def _read_block(data: Any, d: int, where: str) -> Block:
    _keys(data, {"stage", "attention", "eta", "neurons", "rho", "V", "A"}, where)
    if not isinstance(data["stage"], str) or not isinstance(data["attention"], str):
        raise BadNetwork(f"{where}: needed text as stage and attention")
    neurons = []
    for k, n in enumerate(_list(data["neurons"], f"{where}.neurons")):
        place = f"{where}.neurons[{k}]"
        _keys(n, {"w", "u", "b"}, place)
        neurons.append(Neuron(_vector(n["w"], d, place), _vector(n["u"], d, place),
                              _number(n["b"], place)))
    return Block(FF(_number(data["eta"], where), tuple(neurons)),
                 SA(_number(data["rho"], where), _matrix(data["V"], d, f"{where}.V"),
                    _matrix(data["A"], d, f"{where}.A")), data["stage"], data["attention"])


def _matrix(data: Any, d: int, where: str) -> Matrix:
    if isinstance(data, dict) and set(data) == {"scale"}:
        return Matrix(_number(data["scale"], where))
    _keys(data, {"scale", "left", "right"}, where)
    found = Matrix(_number(data["scale"], where), _vector(data["left"], d, where),
                   _vector(data["right"], d, where))
    if not any(found.left) or not any(found.right):
        raise BadNetwork(f"{where}: found a rank-one part that is zero; needed it left out")
    return found


def _read_certificate(data: Any, where: str) -> Certificate | None:
    if data is None:
        return None
    _keys(data, {"tau", "intervals", "gaps"}, where)
    optional = [None if x is None else _number(x, where)
                for x in (data["tau"], *_list(data["gaps"], where))]
    intervals = tuple(_vector(ends, 2, where) for ends in _list(data["intervals"], where))
    if optional[0] is not None and optional[0] <= 0:
        raise BadNetwork(f"{where}.tau: needed a number > 0, or null where every tau serves")
    return Certificate(optional[0], intervals, tuple(optional[1:]))


def _number(data: Any, where: str) -> fmpq:
    match = WHOLE.match(data) if isinstance(data, str) else None
    if match is None or not int(match[2] or 1):
        raise BadNetwork(f'{where}: found {json.dumps(data)[:40]}; needed "p" or "p/q"')
    return fmpq(int(match[1]), int(match[2] or 1))


def _vector(data: Any, d: int, where: str) -> Vector:
    if len(_list(data, where)) != d:
        raise BadNetwork(f"{where}: found {len(data)} numbers; needed {d}")
    return tuple(_number(x, where) for x in data)


def _list(data: Any, where: str) -> list:
    if not isinstance(data, list):
        raise BadNetwork(f"{where}: found {json.dumps(data)[:40]}; needed a list")
    return data


def _mapping(data: Any) -> dict:
    return data if isinstance(data, dict) else {"counts": data}


def _keys(data: Any, keys: set[str], where: str) -> None:
    if not isinstance(data, dict) or set(data) != keys:
        raise BadNetwork(f"{where}: needed exactly the keys {', '.join(sorted(keys))}")


def _whole(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError(f"a number of {len(digits)} digits outside quotes")
    return int(digits)
