"""Layers and the runner: hardmax geometry of the literature, and a runner that skips nothing."""

import random
from fractions import Fraction

import pytest
from flint import fmpq

from numeric.interpolant import attention
from numeric.interpolant.build import CONSTRUCTIONS, build
from numeric.interpolant.data import dataset
from numeric.interpolant.exact import bits, ceil, common, floor, gram, key, norm_bound, number, text
from numeric.interpolant.kinks import kinks
from numeric.interpolant.layers import FF, SA, Block, Matrix, Network, Neuron, parameters, still
from numeric.interpolant.moves import generic, hat, placements, projections, smallest_shift, snaps
from numeric.interpolant.preference import Uncertain, constant_on
from numeric.interpolant.run import run
from tests.experiments.datasets import draw


def exact(*numbers) -> tuple:
    return tuple(number(fmpq, Fraction(x)) for x in numbers)


def attended(A: Matrix, tokens: list) -> list:
    """The images of tokens under attention with rho = 0 and V = I."""
    sa = SA(fmpq(0), Matrix(fmpq(1)), A)
    image = attention.hard(sa, tokens, dict.fromkeys(range(len(tokens)), 1))
    return [image[k] for k in range(len(tokens))]


def test_rank_one_attention_goes_to_the_extremes_and_averages_ties():
    v = exact(1, 2)
    tokens = [exact(*x) for x in ((3, 0), (-1, 0), (0, 1), (1, 1), (-2, -1), (2, -1))]
    tie, low, all_of_them = exact(2, "1/2"), exact(-2, -1), exact("1/2", 0)
    assert attended(Matrix(fmpq(0), v, v), tokens) == [tie, low, tie, tie, low, all_of_them]


def test_attention_with_the_identity_fixes_a_circle_and_collapses_on_a_corner():
    identity = Matrix(fmpq(1))
    circle = [exact("3/5", "4/5"), exact("-3/5", "4/5"), exact(1, 0), exact("5/13", "-12/13")]
    assert attended(identity, circle) == circle
    corner = [exact(5, 5), exact(4, 5), exact(1, 2), exact(5, 1)]
    assert attended(identity, corner) == [exact(5, 5)] * 4
    # A zero coordinate breaks the strictness: a tie, and the mean of both.
    assert attended(identity, [exact(0, 2), exact(5, 5), exact(4, 5)])[0] == exact("9/2", 5)


def test_a_mean_counts_repeated_tokens():
    sa = SA(fmpq(0), Matrix(fmpq(1)), Matrix(fmpq(0)))
    image = attention.hard(sa, [exact(0), exact(3)], {0: 2, 1: 1})
    assert image == {0: exact(1), 1: exact(1)}


def naive(network: Network, tokens: list) -> list:
    """The definition, token by token and pair by pair, with Fractions."""
    def plain(x):
        return tuple(Fraction(*map(int, (c.numerator, c.denominator))) for c in x)

    def inner(x, y):
        return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))

    def times(m, x):
        rank = inner(plain(m.right), x) if m.left else 0
        left = plain(m.left) or (0,) * len(x)
        return tuple(plain((m.scale,))[0] * c + rank * p for c, p in zip(x, left, strict=True))
    xs = [plain(x) for x in tokens]
    for block in network.blocks:
        out = []
        for x in xs:
            y = [plain((block.ff.eta,))[0] * c for c in x]
            for n in block.ff.neurons:
                on = max(Fraction(0), inner(plain(n.u), x) + plain((n.b,))[0])
                y = [c + on * w for c, w in zip(y, plain(n.w), strict=True)]
            out.append(tuple(y))
        xs, rho = [], plain((block.sa.rho,))[0]
        for x in out:
            scores = [inner(times(block.sa.A, x), y) for y in out]
            best = [y for y, s in zip(out, scores, strict=True) if s == max(scores)]
            mean = tuple(sum(column) / len(best) for column in zip(*best, strict=True))
            moved = times(block.sa.V, mean)
            xs.append(tuple(rho * c + m for c, m in zip(x, moved, strict=True)))
    return xs


@pytest.mark.parametrize("seed", [0, 2, 5, 6])
def test_the_runner_agrees_with_the_definition_on_built_networks(seed):
    data = dataset(draw(seed)[1][:4])
    for construction in CONSTRUCTIONS if data.d >= 2 else ("uniform",):
        network = build(data, construction).network
        out = run(network, data.inputs)
        for j, X in enumerate(data.inputs):
            assert sorted(map(key, out.tokens(j))) == sorted(map(key, naive(network, X)))


def random_network(rng: random.Random, d: int, kind: type) -> Network:
    """Layers of every form, with many equal numbers so that ties and knots on tokens occur."""
    def vector(zeros=0.3):
        return tuple(kind(0 if rng.random() < zeros else rng.randint(-2, 2)) for _ in range(d))

    def matrix():
        left, right = vector(), vector()
        rank_one = (left, right) if any(left) and any(right) and rng.random() < 0.5 else ()
        return Matrix(kind(rng.randint(-1, 1)), *rank_one)
    blocks = []
    for _ in range(rng.randint(1, 6)):
        u = vector(0.1)
        neurons = tuple(Neuron(vector(), rng.choice((u, u, u, vector(1))) if rng.random() < 0.8
                               else vector(), kind(rng.randint(-3, 3)))
                        for _ in range(rng.randint(0, 4)))
        sa = still(kind(1)) if rng.random() < 0.6 else SA(kind(rng.randint(-1, 1)), matrix(),
                                                          matrix())
        blocks.append(Block(FF(kind(rng.choice((1, 1, 1, 0, -1))), neurons), sa, "any"))
    return Network(d, tuple(blocks), "random", "hardmax", {})


