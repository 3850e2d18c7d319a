"""Paraphrases by distributional similarity: pairs from trees and windows, SMART weights, neighbours."""

import math
import os
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.resources.treebank import read_conllu
from nbhelpers.studies.paraphrase import cooccurrence, distributional
from nbhelpers.studies.paraphrase.cooccurrence import Counts, add_window_pairs, dependency_pairs, read_words
from nbhelpers.studies.paraphrase.distributional import DistributionalSettings, neighbours, smart_weights
from nbhelpers.studies.paraphrase.tokens import tokenize

ALL = dict(minimum_frequency=1, minimum_contexts=1)

# ------------------------------------------------------------------------------------------------ dependency trees


def tree(path, *rows):
    """A CoNLL-U file of one sentence; a row is form, lemma, UPOS, head, relation."""
    lines = [
        f"{i}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{relation}\t_\t_"
        for i, (form, lemma, upos, head, relation) in enumerate(rows, start=1)
    ]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path


@pytest.fixture
def council(tmp_path):
    """The old town council closed the pool that people loved."""
    return tree(
        tmp_path / "council.conllu",
        ("The", "the", "DET", 4, "det"),
        ("old", "old", "ADJ", 4, "amod"),
        ("town", "town", "NOUN", 4, "compound"),
        ("Council", "council", "NOUN", 5, "nsubj"),
        ("closed", "close", "VERB", 0, "root"),
        ("the", "the", "DET", 7, "det"),
        ("pool", "pool", "NOUN", 5, "obj"),
        ("that", "that", "PRON", 10, "obj"),
        ("people", "people", "NOUN", 10, "nsubj"),
        ("loved", "love", "VERB", 7, "acl:relcl"),
        (".", ".", "PUNCT", 5, "punct"),
    )


def test_pairs_of_a_tree_by_hand(council):
    (sentence,) = read_conllu(council)
    assert Counter(dependency_pairs(sentence)) == Counter(
        [
            ("noun", ("council",), "dep:close"),
            ("phrase", ("old", "town", "council"), "dep:close"),
            ("verb", ("closed",), "dep:council"),
            ("noun", ("pool",), "dep:close"),
            ("phrase", ("pool",), "dep:close"),
            ("verb", ("closed",), "dep:pool"),
            ("noun", ("pool",), "dep:love"),
            ("phrase", ("pool",), "dep:love"),
            ("verb", ("loved",), "dep:pool"),
            ("noun", ("people",), "dep:love"),
            ("phrase", ("people",), "dep:love"),
            ("verb", ("loved",), "dep:people"),
        ]
    )
    short = Counter(kind for kind, *_ in dependency_pairs(sentence, longest_phrase=2))
    assert short == {"noun": 4, "phrase": 3, "verb": 4}


def test_a_phrase_is_an_unbroken_run_around_its_noun(tmp_path):
    path = tree(
        tmp_path / "t.conllu",
        ("He", "he", "PRON", 2, "nsubj"),
        ("left", "leave", "VERB", 0, "root"),
        ("big", "big", "ADJ", 8, "amod"),
        (",", ",", "PUNCT", 8, "punct"),
        ("long", "long", "ADJ", 7, "amod"),
        ("-", "-", "PUNCT", 7, "punct"),
        ("term", "term", "NOUN", 8, "compound"),
        ("plans", "plan", "NOUN", 2, "obj"),
    )
    (sentence,) = read_conllu(path)
    found = [expression for kind, expression, _ in dependency_pairs(sentence) if kind == "phrase"]
    assert found == [("long", "term", "plans")] and found[0] == tokenize("long-term plans", "en")


