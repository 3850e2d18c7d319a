"""How well a model reads, and an encoder read as a masked LM, against plain versions on tiny models."""

import json

import numpy as np
import pytest
import torch

from nbhelpers.base.errors import DataFormatError
from nbhelpers.metrics.ndd import pseudo_perplexity
from nbhelpers.studies.ndd import model_size

TEXTS = ["the man sat on a mat .".split(), "a cold rain .".split()]


def test_word_probabilities_are_those_of_pseudo_perplexity(tiny_lm):
    found = model_size.word_probabilities(tiny_lm, TEXTS)
    for words, one in zip(TEXTS, found):
        pieces = len(tiny_lm.encode(words).input_ids) - 2
        assert np.exp(-sum(value for value, _ in one) / pieces) == pytest.approx(pseudo_perplexity(tiny_lm, [words])[0])
    items = model_size.run(tiny_lm, TEXTS, [("p0", "a mat .", "a mat .")] * 2)
    everything = [word for one in found for word in one]
    rows = model_size.summary(items.assign(model="tiny"), resamples=100).set_index("column")["value"]
    assert rows["nats per word"] == pytest.approx(-np.mean([value for value, _ in everything]))
    assert rows["words expected first, %"] == pytest.approx(100 * np.mean([hit for _, hit in everything]))
    assert rows["BLiMP, %"] == 50


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