@pytest.mark.parametrize("kind", [fmpq, Fraction])
def test_the_runner_agrees_with_the_definition_on_random_networks(kind):
    for seed in range(50):
        rng = random.Random(seed)
        d = rng.choice((1, 2, 3))
        network = random_network(rng, d, kind)
        tokens = [[tuple(kind(rng.randint(-3, 3)) for _ in range(d))
                   for _ in range(rng.randint(1, 6))] for _ in range(3)]
        out = run(network, tokens)
        for j, X in enumerate(tokens):
            assert sorted(map(key, out.tokens(j))) == sorted(map(key, naive(network, X))), seed


def at(neurons, x):
    return FF(fmpq(1), tuple(neurons)).images([x])[0]


def test_a_hat_moves_its_peak_and_nothing_outside():
    v, change = exact(1, 1), exact(10, -7)
    neurons = hat(v, *exact(1, 3, 4), change)
    assert at(neurons, exact(2, 1)) == exact(12, -6)
    for x in (exact(0, 0), exact(1, 0), exact(4, 0), exact(50, 50)):
        assert at(neurons, x) == x
    assert at(neurons, exact(2, 0)) == exact(7, "-7/2")  # half way up


def test_placements_and_snaps_reach_their_targets():
    sources = exact(3, 4, 6, 7, 9, 12)
    targets = [exact(k - 5, k * k) for k in range(6)]
    blocks = placements(sources, targets, "place")
    assert [len(b.ff.neurons) for b in blocks] == [4, 2]
    network = Network(2, tuple(blocks), "", "any", {})
    for s, y in zip(sources, targets, strict=True):
        assert run(network, [[(s, fmpq(0))]]).tokens(0) == [y]
    intervals = [(s - fmpq(1, 4), s + fmpq(1, 4)) for s in sources]
    line = Block(FF(fmpq(0), (Neuron(exact(1, 0), exact(1, 0), fmpq(0)),)), still(fmpq(1)), "")
    snapped = (line, *snaps(intervals, targets, "snap"))
    assert [constant_on(snapped, *ends) for ends in intervals] == targets
    with pytest.raises(Uncertain, match="a knot lies inside"):
        constant_on(snapped, sources[0], sources[1])
    with pytest.raises(Uncertain, match="needed 0 < low < high"):
        constant_on(snapped, fmpq(0), sources[1])


def test_the_least_shift_separates_and_no_smaller_one_does():
    groups = [(0, [0, 1, 2]), (1, [0, 1, 2]), (3, [0, 5])]
    z = smallest_shift(groups)

    def overlap(z):
        moved = [t + z * s for s, values in groups for t in values]
        return len(set(moved)) < len(moved)
    assert not overlap(z) and all(overlap(k) for k in range(1, z)) and z > 1


def test_generic_directions_tell_all_points_apart_even_where_random_ones_fail(monkeypatch):
    grid = [exact(x, y) for x in range(12) for y in range(12)]
    assert len(set(map(text, projections(grid, generic(grid, 0))))) == 144
    monkeypatch.setattr("numeric.interpolant.moves.TRIES", 0)
    assert generic(grid, 0) == exact(1, 12)


def test_kinks_make_all_means_different_and_are_few():
    rng = random.Random(0)
    for N in (2, 4, 8, 20):
        tied = [[fmpq(100 * (k // 2) + s * (1 + k % 2)) for s in (1, -1)] for k in range(N)]
        rng.shuffle(tied)
        found, means = kinks(tied)
        assert 1 <= len(found.pairs) <= N - 1
        assert means == [sum(map(found, ts), fmpq(0)) / len(ts) for ts in tied]
        assert len(set(map(text, means))) == N


def test_both_kinds_of_numbers_round_and_multiply_alike():
    for p, q in ((7, 3), (-7, 3), (6, 3), (0, 5), (-1, 7)):
        values = fmpq(p, q), Fraction(p, q)
        assert {floor(x) for x in values} == {p // q}
        assert {ceil(x) for x in values} == {-(-p // q)}
        assert len({text(x) for x in values}) == len({bits(x) for x in values}) == 1
    rows = [exact("1/2", 3), exact(-1, "2/7")]
    scores, D = gram(rows, rows)
    slow, E = gram(*[[tuple(Fraction(text(c)) for c in x) for x in rows]] * 2)
    assert [[int(s) for s in row] for row in scores] == list(slow) and D == E
    assert common([]) == ([], 1)
    assert norm_bound([exact(3, 4), exact("1/2", 0)]) == 5 and norm_bound([]) == 0


def test_parameters_are_counted_by_the_convention():
    sa = SA(fmpq(1), Matrix(fmpq(1)), Matrix(fmpq(0), exact(1, 2), exact(1, 0)))
    block = Block(FF(fmpq(1), (Neuron(exact(1, 0), exact(0, 1), fmpq(2)),)), sa, "")
    assert parameters(Network(2, (block,), "", "", {})) == 2 + 5 + 1 + 4
    assert block.sa.A.dense(2) == [[1, 0], [2, 0]]
