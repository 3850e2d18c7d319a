"""What tests each claim of the paraphrase paper: evidence in, estimate out.

S is not the paper's: pairs of a small parallel text mostly link function words. So wherever a claim needs S, a method
with S is the mean of two of ours, with the pairs of content words (C) and with the Paraphrase Database (P). Topics are
those of REALSumm and SummEval together.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pandas import DataFrame

from nbhelpers.base import stats
from nbhelpers.base.stats import Estimate, Resampled
from nbhelpers.results import evidence
from nbhelpers.studies.paraphrase import experiment, resources
from nbhelpers.studies.paraphrase.experiment import BASELINE, FOUR, combinations, difference

UNIT = "correlation"
"""Spearman's correlation with people, mean over topics."""


@functools.lru_cache(maxsize=1)
def _rho() -> DataFrame:
    """Correlations by experiment and topic; methods with S as the mean of both stand-ins."""
    items = evidence.load("paraphrase-scores")
    with_s = [name for name in combinations() if "S" in name]
    own = [BASELINE, "ROUGE-2", "ROUGE-L", *combinations("DWN"), "S", "B"]
    found = experiment.correlations(items, [*own, *(name.replace("S", one) for one in "CP" for name in with_s)])
    mixed = {name: (found[name.replace("S", "C")] + found[name.replace("S", "P")]) / 2 for name in with_s}
    return found.assign(plain=found["S"], **mixed)


def _topics(name: str) -> DataFrame:
    return _rho().xs(name, level="experiment")


def _minus(first: str, second: str, name: str) -> Estimate:
    return replace(difference(_topics(name), first, second), unit=UNIT)


def _gains(name: str, chosen: Sequence[str] = tuple(combinations()), minus: Sequence[str] = (BASELINE,)) -> DataFrame:
    """What some methods have more than the mean of others, topic by topic."""
    part = _topics(name)
    return part[list(chosen)].sub(part[list(minus)].mean(axis=1, skipna=False), axis=0).dropna()


def _medians(*names: str) -> Resampled:
    """Median over the 15 combinations of the mean gain, in several experiments."""
    parts = [_gains(name) for name in names]
    common = functools.reduce(lambda x, y: x.intersection(y), (part.index for part in parts))
    found = (stats.means(part.loc[common]) for part in parts)
    return Resampled.beside(*(one.of(lambda gains: np.median(gains, axis=-1)) for one in found))


def _best(method: str, *names: str) -> Estimate:
    """The smallest lead of one combination over the 14 others, in several experiments."""
    others = [name for name in combinations() if name != method]
    leads = [_gains(name, others, [method]).mul(-1).add_prefix(name) for name in names]
    return stats.means(leads[0].join(leads[1:], how="inner")).smallest(unit=UNIT)


def _better(first: str, second: str, name: str) -> Estimate:
    """Share of the topics that the first method ranks better, minus the share that it ranks worse."""
    both = _topics(name)[[first, second]].dropna()
    signs = np.sign(np.round(both[first] - both[second], 12))
    return replace(stats.paired_permutation(signs, np.zeros(len(signs)), resamples=2000), unit="share")


def paraphrase_2() -> Estimate:
    """Smallest of the 15 gains over ROUGE-1, EX-2"""
    return stats.means(_gains("EX-2")).smallest(unit=UNIT)


def paraphrase_3() -> Estimate:
    """SDW minus ROUGE-1, EX-2"""
    return _minus("SDW", BASELINE, "EX-2")


def paraphrase_4() -> Estimate:
    """SN minus ROUGE-1, EX-3"""
    return _minus("SN", BASELINE, "EX-3")


def paraphrase_5() -> Estimate:
    """SDW minus ROUGE-1, EX-4"""
    return _minus("SDW", BASELINE, "EX-4")


def paraphrase_6() -> Estimate:
    """Median of the 15 gains over ROUGE-1, EX-1"""
    return _medians("EX-1").estimate(unit=UNIT)


def paraphrase_7() -> Estimate:
    """Least of three medians of the 15 gains over ROUGE-1, EX-2, EX-3 and EX-4"""
    return _medians("EX-2", "EX-3", "EX-4").smallest(unit=UNIT)


def paraphrase_8() -> Estimate:
    """SDW minus DW, EX-4"""
    return _minus("SDW", "DW", "EX-4")


def paraphrase_9() -> Estimate:
    """SW minus W, EX-4"""
    return _minus("SW", "W", "EX-4")


def paraphrase_10() -> Estimate:
    """S minus ROUGE-1, mean of EX-1 to EX-4"""
    return _minus("S", BASELINE, FOUR)


def paraphrase_11() -> Estimate:
    """Topics in which SDW ranks better than DW, minus those in which it ranks worse, share of all, EX-4"""
    return _better("SDW", "DW", "EX-4")


def paraphrase_12() -> Estimate:
    """Topics in which SW ranks better than W, minus those in which it ranks worse, share of all, EX-4"""
    return _better("SW", "W", "EX-4")


def paraphrase_13() -> Estimate:
    """D minus ROUGE-1, EX-4"""
    return _minus("D", BASELINE, "EX-4")


def paraphrase_14() -> Estimate:
    """S with the pairs that hold both ways minus S as it is, mean of EX-1 to EX-4"""
    return _minus("B", "plain", FOUR)


def paraphrase_15() -> Estimate:
    """ROUGE-1 minus the better of ROUGE-2 and ROUGE-L, mean of EX-1 to EX-4"""
    return stats.means(-_gains(FOUR, ["ROUGE-2", "ROUGE-L"])).smallest(unit=UNIT)


def paraphrase_16() -> Estimate:
    """Share of the pairs of D that WordNet has as synonyms, minus that of the Paraphrase Database"""
    return replace(resources.synonyms(evidence.load("paraphrase-resources"), "D", "P"), unit="share")


def paraphrase_18() -> Estimate:
    """Smallest of 28 leads of SDW over the 14 other combinations, EX-2 and EX-4"""
    return _best("SDW", "EX-2", "EX-4")


def paraphrase_19() -> Estimate:
    """Smallest of 14 leads of SN over the other combinations, EX-3"""
    return _best("SN", "EX-3")


def paraphrase_20() -> Estimate:
    """Mean gain of the 15 combinations over ROUGE-1 in EX-2 to EX-4, minus that in EX-1"""
    gained = [_gains(f"EX-{number}").mean(axis=1).rename(number) for number in (1, 2, 3, 4)]
    both = gained[0].to_frame().join(gained[1:], how="inner")
    return replace(stats.paired_permutation(both[[2, 3, 4]].mean(axis=1), both[1]), unit=UNIT)
