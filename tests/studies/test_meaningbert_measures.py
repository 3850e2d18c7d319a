"""The study's items: measures from sums, resampled sources, gaps, own pairs, statistics of collections."""

import numpy as np
import pandas as pd
import pytest
from made_up_csmd import rated_items
from sklearn.metrics import r2_score, root_mean_squared_error

from nbhelpers.metrics import Metric
from nbhelpers.resources.csmd import RatedPair
from nbhelpers.results import claims, estimates, evidence
from nbhelpers.studies.meaningbert import measures, ratings
from nbhelpers.studies.meaningbert.sanity import checks


def test_measures_from_sums_are_those_of_the_pairs():
    items = rated_items()
    plain = {"Pearson": lambda *two: np.corrcoef(*two)[0, 1], "R2": r2_score, "RMSE": root_mean_squared_error}
    for measure, of in plain.items():
        both = measures.agreements(items, ["bleu", "fkgl"], measure=measure, resamples=100)
        assert both.values == pytest.approx([of(items["published"], items[name]) for name in ("bleu", "fkgl")])
        assert both.n == 20


def test_a_metric_of_some_pairs_is_compared_on_these():
    items = rated_items()
    items.loc[items["source"] < 10, "blanc"] = items["bleu"]
    some = items[items["source"] < 10]
    found = measures.with_people(items, "blanc", resamples=100)
    assert found.value == pytest.approx(some["bleu"].corr(some["published"])) and found.n == 10


def test_summary_has_a_rating_only_where_there_is_one():
    found = ratings.summary(rated_items(), resamples=100)
    bleu = estimates.estimate(found, "BLEU", "Pearson")
    assert bleu.low < bleu.value < bleu.high and bleu.n == 20
    assert set(found.loc[found["row"] == "FKGL", "column"]) == {"Pearson"}
    own = measures.with_people(rated_items(), "bleu", "restored", resamples=100)
    assert own.value != bleu.value


def test_the_gap_is_between_the_weakest_of_vectors_and_the_strongest_of_words():
    items = rated_items()
    upper, words, grade = (items[name].corr(items["published"]) for name in ("sentence-transformer", "bleu", "fkgl"))
    assert measures.gap(items, resamples=100).value == pytest.approx(upper - max(words, grade))
    apart = measures.difference(items, "sentence-transformer", "bleu", resamples=100)
    assert apart.value == pytest.approx(upper - words)


def test_within_groups_only_differences_inside_a_group_count():
    groups = ["a", "a", "a", "b", "b", "b"]
    assert measures.centred([1, 2, 3, 10, 20, 60], groups).tolist() == [-1, 0, 1, -20, -10, 30]
    people = [10.0, 20.0, 30.0, 90.0, 80.0, 70.0]
    items = pd.DataFrame({"collection": groups, "source": range(6), "published": people})
    items["knows the group"], items["opposite inside"] = [20, 21, 20, 80, 80, 81], [30, 20, 10, 70, 80, 90]
    for name in ("knows the group", "opposite inside"):
        assert measures.with_people(items, name, resamples=100).value > 0.8
    assert measures.with_people(items, "opposite inside", resamples=100, within="collection").value == pytest.approx(-1)
    assert abs(measures.with_people(items, "knows the group", resamples=100, within="collection").value) < 0.5


def test_statistics_of_collections():
    pairs = [
        RatedPair("The cat sat.", "A cat.", 10, 1, "ASSET"),
        RatedPair("The cat  sat.", "A cat.", 30, 2, "ASSET"),
        *(RatedPair("Dogs bark.", "Dogs.", 50, 3, name) for name in ("Simplicity-DA", "SimpDA-2022", "QuestEval") * 2),
    ]
    made = ratings.collections(ratings.run(pairs, ["token-f1"]))

    def value(table, row, column):
        return estimates.estimate(made[table], row, column).value

    assert value("table1", "ASSET", "Pairs") == 2 and value("table1", "ASSET", "Different pairs") == 1
    assert value("table3", "Mean", "ASSET") == 20 and value("table3", "Max", "Merged") == 50
    assert value("table2", "Vocabulary size", "ASSET source") == 3
    assert value("table2", "Average sentence length, LW", "ASSET simplification") == 1


def test_a_pair_that_a_metric_refuses_has_no_value(monkeypatch):
    def values(sources, candidates, references):
        return [len(candidate) / len(source) for source, candidate in zip(sources, candidates)]

    metric = Metric("hand-made", "Hand-made", (0.0, 1.0), True, False, "hand-made|v:1", values, 100.0)
    monkeypatch.setattr(measures, "load", lambda name: metric)
    measures._computer.cache_clear()
    found = measures.rate([("abcd", "ab"), ("abcd", ""), ("abcd", "ab")], ["hand-made"])
    assert found["hand-made"].tolist()[::2] == [50, 50]
    measures._computer.cache_clear()


def test_kept_meaning_rated_below_turned_meaning():
    kinds = "negation/negation/role swap/simplification/sentence split/reversal".split("/")
    people, bleu = [10, 49, 20, 80, 100, 0], [90, 70, 99, 10, 80, 85]
    kinds += ["negation", "simplification"]  # one keeps the meaning, as people say, the other loses some: left out
    people, bleu = people + [98, 60], bleu + [100, 100]
    items = pd.DataFrame({"list": "own", "kind": kinds, "source": range(8), "people": people, "bleu": bleu})
    found = checks.noticed(items, 100)
    assert estimates.estimate(found, "BLEU", "negation rated ≥ 80").value == 0.5
    assert estimates.estimate(found, "BLEU", "role swap rated ≥ 80").value == 1
    assert estimates.estimate(found, "BLEU", "AUC, kept against turned").value == pytest.approx(1 / 8)


def test_numbers_in_words_are_those_of_the_evidence():
    said = {claim.id: f"{claim.not_tested} {claim.caveat}" for claim in claims.read()}
    rated = evidence.load("meaningbert-sanity").query("list == 'csmd'")
    same, soup = (rated[rated["kind"] == kind] for kind in ("identical", checks.SOUP))
    assert f"At least {same['seen'].ne('no').sum()} of the {len(same)} stand" in said["meaningbert-3"]
    found = measures.with_people(evidence.load("meaningbert-csmd"), "rouge2-precision")
    interval = [f"{number:.3f}".replace("0.", ".").replace("-", "−") for number in (found.value, found.low, found.high)]
    assert "undecided, {} [{}, {}]".format(*interval) in said["meaningbert-4"]
    rounded = np.rint(soup[list(measures.ARTICLE)])
    perfect = [int((rounded <= most).all().sum()) for most in (1, 5)]
    assert perfect == [5, 8] and "five rate all of the 359" in said["meaningbert-16"]
    assert "eight rate them 5 or less" in said["meaningbert-16"] and "13 of its metrics" in said["meaningbert-16"]
    passed = (np.rint(same[list(measures.ARTICLE)]) >= 95).mean().ge(0.95) & (rounded <= 5).mean().ge(0.95)
    assert passed.sum() == 7 and "seven that pass" in said["meaningbert-19"]
    assert not set(passed.index[passed]) & set(measures.VECTORS)
