"""Word vectors: file formats and their faults, look-up, cosines, random and one-hot vectors, and the shipped ones."""

import gzip
import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.resources import data, vector_files, vectors
from nbhelpers.resources.vectors import WordVectors

WORDS = ("the", "Paris", "fête")
MATRIX = np.array([[1, 0, 2], [0.5, -1, 0.25], [3, 1e-3, -4]], dtype=np.float32)


def word2vec_text(words=WORDS, matrix=MATRIX, header=True) -> str:
    lines = [f"{len(words)} {matrix.shape[1]}"] if header else []
    return "\n".join(lines + [f"{w} {' '.join(map(repr, row.tolist()))}" for w, row in zip(words, matrix)]) + "\n"


def word2vec_binary(words=WORDS, matrix=MATRIX, newline=b"\n") -> bytes:
    rows = b"".join(w.encode() + b" " + row.astype("<f4").tobytes() + newline for w, row in zip(words, matrix))
    return f"{len(words)} {matrix.shape[1]}\n".encode() + rows


@pytest.fixture
def write(tmp_path):
    def writer(content: str | bytes, name: str = "v.txt"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return writer


# -------------------------------------------------------------------------------------------- formats that load


@pytest.mark.parametrize(
    "content",
    [
        word2vec_text(),
        word2vec_text(header=False),
        word2vec_text().replace("\n", " \n"),  # fastText ends its lines with a blank
        word2vec_text().replace("\n", "\r\n"),
        "\ufeff" + word2vec_text(),
        "\ufeff" + word2vec_text(header=False),
        word2vec_binary(),
        word2vec_binary(newline=b""),
    ],
    ids=[
        "word2vec text",
        "GloVe",
        "fastText",
        "CRLF",
        "marked word2vec text",
        "marked GloVe",
        "binary",
        "binary without line ends",
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_same_vectors_in_every_format(write, content, packed):
    content = content.encode() if isinstance(content, str) else content
    found = vectors.load_vectors(write(gzip.compress(content) if packed else content))
    assert found.words == WORDS
    np.testing.assert_array_equal(found.matrix, MATRIX)
    assert found.matrix.dtype == np.float32


def test_files_that_gensim_writes_load_alike(tmp_path):
    from gensim.models import KeyedVectors

    theirs = KeyedVectors(3)
    theirs.add_vectors(list(WORDS), MATRIX)
    theirs.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    theirs.save_word2vec_format(str(tmp_path / "v.txt"), binary=False)
    theirs.save(str(tmp_path / "v.kv"))
    for name in ("v.bin", "v.txt", "v.kv"):
        found = vectors.load_vectors(tmp_path / name, allow_pickle=True)
        assert found.words == WORDS
        np.testing.assert_array_equal(found.matrix, MATRIX)


def test_a_pickle_is_loaded_only_when_it_is_trusted(tmp_path):
    import pickle

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    path = tmp_path / "v.kv"
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(InputError, match="allow_pickle"):
        vectors.load_vectors(path)
    assert not (tmp_path / "ran").exists()


def test_fasttext_binary_gives_the_vectors_of_whole_words():
    from gensim.models.fasttext import load_facebook_vectors
    from gensim.test.utils import datapath

    path = datapath("lee_fasttext_new.bin")
    found, theirs = vectors.load_vectors(path), load_facebook_vectors(path)
    assert len(found) == len(theirs) > 100
    np.testing.assert_array_equal(found.vector("the"), theirs["the"])


def test_glove_840b_has_words_with_blanks(write):
    found = vectors.load_vectors(write("the 1 2 3\n. . . 4 5 6\n"))
    assert found.words == ("the", ". . .")


def test_a_number_may_be_a_word(write):
    assert vectors.load_vectors(write("2 3\n7 1 2 3\n1987 4 5 6\n")).words == ("7", "1987")


def test_only_the_words_asked_for_are_kept_in_both_cases(write):
    for content in (word2vec_text(), word2vec_binary()):
        found = vectors.load_vectors(write(content), only=["The", "Paris", "unknown"])
        assert found.words == ("the", "Paris")
        np.testing.assert_array_equal(found.matrix, MATRIX[:2])
    with pytest.raises(InputError, match="none of"):
        vectors.load_vectors(write(word2vec_text()), only=["unknown"])


def test_a_binary_file_larger_than_what_is_read_at_once(write, monkeypatch):
    monkeypatch.setattr(vector_files, "_READ", 64)
    rng = np.random.default_rng(0)
    words, matrix = tuple(f"w{i}" for i in range(5000)), rng.standard_normal((5000, 4)).astype(np.float32)
    found = vectors.load_vectors(write(word2vec_binary(words, matrix)))
    assert found.words == words
    np.testing.assert_array_equal(found.matrix, matrix)


# --------------------------------------------------------------------------------------------- files at fault


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("4 3\n" + word2vec_text(header=False), 4, "ends after 3 words; line 1 says 4"),
        ("2 3\n" + word2vec_text(header=False), 4, "goes on after the 2 words"),
        ("3 4\n" + word2vec_text(header=False), 2, "3 values after the word, not 4"),
        ("3 0\n", 1, "announces 3 words of 0 dimensions"),
        ("the 1 2 3\nof 1 2\n", 2, "2 values after the word, not 3"),
        ("the 1 2 3\n\nof 1 2 3\n", 2, "0 values"),
        ("the 1 2 3\nof 1 two 3\n", 2, "not all numbers"),
        ("the 1 2 3\nof 1 nan 3\n", 2, "not finite"),
        ("the 1 2 3\nof 1 1e60 3\n", 2, "not finite"),
        ("the 1 2 3\nof 1 2 3\nthe 4 5 6\n", 3, "'the' comes twice"),
        ("the\nof\n", 1, "0 values after the word$"),
        (word2vec_text().replace(" ", "\t"), 1, "tabs between word and values"),
        (word2vec_text().replace(" ", "\t").replace("3\t3", "3 3"), 2, "tabs between word and values"),
        (word2vec_text(header=False).replace("the ", "the\t"), 1, "tabs between word and values"),
        ("", None, "empty"),
        (b"the 1 2 3\n\xff\xfe 1 2 3\n", 2, "not UTF-8"),
        (word2vec_binary()[:-5], None, "cut off at word 3 of the 3"),
        (word2vec_binary().replace(b"3 3", b"4 3", 1), None, "cut off at word 4 of the 4"),
        (word2vec_binary().replace(b"3 3", b"2 3", 1), None, "goes on after the 2 words"),
        (word2vec_binary(("a", "a", "b")), None, "'a' comes twice"),
        (word2vec_binary(matrix=np.where(MATRIX == 3, np.nan, MATRIX)), None, "'fête' holds a value"),
        (gzip.compress(word2vec_text().encode(), mtime=0)[:-9], None, "cut off or damaged"),
        (gzip.compress(np.random.default_rng(0).bytes(1 << 16), mtime=0)[:5000], None, "cut off or damaged"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isprintable() else "",
)
def test_a_broken_file_is_refused_with_its_line(write, content, line, reason):
    path = write(content)
    with pytest.raises(DataFormatError, match=reason) as error:
        vectors.load_vectors(path)
    assert error.value.path == str(path) and (line is None or error.value.line == line)


@pytest.mark.parametrize("dimensions", [2, 5, 300])
def test_a_binary_file_with_a_wrong_number_of_dimensions_is_refused(write, dimensions):
    content = word2vec_binary().replace(b"3 3", f"3 {dimensions}".encode(), 1)
    with pytest.raises(DataFormatError):
        vectors.load_vectors(write(content))


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, len(word2vec_binary()) - 2), flip=st.integers(0, 255))
def test_no_cut_or_changed_file_gets_past_with_fewer_or_other_words(tmp_path_factory, cut, flip):
    """Cutting is always found; a changed byte may give other numbers, but never another number of words."""
    path = tmp_path_factory.mktemp("cut") / "v.bin"
    path.write_bytes(word2vec_binary()[:cut])
    with pytest.raises((DataFormatError, InputError)):
        vectors.load_vectors(path)
    changed = bytearray(word2vec_binary())
    changed[max(cut, 4)] = flip
    path.write_bytes(changed)
    try:
        assert len(vectors.load_vectors(path)) == 3
    except DataFormatError:
        pass


def test_an_unknown_name_says_what_there_is():
    with pytest.raises(ResourceNotFoundError, match=r"NBHELPERS_OFFLINE.*glove-6b-50d"):
        vectors.load_vectors("glove-wiki-gigaword-100000")
    with pytest.raises(ResourceNotFoundError, match="no file"):
        vectors.load_vectors("folder/absent.bin")


def test_gensims_downloads_are_used_without_their_code(tmp_path, monkeypatch):
    from gensim import downloader

    folder = tmp_path / "tiny-model-3"
    folder.mkdir()
    (folder / "tiny-model-3.gz").write_bytes(gzip.compress(word2vec_text().encode()))
    (folder / "__init__.py").write_text("raise RuntimeError('this code is never run')")
    monkeypatch.setattr(downloader, "BASE_DIR", str(tmp_path))
    assert vectors.load_vectors("tiny-model-3").words == WORDS


def test_gensims_downloader_is_asked_only_when_not_offline(monkeypatch):
    from gensim import downloader

    monkeypatch.delenv("NBHELPERS_OFFLINE")
    monkeypatch.setattr(downloader, "load", lambda name, return_path: (_ for _ in ()).throw(OSError("no network")))
    with pytest.raises(ResourceNotFoundError, match="gensim.downloader: no network"):
        vectors.load_vectors("some-model")


# ------------------------------------------------------------------------------------------ the project's format


def test_the_projects_format_comes_back_within_half_a_step(tmp_path):
    path = vector_files.save(tmp_path / "mine", WORDS, [5, 4, 1], MATRIX, {"seconds": 1})
    words, matrix, counts, facts = vector_files.read_shipped(path)
    assert words == WORDS and counts == dict(zip(WORDS, (5, 4, 1))) and facts == {"seconds": 1}
    step = np.abs(MATRIX).max(axis=1, keepdims=True) / 127
    assert (np.abs(matrix - MATRIX) <= step / 2 * (1 + 2**-10)).all()  # the scale is rounded up to a float16
    assert vectors.load_vectors(path).signature.startswith("mine.safetensors@")


@settings(max_examples=100, deadline=None)
@given(arrays.arrays(np.float32, (4, 6), elements=st.floats(-1e3, 1e3, width=32)))
def test_quantisation_error_is_at_most_half_a_scale(matrix):
    codes, scales = vector_files.quantise(matrix)
    assert codes.dtype == np.int8 and np.abs(codes.astype(int)).max() <= 127
    wide = scales.astype(np.float64)[:, None]
    assert (np.abs(codes * wide - matrix) <= wide / 2 * (1 + 1e-5)).all()
    assert (wide[:, 0] <= np.abs(matrix).max(axis=1) / 127 * (1 + 2**-9) + 2**-24).all()  # 2**-24: the smallest float16


def test_vectors_of_the_same_words_share_their_list(tmp_path):
    for name in ("a", "b"):
        vector_files.save(tmp_path / name, WORDS, [3, 2, 1], MATRIX, {})
    vector_files.save(tmp_path / "c", WORDS, [3, 2, 2], MATRIX, {})
    assert len(list(tmp_path.glob("words-*.txt"))) == 2
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("fault", ["cut", "other list", "no list", "nan", "not ours"])
def test_damage_to_the_projects_format_is_found(tmp_path, fault):
    from safetensors.numpy import save_file

    path = vector_files.save(tmp_path / "mine", WORDS, [5, 4, 1], MATRIX, {})
    (listed,) = tmp_path.glob("words-*.txt")
    if fault == "cut":
        path.write_bytes(path.read_bytes()[:-3])
    elif fault == "other list":
        listed.write_text("the\t5\nparis\t4\nfête\t1\n")
    elif fault == "no list":
        listed.unlink()
    elif fault == "nan":
        facts = {"vocabulary": listed.name, "vocabulary_sha256": data.sha256(listed), "facts": "{}"}
        scales = np.array([1, np.nan, 1], np.float32)
        save_file({"codes": np.ones((3, 3), np.int8), "scales": scales}, path, facts)
    else:
        save_file({"weights": MATRIX}, path)
    with pytest.raises(DataFormatError, match="mine.safetensors"):
        vectors.load_vectors(path)


def test_save_refuses_what_it_could_not_read_back(tmp_path):
    for words, matrix in [
        (("a", "a", "b"), MATRIX),
        (("a", "b"), MATRIX),
        (("a", "b\t", "c"), MATRIX),
        (("a", "", "c"), MATRIX),
        (WORDS, np.where(MATRIX == 3, np.inf, MATRIX)),
    ]:
        with pytest.raises(InputError):
            vector_files.save(tmp_path / "mine", words, [1] * len(words), matrix, {})
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------ look-up and cosines


@pytest.fixture
def small():
    return WordVectors(WORDS, MATRIX, "small")


def test_a_word_is_looked_up_as_written_then_in_lower_case(small):
    assert small.rows(["the", "The", "THE", "Paris", "paris", "absent"]).tolist() == [0, 0, 0, 1, -1, -1]
    assert "The" in small and "paris" not in small and 3 not in small
    np.testing.assert_array_equal(small.vector("THE"), MATRIX[0])
    with pytest.raises(InputError, match="no vector for 'paris'"):
        small.vector("paris")


def test_coverage_counts_every_token(small):
    assert small.coverage(["the", "the", "the", "absent"]) == 0.75
    with pytest.raises(InputError, match="no token"):
        small.coverage([])


def test_sums_and_means_leave_unknown_words_out(small):
    texts = [["the", "the", "absent", "Paris"], ["absent"], []]
    sums = small.sums(texts)
    np.testing.assert_allclose(sums, [2 * MATRIX[0] + MATRIX[1], np.zeros(3), np.zeros(3)])
    np.testing.assert_allclose(small.mean(texts[0]), sums[0] / 3, rtol=1e-6)
    with pytest.raises(InputError, match="none of 1 tokens"):
        small.mean(["absent"])
    assert small.sums([]).shape == (0, 3)


def test_cosine_is_nan_for_a_text_without_vectors(small):
    sums = small.sums([["the"], ["absent"]])
    values = vectors.cosine(sums, sums)
    assert values[0] == pytest.approx(1) and np.isnan(values[1])
    with pytest.raises(InputError, match="different shapes"):
        vectors.cosine(MATRIX, MATRIX[:2])


def test_cosines_equal_a_plain_loop_over_more_than_one_chunk():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, vectors._CHUNK + 50, 5)).astype(np.float32)
    plain = [float(np.dot(x, y) / (np.dot(x, x) * np.dot(y, y)) ** 0.5) for x, y in zip(a.tolist(), b.tolist())]
    np.testing.assert_allclose(vectors.cosine(a, b), plain, atol=1e-9)


