"""BLANC, Coverage, InfoLM and NDD: counted by hand, equal to plain loops without the engine, whatever the batches."""

import logging
import math

import numpy as np
import pytest
import torch

from nbhelpers.base.errors import InputError, TextTooLongError
from nbhelpers.language.mlm import MaskedLM, MaskRequest
from nbhelpers.metrics import language_model
from nbhelpers.metrics.ndd import ndd, split_words

SOURCES = [
    "The old bridge was closed after the flood.",
    "She bought three apples at the market.",
    "Walking uncomfortably through Ouagadougou, they overslept.",
]
CANDIDATES = ["The bridge was closed.", "She bought three apples at the market.", "Engines sing purple alphabets!"]


class CopyingLM(MaskedLM):
    """Guesses that the source repeats what stands before it, piece by piece: its answers can be counted by hand."""

    def __init__(self, model):
        super().__init__(model)
        self.asked = []

    def _forward(self, texts):
        """The copied piece has probability 1/2, the rest is spread evenly."""
        self.asked += [MaskRequest(ids, tuple(places)) for ids, places in texts]
        copied = [ids[place - (len(ids) - 1) // 2] for ids, places in texts for place in places]
        answer = torch.full((len(copied), self.vocabulary_size), 0.5 / (self.vocabulary_size - 1))
        answer[range(len(copied)), copied] = 0.5
        return answer.log()


def plain_guesses(lm: MaskedLM, before: list[str], tokens: list[str], places: list[int]) -> list[str]:
    """Guesses at masked places of `tokens`, which follow `before`; one forward pass, the whole vocabulary head."""
    tokenizer, model = lm.loaded.tokenizer, lm.loaded.model
    masked = [tokenizer.mask_token if k in places else token for k, token in enumerate(tokens)]
    whole = [tokenizer.cls_token, *before, *masked, tokenizer.sep_token]
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([tokenizer.convert_tokens_to_ids(whole)])).logits[0]
    return [tokenizer.convert_ids_to_tokens(int(logits[1 + len(before) + k].argmax())) for k in places]


def plain_blanc(lm: MaskedLM, source: str, candidate: str, gap: int) -> float:
    """The paper's loop, with the word-piece rules of the authors' package."""
    tokens, help_tokens = (lm.loaded.tokenizer.tokenize(text) for text in (source, candidate))

    def long_enough(k: int) -> bool:
        if tokens[k].startswith("##"):
            return False
        split = k + 1 < len(tokens) and tokens[k + 1].startswith("##")
        return len(tokens[k]) >= (2 if split else 4)

    allowed = [k for k in range(len(tokens)) if long_enough(k)] or list(range(len(tokens)))
    counts = np.zeros((2, 2))
    for turn in range(min(gap, len(tokens))):
        places = [k for k in allowed if k % min(gap, len(tokens)) == turn]
        if places:
            base = plain_guesses(lm, ["."] * len(help_tokens), tokens, places)
            helped = plain_guesses(lm, help_tokens, tokens, places)
            for k, a, b in zip(places, base, helped):
                counts[int(a == tokens[k]), int(b == tokens[k])] += 1
    return (counts[0, 1] - counts[1, 0]) / counts.sum()


@pytest.fixture(scope="module")
def embedded():
    return MaskedLM(device="cpu")


# ----------------------------------------------------------------------------------------------------------- BLANC


def test_blanc_counted_by_hand(tiny_model):
    lm = CopyingLM(str(tiny_model("bert")))
    source = "the cold rain walk sat on the bank ."  # long enough: cold, rain, walk, bank
    candidates = ["the cold rain walk sat on the lake .", "the hot snow walk sat on the bank .", "a a a a a a a a a"]
    values = language_model.blanc_scores([source] * 4, [source, *candidates], lm)
    np.testing.assert_allclose(values, [1.0, 3 / 4, 2 / 4, 0.0])
    # pieces 1 and 7 (cold, bank) are masked together, as every sixth is; periods stand for the first candidate's pieces
    assert sorted(len(request.positions) for request in lm.asked[:6]) == [1, 1, 1, 1, 2, 2]
    period = lm.loaded.tokenizer.convert_tokens_to_ids(".")
    assert any(set(request.input_ids[1:10]) == {period} for request in lm.asked)
    # where no piece is long enough every piece is masked
    assert language_model.blanc_scores(["a cat sat on"], ["a dog sat on"], lm) == pytest.approx(3 / 4)


@pytest.mark.parametrize("gap", [6, 2])
def test_blanc_equals_the_plain_loop(embedded, gap, monkeypatch):
    monkeypatch.setattr(language_model, "GAP", gap)
    values = language_model.blanc_scores(SOURCES, CANDIDATES, embedded)
    assert values.any()
    np.testing.assert_allclose(values, [plain_blanc(embedded, s, c, gap) for s, c in zip(SOURCES, CANDIDATES)])


# -------------------------------------------------------------------------------------------------------- Coverage


def test_coverage_counted_by_hand(tiny_model):
    lm = CopyingLM(str(tiny_model("bert")))
    source = "the cold rain is in the river ."  # keywords: cold, rain, river
    candidates = [source, "the cold rain is in the lake .", "the hot snow is in the bank ."]
    np.testing.assert_allclose(language_model.coverage_scores([source] * 3, candidates, lm), [1.0, 2 / 3, 0.0])
    (request,) = lm.asked[:1]
    tokens = lm.loaded.tokenizer.convert_ids_to_tokens(list(request.input_ids))
    assert " ".join(tokens) == f"[CLS] {source} [SEP] the [MASK] [MASK] is in the [MASK] . [SEP]"


def test_keywords_are_the_rare_content_words(monkeypatch):
    words = split_words("The committee said that the committee of Ouagadougou met in a house, and the house was cold.")
    assert language_model.keywords(words) == {"committee", "said", "ouagadougou", "met", "house", "cold"}
    assert language_model.keywords(["It", "is", "he", "."]) == {"it", "is", "he"}
    assert language_model.keywords(["!", "?"]) == {"!", "?"}
    monkeypatch.setattr(language_model, "KEYWORDS", 2)
    assert language_model.keywords(words) == {"ouagadougou", "committee"}


# ---------------------------------------------------------------------------------------------------------- InfoLM


def plain_infolm(lm: MaskedLM, source: str, candidate: str) -> float:
    """The paper's recipe without the engine: one forward pass for each piece."""
    tokenizer, model = lm.loaded.tokenizer, lm.loaded.model
    mixed = []
    for text in (source, candidate):
        whole = tokenizer(text)["input_ids"]
        parts = []
        for place in range(1, len(whole) - 1):
            masked = [tokenizer.mask_token_id if k == place else token for k, token in enumerate(whole)]
            with torch.no_grad():
                logits = model(input_ids=torch.tensor([masked])).logits[0, place].double()
            parts.append(torch.softmax(logits / language_model.TEMPERATURE, 0))
        mixed.append(torch.stack(parts).mean(0))
    return 2 / math.pi * math.acos(min(1.0, float((mixed[0] * mixed[1]).sqrt().sum())))


def test_infolm_equals_the_plain_loop(embedded):
    values = language_model.infolm_scores([*SOURCES, "A."], [*CANDIDATES, "A."], embedded)
    expected = [plain_infolm(embedded, SOURCES[row], CANDIDATES[row]) for row in (0, 2)]
    np.testing.assert_allclose(values[[0, 2]], expected, atol=1e-4)
    assert values[1] < 1e-3 and values[3] < 1e-3 and 0 < values[0] < values[2] <= 1
    np.testing.assert_allclose(language_model.infolm_scores(CANDIDATES, SOURCES, embedded), values[:3], atol=1e-6)


# ----------------------------------------------------------------------------------------------- what they share--


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "japanese_bert"])
@pytest.mark.parametrize(
    "scores", [language_model.blanc_scores, language_model.coverage_scores, language_model.infolm_scores]
)
def test_any_tokenizer_and_any_batches(tiny_model, family, scores):
    sources = ["the cold rain is in the river .", "a dog sat", "walking café", "台風 強 い"]
    candidates = ["cold rain !", "a man sat", "the cat was running in the night", "非 常 に 強 い 台 風"]
    plain = scores(sources, candidates, MaskedLM(str(tiny_model(family))))
    single = scores(sources, candidates, MaskedLM(str(tiny_model(family)), batch_tokens=1))
    lm = MaskedLM(str(tiny_model(family)), batch_tokens=64)
    alone = [scores([s], [c], lm)[0] for s, c in zip(sources, candidates)]
    np.testing.assert_allclose(single, plain, atol=1e-5)
    np.testing.assert_allclose(alone, plain, atol=1e-5)
    np.testing.assert_allclose(scores(sources[::-1], candidates[::-1], lm)[::-1], plain, atol=1e-5)
    assert (np.abs(plain) <= 1).all() and plain.shape == (4,)


