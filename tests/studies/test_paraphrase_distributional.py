"""Paraphrases by distributional similarity: pairs from trees and windows, SMART weights, neighbours."""

from collections import Counter
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.metrics.paraphrase import tables
from nbhelpers.metrics.paraphrase.tokens import tokenize
from nbhelpers.resources import data
from nbhelpers.resources.treebank import read_conllu
from nbhelpers.studies.paraphrase import distributional

# ------------------------------------------------------------------------------------------------ dependency trees


def tree(path, rows):
    """The sentence of a CoNLL-U file; rows are form, lemma, UPOS, head, relation, between semicolons."""
    lines = [
        f"{i}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{relation}\t_\t_"
        for i, (form, lemma, upos, head, relation) in enumerate((row.split() for row in rows.split(";")), start=1)
    ]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return read_conllu(path)[0]


COUNCIL = (
    "The the DET 4 det; old old ADJ 4 amod; town town NOUN 4 compound; Council council NOUN 5 nsubj; "
    "closed close VERB 0 root; the the DET 7 det; pool pool NOUN 5 obj; that that PRON 10 obj; "
    "people people NOUN 10 nsubj; loved love VERB 7 acl:relcl; . . PUNCT 5 punct"
)


def test_pairs_of_a_tree_by_hand(tmp_path):
    sentence = tree(tmp_path / "t.conllu", COUNCIL)
    joined = [("council", "closed"), ("pool", "closed"), ("pool", "loved"), ("people", "loved")]
    lemmas = {"closed": "close", "loved": "love"}
    expected = Counter()
    for noun, verb in joined:
        phrase = ("old", "town", "council") if noun == "council" else (noun,)
        context = f"dep:{lemmas[verb]}"
        expected.update([("noun", (noun,), context), ("phrase", phrase, context), ("verb", (verb,), f"dep:{noun}")])
    assert Counter(distributional.dependency_pairs(sentence)) == expected
    with mock.patch.object(distributional, "LONGEST_PHRASE", 2):
        short = Counter(kind for kind, *_ in distributional.dependency_pairs(sentence))
    assert short == {"noun": 4, "phrase": 3, "verb": 4}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (  # a phrase is an unbroken run around its noun
            "He he PRON 2 nsubj; left leave VERB 0 root; big big ADJ 8 amod; , , PUNCT 8 punct; "
            "long long ADJ 7 amod; - - PUNCT 7 punct; term term NOUN 8 compound; plans plan NOUN 2 obj",
            {("noun", "plans", "leave"), ("phrase", "long term plans", "leave"), ("verb", "left", "plan")},
        ),
        (  # a verb inside the phrase is no context
            "They they PRON 2 nsubj; studied study VERB 0 root; frozen freeze VERB 4 amod; soil soil NOUN 2 obj",
            {("noun", "soil", "study"), ("phrase", "frozen soil", "study"), ("verb", "studied", "soil")},
        ),
        (  # general words are no paraphrases, and forms stand in for lemmas
            "Dogs _ NOUN 2 nsubj; have have VERB 0 root",
            {("noun", "dogs", "have"), ("phrase", "dogs", "have")},
        ),
        (
            "市 市 NOUN 2 compound; 議会 議会 NOUN 4 nsubj; が が ADP 2 case; 変え 変える VERB 0 root; た た AUX 4 aux",
            {("noun", "議会", "変える"), ("phrase", "市議会", "変える"), ("verb", "変え", "議会")},
        ),
    ],
)
def test_pairs_of_a_tree(tmp_path, rows, expected):
    found = set(distributional.dependency_pairs(tree(tmp_path / "t.conllu", rows), "en" if rows.isascii() else "ja"))
    assert found == {(kind, tuple(x.split()), f"dep:{context}") for kind, x, context in expected}


# --------------------------------------------------------------------------------------------------------- windows


