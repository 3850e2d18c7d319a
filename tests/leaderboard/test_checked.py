"""What the verdicts of `check` are worth: a sample of pairs, thresholds from ratings, and shares."""

import numpy as np
import pandas as pd
import pytest

from nbhelpers.leaderboard import verdicts
from nbhelpers.metrics.verdicts import Thresholds
from nbhelpers.resources.challenge import ChallengePair


def test_a_sample_has_one_pair_of_each_label_for_a_source():
    pairs = tuple(ChallengePair(f"s{place % 10}", f"c{place}", float(place % 3 == 0)) for place in range(60))
    places = verdicts.sample(pairs, 5)
    chosen = [(pairs[place].source, pairs[place].label) for place in places]
    assert len(set(chosen)) == len(chosen) == 10 and sum(label for _, label in chosen) == 5
    assert places == verdicts.sample(pairs, 5)


def test_shares_count_what_the_thresholds_say():
    items = pd.DataFrame({"set": "one", "label": [0, 0, 0, 0, 1, 1, 1, 1], "rating": [95, 60, 50, 10, 99, 90, 70, 5]})
    found = verdicts.shares(items, Thresholds(90, 20)).set_index("column")
    expected = dict(zip(verdicts.SHARES, (1 / 4, 1 / 4, 3 / 8, 2 / 4, 1 / 4)))
    assert found["value"].to_dict() == pytest.approx(expected)
    assert found.loc["unsure", "n"] == 8 and found.loc[verdicts.PASSED, "n"] == 4


def test_thresholds_come_from_the_sets_for_calibration_alone():
    rng = np.random.default_rng(0)
    own = pd.DataFrame({"set": "menli", "label": [0, 1] * 200, "rating": rng.uniform(0, 100, 400)})
    other = own.assign(set="tried-pairs", rating=100.0)
    assert verdicts.thresholds(pd.concat([own, other])) == verdicts.thresholds(own)
    limits = verdicts.thresholds(own)
    passed = verdicts.shares(own, limits).set_index("column").loc[verdicts.PASSED, "value"]
    assert 0 < passed <= limits.risk


def test_errors_are_tested_against_the_risk_and_corrected():
    sets = np.repeat(["menli", "summedits", "tried-pairs"], 200)
    items = pd.DataFrame({"set": sets, "label": [0, 1] * 300, "rating": [10.0, 90.0] * 300})
    items.loc[items.index[200:240], "rating"] = 95.0  # 20 of 100 changed pairs of summedits pass
    found = verdicts.beyond(verdicts.shares(items, Thresholds(80, 20)).assign(model="one"))
    assert set(found["row"]) == {"summedits", "tried-pairs"} and len(found) == 4
    clear = found[found["q"] < 0.05]
    assert clear[["row", "column", "value"]].values.tolist() == [["summedits", verdicts.PASSED, 0.2]]
    assert clear["p"].iloc[0] < clear["q"].iloc[0] < 1e-5


def test_two_models_are_compared_on_the_pairs_that_both_have_rated():
    rng = np.random.default_rng(0)
    lines = {"set": "menli", "label": [0, 1] * 200, "pair": range(400), "rating": rng.uniform(0, 100, 400)}
    one = pd.DataFrame(lines).assign(model="one")
    tried = pd.DataFrame({"set": "tried-pairs", "label": 0, "pair": range(30), "rating": 100.0, "model": "one"})
    other = pd.concat([one, tried.assign(rating=0.0)[:20]]).assign(model="other")
    found = verdicts.compared(pd.concat([one, tried, other]), "one", "other").set_index("row")
    assert list(found.index) == ["menli", "tried-pairs"] and (found["q"] >= found["p"]).all()
    assert found["n"].to_list() == [200, 20] and found["value"].to_list() == [0, 1]


def test_pairs_of_several_sets_are_counted_together():
    sets = np.repeat(["menli", "summedits", "tried-pairs"], [200, 20, 4])
    items = pd.DataFrame({"set": sets, "label": [0, 1] * 112, "rating": [10.0, 90.0] * 112, "model": "one"})
    items.loc[220:, "rating"] = 95.0  # in one set, both changed pairs pass
    found = verdicts.pooled(items).set_index(["row", "column"])
    passed = found.xs(verdicts.PASSED, level="column")
    assert passed["n"].tolist() == [100, 12] and passed["value"].tolist() == [0, 2 / 12]
    assert set(found["model"]) == {"one"}


def test_a_card_names_what_was_tried_and_what_was_measured():
    card = verdicts.on_card("same-meaning")
    line = card[card["row"] == "Words, PARADE"].set_index("column").loc["the longest place"]
    assert line["low"] < line["value"] < line["high"] and line["n"] == 68
    assert not card.duplicated(["row", "column"]).any() and set(card["model"]) == {"same-meaning"}
