"""Cards of the meaning models: every table is what the tool makes of goals and evidence."""

import json

import meaning_card as tool
import meaning_goals
import pytest

from nbhelpers.base.paths import data_dir
from nbhelpers.leaderboard import verdicts
from nbhelpers.metrics.meaning_model import stored_thresholds
from nbhelpers.metrics.verdicts import Thresholds
from nbhelpers.results import evidence

FOLDERS = {name: data_dir() / "models" / f"{name}-en" for name in tool.MODELS}


def shown(folder, name):
    card = (folder / "README.md").read_text(encoding="utf-8")
    return card.partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- end of {name} -->")[0]


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=list(FOLDERS))
def test_the_card_gives_the_measured_numbers(folder):
    assert shown(folder, "goals") == tool.goals(folder)
    assert shown(folder, "training") == tool.training(folder)


def test_half_of_the_distance_and_the_ablations_are_on_the_card_of_the_small_model():
    folder = FOLDERS["same-meaning"]
    assert shown(folder, "halves") == tool.halves(folder)
    assert shown(folder, "ablations") == tool.ablations(folder)


@pytest.mark.parametrize("model", FOLDERS)
def test_the_card_says_what_a_rating_means(model):
    rated, stored = evidence.load("check-verdicts"), stored_thresholds(model)
    own, limits = rated[rated["model"] == model], Thresholds(**stored) if stored else None
    assert shown(FOLDERS[model], "scores") == tool.scores(own, limits)
    assert shown(FOLDERS[model], "verdicts") == (tool.worth(own, limits) if limits else "")
    assert limits is None or limits == verdicts.thresholds(own)
    assert model in shown(FOLDERS[model], "example")


def test_the_three_models_stand_beside_each_other_on_each_card():
    tables = {shown(folder, "beside") for folder in FOLDERS.values()}
    assert len(tables) == 1
    assert set(tool.beside(["paws-qqp", "tried-pairs"]).splitlines()) < set(tables.pop().splitlines())


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=list(FOLDERS))
def test_the_goals_are_those_that_were_set(folder):
    rows = json.loads((folder / "goals.json").read_text(encoding="utf-8"))
    assert [row["wanted"] for row in rows] == [meaning_goals.wanted(row["goal"]) for row in rows]


@pytest.mark.parametrize(("value", "low", "met"), [(0.96, 0.95, "yes"), (0.96, 0.94, "value only"), (0.94, 0.93, "no")])
def test_a_goal_is_met_with_the_interval_or_with_the_value_only(tmp_path, value, low, met):
    row = {"goal": "PAWS-Wiki test: AUC", "wanted": 0.95, "value": value, "low": low, "high": 0.97, "n": 9}
    (tmp_path / "goals.json").write_text(json.dumps([row]))
    assert tool.goals(tmp_path).endswith(f"| 9 | {met} | – |")


def test_an_item_is_won_by_the_highest_and_a_tie_is_shared():
    import pandas

    own = pandas.DataFrame({"item": [0, 0, 1, 1, 2, 2], "group": [0, 0, 0, 0, 1, 1], "label": [1.0, 0] * 3})
    won = tool._items_won(own.assign(a=[9, 1, 5, 5, 1, 9]), ["a"])
    assert won["a"].tolist() == [1, 0.5, 0] and won["group"].tolist() == [0, 0, 1]
