"""NDD against the definition, its properties, and the shipped model's golden values."""

import math
import unicodedata

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference_ndd import masked_distribution, reference_ndd

from nbhelpers.base.errors import InputError
from nbhelpers.language.mlm import MaskedLM, MaskRequest
from nbhelpers.metrics.language_model import log_perplexities
from nbhelpers.metrics.ndd import (
    WEIGHTS,
    Edit,
    NDDSettings,
    apply_edits,
    encode_edit,
    find_edits,
    kept_positions,
    ndd,
    ndd_batch,
    ndd_signature,
    neighbour_weights,
    pseudo_perplexity,
    split_words,
)

SENTENCE = "the man sat on a river bank in cold rain .".split()
EDITS = [Edit(8, 9, ("hot",)), Edit(4, 6), Edit(0, 1, ("a", "new")), Edit(3, 3, ("not",)), Edit(10, 11)]
VOCABULARY = "the a man dog sat on river bank cold rain . , unknown café".split()
sentences = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=9)


def test_equals_the_plain_definition(tiny_lm, plain_bert):
    results = ndd_batch(tiny_lm, [(SENTENCE, apply_edits(SENTENCE, [edit])) for edit in EDITS], [[e] for e in EDITS])
    for edit, result in zip(EDITS, results):
        expected = reference_ndd(*plain_bert, SENTENCE, edit.start, edit.stop, list(edit.replacement))
        assert expected > 0.01 and result.value == pytest.approx(expected, abs=1e-5, rel=1e-5)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sentences, st.data())
def test_is_zero_for_the_same_text_and_never_negative(tiny_lm, words, data):
    assert ndd(tiny_lm, words, words).value == 0
    index = data.draw(st.integers(0, len(words) - 1))
    new = data.draw(st.sampled_from(VOCABULARY))
    if len(words) > 1:
        edit = Edit(index, index + 1, (new,))  # given: with repeated words an alignment may find other edits
        result = ndd(tiny_lm, words, apply_edits(words, [edit]), [edit])
        assert result.value >= 0
        assert all(n.divergence >= 0 and n.weight > 0 for n in result.neighbours)
        assert len(result.neighbours) == len(words) - 1


def test_several_edits_at_once(tiny_lm):
    edits = [Edit(8, 9, ("hot",)), Edit(0, 1), Edit(3, 3, ("not", "now"))]
    edited = apply_edits(SENTENCE, edits)
    assert edited == tuple("man sat not now on a river bank in hot rain .".split())
    result = ndd(tiny_lm, SENTENCE, edited, edits)
    assert [n.word for n in result.neighbours] == "man sat on a river bank in rain .".split()
    assert [n.distance for n in result.neighbours] == [1, 1, 1, 2, 3, 2, 1, 1, 2]
    assert all(edited[n.edited_index] == SENTENCE[n.original_index] == n.word for n in result.neighbours)
    assert result.value == pytest.approx(sum(0.9**n.distance * n.divergence for n in result.neighbours))
    assert ndd(tiny_lm, SENTENCE, edited).value == pytest.approx(result.value, abs=1e-9)  # found by alignment


@given(sentences, sentences)
def test_found_edits_lead_from_one_text_to_the_other(first, second):
    edits = find_edits(first, second)
    assert apply_edits(first, edits) == tuple(second)
    assert all(first[i] == second[j] for i, j in kept_positions(len(first), edits))


@pytest.mark.parametrize("family", ["roberta", "albert"])
@pytest.mark.parametrize("mask", ["word", "pieces"])
def test_a_word_that_becomes_the_first_one_keeps_its_pieces(tiny_model, family, mask):
    lm = MaskedLM(str(tiny_model(family)), mask=mask)
    result = ndd(lm, "the unknown man".split(), "unknown man".split())
    assert [n.word for n in result.neighbours] == ["unknown", "man"] and result.value > 0


