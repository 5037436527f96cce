"""Blocks and parameters of the constructions U, P, S, and the bounds of the paper, for all N, M.

N sequences, M outputs, c sequences that lose tokens, k kinks, h hats, s shifts, K0 and K1 blocks
of separation; L1, L2, .. are the whole numbers ceil(./4), ceil(./2) that their facts describe. A
neuron has 2d+1 parameters, a rank-one matrix 2d, a multiple of I one, a block its eta and rho.
No length n_j occurs. The paper: 2M + 2N + 1 blocks for hardmax, 2M + 3N for softmax, P = O(d M).

Source: the bounds are Theorems 1.6 and 1.8 of arXiv 2502.02270; constructions, formulas and the
convention of counting are ours. Each formula is compared with the count on a built network.
Missing: k <= N-1 and K1 <= N-1 (each kink or block makes a new class) are arguments in words.
"""

from proofs import Claim, at_most, below

PAPER, OURS = "bound: arXiv 2502.02270; construction and proof ours", "ours"
SYMBOLS = {"N": "integer >= 1", "M": "integer >= 1", "d": "integer >= 2", "c": "integer >= 0",
           "k": "integer >= 0", "h": "integer >= 0", "s": "integer in [0, 1]",
           "K0": "integer >= 0", "K1": "integer >= 0", "z": "integer in [0, 1]",
           "L1": "integer", "L2": "integer", "L3": "integer", "Q": "real > 0"}
SIZES = ("N <= M", "c <= N", "k <= N - 1")
CEILINGS = ("4*L1 >= k + 1", "4*L1 <= k + 4", "2*L2 >= c", "2*L2 <= c + 1", "4*L3 >= M",
            "4*L3 <= M + 3")
HALF = ("2*L2 >= M", "2*L2 <= M + 1")
SEPARATED = ("4*K0 <= k + 3", "K0 <= N")
L_U, L_P, L_S = "L1 + L2 + L3", "K1 + 2*M", "K0 + M + 1 + L2"
P_U = f"2*({L_U}) + (2*d + 1)*(1 + k + 2*c + M) + 2*d*z"
P_P = f"2*({L_P}) + (2*d + 1)*(3*h + s + 6*M) + 4*d*K1 + 2"
P_S = f"2*({L_S}) + (2*d + 1)*(k + s + 5*M + 1) + 2*d*z + 2"


def _sizes(point):
    """N <= M and d of the point; a size that the claim does not speak of is 3."""
    N, M, d = (int(point.get(name, 3)) for name in ("N", "M", "d"))
    M = min(M, 12)
    return min(N, M, 6), M, min(d, 5)


def _dataset(point, rng, longer=3):
    """Random sequences that share tokens: N of them, M outputs in all, of the point's sizes."""
    from numeric.interpolant.data import dataset

    N, M, d = _sizes(point)
    m = 1 + rng.multinomial(M - N, [1 / N] * N)
    pool = [tuple(2 * int(i == a) * t + t * t for i in range(d)) for t in range(1, 9)
            for a in range(min(d, 2))] + [tuple(100 + t for _ in range(d)) for t in range(M + 9)]
    found = {}
    for size in m:
        X = None
        while X is None or frozenset(X) in found:
            n = int(size) + int(rng.integers(0, longer + 1))
            X = [pool[i] for i in rng.permutation(len(pool))[:n]]
        found[frozenset(X)] = X
    return dataset([(X, [tuple(int(y) for y in rng.integers(-99, 99, d)) for _ in range(size)])
                    for X, size in zip(found.values(), m, strict=True)])


def _network(construction, point, rng):
    from numeric.interpolant.build import build
    from numeric.interpolant.data import BadData

    while True:
        try:
            return build(_dataset(point, rng), construction).network
        except BadData:  # two equal targets were drawn
            continue


def _worth(text, network):
    """The formula of this page at the numbers of a network."""
    from numeric.backends import numpy64
    from numeric.interpolant.counts import up
    from symbolic.reading import read_term

    at = {"d": network.d, **network.facts}
    at["z"] = int(at["N"] >= 2 if network.construction == "uniform" else at.get("K0", 0) >= 1)
    if network.construction == "uniform":
        at |= {"L1": up(at["k"] + 1, 4), "L2": up(at["c"], 2), "L3": up(at["M"], 4)}
    else:
        at["L2"] = up(at["M"], 2)
    sorts = {name: ("integer",) for name in at}
    return float(numpy64.evaluate(read_term(text, sorts), list(sorts.items()), at))


def _blocks(construction, text):
    """Blocks counted on a built network, and the formula at its numbers."""
    def measure(point, xp, rng):
        network = _network(construction, point, rng)
        return len(network.blocks), _worth(text, network)

    return measure


def _parameters(construction, text):
    """Parameters counted on a built network, and the formula at its numbers."""
    def measure(point, xp, rng):
        from numeric.interpolant.layers import parameters

        network = _network(construction, point, rng)
        return parameters(network), _worth(text, network)

    return measure


