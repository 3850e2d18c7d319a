"""Where CSMD's labels come from: each pair's collection, its rating there, and the label that the authors' step gives.

Texts are compared as `nbhelpers.resources.csmd.normalized` gives them. `summary` and `leakage` count what
``meaningbert-csmd`` holds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from nbhelpers.base.errors import InputError
from nbhelpers.resources.csmd import (
    COLLECTIONS,
    Csmd,
    RatedPair,
    SourceRatings,
    read_asset_ratings,
    read_source_ratings,
)
from nbhelpers.results import estimates
from nbhelpers.studies.meaningbert import measures
from nbhelpers.studies.meaningbert.splits import construction_order

TOLERANCE = 1e-3
"""Labels that differ by no more are the same: files round the mean of the same annotators differently."""

SORTED_BY: dict[str, Callable[[tuple[str, str]], Any]] = {
    "SimpDA-2022": lambda pair: pair[1],
    "QuestEval": lambda pair: pair,
}
"""By what the authors' step sorts the pairs (source, candidate) of two collections before it takes their means."""


@functools.lru_cache(maxsize=1)
def all_source_ratings() -> dict[str, SourceRatings]:
    """Ratings of CSMD's four collections, as `nbhelpers.resources.data` finds them."""
    return {**read_source_ratings(), "ASSET": read_asset_ratings()}


def replayed(ratings: Mapping[tuple[str, str], Sequence[float]], key: Callable[[tuple[str, str]], Any]) -> list[float]:
    """Labels as the authors' step writes them: mean ratings in the order of their sorted texts.

    The step takes the mean rating of each pair with pandas' ``groupby``, which sorts by text, and writes the means
    beside the pairs in the order of the file.

    Parameters
    ----------
    ratings : mapping of (source, candidate) to ratings
    key : callable
        By what the pairs are sorted.

    Examples
    --------
    >>> replayed({("A.", "z."): (10.0,), ("B.", "a."): (90.0, 70.0)}, SORTED_BY["SimpDA-2022"])
    [80.0, 10.0]
    """
    return [sum(ratings[pair]) / len(ratings[pair]) for pair in sorted(ratings, key=key)]


def origins(csmd: Csmd, sources: Mapping[str, SourceRatings]) -> tuple[RatedPair, ...]:
    """CSMD's pairs in the order of construction, each with the collection that it comes from.

    In that order the collections stand one after the other (`nbhelpers.resources.csmd.COLLECTIONS`), so their sizes
    tell where each begins; every pair must be found in the file of its collection.

    Raises
    ------
    InputError
        If a pair is not in the collection that its place names.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import read_csmd
    >>> origins(read_csmd(), all_source_ratings())[-1].origin  # doctest: +SKIP
    'QuestEval'
    """
    pairs = construction_order(csmd)
    asset, simpda, questeval = (len(sources[name].ratings) for name in ("ASSET", "SimpDA-2022", "QuestEval"))
    sizes = (asset, simpda, len(pairs) - asset - simpda - questeval, questeval)
    names = [name for name, size in zip(COLLECTIONS, sizes) for _ in range(size)]
    for pair, name in zip(pairs, names):
        if not sources[name].of(pair.source, pair.candidate):
            raise InputError(f"Row {pair.row} of CSMD is not in {name}; the collections do not stand in their order.")
    return tuple(replace(pair, origin=name) for pair, name in zip(pairs, names))


def restored(csmd: Csmd, sources: Mapping[str, SourceRatings]) -> tuple[RatedPair, ...]:
    """CSMD's pairs in the order of construction, SimpDA-2022 and QuestEval with the ratings that people gave.

    Parameters
    ----------
    csmd, sources
        As in `origins`.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import read_csmd
    >>> restored(read_csmd(), all_source_ratings())[0].rating  # doctest: +SKIP
    95.2
    """
    right = []
    for pair in origins(csmd, sources):
        given = sources[pair.origin].of(pair.source, pair.candidate)
        right.append(replace(pair, rating=sum(given) / len(given)) if pair.origin in SORTED_BY else pair)
    return tuple(right)


def replayed_labels(pairs: Sequence[RatedPair], sources: Mapping[str, SourceRatings]) -> list[float]:
    """For pairs of `origins` the label that the authors' step gives each; where it was not used, the published one."""
    given = {name: iter(replayed(sources[name].ratings, key)) for name, key in SORTED_BY.items()}
    return [next(given[pair.origin]) if pair.origin in given else pair.rating for pair in pairs]


# ------------------------------------------------------------------------------------------------- counted from items


def _count(row: str, hits: pd.Series) -> dict[str, Any]:
    return {"row": row, "column": "count", "value": measures.count(hits)}


@estimates.tabled
def summary(items: pd.DataFrame) -> estimates.Rows:
    """What CSMD's labels have to do with the ratings that they were made from, collection by collection.

    Returns
    -------
    DataFrame
        Estimates: counts of labels.
    """
    same = (items["published"] - items["restored"]).abs() <= TOLERANCE
    replay = (items["published"] - items["replayed"]).abs() <= TOLERANCE
    for name, own in items.groupby("collection", observed=True):
        if name in SORTED_BY:
            yield _count(f"Labels of {name} on their own pair", same[own.index])
            yield _count(f"Labels of {name} that the authors' step gives", replay[own.index])
    yield _count("Labels that were sorted by text", items["collection"].isin(list(SORTED_BY)))
    yield _count("Labels that are another pair's", ~same)


@estimates.tabled
def leakage(items: pd.DataFrame) -> estimates.Rows:
    """Pairs that stand twice, and what the test and development parts share with the training part."""
    yield _count("Rows that repeat an earlier pair", items["same"] != items["pair"])
    training = items[items["part"] == "train"]
    for part in ("test", "dev"):
        own = items[items["part"] == part]
        yield _count(f"Rows of {part} whose source is in training", own["source"].isin(training["source"]))
        yield _count(f"Rows of {part} that are in training as they are", own["same"].isin(training["same"]))