def test_nearest_words_are_sorted_and_without_the_word_itself(small):
    found = small.nearest("The", 5)
    expected = {w: float(v) for w, v in zip(WORDS, vectors.cosine(np.tile(MATRIX[0], (3, 1)), MATRIX))}
    assert found == sorted(((w, expected[w]) for w in WORDS[1:]), key=lambda pair: -pair[1])
    assert small.nearest("the", 0) == []


@pytest.mark.parametrize(
    ("words", "matrix", "reason"),
    [
        (("a", "b"), MATRIX, "2 words"),
        (("a", "b", "a"), MATRIX, "'a' comes twice"),
        (WORDS, MATRIX[0], "shape"),
        (WORDS, np.where(MATRIX == -1, np.nan, MATRIX), "'Paris' is not finite"),
        ((), np.zeros((0, 3)), "0 words"),
    ],
)
def test_vectors_that_make_no_sense_are_refused(words, matrix, reason):
    with pytest.raises(InputError, match=reason):
        WordVectors(words, matrix, "bad")


# ------------------------------------------------------------------------------------------- random and one-hot


def test_random_vectors_depend_on_the_words_and_the_seed_alone():
    first = vectors.random_vectors(["b", "a", "c", "a"], 50, seed=3)
    second = vectors.random_vectors(["c", "b", "a"], 50, seed=3)
    assert first.words == second.words == ("a", "b", "c")
    np.testing.assert_array_equal(first.matrix, second.matrix)
    assert not np.array_equal(first.matrix, vectors.random_vectors("abc", 50, seed=4).matrix)
    assert "seed:3" in first.signature


