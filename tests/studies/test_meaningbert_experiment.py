"""The ten folds of the MeaningBERT study: measures, calibrations, labels, and a whole fold on a tiny encoder."""

import json

import meaningbert as command
import numpy as np
import pandas as pd
import pytest
from made_up_csmd import csmd_of, rated_items
from refused import refused

from nbhelpers.metrics.meaning_model import Calibration, load_meaning_model
from nbhelpers.resources import csmd
from nbhelpers.resources.csmd import RatedPair
from nbhelpers.results import estimates
from nbhelpers.studies.meaningbert import experiment
from nbhelpers.studies.meaningbert.experiment import WITH, WITHOUT, Fold, anchored, over_folds
from nbhelpers.studies.meaningbert.splits import construction_order, grouped_split, random_split
from nbhelpers.studies.meaningbert.training import TrainingSettings


def made_up():
    """Items with one metric that follows people."""
    return rated_items().drop(columns=["sentence-transformer", "fkgl"])


def trained_as(items, values, augmented, seeds=(42, 43), labels="published"):
    """Items of models that rate the test parts of some folds as `values` say."""
    tests = {seed: list(random_split(len(items), seed).test) for seed in seeds}
    parts = [
        pd.DataFrame({"seed": seed, "item": test, "rating": np.asarray(values)[test]}) for seed, test in tests.items()
    ]
    return pd.concat(parts).assign(labels=labels, split="random", part="test", augmented=augmented)


def nothing_trained():
    return trained_as(made_up(), made_up()["bleu"], False).iloc[:0]


def test_a_trained_model_is_compared_fold_by_fold():
    items = made_up()
    trained = pd.concat([trained_as(items, items["published"], True), trained_as(items, items["bleu"], False, (42,))])
    found = over_folds(WITH, items, trained, resamples=100)
    assert found.value == pytest.approx(1) and found.variant == "2 splits" and 9 < found.n <= 20
    tests = [items.iloc[list(random_split(60, seed).test)] for seed in (42, 43)]
    own = [test["bleu"].corr(test["published"]) for test in tests]
    gain = over_folds(WITH, items, trained, minus="bleu", resamples=100)
    assert gain.value == pytest.approx(1 - np.mean(own)) and gain.low < gain.value < gain.high
    both = over_folds(WITH, items, trained, minus=WITHOUT, resamples=100)
    assert both.value == pytest.approx(1 - own[0]) and both.variant == "1 split"
    assert over_folds(WITH, items, trained, measure="RMSE", resamples=100).value == pytest.approx(0)
    other = over_folds(WITH, items, trained, judged="restored", resamples=100)
    assert other.value == pytest.approx(np.mean([test["published"].corr(test["restored"]) for test in tests]))


def test_pairs_whose_source_was_seen_in_training_are_set_against_the_others():
    items = made_up().assign(source=[*range(30), *range(30, 45), *range(30, 45)])
    part, trained = random_split(60, 42), trained_as(made_up(), made_up()["published"], True, (42,))
    test, seen = items.iloc[list(part.test)], items["source"].iloc[list(part.train)]
    known, new = (own["bleu"].corr(own["published"]) for _, own in test.groupby(~test["source"].isin(seen)))
    found = over_folds(WITH, items, trained, minus="bleu", leaking=True, resamples=100)
    assert found.value == pytest.approx((1 - known) - (1 - new)) and found.n == test["source"].nunique()


def test_the_mean_of_a_collection_is_learned_from_the_training_part():
    items = made_up()
    part = random_split(60, 42)
    given = experiment.ratings_in_fold(experiment.COLLECTION, items, nothing_trained(), part, "published", 42)
    learned = items.iloc[list(part.train)]
    first = items["collection"].iloc[part.test[0]]
    assert given[0] == pytest.approx(learned.loc[learned["collection"] == first, "published"].mean())


def test_table_5_and_the_gains_of_training():
    items = made_up()
    trained = pd.concat([trained_as(items, items["published"], True), trained_as(items, items["bleu"], False)])
    found = experiment.summary(items, trained, resamples=100)
    assert {WITH, WITHOUT, experiment.COLLECTION, "BLEU"} == set(found["row"])
    assert estimates.estimate(found, WITH, "R2").value == pytest.approx(1)
    assert estimates.estimate(found, WITHOUT, "Pearson").variant == "2 splits"
    assert estimates.estimate(found, "BLEU", "Pearson").variant == "10 splits"
    gained = experiment.gains(items, trained, ["bleu"], resamples=100)
    assert set(gained["row"]) == {"published", "published → restored"}
    assert set(gained["column"]) == {"BLEU", "BLEU, within"}


