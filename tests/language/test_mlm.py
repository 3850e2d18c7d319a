"""The masked-LM engine: alignment of words and pieces, and numbers that no batching changes."""

import gc
import math
import threading
import time
import weakref

import pytest
import torch
from refused import refused

from nbhelpers.language.mlm import MaskedLM, Question
from nbhelpers.resources.models import load_masked_lm

SENTENCE = "the man sat on a river bank , walking in cold rain .".split()
OTHERS = [SENTENCE, "a dog".split(), "the cat was on the mat .".split(), "he is old".split(), "no snow".split()]


def requests_of(lm, sentences):
    return [lm.request(encoded, i) for encoded in map(lm.encode, sentences) for i in range(len(encoded.words))]


def assert_close(answers, expected):
    for answer, wanted in zip(answers, expected, strict=True):
        torch.testing.assert_close(answer, wanted, atol=1e-5, rtol=0)


FAMILIES = ["bert", "bert-cased", "roberta", "albert", "japanese_bert"]


@pytest.mark.parametrize("family", FAMILIES)
def test_engine_equals_the_plain_forward_pass(tiny_model, family):
    lm = MaskedLM(str(tiny_model(family)))
    for words in (["The", "café", "was", "un-known", "."], ["台風", "は", "大型", "で", "す"]):
        encoded = lm.encode(words)
        for index in range(len(words)):
            request = lm.request(encoded, index)
            with torch.inference_mode():
                logits = lm.loaded.model(input_ids=torch.tensor([request.input_ids])).logits[0]
            assert_close(lm.log_probabilities([request]), [torch.log_softmax(logits[list(request.positions)], -1)])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_word_keeps_its_own_pieces(tiny_model, family):
    lm = MaskedLM(str(tiny_model(family)))
    for words in (["Café", "UNKNOWN", "naïve", "\u200b"], ["…", "don't", "[SEP]"], ["東京", "é", "🙂"]):
        encoded = lm.encode(words)
        edges = [edge for span in encoded.spans for edge in span]
        assert edges[0] == 1 and edges[-1] == len(encoded.input_ids) - 1  # special tokens at both ends only
        assert edges[1:-1:2] == edges[2:-1:2]  # each word begins where the one before ends
        assert all(start < stop for start, stop in encoded.spans)  # no word vanishes
        inner = encoded.input_ids[1:-1]
        assert not set(inner) & {encoded.input_ids[0], encoded.input_ids[-1], lm.loaded.tokenizer.mask_token_id}


@pytest.mark.parametrize("family", FAMILIES[:4])
def test_pieces_are_those_of_the_tokenizer(tiny_model, family):
    lm = MaskedLM(str(tiny_model(family)))
    words = "The old man sees unknown dogs .".split()
    assert list(lm.encode(words).input_ids) == lm.loaded.tokenizer(" ".join(words))["input_ids"]


def test_space_before_matters_to_tokenizers_that_mark_spaces(tiny_model):
    lm, bert = (MaskedLM(str(tiny_model(family))) for family in ("roberta", "bert"))
    joined = lm.encode(["rain", "."], [False, False]).input_ids
    assert list(joined) == lm.loaded.tokenizer("rain.")["input_ids"] != list(lm.encode(["rain", "."]).input_ids)
    assert bert.encode(["rain", "."], [False, False]) == bert.encode(["rain", "."])


@pytest.mark.parametrize("mask, count", [("word", 1), ("pieces", 2)])
def test_one_mask_per_word_or_per_piece(tiny_model, mask, count):
    lm = MaskedLM(str(tiny_model("bert")), mask=mask)
    request = lm.request(lm.encode(["the", "unknown", "man"]), 1)  # a word of two pieces
    assert len(request.positions) == request.input_ids.count(lm.loaded.tokenizer.mask_token_id) == count
    assert lm.log_probabilities([request])[0].shape == (count, lm.vocabulary_size)


def test_numbers_do_not_depend_on_batch_size_or_order(tiny_model):
    folder = str(tiny_model("bert"))
    wide = MaskedLM(folder)
    requests = requests_of(wide, OTHERS)
    expected = wide.log_probabilities(requests)
    for budget in (1, 7, 40, 10_000):
        lm = MaskedLM(folder, batch_tokens=budget)
        assert_close(lm.log_probabilities(requests[::-1])[::-1], expected)


def lengths_of(batches, rows):
    return [[len(rows[index]) for index in batch] for batch in batches]


def test_a_batch_takes_longer_texts_where_padding_costs_less_than_one_more_batch(tiny_lm, monkeypatch):
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)
    rows = [(0,) * length for length in [10] * 60 + [11] * 2 + [12] + [20] * 9]
    assert lengths_of(tiny_lm._batches(rows), rows) == [[10] * 60, [11] * 2, [12], [20] * 9]
    # one token for each of the 60 is too much; 2 tokens, and 8 for each of 3, are not
    assert lengths_of(tiny_lm._batches(rows, padded=True), rows) == [[10] * 60, [11] * 2 + [12] + [20] * 9]


@pytest.mark.parametrize("family", FAMILIES)
def test_padding_changes_nothing_but_rounding(tiny_model, family, monkeypatch):
    """In double precision: weights as random as these magnify the rounding of single precision to 2e-5."""
    lm, equal = (MaskedLM(str(tiny_model(family))) for _ in range(2))
    for engine in (lm, equal):
        engine.loaded.model.double()
    plain, seen = lm._forward, set()
    monkeypatch.setattr(lm, "_forward", lambda texts: seen.add(len({len(ids) for ids, _ in texts})) or plain(texts))
    monkeypatch.setattr(equal, "_pad_id", None)
    requests = requests_of(lm, [SENTENCE[:length] for length in range(2, 10)])
    for answer, wanted in zip(lm.log_probabilities(requests), equal.log_probabilities(requests)):
        torch.testing.assert_close(answer, wanted, atol=2e-6, rtol=0)  # answers are in single precision
    assert (max(seen) > 1) == (family != "albert")  # whose type is not known to allow it


