"""How well a model reads, and the measure that sees the edited word, against plain versions on tiny models."""

import json

import numpy as np
import pandas as pd
import pytest
import torch

from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.metrics.ndd import pseudo_perplexity
from nbhelpers.studies.ndd import model_size

TEXTS = ["the man sat on a mat .".split(), "a cold rain .".split()]


def plain_log_probability(plain, words: list[str], first: int, last: int) -> float:
    """Mean log-probability per word of the words `first` to `last` - 1, all of their pieces masked at once."""
    model, tokenizer = plain
    pieces = [tokenizer.tokenize(word) for word in words]
    ids = [tokenizer.cls_token_id, *tokenizer.convert_tokens_to_ids(sum(pieces, [])), tokenizer.sep_token_id]
    start, stop = (1 + sum(map(len, pieces[:place])) for place in (first, last))
    masked = torch.tensor([ids[:start] + [tokenizer.mask_token_id] * (stop - start) + ids[stop:]])
    with torch.no_grad():
        answer = torch.log_softmax(model(masked).logits[0], dim=-1)
    return sum(float(answer[place, ids[place]]) for place in range(start, stop)) / (last - first)


def test_word_probabilities_are_those_of_pseudo_perplexity(tiny_lm):
    found = model_size.word_probabilities(tiny_lm, TEXTS)
    for words, one in zip(TEXTS, found):
        pieces = len(tiny_lm.encode(words).input_ids) - 2
        assert np.exp(-sum(value for value, _ in one) / pieces) == pytest.approx(pseudo_perplexity(tiny_lm, [words])[0])
    nats, hits = model_size.reading_rows(tiny_lm, TEXTS, resamples=100)
    everything = [word for one in found for word in one]
    assert nats["value"].value == pytest.approx(-np.mean([value for value, _ in everything]))
    assert hits["value"].value == pytest.approx(100 * np.mean([hit for _, hit in everything]))


@pytest.mark.parametrize(
    "edited, spans",
    [
        ("the man sat on the mat .", [(4, 5, 4, 5)]),  # a word for another
        ("the man sat .", [(3, 6, None, None)]),  # a deletion
        ("the cold man sat on a mat .", [(None, None, 1, 2)]),  # an insertion
        ("a man sat on a cold rain .", [(0, 1, 0, 1), (5, 6, 5, 7)]),  # two edits, one with more words than before
        ("the man sat on a mat .", []),
    ],
)
def test_the_edited_word_equals_the_plain_definition(tiny_lm, plain_bert, edited, spans):
    original, expected = TEXTS[0], 0.0
    for first, last, start, stop in spans:
        old = 0.0 if first is None else plain_log_probability(plain_bert, original, first, last)
        new = 0.0 if start is None else plain_log_probability(plain_bert, edited.split(), start, stop)
        expected += abs(old - new)
    (found,) = model_size.edited_word(tiny_lm, [(original, edited.split())])
    assert found == pytest.approx(expected, abs=1e-4)
    frame = model_size.measure(tiny_lm, [(" ".join(original), edited)])
    assert frame["NDD + edited word"][0] == pytest.approx(frame["NDD"][0] + expected, abs=1e-4)


def test_random_weights_are_those_of_the_seed_and_know_nothing(tiny_lm):
    same = [model_size.with_random_weights(tiny_lm, seed) for seed in (1, 1, 2)]
    values = [model_size.word_probabilities(lm, TEXTS)[0][0][0] for lm in same]
    assert values[0] == values[1] != values[2]
    assert tiny_lm.loaded.name != same[0].loaded.name == "random weights"


def test_blimp_is_read_drawn_and_answered(tiny_lm, tmp_path):
    texts = [{"sentence_good": f"the man sat {n} .", "sentence_bad": f"man the sat {n} ."} for n in range(8)]
    lines, path = [{"UID": f"p{n % 2}"} | pair for n, pair in enumerate(texts)], tmp_path / "blimp.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    drawn = model_size.read_blimp(path, each=3)
    assert [name for name, *_ in drawn] == ["p0"] * 3 + ["p1"] * 3
    assert drawn == model_size.read_blimp(path, each=3) and len(model_size.read_blimp(path)) == 8
    equal = [("p0", "a mat .", "a mat .")]
    assert model_size.acceptability(tiny_lm, equal) == [0.5]
    both = model_size.acceptability(tiny_lm, [drawn[0], (drawn[0][0], drawn[0][2], drawn[0][1])])
    assert sorted(both) == [0.0, 1.0]
    path.write_text('{"UID": "p0"}\n')
    with pytest.raises(DataFormatError, match="blimp.jsonl, line 1: is no pair of BLiMP"):
        model_size.read_blimp(path)


