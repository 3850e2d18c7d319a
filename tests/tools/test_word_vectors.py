"""Training of word vectors: reading texts, contexts in trees, and the commands."""

import json
import lzma
from collections import Counter

import numpy as np
import pytest
import word_contexts
import word_vectors

from nbhelpers.base import paths
from nbhelpers.base.errors import InputError
from nbhelpers.resources import vectors
from nbhelpers.resources.treebank import Sentence, Token, read_conllu

TEXT = """The cat sat on the mat. The dog sat on the cat!
A dog doesn't sit; a cat sits, and the mat is THE mat.

The end of 1987: a dog, a cat and 3 mats.
"""
TREEBANK = paths.data_dir() / "corpus" / "treebank-en.conllu"


def test_a_text_is_lower_cased_tokens_without_punctuation(tmp_path):
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "text.txt.xz").write_bytes(lzma.compress(TEXT.encode()))
    expected = [
        "the cat sat on the mat the dog sat on the cat".split(),
        "a dog does n't sit a cat sits and the mat is the mat".split(),
        [],
        "the end of 1987 a dog a cat and 3 mats".split(),
    ]
    seen = Counter(word for sentence in expected for word in sentence)
    for name in ("text.txt", "text.txt.xz"):
        sentences, counts = word_vectors.read_sentences([tmp_path / name], 100)
        assert sentences == expected and counts == seen
    assert list(counts) == sorted(counts, key=lambda word: (-counts[word], word))
    some, counts = word_vectors.read_sentences([tmp_path / "text.txt"] * 2, 3)
    assert list(counts)[:3] == ["the", "a", "cat"] and counts["the"] == 2 * seen["the"] and counts["end"] == 2
    assert some == [[word for word in sentence if word in ("the", "a", "cat")] for sentence in expected] * 2
    (tmp_path / "text.txt").write_text(" .\n")
    with pytest.raises(InputError, match="no word"):
        word_vectors.read_sentences([tmp_path / "text.txt"], 9)


def test_word2vec_finds_the_topics_and_is_the_same_again():
    """On 1,200 sentences of six words of one of three topics, and two of any topic."""
    rng = np.random.default_rng(0)
    groups = [[f"{topic}{i}" for i in range(12)] for topic in ("sea", "law", "art")]
    words = sum(groups, [])
    lines = [rng.permutation([*rng.choice(groups[i % 3], 6), *rng.choice(words, 2)]).tolist() for i in range(1200)]
    settings = {"window": 5, "vector_size": 10, "sample": 0, "epochs": 10, "workers": 1, "seed": 0}
    matrix = word_vectors.train_word2vec(lines, words, **settings)
    assert matrix.shape == (36, 10)
    np.testing.assert_array_equal(matrix, word_vectors.train_word2vec(lines, words, **settings))
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    same = np.kron(np.eye(3), np.ones((12, 12))) > 0
    assert (unit @ unit.T)[same].mean() - (unit @ unit.T)[~same].mean() > 0.4


# --------------------------------------------------------------------------------------------------------- trees


def tree(rows: str) -> Sentence:
    """Sentence from "form upos head relation" rows, separated by commas."""
    tokens = []
    for number, row in enumerate(rows.split(", "), start=1):
        form, upos, head, relation = row.split()
        tokens.append(Token(number, form, form.lower(), upos, "_", int(head), relation))
    return Sentence("s", " ".join(token.form for token in tokens), tuple(tokens))


FIGURE_1 = tree(
    "Australian ADJ 2 amod, scientist NOUN 3 nsubj, discovers VERB 0 root, "
    "star NOUN 3 obj, with ADP 6 case, telescope NOUN 3 obl, . PUNCT 3 punct"
)


def test_contexts_of_levy_and_goldbergs_figure_1():
    """Their example, with the relations of Universal Dependencies for those of Stanford's (dobj, prep_with)."""
    found = set(word_contexts.dependency_contexts(FIGURE_1))
    expected = (
        "australian scientist/amod-1|scientist australian/amod|scientist discovers/nsubj-1|discovers scientist/nsubj|"
        "discovers star/obj|discovers telescope/obl:with|star discovers/obj-1|telescope discovers/obl:with-1"
    )
    assert found == {tuple(pair.split()) for pair in expected.split("|")}


def test_a_preposition_of_several_words_and_a_possessive():
    sentence = tree(
        "Ann PROPN 3 nmod:poss, 's PART 1 case, cat NOUN 4 nsubj, ran VERB 0 root, "
        "out ADP 7 case, of ADP 7 case, town NOUN 4 obl"
    )
    contexts = set(word_contexts.dependency_contexts(sentence))
    assert ("ran", "town/obl:out_of") in contexts and ("cat", "ann/nmod:poss") in contexts
    assert not any(word in ("out", "of", "'s") for word, _ in contexts)


def test_contexts_come_in_pairs_on_the_shipped_treebank():
    for sentence in read_conllu(TREEBANK):
        split = [(word, *context.rsplit("/", 1)) for word, context in word_contexts.dependency_contexts(sentence)]
        forward = Counter((word, other, relation) for word, other, relation in split if not relation.endswith("-1"))
        inverse = Counter((other, word, relation[:-2]) for word, other, relation in split if relation.endswith("-1"))
        assert forward == inverse and forward


