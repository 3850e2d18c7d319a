"""The shape that all measures share: checks, each different triple once, ratings, and rows named right."""

import pickle

import numpy as np
import pytest

from nbhelpers.base.errors import InputError, RowTooLongError
from nbhelpers.metrics.metric import Metric, check_pairs

SEEN = []


def lengths(sources, candidates, references):
    SEEN.append(len(sources))
    for place, candidate in enumerate(candidates):
        if candidate == "too long":
            raise RowTooLongError(place + 1, "it is too long.")
    return [len(candidate) / 100 for candidate in candidates]


metric = Metric("length", "Length", (0.0, 1.0), True, False, "length|v:1", lengths, scale=100.0)


def test_each_different_triple_is_seen_once_and_every_row_is_answered():
    SEEN.clear()
    values = metric(["a", "b", "a", "a"], ["cc", "ddd", "cc", "e"])
    assert SEEN == [3] and values.dtype == np.float64
    np.testing.assert_allclose(values, [0.02, 0.03, 0.02, 0.01])
    SEEN.clear()
    metric(["a", "a"], ["cc", "cc"], [["x"], ["y"]])
    assert SEEN == [2]
    assert metric([], []).shape == (0,)


def test_an_error_names_the_row_of_the_caller():
    with pytest.raises(RowTooLongError, match="^Row 4: it is too long") as caught:
        metric(["a", "a", "a", "b"], ["x", "x", "x", "too long"])
    assert caught.value.row == 4 and pickle.loads(pickle.dumps(caught.value)).args == caught.value.args


def test_ratings_run_from_0_to_100_and_distances_are_turned():
    assert metric.ratings([0.25]).tolist() == [25.0]
    distance = Metric("d", "D", (0.0, np.inf), False, False, "d", lengths, scale=100.0)
    assert distance.ratings([0.25]).tolist() == [75.0]
    assert Metric("n", "N", (0.0, np.inf), False, False, "n", lengths).ratings([0.25]) is None


def test_signatures_say_what_candidates_are_compared_with():
    assert metric.signature_for(None) == "length|v:1|ref:source"
    assert metric.signature_for([["x"]]) == "length|v:1|ref:given"


def test_a_value_that_is_no_number_is_refused_with_its_row():
    broken = Metric("b", "Broken", (0, 1), True, False, "b", lambda s, c, r: [0.5, float("nan")])
    with pytest.raises(InputError, match="Broken of row 2 is nan"):
        broken(["a", "b"], ["c", "d"])


@pytest.mark.parametrize(
    ("sources", "candidates", "references", "message"),
    [
        ("a", ["b"], None, "not one text"),
        (["a"], ["b", "c"], None, "1 sources and 2 candidates"),
        (["a", " "], ["b", "c"], None, "source of row 2 is empty"),
        (["a"], [None], None, "candidate of row 1"),
        (["a", "b"], ["c", "d"], [["x"]], "references for 1 of 2"),
        (["a"], ["b"], [[]], "row 1 are missing"),
        (["a", "b"], ["c", "d"], [["x", "y"], ["x", "y"], ["x", "y"]], "transposed"),
        (["a"], ["b"], "x", "not one text"),
    ],
)
def test_bad_input(sources, candidates, references, message):
    with pytest.raises(InputError, match=message):
        check_pairs(sources, candidates, references)


def test_references_default_to_the_source_and_may_be_single_texts():
    assert check_pairs(["a"], ["b"])[2] == [["a"]]
    assert check_pairs(["a"], ["b"], ["x"])[2] == [["x"]]