def test_a_verb_inside_the_phrase_is_no_context(tmp_path):
    path = tree(
        tmp_path / "t.conllu",
        ("They", "they", "PRON", 2, "nsubj"),
        ("studied", "study", "VERB", 0, "root"),
        ("frozen", "freeze", "VERB", 4, "amod"),
        ("soil", "soil", "NOUN", 2, "obj"),
    )
    (sentence,) = read_conllu(path)
    assert set(dependency_pairs(sentence)) == {
        ("noun", ("soil",), "dep:study"),
        ("phrase", ("frozen", "soil"), "dep:study"),
        ("verb", ("studied",), "dep:soil"),
    }


def test_general_words_are_no_paraphrases_and_forms_stand_in_for_lemmas(tmp_path):
    path = tree(
        tmp_path / "t.conllu",
        ("Dogs", "_", "NOUN", 2, "nsubj"),
        ("have", "have", "VERB", 0, "root"),
        ("owners", "owner", "NOUN", 2, "obj"),
    )
    (sentence,) = read_conllu(path)
    assert set(dependency_pairs(sentence)) == {
        (kind, (noun,), "dep:have") for kind in ("noun", "phrase") for noun in ("dogs", "owners")
    }


def test_japanese_trees(tmp_path):
    path = tree(
        tmp_path / "t.conllu",
        ("市", "市", "NOUN", 2, "compound"),
        ("議会", "議会", "NOUN", 6, "nsubj"),
        ("が", "が", "ADP", 2, "case"),
        ("法律", "法律", "NOUN", 6, "obj"),
        ("を", "を", "ADP", 4, "case"),
        ("変え", "変える", "VERB", 0, "root"),
        ("た", "た", "AUX", 6, "aux"),
    )
    (sentence,) = read_conllu(path)
    found = set(dependency_pairs(sentence, "ja"))
    assert ("noun", ("議会",), "dep:変える") in found and ("verb", ("変え",), "dep:法律") in found
    assert ("phrase", tokenize("市議会", "ja"), "dep:変える") in found


def test_a_sentence_without_a_tree_is_refused(tmp_path):
    path = tmp_path / "t.conllu"
    path.write_text("1\tDogs\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n\n")
    with pytest.raises(InputError, match="no dependency tree"):
        list(dependency_pairs(read_conllu(path, require_tree=False)[0]))
    with pytest.raises(DataFormatError):
        distributional.distributional_resource("en", [path])


# --------------------------------------------------------------------------------------------------------- windows


def slow_window_pairs(sentences, window, longest):
    counts = {kind: Counter() for kind in cooccurrence.KINDS}
    for sentence in sentences:
        for kind, first, last in cooccurrence._spans(sentence, longest):
            expression = tuple(word for word, *_ in sentence[first:last])
            wanted = cooccurrence.NOUNS if kind == "verb" else cooccurrence.VERBS
            near = [*sentence[max(0, first - window) : first], *sentence[last : last + window]]
            for _, tag, context in near:
                if context is not None and tag in wanted:
                    counts[kind][expression, f"win:{context}"] += 1
    return counts


def fast_window_pairs(sentences, window, longest):
    tables = {kind: Counts() for kind in cooccurrence.KINDS}
    read = add_window_pairs(sentences, tables, window=window, longest_phrase=longest)
    assert read == (len(sentences), sum(map(len, sentences)))
    result = {}
    for kind, table in tables.items():
        expressions, matrix = table.matrix()
        names = list(table.contexts)
        matrix = matrix.tocoo()
        result[kind] = Counter(
            {(expressions[i], names[j]): int(n) for i, j, n in zip(matrix.row, matrix.col, matrix.data, strict=True)}
        )
    return result


@pytest.mark.parametrize("window, longest", [(1, 1), (2, 4), (5, 2)])
def test_windows_equal_the_plain_loop(window, longest, monkeypatch):
    draw = random.Random(window)
    tags = ["NOUN", "VERB", "ADJ", "DET", "PROPN"]

    def word():
        tag = draw.choice(tags)
        name = f"{tag[0]}{draw.randint(0, 5)}".lower()
        return name, tag, name if tag in ("NOUN", "VERB", "PROPN") and draw.random() < 0.9 else None

    sentences = [[word() for _ in range(draw.randint(0, 12))] for _ in range(80)]
    assert fast_window_pairs(sentences, window, longest) == slow_window_pairs(sentences, window, longest)