def test_a_window_by_hand(monkeypatch):
    sentence = [
        ("the", "DET", None),
        ("old", "ADJ", None),
        ("council", "NOUN", "council"),
        ("quickly", "ADV", None),
        ("closed", "VERB", "close"),
        ("pools", "NOUN", "pool"),
    ]
    monkeypatch.setattr(distributional, "WINDOW", 2)
    assert sorted(distributional.window_pairs(sentence)) == [
        ("noun", ("council",), ["win:close"]),
        ("noun", ("pools",), ["win:close"]),
        ("phrase", ("old", "council"), ["win:close"]),
        ("phrase", ("pools",), ["win:close"]),
        ("verb", ("closed",), ["win:council", "win:pool"]),
    ]
    monkeypatch.setattr(distributional, "LONGEST_PHRASE", 1)
    assert ("old", "council") not in [expression for _, expression, _ in distributional.window_pairs(sentence)]
    monkeypatch.setattr(distributional, "WINDOW", 1)
    assert ("verb", ("closed",), ["win:pool"]) in list(distributional.window_pairs(sentence))


def test_frequent_expressions(taken):
    occurrences = [(("b",), "xyx"), (("a",), "x"), (("c",), ""), (("a",), "x")]
    for least, expected in (((1, 1), ["a", "b"]), ((2, 1), ["a"]), ((1, 2), ["b"]), ((3, 1), [])):
        taken(*least)
        names, matrix = distributional.frequent(occurrences)
        assert names == [(word,) for word in expected] and matrix.shape[0] == len(names)
        assert least != (1, 1) or matrix.toarray().tolist() == [[2, 0], [2, 1]]


def test_words_of_texts():
    (sentence,) = distributional.read_words(["The companies’ long-term plans have failed!"], "en")
    assert tuple(word for word, *_ in sentence) == tokenize("The companies' long-term plans have failed!", "en")
    contexts = {word: context for word, _, context in sentence}
    assert contexts["companies"] == "compani" and contexts["failed"] == "fail"  # Snowball's stems
    assert contexts["have"] is None and contexts["the"] is None
    first, second = distributional.read_words(["市議会が法律を変えた。彼は走っている。"], "ja")
    assert tuple(word for word, *_ in [*first, *second]) == tokenize("市議会が法律を変えた。彼は走っている。", "ja")
    assert ("変え", "VERB", "変える") in first and ("走っ", "VERB", "走る") in second
    assert all(context != "いる" for *_, context in second)


# ------------------------------------------------------------------------------------------- weights, neighbours


def test_smart_weights_are_those_of_scikit_learn():
    from sklearn.feature_extraction.text import TfidfTransformer

    counts = csr_array(np.random.default_rng(0).integers(0, 4, (30, 12)) * 1.0)
    counts.eliminate_zeros()
    reference = TfidfTransformer(norm="l2", use_idf=True, smooth_idf=False, sublinear_tf=True).fit(counts)
    # scikit-learn adds 1 to ln(N / n); without it the weights are SMART's.
    vectors = counts.toarray()
    sublinear = np.where(vectors > 0, 1 + np.log(np.maximum(vectors, 1)), 0) * (reference.idf_ - 1)
    sublinear /= np.linalg.norm(sublinear, axis=1, keepdims=True)
    assert np.allclose(distributional.smart_weights(counts).toarray(), sublinear)


ROWS = st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=8)


@given(ROWS, st.integers(1, 5), st.booleans(), st.sampled_from([1, 10**6]))
def test_neighbours_equal_the_plain_loop(rows, most, with_phrase, at_once):
    words = [(f"w{i}",) if i % 3 else (f"w{i}", "x") for i in range(len(rows))]
    counts = csr_array(np.array(rows, float).reshape(len(rows), 4))
    counts.eliminate_zeros()
    with mock.patch.object(tables, "PRODUCTS_AT_ONCE", at_once), mock.patch.object(distributional, "NEIGHBOURS", most):
        found = distributional.neighbours(words, counts, with_phrase=with_phrase)
    vectors = distributional.smart_weights(counts).toarray()
    expected = {}
    for i, x in enumerate(words):
        scored = [(-round(float(vectors[i] @ vectors[j]), 12), y) for j, y in enumerate(words) if i != j]
        scored = [(s, y) for s, y in scored if s and (not with_phrase or len(x) + len(y) > 2)]
        if scored:
            expected[x] = {y: pytest.approx(-s) for s, y in sorted(scored)[:most]}
    assert found == expected
    assert {x: list(targets) for x, targets in found.items()} == {x: list(targets) for x, targets in expected.items()}


