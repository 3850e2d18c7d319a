"""Training with changes of meaning: no test sentence in it, one scale, and a training that goes on where it stopped."""

import argparse
import json
import lzma
from dataclasses import replace
from types import SimpleNamespace

import meaning_changes as tool
import numpy as np
import pandas as pd
import pytest
from meaning_changes import Pair
from safetensors.torch import load_file

from nbhelpers.resources.challenge import mark


def test_pairs_with_a_test_sentence_are_removed_and_counted():
    tests = {"one": {"a cat sat"}, "simplification-errors": {"it rained"}}
    pairs = [
        Pair("A cat sat!", "A dog ran.", 50, "stsb"),
        Pair("It rained.", "Rain fell.", 90, "csmd"),
        Pair("Rain fell.", "It rained", 90, "paws"),
        Pair("She left.", "She went.", 90, "paws"),
        Pair("...", "She went.", 90, "paws"),
        Pair("She left.", "She went.", 90, "free", "", "A cat sat."),
    ]
    kept, removed = tool.without_test_sentences(pairs, tests)
    assert kept == [pairs[1], pairs[3]]  # what CSMD shares with a test, that test leaves out
    assert removed == {("stsb", "one"): 1, ("paws", "simplification-errors"): 1, ("free", "one"): 1}


def test_free_rewordings_in_their_official_formats(in_data):
    in_data("rewordings/apt/human-train.tsv", 'text_a\ttext_b\tlabels\nHe "ran".\tHe hurried.\t1\nHe ran.\t\t0\n')
    rows = ["sentence\tparaphrase\tbleurt\tmutual\tcollection", 'It "rained".\tRain fell.\t0.7\t1\tmsrp1']
    rows += ["It rained.\tIt rained!\t0.9\t1\tmsrp1", 'It "rained".\tIt poured.\t0.6\t0\tmsrp1', ""]
    in_data("rewordings/apt/t5.tsv.xz", lzma.compress("\n".join(rows).encode()))
    head = "Four-class labels\tBinary labels\tEntity\tDefinition1\tDefinition2\n"
    in_data("rewordings/parade/PARADE_train.txt", f"{head}3\t1\tqueue\tfirst in, first out\ta line\n")
    for name in ("apt/human-test.tsv", "parade/PARADE_test.txt"):
        in_data(f"rewordings/{name}", "")
    in_data("rewordings/parade/PARADE_validation.txt", f"{head}0\t0\tqueue\ta list\ta line\n")
    in_data(
        "rewordings/paradetox/paradetox.tsv", "toxic\tneutral1\tneutral2\tneutral3\ndamn dog\tbad dog\t\tdamn dog !\n"
    )
    in_data("rewordings/asset/asset-valid.orig", "The old ferry sank in a gale.\n")
    for number, text in enumerate(["The ferry sank.", "The ferry sank.", *["The old ferry sank in a gale."] * 8]):
        in_data(f"rewordings/asset/asset-valid.simp.{number}", text + "\n")
    in_data("rewordings/sts/2015-images.test.tsv", '2.50\tA "dog\tA cat\n\tA\tB\n')
    pairs = {(pair.source, pair.candidate): (pair.rating, pair.kind) for pair in tool.free(tool.random.Random(0))}
    assert pairs == {
        ('He "ran".', "He hurried."): (92, "APT, people"),
        ('It "rained".', "Rain fell."): (92, "APT, machine"),
        ('It "rained".', "It poured."): (40, "APT, machine"),
        ("first in, first out", "a line"): (88, "PARADE"),
        ("a list", "a line"): (35, "PARADE"),
        ("damn dog", "bad dog"): (86, "ParaDetox"),
        ("The old ferry sank in a gale.", "The ferry sank."): (60, "ASSET"),
        ('A "dog', "A cat"): (50, "STS"),
    }


class Negator:
    """Edits of one kind only."""

    read_again = staticmethod(str)

    def damaged(self, text, rng):
        return (f"not {text}", "tense" if "late" in text else "negation") if "no edit" not in text else None


def test_rewordings_get_a_damaged_rival():
    pairs = [Pair("a", "b", 90, "free", "STS"), Pair("a", "late", 80, "free"), Pair("a", "c", 60, "free")]
    pairs += [Pair("a", "no edit", 90, "free")]
    one, two, *others = tool.with_rivals(pairs, Negator(), tool.random.Random(0))
    assert one == Pair("a", "b", 90, "free", "STS, negation", "not b", 18) and (two.rival, two.below) == (
        "not late",
        28,
    )
    assert others == pairs[2:]
    noisy = list(tool.noise([one] * 20, tool.random.Random(0)))
    assert noisy and all(pair.source == "a" and pair.rival == "not b" and pair.candidate != "a" for pair in noisy)


