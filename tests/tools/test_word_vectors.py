"""Training of word vectors: corpus, cooccurrences, GloVe against plain loops, contexts in trees, and the commands."""

import json
import lzma
import math
from collections import Counter

import numpy as np
import pytest
import word_contexts as vector_contexts
import word_vectors as vector_training
from word_contexts import PairSettings
from word_vectors import GloveSettings, Word2vecSettings

from nbhelpers.base import paths
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.resources import vectors
from nbhelpers.resources.treebank import Sentence, Token, read_conllu

TEXT = """The cat sat on the mat. The dog sat on the cat!
A dog doesn't sit; a cat sits, and the mat is THE mat.

The end of 1987: a dog, a cat and 3 mats.
"""
TREEBANK = paths.data_dir() / "corpus" / "treebank-en.conllu"


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def topics(tmp_path_factory):
    """A text of 1,200 sentences of six words of one of three topics, two of any topic, and one that all have."""
    rng = np.random.default_rng(0)
    groups = [[f"{topic}{i}" for i in range(12)] for topic in ("sea", "law", "art")]
    every = sum(groups, [])
    lines = []
    for number in range(1200):
        line = [*rng.choice(groups[number % 3], 6), *rng.choice(every, 2), "common"]
        lines.append(" ".join(rng.permutation(line)))
    path = tmp_path_factory.mktemp("topics") / "topics.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def topic_contrast(words, matrix) -> float:
    """Mean cosine within a topic less that between topics."""
    kept = [i for i, word in enumerate(words) if word != "common"]
    unit = matrix[kept] / np.linalg.norm(matrix[kept], axis=1, keepdims=True)
    same = np.array([[words[a][:3] == words[b][:3] for a in kept] for b in kept])
    values, other = unit @ unit.T, ~np.eye(len(kept), dtype=bool)
    return float(values[same & other].mean() - values[~same].mean())


# ------------------------------------------------------------------------------------------------------- corpus


def test_a_corpus_is_lower_cased_tokens_without_punctuation(text):
    corpus = vector_training.read_corpus([text], 100)
    expected = [
        "the cat sat on the mat the dog sat on the cat".split(),
        "a dog does n't sit a cat sits and the mat is the mat".split(),
        [],
        "the end of 1987 a dog a cat and 3 mats".split(),
    ]
    assert list(corpus) == expected
    counts = Counter(word for sentence in expected for word in sentence)
    assert corpus.words == tuple(sorted(counts, key=lambda word: (-counts[word], word)))
    assert corpus.counts.tolist() == [counts[word] for word in corpus.words]
    assert corpus.tokens == len(corpus.ids) == sum(counts.values())


def test_words_outside_the_vocabulary_are_left_out(text):
    corpus = vector_training.read_corpus([text], 2)
    assert corpus.words == ("the", "a") or corpus.words == ("the", "cat")
    kept = [[word for word in sentence if word in corpus.words] for sentence in vector_training.read_corpus([text], 99)]
    assert list(corpus) == kept and corpus.tokens == 37


def test_texts_are_read_packed_and_in_order(text, tmp_path):
    packed = tmp_path / "text.txt.xz"
    packed.write_bytes(lzma.compress(TEXT.encode()))
    one, two = vector_training.read_corpus([text, text], 99), vector_training.read_corpus([packed, text], 99)
    assert list(one) == list(two) == 2 * list(vector_training.read_corpus([text], 99))


def test_a_text_at_fault_is_refused(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"good\n\xff\n")
    with pytest.raises(DataFormatError) as error:
        vector_training.read_corpus([path], 9)
    assert error.value.line == 2
    path.write_bytes(lzma.compress(TEXT.encode() * 99)[:-20])
    with pytest.raises(DataFormatError):
        vector_training.read_corpus([path], 9)
    path.write_text(" .\n")
    with pytest.raises(InputError, match="0 tokens"):
        vector_training.read_corpus([path], 9)
    with pytest.raises(ResourceNotFoundError):
        vector_training.read_corpus([tmp_path / "absent"], 9)


# -------------------------------------------------------------------------------------------------- cooccurrence


