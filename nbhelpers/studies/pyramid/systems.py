"""The systems that answer the tests, by name, and the paired test of two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas
from numpy.typing import NDArray

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import split_words
from nbhelpers.resources import data
from nbhelpers.resources.pyramids import Pyramid, read_pyramids
from nbhelpers.resources.vectors import WordVectors, load_vectors, one_hot, random_vectors, shipped, word_counts
from nbhelpers.studies.pyramid.scoring import Encoder, Scorer, ndd_scorer, text_vectors, vocabulary, word_movers
from nbhelpers.studies.pyramid.tasks import pair_test

EXACT_TOPICS = 12
"""Up to so many topics all exchanges of two results are tried."""

WEIGHTED = "word2vec-5"
"""The vectors of weighted sums, beside one-hot ones, and of Word Mover's Distance."""

ROWS = {
    "One-Hot": "One-Hot",
    "word2vec-google-news": "word2vec-BOW (google-news)",
    "word2vec-2": "word2vec-BOW2 (Wikipedia)",
    "word2vec-5": "word2vec-BOW5 (Wikipedia)",
    "dependency": "Dependency contexts, demonstration",
    "glove-6b-50d": "GloVe",
    "proposition": "Propositions, demonstration",
    "glove": "GloVe, this project's",
    "Random vectors": "Random vectors",
    "One-Hot, words of word2vec-google-news": "One-Hot, words of Google News",
    "One-Hot, words of glove-6b-50d": "One-Hot, words of GloVe",
    "TF-IDF weights": "word2vec-5, TF-IDF weights",
    "SIF weights": "word2vec-5, SIF weights",
    "One-Hot, TF-IDF weights": "One-Hot, TF-IDF weights",
    "One-Hot, SIF weights": "One-Hot, SIF weights",
    "Masked LM": "Masked LM, mean vectors",
    "Sentence encoder": "Sentence encoder",
}
"""Systems that give vectors, and their rows in Table 1."""


def covered(vectors: WordVectors) -> WordVectors:
    """One-hot vectors of the words that other vectors have, so that both see the same words; case makes no difference.

    Examples
    --------
    >>> same = covered(WordVectors(("March", "march", "rain"), np.ones((3, 2)), "toy"))
    >>> same.matrix.toarray().tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    """
    forms, column = np.unique([word.lower() for word in vectors.words], return_inverse=True)
    return WordVectors(vectors.words, one_hot(forms).matrix[column], "one-hot")


def named(pyramids: Sequence[Pyramid], names: Iterable[str]) -> dict[str, Scorer]:
    """Scorers by name.

    They are those of `ROWS`, slow ones that answer questions only (Word Mover's Distance, MeaningBERT, NDD), and word
    vectors that ship, are registered, or stand in a file.

    Parameters
    ----------
    pyramids : sequence of Pyramid
        Whose words the vectors are cut down to.
    names : iterable of str
    """
    words = vocabulary(pair_test(pyramids))

    def scorer(name: str) -> Scorer:
        if name == "One-Hot":
            return one_hot(words)
        if name.startswith("One-Hot, words of "):
            return covered(load_vectors(name.removeprefix("One-Hot, words of "), only=words))
        if name == "Random vectors":
            return random_vectors(words, 300, 0)
        if name == "Sentence encoder":
            from nbhelpers.resources.models import load_encoder

            return Encoder(load_encoder().encode)
        if name == "MeaningBERT":
            from nbhelpers.metrics.meaning_model import load_meaning_model

            return load_meaning_model("embedded").raw
        if name in ("Masked LM", "NDD"):
            lm = MaskedLM()
            if name == "NDD":
                return ndd_scorer(lm)
            return Encoder(lambda texts: lm.contextual_vectors([split_words(text) for text in texts]))
        if name == "Word Mover's Distance":
            return word_movers(load_vectors(WEIGHTED, only=words))
        weighting = {"TF-IDF weights": "tfidf", "SIF weights": "sif"}.get(name.removeprefix("One-Hot, "))
        if weighting is None:
            return load_vectors(name, only=words)
        vectors = one_hot(words) if name.startswith("One-Hot") else load_vectors(WEIGHTED, only=words)
        frequencies = word_counts(WEIGHTED) if WEIGHTED in shipped() else None
        return Encoder(lambda texts: text_vectors(texts, vectors, weighting=weighting, frequencies=frequencies))

    return {name: scorer(name) for name in names}


def duc() -> tuple[list[Pyramid], str]:
    """The pyramids of DUC 2006, and their identity."""
    located = data.find("duc2006-pyramids", allow_shipped=False)
    return read_pyramids(located.path), located.identity


def of_reading(items: pandas.DataFrame, reading: str) -> pandas.DataFrame:
    """Items of one reading of the rules; none of it is an InputError."""
    own = items[items["reading"] == reading]
    if own.empty:
        raise InputError(f"there are no answers for the reading {reading!r}")
    return own


def exchanged(first: NDArray, second: NDArray, statistic: Callable[[NDArray], NDArray]) -> Estimate:
    """Difference of two systems, first minus second, paired by topic.

    The interval is that of a bootstrap over topics. The p-value is that of the paired randomisation test, which
    exchanges the two results of a topic: all exchanges up to 12 topics, else 5,000 random ones. Few topics cannot give
    a small one: with six it is at least 2/64.

    Parameters
    ----------
    first, second : array of shape (topics, k)
        Sums of each topic.
    statistic : callable
        Takes an array of shape (..., k) of such sums over topics, and returns (...).

    Examples
    --------
    >>> right, wrong = np.array([[3, 4], [4, 4]]), np.array([[1, 4], [1, 4]])
    >>> print(exchanged(right, wrong, lambda rows: rows[..., 0] / rows[..., 1]))
    0.625 [0.5, 0.75], n=2, p=0.500
    """
    n, k = first.shape
    means = stats.means(np.hstack([first, second]))
    found = means.of(lambda mean: statistic(mean[..., :k]) - statistic(mean[..., k:])).estimate()
    exact = n <= EXACT_TOPICS
    if exact:
        swapped = np.arange(2**n)[:, None] >> np.arange(n) & 1
    else:
        swapped = np.random.default_rng(0).integers(0, 2, (5000, n))
    moved = swapped @ (second - first)
    differences = statistic(first.sum(axis=0) + moved) - statistic(second.sum(axis=0) - moved)
    extreme = int((np.abs(differences) >= abs(found.value) - 1e-12).sum())
    return replace(found, p=extreme / 2**n if exact else (extreme + 1) / (len(differences) + 1))