def test_a_window_by_hand():
    sentence = [
        ("the", "DET", None),
        ("old", "ADJ", None),
        ("council", "NOUN", "council"),
        ("quickly", "ADV", None),
        ("closed", "VERB", "close"),
        ("pools", "NOUN", "pool"),
    ]
    found = fast_window_pairs([sentence, sentence[4:]], 2, 4)
    assert found["noun"] == {(("council",), "win:close"): 1, (("pools",), "win:close"): 2}
    assert found["phrase"] == {(("old", "council"), "win:close"): 1, (("pools",), "win:close"): 2}
    assert found["verb"] == {(("closed",), "win:council"): 1, (("closed",), "win:pool"): 2}


def test_many_pairs_are_summed_on_the_way(monkeypatch):
    monkeypatch.setattr(cooccurrence, "PAIRS_AT_ONCE", 10_000)
    table = Counts()
    table.add(("a",), "c")
    number, context = table.occurrence(("a",)), table.context("c")
    for _ in range(13):
        table.add_arrays(np.full(1_000, number), np.full(1_000, context))
    assert len(table._pending) == 3  # the sum of eleven and the two since
    assert table.matrix()[1].toarray().tolist() == [[13_001.0]] == table.matrix(2)[1].toarray().tolist()
    assert table.matrix(3)[0] == [] == table.matrix(1, 2)[0]


def test_words_of_texts():
    (sentence,) = read_words(["The companies’ long-term plans have failed!"], "en")
    assert tuple(word for word, *_ in sentence) == tokenize("The companies' long-term plans have failed!", "en")
    contexts = {word: context for word, _, context in sentence}
    assert contexts["companies"] == "compani" and contexts["failed"] == "fail"  # Snowball's stems
    assert contexts["have"] is None and contexts["the"] is None
    first, second = read_words(["市議会が法律を変えた。彼は走っている。"], "ja")
    assert tuple(word for word, *_ in [*first, *second]) == tokenize("市議会が法律を変えた。彼は走っている。", "ja")
    assert ("変え", "VERB", "変える") in first and ("走っ", "VERB", "走る") in second
    assert all(context != "いる" for *_, context in second)


# ------------------------------------------------------------------------------------------- weights, neighbours

HAND = np.array([[1.0, 3, 0], [0, 2, 0], [4, 1, 0], [0, 0, 5]])


def test_smart_weights_by_hand():
    found = smart_weights(csr_array(HAND), "ltn").toarray()
    idf = [math.log(4 / 2), math.log(4 / 3), math.log(4 / 1)]
    expected = [
        [idf[0], (1 + math.log(3)) * idf[1], 0],
        [0, (1 + math.log(2)) * idf[1], 0],
        [(1 + math.log(4)) * idf[0], idf[1], 0],
        [0, 0, (1 + math.log(5)) * idf[2]],
    ]
    assert np.allclose(found, expected)
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(smart_weights(csr_array(HAND), "ltc").toarray(), expected / lengths)
    assert np.allclose(smart_weights(csr_array(HAND), "nnn").toarray(), HAND)
    assert np.allclose(smart_weights(csr_array(HAND), "bnn").toarray(), HAND > 0)


def test_smart_weights_are_those_of_scikit_learn():
    from sklearn.feature_extraction.text import TfidfTransformer

    counts = csr_array(np.random.default_rng(0).integers(0, 4, (30, 12)) * 1.0)
    counts.eliminate_zeros()
    reference = TfidfTransformer(norm="l2", use_idf=True, smooth_idf=False, sublinear_tf=True).fit(counts)
    # scikit-learn adds 1 to ln(N / n); without it the weights are SMART's.
    vectors = counts.toarray()
    sublinear = np.where(vectors > 0, 1 + np.log(np.maximum(vectors, 1)), 0) * (reference.idf_ - 1)
    sublinear /= np.linalg.norm(sublinear, axis=1, keepdims=True)
    assert np.allclose(smart_weights(counts, "ltc").toarray(), sublinear)