def plain_cooccurrences(corpus, window) -> Counter:
    """As GloVe's own program counts: every word with those before it, both ways, 1/distance."""
    row = {word: i for i, word in enumerate(corpus.words)}
    counts: Counter = Counter()
    for sentence in corpus:
        for place, word in enumerate(sentence):
            for distance in range(1, window + 1):
                if place >= distance:
                    one, other = row[word], row[sentence[place - distance]]
                    counts[one, other] += 1 / distance
                    counts[other, one] += 1 / distance
    return counts


@pytest.mark.parametrize("window", [1, 3, 10])
@pytest.mark.parametrize("chunk", [1, 13, 1_000_000])
@pytest.mark.parametrize("vocabulary", [6, 99])
def test_cooccurrences_equal_a_plain_count(text, window, chunk, vocabulary):
    corpus = vector_training.read_corpus([text], vocabulary)
    found, plain = vector_training.cooccurrences(corpus, window, chunk=chunk), plain_cooccurrences(corpus, window)
    expected = np.zeros(found.shape)
    for place, value in plain.items():
        expected[place] = value
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-6)
    assert found.nnz == len(plain) and found.dtype == np.float32
    assert (found != found.T).nnz == 0


def test_a_text_without_pairs_has_no_cooccurrences(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("one\ntwo\n")
    with pytest.raises(InputError, match="no two words"):
        vector_training.cooccurrences(vector_training.read_corpus([path], 9))


# --------------------------------------------------------------------------------------------------------- GloVe


def plain_glove(counts, settings, steps):
    """The same schedule entry by entry, in float64: equation 8 and AdaGrad, with no matrix product anywhere."""
    size, d = counts.shape[0], settings.dimension
    rng = np.random.default_rng(settings.seed)
    order = rng.permutation(size)
    x = counts.toarray()[np.ix_(order, order)].astype(float)
    w, u = ((rng.random((size, d + 2), dtype=np.float32).astype(float) - 0.5) / (d + 1) for _ in range(2))
    w, u = w[:, :d].copy(), u[:, :d].copy()

    def f(value):
        return (value / settings.x_max) ** settings.alpha if value < settings.x_max else 1.0

    total = sum(f(v) for v in x.flat if v), sum(f(v) * math.log(v) for v in x.flat if v)
    half = total[1] / total[0] / 2
    means = [
        sum(f(v) * math.log(v) for v in row if v) / sum(f(v) for v in row if v) - half if any(row) else 0 for row in x
    ]
    b, c = np.array(means), np.array(means)  # X is symmetric
    state = [w, u, b, c]
    squares = [np.ones_like(part) for part in state]
    edges = np.unique(np.linspace(0, size, settings.blocks + 1).astype(int))
    parts = [range(lo, hi) for lo, hi in zip(edges, edges[1:])]
    blocks = [(rows, columns) for rows in parts for columns in parts if any(x[i, j] for i in rows for j in columns)]
    losses = []
    for _ in range(steps):
        loss = 0.0
        for number in rng.permutation(len(blocks)):
            gradients = [np.zeros_like(part) for part in state]
            for i in blocks[number][0]:
                for j in blocks[number][1]:
                    if x[i, j]:
                        difference = sum(w[i, k] * u[j, k] for k in range(d)) + b[i] + c[j] - math.log(x[i, j])
                        loss += 0.5 * f(x[i, j]) * difference**2
                        slope = f(x[i, j]) * difference
                        gradients[0][i] += slope * u[j]
                        gradients[1][j] += slope * w[i]
                        gradients[2][i] += slope
                        gradients[3][j] += slope
            for part, gradient, square in zip(state, gradients, squares):
                square += gradient**2
                part -= settings.rate * gradient / np.sqrt(square)
        losses.append(loss / counts.nnz)
    return (w + u)[np.argsort(order)], losses


@pytest.mark.parametrize("blocks", [1, 3, 8])
def test_glove_equals_a_plain_loop_over_entries(text, blocks):
    counts = vector_training.cooccurrences(vector_training.read_corpus([text], 99), 5)
    settings = GloveSettings(dimension=6, x_max=2, rate=0.1, epochs=4, blocks=blocks)
    matrix, losses = vector_training.train_glove(counts, settings)
    expected, expected_losses = plain_glove(counts, settings, 4)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-4)
    np.testing.assert_allclose(matrix, expected, atol=2e-4)