def test_special_tokens_in_a_text_are_text(tiny_model):
    lm = MaskedLM(str(tiny_model("bert")))
    read = language_model._read(lm, "cold [SEP] rain [MASK]")
    tokenizer = lm.loaded.tokenizer
    assert not {tokenizer.sep_token_id, tokenizer.mask_token_id} & {*read.ids}
    assert "rain" in read.words and "mask" in map(str.lower, read.words)


@pytest.mark.parametrize("family", ["roberta", "albert"])
def test_words_have_no_space_and_no_punctuation_at_them(tiny_model, family):
    read = language_model._read(MaskedLM(str(tiny_model(family))), "the cold  rain isn’t (known) in the river.")
    assert read.words == ("the", "cold", "rain", "is", "n't", "(", "known", ")", "in", "the", "river", ".")
    assert len(read.ids) == len(read.word_of) == len(read.lengths) and list(read.word_of) == sorted(read.word_of)
    letters = np.bincount(read.word_of, read.lengths)
    assert all(count >= len(word) for word, count in zip(read.words, letters))
    assert language_model.keywords(read.words) == {"cold", "rain", "known", "river"}


def test_letters_are_counted_and_not_bytes_or_spaces(tiny_model):
    read = language_model._read(MaskedLM(str(tiny_model("roberta"))), "café  台風 で cold")
    letters = dict(zip(read.words, np.bincount(read.word_of, read.lengths)))
    assert letters == {"café": 4, "台風": 2, "で": 1, "cold": 4}  # the é is one piece; 台風 is a piece of six bytes
    places = dict(zip(read.word_of, read.places))
    assert [places[read.words.index(word)] for word in ("台風", "で", "cold")] == ["whole"] * 3
    spaces = language_model._read(MaskedLM(str(tiny_model("albert"))), "台 風")
    assert [length for place, length in zip(spaces.places, spaces.lengths) if place != "later"] == [1, 1]


