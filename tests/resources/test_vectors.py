"""Word vectors: file formats and their faults, look-up, cosines, random and one-hot vectors, and the shipped ones."""

import gzip
import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from refused import refused
from safetensors.numpy import save_file

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.resources import data, vectors
from nbhelpers.resources.vectors import WordVectors

WORDS = ("the", "Paris", "fête")
MATRIX = np.array([[1, 0, 2], [0.5, -1, 0.25], [3, 1e-3, -4]], dtype=np.float32)


def word2vec_text(header="3 3\n", line_end="\n") -> bytes:
    rows = "".join(f"{w} {' '.join(map(repr, row.tolist()))}{line_end}" for w, row in zip(WORDS, MATRIX))
    return (header + rows).encode()


def word2vec_binary(matrix=MATRIX, newline=b"\n") -> bytes:
    rows = b"".join(w.encode() + b" " + row.astype("<f4").tobytes() + newline for w, row in zip(WORDS, matrix))
    return b"3 3\n" + rows


# -------------------------------------------------------------------------------------------------- file formats


@pytest.mark.parametrize(
    "content",
    [
        word2vec_text(),
        word2vec_text(header=""),  # GloVe
        word2vec_text(line_end=" \n"),  # fastText ends its lines with a blank
        word2vec_text("3 3\r\n", "\r\n"),
        word2vec_binary(),
        word2vec_binary(newline=b""),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_same_vectors_in_every_format(tmp_path, content, packed):
    path = tmp_path / ("v.gz" if packed else "v")
    path.write_bytes(gzip.compress(content) if packed else content)
    found = vectors.load_vectors(path)
    assert found.words == WORDS and found.matrix.dtype == np.float32
    np.testing.assert_array_equal(found.matrix, MATRIX)
    some = vectors.load_vectors(path, only=["The", "Paris", "unknown"])
    assert some.words == ("the", "Paris")
    np.testing.assert_array_equal(some.matrix, MATRIX[:2])
    with pytest.raises(InputError, match="none of"):
        vectors.load_vectors(path, only=["unknown"])


def test_words_asked_for_are_kept_in_every_case(tmp_path):
    path = tmp_path / "cased.txt"
    path.write_text("March 1 0\nmarch 0 1\nParis 2 2\nAPRIL 3 3\n")
    some = vectors.load_vectors(path, only=["march", "paris", "may"])
    assert some.words == ("March", "march", "Paris")
    assert [some.row(word) for word in ("March", "march", "MARCH", "Paris", "paris")] == [0, 1, 1, 2, -1]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"4 3\n" + word2vec_text(""),
        b"3 4\n" + word2vec_text(""),
        b"the 1 2 3\nof 1 2\n",
        b"the 1 2 3\nof 1 two 3\n",
        b"the 1 2 3\nof 1 nan 3\n",
        b"the 1 2 3\n\xff\xfe 1 2 3\n",
        word2vec_binary(np.where(MATRIX == 3, np.nan, MATRIX)),
        gzip.compress(word2vec_text(), mtime=0)[:-9],
        gzip.compress(np.random.default_rng(0).bytes(1 << 16), mtime=0)[:5000],
    ],
)
def test_a_broken_file_is_refused(tmp_path, content):
    path = tmp_path / ("v.gz" if content[:2] == b"\x1f\x8b" else "v")
    path.write_bytes(content)
    with pytest.raises(DataFormatError) as error:
        vectors.load_vectors(path)
    assert error.value.path == str(path)