def test_random_vectors_of_different_words_are_nearly_orthogonal():
    matrix = vectors.random_vectors(map(str, range(200)), 400).matrix
    values = vectors.cosine(matrix[:100], matrix[100:])
    assert abs(values.mean()) < 0.02 and values.std() == pytest.approx(1 / 20, rel=0.25)  # 1/√d


def test_the_cosine_of_one_hot_sums_is_lexical_overlap():
    found = vectors.one_hot(["the", "cat", "sat", "mat", "dog"])
    sums = found.sums([["The", "cat", "sat"], ["the", "dog", "sat", "absent"]])
    assert vectors.cosine(sums[:1], sums[1:])[0] == pytest.approx(2 / 3)  # two of three words shared
    assert found.coverage(["cat", "absent"]) == 0.5
    np.testing.assert_array_equal(found.vector("cat"), np.eye(5)[found.row("cat")])


def test_one_hot_vectors_of_many_words_take_no_memory():
    found = vectors.one_hot(f"w{i}" for i in range(300_000))  # 360 GB as a matrix
    assert np.ndim(found.matrix) == 2 and found.dimension == len(found) == 300_000
    assert found.matrix[[2, 7]].sum() == 2
    np.testing.assert_array_equal(np.asarray(vectors.Identity(3)), np.eye(3))
    with pytest.raises(InputError):
        vectors.one_hot([])


