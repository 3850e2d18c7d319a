"""What tests each claim of the paper on pyramid tests. Topics are the items; differences are paired by topic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import stats
from nbhelpers.base.stats import Estimate
from nbhelpers.results import estimates, evidence, published
from nbhelpers.studies.pyramid import pairs, questions, systems

PAPER_PYRAMIDS = 63
"""Pyramids of DUC 2005 (20), 2006 (20) and 2007 (23), which the paper used together."""

TRAINED = ("word2vec-google-news", "word2vec-2", "word2vec-5", "dependency", "glove-6b-50d", "proposition", "glove")


def _pairs(one: str, other: str) -> Estimate:
    return replace(pairs.difference(evidence.load("pyramid-pairs"), one, other), unit="F")


def _questions(one: str, other: str) -> Estimate:
    return replace(questions.difference(evidence.load("pyramid-questions"), one, other), unit="points")


def _covered(name: str) -> str:
    return f"One-Hot, words of {name}"


def pyramid_1() -> Estimate:
    """Positive pairs, negative pairs and questions per pyramid, as shares of the paper's: the smallest of the three."""
    wide = pairs.by_topic(evidence.load("pyramid-pairs"))
    counts = {name: wide[name, "One-Hot"].to_numpy() / 0.9 for name in pairs.COUNTS}  # a tenth trains
    asked = questions.by_topic(evidence.load("pyramid-questions"))["questions", "One-Hot"]
    ours = [counts["hits"] + counts["misses"], counts["alarms"] + counts["rejections"], asked.to_numpy()]
    cells = (("Binary test", "Positive pairs"), ("Binary test", "Negative pairs"), ("Ranking test", "Questions"))
    theirs = np.array([published.value("pyramid/text", *cell) for cell in cells]) / PAPER_PYRAMIDS
    found = stats.of_means(np.column_stack(ours), {"": lambda means: (means / theirs).min(axis=-1)}, null=1.0)[""]
    return replace(found, unit="ratio")


def pyramid_3() -> Estimate:
    """F-measure of the best system, the sentence encoder."""
    found = pairs.summary(evidence.load("pyramid-pairs"))
    return replace(estimates.estimate(found, "Sentence encoder", pairs.F), unit="F", p=None)


def pyramid_4() -> Estimate:
    """F-measure of one-hot vectors minus that of answering yes always."""
    wide = pairs.by_topic(evidence.load("pyramid-pairs"))
    hits, alarms, misses, rejections = (wide[name, "One-Hot"].to_numpy() for name in pairs.COUNTS)
    yes = np.column_stack([hits + misses, alarms + rejections, 0 * hits])
    one_hot = np.column_stack([hits, alarms, misses])
    found = systems.exchanged(one_hot, yes, lambda rows: pairs.f_measure(*np.moveaxis(rows, -1, 0)))
    return replace(found, unit="F")


def pyramid_5() -> Estimate:
    """Kendall's W of seven sets of trained vectors over topics (Friedman's test), on the test where it is less sure."""
    wide = pairs.by_topic(evidence.load("pyramid-pairs"))
    f = [pairs.f_measure(*(wide[count, name].to_numpy() for count in pairs.COUNTS[:3])) for name in TRAINED]
    asked = questions.by_topic(evidence.load("pyramid-questions"))
    success = [(asked["success", name] / asked["questions", name]).to_numpy() for name in TRAINED]
    return max((_agreement(np.column_stack(one)) for one in (f, success)), key=lambda found: found.p)


def _agreement(scores: NDArray) -> Estimate:
    """Kendall's W of scores (topics, systems), with the p-value of Friedman's test."""
    from scipy.stats import friedmanchisquare

    n, k = scores.shape

    def w(rows: NDArray) -> float:
        return friedmanchisquare(*scores[rows].T).statistic / (n * (k - 1))

    found = stats.resampled(w, range(n), resamples=500)
    return replace(found, p=float(friedmanchisquare(*scores.T).pvalue), unit="W")


def pyramid_6() -> Estimate:
    """Success rate of random vectors on the questions."""
    found = questions.summary(evidence.load("pyramid-questions"))
    return replace(estimates.estimate(found, "Random vectors", questions.SUCCESS), unit="%", p=None)


def pyramid_7() -> Estimate:
    """F-measure of Google News word2vec minus that of one-hot vectors of the same words."""
    return _pairs("word2vec-google-news", _covered("word2vec-google-news"))


def pyramid_8() -> Estimate:
    """F-measure of GloVe 6B minus that of one-hot vectors of the same words."""
    return _pairs("glove-6b-50d", _covered("glove-6b-50d"))


def pyramid_9() -> Estimate:
    """F-measure of this project's word2vec with window 5 minus that of one-hot vectors."""
    return _pairs("word2vec-5", "One-Hot")


def pyramid_10() -> Estimate:
    """Success rate of Google News word2vec minus that of one-hot vectors of the same words."""
    return _questions("word2vec-google-news", _covered("word2vec-google-news"))


def pyramid_11() -> Estimate:
    """Success rate of GloVe 6B minus that of one-hot vectors of the same words."""
    return _questions("glove-6b-50d", _covered("glove-6b-50d"))


def pyramid_12() -> Estimate:
    """Success rate of this project's word2vec with window 5 minus that of one-hot vectors."""
    return _questions("word2vec-5", "One-Hot")


def pyramid_14() -> Estimate:
    """Success rate of Google News word2vec minus that of this project's word2vec with window 5."""
    return _questions("word2vec-google-news", "word2vec-5")


def pyramid_15() -> Estimate:
    """Mean reciprocal rank of Google News word2vec."""
    found = questions.summary(evidence.load("pyramid-questions"))
    row = systems.ROWS["word2vec-google-news"]
    return replace(estimates.estimate(found, row, questions.RECIPROCAL), unit="", p=None)