def test_weights_by_hand():
    def weights(length, edit, *settings, **more):
        return neighbour_weights(length, [edit], NDDSettings(*settings, mu=0.5, **more))

    # seven words, the middle one edited: distances 3 2 1 | 1 2 3 in the paper's count, 2 1 0 | 0 1 2 in the code's
    distances, plain = weights(7, Edit(3, 4))
    assert distances.tolist() == [3, 2, 1, 1, 2, 3]
    assert plain.tolist() == [0.125, 0.25, 0.5, 0.5, 0.25, 0.125]
    distances, balanced = weights(7, Edit(3, 4), "balanced")
    assert distances.tolist() == [2, 1, 0, 0, 1, 2]
    assert balanced == pytest.approx(np.array([0.25, 0.5, 1, 1, 0.5, 0.25]) + 0.5**6)
    # the first of three words edited, n' = 2: distances 0 1 in the code, 1 2 in the paper
    assert weights(3, Edit(0, 1), "balanced")[1].tolist() == [1 + 0.5**1, 0.5 + 0.5**3]
    assert weights(3, Edit(0, 1), "paper")[1].tolist() == [0.5 + 0.5**4, 0.25 + 0.5**3]
    assert weights(3, Edit(0, 1), "uniform")[1].tolist() == [1, 1]
    assert weights(3, Edit(0, 1), "uniform", nu=0.5)[1].tolist() == [1, 0.5]  # later words are lighter


def test_the_papers_reading_and_the_codes():
    assert NDDSettings("official") == NDDSettings("balanced")
    # a word put in after the first of three: the formula has distance 0 on both sides, the code's count 0, plain 1
    inserted = [Edit(1, 1, ("very",))]
    for name, expected in (("paper", [0, 0, 1]), ("official", [0, 0, 1]), ("plain", [1, 1, 2])):
        assert neighbour_weights(3, inserted, NDDSettings(name))[0].tolist() == expected
    # the bias: places 1, 3 of the original in the paper's formula, the first and second kept word in the code
    paper, code = (
        neighbour_weights(3, [Edit(1, 2)], NDDSettings(name, mu=1, nu=0.5))[1] for name in ("paper", "official")
    )
    assert paper.tolist() == [2 * 0.5, 2 * 0.125] and code.tolist() == [2, 2 * 0.5]


def test_pseudo_perplexity_by_hand(tiny_lm, plain_bert):
    words = "the man sat .".split()
    model, tokenizer = plain_bert
    scores = [
        masked_distribution(model, tokenizer, words, i)[tokenizer.convert_tokens_to_ids(w)].item()
        for i, w in enumerate(words)
    ]
    assert pseudo_perplexity(tiny_lm, [words])[0] == pytest.approx(math.exp(-sum(scores) / 4), rel=1e-5)
    both = pseudo_perplexity(tiny_lm, [words, SENTENCE + ["unknown"]])
    assert both[0] == pytest.approx(pseudo_perplexity(tiny_lm, [words])[0], rel=1e-5) and min(both) >= 1


def test_log_perplexity_in_few_passes(tiny_lm):
    words = "the man sat .".split()
    exact = math.log(pseudo_perplexity(tiny_lm, [words])[0])
    every, none, cut = log_perplexities(tiny_lm, [" ".join(words), "", "the " * 1000], gap=4)
    assert every == pytest.approx(exact, rel=1e-5) and none == 0 and math.isfinite(cut), "each piece in its own pass"
    encoded = tiny_lm.encode(words)
    mask, requests = tiny_lm.loaded.tokenizer.mask_token_id, []
    for places in ((1, 3), (2, 4)):
        ids = tuple(mask if k in places else piece for k, piece in enumerate(encoded.input_ids))
        requests.append(MaskRequest(ids, places))
    answers = tiny_lm.log_probabilities(requests)
    known = [
        answers[k][row, encoded.input_ids[place]]
        for k, r in enumerate(requests)
        for row, place in enumerate(r.positions)
    ]
    assert log_perplexities(tiny_lm, [" ".join(words)], gap=2) == pytest.approx([-float(sum(known)) / 4], rel=1e-5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I am walking in the cold rain.", "I am walking in the cold rain ."),
        ("It's 1.5 km (well-known), he said.", "It's 1.5 km ( well-known ) , he said ."),
        ("El comité, según él…", "El comité , según él …"),
        ("a [MASK] b", "a [MASK] b"),
        ("हिन्दी भाषा सुंदर है।", "हिन्दी भाषा सुंदर है ।"),
        (unicodedata.normalize("NFD", "Le café."), unicodedata.normalize("NFD", "Le café .")),
        ("がぎ", "が ぎ"),
        ("大型で強い。", "大 型 で 強 い 。"),
        ("US$5 million!", "US $ 5 million !"),
    ],
)
def test_split_words(text, words):
    assert split_words(text) == words.split()


