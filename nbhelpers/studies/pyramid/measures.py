"""Measures of the answers: F with a trained threshold, success rate and mean reciprocal rank (section 4)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.resources.vectors import WordVectors
from nbhelpers.studies.pyramid.pairs import PairTest
from nbhelpers.studies.pyramid.questions import QuestionTest
from nbhelpers.studies.pyramid.scoring import Scores, score, text_vectors, unique_texts


def best_threshold(same: NDArray, values: NDArray) -> tuple[float, float]:
    """The threshold with the highest F-measure for answering yes above it, and that F-measure.

    It lies midway between two neighbouring scores, or is the least finite number where the lower of them is -inf; among
    equals it is the highest; -inf says yes always, to a score of -inf too. No positive pair is an InputError.
    """
    same = np.asarray(same, dtype=bool)
    if not same.any():
        raise InputError("a threshold cannot be trained without a positive pair")
    order = np.argsort(-values, kind="stable")
    ranked, hits = values[order], np.cumsum(same[order])
    f = 2 * hits / (np.arange(1, len(ranked) + 1) + hits[-1])
    last = np.append(ranked[1:] < ranked[:-1], True)  # equal scores fall on the same side
    best = int(np.argmax(np.where(last, f, -1)))
    if best == len(ranked) - 1:
        return -np.inf, float(f[best])
    upper, lower = ranked[best], ranked[best + 1]
    middle = lower / 2 + upper / 2 if np.isfinite(lower) else np.finfo(np.float64).min
    return float(min(middle, np.nextafter(upper, -np.inf))), float(f[best])


def values_of(test: PairTest | QuestionTest, scores: Scores | ArrayLike) -> NDArray:
    """The numbers of some scores, one for each pair or answer; another shape, or NaN, is an InputError."""
    values = np.asarray(getattr(scores, "values", scores), dtype=np.float64)
    expected = (len(test),) if isinstance(test, PairTest) else test.answers.shape
    if values.shape != expected or np.isnan(values).any():
        raise InputError(f"scores have shape {values.shape} where the test has {expected}, or one is NaN")
    return values


def _f(rows: NDArray) -> float:
    """F-measure of rows (hits, false alarms, misses), summed first."""
    hits, alarms, misses = rows.sum(axis=0)
    return float(2 * hits / (2 * hits + alarms + misses))


def _ratio(rows: NDArray) -> float:
    """Ratio of sums of rows (sum of scores, number)."""
    return float(rows[:, 0].sum() / rows[:, 1].sum())


@dataclass(frozen=True, eq=False)
class BinaryResult:
    """Answers to the binary test.

    `f` is the mean over seeds (n) of the F-measure on the test pairs, with the interval that holds the middle 95 % of
    them: what the choice of training pairs does. `f_topics` is the F-measure of the counts summed over topics, with the
    bootstrap interval over topics (n; None for a single one): what the choice of topics does. `precision` and `recall`
    are means over the seeds, as are the hits, false alarms and misses of each topic in `by_topic` (topics, 3);
    `threshold` is the median. `always_yes` is the F-measure of answering yes always, `trained_on` how many pairs train.
    """

    f: Estimate
    f_topics: Estimate | None
    precision: float
    recall: float
    threshold: float
    always_yes: float
    trained_on: int
    by_topic: NDArray
    topics: tuple[str, ...]


def binary_result(
    test: PairTest,
    scores: Scores | ArrayLike,
    *,
    train: float = 0.1,
    seeds: int = 20,
    resamples: int = 1000,
) -> BinaryResult:
    """F-measure with a threshold trained on a share of the pairs and tested on the rest, over random splits.

    Parameters
    ----------
    scores : Scores or array (n,)
        Higher means more likely the same.
    train : float
        Share of the pairs that train the threshold, drawn from positives and negatives alike, at least one each.
    seeds : int
        Number of random splits, with the seeds 0, 1, ….

    Raises
    ------
    InputError
        Scores of another length or NaN; `train` not between 0 and 1; too few pairs to split.
    """
    values = values_of(test, scores)
    if not 0 < train < 1 or seeds < 1:
        raise InputError("train lies between 0 and 1, seeds is at least 1")
    counts = np.zeros((seeds, len(test.topics), 3))
    thresholds, trained = [], []
    for seed in range(seeds):
        training = _training(test, train, np.random.default_rng(seed))
        threshold, _ = best_threshold(test.same[training], values[training])
        yes = (values > threshold) | np.isneginf(threshold)  # a threshold below all scores, -inf among them
        for column, wanted in enumerate((yes & test.same, yes & ~test.same, ~yes & test.same)):
            counts[seed, :, column] = np.bincount(test.topic[wanted & ~training], minlength=len(test.topics))
        thresholds.append(threshold)
        trained.append(int(training.sum()))
    hits, alarms, misses = counts.sum(axis=1).T
    per_seed = 2 * hits / (2 * hits + alarms + misses)
    low, high = np.quantile(per_seed, [0.025, 0.975])
    by_topic = counts.mean(axis=0)
    rows = by_topic[by_topic.sum(axis=1) > 0]
    return BinaryResult(
        f=Estimate(float(per_seed.mean()), float(low), float(high), seeds),
        f_topics=stats.bootstrap(rows, _f, resamples=resamples) if len(rows) > 1 else None,
        precision=float(np.mean(hits / np.maximum(hits + alarms, 1))),
        recall=float(np.mean(hits / (hits + misses))),
        threshold=float(np.median(thresholds)),  # one seed may say yes always, at -inf
        always_yes=test.always_yes,
        trained_on=int(np.mean(trained)),
        by_topic=by_topic,
        topics=test.topics,
    )


def _training(test: PairTest, share: float, rng: np.random.Generator) -> NDArray:
    """Mask of the pairs that train the threshold; both sides have positives."""
    training = np.zeros(len(test), bool)
    for which in (test.same, ~test.same):
        members = np.flatnonzero(which)
        training[rng.permutation(members)[: max(1, round(share * len(members)))]] = True
    if not test.same[training].any() or not test.same[~training].any():
        raise InputError(f"a share of {share} of {len(test)} pairs leaves no positive pair to train or to test")
    return training


@dataclass(frozen=True, eq=False)
class RankingResult:
    """Answers to the ranking test.

    `success` is the share of questions whose right answer scores highest, `reciprocal_rank` the mean over questions;
    the intervals are from a bootstrap over topics (n), over questions where there is a single topic. The rank is shared
    out among answers of the same score, so that a scorer that cannot tell answers apart is at chance: 0.25 and 0.5208.
    `by_topic` (topics, 3) has the sums of successes and of reciprocal ranks, and the number of questions.
    """

    success: Estimate
    reciprocal_rank: Estimate
    by_topic: NDArray
    topics: tuple[str, ...]

    @property
    def questions(self) -> int:
        """Number of questions."""
        return int(self.by_topic[:, 2].sum())


def ranking_result(test: QuestionTest, scores: Scores | ArrayLike, *, resamples: int = 1000) -> RankingResult:
    """Success rate and mean reciprocal rank of scores (n, answers), the right answer first.

    Scores of another shape or NaN, and a single question, are InputErrors.
    """
    success, reciprocal = shared_ranks(values_of(test, scores))
    rows = np.stack([success, reciprocal, np.ones(len(test))], axis=1)
    by_topic = np.zeros((len(test.topics), 3))
    np.add.at(by_topic, test.topic, rows)
    filled = by_topic[by_topic[:, 2] > 0]
    resampled = filled if len(filled) > 1 else rows
    if len(resampled) < 2:
        raise InputError("one question alone gives no interval")
    first, second = (stats.bootstrap(resampled[:, [c, 2]], _ratio, resamples=resamples) for c in (0, 1))
    return RankingResult(first, second, by_topic, test.topics)


def shared_ranks(values: NDArray) -> tuple[NDArray, NDArray]:
    """Success and reciprocal rank of the first column, expected over a random order of equal scores."""
    # Cosines of equal texts differ in the last digits of float32: such differences decide nothing.
    right, others = values[:, :1], values[:, 1:]
    with np.errstate(invalid="ignore"):
        equal = (others == right) | (np.abs(others - right) <= 1e-6 * np.maximum(1.0, np.abs(right)))
    above, level = ((others > right) & ~equal).sum(axis=1), equal.sum(axis=1)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, values.shape[1] + 1))])
    reciprocal = (harmonic[above + level + 1] - harmonic[above]) / (level + 1)
    return np.where(above == 0, 1.0 / (level + 1), 0.0), reciprocal


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Both results of one embedding; `coverage` and `empty` as in `TextVectors`, `seconds` the time it took."""

    binary: BinaryResult
    ranking: RankingResult
    coverage: float | None
    empty: int
    seconds: float


