"""The shape and the registry: checks, each different triple once, rows named right, many metrics in one call."""

import pickle

import numpy as np
import pandas as pd
import pytest
from refused import refused

from nbhelpers import metrics
from nbhelpers.base.errors import InputError, RowTooLongError
from nbhelpers.metrics import metric as shape
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
    metric(["a", "a"], ["cc", "cc"], [["x"], ["y"]])
    assert SEEN == [3, 2]
    assert metric([], []).shape == (0,)


def test_an_error_names_the_row_of_the_caller():
    with pytest.raises(RowTooLongError, match="^Row 4: it is too long") as caught:
        metric(["a", "a", "a", "b"], ["x", "x", "x", "too long"])
    assert caught.value.row == 4 and pickle.loads(pickle.dumps(caught.value)).args == caught.value.args
    broken = Metric("b", "Broken", (0, 1), True, False, "b", lambda s, c, r: [0.5, float("nan")])
    with pytest.raises(InputError, match="Row 2: Broken is nan"):
        broken(["a", "b"], ["c", "d"])


def test_ratings_run_from_0_to_100_and_distances_are_turned():
    assert metric.ratings([0.25]).tolist() == [25.0]
    distance = Metric("d", "D", (0.0, np.inf), False, False, "d", lengths, scale=100.0)
    assert distance.ratings([0.25]).tolist() == [75.0]
    assert Metric("n", "N", (0.0, np.inf), False, False, "n", lengths).ratings([0.25]) is None


def test_references_default_to_the_source():
    assert check_pairs(["a"], ["b"])[2] == [["a"]]
    assert check_pairs(["a"], ["b"], ["x"])[2] == [["x"]]


test_bad_input = refused(
    (lambda: metric("a", ["b"]), "not one text"),
    (lambda: metric(["a"], ["b", "c"]), "1 sources and 2 candidates"),
    (lambda: metric(["a", " "], ["b", "c"]), "source of row 2 is empty"),
    (lambda: metric(["a"], [None]), "candidate of row 1"),
    (lambda: metric(["a", "b"], ["c", "d"], [["x"]]), "references for 1 of 2"),
    (lambda: metric(["a"], ["b"], [[]]), "row 1 are missing"),
    (lambda: metric(["a", "b"], ["c", "d"], [["x", "y"]] * 3), "transposed"),
    (lambda: metric(["a"], ["b"], "x"), "not one text"),
    (lambda: metrics.load("blue"), "no metric 'blue'; did you mean 'bleu'"),
    (lambda: metrics.load("bleu", smooth="exp"), "no option smooth; it takes tokenize, smooth_method, lowercase"),
    (lambda: metrics.load("bleu", tokenize="flores200"), "tokenize is one of "),
    (lambda: metrics.load("bleu", smooth_method="x"), "smooth_method is one of "),
    (lambda: metrics.score_all(["a"], ["a"], metrics=["bleu", "BLEU"]), "bleu is asked for more than once"),
)


# --------------------------------------------------------------------------------------------------------- registry


def test_the_registry_has_the_metrics_of_the_study():
    paper = "fkgl blanc bleu bleu-samsa-am bleu-samsa-gm bleurt coverage ibleu fkbleu lens meteor questeval samsa sari "
    paper += "sentence-transformer ter meaningbert same-meaning"
    families = ("bertscore", "rouge1", "rouge2", "rougeL")
    parts = [f"{name}-{of}" for name in families for of in ("precision", "recall", "f1")]
    assert {*parts, *paper.split()} <= set(metrics.names())


@pytest.mark.parametrize(
    ("given", "name"),
    [("BLEU", "bleu"), ("bertscore", "bertscore-f1"), ("rougel", "rougeL-f1"), ("ROUGEl-Recall", "rougeL-recall")],
)
def test_names_and_short_names(given, name):
    assert metrics.resolve(given) == name


def test_what_cannot_run_or_refuses_a_text_does_not_stop_the_others(small_registry):
    reason = "Weights of this model are missing; fetch them from its page."
    gentle = metrics.load("length9", truncate=True)
    result = metrics.score_all(["a", "b"], ["refuse", "a"], metrics=["lacking", "length1", gentle])
    assert {name: values.tolist() for name, values in result["values"].items()} == {"length9": [54, 9]}
    assert result["missing"] == {"lacking": reason, "length1": "Row 1: it is too long."}
    assert result["seconds"].keys() == result["values"].keys()


def test_a_family_computes_once_and_only_within_one_call(small_registry):
    for calls in (1, 2):
        metrics.score_all(["a", "b"], ["abc", "a"], metrics=["length1", "length9"])
        assert small_registry == [["abc", "a"]] * calls
    metrics.load("length1")(["a"], ["b"])
    metrics.load("length1")(["a"], ["b"])
    assert len(small_registry) == 4 and shape._results.get() is None


SOURCES = ["The cat sat on the mat.", "A cold rain fell.", "The cat sat on the mat."]
CANDIDATES = ["The cat sat.", "A cold rain fell.", "A dog."]


def test_all_in_one_call_equals_each_by_itself():
    chosen = ["bleu", "ibleu", "fkbleu", "fkgl", "rouge1-precision", "rougeL-f1", "sari", "meteor", "ter", "token-f1"]
    for references in (None, [["The cat sat."], ["It rained.", "Rain fell."], ["A dog sat."]]):
        together = metrics.score_all(SOURCES, CANDIDATES, references, metrics=chosen)
        assert list(together["values"]) == chosen and not together["missing"]
        for name in chosen:
            expected = metrics.load(name)(SOURCES, CANDIDATES, references)
            np.testing.assert_array_equal(together["values"][name], expected)


def test_arrays_and_columns_are_taken():
    table = pd.DataFrame({"a": SOURCES, "b": CANDIDATES}, index=[7, 8, 9])
    expected = metrics.load("bleu")(SOURCES, CANDIDATES)
    np.testing.assert_array_equal(metrics.load("bleu")(np.array(SOURCES), table["b"], table["a"]), expected)