def test_repeated_requests_are_answered_once(tiny_model):
    lm = MaskedLM(str(tiny_model("bert")))
    for _ in range(2):
        lm.log_probabilities(requests_of(lm, [SENTENCE, SENTENCE]))
        assert lm.forward_requests == len(SENTENCE)


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("out of memory"), RuntimeError("DefaultCPUAllocator: can't allocate memory: you")]
)
def test_batches_are_halved_when_memory_runs_out(tiny_model, monkeypatch, error):
    lm = MaskedLM(str(tiny_model("bert")), batch_tokens=10_000)
    requests = requests_of(lm, OTHERS)
    expected = MaskedLM(str(tiny_model("bert"))).log_probabilities(requests)
    plain, sizes = lm._forward, []

    def scarce(batch):
        if len(batch) > 3:
            raise error
        sizes.append(len(batch))
        return plain(batch)

    monkeypatch.setattr(lm, "_forward", scarce)
    assert_close(lm.log_probabilities(requests), expected)
    assert max(sizes) <= 3


def test_engines_leave_no_trace_in_a_model_that_they_share(tiny_model):
    loaded = load_masked_lm(str(tiny_model("bert")))
    lm = MaskedLM(loaded)
    lm.log_probabilities(requests_of(lm, OTHERS[1:2]))
    alive = weakref.ref(lm)
    del lm
    gc.collect()
    assert not loaded.model.base_model._forward_hooks and alive() is None


def test_bfloat16_answers_stay_close(tiny_model):
    lm = MaskedLM(str(tiny_model("bert")), dtype="bfloat16")
    reference = MaskedLM(str(tiny_model("bert")))
    requests = requests_of(reference, OTHERS)
    for rough, exact in zip(lm.log_probabilities(requests), reference.log_probabilities(requests)):
        assert rough.dtype == torch.float32
        assert (rough.exp() - exact.exp()).abs().sum().item() < 0.2
    assert "bfloat16" in lm.signature and "bfloat16" not in reference.signature


def test_contextual_vectors_are_means_over_pieces(tiny_lm):
    encoded = tiny_lm.encode(SENTENCE)
    with torch.inference_mode():
        hidden = tiny_lm.loaded.model.base_model(input_ids=torch.tensor([encoded.input_ids]))[0][0, 1:-1]
    assert tiny_lm.contextual_vectors([SENTENCE])[0] == pytest.approx(hidden.mean(0).numpy(), abs=1e-6)


def test_every_thread_works_on_batches_of_its_own(tiny_model, three_threads, monkeypatch):
    one, lm = MaskedLM(str(tiny_model("bert"))), MaskedLM(str(tiny_model("bert")))
    plain, seen = lm._forward, []

    def watched(texts):
        seen.append((threading.get_ident(), torch.get_num_threads()))
        time.sleep(0.02)  # on a busy machine one thread would take all batches
        return plain(texts)

    monkeypatch.setattr(lm, "_forward", watched)
    requests = requests_of(lm, OTHERS * 3)
    answers = lm.log_probabilities(requests)
    assert len({thread for thread, _ in seen}) > 1 and {count for _, count in seen} == {1}
    assert torch.get_num_threads() == 3
    torch.set_num_threads(1)
    assert_close(answers, one.log_probabilities(requests))


def test_questions_of_one_text_share_its_forward_pass(tiny_model):
    lm = MaskedLM(str(tiny_model("bert")))
    first = lm.request(lm.encode(["the", "[MASK]", "sat"]), 0)
    second = lm.request(lm.encode(["[MASK]", "man", "sat"]), 1)
    assert first.input_ids == second.input_ids and first.positions != second.positions
    rows = lm.log_probabilities([first, second])
    assert lm.forward_requests == 1
    store = lm.room(1)
    questions = [Question(first, references=(rows[1],), targets=(7,)), Question(second, store=store)]
    asked, _ = MaskedLM(lm.loaded).answer(questions, lambda a, b: (a - b).abs().sum(-1))
    assert asked.divergences == pytest.approx([float((rows[0] - rows[1]).abs().sum())], rel=1e-4)
    assert asked.log_probabilities == pytest.approx([float(rows[0][0, 7])], abs=1e-5)
    assert asked.likeliest == [int(rows[0].argmax()) == 7] and torch.allclose(store, rows[1], atol=1e-5)


test_words_and_settings_are_checked = refused(
    (lambda lm: lm.encode([]), "at least one word"),
    (lambda lm: lm.encode("the man"), "list of words, not as one string"),
    (lambda lm: lm.encode(None), "not as NoneType"),
    (lambda lm: lm.encode(["the", 3]), "Word 1 is empty or no text"),
    (lambda lm: lm.encode(["the"] * 39), "takes 40"),
    (lambda lm: lm.request(lm.encode(["the", "man"]), 2), "no word 2"),
    (lambda lm: MaskedLM(lm.loaded, mask="letters"), "mask"),
    *((lambda lm, value=value: MaskedLM(lm.loaded, cache_words=value), "cache_words") for value in (-1, 2.5, "9")),
    *((lambda lm, value=value: MaskedLM(lm.loaded, batch_tokens=value), "batch_tokens") for value in (0, math.nan)),
    given="tiny_lm",
)


def test_the_longest_text_that_a_model_takes(tiny_lm):
    assert len(tiny_lm.encode(["the"] * 38).input_ids) == 40
