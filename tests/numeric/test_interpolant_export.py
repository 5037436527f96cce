"""Networks that leave: stored and read back, exported to float64, and maps without attention."""

import importlib.util
import json
from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq

from numeric.interpolant import export, floats, resnet, stored
from numeric.interpolant.build import CONSTRUCTIONS, build, check, verify
from numeric.interpolant.counts import counted, faults
from numeric.interpolant.counts import resnet as resnet_counts
from numeric.interpolant.data import dataset
from numeric.interpolant.layers import Matrix
from tests.numeric.test_interpolant import NASTY, TRIANGLE, spread


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_a_stored_network_is_read_back_as_it_was(construction):
    for pairs in (TRIANGLE, NASTY["gaps 1e-30"], [([(0, 0)], [(3, -4)])]):
        built = build(dataset(pairs), construction, pad=True)
        again, said = stored.from_json(stored.to_json(built))
        assert again == built and stored.problems(again, said) == []


def altered(text: str, path: list, value) -> str:
    """The JSON with the value at a path replaced."""
    data = json.loads(text)
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(data)


@pytest.mark.parametrize(("construction", "path", "value", "words"), [
    ("uniform", ["blocks", 0, "neurons", 0, "b"], "7", "outputs of the network are not"),
    ("uniform", ["blocks", 2, "neurons", 0, "w", 1], "1/3", "outputs of the network are not"),
    ("uniform", ["data", 0, "output", 0, 0], "6", "outputs of the network are not"),
    ("uniform", ["counts", "L"], 2, "counts"),
    ("uniform", ["d"], 3, "counts"),
    ("uniform", ["facts", "k"], 1, "the formulas say"),
    ("uniform", ["facts", "c"], 3, "c = 3 is stated"),
    ("uniform", ["facts", "N"], 300, "N = 300 is stated"),
    ("uniform", ["limit"], "hardmax", "exact for hardmax is stated"),
    ("uniform", ["blocks", 0, "A"], {"scale": "1"}, "some A is not zero"),
    ("clustering", ["limit"], "any", "exact for any is stated"),
    ("clustering", ["blocks", 1, "V", "left", 0], "1/2", "outputs of the network are not"),
    ("softmax", ["certificate", "tau"], "1000", "may leave its interval"),
    ("softmax", ["certificate", "tau"], None, "may leave its interval"),
    ("softmax", ["certificate", "gaps", 0], "1", "gaps are not"),
    ("softmax", ["certificate"], None, "a certificate belongs to softmax"),
])
def test_an_altered_network_is_found_out(construction, path, value, words):
    text = altered(stored.to_json(build(dataset(TRIANGLE), construction)), path, value)
    assert any(words in p for p in stored.problems(*stored.from_json(text)))


@pytest.mark.parametrize(("path", "value", "words"), [
    (["network"], 2, "found version 2"),
    (["construction"], "hardmax", "one of uniform"),
    (["facts", "k"], -1, "facts: needed whole numbers"),
    (["facts"], {"N": 3}, "facts: needed whole numbers"),
    (["blocks"], [], "needed at least one"),
    (["blocks"], {}, "needed a list"),
    (["blocks", 0, "eta"], 1, 'needed "p" or "p/q"'),
    (["blocks", 0, "eta"], "1/0", 'needed "p" or "p/q"'),
    (["blocks", 0, "stage"], 1, "text as stage"),
    (["blocks", 0, "neurons", 0, "w"], ["1"], "found 1 numbers; needed 2"),
    (["blocks", 0, "V", "left"], ["0", "0"], "rank-one part that is zero"),
    (["blocks", 0, "V", "more"], "0", "exactly the keys"),
    (["data", 0, "input", 1, 0], "0", "data: sequence 1: found input tokens 1 and 2 equal"),
    (["certificate"], {"tau": "-1", "gaps": [], "intervals": []}, "needed a number > 0"),
])
def test_what_is_no_network_is_refused_with_its_place(path, value, words):
    text = stored.to_json(build(dataset(TRIANGLE), "uniform"))
    with pytest.raises(stored.BadNetwork, match=words):
        stored.from_json(altered(text, path, value))


def test_broken_json_is_refused():
    for text in ("{", "[" * 100_000, "[]", "1", '{"network": ' + "9" * 100 + "}"):
        with pytest.raises(stored.BadNetwork):
            stored.from_json(text)