# -------------------------------------------------------------------------------------- the vectors that ship


@pytest.fixture(scope="module")
def shipped():
    return {name: vectors.load_vectors(name) for name in vectors.shipped()}


def test_word2vec_and_glove_ship_small(shipped):
    assert {"word2vec-2", "word2vec-5", "glove"} <= set(shipped)
    for name in ("word2vec-2", "word2vec-5", "glove"):
        assert len(shipped[name]) >= 20_000
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
            now, then = vectors.word_similarity(found, pairs, resamples=100).estimate, scores[name][pairs]
            assert now.value == pytest.approx(then["value"], abs=1e-6) and now.n == then["n"]
            assert then["low"] <= then["value"] <= then["high"]
            assert f"{then['value']:.3f} [{then['low']:.3f}, {then['high']:.3f}]" in card


@pytest.mark.parametrize("name", ["word2vec-2", "word2vec-5", "glove"])
def test_similar_words_are_near(shipped, name):
    found = shipped[name]
    assert vectors.word_similarity(found, "wordsim353", resamples=100).estimate.value > 0.4
    triples = [("king", "queen", "carbon"), ("doctor", "physician", "guitar"), ("monday", "friday", "soup")]
    for word, near, far in triples:
        close, distant = vectors.cosine(found.matrix[found.rows([near, far])], np.tile(found.vector(word), (2, 1)))
        assert close > distant + 0.2, (word, near, far)