def test_the_shipped_model_is_judged_on_the_test_part_of_the_published_split():
    items = made_up().assign(meaningbert=lambda own: own["restored"])
    trained = trained_as(items, items["bleu"], True, (42,), "restored")
    test = experiment.test_part(items, trained)
    part = random_split(60, 42)
    assert list(test.index) == list(part.test)
    assert test["new"].tolist() == [one not in set(items["source"].iloc[list(part.train)]) for one in test["source"]]
    assert test[WITH].tolist() == pytest.approx(items["bleu"].iloc[list(part.test)].tolist())


test_bad_input = refused(
    (lambda: over_folds(WITH, made_up(), nothing_trained()), "no model was trained on published labels"),
    (lambda: anchored([1.0, 2.0], [80.0, 90.0]), "not rated above"),
)


def test_calibrations():
    identical, unrelated = np.linspace(80, 90, 101), np.linspace(10, 20, 101)
    correct = anchored(identical, unrelated)
    assert (correct(identical) >= 95).mean() == pytest.approx(0.95, abs=0.011)
    assert (correct(unrelated) <= 5).mean() == pytest.approx(0.95, abs=0.011)
    soft = Calibration(2.0, -10.0, soft=True)  # the same between 5 and 95; outside no two ratings become equal
    assert soft([7.5, 30.0, 52.5]).tolist() == [5.0, 50.0, 95.0] and soft([52.6]) == pytest.approx([95.2], abs=0.01)
    ends = soft(np.arange(-40.0, 101.0))
    assert (np.diff(ends) > 0).all() and 0 < ends[0] and ends[-1] < 100


def words_pairs(count: int) -> list[RatedPair]:
    words = ["cat", "dog", "house", "mat", "man", "night", "river", "bank", "lake", "rain", "snow", "ice"]
    pairs = []
    for row in range(count):
        source = f"the {words[row % 12]} is " + " ".join("in" for _ in range(row // 12))
        pairs.append(RatedPair(source, f"a {words[row % 12]} sat", 10.0 + 80.0 * (row % 2), row + 1))
    return pairs


def test_training_from_the_command_line(tmp_path, tiny_model, monkeypatch, capsys):
    parts = random_split(36, 42).parts(words_pairs(36))
    collection = csmd_of(*parts)
    with monkeypatch.context() as patched:
        patched.setattr(csmd, "read_csmd", lambda folder: collection)
        # One epoch does not teach the tiny encoder to part identical from unrelated pairs.
        patched.setattr(experiment, "anchored", lambda identical, unrelated: Calibration(2.0, -10.0))
        options = "--labels published --epochs 1 --frozen-layers 1 --rank 2 --longest 40 --encoder".split()
        assert command.main(["train", str(tmp_path / "model"), *options, str(tiny_model("bert"))]) == 0
    assert "Saved in" in capsys.readouterr().out
    kept = json.loads((tmp_path / "model" / "meaning.json").read_text(encoding="utf-8"))["settings"]
    assert kept["measured on the test part"]["calibrated"]["n"] == len(parts[2])
    assert load_meaning_model(str(tmp_path / "model")).calibration == Calibration(2.0, -10.0)
    assert command.main(["train", str(tmp_path / "model"), "--data", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith("error: csmd: there is nothing at the given path")


def test_folds_are_trained_and_rated_as_asked(tiny_model, monkeypatch):
    settings = TrainingSettings(encoder=str(tiny_model("bert")), epochs=1, rank=2, frozen_layers=1, longest=40)
    collection = csmd_of(*random_split(72, 42).parts(words_pairs(72)))
    monkeypatch.setattr(experiment, "read_csmd", lambda: collection)
    folds = [Fold(split="grouped", seed=1), Fold(split="grouped", augmented=False, seed=1)]
    items = experiment.run(folds, settings)
    split = grouped_split([pair.source for pair in construction_order(collection)], 1)
    ratings = {}
    for augmented, own in items.groupby("augmented"):
        test = own[own["part"] == "test"]
        assert sorted(test["item"]) == sorted(split.test) and len(own) == len(split.test) + len(split.dev)
        ratings[augmented] = test["rating"].tolist()
    assert ratings[True] != ratings[False]


@pytest.mark.usefixtures("real_data")
def test_seed_42_gives_the_published_parts_with_every_labels():
    published = csmd.read_csmd()
    for labels in experiment.LABELS:
        parts = experiment.parts_of(published, labels, "random", 42)
        assert [len(part) for part in parts] == [853, 95, 407]
        for part, wanted in zip(parts, (published.train, published.dev, published.test)):
            assert [(p.source, p.candidate) for p in part] == [(p.source, p.candidate) for p in wanted]
