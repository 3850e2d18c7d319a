"""Predicate detection against plain slow loops, worked examples and the measures of scikit-learn."""

import itertools
import math

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_ndd import reference_ndd
from refused import refused

from nbhelpers.base.stats import average_precision
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import Edit, ndd, pseudo_perplexity
from nbhelpers.resources.treebank import Sentence, Token
from nbhelpers.results import published
from nbhelpers.results.estimates import estimate
from nbhelpers.studies.ndd import detection, predicates, predicates_evidence
from nbhelpers.studies.ndd.predicates import ROWS, EditSettings, ensemble, score_words

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
def test_equals_one_edit_at_a_time(tiny_model, mask):
    lm = MaskedLM(str(tiny_model("bert")), mask=mask)
    for words, scores in zip([SENTENCE, SHORT], score_words(lm, [SENTENCE, SHORT])):
        for edition in ("delete", "mask", "word"):
            expected = [ndd(lm, words, edit(words, i, edition)).value for i in range(len(words))]
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


test_sentences_and_settings_are_checked = refused(
    *((lambda lm, words=words: score_words(lm, [SHORT, words]), "Sentence 1") for words in ("a string", [], ["a", ""])),
    (lambda lm: score_words(lm, [SHORT], EditSettings(replacement=" ")), "one word|Word 0"),
    (lambda lm: score_words(lm, [SHORT], EditSettings(replacement="two words")), "one word|Word 0"),
    given="tiny_lm",
)


def test_signature_tells_what_changes_a_score(tiny_lm):
    changes = ({}, {"replacement": "that"}, {"perplexity": False})
    signatures = {predicates.scores_signature(tiny_lm, EditSettings(**change)) for change in changes}
    assert len(signatures) == len(changes)


# Rankings ---------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=4))
def test_average_precision_is_the_mean_over_the_orders_of_ties(words):
    labels, scores = [label for label, _ in words], [score for _, score in words]
    if any(labels):
        orders = [np.argsort(order) / 10 for order in itertools.permutations(range(len(words)))]
        every = [average_precision(labels, np.array(scores) + order) for order in orders]
        assert predicates.average_precision(labels, scores) == pytest.approx(np.mean(every))


SENTENCES = [
    sentence("the/DET man/NOUN sat/VERB! on/ADP a/DET cold/ADJ mat/NOUN ./PUNCT"),
    sentence("he/PRON is/AUX walking/VERB! in/ADP rain/NOUN! ,/PUNCT"),
    sentence("snow/NOUN"),
    sentence("the/DET cat/NOUN ran/VERB! ./PUNCT"),
]
TAGS = [[token.upos for token in s.tokens] for s in SENTENCES]


@pytest.fixture(scope="module")
def items(tiny_model):
    class Tagger:
        def tag(self, sentences):
            known = {"VERB": "VBD", "NOUN": "NN"}
            by_words = {tuple(s.words): [known.get(token.upos, "DT") for token in s.tokens] for s in SENTENCES}
            return [by_words[tuple(words)] for words in sentences]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(predicates_evidence, "load_english", Tagger)
        patch.setattr(predicates, "search", lambda many, **_: score_words(lm, [s.words for s in many]))
        lm = MaskedLM(str(tiny_model("bert")))
        sets = {"X": dict(zip((5, 2, 9, 1), SENTENCES)), "Y": {3: SENTENCES[0], 4: SENTENCES[1]}}
        return predicates_evidence.run(sets)


def test_items_are_the_words(items):
    assert len(items) == 8 + 6 + 4 + 8 + 6  # a sentence of one word has no neighbours
    first = items[(items["data"] == "X") & (items["sentence"] == 2)]
    assert first["predicate"].tolist() == [0, 0, 1, 0, 1, 0] and first["verbal"].tolist() == [0, 0, 1, 0, 0, 0]
    assert first["letters"].tolist() == [1, 1, 1, 1, 1, 0] and set(first["words"]) == {6}
    assert first["tag"].tolist() == TAGS[1] and first["predicted"].tolist()[2:5] == ["VERB", "DET", "NOUN"]


def test_methods_are_the_scores(items):
    words = items[(items["data"] == "X") & (items["sentence"] == 5)]
    rows = detection.method_scores(words)
    for name, key in ROWS.items():
        assert rows[name].tolist() == words[key.replace(" ", "_")].tolist()
    assert rows["PPL-based Delete, lower first"].tolist() == [-score for score in words["ppl_delete"]]
    product = ensemble([words["ndd_delete"], words["ndd_mask"], words["ndd_word"]])
    assert rows["NDD-based Ensemble"] == pytest.approx(product)
    assert rows["Word position"].tolist() == [0, -1, -2, -3, -4, -5, -6, -7]
    for by in ("Tagger", "Treebank"):
        assert rows[f"{by}'s verbs"].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert rows["Tagger's verbs, then nouns"].tolist() == [0, 1, 2, 0, 0, 0, 1, 0]
    ties = rows["Tagger's verbs, ties by NDD"]
    assert int(np.argmax(ties)) == 2 and len(set(ties)) == 8
    assert not any(name.startswith("Tagger") for name in detection.method_scores(words.assign(predicted="")))