def names(size):
    return [(f"w{i:03}",) if i % 3 else (f"w{i:03}", "x") for i in range(size)]


@pytest.mark.parametrize("at_once", [1, 50, 10**6])
@pytest.mark.parametrize("with_phrase", [False, True])
def test_neighbours_equal_the_plain_loop(monkeypatch, at_once, with_phrase):
    monkeypatch.setattr(distributional, "VALUES_AT_ONCE", at_once)
    dense = np.random.default_rng(1).poisson(0.3, (40, 15)).astype(float)
    dense = dense[dense.sum(axis=1) > 0]
    settings = DistributionalSettings(neighbours=4, minimum_similarity=0.1, **ALL)
    words = names(len(dense))
    found = neighbours(words, csr_array(dense), settings, with_phrase=with_phrase)
    vectors = smart_weights(csr_array(dense), "ltc").toarray()
    expected = {}
    for i, x in enumerate(words):
        scored = [(-round(float(vectors[i] @ vectors[j]), 12), y) for j, y in enumerate(words) if i != j]
        scored = [(s, y) for s, y in scored if -s > 0.1 and (not with_phrase or len(x) + len(y) > 2)]
        if scored:
            expected[x] = [y for _, y in sorted(scored)[:4]]
    assert {x: list(targets) for x, targets in found.items()} == expected
    assert all(0.1 < s <= 1 + 1e-9 for targets in found.values() for s in targets.values())


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=8), st.integers(1, 7))
def test_similarity_is_mutual_and_more_neighbours_only_add(rows, most):
    words, counts = names(len(rows)), csr_array(np.array(rows, float))
    counts.eliminate_zeros()
    every = neighbours(words, counts, DistributionalSettings(neighbours=50, **ALL))
    few = neighbours(words, counts, DistributionalSettings(neighbours=most, **ALL))
    for x, targets in every.items():
        assert all(every[y][x] == pytest.approx(s) for y, s in targets.items()) and x not in targets
        assert list(targets)[:most] == list(few[x])


def test_too_few_expressions_have_no_neighbours():
    assert neighbours([], csr_array((0, 0))) == {}
    assert neighbours([("a",)], csr_array(np.ones((1, 2)))) == {}
    assert Counts().matrix()[0] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"weighting": "ltx"},
        {"weighting": "lt"},
        {"neighbours": 0},
        {"window": 0},
        {"minimum_similarity": -0.1},
        {"minimum_similarity": math.nan},
        {"minimum_contexts": 0},
    ],
)
def test_settings_are_checked(wrong):
    with pytest.raises(InputError):
        DistributionalSettings(**wrong)


# --------------------------------------------------------------------------------------------------- the resource

TEXTS = [
    f"The {a} {v} the {o}."
    for a in ("lawyer", "attorney")
    for v in ("questioned", "defended")
    for o in ("witness", "client")
] + [f"The {b} {v} the {o}." for b in ("baker", "cook") for v in ("ate", "sold") for o in ("bread", "cake")]


def test_words_of_like_company_are_neighbours():
    settings = DistributionalSettings(minimum_contexts=1, minimum_frequency=2)
    found = distributional.distributional_resource("en", texts=TEXTS, settings=settings)
    assert (found.name, found.language) == ("DS", "en")
    assert found.whole.pairs[("lawyer",)][("attorney",)] == pytest.approx(1.0)
    assert found.whole.pairs[("ate",)][("sold",)] == pytest.approx(1.0)
    assert ("baker",) not in found.whole.pairs[("lawyer",)]
    assert set(found.table({"lawyer", "attorney"}).pairs) == {("lawyer",), ("attorney",)}
    report = dict(found.report)
    assert report["sentences without a tree"] == 16 and report["verbs"] == 4 and report["nouns"] == 8


