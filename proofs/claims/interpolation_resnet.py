"""Without attention one map f serves every token: when that is possible, and what it costs.

T(X_j) = {f(x) : x in X_j}, so f(X_j) = Y_j is needed for all j. A token in two sequences whose
outputs have nothing in common makes it impossible; disjoint sequences are always possible. Then,
for T tokens, a hat for each takes T blocks and T (1 + 3 (2d+1)) parameters (the order dT quoted
by the paper), our compact network 1 + ceil(T/4) blocks and T + 1 neurons. U needs 1 + k + 2c + M.

Source: the comparison is that of arXiv 2502.02270; counts and the criterion are ours.
Missing: these counts are upper bounds of two constructions, not lower bounds for all networks
without attention. The criterion is decided by a search, compared here with all maps there are.
"""

from proofs import Claim, at_most, below, equals

OURS = "ours"
SYMBOLS = {"T": "integer >= 1", "M": "integer >= 1", "d": "integer >= 1", "c": "integer >= 0",
           "k": "integer >= 0", "B": "integer", "f": "real"}
COMPACT = "B + (2*d + 1)*(1 + T)"


def _compact(point):
    """Our compact network for one sequence of T tokens that keeps them all."""
    from numeric.interpolant.data import dataset
    from numeric.interpolant.resnet import build, feasible

    d, T = int(point.get("d", 2)), int(point["T"])
    X = [tuple(t * t + i * t for i in range(d)) for t in range(T)]
    data = dataset([(X, [tuple(7 * a - t for a in x) for t, x in enumerate(X)])])
    return build(data, feasible(data).images), data


def _blocks(point, xp, rng):
    return xp.asarray(float(len(_compact(point)[0].blocks)))


def _parameters(point, xp, rng):
    """A block counts its eta, a neuron 2d + 1."""
    network, data = _compact(point)
    neurons = sum(len(block.ff.neurons) for block in network.blocks)
    return xp.asarray(float(len(network.blocks) + (2 * data.d + 1) * neurons))


def _feasible(point, xp, rng):
    """The search against all maps of the tokens, on random tiny datasets: 1 where they differ."""
    from itertools import product

    from numeric.interpolant.data import BadData, dataset
    from numeric.interpolant.exact import key
    from numeric.interpolant.resnet import feasible

    wrong = 0.0
    for _ in range(4):
        pairs = [([(int(x),) for x in rng.permutation(4)[:rng.integers(1, 4)]], None)
                 for _ in range(3)]
        pairs = [(X, [(int(y),) for y in rng.permutation(3)[:rng.integers(1, len(X) + 1)]])
                 for X, _ in pairs]
        try:
            data = dataset(pairs)
        except BadData:  # two equal inputs were drawn
            continue
        maps = product(range(3), repeat=4)
        some = any(all({(f[x[0]],) for x in X} == set(Y) for X, Y in pairs) for f in maps)
        found = feasible(data)
        wrong = max(wrong, float(found.possible is not some))
        if found.possible:
            at = dict(zip(map(key, data.tokens), map(key, found.images), strict=True))
            wrong = max(wrong, float(any({at[key(x)] for x in X} != set(map(key, Y))
                                         for X, Y in data.pairs)))
    return xp.asarray(wrong), 0.0


CLAIMS = (
    Claim(
        name="interpolation.N1.torn",
        says="The triangle {a,b} -> (5,5), {b,c} -> (-1,2), (3,3): no first coordinate f of an "
             "image of b is 5 and one of -1, 3.",
        given=("f = 5",), start="(f + 1)*(f - 3)", steps=(equals("12", by="linear"),),
        no_measure="a product that would have to be 0", source=OURS,
    ),
    Claim(
        name="interpolation.N1.search",
        says="The search for a map agrees with trying all of them.",
        given=("T >= 1",), expect="tested", measure=_feasible, source=OURS,
    ),
    Claim(
        name="interpolation.N2.blocks",
        says="The compact network has B = 1 + ceil(T/4) blocks, at most T + 1.",
        given=("4*(B - 1) >= T", "4*(B - 1) <= T + 3"), start="B",
        steps=(at_most("T + 1", by="sign"),), measure=_blocks, source=OURS,
    ),
    Claim(
        name="interpolation.N2.parameters",
        says="And fewer parameters than a hat for each token, for two tokens or more.",
        given=("4*(B - 1) >= T", "4*(B - 1) <= T + 3", "T >= 2"), start=COMPACT,
        steps=(below("T*(1 + 3*(2*d + 1))", by="squares"),), measure=_parameters, source=OURS,
    ),
    Claim(
        name="interpolation.N3.fewer",
        says="U has fewer neurons than the compact network exactly when T - M > 2c + k.",
        start="(1 + T) - (1 + k + 2*c + M)",
        steps=(equals("(T - M) - (2*c + k)", by="normal"),),
        no_measure="a difference of counts, each measured for itself", source=OURS,
    ),
    Claim(
        name="interpolation.N3.equal",
        says="There is no gain where no token is lost, T = M.",
        given=("T = M",), start="1 + T", steps=(at_most("1 + k + 2*c + M", by="sign"),),
        no_measure="a difference of counts, each measured for itself", source=OURS,
    ),
)
