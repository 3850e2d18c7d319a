"""Training with packed pairs: the same ratings as the model that ships, and weights that it can read."""

import json
import random
import shutil
import sys
from pathlib import Path

import meaning_changes
import meaning_gpu as tool
import numpy as np
import pytest
import torch

from nbhelpers.base.paths import data_dir
from nbhelpers.metrics.meaning_model import as_tensors, encode_pairs, load_meaning_model
from nbhelpers.resources.models import load_encoder

FOLDER = data_dir() / "models" / "same-meaning-en"
SOURCES = ["The road is safe in winter.", "Yes.", "She sold the house in May, and nobody knew why.", "They met."]
CANDIDATES = ["In winter, the road is not safe.", "No, not at all!", "In May she parted with her home.", "They did."]


@pytest.fixture(scope="module")
def encoder():
    """Folder of the small encoder."""
    return Path(load_encoder().loaded.model.config.name_or_path)


def packed_texts(texts):
    rows = load_encoder().loaded.tokenizer(texts, add_special_tokens=False)["input_ids"]
    return np.concatenate([np.array(row) for row in rows]), np.cumsum([0, *map(len, rows)])


def rated(model, sources, candidates):
    """Raw ratings divided by 100 in one order, pair by pair."""
    with torch.inference_mode():
        pairs = encode_pairs(model.loaded.tokenizer, sources, candidates, 256)
        return [float(model._forward(as_tensors([pair], "cpu"))) for pair in pairs]


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["meaning_gpu.py", *map(str, arguments)])
    tool.main()


def test_ratings_are_those_of_the_model(encoder, monkeypatch, tmp_path):
    model, rater = load_meaning_model("same-meaning"), tool.opened(encoder, FOLDER, 32, "cpu")
    texts = tool.Texts(*packed_texts(SOURCES + CANDIDATES), "cpu")
    one = torch.arange(4)
    with torch.inference_mode():
        given = rater(*tool.pairs_of(texts, one, one + 4, rater.kind))  # padded to one length
    assert given.tolist() == pytest.approx(rated(model, SOURCES, CANDIDATES), abs=1e-4)
    ids, offsets = packed_texts(SOURCES + CANDIDATES)
    pairs = np.array([[place + 4, place] for place in range(4)])
    np.savez(tmp_path / "pairs.npz", ids=ids, offsets=offsets, pairs=pairs)
    made = ("--encoder", encoder, "--start", FOLDER, "--tokens", 40)
    run(monkeypatch, "rate", tmp_path / "pairs.npz", tmp_path / "ratings.npy", *made)
    assert np.load(tmp_path / "ratings.npy") == pytest.approx(rated(model, CANDIDATES, SOURCES), abs=1e-4)


def test_a_rival_must_lie_as_far_below_as_in_training_on_a_cpu():
    assert tool.MARGIN == meaning_changes.MARGIN


def test_batches_hold_every_pair_once_and_few_tokens():
    lengths = np.array([3, 9, 4, 30, 5, 5, 7, 12, 20])
    made = tool.batches(lengths, 20, random.Random(0))
    assert sorted(np.concatenate(made)) == list(range(9))
    assert all(len(batch) == 1 or len(batch) * lengths[batch].max() <= 20 for batch in made)


def test_a_packed_lesson_gives_weights_that_the_model_reads(encoder, monkeypatch, tmp_path):
    rows = [
        [*pair, 95.0, "written", "same", "It rained.", 12.0] if place % 2 else [*pair, 20.0, "paws", "", "", 0.0]
        for place, pair in enumerate(zip(SOURCES, CANDIDATES))
    ]
    rows.append(["word " * 200, "word " * 200, 100.0, "ends", "", "", 0.0])  # too long for the model
    for name, some in (("lesson.jsonl", rows), ("dev.jsonl", rows[:2])):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in some))
    run(monkeypatch, "pack", tmp_path / "all.npz", "--lessons", tmp_path)
    assert np.load(tmp_path / "all.npz")["lesson_pairs"].shape == (4, 3)
    made = ("--encoder", encoder, "--start", FOLDER, "--tokens", 40, "--epochs", 2, "--every", 2)
    run(monkeypatch, "train", tmp_path / "all.npz", tmp_path / "taught", *made, "--teach", tmp_path / "given.npy")
    log = [json.loads(line) for line in (tmp_path / "taught.jsonl").read_text().splitlines()]
    assert log[-1]["step"] == log[-1]["of"] and log[-1]["pairs"] == 12 and "written, rivals" in log[-1]["dev"]
    for name in ("meaning.json", "adapter_config.json"):
        shutil.copyfile(FOLDER / name, tmp_path / "taught" / name)
    model = load_meaning_model(str(tmp_path / "taught"))
    ratings, turned = rated(model, SOURCES, CANDIDATES), rated(model, CANDIDATES, SOURCES)
    assert ratings != pytest.approx(rated(load_meaning_model("same-meaning"), SOURCES, CANDIDATES), abs=1e-4)
    given = np.load(tmp_path / "given.npy")
    assert given.shape == (4, 2) and np.isnan(given[:, 1]).tolist() == [True, False, True, False]
    wanted = [turned[place] if place % 2 == 0 else ratings[place] for place in range(4)]  # every second one is turned
    assert given[:, 0] == pytest.approx(wanted, abs=1e-3)  # stored in half precision


def test_new_weights_rate_every_pair_alike_at_first(encoder):
    rater = tool.opened(encoder, None, 4, "cpu")
    texts = tool.Texts(*packed_texts(SOURCES), "cpu")
    ratings = rater(*tool.pairs_of(texts, torch.tensor([0, 1]), torch.tensor([2, 3]), rater.kind))
    assert ratings.tolist() == pytest.approx([0.6, 0.6])
