"""The models that ship and rate pairs: cards say what was measured, no test sentence was trained on, golden ratings."""

import json
import re

import numpy as np
import pytest

from nbhelpers.base.errors import InputError, ResourceNotFoundError, RowTooLongError
from nbhelpers.base.paths import data_dir
from nbhelpers.metrics import check, load
from nbhelpers.metrics.meaning_model import SAME_MEANING, SAME_MEANING_BASE, UNRESTRICTED, load_meaning_model, metric
from nbhelpers.resources import challenge
from nbhelpers.resources.csmd import read_meaning_pairs

FOLDERS = {"embedded": data_dir() / "models" / "meaning-en", SAME_MEANING: data_dir() / "models" / "same-meaning-en"}
FOLDERS |= {UNRESTRICTED: data_dir() / "models" / "same-meaning-unrestricted-en"}
BASE_FOLDER = data_dir() / "models" / "same-meaning-base-en"
# computed by each model when it was saved
GOLDEN = {
    "embedded": (["The cat sat on the mat.", "A cat was on the mat."], [95.828, 63.835, -5.844]),
    SAME_MEANING: (["The bridge is safe.", "The bridge is not safe."], [115.07, 38.496, 6.596]),
    SAME_MEANING_BASE: (["The bridge is safe.", "The bridge is not safe."], [113.782, 39.028, 5.411]),
    UNRESTRICTED: (["The bridge is safe.", "The bridge is not safe."], [119.935, 36.673, 2.558]),
}


@pytest.fixture(scope="module")
def models():
    return {name: load_meaning_model(name) for name in FOLDERS}


@pytest.fixture(scope="module")
def texts():
    own = read_meaning_pairs()[::24]
    return [pair.source for pair in own], [pair.candidate for pair in own]


def test_the_card_of_meaningbert_gives_the_measured_numbers():
    measured = json.loads((FOLDERS["embedded"] / "meaning.json").read_text())["settings"]["measured on the test part"]
    card = (FOLDERS["embedded"] / "README.md").read_text()
    for name, known in measured.items():
        cells = [cell.strip(" %") for cell in re.search(rf"^\| {name} \|(.*)\|$", card, re.M)[1].split("|")]
        shares = [f"{100 * known[share]:.1f}" for share in ("identical at least 95", "unrelated at most 5")]
        scores = [f"{known['pearson']:.3f}", f"{known['r2']:.3f}", f"{known['rmse']:.2f}", f"{known['spread']:.2f}"]
        assert cells == [str(known["n"]), *scores, *shares]


@pytest.mark.parametrize("name", [name for name in challenge.names() if not name.startswith("stsb-")])
def test_no_test_sentence_was_trained_on(name):
    try:
        pairs = challenge.read(name).pairs
    except ResourceNotFoundError as error:
        pytest.skip(str(error))
    leaked = len(pairs) - len(challenge.unseen(pairs))
    if name in ("simplification-errors", "etpc"):  # the leaderboard leaves these pairs out; the card says so
        assert 0 < leaked < 0.8 * len(pairs)
    else:
        assert leaked == 0


@pytest.mark.parametrize(
    ("name", "folder", "most"),
    [*((name, folder, 4_100_000) for name, folder in FOLDERS.items()), (SAME_MEANING_BASE, BASE_FOLDER, 10_300_000)],
)
def test_golden_ratings_of_a_few_megabytes_that_are_safe_to_load(name, folder, most):
    files = list(folder.iterdir())
    assert sum(file.stat().st_size for file in files) < most
    assert {file.suffix for file in files} == {".md", ".json", ".safetensors"}
    (source, other), expected = GOLDEN[name]
    try:
        model = load_meaning_model(name)
    except ResourceNotFoundError as error:
        pytest.skip(str(error))
    raw = model.raw([source] * 3, [source, other, "Prices rose again in March."])
    np.testing.assert_allclose(raw, expected, atol=0.05)


def test_a_model_is_loaded_by_its_folder_and_has_then_no_thresholds(models):
    source, other = GOLDEN[UNRESTRICTED][0]
    rating = load(SAME_MEANING, model=str(FOLDERS[UNRESTRICTED]))
    np.testing.assert_allclose(rating([source], [other]), models[UNRESTRICTED].rate([source], [other]), atol=1e-3)
    with pytest.raises(InputError, match="no stored thresholds"):
        check(source, other, metric=rating)


@pytest.mark.parametrize("name", FOLDERS)
def test_ratings_stay_on_the_scale_and_do_not_depend_on_batch_or_order(models, name, texts):
    sources, candidates = texts
    rate = metric(models[name])
    ratings = rate(sources, candidates)
    assert ((ratings >= 0) & (ratings <= 100)).all()
    np.testing.assert_allclose(rate(sources[::-1], candidates[::-1])[::-1], ratings, atol=1e-2)
    alone = [models[name].rate([source], [candidate])[0] for source, candidate in zip(sources[:5], candidates[:5])]
    np.testing.assert_allclose(alone, ratings[:5], atol=1e-2)


def test_same_meaning_rates_both_orders_alike_and_refuses_or_cuts_long_pairs(models, texts):
    rate, long = load(SAME_MEANING, model=models[SAME_MEANING]), " ".join(["word"] * 300)
    assert rate.signature.startswith("same-meaning|model:same-meaning@")
    np.testing.assert_allclose(rate(*texts), rate(*texts[::-1]), atol=1e-3)
    assert rate(["The road is safe."], ["The road is safe."]) > rate(["The road is safe."], ["The road is unsafe."])
    with pytest.raises(RowTooLongError, match="256"):
        rate([long], ["Another word."])
    cut = load(SAME_MEANING, model=models[SAME_MEANING], truncate=True)([long], ["Another word."])
    assert 0 <= cut[0] <= 100


def test_half_precision_moves_ratings_by_tenths_only(models, texts):
    exact, half = models["embedded"], load_meaning_model(dtype="bfloat16")
    assert half.loaded.dtype == "bfloat16" and half.signature == exact.signature + "|dtype:bfloat16"
    difference = np.abs(half.raw(*texts) - exact.raw(*texts))
    assert 0 < difference.max() < 1
    with pytest.raises(InputError, match="float16"):
        load_meaning_model(dtype="float16")
