"""Similarities of pairs, and of questions and answers, by word vectors, sentence encoders or pairwise scorers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse.linalg import svds
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance_nd

from nbhelpers.base.errors import InputError
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import find_edits, kept_positions, ndd_batch, split_words
from nbhelpers.resources.vectors import WordVectors
from nbhelpers.studies.pyramid.tasks import PairTest, QuestionTest, words


@dataclass(frozen=True)
class Encoder:
    """A scorer that turns a list of texts, once, into vectors (n, d), which are compared by cosine."""

    encode: Callable[[list[str]], ArrayLike]
    _known: dict[tuple[str, ...], NDArray] = field(default_factory=dict, repr=False, compare=False)

    def vectors(self, texts: list[str]) -> NDArray:
        """What `encode` gives; the vector of a text may depend on the others."""
        if tuple(texts) not in self._known:
            self._known[tuple(texts)] = np.asarray(self.encode(texts))
        return self._known[tuple(texts)]


Scorer = WordVectors | Encoder | Callable[[list[str], list[str]], ArrayLike]
"""Word vectors, an encoder, or a function of two lists of texts."""

SIF_SMOOTHING = 1e-3
"""The a of SIF weights a / (a + p(word))."""

PAIRS_AT_ONCE = 4096
"""Pairs of vectors that are multiplied together, which bounds the memory."""


def unique_texts(test: PairTest | QuestionTest) -> tuple[list[str], NDArray]:
    """The different texts of a test's segments, in order, and each segment's place among them.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> texts, place = unique_texts(pyramid.pair_test(topics[:1]))
    >>> texts[place[0]]
    'The Kettin dam in the Velmar valley broke'
    """
    seen: dict[str, int] = {}
    place = np.array([seen.setdefault(segment.text, len(seen)) for segment in test.segments])
    return list(seen), place


def vocabulary(test: PairTest | QuestionTest) -> list[str]:
    """The different words of a test's segments, lower-cased and sorted, for `one_hot` vectors and others.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> vocabulary(pyramid.pair_test(topics[:1]))[-2:]
    ['year', 'years']
    """
    return sorted({token.lower() for segment in test.segments for token in words(segment.text)})


# ------------------------------------------------------------------------------------------------ texts as vectors


def normalised(matrix: ArrayLike) -> NDArray[np.float32]:
    """Vectors (n, d) of texts, divided by their lengths; a row of zeros stays.

    Examples
    --------
    >>> normalised([[0, 2], [0, 0]]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    from sklearn.preprocessing import normalize

    return normalize(np.asarray(matrix, dtype=np.float32))


def text_vectors(
    texts: Sequence[str], vectors: WordVectors, *, weighting: str = "sum", frequencies: Mapping[str, int] | None = None
) -> NDArray[np.float32]:
    """The normalised sum of all words of a text (section 4), for all texts in one matrix product.

    Words without a vector are left out of the sum.

    Parameters
    ----------
    texts : sequence of str
    vectors : WordVectors
    weighting : {"sum", "tfidf", "sif"}
        "tfidf" weighs a word by log(N / texts that have it) + 1; "sif" by a / (a + p(word)) with a = `SIF_SMOOTHING`,
        and then takes out the first principal direction of the texts (Arora, Liang & Ma 2017, ICLR, algorithm 1). That
        direction is taken from the sums, in which long texts weigh more, not from averages as in the algorithm.
    frequencies : mapping of str to int, optional
        Counts of lower-cased words in a corpus, for "sif"; those of `texts` by default.

    Returns
    -------
    float32 array (n, d)
        Rows of length 1, or zero where no word has a vector.

    Examples
    --------
    >>> vectors = WordVectors(("rain", "fell"), [[3, 0], [0, 4]], "toy")
    >>> text_vectors(["Rain, rain!", "Snow"], vectors).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    tokens = [words(text) for text in texts]
    weights = _weights([[token.lower() for token in line] for line in tokens], weighting, frequencies)
    counts, used, _ = vectors.token_counts(tokens, [weights[token.lower()] for line in tokens for token in line])
    summed = counts @ vectors.matrix[used]
    summed = summed if isinstance(summed, np.ndarray) else summed.toarray()
    if weighting == "sif" and min(summed.shape) > 1 and summed.any():
        axis = svds(summed, k=1, v0=np.ones(min(summed.shape), np.float32))[2][0]
        summed = summed - np.outer(summed @ axis, axis)
    return normalised(summed)


def _weights(lines: list[list[str]], weighting: str, frequencies: Mapping[str, int] | None) -> dict[str, float]:
    """Weight of every lower-cased word."""
    here = Counter(word for line in lines for word in line)
    if weighting == "sum":
        return dict.fromkeys(here, 1.0)
    if weighting == "tfidf":
        having = Counter(word for line in lines for word in set(line))
        return {word: float(np.log(len(lines) / n) + 1) for word, n in having.items()}
    if weighting == "sif":
        counts = here if frequencies is None else frequencies
        total = sum(counts.values())
        return {word: SIF_SMOOTHING / (SIF_SMOOTHING + counts.get(word, 0) / total) for word in here}
    raise InputError(f"weighting is 'sum', 'tfidf' or 'sif', not {weighting!r}")


# --------------------------------------------------------------------------------------------------------- scoring


def coverage(test: PairTest | QuestionTest, scorer: Scorer) -> float:
    """Share of words that have a vector; NaN for what has no words."""
    if not isinstance(scorer, WordVectors):
        return math.nan
    texts, _ = unique_texts(test)
    return scorer.coverage(word for text in texts for word in words(text))


def score(test: PairTest | QuestionTest, scorer: Scorer) -> NDArray[np.float64]:
    """Similarity of every pair, or of every question and each of its answers.

    Parameters
    ----------
    test : PairTest or QuestionTest
    scorer : WordVectors, Encoder or callable
        Word vectors (see `text_vectors`) and the vectors of an `Encoder` are compared by cosine; a text without one has
        cosine 0. A callable takes two lists of texts (question first) and returns one number for each pair, higher
        for texts more alike; each different pair is asked once.

    Returns
    -------
    float array
        (n,) for pairs, (n, answers) for questions.

    Raises
    ------
    InputError
        A scorer that gives NaN or the wrong number of values.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> pairs = pyramid.pair_test(topics[:1])
    >>> score(pairs, lambda first, second: [len(text) for text in first])[:3].tolist()
    [41.0, 41.0, 41.0]
    """
    texts, place = unique_texts(test)
    if isinstance(test, PairTest):
        left, right = place[test.left], place[test.right]
    else:
        right = place[test.answers]
        left = np.repeat(place[test.question], right.shape[1]).reshape(right.shape)
    if callable(scorer):
        keys, back = np.unique(left.ravel() * len(texts) + right.ravel(), return_inverse=True)
        asked = np.asarray(scorer([texts[k // len(texts)] for k in keys], [texts[k % len(texts)] for k in keys]), float)
        if asked.shape != keys.shape or np.isnan(asked).any():
            raise InputError(f"the scorer returned {asked.shape} values for {len(keys)} pairs, or one is NaN")
        return asked[back].reshape(left.shape)
    given = text_vectors(texts, scorer) if isinstance(scorer, WordVectors) else normalised(scorer.vectors(texts))
    i, j, values = left.ravel(), right.ravel(), np.empty(left.size)
    for start in range(0, left.size, PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        values[part] = np.einsum("ij,ij->i", given[i[part]], given[j[part]])
    return values.reshape(left.shape)


def word_movers(vectors: WordVectors) -> Scorer:
    """Scorer by Word Mover's Distance (Kusner et al. 2015, ICML), negated: 0 is the same, -inf has no words.

    Defined as in gensim's ``KeyedVectors.wmdistance``: word frequencies moved over Euclidean distances of normalised
    vectors. The transport is solved exactly by SciPy, as gensim leaves it to a package (POT) outside this project's
    environment. Milliseconds for each pair: meant for ranking questions.

    Examples
    --------
    >>> vectors = WordVectors(("rain", "snow"), np.eye(2), "toy")
    >>> word_movers(vectors)(["rain"], ["snow"]).round(2).tolist()
    [-1.41]
    """

    def bag(text: str) -> tuple[NDArray, NDArray]:
        rows = vectors.rows(words(text))
        used, counts = np.unique(rows[rows >= 0], return_counts=True)
        found = np.asarray(vectors.matrix[used], dtype=np.float64)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12), counts

    def score_pairs(first: list[str], second: list[str]) -> NDArray:
        bags = {text: bag(text) for text in {*first, *second}}
        return np.array([-transport(*bags[one], *bags[other]) for one, other in zip(first, second)])

    return score_pairs


def transport(a: NDArray, count_a: NDArray, b: NDArray, count_b: NDArray) -> float:
    """Least mean distance of moving the points `a` to `b`, which stand for so many parcels; infinite without points."""
    if not len(a) or not len(b):
        return np.inf
    n, m = int(count_a.sum()), int(count_b.sum())
    common = int(np.lcm(n, m))
    if common > 160:
        return float(wasserstein_distance_nd(a, b, count_a, count_b))
    # Few: split into equal parcels and assign them, which is faster than a linear programme.
    rows, columns = np.repeat(a, count_a * (common // n), axis=0), np.repeat(b, count_b * (common // m), axis=0)
    parcels = cdist(rows, columns)
    return float(parcels[linear_sum_assignment(parcels)].mean())


def ndd_scorer(lm: MaskedLM) -> Scorer:
    """Scorer by NDD, negated, reading the second text as an edit of the first; -inf where no word is left in place.

    Lower-cased, so that a capital is no edit. NDD sums over the words that stay: texts that share few words have few
    terms. Seconds for a hundred pairs: meant for some of the ranking questions.

    Examples
    --------
    >>> from nbhelpers.language.mlm import MaskedLM
    >>> ndd_scorer(MaskedLM())(["A cold rain."], ["A cool rain."])  # doctest: +SKIP
    """

    def score_pairs(first: list[str], second: list[str]) -> NDArray:
        pairs = [(split_words(a.lower()), split_words(b.lower())) for a, b in zip(first, second)]
        asked = [n for n, (a, b) in enumerate(pairs) if a == b or kept_positions(len(a), find_edits(a, b))]
        values = np.full(len(pairs), -np.inf)
        values[asked] = [-result.value for result in ndd_batch(lm, [pairs[n] for n in asked])]
        return values

    return score_pairs
