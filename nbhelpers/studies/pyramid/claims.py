"""What tests each claim of the paper on pyramid tests. Topics are the items; differences are paired by topic."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

from nbhelpers.base import stats
from nbhelpers.base.stats import Estimate, percent
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.pyramid import pairs, questions, systems
from nbhelpers.studies.pyramid.tasks import DEFAULTS

TRAINED = ("word2vec-google-news", "word2vec-2", "word2vec-5", "dependency", "glove-6b-50d", "proposition", "glove")
REAL = ("word2vec-google-news", "word2vec-2", "word2vec-5", "glove-6b-50d", "glove")
"""Those of `TRAINED` that are trained on much text; the others are demonstrations on a small treebank."""


def _pairs(one: str, other: str) -> Estimate:
    return replace(percent(pairs.difference(evidence.load("pyramid-pairs"), one, other)), unit="points")


def _questions(one: str, other: str) -> Estimate:
    return replace(questions.difference(evidence.load("pyramid-questions"), one, other), unit="points")


def _covered(name: str) -> str:
    return f"One-Hot, words of {name}"


def pyramid_3() -> Estimate:
    """F-measure of the best system, the sentence encoder, in points."""
    found = pairs.summary(evidence.load("pyramid-pairs"))
    return replace(percent(estimates.estimate(found, "Sentence encoder", pairs.F)), unit="points", p=None)


def pyramid_4() -> Estimate:
    """F-measure of one-hot vectors minus that of answering yes always, in points."""
    counts = pairs.counts_of(pairs.by_topic(evidence.load("pyramid-pairs")), ["One-Hot"])
    found = systems.exchanged(counts[:, 0], pairs.trivial(counts)[:, 0], pairs.f_measure)
    return replace(percent(found), unit="points")


def _surest(difference: Callable[[str, str], Estimate]) -> Estimate:
    """The surest difference of two of `REAL`, better minus worse, its p-value corrected for all of them (Holm)."""
    found = stats.adjusted({pair: difference(*pair) for pair in itertools.combinations(REAL, 2)}, "holm")
    one = min(found.values(), key=lambda each: (each.p, -abs(each.value)))
    if one.value < 0:
        one = replace(one, value=-one.value, low=-one.high, high=-one.low)
    return replace(one, p=one.q, q=None)


def pyramid_5() -> Estimate:
    """Surest difference between two of five sets of trained vectors (Holm), on the test where it is less sure."""
    return max(map(_surest, (_pairs, _questions)), key=lambda found: found.p)


def pyramid_6() -> Estimate:
    """Success rate of random vectors on the questions."""
    found = questions.summary(evidence.load("pyramid-questions"))
    return replace(estimates.estimate(found, "Random vectors", questions.SUCCESS), unit="points", p=None)


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
    return replace(estimates.estimate(found, row, questions.RECIPROCAL), unit="score", p=None)


def pyramid_18(reading: str = DEFAULTS) -> Estimate:
    """This project's word2vec with window 5 minus window 2: the smaller of F and success rate, tested jointly."""
    names = ["word2vec-5", "word2vec-2"]
    counts = pairs.counts_of(pairs.by_topic(evidence.load("pyramid-pairs"), reading=reading), names)
    sums = questions.sums_of(questions.by_topic(evidence.load("pyramid-questions"), reading), names)
    f = stats.means(counts).of(lambda mean: 100 * pairs.f_measure(mean))
    both = f.beside(stats.means(sums).of(questions.success))
    return (both[[0, 2]] - both[[1, 3]]).smallest(unit="points")


def pyramid_19() -> Estimate:
    """Success rate of Google News word2vec minus that of the best other of Table 1, tested jointly."""
    names = ["word2vec-google-news", "One-Hot", *TRAINED[1:6]]
    sums = questions.sums_of(questions.by_topic(evidence.load("pyramid-questions")), names)
    found = stats.means(sums).of(questions.success)
    return (found[[0] * (len(names) - 1)] - found[1:]).smallest(unit="points")
