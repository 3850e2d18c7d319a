"""Word vectors: those that ship with the project, any other from its file, random and one-hot ones.

`load_vectors` takes the name of vectors that ship with the project (`shipped`), of a registered data set found on this
machine, of one that gensim's downloader knows, or a path to a file: word2vec (binary or text), GloVe text, fastText
(text or binary), this project's own format, or gensim's ``KeyedVectors``. A file is read whole or not at all.

A word is looked up as it is written, then lower-cased. Words without a vector are left out of sums and means, so the
share of words with one (`WordVectors.coverage`) belongs beside every score.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import paths, stats
from nbhelpers.base.errors import DataFormatError, InputError, ResourceNotFoundError
from nbhelpers.base.files import open_text
from nbhelpers.base.stats import Estimate
from nbhelpers.resources import data, vector_files

if TYPE_CHECKING:
    from scipy import sparse

WORD_PAIRS = ("wordsim353", "simlex999")
"""Rated word pairs, which come with gensim: relatedness (Finkelstein et al. 2002), similarity (Hill et al. 2015)."""

_CHUNK = 1 << 14


class Identity:
    """Rows of an identity matrix, made only when they are asked for; `ndim` and `shape` are those of a matrix."""

    ndim, dtype = 2, np.dtype(np.float32)

    def __init__(self, size: int) -> None:
        self.shape = (size, size)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: int | ArrayLike) -> NDArray[np.float32]:
        chosen = np.arange(len(self))[rows]
        result = np.zeros((*np.shape(chosen), len(self)), dtype=np.float32)
        np.put_along_axis(result, np.expand_dims(chosen, -1), 1, axis=-1)
        return result

    def __array__(self, dtype=None, copy=None) -> NDArray:
        return np.eye(len(self), dtype=dtype or self.dtype)


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words and their vectors.

    Attributes
    ----------
    words : tuple of str
        All different; frequent words first where the file has them so.
    matrix : float32 array (V, d), or Identity
        The vectors as they are in the file, one row for each word, all finite.
    name, signature : str
        What they are; and the same with checksum and size, for the ledger.
    index : dict of str to int
        Row of each word.
    """

    words: tuple[str, ...]
    matrix: NDArray[np.float32] | Identity
    name: str
    signature: str = ""
    index: Mapping[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        words, matrix = tuple(self.words), self.matrix
        index = {word: row for row, word in enumerate(words)}
        if not isinstance(matrix, Identity):
            matrix = np.ascontiguousarray(matrix, dtype=np.float32)
            if matrix.ndim != 2 or len(matrix) != len(words) or not matrix.size:
                raise InputError(f"{len(words)} words have vectors of shape {matrix.shape}")
            finite = np.isfinite(matrix).all(axis=1)
            if not finite.all():
                raise InputError(f"the vector of {words[int(np.argmin(finite))]!r} is not finite")
        if len(index) != len(words):
            twice = next(word for row, word in enumerate(words) if index[word] != row)
            raise InputError(f"the word {twice!r} comes twice")
        signature = self.signature or f"{self.name}|d:{matrix.shape[1]}|words:{len(words)}"
        for name, value in (("words", words), ("matrix", matrix), ("index", index), ("signature", signature)):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.row(word) >= 0

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

    def vector(self, word: str) -> NDArray[np.float32]:
        """Vector of a word, shape (d,); an unknown word is an InputError, never a zero vector."""
        row = self.row(word)
        if row < 0:
            raise InputError(f"{self.name} has no vector for {word!r}")
        return self.matrix[row]

    def coverage(self, tokens: Iterable[str]) -> float:
        """Share of tokens with a vector, in [0, 1]; repeated tokens count each time. No token: InputError."""
        rows = self.rows(tokens)
        if not len(rows):
            raise InputError("no token, so no share of tokens with a vector")
        return float((rows >= 0).mean())

    def mean(self, tokens: Iterable[str]) -> NDArray[np.float32]:
        """Mean vector (d,) of the tokens that have one; InputError where none has."""
        tokens = list(tokens)
        rows = self.rows(tokens)
        if not (rows >= 0).any():
            raise InputError(f"{self.name} has a vector for none of {len(tokens)} tokens")
        return self.matrix[rows[rows >= 0]].mean(axis=0)

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
        counts, used, _ = self.token_counts(texts)
        if isinstance(self.matrix, Identity):
            result = np.zeros((len(texts), len(self)), dtype=np.float32)
            result[:, used] = counts.toarray()
            return result
        return counts @ self.matrix[used]

    def nearest(self, word: str, count: int = 10) -> list[tuple[str, float]]:
        """The words with the largest cosines to a word, and the cosines, falling; the word itself is left out."""
        if isinstance(self.matrix, Identity):
            raise InputError("one-hot vectors are all equally far from one another")
        own, target = self.row(word), self.vector(word)
        values = np.nan_to_num(cosine(np.broadcast_to(target, (len(self), len(target))), self.matrix), nan=-2.0)
        values[own] = -2.0
        best = np.argsort(-values, kind="stable")[: max(0, min(count, len(self) - 1))]
        return [(self.words[row], float(values[row])) for row in best]


def cosine(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Cosines of the rows of two matrices, shape (n, d) each, in [-1, 1]; NaN where a row is zero."""
    first, second = np.atleast_2d(first), np.atleast_2d(second)
    if first.shape != second.shape:
        raise InputError(f"cosines of rows of different shapes: {first.shape} and {second.shape}")
    values = np.empty(len(first))
    for start in range(0, len(first), _CHUNK):  # in float64, without a second copy of the whole
        a, b = (part[start : start + _CHUNK].astype(np.float64) for part in (first, second))
        with np.errstate(invalid="ignore", divide="ignore"):
            values[start : start + _CHUNK] = np.einsum("ij,ij->i", a, b) / (
                np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
            )
    return np.clip(values, -1, 1)


def random_vectors(vocabulary: Iterable[str], dimension: int = 300, seed: int = 0) -> WordVectors:
    """Independent Gaussian vectors for the different words of a vocabulary, whatever order they come in."""
    words = sorted(set(vocabulary))
    if dimension < 1:
        raise InputError(f"vectors have at least 1 dimension, not {dimension}")
    matrix = np.random.default_rng(seed).standard_normal((len(words), dimension), dtype=np.float32)
    return WordVectors(tuple(words), matrix, "random", f"random|d:{dimension}|words:{len(words)}|seed:{seed}")


def one_hot(vocabulary: Iterable[str]) -> WordVectors:
    """One dimension for each different word, so that the cosine of two sums is their lexical overlap.

    The identity matrix is never held (`Identity`). Words that differ in case are different words: lower-case the
    vocabulary, and every form is found in it.
    """
    words = sorted(set(vocabulary))
    if not words:
        raise InputError("a vocabulary without words")
    return WordVectors(tuple(words), Identity(len(words)), "one-hot")


# ---------------------------------------------------------------------------------------------------- loading


def shipped_folder() -> Path:
    """Folder of the vectors that ship with the project; its README.md is their card."""
    return paths.data_dir() / "models" / "vectors-en"


def shipped() -> list[str]:
    """Names of the vectors that ship with the project."""
    return sorted(path.stem for path in shipped_folder().glob("*.safetensors"))


def word_counts(name: str = "word2vec-5") -> dict[str, int]:
    """Counts of the words of shipped vectors in the text they were trained on, frequent words first (for SIF)."""
    path = shipped_folder() / f"{name}.safetensors"
    if not path.is_file():
        raise InputError(f"no vectors ship as {name!r}; there are {', '.join(shipped())}")
    return vector_files.read_shipped(path)[2]


def load_vectors(name: str | Path, *, only: Collection[str] | None = None, allow_pickle: bool = False) -> WordVectors:
    """Load word vectors by name or from a file.

    Parameters
    ----------
    name : str or path
        In this order: one of `shipped`; a registered data set (``glove-6b-50d``, ``word2vec-google-news``); a
        file; a name for ``gensim.downloader`` (``glove-wiki-gigaword-100``; downloads it into gensim's own folder
        unless ``NBHELPERS_OFFLINE`` is set). Files are recognised by what is in them; ``.gz`` is read as it is.
    only : collection of str, optional
        Keep only these words and their lower-case forms: three million words of 300 numbers take 3.6 GB.
    allow_pickle : bool
        gensim's own format holds a pickle, which can run any code when it is loaded. True loads one you trust.

    Raises
    ------
    ResourceNotFoundError
        Nothing has that name and there is no such file.
    DataFormatError
        The file is cut off, a row has the wrong number of values, a word comes twice, a value is not a finite
        number, or the first line announces something else than what follows; with the line in text files.
    InputError
        A pickle without `allow_pickle`, or `only` leaves no word.
    """
    keep = None if only is None else {form for word in only for form in (word, word.lower())}
    label, path = str(name), Path(name)
    if label in shipped():
        path = shipped_folder() / f"{label}.safetensors"
    elif label in data.registry():
        path = data.find(label, allow_shipped=False).path
    elif path.is_file():
        label = path.name
    else:
        path = _downloaded(label)
    words, matrix = vector_files.read(path, keep=keep, allow_pickle=allow_pickle)
    if not words:
        raise InputError(f"{path.name} has a vector for none of the {len(keep or ())} words asked for")
    signature = f"{label}@{data.sha256(path)[:8]}|d:{matrix.shape[1]}|words:{len(words)}"
    return WordVectors(words, matrix, label, signature)


def _downloaded(name: str) -> Path:
    """File of a model of gensim's downloader; only its data file is used, never the code that comes beside it."""
    reason = "it is no name for gensim.downloader"
    if re.fullmatch(r"[A-Za-z0-9_-]+", name):
        from gensim import downloader

        reason = "gensim.downloader is not asked: NBHELPERS_OFFLINE is set"

        present = list((Path(downloader.BASE_DIR) / name).glob("*.gz"))
        if present:
            return present[0]
        if not paths.is_offline():
            try:
                return Path(downloader.load(name, return_path=True))
            except Exception as error:  # whatever the network, gensim's list of models or its checksum object to
                reason = f"gensim.downloader: {error}"
    registered = [key for key, entry in data.registry().items() if "vectors" in entry.used_by and entry.kind == "data"]
    raise ResourceNotFoundError(
        f"there is no file {name} and no vectors have that name ({reason}); shipped are {', '.join(shipped())}, "
        f"registered {', '.join(registered)}"
    )


# ------------------------------------------------------------------------------------------------- evaluation


@dataclass(frozen=True)
class WordSimilarity:
    """Spearman correlation of cosines with human ratings, over the pairs that are covered.

    `estimate` has the bootstrap interval and n, the number of pairs with two vectors; `pairs` counts all.
    """

    name: str
    estimate: Estimate
    pairs: int

    @property
    def coverage(self) -> float:
        """Share of pairs with two vectors."""
        return self.estimate.n / self.pairs


def read_word_pairs(path: str | Path) -> list[tuple[str, str, float]]:
    """Rated word pairs: two words and a number in each line, between tabs; lines with # are comments."""
    pairs = []
    with open_text(path) as lines:
        for line in lines:
            fields = line.strip().split("\t")
            if line.startswith("#") or fields == [""]:
                continue
            try:
                pairs.append((fields[0], fields[1], float(fields[2])))
            except (IndexError, ValueError):
                raise DataFormatError(path, lines.line, "is no word, word and rating") from None
    return pairs


def word_similarity(vectors: WordVectors, name: str = "wordsim353", *, resamples: int = 2000) -> WordSimilarity:
    """How well cosines follow human ratings of word pairs (`WORD_PAIRS`); pairs without two vectors are left out."""
    pairs = read_word_pairs(data.find(name).path)
    rows = np.array([(vectors.row(a), vectors.row(b)) for a, b, _ in pairs])
    covered = (rows >= 0).all(axis=1)
    if covered.sum() < 3:
        raise InputError(f"{vectors.name} covers {int(covered.sum())} of {len(pairs)} pairs of {name}")
    values = cosine(vectors.matrix[rows[covered, 0]], vectors.matrix[rows[covered, 1]])
    ratings = np.array([rating for _, _, rating in pairs])[covered]
    return WordSimilarity(name, stats.correlation(values, ratings, "spearman", resamples=resamples), len(pairs))