def test_table_by_hand(items):
    found = detection.summary(items, resamples=100)
    value = found.set_index(["row", "column"])["value"]
    for row in [*published.table("ndd/table7")["row"].unique(), "Word position"]:
        assert set(value[row].index) == {f"{name} {measure}" for name in "XY" for measure in ("mAP", "AUC")}
    assert estimate(found, "Random", "X AUC").n == 3 and estimate(found, "Random", "Y AUC").n == 2
    # a random order: one of 8, two of 6, one of 4 words
    expected = [
        [average_precision([i in some for i in range(n)], range(n)) for some in itertools.combinations(range(n), k)]
        for n, k in ((8, 1), (6, 2), (4, 1))
    ]
    assert value["Random", "X mAP"] == pytest.approx(100 * np.mean([np.mean(each) for each in expected]))
    assert value["Random", "X AUC"] == 50
    verbs = "Treebank's verbs"
    verbal = detection.summary(items, resamples=100, verbal_only=True, methods=[verbs])
    assert value[verbs, "X mAP"] < 100 == verbal["value"].max()


def test_differences_are_paired(items):
    value = detection.summary(items, resamples=100).set_index(["row", "column"])["value"]
    pairs = detection.compared(items, resamples=100)
    for one in pairs.to_dict("records"):
        first, second = one["row"].split(" minus ")
        assert one["value"] == pytest.approx(value[first, one["column"]] - value[second, one["column"]])
        assert one["p"] <= one["q"] <= 1
    assert len(pairs) == 4 * len(detection.COMPARISONS)
    joint = detection.differences(detection.per_sentence(items), detection.OVER_PERPLEXITY)
    leads = pairs[pairs["row"].isin([f"{a} minus {b}" for a, b in detection.OVER_PERPLEXITY])]
    assert sorted(joint.values) == pytest.approx(sorted(leads["value"])) and joint.n == 5
    flat = items.assign(model="flat", ndd_delete=0.5)
    both = detection.models_compared(pandas.concat([items.assign(model="own"), flat]), "own", "flat", resamples=100)
    assert estimate(both, "PPL-based Delete", "X mAP").value == 0
    assert estimate(both, "NDD-based Delete", "X AUC").value == pytest.approx(value["NDD-based Delete", "X AUC"] - 50)


def test_kinds_of_words_and_other_choices(items):
    kinds = detection.by_part_of_speech(items[items["data"] == "X"], least=2, resamples=100)
    verbs = kinds[kinds["row"] == "VERB"]
    assert set(verbs["words"]) == {3} and set(verbs["predicates"]) == {1.0} and verbs["value"].between(0, 100).all()
    choices = detection.by_choice(items.assign(model="m"), resamples=100)
    assert {"NDD-based Ensemble, without punctuation", "Tagger's verbs, pooled"} <= set(choices["row"])
    man = items.assign(predicate=items["place"] == 1)  # before the other noun of its sentence, but not before "the"
    nouns = detection.per_sentence(man, methods=["Word position"], only="NOUN")
    assert nouns["sentence"].tolist() == [5, 3] and nouns["AUC"].tolist() == [100, 100]
    sat = items.assign(auxiliary=items["place"] == 2)  # the verb of each sentence
    bare = detection.per_sentence(sat, methods=["Treebank's verbs"], auxiliaries=False)
    assert bare["sentence"].tolist() == [2, 4] and bare["mAP"].between(0, 100, inclusive="left").all()
    assert detection.above_marks(detection.per_sentence(items)).n == 5


def test_pooled_words_are_one_ranking(items):
    some = items.iloc[:6].assign(sentence=[0, 0, 0, 0, 1, 1], predicate=[1, 0, 0, 1, 0, 1])
    some = some.assign(ndd_delete=[0.9, 0.1, 0.5, 0.3, 2.0, 1.0])
    found = detection.pooled(some, ["NDD-based Delete"], resamples=100)
    precision, area = (value for *_, value in found)  # 2- 1+ .9+ .5- .3+ .1-
    assert precision.value == pytest.approx(100 * (1 / 2 + 2 / 3 + 3 / 5) / 3) and area.value == pytest.approx(500 / 9)


test_bad_scores = refused(
    (lambda items: predicates_evidence.run({"X": {}}), "no sentence could be scored"),
    (lambda items: detection.summary(items[items["sentence"] == 5]), "X: fewer than 2 sentences"),
    given="items",
)
