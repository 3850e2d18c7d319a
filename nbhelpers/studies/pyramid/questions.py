"""The ranking test: success rate and mean reciprocal rank (section 4).

`run` answers the questions of some pyramids with any scorers and gives sums for each pyramid; `summary` and
`difference` make every number from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas
from numpy.typing import NDArray

from nbhelpers.base import stats
from nbhelpers.base.stats import Estimate
from nbhelpers.resources.pyramids import Pyramid
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.pyramid import systems
from nbhelpers.studies.pyramid.scoring import Scorer, coverage, score
from nbhelpers.studies.pyramid.tasks import DEFAULTS, question_test, reading_options

SUCCESS, RECIPROCAL = "Ranking Test (Success Rate)", "Ranking Test (Mean reciprocal rank)"
"""Columns of Table 1; the success rate is in per cent."""

_SUMS = ("success", "reciprocal", "questions")


def run(
    pyramids: Sequence[Pyramid],
    scorers: Mapping[str, Scorer],
    *,
    reading: str = DEFAULTS,
    sample: int = 0,
) -> pandas.DataFrame:
    """Answers to the questions of some pyramids, as sums for each.

    The rank is shared out among answers of the same score, so that a scorer that cannot tell answers apart is at
    chance: 0.25 and 0.5208.

    Parameters
    ----------
    pyramids, scorers, reading
        As for `nbhelpers.studies.pyramid.pairs.run`.
    sample : int
        Ask only so many questions, drawn at random, for scorers that take long; 0 for all.

    Returns
    -------
    DataFrame
        A line for each embedding and topic: ``reading`` (with the size of the sample), ``embedding``, ``topic``,
        ``success`` (questions whose right answer scores highest), ``reciprocal`` (sum of reciprocal ranks),
        ``questions``, and the ``coverage``.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)[:2]
    >>> run(topics, {"Undecided": lambda a, b: [0.0] * len(a)})[["success", "questions"]].sum().tolist()
    [22.0, 88.0]
    """
    test = question_test(pyramids, **reading_options(reading)[1])
    if 0 < sample < len(test):
        test = test.take(np.sort(np.random.default_rng(0).permutation(len(test))[:sample]))
        reading = f"{reading}, {sample} questions"
    parts = []
    for name, scorer in scorers.items():
        sums = np.zeros((len(test.topics), len(_SUMS)))
        np.add.at(sums, test.topic, np.column_stack([*shared_ranks(score(test, scorer)), np.ones(len(test))]))
        own = pandas.DataFrame(sums, columns=list(_SUMS))
        own.insert(0, "topic", test.topics)
        parts.append(own.assign(reading=reading, embedding=name, coverage=coverage(test, scorer)))
    items = pandas.concat(parts, ignore_index=True)
    return items[items["questions"] > 0].reset_index(drop=True)


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


# -------------------------------------------------------------------- every number, from sums


def by_topic(items: pandas.DataFrame, reading: str = DEFAULTS) -> pandas.DataFrame:
    """Sums of a reading: a line for each topic, columns ``(sum, embedding)``."""
    own = systems.of_reading(items, reading)
    wide = own.pivot_table(index="topic", columns="embedding", values=list(_SUMS), aggfunc="sum", observed=True)
    return wide.dropna()


def summary(items: pandas.DataFrame, reading: str = DEFAULTS, *, resamples: int = 2000) -> pandas.DataFrame:
    """Success rate in per cent and mean reciprocal rank of every embedding; topics are resampled.

    Examples
    --------
    >>> found = summary(evidence.load("pyramid-questions"))
    >>> round(estimates.estimate(found, "Random-Baseline", SUCCESS).value)
    24
    """
    wide = by_topic(items, reading)
    own = set(wide.columns.get_level_values("embedding"))
    names = [one for one in dict.fromkeys(items["embedding"]) if one in own]
    of = {
        SUCCESS: stats.means(sums_of(wide, names), resamples=resamples).of(success),
        RECIPROCAL: stats.means(sums_of(wide, names, "reciprocal"), resamples=resamples).of(_ratio),
    }
    return estimates.frame(
        {"row": systems.ROWS.get(name, name), "column": column, "value": found.estimate(n)}
        for column, found in of.items()
        for n, name in enumerate(names)
    )


def sums_of(wide: pandas.DataFrame, names: Sequence[str], field: str = "success") -> NDArray:
    """A sum of `by_topic` and the number of questions, as an array (topics, embeddings, 2)."""
    return np.stack([wide[field][names], wide["questions"][names]], axis=-1)


def _ratio(sums: NDArray) -> NDArray:
    return sums[..., 0] / sums[..., 1]


def success(sums: NDArray) -> NDArray:
    """Success rate in per cent from arrays (..., 2) of right answers and questions."""
    return 100.0 * _ratio(sums)


def difference(items: pandas.DataFrame, one: str, other: str, reading: str = DEFAULTS, beyond: str = "") -> Estimate:
    """Success rate of one embedding minus that of another, in points, paired by topic; see `systems.exchanged`.

    With ``beyond``, how much larger that is than by another reading of the same topics (an interval alone).
    """
    own = items[items["embedding"].isin([one, other])]
    sums = [sums_of(by_topic(own, each), [one, other]) for each in (reading, beyond) if each]
    if beyond:
        return stats.means(np.hstack(sums)).of(lambda both: success(both) @ [1, -1, -1, 1]).estimate()
    return systems.exchanged(*np.moveaxis(sums[0], 1, 0), success)


TABLES = {"pyramid/table1": summary}


def record(
    embeddings: Sequence[str] = (), reading: str = DEFAULTS, sample: int = 0
) -> tuple[pandas.DataFrame, evidence.Run]:
    """Ask named systems the questions of DUC 2006, for the evidence ``pyramid-questions``.

    Parameters
    ----------
    embeddings : sequence of str
        Of `nbhelpers.studies.pyramid.named`; all that give vectors, and random answers, where empty.
    reading, sample
        Of `run`.
    """
    pyramids, identity = systems.duc()
    scorers = systems.named(pyramids, embeddings or systems.ROWS)
    if not embeddings:
        scorers["Random-Baseline"] = lambda first, second: np.random.default_rng(0).random(len(first))
    items = run(pyramids, scorers, reading=reading, sample=sample)
    small = dict.fromkeys((*_SUMS, "coverage"), "float32")
    items = items.astype(small | dict.fromkeys(("reading", "embedding", "topic"), "category"))
    signature = f"{question_test(pyramids, **reading_options(reading)[1]).signature}|n:{sample or 'all'}"
    return items, evidence.Run(data=identity, signature=f"{signature}|{len(scorers)} systems")