# --------------------------------------------------------------------------------------------------- the resource

TEXTS = [
    f"The {a} {v} the {o}."
    for a in ("lawyer", "attorney")
    for v in ("questioned", "defended")
    for o in ("witness", "client")
] + [f"The {b} {v} the {o}." for b in ("baker", "cook") for v in ("ate", "sold") for o in ("bread", "cake")]


@pytest.fixture
def taken(monkeypatch):
    """Says how often an expression and its contexts must occur."""

    def taken(frequency, contexts):
        monkeypatch.setattr(distributional, "LEAST_FREQUENCY", frequency)
        monkeypatch.setattr(distributional, "LEAST_CONTEXTS", contexts)

    return taken


def test_words_of_like_company_are_neighbours(taken):
    taken(2, 1)
    found = distributional.distributional_table("en", texts=TEXTS)
    turned = distributional.distributional_table("en", texts=TEXTS[::-1]).pairs
    assert [(x, *targets.items()) for x, targets in turned.items()] == [
        (x, *targets.items()) for x, targets in found.pairs.items()
    ]
    assert (found.name, found.language) == ("DS", "en")
    assert found.pairs[("lawyer",)][("attorney",)] == pytest.approx(1.0)
    assert found.pairs[("ate",)][("sold",)] == pytest.approx(1.0)
    assert ("baker",) not in found.pairs[("lawyer",)]


def test_trees_and_texts_together(tmp_path, taken):
    council = tmp_path / "council.conllu"
    taken(1, 1)
    tree(council, COUNCIL)
    found = distributional.distributional_table("en", [council], TEXTS)
    assert found.signature.startswith("ds|en:text:shipped@") and found.signature.endswith(
        "|ds(weighting:ltc,neighbours:20,minimum_frequency:1,minimum_contexts:1,minimum_similarity:0.0,window:5,"
        "noun_phrases:True,longest_phrase:4)"
    )
    near = (("council",), ("people",), ("old", "town", "council"))
    assert found.pairs[("pool",)] == {x: pytest.approx(2**-0.5) for x in near}


def test_japanese_texts(taken):
    taken(2, 1)
    texts = [f"{n}が{o}を{v}。" for n in ("教師", "先生") for o in ("生徒", "学生") for v in ("教えた", "褒めた")]
    texts += [f"{n}が{o}を{v}。" for n in ("漁師", "農家") for o in ("魚", "野菜") for v in ("売った", "運んだ")]
    found = distributional.distributional_table("ja", texts=texts)
    assert found.pairs[("教師",)][("先生",)] == pytest.approx(1.0)
    assert found.pairs[("教え",)][("褒め",)] == pytest.approx(1.0)
    assert "sudachi" in found.signature


def test_bad_sources(tmp_path):
    resource, broken = distributional.distributional_table, tmp_path / "broken.conllu"
    broken.write_text("1\tDogs\tdog\n\n")
    for arguments, error in (
        (dict(language="de"), InputError),
        (dict(language="en", texts="one text"), InputError),
        (dict(language="en", parsed=[tmp_path / "none.conllu"]), FileNotFoundError),
        (dict(language="en", parsed=[broken]), DataFormatError),
    ):
        with pytest.raises(error):
            resource(**arguments)


def test_sources_without_any_data(nothing_at_hand):
    parsed, texts = distributional.default_sources("en")
    assert parsed == [paths.data_dir() / "corpus" / "treebank-en.conllu"] and len(texts) == 300
    assert "ud-english-ewt-train-shipped" in data.stand_ins()
    with pytest.raises(ResourceNotFoundError, match="No Japanese text"):
        distributional.default_sources("ja")