def evaluate(
    scorer: Any,
    pairs: PairTest,
    questions: QuestionTest,
    *,
    train: float = 0.1,
    seeds: int = 20,
    resamples: int = 1000,
    **options: Any,
) -> Evaluation:
    """A row of Table 1: both tests answered by one scorer; see `score`, `binary_result` and `ranking_result`."""
    begin = time.perf_counter()
    if pairs.segments == questions.segments and isinstance(scorer, WordVectors):
        scorer, options = text_vectors(unique_texts(pairs)[0], scorer, **options), {}  # one matrix for both tests
    first, second = score(pairs, scorer, **options), score(questions, scorer, **options)
    binary = binary_result(pairs, first, train=train, seeds=seeds, resamples=resamples)
    ranking = ranking_result(questions, second, resamples=resamples)
    return Evaluation(binary, ranking, first.coverage, first.empty, time.perf_counter() - begin)


def compare(
    first: BinaryResult | RankingResult, second: BinaryResult | RankingResult, measure: str, *, resamples: int = 2000
) -> Estimate:
    """Difference of two embeddings, first minus second, by paired bootstrap over topics, with p-value.

    `measure` is "f" for binary results, "success" or "reciprocal_rank" for ranking results. A measure that they do not
    have, results of different topics, or a single topic, are InputErrors.
    """
    kind = BinaryResult if measure == "f" else RankingResult
    columns = {"f": [0, 1, 2], "success": [0, 2], "reciprocal_rank": [1, 2]}.get(measure)
    if columns is None or not isinstance(first, kind) or not isinstance(second, kind):
        raise InputError(f"measure {measure!r} does not belong to {type(first).__name__}, {type(second).__name__}")
    if first.topics != second.topics:
        raise InputError("the two results are of different topics")
    filled = (first.by_topic.sum(axis=1) > 0) & (second.by_topic.sum(axis=1) > 0)
    a, b = first.by_topic[filled][:, columns], second.by_topic[filled][:, columns]
    return stats.paired_bootstrap(a, b, statistic=_f if measure == "f" else _ratio, resamples=resamples)