def test_a_rival_that_is_not_below_costs_more(tiny_model):
    import torch

    ratings = {"near": [0.9, 0.8], "far": [0.9, 0.5]}
    lesson = tool.Lesson([], [None], [object()], np.array([0.9], np.float32), np.array([0.8], np.float32))
    costs = {}
    for name, given in ratings.items():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tool, "forward", lambda model, inputs, given=given: torch.tensor(given))
            costs[name] = float(tool.cost(None, lesson, [0]))
    assert costs["near"] == pytest.approx((tool.MARGIN - 0.1) ** 2 / 2)
    assert costs["far"] == pytest.approx(0.3**2 / 2)


ITEM = {
    "same": ["You cannot rely on that device.", "One should not trust the machine."],
    "changed": ["The pump is safe.", "Nobody can rely on the old device.", "One should trust the machine."],
    "kinds": ["antonym", "added", "negation"],
} | {"use": "training", "source": "The pump is unsafe.", "small": "This pump is unsafe.", "part": "manual"}


def test_what_was_written_gives_pairs_near_and_far(monkeypatch, tmp_path):
    (tmp_path / "corpus").mkdir()
    lines = [json.dumps(ITEM), json.dumps(ITEM | {"use": "test"}), ""]
    (tmp_path / "corpus" / "rewordings-en.jsonl").write_text("\n".join(lines))
    monkeypatch.setattr(tool.paths, "data_dir", lambda: tmp_path)
    pairs = list(tool.written())
    ratings = {(pair.source, pair.candidate): pair.rating for pair in pairs}
    source, (one, two), changed = ITEM["source"], ITEM["same"], ITEM["changed"]
    assert len(ratings) == 9 and len(pairs) == 10 and {pair.part for pair in pairs} == {"written"}
    assert pairs[-1].rival == changed[2] and pairs[-1].below == 20
    assert ratings[source, one] == ratings[one, two] == 95 and ratings[source, ITEM["small"]] == 98
    assert ratings[source, changed[0]] == ratings[two, changed[0]] == 20 and ratings[source, changed[1]] == 55
    assert ratings[two, changed[2]] == 20  # a small change of the rewording that it was made from


