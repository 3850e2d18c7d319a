"""The MeaningBERT that ships: its card says what was measured, and it does what it is for."""

import json
import re

import numpy as np
import pytest

from nbhelpers.base.errors import InputError
from nbhelpers.base.paths import data_dir
from nbhelpers.metrics.meaning_model import load_meaning_model, metric
from nbhelpers.resources.csmd import read_meaning_pairs

FOLDER = data_dir() / "models" / "meaning-en"


@pytest.fixture(scope="module")
def model():
    return load_meaning_model()


def test_the_card_gives_the_measured_numbers():
    measured = json.loads((FOLDER / "meaning.json").read_text())["settings"]["measured on the test part"]
    card = (FOLDER / "README.md").read_text()
    for name, known in measured.items():
        cells = [cell.strip(" %") for cell in re.search(rf"^\| {name} \|(.*)\|$", card, re.M)[1].split("|")]
        shares = [f"{100 * known[share]:.1f}" for share in ("identical at least 95", "unrelated at most 5")]
        scores = [f"{known['pearson']:.3f}", f"{known['r2']:.3f}", f"{known['rmse']:.2f}", f"{known['spread']:.2f}"]
        assert cells == [str(known["n"]), *scores, *shares]


def test_it_is_a_few_megabytes_and_safe_to_load():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 6_000_000
    assert {file.suffix for file in FOLDER.iterdir()} == {".md", ".json", ".safetensors"}


@pytest.fixture(scope="module")
def texts():
    own = read_meaning_pairs()[::24]
    return [pair.source for pair in own], [pair.candidate for pair in own]


def test_ratings_do_not_depend_on_batch_or_order(model, texts):
    sources, candidates = texts
    ratings = metric(model)(sources, candidates)
    assert ((ratings >= 0) & (ratings <= 100)).all()
    np.testing.assert_allclose(metric(model)(sources[::-1], candidates[::-1])[::-1], ratings, atol=1e-2)
    alone = [model.rate([source], [candidate])[0] for source, candidate in zip(sources[:5], candidates[:5])]
    np.testing.assert_allclose(alone, ratings[:5], atol=1e-2)


def test_golden_ratings(model):
    source = "The cat sat on the mat."
    raw = model.raw([source] * 3, [source, "A cat was on the mat.", "Prices rose again in March."])
    np.testing.assert_allclose(raw, GOLDEN, atol=0.05)  # computed by this model when it was saved


GOLDEN = [95.828, 63.835, -5.844]


def test_half_precision_moves_ratings_by_tenths_only(model, texts):
    half = load_meaning_model(dtype="bfloat16")
    assert half.loaded.dtype == "bfloat16" and half.signature == model.signature + "|dtype:bfloat16"
    difference = np.abs(half.raw(*texts) - model.raw(*texts))
    assert 0 < difference.max() < 1
    with pytest.raises(InputError, match="float16"):
        load_meaning_model(dtype="float16")