@pytest.mark.parametrize("family", ["bert", "bert-cased"])
def test_word_pieces_keep_the_words_of_their_own_tokenizer(tiny_model, family):
    lm = MaskedLM(str(tiny_model(family)))
    text = "The cold rain isn't well-known, cannot 1,000 U.S. 5km café €5 台風"
    encoding = lm.loaded.tokenizer([text], add_special_tokens=False).encodings[0]
    read = language_model._read(lm, text)
    assert (list(read.ids), list(read.word_of)) == (encoding.ids, encoding.word_ids)
    assert list(read.lengths) == [len(name.removeprefix("##")) for name in encoding.tokens]
    assert read.words == tuple(text[slice(*encoding.word_to_chars(word))] for word in dict.fromkeys(encoding.word_ids))


@pytest.mark.parametrize("scores", [language_model.blanc_scores, language_model.coverage_scores])
def test_bad_texts_are_refused_with_their_row(tiny_model, scores):
    lm = MaskedLM(str(tiny_model("bert")))  # takes 40 pieces
    long = " ".join(["cold rain"] * 18)
    reason = r"Row 2: there are 4\d pieces in source and candidate together, .* takes 40"
    with pytest.raises(TextTooLongError, match=reason):
        scores(["a", long], ["b", "the dog sat on"], lm)
    with pytest.raises(InputError, match="Row 1: the tokenizer leaves nothing of the candidate"):
        scores(["a"], ["\u200b"], lm)


@pytest.mark.parametrize("factory", ["blanc", "coverage", "ndd"])
def test_the_metrics_keep_their_range_and_say_how_they_were_made(embedded, factory):
    metric = getattr(language_model, factory)(embedded)
    values, same = metric(SOURCES, CANDIDATES), metric(SOURCES, SOURCES)
    low, high = metric.range
    assert ((low <= values) & (values <= high)).all() and not metric.needs_reference
    assert (same >= values).all() if metric.higher_means_same else (same <= values).all()
    assert embedded.loaded.identity in metric.signature and metric.signature.startswith(metric.name)
    assert metric.name == factory and (metric.scale == 100 if factory != "ndd" else metric.ratings(values) is None)


# ------------------------------------------------------------------------------------------------------------- NDD


def test_ndd_is_the_studys_own_measure_pair_by_pair(embedded):
    sources, candidates = SOURCES[:2], ["The old bridge was shut after the great flood.", "She bought apples."]
    expected = [ndd(embedded, split_words(s), split_words(c)).value for s, c in zip(sources, candidates)]
    np.testing.assert_allclose(language_model.ndd_scores(sources, candidates, embedded), expected, atol=1e-5)
    assert language_model.ndd_scores(SOURCES, SOURCES, embedded).tolist() == [0.0, 0.0, 0.0]


def test_texts_without_a_common_word_get_the_worst_value(tiny_model, caplog):
    lm = MaskedLM(str(tiny_model("bert")))
    with caplog.at_level(logging.INFO):
        values = language_model.ndd_scores(["the cat sat .", "the cold rain"], ["the dog sat .", "a man was here"], lm)
    assert "1 of 2 pairs have no word in place" in caplog.text
    # three words next to an edit: each weighs 0.9, and counts ln V
    assert values[1] == pytest.approx(3 * 0.9 * math.log(lm.vocabulary_size))


def test_ndd_of_a_text_that_is_too_long_names_the_row(tiny_model):
    lm, long = MaskedLM(str(tiny_model("bert"))), " ".join(["cold"] * 50)
    for sources, candidates in ((["a", "cold"], ["b", long]), (["a", long], ["a", "cold"])):
        with pytest.raises(TextTooLongError, match="Row 2: The text has 52 pieces"):
            language_model.ndd_scores(sources, candidates, lm)
