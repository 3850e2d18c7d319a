"""The paper's claims: evidence in, estimate out."""

import math

import numpy as np
import pandas as pd

from nbhelpers.base.stats import Estimate, bootstrap, proportion, resampled
from nbhelpers.results import evidence
from nbhelpers.studies.meaningbert import experiment, measures
from nbhelpers.studies.meaningbert.audits import TOLERANCE
from nbhelpers.studies.meaningbert.experiment import WITH, WITHOUT
from nbhelpers.studies.meaningbert.sanity import checks

_BERTSCORE = ("bertscore-precision", "bertscore-recall", "bertscore-f1")
_NAMED = (*_BERTSCORE, "bleu", "fkgl", "ibleu", "rouge2-f1", "sentence-transformer")
_UNNAMED = ("rouge1-f1", "rougeL-f1", "meteor", "sari", "ter", "fkbleu")
_ALWAYS = (*_BERTSCORE, "sari", "bleu", "meteor", "ter", "rouge1-f1", "rouge2-f1", "rougeL-f1", "sentence-transformer")


def _csmd() -> pd.DataFrame:
    return evidence.load("meaningbert-csmd")


def _held_out(kind: str) -> pd.DataFrame:
    items = evidence.load("meaningbert-sanity")
    return items[(items["list"] == "csmd") & (items["kind"] == kind)]


def _trained(system: str, **options) -> Estimate:
    return experiment.over_folds(system, _csmd(), evidence.load("meaningbert-trained"), **options)


def _count(hits) -> Estimate:
    return Estimate(int(np.sum(hits)), math.nan, math.nan, len(hits))


def _own_labels(collection: str) -> Estimate:
    own = _csmd().query("collection == @collection")
    return _count((own["published"] - own["restored"]).abs() <= TOLERANCE)


def _of_correlations(names, reduce) -> Estimate:
    """The least or mean correlation of several measures, taken anew in each resample of source sentences."""
    items = _csmd()
    sums = np.hstack([measures.sums_of(items, name) for name in names])
    return bootstrap(sums, lambda some: float(reduce(measures.correlations(some))))


def meaningbert_1() -> Estimate:
    """Labels of SimpDA-2022 that are the mean of their own pair's ratings."""
    return _own_labels("SimpDA-2022")


def meaningbert_2() -> Estimate:
    """Highest minus lowest mean rating of the four collections, in points of 100, source sentences resampled."""
    items = _csmd()
    codes, ratings = items["collection"].astype("category").cat.codes.to_numpy(), items["published"].to_numpy()

    def spread(chosen):
        own, count = (np.bincount(codes[chosen], weight, 4) for weight in (ratings[chosen], None))
        return float(np.ptp(own / count))

    return resampled(spread, items["source"])


def meaningbert_3() -> Estimate:
    """Sentences of the sanity checks that stand in the released training part."""
    return _count(_held_out("identical")["seen"] == "train")


def meaningbert_4() -> Estimate:
    """The least correlation among the metrics named that run here (ROUGE-2 by F1), over all pairs."""
    return _of_correlations(_NAMED, np.min)


def meaningbert_5() -> Estimate:
    """Mean correlation of six metrics said not to correlate (ROUGE-1 and ROUGE-L by F1), over all pairs."""
    return _of_correlations(_UNNAMED, np.mean)


def meaningbert_6() -> Estimate:
    """Correlation of the weakest metric of vectors minus that of the strongest of words, over all pairs."""
    return measures.gap(_csmd())


def meaningbert_7() -> Estimate:
    """R² of a smaller model trained with augmentation, mean of the folds."""
    return _trained(WITH, measure="R2")


def meaningbert_9() -> Estimate:
    """R² of a smaller model trained without augmentation, mean of the folds."""
    return _trained(WITHOUT, measure="R2")


def meaningbert_10() -> Estimate:
    """Correlation of a smaller model trained with augmentation minus that of Sentence Transformer, by fold."""
    return _trained(WITH, minus="sentence-transformer")


def meaningbert_11() -> Estimate:
    """Correlation with augmentation minus without, by fold."""
    return _trained(WITH, minus=WITHOUT)


def meaningbert_12() -> Estimate:
    """R² with augmentation minus without, by fold."""
    return _trained(WITH, minus=WITHOUT, measure="R2")


def meaningbert_13() -> Estimate:
    """Share of identical pairs that all of the metrics named rate 99 or more."""
    return proportion((np.rint(_held_out("identical")[list(_ALWAYS)]) >= 99).all(axis=1))


def meaningbert_14() -> Estimate:
    """Share of identical pairs that the shipped, smaller model rates 99 or more, uncalibrated."""
    return checks.shares(_held_out("identical")["meaningbert-raw"], "identical")[99]


def meaningbert_16() -> Estimate:
    """Metrics of the paper that rate all word soups 1 or less."""
    return Estimate(len(checks.perfect(evidence.load("meaningbert-sanity"), checks.SOUP, 1)), *[math.nan] * 2, 359)


def meaningbert_17() -> Estimate:
    """Share of word soups that BERTScore or Sentence Transformer rate 1 or less."""
    return proportion((np.rint(_held_out(checks.SOUP)[list(measures.VECTORS)]) <= 1).any(axis=1))


def meaningbert_18() -> Estimate:
    """Share of word soups that the shipped, smaller model rates 5 or less, uncalibrated."""
    return checks.shares(_held_out(checks.SOUP)["meaningbert-raw"], "unrelated")[5]


def meaningbert_19() -> Estimate:
    """Metrics of the paper that rate 95 of 100 identical pairs 95 or more and 95 of 100 word soups 5 or less."""
    same, soup = _held_out("identical"), _held_out(checks.SOUP)
    rated = [name for name in measures.ARTICLE if name in same]
    passed = [(np.rint(same[name]) >= 95).mean() >= 0.95 <= (np.rint(soup[name]) <= 5).mean() for name in rated]
    return Estimate(sum(passed), math.nan, math.nan, len(rated))


def meaningbert_20() -> Estimate:
    """RMSE with augmentation minus without, by fold."""
    return _trained(WITH, minus=WITHOUT, measure="RMSE")


def meaningbert_21() -> Estimate:
    """Labels of QuestEval that are the mean of their own pair's ratings."""
    return _own_labels("QuestEval")


def meaningbert_22() -> Estimate:
    """Mean correlation of the paper's metrics that run here, FKGL among them, over all pairs."""
    return _of_correlations((*measures.ARTICLE, "fkgl"), np.mean)


def meaningbert_23() -> Estimate:
    """Correlation of BLEU minus that of ROUGE-L (F1), over all pairs."""
    return measures.difference(_csmd(), "bleu", "rougeL-f1")


def meaningbert_24() -> Estimate:
    """RMSE of BLEU minus that of ROUGE-L (F1), over all pairs."""
    return measures.difference(_csmd(), "bleu", "rougeL-f1", statistic=measures.rmse)
