"""Heads, depths, widths, and the comparator that an architecture misses."""

import pytest

from infoflow.plan import head_width, minimal_architectures, plan, shortfall
from infoflow.schedule import CLS
from infoflow.task import build, load, term
from infoflow.tree import tree


@pytest.mark.parametrize(("name", "heads"), [
    ("pairwise-2", [(2, 2), (1, 1, 1)]), ("pairwise-3", [(3, 3), (1, 2, 2), (1, 1, 1, 1)]),
    ("pairwise-6", [(6, 6), (3, 3, 3), (2, 2, 2, 2), (1,) * 7]), ("min-dot", [(1, 1)]),
    ("unary-4", [(4,), (2, 2), (1, 1, 1, 1)]), ("shared-first-layer", [(1, 2), (1, 1, 1)]),
    ("star-4", [(3, 1), (1, 2, 1), (1, 1, 1, 1)]), ("induction", [(1, 1)]), ("triangle", [])])
def test_minimal_architectures(name, heads):
    found = minimal_architectures(tree(load(name)))
    assert [p.heads for p in found] == heads and all(p.exact for p in found)


def test_layers_times_heads_reach_D_for_unary_retrieval():
    found = tree(load("unary-4"))
    for layers in (1, 2, 3, 4):
        for heads in (1, 2, 3, 4):
            assert (shortfall(found, (heads,) * layers) is None) == (layers * heads >= 4)


def test_widths_in_three_readings():
    for D in (1, 2, 3, 4):
        (first, *_) = minimal_architectures(tree(load(f"pairwise-{D}")))
        assert first.widths.needed == 2 * D * 4                 # the tuples at CLS
        assert first.widths.literal == max(D * (D + 1), 2) * 4  # CLS may hold D (D + 1) tokens
        assert first.widths.compressed == (D + 1) * 4           # a token: itself and D retrieved
    (unary, *_) = minimal_architectures(tree(load("unary-4")))
    assert (unary.widths.literal, unary.widths.needed, unary.widths.compressed) == (16, 16, 4)


@pytest.mark.parametrize(("heads", "reason", "layer", "first"), [
    ((2, 3), "heads", 1, "max over s of x[s] @ A3 @ x[t], for each t"),
    ((3, 2), "heads", 2, "max over t of max over s of x[s] @ A3 @ x[t]"),
    ((3,), "depth", None, None), ((1, 1, 2), "heads", None, None)])
def test_the_missing_comparator_is_named(heads, reason, layer, first):
    short = shortfall(tree(load("pairwise-3")), heads)
    assert short.reason == reason and short.certain
    if first:
        assert (short.layer, short.missing[0]) == (layer, first)


def test_a_plan_places_every_job_after_those_it_waits_for():
    for name in ("pairwise-4", "chain-5", "star-4", "induction", "max-and-mean"):
        found = tree(load(name))
        for p in minimal_architectures(found):
            for job in found.jobs:
                assert all(p.layers[a] < p.layers[job.id] for a in job.after)
            for layer, room in enumerate(p.heads, 1):
                for pool in {j.pool for j in found.jobs}:
                    here = [j for j in found.jobs if p.layers[j.id] == layer and j.pool == pool]
                    assert len(here) <= room


def test_many_comparators_are_scheduled_greedily_and_said_so():
    names = [f"A{i}" for i in range(7)]
    found = tree(build("seven", *[term("max", "s t", f"x[s] @ {n} @ x[t]") for n in names], d=2,
                       matrices=names))
    two = plan(found, 2)
    assert two.heads == (7, 7) and not two.exact
    assert not shortfall(found, (6, 7)).certain


def test_no_plan_beyond_pairs():
    with pytest.raises(ValueError, match="order 3 has no plan"):
        plan(tree(load("triangle")))


def test_head_widths():
    pair, top = tree(load("min-dot")).comparators
    assert head_width(pair, 2) == 3 and top.pool == CLS and head_width(top, 2) == 1
    assert head_width(tree(load("opaque-pair")).comparators[0], 4) is None
