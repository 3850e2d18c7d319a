"""Measures of the answers: F with a trained threshold, success rate and mean reciprocal rank (section 4).

And tables made with them: sizes of the tests, readings of the rules, errors, effects of the rules.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.resources.pyramids import Pyramid
from nbhelpers.resources.vectors import WordVectors
from nbhelpers.results import published
from nbhelpers.studies.pyramid.scoring import Scorer, score, text_vectors, unique_texts
from nbhelpers.studies.pyramid.tasks import (
    Items,
    PairTest,
    QuestionTest,
    Rules,
    pair_test,
    question_test,
    random_answer_f,
    words,
)

if TYPE_CHECKING:
    import pandas

PAPER_PYRAMIDS = 63
"""Pyramids of DUC 2005 (20), 2006 (20) and 2007 (23), which the paper used together."""

_BINS = {"words": ((0, 2), (3, 5), (6, 9), (10, None)), "overlap": ((0, 2), (3, 3), (4, 5), (6, None))}


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
    """Difference of two embeddings, first minus second, by paired bootstrap over topics, with p-value.

    That of the F-measures for two binary results, that of the success rates for two ranking results.

    Raises
    ------
    InputError
        Results of different tests or topics, or of a single topic.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> questions = pyramid.question_test(topics[:2])
    >>> first, second = (ranking_result(questions, pyramid.random_answers(questions, seed)) for seed in (0, 1))
    >>> round(compare(first, second, resamples=100).value, 3)
    0.045
    """
    if type(first) is not type(second) or first.topics != second.topics:
        raise InputError("the two results are of different tests or topics")
    columns, statistic = ([0, 1, 2], _f) if isinstance(first, BinaryResult) else ([0, 2], _ratio)
    filled = (first.by_topic.sum(axis=1) > 0) & (second.by_topic.sum(axis=1) > 0)
    a, b = (result.by_topic[filled][:, columns] for result in (first, second))
    return stats.paired_bootstrap(a, b, statistic=statistic, resamples=resamples)


# --------------------------------------------------------------------------------------------------------- tables


def sizes(pairs: PairTest, questions: QuestionTest) -> pandas.DataFrame:
    """Sizes of the tests beside the paper's, in all and per pyramid, and the words of the items.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> sizes(pyramid.pair_test(topics), pyramid.question_test(topics)).loc[0, ["ours", "paper"]].tolist()
    [455.0, 8390.0]
    """
    import pandas

    tokens = [words(segment.text) for segment in pairs.segments]
    count, n = sum(map(len, tokens)), len(pairs.topics)
    unique = len({token.lower() for row in tokens for token in row})
    rows = [
        ("positive pairs", pairs.positives, "Binary test", "Positive pairs"),
        ("negative pairs", pairs.negatives, "Binary test", "Negative pairs"),
        ("questions", len(questions), "Ranking test", "Questions"),
        ("words", count, "Propositions", "Words"),
        ("unique words", unique, "Propositions", "Unique words"),
        ("words per item", count / len(tokens), "Propositions", "Average length"),
    ]
    found = [(name, ours, published.value("pyramid/text", row, column)) for name, ours, row, column in rows]
    frame = pandas.DataFrame(found, columns=["what", "ours", "paper"])
    each = frame.index < 4
    frame["ours per pyramid"] = (frame["ours"] / n).where(each)
    frame["paper per pyramid"] = (frame["paper"] / PAPER_PYRAMIDS).where(each)
    return frame


def readings(pyramids: Sequence[Pyramid]) -> pandas.DataFrame:
    """What each reading of the rules gives, per pyramid: pairs, negatives for one positive, and questions.

    Examples
    --------
    >>> readings(pyramids)  # doctest: +SKIP
    """
    import pandas

    n, rows = len(pyramids), []
    for labels in (True, False):
        asks = ("label", "contributor", "any") if labels else ("contributor",)
        questions = {f"questions from {ask}": len(question_test(pyramids, labels=labels, ask=ask)) / n for ask in asks}
        for unique, overlap, variety in np.ndindex(2, 2, 2):
            rules = Rules(overlap=3 + overlap, variety=("differ", "each")[variety])
            test = pair_test(pyramids, rules=rules, labels=labels, unique=bool(unique))
            row = {"labels": labels, "unique": bool(unique), "overlap": rules.overlap, "variety": rules.variety}
            row |= {"positives": test.positives / n, "negatives": test.negatives / n}
            rows.append(row | {"negatives per positive": test.negatives / test.positives} | questions)
    return pandas.DataFrame(rows)


def pair_features(test: PairTest) -> dict[str, NDArray]:
    """What the rules look at, for every pair: arrays (n,).

    "words": words of the shorter item; "overlap": shared words; "pronouns": whether either has one; "variety": how many
    of the two items have a content word of their own (0, 1, 2); "labels": how many are labels.
    """
    items, i, j = Items.of(test.segments), test.left, test.right
    shared, shared_content = items.shared(i, j)
    label = np.array([segment.kind == "label" for segment in test.segments], dtype=np.int64)
    return {
        "words": np.minimum(items.length[i], items.length[j]),
        "overlap": shared,
        "pronouns": items.pronoun[i] | items.pronoun[j],
        "variety": items.own_content(i, j, shared_content),
        "labels": label[i] + label[j],
    }


def error_analysis(test: PairTest, scores: ArrayLike, threshold: float) -> pandas.DataFrame:
    """What makes a pair hard: errors at a threshold by the features that the rules look at.

    Build the test with ``Rules.none()`` to see the pairs that the rules remove, and take the threshold from the result
    on the paper's rules.

    Returns
    -------
    DataFrame
        feature, value, positives, negatives, recall and false alarms (shares of positives and of negatives answered
        yes), f, always_yes (f of answering yes always in that row) and auc (area under the ROC curve, whatever the
        threshold). NaN where a row has no positive or no negative pair.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)
    >>> pairs = pyramid.pair_test(topics[:1])
    >>> list(error_analysis(pairs, pyramid.random_answers(pairs), 0.5).columns[:4])
    ['feature', 'value', 'positives', 'negatives']
    """
    import pandas

    values = _checked(scores, (len(test),))
    yes, rows = values > threshold, []
    for feature, column in pair_features(test).items():
        for low, high in _BINS.get(feature) or [(value, value) for value in np.unique(column).tolist()]:
            within = (column >= low) & (column <= (np.inf if high is None else high))
            same, said = test.same[within], yes[within]
            p, n = int(same.sum()), int((~same).sum())
            if not p + n:
                continue
            name = f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}"
            row = {"feature": feature, "value": name, "positives": p, "negatives": n}
            row |= {"recall": said[same].mean() if p else np.nan, "false alarms": said[~same].mean() if n else np.nan}
            if p and n:
                row |= {"f": 2 * (said & same).sum() / (said.sum() + p), "auc": stats.roc_auc(same, values[within])}
                row |= {"always_yes": random_answer_f(p / (p + n), 1.0)}
            rows.append(row)
    return pandas.DataFrame(rows)


def rule_effects(pyramids: Sequence[Pyramid], scorer: WordVectors | Scorer, *, seeds: int = 20) -> pandas.DataFrame:
    """The binary test with all rules, with each one switched off, and with none: sizes, F, always-yes, lift.

    `lift` is F minus always-yes; a test on which it is near zero measures nothing.

    Examples
    --------
    >>> rule_effects(pyramids, vectors)  # doctest: +SKIP
    """
    import pandas

    variants = {"all rules": Rules()}
    variants |= {f"without {name}": Rules().without(name) for name in Rules().active}
    rows = []
    for name, rules in (variants | {"no rules": Rules.none()}).items():
        test = pair_test(pyramids, rules=rules)
        result = binary_result(test, score(test, scorer), seeds=seeds, resamples=100)
        row = {"rules": name, "positives": test.positives, "negatives": test.negatives}
        row |= {"f": result.f.value, "low": result.f.low, "high": result.f.high, "always_yes": result.always_yes}
        rows.append(row | {"lift": result.f.value - result.always_yes})
    return pandas.DataFrame(rows)
