"""From a dataset to a network, and the exact question whether it interpolates.

`built` is the one door to the three constructions; `verify` compares sets of outputs in rationals.
"""

from dataclasses import dataclass, replace

from numeric.interpolant import clustering, softmax, uniform
from numeric.interpolant.certificate import Certificate, problems
from numeric.interpolant.counts import bound, faults
from numeric.interpolant.data import Dataset
from numeric.interpolant.exact import Number, key
from numeric.interpolant.layers import FF, Block, Network, still
from numeric.interpolant.run import Watch, run

CONSTRUCTIONS = ("uniform", "clustering", "softmax")


@dataclass(frozen=True)
class Built:
    """A dataset, a network for it, and for softmax the certificate of its temperatures."""

    data: Dataset
    network: Network
    certificate: Certificate | None = None


def build(data: Dataset, construction: str = "uniform", pad: bool = False, seed: int = 0,
          tau: Number | None = None) -> Built:
    """The network of a construction for a dataset, the same for the same seed.

    `pad` adds identity blocks up to the block count of the paper. `tau` (softmax only) is a
    temperature at which, and below which, it has to be exact. Raises BadData where d < 2 and the
    construction needs a plane, ValueError for an unknown construction or a tau that is not > 0.
    """
    if construction not in CONSTRUCTIONS:
        raise ValueError(f"build: found construction {construction!r}; needed one of "
                         + ", ".join(CONSTRUCTIONS))
    if tau is not None and (construction != "softmax" or tau <= 0):
        raise ValueError(f"build: found tau = {tau} with construction {construction}; needed "
                         "tau > 0 with softmax: the other two need no temperature")
    if isinstance(tau, float):
        raise ValueError(f"build: found the float tau = {tau}; needed an exact number: write "
                         f"Fraction({str(tau)!r})")
    certificate = None
    if construction == "softmax":
        network, certificate = (softmax.build(data, seed) if tau is None
                                else softmax.below(data, tau, seed))
    else:
        network = (uniform if construction == "uniform" else clustering).build(data, seed)
    return Built(data, padded(network) if pad else network, certificate)


def padded(network: Network) -> Network:
    """The same map with identity blocks added up to the block count of the paper."""
    extra = (bound(network.construction, network.facts["N"], network.facts["M"])
             - len(network.blocks))
    one = network.zero + 1
    rest = (Block(FF(one), still(one), "padding"),) * extra
    return replace(network, blocks=network.blocks + rest,
                   facts={**network.facts, "padding": extra})


def verify(network: Network, data: Dataset, tau: object = 0,
           watch: Watch = lambda done: None) -> list[str]:
    """The sequences that the network does not send to their outputs, a sentence each.

    Exact: sets of rationals are compared. `tau` as in `run`.
    """
    out = run(network, data.inputs, tau, watch)
    return [f"sequence {j}: the outputs of the network are not Y_{j}"
            for j, Y in enumerate(data.outputs, 1) if out.set(j - 1) != frozenset(map(key, Y))]


def check(built: Built, watch: Watch = lambda done: None) -> list[str]:
    """Everything that does not hold of a built network: outputs, certificate, counts."""
    wrong = verify(built.network, built.data, watch=watch) + faults(built.network)
    if built.certificate is not None:
        wrong += problems(built.network, built.data, built.certificate)
    return wrong
