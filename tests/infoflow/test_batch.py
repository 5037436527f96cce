"""Many inputs at once are worth what each is worth alone."""

import numpy as np
import pytest

from infoflow import batch, flow
from infoflow.task import build, load, shipped_tasks, term
from infoflow.tree import tree


def flat(value):
    return np.concatenate([np.ravel(v) for v in value]) if isinstance(value, tuple) else np.ravel(
        value)


@pytest.mark.parametrize("name", shipped_tasks())
def test_values_are_those_of_the_simulator(name):
    task = load(name)
    found, rng = tree(task), np.random.default_rng(0)
    T = task.T or 6
    _, env = flow.draw(task, T, rng)
    X = rng.normal(size=(4, T, task.d))
    wanted = np.array([flat(flow.simulate(found, x, env).value) for x in X])
    assert np.abs(batch.values(found, X, env) - wanted).max() < 1e-12 * (1 + np.abs(wanted).max())


def test_an_outer_function_and_distinct_indices():
    task = build("product", term("max", "s t", "x[s] @ x[t]", distinct=True),
                 term("min", "t", "x[t] @ w"), d=2, outer="any", vectors=["w"])
    found, rng = tree(task), np.random.default_rng(1)
    _, env = flow.draw(task, 5, rng)
    env["F0"] = lambda a, b: a * b
    X = rng.normal(size=(7, 5, 2))
    wanted = [flow.simulate(found, x, env).value for x in X]
    assert np.allclose(batch.values(found, X, env)[:, 0], wanted, atol=1e-12)