def module(path):
    spec = importlib.util.spec_from_file_location("exported", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_the_exported_module_stands_alone_and_has_the_measured_error(construction, tmp_path):
    built = build(dataset(TRIANGLE), construction)
    code, worst = export.source(built)
    (tmp_path / "net.py").write_text(code)
    net = module(tmp_path / "net.py")
    assert "NOT EXACT" in net.__doc__ and f"{worst:.3g}" in net.__doc__
    assert "numeric" not in code.split('"""', 2)[2]
    for X, Y in built.data.pairs:
        out = net.forward(net.BLOCKS, [[float(str(c)) for c in x] for x in X], net.TAU)
        error = export.hausdorff(out, np.array([[float(str(c)) for c in y] for y in Y]))
        assert error <= worst < 1e-9  # rounding of numbers of 16 bits


def test_the_torch_module_computes_the_same(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    built = build(dataset(TRIANGLE), "softmax")
    weights, tau = export.blocks(built.network), export.temperature(built)
    X = [[float(str(c)) for c in x] for x in built.data.inputs[1]]
    with torch.no_grad():
        out = floats.module(weights, tau)(X).numpy()
    np.testing.assert_allclose(out, floats.forward(weights, X, tau), atol=1e-9)


def test_the_float64_error_is_measured_and_grows():
    small, large = (build(dataset(spread(N, n, 3, 2))) for N, n in ((3, 4), (20, 40)))
    errors = [max(export.errors(b, export.blocks(b.network), 0.0)) for b in (small, large)]
    assert errors[0] < 1e-6 < errors[1]


def test_numbers_beyond_float64_are_refused_with_advice():
    huge = 10**400
    with pytest.raises(OverflowError, match="keep the exact network"):
        export.source(build(dataset([([(0, 0), (huge, 1)], [(1, 1)])])))


def test_hausdorff_distances():
    a, b = np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]])
    assert export.hausdorff(a, b) == export.hausdorff(b, a) == 5.0
    assert export.hausdorff(a * np.nan, b) == float("inf")


def test_a_token_with_nowhere_to_go_needs_attention():
    verdict = resnet.feasible(dataset(TRIANGLE))
    assert verdict.possible is False
    assert "token (1, 0) is in sequences 1, 2" in verdict.why


def test_a_failed_covering_needs_attention():
    # Both tokens may go to either output, but each pair of sequences forces a choice.
    a, b, c = (0, 0), (1, 0), (0, 1)
    Y = [(5, 5), (6, 6)]
    verdict = resnet.feasible(dataset([([a, b], Y), ([b, c], Y), ([a, c], Y)]))
    assert verdict.possible is False and "all were tried" in verdict.why


@pytest.mark.parametrize("pairs", [
    [([(0, 0), (1, 0)], [(5, 5)]), ([(1, 0), (0, 1)], [(5, 5), (6, 6)])],
    spread(4, 5, 2, 3), NASTY["one token"], NASTY["targets are inputs"][:1],
])
def test_where_a_map_of_tokens_serves_a_network_without_attention_is_built(pairs):
    data = dataset(pairs)
    verdict = resnet.feasible(data)
    assert verdict.possible is True
    network = resnet.build(data, verdict.images)
    assert verify(network, data) == []
    assert all(block.sa.identity for block in network.blocks)
    made, said = counted(network), resnet_counts(data.d, len(data.tokens))[1]
    assert (made.L, made.P - made.L) == (said.L, said.P)  # a residual network has no rho


def test_the_search_for_a_map_gives_up_in_words(monkeypatch):
    pairs = [([(k, 0), (k, 1), (-1, -1)], [(k, 1), (0, 0)]) for k in range(1, 200)]
    assert resnet.feasible(dataset(pairs)).possible is None  # too many outputs
    small = dataset(pairs[:5])
    assert resnet.feasible(small).possible is True
    monkeypatch.setattr(resnet, "WORK", 50)
    assert resnet.feasible(small).possible is None


def test_uniform_attention_beats_a_map_of_tokens_as_counted():
    data = dataset(spread(5, 30, 2, 3))
    ours, plain = counted(build(data).network), resnet_counts(3, data.T)[1]
    assert 2 * data.c < data.T - data.M
    assert plain.P - ours.P > 0


def test_faults_are_said():
    network = build(dataset(TRIANGLE)).network
    block = replace(network.blocks[0], sa=replace(
        network.blocks[0].sa, A=Matrix(fmpq(1))))
    wrong = replace(network, blocks=(block, *network.blocks[1:] * 8))
    said = " ".join(faults(wrong))
    assert "the formulas say" in said and "above the 15 of the paper" in said
    wide = replace(block, ff=replace(block.ff, neurons=block.ff.neurons * 5))
    assert "width 5" in " ".join(faults(replace(network, blocks=(wide, *network.blocks[1:]))))
    assert check(replace(build(dataset(TRIANGLE)), network=wrong)) != []
