"""What tests each claim of the paper on sentence order. A fall is one of the mean score, in per cent of the source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base import stats
from nbhelpers.base.stats import Estimate
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.ordering import experiment, fitting

WIKIPEDIA, NEWS = "wikipedia-5000", "bbc-news"
_STEPS = ("source", "R1", "R2", "R")


def _of(collection: str, *columns: tuple[str, str]) -> NDArray:
    """Values of (measure, field) columns for all documents of a collection."""
    items = evidence.load("ordering-documents")
    items = items[(items["collection"] == collection) & items["measure"].isin({measure for measure, _ in columns})]
    _, _, values, place = next(experiment.wide(items))
    return values[:, [place[column] for column in columns]]


def _estimate(values: NDArray, statistic: Callable[[NDArray], NDArray], null: float = 0.0, unit: str = "%") -> Estimate:
    return replace(stats.of_means(values, {"": statistic}, null=null)[""], unit=unit)


def _fall(measure: str, collection: str, condition: str = "R") -> Estimate:
    values = _of(collection, (measure, "source"), (measure, condition))
    return _estimate(values, lambda means: experiment.fall(means, 0, 1))


def _smallest_step(collection: str, *measures: str) -> Estimate:
    """The smallest step of Source, R1, R2, R, over all measures: above 0 only if the whole chain holds."""
    values = _of(collection, *((measure, field) for measure in measures for field in _STEPS))

    def smallest(means: NDArray) -> NDArray:
        scores = means.reshape(*means.shape[:-1], len(measures), len(_STEPS))
        return (-100 * np.diff(scores) / np.abs(scores[..., :1])).min(axis=(-1, -2))

    return _estimate(values, smallest)


def _stacked(first: NDArray, second: NDArray) -> NDArray:
    """Two collections below each other, each with columns of its own; ratios of a collection's columns stay."""
    empty = np.zeros_like
    return np.vstack([np.hstack([first, empty(first)]), np.hstack([empty(second), second])])


def ordering_1() -> Estimate:
    """Fall of Sim after a full shuffle, Wikipedia."""
    return _fall("Sim", WIKIPEDIA)


def ordering_2() -> Estimate:
    """Fall of Sim after a full shuffle, BBC news."""
    return _fall("Sim", NEWS)


def ordering_3() -> Estimate:
    """Fall of NounSim after a full shuffle, Wikipedia."""
    return _fall("NounSim", WIKIPEDIA)


def ordering_4() -> Estimate:
    """Fall of Sim after one moved sentence, Wikipedia."""
    return _fall("Sim", WIKIPEDIA, "R1")


def ordering_6() -> Estimate:
    """Fall of NounSim minus fall of Sim after a full shuffle, mean of Wikipedia and BBC news."""
    columns = [("NounSim", "source"), ("NounSim", "R"), ("Sim", "source"), ("Sim", "R")]
    fall = experiment.fall

    def difference(m: NDArray) -> NDArray:
        return (fall(m, 0, 1) - fall(m, 2, 3) + fall(m, 4, 5) - fall(m, 6, 7)) / 2

    return _estimate(_stacked(_of(WIKIPEDIA, *columns), _of(NEWS, *columns)), difference, unit="points")


def ordering_7() -> Estimate:
    """Smallest of the three steps of NESim from the source over R1 and R2 to R, BBC news."""
    return _smallest_step(NEWS, "NESim")


def ordering_8() -> Estimate:
    """Fall of NESim after a full shuffle, Wikipedia."""
    return _fall("NESim", WIKIPEDIA)


def ordering_9() -> Estimate:
    """Share of documents in which the author's order beats its reversal by Sim, ties one half, Wikipedia."""
    return _estimate(_of(WIKIPEDIA, ("Sim", "reversed wins")), lambda means: means[..., 0], 0.5, "share")


def ordering_10() -> Estimate:
    """Share of Wikipedia articles in which KL beats the reversed order; every other article chooses the direction."""
    wins = _of(WIKIPEDIA, ("KL", "reversed wins"))
    own = wins[1::2] if wins[::2].mean() > 0.5 else 1 - wins[1::2]
    return _estimate(own, lambda means: means[..., 0], 0.5, "share")


def ordering_11() -> Estimate:
    """Fall of Sim after a full shuffle, Wikipedia."""
    return _fall("Sim", WIKIPEDIA)


def ordering_12() -> Estimate:
    """Share of documents in which an order fitted to Sim scores above the author's, BBC news."""
    items = evidence.load("ordering-reorder")
    found = fitting.summary(items[items["collection"] == NEWS])
    return replace(estimates.estimate(found, f"Sim, {NEWS}", fitting.BEATEN), unit="share")


def ordering_13() -> Estimate:
    """Smallest of the six steps of Sim and NounSim from the source over R1 and R2 to R, Wikipedia."""
    return _smallest_step(WIKIPEDIA, "Sim", "NounSim")


def ordering_14() -> Estimate:
    """Neighbours with similarity 0, NESim minus Sim, mean of the shares in Wikipedia and BBC news."""
    columns = [("NESim", "zeros"), ("Sim", "zeros")]
    first, second = (_of(name, *columns) for name in (WIKIPEDIA, NEWS))
    total = len(first) + len(second)

    def difference(m: NDArray) -> NDArray:
        return ((m[..., 0] - m[..., 1]) * total / len(first) + (m[..., 2] - m[..., 3]) * total / len(second)) / 2

    return _estimate(_stacked(first, second), difference, unit="share")
