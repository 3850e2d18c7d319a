"""The paper's claims: evidence in, estimate out."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from nbhelpers.base.stats import Estimate, Resampled, proportion, resampled, spearman_rows
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.meaningbert import audits, experiment, measures
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


def _own_labels(collection: str) -> Estimate:
    own = _csmd().query("collection == @collection")
    return measures.count((own["published"] - own["restored"]).abs() <= audits.TOLERANCE)


def _jointly(names, measure: str = "Pearson") -> Resampled:
    return measures.agreements(_csmd(), names, measure=measure)


def meaningbert_1() -> Estimate:
    """Labels of SimpDA-2022 that are the mean of their own pair's ratings"""
    return _own_labels("SimpDA-2022")


def meaningbert_2() -> Estimate:
    """Highest minus lowest mean rating of the four collections, in points of 100, source sentences resampled"""
    items = _csmd()
    codes, ratings = items["collection"].astype("category").cat.codes.to_numpy(), items["published"].to_numpy()

    def spread(chosen):
        own, count = (np.bincount(codes[chosen], weight, 4) for weight in (ratings[chosen], None))
        return float(np.ptp(own / count))

    return resampled(spread, items["source"], null=10)


def meaningbert_3() -> Estimate:
    """Sentences of the sanity checks that stand in the released training part"""
    return measures.count(_held_out("identical")["seen"] == "train")


def meaningbert_4() -> Estimate:
    """Least correlation among eight of the metrics named (ROUGE-2 by F1), over all pairs"""
    return _jointly(_NAMED).smallest()


def meaningbert_5() -> Estimate:
    """Largest correlation among six metrics not named (ROUGE-1 and ROUGE-L by F1), over all pairs"""
    return _jointly(_UNNAMED).largest(null=0.163)


def meaningbert_6() -> Estimate:
    """Smallest lead of a metric of vectors over one of words, correlation over all pairs, tested jointly"""
    return measures.gap(_csmd())


def meaningbert_7() -> Estimate:
    """R² of a smaller model trained with augmentation, mean of the folds"""
    return _trained(WITH, measure="R2")


def meaningbert_9() -> Estimate:
    """R² of a smaller model trained without augmentation, mean of the folds"""
    return _trained(WITHOUT, measure="R2")


def meaningbert_10() -> Estimate:
    """Correlation of a smaller model trained with augmentation minus that of Sentence Transformer, by fold"""
    return _trained(WITH, minus="sentence-transformer")


def meaningbert_11() -> Estimate:
    """Correlation with augmentation minus without, by fold"""
    return _trained(WITH, minus=WITHOUT)


def meaningbert_12() -> Estimate:
    """R² with augmentation minus without, by fold"""
    return _trained(WITH, minus=WITHOUT, measure="R2")


def meaningbert_13() -> Estimate:
    """Share of identical pairs that all of the metrics named rate 99 or more"""
    return proportion((np.rint(_held_out("identical")[list(_ALWAYS)]) >= 99).all(axis=1))


def meaningbert_14() -> Estimate:
    """Share of 359 identical pairs rated 99 or more by the shipped, smaller model, uncalibrated"""
    return checks.shares(_held_out("identical")["meaningbert-raw"], "identical")[99]


def meaningbert_15() -> Estimate:
    """Share of 359 identical pairs rated 99 or more by a smaller model trained once without augmentation"""
    found = experiment.checks(evidence.load("meaningbert-sanity"), evidence.load("meaningbert-trained"))
    return estimates.estimate(found, WITHOUT, "identical ≥ 99")


def meaningbert_17() -> Estimate:
    """Share of word soups that BERTScore or Sentence Transformer rate 1 or less"""
    return proportion((np.rint(_held_out(checks.SOUP)[list(measures.VECTORS)]) <= 1).any(axis=1))


def meaningbert_18() -> Estimate:
    """Share of 359 word soups rated 5 or less by the shipped, smaller model, uncalibrated"""
    return checks.shares(_held_out(checks.SOUP)["meaningbert-raw"], "unrelated")[5]


def meaningbert_19() -> Estimate:
    """Metrics of the paper that rate 95 of 100 identical pairs 95 or more and 95 of 100 word soups 5 or less"""
    same, soup = _held_out("identical"), _held_out(checks.SOUP)
    rated = [name for name in measures.ARTICLE if name in same]
    passed = [(np.rint(same[name]) >= 95).mean() >= 0.95 <= (np.rint(soup[name]) <= 5).mean() for name in rated]
    return measures.count(passed)


def meaningbert_20() -> Estimate:
    """RMSE with augmentation minus without, by fold"""
    return _trained(WITH, minus=WITHOUT, measure="RMSE")


def meaningbert_21() -> Estimate:
    """Labels of QuestEval that are the mean of their own pair's ratings"""
    return _own_labels("QuestEval")


def meaningbert_22() -> Estimate:
    """Mean correlation of the paper's metrics that run here, over all pairs"""
    return _jointly((*measures.ARTICLE, "fkgl")).mean()


def meaningbert_23() -> Estimate:
    """Correlation of BLEU minus that of ROUGE-L (F1), over all pairs"""
    return measures.difference(_csmd(), "bleu", "rougeL-f1")


def meaningbert_24() -> Estimate:
    """RMSE of BLEU minus that of ROUGE-L (F1), over all pairs"""
    return measures.difference(_csmd(), "bleu", "rougeL-f1", measure="RMSE")


def meaningbert_25() -> Estimate:
    """Largest R² among the paper's untrained metrics that run here, over all pairs"""
    return _jointly(measures.ARTICLE, "R2").largest()


def meaningbert_26() -> Estimate:
    """Rows of CSMD that repeat an earlier pair with the same rating"""
    return measures.count(_csmd().duplicated(["same", "published"]))


def meaningbert_27() -> Estimate:
    """Words in the source sentences of SimpDA-2022, over those of the collection with the largest other vocabulary"""
    words = _csmd().groupby("collection", observed=True)["source_new"].sum()
    return Estimate(words["SimpDA-2022"] / words.drop("SimpDA-2022").max(), math.nan, math.nan, len(_csmd()))


def meaningbert_28() -> Estimate:
    """Share of identical pairs that BLANC or Coverage rate 95 or more, with a small masked language model"""
    same = _held_out("identical")[list(measures.SLOW)].dropna()
    return proportion((np.rint(same) >= 95).any(axis=1))


def meaningbert_35() -> Estimate:
    """Rank correlation of Pearson's correlation and R² over the paper's untrained metrics that run here"""
    both = _jointly(measures.ARTICLE).beside(_jointly(measures.ARTICLE, "R2"))
    count = len(measures.ARTICLE)
    return both.of(lambda found: spearman_rows(found[..., :count], found[..., count:])).estimate()
