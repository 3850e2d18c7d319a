"""Measures of the answers: F with a trained threshold, success rate and mean reciprocal rank (section 4).

And rows made with them: Table 1, sizes of the tests, errors.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.resources.vectors import WordVectors
from nbhelpers.results import ledger, published
from nbhelpers.studies.pyramid.scoring import Scorer, score, text_vectors, unique_texts
from nbhelpers.studies.pyramid.tasks import Items, PairTest, QuestionTest, words

if TYPE_CHECKING:
    import pandas

EXACT_TOPICS = 12
"""Up to so many topics all exchanges of two results are tried."""

PAPER_PYRAMIDS = 63
"""Pyramids of DUC 2005 (20), 2006 (20) and 2007 (23), which the paper used together."""


def best_threshold(same: NDArray, values: NDArray) -> tuple[float, float]:
    """The threshold with the highest F-measure for answering yes above it, and that F-measure.

    It lies midway between two neighbouring scores, or is the least finite number where the lower of them is -inf; among
    equals it is the highest; -inf says yes always, to a score of -inf too.
    """
    same = np.asarray(same, dtype=bool)  # at least one is
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


def _checked(values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape or np.isnan(values).any():
        raise InputError(f"scores have shape {values.shape} where the test has {shape}, or one is NaN")
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
    bootstrap interval over topics (n; None for a single one): what the choice of topics does. The hits, false alarms
    and misses of each topic in `by_topic` (topics, 3) are means over the seeds; `threshold` is the median. `always_yes`
    is the F-measure of answering yes always.
    """

    f: Estimate
    f_topics: Estimate | None
    threshold: float
    always_yes: float
    by_topic: NDArray
    topics: tuple[str, ...]


