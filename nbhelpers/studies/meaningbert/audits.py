"""What to know about rated pairs before a model is trained on them: repeats, leakage, and where the labels come from.

Texts are compared as `nbhelpers.resources.csmd.normalized` gives them. Functions named ``…_rows`` return rows for the
ledger; nothing is printed and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nbhelpers.base.errors import InputError
from nbhelpers.base.stats import correlation
from nbhelpers.metrics import score_all
from nbhelpers.resources.csmd import COLLECTIONS, Csmd, RatedPair, SourceRatings, normalized
from nbhelpers.studies.meaningbert.splits import construction_order

TOLERANCE = 1e-6
"""Ratings that differ by no more are the same: files round the mean of the same annotators differently."""

SORTED_BY: dict[str, Callable[[tuple[str, str]], Any]] = {
    "SimpDA-2022": lambda pair: pair[1],
    "QuestEval": lambda pair: pair,
}
"""By what the authors' step sorts the pairs (source, candidate) of two collections before it takes their means."""


def _key(pair: RatedPair) -> tuple[str, str]:
    return normalized(pair.source), normalized(pair.candidate)


# ------------------------------------------------------------------------------------------ repeats and leakage


@dataclass(frozen=True)
class Leakage:
    """What another part shares with the training part.

    Attributes
    ----------
    rows, leaking_rows : int
        Pairs of the other part, and those whose source sentence is in the training part, too.
    sources, leaking_sources : int
        The same, counted in different source sentences.
    pairs : int
        Different pairs that stand in both parts.
    """

    rows: int
    leaking_rows: int
    sources: int
    leaking_sources: int
    pairs: int

    @property
    def sentence(self) -> str:
        """The finding in words."""
        return (
            f"{self.leaking_rows} of {self.rows:,} rows ({self.leaking_sources} of {self.sources} source sentences) "
            f"share their source sentence with the training part; {self.pairs} pairs stand in both"
        )


def source_leakage(train: Sequence[RatedPair], other: Sequence[RatedPair]) -> Leakage:
    """Rows of a part whose source sentence, or whole pair, the training part has seen.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> pairs = [RatedPair("It rained.", "Rain fell.", 80, 1), RatedPair("He left.", "He went.", 70, 2)]
    >>> source_leakage(pairs[:1], pairs).leaking_rows
    1
    """
    sources = {normalized(pair.source) for pair in other}
    return Leakage(
        rows=len(other),
        leaking_rows=len(other) - len(unseen(train, other)),
        sources=len(sources),
        leaking_sources=len(sources & {normalized(pair.source) for pair in train}),
        pairs=len({_key(pair) for pair in other} & {_key(pair) for pair in train}),
    )


def unseen(train: Sequence[RatedPair], other: Sequence[RatedPair]) -> list[RatedPair]:
    """Pairs of a part whose source sentence the training part has not.

    Examples
    --------
    >>> from nbhelpers.resources.csmd import RatedPair
    >>> pairs = [RatedPair("It rained.", "Rain fell.", 80, 1), RatedPair("He left.", "He went.", 70, 2)]
    >>> [pair.source for pair in unseen(pairs[:1], pairs)]
    ['He left.']
    """
    seen = {normalized(pair.source) for pair in train}
    return [pair for pair in other if normalized(pair.source) not in seen]


def leakage_rows(csmd: Csmd) -> list[dict[str, Any]]:
    """Repeated pairs of CSMD, and what its test, development and identical pairs share with the training part."""
    ratings: dict[tuple[str, str], list[float]] = {}
    for pair in csmd.pairs:
        ratings.setdefault(_key(pair), []).append(pair.rating)
    spans = [float(np.ptp(some)) for some in ratings.values() if len(some) > 1]
    note = f"{len(spans)} pairs occur more than once, with labels that differ by up to {max(spans, default=0):.1f}"
    repeats = len(csmd.pairs) - len(ratings)
    rows = [_count("Rows that repeat an earlier pair", repeats, len(csmd.pairs), note)]
    for name in ("test", "dev", "identical"):
        found = source_leakage(csmd.train, getattr(csmd, name))
        rows.append(
            _count(f"Rows of {name} whose source is in training", found.leaking_rows, found.rows, found.sentence)
        )
    return rows


def _count(row: str, value: int, n: int, note: str = "") -> dict[str, Any]:
    return {"row": row, "column": "rows", "value": value, "n": n, "note": note}


# -------------------------------------------------------------------------------------------------------- labels


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
    >>> from nbhelpers.studies.meaningbert.experiment import all_source_ratings
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
    >>> from nbhelpers.studies.meaningbert.experiment import all_source_ratings
    >>> restored(read_csmd(), all_source_ratings())[0].rating  # doctest: +SKIP
    95.2
    """
    right = []
    for pair in origins(csmd, sources):
        given = sources[pair.origin].of(pair.source, pair.candidate)
        right.append(replace(pair, rating=sum(given) / len(given)) if pair.origin in SORTED_BY else pair)
    return tuple(right)


def label_rows(csmd: Csmd, sources: Mapping[str, SourceRatings]) -> list[dict[str, Any]]:
    """What CSMD's labels have to do with the ratings that they were made from, collection by collection."""
    published, right = construction_order(csmd), restored(csmd, sources)
    rows, labels, truth = [], np.array([p.rating for p in published]), np.array([p.rating for p in right])
    names = np.array([pair.origin for pair in right])
    overlap = score_all([p.source for p in right], [p.candidate for p in right], metrics=["token-f1"], progress=False)
    overlap = overlap["values"]["token-f1"]
    for name in COLLECTIONS:
        own = names == name
        if name in SORTED_BY:
            given = np.array(replayed(sources[name].ratings, SORTED_BY[name]))
            equal, same = (np.abs(labels[own] - other) <= TOLERANCE for other in (truth[own], given))
            rows += [
                _count(f"Labels of {name} on their own pair", int(equal.sum()), int(own.sum())),
                _count(f"Labels of {name} that the authors' step gives", int(same.sum()), int(own.sum())),
                _pearson(f"Correlation of {name}'s labels with its ratings", labels[own], truth[own]),
            ]
        for kind, values in {"Labels": labels, "Restored labels": truth}.items():
            rows.append(_pearson(f"{kind} of {name} with the pair's token F1", values[own], overlap[own]))
    shuffled, changed = np.isin(names, list(SORTED_BY)), np.abs(labels - truth) > TOLERANCE
    parts = ", ".join(f"{int(changed[names == name].sum())} of {name}" for name in SORTED_BY)
    rows += [
        _count("Labels that were sorted by text", int(shuffled.sum()), len(labels)),
        _count("Labels that are another pair's", int(changed.sum()), len(labels), parts),
        _pearson("Correlation of published with restored labels", labels, truth),
    ]
    return rows


def _pearson(row: str, first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    return {"row": row, "column": "Pearson", "value": correlation(first, second, "pearson")}
