"""Word vectors: those that ship with the project, others from their files, random and one-hot ones.

A word is looked up as it is written, then lower-cased. Words without a vector are left out of sums, so the share of
words with one (`WordVectors.coverage`) belongs beside every score.

The vectors that ship are in safetensors files: eight bits for each number, a scale for each word, and the words with
their counts as plain text beside them. `save` writes that format.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import paths, stats
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import replace_file
from nbhelpers.base.stats import Estimate
from nbhelpers.resources import data

if TYPE_CHECKING:
    from scipy import sparse

WORD_PAIRS = ("wordsim353", "simlex999")
"""Rated word pairs, which come with gensim: relatedness (Finkelstein et al. 2002), similarity (Hill et al. 2015)."""


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors.

    Attributes
    ----------
    words : tuple of str
        All different; frequent words first where the file has them so.
    matrix : float32 array (V, d), or sparse array for `one_hot`
        One row for each word, all finite.
    name, signature : str
        What they are; and the same with checksum and size, for the evidence.
    index : dict of str to int
        Row of each word.

    Examples
    --------
    >>> vectors = WordVectors(("cat", "dog"), [[1, 0], [3, 4]], "toy")
    >>> vectors.coverage(["Cat", "dog", "emu"])
    0.6666666666666666
    >>> vectors.sums([["cat", "dog"]])
    array([[4., 4.]], dtype=float32)
    """

    words: tuple[str, ...]
    matrix: NDArray[np.float32] | sparse.csr_array
    name: str
    signature: str = ""
    index: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from scipy.sparse import issparse

        words = tuple(self.words)
        matrix = self.matrix if issparse(self.matrix) else np.ascontiguousarray(self.matrix, dtype=np.float32)
        index = {word: row for row, word in enumerate(words)}
        if matrix.ndim != 2 or not len(index) == len(words) == matrix.shape[0] or not all(matrix.shape):
            raise InputError(f"{len(words)} words, {len(index)} different, have vectors of shape {matrix.shape}")
        finite = issparse(matrix) or np.isfinite(matrix).all(axis=1)
        if not np.all(finite):
            raise InputError(f"the vector of {words[int(np.argmin(finite))]!r} is not finite")
        signature = self.signature or f"{self.name}|d:{matrix.shape[1]}|words:{len(words)}"
        for name, value in (("words", words), ("matrix", matrix), ("index", index), ("signature", signature)):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimension(self) -> int:
        """Length d of a vector."""
        return self.matrix.shape[1]

    def row(self, word: str) -> int:
        """Row of a word as written, else of the word in lower case, else -1."""
        found = self.index.get(word)
        return found if found is not None else self.index.get(word.lower(), -1)

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """`row` of each word."""
        return np.array([self.row(word) for word in words], dtype=np.int64)

    def coverage(self, tokens: Iterable[str]) -> float:
        """Share of tokens with a vector, in [0, 1]; repeated tokens count each time. No token: InputError."""
        rows = self.rows(tokens)
        if not len(rows):
            raise InputError("no token, so no share of tokens with a vector")
        return float((rows >= 0).mean())

    def token_counts(
        self, texts: Sequence[Iterable[str]], weights: ArrayLike | None = None
    ) -> tuple[sparse.csr_array, NDArray[np.int64], float]:
        """How often each text has each word, the words' rows, and the share of tokens that have a vector.

        The counts are sparse, (n, words that occur); `weights` gives a weight for each token of all texts in turn.
        """
        from scipy import sparse

        rows = [self.rows(tokens) for tokens in texts]
        text = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        column = np.concatenate([np.zeros(0, np.int64), *rows])
        value = np.ones(len(column), dtype=np.float32) if weights is None else np.asarray(weights, dtype=np.float32)
        known = column >= 0
        used, column = np.unique(column[known], return_inverse=True)
        counts = sparse.csr_array((value[known], (text[known], column)), shape=(len(rows), len(used)))
        return counts, used, float(known.mean()) if len(known) else 0.0

    def sums(self, texts: Sequence[Iterable[str]]) -> NDArray[np.float32]:
        """Sum of the vectors of each text's tokens, shape (n, d): one sparse product for all texts.

        A text without any known token has a row of zeros, whose `cosine` with anything is NaN.
        """
        from scipy.sparse import issparse

        counts, used, _ = self.token_counts(texts)
        summed = counts @ self.matrix[used]
        return summed.toarray() if issparse(summed) else summed


