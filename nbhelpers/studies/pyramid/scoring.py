"""Similarities of pairs, and of questions and answers, by word vectors, sentence encoders or pairwise scorers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.metrics.ndd import NDDSettings, find_edits, kept_positions, ndd_batch, split_words
from nbhelpers.resources.vectors import WordVectors
from nbhelpers.studies.pyramid.items import words
from nbhelpers.studies.pyramid.pairs import PairTest
from nbhelpers.studies.pyramid.questions import QuestionTest

Scorer = Callable[[list[str], list[str]], ArrayLike]


@dataclass(frozen=True, eq=False)
class TextVectors:
    """Texts as vectors.

    `matrix` is (n, d) with rows of length 1 or zero, `coverage` the share of words with a vector (None for encoders),
    `empty` the number of texts without any.
    """

    matrix: NDArray
    coverage: float | None
    empty: int


def normalised(matrix: ArrayLike, coverage: float | None = None) -> TextVectors:
    """Vectors (n, d) of texts, divided by their lengths; another shape or a value that is not finite: InputError."""
    matrix = np.asarray(matrix, dtype=np.float32)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise InputError(f"the vectors have shape {matrix.shape}, or hold a value that is not finite")
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    empty = length[:, 0] <= 1e-12
    return TextVectors(matrix / np.where(empty[:, None], 1, length), coverage, int(empty.sum()))


def text_vectors(
    texts: Sequence[str],
    vectors: WordVectors,
    *,
    weighting: str = "sum",
    frequencies: Mapping[str, int] | None = None,
    smoothing: float = 1e-3,
) -> TextVectors:
    """The normalised sum of all words of a text (section 4), for all texts in one matrix product.

    Words without a vector are left out of the sum. No texts, or an unknown weighting, are InputErrors.

    Parameters
    ----------
    weighting : {"sum", "tfidf", "sif"}
        "tfidf" weighs a word by log(N / texts that have it) + 1; "sif" by a / (a + p(word)), a being `smoothing`, and
        then takes out the first principal direction of the texts (Arora, Liang & Ma 2017, ICLR, algorithm 1). That
        direction is taken from the sums, in which long texts weigh more, not from averages as in the algorithm.
    frequencies : mapping of str to int, optional
        Counts of lower-cased words in a corpus, for "sif"; those of `texts` by default.
    """
    from scipy.sparse import issparse

    if not len(texts) or weighting not in ("sum", "tfidf", "sif"):
        raise InputError(f"weighting is 'sum', 'tfidf' or 'sif', not {weighting!r}" if len(texts) else "no texts")
    tokens = [words(text) for text in texts]
    value = None
    if weighting != "sum":
        weights = _weights([[token.lower() for token in line] for line in tokens], weighting, frequencies, smoothing)
        value = [weights[token.lower()] for line in tokens for token in line]
    counts, used, coverage = vectors.token_counts(tokens, value)
    summed = counts.toarray() if issparse(vectors.matrix) else counts @ vectors.matrix[used]
    if weighting == "sif" and min(summed.shape) > 1 and summed.any():
        from scipy.sparse.linalg import svds

        axis = svds(summed, k=1, v0=np.ones(min(summed.shape), np.float32))[2][0]
        summed = summed - np.outer(summed @ axis, axis)
    return normalised(summed, coverage)


def _weights(lines, weighting: str, frequencies, smoothing: float) -> dict[str, float]:
    """Weight of every lower-cased word."""
    if weighting == "tfidf":
        having = Counter(word for line in lines for word in set(line))
        return {word: float(np.log(len(lines) / n) + 1) for word, n in having.items()}
    here = Counter(word for line in lines for word in line)
    counts = here if frequencies is None else frequencies
    total = sum(counts.values())
    if total < 1 or smoothing <= 0:
        raise InputError("SIF needs word counts and a smoothing above zero")
    return {word: smoothing / (smoothing + counts.get(word, 0) / total) for word in here}


@dataclass(frozen=True, eq=False)
class Scores:
    """Similarities: `values` (n,) for pairs, (n, answers) for questions; the rest as in `TextVectors`."""

    values: NDArray
    coverage: float | None = None
    empty: int = 0


def score(test: PairTest | QuestionTest, scorer: Any, **options: Any) -> Scores:
    """Similarity of every pair, or of every question and each of its answers.

    Parameters
    ----------
    test : PairTest or QuestionTest
    scorer : WordVectors, TextVectors or callable
        Vectors of texts (one row for each of `unique_texts`; made from word vectors by `text_vectors`, which takes the
        `options`) are compared by cosine; a text without a vector has cosine 0. A callable takes two lists of texts
        (question first) and returns one number for each pair; each different pair is asked once. One that has
        ``higher_means_same`` set to False is negated.

    Raises
    ------
    InputError
        A scorer of another kind, or one that returns NaN or the wrong number of values.
    """
    texts, place = unique_texts(test)
    if isinstance(test, PairTest):
        left, right = place[test.left], place[test.right]
    else:
        right = place[test.answers]
        left = np.repeat(place[test.question], right.shape[1]).reshape(right.shape)
    if isinstance(scorer, WordVectors):
        scorer, options = text_vectors(texts, scorer, **options), {}
    if options or not (isinstance(scorer, TextVectors) or callable(scorer)):
        raise InputError(f"a scorer is word vectors (with options), TextVectors or a callable, not {scorer!r:.40}")
    if isinstance(scorer, TextVectors):
        if len(scorer.matrix) != len(texts):
            raise InputError(f"{len(scorer.matrix)} vectors are given for {len(texts)} unique texts")
        values = _cosines(scorer.matrix, left.ravel(), right.ravel())
        return Scores(values.reshape(left.shape), scorer.coverage, scorer.empty)
    keys, back = np.unique(left.ravel() * len(texts) + right.ravel(), return_inverse=True)
    asked = np.asarray(scorer([texts[k // len(texts)] for k in keys], [texts[k % len(texts)] for k in keys]), float)
    if asked.shape != keys.shape or np.isnan(asked).any():
        raise InputError(f"the scorer returned {asked.shape} values for {len(keys)} pairs, or one is NaN")
    return Scores((asked[back] if getattr(scorer, "higher_means_same", True) else -asked[back]).reshape(left.shape))


def unique_texts(test: PairTest | QuestionTest) -> tuple[list[str], NDArray]:
    """The different texts of a test's segments, in order, and each segment's place among them."""
    seen: dict[str, int] = {}
    place = np.array([seen.setdefault(segment.text, len(seen)) for segment in test.segments])
    return list(seen), place


def vocabulary(test: PairTest | QuestionTest) -> list[str]:
    """The different words of a test's segments, lower-cased and sorted, for `nbhelpers.resources.vectors.one_hot` and
    others."""
    return sorted({token.lower() for segment in test.segments for token in words(segment.text)})


def _cosines(matrix: NDArray, left: NDArray, right: NDArray) -> NDArray:
    values = np.empty(len(left))
    few = max(64, (1 << 20) // max(1, matrix.shape[1]))  # pairs whose vectors fit into the processor's cache
    for start in range(0, len(left), 8192):
        part = slice(start, start + 8192)
        first, i = np.unique(left[part], return_inverse=True)
        second, j = np.unique(right[part], return_inverse=True)
        if len(first) * len(second) <= 16 * len(i):  # few texts in many pairs: all their products cost less
            values[part] = (matrix[first] @ matrix[second].T)[i, j]
            continue
        for begin in range(start, min(start + 8192, len(left)), few):
            part = slice(begin, min(begin + few, start + 8192))
            values[part] = np.einsum("ij,ij->i", matrix[left[part]], matrix[right[part]])
    return values


def random_answers(test: PairTest | QuestionTest, seed: int = 0) -> Scores:
    """Random answers (uniform scores). Not to be confused with random *vectors*, which behave like one-hot ones."""
    shape = (len(test),) if isinstance(test, PairTest) else test.answers.shape
    return Scores(np.random.default_rng(seed).random(shape))


def word_movers(vectors: WordVectors) -> Scorer:
    """Scorer by Word Mover's Distance (Kusner et al. 2015, ICML), negated: 0 is the same, -inf has no words.

    Defined as in gensim's ``KeyedVectors.wmdistance``: word frequencies moved over Euclidean distances of normalised
    vectors. The transport is solved exactly by SciPy, as gensim leaves it to a package (POT) outside this project's
    environment. Milliseconds for each pair: meant for ranking questions.
    """

    def bag(text: str) -> tuple[NDArray, NDArray]:
        rows = vectors.rows(words(text))
        used, counts = np.unique(rows[rows >= 0], return_counts=True)
        found = np.asarray(vectors.matrix[used], dtype=np.float64)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12), counts

    def score_pairs(first: list[str], second: list[str]) -> NDArray:
        from scipy.spatial.distance import cdist

        bags = {text: bag(text) for text in {*first, *second}}
        values = []
        for one, other in zip(first, second):
            (a, count_a), (b, count_b) = bags[one], bags[other]
            values.append(-transport(cdist(a, b), count_a, count_b) if len(a) and len(b) else -np.inf)
        return np.array(values)

    return score_pairs


def transport(cost: NDArray, supply: NDArray, demand: NDArray) -> float:
    """Least mean cost of moving `supply` to `demand` (integer counts, each scaled to sum to one)."""
    from scipy import sparse
    from scipy.optimize import linear_sum_assignment, linprog

    n, m = int(supply.sum()), int(demand.sum())
    common = int(np.lcm(n, m))
    if common <= 160:  # small: split into equal parcels and assign them, faster than a linear programme
        rows = np.repeat(np.arange(len(supply)), supply * (common // n))
        columns = np.repeat(np.arange(len(demand)), demand * (common // m))
        parcels = cost[np.ix_(rows, columns)]
        return float(parcels[linear_sum_assignment(parcels)].sum() / common)
    k, l = cost.shape
    leaving = sparse.kron(sparse.eye_array(k), np.ones((1, l)))
    arriving = sparse.kron(np.ones((1, k)), sparse.eye_array(l))
    masses = np.concatenate([supply / n, demand / m])
    return float(linprog(cost.ravel(), A_eq=sparse.vstack([leaving, arriving]).tocsr(), b_eq=masses).fun)


def ndd_scorer(lm: MaskedLM, settings: NDDSettings = NDDSettings()) -> Scorer:
    """Scorer by NDD, negated, reading the second text as an edit of the first; -inf where no word is left in place.

    Lower-cased, so that a capital is no edit. NDD sums over the words that stay: texts that share few words have few
    terms. Seconds for a hundred pairs: meant for some of the ranking questions.
    """

    def score_pairs(first: list[str], second: list[str]) -> NDArray:
        pairs = [(split_words(a.lower()), split_words(b.lower())) for a, b in zip(first, second)]
        asked = [n for n, (a, b) in enumerate(pairs) if a == b or kept_positions(len(a), find_edits(a, b))]
        values = np.full(len(pairs), -np.inf)
        values[asked] = [-result.value for result in ndd_batch(lm, [pairs[n] for n in asked], settings=settings)]
        return values

    return score_pairs
