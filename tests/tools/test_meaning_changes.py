"""Training with changes of meaning: no test sentence in it, one scale, and a training that goes on where it stopped."""

import argparse
import json

import meaning_changes as tool
import numpy as np
import pytest
from meaning_changes import Pair
from safetensors.torch import load_file


def test_pairs_with_a_test_sentence_are_removed_and_counted():
    tests = {"one": {"a cat sat"}, "simplification-errors": {"it rained"}}
    pairs = [
        Pair("A cat sat!", "A dog ran.", 50, "stsb"),
        Pair("It rained.", "Rain fell.", 90, "csmd"),
        Pair("Rain fell.", "It rained", 90, "paws"),
        Pair("She left.", "She went.", 90, "paws"),
        Pair("...", "She went.", 90, "paws"),
    ]
    kept, removed = tool.without_test_sentences(pairs, tests)
    assert kept == [pairs[1], pairs[3]]
    assert removed == {("stsb", "one"): 1, ("paws", "simplification-errors"): 1}


def test_a_mark_depends_on_the_words_alone():
    assert tool.mark("The cat, sat.") == tool.mark("the CAT sat") < 2**56
    assert tool.mark("The cat sat.") != tool.mark("The cat sat there.")


def test_batches_hold_every_pair_once_and_few_tokens():
    from nbhelpers.metrics.meaning_model import PairInput

    inputs = [PairInput((1,) * length, (), ()) for length in (3, 9, 4, 30, 5, 5, 7)]
    made = tool.batches(inputs, 20, tool.random.Random(0))
    assert sorted(place for batch in made for place in batch) == list(range(7))
    assert all(len(batch) * max(len(inputs[place].ids) for place in batch) <= 20 for batch in made if batch != [3])


@pytest.fixture
def options(tiny_model, tmp_path):
    """A made-up lesson: the same words are rated 100, others 0."""
    words = "the a cat dog sat ran on in mat house red old man saw".split()
    generator, rows = np.random.default_rng(0), []
    for row in range(24):
        order = list(generator.permutation(words))
        source, same = " ".join(order[: 3 + row % 3]), row % 2 == 0
        kind = "identical" if same else "unrelated"
        rows.append([source, source if same else " ".join(order[7:11]), 100.0 * same, "ends", kind])
    for name in tool.FILES:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    encoder = str(tiny_model("bert"))
    return argparse.Namespace(
        out=tmp_path, encoder=encoder, rank=2, rate=1e-2, tokens=64, seed=1, steps=0, name="whole", without=None
    )


def test_a_training_that_was_killed_goes_on_without_loss(options, monkeypatch):
    from nbhelpers.metrics.meaning_model import load_meaning_model

    monkeypatch.setattr(tool, "EVERY", 2)
    correction = tool.experiment.Calibration(2.0, 1.0)
    monkeypatch.setattr(tool.experiment, "anchored", lambda *ratings, share: correction)
    tool.train(options)
    options.name, true, calls = "stopped", tool.forward, iter(range(100))

    def failing(*arguments):
        if next(calls) == 11:  # some steps after a checkpoint
            raise KeyboardInterrupt
        return true(*arguments)

    monkeypatch.setattr(tool, "forward", failing)
    with pytest.raises(KeyboardInterrupt):
        tool.train(options)
    monkeypatch.setattr(tool, "forward", true)
    tool.train(options)
    whole, resumed = (load_file(options.out / name / "head.safetensors") for name in ("whole", "stopped"))
    assert all(np.allclose(whole[name], resumed[name], atol=1e-6) for name in whole)
    assert load_meaning_model(str(options.out / "stopped")).calibration.slope == 2.0