def test_the_written_sentences_are_whole_and_unlike_each_other():
    lines = (tool.paths.data_dir() / "corpus" / "rewordings-en.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    texts = [text for item in items for text in (item["source"], *item["same"], item["small"], *item["changed"])]
    assert all(list(map(len, (item["same"], item["changed"], item["kinds"]))) == [2, 3, 3] for item in items)
    assert len(texts) - len(set(texts)) == 3  # the card says which
    assert all(text.strip() == text and text for text in texts)
    shared = [tool.overlap(item["source"], text) for item in items for text in item["same"]]
    small = [tool.overlap(item["source"], item["changed"][0]) for item in items]
    assert np.mean(shared) < 0.4 and np.mean(small) > 0.7  # function words are counted, too


def test_similar_pairs_are_in_different_words_and_rated_by_the_encoder():
    sentences = [ITEM["source"], "That machine is dangerous.", "It rained all night.", "Prices rose again."]
    sentences += ["The rain did not stop until the morning.", "Goods became more expensive once more."]
    pairs = tool.similar_pairs(sentences, len(sentences), tool.random.Random(0))
    assert pairs and all(tool.overlap(pair.source, pair.candidate) < 0.5 for pair in pairs)
    vectors = dict(zip(sentences, tool.load_encoder().encode(sentences)))
    for pair in pairs:
        cosine = float(vectors[pair.source] @ vectors[pair.candidate])
        assert pair.rating == pytest.approx(max(0, 200 * cosine - 100), abs=0.06)


def test_a_mark_depends_on_the_words_alone():
    assert mark("The cat, sat.") == mark("the CAT sat") < 2**56
    assert mark("The cat sat.") != mark("The cat sat there.")


def test_batches_hold_every_pair_once_and_few_tokens():
    lengths = (3, 9, 4, 30, 5, 5, 7)
    made = tool.batches(lengths, 20, tool.random.Random(0))
    assert sorted(place for batch in made for place in batch) == list(range(7))
    assert all(len(batch) * max(lengths[place] for place in batch) <= 20 for batch in made if batch != [3])


@pytest.fixture
def options(tiny_model, tmp_path):
    """A made-up lesson: the same words are rated 100, others 0."""
    words = "the a cat dog sat ran on in mat house red old man saw".split()
    generator, rows = np.random.default_rng(0), []
    for row in range(24):
        order = list(generator.permutation(words))
        source, same = " ".join(order[: 3 + row % 3]), row % 2 == 0
        kind = "identical" if same else "unrelated"
        rival = [" ".join(order[7:11]), 5.0] if same and row % 3 else []
        rows.append([source, source if same else " ".join(order[7:11]), 100.0 * same, "ends", kind, *rival])
    for name in tool.FILES:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = {"rank": 2, "rate": 1e-2, "head_rate": 1e-3, "tokens": 64, "seed": 1, "epochs": 2, "start": None}
    made |= {"without": [], "minutes": None, "held_out": None, "anchors": None, "cosine": 0.2}
    return argparse.Namespace(out=tmp_path, encoder=str(tiny_model("bert")), name="whole", **made)


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
    model = load_meaning_model(str(options.out / "stopped"))
    assert model.calibration == replace(correction, soft=True) and model.cosine == 0.2
    plain = replace(model, cosine=0).raw(["The cat sat."], ["A dog ran."])
    first, second = tool.load_encoder().encode(["The cat sat.", "A dog ran."])
    assert model.raw(["The cat sat."], ["A dog ran."]) == pytest.approx(plain + 20 * first @ second, abs=1e-3)
    options.name, options.start = "further", options.out / "whole-checkpoint.safetensors"
    options.rate, options.head_rate, options.epochs, options.minutes = 0, 0, 1000, 0.01
    tool.train(options)  # stops by the clock
    further = load_file(options.out / "further" / "head.safetensors")
    assert all(np.allclose(further[name], resumed[name], atol=1e-3) for name in further)


def test_sentences_of_a_lesson_are_marked_and_those_of_an_old_one_forgotten_unless_it_went_on(monkeypatch, tmp_path):
    (tmp_path / "models").mkdir()
    pd.DataFrame({"mark": [1, 2, 3], "a": [True, True, False], "b": [False, True, True]}).to_parquet(
        tmp_path / tool.TRAINED_ON
    )
    pd.DataFrame({"mark": [2, 9]}).to_parquet(tmp_path / "sentences.parquet")
    monkeypatch.setattr(tool.paths, "data_dir", lambda: tmp_path)
    tool.ship_marks(argparse.Namespace(out=tmp_path, name="b", start="weights of b"))
    assert pd.read_parquet(tmp_path / tool.TRAINED_ON).query("b")["mark"].tolist() == [2, 3, 9]
    tool.ship_marks(argparse.Namespace(out=tmp_path, name="a", start=None))
    assert pd.read_parquet(tmp_path / tool.TRAINED_ON).to_dict("list") == {
        "mark": [2, 3, 9],
        "b": [True, True, True],
        "a": [True, False, True],
    }


def test_a_teacher_rates_the_lesson_and_the_held_out_pairs_keep_their_labels(options, monkeypatch):
    tokenizer = tool.load_encoder(options.encoder).loaded.tokenizer
    teachers = {"longer is better": SimpleNamespace(loaded=SimpleNamespace(tokenizer=tokenizer))}
    monkeypatch.setattr(tool, "load_meaning_model", teachers.get)
    monkeypatch.setattr(tool, "predicted", lambda model, inputs: np.array([10.0 * len(one.ids) for one in inputs]))
    options.teacher, options.name, options.without = "longer is better", "taught", ["ends, unrelated"]
    tool.teach(options)
    labelled, taught = (
        tool.read_lesson(folder / tool.FILES[1], tokenizer).pairs for folder in (options.out, options.out / "taught")
    )

    def half(label, *texts):
        return (label + min(100, 10 * len(tokenizer(*texts)["input_ids"]))) / 2

    expected = []
    for pair in labelled:
        if pair.kind == "identical":
            below = half(pair.below, pair.source, pair.rival) if pair.rival else 0
            expected.append(pair._replace(rating=half(pair.rating, pair.source, pair.candidate), below=below))
    assert taught == expected and len({pair.rating for pair in taught}) > 1 and any(pair.rival for pair in taught)
    held_out, kept = (folder / tool.FILES[0] for folder in (options.out, options.out / "taught"))
    assert kept.read_bytes() == held_out.read_bytes()


def test_a_training_may_leave_out_parts_and_kinds_of_a_part():
    pair = tool.Pair("a", "b", 50, "free", "APT, people, negation")
    assert pair.is_of(["msrp", "free, APT"]) and pair.is_of(["free"]) and pair.is_of(["free, APT, people"])
    assert not pair.is_of(["free, AP", "ends", "apt"]) and not pair.is_of([])
