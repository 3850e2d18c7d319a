"""The ten folds of the MeaningBERT study: measures, calibrations, labels, and a whole fold on a tiny encoder."""

import json

import meaningbert as command
import numpy as np
import pytest
from refused import refused
from sklearn.metrics import r2_score, root_mean_squared_error

from nbhelpers.metrics.meaning_model import Calibration, load_meaning_model
from nbhelpers.resources import csmd, data
from nbhelpers.resources.csmd import Csmd, RatedPair
from nbhelpers.studies.meaningbert import experiment
from nbhelpers.studies.meaningbert.experiment import Fold, agreement, anchored, fold_interval, over_folds, run_fold
from nbhelpers.studies.meaningbert.splits import Split
from nbhelpers.studies.meaningbert.training import TrainingSettings, lower_layers


def test_agreement_is_what_scikit_learn_and_numpy_say():
    generator = np.random.default_rng(0)
    people = generator.uniform(0, 100, 50)
    given = 0.5 * people + generator.normal(0, 10, 50)
    result = agreement(given, people)
    assert result.pearson == pytest.approx(np.corrcoef(given, people)[0, 1])
    assert result.r2 == pytest.approx(r2_score(people, given))
    assert result.rmse == pytest.approx(root_mean_squared_error(people, given))
    unscaled = agreement(given, people, scaled=False)
    assert unscaled.pearson == result.pearson and np.isnan([unscaled.r2, unscaled.rmse]).all()


def test_the_mean_as_a_predictor_has_no_correlation_and_r2_of_zero():
    result = agreement([50.0] * 4, [20.0, 40.0, 60.0, 80.0])
    assert np.isnan(result.pearson) and result.r2 == pytest.approx(0)
    assert over_folds([0.5, 0.7]) == (pytest.approx(0.6), pytest.approx(np.std([0.5, 0.7], ddof=1)), 2)


test_bad_input = refused(
    (lambda: agreement([1.0, 2.0], [1.0, 2.0]), "three numbers"),
    (lambda: agreement([1.0, 2.0, 3.0], [1.0, 2.0]), "same length"),
    (lambda: agreement([1.0, np.nan, 3.0], [1.0, 2.0, 3.0]), "not a finite number"),
    (lambda: agreement([1.0, 2.0, 3.0], [5.0, 5.0, 5.0]), "do not vary"),
    (lambda: over_folds([0.5, np.nan]), "every fold"),  # a failed fold is not a zero in the mean
    (lambda: over_folds([]), "every fold"),
    (lambda: anchored([1.0, 2.0], [80.0, 90.0]), "not rated above"),
)


def test_an_interval_over_folds_allows_for_what_they_share():
    from scipy.stats import ttest_1samp

    values = [0.45, 0.41, 0.5, 0.39, 0.47, 0.44, 0.43, 0.49, 0.4, 0.46]
    plain = ttest_1samp(values, 0.4)
    low, high = plain.confidence_interval(0.95)
    # parts so small that nothing is shared: the plain t-interval
    alone = fold_interval(over_folds(values), 1, 10**12)
    assert (float(alone), alone.low, alone.high, alone.n) == pytest.approx((np.mean(values), low, high, 1))
    assert fold_interval(over_folds(np.subtract(values, 0.4)), 1, 10**12).p == pytest.approx(plain.pvalue)
    # 30 % for test and 60 % for training: 1/10 + 1/2 takes the place of 1/10 in the variance
    shared = fold_interval(over_folds(values), 30, 60)
    assert shared.high - shared.low == pytest.approx((high - low) * 6**0.5) and shared.n == 30
    assert fold_interval((0.0, 0.0, 3), 30, 60).p == 1 and fold_interval((0.1, 0.0, 3), 30, 60).p == 0


def test_calibrations():
    line = experiment.least_squares([40.0, 50.0, 60.0], [0.0, 50.0, 100.0])
    assert line(np.array([45.0, 70.0])).tolist() == pytest.approx([25.0, 100.0])
    assert experiment.least_squares([50.0, 50.0], [20.0, 40.0]) == Calibration(0.0, 30.0)
    identical, unrelated = np.linspace(80, 90, 101), np.linspace(10, 20, 101)
    correct = anchored(identical, unrelated)
    assert (correct(identical) >= 95).mean() == pytest.approx(0.95, abs=0.011)
    assert (correct(unrelated) <= 5).mean() == pytest.approx(0.95, abs=0.011)
    soft = Calibration(2.0, -10.0, soft=True)  # the same between 5 and 95; outside no two ratings become equal
    assert soft([7.5, 30.0, 52.5]).tolist() == [5.0, 50.0, 95.0] and soft([52.6]) == pytest.approx([95.2], abs=0.01)
    ends = soft(np.arange(-40.0, 101.0))
    assert (np.diff(ends) > 0).all() and 0 < ends[0] and ends[-1] < 100


