"""Exact interpolation: the constructions on the cases of the literature, counts, and nasty sets."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq

from numeric.interpolant.build import CONSTRUCTIONS, build, check, padded, verify
from numeric.interpolant.counts import Counts, bound, counted, formula, most
from numeric.interpolant.data import dataset
from numeric.interpolant.exact import key
from numeric.interpolant.layers import width
from numeric.interpolant.run import run
from tests.experiments.interpolant import shape_faults

TRIANGLE = [([(0, 0), (1, 0)], [(5, 5)]), ([(1, 0), (0, 1)], [(-1, 2), (3, 3)]),
            ([(0, 0), (0, 1)], [(5, 5)])]


def spread(N: int, n: int, m: int, d: int, seed: int = 0) -> list:
    """N sequences of n random tokens each, to m random targets."""
    rng = random.Random(seed)

    def some(count):
        found = {}
        while len(found) < count:
            found[tuple(Fraction(rng.randint(-10**4, 10**4), 10) for _ in range(d))] = None
        return list(found)
    return [(some(n), some(m)) for _ in range(N)]


def equal_means(extra: list) -> list:
    return [([(k, k * k), (-k, -k * k), *extra], [(k, 1)]) for k in range(1, 21)]


NASTY = {
    "triangle": TRIANGLE,
    "chain": [([(i, i * i) for i in range(k + 1)], [(k, 0)]) for k in range(12)],
    "subsets of a line": [([(3 * k, k) for k in range(4) if mask >> k & 1],
                           [(mask, k) for k in range(4) if mask >> k & 1])
                          for mask in range(1, 16)],
    "equal means": equal_means([]),
    "equal means, one origin": equal_means([(0, 0)]),
    "equal means, other lengths": [([(1, 0), (-1, 0)], [(1, 1)]),
                                   ([(2, 0), (-2, 0), (0, 0)], [(2, 2)]),
                                   ([(0, 3), (0, -3), (3, 0), (-3, 0)], [(4, 4), (5, 5)])],
    "symmetric triples": [([(k, 0, 0), (0, k, 0), (0, 0, k)], [(k, k, k)])
                          for k in range(-8, 9) if k],
    "one token": [([(k, -k)], [(7, k % 3)]) for k in range(10)],
    "identical targets": [([(k, 0), (0, k)], [(1, 1), (2, 2)]) for k in range(1, 5)],
    "targets are inputs": [([(0, 0), (1, 0)], [(0, 1)]), ([(0, 1), (1, 0)], [(0, 0), (1, 0)])],
    "gaps 1e-30": [([(0, k), (Fraction(1, 10**30), k)], [(k, 0), (0, k)]) for k in range(1, 4)],
    "1e30 and 1e-30": [([(10**30, 0), (Fraction(k, 10**30), 1)], [(k, 10**12)])
                       for k in range(1, 5)],
    "collinear in R^5": [([tuple(t * k for k in range(1, 6)) for t in (0, s, 2 * s)],
                          [(s, 0, 0, 0, 0)]) for s in range(1, 5)],
}


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@pytest.mark.parametrize("name", NASTY)
def test_nasty_datasets_are_interpolated_exactly_within_all_bounds(name, construction):
    built = build(dataset(NASTY[name]), construction)
    assert check(built) == [] and shape_faults(built.network) == []


def test_the_triangle_has_the_counts_worked_out_by_hand():
    data = dataset(TRIANGLE)
    U, P = (build(data, name).network for name in ("uniform", "clustering"))
    assert counted(U) == formula(U) == Counts(3, 55) and width(U) == 4
    assert (U.facts["k"], U.facts["c"], U.facts["M"]) == (0, 2, 4)
    assert counted(P).L == 10
    assert bound("clustering", 3, 4) == 15 and bound("softmax", 3, 4) == 17


def test_one_token_needs_no_attention():
    data = dataset([([(0, 0)], [(3, -4)])])
    U, P, S = (build(data, name) for name in CONSTRUCTIONS)
    assert [counted(b.network).L for b in (U, P, S)] == [2, 2, 3]
    assert all(block.sa.identity for block in U.network.blocks)
    assert S.certificate.tau is None  # exact at every temperature
    assert [check(b) for b in (U, P, S)] == [[], [], []]
    assert bound("clustering", 1, 1) == bound("softmax", 1, 1) == 5


def test_a_nested_chain_has_the_predicted_blocks():
    data = dataset(NASTY["chain"])
    L = [counted(build(data, name).network).L for name in CONSTRUCTIONS]
    assert L[0] == 10 and L[2] == 20
    assert L[1] <= 25


@pytest.mark.parametrize("n", [5, 20, 50, 100, 200])
def test_blocks_and_parameters_do_not_depend_on_the_length(n):
    data = dataset(spread(10, n, 3, 3))
    assert counted(build(data).network) == Counts(14, 391)
    if n <= 50:
        assert counted(build(data, "clustering").network) == Counts(60, 1389)
        assert counted(build(data, "softmax").network).L == 46
    assert verify(build(data).network, data) == []


def test_uniform_attention_works_on_the_line():
    data = dataset([([(0,), (1,)], [(1,)]), ([(1,), (2,)], [(0,), (5,)]), ([(0,), (2,)], [(1,)])])
    assert check(build(data)) == []


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_padding_reaches_the_blocks_of_the_paper_and_changes_nothing(construction):
    data = dataset(NASTY["targets are inputs"])
    built = build(data, construction, pad=True)
    L = len(built.network.blocks)
    assert bound(construction, data.N, data.M) == L and check(built) == []
    bare = build(data, construction).network
    L = len(bare.blocks)
    assert padded(bare) == built.network and most(construction, data.N, data.M) >= L


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_fractions_and_flint_build_the_same_network(construction):
    for pairs in (TRIANGLE, NASTY["equal means"][:5], NASTY["gaps 1e-30"], spread(4, 6, 2, 2)):
        fast, slow = (build(dataset(pairs, kind=kind), construction) for kind in (fmpq, Fraction))
        assert check(slow) == []
        assert repr_of(fast.network) == repr_of(slow.network)
        assert [run(b.network, b.data.inputs).set(0) for b in (fast, slow)] == [
            frozenset(map(key, fast.data.outputs[0]))] * 2


def repr_of(network) -> list:
    return [[key(n.w) + key(n.u) + key((n.b,)) for n in b.ff.neurons] for b in network.blocks]


def test_uniform_attention_is_the_same_at_every_temperature():
    data = dataset(TRIANGLE)
    network = build(data).network
    clouds = [run(network, data.inputs, tau) for tau in (0, Fraction(1, 1000), 1, 1000)]
    assert clouds.count(clouds[0]) == 4
    with pytest.raises(ValueError, match="softmax layer with A != 0"):
        run(build(data, "clustering").network, data.inputs, 1)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_a_wrong_network_is_found_out(construction):
    data = dataset(TRIANGLE)
    built = build(data, construction)
    blocks = built.network.blocks
    for k in range(len(blocks)):
        fewer = replace(built.network, blocks=blocks[:k] + blocks[k + 1:])
        assert verify(fewer, data) != [] and check(replace(built, network=fewer)) != []


def test_constructions_are_named():
    data = dataset(TRIANGLE)
    with pytest.raises(ValueError, match="uniform, clustering, softmax"):
        build(data, "hardmax")
    with pytest.raises(ValueError, match="tau > 0 with softmax"):
        build(data, "uniform", tau=1)
    with pytest.raises(ValueError, match="write Fraction"):
        build(data, "softmax", tau=0.1)