@pytest.mark.parametrize("dense", [False, True])
def test_the_gradient_is_that_of_the_objective(dense):
    """Against numerical differences of equation 8, on a block of many and on one of few entries."""
    from scipy import sparse

    rng = np.random.default_rng(2)
    size, d, entries = (20, 4, 300) if dense else (90, 4, 60)
    where = rng.choice(size**2, entries, replace=False)
    counts = sparse.coo_array((rng.gamma(1, 60, entries), (where // size, where % size)), shape=(size, size))
    settings = GloveSettings(dimension=d, blocks=1)
    (cell,) = vector_training.glove_cells(counts.tocsr().astype(np.float32), settings)
    assert (cell.weights.nnz > 0.02 * size**2) == dense
    focus, context = rng.standard_normal((2, size, d + 2))
    focus[:, d + 1] = context[:, d] = 1
    loss, *gradients = vector_training.glove_gradient(focus, context, cell)
    x = counts.toarray()

    def objective():
        predicted = focus[:, :d] @ context[:, :d].T + focus[:, d : d + 1] + context[:, d + 1]
        f = np.minimum(1, (x / 100) ** 0.75)
        return 0.5 * (f * (predicted - np.log(np.where(x > 0, x, 1))) ** 2)[x > 0].sum()

    assert loss == pytest.approx(objective(), rel=1e-6)
    for side, gradient, constant in ((focus, gradients[0], d + 1), (context, gradients[1], d)):
        for i, k in [(int(rng.integers(size)), k) for k in range(d + 2) if k != constant]:
            side[i, k] += 1e-5
            above = objective()
            side[i, k] -= 2e-5
            below = objective()
            side[i, k] += 1e-5
            assert gradient[i, k] == pytest.approx((above - below) / 2e-5, rel=1e-3, abs=1e-4)


def test_weights_follow_equation_9():
    from scipy import sparse

    counts = sparse.csr_array(np.array([[0, 25], [100, 400]], dtype=np.float32))
    (cell,) = vector_training.glove_cells(counts, GloveSettings(blocks=1))
    np.testing.assert_allclose(cell.weights.toarray(), [[0, 0.25**0.75], [1, 1]], rtol=1e-6)
    np.testing.assert_allclose(cell.logs, np.log([25, 100, 400]), rtol=1e-6)
    assert vector_training.glove_cells(counts, GloveSettings(blocks=2))[0].columns == slice(1, 2)  # 0, 0 is empty


def test_glove_lowers_the_loss_and_finds_the_topics(topics):
    corpus = vector_training.read_corpus([topics], 99)
    counts = vector_training.cooccurrences(corpus, 10)
    told = []
    settings = GloveSettings(dimension=10, epochs=30, blocks=4)
    matrix, losses = vector_training.train_glove(counts, settings, lambda epoch, loss: told.append((epoch, loss)))
    assert losses[-1] < losses[0] / 2 and told == list(enumerate(losses, start=1))
    assert topic_contrast(corpus.words, matrix) > 0.4
    again, _ = vector_training.train_glove(counts, settings)
    np.testing.assert_array_equal(matrix, again)


def test_glove_stops_where_it_diverges(text):
    counts = vector_training.cooccurrences(vector_training.read_corpus([text], 99), 5)
    with pytest.raises(ArithmeticError, match="smaller rate"), np.errstate(all="ignore"):
        vector_training.train_glove(counts, GloveSettings(dimension=4, rate=1e20, epochs=5, blocks=2))
    for settings in (GloveSettings(dimension=0), GloveSettings(epochs=0), GloveSettings(blocks=0)):
        with pytest.raises(InputError):
            vector_training.train_glove(counts, settings)


# ------------------------------------------------------------------------------------------------------ word2vec


def test_word2vec_finds_the_topics_and_is_the_same_again(topics):
    corpus = vector_training.read_corpus([topics], 99)
    settings = Word2vecSettings(window=5, dimension=10, sample=0, epochs=10)
    matrix = vector_training.train_word2vec(corpus, settings)
    assert matrix.shape == (37, 10)
    assert topic_contrast(corpus.words, matrix) > 0.4
    np.testing.assert_array_equal(matrix, vector_training.train_word2vec(corpus, settings))


# --------------------------------------------------------------------------------------------------------- trees


def tree(*rows: str) -> Sentence:
    """Sentence from "form upos head relation" rows."""
    tokens = []
    for number, row in enumerate(rows, start=1):
        form, upos, head, relation = row.split()
        tokens.append(Token(number, form, form.lower(), upos, "_", int(head), relation))
    return Sentence("s", " ".join(token.form for token in tokens), tuple(tokens))


FIGURE_1 = tree(
    "Australian ADJ 2 amod",
    "scientist NOUN 3 nsubj",
    "discovers VERB 0 root",
    "star NOUN 3 obj",
    "with ADP 6 case",
    "telescope NOUN 3 obl",
    ". PUNCT 3 punct",
)


def test_contexts_of_levy_and_goldbergs_figure_1():
    """Their example, with the relations of Universal Dependencies for those of Stanford's (dobj, prep_with)."""
    found: dict[str, set] = {}
    for word, context in vector_contexts.dependency_contexts(FIGURE_1):
        found.setdefault(word, set()).add(context)
    assert found == {
        "australian": {"scientist/amod-1"},
        "scientist": {"australian/amod", "discovers/nsubj-1"},
        "discovers": {"scientist/nsubj", "star/obj", "telescope/obl:with"},
        "star": {"discovers/obj-1"},
        "telescope": {"discovers/obl:with-1"},
    }


def test_a_preposition_of_several_words_and_a_possessive():
    sentence = tree(
        "Ann PROPN 3 nmod:poss",
        "'s PART 1 case",
        "cat NOUN 4 nsubj",
        "ran VERB 0 root",
        "out ADP 7 case",
        "of ADP 7 case",
        "town NOUN 4 obl",
    )
    contexts = set(vector_contexts.dependency_contexts(sentence))
    assert ("ran", "town/obl:out_of") in contexts and ("cat", "ann/nmod:poss") in contexts
    assert not any(word in ("out", "of", "'s") for word, _ in contexts)


def test_contexts_come_in_pairs_on_the_shipped_treebank():
    for sentence in read_conllu(TREEBANK):
        split = [(word, *context.rsplit("/", 1)) for word, context in vector_contexts.dependency_contexts(sentence)]
        forward = Counter((word, other, relation) for word, other, relation in split if not relation.endswith("-1"))
        inverse = Counter((other, word, relation[:-2]) for word, other, relation in split if relation.endswith("-1"))
        assert forward == inverse and forward


def test_the_proposition_of_stanovskys_example():
    """ "John refused to visit Vegas": one tuple; the contexts of "refused" carry the numbers of its elements."""
    sentence = tree(
        "John PROPN 2 nsubj", "refused VERB 0 root", "to PART 4 mark", "visit VERB 2 xcomp", "Vegas PROPN 4 obj"
    )
    assert vector_contexts.propositions(sentence) == [(("john",), ("refused", "visit"), ("vegas",))]
    contexts = {c for w, c in vector_contexts.proposition_contexts(sentence) if w == "refused"}
    assert contexts == {"john/0", "visit/1", "vegas/2"}


def test_propositions_of_joined_verbs_copulas_and_prepositions():
    joined = tree(
        "The DET 3 det",
        "old ADJ 3 amod",
        "mayor NOUN 4 nsubj",
        "gave VERB 0 root",
        "up ADP 4 compound:prt",
        "power NOUN 4 obj",
        "and CCONJ 8 cc",
        "left VERB 4 conj",
        "for ADP 10 case",
        "Rome PROPN 8 obl",
    )
    assert vector_contexts.propositions(joined) == [
        (("old", "mayor"), ("gave", "up"), ("power",)),
        (("old", "mayor"), ("left",), ("rome",)),
    ]
    copula = tree("She PRON 4 nsubj", "is AUX 4 cop", "a DET 4 det", "judge NOUN 0 root", "here ADV 4 advmod")
    assert vector_contexts.propositions(copula) == [(("she",), ("is",), ("judge",))]
    alone = tree("Go VERB 0 root", "! PUNCT 1 punct")
    assert vector_contexts.propositions(alone) == []
    order = tree("Close VERB 0 root", "doors NOUN 1 obj", "at ADP 4 case", "night NOUN 1 obl")
    assert vector_contexts.propositions(order) == [((), ("close",), ("doors",), ("night",))]


def test_a_sentence_without_a_tree_is_refused():
    sentence = Sentence("s7", "a b", (Token(1, "a", "a", "X", "_", None, "_"), Token(2, "b", "b", "X", "_", None, "_")))
    for contexts in (vector_contexts.dependency_contexts, vector_contexts.proposition_contexts):
        with pytest.raises(InputError, match="s7 has no dependency tree"):
            list(contexts(sentence))


def test_pair_vectors_factorise_the_positive_pointwise_mutual_information():
    """Cosines are those of NumPy's full SVD of a matrix counted by hand."""
    rng = np.random.default_rng(0)
    pairs = [(f"w{min(a, 8)}", f"c{min(b, 6)}") for a, b in rng.integers(0, [[9, 7]] * 400)]
    pairs += [("w1", "c1")] * 60 + [("w2", "c2")] * 60 + [("rare", "c1")]
    settings = PairSettings(dimension=6, smoothing=0.75, least=3, least_context=2)
    words, counts, matrix = vector_contexts.train_pairs(pairs, settings)
    table = np.array([[pairs.count((w, f"c{c}")) for c in range(7)] for w in words], dtype=float)
    smooth = table.sum(axis=0) ** 0.75 / (table.sum(axis=0) ** 0.75).sum()
    with np.errstate(divide="ignore"):
        ppmi = np.maximum(np.log(table / table.sum(axis=1, keepdims=True) / smooth), 0)
    left, strengths, _ = np.linalg.svd(ppmi)
    expected = left[:, :6] * np.sqrt(strengths[:6])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(matrix @ matrix.T, expected @ expected.T, atol=1e-4)
    assert "rare" not in words and list(counts) == sorted(counts, reverse=True)
    again = vector_contexts.train_pairs(pairs, settings)
    np.testing.assert_array_equal(matrix, again[2])
    with pytest.raises(InputError, match="dimensions"):
        vector_contexts.train_pairs(pairs, PairSettings(dimension=7))


# ------------------------------------------------------------------------------------------------------ commands


def test_the_commands_train_what_load_vectors_reads(topics, tmp_path, capsys):
    text = ["--text", str(topics), "--vocabulary", "37", "--dimension", "8"]
    skip_gram = ["word2vec", *text, "--window", "2", "--epochs", "1"]
    assert vector_training.main([*skip_gram, "--out", str(tmp_path / "w")]) == 0
    assert vector_training.main(["glove", *text, "--epochs", "2", "--blocks", "2", "--out", str(tmp_path / "g")]) == 0
    trees = ["--treebank", str(TREEBANK), "--dimension", "5", "--out"]
    assert vector_training.main(["dependency", *trees, str(tmp_path / "d")]) == 0
    assert vector_training.main(["proposition", *trees, str(tmp_path / "p")]) == 0
    assert "epoch 2: loss" in capsys.readouterr().out
    for name, dimension in (("w", 8), ("g", 8), ("d", 5), ("p", 5)):
        found = vectors.load_vectors(tmp_path / f"{name}.safetensors")
        assert found.dimension == dimension and len(found) >= 37
    facts = vectors.read_shipped(tmp_path / "w.safetensors")[2]
    assert facts["settings"] == {**vars(Word2vecSettings(2, 8, epochs=1))}
    assert facts["tokens"] == 1200 * 9 and facts["inputs"][0].startswith("topics.txt@")


def test_measure_writes_scores_and_fills_the_card(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    words = tuple("love sex tiger cat book paper computer keyboard old new smart intelligent hard difficult".split())
    vectors.save(tmp_path / "v", words, range(14, 0, -1), rng.standard_normal((14, 5)), {"seconds": 3})
    card = tmp_path / "README.md"
    card.write_text("# Card\n<!-- scores -->\nold\n<!-- end of scores -->\nend\n")
    assert vector_training.main(["measure", "--folder", str(tmp_path)]) == 0
    (row,) = json.loads((tmp_path / "scores.json").read_text())
    assert row["wordsim353"]["pairs"] == 353 and row["wordsim353"]["n"] >= 3 and row["facts"] == {"seconds": 3}
    text = card.read_text()
    assert f"{row['simlex999']['value']:.3f}" in text and "old\n" not in text and text.endswith("end\n")


def test_commands_report_what_is_wrong_in_one_line(tmp_path, capsys):
    assert vector_training.main(["measure", "--folder", str(tmp_path)]) == 1
    assert vector_training.main(["glove", "--text", str(tmp_path / "absent"), "--out", str(tmp_path / "g")]) == 1
    errors = capsys.readouterr().err.strip().split("\n")
    assert len(errors) == 2 and all(line.startswith("error: ") for line in errors)
    assert not list(tmp_path.iterdir())
