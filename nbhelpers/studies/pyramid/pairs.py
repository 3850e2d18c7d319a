"""The binary test: F-measure with a trained threshold (section 4).

`run` answers the pairs of some pyramids with any scorers and gives counts; `summary` and `difference` make every number
from counts. The counts are sums for each pyramid, so that nothing of the pyramids themselves stands in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas
from numpy.typing import NDArray

from nbhelpers.base import stats
from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import Estimate
from nbhelpers.resources.pyramids import Pyramid
from nbhelpers.results import estimates, evidence
from nbhelpers.studies.pyramid import systems
from nbhelpers.studies.pyramid.scoring import Scorer, coverage, score
from nbhelpers.studies.pyramid.tasks import DEFAULTS, FEWEST_SHARED, Items, PairTest, pair_test, reading_options

SHARED = ("0–2", "3", "4–5", "6+")
"""Bins of the number of words that the two items of a pair share."""

TRAINING = 0.1
"""Share of the pairs that trains the threshold."""

COUNTS = ("hits", "alarms", "misses", "rejections")
F = "Binary Test (F-measure)"
"""Column of Table 1."""


def best_threshold(same: NDArray, values: NDArray) -> tuple[float, float]:
    """The threshold with the highest F-measure for answering yes above it, and that F-measure.

    It lies midway between two neighbouring scores, or is the least finite number where the lower of them is -inf; among
    equals it is the highest; -inf says yes always, to a score of -inf too.
    """
    same = np.asarray(same, dtype=bool)  # at least one is
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


def run(
    pyramids: Sequence[Pyramid],
    scorers: Mapping[str, Scorer],
    *,
    reading: str = DEFAULTS,
    seeds: int = 20,
) -> pandas.DataFrame:
    """Answers to the pairs of some pyramids, with a threshold trained on a tenth of them and tested on the rest.

    The tenth is drawn from positives and negatives alike, at least one of each.

    Parameters
    ----------
    pyramids : sequence of Pyramid
    scorers : mapping of str to scorer
        See `nbhelpers.studies.pyramid.score`.
    reading : str
        Of the paper's rules: one of `nbhelpers.studies.pyramid.READINGS`.
    seeds : int
        Number of random splits, with the seeds 0, 1, ….

    Returns
    -------
    DataFrame
        A line for each embedding, split (``seed``), topic and number of shared words (``shared``, one of `SHARED`) with
        the counts ``hits``, ``alarms`` (negatives answered yes), ``misses`` and ``rejections`` of the tested pairs,
        the ``threshold``, and the ``coverage`` (share of words with a vector, NaN where that has no meaning).

    Raises
    ------
    InputError
        An unknown reading, too few pairs to split, or a scorer that gives NaN or the wrong number of values.

    Examples
    --------
    >>> from nbhelpers.resources import data
    >>> from nbhelpers.studies import pyramid
    >>> topics = pyramid.read_pyramids(data.find("duc2006-pyramids", "shipped").path)[:2]
    >>> items = run(topics, {"Longer first": lambda a, b: [len(one) for one in a]}, seeds=2)
    >>> int(items[["hits", "misses"]].to_numpy().sum()), pyramid.pair_test(topics).positives  # nine tenths, twice
    (272, 151)
    """
    test = pair_test(pyramids, **reading_options(reading)[0])
    words_shared, _ = Items.of(test.segments).shared(test.left, test.right)
    cell = test.topic * len(SHARED) + np.searchsorted([2, 3, 5], words_shared)
    splits = [_training(test, np.random.default_rng(seed)) for seed in range(seeds)]
    cells = pandas.DataFrame(
        {"topic": np.repeat(test.topics, len(SHARED)), "shared": np.tile(SHARED, len(test.topics))}
    )
    parts = []
    for name, scorer in scorers.items():
        values, common = score(test, scorer), {"embedding": name, "coverage": coverage(test, scorer)}
        for seed, training in enumerate(splits):
            threshold, _ = best_threshold(test.same[training], values[training])
            yes = (values > threshold) | np.isneginf(threshold)  # a threshold below all scores, -inf among them
            answers = (yes & test.same, yes & ~test.same, ~yes & test.same, ~yes & ~test.same)
            counts = [np.bincount(cell[each & ~training], minlength=len(cells)) for each in answers]
            parts.append(cells.assign(**common, seed=seed, threshold=threshold, **dict(zip(COUNTS, counts))))
    items = pandas.concat(parts, ignore_index=True).assign(reading=reading)
    return items[items[list(COUNTS)].sum(axis=1) > 0].reset_index(drop=True)


def _training(test: PairTest, rng: np.random.Generator) -> NDArray:
    """Mask of the pairs that train the threshold; both sides have positives."""
    training = np.zeros(len(test), bool)
    for which in (test.same, ~test.same):
        members = np.flatnonzero(which)
        training[rng.permutation(members)[: max(1, round(TRAINING * len(members)))]] = True
    if not test.same[training].any() or not test.same[~training].any():
        raise InputError(
            f"{test.positives} positive of {len(test)} pairs are too few to train a threshold and to test it"
        )
    return training


# -------------------------------------------------------------------- every number, from counts


def by_topic(items: pandas.DataFrame, *by: str, reading: str = DEFAULTS) -> pandas.DataFrame:
    """Counts of a reading, means over the splits: a line for each topic, columns ``(count, embedding, …)``.

    Parameters
    ----------
    *by : str
        What else to tell apart, such as ``"shared"``.
    """
    own = systems.of_reading(items, reading)
    sums = own.groupby(["topic", "embedding", *by], observed=True, sort=False)[list(COUNTS)].sum()
    return (sums / own["seed"].nunique()).unstack(["embedding", *by]).fillna(0.0)


def f_measure(counts: NDArray) -> NDArray:
    """F-measure of arrays (..., 3) or (..., 4) of hits, alarms, misses, and perhaps rejections."""
    hits, alarms, misses = np.moveaxis(counts[..., :3], -1, 0)
    return 2 * hits / (2 * hits + alarms + misses)


def counts_of(wide: pandas.DataFrame, cells: Iterable[Any]) -> NDArray:
    """Counts of `by_topic` as an array (topics, cells, 4); a cell is an embedding, and what else is told apart."""
    return np.stack([np.stack([wide[count][cell] for count in COUNTS], axis=-1) for cell in cells], axis=1)


def summary(items: pandas.DataFrame, reading: str = DEFAULTS, *, resamples: int = 2000) -> pandas.DataFrame:
    """F-measure of every embedding, and of three rules that look at no meaning; topics are resampled.

    F is that of counts that are averaged over the splits and summed over topics. *Random-Baseline* says yes at random
    as often as pairs are positive, which fits the paper's row; its F is the share of positives. See `trivial` and
    `few_shared`.

    Examples
    --------
    >>> summary(evidence.load("pyramid-pairs")).query("row == 'Always yes'")["n"].tolist()
    [20]
    """
    wide = by_topic(items, reading=reading)
    names = list(dict.fromkeys(wide.columns.get_level_values("embedding")))
    counts = counts_of(wide, names)
    counts = np.concatenate([counts, trivial(counts), few_shared(items, reading)[:, None]], axis=1)
    found = stats.means(counts, resamples=resamples).of(f_measure)
    rows = [*(systems.ROWS.get(name, name) for name in names), "Always yes", "Random-Baseline"]
    rows.append(f"Fewer than {_fewest(reading)} shared words")
    return estimates.frame({"row": row, "column": F, "value": found.estimate(n)} for n, row in enumerate(rows))


def trivial(counts: NDArray) -> NDArray:
    """Counts (topics, 2, 4) of saying yes always, and with the F of saying yes as often as pairs are positive."""
    positives, negatives = counts[:, 0, 0] + counts[:, 0, 2], counts[:, 0, 1] + counts[:, 0, 3]
    none = np.zeros_like(positives)
    yes, random = ([positives, each * negatives, none, none] for each in (1, 2))
    return np.stack([np.column_stack(yes), np.column_stack(random)], axis=1)


def _fewest(reading: str) -> int:
    """Words that a negative pair shares at least."""
    return reading_options(reading)[0].get("overlap", FEWEST_SHARED)


def few_shared(items: pandas.DataFrame, reading: str = DEFAULTS) -> NDArray:
    """Counts (topics, 4) of the rule: yes, if the pair shares fewer words than a negative pair must.

    The rule reads no meaning. It gives no false alarm, since negative pairs with so few shared words are left out.
    """
    own = systems.of_reading(items, reading)
    wide = by_topic(own[own["embedding"] == own["embedding"].iloc[0]], "shared", reading=reading)
    most = dict(zip(SHARED, (2, 3, 5, np.inf)))  # shared words in each bin
    few = np.array([most[shared] < _fewest(reading) for *_, shared in wide["hits"].columns])
    positives, negatives = (
        (wide[yes] + wide[no]).to_numpy() for yes, no in (("hits", "misses"), ("alarms", "rejections"))
    )
    return np.stack([each[:, which].sum(axis=1) for which in (few, ~few) for each in (positives, negatives)], axis=-1)


def difference(items: pandas.DataFrame, one: str, other: str, reading: str = DEFAULTS) -> Estimate:
    """F-measure of one embedding minus that of another, paired by topic; see `systems.exchanged`."""
    wide = by_topic(items[items["embedding"].isin([one, other])], reading=reading)
    return systems.exchanged(*np.moveaxis(counts_of(wide, [one, other]), 1, 0), f_measure)


@estimates.tabled
def by_overlap(items: pandas.DataFrame, *, resamples: int = 2000) -> estimates.Rows:
    """Share of pairs answered yes by the number of words that the two items share, by the default reading.

    Returns
    -------
    DataFrame
        Estimates; a row for each embedding and bin of `SHARED`, the columns ``positives`` (recall) and ``negatives``
        (false alarms), where there are such pairs.
    """
    wide = by_topic(items, "shared")
    cells = list(dict.fromkeys(column[1:] for column in wide.columns))
    means = stats.means(counts_of(wide, cells), resamples=resamples)
    for column, (yes, no) in {"positives": (0, 2), "negatives": (1, 3)}.items():
        found = means.of(lambda mean, yes=yes, no=no: mean[..., yes] / (mean[..., yes] + mean[..., no]))
        for n, (name, shared) in enumerate(cells):
            if value := found.estimate(n):
                line = {"row": f"{name}, {shared} shared words", "column": column, "value": value}
                yield line | {"embedding": name, "shared": shared}


TABLES = {"pyramid/table1": summary, "yes by shared words": by_overlap}


def record(embeddings: Sequence[str] = (), reading: str = DEFAULTS) -> tuple[pandas.DataFrame, evidence.Run]:
    """Answer the pairs of DUC 2006 with named systems, for the evidence ``pyramid-pairs``.

    Parameters
    ----------
    embeddings : sequence of str
        Of `nbhelpers.studies.pyramid.named`; all that give vectors where empty.
    reading : str
        Of the rules.
    """
    pyramids, identity = systems.duc()
    scorers = systems.named(pyramids, embeddings or systems.ROWS)
    items = run(pyramids, scorers, reading=reading)
    small = dict.fromkeys(COUNTS, "int32") | {"seed": "int8", "threshold": "float32", "coverage": "float32"}
    items = items.astype(small | dict.fromkeys(("reading", "embedding", "topic", "shared"), "category"))
    signature = f"{pair_test(pyramids, **reading_options(reading)[0]).signature}|{len(scorers)} systems"
    return items, evidence.Run(data=identity, signature=signature)