@given(cut=st.integers(0, len(word2vec_binary()) - 2))
def test_no_cut_file_gets_past_with_fewer_words(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("cut") / "v.bin"
    path.write_bytes(word2vec_binary()[:cut])
    with pytest.raises(DataFormatError):
        vectors.load_vectors(path)


class Evil:
    def __reduce__(self):
        return os.mkdir, ("ran",)


def test_a_pickle_is_never_loaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("v.kv").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(DataFormatError):
        vectors.load_vectors("v.kv")
    assert not Path("ran").exists()


# ------------------------------------------------------------------------------------------ the project's format


def test_the_projects_format_comes_back_within_half_a_step(tmp_path):
    path = vectors.save(tmp_path / "mine", WORDS, [5, 4, 1], MATRIX, {"seconds": 1})
    counts, matrix, facts = vectors.read_shipped(path)
    assert counts == dict(zip(WORDS, (5, 4, 1))) and facts == {"seconds": 1}
    step = np.abs(MATRIX).max(axis=1, keepdims=True) / 127
    assert (np.abs(matrix - MATRIX) <= step / 2 * (1 + 2**-10)).all()  # the scale is rounded up to a float16
    assert vectors.load_vectors(path).signature.startswith("mine.safetensors@")


@given(arrays.arrays(np.float32, (4, 6), elements=st.floats(-1e3, 1e3, width=32)))
def test_quantisation_error_is_at_most_half_a_scale(matrix):
    codes, scales = vectors.quantise(matrix)
    assert codes.dtype == np.int8 and np.abs(codes.astype(int)).max() <= 127
    wide = scales.astype(np.float64)[:, None]
    assert (np.abs(codes * wide - matrix) <= wide / 2 * (1 + 1e-5)).all()
    assert (wide[:, 0] <= np.abs(matrix).max(axis=1) / 127 * (1 + 2**-9) + 2**-24).all()  # 2**-24: the smallest float16


SCALES = np.ones(3, np.float16)
DAMAGE = {
    "nan": ({"scales": SCALES * np.float16("nan")}, {}),
    "other list": ({}, {"vocabulary_sha256": "0" * 64}),
    "no list": ({}, {"vocabulary": "absent.txt"}),
    "deeply nested facts": ({}, {"facts": "[" * 100_000}),
}


@pytest.mark.parametrize("fault", ["cut", "not ours", *DAMAGE])
def test_damage_to_the_projects_format_is_found(tmp_path, fault):
    path = vectors.save(tmp_path / "mine", WORDS, [5, 4, 1], MATRIX, {})
    (listed,) = tmp_path.glob("words-*.txt")
    if fault == "cut":
        path.write_bytes(path.read_bytes()[:-3])
    elif fault == "not ours":
        save_file({"weights": MATRIX}, path)
    else:
        tensors, facts = DAMAGE[fault]
        right = {"vocabulary": listed.name, "vocabulary_sha256": data.sha256(listed), "facts": "{}"}
        save_file({"codes": np.ones((3, 3), np.int8), "scales": SCALES} | tensors, path, right | facts)
    with pytest.raises(DataFormatError, match="mine.safetensors"):
        vectors.load_vectors(path)


def test_save_refuses_what_it_could_not_read_back(tmp_path):
    for words, value in ((("a", "a", "b"), 0), (("a", "b"), 0), (("a", "b\t", "c"), 0), (WORDS, np.inf)):
        with pytest.raises(InputError):
            vectors.save(tmp_path / "mine", words, [1] * len(words), MATRIX + value, {})
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------ look-up and cosines


def test_look_up_coverage_and_sums():
    small = WordVectors(WORDS, MATRIX, "small")
    assert small.rows(["the", "The", "THE", "Paris", "paris", "absent"]).tolist() == [0, 0, 0, 1, -1, -1]
    assert small.coverage(["the", "the", "the", "absent"]) == 0.75
    sums = small.sums([["the", "the", "absent", "Paris"], ["absent"], []])
    np.testing.assert_allclose(sums, [2 * MATRIX[0] + MATRIX[1], np.zeros(3), np.zeros(3)])
    assert small.sums([]).shape == (0, 3)


def test_cosines_equal_a_plain_loop_and_are_nan_for_zeros():
    a, b = np.random.default_rng(1).standard_normal((2, 50, 5)).astype(np.float32)
    plain = [float(np.dot(x, y) / (np.dot(x, x) * np.dot(y, y)) ** 0.5) for x, y in zip(a.tolist(), b.tolist())]
    np.testing.assert_allclose(vectors.cosine(a, b), plain, atol=1e-9)
    assert np.isnan(vectors.cosine(a[:1], np.zeros((1, 5)))).all()


test_what_makes_no_sense_is_refused = refused(
    (lambda: WordVectors(("a", "b", "a"), MATRIX, "bad"), "2 different"),
    (lambda: WordVectors(WORDS, np.where(MATRIX == -1, np.nan, MATRIX), "bad"), "'Paris' is not finite"),
    (lambda: vectors.load_vectors("folder/absent.bin"), r"no file folder/absent.bin.*word2vec-5.*glove-6b-50d"),
    (lambda: vectors.word_counts("absent"), "ship"),
    (lambda: vectors.word_similarity(WordVectors(WORDS, MATRIX, "small")), "covers 0 of 353"),
    (lambda: WordVectors(WORDS, MATRIX, "small").coverage([]), "no token"),
    (lambda: vectors.one_hot([]), "word"),
    error=(InputError, ResourceNotFoundError),
)


def test_random_vectors_depend_on_the_words_and_the_seed_alone():
    first = vectors.random_vectors(["b", "a", "c", "a"], 50, seed=3)
    second = vectors.random_vectors(["c", "b", "a"], 50, seed=3)
    assert first.words == second.words == ("a", "b", "c") and "seed:3" in first.signature
    np.testing.assert_array_equal(first.matrix, second.matrix)
    matrix = vectors.random_vectors(map(str, range(200)), 400, seed=4).matrix
    values = vectors.cosine(matrix[:100], matrix[100:])
    assert abs(values.mean()) < 0.02 and values.std() == pytest.approx(1 / 20, rel=0.25)  # 1/√d


def test_the_cosine_of_one_hot_sums_is_lexical_overlap():
    found = vectors.one_hot(["the", "cat", "sat", "mat", "dog"])
    sums = found.sums([["The", "cat", "sat"], ["the", "dog", "sat", "absent"]])
    assert vectors.cosine(sums[:1], sums[1:])[0] == pytest.approx(2 / 3)  # two of three words shared
    assert vectors.one_hot(f"w{i}" for i in range(300_000)).dimension == 300_000  # 360 GB, if it were dense


# -------------------------------------------------------------------------------------- the vectors that ship


@pytest.fixture(scope="module")
def shipped():
    return {name: vectors.load_vectors(name) for name in vectors.shipped()}


def test_word2vec_and_glove_ship_small(shipped):
    assert {"word2vec-2", "word2vec-5", "glove"} <= set(shipped)
    for name in ("word2vec-2", "word2vec-5", "glove"):
        assert len(shipped[name]) >= 20_000
        assert vectors.word_similarity(shipped[name], "wordsim353", resamples=100)[0].value > 0.4
        assert np.isfinite(shipped[name].matrix).all() and shipped[name].name == name
    folder = vectors.shipped_folder()
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 10_000_000
    assert {path.suffix for path in folder.iterdir()} <= {".safetensors", ".txt", ".md", ".json"}  # nothing pickled


def test_the_card_reports_what_is_measured(shipped):
    scores = {row["name"]: row for row in json.loads((vectors.shipped_folder() / "scores.json").read_text())}
    card = (vectors.shipped_folder() / "README.md").read_text()
    assert set(shipped) <= set(scores)
    for name, found in shipped.items():
        for pairs in vectors.WORD_PAIRS:
            (now, total), then = vectors.word_similarity(found, pairs, resamples=100), scores[name][pairs]
            assert now.value == pytest.approx(then["value"], abs=1e-6) and (now.n, total) == (then["n"], then["pairs"])
            assert then["low"] <= then["value"] <= then["high"]
            assert f"{then['value']:.3f} [{then['low']:.3f}, {then['high']:.3f}]" in card


def test_word_counts_fall_and_belong_to_the_vectors(shipped):
    counts = vectors.word_counts()
    values = list(counts.values())
    assert tuple(counts) == shipped["word2vec-5"].words
    assert values == sorted(values, reverse=True) and next(iter(counts)) == "the"