def test_the_proposition_of_stanovskys_example():
    """ "John refused to visit Vegas": one tuple; the contexts of "refused" carry the numbers of its elements."""
    sentence = tree("John PROPN 2 nsubj, refused VERB 0 root, to PART 4 mark, visit VERB 2 xcomp, Vegas PROPN 4 obj")
    assert word_contexts.propositions(sentence) == [(("john",), ("refused", "visit"), ("vegas",))]
    contexts = {c for w, c in word_contexts.proposition_contexts(sentence) if w == "refused"}
    assert contexts == {"john/0", "visit/1", "vegas/2"}


@pytest.mark.parametrize(
    ("rows", "propositions"),
    [
        (
            "The DET 3 det, old ADJ 3 amod, mayor NOUN 4 nsubj, gave VERB 0 root, up ADP 4 compound:prt, "
            "power NOUN 4 obj, and CCONJ 8 cc, left VERB 4 conj, for ADP 10 case, Rome PROPN 8 obl",
            ["old mayor|gave up|power", "old mayor|left|rome"],
        ),
        ("She PRON 4 nsubj, is AUX 4 cop, a DET 4 det, judge NOUN 0 root, here ADV 4 advmod", ["she|is|judge"]),
        ("Go VERB 0 root, ! PUNCT 1 punct", []),
        ("Close VERB 0 root, doors NOUN 1 obj, at ADP 4 case, night NOUN 1 obl", ["|close|doors|night"]),
    ],
)
def test_propositions_of_joined_verbs_copulas_and_prepositions(rows, propositions):
    found = word_contexts.propositions(tree(rows))
    assert ["|".join(map(" ".join, proposition)) for proposition in found] == propositions


def test_a_sentence_without_a_tree_is_refused():
    sentence = Sentence("s7", "a b", (Token(1, "a", "a", "X", "_", None, "_"), Token(2, "b", "b", "X", "_", None, "_")))
    for contexts in (word_contexts.dependency_contexts, word_contexts.proposition_contexts):
        with pytest.raises(InputError, match="s7 has no dependency tree"):
            list(contexts(sentence))


def test_pair_vectors_factorise_the_positive_pointwise_mutual_information():
    """Cosines are those of NumPy's full SVD of a matrix counted by hand."""
    rng = np.random.default_rng(0)
    pairs = [(f"w{min(a, 8)}", f"c{min(b, 6)}") for a, b in rng.integers(0, [[9, 7]] * 400)]
    pairs += [("w1", "c1")] * 60 + [("w2", "c2")] * 60 + [("rare", "c1")]
    words, counts, matrix = word_contexts.train_pairs(pairs, dimension=6, least=3)
    table = np.array([[pairs.count((w, f"c{c}")) for c in range(7)] for w in words], dtype=float)
    smooth = table.sum(axis=0) ** 0.75 / (table.sum(axis=0) ** 0.75).sum()
    with np.errstate(divide="ignore"):
        ppmi = np.maximum(np.log(table / table.sum(axis=1, keepdims=True) / smooth), 0)
    left, strengths, _ = np.linalg.svd(ppmi)
    expected = left[:, :6] * np.sqrt(strengths[:6])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(matrix @ matrix.T, expected @ expected.T, atol=1e-4)
    assert "rare" not in words and counts == sorted(counts, reverse=True)
    with pytest.raises(InputError, match="dimensions"):
        word_contexts.train_pairs(pairs, dimension=7)


def test_the_commands_train_what_load_vectors_reads(tmp_path):
    (tmp_path / "text.txt").write_text(TEXT * 3)
    text = ["--text", str(tmp_path / "text.txt"), "--window", "2", "--vocabulary", "9", "--dimension", "8"]
    assert word_vectors.main(["word2vec", *text, "--out", str(tmp_path / "word2vec")]) == 0
    for name in ("dependency", "proposition"):
        trees = ["--treebank", str(TREEBANK), "--dimension", "5", "--out", str(tmp_path / name)]
        assert word_vectors.main([name, *trees]) == 0
        assert vectors.load_vectors(tmp_path / f"{name}.safetensors").dimension == 5
    counts, matrix, facts = vectors.read_shipped(tmp_path / "word2vec.safetensors")
    assert matrix.shape == (9, 8) and list(counts)[:2] == ["the", "a"] and counts["the"] == 3 * 7
    assert facts["settings"]["window"] == 2 and facts["tokens"] == 3 * 37 and facts["inputs"][0].startswith("text.txt@")


def test_measure_writes_scores_and_fills_the_card(tmp_path):
    rng = np.random.default_rng(0)
    words = tuple("love sex tiger cat book paper computer keyboard old new smart intelligent hard difficult".split())
    vectors.save(tmp_path / "v", words, range(14, 0, -1), rng.standard_normal((14, 5)), {"seconds": 3})
    card = tmp_path / "README.md"
    card.write_text("# Card\n<!-- scores -->\nold\n<!-- end of scores -->\nend\n")
    assert word_vectors.main(["measure", "--folder", str(tmp_path)]) == 0
    (row,) = json.loads((tmp_path / "scores.json").read_text())
    assert row["wordsim353"]["pairs"] == 353 and row["wordsim353"]["n"] >= 3 and row["facts"] == {"seconds": 3}
    text = card.read_text()
    assert f"{row['simlex999']['value']:.3f}" in text and "old\n" not in text and text.endswith("end\n")


def test_commands_report_what_is_wrong_in_one_line(tmp_path, capsys):
    assert word_vectors.main(["measure", "--folder", str(tmp_path)]) == 2
    assert word_vectors.main(["word2vec", "--text", str(tmp_path / "absent"), "--out", str(tmp_path / "g")]) == 2
    errors = capsys.readouterr().err.strip().split("\n")
    assert len(errors) == 2 and all(line.startswith("error: ") for line in errors)