def test_summary_of_folds_by_hand():
    fold = ([20.0, 40.0, 60.0], [0.0, 50.0, 100.0], [25.0, 45.0, 50.0], [12.5, 62.5, 75.0])
    result = experiment.summarise([fold, fold])
    assert result["Pearson"] == (pytest.approx(1), pytest.approx(0), 2)
    assert result["RMSE calibrated"][0] == pytest.approx(0, abs=1e-9) and result["R2 calibrated"][0] == pytest.approx(1)
    assert result["RMSE"][0] == pytest.approx(np.sqrt(np.mean(np.square([12.5, -17.5, -25.0]))))
    assert "RMSE" not in experiment.summarise([fold], scaled=False)


def words_pairs(count: int) -> list[RatedPair]:
    words = ["cat", "dog", "house", "mat", "man", "night", "river", "bank", "lake", "rain", "snow", "ice"]
    pairs = []
    for row in range(count):
        source = f"the {words[row % 12]} is " + " ".join("in" for _ in range(row // 12))
        pairs.append(RatedPair(source, f"a {words[row % 12]} sat", 10.0 + 80.0 * (row % 2), row + 1))
    return pairs


def test_a_fold_is_rated_as_asked_and_again_the_same(tiny_model):
    settings = TrainingSettings(encoder=str(tiny_model("bert")), epochs=1, rank=2, frozen_layers=1, longest=40)
    pairs, lower = words_pairs(72), lower_layers(settings)
    result = run_fold(Fold(split="grouped", seed=1), pairs, settings, lower)
    split = experiment.split_of(pairs, "grouped", 1)
    assert (len(result["dev"]), len(result["test"])) == (len(split.dev), len(split.test))
    again = run_fold(Fold(split="grouped", seed=1), pairs, settings, lower)
    del result["seconds"], again["seconds"]
    assert result == again
    plain = run_fold(Fold(split="grouped", augmented=False, seed=1), pairs, settings, lower)
    assert plain["test"] != result["test"]
    assert json.loads(json.dumps(result)) == result  # shards keep it as JSON


def test_training_from_the_command_line(tmp_path, tiny_model, monkeypatch, capsys):
    located = data.Located("made-up", None, "argument", "0" * 64)
    parts = [tuple(part) for part in experiment.split_of(words_pairs(36), "random", 42).parts(words_pairs(36))]
    collection = Csmd(*parts, (), (), (), located)
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
    assert capsys.readouterr().err.startswith("python tools/meaningbert.py: ")


@pytest.mark.usefixtures("real_data")
def test_seed_42_gives_the_published_parts_with_every_labels():
    published, sources = csmd.read_csmd(), experiment.all_source_ratings()
    for labels in experiment.LABELS:
        pairs = experiment.labelled(published, labels, sources)
        parts = experiment.split_of(pairs, "random", 42).parts(pairs)
        assert [len(part) for part in parts] == [853, 95, 407]
        for part, wanted in zip(parts, (published.train, published.dev, published.test)):
            assert [(p.source, p.candidate) for p in part] == [(p.source, p.candidate) for p in wanted]


def test_the_group_mean_is_learned_from_the_training_part_alone():
    groups, people = ["a", "a", "b", "b", "a", "b", "c"], [10.0, 30.0, 80.0, 60.0, 90.0, 0.0, 50.0]
    splits = [Split((0, 1, 2), (3,), (4, 5, 6))]
    ((dev, dev_people, test, test_people),) = experiment.folds_of_group_means(groups, people, splits)
    assert dev.tolist() == [80.0] and dev_people.tolist() == [60.0]
    assert test.tolist() == [20.0, 80.0, 40.0] and test_people.tolist() == [90.0, 0.0, 50.0]


def test_within_groups_only_differences_inside_a_group_count():
    groups = ["a", "a", "a", "b", "b", "b"]
    assert experiment.centred([1, 2, 3, 10, 20, 60], groups).tolist() == [-1, 0, 1, -20, -10, 30]
    people = [10.0, 20.0, 30.0, 90.0, 80.0, 70.0]
    knows_the_group_alone = [20.0, 21.0, 20.0, 80.0, 80.0, 81.0]
    opposite_inside = [30.0, 20.0, 10.0, 70.0, 80.0, 90.0]
    folds = [([], [], given, people) for given in (people, knows_the_group_alone, opposite_inside)]
    over_all, inside = experiment.each_fold(folds), experiment.each_fold(folds, groups=[groups] * 3)
    assert (over_all[0], *inside[[0, 2]]) == pytest.approx((1, 1, -1))
    assert over_all[1] > 0.95 and over_all[2] > 0.8 and abs(inside[1]) < 0.5
    errors = experiment.each_fold(folds, "rmse")
    assert errors[0] == 0 and errors[2] == pytest.approx(np.sqrt(np.mean((np.subtract(opposite_inside, people)) ** 2)))