@pytest.mark.parametrize(
    "original, edited, edits, message",
    [
        ("the man", ["the", "man"], None, "list of words"),
        (None, ["the"], None, "not as NoneType"),
        (["the"], [], None, "at least one word"),
        (["a", "b"], ["a"], [(1, 2)], r"An edit is Edit\(start, stop, replacement\), .*, not \(1, 2\)"),
        (["a", "b"], ["dog"], [Edit(0, 2, "dog")], "replacement a tuple of words, not .*'dog'"),
        (["a", "b"], ["a", "big dog"], [Edit(1, 2, ("big dog",))], "a tuple of words, not .*big dog"),
        (["a", "b"], ["a"], [Edit(5, 6)], "outside a sentence of 2 words"),
        (["a", "b", "c"], ["c"], [Edit(0, 2), Edit(1, 3)], "overlaps"),
        (["the", "man"], ["the", "dog"], [Edit(1, 2, ("cat",))], "do not turn"),
        (["the", "man"], ["a", "dog"], None, "leaves no word in place"),
        (["the"] * 50, ["the"] * 49, None, "takes 40"),
    ],
)
def test_texts_and_edits_are_checked(tiny_lm, original, edited, edits, message):
    with pytest.raises(InputError, match=message):
        ndd(tiny_lm, original, edited, edits)


def test_pairs_and_settings_are_checked(tiny_lm):
    with pytest.raises(InputError, match="Pair 1 is not an .original words, edited words. pair"):
        ndd_batch(tiny_lm, [(["a"], ["a"]), (["the"], ["man"], ["sat"])])
    with pytest.raises(InputError, match="entries for 1 pairs"):
        ndd_batch(tiny_lm, [(["a"], ["a"])], [])
    with pytest.raises(InputError, match="one string"):
        split_words(["a"])
    for name, value in {"weights": "heavy", "nu": 1.1, "mu": math.nan}.items():
        with pytest.raises(InputError, match=name):
            NDDSettings(**{name: value})


def test_the_signature_names_everything_that_changes_the_number(tiny_lm):
    signatures = {ndd_signature(tiny_lm, NDDSettings(weights=w)) for w in WEIGHTS}
    signatures |= {ndd_signature(tiny_lm, NDDSettings(mu=0.5)), ndd_signature(tiny_lm, NDDSettings(nu=0.5))}
    assert len(signatures) == len(WEIGHTS) + 2
    assert all(tiny_lm.loaded.revision in s and "mask:word" in s for s in signatures)


def test_underflow_gives_numbers_and_no_nan(tiny_model):
    lm = MaskedLM(str(tiny_model("bert")))
    with torch.no_grad():
        lm.loaded.model.cls.predictions.decoder.weight.mul_(60)  # probabilities far below the smallest float32
    result = ndd(lm, SENTENCE, apply_edits(SENTENCE, [EDITS[0]]))
    assert math.isfinite(result.value) and result.value > 10


def test_a_word_inserted_before_the_first_is_not_glued_to_it(tiny_model):
    lm = MaskedLM(str(tiny_model("roberta")))
    original, edited = "man sat on the mat .".split(), "cold man sat on the mat .".split()
    first, second = encode_edit(lm, original, edited, [Edit(0, 0, ("cold",))])
    assert second.input_ids == lm.encode(edited).input_ids
    pieces = [[text.input_ids[start:stop] for start, stop in text.spans] for text in (first, second)]
    assert pieces[0] == pieces[1][1:]