def cosine(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Cosines of the rows of two matrices, shape (n, d) each, in [-1, 1]; NaN where a row is zero.

    Examples
    --------
    >>> cosine([[1, 0], [1, 1]], [[2, 0], [1, -1]])
    array([1., 0.])
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.einsum("ij,ij->i", a, b) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
    return np.clip(values, -1, 1)


def random_vectors(vocabulary: Iterable[str], dimension: int = 300, seed: int = 0) -> WordVectors:
    """Independent Gaussian vectors for the different words of a vocabulary, whatever order they come in.

    Examples
    --------
    >>> random_vectors(["cat", "dog", "cat"], dimension=50).matrix.shape
    (2, 50)
    """
    words = sorted(set(vocabulary))
    matrix = np.random.default_rng(seed).standard_normal((len(words), dimension), dtype=np.float32)
    return WordVectors(tuple(words), matrix, "random", f"random|d:{dimension}|words:{len(words)}|seed:{seed}")


def one_hot(vocabulary: Iterable[str]) -> WordVectors:
    """One dimension for each different word, so that the cosine of two sums is their lexical overlap.

    The identity matrix is sparse. Words that differ in case are different words: lower-case the vocabulary, and every
    form is found in it.

    Examples
    --------
    >>> sums = one_hot(["cat", "sat", "the"]).sums([["The", "cat", "sat"], ["the", "cat"]])
    >>> cosine(sums[:1], sums[1:]).round(3)
    array([0.816])
    """
    from scipy.sparse import eye_array

    words = sorted(set(vocabulary))
    return WordVectors(tuple(words), eye_array(len(words), format="csr", dtype=np.float32), "one-hot")


# ---------------------------------------------------------------------------------------------------- loading


def shipped_folder() -> Path:
    """Folder of the vectors that ship with the project; its README.md is their card."""
    return paths.data_dir() / "models" / "vectors-en"


def shipped() -> list[str]:
    """Names of the vectors that ship with the project.

    Examples
    --------
    >>> shipped()
    ['dependency', 'glove', 'proposition', 'word2vec-2', 'word2vec-5']
    """
    return sorted(path.stem for path in shipped_folder().glob("*.safetensors"))


def word_counts(name: str = "word2vec-5") -> dict[str, int]:
    """Counts of the words of shipped vectors in the text they were trained on, frequent words first (for SIF).

    Examples
    --------
    >>> list(word_counts())[:3]
    ['the', 'of', 'and']
    """
    if name not in shipped():
        raise InputError(f"no vectors ship as {name!r}; there are {', '.join(shipped())}")
    return read_shipped(shipped_folder() / f"{name}.safetensors")[0]


def load_vectors(name: str | Path, *, only: Collection[str] | None = None) -> WordVectors:
    """Load word vectors by name or from a file.

    Parameters
    ----------
    name : str or path
        In this order: one of `shipped`; a registered data set (``glove-6b-50d``, ``word2vec-google-news``); a file:
        word2vec (binary or text), GloVe or fastText text, plain or ``.gz``, or this project's own format.
    only : collection of str, optional
        Keep only these words, in every case that the file has (*March*, *march*).

    Returns
    -------
    WordVectors

    Raises
    ------
    ResourceNotFoundError
        Nothing has that name and there is no such file.
    DataFormatError
        The file is cut off, damaged or no file of word vectors, or a value is not a finite number.
    InputError
        `only` leaves no word.

    Examples
    --------
    >>> vectors = load_vectors("glove", only=["king", "queen", "cabbage"])
    >>> king, queen, cabbage = vectors.matrix[vectors.rows(["king", "queen", "cabbage"])]
    >>> cosine([king, king], [queen, cabbage]).round(2)
    array([ 0.61, -0.24])
    """
    label, path = str(name), Path(name)
    if label in shipped():
        path = shipped_folder() / f"{label}.safetensors"
    elif label in data.registry():
        path = data.find(label, allow_shipped=False).path
    elif path.is_file():
        label = path.name
    else:
        registered = [key for key, entry in data.registry().items() if "vectors" in entry.used_by]
        raise ResourceNotFoundError(
            f"there is no file {name} and no vectors have that name; shipped are {', '.join(shipped())}, registered "
            f"{', '.join(registered)}"
        )
    words, matrix = read_shipped(path)[:2] if path.suffix == ".safetensors" else _read_word2vec(path)
    words = list(words)
    if only is not None:
        keep = {word.lower() for word in only}
        chosen = [row for row, word in enumerate(words) if word.lower() in keep]
        if not chosen:
            raise InputError(f"{path.name} has a vector for none of the {len(keep)} words asked for")
        words, matrix = [words[row] for row in chosen], matrix[chosen]
    signature = f"{label}@{data.sha256(path)[:8]}|d:{matrix.shape[1]}|words:{len(words)}"
    return WordVectors(tuple(words), matrix, label, signature)


def _read_word2vec(path: Path) -> tuple[list[str], NDArray[np.float32]]:
    """word2vec, binary or text, with its line of sizes, and GloVe's text, which has none, by gensim's reader."""
    from gensim.models import KeyedVectors
    from gensim.utils import open as open_packed

    try:
        with open_packed(str(path), "rb") as stream:
            start = stream.read(4096)
        if b" " not in start:
            raise ValueError("it is empty, or has no blank between words and values")
        header = re.match(rb"[0-9]+ [0-9]*\s*(\n|\Z)", start)
        # Floats have bytes, zeros among them, that text never has.
        binary = header is not None and re.search(rb"[\x00-\x08\x0e-\x1f]", start) is not None
        vectors = KeyedVectors.load_word2vec_format(str(path), binary=binary, no_header=header is None)
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise DataFormatError(path, None, f"holds no word vectors, or is cut off: {error}") from None
    finite = np.isfinite(vectors.vectors).all(axis=1)
    if not finite.all():
        word = vectors.index_to_key[int(np.argmin(finite))]
        raise DataFormatError(path, None, f"the vector of {word!r} is not finite")
    return vectors.index_to_key, vectors.vectors


# ----------------------------------------------------------------------------------------- the project's format


def quantise(matrix: NDArray) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Codes (V, d) from -127 to 127 and scales (V,), so that codes × scales is the matrix within half a scale.

    The scale of a row is its largest absolute value over 127, rounded up to a float16.
    """
    matrix = np.asarray(matrix, dtype=np.float32)
    largest = np.abs(matrix).max(axis=1)
    if not (largest < 127 * 65_000).all():
        raise InputError("a value of the matrix is too large for eight bits and a scale in float16, or not finite")
    scales = (largest / 127).astype(np.float16)
    scales = np.where(scales.astype(np.float32) * 127 < largest, np.nextafter(scales, np.float16(np.inf)), scales)
    divisor = np.where(scales > 0, scales, 1).astype(np.float32)
    return np.rint(matrix / divisor[:, None]).astype(np.int8), scales


def save(
    path: str | Path, words: Sequence[str], counts: Sequence[int], matrix: NDArray, facts: Mapping[str, Any]
) -> Path:
    """Write vectors as ``NAME.safetensors`` (codes and scales of `quantise`, `facts` as JSON) and a list of words.

    The list has word, tab and count in each line and is called ``words-CHECKSUM.txt``: vectors of the same words share
    it. Returns the path of the vectors.
    """
    from safetensors.numpy import save as packed

    if not len(set(words)) == len(counts) == len(matrix) or any(re.search(r"^$|[\t\n\r]", word) for word in words):
        raise InputError("words, counts and rows differ in number, or a word is twice there, empty or has a tab")
    codes, scales = quantise(matrix)
    path = Path(path)
    path = path.with_name(path.name.removesuffix(".safetensors") + ".safetensors")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{word}\t{int(count)}\n" for word, count in zip(words, counts)).encode()
    checksum = hashlib.sha256(text).hexdigest()
    vocabulary = replace_file(path.with_name(f"words-{checksum[:8]}.txt"), text)
    metadata = {"vocabulary": vocabulary.name, "vocabulary_sha256": checksum, "facts": json.dumps(dict(facts))}
    return replace_file(path, packed({"codes": codes, "scales": scales}, metadata))


def read_shipped(path: str | Path) -> tuple[dict[str, int], NDArray[np.float32], dict[str, Any]]:
    """Counts by word, matrix (V, d) and facts of a file that `save` wrote; DataFormatError if it is damaged."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    try:
        with safe_open(str(path), framework="numpy") as archive:
            metadata = archive.metadata() or {}
            codes, scales = archive.get_tensor("codes"), archive.get_tensor("scales")
        facts = json.loads(metadata["facts"])
        vocabulary = path.with_name(Path(metadata["vocabulary"]).name)
        text = vocabulary.read_bytes()
    except (SafetensorError, KeyError, ValueError, RecursionError, OSError) as error:
        raise DataFormatError(path, None, f"holds no word vectors of this project, or is cut off ({error})") from None
    if hashlib.sha256(text).hexdigest() != metadata["vocabulary_sha256"]:
        raise DataFormatError(path, None, f"its list of words, {vocabulary.name}, is another one")
    lines = [line.split("\t") for line in text.decode().rstrip("\n").split("\n")]
    counts = {word: int(count) for word, count in lines}
    if len(codes) != len(counts) or not np.isfinite(scales).all():
        raise DataFormatError(path, None, f"{len(counts)} words and {len(codes)} vectors, or a value is not finite")
    return counts, codes * scales.astype(np.float32)[:, None], facts


# ------------------------------------------------------------------------------------------------- evaluation


def word_similarity(vectors: WordVectors, name: str = "wordsim353", *, resamples: int = 2000) -> tuple[Estimate, int]:
    """How well cosines follow human ratings of word pairs (`WORD_PAIRS`): Spearman correlation.

    Returns
    -------
    Estimate, int
        With the bootstrap interval and n, the number of pairs with two vectors; and the number of all pairs.
    """
    lines = data.find(name).path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line.strip() and not line.startswith("#")]
    rows = np.array([(vectors.row(a), vectors.row(b)) for a, b, _ in pairs])
    covered = (rows >= 0).all(axis=1)
    if covered.sum() < 3:
        raise InputError(f"{vectors.name} covers {int(covered.sum())} of {len(pairs)} pairs of {name}")
    values = cosine(vectors.matrix[rows[covered, 0]], vectors.matrix[rows[covered, 1]])
    ratings = np.array([float(rating) for *_, rating in pairs])[covered]
    return stats.correlation(values, ratings, resamples=resamples), len(pairs)