def binary_result(
    test: PairTest, scores: ArrayLike, *, train: float = 0.1, seeds: int = 20, resamples: int = 1000
) -> BinaryResult:
    """F-measure with a threshold trained on a share of the pairs and tested on the rest, over random splits.

    Parameters
    ----------
    scores : array (n,)
        Higher means more likely the same.
    train : float
        Share of the pairs that train the threshold, drawn from positives and negatives alike, at least one each.
    seeds : int
        Number of random splits, with the seeds 0, 1, ….

    Raises
    ------
    InputError
        Scores of another length or NaN; too few pairs to split.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> pairs = pyramid.pair_test(topics[:2])
    >>> result = binary_result(pairs, pyramid.random_answers(pairs), seeds=3, resamples=100)
    >>> round(result.f.value, 2), round(result.always_yes, 2)
    (0.37, 0.41)
    """
    values = _checked(scores, (len(test),))
    counts = np.zeros((seeds, len(test.topics), 3))
    thresholds = []
    for seed in range(seeds):
        training = _training(test, train, np.random.default_rng(seed))
        threshold, _ = best_threshold(test.same[training], values[training])
        yes = (values > threshold) | np.isneginf(threshold)  # a threshold below all scores, -inf among them
        for column, wanted in enumerate((yes & test.same, yes & ~test.same, ~yes & test.same)):
            counts[seed, :, column] = np.bincount(test.topic[wanted & ~training], minlength=len(test.topics))
        thresholds.append(threshold)
    hits, alarms, misses = counts.sum(axis=1).T
    per_seed = 2 * hits / (2 * hits + alarms + misses)
    low, high = np.quantile(per_seed, [0.025, 0.975])
    by_topic = counts.mean(axis=0)
    rows = by_topic[by_topic.sum(axis=1) > 0]
    return BinaryResult(
        f=Estimate(float(per_seed.mean()), float(low), float(high), seeds),
        f_topics=stats.bootstrap(rows, _f, resamples=resamples) if len(rows) > 1 else None,
        threshold=float(np.median(thresholds)),  # one seed may say yes always, at -inf
        always_yes=test.always_yes,
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


def ranking_result(test: QuestionTest, scores: ArrayLike, *, resamples: int = 1000) -> RankingResult:
    """Success rate and mean reciprocal rank of scores (n, answers), the right answer first.

    Scores of another shape or NaN, and a single question, are InputErrors.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> questions = pyramid.question_test(topics[:2])
    >>> round(ranking_result(questions, pyramid.random_answers(questions), resamples=100).success.value, 2)
    0.24
    """
    success, reciprocal = shared_ranks(_checked(scores, test.answers.shape))
    rows = np.stack([success, reciprocal, np.ones(len(test))], axis=1)
    by_topic = np.zeros((len(test.topics), 3))
    np.add.at(by_topic, test.topic, rows)
    filled = by_topic[by_topic[:, 2] > 0]
    resampled = filled if len(filled) > 1 else rows
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
    """Both results of one embedding.

    `coverage` is the share of words with a vector (None for other scorers), `seconds` the time that it took.
    """

    binary: BinaryResult
    ranking: RankingResult
    coverage: float | None
    seconds: float


def evaluate(
    scorer: WordVectors | NDArray | Scorer,
    pairs: PairTest,
    questions: QuestionTest,
    *,
    seeds: int = 20,
    resamples: int = 1000,
) -> Evaluation:
    """A row of Table 1: both tests answered by one scorer; see `score`, `binary_result` and `ranking_result`.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> pairs, questions = pyramid.pair_test(topics[:2]), pyramid.question_test(topics[:2])
    >>> random = np.random.default_rng(0)
    >>> guess = evaluate(lambda first, second: random.random(len(first)), pairs, questions, seeds=3, resamples=100)
    >>> guess.coverage is None
    True
    """
    begin, coverage = time.perf_counter(), None
    if isinstance(scorer, WordVectors):
        texts, _ = unique_texts(pairs)
        coverage = scorer.coverage(word for text in texts for word in words(text))
        if pairs.segments == questions.segments:
            scorer = text_vectors(texts, scorer)  # one matrix for both tests
    binary = binary_result(pairs, score(pairs, scorer), seeds=seeds, resamples=resamples)
    ranking = ranking_result(questions, score(questions, scorer), resamples=resamples)
    return Evaluation(binary, ranking, coverage, time.perf_counter() - begin)


def compare(
    first: BinaryResult | RankingResult, second: BinaryResult | RankingResult, *, resamples: int = 2000
) -> Estimate:
    """Difference of two embeddings, first minus second, paired by topic: of the F-measures, or of the success rates.

    The interval is that of a bootstrap over topics. The p-value is that of the paired randomisation test, which
    exchanges the two results of a topic: all exchanges up to 12 topics, else 5,000 random ones. Few topics cannot give
    a small one: with six it is at least 2/64.

    Raises
    ------
    InputError
        Results of different tests or topics, or of a single topic.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> questions = pyramid.question_test(topics)
    >>> first, second = (ranking_result(questions, pyramid.random_answers(questions, seed)) for seed in (0, 1))
    >>> compare(first, second, resamples=100).p >= 2 / 64
    True
    """
    if type(first) is not type(second) or first.topics != second.topics:
        raise InputError("the two results are of different tests or topics")
    columns, statistic = ([0, 1, 2], _f) if isinstance(first, BinaryResult) else ([0, 2], _ratio)
    filled = (first.by_topic.sum(axis=1) > 0) & (second.by_topic.sum(axis=1) > 0)
    a, b = (result.by_topic[filled][:, columns] for result in (first, second))
    found = stats.paired_bootstrap(a, b, statistic=statistic, resamples=resamples)
    n = len(a)
    if n <= EXACT_TOPICS:
        exchanged = np.arange(2**n)[:, None] >> np.arange(n) & 1
    else:
        exchanged = np.random.default_rng(0).integers(0, 2, (5000, n))
    sums = a.sum(axis=0) + exchanged @ (b - a), b.sum(axis=0) + exchanged @ (a - b)
    differences = np.array([statistic(one[None]) - statistic(other[None]) for one, other in zip(*sums)])
    extreme = int((np.abs(differences) >= abs(found.value) - 1e-12).sum())
    p_value = extreme / 2**n if n <= EXACT_TOPICS else (extreme + 1) / (len(differences) + 1)
    return replace(found, p=p_value)


# --------------------------------------------------------------------------------------------------------- tables

MEASURES = ("Binary Test (F-measure)", "Ranking Test (Success Rate)", "Ranking Test (Mean reciprocal rank)")
"""Columns of Table 1."""


def table1_rows(
    row: str, binary: BinaryResult | None, ranking: RankingResult | None, **more: object
) -> list[dict[str, object]]:
    """A row of Table 1 for the ledger, with the success rate in per cent; None where a test was not taken."""
    values = [None, None, None]
    if binary:
        values[0] = binary.f_topics
    if ranking:
        values[1:] = stats.percent(ranking.success), ranking.reciprocal_rank
    return [{"row": row, "column": column, "value": value} | more for column, value in zip(MEASURES, values) if value]


def record_differences(differences: Mapping[tuple[str, str], Estimate], table: str, **common: str) -> pandas.DataFrame:
    """Record paired differences with p-values corrected by Holm, and show them.

    Parameters
    ----------
    differences : mapping of (row, column) to Estimate
        What `compare` gave.
    table : str
        Of the ledger.
    **common
        Parameters of `ledger.record`.

    Returns
    -------
    DataFrame
        One line per row, one column per test, as texts.
    """
    import pandas

    holm = stats.holm({place: each.p for place, each in differences.items()})
    family = f"Holm over {len(holm)} comparisons"
    rows = [
        {"row": row, "column": column, "value": each, "note": f"p = {holm[row, column]:.3f}, {family}"}
        for (row, column), each in differences.items()
    ]
    ledger.record_rows("pyramid", table, rows, **common)
    shown = [
        (*place, f"{each.value:+.3f} [{each.low:+.3f}, {each.high:+.3f}], p = {holm[place]:.3f}".replace("-", "−"))
        for place, each in differences.items()
    ]
    frame = pandas.DataFrame(shown, columns=["difference", "test", "text"])
    frame = frame.pivot(index="difference", columns="test", values="text").fillna("")
    return frame.reindex(dict.fromkeys(row for row, _ in differences)).rename_axis(columns=family)


def sizes(pairs: PairTest, questions: QuestionTest) -> list[dict[str, object]]:
    """Sizes per pyramid, with intervals over pyramids and the paper's sizes, as rows for the ledger.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> found = sizes(pyramid.pair_test(topics), pyramid.question_test(topics))
    >>> [(one["row"], round(one["value"].value)) for one in found]
    [('positive pairs', 76), ('negative pairs', 128), ('questions', 42)]
    """
    n = len(pairs.topics)
    counted = {
        "positive pairs": (pairs.topic[pairs.same], ("Binary test", "Positive pairs")),
        "negative pairs": (pairs.topic[~pairs.same], ("Binary test", "Negative pairs")),
        "questions": (questions.topic, ("Ranking test", "Questions")),
    }
    return [
        {
            "row": name,
            "column": "per pyramid",
            "value": stats.bootstrap(np.bincount(topics, minlength=n)),
            "published": published.value("pyramid/text", *cell) / PAPER_PYRAMIDS,
        }
        for name, (topics, cell) in counted.items()
    ]


def error_analysis(test: PairTest, scores: ArrayLike, threshold: float) -> pandas.DataFrame:
    """Share of pairs answered yes at a threshold, by the number of words that the two items share.

    Returns
    -------
    DataFrame
        One line for each number of shared words (0 to 2, 3, 4 to 5, 6 and more): ``shared words``, and an `Estimate`
        with Wilson's interval for ``positives`` (recall) and ``negatives`` (false alarms); None where no such pair is.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> pairs = pyramid.pair_test(topics[:1])
    >>> error_analysis(pairs, pyramid.random_answers(pairs), 0.5)["shared words"].tolist()
    ['0-2', '3', '4-5', '6+']
    """
    import pandas

    yes = _checked(scores, (len(test),)) > threshold
    shared, _ = Items.of(test.segments).shared(test.left, test.right)
    place = np.searchsorted([2, 3, 5], shared)
    rows = []
    for number, name in enumerate(("0-2", "3", "4-5", "6+")):
        said = [yes[(place == number) & (test.same == same)] for same in (True, False)]
        rows.append((name, *(stats.proportion(one) if len(one) else None for one in said)))
    return pandas.DataFrame(rows, columns=["shared words", "positives", "negatives"])
