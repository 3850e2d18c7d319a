"""What tests each claim of the paper on sentence order. A fall is one of the mean score, in per cent of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import stats
from nbhelpers.base.stats import Estimate, Resampled
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.ordering import experiment, fitting

WIKIPEDIA, NEWS = "wikipedia-5000", "bbc-news"


def _of(collection: str, measures: Sequence[str], fields: Sequence[str]) -> NDArray:
    """Values of the fields of measures for all documents of a collection, shape (documents, measures, fields)."""
    items = evidence.load("ordering-documents")
    items = items[(items["collection"] == collection) & items["measure"].isin(measures)]
    _, _, values, place = next(experiment.wide(items))
    return values[:, [[place[measure, field] for field in fields] for measure in measures]]


def _falls(collection: str, *measures: str, condition: str = "R", seed: int = 0) -> Resampled:
    """For each measure its fall; two collections that are taken together need resamples of two seeds."""
    scores = _of(collection, measures, ("source", condition))
    return stats.means(scores, seed=seed).of(lambda mean: experiment.fall(mean, 0, 1))


def _steps(collection: str, *measures: str) -> Resampled:
    """For each measure the three steps from the source over R1 and R2 to R, in per cent of the source."""
    means = stats.means(_of(collection, measures, ("source", "R1", "R2", "R")))
    return means.of(lambda mean: np.concatenate([experiment.fall(mean, n, n + 1, 0) for n in range(3)], axis=-1))


def _together(first: Resampled, second: Resampled) -> Resampled:
    """The same statistics of two collections."""
    return replace(first.beside(second), n=first.n + second.n)


def ordering_1() -> Estimate:
    """Fall of Sim after a full shuffle, Wikipedia."""
    return _falls(WIKIPEDIA, "Sim").estimate(unit="points")


def ordering_2() -> Estimate:
    """Fall of Sim after a full shuffle, BBC news."""
    return _falls(NEWS, "Sim").estimate(unit="points")


def ordering_3() -> Estimate:
    """Fall of NounSim after a full shuffle, Wikipedia."""
    return _falls(WIKIPEDIA, "NounSim").estimate(unit="points")


def ordering_4() -> Estimate:
    """Fall of Sim after one moved sentence, Wikipedia."""
    return _falls(WIKIPEDIA, "Sim", condition="R1").estimate(unit="points")


def ordering_6() -> Estimate:
    """Fall of NounSim minus fall of Sim after a full shuffle: the smaller of Wikipedia and BBC news, tested jointly."""
    falls = [_falls(collection, "NounSim", "Sim", seed=n) for n, collection in enumerate((WIKIPEDIA, NEWS))]
    return _together(*(each[:1] - each[1:] for each in falls)).smallest(unit="points")


def ordering_7() -> Estimate:
    """Smallest of the three steps of NESim from the source over R1 and R2 to R, BBC news, tested jointly."""
    return _steps(NEWS, "NESim").smallest(unit="points")


def ordering_8() -> Estimate:
    """Fall of NESim after a full shuffle, Wikipedia."""
    return _falls(WIKIPEDIA, "NESim").estimate(unit="points")


def ordering_9() -> Estimate:
    """Share of documents in which the author's order beats its reversal by Sim, ties one half, Wikipedia."""
    return stats.means(_of(WIKIPEDIA, ["Sim"], ["reversed wins"])[:, 0]).estimate(null=0.5, unit="share")


def ordering_10() -> Estimate:
    """Share of Wikipedia articles in which KL beats the reversed order; every other article chooses the direction."""
    wins = _of(WIKIPEDIA, ["KL"], ["reversed wins"])[:, 0]
    own = wins[1::2] if wins[::2].mean() > 0.5 else 1 - wins[1::2]
    return stats.means(own).estimate(null=0.5, unit="share")


def ordering_11() -> Estimate:
    """Fall of Sim after a full shuffle, Wikipedia cut to the length of news minus BBC news."""
    short, news = _falls(f"{WIKIPEDIA} cut to {NEWS}", "Sim"), _falls(NEWS, "Sim", seed=1)
    return replace(short - news, n=short.n + news.n).estimate(unit="points")


def ordering_12() -> Estimate:
    """Share of documents in which an order fitted to Sim scores above the author's, BBC news."""
    items = evidence.load("ordering-reorder")
    found = fitting.summary(items[items["collection"] == NEWS])
    return replace(estimates.estimate(found, f"Sim, {NEWS}", fitting.BEATEN), unit="share")


def ordering_13() -> Estimate:
    """Smallest of the six steps of Sim and NounSim from the source over R1 and R2 to R, Wikipedia, tested jointly."""
    return _steps(WIKIPEDIA, "Sim", "NounSim").smallest(unit="points")


def ordering_14() -> Estimate:
    """Share of neighbours with NESim 0: the smaller of Wikipedia and BBC news, tested jointly."""
    shares = [stats.means(_of(name, ["NESim"], ["zeros"])[..., 0]) for name in (WIKIPEDIA, NEWS)]
    return _together(*shares).smallest(null=0.5, unit="share")


def ordering_16() -> Estimate:
    """Smallest of the six steps of Sim and NounSim from the source over R1 and R2 to R, BBC news, tested jointly."""
    return _steps(NEWS, "Sim", "NounSim").smallest(unit="points")
