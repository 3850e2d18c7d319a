"""What tests each claim of the NDD paper: evidence in, estimate out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nbhelpers.base.stats import Estimate, Resampled, means, percent
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.ndd import branches, cases, detection, edits, measures

# Edits: the paper's cases (Figure 1, Table 1) and the minimal pairs, with the base model ----------------------------


def _base(name: str):
    items = evidence.load(name)
    return items[items["model"] == "base"]


def _told(test: str, score: str, *minus: str) -> Estimate:
    return replace(edits.told(edits.of_test(_base("ndd-pairs"), test), score, *minus), unit="share")


def ndd_1() -> Estimate:
    """NDD of the replacement that changes the meaning, divided by that of the one that keeps it"""
    found = cases.figure1(_base("ndd-cases"))
    return replace(estimates.estimate(found, cases.REPLACEMENTS[1], cases.RATIO), n=1, unit="ratio")


def ndd_2() -> Estimate:
    """Smaller of two leads of NDD, over perplexity and over cosine: share of eleven orderings that hold"""
    hits = cases.held(_base("ndd-cases"))
    return means(hits[["NDD"]].to_numpy() - hits[["PPL", "Cos.Sim."]].to_numpy()).smallest(unit="share")


def ndd_19() -> Estimate:
    """AUC on 84 minimal pairs, NDD minus cosine, mean over the cosines of the model's 13 layers"""
    return _told("minimal pairs", "NDD", *(f"layer {number}" for number in range(13)))


def ndd_20() -> Estimate:
    """AUC on 84 minimal pairs, NDD minus the ratio of perplexities"""
    return _told("minimal pairs", "NDD", "perplexity ratio")


def ndd_21() -> Estimate:
    """AUC of NDD, edits with an agreement error against sound edits that keep the meaning"""
    return _told("agreement error or sound", "NDD")


def ndd_22() -> Estimate:
    """AUC of NDD, edits to another tense against edits that keep the meaning"""
    found = edits.by_kind(_base("ndd-pairs"))
    return replace(estimates.estimate(found, "tense", found["column"][0]), unit="share")


# Compression (section 4, Table 2), with the small masked LM: F1 as Table 2 counts ----------------------------------


def _compressed(one: str, other: str, *systems: str) -> Estimate:
    scores = measures.scored(evidence.load("ndd-compression"), systems)
    return measures.difference(scores, ("embedded", one), ("embedded", other))


def ndd_3() -> Estimate:
    """F1, NDD minus perplexity, as many words deleted from each sentence"""
    return _compressed(measures.OURS, measures.GUIDED, "paper", "perplexity")


def ndd_5() -> Estimate:
    """F1, NDD minus the unedited sentence"""
    return _compressed(measures.OURS, measures.UNEDITED, "paper")


def ndd_6() -> Estimate:
    """F1, NDD minus random deletion of as many words"""
    return _compressed(measures.OURS, measures.RANDOM, "paper")


def ndd_7() -> Estimate:
    """F1, perplexity minus random deletion of as many words"""
    return _compressed(measures.GUIDED, measures.RANDOM, "paper", "perplexity")


def ndd_38() -> Estimate:
    """F1, the unedited sentence minus perplexity"""
    return _compressed(measures.UNEDITED, measures.GUIDED, "paper", "perplexity")


# Pruning trees (section 5, Table 6) and finding predicates (section 6, Table 7), with the base model ---------------


def _points(found: Estimate) -> Estimate:
    return replace(percent(found), unit="points")


def _leads(columns: slice, tree: str = "treebank") -> Resampled:
    return branches.cells(branches.leads(_base("ndd-pruning"), tree=tree), columns)


def _settings(first: tuple[int, float], second: tuple[int, float], columns: slice) -> Resampled:
    found = branches.sampled(_base("ndd-pruning"))
    return (found["ndd", *first, "own"] - found["ndd", *second, "own"])[columns]


def _farthest(found: Resampled, middle: float) -> Resampled:
    """Distances from a middle to both sides, of which the largest says whether all lie within a range."""
    return found.of(lambda values: np.concatenate([values - middle, middle - values], axis=-1))


def _words(methods: tuple[str, ...] = ()):
    return detection.per_sentence(_base("ndd-predicates"), methods=methods)


def ndd_8() -> Estimate:
    """Largest of twelve differences from random spans: share of the pruned words at depth 1, 2 or 3, four settings"""
    return _points(_leads(slice(0, 3), tree="stanford").largest())


def ndd_9() -> Estimate:
    """Smallest of twelve leads over random spans: share of complete subtrees, three lengths of span, four settings"""
    return _points(_leads(slice(4, 7)).smallest())


def ndd_10() -> Estimate:
    """Largest distance from 40 points of twelve leads over random spans: complete subtrees"""
    return _points(_farthest(_leads(slice(4, 7)), 0.4).largest())


def ndd_11() -> Estimate:
    """Smallest of eight differences, threshold 1.0 minus 2.0: words at depth 4 and more, complete subtrees"""
    parts = (_settings((longest, 1.0), (longest, 2.0), slice(3, 7)) for longest in (3, 5))
    return _points(Resampled.beside(*parts).smallest())


def ndd_12() -> Estimate:
    """Share of complete subtrees, spans of up to 5 words minus up to 3, threshold 2.0, mean of three lengths"""
    return _points(_settings((5, 2.0), (3, 2.0), slice(4, 7)).mean())


def ndd_13() -> Estimate:
    """Smallest of eight leads of NDD over perplexity: deletion and mask, mAP and AUC, in domain and out of it"""
    return detection.differences(_words(), detection.OVER_PERPLEXITY).smallest(unit="points")


def ndd_14() -> Estimate:
    """Largest distance from 15 points of eight leads over perplexity: deletion and mask, mAP and AUC"""
    leads = detection.differences(_words(), detection.OVER_PERPLEXITY)
    return _farthest(leads, 15.0).largest(unit="points")


def ndd_15() -> Estimate:
    """Smallest of twelve leads of the product over a single edit: three edits, mAP and AUC, two data sets"""
    pairs = [(detection.ENSEMBLE, edit) for edit in detection.EDITS]
    return detection.differences(_words(), pairs).smallest(unit="points")


def ndd_16() -> Estimate:
    """Smallest of four distances of the product of edits from its mark: mAP from 50, AUC from 80, two data sets"""
    return detection.above_marks(_words((detection.ENSEMBLE,)))


def ndd_17() -> Estimate:
    """Deletion minus replacement by a word, AUC, in domain"""
    pair = ("NDD-based Delete", "NDD-based Replace by word")
    measured = _words(pair).query("data == 'ENG-ID'")
    return detection.differences(measured, [pair]).estimate(1, unit="points")


def ndd_18() -> Estimate:
    """Share of the pruned words at depth 4 and more, spans of up to 5 words minus up to 3, threshold 1.0"""
    return _points(_settings((5, 1.0), (3, 1.0), slice(3, 4)).estimate())


def ndd_36() -> Estimate:
    """Smallest of four leads over random spans: share of the pruned words at depth 4 and more"""
    return _points(_leads(slice(3, 4), tree="stanford").smallest())


def ndd_37() -> Estimate:
    """Largest distance from 50 of four AUCs of perplexity: deletion and mask, in domain and out of it"""
    rivals = tuple(rival for _, rival in detection.OVER_PERPLEXITY)
    found = detection.sampled(_words(rivals)).values()
    areas = Resampled.beside(*(each[rival, "AUC"] for each in found for rival in rivals))
    n = sum(each[rivals[0], "AUC"].n for each in found)
    return replace(_farthest(areas, 50.0).largest(unit="points"), n=n)