def test_trees_and_texts_together_with_a_cache(council, tmp_path, monkeypatch):
    settings = DistributionalSettings(noun_phrases=False, **ALL)
    found = distributional.distributional_resource("en", [council], TEXTS, settings=settings, folder=tmp_path)
    assert dict(found.report)["sentences with a tree"] == 1 and "council.conllu@" in found.signature
    assert found.whole.pairs[("pool",)] == {x: pytest.approx(2**-0.5) for x in (("council",), ("people",))}
    assert all(len(x) == 1 for x in found.whole.pairs)
    monkeypatch.setattr(distributional, "neighbours", None)
    again = distributional.distributional_resource("en", [council], TEXTS, settings=settings, folder=tmp_path)
    assert again == found
    with pytest.raises(TypeError):
        distributional.distributional_resource("en", [council], TEXTS[1:], settings=settings, folder=tmp_path)


def test_the_order_of_texts_changes_nothing():
    settings = DistributionalSettings(minimum_contexts=1, minimum_frequency=2)
    forward, back = (
        distributional.distributional_resource("en", texts=texts, settings=settings).whole.pairs
        for texts in (TEXTS, TEXTS[::-1])
    )
    assert forward == back and {x: list(y) for x, y in forward.items()} == {x: list(y) for x, y in back.items()}


def test_japanese_texts():
    texts = [f"{n}が{o}を{v}。" for n in ("教師", "先生") for o in ("生徒", "学生") for v in ("教えた", "褒めた")]
    texts += [f"{n}が{o}を{v}。" for n in ("漁師", "農家") for o in ("魚", "野菜") for v in ("売った", "運んだ")]
    settings = DistributionalSettings(minimum_contexts=1, minimum_frequency=2)
    found = distributional.distributional_resource("ja", texts=texts, settings=settings)
    assert found.whole.pairs[("教師",)][("先生",)] == pytest.approx(1.0)
    assert found.whole.pairs[("教え",)][("褒め",)] == pytest.approx(1.0)
    assert "sudachi" in found.signature


def test_bad_sources(tmp_path):
    resource = distributional.distributional_resource
    for arguments in (dict(language="de"), dict(texts="one text"), dict(texts=[1]), dict(parsed=[], texts=[])):
        with pytest.raises(InputError):
            resource(**arguments)
    with pytest.raises(ResourceNotFoundError):
        resource("en", [tmp_path / "none.conllu"])
    broken = tmp_path / "broken.conllu"
    broken.write_text("1\tDogs\tdog\n\n")
    with pytest.raises(DataFormatError) as error:
        resource("en", [broken])
    assert error.value.line == 1
    with pytest.raises(InputError):
        distributional.default_sources("de")


def test_what_is_at_hand_without_any_data(monkeypatch, tmp_path):
    monkeypatch.delenv("NBHELPERS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    sources = distributional.default_sources("en")
    assert sources.parsed == (paths.data_dir() / "corpus" / "treebank-en.conllu",) and len(sources.texts) == 300
    assert "lee-background" in sources.description and str(tmp_path) not in sources.description
    with pytest.raises(ResourceNotFoundError, match="No Japanese text"):
        distributional.default_sources("ja")


@pytest.mark.skipif(not os.environ.get("NBHELPERS_DATA"), reason="needs the real data: NBHELPERS_DATA is not set")
def test_real_japanese_trees():
    from nbhelpers.resources import data

    try:
        path = data.find("ud-japanese-gsd-dev").path
    except ResourceNotFoundError as error:
        pytest.skip(str(error))
    found = distributional.distributional_resource("ja", [path], settings=DistributionalSettings(**ALL))
    report = dict(found.report)
    assert report["sentences with a tree"] > 400 and report["verbs with neighbours"] > 100
    assert all(0 < s <= 1 + 1e-9 for targets in found.whole.pairs.values() for s in targets.values())
