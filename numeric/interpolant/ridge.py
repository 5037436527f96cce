"""What a layer along one direction can change: pieces of the line on which it is not the identity.

x + sum_k w_k relu(s_k <u, x> + b_k) depends on a token through t = <u, x> alone, and between two
knots it adds p + q t to it. Where p = q = 0 nothing moves, so a sweep through many such layers
looks, a layer at a time, only at the tokens of the other pieces.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numeric.interpolant.exact import Vector, along, ascending, support
from numeric.interpolant.layers import FF


@dataclass(frozen=True)
class Piece:
    """On low < t < high the layer adds p + q t. An end of None is unbounded."""

    low: Any
    high: Any
    p: Vector
    q: Vector


def direction(ff: FF) -> Vector | None:
    """The u of all neurons of a residual layer (eta = 1), () where all are constants, or None.

    A neuron whose own u is zero fits every direction.
    """
    if ff.eta != 1:
        return None
    found: Vector = ()
    for neuron in ff.neurons:
        if any(neuron.u):
            if found and neuron.u != found:
                return None
            found = neuron.u
    return found


def pieces(ff: FF, one: Any) -> tuple[Piece, ...]:
    """The pieces on which a layer along one direction changes tokens, from left to right.

    The layer is continuous, so an end may be counted to either of its neighbours.
    """
    zero = tuple(0 * one for _ in ff.neurons[0].w) if ff.neurons else ()
    p, q, found = zero, zero, []
    on = sorted(((-n.b, n) for n in ff.neurons if any(n.u)), key=lambda pair: pair[0])
    for n in ff.neurons:
        if not any(n.u) and n.b > 0:
            p = tuple(a + n.b * w for a, w in zip(p, n.w, strict=True))
    low = None
    for knot, n in on:
        if (any(p) or any(q)) and (low is None or low < knot):
            found.append(Piece(low, knot, p, q))
        p = tuple(a - knot * w if w else a for a, w in zip(p, n.w, strict=True))
        q = tuple(a + w if w else a for a, w in zip(q, n.w, strict=True))
        low = knot
    if any(p) or any(q):
        found.append(Piece(low, None, p, q))
    return tuple(found)


def moved(x: Vector, t: Any, piece: Piece) -> Vector:
    """x + p + q t."""
    out = []
    for a, p, q in zip(x, piece.p, piece.q, strict=True):
        if p:
            a = a + p
        out.append(a + q * t if q else a)
    return tuple(out)


def sweep(points: Sequence[Vector], layers: Sequence[FF], u: Vector) -> list[Vector]:
    """The images of tokens under layers that share the direction u, in order.

    Costs one projection and one place in a sorted list a token, then work for what moves.
    """
    out, place, one = list(points), support(u), layers[0].eta
    line = [along(place, x) for x in out] if place else [one for _ in out]
    order = [(line[k], k) for k in ascending(line)]
    for ff in layers:
        taken = []
        for piece in reversed(pieces(ff, one)):
            start = 0 if piece.low is None else bisect_right(order, piece.low, key=_first)
            stop = len(order) if piece.high is None else bisect_right(order, piece.high, key=_first)
            taken += [(t, k, piece) for t, k in order[start:stop]]
            del order[start:stop]
        _put_back(out, order, place, taken)
    return out


def _put_back(out: list, order: list, place: tuple, taken: list) -> None:
    """Move the tokens that were taken out of the line, and put them back where they now belong."""
    fresh = []
    for t, k, piece in taken:
        out[k] = moved(out[k], t, piece)
        fresh.append((along(place, out[k]) if place else t, k))
    if len(fresh) * 4 > len(order):
        merged = order + fresh
        line = [t for t, _ in merged]
        order[:] = [merged[i] for i in ascending(line)]
        return
    for pair in fresh:
        insort(order, pair, key=_first)


def _first(pair: tuple) -> Any:
    return pair[0]