def test_word_counts_fall_and_belong_to_the_vectors(shipped):
    counts = vectors.word_counts()
    values = list(counts.values())
    assert tuple(counts) == shipped["word2vec-5"].words
    assert values == sorted(values, reverse=True) and next(iter(counts)) == "the"
    with pytest.raises(InputError, match="ship"):
        vectors.word_counts("absent")


def test_random_vectors_follow_no_ratings(shipped):
    found = vectors.random_vectors(shipped["glove"].words, 100)
    estimate = vectors.word_similarity(found, "simlex999", resamples=500).estimate
    assert estimate.low < 0 < estimate.high


def test_word_pairs_at_fault_are_named(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("# comment\nlove\tsex\t6.77\ntiger\tcat\n")
    with pytest.raises(DataFormatError) as error:
        vectors.read_word_pairs(path)
    assert error.value.line == 3
    with pytest.raises(InputError, match="covers 0 of 353"):
        vectors.word_similarity(WordVectors(WORDS, MATRIX, "small"))


# ------------------------------------------------------------------------------------------------- real vectors


@pytest.mark.parametrize(
    ("name", "words", "dimension"), [("glove-6b-50d", 10_362, 50), ("word2vec-google-news", 13_784, 300)]
)
def test_genuine_vectors_agree_with_gensims_reader(name, words, dimension):
    try:
        located = data.find(name, allow_shipped=False)
    except ResourceNotFoundError:
        pytest.skip(f"{name} is not on this machine (NBHELPERS_DATA)")
    from gensim.models import KeyedVectors

    binary = ".bin" in located.path.name
    theirs = KeyedVectors.load_word2vec_format(str(located.path), binary=binary, no_header=not binary)
    found = vectors.load_vectors(name)
    assert list(found.words) == theirs.index_to_key
    np.testing.assert_allclose(found.matrix, theirs.vectors, rtol=1e-6)
    if "subset" in located.path.name:
        assert (len(found), found.dimension) == (words, dimension)
    assert vectors.word_similarity(found).estimate.value > 0.4
    sample = vectors.load_vectors(name, only=found.words[:20])
    assert set(found.words[:20]) <= set(sample.words) and len(sample) < 60
