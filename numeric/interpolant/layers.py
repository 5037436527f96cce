"""Layers of a transformer in exact numbers, and what is counted on them.

A block maps a list of tokens x_1..x_n in R^d by a feed-forward layer, then by self-attention:

    FF(x) = eta x + sum_k w_k relu(<u_k, x> + b_k)
    SA(x)_i = rho x_i + V sum_l pi_il x_l,   scores s_il = <A x_i, x_l>

with pi_i uniform over all maximisers of s_i (hardmax), or proportional to exp(s_il/tau) (softmax).
V and A are kept as a multiple of the identity plus a rank-one matrix, never as d x d numbers.
Source of the layers: arXiv 2502.02270; parameters are counted by a convention of ours.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from numeric.interpolant.exact import Number, Vector, along, bits, dot, scaled, support


@dataclass(frozen=True)
class Neuron:
    """w relu(<u, x> + b). A zero u with b = 1 adds the constant w."""

    w: Vector
    u: Vector
    b: Number


@dataclass(frozen=True)
class FF:
    """x -> eta x + sum of neurons, token by token. Its width is the number of neurons."""

    eta: Number
    neurons: tuple[Neuron, ...] = ()

    def images(self, points: Iterable[Vector]) -> list[Vector]:
        """The images of tokens; a neuron that is off costs one product."""
        parts = [(support(n.u), n.b, support(n.w)) for n in self.neurons]
        out = []
        for x in points:
            image = list(x if self.eta == 1 else scaled(self.eta, x))
            for u, b, w in parts:
                value = along(u, x) + b if u else b
                if value > 0:
                    for i, c in w:
                        image[i] += value * c
            out.append(tuple(image))
        return out


@dataclass(frozen=True)
class Matrix:
    """scale I + left right^T, the only matrices of these networks. No rank-one part is ()."""

    scale: Number
    left: Vector = ()
    right: Vector = ()

    def __call__(self, x: Vector) -> Vector:
        """The matrix times x."""
        out = scaled(self.scale, x)
        if not self.left:
            return out
        factor = dot(self.right, x)
        return tuple(c + factor * p for c, p in zip(out, self.left, strict=True))

    @property
    def zero(self) -> bool:
        """Whether it is the zero matrix."""
        return not self.scale and not self.left

    def dense(self, d: int) -> list[list[Number]]:
        """Its d x d entries."""
        return [[(self.scale if i == k else self.scale * 0)
                 + (self.left[i] * self.right[k] if self.left else 0) for k in range(d)]
                for i in range(d)]


@dataclass(frozen=True)
class SA:
    """Self-attention rho x_i + V mean_i. With A = 0 the mean is uniform at every temperature."""

    rho: Number
    V: Matrix
    A: Matrix

    @property
    def identity(self) -> bool:
        """Whether it changes nothing."""
        return self.rho == 1 and self.V.zero


@dataclass(frozen=True)
class Block:
    """SA after FF. `stage` says what its FF is for, `attention` what its SA is for, if anything."""

    ff: FF
    sa: SA
    stage: str
    attention: str = ""


@dataclass(frozen=True)
class Network:
    """Blocks applied in order to sequences in R^d.

    `limit` is the attention it is exact for: "any" (A = 0 throughout), "hardmax", or "softmax"
    (below the temperature of its certificate). `facts` are the numbers its formulas count with.
    """

    d: int
    blocks: tuple[Block, ...]
    construction: str
    limit: str
    facts: dict

    @property
    def zero(self) -> Number:
        """0 of the kind of its numbers."""
        return self.blocks[0].ff.eta * 0


def still(one: Number) -> SA:
    """The attention layer that does nothing: rho = 1, V = A = 0."""
    zero = Matrix(one * 0)
    return SA(one, zero, zero)


def width(network: Network) -> int:
    """The largest number of neurons in a block."""
    return max(len(block.ff.neurons) for block in network.blocks)


def parameters(network: Network) -> int:
    """The number of parameters: eta and rho one each, 2d+1 a neuron, 1 a multiple of I, 2d a
    rank-one matrix, nothing a zero matrix."""
    return sum(block_parameters(block, network.d) for block in network.blocks)


def block_parameters(block: Block, d: int) -> int:
    """The parameters of one block."""
    matrices = (block.sa.V, block.sa.A)
    return (2 + (2 * d + 1) * len(block.ff.neurons)
            + sum(bool(m.scale) + 2 * d * bool(m.left) for m in matrices))


def entries(block: Block) -> Iterator[Number]:
    """Every number of a block."""
    yield block.ff.eta
    for neuron in block.ff.neurons:
        yield from (*neuron.w, *neuron.u, neuron.b)
    yield block.sa.rho
    for matrix in (block.sa.V, block.sa.A):
        yield from (matrix.scale, *matrix.left, *matrix.right)


def bit_length(blocks: tuple[Block, ...]) -> int:
    """The longest numerator or denominator among all parameters, in bits."""
    return max((bits(x) for block in blocks for x in entries(block)), default=0)
