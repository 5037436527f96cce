"""Trained blocks: they are what they are said to be, their loss is zero on exact sets only."""

from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest

from numeric.interpolant import floats
from numeric.interpolant.data import dataset
from numeric.interpolant.export import hausdorff
from numeric.train import Budget
from numeric.trained import block, depth

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed: "
                                 "pip install 'attnproof[torch]'")
UNEVEN = dataset([([(0, 0), (1, 0), (2, 1)], [(1, 1)]), ([(1, 0), (0, 1)], [(0, 2), (3, 0)])])


def test_random_datasets_are_exact_seeded_and_as_asked():
    data = depth.random(4, 4, 2, 8, 2, 0)
    assert (data.N, data.M, data.T, data.d, data.c) == (4, 8, 16, 2, 4)
    assert len(data.tokens) <= 8 and data == depth.random(4, 4, 2, 8, 2, 0)
    assert data != depth.random(4, 4, 2, 8, 2, 1)
    for sizes in ((4, 4, 5, 8, 2), (40, 4, 1, 5, 2), (2, 9, 1, 8, 2), (2, 2, 1, 40, 1)):
        with pytest.raises(ValueError, match="pool"):
            depth.random(*sizes, 0)


def test_what_cannot_be_trained_on_is_refused():
    with pytest.raises(ValueError, match="found a coordinate of size 1000000.*rescale"):
        depth.batch(dataset([([(0, 0)], [(1, 10**400)])]))


def test_what_is_known_of_the_triangle():
    found = depth.known(dataset(depth.TRIANGLE))
    assert found["built"]["uniform"] | {"log10 norm^2": 0} == {
        "L": 3, "P": 55, "width": 4, "log10 norm^2": 0, "most": 4, "bound": 15}
    assert found["built"]["clustering"]["L"] <= 10 and found["built"]["softmax"]["bound"] == 17
    assert found["without attention"] is False and "(1, 0)" in found["why"]
    assert depth.log_norm([Fraction(3), Fraction(4)]) == pytest.approx(np.log10(25))
    assert depth.log_norm([10**400]) == pytest.approx(800)


@needs_torch
def test_blocks_are_those_of_the_exact_networks():
    """The same numbers give the same tokens in the module that exact networks are exported to."""
    import torch
    rng = np.random.default_rng(0)
    held = depth._tensors(depth.batch(UNEVEN), torch)
    blocks, weights = [], []
    for one in depth.initial(3, 2, rng):
        p = block.parts(one, 2, depth.WIDTH)
        nu, left, right = rng.normal(), rng.normal(size=2), rng.normal(size=2)
        blocks.append(block.joined({**p, "V": nu * np.eye(2) + np.outer(left, right)}, 2,
                                   depth.WIDTH))
        weights.append({"eta": p["eta"], "W": p["W"], "U": p["U"], "b": p["b"], "rho": p["rho"],
                        "nu": nu, "V_left": left, "V_right": right,
                        "alpha": 0.0, "A_left": p["left"], "A_right": p["right"]})
    theta = np.stack(blocks)
    out = depth.forward(torch.tensor(theta), held[0], held[3], torch).numpy()
    for j, (X, Y) in enumerate(UNEVEN.pairs):
        tokens = [[float(c.p) / float(c.q) for c in x] for x in X]
        expected = floats.forward(weights, tokens, tau=1.0)
        assert np.abs(out[j, :len(X)] - expected).max() < 1e-12
        targets = np.array([[float(c.p) / float(c.q) for c in y] for y in Y])
        assert depth.errors(UNEVEN, theta)[j] == pytest.approx(hausdorff(expected, targets))


@needs_torch
def test_a_set_that_is_only_covered_in_part_has_an_error():
    identity = block.joined({"rho": 1, "eta": 1}, 2, depth.WIDTH)[None]
    same = dataset([([(0, 0), (1, 0)], [(0, 0), (1, 0)]), ([(0, 0), (2, 0)], [(2, 0)]),
                    ([(0, 1)], [(0, 4)])])
    assert depth.errors(same, identity) == pytest.approx([0, 2, 3])
    assert depth.errors(dataset([([(0, 0), (1, 0)], [(0, 0), (1, 0)])]), identity) == [0]


@needs_torch
def test_training_solves_one_sequence_and_says_so():
    data = dataset([([(0, 0), (1, 0)], [(1, 1)]), ([(0, 0), (0, 1)], [(-1, 1)])])
    found = depth.outcome(data, depth.train(data, 2, 0, Budget(250, batch=1, rate=2e-2)))
    assert found["solved"] == 1 and max(found["errors"]) <= found["within"] == 0.1
    assert found["P"] == 60 and found["norm^2"] > 0 and not found["note"]
    short = depth.outcome(data, depth.train(data, 2, 0, Budget(1, batch=1)))
    assert short["solved"] < 1