def _beyond(point, xp, rng):
    """Width above 4, and entries of V and A that are not a multiple of I plus rank one."""
    import numpy as np

    from numeric.interpolant.layers import width

    worst = 0.0
    for construction in ("uniform", "clustering", "softmax"):
        network = _network(construction, point, rng)
        worst = max(worst, width(network) - 4.0)
        for matrix in (m for b in network.blocks for m in (b.sa.V, b.sa.A)):
            rest = np.array([[float(a.p) / float(a.q) for a in row]
                             for row in matrix.dense(network.d)])
            rest = rest - float(matrix.scale.p) / float(matrix.scale.q) * np.eye(network.d)
            values = np.linalg.svd(rest, compute_uv=False)
            worst = max(worst, float(values[1] / max(1.0, values[0])))
    return max(0.0, worst), 0.0


def _lengths(point, xp, rng):
    """Blocks of U for short and for long sequences of the same N and M, all losing tokens."""
    from numeric.interpolant.build import build
    from numeric.interpolant.data import dataset

    found = []
    for longer in (1, 9):
        N, _, d = _sizes(point)
        pairs = [([tuple(j * 50 + t * t + i * t for i in range(d)) for t in range(1, 2 + longer)],
                  [tuple(j for _ in range(d))]) for j in range(N)]
        found.append([len(build(dataset(pairs), kind).network.blocks)
                      for kind in ("uniform", "clustering", "softmax")])
    return xp.asarray(found[1]), xp.asarray(found[0])


CLAIMS = (
    Claim(
        name="interpolation.O8.uniform",
        says="U takes L_U = ceil((k+1)/4) + ceil(c/2) + ceil(M/4) blocks, always fewer than the "
             "2M + 2N + 1 of the paper.",
        given=(*SIZES, *CEILINGS), start=L_U, steps=(below("2*M + 2*N + 1", by="sign"),),
        measure=_blocks("uniform", L_U), source=PAPER,
    ),
    Claim(
        name="interpolation.O8.uniform_worst",
        says="At most ceil(N/4) + ceil(N/2) + ceil(M/4), here A + C + L3.",
        symbols={"A": "integer", "C": "integer"},
        given=(*SIZES, *CEILINGS, "4*A >= N", "2*C >= N"),
        start=L_U, steps=(at_most("A + L2 + L3", by="sign"), at_most("A + C + L3", by="sign")),
        no_measure="O8.uniform measures the blocks", source=OURS,
    ),
    Claim(
        name="interpolation.O8.clustering",
        says="P takes L_P = K1 + 2M blocks: N + 2 or more below the bound of the paper.",
        given=("K1 <= N - 1",), start=L_P,
        steps=(at_most("2*M + 2*N + 1 - (N + 2)", by="sign"),
               below("2*M + 2*N + 1", by="sign")),
        measure=_blocks("clustering", L_P), source=PAPER,
    ),
    Claim(
        name="interpolation.O8.softmax",
        says="S takes L_S = K0 + M + 1 + ceil(M/2) blocks, K0 <= max(1, ceil(k/4)) and 0 for "
             "N = 1: never more than the 2M + 3N of the paper.",
        given=(*SIZES, *HALF, "4*K0 <= k + 4", "K0 <= N - 1"), start=L_S,
        steps=(at_most("2*M + 3*N", by="sign"),),
        measure=_blocks("softmax", L_S), source=PAPER,
    ),
    Claim(
        name="interpolation.P1.uniform",
        says="Parameters of U; with N <= M they are at most 22 d M: O(dM) with a constant.",
        given=(*SIZES, *CEILINGS), start=P_U,
        steps=(at_most(f"2*({L_U}) + (2*d + 1)*(3*N + M) + 2*d", by="squares"),
               at_most("22*d*M", by="squares")),
        measure=_parameters("uniform", P_U), source=OURS,
    ),
    Claim(
        name="interpolation.P1.clustering",
        says="Parameters of P, at most 42 d M.",
        given=("N <= M", "h <= K1", "K1 <= N - 1"), start=P_P,
        steps=(at_most("42*d*M", by="squares"),),
        measure=_parameters("clustering", P_P), source=OURS,
    ),
    Claim(
        name="interpolation.P1.softmax",
        says="Parameters of S, at most 40 d M.",
        given=(*SIZES, *HALF, "4*K0 <= k + 4"), start=P_S,
        steps=(at_most("40*d*M", by="squares"),),
        measure=_parameters("softmax", P_S), source=OURS,
    ),
    Claim(
        name="interpolation.P2.slope",
        says="For many outputs U takes about 2 + 3/(2d) parameters for each of their d M numbers: "
             "the rest depends on N, c, k and d only.",
        given=CEILINGS, start=P_U,
        steps=(at_most("(2 + 3/(2*d))*d*M + k/2 + c + (2*d + 1)*(1 + k + 2*c) + 2*d + 9/2",
                       by="squares"),),
        measure=_parameters("uniform", P_U), source=OURS,
    ),
    Claim(
        name="interpolation.P3.built",
        says="Width at most 4 on built networks; V and A are rank one plus a multiple of I.",
        given=("N <= M",), expect="tested", measure=_beyond, source=OURS,
    ),
    Claim(
        name="interpolation.P3.lengths",
        says="Blocks do not depend on the lengths of the sequences.",
        given=("N <= M",), expect="tested", measure=_lengths, source=OURS,
    ),
)
