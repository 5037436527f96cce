"""Blocks, width and parameters by formula, for each construction, and the bounds of the paper.

The numbers they need of a network: N sequences, M outputs, c sequences that lose tokens, and what
its separation took, kinks k, hats h, constant shifts s, blocks K0 or K1. None depends on the
lengths of the sequences. A parameter is eta, rho, a multiple of I (1 each), a neuron (2d + 1) or a
rank-one matrix (2d). Formulas and convention: ours; bounds: arXiv 2502.02270, Theorems 1.6, 1.8.
"""

from dataclasses import dataclass

from numeric.interpolant.layers import Network, parameters, width

WIDTH = 4  # of every construction


@dataclass(frozen=True)
class Counts:
    """Blocks L and parameters P."""

    L: int
    P: int


def counted(network: Network) -> Counts:
    """Counts on the object."""
    return Counts(len(network.blocks), parameters(network))


def up(a: int, b: int) -> int:
    """ceil(a/b)."""
    return -(-a // b)


def formula(network: Network) -> Counts:
    """The same by formula, from d and the facts; identity blocks of padding count 2 each."""
    made = FORMULAS[network.construction](network.d, **{
        name: value for name, value in network.facts.items() if name != "padding"})
    extra = network.facts.get("padding", 0)
    return Counts(made.L + extra, made.P + 2 * extra)


def uniform(d: int, N: int, M: int, c: int, k: int) -> Counts:
    """L_U = ceil((k+1)/4) + ceil(c/2) + ceil(M/4)."""
    L = up(k + 1, 4) + up(c, 2) + up(M, 4)
    return Counts(L, 2 * L + (2 * d + 1) * (1 + k + 2 * c + M) + 2 * d * (N >= 2))


def clustering(d: int, N: int, M: int, K1: int, h: int, s: int) -> Counts:
    """L_P = K1 + 2M."""
    L = K1 + 2 * M
    return Counts(L, 2 * L + (2 * d + 1) * (3 * h + s + 6 * M) + 4 * d * K1 + 2)


def softmax(d: int, N: int, M: int, k: int, K0: int, s: int) -> Counts:
    """L_S = K0 + M + 1 + ceil(M/2)."""
    L = K0 + M + 1 + up(M, 2)
    return Counts(L, 2 * L + (2 * d + 1) * (k + s + 5 * M + 1) + 2 * d * (K0 >= 1) + 2)


FORMULAS = {"uniform": uniform, "clustering": clustering, "softmax": softmax}


def most(construction: str, N: int, M: int) -> int:
    """The most blocks our construction takes for N sequences and M outputs."""
    return sum(budget(construction, N, M).values())


def budget(construction: str, N: int, M: int) -> dict[str, int]:
    """The most blocks a stage takes, for any dataset with N sequences and M outputs."""
    return {
        "uniform": {"project": up(N, 4), "collapse": up(N, 2), "place": up(M, 4)},
        "clustering": {"separate": N - 1, "leaders": M, "interpolate": M},
        "softmax": {"separate": 0 if N == 1 else max(1, up(N - 1, 4)), "leaders": M,
                    "project": 1, "snap": up(M, 2)},
    }[construction]


def bound(construction: str, N: int, M: int) -> int:
    """The blocks of the paper: 2M + 3N for softmax (Theorem 1.8), else 2M + 2N + 1 (1.6)."""
    return 2 * M + 3 * N if construction == "softmax" else 2 * M + 2 * N + 1


def faults(network: Network) -> list[str]:
    """What the network breaks of its own formulas and of the bounds; empty for every built one."""
    found, said = counted(network), formula(network)
    N, M = network.facts["N"], network.facts["M"]
    limit = bound(network.construction, N, M)
    made = found.L - network.facts.get("padding", 0)
    broken = []
    if said != found:
        broken.append(f"counted L = {found.L}, P = {found.P}; the formulas say L = {said.L}, "
                      f"P = {said.P}")
    if width(network) > WIDTH:
        broken.append(f"width {width(network)} > {WIDTH}")
    if limit < found.L:
        broken.append(f"{found.L} blocks, above the {limit} of the paper")
    if made > most(network.construction, N, M):
        broken.append(f"{made} blocks, above the {most(network.construction, N, M)} of the budget")
    return broken


def resnet(d: int, T: int) -> tuple[Counts, Counts]:
    """Two networks without attention for disjoint sequences of T tokens in all: a hat a token,
    and our compact one (project, then place). A block counts its eta, as there is no rho. Upper
    bounds of these constructions only."""
    compact = 1 + up(T, 4)
    return (Counts(T, T * (1 + 3 * (2 * d + 1))),
            Counts(compact, compact + (2 * d + 1) * (1 + T)))
