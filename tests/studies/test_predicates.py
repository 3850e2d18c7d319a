"""Predicate detection against plain slow loops, worked examples and the measures of scikit-learn."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_ndd import reference_ndd

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import average_precision, roc_auc
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import Edit, NDDSettings, ndd, pseudo_perplexity
from nbhelpers.resources.treebank import Sentence, Token
from nbhelpers.results import published
from nbhelpers.studies.ndd import predicates
from nbhelpers.studies.ndd.predicates import ROWS, EditSettings, ensemble, evaluate, evaluate_methods, score_words

SENTENCE = "the man sat on a cold unknown mat .".split()  # "unknown" is two pieces, "a" the replacement itself
SHORT = "snow cats".split()


def sentence(tagged: str) -> Sentence:
    """A sentence from ``word/TAG`` items; ``!`` after the tag marks a predicate."""
    tokens = []
    for number, item in enumerate(tagged.split(), start=1):
        word, tag = item.rsplit("/", 1)
        misc = {"Pred": "Y"} if tag.endswith("!") else {}
        tokens.append(Token(number, word, "_", tag.rstrip("!"), "_", None, "_", misc))
    return Sentence("s", tagged, tuple(tokens))


def edit(words: list[str], index: int, edition: str) -> list[str]:
    return words[:index] + {"delete": [], "mask": ["[MASK]"], "word": ["a"]}[edition] + words[index + 1 :]


def test_reads_either_format_of_predicates(tmp_path):
    conllu = "1\tDogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tbark\t_\tVERB\t_\t_\t_\t_\t_\tPred=Y\n\n"
    conll09 = "1\tDogs{0}\t_\t_\n2\tbark{0}\tY\tbark.01\n\n".format("\t_" * 10)
    for name, content in [("two.conllu", conllu), ("two.conll09", conll09), ("two.txt", conll09)]:
        (tmp_path / name).write_text(content, encoding="utf-8")
        (found,) = predicates.read_predicates(tmp_path / name)
        assert (found.words, found.predicates()) == (["Dogs", "bark"], [1])


# Scores of words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", ["word", "pieces"])
def test_equals_ndd_also_where_a_byte_level_model_gets_a_new_first_word(tiny_model, mask):
    # Such a model has other pieces for a word after a space; the word that becomes the first one keeps those it had.
    lm = MaskedLM(str(tiny_model("roberta")), mask=mask)
    words = "the man sat on a mat .".split()
    (scores,) = score_words(lm, [words])
    expected = [ndd(lm, words, edit(words, i, "delete"), [Edit(i, i + 1)]).value for i in range(len(words))]
    assert scores["ndd delete"] == pytest.approx(expected, abs=1e-5)
    assert scores["ppl delete"][0] == pytest.approx(pseudo_perplexity(lm, [words[1:]])[0], rel=1e-4)


def test_equals_the_plain_definition(tiny_lm, plain_bert):
    words = "the man sat on a mat .".split()
    (scores,) = score_words(tiny_lm, [words])
    for edition, new in {"delete": [], "mask": ["[MASK]"], "word": ["a"]}.items():
        expected = [reference_ndd(*plain_bert, words, i, i + 1, new) for i in range(len(words))]
        assert scores[f"ndd {edition}"] == pytest.approx(expected, abs=1e-5)
        assert max(expected) > 0.01
    # a word replaced by itself disturbs nothing
    assert [i for i, score in enumerate(scores["ndd word"]) if score == 0] == [words.index("a")]


@pytest.mark.parametrize("mask", ["word", "pieces"])
@pytest.mark.parametrize("direction", ["edited||original", "jensen-shannon"])
def test_equals_one_edit_at_a_time(tiny_model, mask, direction):
    lm = MaskedLM(str(tiny_model("bert")), mask=mask)
    how = NDDSettings(weights="balanced", mu=0.7, nu=0.9, direction=direction)
    for words, scores in zip([SENTENCE, SHORT], score_words(lm, [SENTENCE, SHORT], EditSettings(ndd=how))):
        for edition in ("delete", "mask", "word"):
            expected = [ndd(lm, words, edit(words, i, edition), settings=how).value for i in range(len(words))]
            assert scores[f"ndd {edition}"] == pytest.approx(expected, abs=1e-5)
        expected = pseudo_perplexity(lm, [edit(words, i, "delete") for i in range(len(words))])
        assert scores["ppl delete"] == pytest.approx(expected, rel=1e-4)


def test_perplexity_of_a_text_with_a_mask_leaves_the_mask_out(tiny_lm):
    (scores,) = score_words(tiny_lm, [SENTENCE])
    for i in range(len(SENTENCE)):
        encoded, total, count = tiny_lm.encode(edit(SENTENCE, i, "mask")), 0.0, 0
        for k in set(range(len(SENTENCE))) - {i}:
            start, stop = encoded.spans[k]
            (rows,) = tiny_lm.log_probabilities([tiny_lm.request(encoded, k, mask="pieces")])
            total += float(rows[range(stop - start), list(encoded.input_ids[start:stop])].sum())
            count += stop - start
        assert scores["ppl mask"][i] == pytest.approx(math.exp(-total / count), rel=1e-4)


def test_batches_windows_and_neighbouring_sentences_change_nothing(tiny_model, monkeypatch):
    sentences = [SENTENCE, SHORT, "he is in the rain".split(), SENTENCE[::-1]]
    expected = [score_words(MaskedLM(str(tiny_model("bert"))), [words])[0] for words in sentences]
    for budget, at_once in ((1, 1), (100_000, 3)):
        monkeypatch.setattr("nbhelpers.studies.ndd.together._SENTENCES_AT_ONCE", at_once)
        lm = MaskedLM(str(tiny_model("bert")), batch_tokens=budget, cache_words=2)
        for found, wanted in zip(score_words(lm, sentences), expected):
            for key in ROWS.values():
                assert found[key] == pytest.approx(wanted[key], rel=1e-4, abs=1e-5)


def test_texts_that_edits_share_are_sent_once(tiny_model):
    words = "the man sat on mat .".split()
    lm, n = MaskedLM(str(tiny_model("bert"))), len(words)
    score_words(lm, [words], EditSettings(perplexity=False))
    # the sentence n; each pair of masks once; deleting a word and masking the next, or the other way round
    assert lm.forward_requests == n + n * (n - 1) // 2 + (n * (n - 1) - (n - 1)) + n * (n - 1)
    sent = lm.forward_requests
    score_words(lm, [words])
    assert lm.forward_requests - sent <= sent  # no further text for perplexity where words are single pieces


def test_one_word_and_long_sentences(tiny_lm):
    one, two = score_words(tiny_lm, [["snow"], SHORT])
    assert one == {"skipped": "one word"}
    assert two["skipped"] is None and min(two["ndd delete"] + two["ndd mask"]) > 0


def test_a_text_that_is_too_long_only_by_itself_is_skipped_too(tiny_model):
    # Without "a" the sentence begins with "walking", which has two more pieces there than after a space.
    lm = MaskedLM(str(tiny_model("roberta")))
    words = ["a", "walking"] + ["on"] * 36
    assert len(lm.encode(words).input_ids) == lm.longest == 40
    assert [s["skipped"] for s in score_words(lm, [words, "the man sat".split()])] == ["too long", None]
    assert score_words(lm, [words], EditSettings(perplexity=False))[0]["skipped"] is None


@pytest.mark.parametrize(
    "words, settings",
    [("a string", {}), ([], {}), (["a", ""], {})]
    + [(SHORT, bad) for bad in ({"replacement": " "}, {"replacement": "two words"})],
)
def test_refuses_sentences_and_settings(tiny_lm, words, settings):
    with pytest.raises(InputError, match="one word|Word 0" if settings else "Sentence 1"):
        score_words(tiny_lm, [SHORT, words], EditSettings(**settings))


def test_signature_tells_what_changes_a_score(tiny_lm):
    changes = ({}, {"replacement": "that"}, {"perplexity": False}, {"ndd": NDDSettings(mu=0.5)})
    signatures = {predicates.scores_signature(tiny_lm, EditSettings(**change)) for change in changes}
    assert len(signatures) == len(changes)


# Ensemble ---------------------------------------------------------------------------------------------------


def test_normalisations_by_hand():
    assert predicates.normalise([1, 3, 0]).tolist() == [0.25, 0.75, 0]
    assert predicates.normalise([0, 0]).tolist() == [0.5, 0.5]
    assert predicates.normalise([0, math.log(3)], "softmax") == pytest.approx([0.25, 0.75])
    assert predicates.normalise([5, 1, 5, 0], "rank").tolist() == [0.75, 0.375, 0.75, 0.125]
    assert predicates.normalise([5, 1], "none").tolist() == [5, 1]


def test_ensemble_by_hand():
    editions = [[1, 3], [2, 2], [4, 1]]
    assert ensemble(editions) == pytest.approx([1 / 4 * 1 / 2 * 4 / 5, 3 / 4 * 1 / 2 * 1 / 5])
    assert ensemble(editions, "none") == pytest.approx([8, 6])
    assert ensemble([[0, 1], [1, 1]]).tolist() == [0, 0.5]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*[st.floats(0.01, 50)] * 3), min_size=1, max_size=12))
def test_shares_and_plain_products_rank_alike(columns):
    editions = list(zip(*columns))
    shares, product = ensemble(editions), ensemble(editions, "none")
    assert shares / shares.sum() == pytest.approx(product / product.sum())


# Measures ---------------------------------------------------------------------------------------------------


def test_measures_by_hand():
    # ranking 1: + - + -, precisions 1 and 2/3, one of four (positive, negative) pairs in the wrong order
    # ranking 2: - + , precision 1/2, the only pair in the wrong order
    ranking = evaluate([[1, 0, 0, 1], [0, 1]], [[0.9, 0.1, 0.5, 0.3], [2, 1]])
    assert ranking.average_precisions == pytest.approx((5 / 6, 1 / 2))
    assert ranking.areas == pytest.approx((3 / 4, 0))
    assert float(ranking.mean_average_precision) == pytest.approx(2 / 3)
    assert float(ranking.mean_auc) == pytest.approx(3 / 8)
    # pooled: 2- 1+ .9+ .5- .3+ .1-
    assert float(ranking.pooled_average_precision) == pytest.approx((1 / 2 + 2 / 3 + 3 / 5) / 3)
    assert float(ranking.pooled_auc) == pytest.approx((2 + 2 + 1) / 9)
    assert (ranking.words, ranking.predicates) == (6, 3)


def test_sentences_left_out_are_counted():
    labels = [[1, 0], [0, 0, 0], [1, 1], [0, 1], [1, 0]]
    ranking = evaluate(labels, [[2, 1], [9, 9, 9], [0, 0], [1, 2], None])
    assert ranking.mean_average_precision.value == ranking.mean_auc.value == 1
    assert ranking.mean_auc.n == 2 and ranking.pooled_auc.n == 4
    assert (ranking.without_predicate, ranking.only_predicates, ranking.skipped) == (1, 1, 1)
    assert ranking.pooled_auc.value < 1 and (ranking.words, ranking.predicates) == (9, 4)


rankings = st.lists(
    st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=1, max_size=8), min_size=3, max_size=8
)


@settings(max_examples=60, deadline=None)
@given(rankings)
def test_measures_equal_the_library_with_ties(pairs):
    labels = [[mark for mark, _ in pair] for pair in pairs]
    scores = [[score for _, score in pair] for pair in pairs]
    usable = [i for i, marks in enumerate(labels) if any(marks) and not all(marks)]
    if len(usable) < 2:
        with pytest.raises(InputError, match="2 are needed"):
            evaluate(labels, scores)
        return
    found = evaluate(labels, scores, resamples=100)
    assert found.average_precisions == pytest.approx([average_precision(labels[i], scores[i]) for i in usable])
    assert found.areas == pytest.approx([roc_auc(labels[i], scores[i]) for i in usable])
    truth, ranking = sum(labels, []), sum(scores, [])
    assert found.pooled_average_precision.value == pytest.approx(average_precision(truth, ranking))
    assert found.pooled_auc.value == pytest.approx(roc_auc(truth, ranking))


def test_pooled_interval_draws_whole_sentences():
    rng = np.random.default_rng(1)
    labels = rng.random((12, 6)) < 0.4
    scores = rng.random((12, 6)) + labels / 4
    found = evaluate(labels, scores, resamples=300, seed=5).pooled_auc
    draws = np.random.default_rng(5).integers(0, 12, (300, 12))
    plain = [roc_auc(labels[drawn].ravel(), scores[drawn].ravel()) for drawn in draws]
    assert (found.low, found.high) == pytest.approx(np.quantile(plain, [0.025, 0.975]), abs=0.02)
    assert found.low < found.value < found.high


PAIR = [[1, 0], [1, 0]]


@pytest.mark.parametrize(
    "function, arguments, message",
    [
        (evaluate, (PAIR, PAIR[:1]), "2 sentences and scores for 1"),
        (evaluate, (PAIR, [[1, 0], [1, 0, 0]]), "Sentence 1 has 2 labels and 3 scores"),
        (evaluate, (PAIR, [[1, 0], [math.nan, 0]]), "finite"),
        (evaluate, ([[1, 0], [1, 1]], PAIR), "1 of 2"),
        (ensemble, ([],), "one or more score lists"),
        (ensemble, ([[1, 2], [1]],), "one or more score lists"),
        (ensemble, ([[1, -1]],), "at least 0"),
        (predicates.normalise, ([1], "sum"), "share, softmax"),
        (
            predicates.verb_scores,
            (Sentence("b", "", (Token(1, "He", "_", "_", "_", None, "_"),)),),
            "b has no parts of speech",
        ),
        (evaluate_methods, ([sentence("snow/NOUN")], []), "1 sentences and scores for 0"),
        (evaluate_methods, ([sentence("snow/NOUN")], [{"skipped": "one word"}]), "None of 1"),
    ],
)
def test_measures_refuse(function, arguments, message):
    with pytest.raises(InputError, match=message):
        function(*arguments)


# Table ------------------------------------------------------------------------------------------------------

SENTENCES = [
    sentence("the/DET man/NOUN sat/VERB! on/ADP a/DET cold/ADJ mat/NOUN ./PUNCT"),
    sentence("he/PRON is/AUX walking/VERB! in/ADP rain/NOUN! ,/PUNCT"),
    sentence("snow/NOUN"),
    sentence("the/DET cat/NOUN ran/VERB! ./PUNCT"),
]


def test_table_has_all_rows_and_counts(tiny_lm):
    scores = score_words(tiny_lm, [s.words for s in SENTENCES])
    json.dumps(scores, allow_nan=False)
    table = evaluate_methods(SENTENCES, scores, resamples=100)
    assert list(table) == [*list(ROWS), "NDD-based Ensemble", "Random", "Word position", "Is a verb"]
    for ranking in table.values():
        assert (ranking.words, ranking.predicates, ranking.skipped) == (18, 4, 1)
        assert ranking.mean_average_precision.n == 3
    assert table["Is a verb"].mean_average_precision.value < 1  # the noun that is a predicate
    verbal = evaluate_methods(SENTENCES, scores, resamples=100, verbal_only=True, punctuation=False)
    assert verbal["Is a verb"].mean_average_precision.value == verbal["Is a verb"].pooled_auc.value == 1
    assert (verbal["Random"].words, verbal["Random"].predicates) == (15, 3)


def test_table_rows_are_the_scores(tiny_lm):
    words = [SENTENCES[0].words]
    (scores,), (without,) = score_words(tiny_lm, words), score_words(tiny_lm, words, EditSettings(perplexity=False))
    rows = predicates.method_scores(SENTENCES[0], scores)
    assert all(rows[name].tolist() == scores[key] for name, key in ROWS.items())
    product = ensemble([scores["ndd delete"], scores["ndd mask"], scores["ndd word"]])
    assert rows["NDD-based Ensemble"] == pytest.approx(product)
    assert rows["Word position"].tolist() == [0, -1, -2, -3, -4, -5, -6, -7]
    assert rows["Is a verb"].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    fewer = predicates.method_scores(SENTENCES[0], without, verbs=None)
    assert list(fewer) == [*list(ROWS)[:3], "NDD-based Ensemble", "Random", "Word position"]


def test_published_rows_have_the_same_names():
    assert set(published.table("ndd/table7")["row"]) == {*ROWS, "NDD-based Ensemble"}


def test_verbs_by_column_and_by_tagger():
    assert predicates.verb_scores(SENTENCES[1]) == [0, 0, 1, 0, 0, 0]
    penn = Sentence("p", "", (Token(1, "He", "_", "_", "PRP", None, "_"), Token(2, "ran", "_", "_", "VBD", None, "_")))
    assert predicates.verb_scores(penn) == [0, 1]
    assert predicates.verb_scores(penn, lambda words: ["VERB" if word == "He" else "X" for word in words]) == [1, 0]
