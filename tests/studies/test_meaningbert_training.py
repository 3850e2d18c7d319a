"""MeaningBERT's model and its training, on tiny encoders with random weights."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from refused import refused
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from nbhelpers.base.errors import InputError, ModelError, ResourceNotFoundError, RowTooLongError
from nbhelpers.metrics import meaning_model
from nbhelpers.metrics.meaning_model import Calibration, load_meaning_model, make_head, pool
from nbhelpers.resources.csmd import RatedPair
from nbhelpers.studies.meaningbert.training import TrainingSettings, lower_layers, predict, release, some_layers, train

WORDS = "the a cat dog sat ran on in mat house red old man saw".split()


def some_pairs(count: int, seed: int = 0) -> list[RatedPair]:
    """Half of the pairs say the same word for word and are rated 100, the others share no word and are rated 0."""
    generator = np.random.default_rng(seed)
    pairs = []
    for row in range(count):
        words = list(generator.permutation(WORDS))
        source = " ".join(words[: 4 + row % 3])
        other = source if row % 2 else " ".join(words[7:12])
        pairs.append(RatedPair(source, other, 100.0 if row % 2 else 0.0, row + 1))
    return pairs


@pytest.fixture(scope="module")
def settings(tiny_model) -> TrainingSettings:
    return TrainingSettings(
        encoder=str(tiny_model("bert")), epochs=3, batch_size=4, rank=4, frozen_layers=1, longest=40, dropout=0.2
    )


def weights_of(model) -> np.ndarray:
    return np.concatenate([value.detach().numpy().ravel() for value in model.head.state_dict().values()])


def test_training_learns_and_keeps_the_best_epoch(settings):
    pairs = some_pairs(40)
    eager = replace(settings, epochs=12, patience=12, learning_rate=5e-3, head_learning_rate=5e-3)
    lower = lower_layers(eager)
    told = []
    model, history = train(pairs[:30], pairs[30:], eager, lower=lower, report=told.append)
    assert told == list(history) and [epoch.number for epoch in history] == list(range(1, 13))
    assert history[-1].training_loss < 0.5 * history[0].training_loss
    best = min(epoch.development_loss for epoch in history)
    raw = predict(model, lower, pairs[30:])
    assert np.mean((raw / 100 - [pair.rating / 100 for pair in pairs[30:]]) ** 2) == pytest.approx(best, abs=1e-6)
    release(model)


def test_remembered_lower_layers_give_what_the_whole_model_gives(settings):
    pairs = some_pairs(12)
    lower = lower_layers(settings)
    model, _ = train(pairs[:8], pairs[8:], replace(settings, epochs=1), lower=lower)
    fast = predict(model, lower, pairs)
    whole = model.raw([pair.source for pair in pairs], [pair.candidate for pair in pairs])
    np.testing.assert_allclose(fast, whole, atol=1e-3)  # of 100
    alone = [model.raw([pair.source], [pair.candidate])[0] for pair in pairs]
    np.testing.assert_allclose(whole, alone, atol=1e-3)
    release(model)
    assert not any("lora" in name for name, _ in lower.base.model.named_parameters())


def test_the_seed_decides_a_training(settings):
    pairs, told = some_pairs(20), []
    first, history = train(pairs[:14], pairs[14:], settings, seed=7, report=told.append)
    second, again = train(pairs[:14], pairs[14:], settings, seed=7)
    other, _ = train(pairs[:14], pairs[14:], settings, seed=8)
    assert tuple(told) == history == again and len(history) == 3
    np.testing.assert_array_equal(weights_of(first), weights_of(second))
    assert not np.array_equal(weights_of(first), weights_of(other))


def test_a_diverged_training_is_an_error(settings):
    wild = replace(settings, learning_rate=1e30, head_learning_rate=1e30, epochs=2)
    lower = lower_layers(wild)
    with pytest.raises(ModelError, match="diverged"):
        train(some_pairs(12), some_pairs(4, 1), wild, lower=lower)
    assert not any("lora" in name for name, _ in lower.base.model.named_parameters())


def test_a_saved_model_gives_the_same_ratings(settings, tmp_path):
    pairs = some_pairs(12)
    sources, candidates = [p.source for p in pairs], [p.candidate for p in pairs]
    model, _ = train(pairs[:8], pairs[8:], replace(settings, epochs=2))
    calibrated = replace(model, calibration=Calibration(1.5, -20.0))
    before = calibrated.rate(sources, candidates)
    folder = calibrated.save(tmp_path / "saved", settings={"seed": 42})
    loaded = load_meaning_model(str(folder))
    np.testing.assert_allclose(loaded.rate(sources, candidates), before, atol=1e-3)
    assert loaded.calibration == Calibration(1.5, -20.0)
    assert load_meaning_model(str(folder), calibrated=False).calibration is None
    assert json.loads((folder / "meaning.json").read_text())["settings"] == {"seed": 42}
    assert sorted(file.suffix for file in folder.iterdir()) == [".json", ".json", ".safetensors", ".safetensors"]
    rated = meaning_model.metric(loaded)(sources, candidates)
    np.testing.assert_allclose(rated, before, atol=1e-3)
    (folder / "head.safetensors").write_bytes(b"not a weight file")
    with pytest.raises(ModelError, match="cannot be read"):
        load_meaning_model(str(folder))


def test_a_sequence_classifier_with_one_output_is_read_as_published(settings, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(settings.encoder)
    for outputs in (2, 1):
        classifier = AutoModelForSequenceClassification.from_pretrained(settings.encoder, num_labels=outputs).eval()
        for part in (classifier, tokenizer):
            part.save_pretrained(tmp_path / str(outputs))
    model = load_meaning_model(str(tmp_path / "1"))
    sources, candidates = ["the cat sat", "a dog ran on the mat"], ["the dog sat", "the man saw"]
    with torch.no_grad():
        logits = classifier(**tokenizer(sources, candidates, padding=True, return_tensors="pt")).logits[:, 0]
    np.testing.assert_allclose(model.raw(sources, candidates), logits.numpy(), atol=1e-4)
    assert (model.rate(sources, candidates) == np.clip(model.raw(sources, candidates), 0, 100)).all()
    with pytest.raises(ModelError, match="2 outputs"):
        load_meaning_model(str(tmp_path / "2"))


@pytest.fixture(scope="module")
def model(settings):
    return train(some_pairs(6), some_pairs(2), replace(settings, epochs=1))[0]


LONG = " ".join(WORDS * 3)
test_bad_pairs = refused(
    (lambda model: model.raw(["a cat", "a dog"], ["a cat"]), "2 sources and 1 candidates"),
    (lambda model: model.raw("a cat", "a dog"), "not one text"),
    (lambda model: model.raw(["a cat", " "], ["a cat", "a dog"]), "source of row 2 is empty"),
    (lambda model: model.raw(["a cat", LONG], ["a cat", LONG]), "Row 2: the pair has"),
    (lambda model: load_meaning_model("no/such-model"), "no/such-model"),
    error=(InputError, ResourceNotFoundError, ModelError),
    given="model",
)
test_bad_settings = refused(
    (lambda settings: train([], some_pairs(8), settings), "a pair in each part"),
    (lambda settings: lower_layers(replace(settings, frozen_layers=9)), "at least one of them must learn"),
    (lambda settings: train(some_pairs(8), some_pairs(8), replace(settings, epochs=0)), "one epoch"),
    given="settings",
)


def test_many_pairs_are_rated_part_by_part(model, monkeypatch):
    both = replace(model, symmetric=True)
    pairs = [(pair.source, pair.candidate) for pair in some_pairs(6)]
    pairs += [pairs[0], pairs[1][::-1], (pairs[2][0], pairs[2][0])]
    sources, candidates = map(list, zip(*pairs))
    one, other = model.raw(sources, candidates), model.raw(candidates, sources)
    whole = both.raw(sources, candidates)
    np.testing.assert_allclose(whole, (one + other) / 2, atol=1e-3)
    monkeypatch.setattr(meaning_model, "_PAIRS_AT_ONCE", 4)
    np.testing.assert_allclose(both.raw(sources, candidates), whole, atol=1e-3)
    monkeypatch.setattr(model.loaded.model, "forward", lambda **_: pytest.fail("something is rated"))
    with pytest.raises(RowTooLongError, match="^Row 9: the pair has"):
        both.raw(sources[:-1] + [LONG], candidates[:-1] + [LONG])


def test_long_pairs_are_cut_when_asked_for_and_no_pair_has_no_rating(model):
    assert np.isfinite(model.raw([LONG], [LONG], truncate=True)).all()
    assert model.raw([], []).shape == (0,)


def test_pool_by_hand():
    hidden = torch.tensor([[[9.0, 9.0], [1.0, 2.0], [3.0, 4.0], [9.0, 9.0], [5.0, 0.0]]])
    sentence = torch.tensor([[-1, 0, 0, -1, 1]])
    np.testing.assert_allclose(pool(hidden, sentence).numpy(), [[2, 3, 5, 0, 3, 3, 10, 0]])
    assert make_head(2)(pool(hidden, sentence)).shape == (1, 1)


def test_layers_are_put_back(settings):
    model = lower_layers(settings).base.model
    layers, embeddings = model.encoder.layer, model.embeddings
    with pytest.raises(RuntimeError), some_layers(model, 1, None, given=True):
        assert len(model.encoder.layer) == len(layers) - 1
        raise RuntimeError
    assert model.encoder.layer is layers and model.embeddings is embeddings