def test_detection_counts_ties_and_pairs_the_scores():
    scores = {name: [1.0, 2.0, 3.0, 3.0] for name in model_size.SCORES} | {"1 - cosine": [3.0, 3.0, 1.0, 2.0]}
    one = pd.DataFrame({**scores, "label": [1.0, 1.0, 0.0, 0.0], "item": list("abab"), "kind": "negation"})
    frame = pd.concat([one] * 6, ignore_index=True)
    rows = {one["row"]: one["value"].value for one in model_size.detection_rows(frame, "test", resamples=100)}
    assert rows["NDD"] == 1 and rows["1 - cosine"] == 0 and rows["NDD + edited word minus 1 - cosine"] == 1
    assert model_size.kind_rows(frame, "tiny", resamples=100)[0]["value"].value == 1
    measured = {"better": frame, "worse": frame.assign(NDD=frame["1 - cosine"]), "same": frame}
    found = {r["row"]: r["value"] for r in model_size.difference_rows(measured, "worse", resamples=100)}
    assert [found[f"{name} minus worse"].value for name in ("better", "same")] == [1, 1]
    equal = model_size.difference_rows(measured, "same", resamples=100)
    assert [(r["column"], r["value"].low, r["value"].high) for r in equal if r["row"] == "better minus same"] == [
        ("AUC, grammatical pairs", 0, 0),
        ("AUC, minimal pairs", 0, 0),
        ("AUC, negation", 0, 0),
    ]
    sound = [True, False, True, True] * 6  # the second pair is ungrammatical, and the other model misjudges it
    marked = frame.assign(grammatical=sound)
    other = marked.assign(NDD=[1.0, 4.0, 3.0, 3.0] * 6)
    rows = model_size.difference_rows({"this": marked, "other": other}, "other", resamples=100)
    assert [row["value"].value for row in rows] == [0, 0.5, 0.5]
    tied = one.assign(NDD=[2.0, 1.0, 2.0, 5.0])
    rows = {r["row"]: r["value"].value for r in model_size.detection_rows(tied, "t", labels="best", resamples=100)}
    assert rows["NDD"] == 0.75 and rows["edited word"] == 1 and rows["1 - cosine"] == 0
    with pytest.raises(InputError, match="yes/no or best"):
        model_size.detection_rows(frame, "test", labels="rating")


def test_pairs_of_one_source_are_resampled_together():
    generator = np.random.default_rng(0)
    one = pd.DataFrame({name: generator.random(24) for name in model_size.SCORES})
    one = one.assign(label=np.arange(24) % 2.0, group=[f"source {place // 4}" for place in range(24)])
    five = pd.concat([one.drop(columns="group")] * 5, ignore_index=True)  # copies of a pair add nothing new
    frames = five, five.assign(group=[*one["group"]] * 5)
    pairs, sources = (model_size.detection_rows(frame, "test", resamples=100) for frame in frames)
    assert [row["value"].value for row in pairs] == [row["value"].value for row in sources]
    assert {row["value"].n for row in sources} == {6} and {row["value"].n for row in pairs} == {120}
    widths = [[row["value"].high - row["value"].low for row in some] for some in (pairs, sources)]
    assert np.mean(widths[1]) > 1.5 * np.mean(widths[0])


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_an_encoder_without_a_head_expects_the_nearest_words(tiny_model, kind):
    from transformers import AutoModel

    folder = str(tiny_model(kind))
    lm, encoder = model_size.encoder_as_masked_lm(folder), AutoModel.from_pretrained(folder).eval()
    ids = torch.tensor([lm.encode(TEXTS[0]).input_ids])
    with torch.no_grad():
        hidden = torch.nn.functional.gelu(encoder(ids).last_hidden_state)
        hidden = torch.nn.functional.layer_norm(hidden, hidden.shape[-1:])
        expected = hidden / 2 @ encoder.get_input_embeddings().weight.T
        found = lm.loaded.model(ids).logits
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
