"""A softmax network in ball arithmetic: an independent look at its certificate, at one temperature.

The weights are computed, not bounded: balls around exp((s_il - max_l s_il)/tau), their sums, and
the images on the line. Every ball must lie strictly inside the interval of its leader, where the
rest of the network is constant; above the threshold some token is shown to miss every output.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from flint import arb, ctx

from numeric.interpolant.certificate import MOST, START, Certificate, ball, room_of
from numeric.interpolant.data import Dataset
from numeric.interpolant.exact import Number, gram, support
from numeric.interpolant.layers import Block, Network
from numeric.interpolant.preference import before_softmax, projection


@dataclass(frozen=True)
class Image:
    """A token of a sequence after softmax and projection: a ball, and where its leader is."""

    sequence: int
    ball: arb
    centre: Number


def images(network: Network, data: Dataset, tau: Number, digits: int) -> Iterator[Image]:
    """The images of all tokens on the line at temperature tau > 0, at a precision in bits."""
    at, state = before_softmax(network, data)
    project, sa = projection(network, at), network.blocks[at].sa
    with ctx.workprec(digits):
        for j, counts in enumerate(state.sequences):
            places = tuple(counts)
            columns = [state.points[k] for k in places]
            line = [project(x) for x in columns]
            values = [ball(t) for t in line]
            rows, D = gram([sa.A(x) for x in columns], columns)
            scale = D * ball(tau)
            for row in rows:
                best = max(row)
                mass, total = arb(0), arb(0)
                for k, s, value in zip(places, row, values, strict=True):
                    weight = counts[k] * (arb(s - best) / scale).exp()
                    mass += weight
                    total += weight * value
                yield Image(j, total / mass, line[row.index(best)])


def exact_at(network: Network, data: Dataset, certificate: Certificate, tau: Number) -> bool | None:
    """Whether the outputs at this temperature are exactly Y_1, ..., Y_N.

    True where every image is certainly inside its leader's interval; False where one is certainly
    outside, and then certainly sent to no output of its sequence; None where neither is shown.
    """
    digits = START
    while digits <= MOST:
        answers = [_judged(network, data, certificate, image, digits)
                   for image in images(network, data, tau, digits)]
        if False in answers:
            return False
        if None not in answers:
            return True
        digits *= 4
    return None


def _judged(network: Network, data: Dataset, certificate: Certificate, image: Image,
            digits: int) -> bool | None:
    k, _ = room_of(image.sequence, image.centre, certificate.intervals)
    low, high = certificate.intervals[k]
    with ctx.workprec(digits):
        if image.ball > ball(low) and image.ball < ball(high):
            return True
        return False if _missed(network, data, image) else None


def _missed(network: Network, data: Dataset, image: Image) -> bool:
    """Whether the image is certainly none of the outputs of its sequence."""
    at = next(i for i, b in enumerate(network.blocks) if b.sa.A.scale or b.sa.A.left)
    end = forward(network.blocks[at + 1:], image.ball)
    return all(any(not c.overlaps(ball(b)) for c, b in zip(end, y, strict=True))
               for y in data.outputs[image.sequence])


def forward(blocks: tuple[Block, ...], t: arb) -> list[arb]:
    """A ball on the line through the feed-forward layers after the projection."""
    x = [ball(c) * t.nonnegative_part() for c in blocks[0].ff.neurons[0].w]
    for block in blocks[1:]:
        image = [ball(block.ff.eta) * c for c in x]
        for neuron in block.ff.neurons:
            value = ball(neuron.b)
            for i, c in support(neuron.u):
                value += ball(c) * x[i]
            if value < 0:
                continue
            for i, c in support(neuron.w):
                image[i] += ball(c) * value.nonnegative_part()
        x = image
    return x
