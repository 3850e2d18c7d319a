"""Rows of the MeaningBERT tables: measures from sums, source resampling, gaps, trainings, statistics of collections."""

import numpy as np
import pytest

from nbhelpers.resources.csmd import RatedPair
from nbhelpers.studies.meaningbert import experiment, tables
from nbhelpers.studies.meaningbert.experiment import agreement
from nbhelpers.studies.meaningbert.tables import Scored, source_sums


def made_up(count=60, seed=0):
    """Pairs of 20 sources in three collections, with ratings that follow three metrics more and less."""
    random = np.random.default_rng(seed)
    people = random.uniform(0, 100, count)
    origins = ["ASSET", "SimpDA-2022", "QuestEval"]
    pairs = [RatedPair(f"Source {n % 20}.", f"Text {n}.", people[n], n, origins[n % 3]) for n in range(count)]
    values = {
        "sentence-transformer": people + random.normal(0, 10, count),
        "bleu": people + random.normal(0, 60, count),
        "fkgl": random.normal(0, 1, count),
    }
    scaled = {name: name != "fkgl" for name in values}
    common = {name: {"row": name, "signature": name, "seconds": 1.0} for name in values}
    return pairs, Scored(values, scaled, common, {"LENS": "not here"})


def test_measures_from_sums_are_those_of_the_pairs():
    pairs, scored = made_up()
    people, values = [pair.rating for pair in pairs], scored.values["bleu"]
    sums, direct = source_sums(values, people, [pair.source for pair in pairs]), agreement(values, people)
    assert sums.shape == (20, 7)
    assert (tables.pearson(sums), tables.r_squared(sums), tables.rmse(sums)) == pytest.approx(
        (direct.pearson, direct.r2, direct.rmse)
    )
    other = source_sums(scored.values["fkgl"], people, [pair.source for pair in pairs])
    both = (tables.pearson(sums) + tables.pearson(other)) / 2
    assert tables.pearson(np.hstack([sums, other])) == pytest.approx(both)


def test_rows_of_table_5():
    pairs, scored = made_up()
    found = tables.agreement_rows(scored, pairs, experiment.all_folds(pairs), 100)
    rows = {(row["row"], row["column"]): row for row in found}
    value = rows["bleu", "Pearson, all pairs"]["value"]
    assert value.low < value.value < value.high and rows["bleu", "Pearson, all pairs"]["n"] == 60
    assert rows["bleu", "Pearson, all pairs"]["note"] == "20 source sentences resampled"
    assert rows["bleu", "R2, mean of 10 folds"]["note"] == "10 overlapping folds of 18 pairs"
    assert rows["fkgl", "R2, mean of 10 folds"]["note"] == "no rating of 0 to 100"
    assert rows["LENS", "Pearson, mean of 10 folds"]["note"] == "not here"
    assert ("Mean of the pair's collection", "RMSE, mean of 10 folds") in rows


def test_the_gap_is_between_the_weakest_of_vectors_and_the_strongest_of_words():
    pairs, scored = made_up()
    (row,) = tables.gap_rows(scored, pairs, 100)
    people = [pair.rating for pair in pairs]
    upper, words, grade = (np.corrcoef(values, people)[0, 1] for values in scored.values.values())
    assert row["value"].value == pytest.approx(upper - max(words, grade))


def test_trainings_are_paired_with_their_rivals_fold_by_fold():
    pairs, scored = made_up()
    people = np.array([pair.rating for pair in pairs])
    rivals = Scored({name: scored.values["bleu"] for name in tables.RIVALS}, {}, {}, {})
    perfect, same = (
        [{"dev": values[list(part.dev)], "test": values[list(part.test)]} for part in experiment.all_folds(pairs)]
        for values in (people, scored.values["bleu"])
    )
    way = ("published", "random")
    trained = {(*way, "without DA"): same, (*way, "with DA"): perfect}
    found = tables.training_rows(trained, {"published": pairs, "restored": pairs}, rivals)
    rows = {(row["row"], row["column"]): row["value"] for row in found["table5"]}
    parts = experiment.all_folds(pairs)
    gain = [1 - np.corrcoef(one["test"], people[list(part.test)])[0, 1] for one, part in zip(same, parts)]
    column = "Pearson, mean of 10 folds"
    assert rows["MeaningBERT with DA", column].value == pytest.approx(1)
    for row in ("MeaningBERT with DA minus Length ratio", "MeaningBERT with DA minus without DA"):
        assert rows[row, column].value == pytest.approx(np.mean(gain))
    assert rows["MeaningBERT with DA minus without DA", "RMSE, mean of 10 folds"].value < 0
    assert "trained on published random, judged by restored" in found


def test_statistics_of_collections():
    pairs = [
        RatedPair("The cat sat.", "A cat.", 10, 1, "ASSET"),
        RatedPair("The cat  sat.", "A cat.", 30, 2, "ASSET"),
        *(RatedPair("Dogs bark.", "Dogs.", 50, 3, name) for name in ("Simplicity-DA", "SimpDA-2022", "QuestEval") * 2),
    ]
    made = tables.collection_rows(pairs).items()
    found = {(name, row["row"], row["column"]): row["value"] for name, rows in made for row in rows}
    assert found["table1", "ASSET", "Pairs"] == 2 and found["table1", "ASSET", "Different pairs"] == 1
    assert found["table3", "Mean", "ASSET"] == 20 and found["table3", "Max", "Merged"] == 50
    assert found["table2", "Vocabulary size", "ASSET source"] == 3
    assert found["table2", "Average sentence length, LW", "ASSET simplification"] == 1


def test_kept_meaning_rated_below_turned_meaning():
    kinds = ["negation", "negation", "role swap", "simplification", "sentence split"]
    people = [10, 49, 20, 80, 100]
    pairs = [RatedPair(f"Source {row}.", "Text.", people[row], row, kind) for row, kind in enumerate(kinds)]
    scored = Scored({"bleu": np.array([90, 70, 99, 10, 80])}, {"bleu": True}, {"bleu": {"row": "BLEU"}}, {})
    pairs.append(RatedPair("Source 9.", "Text.", 0, 9, "reversal"))
    pairs.append(RatedPair("Source 10.", "Text.", 98, 10, "negation"))  # keeps the meaning, as people say: left out
    pairs.append(RatedPair("Source 11.", "Text.", 60, 11, "simplification"))  # loses some of it: left out
    scored.values["bleu"] = np.append(scored.values["bleu"], [85, 100, 100])
    rows = {row["column"]: row["value"] for row in tables.notice_rows(scored, pairs, 100)}
    assert rows["negation rated ≥ 80"].value == 0.5 and rows["role swap rated ≥ 80"].value == 1
    assert rows["AUC, kept against turned"].value == pytest.approx(1 / 8)
