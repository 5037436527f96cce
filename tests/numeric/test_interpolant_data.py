"""Datasets: what is refused, naming the sequence, and how files are read."""

from fractions import Fraction

import pytest
from flint import fmpq, fmpz

from numeric.interpolant.build import build, check
from numeric.interpolant.data import BadData, dataset
from numeric.interpolant.exact import key
from numeric.interpolant.reading import from_csv, from_json, load

GOOD = ([(0, 0), (1, 1)], [(2, 2)])
BAD = {  # fault -> (pairs, sequence)
    "empty dataset": ([], None),
    "empty input": ([GOOD, ([], [(1, 1)])], 2),
    "empty output": ([GOOD, ([(3, 3)], [])], 2),
    "wrong dimension": ([GOOD, ([(1, 2, 3)], [(1, 1)])], 2),
    "repeated input": ([GOOD, ([(5, 5), (6, 6), (5, 5)], [(1, 1)])], 2),
    "repeated output": ([GOOD, ([(5, 5), (6, 6)], [(1, 1), (1, 1)])], 2),
    "m > n": ([GOOD, ([(5, 5)], [(1, 1), (2, 2)])], 2),
    "equal inputs": ([GOOD, ([(4, 4)], [(2, 2)]), ([(1, 1), (0, 0)], [(2, 2)])], 3),
    "inexact entry": ([GOOD, ([(0.1, 5)], [(1, 1)])], 2),
    "no token": ([GOOD, ([5], [(1, 1)])], 2),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_input_is_refused_by_name_and_sequence(fault):
    pairs, sequence = BAD[fault]
    with pytest.raises(BadData) as error:
        dataset(pairs)
    assert (error.value.fault, error.value.sequence) == (fault, sequence)
    message = str(error.value)
    assert message.startswith("the dataset" if sequence is None else f"sequence {sequence}: ")
    assert "found" in message and "needed" in message


@pytest.mark.parametrize("entry", [True, None, "1", 1j, 0.5])
def test_entries_that_are_not_exact_numbers_are_refused(entry):
    with pytest.raises(BadData, match="sequence 1: .*input token 2"):
        dataset([([(1, 1), (entry, 2)], [(1, 1)])])


def test_an_output_of_another_dimension_is_refused():
    with pytest.raises(BadData, match="sequence 1: found 1 coordinates in output token 1"):
        dataset([([(1, 1)], [(1,)])])


def test_equal_inputs_say_what_to_do_and_equal_fractions_are_equal():
    with pytest.raises(BadData, match="as sequence 1; .*merge the two"):
        dataset([([(Fraction(2, 4), 0)], [(1, 1)]), ([(fmpq(1, 2), fmpz(0))], [(1, 1)])])


def test_one_coordinate_is_for_uniform_attention_only():
    data = dataset([([(0,), (1,)], [(4,)])])
    assert check(build(data)) == []
    for construction in ("clustering", "softmax"):
        with pytest.raises(BadData, match="d >= 2"):
            build(data, construction)


def test_floats_are_taken_for_what_they_are_when_asked_for():
    data = dataset([([(0.1, 0.5)], [(1, 1)])], exact_floats=True)
    assert data.inputs[0][0] == (fmpq(3602879701896397, 36028797018963968), fmpq(1, 2))
    with pytest.raises(BadData, match="found inf"):
        dataset([([(float("inf"), 0)], [(1, 1)])], exact_floats=True)


def test_what_is_allowed_is_allowed():
    data = dataset([([(0, 0)], [(0, 0)]), ([(0, 0), (1, 0)], [(0, 0), (9, 9)]),
                    ([(7, 7)], [(0, 0)])])
    assert (data.N, data.M, data.T, data.c, data.d, data.disjoint) == (3, 4, 4, 0, 2, False)
    for construction in ("uniform", "clustering", "softmax"):
        assert check(build(data, construction)) == []


JSON = '[{"input": [["1/2", 0], [-3, "4"]], "output": [["-5/10", "0"]]}]'
CSV = """sequence,role,x1,x2
a,input,1/2,0
a,input,-3,4
a,output,-5/10,0
"""


def test_json_and_csv_say_the_same(tmp_path):
    (tmp_path / "data.json").write_text(JSON)
    (tmp_path / "data.csv").write_text(CSV)
    found = [load(tmp_path / name) for name in ("data.json", "data.csv")]
    assert found[0] == found[1]
    assert key(found[0].outputs[0][0]) == ((-1, 2), (0, 1))


def test_sequences_of_a_csv_need_not_be_in_one_piece():
    data = from_csv("sequence,role,x1\n a ,input,1\nb,input,2\na,output,3\n\nb,output,4\n")
    assert [int(Y[0][0]) for Y in data.outputs] == [3, 4]


@pytest.mark.parametrize(("text", "words"), [
    ("[", "no JSON"),
    ("{}", "a list"),
    ('[{"input": [["1"]]}]', "sequence 1: .*exactly the keys"),
    ('[{"input": [["1"]], "output": [1]}]', "sequence 1: .*a list of tokens"),
    ('[{"input": [["1/0"]], "output": [["1"]]}]', "sequence 1: .*q > 0"),
    ('[{"input": [[true]], "output": [["1"]]}]', "sequence 1: found true in input token 1"),
    ('[{"input": [[null]], "output": [["1"]]}]', "sequence 1: found null"),
    ('[{"input": [[NaN]], "output": [["1"]]}]', 'sequence 1: found "NaN"'),
    ('[{"input": [["x"]], "output": [["1"]]}]', 'sequence 1: found "x"'),
    ('[{"input": [[0.25]], "output": [["1"]]}]', 'write "1/4", or use --exact-floats'),
    ('[{"input": [["1e3"]], "output": [["1"]]}]', "--exact-floats"),
    ("[" * 100_000, "no JSON"),
])
def test_json_that_is_no_dataset_is_refused(text, words):
    with pytest.raises(BadData, match=words):
        from_json(text)


@pytest.mark.parametrize(("text", "words"), [
    ("", "needed sequence,role,x1"),
    ("a,input,1\n", "needed sequence,role,x1"),
    ("sequence,role,x1\na,target,1\n", "sequence 1: found role 'target'"),
    ("sequence,role,x1\na,input,1,2\n", "and 2 numbers on line 2; needed input or output, and 1"),
    ("sequence,role,x1\na\n", "sequence 1: found role ''"),
    ("sequence,role,x1\na,input,1\n", "sequence 1: found an empty output"),
    ("sequence,role,x1\na,input,0.1\n", 'write "1/10", or use --exact-floats'),
])
def test_csv_that_is_no_dataset_is_refused(text, words):
    with pytest.raises(BadData, match=words):
        from_csv(text)


def test_decimals_of_a_file_become_floats_only_when_asked_for():
    data = from_json('[{"input": [[0.1, "1e3"]], "output": [["0", "2"]]}]', exact_floats=True)
    assert data.inputs[0][0] == (fmpq(3602879701896397, 36028797018963968), fmpq(1000))
    with pytest.raises(BadData, match='found "1e999"'):
        from_json('[{"input": [[1e999]], "output": [["0"]]}]', exact_floats=True)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(BadData, match="ends in .json or .csv"):
        load(tmp_path / "data.txt")
    (tmp_path / "data.json").write_bytes(b"\xff\xfe")
    with pytest.raises(BadData, match="no UTF-8"):
        load(tmp_path / "data.json")
